"""``POST /v1/tables/{name}/reload``: a table read anew from its files, beside the one in use."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from bidcascade.engine.questions.parts.answer_fields import answer_of
from bidcascade.engine.questions.parts.answer_parts import TableName
from bidcascade.engine.questions.service.tables import ReloadAnswer
from bidcascade.service.api.http.answering import answer_json
from bidcascade.service.api.http.authentication import AdminOnly
from bidcascade.service.api.http.limits import check_media_type
from bidcascade.service.api.http.openapi import route
from bidcascade.service.api.http.problems import Problem, check_query, complaint
from bidcascade.service.api.shared.work import AppState

router = APIRouter(tags=["service"])


@route(router, "tableReload", 401, 403, 404, 406, 409, 415, 422, 500, 503)
async def table_reload(
    request: Request,
    name: Annotated[str, Path(description="Name of a bidding table.", examples=["sayc"])],
    allowed: AdminOnly,
) -> Response:
    """Read a table's files again, try the new table out, and put it in the place of the old one.

    Requests at hand end with the old one. If anything is wrong the old one stays in use and
    `errors` says what, with file and line. For admins.
    """
    work: AppState = request.app.state.own
    check_query(request)
    # there is nothing to say in a body: a form of some page would say that it is one
    if "content-type" in request.headers:
        check_media_type(request)
    before = (await work.table(name)).digest
    # a thread of its own: neither the engine's queue nor the threads for answers wait for it
    loaded = await asyncio.to_thread(work.tables.reload, name)
    found = work.tables.get(name)
    if not loaded:
        raise Problem(
            "reload-failed",
            f"the table {name!r} stays as it was",
            [complaint("table", name, reason) for reason in found.reload_errors],
        )
    return answer_json(
        request,
        ReloadAnswer(
            changed=found.digest != before,
            table=answer_of(TableName, found.engine.table_info()),
        ),
    )
