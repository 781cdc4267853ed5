"""The REST service for tests: asked in this process, or run as a process of its own."""

import asyncio
import contextlib
import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI

from benchmarks.tools import server
from bidcascade.engine.settings import Settings
from bidcascade.service.api.app import create_app

DEAL = "N:AQ4.KJ3.K876.Q52 K95.Q872.A54.KT3 J876.A65.Q93.J94 T32.T94.JT2.A876"
"""North is balanced with 15 high-card points."""

GOOD = {"deals": [{"deal": DEAL, "dealer": "N", "vulnerability": "None"}], "mode": "first"}

SMALL_ROWS = [
    {"prior": "", "call": "1N", "name": "Strong notrump", "criteria": ["15 <= HCP <= 17"]},
    {"prior": "", "call": "1N", "name": "Flat notrump", "criteria": ["Balanced", "HCP >= 14"]},
    {"prior": "", "call": "P", "description": "nothing to say"},
    {"prior": "1N", "call": "P"},
    {"prior": "1N P", "call": "2C", "name": "Stayman", "criteria": ["SL_H >= 4"], "tags": ["ask"]},
    {"prior": "1N P", "call": "3N", "name": "To play", "criteria": ["HCP >= 9"]},
    {"prior": "1N P", "call": "P"},
    {"prior": "1N P P", "call": "P", "name": "The end"},
]
"""A table with two meanings of one call, undescribed passes and a place without a call."""


def write_small_table(folder: Path) -> Path:
    """File of the small table."""
    path = folder / "small.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in SMALL_ROWS), "utf-8")
    return path


def ask(
    app: FastAPI,
    method: str,
    path: str,
    *,
    body: object = None,
    content: Any = None,
    headers: Mapping[str, str] | None = None,
) -> httpx.Response:
    """Ask an application in this process; ``body`` is sent as JSON, ``content`` as it is."""
    if body is not None:
        content = json.dumps(body).encode()
    all_headers = {"Content-Type": "application/json"} if content is not None else {}
    all_headers |= headers or {}

    async def request() -> httpx.Response:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.request(method, path, content=content, headers=all_headers)

    return asyncio.run(request())


def loaded_app(folder: Path | None = None, **settings: Any) -> FastAPI:
    """Application with its tables loaded: the small one, written to a folder, if one is given."""
    if folder is not None:
        settings = {"table": f"small={write_small_table(folder)}", **settings}
    app = create_app(Settings(**{"backend": "reference", **settings}))
    app.state.own.tables.load()
    return app


def post(app: FastAPI, path: str, body: object, **headers: str) -> httpx.Response:
    """Post JSON."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return ask(app, "POST", path, body=body, headers=named)


def problem_of(response: httpx.Response, status: int, kind: str) -> dict[str, Any]:
    """Body of a problem answer, after checks of what all of them have."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["x-content-type-options"] == "nosniff"
    body: dict[str, Any] = response.json()
    assert set(body) == {"type", "title", "status", "detail", "instance", "request_id", "errors"}
    assert body["type"] == f"urn:bidcascade:problem:{kind}"
    assert body["status"] == status
    assert body["title"]
    assert body["detail"]
    assert body["instance"] == response.request.url.path
    assert body["request_id"] == response.headers["x-request-id"]
    for error in body["errors"]:
        assert set(error) == {"field", "value", "reason"}
        assert error["field"]
        assert error["reason"]
    return body


@contextlib.contextmanager
def ready_server(
    folder: Path | None = None, **settings: Any
) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """Server that is ready, of the small table written to a folder if one is given.

    It looks for no topics behind the back of a test.
    """
    if folder is not None:
        settings = {"table": f"small={write_small_table(folder)}", **settings}
    with server.ready_server(**{"find_topics": False, **settings}) as ready:
        yield ready
