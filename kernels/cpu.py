"""The ``cpu`` backend: kernels of the core and of numba, driven over blocks of deals by threads.

A block's features, bit columns and sets fit the processor's caches; nothing the size of
deals × entries is ever made.
"""

import logging
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from threading import local
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .core.functions import pack_by_tables, sort_by_dealer
from .core.packing import PackingTables
from .cpu_features import Columns, bit_columns
from .cpu_walk import (
    Boxes,
    Derived,
    Nodes,
    box_bits,
    derive_columns,
    derive_flags,
    filter_list,
    group_pairs,
    member_bits,
    walk_block,
)
from .layout import LANE_LIMIT
from .plan import MULTIPLE, Family, Plan, box_bytes, box_rows, family
from .results import BitColumns, DealArrays, EntryLists, FirstAuctions
from .runs import numbers_of_runs
from .threads import in_blocks, in_order, thread_count
from .types import U8, U16, U32, U64

_logger = logging.getLogger("bidcascade.kernels")

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

_NO_U8: U8 = np.zeros(0, np.uint8)
_NO_U16: U16 = np.zeros(0, np.uint16)
_NO_U32: U32 = np.zeros(0, np.uint32)


class _CpuPlan(NamedTuple):
    """A plan as the kernels take it; made once a plan."""

    packing: PackingTables
    boxes: Boxes
    columns: Columns
    derived: Derived
    nodes: Nodes
    box_is_derived: NDArray[np.bool_]  # whether the box asks for a derived flag
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
        low, high, need, forbid = box_bytes(plan)
        numbers: dict[tuple[int, int, int], int] = {}
        offsets, members = [0], []
        for box in range(len(plan.boxes)):
            tests = [
                (int(lane), int(low[box, lane]), int(high[box, lane]))
                for lane in np.flatnonzero((low[box] > 0) | (high[box] < LANE_LIMIT))
            ]
            tests += [(-1, int(flag), 0) for flag in np.flatnonzero(need[box])]
            tests += [(-2, int(flag), 0) for flag in np.flatnonzero(forbid[box])]
            if box > 1:  # ALWAYS and NEVER are never looked up
                members += [numbers.setdefault(test, len(numbers)) for test in tests]
            offsets.append(len(members))
        return cls(
            PackingTables(plan.packing),
            Boxes(
                box_rows(plan), np.array(offsets, np.int32), np.array(members, np.int32),
                plan.set_offsets, plan.set_boxes, lanes, flags,
            ),
            _columns(np.array(list(numbers), np.int32).reshape(-1, 3).T, 8 * lanes),
            Derived(plan.derived_flags, plan.derived_offsets, plan.derived_boxes),
            Nodes(
                plan.first_child, plan.child_count, plan.node_box, plan.call, plan.flags,
                plan.root_count,
            ),
            np.any((need | forbid)[:, plan.derived_flags], axis=1),
            _depth(plan),
        )  # fmt: skip

    def only(self, numbers: NDArray[np.int64]) -> "_CpuPlan":
        """Narrow the columns to those that some boxes use; other boxes become meaningless."""
        boxes, columns = self.boxes, self.columns
        spans = [
            boxes.columns[boxes.column_offsets[box] : boxes.column_offsets[box + 1]]
            for box in numbers
        ]
        used = np.unique(np.concatenate(spans)) if spans else np.zeros(0, np.int32)
        renumbered = np.zeros(len(columns.kind), np.int32)
        renumbered[used] = np.arange(len(used), dtype=np.int32)
        return self._replace(
            boxes=boxes._replace(columns=renumbered[boxes.columns]),
            columns=_columns(np.stack(columns[:3])[:, used], len(columns.lane_highest)),
        )


def _columns(tests: NDArray[np.int32], lanes: int) -> Columns:
    """Columns of tests, int32 [3, columns]: kind, low, high."""
    kind, low, high = np.ascontiguousarray(tests)
    highest = np.zeros(lanes, np.int64)
    is_lane = kind >= 0
    asked = np.maximum(low, np.where(high < LANE_LIMIT, high + 1, 1))
    np.maximum.at(highest, kind[is_lane], asked[is_lane])
    return Columns(kind, low, high, highest)


def _plan_of_boxes(plan: Plan, boxes: NDArray[np.int64]) -> _CpuPlan:
    """Plan with the columns alone that some boxes and sets of boxes need."""
    single = _single_boxes(plan, boxes)
    if _CpuPlan.of(plan).box_is_derived[single].any():
        single = np.union1d(single, plan.derived_boxes.astype(np.int64))
    return _CpuPlan.of(plan).only(single)


def _single_boxes(plan: Plan, boxes: NDArray[np.int64]) -> NDArray[np.int64]:
    """All boxes that some boxes and sets of boxes name."""
    members = [boxes[(boxes & MULTIPLE) == 0]]
    for number in boxes[(boxes & MULTIPLE) != 0] & (MULTIPLE - 1):
        start, stop = int(plan.set_offsets[number]), int(plan.set_offsets[number + 1])
        members.append(plan.set_boxes[start:stop].astype(np.int64))
    return np.unique(np.concatenate(members))


def _depth(plan: Plan) -> int:
    """Length of the longest auction in the table."""
    depth, nodes = 0, np.arange(plan.root_count, dtype=np.int64)
    while len(nodes):
        depth += 1
        nodes = numbers_of_runs(plan.first_child[nodes], plan.child_count[nodes])
    return depth


_scratch = local()


def _buffer(name: str, shape: tuple[int, ...], dtype: Any) -> Any:
    """Scratch array of the calling thread, kept between blocks."""
    buffers: dict[str, NDArray[Any]] = _scratch.__dict__.setdefault("buffers", {})
    size = int(np.prod(shape))
    if name not in buffers or buffers[name].size < size or buffers[name].dtype != dtype:
        buffers[name] = np.empty(size, dtype)
    return buffers[name][:size].reshape(shape)


def _spans(deals: int) -> list[tuple[int, int]]:
    """Blocks of deals: whole words, and work for every thread."""
    share = -(-deals // (64 * thread_count())) * 64
    size = max(1, min(BLOCK_DEALS, max(share, 1024)))
    return [(start, min(start + size, deals)) for start in range(0, deals, size)]


def _threshold(bit_words: int) -> int:
    """Where lists begin: walking a few deals must cost less than ANDing the words of a block."""
    return min(LIST_THRESHOLD, max(4, bit_words // 16))


def _plain(deals: DealArrays) -> DealArrays:
    """Deals in arrays in one piece, as kernels want them."""
    arrays = (deals.hands, deals.dealer, deals.vulnerability)
    if all(array.flags.c_contiguous for array in arrays):
        return deals
    return DealArrays(*map(np.ascontiguousarray, arrays))


def _sorted_by_dealer(deals: DealArrays, start: int, stop: int) -> tuple[DealArrays, U32]:
    """Sort some deals as ``sort_by_dealer`` does; return which deal is at each place, too."""
    if stop - start == len(deals) <= 64:
        # one word of bits: there is nothing to win
        return deals, np.arange(len(deals), dtype=np.uint32)
    return sort_by_dealer(deals, start, stop)


def _block(
    plan: Plan, cpu: _CpuPlan, deals: DealArrays, start: int, stop: int, *, rotate: bool = True,
    threshold: int = 0,
) -> tuple[U64, U64]:  # fmt: skip
    """Packed words [4, n, words] and bit columns [4, columns, bit words] of a block of deals.

    Blocks smaller than ``threshold`` are walked as lists; their columns are not filled.
    """
    count = stop - start
    lane_words = plan.packing.lane_words
    features = _buffer("features", (4, count, lane_words + plan.packing.flag_words), np.uint64)
    pack_by_tables(cpu.packing, deals, start, stop, features, rotate=rotate)
    bit_words = (count + 63) // 64
    columns = _buffer("columns", (4, len(cpu.columns.kind), bit_words), np.uint64)
    if count < threshold:
        if len(plan.derived_flags):
            derive_flags(features, cpu.boxes, cpu.derived)
        return features, columns
    highest = int(cpu.columns.lane_highest.max(initial=0))
    unary = _buffer("unary", (highest + 2, bit_words), np.uint64)
    for row in range(4):
        bit_columns(features[row], count, lane_words, cpu.columns, unary, columns[row])
        if len(plan.derived_flags):
            derive_columns(features[row], columns[row], cpu.boxes, cpu.columns, cpu.derived)
    return features, columns


def _walk(
    plan: Plan, deals: DealArrays, start: int, stop: int, *, completed_only: bool = False,
    max_depth: int | None = None, counts: U32 = _NO_U32,
    pairs: tuple[U32, U16] = (_NO_U32, _NO_U16), first: FirstAuctions | None = None,
) -> int:  # fmt: skip
    """Walk a block of deals; return how many pairs were written, -1 if they did not fit."""
    cpu = _CpuPlan.of(plan)
    bit_words = (stop - start + 63) // 64
    threshold = _threshold(bit_words)
    features, columns = _block(plan, cpu, deals, start, stop, threshold=threshold)
    ends = (_NO_U32, _NO_U8, _NO_U16)
    if first is not None:
        ends = (first.entry[start:stop], first.passes[start:stop], first.defaults[start:stop])
    written: int = walk_block(
        features, columns, stop - start, threshold, *cpu.boxes, *cpu.nodes,
        _buffer("bits", (cpu.levels + 3, bit_words), np.uint64),
        _buffer("lists", (cpu.levels + 2, max(1, threshold)), np.uint16),
        int(completed_only), UNBOUNDED_DEPTH if max_depth is None else max_depth,
        counts, *pairs, int(first is not None), *ends,
    )  # fmt: skip
    return written


def _for_blocks(deals: DealArrays, function: Callable[[int, int], object]) -> None:
    """``function(start, stop)`` for all blocks of deals, for its effect."""
    spans = _spans(len(deals))
    in_blocks(lambda number: function(*spans[number]), range(len(spans)))


def features(plan: Plan, deals: DealArrays) -> U64:
    """Packed words by dealer-relative seat, uint64 [4, deals, words]."""
    cpu = _CpuPlan.of(plan)
    out = np.empty((4, len(deals), cpu.boxes.lane_words + cpu.boxes.flag_words), np.uint64)

    def one_block(start: int, stop: int) -> None:
        block = _buffer("features", (4, stop - start, out.shape[2]), np.uint64)
        pack_by_tables(cpu.packing, deals, start, stop, block)
        derive_flags(block, cpu.boxes, cpu.derived)
        out[:, start:stop] = block

    deals = _plain(deals)
    _for_blocks(deals, one_block)
    return out


def evaluate(plan: Plan, deals: DealArrays, expressions: Sequence[int] | None = None) -> BitColumns:
    """Bit columns of expressions on all four compass hands (all of the plan's by default)."""
    numbers = range(len(plan.expressions)) if expressions is None else expressions
    boxes = plan.expression_boxes[np.array(numbers, np.int64)].astype(np.int64)
    cpu = _plan_of_boxes(plan, boxes)
    result = BitColumns.empty(len(numbers), len(deals))

    def one_block(start: int, stop: int) -> None:
        _, columns = _block(plan, cpu, deals, start, stop, rotate=False)
        out = result.words[:, :, start // 64 : (stop + 63) // 64]
        box_bits(columns, stop - start, boxes, cpu.boxes, out)

    deals = _plain(deals)
    _for_blocks(deals, one_block)
    return result


def cascade_counts(plan: Plan, deals: DealArrays) -> U64:
    """Per node, how many deals reach it (uint64 [nodes])."""
    deals = _plain(deals)
    total = np.zeros(plan.node_count, np.uint64)
    # each thread sorts and walks runs of deals of its own
    run = max(1, min(SORTED_DEALS, -(-len(deals) // thread_count())))
    runs = range(0, len(deals), run)

    def one_share(share: int) -> U32:
        # 32 bits a node and thread: a share has fewer than 2**32 deals
        counts = np.zeros(plan.node_count, np.uint32)
        for start in runs[share :: thread_count()]:
            part, _ = _sorted_by_dealer(deals, start, min(start + run, len(deals)))
            for first in range(0, len(part), BLOCK_DEALS):
                _walk(plan, part, first, min(first + BLOCK_DEALS, len(part)), counts=counts)
        return counts

    for counts in in_order(one_share, range(min(thread_count(), len(runs)))):
        total += counts
    return total


def cascade_all(
    plan: Plan, deals: DealArrays, *, completed_only: bool = False, max_depth: int | None = None,
    limit: int | None = None,
) -> Iterator[EntryLists]:  # fmt: skip
    """Per deal, the nodes it reaches, depth first; in chunks of deals that fit the memory."""
    deals = _plain(deals)
    most_pairs = pairs_that_fit(thread_count(), bytes_per_pair=10)
    size = _deals_that_fit(plan, deals, most_pairs)

    def lists_of(start: int, stop: int) -> Iterator[EntryLists]:
        """Entry lists of deals ``start`` to ``stop``, split until a part's pairs fit."""
        # no function that calls itself: it would keep the plan until garbage is collected
        waiting = [(start, stop, most_pairs)]
        while waiting:
            start, stop, capacity = waiting.pop()
            count = stop - start
            # a single deal reaches no more entries than there are
            capacity = min(capacity, count * plan.node_count) if count > 1 else plan.node_count
            pair_nodes = _buffer("pair_nodes", (max(1, capacity),), np.uint32)
            pair_deals = _buffer("pair_deals", (max(1, capacity),), np.uint16)
            block, order = _sorted_by_dealer(deals, start, stop)
            written = _walk(
                plan, block, 0, count, completed_only=completed_only, max_depth=max_depth,
                pairs=(pair_nodes, pair_deals),
            )  # fmt: skip
            if written < 0:
                # halves keep to whole words of bits, so that blocks stay as they were
                middle = start + max(1, count // 2 // 64 * 64 or count // 2)
                waiting += [(middle, stop, capacity), (start, middle, capacity)]
                continue
            totals = np.empty(count, np.uint64)
            entries = np.empty(written, np.uint32)
            most = written if limit is None else limit
            filled = group_pairs(pair_nodes, pair_deals, written, order, most, totals, entries)
            offsets = np.zeros(count + 1, np.uint64)
            np.cumsum(np.minimum(totals, np.uint64(most)), out=offsets[1:])
            yield EntryLists(start, offsets, entries[:filled], totals)

    spans = [
        (first, min(first + size, stop))
        for start, stop in _spans(len(deals))
        for first in range(start, stop, size)
    ]
    for lists in in_order(lambda number: list(lists_of(*spans[number])), range(len(spans))):
        yield from lists


def pairs_that_fit(threads: int, bytes_per_pair: int) -> int:
    """How many (entry, deal) pairs each thread may hold: an eighth of the memory, 32 M at most."""
    fitting = _available_bytes() // 8 // threads // bytes_per_pair
    chosen = max(1 << 16, min(1 << 25, fitting))
    _logger.debug("chunks of at most %d pairs on each of %d threads", chosen, threads)
    return chosen


def _available_bytes() -> int:
    """Memory that can be taken now: the least of what the machine and its control group allow."""
    known = []
    with suppress(AttributeError, ValueError, OSError):
        try:
            text = Path("/proc/meminfo").read_text("ascii")
            found = re.search(r"^MemAvailable:\s*(\d+)", text, re.MULTILINE)
            known += [int(found[1]) << 10] if found else []
        except OSError:
            known.append(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(ValueError, OSError):
        # "max", which is no number, where there is no limit
        limit = int(Path("/sys/fs/cgroup/memory.max").read_text("ascii"))
        used = int(Path("/sys/fs/cgroup/memory.current").read_text("ascii"))
        known.append(max(0, limit - used))
    return max(64 << 20, min(known)) if known else 2 << 30


def _deals_that_fit(plan: Plan, deals: DealArrays, pairs: int) -> int:
    """How many deals' pairs fit, judged by a sample; a block that still does not fit is split."""
    if len(deals) <= _SAMPLE_DEALS:
        return _SAMPLE_DEALS
    reached = cascade_counts(plan, deals.slice(0, _SAMPLE_DEALS))
    pairs_per_deal = max(1.0, int(reached.sum()) / _SAMPLE_DEALS)
    return max(64, int(pairs / (1.5 * pairs_per_deal)) // 64 * 64)


def cascade_first(plan: Plan, deals: DealArrays) -> FirstAuctions:
    """Per deal, the one auction."""
    result = FirstAuctions.empty(len(deals))
    deals = _plain(deals)
    _for_blocks(deals, lambda start, stop: _walk(plan, deals, start, stop, first=result))
    return result


def members(plan: Plan, deals: DealArrays, entries: Sequence[int]) -> BitColumns:
    """For chosen nodes, the bit column of the deals that reach them."""
    result = BitColumns.empty(len(entries), len(deals), seats=1)
    deals = _plain(deals)
    for first in range(0, len(entries), _MEMBERS_AT_ONCE):
        chosen = family(plan, entries[first : first + _MEMBERS_AT_ONCE])
        cpu = _plan_of_boxes(plan, chosen.boxes)
        out = result.words[first : first + len(chosen.wanted)]

        def one_block(
            start: int, stop: int, chosen: Family = chosen, cpu: _CpuPlan = cpu, out: U64 = out
        ) -> None:  # fmt: skip
            _, columns = _block(plan, cpu, deals, start, stop)
            reached = _buffer("reached", (len(chosen.seats), (stop - start + 63) // 64), np.uint64)
            member_bits(
                columns, stop - start, chosen.parents, chosen.seats, chosen.boxes, cpu.boxes,
                reached,
            )  # fmt: skip
            out[:, 0, start // 64 : (stop + 63) // 64] = reached[chosen.wanted]

        _for_blocks(deals, one_block)
    return result


def deals_that_pass(plan: Plan, words: U64, deals: U32, nodes: Sequence[int]) -> list[U32]:
    """Of some deals those that meet the criteria of each of some nodes, whatever comes before.

    ``words`` [all deals, words] are those of :func:`features` at the seat that calls there.
    """
    boxes = _CpuPlan.of(plan).boxes

    def one_node(node: int) -> U32:
        passing = np.empty(len(deals), np.uint32)
        kept = filter_list(
            deals, len(deals), passing, words, int(plan.node_box[node]), boxes.rows,
            boxes.set_offsets, boxes.set_boxes, boxes.lane_words, boxes.flag_words,
        )  # fmt: skip
        return passing[:kept].copy()

    return in_blocks(one_node, nodes)


def warm_up(plan: Plan) -> None:
    """Compile (or load from the cache) all that a plan's first answers need.

    One deal, one block and several blocks: they differ in the shapes that numba compiles for.
    """
    several = 1024 * thread_count() + 64
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
