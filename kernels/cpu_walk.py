"""The cascade over one block of deals, compiled by numba: boxes, and the walk through the trie.

The walk goes depth first with the *set of deals* that reach a node. Near the root a set is a row of
bits, one for each deal of the block, and a child's set is the AND of its parent's with the bit
columns of its box. Where few deals are left (``threshold``) the set becomes a list of deal numbers,
ascending, and a child's list is what passes its box, tested on packed words. A set that a child
shares with its parent (no criteria) is referred to, never copied.

Mode ``first`` is the same walk with one difference: a call takes its deals away from the calls
behind it. So a level's set is the *rest*, the deals that no sibling has taken yet; what is left
after the last one passes by default.
"""

from typing import Any, NamedTuple

import numpy as np

from .compiled import compiled
from .cpu_features import Columns
from .layout import I32
from .plan import ALWAYS, CAN_COMPLETE, COMPLETED, MULTIPLE, NEVER
from .types import U8, U16, U32, U64
from .words import popcount

_MULTIPLE_INDEX = np.int64(MULTIPLE - 1)
_H = np.uint64(0x8080808080808080)
_NO_ENTRY = np.uint32(0xFFFFFFFF)

# rows of the walk's state; the last four are those of mode "first"
NEXT, END, SOURCE, IS_LIST, SIZE, FIRST_WORD, END_WORD, NODE, PASS_NODE, TRAILING, BIDS = range(11)


class Boxes(NamedTuple):
    """Boxes as rows of words and as lists of bit columns, and sets of boxes (CSR).

    A row holds lo.. words, hi.. words with every lane's high bit set, the mask of the flags it
    looks at, and the values they must have.
    """

    rows: U64
    column_offsets: I32
    columns: I32
    set_offsets: U32
    set_boxes: U32
    lane_words: int
    flag_words: int


class Derived(NamedTuple):
    """Flags that are set where any of some boxes is passed, in the order to work them out (CSR)."""

    flags: U32
    offsets: U32
    boxes: U32


class Nodes(NamedTuple):
    """The trie of a plan."""

    first_child: U32
    child_count: U16
    box: U32
    call: U8
    flags: U8
    roots: int


@compiled(inline="always")
def passes(words: U64, box: U64, lane_words: int, flag_words: int) -> bool:
    """Whether packed words pass a box row."""
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


@compiled
def derive_flags(words: U64, boxes: Boxes, derived: Derived) -> None:
    """Set the derived flags in packed words [4, n, words], hand by hand."""
    rows, lane_words, flag_words = boxes.rows, boxes.lane_words, boxes.flag_words
    flags, offsets, members = derived
    one = np.uint64(1)
    for row in range(words.shape[0]):
        for deal in range(words.shape[1]):
            hand = words[row, deal]
            for number in range(len(flags)):
                flag = np.int64(flags[number])
                for box in members[offsets[number] : offsets[number + 1]]:
                    if passes(hand, rows[box], lane_words, flag_words):
                        hand[lane_words + flag // 64] |= one << np.uint64(flag % 64)
                        break


@compiled
def derive_columns(words: U64, bits: U64, boxes: Boxes, columns: Columns, derived: Derived) -> None:
    """Work the derived flags out on bit columns, 64 hands at once, for one seat of a block.

    Fills their columns (``bits`` [columns, words of bits]) and sets them in the packed words
    (``words`` [n, words]), where both were still zero.
    """
    everyone = _everyone(len(words))
    bit_words = len(everyone)
    holds, one_box, scratch = np.empty((3, bit_words), np.uint64)
    one = np.uint64(1)
    for number in range(len(derived.flags)):
        flag = np.int64(derived.flags[number])
        holds[:] = 0
        for box in derived.boxes[derived.offsets[number] : derived.offsets[number + 1]]:
            _and_box(
                everyone, one_box, scratch, bits, np.int64(box), boxes.column_offsets,
                boxes.columns, boxes.set_offsets, boxes.set_boxes, 0, bit_words,
            )  # fmt: skip
            holds |= one_box
        for column in range(len(columns.kind)):
            if columns.low[column] == flag and columns.kind[column] == -1:
                bits[column] = holds
            elif columns.low[column] == flag and columns.kind[column] == -2:
                bits[column] = everyone & ~holds
        place = boxes.lane_words + flag // 64
        shift = np.uint64(flag % 64)
        for deal in range(len(words)):
            words[deal, place] |= ((holds[deal >> 6] >> np.uint64(deal & 63)) & one) << shift


@compiled
def _everyone(count: int) -> U64:
    """Bits of a whole block."""
    bits = np.full((count + 63) // 64, np.uint64(0xFFFFFFFFFFFFFFFF))
    if count % 64:
        bits[-1] = (np.uint64(1) << np.uint64(count % 64)) - np.uint64(1)
    return bits


@compiled
def _and_columns(
    source: U64, target: U64, columns: U64, numbers: Any, first_word: int, end_word: int
) -> int:
    """AND columns into a set of bits; return how many bits are left.

    Up to four columns in one pass. Loops run from zero over slices: that is what lets the compiler
    vectorise them.
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
            total += popcount(bits)
        return np.int64(total)
    second = columns[numbers[1]][first_word:end_word]
    if count == 2:
        for word in range(words):
            bits = source[word] & first[word] & second[word]
            target[word] = bits
            total += popcount(bits)
        return np.int64(total)
    third = columns[numbers[2]][first_word:end_word]
    # of three columns the last one counts twice
    fourth = columns[numbers[min(3, count - 1)]][first_word:end_word]
    for word in range(words):
        bits = source[word] & first[word] & second[word] & third[word] & fourth[word]
        target[word] = bits
        total += popcount(bits)
    for number in numbers[4:]:
        column = columns[number][first_word:end_word]
        total = np.uint64(0)
        for word in range(words):
            bits = target[word] & column[word]
            target[word] = bits
            total += popcount(bits)
    return np.int64(total)


@compiled
def _and_box(
    source: U64, target: U64, scratch: U64, columns: U64, box: int, column_offsets: I32,
    box_columns: I32, set_offsets: U32, set_boxes: U32, first_word: int, end_word: int,
) -> int:  # fmt: skip
    """``target = source`` AND the columns of a box, or of any box of a set; the bits left.

    Plain arrays here and below: handing on tuples of them takes longer.
    """
    is_set = box & MULTIPLE != 0
    if is_set or box <= NEVER:
        for word in range(first_word, end_word):
            target[word] = source[word] if box == ALWAYS else np.uint64(0)
        if is_set:
            number = box & _MULTIPLE_INDEX
            for member in set_boxes[set_offsets[number] : set_offsets[number + 1]]:
                _and_columns(
                    source, scratch, columns,
                    box_columns[column_offsets[member] : column_offsets[member + 1]],
                    first_word, end_word,
                )  # fmt: skip
                for word in range(first_word, end_word):
                    target[word] |= scratch[word]
        total = np.uint64(0)
        for word in range(first_word, end_word):
            total += popcount(target[word])
        return np.int64(total)
    left: int = _and_columns(
        source, target, columns, box_columns[column_offsets[box] : column_offsets[box + 1]],
        first_word, end_word,
    )  # fmt: skip
    return left


@compiled
def box_bits(columns: U64, count: int, numbers: Any, boxes: Boxes, out: U64) -> None:
    """Bit columns of boxes on the four rows of a block: ``out`` [boxes, 4, words of bits]."""
    everyone = _everyone(count)
    scratch = np.empty_like(everyone)
    for row in range(len(numbers)):
        for seat in range(4):
            _and_box(
                everyone, out[row, seat], scratch, columns[seat], numbers[row],
                boxes.column_offsets, boxes.columns, boxes.set_offsets, boxes.set_boxes,
                0, len(everyone),
            )  # fmt: skip


@compiled
def member_bits(
    columns: U64, count: int, parents: Any, seats: Any, numbers: Any, boxes: Boxes, out: U64
) -> None:
    """Work out the deals that reach some nodes, parents first: ``out`` [nodes, words]."""
    everyone = _everyone(count)
    scratch = np.empty_like(everyone)
    for node in range(len(numbers)):
        _and_box(
            everyone if parents[node] < 0 else out[parents[node]], out[node], scratch,
            columns[seats[node]], numbers[node], boxes.column_offsets, boxes.columns,
            boxes.set_offsets, boxes.set_boxes, 0, len(everyone),
        )  # fmt: skip


@compiled
def _bits_to_list(bits: U64, first_word: int, end_word: int, target: U16) -> None:
    """Numbers of the set bits, ascending."""
    size = 0
    one = np.uint64(1)
    for word in range(first_word, end_word):
        rest = bits[word]
        while rest:
            low = rest & (~rest + one)
            target[size] = np.uint16(64 * word + np.int64(popcount(low - one)))
            size += 1
            rest ^= low


@compiled
def filter_list(
    source: U16, size: int, target: U16, words: U64, box: int, rows: U64, set_offsets: U32,
    set_boxes: U32, lane_words: int, flag_words: int,
) -> int:  # fmt: skip
    """Keep the deals whose words pass a box, or any of a set; return how many."""
    kept = 0
    if box & MULTIPLE:
        number = box & _MULTIPLE_INDEX
        for i in range(size):
            deal = source[i]
            target[kept] = deal
            for j in range(set_offsets[number], set_offsets[number + 1]):
                if passes(words[deal], rows[set_boxes[j]], lane_words, flag_words):
                    kept += 1
                    break
        return kept
    row = rows[box]
    if lane_words == 1 and flag_words == 1:
        # the usual plan, without a branch
        low, high, mask, need = row[0], row[1], row[2], row[3]
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
        kept += 1 if passes(words[deal], row, lane_words, flag_words) else 0
    return kept


@compiled
def _remove(rest: U16, size: int, taken: U16, kept: int) -> None:
    """Take the deals of a list out of another, where they all are."""
    left = 0
    place = 0
    for i in range(size):
        deal = rest[i]
        if place < kept and taken[place] == deal:
            place += 1
        else:
            rest[left] = deal
            left += 1


@compiled
def walk_block(
    features: U64, columns: U64, count: int, threshold: int,
    rows: U64, column_offsets: I32, box_columns: I32, set_offsets: U32, set_boxes: U32,
    lane_words: int, flag_words: int,
    first_child: U32, child_count: U16, node_box: U32, call: U8, node_flags: U8, roots: int,
    bits: U64, lists: U16, completed_only: int, max_depth: int, counts: U32, pair_nodes: U32,
    pair_deals: U16, is_first: int, entry: U32, passes_behind: U8, defaults: U16,
) -> int:  # fmt: skip
    """Walk the trie for one block; return how many pairs were written, -1 if they did not fit.

    The fields of ``Boxes`` and ``Nodes`` one by one: to look at tuples of arrays takes a call
    of numba 30 µs, which is as long as the walk of a single deal.

    Parameters
    ----------
    features : uint64 [4, count, words]
        Packed words by dealer-relative seat.
    columns : uint64 [4, columns, words of bits]
    bits, lists : uint64 [levels + 3, words of bits], uint16 [levels + 2, ≥ threshold]
        Scratch.
    counts : uint32 [nodes] or [0]
        Raised by the number of deals that reach each node; empty: not wanted.
    pair_nodes, pair_deals : uint32, uint16 [capacity] or [0]
        Filled with (node, deal) in depth-first order of nodes; empty: not wanted.
    is_first : int
        1 to bid each deal to its one auction: ``entry``, ``passes_behind`` and ``defaults``
        [count] are filled (see ``FirstAuctions``).
    """
    scratch = bits[len(bits) - 1]
    state = np.zeros((11, len(bits)), np.int64)
    want_counts = len(counts) > 0
    want_pairs = len(pair_nodes) > 0
    written = 0
    places = np.empty(count if is_first else 0, np.uint16)

    everyone = _everyone(count)
    bits[0, : len(everyone)] = everyone
    state[END, 0] = roots
    state[SIZE, 0] = count
    state[END_WORD, 0] = len(everyone)
    state[NODE, 0] = state[PASS_NODE, 0] = -1
    if is_first:
        defaults[:] = 0
    if count < threshold:
        state[IS_LIST, 0] = 1
        for deal in range(count):
            lists[0, deal] = deal
    level = 0
    while level >= 0:
        node = state[NEXT, level]
        size = state[SIZE, level]
        is_behind = node == state[END, level]
        if size == 0 or (is_behind and not is_first):
            level -= 1
            continue
        below = level + 1
        source = state[SOURCE, level]
        is_list = state[IS_LIST, level]
        first_word = state[FIRST_WORD, level]
        end_word = state[END_WORD, level]
        if is_behind:
            # no call holds for the rest
            ended = lists[source]
            if not is_list:
                _bits_to_list(bits[source], first_word, end_word, places)
                ended = places
            node = state[PASS_NODE, level]
            if node < 0:
                last = state[NODE, level]
                left = (3 if state[BIDS, level] else 4) - state[TRAILING, level]
                for i in range(size):
                    entry[ended[i]] = _NO_ENTRY if last < 0 else np.uint32(last)
                    passes_behind[ended[i]] = left
                    defaults[ended[i]] += np.uint16(left)
                level -= 1
                continue
            for i in range(size):
                defaults[ended[i]] += np.uint16(1)
            box = np.int64(ALWAYS)
        else:
            state[NEXT, level] = node + 1
            if is_first and call[node] == 0 and state[PASS_NODE, level] < 0:
                state[PASS_NODE, level] = node
            box = np.int64(node_box[node])
            if box == NEVER or (completed_only and not node_flags[node] & CAN_COMPLETE):
                continue
        target = below
        kept = size
        if box == ALWAYS:
            target = source
        elif is_list:
            kept = filter_list(
                lists[source], size, lists[below], features[level & 3], box, rows, set_offsets,
                set_boxes, lane_words, flag_words,
            )  # fmt: skip
        else:
            kept = _and_box(
                bits[source], bits[below], scratch, columns[level & 3], box, column_offsets,
                box_columns, set_offsets, set_boxes, first_word, end_word,
            )  # fmt: skip
        if kept == 0:
            continue
        if is_first:
            rest = size - kept
            state[SIZE, level] = rest
            if rest and is_list:
                _remove(lists[source], size, lists[below], kept)
            elif rest:
                for word in range(first_word, end_word):
                    bits[source, word] &= ~bits[below, word]
                if rest < threshold:
                    _bits_to_list(bits[source], first_word, end_word, lists[level])
                    state[SOURCE, level] = level
                    state[IS_LIST, level] = 1
        if not is_list:
            while bits[target, first_word] == 0:
                first_word += 1
            while bits[target, end_word - 1] == 0:
                end_word -= 1
        if want_counts:
            counts[node] += np.uint32(kept)
        children = np.int64(child_count[node])
        descend = below < max_depth and (children > 0 or is_first)
        if not is_list and kept < threshold and (descend or want_pairs):
            # few are left: go on with a list, at this level's own place
            _bits_to_list(bits[target], first_word, end_word, lists[below])
            target = below
            is_list = 1
        if want_pairs and (not completed_only or node_flags[node] & COMPLETED):
            if written + kept > len(pair_nodes):
                return -1
            if is_list:
                # a loop: slices cost more than the few deals
                for i in range(kept):
                    pair_nodes[written + i] = node
                    pair_deals[written + i] = lists[target, i]
            else:
                pair_nodes[written : written + kept] = node
                _bits_to_list(bits[target], first_word, end_word, pair_deals[written:])
            written += kept
        if is_first:
            if node_flags[node] & COMPLETED:
                ended = lists[target]
                if not is_list:
                    _bits_to_list(bits[target], first_word, end_word, places)
                    ended = places
                for i in range(kept):
                    entry[ended[i]] = np.uint32(node)
                    passes_behind[ended[i]] = 0
                continue
            is_pass = call[node] == 0
            state[TRAILING, below] = state[TRAILING, level] + 1 if is_pass else 0
            state[BIDS, below] = 1 if (state[BIDS, level] or not is_pass) else 0
            state[NODE, below] = node
        if descend:
            level = below
            state[PASS_NODE, level] = -1
            state[NEXT, level] = first_child[node]
            state[END, level] = np.int64(first_child[node]) + children
            state[SOURCE, level] = target
            state[IS_LIST, level] = is_list
            state[SIZE, level] = kept
            state[FIRST_WORD, level] = first_word
            state[END_WORD, level] = end_word
    return written


@compiled
def group_pairs(
    pair_nodes: U32, pair_deals: U16, pairs: int, order: U32, limit: int, totals: U64, entries: U32
) -> int:
    """Sort (node, place) pairs by deal, keeping their order: the entries of each deal.

    ``order`` [count] is the deal at each place of the block. ``totals`` [count] becomes the
    number of entries of each deal; the first ``limit`` of each go to ``entries``, whose filled
    length is returned.
    """
    count = len(order)
    totals[:] = 0
    for pair in range(pairs):
        totals[order[pair_deals[pair]]] += np.uint64(1)
    place, end = np.empty((2, count), np.int64)
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
