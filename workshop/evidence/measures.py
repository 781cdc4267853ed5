"""What is counted of the hands that made a call, and which of it follows from which.

A number term becomes a *lane*: the count of hands at each of its values, an exact histogram. From a
lane of ``HCP`` every ``HCP >= 15``, ``HCP == 12``, ``15 <= HCP <= 17`` is read off; only
expressions that are no interval of one lane are counted as bits, one counter each.
"""

from collections.abc import Iterable, Sequence
from functools import cache, cached_property, reduce
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import InvalidExpression
from bidcascade.kernels import DealArrays, terms
from bidcascade.kernels.dealing import deal_hands
from bidcascade.kernels.packing.intervals import both
from bidcascade.kernels.packing.literals import Interval, literals_of, term_names_in
from bidcascade.kernels.terms import all_lengths, length
from bidcascade.kernels.types import U64
from bidcascade.table.language.criteria import is_satisfiable
from bidcascade.table.language.expressions import Not, TermName, parse_expression
from bidcascade.table.language.lowering import tree_of
from bidcascade.table.language.term_catalogue import FAMILIES
from bidcascade.table.language.vocabulary import Vocabulary
from bidcascade.table.real_calls import expression_rows
from bidcascade.table.term_values import term_values

_SUITS: Final = "CDHS"

DEFAULT_LANES: Final = (
    "HCP", "Total_Points", *(f"SL_{suit}" for suit in _SUITS),
    "QT", "Losers", "Controls", "Longest_Suit",
)  # fmt: skip
"""Number terms whose bounds are learned unless others are asked for."""

_QUALITIES: Final = (
    "Biddable", "Rebiddable", "Twice_Rebiddable", "Strong_Rebiddable", "Solid",
    "Partial_Stopper", "Likely_Stopper", "Stopper", "Two_Stoppers",
)  # fmt: skip
DEFAULT_FLAGS: Final = ("Balanced", *(f"{stem}_{suit}" for stem in _QUALITIES for suit in _SUITS))
"""Truth values whose rates are learned unless others are asked for."""

WIDEST_LANE: Final = 256
"""Values that a lane may have."""

GRID_NUMBERS: Final = ("HCP", "Total_Points", "SL_C", "SL_D", "SL_H", "SL_S")
"""Terms compared with every number."""

GRID_STEMS: Final = (
    "Balanced",
    *_QUALITIES,
    "At_Best_Partial_Stopper",
    "At_Best_Likely_Stopper",
    "At_Best_Stopper",
)
"""Families of truth values that stand on their own."""


def expression_grid(vocabulary: Vocabulary) -> tuple[str, ...]:
    """Every comparison of the grid's numbers that some hands pass and some do not, then its truths.

    It follows the published list of 349 expressions of GIB's announcements, and is complete where
    that has gaps.
    """
    grid = []
    for name in GRID_NUMBERS:
        low, high = vocabulary.range(name)
        grid += [f"{name} >= {number}" for number in range(low + 1, high + 1)]
        grid += [f"{name} <= {number}" for number in range(low, high)]
        grid += [f"{name} == {number}" for number in range(low, high + 1)]
    families = {family.stem: family.names for family in FAMILIES}
    return (*grid, *(name for stem in GRID_STEMS for name in families[stem]))


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


class Measures(NamedTuple):
    """Which lanes and bits are counted, and where each expression is read off."""

    vocabulary: Vocabulary
    lanes: tuple[Lane, ...]
    flags: tuple[str, ...]  # truth values whose rates are wanted
    bits: tuple[str, ...]  # expressions that have a counter, the flags among them
    expressions: tuple[str, ...]  # what rules are made of, canonical texts
    sources: tuple[LaneRange | int, ...]  # for each of these its range, or the number of its bit

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
    distinct = tuple(dict.fromkeys(flags))
    bits = {name: number for number, name in enumerate(distinct)}
    sources: dict[str, LaneRange | int] = {}
    for text in expressions:
        expression = parse_expression(text)
        canonical = str(expression)
        if isinstance(expression, TermName) and vocabulary.is_tag(expression.name):
            continue
        if canonical not in sources:
            found = _lane_range(canonical, vocabulary, counted)
            sources[canonical] = found or bits.setdefault(canonical, len(bits))
    return Measures(
        vocabulary, tuple(counted), distinct, tuple(bits), tuple(sources), tuple(sources.values())
    )


def _lane_range(text: str, vocabulary: Vocabulary, lanes: Sequence[Lane]) -> LaneRange | None:
    """Range of a lane that an expression asks for, or None if it is no such thing."""
    literals = literals_of(tree_of(parse_expression(text), vocabulary))
    if isinstance(literals, bool) or not literals:
        return None
    if not all(isinstance(one, Interval) and len(one.form) == 1 for one in literals):
        return None
    intervals = [one for one in literals if isinstance(one, Interval)]
    if len({one.form[0] for one in intervals}) > 1:
        return None
    name, factor = intervals[0].form[0]
    for number, lane in enumerate(lanes):
        if lane.name == name and factor == 1:
            ends = ((one.low, one.high) for one in intervals)
            return LaneRange(number, *reduce(both, ends, (lane.low, lane.high)))
    return None


# --- which expression follows from which ---------------------------------------------------------

_SAMPLE: Final = 8192
_SEED: Final = 41
_LENGTHS: Final = "lengths"


class Implications:
    """Says of the expressions of some measures which follow from which: HCP >= 15 from HCP >= 17.

    Four ways, the cheap ones first. Ranges of one lane are compared. A sample of hands has every
    shape and every holding of each suit, so it settles all pairs that ask for lengths alone or for
    one suit alone; of the others it rules out almost all. What is left is asked of the analysis of
    criteria, which says of "the one without the other" whether some hand fits. It proves what it
    says; what it cannot prove does not follow.
    """

    def __init__(self, measures: Measures) -> None:
        self._measures = measures
        self.follows = cache(self._follows)
        """Whether every hand with the first expression has the second, as far as proved."""

    @cached_property
    def _sample(self) -> U64:
        """Bits of all expressions on a sample of hands, uint64[expressions, words]."""
        hands = sample_hands()
        every = np.arange(hands.shape[1])
        deals = DealArrays(hands, (every % 4).astype(np.uint8), (every // 4 % 4).astype(np.uint8))
        texts = self._measures.expressions
        rows = expression_rows(texts, deals, self._measures.vocabulary)
        bits = np.unpackbits(rows.view(np.uint8), axis=1, count=len(texts), bitorder="little")
        packed = np.ascontiguousarray(np.packbits(bits.T, axis=1, bitorder="little"))
        return np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8))).view(np.uint64)

    @cached_property
    def _read_alone(self) -> list[frozenset[str]]:
        measures = self._measures
        return [read_alone(text, measures.vocabulary) for text in measures.expressions]

    def _follows(self, one: int, other: int) -> bool:
        left, right = self._measures.sources[one], self._measures.sources[other]
        if isinstance(left, LaneRange) and isinstance(right, LaneRange) and left[0] == right[0]:
            return right.low <= left.low and left.high <= right.high
        if (self._sample[one] & ~self._sample[other]).any():
            return False
        if self._read_alone[one] & self._read_alone[other]:
            return True
        texts = self._measures.expressions
        only = [parse_expression(texts[one]), Not(parse_expression(texts[other]))]
        return is_satisfiable(only, self._measures.vocabulary) is not None

    def some_hand_fits(self, numbers: Sequence[int]) -> bool:
        """Whether a hand of the sample has all of some expressions."""
        return bool(np.bitwise_and.reduce(self._sample[list(numbers)], axis=0).any())


def read_alone(text: str, vocabulary: Vocabulary) -> frozenset[str]:
    """Name what alone decides an expression: ``lengths``, one suit's letter, both, or nothing."""
    found = {_LENGTHS, *_SUITS}
    for name in term_names_in(tree_of(parse_expression(text), vocabulary)):
        term = terms(vocabulary.profile)[name]
        if term.by_context is not None:
            return frozenset()
        suits = {suit for suit, part in zip(_SUITS, term.by_suit, strict=True) if part is not None}
        if not all(part in (None, length) for part in term.by_suit):
            found.discard(_LENGTHS)
        found &= (
            {_LENGTHS} if term.by_lengths is not None or len(suits) != 1 else {_LENGTHS, *suits}
        )
    return frozenset(found)


@cache
def sample_hands() -> U64:
    """Hands with every shape and every holding of each suit, and random ones, uint64[4, n]."""
    every = 1 << 13
    chance = np.random.default_rng(_SEED)
    held = np.zeros((4 * every + 560, 52), np.bool_)
    places = chance.random((4 * every, 52))
    suits, ranks = np.divmod(np.arange(52), 13)
    holding = (np.arange(every)[:, None] >> ranks & 1).astype(np.bool_)
    for suit in range(4):
        # the holding comes first, the suit's other cards last, the rest is chance between
        own = np.where(suits == suit, np.where(holding, -2, 2), 0)
        places[suit * every : (suit + 1) * every] += own
    chosen = np.argsort(places, axis=1)[:, :13]
    held[np.arange(4 * every)[:, None], chosen] = True
    for number, lengths in enumerate(all_lengths()):
        for suit, cards in enumerate(lengths):
            held[4 * every + number, 13 * suit : 13 * suit + cards] = True
    packed: U64 = (held.astype(np.uint64) << np.arange(52, dtype=np.uint64)).sum(
        axis=1, dtype=np.uint64
    )
    return np.concatenate([packed.reshape(4, -1), deal_hands(_SEED, 0, _SAMPLE)], axis=1)
