"""A script's condition in the words of conditions on deals, as far as these can say it.

What is said so need not be looked for among all deals: the rare ones are counted and drawn.
"""

from collections.abc import Iterable
from decimal import Decimal
from itertools import permutations
from typing import Final

from bidcascade.bridge import SUITS, BidcascadeError, Seat, format_card
from bidcascade.inference.layouts.where import Constraints

from .script_tree import (
    COUNTS,
    POINTS,
    And,
    Binary,
    Conditional,
    HasCard,
    Measure,
    Negative,
    Node,
    Not,
    Or,
    Script,
    ScriptNumber,
    ShapeOf,
    ShapePart,
)

_COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=")
_TERMS: Final = {"losers": "Losers", "controls": "Controls", "pt0": "Tens", "pt2": "Queens",
                 "pt3": "Kings", "pt4": "Aces"}  # fmt: skip
"""Terms of whole hands."""
_TOPS: Final = {"pt5": "Top2", "pt6": "Top3", "pt7": "Top4", "pt8": "Top5"}
"""Terms of one suit."""


def conditions_of(script: Script) -> list[str]:
    """Say what of a script's condition can be said; a deal that meets the script meets all of it.

    Examples
    --------
    >>> from bidcascade.inference.scenarios.script_reader import parse_script
    >>> conditions_of(parse_script("hcp(north) > 14 && shape(north, any 4333) && rnd(2)"))
    ['(HCP_N > 14)', "Pattern_N == '4333'"]
    """
    words = _Words(script)
    found = []
    for part in _conjuncts(script.condition):
        text = words.truth(part)
        if text is not None and _is_readable(text):
            found.append(text)
    return found


def _conjuncts(node: Node) -> Iterable[Node]:
    if isinstance(node, And):
        for one in node.operands:
            yield from _conjuncts(one)
    elif not isinstance(node, ScriptNumber) or not node.value:
        yield node


def _is_readable(text: str) -> bool:
    """Whether the reader of conditions takes it: there are bounds of length and nesting."""
    try:
        Constraints([text])
    except BidcascadeError:
        return False
    return True


class _Words:
    """Expressions of a script as texts; None for what has no words."""

    def __init__(self, script: Script) -> None:
        self._script = script

    def truth(self, node: Node) -> str | None:
        """Say that a value is not 0."""
        match node:
            case ScriptNumber(value):
                return f"1 == {int(value != 0)}"
            case HasCard(seat, card):
                return f"C_{seat.letter}_{format_card(card)}"
            case ShapeOf(seat, parts):
                return _shapes(seat, parts)
            case And(operands):
                return _all(" and ", [self.truth(one) for one in operands])
            case Or(operands):
                return _all(" or ", [self.truth(one) for one in operands])
            case Not(operand):
                return _all("", ["not ", self.truth(operand)])
            case Conditional(condition, one, other):
                so, not_so = self.truth(condition), self.truth(Not(condition))
                return _all(
                    " or ",
                    [
                        _all(" and ", [so, self.truth(one)]),
                        _all(" and ", [not_so, self.truth(other)]),
                    ],
                )
            case Binary(operator, left, right) if operator in _COMPARISONS:
                factor = max(_factor(left), _factor(right))
                sides = [self.number(left, factor), self.number(right, factor)]
                return _all(f" {operator} ", sides)
        return _all(" != ", [self.number(node), "0"])

    def number(self, node: Node, factor: int = 1) -> str | None:
        """Say a value, or so many times it: the conditions know whole numbers."""
        if isinstance(node, ScriptNumber):
            whole = Decimal(str(node.value)) * factor
            return str(int(whole)) if whole == int(whole) else None
        if factor > 1:
            return _all(" * ", [self.number(node), str(factor)])
        match node:
            case Measure(kind, seat, suit):
                return self._measure(kind, seat, suit)
            case Negative(operand):
                return _all("", ["-", self.number(operand)])
            case Binary(operator, left, right) if operator in ("+", "-", "*"):
                return _all(f" {operator} ", [self.number(left), self.number(right)])
        return None

    def _measure(self, kind: str, seat: Seat, suit: int | None) -> str | None:
        letter = seat.letter
        if kind == "length":
            return f"SL_{letter}_{SUITS[suit or 0]}"
        if kind == "hcp":
            if self._script.points != POINTS:
                return None
            return f"HCP_{letter}" if suit is None else f"HCP_{letter}_{SUITS[suit]}"
        if kind.startswith("pt"):
            number = int(kind[2:])
            if self._script.counts[number] != COUNTS[number]:
                return None
        if kind in _TERMS and suit is None:
            return f"{_TERMS[kind]}_{letter}"
        if kind in _TOPS:
            suits = SUITS if suit is None else SUITS[suit]
            return "(" + " + ".join(f"{_TOPS[kind]}_{letter}_{one}" for one in suits) + ")"
        return None


def _factor(node: Node) -> int:
    """By how much a number is multiplied to be whole; 1 for any other expression."""
    if not isinstance(node, ScriptNumber):
        return 1
    exponent = Decimal(str(node.value)).as_tuple().exponent
    return 10 ** -min(0, exponent) if isinstance(exponent, int) else 1


def _all(sign: str, parts: list[str | None]) -> str | None:
    """Join texts, if there are all of them."""
    if None in parts:
        return None
    return f"({sign.join(one for one in parts if one is not None)})"


def _shapes(seat: Seat, parts: tuple[ShapePart, ...]) -> str:
    found = ""
    for part in parts:
        text = _shape(seat, part)
        if part.is_taken_away:
            found = f"({found} and not {text})" if found else "1 == 0"
        else:
            found = f"({found} or {text})" if found else text
    return found


def _shape(seat: Seat, part: ShapePart) -> str:
    if part.in_any_order:
        known = [one for one in part.lengths if one is not None]
        if len(known) == 4:
            pattern = "".join(sorted(map(str, known), reverse=True))
            return f"Pattern_{seat.letter} == '{pattern}'"
        orders = sorted(set(permutations(part.lengths)), key=str)
        return "(" + " or ".join(_lengths(seat, one) for one in orders) + ")"
    return _lengths(seat, part.lengths)


def _lengths(seat: Seat, lengths: tuple[int | None, ...]) -> str:
    texts = [
        f"SL_{seat.letter}_{suit} == {length}"
        for suit, length in zip("SHDC", lengths, strict=True)
        if length is not None
    ]
    return f"({' and '.join(texts)})" if texts else "1 == 1"
