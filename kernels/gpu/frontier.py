"""The variant ``frontier``: level by level, all pairs (node, deal) at once."""

import logging

import numpy as np

from bidcascade.bridge import OutOfDeviceMemory
from bidcascade.kernels.cuda_device import DeviceArray
from bidcascade.kernels.types import U32

from .counters import Counter
from .forest import Forest
from .nodes import DeviceWindow
from .scan import RunningSums
from .session import FEWEST_DEALS, Chunk
from .tables import PlanTables

_logger = logging.getLogger("bidcascade.kernels")

TILE_TESTS = 1024
PAIR_BYTES = 8 + 8 + 8
"""A pair of this level and of the next, and the running sum of its tests."""
PAIRS_SHARE = 0.4
"""Share of the free memory that pairs may take."""
MOST_PAIRS = 1 << 28
"""Most pairs of a level, 6 GB of them; of more, the deals are halved."""


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
                "entries.cu",
                "add_counts",
                {},
                self.nodes,
                [self.chunk_counts, np.uint64(self.nodes), counts],
            )
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
            "counts_frontier.cu",
            "frontier_start",
            defines,
            chunk.count,
            [np.uint32(self.nodes), np.uint32(chunk.count), *this],
        )
        pairs = chunk.count
        while pairs:
            starts = self.starts[:pairs]
            session.each(
                "counts_frontier.cu",
                "frontier_sizes",
                defines,
                pairs,
                [this[0], np.uint64(pairs), self.child_offsets, starts],
            )
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
