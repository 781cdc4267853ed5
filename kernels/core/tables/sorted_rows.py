"""Rows in the order of their auctions, by the core: sorting, searching, their trie and its entries.

Auctions stand as calls behind one another, uint8, and offsets. In order a shorter one comes before
those that go on from it, so that all rows below an auction are one run of rows.

All functions raise :class:`ValueError` for numbers outside the arrays and for auctions with other
calls than there are, and :class:`~bidcascade.bridge.BackendUnavailable` where there is no core.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.core.functions import call_core, checked
from bidcascade.kernels.types import I32, I64, U8, U32, U64

KEPT_ROW, REJECTED_ROW, LEADING_ROW = 0, 1, 2
"""Kinds of rows: an entry, one that must not become an entry, one that only leads somewhere."""

NO_ROW: Final = 1 << 62


def sorted_order(auctions: U8, offsets: I64) -> I64:
    """Order rows by their auctions, equal ones by their numbers.

    Examples
    --------
    >>> sorted_order(np.array([3, 0, 3, 0], np.uint8), np.array([0, 2, 3, 4])).tolist()
    [2, 1, 0]
    """
    order = np.empty(len(offsets) - 1, np.int64)
    call_core("core_sorted_order", *_arrays_of(auctions, offsets), order)
    return order


def in_order(auctions: U8, offsets: I64, order: I64) -> U8:
    """Copy auctions in an order of all rows."""
    copied = np.empty_like(auctions)
    call_core(
        "core_in_order",
        *_arrays_of(auctions, offsets),
        checked(order, np.int64, len(offsets) - 1),
        copied,
        len(copied),
    )
    return copied


def children_in(auctions: U8, offsets: U32, begin: int, end: int, depth: int, bounds: I64) -> None:
    """Find where rows by their next call begin, of sorted rows below one auction.

    Parameters
    ----------
    auctions : uint8 [calls], offsets : uint32 [rows + 1]
    begin, end : int
        The rows, all of which go on from the same ``depth`` calls or end there.
    bounds : int64 [calls + 1]
        Filled: rows with call ``c`` behind the auction are ``bounds[c]`` to ``bounds[c + 1]``;
        from ``begin`` to ``bounds[0]`` are those of the auction itself.
    """
    call_core(
        "core_children_in",
        checked(auctions, np.uint8),
        len(auctions),
        checked(offsets, np.uint32, 1),
        len(offsets) - 1,
        begin,
        end,
        depth,
        checked(bounds, np.int64),
        len(bounds),
    )


class Nodes(NamedTuple):
    """Nodes of a trie, each before those below it and siblings by call."""

    parent: I32
    """-1 for opening calls."""
    call: U8
    flags: U8
    priority: U64
    """Order among siblings."""
    first_kept: I64
    """Number of the first row that is the entry; :data:`NO_ROW` where there is none."""


def trie_of_sorted(
    auctions: U8, offsets: I64, order: I64, kinds: U8, numbers: I64, priorities: U64
) -> tuple[Nodes, I32, U8]:
    """Nodes of rows that an order sorts, and by row its node and a :class:`.findings.Dropped`.

    Inserted nodes are there though every row below was dropped. The node of a row that was
    dropped is the last one on its way; -1 where there is none.

    Parameters
    ----------
    auctions : uint8 [calls], offsets : int64 [rows + 1]
        Each with at least one call and at most 319.
    order : int64 [rows]
        As :func:`sorted_order` gives it.
    kinds : uint8 [rows]
        :data:`KEPT_ROW` or another one.
    numbers : int64 [rows]
        Below :data:`NO_ROW`.
    priorities : uint64 [rows]
        Order among siblings; of several rows with one auction the smallest counts.
    """
    rows = len(offsets) - 1
    given = *_arrays_of(auctions, offsets), checked(order, np.int64, rows)
    most = call_core("core_most_nodes", *given)
    nodes = Nodes(
        np.empty(most, np.int32),
        np.empty(most, np.uint8),
        np.empty(most, np.uint8),
        np.empty(most, np.uint64),
        np.empty(most, np.int64),
    )
    first_row = np.empty(most, np.int64)
    row_node, dropped = np.empty(rows, np.int32), np.empty(rows, np.uint8)
    made = call_core(
        "core_grow_trie",
        *given,
        checked(kinds, np.uint8, rows),
        checked(numbers, np.int64, rows),
        checked(priorities, np.uint64, rows),
        *nodes[:-1],
        first_row,
        nodes.first_kept,
        most,
        row_node,
        dropped,
    )
    parent, call, flags, priority, first_kept = nodes
    found = Nodes(parent[:made], call[:made], flags[:made], priority[:made], first_kept[:made])
    return found, row_node, dropped


def measure(parent: I32, flags: U8, below: I64, child_count: I64, there: U8) -> None:
    """Work out from the last node on what is below each, and set the flag ``CAN_COMPLETE``.

    Parameters
    ----------
    below, child_count : int64 [nodes]
        Raised by the entries below each node, and by its children.
    there : uint8 [nodes]
        Becomes 1 for nodes that rows stand for or below.
    """
    nodes = len(parent)
    call_core(
        "core_measure_trie",
        checked(parent, np.int32),
        nodes,
        checked(flags, np.uint8, nodes),
        checked(below, np.int64, nodes),
        checked(child_count, np.int64, nodes),
        checked(there, np.uint8, nodes),
    )


def children_by_priority(parent: I32, priority: U64, there: U8, starts: I64, children: I32) -> None:
    """List the children of each node in the order of priority.

    ``starts`` [nodes + 2] is filled with where those of each node, plus 1, begin in ``children``;
    those at 0 are the opening calls.
    """
    nodes = len(parent)
    call_core(
        "core_children_by_priority",
        checked(parent, np.int32),
        nodes,
        checked(priority, np.uint64, nodes),
        checked(there, np.uint8, nodes),
        checked(starts, np.int64, nodes + 2),
        checked(children, np.int32),
        len(children),
    )


def number_below(
    starts: I64,
    children: I32,
    below: I64,
    child_count: I64,
    call: U8,
    flags: U8,
    base: I64,
    entry: I64,
    columns: tuple[NDArray[Any], ...],
) -> None:
    """Give numbers to what is below some nodes, and write the columns of these entries.

    Parameters
    ----------
    starts, children : arrays
        As :func:`children_by_priority` fills them.
    below, child_count : int64 [nodes]
        As :func:`measure` raises them.
    base : int64 [nodes]
        Where the entries below a node begin; -1 where they are not wanted. Nodes below those are
        filled in.
    entry : int64 [nodes]
        Filled for nodes below the wanted ones.
    columns : tuple of arrays
        Filled: call and flags (uint8), number of children (uint16), first child (uint32).
    """
    nodes = len(base)
    calls_out, flags_out, counts_out, first_out = columns
    room = len(calls_out)
    call_core(
        "core_number_below",
        checked(starts, np.int64, nodes + 2),
        checked(children, np.int32),
        len(children),
        nodes,
        checked(below, np.int64, nodes),
        checked(child_count, np.int64, nodes),
        checked(call, np.uint8, nodes),
        checked(flags, np.uint8, nodes),
        checked(base, np.int64),
        checked(entry, np.int64, nodes),
        checked(calls_out, np.uint8),
        checked(flags_out, np.uint8, room),
        checked(counts_out, np.uint16, room),
        checked(first_out, np.uint32, room),
        room,
    )


def rows_of_entries(dropped: U8, row_entry: I64, priorities: U64, first: I64, further: U8) -> None:
    """Find the row that comes first of each entry, and mark the others.

    ``first`` [entries] must be filled with -1 and ``further`` [rows] with 0.
    """
    rows = len(dropped)
    call_core(
        "core_rows_of_entries",
        checked(dropped, np.uint8),
        checked(row_entry, np.int64, rows),
        checked(priorities, np.uint64, rows),
        rows,
        checked(first, np.int64),
        len(first),
        checked(further, np.uint8, rows),
    )


def _arrays_of(auctions: U8, offsets: I64) -> tuple[U8, int, I64, int]:
    return (
        checked(auctions, np.uint8),
        len(auctions),
        checked(offsets, np.int64, 1),
        len(offsets) - 1,
    )
