"""Which card of a suit players lead when the cards are equally good double dummy.

Standard leads: the top of touching honours, also of those below a higher one (``KJT`` the jack),
fourth best of four or more, low from three to an honour, the top of two or of three small cards;
against a suit contract never away from the ace.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

_TEN: Final = 8
_NINE: Final = 7
_KING: Final = 11
_ACE: Final = 12


def is_small(card: int) -> bool:
    """Whether a card is none of those that touching honours are made of: below the ten."""
    return card % 13 < _TEN


def usual_leads(cards: Iterable[int], *, trumps: bool = False) -> list[int]:
    """Cards of a suit that players lead, the standard one first.

    The others are for who has a reason: the small card by carding, the top of honours that touch,
    an ace or king. Nobody leads the nine from ``K95`` or the jack from ``KJ5``.

    Parameters
    ----------
    cards : iterable of int
        All that the leader holds in the suit, at least one.
    trumps : bool
        Whether the contract is in a suit.

    Examples
    --------
    >>> from bidcascade.bridge import format_card, parse_card
    >>> for holding in ("SK S9 S5", "SA SQ SJ S4", "SQ S2"):
    ...     print(*map(format_card, usual_leads(map(parse_card, holding.split()))))
    S5 SK
    SQ S4 SA
    SQ
    """
    held = sorted(cards, reverse=True)
    ranks = [card % 13 for card in held]
    if len(held) < 3 or (trumps and ranks[0] == _ACE):
        return held[:1]
    small = _small_lead(held)
    touching = [high for high, low in pairwise(held) if high - low == 1 and not is_small(low)]
    if ranks[1] == ranks[0] - 1 and ranks[1] >= _TEN:
        standard = held[0]
    elif ranks[2] == ranks[1] - 1 and ranks[2] >= _NINE:
        standard = held[1]
    else:
        standard = held[-1] if small is None else small
    tops = [card for card in touching if card + 1 not in held]
    if ranks[0] >= _KING:
        tops.append(held[0])
    return list(dict.fromkeys([standard, *([] if small is None else [small]), *tops]))


def _small_lead(held: Sequence[int]) -> int | None:
    """Fourth best, the top of three small cards, else the lowest; none where none is small."""
    if len(held) == 3 and is_small(held[0]):
        return held[0]
    if len(held) > 3 and is_small(held[3]):
        return held[3]
    return held[-1] if is_small(held[-1]) else None
