"""``POST /v1/leads``: the best opening lead over layouts that agree with the auction."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack
from time import monotonic

from fastapi import APIRouter, Request, Response

from bidcascade.engine.auction_questions import iter_leads, leads_dict, read_lead_question
from bidcascade.engine.questions.leads import LeadsRequest

from .answering import JSON, JSON_LINES, PartsResponse, accepted, json_bytes, with_first_part
from .limits import client_of
from .models_leads import LeadsAnswer
from .openapi import body_of, problems
from .waiting import iter_waiting, run_waiting, time_for
from .work import AppState

router = APIRouter(tags=["answers"])


@router.post(
    "/v1/leads",
    operation_id="leads",
    summary="The best opening lead",
    response_model=LeadsAnswer,
    responses={
        200: {
            "description": "The leads from best to worst, and the layouts behind them. As JSON "
            "Lines a first answer from few layouts, then others from more and more.",
            "content": {
                JSON_LINES: {
                    "schema": {
                        "type": "string",
                        "description": "One answer a line, each from more layouts than the one "
                        "before; the last is the answer that JSON gives.",
                    }
                }
            },
        },
        **problems(400, 404, 406, 408, 413, 415, 422, 429, 500, 503, 504),
    },
    openapi_extra=body_of(LeadsRequest),
)
async def leads(request: Request) -> Response:
    """Best opening lead of a hand against a contract, over deals that agree with the auction.

    Each deal is solved double dummy for every lead. With `budget_ms` the answer comes after that
    time from as many deals as are solved by then; one is waited for in any case. Whoever accepts
    `application/jsonl` gets a line as soon as a few deals are solved, and better ones after it.
    """
    work: AppState = request.app.state.own
    form = accepted(request, [JSON, JSON_LINES])
    arrived = monotonic()
    body = await work.question(request, LeadsRequest)
    with ExitStack() as stack:
        stack.enter_context(work.slots.taken(client_of(request)))
        question = read_lead_question(body)
        table = work.tables.get(body.table)

        def answers(given_up: threading.Event) -> Iterator[bytes]:
            # it may have waited for a thread
            spent = monotonic() - arrived
            found = iter_leads(
                table.engine.bidder.meanings,
                work.double_dummy,
                question,
                time_limit_s=max(0.0, time_for(work, body.budget_ms) - spent),
                patience_s=max(0.0, time_for(work, None) - spent),
                cancel=given_up,
            )
            warming = not work.tables.is_warm
            for answer in found:
                answered = {**leads_dict(question, answer), "warming": warming}
                yield table.with_table(json_bytes(answered))

        if form == JSON:
            content = await run_waiting(work, request, lambda given_up: _last(answers(given_up)))
            return Response(content, media_type=JSON, headers=table.headers_for())

        def lines(given_up: threading.Event) -> Iterator[bytes]:
            return (answer + b"\n" for answer in answers(given_up))

        # what is wrong with the question comes to light before the first answer, as a problem
        return PartsResponse(
            await with_first_part(iter_waiting(work, request, lines)),
            media_type=JSON_LINES,
            headers=table.headers_for(),
            timeout_s=work.timeout_s,
            release=stack.pop_all().close,
        )


def _last(answers: Iterator[bytes]) -> bytes:
    return deque(answers, maxlen=1)[0]
