"""``/healthz`` and ``/readyz``: is the process there, and does it answer right."""

from fastapi import APIRouter, Request, Response

from .answering import answer_json
from .openapi import problems
from .problems import Problem
from .schemas import HealthAnswer, ReadyAnswer
from .version import package_version
from .work import Workplace

router = APIRouter(tags=["service"])
_NO_STORE = {"Cache-Control": "no-store"}


@router.get(
    "/healthz",
    operation_id="health",
    summary="Is the process there",
    response_model=HealthAnswer,
    responses={200: {"description": "It is."}, **problems(406, 500)},
)
async def health(request: Request) -> Response:
    """Whether the process takes requests, also while it is still loading its tables."""
    answer = {"status": "ok", "version": package_version()}
    return answer_json(request, answer, headers=_NO_STORE)


@router.get(
    "/readyz",
    operation_id="ready",
    summary="Does the service answer, and right",
    response_model=ReadyAnswer,
    responses={
        200: {"description": "The tables are loaded and a small question got the known answer."},
        **problems(406, 500, 503),
    },
)
async def ready(request: Request) -> Response:
    """Whether the tables are loaded and the engine answers a small question as it must.

    Not ready while loading and while the service is being stopped.
    """
    tables = (work := _workplace(request)).tables
    if tables.state != "ready":
        tables.all()
    try:
        await work.run(tables.check, ahead=True)
    except Problem as problem:
        if problem.kind == "timeout":
            raise Problem("not-ready", "the engine did not answer in time") from None
        raise
    answer = {
        "status": "ready",
        "backend": tables.backend,
        "tables": tables.names(),
        "started_in_ms": tables.started_in_ms,
        "warm": tables.is_warm,
        "reload_errors": {
            table.name: list(table.reload_errors) for table in tables.all() if table.reload_errors
        },
    }
    return answer_json(request, answer, headers=_NO_STORE)


def _workplace(request: Request) -> Workplace:
    workplace: Workplace = request.app.state.workplace
    return workplace
