"""Reads expressions by the tables of ``expressions.lark``: loaded when a text needs them."""

from functools import cache
from pathlib import Path
from typing import Final, cast

from bidcascade.bridge import InvalidExpression

from .expression_tree import (
    LARGEST_NUMBER,
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
from .lalr import Parser, Token, UnexpectedInput

_READABLE: Final = {
    "NAME": "a term", "NUMBER": "a number", "SHAPE": "a hand pattern in quotes",
    "COMPARATOR": "a comparison", "PLUS": "'+'", "MINUS": "'-'", "STAR": "'*'",
    "AND": "'and'", "OR": "'or'", "NOT": "'not'", "TRUE": "True", "FALSE": "False",
    "LPAR": "'('", "RPAR": "')'", "AMPERSAND": "'and'", "VBAR": "'or'", "$END": "the end",
}  # fmt: skip
_STARTS_OPERAND: Final = frozenset({"NAME", "NUMBER", "LPAR"})


def parsed(text: str) -> Expression:
    """Read one expression.

    Examples
    --------
    >>> str(parsed("HCP>=15 & ( SL_S>=5 | Balanced )"))
    'HCP >= 15 and (SL_S >= 5 or Balanced)'
    """
    try:
        return cast(Expression, _parser().parse(text))
    except UnexpectedInput as error:
        raise _syntax_error(text, error) from None


@cache
def _parser() -> Parser:
    return Parser.of_file(Path(__file__).with_name("expressions.json"), _TreeBuilder())


def _pairs(rest: tuple[Token | Expression, ...]) -> tuple[tuple[str, Expression], ...]:
    return tuple(
        (str(operator), operand)
        for operator, operand in zip(rest[::2], rest[1::2], strict=True)
        if not isinstance(operand, Token)
    )


class _TreeBuilder:
    """Turns what the grammar reduces into tree classes, bottom up and without recursion."""

    def term(self, name: Token) -> Expression:
        return TermName(str(name))

    def number(self, digits: Token) -> Expression:
        whole, _, part = digits.partition(".")
        if part.rstrip("0") not in ("", "5"):
            raise InvalidExpression(
                f"expected an integer or a half such as 2.5, got {digits[:40]!r} "
                f"at character {_place(digits)}"
            )
        if len(whole.lstrip("0")) > 6:
            raise InvalidExpression(
                f"expected a number of at most {LARGEST_NUMBER:,}, got {digits[:40]!r} "
                f"at character {_place(digits)}"
            )
        return Number(2 * int(whole) + (part[:1] == "5"))

    def shape(self, quoted: Token) -> Expression:
        pattern = quoted[1:-1].upper()
        lengths = [int(letter, 16) for letter in pattern if letter in "0123456789ABCD"]
        if len(pattern) != 4 or len(lengths) != 4 or sum(lengths) != 13:
            raise InvalidExpression(
                "expected a hand pattern of four lengths that sum to 13, such as '5332' "
                f"(A to D for 10 to 13), got {quoted[:40]!s} at character {_place(quoted)}"
            )
        if lengths != sorted(lengths, reverse=True):
            ordered = "".join(sorted(pattern, reverse=True))
            raise InvalidExpression(
                f"expected the longest suit first, {ordered!r}, got {quoted!s} "
                f"at character {_place(quoted)}; for a suit use its length, such as SL_S == 5"
            )
        return Shape(pattern)

    def true(self) -> Expression:
        return Truth(value=True)

    def false(self) -> Expression:
        return Truth(value=False)

    def negative(self, _minus: Token, operand: Expression) -> Expression:
        return Negative(operand)

    def multiplied(self, *factors: Expression) -> Expression:
        return Product(factors)

    def added(self, first: Expression, *rest: Token | Expression) -> Expression:
        return Sum(first, _pairs(rest))

    def compared(self, first: Expression, *rest: Token | Expression) -> Expression:
        return Comparison(first, _pairs(rest))

    def denied(self, operand: Expression) -> Expression:
        return Not(operand)

    def both(self, *operands: Expression) -> Expression:
        return And(operands)

    def either(self, *operands: Expression) -> Expression:
        return Or(operands)


def _place(token: Token) -> int:
    return token.start + 1


def _syntax_error(text: str, error: UnexpectedInput) -> InvalidExpression:
    """Say where it went wrong, what was expected there, and draw the line with a caret."""
    expected = set(error.expected)
    position = len(text.rstrip()) if error.position is None else error.position
    if error.position is None:
        got = "the end"
    elif error.token is None:
        got = repr(text[position])
    else:
        got = repr(error.token[:40])
    if text.count("(", 0, position) <= text.count(")", 0, position):
        expected.discard("RPAR")
    hint = ""
    if text[position : position + 1] == "=":
        hint = "; a comparison for equality is written =="
    return InvalidExpression(
        f"expected {_list_expected(expected)} at character {position + 1}, got {got}{hint}"
        + _caret(text, position)
    )


def _list_expected(terminals: set[str]) -> str:
    if terminals >= _STARTS_OPERAND:
        return "an operand"
    readable = sorted({_READABLE.get(terminal, terminal) for terminal in terminals})
    return " or ".join(readable) if readable else "an expression"


def _caret(text: str, position: int) -> str:
    if not text.strip():
        return ""
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    line = text[start : end if end >= 0 else len(text)]
    shown_from = max(0, position - start - 60)
    shown = line[shown_from : shown_from + 80].replace("\t", " ")
    return f"\n  {shown}\n  {' ' * (position - start - shown_from)}^"
