"""Bidding tables at the core's interface: the definition's answers, and arrays that are refused.

`nox -s sanitize` runs these with a build that stops at the first wrong access.
"""

from random import Random
from typing import Any

import numpy as np
import pytest

from bidcascade.kernels import DealArrays, FirstAuctions, Plan, cpu, get_backend
from bidcascade.kernels.core.hands.packing import PackingTables
from bidcascade.kernels.core.tables import tables
from bidcascade.kernels.core.tables.tables import (
    Arena,
    CoreTable,
    TableTests,
    Trie,
    checked_table,
    walk,
)
from tests.support.backends import SOME, assert_same_answers, merged
from tests.support.examples import some_in_check
from tests.support.plans import deal_arrays, random_plan

DEPTH = 40
"""More calls than any auction of these tables has."""
EDGES = (0, 1, 63, 64, 129, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 1)


@pytest.fixture(scope="module")
def plan() -> Plan:
    return random_plan(np.random.default_rng(4), SOME, nodes=120)


@pytest.fixture(scope="module")
def deals() -> DealArrays:
    return deal_arrays(np.random.default_rng(5), 150)


def walked(table: CoreTable, deals: DealArrays, threshold: int) -> tuple[int, list[int]]:
    """Pairs and counts of one walk over all deals."""
    assert table.trie is not None
    arena = Arena().of(tables.block_words(table, len(deals), threshold))
    nodes = len(table.trie.box)
    counts = np.zeros(nodes, np.uint32)
    pairs = np.zeros(nodes * len(deals), np.uint32), np.zeros(nodes * len(deals), np.uint16)
    written = walk(
        table,
        deals,
        0,
        len(deals),
        arena,
        threshold=threshold,
        max_depth=DEPTH,
        completed_only=False,
        counts=counts,
        pairs=pairs,
    )
    return written, counts.tolist()


@pytest.mark.parametrize("count", [1, 3, 63, 64, 65, 200])
@pytest.mark.parametrize("threshold", [0, 4, 64])
def test_it_gives_what_the_definition_gives(monkeypatch, count, threshold):
    monkeypatch.setattr(cpu, "LIST_THRESHOLD", threshold)
    rng = np.random.default_rng(count + threshold)
    assert_same_answers(get_backend("cpu"), random_plan(rng, SOME), deal_arrays(rng, count))


@pytest.mark.parametrize("threshold", [0, 4, 64])
@pytest.mark.parametrize("seed", some_in_check(1, 1, 2))
def test_small_sets_of_a_large_block_are_walked_on_their_own(seed, threshold):
    # enough tests of few deals, so that these are selected, and few of them again; the same deals
    # many times over, so that the definition has few to do
    copies, some = 60, 300
    rng = np.random.default_rng(seed)
    plan, few = random_plan(rng, SOME, nodes=2000, asking=True), deal_arrays(rng, some)
    which = rng.permutation(np.arange(copies * some) % some)
    deals = DealArrays(few.hands[:, which].copy(), few.dealer[which], few.vulnerability[which])
    table, count = cpu.table_of(plan), len(which)
    arena = Arena().of(tables.block_words(table, count, threshold))
    asked: dict[str, Any] = {"threshold": threshold, "max_depth": DEPTH, "completed_only": False}
    reference = get_backend("reference")

    counts = np.zeros(plan.node_count, np.uint32)
    pairs = int(reference.cascade_counts(plan, few).sum()) * copies
    nodes, places = np.zeros(pairs, np.uint32), np.zeros(pairs, np.uint16)
    written = walk(table, deals, 0, count, arena, **asked, counts=counts, pairs=(nodes, places))
    assert written == pairs
    np.testing.assert_array_equal(counts, reference.cascade_counts(plan, few) * copies)
    np.testing.assert_array_equal(np.bincount(nodes, minlength=plan.node_count), counts)
    wanted = merged(reference.cascade_all(plan, few))
    order = np.argsort(places, kind="stable")
    entries = np.split(nodes[order], np.cumsum(np.bincount(places, minlength=count))[:-1])
    for deal, found in zip(which.tolist(), entries, strict=True):
        of_deal = slice(int(wanted.offsets[deal]), int(wanted.offsets[deal + 1]))
        assert found.tolist() == wanted.entries[of_deal].tolist()

    first, expected = FirstAuctions.empty(count), reference.cascade_first(plan, few)
    walk(table, deals, 0, count, arena, **asked, first=first)
    np.testing.assert_array_equal(first.entry, expected.entry[which])
    np.testing.assert_array_equal(first.passes, expected.passes[which])
    np.testing.assert_array_equal(first.defaults, expected.defaults[which])


def copied(group: Any, kind: Any, **changes: Any) -> Any:
    """Another group with the arrays of one, some of them changed."""
    made = kind.__new__(kind)
    super(kind, made).__init__(**(dict(group._arrays) | changes))
    return made


def changed(array: Any, random: Random) -> Any:
    """An array with a number changed, or a few items shorter or longer."""
    array = array.copy()
    what = random.randrange(4)
    if what == 0 or not len(array):
        return np.append(array, array[:1] if len(array) else np.zeros(1, array.dtype))
    if what == 1:
        return array[: random.randrange(len(array))].copy()
    place = random.randrange(len(array))
    least, most = np.iinfo(array.dtype).min, np.iinfo(array.dtype).max
    number = random.choice(EDGES) if what == 2 else int(array[place]) + random.choice((-1, 1, 2))
    array[place] = min(max(number, least), most)
    return array


@pytest.mark.parametrize("kind", [TableTests, Trie])
def test_changed_arrays_are_refused_or_walked_within_them(plan, deals, kind):
    packing, tests, trie = PackingTables(plan.packing), TableTests.of_plan(plan), Trie(plan, DEPTH)
    random, refused = Random(kind.__name__), 0
    for _ in range(400):
        group = tests if kind is TableTests else trie
        name = random.choice(list(group.fields))
        other = copied(group, kind, **{name: changed(getattr(group, name), random)})
        try:
            table = checked_table(
                packing, other if kind is TableTests else tests, other if kind is Trie else trie
            )
            walked(table, deals.slice(0, random.choice((1, 70, 150))), random.choice((0, 8)))
        except ValueError as error:
            refused += "expected numbers within the arrays" in str(error)
    assert 200 < refused < 400


def test_blocks_that_do_not_fit_are_refused(plan, deals):
    table = checked_table(PackingTables(plan.packing), TableTests.of_plan(plan), Trie(plan, DEPTH))
    words = tables.block_words(table, 150, 4)
    asked: dict[str, Any] = {"threshold": 4, "max_depth": 3, "completed_only": False}
    walk(table, deals, 0, 150, Arena().of(words), **asked)
    for start, stop, room in (
        (0, 150, words - 1),
        (0, 151, words),
        (-1, 5, words),
        (7, 7, words),
        (8, 7, words),
    ):
        with pytest.raises(ValueError, match="expected numbers within the arrays"):
            walk(table, deals, start, stop, Arena().of(room), **asked)
    for wrong in ({"threshold": -1}, {"threshold": (1 << 16) + 1}, {"max_depth": -1}):
        with pytest.raises(ValueError, match="expected numbers within the arrays"):
            walk(table, deals, 0, 150, Arena().of(words), **(asked | wrong))
    with pytest.raises(ValueError, match="expected numbers within the arrays"):
        walk(table, deals, 0, 150, Arena().of(words), **asked, counts=np.zeros(3, np.uint32))


def test_kinds_of_holdings_have_the_rows_of_all_and_are_within_them(plan, deals):
    packing = PackingTables(plan.packing)
    rows = packing.suit_words.reshape(4, -1, sum(packing.words))
    assert rows.shape[1] < len(packing.kinds) == plan.packing.suit_words.shape[1]
    assert np.array_equal(rows[:, packing.kinds], plan.packing.suit_words)
    assert np.array_equal(packing.cards[packing.kinds], np.bitwise_count(np.arange(8192)))
    table = checked_table(packing, TableTests.of_plan(plan), Trie(plan, DEPTH))
    arena = Arena().of(tables.block_words(table, 150, 4))
    wrong = packing.kinds.copy()
    wrong[-1] = len(packing.cards)
    packing.set(kinds=wrong)
    with pytest.raises(ValueError, match="expected numbers within the arrays"):
        walk(table, deals, 0, 150, arena, threshold=4, max_depth=3, completed_only=False)


def test_pairs_that_do_not_fit_are_told(plan, deals):
    table = checked_table(PackingTables(plan.packing), TableTests.of_plan(plan), Trie(plan, DEPTH))
    arena = Arena().of(tables.block_words(table, 150, 4))
    few = np.zeros(3, np.uint32), np.zeros(3, np.uint16)
    written = walk(
        table, deals, 0, 150, arena, threshold=4, max_depth=9, completed_only=False, pairs=few
    )
    assert written == tables.PAIRS_FULL


def test_other_numbers_out_of_range_are_refused(plan, deals):
    table = checked_table(PackingTables(plan.packing), TableTests.of_plan(plan), Trie(plan, DEPTH))
    hands = cpu.features(plan, deals)[0]
    some = np.array([0, 149], np.uint32)
    assert tables.filter_deals(table, hands, some, 0).tolist() == [0, 149]
    for numbers, box in (
        (np.array([150], np.uint32), 0),
        (some, len(plan.boxes)),
        (some, (1 << 32) - 1),
    ):
        with pytest.raises(ValueError, match="core_filter_deals"):
            tables.filter_deals(table, hands, numbers, box)
    arena, out = Arena().of(tables.block_words(table, 150, 0)), np.zeros((1, 4, 3), np.uint64)
    for box, width in ((len(plan.boxes), 3), (0, 2)):
        with pytest.raises(ValueError, match="core_box_bits"):
            tables.box_bits(
                table, deals, 0, 150, arena, np.array([box], np.int64), out[:, :, :width].copy()
            )
    for parents in ([-2], [0], [3]):
        with pytest.raises(ValueError, match="core_member_bits"):
            tables.member_bits(
                table,
                deals,
                0,
                150,
                arena,
                np.array(parents, np.int32),
                np.zeros(1, np.uint8),
                np.zeros(1, np.int64),
                np.zeros((1, 3), np.uint64),
            )
    order, totals = np.zeros(2, np.uint32), np.zeros(2, np.uint64)
    for place, deal in ((2, 0), (0, 2)):
        order[0] = deal
        with pytest.raises(ValueError, match="core_group_pairs"):
            tables.group_pairs(
                np.zeros(1, np.uint32),
                np.array([place], np.uint16),
                1,
                order,
                9,
                totals,
                np.zeros(1, np.uint32),
            )
