"""Lint reports, the text of a place, tables by name, and undescribed variants in the plan."""

import json
from typing import Any

import numpy as np
import pytest

from bidcascade.bridge import InvalidTable, UnknownTable, parse_calls
from bidcascade.engine.questions.parts.answer_fields import plain
from bidcascade.engine.questions.service.tables import lint_answer
from bidcascade.kernels import ALWAYS, NEVER, get_backend, why_unavailable
from bidcascade.systems import export_table, open_table
from bidcascade.table import (
    BiddingTable,
    build_table,
    counts_through,
    is_suspected_truncation,
    lint,
    lint_on_deals,
    show,
    show_info,
)
from bidcascade.table.inspection.linting import contradictory_terms
from bidcascade.table.language.expressions import parse_expression
from tests.support.deals import plain_deals

ROWS: list[dict[str, Any]] = [
    {"prior": "", "call": "1N", "name": "Strong", "criteria": ["15 <= HCP <= 17", "Balanced"]},
    {"prior": "", "call": "1N", "name": "Odd", "criteria": ["HCP >= 20", "HCP <= 10"]},
    {"prior": "", "call": "1C", "criteria": ["Total_Points >= 8", "HCP == 3", "SL_C >= 9"]},
    {"prior": "", "call": "P"},
    {
        "prior": "1N", "call": "P",
        "description": "2- ♥; 3- ♠; 15 HCP; twice rebiddable ♣; 16 total points; likely st",
    },
    {"prior": "1N P", "call": "2C", "criteria": ["SL_H >= 4", "Forcing_One_Round"]},
    {"prior": "1N P", "call": "2C", "criteria": ["SL_H >= 4", "Forcing_One_Round"]},
    {"prior": "1N P P", "call": "P"},
    {"prior": "1S", "call": "P"},
    {"prior": "1S", "call": "1H"},
]  # fmt: skip


@pytest.fixture
def table() -> BiddingTable:
    return build_table(ROWS, source="rows of the test")[0]


def auctions(report: Any, kind: str) -> list[str]:
    return [example["auction"] for example in report.findings[kind].examples]


def test_lint_finds_what_was_put_in(table):
    report = lint(table)
    assert report.findings["contradictory_bounds"].examples == [
        {"entry": table.find([7]), "auction": "1N", "detail": "HCP"}
    ]
    assert auctions(report, "unsatisfiable") == ["1N"]
    assert auctions(report, "variants") == ["1N", "1N P 2C"]
    assert (report.findings["repeated_variants"].count, auctions(report, "repeated_variants")) == (
        1,
        ["1N P 2C"],
    )
    assert auctions(report, "inserted") == ["1S", "1N P P"]
    assert report.findings["dropped_at_import"].examples == [{"detail": "illegal_calls: 1"}]
    assert auctions(report, "undescribed") == ["P", "1S", "1N P", "1N P P", "1N P P P", "1S P"]
    assert auctions(report, "undescribed_bids") == ["1S"]
    assert auctions(report, "dead_ends") == ["1C", "P", "1S", "1N P 2C", "1S P"]
    assert report.findings["tags"].count == 2
    assert report.findings["tags"].examples[0]["detail"] == "Forcing_One_Round"
    assert auctions(report, "truncated") == ["1N P"]


def test_lint_is_plain_values_and_text(table):
    report = lint(table, examples=1)
    written = json.loads(json.dumps(plain(lint_answer(report))))
    assert written["entries"] == len(table)
    assert written["findings"]["undescribed"]["count"] == 6
    assert len(written["findings"]["undescribed"]["examples"]) == 1
    text = str(report)
    assert "entries without criteria: 6\n  P\n  … and 5 more" in text
    assert "descriptions that look cut off: 1" in text


def test_a_faultless_table_has_an_empty_report():
    rows = [{"prior": "P " * n, "call": "P", "criteria": ["HCP <= 11"]} for n in range(4)]
    assert str(lint(build_table(rows)[0])) == "4 entries"
    assert str(lint(build_table([])[0])) == "0 entries"


@pytest.mark.parametrize(
    ("expressions", "terms"),
    [
        (["HCP >= 15", "HCP <= 15"], []),
        (["HCP > 15", "HCP <= 15"], ["HCP"]),
        (["15 < HCP", "15 > HCP"], ["HCP"]),
        (["12 <= HCP <= 10"], ["HCP"]),
        (["QT >= 2.5", "QT < 2.5", "SL_S == 4", "SL_S == 5"], ["QT", "SL_S"]),
        (["HCP != 3", "HCP == 3", "SL_S >= SL_H", "not Balanced"], []),
    ],
)
def test_bounds_that_exclude_each_other(expressions, terms):
    assert contradictory_terms(map(parse_expression, expressions)) == terms


@pytest.mark.parametrize(
    ("text", "suspected"),
    [
        ("5+ !D; 13-17 HCP; 14-19 total points; at best partial stop in !H; for", True),
        ("2- ♥; 3- ♠; 15 HCP; twice rebiddable ♣; 16 total points; stop in !", True),
        ("Opener rebids his C -- 2- !H; 3- !S; 11-15 HCP; twice rebiddable !C;", True),
        ("Major suit opening -- 5+ !H; 11-21 HC", False),
        ("Major suit opening -- 5+ !H; 11-21 HCP; 1", False),
        ("Major suit opening -- 5+ !H; 11-21 H  ", False),
        ("Minor suit opening -- 3+ !C; 11-21 HCP;", True),
        # may have been !SA+, as much as an ace; no !SA can only deny more
        ("5+ !D; 13-17 HCP; 14-19 total points; at best partial stop in !H; !SA", True),
        ("5+ !D; 13-17 HCP; 14-19 total points; biddable !S; no !HA; !CA; no !S", True),
        ("5+ !D; 13-17 HCP; 14-19 total points; at best partial stop in !H; 2 !S", False),
        ("a remark of sixty-nine characters, which is no list of phrases at all", False),
        ("No fit for the major, as I see it now and always; at most 2 hearts", False),
        ("Natural and forcing; 10+ HCP, 3+ clubs", False),
        ("5+ !D; 13-17 HCP; 14-19 total points; at best partial stop in !H; 5+", True),
        ("5+ !D; 13-17 HCP; 14-19 total points; at best partial stop in !H; 4-c", True),
        ("5+ !D; 13-17 HCP; 14-19 total points; at best partial stop in !H; 2 H", True),
        ("5+ !D; 13-17 HCP; 14-19 total points; at best partial stop in !H; !", True),
        ("", False),
    ],
)
def test_suspected_truncation(text, suspected):
    assert is_suspected_truncation(text) == suspected


def test_lint_on_deals(table):
    counts_all = np.zeros(len(table), dtype=np.uint64)
    counts_first = np.zeros(len(table), dtype=np.uint64)
    one_notrump, club, passed = (table.find(parse_calls(text)) for text in ("1N", "1C", "P"))
    assert [table.find(text) for text in ("1NT", "1C", "p")] == [one_notrump, club, passed]
    stayman, silent = (table.find(parse_calls(text)) for text in ("1N P 2C", "1N P"))
    counts_all[[one_notrump, club, passed, silent, stayman]] = [30, 20, 100, 30, 5]
    counts_first[[one_notrump, passed, silent, stayman]] = [30, 60, 30, 4]
    report = lint_on_deals(table, counts_all, counts_first, 100)
    assert auctions(report, "never_reached") == ["1S", "1N P P", "1N P P P", "1S P"]
    assert report.findings["never_chosen"].examples == [
        {"entry": club, "auction": "1C", "detail": "20 deals"}
    ]
    assert report.findings["without_call"].examples == [
        {
            "entry": silent,
            "auction": "1N P",
            "deals": 26,
            "overlap": 0.167,
            "detail": "26 of 30 deals, 0.17 calls hold on average",
        },
        {
            "entry": None,
            "auction": "opening",
            "deals": 10,
            "overlap": 1.5,
            "detail": "10 of 100 deals, 1.50 calls hold on average",
        },
    ]
    assert str(report).startswith(f"{len(table)} entries, 100 deals\n")
    json.dumps(plain(lint_answer(report)))
    with pytest.raises(InvalidTable, match="expected counts of"):
        lint_on_deals(table, counts_all[1:], counts_first, 100)


def test_show_a_place(table):
    assert show(table) == (
        "opening\n"
        "  1N  Strong\n"
        "      15 <= HCP <= 17, Balanced\n"
        "      or Odd\n"
        "      HCP >= 20, HCP <= 10\n"
        "  1C\n"
        "      Total_Points >= 8, HCP == 3, SL_C >= 9\n"
        "  P   undescribed\n"
        "  1S  not in the source"
    )
    assert show(table, parse_calls("1N P P P")).splitlines() == [
        "1N P P P  undescribed",
        "  the auction is complete",
    ]
    assert show(table, parse_calls("1S P")).splitlines()[-1] == "  nothing follows in the table"
    with pytest.raises(InvalidTable, match="after 1N it has P, not X"):
        show(table, parse_calls("1N X P"))
    with pytest.raises(InvalidTable, match="as opening call it has 1N 1C P 1S, not 7N"):
        show(table, parse_calls("7N"))


def test_show_info(table):
    text = show_info(table)
    assert text.startswith("9 entries, 4 openings, 3 described, 1 completed auction\n")
    assert "from rows of the test" in text
    assert f"digest {table.digest}" in text


VARIANTS: list[dict[str, Any]] = [
    {"prior": "", "call": "1N", "criteria": ["HCP >= 15"]},
    {"prior": "", "call": "1N"},
    {"prior": "", "call": "P", "criteria": ["HCP >= 15"]},
    {"prior": "", "call": "P"},
    {"prior": "", "call": "1C", "criteria": ["Forcing"]},
    {"prior": "", "call": "1D"},
    {"prior": "", "call": "1D"},
    {"prior": "", "call": "1H", "criteria": ["HCP >= 15"]},
    {"prior": "P", "call": "P"},
    {"prior": "P P", "call": "P", "criteria": ["Forcing"]},
    {"prior": "", "call": "1S", "criteria": ["HCP >= 15", "Forcing"]},
    {"prior": "", "call": "1S", "criteria": ["HCP >= 15"]},
]
HCP_BOX = -1


@pytest.mark.parametrize(
    ("policy", "boxes"),
    [
        ("allow", [ALWAYS, ALWAYS, ALWAYS, ALWAYS, HCP_BOX, HCP_BOX, ALWAYS, ALWAYS]),
        ("pass", [HCP_BOX, ALWAYS, NEVER, NEVER, HCP_BOX, HCP_BOX, ALWAYS, ALWAYS]),
        ("reject", [HCP_BOX, HCP_BOX, NEVER, NEVER, HCP_BOX, HCP_BOX, NEVER, NEVER]),
    ],
)
def test_undescribed_variants_follow_the_policy(policy, boxes):
    table, _ = build_table(VARIANTS, undescribed=policy)
    plan = table.plan()
    box = int(plan.node_box[table.find(parse_calls("1H")) or 0])
    found = [HCP_BOX if number == box else int(number) for number in plan.node_box]
    assert found == boxes
    assert plan is table.plan()


def test_open_table_takes_paths(tmp_path, table):
    rows = [row for row in ROWS if "name" not in row]
    plain, _ = build_table(rows)
    export_table(plain, tmp_path / "rows.py")
    assert open_table(tmp_path / "rows.py") == plain
    assert open_table(str(tmp_path / "rows.py"), undescribed="allow").undescribed == "allow"
    table.save(tmp_path / "folder")
    assert open_table(tmp_path / "folder") == table
    with pytest.raises(UnknownTable, match=r"expected a table's name \(.*sayc.*\) or the path"):
        open_table("culbertson")


@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_lint_on_deals_with_what_kernels_count(backend):
    reason = why_unavailable(backend)
    if reason is not None:
        pytest.skip(reason)
    rows: list[dict[str, Any]] = [
        {"prior": "", "call": "1S", "criteria": ["HCP >= 12", "SL_S >= 5"]},
        {"prior": "", "call": "1H", "criteria": ["HCP >= 12", "SL_H >= 5"]},
        {"prior": "", "call": "1N", "criteria": ["HCP >= 12"]},
        {"prior": "", "call": "2C", "criteria": ["HCP >= 41"]},
        {"prior": "", "call": "2H", "criteria": ["HCP >= 12", "SL_H >= 7"]},
        {"prior": "1S", "call": "2S", "criteria": ["SL_S >= 3"]},
    ]
    table, _ = build_table(rows)
    deals = plain_deals(400, 3)
    engine = get_backend(backend)
    counts_all = engine.cascade_counts(table.plan(), deals)
    first = counts_through(table, engine.cascade_first(table.plan(), deals).entry)
    report = lint_on_deals(table, counts_all, first, len(deals))
    assert auctions(report, "never_reached") == ["2C"]
    assert auctions(report, "never_chosen") == ["2H"]
    opened = sum(int(first[entry]) for entry in table.children())
    assert opened == sum(point_count(int(hand)) >= 12 for hand in deals.hands[0])
    lost = {
        example["auction"]: example["deals"] for example in report.findings["without_call"].examples
    }
    assert lost["opening"] == 400 - opened
    assert lost["1S"] == first[table.find(parse_calls("1S")) or 0] - first[len(table) - 1]


def point_count(hand: int) -> int:
    return sum(
        (hand >> 13 * suit + 9 + extra & 1) * (extra + 1) for suit in range(4) for extra in range(4)
    )
