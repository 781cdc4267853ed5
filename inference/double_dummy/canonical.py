"""One key for all deals that a solver answers alike, and where each card stands in it.

Exact symmetries of double dummy, each proved on random deals by the tests:

* the seats turned so that whoever leads to the trick is first (play goes clockwise from there);
* the suits renamed: all four at notrump, the three side suits in a trump contract;
* in an ending, the cards of a suit moved together: only their order counts.

Not exact, and not used: exchanging left and right, which turns the order of play.
"""

from typing import NamedTuple

import numpy as np

from bidcascade.bridge import HOLDING_MASK
from bidcascade.kernels.types import U8, U64

from .abstract_solver import NO_CARD, SolverBoards

_NOTRUMP = 4
_TRUMPS_LAST = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
"""Above every signature: no card of a trick has the code 15."""


class Canonical(NamedTuple):
    """Keys of questions and the places of their cards."""

    keys: list[bytes]
    """By question; equal keys have equal answers."""
    places: U8
    """uint8 [n, 52]: the canonical number of each card that is in play."""


def canonical(boards: SolverBoards) -> Canonical:
    """Find the keys of questions and the places of their cards.

    Parameters
    ----------
    boards : SolverBoards
        Checked questions (:func:`.protocol.check_boards`).

    Examples
    --------
    >>> from bidcascade.inference.double_dummy.abstract_solver import check_boards
    >>> hands = np.array([[0b1001], [0b0110], [0b1010 << 13], [0b0101 << 13]], np.uint64)
    >>> turned = hands[[3, 0, 1, 2]]
    >>> one = canonical(check_boards(hands, 4, 0))
    >>> two = canonical(check_boards(turned, 4, 1))
    >>> one.keys == two.keys, one.places[0, 3] == two.places[0, 3]
    (True, np.True_)
    """
    count = len(boards.strain)
    suits = np.arange(4, dtype=np.uint64)
    turn = (np.arange(4)[:, None] + boards.first[None, :]) % 4
    hands = np.take_along_axis(boards.hands, turn, axis=0)
    # [seat from the leader, question, suit]
    holdings = hands[:, :, None] >> 13 * suits & np.uint64(HOLDING_MASK)
    ranks = np.broadcast_to(np.arange(13, dtype=np.uint8), (count, 4, 13))
    played = boards.trick != NO_CARD
    if played.any() or (np.bitwise_count(hands[-1]) != 13).any():
        holdings, ranks = _moved_together(holdings, boards.trick)
    sizes = 13 * np.arange(4, dtype=np.uint64)[:, None, None]
    signature = np.bitwise_or.reduce(holdings << sizes, axis=0)
    if played.any():
        _add_trick(signature, boards.trick, ranks)
    # trumps stand last; the other suits in the order of what is in them
    is_trump = boards.strain[:, None] == np.arange(4)
    order = np.argsort(np.where(is_trump, _TRUMPS_LAST, signature), axis=1, kind="stable")
    slots = np.empty((count, 4), np.uint8)
    np.put_along_axis(slots, order, np.arange(4, dtype=np.uint8)[None, :], axis=1)
    packed = np.zeros((count, 5), np.uint64)
    packed[:, :4] = np.take_along_axis(signature, order, axis=1)
    packed[:, 4] = boards.strain == _NOTRUMP
    text = packed.tobytes()
    keys = [text[start : start + 40] for start in range(0, 40 * count, 40)]
    places = (13 * slots[:, :, None] + ranks).reshape(count, 52)
    return Canonical(keys, places)


def _moved_together(holdings: U64, trick: U8) -> tuple[U64, U8]:
    """Close the gaps of each suit: new holdings, and the new rank of each old one."""
    count = len(trick)
    present = np.bitwise_or.reduce(holdings, axis=0)
    rows, positions = np.nonzero(trick != NO_CARD)
    cards = trick[rows, positions]
    bits = np.uint64(1) << (cards % 13).astype(np.uint64)
    np.bitwise_or.at(present, (rows, cards // 13), bits)
    ranks = np.zeros((count, 4, 13), np.uint8)
    moved = np.zeros_like(holdings)
    below = np.zeros((count, 4), np.uint64)
    for rank in range(13):
        ranks[:, :, rank] = below
        moved |= (holdings >> np.uint64(rank) & np.uint64(1)) << below
        below += present >> np.uint64(rank) & np.uint64(1)
    return moved, ranks


def _add_trick(signature: U64, trick: U8, ranks: U8) -> None:
    """Write the cards of a trick above the 52 bits of holdings: four bits for each position."""
    rows, positions = np.nonzero(trick != NO_CARD)
    cards = trick[rows, positions]
    suits = cards // 13
    codes = (ranks[rows, suits, cards % 13] + 1).astype(np.uint64)
    np.bitwise_or.at(signature, (rows, suits), codes << (52 + 4 * positions).astype(np.uint64))
