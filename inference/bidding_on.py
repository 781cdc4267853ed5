"""Bidding deals to the end from a place in an auction, by a system or by a bidding table."""

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
from bidcascade.table.system.compile import Places
from bidcascade.table.system.on_demand import bid_on

I64 = NDArray[np.int64]
Calls = tuple[int, ...]

_KEPT: Final = 64


class Part(NamedTuple):
    """Part of a table that begins at a place, with the numbers that its entries have there."""

    plan: Plan
    numbers: U32


class Bidder(Protocol):
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
    places : Places
        Of the systems of both sides.
    backend : Backend, optional
        cpu if not given.

    Examples
    --------
    >>> from bidcascade.kernels.dealing import deal_hands
    >>> from bidcascade.table import System
    >>> system = System.parse("opening:" + chr(10) + "  1NT = Any: 0+ points")
    >>> zero = np.zeros(2, np.uint8)
    >>> deals = DealArrays(deal_hands(1, 0, 2), zero, zero)
    >>> SystemBidder(system.expander()).bid_on([0], deals)
    ([(0, 7, 0, 0, 0)], array([0, 0]))
    """

    def __init__(self, places: Places, backend: Backend | None = None) -> None:
        self._places = places
        self._backend = backend

    def bid_on(self, calls: Sequence[int], deals: DealArrays) -> tuple[list[Calls], I64]:
        """Bid deals to the end."""
        front = {tuple(calls): np.arange(len(deals))}
        out = bid_on(self._places, deals, front, backend=self._backend)
        return [ending.calls for ending in out.endings], out.ending


class TableBidder:
    """Bids on by a bidding table; where it has nothing, its system does, or else passes follow.

    Where overlays changed what follows an entry, that is the table's to say: where nothing holds
    there it is a pass.

    Parameters
    ----------
    table : BiddingTable
    places : Places, optional
        Of the system that the table was compiled from.
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

    def __init__(
        self, table: BiddingTable, places: Places | None = None, backend: Backend | None = None
    ) -> None:
        self._table = table
        self._system = None if places is None else SystemBidder(places, backend)
        self._backend = get_backend("cpu") if backend is None else backend
        self._parts: dict[Calls, Part | None] = {}

    def bid_on(self, calls: Sequence[int], deals: DealArrays) -> tuple[list[Calls], I64]:
        """Bid deals to the end."""
        made = tuple(calls)
        part = self._part(made)
        ends: dict[Calls, I64] = {made: np.arange(len(deals))}
        if part is not None:
            first = self._backend.cascade_first(part.plan, deals)
            entries, which = np.unique(first.entry, return_inverse=True)
            ends = {
                made
                if entry == NO_ENTRY
                else self._table.auction_of(int(part.numbers[entry])): np.flatnonzero(
                    which == place
                )
                for place, entry in enumerate(entries.tolist())
            }
        numbers: dict[Calls, int] = {}
        ending: I64 = np.zeros(len(deals), np.int64)
        for reached, some in ends.items():
            auctions, found = self._to_the_end(reached, deals, some)
            ending[some] = np.array(
                [numbers.setdefault(auction, len(numbers)) for auction in auctions], np.int64
            )[found]
        return list(numbers), ending

    def _to_the_end(self, calls: Calls, deals: DealArrays, some: I64) -> tuple[list[Calls], I64]:
        """Bid some of the deals on from where the table has nothing more."""
        auction = Auction.of(calls)
        if self._system is not None and not auction.is_complete and self._is_changed(calls):
            auction = auction.add(PASS)
        if self._system is None or auction.is_complete:
            return [_passed_to_the_end(auction.calls)], np.zeros(len(some), np.int64)
        going_on = DealArrays(
            np.ascontiguousarray(deals.hands[:, some]), deals.dealer[some],
            deals.vulnerability[some],
        )  # fmt: skip
        return self._system.bid_on(auction.calls, going_on)

    def _is_changed(self, calls: Calls) -> bool:
        changed = self._table.changed_places
        return bool(changed) and (self._table.find(calls) if calls else -1) in changed

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
