"""Engine ``lists``: a measured prototype, the plain walk that the ``cpu`` backend has to beat.

The trie is walked depth first, node by node, with the list of the deals of a block that reach the
node: a child's list is what of its parent's list passes the child's box, tested without branches
on packed words; only entries with a list that is not empty are followed. Blocks of 8,192 deals
(their words stay in the second-level cache), on as many threads as there are cores.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numba import njit

from benchmarks.machine import cores
from bidcascade.kernels import (
    ALWAYS,
    NEVER,
    BitColumns,
    DealArrays,
    EntryLists,
    FirstAuctions,
    Plan,
)
from bidcascade.kernels.types import U8, U16, U32, U64

from .choice import Engine

_H = np.uint64(0x8080808080808080)
_BLOCK = 1 << 13
_ONLY_COUNTS = "the prototype counts and packs features, no more"


@njit(cache=True, nogil=True)
def _pack(
    hands: U64, dealer: U8, vulnerability: U8, suit_words: U64, length_words: U64,
    context_words: U64, out: U64,
) -> None:  # fmt: skip
    """Pack hands by dealer-relative seat: ``out`` [4, n, words]."""
    words = suit_words.shape[2]
    holdings = np.empty(4, np.int64)
    lengths = np.empty(4, np.int64)
    for seat in range(4):
        for deal in range(hands.shape[1]):
            compass = (np.int64(dealer[deal]) + seat) & 3
            hand = hands[compass, deal]
            for suit in range(4):
                holdings[suit] = np.int64((hand >> np.uint64(13 * suit)) & np.uint64(0x1FFF))
                rest = holdings[suit]
                lengths[suit] = 0
                while rest:
                    rest &= rest - 1
                    lengths[suit] += 1
            shape = lengths[0] + 14 * lengths[1] + 196 * lengths[2]
            we = (np.int64(vulnerability[deal]) >> (compass & 1)) & 1
            they = (np.int64(vulnerability[deal]) >> (1 - (compass & 1))) & 1
            for word in range(words):
                total = length_words[shape, word] + context_words[seat + 4 * we + 8 * they, word]
                for suit in range(4):
                    total += suit_words[suit, holdings[suit], word]
                out[seat, deal, word] = total


@njit(cache=True, nogil=True)
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


def _depth(plan: Plan) -> int:
    parent = np.append(plan.parent, plan.node_count).astype(np.int64)
    depth, above = 0, np.arange(plan.node_count, dtype=np.int64)
    while len(above):
        depth += 1
        above = parent[above]
        above = np.unique(above[above < plan.node_count])
    return depth


class ListsEngine:
    """The list walk."""

    name = "lists"
    step = 16 * _BLOCK * cores()

    def why_unavailable(self, operation: str) -> str | None:
        return None if operation in ("counts", "features") else _ONLY_COUNTS

    def prepare(self, plan: Plan) -> None:
        packing = plan.packing
        if packing.lane_words != 1 or packing.flag_words != 1 or len(packing.program_starts):
            raise ValueError("expected a table whose terms fit one word of lanes and one of flags")
        if len(plan.set_offsets) > 1:
            raise ValueError("expected a table without variants")
        if "lists" not in plan.cache:
            plan.cache["lists"] = _depth(plan)

    def features(self, plan: Plan, deals: DealArrays) -> U64:
        packing = plan.packing
        out = np.empty((4, len(deals), packing.lane_words + packing.flag_words), np.uint64)
        _pack(
            deals.hands, deals.dealer, deals.vulnerability, packing.suit_words,
            packing.length_words, packing.context_words, out,
        )  # fmt: skip
        return out

    def counts(self, plan: Plan, deals: DealArrays) -> U64:
        self.prepare(plan)
        threads = cores()
        depth = plan.cache["lists"]
        assert isinstance(depth, int)

        def one_share(share: int) -> U32:
            counts = np.zeros(plan.node_count, np.uint32)
            lists = np.empty((depth + 1, _BLOCK), np.uint16)
            for start in range(share * _BLOCK, len(deals), threads * _BLOCK):
                block = deals.slice(start, min(start + _BLOCK, len(deals)))
                _walk(
                    self.features(plan, block), plan.boxes, plan.first_child, plan.child_count,
                    plan.node_box, plan.root_count, lists, counts,
                )  # fmt: skip
            return counts

        total = np.zeros(plan.node_count, np.uint64)
        with ThreadPoolExecutor(threads) as pool:
            for counts in pool.map(one_share, range(threads)):
                total += counts
        return total

    def entry_lists(self, plan: Plan, deals: DealArrays) -> Iterator[EntryLists]:
        raise ValueError(_ONLY_COUNTS)

    def first(self, plan: Plan, deals: DealArrays) -> FirstAuctions:
        raise ValueError(_ONLY_COUNTS)

    def evaluate(self, plan: Plan, deals: DealArrays) -> Any:
        raise ValueError(_ONLY_COUNTS)

    def bits(self, columns: Any) -> BitColumns:
        raise ValueError(_ONLY_COUNTS)

    def hands(self, count: int, seed: int) -> U64:
        raise ValueError(_ONLY_COUNTS)

    def timings(self) -> None:
        return None


def make(name: str) -> Engine:
    """Make the engine."""
    return ListsEngine()
