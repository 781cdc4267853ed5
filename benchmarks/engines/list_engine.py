"""Engine ``lists``: a measured prototype, the plain walk that the ``cpu`` backend has to beat.

The trie is walked depth first, node by node, with the list of the deals of a block that reach the
node: a child's list is what of its parent's list passes the child's box, tested without branches
on packed words; only entries with a list that is not empty are followed. Blocks of 8,192 deals
(their words stay in the second-level cache), on as many threads as there are cores.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from benchmarks.machine import cores
from bidcascade.kernels import ALWAYS, NEVER, DealArrays, Plan, get_backend
from bidcascade.kernels.compiled import compiled
from bidcascade.kernels.types import U16, U32, U64

from . import Engine

_H = np.uint64(0x8080808080808080)
_BLOCK = 1 << 13
_LONGEST = 319
"""Calls of the longest auction."""


@compiled
def _walk(
    features: U64, boxes: U64, first_child: U32, child_count: U16, node_box: U32,
    root_count: int, lists: U16, counts: U32,
) -> None:  # fmt: skip
    """Raise ``counts`` [nodes] by the deals of a block that reach each node."""
    size_at = np.zeros(lists.shape[0] + 1, np.int64)
    next_at = np.zeros(lists.shape[0] + 1, np.int64)
    end_at = np.zeros(lists.shape[0] + 1, np.int64)
    count = features.shape[1]
    for deal in range(count):
        lists[0, deal] = deal
    size_at[0] = count
    end_at[0] = root_count
    level = 0
    while level >= 0:
        node = next_at[level]
        if node == end_at[level]:
            level -= 1
            continue
        next_at[level] = node + 1
        box = np.int64(node_box[node])
        if box == NEVER:
            continue
        size = size_at[level]
        source = lists[level]
        target = lists[level + 1]
        kept = 0
        if box == ALWAYS:
            for i in range(size):
                target[i] = source[i]
            kept = size
        else:
            low, high, need, forbid = boxes[box, 0], boxes[box, 1], boxes[box, 2], boxes[box, 3]
            words = features[level & 3]
            for i in range(size):
                deal = source[i]
                lanes = words[deal, 0]
                flags = words[deal, 1]
                inside = ((lanes | _H) - low) & ((high | _H) - lanes) & _H
                target[kept] = deal
                kept += (inside == _H) & ((flags & need) == need) & ((flags & forbid) == 0)
        if kept == 0:
            continue
        counts[node] += np.uint32(kept)
        if child_count[node]:
            level += 1
            size_at[level] = kept
            next_at[level] = first_child[node]
            end_at[level] = np.int64(first_child[node]) + np.int64(child_count[node])


class ListsEngine(Engine):
    """The list walk."""

    name = "lists"
    step = 16 * _BLOCK * cores()
    operations = ("counts", "features")
    otherwise = "the prototype counts and packs features, no more"

    def prepare(self, plan: Plan) -> None:
        packing = plan.packing
        if packing.lane_words != 1 or packing.flag_words != 1 or len(packing.program_starts):
            raise ValueError("expected a table whose terms fit one word of lanes and one of flags")
        if len(plan.set_offsets) > 1:
            raise ValueError("expected a table without variants")

    def features(self, plan: Plan, deals: DealArrays) -> U64:
        return get_backend("cpu").features(plan, deals)

    def counts(self, plan: Plan, deals: DealArrays) -> U64:
        self.prepare(plan)

        def one_share(share: int) -> U32:
            counts = np.zeros(plan.node_count, np.uint32)
            # rows that no auction of the table is long enough for are never touched
            lists = np.empty((_LONGEST + 1, _BLOCK), np.uint16)
            for start in range(share * _BLOCK, len(deals), cores() * _BLOCK):
                block = deals.slice(start, min(start + _BLOCK, len(deals)))
                _walk(
                    self.features(plan, block), plan.boxes, plan.first_child, plan.child_count,
                    plan.node_box, plan.root_count, lists, counts,
                )  # fmt: skip
            return counts

        with ThreadPoolExecutor(cores()) as pool:
            return sum(pool.map(one_share, range(cores())), np.zeros(plan.node_count, np.uint64))
