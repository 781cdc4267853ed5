"""Expressions as trees: one frozen class per form of the language, and their canonical text.

The language itself is written down in ``expressions.lark``; ``expressions.py`` reads text into
these trees. Sums, comparisons, ``and`` and ``or`` hold any number of operands, so that a long flat
expression stays a flat tree.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

COMPARATORS: Final = ("<", "<=", "==", "!=", ">=", ">")
"""The comparisons of the language, as they are written."""
LARGEST_NUMBER: Final = 999_999
"""Numbers that may be written."""


@dataclass(frozen=True, slots=True)
class TermName:
    """A name from the vocabulary: ``HCP``, ``SL_S``, ``Balanced``."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Number:
    """A number that is not negative, kept doubled because quick tricks come in halves."""

    halves: int

    def __str__(self) -> str:
        return f"{self.halves // 2}.5" if self.halves % 2 else str(self.halves // 2)


@dataclass(frozen=True, slots=True)
class Truth:
    """``True`` or ``False``."""

    value: bool

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class Shape:
    """A hand pattern in quotes, longest suit first: ``'5332'``; ``A`` to ``D`` for 10 to 13."""

    pattern: str

    def __str__(self) -> str:
        return f"'{self.pattern}'"


@dataclass(frozen=True, slots=True)
class Negative:
    """Minus sign before an operand."""

    operand: "Expression"

    def __str__(self) -> str:
        return "-" + _within(self.operand, _SIGNED)


@dataclass(frozen=True, slots=True)
class Product:
    """``HCP * 2``, two or more factors."""

    factors: tuple["Expression", ...]

    def __str__(self) -> str:
        return " * ".join(_within(factor, _SIGNED) for factor in self.factors)


@dataclass(frozen=True, slots=True)
class Sum:
    """``HCP + SL_S - 1``: a first operand, then ``+`` or ``-`` with another, at least once."""

    first: "Expression"
    rest: tuple[tuple[str, "Expression"], ...]

    def __str__(self) -> str:
        return _chain(self.first, self.rest, _PRODUCT)


@dataclass(frozen=True, slots=True)
class Comparison:
    """``HCP >= 15`` or the chain ``15 <= HCP <= 17``, which means both comparisons."""

    first: "Expression"
    rest: tuple[tuple[str, "Expression"], ...]

    def __str__(self) -> str:
        return _chain(self.first, self.rest, _SUM)


@dataclass(frozen=True, slots=True)
class Not:
    """The operand does not hold."""

    operand: "Expression"

    def __str__(self) -> str:
        return "not " + _within(self.operand, _NOT)


@dataclass(frozen=True, slots=True)
class And:
    """All of two or more operands hold."""

    operands: tuple["Expression", ...]

    def __str__(self) -> str:
        return " and ".join(_within(operand, _NOT) for operand in self.operands)


@dataclass(frozen=True, slots=True)
class Or:
    """At least one of two or more operands holds."""

    operands: tuple["Expression", ...]

    def __str__(self) -> str:
        return " or ".join(_within(operand, _AND) for operand in self.operands)


Expression: TypeAlias = (
    TermName | Number | Truth | Shape | Negative | Product | Sum | Comparison | Not | And | Or
)
"""Any form of the language."""

_OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _SIGNED, _ATOM = range(8)


def _binding(expression: Expression) -> int:
    """How tightly the outermost form binds; higher is tighter."""
    match expression:
        case TermName() | Number() | Truth() | Shape():
            return _ATOM
        case Negative():
            return _SIGNED
        case Product():
            return _PRODUCT
        case Sum():
            return _SUM
        case Comparison():
            return _COMPARISON
        case Not():
            return _NOT
        case And():
            return _AND
        case Or():
            return _OR
        case _:
            assert_never(expression)


def _within(expression: Expression, least: int) -> str:
    """Text of an operand, in parentheses where it binds less tightly than its place asks."""
    return f"({expression})" if _binding(expression) < least else str(expression)


def _chain(first: Expression, rest: tuple[tuple[str, Expression], ...], least: int) -> str:
    parts = [_within(first, least)]
    for operator, operand in rest:
        parts += (operator, _within(operand, least))
    return " ".join(parts)


def format_expression(expression: Expression) -> str:
    """Canonical text: one space round operators, ``and``/``or``, no parenthesis too many.

    Examples
    --------
    >>> format_expression(And((TermName("Balanced"), Not(TermName("Stopper_S")))))
    'Balanced and not Stopper_S'
    """
    return str(expression)


def operands_of(expression: Expression) -> tuple[Expression, ...]:
    """Direct operands, left to right; none for a term or constant."""
    match expression:
        case TermName() | Number() | Truth() | Shape():
            return ()
        case Negative(operand) | Not(operand):
            return (operand,)
        case Product(operands) | And(operands) | Or(operands):
            return operands
        case Sum(first, rest) | Comparison(first, rest):
            return (first, *(operand for _, operand in rest))
        case _:
            assert_never(expression)


def terms_of(expression: Expression) -> Iterator[str]:
    """Names of the terms in an expression, left to right, each once."""
    seen: set[str] = set()
    waiting = [expression]
    while waiting:
        current = waiting.pop()
        if isinstance(current, TermName):
            if current.name not in seen:
                seen.add(current.name)
                yield current.name
        else:
            waiting += reversed(operands_of(current))


def rename_terms(expression: Expression, rename: Callable[[str], str]) -> Expression:
    """Tree with other names for its terms.

    Examples
    --------
    >>> str(rename_terms(Sum(TermName("HCP"), (("+", TermName("SL_S")),)), str.lower))
    'hcp + sl_s'
    """

    def renamed(part: Expression) -> Expression:
        return rename_terms(part, rename)

    match expression:
        case TermName(name):
            return TermName(rename(name))
        case Number() | Truth() | Shape():
            return expression
        case Negative(operand) | Not(operand):
            return type(expression)(renamed(operand))
        case Product(operands) | And(operands) | Or(operands):
            return type(expression)(tuple(map(renamed, operands)))
        case Sum(first, rest) | Comparison(first, rest):
            parts = tuple((sign, renamed(part)) for sign, part in rest)
            return type(expression)(renamed(first), parts)
        case _:
            assert_never(expression)


def depth_of(expression: Expression) -> int:
    """Levels of the tree; a term or constant is one level. Works on any depth."""
    deepest = 0
    waiting = [(expression, 1)]
    while waiting:
        current, depth = waiting.pop()
        deepest = max(deepest, depth)
        waiting += ((operand, depth + 1) for operand in operands_of(current))
    return deepest
