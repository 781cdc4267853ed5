"""Which card a player plays by rules of thumb, from what he sees, without search or double dummy.

They choose among cards that are equally good otherwise, and where nothing else can. Leads are the
top of touching honours, else the fourth best of the longest suit. Second hand plays low, third hand
high, fourth hand wins as cheaply as it can; a side that has the trick plays low. Declarer draws
trumps, then cashes cards that nothing beats.
"""

from collections.abc import Sequence
from typing import Final

from bidcascade.bridge import FULL_DECK, cards_of
from bidcascade.loaders.frames.play import trick_winner

_SUIT: Final = 13
_TEN: Final = 8
_FOURTH: Final = 3


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


def choose_card(
    hand: int, trick: Sequence[int], strain: int, gone: int, *, declares: bool, other: int = 0
) -> int:
    """Choose a card.

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

    Returns
    -------
    int
        A card that may be played.

    Examples
    --------
    >>> from bidcascade.bridge import format_card, parse_hand
    >>> format_card(choose_card(parse_hand("KQJ2.K64.A532.62"), [], 4, 0, declares=False))
    'SK'
    """
    legal = legal_cards(hand, trick)
    if len(legal) == 1:
        return legal[0]
    unseen = FULL_DECK & ~(hand | gone | other)
    if not trick:
        return _lead(hand, strain, unseen, gone, declares=declares)
    return _follow(legal, trick, strain, unseen)


def _low(cards: Sequence[int], strain: int) -> int:
    """Lowest card, a trump last."""
    return min(cards, key=lambda card: (card // _SUIT == strain, card % _SUIT, card))


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


def _lead(hand: int, strain: int, unseen: int, gone: int, *, declares: bool) -> int:
    suits = [[card for card in cards_of(hand) if card // _SUIT == suit] for suit in range(4)]
    if declares and strain < 4:
        trumps = suits[strain]
        theirs = unseen >> strain * _SUIT & (1 << _SUIT) - 1
        if trumps and theirs:
            return trumps[-1] if is_master(trumps[-1], unseen) else trumps[0]
    held = [suit for number, suit in enumerate(suits) if suit and number != strain]
    held = held or [suit for suit in suits if suit]
    masters = [suit for suit in held if gone and is_master(suit[-1], unseen)]
    if masters:
        return max(masters, key=lambda suit: (len(suit), suit[-1]))[-1]
    best = max(held, key=lambda suit: (len(suit), sum(card % _SUIT for card in suit)))
    touching = len(best) > 1 and best[-1] % _SUIT >= _TEN and best[-2] == best[-1] - 1
    if touching or len(best) <= 2:
        return best[-1]
    return best[-1 - _FOURTH] if len(best) > _FOURTH else best[0]


def _follow(legal: Sequence[int], trick: Sequence[int], strain: int, unseen: int) -> int:
    def wins(card: int) -> bool:
        played = [*trick, card]
        # what is still to come loses to all
        return trick_winner(played, strain) == len(trick)

    ahead = trick_winner(trick, strain)
    position = len(trick)
    better = [card for card in legal if wins(card)]
    partners = (position - ahead) % 2 == 0
    holds = position == 3 or is_master(trick[ahead], unseen)
    if not better or (partners and (holds or trick[ahead] % _SUIT >= _TEN)):
        return _low(legal, strain)
    cheapest = _low(better, strain)
    follows = legal[0] // _SUIT == trick[0] // _SUIT
    if position == 3 or not follows:
        return cheapest
    if position == 1:
        # second hand low
        return _low(legal, strain)
    highest = max(better)
    # of touching cards the lowest
    while highest - 1 in better:
        highest -= 1
    return highest
