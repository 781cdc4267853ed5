"""``POST /v1/double-dummy/tricks``: tricks of contracts on many deals."""

import threading

from fastapi import APIRouter, Request, Response

from bidcascade.bridge import parse_contract
from bidcascade.engine.questions.deals.deal_reading import deals_of
from bidcascade.engine.questions.deals.double_dummy import (
    ContractTricksAnswer,
    ContractTricksRequest,
)
from bidcascade.engine.questions.parts.fields import read_field
from bidcascade.inference.double_dummy.known_tables import contract_tricks
from bidcascade.service.api.http.answering import JSON, accepted, json_bytes
from bidcascade.service.api.http.limits import client_of
from bidcascade.service.api.http.openapi import route
from bidcascade.service.api.shared.waiting import run_waiting, time_for
from bidcascade.service.api.shared.work import AppState

router = APIRouter(tags=["answers"])


@route(
    router,
    "contractTricks",
    400,
    406,
    408,
    413,
    415,
    422,
    429,
    500,
    503,
    504,
    also={
        202: {
            "model": ContractTricksAnswer,
            "description": "What was solved in the time for a request. What was solved once is not "
            "solved again: ask again.",
        }
    },
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

        def task(given_up: threading.Event) -> ContractTricksAnswer:
            found, known = contract_tricks(
                hands,
                contracts,
                work.double_dummy,
                work.solved_tables,
                timeout_s=limit,
                cancel=given_up,
            )
            missing = sum(tricks is None for row in found for tricks in row)
            tricks = tuple(map(tuple, found))
            return ContractTricksAnswer(tricks=tricks, solved_before=known, missing=missing)

        found = await run_waiting(work, request, task)
        return Response(json_bytes(found), 202 if found.missing else 200, media_type=JSON)
