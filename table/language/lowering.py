"""Expression trees lowered to the kernels' trees, and to postfix code for their plans.

Lowering resolves aliases and user terms, splits chained comparisons, folds constants, puts the
constant of a comparison on the right, and scales by two what is compared with quick tricks, which
the kernels count in halves. Equal tests come out as equal code wherever that is cheap to see.
"""

from collections.abc import Callable
from typing import Final, NamedTuple, Protocol, assert_never

from bidcascade.bridge import InvalidExpression
from bidcascade.kernels import Postfix
from bidcascade.kernels.packing.literals import COMPARE, MIRRORED, OPPOSITE, Tree

from .expression_tree import (
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
    terms_of,
)

LONGEST_POSTFIX: Final = 500
"""Elements an expression may lower to; user terms used by user terms grow fast."""

LARGEST_VALUE: Final = 2**31 - 1
"""Largest absolute value a part of an expression may reach: kernels compute in 32 bits."""


class Lowered(NamedTuple):
    """Tree for the kernels with what is known about its value.

    Parameters
    ----------
    size : int
        Terms, constants and operators in the tree.
    scale : int
        2 where the value counts halves (quick tricks), else 1.
    low, high : int
        Bounds of the value, in the scaled unit.
    boolean : bool
        Whether the value is 0 or 1 as a truth value.
    """

    tree: Tree
    size: int
    scale: int
    low: int
    high: int
    boolean: bool

    @property
    def code(self) -> Postfix:
        """The tree's postfix code."""
        return postfix_of(self.tree)


def postfix_of(tree: Tree) -> Postfix:
    """Write a tree as postfix code."""
    found: list[str | int] = []
    waiting = [tree]
    while waiting:
        operator, *operands = waiting.pop()
        if operator in ("term", "int"):
            found.append(operands[0])
        else:
            found.append(operator)
            waiting += operands
    return tuple(reversed(found))


def rename_tree_terms(tree: Tree, rename: Callable[[str], str]) -> Tree:
    """Lowered tree with other names for its terms."""
    match tree[0]:
        case "int":
            return tree
        case "term":
            return ("term", rename(tree[1]))
    return (tree[0], *(rename_tree_terms(operand, rename) for operand in tree[1:]))


class TermLookup(Protocol):
    """What lowering asks of a vocabulary."""

    def lowered_term(self, name: str) -> Lowered:
        """Code of a term; raises UnknownTerm, or InvalidExpression for a tag."""

    def is_tag(self, name: str) -> bool:
        """Whether the name is a remark about the auction."""

    def is_pattern(self, name: str) -> bool:
        """Whether the name is a hand's shape, which compares with shapes alone."""


def to_postfix(expression: Expression, vocabulary: TermLookup) -> Postfix:
    """Postfix code of an expression, ready for the kernels.

    A tag on its own (see :mod:`.vocabulary`) holds always and lowers to ``(1,)``.

    Raises
    ------
    UnknownTerm
        If the vocabulary lacks a term.
    InvalidExpression
        If a tag stands inside a larger expression, a half stands without quick tricks, quick
        tricks are multiplied, a pattern is compared with something else, or a part is too large.

    Examples
    --------
    >>> from bidcascade.table.language.expressions import parse_expression
    >>> from bidcascade.table.language.vocabulary import Vocabulary
    >>> to_postfix(parse_expression("15 <= HCP <= 17"), Vocabulary())
    ('HCP', 15, '>=', 'HCP', 17, '<=', 'and')
    >>> to_postfix(parse_expression("HCP + QT >= 12.5"), Vocabulary())
    ('HCP', 2, '*', 'QT', '+', 25, '>=')
    """
    return _lowered_truth(expression, vocabulary).code


def tree_of(expression: Expression, vocabulary: TermLookup) -> Tree:
    """Tree of an expression as the kernels lower it; errors as :func:`to_postfix`."""
    return _lowered_truth(expression, vocabulary).tree


def _lowered_truth(expression: Expression, vocabulary: TermLookup) -> Lowered:
    if isinstance(expression, TermName) and vocabulary.is_tag(expression.name):
        return _constant(1, boolean=True)
    return _truth(lower(expression, vocabulary))


def lower(expression: Expression, vocabulary: TermLookup) -> Lowered:
    """Tree of an expression together with the bounds of its value."""
    match expression:
        case TermName(name):
            if vocabulary.is_pattern(name):
                raise InvalidExpression(
                    f"expected {name} in a comparison with a shape in quotes, "
                    f"such as {name} == '5332'"
                )
            return vocabulary.lowered_term(name)
        case Number(halves):
            if halves % 2:
                return _constant(halves, scale=2)
            return _constant(halves // 2)
        case Truth(value):
            return _constant(int(value), boolean=True)
        case Shape():
            raise InvalidExpression(
                f"expected Pattern == {expression} or Pattern != {expression}, "
                f"got {expression} on its own"
            )
        case Negative(operand):
            return _negative(lower(operand, vocabulary))
        case Product(factors):
            return _product(expression, [lower(factor, vocabulary) for factor in factors])
        case Sum(first, rest):
            total = lower(first, vocabulary)
            for sign, operand in rest:
                total = _sum(total, sign, lower(operand, vocabulary))
            return total
        case Comparison():
            return _comparison(expression, vocabulary)
        case Not(operand):
            return _not(lower(operand, vocabulary))
        case And(operands):
            return _join([lower(operand, vocabulary) for operand in operands], "and")
        case Or(operands):
            return _join([lower(operand, vocabulary) for operand in operands], "or")
        case _:
            assert_never(expression)


def _constant(value: int, *, boolean: bool = False, scale: int = 1) -> Lowered:
    return Lowered(("int", value), 1, scale, value, value, boolean)


def _value(lowered: Lowered) -> int | None:
    """Return the value where the tree is one constant."""
    return lowered.tree[1] if lowered.tree[0] == "int" else None


def _checked(lowered: Lowered) -> Lowered:
    if lowered.size > LONGEST_POSTFIX:
        raise InvalidExpression(
            f"expected an expression of at most {LONGEST_POSTFIX:,} operations, "
            f"got {lowered.size:,} after its terms were written out"
        )
    if lowered.low < -LARGEST_VALUE or lowered.high > LARGEST_VALUE:
        raise InvalidExpression(
            f"expected values within ±{LARGEST_VALUE:,}, "
            f"got a part that reaches {lowered.low:,} to {lowered.high:,}"
        )
    return lowered


def _scaled(lowered: Lowered, scale: int) -> Lowered:
    if lowered.scale == scale:
        return lowered
    value = _value(lowered)
    if value is not None:
        return _constant(2 * value, scale=2)
    return _of("*", lowered, _constant(2), low=2 * lowered.low, high=2 * lowered.high, scale=2)


def _same_unit(left: Lowered, right: Lowered) -> tuple[Lowered, Lowered]:
    scale = max(left.scale, right.scale)
    return _scaled(left, scale), _scaled(right, scale)


def _negative(operand: Lowered) -> Lowered:
    value = _value(operand)
    if value is not None:
        return _constant(-value, scale=operand.scale)
    return _of("neg", operand, low=-operand.high, high=-operand.low)


def _sum(left: Lowered, sign: str, right: Lowered) -> Lowered:
    left, right = _same_unit(left, right)
    low, high = (right.low, right.high) if sign == "+" else (-right.high, -right.low)
    if _value(left) is not None and _value(right) is not None:
        return _checked(_constant(left.low + low, scale=left.scale))
    return _of(sign, left, right, low=left.low + low, high=left.high + high)


def _product(expression: Expression, factors: list[Lowered]) -> Lowered:
    if any(factor.scale == 2 for factor in factors):
        raise InvalidExpression(
            f"expected no product with quick tricks or halves, got {str(expression)[:80]!r}"
        )
    product = factors[0]
    for factor in factors[1:]:
        corners = [
            left * right
            for left in (product.low, product.high)
            for right in (factor.low, factor.high)
        ]
        constant = _value(product) is not None and _value(factor) is not None
        product = (
            _checked(_constant(corners[0]))
            if constant
            else _of("*", product, factor, low=min(corners), high=max(corners))
        )
    return product


def _truth(lowered: Lowered) -> Lowered:
    """Turn a number into a truth value: whether it differs from zero."""
    value = _value(lowered)
    if value is not None:
        return _constant(int(value != 0), boolean=True)
    if lowered.boolean:
        return lowered
    return _test("!=", lowered, _constant(0))


def _of(
    operator: str, *operands: Lowered, low: int, high: int, scale: int = 0, boolean: bool = False
) -> Lowered:
    tree = (operator, *(operand.tree for operand in operands))
    size = 1 + sum(operand.size for operand in operands)
    return _checked(Lowered(tree, size, scale or operands[0].scale, low, high, boolean))


def _test(operator: str, *operands: Lowered) -> Lowered:
    return _of(operator, *operands, low=0, high=1, scale=1, boolean=True)


def _not(operand: Lowered) -> Lowered:
    operand = _truth(operand)
    value = _value(operand)
    if value is not None:
        return _constant(int(not value), boolean=True)
    operator, *parts = operand.tree
    if operator in OPPOSITE:
        return operand._replace(tree=(OPPOSITE[operator], *parts))
    if operator == "not":  # its operand is a truth value already
        return operand._replace(tree=parts[0], size=operand.size - 1)
    return _test("not", operand)


def _join(operands: list[Lowered], operator: str) -> Lowered:
    joined = _truth(operands[0])
    for operand in operands[1:]:
        joined = _test(operator, joined, _truth(operand))
    return joined


def _comparison(comparison: Comparison, vocabulary: TermLookup) -> Lowered:
    operands = [comparison.first, *(operand for _, operand in comparison.rest)]
    if any(
        isinstance(operand, Shape)
        or (isinstance(operand, TermName) and vocabulary.is_pattern(operand.name))
        for operand in operands
    ):
        return _pattern_comparison(comparison, vocabulary)
    lowered = [lower(operand, vocabulary) for operand in operands]
    if any(part.scale == 2 for part in lowered) and not any(
        vocabulary.lowered_term(name).scale == 2 for name in terms_of(comparison)
    ):
        raise InvalidExpression(
            f"expected a half only beside quick tricks, got {str(comparison)[:80]!r}"
        )
    tests = [
        _compare(left, operator, right)
        for left, (operator, _), right in zip(lowered, comparison.rest, lowered[1:], strict=False)
    ]
    return _join(tests, "and")


def _pattern_comparison(comparison: Comparison, vocabulary: TermLookup) -> Lowered:
    match comparison:
        case Comparison(TermName(name), (("==" | "!=" as operator, Shape(pattern)),)) | Comparison(
            Shape(pattern), (("==" | "!=" as operator, TermName(name)),)
        ) if vocabulary.is_pattern(name):
            return _test(operator, vocabulary.lowered_term(name), _constant(int(pattern, 16)))
    name = next(filter(vocabulary.is_pattern, terms_of(comparison)), "Pattern")
    raise InvalidExpression(
        f"expected {name} == or != a shape in quotes, such as {name} == '5332', "
        f"got {str(comparison)[:80]!r}"
    )


def _compare(left: Lowered, operator: str, right: Lowered) -> Lowered:
    if _value(left) is not None and _value(right) is None:
        left, operator, right = right, MIRRORED[operator], left
    value = _value(right)
    if left.boolean and right.boolean and value is not None and operator in ("==", "!="):
        return left if (operator == "==") == bool(value) else _not(left)
    left, right = _same_unit(left, right)
    constant, value = _value(left), _value(right)
    if constant is not None and value is not None:
        return _constant(int(COMPARE[operator](constant, value)), boolean=True)
    return _test(operator, left, right)
