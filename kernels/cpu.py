"""The ``cpu`` backend: the core over blocks of deals, by threads.

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
from .core.hands.packing import PackingTables
from .core.tables.tables import (
    NO_U16,
    NO_U32,
    PAIRS_FULL,
    Arena,
    CoreTable,
    TableTests,
    Trie,
    block_words,
    box_bits,
    checked_table,
    derive_flags,
    filter_deals,
    group_pairs,
    member_bits,
    row_words,
    walk,
)
from .machine.threads import in_blocks, in_order, thread_count
from .number_ranges import numbers_of_ranges
from .plan import MULTIPLE, Family, Plan, family
from .results import BitColumns, DealArrays, EntryLists, FirstAuctions
from .types import U16, U32, U64

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


class _CpuPlan(NamedTuple):
    """A plan as the core takes it; made once a plan."""

    table: CoreTable
    words: dict[tuple[int, int], int]
    """Arena that blocks take, by their deals and where lists begin."""

    @classmethod
    def of(cls, plan: Plan) -> "_CpuPlan":
        cached = plan.cache.get(NAME)
        if not isinstance(cached, cls):
            trie = Trie(plan, _depth(plan))
            tests = TableTests.of_plan(plan)
            cached = cls(checked_table(PackingTables(plan.packing), tests, trie), {})
            plan.cache[NAME] = cached
        return cached

    def only(self, boxes: NDArray[np.int64]) -> "_CpuPlan":
        """Narrow the columns to those that some boxes use, for work without the trie."""
        packing, tests, _ = self.table
        return _CpuPlan(checked_table(packing, tests.only(boxes), None), {})

    def arena(self, count: int, threshold: int = 1) -> Arena:
        """Arena of the calling thread for a block of so many deals."""
        words = self.words.get((count, threshold))
        if words is None:
            words = self.words[count, threshold] = block_words(self.table, count, threshold)
        arena: Arena | None = getattr(_scratch, "arena", None)
        if arena is None:
            arena = _scratch.arena = Arena()
        return arena.of(words)


def table_of(plan: Plan) -> CoreTable:
    """Give a plan as the core takes it; made once a plan."""
    return _CpuPlan.of(plan).table


def _plan_of_boxes(plan: Plan, boxes: NDArray[np.int64]) -> _CpuPlan:
    """Plan with the columns alone that some boxes and sets of boxes need."""
    return _CpuPlan.of(plan).only(_single_boxes(plan, boxes))


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
        nodes = numbers_of_ranges(plan.first_child[nodes], plan.child_count[nodes])
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


def _walk(
    cpu: _CpuPlan,
    deals: DealArrays,
    start: int,
    stop: int,
    *,
    completed_only: bool = False,
    max_depth: int | None = None,
    counts: U32 = NO_U32,
    pairs: tuple[U32, U16] = (NO_U32, NO_U16),
    first: FirstAuctions | None = None,
) -> int:
    """Walk a block of deals; return how many pairs were written, PAIRS_FULL if they did not fit."""
    threshold = _threshold((stop - start + 63) // 64)
    return walk(
        cpu.table,
        deals,
        start,
        stop,
        cpu.arena(stop - start, threshold),
        threshold=threshold,
        max_depth=UNBOUNDED_DEPTH if max_depth is None else max_depth,
        completed_only=completed_only,
        counts=counts,
        pairs=pairs,
        first=first,
    )


def _for_blocks(deals: DealArrays, function: Callable[[int, int], object]) -> None:
    """``function(start, stop)`` for all blocks of deals, for its effect."""
    spans = _spans(len(deals))
    in_blocks(lambda number: function(*spans[number]), range(len(spans)))


def features(plan: Plan, deals: DealArrays) -> U64:
    """Packed words by dealer-relative seat, uint64 [4, deals, words]."""
    table = table_of(plan)
    words = plan.packing.lane_words + plan.packing.flag_words
    out = np.empty((4, len(deals), words), np.uint64)

    def one_block(start: int, stop: int) -> None:
        block = _buffer("features", (4, stop - start, words), np.uint64)
        pack_by_tables(table.packing, deals, start, stop, block)
        derive_flags(table, block.reshape(-1, words))
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
        box_bits(cpu.table, deals, start, stop, cpu.arena(stop - start), boxes, result.words)

    deals = _plain(deals)
    _for_blocks(deals, one_block)
    return result


def cascade_counts(plan: Plan, deals: DealArrays) -> U64:
    """Per node, how many deals reach it (uint64 [nodes])."""
    # made before threads would each make it
    cpu, deals = _CpuPlan.of(plan), _plain(deals)
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
                _walk(cpu, part, first, min(first + BLOCK_DEALS, len(part)), counts=counts)
        return counts

    for counts in in_order(one_share, range(min(thread_count(), len(runs)))):
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
    cpu, deals = _CpuPlan.of(plan), _plain(deals)
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
                cpu,
                block,
                0,
                count,
                completed_only=completed_only,
                max_depth=max_depth,
                pairs=(pair_nodes, pair_deals),
            )
            if written == PAIRS_FULL:
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
    cpu, deals = _CpuPlan.of(plan), _plain(deals)
    _for_blocks(deals, lambda start, stop: _walk(cpu, deals, start, stop, first=result))
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
        ) -> None:
            reached = _buffer("reached", (len(chosen.seats), row_words(stop - start)), np.uint64)
            member_bits(
                cpu.table,
                deals,
                start,
                stop,
                cpu.arena(stop - start),
                chosen.parents,
                chosen.seats,
                chosen.boxes,
                reached,
            )
            words = slice(start // 64, (stop + 63) // 64)
            out[:, 0, words] = reached[chosen.wanted, : words.stop - words.start]

        _for_blocks(deals, one_block)
    return result


def deals_that_pass(plan: Plan, words: U64, deals: U32, nodes: Sequence[int]) -> list[U32]:
    """Of some deals those that meet the criteria of each of some nodes, whatever comes before.

    ``words`` [all deals, words] are those of :func:`features` at the seat that calls there.
    """
    table = table_of(plan)
    return in_blocks(
        lambda node: filter_deals(table, words, deals, int(plan.node_box[node])), nodes
    )
