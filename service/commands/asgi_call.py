"""One request to an ASGI application in this process: no server, no socket, the same code path."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import unquote, urlsplit

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]


class Answer(NamedTuple):
    """What an application answered."""

    status: int
    headers: dict[str, str]
    body: bytes


class Lifespan:
    """Starts an application, and stops it at the end of an ``async with`` block.

    Follows the ASGI specification, "Lifespan Protocol".
    """

    def __init__(self, app: App) -> None:
        self._app = app
        self._to_app: asyncio.Queue[Message] = asyncio.Queue()
        self._from_app: asyncio.Queue[Message] = asyncio.Queue()

    async def __aenter__(self) -> None:
        scope = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": {}}
        self._task = asyncio.ensure_future(self._app(scope, self._to_app.get, self._from_app.put))
        await self._tell("lifespan.startup")

    async def __aexit__(self, *_: object) -> None:
        await self._tell("lifespan.shutdown")
        await self._task

    async def _tell(self, event: str) -> None:
        await self._to_app.put({"type": event})
        answer = asyncio.ensure_future(self._from_app.get())
        await asyncio.wait({answer, self._task}, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            # the application ended without a word: let its error be seen
            answer.cancel()
            self._task.result()
        elif answer.result()["type"] != f"{event}.complete":
            raise RuntimeError(answer.result().get("message") or f"{event} failed")


async def call(
    app: App,
    method: str,
    target: str,
    *,
    headers: dict[str, str] | None = None,
    body: bytes = b"",
) -> Answer:
    """Make one request.

    Parameters
    ----------
    app : ASGI application
    method : str
    target : str
        Path with query, ``/v1/tables/sayc/next?auction=1N``.
    headers : dict, optional
    body : bytes

    Examples
    --------
    >>> async def app(scope, receive, send):
    ...     await send({"type": "http.response.start", "status": 200, "headers": []})
    ...     await send({"type": "http.response.body", "body": scope["path"].encode()})
    >>> asyncio.run(call(app, "GET", "/v1/tables?x=1")).body
    b'/v1/tables'
    """
    parts = urlsplit(target)
    given = {"host": "localhost", **(headers or {})}
    if body:
        given["content-length"] = str(len(body))
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(parts.path),
        "raw_path": parts.path.encode("ascii", "ignore"),
        "query_string": parts.query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in given.items()],
        "client": ("127.0.0.1", 0),
        "server": ("bidcascade", 80),
        "state": {},
    }
    sent = False
    finished = asyncio.Event()
    status = 500
    answer_headers: dict[str, str] = {}
    pieces: list[bytes] = []

    async def receive() -> Message:
        nonlocal sent
        if not sent:
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}
        await finished.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
            for name, value in message.get("headers", ()):
                answer_headers[name.decode("latin-1")] = value.decode("latin-1")
        elif message["type"] == "http.response.body":
            pieces.append(message.get("body", b""))
            if not message.get("more_body", False):
                finished.set()

    await app(scope, receive, send)
    return Answer(status, answer_headers, b"".join(pieces))
