"""Gather PBN games column by column and turn them into a deal frame at the end."""

from functools import cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import CALL_COUNT, FIRST_BID, bid_strain
from bidcascade.bridge.scoring import score

from .frame import (
    AUCTION_STATUS,
    DEAL_SCHEMA,
    REJECT_SCHEMA,
    ROOM,
    SEAT_ENUM,
    VULNERABILITY_ENUM,
    Batch,
)
from .pbn_auction import (
    PASSED_OUT,
    UNKNOWN,
    contract_of,
    outcome_of,
    read_auction,
    read_contract,
    read_result,
    read_score,
    read_seat,
)
from .pbn_kernel import ILLEGAL, MAX_CALLS, NONE, decode_sections
from .pbn_play import declarer_tricks, read_play
from .pbn_tokens import Game

_EXCERPT = 500
_FIRST_CODE = 3 * FIRST_BID
_CODES = 3 * CALL_COUNT
_NO_SCORE = np.iinfo(np.int32).min
_STATUS_CODE = {name: code for code, name in enumerate(AUCTION_STATUS.categories)}
_ROOM_CODE = {"open": 0, "closed": 1}
_PLAYER_TAGS = ("North", "East", "South", "West")


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
    """Boards and rejects of one source, column by column."""

    def __init__(self, source: str, encoding: str) -> None:
        self.source = source
        self.encoding = encoding
        self.games: list[Game] = []
        self.hands: list[tuple[int, int, int, int]] = []
        self.numbers: list[int | None] = []
        self.dealers: list[int] = []
        self.openers: list[int] = []
        self.vulnerabilities: list[int] = []
        self.auctions: list[str] = []
        self.plays: list[str] = []
        self.rejects: list[tuple[int, str, str]] = []

    def reject(self, number: int, reason: str, text: str) -> None:
        """Add a record that could not be used."""
        self.rejects.append((number, reason, text[:_EXCERPT]))

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
        self.games.append(game)
        self.hands.append(hands)
        self.numbers.append(board)
        self.dealers.append(dealer)
        self.openers.append(opener if opener >= 0 else dealer)
        self.vulnerabilities.append(vulnerability)
        sections = game.sections
        self.auctions.append(sections.get("Auction", ""))
        self.plays.append(sections.get("Play", ""))

    def batch(self, *, plain: bool) -> Batch:
        """Decode the sections and make the frames."""
        rejects = pl.DataFrame(
            {
                "source": [self.source] * len(self.rejects),
                "record": [number for number, _, _ in self.rejects],
                "reason": [reason for _, reason, _ in self.rejects],
                "text": [text for _, _, text in self.rejects],
            },
            schema=REJECT_SCHEMA,
        )
        if not self.games:
            return Batch(pl.DataFrame(schema=DEAL_SCHEMA), rejects)
        return Batch(_Decoder(self, plain=plain).frame(), rejects)


class _Decoder:
    """Sections of all boards, decoded into arrays."""

    def __init__(self, boards: Boards, *, plain: bool) -> None:
        self.boards = boards
        games = boards.games
        size = len(games)
        self.hands = np.array(boards.hands, np.uint64)
        self.dealer = np.array(boards.dealers, np.int8)
        self.opener = np.array(boards.openers, np.int8)
        self.vulnerability = np.array(boards.vulnerabilities, np.int8)
        contracts = [game.tags.get("Contract", "") for game in games]
        declarers = [game.tags.get("Declarer", "") for game in games]
        self.tag_code = np.array([read_contract(text) for text in contracts], np.int16)
        self.tag_declarer = np.array([read_seat(text) for text in declarers], np.int8)
        self.irregular = np.array([text[:1] == "^" for text in declarers], np.bool_)
        self.irregular &= self.tag_declarer >= 0
        self.play_leader = np.array([read_seat(g.tags.get("Play", "")) for g in games], np.int8)
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
        size = len(boards.games)
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
        count = len(auction.calls)
        if count > self.calls.shape[1]:
            wider = ((0, 0), (0, count - self.calls.shape[1]))
            self.calls = np.pad(self.calls, wider)
        self.calls[board] = 0
        self.notes[board] = 0
        self.calls[board, :count] = auction.calls
        self.call_count[board] = count
        self.status[board] = _STATUS_CODE[auction.status]
        self.note_lists[board] = auction.notes
        if auction.status == "illegal":
            self.tails[board] = auction.tail
        code, declarer = int(self.tag_code[board]), int(self.tag_declarer[board])
        if auction.status == "complete":
            outcome = outcome_of(auction.calls, opener)
            code = outcome.code
            if not self.irregular[board]:
                declarer = outcome.declarer
        if code == PASSED_OUT:
            declarer = UNKNOWN
        self.code[board] = code
        self.declarer[board] = declarer
        self.cards[board] = 0
        self.card_count[board] = 0
        self.tricks[board] = UNKNOWN
        leader = (declarer + 1) % 4 if declarer >= 0 else int(self.play_leader[board])
        if code > PASSED_OUT and leader >= 0:
            strain = bid_strain(code // 3)
            played = read_play(boards.plays[board], boards.hands[board], leader, strain)
            self.cards[board, : len(played)] = played
            self.card_count[board] = len(played)
            if declarer >= 0:
                tricks = declarer_tricks(played, boards.hands[board], declarer, strain)
                self.tricks[board] = UNKNOWN if tricks is None else tricks

    def frame(self) -> pl.DataFrame:
        boards = self.boards
        size = len(boards.games)
        declarer = self.declarer
        declarers: list[int] = declarer.tolist()
        tag_of = [game.tags.get for game in boards.games]
        results = np.array(
            [read_result(tag("Result", ""), seat) for tag, seat in zip(tag_of, declarers, strict=True)],
            np.int8,
        )
        tricks = np.where((self.tricks < 0) & (self.code > 0), results, self.tricks)
        players = [[tag(name, "") for name in _PLAYER_TAGS] for tag in tag_of]
        blank = [["", "", "", ""], ["?", "?", "?", "?"]]
        announcements, alerts = self._announcements()
        commentary = [game.comments for game in boards.games]
        tails = self.tails
        rooms = [_ROOM_CODE.get(tag("Room", "").lower()) for tag in tag_of]
        return pl.DataFrame(
            {
                "north": self.hands[:, 0],
                "east": self.hands[:, 1],
                "south": self.hands[:, 2],
                "west": self.hands[:, 3],
                "dealer": _enum(self.dealer, SEAT_ENUM),
                "vulnerability": _enum(self.vulnerability, VULNERABILITY_ENUM),
                "board": pl.Series(boards.numbers, dtype=pl.Int32),
                "room": pl.Series(rooms, dtype=pl.UInt32).replace_strict(
                    {0: "open", 1: "closed"}, default=None, return_dtype=ROOM
                ) if any(room is not None for room in rooms) else pl.Series([None] * size, dtype=ROOM),
                "auction": _ragged(self.calls, self.call_count),
                "auction_status": _enum(self.status, AUCTION_STATUS),
                "illegal_call": pl.Series(
                    np.where(self.status == ILLEGAL, self.call_count, -1)
                ).replace(-1, None).cast(pl.UInt16),
                "illegal_tail": pl.Series(
                    [tails.get(board, ()) for board in range(size)],
                    dtype=pl.List(pl.UInt8),
                ),
                "announcements": announcements,
                "alerts": alerts,
                "commentary": pl.Series(commentary, dtype=pl.List(pl.String)),
                "contract": _contract_names().gather(
                    pl.Series(np.where(self.code < 0, 1, self.code))
                ),
                "declarer": _enum(declarer, SEAT_ENUM),
                "tricks": pl.Series(tricks).replace(-1, None).cast(pl.UInt8),
                "score": self._scores(declarers, tricks),
                "play": _ragged(self.cards, self.card_count),
                "players": pl.Series(
                    [None if names in blank else names for names in players],
                    dtype=pl.List(pl.String),
                ),
                "event": pl.Series(
                    [None if (event := tag("Event", "")) in ("", "?") else event for tag in tag_of],
                    dtype=pl.String,
                ),
                "source": pl.repeat(boards.source, size, dtype=pl.String, eager=True),
                "record": pl.Series([game.number for game in boards.games], dtype=pl.UInt32),
                "encoding": pl.repeat(boards.encoding, size, dtype=pl.String, eager=True),
            },
            schema=DEAL_SCHEMA,
        )  # fmt: skip

    def _announcements(self) -> tuple[pl.Series, pl.Series]:
        """Texts and flags per call; a call is alerted if it refers to a note."""
        games = self.boards.games
        counts = self.call_count.tolist()
        flags = self.notes > 0
        silent = [[""] * count for count in range(int(self.call_count.max()) + 1)]
        referring = flags.any(axis=1)
        if self.calls.shape[1] > flags.shape[1]:
            flags = np.pad(flags, ((0, 0), (0, self.calls.shape[1] - flags.shape[1])))
        texts = [silent[count] for count in counts]
        for board in np.flatnonzero(referring).tolist():
            count = counts[board]
            notes = games[board].notes
            texts[board] = [
                notes.get(str(number), "") if number else ""
                for number in self.notes[board, :count].tolist()
            ]
        for board, references in self.note_lists.items():
            notes = games[board].notes
            flags[board, : counts[board]] = [bool(numbers) for numbers in references]
            texts[board] = [
                "; ".join(text for number in numbers if (text := notes.get(number, "")))
                for numbers in references
            ]
        return (
            pl.Series(texts, dtype=pl.List(pl.String)),
            _ragged(flags, self.call_count),
        )

    def _scores(self, declarers: list[int], tricks: NDArray[np.int8]) -> pl.Series:
        """Scores from the tags, else from contract and tricks; from the view of North-South."""
        side = self.declarer & 1
        vulnerable = self.vulnerability >> side & 1
        code = np.where(self.code < 0, 0, self.code)
        points = _scores()[code, np.where(tricks < 0, 0, tricks), vulnerable]
        points = np.where(side == 1, -points, points)
        known = (self.code > 0) & (tricks >= 0) & (self.declarer >= 0)
        points = np.where(known, points, _NO_SCORE)
        points[self.code == PASSED_OUT] = 0
        values = points.tolist()
        for board, game in enumerate(self.boards.games):
            text = game.tags.get("Score")
            if text:
                given = read_score(text, declarers[board])
                if given is not None:
                    values[board] = given
        return pl.Series(values, dtype=pl.Int32).replace(_NO_SCORE, None)


def _opener(padding: int, dealer: int, named: int) -> int:
    """Seat of the first call; rows may be padded up to it from the seat named or from West."""
    if padding and dealer in (named, (named + padding) % 4, (3 + padding) % 4):
        return dealer
    return named


def _enum(codes: NDArray[np.generic], dtype: pl.Enum) -> pl.Series:
    """Enum series of category codes; negative codes are null."""
    names: list[str | None] = list(dtype.categories)
    categories = pl.Series([*names, None], dtype=dtype)
    return categories.gather(pl.Series(np.where(codes < 0, len(names), codes).astype(np.uint32)))


def _ragged(matrix: NDArray[np.generic], counts: NDArray[np.int64]) -> pl.Series:
    """List series of the first ``counts`` values of each row."""
    width = max(1, int(counts.max()))
    rows = pl.DataFrame({"row": np.ascontiguousarray(matrix[:, :width]), "count": counts})
    return rows.select(pl.col("row").arr.to_list().list.head(pl.col("count"))).to_series()
