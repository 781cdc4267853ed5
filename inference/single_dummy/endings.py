"""Double dummy for endings: exact tricks by alpha-beta over a few cards a hand.

A study of an ending asks for tens of thousands of positions of four or five cards. A general solver
spends more on taking each of them in than on solving it, so endings have a search of their own. The
game is that of the Laws of Duplicate Bridge (Law 44: follow suit, the highest trump or card of the
suit led wins, the winner leads); the search is alpha-beta (Knuth, Moore: An analysis of alpha-beta
pruning, 1975), in which touching cards of one hand are tried once.
"""

from threading import Event
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from bidcascade.bridge import Cancelled
from bidcascade.inference.double_dummy.protocol import I8, NO_CARD, NOT_HELD, check_boards
from bidcascade.kernels.compiled import compiled
from bidcascade.kernels.types import U8, U64

MOST_CARDS: Final = 7
"""Cards a hand up to which the search is meant; beyond, a general solver is faster."""

_SUIT: Final = 0x1FFF
_SEARCH: Final = f"int64({', '.join(['int64'] * 12)})"


@compiled
def _suit_of(card: Any) -> Any:
    """Mask of the suit of a card that is given as one bit."""
    if card < 1 << 26:
        return _SUIT if card < 1 << 13 else _SUIT << 13
    return _SUIT << 26 if card < 1 << 39 else _SUIT << 39


@compiled
def _takes(card: Any, best: Any, trumps: Any) -> Any:
    """Whether a card beats the best one of a trick, 0 before the lead."""
    if best == 0 or _suit_of(best) & card:
        return card > best
    return card & trumps != 0


@compiled
def _held(seat: Any, north: Any, east: Any, south: Any, west: Any) -> Any:
    if seat < 2:
        return north if seat == 0 else east
    return south if seat == 2 else west


@compiled
def _last_trick(leader: Any, north: Any, east: Any, south: Any, west: Any, trumps: Any) -> Any:
    """1 if North-South take the trick of everybody's only card."""
    best = _held(leader, north, east, south, west)
    winner = leader
    for place in range(1, 4):
        seat = (leader + place) & 3
        card = _held(seat, north, east, south, west)
        if _takes(card, best, trumps):
            best = card
            winner = seat
    return 1 - (winner & 1)


# a search that calls itself keeps its position in registers: five times as fast as a stack in
# memory. It is compiled for these types alone, and gets no literals, which would be other types
@compiled(only=_SEARCH)
def _search(
    north: Any, east: Any, south: Any, west: Any,
    leader: Any, played: Any, best: Any, winner: Any, led: Any,
    trumps: Any, alpha: Any, beta: Any,
) -> Any:  # fmt: skip
    """Tricks of North-South from the current trick on; exact within (alpha, beta).

    ``played`` cards lie in the trick, ``best`` wins it so far (by ``winner``), ``led`` is the mask
    of the suit led.
    """
    nothing = np.int64(0)
    seat = (leader + played) & 3
    hand = _held(seat, north, east, south, west)
    if played == 0:
        if hand == 0:
            return nothing
        if hand & (hand - 1) == 0:
            return np.int64(_last_trick(leader, north, east, south, west, trumps))
        left = hand
        tricks = nothing
        while left:
            left &= left - 1
            tricks += 1
        # nobody takes more tricks than there are, or fewer than none
        if alpha >= tricks:
            return tricks
        if beta <= 0:
            return nothing
    choices = hand & led
    if choices == 0:
        choices = hand
    others = (north | east | south | west) & ~hand | best
    ours = seat & 1 == 0
    found = np.int64(-1 if ours else 64)
    # to a trick, the cards that take it are tried first
    for turn in range(2 if played else 1):
        lower = nothing
        left = choices
        while left:
            card = left & -left
            left ^= card
            suit = _suit_of(card)
            before = lower
            lower = card
            takes = card > best if best == 0 or suit & best else card & trumps != 0
            if played and takes != (turn == 0):
                continue
            # touching: nobody else has a card between, nor does the trick's best lie there
            if before & suit and others & (card - before) == 0:
                continue
            top = card if takes else best
            who = seat if takes else winner
            own_north = north ^ card if seat == 0 else north
            own_east = east ^ card if seat == 1 else east
            own_south = south ^ card if seat == 2 else south
            own_west = west ^ card if seat == 3 else west
            if played == 3:
                won = np.int64(1 - (who & 1))
                value = won + _search(
                    own_north, own_east, own_south, own_west, who, nothing, nothing, nothing,
                    nothing, trumps, alpha - won, beta - won,
                )  # fmt: skip
            else:
                value = _search(
                    own_north, own_east, own_south, own_west, leader, played + np.int64(1), top,
                    who, suit if played == 0 else led, trumps, alpha, beta,
                )  # fmt: skip
            if ours:
                found = max(found, value)
                alpha = max(alpha, value)
            else:
                found = min(found, value)
                beta = min(beta, value)
            if alpha >= beta:
                return found
    return found


@compiled
def _plays(hands: Any, strain: Any, first: Any, trick: Any, tricks: Any) -> None:
    """Fill ``tricks`` for every card that may be played."""
    nothing = np.int64(0)
    for number in range(hands.shape[1]):
        north = np.int64(hands[0, number])
        east = np.int64(hands[1, number])
        south = np.int64(hands[2, number])
        west = np.int64(hands[3, number])
        leader = np.int64(first[number])
        trumps = nothing
        if strain[number] < 4:
            trumps = np.int64(_SUIT) << np.int64(13 * strain[number])
        played = nothing
        best = nothing
        winner = leader
        led = nothing
        for place in range(3):
            if trick[number, place] == NO_CARD:
                break
            card = np.int64(1) << np.int64(trick[number, place])
            if place == 0:
                led = np.int64(_suit_of(card))
            if _takes(card, best, trumps):
                best = card
                winner = (leader + place) & 3
            played += 1
        seat = (leader + played) & 3
        hand = _held(seat, north, east, south, west)
        count = nothing
        left = hand
        while left:
            left &= left - 1
            count += 1
        choices = hand & led
        if choices == 0:
            choices = hand
        others = (north | east | south | west) & ~hand | best
        lower = nothing
        value = nothing
        for place in range(52):
            card = np.int64(1) << np.int64(place)
            if choices & card == 0:
                continue
            suit = np.int64(_suit_of(card))
            if lower & suit == 0 or others & (card - lower) != 0:
                takes = _takes(card, best, trumps)
                top = card if takes else best
                who = seat if takes else winner
                own_north = north ^ card if seat == 0 else north
                own_east = east ^ card if seat == 1 else east
                own_south = south ^ card if seat == 2 else south
                own_west = west ^ card if seat == 3 else west
                if played == 3:
                    value = np.int64(1 - (who & 1)) + _search(
                        own_north, own_east, own_south, own_west, who, nothing, nothing, nothing,
                        nothing, trumps, np.int64(-1), np.int64(64),
                    )  # fmt: skip
                else:
                    value = _search(
                        own_north, own_east, own_south, own_west, leader, played + np.int64(1),
                        top, who, suit if played == 0 else led, trumps, np.int64(-1), np.int64(64),
                    )  # fmt: skip
            lower = card
            tricks[number, place] = value if seat & 1 == 0 else count - value


class EndingSolver:
    """Solves endings in the process itself, as ``plays`` of the double-dummy protocol does.

    Examples
    --------
    >>> from bidcascade.bridge import parse_hand
    >>> hands = [parse_hand(text, cards=2) for text in ("AK...", "QJ...", "32...", "54...")]
    >>> tricks = EndingSolver().plays(
    ...     np.array(hands, np.uint64).reshape(4, 1), strain=4, first=1,
    ...     trick=np.full((1, 3), NO_CARD, np.uint8))
    >>> tricks[0, [48, 49]].tolist(), int(tricks.max())
    ([0, 0], 0)
    """

    def plays(
        self,
        hands: U64,
        strain: ArrayLike,
        first: ArrayLike,
        trick: U8,
        *,
        cancel: Event | None = None,
        timeout_s: float | None = None,
    ) -> I8:
        """Tricks of the side to move, from the current trick on, for each card it may play.

        Parameters
        ----------
        hands, strain, first, trick
            As :class:`bidcascade.inference.double_dummy.protocol.DoubleDummy` describes them.
        cancel, timeout_s
            Looked at before the work begins: a few thousand endings are solved in a moment.

        Returns
        -------
        int8 [n, 52]
            -1 where a card is not held or would revoke.

        Raises
        ------
        InvalidDeal
            If hands overlap, or their numbers of cards make no trick.
        Cancelled
            If ``cancel`` was set before.
        """
        boards = check_boards(hands, strain, first, trick)
        if cancel is not None and cancel.is_set():
            raise Cancelled("the work was cancelled")
        count = boards.hands.shape[1]
        tricks = np.full((count, 52), NOT_HELD, np.int8)
        _plays(
            np.ascontiguousarray(boards.hands), np.ascontiguousarray(boards.strain),
            np.ascontiguousarray(boards.first), np.ascontiguousarray(boards.trick), tricks,
        )  # fmt: skip
        return tricks
