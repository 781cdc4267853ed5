"""Expressions as words of the core, and back: a form, then what it is made of."""

from collections.abc import Callable, Sequence
from typing import Final

from bidcascade.table.language.expression_tree import (
    And,
    Comparison,
    Expression,
    Negative,
    Not,
    Number,
    Or,
    Product,
    Shape,
    Sum,
    TermName,
    Truth,
)

FORMS: Final = (Truth, TermName, Number, Shape, Negative, Product, Sum, Comparison, Not, And, Or)
OPERATORS: Final = {"<": 2, "<=": 3, "==": 4, "!=": 5, ">=": 6, ">": 7, "+": 8, "-": 9}
_SIGNS: Final = {number: sign for sign, number in OPERATORS.items()}


def words_of(
    expression: Expression, name: Callable[[str], int], number: Callable[[Expression], int]
) -> list[int]:
    """Words of an expression behind its form.

    ``name`` gives the number of a name, ``number`` that of an operand.
    """
    match expression:
        case Truth(value):
            return [int(value)]
        case TermName(term):
            return [name(term)]
        case Number(halves):
            return [halves]
        case Shape(pattern):
            return [int(pattern, 16)]
        case Negative(operand) | Not(operand):
            return [number(operand)]
        case Product(operands) | And(operands) | Or(operands):
            return list(map(number, operands))
        case Sum(first, rest) | Comparison(first, rest):
            words = [number(first)]
            for sign, operand in rest:
                words += (OPERATORS[sign], number(operand))
            return words


def expression_of(
    form: int, words: Sequence[int], names: Sequence[str], operand: Callable[[int], Expression]
) -> Expression:
    """Make the expression that :func:`words_of` wrote; ``operand`` gives one by its number."""
    kind = FORMS[form]
    if kind is Truth:
        return Truth(value=bool(words[0]))
    if kind is TermName:
        return TermName(names[words[0]])
    if kind is Number:
        return Number(words[0])
    if kind is Shape:
        return Shape(f"{words[0]:04X}")
    if kind is Negative or kind is Not:
        return kind(operand(words[0]))
    if kind is Sum or kind is Comparison:
        pairs = zip(words[1::2], words[2::2], strict=True)
        rest = tuple((_SIGNS[sign], operand(one)) for sign, one in pairs)
        return kind(operand(words[0]), rest)
    operands = tuple(map(operand, words))
    if kind is Product:
        return Product(operands)
    return And(operands) if kind is And else Or(operands)
