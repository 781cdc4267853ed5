"""What is known about one hand: the set of cells (shape, HCP) it may lie in.

A set is a Python int over the layout of :mod:`.cells`; so knowledge is joined by ``&`` and the
hands that would have made an earlier call go away by ``& ~must``. Every expression has two sets:
the cells where *some* hand satisfies it (``can``) and those where *every* hand does (``must``).

Exact are: all tests of shape and HCP together (``Balanced``, ``SL_S > SL_H``, ``HCP + SL_S >= 15``,
``Support_Points_H >= 10``), all tests within one suit (``Top3_S >= 2 and not Stopper_S``), their
conjunctions over several suits, and one-sided bounds of any linear form (``Losers <= 7``). For a
form bounded from both sides, or several that hold at once, ``can`` may be a few cells too large and
``must`` a few too small; never the other way.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.lowering import (
    UNBOUNDED,
    Interval,
    LinearForm,
    Tree,
    lower,
    term_names_in,
    to_tree,
)
from bidcascade.table.language.expression_tree import And, Expression, Not, Or
from bidcascade.table.language.expressions import to_postfix
from bidcascade.table.language.vocabulary import Vocabulary

from .cells import (
    EVERYTHING,
    F64,
    HANDS,
    LENGTHS,
    POINTS,
    POSSIBLE,
    SHAPES,
    Flags,
    count_hands,
    proportion_between,
    reach,
    term_tables,
    to_cells,
    to_flags,
)

__all__ = [
    "EVERYTHING", "Bounds", "Hull", "bounds", "hull", "length_histogram", "points_histogram",
    "proportion", "share", "share_of", "term_range",
]  # fmt: skip

I64 = NDArray[np.int64]

_SUITS: Final = "CDHS"
_HOLDINGS: Final = 1 << 13
_ALL_HOLDINGS: Final = (1 << _HOLDINGS) - 1
_ALL_HANDS: Final = float(HANDS.sum())


class Bounds(NamedTuple):
    """Cells where some hand, and cells where every hand, satisfies an expression.

    Examples
    --------
    >>> from bidcascade.table.language.expressions import parse_expression
    >>> losers = bounds(parse_expression("Losers <= 3"), Vocabulary())
    >>> hull(losers.can).points, round(share(losers.must), 6)
    ((5, 37), 0.000332)
    """

    can: int
    must: int


class Hull(NamedTuple):
    """Smallest and largest HCP and length of each suit (C, D, H, S) in a set of cells."""

    points: tuple[int, int]
    lengths: tuple[tuple[int, int], tuple[int, int], tuple[int, int], tuple[int, int]]


# --- sets of cells: hull, shares -----------------------------------------------------------------


_WITH_POINTS: Final = tuple(
    to_cells(np.broadcast_to(np.arange(POINTS) == points, (SHAPES, POINTS)))
    for points in range(POINTS)
)
_WITH_LENGTH: Final = tuple(
    tuple(
        to_cells(np.broadcast_to(LENGTHS[:, suit, np.newaxis] == cards, (SHAPES, POINTS)))
        for cards in range(14)
    )
    for suit in range(4)
)


def _span(cells: int, masks: tuple[int, ...]) -> tuple[int, int]:
    low = next(value for value, mask in enumerate(masks) if cells & mask)
    high = next(value for value in range(len(masks) - 1, -1, -1) if cells & masks[value])
    return low, high


@lru_cache(maxsize=4096)
def hull(cells: int) -> Hull:
    """Smallest and largest HCP and lengths in a set of cells.

    Raises
    ------
    ValueError
        If the set is empty.

    Examples
    --------
    >>> hull(EVERYTHING).points
    (0, 37)
    """
    if not cells:
        raise ValueError("expected a set with at least one cell, got the empty set")
    clubs, diamonds, hearts, spades = (_span(cells, masks) for masks in _WITH_LENGTH)
    return Hull(_span(cells, _WITH_POINTS), (clubs, diamonds, hearts, spades))


def share(cells: int, given: int = EVERYTHING) -> float:
    """Share of the hands of ``given`` that lie in ``cells``; 0 where ``given`` is empty.

    Examples
    --------
    >>> from bidcascade.table.language.expressions import parse_expression
    >>> strong = bounds(parse_expression("HCP >= 15 and HCP <= 17"), Vocabulary()).must
    >>> round(share(strong), 4)
    0.101
    """
    whole = _ALL_HANDS if given == EVERYTHING else float(HANDS[to_flags(given)].sum())
    return float(HANDS[to_flags(cells & given)].sum()) / whole if whole else 0.0


def points_histogram(cells: int) -> tuple[int, ...]:
    """Exact number of hands with 0, 1, … 37 HCP in a set of cells.

    Examples
    --------
    >>> sum(points_histogram(EVERYTHING)), points_histogram(EVERYTHING)[37]
    (635013559600, 4)
    """
    return tuple(int(hands) for hands in (HANDS * to_flags(cells)).sum(axis=0))


def length_histogram(cells: int, suit: str) -> tuple[int, ...]:
    """Exact number of hands with 0, 1, … 13 cards of a suit (a letter of CDHS) in a set of cells.

    Examples
    --------
    >>> length_histogram(EVERYTHING, "S")[13]
    1
    """
    hands = (HANDS * to_flags(cells)).sum(axis=1)
    cards = LENGTHS[:, _SUITS.index(suit)]
    return tuple(int(hands[cards == length].sum()) for length in range(14))


def term_range(cells: int, name: str, vocabulary: Vocabulary) -> tuple[int, int]:
    """Smallest and largest value of a term in a set of cells, in the kernels' unit.

    Exact for every kernel term (``QT`` counts halves); a user's formula that is not linear gets
    the bounds it has over all hands.

    Raises
    ------
    ValueError
        If the set is empty.
    UnknownTerm, InvalidExpression
        If the vocabulary lacks the term, or it is a tag.

    Examples
    --------
    >>> from bidcascade.table.language.expressions import parse_expression
    >>> vocabulary = Vocabulary()
    >>> weak = bounds(parse_expression("HCP <= 5"), vocabulary).can
    >>> term_range(weak, "Aces", vocabulary)
    (0, 1)
    """
    if not cells:
        raise ValueError(f"expected a set with at least one cell for {name!r}, got the empty set")
    return _term_range(cells, name, _Key(vocabulary))


# --- expressions to trees ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Key:
    """A vocabulary as a key of caches: the profile and the user's terms decide all meanings."""

    vocabulary: Vocabulary = field(compare=False)
    profile: str = field(init=False)
    user_terms: frozenset[tuple[str, str]] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "profile", self.vocabulary.profile)
        object.__setattr__(self, "user_terms", frozenset(self.vocabulary.user_terms.items()))


@lru_cache(maxsize=1 << 13)
def _term_range(cells: int, name: str, key: _Key) -> tuple[int, int]:
    lowered = key.vocabulary.lowered_term(name)
    form, constant = _linear_form(to_tree(lowered.code))
    if form is None:
        return lowered.low, lowered.high
    values = reach(form, key.profile)
    flags = to_flags(cells)
    return int(values.low[flags].min()) + constant, int(values.high[flags].max()) + constant


def _linear_form(tree: Tree) -> tuple[LinearForm | None, int]:
    """Linear form and constant of a tree's value; (None, 0) if it is not linear."""
    coefficients: dict[str, int] = {}
    constant = 0
    waiting = [(tree, 1)]
    while waiting:
        part, sign = waiting.pop()
        match part:
            case ("int", value):
                constant += sign * value
            case ("term", name):
                coefficients[name] = coefficients.get(name, 0) + sign
            case ("+", left, right):
                waiting += ((left, sign), (right, sign))
            case ("-", left, right):
                waiting += ((left, sign), (right, -sign))
            case ("neg", operand):
                waiting.append((operand, -sign))
            case ("*", ("int", value), operand) | ("*", operand, ("int", value)):
                waiting.append((operand, sign * value))
            case _:
                return None, 0
    return tuple(
        sorted((name, factor) for name, factor in coefficients.items() if factor)
    ), constant


def _tree(expression: Expression, key: _Key) -> Tree:
    """Tree of kernel terms, with ``and`` and ``or`` of any number of operands."""
    match expression:
        case And(operands):
            return ("and", *(_tree(operand, key) for operand in operands))
        case Or(operands):
            return ("or", *(_tree(operand, key) for operand in operands))
        case Not(operand):
            return ("not", _tree(operand, key))
        case _:
            return _atom_tree(expression, key)


@lru_cache(maxsize=1 << 13)
def _atom_tree(expression: Expression, key: _Key) -> Tree:
    return to_tree(to_postfix(expression, key.vocabulary))


# --- what decides a tree: the cell, one suit, the context, or more -------------------------------


@lru_cache(maxsize=1024)
def _place(name: str, profile: str) -> str:
    """Say what a term depends on: ``cell``, a suit's letter, ``context`` or ``hand``."""
    tables = term_tables(name, profile)
    suits = [suit for suit in range(4) if tables.suits[suit].any()]
    lengths, contexts = bool(tables.lengths.any()), bool(np.ptp(tables.contexts))
    if contexts:
        return "hand" if suits or lengths else "context"
    if reach(((name, 1),), profile).fixed:
        return "cell"
    return _SUITS[suits[0]] if len(suits) == 1 and not lengths else "hand"


def _suit_of(name: str, profile: str) -> str | None:
    """Letter of the suit that alone decides a term (lengths too, unlike ``_place``)."""
    tables = term_tables(name, profile)
    suits = [suit for suit in range(4) if tables.suits[suit].any()]
    alone = len(suits) == 1 and not tables.lengths.any() and not np.ptp(tables.contexts)
    return _SUITS[suits[0]] if alone else None


@lru_cache(maxsize=1 << 13)
def _decided_by(tree: Tree, profile: str) -> str:
    names = term_names_in(tree)
    places = {_place(name, profile) for name in names}
    if places <= {"cell"}:
        return "cell"
    if places == {"context"}:
        return "context"
    suits = {_suit_of(name, profile) for name in names}
    if len(suits) == 1 and None not in suits:
        return str(suits.pop())
    return "hand"


def _values(tree: Tree, look_up: Callable[[str], I64], like: I64) -> I64:
    """Evaluate a tree on arrays of term values."""
    operator = tree[0]
    if operator == "int":
        return np.full_like(like, tree[1])
    if operator == "term":
        return look_up(tree[1])
    parts = [_values(operand, look_up, like) for operand in tree[1:]]
    result: I64
    match operator:
        case "and":
            result = np.logical_and.reduce(parts).astype(np.int64)
        case "or":
            result = np.logical_or.reduce(parts).astype(np.int64)
        case "not":
            result = (parts[0] == 0).astype(np.int64)
        case "neg":
            result = -parts[0]
        case _:
            result = np.asarray(_OPERATIONS[operator](*parts), dtype=np.int64)
    return result


_OPERATIONS: Final[dict[str, np.ufunc]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "<": np.less, "<=": np.less_equal,
    "==": np.equal, "!=": np.not_equal, ">=": np.greater_equal, ">": np.greater,
}  # fmt: skip


@lru_cache(maxsize=4096)
def _cells_of(tree: Tree, profile: str) -> int:
    """Cells where a tree holds that shape and HCP decide."""

    def look_up(name: str) -> I64:
        return reach(((name, 1),), profile).low

    return to_cells(_values(tree, look_up, np.zeros((SHAPES, POINTS), np.int64)) != 0)


@lru_cache(maxsize=4096)
def _holdings_of(tree: Tree, suit: str, profile: str) -> int:
    """Find the holdings of a suit, a set of 8,192 as an int, where a tree of it alone holds."""

    def look_up(name: str) -> I64:
        values: I64 = term_tables(name, profile).suits[_SUITS.index(suit)].astype(np.int64)
        return values

    flags = _values(tree, look_up, np.zeros(_HOLDINGS, np.int64)) != 0
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def _contexts_of(tree: Tree, profile: str) -> Flags:
    """Which of the 16 contexts satisfy a tree that they alone decide."""

    def look_up(name: str) -> I64:
        return term_tables(name, profile).contexts.astype(np.int64)

    return np.asarray(_values(tree, look_up, np.zeros(16, np.int64)) != 0, dtype=np.bool_)


# --- conjunctions --------------------------------------------------------------------------------


@dataclass(slots=True)
class _Conjunction:
    """Parts that must hold together, sorted by what decides them."""

    cells: int = EVERYTHING
    holdings: dict[str, int] = field(default_factory=dict)
    intervals: dict[LinearForm, tuple[int, int]] = field(default_factory=dict)
    gaps: list[tuple[LinearForm, int, int]] = field(default_factory=list)
    disjunctions: list["_Conjunction"] = field(default_factory=list)
    """Each the conjunction of the denied alternatives."""
    chance: float = 1.0
    """Share of the 16 contexts that satisfy what is asked of seat and vulnerability."""
    unknown: int = 0
    """Parts that are not understood (products of terms over several suits)."""


def _conjunction(tree: Tree, profile: str, *, positive: bool) -> _Conjunction:
    found = _Conjunction()
    waiting = [(tree, positive)]
    while waiting:
        part, wanted = waiting.pop()
        operator = part[0]
        place = _decided_by(part, profile)
        if place == "cell":
            inside = _cells_of(part, profile)
            found.cells &= inside if wanted else ~inside
        elif place in _SUITS:
            inside = _holdings_of(part, place, profile)
            allowed = found.holdings.get(place, _ALL_HOLDINGS)
            found.holdings[place] = allowed & (inside if wanted else ~inside)
        elif place == "context":
            share_of_contexts = float(_contexts_of(part, profile).mean())
            found.chance *= share_of_contexts if wanted else 1 - share_of_contexts
        elif operator == "not":
            waiting.append((part[1], not wanted))
        elif operator in ("and", "or") and (operator == "and") == wanted:
            waiting += ((operand, wanted) for operand in part[1:])
        elif operator in ("and", "or"):
            found.disjunctions.append(_conjunction(part, profile, positive=not wanted))
        else:
            _add_comparison(found, part, wanted=wanted)
    return found


def _add_comparison(found: _Conjunction, tree: Tree, *, wanted: bool) -> None:
    literals = lower(tree, positive=wanted)
    if isinstance(literals, bool):
        found.cells &= EVERYTHING if literals else 0
        return
    for literal in literals:
        if isinstance(literal, Interval):
            low, high = found.intervals.get(literal.form, (-UNBOUNDED, UNBOUNDED))
            found.intervals[literal.form] = (max(low, literal.low), min(high, literal.high))
        elif literal.tree[0] == "interval" and not literal.positive:
            _, form, low, high = literal.tree
            found.gaps.append((form, low, high))
        else:
            found.unknown += 1


def _allowed_flags(holdings: dict[str, int]) -> Flags:
    allowed = np.ones((4, _HOLDINGS), np.bool_)
    for suit, mask in holdings.items():
        packed = np.frombuffer(mask.to_bytes(_HOLDINGS // 8, "little"), np.uint8)
        allowed[_SUITS.index(suit)] = np.unpackbits(packed, bitorder="little")
    return allowed


@lru_cache(maxsize=4096)
def _bounds_of_holdings(holdings: tuple[tuple[str, int], ...]) -> Bounds:
    hands = count_hands(_allowed_flags(dict(holdings)))
    return Bounds(to_cells(hands > 0), to_cells(hands == HANDS))


@lru_cache(maxsize=4096)
def _bounds_of_interval(form: LinearForm, low: int, high: int, profile: str) -> Bounds:
    values = reach(form, profile)
    return Bounds(
        to_cells((values.low <= high) & (values.high >= low)),
        to_cells((values.low >= low) & (values.high <= high)),
    )


def _bounds_of(found: _Conjunction, profile: str) -> Bounds:
    can = must = found.cells
    parts = [
        _bounds_of_interval(form, low, high, profile)
        for form, (low, high) in found.intervals.items()
    ]
    if found.holdings:
        parts.append(_bounds_of_holdings(tuple(sorted(found.holdings.items()))))
    for form, low, high in found.gaps:
        inside = _bounds_of_interval(form, low, high, profile)
        parts.append(Bounds(EVERYTHING & ~inside.must, EVERYTHING & ~inside.can))
    for denied in found.disjunctions:
        none = _bounds_of(denied, profile)
        parts.append(Bounds(EVERYTHING & ~none.must, EVERYTHING & ~none.can))
    for part in parts:
        can &= part.can
        must &= part.must
    if found.unknown or found.chance < 1:
        must = 0
    return Bounds(can if found.chance else 0, must)


def _proportion_of(found: _Conjunction, profile: str) -> F64:
    result: F64 = to_flags(found.cells).astype(np.float64)
    if found.holdings:
        hands = count_hands(_allowed_flags(found.holdings))
        result *= np.divide(hands, HANDS, out=np.zeros_like(hands), where=POSSIBLE)
    intervals = [(form, low, high) for form, (low, high) in found.intervals.items()]
    for form, low, high in intervals:
        result *= _proportion_of_interval(form, low, high, profile)
    for form, low, high in found.gaps:
        result *= 1 - _proportion_of_interval(form, low, high, profile)
    for denied in found.disjunctions:
        result *= 1 - _proportion_of(denied, profile)
    result *= found.chance * 0.5**found.unknown
    return result


@lru_cache(maxsize=256)
def _proportion_of_interval(form: LinearForm, low: int, high: int, profile: str) -> F64:
    limits = _bounds_of_interval(form, low, high, profile)
    decided = to_flags(limits.must).astype(np.float64)
    if limits.can == limits.must:
        return decided
    exact = proportion_between(form, low, high, profile)
    if exact is not None:
        return exact
    return (decided + to_flags(limits.can)) / 2


# --- what callers ask ----------------------------------------------------------------------------


def bounds(expression: Expression, vocabulary: Vocabulary) -> Bounds:
    """Cells where some hand, and where every hand, satisfies an expression.

    What depends on seat or vulnerability ``can`` hold everywhere and ``must`` nowhere.

    Raises
    ------
    UnknownTerm, InvalidExpression
        As :func:`~bidcascade.table.to_postfix` does.

    Examples
    --------
    >>> from bidcascade.table.language.expressions import parse_expression
    >>> weak_two = parse_expression("HCP >= 5 and HCP <= 10 and SL_S == 6 and Top3_S >= 2")
    >>> can, must = bounds(weak_two, Vocabulary())
    >>> hull(can).lengths[3], hull(can).points
    ((6, 6), (5, 10))
    """
    return _bounds(expression, _Key(vocabulary))


@lru_cache(maxsize=1 << 13)
def _bounds(expression: Expression, key: _Key) -> Bounds:
    return _bounds_of(_conjunction(_tree(expression, key), key.profile, positive=True), key.profile)


def proportion(expression: Expression, vocabulary: Vocabulary) -> F64:
    """Share of each cell's hands that satisfy an expression, float64 [560, 38], read-only.

    Exact for tests of shape and HCP, for conjunctions of tests within single suits, and for one
    linear form; parts of different kinds count as independent within a cell, contexts as equally
    frequent. A part that is not understood counts one half.

    Examples
    --------
    >>> from bidcascade.table.language.expressions import parse_expression
    >>> proportion(parse_expression("Stopper_S"), Vocabulary()).shape
    (560, 38)
    """
    return _proportion(expression, _Key(vocabulary))


@lru_cache(maxsize=256)
def _proportion(expression: Expression, key: _Key) -> F64:
    found = _conjunction(_tree(expression, key), key.profile, positive=True)
    result = _proportion_of(found, key.profile)
    result.setflags(write=False)
    return result


def share_of(expression: Expression, cells: int, vocabulary: Vocabulary) -> float:
    """Share of the hands of a set of cells that satisfy an expression; 0 for the empty set.

    Examples
    --------
    >>> from bidcascade.table.language.expressions import parse_expression
    >>> round(share_of(parse_expression("Aces == 0"), EVERYTHING, Vocabulary()), 4)
    0.3038
    """
    flags = to_flags(cells)
    whole = float(HANDS[flags].sum())
    if not whole:
        return 0.0
    hands = HANDS[flags] * proportion(expression, vocabulary)[flags]
    return float(hands.sum()) / whole
