"""Why a call fits a hand or not: each expression with the hand's own value.

The values come from ``kernels.reference``, the definition that every backend follows.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NotRequired, TypeAlias, TypedDict

from bidcascade.kernels import Context, Postfix, evaluate_postfix, terms

from .expression_tree import Expression, format_expression, terms_of
from .lowering import to_postfix
from .vocabulary import Vocabulary

Value: TypeAlias = int | float | bool | str | None
"""A number, a truth value, a hand pattern such as ``5332``, or None for a tag."""


class PhraseText(TypedDict):
    """A phrase of a line, and the expression that it became."""

    text: str
    expression: str


class ExpressionCheck(TypedDict):
    """One expression on one hand.

    ``value`` is that of the expression's term; where it names several, each value by name; None
    where it names none. ``words`` are phrases of a system's line that it is made of.
    """

    expression: str
    value: Value | dict[str, Value]
    holds: bool
    words: NotRequired[list[PhraseText]]


def explain(
    hand: int,
    expressions: Sequence[Expression],
    vocabulary: Vocabulary,
    context: Context | None = None,
) -> list[ExpressionCheck]:
    """Check a hand against each expression of a criteria list.

    Parameters
    ----------
    hand : int
        Mask of the bidder's 13 cards.
    expressions : sequence of Expression
        The criteria, in the order of the answer.
    context : Context, optional
        Bidder's seat counted from the dealer, and who is vulnerable.

    Raises
    ------
    UnknownTerm, InvalidExpression
        As :func:`~.lowering.to_postfix` does.

    Examples
    --------
    >>> from bidcascade.bridge import parse_hand
    >>> from bidcascade.table.language.expressions import parse_expression
    >>> explain(parse_hand("K52.AQ3.9876.KJ2"), [parse_expression("SL_H >= 4")], Vocabulary())
    [{'expression': 'SL_H >= 4', 'value': 3, 'holds': False}]
    """
    values = HandValues(hand, vocabulary, context)
    return [
        explain_one(hand, expression, vocabulary, context, values=values)
        for expression in expressions
    ]


class HandValues(dict[str, int]):
    """Values of terms for one hand, each worked out when it is first asked for."""

    def __init__(self, hand: int, vocabulary: Vocabulary, context: Context | None = None) -> None:
        super().__init__()
        self._hand = hand
        self._terms = terms(vocabulary.profile)
        self._context = context or Context()

    def __missing__(self, name: str) -> int:
        value = self[name] = self._terms[name].value(self._hand, self._context)
        return value


def explain_one(
    hand: int,
    expression: Expression,
    vocabulary: Vocabulary,
    context: Context | None = None,
    *,
    values: HandValues | None = None,
) -> ExpressionCheck:
    """Check a hand against one expression; see :func:`explain`.

    ``values`` are kept from one expression to the next by those who ask about many.

    Examples
    --------
    >>> from bidcascade.bridge import parse_hand
    >>> from bidcascade.table.language.expressions import parse_expression
    >>> explain_one(parse_hand("K52.AQ3.9876.KJ2"), parse_expression("QT>2"), Vocabulary())
    {'expression': 'QT > 2', 'value': 2.5, 'holds': True}
    """
    text, code, names = _known(expression, vocabulary)
    value = evaluate_postfix(code, hand, context, profile=vocabulary.profile, values=values)
    shown = {
        name: term_value_shown(name, hand, vocabulary, context, values=values) for name in names
    }
    return {
        "expression": text,
        "value": shown if len(shown) > 1 else next(iter(shown.values()), None),
        "holds": bool(value),
    }


def holds(
    hand: int,
    expression: Expression,
    vocabulary: Vocabulary,
    context: Context | None = None,
    *,
    values: HandValues | None = None,
) -> bool:
    """Tell whether an expression holds for a hand.

    Examples
    --------
    >>> from bidcascade.bridge import parse_hand
    >>> from bidcascade.table.language.expressions import parse_expression
    >>> holds(parse_hand("K52.AQ3.9876.KJ2"), parse_expression("Balanced"), Vocabulary())
    True
    """
    _, code, _ = _known(expression, vocabulary)
    return bool(evaluate_postfix(code, hand, context, profile=vocabulary.profile, values=values))


@lru_cache(maxsize=1 << 11)
def _known(expression: Expression, vocabulary: Vocabulary) -> tuple[str, Postfix, tuple[str, ...]]:
    """Text, code and terms of an expression: one place of a table asks for few, over and over."""
    code = to_postfix(expression, vocabulary)
    return format_expression(expression), code, tuple(terms_of(expression))


def term_value_shown(
    name: str,
    hand: int,
    vocabulary: Vocabulary,
    context: Context | None = None,
    *,
    values: HandValues | None = None,
) -> Value:
    """Value of a term as a player reads it: quick tricks in halves, a pattern as text."""
    if vocabulary.is_tag(name):
        return None
    lowered = vocabulary.lowered_term(name)
    value = evaluate_postfix(lowered.code, hand, context, profile=vocabulary.profile, values=values)
    if name == "Pattern":
        return f"{value:X}"
    if lowered.boolean:
        return bool(value)
    return value / lowered.scale if value % lowered.scale else value // lowered.scale
