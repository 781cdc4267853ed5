"""``GET /``, ``GET /static/…`` and ``GET /docs``: pages that ask the API from the browser."""

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, Final

from fastapi import APIRouter, Request, Response
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse

from bidcascade.bridge import InvalidSystem, NoSystem
from bidcascade.engine.browser_system import browser_system, texts_of, topics_answer
from bidcascade.engine.questions.parts.answer_fields import plain
from bidcascade.inference.double_dummy.solved_deals import solved_beginning
from bidcascade.page.content_policy import CONTENT_SECURITY_POLICY, NOT_FRAMED, OWN_FILES
from bidcascade.page.joined_files import joined_files
from bidcascade.page.page_folder import FOLDER, page_files, zipped
from bidcascade.page.static_files import PAGE, StaticFile, static_files
from bidcascade.page.theme_deals import theme_deals
from bidcascade.service.api.http.answering import PartsResponse, answer_file, with_first_part
from bidcascade.service.api.http.authentication import DOCS_PATH
from bidcascade.service.api.http.limits import client_of
from bidcascade.service.api.http.problems import Problem, check_query
from bidcascade.service.api.shared.loaded_table import LoadedTable
from bidcascade.service.api.shared.waiting import iter_waiting
from bidcascade.service.api.shared.work import AppState
from bidcascade.systems.any_bidder import bidder_of
from bidcascade.systems.system import System

router = APIRouter(include_in_schema=False)

_METHODS: Final = ["GET", "HEAD"]
_POLL_S: Final = 0.05
_MOST_SOLVED: Final = 5_000
"""Solved deals that come with the folder, ten bytes each."""


@router.api_route("/", methods=_METHODS)
async def page(request: Request) -> Response:
    """Answer with the page: its modules in one script, with ``?modules`` one by one."""
    files = static_files() if "modules" in request.query_params else joined_files()
    return _answer(request, files[PAGE])


@router.api_route("/static/{name:path}", methods=_METHODS)
async def static(request: Request, name: str) -> Response:
    """Answer with a file of the page.

    Raises
    ------
    Problem
        404 if there is none of this name.
    """
    file = static_files().get(name) or joined_files().get(name)
    if file is None or name == PAGE:
        raise Problem("not-found", f"expected a file of the page, got {name!r}")
    return _answer(request, file)


@router.get("/page.zip")
async def page_folder(request: Request) -> Response:
    """Answer with the page as a folder that bids without a service, with all systems of this one.

    It is what ``bidcascade page`` writes; solved deals come along as far as this machine has them.
    Each file is sent when it is made. What goes wrong behind the first one breaks the connection
    off, so that no client takes a part for the whole.
    """
    work: AppState = request.app.state.own
    check_query(request)
    with ExitStack() as stack:
        stack.enter_context(work.slots.taken(client_of(request)))
        if not work.tables.awaits_systems:
            await work.all_tables()
            _plain_tables(work)

        def parts(given_up: threading.Event) -> Iterator[bytes]:
            solved = solved_beginning(_MOST_SOLVED, work.solved_tables)
            return zipped(page_files(_systems(work, given_up), solved, theme_deals))

        # of systems that nobody has practised yet the topics are found first: no limit of time
        return PartsResponse(
            await with_first_part(iter_waiting(work, request, parts)),
            media_type="application/zip",
            headers={"Content-Disposition": f'attachment; filename="{FOLDER}.zip"'},
            timeout_s=work.timeout_s,
            release=stack.pop_all().close,
        )


def _plain_tables(work: AppState) -> list[LoadedTable]:
    """Tables that are systems, each as its files stand."""
    found = []
    for table in work.tables.all():
        try:
            system = table.engine.bidder.plain_system
        except NoSystem:
            continue
        try:
            texts_of(system)
        except InvalidSystem as error:
            raise Problem("files-changed", str(error)) from error
        found.append(table)
    if not found:
        raise Problem("no-system", "expected a system without overlays, got a service of tables")
    return found


def _systems(work: AppState, given_up: threading.Event) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what a folder says of each system, and of those that they name as opponents."""
    while work.tables.state == "loading" and not given_up.wait(_POLL_S):
        continue
    found: set[str] = set()
    others: dict[str, System] = {}
    for table in _plain_tables(work):
        described = json.loads(work.tables.system_file(table).content)
        # what the service says of itself is none of the folder's
        del described["table"]
        described |= plain(topics_answer(table.engine.bidder.topics(cancel=given_up)))
        if described["opponents"] is not None:
            others[described["opponents"]] = table.engine.bidder.plain_system.opponents
        found.add(table.name)
        yield table.name, described
    for name, system in others.items():
        if name not in found:
            topics = plain(topics_answer(bidder_of(system).topics(cancel=given_up)))["topics"]
            yield name, {**browser_system(system), "topics": topics}


@router.get(DOCS_PATH)
async def api_page(request: Request) -> Response:
    """Answer with the page of the API, which may do what the other page may."""
    files = f"{DOCS_PATH}/static"
    page = get_swagger_ui_html(
        openapi_url=str(request.app.openapi_url),
        title=f"{request.app.title} - API",
        swagger_js_url=f"{files}/swagger-ui-bundle.js",
        swagger_css_url=f"{files}/swagger-ui.css",
        swagger_favicon_url="/static/icon.svg",
    )
    html = bytes(page.body)
    return HTMLResponse(html, headers={"Content-Security-Policy": _policy_of(html)})


def _policy_of(html: bytes) -> str:
    """Policy for the page of the API, whose one script of its own is known by its hash."""
    hashes = [
        base64.b64encode(hashlib.sha256(script).digest()).decode()
        for script in re.findall(rb"<script>(.*?)</script>", html, re.DOTALL)
    ]
    scripts = " ".join(("script-src 'self'", *(f"'sha256-{one}'" for one in hashes)))
    own = OWN_FILES.replace("script-src 'self'", scripts)
    # its style sheet has small pictures in itself
    own = own.replace("img-src 'self'", "img-src 'self' data:")
    return f"{own}; {NOT_FRAMED}"


def _answer(request: Request, file: StaticFile) -> Response:
    return answer_file(
        request,
        file,
        {
            "Content-Security-Policy": CONTENT_SECURITY_POLICY,
            "Cross-Origin-Opener-Policy": "same-origin",
            "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
        },
    )
