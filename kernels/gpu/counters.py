"""The ways to count: each takes a window of nodes, then chunks of deals.

=========  ========================================================================================
lists      a warp takes a run of nodes and a block of deals; lists of deals, packed words in shared
           memory
frontier   level by level, all pairs (node, deal) at once (see ``frontier``)
hybrid     as lists, but on bit columns: words of bits near the root, a deal a lane below
walk       a deal a thread, depth first
=========  ========================================================================================
"""

from abc import ABC, abstractmethod

import numpy as np

from bidcascade.kernels.cuda_device import DeviceArray

from .bits import ColumnBits
from .nodes import DeviceWindow, node_records
from .session import Chunk
from .tables import PackedDeals, PlanTables, thread_staging

HYBRID_THREADS = 256
LIST_WARPS = 16
LIST_DEALS = 2048
LIST_SHARE = 0.65
"""Share of the shared memory that packed words may take; lists have the rest."""
MOST_COLUMNS = 1 << 25
"""Columns of a block of deals have 32-bit places: 128 words each."""
WAVES = 4
"""Blocks of threads for each that runs at once, so that none that takes long holds up the rest."""


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
