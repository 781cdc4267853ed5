"""The table generator: legal auctions, the shape that kernels ask for, reproducible, calibrated."""

from functools import cache

import numpy as np
import pytest

from benchmarks.tables.seeded import (
    BUSHY_DEPTH,
    DENSITIES,
    OPENINGS,
    SMALLEST,
    GeneratedTable,
    generate_table,
    named_table,
    numpy_hands,
    published_expressions,
    random_deals,
)
from bidcascade.bridge import Auction
from bidcascade.kernels import CAN_COMPLETE, COMPLETED, Plan, get_backend, term_names
from tests.support.examples import some_in_check

NAMES = list(DENSITIES)
SIZES = (SMALLEST, 7_919)


@cache
def middling(name: str) -> GeneratedTable:
    return named_table(name, 20_000)


def calls_of(plan: Plan, entry: int) -> list[int]:
    calls: list[int] = []
    while entry != plan.node_count:
        calls.append(int(plan.call[entry]))
        entry = int(plan.parent[entry])
    return calls[::-1]


@pytest.mark.parametrize("name", some_in_check(2, *NAMES))
@pytest.mark.parametrize("entries", SIZES)
def test_a_table_has_exactly_the_entries_asked_for(name, entries):
    table = named_table(name, entries)
    assert len(table.call) == entries
    assert table.root_count == OPENINGS
    assert int(table.child_count.sum()) + OPENINGS == entries


@pytest.mark.parametrize(
    "name",
    some_in_check(2, NAMES[0], *(pytest.param(name, marks=pytest.mark.slow) for name in NAMES[1:])),
)
def test_auctions_are_legal_and_end_where_the_flags_say(name):
    plan = middling(name).plan()
    seen = 0
    for entry in range(0, plan.node_count, 41):
        # raises at a call that may not be made
        auction = Auction.of(calls_of(plan, entry))
        assert auction.is_complete == bool(plan.flags[entry] & COMPLETED)
        assert not (auction.is_complete and plan.child_count[entry])
        seen += auction.is_complete
    assert seen


@pytest.mark.parametrize("name", NAMES)
def test_parents_come_first_and_every_entry_is_one_parents_child(name):
    table = middling(name)
    inner = np.flatnonzero(table.child_count)
    first = table.first_child[inner].astype(np.int64)
    assert (first > inner).all()
    children = np.concatenate(
        [
            np.arange(start, start + count)
            for start, count in zip(first, table.child_count[inner].astype(np.int64), strict=True)
        ]
    )
    assert np.array_equal(np.sort(children), np.arange(OPENINGS, 20_000))


@pytest.mark.parametrize("name", NAMES)
def test_siblings_are_different_calls(name):
    plan = middling(name).plan()
    pairs = plan.parent.astype(np.int64) * 64 + plan.call
    assert len(np.unique(pairs)) == plan.node_count


@pytest.mark.parametrize("name", NAMES)
def test_can_complete_means_a_completed_entry_at_or_below(name):
    plan = middling(name).plan()
    wanted = np.zeros(plan.node_count, np.bool_)
    for entry in np.flatnonzero(plan.flags & COMPLETED):
        above = int(entry)
        while above != plan.node_count and not wanted[above]:
            wanted[above] = True
            above = int(plan.parent[above])
    assert np.array_equal((plan.flags & CAN_COMPLETE) > 0, wanted)


def arrays_of(table: GeneratedTable) -> list[object]:
    return [
        table.expressions, table.criteria, table.first_child.tolist(), table.child_count.tolist(),
        table.call.tolist(), table.flags.tolist(), table.variant_set.tolist(),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["middle", "bushy-middle"])
def test_a_seed_gives_one_table(name):
    assert arrays_of(named_table(name, 3_000)) == arrays_of(named_table(name, 3_000))
    assert arrays_of(named_table(name, 3_000)) != arrays_of(named_table(name, 3_000, seed=2))


def test_bushy_tables_are_described_throughout_and_not_too_deep():
    table = middling("bushy-dense")
    assert (table.variant_set > 0).all()
    plan = table.plan()
    depths = [len(calls_of(plan, entry)) for entry in range(0, 20_000, 7)]
    assert 10 < max(depths) <= BUSHY_DEPTH
    assert table.child_count.max() <= 12


def test_published_tables_leave_passes_undescribed():
    table = middling("selective")
    assert (table.variant_set[table.call == 0] == 0).all()
    assert (table.variant_set[: OPENINGS - 1] > 0).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "knobs"), [("published", (1.0, 0.7, 0.4)), ("bushy", (0.0, 1.0, 2.0, 4.0))]
)
def test_the_knob_lets_more_entries_hold(shape, knobs):
    deals = random_deals(2_000)
    holding = []
    for knob in knobs:
        plan = generate_table(20_000, shape=shape, knob=knob, distinct_lists=2_000).plan()
        holding.append(int(get_backend("cpu").cascade_counts(plan, deals).sum()))
    assert holding == sorted(holding)
    assert holding[-1] > 3 * holding[0]


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        ({"entries": 999, "shape": "bushy", "knob": 1.0}, "999"),
        ({"entries": 5_000, "shape": "round", "knob": 1.0}, "'round'"),
        ({"entries": 5_000, "shape": "published", "knob": 1.5}, "1.5"),
        ({"entries": 5_000, "shape": "bushy", "knob": -1.0}, "-1.0"),
    ],
)
def test_bad_arguments_are_named(arguments, wrong):
    with pytest.raises(ValueError, match=wrong):
        generate_table(**arguments)  # type: ignore[arg-type]  # on purpose


@pytest.mark.slow
@pytest.mark.parametrize("name", some_in_check((3,), *NAMES))
def test_two_million_entries_hold_as_often_as_the_table_says(name):
    plan = named_table(name).plan()
    deals = random_deals(1 << 17)
    holding = int(get_backend("cpu").cascade_counts(plan, deals).sum()) / len(deals)
    assert holding == pytest.approx(DENSITIES[name].holding, rel=0.1)


def test_the_published_expressions_are_349():
    expressions = published_expressions()
    assert len(expressions) == len(set(expressions)) == 349
    assert {str(expression[0]) for expression in expressions} <= set(term_names())


def test_numpy_deals_four_hands_of_thirteen():
    hands = numpy_hands(1_000, 3)
    assert (np.bitwise_count(hands) == 13).all()
    assert (np.bitwise_or.reduce(hands, axis=0) == (1 << 52) - 1).all()
    assert np.array_equal(hands, numpy_hands(1_000, 3))
