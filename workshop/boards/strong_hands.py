"""Strong hands that a call leaves below game: by line, how often, and the strongest of them.

A player knows of game if his points and the least that partner has shown make 25. A call of his
that partner may pass below game, a pass among them, then wants a reason in the text: most often the
last line of a place, named for weakness, has no upper end and takes what no line before it wanted.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import (
    DOUBLE,
    FIRST_BID,
    LAST_BID,
    REDOUBLE,
    VULNERABILITIES,
    bid_level,
    format_call,
    format_calls,
    format_hand,
)
from bidcascade.kernels import DealArrays
from bidcascade.kernels.core.rows import TERMS
from bidcascade.kernels.types import I64
from bidcascade.systems import System
from bidcascade.systems.auctions.bidder import Bidder, seen_from_dealer
from bidcascade.systems.language.auctions.patterns import game_level, strain_of
from bidcascade.systems.places.formulas import GAME_POINTS
from bidcascade.table.language.vocabulary import Vocabulary
from bidcascade.table.term_values import term_values

from .call_by_call import CallByCall

_CHUNK: Final = 1 << 16
"""Deals that are bid at once."""
_POINTS: Final = TERMS.index("HCP")
_FORCING: Final = ("forcing", "forcing to game")
_IS_GAME: Final = np.array(
    [
        code >= FIRST_BID and bid_level(code) >= game_level(strain_of(code))
        for code in range(LAST_BID + 1)
    ]
)


class StrongHand(NamedTuple):
    """What a line, or the pass where no line holds, did with hands that knew of game.

    Parameters
    ----------
    line
        File and line; empty for a pass by default.
    name
        Of the line.
    calls
        That it made with such a hand, and that partner may pass below game.
    stopped
        How many of them were the last ones of a side's players who knew, in an auction that ended
        below game without a double.
    auction, call, hand, vulnerability
        The strongest of them; of those that stopped, if there are any.
    points, least
        Its points, and the least that partner had shown.
    """

    line: str
    name: str
    calls: int
    stopped: int
    auction: str
    call: str
    hand: str
    vulnerability: str
    points: int
    least: int


class StrongHands(NamedTuple):
    """Outcome of :func:`strong_hands`.

    Parameters
    ----------
    deals
        How many were bid.
    due, passed
        On how many a player was forced to call, and on how many of these one passed.
    lines
        By auctions that stopped, then by calls.
    """

    deals: int
    due: int
    passed: int
    lines: tuple[StrongHand, ...]


class _Found(NamedTuple):
    """What is counted of a line while deals go by."""

    calls: int = 0
    stopped: int = 0
    best: tuple[bool, int] = (False, -1)
    """Of the strongest call: whether the auction stopped, and the points together."""
    auction: tuple[int, ...] = ()
    hand: int = 0
    vulnerability: int = 0
    points: int = 0


_Lines = dict[tuple[str, str], _Found]


def strong_hands(
    system: System,
    deals: DealArrays,
    *,
    points: int = GAME_POINTS,
    progress: Callable[[int, int], None] | None = None,
) -> StrongHands:
    r"""Find the lines that leave strong hands below game, with the system at all four seats.

    Parameters
    ----------
    system, deals
    points
        Points together that are enough for game.
    progress
        Told how many of how many deals are bid.

    Examples
    --------
    >>> from bidcascade.loaders import deal_arrays, random_deals
    >>> system = System.parse('''
    ... opening:
    ...   1NT = Strong: 15-17 points, balanced
    ... after 1NT:
    ...   3NT = Game: 10-12 points
    ...   Pass = Weak: any hand
    ... ''', name="own")
    >>> found = strong_hands(system, deal_arrays(random_deals(2000, 3)))
    >>> [(one.line, one.name, one.calls, one.points, one.least) for one in found.lines[:1]]
    [('own:6', 'Weak', 45, 20, 15)]
    """
    bidder = system.bidder(system)
    found: _Lines = {}
    due = passed = 0
    for start in range(0, len(deals), _CHUNK):
        chunk = seen_from_dealer(deals.slice(start, min(start + _CHUNK, len(deals))))
        with bidder.lock:
            if bidder.bytes > bidder.budget:
                bidder.start_over()
            bid = CallByCall.of(bidder, chunk)
            _add(found, bidder, chunk, bid, points)
            was_due, was_passed = bid.forced(bidder)
        due, passed = due + int(was_due.sum()), passed + int(was_passed.sum())
        if progress is not None:
            progress(start + len(chunk), len(deals))
    order = sorted(found.items(), key=lambda item: (-item[1].stopped, -item[1].calls, item[0]))
    lines = (
        StrongHand(
            line,
            name,
            one.calls,
            one.stopped,
            format_calls(one.auction[:-1]),
            format_call(one.auction[-1]),
            format_hand(one.hand),
            VULNERABILITIES[one.vulnerability],
            one.points,
            one.best[1] - one.points,
        )
        for (line, name), one in order
    )
    return StrongHands(len(deals), due, passed, tuple(lines))


def _add(found: _Lines, bidder: Bidder, deals: DealArrays, bid: CallByCall, enough: int) -> None:
    """Count what lines did with strong hands, on deals that position 0 deals."""
    count, vocabulary = len(deals), Vocabulary()
    own = np.stack([term_values("HCP", one, deals, vocabulary) for one in range(4)])
    last, doubled = np.zeros(count, np.int64), np.zeros(count, np.bool_)
    latest = np.full((2, count), -1, np.int64)
    """By side: where its players who knew have called last."""
    met: list[tuple[int, I64, I64]] = []
    for depth in range(bid.call.shape[1]):
        on, side = np.flatnonzero(bid.call[:, depth] >= 0), depth & 1
        call = bid.call[on, depth]
        is_bid = call >= FIRST_BID
        last[on[is_bid]], doubled[on[is_bid]] = call[is_bid], False
        doubled[on[(call == DOUBLE) | (call == REDOUBLE)]] = True
        on = on[~doubled[on] & ~_IS_GAME[last[on]]]
        places, which = np.unique(bid.place[on, depth], return_inverse=True)
        bidder.load_rows(places.astype(np.int32))
        rows = bidder.store.rows[bidder.store.row[places]]
        together = own[depth & 3, on] + _least_shown(rows, depth + 2 & 3)[which]
        knows = (together >= enough) & (rows["game_forced"][:, side] == 0)[which]
        on, together = on[knows], together[knows]
        entries, which = np.unique(bid.entry[on, depth], return_inverse=True)
        ends = [not _is_forcing(bidder, side, one) for one in entries.tolist()]
        may_end = np.array(ends, np.bool_)[which]
        on, together = on[may_end], together[may_end]
        latest[side, on] = depth
        met.append((depth, on, together))
    ended = ~_IS_GAME[last] & ~doubled
    for depth, on, together in met:
        stopped = ended[on] & (latest[depth & 1, on] == depth)
        for deal, points, stops in zip(
            on.tolist(), together.tolist(), stopped.tolist(), strict=True
        ):
            key = _named(bidder, depth & 1, int(bid.entry[deal, depth]))
            before = found.get(key, _Found())
            now = before._replace(calls=before.calls + 1, stopped=before.stopped + stops)
            if (stops, points) > before.best:
                now = now._replace(
                    best=(stops, points),
                    auction=tuple(bid.call[deal, : depth + 1].tolist()),
                    hand=int(deals.hands[depth & 3, deal]),
                    vulnerability=int(deals.vulnerability[deal]),
                    points=int(own[depth & 3, deal]),
                )
            found[key] = now


def _least_shown(rows: NDArray[np.void], position: int) -> I64:
    """Least points that a player has shown where rows of places stand, promises included."""
    low, high = (rows["hull"][:, position, _POINTS, end].astype(np.int64) for end in (0, 1))
    promised, most = (rows["terms"][:, position, _POINTS, end] for end in (0, 1))
    return np.where(
        np.maximum(low, promised) <= np.minimum(high, most), np.maximum(low, promised), low
    )


def _named(bidder: Bidder, side: int, number: int) -> tuple[str, str]:
    """Line and name of an entry; of a pass by default there are none."""
    if number < 0:
        return "", ""
    entry = bidder.sides[side].entry(number, 0)
    return str(entry.where), entry.name


def _is_forcing(bidder: Bidder, side: int, number: int) -> bool:
    """Whether partner has to answer the call that an entry makes."""
    if number < 0:
        return False
    entry = bidder.sides[side].entry(number, 0)
    return any(one.kind in _FORCING for one in entry.agreements)
