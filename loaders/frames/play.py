"""The play of the cards: who wins a trick, how many declarer took.

Laws of Duplicate Bridge 2017, Laws 41 and 44: the player on declarer's left leads, the highest
trump wins, else the highest card of the suit led, and the winner of a trick leads to the next.
Cards are card numbers, ``13 * suit + rank``; strains 0-4 are C D H S N.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.kernels.core.functions import disagreeing_plays, has_core

from .frame import DEAL_SCHEMA, HAND_COLUMNS

_SUIT_SIZE = 13
_DECK = 52


def trick_winner(cards: Sequence[int], strain: int) -> int:
    """Position (0-3, 0 led) of the card that wins a trick, or is winning one that goes on.

    Parameters
    ----------
    cards : sequence of one to four int
        Card numbers in the order played.
    strain : int
        Trump suit 0-3, or 4 for notrump.

    Examples
    --------
    >>> from bidcascade.bridge import parse_card
    >>> trick_winner([parse_card(card) for card in ("HK", "HA", "C2", "H3")], strain=0)
    2
    """
    best = 0
    for position in range(1, len(cards)):
        card, top = cards[position], cards[best]
        if card // _SUIT_SIZE == top // _SUIT_SIZE:
            if card > top:
                best = position
        elif card // _SUIT_SIZE == strain:
            best = position
    return best


def count_tricks(cards: Sequence[int] | NDArray[np.uint8], leader: int, strain: int) -> list[int]:
    """Tricks taken by each seat in the complete tricks of a play record.

    Parameters
    ----------
    cards : sequence of int
        Card numbers in the order played; an unfinished last trick is left out.
    leader : int
        Seat (0-3 = N E S W) that made the opening lead.
    strain : int
        Trump suit 0-3, or 4 for notrump.

    Returns
    -------
    list of four int
        Tricks of North, East, South and West.

    Examples
    --------
    >>> from bidcascade.bridge import parse_card
    >>> count_tricks([parse_card(card) for card in ("HK", "HA", "H2", "H3")], leader=3, strain=4)
    [1, 0, 0, 0]
    """
    played = [int(card) for card in cards]
    tricks = [0, 0, 0, 0]
    for start in range(0, len(played) - 3, 4):
        leader = (leader + trick_winner(played[start : start + 4], strain)) % 4
        tricks[leader] += 1
    return tricks


def count_declarer_tricks(
    play: Sequence[int] | NDArray[np.uint8], declarer: int, strain: int
) -> int | None:
    """Tricks of declarer's side in a full play record, or ``None``.

    Parameters
    ----------
    play : sequence of int or array of uint8, shape (cards,)
        Card numbers in the order played, the opening lead first.
    declarer : int
        Seat 0-3 = N E S W.
    strain : int
        Trump suit 0-3, or 4 for notrump.

    Returns
    -------
    int or None
        ``None`` if the record is not 52 different cards.

    Examples
    --------
    >>> cards = [13 * suit + rank for rank in range(13) for suit in range(4)]
    >>> count_declarer_tricks(cards, declarer=0, strain=4)
    0
    >>> count_declarer_tricks(cards[:48], declarer=0, strain=4) is None
    True
    """
    cards = [int(card) for card in play]
    if len(cards) != _DECK or len(set(cards)) != _DECK or not all(0 <= c < _DECK for c in cards):
        return None
    by_seat = count_tricks(cards, (declarer + 1) % 4, strain)
    return by_seat[declarer % 4] + by_seat[(declarer + 2) % 4]


def declarer_tricks(
    play: Sequence[int], hands: Sequence[int], declarer: int, strain: int
) -> int | None:
    """Tricks of declarer's side in a play of all cards, or of all but the forced last trick.

    ``None`` if cards are missing or were played by a seat that did not hold them.
    """
    if not 48 <= len(play) <= 52:
        return None
    held = list(hands)
    cards = list(play)
    leader = (declarer + 1) % 4
    tricks = 0
    for start in range(0, 52, 4):
        for offset in range(4):
            seat = (leader + offset) % 4
            if start + offset >= len(cards):
                cards.append(held[seat].bit_length() - 1)
            bit = 1 << cards[start + offset]
            if not held[seat] & bit:
                return None
            held[seat] ^= bit
        leader = (leader + trick_winner(cards[start : start + 4], strain)) % 4
        tricks += (leader - declarer) % 2 == 0
    return tricks


def play_disagrees(deals: pl.DataFrame) -> pl.Series:
    """Tell which boards have cards that were not played from these hands, in this contract.

    So it is where the opening lead is a card that the player on declarer's left does not hold, or
    where more tricks hold two cards of one hand than a card of each. What stands there as hands is
    then another deal's, or a call is missing in the auction. One trick at fault among others is a
    slip of whoever wrote them down, and cards of a trick may come in any order: neither says
    anything about hands and auction.

    Parameters
    ----------
    deals : polars.DataFrame
        Deal frame; hands, ``declarer`` and ``play`` are read, the last two where they are there.

    Returns
    -------
    polars.Series
        Boolean, never null: a board without play does not disagree.

    Examples
    --------
    >>> from bidcascade.loaders import read_deals
    >>> board = "md|3SAQ4HKJ3DK876CQ52,SK95HQ872DA54CKT3,SJ876HA65DQ93CJ94,|mb|1nppp|"
    >>> read = read_deals(f"{board}pc|D4|{board}pc|DJ|{board}".encode())
    >>> play_disagrees(read.deals).to_list()
    [True, False, False]
    """
    missing = [name for name in ("play", "declarer") if name not in deals.columns]
    deals = deals.with_columns(pl.lit(None, DEAL_SCHEMA[name]).alias(name) for name in missing)
    play = deals["play"]
    find = disagreeing_plays if has_core() else disagreeing_plays_reference
    found = find(
        np.stack([deals[name].fill_null(0).to_numpy() for name in HAND_COLUMNS]),
        deals["declarer"].to_physical().cast(pl.Int8).fill_null(-1).to_numpy(),
        play.filter(play.list.len() > 0).explode().cast(pl.UInt8).to_numpy(),
        play.list.len().fill_null(0).cast(pl.Int64).cum_sum().to_numpy(),
    )
    return pl.Series("play_disagrees", found)


def disagreeing_plays_reference(hands: Any, declarer: Any, cards: Any, ends: Any) -> Any:
    """Tell of arrays what :func:`play_disagrees` tells of frames: the definition, in plain Python.

    Parameters
    ----------
    hands, declarer, cards, ends
        As :func:`bidcascade.kernels.core.functions.disagreeing_plays` takes them.
    """
    found = np.zeros(len(declarer), np.bool_)
    start = 0
    for board in range(len(declarer)):
        end = ends[board]
        right = wrong = 0
        for first in range(start, end, 4):
            seats = 0
            is_twice = False
            for place in range(first, min(first + 4, end)):
                seat = 0
                while seat < 3 and not int(hands[seat, board]) >> int(cards[place]) & 1:
                    seat += 1
                if place == start and declarer[board] >= 0 and seat != (declarer[board] + 1) % 4:
                    found[board] = True
                is_twice |= seats >> seat & 1 != 0
                seats |= 1 << seat
            wrong += is_twice
            right += seats == 15
        if wrong > right:
            found[board] = True
        start = end
    return found
