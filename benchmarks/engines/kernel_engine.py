"""The project's own backends as engines: ``reference``, ``cpu``, ``cuda``.

``cuda:lists`` and so on are ``cuda`` with one of its candidates for counts, chosen as a user would:
by the environment variable.
"""

import importlib
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.gpu.roofline import Ceilings
from benchmarks.machine import cores
from bidcascade.kernels import (
    BitColumns,
    DealArrays,
    EntryLists,
    FirstAuctions,
    Plan,
    get_backend,
    why_unavailable,
)
from bidcascade.kernels.cuda import VARIANT_VARIABLE
from bidcascade.kernels.types import U64

from .choice import Engine

if TYPE_CHECKING:
    from bidcascade.kernels.cuda_device import Device, Timing

_STEPS = {"reference": 16, "cpu": cores() << 16, "cuda": 1 << 20}


class KernelEngine:
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
        if reason is not None:
            return reason
        if self._variant and operation != "counts":
            return "there is one way to do it only"
        if operation == "hands" and self._hands() is None:
            return "it does not deal"
        return None

    def prepare(self, plan: Plan) -> None:
        warm_up = getattr(self._backend, "warm_up", None)
        if warm_up is not None:
            with self._chosen():
                warm_up(plan)

    def counts(self, plan: Plan, deals: DealArrays) -> U64:
        with self._chosen():
            counts: U64 = self._backend.cascade_counts(plan, deals)
        return counts

    def entry_lists(self, plan: Plan, deals: DealArrays) -> Iterator[EntryLists]:
        lists: Iterator[EntryLists] = self._backend.cascade_all(plan, deals)
        return lists

    def first(self, plan: Plan, deals: DealArrays) -> FirstAuctions:
        first: FirstAuctions = self._backend.cascade_first(plan, deals)
        return first

    def evaluate(self, plan: Plan, deals: DealArrays) -> BitColumns:
        columns: BitColumns = self._backend.evaluate(plan, deals)
        return columns

    def bits(self, columns: BitColumns) -> BitColumns:
        return columns

    def features(self, plan: Plan, deals: DealArrays) -> U64:
        words: U64 = self._backend.features(plan, deals)
        return words

    @contextmanager
    def _chosen(self) -> Iterator[None]:
        """Choose the variant while the block runs."""
        if not self._variant:
            yield
            return
        before = os.environ.get(VARIANT_VARIABLE)
        os.environ[VARIANT_VARIABLE] = self._variant
        try:
            yield
        finally:
            if before is None:
                del os.environ[VARIANT_VARIABLE]
            else:
                os.environ[VARIANT_VARIABLE] = before

    def _hands(self) -> object:
        modules = {"reference": "dealing", "cpu": "dealing", "cuda": "cuda"}
        functions = {
            "reference": "deal_hands_reference", "cpu": "deal_hands", "cuda": "deal_hands",
        }  # fmt: skip
        try:
            module = importlib.import_module(f"bidcascade.kernels.{modules[self._backend_name]}")
        except ImportError:
            return None
        return getattr(module, functions[self._backend_name], None)

    def hands(self, count: int, seed: int) -> U64:
        deal = self._hands()
        assert callable(deal)
        if self.name == "reference":
            return np.array([deal(seed, number) for number in range(count)], np.uint64).T.copy()
        hands: U64 = deal(seed, 0, count)
        return hands

    def timings(self) -> "AbstractContextManager[list[Timing]] | None":
        device = self._device()
        return None if device is None else device.timings()

    def ceilings(self) -> Ceilings | None:
        """What the device can do at most, measured now."""
        from benchmarks.gpu.ceilings import measure_ceilings

        device = self._device()
        return None if device is None else measure_ceilings(device)

    def _device(self) -> "Device | None":
        if self._backend_name != "cuda":
            return None
        device: Device = self._backend.device()
        return device


def make(name: str) -> Engine:
    """Make the engine of a backend."""
    return KernelEngine(name)
