"""A table's plan and report do not depend on how many entries are worked on at a time."""

import dataclasses

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidTable
from bidcascade.kernels import number_ranges
from bidcascade.table import BiddingTable, build_table
from tests.support.examples import examples

CALLS = ["P", "1C", "1D", "1H", "2C", "3N", "X"]
CRITERIA = [[], ["SL_H >= 4"], ["HCP >= 12"], ["HCP >= 12", "SL_S >= 5"]]

rows_of_tables = st.lists(
    st.tuples(
        st.lists(st.sampled_from(CALLS), max_size=3),
        st.sampled_from(CALLS),
        st.sampled_from(CRITERIA),
    ),
    max_size=40,
)


def built(rows, policy):
    """The table, its plan as a dictionary and its report."""
    table, report = build_table(
        [{"prior": prior, "call": call, "criteria": list(texts)} for prior, call, texts in rows],
        undescribed=policy,
    )
    return table, dataclasses.asdict(table.plan()), report


@pytest.mark.parametrize("size", [1, 7])
@example(  # passes that hold by one row whatever the other one asks, in blocks but the first
    rows=[([one], "P", texts) for one in CALLS for texts in ([], ["HCP >= 12"])], policy="pass"
)
@examples(25, 100)
@given(rows=rows_of_tables, policy=st.sampled_from(["allow", "pass", "reject"]))
def test_plan_and_report_are_those_of_one_pass(size, rows, policy):
    table, plan, report = built(rows, policy)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(number_ranges, "BLOCK_NODES", size)
        in_blocks, block_plan, block_report = built(rows, policy)
    assert in_blocks.digest == table.digest
    assert block_report == report
    np.testing.assert_equal(block_plan, plan)
    assert block_plan["node_box"].dtype == plan["node_box"].dtype


@pytest.mark.parametrize("size", [1, 2, 100])
def test_children_beyond_the_table_are_found_in_every_block(monkeypatch, tmp_path, size):
    monkeypatch.setattr(number_ranges, "BLOCK_NODES", size)
    table, _ = build_table([{"prior": [], "call": "P"}, {"prior": ["P"], "call": "1C"}])
    table.columns["first_child"] = np.array([9, 0], np.uint32)
    BiddingTable(
        table.columns,
        profile=table.profile,
        undescribed=table.undescribed,
        user_terms=table.user_terms,
    ).save(tmp_path / "wrong")
    with pytest.raises(InvalidTable, match="expected children below 2"):
        BiddingTable.open(tmp_path / "wrong", verify=True)
