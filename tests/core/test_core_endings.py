"""Endings solved by the core against plain minimax; what it refuses, and what does no harm."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.kernels.core.functions import solve_endings
from tests.support_endings import endings, minimax
from tests.support_examples import examples


def solved(hands: Any, strain: Any, first: Any, trick: Any) -> Any:
    found = np.full((1, 52), -1, np.int8)
    row = np.full((1, 3), 255, np.uint8)
    row[0, : len(trick)] = trick
    solve_endings(
        np.array(hands, np.uint64).reshape(4, 1), np.array([strain]), np.array([first]), row, found
    )
    return found[0]


@given(endings(3))
@examples(60)
def test_endings_are_minimax(ending):
    hands, strain, first, trick = ending
    masks = [sum(1 << card for card in hand) for hand in hands]
    found = solved(masks, strain, first, trick)
    assert {card: int(found[card]) for card in np.flatnonzero(found >= 0)} == minimax(*ending)


@pytest.mark.parametrize(
    ("strain", "first", "trick", "hand"),
    [(5, 0, (), 1), (-1, 0, (), 1), (4, 4, (), 1), (4, -1, (), 1), (4, 0, (52,), 1),
     (4, 0, (0, 254), 1), (4, 0, (), 1 << 52)],
)  # fmt: skip
def test_wrong_endings_are_refused(strain, first, trick, hand):
    with pytest.raises(ValueError, match="expected numbers within the arrays"):
        solved([hand, 2, 4, 8], strain, first, trick)


def test_no_endings():
    none = np.zeros(0, np.int64)
    solve_endings(
        np.zeros((4, 0), np.uint64), none, none, np.zeros((0, 3), np.uint8),
        np.zeros((0, 52), np.int8),
    )  # fmt: skip


@given(
    st.lists(st.sets(st.integers(0, 51), max_size=3), min_size=4, max_size=4),
    st.integers(0, 4), st.integers(0, 3), st.lists(st.integers(0, 51), max_size=3),
)  # fmt: skip
def test_hands_that_are_no_ending_do_no_harm(hands, strain, first, trick):
    masks = [sum(1 << card for card in hand) for hand in hands]
    assert len(solved(masks, strain, first, trick)) == 52
