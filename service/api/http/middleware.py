"""What every answer gets: request id, security headers, the time taken; and what is noted of it."""

import asyncio
import logging
from collections.abc import Iterable
from time import perf_counter
from typing import Any, Final

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .logs import FIELDS
from .metrics import OTHER_ROUTE, Metrics
from .problems import SECURITY_HEADERS, Problem, answer_problem, request_id_of
from .stages import Stages, request_stages

_access = logging.getLogger("bidcascade.access")
_slow = logging.getLogger("bidcascade.slow")
_Header = tuple[bytes, bytes]
_SECURITY_HEADERS: Final[tuple[_Header, ...]] = tuple(
    (name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS.items()
)
_CLOSE = {"Connection": "close"}


def _with_headers(headers: Iterable[_Header], request_id: str, timing: str) -> list[_Header]:
    """Headers of an answer and those that every answer has; what a route says itself stays."""
    written = list(headers)
    there = {name for name, _ in written}
    for header in (*_SECURITY_HEADERS, (b"x-request-id", request_id.encode("latin-1"))):
        if header[0] not in there:
            written.append(header)
    written.append((b"server-timing", timing.encode("latin-1")))
    return written


class ObservedApp:
    """Puts headers on every answer, and notes it in metrics and logs.

    Parameters
    ----------
    app : ASGI application
    metrics : Metrics
    log_requests : bool
        Whether each request gets a line in the log.
    slow_request_ms : int
        Requests that take longer get a warning in the log; 0 for none.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        metrics: Metrics,
        log_requests: bool = False,
        slow_request_ms: int = 0,
    ) -> None:
        self._app = app
        self._metrics = metrics
        self._log_requests = log_requests
        self._slow_s = slow_request_ms / 1000

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = perf_counter()
        request_id = request_id_of(Request(scope))
        status, answered = 500, False

        with request_stages(request_id) as stages:

            async def send_with_headers(message: Message) -> None:
                nonlocal status, answered
                if message["type"] == "http.response.start":
                    status, answered = message["status"], True
                    timing = stages.header(perf_counter() - started)
                    message["headers"] = _with_headers(message["headers"], request_id, timing)
                await send(message)

            try:
                with self._metrics.running.track_inprogress():
                    await self._app(scope, receive, send_with_headers)
            except asyncio.CancelledError:
                # the server ends, and has waited for this answer as long as it may
                if not answered:
                    problem = Problem("not-ready", "the service ends", headers=_CLOSE)
                    answer = answer_problem(Request(scope), problem)
                    await answer(scope, receive, send_with_headers)
                raise
            finally:
                self._note(scope, status, perf_counter() - started, stages)

    def _note(self, scope: Scope, status: int, seconds: float, stages: Stages) -> None:
        route = getattr(scope.get("route"), "path", OTHER_ROUTE)
        self._metrics.saw_request(route, status, seconds, stages.seconds)
        if self._log_requests:
            self._log(_access, logging.INFO, scope, status, seconds, stages)
        if self._slow_s and seconds > self._slow_s:
            self._log(_slow, logging.WARNING, scope, status, seconds, stages)

    def _log(
        self,
        logger: logging.Logger,
        level: int,
        scope: Scope,
        status: int,
        seconds: float,
        stages: Stages,
    ) -> None:
        fields: dict[str, Any] = {
            "method": scope["method"],
            "path": scope["path"],
            "status": status,
            "ms": round(1000 * seconds, 2),
            **{f"{name}_ms": round(1000 * spent, 2) for name, spent in stages.seconds.items()},
        }
        logger.log(
            level,
            "%s %s %d %.1f ms %s (%s)",
            scope["method"],
            scope["path"],
            status,
            1000 * seconds,
            stages.request_id,
            stages.header(seconds),
            extra={FIELDS: fields},
        )
