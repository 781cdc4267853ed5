"""Connections of clients that are slow, or send what nobody reads.

uvicorn waits for the head of a request for ever, and goes on reading a body after its answer. Here
a head has a limit of time and of length, and after an answer that left some of a body unread the
connection is closed: politely, since bytes that come to a closed socket make the system drop the
answer before the client has read it (RFC 9112, section 9.6). All of them together have a bound
(:mod:`.open_connections`).
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, cast

from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from .open_connections import OpenConnections
from .problems import Problem, problem_response

LONGEST_HEAD: Final = 1 << 16
"""Bytes of a request line and headers."""
LINGER_S: Final = 2.0
"""How long a client may take to read its answer when it is still sending a body."""
_MOST_DISCARDED: Final = 1 << 20
ALWAYS_ANSWERED: Final = (b"/healthz", b"/readyz", b"/metrics")
"""Paths of those who watch the service, which have a place where there is none."""


class GuardedConnection(HttpToolsProtocol):
    """uvicorn's protocol with limits for heads, and an end after bodies that nobody reads."""

    receive_s = 10.0
    """Longest time for a head."""
    others = OpenConnections(1 << 30)
    """All connections of the server."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the head of the first request."""
        self._lingering = _LingeringTransport(cast("asyncio.Transport", transport), self)
        self._in_head = True
        self._head_bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._is_refused = False
        self.is_lost = False
        # looks like a transport to uvicorn, which closes it
        super().connection_made(cast("asyncio.Transport", self._lingering))
        self.others.came(self)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timers."""
        self.is_lost = True
        self.others.left(self)
        self._stop_timer()
        self._lingering.forget()
        super().connection_lost(exc)

    def drop(self) -> None:
        """Make room for another connection."""
        self._stop_timer()
        self._lingering.abort()

    def data_received(self, data: bytes) -> None:
        """Take in what came; some more of a head does not give it more time."""
        if self._lingering.is_closing():
            self._lingering.discard(len(data))
            return
        if self._in_head:
            self._head_bytes += len(data)
            self._await_head()
        super().data_received(data)
        if self._in_head and self._head_bytes > LONGEST_HEAD:
            self._refuse(
                "head-too-large",
                f"expected a head of at most {LONGEST_HEAD:,} bytes, got {self._head_bytes:,}",
            )

    def on_headers_complete(self) -> None:
        """Go on with the request; its answer may be the last one of the connection."""
        self._stop_timer()
        self._in_head = False
        if self.others.is_full and self.url.partition(b"?")[0] not in ALWAYS_ANSWERED:
            self._is_refused = True
            self._refuse(
                "overloaded",
                f"expected at most {self.others.most} connections (setting max_connections)",
                {"Retry-After": "1"},
            )
            return
        # the body is still to come
        self.others.waits(self)
        before = self.cycle
        super().on_headers_complete()
        cycle = self.cycle
        if cycle is not before:
            send = partial(_send_last, self, cycle, cycle.send)
            cycle.send = send  # type: ignore[method-assign]

    def on_body(self, body: bytes) -> None:
        """Take in a piece of a body."""
        if not self._is_refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Wait for the head of a further request, with a limit from its first byte on."""
        if self._is_refused:
            return
        super().on_message_complete()
        if not self.cycle.response_complete:
            self.others.works(self)
        self._in_head = True
        self._head_bytes = 0

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it is there already."""
        super().on_response_complete()
        if self.cycle.response_complete:
            self.others.waits(self)

    def pause_writing(self) -> None:
        """Wait until the client has read some of its answer."""
        self.others.waits(self)
        super().pause_writing()

    def resume_writing(self) -> None:
        """Write on."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.others.works(self)
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP as all errors are answered."""
        self._refuse("bad-request", f"expected HTTP/1.1, got what is none: {msg}")

    @property
    def leaves_body(self) -> bool:
        """Whether some of what the client sends is not read."""
        return self._in_head or (self.cycle is not None and self.cycle.more_body)

    def _await_head(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self.receive_s, self._on_slow_head)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_slow_head(self) -> None:
        self._timer = None
        if self.cycle is not None and not self.cycle.response_complete:
            # the begin of a next request behind one that is still being answered
            self._await_head()
        elif not self._head_bytes:
            self.transport.close()
        else:
            self._refuse(
                "head-too-slow",
                f"expected the head of the request within {self.receive_s:g} s (setting "
                f"receive_timeout_ms), got {self._head_bytes:,} bytes",
            )

    def _refuse(self, kind: str, detail: str, headers: Mapping[str, str] | None = None) -> None:
        """Answer without a request that could be read, and close the connection."""
        self._stop_timer()
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete:
            problem = Problem(kind, detail, headers={**(headers or {}), "Connection": "close"})
            answer = problem_response(problem, "/", secrets.token_hex(8))
            head = b"".join(b"%b: %b\r\n" % header for header in answer.raw_headers)
            status = STATUS_LINE[problem.status]
            self.transport.write(b"%b%b\r\n%b" % (status, head, bytes(answer.body)))
        self.transport.close()


async def _send_last(
    connection: GuardedConnection,
    cycle: RequestResponseCycle,
    send: Callable[[Any], Awaitable[None]],
    message: Any,
) -> None:
    if connection.is_lost:
        # uvicorn tells the last of several requests alone that nobody is there any more
        cycle.disconnected = True
    if message["type"] == "http.response.start" and cycle.more_body:
        # what is left of the body would be taken for the next request
        cycle.keep_alive = False
    await send(message)


class _LingeringTransport:
    """A transport whose ``close`` lets the client read its answer while it is still sending."""

    def __init__(self, transport: asyncio.Transport, connection: GuardedConnection) -> None:
        self._transport = transport
        self._connection = connection
        self._discarded = 0
        self._timer: asyncio.TimerHandle | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        return self._timer is not None or self._transport.is_closing()

    def close(self) -> None:
        if self.is_closing():
            return
        if not self._connection.leaves_body or not self._transport.can_write_eof():
            self._transport.close()
            return
        self._timer = self._connection.loop.call_later(LINGER_S, self._transport.close)
        self._transport.write_eof()
        # also where uvicorn waits with reading: the end of the client is seen that way
        self._connection.flow.resume_reading()

    def discard(self, length: int) -> None:
        self._discarded += length
        if self._discarded > _MOST_DISCARDED:
            # its own system stops a client that sends on
            self._transport.pause_reading()

    def forget(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


def guarded_connection(receive_s: float, most: int) -> type[GuardedConnection]:
    """Protocol for uvicorn with a limit for heads, in seconds, and one for all connections."""
    limits = {"receive_s": receive_s, "others": OpenConnections(most)}
    return type("GuardedConnection", (GuardedConnection,), limits)
