"""The least that a workload costs on a device, counted from plan and deals.

Two numbers are counted: the bytes that must cross the device's memory (inputs read once, results
written once), and the 32-bit integer operations that tests are made of. An operation is one
instruction of a thread on 32 bits (add, three-input logic, compare, shift), so half of a 64-bit
word costs one:

    test of a box   per lane word 8: two subtractions with carry, the OR and the final AND with
                    their neighbours merged to one three-input instruction each; per flag word 3;
                    2 to decide
    packing a hand  20 to take the holdings and lengths apart, 12 a word for six look-ups
"""

import numpy as np

from bidcascade.kernels import NEVER, Plan
from bidcascade.kernels.gpu.counters import words_a_lane
from bidcascade.kernels.gpu.tables import BoxSets

from .roofline import Work
from .variant_model import Load

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
    operation: str, plan: Plan, deals: int, shape: dict[str, float], load: Load | None = None
) -> dict[str, Work]:
    """What each kernel of the backend ``cuda`` costs at least in an operation, by its name.

    Other than :func:`work_of` this takes the steps as the kernels divide them: what one writes for
    another crosses the memory twice. ``load`` is that of ``count_hybrid``'s blocks of deals, whose
    operations are an AND and a count for each word of 32 deals, not tests of single ones.
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
    trie = Work(packed + (16 + 8) * nodes, tests)
    works |= {"count_lists": trie, "count_walk": trie, "frontier_expand": trie}
    works["spread_counts"] = Work(20.0 * nodes, nodes)
    pairs = shape["holding_per_deal"] * deals
    works["list_totals"] = Work(packed + 16 * nodes + 8 * deals, tests)
    works["list_entries"] = Work(packed + 16 * nodes + 8 * deals + 4 * pairs, tests)
    if load is not None:
        block_words = hybrid_block(deals) / 32
        ands = (load.wide_columns + load.wide_visits) * block_words
        works["count_hybrid"] = Work(column_bytes + 24 * nodes, ands + load.narrow_columns * 64)
    if "first_tests_per_deal" in shape:
        first = shape["first_tests_per_deal"] * deals * operations_a_test(plan)
        works["first_auctions"] = Work(packed + 7 * deals, first)
    return works


def hybrid_block(deals: int) -> int:
    """Deals of a block of ``count_hybrid``."""
    return 1024 * words_a_lane(deals)
