"""The CUDA backend on the emulator."""

from pathlib import Path
from typing import Any

from bidcascade.kernels.cuda import CudaBackend
from tests.kernels.emulator.device import EmulatedDevice


class EmulatedBackend(CudaBackend):
    """All of the CUDA backend, host code included, on a new emulated device.

    Parameters
    ----------
    folder : Path
        Where built libraries are kept.
    device_options : dict, optional
        For the device.
    """

    def __init__(
        self, folder: Path, *, device_options: dict[str, Any] | None = None, **options: Any
    ) -> None:
        self.device = EmulatedDevice(folder, **(device_options or {}))
        super().__init__(self.device, **options)
