"""Prefixes of auctions counted by the core against a dictionary; what the core refuses."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import Auction
from bidcascade.kernels.core.tables.auctions import (
    count_prefixes,
    describe_run,
    legal_calls,
    merge_runs,
    number_entries,
    rehash,
    write_preorder,
)
from bidcascade.table.columns import offsets_of
from bidcascade.workshop.evidence.mined_table import MinedRun
from bidcascade.workshop.evidence.mining import _merge, _PrefixCounts
from tests.support.auctions import random_auction

AUCTIONS = st.lists(
    st.one_of(
        st.lists(st.sampled_from([0, 0, 0, 1, 2, 3, 4, 5, 12, 37, 38, 255]), max_size=12),
        st.integers(0, 40).map(random_auction),
    ),
    max_size=6,
)
REFUSED = "expected numbers within the arrays"


class Lists(tuple):
    """Auctions as the core takes them."""

    def __new__(cls, auctions):
        calls = np.array([call for auction in auctions for call in auction], np.uint8)
        return super().__new__(cls, (calls, offsets_of([len(one) for one in auctions], np.int64)))

    @property
    def calls(self):
        return self[0]


def counted(auctions, texts):
    """Prefixes and texts at them, by the laws alone, and how many calls and texts are left out."""
    nodes, pairs, calls_out, texts_out = Counter(), Counter(), 0, 0
    for auction, said in zip(auctions, texts, strict=True):
        so_far: Auction | None = Auction()
        for place, call in enumerate(auction):
            is_legal = so_far is not None and call in list(so_far.legal_calls())
            so_far = so_far.add(call) if is_legal else None
            if so_far is None:
                calls_out, texts_out = calls_out + 1, texts_out + (said[place] > 0)
                continue
            prefix = tuple(auction[: place + 1])
            nodes[prefix] += 1
            if said[place]:
                pairs[prefix, said[place]] += 1
    return nodes, pairs, (calls_out, texts_out)


def read(run):
    """Prefixes and texts of a run, in its order."""
    nodes, pairs, path, at = [], [], [], 0
    for depth, call, auctions, texts in zip(*(one.tolist() for one in run[:4]), strict=True):
        path[depth:] = [call]
        nodes.append((tuple(path), auctions))
        for place in range(at, at + texts):
            pairs.append(((tuple(path), int(run.text[place])), int(run.times[place])))
        at += texts
    return nodes, pairs


@st.composite
def said(draw):
    auctions = draw(AUCTIONS)
    size = sum(map(len, auctions))
    numbers = draw(st.lists(st.sampled_from([0, 0, 1, 2, 9]), min_size=size, max_size=size))
    ends = np.cumsum([0, *map(len, auctions)])
    return auctions, [numbers[one:end] for one, end in pairwise(ends)]


def run_of(one):
    auctions, texts = one
    counts = _PrefixCounts()
    ignored = counts.add(
        Lists(auctions), np.array([text for own in texts for text in own], np.uint32)
    )
    return counts.run(), ignored


@given(said(), said())
def test_prefixes_are_counted_and_merged(first, second):
    runs = []
    for one in (first, second):
        run, ignored = run_of(one)
        nodes, pairs, expected = counted(*one)
        assert ignored == expected
        assert read(run) == (sorted(nodes.items()), sorted(pairs.items()))
        runs.append(run)
    nodes, pairs, _ = counted(*(mine + theirs for mine, theirs in zip(first, second, strict=True)))
    assert read(_merge(*runs)) == (sorted(nodes.items()), sorted(pairs.items()))


@given(said())
def test_runs_are_described(one):
    run, _ = run_of(one)
    nodes = [prefix for prefix, _ in read(run)[0]]
    parent, (over, ends) = np.empty(len(nodes), np.uint32), np.empty((2, len(nodes)), np.uint8)
    describe_run(run.depth, run.call, parent, over, ends)
    places = {(): 0} | {prefix: place + 1 for place, prefix in enumerate(nodes)}
    assert parent.tolist() == [places[prefix[:-1]] for prefix in nodes]
    whole = {prefix for prefix in nodes if Auction.of(prefix).is_complete}
    assert over.tolist() == [prefix in whole for prefix in nodes]
    assert ends.tolist() == [
        any(other[: len(prefix)] == prefix for other in whole) for prefix in nodes
    ]


@given(said())
def test_entries_are_numbered(one):
    run, _ = run_of(one)
    nodes = [prefix for prefix, _ in read(run)[0]]
    by_parent = sorted(range(len(nodes)), key=lambda node: (len(nodes[node]), nodes[node]))
    places = {(): 0} | {prefix: place + 1 for place, prefix in enumerate(nodes)}
    children = sorted(by_parent, key=lambda node: places[nodes[node][:-1]])
    per_node = np.bincount([places[prefix[:-1]] for prefix in nodes], minlength=len(nodes) + 1)
    entry, first_child = np.empty((2, len(nodes)), np.uint32)
    number_entries(np.array(children, np.int64), offsets_of(per_node, np.int64), entry, first_child)
    # blocks of children, in the order of their parents, each behind the other
    blocks: list[tuple[int, ...]] = []

    def walk(prefix):
        own = sorted(one for one in nodes if one[:-1] == prefix)
        firsts[prefix] = len(blocks)
        blocks.extend(own)
        for child in own:
            walk(child)

    firsts: dict[tuple[int, ...], int] = {}
    walk(())
    numbers = {prefix: number for number, prefix in enumerate(blocks)}
    assert entry.tolist() == [numbers[prefix] for prefix in nodes]
    assert first_child.tolist() == [firsts[prefix] for prefix in nodes]


def tables(slots=8, nodes=4):
    return [
        np.zeros(slots, np.uint64), np.zeros(slots, np.uint32), np.zeros(nodes, np.uint32),
        np.zeros(nodes, np.uint8), np.zeros(nodes, np.uint32), 1, np.zeros(slots, np.uint64),
        np.zeros(slots, np.uint32), 0,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("place", "value"),
    [(0, np.zeros(7, np.uint64)), (0, np.zeros(2, np.uint64)), (5, 3), (5, 0),
     (6, np.zeros(1, np.uint64)), (8, 8), (8, -1)],
)  # fmt: skip
def test_tables_without_room_are_refused(place, value):
    calls, texts = np.array([3, 0], np.uint8), np.array([1, 0], np.uint32)
    good = tables()
    assert count_prefixes(calls, np.array([0, 2]), texts, *good) == (3, 1, 0, 0)
    wrong = tables()
    wrong[place] = value
    with pytest.raises(ValueError, match=REFUSED):
        count_prefixes(calls, np.array([0, 2]), texts, *wrong)


def test_a_table_of_other_nodes_is_refused():
    # the node of the first call is said to be one that there is not
    calls, texts = np.array([3], np.uint8), np.zeros(1, np.uint32)
    other = tables()
    count_prefixes(calls, np.array([0, 1]), texts, *other)
    other[1][:] = 9
    with pytest.raises(ValueError, match=REFUSED):
        count_prefixes(calls, np.array([0, 1]), texts, *other)


@pytest.mark.parametrize("offsets", [[0, 3], [-1, 2], [2, 1], [0, 1 << 62]])
def test_auctions_outside_the_calls_are_refused(offsets):
    calls = np.zeros(2, np.uint8)
    with pytest.raises(ValueError, match=REFUSED):
        legal_calls(calls, np.array(offsets), np.zeros(2, np.uint64))
    with pytest.raises(ValueError, match=REFUSED):
        count_prefixes(calls, np.array(offsets), np.zeros(2, np.uint32), *tables())


@pytest.mark.parametrize(("old", "new"), [(8, 8), (8, 12), (8, 4), (2, 0)])
def test_tables_that_are_no_larger_are_refused(old, new):
    with pytest.raises(ValueError, match=REFUSED):
        rehash(
            np.ones(old, np.uint64),
            np.zeros(old, np.uint32),
            np.zeros(new, np.uint64),
            np.zeros(new, np.uint32),
        )


@pytest.mark.parametrize(
    ("children", "starts"),
    [([1, 3], [0, 1, 2, 2]), ([1, -1], [0, 1, 2, 2]), ([1, 2], [0, 1, 2, 3]),
     ([1, 2], [0, 2, 1, 2]), ([1, 1], [0, 1, 2, 2]), ([1, 2], [0, 1, 1, 2])],
)  # fmt: skip
def test_what_is_no_trie_is_refused(children, starts):
    depth, call, node = np.zeros(2, np.uint16), np.zeros(2, np.uint8), np.zeros(2, np.uint32)
    with pytest.raises(ValueError, match=REFUSED):
        write_preorder(
            np.array(children), np.array(starts), np.zeros(3, np.uint8), depth, call, node
        )
    with pytest.raises(ValueError, match=REFUSED):
        number_entries(np.array(children) - 1, np.array(starts), node, node.copy())


def test_tries_deeper_than_an_auction_are_refused():
    nodes = 400
    children, starts = np.arange(1, nodes + 1), np.append(np.arange(nodes + 1), nodes)
    out = np.zeros(nodes, np.uint16), np.zeros(nodes, np.uint8), np.zeros(nodes, np.uint32)
    with pytest.raises(ValueError, match=REFUSED):
        write_preorder(children, starts, np.zeros(nodes + 1, np.uint8), *out)
    with pytest.raises(ValueError, match=REFUSED):
        describe_run(np.array([319], np.uint16), out[1][:1], out[2][:1], out[1][:1], out[1][:1])


def test_runs_whose_texts_are_not_there_are_refused():
    run, _ = run_of(([[3, 0], [4]], [[1, 0], [2]]))
    more = run._replace(texts=np.full(len(run.depth), 1 << 31, np.uint32))
    for one in (more, run._replace(call=run.call[:1]), run._replace(times=run.times[:1])):
        with pytest.raises(ValueError, match=REFUSED):
            merge_runs(one, run, None)
    with pytest.raises(ValueError, match=REFUSED):
        merge_runs(run, run, MinedRun.empty())
