"""Expressions put together by code: comparisons whose outcome is known fold away at once.

``conjunction`` and ``disjunction`` flatten, drop what is always true (or false) and what comes
twice; so the result prints and reads back as the same tree. Shapes in figures are ``4=4=3=2`` in
the order spades to clubs, ``5-4-x-x`` in any.
"""

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import permutations
from typing import Final

from bidcascade.kernels import term_names, term_range
from bidcascade.kernels.machine.caches import bounded_cache
from bidcascade.kernels.packing.literals import COMPARE, OPPOSITE
from bidcascade.kernels.terms import all_lengths
from bidcascade.systems.language.tree.syntax_tree import Range
from bidcascade.table.language.expression_tree import (
    And,
    Comparison,
    Expression,
    Not,
    Number,
    Or,
    Shape,
    TermName,
    Truth,
)

TRUE: Final = Truth(value=True)
FALSE: Final = Truth(value=False)
BUILT_IN: Final = {
    "balanced": ("4-3-3-3", "4-4-3-2", "5-3-3-2"),
    "semi-balanced": ("4-3-3-3", "4-4-3-2", "5-3-3-2", "5-4-2-2", "6-3-2-2"),
}
"""Shapes by name, for systems that do not define them."""
GAME_POINTS: Final = 25
"""Combined points for game; slam has its own."""
SLAM_POINTS: Final = 33
HONOURS: Final = {"ace": "A", "king": "K", "queen": "Q", "jack": "J", "ten": "T"}
"""Ranks of honours by name, as terms have them."""


# --- atoms ---------------------------------------------------------------------------------------


@cache
def _limits(name: str) -> tuple[int, int] | None:
    """Smallest and largest value of a kernel term in halves of its unit; None for other names."""
    if name not in term_names():
        return None
    low, high = term_range(name)
    factor = 1 if name in ("QT", "Playing_Tricks") else 2
    return factor * low, factor * high


@lru_cache(maxsize=4096)
def compared(name: str, operator: str, value: float) -> Expression:
    """Comparison of a term with a whole number or a half; a truth where all hands agree on it."""
    limits, halves = _limits(name), int(2 * value)
    if limits is not None:
        outcomes = {COMPARE[operator](limit, halves) for limit in limits}
        depends = operator in ("==", "!=") and limits[0] < halves < limits[1]
        if len(outcomes) == 1 and not depends:
            return Truth(value=outcomes.pop())
    return Comparison(TermName(name), ((operator, Number(halves)),))


def in_range(value: int, wanted: Range | None) -> bool:
    """Whether a number is one that a range names."""
    if wanted is None or value in wanted.also:
        return True
    return wanted.low <= value and (wanted.high is None or value <= wanted.high)


@lru_cache(maxsize=8192)
def within(name: str, wanted: Range, shift: int = 0) -> Expression:
    """Term in a range from which ``shift``, what partner has already, is taken off."""
    if wanted.high is not None and wanted.low == wanted.high:
        inside = compared(name, "==", wanted.low - shift)
    else:
        inside = TRUE if wanted.low <= 0 else compared(name, ">=", wanted.low - shift)
        if wanted.high is not None:
            inside = conjunction((inside, compared(name, "<=", wanted.high - shift)))
    return disjunction((inside, *(compared(name, "==", value - shift) for value in wanted.also)))


# --- joining -------------------------------------------------------------------------------------


def conjunction(parts: Iterable[Expression]) -> Expression:
    """Join parts that must all hold: flat, without truths and repetitions."""
    return _joined(And, parts, TRUE, FALSE)


def disjunction(parts: Iterable[Expression]) -> Expression:
    """Join parts of which one must hold: flat, without falsehoods and repetitions."""
    return _joined(Or, parts, FALSE, TRUE)


def _joined(
    kind: type[And] | type[Or], parts: Iterable[Expression], nothing: Truth, decisive: Truth
) -> Expression:
    found: dict[Expression, None] = {}
    for part in parts:
        if isinstance(part, Truth):
            if part == decisive:
                return decisive
        elif isinstance(part, kind):
            found |= dict.fromkeys(part.operands)
        else:
            found[part] = None
    if not found:
        return nothing
    return next(iter(found)) if len(found) == 1 else kind(tuple(found))


def negation(expression: Expression) -> Expression:
    """Opposite of an expression: comparisons turned round, ``and`` and ``or`` exchanged."""
    match expression:
        case Truth(value):
            return Truth(value=not value)
        case Not(operand):
            return operand
        case And(operands):
            return disjunction(map(negation, operands))
        case Or(operands):
            return conjunction(map(negation, operands))
        case Comparison(first, rest):
            lefts = (first, *(operand for _, operand in rest))
            return disjunction(
                Comparison(left, ((OPPOSITE[operator], right),))
                for left, (operator, right) in zip(lefts, rest, strict=False)
            )
        case _:
            return Not(expression)


# --- shapes --------------------------------------------------------------------------------------

_Lengths = tuple[int, ...]
_PATTERNS: Final = sorted({tuple(sorted(lengths, reverse=True)) for lengths in all_lengths()})


@bounded_cache(512)
def shape_expression(text: str) -> Expression:
    """Test of a shape in figures; ``x`` is any length, ``5+`` five or more.

    Raises
    ------
    ValueError
        If the text is no four lengths that can make 13 cards.
    """
    fields = [_shape_field(field) for field in text.replace("=", "-").split("-")]
    if len(fields) != 4:
        raise ValueError(f"expected four lengths, got {text!r}")
    highest = sum(13 if wanted.high is None else wanted.high for wanted in fields)
    if not sum(wanted.low for wanted in fields) <= 13 <= highest:
        raise ValueError(f"expected lengths that make 13 cards, got {text!r}")
    if "=" in text:
        return conjunction(
            within(f"SL_{letter}", wanted) for letter, wanted in zip("SHDC", fields, strict=True)
        )
    # patterns, longest suit first, whose lengths fit the fields in some order
    found = [
        lengths
        for lengths in _PATTERNS
        if any(all(map(in_range, order, fields)) for order in permutations(lengths))
    ]
    box = _box(found) if len(found) > 1 else None
    return box or disjunction(
        Comparison(
            TermName("Pattern"), (("==", Shape("".join(f"{cards:X}" for cards in lengths))),)
        )
        for lengths in found
    )


def _shape_field(field: str) -> Range:
    if field.lower() == "x":
        return Range()
    if field.endswith("+"):
        return Range(int(field[:-1]))
    return Range(int(field), int(field))


def _box(wanted: list[_Lengths]) -> Expression | None:
    """Say a set of patterns by bounds of the longest two suits, the fewest; None if that fails."""
    lows = [min(lengths[place] for lengths in wanted) for place in (0, 1)]
    highs = [max(lengths[place] for lengths in wanted) for place in (0, 1)]

    def inside(low: Sequence[int], high: Sequence[int]) -> list[_Lengths]:
        return [
            lengths
            for lengths in _PATTERNS
            if all(low[place] <= lengths[place] <= high[place] for place in (0, 1))
        ]

    if inside(lows, highs) != wanted:
        return None
    for place in (0, 1):
        for bounds, widest in ((lows, 0), (highs, 13)):
            tight, bounds[place] = bounds[place], widest
            if inside(lows, highs) != wanted:
                bounds[place] = tight
    return conjunction(
        compared(name, "==", low)
        if low == high
        else conjunction((compared(name, ">=", low), compared(name, "<=", high)))
        for name, low, high in zip(("Longest_Suit", "Second_Suit"), lows, highs, strict=True)
    )


@cache
def built_in_shapes(name: str) -> Expression:
    """Test of the shapes that a name of :data:`BUILT_IN` means."""
    return disjunction(shape_expression(text) for text in BUILT_IN[name])
