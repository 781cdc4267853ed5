"""``POST /v1/bid``: the call that a table makes with one hand, and every candidate's reasons."""

from fastapi import APIRouter, Request, Response

from .answering import JSON, accepted, json_bytes, plain, table_headers
from .deal_requests import bid_of
from .limits import parse_body
from .openapi import body_of, problems
from .schemas import BidAnswer, BidRequest
from .work import Workplace

router = APIRouter(tags=["answers"])


@router.post(
    "/v1/bid",
    operation_id="bid",
    summary="The call for one hand",
    response_model=BidAnswer,
    responses={
        200: {"description": "The call, its rule, and all candidates with their conditions."},
        **problems(400, 404, 406, 408, 413, 415, 422, 429, 500, 503, 504),
    },
    openapi_extra=body_of(BidRequest),
)
async def bid(request: Request) -> Response:
    """Call that a bidding table makes with a hand after some calls, and why.

    Each candidate lists its conditions with the hand's own values.
    """
    work: Workplace = request.app.state.workplace
    accepted(request, [JSON])
    with work.slots.taken():
        body = await work.read(request)
        asked = parse_body(BidRequest, body)
        table = work.tables.get(asked.table)
        hand, calls, dealer, sides = bid_of(asked)
        answer = await work.run(
            lambda: table.engine.bid(hand, calls, dealer=dealer, vulnerability=sides)
        )
        content = json_bytes(plain(answer))
        return Response(
            # one object: the answer's members, then table and backend
            b"%s,%s}" % (content[:-1], table.tail),
            media_type=JSON,
            headers=table_headers(table.name, table.digest, work.tables.backend),
        )
