"""Plays that disagree with their hands, and bounds on tricks: the core against the definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.kernels.core.functions import disagreeing_plays
from bidcascade.kernels.dealing import deal_hands
from bidcascade.loaders.frames import play as plays
from bidcascade.loaders.frames import trick_bounds as bounds
from bidcascade.loaders.frames.play import disagreeing_plays_reference
from bidcascade.loaders.frames.trick_bounds import trick_bounds, trick_bounds_reference

FULL = (1 << 52) - 1


@given(
    st.lists(st.tuples(st.integers(-1, 3), st.lists(st.integers(0, 51), max_size=12)), max_size=5),
    st.integers(0, 100),
)
def test_plays(boards, seed):
    hands = deal_hands(seed, 0, len(boards))
    declarer = np.array([one for one, _ in boards], np.int8)
    cards = np.array([card for _, played in boards for card in played], np.uint8)
    ends = np.cumsum([len(played) for _, played in boards], dtype=np.int64)
    found = disagreeing_plays(hands, declarer, cards, ends)
    assert np.array_equal(found, disagreeing_plays_reference(hands, declarer, cards, ends))


@pytest.mark.parametrize(
    ("declarer", "cards", "ends"),
    [
        ([4], [0], [1]),
        ([-2], [0], [1]),
        ([0], [52], [1]),
        ([0], [0], [2]),
        ([0], [0], [-1]),
        ([0, 0], [0], [1, 0]),
    ],
)
def test_wrong_plays_are_refused(declarer, cards, ends):
    hands = deal_hands(1, 0, len(declarer))
    with pytest.raises(ValueError, match="expected numbers within the arrays"):
        disagreeing_plays(
            hands, np.array(declarer, np.int8), np.array(cards, np.uint8), np.array(ends)
        )


def same_bounds(hands: np.ndarray) -> None:
    low, high = np.full((2, hands.shape[1], 20), 99, np.int8)
    trick_bounds_reference(hands, low, high)
    found = trick_bounds(hands)
    assert np.array_equal(found[0], low)
    assert np.array_equal(found[1], high)


def test_bounds_of_random_deals():
    same_bounds(deal_hands(5, 0, 60))
    same_bounds(deal_hands(5, 0, 0))


@given(st.lists(st.integers(0, 3), min_size=52, max_size=52), st.integers(1, 17))
def test_bounds_of_freaks(seats, run):
    # runs of cards in one hand; hands need not be of thirteen
    hands = [0, 0, 0, 0]
    for card in range(52):
        hands[seats[card // run]] |= 1 << card
    same_bounds(np.array(hands, np.uint64).reshape(4, 1))


def test_bounds_of_nothing_and_everything():
    same_bounds(np.array([[0, FULL], [0, 0], [FULL, FULL], [0, FULL]], np.uint64))


def test_without_a_core_the_definitions_answer(monkeypatch):
    hands = deal_hands(1, 0, 2)
    expected = trick_bounds(hands)
    monkeypatch.setattr(bounds.functions, "has_core", lambda: False)
    monkeypatch.setattr(bounds.functions, "trick_bounds", None)
    assert np.array_equal(trick_bounds(hands), expected)
    assert plays.disagreeing_plays_reference(
        hands, np.zeros(2, np.int8), np.zeros(0, np.uint8), np.zeros(2, np.int64)
    ).tolist() == [False, False]
