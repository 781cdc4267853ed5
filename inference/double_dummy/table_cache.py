"""Solved tables of deals, kept on the disk from one command to the next.

One file of the user's cache, to which records of 48 bytes are added (:mod:`.record_cache`): the
hands of North, East and South, the twenty results, a checksum of both.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import InvalidDeal
from bidcascade.kernels.types import I8, U64

from .abstract_solver import TABLE_SIZE, DoubleDummy
from .record_cache import RecordCache, of_user

BATCH_DEALS: Final = 16
"""Deals that are solved before they are kept: a killed run loses a few seconds."""
_BATCHES_AT_ONCE: Final = 4
"""Batches that are solved at once, so that no process waits while a batch ends."""
_HANDS: Final = 24


class TableCache(RecordCache):
    """Tables that were solved before.

    Parameters
    ----------
    path : path, optional
        Where they are kept: see :class:`.record_cache.RecordCache`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> hands = np.array([[1], [2], [4], [8]], np.uint64)
    >>> with TemporaryDirectory() as folder:
    ...     TableCache(Path(folder) / "tables").add(hands, np.full((1, 20), 7, np.int8))
    ...     TableCache(Path(folder) / "tables").find(hands)[0, :4]
    array([7, 7, 7, 7], dtype=int8)
    """

    def __init__(self, path: Path | None = None) -> None:
        super().__init__(path, key=_HANDS, value=TABLE_SIZE, what="double-dummy tables")

    def find(self, hands: U64) -> I8:
        """Tables of deals, int8 [n, 20]; -1 for all of a deal that was not solved.

        Parameters
        ----------
        hands : uint64 [4, n]
        """
        unknown = b"\xff" * TABLE_SIZE
        found = b"".join(self._known.get(key, unknown) for key in keys_of_deals(hands))
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
        keys = keys_of_tables(hands, tables, least=0)
        self.put(dict(zip(keys, (row.tobytes() for row in tables.astype(np.int8)), strict=True)))


def keys_of_tables(hands: U64, tables: I8, *, least: int) -> list[bytes]:
    """Keys of deals with their tables.

    Parameters
    ----------
    hands : uint64 [4, n]
    tables : int8 [n, 20]
    least : int
        Of a result: 0, or -1 where some may be unknown.

    Raises
    ------
    InvalidDeal
        If there is not a table a deal, or a result is no number of tricks.
    """
    keys = keys_of_deals(hands)
    if tables.shape != (len(keys), TABLE_SIZE) or ((tables < least) | (tables > 13)).any():
        raise InvalidDeal(f"expected {len(keys)} tables of tricks, got {tables.shape}")
    return keys


def user_tables() -> TableCache:
    """Tables in the user's cache, for all commands."""
    return of_user("tables.bin", TableCache)


def solved_tables(
    hands: U64,
    solver: DoubleDummy,
    cache: TableCache,
    *,
    progress: Callable[[int, int], None] | None = None,
    cancel: Event | None = None,
) -> I8:
    """Tables of deals: those that are kept, and the others solved and kept.

    Parameters
    ----------
    hands : uint64 [4, n]
    solver : DoubleDummy
    cache : TableCache
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
    tables = cache.find(different)
    missing = np.flatnonzero(tables[:, 0] < 0)
    done, total = len(tables) - len(missing), len(tables)
    stop = Event() if cancel is None else cancel

    def solve(batch: NDArray[np.intp]) -> None:
        chosen = np.ascontiguousarray(different[:, batch])
        tables[batch] = solver.tables(chosen, cancel=stop)
        cache.add(chosen, tables[batch])

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


def keys_of_deals(hands: U64) -> list[bytes]:
    """Give what deals are found by, 24 bytes each."""
    # the fourth hand is the rest
    text = np.ascontiguousarray(hands[:3].T, "<u8").tobytes()
    return [text[start : start + _HANDS] for start in range(0, len(text), _HANDS)]
