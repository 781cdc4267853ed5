"""How likely it is that the others played their cards from the hands of a layout.

A card that was chosen out of sight is looked at as its player saw it: of the cards that he might
have played, the worse ones are played the less often, the more tricks they cost. What a card costs
is a mean over layouts that he thinks possible, as a study of single dummy works it out
(:mod:`bidcascade.inference.single_dummy`), or, where that takes too long, double dummy in the
layout itself. Of touching honours each is as likely, so who has two of them showed this one half as
often (restricted choice; Reese, The Expert Game, 1958). Which of small cards is played tells
nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from threading import Event
from typing import Final, NamedTuple

import numpy as np

from bidcascade.bridge import FULL_DECK, InvalidInput, Seat
from bidcascade.inference.double_dummy.abstract_solver import NO_CARD, SolvesPlays
from bidcascade.inference.lead_carding import is_small
from bidcascade.inference.leads import touching_cards
from bidcascade.inference.single_dummy import Position, Ties, decisions
from bidcascade.kernels.types import F64, U64

from .rules_of_thumb import legal_cards
from .sight import Played, Sight, give_to_seats

_MOST_CARDS: Final = 10
"""In a hand, when a choice is looked at; with more a choice takes too long to solve."""
_OWN_VIEW_CARDS: Final = 6
"""In a hand, when a choice is looked at as its player saw it."""


@dataclass(frozen=True, slots=True)
class CardInference:
    """What is concluded from the cards of others.

    Parameters
    ----------
    choices : int
        How many cards are looked at: the latest ones.
    ties : Ties
        What a player does with cards that are equally good, or worse.
    hypotheses : int
        Over how many layouts, as he sees them, a player judges his cards; with 0 he is taken to see
        all hands.

    Raises
    ------
    InvalidInput
        If a number is out of bounds.

    Examples
    --------
    >>> str(CardInference().ties)
    'softmax:0.7'
    """

    choices: int = 8
    ties: Ties = field(default_factory=partial(Ties, "softmax", temperature=0.7))
    hypotheses: int = 12

    def __post_init__(self) -> None:
        if self.choices < 1:
            raise InvalidInput(f"expected at least one card to look at, got {self.choices!r}")
        if self.hypotheses < 0:
            raise InvalidInput(f"expected hypotheses from 0 on, got {self.hypotheses!r}")

    def imagined(self, choice: "CardChoice") -> int:
        """In how many layouts a choice is solved for each layout that it is weighed in."""
        return max(1, self.hypotheses) if choice.cards <= _OWN_VIEW_CARDS else 1


class CardChoice(NamedTuple):
    """A card that was chosen by who is out of sight.

    Parameters
    ----------
    seat : Seat
        Whose card it is; declarer chooses for dummy.
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


def hidden_choices(sight: Sight, how: CardInference | None = None) -> list[CardChoice]:
    """Cards that are looked at, the earliest first.

    Examples
    --------
    >>> from bidcascade.bridge import Auction, Vulnerability, parse_calls, parse_hand
    >>> hand = parse_hand("AQ4.KJ3.K876.Q52")
    >>> hidden_choices(Sight(
    ...     Auction.of(parse_calls("1N P 3N P P P")), Vulnerability.NONE, Seat.EAST, hand))
    []
    """
    how = how or CardInference()
    found: list[CardChoice] = []
    for number in range(len(sight.played) - 1, -1, -1):
        before = give_to_seats(sight.played[:number], sight.contract)
        gone = sum(1 << card for card in sight.played[:number])
        choice = CardChoice(before.turn, sight.played[number], gone, before)
        if choice.cards > _MOST_CARDS or len(found) == how.choices:
            break
        if choice.seat not in sight.seen:
            found.append(choice)
    return found[::-1]


def likelihoods(
    sight: Sight,
    hands: U64,
    choice: CardChoice,
    how: CardInference,
    solver: SolvesPlays,
    *,
    seed: int = 0,
    cancel: Event | None = None,
) -> F64:
    """Tell how likely a choice was in each layout.

    Parameters
    ----------
    sight : Sight
    hands : uint64 [4, n]
        Layouts as they were dealt.
    choice : CardChoice
    how : CardInference
    solver : SolvesPlays
    seed : int
        Of the layouts that the player imagines.
    cancel : threading.Event, optional

    Returns
    -------
    float64 [n]
        From 0 to 1.
    """
    left = hands & ~np.uint64(choice.gone)
    # cards on the table still part others
    in_play = FULL_DECK & ~choice.gone | sum(1 << card for card in choice.before.trick)
    if how.hypotheses and choice.cards <= _OWN_VIEW_CARDS:
        card_values = _as_he_saw_it(sight, left, choice, how, solver, seed, cancel)
    else:
        card_values = _all_hands_seen(sight, left, choice, solver, cancel)
    found: F64 = np.array(
        [
            _chance(choice, how.ties, int(left[choice.seat, number]), in_play, values)
            for number, values in enumerate(card_values)
        ]
    )
    return found


def _as_he_saw_it(
    sight: Sight,
    left: U64,
    choice: CardChoice,
    how: CardInference,
    solver: SolvesPlays,
    seed: int,
    cancel: Event | None,
) -> list[Mapping[int, Fraction]]:
    """Worth of each card by layout, as the mean over layouts that the player thinks possible."""
    before, contract = choice.before, sight.contract
    north, east, south, west = left[:, 0].tolist()
    position = Position(
        (north, east, south, west),
        contract.strain,
        contract.declarer,
        before.leader,
        before.trick,
        denied=(before.voids[0], before.voids[1], before.voids[2], before.voids[3]),
    )
    found = decisions(
        position, left, double_dummy=solver, hypotheses=how.hypotheses, seed=seed, cancel=cancel
    )
    return [one.card_values for one in found]


def _all_hands_seen(
    sight: Sight, left: U64, choice: CardChoice, solver: SolvesPlays, cancel: Event | None
) -> list[Mapping[int, Fraction]]:
    """Worth of each card by layout, double dummy in the layout itself."""
    before = choice.before
    on_table = np.full((left.shape[1], 3), NO_CARD, np.uint8)
    on_table[:, : len(before.trick)] = before.trick
    tricks = solver.plays(left, sight.contract.strain, before.leader, on_table, cancel=cancel)
    return [
        {card: Fraction(taken) for card, taken in enumerate(row) if taken >= 0}
        for row in tricks.tolist()
    ]


def _chance(
    choice: CardChoice, ties: Ties, held: int, in_play: int, values: Mapping[int, Fraction]
) -> float:
    """Chance of one card in one layout."""
    # a player chooses between touching honours together, and small cards of a suit that are worth
    # the same
    legal = legal_cards(held, choice.before.trick)
    small: dict[tuple[int, Fraction], tuple[int, ...]] = {}
    found = list[tuple[int, ...]]()
    for cards in touching_cards(held, in_play):
        if cards[0] not in legal:
            continue
        if all(map(is_small, cards)):
            key = cards[0] // 13, values[cards[0]]
            small[key] = (*small.get(key, ()), *cards)
        else:
            found.append(cards)
    own = next(cards for cards in (*found, *small.values()) if choice.card in cards)
    values_of_groups = {cards[0]: values[cards[0]] for cards in (*found, *small.values())}
    chance = float(ties.chance(values_of_groups, own[0]))
    return chance if all(map(is_small, own)) else chance / len(own)
