"""Every error is one kind of body, names the field at fault, and leaves the service as it was."""

import asyncio
import json
import threading
from dataclasses import replace

import httpx
import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidTable
from bidcascade.engine.settings import Settings
from bidcascade.service.api.app import create_app
from bidcascade.service.api.http import limits
from bidcascade.service.api.http.answering import PartsResponse
from bidcascade.service.api.http.problems import KINDS, MOST_ERRORS
from bidcascade.service.api.shared.tables import Tables
from tests.support.service import DEAL, GOOD, ask, loaded_app, post, problem_of, write_small_table

NORTH, EAST, SOUTH, WEST = DEAL[2:].split()
DEEP = 10_000


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> FastAPI:
    return loaded_app(
        tmp_path_factory.mktemp("tables"),
        max_request_bytes=20_000,
        max_request_deals=20,
        max_limit_auctions=500,
    )


def test_no_margin_is_without_end(app):
    content = b'{"hand": "%s", "search": {"margin": 1e999, "errors": 1e999}}' % NORTH.encode()
    answer = problem_of(ask(app, "POST", "/v1/bid", content=content), 422, "invalid-request")
    assert [(one["field"], one["reason"]) for one in answer["errors"]] == [
        ("search.margin", "expected a number up to 100"),
        ("search.errors", "expected a number up to 100"),
    ]


@pytest.mark.parametrize(
    "path", ["auctions", "bid", "members", "layouts", "leads", "infer", "systems/check", "compare"]
)
def test_bodies_have_no_parameters_beside_them(app, path):
    answer = problem_of(post(app, f"/v1/{path}?x=1", {}), 422, "invalid-request")
    assert answer["errors"] == [{"field": "x", "value": "1", "reason": "expected no parameters"}]


def still_answers(app: FastAPI) -> None:
    answer = post(app, "/v1/auctions", GOOD)
    assert answer.status_code == 200
    assert answer.json()["results"][0]["auctions"][0]["calls"][0] == "1N"
    slots = app.state.own.slots
    assert slots.free == slots.count


@pytest.mark.parametrize(
    ("content", "kind", "reason"),
    [
        (b"", "malformed-json", "EOF"),
        (b'{"deals": [', "malformed-json", "EOF"),
        (b"{'deals': []}", "malformed-json", "key must be a string"),
        (b"\xff\xfe", "malformed-json", "expected value"),
        (b'{"deals": []} {}', "malformed-json", "trailing"),
        (b'"\\ud800"', "malformed-json", "hex escape"),
        (b"[" * DEEP + b"]" * DEEP, "malformed-json", "nested too deeply"),
        (b'{"a":' * 900 + b"1" + b"}" * 900, "malformed-json", "nested too deeply"),
        (b'{"deals": ' + b"[" * DEEP, "malformed-json", "nested too deeply"),
        (b'{"limit": NaN}', "malformed-json", "NaN"),
        (b'{"deals": [{"deal": "NaN\\"", "x": Infinity}]}', "malformed-json", "Infinity"),
        (b'{"limit": [-Infinity]}', "malformed-json", "column 13 (NaN"),
    ],
)
@pytest.mark.parametrize("path", ["/v1/auctions", "/v1/bid"])
def test_bodies_that_are_no_json(app, path, content, kind, reason):
    answer = ask(app, "POST", path, content=content)
    body = problem_of(answer, 400, kind)
    assert reason in body["detail"]
    assert len(answer.content) < 2_000
    still_answers(app)


BAD_DEALS = [
    # what is wrong, field, words of the reason
    ({"deal": f"N:{NORTH[:-1]} {EAST} {SOUTH} {WEST}"}, "deal", "expected 13 cards, got 12"),
    ({"deal": f"N:{EAST} {EAST} {SOUTH} {WEST}"}, "deal", "duplicate card"),
    ({"deal": f"N:{NORTH} {EAST} {SOUTH}"}, "deal", "expected four hands"),
    ({"deal": f"N:{NORTH} - - {WEST}"}, "deal", "expected at most one unknown hand, got 2"),
    ({"deal": DEAL.replace("A876", "A87Z")}, "deal", "'Z'"),
    ({"deal": "Q:" + DEAL[2:]}, "deal", "seat"),
    ({"deal": ""}, "deal", "expected"),
    ({"deal": "nonsense"}, "deal", "expected"),
    ({"hands": [NORTH, EAST, SOUTH]}, "hands", "expected four hands"),
    ({"hands": [NORTH, EAST, SOUTH, WEST, ""]}, "hands", "expected at most 4 items, got 5"),
    ({"hands": [NORTH, EAST, SOUTH, SOUTH]}, "hands", "duplicate card"),
    ({"hands": [NORTH, EAST, SOUTH, WEST[:-1]]}, "hands[3]", "expected 13 cards, got 12"),
    ({"hands": [NORTH, "x", SOUTH, WEST]}, "hands[1]", "expected a hand"),
    ({"lin": "md|3SAK,,,|"}, "lin", "expected"),
    ({"lin": "md|3SAKQJT98765432,,,|"}, "lin", "expected four known hands, got that of S"),
    ({"lin": "pn|a,b,c,d|"}, "lin", "expected"),
    ({"lin": "md|3SAKQ,,,|md|3SAKQ,,,|"}, "lin", "expected"),
    ({"lin": "md|1SAKQJT98765432,HAKQJT98765432,DAKQJT98765432,|" * 2}, "lin", "one board, got 2"),
    ({"lin": "<html>|lin=</html>"}, "lin", "expected"),
    ({"lin": "rubbish"}, "lin", "expected a deal"),
    ({"deal": DEAL, "dealer": "Q"}, "dealer", "expected a seat (N, E, S or W), got 'Q'"),
    ({"deal": DEAL, "dealer": ""}, "dealer", "expected a seat"),
    ({"deal": DEAL, "vulnerability": "sometimes"}, "vulnerability", "expected a vulnerability"),
    ({"deal": DEAL, "hands": [NORTH, EAST, SOUTH, WEST]}, "", "in one of the fields"),
    ({"dealer": "N"}, "", "in one of the fields"),
    ({"deal": 5}, "deal", "expected text"),
    ({"deal": DEAL, "dealer": 0}, "dealer", "expected text"),
    ({"deal": DEAL, "cards": 1}, "cards", "expected no field of this name"),
    ({"hands": NORTH}, "hands", "expected a list"),
    ("deal", "", "expected an object"),
    (None, "", "expected an object"),
]


@pytest.mark.parametrize(("deal", "field", "reason"), BAD_DEALS)
def test_deals_that_are_none(app, deal, field, reason):
    body = {"deals": [GOOD["deals"][0], deal, GOOD["deals"][0]]}
    (error,) = problem_of(post(app, "/v1/auctions", body), 422, "invalid-request")["errors"]
    assert error["field"] == "deals[1]" + (f".{field}" if field else "")
    assert reason in error["reason"]
    still_answers(app)


def test_a_missing_field(app):
    (error,) = problem_of(post(app, "/v1/auctions", {}), 422, "invalid-request")["errors"]
    assert error == {"field": "deals", "value": None, "reason": "expected this field"}


def test_a_body_that_is_no_object(app):
    (error,) = problem_of(post(app, "/v1/bid", [1]), 422, "invalid-request")["errors"]
    assert error == {"field": "body", "value": "[1]", "reason": "expected an object"}


def test_unknown_tables(app):
    for answer in (
        post(app, "/v1/auctions", {**GOOD, "table": "acol"}),
        post(app, "/v1/bid", {"hand": NORTH, "table": "acol"}),
        *(ask(app, "GET", f"/v1/tables/acol{end}") for end in ("", "/next", "/lint")),
    ):
        body = problem_of(answer, 404, "unknown-table")
        assert body["detail"] == "expected a table of this service (small), got 'acol'"
    still_answers(app)


@pytest.mark.parametrize(
    ("path", "status", "kind", "reason"),
    [
        ("/v1/tables/small/next?auction=7N", 404, "unknown-auction",
         "as opening call it has 1N P, not 7N"),
        ("/v1/tables/small/next?auction=1N-P-2C-P", 404, "unknown-auction",
         "after 1N P 2C it has nothing, not P"),
        ("/v1/tables/small/next?auction=1N-1C", 422, "invalid-request", "insufficient"),
        ("/v1/tables/small/next?auction=9N", 422, "invalid-request", "expected a call"),
        ("/v1/tables/small/next?auktion=1N", 422, "invalid-request", "no field of this name"),
        ("/v1/tables/small/next?auction=" + "P-" * 1500, 422, "invalid-request", "at most 2000"),
        ("/v1/tables/small/lint?examples=-1", 422, "invalid-request", "from 0"),
        ("/v1/tables/small/lint?examples=many", 422, "invalid-request", "whole number"),
        ("/v1/tables/small/lint?examples=NaN", 422, "invalid-request", "whole number"),
        ("/v1/tables?x=1", 422, "invalid-request", "no parameters"),
        ("/v1/tables/", 404, "not-found", "'/v1/tables/'"),
        ("/v1/table", 404, "not-found", "'/v1/table'; did you mean /v1/tables?"),
        ("/v1/lead", 404, "not-found", "did you mean /v1/leads?"),
        ("/v2/auctions", 404, "not-found", "/docs"),
    ],
)  # fmt: skip
def test_paths_and_parameters(app, path, status, kind, reason):
    assert reason in problem_of(ask(app, "GET", path), status, kind)["detail"]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [("GET", "/v1/auctions", "POST"), ("DELETE", "/v1/tables", "GET"), ("POST", "/readyz", "GET"),
     ("PUT", "/v1/jobs", "GET, POST"), ("PATCH", "/v1/jobs/1", "DELETE, GET"),
     ("POST", "/", "GET, HEAD"), ("BREW", "/v1/jobs", "GET, POST")],
)  # fmt: skip
def test_methods(app, method, path, allowed):
    answer = ask(app, method, path)
    problem_of(answer, 405, "method-not-allowed")
    assert answer.headers["allow"] == allowed


@pytest.mark.parametrize(
    ("path", "accept"),
    [("/v1/auctions", "text/html"), ("/v1/auctions", "application/json;q=0"),
     ("/v1/bid", "application/jsonl"), ("/v1/auctions", ";;q=x,,/")],
)  # fmt: skip
def test_forms_that_are_not_offered(app, path, accept):
    body = GOOD if path == "/v1/auctions" else {"hand": NORTH}
    problem_of(post(app, path, body, Accept=accept), 406, "not-acceptable")
    problem_of(ask(app, "GET", "/v1/tables", headers={"Accept": "text/csv"}), 406, "not-acceptable")


@pytest.mark.parametrize(
    "headers",
    [{"Content-Type": "text/plain"}, {"Content-Type": ""}, {"Content-Type": "application/x"},
     {"Content-Type": "application/json; charset=latin-1"}, {"Content-Encoding": "gzip"}],
)  # fmt: skip
def test_bodies_of_another_type(app, headers):
    answer = ask(app, "POST", "/v1/auctions", body=GOOD, headers=headers)
    problem_of(answer, 415, "unsupported-media-type")


@pytest.mark.parametrize("kind", ["application/json; charset=UTF-8", "application/x.deals+json"])
def test_other_ways_to_say_json(app, kind):
    answer = ask(app, "POST", "/v1/auctions", body=GOOD, headers={"Content-Type": kind})
    assert answer.status_code == 200


def test_too_long_a_body(app):
    content = json.dumps({**GOOD, "deals": GOOD["deals"] * 200}).encode()
    assert len(content) > 20_000

    async def pieces():
        for start in range(0, len(content), 1000):
            yield content[start : start + 1000]

    for sent in (content, pieces()):
        body = problem_of(ask(app, "POST", "/v1/auctions", content=sent), 413, "body-too-large")
        assert "max_request_bytes" in body["detail"]
    still_answers(app)


def test_too_slow_a_body(tmp_path):
    app = loaded_app(tmp_path, request_timeout_ms=50)

    async def pieces():
        yield b'{"deals":'
        await asyncio.sleep(60)

    answer = ask(app, "POST", "/v1/auctions", content=pieces())
    assert "within 0.05 s" in problem_of(answer, 408, "body-too-slow")["detail"]
    assert answer.headers["connection"] == "close"
    still_answers(app)


def test_too_many_deals(app):
    fits = {**GOOD, "deals": GOOD["deals"] * 20}
    assert post(app, "/v1/auctions", fits).status_code == 200
    body = {**GOOD, "deals": GOOD["deals"] * 21}
    assert "got 21" in problem_of(post(app, "/v1/auctions", body), 413, "too-many-deals")["detail"]
    body = {"deals": [{}] * 1050}
    problem_of(post(app, "/v1/auctions", body), 413, "too-many-deals")
    still_answers(app)


def test_only_the_first_of_many_errors_are_named(app):
    app = loaded_app(table=app.state.own.settings.table)
    body = post(app, "/v1/auctions", {"deals": [{"deal": "x"}] * 200})
    found = problem_of(body, 422, "invalid-request")
    assert len(found["errors"]) == MOST_ERRORS
    assert found["detail"].endswith("(and 1 more)")


def test_the_nearest_to_a_long_name_is_looked_for_in_its_beginning(app, monkeypatch):
    looked_at = []

    def nearest(word, known):
        looked_at.append(len(word))
        return ""

    monkeypatch.setattr(limits, "nearest", nearest)
    body = {"hand": "K52.AQ3.9876.KJ2", "candidate" * 1000: True}
    problem_of(post(app, "/v1/bid", body), 422, "invalid-request")
    assert looked_at == [limits.LONGEST_VALUE]


def test_long_values_are_shortened(app):
    answer = post(app, "/v1/auctions", {"deals": [{"deal": DEAL, "dealer": "♠" * 1000}]})
    (error,) = problem_of(answer, 422, "invalid-request")["errors"]
    assert len(error["value"]) == 200
    assert error["value"].endswith("…")
    assert len(answer.content) < 5_000


def test_overload_is_refused_at_once(tmp_path):
    app = loaded_app(tmp_path, max_concurrent_requests=1)
    with app.state.own.slots.taken():
        answer = post(app, "/v1/auctions", GOOD)
        problem_of(answer, 429, "overloaded")
        assert answer.headers["retry-after"] == "1"
        # those who watch over the service are always answered
        assert ask(app, "GET", "/readyz").status_code == 200
    still_answers(app)


def test_an_answer_that_has_begun_is_not_refused_in_its_middle(tmp_path):
    app = loaded_app(tmp_path, stream_chunk_deals=2, max_queue_deals=6)
    headers = {"Content-Type": "application/json", "Accept": "application/jsonl"}

    async def among_others() -> tuple[httpx.Response, set[int]]:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            long = {"deals": GOOD["deals"] * 40}
            task = asyncio.create_task(client.post("/v1/auctions", json=long, headers=headers))
            seen = set()

            async def other(limit: int) -> None:
                while not task.done():
                    # with a limit of their own they do not share a batch: the queue stays full
                    answer = await client.post("/v1/auctions", json=GOOD | {"limit": limit})
                    seen.add(answer.status_code)
                    # a refusal in this process never waits: let the others have their turn
                    await asyncio.sleep(0.001)

            await asyncio.gather(*map(other, range(1, 21)))
            return await task, seen

    answer, seen = asyncio.run(among_others())
    assert seen == {200, 429}
    assert answer.status_code == 200
    assert answer.content.count(b"\n") == 40
    still_answers(app)


def test_an_answer_that_takes_too_long(tmp_path, monkeypatch):
    app = loaded_app(tmp_path, request_timeout_ms=50, stream_chunk_deals=1)
    table = app.state.own.tables.get()
    end = threading.Event()
    write = table.results.write

    def slow(deals, query):
        end.wait(150)
        return write(deals, query)

    monkeypatch.setattr(table.results, "write", slow)
    two = {"deals": GOOD["deals"] * 2}
    try:
        for accept in ("application/json", "application/jsonl"):
            answer = post(app, "/v1/auctions", two, Accept=accept)
            body = problem_of(answer, 504, "timeout")
            assert "within 50 ms" in body["detail"]
    finally:
        end.set()
    still_answers(app)


def test_a_bug_tells_nothing_but_the_request(app, monkeypatch, caplog):
    def fail(*arguments):
        raise RuntimeError("secret of the house")

    table = app.state.own.tables.get()
    with monkeypatch.context() as patch:
        patch.setattr(table.results, "write", fail)
        answer = post(app, "/v1/auctions", GOOD, X_Request_Id="bug-1")
    body = problem_of(answer, 500, "internal-error")
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text
    assert body["request_id"] == "bug-1"
    assert "bug-1" in caplog.text
    still_answers(app)


def test_not_ready_while_loading_and_stopping(tmp_path):
    app = create_app(Settings(table=f"small={write_small_table(tmp_path)}", backend="reference"))
    assert ask(app, "GET", "/healthz").status_code == 200
    tables = app.state.own.tables

    def refused(reason):
        for answer in (
            ask(app, "GET", "/readyz"), ask(app, "GET", "/v1/tables"),
            ask(app, "GET", "/v1/tables/small"), post(app, "/v1/auctions", GOOD),
        ):  # fmt: skip
            assert reason in problem_of(answer, 503, "not-ready")["detail"]
            assert answer.headers["retry-after"] == "1"

    refused("being loaded")
    # what can be told without the tables is told
    problem_of(ask(app, "GET", "/v1/tables/acol"), 404, "unknown-table")
    tables.load()
    still_answers(app)
    assert ask(app, "GET", "/readyz").status_code == 200
    tables.state = "stopping"
    refused("being stopped")


def test_not_ready_if_the_engine_is_wrong(app, monkeypatch):
    probe = app.state.own.tables._probe
    turned = replace(probe.deals, hands=probe.deals.hands[::-1].copy())
    with monkeypatch.context() as patch:
        patch.setattr(app.state.own.tables, "_probe", probe._replace(deals=turned))
        body = problem_of(ask(app, "GET", "/readyz"), 503, "not-ready")
    assert "wrong answer" in body["detail"]
    assert ask(app, "GET", "/readyz").status_code == 200


def test_tables_that_cannot_be_loaded(tmp_path):
    path = tmp_path / "broken.jsonl"
    path.write_text("no rows\n", "utf-8")
    tables = Tables({"broken": str(path)}, "reference")
    with pytest.raises(InvalidTable):
        tables.load()
    assert tables.state == "failed"
    assert isinstance(tables.error, InvalidTable)


def test_a_client_that_goes_away_frees_its_slot():
    """The answer stops at the part after the client has gone."""
    sent, made, released = [], [], []

    async def parts():
        for number in range(100):
            made.append(number)
            yield b"part"

    async def receive():
        return {"type": "http.disconnect"} if len(sent) > 3 else await asyncio.sleep(60)

    async def send(message):
        sent.append(message)

    async def run():
        response = PartsResponse(
            parts(),
            media_type="text/plain",
            headers={},
            timeout_s=5,
            release=lambda: released.append(True),
        )
        await response({"type": "http", "headers": []}, receive, send)

    asyncio.run(run())
    assert made == [0, 1, 2]
    assert released == [True]
    assert sent[-1]["more_body"]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)
_NEARLY = st.fixed_dictionaries(
    {},
    optional={
        "deals": _JSON | st.lists(st.fixed_dictionaries({}, optional={
            "deal": st.text() | st.just(DEAL), "hands": st.lists(st.text()), "lin": st.text(),
            "dealer": st.text(), "vulnerability": st.text()})),
        "table": st.text(), "limit": st.integers(), "mode": st.text(), "hand": st.text(),
        "auction": st.lists(st.text()), "dealer": st.text(), "vulnerability": st.text(),
    },
)  # fmt: skip


@given(_JSON | _NEARLY, st.sampled_from(["/v1/auctions", "/v1/bid"]))
def test_no_json_makes_the_service_fail(app, body, path):
    answer = ask(app, "POST", path, content=json.dumps(body).encode())
    assert answer.status_code in (200, 400, 404, 413, 422), answer.text
    if answer.status_code != 200:
        kind = answer.json()["type"].rpartition(":")[2]
        problem_of(answer, KINDS[kind].status, kind)


@given(st.binary(max_size=300), st.sampled_from(["/v1/auctions", "/v1/bid"]))
def test_no_bytes_make_the_service_fail(app, content, path):
    answer = ask(app, "POST", path, content=content)
    assert answer.status_code in (200, 400, 422), answer.text


@given(st.text(max_size=50), st.text(max_size=50))
def test_no_path_makes_the_service_fail(app, name, auction):
    import urllib.parse

    path = f"/v1/tables/{urllib.parse.quote(name, safe='')}/next"
    answer = ask(app, "GET", f"{path}?auction={urllib.parse.quote(auction, safe='')}")
    assert answer.status_code in (200, 404, 422), answer.text
