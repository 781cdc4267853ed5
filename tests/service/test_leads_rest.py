"""``POST /v1/leads``: answers, refinement, budgets, many at once, killed workers, errors."""

import asyncio
import json
import os
import signal
from collections.abc import Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from bidcascade.service.app import create_app
from bidcascade.service.settings import Settings
from tests.support_service import ask, post, problem_of, write_small_table

pytestmark = pytest.mark.slow

QUESTION: dict[str, Any] = {
    "hand": "K52.AQ3.9876.KJ2", "auction": ["1N", "P", "3N"], "dealer": "E", "layouts": 12,
}  # fmt: skip


@pytest.fixture(scope="module")
def app() -> Iterator[FastAPI]:
    made = create_app(Settings(dd_workers=2, backend="cpu", request_timeout_ms=600_000))
    made.state.workplace.tables.load()
    yield made
    made.state.workplace.double_dummy.close()


def leads_of(response: httpx.Response) -> dict[str, Any]:
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    assert answer.pop("elapsed_ms") >= 0
    return answer


def test_an_answer(app: FastAPI) -> None:
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


def test_a_contract_without_an_auction(app: FastAPI) -> None:
    body = {"hand": QUESTION["hand"], "contract": "6SXN", "layouts": 3, "known": {"S": "AQ+.+.+.+"}}
    answer = leads_of(post(app, "/v1/leads", {**body, "where": ["HCP_N >= 10"]}))
    assert (answer["leader"], answer["contract"]) == ("E", "6SXN")
    assert answer["layouts"]["solved"] == 3


def test_refined_answers_come_as_lines(app: FastAPI) -> None:
    response = ask(
        app, "POST", "/v1/leads", body={**QUESTION, "layouts": 24},
        headers={"Accept": "application/jsonl"},
    )  # fmt: skip
    assert response.headers["content-type"] == "application/jsonl"
    answers = [json.loads(line) for line in response.text.splitlines()]
    assert [answer["layouts"]["solved"] for answer in answers] == [6, 18, 24]
    whole = leads_of(post(app, "/v1/leads", {**QUESTION, "layouts": 24}))
    assert answers[-1]["leads"] == whole["leads"]
    assert app.state.workplace.slots.free == app.state.workplace.settings.max_concurrent_requests


def test_a_budget_is_kept(app: FastAPI) -> None:
    body = {**QUESTION, "layouts": 1000, "seed": 99, "budget_ms": 2500}
    answer = leads_of(post(app, "/v1/leads", body))
    assert 6 <= answer["layouts"]["solved"] < 1000
    assert answer["layouts"]["asked"] == 1000


def test_what_was_given_up_is_not_solved_on(app: FastAPI) -> None:
    question = {**QUESTION, "layouts": 900, "seed": 5, "budget_ms": 1}
    problem = problem_of(post(app, "/v1/leads", question), 504, "timeout")
    # the limit of the question, not that of the service
    assert "request_timeout_ms" not in problem["detail"]
    pool = app.state.workplace.double_dummy
    misses = pool.state.misses
    leads_of(post(app, "/v1/leads", {**QUESTION, "layouts": 2, "seed": 6}))
    assert pool.state.misses == misses + 2


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ({"hand": "K52.AQ3.9876.KJ"}, "hand", "expected 13 cards"),
        ({"auction": ["1N", "P", "1D"]}, "auction", "insufficient"),
        ({"auction": ["P", "P", "P", "P"]}, "auction", "ends in a contract"),
        ({"auction": ["8N"]}, "auction", "'8N'"),
        ({"auction": None}, "auction", "expected an auction or a contract"),
        ({"contract": "3NE"}, "auction", "and not both"),
        ({"dealer": "X"}, "dealer", "expected"),
        ({"vulnerability": "maybe"}, "vulnerability", "expected"),
        ({"layouts": 0}, "layouts", "expected a number from 1"),
        ({"layouts": 1001}, "layouts", "expected a number up to 1000"),
        ({"scoring": "fun"}, "scoring", "'tricks', 'set', 'matchpoints' or 'imps'"),
        ({"budget_ms": 0}, "budget_ms", "expected a number from 1"),
        ({"seed": -1}, "seed", "expected a number from 0"),
        ({"known": {"S": "A+.+.+.+"}}, "known.S", "other hands than the leader's"),
        ({"known": {"N": "A+.+.+"}}, "known.N", "expected"),
        ({"known": {"Q": "A+.+.+.+"}}, "known.Q", "expected"),
    ],
)
def test_fields_at_fault(app: FastAPI, change: dict[str, Any], field: str, reason: str) -> None:
    problem = problem_of(post(app, "/v1/leads", {**QUESTION, **change}), 422, "invalid-request")
    assert problem["errors"][0]["field"] == field
    assert reason in problem["errors"][0]["reason"]


def test_cards_and_conditions_that_do_not_go_together(app: FastAPI) -> None:
    known = {**QUESTION, "known": {"N": "K+.+.+.+"}}
    assert "SK" in problem_of(post(app, "/v1/leads", known), 422, "invalid-request")["detail"]
    impossible = post(app, "/v1/leads", {**QUESTION, "where": ["HCP_N + HCP_E + HCP_W >= 30"]})
    assert impossible.status_code == 422
    assert "no such deal" in impossible.json()["detail"]
    problem_of(post(app, "/v1/leads", {**QUESTION, "where": ["HCP"]}), 422, "invalid-request")
    problem_of(post(app, "/v1/leads", {**QUESTION, "table": "none"}), 404, "unknown-table")
    assert ask(app, "GET", "/v1/leads").status_code == 405


# --- many at once --------------------------------------------------------------------------------


@asynccontextmanager
async def client_of(app: FastAPI) -> Any:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client


def ask_at_once(app: FastAPI, questions: list[dict[str, Any]], *, kill: bool) -> list[Any]:
    """Ask all at the same time, while workers are killed."""
    pool = app.state.workplace.double_dummy
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
    workplace = app.state.workplace
    workplace.double_dummy.close()
    workplace._double_dummy = None
    assert answers == [leads_of(post(app, "/v1/leads", question)) for question in questions]


def test_sixteen_at_once_while_workers_are_killed(app: FastAPI) -> None:
    check_many_at_once(app, layouts=2)


def test_sixteen_at_once_of_many_layouts(app: FastAPI) -> None:
    check_many_at_once(app, layouts=25)


def test_the_pool_starts_late_and_ends_with_the_service(tmp_path: Path) -> None:
    table = str(write_small_table(tmp_path))
    app = create_app(Settings(table=table, dd_workers=1, backend="cpu"))

    async def live() -> tuple[int, ...]:
        async with app.router.lifespan_context(app), client_of(app) as client:
            workplace = app.state.workplace
            while workplace.tables.state == "loading":
                await asyncio.sleep(0.01)
            assert workplace._double_dummy is None
            assert (await client.post("/v1/leads", json=QUESTION, timeout=60)).status_code == 200
            return workplace.double_dummy.state.processes

    (process_id,) = asyncio.run(live())
    assert app.state.workplace.double_dummy.state.processes == ()
    with pytest.raises(ProcessLookupError):
        os.kill(process_id, 0)
