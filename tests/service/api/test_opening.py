"""Tables of a service that are opened when somebody names them."""

import asyncio
import threading

import httpx
import pytest

from bidcascade.bridge import InvalidSystem, UnknownTable
from bidcascade.engine.settings import Settings
from bidcascade.service.api.app import create_app
from bidcascade.service.api.shared.tables import Tables
from tests.support.service import ask, loaded_app, post, problem_of

ONE = "system One\nopening:\n  1NT = Strong: 15-17 points, balanced\n"
TWO = ONE.replace("One", "Two").replace("15-17", "12-14")
BROKEN = ONE.replace("balanced", "balansed")
HAND = {"hand": "AQ4.KJ3.K876.Q52"}


@pytest.fixture
def paths(tmp_path):
    """Files of two systems, the default one first."""
    for name, text in (("one", ONE), ("two", TWO)):
        (tmp_path / f"{name}.bidding").write_text(text, "utf-8")
    return {name: str(tmp_path / f"{name}.bidding") for name in ("one", "two")}


@pytest.fixture
def opened(monkeypatch):
    """Names of the tables that were opened, in order."""
    found = []
    open_as_ever = Tables._opened

    def opened(tables, name):
        found.append(name)
        return open_as_ever(tables, name)

    monkeypatch.setattr(Tables, "_opened", opened)
    return found


def app_of(paths):
    return loaded_app(table=f"one={paths['one']}", extra_tables=f"two={paths['two']}")


def test_a_table_is_opened_by_the_first_who_names_it(paths, opened):
    app = app_of(paths)
    assert ask(app, "GET", "/readyz").json()["tables"] == ["one", "two"]
    assert post(app, "/v1/bid", HAND).json()["call"] == "1N"
    assert "bidcascade_table_info" in ask(app, "GET", "/metrics").text
    assert opened == ["one"]
    for _ in range(2):
        assert post(app, "/v1/bid", {**HAND, "table": "two"}).json()["call"] == "P"
    assert opened == ["one", "two"]


@pytest.mark.parametrize(
    "path", ["/v1/tables", "/v1/tables/two", "/v1/tables/two/next", "/v1/tables/two/system"]
)
def test_questions_about_tables_open_them(paths, opened, path):
    app = app_of(paths)
    assert ask(app, "GET", path).status_code == 200
    assert opened == ["one", "two"]


def test_who_names_a_table_at_the_same_time_waits_for_one_opening_and_others_for_none(
    paths, opened, monkeypatch
):
    app, begun, go_on = app_of(paths), threading.Event(), threading.Event()
    open_as_ever = Tables._opened

    def slowly(tables, name):
        begun.set()
        assert go_on.wait(60)
        return open_as_ever(tables, name)

    monkeypatch.setattr(Tables, "_opened", slowly)

    async def scenario():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:

            def bid(**more):
                return client.post("/v1/bid", json={**HAND, **more})

            waiting = [asyncio.create_task(bid(table="two")) for _ in range(9)]
            assert await asyncio.to_thread(begun.wait, 60)
            assert (await bid()).json()["call"] == "1N"
            assert (await client.get("/readyz")).status_code == 200
            # one who goes away takes nothing from the others
            waiting.pop().cancel()
            assert not any(one.done() for one in waiting)
            go_on.set()
            return [one.json()["call"] for one in await asyncio.gather(*waiting)]

    assert asyncio.run(asyncio.wait_for(scenario(), 120)) == ["P"] * 8
    assert opened == ["one", "two"]


def test_a_table_that_cannot_be_opened_is_named_and_tried_again(paths, tmp_path):
    app, path = app_of(paths), tmp_path / "two.bidding"
    path.write_text(BROKEN, "utf-8")
    problem = problem_of(post(app, "/v1/bid", {**HAND, "table": "two"}), 503, "not-ready")
    assert "the bidding table 'two' cannot be opened: two.bidding:3" in problem["detail"]
    assert post(app, "/v1/bid", HAND).json()["call"] == "1N"
    path.write_text(TWO, "utf-8")
    assert post(app, "/v1/bid", {**HAND, "table": "two"}).json()["call"] == "P"


def test_warming_up_opens_what_nobody_has_named(paths, opened):
    app = app_of(paths)
    tables = app.state.own.tables
    tables.warm_up()
    assert opened == ["one", "two"]
    assert (tables.is_warm, tables.warmed) == (True, 2)


def test_a_table_that_cannot_be_opened_ends_the_service(paths, tmp_path):
    (tmp_path / "two.bidding").write_text(BROKEN, "utf-8")
    tables = app_of(paths).state.own.tables
    with pytest.raises(InvalidSystem, match="balansed"):
        tables.warm_up()
    assert tables.state == "failed"


def test_a_table_that_is_not_there_is_told_at_the_start(paths, opened):
    tables = Tables({**paths, "three": "three.bidding"}, "cpu")
    with pytest.raises(UnknownTable, match=r"three\.bidding"):
        tables.load()
    assert (tables.state, opened) == ("failed", [])


def test_tables_that_nobody_has_named_are_not_loaded_anew(paths, opened):
    tables = app_of(paths).state.own.tables
    assert tables.reload_all()
    assert opened == ["one", "one"]


def test_the_end_waits_for_the_table_that_is_being_opened(paths, monkeypatch):
    settings = Settings(
        table=f"one={paths['one']}", extra_tables=f"two={paths['two']}", backend="cpu"
    )
    app, begun, go_on = create_app(settings, warm_up=False), threading.Event(), threading.Event()
    open_as_ever = Tables._opened

    def slowly(tables, name):
        if name == "two":
            begun.set()
            assert go_on.wait(60)
        return open_as_ever(tables, name)

    monkeypatch.setattr(Tables, "_opened", slowly)

    async def scenario():
        tables = app.state.own.tables
        async with app.router.lifespan_context(app):
            while tables.state == "loading":
                await asyncio.sleep(0.01)
            opening = tables.opening("two")
            assert await asyncio.to_thread(begun.wait, 60)
            asyncio.get_running_loop().call_later(0.1, go_on.set)
        return opening.done()

    assert asyncio.run(asyncio.wait_for(scenario(), 120))
