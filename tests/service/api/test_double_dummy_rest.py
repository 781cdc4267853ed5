"""``POST /v1/double-dummy`` and the topics of a table, in this process."""

import asyncio
import json
import threading
from collections.abc import Iterator

import numpy as np
import pytest
from fastapi import FastAPI

from bidcascade.bridge import Cancelled, Contract, Seat, imps, parse_contract, score
from bidcascade.engine.questions.inference.layouts import deal_text
from bidcascade.inference.double_dummy.abstract_solver import SolvedInPart
from bidcascade.inference.double_dummy.table_cache import TableCache
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.service.api.shared.warm_up import find_topics
from bidcascade.systems.book import topic_cache
from bidcascade.systems.book.system_topics import topics_of_system
from tests.support.service import DEAL, ask, loaded_app, post, problem_of
from tests.support.systems import SMALL_SYSTEM

OVER = ["1N", "P", "3N", "P", "P", "P"]


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[FastAPI]:
    made = loaded_app(tmp_path_factory.mktemp("tables"), dd_workers=1)
    yield made
    made.state.own.double_dummy.close()


def test_a_deal_is_solved_and_auctions_are_compared(app):
    deal = {"deal": DEAL, "dealer": "N", "vulnerability": "NS"}
    auctions = [OVER, ["P"] * 4, ["1N", "P", "4S", "X", "P", "P", "P"]]
    response = post(app, "/v1/double-dummy", {"deal": deal, "auctions": auctions})
    assert response.status_code == 200, response.text
    answer = response.json()
    assert list(answer["tricks"]) == list("NESW")
    assert all(list(row) == list("CDHSN") for row in answer["tricks"].values())
    points = []
    for told, text in zip(answer["auctions"], ["3NN", "Pass", "4SXS"], strict=True):
        assert told["contract"] == text
        if text == "Pass":
            assert (told["tricks"], told["score"]) == (None, 0)
        else:
            contract: Contract = parse_contract(text)
            tricks = answer["tricks"][contract.declarer.letter]["CDHSN"[contract.strain]]
            assert told["tricks"] == tricks
            assert contract.declarer in (Seat.NORTH, Seat.SOUTH)
            assert told["score"] == score(contract, tricks, vulnerable=True)
        points.append(told["score"])
        assert told["imps_to_par"] == imps(told["score"] - answer["par"]["score"])
    for told in answer["auctions"]:
        assert told["imps"] == [imps(told["score"] - other) for other in points]


def test_points_are_those_of_north_south_whoever_declares(app):
    deal = {"deal": DEAL, "dealer": "E", "vulnerability": "None"}
    body = {"deal": deal, "auctions": [["7N", "P", "P", "P"]]}
    (told,) = post(app, "/v1/double-dummy", body).json()["auctions"]
    assert told["contract"] == "7NE"
    assert told["score"] == 50 * (13 - told["tricks"]) > 0


def test_a_deal_that_takes_too_long_is_answered_in_part(app, monkeypatch):
    pool = app.state.own.double_dummy
    whole = np.array([[6, 8, 7, 8, 8] * 4], np.int8)
    late = SolvedInPart("late", np.where(np.arange(20) % 5 == 4, np.int8(-1), whole), goes_on=True)

    def in_part(hands, **options):
        raise late

    deal = {"deal": DEAL, "dealer": "N", "vulnerability": "None"}
    auctions = [OVER, ["2H", "P", "P", "P"], ["P"] * 4]
    monkeypatch.setattr(pool, "tables", in_part)
    response = post(app, "/v1/double-dummy", {"deal": deal, "auctions": auctions})
    assert response.status_code == 202
    answer = response.json()
    assert answer["goes_on"] is True
    assert answer["missing"] == [{"declarer": seat, "strain": "N"} for seat in "NESW"]
    assert answer["tricks"]["E"] == {"C": 6, "D": 8, "H": 7, "S": 8, "N": None}
    assert answer["par"] is None
    notrump, hearts, passed = answer["auctions"]
    assert (notrump["contract"], notrump["tricks"], notrump["score"]) == ("3NN", None, None)
    assert notrump["imps"] == [None, None, None]
    assert (hearts["tricks"], hearts["score"], hearts["imps_to_par"]) == (7, -50, None)
    assert hearts["imps"] == [None, 0, imps(-50)]
    assert (passed["tricks"], passed["score"]) == (None, 0)
    # asked again
    monkeypatch.setattr(pool, "tables", lambda hands, **options: whole)
    response = post(app, "/v1/double-dummy", {"deal": deal, "auctions": auctions})
    assert response.status_code == 200
    assert (response.json()["missing"], response.json()["goes_on"]) == ([], False)
    assert response.json()["tricks"]["E"]["N"] == 8


def test_nothing_solved_and_nothing_that_goes_on_is_a_timeout(app, monkeypatch):
    def late(hands, **options):
        raise SolvedInPart("late", np.full((1, 20), -1, np.int8))

    monkeypatch.setattr(app.state.own.double_dummy, "tables", late)
    problem_of(post(app, "/v1/double-dummy", {"deal": {"deal": DEAL}}), 504, "timeout")


def test_topics_of_a_table(app):
    answer = ask(app, "GET", "/v1/tables/small/topics").json()
    told = {one["topic"]: one for one in answer["topics"]}
    place = ["1N", "P"]
    assert told["Stayman"] == {"topic": "Stayman", "calls": 1, "places": [place], "examples": []}
    assert told["Strong notrump"]["places"] == [[]]
    # a pass alone is no topic
    assert "The end" not in told
    problem_of(ask(app, "GET", "/v1/tables/none/topics"), 404, "unknown-table")
    problem_of(ask(app, "GET", "/v1/tables/small/topics?x=1"), 422, "invalid-request")


def test_a_search_for_topics_tells_how_far_it_is(tmp_path, monkeypatch):
    (tmp_path / "small.bidding").write_text(SMALL_SYSTEM, "utf-8")
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "cache"))
    app = loaded_app(table=str(tmp_path / "small.bidding"), backend="auto")
    looked = threading.Event()

    def look(places, *, tell, cancel):
        tell(5_000, 50_000)
        assert not looked.wait(1)
        return topics_of_system(places, tell=tell, cancel=cancel)

    monkeypatch.setattr(topic_cache, "topics_of_system", look)
    path, lines = "/v1/tables/small/topics", {"Accept": "application/jsonl"}
    first, *_, last = map(json.loads, ask(app, "GET", path, headers=lines).text.splitlines())
    assert first == {"deals": 5_000, "of": 50_000}
    assert last == ask(app, "GET", path).json()
    # what is known needs no search
    (only,) = ask(app, "GET", path, headers=lines).text.splitlines()
    assert json.loads(only) == last
    problem_of(ask(app, "GET", "/v1/tables/none/topics", headers=lines), 404, "unknown-table")


def test_topics_are_found_before_somebody_asks(tmp_path, monkeypatch):
    for name in ("small", "other"):
        (tmp_path / f"{name}.bidding").write_text(SMALL_SYSTEM, "utf-8")
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "cache"))
    paths = [str(tmp_path / f"{name}.bidding") for name in ("small", "other")]
    tables = loaded_app(table=paths[0], extra_tables=paths[1:], backend="auto").state.own.tables
    stopped = threading.Event()
    find_topics(tables, stopped)
    monkeypatch.setattr(topic_cache, "topics_of_system", None)
    assert all(table.engine.bidder.topics() for table in tables.all())
    # a service that ends looks for nothing more
    stopped.set()
    find_topics(tables, stopped)


def test_a_table_of_rows_has_no_card(app):
    problem_of(ask(app, "GET", "/v1/tables/small/card"), 404, "no-system")
    problem_of(ask(app, "GET", "/v1/tables/none/card"), 404, "unknown-table")
    problem_of(ask(app, "GET", "/v1/tables/small/card?x=1"), 422, "invalid-request")


def test_contracts_of_many_deals(app, monkeypatch):
    """Tables that are kept are looked up; the rest is solved as one deal alone is."""
    others = random_deals(2, 5)
    hands = deal_arrays(others).hands
    cache = TableCache()
    cache.add(hands[:, :1], np.full((1, 20), 9, np.int8))
    monkeypatch.setattr(app.state.own, "solved_tables", cache)
    texts = [deal_text(hands[:, one].tolist()) for one in range(2)]
    boards = [
        {"deal": {"deal": texts[0]}, "contracts": ["4SN", "1NE"]},
        {"deal": {"deal": texts[1]}, "contracts": ["3NS", "2HXW"]},
        {"deal": {"deal": DEAL}, "contracts": []},
    ]
    response = post(app, "/v1/double-dummy/tricks", {"boards": boards})
    assert response.status_code == 200, response.text
    answer = response.json()
    assert (answer["solved_before"], answer["missing"]) == (1, 0)
    whole = post(app, "/v1/double-dummy", {"deal": {"deal": texts[1]}}).json()["tricks"]
    assert answer["tricks"] == [[9, 9], [whole["S"]["N"], whole["W"]["H"]], []]


def test_contracts_that_are_not_solved_in_time(app, monkeypatch):
    def late(hands, strain, declarer, **options):
        raise SolvedInPart("late", np.array([-1, 8], np.int8))

    monkeypatch.setattr(app.state.own.double_dummy, "tricks", late)
    boards = [{"deal": {"deal": DEAL}, "contracts": ["1CN", "1DN"]}]
    response = post(app, "/v1/double-dummy/tricks", {"boards": boards})
    assert response.status_code == 202
    assert response.json() == {"tricks": [[None, 8]], "solved_before": 0, "missing": 1}


def leave_during(app, path, body):
    """Ask, and close the connection as soon as the body is sent."""
    messages = [{"type": "http.request", "body": json.dumps(body).encode()}]

    async def receive():
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    async def send(message):
        pass

    scope = {
        "type": "http", "http_version": "1.1", "method": "POST", "path": path, "raw_path": None,
        "query_string": b"", "scheme": "http",
        "headers": [(b"content-type", b"application/json"), (b"host", b"localhost")],
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "root_path": "",
    }  # fmt: skip
    asyncio.run(app(scope, receive, send))


def test_solving_ends_when_nobody_waits_any_more(app, monkeypatch):
    """Who stops on the page closes the request: the solver is told."""
    stopped = threading.Event()

    def endless(hands, strain, declarer, *, cancel, timeout_s):
        assert cancel.wait(60)
        stopped.set()
        raise Cancelled("nobody waits")

    monkeypatch.setattr(app.state.own.double_dummy, "tricks", endless)
    boards = [{"deal": {"deal": DEAL}, "contracts": ["1CN"]}]
    leave_during(app, "/v1/double-dummy/tricks", {"boards": boards})
    assert stopped.wait(60)
