"""Links of the page (``#n=…&dealer=S&auction=1D-P``), turned into LIN.

What the page shows stands behind ``#`` in its address: hands ``n e s w``, ``dealer``, ``vul`` and
``auction``; or in ``ask`` the board of a game (``view=bid``, ``view=cards``) or the hands of a
practice set or a handout. ``state.js``, ``board_code.js``, ``practice_sets.js`` and
``handout_code.js`` of the page write them, and its ``page_links.js`` reads them as this does.
"""

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, unquote_to_bytes

from bidcascade.bridge import Auction, IllegalCall, InvalidDeal, parse_calls, parse_vulnerability

_NAMES: Final = rb"[nesw]|dealer|vul|auction|at|table|view|eyes|with|ask"
_START: Final = re.compile(
    rb"#(?=(?:%b)=)|(?P<encoded>(?:#|%%23)(?=(?:%b)%%3D))" % (_NAMES, _NAMES), re.IGNORECASE
)
_BARE: Final = re.compile(rb"[^\s\"'<>]*")
_BARE_ENCODED: Final = re.compile(rb"[^\s\"'<>&]*")
_NEXT_LINE: Final = re.compile(
    rb"\r?\n[> \t]*((?:[\w.!+-]*[&=%~])+[\w.!+-]*)(?=[ \t]*(?:[\r\n]|\Z))"
)
"""The rest of a link that a mail has broken: a line of nothing else."""
_MOST_LINES: Final = 20
_BOARD: Final = re.compile(rb"(?:\A|&)(?:[nesw]|ask)=[^&]")
_LAST_HAND: Final = re.compile(rb"(?:\A|&)[nesw]=([^&]*)\Z")
_STOPS: Final = b".,;:?!)]}"
_SUITS: Final = "SHDC"
_RANKS: Final = "AKQJT98765432"
_DEALERS: Final = {"S": "1", "W": "2", "N": "3", "E": "4"}
_SIDES: Final = ("o", "n", "e", "b")
_CODE_BYTES: Final = 14
_MOST_HANDS: Final = 64
_CALLS: Final = (
    "P",
    "X",
    "XX",
    *(f"{level}{strain}" for level in range(1, 8) for strain in "CDHSN"),
)
_SEATS: Final = "NESW"
_WHOLE: Final = 16
_DEAL_BYTES: Final = 13
_HAND_BYTES: Final = 7


class PageLink(NamedTuple):
    """A link of the page: its place in a text, and its parameters as they stand."""

    start: int
    query: bytes


def page_links(data: bytes) -> Iterator[PageLink]:
    """Give the links of the page in a text that name a board, in order.

    A link may be percent-encoded as a whole (as in links that a mail service has wrapped), broken
    over lines, or followed by what ends a sentence.

    Examples
    --------
    >>> text = b"See <http://127.0.0.1:8000/#n=K2.A43.KQ876.432&dealer=S>."
    >>> [link.query for link in page_links(text)]
    [b'n=K2.A43.KQ876.432&dealer=S']
    """
    end = 0
    while (match := _START.search(data, end)) is not None:
        is_encoded = match["encoded"] is not None
        form = _BARE_ENCODED if is_encoded else _BARE
        bare = form.match(data, match.end())
        assert bare is not None
        query, end = bare[0], bare.end()
        for _ in range(0 if is_encoded else _MOST_LINES):
            more = _NEXT_LINE.match(data, end)
            if more is None:
                break
            query, end = query + more[1], more.end(1)
        if is_encoded:
            query = unquote_to_bytes(query)
        query = _without_stops(query.replace(b"&amp;", b"&"))
        if _BOARD.search(query) is not None:
            yield PageLink(match.start(), query)


def _without_stops(query: bytes) -> bytes:
    """Take away what ends the sentence or the brackets that a link stands in."""
    kept = query.rstrip(_STOPS)
    # the stops of a hand without clubs are its own
    hand = _LAST_HAND.search(kept)
    if hand is not None and (lacking := 3 - hand[1].count(b".")) > 0:
        stops = query[len(kept) : len(kept) + lacking]
        kept += stops[: len(stops) - len(stops.lstrip(b"."))]
    return kept


def page_boards(query: bytes) -> Iterator[str]:
    """Give the boards of a link's parameters as LIN.

    Examples
    --------
    >>> list(page_boards(b"n=K2.A43.KQ876.432&dealer=S&vul=NS&auction=1D-P"))
    ['md|1,,SK2HA43DKQ876C432,|sv|n|mb|1D|mb|P|pg||']
    """
    values: dict[str, str] = {}
    for name, value in parse_qsl(query.decode("utf-8", "replace"), keep_blank_values=True):
        # a bar would end the LIN value
        values.setdefault(name.lower(), value.replace("|", "/"))
    view, asked = values.get("view", ""), values.get("ask", "")
    if view in ("practice", "handout") and asked:
        yield from _questions(asked)
        return
    if view in ("bid", "play", "cards") and asked:
        code, _, rest = asked.partition("~")
        dealt = _dealt(code)
        # the reader of LIN says of what is no code that it is no hand
        hands, dealer, sides = dealt or (["", "", asked, ""], "N", "None")
        yield _lin(hands, dealer, sides, rest.partition("~")[0])
        return
    hands = [values.get(seat, "") for seat in "nesw"]
    if any(hands):
        dealer = values.get("dealer", "N").upper()
        yield _lin(hands, dealer, values.get("vul", "None"), values.get("auction", ""))


def _lin(hands: list[str], dealer: str, sides: str, auction: str) -> str:
    written = ",".join(map(_hand, (hands[2], hands[3], hands[0], hands[1])))
    calls = "".join(f"mb|{call}|" for call in auction.split("-") if call)
    # as the page: North deals where no seat is named
    return f"md|{_DEALERS.get(dealer, '3')}{written}|sv|{_sides(sides)}|{calls}pg||"


def _sides(text: str) -> str:
    try:
        return _SIDES[parse_vulnerability(text.strip())]
    except InvalidDeal:
        # what names no side is told by the reader of LIN
        return text.strip().lower()


def _hand(text: str) -> str:
    suits = text.split(".")
    # what is no hand is told by the reader of LIN; a comma would shift the hands
    if len(suits) != len(_SUITS):
        return text.replace(",", "/")
    return "".join(suit + cards for suit, cards in zip(_SUITS, suits, strict=True))


def _dealt(code: str) -> tuple[list[str], str, str] | None:
    """Hands, dealer and sides of a board's code: two bits a card, then a byte for the rest."""
    packed = _unpacked(code[1:])
    if packed is None or code[:1] != "1" or len(packed) != _CODE_BYTES or packed[-1] > 63:
        return None
    hands = _owned(packed)
    dealer = "NESW"[packed[-1] & 3]
    return hands, dealer, _SIDES[packed[-1] >> 2 & 3]


def _unpacked(text: str) -> bytes | None:
    """Bytes of a text in base 64 for addresses, without its padding."""
    whole = text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4)
    try:
        return base64.b64decode(whole, validate=True)
    except (binascii.Error, ValueError):
        return None


def _owned(packed: bytes) -> list[str]:
    """Hands of two bits a card for its owner."""
    hands = [["", "", "", ""] for _ in range(4)]
    for place in range(52):
        owner = packed[place >> 2] >> (2 * (place & 3)) & 3
        hands[owner][place // 13] += _RANKS[place % 13]
    return [".".join(hand) for hand in hands]


def _questions(asked: str) -> Iterator[str]:
    """Boards of a practice set: a hand each, with the calls before its own."""
    version, _, rest = asked.partition("!")
    if version == "2":
        yield from _handout(rest)
    if version != "1":
        return
    for question in rest.split("!")[1 : _MOST_HANDS + 1]:
        auction, dealer, sides, hand = (*question.split("~"), "", "", "", "")[:4]
        if dealer not in _DEALERS:
            continue
        calls = sum(map(bool, auction.split("-")))
        hands = ["", "", "", ""]
        hands["NESW".index(dealer) + calls & 3] = hand
        yield _lin(hands, dealer, sides, auction)


def _handout(text: str) -> Iterator[str]:
    """Boards of a handout; none of one that is broken, which the page does not open either."""
    fields = text.split("!")
    packed = _unpacked(fields[3]) if len(fields) == 4 else None
    if not packed or not fields[1] or fields[2] not in ("shipped", "own"):
        return
    boards: list[str] = []
    at = 0
    while at < len(packed):
        head, count = (*packed[at : at + 2], 0)[:2]
        at += 2
        calls = packed[at : at + count]
        size = _DEAL_BYTES if head & _WHOLE else _HAND_BYTES
        cards = packed[at + count : at + count + size]
        at += count + size
        if head >= 2 * _WHOLE or len(cards) != size or any(one >= len(_CALLS) for one in calls):
            return
        seat = (head + count) & 3
        hands = _owned(cards) if head & _WHOLE else ["", "", "", ""]
        if not head & _WHOLE:
            hands[seat] = _held(cards)
        if any(len(hand) != 16 for hand in hands if hand):
            return
        auction = [_CALLS[one] for one in calls]
        if not _is_open(auction) or len(boards) == _MOST_HANDS:
            return
        boards.append(_lin(hands, _SEATS[head & 3], _SIDES[head >> 2 & 3], "-".join(auction)))
    yield from boards


def _held(packed: bytes) -> str:
    """Give the hand of a bit a card."""
    suits = ["", "", "", ""]
    for place in range(52):
        if packed[place >> 3] >> (place & 7) & 1:
            suits[place // 13] += _RANKS[place % 13]
    return ".".join(suits)


def _is_open(calls: list[str]) -> bool:
    """Whether an auction is legal and goes on."""
    try:
        return not Auction.of(parse_calls(" ".join(calls))).is_complete
    except IllegalCall:
        return False
