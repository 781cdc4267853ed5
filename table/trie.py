"""From auctions in any order to a trie in table order: legality, missing parents, numbering.

The auctions are taken apart call by call: at each depth, equal (parent, call) pairs become one
node. What the laws say about a call (Laws of Duplicate Bridge, 17-22) is worked out once a node.
Entries are numbered so that the children of one entry stand together in priority order, and the
blocks of children follow one another in depth-first order of their parents.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import DOUBLE, FIRST_BID, PASS, REDOUBLE
from bidcascade.kernels.types import U8, U16, U32

from .columns import CAN_COMPLETE, COMPLETED, INSERTED

I64 = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Dropped(IntEnum):
    """Why a row is not in the table."""

    KEPT = 0
    BELOW_COMPLETED = 1
    INSUFFICIENT_BID = 2
    WRONG_DOUBLE = 3
    WRONG_REDOUBLE = 4
    REJECTED = 5
    BELOW_REJECTED = 6


@dataclass(slots=True)
class Trie:
    """Arrays of the entries, and where each row went."""

    call: U8
    flags: U8
    child_count: U16
    first_child: U32
    row_entry: U32
    """Entry of each row; without meaning for rows that were dropped."""
    row_dropped: U8
    """A :class:`Dropped` for each row."""
    root_count: int


@dataclass(slots=True)
class _Level:
    """The nodes of one depth, in sibling order under the order of their parents."""

    parent: I64
    call: U8
    inserted: Bools
    completed: Bools
    rows: U32
    """Rows that end at this depth."""
    row_node: U32


@dataclass(slots=True)
class _State:
    """The auction state at each node of one depth, as the laws need it."""

    last_bid: U8
    bid_by_next_side: Bools
    """Whether the last bid is by the side of the player whose turn it is."""
    doubling: U8
    trailing_passes: U8

    @classmethod
    def at_start(cls) -> "_State":
        zero = np.zeros(1, dtype=np.uint8)
        return cls(zero, np.zeros(1, dtype=np.bool_), zero, zero)

    def completed(self) -> Bools:
        done: Bools = (self.trailing_passes == 4) | (
            (self.trailing_passes == 3) & (self.last_bid > 0)
        )
        return done

    def take(self, nodes: "I64 | Bools") -> "_State":
        return _State(
            self.last_bid[nodes],
            self.bid_by_next_side[nodes],
            self.doubling[nodes],
            self.trailing_passes[nodes],
        )

    def illegality(self, call: U8) -> U8:
        """Reason per node why ``call`` may not be made in this state, 0 if it may."""
        reason = np.zeros(len(call), dtype=np.uint8)
        reason[(call >= FIRST_BID) & (call <= self.last_bid)] = Dropped.INSUFFICIENT_BID
        may_double = (self.last_bid > 0) & ~self.bid_by_next_side & (self.doubling == 0)
        reason[(call == DOUBLE) & ~may_double] = Dropped.WRONG_DOUBLE
        may_redouble = (self.doubling == 1) & self.bid_by_next_side
        reason[(call == REDOUBLE) & ~may_redouble] = Dropped.WRONG_REDOUBLE
        reason[self.completed()] = Dropped.BELOW_COMPLETED
        return reason

    def after(self, call: U8) -> "_State":
        """State after a legal call per node."""
        is_bid = call >= FIRST_BID
        doubling = np.where(is_bid, 0, np.where(call == PASS, self.doubling, call))
        passes = np.where(call == PASS, self.trailing_passes + 1, 0)
        return _State(
            np.where(is_bid, call, self.last_bid).astype(np.uint8),
            # whose turn it is changes side with every call
            ~is_bid & ~self.bid_by_next_side,
            doubling.astype(np.uint8),
            passes.astype(np.uint8),
        )


def build_trie(auctions: U8, offsets: I64, priority: I64, rejected: Bools) -> Trie:
    """Trie of auctions given in any order.

    Parameters
    ----------
    auctions : uint8[calls]
        The calls of all rows behind one another, each row's prior auction and its call.
    offsets : int64[rows + 1]
        Where each row begins in ``auctions``; each has at least one call.
    priority : int64[rows]
        Order among siblings, smallest first; of several rows with one auction the smallest counts.
        Inserted parents come behind their siblings, in the order of the rows below them.
    rejected : bool[rows]
        Rows that must not become entries, nor anything that is only reached through them.
    """
    row_count = len(offsets) - 1
    lengths = np.diff(offsets)
    dropped = np.zeros(row_count, dtype=np.uint8)
    levels: list[_Level] = []
    rows: I64 = np.arange(row_count, dtype=np.int64)
    parent: I64 = np.zeros(row_count, dtype=np.int64)
    state = _State.at_start()
    depth = 0
    while len(rows):
        level, state, rows, parent = _next_level(
            auctions[offsets[rows] + depth],
            rows,
            parent,
            state,
            ends=lengths[rows] == depth + 1,
            priority=priority,
            rejected=rejected,
            dropped=dropped,
        )
        levels.append(level)
        depth += 1
    return _number_entries(levels, row_count, dropped)


def _next_level(
    calls: U8,
    rows: I64,
    parent: I64,
    state: _State,
    *,
    ends: Bools,
    priority: I64,
    rejected: Bools,
    dropped: U8,
) -> tuple[_Level, _State, I64, I64]:
    """Make the nodes of one depth, and tell which rows go deeper from where; fills ``dropped``."""
    pairs, row_pair = _distinct(parent * 64 + calls)
    pair_parent, pair_call = pairs >> 6, (pairs & 63).astype(np.uint8)
    before = state.take(pair_parent)
    reason = before.illegality(pair_call)

    last = np.iinfo(np.int64).max
    pair_priority = np.full(len(pairs), last, dtype=np.int64)
    ending, ending_pair = rows[ends], row_pair[ends]
    kept = ~rejected[ending]
    np.minimum.at(pair_priority, ending_pair[kept], priority[ending[kept]])
    refused = np.zeros(len(pairs), dtype=np.bool_)
    refused[ending_pair[~kept]] = True
    refused &= (pair_priority == last) & (reason == 0)

    dropped[rows] = reason[row_pair]
    dropped[rows[refused[row_pair]]] = Dropped.BELOW_REJECTED
    dropped[ending[~kept & (reason[ending_pair] == 0)]] = Dropped.REJECTED

    inserted = pair_priority == last
    # inserted parents come behind their siblings, in the order in which rows first lead to them;
    # of several rows written to one place the last one stays, hence backwards
    first_row = np.empty(len(pairs), dtype=np.int64)
    first_row[row_pair[::-1]] = rows[::-1]
    pair_priority[inserted] = len(priority) + first_row[inserted]
    stands = np.flatnonzero((reason == 0) & ~refused)
    order = stands[np.lexsort((pair_priority[stands], pair_parent[stands]))]
    node_of_pair = np.full(len(pairs), -1, dtype=np.int64)
    node_of_pair[order] = np.arange(len(order))
    row_node = node_of_pair[row_pair]

    after = before.take(order).after(pair_call[order])
    stays = ends & (dropped[rows] == Dropped.KEPT)
    level = _Level(
        pair_parent[order],
        pair_call[order],
        inserted[order],
        after.completed(),
        rows[stays].astype(np.uint32),
        row_node[stays].astype(np.uint32),
    )
    deeper = ~ends & (row_node >= 0)
    return level, after, rows[deeper], row_node[deeper]


def _distinct(keys: I64) -> tuple[I64, I64]:
    """Distinct keys ascending, and which of them each is; quick where equal keys stand together."""
    changes = np.empty(len(keys), dtype=np.bool_)
    changes[0] = True
    np.not_equal(keys[1:], keys[:-1], out=changes[1:])
    distinct, run_key = np.unique(keys[changes], return_inverse=True)
    return distinct, run_key[np.cumsum(changes) - 1]


def _number_entries(levels: list[_Level], row_count: int, dropped: U8) -> Trie:
    _remove_nodes_without_rows(levels)
    while levels and not len(levels[-1].call):
        levels.pop()
    count = sum(len(level.call) for level in levels)
    trie = Trie(
        np.zeros(count, dtype=np.uint8),
        np.zeros(count, dtype=np.uint8),
        np.zeros(count, dtype=np.uint16),
        np.zeros(count, dtype=np.uint32),
        np.zeros(row_count, dtype=np.uint32),
        dropped,
        len(levels[0].call) if levels else 0,
    )
    below, can_complete, children = _bottom_up(levels)
    entry_of_node: I64 = np.zeros(1, dtype=np.int64)
    first_child_of_node: I64 = np.zeros(1, dtype=np.int64)
    count_of_node: I64 = np.full(1, trie.root_count, dtype=np.int64)
    for depth, level in enumerate(levels):
        # place within the block of siblings, and how many entries stand below the earlier ones
        block_start = np.cumsum(count_of_node) - count_of_node
        place = np.arange(len(level.call)) - block_start[level.parent]
        below_earlier = np.cumsum(below[depth]) - below[depth]
        below_earlier -= below_earlier[block_start[level.parent]]
        entry_of_node = first_child_of_node[level.parent] + place
        first_child_of_node = (
            first_child_of_node[level.parent] + count_of_node[level.parent] + below_earlier
        )
        count_of_node = children[depth]
        trie.call[entry_of_node] = level.call
        trie.flags[entry_of_node] = (
            level.completed * np.uint8(COMPLETED)
            | can_complete[depth] * np.uint8(CAN_COMPLETE)
            | level.inserted * np.uint8(INSERTED)
        )
        trie.child_count[entry_of_node] = count_of_node
        trie.first_child[entry_of_node] = first_child_of_node
        trie.row_entry[level.rows] = entry_of_node[level.row_node]
    return trie


def _remove_nodes_without_rows(levels: list[_Level]) -> None:
    """Take away inserted parents below which every row was dropped."""
    below: _Level | None = None
    for level in reversed(levels):
        keep = ~level.inserted
        if below is not None:
            keep[below.parent] = True
        if not keep.all():
            new_number = np.cumsum(keep) - 1
            level.parent, level.call = level.parent[keep], level.call[keep]
            level.inserted, level.completed = level.inserted[keep], level.completed[keep]
            level.row_node = new_number[level.row_node].astype(np.uint32)
            if below is not None:
                below.parent = new_number[below.parent]
        below = level


def _bottom_up(levels: list[_Level]) -> tuple[list[I64], list[Bools], list[I64]]:
    """Per level: entries below each node, whether one of them is completed, and its children."""
    below: list[I64] = [np.zeros(len(level.call), dtype=np.int64) for level in levels]
    children: list[I64] = [np.zeros(len(level.call), dtype=np.int64) for level in levels]
    can_complete: list[Bools] = [level.completed.copy() for level in levels]
    for depth in range(len(levels) - 1, 0, -1):
        parent = levels[depth].parent
        size = len(levels[depth - 1].call)
        children[depth - 1] = np.bincount(parent, minlength=size)
        # float64 sums are exact here: no table has 2^53 entries
        totals = np.bincount(parent, weights=1.0 + below[depth], minlength=size)
        below[depth - 1] = totals.astype(np.int64)
        can_complete[depth - 1][parent[can_complete[depth]]] = True
    return below, can_complete, children
