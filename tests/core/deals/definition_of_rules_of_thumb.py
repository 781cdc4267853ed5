"""The rules of thumb in plain Python: the core chooses the same cards.

:mod:`bidcascade.inference.card_play.rules_of_thumb` tells the rules.
"""

from collections.abc import Sequence
from typing import Final

from bidcascade.bridge import FULL_DECK, cards_of
from bidcascade.inference.card_play.rules_of_thumb import is_master, legal_cards
from bidcascade.loaders.frames.play import trick_winner

_SUIT: Final = 13
_TEN: Final = 8
_FOURTH: Final = 3


def usual_cards(
    hand: int, trick: Sequence[int], strain: int, gone: int, *, declares: bool, other: int = 0
) -> list[int]:
    """Cards that may be played: the one of the rules, then the lowest first."""
    legal = legal_cards(hand, trick)
    chosen = _chosen(legal, hand, trick, strain, gone, declares=declares, other=other)
    rest = [card for card in legal if card != chosen]
    return [chosen, *sorted(rest, key=lambda card: _height(card, strain))]


def _chosen(
    legal: Sequence[int],
    hand: int,
    trick: Sequence[int],
    strain: int,
    gone: int,
    *,
    declares: bool,
    other: int,
) -> int:
    if len(legal) == 1:
        return legal[0]
    unseen = FULL_DECK & ~(hand | gone | other)
    if not trick:
        return _lead(hand, strain, unseen, gone, declares=declares)
    return _follow(legal, trick, strain, unseen)


def _height(card: int, strain: int) -> tuple[bool, int, int]:
    """By which the lowest card is first, a trump last."""
    return card // _SUIT == strain, card % _SUIT, card


def _low(cards: Sequence[int], strain: int) -> int:
    return min(cards, key=lambda card: _height(card, strain))


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
