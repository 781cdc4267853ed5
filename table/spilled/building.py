"""A table of more rows than fit the memory: from sorted runs on disk to columns on disk, in parts.

An auction with many rows below it is *cut*: it and the calls behind it stand in a small trie, the
*spine*. What is below its leaves is worked on by itself, as many leaves at a time as make a part.
Everything below an entry is one run of numbers, so what is below a leaf goes to the end of the
files as it is; entries of the spine are written last. The columns are those that
:meth:`.TableBuilder.finish` makes of the same rows in memory, bit for bit.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import InvalidTable
from bidcascade.kernels.core.tables.sorted_rows import children_in, measure
from bidcascade.kernels.machine.ahead import ahead
from bidcascade.kernels.types import I32, I64
from bidcascade.table.building.findings import Dropped, Findings
from bidcascade.table.building.trie import (
    VALUES,
    Built,
    BuiltTrie,
    RowArrays,
    SubTrie,
    children_in_order,
    columns_of_rows,
    count_dropped,
    count_rows,
    grow,
    part_below,
    rows_by_entry,
    variant_columns,
)
from bidcascade.table.columns import (
    ENTRY_COLUMNS,
    INSERTED,
    LABEL_COLUMNS,
    Column,
    Columns,
    offsets_of,
)

from .column_file import ColumnFile
from .sorted_runs import SortedRun

PART_ROWS: Final = 1 << 22
"""About how many rows each of the threads works on at a time."""
_CALLS: Final = 38

Slice = tuple[int, int, int]
"""A run, and the first row in it and the one behind the last."""


def build_spilled(runs: Sequence[SortedRun], folder: Path) -> Built:
    """Make a table's columns of rows in sorted runs.

    Parameters
    ----------
    runs : sequence of SortedRun
        As :func:`.sorted_runs.open_sorted_run` opens them; row numbers are unique.
    folder : Path
        Where files of columns are made, ``NAME.npy``.

    Returns
    -------
    Built
        Columns with a value an entry are mapped from the files.

    Raises
    ------
    InvalidTable
        If a file cannot be written.
    """
    try:
        return _Building(runs, folder).build(PART_ROWS)
    except OSError as error:
        raise InvalidTable(
            f"could not write columns to {str(folder)!r}: {error.strerror or error}"
        ) from None


class _Leaf(NamedTuple):
    """A place of the spine, and the rows below it."""

    auction: bytes
    slices: list[Slice]
    rows: int
    first_row: int


class _Building:
    def __init__(self, runs: Sequence[SortedRun], folder: Path) -> None:
        self.runs = [run for run in runs if len(run)]
        self.names = [name for name in VALUES if any(name in run.kinds for run in self.runs)]
        self.folder = folder
        self.findings = Findings()

    def build(self, part_rows: int) -> Built:
        own: list[Slice] = []
        leaves = list(self.cut(part_rows, own))
        spine = self.gather([*own, *leaves])
        nodes = spine.nodes
        findings = self.findings
        count_dropped(findings, spine)
        leaf_of = {}
        for leaf, node, reason in zip(
            leaves, spine.leading.tolist(), spine.why_not.tolist(), strict=True
        ):
            if reason:
                self.drop(leaf, Dropped(reason))
            else:
                leaf_of[node] = leaf
        there = np.zeros(len(nodes.call), np.uint8)
        for node, leaf in list(leaf_of.items()):
            if nodes.flags[node] & INSERTED:
                part = self.part([leaf], spine, [node])
                there[node] = part.below[0] > 0
                if not there[node]:
                    findings.join(part.findings, int)
                    del leaf_of[node]
        below, child_count = np.zeros((2, len(there)), np.int64)
        measure(nodes.parent, nodes.flags, below, child_count, there)
        starts, children = children_in_order(nodes, there)
        steps = list(_steps(starts, children))

        files = {
            name: ColumnFile(self.folder / f"{name}.npy", np.dtype(kind))
            for name, kind in self.entry_columns().items()
        }
        try:
            return self.write(spine, there, steps, leaf_of, files, part_rows)
        finally:
            for file in files.values():
                file.close()

    def entry_columns(self) -> dict[str, type[np.generic]]:
        labels = {name: VALUES[name][0] for name in self.names if name in LABEL_COLUMNS}
        return {**ENTRY_COLUMNS, **labels}

    def cut(self, part_rows: int, own: list[Slice]) -> Iterator[_Leaf]:
        """Leaves of the spine; rows of the spine itself go to ``own``."""
        # rows of one auction stand first among those below it
        open_places = [(b"", [(number, 0, len(run)) for number, run in enumerate(self.runs)])]
        while open_places:
            auction, slices = open_places.pop()
            bounds = np.empty((len(slices), _CALLS + 1), np.int64)
            for place, (number, begin, end) in enumerate(slices):
                run = self.runs[number]
                children_in(run.auctions, run.offsets, begin, end, len(auction), bounds[place])
                if begin < bounds[place, 0]:
                    own.append((number, begin, int(bounds[place, 0])))
            below = bounds[:, -1] - bounds[:, 0]
            count = int(below.sum())
            if auction and count <= part_rows:
                if count:
                    held = [
                        (number, int(first), end)
                        for (number, _, end), first in zip(slices, bounds[:, 0], strict=True)
                        if first < end
                    ]
                    first_row = min(
                        int(self.runs[number].read("number", begin, end).min())
                        for number, begin, end in held
                    )
                    yield _Leaf(auction, held, count, first_row)
                continue
            for call in range(_CALLS):
                parts = [
                    (number, int(bounds[place, call]), int(bounds[place, call + 1]))
                    for place, (number, _, _) in enumerate(slices)
                    if bounds[place, call] < bounds[place, call + 1]
                ]
                if parts:
                    open_places.append((auction + bytes((call,)), parts))

    def gather(self, pieces: "Iterable[Slice | _Leaf]") -> BuiltTrie:
        """Make the trie of rows, in which the auctions of leaves are to be there."""
        auctions, lengths, numbers = [_NO_CALLS], [_NO_LENGTHS], [_NO_NUMBERS]
        values: dict[str, list[Column]] = {
            name: [np.zeros(0, VALUES[name][0])] for name in self.names
        }
        leading: list[int] = []
        count = 0
        for piece in pieces:
            if isinstance(piece, _Leaf):
                leading.append(count)
                auctions.append(np.frombuffer(piece.auction, np.uint8))
                lengths.append(np.array([len(piece.auction)], np.int64))
                numbers.append(np.array([piece.first_row], np.uint32))
                size = 1
                said: Mapping[str, Column] = {}
            else:
                number, begin, end = piece
                run = self.runs[number]
                ends = run.read("offsets", begin, end + 1)
                auctions.append(run.read("auctions", int(ends[0]), int(ends[-1])))
                lengths.append(np.diff(ends).astype(np.int64))
                numbers.append(run.read("number", begin, end))
                size = end - begin
                said = {name: run.read(name, begin, end) for name in values if name in run.kinds}
            count += size
            for name, columns in values.items():
                kind, missing = VALUES[name]
                columns.append(said[name] if name in said else np.full(size, missing, kind))
        offsets: I64 = offsets_of(np.concatenate(lengths), np.int64)
        rows = RowArrays(
            np.concatenate(auctions),
            offsets,
            np.concatenate(numbers),
            {name: np.concatenate(columns) for name, columns in values.items()},
        )
        return grow(rows, leading)

    def drop(self, leaf: _Leaf, reason: Dropped) -> None:
        """Count the rows below a leaf that are dropped with it."""
        for number, begin, end in leaf.slices:
            run = self.runs[number]
            self.findings.dropped[reason].add(
                run.read("number", begin, end), partial(_auction_at, run, np.arange(begin, end))
            )

    def part(
        self, leaves: Sequence[_Leaf], spine: BuiltTrie, spine_nodes: Sequence[int]
    ) -> SubTrie:
        """Work out what is below some leaves, one behind the other."""
        # in the order of auctions rows are often sorted as they are
        order = sorted(range(len(leaves)), key=lambda number: leaves[number].auction)
        in_order = [leaves[number] for number in order]
        pieces: list[Slice | _Leaf] = []
        for leaf in in_order:
            pieces += [leaf, *leaf.slices]
        found = self.gather(pieces)
        nodes = found.nodes
        tops = np.empty(len(leaves), np.int64)
        tops[order] = found.leading
        nodes.flags[tops] = spine.nodes.flags[spine_nodes]
        nodes.first_kept[tops] = spine.nodes.first_kept[spine_nodes]
        return part_below(found, tops)

    def write(
        self,
        spine: BuiltTrie,
        there: NDArray[np.uint8],
        steps: "list[_Step]",
        leaf_of: dict[int, _Leaf],
        files: "dict[str, ColumnFile]",
        part_rows: int,
    ) -> Built:
        """Write all columns; parts are worked out ahead."""
        nodes = spine.nodes
        # one more place, for rows that led to no node
        entry, first_child, child_count = np.full((3, len(there) + 1), -1, np.int64)
        position = 0
        further: list[Columns] = []
        groups = _groups([step.node for step in steps if step.node in leaf_of], leaf_of, part_rows)

        def part_of(group: list[int]) -> SubTrie:
            return self.part([leaf_of[node] for node in group], spine, group)

        with closing(ahead(part_of, groups)) as parts:
            waiting: deque[int] = deque()
            for step in steps:
                if step.node >= 0:
                    first_child[step.node] = position
                if step.node not in leaf_of:
                    if step.node >= 0:
                        child_count[step.node] = len(step.children)
                    entry[step.children] = position + np.arange(len(step.children))
                    for file in files.values():
                        file.append(np.zeros(len(step.children), file.kind))
                    position += len(step.children)
                    continue
                if not waiting:
                    part = next(parts)
                    waiting.extend(range(len(part.below)))
                    starts = np.cumsum(part.below) - part.below
                    moved = np.zeros(len(starts), np.int64)
                which = waiting.popleft()
                begin = int(starts[which])
                end = begin + int(part.below[which])
                moved[which] = position - begin
                for name, column in part.columns.items():
                    values = column[begin:end]
                    if name == "first_child":
                        values = values + np.uint32(position - begin)
                    files[name].append(values)
                nodes.flags[step.node] |= part.can_complete[which]
                child_count[step.node] = part.children[which]
                position += end - begin
                if not waiting:
                    self.take_in(part, starts, moved, further)
        below, measured = np.zeros((2, len(there)), np.int64)
        measure(nodes.parent, nodes.flags, below, measured, there)
        self.write_spine(spine, there, entry, first_child, child_count, files, further)
        for file in files.values():
            file.finish()
        return Built(self.columns(files, further), self.findings)

    def take_in(self, part: SubTrie, starts: I64, moved: I64, further: list[Columns]) -> None:
        """Take in variants and findings of a part whose leaves were moved so far."""

        def place(entry: int) -> int:
            # of leaves without entries that begin at one place the last one counts
            return entry + int(moved[np.searchsorted(starts, entry, side="right") - 1])

        self.findings.join(part.findings, place)
        entries = part.variants["entry"]
        leaves = np.searchsorted(starts, entries, side="right") - 1
        further.append(part.variants | {"entry": entries + moved[leaves]})

    def write_spine(
        self,
        spine: BuiltTrie,
        there: NDArray[np.uint8],
        entry: I64,
        first_child: I64,
        child_count: I64,
        files: "dict[str, ColumnFile]",
        further: list[Columns],
    ) -> None:
        nodes = spine.nodes
        first, variants = rows_by_entry(spine, spine.row_node.astype(np.int64), len(there))
        row_entry = entry[spine.row_node]
        count_rows(self.findings, spine, row_entry, variants)
        values = {name: column[variants] for name, column in spine.rows.values.items()}
        further.append(values | {"entry": row_entry[variants]})
        columns: Columns = {
            "call": nodes.call, "flags": nodes.flags, "child_count": child_count,
            "first_child": first_child, **columns_of_rows(spine.rows, first),
        }  # fmt: skip
        known = np.flatnonzero(there)
        known = known[np.argsort(entry[known])]
        for name, column in columns.items():
            files[name].patch(entry[known], column[known])
        inserted = np.sort(entry[known[(nodes.flags[known] & INSERTED) != 0]])
        self.findings.inserted.add(inserted, inserted.__getitem__)

    def columns(self, files: "dict[str, ColumnFile]", further: list[Columns]) -> Columns:
        """All columns but the interned ones."""
        columns = {}
        for name, file in files.items():
            missing = LABEL_COLUMNS[name][1] if name in LABEL_COLUMNS else None
            if missing is None or file.has_other_than(missing):
                columns[name] = file.mapped()
            else:
                file.remove()
        return columns | variant_columns(further)


_NO_CALLS: Final = np.zeros(0, np.uint8)
_NO_LENGTHS: Final = np.zeros(0, np.int64)
_NO_NUMBERS: Final = np.zeros(0, np.uint32)


class _Step(NamedTuple):
    """What comes next in the columns: children of a node of the spine, or all below a leaf."""

    node: int
    children: I32


def _steps(starts: I64, children: I32) -> Iterator[_Step]:
    open_nodes = [-1]
    while open_nodes:
        node = open_nodes.pop()
        below = children[starts[node + 1] : starts[node + 2]]
        yield _Step(node, below)
        open_nodes.extend(below[::-1].tolist())


def _groups(nodes: list[int], leaf_of: dict[int, _Leaf], part_rows: int) -> Iterator[list[int]]:
    """Leaves that follow one another, with about so many rows together."""
    group: list[int] = []
    rows = 0
    for node in nodes:
        if group and rows + leaf_of[node].rows > part_rows:
            yield group
            group, rows = [], 0
        group.append(node)
        rows += leaf_of[node].rows
    if group:
        yield group


def _auction_at(run: SortedRun, numbers: I64, place: int) -> bytes:
    row = numbers[place]
    return run.auctions[int(run.offsets[row]) : int(run.offsets[row + 1])].tobytes()
