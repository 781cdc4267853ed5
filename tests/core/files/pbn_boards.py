"""Boards of PBN as the core gives them to the page, in the form of the loaders' frames."""

import ctypes
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from bidcascade.bridge import (
    SEATS,
    InvalidDeal,
    Vulnerability,
    board_vulnerability,
    parse_vulnerability,
    score,
)
from bidcascade.loaders.frames.frame import play_remark, reader_remark
from bidcascade.loaders.pbn.pbn_sections import contract_name, contract_of
from tests.core.probes import build_probe

WORDS = 30
"""Of a record, with those of its hands: ``PbnRecord`` of ``pbn_boards.hpp``."""

NO_PBN = 1
NO_DEAL = 2
WRONG_DEAL = 3
LONG_GAME = 4
MANY_TOKENS = 5
LONG_TAG = 6
LONG_HEADER = 7
WRONG_VALUES = 8
NO_RESULT = 9
"""Kinds of records that are none: ``PbnRecordKind``."""
EXPECTED = {
    2: "a seat (N, E, S or W) in Dealer",
    3: "a vulnerability (None, NS, EW or Both) in Vulnerable",
    4: "a contract such as 4SX in Contract",
    5: "a seat (N, E, S or W) in Declarer",
    6: "tricks from 0 to 13 in Result",
    7: "a score such as NS 420 in Score",
    10: "cards such as SA in Play",
    11: "one table in Multiplicity",
}
"""What a remark of the reader expects, by the kind of the comment."""


class Record(NamedTuple):
    """A record as the core has it."""

    kind: int
    number: int
    board: int
    room: int
    dealer: int
    says_sides: int
    contract: int
    declarer: int
    tricks: int
    has_score: int
    score: int
    told_contract: int
    told_declarer: int
    pairs: int
    expected: int
    got: int
    hands: list[int]
    calls: list[int]
    alerts: list[bool]
    tail: list[int]
    cards: list[int]
    kinds: list[int]
    texts: list[str]


def core_records(data: bytes) -> Iterator[Record]:
    """Records of a text, one after the other; numbers are looked at before they are followed."""
    probe = build_probe("pbn_boards", "-DCORE_CHECKED")
    probe.open_boards.restype = ctypes.c_void_p
    probe.next_board.restype = ctypes.c_bool
    text = ctypes.create_string_buffer(data, len(data))
    boards = ctypes.c_void_p(probe.open_boards(text, ctypes.c_uint64(len(data))))
    words, places = np.zeros(WORDS, np.int32), (ctypes.c_void_p * 7)()
    size = ctypes.c_uint64()
    told = words.ctypes.data_as(ctypes.c_void_p)

    def array(which: int, count: int, width: int = 1) -> bytes:
        return ctypes.string_at(places[which], width * count) if count else b""

    while probe.next_board(boards, told, ctypes.byref(size), places):
        calls, tail, cards, comments, texts = words[16:21].tolist()
        ends = np.frombuffer(array(5, texts, 4), np.uint32).tolist()
        written = array(6, size.value)
        yield Record(
            *words[:16].tolist(),
            words[22:].view(np.uint64).tolist(),
            list(array(0, calls)),
            [one == 1 for one in array(1, calls)],
            list(array(2, tail)),
            list(array(3, cards)),
            list(array(4, comments)),
            [
                written[start:end].decode("utf-8", "replace")
                for start, end in zip([0, *ends], ends, strict=False)
            ],
        )
    probe.close_boards(boards)


def board_of(record: Record) -> dict[str, Any]:
    """What a board says, by columns of the deal frame."""
    sides, event, *names = record.texts[:6]
    said = record.texts[6 : 6 + len(record.calls)]
    board = None if record.board < 0 else record.board
    try:
        vulnerability = parse_vulnerability(sides)
        is_read = True
    except InvalidDeal:
        is_read = False
        vulnerability = Vulnerability.NONE
        if board and not record.says_sides:
            vulnerability = board_vulnerability(board)
    remarks = [
        text
        for kind, written in zip(record.kinds, record.texts[6 + len(said) :], strict=True)
        if (text := comment_of(record, kind, written, is_read=is_read))
    ]
    pairs = [
        f"pair {name}" if record.pairs >> seat & 1 else name for seat, name in enumerate(names)
    ]
    return {
        "record": record.number,
        "board": board,
        "room": [None, "open", "closed"][record.room + 1],
        "hands": record.hands,
        "dealer": SEATS[record.dealer],
        "vulnerability": vulnerability.text,
        "auction": record.calls,
        "illegal_tail": record.tail,
        "alerts": record.alerts,
        "announcements": said,
        "commentary": remarks,
        "contract": contract_name(record.contract),
        "declarer": None if record.declarer < 0 else SEATS[record.declarer],
        "tricks": None if record.tricks < 0 else record.tricks,
        "score": score_of(record, vulnerability, is_scored=is_read or not record.says_sides),
        "play": record.cards,
        "players": pairs if any(pairs) else None,
        "event": event or None,
    }


def score_of(record: Record, vulnerability: Vulnerability, *, is_scored: bool) -> int | None:
    """The score that is written, else what contract and tricks are worth."""
    if record.has_score or record.contract == 0:
        return record.score
    contract = contract_of(record.contract, record.declarer)
    if contract is None or record.tricks < 0 or not is_scored:
        return None
    is_vulnerable = bool(vulnerability >> (record.declarer & 1) & 1)
    points = score(contract, record.tricks, vulnerable=is_vulnerable)
    return -points if record.declarer & 1 else points


def comment_of(record: Record, kind: int, text: str, *, is_read: bool) -> str | None:
    """A comment as the loaders have it; ``None`` for a vulnerability that is one."""
    if kind == 0:
        return text
    if kind == 1:
        return reader_remark("'}' before the next tag", f"{{{text}")
    if kind == 8:
        return play_remark(text)
    if kind == 9:
        made = contract_text(record.contract, record.declarer)
        told = contract_text(record.told_contract, record.told_declarer)
        return reader_remark(f"the contract of the auction ({made})", told)
    return None if kind == 3 and is_read else reader_remark(EXPECTED[kind], text)


def contract_text(code: int, declarer: int) -> str:
    """Contract and declarer in words, as far as they are known."""
    seat = f"by {SEATS[declarer]}" if declarer >= 0 and code != 0 else ""
    return f"{contract_name(code) or ''} {seat}".strip()


def reason_of(record: Record) -> str | None:
    """Why a record could not be used; ``None`` where the caller of the core says what is wrong."""
    text = record.texts[0]
    line = text.partition("\n")[0]
    shown = line if len(line) <= 60 else f"{line[:60]}…"
    return {
        NO_PBN: f"expected a tag such as '[Deal \"…\"]', got {shown!r}",
        NO_DEAL: "expected a [Deal] tag with four hands, got none",
        WRONG_DEAL: None,
        LONG_GAME: "expected a game of at most 1,048,576 characters, got more",
        MANY_TOKENS: "expected at most 20,000 tags and comments in a game, got more",
        LONG_TAG: f"expected a value of at most 1,000 characters in {text}, got {record.got:,}",
        LONG_HEADER: "expected a header of at most 5,000 characters in ",
        WRONG_VALUES: f"expected {record.expected} values in a line of ScoreTable, got "
        f"{record.got}",
        NO_RESULT: "expected a contract or a score in a line of ScoreTable, got ",
    }[record.kind]
