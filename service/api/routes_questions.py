"""The routes of the questions in ``engine/questions/registry.py``, each made of its row."""

import threading
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from time import monotonic
from typing import Any, Final

from fastapi import APIRouter, Request, Response

from bidcascade.engine.questions.answer_fields import plain
from bidcascade.engine.questions.registry import QUESTIONS, Question
from bidcascade.engine.questions.resources import Resources
from bidcascade.engine.questions.served import Warming, served

from .answering import JSON, JSON_LINES, PartsResponse, accepted, json_bytes, with_first_part
from .limits import client_of
from .openapi import body_of, problems
from .problems import Problem, complaint
from .tables import LoadedTable
from .waiting import iter_waiting, run_waiting, time_for
from .work import AppState

router = APIRouter(tags=["answers"])

_STATUSES: Final = (400, 406, 408, 413, 415, 422, 429, 500, 503, 504)
_Bytes = Callable[[threading.Event], Iterator[tuple[Any, bytes]]]


def _responses(question: Question[Any, Any, Any]) -> dict[int | str, dict[str, Any]]:
    whole: dict[str, Any] = {"description": question.says}
    if question.refined:
        lines = {"type": "string", "description": question.refined}
        whole["content"] = {JSON_LINES: {"schema": lines}}
    found: dict[int | str, dict[str, Any]] = {200: whole}
    if question.in_part:
        found[202] = {"model": question.answer, "description": question.in_part}
    statuses = (*_STATUSES, 404) if question.from_table else _STATUSES
    return {**found, **problems(*sorted(statuses))}


def _route(question: Question[Any, Any, Any]) -> Callable[[Request], Awaitable[Response]]:
    async def ask(request: Request) -> Response:
        work: AppState = request.app.state.own
        form = accepted(request, [JSON, JSON_LINES] if question.refined else [JSON])
        arrived = monotonic()
        body = await work.question(request, question.request)
        with ExitStack() as stack:
            stack.enter_context(work.slots.taken(client_of(request)))
            _check_size(work, question, body)
            asked = question.read(body)
            table = work.tables.get(body.table) if question.from_table else None
            headers = {} if table is None else table.headers_for()
            budget_ms = getattr(body, "budget_ms", None)

            def answers(given_up: threading.Event) -> Iterator[tuple[Any, bytes]]:
                # it may have waited for a thread
                spent = monotonic() - arrived
                by = Resources(
                    solver=lambda: work.double_dummy,
                    meanings=None if table is None else table.engine.bidder.meanings,
                    time_limit_s=max(0.0, time_for(work, budget_ms) - spent),
                    patience_s=max(0.0, time_for(work, None) - spent),
                    cancel=given_up,
                )
                found = question.answered(asked, by)
                for one in found if isinstance(found, Iterator) else (found,):
                    yield one, _written(work, question, table, one)

            if form == JSON:
                one, content = await run_waiting(work, request, _last_of(answers))
                is_part = bool(question.in_part and one.missing)
                return Response(content, 202 if is_part else 200, headers, media_type=JSON)

            def lines(given_up: threading.Event) -> Iterator[bytes]:
                return (content + b"\n" for _, content in answers(given_up))

            # what is wrong with the question comes to light before the first answer, as a problem
            return PartsResponse(
                await with_first_part(iter_waiting(work, request, lines)),
                media_type=JSON_LINES,
                headers=headers,
                timeout_s=work.timeout_s,
                release=stack.pop_all().close,
            )

    return ask


def _last_of(answers: _Bytes) -> Callable[[threading.Event], tuple[Any, bytes]]:
    return lambda given_up: deque(answers(given_up), maxlen=1)[0]


def _check_size(work: AppState, question: Question[Any, Any, Any], body: Any) -> None:
    """Refuse more deals than the service gives."""
    most = work.settings.max_request_deals
    count = getattr(body, question.most) if question.most else 0
    if count > most:
        raise Problem(
            "too-many-deals",
            f"expected at most {most:,} layouts (setting max_request_deals), got {count:,}",
            [complaint(question.most, count, f"expected at most {most}")],
        )


def _written(
    work: AppState, question: Question[Any, Any, Any], table: LoadedTable | None, one: object
) -> bytes:
    value = plain(one)
    if question.refined:
        value |= plain(Warming(warming=not work.tables.is_warm))
    content = json_bytes(value)
    return content if table is None else table.with_table(content)


for _one in QUESTIONS.values():
    router.add_api_route(
        f"/v1/{_one.path}",
        _route(_one),
        methods=["POST"],
        operation_id=_one.name,
        summary=_one.summary,
        description=_one.description,
        response_model=served(_one.answer),
        responses=_responses(_one),
        openapi_extra=body_of(_one.request),
    )
