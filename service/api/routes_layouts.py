"""``POST /v1/layouts`` and ``/v1/interpret``: deals that fit an auction, and what they show."""

import threading
from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request, Response

from bidcascade.engine.auction_questions import (
    AuctionQuestion,
    find_interpretation,
    find_layouts,
    interpretation_dict,
    layouts_dict,
    read_auction_question,
)
from bidcascade.engine.questions.layouts import AuctionRequest, InterpretRequest, LayoutsRequest
from bidcascade.inference.layouts.meanings import MeaningSource

from .answering import JSON, accepted, json_bytes
from .limits import client_of
from .models_layouts import InterpretAnswer, LayoutsAnswer
from .openapi import body_of, problems
from .problems import Problem, complaint
from .waiting import run_waiting, time_for
from .work import AppState

router = APIRouter(tags=["answers"])

_STATUSES = (400, 404, 406, 408, 413, 415, 422, 429, 500, 503, 504)
_Answer = Callable[..., dict[str, Any]]


@router.post(
    "/v1/layouts",
    operation_id="layouts",
    summary="Deals that fit an auction",
    response_model=LayoutsAnswer,
    responses={
        200: {"description": "The deals with their weights, and how they were found."},
        **problems(*_STATUSES),
    },
    openapi_extra=body_of(LayoutsRequest),
)
async def layouts(request: Request) -> Response:
    """Deals in which every call of the auction is the one that the table makes.

    Hands may be known in whole or in part. Where too few deals fit, conditions of calls are given
    up, the least likely first; the report names them.
    """
    work: AppState = request.app.state.own
    accepted(request, [JSON])
    body = await work.question(request, LayoutsRequest)
    with work.slots.taken(client_of(request)):
        question = _question(work, body, body.count, "count")

        def find(source: MeaningSource, **limits: Any) -> dict[str, Any]:
            return layouts_dict(question, find_layouts(source, question, **limits))

        return await _answer(work, request, body, find)


@router.post(
    "/v1/interpret",
    operation_id="interpret",
    summary="What an auction shows",
    response_model=InterpretAnswer,
    responses={
        200: {"description": "All four hands, call by call and over deals that fit."},
        **problems(*_STATUSES),
    },
    openapi_extra=body_of(InterpretRequest),
)
async def interpretation(request: Request) -> Response:
    """Interpret an auction: what it shows of all four hands, and what may be called next.

    Bounds are those of the system; chances of points, lengths, cards, stoppers, keycards and next
    calls are counted over deals that fit the auction and what is known.
    """
    work: AppState = request.app.state.own
    accepted(request, [JSON])
    body = await work.question(request, InterpretRequest)
    with work.slots.taken(client_of(request)):
        question = _question(work, body, body.layouts, "layouts")

        def find(source: MeaningSource, **limits: Any) -> dict[str, Any]:
            return interpretation_dict(find_interpretation(source, question, **limits))

        return await _answer(work, request, body, find)


async def _answer(
    work: AppState, request: Request, body: AuctionRequest, find: _Answer
) -> Response:
    table = work.tables.get(body.table)
    limit = time_for(work, None)

    def task(given_up: threading.Event) -> bytes:
        return json_bytes(find(table.engine.bidder.meanings, time_limit_s=limit, cancel=given_up))

    content = await run_waiting(work, request, task)
    return Response(table.with_table(content), media_type=JSON, headers=table.headers_for())


def _question(work: AppState, body: AuctionRequest, count: int, field: str) -> AuctionQuestion:
    """Question of a request."""
    most = work.settings.max_request_deals
    if count > most:
        raise Problem(
            "too-many-deals",
            f"expected at most {most:,} layouts (setting max_request_deals), got {count:,}",
            [complaint(field, count, f"expected at most {most}")],
        )
    return read_auction_question(body, count)
