"""One body for every error: ``application/problem+json`` after RFC 9457, with the fields at fault.

A problem names its kind (``type``), the request (``instance``, ``request_id``) and, where the
request is at fault, each field with its value and the reason (``errors``).
"""

import json
import logging
import math
import secrets
import string
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple, TypedDict, TypeVar

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from bidcascade.bridge import (
    BackendUnavailable,
    BidcascadeError,
    Cancelled,
    DeviceFault,
    DoubleDummyFailed,
    LimitExceeded,
    NoSuchDeal,
    NoSystem,
    OutOfDeviceMemory,
    TimedOut,
    UnknownAuction,
    UnknownTable,
)
from bidcascade.engine.archive.catalogue import ArchiveBusy, UnknownArchive
from bidcascade.engine.questions.parts.fields import MOST_ERRORS, InvalidFields
from bidcascade.engine.questions.parts.texts import MOST_LAYOUTS
from bidcascade.systems.language.errors import nearest

_logger = logging.getLogger("bidcascade.service")

_Value = TypeVar("_Value")
_Result = TypeVar("_Result")

MEDIA_TYPE: Final = "application/problem+json"
TYPE_PREFIX: Final = "urn:bidcascade:problem:"
LONGEST_VALUE: Final = 200
"""Characters of an offending value that are repeated in an answer."""
LONGEST_REASON: Final = 400
"""Characters of a reason or detail; reasons quote the value, which may be of any length."""
LONGEST_REQUEST_ID: Final = 128

SECURITY_HEADERS: Final[dict[str, str]] = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Sent with every answer."""

_METHODS: Final = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")
_ID_CHARACTERS: Final = frozenset(string.ascii_letters + string.digits + "-_.:+/=")


class ProblemKind(NamedTuple):
    """A kind of problem: its status and what it is in a few words."""

    status: int
    title: str


KINDS: Final[dict[str, ProblemKind]] = {
    "malformed-json": ProblemKind(400, "The body is not JSON"),
    "bad-request": ProblemKind(400, "The request cannot be read"),
    "unauthorized": ProblemKind(401, "A key is needed"),
    "forbidden": ProblemKind(403, "The key does not allow this"),
    "cross-site": ProblemKind(403, "A page of another site may not ask for this"),
    "not-found": ProblemKind(404, "There is nothing at this path"),
    "unknown-table": ProblemKind(404, "There is no bidding table of this name"),
    "unknown-auction": ProblemKind(404, "The bidding table does not have this auction"),
    "unknown-job": ProblemKind(404, "There is no job of this id"),
    "unknown-result": ProblemKind(404, "The job has no file of this name"),
    "unknown-archive": ProblemKind(404, "There is no archive of this name"),
    "no-system": ProblemKind(404, "The bidding table is not that of a system"),
    "method-not-allowed": ProblemKind(405, "This path does not take the method"),
    "not-acceptable": ProblemKind(406, "The answer cannot be given in an accepted form"),
    "body-too-slow": ProblemKind(408, "The body did not come in time"),
    "head-too-slow": ProblemKind(408, "The head of the request did not come in time"),
    "body-too-large": ProblemKind(413, "The body is too long"),
    "too-many-deals": ProblemKind(413, "The request has too many deals"),
    "limit-exceeded": ProblemKind(413, "The request asks for more than a limit"),
    "unsupported-media-type": ProblemKind(415, "The body is not of a type that is read here"),
    "wrong-host": ProblemKind(421, "The service does not go by this name"),
    "head-too-large": ProblemKind(431, "The head of the request is too long"),
    "reload-failed": ProblemKind(409, "The table cannot be loaded anew; the one in use stays"),
    "files-changed": ProblemKind(
        409, "The table's files are no longer those that it was loaded from"
    ),
    "archive-busy": ProblemKind(409, "The archive is being written to"),
    "no-such-deal": ProblemKind(422, "No deal meets what is known of it and asked of it"),
    "invalid-request": ProblemKind(422, "Something in the request is wrong"),
    "overloaded": ProblemKind(429, "Too many requests are being worked on"),
    "too-many-jobs": ProblemKind(429, "Too many jobs wait"),
    "internal-error": ProblemKind(500, "The service failed"),
    "not-ready": ProblemKind(503, "The service is not ready"),
    "backend-unavailable": ProblemKind(503, "The engine cannot run"),
    "device-fault": ProblemKind(503, "The device failed"),
    "out-of-device-memory": ProblemKind(503, "The device has too little free memory"),
    "double-dummy-failed": ProblemKind(503, "Deals could not be solved double dummy"),
    "jobs-unavailable": ProblemKind(503, "The folder of the jobs cannot be used"),
    "timeout": ProblemKind(504, "The answer took too long"),
    "no-room": ProblemKind(507, "There is no room for the job"),
}
"""Every kind of problem by name; the name ends its ``type``."""


class FieldError(TypedDict):
    """One field at fault: where it stands, what it holds (shortened), and why that is wrong."""

    field: str
    value: Any
    reason: str


class Problem(Exception):
    """An error that ends a request with a problem answer.

    Parameters
    ----------
    kind : str
        A name of :data:`KINDS`.
    detail : str
        What went wrong this time.
    errors : sequence of FieldError
    headers : mapping of str to str
        Further headers of the answer.
    """

    def __init__(
        self,
        kind: str,
        detail: str,
        errors: Iterable[FieldError] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.kind = kind
        self.status, self.title = KINDS[kind]
        self.detail = detail
        self.errors = list(errors)
        self.headers = dict(headers or {})

    def body(self, instance: str, request_id: str) -> dict[str, Any]:
        """Object of the answer."""
        body: dict[str, Any] = {
            "type": f"{TYPE_PREFIX}{self.kind}",
            "title": self.title,
            "status": self.status,
            "detail": shortened(self.detail, LONGEST_REASON),
            "instance": shortened(instance),
            "request_id": request_id,
            "errors": self.errors[:MOST_ERRORS],
        }
        if len(self.errors) > MOST_ERRORS:
            body["detail"] += f" (and {len(self.errors) - MOST_ERRORS} more)"
        return body


def request_id_of(request: Request) -> str:
    """Id of a request: the header ``X-Request-Id`` where it is a plain word, else a new one."""
    known = request.scope.get("bidcascade.request_id")
    if isinstance(known, str):
        return known
    given = request.headers.get("x-request-id", "")
    plain = 0 < len(given) <= LONGEST_REQUEST_ID and _ID_CHARACTERS.issuperset(given)
    request_id = given if plain else secrets.token_hex(8)
    request.scope["bidcascade.request_id"] = request_id
    return request_id


def shown(value: object) -> Any:
    """Value as it is repeated in an answer: short, and always JSON.

    Examples
    --------
    >>> shown(float("nan")), shown("x" * 300)[-3:], shown([1, 2])
    ('NaN', 'xx…', '[1, 2]')
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if value.bit_length() <= 53 else shortened(hex(value))
    if isinstance(value, float):
        return value if math.isfinite(value) else json.dumps(value)
    if isinstance(value, str):
        # a lone surrogate cannot be written as UTF-8
        return shortened(value[: LONGEST_VALUE + 1].encode("utf-8", "replace").decode())
    if isinstance(value, list | tuple):
        value = list(value[: LONGEST_VALUE // 2])
    elif isinstance(value, dict):
        value = dict(list(value.items())[: LONGEST_VALUE // 4])
    return shortened(json.dumps(value, ensure_ascii=False, default=repr))


def shortened(text: str, longest: int = LONGEST_VALUE) -> str:
    """Cut a text at so many characters, the last of which then is ``…``.

    Examples
    --------
    >>> shortened("abcdef", 3)
    'ab…'
    """
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def complaint(field: str, value: object, reason: str) -> FieldError:
    """Make the error of one field; value and reason are shortened.

    Examples
    --------
    >>> complaint("limit", -1, "expected a number from 1")
    {'field': 'limit', 'value': -1, 'reason': 'expected a number from 1'}
    """
    return {
        "field": shortened(field),
        "value": shown(value),
        "reason": shortened(reason, LONGEST_REASON),
    }


def field_path(location: Iterable[str | int]) -> str:
    """Where a field stands in a request."""
    path = ""
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += f".{part}" if path else part
    return path or "body"


_REASONS: Final[dict[str, str]] = {
    "int_type": "expected a whole number",
    "int_parsing": "expected a whole number",
    "int_parsing_size": "expected a smaller number",
    "int_from_float": "expected a whole number",
    "string_type": "expected text",
    "bool_type": "expected true or false",
    "bool_parsing": "expected true or false",
    "list_type": "expected a list",
    "missing": "expected this field",
    "extra_forbidden": "expected no field of this name",
    "model_type": "expected an object",
    "model_attributes_type": "expected an object",
    "dict_type": "expected an object",
    "string_pattern_mismatch": "expected text that fits the pattern {pattern}",
    "literal_error": "expected {expected}",
    "enum": "expected {expected}",
    "greater_than_equal": "expected a number from {ge}",
    "less_than_equal": "expected a number up to {le}",
    # of a question, which is a dataclass
    "dataclass_type": "expected an object",
    "unexpected_keyword_argument": "expected no field of this name",
    "tuple_type": "expected a list",
    "too_short": "expected at least {min_length} items, got {actual_length}",
    "too_long": "expected at most {max_length} items, got {actual_length}",
    "string_too_long": "expected at most {max_length} characters",
    "string_too_short": "expected at least {min_length} characters",
}


_EITHER: Final[dict[str, str]] = {
    "search": f"true, false, a number from 1 to {MOST_LAYOUTS:,} or an object",
    "simulate": f"true, false, a number from 1 to {MOST_LAYOUTS:,} or an object",
    "entries": "a number from 0 or an auction as text",
}
"""Fields that take values of several types, or lists of such, and what they take.

pydantic tries each type, names it in the location, and has a finding for each.
"""
MOST_TYPES: Final = 3
"""Findings for one value of such a field at least, before they are put together."""


def field_errors(found: Iterable[Mapping[str, Any]]) -> list[FieldError]:
    """Say findings of pydantic's about one request, each with its ``loc``, one for each value."""
    places: dict[tuple[str | int, ...], list[Mapping[str, Any]]] = {}
    for error in found:
        location = error["loc"]
        if location and location[0] in _EITHER:
            # the name of the type stands behind the field and its number in the list
            end = 2 if len(location) > 1 and isinstance(location[1], int) else 1
            if len(location) > end:
                places.setdefault(location[:end], []).append(error)
                continue
        places[location] = [error]
    return [
        one
        for location, errors in places.items()
        for one in (
            _errors_of_value(location, errors)
            if errors[0]["loc"] != location
            else [field_error(errors[0], location)]
        )
    ]


def _errors_of_value(
    location: tuple[str | int, ...], errors: list[Mapping[str, Any]]
) -> list[FieldError]:
    """Say what is wrong with a value of a field of several types: only what its own type says."""
    end = len(location)
    inside = [one for one in errors if len(one["loc"]) > end + 1]
    if inside:
        return [field_error(one, location + one["loc"][end + 1 :]) for one in inside]
    long = next((one for one in errors if one["type"] == "string_too_long"), None)
    if long is not None:
        return [field_error(long, location)]
    value = errors[0]["input"]
    got = shown(value) if isinstance(value, list | dict) else json.dumps(shown(value))
    reason = f"expected {_EITHER[str(location[0])]}, got {got}"
    return [complaint(field_path(location), value, reason)]


def field_error(error: Mapping[str, Any], location: tuple[str | int, ...]) -> FieldError:
    """Say a finding of pydantic's in the words of this service."""
    context = {
        name: f"{value:g}" if isinstance(value, float) else value
        for name, value in error.get("ctx", {}).items()
    }
    reason = _REASONS.get(error["type"])
    if location[-1:] == ("[key]",):
        # the name that is at fault is the value then; those of pages alone are to fit something
        location = location[:-2]
        if error["type"] == "string_pattern_mismatch":
            reason = "expected a file name without folders that ends in .bidding"
    if reason is None or ("{" in reason and not context):
        # of very many errors the contexts are left out
        reason = error["msg"]
    else:
        reason = reason.format_map(context)
    reason += error.get("hint", "")
    missing = error["type"] == "missing"
    return complaint(field_path(location), None if missing else error["input"], reason)


def invalid_request(errors: list[FieldError]) -> Problem:
    """Problem of a request with fields at fault."""
    first = errors[0]
    return Problem("invalid-request", f"{first['field']}: {first['reason']}", errors)


_KIND_OF_ERROR: Final[dict[type[BidcascadeError], str]] = {
    UnknownArchive: "unknown-archive", ArchiveBusy: "archive-busy",
    UnknownTable: "unknown-table", UnknownAuction: "unknown-auction", NoSystem: "no-system",
    LimitExceeded: "limit-exceeded",
    BackendUnavailable: "backend-unavailable", DeviceFault: "device-fault",
    OutOfDeviceMemory: "out-of-device-memory", DoubleDummyFailed: "double-dummy-failed",
    NoSuchDeal: "no-such-deal", TimedOut: "timeout", Cancelled: "timeout",
}  # fmt: skip
"""The first that an error is of; any other error is that of an invalid request."""


def problem_of(
    error: BidcascadeError, *, field: str = "", value: object = None, reason: str | None = None
) -> Problem:
    """Problem for an error of the packages below; ``field`` and ``value`` say where it was.

    Without them, and without a ``reason``, they are what the error itself says.
    """
    if isinstance(error, InvalidFields):
        return invalid_request([complaint(one.field, one.value, str(one)) for one in error.errors])
    reason = str(error) if reason is None else reason
    if not field:
        field, value = error.field, error.value
    kinds = (kind for of, kind in _KIND_OF_ERROR.items() if isinstance(error, of))
    kind = next(kinds, "invalid-request")
    if not field:
        return Problem(kind, reason)
    return Problem(kind, f"{field}: {reason}", [complaint(field, value, reason)])


def field_problem(field: str, value: object, reason: str) -> Problem:
    """Problem of a request with one field at fault."""
    return invalid_request([complaint(field, value, reason)])


def check_query(request: Request, *known: str) -> None:
    """Refuse parameters that a route does not know.

    Raises
    ------
    Problem
        422 that names the first.
    """
    for name, value in request.query_params.items():
        if name not in known:
            many = "s" if len(known) > 1 else ""
            allowed = f"only the parameter{many} {', '.join(known)}" if known else "no parameters"
            raise field_problem(name, value, f"expected {allowed}")


def answer_problem(request: Request, problem: Problem, **more: str) -> Response:
    """Answer a request with a problem, and ``more`` fields."""
    request_id = request_id_of(request)
    return problem_response(problem, request.url.path, request_id, **more)


def problem_response(problem: Problem, instance: str, request_id: str, **more: str) -> Response:
    """Answer of a problem; see :meth:`Problem.body`."""
    body = problem.body(instance, request_id) | more
    return Response(
        json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"),
        status_code=problem.status,
        media_type=MEDIA_TYPE,
        headers={
            **SECURITY_HEADERS,
            "Cache-Control": "no-store",
            "X-Request-Id": request_id,
            **problem.headers,
        },
    )


_BY_STATUS: Final[dict[int, str]] = {
    400: "bad-request", 404: "not-found", 405: "method-not-allowed", 406: "not-acceptable",
    413: "body-too-large", 415: "unsupported-media-type", 422: "invalid-request",
    429: "overloaded", 503: "not-ready", 504: "timeout",
}  # fmt: skip


async def _on_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)
    return answer_problem(request, error)


async def _on_our_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, BidcascadeError)
    return answer_problem(request, problem_of(error))


async def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    kind = _BY_STATUS.get(error.status_code, "internal-error")
    headers = error.headers
    if kind == "not-found":
        path = shortened(request.url.path)
        there = (str(getattr(route, "path", "")) for route in request.app.router.routes)
        near = nearest(path, (one for one in there if "{" not in one))
        hint = f"; did you mean {near}?" if near and near != path else ""
        detail = f"expected a path of this API (see /docs), got {path!r}{hint}"
    elif kind == "method-not-allowed":
        # the error names the methods of one route, and a path may have several
        headers = {"Allow": ", ".join(_allowed_methods(request))}
        detail = f"expected {headers['Allow']}, got {shortened(request.method)}"
    else:
        detail = str(error.detail)
    return answer_problem(request, Problem(kind, detail, headers=headers))


def _allowed_methods(request: Request) -> list[str]:
    """Methods that some route takes at the path of a request."""
    return [
        method
        for method in _METHODS
        if any(
            route.matches({**request.scope, "method": method})[0] is Match.FULL
            for route in request.app.router.routes
        )
    ]


async def _on_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    # the first part says where the field was: query, path or header
    found = ({**one, "loc": one["loc"][1:] or one["loc"]} for one in error.errors())
    return answer_problem(request, invalid_request(field_errors(found)))


async def _on_bug(request: Request, error: Exception) -> Response:
    request_id = request_id_of(request)
    # the server above logs the traceback; this line ties it to the request
    _logger.error("request %s failed: %s", request_id, type(error).__name__)
    return answer_problem(
        request,
        Problem("internal-error", f"unexpected failure, logged under request id {request_id}"),
    )


def add_problem_handlers(app: FastAPI) -> None:
    """Make an application answer every error with a problem, unexpected ones included."""
    app.add_exception_handler(Problem, _on_problem)
    app.add_exception_handler(BidcascadeError, _on_our_error)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(Exception, _on_bug)
