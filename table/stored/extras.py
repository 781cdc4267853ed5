"""Frames that go with a table: further values of its entries, as Parquet files in its folder.

Their first column is ``entry``, null in rows about no single one. They are evidence beside what the
table says (texts that lost, bounds learned from hands), so they have no part in the table's digest;
the manifest keeps the SHA-256 of each file instead, and a file is compared with it when it is read.
"""

import hashlib
import io
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, Protocol

import polars as pl

from bidcascade.bridge import InvalidTable
from bidcascade.loaders.parquet.parquet_child import DAMAGED, reason_of

FOLDER: Final = "extras"
"""Folder of the files within that of the table."""

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


class Extra(Protocol):
    """A frame that goes with a table, in memory or in a file."""

    def frame(self) -> pl.DataFrame:
        """Give its rows."""
        ...

    def content(self) -> bytes:
        """Give its Parquet file."""
        ...


@dataclass(frozen=True, slots=True)
class FrameExtra:
    """A frame in memory."""

    rows: pl.DataFrame

    @staticmethod
    def of(name: str, frame: pl.DataFrame, entries: int) -> "FrameExtra":
        """Check a frame and put its rows in the order of entries."""
        check_name(name)
        if frame.columns[:1] != ["entry"] or frame.schema["entry"] != pl.UInt32:
            first = dict(list(frame.schema.items())[:1])
            raise InvalidTable(
                f"extra {name!r}: expected 'entry' of type UInt32 as first column, got {first}"
            )
        numbers = frame["entry"]
        largest = numbers.max()
        if isinstance(largest, int) and largest >= entries:
            raise InvalidTable(f"extra {name!r}: expected entries below {entries}, got {largest}")
        if not numbers.is_sorted():
            frame = frame.sort("entry", maintain_order=True)
        return FrameExtra(frame)

    def frame(self) -> pl.DataFrame:
        """Give its rows."""
        return self.rows

    def content(self) -> bytes:
        """Give its Parquet file."""
        buffer = io.BytesIO()
        self.rows.write_parquet(buffer)
        return buffer.getvalue()


@dataclass(frozen=True, slots=True)
class FileExtra:
    """A frame in a table's folder."""

    name: str
    path: Path
    sha256: str
    entries: int

    def frame(self) -> pl.DataFrame:
        """Read its rows."""
        try:
            frame = pl.read_parquet(io.BytesIO(self.content()))
        except DAMAGED as error:
            reason = reason_of(error)
            raise InvalidTable(f"{self._place()}: cannot be read as Parquet: {reason}") from None
        return FrameExtra.of(self.name, frame, self.entries).rows

    def content(self) -> bytes:
        """Read its file, and check that it is the one that was written."""
        try:
            content = self.path.read_bytes()
        except OSError as error:
            raise InvalidTable(
                f"{self._place()}: expected a file, got {error.strerror or error}"
            ) from None
        found = hashlib.sha256(content).hexdigest()
        if found != self.sha256:
            raise InvalidTable(
                f"{self._place()}: expected the SHA-256 {self.sha256}, got {found}: "
                "the file is cut off or was changed"
            )
        return content

    def _place(self) -> str:
        return "/".join(self.path.parts[-3:])


def check_name(name: str) -> None:
    """Refuse what is no name of an extra."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InvalidTable(
            f"expected a name of small letters, digits and _ for an extra, got {name!r}"
        )


@contextmanager
def synced_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to be written, which is on the disk when the block ends."""
    with path.open("wb") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())


def write_extras(extras: Mapping[str, Extra], folder: Path) -> dict[str, Any]:
    """Write the extras of a table to files; what the manifest says of them is returned."""
    folder.mkdir()
    described: dict[str, Any] = {}
    for name, extra in extras.items():
        content = extra.content()
        with synced_file(folder / f"{name}.parquet") as stream:
            stream.write(content)
        described[name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    return described


def open_extras(path: Path, described: Any, entries: int) -> Mapping[str, Extra]:
    """Find the extras that a table's manifest names; a file is read only when it is asked for.

    Raises
    ------
    InvalidTable
        If the manifest does not describe them as written, or a file is gone or cut off.
    """
    extras: dict[str, Extra] = {}
    place = f"{path.name}/{FOLDER}"
    if not isinstance(described, dict):
        raise InvalidTable(f"{place}: expected extras by name, got {str(described)[:60]!r}")
    for name, about in described.items():
        check_name(name)
        sha256 = about.get("sha256") if isinstance(about, dict) else None
        size = about.get("bytes") if isinstance(about, dict) else None
        if not (isinstance(sha256, str) and _SHA256.fullmatch(sha256) and isinstance(size, int)):
            raise InvalidTable(
                f"{place}: expected bytes and SHA-256 of {name!r}, got {str(about)[:60]!r}"
            )
        file = path / FOLDER / f"{name}.parquet"
        try:
            found = file.stat().st_size
        except OSError:
            raise InvalidTable(f"{place}: expected a file {file.name}, got none") from None
        if found != size:
            raise InvalidTable(
                f"{place}/{file.name}: expected {size:,} bytes, got {found:,}: "
                "the file is cut off or was changed"
            )
        extras[name] = FileExtra(name, file, sha256, entries)
    return extras
