"""Auctions in bulk, by the core: legal calls, and all prefixes of many auctions, counted.

A *run* is a trie written down in the order of its auctions (calls as numbers, shorter before
longer): for each node its depth and call, how many auctions go through it, and the texts that were
given with its call. That order makes merging simple. Behind a node come the nodes below it, so
of the next nodes of several runs the deeper one comes first, of equally deep ones the smaller call;
what is equal in both is the same auction.

All functions raise :class:`ValueError` for arrays that do not belong together, and
:class:`~bidcascade.bridge.BackendUnavailable` where there is no core.
"""

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from bidcascade.kernels.core.functions import call_core, checked
from bidcascade.kernels.core.groups import ArrayGroup, Field
from bidcascade.kernels.types import I64, U8, U16, U32, U64


def legal_calls(calls: U8, offsets: I64, legal: U64) -> None:
    """Find the legal calls at the place of each call (Laws of Duplicate Bridge 2017, 17-22).

    Parameters
    ----------
    calls : uint8 [calls]
        Auctions behind one another; what is no call code is illegal.
    offsets : int64 [auctions + 1]
        Where each auction begins and the last one ends.
    legal : uint64 [calls]
        Overwritten: bit ``c`` is set where call ``c`` is legal in place of the one that stands
        there; 0 behind the end of an auction, and behind a call that is illegal.
    """
    call_core(
        "core_legal_calls",
        checked(calls, np.uint8),
        len(calls),
        checked(offsets, np.int64, 1),
        len(offsets) - 1,
        checked(legal, np.uint64, len(calls)),
    )


def count_prefixes(
    calls: U8,
    offsets: I64,
    texts: U32,
    node_keys: U64,
    node_numbers: U32,
    parent: U32,
    call: U8,
    count: U32,
    nodes: int,
    pair_keys: U64,
    pair_counts: U32,
    pairs: int,
) -> tuple[int, int, int, int]:
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
    counts = np.array([nodes, pairs, 0, 0], np.int64)
    room = min(len(parent), len(call), len(count))
    call_core(
        "core_count_prefixes",
        checked(calls, np.uint8),
        len(calls),
        checked(offsets, np.int64, 1),
        len(offsets) - 1,
        checked(texts, np.uint32, len(calls)),
        checked(node_keys, np.uint64),
        checked(node_numbers, np.uint32, len(node_keys)),
        len(node_keys),
        checked(parent, np.uint32),
        checked(call, np.uint8),
        checked(count, np.uint32),
        room,
        checked(pair_keys, np.uint64),
        checked(pair_counts, np.uint32, len(pair_keys)),
        len(pair_keys),
        counts,
    )
    found: tuple[int, int, int, int] = tuple(counts.tolist())
    return found


def rehash(old_keys: U64, old_values: U32, keys: U64, values: U32) -> None:
    """Move a hash table into a larger, empty one.

    Parameters
    ----------
    old_keys, keys : uint64 [slots]
        A power of two large; 0 is a free slot.
    old_values, values : uint32 [slots]
    """
    call_core(
        "core_rehash",
        checked(old_keys, np.uint64),
        checked(old_values, np.uint32, len(old_keys)),
        len(old_keys),
        checked(keys, np.uint64),
        checked(values, np.uint32, len(keys)),
        len(keys),
    )


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
    nodes = len(children)
    call_core(
        "core_write_preorder",
        checked(children, np.int64),
        nodes,
        checked(starts, np.int64, nodes + 2),
        checked(call, np.uint8, nodes + 1),
        checked(depth_out, np.uint16, nodes),
        checked(call_out, np.uint8, nodes),
        checked(node_out, np.uint32, nodes),
    )


class _Run(ArrayGroup):
    fields: ClassVar[dict[str, Field]] = {
        "depth": ("u2",),
        "call": ("u1",),
        "auctions": ("u4",),
        "texts": ("u4",),
        "text": ("u4",),
        "times": ("u4",),
    }

    def __init__(self, columns: Iterable[Any]) -> None:
        super().__init__(**dict(zip(self.fields, columns, strict=True)))


def merge_runs(run_a: Any, run_b: Any, merged: Any) -> tuple[int, int]:
    """Merge two runs into one; counts of what is in both are added.

    Parameters
    ----------
    run_a, run_b, merged : tuples of arrays
        Of each node depth (uint16), call (uint8), auctions and number of texts (uint32); of each
        text of all nodes, in their order and ascending in each node, the text and how often it was
        given (uint32). ``merged`` is filled, or ``None`` to find out how much there will be.

    Returns
    -------
    tuple of int
        Nodes and texts of the merged run.
    """
    counts = np.zeros(2, np.int64)
    into = _Run(run_a if merged is None else merged)
    call_core("core_merge_runs", _Run(run_a), _Run(run_b), into, int(merged is not None), counts)
    return int(counts[0]), int(counts[1])


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
    nodes = len(depth)
    call_core(
        "core_describe_run",
        checked(depth, np.uint16),
        checked(call, np.uint8, nodes),
        nodes,
        checked(parent, np.uint32, nodes),
        checked(completed, np.uint8, nodes),
        checked(can_complete, np.uint8, nodes),
    )


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
    nodes = len(children)
    call_core(
        "core_number_entries",
        checked(children, np.int64),
        nodes,
        checked(starts, np.int64, nodes + 2),
        checked(entry, np.uint32, nodes),
        checked(first_child, np.uint32, nodes),
    )
