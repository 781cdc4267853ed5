"""Running sums on a device."""

import numpy as np

from bidcascade.kernels.cuda_device import DeviceArray

from .session import Session

SCAN_TILE = 1024


class RunningSums:
    """Sums of the values before each, of up to ``most`` values, on the device."""

    def __init__(self, session: Session, most: int) -> None:
        self.session = session
        self._sums: list[DeviceArray] = []
        while True:
            most = -(-most // SCAN_TILE)
            self._sums.append(session.device.empty(most, np.uint64))
            if most == 1:
                break

    def run(self, values: DeviceArray) -> int:
        """Replace values by sums; return the sum of all; waits."""
        levels = [values]
        for sums in self._sums:
            tiles = -(-levels[-1].size // SCAN_TILE)
            self.session.launch(
                "entries.cu",
                "scan_tiles",
                {},
                tiles,
                256,
                [levels[-1], np.uint64(levels[-1].size), sums[:tiles]],
            )
            if tiles == 1:
                total = sums[:1]
                break
            levels.append(sums[:tiles])
        for below, starts in zip(levels[-2::-1], levels[:0:-1], strict=True):
            self.session.each(
                "entries.cu",
                "scan_add",
                {},
                below.size,
                [below, np.uint64(below.size), starts],
            )
        return int(self.session.download(total)[0])
