"""What an auction shows of all four hands: by the system's words, and over layouts that fit it."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bidcascade.bridge import (
    PASS,
    SEATS,
    SUITS,
    Auction,
    Seat,
    ShownAnswer,
    Vulnerability,
    format_call,
    format_calls,
    seat_of_call,
)
from bidcascade.kernels import Backend, get_backend
from bidcascade.kernels.packing.intervals import both
from bidcascade.systems import System
from bidcascade.systems.places.knowledge import Hull
from bidcascade.systems.places.one_deal import in_one_deal
from bidcascade.systems.places.turn_context import auction_calls
from bidcascade.systems.words.explanation import AuctionExplanation

from .hand_pictures import HandPicture, pictures
from .layouts.judging import Judge
from .layouts.known import KnownCards, known_by_seat
from .layouts.meanings import Meanings, MeaningSource, ShownHand, meanings_of, offered_steps
from .layouts.result import LayoutReport, Layouts
from .layouts.sampling import DEFAULT_TIME_LIMIT_S, sample_layouts
from .layouts.steps import Step
from .weighted import weighted_mean

DEFAULT_LAYOUTS: Final = 500


@dataclass(frozen=True, slots=True)
class NextCall:
    """A call that may come next, by the name of its first line."""

    call: str
    name: str
    chance: float
    """Share of the layouts in which the player makes it."""


@dataclass(frozen=True, slots=True, repr=False)
class Interpretation(ShownAnswer):
    """An auction interpreted.

    Parameters
    ----------
    auction, dealer, vulnerability
        As text.
    known
        Seats whose hand is known in whole.
    explanation
        Call by call, by the system; without calls for a bidding table of no system.
    shown
        By seat letter.
    hands
        By seat letter, over the layouts.
    agreed
        Trumps as far as agreed, of North-South and East-West.
    next_player
        Seat letter of the player to call, None after the end.
    next_calls
        What that player calls, the likeliest first.
    report
        How the layouts were found.

    Examples
    --------
    >>> system = System.parse("opening:" + chr(10) + "  1NT = Strong: 15-17 points, balanced")
    >>> found = interpret(system, "1N", layouts=100, seed=1)
    >>> found.hands["N"].points_range, found.next_calls[0].call
    ((15, 17), 'P')
    """

    auction: str
    dealer: str
    vulnerability: str
    known: tuple[str, ...]
    explanation: AuctionExplanation
    shown: Mapping[str, ShownHand]
    hands: Mapping[str, HandPicture]
    agreed: tuple[str | None, str | None]
    next_player: str | None
    next_calls: tuple[NextCall, ...]
    report: LayoutReport


def interpret(
    source: MeaningSource,
    auction: str | Sequence[int] = (),
    *,
    dealer: Seat | str = Seat.NORTH,
    vulnerability: Vulnerability | str = Vulnerability.NONE,
    known: Mapping[Seat, KnownCards | str | int] | None = None,
    where: Sequence[str] = (),
    layouts: int = DEFAULT_LAYOUTS,
    seed: int = 0,
    strict: bool = True,
    opponents: System | None = None,
    time_limit_s: float = DEFAULT_TIME_LIMIT_S,
    cancel: threading.Event | None = None,
    backend: Backend | None = None,
) -> Interpretation:
    """Tell what an auction has shown of the four hands, and what may be called next.

    Parameters
    ----------
    source, auction, dealer, vulnerability, known, where, seed, strict, opponents, time_limit_s, \
cancel, backend
        As of :func:`~bidcascade.inference.sample_layouts`.
    layouts
        How many layouts chances are counted over.

    Raises
    ------
    BidcascadeError, ValueError
        As :func:`~bidcascade.inference.sample_layouts` does.

    Examples
    --------
    >>> system = System.parse('''
    ... opening:
    ...   1NT = Strong notrump: 15-17 points, balanced
    ... ''')
    >>> found = interpret(system, "1N P", known={Seat.EAST: "AKQ2.732.9854.T6"}, layouts=50)
    >>> found.hands["N"].cards["SA"], found.shown["N"].points
    (0.0, (15, 17))
    """
    calls = auction_calls(auction)
    backend = backend or get_backend("cpu")
    found = sample_layouts(
        source,
        calls,
        count=layouts,
        dealer=dealer,
        vulnerability=vulnerability,
        known=known,
        where=where,
        seed=seed,
        strict=strict,
        opponents=opponents,
        time_limit_s=time_limit_s,
        cancel=cancel,
        backend=backend,
    )
    meanings = meanings_of(source, opponents)
    words = meanings.at(found.dealer, found.vulnerability)
    hands = known_by_seat(known or {})
    first, second = meanings.agreed(calls)
    agreed = (first, second) if found.dealer % 2 == 0 else (second, first)
    is_over = Auction.of(calls).is_complete
    steps = () if is_over else offered_steps(meanings, calls)
    return Interpretation(
        format_calls(calls),
        found.dealer.letter,
        found.vulnerability.text,
        tuple(name for name, one in zip(SEATS, hands, strict=True) if one.is_whole),
        words.explanation(calls),
        _shown(words, calls, found.dealer),
        dict(zip(SEATS, pictures(found, agreed, meanings.vocabulary), strict=True)),
        agreed,
        None if is_over else seat_of_call(found.dealer, len(calls)).letter,
        _next_calls(steps, found, backend),
        found.report,
    )


def _shown(meanings: Meanings, calls: Sequence[int], dealer: Seat) -> dict[str, ShownHand]:
    """By seat, as far as one deal has room for it."""
    found, hulls = meanings.shown(calls)
    turned = [(seat - dealer) % 4 for seat in Seat]
    narrowed = in_one_deal([hulls[position] for position in turned])
    return {
        seat: _narrowed(found[position], bounds)
        for seat, position, bounds in zip(SEATS, turned, narrowed, strict=True)
    }


def _narrowed(one: ShownHand, bounds: Hull) -> ShownHand:
    """Narrow what was shown to what the other hands leave room for."""

    def room(points: tuple[int, int]) -> tuple[int, int]:
        found = both(points, bounds.points)
        return found if found[0] <= found[1] else points

    lengths = dict(zip(SUITS, bounds.lengths, strict=True))
    return replace(
        one, points=room(one.points), every_points=room(one.every_points), lengths=lengths
    )


def _next_calls(steps: Sequence[Step], layouts: Layouts, backend: Backend) -> tuple[NextCall, ...]:
    """Chance of each call that the next player may make, the likeliest first."""
    if not steps:
        return ()
    verdicts = Judge(steps).verdicts(layouts.deals, backend)
    chances = weighted_mean(verdicts, layouts.weights)
    found = []
    for step, chance in zip(steps, chances.tolist(), strict=True):
        name = next((one.name for one in step.options if one.is_made and one.name), "")
        found.append(NextCall(format_call(step.call), name, chance))
    found.sort(key=lambda one: -one.chance)
    return tuple(one for one in found if one.chance > 0 or one.call != format_call(PASS))
