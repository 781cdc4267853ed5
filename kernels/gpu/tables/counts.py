"""Counts on a device: windows of nodes outside, chunks of deals inside, on bit columns."""

from dataclasses import dataclass

import numpy as np

from bidcascade.kernels.cuda_device import DeviceArray, KernelArgument
from bidcascade.kernels.gpu.session import (
    AnyDeals,
    Chunk,
    DealFeed,
    RunningSums,
    Session,
    fitting,
    halving,
)
from bidcascade.kernels.types import U64

from .bits import ColumnBits
from .node_windows import DeviceWindow, device_windows, is_whole, node_records
from .tables import PackedDeals, PlanTables

THREADS = 256
TOP_THREADS = 512
MOST_COLUMNS = 1 << 25
"""Columns of a block of deals have 32-bit places: 128 words each."""
WAVES = 4
"""Blocks of threads for each that runs at once, so that none that takes long holds up the rest."""
NODES_SHARE = 0.4
"""Share of the free memory that nodes may take; more of them come in windows."""
SPREAD_SHARE = 0.5
"""Share of the free memory that the counts of all entries may take."""
SPREAD_BYTES = 24
"""What an entry takes meanwhile: who stands for it, its mark, and number and count if reached."""
PAIR_BYTES = 12
"""An entry that is reached, and its count."""
PAIRS_FROM = 1 << 17
"""Fewer entries are sooner copied than looked through."""


def splits_for(blocks_at_once: int, shares: int, items: int) -> int:
    """Into how many parts a block of deals' items are split, so that the device is filled."""
    return max(1, min(items, -(-WAVES * blocks_at_once // shares)))


def words_a_lane(deals: int) -> int:
    """How many words of bits a lane keeps: blocks of 1,024, 2,048 or 4,096 deals."""
    return 4 if deals >= 1 << 16 else 2 if deals >= 1 << 13 else 1


def count_defines(tables: PlanTables, lane_words: int) -> dict[str, int]:
    """Return the ``#define``s of ``counts.cu``."""
    # room for so many levels and two more; few different numbers, as each is compiled
    levels = -(-(tables.forest().levels + 2) // 8) * 8
    return {"WORDS_A_LANE": lane_words, "LEVELS": levels}


def compile_counts(tables: PlanTables, lane_words: int) -> None:
    """Compile what chunks with ``lane_words`` words a lane run, before they come."""
    device = tables.session.device
    device.kernel("columns.cu", "bit_columns", {"BLOCK_WORDS": 32 * lane_words})
    for entry in ("walk_top", "count_nodes"):
        device.kernel("counts.cu", entry, count_defines(tables, lane_words))


class Counter:
    """Counts at the nodes of one window.

    Parameters
    ----------
    tables : PlanTables
    window : DeviceWindow
    deals : int
        How many deals there will be in all.
    """

    def __init__(self, tables: PlanTables, window: DeviceWindow, deals: int) -> None:
        self.tables, self.window, self.session = tables, window, tables.session
        self.words_a_lane = words_a_lane(deals)
        records = node_records(tables)
        self.sets = records.sets
        if len(self.sets.columns) >= MOST_COLUMNS:
            raise ValueError(
                f"expected fewer than {MOST_COLUMNS} distinct tests, got {len(self.sets.columns)}"
            )
        if "columns" not in tables.cached:
            # a set of no boxes has no span: an array of nothing is no argument
            spans = records.spans if len(records.spans) else np.zeros((1, 2), np.uint32)
            tests = self.sets.columns.box_columns
            tables.cached["columns"] = (
                self.session.upload(tests if len(tests) else np.zeros(1, np.uint32)),
                self.session.upload(spans),
            )
        self.tests, self.spans = tables.cached["columns"]

    @property
    def bytes_per_deal(self) -> float:
        """Device memory that a deal of a chunk takes: packed words, columns, sets of the top."""
        columns = ColumnBits.bytes_per_deal(len(self.sets.columns))
        top = 4 * sum(self._words_of_a_block()) / (1024 * self.words_a_lane)
        return PackedDeals.bytes_per_deal(self.tables) + columns + top

    def _words_of_a_block(self) -> tuple[int, ...]:
        """Words of a block of deals: sets of the top, sizes of these, live items, how many."""
        sets = self.window.sets
        return 32 * self.words_a_lane * sets, sets, max(1, self.window.items), 1

    def bind(self, size: int) -> None:
        """Take room for chunks of at most ``size`` deals."""
        self.packed = PackedDeals(self.tables, size)
        self.columns = ColumnBits(self.session, self.sets, 32 * self.words_a_lane, size)
        blocks = -(-size // (1024 * self.words_a_lane))
        self.top = [
            self.session.device.empty(blocks * words, np.uint32)
            for words in self._words_of_a_block()
        ]

    def count(self, chunk: Chunk, counts: DeviceArray) -> None:
        """Raise ``counts`` [nodes of the window] by how many of the chunk's deals reach each."""
        words = self.packed.fill(chunk)
        self.columns.fill(words, chunk.count, self.tables.words)
        deal_blocks = -(-chunk.count // (1024 * self.words_a_lane))
        at_once = self.session.device.limits.blocks_to_fill(THREADS)
        splits = splits_for(at_once, deal_blocks, self.window.items)
        defines = count_defines(self.tables, self.words_a_lane)
        columns: list[KernelArgument] = [
            self.columns.bits,
            np.uint32(len(self.sets.columns)),
            self.tests,
            self.spans,
        ]
        sets, sizes, live, live_counts = self.top
        self.session.launch(
            "counts.cu",
            "walk_top",
            defines,
            deal_blocks,
            TOP_THREADS,
            [*columns, *self.window.top_arguments(), np.uint32(chunk.count), *self.top, counts],
        )
        self.session.launch(
            "counts.cu", "count_nodes", defines, deal_blocks * splits, THREADS,
            [
                *columns, *self.window.item_arguments(), sets, sizes,
                np.uint32(self.window.sets - 1), live, live_counts, np.uint32(splits), counts,
            ],
        )  # fmt: skip


def node_room(tables: PlanTables, node_bytes: int | None) -> int:
    """Bytes that nodes may take: ``node_bytes``, or a share of what is free."""
    return int(tables.session.memory() * NODES_SHARE) if node_bytes is None else node_bytes


def count_entries(
    tables: PlanTables, deals: AnyDeals, most_deals: int, *, node_bytes: int | None = None
) -> U64:
    """Per entry, how many deals reach it (uint64 [entries]).

    Parameters
    ----------
    node_bytes : int, optional
        Device memory that nodes may take; a share of what is free by default.
    """
    session, entries = tables.session, tables.plan.node_count
    with session.working():
        found = count_nodes(tables, deals, most_deals, node_bytes)
        if isinstance(found, np.ndarray):
            return _spread_on_host(tables, found, len(deals))
        step = max(1, min(entries, int(session.memory() * SPREAD_SHARE / SPREAD_BYTES)))
        parts = [
            _bring(tables, found, len(deals), start, min(step, entries - start))
            for start in range(0, entries, step)
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


def count_entries_on_device(
    tables: PlanTables, deals: AnyDeals, most_deals: int, *, node_bytes: int | None
) -> DeviceArray:
    """Return counts that stay on the device; otherwise as :func:`count_entries`."""
    session, entries = tables.session, tables.plan.node_count
    with session.working():
        found = count_nodes(tables, deals, most_deals, node_bytes)
        if isinstance(found, np.ndarray):
            return session.upload(_spread_on_host(tables, found, len(deals)))
        out = session.device.empty(entries, np.uint64)
        spread = _Spread.of(tables, found, len(deals), 0, entries)
        spread.counts(None, out)
        return out


def count_nodes(
    tables: PlanTables, deals: AnyDeals, most_deals: int, node_bytes: int | None
) -> "U64 | DeviceArray":
    """Count at the forest's nodes: on the device, or on the host if nodes came in windows."""
    session, forest = tables.session, tables.forest()
    if not len(forest) or not len(deals):
        return np.zeros(len(forest), np.uint64)
    room = node_room(tables, node_bytes)
    whole = is_whole(tables, room)
    counts = np.empty(0 if whole else len(forest), np.uint64)
    for window in device_windows(tables, room):
        found = _count_window(tables, deals, window, most_deals)
        if whole:
            return found
        place = window.window
        counts[place.first_node : place.end_node] = session.download(found)
    return counts


def _count_window(
    tables: PlanTables, deals: AnyDeals, window: DeviceWindow, most_deals: int
) -> DeviceArray:
    session = tables.session

    def run(size: int) -> DeviceArray:
        counter = Counter(tables, window, len(deals))
        counts = session.zeros(window.window.nodes, np.uint64)
        feed = DealFeed(session, deals, size)
        counter.bind(feed.size)
        try:
            for chunk in feed:
                counter.count(chunk, counts)
        finally:
            session.wait()  # what the counter holds is free from here on
        return counts

    per_deal = DealFeed.bytes_per_deal(deals) + Counter(tables, window, len(deals)).bytes_per_deal
    found: DeviceArray = halving(session, fitting(session, per_deal, most_deals, len(deals)), run)
    return found


def _spread_on_host(tables: PlanTables, counts: U64, deals: int) -> U64:
    # all deals and none stand behind the nodes, as representatives name them
    table = np.append(counts, np.array([deals, 0], np.uint64))
    spread: U64 = table[tables.forest().representative]
    return spread


@dataclass(frozen=True, slots=True)
class _Spread:
    """Counts of nodes as counts of some entries in a row."""

    # nodes: the arguments representative, counts, nodes of the kernels

    session: Session
    entries: int
    nodes: list[KernelArgument]
    deals: int

    @classmethod
    def of(
        cls, tables: PlanTables, counts: DeviceArray, deals: int, start: int, entries: int
    ) -> "_Spread":
        """Entries from ``start`` on."""
        session, forest = tables.session, tables.forest()
        if entries == len(forest.representative):
            representative = representatives(tables)
        else:
            representative = session.upload(forest.representative[start : start + entries])
        return cls(session, entries, [representative, counts, np.uint32(len(forest))], deals)

    def counts(self, listed: DeviceArray | None, out: DeviceArray) -> None:
        """Fill ``out`` with the counts of listed entries, or of all."""
        self.session.each(
            "entries.cu",
            "spread_counts",
            {},
            out.size,
            [listed, np.uint32(out.size), *self.nodes, np.uint64(self.deals), out],
        )

    def reached(self, marks: DeviceArray, total: int) -> DeviceArray:
        """Entries that are reached, of whose marks ``marks`` are the running sums."""
        found = self.session.device.empty(total, np.uint32)
        self.session.each(
            "entries.cu",
            "write_listed",
            {},
            self.entries if total else 0,
            [None, np.uint32(self.entries), *self.nodes, marks, np.uint64(total), found],
        )
        return found

    def mark(self, marks: DeviceArray) -> int:
        """Fill ``marks`` with running sums of 1 for what is reached; return how many are; waits."""
        self.session.each(
            "entries.cu",
            "mark_listed",
            {},
            self.entries,
            [None, np.uint32(self.entries), *self.nodes, marks],
        )
        return RunningSums(self.session, self.entries).run(marks)


def _bring(tables: PlanTables, counts: DeviceArray, deals: int, start: int, entries: int) -> U64:
    """Bring the counts of some entries, from ``start`` on, to the host."""
    # all of them where memory is lent or they are few; otherwise only what is reached, with its
    # number, where that is fewer bytes: what is not reached stays memory that nobody has touched
    session = tables.session
    spread = _Spread.of(tables, counts, deals, start, entries)
    there = session.device.empty(entries, np.uint64)
    lent = session.lender.take(entries, np.uint64)
    if lent is None and entries >= PAIRS_FROM:
        reached = spread.mark(there)
        if reached * PAIR_BYTES < there.nbytes:
            return _paired(spread, there, reached)
    spread.counts(None, there)
    out: U64 = np.empty(entries, np.uint64) if lent is None else lent
    session.device.copy_out(out, there, stream=session.work)
    session.wait()
    return out


def _paired(spread: _Spread, marks: DeviceArray, reached: int) -> U64:
    session, device = spread.session, spread.session.device
    listed, counts = spread.reached(marks, reached), device.empty(reached, np.uint64)
    spread.counts(listed, counts)
    entries, values = session.ways_out[0].arrays([(reached, np.uint32), (reached, np.uint64)])
    device.copy_out(entries, listed, stream=session.work)
    device.copy_out(values, counts, stream=session.work)
    session.wait()
    out = np.zeros(spread.entries, np.uint64)
    out[entries] = values
    return out


def representatives(tables: PlanTables) -> DeviceArray:
    """Return the node that each entry holds with, on the device; it stays there."""
    if "representative" not in tables.cached:
        tables.cached["representative"] = tables.session.upload(tables.forest().representative)
    array: DeviceArray = tables.cached["representative"]
    return array
