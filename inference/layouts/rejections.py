"""How many deals do not fit an auction, and at which call they first disagree with it.

Deals are dealt by what is known alone, all equally likely, and every call is looked at in each. So
the share of those that fit is that of all deals, not of those that a search would propose.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bidcascade.bridge import Seat, ShownAnswer, Vulnerability, format_call
from bidcascade.kernels import Backend, get_backend
from bidcascade.kernels.types import Bools
from bidcascade.systems import System
from bidcascade.systems.places.turn_context import auction_calls, dealer_and_sides

from .judging import Judge, steps_of
from .known import KnownCards, known_by_seat
from .meanings import MeaningSource, meanings_of
from .result import deals_of
from .sampling import deal_where
from .searching import SearchLimits


@dataclass(frozen=True, slots=True)
class CallRejections:
    """Deals that disagree with one call.

    Parameters
    ----------
    number, call, seat
        Which call of the auction: its number from 0, its text, who made it.
    known : bool
        Whether any hand makes the call; else no line of the system does.
    first : int
        Deals that agree with all calls before and not with this one.
    any : int
        Deals that do not agree with it.
    """

    number: int
    call: str
    seat: str
    known: bool
    first: int
    any: int


@dataclass(frozen=True, slots=True, repr=False)
class Rejections(ShownAnswer):
    """What became of some deals: those dealt, those that fit all calls, and the others by call."""

    dealt: int
    fit: int
    calls: tuple[CallRejections, ...]


def count_rejections(
    source: MeaningSource,
    auction: str | Sequence[int],
    *,
    deals: int,
    dealer: Seat | str = Seat.NORTH,
    vulnerability: Vulnerability | str = Vulnerability.NONE,
    known: Mapping[Seat, KnownCards | str | int] | None = None,
    where: Sequence[str] = (),
    seed: int = 0,
    strict: bool = True,
    opponents: System | None = None,
    limits: SearchLimits | None = None,
    cancel: threading.Event | None = None,
    backend: Backend | None = None,
) -> Rejections:
    """Deal by what is known and count at which call each deal first disagrees with an auction.

    Parameters
    ----------
    source, auction, dealer, vulnerability, known, where, seed, strict, opponents, cancel, backend
        As of :func:`~bidcascade.inference.sample_layouts`. Calls of hands that are known in whole
        are left out, as they are there.
    deals : int
        How many; fewer where ``limits`` are reached.
    limits : SearchLimits, optional

    Raises
    ------
    BidcascadeError
        As :func:`~bidcascade.inference.deal_where` does.

    Examples
    --------
    >>> system = System.parse('''
    ... opening:
    ...   1NT = Strong notrump: 15-17 points, balanced
    ... ''')
    >>> found = count_rejections(system, "1N", deals=1000, seed=1)
    >>> found.dealt, found.fit + found.calls[0].first, found.fit < 100
    (1000, 1000, True)
    """
    calls = auction_calls(auction)
    dealer, sides = dealer_and_sides(dealer, vulnerability)
    steps, _ = steps_of(source, calls, dealer, opponents)
    hands = known_by_seat(known or {})
    hidden = tuple(step for step in steps if not hands[step.seat].is_whole)
    if not strict:
        hidden = tuple(replace(step, reading="any") for step in hidden)
    backend = backend or get_backend("cpu")
    vocabulary = steps[0].vocabulary if steps else meanings_of(source).vocabulary
    dealt = np.concatenate(
        [
            part
            for part, _ in deal_where(
                where,
                count=deals,
                seed=seed,
                known=known,
                dealer=dealer,
                vulnerability=sides,
                vocabulary=vocabulary,
                limits=limits or SearchLimits(cancel=cancel),
                backend=backend,
            )
        ],
        axis=1,
    )
    verdicts = Judge(hidden).verdicts(deals_of(dealt, dealer, sides), backend)
    fits: Bools = np.logical_and.reduce(verdicts, axis=1)
    first = np.argmin(verdicts, axis=1) if hidden else np.zeros(len(fits), np.intp)
    firsts = np.bincount(first[~fits], minlength=len(hidden))
    found = tuple(
        CallRejections(
            step.number,
            format_call(step.call),
            step.seat.letter,
            step.is_known,
            int(firsts[column]),
            int((~verdicts[:, column]).sum()),
        )
        for column, step in enumerate(hidden)
    )
    return Rejections(dealt.shape[1], int(fits.sum()), found)
