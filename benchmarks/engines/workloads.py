"""The work that is measured: which table, which operation, and what an answer is."""

import hashlib
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.tables.seeded import DENSITIES, SMALLEST, expression_plan, named_table, random_deals
from bidcascade.bridge import FULL_DECK
from bidcascade.kernels import DealArrays, EntryLists, Plan

from . import Engine

Answer = dict[str, NDArray[Any]]
"""What an engine answers, as arrays by name."""


@dataclass(frozen=True)
class Workload:
    """One kind of work on one table."""

    name: str
    operation: str
    """Method of the engine that does it."""
    about: str
    table: str | None = None
    """Name in :data:`DENSITIES`; ``None`` where no table is needed."""
    check_deals: int = 20_000
    """Deals on which the engines' answers are compared."""

    @property
    def kind(self) -> str:
        """``counts``, ``all``, ``parquet``, ``first``, ``evaluate``, ``features``, …"""
        return self.name.partition("/")[0]


WORKLOADS = (
    *(
        Workload(
            f"counts/{table}",
            "counts",
            "per entry, how many deals reach it; from hand masks on",
            table,
        )
        for table in DENSITIES
    ),
    *(
        Workload(
            f"all/{table}",
            "entry_lists",
            "per deal, the list of entries it reaches, in chunks",
            table,
            2_000,
        )
        for table in ("selective", "middle")
    ),
    Workload(
        "parquet/selective",
        "entry_lists",
        "the same written to Parquet (deal, entry; zstd)",
        "selective",
        2_000,
    ),
    Workload("first/selective", "first", "each board bid to its one auction", "selective"),
    Workload("first/bushy-dense", "first", "each board bid to its one auction", "bushy-dense"),
    Workload("evaluate", "evaluate", "349 expressions on four hands as bit columns", None),
    Workload("features", "features", "hand masks to packed words", "selective"),
    Workload("deals", "hands", "random deals", None, 1_000),
    Workload("one/selective", "entry_lists", "all auctions of one deal, warm", "selective", 500),
    Workload("one/dense", "entry_lists", "all auctions of one deal, warm", "dense", 500),
)


def find_workloads(names: list[str]) -> list[Workload]:
    """Workloads by name or kind, all of them for no names.

    Raises
    ------
    ValueError
        If a name is of no workload.
    """
    if not names:
        return list(WORKLOADS)
    for name in names:
        if not any(name in (one.name, one.kind) for one in WORKLOADS):
            known = ", ".join(one.name for one in WORKLOADS)
            raise ValueError(f"expected a workload of {known} or the part before /, got {name!r}")
    return [one for one in WORKLOADS if one.name in names or one.kind in names]


@dataclass(frozen=True)
class Inputs:
    """A workload's table, ready for the engines, and its deals."""

    workload: Workload
    plan: Plan
    deals: DealArrays
    seed: int

    @classmethod
    def make(cls, workload: Workload, *, entries: int, deals: int, seed: int) -> "Inputs":
        """Generate them; the same ones for the same arguments."""
        if workload.operation == "hands" or workload.table is None:
            plan = expression_plan()
        else:
            plan = named_table(workload.table, max(entries, SMALLEST), seed=seed).plan()
        return cls(workload, plan, random_deals(deals, seed=seed), seed)

    def only(self, start: int, stop: int) -> "Inputs":
        """The same with some of the deals."""
        return Inputs(self.workload, self.plan, self.deals.slice(start, stop), self.seed)


def run(engine: Engine, inputs: Inputs) -> Any:
    """Do the work once: this is what is timed."""
    plan, deals = inputs.plan, inputs.deals
    kind = inputs.workload.kind
    if kind == "deals":
        return engine.hands(len(deals), inputs.seed)
    if kind == "parquet":
        return _write_parquet(engine.entry_lists(plan, deals))
    if kind in ("all", "one"):
        # chunks are read and dropped, as a consumer does
        return sum(len(lists.entries) for lists in engine.entry_lists(plan, deals))
    return getattr(engine, inputs.workload.operation)(plan, deals)


def _write_parquet(chunks: Iterator[EntryLists]) -> tuple[int, int]:
    """Write entry lists to a folder that is dropped; return pairs and bytes."""
    import polars as pl

    pairs = size = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, lists in enumerate(chunks):
            listed = np.diff(lists.offsets).astype(np.int64)
            numbers = np.arange(lists.first_deal, lists.first_deal + len(listed), dtype=np.uint32)
            file = Path(folder) / f"part-{number:05}.parquet"
            frame = pl.DataFrame({"deal": np.repeat(numbers, listed), "entry": lists.entries})
            frame.write_parquet(file, compression="zstd")
            pairs += frame.height
            size += file.stat().st_size
    return pairs, size


def latencies(engine: Engine, inputs: Inputs, most: int = 200) -> list[float]:
    """Seconds that each of the first deals takes on its own."""
    seconds = []
    for deal in range(min(most, len(inputs.deals))):
        one = inputs.only(deal, deal + 1)
        start = time.perf_counter()
        run(engine, one)
        seconds.append(time.perf_counter() - start)
    return seconds


def digest(engine: Engine, inputs: Inputs, result: Any) -> str:
    """Short mark of a result; equal for engines that agree."""
    kind = inputs.workload.kind
    if kind in ("all", "one"):
        return f"{result} pairs"
    if kind == "parquet":
        return f"{result[0]} pairs"
    if kind == "deals":
        # every engine has deals of its own
        return "valid" if hands_complaint(result) is None else "invalid"
    arrays = _as_arrays(engine, inputs, result)
    mark = hashlib.sha256()
    for name in sorted(arrays):
        mark.update(np.ascontiguousarray(arrays[name]).tobytes())
    return mark.hexdigest()[:16]


def answer(engine: Engine, inputs: Inputs) -> Answer:
    """Do the work and return the whole answer, to compare."""
    if inputs.workload.operation == "entry_lists":
        return _merged(engine.entry_lists(inputs.plan, inputs.deals))
    return _as_arrays(engine, inputs, run(engine, inputs))


def _as_arrays(engine: Engine, inputs: Inputs, result: Any) -> Answer:
    operation = inputs.workload.operation
    if operation == "first":
        return {"entry": result.entry, "passes": result.passes, "defaults": result.defaults}
    if operation == "evaluate":
        return {"words": engine.bits(result).words}
    return {operation: result}


def _merged(chunks: Iterator[EntryLists]) -> Answer:
    parts = list(chunks)
    listed = [np.diff(part.offsets).astype(np.int64) for part in parts]
    sizes = np.concatenate([np.zeros(0, np.int64), *listed])
    entries = np.concatenate([np.zeros(0, np.uint32), *(part.entries for part in parts)])
    return {
        "offsets": np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)]),
        "entries": entries,
    }


def hands_complaint(hands: NDArray[np.uint64]) -> str | None:
    """Say which deal is none, or ``None``: thirteen cards in each of four disjoint hands."""
    wrong = (np.bitwise_count(hands) != 13).any(axis=0)
    wrong |= np.bitwise_or.reduce(hands, axis=0) != np.uint64(FULL_DECK)
    if not wrong.any():
        return None
    deal = int(np.flatnonzero(wrong)[0])
    return f"expected four hands of 13 cards, got {hands[:, deal].tolist()!r} as deal {deal}"
