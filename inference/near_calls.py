"""Calls whose lines a hand meets, or misses by a point or two: what else to think of."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from bidcascade.bridge import SUITS, Auction
from bidcascade.kernels import Context
from bidcascade.table.language.explain import HandValues, holds
from bidcascade.table.language.expression_tree import (
    And,
    Comparison,
    Expression,
    Number,
    Or,
    terms_of,
)

from .layouts.meanings import Lines

STRENGTH: Final = frozenset(
    {
        "HCP",
        "Total_Points",
        "Losers",
        "Playing_Tricks",
        "Rule_Of_20",
        "Rule_Of_15",
        *(f"Support_Points_{suit}" for suit in SUITS),
    }
)
"""Terms that measure how strong a hand is. A suit that is too short is no small miss: partner
counts on its cards."""
_UPWARDS: Final = (">", ">=")
_DOWNWARDS: Final = ("<", "<=")


class NearCall(NamedTuple):
    """A call, and by how many points its nearest line is missed: 0 if one holds."""

    call: int
    missed: int


def near_calls(
    lines: Lines, hand: int, context: Context, *, own: int, calls: Sequence[int], most_missed: int
) -> tuple[NearCall, ...]:
    """Find calls whose lines hold with a hand or are missed by little; the system's own is first.

    The others follow by how much they are missed, and then in the order of their lines.

    Parameters
    ----------
    lines : Lines
        What may follow the auction.
    hand : int
        Mask of 13 cards.
    context : Context
        Seat and vulnerability of its player.
    own : int
        The call that the system makes.
    calls : sequence of int
        The auction so far, which goes on.
    most_missed : int
        How many points a line may ask for more, or allow for fewer, than the hand has.

    Examples
    --------
    >>> from bidcascade.bridge import format_call, parse_hand
    >>> from bidcascade.systems import System
    >>> from .layouts.meanings import meanings_of
    >>> system = System.parse('''
    ... opening:
    ...   1NT = Strong notrump: 15-17 points, balanced
    ...   1C  = Anything else: 12-21 points
    ... ''')
    >>> hand = parse_hand("K52.AQ3.J876.KJ2")
    >>> found = near_calls(
    ...     meanings_of(system).lines(()), hand, Context(), own=3, calls=(), most_missed=1)
    >>> [(format_call(one.call), one.missed) for one in found]
    [('1C', 0), ('1N', 1)]
    """
    values = HandValues(hand, lines.vocabulary, context)
    auction = Auction.of(calls)
    missed = {own: 0}
    for line in lines.lines:
        if line.call not in missed and not auction.is_legal(line.call):
            continue
        least = missed.get(line.call, most_missed + 1)
        for points in range(least):
            if all(
                holds(hand, loosened(one, points), lines.vocabulary, context, values=values)
                for one in line.criteria
            ):
                missed[line.call] = points
                break
    order = sorted(missed, key=lambda call: (call != own, missed[call]))
    return tuple(NearCall(call, missed[call]) for call in order)


@lru_cache(maxsize=1 << 14)
def loosened(expression: Expression, points: int) -> Expression:
    """Expression whose bounds of strength are so many points wider; all else it asks as before.

    Examples
    --------
    >>> from bidcascade.table import parse_expression
    >>> print(loosened(parse_expression("15 <= HCP <= 17 and SL_S >= 5"), 1))
    14 <= HCP <= 18 and SL_S >= 5
    """
    if not points:
        return expression
    match expression:
        case And(operands):
            return And(tuple(loosened(one, points) for one in operands))
        case Or(operands):
            return Or(tuple(loosened(one, points) for one in operands))
        case Comparison(first, rest):
            return _wider(first, rest, points)
        case _:
            # what is denied would have to become narrower
            return expression


def _wider(first: Expression, rest: tuple[tuple[str, Expression], ...], points: int) -> Comparison:
    """Comparison with each number beside a term of strength moved away from it."""
    operands = [first, *(operand for _, operand in rest)]
    moved = list(operands)
    for place, (operator, _) in enumerate(rest):
        left, right = operands[place], operands[place + 1]
        if isinstance(right, Number) and _is_strength(left):
            sign = -1 if operator in _UPWARDS else 1 if operator in _DOWNWARDS else 0
            moved[place + 1] = _moved(right, sign * points)
        elif isinstance(left, Number) and _is_strength(right):
            sign = 1 if operator in _UPWARDS else -1 if operator in _DOWNWARDS else 0
            moved[place] = _moved(left, sign * points)
    operators = (operator for operator, _ in rest)
    return Comparison(moved[0], tuple(zip(operators, moved[1:], strict=True)))


def _is_strength(expression: Expression) -> bool:
    return any(name in STRENGTH for name in terms_of(expression))


def _moved(number: Number, points: int) -> Number:
    return Number(max(0, number.halves + 2 * points))
