"""Members of zip files, looked at within limits and read as streams, without a file unpacked.

What a zip file says about itself is not believed: its list of files is measured before it is read,
and a member that holds more than it says ends there and fails its checksum.
"""

import errno
import io
import re
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final, NamedTuple

from bidcascade.bridge import InvalidInput, LimitExceeded

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

ZIP_MARKS: Final = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
"""How a zip file begins: with a member, without any, or as the last of several parts."""

MOST_FILES: Final = 10_000
"""Files in a zip file at most."""
MOST_RATIO: Final = 200
"""Bytes out for each byte in, at most; archives of deals pack to a tenth."""
FREE_BYTES: Final = 1 << 20
"""Bytes that may come out whatever the ratio is."""
MOST_MEMBER_BYTES: Final = 1 << 30
"""Bytes of a single member at most."""

DAMAGE: Final = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, UnicodeError, struct.error)
"""What the standard library raises for zip files that are damaged or ask for what it lacks."""

_END: Final = struct.Struct("<4s4H2LH")
_LOCATOR: Final = struct.Struct("<4sLQL")
_END_64: Final = struct.Struct("<4sQ2H2L4Q")
_LOCAL: Final = struct.Struct("<4s5H3L2H")
_LONGEST_DIRECTORY: Final = 4 << 20


class Member(NamedTuple):
    """A file within a zip file."""

    path: Path
    """The zip file."""
    info: zipfile.ZipInfo


def what_is_damaged(error: BaseException) -> str:
    """Say in one line what the standard library found."""
    return str(error).partition("\n")[0].lower() or type(error).__name__


TOO_DENSE: Final = f"expected at most {MOST_RATIO} bytes for each packed byte, got more"


def list_members(path: Path) -> list[Member]:
    """List the files of a zip file, in its order, folders left out.

    Raises
    ------
    InvalidInput
        If it is damaged.
    LimitExceeded
        If it lists more files, or more bytes for a packed byte, than may be.
    """
    check_directory(path)
    try:
        with zipfile.ZipFile(path) as archive:
            # not `is_dir`, which fails where a damaged name is empty
            members = (one for one in archive.infolist() if not one.filename.endswith("/"))
            found = [Member(path, info) for info in members]
    except DAMAGE as error:
        raise InvalidInput(f"cannot unpack the file: {what_is_damaged(error)}") from None
    check_count(len(found))
    # members that share their bytes are each within the limits
    sizes = (member.info.file_size for member in found if why_too_large(member.info) is None)
    if sum(sizes) > _most_bytes(path.stat().st_size):
        raise LimitExceeded(TOO_DENSE)
    return found


def check_count(count: int) -> None:
    """Refuse a zip file of too many files."""
    if count > MOST_FILES:
        raise LimitExceeded(f"expected at most {MOST_FILES:,} files in a zip file, got {count:,}")


def _most_bytes(packed: int) -> int:
    return FREE_BYTES + MOST_RATIO * packed


def why_refused(info: zipfile.ZipInfo) -> str | None:
    """Say why a member must not be read, as far as its entry tells; ``None`` if it may be."""
    path = PurePosixPath(info.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or re.match(r"[A-Za-z]:", info.filename):
        return "expected a name that stays inside, got another"
    if info.flag_bits & 1:
        return "expected a file without a password"
    # others may ask for gigabytes of memory
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "expected it stored or deflated, got another method"
    return None


def why_too_large(info: zipfile.ZipInfo) -> str | None:
    """Say that a member unpacks to more than may be; ``None`` if it does not."""
    if info.file_size > MOST_MEMBER_BYTES:
        return f"expected at most {MOST_MEMBER_BYTES:,} bytes when unpacked, got {info.file_size:,}"
    return TOO_DENSE if info.file_size > _most_bytes(info.compress_size) else None


def open_member(member: Member) -> io.BufferedReader:
    """Open a member as a stream that can be sought in.

    The list of files is not read again: the entry says where the member begins.

    Raises
    ------
    OSError
        If the zip file cannot be opened, or no member begins there. Damage that shows later is
        raised as the same while reading.
    """
    file = member.path.open("rb")
    try:
        file.seek(member.info.header_offset)
        header = file.read(_LOCAL.size)
        if len(header) < _LOCAL.size or not header.startswith(ZIP_MARKS[0]):
            raise OSError(errno.EIO, "the zip file is damaged: no file begins where one is listed")
        *_, name_length, extra_length = _LOCAL.unpack(header)
        file.seek(name_length + extra_length, io.SEEK_CUR)
        packed = zipfile.ZipExtFile(file, "r", member.info, close_fileobj=True)
    except BaseException:
        file.close()
        raise
    return io.BufferedReader(_Unpacked(packed), 1 << 16)


class _Unpacked(io.RawIOBase):
    """A member's bytes; what is wrong with them is an :class:`OSError` as with any file."""

    def __init__(self, packed: zipfile.ZipExtFile) -> None:
        self._packed = packed

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        room = memoryview(buffer).cast("B")
        try:
            data = self._packed.read(len(room))
        except DAMAGE as error:
            reason = f"the zip file is damaged: {what_is_damaged(error)}"
            raise OSError(errno.EIO, reason) from None
        room[: len(data)] = data
        return len(data)

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        return self._packed.seek(place, whence)

    def tell(self) -> int:
        return self._packed.tell()

    def close(self) -> None:
        self._packed.close()
        super().close()


def check_directory(path: Path) -> None:
    """Refuse a zip file whose list of files alone would fill the memory.

    APPNOTE of the format, sections 4.3.14 to 4.3.16: the end record, and that of ZIP64.

    Raises
    ------
    InvalidInput
        If it has no list.
    LimitExceeded
        If it is too long.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
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
    check_count(count)
    if length > _LONGEST_DIRECTORY:
        raise LimitExceeded(
            f"expected a list of at most {MOST_FILES:,} files in a zip file, "
            f"got {length:,} bytes of it"
        )
