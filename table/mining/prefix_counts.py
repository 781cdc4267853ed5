"""Counts of prefixes and their texts in memory, as far as the memory that was allowed goes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.types import U8, U32, U64
from bidcascade.table.columns import Column
from bidcascade.table.mining.runs import Run

I64 = NDArray[np.int64]

_FIRST_SLOTS = 1 << 12


class Ignored(NamedTuple):
    """Illegal calls and those behind them, and the texts that were given with these."""

    calls: int
    texts: int


class PrefixCounts:
    """A trie of auctions with counts, to be filled and then taken out as a sorted run.

    Examples
    --------
    >>> counts = PrefixCounts()
    >>> calls = np.array([7, 0, 7, 8], np.uint8)
    >>> counts.add(calls, np.array([0, 2, 4]), np.zeros(4, np.uint32))
    Ignored(calls=0, texts=0)
    >>> run = counts.take()
    >>> run.depth.tolist(), run.call.tolist(), run.auctions.tolist()
    ([0, 1, 1], [7, 0, 8], [2, 1, 1])
    """

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self.nodes = 1
        self.pairs = 0
        self._parent = np.zeros(_FIRST_SLOTS, np.uint32)
        self._call = np.zeros(_FIRST_SLOTS, np.uint8)
        self._count = np.zeros(_FIRST_SLOTS, np.uint32)
        self._node_keys, self._node_numbers = _slots(_FIRST_SLOTS)
        self._pair_keys, self._pair_counts = _slots(_FIRST_SLOTS)

    def __len__(self) -> int:
        """Return the number of nodes and texts at nodes, which memory goes with."""
        return self.nodes - 1 + self.pairs

    def add(self, calls: U8, offsets: I64, texts: U32) -> Ignored:
        """Count auctions; what was passed over is returned.

        Parameters
        ----------
        calls : uint8 [calls]
            Auctions behind one another.
        offsets : int64 [auctions + 1]
        texts : uint32 [calls]
            Number of the text given with each call, 0 for none.
        """
        from bidcascade.kernels.auctions.prefix_trie import count_prefixes

        self._make_room(len(calls), int(np.count_nonzero(texts)))
        self.nodes, self.pairs, ignored_calls, ignored_texts = count_prefixes(
            calls, offsets, texts, self._node_keys, self._node_numbers, self._parent, self._call,
            self._count, self.nodes, self._pair_keys, self._pair_counts, self.pairs,
        )  # fmt: skip
        return Ignored(ignored_calls, ignored_texts)

    def _make_room(self, calls: int, texts: int) -> None:
        from bidcascade.kernels.auctions.prefix_trie import rehash

        if self.nodes + calls > len(self._parent):
            length = max(2 * len(self._parent), self.nodes + calls)
            self._parent = _longer(self._parent, length)
            self._call = _longer(self._call, length)
            self._count = _longer(self._count, length)
        if 2 * (self.nodes + calls) > len(self._node_keys):
            keys, numbers = _slots(2 * (self.nodes + calls))
            rehash(self._node_keys, self._node_numbers, keys, numbers)
            self._node_keys, self._node_numbers = keys, numbers
        if 2 * (self.pairs + texts) > len(self._pair_keys):
            keys, counts = _slots(2 * (self.pairs + texts))
            rehash(self._pair_keys, self._pair_counts, keys, counts)
            self._pair_keys, self._pair_counts = keys, counts

    def take(self) -> Run:
        """Give what was counted as a run, and begin anew."""
        filled = np.flatnonzero(self._pair_keys)
        keys, times = self._pair_keys[filled], self._pair_counts[filled]
        run = sorted_run(
            self._parent[1 : self.nodes], self._call[1 : self.nodes], self._count[1 : self.nodes],
            (keys >> np.uint64(32)).astype(np.uint32), keys.astype(np.uint32), times,
        )  # fmt: skip
        self._start()
        return run


def sorted_run(
    parent: U32, call: U8, count: U32, pair_node: U32, pair_text: U32, pair_times: U32
) -> Run:
    """Sort a trie into a run.

    Parameters
    ----------
    parent : uint32 [nodes]
        Number of the parent plus 1; 0 for opening calls.
    call : uint8 [nodes]
    count : uint32 [nodes]
    pair_node : uint32 [texts]
        Number plus 1 of the node that each text was given at.
    pair_text, pair_times : uint32 [texts]
        Number of the text, and how often it was given there.

    Examples
    --------
    >>> none = np.zeros(0, np.uint32)
    >>> run = sorted_run(np.array([2, 0], np.uint32), np.array([0, 7], np.uint8),
    ...     np.array([1, 3], np.uint32), none, none, none)
    >>> run.depth.tolist(), run.call.tolist()
    ([0, 1], [7, 0])
    """
    from bidcascade.kernels.auctions.prefix_trie import write_preorder

    nodes = len(parent)
    children = np.argsort(parent.astype(np.int64) << 6 | call, kind="stable") + 1
    starts = np.zeros(nodes + 2, np.int64)
    np.cumsum(np.bincount(parent, minlength=nodes + 1), out=starts[1:])
    depth, sorted_call = np.empty(nodes, np.uint16), np.empty(nodes, np.uint8)
    node = np.empty(nodes, np.uint32)
    write_preorder(children, starts, np.append(np.zeros(1, np.uint8), call), depth, sorted_call,
                   node)  # fmt: skip
    place = np.empty(nodes + 1, np.int64)
    place[node] = np.arange(nodes)
    pair_place = place[pair_node]
    order = np.argsort(pair_place << 32 | pair_text, kind="stable")
    texts = np.bincount(pair_place, minlength=nodes).astype(np.uint32)
    return Run(
        depth, sorted_call, count[node - np.uint32(1)], texts, pair_text[order], pair_times[order]
    )


def _slots(least: int) -> tuple[U64, U32]:
    size = 1 << (least - 1).bit_length()
    return np.zeros(size, np.uint64), np.zeros(size, np.uint32)


def _longer(column: Column, length: int) -> Column:
    longer = np.zeros(length, column.dtype)
    longer[: len(column)] = column
    return longer
