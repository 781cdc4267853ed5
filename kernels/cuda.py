"""The ``cuda`` backend: CUDA kernels through CuPy, deals in chunks that fit the device.

:class:`CudaBackend` works on any device, :func:`backend_here` on the one that
``BIDCASCADE_CUDA_DEVICE`` names (0 by default). Short memory halves the chunks, and says so in the
log; a fault of the device is a :class:`~bidcascade.bridge.DeviceFault`, never a part of an answer.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from bidcascade.bridge import BackendUnavailable

from .cuda_device import Device, DeviceArray, cupy_device, default_device_number, why_no_device
from .dealing import check_range, mixed
from .device_frames import DeviceDeals, uploaded
from .gpu.session import Session
from .gpu.systems.systems import DevicePlaces
from .gpu.tables import bits, counts, first, lists
from .gpu.tables.tables import PlanTables
from .plan import Plan
from .results import BitColumns, DealArrays, EntryLists, FirstAuctions
from .types import U64

_LEAST_CHUNK = 1 << 18
"""A run of more deals is cut in four, so that copies run beside kernels; but not below this."""
_DEALING_THREADS = 128


class CudaBackend:
    """The backend on one device.

    Parameters
    ----------
    device : Device
    most_deals : int, optional
        Most deals in a chunk.
    node_bytes : int, optional
        Device memory that the nodes of a table may take; a share of what is free by default. A
        table that needs more comes in windows and stays on the host.
    """

    NAME = "cuda"
    BLOCK_DEALS = 1 << 20
    """Most deals that are worked on at once."""

    def __init__(
        self,
        device: Device,
        *,
        most_deals: int | None = None,
        node_bytes: int | None = None,
        most_entries: int | None = None,
    ) -> None:
        self.session = Session(device)
        self.node_bytes = node_bytes
        self._most_deals, self._most_entries = most_deals, most_entries
        self._places: WeakKeyDictionary[Any, DevicePlaces] = WeakKeyDictionary()

    def tables(self, plan: Plan) -> PlanTables:
        """Return the plan's tables on this device; they live as long as the plan."""
        key = f"{self.NAME} {id(self.session)}"
        with self.session.device.lock():
            cached = plan.cache.get(key)
            # a number of an object comes again when the object is gone
            if not isinstance(cached, PlanTables) or cached.session is not self.session:
                cached = PlanTables(self.session, plan)
                plan.cache[key] = cached
            return cached

    def _chunk(self, deals: DealArrays | DeviceDeals) -> int:
        most = self._most_deals or self.BLOCK_DEALS
        if isinstance(deals, DealArrays):
            # while one part is worked on the next one comes
            most = min(most, max(_LEAST_CHUNK, -(-len(deals) // 4)))
        return max(64, most // 64 * 64)

    def _node_room(self, plan: Plan) -> int:
        return counts.node_room(self.tables(plan), self.node_bytes)

    def features(self, plan: Plan, deals: DealArrays) -> U64:
        return bits.features(self.tables(plan), deals, self._chunk(deals))

    def evaluate(
        self, plan: Plan, deals: DealArrays, expressions: Sequence[int] | None = None
    ) -> BitColumns:
        return bits.evaluate(self.tables(plan), deals, expressions, self._chunk(deals))

    def evaluate_on_device(
        self, plan: Plan, deals: DealArrays | DeviceDeals, expressions: Sequence[int] | None = None
    ) -> DeviceArray:
        """Bit columns that stay on the device, uint32 [expressions, 4, words].

        Words are LSB first and padded with zeros to whole 64 bits, as in :class:`BitColumns`.
        """
        return bits.evaluate_on_device(self.tables(plan), deals, expressions, self._chunk(deals))

    def cascade_counts(self, plan: Plan, deals: DealArrays | DeviceDeals) -> U64:
        return counts.count_entries(
            self.tables(plan), deals, self._chunk(deals), node_bytes=self.node_bytes
        )

    def cascade_all(
        self,
        plan: Plan,
        deals: DealArrays | DeviceDeals,
        *,
        completed_only: bool = False,
        max_depth: int | None = None,
        limit: int | None = None,
    ) -> Iterator[EntryLists]:
        options = lists.ListOptions(completed_only, max_depth, limit)
        most = self._most_entries or lists.MOST_ENTRIES
        return lists.entry_lists(
            self.tables(plan),
            deals,
            options,
            self._chunk(deals),
            node_bytes=self._node_room(plan),
            most_entries=most,
        )

    def cascade_first(self, plan: Plan, deals: DealArrays | DeviceDeals) -> FirstAuctions:
        return first.first_auctions(
            self.tables(plan), deals, self._chunk(deals), node_bytes=self._node_room(plan)
        )

    def members(
        self, plan: Plan, deals: DealArrays | DeviceDeals, entries: Sequence[int]
    ) -> BitColumns:
        return bits.members(self.tables(plan), deals, entries, self._chunk(deals))

    def counts_on_device(self, plan: Plan, deals: DealArrays | DeviceDeals) -> DeviceArray:
        """Return counts that stay on the device, uint64 [nodes]."""
        return counts.count_entries_on_device(
            self.tables(plan), deals, self._chunk(deals), node_bytes=self.node_bytes
        )

    def lists_on_device(
        self,
        plan: Plan,
        deals: DealArrays | DeviceDeals,
        *,
        completed_only: bool = False,
        max_depth: int | None = None,
        limit: int | None = None,
    ) -> Iterator[lists.DeviceLists]:
        """Entry lists that stay on the device; otherwise as :meth:`cascade_all`."""
        options = lists.ListOptions(completed_only, max_depth, limit)
        return lists.entry_lists_on_device(
            self.tables(plan),
            deals,
            options,
            self._chunk(deals),
            node_bytes=self._node_room(plan),
            most_entries=self._most_entries or lists.MOST_ENTRIES,
        )

    def first_on_device(
        self, plan: Plan, deals: DealArrays | DeviceDeals
    ) -> tuple[DeviceArray, DeviceArray, DeviceArray]:
        """Entry (uint32), passes (uint8) and defaults (uint16) of each deal, on the device."""
        return first.first_auctions_on_device(
            self.tables(plan), deals, self._chunk(deals), node_bytes=self._node_room(plan)
        )

    def places_of(self, store: Any) -> DevicePlaces:
        """Return the places of a store of systems on this device; they live as long as it does."""
        with self.session.device.lock():
            if store not in self._places:
                most = self._most_deals or self.BLOCK_DEALS
                self._places[store] = DevicePlaces(self.session, most)
            return self._places[store]

    def bring(self, deals: DealArrays) -> DeviceDeals:
        """Copy deals to the device, for several operations on them."""
        session = self.session
        return session.with_room("deals", lambda: uploaded(session.device, deals))

    def deal_hands(self, seed: int, first: int, count: int) -> U64:
        """Deal the deals ``first`` to ``first + count - 1`` of a seed; see ``dealing``."""
        check_range(seed, first, count)
        hands = np.empty((4, count), np.uint64)
        most = self._most_deals or self.BLOCK_DEALS
        for start in range(0, count, most):
            size = min(most, count - start)
            with self.session.working():
                dealt = self.deal_hands_on_device(seed, first + start, size)
                hands[:, start : start + size] = self.session.download(dealt)
        return hands

    def deal_hands_on_device(self, seed: int, first: int, count: int) -> DeviceArray:
        """Deal hands that stay on the device, uint64 [4, count]."""
        check_range(seed, first, count)
        session = self.session
        with session.working():
            hands = session.device.empty((4, count), np.uint64)
            session.each(
                "dealing.cu",
                "deal_hands",
                {},
                count,
                [np.uint64(mixed(seed)), np.uint64(first), np.uint64(count), hands],
                threads=_DEALING_THREADS,
            )
        return hands

    def warm_up(self, plan: Plan) -> None:
        """Compile and bring what a plan's first answers need."""
        hands = np.array([[0x1FFF << 13 * suit] for suit in range(4)], np.uint64)
        zero = np.zeros(1, np.uint8)
        deals = DealArrays(hands, zero, zero)
        self.cascade_counts(plan, deals)
        self.cascade_first(plan, deals)
        list(self.cascade_all(plan, deals))
        if plan.expressions:
            self.evaluate(plan, deals)
        if plan.node_count:
            self.members(plan, deals, [0])
        # what only larger chunks run: two deals for lists, and the larger blocks of bit columns
        two = DealArrays(np.repeat(hands, 2, axis=1), np.zeros(2, np.uint8), np.zeros(2, np.uint8))
        list(self.cascade_all(plan, two))
        tables = self.tables(plan)
        with self.session.device.lock():
            for lane_words in (2, 4):
                counts.compile_counts(tables, lane_words)


@cache
def _on(number: int) -> CudaBackend:
    return CudaBackend(cupy_device(number))


def backend_here() -> CudaBackend:
    """Return the backend on the device that ``BIDCASCADE_CUDA_DEVICE`` names, always the same one.

    Raises
    ------
    BackendUnavailable
        If there is no device.
    """
    return _on(default_device_number())


def why_unavailable() -> str | None:
    """Say why there is nothing to run on, or ``None``; a device that failed is none any more."""
    reason = why_no_device()
    if reason is not None:
        return reason
    try:
        return cupy_device(default_device_number()).failure
    except BackendUnavailable as error:
        return str(error)
