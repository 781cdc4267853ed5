"""Cut sources into pieces of bounded size that can be read one by one, in any process.

Small files are gathered, up to :data:`.limits.WHOLE_BYTES` a piece. A large file or standard input
becomes a series of pieces that end where a board ends; what lasts beyond the cut goes with the next
piece: for LIN in front of it (event, results, names), for PBN the values inherited. Of a record
without an end the beginning is kept, which is too long to be read, and the rest passed over.
"""

import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from bidcascade.bridge import InvalidInput

from .files.encodings import PartDecoder, decode_text, find_encoding
from .files.zip_files import ZIP_MARKS
from .frames.frame import QUOTED, Batch, empty_deals, join, reject_frame
from .inputs import FORMATS, FORMATS_TEXT, HEAD_BYTES, Kind, Source, sniff
from .limits import (
    LONGEST_RECORD,
    MOST_FILES_TOGETHER,
    MOST_PASSED_OVER,
    PIECE_BYTES,
    WHOLE_BYTES,
)
from .parquet.parquet import (
    ROWS_PER_PART,
    count_deal_parquet,
    read_deal_parquet,
    read_deal_parquet_part,
)
from .pbn.pbn_tokens import Inheritance, find_last_game, normalise
from .pbn.rbn_records import Heading, find_last_record
from .text.printed_deals import has_sheets

_OVERLAP = 256
"""Bytes searched once more when a piece grows: a board's start may have been cut in two."""

_FROM_ASCII = re.compile(rb"[\x00-\x7f]")
_QX = re.compile(rb"(?:(?<=[|\r\n])|\A)(?i:qx)[ \t]*\|")
_HAND_LINE = re.compile(rb"[ \t]*(?:[NESWnesw][ \t]|[AKQJT2-9-](?: |\r?\n)|\d+\.\s)")
"""A line that may belong to a deal of several lines."""
_FIRST_HAND = re.compile(
    rb"^[ \t]*(?:[Nn][ \t]|\d+\.[ \t]*\r?$)|(?<=\n\n)(?=[^\r\n])|(?<=\n\r\n)(?=[^\r\n])",
    re.MULTILINE,
)
_MD = re.compile(rb"(?:(?<=[|\r\n])|\A)(?i:md)[ \t]*\|[ \t]*[0-4]?[SHDCshdc]")


@dataclass(frozen=True, slots=True)
class Piece:
    """Something that :func:`read_piece` turns into frames."""

    sources: list[Source] = field(default_factory=list)
    """Small files, read by whoever reads the piece."""

    kind: Kind | None = None
    """Kind of ``data``; ``None`` if the piece is a group of files."""

    data: bytes = b""
    text: str = ""
    """Takes the place of ``data`` if ``kind`` is PBN or RBN."""

    before: Inheritance | None = None
    """What the first game of ``text`` inherits."""

    heading: Heading | None = None
    """What the first record of ``text`` inherits, if it is RBN."""

    first_line: int = 1
    """Number of the first line of ``data``, if it is read by lines."""

    goes_on: bool = False
    """Whether ``text`` ends where another game starts."""

    name: str = ""
    encoding: str = "utf-8"
    """Encoding found, where the text is decoded already (LIN, PBN and RBN)."""

    rows: tuple[int, int] = (0, 0)
    """First row and number of rows of ``sources[0]``, if ``kind`` is parquet."""

    files_ended: int = 0
    """How many sources are done with this piece."""

    refusal: str = ""
    """Why the source (from here on) cannot be read."""


def cut_sources(sources: Iterable[Source], kept: ExitStack) -> Iterator[Piece]:
    """Yield the pieces of some sources in order.

    Parameters
    ----------
    sources : iterable of Source
    kept : ExitStack
        Holds what pieces need beyond the end of the iterator, until they are read.
    """
    group: list[Source] = []
    size = 0
    for source in sources:
        is_small = bool(source.refusal) or (not source.is_stream and source.size < WHOLE_BYTES)
        has_room = size + source.size <= WHOLE_BYTES and len(group) < MOST_FILES_TOGETHER
        if is_small and (not group or has_room):
            group.append(source)
            size += source.size
            continue
        if group:
            yield Piece(group, files_ended=len(group))
            group, size = [], 0
        if is_small:
            group, size = [source], source.size
        else:
            yield from _cut_large(source, kept)
    if group:
        yield Piece(group, files_ended=len(group))


def _cut_large(source: Source, kept: ExitStack) -> Iterator[Piece]:
    if source.is_stream:
        yield from cut_stream(sys.stdin.buffer, source.name, kept=kept)
        return
    try:
        with source.open() as stream:
            head = stream.read(4)
            if head == b"PAR1" and source.path is not None:
                yield from _cut_parquet(source)
                return
            yield from cut_stream(stream, source.name, head, kept=kept)
    except OSError as error:
        yield Piece(name=source.name, refusal=f"cannot read: {error.strerror}", files_ended=1)


def _cut_parquet(source: Source) -> Iterator[Piece]:
    assert source.path is not None
    try:
        count = count_deal_parquet(source.path, source.name)
    except InvalidInput as error:
        yield Piece(name=source.name, refusal=str(error), files_ended=1)
        return
    for first in range(0, max(count, 1), ROWS_PER_PART):
        ends = int(first + ROWS_PER_PART >= count)
        yield Piece([source], "parquet", rows=(first, ROWS_PER_PART), files_ended=ends)


def cut_stream(
    stream: BinaryIO, name: str, head: bytes = b"", *, kept: ExitStack | None = None
) -> Iterator[Piece]:
    """Yield pieces of a binary stream of unknown length, in bounded memory.

    Parameters
    ----------
    stream : binary stream
    name : str
        Name for the column ``source``.
    head : bytes
        What has been read from the stream already.
    kept : ExitStack, optional
        As for :func:`cut_sources`; Parquet, of which the end is read first, is refused without it.
    """
    head += stream.read(HEAD_BYTES - len(head))
    kind = sniff(head)
    if kind is None:
        yield Piece(name=name, data=head[:QUOTED], refusal=_why_unknown(head), files_ended=1)
        return
    rest = head
    while len(rest) < WHOLE_BYTES and (more := stream.read(WHOLE_BYTES - len(rest))):
        rest += more
    if kind == "parquet":
        if kept is not None:
            yield from _cut_parquet(_on_disk(name, rest, stream, kept))
        else:
            reason = "Parquet is read from files only, not from a stream"
            yield Piece(name=name, refusal=reason, files_ended=1)
        return
    if len(rest) < WHOLE_BYTES:
        whole = Source(name, data=rest, size=len(rest))
        yield Piece([whole], files_ended=1)
        return
    if kind == "pbn":
        yield from cut_pbn(stream, name, rest, _decoder(stream, rest))
    elif kind == "rbn":
        yield from _cut_rbn(stream, name, rest, _decoder(stream, rest))
    elif kind == "lin":
        yield from _cut_lin(stream, name, rest, _decoder(stream, rest))
    elif kind == "dup" or (kind == "hands" and has_sheets(head)):
        # the hands of a deal stand far apart, and no machine deals so many
        what = "records of a dealing machine" if kind == "dup" else "sheets of hands"
        reason = f"expected {what} of less than {WHOLE_BYTES:,} bytes, got more"
        yield Piece(name=name, data=head[:QUOTED], refusal=reason, files_ended=1)
    else:
        yield from _cut_lines(stream, name, rest, kind)


def _on_disk(name: str, beginning: bytes, stream: BinaryIO, kept: ExitStack) -> Source:
    """Put a stream into a file that stays until ``kept`` is closed."""
    folder = kept.enter_context(tempfile.TemporaryDirectory(prefix="bidcascade-"))
    path = Path(folder) / "deals.parquet"
    with path.open("wb") as file:
        file.write(beginning)
        shutil.copyfileobj(stream, file)
    return Source(name, path=path, size=path.stat().st_size)


def _decoder(stream: BinaryIO, head: bytes) -> PartDecoder:
    """Give a decoder; a stream that can be read twice is looked through to find its encoding."""
    if not stream.seekable():
        return PartDecoder()
    place = stream.tell()

    def read() -> Iterator[bytes]:
        stream.seek(place)
        return chain((head,), iter(lambda: stream.read(PIECE_BYTES), b""))

    encoding = find_encoding(read)
    stream.seek(place)
    return PartDecoder(encoding)


def _cut_lin(stream: BinaryIO, name: str, rest: bytes, decoder: PartDecoder) -> Iterator[Piece]:
    lasting = b""
    searched = passed_over = 0
    # whether a board has begun, and whether it was told that none does
    is_begun = is_told = has_qx = False
    while True:
        more = stream.read(PIECE_BYTES)
        rest += more
        cut = len(rest)
        if more:
            cut = _last(_QX, rest, searched)
            has_qx |= cut >= 0
            if not has_qx:
                # an md that follows a qx must stay with it
                cut = _last(_MD, rest, searched)
            if cut <= 0:
                is_begun = is_begun or has_qx or _MD.search(rest) is not None
                if len(rest) > LONGEST_RECORD and not (is_begun or is_told):
                    is_told = True
                    yield _no_end(name, rest)
                # a comment, a key or a value that was cut ends here
                passed_over += len(more)
                if passed_over > MOST_PASSED_OVER:
                    yield _no_more(name, rest)
                    return
                rest = _shortened(rest, b"\n||")
                searched = max(0, len(rest) - _OVERLAP)
                continue
        searched = passed_over = 0
        has_qx = False
        is_begun = True
        text = lasting + decoder.decode(rest[:cut])
        encoding = decoder.encoding
        rest = rest[cut:]
        from .lin.lin import lasting_tokens

        lasting = lasting_tokens(text)
        yield Piece(
            kind="lin", data=text, name=name, encoding=encoding, files_ended=0 if more else 1
        )
        if not more:
            return


def _shortened(rest: bytes, joint: bytes) -> bytes:
    """Keep the beginning of a record that is too long, and the end of what there is of it.

    The end may hold the beginning of what begins the next record.
    """
    if len(rest) <= LONGEST_RECORD + 2 * _OVERLAP:
        return rest
    end = LONGEST_RECORD + 1
    while rest[end] & 0xC0 == 0x80:
        end += 1
        if end == len(rest):
            break
    tail = _FROM_ASCII.search(rest, len(rest) - _OVERLAP)
    return rest[:end] + joint + (b"" if tail is None else rest[tail.start() :])


def cut_pbn(stream: BinaryIO, name: str, rest: bytes, decoder: PartDecoder) -> Iterator[Piece]:
    """Yield pieces of a PBN stream that end where games end, with what the next game inherits."""
    return _cut_games(stream, name, rest, decoder, "pbn", "before", find_last_game)


def _cut_rbn(stream: BinaryIO, name: str, rest: bytes, decoder: PartDecoder) -> Iterator[Piece]:
    return _cut_games(stream, name, rest, decoder, "rbn", "heading", find_last_record)


def _cut_games(
    stream: BinaryIO,
    name: str,
    rest: bytes,
    decoder: PartDecoder,
    kind: Kind,
    takes: str,
    find_last: Callable[[str, Any], tuple[int, Any]],
) -> Iterator[Piece]:
    """Yield pieces that end before the last game so far; ``takes`` names what that inherits."""
    text = ""
    before: Any = None
    passed_over = 0
    while True:
        more = stream.read(PIECE_BYTES)
        lines, rest = _whole_lines(rest + more, decoder, more=bool(more))
        text += lines
        start, behind = find_last(text, before) if more else (len(text), before)
        if start or not more:
            known: dict[str, Any] = {takes: before}
            yield Piece(
                kind=kind,
                text=text[:start],
                goes_on=bool(more),
                name=name,
                encoding=decoder.encoding,
                files_ended=0 if more else 1,
                **known,
            )
            if not more:
                return
            text, before = text[start:], behind
            passed_over = 0
            continue
        passed_over += len(more)
        if passed_over > MOST_PASSED_OVER:
            yield _no_more(name, text[:QUOTED].encode() + rest[:QUOTED])
            return
        if len(text) > LONGEST_RECORD:
            # no record ends in it: what is behind the beginning belongs to one that is refused
            text = text[: LONGEST_RECORD + 1] + "\n"
        rest = _shortened(rest, b"")


def _whole_lines(data: bytes, decoder: PartDecoder, *, more: bool) -> tuple[str, bytes]:
    """Text of the lines that end in some bytes, and the bytes behind them."""
    # a line may end with a carriage return, but one at the end may belong to a line feed
    end = max(data.rfind(b"\n"), data.rfind(b"\r", 0, -1)) + 1 if more else len(data)
    return normalise(decoder.decode(data[:end]).decode()), data[end:]


def _cut_lines(stream: BinaryIO, name: str, rest: bytes, kind: Kind) -> Iterator[Piece]:
    passed_over = 0
    line = 1
    while True:
        more = stream.read(PIECE_BYTES)
        rest += more
        cut = _end_of_lines(rest, kind) if more else len(rest)
        if cut <= 0 and kind == "handviewer":
            # a page may have no lines; no link goes on beyond a tag
            cut = rest.rfind(b">") + 1
        if cut <= 0 and more:
            passed_over += len(more)
            if passed_over > MOST_PASSED_OVER:
                yield _no_more(name, rest)
                return
            rest = _shortened(rest, b"")
            continue
        passed_over = 0
        data = rest[:cut]
        ended = 0 if more else 1
        yield Piece(kind=kind, data=data, name=name, first_line=line, files_ended=ended)
        if kind == "hands":
            line += len(decode_text(data)[0].splitlines())
        elif FORMATS[kind].reads is not None:
            line += data.count(b"\n")
        rest = rest[cut:]
        if not more:
            return


def _end_of_lines(data: bytes, kind: Kind) -> int:
    """Where a record of lines ends at last; hands may have a line each, or their suits."""
    end = data.rfind(b"\n") + 1
    if kind == "hands" and _HAND_LINE.match(data, data.rfind(b"\n", 0, end - 1) + 1) is not None:
        return max(_last(_FIRST_HAND, data[:end], 0), 0) or end
    return end


def _last(pattern: "re.Pattern[bytes]", data: bytes, first: int) -> int:
    """Start of the last match from ``first`` on, looked for from the end; -1 if there is none."""
    window = 1 << 16
    while True:
        start = max(first, len(data) - window)
        last = -1
        for match in pattern.finditer(data, start):
            last = match.start()
        if last > 0 or start == first:
            return last
        window *= 8


def _no_end(name: str, rest: bytes) -> Piece:
    return Piece(
        name=name,
        data=rest[:QUOTED],
        refusal=f"expected a board within {LONGEST_RECORD:,} bytes, got none",
    )


def _no_more(name: str, rest: bytes) -> Piece:
    return Piece(
        name=name,
        data=rest[:QUOTED],
        files_ended=1,
        refusal=(
            f"expected a board within {MOST_PASSED_OVER:,} bytes, got none: the rest is not read"
        ),
    )


def read_piece(piece: Piece) -> Batch:
    """Deal and rejects frames of a piece, in the order of its files."""
    if piece.refusal:
        return _refused(piece.name, piece.refusal, _excerpt(piece.data))
    if piece.kind == "parquet":
        return _read_parquet(piece.sources[0], piece.rows)
    if piece.kind == "lin":
        from .lin.lin import LinDocument, parse_lin

        return parse_lin([LinDocument(piece.data, piece.name, piece.encoding)], [])
    if piece.kind == "pbn":
        from .pbn.pbn import read_pbn_text

        batches = read_pbn_text(
            piece.text,
            source=piece.name,
            encoding=piece.encoding,
            before=piece.before,
            goes_on=piece.goes_on,
        )
        return join(list(batches))
    if piece.kind == "rbn":
        from .pbn.rbn import read_rbn_text

        return join(
            list(
                read_rbn_text(
                    piece.text,
                    source=piece.name,
                    encoding=piece.encoding,
                    before=piece.heading,
                    goes_on=piece.goes_on,
                )
            )
        )
    if piece.kind is not None:
        return _read_text(piece.kind, piece.data, piece.name, piece.first_line)
    return _read_group(piece.sources)


def _read_group(sources: list[Source]) -> Batch:
    """Read small files; runs of LIN files in one go."""
    batches: list[Batch] = []
    lin_files: list[tuple[bytes, str]] = []
    for source in sources:
        kind: Kind | None = None
        batch: Batch | None = None
        data = b""
        try:
            if source.refusal:
                batch = _refused(source.name, source.refusal, "")
            else:
                with source.open() as stream:
                    data = stream.read()
                kind = sniff(data)
        except OSError as error:
            batch = _refused(source.name, f"cannot read: {error.strerror}", "")
        if kind in ("lin", "handviewer"):
            lin_files.append((data, source.name))
            continue
        if lin_files:
            batches.append(_read_lin(lin_files))
            lin_files = []
        if batch is None and kind == "parquet":
            batch = _read_parquet(source)
        elif batch is None and kind is not None:
            batch = _read_text(kind, data, source.name)
        elif batch is None:
            batch = _refused(source.name, _why_unknown(data), _excerpt(data))
        batches.append(batch)
    if lin_files:
        batches.append(_read_lin(lin_files))
    return join(batches)


def _read_lin(files: list[tuple[bytes, str]]) -> Batch:
    from .lin.lin import read_lin_files

    return read_lin_files(files)


def _read_parquet(source: Source, rows: tuple[int, int] | None = None) -> Batch:
    if source.path is None:
        with ExitStack() as kept, source.open() as stream:
            return _read_parquet(_on_disk(source.name, b"", stream, kept))
    try:
        if rows is not None:
            return read_deal_parquet_part(source.path, source.name, *rows)
        return read_deal_parquet(source.path, source.name)
    except InvalidInput as error:
        return _refused(source.name, str(error), "")


def _read_text(kind: Kind, data: bytes, name: str, first_line: int = 1) -> Batch:
    if kind == "pbn":
        from .pbn.pbn import read_pbn

        return read_pbn(data, name)
    if kind == "rbn":
        from .pbn.rbn import read_rbn

        return read_rbn(data, name)
    if (reads := FORMATS[kind].reads) is not None:
        return reads(data, name, first_line=first_line)
    if kind == "dup":
        from .text.machine_records import read_machine_records

        return read_machine_records(data, name)
    return _read_lin([(data, name)])


def _why_unknown(data: bytes) -> str:
    """Say why a file is none that can be read."""
    if not data.strip():
        return "empty"
    if data.startswith(ZIP_MARKS):
        kind = "a zip file, which is read by its path only"
    elif data.startswith((b"\xff\xfe", b"\xfe\xff")):
        kind = "UTF-16 text, to be saved as UTF-8"
    elif b"\0" in data[:HEAD_BYTES]:
        kind = "a binary file"
    elif data.lstrip()[:1] == b"<":
        kind = "HTML or XML"
    elif data.lstrip()[:1] in (b"{", b"["):
        kind = "JSON without deals, or other text"
    else:
        kind = "other text"
    return f"expected {FORMATS_TEXT}, got {kind}: {_excerpt(data)[:40]!r}"


def _excerpt(data: bytes) -> str:
    """Return the beginning of some bytes as text that can be shown."""
    return data[:QUOTED].decode("utf-8", "replace").replace("\0", "\\0")


def _refused(name: str, reason: str, text: str) -> Batch:
    return Batch(empty_deals(), reject_frame([(name, None, reason, text)]))
