"""``/healthz``, ``/readyz``, ``/metrics``: is the process there, does it answer right, how much."""

from typing import cast

from fastapi import APIRouter, Request, Response

from bidcascade.engine.questions.parts.answer_parts import BackendName
from bidcascade.engine.questions.service.health import HealthAnswer, ReadyAnswer
from bidcascade.service.api.http.answering import accepted, answer_json
from bidcascade.service.api.http.metrics import MEDIA_TYPE
from bidcascade.service.api.http.openapi import problems, route
from bidcascade.service.api.http.problems import Problem
from bidcascade.service.api.shared.work import AppState
from bidcascade.version import package_version

router = APIRouter(tags=["service"])
_NO_STORE = {"Cache-Control": "no-store"}


@route(router, "health", 406, 500)
async def health(request: Request) -> Response:
    """Whether the process takes requests, also while it is still loading its tables."""
    answer = HealthAnswer(status="ok", version=package_version())
    return answer_json(request, answer, headers=_NO_STORE)


@route(router, "ready", 406, 500, 503)
async def ready(request: Request) -> Response:
    """Whether the tables are loaded and the engine answers a small question as it must.

    Not ready while loading and while the service is being stopped.
    """
    work: AppState = request.app.state.own
    tables = work.tables
    tables.check_ready()
    try:
        await work.run(tables.check, ahead=True)
    except Problem as problem:
        if problem.kind == "timeout":
            raise Problem("not-ready", "the engine did not answer in time") from None
        raise
    answer = ReadyAnswer(
        status="ready",
        backend=cast(BackendName, tables.backend),
        tables=tuple(tables.names()),
        started_in_ms=tables.started_in_ms,
        warm=tables.is_warm,
        warmed=tables.warmed,
        reload_errors={
            table.name: tuple(table.reload_errors)
            for table in tables.opened()
            if table.reload_errors
        },
    )
    return answer_json(request, answer, headers=_NO_STORE)


@router.get(
    "/metrics",
    operation_id="metrics",
    summary="Numbers for Prometheus",
    response_class=Response,
    responses={
        200: {
            "description": "Requests, deals, queue, batches, stages and tables.",
            "content": {"text/plain": {"schema": {"type": "string"}}},
        },
        **problems(406, 500),
    },
)
async def metrics(request: Request) -> Response:
    """Numbers of this service, all with the prefix `bidcascade_`."""
    accepted(request, ["text/plain"])
    work: AppState = request.app.state.own
    return Response(work.metrics.page(), media_type=MEDIA_TYPE, headers=_NO_STORE)
