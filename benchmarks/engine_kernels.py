"""The project's own backends as engines: ``reference``, ``cpu``, ``cuda``."""

import importlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import numpy as np

from bidcascade.kernels import (
    BitColumns,
    DealArrays,
    EntryLists,
    FirstAuctions,
    Plan,
    get_backend,
    why_unavailable,
)
from bidcascade.kernels.types import U64

from .engines import Engine
from .machine import cores

if TYPE_CHECKING:
    from bidcascade.kernels.cuda_device import Timing

_STEPS = {"reference": 16, "cpu": cores() << 16, "cuda": 1 << 20}


class KernelEngine:
    """One backend of ``bidcascade.kernels``."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._backend_name, _, self._variant = name.partition(":")
        self.step = _STEPS[self._backend_name]

    def why_unavailable(self, operation: str) -> str | None:
        reason = why_unavailable(self.name)
        if reason is not None:
            return reason
        if operation == "features" and not hasattr(get_backend(self.name), "features"):
            return "its features are not packed"
        if operation == "hands" and self._hands() is None:
            return "it does not deal"
        return None

    def prepare(self, plan: Plan) -> None:
        warm_up = getattr(get_backend(self.name), "warm_up", None)
        if warm_up is not None:
            warm_up(plan)

    def counts(self, plan: Plan, deals: DealArrays) -> U64:
        return get_backend(self.name).cascade_counts(plan, deals)

    def entry_lists(self, plan: Plan, deals: DealArrays) -> Iterator[EntryLists]:
        return get_backend(self.name).cascade_all(plan, deals)

    def first(self, plan: Plan, deals: DealArrays) -> FirstAuctions:
        return get_backend(self.name).cascade_first(plan, deals)

    def evaluate(self, plan: Plan, deals: DealArrays) -> BitColumns:
        return get_backend(self.name).evaluate(plan, deals)

    def bits(self, columns: BitColumns) -> BitColumns:
        return columns

    def features(self, plan: Plan, deals: DealArrays) -> U64:
        return get_backend(self.name).features(plan, deals)

    def _hands(self) -> object:
        modules = {"reference": "dealing", "cpu": "dealing", "cuda": "cuda"}
        functions = {
            "reference": "deal_hands_reference", "cpu": "deal_hands", "cuda": "deal_hands",
        }  # fmt: skip
        try:
            module = importlib.import_module(f"bidcascade.kernels.{modules[self.name]}")
        except ImportError:
            return None
        return getattr(module, functions[self.name], None)

    def hands(self, count: int, seed: int) -> U64:
        deal = self._hands()
        assert callable(deal)
        if self.name == "reference":
            return np.array([deal(seed, number) for number in range(count)], np.uint64).T.copy()
        hands: U64 = deal(seed, 0, count)
        return hands

    def timings(self) -> "AbstractContextManager[list[Timing]] | None":
        return None


def make(name: str) -> Engine:
    """Make the engine of a backend."""
    return KernelEngine(name)
