"""Seats round the table, dealer-relative seats and vulnerability."""

from enum import IntEnum

from .errors import InvalidDeal

SEATS = "NESW"
"""Seat letters in turn order; a seat's code is its position here."""


class Seat(IntEnum):
    """A compass seat; codes follow the turn order.

    North is 0 and so false: test for ``is None``, not for truth.

    Examples
    --------
    >>> Seat.EAST.letter, int(Seat.WEST)
    ('E', 3)
    """

    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3

    @property
    def letter(self) -> str:
        """``N``, ``E``, ``S`` or ``W``."""
        return SEATS[self]


class Vulnerability(IntEnum):
    """Who is vulnerable; bit 0 is North-South, bit 1 is East-West.

    Examples
    --------
    >>> Vulnerability.EW.text, is_vulnerable(Vulnerability.EW, Seat.NORTH)
    ('EW', False)
    """

    NONE = 0
    NS = 1
    EW = 2
    BOTH = 3

    @property
    def text(self) -> str:
        """``None``, ``NS``, ``EW`` or ``Both`` as deal frames and answers write it."""
        return VULNERABILITIES[self]


VULNERABILITIES = ("None", "NS", "EW", "Both")

_SEAT_BY_TEXT = {text: seat for seat in Seat for text in (seat.letter.lower(), seat.name.lower())}


def _by_side(
    value: Vulnerability, one: str, other: str, name: str, partner: str
) -> dict[str, Vulnerability]:
    """Spellings of a side, such as ``ns``, ``N/S`` and ``South-North``."""
    texts = [one, other]
    for first, second in ((one, other), (other, one), (name, partner), (partner, name)):
        texts += [first + between + second for between in ("", "/", "-", " ", "+", "&")]
    # "we" is a word of its own: it may say who asks
    texts.remove(other + one)
    return dict.fromkeys(texts, value)


VULNERABILITY_WORDS = {
    **dict.fromkeys(
        ("none", "neither", "nobody", "nil", "no", "no one", "love", "love all", "-", "o", "0", ""),
        Vulnerability.NONE,
    ),
    **_by_side(Vulnerability.NS, "n", "s", "north", "south"),
    **_by_side(Vulnerability.EW, "e", "w", "east", "west"),
    **dict.fromkeys(
        ("both", "all", "b", "game all", "everybody", "everyone", "all vul", "both vul"),
        Vulnerability.BOTH,
    ),
}
"""Spellings of vulnerabilities, in small letters; an empty one is nobody's."""


def parse_seat(text: str) -> Seat:
    """Read a seat: ``N``, ``w``, ``North``.

    Raises
    ------
    InvalidDeal
        If the text names no seat.

    Examples
    --------
    >>> parse_seat("w").letter
    'W'
    """
    seat = _SEAT_BY_TEXT.get(text.strip().lower()) if isinstance(text, str) else None
    if seat is None:
        raise InvalidDeal(f"expected a seat (N, E, S or W), got {text!r}")
    return seat


def parse_vulnerability(text: str) -> Vulnerability:
    """Read a vulnerability in the spellings of LIN, PBN and people.

    Raises
    ------
    InvalidDeal
        If the text names no vulnerability.

    Examples
    --------
    >>> parse_vulnerability("All").text, parse_vulnerability("N/S").text
    ('Both', 'NS')
    """
    word = text.strip().lower() if isinstance(text, str) else ""
    sides = VULNERABILITY_WORDS.get(word)
    if sides is None or not word:
        raise InvalidDeal(f"expected a vulnerability (None, NS, EW or Both), got {text!r}")
    return sides


def _check_board(board: int) -> int:
    if board < 1:
        raise InvalidDeal(f"expected a board number from 1 on, got {board!r}")
    return board - 1


def board_dealer(board: int) -> Seat:
    """Dealer of a duplicate board: 1 North, 2 East, … (Laws of Duplicate Bridge, Law 2).

    Raises
    ------
    InvalidDeal
        If the board number is below 1.

    Examples
    --------
    >>> board_dealer(6).letter
    'E'
    """
    return Seat(_check_board(board) % 4)


def board_vulnerability(board: int) -> Vulnerability:
    """Vulnerability of a duplicate board, period 16 (Laws of Duplicate Bridge, Law 2).

    Raises
    ------
    InvalidDeal
        If the board number is below 1.

    Examples
    --------
    >>> [board_vulnerability(board).text for board in (1, 2, 3, 4, 5)]
    ['None', 'NS', 'EW', 'Both', 'NS']
    """
    index = _check_board(board) % 16
    return Vulnerability((index + index // 4) % 4)


def is_vulnerable(vulnerability: Vulnerability | int, seat: Seat | int) -> bool:
    """Tell whether the side of ``seat`` is vulnerable.

    Examples
    --------
    >>> is_vulnerable(Vulnerability.NS, Seat.SOUTH)
    True
    """
    return bool(int(vulnerability) >> (int(seat) & 1) & 1)


def seat_of_call(dealer: Seat | int, depth: int) -> Seat:
    """Compass seat that makes the call at ``depth`` (0 for the dealer's first call).

    Examples
    --------
    >>> seat_of_call(Seat.WEST, 2).letter
    'E'
    """
    return Seat((int(dealer) + depth) % 4)


def dealer_relative_seat(dealer: Seat | int, seat: Seat | int) -> int:
    """Place of a seat in the turn order: 1 for the dealer (first seat) to 4 (fourth seat).

    Examples
    --------
    >>> dealer_relative_seat(Seat.WEST, Seat.SOUTH)
    4
    """
    return (int(seat) - int(dealer)) % 4 + 1
