"""Bidding deals to the end from a place in an auction, by systems or by a bidding table."""

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import PASS, Auction
from bidcascade.kernels import NO_ENTRY, Backend, DealArrays, Plan, get_backend
from bidcascade.kernels.types import U32
from bidcascade.table import BiddingTable
from bidcascade.table.columns import NONE_U32
from bidcascade.table.overlays.sub_plan import sub_plan
from bidcascade.table.system.bidder import Bidder

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
        """Bid deals to the end that have bid ``calls`` so far.

        Returns
        -------
        tuple of list and int64 [n]
            The different auctions, complete; which one each deal has.
        """
        ...


class SystemBidder:
    """Bids on by systems, which have an answer after every auction.

    Parameters
    ----------
    bidder : Bidder
        Of the systems of both sides.

    Examples
    --------
    >>> from bidcascade.kernels.dealing import deal_hands
    >>> from bidcascade.table import System
    >>> system = System.parse("opening:" + chr(10) + "  1NT = Any: 0+ points")
    >>> zero = np.zeros(2, np.uint8)
    >>> deals = DealArrays(deal_hands(1, 0, 2), zero, zero)
    >>> SystemBidder(system.bidder()).bid_on([0], deals)
    ([(0, 7, 0, 0, 0)], array([0, 0]))
    """

    def __init__(self, bidder: Bidder) -> None:
        self._bidder = bidder

    def bid_on(self, calls: Sequence[int], deals: DealArrays) -> tuple[list[Calls], I64]:
        """Bid deals to the end."""
        with self._bidder.lock:
            bid = self._bidder.bid(deals, calls)
            places, which = np.unique(bid.place, return_inverse=True)
            return [(*self._bidder.auction_of(place), 0) for place in places], which


class TableBidder:
    """Bids on by a bidding table; where it has nothing, passes follow.

    Parameters
    ----------
    table : BiddingTable
    backend : Backend, optional
        cpu if not given.

    Examples
    --------
    >>> from bidcascade.kernels.dealing import deal_hands
    >>> from bidcascade.table import build_table
    >>> table, _ = build_table([{"prior": "1C P", "call": "1D", "criteria": ["HCP >= 0"]}])
    >>> zero = np.zeros(2, np.uint8)
    >>> deals = DealArrays(deal_hands(1, 0, 2), zero, zero)
    >>> TableBidder(table).bid_on([3, 0], deals)
    ([(3, 0, 4, 0, 0, 0)], array([0, 0]))
    """

    def __init__(self, table: BiddingTable, backend: Backend | None = None) -> None:
        self._table = table
        self._backend = get_backend("cpu") if backend is None else backend
        self._parts: dict[Calls, Part | None] = {}

    def bid_on(self, calls: Sequence[int], deals: DealArrays) -> tuple[list[Calls], I64]:
        """Bid deals to the end."""
        made = tuple(calls)
        part = self._part(made)
        if part is None:
            return [_passed_to_the_end(made)], np.zeros(len(deals), np.int64)
        first = self._backend.cascade_first(part.plan, deals)
        entries, which = np.unique(first.entry, return_inverse=True)
        numbers: dict[Calls, int] = {}
        ending = []
        for entry in entries.tolist():
            last = None if entry == NO_ENTRY else int(part.numbers[entry])
            calls = made if last is None else self._table.auction_of(last)
            ending.append(numbers.setdefault(_passed_to_the_end(calls), len(numbers)))
        return list(numbers), np.array(ending, np.int64)[which]

    def _part(self, calls: Calls) -> Part | None:
        """Part of a place and everything below it, in which the way there is always made."""
        if calls not in self._parts:
            if len(self._parts) >= _KEPT:
                self._parts.clear()
            self._parts[calls] = part = below_place(self._table, calls)
            return part
        return self._parts[calls]


def below_place(table: BiddingTable, calls: Sequence[int]) -> Part | None:
    """Part of a table that begins at a place: every hand makes the calls that lead there.

    None where the table has nothing below the place.

    Examples
    --------
    >>> from bidcascade.table import build_table
    >>> table, _ = build_table([{"prior": "1C", "call": "P", "criteria": ["HCP <= 9"]},
    ...                         {"prior": "", "call": "1D"}])
    >>> part = below_place(table, [3])
    >>> part.plan.call.tolist(), part.numbers.tolist()
    ([3, 0], [1, 2])
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
