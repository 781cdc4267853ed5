"""The API's own description: what routes add to it, and the document as a whole.

Bodies are read straight from bytes (see :mod:`.limits`), so the document is told of them here.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import TypeAdapter
from starlette.types import Receive, Scope, Send

from bidcascade.engine.questions.registry import QUESTIONS
from bidcascade.engine.questions.service.health import ProblemAnswer

from .authentication import OPEN_PATHS
from .problems import KINDS, MEDIA_TYPE

API_VERSION: Final = "1.0"
"""Version of the API; the first part changes when an answer loses or changes something."""

DESCRIPTION: Final = """\
Which calls and auctions does a bridge bidding table allow for these hands?

Calls are written `P X XX 1C … 7N`, hands `S.H.D.C` with `T` for the ten. Every answer names its
table by name and digest, and the engine. Every error is `application/problem+json` (RFC 9457);
`errors` names the fields at fault. `X-Request-Id` is echoed, or made if there is none.
"""

_Function = TypeVar("_Function", bound=Callable[..., Any])
_REFERENCE: Final = "#/components/schemas/{model}"
_not_from_routes: list[type] = [ProblemAnswer]
"""Models that FastAPI does not see: bodies are named here by :func:`body_of`."""


class BareRoute(APIRoute):
    """A route whose function takes the request alone and makes the whole answer.

    FastAPI describes it; what it does for other functions costs as much as a short answer.
    """

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with what the function of the route makes."""
        if self.methods and scope["method"] not in self.methods:
            await super().handle(scope, receive, send)
            return
        response: Response = await self.endpoint(Request(scope, receive, send))
        await response(scope, receive, send)


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Answers with problems, for the ``responses`` of a route.

    Examples
    --------
    >>> list(problems(404)[404]["content"])
    ['application/problem+json']
    """
    schema = {"$ref": _REFERENCE.format(model=ProblemAnswer.__name__)}
    return {
        status: {
            "description": "; ".join(
                kind.title for kind in KINDS.values() if kind.status == status
            ),
            "content": {MEDIA_TYPE: {"schema": schema}},
        }
        for status in statuses
    }


def body_of(model: type) -> dict[str, Any]:
    """Body of a route that reads it itself, for its ``openapi_extra``."""
    if model not in _not_from_routes:
        _not_from_routes.append(model)
    schema = {"$ref": _REFERENCE.format(model=model.__name__)}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def route(
    router: APIRouter,
    name: str,
    *statuses: int,
    content: Mapping[str, Any] | None = None,
    also: Mapping[int | str, Any] = MappingProxyType({}),
    **more: Any,
) -> Callable[[_Function], _Function]:
    """Make a function the route of a question, which the question's row describes.

    Parameters
    ----------
    router : APIRouter
    name : str
        Of the question in ``engine/questions/registry.py``.
    *statuses : int
        Of the problems that it may answer with.
    content : mapping, optional
        Forms of the answer beside JSON, by media type.
    also : mapping, optional
        Answers with other statuses.
    **more
        As ``APIRouter.add_api_route`` takes it.
    """
    row = QUESTIONS[name]
    whole: dict[str, Any] = {"description": row.says}
    if content is not None:
        whole["content"] = content
    if row.method == "post" and row.request is not None:
        more.setdefault("openapi_extra", body_of(row.request))
    status = more.get("status_code", 200)

    def add(function: _Function) -> _Function:
        router.add_api_route(
            row.path,
            function,
            methods=[row.method.upper()],
            operation_id=row.name,
            summary=row.summary,
            response_model=row.served,
            responses={status: whole, **also, **problems(*sorted(statuses))},
            **more,
        )
        return function

    return add


def describe(app: FastAPI) -> dict[str, Any]:
    """OpenAPI document of an application; made once."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title,
            version=app.version,
            summary=app.summary,
            description=app.description,
            routes=app.routes,
            tags=app.openapi_tags,
        )
        _, definitions = TypeAdapter.json_schemas(
            [(model, "validation", TypeAdapter(model)) for model in _not_from_routes],
            ref_template=_REFERENCE,
        )
        schemas = document.setdefault("components", {}).setdefault("schemas", {})
        schemas.update(definitions["$defs"])
        document["components"]["schemas"] = dict(sorted(schemas.items()))
        _add_refusals(document)
        app.openapi_schema = document
    return app.openapi_schema


def _add_refusals(document: dict[str, Any]) -> None:
    """Say how requests are refused before they reach an operation, and which need a key."""
    document["components"]["securitySchemes"] = {
        "key": {
            "type": "http",
            "scheme": "bearer",
            "description": "A key made by `bidcascade api-key`; needed where the service was "
            "started with the setting `api_keys_file`.",
        }
    }
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            statuses = [421]
            if method != "get":
                statuses.append(403)
            if path not in OPEN_PATHS:
                statuses.append(401)
                operation["security"] = [{"key": []}, {}]
            refusals = {str(status): answer for status, answer in problems(*statuses).items()}
            operation["responses"] = dict(sorted({**operation["responses"], **refusals}.items()))
