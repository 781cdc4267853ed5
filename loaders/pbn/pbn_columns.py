"""Gather PBN games board by board and turn them into a deal frame at the end."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import (
    PASS,
    SEATS,
    Auction,
    InvalidDeal,
    bid_strain,
    board_dealer,
    board_vulnerability,
    parse_vulnerability,
)
from bidcascade.kernels.core.files.pbn import (
    COMPLETE,
    ILLEGAL,
    MAX_CALLS,
    NONE,
    PbnSections,
    read_pbn_sections,
)
from bidcascade.kernels.core.functions import has_core
from bidcascade.kernels.machine.caches import bounded_cache
from bidcascade.kernels.types import I64
from bidcascade.loaders.frames.columns import (
    contract_codes,
    contract_names,
    enum_values,
    north_south_scores,
    ragged,
)
from bidcascade.loaders.frames.frame import (
    AUCTION_STATUS,
    DEAL_SCHEMA,
    QUOTED,
    ROOM,
    SEAT_ENUM,
    VULNERABILITY_ENUM,
    Batch,
    empty_deals,
    is_alert_alone,
    known_hands,
    left_out_row,
    play_remark,
    reader_remark,
    reject_frame,
)
from bidcascade.loaders.frames.play import declarer_tricks
from bidcascade.loaders.limits import MOST_LISTED
from bidcascade.loaders.text.hand_text import Hands

from .pbn_sections import (
    PASSED_OUT,
    UNKNOWN,
    contract_name,
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

_NUMBER = re.compile("[0-9]+")
_PLACE = re.compile("0*([0-9]{1,4})")
_STATUS_CODE = {name: code for code, name in enumerate(AUCTION_STATUS.categories)}
_ROOM_CODE = {"open": 0, "Open": 0, "closed": 1, "Closed": 1, "OPEN": 0, "CLOSED": 1}
_SEPARATOR = "\0"
"""Joins texts until polars splits them; :mod:`.pbn_tokens` takes it out of the input."""
_CARDS = re.compile("[0-9A-Za-z]")
"""Whether a play section says anything but signs for what is missing."""
_BLANKS = re.compile(r"[ \t\r\n]+")
_NO_NAME = re.compile(r"\??|-+")
_NO_WORD = " \t^?*-#"
_SIMPLE = 9
"""Outcome code of one club: whether a result is one is seen whatever the contract."""
_NO_NOTES: dict[str, str] = {}


class BoardColumns:
    """Boards and rejects of one source.

    Texts are taken out of each game at once, so that its dictionaries need not be kept.
    """

    def __init__(self, source: str, encoding: str) -> None:
        self.source = source
        self.encoding = encoding
        self.rows: list[tuple[Any, ...]] = []
        self.notes: dict[int, dict[str, str]] = {}
        self.alerted: dict[int, str] = {}
        self.rejects: list[tuple[str, int | None, str, str]] = []
        self.left_out = 0

    def __len__(self) -> int:
        return len(self.rows)

    def reject(self, number: int, reason: str, text: str) -> None:
        """Add a record that could not be used."""
        if len(self.rejects) < MOST_LISTED:
            self.rejects.append((self.source, number, reason, text[:QUOTED]))
        else:
            self.left_out += 1

    def add(self, game: Game, hands: Hands) -> None:
        """Add a board."""
        number, tags, sections, notes, comments, *_ = game
        tag = tags.get
        if notes:
            self.notes[len(self.rows)] = {
                key: "" if is_alert_alone(text) else text for key, text in notes.items()
            }
        if "AlertedCalls" in tags:
            self.alerted[len(self.rows)] = tags["AlertedCalls"]
        board = _board_number(tag("Board", ""))
        dealer = read_seat(tag("Dealer", ""))
        opener = read_seat(tag("Auction", "")) if "Auction" in sections else UNKNOWN
        if dealer < 0:
            if opener >= 0:
                dealer = opener
            elif board and not _has_value(tag("Dealer", "")):
                dealer = int(board_dealer(board))
            else:
                # hands as LIN has them may name nobody
                dealer = max(0, read_seat(tag("Deal", "").lstrip()[:1]))
        vulnerability = _vulnerability(tag("Vulnerable", ""))
        is_known = vulnerability >= 0 or not _has_value(tag("Vulnerable", ""))
        if vulnerability < 0:
            vulnerability = int(board_vulnerability(board)) if board and is_known else 0
        declarer = tag("Declarer", "")
        if unread := _unread(tags):
            comments = [*comments, *unread]
        play = sections.get("Play", "")
        if play and not all(hands):
            # cards cannot be followed through hands that are unknown
            if _CARDS.search(play):
                comments = [*comments, play_remark(_BLANKS.sub(" ", play).strip(" "))]
            play = ""
        self.rows.append(
            (
                number, hands, board, dealer, opener if opener >= 0 else dealer, vulnerability,
                is_known, sections.get("Auction", ""), play, read_seat(tag("Play", "")),
                read_contract(tag("Contract", "")), read_seat(declarer), declarer[:1] == "^",
                tag("Result", ""), tag("Score", ""), _ROOM_CODE.get(tag("Room", ""), UNKNOWN),
                tag("Event"),
                _players(tag("North", ""), tag("East", ""), tag("South", ""), tag("West", "")),
                _SEPARATOR.join(comments) if comments else "", len(comments),
            )
        )  # fmt: skip

    def batch(self, *, plain: bool) -> Batch:
        """Decode the sections and make the frames."""
        deals = _Decoder(self, plain=plain).frame() if self.rows else empty_deals()
        if not self.left_out:
            return Batch(deals, reject_frame(self.rejects))
        row = left_out_row(self.source, self.left_out, len(self.rejects))
        return Batch(deals, reject_frame([*self.rejects, row]))


@bounded_cache(4096)
def _board_number(text: str) -> int | None:
    numbers = _NUMBER.findall(text)
    if len(numbers) != 1 or len(numbers[0]) > 9:
        return None
    return int(numbers[0]) or None


@bounded_cache(256)
def _vulnerability(text: str) -> int:
    if not text.strip():
        return UNKNOWN
    try:
        return int(parse_vulnerability(text))
    except InvalidDeal:
        return UNKNOWN


def _has_value(text: str) -> bool:
    """Whether a tag says anything: what is not known is left out or written as ``?`` or ``-``."""
    return bool(text.strip(_NO_WORD))


def _unread(tags: dict[str, str]) -> list[str]:
    """Tell of the tags that say something but not what they should."""
    return [
        remark
        for name in _WORDS
        if name in tags and (remark := _remark(name, tags[name])) is not None
    ]


@bounded_cache(1 << 14)
def _remark(name: str, text: str) -> str | None:
    expected, is_read = _WORDS[name]
    if is_read(text) or not _has_value(text):
        return None
    return reader_remark(f"{expected} in {name}", text.strip())


_WORDS: Final[dict[str, tuple[str, Callable[[str], bool]]]] = {
    "Dealer": ("a seat (N, E, S or W)", lambda text: read_seat(text) >= 0),
    "Vulnerable": (
        "a vulnerability (None, NS, EW or Both)",
        lambda text: _vulnerability(text) >= 0,
    ),
    "Contract": ("a contract such as 4SX", lambda text: read_contract(text) >= 0),
    "Declarer": ("a seat (N, E, S or W)", lambda text: read_seat(text) >= 0),
    "Result": ("tricks from 0 to 13", lambda text: read_result(text, 0, _SIMPLE) >= 0),
    "Score": ("a score such as NS 420", lambda text: read_score(text, 0) is not None),
}


def _players(*names: str) -> str | None:
    """Names in seat order, joined by the separator; ``None`` if none is given."""
    joined = _SEPARATOR.join(names)
    if "?" in joined or "-" in joined:
        joined = _SEPARATOR.join("" if _NO_NAME.fullmatch(name) else name for name in names)
    return joined if len(joined) >= len(names) else None


class _Decoder:
    """Sections of all boards, decoded into arrays."""

    def __init__(self, boards: BoardColumns, *, plain: bool) -> None:
        self.boards = boards
        size = len(boards)
        (
            self.records, self.hands, self.numbers, self.dealers, self.openers, vulnerabilities,
            sides_known, self.auctions, self.plays, leaders, codes, declarers, irregular,
            self.results, self.scores, self.rooms, self.events, self.players, self.comments,
            self.comment_counts,
        ) = zip(*boards.rows, strict=True)  # fmt: skip
        plain = plain or not has_core()
        self.vulnerability = np.array(vulnerabilities, np.int64)
        self.is_vulnerability_known = np.array(sides_known, np.bool_)
        tag_declarer = np.array(declarers, np.int64)
        self.sections = PbnSections(
            opener=np.array(self.openers, np.int64),
            hands=np.array(self.hands, np.uint64),
            tag_code=np.array(codes, np.int64),
            tag_declarer=tag_declarer,
            is_irregular=np.array(irregular, np.bool_) & (tag_declarer >= 0),
            play_leader=np.array(leaders, np.int64),
            calls=np.zeros((size, MAX_CALLS), np.uint8),
            notes=np.zeros((size, MAX_CALLS), np.uint8),
            call_count=np.zeros(size, np.int64),
            status=np.full(size, NONE, np.int64),
            cards=np.zeros((size, 52), np.uint8),
            card_count=np.zeros(size, np.int64),
            code=np.full(size, UNKNOWN, np.int64),
            declarer=np.full(size, UNKNOWN, np.int64),
            tricks=np.full(size, UNKNOWN, np.int64),
            odd=np.full(size, plain, np.bool_),
        )
        self.tails: dict[int, list[int]] = {}
        self.note_lists: dict[int, list[list[str]]] = {}
        self.unread_plays: dict[int, str] = {}
        if not plain:
            texts = [text.encode() for text in self.auctions + self.plays]
            ends = np.cumsum(np.array([len(text) for text in texts], np.int64))
            bounds = np.stack([np.concatenate([[0], ends[:-1]]), ends], axis=1)
            read_pbn_sections(b"".join(texts), bounds[:size], bounds[size:], self.sections)
        for board in np.flatnonzero(self.sections.odd).tolist():
            self._decode_odd_case(board)

    def _decode_odd_case(self, board: int) -> None:
        out = self.sections
        auction = read_auction(self.auctions[board], self.openers[board])
        opener = _opener(auction.padding, self.dealers[board], self.openers[board])
        calls, notes = auction.calls, auction.notes
        code, declarer = int(out.tag_code[board]), int(out.tag_declarer[board])
        leader = int(out.play_leader[board])
        if Auction.of(calls, opener).is_complete:
            outcome = outcome_of(calls, opener)
            if not out.is_irregular[board]:
                omitted = omitted_passes(calls, outcome, code, declarer, leader)
                calls = [PASS] * omitted + calls
                notes = [[] for _ in range(omitted)] + notes
                outcome = outcome_of(calls, opener)
                declarer = outcome.declarer
            code = outcome.code
        if code == PASSED_OUT:
            declarer = UNKNOWN
        if declarer >= 0:
            leader = (declarer + 1) % 4
        played: list[int] = []
        tricks = None
        if code > PASSED_OUT and leader >= 0:
            strain = bid_strain(code // 3)
            played, unread = read_play(self.plays[board], self.hands[board], leader, strain)
            if unread:
                self.unread_plays[board] = unread
            if declarer >= 0:
                tricks = declarer_tricks(played, self.hands[board], declarer, strain)
        count = len(calls)
        missing = count - out.calls.shape[1]
        if missing > 0:
            wide = [np.pad(matrix, ((0, 0), (0, missing))) for matrix in (out.calls, out.notes)]
            out = self.sections = out._replace(calls=wide[0], notes=wide[1])
        out.opener[board] = opener
        out.calls[board] = out.notes[board] = out.cards[board] = 0
        out.calls[board, :count] = calls
        out.call_count[board] = count
        out.status[board] = _STATUS_CODE[auction.status]
        out.code[board], out.declarer[board] = code, declarer
        out.cards[board, : len(played)] = played
        out.card_count[board] = len(played)
        out.tricks[board] = UNKNOWN if tricks is None else tricks
        self.note_lists[board] = notes
        if auction.status == "illegal":
            self.tails[board] = auction.tail

    def frame(self) -> pl.DataFrame:
        """Make the deal frame in one pass over columns of plain values."""
        out = self.sections
        size = len(self.records)
        code, declarer = out.code, out.declarer
        declarers = declarer.tolist()
        # from the cards, else from the tags
        results = np.array(list(map(read_result, self.results, declarers, code.tolist())), np.int64)
        others = self._other_contracts()
        results[(code <= PASSED_OUT) | others] = UNKNOWN
        tricks = np.where(out.tricks < 0, results, out.tricks)
        bid, doubling = np.where(code > 0, code // 3, code), code % 3
        is_scored = (declarer >= 0) & self.is_vulnerability_known
        points = north_south_scores(
            bid, doubling, declarer, np.where(is_scored, tricks, UNKNOWN), self.vulnerability
        )
        given = [
            None if is_other else read_score(text, seat)
            for text, seat, is_other in zip(self.scores, declarers, others.tolist(), strict=True)
        ]
        comments, comment_counts = self._comments(np.flatnonzero(others).tolist())
        tail_count = np.zeros(size, np.int64)
        for board, calls in self.tails.items():
            tail_count[board] = len(calls)
        # one behind the other: the longest may have a thousand times the calls of the others
        tails = [call for _, calls in sorted(self.tails.items()) for call in calls]
        tail = ragged(pl.Series(np.array(tails, np.uint8)), np.cumsum(tail_count))
        announcements, alerts = self._announcements()
        columns = pl.DataFrame(
            {
                **known_hands(out.hands),
                # the auction's seats are those of its opener
                "dealer": np.where(out.call_count > 0, out.opener, np.array(self.dealers)),
                "vulnerability": self.vulnerability,
                "board": pl.Series(self.numbers, dtype=pl.Int32),
                "room": np.array(self.rooms, np.int64),
                "auction": _trimmed(out.calls, out.call_count),
                "auction_count": out.call_count,
                "auction_status": out.status,
                "illegal_call": np.where(out.status == ILLEGAL, out.call_count, -1),
                "illegal_tail": tail,
                "announcements": pl.Series(announcements, dtype=pl.String),
                "alerts": _trimmed(alerts, out.call_count),
                "commentary": pl.Series(comments, dtype=pl.String),
                "commentary_count": np.array(comment_counts, np.int64),
                "contract": contract_codes(bid, doubling),
                "declarer": declarer,
                "tricks": tricks,
                "points": points,
                "score": pl.Series(given, dtype=pl.Int32),
                "play": _trimmed(out.cards, out.card_count),
                "play_count": out.card_count,
                "players": pl.Series(self.players, dtype=pl.String),
                "event": pl.Series(self.events, dtype=pl.String),
                "record": pl.Series(self.records, dtype=pl.UInt32),
            }
        )
        return columns.select(
            *_expressions(),
            pl.lit(self.boards.source, dtype=pl.String).alias("source"),
            pl.lit(self.boards.encoding, dtype=pl.String).alias("encoding"),
        ).select(DEAL_SCHEMA.names())

    def _other_contracts(self) -> NDArray[np.bool_]:
        """Tell which boards have tags that speak of another contract than a complete auction.

        Their tricks and score are not those of the board then. Programs that lose a double are
        many: it alone makes no other contract.
        """
        out = self.sections
        is_other_bid = (out.tag_code >= 0) & (out.tag_code // 3 != out.code // 3)
        is_other_seat = (out.tag_declarer >= 0) & (out.tag_declarer != out.declarer)
        others: NDArray[np.bool_] = is_other_bid | (out.code > PASSED_OUT) & is_other_seat
        others &= out.status == COMPLETE
        return others

    def _comments(self, others: list[int]) -> tuple[list[str], list[int]]:
        """Comments of all boards, with remarks about tags of another contract and about cards."""
        out = self.sections
        remarks: list[tuple[int, str]] = []
        for board in others:
            made = _contract_text(int(out.code[board]), int(out.declarer[board]))
            tags = _contract_text(int(out.tag_code[board]), int(out.tag_declarer[board]))
            remark = reader_remark(f"the contract of the auction ({made})", tags)
            remarks.append((board, remark))
        for board, text in self.unread_plays.items():
            remarks.append((board, reader_remark("cards such as SA in Play", text)))
        comments, counts = list(self.comments), list(self.comment_counts)
        for board, remark in remarks:
            comments[board] += _SEPARATOR * (counts[board] > 0) + remark
            counts[board] += 1
        return comments, counts

    def _announcements(self) -> tuple[list[str], NDArray[np.bool_]]:
        """Give texts (joined) and flags per call; a call that refers to a note is alerted."""
        notes_of = self.boards.notes
        numbers_of = self.sections.notes
        counts = self.sections.call_count.tolist()
        silent = ["", *(_SEPARATOR * count for count in range(max(counts)))]
        texts = [silent[count] for count in counts]
        flags = numbers_of > 0
        for board in np.flatnonzero(flags.any(axis=1)).tolist():
            notes = notes_of.get(board, _NO_NOTES)
            texts[board] = _SEPARATOR.join(
                notes.get(str(number), "") if number else ""
                for number in numbers_of[board, : counts[board]].tolist()
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
            words = map(_PLACE.fullmatch, text.split())
            places = [int(word[1]) - 1 for word in words if word is not None]
            flags[board] = False
            flags[board, [place for place in places if 0 <= place < counts[board]]] = True
        return texts, flags


@cache
def _expressions() -> list[pl.Expr]:
    """How each column of the deal frame, but the last few, is made from the plain columns."""
    special = {
        "dealer": _chosen("dealer", enum_values(SEAT_ENUM)),
        "vulnerability": _chosen("vulnerability", enum_values(VULNERABILITY_ENUM)),
        "room": _chosen("room", enum_values(ROOM)),
        "auction": _ragged("auction", "auction_count"),
        "auction_status": _chosen("auction_status", enum_values(AUCTION_STATUS)),
        "illegal_call": _known("illegal_call").cast(pl.UInt16),
        "announcements": _texts("announcements").list.head(pl.col("auction_count")),
        "alerts": _ragged("alerts", "auction_count"),
        "commentary": _texts("commentary").list.head(pl.col("commentary_count")),
        "contract": _chosen("contract", contract_names()),
        "declarer": _chosen("declarer", enum_values(SEAT_ENUM)),
        "tricks": _known("tricks").cast(pl.UInt8),
        "score": pl.coalesce("score", "points"),
        "play": _ragged("play", "play_count"),
        "players": _texts("players"),
        "event": pl.when(~pl.col("event").is_in(["", "?"])).then(pl.col("event")),
    }
    return [
        special.get(name, pl.col(name)).alias(name)
        for name in DEAL_SCHEMA
        if name not in ("source", "encoding")
    ]


def _contract_text(code: int, declarer: int) -> str:
    """Contract and declarer in words, as far as they are known."""
    name = contract_name(code) or ""
    seat = f"by {SEATS[declarer]}" if declarer >= 0 and code != PASSED_OUT else ""
    return f"{name} {seat}".strip()


def _known(name: str) -> pl.Expr:
    return pl.when(pl.col(name) >= 0).then(pl.col(name))


def _chosen(name: str, values: pl.Series) -> pl.Expr:
    """Values by code; negative codes are null."""
    return pl.lit(values).gather(_known(name).cast(pl.UInt32))


def _ragged(name: str, count: str) -> pl.Expr:
    """Take the first values of each row of a matrix as a list."""
    return pl.col(name).arr.to_list().list.head(pl.col(count))


def _texts(name: str) -> pl.Expr:
    """Split texts that were joined by the separator."""
    return pl.col(name).str.split(_SEPARATOR)


def _trimmed(matrix: NDArray[np.generic], counts: I64) -> NDArray[np.generic]:
    """Matrix without the columns that no row uses, but at least one."""
    return np.ascontiguousarray(matrix[:, : max(1, int(counts.max()))])


def _opener(padding: int, dealer: int, named: int) -> int:
    """Seat of the first call; rows may be padded up to it from the seat named or from West."""
    if padding and dealer in (named, (named + padding) % 4, (3 + padding) % 4):
        return dealer
    return named
