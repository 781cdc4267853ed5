"""The ``cpu`` backend: numba kernels driven from a thread pool over blocks of deals.

A block's features, bit columns and sets fit the processor's caches; nothing the size of
deals × entries is ever made. Kernels release the interpreter lock, and the pool is Python's, so
any number of callers may run at once.
"""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from threading import local
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cpu_boxes import box_bits, derive_columns, derive_flags, member_bits
from .cpu_cascade import group_pairs, walk_block
from .cpu_features import bit_columns, pack_hands, run_programs, sort_by_dealer
from .cpu_first import first_block
from .deals import DealArrays
from .layout import LANE_LIMIT, Packing
from .memory import pairs_that_fit
from .plan import LANE_HIGH_BITS, MULTIPLE, Plan
from .results import BitColumns, EntryLists, FirstAuctions
from .types import U8, U16, U32, U64

NAME = "cpu"
BLOCK_DEALS = 1 << 16
"""Most deals in a block; list entries are 16-bit numbers, so not more than 65,536."""
LIST_THRESHOLD = 64
"""Fewer deals than this are kept as a list, more as bits (in a full block)."""
UNBOUNDED_DEPTH = 1 << 20
SORTED_DEALS = 1 << 21
"""Most deals that a thread sorts together when it counts."""
_SAMPLE_DEALS = 64
_MEMBERS_AT_ONCE = 1024

_NO_COUNTS: U32 = np.zeros(0, np.uint32)
_NO_PAIRS: U32 = np.zeros(0, np.uint32)
_NO_DEALS: U16 = np.zeros(0, np.uint16)


@dataclass(frozen=True)
class _CpuPlan:
    """What the walks take in addition to the plan; made once a plan."""

    boxes: U64  # lo.. hi|H.. mask.. need..
    box_is_derived: U8  # whether the box asks for a derived flag
    box_offsets: NDArray[np.int32]
    box_columns: NDArray[np.int32]
    column_kind: NDArray[np.int32]
    column_low: NDArray[np.int32]
    column_high: NDArray[np.int32]
    lane_highest: NDArray[np.int64]
    levels: int

    @classmethod
    def of(cls, plan: Plan) -> "_CpuPlan":
        cached = plan.cache.get(NAME)
        if not isinstance(cached, cls):
            cached = cls._build(plan)
            plan.cache[NAME] = cached
        return cached

    @classmethod
    def _build(cls, plan: Plan) -> "_CpuPlan":
        lanes, flags = plan.packing.lane_words, plan.packing.flag_words
        boxes = plan.boxes.copy()
        boxes[:, lanes : 2 * lanes] |= np.uint64(LANE_HIGH_BITS)
        need = plan.boxes[:, 2 * lanes : 2 * lanes + flags]
        forbid = plan.boxes[:, 2 * lanes + flags :]
        boxes[:, 2 * lanes : 2 * lanes + flags] = need | forbid
        boxes[:, 2 * lanes + flags :] = need
        numbers: dict[tuple[int, int, int], int] = {}
        offsets, members = [0], []
        low = plan.boxes[:, :lanes].copy().view(np.uint8).reshape(len(boxes), -1)
        high = plan.boxes[:, lanes : 2 * lanes].copy().view(np.uint8).reshape(len(boxes), -1)
        need_bits = _bit_rows(need)
        forbid_bits = _bit_rows(forbid)
        for box in range(len(boxes)):
            tests = [
                (int(lane), int(low[box, lane]), int(high[box, lane]))
                for lane in np.flatnonzero((low[box] > 0) | (high[box] < 127))
            ]
            tests += [(-1, int(flag), 0) for flag in np.flatnonzero(need_bits[box])]
            tests += [(-2, int(flag), 0) for flag in np.flatnonzero(forbid_bits[box])]
            if box > 1:  # ALWAYS and NEVER are never looked up
                members += [numbers.setdefault(test, len(numbers)) for test in tests]
            offsets.append(len(members))
        columns = np.array(list(numbers), np.int32).reshape(-1, 3)
        kind, bottom, top = (np.ascontiguousarray(columns[:, part]) for part in range(3))
        return cls(
            boxes=boxes,
            box_is_derived=np.any((need_bits | forbid_bits)[:, plan.derived_flags], axis=1).astype(
                np.uint8
            ),
            box_offsets=np.array(offsets, np.int32),
            box_columns=np.array(members, np.int32),
            column_kind=kind,
            column_low=bottom,
            column_high=top,
            lane_highest=_lane_highest(kind, bottom, top, 8 * lanes),
            levels=_depth(plan),
        )

    def only(self, boxes: NDArray[np.int64]) -> "_CpuPlan":
        """Narrow the columns to those that some boxes use; other boxes become meaningless."""
        spans = [
            self.box_columns[self.box_offsets[box] : self.box_offsets[box + 1]] for box in boxes
        ]
        used = np.unique(np.concatenate(spans)) if spans else np.zeros(0, np.int32)
        renumbered = np.zeros(len(self.column_kind), np.int32)
        renumbered[used] = np.arange(len(used), dtype=np.int32)
        kind, low, high = self.column_kind[used], self.column_low[used], self.column_high[used]
        return replace(
            self, box_columns=renumbered[self.box_columns], column_kind=kind, column_low=low,
            column_high=high, lane_highest=_lane_highest(kind, low, high, len(self.lane_highest)),
        )  # fmt: skip


def _single_boxes(plan: Plan, boxes: NDArray[np.int64]) -> NDArray[np.int64]:
    """All boxes that some boxes and sets of boxes name."""
    members = [boxes[(boxes & MULTIPLE) == 0]]
    for number in boxes[(boxes & MULTIPLE) != 0] & (MULTIPLE - 1):
        start, stop = int(plan.set_offsets[number]), int(plan.set_offsets[number + 1])
        members.append(plan.set_boxes[start:stop].astype(np.int64))
    return np.unique(np.concatenate(members))


def _lane_highest(
    kind: NDArray[np.int32], low: NDArray[np.int32], high: NDArray[np.int32], lanes: int
) -> NDArray[np.int64]:
    """Per lane, the highest "at least v" that its intervals need; 0 for a lane that has none."""
    highest = np.zeros(lanes, np.int64)
    is_lane = kind >= 0
    asked = np.maximum(low, np.where(high < LANE_LIMIT, high + 1, 1))
    np.maximum.at(highest, kind[is_lane], asked[is_lane])
    return highest


def _bit_rows(words: U64) -> NDArray[np.uint8]:
    return np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1, bitorder="little")


def _depth(plan: Plan) -> int:
    """Length of the longest auction in the table."""
    depth, nodes = 0, np.arange(plan.root_count, dtype=np.int64)
    while len(nodes):
        depth += 1
        inner = nodes[plan.child_count[nodes] > 0]
        counts = plan.child_count[inner].astype(np.int64)
        starts = plan.first_child[inner].astype(np.int64)
        steps = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        nodes = np.repeat(starts, counts) + steps
    return depth


_scratch = local()


def _buffer(name: str, shape: tuple[int, ...], dtype: Any) -> Any:
    """Scratch array of the calling thread, kept between blocks."""
    buffers: dict[str, NDArray[Any]] = _scratch.__dict__.setdefault("buffers", {})
    size = int(np.prod(shape))
    if name not in buffers or buffers[name].size < size or buffers[name].dtype != dtype:
        buffers[name] = np.empty(size, dtype)
    return buffers[name][:size].reshape(shape)


def _pack(plan: Plan, deals: DealArrays, start: int, stop: int, *, rotate: bool, out: U64) -> U64:
    """Pack the hands of deals ``start`` to ``stop`` into ``out`` [4, deals, words]; return it.

    Derived flags stay clear.
    """
    return _pack_with(plan.packing, deals, start, stop, rotate=rotate, out=out)


def _pack_with(
    packing: Packing, deals: DealArrays, start: int, stop: int, *, rotate: bool, out: U64
) -> U64:
    pack_hands(
        deals.hands, deals.dealer, deals.vulnerability, start, stop, int(rotate),
        packing.suit_words, packing.length_words, packing.context_words, out,
    )  # fmt: skip
    if len(packing.program_starts):
        run_programs(
            deals.hands, deals.dealer, deals.vulnerability, start, stop, int(rotate),
            packing.programs, packing.program_starts, packing.program_flags,
            packing.program_stack, packing.term_suits, packing.term_lengths,
            packing.term_contexts, packing.lane_words, out,
        )  # fmt: skip
    return out


def _derive(plan: Plan, words: U64) -> None:
    """Set the derived flags in packed words [4, n, words], hand by hand."""
    if len(plan.derived_flags):
        derive_flags(
            words, _CpuPlan.of(plan).boxes, plan.derived_flags, plan.derived_offsets,
            plan.derived_boxes, plan.packing.lane_words, plan.packing.flag_words,
        )  # fmt: skip


class _Blocks:
    """Runs a function over blocks of deals on all threads; results come in order."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._pool: ThreadPoolExecutor | None = None

    def pool(self) -> ThreadPoolExecutor:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="bidcascade-cpu")
        return self._pool

    def run(self, function: Any, starts: Sequence[int]) -> Iterator[Any]:
        """``function(start)`` for each start; at most two results a thread wait unread."""
        if len(starts) == 1 or self.threads == 1:
            yield from map(function, starts)
            return
        remaining = iter(starts)
        waiting: list[Future[Any]] = [
            self.pool().submit(function, start) for start in islice(remaining, 2 * self.threads)
        ]
        try:
            while waiting:
                result = waiting.pop(0).result()
                for start in islice(remaining, 1):
                    waiting.append(self.pool().submit(function, start))
                yield result
        finally:
            for future in waiting:
                future.cancel()

    def run_all(self, function: Any, starts: Sequence[int]) -> None:
        """``function(start)`` for each start, for its effect."""
        for _ in self.run(function, starts):
            pass


_blocks = _Blocks(max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1))


def thread_count() -> int:
    """How many threads work at once."""
    return _blocks.threads


def in_blocks(function: Any, starts: Sequence[int]) -> list[Any]:
    """Call ``function(start)`` for each start on all threads; the results in order."""
    return list(_blocks.run(function, starts))


def pack(packing: Packing, deals: DealArrays, start: int, stop: int, *, out: U64) -> None:
    """Pack the hands of deals ``start`` to ``stop`` into ``out`` [4, deals, words] by position.

    Derived flags stay clear.
    """
    _pack_with(packing, _plain(deals), start, stop, rotate=True, out=out)


def _block_size(deals: int) -> int:
    """Deals a block gets: whole words, and work for every thread."""
    share = -(-deals // (64 * _blocks.threads)) * 64
    return max(1, min(BLOCK_DEALS, max(share, 1024)))


def _threshold(bit_words: int) -> int:
    """Where lists begin: walking a few deals must cost less than ANDing the words of a block."""
    return min(LIST_THRESHOLD, max(4, bit_words // 16))


def _plain(deals: DealArrays) -> DealArrays:
    """Deals in arrays of the one kind that kernels are compiled for: contiguous and writable.

    Views and read-only arrays are types of their own to numba; each would be compiled for seconds
    when it first comes.
    """
    return DealArrays(
        np.require(deals.hands, requirements=("C", "W")),
        np.require(deals.dealer, requirements=("C", "W")),
        np.require(deals.vulnerability, requirements=("C", "W")),
    )


def _sorted_by_dealer(deals: DealArrays, start: int, stop: int) -> tuple[DealArrays, U32]:
    """Sort some deals as ``sort_by_dealer`` does; return which deal is at each place, too."""
    hands = np.empty((4, stop - start), np.uint64)
    dealer, vulnerability = np.empty((2, stop - start), np.uint8)
    order = np.empty(stop - start, np.uint32)
    sort_by_dealer(
        deals.hands, deals.dealer, deals.vulnerability, start, stop,
        hands, dealer, vulnerability, order,
    )  # fmt: skip
    return DealArrays(hands, dealer, vulnerability), order


def _block(
    plan: Plan,
    cpu: _CpuPlan,
    deals: DealArrays,
    start: int,
    stop: int,
    *,
    rotate: bool,
    threshold: int = 0,
) -> tuple[U64, U64]:
    """Packed words [4, n, words] and bit columns [4, columns, bit words] of a block of deals.

    Blocks smaller than ``threshold`` are walked as lists; their columns are not filled.
    """
    count = stop - start
    words = plan.packing.lane_words + plan.packing.flag_words
    features = _buffer("features", (4, count, words), np.uint64)
    _pack(plan, deals, start, stop, rotate=rotate, out=features)
    bit_words = (count + 63) // 64
    columns = _buffer("columns", (4, len(cpu.column_kind), bit_words), np.uint64)
    if count < threshold:
        _derive(plan, features)
        return features, columns
    unary = _buffer("unary", (int(cpu.lane_highest.max(initial=0)) + 2, bit_words), np.uint64)
    for row in range(4):
        bit_columns(
            features[row], count, plan.packing.lane_words, cpu.column_kind,
            cpu.column_low, cpu.column_high, cpu.lane_highest, unary, columns[row],
        )  # fmt: skip
        if len(plan.derived_flags):
            derive_columns(
                features[row], columns[row], plan.derived_flags, plan.derived_offsets,
                plan.derived_boxes, cpu.box_offsets, cpu.box_columns, cpu.column_kind,
                cpu.column_low, plan.packing.lane_words,
            )  # fmt: skip
    return features, columns


def _walk(
    plan: Plan,
    deals: DealArrays,
    start: int,
    stop: int,
    *,
    counts: U32,
    pair_nodes: U32,
    pair_deals: U16,
    completed_only: bool = False,
    max_depth: int | None = None,
) -> int:
    """Walk a block of deals; return how many pairs were written, -1 if they did not fit."""
    cpu = _CpuPlan.of(plan)
    bit_words = (stop - start + 63) // 64
    threshold = _threshold(bit_words)
    features, columns = _block(plan, cpu, deals, start, stop, rotate=True, threshold=threshold)
    written: int = walk_block(
        features, columns, stop - start, threshold,
        plan.packing.lane_words, plan.packing.flag_words, cpu.boxes, cpu.box_offsets,
        cpu.box_columns, plan.set_offsets, plan.set_boxes, plan.first_child,
        plan.child_count, plan.node_box, plan.flags, plan.root_count,
        int(completed_only), UNBOUNDED_DEPTH if max_depth is None else max_depth,
        _buffer("bits", (cpu.levels + 2, bit_words), np.uint64),
        _buffer("lists", (cpu.levels + 1, threshold), np.uint16),
        counts, pair_nodes, pair_deals,
    )  # fmt: skip
    return written


def features(plan: Plan, deals: DealArrays) -> U64:
    """Packed words by dealer-relative seat, uint64 [4, deals, words]."""
    words = plan.packing.lane_words + plan.packing.flag_words
    out = np.empty((4, len(deals), words), np.uint64)
    deals = _plain(deals)
    size = _block_size(len(deals))

    def one_block(start: int) -> None:
        stop = min(start + size, len(deals))
        block = _buffer("features", (4, stop - start, words), np.uint64)
        _pack(plan, deals, start, stop, rotate=True, out=block)
        _derive(plan, block)
        out[:, start:stop] = block

    _blocks.run_all(one_block, range(0, len(deals), size))
    return out


def evaluate(plan: Plan, deals: DealArrays, expressions: Sequence[int] | None = None) -> BitColumns:
    """Bit columns of expressions on all four compass hands (all of the plan's by default)."""
    numbers = range(len(plan.expressions)) if expressions is None else expressions
    boxes = plan.expression_boxes[np.array(numbers, np.int64)].astype(np.int64)
    single = _single_boxes(plan, boxes)
    if _CpuPlan.of(plan).box_is_derived[single].any():
        single = np.union1d(single, plan.derived_boxes.astype(np.int64))
    cpu = _CpuPlan.of(plan).only(single)
    result = BitColumns.empty(len(numbers), len(deals))
    deals = _plain(deals)
    size = _block_size(len(deals))

    def one_block(start: int) -> None:
        stop = min(start + size, len(deals))
        bit_words = (stop - start + 63) // 64
        _, columns = _block(plan, cpu, deals, start, stop, rotate=False)
        box_bits(
            columns, stop - start, boxes, cpu.box_offsets, cpu.box_columns, plan.set_offsets,
            plan.set_boxes, result.words[:, :, start // 64 : start // 64 + bit_words],
        )  # fmt: skip

    _blocks.run_all(one_block, range(0, len(deals), size))
    return result


def cascade_counts(plan: Plan, deals: DealArrays) -> U64:
    """Per node, how many deals reach it (uint64 [nodes])."""
    deals = _plain(deals)
    total = np.zeros(plan.node_count, np.uint64)
    # each thread sorts and walks runs of deals of its own
    run = max(1, min(SORTED_DEALS, -(-len(deals) // _blocks.threads)))
    runs = range(0, len(deals), run)
    shares = [runs[share :: _blocks.threads] for share in range(_blocks.threads)]

    def one_share(share: int) -> U32:
        # 32 bits a node and thread: a share has fewer than 2**32 deals
        counts = np.zeros(plan.node_count, np.uint32)
        for start in shares[share]:
            part, _ = _sorted_by_dealer(deals, start, min(start + run, len(deals)))
            for first in range(0, len(part), BLOCK_DEALS):
                _walk(
                    plan, part, first, min(first + BLOCK_DEALS, len(part)), counts=counts,
                    pair_nodes=_NO_PAIRS, pair_deals=_NO_DEALS,
                )  # fmt: skip
        return counts

    for counts in _blocks.run(one_share, [n for n, share in enumerate(shares) if len(share)]):
        total += counts
    return total


def cascade_all(
    plan: Plan,
    deals: DealArrays,
    *,
    completed_only: bool = False,
    max_depth: int | None = None,
    limit: int | None = None,
) -> Iterator[EntryLists]:
    """Per deal, the nodes it reaches, depth first; in chunks of deals that fit the memory."""
    deals = _plain(deals)
    capacity = pairs_that_fit(_blocks.threads, bytes_per_pair=10)
    size = min(_block_size(len(deals)), _deals_that_fit(plan, deals, capacity))

    def one_block(start: int) -> list[EntryLists]:
        return list(
            _lists_of(
                plan, deals, start, min(start + size, len(deals)), capacity=capacity,
                completed_only=completed_only, max_depth=max_depth, limit=limit,
            )
        )  # fmt: skip

    for lists in _blocks.run(one_block, range(0, len(deals), size)):
        yield from lists


def _deals_that_fit(plan: Plan, deals: DealArrays, pairs: int) -> int:
    """How many deals' pairs fit, judged by a sample; a block that still does not fit is split."""
    if len(deals) <= _SAMPLE_DEALS:
        return _SAMPLE_DEALS
    reached = cascade_counts(plan, deals.slice(0, _SAMPLE_DEALS))
    pairs_per_deal = max(1.0, int(reached.sum()) / _SAMPLE_DEALS)
    return max(64, int(pairs / (1.5 * pairs_per_deal)) // 64 * 64)


def _lists_of(
    plan: Plan,
    deals: DealArrays,
    start: int,
    stop: int,
    *,
    capacity: int,
    completed_only: bool,
    max_depth: int | None,
    limit: int | None,
) -> Iterator[EntryLists]:
    """Entry lists of deals ``start`` to ``stop``, split until a part's pairs fit."""
    count = stop - start
    # a single deal reaches no more entries than there are
    capacity = min(capacity, count * plan.node_count) if count > 1 else plan.node_count
    pair_nodes = _buffer("pair_nodes", (max(1, capacity),), np.uint32)
    pair_deals = _buffer("pair_deals", (max(1, capacity),), np.uint16)
    block, order = _sorted_by_dealer(deals, start, stop)
    written = _walk(
        plan, block, 0, count, counts=_NO_COUNTS, pair_nodes=pair_nodes,
        pair_deals=pair_deals, completed_only=completed_only, max_depth=max_depth,
    )  # fmt: skip
    if written < 0:
        # halves keep to whole words of bits, so that blocks stay as they were
        middle = start + max(1, count // 2 // 64 * 64 or count // 2)
        for first, last in ((start, middle), (middle, stop)):
            yield from _lists_of(
                plan, deals, first, last, capacity=capacity, completed_only=completed_only,
                max_depth=max_depth, limit=limit,
            )  # fmt: skip
        return
    totals = np.empty(count, np.uint64)
    entries = np.empty(written, np.uint32)
    most = written if limit is None else limit
    filled = group_pairs(pair_nodes, pair_deals, written, order, most, totals, entries)
    offsets = np.zeros(count + 1, np.uint64)
    np.cumsum(np.minimum(totals, np.uint64(most)), out=offsets[1:])
    yield EntryLists(start, offsets, entries[:filled], totals)


def cascade_first(plan: Plan, deals: DealArrays) -> FirstAuctions:
    """Per deal, the one auction."""
    cpu = _CpuPlan.of(plan)
    result = FirstAuctions.empty(len(deals))
    deals = _plain(deals)
    size = _block_size(len(deals))

    def one_block(start: int) -> None:
        stop = min(start + size, len(deals))
        bit_words = (stop - start + 63) // 64
        threshold = _threshold(bit_words)
        features, columns = _block(plan, cpu, deals, start, stop, rotate=True, threshold=threshold)
        first_block(
            features, columns, stop - start, threshold, plan.packing.lane_words,
            plan.packing.flag_words, cpu.boxes, cpu.box_offsets, cpu.box_columns,
            plan.set_offsets, plan.set_boxes, plan.first_child, plan.child_count,
            plan.node_box, plan.call, plan.flags, plan.root_count,
            _buffer("bits", (cpu.levels + 3, bit_words), np.uint64),
            _buffer("lists", (cpu.levels + 2, max(1, threshold)), np.uint16),
            result.entry[start:stop], result.passes[start:stop], result.defaults[start:stop],
        )  # fmt: skip

    _blocks.run_all(one_block, range(0, len(deals), size))
    return result


def members(plan: Plan, deals: DealArrays, entries: Sequence[int]) -> BitColumns:
    """For chosen nodes, the bit column of the deals that reach them."""
    result = BitColumns.empty(len(entries), len(deals), seats=1)
    deals = _plain(deals)
    for first in range(0, len(entries), _MEMBERS_AT_ONCE):
        chosen = entries[first : first + _MEMBERS_AT_ONCE]
        _members(plan, deals, chosen, result.words[first : first + len(chosen)])
    return result


def _members(plan: Plan, deals: DealArrays, entries: Sequence[int], out: U64) -> None:
    """Fill ``out`` [entries, 1, words]; each shared prefix is worked out once."""
    cpu = _CpuPlan.of(plan)
    depth_of: dict[int, int] = {}
    for entry in entries:
        path = []
        node = int(entry)
        while node != plan.node_count and node not in depth_of:
            path.append(node)
            node = int(plan.parent[node])
        depth = depth_of[node] if node != plan.node_count else -1
        for step, ancestor in enumerate(reversed(path), start=1):
            depth_of[ancestor] = depth + step
    nodes = sorted(depth_of)  # parents precede their children
    place = {node: number for number, node in enumerate(nodes)}
    place[plan.node_count] = -1
    parents = np.array([place[int(plan.parent[node])] for node in nodes], np.int64)
    seats = np.array([depth_of[node] & 3 for node in nodes], np.int64)
    boxes = plan.node_box[np.array(nodes, np.int64)].astype(np.int64)
    wanted = np.array([place[int(entry)] for entry in entries], np.int64)

    size = _block_size(len(deals))

    def one_block(start: int) -> None:
        stop = min(start + size, len(deals))
        bit_words = (stop - start + 63) // 64
        _, columns = _block(plan, cpu, deals, start, stop, rotate=True)
        reached = _buffer("reached", (len(nodes), bit_words), np.uint64)
        member_bits(
            columns, stop - start, parents, seats, boxes, cpu.box_offsets, cpu.box_columns,
            plan.set_offsets, plan.set_boxes, reached,
        )  # fmt: skip
        out[:, 0, start // 64 : start // 64 + bit_words] = reached[wanted]

    if len(nodes):
        _blocks.run_all(one_block, range(0, len(deals), size))


def warm_up(plan: Plan) -> None:
    """Compile (or load from the cache) all that a plan's first answers need.

    One deal, one block and several blocks: they differ in the shapes that numba compiles for.
    """
    several = 1024 * _blocks.threads + 64
    zeros = np.zeros(several, np.uint8)
    hands = np.repeat(
        np.array([[0x1FFF << 13 * suit] for suit in range(4)], np.uint64), several, axis=1
    )
    for count in (1, 64, several):
        deals = DealArrays(hands[:, :count], zeros[:count], zeros[:count])
        cascade_counts(plan, deals)
        cascade_first(plan, deals)
        for limit in (None, 1):
            list(cascade_all(plan, deals, limit=limit))
        if plan.expressions:
            evaluate(plan, deals, [0])
        if plan.node_count:
            members(plan, deals, [0])
