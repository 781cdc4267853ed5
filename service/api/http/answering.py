"""Answers as bytes: which form is accepted, whole answers, and answers that go out in parts."""

import asyncio
import io
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import is_dataclass
from typing import Final

import polars as pl
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from bidcascade.engine.questions.parts.answer_fields import plain
from bidcascade.page.static_files import StaticFile

from .problems import Problem

JSON: Final = "application/json"
JSON_LINES: Final = "application/jsonl"
ARROW: Final = "application/vnd.apache.arrow.stream"

_END_OF_STREAM: Final = b"\xff\xff\xff\xff\x00\x00\x00\x00"
"""Arrow IPC: what ends a stream (the specification's "end-of-stream" marker)."""


def accepted(request: Request, offered: Sequence[str]) -> str:
    """Media type to answer with: of those offered, the one that ``Accept`` likes best.

    Among equals the first offered is taken; without the header it is the first as well (RFC 9110,
    section 12.5.1).

    Raises
    ------
    Problem
        406 if none is accepted.

    Examples
    --------
    >>> wish = [(b"accept", b"text/html, application/*;q=0.2, application/jsonl;q=0.9")]
    >>> accepted(Request({"type": "http", "headers": wish}), [JSON, JSON_LINES])
    'application/jsonl'
    """
    header = request.headers.get("accept", "").strip()
    if header in ("", "*/*", offered[0]):
        return offered[0]
    wishes = qualities(header)
    likings = [_liking(media_type, wishes) for media_type in offered]
    best = max(likings)
    if best <= 0:
        raise Problem(
            "not-acceptable", f"expected Accept to allow {' or '.join(offered)}, got {header!r}"
        )
    return offered[likings.index(best)]


def qualities(header: str) -> dict[str, float]:
    """Qualities that a header such as ``Accept`` or ``Accept-Encoding`` gives, 1 if it says none.

    Examples
    --------
    >>> qualities("gzip, identity;q=0.5, br; q=none")
    {'gzip': 1.0, 'identity': 0.5, 'br': 0.0}
    """
    found = {}
    for part in header.lower().split(","):
        name, *parameters = (piece.strip() for piece in part.split(";"))
        written = next((one[2:] for one in parameters if one.startswith("q=")), "1")
        try:
            found[name] = float(written)
        except ValueError:
            found[name] = 0.0
    return found


def _liking(media_type: str, wishes: Mapping[str, float]) -> float:
    # the closest pattern counts, also where a wider one likes it better
    for pattern in (media_type, f"{media_type.partition('/')[0]}/*", "*/*"):
        if pattern in wishes:
            return wishes[pattern]
    return 0.0


def json_bytes(value: object) -> bytes:
    """Answer, or another value, as JSON in UTF-8, as short as it goes."""
    if is_dataclass(value):
        value = plain(value)
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode(
        "utf-8", "replace"
    )


def answer_json(
    request: Request, value: object, *, etag: str = "", headers: Mapping[str, str] | None = None
) -> Response:
    """Answer with JSON; 304 without a body where the client has this very version already."""
    accepted(request, [JSON])
    all_headers = dict(headers or {})
    if etag:
        all_headers |= {"ETag": f'"{etag}"', "Cache-Control": "no-cache"}
        if is_known(request, f'"{etag}"'):
            return Response(status_code=304, headers=all_headers)
    return Response(json_bytes(value), media_type=JSON, headers=all_headers)


def answer_file(request: Request, file: StaticFile, headers: Mapping[str, str]) -> Response:
    """Answer with a file, as gzip where the client takes that; 304 where it has the file."""
    codings = qualities(request.headers.get("accept-encoding", ""))
    compressed = codings.get("gzip", codings.get("*", 0.0)) > 0
    etag = file.etag(compressed=compressed)
    # asked for again each time and answered 304: a new version is seen at once
    all_headers = {**headers, "ETag": etag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if is_known(request, etag):
        return Response(status_code=304, headers=all_headers)
    if compressed:
        all_headers["Content-Encoding"] = "gzip"
    content = file.compressed if compressed else file.content
    return Response(content, media_type=file.media_type, headers=all_headers)


def is_known(request: Request, etag: str) -> bool:
    """Whether the client has the version of an entity tag already (``If-None-Match``)."""
    tags = request.headers.get("if-none-match", "").split(",")
    known = [tag.strip().removeprefix("W/") for tag in tags]
    return etag in known or known == ["*"]


async def with_first_part(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Wait for the first part: an error in it is still one of the whole answer."""
    first = await anext(parts)

    async def all_parts() -> AsyncIterator[bytes]:
        yield first
        async for part in parts:
            yield part

    return all_parts()


class PartsResponse(Response):
    """An answer that goes out part by part, each made when the one before is on its way.

    Parameters
    ----------
    parts : async iterator of bytes
    media_type : str
    headers : mapping of str to str
    timeout_s : float
        Longest time that the client may take to receive a part.
    release : callable
        Called when the answer has ended, in whatever way.
    """

    def __init__(
        self,
        parts: AsyncIterator[bytes],
        *,
        media_type: str,
        headers: Mapping[str, str],
        timeout_s: float,
        release: Callable[[], None],
    ) -> None:
        super().__init__(media_type=media_type, headers=headers)
        # the length is not known before the last part
        del self.headers["content-length"]
        self._parts = parts
        self._timeout_s = timeout_s
        self._release = release

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the parts; stop where the client has gone."""
        request = Request(scope, receive)
        try:
            await send(
                {
                    "type": "http.response.start",
                    "status": self.status_code,
                    "headers": self.raw_headers,
                }
            )
            async for part in self._parts:
                async with asyncio.timeout(self._timeout_s):
                    await send({"type": "http.response.body", "body": part, "more_body": True})
                if await request.is_disconnected():
                    return
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._release()


class ArrowParts:
    """Frames of one schema as the parts of one Arrow IPC stream.

    polars writes each frame as a stream of its own (schema, batches, end). All but the first lose
    the schema, all but the last the end: what is left is one stream (Arrow columnar format, "IPC
    Streaming Format").
    """

    def __init__(self) -> None:
        self._schema = b""

    def part(self, frame: pl.DataFrame) -> bytes:
        """Bytes of a frame without the end; of the first one with the schema."""
        if not frame.height and self._schema:
            return b""
        buffer = io.BytesIO()
        # the oldest level is what every reader of Arrow understands
        frame.rechunk().write_ipc_stream(buffer, compat_level=pl.CompatLevel.oldest())
        written = buffer.getvalue().removesuffix(_END_OF_STREAM)
        if not self._schema:
            # a message is 0xFFFFFFFF, the length of its head, the head; a schema has no body
            length = 8 + int.from_bytes(written[4:8], "little")
            self._schema = written[:length]
            return written
        if not written.startswith(self._schema):
            raise ValueError("expected frames of one schema")
        return written[len(self._schema) :]

    def end(self) -> bytes:
        """Bytes that end the stream."""
        return _END_OF_STREAM
