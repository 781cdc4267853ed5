"""Uploads made ready for a job: told apart by their content, unpacked within limits, renamed.

What a zip file says about itself is not believed: lengths are counted while bytes come out, and of
the names of its files only plain characters are kept. Files that are packed twice are refused.
"""

import gzip
import re
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import IO, Final, NamedTuple

from bidcascade.bridge import InvalidInput, LimitExceeded
from bidcascade.loaders import sniff
from bidcascade.loaders.files.zip_files import (
    DAMAGE,
    FREE_BYTES,
    MOST_RATIO,
    ZIP_MARKS,
    check_count,
    check_directory,
    what_is_damaged,
    why_refused,
)
from bidcascade.loaders.inputs import FORMATS, FORMATS_TEXT, HEAD_BYTES

_PIECE: Final = 1 << 20
_LONGEST_PART: Final = 60
"""Characters of a part of a member's path: four bytes each fit what file systems take."""
_MOST_PARTS: Final = 8
_GZIP: Final = b"\x1f\x8b"
_OTHERS: Final = {
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"7z\xbc\xaf": "7-Zip",
    b"Rar!": "RAR",
    b"\x28\xb5\x2f\xfd": "Zstandard",
}


class UnpackingLimits(NamedTuple):
    """What unpacking may cost: bytes in all, and more than so many for a byte in."""

    most_bytes: int
    most_ratio: int = MOST_RATIO


def safe_name(written: str) -> str:
    """Name for an uploaded file: the last part of what it is called, plain characters only."""
    last = PurePosixPath(written.replace("\\", "/")).name
    last = re.sub(r"\.(gz|gzip|zip)$", "", last, flags=re.IGNORECASE)
    plain = re.sub(r"_*\._*", ".", re.sub(r"[^A-Za-z0-9.-]+", "_", last)).strip("._-")
    return plain[:100].strip("._-") or "upload"


def member_name(written: str, taken: set[str]) -> str:
    """Name for a file of a zip file: its path there, of plain characters, unlike those taken.

    Examples
    --------
    >>> taken = set()
    >>> [member_name(one, taken) for one in ("day1/Müller 1.lin", "../day1/müller 1.lin", "a|b")]
    ['day1/Müller 1.lin', 'day1/müller 1-2.lin', 'a_b']
    """
    parts = [re.sub(r"[^\w.,()+ -]+", "_", one) for one in written.replace("\\", "/").split("/")]
    plain = [part[:_LONGEST_PART].strip(". ") for part in parts]
    path = PurePosixPath(*[part for part in plain if part][-_MOST_PARTS:] or ["file"])
    if any(str(parent).casefold() in taken for parent in path.parents):
        # a file lies where a folder would be
        path = PurePosixPath("_".join(path.parts))
    name, number = path, 1
    while {str(name).casefold(), f"{name}/".casefold()} & taken:
        number += 1
        name = path.with_name(f"{path.stem}-{number}{path.suffix}")
    # folders are marked by a stroke behind their names
    taken.add(str(name).casefold())
    taken.update(f"{parent}/".casefold() for parent in name.parents)
    return str(name)


def unpack(upload: Path, folder: Path, name: str, limits: UnpackingLimits) -> list[str]:
    """Bring an upload into a folder as files that the readers take; their names, in order.

    The upload itself is used up.

    Parameters
    ----------
    upload : path
        Deals in any format that is read, or such files packed with gzip or zip.
    folder : path
        Exists and is empty.
    name : str
        What the user calls it; see :func:`safe_name`.
    limits : UnpackingLimits

    Raises
    ------
    InvalidInput
        If it is none of these, damaged, or packed twice.
    LimitExceeded
        If more comes out than may.
    """
    head = _head(upload)
    if not head:
        raise InvalidInput("expected deals, got an empty file")
    stem = safe_name(name)
    try:
        if head.startswith(ZIP_MARKS):
            names = _unzip(upload, folder, f"{PurePosixPath(stem).stem}.zip", limits)
        elif head.startswith(_GZIP):
            inner = folder / "unpacked"
            meter = _Meter(limits, upload.stat().st_size)
            with gzip.open(upload) as packed:
                _copy(packed, inner, meter.count)
            names = [_settle(inner, folder, stem, where="")]
        else:
            return [_settle(upload, folder, stem, where="")]
    except (gzip.BadGzipFile, *DAMAGE) as error:
        raise InvalidInput(f"cannot unpack the file: {what_is_damaged(error)}") from None
    upload.unlink()
    return names


class _Meter:
    """Counts bytes that come out, and stops where they are too many."""

    def __init__(self, limits: UnpackingLimits, packed_bytes: int) -> None:
        self._limits = limits
        self._packed_bytes = packed_bytes
        self._bytes = 0

    def count(self, length: int) -> None:
        self._bytes += length
        if self._bytes > self._limits.most_bytes:
            raise LimitExceeded(
                f"expected at most {self._limits.most_bytes:,} bytes when unpacked "
                "(setting max_unpacked_bytes), got more"
            )
        most = FREE_BYTES + self._limits.most_ratio * self._packed_bytes
        if self._bytes > most:
            raise LimitExceeded(
                f"expected at most {self._limits.most_ratio} bytes for each packed byte, got more"
            )


def _unzip(upload: Path, folder: Path, stem: str, limits: UnpackingLimits) -> list[str]:
    check_directory(upload)
    meter = _Meter(limits, upload.stat().st_size)
    names: list[str] = []
    taken: set[str] = set()
    with zipfile.ZipFile(upload) as archive:
        members = [member for member in archive.infolist() if not member.filename.endswith("/")]
        check_count(len(members))
        for number, member in enumerate(members, 1):
            where = f"file {number} of the zip file"
            if reason := why_refused(member):
                raise InvalidInput(f"{where}: {reason}")
            inner = folder / "unpacked"
            with archive.open(member) as packed:
                _copy(packed, inner, meter.count)
            name = f"{stem}/{member_name(member.filename, taken)}"
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            names.append(_settle(inner, folder, name, where=where, strict=False))
    usable = [name for name in names if sniff(_head(folder / name)) is not None]
    if not usable:
        raise InvalidInput("expected files of deals in the zip file, got none")
    return names


def _copy(source: IO[bytes] | gzip.GzipFile, target: Path, count: Callable[[int], None]) -> None:
    with target.open("wb") as file:
        while piece := source.read(_PIECE):
            count(len(piece))
            file.write(piece)


def _settle(path: Path, folder: Path, stem: str, *, where: str, strict: bool = True) -> str:
    """Bring a file to its place under a name with the suffix of its kind."""
    head = _head(path)
    prefix = f"{where}: " if where else ""
    if head.startswith((_GZIP, *ZIP_MARKS)):
        raise InvalidInput(f"{prefix}expected deals, got a file that is packed once more")
    kind = sniff(head)
    if kind is None and strict:
        for mark, packer in _OTHERS.items():
            if head.startswith(mark):
                raise InvalidInput(
                    f"expected deals, packed with gzip or zip if at all, "
                    f"got a file packed with {packer}"
                )
        raise InvalidInput(f"expected deals ({FORMATS_TEXT}), got something else")
    suffix = ".txt" if kind is None else FORMATS[kind].suffixes[0]
    # what a file is called within a zip file stays; readers look at what is in it
    name = stem if not strict or stem.lower().endswith(suffix) else stem + suffix
    path.rename(folder / name)
    return name


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD_BYTES)
