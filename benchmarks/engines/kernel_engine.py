"""The project's own backends as engines: ``reference``, ``cpu``, ``cuda``.

``cuda:lists`` and so on are ``cuda`` with one of its candidates for counts, chosen as a user would:
by the environment variable.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from benchmarks.machine import cores
from benchmarks.roofline import Ceilings, measure_ceilings
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
)  # fmt: skip
from bidcascade.kernels.types import U64

from . import Engine

_STEPS = {"reference": 16, "cpu": cores() << 16, "cuda": 1 << 20}


class KernelEngine(Engine):
    """One backend of ``bidcascade.kernels``."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._backend_name, _, self._variant = name.partition(":")
        self.step = _STEPS[self._backend_name]

    @property
    def _backend(self) -> Any:
        return get_backend(self._backend_name)

    def why_unavailable(self, operation: str) -> str | None:
        reason = why_unavailable(self._backend_name)
        if reason is None and self._variant and operation != "counts":
            return "there is one way to do it only"
        return reason

    def prepare(self, plan: Plan) -> None:
        if hasattr(self._backend, "warm_up"):
            with self._chosen():
                self._backend.warm_up(plan)

    def counts(self, plan: Plan, deals: DealArrays) -> U64:
        with self._chosen():
            return self._backend.cascade_counts(plan, deals)

    def entry_lists(self, plan: Plan, deals: DealArrays) -> Iterator[EntryLists]:
        return self._backend.cascade_all(plan, deals)

    def first(self, plan: Plan, deals: DealArrays) -> FirstAuctions:
        return self._backend.cascade_first(plan, deals)

    def evaluate(self, plan: Plan, deals: DealArrays) -> BitColumns:
        return self._backend.evaluate(plan, deals)

    def features(self, plan: Plan, deals: DealArrays) -> U64:
        return self._backend.features(plan, deals)

    @contextmanager
    def _chosen(self) -> Iterator[None]:
        """Choose the variant while the block runs."""
        before = os.environ.get(cuda.VARIANT_VARIABLE)
        if self._variant:
            os.environ[cuda.VARIANT_VARIABLE] = self._variant
        try:
            yield
        finally:
            if before is not None:
                os.environ[cuda.VARIANT_VARIABLE] = before
            elif self._variant:
                del os.environ[cuda.VARIANT_VARIABLE]

    def hands(self, count: int, seed: int) -> U64:
        if self.name == "reference":
            dealt = [dealing.deal_hands_reference(seed, number) for number in range(count)]
            return np.array(dealt, np.uint64).T.copy()
        return (cuda.backend_here() if self._backend_name == "cuda" else dealing).deal_hands(
            seed, 0, count
        )

    def timings(self) -> Any:
        return self._backend.session.device.timings() if self._backend_name == "cuda" else None

    def ceilings(self) -> Ceilings:
        """What the device can do at most, measured now."""
        return measure_ceilings(self._backend.session.device)
