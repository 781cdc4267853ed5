"""Gather PBN games column by column and turn them into a deal frame at the end."""

from functools import cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import CALL_COUNT, FIRST_BID, PASS, Auction, bid_strain
from bidcascade.bridge.scoring import score

from .frame import (
    AUCTION_STATUS,
    DEAL_SCHEMA,
    ROOM,
    SEAT_ENUM,
    VULNERABILITY_ENUM,
    Batch,
    reject_frame,
)
from .pbn_kernel import ILLEGAL, MAX_CALLS, NONE, decode_sections
from .pbn_sections import (
    PASSED_OUT,
    UNKNOWN,
    contract_of,
    declarer_tricks,
    omitted_passes,
    outcome_of,
    read_auction,
    read_contract,
    read_play,
    read_result,
    read_score,
    read_seat,
)
from .pbn_tokens import Game

_FIRST_CODE = 3 * FIRST_BID
_CODES = 3 * CALL_COUNT
_NO_SCORE = np.iinfo(np.int32).min
_STATUS_CODE = {name: code for code, name in enumerate(AUCTION_STATUS.categories)}
_ROOM_CODE = {"open": 0, "Open": 0, "closed": 1, "Closed": 1, "OPEN": 0, "CLOSED": 1}
_SEPARATOR = "\0"
"""Joins texts until polars splits them; :mod:`.pbn_tokens` takes it out of the input."""
_NO_NAME = ("", "?")
_NO_NOTES: dict[str, str] = {}


@cache
def _contract_names() -> pl.Series:
    """Names by outcome code; ``None`` for codes that are no contract."""
    names: list[str | None] = [None] * _CODES
    names[PASSED_OUT] = "Pass"
    for code in range(_FIRST_CODE, _CODES):
        contract = contract_of(code, 0)
        names[code] = None if contract is None else contract.name
    return pl.Series(names, dtype=pl.String)


@cache
def _scores() -> NDArray[np.int32]:
    """Scores by outcome code, tricks and vulnerability of declarer."""
    table = np.zeros((_CODES, 14, 2), np.int32)
    for code in range(_FIRST_CODE, _CODES):
        contract = contract_of(code, 0)
        if contract is not None:
            for tricks in range(14):
                for vulnerable in (False, True):
                    table[code, tricks, int(vulnerable)] = score(
                        contract, tricks, vulnerable=vulnerable
                    )
    return table


class Boards:
    """Boards and rejects of one source, column by column.

    Texts are taken out of each game at once, so that its dictionaries need not be kept.
    """

    def __init__(self, source: str, encoding: str) -> None:
        self.source = source
        self.encoding = encoding
        self.records: list[int] = []
        self.hands: list[tuple[int, int, int, int]] = []
        self.numbers: list[int | None] = []
        self.dealers: list[int] = []
        self.openers: list[int] = []
        self.vulnerabilities: list[int] = []
        self.auctions: list[str] = []
        self.plays: list[str] = []
        self.play_leaders: list[str] = []
        self.contracts: list[str] = []
        self.declarers: list[str] = []
        self.results: list[str] = []
        self.scores: list[str] = []
        self.rooms: list[str] = []
        self.events: list[str | None] = []
        self.players: list[str | None] = []
        self.notes: dict[int, dict[str, str]] = {}
        self.alerted: dict[int, str] = {}
        self.comments: list[str] = []
        self.comment_counts: list[int] = []
        self.rejects: list[tuple[str, int | None, str, str]] = []

    def __len__(self) -> int:
        return len(self.records)

    def reject(self, number: int, reason: str, text: str) -> None:
        """Add a record that could not be used."""
        self.rejects.append((self.source, number, reason, text))

    def add(
        self,
        game: Game,
        hands: tuple[int, int, int, int],
        board: int | None,
        dealer: int,
        opener: int,
        vulnerability: int,
    ) -> None:
        """Add a board; the opener is -1 if the auction names none."""
        number, tags, sections, notes, comments = game
        if notes:
            self.notes[len(self.records)] = notes
        if "AlertedCalls" in tags:
            self.alerted[len(self.records)] = tags["AlertedCalls"]
        self.records.append(number)
        self.hands.append(hands)
        self.numbers.append(board)
        self.dealers.append(dealer)
        self.openers.append(opener if opener >= 0 else dealer)
        self.vulnerabilities.append(vulnerability)
        self.auctions.append(sections.get("Auction", ""))
        self.plays.append(sections.get("Play", ""))
        tag = tags.get
        self.play_leaders.append(tag("Play", ""))
        self.contracts.append(tag("Contract", ""))
        self.declarers.append(tag("Declarer", ""))
        self.results.append(tag("Result", ""))
        self.scores.append(tag("Score", ""))
        self.rooms.append(tag("Room", ""))
        self.events.append(tag("Event"))
        self.players.append(
            _players(tag("North", ""), tag("East", ""), tag("South", ""), tag("West", ""))
        )
        self.comments.append(_SEPARATOR.join(comments) if comments else "")
        self.comment_counts.append(len(comments))

    def batch(self, *, plain: bool) -> Batch:
        """Decode the sections and make the frames."""
        rejects = reject_frame(self.rejects)
        if not self.records:
            return Batch(pl.DataFrame(schema=DEAL_SCHEMA), rejects)
        return Batch(_Decoder(self, plain=plain).frame(), rejects)


class _Decoder:
    """Sections of all boards, decoded into arrays."""

    def __init__(self, boards: Boards, *, plain: bool) -> None:
        self.boards = boards
        size = len(boards)
        self.hands = np.array(boards.hands, np.uint64)
        self.dealer = np.array(boards.dealers, np.int8)
        self.opener = np.array(boards.openers, np.int8)
        self.vulnerability = np.array(boards.vulnerabilities, np.int8)
        self.tag_code = np.array([read_contract(text) for text in boards.contracts], np.int16)
        self.tag_declarer = np.array([read_seat(text) for text in boards.declarers], np.int8)
        self.irregular = np.array([text[:1] == "^" for text in boards.declarers], np.bool_)
        self.irregular &= self.tag_declarer >= 0
        self.play_leader = np.array([read_seat(text) for text in boards.play_leaders], np.int8)
        self.calls = np.zeros((size, MAX_CALLS), np.uint8)
        self.notes = np.zeros((size, MAX_CALLS), np.uint8)
        self.call_count = np.zeros(size, np.int64)
        self.status = np.full(size, NONE, np.uint8)
        self.cards = np.zeros((size, 52), np.uint8)
        self.card_count = np.zeros(size, np.int64)
        self.code = np.full(size, UNKNOWN, np.int16)
        self.declarer = np.full(size, UNKNOWN, np.int8)
        self.tricks = np.full(size, UNKNOWN, np.int8)
        self.tails: dict[int, list[int]] = {}
        self.note_lists: dict[int, list[list[str]]] = {}
        odd = np.full(size, plain, np.bool_)
        if not plain:
            self._decode_plain_cases(odd)
        for board in np.flatnonzero(odd).tolist():
            self._decode_odd_case(board)
        # the auction's seats are those of its opener
        self.dealer = np.where(self.call_count > 0, self.opener, self.dealer)

    def _decode_plain_cases(self, odd: NDArray[np.bool_]) -> None:
        boards = self.boards
        text = "".join(boards.auctions) + "".join(boards.plays)
        lengths = [len(section) for section in boards.auctions]
        lengths += [len(section) for section in boards.plays]
        ends = np.cumsum(np.array(lengths, np.int64))
        bounds = np.stack([ends - np.array(lengths, np.int64), ends], axis=1)
        size = len(boards)
        decode_sections(
            # one byte a character, so that bounds in characters hold
            np.frombuffer(text.encode("ascii", "replace"), np.uint8),
            bounds[:size], bounds[size:], self.opener, self.hands, self.tag_code,
            self.tag_declarer, self.irregular, self.play_leader, self.calls, self.notes,
            self.call_count, self.status, self.cards, self.card_count, self.code, self.declarer,
            self.tricks, odd,
        )  # fmt: skip

    def _decode_odd_case(self, board: int) -> None:
        boards = self.boards
        auction = read_auction(boards.auctions[board], boards.openers[board])
        opener = _opener(auction.padding, boards.dealers[board], boards.openers[board])
        self.opener[board] = opener
        calls, notes = auction.calls, auction.notes
        code, declarer = int(self.tag_code[board]), int(self.tag_declarer[board])
        leader = int(self.play_leader[board])
        if Auction.of(calls, opener).is_complete:
            outcome = outcome_of(calls, opener)
            if not self.irregular[board]:
                omitted = omitted_passes(calls, outcome, code, declarer, leader)
                calls = [PASS] * omitted + calls
                notes = [[] for _ in range(omitted)] + notes
                outcome = outcome_of(calls, opener)
                declarer = outcome.declarer
            code = outcome.code
        count = len(calls)
        if count > self.calls.shape[1]:
            self.calls = np.pad(self.calls, ((0, 0), (0, count - self.calls.shape[1])))
        self.calls[board] = 0
        self.notes[board] = 0
        self.calls[board, :count] = calls
        self.call_count[board] = count
        self.status[board] = _STATUS_CODE[auction.status]
        self.note_lists[board] = notes
        if auction.status == "illegal":
            self.tails[board] = auction.tail
        if code == PASSED_OUT:
            declarer = UNKNOWN
        self.code[board] = code
        self.declarer[board] = declarer
        self.cards[board] = 0
        self.card_count[board] = 0
        self.tricks[board] = UNKNOWN
        if declarer >= 0:
            leader = (declarer + 1) % 4
        if code > PASSED_OUT and leader >= 0:
            strain = bid_strain(code // 3)
            played = read_play(boards.plays[board], boards.hands[board], leader, strain)
            self.cards[board, : len(played)] = played
            self.card_count[board] = len(played)
            if declarer >= 0:
                tricks = declarer_tricks(played, boards.hands[board], declarer, strain)
                self.tricks[board] = UNKNOWN if tricks is None else tricks

    def frame(self) -> pl.DataFrame:
        """Make the deal frame in one pass over columns of plain values."""
        boards = self.boards
        size = len(boards)
        tricks = self._tricks()
        tail_count = np.zeros(size, np.int64)
        longest_tail = max((len(tail) for tail in self.tails.values()), default=0)
        tail = np.zeros((size, longest_tail + 1), np.uint8)
        for board, calls in self.tails.items():
            tail_count[board] = len(calls)
            tail[board, : len(calls)] = calls
        announcements, alerts = self._announcements()
        rooms = [_ROOM_CODE.get(text, -1) for text in boards.rooms]
        columns = pl.DataFrame(
            {
                "north": self.hands[:, 0],
                "east": self.hands[:, 1],
                "south": self.hands[:, 2],
                "west": self.hands[:, 3],
                "dealer": self.dealer,
                "vulnerability": self.vulnerability,
                "board": pl.Series(boards.numbers, dtype=pl.Int32),
                "room": np.array(rooms, np.int8),
                "auction": _trimmed(self.calls, self.call_count),
                "auction_count": self.call_count,
                "auction_status": self.status,
                "illegal_call": np.where(self.status == ILLEGAL, self.call_count, -1),
                "illegal_tail": tail,
                "illegal_tail_count": tail_count,
                "announcements": pl.Series(announcements, dtype=pl.String),
                "alerts": _trimmed(alerts, self.call_count),
                "commentary": pl.Series(boards.comments, dtype=pl.String),
                "commentary_count": np.array(boards.comment_counts, np.int64),
                "contract": np.where(self.code < 0, 1, self.code),
                "declarer": self.declarer,
                "tricks": tricks,
                "score": self._scores(tricks),
                "play": _trimmed(self.cards, self.card_count),
                "play_count": self.card_count,
                "players": pl.Series(boards.players, dtype=pl.String),
                "event": pl.Series(boards.events, dtype=pl.String),
                "record": pl.Series(boards.records, dtype=pl.UInt32),
            }
        )
        source, encoding = boards.source, boards.encoding
        return columns.select(
            *_expressions(),
            pl.lit(source, dtype=pl.String).alias("source"),
            pl.lit(encoding, dtype=pl.String).alias("encoding"),
        ).select(DEAL_SCHEMA.names())

    def _tricks(self) -> NDArray[np.int8]:
        """Tricks from the cards, else from the ``Result`` tags; -1 if unknown."""
        declarers = self.declarer.tolist()
        results = [
            read_result(text, declarer)
            for text, declarer in zip(self.boards.results, declarers, strict=True)
        ]
        from_tags = np.where(self.code > PASSED_OUT, np.array(results, np.int8), UNKNOWN)
        return np.where(self.tricks < 0, from_tags, self.tricks).astype(np.int8)

    def _announcements(self) -> tuple[list[str], NDArray[np.bool_]]:
        """Give texts (joined) and flags per call; a call that refers to a note is alerted."""
        notes_of = self.boards.notes
        counts = self.call_count.tolist()
        silent = ["", *(_SEPARATOR * count for count in range(int(self.call_count.max())))]
        texts = [silent[count] for count in counts]
        flags = self.notes > 0
        if self.calls.shape[1] > flags.shape[1]:
            flags = np.pad(flags, ((0, 0), (0, self.calls.shape[1] - flags.shape[1])))
        for board in np.flatnonzero(flags.any(axis=1)).tolist():
            notes = notes_of.get(board, _NO_NOTES)
            texts[board] = _SEPARATOR.join(
                [
                    notes.get(str(number), "") if number else ""
                    for number in self.notes[board, : counts[board]].tolist()
                ]
            )
        for board, references in self.note_lists.items():
            notes = notes_of.get(board, _NO_NOTES)
            flags[board, : counts[board]] = [bool(numbers) for numbers in references]
            texts[board] = _SEPARATOR.join(
                "; ".join(text for number in numbers if (text := notes.get(number, "")))
                for numbers in references
            )
        for board, text in self.boards.alerted.items():
            # our writer's tag for alerts that are not simply the calls with a note
            places = [int(word) - 1 for word in text.split() if word.isascii() and word.isdigit()]
            flags[board] = False
            flags[board, [place for place in places if 0 <= place < counts[board]]] = True
        return texts, flags

    def _scores(self, tricks: NDArray[np.int8]) -> NDArray[np.int32]:
        """Scores from the tags, else from contract and tricks; from the view of North-South."""
        side = self.declarer & 1
        vulnerable = self.vulnerability >> side & 1
        code = np.where(self.code < 0, 0, self.code)
        points = _scores()[code, np.where(tricks < 0, 0, tricks), vulnerable]
        points = np.where(side == 1, -points, points)
        known = (self.code > PASSED_OUT) & (tricks >= 0) & (self.declarer >= 0)
        points = np.where(known, points, _NO_SCORE)
        points[self.code == PASSED_OUT] = 0
        declarers = self.declarer.tolist()
        given = [
            read_score(text, declarer)
            for text, declarer in zip(self.boards.scores, declarers, strict=True)
        ]
        from_tags = np.array([_NO_SCORE if value is None else value for value in given], np.int32)
        return np.where(from_tags == _NO_SCORE, points, from_tags).astype(np.int32)


@cache
def _expressions() -> list[pl.Expr]:
    """How each column of the deal frame, but the last few, is made from the plain columns."""
    special = {
        "dealer": _enum("dealer", SEAT_ENUM),
        "vulnerability": _enum("vulnerability", VULNERABILITY_ENUM),
        "room": _enum("room", ROOM),
        "auction": _ragged("auction", "auction_count"),
        "auction_status": _enum("auction_status", AUCTION_STATUS),
        "illegal_call": _known("illegal_call").cast(pl.UInt16),
        "illegal_tail": _ragged("illegal_tail", "illegal_tail_count"),
        "announcements": _texts("announcements").list.head(pl.col("auction_count")),
        "alerts": _ragged("alerts", "auction_count"),
        "commentary": _texts("commentary").list.head(pl.col("commentary_count")),
        "contract": pl.lit(_contract_names()).gather(pl.col("contract")),
        "declarer": _enum("declarer", SEAT_ENUM),
        "tricks": _known("tricks").cast(pl.UInt8),
        "score": pl.when(pl.col("score") != _NO_SCORE).then(pl.col("score")),
        "play": _ragged("play", "play_count"),
        "players": _texts("players"),
        "event": pl.when(~pl.col("event").is_in(["", "?"])).then(pl.col("event")),
    }
    return [
        special.get(name, pl.col(name)).alias(name)
        for name in DEAL_SCHEMA
        if name not in ("source", "encoding")
    ]


def _known(name: str) -> pl.Expr:
    return pl.when(pl.col(name) >= 0).then(pl.col(name))


def _enum(name: str, dtype: pl.Enum) -> pl.Expr:
    """Categories by code; negative codes are null."""
    names = pl.Series(list(dtype.categories), dtype=dtype)
    return pl.lit(names).gather(_known(name).cast(pl.UInt32))


def _ragged(name: str, count: str) -> pl.Expr:
    """Take the first values of each row of a matrix as a list."""
    return pl.col(name).arr.to_list().list.head(pl.col(count))


def _texts(name: str) -> pl.Expr:
    """Split texts that were joined by the separator."""
    return pl.col(name).str.split(_SEPARATOR)


def _trimmed(matrix: NDArray[np.generic], counts: NDArray[np.int64]) -> NDArray[np.generic]:
    """Matrix without the columns that no row uses, but at least one."""
    return np.ascontiguousarray(matrix[:, : max(1, int(counts.max()))])


def _players(north: str, east: str, south: str, west: str) -> str | None:
    """Names in seat order, joined by the separator; ``None`` if none is given."""
    if north in _NO_NAME and east in _NO_NAME and south in _NO_NAME and west in _NO_NAME:
        return None
    names = f"{north}{_SEPARATOR}{east}{_SEPARATOR}{south}{_SEPARATOR}{west}"
    if "?" not in names:
        return names
    return _SEPARATOR.join("" if name == "?" else name for name in names.split(_SEPARATOR))


def _opener(padding: int, dealer: int, named: int) -> int:
    """Seat of the first call; rows may be padded up to it from the seat named or from West."""
    if padding and dealer in (named, (named + padding) % 4, (3 + padding) % 4):
        return dealer
    return named
