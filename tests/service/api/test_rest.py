"""REST: right answers, in every form, for every way to write a deal."""

import io
import json
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import SEATS, Deal, Seat, Vulnerability, format_deal, format_deal_lin
from bidcascade.engine import Engine
from bidcascade.engine.questions.bidding.bids import BidAnswer
from bidcascade.engine.questions.deals.auctions import AuctionsAnswer
from bidcascade.engine.questions.parts.answer_fields import answer_of, plain
from bidcascade.engine.questions.service.health import HealthAnswer, ReadyAnswer
from bidcascade.engine.questions.service.tables import (
    LintAnswer,
    NextAnswer,
    TableAnswer,
    TablesAnswer,
)
from bidcascade.engine.runs.deal_files import deal_sink
from bidcascade.engine.settings import Settings
from bidcascade.loaders import HAND_COLUMNS, random_deals
from bidcascade.service.api.app import create_app
from tests.support.answers import read_answer
from tests.support.examples import sized
from tests.support.service import DEAL, GOOD, ask, loaded_app, post, write_small_table

JSON_LINES = "application/jsonl"
ARROW = "application/vnd.apache.arrow.stream"
END_OF_STREAM = b"\xff\xff\xff\xff\x00\x00\x00\x00"


@pytest.fixture(scope="module")
def small_path(tmp_path_factory) -> Path:
    return write_small_table(tmp_path_factory.mktemp("tables"))


@pytest.fixture(scope="module")
def app(small_path) -> FastAPI:
    # lint of a shipped system takes seconds, and a busy machine many more
    return loaded_app(
        extra_tables=f"small={small_path}",
        backend="cpu",
        stream_chunk_deals=7,
        request_timeout_ms=300_000,
    )


def objects(frame: pl.DataFrame) -> list[dict[str, str]]:
    """Deals of a frame as requests have them."""
    rows = frame.select(*HAND_COLUMNS, "dealer", "vulnerability").rows()
    return [
        {"deal": format_deal(Deal(row[:4])), "dealer": row[4], "vulnerability": row[5]}
        for row in rows
    ]


@pytest.mark.slow
def test_first_auction_of_a_deal(app):
    answer = post(app, "/v1/auctions", GOOD)
    assert answer.status_code == 200
    body = read_answer(AuctionsAnswer, answer.content)
    (result,) = body.results
    (auction,) = result.auctions
    assert (result.total, result.truncated) == (1, False)
    assert auction.calls[0] == "1N"
    assert auction.calls[-3:] == ["P", "P", "P"]
    assert auction.completed
    assert body.backend == "cpu"
    assert body.table == Engine.open("sayc", "cpu").table_info()
    assert answer.headers["bidcascade-table"] == "sayc"
    assert answer.headers["bidcascade-table-digest"] == body.table.digest
    assert answer.headers["bidcascade-backend"] == "cpu"


@pytest.mark.slow
@pytest.mark.parametrize("table", ["sayc", "small"])
@pytest.mark.parametrize("options", [{}, {"completed_only": True}, {"limit": 3}])
def test_all_auctions_are_the_engines(app, small_path, table, options):
    deals = sized(12, 40)
    frame = random_deals(deals, seed=5)
    body = {"deals": objects(frame), "table": table, **options}
    answer = read_answer(AuctionsAnswer, post(app, "/v1/auctions", body).content)
    engine = Engine.open(str(small_path) if table == "small" else table, "reference")
    expected = engine.auctions(frame, **{"limit": 100, **options})
    variants = engine.variants(frame, expected)
    listed = [
        (deal, auction.entry, " ".join(auction.calls), auction.completed, result.total,
         result.truncated, auction.variants)
        for deal, result in enumerate(answer.results) for auction in result.auctions
    ]  # fmt: skip
    told = expected.select("deal", "entry", "calls", "completed", "total", "truncated")
    assert listed == [(*row, names) for row, names in zip(told.iter_rows(), variants, strict=True)]
    assert len(answer.results) == deals
    assert {result.total for result in answer.results if not result.auctions} <= {0}
    assert any(auction.variants for result in answer.results for auction in result.auctions)


@pytest.mark.slow
@pytest.mark.parametrize("table", ["sayc", "small"])
def test_first_auctions_are_the_engines(app, small_path, table):
    frame = random_deals(40, seed=6)
    body = {"deals": objects(frame), "table": table, "mode": "first"}
    answer = read_answer(AuctionsAnswer, post(app, "/v1/auctions", body).content)
    engine = Engine.open(str(small_path) if table == "small" else table, "reference")
    expected = engine.auctions(frame, mode="first")
    call_texts = ["P", "X", "XX", *(f"{n}{strain}" for n in range(1, 8) for strain in "CDHSN")]
    for result, calls, entry in zip(
        answer.results, expected["auction"].to_list(), expected["entry"].to_list(), strict=True
    ):
        (auction,) = result.auctions
        assert auction.calls == [call_texts[call] for call in calls]
        assert auction.entry == entry
        assert auction.completed


def test_both_meanings_of_a_call_are_told(app):
    answer = post(app, "/v1/auctions", {**GOOD, "table": "small"}).json()
    ((auction,),) = [result["auctions"] for result in answer["results"]]
    assert auction["calls"] == ["1N", "P", "P", "P"]
    answer = post(app, "/v1/auctions", {**GOOD, "table": "small", "mode": "all"}).json()
    named = {" ".join(one["calls"]): one["variants"] for one in answer["results"][0]["auctions"]}
    assert named["1N"] == ["Strong notrump", "Flat notrump"]
    assert named["P"] == ["nothing to say"]
    assert named["1N P"] == []


def spellings(deal: Deal, first: Seat) -> list[dict[str, object]]:
    """One deal in every way a request may have it."""
    lin = format_deal_lin(deal)
    fields = {"dealer": deal.dealer.letter, "vulnerability": deal.vulnerability.text}
    hands = format_deal(deal)[2:].split()
    without_last = " ".join([*format_deal(deal, first=first).split()[:3], "-"])
    return [
        {"deal": format_deal(deal, first=first), **fields},
        {"deal": without_last, **fields},
        {"deal": f'[Deal "{format_deal(deal)}"]', **fields},
        {"hands": hands, **fields},
        {"lin": lin, **fields},
        {"lin": lin, "vulnerability": deal.vulnerability.text.lower()},
        {"lin": f"pn|a,b,c,d|md|{lin}|sv|{'oneb'[deal.vulnerability]}|ah|Board 1|mb|p|"},
        {"lin": f"https://example.org/h?lin=md%7C{lin}%7Csv%7C{'oneb'[deal.vulnerability]}%7C"},
        {"lin": lin.rpartition(",")[0] + ",", **fields},
    ]


@pytest.mark.slow
@given(
    st.integers(0, 1 << 32),
    st.sampled_from(Seat),
    st.sampled_from(Seat),
    st.sampled_from(Vulnerability),
)
def test_all_ways_to_write_a_deal_mean_the_same(app, seed, first, dealer, vulnerability):
    deal = Deal(random_deals(1, seed=seed).row(0)[:4], dealer, vulnerability)
    body = {"deals": spellings(deal, first), "mode": "all"}
    results = post(app, "/v1/auctions", body).json()["results"]
    assert len(results) == len(body["deals"])
    assert all(result == results[0] for result in results)


def test_dealer_and_vulnerability_may_be_left_out(app):
    south = {"deal": f"S:{DEAL[2:]}"}
    answers = [
        post(app, "/v1/auctions", {"deals": [deal], "mode": "first"}).json()["results"]
        for deal in (south, {**south, "dealer": "S"}, {**south, "dealer": "North"})
    ]
    assert answers[0] == answers[1]
    assert answers[0][0]["auctions"][0]["calls"][0] == "1N"
    assert answers[2][0]["auctions"][0]["calls"][0] != "1N"


def test_lines_of_a_file_of_deals_are_deals(app, tmp_path):
    out = tmp_path / "deals.jsonl"
    with deal_sink(str(out)) as write:
        write(random_deals(3, seed=5).with_columns(event=pl.lit("Thursday")))
    deals = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [deal["board"] for deal in deals] == [1, 2, 3]
    fewer = [{name: deal[name] for name in ("deal", "dealer", "vulnerability")} for deal in deals]
    answers = [
        post(app, "/v1/auctions", {"deals": some, "mode": "first"}).json()["results"]
        for some in (deals, fewer)
    ]
    assert len(answers[0]) == 3
    assert answers[0] == answers[1]


@pytest.mark.parametrize("mode", ["all", "first"])
@pytest.mark.parametrize("count", [1, 7, 8, 50])
def test_every_form_says_the_same(app, mode, count):
    """The service sends seven deals a part: below, exactly, one above, and many parts."""
    body = {"deals": objects(random_deals(count, seed=count)), "mode": mode, "limit": 5}
    whole = post(app, "/v1/auctions", body)
    answer = read_answer(AuctionsAnswer, whole.content)
    results = answer["results"]

    lines = post(app, "/v1/auctions", body, Accept=JSON_LINES)
    assert lines.headers["content-type"] == JSON_LINES
    assert lines.content.endswith(b"\n")
    assert [json.loads(line) for line in lines.text.splitlines()] == [
        {"deal": number, **result} for number, result in enumerate(results)
    ]

    arrow = post(app, "/v1/auctions", body, Accept=ARROW)
    assert arrow.headers["content-type"] == ARROW
    # readers take a stream that is cut off between two parts for a whole one, but for its end
    assert arrow.content.endswith(END_OF_STREAM)
    table = pa.ipc.open_stream(arrow.content).read_all()
    assert table.equals(pl.read_ipc_stream(io.BytesIO(arrow.content)).to_arrow().cast(table.schema))
    rows = table.to_pylist()
    assert [(row["deal"], row["calls"], row["completed"], row["entry"]) for row in rows] == [
        (number, " ".join(auction["calls"]), auction["completed"], auction["entry"])
        for number, result in enumerate(results)
        for auction in result["auctions"]
    ]
    if mode == "all":
        totals = {row["deal"]: (row["total"], row["truncated"], row["cut"]) for row in rows}
        for number, result in enumerate(results):
            assert totals[number] == (result["total"], result["truncated"], result["cut"])
        assert [row["variants"] for row in rows] == [
            auction["variants"] for result in results for auction in result["auctions"]
        ]
    else:
        assert {"defaults", "contract", "declarer"} <= set(table.column_names)
        assert set(table["declarer"].to_pylist()) <= {*SEATS, None}
    for answer in (whole, lines, arrow):
        assert answer.headers["bidcascade-table"] == "sayc"
        assert len(answer.headers["bidcascade-table-digest"]) == 64


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("*/*", "application/json"),
        ("application/*", "application/json"),
        ("text/html,application/xhtml+xml,*/*;q=0.8", "application/json"),
        ("application/json;q=0.1, application/jsonl", JSON_LINES),
        ("application/jsonl;q=0, */*", "application/json"),
        (f"{ARROW}, application/jsonl;q=0.5", ARROW),
        ("APPLICATION/JSONL", JSON_LINES),
    ],
)
def test_accept_chooses_the_form(app, accept, expected):
    assert post(app, "/v1/auctions", GOOD, Accept=accept).headers["content-type"] == expected


@pytest.mark.parametrize(
    "body",
    [
        {"hand": "K52.AQ3.9876.KJ2", "auction": ["1N", "P"]},
        {"hand": "SK52HAQ3D9876CKJ2", "auction": ["1N", "p"], "dealer": "E",
         "vulnerability": "Both"},
        {"hand": "AQ4.KJ3.K876.Q52"},
        {"hand": "K52.AQ3.9876.KJ2", "auction": ["7S"]},
        {"hand": "K52.AQ3.9876.KJ2", "auction": ["1N", "P"], "table": "small"},
        {"hand": "K5432.32.9876.32", "auction": ["1N", "P", "P"], "table": "small"},
    ],
)  # fmt: skip
def test_bid_is_the_engines(app, small_path, body):
    short = post(app, "/v1/bid", body)
    assert short.status_code == 200
    answer = post(app, "/v1/bid", body | {"candidates": True})
    read_answer(BidAnswer, answer.content)
    name = body.get("table", "sayc")
    engine = Engine.open(str(small_path) if name == "small" else name, "cpu")
    engine.name = name
    expected = engine.bid(
        body["hand"],
        " ".join(body.get("auction", [])),
        dealer=body.get("dealer", "N"),
        vulnerability=body.get("vulnerability", "None"),
    )
    assert answer.json() == {
        **plain(answer_of(BidAnswer, expected)),
        "table": engine.table_info(),
        "backend": "cpu",
    }
    whole = answer.json()
    del whole["candidates"]
    assert short.json() == whole


@pytest.mark.parametrize("text", ["1N P", "1N-P", " 1N,  P "])
def test_an_auction_may_be_one_text(app, text):
    hand = {"hand": "K52.AQ3.9876.KJ2", "table": "small"}
    first, second = (
        post(app, "/v1/bid", hand | {"auction": auction}).json() for auction in (text, ["1N", "P"])
    )
    assert first == second
    assert first["call"] != "P"


def test_bid_gives_reasons(app):
    body = {
        "hand": "K52.AQ3.9876.KJ2",
        "auction": ["1N", "P"],
        "table": "small",
        "candidates": True,
    }
    answer = post(app, "/v1/bid", body).json()
    assert (answer["call"], answer["name"], answer["default_pass"]) == ("3N", "To play", False)
    stayman = answer["candidates"][0]
    assert stayman["criteria"] == [{"expression": "SL_H >= 4", "value": 3, "holds": False}]


def test_tables(app):
    answer = read_answer(TablesAnswer, ask(app, "GET", "/v1/tables").content)
    assert [(table.name, table.default) for table in answer.tables] == [
        ("sayc", True),
        ("small", False),
    ]
    small = ask(app, "GET", "/v1/tables/small")
    assert read_answer(TableAnswer, small.content) == answer.tables[1]
    # where files lie on the server is not told
    assert answer.tables[1].source == "small.jsonl"
    assert (answer.tables[1].entries, answer.tables[1].variants) == (7, 1)


def test_next(app):
    answer = read_answer(NextAnswer, ask(app, "GET", "/v1/tables/small/next?auction=1N-P").content)
    assert answer.auction == ["1N", "P"]
    assert [entry.call for entry in answer.entries] == ["2C", "3N", "P"]
    assert answer.entries[0].variants[0].tags == ["ask"]
    assert (answer.entries[2].next, answer.completed) == (1, False)
    opening = read_answer(NextAnswer, ask(app, "GET", "/v1/tables/small/next").content)
    assert opening.entry is None
    assert [len(entry.variants) for entry in opening.entries] == [2, 1]
    end = read_answer(NextAnswer, ask(app, "GET", "/v1/tables/small/next?auction=1N+P+P+P").content)
    assert (end.completed, end.entries) == (True, [])


def test_lint_of_the_small_table(app):
    answer = ask(app, "GET", "/v1/tables/small/lint?examples=1")
    found = read_answer(LintAnswer, answer.content)
    assert found.entries == 7
    assert len(found.findings["undescribed"].examples) == 1 < found.findings["undescribed"].count


@pytest.mark.slow
def test_lint(app):
    few = read_answer(LintAnswer, ask(app, "GET", "/v1/tables/sayc/lint?examples=2").content)
    more = read_answer(LintAnswer, ask(app, "GET", "/v1/tables/sayc/lint").content)
    assert few.findings["variants"].count == more.findings["variants"].count
    assert len(few.findings["variants"].examples) == 2
    assert len(more.findings["variants"].examples) == 20


@pytest.mark.parametrize("path", ["/v1/tables/sayc", "/v1/tables/sayc/next?auction=1N"])
def test_answers_from_a_table_alone_can_be_cached(app, path):
    first = ask(app, "GET", path)
    etag = first.headers["etag"]
    for known in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        again = ask(app, "GET", path, headers={"If-None-Match": known})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == etag
    assert ask(app, "GET", path, headers={"If-None-Match": '"other"'}).content == first.content
    other = ask(app, "GET", path.replace("sayc", "small"), headers={"If-None-Match": etag})
    assert other.status_code == 200


def test_health_and_readiness(app):
    assert read_answer(HealthAnswer, ask(app, "GET", "/healthz").content).status == "ok"
    ready = read_answer(ReadyAnswer, ask(app, "GET", "/readyz").content)
    assert (ready.backend, ready.tables) == ("cpu", ["sayc", "small"])


def test_docs_are_there(app):
    docs = ask(app, "GET", "/docs")
    assert docs.status_code == 200
    assert docs.headers["content-type"].startswith("text/html")
    assert ask(app, "GET", "/openapi.json").json() == app.openapi()


def test_headers_on_every_answer(app):
    for method, path in (("GET", "/healthz"), ("GET", "/docs"), ("GET", "/x"), ("PUT", "/v1/bid")):
        answer = ask(app, method, path, headers={"X-Request-Id": "abc-1"})
        assert answer.headers["x-request-id"] == "abc-1"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["server-timing"].startswith("total;dur=")
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("given_id", ["", "x" * 200, "a b", "<script>", "a\tb"])
def test_strange_request_ids_are_not_echoed(app, given_id):
    answer = ask(app, "GET", "/healthz", headers={"X-Request-Id": given_id})
    assert answer.headers["x-request-id"] != given_id
    assert len(answer.headers["x-request-id"]) == 16


def test_other_origins_only_if_named():
    asked = {"Origin": "https://club.example", "Access-Control-Request-Method": "POST"}
    for origins, allowed in ((), None), (("https://club.example",), "https://club.example"):
        app = create_app(Settings(cors_origins=origins))
        answer = ask(app, "OPTIONS", "/v1/bid", headers=asked)
        assert answer.headers.get("access-control-allow-origin") == allowed
        answer = ask(app, "GET", "/healthz", headers={"Origin": "https://club.example"})
        assert answer.headers.get("access-control-allow-origin") == allowed
        answer = ask(app, "GET", "/healthz", headers={"Origin": "https://other.example"})
        assert "access-control-allow-origin" not in answer.headers
