"""Uploads made ready for a job: told apart by their content, unpacked within limits, renamed.

What a zip file says about itself is not believed: lengths are counted while bytes come out, and its
files get names of ours. Files that are packed twice are refused.
"""

import gzip
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import IO, Final, NamedTuple

from bidcascade.bridge import InvalidInput, LimitExceeded
from bidcascade.loaders import sniff
from bidcascade.loaders.inputs import HEAD_BYTES

MOST_RATIO: Final = 200
"""Bytes out for each byte in, at most; archives of deals pack to a tenth."""
FREE_BYTES: Final = 1 << 20
"""Bytes that may come out whatever the ratio is."""
MOST_FILES: Final = 10_000
"""Files in a zip file at most."""

_PIECE: Final = 1 << 20
_GZIP: Final = b"\x1f\x8b"
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_OTHERS: Final = {
    b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"7z\xbc\xaf": "7-Zip", b"Rar!": "RAR",
    b"\x28\xb5\x2f\xfd": "Zstandard",
}  # fmt: skip
_SUFFIX: Final = {"parquet": ".parquet", "pbn": ".pbn", "lin": ".lin"}
_END: Final = struct.Struct("<4s4H2LH")
_LOCATOR: Final = struct.Struct("<4sLQL")
_END_64: Final = struct.Struct("<4sQ2H2L4Q")
_LONGEST_DIRECTORY: Final = 4 << 20


class Limits(NamedTuple):
    """What unpacking may cost: bytes in all, and more than so many for a byte in."""

    most_bytes: int
    most_ratio: int = MOST_RATIO


def safe_name(written: str) -> str:
    """Name for an uploaded file: the last part of what it is called, plain characters only."""
    last = PurePosixPath(written.replace("\\", "/")).name
    last = re.sub(r"\.(gz|gzip|zip)$", "", last, flags=re.IGNORECASE)
    plain = re.sub(r"_*\._*", ".", re.sub(r"[^A-Za-z0-9.-]+", "_", last)).strip("._-")
    return plain[:100].strip("._-") or "upload"


def unpack(upload: Path, folder: Path, name: str, limits: Limits) -> list[str]:
    """Bring an upload into a folder as files that the readers take; their names, in order.

    The upload itself is used up.

    Parameters
    ----------
    upload : path
        Deals (LIN, PBN, hands, Parquet), or such files packed with gzip or zip.
    folder : path
        Exists and is empty.
    name : str
        What the user calls it; see :func:`safe_name`.
    limits : Limits

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
        if head.startswith(_ZIP):
            names = _unzip(upload, folder, PurePosixPath(stem).stem, limits)
        elif head.startswith(_GZIP):
            inner = folder / "unpacked"
            meter = _Meter(limits, upload.stat().st_size)
            with gzip.open(upload) as packed:
                _copy(packed, inner, meter.count)
            names = [_settle(inner, folder, stem, where="")]
        else:
            return [_settle(upload, folder, stem, where="")]
    except (zipfile.BadZipFile, zlib.error, gzip.BadGzipFile, EOFError) as error:
        reason = str(error).partition("\n")[0].lower() or type(error).__name__
        raise InvalidInput(f"cannot unpack the file: {reason}") from None
    except (RuntimeError, UnicodeError, struct.error) as error:
        raise InvalidInput(f"cannot unpack the file: {str(error).lower()}") from None
    upload.unlink()
    return names


class _Meter:
    """Counts bytes that come out, and stops where they are too many."""

    def __init__(self, limits: Limits, packed_bytes: int) -> None:
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


def _unzip(upload: Path, folder: Path, stem: str, limits: Limits) -> list[str]:
    _check_directory(upload)
    meter = _Meter(limits, upload.stat().st_size)
    names = []
    with zipfile.ZipFile(upload) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        if len(members) > MOST_FILES:
            raise LimitExceeded(
                f"expected at most {MOST_FILES:,} files in a zip file, got {len(members):,}"
            )
        for number, member in enumerate(members, 1):
            where = f"file {number} of the zip file"
            _check_member(member, where)
            inner = folder / "unpacked"
            with archive.open(member) as packed:
                _copy(packed, inner, meter.count)
            names.append(_settle(inner, folder, f"{stem}-{number:05}", where=where, strict=False))
    usable = [name for name in names if sniff(_head(folder / name)) is not None]
    if not usable:
        raise InvalidInput("expected files of deals in the zip file, got none")
    return names


def _check_member(member: zipfile.ZipInfo, where: str) -> None:
    path = PurePosixPath(member.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or re.match(r"[A-Za-z]:", member.filename):
        raise InvalidInput(f"{where}: expected a name that stays inside, got another")
    if member.flag_bits & 1:
        raise InvalidInput(f"{where}: expected a file without a password")
    # others may ask for gigabytes of memory
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise InvalidInput(f"{where}: expected it stored or deflated, got another method")


def _check_directory(upload: Path) -> None:
    """Refuse a zip file whose list of files alone would fill the memory.

    APPNOTE of the format, sections 4.3.14 to 4.3.16: the end record, and that of ZIP64.
    """
    size = upload.stat().st_size
    with upload.open("rb") as file:
        start = max(0, size - _END.size - 0xFFFF)
        file.seek(start)
        tail = file.read()
        place = tail.rfind(b"PK\x05\x06")
        if place < 0 or len(tail) - place < _END.size:
            raise InvalidInput("cannot unpack the file: it is cut off, or no zip file")
        _, _, _, _, count, length, _, _ = _END.unpack_from(tail, place)
        before = start + place - _LOCATOR.size
        if before >= 0:
            file.seek(before)
            mark, _, end_64, _ = _LOCATOR.unpack(file.read(_LOCATOR.size))
            if mark == b"PK\x06\x07":
                file.seek(min(end_64, size))
                record = file.read(_END_64.size)
                if len(record) < _END_64.size:
                    raise InvalidInput("cannot unpack the file: it is damaged")
                *_, count, length, _ = _END_64.unpack(record)
    if count > MOST_FILES or length > _LONGEST_DIRECTORY:
        raise LimitExceeded(f"expected at most {MOST_FILES:,} files in a zip file, got {count:,}")


def _copy(source: IO[bytes] | gzip.GzipFile, target: Path, count: Callable[[int], None]) -> None:
    with target.open("wb") as file:
        while piece := source.read(_PIECE):
            count(len(piece))
            file.write(piece)


def _settle(path: Path, folder: Path, stem: str, *, where: str, strict: bool = True) -> str:
    """Bring a file to its place under a name with the suffix of its kind."""
    head = _head(path)
    prefix = f"{where}: " if where else ""
    if head.startswith((_GZIP, *_ZIP)):
        raise InvalidInput(f"{prefix}expected deals, got a file that is packed once more")
    kind = sniff(head)
    if kind is None and strict:
        for mark, packer in _OTHERS.items():
            if head.startswith(mark):
                raise InvalidInput(f"expected deals, packed with gzip or zip if at all, "
                                   f"got a file packed with {packer}")  # fmt: skip
        raise InvalidInput("expected deals (LIN, PBN, hands or Parquet), got something else")
    suffix = _SUFFIX.get(kind or "", ".txt")
    name = stem if stem.lower().endswith(suffix) else stem + suffix
    path.rename(folder / name)
    return name


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD_BYTES)
