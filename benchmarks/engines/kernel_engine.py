"""The project's own backends as engines: ``reference``, ``cpu``, ``cuda``."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.gpu.roofline import Ceilings, measure_ceilings
from benchmarks.tools.machine import cores
from bidcascade.kernels import (
    BitColumns,
    DealArrays,
    EntryLists,
    FirstAuctions,
    Plan,
    cuda,
    dealing,
    get_backend,
    why_unavailable,
)
from bidcascade.kernels.types import U64

from . import Engine

_STEPS = {"reference": 16, "cpu": cores() << 16, "cuda": 1 << 20}


class KernelEngine(Engine):
    """One backend of ``bidcascade.kernels``."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.step = _STEPS[name]

    @property
    def _backend(self) -> Any:
        return get_backend(self.name)

    def why_unavailable(self, operation: str) -> str | None:
        return why_unavailable(self.name)

    def prepare(self, plan: Plan) -> None:
        if hasattr(self._backend, "warm_up"):
            self._backend.warm_up(plan)

    def counts(self, plan: Plan, deals: DealArrays) -> U64:
        return self._backend.cascade_counts(plan, deals)

    def entry_lists(self, plan: Plan, deals: DealArrays) -> Iterator[EntryLists]:
        return self._backend.cascade_all(plan, deals)

    def first(self, plan: Plan, deals: DealArrays) -> FirstAuctions:
        return self._backend.cascade_first(plan, deals)

    def evaluate(self, plan: Plan, deals: DealArrays) -> BitColumns:
        return self._backend.evaluate(plan, deals)

    def features(self, plan: Plan, deals: DealArrays) -> U64:
        return self._backend.features(plan, deals)

    def hands(self, count: int, seed: int) -> U64:
        if self.name == "reference":
            dealt = [dealing.deal_hands_reference(seed, number) for number in range(count)]
            return np.array(dealt, np.uint64).T.copy()
        return (cuda.backend_here() if self.name == "cuda" else dealing).deal_hands(seed, 0, count)

    def timings(self) -> Any:
        return self._backend.session.device.timings() if self.name == "cuda" else None

    def ceilings(self) -> Ceilings:
        """What the device can do at most, measured now."""
        return measure_ceilings(self._backend.session.device)
