"""Questions about systems that may be text: ``/v1/systems/…``, ``/v1/compare``, ``/v1/bench``."""

import threading
from collections.abc import Mapping
from typing import Any, Final, TypeVar

from fastapi import APIRouter, Request, Response

from bidcascade.engine.questions.deals.deal_reading import deals_of
from bidcascade.engine.questions.parts.fields import read_field
from bidcascade.engine.questions.parts.texts import legal_calls
from bidcascade.engine.questions.systems import (
    MOST_COMPARED,
    MOST_SOLVED,
    BenchRequest,
    CompareRequest,
    SystemCheckRequest,
    SystemChoice,
    SystemDiffRequest,
)
from bidcascade.service.api.http.answering import JSON, accepted, json_bytes
from bidcascade.service.api.http.limits import LONGEST_TEXTS, client_of, parse_body
from bidcascade.service.api.http.openapi import route
from bidcascade.service.api.http.problems import Problem, complaint, field_problem
from bidcascade.service.api.shared.loaded_table import check_system
from bidcascade.service.api.shared.waiting import run_waiting, time_for
from bidcascade.service.api.shared.work import AppState
from bidcascade.service.jobs.system_questions import ask_process

router = APIRouter(tags=["systems"])

_Model = TypeVar("_Model")
_STATUSES: Final = (400, 404, 406, 408, 413, 415, 422, 429, 500, 503, 504)


@route(router, "systemCheck", *_STATUSES)
async def system_check(request: Request) -> Response:
    """Read a system's text and say what is wrong, or bid deals with it and say what stands out.

    Shares of lines, gaps, double claims, dead lines, strong hands that pass. Nothing of the text is
    kept.
    """
    work, question = await _body(request, SystemCheckRequest)
    for number, auction in enumerate(question.auctions):
        read_field(legal_calls, auction, f"auctions[{number}]")
    given = {
        "deals": question.deals,
        "seed": question.seed,
        "auctions": list(question.auctions),
        "least": question.least,
    }
    systems = {"system": question.system}
    if question.opponents is not None:
        systems["opponents"] = question.opponents
    return await _answer(work, request, "check", systems, given)


@route(router, "systemDiff", *_STATUSES)
async def system_diff(request: Request) -> Response:
    """Bid the same random deals with two systems and list where their auctions part."""
    work, question = await _body(request, SystemDiffRequest)
    given = {"deals": question.deals, "seed": question.seed, "show": question.show}
    return await _answer(work, request, "diff", {"old": question.old, "new": question.new}, given)


@route(router, "compare", *_STATUSES)
async def compare(request: Request) -> Response:
    """Let two systems bid the same deals both ways, and say who wins, by how much and where.

    Deals with the same contract at both tables are flat; of the others some, drawn at random, are
    worked out double dummy, and intervals say how much that leaves open.
    """
    work, question = await _body(request, CompareRequest)
    for name, number, most in (
        ("deals", question.deals, MOST_COMPARED),
        ("solve", question.solve, MOST_SOLVED),
    ):
        if number > most:
            raise Problem(
                "limit-exceeded",
                f"{name}: expected at most {most:,} in a request, got {number:,}; a job of mode "
                "par with `beside` measures systems on any number of boards, and `bidcascade "
                "compare` plays matches of any length",
                [complaint(name, number, f"expected a number up to {most}")],
            )
    boards = None
    if question.boards is not None:
        deals = await work.run(lambda: deals_of(question.boards or (), field="boards"))
        columns = (*deals.hands, deals.dealer, deals.vulnerability)
        boards = [*zip(*(one.tolist() for one in columns), strict=True)]
    given = {
        "deals": question.deals,
        "seed": question.seed,
        "solve": question.solve,
        "boards": boards,
        "workers": work.settings.dd_workers,
    }
    systems = {"first": question.first, "second": question.second}
    return await _answer(work, request, "compare", systems, given, question.budget_ms)


@route(router, "bench", *_STATUSES)
async def bench(request: Request) -> Response:
    """Measure a system on boards that are the same for everybody, by matches and against par.

    It plays a match with each opponent, and bids all four seats by itself, where its distance from
    par is told by causes, with boards. The same question gives the same numbers.
    """
    work, question = await _body(request, BenchRequest)
    given = {
        "boards": question.boards,
        "seed": question.seed,
        "part": question.bank,
        "workers": work.settings.dd_workers,
    }
    systems = {"system": question.system}
    systems |= {f"against[{place}]": one for place, one in enumerate(question.against or ())}
    return await _answer(work, request, "bench", systems, given)


async def _body(request: Request, model: type[_Model]) -> tuple[AppState, _Model]:
    work: AppState = request.app.state.own
    accepted(request, [JSON])
    most = min(LONGEST_TEXTS, work.settings.max_request_bytes)
    async with work.body(request, most) as content:
        return work, parse_body(model, content)


async def _answer(
    work: AppState,
    request: Request,
    question: str,
    systems: Mapping[str, SystemChoice],
    given: Mapping[str, Any],
    budget_ms: int | None = None,
) -> Response:
    chosen = {field: await _choice(work, one, field) for field, one in systems.items()}
    limit = time_for(work, None)
    further = dict(given)
    if question == "compare":
        further["budget_s"] = time_for(work, budget_ms)
    client = client_of(request)
    with work.slots.taken(client), work.system_questions.taken(client):

        def ask(given_up: threading.Event) -> dict[str, Any]:
            return ask_process(
                question,
                chosen,
                further,
                time_limit_s=limit,
                cancel=given_up,
                places_bytes=work.settings.places_bytes,
            )

        return Response(json_bytes(await run_waiting(work, request, ask)), media_type=JSON)


async def _choice(work: AppState, choice: SystemChoice, field: str) -> dict[str, Any]:
    """Text or path of a system."""
    if (choice.text is None) == (choice.table is None):
        raise field_problem(field, choice.table, "expected a text or a table, and not both")
    if choice.table is not None and choice.pages:
        raise field_problem(f"{field}.pages", None, "expected pages with a text, got a table")
    if choice.table is None:
        return {"text": choice.text, "options": choice.options, "pages": choice.pages}
    table = await work.table(choice.table)
    check_system(table, f"{field}.table")
    return {"path": work.tables.paths[table.name], "options": choice.options}
