"""``GET /metrics``: the numbers of the service for Prometheus."""

from fastapi import APIRouter, Request, Response

from bidcascade.service.answering import accepted
from bidcascade.service.observability.metrics import MEDIA_TYPE
from bidcascade.service.openapi import problems
from bidcascade.service.work import Workplace

router = APIRouter(tags=["service"])


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
    work: Workplace = request.app.state.workplace
    return Response(
        work.metrics.page(), media_type=MEDIA_TYPE, headers={"Cache-Control": "no-store"}
    )
