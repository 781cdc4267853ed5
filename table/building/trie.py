"""From rows in any order to the entries of a table: the one builder, in memory and on the disk.

Rows are sorted by their auctions, and one pass over them makes the trie: the laws, missing parents,
rows that are dropped. Entries are numbered so that the children of one entry stand together in
priority order, and the blocks of children follow one another in depth-first order of their parents.
Rows in memory are one part that begins at the opening; more rows than fit the memory are cut into
parts that begin at other places (see ``spilled``). Where there is no core the definition does it.
"""

from collections.abc import Sequence
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from bidcascade.kernels.core.functions import has_core
from bidcascade.kernels.core.tables import sorted_rows
from bidcascade.kernels.core.tables.sorted_rows import KEPT_ROW, LEADING_ROW, REJECTED_ROW
from bidcascade.kernels.number_ranges import blocks
from bidcascade.kernels.types import I32, I64, U8, U32, U64
from bidcascade.table.columns import (
    CAN_COMPLETE,
    ENTRY_COLUMNS,
    INSERTED,
    LABEL_COLUMNS,
    NO_RANK,
    REQUIRED_COLUMNS,
    Column,
    Columns,
)

from . import trie_reference
from .findings import Dropped, Findings
from .interning import REJECTED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bidcascade.kernels.core.tables.sorted_rows import Nodes


VALUES: Final[dict[str, tuple[type[np.generic], int]]] = {
    "criteria": (np.int32, 0),
    "description": (np.uint32, 0),
    **LABEL_COLUMNS,
}
"""What rows say: type, and what stands for nothing."""
_NO_ROW: Final = 255


class RowArrays(NamedTuple):
    """Some rows as arrays."""

    auctions: U8
    """The calls of all rows behind one another, each row's prior auction and its call."""
    offsets: I64
    """Where each row begins in ``auctions``, and the last one ends."""
    number: U32
    values: "Mapping[str, Column]"
    """By name what rows say: ``criteria`` (int32), ``description`` and labels."""

    def __len__(self) -> int:
        return len(self.offsets) - 1


class BuiltTrie(NamedTuple):
    """Some rows in memory, and the trie of them."""

    rows: RowArrays
    priorities: U64
    nodes: "Nodes"
    row_node: I32
    dropped: U8
    """A :class:`.findings.Dropped` for each row."""
    leading: I32
    """Node of each row that only leads somewhere."""
    why_not: U8
    """A :class:`.findings.Dropped` for each of these."""


class SubTrie(NamedTuple):
    """Entries below some places, numbered from 0."""

    columns: Columns
    """With a value an entry, named as those of a table."""
    variants: Columns
    """``entry``, and what the further rows of entries say."""
    findings: Findings
    row_entry: I64
    """Entry of each row, -1 for those that were dropped."""
    below: I64
    """By place how many entries there are below."""
    children: I64
    can_complete: U8


class Built(NamedTuple):
    """Columns as :func:`.canonical.renumber` takes them, and what became of the rows."""

    columns: Columns
    findings: Findings


def build_in_memory(rows: RowArrays) -> tuple[Built, I64]:
    """Make a table's columns of rows in any order, and tell the entry of each row (-1: none)."""
    part = part_below(grow(rows))
    columns = {
        name: column
        for name, column in part.columns.items()
        if name not in LABEL_COLUMNS or (column != LABEL_COLUMNS[name][1]).any()
    }
    columns |= variant_columns([part.variants])
    return Built(columns, part.findings), part.row_entry


def grow(rows: RowArrays, leading: Sequence[int] = ()) -> BuiltTrie:
    """Make the trie of rows.

    Parameters
    ----------
    rows : RowArrays
        In any order; several with one auction stand in that of their numbers.
    leading : sequence of int
        Those that are none, but whose auctions are to be there.
    """
    kernels = _kernels()
    count = len(rows)
    led = np.array(leading, np.int64)
    kinds = np.full(count, KEPT_ROW, np.uint8)
    kinds[rows.values["criteria"] == REJECTED] = REJECTED_ROW
    kinds[led] = LEADING_ROW
    priorities = rows.number.astype(np.uint64)
    if "rank" in rows.values:
        priorities |= rows.values["rank"].astype(np.uint64) << np.uint64(32)
    else:
        priorities |= np.uint64(NO_RANK) << np.uint64(32)
    nodes, row_node, dropped = kernels.trie_of_sorted(
        rows.auctions,
        rows.offsets,
        kernels.sorted_order(rows.auctions, rows.offsets),
        kinds,
        rows.number.astype(np.int64),
        priorities,
    )
    why_not = dropped[led]
    # nothing is to be said of them
    dropped[led] = _NO_ROW
    return BuiltTrie(rows, priorities, nodes, row_node, dropped, row_node[led], why_not)


def part_below(grown: BuiltTrie, tops: I64 | None = None) -> SubTrie:
    """Make the entries below some nodes, those of one behind the other; by default all.

    Parameters
    ----------
    grown : BuiltTrie
    tops : int64 [places], optional
        Nodes, of which none is below another.
    """
    kernels = _kernels()
    nodes = grown.nodes
    size = len(nodes.call)
    below, child_count = np.zeros((2, size), np.int64)
    there = np.zeros(size, np.uint8)
    kernels.measure(nodes.parent, nodes.flags, below, child_count, there)
    starts, children = children_in_order(nodes, there)
    # rows that led nowhere have the node -1, which is one more
    base, entry = np.full((2, size + 1), -1, np.int64)
    openings = children[:0]
    if tops is None:
        # opening calls are below no node
        openings = children[: starts[1]]
        tops = openings.astype(np.int64)
    first_free = len(openings)
    base[tops] = first_free + np.cumsum(below[tops]) - below[tops]
    count = first_free + int(below[tops].sum())
    columns: Columns = {}
    for name, of_node in (
        ("call", nodes.call),
        ("flags", nodes.flags),
        ("child_count", child_count),
        ("first_child", base),
    ):
        columns[name] = np.zeros(count, ENTRY_COLUMNS[name])
        columns[name][:first_free] = of_node[openings]
    entry[openings] = np.arange(first_free)
    kernels.number_below(
        starts,
        children,
        below,
        child_count,
        nodes.call,
        nodes.flags,
        base[:-1],
        entry[:-1],
        tuple(columns.values()),
    )
    of_tops = below[tops], child_count[tops], nodes.flags[tops] & np.uint8(CAN_COMPLETE)
    row_entry = entry[grown.row_node]
    # nodes are as many as rows, and what follows takes as much again
    del starts, children, base, entry, below, child_count, there
    row_entry[grown.dropped != Dropped.KEPT] = -1
    first, further = rows_by_entry(grown, row_entry, count)
    columns |= columns_of_rows(grown.rows, first)
    variants = {name: column[further] for name, column in grown.rows.values.items()}
    variants["entry"] = row_entry[further]
    findings = Findings()
    count_dropped(findings, grown)
    count_rows(findings, grown, row_entry, further)
    inserted = np.flatnonzero(columns["flags"] & INSERTED)
    findings.inserted.add(inserted, inserted.__getitem__)
    return SubTrie(columns, variants, findings, row_entry, *of_tops)


def children_in_order(nodes: "Nodes", there: U8) -> tuple[I64, I32]:
    """List the children of each node by priority, as ``children_by_priority`` of the core does."""
    starts = np.zeros(len(nodes.call) + 2, np.int64)
    children = np.zeros(np.count_nonzero(there), np.int32)
    _kernels().children_by_priority(nodes.parent, nodes.priority, there, starts, children)
    return starts, children


def rows_by_entry(grown: BuiltTrie, row_entry: I64, entries: int) -> tuple[I64, I64]:
    """Find the row that counts of each entry (-1: none), and the others by entry and priority."""
    first = np.full(entries, -1, np.int64)
    is_further = np.zeros(len(row_entry), np.uint8)
    _kernels().rows_of_entries(grown.dropped, row_entry, grown.priorities, first, is_further)
    further = np.flatnonzero(is_further)
    return first, further[np.lexsort((grown.priorities[further], row_entry[further]))]


def columns_of_rows(rows: RowArrays, first: I64) -> Columns:
    """Columns of what the first row of each entry says; -1: there is none.

    For now ``variant_set`` is its criteria list; sets are made in :func:`.canonical.renumber`.
    """
    without = np.flatnonzero(first < 0)
    columns: Columns = {}
    for name, column in rows.values.items():
        kind, nothing = VALUES[name]
        if name == "criteria":
            name, kind = "variant_set", ENTRY_COLUMNS["variant_set"]
        columns[name] = column[first].astype(kind, copy=False)
        columns[name][without] = nothing
    return columns


def variant_columns(parts: Sequence[Columns]) -> Columns:
    """Columns of the further rows of entries, from those of all parts."""
    entries = np.concatenate([part["entry"] for part in parts])
    order = np.argsort(entries, kind="stable")
    columns: Columns = {"variant_entry": entries[order].astype(np.uint32)}
    for name, (kind, nothing) in VALUES.items():
        variant = f"variant_{name}"
        column = np.full(len(entries), nothing, kind)
        if name in parts[0]:
            column = np.concatenate([part[name] for part in parts])[order]
        if variant in REQUIRED_COLUMNS or (column != nothing).any():
            columns[variant] = column
    columns["variant_criteria"] = columns["variant_criteria"].astype(np.uint32)
    return columns


def count_dropped(findings: Findings, grown: BuiltTrie) -> None:
    """Count the rows that were dropped."""
    if not grown.dropped.any():
        return
    for reason, count in findings.dropped.items():
        rows = np.flatnonzero(grown.dropped == reason)
        count.add(grown.rows.number[rows], partial(_auction_at, grown.rows, rows))


def count_rows(findings: Findings, grown: BuiltTrie, row_entry: I64, further: I64) -> None:
    """Count variants, orphans, and rows that stand before the row of their parent."""
    nodes, number = grown.nodes, grown.rows.number
    findings.variants.add(number[further], partial(_entry_at, row_entry, further))
    for block in blocks(len(grown.rows)):
        kept = block.start + np.flatnonzero(grown.dropped[block] == Dropped.KEPT)
        parent = nodes.parent[grown.row_node[kept]]
        kept, parent = kept[parent >= 0], parent[parent >= 0]
        is_orphan = (nodes.flags[parent] & INSERTED) != 0
        is_early = ~is_orphan & (nodes.first_kept[parent] > number[kept])
        for count, rows in ((findings.orphans, kept[is_orphan]), (findings.early, kept[is_early])):
            count.add(number[rows], partial(_entry_at, row_entry, rows))


def _kernels() -> ModuleType:
    return sorted_rows if has_core() else trie_reference


def _auction_at(rows: RowArrays, numbers: I64, place: int) -> bytes:
    row = numbers[place]
    return rows.auctions[int(rows.offsets[row]) : int(rows.offsets[row + 1])].tobytes()


def _entry_at(row_entry: I64, numbers: I64, place: int) -> int:
    return int(row_entry[numbers[place]])
