"""``GET /v1/themes`` and ``POST /v1/practice-deals``: deals for practice."""

import threading
import time

from fastapi import APIRouter, Request, Response

from bidcascade.engine.practice_deals import answer_practice_deals, answer_themes
from bidcascade.engine.questions.deals.practice_deals import (
    PracticeDealsRequest,
)
from bidcascade.service.api.http.answering import JSON, accepted, json_bytes
from bidcascade.service.api.http.limits import client_of
from bidcascade.service.api.http.openapi import route
from bidcascade.service.api.http.problems import check_query
from bidcascade.service.api.shared.waiting import run_waiting, time_for
from bidcascade.service.api.shared.work import AppState

router = APIRouter(tags=["answers"])


@route(router, "themes", 406, 422, 429, 500)
async def themes(request: Request) -> Response:
    """Themes for practice: South holds what they are about."""
    work: AppState = request.app.state.own
    accepted(request, [JSON])
    check_query(request)
    content = await work.run(lambda: json_bytes(answer_themes()))
    return Response(content, media_type=JSON)


@route(router, "practiceDeals", 400, 406, 408, 413, 415, 422, 429, 500, 504)
async def practice_deals(request: Request) -> Response:
    """Deals of themes, or of a script of the program `dealer`.

    A theme or script that names kinds of deals gives each its share, to the whole deal.
    """
    work: AppState = request.app.state.own
    accepted(request, [JSON])
    question = await work.question(request, PracticeDealsRequest)
    with work.slots.taken(client_of(request)):
        limit_s = time_for(work, None)
        until = time.perf_counter() + limit_s

        def task(given_up: threading.Event) -> bytes:
            return json_bytes(answer_practice_deals(question, until=until, cancel=given_up))

        turn = work.turn("practiceDeals", time.monotonic(), limit_s)
        content = await run_waiting(work, request, task, turn)
    return Response(content, media_type=JSON)
