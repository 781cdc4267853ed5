"""Turn what a user names (files, folders, patterns, ``-``, bytes) into a list of sources.

:func:`sniff` tells what kind of deal file a source is, by what is in it rather than by its name.
"""

import glob
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import takewhile
from pathlib import Path, PurePath, PurePosixPath
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from bidcascade.bridge import InvalidInput, LimitExceeded, visible

from .files.encodings import is_binary
from .files.zip_files import (
    ZIP_MARKS,
    Member,
    list_members,
    open_member,
    why_refused,
    why_too_large,
)
from .frames.frame import Batch
from .lin.handviewer import first_link
from .lin.lin_signs import find_lin_token, looks_like_handviewer, looks_like_lin
from .lin.page_links import page_links
from .text.hand_text import read_hand_text
from .text.json_deals import holds_deals, read_json_deals
from .text.machine_records import holds_machine_records
from .text.printed_deals import has_diagrams

Kind: TypeAlias = Literal["lin", "pbn", "rbn", "handviewer", "hands", "dup", "json", "parquet"]


class LineReader(Protocol):
    """Reads the deals of a text of lines, or of a part of it that begins with a line of it."""

    def __call__(self, data: bytes, source: str = "", *, first_line: int = 1) -> Batch:
        """Give the deals; ``first_line`` is the number of the first line."""
        ...


class Format(NamedTuple):
    """A format of deals.

    Attributes
    ----------
    name : str
        What messages call it; empty for one that they need not name.
    suffixes : tuple of str
        Of its files; the first is that of files which are written anew.
    reads : LineReader, optional
        Its reader, if a file of it is text that can be cut behind any line.
    begins : callable, optional
        Tells such a file by its first bytes, before any hand in it is looked for.
    counts_through : bool
        Whether the records of a part are numbered as those of the whole file.
    """

    name: str
    suffixes: tuple[str, ...]
    reads: LineReader | None = None
    begins: Callable[[bytes], bool] | None = None
    counts_through: bool = False


FORMATS: Final[Mapping[Kind, Format]] = {
    "lin": Format("LIN", (".lin",)),
    "pbn": Format("PBN", (".pbn",)),
    "rbn": Format("RBN", (".rbn", ".rbx")),
    "handviewer": Format("", (".txt",)),
    "hands": Format("hands", (".txt",), read_hand_text, counts_through=True),
    "dup": Format("DUP", (".dup", ".bri", ".dge")),
    "json": Format("JSON", (".jsonl",), read_json_deals, holds_deals),
    "parquet": Format("Parquet", (".parquet",), counts_through=True),
}
"""What is read; :func:`sniff` tells them apart, :func:`.pieces.read_piece` has further readers."""
*_NAMES, _LAST_NAME = (one.name for one in FORMATS.values() if one.name)
FORMATS_TEXT: Final = f"{', '.join(_NAMES)} or {_LAST_NAME}"
"""What messages say is expected."""
SUFFIXES: Final = frozenset(
    (".zip", *(suffix for one in FORMATS.values() for suffix in one.suffixes))
)
"""Files taken from a folder or a zip file, in either case; a file named itself may have any."""

STANDARD_INPUT = "-"
ARCHIVE_FILE: Final = "archive.json"
"""Names a folder an archive: what lies in it are its own files, not files of deals."""

_DEAL_TEXT = re.compile(
    r"\s*(?:[NESW]:\s*\S+\s+[^\\/]*$|\[\w+\s+\"|[^\\/]*?\b[a-z]{2}\|[^|]*\|"
    r"|[NESW]\s+(?:[AKQJT2-9]*\.){3}|[\[{]\s*[\[{]?\s*\")",
    re.IGNORECASE,
)
"""How a deal, PBN, LIN, printed hands and JSON begin; a path has separators, or no blank behind
its drive."""
_LONGEST_NAME = 255


class Source(NamedTuple):
    """One file, a file within a zip file, standard input, or bytes given as such."""

    name: str
    path: Path | None = None
    """``None`` for bytes, for standard input and within a zip file."""
    data: bytes | None = None
    size: int = 0
    """Bytes, unpacked; 0 for standard input."""
    member: Member | None = None
    refusal: str = ""
    """Why it is not read."""

    @property
    def is_stream(self) -> bool:
        """Whether it can be read only once."""
        return self.path is None and self.data is None and self.member is None

    def open(self) -> io.BytesIO | io.BufferedReader:
        """Open what can be read more than once.

        Raises
        ------
        OSError
            If it cannot be read, or where it is damaged within a zip file.
        """
        if self.member is not None:
            return open_member(self.member)
        return io.BytesIO(self.data or b"") if self.path is None else self.path.open("rb")


Input: TypeAlias = str | Path | bytes | Source


def find_sources(inputs: Input | Iterable[Input]) -> list[Source]:
    """List the sources that some inputs name, in that order.

    Parameters
    ----------
    inputs : path, bytes or iterable of them
        Text is a path, a pattern with ``*``, ``?`` or ``[]`` (``**`` runs through folders), ``-``
        for standard input, a link of a hand viewer or of the page, or deals themselves (``N:hand
        hand hand hand``, LIN, PBN or JSON text). A folder stands for all files with a known suffix
        in it and below, by name, but for those of archives in it, and a zip file for those in it:
        ``cup.zip/day1/a.lin``. A source stands for itself.

    Returns
    -------
    list of Source
        Named by their paths from the folder given, or from the folders of a pattern that hold no
        sign of it; a file given by its absolute path has its name only. Files that would have the
        same name keep their whole path.

    Raises
    ------
    InvalidInput
        If a path does not exist or a pattern fits nothing; names it.
    """
    if isinstance(inputs, str | Path | bytes | Source):
        inputs = [inputs]
    sources: list[Source] = []
    for number, given in enumerate(inputs, 1):
        if isinstance(given, Source):
            sources.append(given)
        elif isinstance(given, bytes):
            sources.append(Source(f"bytes {number}", data=given, size=len(given)))
        elif given == STANDARD_INPUT:
            sources.append(Source("standard input"))
        elif isinstance(given, str) and (kind := kind_of_text(given)):
            data = given.encode()
            sources.append(Source(f"{kind} {number}", data=data, size=len(data)))
        elif not isinstance(given, str | Path):
            raise InvalidInput(f"expected a path, a deal as text or bytes, got {given!r:.80}")
        elif given == "":
            # as a path it is the folder one is in
            raise InvalidInput("expected a file, a folder or a pattern, got an empty text")
        else:
            found = _paths(given)
            for path, name in found:
                sources += _files(path, shown_path(name), named_itself=len(found) == 1)
    return _with_distinct_names(sources)


def kind_of_text(text: str) -> str:
    """Tell what a text is that is itself read: ``link``, ``text``, or nothing for a path.

    Examples
    --------
    >>> kind_of_text("N:AKQJT98765432... - - -"), kind_of_text("deals/club.lin")
    ('text', '')
    """
    if text.startswith(("http://", "https://", "file://")) or _holds_page_link(text):
        return "link"
    is_deal = _DEAL_TEXT.match(text) is not None
    # such a name of a file is rare, and there is nothing to ask where it would be too long
    return "text" if is_deal and (len(text) > _LONGEST_NAME or not Path(text).exists()) else ""


def _holds_page_link(text: str) -> bool:
    # names of files may hold anything
    return "#" in text and any(page_links(text.encode("utf-8", "replace")))


def shown_path(path: str | PurePath) -> str:
    r"""Path as text: bytes that are no UTF-8, which file names may hold, as ``\xff``.

    So are signs that a terminal would do as they say.

    Examples
    --------
    >>> print(shown_path("caf\udce9.lin"))
    caf\xe9.lin
    """
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    return visible(text).replace("\n", r"\n").replace("\t", r"\t")


def _paths(given: str | Path) -> list[tuple[Path, str]]:
    """Files that a path or pattern stands for, with their names."""
    path = given if isinstance(given, Path) else Path(given)
    try:
        is_folder, exists = path.is_dir(), path.exists()
    except OSError as error:
        shown = str(given)[:80]
        raise InvalidInput(f"expected a path, got {shown!r}: {error.strerror}") from error
    if is_folder:
        found = sorted(entry for entry in path.rglob("*") if entry.suffix.lower() in SUFFIXES)
        archives = {one.parent for one in path.rglob(ARCHIVE_FILE)} - {path}
        if archives:
            found = [entry for entry in found if archives.isdisjoint(entry.parents)]
        return [(entry, str(entry.relative_to(path))) for entry in found if entry.is_file()]
    if exists:
        return [(path, path.name if path.is_absolute() else str(path))]
    if glob.has_magic(str(given)):
        found = sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor))))
        if found:
            start = Path(*takewhile(lambda part: not glob.has_magic(part), path.parts))
            files = [file for entry in found for file, _ in _paths(entry)]
            return [(file, str(file.relative_to(start))) for file in files]
        raise InvalidInput(f"expected files that fit the pattern {str(given)!r}, got none")
    raise InvalidInput(f"expected a file, a folder or a pattern, got {str(given)!r}: no such file")


def _files(path: Path, name: str, *, named_itself: bool) -> Iterator[Source]:
    """Give the source that a file is, or those that a zip file holds."""
    try:
        size = path.stat().st_size
        # a folder of many files is not opened file by file
        if (named_itself or path.suffix.lower() == ".zip") and _is_zip(path):
            yield from _members(path, name)
        else:
            yield Source(name, path=path, size=size)
    except OSError as error:
        raise InvalidInput(f"cannot read {str(path)!r}: {error.strerror}") from error


def _is_zip(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(4) in ZIP_MARKS
    except OSError:
        # whoever reads it says why
        return False


def _members(path: Path, name: str) -> Iterator[Source]:
    try:
        members = list_members(path)
    except (InvalidInput, LimitExceeded) as error:
        yield Source(name, refusal=str(error))
        return
    is_empty = True
    for member in sorted(members, key=lambda member: member.info.filename):
        suffix = PurePosixPath(member.info.filename).suffix.lower()
        if suffix not in SUFFIXES:
            continue
        is_empty = False
        inner = f"{name}/{shown_path(member.info.filename)}"
        refusal = why_refused(member.info) or why_too_large(member.info)
        if suffix == ".zip" and refusal is None:
            refusal = "expected deals, got a zip file within a zip file"
        # what a refused one says about its size is not believed
        size = 0 if refusal else member.info.file_size
        yield Source(inner, size=size, member=member, refusal=refusal or "")
    if is_empty:
        yield Source(name, refusal="expected files of deals in the zip file, got none")


def _with_distinct_names(sources: list[Source]) -> list[Source]:
    """Let no two files have the same name: records are numbered, files described by it."""
    places: dict[str, set[str]] = {}
    for source in sources:
        places.setdefault(source.name, set()).add(_place(source))
    return [
        source._replace(name=_place(source) or source.name)
        if len(places[source.name]) > 1
        else source
        for source in sources
    ]


def _place(source: Source) -> str:
    """Whole path of a file; empty for what is none."""
    if source.member is not None:
        inner = shown_path(source.member.info.filename)
        return f"{shown_path(source.member.path)}/{inner}"
    return "" if source.path is None else shown_path(source.path)


HEAD_BYTES = 1 << 20
"""How much of a file is looked at."""

_BLANKS = b"\xef\xbb\xbf \t\r\n"
_PBN_TAG = re.compile(rb'(?:^|[\r\n\]}])[ \t]*\[\s*[A-Za-z][A-Za-z0-9_]*\s+"')
_PBN_DEAL = re.compile(rb'(?:^|[\r\n\]}])[ \t]*\[\s*Deal\s+"')
_PBN_HEADER = re.compile(rb"\A\s*%[ \t]*(?:PBN|EXPORT)\b")
_RANKS = rb"(?:[AKQJTakqjt2-9]|10)"
_RBN_HEADER = re.compile(rb"\A\s*%\{?[ \t]*RB[NX]\b")
_RBN_HANDS = re.compile(rb"(?:^|\})H(?:[ \t]+|\{)[NESW][:;]%b*\." % _RANKS, re.MULTILINE)
_DOTS = rb"(?:%b*\.){3}%b*" % (_RANKS, _RANKS)
_LETTERS = rb"[Ss]\.?%b*\.?[Hh]\.?%b*\.?[Dd]\.?%b*\.?[Cc]\.?%b*" % ((_RANKS,) * 4)
_DOTTED_HAND = re.compile(rb"(?:^|[\s:\"'])%b(?:$|[\s,;\"'])" % _DOTS, re.MULTILINE)
_LETTERED_HAND = re.compile(rb"(?:^|[\s:,1-4])%b(?:$|[\s,;])" % _LETTERS, re.MULTILINE)
_DEAL_LINE = re.compile(
    rb"^[ \t]*(?:[NESW]:[ \t]*(?:%b|-)(?:[ \t]+(?:%b|-)){3}|[0-4]?%b(?:,%b){2,3},?)[ \t]*\r?$"
    % (_DOTS, _DOTS, _LETTERS, _LETTERS),
    re.MULTILINE,
)
"""A deal in a line of its own, as hand text has it."""


def sniff(data: bytes) -> Kind | None:
    """Return the kind of a deal file, or ``None`` if it is none.

    Parameters
    ----------
    data : bytes
        The file or its beginning; the first MiB is looked at.

    Examples
    --------
    >>> sniff(b"pn|a,b,c,d|md|"), sniff(b'[Event "Cup"]'), sniff(b"no bridge")
    ('lin', 'pbn', None)
    >>> sniff(b"H W:76.AKQ.T98.98765:AKQ.T98.AKQ.AKQJ:JT98.765.765.432:")
    'rbn'
    >>> sniff(b"N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
    'hands'
    >>> sniff(b'{"deal": "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. -"}')
    'json'
    """
    head = data[:HEAD_BYTES].removeprefix(b"\xef\xbb\xbf")
    if head.startswith(b"PAR1"):
        return "parquet"
    if holds_machine_records(head):
        return "dup"
    if is_binary(head) or not head.strip(_BLANKS):
        return None
    if _RBN_HEADER.match(head) is not None:
        return "rbn"
    if _PBN_HEADER.match(head) is not None:
        return "pbn"
    is_lin = looks_like_lin(head)
    if looks_like_handviewer(head):
        if not _quotes_links(head):
            return "handviewer"
        # what looks like a token belongs to a link
        is_lin = False
    # either kind may quote the other in a remark: what comes first counts
    before_lin = head[: find_lin_token(head)] if is_lin else head
    tag = _PBN_TAG.search(before_lin)
    start = head.lstrip(_BLANKS)[:1]
    if start not in (b"<", b"["):
        before = before_lin if tag is None else head[: tag.start()]
        if _RBN_HANDS.search(before) is not None:
            return "rbn"
    if tag is not None:
        return "pbn"
    if is_lin:
        return "lin"
    for kind, one in FORMATS.items():
        if one.begins is not None and one.begins(head):
            return kind
    if start in (b"<", b"[", b"{"):
        return None
    if _DOTTED_HAND.search(head) or _LETTERED_HAND.search(head):
        return "hands"
    return "hands" if has_diagrams(head.decode("latin-1")) else None


def _quotes_links(head: bytes) -> bool:
    """Whether the handviewer links in a text are quoted among boards of another kind."""
    if _PBN_TAG.search(head[: first_link(head)]) is not None:
        return True
    # a page may hold anything
    return head.lstrip(_BLANKS)[:1] != b"<" and any(
        pattern.search(head) is not None for pattern in (_PBN_DEAL, _RBN_HANDS, _DEAL_LINE)
    )
