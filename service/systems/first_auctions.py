"""Mode ``first`` beyond the table: deals that leave a compiled table are bid on by its system."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from bidcascade.bridge import PASS
from bidcascade.kernels import NO_ENTRY, DealArrays, FirstAuctions
from bidcascade.kernels.types import U8
from bidcascade.service.answers import I64, endings_frame
from bidcascade.table import BiddingTable

if TYPE_CHECKING:
    from bidcascade.table.system.compile import Places
    from bidcascade.table.system.on_demand import BidOut


class Continued(NamedTuple):
    """Deals (by number, ascending) that left the table, and how they were bid on."""

    deals: I64
    bid: "BidOut"


def continue_deals(
    table: BiddingTable,
    places: "Places",
    deals: DealArrays,
    first: FirstAuctions,
) -> Continued | None:
    """Bid the deals on that ended at a place which is not in the table.

    In ``first`` their entry becomes :data:`NO_ENTRY` and no passes follow, for the auction is over
    without them; passes by default on the way are added. Where overlays changed what follows an
    entry, that is not the system's to say: a deal that ended there passes and goes on then.
    """
    from bidcascade.table.system.on_demand import bid_on

    left = np.flatnonzero(first.passes)
    ends = {NO_ENTRY if entry < 0 else entry for entry in table.changed_places}
    if ends:
        # a deal that needs but this pass is through with the auction
        through = np.isin(first.entry[left], list(ends)) & (first.passes[left] == 1)
        left = left[~through]
    if not len(left):
        return None
    entries = first.entry[left]
    order = np.argsort(entries, kind="stable")
    found, starts = np.unique(entries[order], return_index=True)
    front = {}
    for entry, chosen in zip(found.tolist(), np.split(order, starts[1:]), strict=True):
        calls = () if entry == NO_ENTRY else tuple(table.auction_of(entry))
        if entry in ends:
            calls = (*calls, PASS)
            first.defaults[left[chosen]] += 1
        front[calls] = chosen
    going_on = DealArrays(
        np.ascontiguousarray(deals.hands[:, left]), deals.dealer[left], deals.vulnerability[left]
    )
    bid = bid_on(places, going_on, front)
    first.entry[left] = NO_ENTRY
    first.passes[left] = 0
    first.defaults[left] += bid.defaults
    return Continued(left, bid)


def finished_auctions(finished: pl.DataFrame, continued: Continued, dealer: U8) -> pl.DataFrame:
    """Put the auctions that were bid on in their places.

    Parameters
    ----------
    finished : polars.DataFrame
        ``auction``, ``contract`` and ``declarer`` of all deals by their entries.
    continued : Continued
    dealer : uint8 [n]
        Of all deals.
    """
    deals, bid = continued
    own = endings_frame([bytes(one.calls) for one in bid.endings], bid.ending, dealer[deals])
    place = np.arange(finished.height, dtype=np.uint32)
    place[deals] = np.arange(finished.height, finished.height + len(deals), dtype=np.uint32)
    both = pl.concat([finished, own])
    return both.select(pl.all().gather(pl.lit(pl.Series(place))))
