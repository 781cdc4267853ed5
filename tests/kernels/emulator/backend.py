"""The CUDA backend on the emulator, asked for every variant at once."""

from pathlib import Path
from typing import Any

import numpy as np

from bidcascade.kernels import DealArrays, Plan
from bidcascade.kernels.cuda import VARIANTS, CudaBackend
from tests.kernels.emulator.device import EmulatedDevice


class EmulatedBackend(CudaBackend):
    """All of the CUDA backend, host code included; counts are those of every variant."""

    def __init__(
        self, folder: Path, *, schedule: int = 0, checked: bool = True, **more: Any
    ) -> None:
        options = {
            name: more.pop(name)
            for name in ("memory_bytes", "limits", "architecture")
            if name in more
        }
        self.device = EmulatedDevice(folder, schedule=schedule, checked=checked, **options)
        super().__init__(self.device, **more)

    def cascade_counts(self, plan: Plan, deals: Any) -> Any:
        if self.variant is not None:
            return super().cascade_counts(plan, deals)
        found = {}
        for self.variant in VARIANTS:
            found[self.variant] = super().cascade_counts(plan, deals)
        self.variant = None
        first, *others = VARIANTS
        for other in others:
            np.testing.assert_array_equal(found[other], found[first], f"{other} and {first}")
        return found[first]


__all__ = ["DealArrays", "EmulatedBackend"]
