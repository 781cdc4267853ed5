"""The cascade over one block of deals: the numba walks.

``walk_block`` goes through the trie depth first with the *set of deals* that reach a node. Near
the root a set is a row of bits, one for each deal of the block, and a child's set is the AND of
its parent's with the bit columns of its box. Where few deals are left (``threshold``) the set
becomes a list of deal numbers, and a child's list is what passes its box, tested on packed words.
A set that a child shares with its parent (no criteria) is referred to, never copied.

"""

from typing import Any

import numpy as np

from .compiled import compiled
from .cpu_boxes import and_columns, bits_to_list, filter_list, passes, popcount
from .plan import ALWAYS, CAN_COMPLETE, COMPLETED, MULTIPLE, NEVER
from .types import U8, U16, U32, U64

_MULTIPLE_INDEX = np.int64(MULTIPLE - 1)
_H = np.uint64(0x8080808080808080)
_NO_ENTRY = np.uint32(0xFFFFFFFF)

# rows of the state array
NEXT, END, SOURCE, IS_LIST, SIZE, FIRST_WORD, END_WORD = range(7)


@compiled
def walk_block(
    features: U64,
    columns: U64,
    count: int,
    threshold: int,
    lane_words: int,
    flag_words: int,
    boxes: U64,
    box_offsets: Any,
    box_columns: Any,
    set_offsets: U32,
    set_boxes: U32,
    first_child: U32,
    child_count: U16,
    node_box: U32,
    node_flags: U8,
    root_count: int,
    completed_only: int,
    max_depth: int,
    bits: U64,
    lists: U16,
    counts: U32,
    pair_nodes: U32,
    pair_deals: U16,
) -> int:
    """Walk the trie for one block.

    Parameters
    ----------
    features : uint64 [4, count, words]
        Packed words by dealer-relative seat.
    columns : uint64 [4, columns, words of bits]
    counts : uint32 [nodes] or [0]
        Raised by the number of deals that reach each node; empty: not wanted.
    pair_nodes, pair_deals : uint32, uint16 [capacity] or [0]
        Filled with (node, deal) in depth-first order of nodes; empty: not wanted.

    Returns
    -------
    int
        Number of pairs written, or -1 if they did not fit.
    """
    levels = bits.shape[0]
    bit_words = (count + 63) // 64
    state = np.zeros((7, levels + 1), np.int64)
    want_counts = len(counts) > 0
    capacity = len(pair_nodes)
    want_pairs = capacity > 0
    written = 0
    one = np.uint64(1)

    for word in range(bit_words):
        bits[0, word] = np.uint64(0xFFFFFFFFFFFFFFFF)
    if count % 64:
        bits[0, bit_words - 1] = (one << np.uint64(count % 64)) - one
    state[END, 0] = root_count
    state[SIZE, 0] = count
    state[END_WORD, 0] = bit_words
    if count < threshold:
        state[IS_LIST, 0] = 1
        for deal in range(count):
            lists[0, deal] = deal
    level = 0
    while level >= 0:
        node = state[NEXT, level]
        if node == state[END, level]:
            level -= 1
            continue
        state[NEXT, level] = node + 1
        box = np.int64(node_box[node])
        if box == NEVER:
            continue
        if completed_only and not node_flags[node] & CAN_COMPLETE:
            continue
        below = level + 1
        source = state[SOURCE, level]
        is_list = state[IS_LIST, level]
        size = state[SIZE, level]
        first_word = state[FIRST_WORD, level]
        end_word = state[END_WORD, level]
        target = below
        seat = level & 3
        if box == ALWAYS:
            target = source
        elif is_list:
            if box & MULTIPLE:
                number = box & _MULTIPLE_INDEX
                kept = 0
                for i in range(size):
                    deal = lists[source, i]
                    lists[below, kept] = deal
                    for j in range(set_offsets[number], set_offsets[number + 1]):
                        if passes(
                            features[seat, deal], boxes[set_boxes[j]], lane_words, flag_words
                        ):
                            kept += 1
                            break
                size = kept
            else:
                size = filter_list(
                    lists[source], size, lists[below], features[seat], boxes[box],
                    lane_words, flag_words,
                )  # fmt: skip
        else:
            if box & MULTIPLE:
                number = box & _MULTIPLE_INDEX
                for word in range(first_word, end_word):
                    bits[below, word] = 0
                for j in range(set_offsets[number], set_offsets[number + 1]):
                    member = set_boxes[j]
                    and_columns(
                        bits[source], bits[levels - 1], columns[seat],
                        box_columns[box_offsets[member] : box_offsets[member + 1]],
                        first_word, end_word,
                    )  # fmt: skip
                    for word in range(first_word, end_word):
                        bits[below, word] |= bits[levels - 1, word]
                total = np.uint64(0)
                for word in range(first_word, end_word):
                    total += popcount(bits[below, word])
                size = np.int64(total)
            else:
                size = and_columns(
                    bits[source], bits[below], columns[seat],
                    box_columns[box_offsets[box] : box_offsets[box + 1]], first_word, end_word,
                )  # fmt: skip
            if size:
                while bits[below, first_word] == 0:
                    first_word += 1
                while bits[below, end_word - 1] == 0:
                    end_word -= 1
        if size == 0:
            continue
        if want_counts:
            counts[node] += np.uint32(size)
        children = np.int64(child_count[node])
        descend = children > 0 and below < max_depth
        if not is_list and size < threshold and (descend or want_pairs):
            # few are left: go on with a list, at this level's own place
            bits_to_list(bits[target], first_word, end_word, lists[below])
            target = below
            is_list = 1
        if want_pairs and (not completed_only or node_flags[node] & COMPLETED):
            if written + size > capacity:
                return -1
            if is_list:
                for i in range(size):
                    pair_nodes[written + i] = node
                    pair_deals[written + i] = lists[target, i]
            else:
                place = written
                for word in range(first_word, end_word):
                    rest = bits[target, word]
                    while rest:
                        low = rest & (~rest + one)
                        pair_nodes[place] = node
                        pair_deals[place] = np.uint16(64 * word + np.int64(popcount(low - one)))
                        place += 1
                        rest ^= low
            written += size
        if descend:
            level = below
            state[NEXT, level] = first_child[node]
            state[END, level] = np.int64(first_child[node]) + children
            state[SOURCE, level] = target
            state[IS_LIST, level] = is_list
            state[SIZE, level] = size
            state[FIRST_WORD, level] = first_word
            state[END_WORD, level] = end_word
    return written


@compiled
def group_pairs(
    pair_nodes: U32,
    pair_deals: U16,
    pairs: int,
    order: U32,
    limit: int,
    totals: U64,
    entries: U32,
) -> int:
    """Sort (node, place) pairs by deal, keeping their order: the entries of each deal.

    ``order`` [count] is the deal at each place of the block. ``totals`` [count] becomes the
    number of entries of each deal; the first ``limit`` of each go to ``entries``, whose filled
    length is returned.
    """
    count = len(order)
    for deal in range(count):
        totals[deal] = 0
    for pair in range(pairs):
        totals[order[pair_deals[pair]]] += np.uint64(1)
    place = np.empty(count, np.int64)
    end = np.empty(count, np.int64)
    filled = 0
    for deal in range(count):
        place[deal] = filled
        filled += min(np.int64(totals[deal]), limit)
        end[deal] = filled
    for pair in range(pairs):
        deal = order[pair_deals[pair]]
        if place[deal] < end[deal]:
            entries[place[deal]] = pair_nodes[pair]
            place[deal] += 1
    return filled
