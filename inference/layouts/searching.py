"""The search for layouts: what they must fit, how they are proposed, and when it ends."""

import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Final, Literal, TypeAlias

import numpy as np

from bidcascade.bridge import Seat, Vulnerability
from bidcascade.kernels import Backend
from bidcascade.kernels.dealing import mixed
from bidcascade.kernels.types import F64, Bools
from bidcascade.systems.places.knowledge import EVERYTHING, LENGTHS, POINTS, to_cells

from .dealing import Dealing, Proposed, points_by_shape, tightened
from .drawing import uniform_of
from .judging import Judge, Judges
from .known import KnownCards, Range
from .rare import RareDeals
from .result import StoppedBecause, deals_of, effective_size
from .steps import Step
from .where import Constraints

PILOT: Final = 8192
"""Proposals after which it is decided how to go on; more than enough for an easy auction."""
_PILOT_EXACTLY: Final = 1024
LARGEST_CHUNK: Final = 1 << 17
_EXACT_COST: Final = 16
"""What a proposal that is drawn hand by hand costs, in plain proposals (measured)."""
_RARE_COST: Final = 256
"""What a deal that is drawn from what is counted costs (measured)."""
_SELDOM: Final = 1024
"""Deals are counted where fewer than one proposal in so many fits."""
_RARE_PILOT: Final = 128
_ADVANTAGE: Final = 2.0
"""Layouts of unequal weight must come so many times as fast to be preferred."""
Way: TypeAlias = Literal["plain", "exactly", "rare"]
"""How layouts are proposed; see :class:`LayoutSearch`."""
_LEAST_TRIED: Final = 1 << 17
_QUANTILE: Final = 0.95
_LOTTERY_STREAM: Final = 0x107
_TOO_FEW: Final = 50


@dataclass(slots=True)
class SearchLimits:
    """How long a search may go on.

    At most so many proposals, of which one that is drawn hand by hand counts as several; ``until``
    a value of ``time.perf_counter``; or until ``cancel`` is set by another thread.
    """

    proposals: int = 1 << 62
    until: float = math.inf
    cancel: threading.Event | None = None

    def why_stop(self) -> StoppedBecause | None:
        """Say why to stop at once, None to go on."""
        if self.cancel is not None and self.cancel.is_set():
            return "cancelled"
        return "time" if time.perf_counter() >= self.until else None


@dataclass(frozen=True)
class LayoutQuestion:
    """What layouts must fit beside the auction."""

    known: tuple[KnownCards, KnownCards, KnownCards, KnownCards]
    constraints: Constraints
    dealer: Seat
    vulnerability: Vulnerability
    backend: Backend
    seed: int

    def cells(self, seat: int, by: Sequence[int] | None = None) -> int:
        """Shapes and points that the constraints and known lengths leave a seat.

        ``by`` are those that some of the constraints leave each seat.
        """
        constraints = self.constraints
        if constraints.is_false:
            return 0
        return (by or constraints.cells)[seat] & _within((0, 37), self.known[seat].lengths)


@lru_cache(maxsize=256)
def _within(points: Range, lengths: tuple[Range, ...]) -> int:
    flags = np.ones((len(LENGTHS), POINTS), np.bool_)
    for suit, (low, high) in enumerate(lengths):
        flags &= ((LENGTHS[:, suit] >= low) & (LENGTHS[:, suit] <= high))[:, np.newaxis]
    held = np.arange(POINTS)
    return to_cells(flags & (held >= points[0]) & (held <= points[1]))


@dataclass(frozen=True)
class Attempt:
    """Steps of the hidden seats as they are read now, and what follows for the dealing.

    The judges of steps as they are read are kept with the auction.
    """

    question: LayoutQuestion
    steps: tuple[Step, ...] = ()
    judges: Judges = field(default_factory=dict, repr=False)

    @property
    def constraints(self) -> Constraints:
        """Conditions on whole deals."""
        return self.question.constraints

    def cells_of(self, seat: int, *, without: int | None = None) -> int:
        """Shapes and points of a seat by all of its steps, or without one of them."""
        return self._by_steps(seat, self.question.cells(seat), without)

    def _by_steps(self, seat: int, cells: int, without: int | None = None) -> int:
        for number, step in enumerate(self.steps):
            if step.seat == seat and number != without:
                cells &= step.cells()
        return cells

    @cached_property
    def cells(self) -> tuple[int, ...]:
        """Shapes and points by seat."""
        return tuple(self.cells_of(seat) for seat in range(4))

    def cells_by(self, by: Sequence[int]) -> tuple[int, ...]:
        """Give the same by some of the constraints; see :meth:`LayoutQuestion.cells`."""
        return tuple(self._by_steps(seat, self.question.cells(seat, by)) for seat in range(4))

    @cached_property
    def cards(self) -> tuple[list[int], list[int]]:
        """Masks of the cards that each seat holds, and of those that it does not hold."""
        constraints, known = self.question.constraints, self.question.known
        return (
            [one.cards | cards for one, cards in zip(known, constraints.cards, strict=True)],
            [one.forbidden | no for one, no in zip(known, constraints.forbidden, strict=True)],
        )

    def with_conditions(self, where: Sequence[str]) -> "Attempt":
        """Give an attempt with other conditions on whole deals."""
        return self._with(Constraints(where, self.question.constraints.vocabulary))

    def _with(self, constraints: Constraints) -> "Attempt":
        question = replace(self.question, constraints=constraints)
        return Attempt(question, self.steps, self.judges)

    def without_steps(self) -> "Attempt":
        """Give an attempt without the auction."""
        return Attempt(self.question) if self.steps else self

    @cached_property
    def alternatives(self) -> tuple["Attempt", ...]:
        """Attempts one of which must be met; itself if there is one only."""
        found = self.question.constraints.alternatives
        return (self,) if len(found) == 1 else tuple(map(self._with, found))

    @cached_property
    def rare(self) -> RareDeals:
        """What is counted of it."""
        return RareDeals(self.alternatives)

    @cached_property
    def dealing(self) -> Dealing:
        """What is left to deal."""
        dealing = self.dealing_with(self.cells)
        intervals = self.question.constraints.intervals
        if dealing.bounds is None or not intervals:
            return dealing
        bounds = tightened(dealing.bounds, 40, (13,) * 4, (13,) * 4, intervals)
        if bounds is None:
            return self.dealing_with((0,) * 4)
        return self.dealing_with(
            [cells & _within(*one) for cells, one in zip(self.cells, bounds, strict=True)]
        )

    def dealing_with(self, cells: Sequence[int]) -> Dealing:
        """Give what is left to deal, with other cells."""
        return Dealing(*self.cards, [points_by_shape(one) for one in cells])

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

    def verdicts(self, count: int) -> tuple[Bools, F64]:
        """Which steps hold on some proposed layouts, bool[n, steps], and the layouts' weights.

        The columns are those of :attr:`judge`.
        """
        question = self.question
        proposed = self.dealing.propose(seed=question.seed, first=0, count=count)
        if proposed.hands.shape[1] < _TOO_FEW and not self.dealing.is_exact:
            proposed = self.dealing.propose_exactly(
                seed=question.seed, first=0, count=count // _EXACT_COST
            )
        deals = deals_of(proposed.hands, question.dealer, question.vulnerability)
        return self.judge.verdicts(deals, question.backend), proposed.weights


class LayoutSearch:
    """One way to propose, gone on with in chunks until its limits are reached.

    Parameters
    ----------
    way
        ``plain``: one hand exactly, the others at random. ``rare``: from what is counted.
        ``exactly``: hand after hand, with weights. Layouts of small weight then go
        through a lottery: one of weight w stays with chance w / c and has weight c from then on
        (c is near the largest weight of the first chunk), which keeps the expectation and makes
        weights nearly equal (Liu, Chen, Wong: Rejection control and sequential importance
        sampling, 1998).
    """

    def __init__(self, attempt: Attempt, limits: SearchLimits, *, way: Way = "plain") -> None:
        self.attempt = attempt
        self.accepted = 0
        self.tried = 0
        self.stopped_because: StoppedBecause | None = None
        self.is_impossible = False
        """Whether counting told that there is nothing to find."""
        self.limits = limits
        self._way = way
        self._cost = {"plain": 1, "exactly": _EXACT_COST, "rare": _RARE_COST}[way]
        self._parts: list[Proposed] = []
        self._ceiling: float | None = None

    @property
    def _left(self) -> int:
        # a rare deal that is looked at is one deal, whatever it costs
        cost = 1 if self._way == "rare" else self._cost
        return self.limits.proposals // cost - self.tried

    def yield_by_cost(self) -> float:
        """Effective layouts by cost so far."""
        return effective_size(self.found(self.tried).weights) / max(1, self.tried * self._cost)

    def next_chunk(self, count: int) -> int:
        """Proposals that should be enough for so many layouts."""
        rate = (self.accepted + 0.5) / max(1, self.tried)
        wanted = int(1.2 * (count - self.accepted) / rate) + 64
        return max(0, min(wanted, LARGEST_CHUNK // self._cost, self._left))

    @property
    def is_seldom(self) -> bool:
        """Whether so few proposals fit that deals had better be counted."""
        return self.accepted * _SELDOM < self.tried

    def is_hopeless(self, enough: int) -> bool:
        """Whether so many layouts will not be found within the limits, by all that was seen."""
        tried = self.tried * self._cost
        if tried < min(_LEAST_TRIED, self.limits.proposals):
            return False
        # two standard deviations above what was found, for a fair chance
        hoped = self.accepted + 2 * math.sqrt(self.accepted + 1)
        return hoped * self.limits.proposals / tried < enough

    def forget(self) -> None:
        """Keep no layouts but their number, where they are taken from part to part."""
        self._parts.clear()

    def go_on(self, count: int) -> Proposed:
        """Propose some more; returns those that fit."""
        why = self.limits.why_stop()
        if why is not None or self._left <= 0:
            self.stopped_because = why or "proposals"
            return NOTHING
        chunk = min(count, self._left)
        attempt, seed = self.attempt, self.attempt.question.seed
        if self._way == "rare":
            propose = attempt.rare.propose
        else:
            dealing = attempt.dealing
            propose = dealing.propose_exactly if self._way == "exactly" else dealing.propose
        proposed = propose(seed=seed, first=self.tried, count=chunk)
        if self._way == "exactly":
            proposed = self._lottery(proposed)
        good = attempt.accepted(proposed)
        self.tried += chunk
        self.accepted += len(good.numbers)
        self._parts.append(good)
        return good

    def _lottery(self, proposed: Proposed) -> Proposed:
        hands, weights, numbers = proposed
        if self._ceiling is None and len(weights):
            self._ceiling = float(np.quantile(weights, _QUANTILE))
        if self._ceiling is None:
            return proposed
        seed = self.attempt.question.seed ^ _LOTTERY_STREAM
        stays = uniform_of(np.uint64(mixed(seed)), numbers) * self._ceiling < weights
        raised = np.maximum(weights[stays], self._ceiling)
        return Proposed(hands[:, stays], raised, numbers[stays])

    def found(self, count: int) -> Proposed:
        """First layouts found, with weights of mean 1."""
        parts = self._parts or [NOTHING]
        weights = np.concatenate([part.weights for part in parts])[:count]
        return Proposed(
            np.concatenate([part.hands for part in parts], axis=1)[:, :count],
            weights / weights.mean() if len(weights) else weights,
            np.concatenate([part.numbers for part in parts])[:count],
        )


NOTHING: Final = Proposed(np.empty((4, 0), np.uint64), np.empty(0), np.empty(0, np.int64))


def search(attempt: Attempt, count: int, limits: SearchLimits, *, enough: int = 0) -> LayoutSearch:
    """Look for so many layouts: first with equal weights, then whichever way finds more.

    It is given up early where not even ``enough`` of them can be expected. Which way is taken
    depends on the numbers found, not on time, so that the same seed gives the same layouts.
    """
    plain = chosen = LayoutSearch(attempt, limits)
    plain.go_on(PILOT)
    if plain.accepted < count and not plain.stopped_because and not attempt.dealing.is_exact:
        exact = LayoutSearch(attempt, limits, way="exactly")
        exact.go_on(_PILOT_EXACTLY)
        if exact.yield_by_cost() > plain.yield_by_cost() * _ADVANTAGE:
            chosen = exact
    if attempt.question.constraints.texts and not chosen.accepted:
        chosen = rare_or(chosen)
    while chosen.accepted < count and not chosen.stopped_because:
        chosen.go_on(chosen.next_chunk(count))
        if chosen.is_hopeless(enough):
            chosen.stopped_because = "proposals"
    return chosen


def rare_or(search: LayoutSearch) -> LayoutSearch:
    """Search that draws from what is counted, unless the given one finds more for its cost.

    What was found so far decides, not time: the same seed gives the same deals. Where nothing is
    left to draw from, the search ends as impossible.
    """
    attempt = search.attempt
    if search.stopped_because:
        return search
    if not attempt.rare.total:
        search.is_impossible, search.stopped_because = True, "proposals"
        return search
    rare = LayoutSearch(attempt, search.limits, way="rare")
    if not search.accepted:
        # either way proposes all that fits: the fewer others, the more of it
        return rare if attempt.rare.total * _RARE_COST < attempt.dealing.total else search
    pilot = LayoutSearch(attempt, search.limits, way="rare")
    pilot.go_on(_RARE_PILOT)
    return rare if pilot.yield_by_cost() > search.yield_by_cost() else search
