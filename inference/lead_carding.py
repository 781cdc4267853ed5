"""Which card of a suit players lead when the cards are equally good double dummy.

Standard leads: the top of touching honours, also of those below a higher one (``KJT`` the jack),
fourth best of four or more, low from three to an honour, the top of two or of three small cards;
against a suit contract never away from the ace.
"""

from collections.abc import Iterable
from typing import Final

_TEN: Final = 8
_NINE: Final = 7
_ACE: Final = 12


def is_small(card: int) -> bool:
    """Whether a card is none of those that touching honours are made of: below the ten."""
    return card % 13 < _TEN


def standard_lead(cards: Iterable[int], *, trumps: bool = False) -> int:
    """Card that players lead from a suit.

    Parameters
    ----------
    cards : iterable of int
        All that the leader holds in the suit, at least one.
    trumps : bool
        Whether the contract is in a suit.
    """
    held = sorted(cards, reverse=True)
    ranks = [card % 13 for card in held]
    if len(held) < 3:
        return held[0]
    if ranks[1] == ranks[0] - 1 and ranks[1] >= _TEN:
        return held[0]
    if trumps and ranks[0] == _ACE:
        return held[0]
    if ranks[2] == ranks[1] - 1 and ranks[2] >= _NINE:
        return held[1]
    if len(held) > 3:
        return held[3]
    return held[0] if is_small(held[0]) else held[2]
