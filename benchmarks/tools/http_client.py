"""A small HTTP/1.1 client over asyncio streams, so that a load test measures the server.

Knows what the service sends: ``Content-Length`` or chunked bodies, connections that are kept.
Requests of a rate go out at their times whether or not earlier ones have been answered, and latency
counts from the time a request was due, so that a server that stalls cannot hide it.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np


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


Numbers = dict[str, Any]
Question = tuple[str, bytes]
"""Path and body of a request."""

CONNECTIONS = 64
"""Connections kept to the server at a rate; more requests than that wait for one."""


def percentiles(seconds: Sequence[float]) -> Numbers:
    """Latencies in milliseconds."""
    values = 1000 * np.array(seconds)
    p50, p90, p99 = np.percentile(values, [50, 90, 99])
    numbers = {"p50_ms": p50, "p90_ms": p90, "p99_ms": p99, "max_ms": values.max()}
    return {name: round(float(value), 3) for name, value in numbers.items()}


async def at_rate(
    port: int, asked: Sequence[Question], rate: float, expected: Sequence[bytes] | None = None
) -> Numbers:
    """Send questions at a rate; count statuses and answers that differ from what is expected."""
    idle: asyncio.LifoQueue[Connection | None] = asyncio.LifoQueue()
    for _ in range(CONNECTIONS):
        idle.put_nowait(None)
    opened: set[Connection] = set()
    latencies: list[float] = []
    statuses: Counter[int] = Counter()
    wrong = 0

    async def one(due: float, number: int) -> None:
        nonlocal wrong
        connection = await idle.get()
        try:
            if connection is None:
                raise ConnectionResetError
            answer = await connection.request("POST", *asked[number])
        except (ConnectionError, asyncio.IncompleteReadError):
            # none yet, or one that the server has closed: idle for its five seconds, or with a
            # refusal that it answered before the whole request was there
            if connection is not None:
                await connection.close()
                opened.discard(connection)
            connection = await Connection.open("127.0.0.1", port)
            opened.add(connection)
            answer = await connection.request("POST", *asked[number])
        idle.put_nowait(connection)
        statuses[answer.status] += 1
        if answer.status == 200:
            latencies.append(perf_counter() - due)
            wrong += expected is not None and answer.body != expected[number]

    started = perf_counter()
    try:
        async with asyncio.TaskGroup() as group:
            for number in range(len(asked)):
                due = started + number / rate
                # asyncio sleeps up to a millisecond too long: the last part is spent looking
                while (left := due - perf_counter()) > 0:
                    await asyncio.sleep(left - 0.001 if left > 0.002 else 0)
                group.create_task(one(due, number))
        spent = perf_counter() - started
    finally:
        for connection in opened:
            await connection.close()
    return {
        "requests": len(asked),
        "answered_a_second": round(len(asked) / spent, 1),
        "statuses": dict(sorted(statuses.items())),
        "wrong": wrong,
        **(percentiles(latencies) if latencies else {}),
    }
