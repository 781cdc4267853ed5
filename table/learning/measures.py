"""What is counted of the hands that made a call: values of terms, and truth values.

A number term becomes a *lane*: the count of hands at each of its values, an exact histogram. From a
lane of ``HCP`` every ``HCP >= 15``, ``HCP == 12``, ``15 <= HCP <= 17`` is read off; only
expressions that are no interval of one lane are counted as bits, one counter each.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import InvalidExpression
from bidcascade.kernels import DealArrays
from bidcascade.kernels.lowering import Interval, lower, to_tree
from bidcascade.table.compass import term_values
from bidcascade.table.language.expressions import Term, parse_expression, to_postfix
from bidcascade.table.language.vocabulary import Vocabulary

_SUITS: Final = "CDHS"

DEFAULT_LANES: Final = (
    "HCP", "Total_Points", *(f"SL_{suit}" for suit in _SUITS),
    "QT", "Losers", "Controls", "Longest_Suit",
)  # fmt: skip
"""Number terms whose bounds are learned unless others are asked for."""

DEFAULT_FLAGS: Final = (
    "Balanced",
    *(
        f"{stem}_{suit}"
        for stem in (
            "Biddable", "Rebiddable", "Twice_Rebiddable", "Strong_Rebiddable", "Solid",
            "Partial_Stopper", "Likely_Stopper", "Stopper", "Two_Stoppers",
        )
        for suit in _SUITS
    ),
)  # fmt: skip
"""Truth values whose rates are learned unless others are asked for."""

WIDEST_LANE: Final = 256
"""Values that a lane may have."""


class Lane(NamedTuple):
    """A term counted value by value; ``first`` is the cell of its smallest value.

    ``scale`` is 2 for terms that the kernels count in halves, else 1.
    """

    name: str
    low: int
    high: int
    scale: int
    first: int

    @property
    def cells(self) -> slice:
        """Cells of the lane's values."""
        return slice(self.first, self.first + self.high - self.low + 1)


class LaneRange(NamedTuple):
    """An expression that holds where a lane's value lies from ``low`` to ``high``."""

    lane: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Measures:
    """Which lanes and bits are counted, and where each expression is read off.

    Parameters
    ----------
    lanes : tuple of Lane
    flags : tuple of str
        Truth values whose rates are wanted.
    bits : tuple of str
        Expressions that have a counter, the flags among them.
    expressions : tuple of str
        Expressions that rules are made of, canonical texts.
    sources : tuple of (LaneRange or int)
        For each of them its range of a lane, or the number of its bit.
    """

    vocabulary: Vocabulary
    lanes: tuple[Lane, ...]
    flags: tuple[str, ...]
    bits: tuple[str, ...]
    expressions: tuple[str, ...]
    sources: tuple[LaneRange | int, ...]

    @property
    def cell_count(self) -> int:
        """Cells of all lanes together."""
        return self.lanes[-1].cells.stop if self.lanes else 0

    def cells_of(self, deals: DealArrays) -> "NDArray[np.uint16]":
        """Cell of each lane's value on each hand, uint16[4 * deals, lanes]; row 4 * deal + seat."""
        cells = np.empty((len(deals), 4, len(self.lanes)), np.uint16)
        for number, lane in enumerate(self.lanes):
            for seat in range(4):
                values = term_values(lane.name, seat, deals, self.vocabulary)
                cells[:, seat, number] = values + (lane.first - lane.low)
        return cells.reshape(4 * len(deals), len(self.lanes))


def make_measures(
    vocabulary: Vocabulary,
    *,
    lanes: Sequence[str] = DEFAULT_LANES,
    flags: Sequence[str] = DEFAULT_FLAGS,
    expressions: Iterable[str] = (),
) -> Measures:
    """Decide what is counted.

    Parameters
    ----------
    vocabulary : Vocabulary
    lanes : sequence of str
        Number terms, the user's own among them.
    flags : sequence of str
        Truth values.
    expressions : iterable of str
        What rules may be made of; tags and expressions that come twice are left out.

    Raises
    ------
    InvalidExpression, UnknownTerm
        If a lane is no number of at most 256 values, a flag no truth value, an expression none.

    Examples
    --------
    >>> measures = make_measures(Vocabulary(), expressions=["12 <= HCP <= 14", "SL_S > SL_H"])
    >>> measures.sources
    (LaneRange(lane=0, low=12, high=14), 37)
    >>> measures.bits[-1]
    'SL_S > SL_H'
    """
    counted: list[Lane] = []
    first = 0
    for name in dict.fromkeys(lanes):
        low, high = vocabulary.range(name)
        if vocabulary.is_boolean(name) or high - low >= WIDEST_LANE:
            raise InvalidExpression(
                f"expected a term with a number of at most {WIDEST_LANE} values as a lane, "
                f"got {name!r}"
            )
        counted.append(Lane(name, low, high, vocabulary.scale(name), first))
        first += high - low + 1
    for name in flags:
        if not vocabulary.is_boolean(name):
            raise InvalidExpression(f"expected a truth value as a flag, got {name!r}")
    numbers = {lane.name: number for number, lane in enumerate(counted)}
    bits: dict[str, None] = dict.fromkeys(flags)
    sources: dict[str, LaneRange | None] = {}
    for text in expressions:
        expression = parse_expression(text)
        if isinstance(expression, Term) and vocabulary.is_tag(expression.name):
            continue
        canonical = str(expression)
        if canonical not in sources:
            sources[canonical] = lane_range(canonical, vocabulary, counted, numbers)
            if sources[canonical] is None:
                bits.setdefault(canonical, None)
    place = {text: number for number, text in enumerate(bits)}
    return Measures(
        vocabulary,
        tuple(counted),
        tuple(dict.fromkeys(flags)),
        tuple(bits),
        tuple(sources),
        tuple(place[text] if found is None else found for text, found in sources.items()),
    )


def lane_range(
    text: str, vocabulary: Vocabulary, lanes: Sequence[Lane], numbers: dict[str, int]
) -> LaneRange | None:
    """Range of a lane that an expression asks for, or None if it is no such thing."""
    literals = lower(to_tree(to_postfix(parse_expression(text), vocabulary)))
    if isinstance(literals, bool):
        return None
    lane: int | None = None
    low, high = -(1 << 40), 1 << 40
    for literal in literals:
        if not isinstance(literal, Interval) or len(literal.form) != 1:
            return None
        name, factor = literal.form[0]
        found = numbers.get(name)
        if found is None or factor != 1 or (lane is not None and lane != found):
            return None
        lane, low, high = found, max(low, literal.low), min(high, literal.high)
    if lane is None:
        return None
    return LaneRange(lane, max(low, lanes[lane].low), min(high, lanes[lane].high))
