"""The published table: its rows, lists, faults, and its augmented twin; all four formats."""

import ast
from pathlib import Path
from typing import Any

import pytest

from bidcascade.bridge import format_calls, parse_calls
from bidcascade.systems import export_table, import_table
from bidcascade.table import BiddingTable, build_table, lint
from bidcascade.table.formats.published import tuple_of

pytestmark = pytest.mark.real_data

PLAIN = "bbo_bidding_sequences_table.py.txt"
AUGMENTED = "bbo_bidding_sequences_table_augmented.py.txt"


@pytest.fixture(scope="module")
def file(shared_data) -> Path:
    return shared_data / "table" / PLAIN


@pytest.fixture(scope="module")
def published(file) -> list[Any]:
    text = file.read_text(encoding="utf-8")
    rows: list[Any] = ast.literal_eval(text[text.index("table = [") + len("table = ") :])
    return rows


@pytest.fixture(scope="module")
def table(file) -> BiddingTable:
    return import_table(file)[0]


def test_counts_are_those_of_the_file(file):
    table, report = import_table(file)
    assert (report.rows, report.entries) == (1026, 1031)
    assert report.criteria_lists + 1 == 134
    assert report.expressions == 129
    found = {kind: count for kind, count in report.counts().items() if count}
    # four rows lie below 7H, 7N and 7S in fourth seat, which the excerpt leaves out
    assert found == {"rows": 1026, "orphans": 4, "missing_parents": 5}
    assert report.findings["missing_parents"].examples == [
        "P P",
        "P P P",
        "P P P 7H",
        "P P P 7N",
        "P P P 7S",
    ]
    assert table.info()["completed"] == 223
    assert table.info()["described"] == 159


def test_the_published_tuples_come_back(table, published):
    assert [tuple_of(row) for row in table.rows()] == published


@pytest.mark.parametrize("name", ["t.py", "t.pkl", "t.jsonl", "t.parquet"])
def test_export_and_import_give_the_same_digest(table, tmp_path, name):
    export_table(table, tmp_path / name)
    assert import_table(tmp_path / name)[0].digest == table.digest


def test_the_literal_export_is_the_published_list(table, published, tmp_path):
    export_table(table, tmp_path / "t.py")
    text = (tmp_path / "t.py").read_text(encoding="utf-8")
    assert ast.literal_eval(text[text.index("= [") + 2 :]) == published


def test_own_format_and_plan(table, tmp_path):
    table.save(tmp_path / "t")
    opened = BiddingTable.open(tmp_path / "t", verify=True)
    assert opened == table
    plan = opened.plan()
    assert plan.node_count == 1031
    assert len(plan.expressions) == 129


def test_rows_in_any_order_make_the_same_trie(published, table):
    backwards, report = build_table(reversed(published))
    # all rows but the 36 openings and the four without a parent
    assert report.counts()["out_of_order"] == 1026 - 36 - 4
    assert len(backwards) == len(table)
    for entry in range(len(table)):
        auction = table.auction_of(entry)
        other = backwards.find(auction)
        assert other is not None
        assert backwards.variants(other) == table.variants(entry)
        assert backwards.flags[other] == table.flags[entry]


def test_the_augmented_twin_agrees_on_every_row(shared_data, table):
    twin, report = import_table(shared_data / "table" / AUGMENTED)
    assert report.counts()["disagreements"] == 0
    assert report.rows == 1026
    assert [(row.prior, row.call, row.source_index) for row in twin.rows()] == [
        (row.prior, row.call, row.source_index) for row in table.rows()
    ]
    assert report.criteria_lists + 1 == 210


def test_lint_finds_the_known_faults(table):
    report = lint(table)
    contradictory = report.findings["contradictory_bounds"]
    found = [table.row(example["entry"]).source_index for example in contradictory.examples]
    assert found == [825, 975]
    # seven-level openings and 7N doubled ask for more points than a hand can have beside 35 in all
    impossible = report.findings["unsatisfiable"]
    assert impossible.count == 11
    assert {example["auction"] for example in impossible.examples} > {"7C", "7D", "7H", "7N", "7S"}
    assert report.findings["truncated"].count == 12
    assert report.findings["inserted"].count == 5
    assert report.findings["undescribed"].count == 872


def test_a_known_entry(table):
    entry = table.find(parse_calls("1C"))
    assert entry == 0
    row = table.row(0)
    assert row.criteria[:2] == ("SL_C >= 3", "HCP >= 11")
    assert row.description.startswith("Minor suit opening")
    assert format_calls(table.auction_of(len(table) - 1)) == "P P P 7S P P P"
