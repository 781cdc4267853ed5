"""Real calls found in a trie, and bits of expressions by hand, by the core.

The cascade asks for every deal which entries hold. Learning and vetting ask the other way round:
a call was made, where does it stand in the trie, and which expressions hold on the hand that made
it. For that the bit columns (a bit a deal) are turned into rows (a bit an expression), so that a
criteria list is one mask and testing it a few words: those of its mask that are not zero.

All functions raise :class:`ValueError` for numbers outside the arrays, and
:class:`~bidcascade.bridge.BackendUnavailable` where there is no core.
"""

from typing import ClassVar

import numpy as np

from bidcascade.kernels.core.functions import call_core, checked
from bidcascade.kernels.core.groups import ArrayGroup, Field
from bidcascade.kernels.types import I64, U8, U16, U32, U64, Bools

MOST_SIBLINGS = 64
"""Room for the calls that hold at one place; there are 38 calls."""


def find_calls(
    first_child: U32,
    child_count: U16,
    call: U8,
    root_count: int,
    calls: U8,
    offsets: I64,
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
    nodes, size, counts = len(call), len(calls), np.zeros(2, np.int64)
    call_core(
        "core_find_calls",
        checked(first_child, np.uint32, nodes),
        checked(child_count, np.uint16, nodes),
        checked(call, np.uint8),
        nodes,
        root_count,
        checked(calls, np.uint8),
        size,
        checked(offsets, np.int64, 1),
        len(offsets) - 1,
        checked(deal, np.uint32, size),
        checked(depth, np.uint16, size),
        checked(place, np.uint32, size),
        checked(entry, np.uint32, size),
        counts,
    )
    return int(counts[0]), int(counts[1])


def turn_bits(columns: U64, rows: U64) -> None:
    """Bit columns to rows of bits.

    Parameters
    ----------
    columns : uint64 [expressions, 4, deal words]
        Bit ``d % 64`` of word ``d // 64``: the expression holds on a seat's hand of deal ``d``.
    rows : uint64 [4 * deals, expression words]
        Overwritten: bit ``e % 64`` of word ``e // 64`` of row ``4 * d + seat``.
    """
    expressions, seats, deal_words = columns.shape
    if seats != 4 or len(rows) % 4:
        raise ValueError(f"expected columns and rows of four seats, got {columns.shape}")
    call_core(
        "core_turn_bits",
        checked(columns, np.uint64),
        expressions,
        deal_words,
        len(rows) // 4,
        rows.shape[1],
        checked(rows, np.uint64),
    )


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
    call_core(
        "core_add_bits",
        checked(rows, np.uint64),
        *rows.shape,
        checked(numbers, np.int64),
        len(numbers),
        checked(groups, np.uint32, len(numbers)),
        checked(counts, np.uint32),
        *counts.shape,
    )


class Conditions(ArrayGroup):
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

    fields: ClassVar[dict[str, Field]] = {
        "set_offsets": ("i8",),
        "set_lists": ("i8",),
        "list_offsets": ("i8",),
        "list_words": ("i8",),
        "list_masks": ("u8",),
        "holds_undescribed": ("?",),
    }


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
    size, nodes = len(hands), len(variant_set)
    call_core(
        "core_judge_calls",
        checked(rows, np.uint64),
        *rows.shape,
        checked(hands, np.int64),
        size,
        checked(first, np.int64, size),
        checked(count, np.int64, size),
        checked(entry, np.uint32, size),
        checked(variant_set, np.uint32),
        checked(call, np.uint8, nodes),
        nodes,
        conditions,
        checked(sibling_base, np.int64, size),
        checked(pair_base, np.int64, size),
        checked(holds, np.bool_, size),
        checked(chosen, np.uint32, size),
        checked(holding, np.uint16, size),
        checked(sibling_held, np.uint32),
        checked(sibling_first, np.uint32, len(sibling_held)),
        len(sibling_held),
        checked(pair_held, np.uint32),
        len(pair_held),
    )


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
    size = len(hands)
    call_core(
        "core_nearest_lists",
        checked(rows, np.uint64),
        *rows.shape,
        checked(hands, np.int64),
        size,
        checked(sets, np.uint32, size),
        conditions,
        checked(nearest, np.int64, size),
        checked(missing, np.int64, size),
    )


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
    size = len(hands)
    call_core(
        "core_missing_expressions",
        checked(rows, np.uint64),
        *rows.shape,
        checked(hands, np.int64),
        size,
        checked(lists, np.int64, size),
        conditions,
        checked(expressions, np.uint32),
        len(expressions),
    )


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
    size, nodes = len(hands), len(variant_set)
    return call_core(
        "core_count_held",
        checked(rows, np.uint64),
        *rows.shape,
        checked(hands, np.int64),
        size,
        checked(entry, np.uint32, size),
        checked(variant_set, np.uint32),
        checked(call, np.uint8, nodes),
        nodes,
        conditions,
    )


def held_calls(
    rows: U64,
    hands: I64,
    first: I64,
    count: I64,
    variant_set: U32,
    call: U8,
    conditions: Conditions,
    calls: U64,
) -> None:
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
    size, nodes = len(hands), len(variant_set)
    call_core(
        "core_held_calls",
        checked(rows, np.uint64),
        *rows.shape,
        checked(hands, np.int64),
        size,
        checked(first, np.int64, size),
        checked(count, np.int64, size),
        checked(variant_set, np.uint32),
        checked(call, np.uint8, nodes),
        nodes,
        conditions,
        checked(calls, np.uint64, size),
    )
