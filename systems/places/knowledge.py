"""What is known about one hand: the set of cells (shape, HCP) it may lie in.

A *cell* is all hands with the same four lengths (clubs, diamonds, hearts, spades) and the same HCP:
560 exact shapes × 0-37 points. A set of cells is a Python int, bit ``shape * 38 + points``; so
knowledge is joined by ``&`` and the hands that would have made an earlier call go away by
``& ~must``. Every expression has two sets: the cells where *some* hand satisfies it (``can``) and
those where *every* hand does (``must``).

Exact are: all tests of shape and HCP together (``Balanced``, ``SL_S > SL_H``, ``HCP + SL_S >= 15``,
``Support_Points_H >= 10``), all tests within one suit (``Top3_S >= 2 and not Stopper_S``), their
conjunctions over several suits, and one-sided bounds of any linear form (``Losers <= 7``). For a
form bounded from both sides, or several that hold at once, ``can`` may be a few cells too large and
``must`` a few too small; never the other way.

At run time the sets of a system's entries come from the core; :func:`bounds` is the definition of
``kernels/core/hands/knowledge.hpp``, and serves criteria of tables, which no system has.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.packing.intervals import UNBOUNDED, narrow
from bidcascade.kernels.packing.layout import HOLDINGS, evaluate_tree, shape_indices, term_tables
from bidcascade.kernels.packing.literals import (
    Interval,
    LinearForm,
    Tree,
    linear,
    literals_of,
    term_names_in,
)
from bidcascade.kernels.terms import high_card_points
from bidcascade.kernels.types import F64, I64
from bidcascade.table.language.expression_tree import And, Expression, Not, Or
from bidcascade.table.language.lowering import tree_of
from bidcascade.table.language.vocabulary import Vocabulary

SHAPES: Final = 560
POINTS: Final = 38

Flags = NDArray[np.bool_]

_SUITS: Final = "CDHS"
_SUIT_POINTS: Final = 11
_ALL_HOLDINGS: Final = (1 << HOLDINGS) - 1
_ROWS: Final = 14 * _SUIT_POINTS
_WIDEST: Final = 64
"""Values apart that a form may take for its distribution to be worked out."""
_MOST_SETS: Final = 1024
"""Answers that are remembered of each kind; most hold a set of cells, three kilobytes."""
_MOST_FORMS: Final = 128
"""Linear forms whose values are remembered, 340 kB each."""
_MOST_SHARES: Final = 64
"""Shares of all cells that are remembered of each kind, 170 kB each."""

LENGTHS, _SHAPE_POSITIONS = shape_indices()
"""Lengths of the shapes, [560, 4]: clubs, diamonds, hearts, spades; and where each shape stands in
the kernels' tables of 2,744 entries."""

_CARDS: Final = np.bitwise_count(np.arange(HOLDINGS)).astype(np.int64)
# the four highest cards alone count
_HIGH_CARDS: Final = np.array([high_card_points(top << 9) for top in range(16)])[
    np.arange(HOLDINGS) >> 9
]
_ROW: Final = _CARDS * _SUIT_POINTS + _HIGH_CARDS
_BY_ROW: Final = np.argsort(_ROW, kind="stable")
_ROWS_USED, _ROW_STARTS = np.unique(_ROW[_BY_ROW], return_index=True)

_TWO_LENGTHS: Final = [(one, two) for one in range(14) for two in range(14 - one)]
_ONE, _TWO = np.array(_TWO_LENGTHS).T
_PAIR_NUMBER: Final = {pair: number for number, pair in enumerate(_TWO_LENGTHS)}
_MINORS: Final = np.array([_PAIR_NUMBER[int(c), int(d)] for c, d, _, _ in LENGTHS])
_MAJORS: Final = np.array([_PAIR_NUMBER[int(h), int(s)] for _, _, h, s in LENGTHS])


# --- convolutions over the four suits: from functions of single suits to cells -------------------


def _over_cells(suits: Iterable[Any], join: np.ufunc, gather: np.ufunc, nothing: float) -> Any:
    """Gather over the cells, [560, 38], what four suits of [14 lengths * 11 points] give joined."""

    def joined(first: Any, second: Any) -> Any:
        total = np.full((len(first) + len(second) - 1, first.shape[1]), nothing, first.dtype)
        for points, row in enumerate(first):
            part = total[points : points + len(second)]
            gather(part, join(row, second), out=part)
        return total

    clubs, diamonds, hearts, spades = (suit.reshape(14, _SUIT_POINTS).T for suit in suits)
    minors = joined(clubs[:, _ONE], diamonds[:, _TWO])
    majors = joined(hearts[:, _ONE], spades[:, _TWO])
    total = joined(minors[:, _MINORS], majors[:, _MAJORS])
    return np.ascontiguousarray(total[:POINTS].T)


def _count_hands(allowed: Flags) -> F64:
    """Count the hands of each cell whose four holdings, bool [4, 8192], are all allowed; exact."""
    counts = (np.bincount(_ROW[flags], minlength=_ROWS).astype(np.float64) for flags in allowed)
    found: F64 = _over_cells(counts, np.multiply, np.add, 0)
    return found


HANDS: Final = _count_hands(np.ones((4, HOLDINGS), np.bool_))
"""Number of hands in each cell, float64 [560, 38]; they add up to 635,013,559,600."""

POSSIBLE: Final = HANDS > 0


def _least(suits: I64) -> I64:
    """Least sum per cell of one value per suit, given the values of holdings."""
    rows = np.full((4, _ROWS), UNBOUNDED, np.int64)
    rows[:, _ROWS_USED] = np.minimum.reduceat(suits[:, _BY_ROW], _ROW_STARTS, axis=1)
    found: I64 = _over_cells(rows, np.add, np.minimum, UNBOUNDED)
    return found


# --- sets of cells -------------------------------------------------------------------------------


def _packed(flags: Flags) -> int:
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def _unpacked(bits: int, count: int) -> Flags:
    packed = np.frombuffer(bits.to_bytes(count // 8, "little"), np.uint8)
    return np.unpackbits(packed, bitorder="little").view(np.bool_)


def to_cells(flags: Flags) -> int:
    """Set of the possible cells that are flagged, from bool [560, 38]."""
    return _packed(flags & POSSIBLE)


def to_flags(cells: int) -> Flags:
    """Turn a set of cells into flags, bool [560, 38]."""
    return _unpacked(cells, SHAPES * POINTS).reshape(SHAPES, POINTS)


EVERYTHING: Final = to_cells(POSSIBLE)
"""Every cell that some hand is in."""


class Bounds(NamedTuple):
    """Cells where some hand, and cells where every hand, satisfies an expression."""

    can: int
    must: int


class Hull(NamedTuple):
    """Smallest and largest HCP and length of each suit (C, D, H, S) in a set of cells."""

    points: tuple[int, int]
    lengths: tuple[tuple[int, int], tuple[int, int], tuple[int, int], tuple[int, int]]


@lru_cache(maxsize=_MOST_SETS)
def hull(cells: int) -> Hull:
    """Smallest and largest HCP and lengths in a set of cells.

    Raises
    ------
    ValueError
        If the set is empty.
    """
    if not cells:
        raise ValueError("expected a set with at least one cell, got the empty set")
    flags = to_flags(cells)
    points, lengths = np.flatnonzero(flags.any(axis=0)), LENGTHS[flags.any(axis=1)]
    least, most = lengths.min(axis=0).tolist(), lengths.max(axis=0).tolist()
    clubs, diamonds, hearts, spades = zip(least, most, strict=True)
    return Hull((int(points[0]), int(points[-1])), (clubs, diamonds, hearts, spades))


def share(cells: int, given: int = EVERYTHING) -> float:
    """Share of the hands of ``given`` that lie in ``cells``; 0 where ``given`` is empty.

    Examples
    --------
    >>> from bidcascade.table.language.expressions import parse_expression
    >>> strong = bounds(parse_expression("HCP >= 15 and HCP <= 17"), Vocabulary()).must
    >>> round(share(strong), 4)
    0.101
    """
    whole = float(HANDS[to_flags(given)].sum())
    return float(HANDS[to_flags(cells & given)].sum()) / whole if whole else 0.0


# --- terms and linear forms ----------------------------------------------------------------------


def _form_tables(form: LinearForm, profile: str) -> tuple[I64, I64, I64]:
    """Values of a linear form of kernel terms taken apart: int64 [4, 8192], [560, 1] and [16]."""
    suits = np.zeros((4, HOLDINGS), np.int64)
    lengths = np.zeros((SHAPES, 1), np.int64)
    contexts = np.zeros(16, np.int64)
    for name, factor in form:
        tables = term_tables(name, profile)
        suits += np.int64(factor) * tables.suits
        lengths += np.int64(factor) * tables.lengths[_SHAPE_POSITIONS][:, np.newaxis]
        contexts += np.int64(factor) * tables.contexts
    return suits, lengths, contexts


class Reach(NamedTuple):
    """Smallest and largest value of a linear form in each cell, int64 [560, 38]."""

    low: I64
    high: I64
    fixed: bool
    """Whether every possible cell has one value only."""


@lru_cache(maxsize=_MOST_FORMS)
def reach(form: LinearForm, profile: str) -> Reach:
    """Smallest and largest value of a linear form over the hands of each cell."""
    suits, lengths, contexts = _form_tables(form, profile)
    low, high = _least(suits), -_least(-suits)
    low += lengths + contexts.min()
    high += lengths + contexts.max()
    low.setflags(write=False)
    high.setflags(write=False)
    return Reach(low, high, bool((low == high)[POSSIBLE].all()))


def _proportion_between(form: LinearForm, low: int, high: int, profile: str) -> F64 | None:
    """Share of each cell's hands where a form lies in [low, high]; None if it varies too widely."""
    # contexts (seat and vulnerability) count as equally frequent; the counts come from one Fourier
    # transform over (points, value) and are rounded to whole hands
    suits, lengths, contexts = _form_tables(form, profile)
    bases = suits.min(axis=1)
    width = int((suits.max(axis=1) - bases).sum()) + 1
    if width > _WIDEST:
        return None
    size = 1 << ((4 * (_SUIT_POINTS - 1) + 1) * width).bit_length()
    spectra = []
    for values in suits - bases[:, np.newaxis]:
        counts = np.bincount(_ROW * width + values, minlength=_ROWS * width)
        spectra.append(np.fft.rfft(counts.reshape(14, _SUIT_POINTS * width), size))
    minors = spectra[0][_ONE] * spectra[1][_TWO]
    majors = spectra[2][_ONE] * spectra[3][_TWO]
    hands = np.fft.irfft(minors[_MINORS] * majors[_MAJORS], size)
    hands = np.rint(hands[:, : POINTS * width]).reshape(SHAPES, POINTS, width)
    start = lengths + bases.sum() + np.arange(width)
    found = np.zeros((SHAPES, POINTS))
    shifts, weights = np.unique(contexts, return_counts=True)
    for shift, weight in zip(shifts, weights, strict=True):
        inside = (start + shift >= low) & (start + shift <= high)
        found += weight / len(contexts) * np.einsum("spv,sv->sp", hands, inside)
    return np.divide(found, HANDS, out=np.zeros_like(found), where=POSSIBLE)


@lru_cache(maxsize=_MOST_SETS)
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
    """
    if not cells:
        raise ValueError(f"expected a set with at least one cell for {name!r}, got the empty set")
    lowered = vocabulary.lowered_term(name)
    form = linear(lowered.tree)
    if form is None:
        return lowered.low, lowered.high
    coefficients, constant = form
    values = reach(tuple(sorted(coefficients.items())), vocabulary.profile)
    flags = to_flags(cells)
    return int(values.low[flags].min()) + constant, int(values.high[flags].max()) + constant


# --- trees, and what decides them: the cell, one suit, the context, or more ----------------------


def _tree(expression: Expression, vocabulary: Vocabulary) -> Tree:
    """Tree of kernel terms, with ``and`` and ``or`` of any number of operands."""
    match expression:
        case And(operands):
            return ("and", *(_tree(operand, vocabulary) for operand in operands))
        case Or(operands):
            return ("or", *(_tree(operand, vocabulary) for operand in operands))
        case Not(operand):
            return ("not", _tree(operand, vocabulary))
        case _:
            return _atom_tree(expression, vocabulary)


@lru_cache(maxsize=_MOST_SETS)
def _atom_tree(expression: Expression, vocabulary: Vocabulary) -> Tree:
    return tree_of(expression, vocabulary)


@lru_cache(maxsize=1024)
def _deciders(name: str, profile: str) -> frozenset[str]:
    """Find what a term follows from, each alone: ``cell``, a suit's letter, ``context``."""
    tables = term_tables(name, profile)
    found = {letter for letter, suit in zip(_SUITS, tables.suits, strict=True) if suit.any()}
    lengths = bool(tables.lengths.any())
    if np.ptp(tables.contexts):
        return frozenset() if found or lengths else frozenset(("context",))
    if lengths or len(found) > 1:
        found.clear()
    if reach(((name, 1),), profile).fixed:
        found.add("cell")
    return frozenset(found)


@lru_cache(maxsize=_MOST_SETS)
def _decided_by(tree: Tree, profile: str) -> str:
    """``cell``, ``context`` or a suit's letter; empty where it takes more."""
    deciders = [_deciders(name, profile) for name in term_names_in(tree)]
    found = frozenset.intersection(*deciders) if deciders else ("cell",)
    return "cell" if "cell" in found else next(iter(found), "")


@lru_cache(maxsize=_MOST_SETS)
def _where(tree: Tree, decider: str, profile: str) -> int:
    """Set of the cells, of a suit's 8,192 holdings or of the 16 contexts where a tree holds."""

    def look_up(name: str) -> Any:
        if decider == "cell":
            return reach(((name, 1),), profile).low
        tables = term_tables(name, profile)
        return tables.contexts if decider == "context" else tables.suits[_SUITS.index(decider)]

    values = {name: look_up(name).astype(np.int64) for name in term_names_in(tree)}
    flags = np.asarray(evaluate_tree(tree, values) != 0)
    return to_cells(flags) if decider == "cell" else _packed(flags)


# --- conjunctions --------------------------------------------------------------------------------


@dataclass(slots=True)
class _Conjunction:
    """Parts that must hold together, sorted by what decides them."""

    cells: int = EVERYTHING
    holdings: dict[str, int] = field(default_factory=dict)
    intervals: dict[LinearForm, tuple[int, int]] = field(default_factory=dict)
    disjunctions: list["_Conjunction"] = field(default_factory=list)
    """Each the conjunction of the denied alternatives."""
    chance: float = 1.0
    """Share of the 16 contexts that satisfy what is asked of seat and vulnerability."""
    unknown: int = 0
    """Parts that are not understood (products of terms over several suits)."""


def _conjunction(
    tree: Tree, profile: str, context: int | None = None, *, positive: bool = True
) -> _Conjunction:
    found = _Conjunction()
    waiting = [(tree, positive)]
    while waiting:
        part, wanted = waiting.pop()
        operator, decider = part[0], _decided_by(part, profile)
        inside = _where(part, decider, profile) if decider else 0
        if decider == "cell":
            found.cells &= inside if wanted else ~inside
        elif decider == "context":
            share_of_contexts = (
                inside.bit_count() / 16 if context is None else inside >> context & 1
            )
            found.chance *= share_of_contexts if wanted else 1 - share_of_contexts
        elif decider:
            allowed = found.holdings.get(decider, _ALL_HOLDINGS)
            found.holdings[decider] = allowed & (inside if wanted else ~inside)
        elif operator == "not":
            waiting.append((part[1], not wanted))
        elif operator in ("and", "or") and (operator == "and") == wanted:
            waiting += ((operand, wanted) for operand in part[1:])
        elif operator in ("and", "or"):
            found.disjunctions.append(_conjunction(part, profile, context, positive=not wanted))
        else:
            _add_comparison(found, part, wanted=wanted)
    return found


def _add_comparison(found: _Conjunction, tree: Tree, *, wanted: bool) -> None:
    literals = literals_of(tree, positive=wanted)
    if isinstance(literals, bool):
        found.cells &= EVERYTHING if literals else 0
        return
    for literal in literals:
        if isinstance(literal, Interval):
            narrow(found.intervals, literal.form, (literal.low, literal.high))
        elif literal.tree[0] == "interval" and not literal.positive:
            _, form, low, high = literal.tree
            found.disjunctions.append(_Conjunction(intervals={form: (low, high)}))
        else:
            found.unknown += 1


def _hands_with(holdings: Iterable[tuple[str, int]]) -> F64:
    allowed = np.ones((4, HOLDINGS), np.bool_)
    for suit, mask in holdings:
        allowed[_SUITS.index(suit)] = _unpacked(mask, HOLDINGS)
    return _count_hands(allowed)


@lru_cache(maxsize=_MOST_SETS)
def _bounds_of_holdings(holdings: tuple[tuple[str, int], ...]) -> Bounds:
    hands = _hands_with(holdings)
    return Bounds(to_cells(hands > 0), to_cells(hands == HANDS))


@lru_cache(maxsize=_MOST_SETS)
def _bounds_of_interval(form: LinearForm, low: int, high: int, profile: str) -> Bounds:
    values = reach(form, profile)
    return Bounds(
        to_cells((values.low <= high) & (values.high >= low)),
        to_cells((values.low >= low) & (values.high <= high)),
    )


def _bounds_of(found: _Conjunction, profile: str) -> Bounds:
    parts = [_bounds_of_interval(form, *ends, profile) for form, ends in found.intervals.items()]
    if found.holdings:
        parts.append(_bounds_of_holdings(tuple(sorted(found.holdings.items()))))
    denied = [_bounds_of(one, profile) for one in found.disjunctions]
    parts += [Bounds(EVERYTHING & ~one.must, EVERYTHING & ~one.can) for one in denied]
    can = must = found.cells
    for part in parts:
        can &= part.can
        must &= part.must
    if found.unknown or found.chance < 1:
        must = 0
    return Bounds(can if found.chance else 0, must)


def _proportion_of(found: _Conjunction, profile: str) -> F64:
    result: F64 = to_flags(found.cells).astype(np.float64)
    if found.holdings:
        hands = _hands_with(found.holdings.items())
        result *= np.divide(hands, HANDS, out=np.zeros_like(hands), where=POSSIBLE)
    for form, (low, high) in found.intervals.items():
        result *= _proportion_of_interval(form, low, high, profile)
    for denied in found.disjunctions:
        result *= 1 - _proportion_of(denied, profile)
    result *= found.chance * 0.5**found.unknown
    return result


@lru_cache(maxsize=_MOST_SHARES)
def _proportion_of_interval(form: LinearForm, low: int, high: int, profile: str) -> F64:
    limits = _bounds_of_interval(form, low, high, profile)
    decided = to_flags(limits.must).astype(np.float64)
    if limits.can == limits.must:
        return decided
    exact = _proportion_between(form, low, high, profile)
    return (decided + to_flags(limits.can)) / 2 if exact is None else exact


# --- what callers ask ----------------------------------------------------------------------------


@lru_cache(maxsize=_MOST_SETS)
def bounds(expression: Expression, vocabulary: Vocabulary, context: int | None = None) -> Bounds:
    """Cells where some hand, and where every hand, satisfies an expression.

    What depends on seat or vulnerability ``can`` hold everywhere and ``must`` nowhere, unless a
    context is given (:attr:`.Context.number`).

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
    profile = vocabulary.profile
    return _bounds_of(_conjunction(_tree(expression, vocabulary), profile, context), profile)


@lru_cache(maxsize=_MOST_SHARES)
def proportion(expression: Expression, vocabulary: Vocabulary, context: int | None = None) -> F64:
    """Share of each cell's hands that satisfy an expression, float64 [560, 38], read-only.

    Exact for tests of shape and HCP, for conjunctions of tests within single suits, and for one
    linear form; parts of different kinds count as independent within a cell, contexts as equally
    frequent unless one is given. A part that is not understood counts one half.
    """
    found = _conjunction(_tree(expression, vocabulary), vocabulary.profile, context)
    result = _proportion_of(found, vocabulary.profile)
    result.setflags(write=False)
    return result


def share_of(expression: Expression, cells: int, vocabulary: Vocabulary) -> float:
    """Share of the hands of a set of cells that satisfy an expression; 0 for the empty set."""
    flags = to_flags(cells)
    hands = HANDS[flags]
    fitting = float((hands * proportion(expression, vocabulary)[flags]).sum())
    return fitting / float(hands.sum()) if cells else 0.0
