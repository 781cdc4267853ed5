"""The best call by simulation: every candidate call is bid to the end and scored over layouts.

All candidates are tried on the same layouts, those that agree with the auction and the caller's
hand. After the candidate call everybody goes on as the system bids; the contract is scored by
double dummy, of which only what auctions reach is solved, or without a solver by the table of
tricks. A call that is surely behind is tried no further; when only the best is left, or the time
is over, that is the answer.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from threading import Event
from time import perf_counter
from typing import Final, Literal, Protocol, TypeAlias, get_args

import numpy as np

from bidcascade.bridge import (
    PASS,
    Auction,
    Cancelled,
    Contract,
    InvalidInput,
    Seat,
    ShownAnswer,
    TimedOut,
    Vulnerability,
    imps,
    is_vulnerable,
    score,
)
from bidcascade.kernels import DealArrays
from bidcascade.kernels.types import F64, I8, I64, U64

from .auction_ends import contract_number, contract_of, parts_of
from .double_dummy.abstract_solver import DoubleDummy
from .layouts.known import KnownCards
from .layouts.meanings import MeaningSource
from .layouts.result import LayoutReport, Layouts, deals_of, effective_size
from .layouts.sampling import sample_layouts
from .natural_calls import natural_calls
from .quantiles import NORMAL
from .trick_table import estimated_scores
from .weighted import weighted_mean, weighted_sum

BidScoring: TypeAlias = Literal["imps", "matchpoints", "points"]
TricksBy: TypeAlias = Literal["double dummy", "table of tricks"]
SimulationStop: TypeAlias = Literal["layouts", "decided", "time"]

DEFAULT_LAYOUTS: Final = 100
_MOST_CANDIDATES: Final = 10
BID_SCORINGS: Final[tuple[BidScoring, ...]] = get_args(BidScoring)

LEAST_SOLVED: Final = 10
"""Fewer layouts than these solved double dummy say less than all of them by the table."""
LEAST_TO_DECIDE: Final = 20
"""Layouts before a call is given up."""
_FIRST_BATCH: Final = 10
_LARGEST_BATCH: Final = 30
_SHARE_FOR_SAMPLING: Final = 0.4
"""How much of the time may go into finding layouts."""
_SHARE_BEFORE_SOLVING: Final = 0.6
"""After how much of the time bidding must end, if the contracts are to be solved."""
_MOST_SAMPLING_S: Final = 10.0
_NAMED_CONTRACTS: Final = 3
_SURE: Final = 2.807034
"""For 99.5 %: what ends a comparison is looked at again and again."""


class GoesOn(Protocol):
    """Who bids on behind a candidate call: a table, a system or a foreign engine."""

    def bid_from(
        self, calls: Sequence[int], deals: DealArrays
    ) -> tuple[list[tuple[int, ...]], I64]:
        """Different auctions that deals end in, and which of them each deal has."""
        ...


@dataclass(frozen=True, slots=True)
class CallQuestion:
    """Which call to make with a hand after an auction that goes on.

    ``lines`` are calls whose lines hold with the hand, the one that the system makes first; the
    others are compared with that one, or with a pass if there is none. ``known`` is what else is
    known, ``layouts`` how many at most.
    """

    hand: int
    calls: Sequence[int] = ()
    lines: Sequence[int] = ()
    dealer: Seat = Seat.NORTH
    vulnerability: Vulnerability = Vulnerability.NONE
    scoring: BidScoring = "imps"
    layouts: int = DEFAULT_LAYOUTS
    known: Mapping[Seat, KnownCards] = field(default_factory=dict)
    seed: int = 0

    def check(self) -> None:
        """Refuse what makes no sense, with InvalidInput or IllegalCall."""
        if self.scoring not in BID_SCORINGS:
            raise InvalidInput(
                f"expected a scoring of {', '.join(BID_SCORINGS)}, got {self.scoring!r}"
            )
        if self.layouts < 1:
            raise InvalidInput(f"expected at least one layout, got {self.layouts!r}")
        auction = Auction.of(self.calls, self.dealer)
        if auction.is_complete:
            raise InvalidInput("expected an auction that goes on, got one that is over")
        for call in self.lines:
            auction.add(call)

    @property
    def seat(self) -> Seat:
        """Who calls."""
        return Seat((self.dealer + len(self.calls)) % 4)

    def candidates(self) -> tuple[int, ...]:
        """Give the calls to try: lines, then natural ones; the first is what others are against."""
        natural = natural_calls(self.hand, self.calls)
        return tuple(dict.fromkeys([*(self.lines or (PASS,)), *natural]))[:_MOST_CANDIDATES]


@dataclass(frozen=True, slots=True, repr=False)
class CandidateCall(ShownAnswer):
    """What one call is worth by the scoring, with the interval of 95 %."""

    call: int
    is_line: bool
    """Whether a line of the system makes it; else it is a natural call."""
    mean: float
    low: float | None
    high: float | None
    behind: float
    """How much less than the best call, on the layouts that both were tried on."""
    behind_error: float | None
    """Half the width of the interval of that."""
    points: float
    """Mean score of the caller's side."""
    best_share: float
    """Share of its layouts, by weight, in which no other call that was tried there scores more."""
    layouts: int
    """Fewer than all if it was surely behind."""
    contracts: tuple[tuple[str, float], ...]
    """The commonest, with their shares."""


@dataclass(frozen=True, slots=True, repr=False)
class Simulation(ShownAnswer):
    """Candidate calls from best to worst, and what is behind that."""

    candidates: tuple[CandidateCall, ...]
    compared_with: int
    """The call that ``imps`` and ``matchpoints`` are against."""
    scoring: BidScoring
    tricks_by: TricksBy
    layouts: int
    """On how many the best call was tried."""
    requested: int
    effective_size: float
    """(Σw)² / Σw² of the weights of those layouts."""
    solved: int
    """Results that the solver was asked for."""
    stopped_because: SimulationStop
    report: LayoutReport
    seconds: float

    @property
    def best(self) -> CandidateCall:
        """The best call; of equal ones the one that the system puts first."""
        return self.candidates[0]


def simulate_calls(
    source: MeaningSource,
    bidder: GoesOn,
    question: CallQuestion,
    solver: DoubleDummy | None = None,
    *,
    time_limit_s: float | None = None,
    cancel: Event | None = None,
) -> Simulation:
    """Find the best call by simulation.

    Parameters
    ----------
    source
        What the calls so far mean.
    bidder
        Goes on after the candidate call.
    solver
        Without one, tricks are by the table of tricks; so they are if fewer than
        :data:`LEAST_SOLVED` layouts are solved within ``time_limit_s``.

    Raises
    ------
    BidcascadeError
        As :meth:`CallQuestion.check`, :func:`~bidcascade.inference.sample_layouts` and the solver.

    Examples
    --------
    >>> from bidcascade.bridge import format_call, parse_calls, parse_hand
    >>> from bidcascade.systems import System
    >>> from bidcascade.systems.any_bidder import bidder_of
    >>> system = System.parse('''
    ... opening:
    ...   1NT = Strong notrump: 15-17 points, balanced
    ... ''')
    >>> question = CallQuestion(
    ...     parse_hand("AQ32.K74.KJ5.Q92"), parse_calls("1N P"), layouts=40, scoring="points")
    >>> found = simulate_calls(system, bidder_of(system), question)
    >>> format_call(found.best.call), found.tricks_by
    ('3N', 'table of tricks')
    """
    started = perf_counter()
    question.check()
    sampling_s = _MOST_SAMPLING_S
    if time_limit_s is not None:
        sampling_s = min(sampling_s, _SHARE_FOR_SAMPLING * time_limit_s)
    layouts = sample_layouts(
        source,
        question.calls,
        count=question.layouts,
        dealer=question.dealer,
        vulnerability=question.vulnerability,
        known={**question.known, question.seat: KnownCards(question.hand)},
        seed=question.seed,
        time_limit_s=sampling_s,
        cancel=cancel,
    )
    trial = _Trial(question, layouts)
    bidding_until = None
    if time_limit_s is not None:
        share = 1.0 if solver is None else _SHARE_BEFORE_SOLVING
        bidding_until = started + share * time_limit_s
    in_time = trial.bid(bidder, bidding_until, cancel)
    stopped: SimulationStop = "layouts" if in_time else "time"
    if solver is not None:
        until = None if time_limit_s is None else started + time_limit_s
        stopped = trial.solve(solver, until, cancel)
    if trial.tried < min(LEAST_SOLVED, trial.bid_out):
        trial.estimate()
    return trial.simulation(stopped, perf_counter() - started)


class _Trial:
    """Candidate calls on some layouts: contracts that are reached, scores, who is still in."""

    def __init__(self, question: CallQuestion, layouts: Layouts) -> None:
        self._question = question
        self._layouts = layouts
        self._calls = question.candidates()
        size = (len(self._calls), len(layouts))
        self._contracts: I64 = np.zeros(size, np.int64)
        self._points: F64 = np.zeros(size)
        self._in = list(range(len(self._calls)))
        self._tried = [0] * len(self._calls)
        self._tricks_by: TricksBy = "double dummy"
        self._solved = 0
        self.bid_out = 0
        """Layouts that all candidates were bid to the end on."""
        self.tried = 0
        """Layouts that those who are still in were scored on."""

    # --- contracts ------------------------------------------------------------------------------

    def bid(self, bidder: GoesOn, until: float | None, cancel: Event | None) -> bool:
        """Bid layouts to the end after each candidate call; whether all were in time."""
        question, count = self._question, len(self._layouts)
        size = _FIRST_BATCH
        while self.bid_out < count:
            begin, end = self.bid_out, min(self.bid_out + size, count)
            part = deals_of(
                self._layouts.hands[:, begin:end], question.dealer, question.vulnerability
            )
            for row, call in enumerate(self._calls):
                if begin and until is not None and perf_counter() >= until:
                    return False
                if cancel is not None and cancel.is_set():
                    raise Cancelled("cancelled while calls were simulated")
                [found] = contracts_after(bidder, question.calls, (call,), part)
                self._contracts[row, begin:end] = found
            self.bid_out = end
            size = min(2 * size, _LARGEST_BATCH)
        return True

    # --- scores ---------------------------------------------------------------------------------

    def solve(
        self, solver: DoubleDummy, until: float | None, cancel: Event | None
    ) -> SimulationStop:
        """Score layouts double dummy, until one call is clear of all others or time is over."""
        size = _FIRST_BATCH
        while self.tried < self.bid_out:
            left = None if until is None else until - perf_counter()
            if left is not None and left <= 0:
                return "time"
            begin, end = self.tried, min(self.tried + size, self.bid_out)
            try:
                self._solve_part(solver, begin, end, left, cancel)
            except TimedOut:
                # those of the part that were quick are not a fair sample of it
                return "time"
            self.tried = end
            for row in self._in:
                self._tried[row] = end
            if end >= LEAST_TO_DECIDE and self._drop():
                return "decided"
            size = min(2 * size, _LARGEST_BATCH)
        return "layouts" if self.bid_out == len(self._layouts) else "time"

    def _solve_part(
        self, solver: DoubleDummy, begin: int, end: int, left: float | None, cancel: Event | None
    ) -> None:
        rows = np.array(self._in)
        numbers = self._contracts[rows, begin:end]
        tricks, requested = solved_tricks(
            solver,
            self._layouts.hands[:, begin:end],
            numbers,
            self._question.dealer,
            timeout_s=left,
            cancel=cancel,
        )
        self._solved += requested
        points = np.zeros(numbers.shape)
        for place in zip(*np.nonzero(numbers), strict=True):
            one = self._contract(int(numbers[place]))
            taken = int(tricks[place])
            points[place] = self._sign(one) * score(one, taken, vulnerable=self._vulnerable(one))
        self._points[rows, begin:end] = points

    def estimate(self) -> None:
        """Score all layouts that were bid by the table of tricks."""
        self._tricks_by = "table of tricks"
        self._in = list(range(len(self._calls)))
        self.tried, self._solved = self.bid_out, 0
        self._tried = [self.bid_out] * len(self._calls)
        self._points[:] = 0
        contracts = self._contracts[:, : self.bid_out]
        for number in np.unique(contracts[contracts > 0]).tolist():
            contract = self._contract(number)
            rows, columns = np.nonzero(contracts == number)
            scores = estimated_scores(
                self._layouts.hands[:, columns], contract, vulnerable=self._vulnerable(contract)
            )
            self._points[rows, columns] = self._sign(contract) * scores

    def _contract(self, number: int) -> Contract:
        contract = contract_of(number, self._question.dealer)
        assert contract is not None
        return contract

    def _vulnerable(self, contract: Contract) -> bool:
        return is_vulnerable(self._question.vulnerability, contract.declarer)

    def _sign(self, contract: Contract) -> int:
        return 1 if (contract.declarer - self._question.seat) % 2 == 0 else -1

    # --- who is best ------------------------------------------------------------------------------

    def _values(self, row: int, count: int) -> F64:
        scoring = self._question.scoring
        return values_of(self._points[row, :count], self._points[0, :count], scoring)

    def _best(self) -> int:
        weights = self._layouts.weights[: self.tried]
        means = {row: mean_and_error(self._values(row, self.tried), weights)[0] for row in self._in}
        return max(self._in, key=lambda row: (round(means[row], 9), -row))

    def _drop(self) -> bool:
        """Drop calls that are surely behind; whether the best is left alone."""
        best, count = self._best(), self.tried
        weights = self._layouts.weights[:count]
        best_values = self._values(best, count)
        out = {row for row in self._in if is_out(self._values(row, count), best_values, weights)}
        # the first is what others are compared with, and is always tried
        self._in = [row for row in self._in if row == 0 or row not in out]
        return all(row == best or row in out for row in self._in)

    def simulation(self, stopped: SimulationStop, seconds: float) -> Simulation:
        """Candidates from best to worst."""
        question, layouts, best = self._question, self._layouts, self._best()
        found = [self._candidate(row, best) for row in range(len(self._calls))]
        order = sorted(
            range(len(found)), key=lambda row: (row != best, round(found[row].behind, 9), row)
        )
        return Simulation(
            tuple(found[row] for row in order),
            self._calls[0],
            question.scoring,
            self._tricks_by,
            self.tried,
            question.layouts,
            effective_size(layouts.weights[: self.tried]),
            self._solved,
            stopped,
            layouts.report,
            seconds,
        )

    def _candidate(self, row: int, best: int) -> CandidateCall:
        question, count = self._question, self._tried[row]
        weights = self._layouts.weights[:count]
        values = self._values(row, count)
        mean, error = mean_and_error(values, weights)
        margin = None if error is None else NORMAL * error
        distance, error = mean_and_error(self._values(best, count) - values, weights)
        tried_there = np.array(self._tried)[:, None] > np.arange(count)
        most = np.where(tried_there, self._points[:, :count], -np.inf).max(axis=0)
        is_best = self._points[row, :count] >= most - 1e-6
        share = weights / weights.sum()
        return CandidateCall(
            self._calls[row],
            self._calls[row] in question.lines,
            mean,
            None if margin is None else mean - margin,
            None if margin is None else mean + margin,
            distance,
            None if error is None else NORMAL * error,
            float(weighted_sum(self._points[row, :count], share)),
            float(weighted_sum(is_best, share)),
            count,
            self._commonest(row, count),
        )

    def _commonest(self, row: int, count: int) -> tuple[tuple[str, float], ...]:
        weights = self._layouts.weights[:count]
        shares: Counter[str] = Counter()
        for number, weight in zip(
            self._contracts[row, :count].tolist(), weights.tolist(), strict=True
        ):
            shares[str(contract_of(number, self._question.dealer) or "Pass")] += weight
        named = sorted(shares.items(), key=lambda one: (-one[1], one[0]))[:_NAMED_CONTRACTS]
        return tuple((name, weight / float(weights.sum())) for name, weight in named)


def contracts_after(
    bidder: GoesOn, calls: Sequence[int], candidates: Sequence[int], deals: DealArrays
) -> I64:
    """Contract numbers that deals end in behind each candidate call, int64 [candidates, n]."""
    found = np.zeros((len(candidates), len(deals)), np.int64)
    for row, call in enumerate(candidates):
        auction = Auction.of(calls).add(call)
        if auction.is_complete:
            found[row] = contract_number(auction.calls)
        else:
            endings, which = bidder.bid_from(auction.calls, deals)
            found[row] = np.array([contract_number(one) for one in endings], np.int64)[which]
    return found


def solved_tricks(
    solver: DoubleDummy,
    hands: U64,
    contracts: I64,
    dealer: Seat,
    *,
    timeout_s: float | None = None,
    cancel: Event | None = None,
) -> tuple[I8, int]:
    """Solve contracts of layouts, each result once.

    Parameters
    ----------
    hands : uint64 [4, n]
    contracts : int64 [candidates, n]
        Contract numbers; 0 is not asked for.

    Returns
    -------
    tuple of int8 [candidates, n] and int
        Tricks of declarer's side, 0 where nothing is asked; how many results were asked for.

    Raises
    ------
    TimedOut, Cancelled, DoubleDummyFailed
        As the solver does.
    """
    parts = parts_of(contracts)
    rows, layouts = np.nonzero(contracts)
    declarer = (parts.declarer + dealer) % 4
    places = (layouts * 4 + declarer[rows, layouts]) * 5 + parts.strain[rows, layouts]
    requested, which = np.unique(places, return_inverse=True)
    tricks = np.zeros(contracts.shape, np.int8)
    if len(requested):
        found = solver.tricks(
            np.ascontiguousarray(hands[:, requested // 20]),
            (requested % 5).astype(np.uint8),
            (requested // 5 % 4).astype(np.uint8),
            cancel=cancel,
            timeout_s=timeout_s,
        )
        tricks[rows, layouts] = found[which]
    return tricks, len(requested)


# --- values ---------------------------------------------------------------------------------------


def values_of(points: F64, baseline: F64, scoring: BidScoring) -> F64:
    """Worth of a call in each layout, float64 [n], from its side's scores and those compared with.

    ``imps`` and ``matchpoints`` are against another table with the same cards where the baseline
    call is made: 0 IMPs, half a matchpoint if both score the same.
    """
    difference = points - baseline
    if scoring == "points":
        return points
    # scores by estimate differ by fractions that mean nothing
    if scoring == "matchpoints":
        return np.sign(np.round(difference / 10)) / 2 + 0.5
    return np.array([imps(round(one / 10) * 10) for one in difference.tolist()], np.float64)


def mean_and_error(values: F64, weights: F64) -> tuple[float, float | None]:
    """Weighted mean and its standard error, small samples made up for; None from fewer than two."""
    share = weights / weights.sum()
    mean = float(weighted_mean(values, weights))
    used = int(np.count_nonzero(weights))
    if used < 2:
        return mean, None
    return mean, sqrt(float(weighted_sum((values - mean) ** 2, share**2) * used / (used - 1)))


def is_out(values: F64, best: F64, weights: F64) -> bool:
    """Whether a call is surely worth less than the best one."""
    mean, error = mean_and_error(best - values, weights)
    return error is not None and mean > _SURE * error
