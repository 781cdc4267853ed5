"""The application: routes, headers, errors, and the tables that load while it already listens."""

import gc
import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter
from typing import Any

from fastapi import FastAPI
from starlette.datastructures import MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bidcascade.bridge import BidcascadeError

from . import routes_auctions, routes_bid, routes_health, routes_tables
from .openapi import API_VERSION, DESCRIPTION, describe
from .problems import SECURITY_HEADERS, add_problem_handlers, request_id_of
from .settings import Settings, unknown_variables
from .work import Workplace

_logger = logging.getLogger("bidcascade.service")
_access = logging.getLogger("bidcascade.access")

_TAGS = [
    {"name": "answers", "description": "What a bidding table says about hands."},
    {"name": "tables", "description": "The bidding tables themselves."},
    {"name": "service", "description": "For those who run the service."},
]


def create_app(settings: Settings | None = None) -> FastAPI:
    """Make the application; its tables are loaded in a thread when it starts.

    Parameters
    ----------
    settings : Settings, optional
        Those of the environment if not given.

    Examples
    --------
    >>> app = create_app(Settings(table="sayc"))
    >>> app.state.workplace.tables.state
    'loading'
    """
    settings = Settings() if settings is None else settings
    app = _Application(
        title="bidcascade",
        version=API_VERSION,
        summary="Calls and auctions that a bridge bidding table allows",
        description=DESCRIPTION,
        openapi_tags=_TAGS,
        lifespan=_lifespan,
        redoc_url=None,
        # a redirect would be made from the Host header, which anyone may set
        redirect_slashes=False,
    )
    app.state.workplace = Workplace(settings)
    add_problem_handlers(app)
    for routes in (routes_auctions, routes_bid, routes_tables, routes_health):
        app.include_router(routes.router)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.cors_origins),
            allow_methods=["GET", "POST"],
            allow_headers=["Content-Type", "X-Request-Id"],
            expose_headers=["X-Request-Id", "ETag", "Bidcascade-Table-Digest"],
        )
    app.add_middleware(HeadersMiddleware, log_requests=settings.access_log)
    return app


class _Application(FastAPI):
    """FastAPI with our own description."""

    def openapi(self) -> dict[str, Any]:
        return describe(self)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    tables = app.state.workplace.tables
    for name in unknown_variables():
        _logger.warning("environment variable %s is no setting", name)

    def load() -> None:
        try:
            tables.load()
        except BidcascadeError as error:
            _logger.error("%s", error)
            on_failure = getattr(app.state, "on_failure", None)
            if on_failure is not None:
                on_failure(error)
        else:
            # what is loaded now stays: the collector need not look at it again and again
            gc.collect()
            gc.freeze()

    # a thread of its own: the service answers /healthz meanwhile
    thread = threading.Thread(target=load, name="load-tables", daemon=True)
    thread.start()
    try:
        yield
    finally:
        tables.state = "stopping"


class HeadersMiddleware:
    """Puts request id, security headers and the time taken on every answer.

    Parameters
    ----------
    app : ASGI application
    log_requests : bool
        Whether each request gets a line in the log.
    """

    def __init__(self, app: ASGIApp, *, log_requests: bool = False) -> None:
        self._app = app
        self._log_requests = log_requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = perf_counter()
        request_id = request_id_of(Request(scope))
        status = 500

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("X-Request-Id", request_id)
                spent = 1000 * (perf_counter() - started)
                headers["Server-Timing"] = f"total;dur={spent:.2f}"
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        finally:
            if self._log_requests:
                _access.info(
                    "%s %s %d %.1f ms %s",
                    scope["method"], scope["path"], status,
                    1000 * (perf_counter() - started), request_id,
                )  # fmt: skip
