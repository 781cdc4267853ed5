"""One attempt at sampling: steps as they are read now, what can be dealt, and the search itself."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import Seat, Vulnerability
from bidcascade.inference.layouts.dealing import Dealing, Proposed, points_by_shape
from bidcascade.inference.layouts.judging import Judge
from bidcascade.inference.layouts.known import KnownCards
from bidcascade.inference.layouts.narrowing import Box, tightened
from bidcascade.inference.layouts.result import deals_of
from bidcascade.inference.layouts.steps import Step
from bidcascade.inference.layouts.where import Constraints
from bidcascade.kernels import Backend
from bidcascade.table.system.hand_space import EVERYTHING, LENGTHS, POINTS, SHAPES, to_cells

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]
U64 = NDArray[np.uint64]

EXACT_COST: Final = 16
"""What a proposal that is drawn hand by hand costs, in plain proposals (measured)."""


_Masks: TypeAlias = tuple[int, int, int, int]


@dataclass(frozen=True)
class Question:
    """What layouts must fit beside the auction.

    Parameters
    ----------
    known
        By seat.
    constraints
        On whole deals.
    dealer, vulnerability
        Of all layouts.
    backend
        Works out conditions.
    seed
        Of the random numbers.
    """

    known: tuple[KnownCards, KnownCards, KnownCards, KnownCards]
    constraints: Constraints
    dealer: Seat
    vulnerability: Vulnerability
    backend: Backend
    seed: int

    @cached_property
    def cards(self) -> tuple[_Masks, _Masks]:
        """Cards that each seat holds, and those that it does not."""
        known, told = self.known, self.constraints
        fixed = [one.cards | cards for one, cards in zip(known, told.cards, strict=True)]
        forbidden = [one.forbidden | no for one, no in zip(known, told.forbidden, strict=True)]
        return _four(fixed), _four(forbidden)

    def cells(self, seat: int) -> int:
        """Shapes and points that the constraints and known lengths leave a seat."""
        if self.constraints.is_false:
            return 0
        cells = self.constraints.cells(seat)
        lengths = self.known[seat].lengths
        if lengths != ((0, 13),) * 4:
            flags = np.ones(SHAPES, np.bool_)
            for suit, (low, high) in enumerate(lengths):
                flags &= (LENGTHS[:, suit] >= low) & (LENGTHS[:, suit] <= high)
            cells &= to_cells(np.repeat(flags[:, np.newaxis], POINTS, axis=1))
        return cells


def _four(masks: list[int]) -> _Masks:
    return masks[0], masks[1], masks[2], masks[3]


def _cells_within(box: Box) -> int:
    flags = np.ones((SHAPES, POINTS), np.bool_)
    for suit, (low, high) in enumerate(box.lengths):
        flags &= ((LENGTHS[:, suit] >= low) & (LENGTHS[:, suit] <= high))[:, np.newaxis]
    points = np.arange(POINTS)
    return to_cells(flags & (points >= box.points[0]) & (points <= box.points[1]))


@dataclass(frozen=True)
class Attempt:
    """Steps as they are read, and what follows for the dealing.

    Parameters
    ----------
    question
        What else is known.
    steps
        Of the hidden seats.
    judges
        Judges of steps as they are read, kept with the auction.
    """

    question: Question
    steps: tuple[Step, ...]
    judges: "dict[tuple[tuple[int, str], ...], Judge]" = field(default_factory=dict, repr=False)

    def cells_of(self, seat: int, *, without: int | None = None) -> int:
        """Shapes and points of a seat by all of its steps, or without one of them."""
        cells = self.question.cells(seat)
        for number, step in enumerate(self.steps):
            if step.seat == seat and number != without:
                cells &= step.cells()
        return cells

    @cached_property
    def cells(self) -> tuple[int, ...]:
        """Shapes and points by seat."""
        return tuple(self.cells_of(seat) for seat in range(4))

    @cached_property
    def dealing(self) -> Dealing:
        """What is left to deal."""
        dealing = self.dealing_with(self.cells)
        intervals = self.question.constraints.intervals
        if dealing.boxes is None or not intervals:
            return dealing
        boxes = tightened(
            dealing.boxes, 40, (13,) * 4, (13,) * 4, self.question.constraints.intervals
        )
        if boxes is None:
            return self.dealing_with((0,) * 4)
        within = [cells & _cells_within(box) for cells, box in zip(self.cells, boxes, strict=True)]
        return self.dealing_with(within)

    def dealing_with(self, cells: Sequence[int]) -> Dealing:
        """Give what is left to deal, with other cells."""
        fixed, forbidden = self.question.cards
        return Dealing(
            fixed,
            forbidden,
            [points_by_shape(one) for one in cells],
        )

    @cached_property
    def judge(self) -> Judge:
        """Tests the steps on layouts."""
        key = tuple((step.number, step.reading) for step in self.steps)
        known = self.judges.get(key)
        if known is None:
            cells = [EVERYTHING] * 4
            for step in self.steps:
                cells[step.seat] &= step.cells()
            known = Judge([step.narrowed(cells[step.seat]) for step in self.steps])
            # which conditions are dropped depends on what else is known
            if not any(step.dropped for step in self.steps):
                self.judges[key] = known
        return known

    def accepted(self, proposed: Proposed) -> Proposed:
        """Those of some layouts that fit everything."""
        if not proposed.hands.shape[1]:
            return proposed
        question = self.question
        deals = deals_of(proposed.hands, question.dealer, question.vulnerability)
        good = self.judge.verdicts(deals, question.backend, hasty=True).all(axis=1)
        if question.constraints.texts:
            good &= question.constraints.holds(deals, question.backend)
        return Proposed(proposed.hands[:, good], proposed.weights[good], proposed.numbers[good])

    def verdicts(self, count: int) -> tuple[NDArray[np.bool_], F64]:
        """Which steps hold on some proposed layouts, bool[n, steps], and the layouts' weights.

        The columns are those of :attr:`judge`.
        """
        proposed = self.dealing.propose(seed=self.question.seed, first=0, count=count)
        if proposed.hands.shape[1] < _TOO_FEW and not self.dealing.is_exact:
            proposed = self.dealing.propose_exactly(
                seed=self.question.seed, first=0, count=count // EXACT_COST
            )
        deals = deals_of(proposed.hands, self.question.dealer, self.question.vulnerability)
        return self.judge.verdicts(deals, self.question.backend), proposed.weights


_TOO_FEW: Final = 50
