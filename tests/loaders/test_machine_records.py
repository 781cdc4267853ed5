"""Records of machines that deal cards."""

import pytest

from bidcascade.bridge import format_card
from bidcascade.loaders import read_deals, sniff
from bidcascade.loaders.frames.random_deals import random_deals
from bidcascade.loaders.text.machine_records import read_machine_records

DEALS = random_deals(18, seed=8)
HANDS = DEALS.select("north", "east", "south", "west").rows()
SIGNS = {"S": b"\x06", "H": b"\x03", "D": b"\x04", "C": b"\x05"}


def record(hands, machine=b"YN1  1 1  "):
    """A board as machines read it."""
    numbers, text = b"", b""
    for seat, hand in enumerate(hands):
        held = [card for card in range(51, -1, -1) if hand >> card & 1]
        numbers += b"".join(b"%02d" % (52 - card) for card in held) if seat < 3 else b""
        for suit, sign in SIGNS.items():
            ranks = "".join(format_card(one)[1] for one in held if format_card(one)[0] == suit)
            text += sign + ranks.encode()
    return numbers + text + machine


@pytest.mark.parametrize("between", [b"", b"\r\n", b"\n"])
@pytest.mark.parametrize("end", [b"", b"\x1a", b"\r\n\0\0"])
def test_boards_of_a_file(between, end):
    data = between.join(map(record, HANDS)) + end
    assert sniff(data) == "dup"
    deals, rejects = read_deals(data)
    assert rejects.height == 0
    assert deals.select("north", "east", "south", "west").rows() == HANDS
    assert deals["board"].to_list() == list(range(1, 19))
    assert deals.select("dealer", "vulnerability").row(17) == ("E", "NS")
    assert deals["record"].to_list() == deals["board"].to_list()


def test_what_is_wrong_with_a_record_is_said_and_the_others_read():
    first, second, third = map(record, HANDS[:3])
    others = record((HANDS[4][0], *HANDS[3][1:]))[:78] + record(HANDS[3])[78:]
    twice = second[:78] + second[78:].replace(second[79:80], second[80:81], 1)
    deals, rejects = read_machine_records(first + others + twice + third + b"0102", "x")
    assert deals["board"].to_list() == [1, 4]
    reasons = rejects["reason"].to_list()
    assert reasons[0] == "expected the same cards of N as numbers and as text, got others"
    assert reasons[2] == "expected a record of 156 bytes, got 4"
    assert rejects["record"].to_list() == [2, 3, 5]


def test_files_of_a_folder_are_taken(tmp_path):
    (tmp_path / "day.DUP").write_bytes(record(HANDS[0]))
    assert read_deals(tmp_path).deals["source"].to_list() == ["day.DUP"]


def test_digits_are_no_records():
    assert sniff(b"01" * 200) is None
