"""Ranges and parents: blocks give what one pass over whole columns gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.kernels import number_ranges
from bidcascade.kernels.number_ranges import blocks, numbers_of_ranges, parents_of


@st.composite
def child_columns(draw):
    """First children and counts of a trie, uint32 and uint16 [nodes]; nodes stand in ranges."""
    counts = draw(st.lists(st.integers(0, 4), min_size=0, max_size=30))
    roots = draw(st.integers(1, 3))
    first, free, within = [], roots, []
    for count in counts:
        first.append(free if count else 0)
        free += count
        within.append(count)
    nodes = max(free, len(counts))
    first_child = np.zeros(nodes, np.uint32)
    child_count = np.zeros(nodes, np.uint16)
    first_child[: len(first)], child_count[: len(within)] = first, within
    return first_child, child_count


def parents_in_one_pass(first_child, child_count, none):
    """What each node's parent is, one child after another."""
    parents = [none] * len(first_child)
    for node, (first, count) in enumerate(zip(first_child, child_count, strict=True)):
        for child in range(int(first), int(first) + int(count)):
            parents[child] = node
    return parents


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
@given(columns=child_columns())
def test_parents_are_those_of_each_node_whatever_the_block(size, columns):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(number_ranges, "BLOCK_NODES", size)
        found = parents_of(*columns, 999)
    assert found.dtype == np.uint32
    assert found.tolist() == parents_in_one_pass(*columns, 999)


@pytest.mark.parametrize(("nodes", "count"), [(0, 0), (1, 1), (7, 1), (8, 2), (14, 2), (15, 3)])
def test_blocks_cover_all_nodes_once(monkeypatch, nodes, count):
    monkeypatch.setattr(number_ranges, "BLOCK_NODES", 7)
    found = list(blocks(nodes))
    assert len(found) == count
    assert [node for block in found for node in range(block.start, block.stop)] == [*range(nodes)]


def test_ranges_of_narrow_numbers_do_not_overflow():
    first, count = np.array([4_000_000_000, 5], np.uint32), np.array([2, 1], np.uint16)
    assert numbers_of_ranges(first, count).tolist() == [4_000_000_000, 4_000_000_001, 5]
