"""The CUDA backend asked for every variant at once, on the emulator or on a real device."""

from pathlib import Path
from typing import Any

import numpy as np

from bidcascade.kernels import Plan
from bidcascade.kernels.cuda import VARIANTS, CudaBackend
from tests.kernels.emulator.device import EmulatedDevice


class EveryVariant(CudaBackend):
    """All of the CUDA backend, host code included; counts are those of every variant."""

    def cascade_counts(self, plan: Plan, deals: Any) -> Any:
        if self.variant is not None:
            return super().cascade_counts(plan, deals)
        found = {
            variant: CudaBackend.cascade_counts(self._with(variant), plan, deals)
            for variant in VARIANTS
        }
        first, *others = VARIANTS
        for other in others:
            np.testing.assert_array_equal(found[other], found[first], f"{other} and {first}")
        return found[first]

    def _with(self, variant: str) -> "EveryVariant":
        # a copy, as several threads may ask at once
        one = object.__new__(type(self))
        one.__dict__ = self.__dict__ | {"variant": variant}
        return one


class EmulatedBackend(EveryVariant):
    """On a new emulated device.

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
