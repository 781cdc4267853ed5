"""Values of a script's expressions over many deals at once, by tables of suits' holdings.

Numbers are whole and division cuts off what is behind the point, as in C, unless the script writes
one with a point. What is costly, as double dummy, or may fail, as division, is worked out only
where it counts.
"""

from functools import cache
from itertools import permutations
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import Contract, InvalidScript, LimitExceeded, Seat, imps, score
from bidcascade.inference.double_dummy.abstract_solver import DoubleDummy
from bidcascade.kernels.dealing import GAMMA, deal_hashes, mixed_words
from bidcascade.kernels.packing.layout import SHAPES, shape_indices
from bidcascade.kernels.terms import ACE, JACK, KING, QUEEN, TEN, has, losers
from bidcascade.kernels.types import I64, U64, Bools

from .script_tree import (
    And,
    Binary,
    Conditional,
    HasCard,
    Imps,
    Measure,
    Negative,
    Node,
    Not,
    Or,
    Random,
    Score,
    Script,
    ScriptNumber,
    ShapeOf,
    ShapePart,
    Tricks,
    nodes_of,
)

BLOCK: Final = 1 << 16
"""Deals worked on at once."""
BLOCK_SOLVED: Final = 256
"""Deals worked on at once where the condition is double dummy."""
MOST_SOLVED: Final = 20_000
"""Double-dummy results that a script may ask for; a core gives some hundred in a second."""
_COMPARISONS: Final = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
_DECIMALS: Final = 9
"""Numbers with a point are rounded to so many, so that 0.1 + 0.2 is 0.3."""
_HOLDINGS: Final = 1 << 13
_HIGHEST: Final = 12
_NINE: Final = TEN - 1
_EIGHT: Final = TEN - 2


Values: TypeAlias = NDArray[Any]
"""Whole numbers, int64, or numbers with a point, float64."""


class Evaluation:
    """Values of expressions of a script.

    Parameters
    ----------
    script
        Whose counts of cards are used.
    solver
        Gives tricks; without one, a value that is double dummy is an error.
    """

    def __init__(self, script: Script, solver: DoubleDummy | None = None) -> None:
        self._script = script
        self._solver = solver
        self.solved = 0
        """Double-dummy results asked for so far."""
        self._costly: dict[int, tuple[Node, bool]] = {}

    def holds(self, node: Node, hands: U64) -> Bools:
        """Tell for which deals an expression is not 0, bool[n]; hands are uint64[4, n]."""
        found: Bools = self.values(node, hands) != 0
        return found

    def values(self, node: Node, hands: U64) -> Values:
        """Give the values of an expression, int64[n], or float64[n] for numbers with a point.

        Raises
        ------
        InvalidScript
            If something is divided by 0, or is double dummy and there is no solver.
        LimitExceeded
            If more than :data:`MOST_SOLVED` results are double dummy.

        Examples
        --------
        >>> from bidcascade.kernels.dealing import deal_hands
        >>> from bidcascade.inference.scenarios.script_reader import parse_script
        >>> script = parse_script("spades(north) + spades(east) + spades(south) + spades(west)")
        >>> Evaluation(script).values(script.condition, deal_hands(1, 0, 3))
        array([13, 13, 13])
        """
        return np.broadcast_to(self._value(node, _Deals(hands)), hands.shape[1:])

    def is_costly(self, node: Node) -> bool:
        """Whether a value is double dummy, or may fail."""
        known = self._costly.get(id(node))
        if known is None:
            found = any(map(_is_costly_itself, nodes_of(node)))
            self._costly[id(node)] = known = (node, found)
        return known[1]

    def _value(self, node: Node, deals: "_Deals") -> Values:
        known = deals.values.get(id(node))
        if known is None:
            # the node is kept with its value, so that its identity stays its own
            deals.values[id(node)] = known = (node, self._found(node, deals))
        return known[1]

    def _found(self, node: Node, deals: "_Deals") -> Values:
        match node:
            case ScriptNumber(value):
                return np.array([value], np.float64 if isinstance(value, float) else np.int64)
            case Measure():
                return self._measure(node, deals)
            case HasCard(seat, card):
                held = deals.hands[seat] >> np.uint64(card) & np.uint64(1)
                return np.asarray(held.astype(np.int64))
            case ShapeOf(seat, parts):
                return _shapes(parts)[deals.shapes(seat)].astype(np.int64)
            case And() | Or():
                return self._joined(node, deals)
            case Not(operand):
                return np.equal(self._value(operand, deals), 0).astype(np.int64)
            case Negative(operand):
                return -self._value(operand, deals)
            case Binary():
                return self._binary(node, deals)
            case Conditional(condition, one, other):
                is_so = self._everywhere(condition, deals) != 0
                found: Values = np.zeros(len(deals), np.int64)
                for part, where in ((one, is_so), (other, ~is_so)):
                    found = self._placed(found, part, where, deals)
                return found
            case Tricks(seat, strain):
                return self._tricks(seat, strain, deals)
            case Score(vulnerable, level, strain, tricks, doubled):
                contract = Contract(level, strain, doubled, Seat.NORTH)
                worth = [score(contract, one, vulnerable=vulnerable) for one in range(14)]
                taken = self._value(tricks, deals).astype(np.int64)
                return np.array(worth, np.int64)[np.clip(taken, 0, 13)]
            case Imps(points):
                return _imps(self._value(points, deals).astype(np.int64))
            case Random(below, number):
                limit = np.maximum(self._everywhere(below, deals), 1).astype(np.uint64)
                words = mixed_words(deal_hashes(deals.hands) + np.uint64(number * GAMMA % 2**64))
                return (words % limit).astype(np.int64)

    def _everywhere(self, node: Node, deals: "_Deals") -> Values:
        return np.broadcast_to(self._value(node, deals), (len(deals),))

    def _joined(self, node: And | Or, deals: "_Deals") -> I64:
        """Join truth values; what is costly is asked only of the deals that are still open."""
        is_and = isinstance(node, And)
        found = np.full(len(deals), is_and)
        for operand in sorted(node.operands, key=self.is_costly):
            if self.is_costly(operand):
                some: Values = np.zeros(len(deals), np.int64)
                some = self._placed(some, operand, found if is_and else ~found, deals)
                found = found & (some != 0) if is_and else found | (some != 0)
            elif is_and:
                found &= self._value(operand, deals) != 0
            else:
                found |= self._value(operand, deals) != 0
        return found.astype(np.int64)

    def _placed(self, found: Values, node: Node, where: Bools, deals: "_Deals") -> Values:
        """Put the values of some deals into their places."""
        if not self.is_costly(node):
            values = self._everywhere(node, deals)[where]
        elif where.any():
            values = self._value(node, _Deals(deals.hands[:, where]))
        else:
            return found
        if _has_point(values) and not _has_point(found):
            found = found.astype(np.float64)
        found[where] = values
        return found

    def _binary(self, node: Binary, deals: "_Deals") -> Values:
        left, right = self._value(node.left, deals), self._value(node.right, deals)
        has_point = _has_point(left) or _has_point(right)
        match node.operator:
            case "+":
                return _rounded(left + right)
            case "-":
                return _rounded(left - right)
            case "*" if has_point:
                return _rounded(np.multiply(left, right))
            case "*":
                # numbers of 32 bits, as dealer has them
                return np.multiply(left, right).astype(np.int32).astype(np.int64)
            case "/" | "%":
                if not np.all(right):
                    raise InvalidScript(f"{node.place}: expected a divisor other than 0, got 0")
                if has_point and node.operator == "%":
                    wanted = "whole numbers beside %"
                    raise InvalidScript(f"{node.place}: expected {wanted}, got one with a point")
                if has_point:
                    return _rounded(np.divide(left, right))
                size = np.floor_divide(np.abs(left), np.abs(right))
                quotient: I64 = np.sign(left) * np.sign(right) * size
                return quotient if node.operator == "/" else np.subtract(left, quotient * right)
        return np.asarray(_COMPARISONS[node.operator](left, right).astype(np.int64))

    def _measure(self, node: Measure, deals: "_Deals") -> Values:
        table = self._table(node.kind)
        suits = range(4) if node.suit is None else (node.suit,)
        total: Values = np.zeros(len(deals), table.dtype)
        for suit in suits:
            total += table[deals.holding(node.seat, suit)]
        total = _rounded(total)
        if node.kind == "cccc":
            # without shortness half a point off; else a point for each card short of three
            total += np.where(_flat()[deals.shapes(node.seat)], -50, -100)
        return total

    def _table(self, kind: str) -> Values:
        if kind == "hcp":
            return _sums(self._script.points)
        if kind.startswith("pt"):
            return _sums(self._script.counts[int(kind[2:])])
        return _table(kind)

    def _tricks(self, seat: Seat, strain: int, deals: "_Deals") -> I64:
        if self._solver is None:
            raise InvalidScript("expected a script without tricks: nothing is solved here")
        self.solved += len(deals)
        if self.solved > MOST_SOLVED:
            raise LimitExceeded(
                f"expected a script that asks for at most {MOST_SOLVED:,} double-dummy results, "
                "got more; let the condition leave fewer deals, or produce fewer"
            )
        found = self._solver.tricks(
            np.ascontiguousarray(deals.hands),
            np.full(len(deals), strain, np.uint8),
            np.full(len(deals), int(seat), np.uint8),
        )
        return found.astype(np.int64)


class _Deals:
    """Deals with what was found of them."""

    def __init__(self, hands: U64) -> None:
        self.hands = hands
        self.values: dict[int, tuple[Node, Values]] = {}
        self._holdings: dict[tuple[int, int], I64] = {}
        self._shapes: dict[int, I64] = {}

    def __len__(self) -> int:
        return int(self.hands.shape[1])

    def holding(self, seat: int, suit: int) -> I64:
        """Cards of a suit as a place in a table."""
        found = self._holdings.get((seat, suit))
        if found is None:
            cards = self.hands[seat] >> np.uint64(13 * suit) & np.uint64(_HOLDINGS - 1)
            self._holdings[seat, suit] = found = cards.astype(np.int64)
        return found

    def shapes(self, seat: int) -> I64:
        """Lengths of a hand as a number, as ``kernels.packing.layout`` has them."""
        found = self._shapes.get(seat)
        if found is None:
            lengths = _table("length")
            clubs, diamonds, hearts = (lengths[self.holding(seat, suit)] for suit in range(3))
            self._shapes[seat] = found = clubs + 14 * diamonds + 196 * hearts
        return found


def _is_costly_itself(node: Node) -> bool:
    if isinstance(node, Binary) and node.operator in "/%":
        return not isinstance(node.right, ScriptNumber) or not node.right.value
    return isinstance(node, Tricks)


def _has_point(values: Values) -> bool:
    return values.dtype == np.float64


def _rounded(values: Values) -> Values:
    return np.round(values, _DECIMALS) if _has_point(values) else values


def _imps(points: I64) -> I64:
    values, places = np.unique(points, return_inverse=True)
    found = np.array([imps(one) for one in values.tolist()], np.int64)
    return found[places].reshape(points.shape)


# --- tables ---------------------------------------------------------------------------------------


@cache
def _sums(by_rank: tuple[int | float, ...]) -> Values:
    """Count the cards of each holding, int64[8192], or float64[8192] for numbers with a point."""
    cards = np.arange(_HOLDINGS)[:, np.newaxis] >> np.arange(12, -1, -1) & 1
    return np.asarray(cards @ np.array(by_rank))


@cache
def _table(kind: str) -> I64:
    """Values of a measure by holding, int64[8192]."""
    function = {
        "length": int.bit_count,
        "losers": losers,
        "controls": _controls,
        "quality": quality,
        "cccc": suit_worth,
    }[kind]
    return np.array([function(one) for one in range(_HOLDINGS)], np.int64)


def _controls(holding: int) -> int:
    return 2 * has(holding, ACE) + has(holding, KING)


def quality(holding: int) -> int:
    """Quality of a suit in hundredths, as Kaplan and Rubens count it.

    The sum of 4, 3, 2, 1 for ace to jack and a point or half for the ten and half for the nine, a
    tenth for each card of the suit: "Four C's", The Bridge World, October 1982.

    Examples
    --------
    >>> quality(0b1111_0000_0000_0), quality(0b1_0000_0000_0000)
    (400, 40)
    """
    length = holding.bit_count()
    honours = (holding >> JACK).bit_count()
    ten = has(holding, TEN)
    halves = 2 * (
        4 * has(holding, ACE)
        + 3 * has(holding, KING)
        + 2 * has(holding, QUEEN)
        + has(holding, JACK)
    )
    if length > 6:
        # length does what a missing queen or jack would do
        missing = 3 - 2 * has(holding, QUEEN) - has(holding, JACK)
        halves += 2 * min(missing, length - 6)
    else:
        if ten:
            halves += 2 if honours > 1 or has(holding, JACK) else 1
        if has(holding, _NINE) and (honours == 2 or ten or has(holding, _EIGHT)):
            halves += 1
    return int(halves * length * 5)


def suit_worth(holding: int) -> int:
    """Count what a suit is worth in hundredths of a point, without what its hand's shape adds."""
    length = holding.bit_count()
    above = (holding >> KING).bit_count()
    worth = 300 * has(holding, ACE) + quality(holding) + 100 * max(0, 3 - length)
    if has(holding, KING):
        worth += 50 if length == 1 else 200
    if has(holding, QUEEN):
        worth += {1: 25, 2: 75}.get(length, 100) - (0 if above else 25)
        above += 1
    if has(holding, JACK):
        worth += {1: 25, 2: 50}.get(above, 0)
        above += 1
    if has(holding, TEN) and (above == 2 or (above == 1 and has(holding, _NINE))):
        worth += 25
    return worth


@cache
def _flat() -> Bools:
    """Whether no suit is shorter than three cards, by shape bool[2744]."""
    return _shapes((ShapePart((4, 3, 3, 3), in_any_order=True, is_taken_away=False),))


@cache
def _shapes(parts: tuple[ShapePart, ...]) -> Bools:
    """Whether a shape is among those named, by shape bool[2744]."""
    lengths, places = shape_indices()
    # shapes are named spades first
    lengths = lengths[:, ::-1]
    found = np.zeros(len(lengths), np.bool_)
    for part in parts:
        orders = set(permutations(part.lengths)) if part.in_any_order else {part.lengths}
        named = np.zeros(len(lengths), np.bool_)
        for order in orders:
            named |= np.all(
                [lengths[:, suit] == one for suit, one in enumerate(order) if one is not None]
                or [np.ones(len(lengths), np.bool_)],
                axis=0,
            )
        found = found & ~named if part.is_taken_away else found | named
    by_shape = np.zeros(SHAPES, np.bool_)
    by_shape[places] = found
    return by_shape
