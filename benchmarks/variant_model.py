"""How much each candidate for the cascade on the GPU has to do, counted; and a time from that.

The counting is exact: blocks of deals, sorted as the backend sorts them, are run through the table,
and the visits, filter steps and columns that each candidate would need are added up. The time is a
prediction: warp instructions of the inner loops, read off the sources and rounded, over the rate at
which an H200 is expected to issue them, or the bytes that columns bring from the second-level cache
if that takes longer. It is there to choose what to measure.

    walk      a deal a thread: tests × TEST each, in warps that wait for their longest deal, and one
              atomic for every entry that a deal reaches
    lists     a warp a (block of deals, run of nodes): VISIT for each node tried, STEP for each 32
              deals of its parent's list
    frontier  a thread a (node, deal) test: search, test, append; 40 bytes a survivor
    hybrid    as lists, on bit columns: a column of the block for each criterion of a node, and only
              one word a lane when 32 deals or fewer are left
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels import DealArrays, Plan
from bidcascade.kernels.types import U64

from .roofline import H200, Load

ISSUE_RATE = 5e11
"""Warp instructions a second: 132 multiprocessors × 4 schedulers × 1.75 GHz, at 55 %."""
CACHE_RATE = 5.5e12
"""Bytes a second from the second-level cache, where the columns of a block of deals lie."""
NARROW_BYTES = 5 * 32
"""Of a column that each lane reads one word of: five sectors, for five deals apart."""
ATOMIC_RATE = 5e9
"""Atomic additions to different words of the second-level cache a second."""

SAMPLE_DEALS = 1 << 16
"""Deals whose blocks are counted."""

Counts: TypeAlias = Callable[[Plan, DealArrays], U64]
"""How many of some deals reach each entry, by whatever engine there is."""

TEST = 35
VISIT = 40
STEP = 30
SEARCH_AND_APPEND = 60
SURVIVOR_BYTES = 40
WORD = 3
COLUMN = 4
LANE_COLUMN = 5


def sort_keys(deals: DealArrays) -> NDArray[np.int64]:
    """Key that the backend sorts deals by: the dealer's points, longest suit and its length."""
    hands = deals.hands[deals.dealer, np.arange(len(deals))]
    points, longest, suit = (np.zeros(len(deals), np.int64) for _ in range(3))
    for number in range(4):
        holding = (hands >> np.uint64(13 * number)) & np.uint64(0x1FFF)
        for place, worth in ((12, 4), (11, 3), (10, 2), (9, 1)):
            points += worth * (holding >> np.uint64(place) & np.uint64(1)).astype(np.int64)
        length = np.bitwise_count(holding).astype(np.int64)
        suit = np.where(length > longest, number, suit)
        longest = np.maximum(longest, length)
    return np.minimum(points, 31) * 32 + suit * 8 + np.clip(longest - 4, 0, 7)


def box_columns(plan: Plan) -> NDArray[np.int64]:
    """How many columns each node's box joins (0 for sets of boxes and undescribed nodes)."""
    lanes = plan.packing.lane_words
    low = plan.boxes[:, :lanes].copy().view(np.uint8)
    high = plan.boxes[:, lanes : 2 * lanes].copy().view(np.uint8)
    flags = np.bitwise_count(plan.boxes[:, 2 * lanes :]).sum(axis=1)
    columns = ((low > 0) | (high < 127)).sum(axis=1) + flags
    single = (plan.node_box > 1) & (plan.node_box < len(columns))
    return np.where(single, columns[np.where(single, plan.node_box, 0)], 0).astype(np.int64)


def block_load(plan: Plan, deals: DealArrays, count: Counts) -> Load:
    """Load of one block of deals, and of the deals one by one."""
    counts = count(plan, deals).astype(np.int64)
    above = np.append(counts, len(deals))[plan.parent]
    tried = (plan.node_box > 1) & (above > 0)
    columns, few = box_columns(plan), above <= 32
    return Load(
        visits=float(tried.sum()),
        wide_visits=float((tried & ~few).sum()),
        steps=float((-(-above[tried] // 32)).sum()),
        wide_columns=float(columns[tried & ~few].sum()),
        narrow_columns=float(columns[tried & few].sum()),
        tests=float(above[tried].sum()),
        survivors=float(counts[plan.node_box > 1].sum()),
    )


def sampled_load(
    plan: Plan, deals: DealArrays, block: int, count: Counts, *, sample: int = SAMPLE_DEALS
) -> Load:
    """Load of all deals in sorted blocks, from some of the blocks, drawn at random."""
    order = np.argsort(sort_keys(deals), kind="stable")
    block = min(block, len(deals))
    starts = np.random.default_rng(1).permutation(len(deals) // block)[: max(1, sample // block)]
    loads = []
    for start in (starts * block).tolist():
        chosen = order[start : start + block]
        part = DealArrays(deals.hands[:, chosen], deals.dealer[chosen], deals.vulnerability[chosen])
        loads.append(block_load(plan, part, count))
    scale = len(deals) / block / len(loads)
    return Load(*(scale * sum(parts) for parts in zip(*loads, strict=True)))


def predicted_seconds(variant: str, load: Load, block: int) -> float:
    """Seconds of a candidate on an H200, predicted from its load."""
    if variant == "walk":
        # sorted deals are alike; the longest of a warp's is taken as half again the mean
        instructions = 1.5 * load.tests / 32 * TEST
        return max(instructions / ISSUE_RATE, load.survivors / ATOMIC_RATE)
    if variant == "lists":
        return (load.visits * VISIT + load.steps * STEP) / ISSUE_RATE
    if variant == "frontier":
        instructions = load.tests / 32 * SEARCH_AND_APPEND
        return instructions / ISSUE_RATE + load.survivors * SURVIVOR_BYTES / H200.bytes
    if variant == "hybrid":
        wide = load.wide_columns * (COLUMN + WORD * block / 1024)
        instructions = load.visits * VISIT + wide + load.narrow_columns * LANE_COLUMN
        cached = load.wide_columns * block / 8 + load.narrow_columns * NARROW_BYTES
        return max(instructions / ISSUE_RATE, cached / CACHE_RATE)
    raise ValueError(f"expected walk, lists, frontier or hybrid, got {variant!r}")
