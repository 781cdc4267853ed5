"""Expressions: text to tree and back. The language is written down in ``expressions.lark``.

Expression text is never evaluated by Python; a grammar reads it, :func:`to_postfix` lowers it.
"""

import re
from functools import cache, lru_cache
from importlib.resources import files
from itertools import accumulate
from typing import Final, cast

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedEOF, UnexpectedInput
from lark.exceptions import UnexpectedToken
from lark.visitors import v_args

from bidcascade.bridge import InvalidExpression

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
    depth_of,
    format_expression,
    operands_of,
    terms_of,
)
from .lowering import to_postfix

__all__ = [
    "DEEPEST_NESTING", "LARGEST_NUMBER", "LONGEST_TEXT", "And", "Comparison", "Expression",
    "Negative", "Not", "Number", "Or", "Product", "Shape", "Sum", "Term", "Truth",
    "format_expression", "operands_of", "parse_expression", "terms_of", "to_postfix",
]  # fmt: skip

LONGEST_TEXT: Final = 10_000
"""Characters an expression may have; the longest published one has 39."""

DEEPEST_NESTING: Final = 64
"""Levels of parentheses, ``not`` and minus signs an expression may have."""

LARGEST_NUMBER: Final = 999_999

_PLAIN_ATOM: Final = re.compile(
    r"[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*(?:(<=|>=|==|!=|<|>)[ \t]*([0-9]{1,6}))?[ \t]*"
)
_KEYWORDS: Final = frozenset({"and", "or", "not", "True", "False"})

_READABLE: Final = {
    "NAME": "a term", "NUMBER": "a number", "SHAPE": "a hand pattern in quotes",
    "COMPARATOR": "a comparison", "PLUS": "'+'", "MINUS": "'-'", "STAR": "'*'",
    "AND": "'and'", "OR": "'or'", "NOT": "'not'", "TRUE": "True", "FALSE": "False",
    "LPAR": "'('", "RPAR": "')'", "AMPERSAND": "'and'", "VBAR": "'or'", "$END": "the end",
}  # fmt: skip
_STARTS_OPERAND: Final = frozenset({"NAME", "NUMBER", "LPAR"})


def parse_expression(text: str) -> Expression:
    """Read one expression; whether its terms exist is asked later, by a vocabulary.

    Raises
    ------
    InvalidExpression
        If the text is none, with the place and what was expected there, or if it is longer than
        :data:`LONGEST_TEXT`, nested deeper than :data:`DEEPEST_NESTING`, or holds a number above
        :data:`LARGEST_NUMBER`.

    Examples
    --------
    >>> str(parse_expression("HCP>=15 & ( SL_S>=5 | Balanced )"))
    'HCP >= 15 and (SL_S >= 5 or Balanced)'
    >>> parse_expression("HCP => 15")
    Traceback (most recent call last):
    ...
    bidcascade.bridge.errors.InvalidExpression: expected '*' or '+' or '-' or 'and' or 'or' or \
a comparison at character 5, got '='; a comparison for equality is written ==
      HCP => 15
          ^
    """
    if len(text) > LONGEST_TEXT:
        raise InvalidExpression(
            f"expected an expression of at most {LONGEST_TEXT:,} characters, "
            f"got {len(text):,}: {text[:40]!r}…"
        )
    return _parse(text)


@lru_cache(maxsize=1 << 14)
def _parse(text: str) -> Expression:
    plain = _PLAIN_ATOM.fullmatch(text)
    if plain and plain[1] not in _KEYWORDS:
        term = Term(plain[1])
        if plain[2] is None:
            return term
        return Comparison(term, ((plain[2], Number(2 * int(plain[3]))),))
    return parse_with_grammar(text)


def parse_with_grammar(text: str) -> Expression:
    """Read one expression without the short cut for ``TERM`` and ``TERM >= 15``, uncached.

    Examples
    --------
    >>> parse_with_grammar("HCP >= 15") == parse_expression("HCP >= 15")
    True
    """
    _check_nesting(_deepest_parenthesis(text), text)
    try:
        # the transformer makes lark return what the tree builder returns
        expression = cast(Expression, _parser().parse(text))
    except UnexpectedInput as error:
        raise _syntax_error(text, error) from None
    _check_nesting(depth_of(expression), text)
    return expression


def _check_nesting(depth: int, text: str) -> None:
    if depth > DEEPEST_NESTING:
        raise InvalidExpression(
            f"expected at most {DEEPEST_NESTING} levels of nesting, got {depth}: {text[:40]!r}…"
        )


def _deepest_parenthesis(text: str) -> int:
    if text.count("(") <= DEEPEST_NESTING:
        return 0
    return max(accumulate((letter == "(") - (letter == ")") for letter in text))


@cache
def _parser() -> Lark:
    grammar = files(__package__).joinpath("expressions.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", transformer=_TreeBuilder(), propagate_positions=False)


def _pairs(rest: tuple[Token | Expression, ...]) -> tuple[tuple[str, Expression], ...]:
    return tuple(
        (str(operator), operand)
        for operator, operand in zip(rest[::2], rest[1::2], strict=True)
        if not isinstance(operand, Token)
    )


@v_args(inline=True)
class _TreeBuilder(Transformer[Token, Expression]):
    """Turns what the grammar reduces into tree classes, bottom up and without recursion."""

    def term(self, name: Token) -> Expression:
        return Term(str(name))

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
    return (token.start_pos or 0) + 1


def _syntax_error(text: str, error: UnexpectedInput) -> InvalidExpression:
    """Say where it went wrong, what was expected there, and draw the line with a caret."""
    if isinstance(error, UnexpectedToken):
        expected = set(error.accepts or error.expected)
        at_end = error.token.type == "$END"
        position = len(text.rstrip()) if at_end else error.token.start_pos or 0
        got = "the end" if at_end else repr(str(error.token)[:40])
    elif isinstance(error, UnexpectedCharacters):
        expected = set(error.allowed or ())
        position = error.pos_in_stream or 0
        got = repr(text[position])
    else:
        expected = set(error.expected) if isinstance(error, UnexpectedEOF) else set()
        position = len(text)
        got = "the end"
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
