"""Conditions on whole deals, ``HCP_N >= 15 and SL_N_H + SL_S_H >= 8``: what they leave each seat.

The parts that speak of one hand narrow the shapes and points that it is dealt from; all parts are
tested on the layouts.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import parse_card
from bidcascade.kernels import Backend, DealArrays
from bidcascade.kernels.lowering import Interval, LinearForm, lower
from bidcascade.systems.knowledge import EVERYTHING
from bidcascade.table import Expression, Vocabulary, parse_expression
from bidcascade.table.compass import (
    DealCondition,
    compass_vocabulary,
    patterns_as_numbers,
    rename_terms,
)
from bidcascade.table.language.expression_tree import And, terms_of
from bidcascade.table.language.lowering import tree_of

from .steps import bounds_of

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
    >>> from bidcascade.systems.knowledge import hull
    >>> constraints = Constraints(["HCP_N >= 15 and SL_N_H + SL_S_H >= 8"])
    >>> hull(constraints.cells[0]).points
    (15, 37)
    """

    def __init__(self, texts: Sequence[str], vocabulary: Vocabulary | None = None) -> None:
        self.texts = tuple(texts)
        self.cells = [EVERYTHING] * 4
        """Shapes and points that each seat may have."""
        self.intervals: list[Interval] = []
        """Linear forms of terms with a seat, and the values they may have."""
        self.cards, self.forbidden = [0] * 4, [0] * 4
        """Masks of cards that conditions such as ``C_N_SA`` give or deny each seat."""
        self.is_false = False
        """Whether a condition fails whatever is dealt."""
        self._vocabulary = vocabulary or Vocabulary()
        self._conditions = [DealCondition(text, self._vocabulary) for text in texts]
        for text in texts:
            for part in _parts(parse_expression(text)):
                self._narrow(part)

    def _narrow(self, part: Expression) -> None:
        names = compass_vocabulary(self._vocabulary)
        seats = {names.origin[name][1] for name in terms_of(part)}
        if len(seats) == 1:
            own = rename_terms(part, lambda name: names.origin[name][0])
            self.cells[seats.pop()] &= bounds_of((own,), self._vocabulary).can
        literals = lower(tree_of(patterns_as_numbers(part), names))
        if isinstance(literals, bool):
            self.is_false = self.is_false or not literals
            return
        for one in literals:
            if isinstance(one, Interval):
                self.intervals.append(one)
                if one.high <= 0:
                    self._card(one.form, self.forbidden)
            elif not one.positive and one.tree[0] == "interval" and one.tree[2:] == (0, 0):
                # a term that is not 0: the card is there
                self._card(one.tree[1], self.cards)

    def _card(self, form: LinearForm, masks: list[int]) -> None:
        if len(form) == 1 and form[0][1] == 1:
            term, seat = compass_vocabulary(self._vocabulary).origin[form[0][0]]
            if card := _CARD.fullmatch(term):
                masks[seat] |= 1 << parse_card(card[1])

    def holds(self, deals: DealArrays, backend: Backend) -> NDArray[np.bool_]:
        """Tell for which deals all conditions hold, bool[n]."""
        found = np.ones(len(deals), np.bool_)
        for condition in self._conditions:
            found &= condition.holds(backend, deals)
        return found


def _parts(expression: Expression) -> Iterator[Expression]:
    if isinstance(expression, And):
        for operand in expression.operands:
            yield from _parts(operand)
    else:
        yield expression
