r"""Records of machines that deal cards (``.dup``, ``.bri``, ``.dge``).

A record of ``.dup`` has 156 bytes: the cards of North, East and South as numbers from 01 to 52 (78
bytes: the ace of spades first, the two of clubs last), the cards of all four hands as text from
North on (68 bytes: behind the signs 06, 03, 04 and 05 those of spades, hearts, diamonds and clubs),
and ten bytes for the machine. They say whether the hands are random and whether boards are counted
backwards (``Y`` or ``N``), and have the lowest board of the set, how many copies, and the highest
board. Some programs leave them out. A record of ``.bri`` has the numbers alone, one of ``.dge`` the
text alone, both filled up with blanks and zeros to 128 bytes. There boards are numbered from 1 on.
"""

import re
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from bidcascade.bridge import (
    FULL_DECK,
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
_BETWEEN: Final = b"\r\n\x00\x1a"
_BOARD_SET: Final = re.compile(
    rb"[YN](?P<backwards>[YN])(?P<low>[ 0-9]{3})[ 0-9]{2}(?P<high>[ 0-9]{3})"
)
_SUITS: Final = re.compile(rb"[\x03-\x05]")
_AS_LETTERS: Final = re.compile(rb"[\r\n]*[0-9]{78}(?:\xe2\x99\xa0|S)")
_PICTURES: Final = {"\u2660": b"S", "\u2665": b"H", "\u2666": b"D", "\u2663": b"C"}
_SIGN_OF_LETTER: Final = bytes.maketrans(b"SHDC", b"\x06\x03\x04\x05")
_SHOWN: Final = str.maketrans("\x06\x03\x04\x05", "SHDC")


class _Layout(NamedTuple):
    """How a file's records are made, and how the first one begins."""

    begins: re.Pattern[bytes]
    size: int
    numbers: int
    """Bytes of the cards as numbers, and of the cards as text."""
    text: int


_BOTH: Final = rb"[\r\n]*[0-9]{78}\x06[AKQJT2-9\x03-\x06]{67}"
_LAYOUTS: Final = (
    _Layout(re.compile(_BOTH + rb"(?=[0-9]{10}|[\r\n\x1a]|\Z)"), _NUMBERS + _TEXT, _NUMBERS, _TEXT),
    _Layout(re.compile(_BOTH), _NUMBERS + _TEXT + 10, _NUMBERS, _TEXT),
    _Layout(re.compile(rb"[\r\n]*[0-9]{78}[ \x00]{50}"), 128, _NUMBERS, 0),
    _Layout(re.compile(rb"[\r\n]*\x06[AKQJT2-9\x03-\x06]{67}[ \x00]{60}"), 128, 0, _TEXT),
)


def holds_machine_records(head: bytes) -> bool:
    """Whether a file begins as such records do.

    Examples
    --------
    >>> holds_machine_records(b"0104")
    False
    """
    return _layout_of(_with_signs(head)) is not None


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
        A board a record, with the number that its set gives it, from which dealer and
        vulnerability follow.

    Examples
    --------
    >>> read_machine_records(b"0104").rejects["reason"].to_list()
    ['expected a record of 156 bytes, got 4']
    """
    data = _with_signs(data)
    layout = _layout_of(data) or _LAYOUTS[1]
    deals: list[tuple[int, ...]] = []
    records: list[int] = []
    numbers: list[int] = []
    rejects: list[tuple[str, int | None, str, str]] = []
    numbering = _Numbering()
    at = record = 0
    while True:
        while at < len(data) and data[at] in _BETWEEN:
            at += 1
        if at >= len(data):
            break
        part = data[at : at + layout.size]
        at += layout.size
        record += 1
        number = numbering.next(part[_NUMBERS + _TEXT :] if layout.numbers and layout.text else b"")
        try:
            deals.append(_hands(part, layout))
            records.append(record)
            numbers.append(number)
        except (InvalidDeal, InvalidHand) as error:
            text = part.decode("latin-1").translate(_SHOWN)[:QUOTED]
            rejects.append((source, record, str(error), text))
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
            "record": pl.Series(records, dtype=pl.UInt32),
            "encoding": pl.Series(["utf-8"] * len(deals), dtype=pl.String),
        }
    )
    return Batch(frame, listed_rejects(reject_frame(rejects)))


def _with_signs(data: bytes) -> bytes:
    """Put the signs of the suits back where a program has made letters or pictures of them."""
    if _AS_LETTERS.match(data) is None:
        return data
    for picture, letter in _PICTURES.items():
        data = data.replace(picture.encode(), letter)
    return data.translate(_SIGN_OF_LETTER)


def _layout_of(head: bytes) -> _Layout | None:
    return next((one for one in _LAYOUTS if one.begins.match(head) is not None), None)


class _Numbering:
    """Numbers of boards: a set goes on where its boards did, another one begins anew."""

    def __init__(self) -> None:
        self._set: tuple[bytes, ...] = ()
        self._place = -1

    def next(self, machine: bytes) -> int:
        """Give the number of the next board, by the bytes for the machine that it has."""
        found = _BOARD_SET.fullmatch(machine)
        stated = () if found is None else found.groups()
        self._place = self._place + 1 if stated == self._set else 0
        self._set = stated
        if found is None:
            return self._place + 1
        low = int(found["low"].strip() or 1) or 1
        high = int(found["high"].strip() or 0)
        if found["backwards"] == b"Y" and high - self._place >= low:
            return high - self._place
        return low + self._place


def _hands(record: bytes, layout: _Layout) -> tuple[int, int, int, int]:
    """Hands of a record, which may state those of three seats twice."""
    if len(record) < layout.numbers + layout.text:
        raise InvalidDeal(f"expected a record of {layout.size} bytes, got {len(record)}")
    counted = record[: layout.numbers]
    text = record[layout.numbers : layout.numbers + layout.text]
    if not layout.text:
        north, east, south = _counted_hands(counted)
        if north | east | south != north + east + south:
            raise InvalidDeal("expected each card in one hand, got some in two")
        return north, east, south, FULL_DECK & ~(north | east | south)
    hands = text.split(b"\x06")
    if hands[0] or len(hands) != 5:
        raise InvalidDeal(f"expected the spades of four hands, got those of {len(hands) - 1}")
    dotted = [_SUITS.sub(b".", one).decode("latin-1") for one in hands[1:]]
    deal = parse_deal(f"N:{' '.join(dotted)}").hands
    for seat, counted_hand in enumerate(_counted_hands(counted)):
        if counted_hand != deal[seat]:
            wanted = f"the same cards of {SEATS[seat]} as numbers and as text"
            raise InvalidDeal(f"expected {wanted}, got others")
    return deal


def _counted_hands(numbers: bytes) -> list[int]:
    """Hands of cards that are numbered; none of none."""
    if numbers and not numbers.isdigit():
        raise InvalidDeal(f"expected {_NUMBERS} digits, got {numbers.decode('latin-1')!r:.40}")
    hands = []
    for begin in range(0, len(numbers), 26):
        cards = {int(numbers[at : at + 2]) for at in range(begin, begin + 26, 2)}
        hand = sum(1 << 52 - card for card in cards if 0 < card <= 52)
        if hand.bit_count() != 13:
            raise InvalidDeal(f"expected 13 cards numbered from 01 to 52, got {hand.bit_count()}")
        hands.append(hand)
    return hands
