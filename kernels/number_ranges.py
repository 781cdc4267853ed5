"""Ranges of numbers behind one another, as the children of a table's entries are."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .types import U32

BLOCK_NODES = 1 << 20
"""Nodes that are worked on at a time."""


def blocks(nodes: int) -> Iterator[slice]:
    """Slices of all nodes: indices of int64 are made for a block, not for a whole column.

    Examples
    --------
    >>> list(blocks(3))
    [slice(0, 3, None)]
    """
    for begin in range(0, nodes, BLOCK_NODES):
        yield slice(begin, min(begin + BLOCK_NODES, nodes))


def numbers_of_ranges(first: NDArray[np.integer], count: NDArray[np.integer]) -> NDArray[np.int64]:
    """Numbers of several ranges behind one another: of each so many, from its first one on.

    Examples
    --------
    >>> numbers_of_ranges(np.array([7, 0]), np.array([2, 3])).tolist()
    [7, 8, 0, 1, 2]
    """
    counts = count.astype(np.int64)
    ends = np.cumsum(counts)
    return np.repeat(first + (counts - ends), counts) + np.arange(counts.sum())


def parents_of(
    first_child: NDArray[np.integer], child_count: NDArray[np.integer], none: int
) -> U32:
    """Parent of each node, uint32 [nodes]; ``none`` where it has none.

    Examples
    --------
    >>> parents_of(np.array([2, 3, 3]), np.array([1, 0, 0]), 9).tolist()
    [9, 9, 0]
    """
    parents = np.full(len(first_child), none, np.uint32)
    for block in blocks(len(first_child)):
        inner = np.flatnonzero(child_count[block])
        counts = child_count[block][inner]
        children = numbers_of_ranges(first_child[block][inner], counts)
        parents[children] = np.repeat(inner + block.start, counts)
    return parents
