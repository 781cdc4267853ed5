"""Why a call fits a hand or not: each expression with the hand's own value.

The values come from ``kernels.reference``, the definition that every backend follows.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias, TypedDict

from bidcascade.kernels import Context, Postfix, evaluate_postfix

from .expression_tree import Expression, format_expression, terms_of
from .lowering import to_postfix
from .vocabulary import Vocabulary

Value: TypeAlias = int | float | bool | str | None
"""A number, a truth value, a hand pattern such as ``5332``, or None for a tag."""


class ExpressionCheck(TypedDict):
    """One expression on one hand.

    ``value`` is that of the expression's term; where it names several, each value by name; None
    where it names none.
    """

    expression: str
    value: Value | dict[str, Value]
    holds: bool


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
    return [explain_one(hand, expression, vocabulary, context) for expression in expressions]


def explain_one(
    hand: int, expression: Expression, vocabulary: Vocabulary, context: Context | None = None
) -> ExpressionCheck:
    """Check a hand against one expression; see :func:`explain`.

    Examples
    --------
    >>> from bidcascade.bridge import parse_hand
    >>> from bidcascade.table.language.expressions import parse_expression
    >>> explain_one(parse_hand("K52.AQ3.9876.KJ2"), parse_expression("QT>2"), Vocabulary())
    {'expression': 'QT > 2', 'value': 2.5, 'holds': True}
    """
    return {
        "expression": format_expression(expression),
        "value": _shown_value(hand, expression, vocabulary, context),
        "holds": holds(hand, expression, vocabulary, context),
    }


def holds(
    hand: int, expression: Expression, vocabulary: Vocabulary, context: Context | None = None
) -> bool:
    """Tell whether an expression holds for a hand.

    Examples
    --------
    >>> from bidcascade.bridge import parse_hand
    >>> from bidcascade.table.language.expressions import parse_expression
    >>> holds(parse_hand("K52.AQ3.9876.KJ2"), parse_expression("Balanced"), Vocabulary())
    True
    """
    code = _code(expression, vocabulary)
    return bool(evaluate_postfix(code, hand, context, profile=vocabulary.profile))


@lru_cache(maxsize=1 << 14)
def _code(expression: Expression, vocabulary: Vocabulary) -> Postfix:
    """Code of an expression: one place of a table asks for few, over and over."""
    return to_postfix(expression, vocabulary)


@lru_cache(maxsize=1 << 14)
def _terms_of(expression: Expression) -> tuple[str, ...]:
    return tuple(terms_of(expression))


def term_value_shown(
    name: str, hand: int, vocabulary: Vocabulary, context: Context | None = None
) -> Value:
    """Value of a term as a player reads it: quick tricks in halves, a pattern as text.

    Examples
    --------
    >>> from bidcascade.bridge import parse_hand
    >>> hand = parse_hand("K52.AQ3.9876.KJ2")
    >>> [term_value_shown(name, hand, Vocabulary()) for name in ("QT", "Pattern", "Stopper_H")]
    [2.5, '4333', True]
    """
    if vocabulary.is_tag(name):
        return None
    lowered = vocabulary.lowered_term(name)
    value = evaluate_postfix(lowered.code, hand, context, profile=vocabulary.profile)
    if name == "Pattern":
        return f"{value:X}"
    if lowered.boolean:
        return bool(value)
    return value / lowered.scale if value % lowered.scale else value // lowered.scale


def _shown_value(
    hand: int, expression: Expression, vocabulary: Vocabulary, context: Context | None
) -> Value | dict[str, Value]:
    values = {
        name: term_value_shown(name, hand, vocabulary, context) for name in _terms_of(expression)
    }
    if len(values) > 1:
        return values
    return next(iter(values.values()), None)
