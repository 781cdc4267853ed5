"""Bidding deals to the end from a place in an auction, by systems or by a bidding table."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import PASS, Auction
from bidcascade.kernels import NO_ENTRY, DealArrays, Plan, get_backend
from bidcascade.kernels.types import U32
from bidcascade.systems.bidder import Bidder
from bidcascade.table import BiddingTable
from bidcascade.table.columns import NONE_U32
from bidcascade.table.overlays.sub_plan import sub_plan

I64 = NDArray[np.int64]
Calls = tuple[int, ...]

_KEPT: Final = 64


class Part(NamedTuple):
    """Part of a table that begins at a place, with the numbers that its entries have there."""

    plan: Plan
    numbers: U32


class BidsOn(Protocol):
    """Bids deals on, each as mode ``first`` does."""

    def bid_on(self, calls: Sequence[int], deals: DealArrays) -> tuple[list[Calls], I64]:
        """Bid deals to the end; gives the different auctions, and which one each deal has."""
        ...


class SystemBidder:
    """Bids on by systems, which have an answer after every auction."""

    def __init__(self, bidder: Bidder) -> None:
        self._bidder = bidder

    def bid_on(self, calls: Sequence[int], deals: DealArrays) -> tuple[list[Calls], I64]:
        """Bid deals to the end."""
        with self._bidder.lock:
            bid = self._bidder.bid(deals, calls)
            places, which = np.unique(bid.place, return_inverse=True)
            return [(*self._bidder.auction_of(place), 0) for place in places], which


class TableBidder:
    """Bids on by a bidding table; where it has nothing, passes follow."""

    def __init__(self, table: BiddingTable) -> None:
        self._table = table
        self._below = lru_cache(_KEPT)(lambda calls: below_place(table, calls))

    def bid_on(self, calls: Sequence[int], deals: DealArrays) -> tuple[list[Calls], I64]:
        """Bid deals to the end."""
        made = tuple(calls)
        part = self._below(made)
        if part is None:
            return [_passed_to_the_end(made)], np.zeros(len(deals), np.int64)
        first = get_backend("cpu").cascade_first(part.plan, deals)
        entries, which = np.unique(first.entry, return_inverse=True)
        numbers: dict[Calls, int] = {}
        ending = []
        for entry in entries.tolist():
            last = None if entry == NO_ENTRY else int(part.numbers[entry])
            calls = made if last is None else self._table.auction_of(last)
            ending.append(numbers.setdefault(_passed_to_the_end(calls), len(numbers)))
        return list(numbers), np.array(ending, np.int64)[which]


def below_place(table: BiddingTable, calls: Sequence[int]) -> Part | None:
    """Part of a table that begins at a place: every hand makes the calls that lead there.

    None where the table has nothing below the place.
    """
    if not calls:
        return Part(table.plan(), np.arange(len(table), dtype=np.uint32)) if len(table) else None
    entry = table.find(calls)
    if entry is None or not len(table.below(entry)):
        return None
    way, above = [], entry
    while above != NONE_U32:
        way.append(above)
        above = int(table.parents[above])
    below = table.below(entry)
    entries = np.arange(below.start, below.stop, dtype=np.uint32)
    return Part(*sub_plan(table.plan(), entries, always=way))


def _passed_to_the_end(calls: Sequence[int]) -> Calls:
    auction = Auction.of(calls)
    while not auction.is_complete:
        auction = auction.add(PASS)
    return auction.calls
