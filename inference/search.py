"""A call searched at the table: what else a player would think of, bid to its end over layouts.

The candidates are the system's own call and those whose lines hold with the hand too, or are missed
by a point or so. All are tried on the same layouts of the other three hands, which agree with the
auction: everybody bids on as the system does, and the contract is scored. A candidate is made
only if it beats the system's own call by a margin and some standard errors: what the text says was
agreed with partner, and tricks by a table, or with all hands open, are not those of the play.

A decision is not searched where there is nothing to choose, no layout fits, or time is over: the
call is then the system's, and the answer says why.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from threading import Event
from time import perf_counter
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from bidcascade.bridge import (
    PASS,
    Auction,
    Cancelled,
    InvalidInput,
    NoSuchDeal,
    Seat,
    ShownAnswer,
    TimedOut,
    Vulnerability,
    format_call,
    format_calls,
    parse_contract,
)
from bidcascade.kernels.types import F64, I8, I64, U64
from bidcascade.systems.places.turn_context import context_at

from .auction_ends import contract_of, contracts_by_compass, parts_of
from .board_scores import doubled_where_failing, imps_of, scores_of
from .double_dummy.abstract_solver import DoubleDummy
from .layouts.meanings import MeaningSource, meanings_of
from .layouts.result import Layouts, deals_of
from .layouts.sampling import sample_layouts
from .near_calls import near_calls
from .simulate import GoesOn, contracts_after, mean_and_error, solved_tricks
from .trick_table import likely_tricks
from .weighted import weighted_sum

DecisionKind: TypeAlias = Literal["opening", "uncontested", "slam", "competitive", "defensive"]
DECISION_KINDS: Final[tuple[DecisionKind, ...]] = get_args(DecisionKind)
"""Nobody has bid; only the caller's side has; it has, and may reach a slam; both sides have; only
the other side has."""
SEARCHED_KINDS: Final[tuple[DecisionKind, ...]] = ("opening", "uncontested", "slam", "competitive")
"""Those that a search was measured to gain in; see ``docs/search.md``."""
SearchEnd: TypeAlias = Literal["layouts", "decided", "time", "not searched"]

DEFAULT_LAYOUTS: Final = 100
DEFAULT_BUDGET_MS: Final = 1000
LEAST_LAYOUTS: Final = 24
"""On fewer the system's call is made, unless fewer were asked for."""
_FIRST_BATCH: Final = 24
_LARGEST_BATCH: Final = 64
_LIKELY: Final = 8
"""Equally likely numbers of tricks around each estimate."""
_SLAM: Final = 6
_SLAM_SHARE: Final = 0.1
"""In so many layouts a candidate reaches a slam that the decision is about one."""
_SURELY_BEHIND: Final = 2.8
"""Standard errors that leave a candidate no chance to come out ahead."""
_SHARE_FOR_SAMPLING: Final = 0.5
_NAMED: Final = 3
_MOST_SAMPLING_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class SearchRules:
    """Which decisions are searched, and how far the system's own call is protected.

    Parameters
    ----------
    kinds : tuple of str
        Of :data:`DECISION_KINDS`.
    margin : float
        IMPs that a candidate must be ahead.
    errors : float
        Standard errors that it must be ahead beyond the margin.
    candidates : int
        At most, from 2.
    missed : int
        Points by which the line of a candidate may be missed.
    doubled : bool
        Whether contracts that fail are scored doubled, as against a defence that sees all cards.
    """

    kinds: tuple[DecisionKind, ...] = SEARCHED_KINDS
    margin: float = 0.5
    errors: float = 1.0
    candidates: int = 4
    missed: int = 2
    doubled: bool = False

    def check(self) -> None:
        """Refuse what makes no sense, with InvalidInput."""
        unknown = [kind for kind in self.kinds if kind not in DECISION_KINDS]
        if unknown:
            raise InvalidInput(
                f"expected kinds of decisions ({', '.join(DECISION_KINDS)}), got {unknown[0]!r}"
            )
        for name, least in (("margin", 0), ("errors", 0), ("candidates", 2), ("missed", 0)):
            if not getattr(self, name) >= least:
                raise InvalidInput(f"expected {name} from {least}, got {getattr(self, name)!r}")


@dataclass(frozen=True, slots=True)
class SearchQuestion:
    """A decision: hand, calls so far, and the call ``own`` that the system makes.

    ``forced`` says whether partner's call asks for an answer, so that a pass is no candidate that
    no line makes.
    """

    hand: int
    calls: Sequence[int]
    own: int
    dealer: Seat = Seat.NORTH
    vulnerability: Vulnerability = Vulnerability.NONE
    forced: bool = False
    layouts: int = DEFAULT_LAYOUTS
    seed: int = 0

    @property
    def seat(self) -> Seat:
        """Who calls."""
        return Seat((self.dealer + len(self.calls)) % 4)

    def check(self) -> None:
        """Refuse what makes no sense, with InvalidInput or IllegalCall."""
        if self.layouts < 1:
            raise InvalidInput(f"expected at least one layout, got {self.layouts!r}")
        auction = Auction.of(self.calls, self.dealer)
        if auction.is_complete:
            raise InvalidInput("expected an auction that goes on, got one that is over")
        auction.add(self.own)


class Outcome(NamedTuple):
    """A contract that a candidate ended in: in how many layouts, and in how many it is made.

    By the table of tricks the latter is what may be expected, no whole number.
    """

    contract: str
    layouts: float
    made: float


@dataclass(frozen=True, slots=True, repr=False)
class SearchedCall(ShownAnswer):
    """A candidate, against the system's own call on the same layouts."""

    call: int
    missed: int | None
    """Points by which its line is missed: 0 if one holds; None for a pass that no line makes."""
    gain: float
    """IMPs a layout more than the system's own call."""
    error: float | None
    """Standard error of that; None from fewer than two layouts."""
    points: float
    """Mean score of the caller's side."""
    outcomes: tuple[Outcome, ...]
    """The commonest ones, counted over :attr:`Search.layouts`."""


@dataclass(frozen=True, slots=True, repr=False)
class Search(ShownAnswer):
    """The call to make, and what is behind it."""

    call: int
    own: int
    """The system's call."""
    kind: DecisionKind
    why: str
    """In plain words."""
    candidates: tuple[SearchedCall, ...]
    """Own first, then from best to worst; none if nothing was searched."""
    layouts: int
    """How many were used."""
    requested: int
    seed: int
    solved: int
    """Layouts of which contracts were solved double dummy."""
    stopped_because: SearchEnd
    seconds: float

    @property
    def differs(self) -> bool:
        """Whether another call than the system's is made."""
        return self.call != self.own


def search_call(
    source: MeaningSource,
    bidder: GoesOn,
    question: SearchQuestion,
    rules: SearchRules | None = None,
    solver: DoubleDummy | None = None,
    *,
    time_limit_s: float | None = None,
    cancel: Event | None = None,
) -> Search:
    """Search a decision.

    Without a time limit the same question and seed give the same answer.

    Parameters
    ----------
    source
        What the calls so far mean, and which lines there are.
    bidder
        Goes on behind a candidate.
    question
    rules
        Those of :class:`SearchRules` if not given.
    solver
        Solves contracts double dummy where a candidate may come out ahead by the table of tricks.
    time_limit_s
        The call is the system's where fewer than :data:`LEAST_LAYOUTS` are bid by then.

    Raises
    ------
    InvalidInput, IllegalCall
        If the question or the rules make no sense.
    Cancelled
        If ``cancel`` was set.

    Examples
    --------
    >>> from bidcascade.bridge import parse_calls, parse_hand
    >>> from bidcascade.systems import System
    >>> from bidcascade.systems.any_bidder import bidder_of
    >>> system = System.parse('''
    ... opening:
    ...   1NT = Strong notrump: 15-17 points, balanced
    ... after 1NT:
    ...   3NT = Game: 10+ points
    ...   Pass = Too little: any hand
    ... ''')
    >>> question = SearchQuestion(parse_hand("KQ5.J74.KQT98.J2"), parse_calls("1N P"), own=0)
    >>> found = search_call(system, bidder_of(system), question)
    >>> format_call(found.call), format_call(found.candidates[1].call), found.layouts
    ('3N', '3N', 100)
    """
    started = perf_counter()
    rules = rules or SearchRules()
    question.check()
    rules.check()
    kind = kind_of(question.calls)
    until = None if time_limit_s is None else started + time_limit_s

    def unsearched(why: str) -> Search:
        return Search(
            question.own,
            question.own,
            kind,
            f"not searched: {why}",
            (),
            0,
            question.layouts,
            question.seed,
            0,
            "not searched",
            perf_counter() - started,
        )

    is_wanted = kind in rules.kinds or (kind == "uncontested" and "slam" in rules.kinds)
    if not is_wanted:
        return unsearched(f"{kind} decisions are left to the system")
    if time_limit_s is not None and time_limit_s <= 0:
        return unsearched("no time was given")
    candidates = _candidates(source, question, rules)
    if len(candidates) < 2:
        return unsearched("no other line is near")
    layouts = _layouts(source, question, until, cancel)
    if isinstance(layouts, str):
        return unsearched(layouts)
    trial = _Trial(question, rules, candidates, layouts)
    stopped = trial.bid(bidder, until, cancel)
    if trial.used < min(LEAST_LAYOUTS, question.layouts):
        return unsearched(f"only {trial.used} layouts were found and bid in time")
    if kind == "uncontested":
        kind = "slam" if trial.is_about_slam() else kind
        if kind not in rules.kinds:
            return unsearched(f"{kind} decisions are left to the system")
    if solver is not None and trial.is_open():
        stopped = trial.solve(solver, until, cancel) or stopped
    return replace(trial.search(kind, stopped), seconds=perf_counter() - started)


def kind_of(calls: Sequence[int]) -> DecisionKind:
    """Say what kind of decision the next call is, as far as the auction tells.

    Examples
    --------
    >>> from bidcascade.bridge import parse_calls
    >>> [kind_of(parse_calls(calls)) for calls in ("P P", "1H P", "P 1H", "1H 2C")]
    ['opening', 'uncontested', 'defensive', 'competitive']
    """
    sides = {(len(calls) - number) % 2 for number, call in enumerate(calls) if call != PASS}
    if 1 in sides:
        return "competitive" if 0 in sides else "defensive"
    return "uncontested" if sides else "opening"


def _candidates(
    source: MeaningSource, question: SearchQuestion, rules: SearchRules
) -> list[tuple[int, int | None]]:
    """Give calls with the points by which they are missed, the system's own first."""
    calls = question.calls
    context = context_at(len(calls), question.dealer, question.vulnerability)
    near = near_calls(
        meanings_of(source).lines(calls),
        question.hand,
        context,
        own=question.own,
        calls=calls,
        most_missed=rules.missed,
    )
    found: list[tuple[int, int | None]] = [*near[: rules.candidates]]
    if len(near) > 1 and not question.forced and all(call != PASS for call, _ in near):
        found = [*found[: rules.candidates - 1], (PASS, None)]
    return found


def _layouts(
    source: MeaningSource, question: SearchQuestion, until: float | None, cancel: Event | None
) -> Layouts | str:
    """Layouts that agree with the auction; else why there are none."""
    limit = _MOST_SAMPLING_S
    if until is not None:
        limit = min(limit, _SHARE_FOR_SAMPLING * max(until - perf_counter(), 1e-3))
    calls = question.calls
    try:
        layouts = sample_layouts(
            source,
            calls,
            count=question.layouts,
            dealer=question.dealer,
            vulnerability=question.vulnerability,
            known={question.seat: question.hand},
            seed=question.seed,
            relaxing=False,
            time_limit_s=limit,
            cancel=cancel,
        )
    except TimedOut:
        ms = 1000 * limit
        return f"no layout was found in {f'{ms:.0f}' if ms >= 1 else f'{ms:.1g}'} ms"
    except NoSuchDeal:
        return f"no layout fits the auction {format_calls(calls)}"
    if layouts.report.relaxed:
        one = layouts.report.relaxed[0]
        return f"the system does not know what the call {one.call} by {one.seat} shows"
    return layouts


class _Trial:
    """Candidates on some layouts: the contracts they end in, tricks, and IMPs against the first."""

    def __init__(
        self,
        question: SearchQuestion,
        rules: SearchRules,
        candidates: Sequence[tuple[int, int | None]],
        layouts: Layouts,
    ) -> None:
        self._question = question
        self._rules = rules
        self._candidates = candidates
        self._layouts = layouts
        self._contracts: I64 = np.zeros((len(candidates), 0), np.int64)
        size = (len(candidates), 0, _LIKELY)
        self._tricks: I8 = np.zeros(size, np.int8)
        self._points: F64 = np.zeros(size)
        self._gains: F64 = np.zeros(size[:2])
        self._solved = 0
        self._corrections: F64 = np.zeros(size[:2])

    @property
    def used(self) -> int:
        """Layouts that all candidates were bid on."""
        return int(self._contracts.shape[1])

    # --- contracts and scores ---------------------------------------------------------------------

    def bid(self, bidder: GoesOn, until: float | None, cancel: Event | None) -> SearchEnd:
        """Bid layouts to the end behind each candidate, until that decides, or time is over."""
        question, count = self._question, len(self._layouts)
        calls = [call for call, _ in self._candidates]
        size = _FIRST_BATCH
        while self.used < count:
            if cancel is not None and cancel.is_set():
                raise Cancelled("cancelled while a call was searched")
            if until is not None and perf_counter() >= until:
                return "time"
            begin, end = self.used, min(self.used + size, count)
            hands = self._layouts.hands[:, begin:end]
            part = deals_of(hands, question.dealer, question.vulnerability)
            contracts = contracts_after(bidder, question.calls, calls, part)
            tricks = self._likely(hands, contracts)
            points = self._scored(contracts, tricks)
            self._contracts = np.concatenate([self._contracts, contracts], axis=1)
            self._tricks = np.concatenate([self._tricks, tricks], axis=1)
            self._points = np.concatenate([self._points, points], axis=1)
            self._gains = np.concatenate([self._gains, _gains(points)], axis=1)
            size = min(2 * size, _LARGEST_BATCH)
            if self.used >= LEAST_LAYOUTS and not self.is_open():
                return "decided"
        return "layouts" if count == question.layouts else "time"

    def _likely(self, hands: U64, contracts: I64) -> I8:
        """Tricks around the table's estimates, int8 [candidates, layouts, parts], few to many."""
        # cards that lie well for one side lie badly for the other: it takes its tricks in the
        # opposite order, so that contracts of both are scored on the same cards
        parts = parts_of(contracts)
        declarer = (parts.declarer + self._question.dealer) % 4
        tricks = np.zeros((*contracts.shape, _LIKELY), np.int8)
        places = np.where(contracts > 0, 5 * declarer + parts.strain, -1)
        for place in np.unique(places[places >= 0]).tolist():
            here = places == place
            columns = np.flatnonzero(here.any(axis=0))
            seat, strain = divmod(place, 5)
            few_to_many = likely_tricks(
                np.ascontiguousarray(hands[:, columns]), strain, seat, _LIKELY
            )
            if (seat - self._question.seat) % 2:
                few_to_many = few_to_many[:, ::-1]
            at = np.zeros(contracts.shape[1], np.int64)
            at[columns] = np.arange(len(columns))
            rows, layouts = np.nonzero(here)
            tricks[rows, layouts] = few_to_many[at[layouts]]
        return tricks

    def _scored(self, contracts: I64, tricks: I8) -> F64:
        """Points of the caller's side, float64 [candidates, layouts, parts]."""
        question = self._question
        dealer = np.full(1, question.dealer, np.uint8)
        parts, played = contracts_by_compass(contracts[..., None], dealer)
        if self._rules.doubled:
            parts = doubled_where_failing(parts, tricks)
        sides = np.full(1, question.vulnerability, np.uint8)
        points = scores_of(parts, played, sides, tricks)
        sign = 1 if question.seat % 2 == 0 else -1
        return (sign * points).astype(np.float64)

    def solve(
        self, solver: DoubleDummy, until: float | None, cancel: Event | None
    ) -> SearchEnd | None:
        """Solve layouts in which a candidate that may be made ends elsewhere than the own call."""
        # what double dummy says more or less than the table there is taken as what it would say
        # elsewhere; None if it made no difference for want of time
        question = self._question
        rows = [0, *self._ahead()]
        corrections = np.zeros_like(self._gains)
        size = _FIRST_BATCH // 2
        while self._solved < self.used:
            left = None if until is None else until - perf_counter()
            if left is not None and left <= 0:
                break
            begin, end = self._solved, min(self._solved + size, self.used)
            contracts = self._contracts[rows, begin:end]
            differs = (contracts != contracts[0]).any(axis=0)
            wanted = np.where(differs, contracts, 0)
            try:
                tricks, _ = solved_tricks(
                    solver,
                    self._layouts.hands[:, begin:end],
                    wanted,
                    question.dealer,
                    timeout_s=left,
                    cancel=cancel,
                )
            except TimedOut:
                # those of the part that were quick are not a fair sample of it
                break
            points = self._scored(wanted, tricks[..., None])
            for row, gains in zip(rows, _gains(points), strict=True):
                corrections[row, begin:end] = gains - self._gains[row, begin:end]
            self._solved = end
            size = min(2 * size, _LARGEST_BATCH)
        if self._solved < min(LEAST_LAYOUTS // 2, self.used):
            self._solved = 0
            return "time"
        self._corrections = corrections
        return None if self._solved == self.used else "time"

    # --- who is ahead -----------------------------------------------------------------------------

    def _gain(self, row: int) -> tuple[float, float | None]:
        """IMPs a layout of a candidate over the own call, and the standard error."""
        weights = self._layouts.weights[: self.used]
        mean, error = mean_and_error(self._gains[row], weights)
        if not self._solved or not self._corrections[row].any():
            return mean, error
        more, more_error = mean_and_error(
            self._corrections[row, : self._solved], weights[: self._solved]
        )
        if error is None or more_error is None:
            return mean + more, None
        if self._solved == self.used:
            # nothing is left of the table
            exact = self._gains[row] + self._corrections[row]
            return mean_and_error(exact, weights)
        return mean + more, sqrt(error**2 + more_error**2)

    def _ahead(self, errors: float = _SURELY_BEHIND) -> list[int]:
        """Candidates that may still be ahead by the margin."""
        found = []
        for row in range(1, len(self._candidates)):
            gain, error = self._gain(row)
            if error is not None and error > 0 and gain + errors * error > self._rules.margin:
                found.append(row)
        return found

    def is_open(self) -> bool:
        """Whether a candidate may still be made."""
        return bool(self._ahead())

    def is_about_slam(self) -> bool:
        """Whether a candidate reaches slams often enough."""
        is_slam = (self._contracts > 0) & (parts_of(self._contracts).level >= _SLAM)
        return bool(is_slam.mean(axis=1).max() >= _SLAM_SHARE)

    def _chosen(self) -> int:
        """Candidate that is ahead by the margin and the standard errors; else the own call."""
        best, most = 0, 0.0
        for row in range(1, len(self._candidates)):
            gain, error = self._gain(row)
            if error is None or gain <= self._rules.margin + self._rules.errors * error:
                continue
            if gain > most:
                best, most = row, gain
        return best

    # --- the answer -------------------------------------------------------------------------------

    def search(self, kind: DecisionKind, stopped: SearchEnd) -> Search:
        """Say what is called, and why."""
        question, chosen = self._question, self._chosen()
        found = [self._candidate(row) for row in range(len(self._candidates))]
        others = sorted(range(1, len(found)), key=lambda row: (-round(found[row].gain, 9), row))
        ordered = (found[0], *(found[row] for row in others))
        return Search(
            self._candidates[chosen][0],
            question.own,
            kind,
            self._why(found[chosen] if chosen else ordered[1], found[0], is_made=bool(chosen)),
            ordered,
            self.used,
            question.layouts,
            question.seed,
            self._solved,
            stopped,
            0.0,
        )

    def _candidate(self, row: int) -> SearchedCall:
        call, missed = self._candidates[row]
        gain, error = self._gain(row)
        share = self._layouts.weights[: self.used] / self._layouts.weights[: self.used].sum()
        points = float(weighted_sum(self._points[row].mean(axis=1), share))
        return SearchedCall(call, missed, gain, error, points, self._outcomes(row, share))

    def _outcomes(self, row: int, share: F64) -> tuple[Outcome, ...]:
        numbers = self._contracts[row]
        found = []
        for number in np.unique(numbers).tolist():
            here = numbers == number
            contract = contract_of(number, self._question.dealer)
            made = 0.0
            if contract is not None:
                is_made = self._tricks[row, here] >= contract.level + 6
                made = float(weighted_sum(is_made.mean(axis=1), share[here]))
            count = float(share[here].sum())
            name = "Pass" if contract is None else str(contract)
            found.append(Outcome(name, count * self.used, made * self.used))
        return tuple(sorted(found, key=lambda one: (-one.layouts, one.contract))[:_NAMED])

    def _why(self, other: SearchedCall, own: SearchedCall, *, is_made: bool) -> str:
        """Say in words how a candidate and the own call compare."""
        rules = self._rules
        call, own_call = format_call(other.call), format_call(own.call)
        by = "tricks by table of tricks"
        if self._solved:
            by += f", {self._solved} layout{'s' * (self._solved != 1)} double dummy"
        gain = f"{other.gain:+.2f} IMPs" + (
            "" if other.error is None else f" (standard error {other.error:.2f})"
        )
        over = f"{self.used} layout{'s' * (self.used != 1)}"
        head = f"{call} is worth {gain} against {own_call} over {over}, {by}"
        if not is_made:
            head += (
                f"; {own_call} stands, for {call} must be ahead by more than {rules.margin:g} IMPs "
                f"and {rules.errors:g} times the error"
            )
        return f"{head}. {outcome_text(other, self.used)}; {outcome_text(own, self.used)}"


def outcome_text(one: SearchedCall, layouts: int) -> str:
    """Say what became of a candidate.

    Examples
    --------
    >>> ends = Outcome("4SN", 80, 61.4), Outcome("Pass", 20, 0)
    >>> outcome_text(SearchedCall(21, 0, 0.0, 0.1, 300.0, ends), 100)
    '4S: 4S by N in 80 of 100 layouts, makes in 61; passed out in 20'
    """
    texts = []
    for number, outcome in enumerate(one.outcomes):
        name = "passed out"
        if outcome.contract != "Pass":
            contract = parse_contract(outcome.contract)
            name = f"{contract.name} by {contract.declarer.letter}"
        of = f" of {layouts} layout{'s' * (layouts != 1)}" if number == 0 else ""
        makes = "" if outcome.contract == "Pass" else f", makes in {outcome.made:.0f}"
        texts.append(f"{name} in {outcome.layouts:.0f}{of}{makes}")
    return f"{format_call(one.call)}: {'; '.join(texts)}"


def _gains(points: F64) -> F64:
    """IMPs of each candidate against the first, float64 [candidates, layouts]: means of parts."""
    swings = np.rint(points - points[:1]).astype(np.int32)
    gains: F64 = imps_of(swings.ravel()).reshape(swings.shape).mean(axis=2)
    return gains
