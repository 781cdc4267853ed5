"""Read LIN files and handviewer links into deal frames.

LIN is the format of Bridge Base Online, described there in "LIN file format" and by its
files. The slow reader in :mod:`bidcascade.loaders.lin.lin_reference` says what everything means.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from bidcascade.bridge import InvalidDeal
from bidcascade.kernels.core.files.lin import (
    BID,
    BOARD,
    CALLS_END,
    CARDS_END,
    CARDS_START,
    CLAIM_END,
    CLAIM_START,
    COMMENTARY_END,
    DEALER,
    DECLARER,
    DOCUMENT,
    DOUBLING,
    EVENT_END,
    EVENT_START,
    ILLEGAL,
    NAMES_END,
    NAMES_START,
    NORTH,
    PLAY_END,
    RECORD,
    SIDES_END,
    SIDES_START,
    STATUS,
    TAIL_END,
    TRICKS,
    VULNERABILITY,
    WEST,
    LinBoards,
    read_lin_documents,
)
from bidcascade.kernels.core.files.lin import (
    ROOM as ROOM_COLUMN,
)
from bidcascade.kernels.core.functions import has_core
from bidcascade.kernels.machine.caches import bounded_cache
from bidcascade.kernels.machine.forks import check_not_forked
from bidcascade.kernels.types import I64
from bidcascade.loaders.files.encodings import decode_utf8
from bidcascade.loaders.frames.columns import (
    choose,
    contract_codes,
    contract_names,
    enum_values,
    known,
    north_south_scores,
    ragged,
    split_texts,
    texts_at,
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
    known_hands,
    left_out_row,
    listed_rejects,
    reject_frame,
    without_unknown_play,
)
from bidcascade.loaders.limits import LONGEST_RECORD, MOST_LISTED, MOST_TOKENS

from . import lin_reference
from .handviewer import find_links
from .lin_reference import (
    BLANKS,
    NO_DEAL_REASON,
    TOO_LONG,
    TOO_MANY,
    cards_remark,
    claim_remark,
    parse_md,
    read_lin_reference,
    room_names,
    sides_remark,
    split_names,
)
from .lin_signs import LEADING, looks_like_handviewer, looks_like_lin

_LASTING_KEYS = (b"vg", b"rs", b"pn", b"ah", b"sv")


_SHORT: Final = 1 << 12
"""Bytes of texts, some four boards, which the definition reads sooner."""


class LinDocument(NamedTuple):
    """One LIN text, as UTF-8, with the source and encoding it came from."""

    text: bytes
    source: str
    encoding: str
    records_before: int = 0
    """Records of the same source in documents before this one."""


class _Refusal(NamedTuple):
    source: str
    reason: str
    text: str


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
        ``deals`` has one row for each board that has hands, whatever its auction; ``rejects``
        one for each other. Text that is no LIN gives one reject
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
    parameters of their own (see :mod:`bidcascade.loaders.lin.handviewer`); ``+`` stands for a
    blank. The calls of BBO's pages of hand records count as links. A text without any gives one
    reject.

    Examples
    --------
    >>> link = "http://example.org/handviewer.html?lin=st%7C%7Cmd%7C1SAK,,,%7Cmb%7C1N%7Can%7Cweak+NT%7C"
    >>> read_handviewer(link).rejects["reason"].to_list()
    ["expected 13 cards, got 2 in South's hand 'SAK'"]
    """
    return read_handviewers([(text, source)])


def read_handviewers(texts: Iterable[tuple[str, str]]) -> Batch:
    """Deal and rejects frames of the links in several texts, each with its source, in one go.

    Examples
    --------
    >>> read_handviewers([("no link", "a"), ("none", "b")]).rejects["source"].to_list()
    ['a', 'b']
    """
    documents: list[LinDocument] = []
    refusals: list[_Refusal] = []
    for text, source in texts:
        found = _handviewer_documents(text.encode(), source)
        documents += found
        if not found:
            reason = "expected a link with a lin= parameter or hands as n=, e=, s=, w="
            refusals.append(_Refusal(source, reason, text))
    return parse_lin(documents, refusals)


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
    refusals: list[_Refusal] = []
    for data, source in files:
        if looks_like_handviewer(data):
            documents += _handviewer_documents(data, source)
        elif looks_like_lin(data):
            documents.append(LinDocument(*_utf8(data, source)))
        elif data.strip():
            refusals.append(_refuse(data, source))
    if sum(len(document.text) for document in documents) <= _SHORT:
        return _by_definition(documents, refusals)
    return parse_lin(documents, refusals)


def _by_definition(documents: Sequence[LinDocument], refusals: Sequence[_Refusal]) -> Batch:
    """Frames of short documents, which are read sooner so, or of any where there is no core."""
    deals, rejects = [empty_deals()], [_rejects([], refusals, b"", None)]
    before: dict[str, int] = {}
    for text, source, encoding, first in documents:
        before.setdefault(source, first)
        batch = read_lin_reference(text.decode(), source, encoding)
        number = pl.col("record") + pl.lit(before[source], pl.UInt32)
        deals.append(batch.deals.with_columns(number))
        rejects.append(batch.rejects.with_columns(number))
        before[source] += batch.deals.height + batch.refused
    return Batch(pl.concat(deals), listed_rejects(pl.concat(rejects)))


def _utf8(data: bytes, source: str) -> tuple[bytes, str, str]:
    text, encoding = decode_utf8(data)
    return text, source, encoding


def _handviewer_documents(data: bytes, source: str) -> list[LinDocument]:
    return [LinDocument(link.lin, source, link.encoding) for link in find_links(data)]


def _refuse(data: bytes, source: str) -> _Refusal:
    """Say what a file is that is not LIN, as far as its beginning tells."""
    start = data[:QUOTED].lstrip(LEADING)
    if b"\0" in data:
        kind = "a binary file"
    elif start[:1] == b"<":
        kind = "HTML or XML"
    elif start[:1] in (b"{", b"["):
        kind = "JSON or other text"
    else:
        kind = "other text"
    excerpt = start.decode("utf-8", "replace").replace("\0", "\\0")
    return _Refusal(
        source, f"expected LIN tokens (key|value|), got {kind}: {excerpt[:40]!r}", excerpt
    )


def lasting_tokens(text: bytes) -> bytes:
    """LIN tokens that repeat what lasts beyond the end of a text.

    Examples
    --------
    >>> lasting_tokens(b"vg|Cup|qx|o1|sv|b|qx|c1|ah|Board 1|pg||sv|n|")
    b'vg|Cup|sv|n|'
    """
    if not has_core():
        return lin_reference.lasting_tokens(text.decode()).encode()
    lasting = read_lin_documents(text, np.array([len(text)])).lasting
    return b"".join(
        key + b"|" + text[start:end] + b"|"
        for key, (start, end) in zip(_LASTING_KEYS, lasting.tolist(), strict=True)
        if start >= 0
    )


def parse_lin(documents: Sequence[LinDocument], refusals: Sequence[_Refusal]) -> Batch:
    """Frames of some LIN documents; refused files come first among the rejects."""
    if not documents:
        return Batch(empty_deals(), _rejects([], refusals, b"", None))
    if not has_core():
        return _by_definition(documents, refusals)
    text = b"".join(document.text for document in documents)
    ends = np.cumsum(np.array([len(document.text) for document in documents], np.int64))
    parsed = read_lin_documents(text, ends, most_tokens=MOST_TOKENS, longest_record=LONGEST_RECORD)
    numbered = _number_records(documents, parsed)
    return make_frames(numbered, refusals, text, parsed)


def _number_records(documents: Sequence[LinDocument], parsed: LinBoards) -> list[LinDocument]:
    """Let the numbers of records run on through the documents of one source."""
    if len({document.source for document in documents}) == len(documents):
        return list(documents)
    count = len(documents)
    sizes = np.bincount(parsed.boards[:, DOCUMENT], minlength=count)
    sizes += np.bincount(parsed.rejects[:, 0], minlength=count)
    before: dict[str, int] = {}
    numbered = []
    for document, size in zip(documents, sizes.tolist(), strict=True):
        number = before.setdefault(document.source, document.records_before)
        numbered.append(document._replace(records_before=number))
        before[document.source] = number + size
    return numbered


def make_frames(
    documents: Sequence[LinDocument], refusals: Sequence[_Refusal], text: bytes, parsed: LinBoards
) -> Batch:
    """Make both frames from the flat arrays of the core."""
    check_not_forked()
    boards = np.ascontiguousarray(parsed.boards.T)
    document = boards[DOCUMENT]
    before = np.array([entry.records_before for entry in documents], np.int64)
    calls_end = boards[CALLS_END]
    bid, doubling, declarer = boards[BID], boards[DOUBLING], boards[DECLARER]
    tricks, vulnerability = boards[TRICKS], boards[VULNERABILITY]
    is_scored = boards[SIDES_START] < 0
    sources = pl.Series([entry.source for entry in documents], dtype=pl.String())
    encodings = pl.Series([entry.encoding for entry in documents], dtype=pl.String())
    remark_count = int(boards[COMMENTARY_END][-1]) if len(document) else 0
    seats = enum_values(SEAT_ENUM)
    columns = {
        **known_hands(boards[NORTH : WEST + 1].view(np.uint64).T),
        "dealer": choose(seats, boards[DEALER]),
        "vulnerability": choose(enum_values(VULNERABILITY_ENUM), vulnerability),
        "board": known(boards[BOARD], pl.Int32()),
        "room": choose(enum_values(ROOM), boards[ROOM_COLUMN]),
        "auction": ragged(pl.Series(parsed.calls), calls_end),
        "auction_status": choose(enum_values(AUCTION_STATUS), boards[STATUS]),
        "illegal_call": known(boards[ILLEGAL], pl.UInt16()),
        "illegal_tail": ragged(pl.Series(parsed.tail), boards[TAIL_END]),
        "announcements": ragged(_announcements(parsed), calls_end),
        "alerts": ragged(pl.Series(parsed.alerts.astype(np.bool_)), calls_end),
        "commentary": _with_unread(
            ragged(
                split_texts(parsed.commentary.tobytes(), remark_count, "|"), boards[COMMENTARY_END]
            ),
            text,
            boards,
        ),
        "contract": choose(contract_names(), contract_codes(bid, doubling)),
        "declarer": choose(seats, declarer),
        "tricks": known(tricks, pl.UInt8()),
        "score": north_south_scores(
            bid, doubling, declarer, np.where(is_scored, tricks, -1), vulnerability
        ),
        "play": ragged(pl.Series(parsed.play), boards[PLAY_END]),
        "players": _players(text, boards[NAMES_START], boards[NAMES_END], boards[ROOM_COLUMN]),
        "event": _events(text, boards[EVENT_START], boards[EVENT_END]),
        "source": sources.gather(document),
        "record": pl.Series(boards[RECORD] + before[document]).cast(pl.UInt32),
        "encoding": encodings.gather(document),
    }
    deals = without_unknown_play(pl.DataFrame(columns, schema=DEAL_SCHEMA))
    return Batch(deals, _rejects(documents, refusals, text, parsed))


def _announcements(parsed: LinBoards) -> pl.Series:
    """One text a call, of which nearly all are empty."""
    ends = parsed.announcement_ends
    starts = np.concatenate([np.zeros(1, np.int64), ends])[:-1]
    places = np.flatnonzero(ends > starts)
    texts = texts_at(parsed.announcements.tobytes(), starts[places].tolist(), ends[places].tolist())
    which = np.zeros(len(ends), np.int64)
    which[places] = np.arange(1, len(places) + 1)
    return pl.Series(["", *texts]).gather(which)


_UNREAD: Final = (
    (SIDES_START, SIDES_END, sides_remark),
    (CARDS_START, CARDS_END, cards_remark),
    (CLAIM_START, CLAIM_END, claim_remark),
)


def _with_unread(commentary: pl.Series, text: bytes, boards: I64) -> pl.Series:
    """Tell of the boards whose ``sv``, ``pc``, ``up`` or ``mc`` could not be read."""
    remarks: list[list[str]] | None = None
    for start, end, remark in _UNREAD:
        for place in np.flatnonzero(boards[start] >= 0).tolist():
            remarks = commentary.to_list() if remarks is None else remarks
            value = text[boards[start, place] : boards[end, place]].decode()
            remarks[place].append(remark(value))
    return commentary if remarks is None else pl.Series(remarks, dtype=commentary.dtype)


def _players(text: bytes, starts: I64, ends: I64, rooms: I64) -> pl.Series:
    """Names by board; a ``pn`` value serves all boards that follow it."""
    _, first, which = np.unique(starts * 4 + rooms + 1, return_index=True, return_inverse=True)
    names: list[list[str] | None] = []
    for place in first.tolist():
        start, end, room = int(starts[place]), int(ends[place]), int(rooms[place])
        if start < 0:
            names.append(None)
        else:
            given = split_names(text[start:end].decode())
            names.append(room_names(given, room if room >= 0 else None))
    return pl.Series(names, dtype=pl.List(pl.String())).gather(which)


def _events(text: bytes, starts: I64, ends: I64) -> pl.Series:
    """Events by board; a ``vg`` value serves all boards that follow it."""
    _, first, which = np.unique(starts, return_index=True, return_inverse=True)
    events = [
        text[int(starts[place]) : int(ends[place])].decode() or None if starts[place] >= 0 else None
        for place in first.tolist()
    ]
    return pl.Series(events, dtype=pl.String()).gather(which)


def _rejects(
    documents: Sequence[LinDocument],
    refusals: Sequence[_Refusal],
    text: bytes,
    parsed: LinBoards | None,
) -> pl.DataFrame:
    """Rejects frame: refused files, then the boards without hands, the first of each source."""
    rows: list[tuple[str, int | None, str, str]] = [
        (refusal.source, None, refusal.reason, refusal.text) for refusal in refusals
    ]
    if parsed is None or not len(parsed.rejects):
        return reject_frame(rows)
    numbers = {source: number for number, source in enumerate(one.source for one in documents)}
    sources = np.array([numbers[one.source] for one in documents], np.int64)[parsed.rejects[:, 0]]
    order = np.argsort(sources, kind="stable")
    _, first, counts = np.unique(sources[order], return_index=True, return_counts=True)
    for start, count in zip(first.tolist(), counts.tolist(), strict=True):
        listed = parsed.rejects[order[start : start + min(count, MOST_LISTED)]]
        for number, record, problem, begin, end, *_ in listed.tolist():
            document = documents[number]
            reason, quoted = _why_refused(problem, text[begin:end])
            rows.append((document.source, document.records_before + record, reason, quoted))
        if count > MOST_LISTED:
            source = documents[int(parsed.rejects[order[start], 0])].source
            rows.append(left_out_row(source, count - MOST_LISTED, MOST_LISTED))
    return reject_frame(rows)


def _why_refused(problem: int, text: bytes) -> tuple[str, str]:
    """Reason and text of a record that is no board; ``problem`` as the core tells it."""
    if problem in _LIMITS:
        return _LIMITS[problem], text[: 4 * QUOTED].decode(errors="ignore").strip(BLANKS)
    quoted = text.decode().strip(BLANKS)
    if not problem:
        return NO_DEAL_REASON, quoted
    return _why_no_deal(quoted), quoted


_LIMITS: Final = {2: TOO_MANY, 3: TOO_LONG}


@bounded_cache(1 << 10)
def _why_no_deal(value: str) -> str:
    try:
        parse_md(value)
    except InvalidDeal as error:
        return str(error)
    raise AssertionError(f"the fast reader refused the md value {value!r}, the plain one not")
