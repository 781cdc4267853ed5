"""Cards, suits and holdings: text to bits and back, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import (
    FULL_DECK,
    HOLDING_MASK,
    RANKS,
    SUITS,
    InvalidCard,
    cards_of,
    format_card,
    format_holding,
    parse_card,
    parse_holding,
    parse_suit,
    suit_holding,
)
from tests.support.bridge import MASKS


def test_every_card_has_its_bit():
    texts = [suit + rank for suit in "CDHS" for rank in "23456789TJQKA"]
    assert [parse_card(text) for text in texts] == list(range(52))
    assert [format_card(card) for card in range(52)] == texts


def test_card_spellings():
    assert parse_card("h10") == parse_card("HT") == parse_card("ht") == 2 * 13 + 8
    assert parse_card("♠A") == 51


@pytest.mark.parametrize(
    "text", ["", "S", "A", "AS", "S1", "S11", "S100", "XA", "SAK", " SA", "10"]
)
def test_no_card(text):
    with pytest.raises(InvalidCard, match="expected a card"):
        parse_card(text)


@pytest.mark.parametrize("card", [-1, 52])
def test_card_number_out_of_range(card):
    with pytest.raises(InvalidCard, match=repr(card)):
        format_card(card)


def test_suits():
    assert [parse_suit(text) for text in "CDHScdhs♣♦♥♠"] == [0, 1, 2, 3] * 3
    for text in ("", "N", "CD"):
        with pytest.raises(InvalidCard, match="expected a suit"):
            parse_suit(text)


def test_all_holdings_round_trip():
    texts = {format_holding(holding) for holding in range(HOLDING_MASK + 1)}
    assert len(texts) == HOLDING_MASK + 1
    for holding in range(HOLDING_MASK + 1):
        text = format_holding(holding)
        assert parse_holding(text) == holding
        assert list(text) == sorted(text, key=RANKS.index, reverse=True)


@given(st.integers(0, HOLDING_MASK), st.randoms())
def test_holding_in_any_order_case_and_ten(holding, random):
    letters = list(format_holding(holding))
    random.shuffle(letters)
    assert parse_holding("".join(letters)) == holding
    assert parse_holding("".join(letters).lower()) == holding
    assert parse_holding("".join(letters).replace("T", "10")) == holding


@pytest.mark.parametrize(
    ("text", "reason"),
    [("AKA", "rank A comes twice"), ("T10", "rank T comes twice"), ("AX", "'X'"), ("1", "'1'"),
     ("A K", "' '"), ("110", "'1'"), ("-", "'-'")],
)  # fmt: skip
def test_no_holding(text, reason):
    with pytest.raises(InvalidCard, match=reason):
        parse_holding(text)


@given(MASKS)
def test_cards_of_lists_the_set_bits(mask):
    cards = list(cards_of(mask))
    assert cards == [card for card in range(52) if mask >> card & 1]


@given(MASKS)
def test_holdings_make_up_the_hand(mask):
    assert sum(suit_holding(mask, suit) << 13 * suit for suit in range(4)) == mask


def test_full_deck():
    assert FULL_DECK.bit_count() == len(RANKS) * len(SUITS) == 52
