"""Rules by lift: what sets the hands of a call apart from those of the other calls at its place.

For a call with ``P`` hands at a place where ``N`` hands made another call, an expression that holds
for ``p`` of the one and ``n`` of the other has

    positive rate  p / P
    negative rate  n / N
    lift           (p / P) / ((p + n) / (P + N))

Lift is that of association rules (Brin, Motwani, Ullman and Tsur 1997): how many times as often
the expression holds where the call is made as at the place on the whole, which is also how many
times as often the call is made where the expression holds.

Rules are meant to be joined by AND. Of two expressions of which one follows from the other only
one is kept, the one with more lift, and with equal lift the one that more hands of the call have:
``HCP >= 15`` makes ``HCP >= 12`` superfluous unless ``HCP >= 12`` tells the call apart better.
"""

from dataclasses import dataclass, fields
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import InvalidInput

from .implication import Implications
from .slots import OTHERS
from .tally import Tally

I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

RULE_SCHEMA: Final = pl.Schema(
    {
        "entry": pl.UInt32(),
        "expression": pl.String(),
        "positive_rate": pl.Float64(),
        "negative_rate": pl.Float64(),
        "lift": pl.Float64(),
        "positives": pl.UInt32(),
        "negatives": pl.UInt32(),
        "hands": pl.UInt32(),
        "others": pl.UInt32(),
    }
)
"""Columns of learned rules: ``positives`` of the call's ``hands``, ``negatives`` of ``others``."""

_BLOCK: Final = 2048


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When an expression is a rule.

    Parameters
    ----------
    others : int
        Fewest hands that made another call at the place.
    positive_rate : float
        Least share of the call's hands for which it holds.
    negative_rate : float
        Largest share of the other hands for which it holds.
    lift : float
        Least lift.
    rules : int
        Most rules of a call, those with most lift.

    Raises
    ------
    InvalidInput
        If a number is out of range.

    Examples
    --------
    >>> Thresholds(positive_rate=1.5)
    Traceback (most recent call last):
    ...
    bidcascade.bridge.errors.InvalidInput: expected a positive rate from 0 to 1, got 1.5
    """

    others: int = 20
    positive_rate: float = 0.98
    negative_rate: float = 0.9
    lift: float = 1.05
    rules: int = 10

    def __post_init__(self) -> None:
        for name in ("positive_rate", "negative_rate"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise InvalidInput(
                    f"expected a {name.replace('_', ' ')} from 0 to 1, got {value!r}"
                )
        if not self.lift >= 0:
            raise InvalidInput(f"expected a lift of at least 0, got {self.lift!r}")
        for name in ("others", "rules"):
            if getattr(self, name) < 1:
                raise InvalidInput(
                    f"expected at least 1 as the number of {name}, got {getattr(self, name)!r}"
                )

    def to_dict(self) -> dict[str, float]:
        """Thresholds as plain values."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def rules_frame(
    tally: Tally, thresholds: Thresholds, implications: Implications | None = None
) -> pl.DataFrame:
    """Rules of the learned entries, by entry and then by lift, largest first.

    Parameters
    ----------
    tally : Tally
        With slots for all other calls of a place.
    thresholds : Thresholds
    implications : Implications, optional
        Of the tally's measures; may serve several tallies.

    Returns
    -------
    polars.DataFrame
        Columns of :data:`RULE_SCHEMA`.
    """
    implications = implications or Implications(tally.measures)
    parts = [pl.DataFrame(schema=RULE_SCHEMA)]
    first = tally.slots.first
    ends = np.append(first[1:], len(tally.slots))
    begin = 0
    while begin < len(first):
        # whole places, about a block of slots at a time
        end = int(np.searchsorted(ends, first[begin] + _BLOCK, side="right"))
        end = max(end, begin + 1)
        parts.append(
            _rules_of_places(tally, first[begin:end], int(ends[end - 1]), thresholds, implications)
        )
        begin = end
    return pl.concat(parts)


def _rules_of_places(
    tally: Tally, first: I64, last: int, thresholds: Thresholds, implications: Implications
) -> pl.DataFrame:
    start = int(first[0])
    held = tally.of_expressions(start, last)
    hands = tally.hands[start:last]
    sizes = np.diff(np.append(first, last))
    there = np.repeat(np.add.reduceat(hands, first - start), sizes)
    held_there = np.repeat(np.add.reduceat(held, first - start, axis=0), sizes, axis=0)
    others = there - hands
    learned = (
        (tally.slots.entry[start:last] != OTHERS) & (others >= thresholds.others) & (hands > 0)
    )
    rows = np.flatnonzero(learned)
    held, held_there = held[rows], held_there[rows]
    hands, others = hands[rows, None], others[rows, None]
    negatives = held_there - held
    positive_rate, negative_rate = held / hands, negatives / others
    with np.errstate(invalid="ignore", divide="ignore"):
        # nothing is rounded but the result: the products are whole numbers below 2**53
        lift = (held * (hands + others)) / (hands * held_there)
    is_rule = (
        (held > 0)
        & (positive_rate >= thresholds.positive_rate)
        & (negative_rate <= thresholds.negative_rate)
        & (lift >= thresholds.lift)
    )
    row, expression = np.nonzero(is_rule)
    if not len(row):
        return pl.DataFrame(schema=RULE_SCHEMA)
    order = np.lexsort((expression, -held[row, expression], -lift[row, expression], row))
    row, expression = row[order], expression[order]
    chosen = _choose(row, expression, thresholds.rules, implications)
    row, expression = row[chosen], expression[chosen]
    texts = pl.Series(tally.measures.expressions, dtype=pl.String)
    return pl.DataFrame(
        {
            "entry": tally.slots.entry[start + rows[row]],
            "expression": texts.gather(expression),
            "positive_rate": positive_rate[row, expression],
            "negative_rate": negative_rate[row, expression],
            "lift": lift[row, expression],
            "positives": held[row, expression].astype(np.uint32),
            "negatives": negatives[row, expression].astype(np.uint32),
            "hands": hands[row, 0].astype(np.uint32),
            "others": others[row, 0].astype(np.uint32),
        },
        schema=RULE_SCHEMA,
    )


def _choose(row: I64, expression: I64, most: int, implications: Implications) -> list[int]:
    """Positions of the rules that stay; candidates come by row, best first."""
    chosen: list[int] = []
    current = -1
    kept: list[int] = []
    for position, (place, number) in enumerate(zip(row.tolist(), expression.tolist(), strict=True)):
        if place != current:
            current, kept = place, []
        if len(kept) < most and not any(implications.comparable(number, one) for one in kept):
            chosen.append(position)
            kept.append(number)
    return chosen
