"""Tricks: who wins, who leads next, how many declarer's side took."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import parse_card
from bidcascade.loaders import count_declarer_tricks, trick_winner
from tests.support_lin import play_out, shuffled_hands


def cards(text: str) -> list[int]:
    return [parse_card(card) for card in text.split()]


@pytest.mark.parametrize(
    ("trick", "strain", "winner"),
    [
        ("H2 HA HK HQ", 4, 1),
        ("H2 SA DA CA", 4, 0),
        ("H2 SA D2 CA", 1, 2),
        ("H2 S3 S2 HA", 3, 1),
        ("S2 S3 HA S4", 3, 3),
    ],
)
def test_trick_winner(trick, strain, winner):
    assert trick_winner(cards(trick), strain) == winner


@given(st.integers(0, 10_000), st.integers(0, 3), st.integers(0, 4))
def test_tricks_of_declarers_side(seed, declarer, strain):
    hands = {seat: set(hand) for seat, hand in enumerate(shuffled_hands(seed))}
    masks = [sum(1 << card for card in hands[seat]) for seat in range(4)]
    played = play_out(hands, (declarer + 1) % 4, strain, random.Random(seed))
    ours = count_declarer_tricks(played, masks, declarer, strain)
    winners = []
    leader = (declarer + 1) % 4
    for start in range(0, 52, 4):
        leader = (leader + trick_winner(played[start : start + 4], strain)) % 4
        winners.append(leader)
    assert ours == sum((winner - declarer) % 2 == 0 for winner in winners)
    # the last trick is forced
    assert count_declarer_tricks(played[:48], masks, declarer, strain) == ours
    assert count_declarer_tricks(played[:47], masks, declarer, strain) is None
    assert count_declarer_tricks([*played[:-1], played[0]], masks, declarer, strain) is None
