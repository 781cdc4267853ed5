"""What a criteria list says taken together: bounds, contradictions, how much it asks for.

Criteria are joined by AND. Every term is a sum over the suits of something that depends on the
holding alone, plus something that depends on the lengths, so a list is studied in two steps: which
of the 8,192 holdings each suit may have, then which of the 560 shapes leave every sum within its
bounds. A contradiction that is reported is one. A few that show only when several sums are seen
together (``HCP <= 9``, ``Aces >= 2``, ``Kings >= 1``) are not found.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb, log2
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.packing.intervals import ANY, UNBOUNDED, both, narrow, outside, spanned
from bidcascade.kernels.packing.layout import (
    HOLDINGS,
    form_tables,
    holdings_by_cards,
    shape_indices,
)
from bidcascade.kernels.packing.literals import (
    Interval,
    LinearForm,
    Literal,
    Tree,
    combined,
    literals_of,
)
from bidcascade.kernels.types import I64

from .expression_tree import Expression, format_expression, terms_of
from .lowering import tree_of
from .vocabulary import Vocabulary

MOST_BRANCHES: Final = 64
"""Alternatives of ``or`` and ``!=`` that are followed; a list with more is taken on trust."""

_CARDS: Final = np.bitwise_count(np.arange(HOLDINGS)).astype(np.int64)
_BY_LENGTH, _LENGTH_STARTS = holdings_by_cards()
_SHAPES, _SHAPE_INDEX = shape_indices()
_ALL_HANDS: Final = comb(52, 13)

Flags = NDArray[np.bool_]
_Narrowed: TypeAlias = dict[LinearForm, tuple[int, int]]
"""A conjunction: what it leaves of each form."""


@dataclass(frozen=True, slots=True)
class Criteria:
    """The expressions of one entry, joined by AND.

    Examples
    --------
    >>> from bidcascade.table.language.expressions import parse_expression
    >>> weak = Criteria(tuple(map(parse_expression, ["HCP <= 10", "SL_S >= 6", "HCP >= 5"])))
    >>> weak.analyse(Vocabulary()).bounds["HCP"]
    (5, 10)
    """

    expressions: tuple[Expression, ...]

    def analyse(self, vocabulary: Vocabulary) -> "Analysis":
        """Bounds and contradiction of the list; see :func:`analyse`."""
        return analyse(self.expressions, vocabulary)


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a criteria list implies.

    Parameters
    ----------
    bounds : dict of str to (int, int)
        Smallest and largest value that HCP, the lengths and every term of the list can take, in
        the kernels' unit (``QT`` counts halves). Empty where no hand fits.
    contradiction : str or None
        Why no hand fits, or None.
    """

    bounds: dict[str, tuple[int, int]]
    contradiction: str | None


def is_satisfiable(expressions: Sequence[Expression], vocabulary: Vocabulary) -> str | None:
    """Say why no hand fits all expressions, or None where some hand may.

    Returns
    -------
    str or None
        The smallest part of the list found that contradicts itself.

    Raises
    ------
    UnknownTerm, InvalidExpression
        As :func:`~.lowering.to_postfix` does.

    Examples
    --------
    >>> from bidcascade.table.language.expressions import parse_expression
    >>> shape = ["SL_S >= 5", "HCP >= 12", "SL_H >= 5", "SL_D >= 4"]
    >>> is_satisfiable([parse_expression(text) for text in shape], Vocabulary())
    'no hand fits SL_S >= 5 and SL_H >= 5 and SL_D >= 4'
    """
    if _is_feasible(expressions, vocabulary):
        return None
    conflict = list(expressions)
    for expression in expressions:  # drop what is not needed for the conflict
        rest = [other for other in conflict if other is not expression]
        if not _is_feasible(rest, vocabulary):
            conflict = rest
    return "no hand fits " + " and ".join(_operand(expression) for expression in conflict)


def _operand(expression: Expression) -> str:
    text = format_expression(expression)
    return f"({text})" if " and " in text or " or " in text else text


def analyse(expressions: Sequence[Expression], vocabulary: Vocabulary) -> Analysis:
    """Tight bounds of the terms in a criteria list, or why no hand fits it."""
    branches = list(_feasible(expressions, vocabulary))
    if not branches:
        return Analysis({}, is_satisfiable(expressions, vocabulary))
    names = {"HCP": None, "SL_C": None, "SL_D": None, "SL_H": None, "SL_S": None}
    for expression in expressions:
        for name in terms_of(expression):
            if not vocabulary.is_tag(name):
                names[name] = None
    bounds = {}
    for name in names:
        found = [_term_bounds(name, branch, vocabulary) for branch in branches]
        bounds[name] = spanned(found)
    return Analysis(bounds, None)


def share_of_hands(expressions: Sequence[Expression], vocabulary: Vocabulary) -> float:
    """Upper bound of the share of all hands that fit; exact for lengths and one sum at a time."""
    return min(1.0, sum(branch.share() for branch in _feasible(expressions, vocabulary)))


def specificity(expressions: Sequence[Expression], vocabulary: Vocabulary) -> float:
    """How much a list asks for, in bits: 0 for any hand, 1 where half of the hands fit.

    Infinite where no hand fits. Follows :func:`share_of_hands`.

    Examples
    --------
    >>> specificity([], Vocabulary())
    0.0
    """
    share = share_of_hands(expressions, vocabulary)
    return abs(log2(share)) if share else float("inf")


# --- branches: the list without or and != --------------------------------------------------------


def _branches(expressions: Sequence[Expression], vocabulary: Vocabulary) -> list[_Narrowed]:
    """One alternative of each expression, joined; none that leave a form nothing."""
    branches: list[_Narrowed] = [{}]
    followed = 1
    for expression in expressions:
        alternatives = _alternatives_of(expression, vocabulary)
        if alternatives is None or len(alternatives) * followed > MOST_BRANCHES:
            continue
        followed *= len(alternatives)
        joined = (_joined(branch, more) for branch in branches for more in alternatives)
        branches = [branch for branch in joined if branch is not None]
    return branches


def _joined(branch: _Narrowed, more: _Narrowed) -> _Narrowed | None:
    """Both conjunctions; None where they leave a form nothing."""
    joined = dict(branch)
    for form, ends in more.items():
        if form in joined:
            ends = both(joined[form], ends)
        if ends[0] > ends[1]:
            return None
        joined[form] = ends
    return joined


@lru_cache(maxsize=1 << 14)
def _alternatives_of(expression: Expression, vocabulary: Vocabulary) -> list[_Narrowed] | None:
    # the same expressions come in list after list
    alternatives = _alternatives(tree_of(expression, vocabulary), positive=True)
    return None if alternatives is None else list(map(_narrowed, alternatives))


def _narrowed(intervals: Sequence[Interval]) -> _Narrowed:
    merged: _Narrowed = {}
    for interval in intervals:
        narrow(merged, interval.form, (interval.low, interval.high))
    return merged


def _alternatives(tree: Tree, *, positive: bool) -> list[list[Interval]] | None:
    """Disjunctive normal form of a tree; None where it is too wide or not linear."""
    literals = literals_of(tree, positive=positive)
    if isinstance(literals, bool):
        return [[]] if literals else []
    result: list[list[Interval]] = [[]]
    for literal in literals:
        choices = _literal_alternatives(literal)
        if choices is None:  # not understood: leave it out, which only widens
            continue
        if len(choices) * len(result) > MOST_BRANCHES:
            return None
        result = [chosen + more for chosen in result for more in choices]
    return result


def _literal_alternatives(literal: Literal) -> list[list[Interval]] | None:
    if isinstance(literal, Interval):
        return [[literal]]
    operator, operands = literal.tree[0], literal.tree[1:]
    if operator == "interval" and not literal.positive:
        form, *ends = operands
        return [[Interval(form, *side)] for side in outside(*ends)]
    if (operator, literal.positive) in (("or", True), ("and", False)):
        choices: list[list[Interval]] = []
        for operand in operands:
            alternatives = _alternatives(operand, positive=literal.positive)
            if alternatives is None:
                return None
            choices += alternatives
        return choices
    return None


# --- one branch: holdings, then shapes ---------------------------------------------------------


LinearLimits: TypeAlias = tuple[tuple[LinearForm, int, int], ...]
"""Forms of one suit's holding, with the least and the most of each."""


@lru_cache(maxsize=512)
def _suits_of(form: LinearForm, profile: str) -> tuple[int, ...]:
    """Suits that matter to a form."""
    return tuple(
        suit for suit, values in enumerate(form_tables(form, profile).suits) if values.any()
    )


# lists ask the same of a suit again and again: what a table is asked for is a few hundred of these
@lru_cache(maxsize=1024)
def _holdings(suit: int, limits: LinearLimits, profile: str) -> Flags:
    """Find the holdings of a suit that are within limits."""
    allowed = np.ones(HOLDINGS, np.bool_)
    for form, low, high in limits:
        values = form_tables(form, profile).suits[suit]
        allowed &= (values >= low) & (values <= high)
    return allowed


@lru_cache(maxsize=1 << 14)
def _lengths(suit: int, limits: LinearLimits, profile: str) -> Flags:
    """Lengths that some holding within limits has."""
    allowed = _holdings(suit, limits, profile)[_BY_LENGTH]
    lengths: Flags = np.logical_or.reduceat(allowed, _LENGTH_STARTS)
    return lengths


@lru_cache(maxsize=1 << 15)
def _ends_by_length(
    form: LinearForm, suit: int, limits: LinearLimits, profile: str
) -> tuple[I64, I64]:
    """Least and most of a form by a suit's length, over its holdings within limits."""
    values = form_tables(form, profile).suits[suit][_BY_LENGTH].astype(np.int64)
    allowed = _holdings(suit, limits, profile)[_BY_LENGTH]
    least: I64 = np.minimum.reduceat(np.where(allowed, values, UNBOUNDED), _LENGTH_STARTS)
    most: I64 = np.maximum.reduceat(np.where(allowed, values, -UNBOUNDED), _LENGTH_STARTS)
    return least, most


@dataclass(frozen=True, slots=True)
class _Branch:
    """What is left of holdings and shapes under a conjunction of intervals."""

    intervals: _Narrowed
    limits: tuple[LinearLimits, ...]
    """Of the holdings in clubs, diamonds, hearts and spades."""
    shapes: Flags  # [560]
    contexts: Flags  # [16]
    profile: str

    def reach(self, form: LinearForm) -> tuple[I64, I64]:
        """Per shape, the smallest and largest value of a form over the holdings left."""
        table = form_tables(form, self.profile)
        by_context = table.contexts[self.contexts]
        low = table.lengths[_SHAPE_INDEX] + np.int64(by_context.min())
        high = table.lengths[_SHAPE_INDEX] + np.int64(by_context.max())
        for suit in _suits_of(form, self.profile):
            least, most = _ends_by_length(form, suit, self.limits[suit], self.profile)
            lengths = _SHAPES[:, suit]
            low += least[lengths]
            high += most[lengths]
        return low, high

    def holdings(self, suit: int) -> Flags:
        """Find the holdings that a suit may have."""
        return _holdings(suit, self.limits[suit], self.profile)

    def share(self) -> float:
        """Largest share of hands that can be in this branch."""
        counts = np.stack(
            [
                np.add.reduceat(allowed[_BY_LENGTH], _LENGTH_STARTS, dtype=np.int64)
                for allowed in map(self.holdings, range(4))
            ]
        )
        hands = np.prod([counts[suit][_SHAPES[:, suit]] for suit in range(4)], axis=0)
        least = float(hands[self.shapes].sum())
        for form, (low, high) in self.intervals.items():
            if _depends_on(form, self.profile) is None:
                least = min(least, self._count(form, low, high))
        return least / _ALL_HANDS

    def _count(self, form: LinearForm, low: int, high: int) -> float:
        """Count the hands whose value of one form is in range, shape by shape."""
        table = form_tables(form, self.profile)
        histograms = []
        offset = 0
        for suit in range(4):
            values = table.suits[suit].astype(np.int64)
            offset += int(values.min())
            width = int(np.ptp(values)) + 1
            cells = (_CARDS * width + values - values.min())[self.holdings(suit)]
            histograms.append(np.bincount(cells, minlength=14 * width).reshape(14, width))
        total = 0.0
        by_context = table.contexts[self.contexts]
        for shape in np.flatnonzero(self.shapes):
            clubs, diamonds, hearts, spades = _SHAPES[shape]
            spread = np.convolve(
                np.convolve(histograms[0][clubs], histograms[1][diamonds]),
                np.convolve(histograms[2][hearts], histograms[3][spades]),
            )
            start = offset + int(table.lengths[_SHAPE_INDEX[shape]])
            first = max(0, low - start - int(by_context.max()))
            last = min(len(spread) - 1, high - start - int(by_context.min()))
            if first <= last:
                total += float(spread[first : last + 1].sum())
        return total


@lru_cache(maxsize=4096)
def _depends_on(form: LinearForm, profile: str) -> str | None:
    """Tell what alone decides a form: a suit, ``lengths``, ``context``; None for a real sum."""
    table = form_tables(form, profile)
    suits = [suit for suit in range(4) if table.suits[suit].any()]
    if table.contexts.any():
        return None if suits or table.lengths.any() else "context"
    if len(suits) == 1 and not table.lengths.any():
        return "CDHS"[suits[0]]
    for suit in suits:
        values = table.suits[suit][_BY_LENGTH]
        spread = np.maximum.reduceat(values, _LENGTH_STARTS) - np.minimum.reduceat(
            values, _LENGTH_STARTS
        )
        if spread.any():
            return None
    return "lengths"


def _solve(merged: _Narrowed, profile: str) -> _Branch | None:
    """Find what a conjunction leaves; None where it leaves no hand."""
    limits: list[list[tuple[LinearForm, int, int]]] = [[], [], [], []]
    contexts = np.ones(16, np.bool_)
    sums: dict[LinearForm, tuple[int, int]] = {}
    for form, (low, high) in merged.items():
        place = _depends_on(form, profile)
        if place == "context":
            values = form_tables(form, profile).contexts
            contexts &= (values >= low) & (values <= high)
        elif place is not None and place in "CDHS":
            limits["CDHS".index(place)].append((form, low, high))
        else:
            sums[form] = (low, high)
    shapes = np.ones(len(_SHAPES), np.bool_)
    of_suits = tuple(tuple(sorted(one)) for one in limits)
    for suit, one in enumerate(of_suits):
        if one:
            shapes &= _lengths(suit, one, profile)[_SHAPES[:, suit]]
    if not contexts.any() or not shapes.any():
        return None
    branch = _Branch(merged, of_suits, shapes, contexts, profile)
    for form, (low, high) in [*sums.items(), *_pairs(sums, profile)]:
        least, most = branch.reach(form)
        shapes &= (least <= high) & (most >= low)
    return branch if shapes.any() else None


def _pairs(
    sums: dict[LinearForm, tuple[int, int]], profile: str
) -> Iterator[tuple[LinearForm, tuple[int, int]]]:
    """Differences of two bounded sums, such as Total_Points - HCP, with the bounds implied."""
    real = [form for form in sums if _depends_on(form, profile) is None][:4]
    for left, right in combinations(real, 2):
        form = tuple(sorted(combined((dict(left), 0), (dict(right), 0), 1, -1)[0].items()))
        if form:
            yield form, (sums[left][0] - sums[right][1], sums[left][1] - sums[right][0])


def _feasible(expressions: Sequence[Expression], vocabulary: Vocabulary) -> Iterator[_Branch]:
    """Branches that leave some hand, each solved when it is asked for."""
    for branch in _branches(expressions, vocabulary):
        solved = _solve(branch, vocabulary.profile)
        if solved is not None:
            yield solved


def _is_feasible(expressions: Sequence[Expression], vocabulary: Vocabulary) -> bool:
    return next(_feasible(expressions, vocabulary), None) is not None


def _term_bounds(name: str, branch: _Branch, vocabulary: Vocabulary) -> tuple[int, int]:
    possible = vocabulary.range(name)
    form = _value_form(name, vocabulary)
    if form is None:
        return possible
    least, most = branch.reach(form)
    reached = int(least[branch.shapes].min()), int(most[branch.shapes].max())
    return both(both(possible, branch.intervals.get(form, ANY)), reached)


def _value_form(name: str, vocabulary: Vocabulary) -> LinearForm | None:
    """Linear form of a term's value where it is one kernel term; None for formulas."""
    tree = vocabulary.lowered_term(name).tree
    return ((tree[1], 1),) if tree[0] == "term" else None
