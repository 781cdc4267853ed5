"""``GET /``, ``GET /static/…`` and ``GET /docs``: pages that ask the API from the browser."""

import base64
import hashlib
import json
import re
from typing import Any, Final

from anyio import to_thread
from fastapi import APIRouter, Request, Response
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse

from bidcascade.bridge import NoSystem
from bidcascade.engine.browser_system import browser_system, topics_answer
from bidcascade.engine.questions.answer_fields import plain
from bidcascade.inference.double_dummy.solved_deals import solved_beginning
from bidcascade.page.content_policy import CONTENT_SECURITY_POLICY, NOT_FRAMED, OWN_FILES
from bidcascade.page.joined_files import joined_files
from bidcascade.page.page_folder import FOLDER, page_files, zipped
from bidcascade.page.static_files import PAGE, StaticFile, static_files
from bidcascade.page.theme_deals import theme_deals
from bidcascade.service.api.http.answering import answer_file
from bidcascade.service.api.http.authentication import DOCS_PATH
from bidcascade.service.api.http.limits import client_of
from bidcascade.service.api.http.problems import Problem, check_query
from bidcascade.service.api.shared.work import AppState
from bidcascade.systems.any_bidder import bidder_of
from bidcascade.systems.system import System

router = APIRouter(include_in_schema=False)

_METHODS: Final = ["GET", "HEAD"]
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
    """
    work: AppState = request.app.state.own
    check_query(request)
    with work.slots.taken(client_of(request)):
        # of systems that nobody has practised yet the topics are found first: no limit of time
        content = await to_thread.run_sync(_page_folder, work, limiter=work.waiting_threads)
    headers = {"Content-Disposition": f'attachment; filename="{FOLDER}.zip"'}
    return Response(content, media_type="application/zip", headers=headers)


def _page_folder(work: AppState) -> bytes:
    """Write the page's folder as a zip file."""
    found: dict[str, dict[str, Any]] = {}
    others: dict[str, System] = {}
    for table in map(work.tables.get, work.tables.names()):
        try:
            system = table.engine.bidder.plain_system
        except NoSystem:
            continue
        described = found[table.name] = json.loads(work.tables.system_file(table).content)
        # what the service says of itself is none of the folder's
        del described["table"]
        described |= plain(topics_answer(table.engine.bidder.topics()))
        if described["opponents"] is not None:
            others[described["opponents"]] = system.opponents
    for name, system in others.items():
        if name not in found:
            topics = plain(topics_answer(bidder_of(system).topics()))["topics"]
            found[name] = {**browser_system(system), "topics": topics}
    if not found:
        raise Problem("no-system", "expected a system without overlays, got a service of tables")
    solved = solved_beginning(_MOST_SOLVED, work.solved_tables)
    return zipped(page_files(found.items(), solved, theme_deals()))


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
