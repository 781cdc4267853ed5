r"""Deals as the program ``dealer`` prints them, and :mod:`bidcascade.inference.scenarios.actions`.

``printoneline`` has a deal a line (``n AQ4.… e … s … w …``), ``printcompact`` a line a hand;
``printall`` prints four hands beside each other, a line a suit, ``printew`` those of West and East,
and ``print(north, south)`` sheets with the hands of a seat, a number above each. Counts, means and
values stand around them. Dealer and vulnerability are not printed.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product
from math import prod
from typing import Final, NamedTuple

from bidcascade.bridge import FULL_DECK, InvalidHand, parse_hand

_RANKS: Final = "[AKQJT2-9]"
_HAND: Final = rf"(?:{_RANKS}*\.){{3}}{_RANKS}*"
_NAMED: Final = re.compile(rf"(?<![A-Z])([NESW])[ \t:]*[ \t]({_HAND})(?![.\w])", re.IGNORECASE)
_ONE_LINE: Final = re.compile(
    rf"(?<![A-Z])[NESW][ \t]+{_HAND}(?:[ \t]+[NESW][ \t]+{_HAND}){{3}}(?![.\w])", re.IGNORECASE
)
_HAND_LINE: Final = re.compile(rf"[ \t]*([NESW])[ \t]+({_HAND})[ \t]*", re.IGNORECASE)
_SUIT_LINE: Final = re.compile(rf"(?:{_RANKS}|-)(?: +(?:{_RANKS}|-))* *")
_HOLDING: Final = re.compile(rf"-(?: |$)|(?:{_RANKS}(?: |$))+")
_HEADING: Final = re.compile(r"\s*(North|East|South|West) hands:\s*")
_NUMBERS: Final = re.compile(r"\s*\d+\.(?:\s+\d+\.)*\s*")
_VALUE: Final = re.compile(r"\s*-?\d+(?:\.\d+)?\s*")
_END: Final = re.compile(
    r"^(?:Generated [\d,]+ hands|Drew [\d,]+ hands that may meet the condition"
    r"|Produced [\d,]+ hands|Initial random seed \d+|Time needed [\d. ]+sec)",
    re.MULTILINE,
)
_BLOCK: Final = re.compile(
    rf"^(?:(?:{_RANKS}|-)(?: +(?:{_RANKS}|-))* *\r?\n){{3}}"
    rf"(?:{_RANKS}|-)(?: +(?:{_RANKS}|-))* *\r?$",
    re.MULTILINE,
)
"""Four lines of single ranks."""
_HEAD_BLOCKS: Final = 20
"""Blocks of four lines that are tried to tell whether a text has diagrams."""
_WIDTH: Final = 20
_FULL_COLUMN: Final = _WIDTH // 2
"""Cards that fill a column; longer holdings run into the next one."""
_WEST_EAST: Final = (3, 1)
_SUIT: Final = 13
_MOST_WAYS: Final = 4096
"""Ways to divide four lines that are tried: of hands there are a few."""
_LONGEST: Final = 160
"""Characters of a line of holdings: four of them stand beside each other."""


class PrintedDeal(NamedTuple):
    """A deal: its first line, from 0 on, and its hands by seat, 0 for one that is not known."""

    line: int
    hands: tuple[int, int, int, int]
    text: str


class PrintedDeals(NamedTuple):
    """What is printed in a text: its deals, and the lines that are no records of their own."""

    deals: list[PrintedDeal]
    lines: set[int]
    has_end: bool = False
    """Whether the text ends as output of the program does: what else stands in it are counts."""


def may_be_printed(text: str) -> bool:
    """Whether a text has lines that :func:`printed_deals` knows, from a look at its patterns."""
    return any(one.search(text) is not None for one in (_NAMED, _END, _BLOCK))


def has_diagrams(text: str) -> bool:
    r"""Whether a text has hands beside each other, a line a suit.

    Examples
    --------
    >>> west_east = ["A K Q               J T 9"] * 3
    >>> has_diagrams("\n".join([*west_east, "8 7 6 5             A K Q J"]))
    True
    >>> has_diagrams("\n".join(["8 7 6", *west_east]))
    False
    """
    for match, _ in zip(_BLOCK.finditer(text), range(_HEAD_BLOCKS), strict=False):
        block = match[0].splitlines()
        if any(_columns(block, count) for count in range(1, 5)):
            return True
    return False


def has_sheets(head: bytes) -> bool:
    """Whether the beginning of a text has a sheet with the hands of one seat."""
    return any(_HEADING.fullmatch(line) for line in head.decode("latin-1").splitlines())


def printed_deals(text: str, lines: Sequence[str]) -> PrintedDeals:
    r"""Find the printed deals in a text, of which the lines are given as well.

    Examples
    --------
    >>> deal = "n K2.KT862.9842.76 e QJ95.QJ4.JT.KQT3 s T.A975.AK653.AJ2 w A87643.3.Q7.9854"
    >>> text = f"{deal}\nGenerated 4 hands"
    >>> found = printed_deals(text, text.splitlines())
    >>> [one.line for one in found.deals], found.has_end
    ([0], True)
    """
    found = PrintedDeals([], set(), _END.search(text) is not None)
    sheets = _Sheets()
    at = 0
    while at < len(lines):
        at += _take(lines, at, found, sheets)
    found.deals.extend(sheets.deals())
    found.deals.sort(key=lambda one: one.line)
    return found


def _take(lines: Sequence[str], at: int, found: PrintedDeals, sheets: "_Sheets") -> int:
    """Take what begins in a line; how many lines it has, 1 where it is nothing printed."""
    line = lines[at]
    if (one := _ONE_LINE.search(line)) is not None:
        named = {seat.upper(): cards for seat, cards in _NAMED.findall(one[0])}
        if len(named) == 4 and _add(found, at, line, named):
            found.lines.add(at)
        return 1
    if _HAND_LINE.fullmatch(line) is not None:
        return _take_compact(lines, at, found)
    if (heading := _HEADING.fullmatch(line)) is not None:
        sheets.seat = "NESW".index(heading[1][0])
        found.lines.add(at)
        return 1
    return _take_columns(lines, at, found, sheets)


def _take_compact(lines: Sequence[str], at: int, found: PrintedDeals) -> int:
    """Take hands in a line each, of a seat each, with the value that may stand below them."""
    named: dict[str, str] = {}
    size = 0
    for line in lines[at : at + 4]:
        hand = _HAND_LINE.fullmatch(line)
        if hand is None or hand[1].upper() in named:
            break
        named[hand[1].upper()] = hand[2]
        size += 1
    # one hand alone is no deal
    if size < 2 or not _add(found, at, "\n".join(lines[at : at + size]), named):
        return 1
    found.lines.update(range(at, at + size))
    if at + size < len(lines) and _VALUE.fullmatch(lines[at + size]) is not None:
        found.lines.add(at + size)
        size += 1
    return size


def _take_columns(lines: Sequence[str], at: int, found: PrintedDeals, sheets: "_Sheets") -> int:
    """Take hands beside each other, with their numbers above them."""
    numbers = lines[at].split() if _NUMBERS.fullmatch(lines[at]) is not None else []
    first = at + bool(numbers)
    block = lines[first : first + 4]
    if len(block) < 4 or not all(map(_SUIT_LINE.fullmatch, block)):
        return 1
    size = first + 4 - at
    if numbers and sheets.seat is not None:
        hands = _columns(block, len(numbers))
        if hands is None:
            return 1
        for place, (number, hand) in enumerate(zip(numbers, hands, strict=True)):
            sheets.add(number, hand, first + place)
    elif (whole := _columns(block, 4)) is not None and _is_deal(whole):
        north, east, south, west = whole
        found.deals.append(PrintedDeal(first, (north, east, south, west), "\n".join(block)))
    elif not numbers and (pair := _columns(block, 2)) is not None and not pair[0] & pair[1]:
        by_seat = dict(zip(_WEST_EAST, pair, strict=True))
        found.deals.append(PrintedDeal(first, (0, by_seat[1], 0, by_seat[3]), "\n".join(block)))
    else:
        return 1
    found.lines.update(range(at, at + size))
    return size


def _is_deal(hands: Sequence[int]) -> bool:
    north, east, south, west = hands
    return north | east | south | west == FULL_DECK


def _add(found: PrintedDeals, line: int, text: str, named: dict[str, str]) -> bool:
    """Add the deal of hands by seat; whether they are one."""
    hands = [0, 0, 0, 0]
    seen = 0
    for seat, cards in named.items():
        try:
            hand = parse_hand(cards)
        except InvalidHand:
            return False
        if hand & seen:
            return False
        hands["NESW".index(seat)] = hand
        seen |= hand
    if len(named) == 3:
        hands[hands.index(0)] = FULL_DECK & ~seen
    north, east, south, west = hands
    found.deals.append(PrintedDeal(line, (north, east, south, west), text))
    return True


class _Sheets:
    """Deals of sheets, each with the hands of a seat by their numbers."""

    def __init__(self) -> None:
        self.seat: int | None = None
        self._open: dict[str, list[int]] = {}
        self._lines: dict[str, int] = {}
        self._done: list[PrintedDeal] = []

    def add(self, number: str, hand: int, line: int) -> None:
        """Add a hand of the seat whose sheet it is."""
        assert self.seat is not None
        if (known := self._open.get(number)) is not None and known[self.seat] not in (0, hand):
            # the numbers begin anew with other deals
            self._close()
        self._open.setdefault(number, [0, 0, 0, 0])[self.seat] = hand
        self._lines.setdefault(number, line)

    def _close(self) -> None:
        for number, hands in self._open.items():
            if hands.count(0) == 1:
                hands[hands.index(0)] = FULL_DECK & ~sum(hands)
            north, east, south, west = hands
            self._done.append(PrintedDeal(self._lines[number], (north, east, south, west), ""))
        self._open, self._lines = {}, {}

    def deals(self) -> list[PrintedDeal]:
        """All deals so far."""
        self._close()
        return self._done


def _columns(block: Sequence[str], count: int) -> list[int] | None:
    """Hands of four lines, each of them so many holdings of a suit; None where they are none."""
    if max(map(len, block)) > _LONGEST:
        return None
    ways = [list(islice(_split(line.rstrip("\r"), 0, count), _MOST_WAYS)) for line in block]
    if prod(map(len, ways)) > _MOST_WAYS:
        return None
    for suits in product(*ways):
        hands = [".".join(holdings) for holdings in zip(*suits, strict=True)]
        try:
            return [parse_hand(hand) for hand in hands]
        except InvalidHand:
            continue
    return None


def _split(line: str, place: int, count: int) -> Iterator[list[str]]:
    """Ways to divide a line from a place on into so many holdings."""
    if not count:
        if not line[place:].strip():
            yield []
        return
    held = _HOLDING.match(line, place)
    if held is None:
        return
    cards = held[0].split()
    for size in range(min(len(cards), _SUIT), 0, -1):
        # a holding ends with its column, or runs over it and ends anywhere
        if size < len(cards) and size < _FULL_COLUMN:
            return
        if size == len(cards) and count == 1:
            yield ["".join(cards).replace("-", "")]
            continue
        behind = max(place + _WIDTH, place + 2 * size)
        for rest in _split(line, behind, count - 1):
            yield ["".join(cards[:size]).replace("-", ""), *rest]
