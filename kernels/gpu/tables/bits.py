"""Features and bit columns on a device: what is the same for every deal, whatever it reaches."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bidcascade.bridge import FULL_DECK, OutOfDeviceMemory
from bidcascade.kernels.cuda_device import DeviceArray
from bidcascade.kernels.gpu.session import (
    AnyDeals,
    Chunk,
    DealFeed,
    Session,
    fitting,
    halving,
    in_chunks,
)
from bidcascade.kernels.plan import Family, family
from bidcascade.kernels.results import BitColumns
from bidcascade.kernels.types import U32, U64

from .tables import BoxSets, PlanTables

TILE_DEALS = 1024
TILE_THREADS = 256
BLOCK_WORDS = 32
"""Words of bits of a block of deals, where nothing asks for more."""
MEMBERS_AT_ONCE = 1024
_MOST_SETS = 8


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


def _expression_sets(tables: PlanTables, expressions: Sequence[int] | None) -> BoxSets:
    plan = tables.plan
    numbers = tuple(range(len(plan.expressions)) if expressions is None else expressions)
    with tables.session.device.lock():
        cached: dict[Any, BoxSets] = tables.cached.setdefault("sets", {})
        if numbers not in cached:
            if len(cached) >= _MOST_SETS:
                cached.pop(next(iter(cached)))
            boxes = plan.expression_boxes[np.array(numbers, np.int64)]
            cached[numbers] = BoxSets.of(plan, boxes)
        return cached[numbers]


def features(tables: PlanTables, deals: AnyDeals, most_deals: int) -> U64:
    """Packed words by dealer-relative seat, uint64 [4, deals, words]."""
    words = tables.words
    out = np.empty((4, len(deals), words), np.uint64)

    def use(arrays: list[NDArray[Any]], start: int) -> None:
        block = arrays[0].reshape(4, -1, words)
        out[:, start : start + block.shape[1]] = block

    in_chunks(
        tables.session,
        deals,
        most_deals,
        64 * words,
        lambda count: [(4 * words * count, np.uint64)],
        lambda size: lambda chunk, arrays: tables.pack(chunk, arrays[0], by_deal=True),
        use,
    )
    return out


def evaluate(
    tables: PlanTables, deals: AnyDeals, expressions: Sequence[int] | None, most_deals: int
) -> BitColumns:
    """Bit columns of expressions on all four compass hands."""
    sets = _expression_sets(tables, expressions)
    rows = 4 * (len(sets.set_offsets) - 1)
    lent = _evaluated_at_once(tables, deals, expressions, most_deals)
    if lent is not None:
        return lent
    result = BitColumns.empty(rows // 4, len(deals))
    if rows:
        in_chunks(
            tables.session,
            deals,
            most_deals,
            _Evaluation.bytes_per_deal(tables, sets) + rows // 4,
            partial(_row_words, rows),
            lambda size: _Evaluation(tables, sets, size).fill,
            partial(_put, result.words.view(np.uint32).reshape(rows, -1)),
        )
    return result


def _evaluated_at_once(
    tables: PlanTables, deals: AnyDeals, expressions: Sequence[int] | None, most_deals: int
) -> BitColumns | None:
    """Bit columns in lent memory, which come when all are there; ``None`` where they do not fit."""
    session, sets = tables.session, _expression_sets(tables, expressions)
    rows, words = 4 * (len(sets.set_offsets) - 1), out_words(len(deals))
    with session.device.lock():
        here = session.lender.take(rows * words, np.uint32)
        if here is None:
            return None
        chunk = min(most_deals, len(deals)) * (
            DealFeed.bytes_per_deal(deals) + _Evaluation.bytes_per_deal(tables, sets) + rows / 8
        )
        if chunk + 4 * rows * words > session.memory():
            return None
        try:
            found = evaluate_on_device(tables, deals, expressions, most_deals)
        except OutOfDeviceMemory:
            return None  # chunk by chunk needs less
        with session.working():
            session.device.copy_out(here, found, stream=session.work)
    return BitColumns(here.view(np.uint64).reshape(rows // 4, 4, -1), len(deals))


def _row_words(rows: int, deals: int) -> list[tuple[int, DTypeLike]]:
    return [(rows * out_words(deals), np.uint32)]


def _put(target: U32, arrays: list[NDArray[Any]], start: int) -> None:
    """Put the words of a chunk of deals into rows of bits."""
    block = arrays[0].reshape(len(target), -1)
    target[:, start // 32 : start // 32 + block.shape[1]] = block


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

    def fill(self, chunk: Chunk, out: list[DeviceArray]) -> None:
        """Fill the only array, uint32 [sets, 4, words]."""
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
                np.uint32(out_words(count)), *out,
            ],
        )  # fmt: skip


def evaluate_on_device(
    tables: PlanTables, deals: AnyDeals, expressions: Sequence[int] | None, most_deals: int
) -> DeviceArray:
    """Bit columns that stay on the device: uint32 [expressions, 4, words], see ``out_words``."""
    session, sets = tables.session, _expression_sets(tables, expressions)
    rows, words = 4 * (len(sets.set_offsets) - 1), out_words(len(deals))

    def run(size: int) -> DeviceArray:
        out = session.device.empty(rows * words, np.uint32)
        feed = DealFeed(session, deals, size)
        work = _Evaluation(tables, sets, feed.size)
        part = session.device.empty(rows * out_words(feed.size), np.uint32)
        for chunk in feed:
            there = part[: rows * out_words(chunk.count)]
            work.fill(chunk, [there])
            session.each(
                "frames.cu", "place_words", {"FULL_DECK": FULL_DECK}, there.size,
                [
                    there, np.uint64(there.size), np.uint32(out_words(chunk.count)),
                    np.uint32(words), np.uint32(chunk.start // 32), out,
                ],
            )  # fmt: skip
        session.wait()  # what the work used is free from here on
        return out

    with session.working():
        if not rows or not words:
            return session.device.empty((rows // 4, 4, words), np.uint32)
        per_deal = DealFeed.bytes_per_deal(deals) + _Evaluation.bytes_per_deal(tables, sets)
        size = fitting(session, per_deal + rows / 8, most_deals, len(deals))
        out: DeviceArray = halving(session, size, run)
        return out.reshape(rows // 4, 4, words)


def members(
    tables: PlanTables, deals: AnyDeals, entries: Sequence[int], most_deals: int
) -> BitColumns:
    """For chosen nodes, the bit column of the deals that reach them."""
    result = BitColumns.empty(len(entries), len(deals), seats=1)
    target = result.words.view(np.uint32)[:, 0]
    for first in range(0, len(entries), MEMBERS_AT_ONCE):
        chosen = family(tables.plan, entries[first : first + MEMBERS_AT_ONCE])
        sets = BoxSets.of(tables.plan, chosen.boxes)
        nodes, wanted = len(chosen.boxes), len(chosen.wanted)
        in_chunks(
            tables.session,
            deals,
            most_deals,
            _Evaluation.bytes_per_deal(tables, sets) + nodes / 8 + wanted / 4,
            partial(_row_words, wanted),
            partial(_prepare_members, tables, chosen, sets),
            partial(_put, target[first : first + wanted]),
        )
    return result


def _prepare_members(
    tables: PlanTables, chosen: Family, sets: BoxSets, size: int
) -> Callable[[Chunk, list[DeviceArray]], None]:
    session, nodes, wanted = tables.session, len(chosen.boxes), len(chosen.wanted)
    words = session.device.empty(4 * tables.words * size, np.uint64)
    columns = ColumnBits(session, sets, BLOCK_WORDS, size)
    reached = session.device.empty(nodes * out_words(size), np.uint32)
    parents, seats, rows, set_offsets, box_offsets, box_columns = (
        session.upload(array)
        for array in (
            chosen.parents, chosen.seats, chosen.wanted, sets.set_offsets,
            sets.columns.box_offsets, sets.columns.box_columns,
        )
    )  # fmt: skip

    def fill(chunk: Chunk, out: list[DeviceArray]) -> None:
        length = out_words(chunk.count)
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
            [reached, rows, np.uint32(wanted), np.uint32(length), *out],
        )

    return fill
