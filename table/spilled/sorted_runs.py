"""Sorted runs of rows on disk: written when a table's rows do not fit the memory, read mapped."""

import json
import shutil
import zlib
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import InvalidTable
from bidcascade.kernels.core.tables.sorted_rows import in_order, sorted_order
from bidcascade.kernels.machine.npy_files import write_npy
from bidcascade.kernels.types import U8, U32
from bidcascade.table.building.trie import RowArrays
from bidcascade.table.columns import Column
from bidcascade.table.stored.own_folder import OwnFolder

from .column_file import HEADER_BYTES

_RUN: Final = "run.json"
_CHECKED_AT_ONCE: Final = 1 << 20


def write_sorted_run(rows: RowArrays, folder: Path) -> None:
    """Write rows in the order of their auctions into a new folder.

    Raises
    ------
    InvalidTable
        If it cannot be written.
    """
    offsets = rows.offsets.astype(np.int64)
    order = sorted_order(rows.auctions, offsets)
    ends = np.zeros(len(offsets), np.uint32)
    np.cumsum(np.diff(offsets)[order], out=ends[1:])
    columns: dict[str, NDArray[Any]] = {
        "auctions": in_order(rows.auctions, offsets, order),
        "offsets": ends,
        "number": rows.number[order],
    }
    columns |= {name: column[order] for name, column in rows.values.items()}
    try:
        folder.mkdir()
        written = {}
        for name, column in columns.items():
            with (folder / f"{name}.npy").open("wb") as file:
                write_npy(file, column)
            written[name] = [len(column), str(column.dtype), zlib.crc32(column.data)]
        (folder / _RUN).write_text(json.dumps(written), "utf-8")
    except OSError as error:
        raise InvalidTable(
            f"could not keep rows in {str(folder)!r}: {error.strerror or error}"
        ) from None


class SortedRun(NamedTuple):
    """Sorted rows in files: mapped where they are searched, else read."""

    auctions: U8
    offsets: U32
    folder: Path
    kinds: Mapping[str, str]
    """Types of the columns by name."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def read(self, name: str, begin: int, end: int) -> Column:
        """Read values ``begin`` to ``end`` of a column."""
        kind = np.dtype(self.kinds[name])
        with (self.folder / f"{name}.npy").open("rb") as file:
            file.seek(HEADER_BYTES + begin * kind.itemsize)
            return np.fromfile(file, kind, end - begin)


def open_sorted_run(folder: Path) -> SortedRun:
    """Open a run that :func:`write_sorted_run` wrote, after a check of its files.

    Raises
    ------
    InvalidTable
        If a file is missing, cut off or changed.
    """
    try:
        written = json.loads((folder / _RUN).read_text("utf-8"))
        for name, (length, kind, checksum) in written.items():
            _check(folder / f"{name}.npy", length * np.dtype(kind).itemsize, checksum)
        auctions, offsets = (
            np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False).view(np.ndarray)
            for name in ("auctions", "offsets")
        )
        kinds = {name: kind for name, (_, kind, _) in written.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, EOFError) as error:
        raise InvalidTable(
            f"expected the rows kept in {str(folder)!r} as they were written, got {error}"
        ) from None
    return SortedRun(auctions, offsets, folder, kinds)


def _check(path: Path, size: int, checksum: int) -> None:
    found = 0
    with path.open("rb") as file:
        if path.stat().st_size != HEADER_BYTES + size:
            raise ValueError(f"{path.name} of {path.stat().st_size:,} bytes")
        file.seek(HEADER_BYTES)
        while piece := file.read(_CHECKED_AT_ONCE):
            found = zlib.crc32(piece, found)
    if found != checksum:
        raise ValueError(f"{path.name} with other bytes")


class SpilledRows:
    """Runs in a folder of their own, which is gone when nobody needs it any more.

    A run is written while its successor is read, and never two at a time.
    """

    def __init__(self, where: Path | None) -> None:
        self._where = where
        self._folders: list[Path] = []
        self._pool = ThreadPoolExecutor(1)
        self._writing: Future[None] | None = None
        self.own: OwnFolder | None = None

    @property
    def folder(self) -> Path:
        """The folder; made when it is first asked for.

        Raises
        ------
        InvalidTable
            If it cannot be made.
        """
        if self.own is None:
            try:
                self.own = OwnFolder(self._where)
            except OSError as error:
                raise InvalidTable(
                    f"could not keep rows in {str(self._where)!r}: {error.strerror or error}"
                ) from None
        return self.own.path

    def write(self, rows: RowArrays) -> None:
        """Write a run; it may still be on its way when this returns."""
        self._wait()
        folder = self.folder / f"run-{len(self._folders):04}"
        self._folders.append(folder)
        self._writing = self._pool.submit(write_sorted_run, rows, folder)

    @contextmanager
    def runs(self) -> Iterator[list[SortedRun]]:
        """Open all runs; they are removed at the end."""
        self._wait()
        try:
            yield list(map(open_sorted_run, self._folders))
        finally:
            for folder in self._folders:
                shutil.rmtree(folder, ignore_errors=True)

    def discard(self) -> None:
        """Remove all runs, which are of no use any more."""
        self._pool.shutdown()
        if self.own is not None:
            self.own.remove()

    def _wait(self) -> None:
        if self._writing is not None:
            self._writing.result()
            self._writing = None
