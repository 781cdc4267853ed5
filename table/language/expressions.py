"""Expressions: text to tree and back. The language is written down in ``expressions.lark``.

Expression text is never evaluated by Python; a grammar reads it, :func:`to_postfix` lowers it.
"""

import re
from itertools import accumulate
from typing import Final

from bidcascade.bridge import InvalidExpression
from bidcascade.kernels.machine.caches import bounded_cache

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
    depth_of,
    format_expression,
    operands_of,
    terms_of,
)
from .lowering import to_postfix

__all__ = [
    "DEEPEST_NESTING", "LARGEST_NUMBER", "LONGEST_TEXT", "And", "Comparison", "Expression",
    "Negative", "Not", "Number", "Or", "Product", "Shape", "Sum", "TermName", "Truth",
    "format_expression", "operands_of", "parse_expression", "terms_of", "to_postfix",
]  # fmt: skip

LONGEST_TEXT: Final = 10_000
"""Characters an expression may have; the longest published one has 39."""

DEEPEST_NESTING: Final = 64
"""Levels of parentheses, ``not`` and minus signs an expression may have."""


_PLAIN_ATOM: Final = re.compile(
    r"[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*(?:(<=|>=|==|!=|<|>)[ \t]*([0-9]{1,6}))?[ \t]*"
)
_PLAIN_PAIR: Final = re.compile(
    r"[ \t]*([A-Za-z_][A-Za-z0-9_]*) (and|\+|-) ([A-Za-z_][A-Za-z0-9_]*)[ \t]*"
)
KEYWORDS: Final = frozenset({"and", "or", "not", "True", "False"})


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


@bounded_cache(1 << 12)
def _parse(text: str) -> Expression:
    plain = _PLAIN_ATOM.fullmatch(text)
    if plain and plain[1] not in KEYWORDS:
        term = TermName(plain[1])
        if plain[2] is None:
            return term
        return Comparison(term, ((plain[2], Number(2 * int(plain[3]))),))
    pair = _PLAIN_PAIR.fullmatch(text)
    if pair and not KEYWORDS & {pair[1], pair[3]}:
        first, second = TermName(pair[1]), TermName(pair[3])
        return And((first, second)) if pair[2] == "and" else Sum(first, ((pair[2], second),))
    return parse_with_grammar(text)


def parse_with_grammar(text: str) -> Expression:
    """Read one expression without the short cut for plain texts like ``TERM >= 15``, uncached."""
    _check_nesting(_deepest_parenthesis(text), text)
    # most texts are plain, and need no tables of the grammar
    from .expression_grammar import parsed

    expression = parsed(text)
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
