"""Strong hands that a call leaves below game: by line, how often, and the strongest of them.

A player knows of game if his points and the least that partner has shown make 25. A call of his
that partner may pass below game, a pass among them, then wants a reason in the text: most often the
last line of a place, named for weakness, has no upper end and takes what no line before it wanted.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from bidcascade.bridge import (
    DOUBLE,
    FIRST_BID,
    LAST_BID,
    PASS,
    REDOUBLE,
    VULNERABILITIES,
    bid_level,
    format_call,
    format_calls,
    format_hand,
)
from bidcascade.kernels import DealArrays
from bidcascade.kernels.types import I64
from bidcascade.systems import System
from bidcascade.systems.bidder import Bidder, seen_from_dealer
from bidcascade.systems.formulas import GAME_POINTS
from bidcascade.systems.patterns import game_level, strain_of
from bidcascade.table.language.vocabulary import Vocabulary
from bidcascade.table.term_values import term_values

from .call_by_call import CallByCall

_CHUNK: Final = 1 << 16
"""Deals that are bid at once."""
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
    deals
        Calls that it made with such a hand and that partner may pass below game.
    stopped
        How many of them were the last ones of a player who knew, and the auction ended below game,
        or in a contract of theirs that was not doubled.
    auction, call, hand, vulnerability
        The strongest of them: of those that stopped, if there are any.
    points, least
        Its points, and the least that partner had shown.
    """

    line: str
    name: str
    deals: int
    stopped: int
    auction: str
    call: str
    hand: str
    vulnerability: str
    points: int
    least: int


class _Found(NamedTuple):
    """What is counted of a line while deals go by."""

    deals: int = 0
    stopped: int = 0
    best: tuple[bool, int] = (False, -1)
    """Of the strongest call: whether the auction stopped, and the points together."""
    calls: tuple[int, ...] = ()
    hand: int = 0
    vulnerability: int = 0
    points: int = 0


def strong_hands(
    system: System,
    deals: DealArrays,
    *,
    points: int = GAME_POINTS,
    progress: Callable[[int, int], None] | None = None,
) -> list[StrongHand]:
    r"""Find the lines that leave strong hands below game, with the system at all four seats.

    Parameters
    ----------
    system, deals
    points
        Points together that are enough for game.
    progress
        Told how many of how many deals are bid.

    Returns
    -------
    list of StrongHand
        By how many auctions stopped, then by how many calls were made.

    Examples
    --------
    >>> from bidcascade.loaders import deal_arrays, random_deals
    >>> text = '''
    ... opening:
    ...   1NT = Strong: 15-17 points, balanced
    ... after 1NT:
    ...   2C = Weak: 5+ clubs
    ...   3NT = Game: any hand
    ... '''
    >>> found = strong_hands(System.parse(text), deal_arrays(random_deals(2000, 3)))
    >>> [(one.line, one.name, one.auction) for one in found]
    """
    bidder = system.bidder(system)
    found: dict[tuple[str, str], _Found] = {}
    for start in range(0, len(deals), _CHUNK):
        chunk = seen_from_dealer(deals.slice(start, min(start + _CHUNK, len(deals))))
        with bidder.lock:
            if bidder.bytes > bidder.budget:
                bidder.start_over()
            _add(found, bidder, chunk, points)
        if progress is not None:
            progress(start + len(chunk), len(deals))
    order = sorted(found.items(), key=lambda item: (-item[1].stopped, -item[1].deals, item[0]))
    return [
        StrongHand(
            line,
            name,
            one.deals,
            one.stopped,
            format_calls(one.calls[:-1]),
            format_call(one.calls[-1]),
            format_hand(one.hand),
            VULNERABILITIES[one.vulnerability],
            one.points,
            one.best[1] - one.points,
        )
        for (line, name), one in order
    ]


def _add(
    found: dict[tuple[str, str], _Found], bidder: Bidder, deals: DealArrays, enough: int
) -> None:
    """Bid deals that position 0 deals, and count what lines did with strong hands."""
    bid, vocabulary = CallByCall.of(bidder, deals), Vocabulary()
    count = len(deals)
    own = np.stack([term_values("HCP", one, deals, vocabulary) for one in range(4)])
    last, bidder_side, doubled = (np.zeros(count, np.int64) for _ in range(3))
    # by side: the depth of the last call of a player who knew
    final = np.full((2, count), -1, np.int64)
    forcing: tuple[dict[int, bool], ...] = ({}, {})
    met: list[tuple[int, I64, I64]] = []
    for depth in range(bid.call.shape[1]):
        on = np.flatnonzero(bid.call[:, depth] >= 0)
        call, side = bid.call[on, depth], depth & 1
        is_bid = call >= FIRST_BID
        last[on[is_bid]], bidder_side[on[is_bid]], doubled[on[is_bid]] = call[is_bid], side, 0
        doubled[on[(call == DOUBLE) | (call == REDOUBLE)]] = 1
        below = (is_bid | (call == PASS)) & (doubled[on] == 0) & ~_IS_GAME[last[on]]
        on = on[below]
        places, which = np.unique(bid.place[on, depth], return_inverse=True)
        bidder.load_rows(places.astype(np.int32))
        rows = bidder.store.rows[bidder.store.row[places]]
        together = own[depth & 3, on] + rows["hull"][:, depth + 2 & 3, 0, 0].astype(int)[which]
        knows = (together >= enough) & (rows["game_forced"][:, side] == 0)[which]
        on, together = on[knows], together[knows]
        entries, which = np.unique(bid.entry[on, depth], return_inverse=True)
        goes_on = np.array([_is_forcing(bidder, side, one) for one in entries.tolist()], np.bool_)
        stays = ~goes_on[which]
        on, together = on[stays], together[stays]
        final[side, on] = depth
        met.append((depth, on, together))
    stops = ~_IS_GAME[last] & (doubled == 0)
    for depth, on, sums in met:
        side = depth & 1
        stopped = stops[on] & (final[side, on] == depth)
        for deal, total, stop in zip(on.tolist(), sums.tolist(), stopped.tolist(), strict=True):
            number = int(bid.entry[deal, depth])
            entry = bidder.sides[side].entry(number, 0) if number >= 0 else None
            key = ("", "") if entry is None else (str(entry.where), entry.name)
            before = found.get(key, _Found())
            now = before._replace(deals=before.deals + 1, stopped=before.stopped + stop)
            if (stop, total) > before.best:
                now = now._replace(
                    best=(stop, total),
                    calls=tuple(bid.call[deal, : depth + 1].tolist()),
                    hand=int(deals.hands[depth & 3, deal]),
                    vulnerability=int(deals.vulnerability[deal]),
                    points=int(own[depth & 3, deal]),
                )
            found[key] = now


def _is_forcing(bidder: Bidder, side: int, number: int) -> bool:
    """Whether partner has to answer the call that an entry makes."""
    if number < 0:
        return False
    entry = bidder.sides[side].entry(number, 0)
    return any(one.kind in _FORCING for one in entry.agreements)
