"""Counts by key that grow with what was seen, not with what there could be."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

I64 = NDArray[np.int64]

_LEAST_MERGED = 1 << 16


class Tally:
    """Several counts for each key, added up chunk by chunk.

    A key is one or two numbers from 0. What comes out is ordered by key and does not depend on the
    order in which it went in.

    Parameters
    ----------
    fields : sequence of str
        Names of the counts.
    keys : int
        Numbers in a key, 1 or 2.

    Examples
    --------
    >>> tally = Tally(["made", "held"])
    >>> tally.add([np.array([7, 3, 7])], made=1, held=np.array([1, 0, 1]))
    >>> tally.add([np.array([3])], made=5)
    >>> tally.keys[0].tolist(), tally["made"].tolist(), tally["held"].tolist()
    ([3, 7], [6, 2], [0, 2])
    """

    def __init__(self, fields: Sequence[str], keys: int = 1) -> None:
        self._fields = tuple(fields)
        self._keys = np.zeros((keys, 0), np.int64)
        self._counts = np.zeros((len(fields), 0), np.int64)
        self._waiting: list[tuple[I64, I64]] = []
        self._waiting_size = 0

    def __len__(self) -> int:
        return len(self.keys[0])

    @property
    def keys(self) -> I64:
        """Keys in ascending order, int64[numbers in a key, n]."""
        self._merge()
        return self._keys

    def __getitem__(self, field: str) -> I64:
        """One count of every key, int64[n]."""
        self._merge()
        counts: I64 = self._counts[self._fields.index(field)]
        return counts

    def add(
        self, keys: Sequence[NDArray[np.integer]], **counts: "NDArray[np.integer | np.bool_] | int"
    ) -> None:
        """Add to counts; a count given as one number goes to every key, one left out stays.

        Parameters
        ----------
        keys : sequence of int arrays [n]
            One array for each number of a key; keys may repeat.
        **counts : int array [n] or int
        """
        size = len(keys[0])
        if not size:
            return
        new_keys = np.stack([one.astype(np.int64) for one in keys])
        new_counts = np.zeros((len(self._fields), size), np.int64)
        for field, count in counts.items():
            new_counts[self._fields.index(field)] = count
        self._waiting.append(_merged(new_keys, new_counts))
        self._waiting_size += self._waiting[-1][0].shape[1]
        # merged in when there is as much new as there is old, so that the work stays in proportion
        if self._waiting_size > max(self._keys.shape[1], _LEAST_MERGED):
            self._merge()

    def _merge(self) -> None:
        if not self._waiting:
            return
        self._keys, self._counts = _merged(
            np.concatenate([self._keys, *(keys for keys, _ in self._waiting)], axis=1),
            np.concatenate([self._counts, *(counts for _, counts in self._waiting)], axis=1),
        )
        self._waiting, self._waiting_size = [], 0


def _merged(keys: I64, counts: I64) -> tuple[I64, I64]:
    order = np.lexsort(keys[::-1])
    keys, counts = keys[:, order], counts[:, order]
    begins = np.ones(keys.shape[1], np.bool_)
    begins[1:] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
    starts = np.flatnonzero(begins)
    return keys[:, starts], np.add.reduceat(counts, starts, axis=1)
