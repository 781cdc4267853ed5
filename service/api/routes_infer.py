"""``POST /v1/infer``: layouts that fit an auction, deals that do not, what a contract is worth."""

import threading
from typing import Any, Literal

from fastapi import APIRouter, Request, Response

from bidcascade.bridge import Auction, Contract, Seat, parse_card, parse_contract
from bidcascade.service.inference_question import InferenceQuestion, infer

from .answering import JSON, accepted, json_bytes
from .limits import client_of
from .models_infer import InferAnswer, InferRequest
from .openapi import body_of, problems
from .problems import read_field, wrong_field
from .routes_layouts import circumstances_of, legal_calls
from .waiting import run_waiting, time_for
from .work import Workplace

router = APIRouter(tags=["answers"])


@router.post(
    "/v1/infer",
    operation_id="infer",
    summary="What the layouts of an auction tell",
    response_model=InferAnswer,
    responses={
        200: {"description": "Layouts, rejected deals by call, and what a contract is worth."},
        **problems(400, 404, 406, 408, 413, 415, 422, 429, 500, 503, 504),
    },
    openapi_extra=body_of(InferRequest),
)
async def inference(request: Request) -> Response:
    """Deal layouts that fit an auction, count those that do not, and score a contract on them.

    Rejected deals are told by the first call that they disagree with. The contract is solved double
    dummy in each layout, behind any lead or a given one: tricks, score, and IMPs or matchpoints
    against another contract.
    """
    work: Workplace = request.app.state.workplace
    accepted(request, [JSON])
    asked = await work.question(request, InferRequest)
    with work.slots.taken(client_of(request)):
        question = _question(asked)
        table = work.tables.get(asked.table)
        limit = time_for(work, asked.budget_ms)

        def task(given_up: threading.Event) -> bytes:
            source = table.engine.bidder.meanings
            found = infer(source, question, work.double_dummy, time_limit_s=limit, cancel=given_up)
            return json_bytes(found)

        content = await run_waiting(work, request, task)
        return Response(table.told(content), media_type=JSON, headers=table.headers_for())


def _question(asked: InferRequest) -> InferenceQuestion:
    """Question of a request.

    Raises
    ------
    Problem
        422, naming the field.
    """
    circumstances = circumstances_of(asked)
    calls = read_field(legal_calls, " ".join(asked.auction), "auction")
    auction = Auction.of(calls, circumstances["dealer"])
    contract = auction.contract if auction.is_complete else None
    if asked.contract is not None:
        contract = read_field(parse_contract, asked.contract, "contract")
    against: Contract | Literal["Pass"] | None = None
    if asked.against is not None:
        against = "Pass" if asked.against.lower() in ("pass", "p") else read_field(
            parse_contract, asked.against, "against"
        )  # fmt: skip
    elif asked.scoring != "points":
        raise wrong_field("against", None, f"expected a contract that {asked.scoring} are against")
    for name in ("against", "lead"):
        if getattr(asked, name) is not None and contract is None:
            reason = "expected it with a contract, or an auction that ends in one"
            raise wrong_field(name, getattr(asked, name), reason)
    if asked.scoring != "points" and contract is None:
        raise wrong_field("scoring", asked.scoring, "expected it with a contract")
    return InferenceQuestion(
        calls=calls, layouts=asked.layouts, deals=asked.deals, contract=contract, against=against,
        lead=_lead(asked, contract, circumstances), scoring=asked.scoring, **circumstances,
    )  # fmt: skip


def _lead(
    asked: InferRequest, contract: Contract | None, circumstances: dict[str, Any]
) -> int | None:
    if asked.lead is None or contract is None:
        return None
    lead = read_field(parse_card, asked.lead, "lead")
    leader = Seat((contract.declarer + 1) % 4)
    known = circumstances["known"].get(leader)
    if known is None or not known.cards >> lead & 1:
        reason = f"expected a card that the leader, {leader.letter}, holds by what is known"
        raise wrong_field("lead", asked.lead, reason)
    return lead
