"""Conditions of a call as trees: bounds of what they count, and how far a hand is from them.

Phrases of a system's line stand in a tree for what they became, so that it can be told in their
words. The browser's definition is ``page/static/engine/words/condition_trees.js``.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from bidcascade.bridge import SUITS
from bidcascade.kernels.machine.caches import bounded_cache
from bidcascade.table.language.explain import ExpressionCheck, Value
from bidcascade.table.language.expression_tree import (
    And,
    Comparison,
    Expression,
    Not,
    Number,
    Or,
    Shape,
    TermName,
)
from bidcascade.table.language.expression_tree import terms_of as terms_of_expression
from bidcascade.table.language.expressions import parse_expression

Values: TypeAlias = Mapping[str, Value]
"""A hand's values by term."""

FAR: Final = 2.0
"""Distance of what is there or not, such as a stopper."""
_CARD_OFF: Final = 1.6
"""Points that a card counts."""
_STRENGTH: Final = frozenset({"HCP", "Support_Points", "Total_Points", "Losers"})
_HALVES: Final = frozenset({"QT", "Playing_Tricks"})
"""What is counted in halves, too."""
_RULE: Final = "Rule_Of_"
_FLIPPED: Final = {">=": "<=", "<=": ">=", ">": "<", "<": ">", "==": "==", "!=": "!="}
_MISSED: Final[Mapping[str, Callable[[float], float]]] = {
    ">=": lambda apart: -apart,
    ">": lambda apart: 1 - apart,
    "<=": lambda apart: apart,
    "<": lambda apart: apart + 1,
    "==": abs,
    "!=": lambda apart: float(not apart),
}
"""By how much two numbers miss a comparison, from how much the first one is larger."""


@dataclass(frozen=True, slots=True)
class Joined:
    """Parts of which all must hold, or one."""

    kind: Literal["and", "or"]
    operands: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Denied:
    """A part that must not hold."""

    operand: "Node"


@dataclass(frozen=True, slots=True)
class Said:
    """A phrase of a line in its words, and what it became."""

    words: str
    meaning: "Node"


Node: TypeAlias = Expression | Joined | Denied | Said
"""A tree; an expression in it is a term, a truth or a comparison."""


class TermParts(NamedTuple):
    """A term in parts: what it is of, its suit and the rank of a card; empty where it has none."""

    stem: str
    suit: str
    rank: str


class Bounds(NamedTuple):
    """Bounds of a test of one number; None for none."""

    term: str
    low: float | None
    high: float | None


class Compared(NamedTuple):
    """One comparison of a term: with a number, a hand pattern or another term."""

    term: str
    sign: str
    number: float | None = None
    shape: str | None = None
    other: str | None = None


def term_parts(name: str) -> TermParts:
    """Split the name of a term.

    Examples
    --------
    >>> term_parts("Support_Points_H"), term_parts("C_SA")
    (TermParts(stem='Support_Points', suit='H', rank=''), TermParts(stem='C', suit='S', rank='A'))
    """
    stem, _, last = name.rpartition("_")
    if stem and last in SUITS:
        return TermParts(stem, last, "")
    if stem == "C" and len(last) == 2:
        return TermParts("C", last[0], last[1])
    return TermParts(name, "", "")


def rule_number(name: str) -> str | None:
    """Give the number that a term such as ``Rule_Of_20`` has in its name; None for others."""
    return name.removeprefix(_RULE) if name.startswith(_RULE) else None


# --- trees ----------------------------------------------------------------------------------------


@bounded_cache(1 << 13)
def _tree(text: str) -> Node:
    return _node(parse_expression(text))


def _node(expression: Expression) -> Node:
    match expression:
        case And(operands):
            return Joined("and", tuple(map(_node, operands)))
        case Or(operands):
            return Joined("or", tuple(map(_node, operands)))
        case Not(operand):
            return Denied(_node(operand))
        case _:
            return expression


def bare_tree(condition: ExpressionCheck) -> Node:
    """Tree of a condition without the phrases of its line.

    Raises
    ------
    InvalidExpression
        If it is none.
    """
    return _tree(condition["expression"])


def tree_of(condition: ExpressionCheck) -> Node:
    """Tree of a condition in which phrases of its line stand for what they became.

    Raises
    ------
    InvalidExpression
        If it is none.

    Examples
    --------
    >>> good = {"text": "good hearts", "expression": "Top3_H >= 2"}
    >>> tree_of({"expression": "Top3_H >= 2", "value": 1, "holds": False, "words": [good]}).words
    'good hearts'
    """
    whole = bare_tree(condition)
    told = condition.get("words", [])
    # the longest first: "decent" is "good" or an honour
    in_order = sorted(told, key=lambda one: -len(one["expression"]))
    phrases = [Said(one["text"], _tree(one["expression"])) for one in told]
    for one in phrases:
        # one of several conditions that a phrase became stands for it
        is_all = isinstance(one.meaning, Joined) and one.meaning.kind == "and"
        if is_all and whole in parts_of(one.meaning, "and"):
            return one
    return _with_phrases(whole, [Said(one["text"], _tree(one["expression"])) for one in in_order])


def _with_phrases(node: Node, phrases: list[Said]) -> Node:
    for one in phrases:
        if one.meaning == node:
            return one
    if isinstance(node, Denied):
        return Denied(_with_phrases(node.operand, phrases))
    if not isinstance(node, Joined):
        return node
    operands = list(node.operands)
    for one in phrases:
        if not isinstance(one.meaning, Joined) or one.meaning.kind != node.kind:
            continue
        parts = one.meaning.operands
        if all(part in operands for part in parts):
            operands[operands.index(parts[0])] = one
            operands = [part for part in operands if part not in parts]
    return _joined(node.kind, [_with_phrases(part, phrases) for part in operands])


def _joined(kind: Literal["and", "or"], operands: Iterable[Node]) -> Node:
    parts = tuple(operands)
    return parts[0] if len(parts) == 1 else Joined(kind, parts)


def parts_of(node: Node, kind: Literal["and", "or"]) -> tuple[Node, ...]:
    """Parts that are joined so, else the tree alone."""
    return node.operands if isinstance(node, Joined) and node.kind == kind else (node,)


def terms_of(node: Node) -> list[str]:
    """Names of the terms of a tree, each once."""
    match node:
        case Said(_, meaning):
            return terms_of(meaning)
        case Denied(operand):
            return terms_of(operand)
        case Joined(_, operands):
            return list(dict.fromkeys(name for one in operands for name in terms_of(one)))
        case _:
            return list(terms_of_expression(node))


def values_of(condition: ExpressionCheck) -> dict[str, Value]:
    """Values of a condition by term.

    Examples
    --------
    >>> values_of({"expression": "SL_H >= 4", "value": 3, "holds": False})
    {'SL_H': 3}
    """
    value = condition["value"]
    if isinstance(value, dict):
        return value
    names = terms_of(bare_tree(condition))
    return {names[0]: value} if names else {}


def _settled(node: Node, values: Values) -> Node | bool:
    """Leave what is open of a tree where values say who is vulnerable; True or False for none."""
    match node:
        case TermName(name) if name.startswith("Vul_") and name in values:
            return values[name] is True
        case Denied(operand):
            inner = _settled(operand, values)
            # what was settled in part is written as it was
            return not inner if isinstance(inner, bool) else node
        case Joined(kind, operands):
            decides = kind == "or"
            parts = [_settled(one, values) for one in operands]
            if any(one is decides for one in parts):
                return decides
            left = [one for one in parts if not isinstance(one, bool)]
            return _joined(kind, left) if left else not decides
        case _:
            return node


def open_tree(condition: ExpressionCheck) -> Node | None:
    """Tree of a condition without what the vulnerability decides; None where it decides all."""
    found = _settled(tree_of(condition), values_of(condition))
    return None if isinstance(found, bool) else found


# --- comparisons ----------------------------------------------------------------------------------


def _comparisons(node: Node) -> list[tuple[str | None, str, Expression]]:
    """Comparisons of a term, its sign and what it is compared with; none of other trees."""
    if not isinstance(node, Comparison):
        return []
    found: list[tuple[str | None, str, Expression]] = []
    left = node.first
    for sign, right in node.rest:
        if isinstance(left, TermName):
            found.append((left.name, sign, right))
        elif isinstance(right, TermName):
            found.append((right.name, _FLIPPED[sign], left))
        else:
            found.append((None, sign, right))
        left = right
    return found


def compared(node: Node) -> Compared | None:
    """Read one comparison of a term; None for any other tree."""
    match _comparisons(node):
        case [(str(term), sign, Number(halves))]:
            return Compared(term, sign, number=halves / 2)
        case [(str(term), sign, Shape(pattern))]:
            return Compared(term, sign, shape=pattern)
        case [(str(term), sign, TermName(other))]:
            return Compared(term, sign, other=other)
        case _:
            return None


def bounds_of(node: Node) -> Bounds | None:
    """Read the bounds of a test of one number; None for any other tree.

    Examples
    --------
    >>> bounds_of(parse_expression("15 <= HCP <= 17"))
    Bounds(term='HCP', low=15.0, high=17.0)
    """
    found = _comparisons(node)
    if not 0 < len(found) <= 2:
        return None
    whose = found[0][0]
    low = high = None
    for term, sign, operand in found:
        if term is None or term != whose or not isinstance(operand, Number) or sign == "!=":
            return None
        bound = operand.halves / 2
        step = 0.5 if term in _HALVES else 1
        if sign in {"==", ">=", ">"}:
            low = bound + step if sign == ">" else bound
        if sign in {"==", "<=", "<"}:
            high = bound - step if sign == "<" else bound
    assert whose is not None
    return Bounds(whose, low, high)


# --- what is missing ------------------------------------------------------------------------------


def number_in(values: Values, term: str | None) -> float | None:
    """Give a value that is a number; None for all else."""
    value = values.get(term) if term is not None else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def missed_parts(node: Node, values: Values) -> list[Node]:
    """Parts that values do not meet, all of which must be met; of alternatives the nearest's."""
    if not isinstance(node, Joined):
        return [node]
    if node.kind == "or":
        return missed_parts(min(node.operands, key=lambda one: distance(one, values)), values)
    missed = [one for one in node.operands if distance(one, values) > 0]
    return [part for one in missed for part in missed_parts(one, values)] or [node]


def distance(node: Node, values: Values) -> float:
    """How far values are from a tree: points, and cards that count for more.

    Examples
    --------
    >>> distance(parse_expression("15 <= HCP <= 17"), {"HCP": 12})
    3.0
    """
    match node:
        case Said(_, meaning):
            return distance(meaning, values)
        case Joined("or", operands):
            return min(distance(one, values) for one in operands)
        case Joined(_, operands):
            return sum(distance(one, values) for one in operands)
        case Denied(operand):
            return 0.0 if distance(operand, values) else FAR
        case TermName(name):
            return 0.0 if values.get(name) is True else FAR
        case _:
            return _compared_distance(node, values)


def _compared_distance(node: Node, values: Values) -> float:
    range_ = bounds_of(node)
    value = number_in(values, range_.term) if range_ else None
    if range_ is not None and value is not None:
        low = value if range_.low is None else range_.low
        high = value if range_.high is None else range_.high
        return _weight(range_.term) * max(0.0, low - value, value - high)
    test = compared(node)
    if test is None:
        return FAR
    one, two = number_in(values, test.term), number_in(values, test.other)
    if one is not None and two is not None:
        return _CARD_OFF * max(0.0, _MISSED[test.sign](one - two))
    if test.term not in values:
        return FAR
    wanted = test.number if test.shape is None else test.shape
    return 0.0 if (values[test.term] == wanted) == (test.sign == "==") else FAR


def _weight(term: str) -> float:
    stem, suit, _ = term_parts(term)
    is_strength = stem in _STRENGTH and (stem == "Support_Points" or not suit)
    return 1.0 if is_strength or rule_number(term) is not None else _CARD_OFF
