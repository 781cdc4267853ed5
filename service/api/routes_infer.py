"""``POST /v1/infer``: layouts that fit an auction, deals that do not, what a contract is worth."""

import threading

from fastapi import APIRouter, Request, Response

from bidcascade.engine.inference_question import infer, read_inference
from bidcascade.engine.questions.layouts import InferRequest

from .answering import JSON, accepted, json_bytes
from .limits import client_of
from .models_infer import InferAnswer
from .openapi import body_of, problems
from .waiting import run_waiting, time_for
from .work import AppState

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
    work: AppState = request.app.state.own
    accepted(request, [JSON])
    body = await work.question(request, InferRequest)
    with work.slots.taken(client_of(request)):
        question = read_inference(body)
        table = work.tables.get(body.table)
        limit = time_for(work, body.budget_ms)

        def task(given_up: threading.Event) -> bytes:
            source = table.engine.bidder.meanings
            found = infer(source, question, work.double_dummy, time_limit_s=limit, cancel=given_up)
            return json_bytes(found)

        content = await run_waiting(work, request, task)
        return Response(table.with_table(content), media_type=JSON, headers=table.headers_for())
