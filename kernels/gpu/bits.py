"""Features and bit columns on a device: what is the same for every deal, whatever it reaches."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.cuda_device import DeviceArray
from bidcascade.kernels.plan import Plan
from bidcascade.kernels.results import BitColumns
from bidcascade.kernels.types import U32, U64

from .session import AnyDeals, Chunk, DealFeed, Returns, Session, halving
from .tables import BoxSets, PlanTables

I64 = NDArray[np.int64]

TILE_DEALS = 1024
TILE_THREADS = 256
BLOCK_WORDS = 32
"""Words of bits of a block of deals, where nothing asks for more."""
MEMBERS_AT_ONCE = 1024
_SETS_KEPT = 8


@dataclass
class ColumnBits:
    """Bit columns of a chunk of deals on the device: [deal block][row][column][block words]."""

    session: Session
    sets: BoxSets
    block_words: int
    size: int
    """Most deals of a chunk."""
    bits: DeviceArray = field(init=False)
    _half: DeviceArray = field(init=False)
    _test: DeviceArray = field(init=False)

    def __post_init__(self) -> None:
        device = self.session.device
        blocks = -(-self.size // (32 * self.block_words))
        self.bits = device.empty(blocks * 4 * len(self.sets.columns) * self.block_words, np.uint32)
        self._half = self.session.upload(self.sets.columns.half)
        self._test = self.session.upload(self.sets.columns.test)

    @staticmethod
    def bytes_per_deal(columns: int) -> float:
        """Device memory that a deal takes."""
        return columns / 2

    def fill(self, words: DeviceArray, count: int, words_per_hand: int) -> None:
        """Work the columns out from packed words [4, words, count]."""
        blocks = -(-count // (32 * self.block_words))
        tiles = blocks * (32 * self.block_words // TILE_DEALS)
        columns = len(self.sets.columns)
        if columns:
            self.session.launch(
                "columns.cu", "bit_columns", {"BLOCK_WORDS": self.block_words}, 4 * tiles,
                TILE_THREADS,
                [
                    words, np.uint32(words_per_hand), np.uint32(count), self._half, self._test,
                    np.uint32(columns), self.bits,
                ],
            )  # fmt: skip


def out_words(deals: int) -> int:
    """32-bit words of a bit column that is padded to whole 64-bit words."""
    return -(-deals // 64) * 2


def _parts(total: int, size: int) -> int:
    return -(-total // max(1, size))


def _sets(tables: PlanTables, key: tuple[Any, ...], numbers: U32) -> BoxSets:
    with tables.session.device.lock():
        kept: dict[Any, BoxSets] = tables.kept.setdefault("sets", {})
        if key not in kept:
            if len(kept) >= _SETS_KEPT:
                kept.pop(next(iter(kept)))
            kept[key] = BoxSets.of(tables.plan, numbers)
        return kept[key]


def features(tables: PlanTables, deals: AnyDeals, most_deals: int) -> U64:
    """Packed words by dealer-relative seat, uint64 [4, deals, words]."""
    session, words = tables.session, tables.words
    out = np.empty((4, len(deals), words), np.uint64)

    def run(size: int) -> None:
        feed = DealFeed(session, deals, size)
        returns = Returns(session, [(4 * words * feed.size, np.uint64)], _parts(len(deals), size))
        for chunk in feed:
            (packed,) = returns.arrays()
            packed = packed[: 4 * words * chunk.count]
            tables.pack(chunk, packed, by_deal=True)

            def use(arrays: list[NDArray[Any]], start: int = chunk.start) -> None:
                block = arrays[0].reshape(4, -1, words)
                out[:, start : start + block.shape[1]] = block

            returns.send([packed.size], use)
        returns.finish()

    if len(deals):
        per_deal = DealFeed.bytes_per_deal(deals) + 64 * words
        size = fitting(session, per_deal, most_deals, len(deals))
        with session.working():
            halving(session, size, run)
    return out


def fitting(session: Session, bytes_per_deal: float, most: int, deals: int) -> int:
    """Deals of a chunk that fits the free memory: whole 64-bit words, ``most`` at most."""
    fit = int(session.memory() / max(1.0, bytes_per_deal))
    return max(64, min(most, fit, -(-deals // 64) * 64) // 64 * 64)


def evaluate(
    tables: PlanTables, deals: AnyDeals, expressions: Sequence[int] | None, most_deals: int
) -> BitColumns:
    """Bit columns of expressions on all four compass hands."""
    plan = tables.plan
    numbers = list(range(len(plan.expressions)) if expressions is None else expressions)
    result = BitColumns.empty(len(numbers), len(deals))
    if not len(deals) or not numbers:
        return result
    target = result.words.view(np.uint32)
    session = tables.session
    sets = _sets(
        tables, ("expressions", *numbers), plan.expression_boxes[np.array(numbers, np.int64)]
    )

    def run(size: int) -> None:
        feed = DealFeed(session, deals, size)
        work = _Evaluation(tables, sets, feed.size)
        returns = Returns(
            session, [(len(numbers) * 4 * out_words(feed.size), np.uint32)],
            _parts(len(deals), size),
        )  # fmt: skip
        for chunk in feed:
            length = len(numbers) * 4 * out_words(chunk.count)
            (bits,) = returns.arrays()
            work.fill(chunk, bits[:length])

            def use(arrays: list[NDArray[Any]], first: int = chunk.start // 32) -> None:
                block = arrays[0].reshape(len(numbers), 4, -1)
                target[:, :, first : first + block.shape[2]] = block

            returns.send([length], use)
        returns.finish()

    per_deal = (
        DealFeed.bytes_per_deal(deals) + _Evaluation.bytes_per_deal(tables, sets)
        + len(numbers)
    )  # fmt: skip
    with session.working():
        halving(session, fitting(session, per_deal, most_deals, len(deals)), run)
    return result


class _Evaluation:
    """Bit columns of sets of boxes on compass hands."""

    def __init__(self, tables: PlanTables, sets: BoxSets, size: int) -> None:
        session = tables.session
        self.tables, self.sets = tables, sets
        self.words = session.device.empty(4 * tables.words * size, np.uint64)
        self.columns = ColumnBits(session, sets, BLOCK_WORDS, size)
        self.set_offsets = session.upload(sets.set_offsets)
        self.box_offsets = session.upload(sets.columns.box_offsets)
        self.box_columns = session.upload(sets.columns.box_columns)

    @staticmethod
    def bytes_per_deal(tables: PlanTables, sets: BoxSets) -> float:
        return 32 * tables.words + ColumnBits.bytes_per_deal(len(sets.columns))

    def fill(self, chunk: Chunk, out: DeviceArray) -> None:
        """Fill ``out``, uint32 [sets, 4, words]."""
        tables, count = self.tables, chunk.count
        words = self.words[: 4 * tables.words * count]
        tables.pack(chunk, words, rotate=False)
        self.columns.fill(words, count, tables.words)
        sets = len(self.sets.set_offsets) - 1
        tables.session.each(
            "columns.cu", "combine_boxes", {"BLOCK_WORDS": BLOCK_WORDS},
            4 * sets * out_words(count),
            [
                self.columns.bits, np.uint32(len(self.sets.columns)), np.uint32(count),
                self.set_offsets, np.uint32(sets), self.box_offsets, self.box_columns,
                np.uint32(out_words(count)), out,
            ],
        )  # fmt: skip


def evaluate_on_device(
    tables: PlanTables, deals: AnyDeals, expressions: Sequence[int] | None
) -> DeviceArray:
    """Bit columns that stay on the device: uint32 [expressions, 4, words], see ``out_words``."""
    plan, session = tables.plan, tables.session
    numbers = list(range(len(plan.expressions)) if expressions is None else expressions)
    sets = _sets(
        tables, ("expressions", *numbers), plan.expression_boxes[np.array(numbers, np.int64)]
    )
    with session.working():
        words = out_words(len(deals))
        out = session.device.empty(len(numbers) * 4 * words, np.uint32)
        if out.size:
            feed = DealFeed(session, deals, len(deals))
            work = _Evaluation(tables, sets, feed.size)
            for chunk in feed:
                work.fill(chunk, out)
    return out.reshape(len(numbers), 4, words)


def members(
    tables: PlanTables, deals: AnyDeals, entries: Sequence[int], most_deals: int
) -> BitColumns:
    """For chosen nodes, the bit column of the deals that reach them."""
    result = BitColumns.empty(len(entries), len(deals), seats=1)
    target = result.words.view(np.uint32)[:, 0]
    for first in range(0, len(entries) if len(deals) else 0, MEMBERS_AT_ONCE):
        chosen = list(entries[first : first + MEMBERS_AT_ONCE])
        _members(tables, deals, chosen, target[first : first + len(chosen)], most_deals)
    return result


@dataclass(frozen=True)
class _Family:
    """Some nodes with all above them, parents first."""

    nodes: I64
    parents: NDArray[np.int32]
    seats: NDArray[np.uint8]
    wanted: U32

    @classmethod
    def of(cls, plan: Plan, entries: Sequence[int]) -> "_Family":
        depth_of: dict[int, int] = {plan.node_count: -1}
        for entry in entries:
            path = []
            node = int(entry)
            while node not in depth_of:
                path.append(node)
                node = int(plan.parent[node])
            for depth, ancestor in enumerate(reversed(path), start=depth_of[node] + 1):
                depth_of[ancestor] = depth
        del depth_of[plan.node_count]
        nodes = sorted(depth_of)  # parents precede their children
        place = {node: number for number, node in enumerate(nodes)} | {plan.node_count: -1}
        return cls(
            np.array(nodes, np.int64),
            np.array([place[int(plan.parent[node])] for node in nodes], np.int32),
            np.array([depth_of[node] & 3 for node in nodes], np.uint8),
            np.array([place[int(entry)] for entry in entries], np.uint32),
        )


def _members(
    tables: PlanTables, deals: AnyDeals, entries: Sequence[int], target: U32, most_deals: int
) -> None:
    session = tables.session
    family = _Family.of(tables.plan, entries)
    sets = BoxSets.of(tables.plan, tables.plan.node_box[family.nodes])
    nodes, wanted = len(family.nodes), len(family.wanted)

    def run(size: int) -> None:
        feed = DealFeed(session, deals, size)
        words = session.device.empty(4 * tables.words * feed.size, np.uint64)
        columns = ColumnBits(session, sets, BLOCK_WORDS, feed.size)
        reached = session.device.empty(nodes * out_words(feed.size), np.uint32)
        parents, seats = session.upload(family.parents), session.upload(family.seats)
        rows = session.upload(family.wanted)
        set_offsets = session.upload(sets.set_offsets)
        box_offsets = session.upload(sets.columns.box_offsets)
        box_columns = session.upload(sets.columns.box_columns)
        returns = Returns(
            session, [(wanted * out_words(feed.size), np.uint32)], _parts(len(deals), size)
        )
        for chunk in feed:
            length = out_words(chunk.count)
            (bits,) = returns.arrays()
            packed = words[: 4 * tables.words * chunk.count]
            tables.pack(chunk, packed)
            columns.fill(packed, chunk.count, tables.words)
            session.each(
                "columns.cu", "member_bits", {"BLOCK_WORDS": BLOCK_WORDS}, length,
                [
                    columns.bits, np.uint32(len(sets.columns)), np.uint32(chunk.count),
                    np.uint32(nodes), parents, seats, set_offsets, box_offsets, box_columns,
                    np.uint32(length), reached,
                ],
            )  # fmt: skip
            session.each(
                "columns.cu",
                "gather_rows",
                {"BLOCK_WORDS": BLOCK_WORDS},
                wanted * length,
                [reached, rows, np.uint32(wanted), np.uint32(length), bits],
            )

            def use(arrays: list[NDArray[Any]], first: int = chunk.start // 32) -> None:
                block = arrays[0].reshape(wanted, -1)
                target[:, first : first + block.shape[1]] = block

            returns.send([wanted * length], use)
        returns.finish()

    per_deal = (
        DealFeed.bytes_per_deal(deals) + _Evaluation.bytes_per_deal(tables, sets)
        + nodes / 8 + wanted / 4
    )  # fmt: skip
    with session.working():
        halving(session, fitting(session, per_deal, most_deals, len(deals)), run)
