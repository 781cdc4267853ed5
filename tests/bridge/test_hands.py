"""Hands as text in PBN and BBO spelling: round trips, spellings, refusals."""

import pytest
from hypothesis import given

from bidcascade.bridge import (
    FULL_DECK,
    InvalidHand,
    check_hand,
    format_hand,
    format_hand_bbo,
    parse_card,
    parse_hand,
)
from tests.support.bridge import HANDS, MASKS

HAND = sum(
    1 << parse_card(text)
    for text in ("SA", "SK", "S2", "HQ", "H3", "D9", "D8", "D7", "D6", "CK", "CJ", "CT", "C5")
)
SPADES = 0x1FFF << 39


@given(HANDS)
def test_round_trip(hand):
    assert parse_hand(format_hand(hand)) == hand
    assert parse_hand(format_hand_bbo(hand)) == hand


@given(MASKS)
def test_round_trip_of_any_number_of_cards(mask):
    assert parse_hand(format_hand(mask), cards=None) == mask
    assert parse_hand(format_hand_bbo(mask), cards=None) == mask
    assert parse_hand(format_hand(mask), cards=mask.bit_count()) == mask


@given(HANDS)
def test_ten_and_lower_case(hand):
    for text in (format_hand(hand), format_hand_bbo(hand)):
        assert parse_hand(text.lower()) == hand
        assert parse_hand(text.replace("T", "10")) == hand
        assert parse_hand(text.lower().replace("t", "10")) == hand


@pytest.mark.parametrize(
    "text",
    [
        "AK2.Q3.9876.KJT5",
        "SAK2HQ3D9876CKJT5",
        "2KA.3Q.6789.5TJK",
        "CKJ105D9876HQ3SAK2",
        "♠AK2♥Q3♦9876♣KJT5",
        "♠AK2 ♥Q3 ♦9876 ♣KJ105",
        "S AK2 H Q3 D 9876 C KJT5",
        "  ak2.q3.9876.kjt5\n",
        "AK2 Q3 9876 KJT5",
        "ak2\tq3  9876 kj105",
        "AK2. Q3. 9876. KJT5",
        "A K 2 . Q 3 . 9 8 7 6 . K J 10 5",
    ],
)
def test_spellings(text):
    assert parse_hand(text) == HAND


@pytest.mark.parametrize(
    "text",
    ["AKQJT98765432...", "AKQJT98765432.-.-.-", "SAKQJT98765432HDC", "SAKQJT98765432",
     "SAKQJT98765432H-D-C-", "H- SAKQJ1098765432", "AKQJT98765432 - - -"],
)  # fmt: skip
def test_voids(text):
    assert parse_hand(text) == SPADES
    assert format_hand(SPADES) == "AKQJT98765432..."
    assert format_hand_bbo(SPADES) == "SAKQJT98765432HDC"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "expected a hand such as"),
        ("nonsense", "expected a hand such as"),
        ("hello", "expected a rank"),
        ("AK2 Q3 9876KJT5", "expected a hand such as"),
        ("AK2 Q3 9876 KJT 5", "expected a hand such as"),
        ("AK2 Q3 9876 KJT", "expected 13 cards, got 12"),
        ("AK2.Q3.9876", "four suits separated by dots"),
        ("AK2.Q3.9876.KJT5.", "four suits separated by dots"),
        ("AK2.Q3.9876.KJT", "expected 13 cards, got 12"),
        ("AK2.Q3.9876.KJT54", "expected 13 cards, got 14"),
        ("...", "expected 13 cards, got 0"),
        ("SHDC", "expected 13 cards, got 0"),
        ("AKA.Q3.9876.KJT5", "duplicate card: rank A comes twice in 'AKA'"),
        ("SAK2HQ3D9876CKJ10T", "duplicate card: rank T comes twice"),
        ("SAK2HQ3SD9876CKJT5", "suit 'S' comes twice"),
        ("SAK2HQ3s5D9876CKJT", "suit 's' comes twice"),
        ("AK2.QX.9876.KJT5", "'X' in 'QX', in hand 'AK2.QX.9876.KJT5'"),
        ("1SAK2HQ3D9876CKJT5", "expected a hand such as"),
        ("SAK-HQ32D9876CKJT5", "'-' in 'AK-'"),
        ("SAK2HQ3D9876CKJT5--", "'-' in 'KJT5--'"),
    ],
)
def test_no_hand(text, reason):
    with pytest.raises(InvalidHand, match=reason):
        parse_hand(text)


@given(HANDS)
def test_check_hand_accepts_13_cards(hand):
    assert check_hand(hand) == hand


@pytest.mark.parametrize("mask", [0, 1, (1 << 12) - 1, FULL_DECK, -1, 0x1FFF << 40, 0x1FFF << 52])
def test_check_hand_refuses(mask):
    with pytest.raises(InvalidHand, match="expected a mask of 13 of 52 cards"):
        check_hand(mask)
