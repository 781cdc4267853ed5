"""The least that a workload costs on a device, counted; and the time that this takes at least.

Two numbers are counted from the workload alone, whatever a kernel does: the bytes that must cross
the device's memory (inputs read once, results written once), and the 32-bit integer operations that
the tests are made of. Either, over the rate that the device has for it, is a time; the larger one
is the floor. Measured time over the floor says how much is left to gain; the larger of the two
times says of what.

What an operation is: one instruction of a thread on 32 bits (add, three-input logic, compare,
shift). So half of a 64-bit word costs one:

    test of a box   per lane word 8: two subtractions with carry, the OR and the final AND with
                    their neighbours merged to one three-input instruction each; per flag word 3;
                    2 to decide
    packing a hand  20 to take the holdings and lengths apart, 12 a word for six look-ups
"""

from dataclasses import dataclass

from bidcascade.kernels import Plan

MASK_BYTES = 34
"""A deal comes as four 64-bit masks, dealer and vulnerability."""
_DEALT_OPERATIONS = 470
"""39 draws of 9 operations (multiply, both halves, two places of a card), 10 words of 12."""


@dataclass(frozen=True)
class Work:
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


def test_operations(plan: Plan) -> int:
    """Operations of one test of a box."""
    return 8 * plan.packing.lane_words + 3 * plan.packing.flag_words + 2


def packing_work(plan: Plan, deals: int) -> Work:
    """Hand masks to packed words: both cross the memory."""
    words = plan.packing.lane_words + plan.packing.flag_words
    return Work(deals * (MASK_BYTES + 4 * 8 * words), deals * 4 * (20 + 12 * words))


def _packing_in_registers(plan: Plan, deals: int) -> Work:
    """Packing whose words are used at once and never written."""
    return Work(deals * MASK_BYTES, packing_work(plan, deals).operations)


def work_of(operation: str, plan: Plan, deals: int, shape: dict[str, float]) -> Work | None:
    """Count what an operation on some deals costs at least; ``None`` where nothing was counted.

    Parameters
    ----------
    operation : str
        Operation of an engine.
    plan : Plan
    deals : int
    shape : dict
        ``tests_per_deal``, ``first_tests_per_deal`` and ``holding_per_deal`` of the table.
    """
    nodes = plan.node_count
    if operation == "features":
        return packing_work(plan, deals)
    if operation == "hands":
        return Work(32 * deals, _DEALT_OPERATIONS * deals)
    if operation == "evaluate":
        # a column and hand: take the lane or flag, compare, give the bit to its word
        columns = 4 * len(plan.expressions)
        return _packing_in_registers(plan, deals) + Work(columns * deals / 8, 3 * columns * deals)
    if not {"tests_per_deal", "holding_per_deal"} <= shape.keys():
        return None
    # first child, number of children, box and flags, once
    trie = Work(11 * nodes, 0)
    packed = _packing_in_registers(plan, deals)
    tests = Work(0, shape["tests_per_deal"] * deals * test_operations(plan))
    if operation == "counts":
        return packed + trie + tests + Work(8 * nodes, 0)
    if operation == "entry_lists":
        pairs = shape["holding_per_deal"] * deals
        return packed + trie + tests + Work(4 * pairs + 8 * deals, 0)
    if operation == "first" and "first_tests_per_deal" in shape:
        first = shape["first_tests_per_deal"] * deals * test_operations(plan)
        # only what is walked of the trie is read; the answer is 7 bytes
        return packed + Work(7 * deals, first)
    return None


def kernel_works(
    operation: str, plan: Plan, deals: int, shape: dict[str, float]
) -> dict[str, Work]:
    """What each kernel's share of an operation costs at least, by the kernel's name."""
    return {}
