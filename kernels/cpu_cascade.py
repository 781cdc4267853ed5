"""The cascade over one block of deals: the numba walks.

``walk_block`` goes through the trie depth first with the *set of deals* that reach a node. Near
the root a set is a row of bits, one for each deal of the block, and a child's set is the AND of
its parent's with the bit columns of its box. Where few deals are left (``threshold``) the set
becomes a list of deal numbers, and a child's list is what passes its box, tested on packed words.
A set that a child shares with its parent (no criteria) is referred to, never copied.

``first_block`` follows one deal at a time to its one auction.
"""

from typing import Any

import numpy as np
from numba import njit

from .plan import ALWAYS, CAN_COMPLETE, COMPLETED, MULTIPLE, NEVER
from .types import U8, U16, U32, U64

_MULTIPLE_INDEX = np.int64(MULTIPLE - 1)
_H = np.uint64(0x8080808080808080)
_NO_ENTRY = np.uint32(0xFFFFFFFF)

# rows of the state array
NEXT, END, SOURCE, IS_LIST, SIZE, FIRST_WORD, END_WORD = range(7)


@njit(cache=True, nogil=True, inline="always")
def _popcount(word: Any) -> Any:
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@njit(cache=True, nogil=True, inline="always")
def _passes(words: U64, box: U64, lane_words: int, flag_words: int) -> bool:
    """Whether packed words pass a box row (lo.. hi|H.. mask.. need..)."""
    for word in range(lane_words):
        f = words[word]
        if (((f | _H) - box[word]) & (box[lane_words + word] - f) & _H) != _H:
            return False
    for word in range(flag_words):
        f = words[lane_words + word]
        mask = box[2 * lane_words + word]
        if (f & mask) != box[2 * lane_words + flag_words + word]:
            return False
    return True


@njit(cache=True, nogil=True)
def derive_flags(
    words: U64,
    boxes: U64,
    flags: U32,
    offsets: U32,
    flag_boxes: U32,
    lane_words: int,
    flag_words: int,
) -> None:
    """Set the derived flags in packed words [4, n, words]."""
    one = np.uint64(1)
    for row in range(words.shape[0]):
        for deal in range(words.shape[1]):
            hand = words[row, deal]
            for number in range(len(flags)):
                flag = np.int64(flags[number])
                for box in flag_boxes[offsets[number] : offsets[number + 1]]:
                    if _passes(hand, boxes[box], lane_words, flag_words):
                        hand[lane_words + flag // 64] |= one << np.uint64(flag % 64)
                        break


@njit(cache=True, nogil=True)
def _filter_list(
    source: U16, size: int, target: U16, words: U64, box: U64, lane_words: int, flag_words: int
) -> int:
    """Keep the deals of a list whose words pass a box; branch-free for one word of each kind."""
    kept = 0
    if lane_words == 1 and flag_words == 1:
        low, high, mask, need = box[0], box[1], box[2], box[3]
        for i in range(size):
            deal = source[i]
            f = words[deal, 0]
            inside = ((f | _H) - low) & (high - f) & _H
            target[kept] = deal
            kept += (inside == _H) & ((words[deal, 1] & mask) == need)
        return kept
    for i in range(size):
        deal = source[i]
        target[kept] = deal
        kept += 1 if _passes(words[deal], box, lane_words, flag_words) else 0
    return kept


@njit(cache=True, nogil=True)
def _and_columns(
    source: U64, target: U64, columns: U64, numbers: Any, first_word: int, end_word: int
) -> int:
    """AND columns into a set of bits; return how many bits are left.

    Loops run from zero over slices: that is what lets the compiler vectorise them.
    """
    count = len(numbers)
    words = end_word - first_word
    source = source[first_word:end_word]
    target = target[first_word:end_word]
    total = np.uint64(0)
    first = columns[numbers[0]][first_word:end_word]
    if count == 1:
        for word in range(words):
            bits = source[word] & first[word]
            target[word] = bits
            total += _popcount(bits)
        return np.int64(total)
    second = columns[numbers[1]][first_word:end_word]
    if count == 2:
        for word in range(words):
            bits = source[word] & first[word] & second[word]
            target[word] = bits
            total += _popcount(bits)
        return np.int64(total)
    third = columns[numbers[2]][first_word:end_word]
    if count == 3:
        for word in range(words):
            bits = source[word] & first[word] & second[word] & third[word]
            target[word] = bits
            total += _popcount(bits)
        return np.int64(total)
    fourth = columns[numbers[3]][first_word:end_word]
    if count == 4:
        for word in range(words):
            bits = source[word] & first[word] & second[word] & third[word] & fourth[word]
            target[word] = bits
            total += _popcount(bits)
        return np.int64(total)
    for word in range(words):
        target[word] = source[word] & first[word] & second[word] & third[word] & fourth[word]
    for number in numbers[4 : count - 1]:
        column = columns[number][first_word:end_word]
        for word in range(words):
            target[word] &= column[word]
    column = columns[numbers[count - 1]][first_word:end_word]
    for word in range(words):
        bits = target[word] & column[word]
        target[word] = bits
        total += _popcount(bits)
    return np.int64(total)


@njit(cache=True, nogil=True)
def _bits_to_list(bits: U64, first_word: int, end_word: int, target: U16) -> int:
    """Numbers of the set bits, ascending."""
    size = 0
    one = np.uint64(1)
    for word in range(first_word, end_word):
        rest = bits[word]
        while rest:
            low = rest & (~rest + one)
            target[size] = np.uint16(64 * word + np.int64(_popcount(low - one)))
            size += 1
            rest ^= low
    return size


@njit(cache=True, nogil=True)
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
                        if _passes(
                            features[seat, deal], boxes[set_boxes[j]], lane_words, flag_words
                        ):
                            kept += 1
                            break
                size = kept
            else:
                size = _filter_list(
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
                    _and_columns(
                        bits[source], bits[levels - 1], columns[seat],
                        box_columns[box_offsets[member] : box_offsets[member + 1]],
                        first_word, end_word,
                    )  # fmt: skip
                    for word in range(first_word, end_word):
                        bits[below, word] |= bits[levels - 1, word]
                total = np.uint64(0)
                for word in range(first_word, end_word):
                    total += _popcount(bits[below, word])
                size = np.int64(total)
            else:
                size = _and_columns(
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
            _bits_to_list(bits[target], first_word, end_word, lists[below])
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
                        pair_deals[place] = np.uint16(64 * word + np.int64(_popcount(low - one)))
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def first_block(
    features: U64,
    count: int,
    lane_words: int,
    flag_words: int,
    boxes: U64,
    set_offsets: U32,
    set_boxes: U32,
    first_child: U32,
    child_count: U16,
    node_box: U32,
    call: U8,
    node_flags: U8,
    root_count: int,
    entry: U32,
    passes: U8,
    defaults: U16,
) -> None:
    """Follow each deal of a block to its one auction (see ``FirstAuctions``)."""
    for deal in range(count):
        start = np.int64(0)
        end = np.int64(root_count)
        last = np.int64(-1)
        depth = 0
        trailing = 0
        bids = 0
        by_default = 0
        complete = False
        while True:
            words = features[depth & 3, deal]
            chosen = np.int64(-1)
            pass_node = np.int64(-1)
            for node in range(start, end):
                box = np.int64(node_box[node])
                if box == NEVER:
                    pass
                elif box == ALWAYS:
                    chosen = node
                    break
                elif box & MULTIPLE:
                    number = box & _MULTIPLE_INDEX
                    for j in range(set_offsets[number], set_offsets[number + 1]):
                        if _passes(words, boxes[set_boxes[j]], lane_words, flag_words):
                            chosen = node
                            break
                    if chosen >= 0:
                        break
                elif _passes(words, boxes[box], lane_words, flag_words):
                    chosen = node
                    break
                if call[node] == 0 and pass_node < 0:
                    pass_node = node
            if chosen < 0:
                if pass_node < 0:
                    break
                chosen = pass_node
                by_default += 1
            last = chosen
            depth += 1
            if call[chosen] == 0:
                trailing += 1
            else:
                trailing = 0
                bids += 1
            if node_flags[chosen] & COMPLETED:
                complete = True
                break
            start = np.int64(first_child[chosen])
            end = start + np.int64(child_count[chosen])
        entry[deal] = _NO_ENTRY if last < 0 else np.uint32(last)
        passes[deal] = 0 if complete else (3 if bids else 4) - trailing
        defaults[deal] = by_default


@njit(cache=True, nogil=True)
def _box_into(
    source: U64,
    target: U64,
    scratch: U64,
    columns: U64,
    box: int,
    box_offsets: Any,
    box_columns: Any,
    set_offsets: U32,
    set_boxes: U32,
    bit_words: int,
) -> None:
    """``target = source`` AND the columns of a box, or of any box of a set."""
    if box == NEVER:
        for word in range(bit_words):
            target[word] = 0
        return
    if box & MULTIPLE:
        number = box & _MULTIPLE_INDEX
        for word in range(bit_words):
            target[word] = 0
        for member in set_boxes[set_offsets[number] : set_offsets[number + 1]]:
            for word in range(bit_words):
                scratch[word] = source[word]
            for column in box_columns[box_offsets[member] : box_offsets[member + 1]]:
                for word in range(bit_words):
                    scratch[word] &= columns[column, word]
            for word in range(bit_words):
                target[word] |= scratch[word]
        return
    for word in range(bit_words):  # ALWAYS has no columns
        target[word] = source[word]
    for column in box_columns[box_offsets[box] : box_offsets[box + 1]]:
        for word in range(bit_words):
            target[word] &= columns[column, word]


@njit(cache=True, nogil=True)
def _everyone(count: int) -> U64:
    """Bits of a whole block."""
    bits = np.full((count + 63) // 64, np.uint64(0xFFFFFFFFFFFFFFFF))
    if count % 64:
        bits[-1] = (np.uint64(1) << np.uint64(count % 64)) - np.uint64(1)
    return bits


@njit(cache=True, nogil=True)
def box_bits(
    columns: U64,
    count: int,
    boxes: Any,
    box_offsets: Any,
    box_columns: Any,
    set_offsets: U32,
    set_boxes: U32,
    out: U64,
) -> None:
    """Bit columns of boxes on the four rows of a block: ``out`` [boxes, 4, words of bits]."""
    everyone = _everyone(count)
    scratch = np.empty_like(everyone)
    for row in range(len(boxes)):
        for seat in range(4):
            _box_into(
                everyone, out[row, seat], scratch, columns[seat], boxes[row], box_offsets,
                box_columns, set_offsets, set_boxes, len(everyone),
            )  # fmt: skip


@njit(cache=True, nogil=True)
def member_bits(
    columns: U64,
    count: int,
    parents: Any,
    seats: Any,
    boxes: Any,
    box_offsets: Any,
    box_columns: Any,
    set_offsets: U32,
    set_boxes: U32,
    out: U64,
) -> None:
    """Work out the deals that reach some nodes, parents first: ``out`` [nodes, words]."""
    everyone = _everyone(count)
    scratch = np.empty_like(everyone)
    for node in range(len(boxes)):
        _box_into(
            everyone if parents[node] < 0 else out[parents[node]], out[node], scratch,
            columns[seats[node]], boxes[node], box_offsets, box_columns, set_offsets, set_boxes,
            len(everyone),
        )  # fmt: skip
