"""Turn what a user names (files, folders, patterns, ``-``, bytes) into a list of sources.

:func:`sniff` tells what kind of deal file a source is, by what is in it rather than by its name.
"""

import glob
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from bidcascade.bridge import InvalidInput

from .handviewer import first_link
from .lin import find_lin_token, looks_like_handviewer, looks_like_lin

Input: TypeAlias = str | Path | bytes

SUFFIXES = frozenset((".lin", ".pbn", ".parquet", ".txt"))
"""Files taken from a folder, in either case; a file named itself may have any name."""

STANDARD_INPUT = "-"


class Source(NamedTuple):
    """One file, standard input, or bytes given as such."""

    name: str
    path: Path | None = None
    """``None`` for bytes and for standard input."""
    data: bytes | None = None
    size: int = 0
    """Bytes; 0 for standard input."""


def find_sources(inputs: Input | Iterable[Input]) -> list[Source]:
    """List the sources that some inputs name, in that order.

    Parameters
    ----------
    inputs : path, bytes or iterable of them
        Text is a path, a pattern with ``*``, ``?`` or ``[]`` (``**`` runs through folders), ``-``
        for standard input, or a handviewer link. A folder stands for all files with a known suffix
        in it and below, by name.

    Raises
    ------
    InvalidInput
        If a path does not exist or a pattern fits nothing; names it.

    Examples
    --------
    >>> find_sources(b"pn|a,b,c,d|")[0].name
    'bytes 1'
    """
    if isinstance(inputs, str | Path | bytes):
        inputs = [inputs]
    sources: list[Source] = []
    for number, given in enumerate(inputs, 1):
        if isinstance(given, bytes):
            sources.append(Source(f"bytes {number}", data=given, size=len(given)))
        elif given == STANDARD_INPUT:
            sources.append(Source("standard input"))
        elif isinstance(given, str) and given.startswith(("http://", "https://")):
            data = given.encode()
            sources.append(Source(f"link {number}", data=data, size=len(data)))
        else:
            sources += [_file(path) for path in _paths(given)]
    return sources


def _paths(given: str | Path) -> list[Path]:
    path = given if isinstance(given, Path) else Path(given)
    try:
        is_folder, exists = path.is_dir(), path.exists()
    except OSError as error:
        shown = str(given)[:80]
        raise InvalidInput(f"expected a path, got {shown!r}: {error.strerror}") from error
    if is_folder:
        found = sorted(entry for entry in path.rglob("*") if entry.suffix.lower() in SUFFIXES)
        return [entry for entry in found if entry.is_file()]
    if exists:
        return [path]
    if glob.has_magic(str(given)):
        found = sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor))))
        if found:
            return [part for entry in found for part in _paths(entry)]
        raise InvalidInput(f"expected files that fit the pattern {str(given)!r}, got none")
    raise InvalidInput(f"expected a file, a folder or a pattern, got {str(given)!r}: no such file")


def _file(path: Path) -> Source:
    try:
        return Source(str(path), path=path, size=path.stat().st_size)
    except OSError as error:
        raise InvalidInput(f"cannot read {str(path)!r}: {error.strerror}") from error


Kind: TypeAlias = Literal["lin", "pbn", "handviewer", "hands", "parquet"]

HEAD_BYTES = 1 << 20
"""How much of a file is looked at."""

_BLANKS = b"\xef\xbb\xbf \t\r\n"
_PBN_TAG = re.compile(rb'(?:^|[\r\n\]}])[ \t]*\[[ \t]*[A-Za-z][A-Za-z0-9_]*[ \t]+"')
_PBN_HEADER = re.compile(rb"\A\s*%[ \t]*(?:PBN|EXPORT)\b")
_RANKS = rb"(?:[AKQJTakqjt2-9]|10)"
_DOTTED_HAND = re.compile(
    rb"(?:^|[\s:\"'])(?:%b*\.){3}%b*(?:$|[\s,;\"'])" % (_RANKS, _RANKS), re.MULTILINE
)
_LETTERED_HAND = re.compile(
    rb"(?:^|[\s:,1-4])[Ss]%b*[Hh]%b*[Dd]%b*[Cc]%b*(?:$|[\s,;])" % ((_RANKS,) * 4), re.MULTILINE
)


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
    >>> sniff(b"N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
    'hands'
    """
    head = data[:HEAD_BYTES].removeprefix(b"\xef\xbb\xbf")
    if head.startswith(b"PAR1"):
        return "parquet"
    if b"\0" in head or not head.strip(_BLANKS):
        return None
    if looks_like_handviewer(head) and not _is_pbn(head[: first_link(head)]):
        return "handviewer"
    is_lin = looks_like_lin(head)
    # either kind may quote the other in a remark: what comes first counts
    before_lin = head[: find_lin_token(head)] if is_lin else head
    if _PBN_HEADER.match(head) is not None or _PBN_TAG.search(before_lin) is not None:
        return "pbn"
    if is_lin:
        return "lin"
    if head.lstrip(_BLANKS)[:1] in (b"<", b"{", b"["):
        return None
    if _DOTTED_HAND.search(head) or _LETTERED_HAND.search(head):
        return "hands"
    return None


def _is_pbn(head: bytes) -> bool:
    return _PBN_HEADER.match(head) is not None or _PBN_TAG.search(head) is not None
