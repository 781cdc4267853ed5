"""More strength never loses: deals bid twice, once with better cards for one side.

No judge is needed. A side that bids a game gets two honours of the other side for small cards of
the same suits, so that every hand keeps its shape, and the game must be bid again; a slam, with one
honour more. The same is asked of single calls and of contracts with one card that makes a hand
better. Where the opponents call, other cards change their calls too, and a loss may be right; where
they are silent both times a line of the text has taken a hand that is too good for it.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import numpy as np

from bidcascade.bridge import (
    DOUBLE,
    FIRST_BID,
    LAST_BID,
    PASS,
    STRAINS,
    VULNERABILITIES,
    format_calls,
    format_deal,
)
from bidcascade.inference.quantiles import wilson_interval
from bidcascade.kernels import DealArrays
from bidcascade.kernels.types import I64, U64, Bools
from bidcascade.loaders.frames.frame import deal_at
from bidcascade.systems import System
from bidcascade.systems.auctions.bidder import Bidder, seen_from_dealer

from .call_by_call import CallByCall, LineName
from .sanity import Sign
from .scored_boards import category_of

AGREED_TRUMPS: Final = 8
"""With so many between declarer and dummy a suit counts as agreed."""
SHORT_SUIT: Final = 2
LONG_SUIT: Final = 5

_CHUNK: Final = 1 << 14
"""Deals that are bid at once."""
_GAME: Final = 2
_SLAM: Final = 3
_NOTRUMP: Final = STRAINS.index("N")
_ONE: Final = np.uint64(1)
_NONE: Final = np.uint64(0)
_SUIT_BITS: Final = 13
_SMALL: Final = np.uint64((1 << 9) - 1)
"""Cards below the jack, which change no count of points."""
_CARDS: Final = np.uint64((1 << 13) - 1)
_SHIFTS: Final = np.uint64(_SUIT_BITS) * np.arange(4, dtype=np.uint64)[:, np.newaxis, np.newaxis]
"""Of arrays [suits, players, deals]."""
_HONOURS: Final = np.array([13 * suit + 10 + rank for suit in range(4) for rank in range(3)])
"""Bits of queen, king and ace of each suit."""
_SEATS: Final = np.arange(4)
_BIDS: Final = np.arange(LAST_BID - FIRST_BID + 1)
_CATEGORY: Final = np.concatenate(
    [np.zeros(FIRST_BID, np.int64), category_of(_BIDS // len(STRAINS) + 1, _BIDS % len(STRAINS))]
)
"""What each call would be as a contract, in the order of the categories."""
_SILENT: Final = ", opponents silent both times"


class LosingLine(NamedTuple):
    """What a line did with hands that were too good for it.

    Parameters
    ----------
    what
        One of the rates.
    line, name
        File and line of the call, and its name; empty for a pass by default. Where contracts are
        compared it is the pass that left the side where it was.
    other, other_name
        Where contracts are compared, the line of the bid that was passed, empty if the side never
        bid; else the line of the bid that the weaker hand makes.
    lost, silent
        How often, and with opponents silent both times.
    deal, better, vulnerability
        An example, dealt by North: the deal as PBN, and with the better cards.
    auction, again
        How both were bid.
    """

    what: str
    line: str
    name: str
    other: str
    other_name: str
    lost: int
    silent: int
    deal: str
    better: str
    vulnerability: str
    auction: str
    again: str


class Stronger(NamedTuple):
    """Outcome of :func:`stronger`.

    Parameters
    ----------
    deals
        How many were bid.
    rates
        How often more strength lost, each row with its interval of 95 %.
    lines
        By rate, then by how often with silent opponents, then by how often.
    """

    deals: int
    rates: tuple[Sign, ...]
    lines: tuple[LosingLine, ...]


class _Question(NamedTuple):
    """What is lost, of what; whether it is told apart where opponents are silent."""

    what: str
    among: str
    apart: bool = False


_GAMES: Final = _Question("game lost with two honours more", "undoubled games", apart=True)
_SLAMS: Final = _Question("slam lost with an honour more", "undoubled slams", apart=True)
_POINTS: Final = _Question("pass with an honour more", "bids of the weaker hand")
_TRUMP: Final = _Question(
    "lower contract with a trump more, a card less in a short side suit",
    f"contracts with {AGREED_TRUMPS}+ trumps{_SILENT}",
)
_SHAPE: Final = _Question(
    "pass with a card more in the suit of the bid", f"bids of a longest suit, {LONG_SUIT}+ cards"
)
_SINGLETON: Final = _Question(
    "double in place of a bid with a singleton more in their suit",
    "suit bids over their suit with two cards of it",
)


class _Changed(NamedTuple):
    """Deals with other cards.

    Parameters
    ----------
    deal : int64 [m]
        Which of the chunk they were.
    hands : uint64 [4, m]
    player : int64 [m]
        Whose cards are better; where it is a side, one of its players.
    suit : int64 [m]
        In which, where that matters.
    """

    deal: I64
    hands: U64
    player: I64
    suit: I64


class _Losses(NamedTuple):
    """What was asked, and what was lost.

    Parameters
    ----------
    asked : int
    asked_silent : int
        With opponents silent both times.
    row : int64 [k]
        Which of the changed deals lost.
    depth : int64 [k]
        The call of the stronger hand.
    other : int64 [k]
        Depth of the other line's call, in the auction that it is taken from; -1 for none.
    silent : bool [k]
    """

    asked: int
    asked_silent: int
    row: I64
    depth: I64
    other: I64
    silent: Bools


class _Bid(NamedTuple):
    """A chunk of deals as they were bid: what happened, and where it ended."""

    deals: DealArrays
    calls: CallByCall

    @property
    def last(self) -> I64:
        """Depth of each deal's last bid; -1 where it was passed out."""
        return _latest(self.calls.call >= FIRST_BID)[:, -1]

    def contract(self) -> tuple[I64, I64, Bools]:
        """Give each contract's bid (0 for none), whose depth it has, and whether it is doubled."""
        call, last = self.calls.call, self.last
        code = np.where(last >= 0, call[np.arange(len(call)), last], 0)
        behind = np.arange(call.shape[1]) > last[:, np.newaxis]
        doubled: Bools = np.any(behind & (call > PASS), axis=1)
        return code, last, doubled

    def of_side(self, side: I64) -> Bools:
        """Tell which calls are a side's, bool [deals, calls]."""
        mine: Bools = np.arange(self.calls.call.shape[1]) % 2 == side[:, np.newaxis] % 2
        return mine

    def silent(self, side: I64) -> Bools:
        """Tell where the opponents of a side only pass."""
        heard: Bools = np.any(~self.of_side(side) & (self.calls.call > PASS), axis=1)
        return ~heard


def stronger(
    system: System,
    deals: DealArrays,
    *,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Stronger:
    r"""Bid deals twice, the second time with better cards, and count what is lost.

    Parameters
    ----------
    system
        Bids at all four seats.
    deals
    seed
        Of the cards that change hands.
    progress
        Told how many of how many deals are done.

    Examples
    --------
    >>> from bidcascade.loaders import deal_arrays, random_deals
    >>> system = System.parse('''
    ... opening:
    ...   1NT = Strong: 15+ points
    ... after 1NT:
    ...   3NT = Game: 10-12 points
    ...   Pass = Weak: any hand
    ... ''', name="own")
    >>> found = stronger(system, deal_arrays(random_deals(4000, 3)))
    >>> [(one.what, one.boards, one.possible) for one in found.rates[:1]]
    [('game lost with two honours more', 290, 437)]
    >>> [(one.line, one.name, one.other_name, one.lost) for one in found.lines[:1]]
    [('own:6', 'Weak', 'Strong', 290)]
    """
    bidder = system.bidder(system)
    counts = {question: [0, 0, 0, 0] for question in _HOW}
    found: dict[tuple[_Question, LineName, LineName], LosingLine] = {}
    for start in range(0, len(deals), _CHUNK):
        chunk = seen_from_dealer(deals.slice(start, min(start + _CHUNK, len(deals))))
        draw = np.random.default_rng((seed, start))
        with bidder.lock:
            if bidder.bytes > bidder.budget:
                bidder.start_over()
            before = _Bid(chunk, CallByCall.of(bidder, chunk))
            for question, (change, compare) in _HOW.items():
                changed = change(before, draw)
                again = _bid_again(bidder, before, changed)
                of_those = _Bid(
                    chunk.take(changed.deal),
                    CallByCall(*(one[changed.deal] for one in before.calls)),
                )
                losses = compare(of_those, again, changed)
                count = counts[question]
                count[0] += len(losses.row)
                count[1] += losses.asked
                count[2] += int(losses.silent.sum())
                count[3] += losses.asked_silent
                _add(found, bidder, question, of_those, again, losses)
        if progress is not None:
            progress(start + len(chunk), len(deals))
    order = list(_HOW)
    lines = sorted(
        found.items(),
        key=lambda item: (
            order.index(item[0][0]),
            -item[1].silent,
            -item[1].lost,
            item[0][1],
            item[0][2],
        ),
    )
    rates = tuple(rate for question in order for rate in _rates(question, *counts[question]))
    return Stronger(len(deals), rates, tuple(line for _, line in lines))


def _rates(
    question: _Question, lost: int, asked: int, silent: int, asked_silent: int
) -> Iterator[Sign]:
    """Write counts as rates; where it is told apart, also of silent opponents."""
    of_all = [("", lost, asked)]
    if question.apart:
        of_all.append((_SILENT, silent, asked_silent))
    for more, count, of in of_all:
        low, high = wilson_interval([count], [of])
        share = count / of if of else None
        yield Sign(
            question.what + more, question.among, count, of, share, float(low[0]), float(high[0])
        )


def _bid_again(bidder: Bidder, before: _Bid, changed: _Changed) -> _Bid:
    """Bid deals with other cards."""
    count = len(changed.deal)
    vulnerability = before.deals.vulnerability[changed.deal]
    deals = DealArrays(changed.hands, np.zeros(count, np.uint8), vulnerability)
    if not count:
        return _Bid(deals, CallByCall(*np.full((3, 0, 1), -1, np.int64)))
    return _Bid(deals, CallByCall.of(bidder, deals))


def _add(
    found: dict[tuple[_Question, LineName, LineName], LosingLine],
    bidder: Bidder,
    question: _Question,
    before: _Bid,
    again: _Bid,
    losses: _Losses,
) -> None:
    """Count losses by the line that took the stronger hand."""
    # the weaker hand's bid is one of the first auction, a bid that was passed one of the second
    others = again if question in _OF_CONTRACTS else before
    for row, depth, other, silent in zip(*(one.tolist() for one in losses[2:]), strict=True):
        line = _line_at(bidder, again, row, depth)
        behind = _line_at(bidder, others, row, other)
        known = found.get((question, line, behind))
        # the example is one with silent opponents, if there is any
        if known is None or (silent and not known.silent):
            deal, better = (format_deal(deal_at(one.deals, row)) for one in (before, again))
            auctions = (_auction(one, row) for one in (before, again))
            vulnerability = VULNERABILITIES[int(again.deals.vulnerability[row])]
            lost, quiet = (0, 0) if known is None else (known.lost, known.silent)
            known = LosingLine(
                question.what, *line, *behind, lost, quiet, deal, better, vulnerability, *auctions
            )
        known = known._replace(lost=known.lost + 1, silent=known.silent + silent)
        found[question, line, behind] = known


def _line_at(bidder: Bidder, bid: _Bid, row: int, depth: int) -> LineName:
    entry = -1 if depth < 0 else int(bid.calls.entry[row, depth])
    return LineName("", "") if entry < 0 else LineName.of_entry(bidder, depth & 1, entry)


def _auction(bid: _Bid, row: int) -> str:
    calls = bid.calls.call[row]
    return format_calls(calls[calls >= 0].tolist())


# --- other cards ----------------------------------------------------------------------------------


def _small(hands: U64) -> U64:
    """Lowest card below the jack by suit, as a bit; 0 for none: uint64 [4 suits, players, n]."""
    suits = (hands >> _SHIFTS) & _SMALL
    lowest: U64 = (suits & (~suits + _ONE)) << _SHIFTS
    return lowest


def _lengths(hands: U64) -> I64:
    """Cards by suit, int64 [4 suits, players, n]."""
    lengths: I64 = np.bitwise_count((hands >> _SHIFTS) & _CARDS).astype(np.int64)
    return lengths


def _any_of(possible: Bools, draw: np.random.Generator) -> tuple[I64, Bools]:
    """Choose one of those that are possible, along the first axis, and whether there was one."""
    keys = np.where(possible, draw.random(possible.shape), -1.0)
    chosen: I64 = keys.argmax(axis=0)
    some: Bools = np.any(possible, axis=0)
    return chosen, some


def _with_honour(hands: U64, takers: Bools, draw: np.random.Generator) -> tuple[U64, Bools]:
    """Give one of some players an honour of the others for his lowest card of its suit.

    Parameters
    ----------
    hands : uint64 [4, n]
    takers : bool [4, n]

    Returns
    -------
    uint64 [4, n], bool [n]
        The hands, and where there was such an honour.
    """
    number = np.arange(hands.shape[1])
    small = _small(hands)[_HONOURS // _SUIT_BITS]
    held = (hands >> _HONOURS.astype(np.uint64)[:, np.newaxis, np.newaxis] & _ONE).astype(np.bool_)
    theirs: Bools = np.any(held & ~takers, axis=1)
    possible = theirs[:, np.newaxis] & takers & (small > _NONE)
    which, some = _any_of(possible.reshape(4 * len(_HONOURS), -1), draw)
    honour, taker = np.divmod(which, 4)
    cards = (_ONE << _HONOURS[honour].astype(np.uint64)) | small[honour, taker, number]
    return _exchanged(hands, taker, held[honour, :, number].argmax(axis=1), cards, some), some


def _with_card(
    hands: U64, taker: I64, givers: Bools, gained: I64, lost: I64, draw: np.random.Generator
) -> tuple[U64, Bools]:
    """Give players a small card of a suit for their lowest one of another suit.

    Parameters
    ----------
    hands : uint64 [4, n]
    taker, gained, lost : int64 [n]
        Players, and the two suits.
    givers : bool [4, n]
    """
    number = np.arange(hands.shape[1])
    small = _small(hands)
    given = small[gained, :, number].T
    giver, some = _any_of(givers & (given > _NONE), draw)
    away = small[lost, taker, number]
    some = some & (away > _NONE) & (gained != lost)
    return _exchanged(hands, taker, giver, given[giver, number] | away, some), some


def _exchanged(hands: U64, one: I64, other: I64, cards: U64, where: Bools) -> U64:
    """Change some cards of two players, of which each holds one."""
    found, number = hands.copy(), np.arange(hands.shape[1])
    moved = np.where(where, cards, _NONE)
    found[one, number] ^= moved
    found[other, number] ^= moved
    return found


def _honours_for(least: int, most: int, honours: int) -> "_Change":
    """Ask of sides whose contract is of some category, with as many honours more."""

    def change(before: _Bid, draw: np.random.Generator) -> _Changed:
        code, last, doubled = before.contract()
        asked = (_CATEGORY[code] >= least) & (_CATEGORY[code] <= most)
        # a doubled one may be a sacrifice
        deal = np.flatnonzero(asked & ~doubled)
        side = last[deal] & 1
        hands, takers = before.deals.hands[:, deal], _SEATS[:, np.newaxis] % 2 == side
        some = np.ones(len(deal), np.bool_)
        for _ in range(honours):
            hands, more = _with_honour(hands, takers, draw)
            some &= more
        return _Changed(deal[some], hands[:, some], side[some], side[some])

    return change


def _honour_for_a_player(before: _Bid, draw: np.random.Generator) -> _Changed:
    count = len(before.deals)
    player = draw.integers(0, 4, count)
    takers = _SEATS[:, np.newaxis] == player
    hands, some = _with_honour(before.deals.hands, takers, draw)
    return _Changed(np.flatnonzero(some), hands[:, some], player[some], player[some])


def _trump_for_a_side(before: _Bid, draw: np.random.Generator) -> _Changed:
    code, last, _ = before.contract()
    strain = (code - FIRST_BID) % len(STRAINS)
    # who plays it is no matter: either of the two gets the card
    side = last & 1
    deal = np.flatnonzero((last >= 0) & (strain != _NOTRUMP) & before.silent(side))
    hands, suit, number = before.deals.hands[:, deal], strain[deal], np.arange(len(deal))
    player = side[deal] + 2 * draw.integers(0, 2, len(deal))
    lengths = _lengths(hands)
    trumps = lengths[suit, player, number] + lengths[suit, player ^ 2, number]
    short = _shortest(hands, player, suit)
    givers = _SEATS[:, np.newaxis] % 2 != player % 2
    hands, some = _with_card(hands, player, givers, suit, short, draw)
    some &= (trumps >= AGREED_TRUMPS) & (lengths[short, player, number] <= SHORT_SUIT)
    return _Changed(deal[some], hands[:, some], player[some], suit[some])


def _card_for_a_long_suit(before: _Bid, draw: np.random.Generator) -> _Changed:
    hands, number = before.deals.hands, np.arange(len(before.deals))
    player = draw.integers(0, 4, len(number))
    own = _lengths(hands)[:, player, number]
    long = own.argmax(axis=0)
    givers = _SEATS[:, np.newaxis] != player
    after, some = _with_card(hands, player, givers, long, _shortest(hands, player, long), draw)
    some &= own.max(axis=0) >= LONG_SUIT
    return _Changed(np.flatnonzero(some), after[:, some], player[some], long[some])


def _card_out_of_their_suit(before: _Bid, draw: np.random.Generator) -> _Changed:
    hands, number = before.deals.hands, np.arange(len(before.deals))
    player = draw.integers(0, 4, len(number))
    call = before.calls.call
    bids = (call >= FIRST_BID) & ~before.of_side(player)
    first = bids.argmax(axis=1)
    theirs = (call[number, first] - FIRST_BID) % len(STRAINS)
    suit = np.where(bids.any(axis=1) & (theirs != _NOTRUMP), theirs, 0)
    own = _lengths(hands)[:, player, number]
    others = own.copy()
    others[suit, number] = -1
    givers = _SEATS[:, np.newaxis] != player
    after, some = _with_card(hands, player, givers, others.argmax(axis=0), suit, draw)
    some &= bids.any(axis=1) & (theirs != _NOTRUMP) & (own[suit, number] == SHORT_SUIT)
    return _Changed(np.flatnonzero(some), after[:, some], player[some], suit[some])


def _shortest(hands: U64, player: I64, but: I64) -> I64:
    """Shortest suit of players in which they have a small card, but for one suit."""
    number = np.arange(hands.shape[1])
    lengths = _lengths(hands)[:, player, number]
    lengths[_small(hands)[:, player, number] == _NONE] = _SUIT_BITS + 1
    lengths[but, number] = _SUIT_BITS + 1
    shortest: I64 = lengths.argmin(axis=0)
    return shortest


# --- what is lost ---------------------------------------------------------------------------------


def _left_below(least: int) -> "_Compare":
    """Ask whether a side bids no contract of some category, nor doubles what they play."""

    def compare(before: _Bid, again: _Bid, changed: _Changed) -> _Losses:
        side = changed.player
        calls = np.where(again.of_side(side), again.calls.call, PASS)
        _, last, doubled = again.contract()
        punished = doubled & (last % 2 != side) & (last >= 0)
        lost = ~(_CATEGORY[np.maximum(calls, PASS)] >= least).any(axis=1) & ~punished
        silent = before.silent(side) & again.silent(side)
        return _contract_losses(again, side, lost, silent)

    return compare


def _lower_contract(before: _Bid, again: _Bid, changed: _Changed) -> _Losses:
    side = changed.player & 1
    silent = again.silent(side)
    (was, *_), (now, *_) = before.contract(), again.contract()
    lower = _CATEGORY[now] < _CATEGORY[was]
    # part scores in one suit: in another one fewer tricks may be as good
    same = (_CATEGORY[now] == 1) & ((now - was) % len(STRAINS) == 0)
    lower |= (_CATEGORY[was] == 1) & same & (now < was)
    found = _contract_losses(again, side, lower & silent, silent)
    return found._replace(asked=found.asked_silent)


def _contract_losses(again: _Bid, side: I64, lost: Bools, silent: Bools) -> _Losses:
    """Blame the pass over the side's last bid, its first pass where it never bids."""
    row = np.flatnonzero(lost)
    call, mine = again.calls.call[row], again.of_side(side)[row]
    bid = _latest(mine & (call >= FIRST_BID))[:, -1]
    behind = mine & (call == PASS) & (np.arange(call.shape[1]) > bid[:, np.newaxis])
    # a bid that is never passed, only doubled or overcalled at the end of all, blames itself
    depth = np.where(behind.any(axis=1), behind.argmax(axis=1), bid)
    return _Losses(len(lost), int(silent.sum()), row, depth, bid, silent[row])


def _pass_for_a_bid(before: _Bid, again: _Bid, changed: _Changed) -> _Losses:
    call = before.calls.call
    # over partner's takeout double who is strong in their suit passes for penalties
    partners, right = _earlier(call, 2), _earlier(call, 1)
    trap = (partners == DOUBLE) & (right == PASS)
    return _call_losses(before, again, changed.player, (call >= FIRST_BID) & ~trap, PASS)


def _pass_for_a_bid_of_the_suit(before: _Bid, again: _Bid, changed: _Changed) -> _Losses:
    call = before.calls.call
    asked = (call >= FIRST_BID) & ((call - FIRST_BID) % len(STRAINS) == changed.suit[:, np.newaxis])
    return _call_losses(before, again, changed.player, asked, PASS)


def _double_for_a_bid(before: _Bid, again: _Bid, changed: _Changed) -> _Losses:
    call = before.calls.call
    latest = _earlier(_latest(call >= FIRST_BID), 1)
    last = np.where(latest >= 0, np.take_along_axis(call, np.maximum(latest, 0), axis=1), PASS)
    is_theirs = (latest >= 0) & ((np.arange(call.shape[1]) - latest) % 2 == 1)
    in_suit = (last - FIRST_BID) % len(STRAINS) == changed.suit[:, np.newaxis]
    # who bids notrump over it has a stopper, and may not have one any more
    own = (call >= FIRST_BID) & ((call - FIRST_BID) % len(STRAINS) != _NOTRUMP)
    asked = own & is_theirs & in_suit
    return _call_losses(before, again, changed.player, asked, DOUBLE)


def _call_losses(before: _Bid, again: _Bid, player: I64, asked: Bools, lost: int) -> _Losses:
    """Compare a player's calls as long as both auctions are alike."""
    width = max(before.calls.call.shape[1], again.calls.call.shape[1])
    first, second = (_widened(one.calls.call, width) for one in (before, again))
    depths = np.arange(width)
    alike = np.logical_and.accumulate(first == second, axis=1)
    # the calls before are alike
    reached = np.concatenate([np.ones((len(first), 1), np.bool_), alike[:, :-1]], axis=1)
    turns = _widened(asked, width) & reached & (depths % 4 == player[:, np.newaxis])
    rows, at = np.nonzero(turns & (second == lost))
    theirs = depths % 2 != player[:, np.newaxis] % 2
    heard = np.logical_or.accumulate(theirs & (first > PASS), axis=1)
    silent = turns & ~heard
    return _Losses(int(turns.sum()), int(silent.sum()), rows, at, at, silent[rows, at])


def _widened(calls: "I64 | Bools", width: int) -> "I64":
    """Columns up to a width: no call, and nothing asked."""
    more = np.full((len(calls), width - calls.shape[1]), -1 if calls.dtype != np.bool_ else 0)
    return np.concatenate([calls, more.astype(calls.dtype)], axis=1)


def _latest(mask: Bools) -> I64:
    """Depth of the latest call in a mask up to each depth, -1 for none."""
    return np.maximum.accumulate(np.where(mask, np.arange(mask.shape[1]), -1), axis=1)


def _earlier(values: I64, by: int) -> I64:
    """Give each depth the value some calls before; -1 at the beginning."""
    none = np.full((len(values), min(by, values.shape[1])), -1, np.int64)
    return np.concatenate([none, values[:, : values.shape[1] - by]], axis=1)


_Change = Callable[[_Bid, np.random.Generator], _Changed]
_Compare = Callable[[_Bid, _Bid, _Changed], _Losses]
_OF_CONTRACTS: Final = (_GAMES, _SLAMS, _TRUMP)
_HOW: Final[dict[_Question, tuple[_Change, _Compare]]] = {
    _GAMES: (_honours_for(_GAME, _GAME, 2), _left_below(_GAME)),
    _SLAMS: (_honours_for(_SLAM, _SLAM + 1, 1), _left_below(_SLAM)),
    _POINTS: (_honour_for_a_player, _pass_for_a_bid),
    _TRUMP: (_trump_for_a_side, _lower_contract),
    _SHAPE: (_card_for_a_long_suit, _pass_for_a_bid_of_the_suit),
    _SINGLETON: (_card_out_of_their_suit, _double_for_a_bid),
}
