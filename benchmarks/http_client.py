"""A small HTTP/1.1 client over asyncio streams, so that a load test measures the server.

Knows what the service sends: ``Content-Length`` or chunked bodies, connections that are kept.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter


@dataclass(frozen=True)
class Answer:
    """Status and body of an answer, with the seconds to its first and last byte of body."""

    status: int
    body: bytes
    first_byte_s: float
    total_s: float


class Connection:
    """One kept connection to the server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, host: str, port: int) -> "Connection":
        """Connect."""
        return cls(*await asyncio.open_connection(host, port, limit=1 << 20))

    async def close(self) -> None:
        """Disconnect, also in the middle of an answer."""
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()

    async def __aenter__(self) -> "Connection":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def request(
        self, method: str, path: str, body: bytes = b"", accept: str = "application/json"
    ) -> Answer:
        """Send a request and read its answer."""
        started = perf_counter()
        self._writer.write(
            f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        await self._writer.drain()
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        fields = dict(line.lower().split(": ", 1) for line in head[1:] if line)
        pieces: list[bytes] = []
        first = 0.0
        async for piece in self._body(fields):
            first = first or perf_counter() - started
            pieces.append(piece)
        return Answer(int(head[0].split()[1]), b"".join(pieces), first, perf_counter() - started)

    async def _body(self, fields: dict[str, str]) -> AsyncIterator[bytes]:
        if fields.get("transfer-encoding") != "chunked":
            yield await self._reader.readexactly(int(fields["content-length"]))
            return
        while True:
            line = await self._reader.readline()
            if not line.endswith(b"\n"):
                # not a matter of a kept connection: this answer had begun
                raise RuntimeError("expected the rest of an answer, but the server ended it")
            size = int(line, 16)
            piece = await self._reader.readexactly(size)
            await self._reader.readexactly(2)
            if not size:
                return
            yield piece
