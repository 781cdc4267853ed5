"""Rows sorted, and the trie of them: the core and what it is defined by; what the core refuses."""

from itertools import groupby
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import Auction
from bidcascade.kernels.core.functions import number_lists
from bidcascade.kernels.core.tables import sorted_rows
from bidcascade.kernels.core.tables.sorted_rows import (
    KEPT_ROW,
    LEADING_ROW,
    NO_ROW,
    REJECTED_ROW,
    children_by_priority,
    children_in,
    in_order,
    measure,
    number_below,
    rows_of_entries,
    sorted_order,
    trie_of_sorted,
)
from bidcascade.table.building import trie_reference
from bidcascade.table.building.findings import Dropped
from bidcascade.table.columns import CAN_COMPLETE, COMPLETED, INSERTED, offsets_of

BEHIND = 1 << 63
REFUSED = "expected numbers within the arrays"
# few calls, so that auctions meet, and enough to be illegal in every way
CALLS = st.sampled_from([0, 0, 0, 1, 2, 3, 4, 7, 37])
# starts as long as the words of the sort, and longer
STARTS = st.sampled_from([b"", b"", b"\3", bytes([3, *[0] * 9]), bytes(range(3, 25))])
AUCTIONS = st.builds(
    lambda start, calls: start + bytes(calls), STARTS, st.lists(CALLS, min_size=1, max_size=6)
)
ROWS = st.lists(
    st.tuples(
        AUCTIONS,
        st.sampled_from([KEPT_ROW, KEPT_ROW, REJECTED_ROW, LEADING_ROW]),
        st.integers(0, 99),
        st.integers(0, BEHIND - 1),
    ),
    max_size=60,
)


@pytest.fixture(scope="module", params=[sorted_rows, trie_reference], ids=["core", "reference"])
def kernels(request):
    """Functions of the core, or those that define them."""
    return request.param


def arrays_of(auctions):
    calls = np.frombuffer(b"".join(auctions), np.uint8)
    return calls, offsets_of([len(auction) for auction in auctions], np.int64)


def order_of(auctions):
    return sorted(range(len(auctions)), key=lambda row: (auctions[row], row))


@given(st.lists(AUCTIONS | st.just(b""), max_size=80))
def test_rows_are_sorted_and_copied(kernels, auctions):
    calls, offsets = arrays_of(auctions)
    order = kernels.sorted_order(calls, offsets)
    assert order.tolist() == order_of(auctions)
    assert in_order(calls, offsets, order).tobytes() == b"".join(sorted(auctions))


@pytest.mark.parametrize("different", [1, 3, 40, 3000])
def test_many_rows_are_sorted(different):
    # of few different auctions each stands there in many rows
    random = np.random.default_rng(different)
    known = [
        bytes(random.integers(0, 38, random.choice([1, 3, 10, 11, 20, 319])).astype(np.uint8))
        for _ in range(different)
    ]
    known += [known[0][:-1], known[0] * 2]
    auctions = [known[number] for number in random.integers(0, len(known), 5000)]
    calls, offsets = arrays_of(auctions)
    assert sorted_order(calls, offsets).tolist() == order_of(auctions)


@given(st.lists(AUCTIONS, min_size=1, max_size=40), st.data())
def test_rows_with_a_next_call_are_found(auctions, data):
    auctions = sorted(auctions)
    start = data.draw(st.sampled_from(auctions))
    start = start[: data.draw(st.integers(0, len(start)))]
    below = [row for row, auction in enumerate(auctions) if auction[: len(start)] == start]
    calls, offsets = arrays_of(auctions)
    bounds = np.empty(39, np.int64)
    children_in(calls, offsets.astype(np.uint32), below[0], below[-1] + 1, len(start), bounds)
    next_calls = [[*auctions[row][len(start) :], -1][0] for row in below]
    assert bounds.tolist() == [
        below[0] + sum(one < call for one in next_calls) for call in range(39)
    ]


class Node(NamedTuple):
    """What a trie says of an auction."""

    flags: int
    priority: int
    first_kept: int


def reason_against(auction, call):
    if auction.is_complete:
        return Dropped.BELOW_COMPLETED
    if call in list(auction.legal_calls()):
        return Dropped.KEPT
    return (
        (Dropped.WRONG_DOUBLE, Dropped.WRONG_REDOUBLE)[call - 1]
        if call < 3
        else (Dropped.INSUFFICIENT_BID)
    )


def trie(rows):
    """Nodes by auction in their order, and by row its node's auction and why it was dropped."""
    kinds = {}
    for auction, kind, _, _ in rows:
        kinds.setdefault(auction, set()).add(kind)

    def led_to(auction):
        """How far there are nodes on the way, and why not farther; whether its own was refused."""
        so_far = Auction()
        for place, call in enumerate(auction):
            if reason := reason_against(so_far, call):
                return auction[:place], reason, False
            so_far = so_far.add(call)
            here = kinds.get(auction[: place + 1], set())
            if REJECTED_ROW in here and KEPT_ROW not in here:
                return auction[:place], Dropped.BELOW_REJECTED, place + 1 == len(auction)
        return auction, Dropped.KEPT, False

    ways = [led_to(auction) for auction, *_ in rows]
    nodes = {}
    for auction in sorted({way[:length] for way, _, _ in ways for length in range(1, 400)} - {b""}):
        own = [row for row in rows if row[0] == auction and row[1] == KEPT_ROW]
        below = [row for row, way in zip(rows, ways, strict=True) if way[0].startswith(auction)]
        first_row = min(number for _, _, number, _ in below)
        nodes[auction] = Node(
            (0 if own else INSERTED) | (COMPLETED if Auction.of(auction).is_complete else 0),
            min((row[3] for row in own), default=BEHIND | first_row),
            min((row[2] for row in own), default=NO_ROW),
        )
    dropped = [
        Dropped.REJECTED if kind == REJECTED_ROW and (is_refused or not reason) else reason
        for (_, kind, _, _), (_, reason, is_refused) in zip(rows, ways, strict=True)
    ]
    return nodes, [way for way, _, _ in ways], dropped


def grown(kernels, rows):
    calls, offsets = arrays_of([row[0] for row in rows])
    order = kernels.sorted_order(calls, offsets)
    return kernels.trie_of_sorted(
        calls,
        offsets,
        order,
        np.array([row[1] for row in rows], np.uint8),
        np.array([row[2] for row in rows], np.int64),
        np.array([row[3] for row in rows], np.uint64),
    )


@given(ROWS)
def test_a_trie_is_grown(kernels, rows):
    expected, ways, why = trie(rows)
    places = {b"": -1} | {auction: node for node, auction in enumerate(expected)}
    nodes, row_node, dropped = grown(kernels, rows)
    assert nodes.parent.tolist() == [places[auction[:-1]] for auction in expected]
    assert nodes.call.tolist() == [auction[-1] for auction in expected]
    for name, column in zip(Node._fields, nodes[2:], strict=True):
        assert column.tolist() == [getattr(node, name) for node in expected.values()], name
    assert row_node.tolist() == [places[way] for way in ways]
    assert dropped.tolist() == why


@given(ROWS, st.data())
def test_what_is_below_is_measured_and_numbered(kernels, rows, data):
    expected, _, _ = trie(rows)
    nodes, _, _ = grown(kernels, rows)
    count = len(expected)
    auctions = list(expected)
    below, child_count = np.zeros((2, count), np.int64)
    forced = data.draw(st.lists(st.sampled_from([0, 0, 0, 1]), min_size=count, max_size=count))
    there = np.array(forced, np.uint8)
    kernels.measure(nodes.parent, nodes.flags, below, child_count, there)
    kept = [node for node, one in enumerate(expected.values()) if not one.flags & INSERTED]
    known = {
        auctions[node][:length]
        for node in {*kept, *np.flatnonzero(forced).tolist()}
        for length in range(1, len(auctions[node]) + 1)
    }
    assert there.tolist() == [auction in known for auction in auctions]
    over = {auction for auction, node in expected.items() if node.flags & COMPLETED}
    for node, auction in enumerate(auctions):
        lower = [one for one in known if one.startswith(auction) and one != auction]
        assert below[node] == len(lower)
        assert child_count[node] == sum(len(one) == len(auction) + 1 for one in lower)
        can_complete = auction in over or any(one in over for one in lower)
        assert bool(nodes.flags[node] & CAN_COMPLETE) == can_complete

    starts, children = np.empty(count + 2, np.int64), np.empty(len(known), np.int32)
    kernels.children_by_priority(nodes.parent, nodes.priority, there, starts, children)
    places = {b"": -1} | {auction: node for node, auction in enumerate(auctions)}
    own = {auction: [] for auction in [b"", *auctions]}
    for auction in sorted(known, key=lambda one: (nodes.priority[places[one]], one)):
        own[auction[:-1]].append(auction)
    assert starts.tolist() == [0, *np.cumsum([len(one) for one in own.values()])]
    assert children.tolist() == [places[one] for some in own.values() for one in some]

    tops = [node for node, auction in enumerate(auctions) if len(auction) == 1]
    base, entry = np.full((2, count), -1, np.int64)
    base[tops] = np.cumsum(below[tops]) - below[tops]
    room = int(below[tops].sum())
    columns = tuple(np.zeros(room, kind) for kind in (np.uint8, np.uint8, np.uint16, np.uint32))
    kernels.number_below(
        starts, children, below, child_count, nodes.call, nodes.flags, base, entry, columns
    )
    blocks, firsts = [], {}

    def walk(auction):
        firsts[auction] = len(blocks)
        blocks.extend(own[auction])
        for child in own[auction]:
            walk(child)

    for node in tops:
        walk(auctions[node])
    numbers = {auction: number for number, auction in enumerate(blocks)}
    assert entry.tolist() == [numbers.get(auction, -1) for auction in auctions]
    assert [column.tolist() for column in columns] == [
        [int(column[places[auction]]) for auction in blocks]
        for column in (nodes.call, nodes.flags, child_count)
    ] + [[firsts[auction] for auction in blocks]]


@given(st.lists(st.tuples(st.sampled_from([0, 0, 0, 3, 255]), st.integers(0, 5)), max_size=30))
def test_the_first_row_of_each_entry_is_found(kernels, rows):
    count = len(rows)
    dropped = np.array([why for why, _ in rows], np.uint8)
    row_entry = np.array([entry for _, entry in rows], np.int64)
    priorities = np.random.default_rng(count).permutation(count).astype(np.uint64)
    first, further = np.full(6, -1, np.int64), np.zeros(count, np.uint8)
    kernels.rows_of_entries(dropped, row_entry, priorities, first, further)
    kept = sorted(np.flatnonzero(dropped == 0).tolist(), key=lambda row: rows[row][1])
    expected = {
        entry: min(same, key=lambda row: priorities[row])
        for entry, same in groupby(kept, key=lambda row: rows[row][1])
    }
    assert first.tolist() == [expected.get(entry, -1) for entry in range(6)]
    assert np.flatnonzero(further).tolist() == sorted({*kept} - {*expected.values()})


@given(st.lists(st.lists(st.sampled_from([0, 1, 2, (1 << 32) - 1]), max_size=4), max_size=40))
def test_lists_are_numbered(lists):
    values = np.array([value for one in lists for value in one], np.uint32)
    numbers, firsts = number_lists(offsets_of([len(one) for one in lists], np.int64), values)
    known = {tuple(one): None for one in lists}
    assert numbers.tolist() == [[*known].index(tuple(one)) for one in lists]
    assert firsts.tolist() == [lists.index([*one]) for one in known]


# --- what is refused -----------------------------------------------------------------------------


def ints(*numbers):
    return np.array(numbers, np.int64)


@pytest.mark.parametrize("offsets", [[0, 3], [-1, 2], [2, 1], [0, 1 << 62], [-(1 << 62), 2]])
def test_auctions_and_lists_outside_their_values_are_refused(offsets):
    calls, one = np.zeros(2, np.uint8), np.zeros(1, np.uint64)
    with pytest.raises(ValueError, match=REFUSED):
        sorted_order(calls, ints(*offsets))
    with pytest.raises(ValueError, match=REFUSED):
        in_order(calls, ints(*offsets), ints(0))
    with pytest.raises(ValueError, match=REFUSED):
        trie_of_sorted(calls, ints(*offsets), ints(0), np.zeros(1, np.uint8), ints(0), one)
    with pytest.raises(ValueError, match=REFUSED):
        number_lists(ints(*offsets), np.zeros(2, np.uint32))


@pytest.mark.parametrize("call", [38, 63, 255])
def test_other_calls_are_refused(call):
    calls, offsets = np.array([3, call], np.uint8), ints(0, 1, 2)
    with pytest.raises(ValueError, match=REFUSED):
        sorted_order(calls, offsets)
    with pytest.raises(ValueError, match=REFUSED):
        trie_of_sorted(
            calls, offsets, ints(0, 1), np.zeros(2, np.uint8), ints(0, 1), np.zeros(2, np.uint64)
        )


@pytest.mark.parametrize("order", [(0, 2), (-1, 0), (1, 1 << 62)])
def test_orders_of_other_rows_are_refused(order):
    calls, offsets = np.array([3, 4], np.uint8), ints(0, 1, 2)
    with pytest.raises(ValueError, match=REFUSED):
        in_order(calls, offsets, ints(*order))
    with pytest.raises(ValueError, match=REFUSED):
        trie_of_sorted(
            calls, offsets, ints(*order), np.zeros(2, np.uint8), ints(0, 1), np.zeros(2, np.uint64)
        )


def test_a_row_that_comes_again_and_again_finds_no_room():
    with pytest.raises(ValueError, match=REFUSED):
        in_order(np.array([3, 0, 0, 4], np.uint8), ints(0, 3, 4), ints(0, 0))


@pytest.mark.parametrize(
    "auctions",
    [(b"\4", b"\3"), (b"\3\0", b"\3"), (b"", b"\3"), (b"\3", bytes([3] * 320))],
    ids=["unsorted", "longer first", "no call", "too many calls"],
)
def test_a_trie_of_what_is_not_in_order_is_refused(auctions):
    calls, offsets = arrays_of(auctions)
    with pytest.raises(ValueError, match=REFUSED):
        trie_of_sorted(
            calls,
            offsets,
            ints(0, 1),
            np.full(2, REJECTED_ROW, np.uint8),
            ints(0, 1),
            np.zeros(2, np.uint64),
        )


@pytest.mark.parametrize(
    ("begin", "end", "depth"),
    [(-1, 2, 0), (1, 0, 0), (0, 3, 0), (0, 2, -1), (0, 2, 1 << 62), (1 << 62, 1 << 62, 0)],
)
def test_a_search_outside_the_rows_is_refused(begin, end, depth):
    calls, offsets = np.array([3, 4], np.uint8), np.array([0, 1, 2], np.uint32)
    with pytest.raises(ValueError, match=REFUSED):
        children_in(calls, offsets, begin, end, depth, np.zeros(39, np.int64))
    with pytest.raises(ValueError, match=REFUSED):
        children_in(calls, offsets + np.uint32(1 << 20), 0, 2, 0, np.zeros(39, np.int64))


@pytest.mark.parametrize("parent", [(0, 0), (-2, 0), (-1, 1), (-1, -(1 << 31)), (1, -1)])
def test_nodes_before_their_parents_are_refused(parent):
    parents, flags, there = np.array(parent, np.int32), np.zeros(2, np.uint8), np.ones(2, np.uint8)
    with pytest.raises(ValueError, match=REFUSED):
        measure(parents, flags, ints(0, 0), ints(0, 0), there)
    with pytest.raises(ValueError, match=REFUSED):
        children_by_priority(
            parents, np.zeros(2, np.uint64), there, ints(0, 0, 0, 0), np.zeros(2, np.int32)
        )


def test_more_children_than_there_is_room_for_are_refused():
    parents, there = np.array([-1, 0], np.int32), np.ones(2, np.uint8)
    with pytest.raises(ValueError, match=REFUSED):
        children_by_priority(
            parents, np.zeros(2, np.uint64), there, ints(0, 0, 0, 0), np.zeros(1, np.int32)
        )


FAR = 1 << 62


@pytest.mark.parametrize(
    ("name", "value"),
    [("starts", (0, 1, 3, 3)), ("starts", (-1, 1, 2, 2)), ("starts", (0, 2, 1, 2)),
     ("children", (0, 2)), ("children", (0, -1)), ("below", (1, 1)), ("below", (1, -1)),
     ("below", (1, FAR)), ("child_count", (0, 0)), ("child_count", (2, 0)),
     ("child_count", (FAR, 0)), ("child_count", (-1, 0)), ("base", (1, -1)), ("base", (FAR, -1))],
)  # fmt: skip
def test_entries_without_room_are_refused(name, value):
    # an opening call and one call behind it
    sound = {
        "starts": (0, 1, 2, 2),
        "children": (0, 1),
        "below": (1, 0),
        "child_count": (1, 0),
        "base": (0, -1),
    }

    def number(starts, children, below, child_count, base):
        call, entry = np.array([3, 0], np.uint8), ints(-1, -1)
        columns = tuple(np.zeros(1, kind) for kind in (np.uint8, np.uint8, np.uint16, np.uint32))
        number_below(
            ints(*starts),
            np.array(children, np.int32),
            ints(*below),
            ints(*child_count),
            call,
            call,
            ints(*base),
            entry,
            columns,
        )
        return entry.tolist(), [int(column[0]) for column in columns]

    assert number(**sound) == ([-1, 0], [0, 0, 0, 1])
    with pytest.raises(ValueError, match=REFUSED):
        number(**(sound | {name: value}))


@pytest.mark.parametrize(("entry", "first"), [(1, -1), (-1, -1), (FAR, -1), (0, 2), (0, FAR)])
def test_entries_and_rows_that_there_are_not_are_refused(entry, first):
    with pytest.raises(ValueError, match=REFUSED):
        rows_of_entries(
            np.zeros(1, np.uint8),
            ints(entry),
            np.zeros(1, np.uint64),
            ints(first),
            np.zeros(1, np.uint8),
        )
