"""Packed words to bit columns, compiled by numba; the core packs (``core/packing.hpp``)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiled import compiled
from .layout import I32
from .types import U64
from .words import transpose_64


class Columns(NamedTuple):
    """Single tests of boxes, a bit column each.

    ``kind`` is a lane, whose value lies in ``low`` to ``high``; or -1, -2: the flag ``low`` is
    set, is clear. ``lane_highest``: one above the largest value that any test of a lane asks for.
    """

    kind: I32
    low: I32
    high: I32
    lane_highest: NDArray[np.int64]


@compiled
def bit_columns(
    features: U64, count: int, lane_words: int, columns: Columns, unary: U64, out: U64
) -> None:
    """Bit columns of one seat's packed words.

    ``features`` is [≥ count, words], ``unary`` scratch [130, words of bits], ``out`` [columns,
    words of bits]. Bits beyond ``count`` are zero.

    All intervals of a lane come from one pass over the hands: each hand sets one bit in the
    column of its value, then columns are ORed downwards into "at least v".
    """
    column_kind, column_low, column_high, lane_highest = columns
    bit_words = (count + 63) // 64
    one = np.uint64(1)
    tail = np.uint64(0xFFFFFFFFFFFFFFFF)
    if count % 64:
        tail = (one << np.uint64(count % 64)) - one
    for lane in range(len(lane_highest)):
        highest = lane_highest[lane]
        if highest == 0:
            continue
        unary[: highest + 1, :bit_words] = 0
        lane_word = lane // 8
        shift = np.uint64(8 * (lane % 8))
        for deal in range(count):
            value = np.int64((features[deal, lane_word] >> shift) & np.uint64(0xFF))
            value = min(value, highest)
            unary[value, deal >> 6] |= one << np.uint64(deal & 63)
        for value in range(highest - 1, -1, -1):
            for word in range(bit_words):
                unary[value, word] |= unary[value + 1, word]
        for column in range(len(column_kind)):
            if column_kind[column] == lane:
                low = column_low[column]
                above = column_high[column] + 1
                if above > highest:
                    for word in range(bit_words):
                        out[column, word] = unary[low, word]
                else:
                    for word in range(bit_words):
                        out[column, word] = unary[low, word] & ~unary[above, word]
    square = np.empty(64, np.uint64)
    for flag_word in range(lane_words, features.shape[1]):
        base = 64 * (flag_word - lane_words)
        used = False
        for column in range(len(column_kind)):
            used |= column_kind[column] < 0 and base <= column_low[column] < base + 64
        if not used:
            continue
        for word in range(bit_words):
            for row in range(64):
                deal = 64 * word + row
                square[row] = features[deal, flag_word] if deal < count else np.uint64(0)
            transpose_64(square)
            for column in range(len(column_kind)):
                kind = column_kind[column]
                flag = column_low[column] - base
                if kind < 0 and 0 <= flag < 64:
                    out[column, word] = square[flag] if kind == -1 else ~square[flag]
        for column in range(len(column_kind)):
            if column_kind[column] == -2 and base <= column_low[column] < base + 64:
                out[column, bit_words - 1] &= tail
