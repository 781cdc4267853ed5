"""Layouts that fit an auction, and deals under conditions alone."""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from bidcascade.bridge import (
    PASS,
    Auction,
    Cancelled,
    NoSuchDeal,
    Seat,
    TimedOut,
    Vulnerability,
)
from bidcascade.kernels import Backend, get_backend
from bidcascade.kernels.types import U64
from bidcascade.systems import System
from bidcascade.systems.places.turn_context import auction_calls, context_at, dealer_and_sides
from bidcascade.table import Vocabulary
from bidcascade.table.language.explain import HandValues, holds

from .judging import steps_of
from .known import KnownCards, known_by_seat
from .meanings import MeaningSource, meanings_of
from .relaxing import no_such_deal, note, relax, unknown_calls, where_text
from .result import LayoutReport, Layouts, Relaxed, effective_size
from .searching import PILOT, Attempt, LayoutQuestion, LayoutSearch, SearchLimits, rare_or, search
from .steps import Step
from .where import Constraints

DEFAULT_TIME_LIMIT_S: Final = 10.0
_ENOUGH: Final = 4
"""Conditions are given up where less than one part in so many of the layouts is found ..."""
_MANY: Final = 1000
"""... of so many at most: who wants more gets none that fit worse."""


def sample_layouts(
    source: MeaningSource,
    auction: str | Sequence[int] = (),
    *,
    count: int = 100,
    dealer: Seat | str = Seat.NORTH,
    vulnerability: Vulnerability | str = Vulnerability.NONE,
    known: Mapping[Seat, KnownCards | str | int] | None = None,
    where: Sequence[str] = (),
    seed: int = 0,
    strict: bool = True,
    relaxing: bool = True,
    opponents: System | None = None,
    time_limit_s: float = DEFAULT_TIME_LIMIT_S,
    max_proposals: int = 1_000_000,
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
        of the layouts is found, and less than 250.
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
    ValueError, IllegalCall, InvalidCall, InvalidHand, InvalidDeal, InvalidExpression, UnknownTerm
        If what is asked makes no sense.
    NoSuchDeal, TimedOut, Cancelled
        If no deal meets it, or none was found before the end.

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
    started = time.perf_counter()
    calls = auction_calls(auction)
    Auction.of(calls)
    _check_numbers(count, seed, time_limit_s, max_proposals)
    dealer, sides = dealer_and_sides(dealer, vulnerability)
    hands = known_by_seat(known or {})
    steps, judges = steps_of(source, calls, dealer, opponents)
    vocabulary = steps[0].vocabulary if steps else meanings_of(source).vocabulary
    question = LayoutQuestion(
        hands, Constraints(where, vocabulary), dealer, sides, backend or get_backend("cpu"), seed
    )
    notes = _own_calls(question, steps)
    hidden = tuple(step for step in steps if not hands[step.seat].is_whole)
    if not strict:
        hidden = tuple(replace(step, reading="any") for step in hidden)
    hidden, unknown = unknown_calls(hidden)
    found, relaxed = _search(
        Attempt(question, hidden, judges),
        count,
        SearchLimits(max_proposals, started + time_limit_s, cancel),
        relaxing=relaxing,
    )
    layouts, weights, numbers = found.found(count)
    proposals = int(numbers[-1]) + 1 if len(numbers) == count else found.tried
    report = LayoutReport(
        proposals,
        len(weights),
        len(weights) / proposals,
        effective_size(weights),
        (*unknown, *relaxed),
        notes,
        found.stopped_because or "count",
        seed,
        time.perf_counter() - started,
    )
    return Layouts(layouts, weights, dealer, sides, report)


def _search(
    attempt: Attempt, count: int, limits: SearchLimits, *, relaxing: bool
) -> tuple[LayoutSearch, tuple[Relaxed, ...]]:
    """Search, and give conditions up until enough is found; what was given up."""
    bare = Attempt(attempt.question)
    if bare.dealing.is_impossible:
        raise no_such_deal(bare)
    found = LayoutSearch(attempt, limits)
    relaxed: tuple[Relaxed, ...] = ()
    while (why := limits.why_stop()) is None:
        can_relax = relaxing and any(step.reading != "nothing" for step in attempt.steps)
        is_impossible = attempt.dealing.is_impossible
        if not is_impossible:
            enough = max(1, min(count, _MANY) // _ENOUGH) if can_relax else 0
            found = search(attempt, count, limits, enough=enough)
            if found.accepted >= max(1, enough) or found.stopped_because in ("time", "cancelled"):
                break
            if can_relax and not found.accepted and attempt.question.constraints.texts:
                # calls would be relaxed in vain if the conditions are what leaves no deal
                alone = search(bare, 1, limits)
                if not alone.accepted and alone.stopped_because == "proposals":
                    raise _nothing_found(alone)
        weaker = relax(attempt) if can_relax else None
        if weaker is None:
            if is_impossible:
                raise no_such_deal(attempt)
            break
        attempt, given_up = weaker
        relaxed = (*relaxed, given_up)
    else:
        found.stopped_because = why
    if found.stopped_because == "cancelled":
        raise Cancelled("cancelled while layouts were sampled")
    if not found.accepted:
        raise _nothing_found(found)
    return found, relaxed


def _nothing_found(found: LayoutSearch) -> NoSuchDeal | TimedOut:
    tried = f"none of {found.tried:,} deals fits"
    if found.stopped_because == "time":
        return TimedOut(f"expected a layout within the time limit, got {tried}")
    if found.is_impossible:
        return no_such_deal(found.attempt)
    return NoSuchDeal(f"no such deal found: {tried}{where_text(found.attempt)}")


def _check_numbers(count: int, seed: int, time_limit_s: float, max_proposals: int) -> None:
    if count < 1:
        raise ValueError(f"expected a count of layouts from 1, got {count!r}")
    if not 0 <= seed < 1 << 64:
        raise ValueError(f"expected a seed from 0 to 2**64 - 1, got {seed!r}")
    if not time_limit_s > 0:
        raise ValueError(f"expected a time limit above 0 s, got {time_limit_s!r}")
    if max_proposals < 1:
        raise ValueError(f"expected at least one proposal, got {max_proposals!r}")


def _own_calls(question: LayoutQuestion, steps: Sequence[Step]) -> tuple[str, ...]:
    """Say which calls the known hands would not have made."""
    text = "the known hand does not make this call by the system"
    return tuple(
        str(note(step, "call", text))
        for step in steps
        if question.known[step.seat].is_whole and step.is_known and not _is_made(question, step)
    )


def _is_made(question: LayoutQuestion, step: Step) -> bool:
    """Whether the system makes a call with the known hand: tables pay for many hands, not one."""
    hand, vocabulary = question.known[step.seat].cards, step.vocabulary
    context = context_at(step.number, question.dealer, question.vulnerability)
    values = HandValues(hand, vocabulary, context)
    for option in step.options:
        if all(holds(hand, one, vocabulary, context, values=values) for one in option.criteria):
            return option.is_made
    return step.call == PASS


def deal_where(
    where: Sequence[str] = (),
    *,
    count: int,
    seed: int,
    known: Mapping[Seat, KnownCards | str | int] | None = None,
    dealer: Seat = Seat.NORTH,
    vulnerability: Vulnerability = Vulnerability.NONE,
    vocabulary: Vocabulary | None = None,
    limits: SearchLimits | None = None,
    backend: Backend | None = None,
) -> Iterator[tuple[U64, int]]:
    """Deal under conditions; every deal that meets them is equally likely.

    Parameters
    ----------
    where
        Conditions on whole deals, all of which must hold.
    count, seed
        How many deals, and which; fewer are the first of more.
    known
        What is known of each hand.
    dealer, vulnerability
        Of all deals, for conditions that ask for them.
    limits
        Proposals and time; as long as it takes if not given.

    Yields
    ------
    tuple
        Hands uint64[4, n], and how many deals were looked at so far.

    Raises
    ------
    InvalidHand, InvalidDeal, InvalidExpression, UnknownTerm
        If what is asked makes no sense.
    NoSuchDeal, TimedOut, Cancelled
        If the conditions contradict each other, or the limits were reached before the first deal.

    Examples
    --------
    >>> hands, tried = next(deal_where(["HCP_N + HCP_S >= 37"], count=3, seed=1))
    >>> hands.shape, tried < 10_000
    ((4, 3), True)
    """
    question = LayoutQuestion(
        known_by_seat(known or {}),
        Constraints(where, vocabulary),
        dealer,
        vulnerability,
        backend or get_backend("cpu"),
        seed,
    )
    attempt = Attempt(question)
    if attempt.dealing.is_impossible:
        raise no_such_deal(attempt)
    search = LayoutSearch(attempt, limits or SearchLimits())
    part = search.go_on(PILOT)
    if search.is_seldom and (better := rare_or(search)) is not search:
        search = better
        part = search.go_on(search.next_chunk(count))
    found = 0
    while not search.stopped_because:
        search.forget()
        hands = part.hands[:, : count - found]
        found += hands.shape[1]
        done = int(part.numbers[hands.shape[1] - 1]) + 1 if found == count else search.tried
        yield hands, done
        if found == count:
            return
        part = search.go_on(search.next_chunk(count))
    if found:
        return
    if search.stopped_because == "cancelled":
        raise Cancelled("cancelled while deals were looked for")
    tried = f"none of {search.tried:,} deals fits"
    if search.stopped_because == "time":
        raise TimedOut(f"expected a deal within the time limit, got {tried}")
    if search.is_impossible:
        raise no_such_deal(attempt)
    raise NoSuchDeal(f"no such deal found{where_text(attempt)}: {tried}")
