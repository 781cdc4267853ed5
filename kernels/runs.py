"""Runs of numbers behind one another, as the children of a table's entries are."""

import numpy as np
from numpy.typing import NDArray

from .types import U32


def numbers_of_runs(first: NDArray[np.integer], count: NDArray[np.integer]) -> NDArray[np.int64]:
    """Numbers of several runs behind one another: of each so many, from its first one on.

    Examples
    --------
    >>> numbers_of_runs(np.array([7, 0]), np.array([2, 3])).tolist()
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
    inner = np.flatnonzero(child_count)
    counts = child_count[inner]
    parents[numbers_of_runs(first_child[inner], counts)] = np.repeat(inner, counts)
    return parents
