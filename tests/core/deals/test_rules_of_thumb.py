"""Cards by rules of thumb from the core: the definition's, card for card, and what is refused."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import parse_card, parse_hand
from bidcascade.inference.card_play.rules_of_thumb import legal_cards, usual_cards
from bidcascade.kernels.dealing import deal_hands
from bidcascade.loaders.frames.play import trick_winner
from tests.core.deals import definition_of_rules_of_thumb as definition
from tests.support.examples import examples, sized

REFUSED = "expected a hand of 1 to 13 cards"


class Choice(NamedTuple):
    """What a player sees who has to play a card."""

    hand: int
    trick: list[int]
    strain: int
    gone: int
    other: int
    declares: bool

    def cards(self, by: Any = usual_cards) -> list[int]:
        found: list[int] = by(
            self.hand, self.trick, self.strain, self.gone, declares=self.declares, other=self.other
        )
        return found


def played_deals(count: int, seed: int) -> Iterator[Choice]:
    """Every choice of deals that are played by chance, or by the rules."""
    chance = np.random.default_rng(seed)
    for number in range(count):
        hands = [int(one) for one in deal_hands(seed, number, 1)[:, 0]]
        strain, declarer = number % 5, int(chance.integers(4))
        dummy, leader, gone = (declarer + 2) % 4, (declarer + 1) % 4, 0
        for _ in range(13):
            trick: list[int] = []
            for place in range(4):
                seat = (leader + place) % 4
                other = hands[declarer if seat == dummy else dummy] if gone else 0
                choice = Choice(
                    hands[seat], trick.copy(), strain, gone, other, seat % 2 == declarer % 2
                )
                yield choice
                legal = legal_cards(hands[seat], trick)
                card = choice.cards()[0] if number % 4 == 0 else int(chance.choice(legal))
                hands[seat] &= ~(1 << card)
                gone |= 1 << card
                trick.append(card)
            leader = (leader + trick_winner(trick, strain)) % 4


@pytest.mark.parametrize("seed", range(4))
def test_cards_of_played_deals(seed):
    for choice in played_deals(sized(60, 1000), seed):
        assert choice.cards() == choice.cards(definition.usual_cards), choice


@st.composite
def choices(draw: st.DrawFn) -> Choice:
    """Cards wherever they may be: hands need not have as many, nobody need have followed suit."""
    # runs of cards at one place, so that suits are long and honours touch
    run = draw(st.integers(1, 13))
    places = draw(st.lists(st.integers(0, 3), min_size=52, max_size=52))
    masks = [0, 0, 0, 0]
    for card in range(52):
        masks[places[card // run]] |= 1 << card
    hand, gone, other, _ = masks
    while hand.bit_count() > 13:
        hand &= hand - 1
    hand = hand or 1 << draw(st.integers(0, 51))
    gone, other = gone & ~hand, other & ~hand
    left = [card for card in range(52) if gone >> card & 1]
    trick = draw(st.lists(st.sampled_from(left), max_size=3, unique=True)) if left else []
    return Choice(hand, trick, draw(st.integers(0, 4)), gone, other, draw(st.booleans()))


@examples(300)
@given(choices())
def test_cards_of_any_choice(choice):
    found = choice.cards()
    assert found == choice.cards(definition.usual_cards)
    assert sorted(found) == legal_cards(choice.hand, choice.trick)


@pytest.mark.parametrize(
    ("hand", "trick", "strain", "declares", "card"),
    [
        # top of touching honours; fourth best; top of two; the longer, then the stronger suit
        ("KQJ2.K64.A532.62", [], "N", False, "SK"),
        ("KJ742.K64.A5.632", [], "N", False, "S4"),
        ("...32", [], "N", False, "C3"),
        ("972.K64.A532.862", [], "N", False, "D2"),
        ("9732.A643.K53.62", [], "N", False, "H3"),
        # declarer draws trumps: from the top, which is good, or low
        ("AJ42.K64.A532.62", [], "S", True, "SA"),
        ("KJ42.K64.A532.62", [], "S", True, "S2"),
        # second hand low, third hand high but of touching cards the lowest, fourth as cheaply,
        # and low behind its partner
        ("KJ42.K64.A532.62", ["S7"], "N", False, "S2"),
        ("KQ42.K64.A532.62", ["S3", "S7"], "N", False, "SQ"),
        ("AQ82.K64.A532.62", ["S3", "S7", "S5"], "N", False, "S2"),
        ("AQ82.K64.A532.62", ["S3", "S5", "S7"], "N", False, "S8"),
        # a ruff, as low as it wins; what a trump cannot win is thrown away low
        (".K6432.A532.6542", ["S7", "S3", "S5"], "C", False, "C2"),
        (".K6432.A532.6542", ["S7", "S3", "CT"], "C", False, "D2"),
    ],
)
def test_rules(hand, trick, strain, declares, card):
    cards = [parse_card(one) for one in trick]
    held, gone = parse_hand(hand, cards=None), sum(1 << one for one in cards)
    found = Choice(held, cards, "CDHSN".index(strain), gone, 0, declares).cards()
    assert found[0] == parse_card(card)


GOOD = Choice(0b111, [20], 4, 1 << 20, 0b11 << 30, True)


@pytest.mark.parametrize(
    "wrong",
    [
        {"hand": 0}, {"hand": 1 << 52}, {"hand": -1}, {"hand": 1 << 64 | 1},
        {"hand": (1 << 14) - 1}, {"hand": 1 << 20}, {"hand": 1 << 30},
        {"gone": 0}, {"gone": -1}, {"gone": 1 << 52 | 1 << 20}, {"gone": 1 << 64 | 1 << 20},
        {"gone": 1 << 20 | 1 << 30}, {"gone": 1 << 20 | 1},
        {"other": 1 << 52}, {"other": 1 << 64}, {"other": -1}, {"other": 1 << 20}, {"other": 1},
        {"trick": [52]}, {"trick": [-1]}, {"trick": [255]}, {"trick": [256 + 20]},
        {"trick": [20, 20]}, {"trick": [21]}, {"trick": [1]},
        {"trick": [20, 21, 22, 23], "gone": 0xF << 20},
        {"strain": 5}, {"strain": -1}, {"strain": 1 << 32}, {"strain": 1 << 64},
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_choice_is_refused(wrong):
    assert GOOD.cards() == [0, 1, 2]
    with pytest.raises(ValueError, match=REFUSED):
        GOOD._replace(**wrong).cards()
