"""Solved tables of deals, kept on the disk from one command to the next.

One file of the user's cache, to which records of 48 bytes are added: the hands of North, East and
South, the twenty results, a checksum of both. What is added is on the disk at once, so a run that
is killed loses a batch at most; several may add at a time. Bytes that are no record are left out,
and the file is written anew without them.
"""

import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Event
from typing import Final

import numpy as np

from bidcascade.bridge import InvalidDeal
from bidcascade.kernels.types import U64
from bidcascade.systems import cache_folder

from .protocol import I8, TABLE_SIZE, DoubleDummy

BATCH_DEALS: Final = 32
"""Deals that are solved before they are kept: a killed run loses a few seconds."""
_HANDS: Final = 24
_CHECKED: Final = _HANDS + TABLE_SIZE
_RECORD: Final = _CHECKED + 4
_FORMAT: Final = 1
"""Where checksums begin: those of another format do not hold."""


class KeptTables:
    """Tables that were solved before.

    Parameters
    ----------
    path : path, optional
        Made with the first tables; the user's own by default (:func:`tables_file`).

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> hands = np.array([[1], [2], [4], [8]], np.uint64)
    >>> with TemporaryDirectory() as folder:
    ...     KeptTables(Path(folder) / "tables").add(hands, np.full((1, 20), 7, np.int8))
    ...     KeptTables(Path(folder) / "tables").find(hands)[0, :4]
    array([7, 7, 7, 7], dtype=int8)
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = tables_file() if path is None else path
        self._known: dict[bytes, bytes] = {}
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return
        for start in range(0, len(data), _RECORD):
            record = data[start : start + _RECORD]
            if record[_CHECKED:] == _checksum(record[:_CHECKED]):
                self._known[record[:_HANDS]] = record[_HANDS:_CHECKED]
        if len(data) % _RECORD or len(self._known) < len(data) // _RECORD:
            # without a right to write there it stays as it is
            with suppress(OSError):
                self._write_anew()

    def __len__(self) -> int:
        return len(self._known)

    def find(self, hands: U64) -> I8:
        """Tables of deals, int8 [n, 20]; -1 for all of a deal that was not solved.

        Parameters
        ----------
        hands : uint64 [4, n]
        """
        unknown = b"\xff" * TABLE_SIZE
        found = b"".join(self._known.get(key, unknown) for key in _keys(hands))
        return np.frombuffer(found, np.int8).reshape(-1, TABLE_SIZE).copy()

    def add(self, hands: U64, tables: I8) -> None:
        """Keep tables.

        Parameters
        ----------
        hands : uint64 [4, n]
        tables : int8 [n, 20]

        Raises
        ------
        InvalidDeal
            If there is not a table a deal, or a result is no number of tricks.
        OSError
            If the file cannot be written.
        """
        keys = _keys(hands)
        if tables.shape != (len(keys), TABLE_SIZE) or ((tables < 0) | (tables > 13)).any():
            raise InvalidDeal(f"expected {len(keys)} tables of tricks, got {tables.shape}")
        values = [row.tobytes() for row in tables.astype(np.int8)]
        new = dict(zip(keys, values, strict=True))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # in one piece, so that several processes may add
        with self.path.open("ab", buffering=0) as file:
            file.write(_records(new))
        self._known |= new

    def _write_anew(self) -> None:
        with NamedTemporaryFile(dir=self.path.parent, delete=False) as file:
            file.write(_records(self._known))
        Path(file.name).replace(self.path)


def tables_file() -> Path:
    """File of the user's cache with all tables."""
    return cache_folder() / "double-dummy" / "tables.bin"


def solved_tables(
    hands: U64,
    solver: DoubleDummy,
    kept: KeptTables,
    *,
    progress: Callable[[int, int], None] | None = None,
    cancel: Event | None = None,
) -> I8:
    """Tables of deals: those that are kept, and the others solved and kept.

    Parameters
    ----------
    hands : uint64 [4, n]
    solver : DoubleDummy
    kept : KeptTables
    progress : callable, optional
        Told how many of how many different deals are solved, after each batch.
    cancel : Event, optional

    Returns
    -------
    int8 [n, 20]

    Raises
    ------
    DoubleDummyFailed, BackendUnavailable, Cancelled
        As the solver does.
    """
    different, which = np.unique(hands, axis=1, return_inverse=True)
    tables = kept.find(different)
    missing = np.flatnonzero(tables[:, 0] < 0)
    done, total = len(tables) - len(missing), len(tables)
    for start in range(0, len(missing), BATCH_DEALS):
        if progress is not None:
            progress(done + start, total)
        batch = missing[start : start + BATCH_DEALS]
        chosen = np.ascontiguousarray(different[:, batch])
        tables[batch] = solver.tables(chosen, cancel=cancel)
        kept.add(chosen, tables[batch])
    if progress is not None:
        progress(total, total)
    return tables[which.ravel()]


def _keys(hands: U64) -> list[bytes]:
    # the fourth hand is the rest
    text = np.ascontiguousarray(hands[:3].T, "<u8").tobytes()
    return [text[start : start + _HANDS] for start in range(0, len(text), _HANDS)]


def _records(tables: dict[bytes, bytes]) -> bytes:
    return b"".join(hands + row + _checksum(hands + row) for hands, row in tables.items())


def _checksum(content: bytes) -> bytes:
    return zlib.crc32(content, _FORMAT).to_bytes(4, "little")
