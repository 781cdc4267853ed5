"""Engines of boolean columns in polars: as good as they can be made, and the published way.

``polars``

* Features and expressions: one lazy query for a block of deals; only the terms and expressions
  that the table uses, once a seat.
* Criteria: each distinct list once a seat, when an entry first asks for it.
* Cascade: ``&`` with the parent's column, then the number of trues; columns are freed with their
  subtree and nothing is done below an entry that no deal reaches.
* Blocks of 131,072 deals: a column is 16 KiB, so the working set stays in the caches (1 M deals in
  one column cost a quarter more per deal); one block a thread.

Single columns are joined as Series, which costs a third of a ``select`` of many expressions.

``polars-columns`` is the published way to do it, with the distinct lists still made only once:
long columns, and one for every entry, reached or not.
"""

import numpy as np
import polars as pl

from bidcascade.kernels import BitColumns, DealArrays, Plan
from bidcascade.kernels.packing.literals import COMPARE
from bidcascade.kernels.types import U32

from .column_engine import ColumnEngine, Columns, atom, holding_tables, packed

_COMPASS = ("north", "east", "south", "west")


def deal_frame(deals: DealArrays) -> pl.DataFrame:
    """Hands by compass seat, and the dealer."""
    columns = dict(zip(_COMPASS, deals.hands, strict=True))
    return pl.DataFrame({**columns, "dealer": deals.dealer})


def expression_query(plan: Plan, frame: pl.DataFrame, *, by_call: bool) -> pl.LazyFrame:
    """Columns ``"expression.seat"`` of all expressions, by dealer-relative or compass seat."""
    atoms = [atom(postfix) for postfix in plan.expressions]
    names = dict.fromkeys(term for term, _, _ in atoms)
    hands = [
        pl.coalesce(
            pl.when(pl.col("dealer") == dealer).then(pl.col(_COMPASS[(dealer + seat) % 4]))
            for dealer in range(4)
        )
        if by_call
        else pl.col(_COMPASS[seat])
        for seat in range(4)
    ]
    holdings = [
        # a factor of two for each suit below: polars shifts by multiplication
        ((hands[seat] // (1 << 13 * suit)) % (1 << 13)).cast(pl.UInt32).alias(f"{suit}.{seat}")
        for seat in range(4)
        for suit in range(4)
    ]
    values = [
        pl.sum_horizontal(
            pl.lit(pl.Series(table)).gather(pl.col(f"{suit}.{seat}"))
            for suit, table in holding_tables(term, plan.profile)
        )
        .cast(pl.UInt8)
        .alias(f"{term}.{seat}")
        for term in names
        for seat in range(4)
    ]
    return (
        frame.lazy()
        .select(holdings)
        .select(values)
        .select(
            COMPARE[comparison](pl.col(f"{term}.{seat}"), bound).alias(f"{number}.{seat}")
            for number, (term, comparison, bound) in enumerate(atoms)
            for seat in range(4)
        )
    )


class _SeriesColumns(Columns):
    def __init__(self, plan: Plan, deals: DealArrays) -> None:
        super().__init__(plan)
        self._expressions = expression_query(plan, deal_frame(deals), by_call=True).collect()

    def everyone(self) -> pl.Series:
        return pl.repeat(value=True, n=self._expressions.height, eager=True)

    def expression(self, number: int, seat: int) -> pl.Series:
        return self._expressions[f"{number}.{seat}"]

    def count(self, column: pl.Series) -> int:
        return int(column.sum())

    def deals(self, column: pl.Series) -> U32:
        return column.arg_true().to_numpy()


class PolarsEngine(ColumnEngine):
    """Boolean columns of a polars frame."""

    name = "polars"
    block = 1 << 17

    def columns(self, plan: Plan, deals: DealArrays) -> Columns:
        return _SeriesColumns(plan, deals)

    def by_deal(self, deals: U32, entries: U32) -> U32:
        pairs = pl.DataFrame({"deal": deals, "entry": entries})
        return pairs.sort("deal", maintain_order=True)["entry"].to_numpy()

    def evaluate(self, plan: Plan, deals: DealArrays) -> pl.DataFrame:
        return expression_query(plan, deal_frame(deals), by_call=False).collect()

    def bits(self, columns: pl.DataFrame) -> BitColumns:
        words = np.array([packed(column.to_numpy()) for column in columns])
        return BitColumns(words.reshape(-1, 4, words.shape[1]), columns.height)


class PolarsColumnsEngine(PolarsEngine):
    """The published way: one boolean column an entry, for every entry, half a million rows long."""

    name = "polars-columns"
    operations = ("counts",)
    otherwise = "polars-columns only counts"
    block = 1 << 19
    prune = False
