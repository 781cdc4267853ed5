"""Entry lists on a device: how many first, then the entries themselves where they belong.

Two passes, so no place is ever short: totals of a chunk of deals, and from them where each deal's
entries start. Entries leave while the next chunk is written.
"""

import contextlib
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from bidcascade.bridge import DeviceFault, OutOfDeviceMemory
from bidcascade.kernels.cuda_device import DeviceArray, Event, KernelArgument
from bidcascade.kernels.gpu.session import (
    FEWEST_DEALS,
    AnyDeals,
    Chunk,
    DealFeed,
    RunningSums,
    Session,
    fitting,
)
from bidcascade.kernels.results import EntryLists
from bidcascade.kernels.types import U64

from .counts import count_nodes, representatives
from .forest import Forest
from .node_windows import RECORD_BYTES
from .tables import PackedDeals, PlanTables, thread_staging

_logger = logging.getLogger("bidcascade.kernels")

MOST_ENTRIES = 1 << 26
"""Most entries of a chunk of lists: 256 MB. One leaves while the next is written: 512 MB."""
ENTRIES_SHARE = 0.25
"""Share of the free memory that entries may take."""
MOST_LISTED = 1 << 26
"""Most entries of a table that are looked at for a single deal."""


@dataclass(frozen=True, slots=True)
class ListOptions:
    """What is listed; see ``Backend.cascade_all``."""

    completed_only: bool
    max_depth: int | None
    limit: int | None


@dataclass(frozen=True, slots=True)
class _Window:
    """Nodes and listed entries on the device; ``end_node`` is behind the last."""

    nodes: DeviceArray
    first_node: int
    end_node: int
    is_last: bool
    listed: DeviceArray
    first_listed: int


class ListWalker:
    """Walks chunks of deals over a forest's nodes, window by window."""

    def __init__(
        self, tables: PlanTables, options: ListOptions, size: int, node_bytes: int
    ) -> None:
        self.tables, self.options = tables, options
        self.session = tables.session
        self.forest = tables.forest(
            completed_only=options.completed_only, max_depth=options.max_depth
        )
        self.packed = PackedDeals(tables, size)
        device = self.session.device
        self.position = device.empty(size, np.uint32)
        self.behind = device.empty(size, np.uint32)
        self.totals = device.empty(size, np.uint64)
        self.ends = device.empty(size, np.uint64)
        self.threads, self.shared_bytes = thread_staging(device.limits.shared_bytes, tables.words)
        self._key = ("lists", options.completed_only, options.max_depth)
        self._bounds = (
            [(0, len(self.forest))]
            if self._key in tables.cached
            else _window_bounds(self.forest, node_bytes)
        )

    @staticmethod
    def bytes_per_deal(tables: PlanTables) -> int:
        """Device memory that a deal of a chunk takes."""
        return PackedDeals.bytes_per_deal(tables) + 24

    def _windows(self) -> Iterator[_Window]:
        key, cached = self._key, self.tables.cached
        if len(self._bounds) == 1:
            if key not in cached:
                cached[key] = self._window(*self._bounds[0])
            yield cached[key]
            return
        for bounds in self._bounds:
            yield self._window(*bounds)
            self.session.wait()  # the next window may take the place of this one

    def _window(self, first: int, end: int) -> _Window:
        forest, session = self.forest, self.session
        records = np.empty((max(1, end - first), 4), np.uint32)
        for column, values in enumerate(
            (forest.test, forest.fail, forest.listed_from, forest.listed_behind)
        ):
            records[: end - first, column] = values[first:end]
        is_last = end == len(forest)
        # entries between the node before the window and its first are listed with that one
        from_entry = int(forest.listed_from[first - 1]) if first else 0
        to_entry = len(forest.listed) if is_last else int(forest.listed_from[end])
        listed = forest.listed[from_entry : max(to_entry, from_entry + 1)]
        return _Window(
            session.upload(records),
            first,
            end,
            is_last,
            session.upload(listed if len(listed) else np.zeros(1, np.uint32)),
            from_entry,
        )

    def _start(self, count: int) -> None:
        for array in (self.position, self.behind):
            self.session.device.clear(array[:count], stream=self.session.work)

    def _node_arguments(
        self, words: DeviceArray, count: int, window: _Window
    ) -> list[KernelArgument]:
        return [
            words, np.uint32(count), np.uint32(self.shared_bytes > 0), self.packed.order,
            *self.tables.boxes(), window.nodes,
            np.uint32(window.first_node), np.uint32(window.end_node), np.uint32(window.is_last),
            np.uint32(len(self.forest.listed)),
        ]  # fmt: skip

    def count(self, chunk: Chunk) -> U64:
        """How many entries each deal of a chunk reaches; waits."""
        count = chunk.count
        words = self.packed.fill(chunk)
        self._start(count)
        self.session.device.clear(self.totals[:count], stream=self.session.work)
        for window in self._windows():
            self._launch(
                "list_totals",
                count,
                [
                    *self._node_arguments(words, count, window),
                    self.position,
                    self.behind,
                    self.totals,
                ],
            )
        return self.session.download(self.totals[:count])

    def write(self, chunk: Chunk, offsets: U64, entries: DeviceArray, *, packed: bool) -> None:
        """Write the entries of a chunk to where ``offsets`` [deals + 1] say.

        ``packed`` tells that the chunk is the one that was counted last.
        """
        count = chunk.count
        words = self.packed.words[: 4 * self.tables.words * count]
        if not packed:
            words = self.packed.fill(chunk)
        self._start(count)
        next_place, ends = self.totals[:count], self.ends[:count]
        device, work = self.session.device, self.session.work
        device.copy_in(next_place, offsets[:-1].copy(), stream=work)
        device.copy_in(ends, offsets[1:].copy(), stream=work)
        for window in self._windows():
            self._launch(
                "list_entries", count,
                [
                    *self._node_arguments(words, count, window), window.listed,
                    np.uint32(window.first_listed), self.position, self.behind, next_place, ends,
                    entries,
                ],
            )  # fmt: skip

    def _launch(self, entry: str, count: int, arguments: Sequence[KernelArgument]) -> None:
        self.session.each(
            "lists.cu",
            entry,
            self.tables.defines,
            count,
            arguments,
            threads=self.threads,
            shared_bytes=self.shared_bytes,
        )


def _window_bounds(forest: Forest, node_bytes: int) -> list[tuple[int, int]]:
    """First node and end of windows whose nodes and entries fit; a single one if all do."""
    count = len(forest)
    if count * RECORD_BYTES + 4 * len(forest.listed) <= node_bytes:
        return [(0, count)]
    # bytes up to each node: its record, and the entries listed when a walk comes to it
    ends = np.arange(1, count + 1) * RECORD_BYTES + 4 * forest.listed_from.astype(np.int64)
    bounds, first = [], 0
    while first < count:
        before = int(ends[first - 1]) if first else 0
        end = max(first + 1, int(np.searchsorted(ends, before + node_bytes, side="right")))
        bounds.append((first, end))
        first = end
    return bounds or [(0, 0)]


@dataclass(frozen=True, slots=True)
class _Written:
    """A chunk of lists on the device, there when ``written`` is reached."""

    first_deal: int
    offsets: U64
    totals: U64
    entries: DeviceArray
    written: Event


@dataclass(frozen=True, slots=True)
class DeviceLists:
    """Entry lists that stay on the device; see :class:`~bidcascade.kernels.EntryLists`.

    Parameters
    ----------
    first_deal, deals : int
        Number of the chunk's first deal, and how many it has.
    offsets : uint64 [deals + 1] on the device
    entries : uint32 on the device
    totals : uint64 [deals] on the device
    """

    first_deal: int
    deals: int
    offsets: DeviceArray
    entries: DeviceArray
    totals: DeviceArray


def entry_lists(
    tables: PlanTables,
    deals: AnyDeals,
    options: ListOptions,
    most_deals: int,
    *,
    node_bytes: int,
    most_entries: int = MOST_ENTRIES,
) -> Iterator[EntryLists]:
    """Entry lists in chunks of deals, of at most ``most_entries`` where a chunk has several deals.

    Deals a chunk and entries a chunk are halved when the memory is short.
    """
    return _chunks(tables, deals, options, most_deals, most_entries, node_bytes, _to_host)


def entry_lists_on_device(
    tables: PlanTables,
    deals: AnyDeals,
    options: ListOptions,
    most_deals: int,
    *,
    node_bytes: int,
    most_entries: int = MOST_ENTRIES,
) -> Iterator[DeviceLists]:
    """Entry lists that stay on the device; otherwise as :func:`entry_lists`."""
    return _chunks(tables, deals, options, most_deals, most_entries, node_bytes, _as_they_are)


def _to_host(session: Session, lists: _Written) -> EntryLists:
    device, way = session.device, session.ways_out[0]
    lent = session.lender.take(lists.entries.size, np.uint32)
    here = way.arrays([(lists.entries.size, np.uint32)])[0] if lent is None else lent
    device.wait(way.stream, lists.written)
    device.copy_out(here, lists.entries, stream=way.stream)
    device.synchronize(way.stream)
    # whoever gets them may keep them, the buffer of a way is for the next ones
    entries = here.copy() if lent is None else lent
    return EntryLists(lists.first_deal, lists.offsets, entries, lists.totals)


def _as_they_are(session: Session, lists: _Written) -> DeviceLists:
    offsets, totals = session.upload(lists.offsets), session.upload(lists.totals)
    session.wait()
    return DeviceLists(lists.first_deal, len(lists.totals), offsets, lists.entries, totals)


_Lists = TypeVar("_Lists", EntryLists, DeviceLists)


def _chunks(
    tables: PlanTables,
    deals: AnyDeals,
    options: ListOptions,
    most_deals: int,
    most_entries: int,
    node_bytes: int,
    arrive: Callable[[Session, _Written], _Lists],
) -> Iterator[_Lists]:
    session = tables.session
    per_deal = DealFeed.bytes_per_deal(deals) + ListWalker.bytes_per_deal(tables)
    size = fitting(session, per_deal, most_deals, len(deals))
    room = max(1, min(most_entries, int(session.memory() * ENTRIES_SHARE) // 8))
    start = 0
    while start < len(deals):
        try:
            lister = _Lister(tables, deals, options, size, room, node_bytes)
            for written in lister.run(start):
                with session.device.lock():
                    lists = arrive(session, written)
                start = written.first_deal + len(written.totals)
                del written  # its memory is for the next but one
                yield lists
            return
        except OutOfDeviceMemory as error:
            if size <= FEWEST_DEALS and room <= 1:
                raise
            size = max(FEWEST_DEALS, size // 2 // FEWEST_DEALS * FEWEST_DEALS)
            room = max(1, room // 2)
            # as in halving: copies first, and no error in the log's hands
            session.wait_for_all()
            _logger.warning(
                "chunks of %d deals and %d entries from now on: %s", size, room, str(error)
            )
        # outside the handler, which holds on to what did not fit
        session.make_room()


class _Lister:
    """Lists chunk after chunk; gives one when the next is being written."""

    def __init__(
        self,
        tables: PlanTables,
        deals: AnyDeals,
        options: ListOptions,
        size: int,
        room: int,
        node_bytes: int,
    ) -> None:
        self.tables, self.deals, self.options = tables, deals, options
        self.size, self.room, self.node_bytes = size, room, node_bytes
        self.session = tables.session

    def run(self, start: int) -> Iterator[_Written]:
        """List the deals from ``start`` on; locks the device while it works only."""
        device = self.session.device
        waiting: _Written | None = None
        try:
            if len(self.deals) == 1:
                with device.lock():
                    waiting = self._single()
                    # what it used may be another caller's from here on
                    self.session.wait()
                if waiting is not None:
                    yield waiting
                    return
            with device.lock():
                feed = DealFeed(self.session, self.deals, self.size, start=start)
                walker = ListWalker(self.tables, self.options, feed.size, self.node_bytes)
            chunks = iter(feed)
            while True:
                with device.lock():
                    chunk = next(chunks, None)
                    totals = walker.count(chunk) if chunk is not None else None
                if chunk is None or totals is None:
                    break
                for first, stop in _parts(self._listed(totals), self.room):
                    with device.lock():
                        written = self._write(walker, chunk, totals, first, stop)
                    if waiting is not None:
                        yield waiting
                    waiting = written
            if waiting is not None:
                yield waiting
        finally:
            # what the walker holds may be taken for something else from here on
            with device.lock(), contextlib.suppress(DeviceFault, OutOfDeviceMemory):
                self.session.wait_for_all()

    def _listed(self, totals: U64) -> U64:
        limit = self.options.limit
        return totals if limit is None else np.minimum(totals, np.uint64(limit))

    def _single(self) -> _Written | None:
        """List the only deal there is, if that can be done with many threads."""
        options, tables = self.options, self.tables
        forest = tables.forest(completed_only=options.completed_only, max_depth=options.max_depth)
        key = (options.completed_only, options.max_depth)
        try:
            found = _list_one(tables, self.deals, forest, key, options.limit)
        except OutOfDeviceMemory:
            found = None  # the other way needs less
            self.session.wait_for_all()
        if found is None:
            return None
        entries, total = found
        offsets, totals = np.array([0, entries.size], np.uint64), np.array([total], np.uint64)
        return self._written(0, offsets, totals, entries)

    def _write(
        self, walker: ListWalker, chunk: Chunk, totals: U64, first: int, stop: int
    ) -> _Written:
        part = chunk.part(first, stop)
        offsets = np.zeros(part.count + 1, np.uint64)
        np.cumsum(self._listed(totals[first:stop]), out=offsets[1:])
        size = int(offsets[-1])
        entries = self.session.device.empty(size, np.uint32)
        if size:
            walker.write(part, offsets, entries, packed=part.count == chunk.count)
        return self._written(part.start, offsets, totals[first:stop], entries)

    def _written(
        self, first_deal: int, offsets: U64, totals: U64, entries: DeviceArray
    ) -> _Written:
        event = self.session.device.record(self.session.work)
        return _Written(first_deal, offsets, totals, entries, event)


def _list_one(
    tables: PlanTables, deals: AnyDeals, listed: Forest, key: tuple[object, ...], limit: int | None
) -> tuple[DeviceArray, int] | None:
    """List what the only deal reaches, and how much; None if the table is too large for that."""
    # a deal a thread is the way for many deals; one would be a single thread's walk: here every
    # warp walks a run of nodes, as when counting, and the counts, 0 or 1, say which entries hold
    session, count = tables.session, len(listed.listed)
    if not 0 < count <= MOST_LISTED or not len(tables.forest()):
        return None
    counts = count_nodes(tables, deals, 64, None)
    if isinstance(counts, np.ndarray):
        return None
    one_key = ("one", *key)
    if one_key not in tables.cached:
        tables.cached[one_key] = session.upload(listed.listed)
    arguments = [
        tables.cached[one_key],
        np.uint32(count),
        representatives(tables),
        counts,
        np.uint32(len(tables.forest())),
    ]
    marks = session.device.empty(count, np.uint64)
    session.each("entries.cu", "mark_listed", {}, count, [*arguments, marks])
    total = RunningSums(session, count).run(marks)
    size = total if limit is None else min(total, limit)
    entries = session.device.empty(size, np.uint32)
    if size:
        session.each(
            "entries.cu", "write_listed", {}, count, [*arguments, marks, np.uint64(size), entries]
        )
    return entries, total


def _parts(listed: U64, room: int) -> Iterator[tuple[int, int]]:
    """Cut into runs of deals with at most ``room`` entries, or of one deal."""
    ends = np.cumsum(listed, dtype=np.uint64)
    first = 0
    while first < len(listed):
        before = int(ends[first - 1]) if first else 0
        stop = int(np.searchsorted(ends, np.uint64(before + room), side="right"))
        stop = max(stop, first + 1)
        yield first, stop
        first = stop
