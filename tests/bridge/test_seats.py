"""Seats and vulnerability: the sixteen boards, who is where, spellings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import (
    InvalidDeal,
    Seat,
    Vulnerability,
    board_dealer,
    board_vulnerability,
    dealer_relative_seat,
    is_vulnerable,
    parse_seat,
    parse_vulnerability,
    seat_of_call,
)
from tests.support.bridge import SEATS_DRAWN

BOARDS = """
 1 N None    2 E NS      3 S EW      4 W Both
 5 N NS      6 E EW      7 S Both    8 W None
 9 N EW     10 E Both   11 S None   12 W NS
13 N Both   14 E None   15 S NS     16 W EW
"""
"""Law 2 of the Laws of Duplicate Bridge 2017."""


def test_the_sixteen_boards():
    words = BOARDS.split()
    rows = list(zip(words[::3], words[1::3], words[2::3], strict=True))
    assert len(rows) == 16
    for number, dealer, vulnerability in rows:
        for board in (int(number), int(number) + 16, int(number) + 160):
            assert board_dealer(board).letter == dealer
            assert board_vulnerability(board).text == vulnerability


@pytest.mark.parametrize("board", [0, -3])
def test_no_board(board):
    with pytest.raises(InvalidDeal, match="expected a board number from 1"):
        board_dealer(board)
    with pytest.raises(InvalidDeal, match="expected a board number from 1"):
        board_vulnerability(board)


def test_who_is_vulnerable():
    vulnerable = {
        (vulnerability.text, seat.letter)
        for vulnerability in Vulnerability
        for seat in Seat
        if is_vulnerable(vulnerability, seat)
    }
    assert vulnerable == {
        ("NS", "N"), ("NS", "S"), ("EW", "E"), ("EW", "W"),
        ("Both", "N"), ("Both", "E"), ("Both", "S"), ("Both", "W"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("texts", "seat"),
    [
        ("N n North", Seat.NORTH),
        ("E e EAST", Seat.EAST),
        ("S south", Seat.SOUTH),
        ("W w west", Seat.WEST),
    ],
)
def test_seat_spellings(texts, seat):
    assert [parse_seat(text) for text in texts.split()] == [seat] * len(texts.split())
    assert parse_seat(f" {seat.letter} ") is seat


@pytest.mark.parametrize("text", ["", "X", "NS", "0", "Nort"])
def test_no_seat(text):
    with pytest.raises(InvalidDeal, match="expected a seat"):
        parse_seat(text)


@pytest.mark.parametrize(
    ("texts", "vulnerability"),
    [
        ("None none Love - o O 0", Vulnerability.NONE),
        ("NS ns N-S n", Vulnerability.NS),
        ("EW ew E-W e", Vulnerability.EW),
        ("Both both All ALL b B", Vulnerability.BOTH),
    ],
)
def test_vulnerability_spellings(texts, vulnerability):
    for text in texts.split():
        assert parse_vulnerability(text) is vulnerability
    assert parse_vulnerability(vulnerability.text) is vulnerability


@pytest.mark.parametrize("text", ["", " ", "?", "X", "NSEW", "1", "n o n e", None, 5, ["None"]])
def test_no_vulnerability(text):
    with pytest.raises(InvalidDeal, match="expected a vulnerability"):
        parse_vulnerability(text)


@given(SEATS_DRAWN, st.integers(0, 300))
def test_calls_go_clockwise_from_the_dealer(dealer, depth):
    assert seat_of_call(dealer, 0) is dealer
    assert seat_of_call(dealer, depth) == (dealer + depth) % 4
    assert "NESWN"["NESW".index(seat_of_call(dealer, depth).letter) + 1] == (
        seat_of_call(dealer, depth + 1).letter
    )


def test_dealer_relative_seats():
    east = {seat.letter: dealer_relative_seat(Seat.EAST, seat) for seat in Seat}
    assert east == {"E": 1, "S": 2, "W": 3, "N": 4}
    for dealer in Seat:
        for depth in range(8):
            assert dealer_relative_seat(dealer, seat_of_call(dealer, depth)) == depth % 4 + 1
