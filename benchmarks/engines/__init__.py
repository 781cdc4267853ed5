"""The engines that are compared: ours, and the same work in numpy, polars and cudf."""

import importlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from bidcascade.kernels import Plan

ENGINES = ("reference", "cpu", "cuda", "numpy", "polars", "polars-columns", "cudf")
"""Slowest definition first, then the project's own, and the usual ways."""

OPERATIONS = ("counts", "entry_lists", "first", "evaluate", "features", "hands")


class Engine:
    """One way to do the work; every operation starts from hand masks.

    An engine has the methods that ``operations`` names: ``counts(plan, deals)``, per entry how many
    deals reach it; ``entry_lists``, per deal the entries it reaches, in chunks; ``first``, per deal
    the one auction; ``evaluate``, columns of all expressions in the engine's own form;
    ``features``, packed words by dealer-relative seat; ``hands(count, seed)``, random hands.
    """

    name: str
    step = 1
    """Time grows linearly by steps of so many deals: a block for every thread."""
    operations: Sequence[str] = OPERATIONS
    otherwise = ""
    """Why it has no others."""

    def why_unavailable(self, operation: str) -> str | None:
        """Say why an operation cannot be measured here, or ``None``."""
        if operation in self.operations:
            return None
        if operation == "hands" and not self.otherwise:
            return f"{self.name} does not deal"
        return self.otherwise or f"{self.name} has no {operation} of its own"

    def prepare(self, plan: Plan) -> None:
        """Do what is done once a table, not once a batch of deals."""

    def bits(self, columns: Any) -> Any:
        """What ``evaluate`` returned, as bit columns."""
        return columns

    def timings(self) -> AbstractContextManager[list[Any]] | None:
        """Time what the device does inside the block; ``None`` where there is no device."""
        return None


_CLASSES = {
    "reference": "kernel_engine.KernelEngine", "cpu": "kernel_engine.KernelEngine",
    "cuda": "kernel_engine.KernelEngine", "numpy": "column_engine.NumpyEngine",
    "polars": "polars_engine.PolarsEngine",
    "polars-columns": "polars_engine.PolarsColumnsEngine", "cudf": "cudf_engine.CudfEngine",
}  # fmt: skip


class Missing(Engine):
    """Stands for an engine that cannot be imported here."""

    operations = ()

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.otherwise = name, reason


def get_engine(name: str) -> Any:
    """Return an engine; one that cannot be imported says so in ``why_unavailable``.

    Raises
    ------
    ValueError
        If there is no engine of that name.
    """
    if name not in _CLASSES:
        raise ValueError(f"expected an engine of {', '.join(ENGINES)}, got {name!r}")
    module, _, kind = _CLASSES[name].partition(".")
    try:
        found = getattr(importlib.import_module(f".{module}", __name__), kind)
    except ModuleNotFoundError as error:
        return Missing(name, f"{error.name} is not installed")
    return found(name) if module == "kernel_engine" else found()
