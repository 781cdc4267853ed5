"""Bidding by systems on a device: a deal a thread, from place to place.

The device has a copy of what the host's places say, which grows with them. A deal whose place
nobody has worked out yet waits; the host is told all such places at once, and the deals go on.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import DeviceFault, InvalidInput, OutOfDeviceMemory
from bidcascade.kernels.core import rows
from bidcascade.kernels.cuda_device import DeviceArray
from bidcascade.kernels.device_frames import DeviceDeals
from bidcascade.kernels.gpu.session import (
    AnyDeals,
    Chunk,
    DealFeed,
    RunningSums,
    Session,
    fitting,
    halving,
)
from bidcascade.kernels.gpu.tables.tables import SORT_KEYS
from bidcascade.kernels.types import I32, U16, U32, U64

from .system_places import PlaceWorker
from .system_tables import DEFINES, Followed, GrowingRows, Sides, SideTables

_logger = logging.getLogger("bidcascade.kernels")

_FILE: Final = "system_walk.cu"
_LISTS_FILE: Final = "system_lists.cu"
LISTS_DEFINES: Final = {
    **DEFINES,
    "WALK_BYTES": rows.WALK.itemsize,
    "LEVEL_BYTES": rows.LEVEL_BYTES,
    "LEVELS": rows.LEVELS,
}
"""``#define``s of ``system_lists.cu``."""
_SORT_BYTES: Final = 4
_MOST_PLACES: Final = 1 << 12
"""Places that are worked out before they are taken in; 16 kB each."""
MOST_CALLS: Final = (1 << 31) - 1
"""Of all auctions of a frame: lists of cudf and Arrow begin at 32-bit numbers."""
MOST_NARROW: Final = 1 << 16
"""Ends of auctions that numbers of 16 bits tell apart."""
_DEAL_BYTES: Final = 12 + 2 * 4 + 3 * 8
"""What a deal takes beside its packed hands: how far it is, waiting lists, places it may want."""
_WALK_BYTES: Final = rows.WALK.itemsize + rows.LEVELS * rows.LEVEL_BYTES + 3 * 8
"""What the walk that lists its auctions takes more."""


class BidsThere(NamedTuple):
    """How deals were bid, on the device.

    Parameters
    ----------
    place : int32 [n] on the device
        Place of each deal's last call, a pass.
    depth : uint16 [n] on the device
        Calls before that one.
    entry : int32 [n] on the device
        Entry that made it, negative for a pass by default.
    defaults : uint16 [n] on the device
        Passes that were made because no entry held.
    """

    place: DeviceArray
    depth: DeviceArray
    entry: DeviceArray
    defaults: DeviceArray

    @classmethod
    def empty(cls, session: Session, count: int) -> "BidsThere":
        """Room for so many deals."""
        kinds = (np.int32, np.uint16, np.int32, np.uint16)
        return cls(*(session.device.empty(count, kind) for kind in kinds))

    def part(self, start: int, stop: int) -> "BidsThere":
        """Deals ``start`` to ``stop``."""
        return BidsThere(*(array[start:stop] for array in self))


class ListedThere(NamedTuple):
    """All auctions of deals, as a device listed them: arrays of :class:`.rows.Listed`.

    Parameters
    ----------
    first : int64 [n]
        Where each deal's auctions begin.
    cut : uint8 [n]
    place : int32, call : uint8, completed : uint8
        By auction.
    held_end : int64 [auctions + 1]
    held : int32
    """

    first: NDArray[np.int64]
    cut: NDArray[np.uint8]
    place: I32
    call: NDArray[np.uint8]
    completed: NDArray[np.uint8]
    held_end: NDArray[np.int64]
    held: I32


class DeviceAuctions(NamedTuple):
    """Whole auctions on the device, and what they lead to.

    Parameters
    ----------
    calls : uint8 on the device
    ends : int32 [n + 1] on the device
        Auction i is ``calls[ends[i] : ends[i + 1]]``.
    contract : uint8 [n] on the device
        0 passed out, else ``1 + 3 * (bid - 3) + doubling``.
    declarer : uint8 [n] on the device
        By compass, 4 for none.
    """

    calls: DeviceArray
    ends: DeviceArray
    contract: DeviceArray
    declarer: DeviceArray


class DevicePlaces:
    """The places of a store on a device.

    Parameters
    ----------
    session : Session
    most_deals : int
        Most deals in a chunk.

    Attributes
    ----------
    most_places : int
        Places that are worked out at once; 0 once the memory was too short for that.
    """

    def __init__(self, session: Session, most_deals: int) -> None:
        self.session, self._most_deals = session, most_deals
        self.most_places = _MOST_PLACES
        self.let_go()
        session.tables.add(self)

    def let_go(self) -> None:
        """Give the device memory back; places come again when needed."""
        self._sides: tuple[SideTables, ...] = ()
        self._grown = {
            name: GrowingRows(self.session)
            for name in ("parent", "call", "list_first", "list_items")
        }
        self._chosen = Followed(self.session)
        self._keys: DeviceArray | None = None
        self._values: DeviceArray | None = None
        self._entered = 1
        self._worker = PlaceWorker(self.session, self._grown)

    def work_out(self, sides: Sides, store: rows.Store, block: rows.PlaceBlock, places: I32) -> int:
        """Work out the first of some places as :func:`.walk.work_out` does, none of them the root.

        Their rows stay here; the block gets the rest.

        Returns
        -------
        int
            How many; 0, with nothing in the block, if the processor has to: one of them has more
            than there is room for here or follows a place without a row here, or the memory is
            short.

        Raises
        ------
        DeviceFault
            If the device asks again for what it was told.
        """
        size = min(self.most_places, len(places))

        def run(most: int) -> int:
            if most < size:
                self.most_places = most
            is_done = self._worker.work_out(sides, self.tables(sides), store, block, places[:most])
            return most if is_done else 0

        try:
            return int(halving(self.session, size, run, of="places")) if size else 0
        except OutOfDeviceMemory as error:
            self.session.wait_for_all()
            _logger.warning("places are worked out on the processor from now on: %s", str(error))
        # outside the handler, which holds on to what did not fit
        self.most_places, self._worker = 0, PlaceWorker(self.session, self._grown)
        return 0

    def rows_of(self, store: rows.Store) -> I32:
        """Return the number of the row here of each place, negative where it has none."""
        return self._worker.rows_of(store)

    def row_there(self, store: rows.Store, item: int, parent: int) -> tuple[rows.Store, rows.Rows]:
        """Bring one row: see :meth:`.PlaceWorker.row_there`."""
        return self._worker.row_there(store, item, parent)

    def bid(
        self,
        deals: AnyDeals,
        place: int,
        depth: int,
        store: Callable[[], rows.Store],
        sides: Callable[[], Sides],
        work_out: Callable[[U64], None],
    ) -> tuple[I32, I32, U16]:
        """Bid deals to the end from a place on.

        Parameters
        ----------
        deals : DealArrays or DeviceDeals
        place, depth : int
            A place that was worked out, and how many calls lead there.
        store : function
            Gives the store as it is now; places in it stay, and more may come.
        sides : function
            What players choose by, as it is now.
        work_out : function
            Sees to it that places are there and worked out, by ``place << 6 | call`` of the places
            before them and the calls, each once, in order.

        Returns
        -------
        tuple of int32 [n], int32 [n], uint16 [n]
            As :class:`~bidcascade.systems.auctions.bidder.BidDeals` has them.

        Raises
        ------
        DeviceFault
            If the device asks again for what it was told.
        """
        count = len(deals)
        found = (np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count, np.uint16))
        targets: list[NDArray[Any]] = [*found]
        session = self.session

        def run(size: int) -> None:
            for chunk in DealFeed(session, deals, size):
                there = BidsThere.empty(session, chunk.count)
                _Chunk(self, chunk, store, sides, work_out).bid(there, place, depth)
                part = slice(chunk.start, chunk.start + chunk.count)
                made = (there.place, there.entry, there.defaults)
                for target, array in zip(targets, made, strict=True):
                    target[part] = session.download(array)

        if count:
            with session.working():
                halving(session, self._fitting(deals, sides()), run)
        return found

    def bid_on_device(
        self,
        deals: DeviceDeals,
        store: Callable[[], rows.Store],
        sides: Callable[[], Sides],
        work_out: Callable[[U64], None],
    ) -> "BidsThere":
        """Bid deals from the first call on, as :meth:`bid`; what comes of it stays there."""
        session = self.session

        def run(size: int) -> BidsThere:
            there = BidsThere.empty(session, len(deals))
            for chunk in DealFeed(session, deals, size):
                part = there.part(chunk.start, chunk.start + chunk.count)
                _Chunk(self, chunk, store, sides, work_out).bid(part, 0, 0)
            return there

        with session.working():
            found: BidsThere = halving(session, self._fitting(deals, sides()), run)
        return found

    def list_auctions(
        self,
        deals: AnyDeals,
        bounds: NDArray[np.int64],
        store: Callable[[], rows.Store],
        sides: Callable[[], Sides],
        work_out: Callable[[U64], None],
    ) -> list[ListedThere]:
        """List the auctions that are allowed for deals, a part for each chunk of them.

        Parameters
        ----------
        bounds : int64 [4]
            Those of :func:`.functions.list_deals`.
        deals, store, sides, work_out
            As for :meth:`bid`; the root is worked out.

        Raises
        ------
        DeviceFault
            If the device asks again for what it was told.
        """
        session = self.session

        def run(size: int) -> list[ListedThere]:
            there = session.upload(bounds)
            return [
                _Chunk(self, chunk, store, sides, work_out).list_auctions(there)
                for chunk in DealFeed(session, deals, size)
            ]

        if not len(deals):
            return []
        with session.working():
            found: list[ListedThere] = halving(
                session, self._fitting(deals, sides(), more=_WALK_BYTES), run
            )
        return found

    def auctions(
        self, bids: "BidsThere", deals: DeviceDeals, store: rows.Store
    ) -> "DeviceAuctions":
        """Write the auctions of deals that were bid.

        Raises
        ------
        InvalidInput
            If they have more calls than a column of lists may have.
        """
        session, count = self.session, len(deals)
        device = session.device

        def run() -> DeviceAuctions:
            parent, call = self._grown_arrays(store, "parent", "call")
            starts, total = device.empty(count, np.uint64), 0
            if count:
                session.each(
                    _FILE, "auction_lengths", DEFINES, count, [bids.depth, np.uint32(count), starts]
                )
                total = RunningSums(session, count).run(starts)
            if total > MOST_CALLS:
                raise InvalidInput(
                    f"expected auctions of at most {MOST_CALLS} calls in a frame, got {total}: "
                    "take fewer deals"
                )
            found = DeviceAuctions(
                device.empty(total, np.uint8),
                session.zeros(count + 1, np.int32),
                device.empty(count, np.uint8),
                device.empty(count, np.uint8),
            )
            session.each(
                _FILE,
                "write_auctions",
                DEFINES,
                count,
                [
                    parent,
                    call,
                    bids.place,
                    bids.depth,
                    deals.dealer,
                    starts,
                    np.uint32(count),
                    *found,
                ],
            )
            return found

        with session.working():
            return session.with_room("auctions", run)

    def ends(self, bids: BidsThere, store: rows.Store) -> tuple[I32, U16 | U32]:
        """Tell where deals end: the different places, ascending, and which of them each deal has.

        Only these come to the host, numbers in 16 bits where there are not more places than that.
        """
        session, count = self.session, bids.place.size
        places = int(store.counts[rows.PLACES])

        def run() -> tuple[I32, U16 | U32]:
            sums = session.zeros(places, np.uint64)
            session.each(_FILE, "mark_places", DEFINES, count, [bids.place, np.uint32(count), sums])
            total = RunningSums(session, places).run(sums)
            listed = session.device.empty(total, np.int32)
            session.each(
                _FILE,
                "list_marked",
                DEFINES,
                places,
                [sums, np.uint32(places), np.uint32(total), listed],
            )
            is_narrow = total <= MOST_NARROW
            numbers = session.device.empty(count, np.uint16 if is_narrow else np.uint32)
            session.each(
                _FILE,
                "number_ends",
                DEFINES,
                count,
                [
                    bids.place,
                    np.uint32(count),
                    sums,
                    *((numbers, None) if is_narrow else (None, numbers)),
                ],
            )
            return session.download(listed), session.download(numbers)

        with session.working():
            return session.with_room("ends of auctions", run)

    def _fitting(self, deals: AnyDeals, sides: Sides, *, more: int = 0) -> int:
        """Deals of a chunk that fits, where a deal takes so many bytes more than to be bid."""
        width = sum(one.packing.lane_words + one.packing.flag_words for one in sides)
        per_deal = DealFeed.bytes_per_deal(deals) + _SORT_BYTES + 32 * width + _DEAL_BYTES + more
        return fitting(self.session, per_deal, self._most_deals, len(deals))

    def tables(self, sides: Sides) -> tuple[SideTables, SideTables]:
        """Tables of both sides; a side whose hands are packed otherwise now gets new ones."""
        by_packing = {id(one.packing): one for one in self._sides}
        found: list[SideTables] = []
        for side in sides:
            key = id(side.packing)
            if key not in by_packing:
                by_packing[key] = SideTables(self.session, side.packing)
            found.append(by_packing[key])
        self._sides = found[0], found[1]
        return self._sides

    def arrays(self, store: rows.Store) -> list[Any]:
        """Places as they are now, as ``bid_on`` and ``list_on`` take them."""
        places = int(store.counts[rows.PLACES])
        parent, call, first, items = self._grown_arrays(store, *self._grown)
        keys, values = self._entered_places(parent, call, places)
        chosen = self._chosen.with_all(store.chosen[:places])
        return [keys, values, np.uint32(keys.size), parent, call, chosen, first, items]

    def _grown_arrays(self, store: rows.Store, *names: str) -> list[DeviceArray]:
        """Give arrays that only grow, as they are now."""
        counts = store.counts
        ends = {
            "parent": rows.PLACES,
            "call": rows.PLACES,
            "list_first": rows.LISTS,
            "list_items": rows.ITEMS,
        }
        return [
            self._grown[name].with_all(
                getattr(store, name)[: int(counts[ends[name]]) + (name == "list_first")]
            )
            for name in names
        ]

    def _entered_places(
        self, parent: DeviceArray, call: DeviceArray, places: int
    ) -> tuple[DeviceArray, DeviceArray]:
        """Hash table of all places but the root."""
        session = self.session
        if self._keys is None or self._values is None or 2 * places > self._keys.size:
            slots = 1 << (4 * places).bit_length()
            self._keys = session.zeros(slots, np.uint64)
            self._values = session.device.empty(slots, np.int32)
            self._entered = 1
        session.each(
            _FILE, "enter_places", DEFINES, places - self._entered,
            [
                parent, call, np.uint32(self._entered), np.uint32(places),
                self._keys, self._values, np.uint32(self._keys.size),
            ],
        )  # fmt: skip
        self._entered = places
        return self._keys, self._values


class _Kernel(NamedTuple):
    """A kernel that lets deals go on; its arguments begin and end like those of ``bid_on``."""

    file: str
    entry: str
    defines: Mapping[str, int]
    threads: int


class _Hands:
    """Packed hands of a chunk, as both sides want them now, in an order or as they come."""

    def __init__(self, places: DevicePlaces, chunk: Chunk, order: DeviceArray | None) -> None:
        self._places, self._chunk, self._order = places, chunk, order
        self._packed_for: tuple[SideTables, ...] = ()
        self._words: tuple[DeviceArray, ...] = ()

    def of(self, sides: Sides) -> tuple[tuple[SideTables, ...], Sides, tuple[DeviceArray, ...]]:
        """Tables, sides and words of both."""
        both = self._places.tables(sides)
        if self._packed_for != both:
            self._words = ()
            first = both[0].pack(sides[0], self._chunk, self._order)
            is_one = both[0] is both[1]
            other = first if is_one else both[1].pack(sides[1], self._chunk, self._order)
            self._packed_for, self._words = both, (first, other)
        return both, sides, self._words


class PairMasks:
    """Tells which calls deals may make at places, pair by pair, with the deals kept on the device.

    Parameters
    ----------
    places : DevicePlaces
    deals : DealArrays or DeviceDeals
        Their packed hands stay there, all at once.
    """

    def __init__(self, places: DevicePlaces, deals: AnyDeals) -> None:
        self._places, self._count = places, len(deals)
        session = places.session
        with session.working():
            self._chunk = session.with_room(
                "deals", lambda: next(iter(DealFeed(session, deals, len(deals))))
            )
        self._hands = _Hands(places, self._chunk, None)

    def at(self, depth: int, place: I32, deals: I32, store: rows.Store, sides: Sides) -> U64:
        """Find the calls that deals may make at places behind so many calls, a bit each.

        Parameters
        ----------
        place, deals : int32 [n]
            Places that were worked out, and numbers of deals.
        """
        session, count = self._places.session, len(place)
        if not count:
            return np.zeros(0, np.uint64)

        def run() -> U64:
            both, _, words = self._hands.of(sides)
            tables, side = both[depth & 1], sides[depth & 1]
            size = tables.width * self._count
            start = (depth & 3) * size
            *_, chosen, first, items = self._places.arrays(store)
            found = session.device.empty(count, np.uint64)
            session.each(
                _LISTS_FILE, "mask_pairs", LISTS_DEFINES, count,
                [
                    tables.array(side, "entries"), tables.array(side, "tests"),
                    words[depth & 1][start : start + size], np.uint32(self._count), chosen, first,
                    items, session.upload(place), session.upload(deals), np.uint32(count), found,
                ],
            )  # fmt: skip
            return session.download(found)

        with session.working():
            return session.with_room("masks of calls", run)


class _Chunk:
    """Deals on their way."""

    def __init__(
        self,
        places: DevicePlaces,
        chunk: Chunk,
        store: Callable[[], rows.Store],
        sides: Callable[[], Sides],
        work_out: Callable[[U64], None],
    ) -> None:
        self._places, self._chunk, self._get_store = places, chunk, store
        self._get_sides, self._work_out = sides, work_out
        session, count = places.session, chunk.count
        device = session.device
        self._order = device.empty(count, np.uint32)
        places.tables(sides())[0].tables.sort(
            chunk, self._order, device.empty(SORT_KEYS, np.uint32)
        )
        self._lists = [device.empty(count, np.uint32) for _ in range(2)]
        self._wanted = device.empty(1 << (2 * count).bit_length(), np.uint64)
        self._keys = device.empty(count, np.uint64)
        self._hands = _Hands(places, chunk, self._order)

    def bid(self, bids: BidsThere, place: int, depth: int) -> None:
        """Bid from a place on that so many calls lead to."""
        session = self._places.session
        session.each(
            _FILE, "start_deals", DEFINES, self._chunk.count,
            [
                np.uint32(self._chunk.count), np.int32(place), np.uint32(depth),
                bids.place, bids.depth,
            ],
        )  # fmt: skip
        session.device.clear(bids.defaults, stream=session.work)
        self._to_the_end(_Kernel(_FILE, "bid_on", DEFINES, 256), bids)

    def list_auctions(self, bounds: DeviceArray) -> ListedThere:
        """List all auctions: how many of each deal, then what they are."""
        session, count = self._places.session, self._chunk.count
        device, zeros = session.device, session.zeros
        kernel = _Kernel(_LISTS_FILE, "list_on", LISTS_DEFINES, 128)
        walks = device.empty((count, rows.WALK.itemsize), np.uint8)
        levels = device.empty((count, rows.LEVELS * rows.LEVEL_BYTES), np.uint8)
        found, held, cut = zeros(count, np.uint64), zeros(count, np.uint64), zeros(count, np.uint8)
        before = [bounds, walks, levels, found, held, cut]
        self._start_walks(walks)
        self._to_the_end(kernel, [*before, *5 * [None]])
        sums = RunningSums(session, count)
        auctions, entries = sums.run(found), sums.run(held)
        out = [
            device.empty(auctions, np.int32), device.empty(auctions, np.uint8),
            device.empty(auctions, np.uint8), zeros(auctions + 1, np.int64),
            # what has no room at all would only be counted
            device.empty(max(1, entries), np.int32),
        ]  # fmt: skip
        self._start_walks(walks)
        _, left = self._on(kernel, [*before, *out], None, count)
        if left:
            raise DeviceFault(f"expected the places of all auctions, got {left} deals waiting")
        out[-1] = out[-1][:entries]
        first, cuts = session.download(found).view(np.int64), session.download(cut)
        return ListedThere(first, cuts, *(session.download(array) for array in out))

    def _start_walks(self, walks: DeviceArray) -> None:
        count = self._chunk.count
        self._places.session.each(
            _LISTS_FILE, "begin_walks", LISTS_DEFINES, count, [np.uint32(count), walks]
        )

    def _to_the_end(self, kernel: _Kernel, results: Sequence[Any]) -> None:
        """Launch a kernel until no deal waits for a place."""
        session = self._places.session
        waiting, count = None, self._chunk.count
        before: U64 = np.zeros(0, np.uint64)
        while count:
            found, count = self._on(kernel, results, waiting, count)
            waiting, self._lists = self._lists[0], self._lists[::-1]
            if count:
                keys = session.download(self._keys[:found])
                keys.sort()  # so that places have the same numbers every time
                if not found or np.isin(keys, before).any():
                    raise DeviceFault("expected deals to go on to a place that is there, got none")
                self._work_out(keys)
                before = keys

    def _on(
        self, kernel: _Kernel, results: Sequence[Any], waiting: DeviceArray | None, count: int
    ) -> tuple[int, int]:
        """Let deals go on; how many places are wanted, and how many deals wait for them."""
        places, session = self._places, self._places.session
        sides = self._get_sides()
        one_each: list[Any] = []
        for tables, side, words in zip(*self._hands.of(sides), strict=True):
            arrays = [tables.array(side, name) for name in ("entries", "tests")]
            one_each += [*arrays, words, np.uint32(tables.width)]
        session.device.clear(self._wanted, stream=session.work)
        counters = session.zeros(2, np.uint32)
        session.each(
            kernel.file, kernel.entry, kernel.defines, count,
            [
                *one_each, *places.arrays(self._get_store()), waiting, np.uint32(count),
                self._order, np.uint32(self._chunk.count), *results, self._wanted,
                np.uint32(self._wanted.size), self._keys, counters, self._lists[0],
            ],
            threads=kernel.threads,
        )  # fmt: skip
        found, left = session.download(counters).tolist()
        return found, left
