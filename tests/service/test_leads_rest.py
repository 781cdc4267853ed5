"""``POST /v1/leads``: answers, refinement, budgets, many at once, killed workers, errors."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from bidcascade.bridge import TimedOut
from bidcascade.engine.settings import Settings
from bidcascade.inference.layouts import sampling
from bidcascade.inference.layouts.sampling import sample_layouts
from bidcascade.service.api.app import create_app
from tests.support.examples import sized
from tests.support.service import ask, loaded_app, post, problem_of, ready_server, write_small_table

pytestmark = pytest.mark.slow

QUESTION: dict[str, Any] = {
    "hand": "K52.AQ3.9876.KJ2",
    "auction": ["1N", "P", "3N"],
    "dealer": "E",
    "layouts": 12,
}


@pytest.fixture(scope="module")
def app() -> Iterator[FastAPI]:
    made = loaded_app(dd_workers=2, backend="cpu", request_timeout_ms=600_000)
    yield made
    made.state.own.double_dummy.close()


def leads_of(response: httpx.Response) -> dict[str, Any]:
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    assert answer.pop("elapsed_ms") >= 0
    return answer


def test_an_answer(app):
    response = post(app, "/v1/leads", {**QUESTION, "scoring": "imps", "vulnerability": "EW"})
    answer = leads_of(response)
    assert (answer["leader"], answer["contract"], answer["scoring"]) == ("S", "3NE", "imps")
    layouts = answer["layouts"]
    assert (layouts["asked"], layouts["found"], layouts["solved"]) == (12, 12, 12)
    assert layouts["relaxed"] == []
    cards = [card for lead in answer["leads"] for card in lead["cards"]]
    assert len(cards) == len(set(cards)) == 13
    values = [lead["value"] for lead in answer["leads"]]
    assert values == sorted(values, reverse=True)
    assert all(lead["value"] == lead["imps"] for lead in answer["leads"])
    assert answer["table"]["name"] == "sayc"
    assert response.headers["bidcascade-table"] == "sayc"
    # the same question has the same answer
    again = leads_of(post(app, "/v1/leads", {**QUESTION, "scoring": "imps", "vulnerability": "EW"}))
    assert again == answer


def test_a_contract_without_an_auction(app):
    body = {"hand": QUESTION["hand"], "contract": "6SXN", "layouts": 3, "known": {"S": "AQ+.+.+.+"}}
    answer = leads_of(post(app, "/v1/leads", {**body, "where": ["HCP_N >= 10"]}))
    assert (answer["leader"], answer["contract"]) == ("E", "6SXN")
    assert answer["layouts"]["solved"] == 3


def test_partners_suit_is_led_against_bids_without_an_agreement(app):
    """Without what 3D shows, the jack of diamonds seemed better by more than chance."""
    calls = ["1C", "1S", "2C", "P", "3C", "P", "3D", "P", "3H", "P", "3N"]
    body = {"hand": "63.952.JT74.Q843", "auction": calls, "dealer": "N", "layouts": 60}
    answer = leads_of(post(app, "/v1/leads", body))
    assert (answer["leader"], answer["contract"]) == ("W", "3NS")
    assert (answer["card"], answer["is_partners"], answer["partner_suits"]) == ("S6", True, ["S"])
    assert [one.split(":")[0] for one in answer["layouts"]["natural"]] == [
        "call 7, 3D by S",
        "call 9, 3H by N",
    ]


def test_what_no_deal_shows_is_not_taken_as_natural(app):
    """Where the bidder has neither length nor stopper, the deals are found without that."""
    calls = ["1C", "1S", "2C", "P", "3C", "P", "3D", "P", "3H", "P", "3N"]
    body = {"hand": "63.952.JT74.Q843", "auction": calls, "dealer": "N", "layouts": 3}
    known = {"N": "A72.A3.A65.KJT76"}
    answer = leads_of(post(app, "/v1/leads", {**body, "known": known, "where": ["SL_S_D <= 1"]}))
    assert answer["layouts"]["solved"] == 3
    assert answer["layouts"]["natural"] == []


def test_refined_answers_come_as_lines(app):
    response = ask(
        app,
        "POST",
        "/v1/leads",
        body={**QUESTION, "layouts": 24},
        headers={"Accept": "application/jsonl"},
    )
    assert response.headers["content-type"] == "application/jsonl"
    answers = [json.loads(line) for line in response.text.splitlines()]
    assert [answer["layouts"]["solved"] for answer in answers] == [6, 18, 24]
    whole = leads_of(post(app, "/v1/leads", {**QUESTION, "layouts": 24}))
    assert answers[-1]["leads"] == whole["leads"]
    assert app.state.own.slots.free == app.state.own.settings.max_concurrent_requests


def test_a_budget_is_kept(app):
    body = {**QUESTION, "layouts": 1000, "seed": 99, "budget_ms": 2500}
    answer = leads_of(post(app, "/v1/leads", body))
    assert 1 <= answer["layouts"]["solved"] < 1000
    assert answer["layouts"]["asked"] == 1000


def test_a_budget_too_small_for_anything_is_one_layout(app):
    answer = leads_of(post(app, "/v1/leads", {**QUESTION, "seed": 98, "budget_ms": 1}))
    assert answer["layouts"]["solved"] == 1
    assert not answer["decided"]
    # K52, AQ3 and KJ2 have two cards each that players lead, 9876 one
    assert sorted([answer["card"], *answer["undecided"]]) == [
        "C2",
        "CK",
        "D6",
        "H3",
        "HA",
        "S2",
        "SK",
    ]


def test_a_few_layouts_are_found_where_all_take_too_long(app, monkeypatch):
    tried = []

    def late(*given, count, **more):
        tried.append(count)
        if len(tried) == 1:
            raise TimedOut("late")
        return sample_layouts(*given, count=count, **more)

    monkeypatch.setattr(sampling, "sample_layouts", late)
    layouts = leads_of(post(app, "/v1/leads", QUESTION))["layouts"]
    assert tried == [12, 6]
    assert (layouts["asked"], layouts["found"], layouts["solved"]) == (12, 6, 6)


def test_the_card_that_players_lead_is_named(app):
    question = {"hand": "K95.T84.9732.JT8", "contract": "4HE", "layouts": 6}
    answer = leads_of(post(app, "/v1/leads", question))
    best = answer["leads"][0]["cards"][0]
    assert answer["card"][0] == best[0]
    usual = {"S": "S5", "H": "H4", "D": "D2", "C": "CJ"}[best[0]]
    close = {
        card
        for lead in answer["leads"]
        for card in lead["cards"]
        if lead["behind"] <= lead["behind_error"] or lead["differs"] < 6
    }
    assert answer["card"] == usual or usual not in close


def test_what_was_given_up_is_not_solved_on(app):
    question = {**QUESTION, "layouts": 900, "seed": 5, "budget_ms": 1}
    leads_of(post(app, "/v1/leads", question))
    pool = app.state.own.double_dummy
    misses = pool.state.misses
    leads_of(post(app, "/v1/leads", {**QUESTION, "layouts": 2, "seed": 6}))
    assert pool.state.misses == misses + 2


def test_deals_and_tables_that_are_not_there(app):
    impossible = post(app, "/v1/leads", {**QUESTION, "where": ["HCP_N + HCP_E + HCP_W >= 30"]})
    assert impossible.status_code == 422
    assert "no such deal" in impossible.json()["detail"]
    problem_of(post(app, "/v1/leads", {**QUESTION, "table": "none"}), 404, "unknown-table")
    assert ask(app, "GET", "/v1/leads").status_code == 405


# --- many at once --------------------------------------------------------------------------------


@asynccontextmanager
async def client_of(app: FastAPI) -> Any:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client


def ask_at_once(app: FastAPI, questions: list[dict[str, Any]], *, kill: bool) -> list[Any]:
    """Ask all at the same time, while workers are killed."""
    pool = app.state.own.double_dummy
    killed = []

    async def kill_now_and_then(done: asyncio.Event) -> None:
        while not done.is_set() and len(killed) < 4:
            for process_id in pool.state.processes[:1]:
                with suppress(ProcessLookupError):
                    os.kill(process_id, signal.SIGKILL)
                    killed.append(process_id)
            await asyncio.sleep(0.3)

    async def ask_all() -> list[httpx.Response]:
        done = asyncio.Event()
        async with client_of(app) as client:
            killer = asyncio.create_task(kill_now_and_then(done)) if kill else None
            posts = (client.post("/v1/leads", json=body, timeout=500) for body in questions)
            answers = await asyncio.gather(*posts)
            done.set()
            if killer is not None:
                await killer
            return answers

    answers = [leads_of(response) for response in asyncio.run(ask_all())]
    assert not kill or killed
    return answers


def check_many_at_once(app: FastAPI, layouts: int) -> None:
    questions = [{**QUESTION, "layouts": layouts, "seed": 100 + seed} for seed in range(16)]
    answers = ask_at_once(app, questions, kill=True)
    assert {answer["layouts"]["solved"] for answer in answers} == {layouts}
    # and one after another, by a pool that knows nothing yet
    app_state = app.state.own
    app_state.double_dummy.close()
    app_state._double_dummy = None
    assert answers == [leads_of(post(app, "/v1/leads", question)) for question in questions]


def test_sixteen_at_once_while_workers_are_killed(app):
    check_many_at_once(app, layouts=2)


def test_sixteen_at_once_of_many_layouts(app):
    check_many_at_once(app, layouts=sized(3, 12))


def cpu_seconds(process_id: int) -> float:
    fields = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def solvers_of(process_id: int) -> list[int]:
    tasks = Path(f"/proc/{process_id}/task").glob("*/children")
    children = [int(word) for path in tasks for word in path.read_text().split()]
    return [
        child
        for child in children
        if b"solver_process" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, int]]:
    """A service with two solving processes that is warm, and its process."""
    with ready_server(dd_workers=2, backend="cpu", log_level="warning") as (url, process):
        with httpx.Client(timeout=60) as client:
            while not client.get(f"{url}/readyz").json()["warm"]:
                time.sleep(0.1)
        # the first lead finds a process that runs
        assert solvers_of(process.pid)
        yield url, process.pid


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_sixteen_at_once_on_a_busy_machine_answer_what_they_have(server):
    url, _ = server

    async def ask_all() -> list[httpx.Response]:
        async with httpx.AsyncClient(timeout=100) as client:
            posts = (
                client.post(
                    f"{url}/v1/leads",
                    json={**QUESTION, "layouts": 100, "seed": 300 + seed, "budget_ms": 2000},
                )
                for seed in range(16)
            )
            return await asyncio.gather(*posts)

    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        answers = [leads_of(response) for response in asyncio.run(ask_all())]
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert len(answers) == 16
    assert all(answer["layouts"]["solved"] >= 1 for answer in answers)
    assert not any(answer["warming"] for answer in answers)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("form", ["application/json", "application/jsonl"])
def test_a_client_that_is_gone_frees_the_solvers(server, form):
    url, service = server
    with httpx.Client(timeout=1.5) as client, suppress(httpx.ReadTimeout):
        question = {**QUESTION, "layouts": 1000, "seed": 7}
        with client.stream("POST", f"{url}/v1/leads", json=question, headers={"Accept": form}) as r:
            for _ in r.iter_lines():
                break
    time.sleep(1)
    before = sum(map(cpu_seconds, solvers_of(service)))
    time.sleep(2)
    # they would have been busy all the time
    assert sum(map(cpu_seconds, solvers_of(service))) - before < 0.2


def test_the_pool_starts_with_the_service_and_ends_with_it(tmp_path):
    table = str(write_small_table(tmp_path))
    app = create_app(Settings(table=table, dd_workers=1, backend="cpu"))

    async def live() -> tuple[int, ...]:
        async with app.router.lifespan_context(app), client_of(app) as client:
            app_state = app.state.own
            while not app_state.tables.is_warm:
                await asyncio.sleep(0.01)
            assert len(app_state.double_dummy.state.processes) == 1
            assert (await client.post("/v1/leads", json=QUESTION, timeout=60)).status_code == 200
            return app_state.double_dummy.state.processes

    (process_id,) = asyncio.run(live())
    assert app.state.own.double_dummy.state.processes == ()
    with pytest.raises(ProcessLookupError):
        os.kill(process_id, 0)
