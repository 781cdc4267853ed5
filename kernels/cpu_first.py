"""Mode ``first`` over one block of deals: each deal goes to the first call that holds.

The walk of ``cpu_cascade``, with one difference: a call takes its deals away from the calls
behind it. So a level keeps the *rest*, the deals that no sibling has taken yet; what is left
after the last one passes by default. Every deal is in one set at a time, and ends once.
"""

from typing import Any

import numpy as np

from .compiled import compiled
from .cpu_boxes import bits_to_list, box_into, passes, popcount
from .plan import ALWAYS, COMPLETED, MULTIPLE, NEVER
from .types import U8, U16, U32, U64

_MULTIPLE_INDEX = np.int64(MULTIPLE - 1)
_NO_ENTRY = np.uint32(0xFFFFFFFF)

# rows of the state array
NEXT, END, IS_LIST, SIZE, FIRST_WORD, END_WORD, NODE, PASS_NODE, TRAILING, BIDS = range(10)


@compiled
def _take_from_list(
    rest: U16,
    size: int,
    taken: U16,
    words: U64,
    box: int,
    boxes: U64,
    set_offsets: U32,
    set_boxes: U32,
    lane_words: int,
    flag_words: int,
) -> int:
    """Move the deals that pass a box, or any box of a set, from ``rest`` to ``taken``."""
    kept = 0
    left = 0
    first_member = np.int64(0)
    end_member = np.int64(1)
    if box & MULTIPLE:
        first_member = np.int64(set_offsets[box & _MULTIPLE_INDEX])
        end_member = np.int64(set_offsets[(box & _MULTIPLE_INDEX) + 1])
    for i in range(size):
        deal = rest[i]
        hand = words[deal]
        holds = False
        for place in range(first_member, end_member):
            member = np.int64(set_boxes[place]) if box & MULTIPLE else box
            if passes(hand, boxes[member], lane_words, flag_words):
                holds = True
                break
        if holds:
            taken[kept] = deal
            kept += 1
        else:
            rest[left] = deal
            left += 1
    return kept


@compiled
def _finish(
    places: U16,
    size: int,
    node: int,
    passes_behind: int,
    by_default: int,
    entry: U32,
    passes_out: U8,
    defaults: U16,
) -> None:
    """Write down the end of some deals' auctions, or count a pass by default."""
    for i in range(size):
        deal = places[i]
        if by_default:
            defaults[deal] += np.uint16(1)
        else:
            entry[deal] = _NO_ENTRY if node < 0 else np.uint32(node)
            passes_out[deal] = passes_behind


@compiled
def first_block(
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
    call: U8,
    node_flags: U8,
    root_count: int,
    bits: U64,
    lists: U16,
    entry: U32,
    passes_behind: U8,
    defaults: U16,
) -> None:
    """Bid a block of deals to the end (see ``FirstAuctions``).

    ``bits`` [levels + 2, words of bits] and ``lists`` [levels + 2, ≥ threshold] are scratch;
    ``entry``, ``passes_behind`` and ``defaults`` [count] are filled.
    """
    levels = bits.shape[0] - 1
    bit_words = (count + 63) // 64
    state = np.zeros((10, levels + 1), np.int64)
    places = np.empty(count, np.uint16)
    one = np.uint64(1)

    for word in range(bit_words):
        bits[0, word] = np.uint64(0xFFFFFFFFFFFFFFFF)
    if count % 64:
        bits[0, bit_words - 1] = (one << np.uint64(count % 64)) - one
    for deal in range(count):
        defaults[deal] = 0
    state[END, 0] = root_count
    state[SIZE, 0] = count
    state[END_WORD, 0] = bit_words
    state[NODE, 0] = -1
    state[PASS_NODE, 0] = -1
    if count < threshold:
        state[IS_LIST, 0] = 1
        for deal in range(count):
            lists[0, deal] = deal
    level = 0
    while level >= 0:
        size = state[SIZE, level]
        if size == 0:
            level -= 1
            continue
        below = level + 1
        is_list = state[IS_LIST, level]
        first_word = state[FIRST_WORD, level]
        end_word = state[END_WORD, level]
        node = state[NEXT, level]
        everything = False
        if node == state[END, level]:
            # no call holds for the rest
            if is_list:
                rest = lists[level]
            else:
                bits_to_list(bits[level], first_word, end_word, places)
                rest = places
            by_default = state[PASS_NODE, level] >= 0
            _finish(
                rest, size, state[NODE, level],
                (3 if state[BIDS, level] else 4) - state[TRAILING, level], by_default,
                entry, passes_behind, defaults,
            )  # fmt: skip
            if not by_default:
                state[SIZE, level] = 0
                continue
            node = state[PASS_NODE, level]
            everything = True
        else:
            state[NEXT, level] = node + 1
            if call[node] == 0 and state[PASS_NODE, level] < 0:
                state[PASS_NODE, level] = node
            box = np.int64(node_box[node])
            if box == NEVER:
                continue
            everything = box == ALWAYS
        kept = size
        if everything:
            if is_list:
                for i in range(size):
                    lists[below, i] = lists[level, i]
            else:
                for word in range(first_word, end_word):
                    bits[below, word] = bits[level, word]
        elif is_list:
            kept = _take_from_list(
                lists[level], size, lists[below], features[level & 3], box, boxes,
                set_offsets, set_boxes, lane_words, flag_words,
            )  # fmt: skip
        else:
            box_into(
                bits[level, first_word:end_word], bits[below, first_word:end_word],
                bits[levels, first_word:end_word], columns[level & 3, :, first_word:end_word],
                box, box_offsets, box_columns, set_offsets, set_boxes, end_word - first_word,
            )  # fmt: skip
            total = np.uint64(0)
            for word in range(first_word, end_word):
                total += popcount(bits[below, word])
                bits[level, word] &= ~bits[below, word]
            kept = np.int64(total)
        if kept == 0:
            continue
        state[SIZE, level] = size - kept
        if not is_list and 0 < size - kept < threshold:
            bits_to_list(bits[level], first_word, end_word, lists[level])
            state[IS_LIST, level] = 1
        if not is_list:
            while bits[below, first_word] == 0:
                first_word += 1
            while bits[below, end_word - 1] == 0:
                end_word -= 1
            if kept < threshold:
                bits_to_list(bits[below], first_word, end_word, lists[below])
                is_list = 1
        if node_flags[node] & COMPLETED:
            if is_list:
                ended = lists[below]
            else:
                bits_to_list(bits[below], first_word, end_word, places)
                ended = places
            _finish(ended, kept, node, 0, 0, entry, passes_behind, defaults)
            continue
        is_pass = call[node] == 0
        state[TRAILING, below] = state[TRAILING, level] + 1 if is_pass else 0
        state[BIDS, below] = 1 if (state[BIDS, level] or not is_pass) else 0
        state[NEXT, below] = first_child[node]
        state[END, below] = np.int64(first_child[node]) + np.int64(child_count[node])
        state[NODE, below] = node
        state[PASS_NODE, below] = -1
        state[SIZE, below] = kept
        state[IS_LIST, below] = is_list
        state[FIRST_WORD, below] = first_word
        state[END_WORD, below] = end_word
        level = below
