"""Requests to an application in the same process: no server, the same code path."""

import asyncio
from collections.abc import Mapping, MutableMapping
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

from fastapi import FastAPI

from .shared.work import AppState

_POLL_S: Final = 0.02


class RawResponse(NamedTuple):
    """Status, media type and body that an application answered."""

    status: int
    kind: str
    body: bytes


async def until_loaded(app: FastAPI) -> None:
    """Wait for the tables of an application: a server answers 503 until then.

    Raises
    ------
    BidcascadeError
        If they cannot be loaded.
    """
    work: AppState = app.state.own
    while work.tables.state == "loading":
        await asyncio.sleep(_POLL_S)
    if work.tables.error is not None:
        raise work.tables.error


async def answer_of(
    app: FastAPI,
    target: str,
    body: bytes | None = None,
    *,
    headers: Mapping[str, str] | None = None,
    client: tuple[str, int] = ("127.0.0.1", 0),
) -> RawResponse:
    """Make one request of an application that was started.

    Parameters
    ----------
    app
    target
        Path, with query.
    body
        Makes the request a ``POST`` of JSON.
    headers
        Further ones, such as ``authorization``.
    client
        Address that limits of one client count for.
    """
    sent = {"host": "localhost", "accept": "*/*", **(headers or {})}
    if body is not None:
        sent |= {"content-type": "application/json", "content-length": str(len(body))}
    parts = urlsplit(target)
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "GET" if body is None else "POST",
        "scheme": "http",
        "path": unquote(parts.path),
        "raw_path": parts.path.encode("ascii", "ignore"),
        "query_string": parts.query.encode(),
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
        "client": client,
        "server": ("bidcascade", 80),
        "state": {},
    }
    messages = iter([{"type": "http.request", "body": body or b"", "more_body": False}])
    answers: list[MutableMapping[str, Any]] = []
    finished = asyncio.Event()

    async def receive() -> MutableMapping[str, Any]:
        if request := next(messages, None):
            return request
        await finished.wait()
        return {"type": "http.disconnect"}

    async def send(message: MutableMapping[str, Any]) -> None:
        answers.append(message)
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            finished.set()

    await app(scope, receive, send)
    start = next(message for message in answers if message["type"] == "http.response.start")
    kind = dict(start["headers"]).get(b"content-type", b"").decode("latin-1")
    return RawResponse(
        start["status"], kind, b"".join(message.get("body", b"") for message in answers)
    )
