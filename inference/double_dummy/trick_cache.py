"""Tricks of single contracts, kept on the disk from one command to the next.

A whole table takes eight times as long as one contract of it: whoever asks for the contracts that
a change of a text led to keeps these alone. Records of :mod:`.record_cache`: the hands of North,
East and South, the place in a table, the tricks, a checksum.
"""

from pathlib import Path
from typing import Final

import numpy as np

from bidcascade.kernels.types import I8, U64

from .abstract_solver import TABLE_SIZE
from .record_cache import RecordCache, of_user
from .table_cache import keys_of_deals, keys_of_tables

_UNKNOWN: Final = b"\xff"


class TrickCache(RecordCache):
    """Tricks that were worked out before.

    Parameters
    ----------
    path : path, optional
        Where they are kept: see :class:`.record_cache.RecordCache`.

    Examples
    --------
    >>> cache, hands = TrickCache(), np.array([[1], [2], [4], [8]], np.uint64)
    >>> tables = np.full((1, 20), -1, np.int8)
    >>> tables[0, 4] = 9
    >>> cache.add(hands, tables)
    >>> cache.find(hands)[0, :5]
    array([-1, -1, -1, -1,  9], dtype=int8)
    """

    def __init__(self, path: Path | None = None) -> None:
        super().__init__(path, key=25, value=1, what="double-dummy tricks")

    def find(self, hands: U64) -> I8:
        """Tables of deals, int8 [n, 20] at ``5 * declarer + strain``; -1 for what is not known.

        Parameters
        ----------
        hands : uint64 [4, n]
        """
        found = b"".join(
            self._known.get(key + bytes([place]), _UNKNOWN)
            for key in keys_of_deals(hands)
            for place in range(TABLE_SIZE)
        )
        return np.frombuffer(found, np.int8).reshape(-1, TABLE_SIZE).copy()

    def add(self, hands: U64, tables: I8) -> None:
        """Keep what is known of tables.

        Parameters
        ----------
        hands : uint64 [4, n]
        tables : int8 [n, 20]
            -1 for what is not known.

        Raises
        ------
        InvalidDeal
            If there is not a table a deal, or a result is no number of tricks.
        """
        keys = keys_of_tables(hands, tables, least=-1)
        new = {
            keys[deal] + bytes([place]): bytes([tables[deal, place]])
            for deal, place in np.argwhere(tables >= 0).tolist()
        }
        new = {key: value for key, value in new.items() if self.get(key) != value}
        if new:
            self.put(new)


def user_tricks() -> TrickCache:
    """Tricks in the user's cache, for all commands."""
    return of_user("tricks.bin", TrickCache)
