"""Counts on a device: windows of nodes outside, chunks of deals inside, one of several counters.

=========  ========================================================================================
lists      a warp takes a run of nodes and a block of deals; lists of deals, packed words in shared
           memory
frontier   level by level, all pairs (node, deal) at once
hybrid     as lists, but on bit columns: words of bits near the root, a deal a lane below
walk       a deal a thread, depth first
=========  ========================================================================================
"""

import logging
from abc import ABC, abstractmethod

import numpy as np

from bidcascade.bridge import OutOfDeviceMemory
from bidcascade.kernels.cuda_device import DeviceArray
from bidcascade.kernels.types import U32, U64

from .bits import ColumnBits
from .forest import Forest
from .nodes import DeviceWindow, device_windows, is_whole, node_records
from .session import FEWEST_DEALS, AnyDeals, Chunk, DealFeed, RunningSums, fitting, halving
from .tables import PackedDeals, PlanTables, thread_staging

_logger = logging.getLogger("bidcascade.kernels")

HYBRID_THREADS = 256
LIST_WARPS = 16
LIST_DEALS = 2048
LIST_SHARE = 0.65
"""Share of the shared memory that packed words may take; lists have the rest."""
MOST_COLUMNS = 1 << 25
"""Columns of a block of deals have 32-bit places: 128 words each."""
WAVES = 4
"""Blocks of threads for each that runs at once, so that none that takes long holds up the rest."""
TILE_TESTS = 1024
PAIR_BYTES = 8 + 8 + 8
"""A pair of this level and of the next, and the running sum of its tests."""
PAIRS_SHARE = 0.4
"""Share of the free memory that pairs may take."""
MOST_PAIRS = 1 << 28
"""Most pairs of a level, 6 GB of them; of more, the deals are halved."""
NODES_SHARE = 0.4
"""Share of the free memory that nodes may take; more of them come in windows."""
SPREAD_SHARE = 0.5
"""Share of the free memory that the counts of all entries may take."""


class Counter(ABC):
    """One way, for one window of nodes.

    Parameters
    ----------
    tables : PlanTables
    window : DeviceWindow
    deals : int
        How many deals there will be in all.
    """

    def __init__(self, tables: PlanTables, window: DeviceWindow, deals: int) -> None:
        self.tables, self.window, self.deals = tables, window, deals
        self.session = tables.session

    @property
    def bytes_per_deal(self) -> float:
        """Device memory that a deal of a chunk takes."""
        return PackedDeals.bytes_per_deal(self.tables)

    def bind(self, size: int) -> None:
        """Take what chunks of at most ``size`` deals need."""
        self.packed = PackedDeals(self.tables, size)

    @abstractmethod
    def count(self, chunk: Chunk, counts: DeviceArray) -> None:
        """Raise ``counts`` [nodes of the window] by how many of the chunk's deals reach each."""


def levels_define(levels: int) -> int:
    """Room for so many levels and two more; few different numbers, as each is compiled."""
    return -(-(levels + 2) // 8) * 8


def splits_for(blocks_at_once: int, shares: int, items: int) -> int:
    """Into how many parts a block of deals' items are split, so that the device is filled."""
    return max(1, min(items, -(-WAVES * blocks_at_once // shares)))


def words_a_lane(deals: int) -> int:
    """How many words of bits a lane keeps: blocks of 1,024, 2,048 or 4,096 deals."""
    return 4 if deals >= 1 << 16 else 2 if deals >= 1 << 13 else 1


def hybrid_defines(tables: PlanTables, lane_words: int) -> dict[str, int]:
    """Return the ``#define``s of ``counts_hybrid.cu``."""
    return {"WORDS_A_LANE": lane_words, "LEVELS": levels_define(tables.forest().levels)}


def compile_hybrid(tables: PlanTables, lane_words: int) -> None:
    """Compile what chunks with ``lane_words`` words a lane run, before they come."""
    device = tables.session.device
    device.kernel("columns.cu", "bit_columns", {"BLOCK_WORDS": 32 * lane_words})
    device.kernel("counts_hybrid.cu", "count_hybrid", hybrid_defines(tables, lane_words))


class HybridCounter(Counter):
    """Variant ``hybrid``: bit columns."""

    def __init__(self, tables: PlanTables, window: DeviceWindow, deals: int) -> None:
        super().__init__(tables, window, deals)
        self.words_a_lane = words_a_lane(deals)
        records = node_records(tables)
        self.sets = records.sets
        if len(self.sets.columns) >= MOST_COLUMNS:
            raise ValueError(
                f"expected fewer than {MOST_COLUMNS} distinct tests, got {len(self.sets.columns)}"
            )
        if "columns" not in tables.kept:
            # a set of no boxes has no span: an array of nothing is no argument
            spans = records.spans if len(records.spans) else np.zeros((1, 2), np.uint32)
            tests = self.sets.columns.box_columns
            tables.kept["columns"] = (
                self.session.upload(tests if len(tests) else np.zeros(1, np.uint32)),
                self.session.upload(spans),
            )
        self.tests, self.spans = tables.kept["columns"]
        self.defines = hybrid_defines(tables, self.words_a_lane)

    @property
    def bytes_per_deal(self) -> float:
        """Packed words and columns."""
        return super().bytes_per_deal + ColumnBits.bytes_per_deal(len(self.sets.columns))

    def bind(self, size: int) -> None:
        """Take room for packed words and columns."""
        super().bind(size)
        self.columns = ColumnBits(self.session, self.sets, 32 * self.words_a_lane, size)

    def count(self, chunk: Chunk, counts: DeviceArray) -> None:
        """Pack, columns, walk."""
        words = self.packed.fill(chunk)
        self.columns.fill(words, chunk.count, self.tables.words)
        deal_blocks = -(-chunk.count // (1024 * self.words_a_lane))
        at_once = self.session.device.limits.blocks_to_fill(HYBRID_THREADS)
        splits = splits_for(at_once, deal_blocks, self.window.items)
        self.session.launch(
            "counts_hybrid.cu", "count_hybrid", self.defines, deal_blocks * splits,
            HYBRID_THREADS,
            [
                self.columns.bits, np.uint32(len(self.sets.columns)), self.tests, self.spans,
                *self.window.item_arguments(), np.uint32(chunk.count), np.uint32(splits), counts,
            ],
        )  # fmt: skip


class ListCounter(Counter):
    """Variant ``lists``: packed words in shared memory, lists of deals."""

    @staticmethod
    def fits(tables: PlanTables) -> bool:
        """Whether the words of a warp's deals fit the shared memory."""
        return 32 * 32 * tables.words <= tables.session.device.limits.shared_bytes - 64

    def __init__(self, tables: PlanTables, window: DeviceWindow, deals: int) -> None:
        super().__init__(tables, window, deals)
        limits = self.session.device.limits
        room = limits.shared_bytes - 64  # a few bytes are the kernel's own
        per_deal = 32 * tables.words
        self.block_deals = LIST_DEALS
        while self.block_deals > 32 and self.block_deals * per_deal > room * LIST_SHARE:
            self.block_deals //= 2
        self.list_room = max(0, room - self.block_deals * per_deal) // (2 * LIST_WARPS) // 8 * 8
        self.list_room = min(self.list_room, 4 * self.block_deals)
        self.shared_bytes = self.block_deals * per_deal + 2 * LIST_WARPS * self.list_room
        self.levels = levels_define(tables.forest().levels)
        self.at_once = limits.blocks_to_fill(32 * LIST_WARPS, self.shared_bytes)
        self.defines = tables.defines | {
            "DEALS_A_BLOCK": self.block_deals, "LIST_PLACES": self.list_room, "LEVELS": self.levels,
        }  # fmt: skip

    def bind(self, size: int) -> None:
        """Take room for packed words, and for lists that shared memory does not hold."""
        super().bind(size)
        self.spill = self.session.device.empty(
            self.at_once * LIST_WARPS * self.levels * self.block_deals, np.uint16
        )

    def count(self, chunk: Chunk, counts: DeviceArray) -> None:
        """Pack, walk."""
        words = self.packed.fill(chunk)
        deal_blocks = -(-chunk.count // self.block_deals)
        splits = splits_for(self.at_once, deal_blocks, self.window.items)
        self.session.launch(
            "counts_lists.cu", "count_lists", self.defines,
            min(self.at_once, deal_blocks * splits), 32 * LIST_WARPS,
            [
                words, *self.tables.boxes(), *self.window.item_arguments(),
                np.uint32(chunk.count), np.uint32(splits), self.spill, counts,
            ],
            shared_bytes=self.shared_bytes,
        )  # fmt: skip


class WalkCounter(Counter):
    """Variant ``walk``: a deal a thread."""

    def __init__(self, tables: PlanTables, window: DeviceWindow, deals: int) -> None:
        super().__init__(tables, window, deals)
        self.threads, self.shared_bytes = thread_staging(
            self.session.device.limits.shared_bytes, tables.words
        )

    def count(self, chunk: Chunk, counts: DeviceArray) -> None:
        """Pack, walk."""
        words = self.packed.fill(chunk)
        self.session.each(
            "walk.cu", "count_walk", self.tables.defines, chunk.count,
            [
                words, np.uint32(chunk.count), np.uint32(self.shared_bytes > 0),
                *self.tables.boxes(), self.window.nodes,
                np.uint32(self.window.window.nodes), counts,
            ],
            threads=self.threads, shared_bytes=self.shared_bytes,
        )  # fmt: skip


def children_of(forest: Forest) -> tuple[U32, U32]:
    """Children of each node, in order, as CSR; the last row is of what is above all."""
    counts = np.bincount(forest.parent, minlength=len(forest) + 1)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32)
    return offsets, np.argsort(forest.parent, kind="stable").astype(np.uint32)


class FrontierCounter(Counter):
    """Variant ``frontier``; the window must hold all nodes."""

    def __init__(self, tables: PlanTables, window: DeviceWindow, deals: int) -> None:
        super().__init__(tables, window, deals)
        if "children" not in tables.kept:
            tables.kept["children"] = tuple(map(self.session.upload, children_of(tables.forest())))
        self.child_offsets, self.children = tables.kept["children"]
        self.nodes = window.window.nodes

    def bind(self, size: int) -> None:
        """Take room for packed words and as many pairs as a share of the memory holds."""
        super().bind(size)
        room = int(self.session.memory() * PAIRS_SHARE / PAIR_BYTES)
        self.room = max(size, min(room, MOST_PAIRS))
        while True:
            try:
                self._take_pairs()
                return
            except OutOfDeviceMemory as error:
                if self.room <= size:
                    raise
                self.room = max(size, self.room // 2)
                _logger.warning("places for %d pairs from now on: %s", self.room, str(error))
            self.session.device.release()

    def _take_pairs(self) -> None:
        device = self.session.device
        self.levels = [
            (device.empty(self.room, np.uint32), device.empty(self.room, np.uint32))
            for _ in range(2)
        ]
        self.starts = device.empty(self.room, np.uint64)
        self.sums = RunningSums(self.session, self.room)
        self.found = device.empty(1, np.uint64)
        self.chunk_counts = device.empty(self.nodes, np.uint64)

    def count(self, chunk: Chunk, counts: DeviceArray) -> None:
        """Expand level by level; halves a chunk whose pairs do not fit."""
        if self._count_whole(chunk):
            self.session.each(
                "entries.cu", "add_counts", {}, self.nodes,
                [self.chunk_counts, np.uint64(self.nodes), counts],
            )  # fmt: skip
            return
        if chunk.count <= FEWEST_DEALS:
            raise OutOfDeviceMemory(
                f"expected the pairs of {chunk.count} deals within {self.room} places"
            )
        middle = max(FEWEST_DEALS, chunk.count // 2 // FEWEST_DEALS * FEWEST_DEALS)
        _logger.info("%d deals at once: pairs do not fit %d places", middle, self.room)
        self.count(chunk.part(0, middle), counts)
        self.count(chunk.part(middle, chunk.count), counts)

    def _count_whole(self, chunk: Chunk) -> bool:
        session, tables, defines = self.session, self.tables, self.tables.defines
        words = self.packed.fill(chunk)
        session.device.clear(self.chunk_counts, stream=session.work)
        this, other = self.levels
        session.each(
            "counts_frontier.cu", "frontier_start", defines, chunk.count,
            [np.uint32(self.nodes), np.uint32(chunk.count), *this],
        )  # fmt: skip
        pairs = chunk.count
        while pairs:
            starts = self.starts[:pairs]
            session.each(
                "counts_frontier.cu", "frontier_sizes", defines, pairs,
                [this[0], np.uint64(pairs), self.child_offsets, starts],
            )  # fmt: skip
            tests = self.sums.run(starts)
            session.device.clear(self.found, stream=session.work)
            session.launch(
                "counts_frontier.cu", "frontier_expand", defines, -(-tests // TILE_TESTS), 256,
                [
                    *this, np.uint64(pairs), starts, np.uint64(tests), self.child_offsets,
                    self.children, self.window.nodes, words, np.uint32(chunk.count),
                    *tables.boxes(), *other, np.uint64(self.room), self.found,
                    self.chunk_counts,
                ],
            )  # fmt: skip
            pairs = int(session.download(self.found)[0])
            if pairs > self.room:
                return False
            this, other = other, this
        return True


VARIANTS: dict[str, type[Counter]] = {
    "lists": ListCounter,
    "frontier": FrontierCounter,
    "hybrid": HybridCounter,
    "walk": WalkCounter,
}
DEFAULT_VARIANT = "hybrid"
_NEED_ALL_NODES = ("frontier", "walk")


def node_room(tables: PlanTables, node_bytes: int | None) -> int:
    """Bytes that nodes may take: ``node_bytes``, or a share of what is free."""
    return int(tables.session.memory() * NODES_SHARE) if node_bytes is None else node_bytes


def count_entries(
    tables: PlanTables, deals: AnyDeals, variant: str, most_deals: int, *,
    node_bytes: int | None = None,
) -> U64:  # fmt: skip
    """Per entry, how many deals reach it (uint64 [entries]).

    Parameters
    ----------
    variant : str
        One of ``VARIANTS``.
    node_bytes : int, optional
        Device memory that nodes may take; a share of what is free by default.
    """
    session, entries = tables.session, tables.plan.node_count
    with session.working():
        found = count_nodes(tables, deals, variant, most_deals, node_bytes)
        if isinstance(found, np.ndarray):
            return _spread_on_host(tables, found, len(deals))
        out = np.empty(entries, np.uint64)
        step = max(1, min(entries, int(session.memory() * SPREAD_SHARE / 12)))
        spread = session.device.empty(step, np.uint64)
        for start in range(0, entries, step):
            stop = min(start + step, entries)
            part = spread[: stop - start]
            _spread(tables, found, len(deals), start, part)
            session.device.copy_out(out[start:stop], part, stream=session.work)
            session.wait()
        return out


def count_entries_on_device(
    tables: PlanTables, deals: AnyDeals, variant: str, most_deals: int, *, node_bytes: int | None
) -> DeviceArray:
    """Return counts that stay on the device; otherwise as :func:`count_entries`."""
    session = tables.session
    with session.working():
        found = count_nodes(tables, deals, variant, most_deals, node_bytes)
        if isinstance(found, np.ndarray):
            return session.upload(_spread_on_host(tables, found, len(deals)))
        out = session.device.empty(tables.plan.node_count, np.uint64)
        _spread(tables, found, len(deals), 0, out)
        return out


def count_nodes(
    tables: PlanTables, deals: AnyDeals, variant: str, most_deals: int, node_bytes: int | None
) -> "U64 | DeviceArray":
    """Count at the forest's nodes: on the device, or on the host if nodes came in windows."""
    session, forest = tables.session, tables.forest()
    if not len(forest) or not len(deals):
        return np.zeros(len(forest), np.uint64)
    room = node_room(tables, node_bytes)
    whole = is_whole(tables, room)
    if variant in _NEED_ALL_NODES and not whole:
        _logger.info("%d nodes do not fit at once: hybrid, not %s", len(forest), variant)
        variant = "hybrid"
    if variant == "lists" and not ListCounter.fits(tables):
        _logger.info("hands of %d words: hybrid, not lists", tables.words)
        variant = "hybrid"
    counts = np.empty(0 if whole else len(forest), np.uint64)
    for window in device_windows(tables, room):
        found = _count_window(tables, deals, VARIANTS[variant], window, most_deals)
        if whole:
            return found
        place = window.window
        counts[place.first_node : place.end_node] = session.download(found)
    return counts


def _count_window(
    tables: PlanTables, deals: AnyDeals, kind: type[Counter], window: DeviceWindow, most_deals: int
) -> DeviceArray:
    session = tables.session

    def run(size: int) -> DeviceArray:
        counter = kind(tables, window, len(deals))
        counts = session.zeros(window.window.nodes, np.uint64)
        feed = DealFeed(session, deals, size)
        counter.bind(feed.size)
        try:
            for chunk in feed:
                counter.count(chunk, counts)
        finally:
            session.wait()  # what the counter holds is free from here on
        return counts

    per_deal = DealFeed.bytes_per_deal(deals) + kind(tables, window, len(deals)).bytes_per_deal
    found: DeviceArray = halving(session, fitting(session, per_deal, most_deals, len(deals)), run)
    return found


def _spread_on_host(tables: PlanTables, counts: U64, deals: int) -> U64:
    # all deals and none stand behind the nodes, as representatives name them
    table = np.append(counts, np.array([deals, 0], np.uint64))
    spread: U64 = table[tables.forest().representative]
    return spread


def _spread(
    tables: PlanTables, counts: DeviceArray, deals: int, start: int, out: DeviceArray
) -> None:
    """Fill ``out`` with the counts of entries from ``start`` on, of the nodes they hold with."""
    session, forest = tables.session, tables.forest()
    if out.size == len(forest.representative):
        representative = representatives(tables)
    else:
        representative = session.upload(forest.representative[start : start + out.size])
    session.each(
        "entries.cu", "spread_counts", {}, out.size,
        [
            representative, np.uint64(out.size), counts, np.uint32(len(forest)),
            np.uint64(deals), out,
        ],
    )  # fmt: skip


def representatives(tables: PlanTables) -> DeviceArray:
    """Return the node that each entry holds with, on the device; it stays there."""
    if "representative" not in tables.kept:
        tables.kept["representative"] = tables.session.upload(tables.forest().representative)
    array: DeviceArray = tables.kept["representative"]
    return array
