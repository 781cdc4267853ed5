"""How much of a table holds, and how many tests of criteria decide it: what the work is."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels import DealArrays, FirstAuctions, Plan
from bidcascade.kernels.types import U64

from .engines.column_walk import Columns, first_auctions
from .engines.numpy_engine import NumpyEngine

FIRST_DEALS = 4_096
"""Deals on which the tests of mode ``first`` are counted."""


class _Counting:
    """Columns that count how many deals a test of criteria is made on."""

    def __init__(self, columns: Columns[Any]) -> None:
        self._columns = columns
        self.tests = 0

    def everyone(self) -> Any:
        return self._columns.everyone()

    def criteria(self, number: int, seat: int) -> Any:
        return self._columns.criteria(number, seat)

    def both(self, left: Any, right: Any) -> Any:
        # the walk joins nothing but who is left with who meets an entry's criteria
        self.tests += self._columns.count(left)
        return self._columns.both(left, right)

    def without(self, left: Any, right: Any) -> Any:
        return self._columns.without(left, right)

    def count(self, column: Any) -> int:
        return self._columns.count(column)

    def deals(self, column: Any) -> NDArray[np.uint32]:
        return self._columns.deals(column)


def shape_of(plan: Plan, deals: DealArrays, counts: U64) -> dict[str, float]:
    """Entries, entries that hold and tests a deal, from how many deals reach each entry."""
    count = len(deals)
    above = np.append(counts, np.uint64(count))[plan.parent]
    return {
        "entries": plan.node_count,
        "holding_per_deal": round(float(counts.sum()) / count, 1),
        "tests_per_deal": round(float(above[plan.node_box > 1].sum()) / count, 1),
    }


def first_tests(plan: Plan, deals: DealArrays) -> float:
    """Tests a deal in mode ``first``: each sibling until one holds."""
    some = deals.slice(0, min(len(deals), FIRST_DEALS))
    columns = _Counting(NumpyEngine().columns(plan, some))
    first_auctions(plan, columns, FirstAuctions.empty(len(some)))
    return round(columns.tests / len(some), 1)
