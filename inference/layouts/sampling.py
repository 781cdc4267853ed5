"""Layouts that fit an auction: what the sampler is asked and what it answers."""

import math
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

import numpy as np

from bidcascade.bridge import (
    Auction,
    Cancelled,
    NoSuchDeal,
    Seat,
    TimedOut,
    Vulnerability,
    parse_seat,
    parse_vulnerability,
)
from bidcascade.inference.layouts.attempt import Attempt, Question
from bidcascade.inference.layouts.judging import Judge
from bidcascade.inference.layouts.known import KnownCards, known_by_seat
from bidcascade.inference.layouts.relaxing import no_such_deal, relax, unknown_calls
from bidcascade.inference.layouts.remembered import Judges, steps_of
from bidcascade.inference.layouts.result import (
    LayoutReport,
    Layouts,
    Relaxed,
    deals_of,
    effective_size,
)
from bidcascade.inference.layouts.searching import NOTHING_FOUND, Limits, search
from bidcascade.inference.layouts.steps import Source, Step
from bidcascade.inference.layouts.where import Constraints
from bidcascade.kernels import Backend, get_backend
from bidcascade.table import BiddingTable, System, Vocabulary
from bidcascade.table.system.system import auction_calls

DEFAULT_COUNT: Final = 100
DEFAULT_TIME_LIMIT_S: Final = 10.0
DEFAULT_PROPOSALS: Final = 1_000_000
_ENOUGH: Final = 4
"""Conditions are given up where less than one part in so many of the layouts is found."""


def sample_layouts(
    source: Source,
    auction: str | Sequence[int] = (),
    *,
    count: int = DEFAULT_COUNT,
    dealer: Seat | str = Seat.NORTH,
    vulnerability: Vulnerability | str = Vulnerability.NONE,
    known: Mapping[Seat, KnownCards | str | int] | None = None,
    where: Sequence[str] = (),
    seed: int = 0,
    strict: bool = True,
    relaxing: bool = True,
    opponents: System | None = None,
    time_limit_s: float = DEFAULT_TIME_LIMIT_S,
    max_proposals: int = DEFAULT_PROPOSALS,
    cancel: threading.Event | None = None,
    backend: Backend | None = None,
) -> Layouts:
    """Deal what is unknown so that every call of an auction is the one the system makes.

    Parameters
    ----------
    source
        System, bidding table, or places of two systems.
    auction
        Calls from the dealer on, as text or codes; it may go on or be over.
    count
        Layouts wanted, from 1.
    known
        What is known by seat: :class:`KnownCards`, a mask, or text such as ``AKxx.Qx.xxx.K432``.
        A hand that is known in whole keeps to its calls or not: the report says so.
    where
        Conditions on whole deals, ``HCP_N >= 15``; never relaxed.
    seed
        From 0 to ``2**64 - 1``; the same seed gives the same layouts.
    strict
        Every call is the one that the system makes (mode ``first``); else it is among those whose
        conditions hold.
    relaxing
        Whether conditions of calls are given up, the least likely first, where less than a quarter
        of the layouts is found.
    opponents
        System of the side that did not deal, if it is another.
    time_limit_s, max_proposals
        When to stop.
    cancel
        Set it from another thread to stop.
    backend
        Works out conditions; cpu if not given.

    Returns
    -------
    Layouts
        ``count`` of them, or fewer where a limit was reached first (the report says which).

    Raises
    ------
    ValueError
        If a number is out of range.
    IllegalCall, InvalidCall
        If it is no legal auction.
    InvalidHand, InvalidDeal
        If what is known contradicts itself.
    InvalidExpression, UnknownTerm
        If a condition is none.
    NoSuchDeal
        If no deal meets what is known and asked, or none was found.
    TimedOut
        If the time was over before a layout was found.
    Cancelled
        If it was cancelled.

    Examples
    --------
    >>> system = System.parse('''
    ... opening:
    ...   1NT = Strong notrump: 15-17 points, balanced
    ... ''')
    >>> layouts = sample_layouts(system, "1N P", count=50, known={Seat.EAST: "AKQ2.732.9854.T6"})
    >>> len(layouts), layouts.report.relaxed
    (50, ())
    """
    _compile()
    started = time.perf_counter()
    calls = auction_calls(auction)
    Auction.of(calls)
    _check_numbers(count, seed, time_limit_s, max_proposals)
    dealer = parse_seat(dealer) if isinstance(dealer, str) else Seat(dealer)
    sides = (
        parse_vulnerability(vulnerability)
        if isinstance(vulnerability, str)
        else Vulnerability(vulnerability)
    )
    hands = known_by_seat(known or {})
    steps, judges = steps_of(source, calls, dealer, opponents)
    vocabulary = steps[0].vocabulary if steps else _vocabulary(source)
    question = Question(
        hands, Constraints(where, vocabulary), dealer, sides, backend or get_backend("cpu"), seed
    )
    hidden = tuple(step for step in steps if not hands[step.seat].is_whole)
    notes = _own_calls(question, steps, judges)
    if not strict:
        hidden = tuple(replace(step, reading="any") for step in hidden)
    hidden, relaxed = unknown_calls(hidden)
    limits = Limits(max_proposals, started + time_limit_s, cancel)
    return _sample(
        Attempt(question, hidden, judges), count, limits, relaxed, notes, started, relaxing=relaxing
    )


@cache
def _compile() -> None:
    """Draw some deals once in a process: nobody's time limit is spent on compiling."""
    for where in (), ("HCP_N + HCP_S >= 20",):
        question = Question(
            known_by_seat({}), Constraints(where, Vocabulary()), Seat.NORTH, Vulnerability.NONE,
            get_backend("cpu"), 0,
        )  # fmt: skip
        search(Attempt(question, ()), 1, Limits(DEFAULT_PROPOSALS, math.inf))


def _sample(
    attempt: Attempt,
    count: int,
    limits: Limits,
    relaxed: tuple[Relaxed, ...],
    notes: tuple[str, ...],
    started: float,
    *,
    relaxing: bool,
) -> Layouts:
    question = attempt.question
    bare = Attempt(question, ())
    if bare.dealing.is_impossible:
        raise no_such_deal(bare)
    found = NOTHING_FOUND
    while True:
        weaker = None
        why = limits.why_stop()
        if why is not None:
            found = replace(found, stopped_because=why)
        if why == "cancelled":
            raise Cancelled("cancelled while layouts were sampled")
        if why is not None:
            break
        if attempt.dealing.is_impossible:
            weaker = relax(attempt) if relaxing else None
            if weaker is None:
                raise no_such_deal(attempt)
        else:
            can_relax = relaxing and any(step.reading != "nothing" for step in attempt.steps)
            enough = max(1, count // _ENOUGH) if can_relax else 0
            found = search(attempt, count, limits, enough=enough)
            if found.stopped_because == "cancelled":
                raise Cancelled("cancelled while layouts were sampled")
            if len(found) >= max(1, enough) or found.stopped_because == "time":
                break
            if can_relax and not len(found) and question.constraints.texts:
                _check_conditions(bare, limits)
            weaker = relax(attempt) if can_relax else None
            if weaker is None:
                break
        attempt, note = weaker
        relaxed = (*relaxed, note)
    if not len(found):
        tried = f"none of {found.proposals:,} deals fits"
        if found.stopped_because == "time":
            raise TimedOut(f"expected a layout within the time limit, got {tried}")
        raise NoSuchDeal(f"no such deal found: {tried}{_told(question)}")
    report = LayoutReport(
        found.proposals, len(found), len(found) / found.proposals,
        effective_size(found.weights), relaxed, notes, found.stopped_because, question.seed,
        time.perf_counter() - started,
    )  # fmt: skip
    return Layouts(found.hands, found.weights, question.dealer, question.vulnerability, report)


def _check_conditions(bare: Attempt, limits: Limits) -> None:
    """Make sure that the conditions are not what leaves no deal: calls would be relaxed in vain."""
    found = search(bare, 1, limits)
    if not len(found) and found.stopped_because == "proposals":
        tried = f"none of {found.proposals:,} deals fits"
        raise NoSuchDeal(f"no such deal found: {tried}{_told(bare.question)}")


def _told(question: Question) -> str:
    texts = question.constraints.texts
    return f" where {', '.join(texts)}" if texts else ""


def _check_numbers(count: int, seed: int, time_limit_s: float, max_proposals: int) -> None:
    if count < 1:
        raise ValueError(f"expected a count of layouts from 1, got {count!r}")
    if not 0 <= seed < 1 << 64:
        raise ValueError(f"expected a seed from 0 to 2**64 - 1, got {seed!r}")
    if not time_limit_s > 0:
        raise ValueError(f"expected a time limit above 0 s, got {time_limit_s!r}")
    if max_proposals < 1:
        raise ValueError(f"expected at least one proposal, got {max_proposals!r}")


def _own_calls(question: Question, steps: Sequence[Step], judges: Judges) -> tuple[str, ...]:
    """Say which calls the known hands would not have made."""
    own = [step for step in steps if question.known[step.seat].is_whole and step.is_known]
    if not own:
        return ()
    hands = np.array([[one.cards] for one in question.known], np.uint64)
    deals = deals_of(hands, question.dealer, question.vulnerability)
    key = tuple((step.number, "own") for step in own)
    judge = judges.get(key)
    if judge is None:
        judge = judges[key] = Judge(own)
    verdicts = judge.verdicts(deals, question.backend)[0]
    return tuple(
        str(
            Relaxed.of(
                step.number,
                step.call,
                step.seat,
                "call",
                "the known hand does not make this call by the system",
            )
        )
        for step, good in zip(own, verdicts, strict=True)
        if not good
    )


def _vocabulary(source: Source) -> Vocabulary:
    if isinstance(source, System | BiddingTable):
        return source.vocabulary
    return source.sides[0].vocabulary
