"""Solved tables of deals, kept on the disk from one command to the next.

One file of the user's cache, to which records of 48 bytes are added: the hands of North, East and
South, the twenty results, a checksum of both. What is added is on the disk at once, so a run that
is killed loses a few batches at most; several may add at a time. Bytes that are no record are left
out, and the file is written anew without them.
"""

import logging
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Event
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import InvalidDeal
from bidcascade.kernels.types import U64
from bidcascade.systems import cache_folder

from .protocol import I8, TABLE_SIZE, DoubleDummy

_logger = logging.getLogger("bidcascade.inference")
BATCH_DEALS: Final = 16
"""Deals that are solved before they are kept: a killed run loses a few seconds."""
_BATCHES_AT_ONCE: Final = 4
"""Batches that are solved at once, so that no process waits while a batch ends."""
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
        Made with the first tables; without one they are kept in memory. Where it cannot be
        written, it is left alone from then on, and the log says so.

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
        self.path = path
        self._known: dict[bytes, bytes] = {}
        data = b""
        if path is not None and path.exists():
            with self._on_disk(path):
                data = path.read_bytes()
        for start in range(0, len(data), _RECORD):
            record = data[start : start + _RECORD]
            if record[_CHECKED:] == _checksum(record[:_CHECKED]):
                self._known[record[:_HANDS]] = record[_HANDS:_CHECKED]
        if path is not None and len(self._known) * _RECORD < len(data):
            with self._on_disk(path), NamedTemporaryFile(dir=path.parent, delete=False) as file:
                file.write(_records(self._known))
                file.close()
                Path(file.name).replace(path)

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
        """
        keys = _keys(hands)
        if tables.shape != (len(keys), TABLE_SIZE) or ((tables < 0) | (tables > 13)).any():
            raise InvalidDeal(f"expected {len(keys)} tables of tricks, got {tables.shape}")
        values = [row.tobytes() for row in tables.astype(np.int8)]
        new = dict(zip(keys, values, strict=True))
        self._known |= new
        if self.path is not None:
            with self._on_disk(self.path):
                self.path.parent.mkdir(parents=True, exist_ok=True)
                # in one piece, so that several processes may add
                with self.path.open("ab", buffering=0) as file:
                    file.write(_records(new))

    @contextmanager
    def _on_disk(self, path: Path) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            _logger.warning("double-dummy tables are not kept in %s: %s", path, error)
            self.path = None


def user_tables() -> KeptTables:
    """Tables in the user's cache, for all commands."""
    try:
        return KeptTables(cache_folder() / "double-dummy" / "tables.bin")
    except RuntimeError:
        # a user without a home
        return KeptTables()


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
    stop = Event() if cancel is None else cancel

    def solve(batch: NDArray[np.intp]) -> None:
        chosen = np.ascontiguousarray(different[:, batch])
        tables[batch] = solver.tables(chosen, cancel=stop)
        kept.add(chosen, tables[batch])

    parts = [missing[start : start + BATCH_DEALS] for start in range(0, len(missing), BATCH_DEALS)]
    if progress is not None:
        progress(done, total)
    with ThreadPoolExecutor(_BATCHES_AT_ONCE) as threads:
        try:
            for batch, _ in zip(parts, threads.map(solve, parts), strict=True):
                done += len(batch)
                if progress is not None:
                    progress(done, total)
        except BaseException:
            # the batches that are waited for, and those behind them, are given up
            if cancel is None:
                stop.set()
            threads.shutdown(wait=False, cancel_futures=True)
            raise
    return tables[which.ravel()]


def _keys(hands: U64) -> list[bytes]:
    # the fourth hand is the rest
    text = np.ascontiguousarray(hands[:3].T, "<u8").tobytes()
    return [text[start : start + _HANDS] for start in range(0, len(text), _HANDS)]


def _records(tables: dict[bytes, bytes]) -> bytes:
    return b"".join(hands + row + _checksum(hands + row) for hands, row in tables.items())


def _checksum(content: bytes) -> bytes:
    return zlib.crc32(content, _FORMAT).to_bytes(4, "little")
