"""Hands to packed words, and words to bit columns: the numba side of ``layout``."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiled import compiled
from .layout import I32, OPCODES
from .types import U8, U32, U64
from .words import transpose_64

_TERM, _INT, _LT, _LE, _EQ, _NE, _GE, _GT = (
    OPCODES[name] for name in ("term", "int", "<", "<=", "==", "!=", ">=", ">")
)
_ADD, _SUB, _MUL, _NEG, _NOT, _AND, _OR, _END = (
    OPCODES[name] for name in ("+", "-", "*", "neg", "not", "and", "or", "end")
)

# length and HCP of each of the 8,192 holdings
_HOLDINGS = np.arange(1 << 13)
_LENGTH = np.bitwise_count(_HOLDINGS).astype(np.int64)
_POINTS = (
    4 * (_HOLDINGS >> 12 & 1)
    + 3 * (_HOLDINGS >> 11 & 1)
    + 2 * (_HOLDINGS >> 10 & 1)
    + (_HOLDINGS >> 9 & 1)
)
_ORDER_KEYS = 1 << 10


PACKING_ARRAYS = (
    "suit_words", "length_words", "context_words", "programs", "program_starts",
    "program_flags", "program_stack", "term_suits", "term_lengths", "term_contexts", "lane_words",
)  # fmt: skip
"""What ``pack_hands`` takes of a :class:`~bidcascade.kernels.layout.Packing`, in this order."""


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
def sort_by_dealer(
    hands: U64, dealer: U8, vulnerability: U8, start: int, stop: int, sorted_hands: U64,
    sorted_dealer: U8, sorted_vulnerability: U8, order: U32,
) -> None:  # fmt: skip
    """Sort deals ``start`` to ``stop`` by the dealer's HCP, longest suit and its length.

    Deals with like hands stand together then, so a set of deals is a few runs of bits, and many
    blocks of deals miss whole subtrees. A counting sort that moves the hands themselves: it reads
    in sequence and writes to at most 1,024 places at a time, where a gather would miss the cache
    at every deal. ``order`` gets the number of the deal, from ``start``, at each place.
    """
    count = stop - start
    keys = np.empty(count, np.uint16)
    starts = np.zeros(_ORDER_KEYS + 1, np.int64)
    mask = np.uint64(0x1FFF)
    for deal in range(count):
        hand = hands[dealer[start + deal], start + deal]
        points = 0
        longest = 0
        suit = 0
        for number in range(4):
            holding = np.int64((hand >> np.uint64(13 * number)) & mask)
            points += _POINTS[holding]
            if _LENGTH[holding] > longest:
                longest = _LENGTH[holding]
                suit = number
        key = min(points, 31) * 32 + suit * 8 + min(longest - 4, 7)
        keys[deal] = key
        starts[key + 1] += 1
    for key in range(_ORDER_KEYS):
        starts[key + 1] += starts[key]
    for deal in range(count):
        key = keys[deal]
        place = starts[key]
        starts[key] = place + 1
        order[place] = deal
        for seat in range(4):
            sorted_hands[seat, place] = hands[seat, start + deal]
        sorted_dealer[place] = dealer[start + deal]
        sorted_vulnerability[place] = vulnerability[start + deal]


@compiled
def pack_hands(
    hands: U64, dealer: U8, vulnerability: U8, start: int, stop: int, rotate: int,
    suit_words: U64, length_words: U64, context_words: U64, programs: I32, program_starts: I32,
    program_flags: I32, program_stack: int, term_suits: I32, term_lengths: I32,
    term_contexts: I32, lane_words: int, out: U64,
) -> None:  # fmt: skip
    """Pack the hands of deals ``start`` to ``stop`` into ``out`` [4, stop - start, words].

    With ``rotate`` row 0 of ``out`` is the dealer's hand and so on, else North's. Derived flags
    stay 0.
    """
    words = suit_words.shape[2]
    stack = np.empty(program_stack + 1, np.int64)
    mask = np.uint64(0x1FFF)
    s13, s26, s39 = np.uint64(13), np.uint64(26), np.uint64(39)
    for row in range(4):
        for deal in range(start, stop):
            first = int(dealer[deal])
            vulnerable = int(vulnerability[deal])
            seat = (first + row) & 3 if rotate else row
            relative = row if rotate else (row - first) & 3
            hand = hands[seat, deal]
            clubs = np.int64(hand & mask)
            diamonds = np.int64((hand >> s13) & mask)
            hearts = np.int64((hand >> s26) & mask)
            spades = np.int64((hand >> s39) & mask)
            shape = _LENGTH[clubs] + 14 * _LENGTH[diamonds] + 196 * _LENGTH[hearts]
            we = (vulnerable >> (seat & 1)) & 1
            they = (vulnerable >> ((seat + 1) & 1)) & 1
            context = relative + 4 * we + 8 * they
            for word in range(words):
                out[row, deal - start, word] = (
                    suit_words[0, clubs, word]
                    + suit_words[1, diamonds, word]
                    + suit_words[2, hearts, word]
                    + suit_words[3, spades, word]
                    + length_words[shape, word]
                    + context_words[context, word]
                )
            for program in range(len(program_starts)):
                if _run_program(
                    program_starts[program], programs, term_suits,
                    term_lengths, term_contexts, clubs, diamonds, hearts, spades,
                    shape, context, stack,
                ):  # fmt: skip
                    flag = np.int64(program_flags[program])
                    out[row, deal - start, lane_words + flag // 64] |= np.uint64(1) << np.uint64(
                        flag % 64
                    )


@compiled
def _run_program(
    pointer: int, programs: I32, term_suits: I32, term_lengths: I32, term_contexts: I32,
    clubs: int, diamonds: int, hearts: int, spades: int, shape: int, context: int, stack: Any,
) -> bool:  # fmt: skip
    top = -1
    while True:
        code = programs[pointer, 0]
        operand = np.int64(programs[pointer, 1])
        pointer += 1
        if code == _END:
            return bool(stack[top] != 0)
        if code == _TERM:
            top += 1
            stack[top] = (
                term_suits[operand, 0, clubs]
                + term_suits[operand, 1, diamonds]
                + term_suits[operand, 2, hearts]
                + term_suits[operand, 3, spades]
                + term_lengths[operand, shape]
                + term_contexts[operand, context]
            )
            continue
        if code == _INT:
            top += 1
            stack[top] = operand
            continue
        right = stack[top]
        if code == _NEG:
            stack[top] = -right
            continue
        if code == _NOT:
            stack[top] = 1 if right == 0 else 0
            continue
        top -= 1
        left = stack[top]
        if code == _ADD:
            value = left + right
        elif code == _SUB:
            value = left - right
        elif code == _MUL:
            value = left * right
        else:
            value = np.int64(
                (code == _LT and left < right)
                or (code == _LE and left <= right)
                or (code == _EQ and left == right)
                or (code == _NE and left != right)
                or (code == _GE and left >= right)
                or (code == _GT and left > right)
                or (code == _AND and left != 0 and right != 0)
                or (code == _OR and (left != 0 or right != 0))
            )
        stack[top] = value


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
