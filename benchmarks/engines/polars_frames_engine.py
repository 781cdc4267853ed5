"""Engine ``polars-frames``: the cascade as expressions over frames, a thousand entries a query.

The usual way to write it: one lazy ``select`` makes the columns of up to 1,000 entries from their
parents' columns and those of the distinct criteria lists (made once, when first needed), a ``sum``
gives the counts, and columns are freed depth first. Entries below one that no deal reaches are
left out. polars spreads each query over the cores.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from bidcascade.kernels import DealArrays, EntryLists, FirstAuctions, Plan
from bidcascade.kernels.types import U64

from .choice import Engine
from .column_walk import Trie
from .polars_engine import PolarsEngine, deal_frame, expression_query

_BATCH = 1_000
_ONLY_COUNTS = "polars-frames only counts; polars does the rest"


class _Cascade:
    """One block of deals."""

    def __init__(self, plan: Plan, deals: DealArrays) -> None:
        self._plan, self._trie = plan, Trie.of(plan)
        self._expressions = expression_query(plan, deal_frame(deals), by_call=True).collect()
        self._criteria: dict[str, pl.Series] = {}
        self._everyone = pl.DataFrame({"": pl.repeat(value=True, n=len(deals), eager=True)})

    def counts(self) -> U64:
        counts = np.zeros(self._plan.node_count, np.uint64)
        roots = [(entry, "") for entry in range(self._trie.root_count)]
        # batches of (entry, name of the parent's column) with the frame above them
        stack = [(roots, self._everyone, 0)]
        while stack:
            batch, above, depth = stack.pop()
            frame = self._columns(batch, above, depth)
            sums = frame.sum().row(0)
            alive = []
            for (entry, _), count in zip(batch, sums, strict=True):
                counts[entry] = count
                if count and self._trie.child_count[entry]:
                    alive.append(entry)
            stack += [
                (part, frame.select(list(dict.fromkeys(parent for _, parent in part))), depth + 1)
                for part in self._batches(alive)
            ]
        return counts

    def _batches(self, parents: Sequence[int]) -> Iterator[list[tuple[int, str]]]:
        below = [
            (child, str(parent))
            for parent in parents
            for child in range(
                self._trie.first_child[parent],
                self._trie.first_child[parent] + self._trie.child_count[parent],
            )
        ]
        for start in range(0, len(below), _BATCH):
            yield below[start : start + _BATCH]

    def _columns(
        self, batch: Sequence[tuple[int, str]], above: pl.DataFrame, depth: int
    ) -> pl.DataFrame:
        seat = depth & 3
        lists = [self._trie.criteria[entry] for entry, _ in batch]
        self._make_criteria(dict.fromkeys(number for number in lists if number >= 0), seat)
        names = dict.fromkeys(f"criteria {number}.{seat}" for number in lists if number >= 0)
        source = above.with_columns(self._criteria[name] for name in names)
        return (
            source.lazy()
            .select(
                (
                    pl.col(parent)
                    if number < 0
                    else pl.col(parent) & pl.col(f"criteria {number}.{seat}")
                ).alias(str(entry))
                for (entry, parent), number in zip(batch, lists, strict=True)
            )
            .collect()
        )

    def _make_criteria(self, numbers: dict[int, None], seat: int) -> None:
        missing = [
            number for number in numbers if f"criteria {number}.{seat}" not in self._criteria
        ]
        if not missing:
            return
        made = self._expressions.lazy().select(
            pl.all_horizontal(
                [pl.col(f"{expression}.{seat}") for expression in self._plan.criteria[number]]
                or [pl.repeat(value=True, n=pl.len())]
            ).alias(f"criteria {number}.{seat}")
            for number in missing
        )
        self._criteria.update((column.name, column) for column in made.collect())


class PolarsFramesEngine(PolarsEngine):
    """Frames of boolean columns."""

    name = "polars-frames"
    block = 1 << 18

    @property
    def step(self) -> int:
        # one block after the other: polars has threads of its own
        return self.block

    def counts(self, plan: Plan, deals: DealArrays) -> U64:
        total = np.zeros(plan.node_count, np.uint64)
        for start in range(0, len(deals), self.block):
            block = deals.slice(start, min(start + self.block, len(deals)))
            total += _Cascade(plan, block).counts()
        return total

    def why_unavailable(self, operation: str) -> str | None:
        return None if operation == "counts" else _ONLY_COUNTS

    def entry_lists(self, plan: Plan, deals: DealArrays) -> Iterator[EntryLists]:
        raise ValueError(_ONLY_COUNTS)

    def first(self, plan: Plan, deals: DealArrays) -> FirstAuctions:
        raise ValueError(_ONLY_COUNTS)

    def evaluate(self, plan: Plan, deals: DealArrays) -> pl.DataFrame:
        raise ValueError(_ONLY_COUNTS)


def make(name: str) -> Engine:
    """Make the engine."""
    return PolarsFramesEngine()
