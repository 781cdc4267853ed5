"""What hands may call along auctions that were bid, by a table; it loads the kernels."""

from functools import cached_property

import numpy as np
import polars as pl

from bidcascade.kernels import NO_ENTRY, Backend, DealArrays
from bidcascade.kernels.types import I64
from bidcascade.systems.auctions.calls_along import NAMES, CallsAlong
from bidcascade.table import BiddingTable
from bidcascade.table.inspection.meanings import EntryMeanings
from bidcascade.table.judging import ROW_BYTES_AT_ONCE, TableJudge
from bidcascade.table.real_calls import CallLists, find_real_calls


class AlongTable:
    """Asks the entries of a table; where none holds, or the table has none, it passes."""

    def __init__(self, table: BiddingTable, backend: Backend) -> None:
        self._table, self._backend = table, backend

    @cached_property
    def _judge(self) -> TableJudge:
        return TableJudge(self._table, self._backend)

    @cached_property
    def _meanings(self) -> EntryMeanings:
        return EntryMeanings(self._table)

    def find(
        self, deals: DealArrays, auctions: CallLists, depth: I64, *, meanings: bool
    ) -> CallsAlong:
        """Find the calls that hands may make at every place of auctions."""
        found = find_real_calls(self._table, auctions, deals.dealer)
        where = auctions.offsets[found.deal] + found.depth
        place = np.full(len(auctions.calls), -2, np.int64)
        place[where] = np.where(found.place == NO_ENTRY, -1, found.place.astype(np.int64))
        allowed = np.empty(len(place), np.uint64)
        step = max(64, ROW_BYTES_AT_ONCE // max(1, self._judge.row_bytes))
        for begin in range(0, len(deals), step):
            end = min(begin + step, len(deals))
            rows = self._judge.rows(deals.slice(begin, end))
            offsets = auctions.offsets[begin : end + 1]
            here = slice(int(offsets[0]), int(offsets[-1]))
            deal = np.repeat(np.arange(end - begin), np.diff(offsets))
            hand = 4 * deal + (deals.dealer[begin:end][deal] + depth[here]) % 4
            allowed[here] = self._judge.held_calls(place[here], hand, rows)
        allowed[allowed == 0] = 1
        if not meanings:
            return CallsAlong(allowed)
        # behind a call that the table does not have, what was said before stays
        deepest = np.full(len(auctions), -1, np.int64)
        deepest[found.deal] = np.where(
            found.entry == NO_ENTRY, place[where], found.entry.astype(np.int64)
        )
        lost = place < -1
        place[lost] = np.repeat(deepest, np.diff(auctions.offsets))[lost]
        keys, which = np.unique(place << 9 | depth, return_inverse=True)
        meant = [(self._meanings.names(key >> 9), key >> 9, key & 511) for key in keys.tolist()]
        names = [[*words, *[""] * (length - len(words))] for words, _, length in meant]
        shown = np.stack([self._meanings.shown(entry) for _, entry, _ in meant])
        return CallsAlong(allowed, pl.Series(names, dtype=NAMES).gather(which), shown[which])
