"""``POST /v1/double-dummy``: tricks of every contract of a deal, par, auctions compared."""

import threading
from functools import partial

from fastapi import APIRouter, Request, Response

from bidcascade.bridge import Auction, IllegalCall, Seat, format_calls
from bidcascade.service.deal_worth import deal_worth
from bidcascade.systems.system import auction_calls

from .answering import JSON, accepted, json_bytes
from .deal_requests import deal_of
from .limits import client_of
from .models_double_dummy import DoubleDummyAnswer, DoubleDummyRequest
from .openapi import body_of, problems
from .problems import read_field
from .waiting import run_waiting, time_for
from .work import Workplace

router = APIRouter(tags=["answers"])


@router.post(
    "/v1/double-dummy",
    operation_id="doubleDummy",
    summary="A deal solved double dummy",
    response_model=DoubleDummyAnswer,
    responses={
        200: {"description": "Tricks of all contracts, par, and what each auction is worth."},
        **problems(400, 406, 408, 413, 415, 422, 429, 500, 503, 504),
    },
    openapi_extra=body_of(DoubleDummyRequest),
)
async def double_dummy(request: Request) -> Response:
    """Solve a deal: the tricks of all twenty declarers and strains, and par.

    Of each auction the contract is scored with its double-dummy tricks, and compared in IMPs with
    par and with the other auctions.
    """
    work: Workplace = request.app.state.workplace
    accepted(request, [JSON])
    asked = await work.question(request, DoubleDummyRequest)
    with work.slots.taken(client_of(request)):
        deal = deal_of(asked.deal, "deal")
        auctions = [
            read_field(partial(_over, dealer=deal.dealer), " ".join(calls), f"auctions[{number}]")
            for number, calls in enumerate(asked.auctions)
        ]
        limit = time_for(work, None)

        def task(given_up: threading.Event) -> bytes:
            solver = work.double_dummy
            return json_bytes(
                deal_worth(deal, auctions, solver, time_limit_s=limit, cancel=given_up)
            )

        return Response(await run_waiting(work, request, task), media_type=JSON)


def _over(text: str, dealer: Seat) -> Auction:
    """Read an auction that is over."""
    auction = Auction.of(auction_calls(text), dealer)
    if not auction.is_complete:
        raise IllegalCall(f"expected an auction that is over, got {format_calls(auction.calls)!r}")
    return auction
