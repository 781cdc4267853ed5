"""Calls that were made judged by a trie, compiled by numba: what holds there, what is in the way.

Works on rows of expression bits by hand (``decisions``). A criteria list is kept as the few words
of its mask that are not zero, so that testing it costs as many operations as it has such words.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.compiled import compiled
from bidcascade.kernels.results import NO_ENTRY
from bidcascade.kernels.types import U8, U16, U32, U64

I64 = NDArray[np.int64]
Bools = NDArray[np.bool_]

MOST_SIBLINGS = 64
"""Room for the calls that hold at one place; there are 38 calls."""


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
    rows: U64,
    hand: int,
    number: int,
    set_offsets: I64,
    set_lists: I64,
    list_offsets: I64,
    list_words: I64,
    list_masks: U64,
) -> bool:
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
def _missing(row: U64, one: int, offsets: I64, words: I64, masks: U64) -> int:
    """Count the expressions of a list that do not hold."""
    count = 0
    for position in range(offsets[one], offsets[one + 1]):
        bits = masks[position] & ~row[words[position]]
        while bits != np.uint64(0):
            bits &= bits - np.uint64(1)
            count += 1
    return count


@compiled
def judge_calls(
    rows: U64,
    hands: I64,
    first: I64,
    count: I64,
    entry: U32,
    variant_set: U32,
    call: U8,
    conditions: Conditions,
    sibling_base: I64,
    pair_base: I64,
    holds: Bools,
    chosen: U32,
    holding: U16,
    sibling_held: U32,
    sibling_first: U32,
    pair_held: U32,
) -> None:
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
    rows: U64,
    hands: I64,
    sets: U32,
    conditions: Conditions,
    nearest: I64,
    missing: I64,
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
            lacks = _missing(
                row, one, conditions.list_offsets, conditions.list_words, conditions.list_masks
            )
            if best < 0 or lacks < least:
                best = one
                least = lacks
        nearest[number] = best
        missing[number] = least


@compiled
def missing_expressions(
    rows: U64,
    hands: I64,
    lists: I64,
    conditions: Conditions,
    expressions: U32,
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
            place = np.int64(0)
            while bits != np.uint64(0):
                if bits & np.uint64(1):
                    expressions[filled] = np.uint32(64 * word + place)
                    filled += 1
                bits >>= np.uint64(1)
                place += 1


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
