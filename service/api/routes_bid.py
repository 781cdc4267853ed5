"""``POST /v1/bid``: the call that a table makes with one hand, and every candidate's reasons."""

import threading
from typing import TypeAlias

from fastapi import APIRouter, Request, Response

from bidcascade.bridge import Seat, Vulnerability
from bidcascade.engine.questions.bids import (
    BidRequest,
    SearchRequest,
    SimulateRequest,
    bid_answer,
    read_bid,
    search_wished,
)
from bidcascade.engine.questions.fields import invalid_value
from bidcascade.engine.searched_bid import search_bid
from bidcascade.engine.simulated_bid import simulate_bid
from bidcascade.inference.search import Search
from bidcascade.inference.simulate import Simulation
from bidcascade.systems.bidding.bid_answer import BidAnswer as Answer

from .answering import JSON, accepted, json_bytes
from .limits import client_of
from .openapi import BareRoute, route
from .tables import LoadedTable
from .waiting import run_waiting, time_for
from .work import AppState

router = APIRouter(tags=["answers"], route_class=BareRoute)

_Position: TypeAlias = tuple[int, tuple[int, ...], Seat, Vulnerability]
"""Hand, calls, dealer, vulnerability."""


@route(router, "bid", 400, 404, 406, 408, 413, 415, 422, 429, 500, 503, 504)
async def bid(request: Request) -> Response:
    """Call that a bidding table makes with a hand after some calls, and why.

    Each candidate lists its conditions with the hand's own values. With `simulate` the call is the
    one that scores best over deals which agree with the auction, with `search` the system's own
    unless another one is clearly better over them. Where the system has no line for the place it is
    a pass, as in auctions, and `note` says so.
    """
    work: AppState = request.app.state.own
    accepted(request, [JSON])
    question = await work.question(request, BidRequest)
    with work.slots.taken(client_of(request)):
        table = work.tables.get(question.table)
        hand, calls, dealer, sides = read_bid(question)
        answer = await work.ask(table.bid, (hand, calls, dealer, sides), free=table.if_free("bid"))
        if question.simulate and question.search:
            raise invalid_value(
                "search", question.search, "expected a call to be simulated or searched, not both"
            )
        if question.search:
            how = search_wished(question.search)
            content = await _searched(
                work, request, table, how, answer, (hand, calls, dealer, sides)
            )
        elif question.simulate:
            wish = _wished(question.simulate)
            content = await _simulated(
                work, request, table, wish, answer, (hand, calls, dealer, sides)
            )
        else:
            content = json_bytes(bid_answer(answer))
        return Response(table.with_table(content), media_type=JSON, headers=table.headers_for())


def _wished(simulate: SimulateRequest | int) -> SimulateRequest:
    """How to simulate; `true` is the usual way, a number so many layouts."""
    if isinstance(simulate, SimulateRequest):
        return simulate
    return SimulateRequest() if simulate is True else SimulateRequest(layouts=simulate)


async def _simulated(
    work: AppState,
    request: Request,
    table: LoadedTable,
    how: SimulateRequest,
    answer: Answer,
    about: _Position,
) -> bytes:
    """Answer with the simulated call."""
    limit = time_for(work, how.budget_ms)
    with_solver = how.double_dummy and work.settings.simulate_double_dummy

    def find(given_up: threading.Event) -> tuple[Answer, Simulation | None]:
        return simulate_bid(
            table.engine,
            answer,
            *about,
            wish=how,
            time_limit_s=limit,
            cancel=given_up,
            solver=work.double_dummy if with_solver else None,
        )

    best, found = await run_waiting(work, request, find)
    return json_bytes(bid_answer(best, simulation=found))


async def _searched(
    work: AppState,
    request: Request,
    table: LoadedTable,
    how: SearchRequest,
    answer: Answer,
    about: _Position,
) -> bytes:
    """Answer with the searched call."""
    limit = time_for(work, None)
    with_solver = how.double_dummy and work.settings.simulate_double_dummy

    def find(given_up: threading.Event) -> tuple[Answer, Search]:
        return search_bid(
            table.engine,
            answer,
            *about,
            wish=how,
            time_limit_s=limit,
            cancel=given_up,
            solver=work.double_dummy if with_solver else None,
        )

    best, found = await run_waiting(work, request, find)
    return json_bytes(bid_answer(best, search=found))
