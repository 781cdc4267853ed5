"""All prefixes of many auctions, counted: a trie in hash tables, sorted runs of it, their merging.

A *run* is a trie written down in the order of its auctions (calls as numbers, shorter before
longer): for each node its depth and call, how many auctions go through it, and the texts that were
given with its call. That order makes merging simple. Behind a node come the nodes below it, so
of the next nodes of several runs the deeper one comes first, of equally deep ones the smaller call;
what is equal in both is the same auction.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.compiled import compiled
from bidcascade.kernels.types import U8, U16, U32, U64

I64 = NDArray[np.int64]

LONGEST_AUCTION = 319
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_CALL_BITS = np.uint64(6)
_TEXT_BITS = np.uint64(32)


@compiled(inline="always")
def _slot(keys: U64, key: np.uint64, shift: np.uint64) -> Any:
    """Place of a key in a hash table, or of the free slot where it goes; open addressing."""
    mask = len(keys) - 1
    slot: Any = np.int64((key * _SPREAD) >> shift)
    while keys[slot] != 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@compiled
def count_prefixes(
    calls: U8, offsets: I64, texts: U32, node_keys: U64, node_numbers: U32, parent: U32, call: U8,
    count: U32, nodes: int, pair_keys: U64, pair_counts: U32, pairs: int,
) -> tuple[int, int, int, int]:  # fmt: skip
    """Take auctions into a trie, call by call, each as far as it is legal.

    Parameters
    ----------
    calls : uint8 [calls]
        Auctions behind one another; what is no call code is illegal.
    offsets : int64 [auctions + 1]
        Where each auction begins and the last one ends.
    texts : uint32 [calls]
        Number of the text given with each call, 0 for none.
    node_keys : uint64 [slots], node_numbers : uint32 [slots]
        Hash table of the nodes, a power of two large and with a free slot for each call at least:
        ``parent << 6 | call`` plus 1, and the node.
    parent, call, count : arrays [nodes and more]
        The nodes; number 0 is the place before the first call.
    nodes : int
        How many there are.
    pair_keys : uint64 [slots], pair_counts : uint32 [slots]
        Hash table of texts: ``node << 32 | text``, and how often.
    pairs : int
        How many there are.

    Returns
    -------
    tuple of int
        Nodes, pairs, calls passed over because they or a call before them were illegal (Laws of
        Duplicate Bridge 2017, 17-22), and texts given with these.
    """
    node_shift = np.uint64(64 - _log2(len(node_keys)))
    pair_shift = np.uint64(64 - _log2(len(pair_keys)))
    ignored_calls = 0
    ignored_texts = 0
    for auction in range(len(offsets) - 1):
        node = np.int64(0)
        count[0] += np.uint32(1)
        last_bid: Any = 0
        bid_place: Any = 0
        doubling = 0
        passes = 0
        for place in range(offsets[auction], offsets[auction + 1]):
            made: Any = np.int64(calls[place])
            if passes == 4 or (passes == 3 and last_bid > 0):
                legal = False
            elif made == 0:
                legal = True
                passes += 1
            else:
                passes = 0
                by_other_side = (place - bid_place) % 2 == 1
                if made == 1:
                    legal = last_bid > 0 and doubling == 0 and by_other_side
                    doubling = 1
                elif made == 2:
                    legal = doubling == 1 and not by_other_side
                    doubling = 2
                else:
                    legal = bool(last_bid < made < 38)
                    last_bid = made
                    bid_place = place
                    doubling = 0
            if not legal:
                ignored_calls += offsets[auction + 1] - place
                for behind in range(place, offsets[auction + 1]):
                    ignored_texts += texts[behind] != 0
                break
            key = (np.uint64(node) << _CALL_BITS | np.uint64(made)) + np.uint64(1)
            slot = _slot(node_keys, key, node_shift)
            if node_keys[slot] == 0:
                node_keys[slot] = key
                node_numbers[slot] = np.uint32(nodes)
                parent[nodes] = np.uint32(node)
                call[nodes] = np.uint8(made)
                count[nodes] = np.uint32(0)
                nodes += 1
            node = np.int64(node_numbers[slot])
            count[node] += np.uint32(1)
            if texts[place]:
                key = np.uint64(node) << _TEXT_BITS | np.uint64(texts[place])
                slot = _slot(pair_keys, key, pair_shift)
                if pair_keys[slot] == 0:
                    pair_keys[slot] = key
                    pair_counts[slot] = np.uint32(0)
                    pairs += 1
                pair_counts[slot] += np.uint32(1)
    return nodes, pairs, ignored_calls, ignored_texts


@compiled
def _log2(size: int) -> int:
    bits = 0
    while (1 << bits) < size:
        bits += 1
    return bits


@compiled
def rehash(old_keys: U64, old_values: U32, keys: U64, values: U32) -> None:
    """Move a hash table into a larger, empty one.

    Parameters
    ----------
    old_keys, keys : uint64 [slots]
        A power of two large; 0 is a free slot.
    old_values, values : uint32 [slots]
    """
    shift = np.uint64(64 - _log2(len(keys)))
    for old in range(len(old_keys)):
        if old_keys[old] != 0:
            slot = _slot(keys, old_keys[old], shift)
            keys[slot] = old_keys[old]
            values[slot] = old_values[old]


@compiled
def write_preorder(
    children: I64, starts: I64, call: U8, depth_out: U16, call_out: U8, node_out: U32
) -> None:
    """Write down a trie in the order of its auctions.

    Parameters
    ----------
    children : int64 [nodes]
        Nodes by parent, and those of one parent by call.
    starts : int64 [nodes + 2]
        Where the children of each node (0: the place before the first call) begin in ``children``.
    call : uint8 [nodes + 1]
    depth_out, call_out, node_out : arrays [nodes]
        Filled: of each node in order its depth, its call, its number.
    """
    at = np.zeros(LONGEST_AUCTION + 2, np.int64)
    end = np.zeros(LONGEST_AUCTION + 2, np.int64)
    depth = 0
    at[0], end[0] = starts[0], starts[1]
    written = 0
    while depth >= 0:
        if at[depth] == end[depth]:
            depth -= 1
            continue
        node = children[at[depth]]
        at[depth] += 1
        depth_out[written] = np.uint16(depth)
        call_out[written] = call[node]
        node_out[written] = np.uint32(node)
        written += 1
        depth += 1
        at[depth], end[depth] = starts[node], starts[node + 1]


@compiled
def merge_runs(run_a: Any, run_b: Any, merged: Any, writes: int) -> tuple[int, int]:
    """Merge two runs into one; counts of what is in both are added.

    Parameters
    ----------
    run_a, run_b, merged : tuples of arrays
        Of each node depth (uint16), call (uint8), auctions and number of texts (uint32); of each
        text of all nodes, in their order and ascending in each node, the text and how often it was
        given (uint32).
    writes : int
        1 to fill ``merged``, 0 only to find out how much there will be.

    Returns
    -------
    tuple of int
        Nodes and texts of the merged run.
    """
    depth_a, call_a, count_a, texts_a, text_a, times_a = run_a
    depth_b, call_b, count_b, texts_b, text_b, times_b = run_b
    depth, call, count, texts, text, times = merged
    a = b = out = 0
    at_a = at_b = at = 0
    while a < len(depth_a) or b < len(depth_b):
        key_a: Any = np.int64(1 << 30)
        key_b: Any = np.int64(1 << 30)
        if a < len(depth_a):
            key_a = (np.int64(1 << 16) - np.int64(depth_a[a])) << 6 | np.int64(call_a[a])
        if b < len(depth_b):
            key_b = (np.int64(1 << 16) - np.int64(depth_b[b])) << 6 | np.int64(call_b[b])
        end_a: Any = at_a
        end_b: Any = at_b
        total = np.uint32(0)
        if key_a <= key_b:
            end_a += np.int64(texts_a[a])
            total += count_a[a]
        if key_b <= key_a:
            end_b += np.int64(texts_b[b])
            total += count_b[b]
        first = at
        while at_a < end_a or at_b < end_b:
            text_of_a = np.int64(text_a[at_a]) if at_a < end_a else np.int64(1 << 40)
            text_of_b = np.int64(text_b[at_b]) if at_b < end_b else np.int64(1 << 40)
            often = np.uint32(0)
            if text_of_a <= text_of_b:
                often += times_a[at_a]
                at_a += 1
            if text_of_b <= text_of_a:
                often += times_b[at_b]
                at_b += 1
            if writes:
                text[at] = np.uint32(min(text_of_a, text_of_b))
                times[at] = often
            at += 1
        if writes:
            depth[out] = depth_a[a] if key_a <= key_b else depth_b[b]
            call[out] = call_a[a] if key_a <= key_b else call_b[b]
            count[out] = total
            texts[out] = np.uint32(at - first)
        out += 1
        if key_a <= key_b:
            a += 1
        if key_b <= key_a:
            b += 1
    return out, at


@compiled
def describe_run(depth: U16, call: U8, parent: U32, completed: U8, can_complete: U8) -> None:
    """Work out parents and ends of the auctions of a run.

    Parameters
    ----------
    depth : uint16 [nodes], call : uint8 [nodes]
        The run.
    parent : uint32 [nodes]
        Filled: place of the parent in the run, plus 1; 0 for opening calls.
    completed, can_complete : uint8 [nodes]
        Filled: 1 where the auction is over, and where it or one below it is.
    """
    path = np.zeros(LONGEST_AUCTION + 2, np.int64)
    passes = np.zeros(LONGEST_AUCTION + 2, np.int64)
    has_bid = np.zeros(LONGEST_AUCTION + 2, np.int64)
    for node in range(len(depth)):
        level = np.int64(depth[node]) + 1
        path[level] = node + 1
        parent[node] = np.uint32(path[level - 1])
        passes[level] = passes[level - 1] + 1 if call[node] == 0 else 0
        has_bid[level] = 1 if call[node] > 2 else has_bid[level - 1]
        over = passes[level] == 4 or (passes[level] == 3 and has_bid[level] == 1)
        completed[node] = over
        can_complete[node] = over
    for node in range(len(depth) - 1, -1, -1):
        if can_complete[node] and parent[node]:
            can_complete[parent[node] - 1] = 1


@compiled
def number_entries(children: I64, starts: I64, entry: U32, first_child: U32) -> None:
    """Give the nodes of a trie the numbers that a bidding table gives its entries.

    Children of one entry stand together; blocks of children follow one another in depth-first
    order of their parents.

    Parameters
    ----------
    children : int64 [nodes]
        Nodes (from 0) by parent, and those of one parent in the order of priority.
    starts : int64 [nodes + 2]
        Where the children of each node, plus 1, begin in ``children``; 0: the opening calls.
    entry : uint32 [nodes]
        Filled: number of each node.
    first_child : uint32 [nodes]
        Filled, by node: number of its first child, or where that would stand.
    """
    at = np.zeros(LONGEST_AUCTION + 2, np.int64)
    end = np.zeros(LONGEST_AUCTION + 2, np.int64)
    base = np.zeros(LONGEST_AUCTION + 2, np.int64)
    begin = np.zeros(LONGEST_AUCTION + 2, np.int64)
    at[0], end[0] = starts[0], starts[1]
    free = starts[1] - starts[0]
    depth = 0
    while depth >= 0:
        if at[depth] == end[depth]:
            depth -= 1
            continue
        node = children[at[depth]]
        entry[node] = np.uint32(base[depth] + at[depth] - begin[depth])
        first_child[node] = np.uint32(free)
        at[depth] += 1
        depth += 1
        begin[depth] = starts[node + 1]
        at[depth], end[depth] = starts[node + 1], starts[node + 2]
        base[depth] = free
        free += end[depth] - at[depth]
