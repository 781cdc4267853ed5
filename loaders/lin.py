"""LIN files and handviewer links to deal frames, and deal frames to LIN.

LIN is the format of Bridge Base Online, described there in "LIN file format" and by its
files. The slow reader in :mod:`.lin_reference` says what everything means.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np
import polars as pl

from bidcascade.bridge import (
    CALL_TEXTS,
    VULNERABILITIES,
    InvalidDeal,
    format_card,
    format_hand_bbo,
)

from .columns import I64, RECORD, ROOM_CODE, UNREADABLE, make_deals
from .encodings import decode_utf8
from .frame import (
    DEAL_SCHEMA,
    REQUIRED_COLUMNS,
    Batch,
    Reject,
    empty_deals,
    reject_frame,
)
from .handviewer import find_links
from .inputs import excerpt, looks_like_handviewer, looks_like_lin, what_else
from .kernel import (
    BAD_DEAL,
    DOCUMENT,
    EVENT_END,
    EVENT_START,
    NAMES_END,
    NAMES_START,
    Parsed,
    parse_documents,
)
from .lin_reference import BLANKS, NO_DEAL_REASON, parse_md, room_names, split_names
from .parquet import replacing


class LinDocument(NamedTuple):
    """One LIN text, as UTF-8, with the source and encoding it came from."""

    text: bytes
    source: str
    encoding: str


def read_lin(data: bytes, source: str = "") -> Batch:
    """Deal and rejects frames of one LIN file, or of the handviewer links in a text.

    Parameters
    ----------
    data : bytes
        The file; its encoding is found out and named in column ``encoding``.
    source : str
        Name for the columns ``source`` of both frames.

    Returns
    -------
    Batch
        ``deals`` has one row for each board that has four hands, whatever its auction;
        ``rejects`` one for each other. Text that is no LIN gives one reject
        without record number; LIN without boards gives nothing.

    Examples
    --------
    >>> batch = read_lin(
    ...     b"qx|o1|md|3SAKQJT98765432HDC,SHAKQJT98765432DC,SHDAKQJT98765432C,|sv|b|"
    ...     b"mb|7S|mb|p|mb|p|mb|p|mc|13|"
    ... )
    >>> batch.deals.select("dealer", "contract", "declarer", "tricks", "score").row(0)
    ('N', '7S', 'N', 13, 2210)
    """
    return read_lin_files([(data, source)])


def read_handviewer(text: str, source: str = "") -> Batch:
    """Deal and rejects frames of all handviewer links in a text.

    A link holds percent-encoded LIN in the parameter ``lin``, or hands, auction and so on in
    parameters of their own (see :mod:`.handviewer`); ``+`` stands for a blank.
    A text without such a link gives one reject.

    Examples
    --------
    >>> link = "http://example.org/handviewer.html?lin=st%7C%7Cmd%7C1SAK,,,%7Cmb%7C1N%7Can%7Cweak+NT%7C"
    >>> read_handviewer(link).rejects["reason"].to_list()
    ["expected 13 cards, got 2 in South's hand 'SAK'"]
    """
    data = text.encode()
    documents = _handviewer_documents(data, source)
    if not documents:
        reason = "expected a link with a lin= parameter or hands as n=, e=, s=, w="
        return parse_lin([], [(source, None, reason, text)])
    return parse_lin(documents)


def read_lin_files(files: Iterable[tuple[bytes, str]]) -> Batch:
    """Deal and rejects frames of several LIN files, read in one go.

    Parameters
    ----------
    files : iterable of (bytes, str)
        Contents and source name of each.

    Examples
    --------
    >>> read_lin_files([(b"", "a.lin"), (b"pg||", "b.lin")]).deals.height
    0
    """
    documents: list[LinDocument] = []
    refusals: list[Reject] = []
    for data, source in files:
        if looks_like_handviewer(data):
            documents += _handviewer_documents(data, source)
        elif looks_like_lin(data):
            text, encoding = decode_utf8(data)
            documents.append(LinDocument(text, source, encoding))
        elif start := data.lstrip(b"\xef\xbb\xbf \t\r\n"):
            reason = f"expected LIN tokens (key|value|), got {what_else(start)}"
            refusals.append((source, None, reason, excerpt(start)))
    return parse_lin(documents, refusals)


def _handviewer_documents(data: bytes, source: str) -> list[LinDocument]:
    return [LinDocument(link.lin, source, link.encoding) for link in find_links(data)]


def state_tokens(document: LinDocument) -> bytes:
    """LIN tokens that repeat what lasts beyond the end of a document."""
    values = zip(
        (b"vg", b"rs", b"pn", b"ah", b"sv"), _parse([document]).state.tolist(), strict=True
    )
    return b"".join(
        b"%b|%b|" % (key, document.text[start:end]) for key, (start, end) in values if start >= 0
    )


def _parse(documents: Sequence[LinDocument]) -> Parsed:
    text = b"".join(document.text for document in documents)
    ends = np.cumsum(np.array([len(document.text) for document in documents], np.int64))
    parsed: Parsed = parse_documents(np.frombuffer(text, np.uint8), ends, text.count(b"|"))
    return parsed


def parse_lin(documents: Sequence[LinDocument], refusals: Sequence[Reject] = ()) -> Batch:
    """Frames of some LIN documents; refused files come first among the rejects."""
    rejects = list(refusals)
    if not documents:
        return Batch(empty_deals(), reject_frame(rejects))
    parsed = _parse(documents)
    text = b"".join(document.text for document in documents)
    before = _records_before(documents, parsed)
    for number, record, kind, start, end in parsed.rejects.tolist():
        quoted = text[start:end].decode().strip(BLANKS)
        reason = _why_no_deal(quoted) if kind == BAD_DEAL else NO_DEAL_REASON
        rejects.append((documents[number].source, int(before[number]) + record, reason, quoted))
    rows = parsed.boards
    document = rows[:, DOCUMENT]
    rows[:, RECORD] += before[document]
    deals = make_deals(
        rows,
        calls=parsed.calls,
        tail=parsed.tail,
        alerts=parsed.alerts.astype(np.bool_),
        announcements=_announcements(parsed),
        play=parsed.play,
        # each remark ends with a bar
        remarks=pl.Series(parsed.remarks.tobytes().decode().split("|")[:-1], dtype=pl.String),
        players=_players(text, rows),
        event=_events(text, rows),
        source=_gather([one.source for one in documents], pl.String(), document),
        encoding=_gather([one.encoding for one in documents], pl.String(), document),
    )
    return Batch(deals, reject_frame(rejects))


def _records_before(documents: Sequence[LinDocument], parsed: Parsed) -> I64:
    """Count the records of the same source in the documents before each."""
    sizes = np.bincount(parsed.boards[:, DOCUMENT], minlength=len(documents))
    sizes += np.bincount(parsed.rejects[:, 0], minlength=len(documents))
    seen: dict[str, int] = {}
    before = np.zeros(len(documents), np.int64)
    for number, (document, size) in enumerate(zip(documents, sizes.tolist(), strict=True)):
        before[number] = seen.get(document.source, 0)
        seen[document.source] = int(before[number]) + size
    return before


def _announcements(parsed: Parsed) -> dict[int, str]:
    ends = parsed.announcement_ends
    texts = parsed.announcements.tobytes()
    places = np.flatnonzero(np.diff(ends, prepend=0))
    starts = np.where(places > 0, ends[places - 1], 0)
    return {
        place: texts[start:end].decode()
        for place, start, end in zip(
            places.tolist(), starts.tolist(), ends[places].tolist(), strict=True
        )
    }


def _gather(values: Sequence[object], dtype: pl.DataType, which: I64) -> pl.Expr:
    return pl.lit(pl.Series(values, dtype=dtype).gather(which))


def _players(text: bytes, rows: I64) -> pl.Expr:
    """Names by board; a ``pn`` value serves all boards that follow it."""
    keys = rows[:, (NAMES_START, NAMES_END, ROOM_CODE)]
    _, first, which = np.unique(
        keys[:, 0] * 4 + keys[:, 2] + 1, return_index=True, return_inverse=True
    )
    names = [
        None if start < 0 else room_names(split_names(text[start:end].decode()), room)
        for start, end, room in keys[first].tolist()
    ]
    return _gather(names, pl.List(pl.String()), which)


def _events(text: bytes, rows: I64) -> pl.Expr:
    """Events by board; a ``vg`` value serves all boards that follow it."""
    _, first, which = np.unique(rows[:, EVENT_START], return_index=True, return_inverse=True)
    events = [
        text[start:end].decode() or None if start >= 0 else None
        for start, end in rows[first][:, (EVENT_START, EVENT_END)].tolist()
    ]
    return _gather(events, pl.String(), which)


@lru_cache(maxsize=1 << 10)
def _why_no_deal(value: str) -> str:
    try:
        parse_md(value)
    except InvalidDeal as error:
        return str(error)
    raise AssertionError(f"the compiled reader refused the md value {value!r}, the plain one not")


_DEALER_DIGIT = {"S": "1", "W": "2", "N": "3", "E": "4"}
_SV = dict(zip(VULNERABILITIES, "oneb", strict=True))
_ROOM_LETTER = {"open": "o", "closed": "c"}
_CALL = [text.replace("XX", "r").replace("X", "d").replace("P", "p") for text in CALL_TEXTS]
_CARD = [format_card(card) for card in range(52)]
_LARGEST_BOARD = 999_999


def write_lin(frame: pl.DataFrame, file: str | Path | TextIO) -> None:
    """Write a deal frame as a LIN file.

    Parameters
    ----------
    frame : polars.DataFrame
        A deal frame; columns that are missing count as null.
    file : path or text stream
        A path is written in UTF-8 and replaced as a whole.

    Notes
    -----
    Everything LIN has a place for is read back equal. It has none for a score that does not
    follow from contract, vulnerability and tricks, for a room without a board number, for ``|``
    in a text (written ``/``) and for a contract without its auction unless board and room are
    known. Letters that look like UTF-8 encoded twice (``Ã©``) are repaired on reading.
    ``source``, ``record`` and ``encoding`` belong to the file read.

    Examples
    --------
    >>> import io
    >>> lin = b"md|3SAKQJT98765432HDC,SHAKQJT98765432DC,SHDAKQJT98765432C,|sv|b|mb|7S!|an|grand|"
    >>> stream = io.StringIO()
    >>> write_lin(read_lin(lin).deals, stream)
    >>> print(stream.getvalue(), end="")
    st||md|3SAKQJT98765432HDC,SHAKQJT98765432DC,SHDAKQJT98765432C,SHDCAKQJT98765432|sv|b|
    mb|7S!|an|grand|pg||
    """
    if isinstance(file, str | Path):
        with (
            replacing(file) as temporary,
            temporary.open("w", encoding="utf-8", newline="\n") as stream,
        ):
            stream.writelines(format_lin(frame))
    else:
        file.writelines(format_lin(frame))


def format_lin(frame: pl.DataFrame) -> Iterator[str]:
    """Yield the LIN text of a deal frame board by board; see :func:`write_lin`.

    Examples
    --------
    >>> from bidcascade.loaders.random_deals import random_deals
    >>> [text[:8] for text in format_lin(random_deals(2, seed=1))]
    ['st||md|3', 'st||md|4']
    """
    missing = [
        pl.lit(None, dtype=dtype).alias(name)
        for name, dtype in DEAL_SCHEMA.items()
        if name not in frame.columns and name not in REQUIRED_COLUMNS
    ]
    players: list[str] | None = None
    event = result_written = ""
    for row in frame.with_columns(missing).iter_rows(named=True):
        pieces: list[str] = []
        result = _result(row)
        own_event = _clean(row["event"] or "").strip(", ")
        if own_event != event or result or result_written:
            first = row["board"] or 1
            pieces.append(f"vg|{own_event},I,{first},{first},,0,,0|\n")
            if result:
                pieces.append(f"rs|{result}|\n")
            event, result_written = own_event, result
        if row["players"] != players:
            players = row["players"]
            pieces.append(f"pn|{_names(players)}|pg||\n")
        pieces += _board(row)
        yield "".join(pieces)


def _board(row: dict[str, Any]) -> Iterator[str]:
    """Yield the tokens of one board."""
    number = row["board"]
    if number is not None and not 0 < number <= _LARGEST_BOARD:
        number = None
    room = _ROOM_LETTER.get(row["room"])
    if number and room:
        yield f"qx|{room}{number}|"
    hands = ",".join(format_hand_bbo(row[seat]) for seat in ("south", "west", "north", "east"))
    yield f"st||md|{_DEALER_DIGIT[row['dealer']]}{hands}|sv|{_SV[row['vulnerability']]}|"
    if number and not room:
        yield f"ah|Board {number}|"
    yield "\n"
    for remark in row["commentary"] or ():
        yield f"nt|{_clean(remark)}|\n"
    yield from _calls(row)
    yield "pg||\n"
    play = row["play"] or []
    for start in range(0, len(play), 4):
        yield "".join(f"pc|{_CARD[card]}|" for card in play[start : start + 4]) + "pg||\n"
    if row["tricks"] is not None and row["contract"] != "Pass":
        yield f"mc|{row['tricks']}|pg||\n"


def _calls(row: dict[str, Any]) -> Iterator[str]:
    calls = row["auction"] or []
    alerts = row["alerts"] or [False] * len(calls)
    announcements = row["announcements"] or [""] * len(calls)
    for call, alert, announcement in zip(calls, alerts, announcements, strict=True):
        yield f"mb|{_CALL[call]}{'!' if alert else ''}|"
        if announcement:
            yield f"an|{_clean(announcement)}|"
    for call in row["illegal_tail"] or ():
        yield "mb|-|" if call == UNREADABLE else f"mb|{_CALL[call]}|"


def _result(row: dict[str, Any]) -> str:
    """Entries of an ``rs`` value for a contract that the auction does not tell, or ``""``."""
    if row["contract"] is None or row["board"] is None or row["room"] is None:
        return ""
    calls = row["auction"] or []
    if len(calls) >= 4 and not any(calls[-3:]):
        return ""
    if row["contract"] == "Pass":
        entry = "PASS"
    elif row["declarer"] is None:
        return ""
    else:
        contract = row["contract"]
        entry = contract[:2] + row["declarer"] + contract[2:].lower()
    return f"{entry}," if row["room"] == "open" else f",{entry}"


def _names(players: Iterable[str] | None) -> str:
    """Names as South, West, North, East; for both tables where commas could mislead."""
    if players is None:
        return ",,,"
    north, east, south, west = (
        ", ".join(part.strip() for part in _clean(name).split(",")) for name in players
    )
    names = ",".join((south, west, north, east))
    return f"{names},{names}" if names.count(",") == 7 else names


def _clean(text: str) -> str:
    return text.replace("|", "/").strip()
