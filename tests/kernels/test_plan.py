"""Plans: how expressions become lanes, flags and boxes, and what is refused."""

import tracemalloc
from typing import Any

import numpy as np
import pytest

from bidcascade.kernels import ALWAYS, NEVER, Plan, Postfix, build_plan, number_ranges
from bidcascade.kernels.packing.literals import literals_of, to_tree


def plan_of(expressions: list[Postfix], criteria: list[list[int]], **options: Any) -> Plan:
    """A table of single calls, one for each criteria list."""
    count = len(criteria)
    arguments: dict[str, Any] = {
        "expressions": expressions,
        "criteria": criteria,
        "variant_sets": [[], *([number] for number in range(count))],
        "first_child": np.zeros(count, np.uint32),
        "child_count": np.zeros(count, np.uint16),
        "call": np.arange(3, 3 + count, dtype=np.uint8),
        "flags": np.zeros(count, np.uint8),
        "variant_set": np.arange(1, count + 1, dtype=np.uint32),
        "root_count": count,
    }
    return build_plan(**(arguments | options))


def box_of(*expressions: Postfix) -> int:
    return int(plan_of(list(expressions), [list(range(len(expressions)))]).node_box[0])


@pytest.mark.parametrize(
    "expression",
    [
        ("HCP", 0, ">="), ("HCP", 37, "<="), ("HCP", 38, "!="), (1,), (3, 2, ">="),
        ("SL_S", 13, "<="), ("HCP", 5, "*", 7, "!="), ("HCP", 0, "<", "not"),
        (1, "SL_S", 5, ">=", "or"), ("Seat", 1, ">="),
    ],
)  # fmt: skip
def test_what_every_hand_passes(expression):
    assert box_of(expression) == ALWAYS


@pytest.mark.parametrize(
    "expression",
    [
        ("HCP", 38, ">="), ("HCP", 0, "<"), (0,), ("HCP", 2, "*", 7, "=="), ("SL_S", 14, "=="),
        ("Longest_Suit", 4, "<"), ("HCP", 0, ">=", "not"), (2, 3, ">", "HCP", 40, ">", "or"),
        ("Balanced", 2, "=="), ("Seat", 5, "=="),
    ],
)  # fmt: skip
def test_what_no_hand_passes(expression):
    assert box_of(expression) == NEVER


def test_contradictions_are_never():
    assert box_of(("SL_C", 4, ">="), ("SL_C", 3, "==")) == NEVER
    assert box_of(("Stopper_C",), ("Stopper_C", "not")) == NEVER


def test_the_tighter_bound_wins():
    assert plan_of(
        [("HCP", 5, ">="), ("HCP", 3, ">="), ("HCP", 4, ">")], [[0, 1], [2], [0], [1, 2, 0]]
    ).node_box.tolist() == [2, 2, 2, 2]


def test_equal_lists_share_a_box():
    plan = plan_of(
        [("SL_S", "SL_H", ">="), ("SL_H", "SL_S", "<="), ("SL_S", "SL_H", "<", "not")],
        [[0], [1], [2]],
    )
    assert len(set(plan.node_box.tolist())) == 1


def test_core_terms_share_the_first_lane_word():
    expressions: list[Postfix] = [
        (name, 3, ">=") for name in ("SL_C", "HCP", "SL_S", "Total_Points", "SL_D", "SL_H")
    ]
    packing = plan_of(expressions, [[0]]).packing
    assert (packing.lane_words, packing.flag_words) == (1, 1)
    assert set(packing.lane_forms) == {((name, 1),) for name, _, _ in expressions}


def test_one_flag_serves_both_polarities():
    plan = plan_of([("Stopper_C",), ("Stopper_C", 0, "=="), ("Stopper_C", "not")], [[0], [1], [2]])
    assert len(plan.packing.flag_trees) == 1
    assert plan.node_box[1] == plan.node_box[2] != plan.node_box[0]


def test_variants_that_hold_always_or_never_are_folded():
    plan = plan_of(
        [("HCP", 10, ">="), ("HCP", 50, ">="), ("HCP", 5, "<=")],
        [[0], [1], [], [2]],
        variant_sets=[[], [0, 1], [0, 2], [1], [0, 3]],
    )
    assert plan.node_box[0] == plan.expression_boxes[0]
    assert plan.node_box[1] == ALWAYS
    assert plan.node_box[2] == NEVER
    assert plan.set_boxes.tolist() == sorted(plan.expression_boxes[[0, 2]].tolist())


@pytest.mark.parametrize(
    ("policy", "boxes"),
    [("allow", [ALWAYS] * 2), ("pass", [NEVER, ALWAYS]), ("reject", [NEVER] * 2)],
)
def test_policies_for_undescribed_entries(policy, boxes):
    plan = plan_of(
        [],
        [[], []],
        variant_set=np.zeros(2, np.uint32),
        call=np.array([7, 0], np.uint8),
        undescribed=policy,
    )
    assert plan.node_box.tolist() == boxes


def test_parents():
    plan = plan_of(
        [],
        [[]] * 5,
        root_count=2,
        first_child=np.array([2, 0, 4, 0, 0], np.uint32),
        child_count=np.array([2, 0, 1, 0, 0], np.uint16),
    )
    assert plan.parent.tolist() == [5, 5, 0, 0, 2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"undescribed": "maybe"}, "expected a policy of allow, pass, reject, got 'maybe'"),
        ({"profile": "acol"}, "expected a profile of gib, mlbridge, got 'acol'"),
        ({"variant_sets": [[0]]}, "expected variant set 0 to be empty"),
        ({"root_count": 7}, "expected root_count of 0 to 2, got 7"),
        ({"root_count": 1}, "expected every node to be an opening call or one node's child"),
        ({"call": np.zeros(2, np.uint16)}, "expected call as uint8"),
        ({"flags": np.zeros(3, np.uint8)}, "expected flags as uint8"),
        ({"variant_set": np.array([1, 9], np.uint32)}, "expected variant sets below 3, got 9"),
        (
            {"root_count": 1, "child_count": np.array([0, 1], np.uint16),
             "first_child": np.array([0, 0], np.uint32)},
            "expected parents to precede their children",
        ),
        (
            {"root_count": 1, "child_count": np.array([1, 0], np.uint16),
             "first_child": np.array([5, 0], np.uint32)},
            "expected children within the table",
        ),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        plan_of([("HCP", 3, ">=")], [[0], [0]], **options)


def test_unknown_terms_and_broken_postfix():
    with pytest.raises(ValueError, match="unknown term 'HPC'"):
        plan_of([("HPC", 3, ">=")], [])
    with pytest.raises(ValueError, match="lacks an operand"):
        plan_of([("HCP", ">=")], [])
    with pytest.raises(ValueError, match="expected one value, got 2"):
        plan_of([("HCP", 3)], [])
    with pytest.raises(ValueError, match="beyond 32 bits"):
        plan_of([("HCP", 2**30, "*", "SL_S", "*", 5, ">")], [])


def test_and_is_split_or_is_opaque():
    both = literals_of(to_tree(("HCP", 15, ">=", "Balanced", "and")))
    either = literals_of(to_tree(("HCP", 15, ">=", "Balanced", "or")))
    neither = literals_of(to_tree(("HCP", 15, ">=", "Balanced", "or", "not")))
    assert isinstance(both, list)
    assert isinstance(either, list)
    assert isinstance(neither, list)
    assert (len(both), len(either), len(neither)) == (2, 1, 2)


def random_trie(seed: int) -> dict[str, Any]:
    """A trie of 40 nodes, each with the next free places as children."""
    generator = np.random.default_rng(seed)
    nodes, root_count = 40, 3
    first_child, child_count = np.zeros(nodes, np.uint32), np.zeros(nodes, np.uint16)
    free = root_count
    for node in range(nodes):
        children = min(int(generator.integers(1, 4)), nodes - free)
        first_child[node], child_count[node] = free if children else 0, children
        free += children
    return {
        "first_child": first_child,
        "child_count": child_count,
        "call": generator.integers(0, 3, nodes).astype(np.uint8),
        "flags": np.zeros(nodes, np.uint8),
        "variant_set": generator.integers(0, 3, nodes).astype(np.uint32),
        "root_count": root_count,
    }


@pytest.mark.parametrize("undescribed", ["allow", "pass", "reject"])
@pytest.mark.parametrize("block", [1, 7, 39, 40])
def test_blocks_give_what_one_pass_gives(monkeypatch, block, undescribed):
    expressions: list[Postfix] = [("HCP", 12, ">="), ("SL_S", 5, ">=")]
    trie = random_trie(block) | {"undescribed": undescribed}
    whole = plan_of(expressions, [[0], [1]], **trie)
    monkeypatch.setattr(number_ranges, "BLOCK_NODES", block)
    assert plan_of(expressions, [[0], [1]], **trie).node_box.tolist() == whole.node_box.tolist()
    for first, message in ((0, "parents to precede"), (40, "children within the table")):
        wrong = trie["first_child"].copy()
        wrong[np.flatnonzero(trie["child_count"])[-1]] = first
        with pytest.raises(ValueError, match=message):
            plan_of(expressions, [[0], [1]], **trie | {"first_child": wrong})


def test_a_plan_takes_little_more_memory_than_its_boxes(monkeypatch):
    nodes = 1 << 20
    monkeypatch.setattr(number_ranges, "BLOCK_NODES", 1 << 14)
    trie = {
        "first_child": np.zeros(nodes, np.uint32),
        "child_count": np.zeros(nodes, np.uint16),
        "call": np.zeros(nodes, np.uint8),
        "flags": np.zeros(nodes, np.uint8),
        "variant_set": np.ones(nodes, np.uint32),
        "root_count": nodes,
    }
    tracemalloc.start()
    plan = plan_of([("HCP", 12, ">=")], [[0]], **trie)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < plan.node_box.nbytes + (2 << 20)
