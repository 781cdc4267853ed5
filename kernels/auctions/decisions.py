"""Real calls found in a trie, and bits of expressions by hand, compiled by numba.

The cascade asks for every deal which entries hold. Learning and vetting ask the other way round:
a call was made, where does it stand in the trie, and which expressions hold on the hand that made
it. For that the bit columns (a bit a deal) are turned into rows (a bit an expression), so that a
criteria list is one mask and testing it a few words.
"""

import numpy as np

from bidcascade.kernels.compiled import compiled
from bidcascade.kernels.results import NO_ENTRY
from bidcascade.kernels.types import U8, U16, U32, U64


@compiled
def find_calls(
    first_child: U32,
    child_count: U16,
    call: U8,
    root_count: int,
    calls: U8,
    offsets: "np.ndarray[tuple[int], np.dtype[np.int64]]",
    deal: U32,
    depth: U16,
    place: U32,
    entry: U32,
) -> tuple[int, int]:
    """Walk auctions down a trie, each until it ends or leaves the trie.

    Parameters
    ----------
    first_child, child_count, call : arrays [nodes]
        The trie.
    root_count : int
        Opening calls; they are the nodes from 0.
    calls : uint8 [calls]
        Auctions behind one another.
    offsets : int64 [deals + 1]
        Where each begins and the last one ends.
    deal, depth, place, entry : arrays [calls]
        Filled from the front: of each decision its deal, the number of calls before it, the node
        of the auction before it and its own node; 0xFFFFFFFF for none.

    Returns
    -------
    tuple of int
        Decisions, and calls behind the first one that the trie does not have.
    """
    none = np.uint32(NO_ENTRY)
    count = 0
    beyond = 0
    for number in range(offsets.size - 1):
        above = none
        first = 0
        siblings = root_count
        for position in range(offsets[number], offsets[number + 1]):
            wanted = calls[position]
            found = none
            for sibling in range(first, first + siblings):
                if call[sibling] == wanted:
                    found = np.uint32(sibling)
                    break
            deal[count] = number
            depth[count] = position - offsets[number]
            place[count] = above
            entry[count] = found
            count += 1
            if found == none:
                beyond += offsets[number + 1] - position - 1
                break
            above = found
            first = np.int64(first_child[found])
            siblings = np.int64(child_count[found])
    return count, beyond


@compiled
def turn_bits(columns: U64, rows: U64) -> None:
    """Bit columns to rows of bits.

    Parameters
    ----------
    columns : uint64 [expressions, 4, deal words]
        Bit ``d % 64`` of word ``d // 64``: the expression holds on a seat's hand of deal ``d``.
    rows : uint64 [4 * deals, expression words]
        Overwritten: bit ``e % 64`` of word ``e // 64`` of row ``4 * d + seat``.
    """
    expressions = columns.shape[0]
    deals = rows.shape[0] // 4
    block = np.empty(64, np.uint64)
    for word in range(rows.shape[1]):
        height = min(64, expressions - 64 * word)
        for seat in range(4):
            for deal_word in range(columns.shape[2]):
                for number in range(64):
                    block[number] = (
                        columns[64 * word + number, seat, deal_word]
                        if number < height
                        else np.uint64(0)
                    )
                _turn_block(block)
                first = 64 * deal_word
                for number in range(min(64, deals - first)):
                    rows[4 * (first + number) + seat, word] = block[number]


@compiled(inline="always")
def _turn_block(block: U64) -> None:
    """Transpose 64 words of 64 bits in place: halves, then quarters (Hacker's Delight, 7-3)."""
    width = np.uint64(32)
    mask = np.uint64(0x00000000FFFFFFFF)
    while width > np.uint64(0):
        low = np.uint64(0)
        while low < np.uint64(64):
            high = low | width
            crossed = ((block[low] >> width) ^ block[high]) & mask
            block[low] ^= crossed << width
            block[high] ^= crossed
            low = (high + np.uint64(1)) & ~width
        width >>= np.uint64(1)
        mask ^= mask << width


@compiled
def add_bits(
    rows: U64,
    numbers: "np.ndarray[tuple[int], np.dtype[np.int64]]",
    groups: U32,
    counts: U32,
) -> None:
    """Count, in each group of rows, how many have each bit.

    Parameters
    ----------
    rows : uint64 [rows, words]
    numbers : int64 [n]
        Rows to count.
    groups : uint32 [n]
        Group of each of them.
    counts : uint32 [groups, expressions]
        Added to.
    """
    one = np.uint64(1)
    for position in range(numbers.size):
        row = numbers[position]
        group = groups[position]
        for word in range(rows.shape[1]):
            bits = rows[row, word]
            while bits != np.uint64(0):
                lowest = bits & (~bits + one)
                bits ^= lowest
                counts[group, 64 * word + _place_of(lowest)] += np.uint32(1)


@compiled(inline="always")
def _place_of(bit: np.uint64) -> int:
    """Find the number of the only bit that is set."""
    place = 0
    for width, mask in (
        (32, np.uint64(0xFFFFFFFF00000000)),
        (16, np.uint64(0xFFFF0000FFFF0000)),
        (8, np.uint64(0xFF00FF00FF00FF00)),
        (4, np.uint64(0xF0F0F0F0F0F0F0F0)),
        (2, np.uint64(0xCCCCCCCCCCCCCCCC)),
        (1, np.uint64(0xAAAAAAAAAAAAAAAA)),
    ):
        if bit & mask:
            place += width
    return place


@compiled
def rows_hold(
    rows: U64,
    numbers: "np.ndarray[tuple[int], np.dtype[np.int64]]",
    masks: U64,
    lists: "np.ndarray[tuple[int], np.dtype[np.int64]]",
    holds: "np.ndarray[tuple[int], np.dtype[np.bool_]]",
) -> None:
    """Say of pairs (row, list of expressions) whether all bits of the list are set in the row.

    Parameters
    ----------
    rows : uint64 [rows, words]
    numbers, lists : int64 [n]
        Row and list of each pair.
    masks : uint64 [lists, words]
    holds : bool [n]
        Overwritten.
    """
    for position in range(numbers.size):
        row = numbers[position]
        mask = lists[position]
        every = True
        for word in range(rows.shape[1]):
            if masks[mask, word] & ~rows[row, word]:
                every = False
                break
        holds[position] = every
