"""Plain text with one deal a line."""

import json

from hypothesis import assume, given
from hypothesis import strategies as st

from bidcascade.bridge import Seat, format_deal, format_deal_lin, format_hand
from bidcascade.loaders.frames.frame import DEAL_SCHEMA, HAND_COLUMNS, REJECT_SCHEMA
from bidcascade.loaders.text.hand_text import parse_deal_line, read_hand_text
from bidcascade.loaders.text.json_deals import read_json_deals
from tests.support.bridge import DEALS

SPADES = "AKQJT98765432"
SUITS = f"N:{SPADES}... .{SPADES}.. ..{SPADES}. ...{SPADES}"


@given(DEALS, st.sampled_from(Seat))
def test_every_spelling_reads_back(deal, first):
    pbn = format_deal(deal, first=first)
    lin = format_deal_lin(deal)
    text = "\n".join([pbn, lin, f"md|{lin}|", f'[Deal "{pbn}"]', lin.rpartition(",")[0] + ","])
    batch = read_hand_text(text.encode(), "hands.txt")
    assert batch.rejects.height == 0
    assert batch.deals.select(HAND_COLUMNS).rows() == [deal.hands] * 5
    assert batch.deals["dealer"].to_list() == [
        first.letter,
        deal.dealer.letter,
        deal.dealer.letter,
        first.letter,
        deal.dealer.letter,
    ]
    assert parse_deal_line(pbn).hands == deal.hands


def test_bad_lines_are_rejects_with_their_line_number():
    lines = ["# comment", "", SUITS, "rubbish", SUITS.replace("AKQ", "AAQ", 1), "  " + SUITS]
    batch = read_hand_text("\r\n".join(lines).encode("utf-8-sig"), "f")
    assert batch.deals["record"].to_list() == [3, 6]
    assert batch.deals["encoding"].to_list() == ["utf-8-sig"] * 2
    assert batch.rejects["record"].to_list() == [4, 5]
    reasons = batch.rejects["reason"].to_list()
    assert reasons[0].startswith("line 4: expected a deal")
    assert "'rubbish'" in reasons[0]
    assert "duplicate card" in reasons[1]
    assert batch.rejects["text"].to_list() == [lines[3], lines[4]]


def test_nothing_read():
    batch = read_hand_text(b"# nothing\n")
    assert batch.deals.schema == DEAL_SCHEMA
    assert batch.rejects.schema == REJECT_SCHEMA
    assert batch.deals.height == batch.rejects.height == 0


def test_what_is_said_above_deals_of_json_holds_for_those_that_do_not_say_it():
    told = {"deal": SUITS, "dealer": "S", "vulnerability": "EW"}
    above = {"dealer": "E", "vulnerability": "NS", "deals": [SUITS, {"deal": SUITS}, told]}
    deals = read_json_deals(json.dumps([above, {"deal": SUITS}]).encode()).deals
    assert deals.select("dealer", "vulnerability").rows() == [
        ("E", "NS"),
        ("E", "NS"),
        ("S", "EW"),
        ("N", "None"),
    ]


def sheet(heading, hands):
    """Sheet of the hands of a seat, as the program dealer prints it."""
    lines = [f"{heading} hands:", ""]
    for number, hand in enumerate(hands, 1):
        suits = format_hand(hand).split(".")
        lines += ["", f"{number:4}.", *(" ".join(suit) or "-" for suit in suits)]
    return "\n".join([*lines, ""])


@given(DEALS, DEALS, DEALS)
def test_sheets_whose_numbers_begin_anew_are_other_deals(first, second, third):
    assume(first.hands[0] != third.hands[0])
    sets = [first.hands, second.hands], [third.hands]
    text = "\n".join(
        sheet(heading, [hands[seat] for hands in one])
        for one in sets
        for seat, heading in ((0, "North"), (2, "South"))
    )
    batch = read_hand_text(text.encode())
    assert batch.rejects.height == 0
    assert batch.deals.select(HAND_COLUMNS).rows() == [
        (hands[0], None, hands[2], None) for one in sets for hands in one
    ]
