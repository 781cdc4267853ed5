"""Where a search disagrees with a system's text: proposals to its author, line by line.

The system bids deals at all four seats, and every decision is searched (:mod:`.search`) as if
nobody had searched before. A proposal is a line, the call that was preferred to it, and the places
where it was. What it gains is what the search believes: layouts, tricks by a table, and others who
bid as the text says.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import NamedTuple

import numpy as np

from bidcascade.bridge import (
    Cancelled,
    Seat,
    ShownAnswer,
    Vulnerability,
    format_call,
    format_calls,
    format_hand,
)
from bidcascade.inference.simulate import mean_and_error
from bidcascade.kernels import DealArrays
from bidcascade.seats.foreign.bidding import bid_out
from bidcascade.seats.foreign.protocol import Turn
from bidcascade.seats.search_player import SearchPlayer
from bidcascade.systems import System
from bidcascade.systems.places.choice import choose
from bidcascade.systems.places.turn_context import context_at
from bidcascade.workshop.boards.call_by_call import LineName

MOST_PLACES = 3
"""Places of a proposal that are named, the commonest first."""


class Disagreement(NamedTuple):
    """One decision: the auction before it, the hand, and the IMPs that the search expects."""

    auction: str
    hand: str
    gain: float


@dataclass(frozen=True, slots=True, repr=False)
class Proposal(ShownAnswer):
    """A line and the call that a search prefers to it.

    Parameters
    ----------
    line : Line
        File and line of the text, and its name; both empty for a pass by default.
    own, instead : str
        The line's call, and the one that is preferred.
    decisions : int
        In how many decisions.
    gain, error : float
        Mean of the IMPs that are expected, and its standard error; None of a single decision.
    imps : float
        Expected IMPs for each deal that was looked at.
    places : tuple of str
        Auctions before the decision, the commonest first.
    example : Disagreement
        The one with the largest gain.
    """

    line: LineName
    own: str
    instead: str
    decisions: int
    gain: float
    error: float | None
    imps: float
    places: tuple[str, ...]
    example: Disagreement


@dataclass(frozen=True, slots=True, repr=False)
class SearchProposals(ShownAnswer):
    """What a search of many decisions proposes, by the IMPs that it expects."""

    name: str
    deals: int
    decisions: int
    differing: int
    layouts: int
    seed: int
    proposals: tuple[Proposal, ...]


def propose(
    player: SearchPlayer,
    deals: DealArrays,
    *,
    least: int = 1,
    progress: Callable[[int, int], None] | None = None,
    cancel: Event | None = None,
) -> SearchProposals:
    """Search the decisions of a system on deals.

    Parameters
    ----------
    player : SearchPlayer
        Whose system bids, and how it searches.
    deals : DealArrays
    least : int
        Decisions that a proposal is made of.
    progress : callable, optional
        Told how many deals of how many were looked at.
    cancel : Event, optional

    Raises
    ------
    Cancelled
        If ``cancel`` was set.

    Examples
    --------
    >>> from bidcascade.kernels.dealing import deal_hands
    >>> from bidcascade.inference.search import SearchRules
    >>> system = System.parse('''
    ... opening:
    ...   1NT = Strong notrump: 15-17 points, balanced
    ... after 1NT:
    ...   Pass = Too cautious: at most 12 points
    ...   3NT = Game: 10+ points
    ... ''', name="small")
    >>> zero = np.zeros(60, np.uint8)
    >>> deals = DealArrays(deal_hands(1, 0, 60), zero, zero)
    >>> rules = SearchRules(kinds=("uncontested",))
    >>> found = propose(SearchPlayer(system, layouts=24, rules=rules), deals)
    >>> [(one.own, one.instead, one.line.name) for one in found.proposals]
    [('P', '3N', 'Too cautious')]
    """
    system, count = player.system, len(deals)
    found: dict[tuple[LineName, int, int], list[Disagreement]] = defaultdict(list)
    requests = 0
    for deal in range(count):
        if cancel is not None and cancel.is_set():
            raise Cancelled("cancelled while decisions were searched")
        [auction] = bid_out(system, system, deals.slice(deal, deal + 1))
        dealer = Seat(deals.dealer[deal])
        sides = Vulnerability(deals.vulnerability[deal])
        for number in range(len(auction)):
            calls = auction[:number]
            hand = int(deals.hands[(dealer + number) % 4, deal])
            searched = player.search(
                Turn(hand, dealer, sides, calls), None, is_first=number % 2 == 0
            )
            requests += 1
            if searched.differs:
                line = _line_of(system, Turn(hand, dealer, sides, calls))
                gain = next(one.gain for one in searched.candidates if one.call == searched.call)
                found[line, searched.own, searched.call].append(
                    Disagreement(format_calls(calls), format_hand(hand), gain)
                )
        if progress is not None:
            progress(deal + 1, count)
    proposals = [_proposal(*key, each, count) for key, each in found.items() if len(each) >= least]
    return SearchProposals(
        system.name,
        count,
        requests,
        sum(map(len, found.values())),
        player.layouts,
        player.seed,
        tuple(sorted(proposals, key=lambda one: (-one.imps, one.line, one.own, one.instead))),
    )


def _line_of(system: System, turn: Turn) -> LineName:
    place = system.place(turn.calls, first=len(turn.calls) % 2 == 0)
    context = context_at(len(turn.calls), turn.dealer, turn.vulnerability)
    entry = choose(place, turn.hand, context, system.vocabulary).entry
    return LineName("", "") if entry is None else LineName(str(entry.where), entry.name)


def _proposal(
    line: LineName, own: int, instead: int, each: list[Disagreement], deals: int
) -> Proposal:
    gains = np.array([one.gain for one in each])
    gain, error = mean_and_error(gains, np.ones(len(gains)))
    counts: dict[str, int] = defaultdict(int)
    for one in each:
        counts[one.auction] += 1
    places = sorted(counts, key=lambda place: (-counts[place], place))[:MOST_PLACES]
    return Proposal(
        line,
        format_call(own),
        format_call(instead),
        len(each),
        gain,
        error,
        float(gains.sum()) / deals,
        tuple(places),
        max(each, key=lambda one: one.gain),
    )
