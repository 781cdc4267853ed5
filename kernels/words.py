"""Words of 64 bits, for what numba compiles."""

from typing import Any

import numpy as np

from .compiled import compiled
from .types import U64


@compiled(inline="always")
def popcount(word: Any) -> Any:
    """Count the bits of a word; the compiler knows the idiom and makes one instruction of it."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@compiled
def transpose_64(square: U64) -> None:
    """Transpose a 64 by 64 bit matrix in place: bit j of word i becomes bit i of word j.

    Recursive block swap, after Warren, "Hacker's Delight", section 7-3.
    """
    width = 32
    mask = np.uint64(0x00000000FFFFFFFF)
    while width:
        shift = np.uint64(width)
        row = 0
        while row < 64:
            swap = ((square[row] >> shift) ^ square[row + width]) & mask
            square[row] ^= swap << shift
            square[row + width] ^= swap
            row = (row + width + 1) & ~width
        width >>= 1
        mask ^= mask << np.uint64(width)
