"""Work that waits for solving processes, in threads of its own: short requests need not wait too.

The threads sample layouts and wait; what is solved double dummy is solved in other processes.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Final, TypeVar

from anyio import to_thread
from starlette.requests import Request

from .work import AppState

_Result = TypeVar("_Result")

SHARE_OF_TIMEOUT: Final = 0.9
"""How much of the time for a request work may take that can answer with what it has by then."""


def time_for(work: AppState, budget_ms: int | None) -> float:
    """Seconds after which work is to answer with what it has."""
    most = SHARE_OF_TIMEOUT * work.timeout_s
    return most if budget_ms is None else min(most, budget_ms / 1000)


async def run_waiting(
    work: AppState, request: Request, task: Callable[[threading.Event], _Result]
) -> _Result:
    """Do some work in a thread; it is told to stop when nobody waits for it any more.

    Parameters
    ----------
    request : Request
        Whose body was read: what comes next from its client is that the client has gone.
    task : callable
        Gets an event that is set when the request was given up.

    Raises
    ------
    Problem
        504 if it takes longer than the setting ``request_timeout_ms``.
    """
    limiter = work.waiting_threads
    async with _while_wanted(request) as given_up, work.in_time():
        return await to_thread.run_sync(task, given_up, abandon_on_cancel=True, limiter=limiter)


@asynccontextmanager
async def _while_wanted(request: Request) -> AsyncIterator[threading.Event]:
    """Event that is set when the client has gone, and at the end of the block."""
    given_up = threading.Event()

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            continue
        given_up.set()

    watching = asyncio.create_task(watch())
    try:
        yield given_up
    finally:
        given_up.set()
        watching.cancel()


async def iter_waiting(
    work: AppState, request: Request, task: Callable[[threading.Event], Iterator[bytes]]
) -> AsyncIterator[bytes]:
    """Yield what some work in a thread yields, as it comes.

    Parameters
    ----------
    request : Request
        As for :func:`run_waiting`.
    task : callable
        Gets an event that is set when nobody takes in what it yields any more.
    """
    loop = asyncio.get_running_loop()
    parts: asyncio.Queue[bytes | None] = asyncio.Queue()

    def put(part: bytes | None) -> None:
        # the loop may be gone where the service was stopped meanwhile
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(parts.put_nowait, part)

    def produce(given_up: threading.Event) -> None:
        try:
            for part in task(given_up):
                put(part)
        finally:
            put(None)

    limiter = work.waiting_threads
    async with _while_wanted(request) as given_up:
        running = asyncio.ensure_future(
            to_thread.run_sync(produce, given_up, abandon_on_cancel=True, limiter=limiter)
        )
        try:
            while (part := await parts.get()) is not None:
                yield part
            # what went wrong there is raised here
            await running
        finally:
            running.cancel()
