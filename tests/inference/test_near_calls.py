"""Calls that a hand misses by little, against lines checked one by one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import Auction, format_call, parse_calls, parse_hand
from bidcascade.inference.layouts.meanings import meanings_of
from bidcascade.inference.near_calls import loosened, near_calls
from bidcascade.kernels import Context
from bidcascade.kernels.dealing import deal_hands
from bidcascade.systems import System
from bidcascade.table import Vocabulary, format_expression, parse_expression
from bidcascade.table.language.explain import holds
from tests.support.systems import SMALL_SYSTEM

SYSTEM = System.parse(SMALL_SYSTEM, name="small")


def near(hand: str, auction: str, own: str, most_missed: int) -> str:
    calls = parse_calls(auction)
    found = near_calls(
        meanings_of(SYSTEM).lines(calls),
        parse_hand(hand),
        Context(),
        own=parse_calls(own)[0],
        calls=calls,
        most_missed=most_missed,
    )
    return " ".join(f"{format_call(one.call)}{one.missed}" for one in found)


@pytest.mark.parametrize(
    ("hand", "auction", "own", "most_missed", "expected"),
    [
        # 14 points and balanced: a point too few for 1NT
        ("K52.AQ3.J876.KJ2", "", "1D", 0, "1D0 1C0"),
        ("K52.AQ3.J876.KJ2", "", "1D", 1, "1D0 1C0 1N1"),
        # 18 is a point too many
        ("KQ2.AQ3.KJ76.K32", "", "1D", 1, "1D0 1C0 1N1"),
        # four spades are no five, however strong
        ("AKQ2.A3.KJ765.32", "", "1D", 2, "1D0 1C0"),
        # 9 points opposite 1NT: an invitation holds, game is missed by one
        ("K52.A32.J876.J42", "1N P", "2N", 2, "2N0 3N1"),
        # what the auction has passed is none
        ("K52.A32.J876.J42", "1N P 2N P", "P", 2, "P0"),
    ],
)
def test_near_calls_by_hand(hand, auction, own, most_missed, expected):
    assert near(hand, auction, own, most_missed) == expected


@pytest.mark.parametrize(
    ("text", "points", "expected"),
    [
        ("HCP >= 15", 1, "HCP >= 14"),
        ("HCP < 15", 2, "HCP < 17"),
        ("15 <= HCP <= 17", 1, "14 <= HCP <= 18"),
        ("17 >= HCP", 1, "18 >= HCP"),
        ("HCP >= 1", 3, "HCP >= 0"),
        ("Losers <= 7", 1, "Losers <= 8"),
        ("HCP + SL_S >= 20", 1, "HCP + SL_S >= 19"),
        ("Support_Points_S >= 10 and SL_S >= 4", 1, "Support_Points_S >= 9 and SL_S >= 4"),
        ("SL_H >= 5 or HCP >= 12", 1, "SL_H >= 5 or HCP >= 11"),
        # lengths, exact values and what is denied stay
        ("SL_H >= 5", 2, "SL_H >= 5"),
        ("HCP == 15", 2, "HCP == 15"),
        ("not HCP >= 15", 2, "not HCP >= 15"),
        ("SL_H >= SL_S", 2, "SL_H >= SL_S"),
    ],
)
def test_bounds_of_strength_are_widened(text, points, expected):
    assert format_expression(loosened(parse_expression(text), points)) == expected


@given(
    st.sampled_from(["15 <= HCP <= 17", "HCP >= 12 and SL_S >= 4", "HCP < 9 or Losers <= 6"]),
    st.integers(0, 10**6),
    st.integers(0, 3),
)
def test_what_holds_holds_when_loosened(text, seed, points):
    expression = parse_expression(text)
    hand, vocabulary = int(deal_hands(seed, 0, 1)[0, 0]), Vocabulary()
    if holds(hand, loosened(expression, points), vocabulary):
        assert holds(hand, loosened(expression, points + 1), vocabulary)
    assert loosened(expression, 0) is expression


@given(st.integers(0, 10**6), st.sampled_from(["", "1N P", "1S P", "1D 1S", "P 1H"]))
def test_near_calls_are_legal_and_each_once(seed, auction):
    calls = parse_calls(auction)
    hand = int(deal_hands(seed, 0, 1)[0, 0])
    own = SYSTEM.bid(hand, calls).call
    found = near_calls(
        meanings_of(SYSTEM).lines(calls), hand, Context(), own=own, calls=calls, most_missed=2
    )
    assert found[0] == (own, 0)
    assert len({one.call for one in found}) == len(found)
    assert all(Auction.of(calls).is_legal(one.call) for one in found)
    assert [one.missed for one in found[1:]] == sorted(one.missed for one in found[1:])
