"""PBN files to a deal frame, and a deal frame to PBN.

Portable Bridge Notation 2.1 import format, read by what real files hold rather than by what
they should: every board becomes a row, every record that cannot be used a reject. Cut into games
by :mod:`.pbn_tokens`; the auction and play sections of all games are decoded together by
:mod:`.kernel`, odd ones by :mod:`.pbn_sections`. Written in the export order of tags; what PBN has
no tag for goes into the supplementary tag ``AlertedCalls``: numbers of the alerted calls, from 1,
written only where they are not simply the calls with a note.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import (
    CALL_TEXTS,
    PASS,
    SEATS,
    Auction,
    Deal,
    IllegalCall,
    InvalidDeal,
    InvalidInput,
    Seat,
    bid_strain,
    board_dealer,
    board_vulnerability,
    format_card,
    format_deal,
    parse_vulnerability,
)

from .columns import (
    BID,
    CALLS_END,
    DEALER,
    DECLARER,
    DOUBLING,
    I64,
    NORTH,
    PLAY_END,
    REMARKS_END,
    STATUS,
    TAIL_END,
    TRICKS,
    UNREADABLE,
    WEST,
    make_deals,
)
from .encodings import decode_text
from .frame import (
    AUCTION_STATUS,
    DEAL_SCHEMA,
    HAND_COLUMNS,
    REQUIRED_COLUMNS,
    Batch,
    Reject,
    empty_deals,
    reject_frame,
)
from .hand_text import Hands, read_hands
from .kernel import (
    IS_IRREGULAR,
    LEADER,
    MAX_CALLS,
    ODD,
    OPENER,
    TAG_DECLARER,
    decode_sections,
)
from .pbn_sections import (
    UNKNOWN,
    omitted_passes,
    outcome_of,
    read_auction,
    read_contract,
    read_play,
    read_result,
    read_score,
    read_seat,
)
from .pbn_tokens import FreeText, Game, Inheritance, split_games
from .play import count_declarer_tricks

_NUMBER = re.compile(r"\d+")
_ROOMS = {"open": 0, "closed": 1}
_NO_NAME = frozenset(("", "?"))


def read_pbn(data: bytes, source: str = "") -> Batch:
    r"""Read a PBN file.

    Every game and every run of foreign text is a record, numbered from 1 in the order of the
    file; deals and rejects together are the records. What is not given is derived: one unknown
    hand from the other three; the dealer from the ``Auction`` tag, else the board number, else
    the first hand named in ``Deal``; the vulnerability from the board number, else ``None``.
    If the ``Auction`` tag names another opener than ``Dealer``, the auction's seat stands;
    opening passes that a program left out are put back where contract, declarer and opening
    leader prove them (:func:`.pbn_sections.omitted_passes`). The contract comes from a complete
    auction, else from ``Contract`` and ``Declarer``; tricks from the cards played if they are
    all there, else from ``Result``; the score from ``Score``, else from contract and tricks. A
    call counts as alerted if it refers to a note; the note's text is its announcement.
    Comments are commentary.

    Parameters
    ----------
    data : bytes
        The file; the encoding is detected, whatever ``%Content-type`` claims.
    source : str
        Name for the columns ``source``.

    Returns
    -------
    Batch
        Deal frame and rejects frame.

    Examples
    --------
    >>> deal = b"N:AKQ.AKQ.AKQ.AKQ2 - T98.T987.T98.T98 765.65.765.76543"
    >>> batch = read_pbn(b'[Board "2"] [Deal "%b"]' % deal)
    >>> batch.deals.select("dealer", "vulnerability").rows(), batch.rejects.height
    ([('E', 'NS')], 0)
    """
    text, encoding = decode_text(data)
    return read_pbn_text(text, source=source, encoding=encoding)


def read_pbn_text(
    text: str,
    *,
    source: str = "",
    encoding: str = "utf-8",
    plain: bool = False,
    before: Inheritance | None = None,
    goes_on: bool = False,
) -> Batch:
    """Read decoded PBN text, or a part of one that :func:`.find_last_game` has cut.

    Parameters
    ----------
    text : str
    source, encoding : str
        Values of the columns of these names.
    plain : bool
        Decode every section with the plain readers, not with the kernel; the frame is the same.
    before, goes_on
        As for :func:`.split_games`.

    Examples
    --------
    >>> read_pbn_text('[Board "7"]').rejects["reason"].to_list()
    ['expected a [Deal] tag with four hands, got none']
    """
    boards: list[_Board] = []
    rejects: list[Reject] = []
    hands_of: dict[str, Hands | str] = {}
    for record in split_games(text, before, goes_on=goes_on):
        if isinstance(record, FreeText):
            line = record.text.partition("\n")[0]
            line = line if len(line) <= 60 else f"{line[:60]}…"
            reason = f"expected a tag such as '[Deal \"…\"]', got {line!r}"
            rejects.append((source, record.number, reason, record.text))
            continue
        deal = record.tags.get("Deal", "")
        hands = hands_of.get(deal)
        if hands is None:
            hands = hands_of[deal] = read_hands(deal)
        if isinstance(hands, str):
            tags = " ".join(f'[{name} "{value}"]' for name, value in record.tags.items())
            rejects.append((source, record.number, hands, deal or tags))
        else:
            boards.append(_board(record, hands))
    deals = _deals(boards, source, encoding, plain=plain) if boards else empty_deals()
    return Batch(deals, reject_frame(rejects))


class _Board(NamedTuple):
    """What is used of a game, so that its dictionaries need not be kept."""

    row: tuple[int, ...]
    """Values of :mod:`.kernel`'s columns, as the tags give them."""
    auction: str
    play: str
    result: str
    score: str
    event: str | None
    players: tuple[str, str, str, str]
    comments: list[str]
    notes: dict[str, str]
    alerted: str | None


def _board(game: Game, hands: Hands) -> _Board:
    number, tags, sections, notes, comments = game
    tag = tags.get
    board = _board_number(tag("Board", ""))
    dealer = read_seat(tag("Dealer", ""))
    opener = read_seat(tag("Auction", "")) if "Auction" in sections else UNKNOWN
    if dealer < 0:
        if opener >= 0:
            dealer = opener
        elif board > 0:
            dealer = int(board_dealer(board))
        else:
            dealer = read_seat(tag("Deal", "").lstrip()[:1])
    vulnerability = _vulnerability(tag("Vulnerable", ""))
    if vulnerability < 0:
        vulnerability = int(board_vulnerability(board)) if board > 0 else 0
    code = read_contract(tag("Contract", ""))
    declarer = tag("Declarer", "")
    seat = read_seat(declarer)
    row = (
        *hands, dealer, vulnerability, board, _ROOMS.get(tag("Room", "").lower(), -1),
        code // 3, code % 3, -1, -1, _STATUS_CODE["none"], 0, 0, 0, len(comments), number,
        opener if opener >= 0 else dealer, seat, declarer[:1] == "^" and seat >= 0,
        read_seat(tag("Play", "")), 0,
    )  # fmt: skip
    players = (tag("North", ""), tag("East", ""), tag("South", ""), tag("West", ""))
    return _Board(
        row, sections.get("Auction", ""), sections.get("Play", ""), tag("Result", ""),
        tag("Score", ""), tag("Event"), players, comments, notes, tag("AlertedCalls"),
    )  # fmt: skip


@lru_cache(4096)
def _board_number(text: str) -> int:
    numbers = _NUMBER.findall(text)
    if len(numbers) != 1 or len(numbers[0]) > 9:
        return UNKNOWN
    return int(numbers[0]) or UNKNOWN


@lru_cache(256)
def _vulnerability(text: str) -> int:
    if not text.strip():
        return UNKNOWN
    try:
        return int(parse_vulnerability(text))
    except InvalidDeal:
        return UNKNOWN


_STATUS_CODE = {name: code for code, name in enumerate(AUCTION_STATUS.categories)}


def _deals(boards: list[_Board], source: str, encoding: str, *, plain: bool) -> pl.DataFrame:
    """Decode the sections of all boards and make their frame."""
    size = len(boards)
    rows = np.array([board.row for board in boards], np.int64)
    calls = np.zeros((size, MAX_CALLS), np.uint8)
    notes = np.zeros((size, MAX_CALLS), np.uint8)
    cards = np.zeros((size, 52), np.uint8)
    if plain:
        rows[:, ODD] = 1
    else:
        sections = [section for board in boards for section in (board.auction, board.play)]
        ends = np.cumsum([len(section) for section in sections])
        bounds = np.concatenate(([0], ends))[:-1]
        bounds = np.stack([bounds, ends], axis=1).reshape(size, 4)
        # one byte a character, so that bounds in characters hold
        text = np.frombuffer("".join(sections).encode("ascii", "replace"), np.uint8)
        decode_sections(text, bounds, rows, calls, notes, cards)
    odd: dict[int, _Odd] = {}
    for place in np.flatnonzero(rows[:, ODD]).tolist():
        one = odd[place] = _decode_odd(boards[place], rows[place])
        count = len(one.calls)
        if count > calls.shape[1]:
            calls, notes = (
                np.pad(matrix, ((0, 0), (0, count - matrix.shape[1]))) for matrix in (calls, notes)
            )
        calls[place, :count] = one.calls
        notes[place] = 0
        cards[place, : len(one.play)] = one.play
    # the auction's seats are those of its opener
    rows[:, DEALER] = np.where(rows[:, CALLS_END] > 0, rows[:, OPENER], rows[:, DEALER])
    flat_calls = _front(calls, rows[:, CALLS_END])
    flat_cards = _front(cards, rows[:, PLAY_END])
    flat_notes = _front(notes, rows[:, CALLS_END])
    tail = list(chain.from_iterable(one.tail for one in odd.values()))
    declarers = rows[:, DECLARER].tolist()
    results = [
        read_result(board.result, declarer)
        for board, declarer in zip(boards, declarers, strict=True)
    ]
    from_tags = np.where(rows[:, BID] > 0, results, UNKNOWN)
    rows[:, TRICKS] = np.where(rows[:, TRICKS] < 0, from_tags, rows[:, TRICKS])
    scores = [
        read_score(board.score, declarer) for board, declarer in zip(boards, declarers, strict=True)
    ]
    columns = [CALLS_END, TAIL_END, PLAY_END, REMARKS_END]
    rows[:, columns] = np.cumsum(rows[:, columns], axis=0)
    announcements, alerts = _announcements(boards, odd, rows[:, CALLS_END], flat_notes)
    return make_deals(
        rows,
        calls=flat_calls,
        tail=np.array(tail, np.uint8),
        alerts=alerts,
        announcements=announcements,
        play=flat_cards,
        remarks=pl.Series(
            list(chain.from_iterable(board.comments for board in boards)), dtype=pl.String
        ),
        scores=pl.Series(scores, dtype=pl.Int32),
        players=_players(boards),
        event=pl.lit(
            pl.Series(
                [None if board.event in _NO_NAME else board.event for board in boards],
                dtype=pl.String,
            )
        ),
        source=pl.lit(source),
        encoding=pl.lit(encoding),
    )


def _front(matrix: NDArray[np.uint8], counts: I64) -> NDArray[np.uint8]:
    """First values of each row, one row behind the other."""
    return matrix[np.arange(matrix.shape[1]) < counts[:, None]]


def _players(boards: list[_Board]) -> pl.Expr:
    """Names in seat order; null if none is given."""
    by_seat = [
        pl.Series(["" if name == "?" else name for name in names], dtype=pl.String)
        for names in zip(*(board.players for board in boards), strict=True)
    ]
    is_named = pl.Series([not _NO_NAME.issuperset(board.players) for board in boards])
    return pl.when(pl.lit(is_named)).then(pl.concat_list(map(pl.lit, by_seat)))


class _Odd(NamedTuple):
    """An auction and a play that the kernel leaves to the plain readers."""

    calls: list[int]
    notes: list[list[str]]
    tail: list[int]
    play: list[int]


def _decode_odd(board: _Board, row: I64) -> _Odd:
    """Decode the sections of a board, and fill in its row."""
    dealer, named = int(board.row[DEALER]), int(board.row[OPENER])
    bid, doubling, declarer, leader = (
        int(board.row[column]) for column in (BID, DOUBLING, TAG_DECLARER, LEADER)
    )
    code = 3 * bid + doubling
    auction = read_auction(board.auction, named)
    # rows may be padded up to the first call from the seat named or from West
    padding = auction.padding
    is_dealers = padding and dealer in (named, (named + padding) % 4, (3 + padding) % 4)
    opener = dealer if is_dealers else named
    calls, notes = auction.calls, auction.notes
    if Auction.of(calls, opener).is_complete:
        outcome = outcome_of(calls, opener)
        if not row[IS_IRREGULAR]:
            omitted = omitted_passes(calls, outcome, code, declarer, leader)
            calls = [PASS] * omitted + calls
            notes = [[] for _ in range(omitted)] + notes
            outcome = outcome_of(calls, opener)
            declarer = outcome.declarer
        bid, doubling = divmod(outcome.code, 3)
    if bid == 0:
        declarer = UNKNOWN
    if declarer >= 0:
        leader = (declarer + 1) % 4
    play: list[int] = []
    tricks = None
    if bid > 0 and leader >= 0:
        hands = board.row[NORTH : WEST + 1]
        play = read_play(board.play, hands, leader, bid_strain(bid))
        if declarer >= 0:
            tricks = count_declarer_tricks(play, hands, declarer, bid_strain(bid))
    tail = auction.tail if auction.status == "illegal" else []
    row[BID : STATUS + 1] = (
        bid, doubling, declarer, UNKNOWN if tricks is None else tricks,
        _STATUS_CODE[auction.status],
    )  # fmt: skip
    row[OPENER] = opener
    row[[CALLS_END, TAIL_END, PLAY_END]] = len(calls), len(tail), len(play)
    return _Odd(calls, notes, tail, play)


def _announcements(
    boards: list[_Board], odd: dict[int, _Odd], ends: I64, notes: NDArray[np.uint8]
) -> tuple[dict[int, str], NDArray[np.bool_]]:
    """Texts by place and flags by call; a call that refers to a note is alerted."""
    alerts = notes > 0
    places = np.flatnonzero(alerts)
    texts = {
        place: boards[board].notes.get(str(number), "")
        for place, number, board in zip(
            places.tolist(),
            notes[places].tolist(),
            np.searchsorted(ends, places, "right").tolist(),
            strict=True,
        )
    }
    for place, one in odd.items():
        first = int(ends[place]) - len(one.calls)
        of_number = boards[place].notes
        for call, numbers in enumerate(one.notes, first):
            alerts[call] = bool(numbers)
            found = [of_number[number] for number in numbers if of_number.get(number)]
            if found:
                texts[call] = "; ".join(found)
    for place, board in enumerate(boards):
        if board.alerted is not None:
            # our writer's tag for alerts that are not simply the calls with a note
            first = int(ends[place - 1]) if place else 0
            count = int(ends[place]) - first
            words = [word for word in board.alerted.split() if word.isascii() and word.isdigit()]
            alerts[first : first + count] = False
            alerts[[first + int(word) - 1 for word in words if 0 < int(word) <= count]] = True
    return texts, alerts


_HEADER = "% PBN 2.1\n% EXPORT\n"
_VULNERABLE = {"None": "None", "NS": "NS", "EW": "EW", "Both": "All"}
_LINE_BREAKS = re.compile(r"[\r\n]+")
_SWALLOWED_TAG = re.compile(r"^(?=\[)", re.MULTILINE)


def write_pbn(frame: pl.DataFrame, file: str | Path | TextIO) -> None:
    """Write a deal frame to a PBN file, UTF-8.

    Reading the file gives the frame back, apart from ``source``, ``record`` and ``encoding``,
    if contract, declarer, tricks and score agree with the calls and cards as the reader
    derives them. PBN cannot hold some things: line breaks in names, events and announcements
    become blanks; a closing brace in a remark of several lines becomes a bracket; play without
    a contract and a declarer, calls behind one that could not be read, and an empty or padded
    remark are left out or trimmed.

    Parameters
    ----------
    frame : polars.DataFrame
        Deal frame; columns but the six required ones may be missing.
    file : path or text file
        A path is created or overwritten.

    Raises
    ------
    InvalidInput
        If a required column is missing or null.

    Examples
    --------
    >>> from bidcascade.loaders.random_deals import random_deals
    >>> import io
    >>> with io.StringIO() as text:
    ...     write_pbn(random_deals(1, seed=1), text)
    ...     text.getvalue().splitlines()[5]
    '[Board "1"]'
    """
    if isinstance(file, str | Path):
        with Path(file).open("w", encoding="utf-8", newline="\n") as opened:
            write_pbn(frame, opened)
        return
    file.write(_HEADER)
    for text in format_games(frame):
        file.write(text)


def format_games(frame: pl.DataFrame) -> Iterator[str]:
    """Give the text of each game of a deal frame, blank line included.

    Examples
    --------
    >>> from bidcascade.loaders.random_deals import random_deals
    >>> sum(game.count("[Deal ") for game in format_games(random_deals(3, seed=1)))
    3
    """
    missing = [name for name in REQUIRED_COLUMNS if name not in frame.columns]
    if missing:
        raise InvalidInput(
            f"expected the columns {', '.join(REQUIRED_COLUMNS)}, got no {missing!r}"
        )
    known = frame.select(name for name in frame.columns if name in DEAL_SCHEMA)
    for number, row in enumerate(known.iter_rows(named=True)):
        if any(row[name] is None for name in REQUIRED_COLUMNS):
            raise InvalidInput(
                f"expected hands, dealer and vulnerability, got a null in row {number}"
            )
        yield "\n".join(_game(row)) + "\n\n"


def _game(row: dict[str, Any]) -> Iterator[str]:
    dealer = Seat(SEATS.index(row["dealer"]))
    hands = [row[name] for name in HAND_COLUMNS]
    deal = Deal((hands[0], hands[1], hands[2], hands[3]), dealer)
    players = row.get("players") or [""] * 4
    board = row.get("board")
    yield _tag("Event", row.get("event") or "")
    yield _tag("Site", "")
    yield _tag("Date", "")
    yield _tag("Board", "" if board is None else str(board))
    for place, name in ((3, "West"), (0, "North"), (1, "East"), (2, "South")):
        yield _tag(name, players[place])
    yield _tag("Dealer", dealer.letter)
    yield _tag("Vulnerable", _VULNERABLE[row["vulnerability"]])
    yield _tag("Deal", format_deal(deal, first=dealer))
    yield _tag("Scoring", "")
    calls = row.get("auction") or []
    contract, declarer = row.get("contract"), row.get("declarer")
    passed_out = contract == "Pass"
    irregular = (
        "^" if declarer is not None and _declarer(calls, dealer) not in (None, declarer) else ""
    )
    yield _tag("Declarer", "" if passed_out else irregular + (declarer or "?"))
    yield _tag("Contract", _contract_text(contract))
    tricks = row.get("tricks")
    yield _tag("Result", "" if tricks is None else str(tricks))
    if row.get("room") is not None:
        yield _tag("Room", row["room"].capitalize())
    if row.get("score") is not None:
        yield _tag("Score", f"NS {row['score']}")
    for remark in row.get("commentary") or ():
        yield from _remark(remark)
    tail = row.get("illegal_tail") or []
    if calls or tail:
        yield from _auction(row, dealer, calls, tail)
    if contract and not passed_out and declarer is not None and row.get("play"):
        yield from _play(row["play"], hands, SEATS.index(declarer))


def _tag(name: str, value: str) -> str:
    text = _LINE_BREAKS.sub(" ", value).replace("\\", "\\\\").replace('"', '\\"')
    if text.startswith("#"):
        # a bare number sign would repeat the value of the game before
        text = "\\" + text
    return f'[{name} "{text}"]'


def _remark(text: str) -> Iterator[str]:
    text = text.strip()
    if not text:
        return
    if "}" not in text:
        yield f"{{{_SWALLOWED_TAG.sub(' ', text)}}}"
    elif _LINE_BREAKS.search(text) is None:
        yield f";{text}"
    else:
        yield f"{{{_SWALLOWED_TAG.sub(' ', text.replace('}', ']'))}}}"


def _contract_text(contract: str | None) -> str:
    if contract is None:
        return "?"
    return contract.replace("N", "NT", 1) if contract[1:2] == "N" else contract


def _declarer(calls: list[int], dealer: Seat) -> str | None:
    """Seat letter of the declarer that a complete auction gives."""
    try:
        auction = Auction.of(calls, dealer)
    except IllegalCall:
        return None
    declarer = auction.declarer if auction.is_complete else None
    return None if declarer is None else declarer.letter


def _auction(row: dict[str, Any], dealer: Seat, calls: list[int], tail: list[int]) -> Iterator[str]:
    texts: list[str] = row.get("announcements") or [""] * len(calls)
    alerts: list[bool] = row.get("alerts") or [bool(text) for text in texts]
    number_of: dict[str, int] = {}
    words: list[str] = []
    for call, text, alert in zip(calls, texts, alerts, strict=True):
        word = _call_text(call)
        if text or alert:
            text = _LINE_BREAKS.sub(" ", text).strip()
            word += f" ={number_of.setdefault(text, len(number_of) + 1)}="
        words.append(word)
    if tail:
        words.append("^S")
        words.extend("#" if call == UNREADABLE else _call_text(call) for call in tail)
    elif row.get("auction_status") == "unfinished":
        words.append("*")
    noted = [bool(text) or alert for text, alert in zip(texts, alerts, strict=True)]
    if noted != alerts:
        numbers = " ".join(str(place) for place, alert in enumerate(alerts, start=1) if alert)
        yield _tag("AlertedCalls", numbers)
    yield _tag("Auction", dealer.letter)
    for start in range(0, len(words), 4):
        yield " ".join(words[start : start + 4])
    for text, number in number_of.items():
        yield _tag("Note", f"{number}:{text}")


def _call_text(call: int) -> str:
    text = CALL_TEXTS[call]
    return "Pass" if text == "P" else text.replace("N", "NT")


def _play(cards: list[int], hands: list[int], declarer: int) -> Iterator[str]:
    """Rows of the play section: columns are the seats from the opening leader on."""
    leader = (declarer + 1) % 4
    yield _tag("Play", SEATS[leader])
    for start in range(0, len(cards), 4):
        row = ["-"] * 4
        for card in cards[start : start + 4]:
            owner = next(seat for seat in range(4) if hands[seat] >> card & 1)
            row[(owner - leader) % 4] = format_card(card)
        yield " ".join(row)
    if len(cards) < 52:
        yield "*"
