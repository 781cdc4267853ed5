"""The slow LIN reader: one token at a time in plain Python. It is the definition.

:func:`bidcascade.loaders.lin.read_lin` gives the same frames from compiled code; the tests hold
the two against each other. What a board is: it starts at ``qx``, or at an ``md`` that does
not belong to the ``qx`` before it. Names, event and results last from token to token; those (and
vulnerability and board number) that come before a board's first call, card or page end are the
board's, later ones are for the boards that follow.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from bidcascade.bridge import (
    SEATS,
    VULNERABILITIES,
    Auction,
    Contract,
    InvalidDeal,
    Seat,
    bid_level,
    bid_strain,
    board_dealer,
    board_vulnerability,
    is_vulnerable,
    score,
)

from .frame import DEAL_SCHEMA, Batch, reject_frame
from .lin_fields import (
    BLANKS,
    DEAL_KEYS,
    UNREADABLE,
    parse_board,
    parse_claim,
    parse_mb,
    parse_md,
    parse_pc,
    parse_result,
    parse_sv,
    room_names,
    split_names,
    split_vg,
)
from .play import trick_winner

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


def _tricks_from_cards(record: _Record, declarer: int, strain: int) -> int | None:
    """Tricks of declarer's side if the play is complete but for a forced last trick."""
    if record.play_is_broken or not 48 <= len(record.play) <= 52:
        return None
    assert record.deal is not None
    held = list(record.deal)
    cards = list(record.play)
    leader = (declarer + 1) % 4
    tricks = 0
    for start in range(0, 52, 4):
        for offset in range(4):
            seat = (leader + offset) % 4
            if start + offset >= len(cards):
                cards.append(held[seat].bit_length() - 1)
            bit = 1 << cards[start + offset]
            if not held[seat] & bit:
                return None
            held[seat] ^= bit
        leader = (leader + trick_winner(cards[start : start + 4], strain)) % 4
        tricks += (leader - declarer) % 2 == 0
    return tricks


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
        counted = _tricks_from_cards(record, declarer, bid_strain(bid))
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
