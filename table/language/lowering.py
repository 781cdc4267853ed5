"""Expression trees lowered to postfix code for the kernels.

Lowering resolves aliases and user terms, splits chained comparisons, folds constants, puts the
constant of a comparison on the right, and scales by two what is compared with quick tricks, which
the kernels count in halves. Equal tests come out as equal code wherever that is cheap to see.
"""

from typing import Final, NamedTuple, Protocol, assert_never

from bidcascade.bridge import InvalidExpression
from bidcascade.kernels import Postfix

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
    Term,
    Truth,
    terms_of,
)

LONGEST_POSTFIX: Final = 500
"""Elements an expression may lower to; user terms used by user terms grow fast."""

LARGEST_VALUE: Final = 2**31 - 1
"""Largest absolute value a part of an expression may reach: kernels compute in 32 bits."""

_MIRRORED: Final = {"<": ">", "<=": ">=", "==": "==", "!=": "!=", ">=": "<=", ">": "<"}
OPPOSITE: Final = {"<": ">=", "<=": ">", "==": "!=", "!=": "==", ">=": "<", ">": "<="}


class Lowered(NamedTuple):
    """Postfix code with what is known about its value.

    Parameters
    ----------
    scale : int
        2 where the value counts halves (quick tricks), else 1.
    low, high : int
        Bounds of the value, in the scaled unit.
    boolean : bool
        Whether the value is 0 or 1 as a truth value.
    """

    code: Postfix
    scale: int
    low: int
    high: int
    boolean: bool


class TermLookup(Protocol):
    """What lowering asks of a vocabulary."""

    def lowered_term(self, name: str) -> Lowered:
        """Code of a term; raises UnknownTerm, or InvalidExpression for a tag."""

    def is_tag(self, name: str) -> bool:
        """Whether the name is a remark about the auction."""


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
    if isinstance(expression, Term) and vocabulary.is_tag(expression.name):
        return (1,)
    return _truth(lower(expression, vocabulary)).code


def lower(expression: Expression, vocabulary: TermLookup) -> Lowered:
    """Postfix code of an expression together with the bounds of its value."""
    match expression:
        case Term(name):
            if name == "Pattern":
                raise InvalidExpression(
                    "expected Pattern in a comparison with a shape in quotes, "
                    "such as Pattern == '5332'"
                )
            return vocabulary.lowered_term(name)
        case Number(halves):
            if halves % 2:
                return Lowered((halves,), 2, halves, halves, boolean=False)
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
    return Lowered((value,), scale, value, value, boolean)


def _value(lowered: Lowered) -> int | None:
    """Return the value where the code is one constant."""
    first = lowered.code[0]
    return first if len(lowered.code) == 1 and isinstance(first, int) else None


def _checked(lowered: Lowered) -> Lowered:
    if len(lowered.code) > LONGEST_POSTFIX:
        raise InvalidExpression(
            f"expected an expression of at most {LONGEST_POSTFIX:,} operations, "
            f"got {len(lowered.code):,} after its terms were written out"
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
    return _checked(
        Lowered((*lowered.code, 2, "*"), 2, 2 * lowered.low, 2 * lowered.high, boolean=False)
    )


def _same_unit(left: Lowered, right: Lowered) -> tuple[Lowered, Lowered]:
    scale = max(left.scale, right.scale)
    return _scaled(left, scale), _scaled(right, scale)


def _negative(operand: Lowered) -> Lowered:
    value = _value(operand)
    if value is not None:
        return _constant(-value, scale=operand.scale)
    return Lowered(
        (*operand.code, "neg"), operand.scale, -operand.high, -operand.low, boolean=False
    )


def _sum(left: Lowered, sign: str, right: Lowered) -> Lowered:
    left, right = _same_unit(left, right)
    low, high = (right.low, right.high) if sign == "+" else (-right.high, -right.low)
    if _value(left) is not None and _value(right) is not None:
        return _checked(_constant(left.low + low, scale=left.scale))
    return _checked(
        Lowered(
            (*left.code, *right.code, sign),
            left.scale,
            left.low + low,
            left.high + high,
            boolean=False,
        )
    )


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
        product = _checked(
            Lowered(
                (corners[0],) if constant else (*product.code, *factor.code, "*"),
                1,
                min(corners),
                max(corners),
                boolean=False,
            )
        )
    return product


def _truth(lowered: Lowered) -> Lowered:
    """Turn a number into a truth value: whether it differs from zero."""
    value = _value(lowered)
    if value is not None:
        return _constant(int(value != 0), boolean=True)
    if lowered.boolean:
        return lowered
    return _test((*lowered.code, 0, "!="))


def _test(code: Postfix) -> Lowered:
    return _checked(Lowered(code, 1, 0, 1, boolean=True))


def _not(operand: Lowered) -> Lowered:
    operand = _truth(operand)
    value = _value(operand)
    if value is not None:
        return _constant(int(not value), boolean=True)
    last = operand.code[-1]
    if isinstance(last, str) and last in OPPOSITE:
        return _test((*operand.code[:-1], OPPOSITE[last]))
    # the operand of a "not" is a truth value already
    return _test(operand.code[:-1] if last == "not" else (*operand.code, "not"))


def _join(operands: list[Lowered], operator: str) -> Lowered:
    joined = _truth(operands[0])
    for operand in operands[1:]:
        joined = _test((*joined.code, *_truth(operand).code, operator))
    return joined


def _comparison(comparison: Comparison, vocabulary: TermLookup) -> Lowered:
    operands = [comparison.first, *(operand for _, operand in comparison.rest)]
    if any(isinstance(operand, Shape) for operand in operands) or Term("Pattern") in operands:
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
        case Comparison(Term("Pattern"), (("==" | "!=" as operator, Shape(pattern)),)) | Comparison(
            Shape(pattern), (("==" | "!=" as operator, Term("Pattern")),)
        ):
            term = vocabulary.lowered_term("Pattern")
            return _test((*term.code, int(pattern, 16), operator))
    raise InvalidExpression(
        "expected Pattern == or != a shape in quotes, such as Pattern == '5332', "
        f"got {str(comparison)[:80]!r}"
    )


def _compare(left: Lowered, operator: str, right: Lowered) -> Lowered:
    if _value(left) is not None and _value(right) is None:
        left, operator, right = right, _MIRRORED[operator], left
    value = _value(right)
    if left.boolean and right.boolean and value is not None and operator in ("==", "!="):
        return left if (operator == "==") == bool(value) else _not(left)
    left, right = _same_unit(left, right)
    constant, value = _value(left), _value(right)
    if constant is not None and value is not None:
        return _constant(int(_COMPARE[operator](constant, value)), boolean=True)
    return _test((*left.code, *right.code, operator))


_COMPARE: Final = {
    "<": int.__lt__, "<=": int.__le__, "==": int.__eq__,
    "!=": int.__ne__, ">=": int.__ge__, ">": int.__gt__,
}  # fmt: skip
