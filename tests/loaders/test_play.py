"""Tricks: who wins, who leads next, how many declarer's side took."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import parse_card
from bidcascade.loaders import count_declarer_tricks, count_tricks, trick_winner
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


def test_the_winner_leads_to_the_next_trick():
    played = cards("H2 HA HK HQ S2 S3 S4 S5 D2 D3")
    # North leads, East wins, East leads and North (fourth to play) wins; two cards are left over
    assert count_tricks(played, leader=0, strain=4) == [1, 1, 0, 0]


@given(st.integers(0, 10_000), st.integers(0, 3), st.integers(0, 4))
def test_both_sides_together_take_thirteen(seed, declarer, strain):
    hands = {seat: set(hand) for seat, hand in enumerate(shuffled_hands(seed))}
    played = play_out(hands, (declarer + 1) % 4, strain, random.Random(seed))
    ours = count_declarer_tricks(played, declarer, strain)
    assert ours is not None
    by_seat = count_tricks(played, (declarer + 1) % 4, strain)
    assert sum(by_seat) == 13
    assert ours == by_seat[declarer] + by_seat[(declarer + 2) % 4]
    assert count_declarer_tricks(played[:-1], declarer, strain) is None
    assert count_declarer_tricks([*played[:-1], played[0]], declarer, strain) is None
