"""Which card a player plays by rules of thumb, from what he sees, without search or double dummy.

They choose among cards that are equally good otherwise, and where nothing else can. Leads are the
top of touching honours, else the fourth best of the longest suit. Second hand plays low, third hand
high, fourth hand wins as cheaply as it can; a side that has the trick plays low. Declarer draws
trumps, then cashes cards that nothing beats.
"""

from collections.abc import Sequence
from typing import Final

from bidcascade.bridge import cards_of
from bidcascade.kernels.core.functions import usual_cards as core_cards

_SUIT: Final = 13


def legal_cards(hand: int, trick: Sequence[int]) -> list[int]:
    """Cards that may be played to a trick: of the suit led, if there is one (Law 44C).

    Examples
    --------
    >>> from bidcascade.bridge import format_card, parse_card, parse_hand
    >>> hand = parse_hand("AQ4.KJ3.K876.Q52")
    >>> [format_card(card) for card in legal_cards(hand, [parse_card("C3")])]
    ['C2', 'C5', 'CQ']
    """
    cards = list(cards_of(hand))
    followed = [one for one in cards if trick and one // _SUIT == trick[0] // _SUIT]
    return followed or cards


def usual_cards(
    hand: int, trick: Sequence[int], strain: int, gone: int, *, declares: bool, other: int = 0
) -> list[int]:
    """List the cards that may be played: the one of the rules first, then the lowest, trumps last.

    Parameters
    ----------
    hand : int
        Mask of the cards that the player to play has left.
    trick : sequence of int
        Cards on the table, the first one led.
    strain : int
        Trumps 0-3, or 4.
    gone : int
        Mask of cards that were played, those on the table too.
    declares : bool
        Whether the player's side declares.
    other : int
        Mask of what else the player sees: dummy, or declarer's own hand for dummy.

    Raises
    ------
    ValueError
        If no card is left, one is in two places, one on the table is not gone, or there is no
        such strain.
    BackendUnavailable
        If there is no core.

    Examples
    --------
    >>> from bidcascade.bridge import format_card, parse_card, parse_hand
    >>> hand, trick = parse_hand("AQ4.KJ3.K876.Q52"), [parse_card("C3"), parse_card("C4")]
    >>> cards = usual_cards(hand, trick, 4, sum(1 << one for one in trick), declares=False)
    >>> [format_card(card) for card in cards]
    ['CQ', 'C2', 'C5']
    """
    return core_cards(hand, trick, strain, gone, other, declares=declares)


def is_master(card: int, unseen: int) -> bool:
    """Whether no card of its suit that was not seen is higher.

    Examples
    --------
    >>> from bidcascade.bridge import parse_card, parse_hand
    >>> unseen = parse_hand("QT9...", cards=None)
    >>> [is_master(parse_card(card), unseen) for card in ("SK", "SJ")]
    [True, False]
    """
    suit = card // _SUIT
    return not unseen >> card & ((1 << (suit + 1) * _SUIT - card) - 1)
