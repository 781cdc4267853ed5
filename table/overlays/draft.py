"""A table while rules are laid over it: what they change, everything else as it stands.

Nodes are the entries of the table by number; those that rules add are numbered on from there.
Only blocks of siblings and rows that a rule touches are kept here; all others are looked up.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from bidcascade.kernels.number_ranges import numbers_of_ranges
from bidcascade.kernels.types import I64
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.columns import NO_RANK
from bidcascade.table.row import Row

from .place_pattern import ROOT, Path

_BEHIND_RANKS: Final = int(NO_RANK)


class Draft:
    """A table with changes that are not written yet.

    Parameters
    ----------
    table : BiddingTable
        It stays as it is.
    """

    def __init__(self, table: BiddingTable) -> None:
        self.table = table
        self.size = len(table)
        self.rows: dict[int, list[Row]] = {}
        """Variants of nodes that were added or changed; none for an inserted parent."""
        self.blocks: dict[int, list[int]] = {}
        """Siblings behind a node, where they are others than in the table or stand otherwise."""
        self.touched: set[int] = {ROOT}
        """Nodes of the table on the way to such a block."""
        self.places: set[int] = set()
        """Nodes behind which a call was added, changed or removed."""
        self.new: list[bytes] = []
        """Auctions that end with the nodes that were added."""

    # --- looking ------------------------------------------------------------------------------

    def children(self, node: int) -> Sequence[int]:
        """Nodes behind a node, in priority order."""
        block = self.blocks.get(node)
        if block is not None:
            return block
        if node >= self.size:
            return ()
        return self.table.children(None if node == ROOT else node)

    def calls_behind(self, node: int) -> Iterator[tuple[int, int]]:
        """Nodes behind a node with their calls."""
        block = self.blocks.get(node)
        if block is not None:
            return ((child, self.call(child)) for child in block)
        if node >= self.size:
            return iter(())
        span = self.table.children(None if node == ROOT else node)
        return zip(span, self.table.call[span.start : span.stop].tolist(), strict=True)

    def call(self, node: int) -> int:
        """Call of a node."""
        if node >= self.size:
            return self.new[node - self.size][-1]
        return int(self.table.call[node])

    def auction(self, path: Path) -> bytes:
        """Auction at the end of a path."""
        return bytes(map(self.call, path[1:]))

    def variants(self, node: int) -> list[Row]:
        """Rows of a node; none for an inserted parent."""
        rows = self.rows.get(node)
        if rows is not None:
            return rows
        return [] if self.table.is_inserted(node) else self.table.variants(node)

    def is_inserted(self, node: int) -> bool:
        """Whether no row stands for the node."""
        rows = self.rows.get(node)
        return not rows if rows is not None else self.table.is_inserted(node)

    def find(self, parent: int, call: int) -> int | None:
        """Node of a call behind a node."""
        return next((node for node, other in self.calls_behind(parent) if other == call), None)

    def count(self, node: int) -> int:
        """Count the node and all entries below it."""
        if node < self.size and node not in self.touched:
            return 1 + len(self.table.below(node))
        return 1 + sum(map(self.count, self.children(node)))

    def entries(self) -> I64:
        """Entry that each node is in a table, int64 [nodes]; -1 for those that are gone."""
        firsts: list[int] = []
        counts: list[int] = []
        # nodes below which is to be looked, each with the end of what the table has there
        pending: list[tuple[int, int]] = [(ROOT, self.size)]
        while pending:
            node, end = pending.pop()
            if node < self.size and node not in self.touched:
                first = int(self.table.first_child[node])
                firsts.append(first)
                counts.append(end - first)
                continue
            block = self.children(node)
            firsts += block
            counts += [1] * len(block)
            stop = 0
            if node < self.size:
                stop = self.table.children(None if node == ROOT else node).stop
            for child in reversed(block):
                below = end
                if child + 1 < stop:
                    below = int(self.table.first_child[child + 1])
                pending.append((child, below))
        nodes = numbers_of_ranges(np.array(firsts, np.int64), np.array(counts, np.int64))
        entries = np.full(self.size + len(self.new), -1, np.int64)
        entries[nodes] = np.arange(len(nodes))
        return entries

    # --- changing -----------------------------------------------------------------------------

    def set_rows(self, path: Path, rows: list[Row]) -> None:
        """Give the node at the end of a path other rows; the first counts for its priority."""
        node, parent = path[-1], path[-2]
        before = self._priority(node)
        self.rows[node] = sorted(rows, key=_rank)
        self.places.add(parent)
        if self._priority(node) != before:
            self._set_block(path[:-1], list(self.children(parent)))

    def add(self, path: Path, call: int, rows: list[Row]) -> Path:
        """Put a node behind the one at the end of a path; its path is returned."""
        node = self.size + len(self.new)
        self.new.append(self.auction(path) + bytes((call,)))
        self.rows[node] = sorted(rows, key=_rank)
        self.places.add(path[-1])
        self._set_block(path, [*self.children(path[-1]), node])
        return (*path, node)

    def remove(self, path: Path) -> None:
        """Take a node away with everything below it, and inserted parents that lose their last."""
        while True:
            path, node = path[:-1], path[-1]
            self.places.add(path[-1])
            left = [child for child in self.children(path[-1]) if child != node]
            self._set_block(path, left)
            if left or path[-1] == ROOT or not self.is_inserted(path[-1]):
                return

    def insert_parents(self, auction: Sequence[int]) -> tuple[Path, int]:
        """Path to an auction's place; parents that are missing are inserted and counted."""
        path: Path = (ROOT,)
        inserted = 0
        for call in auction:
            node = self.find(path[-1], call)
            if node is None:
                path = self.add(path, call, [])
                inserted += 1
            else:
                path = (*path, node)
        return path, inserted

    def _set_block(self, path: Path, block: list[int]) -> None:
        block.sort(key=self._priority)
        self.blocks[path[-1]] = block
        self.touched.update(node for node in path if node < self.size)

    def _priority(self, node: int) -> tuple[bool, int]:
        """Put inserted parents behind all others, which go by rank and then as they stand."""
        rows = self.rows.get(node)
        if rows is None:
            column = self.table.columns.get("rank")
            rank = _BEHIND_RANKS if column is None else int(column[node])
            return self.table.is_inserted(node), rank
        return not rows, _rank(rows[0]) if rows else _BEHIND_RANKS


def _rank(row: Row) -> int:
    return _BEHIND_RANKS if row.rank is None else row.rank
