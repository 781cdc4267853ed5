"""The values inside LIN tokens, one small parser each: deals, calls, cards, names, results.

LIN is the format of Bridge Base Online: ``key|value|`` tokens. Keys are two letters; those
that mean something for a deal are listed in :data:`DEAL_KEYS`.
"""

import re
from typing import NamedTuple

from bidcascade.bridge import FULL_DECK, InvalidDeal, cards_of, format_card

BLANKS = " \t\r\n\v\f"
"""What may stand around a key or value without meaning anything."""

DEAL_KEYS = frozenset(
    ["md", "mb", "an", "pn", "pw", "qx", "sv", "nt", "at", "pc", "mc", "pg", "ah", "vg", "rs", "st"]
)
"""Keys recognised in either case; any other key must be two lower-case letters."""

UNREADABLE = 255
"""Stands in ``illegal_tail`` for a call whose text could not be read."""

_SUITS = {letter: suit for suit, letter in enumerate("CDHS")}
_RANKS = {letter: rank for rank, letter in enumerate("23456789TJQKA")}
_LIN_DEALER = {"1": 2, "2": 3, "3": 0, "4": 1}
_SEAT_NAMES = ("South", "West", "North", "East")
_CALL_WORDS = (
    ("PASS", 0), ("P", 0), ("DOUBLE", 1), ("DBL", 1), ("D", 1), ("XX", 2), ("X", 1),
    ("REDOUBLE", 2), ("RDBL", 2), ("RD", 2), ("R", 2),
)  # fmt: skip
_BOARD = re.compile(r"(?:board)?[ \t#.:]*([oc]?)([0-9]{1,6})(?![0-9a-z])", re.IGNORECASE | re.ASCII)
_TO_UPPER = {code: code - 32 for code in range(ord("a"), ord("z") + 1)}
_NAME_COMMA = re.compile(r",(?![ ])")
_RESULT = re.compile(
    r"([1-7])(C|D|H|S|NT?)([NESW])(X{0,2})(=|[+-][0-9]{1,2})?", re.IGNORECASE | re.ASCII
)


def _ascii_upper(text: str) -> str:
    """Upper case of ASCII letters only: other letters must not turn into suits or ranks."""
    return text.translate(_TO_UPPER)


def parse_hand_lin(text: str, seat: str) -> int:
    """Hand mask of one part of an ``md`` value, of any number of cards.

    Suit letters may come in any order, ranks too, in either case; blanks and ``-`` are skipped.

    Raises
    ------
    InvalidDeal
        If the text is no hand or holds a card twice.

    Examples
    --------
    >>> parse_hand_lin("S10H", "South") == 1 << 13 * 3 + 8
    True
    """
    mask = 0
    suit = -1
    seen: set[int] = set()
    upper = _ascii_upper(text).replace("10", "T")
    for letter in upper:
        if letter in BLANKS or letter == "-":
            continue
        if letter in _SUITS:
            suit = _SUITS[letter]
            if suit in seen:
                raise InvalidDeal(f"suit {letter} comes twice in {seat}'s hand {text!r}")
            seen.add(suit)
            continue
        rank = _RANKS.get(letter)
        if rank is None or suit < 0:
            raise InvalidDeal(
                f"expected suit letters and ranks, got {letter!r} in {seat}'s hand {text!r}"
            )
        bit = 1 << 13 * suit + rank
        if mask & bit:
            card = format_card(13 * suit + rank)
            raise InvalidDeal(f"duplicate card: {card} is twice in {seat}'s hand {text!r}")
        mask |= bit
    return mask


def parse_md(text: str) -> tuple[tuple[int, int, int, int], int | None]:
    """Hand masks (N E S W) and dealer (``None`` if not given) of an ``md`` value.

    The value is a dealer digit (1 South, 2 West, 3 North, 4 East) and the hands of South, West,
    North and East; one hand may be left out.

    Raises
    ------
    InvalidDeal
        If it is not four hands of 13 different cards; the message quotes what is wrong.

    Examples
    --------
    >>> hands, dealer = parse_md("3SAKQJT98765432HDC,SHAKQJT98765432DC,SHDAKQJT98765432C,")
    >>> dealer, hands[1].bit_count()
    (0, 13)
    """
    text = text.strip(BLANKS)
    if not text:
        raise InvalidDeal("expected four hands, got an empty md value")
    body = text
    dealer = None
    if text[0] in "01234":
        dealer = _LIN_DEALER.get(text[0])
        body = text[1:]
    parts = body.split(",")
    if any(part.strip(BLANKS) for part in parts[4:]):
        raise InvalidDeal(f"expected four hands, got {len(parts)} in {text!r}")
    hands = [parse_hand_lin(part, seat) for part, seat in zip(parts, _SEAT_NAMES, strict=False)]
    hands += [0] * (4 - len(hands))
    rest = FULL_DECK
    for hand in hands:
        if hand & ~rest:
            card = format_card(next(cards_of(hand & ~rest)))
            raise InvalidDeal(f"duplicate card: {card} is in two hands of {text!r}")
        rest &= ~hand
    missing = [seat for seat, hand in enumerate(hands) if not hand]
    for seat, hand in enumerate(hands):
        if hand and hand.bit_count() != 13:
            raise InvalidDeal(
                f"expected 13 cards, got {hand.bit_count()} in {_SEAT_NAMES[seat]}'s hand "
                f"{parts[seat]!r}"
            )
    if len(missing) > 1:
        raise InvalidDeal(
            f"expected four hands, or three of 13 cards, got {4 - len(missing)} in {text!r}"
        )
    if missing:
        hands[missing[0]] = rest
    south, west, north, east = hands
    return (north, east, south, west), dealer


def parse_mb(text: str) -> list[tuple[int, bool]]:
    """Read the calls of an ``mb`` value with their alert marks; several may be packed (``1nppp``).

    ``!`` and ``*`` behind a call alert it; ``?`` (a quiz mark), commas and blanks are skipped.
    Text that is no call gives :data:`UNREADABLE` and ends the value.

    Examples
    --------
    >>> parse_mb("1n!pp?P")
    [(7, True), (0, False), (0, False), (0, False)]
    """
    calls: list[tuple[int, bool]] = []
    upper = _ascii_upper(text)
    at = 0
    while at < len(upper):
        letter = upper[at]
        if letter in BLANKS or letter in "?,":
            at += 1
            continue
        if letter in "!*" and calls:
            calls[-1] = (calls[-1][0], True)
            at += 1
            continue
        if letter in "1234567" and upper[at + 1 : at + 2] in tuple("CDHSN"):
            strain = "CDHSN".index(upper[at + 1])
            calls.append((3 + 5 * (int(letter) - 1) + strain, False))
            at += 2
            if strain == 4 and upper[at : at + 1] == "T":
                at += 1
            continue
        for word, code in _CALL_WORDS:
            if upper.startswith(word, at):
                calls.append((code, False))
                at += len(word)
                break
        else:
            calls.append((UNREADABLE, False))
            break
    return calls


def parse_pc(text: str) -> list[int]:
    """Card numbers of a ``pc`` value; :data:`UNREADABLE` where the text is no card, and stop.

    Examples
    --------
    >>> parse_pc("c10 SA"), parse_pc("zz")
    ([8, 51], [255])
    """
    cards: list[int] = []
    upper = _ascii_upper(text)
    at = 0
    while at < len(upper):
        if upper[at] in BLANKS:
            at += 1
            continue
        suit = _SUITS.get(upper[at])
        rank_text = "T" if upper[at + 1 : at + 3] == "10" else upper[at + 1 : at + 2]
        rank = _RANKS.get(rank_text)
        if suit is None or rank is None:
            cards.append(UNREADABLE)
            break
        cards.append(13 * suit + rank)
        at += 3 if upper[at + 1] == "1" else 2
    return cards


def parse_claim(text: str) -> int | None:
    """Read declarer's tricks in an ``mc`` value, ``None`` if it is not a number 0-13."""
    text = text.strip(BLANKS)
    if text.isascii() and text.isdigit() and len(text) <= 2 and int(text) <= 13:
        return int(text)
    return None


def parse_board(text: str) -> tuple[int | None, int | None]:
    """Board number and room (0 open, 1 closed) in a ``qx`` or ``ah`` value.

    Examples
    --------
    >>> parse_board("c12"), parse_board("Board 7"), parse_board("Segment 3")
    ((12, 1), (7, None), (None, None))
    """
    match = _BOARD.match(text.strip(BLANKS))
    if match is None or int(match[2]) == 0:
        return None, None
    return int(match[2]), {"o": 0, "c": 1}.get(match[1].lower())


def parse_sv(text: str) -> int | None:
    """Vulnerability code (0 none, 1 NS, 2 EW, 3 both) of an ``sv`` value, ``None`` if unknown.

    Examples
    --------
    >>> [parse_sv(text) for text in ("o", "0", "N", "e", "b", "?", "")]
    [0, 0, 1, 2, 3, None, None]
    """
    text = text.strip(BLANKS).lower()
    return {"o": 0, "0": 0, "-": 0, "n": 1, "s": 1, "e": 2, "w": 2, "b": 3}.get(text[:1])


def split_names(text: str) -> list[str]:
    """Names of a ``pn`` value: four or, for two tables, eight (South West North East).

    Names may hold commas (``Harding, M``): where a split at each comma does not give four or
    eight names, only commas without a blank behind them divide.

    Examples
    --------
    >>> split_names("Kim,Lee,Harding, M,Roe")
    ['Kim', 'Lee', 'Harding, M', 'Roe']
    """
    names = text.split(",")
    if len(names) not in (4, 8):
        names = _NAME_COMMA.split(text.rstrip(BLANKS + ","))
    names = [name.strip(BLANKS) for name in names]
    wanted = 4 if len(names) <= 4 else 8
    return (names + [""] * wanted)[:wanted]


def room_names(names: list[str], room: int | None) -> list[str] | None:
    """Names of North, East, South, West in a room; ``None`` if all are empty.

    Examples
    --------
    >>> room_names(["s", "w", "n", "e"], None)
    ['n', 'e', 's', 'w']
    """
    first = 4 if room == 1 and len(names) == 8 else 0
    south, west, north, east = names[first : first + 4]
    return [north, east, south, west] if south or west or north or east else None


def split_vg(text: str) -> tuple[str, int | None]:
    """Event and first board number of a ``vg`` value.

    The value has nine fields: title, segment, scoring, first board, last board, and names and
    carry-overs of both teams; the event is title and segment as written.

    Examples
    --------
    >>> split_vg("Spring Cup,Round 2,I,9,16,Reds,0,Blues,3")
    ('Spring Cup,Round 2', 9)
    """
    fields = text.rsplit(",", 7)
    if len(fields) < 8:
        return text.strip(BLANKS + ","), None
    first = fields[2].strip(BLANKS)
    number = int(first) if first.isascii() and first.isdigit() and len(first) <= 6 else None
    return fields[0].strip(BLANKS + ","), number


class Result(NamedTuple):
    """One entry of an ``rs`` value; ``bid`` 0 is a passed-out board."""

    bid: int
    doubling: int
    declarer: int | None
    tricks: int | None


def parse_result(text: str) -> Result | None:
    """Contract, declarer and tricks of an ``rs`` entry; ``None`` if it is empty or unreadable.

    The tricks may be left out (``4SN``), then they are ``None``.

    Examples
    --------
    >>> parse_result("4SNx-1")
    Result(bid=21, doubling=1, declarer=0, tricks=9)
    """
    text = text.strip(BLANKS)
    if text.upper() in ("P", "PASS"):
        return Result(0, 0, None, None)
    match = _RESULT.fullmatch(text)
    if match is None:
        return None
    level = int(match[1])
    tricks: int | None = None
    if match[5] is not None:
        tricks = level + 6 + (0 if match[5] == "=" else int(match[5]))
        if not 0 <= tricks <= 13:
            return None
    bid = 3 + 5 * (level - 1) + "CDHSN".index(match[2][0].upper())
    return Result(bid, len(match[4]), "NESW".index(match[3].upper()), tricks)
