"""From a draft to a table: the rows of all entries and those of rules, made into a table anew."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from bidcascade.bridge import InvalidTable
from bidcascade.kernels.types import I64, U8, U16, U32
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.build import TableBuilder
from bidcascade.table.building.trie import VALUES
from bidcascade.table.columns import INSERTED, Column
from bidcascade.table.stored.extras import FrameExtra

from .draft import Draft

ROWS_IN_MEMORY: Final = 1 << 24
"""Rows beyond so many go to the disk while the table is made."""
BLOCK_ROWS: Final = 1 << 16
"""Rows that are given to the builder at a time."""


def remade(draft: Draft, source: str) -> tuple[BiddingTable, I64]:
    """Make a table of what a draft has.

    Parameters
    ----------
    draft : Draft
    source : str
        Where the rows are from, for people.

    Returns
    -------
    tuple of BiddingTable and int64 [nodes]
        The table, and the entry that each node of the draft has in it, -1 for those that are gone.
    """
    table, entry_of = draft.table, draft.entries()
    count = int(entry_of.max(initial=-1)) + 1
    with TableBuilder(
        profile=table.profile,
        undescribed=table.undescribed,
        user_terms=table.user_terms,
        source=source,
        rows_in_memory=ROWS_IN_MEMORY,
    ) as builder:
        _add_rows(draft, builder, entry_of)
        made, _ = builder.finish()
    if len(made) != count:
        raise InvalidTable(
            f"expected a table of {count:,} entries with overlays, got {len(made):,}: "
            "the table is damaged"
        )
    moved = {name: _Moved(table, name, entry_of) for name in table.extras}
    return made._with_extras(moved), entry_of


def _add_rows(draft: Draft, builder: TableBuilder, entry_of: I64) -> None:
    """Let a builder take in the rows of a draft, in the order of the entries."""
    table = draft.table
    owners, values = _all_rows(draft, builder)
    # those of the table that rules did not change, and those that rules made
    changed = np.zeros(draft.size, np.bool_)
    changed[[node for node in draft.rows if node < draft.size]] = True
    stays = entry_of[owners] >= 0
    stays[: draft.size] &= (table.flags & INSERTED) == 0
    old = draft.size + len(table.columns["variant_entry"])
    stays[:old] &= ~changed[owners[:old]]
    rows = np.flatnonzero(stays)
    rows = rows[np.argsort(entry_of[owners[rows]], kind="stable")]
    for begin in range(0, len(rows), BLOCK_ROWS):
        some = rows[begin : begin + BLOCK_ROWS]
        said = {name: column[some] for name, column in values.items()}
        builder.add_numbers(*_calls(draft, owners[some]), said)


def _all_rows(draft: Draft, builder: TableBuilder) -> tuple[U32, dict[str, Column]]:
    """Node of each row, and what rows say in numbers of a builder.

    First come the first rows of all entries, then their further ones, then those of rules.
    """
    table, columns = draft.table, draft.table.columns
    own = [(node, builder.numbers_of(row)) for node, rows in draft.rows.items() for row in rows]
    known = builder.numbers_in(table)
    variants = columns["variant_entry"]
    first_lists = columns["set_criteria"][columns["set_offsets"][:-1]]
    columns = {**columns, "criteria": first_lists[table.variant_set]}
    values: dict[str, Column] = {}
    for name, (kind, missing) in VALUES.items():
        given = np.array([said[name] for _, said in own], kind)
        if name not in columns and f"variant_{name}" not in columns and (given == missing).all():
            continue
        parts = []
        for key, count in ((name, draft.size), (f"variant_{name}", len(variants))):
            column = columns.get(key)
            if column is None:
                column = np.full(count, missing, kind)
            parts.append(known[name][column] if name in known and key in columns else column)
        values[name] = np.concatenate([*parts, given])
    entries = np.arange(draft.size, dtype=np.uint32)
    nodes = np.array([node for node, _ in own], np.uint32)
    return np.concatenate([entries, variants, nodes]), values


def _calls(draft: Draft, nodes: U32) -> tuple[U8, U16]:
    """Give the calls of nodes' auctions behind one another, and how many each has."""
    is_new = nodes >= draft.size
    auctions = [draft.new[node - draft.size] for node in nodes[is_new].tolist()]
    lengths = np.empty(len(nodes), np.uint16)
    old_calls, lengths[~is_new] = draft.table.calls_of(nodes[~is_new])
    lengths[is_new] = [*map(len, auctions)]
    of_new = np.repeat(is_new, lengths)
    calls = np.empty(len(of_new), np.uint8)
    calls[~of_new] = old_calls
    calls[of_new] = np.frombuffer(b"".join(auctions), np.uint8)
    return calls, lengths


@dataclass(frozen=True, slots=True)
class _Moved:
    """A frame that goes with a table, with the numbers that its entries have in the new one."""

    table: BiddingTable
    name: str
    entry_of: I64

    def frame(self) -> pl.DataFrame:
        """Give its rows; those of entries that are gone are left out."""
        frame = self.table.extra(self.name)
        assert frame is not None
        # a row that is about no entry has none, before and after
        known = frame.filter(pl.col("entry").is_not_null())
        moved = known.with_columns(pl.Series("entry", self.entry_of[known["entry"].to_numpy()]))
        moved = moved.filter(pl.col("entry") >= 0).with_columns(pl.col("entry").cast(pl.UInt32))
        unknown = frame.filter(pl.col("entry").is_null())
        return pl.concat([unknown, moved.sort("entry", maintain_order=True)])

    def content(self) -> bytes:
        """Give its Parquet file."""
        return FrameExtra(self.frame()).content()
