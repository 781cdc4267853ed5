"""The slow LIN reader: one token at a time in plain Python. It is the definition.

LIN is the format of Bridge Base Online: ``key|value|`` tokens with keys of two letters.
:func:`bidcascade.loaders.lin.lin.read_lin` gives the same frames by the core; the tests hold
the two against each other. What a board is: it starts at ``qx``, or at an ``md`` that does
not belong to the ``qx`` before it. Names, event and results last from token to token; those (and
vulnerability and board number) that come before a board's first call, card or page end are the
board's, later ones are for the boards that follow.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from bidcascade.bridge import (
    FULL_DECK,
    SEATS,
    VULNERABILITIES,
    VULNERABILITY_WORDS,
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
    score,
)
from bidcascade.loaders.frames.frame import (
    DEAL_SCHEMA,
    UNREADABLE,
    Batch,
    is_alert_alone,
    play_remark,
    reader_remark,
    reject_frame,
)
from bidcascade.loaders.frames.play import declarer_tricks
from bidcascade.loaders.limits import LONGEST_RECORD, MOST_TOKENS

NO_DEAL_REASON = "no md token: the board has no hands"
TOO_LONG = f"expected a record of at most {LONGEST_RECORD:,} bytes, got more"
TOO_MANY = f"expected at most {MOST_TOKENS:,} tokens in a record, got more"

BLANKS = " \t\r\n\v\f"
"""What may stand around a key or value without meaning anything."""

DEAL_KEYS = (
    "md",
    "mb",
    "an",
    "pn",
    "pw",
    "qx",
    "sv",
    "nt",
    "at",
    "pc",
    "mc",
    "pg",
    "ah",
    "vg",
    "rs",
    "st",
    "up",
)
"""Keys recognised in either case; any other key must be two lower-case letters."""

_SUITS = {letter: suit for suit, letter in enumerate("CDHS")}
_RANKS = {letter: rank for rank, letter in enumerate("23456789TJQKA")}
_LIN_DEALER = {"1": 2, "2": 3, "3": 0, "4": 1}
_SEAT_NAMES = ("South", "West", "North", "East")
_NO_SIDES = -1
_LASTING_KEYS = ("vg", "rs", "pn", "ah", "sv")
_LASTING_TOKENS = frozenset((*_LASTING_KEYS, "pw"))
_USED_KEYS = frozenset(DEAL_KEYS) - {"st"}
_CALL_WORDS = (
    ("PASS", 0), ("P", 0), ("DOUBLE", 1), ("DBL", 1), ("D", 1), ("XX", 2), ("X", 1),
    ("REDOUBLE", 2), ("RDBL", 2), ("RD", 2), ("R", 2),
)  # fmt: skip
_BOARD = re.compile(r"(?:board)?[ \t#.:]*([oc]?)([0-9]{1,6})(?![0-9a-z])", re.IGNORECASE | re.ASCII)
_TO_UPPER = {code: code - 32 for code in range(ord("a"), ord("z") + 1)}
_TO_LOWER = {upper: lower for lower, upper in _TO_UPPER.items()}
_NAME_COMMA = re.compile(r",(?![ ])")
_RESULT = re.compile(
    r"([1-7])(C|D|H|S|NT?)([NESW])(X{0,2})(=|[+-][0-9]{1,2})?", re.IGNORECASE | re.ASCII
)


def _ascii_upper(text: str) -> str:
    """Upper case of ASCII letters only: other letters must not turn into suits or ranks."""
    return text.translate(_TO_UPPER)


def _parse_hand(text: str, seat: str) -> int:
    """Hand mask of one part of an ``md`` value, of any number of cards."""
    # suit letters may come in any order, ranks too, in either case; blanks and ``-`` are skipped
    mask = 0
    suit = -1
    seen: set[int] = set()
    for letter in _ascii_upper(text).replace("10", "T"):
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
    North and East. Hands may be left out: a single one gets the other cards, of several each is 0.

    Raises
    ------
    InvalidDeal
        If a hand has not 13 cards that no other one has; the message quotes what is wrong.
    """
    text = text.strip(BLANKS)
    if not text:
        raise InvalidDeal("expected four hands, got an empty md value")
    parts = text[text[0] in "01234" :].split(",")
    if any(part.strip(BLANKS) for part in parts[4:]):
        raise InvalidDeal(f"expected four hands, got {len(parts)} in {text!r}")
    hands = [_parse_hand(part, seat) for part, seat in zip(parts, _SEAT_NAMES, strict=False)]
    hands += [0] * (4 - len(hands))
    rest = FULL_DECK
    for hand in hands:
        if hand & ~rest:
            card = format_card(next(cards_of(hand & ~rest)))
            raise InvalidDeal(f"duplicate card: {card} is in two hands of {text!r}")
        rest &= ~hand
    for seat, hand in enumerate(hands):
        if hand and hand.bit_count() != 13:
            raise InvalidDeal(
                f"expected 13 cards, got {hand.bit_count()} in {_SEAT_NAMES[seat]}'s hand "
                f"{parts[seat]!r}"
            )
    if not any(hands):
        raise InvalidDeal(f"expected a known hand, got four unknown ones in {text!r}")
    if hands.count(0) == 1:
        hands[hands.index(0)] = rest
    south, west, north, east = hands
    return (north, east, south, west), _LIN_DEALER.get(text[0])


def _parse_mb(text: str, *, is_first: bool) -> list[tuple[int, bool]]:
    """Read the calls of an ``mb`` value with their alert marks; several may be packed."""
    # ``!`` and ``*`` behind a call alert it; ``?`` (a quiz mark), commas and blanks are skipped,
    # and so are ``-`` before the first call of a board, for the seats before dealer's in a diagram;
    # text that is no call gives UNREADABLE and ends the value
    calls: list[tuple[int, bool]] = []
    upper = _ascii_upper(text)
    at = 0
    while at < len(upper):
        letter = upper[at]
        if letter in BLANKS or letter in "?," or (letter == "-" and is_first and not calls):
            at += 1
        elif letter in "!*" and calls:
            calls[-1] = (calls[-1][0], True)
            at += 1
        elif letter in "1234567" and upper[at + 1 : at + 2] in tuple("CDHSN"):
            strain = "CDHSN".index(upper[at + 1])
            calls.append((3 + 5 * (int(letter) - 1) + strain, False))
            at += 3 if upper[at + 1 : at + 3] == "NT" else 2
        else:
            for word, code in _CALL_WORDS:
                if upper.startswith(word, at):
                    calls.append((code, False))
                    at += len(word)
                    break
            else:
                return [*calls, (UNREADABLE, False)]
    return calls


def _parse_pc(text: str) -> list[int]:
    """Card numbers of a ``pc`` value; UNREADABLE where the text is no card, and stop."""
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
            return [*cards, UNREADABLE]
        cards.append(13 * suit + rank)
        at += 3 if upper[at + 1] == "1" else 2
    return cards


def _parse_number(text: str, digits: int) -> int | None:
    """Read a number of at most ``digits`` digits and nothing else but blanks around it."""
    text = text.strip(BLANKS)
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


def _parse_board(text: str) -> tuple[int | None, int | None]:
    """Board number and room (0 open, 1 closed) in a ``qx`` or ``ah`` value."""
    match = _BOARD.match(text.strip(BLANKS))
    if match is None or int(match[2]) == 0:
        return None, None
    return int(match[2]), {"o": 0, "c": 1}.get(match[1].lower())


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
    """Names of North, East, South, West in a room, ``-`` for none; ``None`` if all are empty."""
    first = 4 if room == 1 and len(names) == 8 else 0
    south, west, north, east = (
        "" if not name.strip("-") else name for name in names[first : first + 4]
    )
    return [north, east, south, west] if south or west or north or east else None


def _split_vg(text: str) -> tuple[str, int | None]:
    """Event and first board number of a ``vg`` value."""
    # nine fields: title, segment, scoring, first board, last board, and names and carry-overs of
    # both teams; the event is title and segment as written
    fields = text.rsplit(",", 7)
    if len(fields) < 8:
        return text.strip(BLANKS + ","), None
    return fields[0].strip(BLANKS + ","), _parse_number(fields[2], 6)


def _parse_result(text: str) -> tuple[int, int, int | None, int | None] | None:
    """Bid (0 passed out), doubling, declarer, tricks (if stated) of ``rs``; None if unreadable."""
    text = text.strip(BLANKS)
    if text.upper() in ("P", "PASS"):
        return 0, 0, None, None
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
    return bid, len(match[4]), "NESW".index(match[3].upper()), tricks


def _read_sv(text: str) -> int | None:
    """Sides of an ``sv`` value, ``None`` if it is empty or ``?``, ``_NO_SIDES`` for other words."""
    words = _words(text)
    if words is None:
        return None
    return VULNERABILITY_WORDS.get(words.translate(_TO_LOWER), _NO_SIDES)


def sides_remark(text: str) -> str:
    """Remark about an ``sv`` value that is no vulnerability."""
    return reader_remark("a vulnerability (o, n, e or b) in sv", text)


def _words(text: str) -> str | None:
    """Give the words of a value, ``None`` if it is empty or ``?``."""
    text = text.strip(BLANKS)
    return None if text in ("", "?") else text


def cards_remark(text: str) -> str:
    """Remark about a ``pc`` or ``up`` value from which on the cards played are not known."""
    return reader_remark("cards such as SA in pc, or their number in up", text)


def claim_remark(text: str) -> str:
    """Remark about an ``mc`` value that is no number of tricks."""
    return reader_remark("tricks from 0 to 13 in mc", text)


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield key, value and start of each token; skip what is none."""
    # where a key is expected, blanks and lines that begin with ``%%`` are skipped; a piece that is
    # not two letters is dropped, so that a lost or surplus ``|`` costs one token
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
            yield key.lower(), text[bar + 1 : end], at
            at = end + 1
        else:
            at = bar + 1


@dataclass
class _Lasting:
    """What lasts from board to board of one file, the last four until the next board begins."""

    names: list[str] | None = None
    event: str | None = None
    first_board: int | None = None
    results: list[str] = field(default_factory=list)
    board: int | None = None
    room: int | None = None
    vulnerability: int | None = None
    sides: str = ""
    """What ``vulnerability`` was read from."""
    tokens: dict[str, str] = field(default_factory=dict)
    """Values of ``vg``, ``rs``, ``pn``, ``ah`` and ``sv`` that say all that, of those that came."""


@dataclass
class _Record(_Lasting):
    """One board under construction."""

    start: int = 0
    token_count: int = 0
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
    unread_cards: str | None = None
    """The first ``pc`` or ``up`` that says something but could not be followed."""
    claim: int | None = None
    unread_claim: str | None = None
    """The first ``mc`` that says something but no number of tricks."""
    commentary: list[str] = field(default_factory=list)

    def break_play(self, value: str) -> None:
        """Tell of a ``pc`` or ``up`` value from which on the cards played are not known."""
        self.play_is_broken = True
        if self.unread_cards is None:
            self.unread_cards = _words(value)

    @property
    def has_md(self) -> bool:
        return self.deal is not None or self.problem is not None

    @property
    def is_fresh(self) -> bool:
        """Whether no call or card has come yet."""
        return not (self.calls or self.tail or self.play or self.play_is_broken)

    def add_calls(self, value: str) -> None:
        """Add the calls of an ``mb`` value to the legal ones or, once one is not, to the tail."""
        for call, alert in _parse_mb(value, is_first=not (self.calls or self.tail)):
            if self.tail or call == UNREADABLE or not self.auction.is_legal(call):
                self.tail.append(call)
            else:
                self.auction = self.auction.add(call)
                self.calls.append(call)
                self.alerts.append(alert)
                self.announcements.append("")

    def row(self) -> dict[str, Any]:
        """Row of the deal frame for a board with a deal."""
        assert self.deal is not None
        dealer, vulnerability = self.dealer, self.vulnerability
        if dealer is None:
            dealer = board_dealer(self.board) if self.board else Seat.NORTH
        is_vulnerability_known = vulnerability != _NO_SIDES
        if vulnerability is None:
            vulnerability = board_vulnerability(self.board) if self.board else 0
        elif vulnerability == _NO_SIDES:
            vulnerability = 0
            self.commentary.append(sides_remark(self.sides))
        if self.unread_cards is not None:
            self.commentary.append(cards_remark(self.unread_cards))
        if self.unread_claim is not None:
            self.commentary.append(claim_remark(self.unread_claim))
        if self.tail:
            status = "illegal"
        elif not self.calls:
            status = "none"
        else:
            status = "complete" if self.auction.is_complete else "unfinished"

        bid = doubling = 0
        declarer: int | None = None
        passed_out = False
        if self.auction.is_complete:
            contract = Auction.of(self.calls, dealer).contract
            passed_out = contract is None
            if contract is not None:
                bid, doubling = self.auction.last_bid, contract.doubling
                declarer = contract.declarer
        tricks = self.claim
        if bid and not self.play_is_broken:
            assert declarer is not None
            counted = declarer_tricks(self.play, self.deal, declarer, bid_strain(bid))
            tricks = counted if counted is not None else tricks
        if not passed_out and (not bid or tricks is None):
            place = -1
            if self.board and self.room is not None and self.first_board is not None:
                place = 2 * (self.board - self.first_board) + self.room
            result = _parse_result(self.results[place]) if 0 <= place < len(self.results) else None
            if result is not None and not bid:
                passed_out = not result[0]
                bid, doubling, declarer = result[:3]
                tricks = result[3] if tricks is None else tricks
            elif result is not None and (bid, declarer) == (result[0], result[2]):
                tricks = result[3]

        points = None
        contract_text = None
        if passed_out:
            contract_text, points, tricks = "Pass", 0, None
        elif bid:
            assert declarer is not None
            contract = Contract(bid_level(bid), bid_strain(bid), doubling, Seat(declarer))
            contract_text = contract.name
            if tricks is not None and is_vulnerability_known:
                sign = 1 if declarer % 2 == 0 else -1
                vulnerable = is_vulnerable(vulnerability, declarer)
                points = sign * score(contract, tricks, vulnerable=vulnerable)
        play = self.play
        if play and not all(self.deal):
            # cards cannot be followed through hands that are unknown
            self.commentary.append(play_remark(" ".join(map(format_card, play))))
            play = []
        north, east, south, west = (hand or None for hand in self.deal)
        return {
            "north": north, "east": east, "south": south, "west": west,
            "dealer": SEATS[dealer], "vulnerability": VULNERABILITIES[vulnerability],
            "board": self.board,
            "room": None if self.room is None else ("open", "closed")[self.room],
            "auction": self.calls, "auction_status": status,
            "illegal_call": len(self.calls) if self.tail else None,
            "illegal_tail": self.tail, "announcements": self.announcements,
            "alerts": self.alerts, "commentary": self.commentary,
            "contract": contract_text,
            "declarer": None if declarer is None else SEATS[declarer],
            "tricks": tricks, "score": points, "play": play,
            "players": None if self.names is None else room_names(self.names, self.room),
            "event": self.event or None,
        }  # fmt: skip


def read_lin_reference(text: str, source: str = "", encoding: str = "utf-8") -> Batch:
    """Deal and rejects frames of LIN text, slowly.

    Parameters
    ----------
    text : str
        One LIN file, decoded.
    source, encoding : str
        What to write in the columns of those names.
    """
    rows, rejects, _ = _read(text, source, encoding)
    return Batch(pl.DataFrame(rows, schema=DEAL_SCHEMA), reject_frame(rejects))


def lasting_tokens(text: str) -> str:
    """LIN tokens that repeat what lasts beyond the end of a text.

    Examples
    --------
    >>> lasting_tokens("vg|Cup|qx|o1|sv|b|qx|c1|ah|Board 1|pg||sv|n|")
    'vg|Cup|sv|n|'
    """
    found = _read(text, "", "")[2].tokens
    return "".join(f"{key}|{found[key]}|" for key in _LASTING_KEYS if key in found)


def _read(
    text: str, source: str, encoding: str
) -> tuple[list[dict[str, Any]], list[tuple[str, int | None, str, str]], _Lasting]:
    rows: list[dict[str, Any]] = []
    rejects: list[tuple[str, int | None, str, str]] = []
    lasting = _Lasting()
    record: _Record | None = None
    count = 0

    def close(end: int) -> None:
        nonlocal count
        if record is None:
            return
        count += 1
        quoted = text[record.start : end].strip(BLANKS)
        if len(text[record.start : end].encode()) > LONGEST_RECORD:
            rejects.append((source, count, TOO_LONG, quoted))
        elif record.token_count > MOST_TOKENS:
            rejects.append((source, count, TOO_MANY, quoted))
        elif record.deal is not None:
            row = record.row()
            rows.append({**row, "source": source, "record": count, "encoding": encoding})
        else:
            rejects.append((source, count, *(record.problem or (NO_DEAL_REASON, quoted))))

    def start_record(start: int) -> _Record:
        close(start)
        opened = _Record(**vars(lasting), start=start)
        lasting.board = lasting.room = lasting.vulnerability = None
        lasting.sides = ""
        for once in ("ah", "sv"):
            lasting.tokens.pop(once, None)
        return opened

    for key, value, start in _tokens(text):
        if key not in _USED_KEYS:
            continue
        if key == "md":
            if record is not None and record.has_md and record.is_fresh and "," not in value:
                continue
            if record is None or record.has_md or not record.is_fresh:
                record = start_record(start)
        elif key == "qx":
            record = start_record(start)
        if record is not None:
            record.token_count += 1
            if record.token_count > MOST_TOKENS and key not in _LASTING_TOKENS:
                continue
        # whose value it is: the board's before its first call, card or page end
        owner = record if record is not None and record.in_header else None
        if key == "qx":
            assert record is not None
            record.board, record.room = _parse_board(value)
            record.vulnerability = None
        elif key == "md":
            assert record is not None
            record.in_header = True
            try:
                record.deal, record.dealer = parse_md(value)
            except InvalidDeal as error:
                record.problem = (str(error), value.strip(BLANKS))
        elif key in ("pn", "pw"):
            lasting.tokens["pn"] = value
            for one in filter(None, (lasting, owner)):
                one.names = split_names(value)
        elif key == "vg":
            lasting.tokens["vg"] = value
            lasting.tokens.pop("rs", None)
            for one in filter(None, (lasting, owner)):
                one.event, one.first_board = _split_vg(value)
                one.results = []
        elif key == "rs":
            lasting.tokens["rs"] = value
            for one in filter(None, (lasting, owner)):
                one.results = value.split(",")
        elif key == "sv":
            one = owner or lasting
            if one is lasting:
                lasting.tokens["sv"] = value
            one.vulnerability, one.sides = _read_sv(value), value.strip(BLANKS)
        elif key == "ah":
            board, room = _parse_board(value)
            if board is not None and owner is not None:
                owner.board = board
                owner.room = room if owner.room is None else owner.room
            elif board is not None:
                lasting.board, lasting.room = board, room
                lasting.tokens["ah"] = value
        elif record is None:
            continue
        elif key == "an":
            announced = value.replace("\r", "").replace("\n", "").strip(BLANKS)
            if announced and not record.tail:
                if not record.calls:
                    record.commentary.append(announced)
                elif is_alert_alone(announced):
                    record.alerts[-1] = True
                else:
                    before = record.announcements[-1]
                    record.announcements[-1] = f"{before}; {announced}" if before else announced
        elif key in ("nt", "at"):
            if value.strip(BLANKS):
                record.commentary.append(value.strip(BLANKS))
        elif key in ("mb", "pc", "mc", "pg", "up"):
            record.in_header = False
            if key == "mb":
                record.add_calls(value)
            elif key in ("pc", "up") and record.play_is_broken:
                record.break_play(value)
            elif key == "pc":
                record.play += _parse_pc(value)
                if record.play[-1:] == [UNREADABLE]:
                    record.break_play(value)
                    del record.play[-1]
            elif key == "up":
                taken_back = _parse_number(value, 2)
                if taken_back is None:
                    # which cards stand is not known from here on
                    record.break_play(value)
                else:
                    del record.play[max(0, len(record.play) - taken_back) :]
            elif key == "mc":
                claim = _parse_number(value, 2)
                if claim is not None and claim <= 13:
                    record.claim = claim
                elif record.unread_claim is None:
                    record.unread_claim = _words(value)
    close(len(text))
    return rows, rejects, lasting
