"""The cascade with whole columns of deals: one conjunction an entry. Needs NumPy only.

What a column is, and how two are joined, the engines ``numpy`` and ``polars`` say; the walks are
the same for both. A column is dropped as soon as the entries below it are done, and nothing below
an entry that no deal reaches is looked at.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels import COMPLETED, FirstAuctions, Plan

C = TypeVar("C")
C_co = TypeVar("C_co", covariant=True)
U32 = NDArray[np.uint32]


class Columns(Protocol[C]):
    """Boolean columns over a block of deals."""

    def everyone(self) -> C:
        """All deals."""
        ...

    def criteria(self, number: int, seat: int) -> C:
        """Deals whose hand at a dealer-relative seat meets criteria list ``number``."""
        ...

    def both(self, left: C, right: C) -> C:
        """Conjunction."""
        ...

    def without(self, left: C, right: C) -> C:
        """Deals of ``left`` that are not in ``right``."""
        ...

    def count(self, column: C) -> int:
        """How many deals a column has."""
        ...

    def deals(self, column: C) -> U32:
        """Numbers of a column's deals, ascending."""
        ...


class Hands(Protocol[C_co]):
    """Expression columns of one seat's hands."""

    def expression(self, number: int) -> C_co:
        """Hands for which an expression holds."""
        ...


class KeptColumns(ABC, Generic[C]):
    """Columns joined by ``&`` and ``~``; what belongs to a seat is worked out once and kept."""

    def __init__(self, plan: Plan, seats: Sequence[Hands[C]]) -> None:
        self._plan = plan
        self._seats = seats
        self._expressions: dict[tuple[int, int], C] = {}
        self._criteria: dict[tuple[int, int], C] = {}

    @abstractmethod
    def everyone(self) -> C:
        """All deals."""

    def _expression(self, number: int, seat: int) -> C:
        key = number, seat
        if key not in self._expressions:
            self._expressions[key] = self._seats[seat].expression(number)
        return self._expressions[key]

    def criteria(self, number: int, seat: int) -> C:
        """Deals whose hand at a dealer-relative seat meets criteria list ``number``."""
        key = number, seat
        if key not in self._criteria:
            column = self.everyone()
            for expression in self._plan.criteria[number]:
                column = self.both(column, self._expression(expression, seat))
            self._criteria[key] = column
        return self._criteria[key]

    def both(self, left: Any, right: Any) -> C:
        """Conjunction."""
        joined: C = left & right
        return joined

    def without(self, left: Any, right: Any) -> C:
        """Deals of ``left`` that are not in ``right``."""
        rest: C = left & ~right
        return rest


@dataclass(frozen=True)
class Trie:
    """The trie as plain lists, which Python reads quicker than arrays."""

    first_child: list[int]
    child_count: list[int]
    criteria: list[int]  # number of the list, -1 for undescribed
    root_count: int

    @classmethod
    def of(cls, plan: Plan) -> "Trie":
        """Read a plan; kept with it."""
        cached = plan.cache.get("column_walk")
        if isinstance(cached, cls):
            return cached
        if plan.undescribed != "allow" or any(len(row) > 1 for row in plan.variant_sets):
            raise ValueError("expected a table without variants that allows undescribed entries")
        criterion = np.array([row[0] if row else -1 for row in plan.variant_sets], np.int64)
        trie = cls(
            plan.first_child.tolist(),
            plan.child_count.tolist(),
            criterion[plan.variant_set].tolist(),
            plan.root_count,
        )
        plan.cache["column_walk"] = trie
        return trie


def reached(trie: Trie, columns: Columns[C], *, prune: bool = True) -> Iterator[tuple[int, int, C]]:
    """Entries that some deal reaches, depth first: entry, number of deals, column.

    Without ``prune`` every entry gets its column, also below those that no deal reaches.
    """
    everyone = columns.everyone()
    # entries still to do at each depth, and the column and count above them
    stack = [(iter(range(trie.root_count)), everyone, columns.count(everyone))]
    while stack:
        entries, above, above_count = stack[-1]
        entry = next(entries, -1)
        if entry < 0:
            stack.pop()
            continue
        number = trie.criteria[entry]
        if number < 0:
            column, count = above, above_count
        else:
            column = columns.both(above, columns.criteria(number, (len(stack) - 1) & 3))
            count = columns.count(column)
        if prune and not count:
            continue
        yield entry, count, column
        children = trie.child_count[entry]
        if children:
            first = trie.first_child[entry]
            stack.append((iter(range(first, first + children)), column, count))


def first_auctions(plan: Plan, columns: Columns[C], out: FirstAuctions, *, start: int = 0) -> None:
    """Mode ``first`` for a block: its auctions go to ``out`` from deal ``start`` on."""
    trie = Trie.of(plan)
    everyone = columns.everyone()
    _first_below(plan, trie, columns, range(trie.root_count), everyone, _Past(), out, start)


@dataclass(frozen=True)
class _Past:
    entry: int = -1
    depth: int = 0
    passes: int = 0
    bids: int = 0


def _first_below(
    plan: Plan, trie: Trie, columns: Columns[C], entries: range, column: C, past: _Past,
    out: FirstAuctions, start: int,
) -> None:  # fmt: skip
    """Let each deal of ``column`` choose among ``entries`` and follow them down."""
    chosen: dict[int, C] = {}
    left = column
    for entry in entries:
        number = trie.criteria[entry]
        holding = (
            left if number < 0
            else columns.both(left, columns.criteria(number, past.depth & 3))
        )  # fmt: skip
        if not columns.count(holding):
            continue
        chosen[entry] = holding
        left = columns.without(left, holding)
        if not columns.count(left):
            break
    undecided = columns.deals(left)
    pass_entry = next((entry for entry in entries if plan.call[entry] == 0), None)
    if len(undecided):
        if pass_entry is None:
            if past.entry >= 0:
                out.entry[start + undecided] = past.entry
            out.passes[start + undecided] = (3 if past.bids else 4) - past.passes
        else:
            out.defaults[start + undecided] += np.uint16(1)
            # theirs is what nobody else's is: who chose the pass, and who had no choice
            for entry, holding in chosen.items():
                if entry != pass_entry:
                    column = columns.without(column, holding)
            chosen[pass_entry] = column
    for entry, holding in chosen.items():
        is_pass = int(plan.call[entry]) == 0
        if plan.flags[entry] & COMPLETED:
            deals = columns.deals(holding)
            out.entry[start + deals] = entry
            out.passes[start + deals] = 0
            continue
        here = _Past(
            entry, past.depth + 1, past.passes + 1 if is_pass else 0, past.bids + (not is_pass)
        )
        first = trie.first_child[entry]
        below = range(first, first + trie.child_count[entry])
        _first_below(plan, trie, columns, below, holding, here, out, start)
