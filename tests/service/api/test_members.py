"""``POST /v1/members``: as the engine says it, in both forms, of tables and systems."""

import io

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidcascade.bridge import Deal, format_deal
from bidcascade.engine.questions.deals.auctions import MembersAnswer
from bidcascade.loaders import HAND_COLUMNS, random_deals
from bidcascade.service.api.routes import routes_members
from tests.support.answers import read_answer
from tests.support.service import loaded_app, post, problem_of, write_small_table
from tests.support.systems import SMALL_SYSTEM, compile_few

DEALS = random_deals(60, seed=5)
TEXTS = [
    {"deal": format_deal(Deal(row[:4])), "dealer": row[4], "vulnerability": row[5]}
    for row in DEALS.select(*HAND_COLUMNS, "dealer", "vulnerability").rows()
]
ARROW = "application/vnd.apache.arrow.stream"
ENTRIES = ["P", "1N", "1N P", "1N P 2C"]


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    folder = tmp_path_factory.mktemp("members")
    (folder / "small.bidding").write_text(SMALL_SYSTEM, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIDCASCADE_CACHE", str(folder / "cache"))
        compile_few(patch)
        yield loaded_app(
            table=f"rows={write_small_table(folder)}",
            extra_tables=str(folder / "small.bidding"),
            backend="cpu",
            stream_chunk_deals=7,
            max_request_deals=2000,
        )


def expected(app, table, entries):
    frame = app.state.own.tables.get(table).engine.members(DEALS, entries)
    return {name: frame[name].arg_true().to_list() for name in frame.columns}


@pytest.mark.parametrize("table", ["rows", "small"])
def test_both_forms_say_what_the_engine_says(app, table):
    body = {"deals": TEXTS, "entries": ENTRIES, "table": table}
    response = post(app, "/v1/members", body)
    assert response.status_code == 200, response.text
    answer = read_answer(MembersAnswer, response.content)
    assert (answer.table.name, answer.backend) == (table, "cpu")
    wanted = expected(app, table, ENTRIES)
    assert any(wanted.values())
    assert {" ".join(one.auction): one.deals for one in answer.members} == wanted
    assert [one.total for one in answer.members] == [len(one) for one in wanted.values()]
    response = post(app, "/v1/members", body, Accept=ARROW)
    assert response.headers["bidcascade-table"] == table
    frame = pl.read_ipc_stream(io.BytesIO(response.content))
    assert frame.equals(app.state.own.tables.get(table).engine.members(DEALS, ENTRIES))
    slots = app.state.own.slots
    assert slots.free == slots.count


@settings(max_examples=20, deadline=None)
@given(entries=st.lists(st.integers(0, 6), min_size=1, max_size=9))
def test_entries_by_number(app, entries):
    body = {"deals": TEXTS, "entries": entries}
    answer = read_answer(MembersAnswer, post(app, "/v1/members", body).content)
    wanted = expected(app, "rows", entries)
    assert len(wanted) == len(set(entries))
    assert [(" ".join(one.auction), one.deals) for one in answer.members] == [*wanted.items()]


def test_more_deals_than_are_parsed_at_once(app):
    body = {"entries": ["1N"], "deals": TEXTS * 20}
    answer = post(app, "/v1/members", body).json()
    once = expected(app, "rows", ["1N"])["1N"]
    assert answer["members"][0]["deals"] == [
        60 * turn + deal for turn in range(20) for deal in once
    ]


def test_limits(app, monkeypatch):
    body = {"deals": TEXTS, "entries": ["1N", "P"]}
    problem_of(post(app, "/v1/members", {**body, "table": "none"}), 404, "unknown-table")
    problem_of(post(app, "/v1/members", {**body, "deals": TEXTS * 34}), 413, "too-many-deals")
    problem_of(post(app, "/v1/members", body, Accept="text/csv"), 406, "not-acceptable")
    monkeypatch.setattr(routes_members, "MOST_LISTED", 119)
    problem = problem_of(post(app, "/v1/members", body), 413, "limit-exceeded")
    assert "60 times 2" in problem["detail"]
    assert post(app, "/v1/members", body, Accept=ARROW).status_code == 200
