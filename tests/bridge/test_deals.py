"""Deals in PBN and LIN spelling: round trips, the hand left out, refusals."""

import pytest
from hypothesis import given

from bidcascade.bridge import (
    FULL_DECK,
    Deal,
    InvalidDeal,
    InvalidHand,
    Seat,
    Vulnerability,
    format_deal,
    format_deal_lin,
    format_hand,
    parse_deal,
)
from tests.support.bridge import DEALS, SEATS_DRAWN

SUIT = 0x1FFF
BY_SUITS = Deal((SUIT << 39, SUIT << 26, SUIT << 13, SUIT))
"""North all spades, East hearts, South diamonds, West clubs."""
PBN = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
LIN = "3SHDAKQJT98765432C,SHDCAKQJT98765432,SAKQJT98765432HDC,SHAKQJT98765432DC"


def test_the_two_spellings():
    assert parse_deal(PBN) == BY_SUITS
    assert parse_deal(LIN) == BY_SUITS
    assert format_deal(BY_SUITS) == PBN
    assert format_deal_lin(BY_SUITS) == LIN


@given(DEALS, SEATS_DRAWN)
def test_pbn_round_trip_from_any_seat(deal, first):
    text = format_deal(deal, first=first)
    assert text[0] == first.letter
    assert parse_deal(text, dealer=deal.dealer, vulnerability=deal.vulnerability) == deal
    assert parse_deal(text).dealer == first


@given(DEALS)
def test_lin_round_trip(deal):
    text = format_deal_lin(deal)
    assert parse_deal(text, vulnerability=deal.vulnerability) == deal
    assert parse_deal(text.lower().replace("t", "10"), vulnerability=deal.vulnerability) == deal


@given(DEALS, SEATS_DRAWN)
def test_one_hand_may_be_left_out(deal, missing):
    hands = ["-" if seat == missing else format_hand(deal.hand(seat)) for seat in Seat]
    assert parse_deal("N:" + " ".join(hands)).hands == deal.hands
    lin = format_deal_lin(deal)
    parts = lin[1:].split(",")
    parts[(missing - Seat.SOUTH) % 4] = ""
    assert parse_deal(lin[0] + ",".join(parts)).hands == deal.hands


def test_lin_without_the_last_comma_and_with_dealer_digits():
    three = LIN[1:].rsplit(",", 1)[0]
    assert parse_deal(three) == BY_SUITS
    dealers = [parse_deal(digit + three).dealer for digit in "1234"]
    assert dealers == [Seat.SOUTH, Seat.WEST, Seat.NORTH, Seat.EAST]
    assert parse_deal("1" + three, dealer=Seat.EAST).dealer == Seat.EAST


def test_a_dotted_hand_that_starts_with_a_small_card_is_no_dealer_digit():
    hands = ["2.AKQJT9876543..", "..AKQJT98765432.", "3.2..AKQJT987654", ""]
    deal = parse_deal(",".join(hands))
    assert deal.dealer == Seat.NORTH
    assert format_hand(deal.hand(Seat.SOUTH)) == hands[0]
    assert format_hand(deal.hand(Seat.EAST)) == "AKQJT987654...32"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "expected a deal such as"),
        ("nonsense", "expected a deal such as"),
        ("N:", "expected four hands after 'N:', got 0"),
        (PBN + " -", "expected four hands after 'N:', got 5"),
        ("X:" + PBN[2:], "expected a seat"),
        ("N:- - ..AKQJT98765432. ...AKQJT98765432", "expected four hands, or three"),
        (",,,", "expected four hands, or three"),
        (",", "expected three or four hands, got 2"),
        (LIN + ",SAKQJT98765432HDC", "expected three or four hands, got 5"),
        ("5" + LIN[1:], "expected a dealer digit 1-4, got '5'"),
        ("0" + LIN[1:], "expected a dealer digit 1-4, got '0'"),
    ],
)
def test_no_deal(text, reason):
    with pytest.raises(InvalidDeal, match=reason):
        parse_deal(text)


@pytest.mark.parametrize(
    "text",
    [
        "N:x - - -",
        PBN.replace(" .AKQ", " .KQ"),
        PBN.replace(".AKQ", ".AAKQ"),
        LIN.replace("DA", "D"),
    ],
)
def test_a_bad_hand_in_a_deal(text):
    with pytest.raises(InvalidHand):
        parse_deal(text)


def test_twelve_cards_are_named():
    with pytest.raises(InvalidHand, match=r"expected 13 cards, got 12 in hand '\.\.KQJT"):
        parse_deal(PBN.replace("..AKQJT98765432.", "..KQJT98765432."))


@pytest.mark.parametrize(
    "text",
    [
        "N:AKQJT98765432... AKQJT98765432... ..AKQJT98765432. ...AKQJT98765432",
        "N:AKQJT98765432... A.KQJT98765432.. ..AKQJT98765432. -",
        "3SHDAKQJT98765432C,SHDCAKQJT98765432,SAKQJT9876543HDA,",
    ],
)
def test_a_card_in_two_hands(text):
    with pytest.raises(InvalidDeal, match=r"duplicate card: (S2|SA|DA) is in two hands"):
        parse_deal(text)


def test_deals_are_checked_when_built():
    with pytest.raises(InvalidHand, match="for South"):
        Deal((SUIT, SUIT << 13, 0, SUIT << 39))
    with pytest.raises(InvalidDeal, match="duplicate card: C2 is in two hands"):
        Deal((SUIT, SUIT, SUIT << 26, SUIT << 39))
    with pytest.raises(InvalidDeal, match="expected four hands, got 3"):
        Deal((SUIT, SUIT << 13, SUIT << 26))
    with pytest.raises(InvalidHand, match="-1"):
        Deal((-1, SUIT, SUIT << 13, SUIT << 26))
    with pytest.raises(InvalidDeal, match="expected a dealer 0-3, got 4"):
        Deal(BY_SUITS.hands, 4)
    with pytest.raises(InvalidDeal, match="expected a vulnerability 0-3, got 'EW'"):
        Deal(BY_SUITS.hands, Seat.NORTH, "EW")


def test_dealer_and_vulnerability_become_enums():
    deal = Deal(BY_SUITS.hands, 2, 1)
    assert deal.dealer is Seat.SOUTH
    assert deal.vulnerability is Vulnerability.NS


@given(DEALS)
def test_a_deal_is_the_whole_deck(deal):
    north, east, south, west = deal.hands
    assert north | east | south | west == FULL_DECK
    assert north + east + south + west == FULL_DECK
    assert [deal.hand(seat) for seat in Seat] == [north, east, south, west]
