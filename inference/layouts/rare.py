"""Rare deals: what conditions leave, counted as far as it can be, and deals drawn from that.

A condition is a union of alternatives, ``HCP_N >= 30 or HCP_S >= 30``; of each is counted what its
shapes, points, cards and sums leave. One is chosen by its number of deals and a deal drawn from it,
which is kept if it meets the alternative and none before it: so a deal of two alternatives is as
likely as any other.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from itertools import accumulate
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import FULL_DECK
from bidcascade.kernels.core.functions import most_of_suit
from bidcascade.kernels.packing.layout import evaluate_tree, shape_indices, term_tables
from bidcascade.kernels.packing.literals import Interval, LinearForm, Tree, term_names_in
from bidcascade.kernels.types import I64
from bidcascade.systems.places.knowledge import EVERYTHING
from bidcascade.table import Vocabulary
from bidcascade.table.language.seat_terms import seat_vocabulary

from .card_sums import holdings_of, weights_of
from .counting import BUDGET, CountedDeals, TooManyStates, below, counted_within, words
from .deal_constraints import DealConstraint, OfHand, Predicate, Tabled, Total
from .dealing import Proposed, points_by_shape
from .where import Constraints

_CHOICE_STREAM: Final = 0xC401CE
_NO_HAND: Final = OfHand(0, points_by_shape(0))
_LEAST_BUDGET: Final = 100_000


class Alternative(Protocol):
    """What deals may fit, as far as counting asks; an attempt of :mod:`.searching` is one."""

    @property
    def constraints(self) -> Constraints:
        """Conditions on whole deals."""
        ...

    @property
    def cards(self) -> tuple[list[int], list[int]]:
        """Masks of the cards that each seat holds, and of those that it does not hold."""
        ...

    def cells_by(self, by: Sequence[int]) -> tuple[int, ...]:
        """Shapes and points by seat, by some of the constraints."""
        ...

    def accepted(self, proposed: Proposed) -> Proposed:
        """Those of some deals that fit everything."""
        ...


class RareDeals:
    """Deals of some alternatives, counted and drawn.

    Parameters
    ----------
    alternatives
        One of which deals must fit. Tests that are not counted, such as playing tricks, are left
        to :meth:`propose`'s caller.
    """

    def __init__(self, alternatives: Sequence[Alternative]) -> None:
        self._alternatives = alternatives
        budget = max(_LEAST_BUDGET, BUDGET // len(self._alternatives))
        self._counted = [_counted(one, budget) for one in self._alternatives]
        self._ends = list(accumulate(one.total for one in self._counted))

    @property
    def total(self) -> int:
        """How many deals there are at most, those of two alternatives counted twice; 0: none."""
        return self._ends[-1]

    def propose(self, *, seed: int, first: int, count: int) -> Proposed:
        """Propose deals, all equally likely among those that what is counted leaves.

        Proposals are numbered; each is the same however it is asked for.
        """
        numbers = np.arange(first, first + count)
        chosen = np.array(
            [
                bisect_right(self._ends, below(words(seed ^ _CHOICE_STREAM, int(one)), self.total))
                for one in numbers
            ],
            np.int64,
        )
        parts = []
        for place in range(len(self._alternatives)):
            own = numbers[chosen == place]
            if len(own):
                hands = self._counted[place].draw(seed=seed, numbers=own.tolist())
                found = Proposed(hands, np.ones(len(own)), own)
                if len(self._alternatives) > 1:
                    found = self._of_none_before(found, place)
                parts.append(found)
        order = np.argsort(np.concatenate([one.numbers for one in parts]), kind="stable")
        return Proposed(
            np.concatenate([one.hands for one in parts], axis=1)[:, order],
            np.concatenate([one.weights for one in parts])[order],
            np.concatenate([one.numbers for one in parts])[order],
        )

    def _of_none_before(self, proposed: Proposed, place: int) -> Proposed:
        """Those that meet their alternative, and none before it."""
        found = self._alternatives[place].accepted(proposed)
        for other in self._alternatives[:place]:
            again = np.isin(found.numbers, other.accepted(found).numbers)
            found = Proposed(found.hands[:, ~again], found.weights[~again], found.numbers[~again])
        return found


def _counted(attempt: Alternative, budget: int) -> CountedDeals:
    fixed, forbidden = attempt.cards
    allowed = [
        FULL_DECK & ~forbidden[seat] & ~sum(fixed[other] for other in range(4) if other != seat)
        for seat in range(4)
    ]
    conditions = attempt.constraints
    constraints: list[DealConstraint] = [
        Total(weights, one.low, one.high) for one, weights in conditions.sums
    ]
    constraints += _tests(conditions.tests, conditions.vocabulary)
    if any(impossible_sum(one, conditions.vocabulary) for one in conditions.intervals):
        constraints.append(_NO_HAND)
    if conditions.tabled:
        tabled = [
            Tabled(holdings_of(one.form, conditions.vocabulary), one.low, one.high)
            for one in conditions.tabled
        ]
        hands = _hands(attempt.cells_by(conditions.cells_beside_tables))
        with suppress(TooManyStates):
            return CountedDeals(allowed, [*hands, *constraints, *tabled], budget=budget // 2)
    hands = _hands(attempt.cells_by(conditions.cells_beside_sums))
    return counted_within(allowed, [*hands, *constraints], budget)


def _hands(cells: Sequence[int]) -> list[DealConstraint]:
    return [
        OfHand(seat, points_by_shape(one)) for seat, one in enumerate(cells) if one != EVERYTHING
    ]


def _tests(trees: Iterable[Tree], vocabulary: Vocabulary) -> Iterable[Predicate]:
    for tree in trees:
        names = sorted(term_names_in(tree))
        sums = [weights_of(((name, 1),), vocabulary) for name in names]
        known = [one for one in sums if one is not None]
        if len(known) == len(names):
            yield Predicate(known, partial(_holds, tree, names))


def _holds(tree: Tree, names: Sequence[str], values: I64) -> NDArray[np.bool_]:
    truth = evaluate_tree(tree, dict(zip(names, values, strict=True)))
    return np.broadcast_to(truth != 0, values.shape[1:])


def impossible_sum(one: Interval, vocabulary: Vocabulary) -> str | None:
    """Say that a sum is never what is asked, from what it is in every deal or at most."""
    sign = {1: "", -1: "-"}
    text = " + ".join(f"{sign.get(factor, f'{factor} * ')}{name}" for name, factor in one.form)
    text = text.replace("+ -", "- ")
    weights = weights_of(one.form, vocabulary)
    if weights is not None:
        if (weights == weights[:, :1]).all():
            always = int(weights[:, 0].sum())
            return None if one.low <= always <= one.high else f"{text} is {always} in every deal"
        return None
    low, high = _range(one.form, vocabulary)
    return None if low <= one.high and high >= one.low else f"{text} is never so in a deal"


def _range(form: LinearForm, vocabulary: Vocabulary) -> tuple[int, int]:
    """Bounds of a form over all deals: suit by suit over all ways that its cards may lie."""
    names = seat_vocabulary(vocabulary)
    suits = np.zeros((4, 4, 1 << 13), np.int64)
    lengths = np.zeros((4, 560), np.int64)
    low = high = 0
    positions = shape_indices()[1]
    for name, factor in form:
        term, seat = names.origin[name]
        tables = term_tables(term, vocabulary.profile)
        suits[:, seat] += factor * tables.suits
        lengths[seat] += factor * tables.lengths[positions]
        contexts = factor * tables.contexts.astype(np.int64)
        low, high = low + int(contexts.min()), high + int(contexts.max())
    low += int(lengths.min(axis=1).sum()) - sum(most_of_suit(-one) for one in suits)
    high += int(lengths.max(axis=1).sum()) + sum(map(most_of_suit, suits))
    return low, high
