"""Floors: the time that some bytes and integer operations take a device at least.

The larger of bytes over the bandwidth and operations over their rate is the floor. Measured time
over the floor says how much is left to gain; the larger of the two says of what.

Two numbers are counted from plan and deals: the bytes that must cross the device's memory (inputs
read once, results written once), and the 32-bit integer operations that tests are made of. An
operation is one instruction of a thread on 32 bits (add, three-input logic, compare, shift), so
half of a 64-bit word costs one:

    test of a box   per lane word 8: two subtractions with carry, the OR and the final AND with
                    their neighbours merged to one three-input instruction each; per flag word 3;
                    2 to decide
    packing a hand  20 to take the holdings and lengths apart, 12 a word for six look-ups
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bidcascade.kernels import NEVER, Plan
from bidcascade.kernels.cuda_device import Device, KernelArgument, Timing
from bidcascade.kernels.gpu.tables.tables import BoxSets


class Work(NamedTuple):
    """Bytes and integer operations, at the least."""

    bytes: float
    operations: float

    def __add__(self, other: "Work") -> "Work":
        return Work(self.bytes + other.bytes, self.operations + other.operations)


@dataclass(frozen=True)
class Ceilings:
    """What a device can do a second."""

    bytes: float
    """Bytes of device memory, read and written."""
    operations: float
    """32-bit integer operations."""
    source: str

    def floor(self, work: Work) -> float:
        """Seconds that some work takes at least."""
        return max(work.bytes / self.bytes, work.operations / self.operations)

    def bound(self, work: Work) -> str:
        """What the floor consists of."""
        by_bytes = work.bytes / self.bytes >= work.operations / self.operations
        return "memory" if by_bytes else "integer operations"


H200 = Ceilings(4.3e12, 1.7e13, "H200: 4.3 TB/s copied, 132 × 64 lanes × 1.98 GHz")
"""For predictions where there is no device to measure on."""


MASK_BYTES = 34
"""A deal comes as four 64-bit masks, dealer and vulnerability."""
_DEALT_OPERATIONS = 470
"""39 draws of 9 operations (multiply, both halves, two places of a card), 10 words of 12."""


def operations_a_test(plan: Plan) -> int:
    """Operations of one test of a box."""
    return 8 * plan.packing.lane_words + 3 * plan.packing.flag_words + 2


def packing_work(plan: Plan, deals: int) -> Work:
    """Hand masks to packed words: both cross the memory."""
    words = plan.packing.lane_words + plan.packing.flag_words
    return Work(deals * (MASK_BYTES + 4 * 8 * words), deals * 4 * (20 + 12 * words))


def work_of(operation: str, plan: Plan, deals: int, shape: dict[str, float]) -> Work | None:
    """Count what an operation on some deals costs at least; ``None`` where nothing was counted.

    ``shape`` has the table's ``tests_per_deal``, ``first_tests_per_deal`` and ``holding_per_deal``.
    """
    nodes = plan.node_count
    # words are used at once and never written
    packed = Work(deals * MASK_BYTES, packing_work(plan, deals).operations)
    if operation == "features":
        return packing_work(plan, deals)
    if operation == "hands":
        return Work(32 * deals, _DEALT_OPERATIONS * deals)
    if operation == "evaluate":
        # a column and hand: take the lane or flag, compare, give the bit to its word
        columns = 4 * len(plan.expressions)
        return packed + Work(columns * deals / 8, 3 * columns * deals)
    if not {"tests_per_deal", "holding_per_deal"} <= shape.keys():
        return None
    # first child, number of children, box and flags, once
    trie = Work(11 * nodes, 0)
    tests = Work(0, shape["tests_per_deal"] * deals * operations_a_test(plan))
    if operation == "counts":
        return packed + trie + tests + Work(8 * nodes, 0)
    if operation == "entry_lists":
        pairs = shape["holding_per_deal"] * deals
        return packed + trie + tests + Work(4 * pairs + 8 * deals, 0)
    if operation == "first" and "first_tests_per_deal" in shape:
        first = shape["first_tests_per_deal"] * deals * operations_a_test(plan)
        # only what is walked of the trie is read; the answer is 7 bytes
        return packed + Work(7 * deals, first)
    return None


def kernel_works(
    operation: str, plan: Plan, deals: int, shape: dict[str, float]
) -> dict[str, Work]:
    """What each kernel of the backend ``cuda`` costs at least in an operation, by its name.

    Other than :func:`work_of` this takes the steps as the kernels divide them: what one writes for
    another crosses the memory twice; and ``count_nodes`` makes 32 tests at once, with an AND and a
    count at the least (those of ``walk_top``, a few hundred nodes, among them).
    """
    words, nodes = plan.packing.lane_words + plan.packing.flag_words, plan.node_count
    packed = 32.0 * words * deals
    key = 4 * 10.0 * deals  # points and length of four suits
    works = {
        "pack_hands": Work(38.0 * deals + packed, 4.0 * deals * (20 + 12 * words)),
        "sort_count": Work(9.0 * deals, key),
        "sort_place": Work(13.0 * deals, key),
        "deal_hands": Work(32.0 * deals, float(_DEALT_OPERATIONS * deals)),
    }
    boxes = plan.expression_boxes if operation == "evaluate" else plan.node_box
    used = BoxSets.of(plan, np.unique(boxes[boxes > NEVER]))
    columns = len(used.columns)
    column_bytes = 4 * columns * deals / 8
    works["bit_columns"] = Work(packed + column_bytes, 3.0 * 4 * columns * deals)
    if operation == "evaluate":
        sets = len(plan.expressions)
        joined = len(used.columns.box_columns)
        works["combine_boxes"] = Work(column_bytes + 4 * sets * deals / 8, joined * 4 * deals / 32)
    if "tests_per_deal" not in shape:
        return works
    tests = shape["tests_per_deal"] * deals * operations_a_test(plan)
    ands = 2 * shape["tests_per_deal"] * deals / 32
    works["count_nodes"] = Work(column_bytes + (16 + 8) * nodes, ands)
    works["spread_counts"] = Work(20.0 * nodes, nodes)
    pairs = shape["holding_per_deal"] * deals
    works["list_totals"] = Work(packed + 16 * nodes + 8 * deals, tests)
    works["list_entries"] = Work(packed + 16 * nodes + 8 * deals + 4 * pairs, tests)
    if "first_tests_per_deal" in shape:
        first = shape["first_tests_per_deal"] * deals * operations_a_test(plan)
        works["first_auctions"] = Work(packed + 7 * deals, first)
    return works


CEILINGS = str(Path(__file__).with_name("ceilings.cu"))
COPIES = ("copy in", "copy out")
_THREADS = 256
_COPY_BYTES = 1 << 30
_ROUNDS = 1024
OPERATIONS_A_ROUND = 16 * 8 * 2
"""Of ``integer_mix``: steps, chains, and two instructions each."""
_REPEAT = 5


def measure_ceilings(device: Device) -> Ceilings:
    """Time a copy that is far larger than the caches, and a chain of integer operations."""
    source = f"measured on {device.name}"
    return Ceilings(_copy_rate(device), _integer_rate(device), source)


def _copy_rate(device: Device) -> float:
    # 16 bytes each, in two buffers
    pairs = min(_COPY_BYTES, device.free_bytes() // 4) // 32
    # complex stands for 16 bytes an element
    source, target = (device.zeros(pairs, np.complex128) for _ in range(2))
    blocks = max(1, min(-(-pairs // _THREADS), 4 * device.limits.blocks_to_fill(_THREADS)))
    seconds = _least_seconds(device, "copy_pairs", blocks, [source, target, np.int64(pairs)])
    return 2 * 16 * pairs / seconds


def _integer_rate(device: Device) -> float:
    blocks = device.limits.blocks_to_fill(_THREADS)
    out = device.empty(blocks * _THREADS, np.uint32)
    seconds = _least_seconds(device, "integer_mix", blocks, [out, np.uint32(1), np.int32(_ROUNDS)])
    return blocks * _THREADS * _ROUNDS * OPERATIONS_A_ROUND / seconds


def _least_seconds(
    device: Device, entry: str, blocks: int, arguments: list[KernelArgument]
) -> float:
    """Least of some runs: a ceiling is what can be had."""
    kernel = device.kernel(CEILINGS, entry, {})
    kernel(blocks, _THREADS, arguments)
    with device.timings() as found:
        for _ in range(_REPEAT):
            kernel(blocks, _THREADS, arguments)
    return min(timing.seconds for timing in found)


def device_run(timings: Sequence[Timing]) -> dict[str, tuple[int, float]]:
    """Launches, of copies bytes, and seconds by name: what a device did in one run.

    A run is timed twice over: as the caller sees it, and once more with an event before and behind
    each launch and copy. The events cost time on the host, so the two are never taken in one run.
    """
    run: dict[str, tuple[int, float]] = {}
    for one in timings:
        amount, seconds = run.get(one.name, (0, 0.0))
        more = one.copied_bytes if one.name in COPIES else 1
        run[one.name] = amount + more, seconds + one.seconds
    return run


def median_run(runs: Sequence[dict[str, tuple[int, float]]]) -> dict[str, tuple[int, float]]:
    """Median of the seconds of each name over some runs; launches and bytes are the last run's."""
    return {
        name: (amount, float(np.median([run[name][1] for run in runs if name in run])))
        for name, (amount, _) in runs[-1].items()
    }
