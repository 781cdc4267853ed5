"""How likely it is that the hidden players played their cards from the hands of a layout.

A card that a hidden player chose is looked at as a choice double dummy in the layout: worse cards
are played the less often, the more tricks they cost. Of touching honours each is as likely, so who
has two of them showed this one half as often (restricted choice; Reese, The Expert Game, 1958).
Which of small cards is played tells nothing.
"""

from collections.abc import Sequence
from math import exp
from threading import Event
from typing import Final, NamedTuple

import numpy as np

from bidcascade.bridge import Seat
from bidcascade.inference.double_dummy.protocol import I8, NO_CARD, SolvesPlays
from bidcascade.inference.lead_carding import is_small
from bidcascade.inference.leads import touching_cards
from bidcascade.inference.weighted import F64
from bidcascade.kernels.types import U64

from .rules_of_thumb import legal_cards
from .sight import Played, Sight, give_to_seats

MOST_CHOICES: Final = 8
"""The latest ones that are looked at."""
MOST_CARDS: Final = 10
"""In a hand, when a choice is looked at; with more a choice takes too long to solve."""
_TRICKS_E_TIMES_RARER: Final = 0.7
"""Players do not see all hands, so a card that costs a trick double dummy is no miracle."""


class Choice(NamedTuple):
    """A card that a hidden player chose.

    Parameters
    ----------
    seat : Seat
    card : int
    gone : int
        Mask of cards played before.
    before : Played
        Who had played what.
    """

    seat: Seat
    card: int
    gone: int
    before: Played

    @property
    def cards(self) -> int:
        """How many cards the hand had."""
        return 13 - self.before.hands[self.seat].bit_count()


def hidden_choices(sight: Sight) -> list[Choice]:
    """Cards of hidden hands that are looked at, the earliest first.

    Examples
    --------
    >>> from bidcascade.bridge import Auction, Vulnerability, parse_calls, parse_hand
    >>> hand = parse_hand("AQ4.KJ3.K876.Q52")
    >>> hidden_choices(Sight(
    ...     Auction.of(parse_calls("1N P 3N P P P")), Vulnerability.NONE, Seat.EAST, hand))
    []
    """
    found = []
    gone = 0
    for number, card in enumerate(sight.played):
        before = give_to_seats(sight.played[:number], sight.contract)
        choice = Choice(before.turn, card, gone, before)
        if choice.seat not in sight.seen and choice.cards <= MOST_CARDS:
            found.append(choice)
        gone |= 1 << card
    return found[-MOST_CHOICES:]


def likelihoods(
    sight: Sight,
    hands: U64,
    choices: Sequence[Choice],
    solver: SolvesPlays,
    *,
    cancel: Event | None = None,
) -> F64:
    """Tell how likely the choices were in each layout.

    Parameters
    ----------
    sight : Sight
    hands : uint64 [4, n]
        Layouts as they were dealt.
    choices : sequence of Choice
    solver : SolvesPlays
    cancel : threading.Event, optional

    Returns
    -------
    float64 [n]
        From 0 to 1, above 0.
    """
    count = hands.shape[1]
    found: F64 = np.ones(count)
    for choice in choices:
        before = choice.before
        left = hands & ~np.uint64(choice.gone)
        on_table = np.full((count, 3), NO_CARD, np.uint8)
        on_table[:, : len(before.trick)] = before.trick
        tricks = solver.plays(left, sight.contract.strain, before.leader, on_table, cancel=cancel)
        # cards on the table still part others
        table = sum(1 << card for card in before.trick)
        out = hands & ~np.uint64(choice.gone & ~table)
        found *= [
            _chance(choice, out[:, one : one + 1], int(left[choice.seat, one]), tricks[one])
            for one in range(count)
        ]
    return found


def _chance(choice: Choice, out: U64, held: int, tricks: I8) -> float:
    """Chance of one card in one layout."""
    legal = legal_cards(held, choice.before.trick)
    groups = [cards for cards in touching_cards(out, choice.seat) if cards[0] in legal]
    best = max(int(tricks[cards[0]]) for cards in groups)
    chances = [exp((int(tricks[cards[0]]) - best) / _TRICKS_E_TIMES_RARER) for cards in groups]
    own = next(number for number, cards in enumerate(groups) if choice.card in cards)
    chance = chances[own] / sum(chances)
    cards = groups[own]
    return chance if all(map(is_small, cards)) else chance / len(cards)
