"""The routes of the questions in ``engine/questions/registry.py``, each made of its row."""

import threading
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from time import monotonic
from typing import Any, Final

from fastapi import APIRouter, Request, Response

from bidcascade.engine.questions.bidding.bids import BidQuestion, bid_answer
from bidcascade.engine.questions.parts.answer_fields import plain
from bidcascade.engine.questions.parts.answer_parts import Warming
from bidcascade.engine.questions.parts.resources import Resources
from bidcascade.engine.questions.registry import QUESTIONS, Question
from bidcascade.service.api.http.answering import (
    JSON,
    JSON_LINES,
    PartsResponse,
    accepted,
    json_bytes,
    with_first_part,
)
from bidcascade.service.api.http.limits import client_of
from bidcascade.service.api.http.openapi import BareRoute, route
from bidcascade.service.api.http.problems import Problem, complaint
from bidcascade.service.api.shared.loaded_table import LoadedTable
from bidcascade.service.api.shared.waiting import iter_waiting, run_waiting, time_for
from bidcascade.service.api.shared.work import AppState

router = APIRouter(tags=["answers"], route_class=BareRoute)

_STATUSES: Final = (400, 406, 408, 413, 415, 422, 429, 500, 503, 504)
_SIZES: Final = ("layouts", "count", "deals", "double_dummy", "budget_ms")
"""Fields that say how much a question asks for."""
_Bytes = Callable[[threading.Event], Iterator[tuple[Any, bytes]]]


def _route(question: Question[Any, Any, Any]) -> Callable[[Request], Awaitable[Response]]:
    kind, read, answered = question.request, question.read, question.answered
    assert kind is not None
    assert read is not None
    assert answered is not None

    async def ask(request: Request) -> Response:
        work: AppState = request.app.state.own
        form = accepted(request, [JSON, JSON_LINES] if question.refined else [JSON])
        arrived = monotonic()
        body = await work.question(request, kind)
        with ExitStack() as stack:
            stack.enter_context(work.slots.taken(client_of(request)))
            _check_size(work, question, body)
            asked = read(body)
            table = await work.table(body.table) if question.is_of_table else None
            headers = {} if table is None else table.headers_for()
            if isinstance(asked, BidQuestion) and asked.trial is None:
                # so short that it is answered with others, before all that waits for a thread
                assert table is not None
                found = await work.ask(table.bid, asked, free=table.if_free("bid"))
                content = _written(work, question, table, bid_answer(asked, found))
                return Response(content, 200, headers, media_type=JSON)
            budget_ms = getattr(body, "budget_ms", None)
            trial = asked.trial if isinstance(asked, BidQuestion) else None
            if trial is not None:
                # load layouts, which a service starts without
                from bidcascade.engine.questions.bidding.searched_bid import budget_of

                budget_ms = budget_of(trial)
            limit_s, turn = time_for(work, budget_ms), None
            if not question.in_part:
                # what is answered in part has its turns in the pool of solving processes
                size = [getattr(trial or body, name, None) for name in _SIZES]
                # what gets better from answer to answer has a first one behind its budget too
                wait_s = time_for(work, None) if question.refined else limit_s
                turn = work.turn(question.name, arrived, wait_s, *size)

            def answers(given_up: threading.Event) -> Iterator[tuple[Any, bytes]]:
                # it may have waited for its turn
                spent = monotonic() - arrived
                by = Resources(
                    solver=lambda: work.double_dummy,
                    engine=None if table is None else table.engine,
                    meanings=None if table is None else table.engine.bidder.meanings,
                    tries_double_dummy=work.settings.simulate_double_dummy,
                    time_limit_s=max(0.0, limit_s - spent),
                    patience_s=max(0.0, time_for(work, None) - spent),
                    waited_s=spent,
                    cancel=given_up,
                )
                found = answered(asked, by)
                for one in found if isinstance(found, Iterator) else (found,):
                    yield one, _written(work, question, table, one)

            if form == JSON:
                one, content = await run_waiting(work, request, _last_of(answers), turn)
                is_part = bool(question.in_part and one.missing)
                return Response(content, 202 if is_part else 200, headers, media_type=JSON)

            def lines(given_up: threading.Event) -> Iterator[bytes]:
                return (content + b"\n" for _, content in answers(given_up))

            # what is wrong with the question comes to light before the first answer, as a problem
            return PartsResponse(
                await with_first_part(iter_waiting(work, request, lines, turn)),
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
    if _one.answered is not None:
        _statuses = (*_STATUSES, 404) if _one.is_of_table else _STATUSES
        _lines = {"schema": {"type": "string", "description": _one.refined}}
        route(
            router,
            _one.name,
            *_statuses,
            content={JSON_LINES: _lines} if _one.refined else None,
            also={202: {"model": _one.answer, "description": _one.in_part}} if _one.in_part else {},
            description=_one.description,
        )(_route(_one))
