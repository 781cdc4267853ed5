r"""Records of machines that deal cards (``.dup``), 156 bytes a board.

A record has the cards of North, East and South as numbers from 01 to 52 (78 bytes: the ace of
spades first, the two of clubs last), the cards of all four hands as text from North on (68 bytes:
behind the signs 06, 03, 04 and 05 those of spades, hearts, diamonds and clubs), and ten bytes for
the machine. Boards are in order, from the first one on.
"""

import re
from typing import Final

import numpy as np
import polars as pl

from bidcascade.bridge import (
    SEATS,
    VULNERABILITIES,
    InvalidDeal,
    InvalidHand,
    board_dealer,
    board_vulnerability,
    parse_deal,
)
from bidcascade.loaders.frames.frame import (
    QUOTED,
    SEAT_ENUM,
    VULNERABILITY_ENUM,
    Batch,
    bare_deals,
    known_hands,
    listed_rejects,
    reject_frame,
)

_NUMBERS: Final = 78
_TEXT: Final = 68
_RECORD: Final = _NUMBERS + _TEXT + 10
_BETWEEN: Final = b"\r\n\x00\x1a"
_BEGIN: Final = re.compile(rb"[\r\n]*[0-9]{78}\x06[AKQJT2-9\x03-\x06]{67}")
_SUITS: Final = re.compile(rb"[\x03-\x05]")
_SHOWN: Final = str.maketrans("\x06\x03\x04\x05", "SHDC")


def holds_machine_records(head: bytes) -> bool:
    """Whether a file begins as such records do.

    Examples
    --------
    >>> holds_machine_records(b"0104")
    False
    """
    return _BEGIN.match(head) is not None


def read_machine_records(data: bytes, source: str = "") -> Batch:
    """Read the boards of a file of such records.

    Parameters
    ----------
    data : bytes
    source : str
        Name for the column ``source``.

    Returns
    -------
    Batch
        A board a record, with its place as its number, from which dealer and vulnerability follow.

    Examples
    --------
    >>> read_machine_records(b"0104").rejects["reason"].to_list()
    ['expected a record of 156 bytes, got 4']
    """
    deals: list[tuple[int, ...]] = []
    numbers: list[int] = []
    rejects: list[tuple[str, int | None, str, str]] = []
    at = number = 0
    while True:
        while at < len(data) and data[at] in _BETWEEN:
            at += 1
        if at >= len(data):
            break
        record = data[at : at + _RECORD]
        at += _RECORD
        number += 1
        try:
            deals.append(_hands(record))
            numbers.append(number)
        except (InvalidDeal, InvalidHand) as error:
            text = record.decode("latin-1").translate(_SHOWN)[:QUOTED]
            rejects.append((source, number, str(error), text))
    masks = np.array(deals, np.uint64).reshape(-1, 4)
    frame = bare_deals(
        known_hands(masks)
        | {
            "dealer": pl.Series([SEATS[board_dealer(one)] for one in numbers], dtype=SEAT_ENUM),
            "vulnerability": pl.Series(
                [VULNERABILITIES[board_vulnerability(one)] for one in numbers],
                dtype=VULNERABILITY_ENUM,
            ),
            "board": pl.Series(numbers, dtype=pl.Int32),
            "source": pl.Series([source] * len(deals), dtype=pl.String),
            "record": pl.Series(numbers, dtype=pl.UInt32),
            "encoding": pl.Series(["utf-8"] * len(deals), dtype=pl.String),
        }
    )
    return Batch(frame, listed_rejects(reject_frame(rejects)))


def _hands(record: bytes) -> tuple[int, int, int, int]:
    """Hands of a record, which states those of three seats twice."""
    if len(record) < _NUMBERS + _TEXT:
        raise InvalidDeal(f"expected a record of {_RECORD} bytes, got {len(record)}")
    hands = record[_NUMBERS : _NUMBERS + _TEXT].split(b"\x06")
    if hands[0] or len(hands) != 5:
        raise InvalidDeal(f"expected the spades of four hands, got those of {len(hands) - 1}")
    dotted = [_SUITS.sub(b".", one).decode("latin-1") for one in hands[1:]]
    north, east, south, west = parse_deal(f"N:{' '.join(dotted)}").hands
    counted = record[:_NUMBERS]
    if not counted.isdigit():
        raise InvalidDeal(f"expected {_NUMBERS} digits, got {counted.decode('latin-1')!r:.40}")
    cards = [int(counted[place : place + 2]) for place in range(0, _NUMBERS, 2)]
    for seat, hand in enumerate((north, east, south)):
        stated = set(cards[13 * seat : 13 * seat + 13])
        if hand != sum(1 << 52 - card for card in stated if 0 < card <= 52):
            wanted = f"the same cards of {SEATS[seat]} as numbers and as text"
            raise InvalidDeal(f"expected {wanted}, got others")
    return north, east, south, west
