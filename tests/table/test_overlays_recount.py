"""Counts carried over a change of the table, against counts of the whole table."""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidInput
from bidcascade.kernels import DealArrays, get_backend
from bidcascade.table import NONE_U32, BiddingTable, Row, build_table
from bidcascade.table.overlays.changes import changed_entries, changed_subtrees
from bidcascade.table.overlays.recount import Recount
from bidcascade.table.overlays.sub_plan import pruned, sub_plan
from tests.support.deals import deals_in_turn
from tests.support.examples import examples

pytestmark = pytest.mark.slow

CALLS = st.sampled_from([0, 0, 0, 1, 3, 4, 7, 10])
CRITERIA = st.lists(
    st.sampled_from(["HCP >= 9", "SL_S >= 4", "HCP <= 10", "Balanced", "Vul_We", "Forcing"]),
    max_size=2,
    unique=True,
).map(tuple)


@st.composite
def rows(draw: st.DrawFn) -> list[Row]:
    auctions = draw(st.lists(st.lists(CALLS, min_size=1, max_size=5).map(bytes), max_size=25))
    return [
        Row(auction[:-1], auction[-1], "", draw(CRITERIA), rank=draw(st.sampled_from([None, 0])))
        for auction in auctions
    ]


@st.composite
def two_tables(draw: st.DrawFn) -> tuple[BiddingTable, BiddingTable]:
    """Two tables that have most rows in common, in other orders."""
    common, one, other = draw(rows()), draw(rows()), draw(rows())
    policy = draw(st.sampled_from(["allow", "pass", "reject"]))
    second = draw(st.permutations([*common, *other[:3]]))
    return (
        build_table([*common, *one[:3]], undescribed=policy)[0],
        build_table(second, undescribed=draw(st.sampled_from([policy, policy, "pass"])))[0],
    )


def in_parts(deals: DealArrays, *sizes: int) -> list[DealArrays]:
    cuts = np.cumsum([0, *sizes, len(deals) - sum(sizes)])
    return [
        DealArrays(
            deals.hands[:, begin:end].copy(),
            deals.dealer[begin:end],
            deals.vulnerability[begin:end],
        )
        for begin, end in pairwise(cuts)
    ]


DEALS = deals_in_turn(32, 5)
REFERENCE, CPU = get_backend("reference"), get_backend("cpu")


@examples(25, 100)
@given(two_tables())
def test_carried_over_counts_are_those_of_a_full_run(tables):
    before, after = tables
    first = Recount.full(before, [DEALS], CPU)
    carried = first.carried_over(after, in_parts(DEALS, 7, 20), CPU)
    expected = REFERENCE.cascade_counts(after.plan(), DEALS)
    assert carried.counts.tolist() == expected.tolist()
    assert carried.deals_digest == first.deals_digest
    assert carried.counted_entries == len(changed_entries(before, after))
    back = carried.carried_over(before, [DEALS], CPU)
    assert back.counts.tolist() == first.counts.tolist()


@examples(25, 100)
@given(two_tables())
def test_unchanged_entries_hold_for_the_same_deals(tables):
    before, after = tables
    changed = set(changed_entries(before, after).tolist())
    tops = changed_subtrees(before, after).tolist()
    below = {entry for top in tops for entry in (top, *after.below(top))}
    assert below == changed
    counts = [REFERENCE.cascade_counts(table.plan(), DEALS) for table in tables]
    for entry in set(range(len(after))) - changed:
        old = before.find(after.auction_of(entry))
        assert old is not None
        assert counts[0][old] == counts[1][entry]
    assert not len(changed_entries(before, before))


@given(rows(), st.data())
def test_a_part_of_a_table_holds_as_the_whole(written, data):
    table, _ = build_table(written)
    wanted = data.draw(
        st.lists(st.integers(0, len(table) - 1), max_size=6) if len(table) else st.just([])
    )
    plan = table.plan()
    part, numbers = sub_plan(plan, np.array(wanted, np.uint32))
    auctions = [table.auction_of(entry) for entry in wanted]
    closed = {auction[:length] for auction in auctions for length in range(1, len(auction) + 1)}
    assert {table.auction_of(int(number)) for number in numbers} == closed
    assert part.root_count == sum(len(auction) == 1 for auction in closed)
    parents = [numbers[one] if one < len(numbers) else NONE_U32 for one in part.parent]
    assert parents == table.parents[numbers].tolist()
    counts = REFERENCE.cascade_counts(plan, DEALS)
    assert REFERENCE.cascade_counts(part, DEALS).tolist() == counts[numbers].tolist()
    for backend in (REFERENCE, CPU):
        alone = backend.cascade_counts(pruned(part), DEALS)
        assert alone.tolist() == counts[numbers].tolist()
    forced, _ = sub_plan(plan, np.array(wanted, np.uint32), always=numbers.tolist())
    for backend in (REFERENCE, CPU):
        assert (backend.cascade_counts(forced, DEALS) == len(DEALS)).all()


@examples(25, 100)
@given(tables=two_tables())
def test_a_file_of_counts_does_as_well(tables, tmp_path_factory):
    before, after = tables
    path = tmp_path_factory.getbasetemp() / "counts.parquet"
    first = Recount.full(before, [DEALS], CPU)
    first.write(path)
    again = Recount.read(path)
    assert again.frame().equals(first.frame())
    assert again.carried_over(before, [DEALS], CPU).counted_entries == 0
    carried = again.carried_over(after, [DEALS], CPU)
    direct = first.carried_over(after, [DEALS], CPU)
    assert carried.counts.tolist() == direct.counts.tolist()
    assert carried.counted_entries == direct.counted_entries


def small() -> BiddingTable:
    table, _ = build_table([
        {"prior": "", "call": "1N", "criteria": ["15 <= HCP <= 17"]},
        {"prior": "1N", "call": "P"},
        {"prior": "1N P", "call": "2C", "criteria": ["SL_H >= 4"]},
    ])  # fmt: skip
    return table


def test_other_deals_are_refused():
    first = Recount.full(small(), [DEALS], CPU)
    with pytest.raises(
        InvalidInput, match="expected the 32 deals that were counted before, got 32"
    ):
        first.carried_over(small(), [deals_in_turn(32, 6)], CPU)
    with pytest.raises(InvalidInput, match="got 31 other ones"):
        first.carried_over(small(), in_parts(DEALS, 31)[:1], CPU)


def test_files_that_are_no_counts_are_refused(tmp_path):
    path = tmp_path / "counts.parquet"
    with pytest.raises(InvalidInput, match="expected a file of counts"):
        Recount.read(path)
    path.write_bytes(b"PAR1 not really")
    with pytest.raises(InvalidInput, match="expected a file of counts"):
        Recount.read(path)
    frame = Recount.full(small(), [DEALS], CPU).frame()
    frame.write_parquet(path)
    with pytest.raises(InvalidInput, match="which is none"):
        Recount.read(path)
    Recount.full(small(), [DEALS], CPU).write(path)
    told = pl.read_parquet_metadata(path)
    for bad in (
        frame.reverse(),
        frame.with_columns(parent=pl.Series([None, 0, 0], dtype=pl.UInt32).shift(-1)),
        frame.with_columns(parent=pl.Series([None, None, 2], dtype=pl.UInt32)),
        frame.with_columns(criteria=pl.lit(None, pl.String)),
    ):
        bad.write_parquet(path, metadata={"bidcascade": told["bidcascade"]})
        with pytest.raises(InvalidInput, match="in the order of a table"):
            Recount.read(path)
