"""What hands may call along auctions that were bid: by a table, or by a system."""

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.kernels import NO_ENTRY, Backend, DealArrays
from bidcascade.kernels.types import U8, U64
from bidcascade.table import BiddingTable
from bidcascade.table.decisions import CallLists, find_decisions
from bidcascade.table.evidence.vetting import ROW_BYTES_AT_ONCE, Judge
from bidcascade.table.meanings import EntryMeanings

if TYPE_CHECKING:
    from .bidder import Bidder

I64 = NDArray[np.int64]
_NAMES = pl.List(pl.String())


class CallsAlong(NamedTuple):
    """Calls that are allowed at each place of auctions.

    Parameters
    ----------
    allowed : uint64 [calls]
        Bit ``c`` is set where the hand that is to call may call ``c``.
    names : polars.Series, optional
        List(String): what the calls before have said, a text a call.
    shown : uint8 [calls, 4, 5, 2], optional
        By position from the dealer what was shown: least and most high-card points, clubs,
        diamonds, hearts and spades.
    """

    allowed: U64
    names: pl.Series | None = None
    shown: U8 | None = None


def along_in_system(
    places: "Bidder", deals: DealArrays, auctions: CallLists, *, meanings: bool
) -> CallsAlong:
    """Ask the places of a system."""
    from .allowed import allowed_along
    from .meanings import names_along, shown_at

    with places.lock:
        found = allowed_along(places, deals, auctions)
        if not meanings:
            return CallsAlong(found.allowed)
        there, which = np.unique(found.place, return_inverse=True)
        names = _lists(*names_along(places, there))
        shown = shown_at(places, there)
        return CallsAlong(found.allowed, names.gather(which), shown[which])


def _lists(names: list[str], number: I64, lengths: I64) -> pl.Series:
    """Make lists of names, of different lengths, from their numbers in rows of one length."""
    if not number.size:
        return pl.Series([[]] * len(lengths), dtype=_NAMES)
    flat = pl.Series(names, dtype=pl.String).gather(number.ravel())
    whole = flat.reshape(number.shape).arr.to_list()
    return pl.DataFrame({"names": whole, "length": lengths}).select(
        pl.col("names").list.head("length")
    )["names"]


class AlongTable:
    """Asks the entries of a table; where none holds, or the table has none, it passes."""

    def __init__(self, table: BiddingTable, backend: Backend) -> None:
        self._table, self._backend = table, backend

    @cached_property
    def _judge(self) -> Judge:
        return Judge(self._table, self._backend)

    @cached_property
    def _said(self) -> EntryMeanings:
        return EntryMeanings(self._table)

    def find(
        self, deals: DealArrays, auctions: CallLists, depth: I64, *, meanings: bool
    ) -> CallsAlong:
        """Find the calls that hands may make at every place of auctions."""
        found = find_decisions(self._table, auctions, deals.dealer)
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
        told = [(self._said.names(key >> 9), key >> 9, key & 511) for key in keys.tolist()]
        names = [[*said, *[""] * (length - len(said))] for said, _, length in told]
        shown = np.stack([self._said.shown(entry) for _, entry, _ in told])
        return CallsAlong(allowed, pl.Series(names, dtype=_NAMES).gather(which), shown[which])
