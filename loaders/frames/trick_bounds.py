"""What a double-dummy table cannot say: bounds on tricks that hold however the cards are played.

Files carry tables that a program filled in or got wrong. A table is not believed where a result is
outside these bounds, or where all of it is nothing or everything:

* A trump wins its trick but for a higher trump of the other side. So a hand takes as many tricks
  as it has trumps, less the most of them that can each be beaten by another card.
* The player on declarer's left leads. At notrump he cashes what is high from the top in each
  suit, a suit to its end where nobody can follow longer, and reaches his partner's high cards in
  a suit of which that one has the ace. In a suit contract he cashes them as far as declarer and
  dummy both follow, and has his trumps besides.
* At notrump declarer's side takes its high cards when the lead is a suit of which it has the ace,
  so at least what the worst lead for it leaves.
"""

from typing import Any

import numpy as np

from bidcascade.kernels.core import functions
from bidcascade.kernels.types import U64

_SEATS = 4
_STRAINS = 5
_NOTRUMP = 4
_TRICKS = 13
_LEAST, _MOST = 1, 12
"""Where all twenty results are at most, or at least, that many, the table is a filler."""


def impossible_tables(hands: U64, tables: Any) -> Any:
    """Which double-dummy tables cannot be those of their deals.

    Parameters
    ----------
    hands : uint64 array, shape (4, deals)
        Hand masks of North, East, South and West.
    tables : int8 array, shape (deals, 20)
        Declarer's tricks at ``5 * declarer + strain`` (N E S W, C D H S N); -1 is not known and
        contradicts nothing.

    Returns
    -------
    bool array, shape (deals,)

    Examples
    --------
    >>> from bidcascade.bridge import parse_deal
    >>> text = "N:AQT9864.542.J.T8 K73.T6.AQT4.J962 J5.KQ93.K852.Q43 2.AJ87.9763.AK75"
    >>> hands = np.array(parse_deal(text).hands, np.uint64).reshape(4, 1)
    >>> low, high = trick_bounds(hands)
    >>> int(low[0, 3]), int(high[0, 3])
    (5, 12)
    >>> impossible_tables(hands, np.ones((1, 20), np.int8)).tolist()
    [True]
    """
    low, high = trick_bounds(hands)
    is_known = tables >= 0
    is_out = (is_known & ((tables < low) | (tables > high))).any(axis=1)
    is_whole = is_known.all(axis=1)
    is_filler = (tables <= _LEAST).all(axis=1) | (tables >= _MOST).all(axis=1)
    return is_out | (is_whole & is_filler)


def trick_bounds(hands: U64) -> tuple[Any, Any]:
    """Least and most tricks of each declarer in each strain.

    Parameters
    ----------
    hands : uint64 array, shape (4, deals)
        Hand masks of North, East, South and West.

    Returns
    -------
    low, high : int8 array, shape (deals, 20)
        At ``5 * declarer + strain``.
    """
    low = np.zeros((hands.shape[1], _SEATS * _STRAINS), np.int8)
    high = np.zeros_like(low)
    hands = np.ascontiguousarray(hands, np.uint64)
    if functions.has_core():
        functions.trick_bounds(hands, low, high)
    else:
        trick_bounds_reference(hands, low, high)
    return low, high


def trick_bounds_reference(hands: U64, low: Any, high: Any) -> None:
    """Fill the bounds of :func:`trick_bounds`: the definition, in plain Python."""
    held = np.zeros((_SEATS, 4), np.int64)
    length = np.zeros((_SEATS, 4), np.int64)
    for deal in range(hands.shape[1]):
        for seat in range(_SEATS):
            for suit in range(4):
                holding = int(hands[seat, deal]) >> 13 * suit & 0x1FFF
                held[seat, suit] = holding
                length[seat, suit] = holding.bit_count()
        for declarer in range(_SEATS):
            leader, dummy, partner = (declarer + 1) % 4, (declarer + 2) % 4, (declarer + 3) % 4
            for strain in range(4):
                ours = held[declarer, strain] | held[dummy, strain]
                theirs = held[leader, strain] | held[partner, strain]
                quick = 0
                for suit in range(4):
                    if suit != strain:
                        follow = min(length[declarer, suit], length[dummy, suit])
                        quick += min(_run(held[leader, suit]), follow)
                place = _STRAINS * declarer + strain
                low[deal, place] = max(
                    _trump_tricks(held[declarer, strain], theirs),
                    _trump_tricks(held[dummy, strain], theirs),
                )
                high[deal, place] = _TRICKS - max(
                    _trump_tricks(held[leader, strain], ours) + quick,
                    _trump_tricks(held[partner, strain], ours),
                )
            place = _STRAINS * declarer + _NOTRUMP
            high[deal, place] = _TRICKS - _cashed(held, length, leader, partner)
            least = _TRICKS
            for suit in range(4):
                if length[leader, suit] == 0:
                    continue
                tricks = 0
                if held[declarer, suit] >> 12:
                    tricks = _cashed(held, length, declarer, dummy)
                elif held[dummy, suit] >> 12:
                    tricks = _cashed(held, length, dummy, declarer)
                least = min(least, tricks)
            low[deal, place] = least


def _run(holding: int) -> int:
    """How many cards of a holding are in sequence from the ace."""
    run = 0
    while run < 13 and holding >> (12 - run) & 1:
        run += 1
    return run


def _trump_tricks(ours: int, theirs: int) -> int:
    """Trumps of a hand that are left when each that can be is beaten by another of theirs."""
    higher = tricks = 0
    for rank in range(12, -1, -1):
        if theirs >> rank & 1:
            higher += 1
        elif ours >> rank & 1:
            if higher:
                higher -= 1
            else:
                tricks += 1
    return tricks


def _high_cards(held: Any, length: Any, seat: int) -> int:
    """Tricks at notrump of a hand on lead, with its own high cards alone."""
    tricks = 0
    for suit in range(4):
        run = _run(held[seat, suit])
        longest = 0
        for other in range(1, 4):
            longest = max(longest, length[(seat + other) % 4, suit])
        tricks += length[seat, suit] if run and run >= longest else run
    return tricks


def _cashed(held: Any, length: Any, seat: int, partner: int) -> int:
    """Tricks at notrump of a hand on lead, with those of its partner where it can reach them."""
    tricks: int = _high_cards(held, length, seat)
    for suit in range(4):
        if length[seat, suit] and held[partner, suit] >> 12:
            return min(_TRICKS, tricks + int(_high_cards(held, length, partner)))
    return tricks
