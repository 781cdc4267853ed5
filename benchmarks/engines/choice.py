"""What an engine is, and which there are."""

import importlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, cast

from bidcascade.kernels import BitColumns, DealArrays, EntryLists, FirstAuctions, Plan, cuda
from bidcascade.kernels.types import U64

if TYPE_CHECKING:
    from bidcascade.kernels.cuda_device import Timing

ENGINES = (
    "reference", "cpu", "cuda", "lists", "numpy", "polars", "polars-frames", "polars-columns",
    "cudf",
)  # fmt: skip
"""Slowest definition first, then the project's own, a prototype, and the usual ways."""

VARIANTS = cuda.VARIANTS
"""Candidates for counts on the GPU; engine ``cuda:lists`` is ``cuda`` with one of them."""


class Engine(Protocol):
    """One way to do the work. Every operation starts from hand masks."""

    name: str

    @property
    def step(self) -> int:
        """Time grows linearly by steps of so many deals: a block for every thread."""
        ...

    def why_unavailable(self, operation: str) -> str | None:
        """Say why an operation cannot be measured here, or ``None``."""
        ...

    def prepare(self, plan: Plan) -> None:
        """Do what is done once a table, not once a batch of deals."""
        ...

    def counts(self, plan: Plan, deals: DealArrays) -> U64:
        """Per entry, how many deals reach it."""
        ...

    def entry_lists(self, plan: Plan, deals: DealArrays) -> Iterator[EntryLists]:
        """Per deal, the entries it reaches."""
        ...

    def first(self, plan: Plan, deals: DealArrays) -> FirstAuctions:
        """Per deal, the one auction."""
        ...

    def evaluate(self, plan: Plan, deals: DealArrays) -> Any:
        """Bit columns of all expressions, in the engine's own form."""
        ...

    def bits(self, columns: Any) -> BitColumns:
        """What :meth:`evaluate` returned, as bit columns."""
        ...

    def features(self, plan: Plan, deals: DealArrays) -> U64:
        """Packed words by dealer-relative seat."""
        ...

    def hands(self, count: int, seed: int) -> U64:
        """Random hands."""
        ...

    def timings(self) -> "AbstractContextManager[list[Timing]] | None":
        """Time what the device does inside the block; ``None`` where there is no device."""
        ...


OPERATIONS = ("counts", "entry_lists", "first", "evaluate", "features", "hands")

_MODULES = {
    "reference": "kernel_engine", "cpu": "kernel_engine", "cuda": "kernel_engine",
    "lists": "list_engine", "numpy": "numpy_engine", "polars": "polars_engine",
    "polars-frames": "polars_frames_engine", "polars-columns": "polars_engine",
    "cudf": "cudf_engine",
}  # fmt: skip


class Missing:
    """Stands for an engine that cannot be imported here."""

    step = 1

    def __init__(self, name: str, reason: str) -> None:
        self.name, self._reason = name, reason

    def why_unavailable(self, operation: str) -> str | None:
        """Say what is missing."""
        return self._reason


def get_engine(name: str) -> Engine:
    """Return an engine; one that cannot be imported says so in ``why_unavailable``.

    Raises
    ------
    ValueError
        If there is no engine of that name.
    """
    base, colon, variant = name.partition(":")
    if base not in _MODULES or (colon and (base != "cuda" or variant not in VARIANTS)):
        known = ", ".join((*ENGINES, *(f"cuda:{variant}" for variant in VARIANTS)))
        raise ValueError(f"expected an engine of {known}, got {name!r}")
    try:
        module = importlib.import_module(f".{_MODULES[base]}", __package__)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.startswith(__package__):
            return cast("Engine", Missing(name, "this version has no such engine yet"))
        return cast("Engine", Missing(name, f"{error.name} is not installed"))
    return cast("Engine", module.make(name))
