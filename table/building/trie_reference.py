"""What the core's functions of sorted rows do, plainly: the definition, and for who has no core.

Names, arguments and what is filled are those of :mod:`bidcascade.kernels.core.tables.sorted_rows`.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import DOUBLE, REDOUBLE, Auction
from bidcascade.kernels.core.tables.sorted_rows import KEPT_ROW, NO_ROW, REJECTED_ROW, Nodes
from bidcascade.kernels.types import I32, I64, U8, U64
from bidcascade.table.columns import CAN_COMPLETE, COMPLETED, INSERTED

from .findings import Dropped

_BEHIND = 1 << 63
"""Inserted entries come behind their siblings."""


def sorted_order(auctions: U8, offsets: I64) -> I64:
    """Order rows by their auctions, equal ones by their numbers."""
    written = _auctions(auctions, offsets)
    return np.array(sorted(range(len(written)), key=written.__getitem__), np.int64)


def trie_of_sorted(
    auctions: U8, offsets: I64, order: I64, kinds: U8, numbers: I64, priorities: U64
) -> tuple[Nodes, I32, U8]:
    """Nodes of rows that an order sorts, and by row its node and why it was dropped."""
    written = _auctions(auctions, offsets)
    kept = {written[row] for row in np.flatnonzero(kinds == KEPT_ROW).tolist()}
    refused = {written[row] for row in np.flatnonzero(kinds == REJECTED_ROW).tolist()} - kept
    # by auction how many calls of it have nodes, and why no more
    known = {b"": (Auction(), 0, Dropped.KEPT)}
    nodes: list[tuple[int, int, int]] = []
    numbered = {b"": -1}
    row_node, dropped = np.zeros(len(order), np.int32), np.zeros(len(order), np.uint8)
    for row in order.tolist():
        auction = written[row]
        for length, call in enumerate(auction):
            if auction[: length + 1] in known:
                continue
            so_far, depth, reason = known[auction[:length]]
            if not reason and not (reason := _reason_against(so_far, call)):
                so_far = so_far.add(call)
                if auction[: length + 1] in refused:
                    reason = Dropped.BELOW_REJECTED
                else:
                    depth += 1
                    numbered[auction[:depth]] = len(nodes)
                    completed = COMPLETED if so_far.is_complete else 0
                    nodes.append((numbered[auction[:length]], call, INSERTED | completed))
            known[auction[: length + 1]] = so_far, depth, reason
        _, depth, reason = known[auction]
        row_node[row] = numbered[auction[:depth]]
        # a row that was rejected where nothing else speaks against it
        own = reason == Dropped.BELOW_REJECTED and not known[auction[:-1]][2]
        is_rejected = kinds[row] == REJECTED_ROW and (own or not reason)
        dropped[row] = Dropped.REJECTED if is_rejected else reason
    parent, call, flags = np.array(nodes, np.int64).reshape(-1, 3).T
    priority = np.full(len(nodes), _BEHIND, np.uint64)
    first_row, first_kept = np.full((2, len(nodes)), NO_ROW, np.int64)
    led = np.flatnonzero(row_node >= 0)
    np.minimum.at(first_row, row_node[led], numbers[led])
    counts = np.flatnonzero((dropped == Dropped.KEPT) & (kinds == KEPT_ROW))
    np.minimum.at(first_kept, row_node[counts], numbers[counts])
    np.minimum.at(priority, row_node[counts], priorities[counts])
    flags[row_node[counts]] &= ~INSERTED
    for node in range(len(nodes) - 1, -1, -1):
        if parent[node] >= 0:
            first_row[parent[node]] = min(first_row[parent[node]], first_row[node])
    inserted = (flags & INSERTED) != 0
    priority[inserted] = _BEHIND + first_row[inserted].astype(np.uint64)
    made = Nodes(
        parent.astype(np.int32), call.astype(np.uint8), flags.astype(np.uint8), priority, first_kept
    )
    return made, row_node, dropped


def measure(parent: I32, flags: U8, below: I64, child_count: I64, there: U8) -> None:
    """Work out from the last node on what is below each, and set the flag ``CAN_COMPLETE``."""
    for node in range(len(parent) - 1, -1, -1):
        above = parent[node]
        if flags[node] & COMPLETED:
            flags[node] |= CAN_COMPLETE
        there[node] |= not flags[node] & INSERTED
        if there[node] and above >= 0:
            there[above] = 1
            below[above] += below[node] + 1
            child_count[above] += 1
            flags[above] |= flags[node] & CAN_COMPLETE


def children_by_priority(parent: I32, priority: U64, there: U8, starts: I64, children: I32) -> None:
    """List the children of each node in the order of priority."""
    known = np.flatnonzero(there)
    children[:] = known[np.lexsort((priority[known], parent[known]))]
    starts[0] = 0
    starts[1:] = np.cumsum(np.bincount(parent[known] + 1, minlength=len(parent) + 1))


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
    """Give numbers to what is below some nodes, and write the columns of these entries."""
    for node in range(len(base)):
        if base[node] < 0:
            continue
        own = children[starts[node + 1] : starts[node + 2]]
        numbers = base[node] + np.arange(len(own))
        entry[own] = numbers
        base[own] = base[node] + len(own) + np.cumsum(below[own]) - below[own]
        said: tuple[NDArray[Any], ...] = call, flags, child_count, base
        for column, values in zip(columns, said, strict=True):
            column[numbers] = values[own]


def rows_of_entries(dropped: U8, row_entry: I64, priorities: U64, first: I64, further: U8) -> None:
    """Find the row that comes first of each entry, and mark the others."""
    kept = np.flatnonzero(dropped == Dropped.KEPT)
    kept = kept[np.lexsort((priorities[kept], row_entry[kept]))]
    is_first = np.diff(row_entry[kept], prepend=-1) != 0
    first[row_entry[kept[is_first]]] = kept[is_first]
    further[kept[~is_first]] = 1


def _auctions(auctions: U8, offsets: I64) -> list[bytes]:
    calls = auctions.tobytes()
    return [calls[begin:end] for begin, end in pairwise(offsets.tolist())]


def _reason_against(auction: Auction, call: int) -> Dropped:
    if auction.is_complete:
        return Dropped.BELOW_COMPLETED
    if call in auction.legal_calls():
        return Dropped.KEPT
    reasons = {DOUBLE: Dropped.WRONG_DOUBLE, REDOUBLE: Dropped.WRONG_REDOUBLE}
    return reasons.get(call, Dropped.INSUFFICIENT_BID)
