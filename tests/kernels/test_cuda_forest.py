"""The contracted trie: walks over it reach what the reference reaches, runs cut it up whole."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.kernels import Plan, reference
from bidcascade.kernels.gpu.tables import forest as forest_module
from bidcascade.kernels.gpu.tables import node_windows
from bidcascade.kernels.gpu.tables.forest import (
    TEST_MULTIPLE,
    TEST_SEAT_SHIFT,
    Forest,
    Top,
    build_forest,
    split,
)
from bidcascade.kernels.gpu.tables.node_windows import NODE_NEAR, NodeRecords, windows_of
from bidcascade.kernels.plan import ALWAYS
from tests.support.backends import SOME
from tests.support.examples import examples
from tests.support.plans import deal_arrays, random_plan

OPTIONS: list[dict[str, Any]] = [
    {},
    {"completed_only": True},
    {"max_depth": 2},
    {"max_depth": 0},
    {"completed_only": True, "max_depth": 4},
]


def made_plan(seed: int, nodes: int = 60) -> Plan:
    rng = np.random.default_rng(seed)
    undescribed = ("allow", "pass", "reject")[seed % 3]
    return random_plan(rng, SOME, nodes=nodes, undescribed=undescribed)


def entries_of_nodes(plan: Plan, forest: Forest) -> dict[int, int]:
    """The entry of the table that each node is: of those it stands for the one that asks."""
    return {
        int(node): entry
        for entry, node in enumerate(forest.representative)
        if int(plan.node_box[entry]) != ALWAYS and node < len(forest)
    }


def depths(plan: Plan) -> list[int]:
    found: list[int] = []
    for parent in plan.parent.tolist():
        found.append(0 if parent == plan.node_count else found[parent] + 1)
    return found


def walked(plan: Plan, forest: Forest, holds: dict[int, bool]) -> list[int]:
    """Entries that a walk lists, given which nodes hold."""
    listed: list[int] = []
    node = behind = 0
    while node < len(forest):
        listed += forest.listed[behind : forest.listed_from[node]].tolist()
        came = holds[node]
        behind = int((forest.listed_from if came else forest.listed_behind)[node])
        node = node + 1 if came else int(forest.fail[node])
    return listed + forest.listed[behind:].tolist()


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("nodes_at_once", [forest_module.NODES_AT_ONCE, 1])
@examples(15)
@given(seed=st.integers(0, 2**16))
def test_a_walk_lists_what_the_reference_reaches(options, nodes_at_once, seed):
    plan = made_plan(seed)
    deals = deal_arrays(np.random.default_rng(seed), 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forest_module, "NODES_AT_ONCE", nodes_at_once)
        forest = build_forest(plan, **options)
    entries, depth = entries_of_nodes(plan, forest), depths(plan)
    assert len(entries) == len(forest)
    for node, entry in entries.items():
        assert int(forest.test[node]) >> TEST_SEAT_SHIFT & 3 == depth[entry] % 4
    (wanted,) = reference.cascade_all(plan, deals, **options)
    for deal in range(len(deals)):
        one = reference._OneDeal(plan, deals, deal)
        holds = {node: one.node_holds(entry, depth[entry]) for node, entry in entries.items()}
        start, stop = int(wanted.offsets[deal]), int(wanted.offsets[deal + 1])
        assert walked(plan, forest, holds) == wanted.entries[start:stop].tolist()


def nodes_above(forest: Forest, node: int) -> list[int]:
    found: list[int] = []
    while (node := int(forest.parent[node])) != len(forest):
        found.append(node)
    return found


@examples(25)
@given(seed=st.integers(0, 2**16), most_nodes=st.integers(1, 40))
def test_runs_cover_all_nodes_below_the_top(seed, most_nodes):
    forest = build_forest(made_plan(seed))
    items = split(forest, most_nodes)
    numbers = [node for first, end in items.runs.tolist() for node in range(first, end)]
    assert numbers == list(range(len(forest)))
    at_the_top = set(items.runs[items.is_top, 0].tolist())
    for (first, end), is_top in zip(items.runs.tolist(), items.is_top, strict=True):
        assert 0 < end - first < 2 * most_nodes
        if is_top:
            assert end == first + 1
            assert forest.fail[first] - first > most_nodes
        outside = {
            tuple(above for above in nodes_above(forest, node) if above < first)
            for node in range(first, end)
        }
        assert len(outside) == 1
        assert set(*outside) <= at_the_top


@examples(25)
@given(seed=st.integers(0, 2**16), most_nodes=st.integers(1, 40), item_nodes=st.integers(1, 20))
def test_the_top_of_a_window_is_what_is_above_its_runs(seed, most_nodes, item_nodes):
    forest = build_forest(made_plan(seed))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(node_windows, "SMALLEST_ITEM", item_nodes)
        windows = windows_of(forest, most_nodes)
    for window in windows:
        top = Top.of(forest, window.items, window.numbers)
        nodes, sets = top.nodes.tolist(), [len(forest), *top.nodes.tolist()]
        first_item, first_node = window.numbers.start, window.first_node
        inside = {number - first_item for number in top.items.tolist()}
        runs = window.items.runs[first_item : window.numbers.stop].tolist()
        here = {runs[number][0] for number in range(len(runs)) if number not in inside}
        assert set(nodes) == here | set(nodes_above(forest, first_node))
        assert len(nodes) == len(set(nodes))
        assert [sets[number] for number in top.parent_sets] == forest.parent[nodes].tolist()
        firsts = window.items.runs[top.items, 0]
        assert [sets[number] for number in top.item_sets] == forest.parent[firsts].tolist()
        levels = np.split(top.nodes, top.level_ends)
        assert not len(levels.pop())
        for level, members in enumerate(levels):
            assert [len(nodes_above(forest, node)) for node in members] == [level] * len(members)


@examples(25)
@given(seed=st.integers(0, 2**16), most_nodes=st.integers(1, 40))
def test_windows_follow_one_another(seed, most_nodes):
    forest = build_forest(made_plan(seed))
    windows = windows_of(forest, most_nodes)
    bounds = [0, *(window.end_node for window in windows)]
    assert [window.first_node for window in windows] == bounds[:-1]
    assert bounds[-1] == len(forest)
    assert all(window.nodes <= max(most_nodes, 1) for window in windows)


def asked_columns(record, box_columns):
    """Columns of a node with a single box: in its record, or where the record points to."""
    kind, _, here, there = record.tolist()
    if kind & NODE_NEAR:
        held = [kind & 0xFFFF, here & 0xFFFF, here >> 16, there & 0xFFFF, there >> 16]
        return np.array(held[: kind >> 16 & 7])
    return box_columns[here : here + there]


@examples(25)
@given(seed=st.integers(0, 2**16))
def test_records_name_the_columns_of_the_box(seed):
    plan = made_plan(seed)
    forest = build_forest(plan)
    records = NodeRecords(plan, forest)
    columns = records.sets.columns
    some = records[0 : len(forest)]
    seat_and_kind = np.uint32(TEST_MULTIPLE | 3 << TEST_SEAT_SHIFT)
    np.testing.assert_array_equal(some[:, 0] & seat_and_kind, forest.test & seat_and_kind)
    np.testing.assert_array_equal(some[:, 1], forest.fail)
    flags = plan.packing.flag_words
    for node, entry in entries_of_nodes(plan, forest).items():
        box = int(plan.node_box[entry])
        if box >> 31:
            start, count = some[node, 2:].tolist()
            number = box & 0x7FFFFFFF
            size = int(plan.set_offsets[number + 1] - plan.set_offsets[number])
            assert count == size > 1
            assert records.spans[start : start + count].shape == (size, 2)
            continue
        asked = asked_columns(some[node], columns.box_columns)
        bits = plan.boxes[box, -2 * flags :].copy().view(np.uint8)
        is_flag = columns.half[asked] >= (2 * plan.packing.lane_words)
        assert is_flag.sum() == np.unpackbits(bits).sum()
