"""Real calls found in a trie, and bits of expressions by hand, compiled by numba.

The cascade asks for every deal which entries hold. Learning and vetting ask the other way round:
a call was made, where does it stand in the trie, and which expressions hold on the hand that made
it. For that the bit columns (a bit a deal) are turned into rows (a bit an expression), so that a
criteria list is one mask and testing it a few words: those of its mask that are not zero.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.compiled import compiled
from bidcascade.kernels.results import NO_ENTRY
from bidcascade.kernels.types import U8, U16, U32, U64
from bidcascade.kernels.words import popcount, transpose_64

I64 = NDArray[np.int64]
Bools = NDArray[np.bool_]

MOST_SIBLINGS = 64
"""Room for the calls that hold at one place; there are 38 calls."""


@compiled
def find_calls(
    first_child: U32, child_count: U16, call: U8, root_count: int, calls: U8, offsets: I64,
    deal: U32, depth: U16, place: U32, entry: U32,
) -> tuple[int, int]:  # fmt: skip
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
                transpose_64(block)
                first = 64 * deal_word
                for number in range(min(64, deals - first)):
                    rows[4 * (first + number) + seat, word] = block[number]


@compiled
def add_bits(rows: U64, numbers: I64, groups: U32, counts: U32) -> None:
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
                counts[group, 64 * word + np.int64(popcount(lowest - one))] += np.uint32(1)


class Conditions(NamedTuple):
    """Criteria of a plan for rows of bits.

    Parameters
    ----------
    set_offsets, set_lists : int64
        Which criteria lists each variant set has (CSR); one of them must hold.
    list_offsets, list_words : int64
        Which words of a row each criteria list looks at (CSR).
    list_masks : uint64
        Bits that must be set in those words.
    holds_undescribed : bool [2]
        Whether an entry without criteria holds: one that is no pass, one that is.
    """

    set_offsets: I64
    set_lists: I64
    list_offsets: I64
    list_words: I64
    list_masks: U64
    holds_undescribed: Bools


@compiled
def _set_holds(
    rows: U64, hand: int, number: int, set_offsets: I64, set_lists: I64, list_offsets: I64,
    list_words: I64, list_masks: U64,
) -> bool:  # fmt: skip
    """Whether one of a set's lists holds; plain arrays, for passing tuples of them takes longer."""
    for member in range(set_offsets[number], set_offsets[number + 1]):
        one = set_lists[member]
        every = True
        for position in range(list_offsets[one], list_offsets[one + 1]):
            if list_masks[position] & ~rows[hand, list_words[position]]:
                every = False
                break
        if every:
            return True
    return False


@compiled
def judge_calls(
    rows: U64, hands: I64, first: I64, count: I64, entry: U32, variant_set: U32, call: U8,
    conditions: Conditions, sibling_base: I64, pair_base: I64, holds: Bools, chosen: U32,
    holding: U16, sibling_held: U32, sibling_first: U32, pair_held: U32,
) -> None:  # fmt: skip
    """At each place where a call was made, try all calls of the trie.

    Parameters
    ----------
    rows : uint64 [hands, words]
        Bits of expressions.
    hands : int64 [n]
        The caller's row.
    first, count : int64 [n]
        Nodes that may follow at the place: the first of them, and how many.
    entry : uint32 [n]
        Node of the call that was made; 0xFFFFFFFF where the trie has none.
    variant_set, call : arrays [nodes]
    conditions : Conditions
    sibling_base, pair_base : int64 [n]
        Where the counters of the place begin: one for each of its nodes, and one for each pair of
        them, ordered by the first and then the second.
    holds : bool [n]
        Overwritten: whether the call that was made holds.
    chosen : uint32 [n]
        Overwritten: the first node that holds; 0xFFFFFFFF for none.
    holding : uint16 [n]
        Overwritten: how many hold.
    sibling_held, sibling_first, pair_held : uint32
        Added to: how often each node holds, is the first, and both of a pair hold.
    """
    set_offsets, set_lists = conditions.set_offsets, conditions.set_lists
    list_offsets, list_words = conditions.list_offsets, conditions.list_words
    list_masks, undescribed = conditions.list_masks, conditions.holds_undescribed
    found = np.empty(MOST_SIBLINGS, np.int64)
    for number in range(hands.size):
        hand = hands[number]
        size = count[number]
        held = 0
        holds[number] = False
        for place in range(size):
            node = first[number] + place
            if variant_set[node] == 0:
                fits = undescribed[1 if call[node] == 0 else 0]
            else:
                fits = _set_holds(
                    rows, hand, variant_set[node], set_offsets, set_lists, list_offsets,
                    list_words, list_masks,
                )  # fmt: skip
            if fits:
                found[held] = place
                held += 1
                if np.uint32(node) == entry[number]:
                    holds[number] = True
        holding[number] = held
        chosen[number] = np.uint32(first[number] + found[0]) if held else np.uint32(NO_ENTRY)
        if held:
            sibling_first[sibling_base[number] + found[0]] += np.uint32(1)
        for one in range(held):
            place = found[one]
            sibling_held[sibling_base[number] + place] += np.uint32(1)
            # pairs (place, later) stand behind those of all earlier places
            begin = pair_base[number] + place * size - place * (place + 1) // 2 - place - 1
            for other in range(one + 1, held):
                pair_held[begin + found[other]] += np.uint32(1)


@compiled
def nearest_lists(
    rows: U64, hands: I64, sets: U32, conditions: Conditions, nearest: I64, missing: I64
) -> None:
    """Of sets of criteria lists that do not hold, the list that lacks least; the first of equals.

    Parameters
    ----------
    rows : uint64 [hands, words]
    hands : int64 [n]
    sets : uint32 [n]
        Variant set of each; 0 has no lists.
    conditions : Conditions
    nearest, missing : int64 [n]
        Overwritten: the list (-1 for none), and how many of its expressions do not hold.
    """
    for number in range(hands.size):
        row = rows[hands[number]]
        best, least = -1, 0
        for position in range(
            conditions.set_offsets[sets[number]], conditions.set_offsets[sets[number] + 1]
        ):
            one = int(conditions.set_lists[position])
            lacks = 0
            for place in range(conditions.list_offsets[one], conditions.list_offsets[one + 1]):
                lacks += np.int64(
                    popcount(conditions.list_masks[place] & ~row[conditions.list_words[place]])
                )
            if best < 0 or lacks < least:
                best = one
                least = lacks
        nearest[number] = best
        missing[number] = least


@compiled
def missing_expressions(
    rows: U64, hands: I64, lists: I64, conditions: Conditions, expressions: U32
) -> None:
    """Name the expressions of lists that do not hold.

    Parameters
    ----------
    rows : uint64 [hands, words]
    hands, lists : int64 [n]
        Row and criteria list of each; a list of -1 has no expressions.
    conditions : Conditions
    expressions : uint32
        Overwritten from the front: as many numbers for each as ``nearest_lists`` counted.
    """
    filled = 0
    for number in range(hands.size):
        one = lists[number]
        if one < 0:
            continue
        row = rows[hands[number]]
        for position in range(conditions.list_offsets[one], conditions.list_offsets[one + 1]):
            word = conditions.list_words[position]
            bits = conditions.list_masks[position] & ~row[word]
            while bits:
                lowest = bits & (~bits + np.uint64(1))
                bits ^= lowest
                expressions[filled] = np.uint32(64 * word) + np.uint32(
                    popcount(lowest - np.uint64(1))
                )
                filled += 1


@compiled
def count_held(
    rows: U64, hands: I64, entry: U32, variant_set: U32, call: U8, conditions: Conditions
) -> int:
    """How many of some nodes hold, each on its own row of bits.

    Parameters
    ----------
    rows : uint64 [hands, words]
    hands : int64 [n]
    entry : uint32 [n]
        Nodes.
    variant_set, call : arrays [nodes]
    conditions : Conditions
    """
    set_offsets, set_lists = conditions.set_offsets, conditions.set_lists
    list_offsets, list_words = conditions.list_offsets, conditions.list_words
    list_masks, undescribed = conditions.list_masks, conditions.holds_undescribed
    held = 0
    for number in range(hands.size):
        node = entry[number]
        if variant_set[node] == 0:
            held += undescribed[1 if call[node] == 0 else 0]
        else:
            held += _set_holds(
                rows, hands[number], variant_set[node], set_offsets, set_lists, list_offsets,
                list_words, list_masks,
            )  # fmt: skip
    return held


@compiled
def held_calls(
    rows: U64, hands: I64, first: I64, count: I64, variant_set: U32, call: U8,
    conditions: Conditions, calls: U64,
) -> None:  # fmt: skip
    """Find the calls of the trie that hold at places, a bit each.

    Parameters
    ----------
    rows : uint64 [hands, words]
        Bits of expressions.
    hands : int64 [n]
        Row of the hand that is to call.
    first, count : int64 [n]
        Nodes that may follow at the place: the first of them, and how many.
    variant_set, call : arrays [nodes]
    conditions : Conditions
    calls : uint64 [n]
        Overwritten: bit ``c`` is set where call ``c`` holds.
    """
    set_offsets, set_lists = conditions.set_offsets, conditions.set_lists
    list_offsets, list_words = conditions.list_offsets, conditions.list_words
    list_masks, undescribed = conditions.list_masks, conditions.holds_undescribed
    for number in range(hands.size):
        held = np.uint64(0)
        for node in range(first[number], first[number] + count[number]):
            if variant_set[node] == 0:
                fits = undescribed[1 if call[node] == 0 else 0]
            else:
                fits = _set_holds(
                    rows, hands[number], variant_set[node], set_offsets, set_lists, list_offsets,
                    list_words, list_masks,
                )  # fmt: skip
            if fits:
                held |= np.uint64(1) << np.uint64(call[node])
        calls[number] = held
