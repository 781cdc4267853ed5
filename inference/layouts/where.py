"""Conditions on whole deals, ``HCP_N >= 15 and SL_N_H + SL_S_H >= 8``: what they leave each seat.

The parts that speak of one hand narrow the shapes and points that it is dealt from; all parts are
tested on the layouts.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import BidcascadeError, parse_card
from bidcascade.kernels import Backend, DealArrays
from bidcascade.kernels.packing.literals import OPPOSITE, Interval, LinearForm, Tree, literals_of
from bidcascade.kernels.types import I64
from bidcascade.systems.places.knowledge import EVERYTHING, Bounds
from bidcascade.table import Expression, Vocabulary, format_expression, parse_expression
from bidcascade.table.deal_conditions import DealCondition
from bidcascade.table.language.expression_tree import (
    And,
    Comparison,
    Not,
    Or,
    Shape,
    rename_terms,
    terms_of,
)
from bidcascade.table.language.lowering import tree_of
from bidcascade.table.language.seat_terms import seat_vocabulary

from .card_sums import is_of_holdings, weights_of
from .steps import bounds_of

_MOST_ALTERNATIVES: Final = 16
_CARD: Final = re.compile(r"C_([CDHS][2-9TJQKA])")


class Constraints:
    """Conditions that every layout must meet; they are never relaxed.

    Parameters
    ----------
    texts
        Expressions whose terms carry a seat.
    vocabulary
        Terms of one hand; those of profile ``gib`` if not given.

    Raises
    ------
    InvalidExpression, UnknownTerm
        If one does not parse, or a term is unknown or names no seat.

    Examples
    --------
    >>> from bidcascade.systems.places.knowledge import hull
    >>> constraints = Constraints(["HCP_N >= 15 and SL_N_H + SL_S_H >= 8"])
    >>> hull(constraints.cells[0]).points
    (15, 37)
    """

    def __init__(self, texts: Sequence[str], vocabulary: Vocabulary | None = None) -> None:
        self.texts = tuple(texts)
        self.vocabulary = vocabulary or Vocabulary()
        self.cells = [EVERYTHING] * 4
        """Shapes and points that each seat may have."""
        self.cells_beside_sums = [EVERYTHING] * 4
        """The same by the conditions alone that sums over cards do not tell."""
        self.intervals: list[Interval] = []
        """Linear forms of terms with a seat, and the values they may have."""
        self.cells_beside_tables = [EVERYTHING] * 4
        """The same by the conditions that neither sums over cards nor tables of holdings tell."""
        self.tabled: list[Interval] = []
        """Those of the intervals that are sums over holdings, as losers are."""
        self.sums: list[tuple[Interval, I64]] = []
        """Those of the intervals that are sums over cards, with what each card adds."""
        self.tests: list[Tree] = []
        """Other truth values of several hands, such as a product of lengths."""
        self.cards, self.forbidden = [0] * 4, [0] * 4
        """Masks of cards that conditions such as ``C_N_SA`` give or deny each seat."""
        self.is_false = False
        """Whether a condition fails whatever is dealt."""
        self._conditions: list[DealCondition] = []
        for number, text in enumerate(texts):
            try:
                self._conditions.append(DealCondition(text, self.vocabulary))
            except BidcascadeError as error:
                error.field, error.value = f"where[{number}]", text
                raise
        self._parts = [part for text in texts for part in _parts(parse_expression(text))]
        for part in self._parts:
            self._narrow(part)

    @property
    def parts(self) -> list[str]:
        """Texts of the conditions that must all hold, none of which is a conjunction."""
        return list(dict.fromkeys(map(format_expression, self._parts)))

    @cached_property
    def alternatives(self) -> tuple["Constraints", ...]:
        """Conditions of which one must hold, none with an ``or`` of several hands; itself if alone.

        What would make too many of them stays as it is: a test that only deals can answer.
        """
        choices: list[tuple[Expression, ...]] = [()]
        for part in self._parts:
            own = [part] if self._is_exact(part) else _alternatives(part)
            if len(own) * len(choices) > _MOST_ALTERNATIVES:
                own = [part]
            choices = [(*before, one) for before in choices for one in own]
        if len(choices) == 1:
            return (self,)
        return tuple(
            Constraints([format_expression(one) for one in parts], self.vocabulary)
            for parts in choices
        )

    def _is_exact(self, part: Expression) -> bool:
        """Whether a part speaks of one hand, and its shape and points alone decide it."""
        names = seat_vocabulary(self.vocabulary)
        if len({names.origin[name][1] for name in terms_of(part)}) > 1:
            return False
        found = self._bounds(part)
        return found.can == found.must

    def _bounds(self, part: Expression) -> Bounds:
        """Shapes and points with which the one hand of a part can, and must, meet it."""
        names = seat_vocabulary(self.vocabulary)
        own = rename_terms(part, lambda name: names.origin[name][0])
        return bounds_of((own,), self.vocabulary)

    def _narrow(self, part: Expression) -> None:
        names = seat_vocabulary(self.vocabulary)
        seats = {names.origin[name][1] for name in terms_of(part)}
        literals = literals_of(tree_of(part, names))
        if isinstance(literals, bool):
            self.is_false = self.is_false or not literals
            literals = []
        is_exact = self._is_exact(part)
        handled = tabled = 0
        for one in literals:
            if isinstance(one, Interval):
                self.intervals.append(one)
                if one.high <= 0:
                    self._card(one.form, self.forbidden)
                weights = None if is_exact else weights_of(one.form, self.vocabulary)
                if weights is not None:
                    self.sums.append((one, weights))
                    handled += 1
                elif not is_exact and is_of_holdings(one.form, self.vocabulary):
                    self.tabled.append(one)
                    tabled += 1
            elif not one.positive and one.tree[0] == "interval" and one.tree[2:] == (0, 0):
                # a term that is not 0: the card is there
                self._card(one.tree[1], self.cards)
            elif not is_exact:
                self.tests.append(one.tree if one.positive else ("not", one.tree))
        if len(seats) == 1:
            can = self._bounds(part).can
            seat = seats.pop()
            self.cells[seat] &= can
            if handled < len(literals):
                self.cells_beside_sums[seat] &= can
            if handled + tabled < len(literals):
                self.cells_beside_tables[seat] &= can

    def _card(self, form: LinearForm, masks: list[int]) -> None:
        if len(form) == 1 and form[0][1] == 1:
            term, seat = seat_vocabulary(self.vocabulary).origin[form[0][0]]
            if card := _CARD.fullmatch(term):
                masks[seat] |= 1 << parse_card(card[1])

    def holds(self, deals: DealArrays, backend: Backend) -> NDArray[np.bool_]:
        """Tell for which deals all conditions hold, bool[n]."""
        found = np.ones(len(deals), np.bool_)
        for condition in self._conditions:
            found &= condition.holds(backend, deals)
        return found


def _parts(expression: Expression) -> Iterator[Expression]:
    expression = _pushed(expression)
    if isinstance(expression, And):
        for operand in expression.operands:
            yield from _parts(operand)
    else:
        yield expression


def _pushed(expression: Expression) -> Expression:
    """Write a negation of an ``and``, an ``or`` or a comparison as what it says of the parts."""
    match expression:
        case Not(Not(operand)):
            return _pushed(operand)
        case Not(And(operands)):
            return Or(tuple(map(Not, operands)))
        case Not(Or(operands)):
            return And(tuple(map(Not, operands)))
        case Not(Comparison(first, ((operator, second),))):
            return Comparison(first, ((OPPOSITE[operator], second),))
    return expression


def _alternatives(expression: Expression) -> list[Expression]:
    """Conditions of which one must hold."""
    expression = _pushed(expression)
    match expression:
        case Or(operands):
            return [one for operand in operands for one in _alternatives(operand)]
        case Comparison(first, (("!=", second),)) if not isinstance(second, Shape):
            return [Comparison(first, ((operator, second),)) for operator in "<>"]
    return [expression]
