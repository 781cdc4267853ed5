"""The slow LIN reader: one token at a time in plain Python. It is the definition.

:func:`.lin.read_lin` gives the same frames from compiled code; the tests hold the two against
each other. LIN is the format of Bridge Base Online: ``key|value|`` tokens. What a board is: it
starts at ``qx``, or at an ``md`` that does not belong to the ``qx`` before it. Names, event and
results last from token to token; those (and vulnerability and board number) that come before a
board's first call, card or page end are the board's, later ones are for the boards that follow.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import polars as pl

from bidcascade.bridge import (
    FULL_DECK,
    SEATS,
    STRAINS,
    VULNERABILITIES,
    Auction,
    Contract,
    InvalidDeal,
    Seat,
    bid_level,
    bid_strain,
    board_dealer,
    board_vulnerability,
    cards_of,
    format_card,
    is_vulnerable,
    make_bid,
    score,
)

from .columns import UNREADABLE
from .frame import DEAL_SCHEMA, Batch, reject_frame
from .play import count_declarer_tricks

BLANKS = " \t\r\n\v\f"
"""What may stand around a key or value without meaning anything."""

DEAL_KEYS = frozenset(
    ["md", "mb", "an", "pn", "pw", "qx", "sv", "nt", "at", "pc", "mc", "pg", "ah", "vg", "rs", "st"]
)
"""Keys recognised in either case; any other key must be two lower-case letters."""

_SUITS = {letter: suit for suit, letter in enumerate("CDHS")}
_RANKS = {letter: rank for rank, letter in enumerate("23456789TJQKA")}
_LIN_DEALER = {"1": 2, "2": 3, "3": 0, "4": 1}
_SEAT_NAMES = ("South", "West", "North", "East")
_CALL = re.compile(
    r"([1-7])([CDHSN])(?:(?<=N)T)?|(PASS|P|DOUBLE|DBL|D|XX|X|REDOUBLE|RDBL|RD|R)|([!*])"
    r"|[?, \t\r\n\v\f]|(.)",
    re.IGNORECASE | re.ASCII,
)
_CARD = re.compile(r"([CDHS])(10|[2-9TJQKA])|([^ \t\r\n\v\f])", re.IGNORECASE | re.ASCII)
_BOARD = re.compile(r"(?:board)?[ \t#.:]*([oc]?)([0-9]{1,6})(?![0-9a-z])", re.IGNORECASE | re.ASCII)
_TO_UPPER = {code: code - 32 for code in range(ord("a"), ord("z") + 1)}
_NAME_COMMA = re.compile(r",(?![ ])")
_RESULT = re.compile(
    r"([1-7])(C|D|H|S|NT?)([NESW])(X{0,2})(=|[+-][0-9]{1,2})?", re.IGNORECASE | re.ASCII
)


def parse_hand_lin(text: str, seat: str) -> int:
    """Hand mask of one part of an ``md`` value, of any number of cards.

    Suit letters may come in any order, ranks too, in either case; blanks and ``-`` are skipped.

    Raises
    ------
    InvalidDeal
        If the text is no hand or holds a card twice.
    """
    mask = 0
    suit = -1
    seen: set[int] = set()
    # only ASCII letters: others must not turn into suits or ranks
    for letter in text.translate(_TO_UPPER).replace("10", "T"):
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
    """
    calls: list[tuple[int, bool]] = []
    for level, strain, word, mark, other in _CALL.findall(text):
        if level:
            calls.append((make_bid(int(level), STRAINS.index(strain.upper())), False))
        elif word:
            is_redouble = word[0] in "Rr" or word.upper() == "XX"
            calls.append((2 if is_redouble else 0 if word[0] in "Pp" else 1, False))
        elif mark and calls:
            calls[-1] = (calls[-1][0], True)
        elif mark or other:
            calls.append((UNREADABLE, False))
            break
    return calls


def parse_pc(text: str) -> list[int]:
    """Card numbers of a ``pc`` value; :data:`UNREADABLE` where the text is no card, and stop."""
    cards: list[int] = []
    for suit, rank, other in _CARD.findall(text):
        if other:
            return [*cards, UNREADABLE]
        cards.append(13 * _SUITS[suit.upper()] + _RANKS["T" if rank == "10" else rank.upper()])
    return cards


def parse_claim(text: str) -> int | None:
    """Read declarer's tricks in an ``mc`` value, ``None`` if it is not a number 0-13."""
    text = text.strip(BLANKS)
    if text.isascii() and text.isdigit() and len(text) <= 2 and int(text) <= 13:
        return int(text)
    return None


def parse_board(text: str) -> tuple[int | None, int | None]:
    """Board number and room (0 open, 1 closed) in a ``qx`` or ``ah`` value."""
    match = _BOARD.match(text.strip(BLANKS))
    if match is None or int(match[2]) == 0:
        return None, None
    return int(match[2]), {"o": 0, "c": 1}.get(match[1].lower())


def parse_sv(text: str) -> int | None:
    """Vulnerability code (0 none, 1 NS, 2 EW, 3 both) of an ``sv`` value, ``None`` if unknown."""
    text = text.strip(BLANKS).lower()
    return {"o": 0, "0": 0, "-": 0, "n": 1, "s": 1, "e": 2, "w": 2, "b": 3}.get(text[:1])


def split_names(text: str) -> list[str]:
    """Names of a ``pn`` value: four or, for two tables, eight (South West North East).

    Names may hold commas (``Harding, M``): where a split at each comma does not give four or
    eight names, only commas without a blank behind them divide.
    """
    names = text.split(",")
    if len(names) not in (4, 8):
        names = _NAME_COMMA.split(text.rstrip(BLANKS + ","))
    names = [name.strip(BLANKS) for name in names]
    wanted = 4 if len(names) <= 4 else 8
    return (names + [""] * wanted)[:wanted]


def room_names(names: list[str], room: int | None) -> list[str] | None:
    """Names of North, East, South, West in a room; ``None`` if all are empty."""
    first = 4 if room == 1 and len(names) == 8 else 0
    south, west, north, east = names[first : first + 4]
    return [north, east, south, west] if south or west or north or east else None


def split_vg(text: str) -> tuple[str, int | None]:
    """Event and first board number of a ``vg`` value.

    The value has nine fields: title, segment, scoring, first board, last board, and names and
    carry-overs of both teams; the event is title and segment as written.
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


NO_DEAL_REASON = "no md token: the board has no hands"


def tokens(text: str) -> Iterator[tuple[str, str, int, int]]:
    """Yield key, value, start of the token and end of the value; skip what is neither.

    Where a key is expected, blanks and lines that begin with ``%%`` are skipped; a piece that is
    not two letters is dropped, so that a lost or surplus ``|`` costs one token.
    """
    at = 0
    while at < len(text):
        while at < len(text) and text[at] in BLANKS:
            at += 1
        if text.startswith("%%", at):
            line_end = text.find("\n", at)
            at = len(text) if line_end < 0 else line_end
            continue
        bar = text.find("|", at)
        if bar < 0:
            return
        key = text[at:bar].rstrip(BLANKS)
        if len(key) == 2 and (
            (key.isascii() and key.isalpha() and key.islower()) or key.lower() in DEAL_KEYS
        ):
            end = text.find("|", bar + 1)
            end = len(text) if end < 0 else end
            yield key.lower(), text[bar + 1 : end], at, end
            at = end + 1
        else:
            at = bar + 1


@dataclass
class _State:
    """What lasts from board to board of one file."""

    names: list[str] | None = None
    event: str | None = None
    first_board: int | None = None
    results: list[str] = field(default_factory=list)
    board: int | None = None
    room: int | None = None
    vulnerability: int | None = None


@dataclass
class _Record:
    """One board under construction."""

    start: int
    end: int
    names: list[str] | None
    event: str | None
    first_board: int | None
    results: list[str]
    board: int | None = None
    room: int | None = None
    vulnerability: int | None = None
    deal: tuple[int, int, int, int] | None = None
    dealer: int | None = None
    problem: tuple[str, str] | None = None
    in_header: bool = True
    calls: list[int] = field(default_factory=list)
    alerts: list[bool] = field(default_factory=list)
    announcements: list[str] = field(default_factory=list)
    auction: Auction = field(default_factory=Auction)
    tail: list[int] = field(default_factory=list)
    play: list[int] = field(default_factory=list)
    play_is_broken: bool = False
    claim: int | None = None
    commentary: list[str] = field(default_factory=list)

    @property
    def has_md(self) -> bool:
        return self.deal is not None or self.problem is not None

    @property
    def is_fresh(self) -> bool:
        """Whether no call or card has come yet."""
        return not (self.calls or self.tail or self.play or self.play_is_broken)


def _finish(record: _Record) -> dict[str, Any]:
    """Row of the deal frame for a board with a deal."""
    assert record.deal is not None
    dealer, vulnerability = record.dealer, record.vulnerability
    if dealer is None:
        dealer = board_dealer(record.board) if record.board else Seat.NORTH
    if vulnerability is None:
        vulnerability = board_vulnerability(record.board) if record.board else 0
    auction = record.auction
    if record.tail:
        status = "illegal"
    elif not record.calls:
        status = "none"
    else:
        status = "complete" if auction.is_complete else "unfinished"

    bid = doubling = 0
    declarer: int | None = None
    passed_out = False
    if auction.is_complete:
        contract = Auction.of(record.calls, dealer).contract
        passed_out = contract is None
        if contract is not None:
            bid, doubling, declarer = auction.last_bid, contract.doubling, contract.declarer
    tricks = record.claim
    if bid:
        assert declarer is not None
        counted = None
        if not record.play_is_broken:
            counted = count_declarer_tricks(record.play, record.deal, declarer, bid_strain(bid))
        tricks = counted if counted is not None else tricks
    if not passed_out and (not bid or tricks is None):
        place = None
        if record.board and record.room is not None and record.first_board is not None:
            place = 2 * (record.board - record.first_board) + record.room
        if place is not None and 0 <= place < len(record.results):
            result = parse_result(record.results[place])
            if result is not None and result.bid == 0:
                passed_out = not bid
            elif result is not None and not bid:
                bid, doubling, declarer = result.bid, result.doubling, result.declarer
                tricks = result.tricks if tricks is None else tricks
            elif result is not None and (bid, declarer) == (result.bid, result.declarer):
                tricks = result.tricks

    points = None
    contract_text = None
    if passed_out:
        contract_text, points, tricks = "Pass", 0, None
    elif bid:
        assert declarer is not None
        contract = Contract(bid_level(bid), bid_strain(bid), doubling, Seat(declarer))
        contract_text = contract.name
        if tricks is not None:
            sign = 1 if declarer % 2 == 0 else -1
            vulnerable = is_vulnerable(vulnerability, declarer)
            points = sign * score(contract, tricks, vulnerable=vulnerable)
    north, east, south, west = record.deal
    return {
        "north": north, "east": east, "south": south, "west": west,
        "dealer": SEATS[dealer], "vulnerability": VULNERABILITIES[vulnerability],
        "board": record.board,
        "room": None if record.room is None else ("open", "closed")[record.room],
        "auction": record.calls, "auction_status": status,
        "illegal_call": len(record.calls) if record.tail else None,
        "illegal_tail": record.tail, "announcements": record.announcements,
        "alerts": record.alerts, "commentary": record.commentary,
        "contract": contract_text,
        "declarer": None if declarer is None else SEATS[declarer],
        "tricks": tricks, "score": points, "play": record.play,
        "players": None if record.names is None else room_names(record.names, record.room),
        "event": record.event or None,
    }  # fmt: skip


def read_lin_reference(text: str, source: str = "", encoding: str = "utf-8") -> Batch:
    """Deal and rejects frames of LIN text, slowly.

    Parameters
    ----------
    text : str
        One LIN file, decoded.
    source, encoding : str
        What to write in the columns of those names.

    Examples
    --------
    >>> text = "md|3SAKQJT98765432HDC,SHAKQJT98765432DC,SHDAKQJT98765432C,|mb|7S|mb|p|"
    >>> read_lin_reference(text).deals["auction"].to_list()
    [[36, 0]]
    """
    rows: list[dict[str, Any]] = []
    rejects: list[tuple[str, int | None, str, str]] = []
    state = _State()
    record: _Record | None = None
    count = 0

    def close(end: int) -> None:
        nonlocal record, count
        if record is None:
            return
        count += 1
        if record.deal is not None:
            row = _finish(record)
            rows.append({**row, "source": source, "record": count, "encoding": encoding})
        else:
            reason, quoted = record.problem or (
                NO_DEAL_REASON, text[record.start : end].strip(BLANKS),
            )  # fmt: skip
            rejects.append((source, count, reason, quoted))
        record = None

    def new_record(start: int, end: int) -> _Record:
        return _Record(start, end, state.names, state.event, state.first_board, state.results)

    for key, value, start, end in tokens(text):
        if key == "qx":
            close(start)
            record = new_record(start, end)
            record.board, record.room = parse_board(value)
            state.board = state.room = state.vulnerability = None
        elif key == "md":
            if record is not None and record.has_md and record.is_fresh and "," not in value:
                continue
            if record is None or record.has_md or not record.is_fresh:
                close(start)
                record = new_record(start, end)
                record.board, record.room = state.board, state.room
                record.vulnerability = state.vulnerability
                state.board = state.room = state.vulnerability = None
            record.in_header = True
            try:
                record.deal, record.dealer = parse_md(value)
            except InvalidDeal as error:
                record.problem = (str(error), value.strip(BLANKS))
        elif key in ("pn", "pw"):
            state.names = split_names(value)
            if record is not None and record.in_header:
                record.names = state.names
        elif key == "vg":
            state.event, state.first_board = split_vg(value)
            state.results = []
            if record is not None and record.in_header:
                record.event, record.first_board = state.event, state.first_board
                record.results = []
        elif key == "rs":
            state.results = value.split(",")
            if record is not None and record.in_header:
                record.results = state.results
        elif key == "sv":
            if record is not None and record.in_header:
                record.vulnerability = parse_sv(value)
            else:
                state.vulnerability = parse_sv(value)
        elif key == "ah":
            board, room = parse_board(value)
            if board is None:
                continue
            if record is not None and record.in_header:
                record.board = board
                record.room = room if record.room is None else record.room
            else:
                state.board, state.room = board, room
        elif record is None:
            continue
        elif key == "mb":
            record.in_header = False
            _add_calls(record, value)
        elif key == "an":
            announced = value.replace("\r", "").replace("\n", "").strip(BLANKS)
            if not announced or record.tail:
                continue
            if not record.calls:
                record.commentary.append(announced)
            else:
                before = record.announcements[-1]
                record.announcements[-1] = f"{before}; {announced}" if before else announced
        elif key in ("nt", "at"):
            if value.strip(BLANKS):
                record.commentary.append(value.strip(BLANKS))
        elif key == "pc":
            record.in_header = False
            for card in parse_pc(value):
                if card == UNREADABLE or record.play_is_broken:
                    record.play_is_broken = True
                    break
                record.play.append(card)
        elif key == "mc":
            record.in_header = False
            claim = parse_claim(value)
            record.claim = record.claim if claim is None else claim
        elif key == "pg":
            record.in_header = False
    close(len(text))
    return Batch(
        pl.DataFrame(rows, schema=DEAL_SCHEMA),
        reject_frame(rejects),
    )


def _add_calls(record: _Record, value: str) -> None:
    """Add the calls of an ``mb`` value to the legal part or, once one is illegal, to the tail."""
    for call, alert in parse_mb(value):
        if record.tail or call == UNREADABLE or not record.auction.is_legal(call):
            record.tail.append(call)
        else:
            record.auction = record.auction.add(call)
            record.calls.append(call)
            record.alerts.append(alert)
            record.announcements.append("")
