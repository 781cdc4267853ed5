"""``POST /v1/double-dummy…``: tricks of every contract of a deal, par; contracts of many deals."""

import threading
from functools import partial
from typing import Any

from fastapi import APIRouter, Request, Response

from bidcascade.bridge import Auction, IllegalCall, Seat, format_calls, parse_contract
from bidcascade.engine.deal_value import deal_value
from bidcascade.engine.questions.double_dummy import ContractTricksRequest, DoubleDummyRequest
from bidcascade.engine.questions.fields import read_field
from bidcascade.inference.double_dummy.known_tables import contract_tricks
from bidcascade.systems.system import auction_calls

from .answering import JSON, accepted, json_bytes
from .deal_requests import deal_of, deals_of
from .limits import client_of
from .models_double_dummy import ContractTricksAnswer, DoubleDummyAnswer
from .openapi import body_of, problems
from .waiting import run_waiting, time_for
from .work import AppState

router = APIRouter(tags=["answers"])


@router.post(
    "/v1/double-dummy",
    operation_id="doubleDummy",
    summary="A deal solved double dummy",
    response_model=DoubleDummyAnswer,
    responses={
        200: {"description": "Tricks of all contracts, par, and what each auction is worth."},
        202: {
            "model": DoubleDummyAnswer,
            "description": "What was solved in the time for a request; `missing` names the rest. "
            "While `goes_on` is true it is still being solved: ask again.",
        },
        **problems(400, 406, 408, 413, 415, 422, 429, 500, 503, 504),
    },
    openapi_extra=body_of(DoubleDummyRequest),
)
async def double_dummy(request: Request) -> Response:
    """Solve a deal: the tricks of all twenty declarers and strains, and par.

    Of each auction the contract is scored with its double-dummy tricks, and compared in IMPs with
    par and with the other auctions.

    A deal that takes longer than the time for a request is answered with what is solved by then.
    The rest is solved on for whoever asks again, of a few deals at a time (setting
    `dd_going_on`); what was solved once is not solved again.
    """
    work: AppState = request.app.state.own
    accepted(request, [JSON])
    question = await work.question(request, DoubleDummyRequest)
    with work.slots.taken(client_of(request)):
        deal = deal_of(question.deal, "deal")
        auctions = [
            read_field(partial(_over, dealer=deal.dealer), " ".join(calls), f"auctions[{number}]")
            for number, calls in enumerate(question.auctions)
        ]
        limit = time_for(work, None)

        def task(given_up: threading.Event) -> dict[str, Any]:
            solver = work.double_dummy
            return deal_value(deal, auctions, solver, time_limit_s=limit, cancel=given_up)

        found = await run_waiting(work, request, task)
        return Response(json_bytes(found), 202 if found["missing"] else 200, media_type=JSON)


@router.post(
    "/v1/double-dummy/tricks",
    operation_id="contractTricks",
    summary="Tricks of contracts on many deals",
    response_model=ContractTricksAnswer,
    responses={
        200: {"description": "Declarer's tricks of every contract."},
        202: {
            "model": ContractTricksAnswer,
            "description": "What was solved in the time for a request. What was solved once is not "
            "solved again: ask again.",
        },
        **problems(400, 406, 408, 413, 415, 422, 429, 500, 503, 504),
    },
    openapi_extra=body_of(ContractTricksRequest),
)
async def tricks_of_contracts(request: Request) -> Response:
    """Solve single contracts of up to 100 deals.

    Deals whose tables were kept by earlier work on this machine are looked up. Solving ends when
    whoever asked has gone.
    """
    work: AppState = request.app.state.own
    accepted(request, [JSON])
    question = await work.question(request, ContractTricksRequest)
    with work.slots.taken(client_of(request)):
        hands = deals_of([one.deal for one in question.boards], field="boards").hands
        contracts = [
            [
                read_field(parse_contract, text, f"boards[{board}].contracts[{number}]")
                for number, text in enumerate(one.contracts)
            ]
            for board, one in enumerate(question.boards)
        ]
        limit = time_for(work, None)

        def task(given_up: threading.Event) -> dict[str, Any]:
            found, known = contract_tricks(
                hands,
                contracts,
                work.double_dummy,
                work.solved_tables,
                timeout_s=limit,
                cancel=given_up,
            )
            missing = sum(tricks is None for row in found for tricks in row)
            return {"tricks": found, "solved_before": known, "missing": missing}

        found = await run_waiting(work, request, task)
        return Response(json_bytes(found), 202 if found["missing"] else 200, media_type=JSON)


def _over(text: str, dealer: Seat) -> Auction:
    """Read an auction that is over."""
    auction = Auction.of(auction_calls(text), dealer)
    if not auction.is_complete:
        raise IllegalCall(f"expected an auction that is over, got {format_calls(auction.calls)!r}")
    return auction
