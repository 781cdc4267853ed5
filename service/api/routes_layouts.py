"""``POST /v1/layouts`` and ``/v1/interpret``: deals that fit an auction, and what they show."""

import threading
from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request, Response

from bidcascade.bridge import Auction, Seat, parse_seat, parse_vulnerability
from bidcascade.inference import interpret, sample_layouts
from bidcascade.inference.layouts.known import KnownCards
from bidcascade.inference.layouts.meanings import Source
from bidcascade.service.auction_questions import (
    AuctionQuestion,
    interpretation_dict,
    layouts_dict,
)
from bidcascade.systems.system import auction_calls

from .answering import JSON, accepted, json_bytes
from .limits import client_of
from .models_layouts import (
    AuctionRequest,
    InterpretAnswer,
    InterpretRequest,
    LayoutsAnswer,
    LayoutsRequest,
)
from .models_leads import LeadsRequest
from .openapi import body_of, problems
from .problems import Problem, complaint, read_field, wrong_field
from .waiting import run_waiting, time_for
from .work import Workplace

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
    work: Workplace = request.app.state.workplace
    accepted(request, [JSON])
    asked = await work.question(request, LayoutsRequest)
    with work.slots.taken(client_of(request)):
        question = _question(work, asked, asked.count, "count")

        def find(source: Source, question: AuctionQuestion, **limits: Any) -> dict[str, Any]:
            found = sample_layouts(
                source, question.calls, count=asked.count, **question.circumstances, **limits
            )
            return layouts_dict(question, found)

        return await _answer(work, request, asked, question, find)


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
    work: Workplace = request.app.state.workplace
    accepted(request, [JSON])
    asked = await work.question(request, InterpretRequest)
    with work.slots.taken(client_of(request)):
        question = _question(work, asked, asked.layouts, "layouts")

        def find(source: Source, question: AuctionQuestion, **limits: Any) -> dict[str, Any]:
            found = interpret(
                source, question.calls, layouts=asked.layouts, **question.circumstances, **limits
            )
            return interpretation_dict(found)

        return await _answer(work, request, asked, question, find)


async def _answer(
    work: Workplace, request: Request, asked: AuctionRequest, question: AuctionQuestion,
    find: _Answer,
) -> Response:  # fmt: skip
    table = work.tables.get(asked.table)
    limit = time_for(work, None)

    def task(given_up: threading.Event) -> bytes:
        return json_bytes(
            find(table.engine.bidder.meanings, question, time_limit_s=limit, cancel=given_up)
        )

    content = await run_waiting(work, request, task)
    return Response(table.told(content), media_type=JSON, headers=table.headers_for())


def _question(work: Workplace, asked: AuctionRequest, count: int, field: str) -> AuctionQuestion:
    """Question of a request.

    Raises
    ------
    Problem
        422, naming the field; 413 for too many layouts.
    """
    most = work.settings.max_request_deals
    if count > most:
        raise Problem(
            "too-many-deals",
            f"expected at most {most:,} layouts (setting max_request_deals), got {count:,}",
            [complaint(field, count, f"expected at most {most}")],
        )
    circumstances = circumstances_of(asked)
    calls = read_field(legal_calls, " ".join(asked.auction), "auction")
    return AuctionQuestion(calls=calls, layouts=count, **circumstances)


def circumstances_of(
    asked: AuctionRequest | LeadsRequest,
    besides: Seat | None = None,
    reason: str = "each seat once",
) -> dict[str, Any]:
    """Read what all questions have; nothing may be known of the hand at the seat ``besides``."""
    known: dict[Seat, KnownCards] = {}
    for letter, text in asked.known.items():
        place = f"known.{letter}"
        seat = read_field(parse_seat, letter, place)
        if seat in known or seat == besides:
            raise wrong_field(place, text, f"expected {reason}")
        known[seat] = read_field(KnownCards.parse, text, place)
    return {
        "dealer": read_field(parse_seat, asked.dealer, "dealer"),
        "vulnerability": read_field(parse_vulnerability, asked.vulnerability, "vulnerability"),
        "known": known,
        "where": tuple(asked.where),
        "seed": asked.seed,
        "strict": asked.strict,
    }


def legal_calls(text: str) -> tuple[int, ...]:
    """Read an auction and check that it is legal."""
    calls = auction_calls(text)
    Auction.of(calls)
    return calls
