"""Calls as text and as codes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import (
    CALL_COUNT,
    CALL_TEXTS,
    DOUBLE,
    FIRST_BID,
    LAST_BID,
    PASS,
    REDOUBLE,
    STRAINS,
    InvalidCall,
    bid_level,
    bid_strain,
    format_call,
    format_calls,
    make_bid,
    parse_call,
    parse_calls,
)
from tests.support.bridge import CALLS


def test_codes_in_bidding_order():
    texts = "P X XX 1C 1D 1H 1S 1N 2C 2D 2H 2S 2N 3C 3D 3H 3S 3N 4C 4D 4H 4S 4N 5C 5D 5H 5S 5N"
    assert [parse_call(text) for text in texts.split()] == list(range(28))
    assert CALL_TEXTS[28:] == ("6C", "6D", "6H", "6S", "6N", "7C", "7D", "7H", "7S", "7N")
    assert (PASS, DOUBLE, REDOUBLE, FIRST_BID, LAST_BID, CALL_COUNT) == (0, 1, 2, 3, 37, 38)


def test_levels_and_strains_make_the_bids():
    bids = [make_bid(level, strain) for level in range(1, 8) for strain in range(5)]
    assert bids == list(range(FIRST_BID, LAST_BID + 1))
    for bid in bids:
        assert make_bid(bid_level(bid), bid_strain(bid)) == bid
        assert format_call(bid) == f"{bid_level(bid)}{STRAINS[bid_strain(bid)]}"


@pytest.mark.parametrize(
    ("texts", "code"),
    [
        ("P p Pass PASS pass", PASS),
        ("X x D d Dbl DBL Double", DOUBLE),
        ("XX xx R r Rdbl Redouble rd", REDOUBLE),
        ("1C 1c 1♣", 3),
        ("1N 1n 1NT 1nt 1Nt", 7),
        ("4♠ 4S 4s", 21),
        ("7NT 7n", LAST_BID),
    ],
)
def test_spellings(texts, code):
    assert [parse_call(text) for text in texts.split()] == [code] * len(texts.split())


@pytest.mark.parametrize(
    "text",
    ["", " ", "0C", "8C", "1", "C", "1X", "XXX", "1NTT", "11C", "1C!", "P?", "AP", "\u0661C"],
)
def test_no_call(text):
    with pytest.raises(InvalidCall, match="expected a call"):
        parse_call(text)


@pytest.mark.parametrize("code", [-1, 38])
def test_no_code(code):
    with pytest.raises(InvalidCall, match="0-37"):
        format_call(code)


@pytest.mark.parametrize("code", [-1, PASS, DOUBLE, REDOUBLE, 38])
def test_only_bids_have_level_and_strain(code):
    with pytest.raises(InvalidCall, match="expected a bid"):
        bid_level(code)
    with pytest.raises(InvalidCall, match="expected a bid"):
        bid_strain(code)


@pytest.mark.parametrize(("level", "strain"), [(0, 0), (8, 0), (1, -1), (1, 5)])
def test_no_bid(level, strain):
    with pytest.raises(InvalidCall, match="level 1-7 and strain 0-4"):
        make_bid(level, strain)


@given(st.lists(CALLS), st.sampled_from([" ", "-", ",", ", ", " - ", "\n"]))
def test_round_trip(calls, separator):
    assert parse_calls(format_calls(calls, separator)) == tuple(calls)


def test_parse_calls():
    assert parse_calls("") == parse_calls("  ") == ()
    assert parse_calls(" 1n, p - 3NT\n") == (7, 0, 17)
    with pytest.raises(InvalidCall, match="'8C'"):
        parse_calls("1C 8C")
