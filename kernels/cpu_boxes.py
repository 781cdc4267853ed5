"""Boxes against packed words and bit columns: the numba pieces that all walks share.

A box row holds lo.. words, hi.. words with every lane's high bit set, the mask of the flags it
looks at, and the values they must have.
"""

from typing import Any

import numpy as np

from .compiled import compiled
from .plan import MULTIPLE, NEVER
from .types import U16, U32, U64

_MULTIPLE_INDEX = np.int64(MULTIPLE - 1)
_H = np.uint64(0x8080808080808080)


@compiled(inline="always")
def popcount(word: Any) -> Any:
    """Count the bits of a word; the compiler knows the idiom and makes one instruction of it."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@compiled(inline="always")
def passes(words: U64, box: U64, lane_words: int, flag_words: int) -> bool:
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


@compiled
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
                    if passes(hand, boxes[box], lane_words, flag_words):
                        hand[lane_words + flag // 64] |= one << np.uint64(flag % 64)
                        break


@compiled
def derive_columns(
    words: U64,
    columns: U64,
    flags: U32,
    offsets: U32,
    flag_boxes: U32,
    box_offsets: Any,
    box_columns: Any,
    column_kind: Any,
    column_low: Any,
    lane_words: int,
) -> None:
    """Work the derived flags out on bit columns, 64 hands at once, for one seat of a block.

    Fills their columns (``columns`` [columns, words of bits]) and sets them in the packed words
    (``words`` [n, words]), where both were still zero.
    """
    count = len(words)
    all_bits = everyone(count)
    bit_words = len(all_bits)
    bits = np.empty(bit_words, np.uint64)
    scratch = np.empty(bit_words, np.uint64)
    one = np.uint64(1)
    for number in range(len(flags)):
        flag = np.int64(flags[number])
        for word in range(bit_words):
            bits[word] = 0
        for box in flag_boxes[offsets[number] : offsets[number + 1]]:
            for word in range(bit_words):
                scratch[word] = all_bits[word]
            for column in box_columns[box_offsets[box] : box_offsets[box + 1]]:
                for word in range(bit_words):
                    scratch[word] &= columns[column, word]
            for word in range(bit_words):
                bits[word] |= scratch[word]
        for column in range(len(column_kind)):
            if column_low[column] == flag and column_kind[column] == -1:
                for word in range(bit_words):
                    columns[column, word] = bits[word]
            elif column_low[column] == flag and column_kind[column] == -2:
                for word in range(bit_words):
                    columns[column, word] = all_bits[word] & ~bits[word]
        place = lane_words + flag // 64
        shift = np.uint64(flag % 64)
        for deal in range(count):
            words[deal, place] |= ((bits[deal >> 6] >> np.uint64(deal & 63)) & one) << shift


@compiled
def everyone(count: int) -> U64:
    """Bits of a whole block."""
    bits = np.full((count + 63) // 64, np.uint64(0xFFFFFFFFFFFFFFFF))
    if count % 64:
        bits[-1] = (np.uint64(1) << np.uint64(count % 64)) - np.uint64(1)
    return bits


@compiled
def and_columns(
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
    if count == 3:
        for word in range(words):
            bits = source[word] & first[word] & second[word] & third[word]
            target[word] = bits
            total += popcount(bits)
        return np.int64(total)
    fourth = columns[numbers[3]][first_word:end_word]
    if count == 4:
        for word in range(words):
            bits = source[word] & first[word] & second[word] & third[word] & fourth[word]
            target[word] = bits
            total += popcount(bits)
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
        total += popcount(bits)
    return np.int64(total)


@compiled
def box_into(
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


@compiled
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
    all_bits = everyone(count)
    scratch = np.empty_like(all_bits)
    for row in range(len(boxes)):
        for seat in range(4):
            box_into(
                all_bits, out[row, seat], scratch, columns[seat], boxes[row], box_offsets,
                box_columns, set_offsets, set_boxes, len(all_bits),
            )  # fmt: skip


@compiled
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
    all_bits = everyone(count)
    scratch = np.empty_like(all_bits)
    for node in range(len(boxes)):
        box_into(
            all_bits if parents[node] < 0 else out[parents[node]], out[node], scratch,
            columns[seats[node]], boxes[node], box_offsets, box_columns, set_offsets, set_boxes,
            len(all_bits),
        )  # fmt: skip


@compiled
def bits_to_list(bits: U64, first_word: int, end_word: int, target: U16) -> int:
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
    return size


@compiled
def filter_list(
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
        kept += 1 if passes(words[deal], box, lane_words, flag_words) else 0
    return kept
