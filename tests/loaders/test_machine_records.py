"""Records of machines that deal cards."""

import pytest

from bidcascade.bridge import VULNERABILITIES, board_vulnerability, format_card
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


@pytest.mark.parametrize(
    ("sets", "boards"),
    [
        ([b"YN17 1 32 "] * 3, [17, 18, 19]),
        ([b"NN  5 1 36"] * 2, [5, 6]),
        ([b"YY1  1 36 "] * 3, [36, 35, 34]),
        ([b"YN1  1 2  ", b"YN1  1 2  ", b"YN17 1 18 ", b"YN17 1 18 "], [1, 2, 17, 18]),
        ([b"YN9  1 9  ", b"YN4  2 4  "], [9, 4]),
        ([b"          "] * 2, [1, 2]),
    ],
)
def test_boards_are_numbered_as_their_set_says(sets, boards):
    data = b"".join(record(hands, machine) for hands, machine in zip(HANDS, sets, strict=False))
    deals, rejects = read_deals(data)
    assert rejects.height == 0
    assert deals["board"].to_list() == boards
    assert deals["record"].to_list() == list(range(1, len(boards) + 1))
    assert deals["vulnerability"].to_list() == [
        VULNERABILITIES[board_vulnerability(one)] for one in boards
    ]


def in_pictures(data):
    for sign, picture in zip(SIGNS.values(), "\u2660\u2665\u2666\u2663", strict=True):
        data = data.replace(sign, picture.encode())
    return data


@pytest.mark.parametrize(
    "made",
    [
        lambda hands: record(hands, b""),
        lambda hands: record(hands)[:78] + b" " * 32 + b"\0" * 18,
        lambda hands: record(hands)[78:146] + b"\0" * 60,
        lambda hands: in_pictures(record(hands)),
        lambda hands: record(hands).translate(bytes.maketrans(b"\6\3\4\5", b"SHDC")),
    ],
    ids=["without the bytes for the machine", "numbers", "text", "pictures", "letters"],
)
@pytest.mark.parametrize("between", [b"", b"\r\n"])
def test_other_records_of_machines(tmp_path, made, between):
    for ending in (".dup", ".bri", ".dge"):
        (tmp_path / f"day{ending}").write_bytes(between.join(map(made, HANDS[:4])))
    for deals, rejects in (read_deals(tmp_path / "day.dup"), read_deals(tmp_path)):
        assert rejects.height == 0
        count = deals.height // 4
        assert deals.select("north", "east", "south", "west").rows() == HANDS[:4] * count
        assert deals["board"].to_list() == [1, 2, 3, 4] * count


def test_numbers_that_are_no_hands_are_told():
    numbers = record(HANDS[0])[:78]
    twice = numbers[:24] + numbers[:2] + numbers[26:]
    both = numbers[:26] * 2 + numbers[52:]
    data = b"".join(one.ljust(128) for one in (numbers, twice, both))
    deals, rejects = read_machine_records(data)
    assert deals["board"].to_list() == [1]
    assert rejects["reason"].to_list() == [
        "expected 13 cards numbered from 01 to 52, got 12",
        "expected each card in one hand, got some in two",
    ]
