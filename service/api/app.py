"""The application: routes, headers, errors, and the tables that load while it already listens."""

import asyncio
import gc
import logging
import os
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from functools import partial

from fastapi import FastAPI
from fastapi_offline import FastAPIOffline
from starlette.middleware.cors import CORSMiddleware

from bidcascade.bridge import BidcascadeError
from bidcascade.engine.extras import imported
from bidcascade.engine.settings import Settings, unknown_variables
from bidcascade.systems.auctions.budget import set_places_budget

from .http.authentication import DOCS_PATH, Authentication, open_keys
from .http.middleware import ObservedApp
from .http.openapi import API_VERSION, DESCRIPTION, describe
from .http.problems import add_problem_handlers
from .http.same_site import SameSite
from .routes import (
    routes_archives,
    routes_auctions,
    routes_deals,
    routes_double_dummy,
    routes_foreign,
    routes_health,
    routes_jobs,
    routes_members,
    routes_page,
    routes_questions,
    routes_reload,
    routes_systems,
    routes_tables,
)
from .shared.collection import giving_back, settle
from .shared.warm_up import find_topics, warm_up_inference
from .shared.work import AppState

_logger = logging.getLogger("bidcascade.service")

_TAGS = [
    {"name": "answers", "description": "What a bidding table says about hands."},
    {"name": "tables", "description": "The bidding tables themselves."},
    {"name": "systems", "description": "Bidding systems as text, and matches of two."},
    {"name": "jobs", "description": "Archives that are answered in the background."},
    {"name": "archives", "description": "Boards that are kept to be asked."},
    {"name": "service", "description": "For those who run the service."},
]


def create_app(settings: Settings | None = None, *, warm_up: bool = True) -> FastAPI:
    """Make the application; its tables are loaded in a thread when it starts.

    Parameters
    ----------
    settings : Settings, optional
        Those of the environment if not given.
    warm_up : bool
        Whether the thread goes on to make first answers as quick as later ones, and to find what
        people practise.
    """
    settings = Settings() if settings is None else settings
    if "places_bytes" in settings.model_fields_set:
        # for the processes of jobs too
        set_places_budget(settings.places_bytes)
    # the page of the API brings its scripts along: it is there without a network too
    app = FastAPIOffline(
        title="bidcascade",
        version=API_VERSION,
        summary="Calls and auctions that a bridge bidding table allows",
        description=DESCRIPTION,
        openapi_tags=_TAGS,
        lifespan=partial(_lifespan, warm_up=warm_up),
        # made in routes_page, with a policy of what it may do
        docs_url=None,
        redoc_url=None,
        static_url=f"{DOCS_PATH}/static",
        # FastAPI looks for somebody who traces at every request otherwise
        telemetry=dict.fromkeys(
            ("tracing", "metrics", "logs"), any("OTEL_" in name for name in os.environ)
        ),
        # a redirect would be made from the Host header, which anyone may set
        redirect_slashes=False,
    )
    app.openapi = partial(describe, app)  # type: ignore[method-assign]
    app.state.own = AppState(settings)
    add_problem_handlers(app)
    for routes in (
        routes_auctions,
        routes_questions,
        routes_tables,
        routes_health,
        routes_reload,
        routes_double_dummy,
        routes_deals,
        routes_members,
        routes_systems,
        routes_page,
        routes_jobs,
        routes_archives,
        routes_foreign,
    ):
        # as routes of its own, which are found in half the time that an included router takes
        app.router.routes += routes.router.routes
    if settings.mcp:
        (module,) = imported("mcp", "bidcascade.service.api.assistants")
        assistants = module.Assistants(app)
        app.state.assistants = assistants
        app.router.routes.append(assistants.route)
    app.add_middleware(Authentication, keys=open_keys(settings))
    if settings.cors_origins:
        # around the keys: a browser asks whether it may send one (OPTIONS) without having sent it,
        # and shows its page a 401 only with these headers
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.cors_origins),
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "X-Request-Id"],
            expose_headers=[
                "X-Request-Id",
                "ETag",
                "Bidcascade-Table-Digest",
                "Bidcascade-Backend",
                "Location",
                "Retry-After",
            ],
        )
    app.add_middleware(SameSite, settings=settings)
    app.add_middleware(
        ObservedApp,
        metrics=app.state.own.metrics,
        log_requests=settings.access_log,
        slow_request_ms=settings.slow_request_ms,
    )
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI, *, warm_up: bool) -> AsyncIterator[None]:
    app_state: AppState = app.state.own
    tables = app_state.tables
    for name in unknown_variables():
        _logger.warning("environment variable %s is no setting", name)

    stopped = threading.Event()

    def load() -> None:
        try:
            tables.load(settle)
            if warm_up:
                tables.warm_up(lambda: warm_up_inference(tables, app_state.double_dummy))
        except BidcascadeError as error:
            _logger.error("%s", error)
            app_state.on_death(error)
        else:
            # requests come already: nothing is looked through, only left alone from now on
            gc.freeze()
            if warm_up and app_state.settings.find_topics and tables.is_warm:
                find_topics(tables, stopped)

    # a thread of its own: the service answers /healthz meanwhile. The interpreter waits for it, as
    # what the core works with must not go while it is there
    thread = threading.Thread(target=load, name="load-tables")
    with giving_back(tables.forget_learned):
        thread.start()
        try:
            async with app.state.assistants.running() if app_state.settings.mcp else nullcontext():
                yield
        finally:
            tables.state = "stopping"
            stopped.set()
            # first, as it may ask for what is closed then; it ends with what it has in hand
            await asyncio.to_thread(thread.join)
            await asyncio.to_thread(tables.finish_openings)
            await app_state.close()
