"""Device time of a run, taken apart: kernels by name, copies to the device and back.

A run is timed twice over: as the caller sees it, and once more with an event before and behind each
launch and copy. The events cost time on the host, so the two are never taken in one run.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bidcascade.kernels.cuda_device import Timing

COPY_IN = "copy in"
COPY_OUT = "copy out"


@dataclass
class DeviceRun:
    """What the device did in one run.

    Parameters
    ----------
    kernels : dict
        Launches and seconds by name.
    copied_in, copied_out : tuple
        Bytes and seconds.
    """

    kernels: dict[str, tuple[int, float]] = field(default_factory=dict)
    copied_in: tuple[int, float] = (0, 0.0)
    copied_out: tuple[int, float] = (0, 0.0)

    @classmethod
    def of(cls, timings: Sequence[Timing]) -> "DeviceRun":
        """Add up single launches and copies."""
        run = cls()
        for one in timings:
            if one.name == COPY_IN:
                size, seconds = run.copied_in
                run.copied_in = (size + one.copied_bytes, seconds + one.seconds)
            elif one.name == COPY_OUT:
                size, seconds = run.copied_out
                run.copied_out = (size + one.copied_bytes, seconds + one.seconds)
            else:
                launches, seconds = run.kernels.get(one.name, (0, 0.0))
                run.kernels[one.name] = (launches + 1, seconds + one.seconds)
        return run

    @property
    def kernel_seconds(self) -> float:
        """Seconds in kernels; they may have run beside copies."""
        return sum(seconds for _, seconds in self.kernels.values())

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "kernels": {name: list(pair) for name, pair in self.kernels.items()},
            "copied_in": list(self.copied_in),
            "copied_out": list(self.copied_out),
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "DeviceRun":
        """Read :meth:`as_json` back."""
        return cls(
            {name: (int(pair[0]), float(pair[1])) for name, pair in value["kernels"].items()},
            (int(value["copied_in"][0]), float(value["copied_in"][1])),
            (int(value["copied_out"][0]), float(value["copied_out"][1])),
        )


def median_run(runs: Sequence[DeviceRun]) -> DeviceRun:
    """Median of each part over some runs; launches and bytes are the last run's."""
    last = runs[-1]

    def median(seconds: Sequence[float]) -> float:
        return float(np.median(seconds))

    return DeviceRun(
        {
            name: (
                launches,
                median([run.kernels[name][1] for run in runs if name in run.kernels]),
            )
            for name, (launches, _) in last.kernels.items()
        },
        (last.copied_in[0], median([run.copied_in[1] for run in runs])),
        (last.copied_out[0], median([run.copied_out[1] for run in runs])),
    )
