"""REST with a system behind a table: calls for any auction, explanations, tables loaded anew."""

import gc
import json
import os
import signal
import threading
import time
import weakref
from dataclasses import replace

import httpx
import pytest

from bidcascade.bridge import UnknownTable, format_hand, parse_hand
from bidcascade.engine.questions.bidding.bids import BidAnswer
from bidcascade.engine.questions.bidding.explaining import ExplainAnswer
from bidcascade.engine.questions.deals.auctions import AuctionsAnswer
from bidcascade.engine.questions.service.health import ReadyAnswer
from bidcascade.engine.questions.service.tables import NextAnswer, SystemAnswer, TableAnswer
from bidcascade.loaders import HAND_COLUMNS, random_deals
from bidcascade.service.api.http.problems import Problem
from bidcascade.service.api.shared import collection
from bidcascade.service.api.shared.collection import settle
from bidcascade.service.api.shared.loaded_table import LoadedTable
from bidcascade.service.api.shared.tables import Tables
from bidcascade.systems.bidding import system_bidder as bid
from bidcascade.systems.language.text_cache import tree_of_rows
from bidcascade.systems.system import System
from tests.support.answers import read_answer
from tests.support.service import ask, loaded_app, post, problem_of, ready_server, write_small_table
from tests.support.systems import SMALL_SYSTEM, compile_few

SMALL = System.parse(SMALL_SYSTEM, name="small.bidding")
HAND = "K52.AQ32.J876.Q2"
WRONG = SMALL_SYSTEM.replace("15-17 points", "15-17 pionts")


@pytest.fixture(autouse=True)
def few_deals(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path_factory.getbasetemp() / "small-cache"))
    compile_few(monkeypatch)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "small.bidding"
    path.write_text(SMALL_SYSTEM, "utf-8")
    return path


@pytest.fixture
def app(path, tmp_path):
    rows = tmp_path / "rows"
    rows.mkdir()
    return loaded_app(
        table=str(path), extra_tables=f"rows={write_small_table(rows)}", backend="cpu"
    )


def test_a_call_with_its_reasons(app):
    body = {"hand": HAND, "auction": ["1N", "P"], "candidates": True}
    answer = read_answer(BidAnswer, post(app, "/v1/bid", body).content)
    assert (answer.call, answer.name, answer.where) == ("2C", "Stayman", "small.bidding:16")
    assert (answer.agreements, answer.forced) == (["artificial", "forcing"], False)
    taken = {one.name: one.taken_by for one in answer.candidates}
    assert taken["Game"] == "2C Stayman (small.bidding:16)"
    assert taken["Stayman"] is None


def test_a_number_is_how_many_layouts_to_simulate(app):
    body = {"hand": HAND, "auction": ["1N", "P"]}
    plain, short, long = (
        read_answer(BidAnswer, post(app, "/v1/bid", body | {"simulate": wished}).content)
        for wished in (False, 3, {"layouts": 3})
    )
    assert plain.simulation is None
    assert short.simulation.layouts.asked == 3
    # all but the time that it took
    for one in (short, long):
        one.simulation["elapsed_ms"] = 0
    assert short == long


@pytest.mark.parametrize(
    "auction",
    [[], ["7N"], ["7C", "X", "XX", "7N"], ["1C", "X", "XX", "1D", "P", "P", "2H", "X"], ["P"] * 3],
)
def test_every_auction_has_an_answer(app, auction):
    answer = post(app, "/v1/bid", {"hand": HAND, "auction": auction, "simulate": False})
    assert answer.status_code == 200
    answer = read_answer(BidAnswer, answer.content)
    choice = SMALL.bid(HAND, " ".join(auction))
    assert answer.default_pass == (choice.entry is None)
    assert answer.forced == choice.forced
    assert bool(answer.note) == answer.default_pass


def test_a_table_of_no_system_says_so_with_null(app):
    body = {"hand": HAND, "auction": ["1N", "P"], "table": "rows", "candidates": True}
    answer = read_answer(BidAnswer, post(app, "/v1/bid", body).content)
    assert answer.forced is None
    assert answer.candidates[0].agreements == ["ask"]
    assert answer.candidates[1].taken_by == f"{answer.call} {answer.name}"
    assert read_answer(TableAnswer, ask(app, "GET", "/v1/tables/rows").content).system is None


def test_deals_are_bid_to_the_end(app):
    rows = random_deals(60, seed=3).select(*HAND_COLUMNS, "dealer").rows()
    body = {
        "deals": [
            {"hands": [format_hand(hand) for hand in row[:4]], "dealer": row[4]} for row in rows
        ],
        "mode": "first",
    }
    answer = read_answer(AuctionsAnswer, post(app, "/v1/auctions", body).content)
    own = [one.calls for result in answer.results for one in result.auctions if one.completed]
    assert len(own) == 60
    info = read_answer(TableAnswer, ask(app, "GET", "/v1/tables/small").content)
    assert info.system == "Small natural"
    # the auction that is bid is among all that are allowed, whatever limit there is
    for limit in (2, 100):
        asked = {**body, "mode": "all", "limit": limit}
        found = read_answer(AuctionsAnswer, post(app, "/v1/auctions", asked).content)
        for result, calls in zip(found.results, own, strict=True):
            assert calls in [one.calls for one in result.auctions]
            assert (result.cut is not None) == result.truncated
            assert len(result.auctions) <= limit
        assert {result.cut for result in found.results} <= {None, "limit"}


def test_next_on_demand(app):
    answer = ask(app, "GET", "/v1/tables/small/next?auction=1N-P")
    answer = read_answer(NextAnswer, answer.content)
    assert [entry.call for entry in answer.entries] == ["2C", "2D", "3N", "2N", "P"]
    diamonds = answer.entries[1]
    assert [one.name for one in diamonds.variants] == ["Weak with diamonds", "Longer diamonds"]
    assert diamonds.variants[0].description == "at most 7 points, 6+ diamonds"
    assert diamonds.variants[0].where == "small.bidding:21"
    assert {answer.entry, *(one.entry for one in answer.entries)} == {None}
    assert [one.next for one in answer.entries] == [4, 3, 1, 1, 5]
    assert answer.forced is False
    asked = "/v1/tables/small/next?auction=1N-3D-P-4C-P-4H"
    deep = read_answer(NextAnswer, ask(app, "GET", asked).content)
    assert deep.entry is None
    assert {entry.entry for entry in deep.entries} == {None}
    over = read_answer(
        NextAnswer, ask(app, "GET", "/v1/tables/small/next?auction=1N-P-P-P").content
    )
    assert (over.completed, over.entries) == (True, [])


def test_explain(app):
    answer = ask(app, "GET", "/v1/tables/small/explain?auction=1N-P-2C-P")
    answer = read_answer(ExplainAnswer, answer.content)
    assert [(one.call, one.player) for one in answer.calls] == [
        ("1N", 0),
        ("P", 1),
        ("2C", 2),
        ("P", 3),
    ]
    assert answer.calls[0].points == [15, 17]
    assert answer.calls[0].sentence.startswith("Strong notrump: 15-17 points")
    assert answer.calls[2].agreements == ["artificial", "forcing"]
    assert answer.forced
    assert [one.call for one in answer.next_calls][:3] == ["2H", "2S", "2D"]
    opening = ask(app, "GET", "/v1/tables/small/explain")
    assert read_answer(ExplainAnswer, opening.content).calls == []
    over = ask(app, "GET", "/v1/tables/small/explain?auction=1N-P-P-P")
    assert read_answer(ExplainAnswer, over.content).next_calls == []


def test_explain_at_a_vulnerability(app):
    path = "/v1/tables/small/explain?auction=1N&dealer=E&vulnerability="
    answer = read_answer(ExplainAnswer, ask(app, "GET", f"{path}EW").content)
    assert answer.calls[0].sentence.startswith("Strong notrump: 15-17 points")
    body = problem_of(ask(app, "GET", f"{path}every"), 422, "invalid-request")
    assert body["errors"][0]["field"] == "vulnerability"


@pytest.mark.parametrize("question", ["explain", "next"])
def test_auctions_that_are_none(app, question):
    for auction, reason in (("1N-1C", "call 2, '1C', is illegal"), ("1N-no", "got 'no'")):
        answer = ask(app, "GET", f"/v1/tables/small/{question}?auction={auction}")
        body = problem_of(answer, 422, "invalid-request")
        assert body["errors"][0]["field"] == "auction"
        assert reason in body["errors"][0]["reason"]
    answer = ask(app, "GET", f"/v1/tables/small/{question}?auktion=1N")
    problem_of(answer, 422, "invalid-request")
    problem_of(ask(app, "GET", f"/v1/tables/none/{question}"), 404, "unknown-table")


def test_only_systems_explain(app):
    body = problem_of(ask(app, "GET", "/v1/tables/rows/explain?auction=1N"), 404, "no-system")
    assert body["detail"] == "expected the table of a system, got 'rows'"


# --- a system whole ---------------------------------------------------------------------------


def test_a_system_whole_with_its_texts(tmp_path):
    theirs = tmp_path / "theirs" / "parts"
    theirs.mkdir(parents=True)
    (theirs / "words.bidding").write_text("define good hand = 12+ points\n", "utf-8")
    (theirs.parent / "mine.bidding").write_text(SMALL_SYSTEM, "utf-8")
    path = tmp_path / "ours.bidding"
    text = '\ninclude "theirs/parts/words"\nopponents play "theirs/mine"\n'
    ours = SMALL_SYSTEM.replace("system Small natural", f"system Ours{text}")
    path.write_text(ours, "utf-8")
    tables = f"small={theirs.parent / 'mine.bidding'},ours={path}"
    app = loaded_app(table=f"ours={path}", extra_tables=tables.partition(",")[0], backend="cpu")
    answer = ask(app, "GET", "/v1/tables/ours/system", headers={"Accept-Encoding": "identity"})
    found = read_answer(SystemAnswer, answer.content)
    assert (found.name, found.title, found.opponents) == ("ours", "Ours", "small")
    assert list(found.texts) == ["ours.bidding", "words.bidding"]
    assert found.texts["ours.bidding"] == path.read_text("utf-8")
    read = tree_of_rows(found.rows)
    assert read.blocks == System.open(path).text.blocks
    assert read.defines["good hand"].where.file == "words.bidding"
    assert str(tmp_path) not in answer.text

    packed = ask(app, "GET", "/v1/tables/ours/system", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.json() == answer.json()
    known = {"If-None-Match": packed.headers["etag"], "Accept-Encoding": "gzip"}
    assert ask(app, "GET", "/v1/tables/ours/system", headers=known).status_code == 304


def test_files_of_a_system_that_changed_since(app, path):
    path.write_text(WRONG, "utf-8")
    body = problem_of(ask(app, "GET", "/v1/tables/small/system"), 409, "files-changed")
    assert "'small.bidding' has changed since the system was read" in body["detail"]


def test_only_systems_are_given_whole(app):
    body = problem_of(ask(app, "GET", "/v1/tables/rows/system"), 404, "no-system")
    assert body["detail"] == "expected a system without overlays, got 'rows'"
    problem_of(ask(app, "GET", "/v1/tables/none/system"), 404, "unknown-table")
    problem_of(ask(app, "GET", "/v1/tables/small/system?x=1"), 422, "invalid-request")


# --- loaded anew ------------------------------------------------------------------------------


def points_of_1n(app) -> list[int]:
    answer = ask(app, "GET", "/v1/tables/small/explain?auction=1N")
    return read_answer(ExplainAnswer, answer.content).calls[0].points


def test_a_changed_text_is_loaded_anew(app, path):
    tables = app.state.own.tables
    etag = ask(app, "GET", "/v1/tables/small/next").headers["etag"]
    before = tables.get("small").digest
    path.write_text(SMALL_SYSTEM.replace("15-17 points", "12-14 points"), "utf-8")
    assert points_of_1n(app) == [15, 17]
    assert tables.reload_all()
    assert points_of_1n(app) == [12, 14]
    assert tables.get("small").digest != before
    again = ask(app, "GET", "/v1/tables/small/next", headers={"If-None-Match": etag})
    assert again.status_code == 200


def test_an_etag_follows_the_text_where_the_table_does_not(app, path):
    """A place that no sample deal reaches is not in the table, yet its answer has changed."""
    tables = app.state.own.tables
    asked = "/v1/tables/small/next?auction=7C-X-XX-7D"
    etag = ask(app, "GET", asked).headers["etag"]
    path.write_text(
        f"{SMALL_SYSTEM}\nafter 7C (Double) Redouble (7D):\n  7H = Why not: 5+ hearts\n"
    )
    assert tables.reload("small")
    assert ask(app, "GET", asked, headers={"If-None-Match": etag}).status_code == 200


def test_the_last_good_one_stays(app, path, caplog):
    tables = app.state.own.tables
    path.write_text(WRONG, "utf-8")
    assert not tables.reload("small")
    assert points_of_1n(app) == [15, 17]
    assert "small.bidding:7: " in caplog.text
    info = read_answer(TableAnswer, ask(app, "GET", "/v1/tables/small").content)
    [error] = info.reload_errors
    assert error.startswith("small.bidding:7: ")
    assert "pionts" in error
    ready = read_answer(ReadyAnswer, ask(app, "GET", "/readyz").content)
    assert (ready.status, ready.reload_errors) == ("ready", {"small": [error]})
    path.unlink()
    assert not tables.reload("small")
    path.write_text(SMALL_SYSTEM, "utf-8")
    assert tables.reload("small")
    ready = read_answer(ReadyAnswer, ask(app, "GET", "/readyz").content)
    assert ready.reload_errors == {}


def test_a_system_that_bids_otherwise_call_by_call_is_not_taken(app, path, monkeypatch):
    tables = app.state.own.tables
    good = bid.answer_from_system

    def bad(*given, **named):
        return replace(good(*given, **named), call="P")

    monkeypatch.setattr(bid, "answer_from_system", bad)
    path.write_text(SMALL_SYSTEM.replace("15-17", "16-18"), "utf-8")
    assert not tables.reload("small")
    [error] = tables.get("small").reload_errors
    assert error.startswith("expected 'P P P P' to be bid as it is call by call, got ")
    assert points_of_1n(app) == [15, 17]


def test_only_loaded_tables_are_loaded_anew(app, path):
    with pytest.raises(UnknownTable):
        app.state.own.tables.reload("none")
    fresh = Tables({"small": str(path)}, "cpu")
    assert not fresh.reload_all()
    with pytest.raises(Problem):
        fresh.reload("small")


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


CHANGED = SMALL_SYSTEM.replace("15-17 points", "12-14 points")


def test_what_is_unchanged_is_not_loaded_anew(app, path, monkeypatch):
    tables = app.state.own.tables
    before = {name: tables.get(name) for name in tables.names()}
    monkeypatch.setattr(LoadedTable, "warm_up", lambda table: pytest.fail("loaded anew"))
    assert tables.reload_all()
    path.write_text(WRONG, "utf-8")
    assert not tables.reload("small")
    path.write_text(SMALL_SYSTEM, "utf-8")
    assert tables.reload("small")
    assert {name: tables.get(name) for name in tables.names()} == before
    assert tables.get("small").reload_errors == ()


def test_a_replaced_table_needs_no_collector(path, no_collector):
    """It is gone at once: what referred to itself would stay until garbage is looked for."""
    tables = Tables({"small": str(path)}, "cpu")
    tables.load()
    engine = tables.get().engine
    engine.explain("1N P 2C")
    engine.bid(parse_hand(HAND), "1N P")
    parts = (engine, engine.table, engine.bidder, engine.system, engine.system.reader())
    alive = [weakref.ref(part) for part in parts]
    del engine, parts
    assert all(part() is not None for part in alive)
    path.write_text(CHANGED, "utf-8")
    assert tables.reload("small")
    assert [part() for part in alive] == [None] * 5


def test_answers_of_rows_leave_no_garbage(tmp_path, no_collector):
    tables = Tables({"rows": str(write_small_table(tmp_path))}, "cpu")
    tables.load()
    table = tables.get()
    table.warm_up()
    plan = weakref.ref(table.engine.plan)
    del table
    rows = tmp_path / "small.jsonl"
    rows.write_text(rows.read_text().replace("15 <= HCP", "14 <= HCP"))
    assert tables.reload("rows")
    assert plan() is None


class Holder:
    """Something that refers to itself, and to a table."""

    def __init__(self, table):
        self.held = self, table


def test_a_frozen_table_that_is_replaced_goes_whatever_refers_to_it(path, thawed):
    tables = Tables({"small": str(path)}, "cpu")
    tables.load()
    engine = weakref.ref(tables.get().engine)
    holder = Holder(tables.get())
    settle()
    del holder
    for text in (CHANGED, SMALL_SYSTEM):
        path.write_text(text, "utf-8")
        assert tables.reload("small")
    assert engine() is None
    assert gc.get_freeze_count()


def test_a_service_looks_for_garbage_as_often_as_python_does(thawed):
    before = gc.get_threshold()
    gc.set_threshold(300_000, 20, 100)
    try:
        settle()
        assert gc.get_threshold()[0] < 10_000
    finally:
        gc.set_threshold(*before)


@pytest.fixture
def thawed():
    """Collector that has not settled, before and after; other tests may have let it."""
    gc.unfreeze()
    yield
    gc.unfreeze()


def test_full_collections_wait_for_a_table_that_is_loaded_anew(path, monkeypatch, thawed):
    tables = Tables({"small": str(path)}, "cpu")
    tables.load()
    seen, before = [], gc.get_threshold()

    def try_out(engine):
        seen.append((gc.get_threshold(), gc.get_freeze_count()))

    monkeypatch.setattr("bidcascade.service.api.shared.tables.try_out", try_out)

    def reload(text):
        path.write_text(text, "utf-8")
        return tables.reload("small")

    # a process that has not settled is left as it is; CPython itself may freeze some few objects
    settled = gc.get_freeze_count()
    assert reload(CHANGED)
    assert seen.pop() == (before, settled)
    assert gc.get_freeze_count() == settled
    settle()
    frozen = gc.get_freeze_count()
    assert reload(SMALL_SYSTEM)
    during, then_frozen = seen.pop()
    assert during[:2] == before[:2]
    assert during[2] > 1_000_000
    # objects go by themselves meanwhile
    assert settled < then_frozen <= frozen
    assert gc.get_threshold() == before
    # one that fails settles nothing, and the collector is as it was
    frozen = gc.get_freeze_count()
    assert not reload(WRONG)
    assert gc.get_threshold() == before
    assert settled < gc.get_freeze_count() <= frozen


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="this system has no SIGHUP")
def test_a_signal_loads_tables_anew(tmp_path):
    path = tmp_path / "tiny.bidding"
    path.write_text("opening:\n  1NT = Strong: 15-17 points, balanced\n")
    with ready_server(table=str(path)) as (url, process):
        path.write_text("opening:\n  1NT = Weak: 12-14 points, balanced\n")
        os.kill(process.pid, signal.SIGHUP)
        assert wait_for(f"{url}/v1/tables/tiny/explain?auction=1N", '"points":[12,14]')
        path.write_text("opening:\n  1NT = Weak: 12-14 pionts\n")
        os.kill(process.pid, signal.SIGHUP)
        assert wait_for(f"{url}/readyz", "tiny.bidding:2: ")
        explained = httpx.get(f"{url}/v1/tables/tiny/explain?auction=1N", timeout=100)
        assert json.loads(explained.content)["calls"][0]["points"] == [12, 14]
        process.send_signal(signal.SIGTERM)
        process.wait(150)
        assert b"tiny.bidding:2: " in process.stderr.read()


def wait_for(url: str, text: str, seconds: float = 150) -> bool:
    """Ask again until an answer has a text in it."""
    deadline = time.monotonic() + seconds
    with httpx.Client(timeout=100) as client:
        while time.monotonic() < deadline:
            if text in client.get(url).text:
                return True
            time.sleep(0.1)
    return False


def test_free_memory_is_given_back_now_and_then(monkeypatch):
    given = threading.Event()
    answers = iter(["small"])

    def forget():
        """Drops something once, then fails: the next look may do better."""
        return next(answers)

    monkeypatch.setattr(collection, "_LOOK_S", 0.01)
    monkeypatch.setattr(collection, "give_back", given.set)
    with collection.giving_back(forget):
        assert given.wait(60), "at once where something was dropped"
        given.clear()
        assert given.wait(60), "now and then"
        names = [thread.name for thread in threading.enumerate()]
        assert names.count("free-memory") == 1
