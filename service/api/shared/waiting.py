"""Work that takes long, in its turn and in threads of its own: short requests need not wait too.

The threads sample layouts and wait; what is solved double dummy is solved in other processes.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final, TypeVar

from anyio import to_thread
from starlette.requests import Request

from .admission import Turn
from .work import AppState

_Result = TypeVar("_Result")

_TOLD_EACH_S: Final = 0.2
SHARE_OF_TIMEOUT: Final = 0.9
"""How much of the time for a request work may take that can answer with what it has by then."""


def time_for(work: AppState, budget_ms: int | None) -> float:
    """Seconds after which work is to answer with what it has."""
    most = SHARE_OF_TIMEOUT * work.timeout_s
    return most if budget_ms is None else min(most, budget_ms / 1000)


async def run_waiting(
    work: AppState,
    request: Request,
    task: Callable[[threading.Event], _Result],
    turn: Turn | None = None,
) -> _Result:
    """Do some work in a thread; it is told to stop when nobody waits for it any more.

    Parameters
    ----------
    request : Request
        Whose body was read: what comes next from its client is that the client has gone.
    task : callable
        Gets an event that is set when the request was given up.
    turn : Turn, optional
        The line in which it waits before.

    Raises
    ------
    Problem
        504 if it takes longer than the setting ``request_timeout_ms``, 429 if there is no place in
        time.
    """
    async with _while_wanted(request) as (given_up, gone), work.in_time():
        return await _in_turn(work, lambda: task(given_up), turn, gone)


async def _in_turn(
    work: AppState,
    task: Callable[[], _Result],
    turn: Turn | None,
    gone: "asyncio.Future[None]",
) -> _Result:
    """Do some work in a thread, in its turn."""
    run = partial(to_thread.run_sync, abandon_on_cancel=True, limiter=work.waiting_threads)
    if turn is None:
        return await run(task)
    place = await turn.line.place(
        limit_s=turn.limit_s, size=turn.size, since=turn.arrived, gone=gone
    )
    loop, has_begun = asyncio.get_running_loop(), threading.Event()

    def in_place() -> _Result:
        has_begun.set()
        try:
            return task()
        finally:
            # also where nobody waits any more: what was given up takes its time to end
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(partial(place.give_back, given_up=gone.done()))

    try:
        return await run(in_place)
    finally:
        if not has_begun.is_set():
            place.give_back(given_up=True)


@asynccontextmanager
async def _while_wanted(
    request: Request,
) -> AsyncIterator[tuple[threading.Event, "asyncio.Future[None]"]]:
    """Event that is set when the client has gone, and at the end of the block; its watcher."""
    given_up = threading.Event()

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            continue
        given_up.set()

    watching = asyncio.create_task(watch())
    try:
        yield given_up, watching
    finally:
        given_up.set()
        watching.cancel()


def with_progress(
    work: Callable[[], _Result], progress: Callable[[], _Result], given_up: threading.Event
) -> Iterator[_Result]:
    """Do some work, and tell how far it is until it is done.

    Parameters
    ----------
    work
        Is to end soon after the event is set.
    progress
        How far it is: told where the work takes longer than a moment, and whenever it has changed.

    Yields
    ------
    object
        What ``progress`` says; the result of the work as the last one.

    Examples
    --------
    >>> is_found = threading.Event()
    >>> def find() -> str:
    ...     is_found.wait()
    ...     return "found"
    >>> told = with_progress(find, lambda: "looks", threading.Event())
    >>> next(told)
    'looks'
    >>> is_found.set()
    >>> list(told)
    ['found']
    """
    with ThreadPoolExecutor(1) as pool:
        # what is wrong at once is raised before anything is told
        working, told = pool.submit(work), None
        while not wait([working], _TOLD_EACH_S).done and not given_up.is_set():
            if (now := progress()) != told:
                told = now
                yield told
        yield working.result()


async def iter_waiting(
    work: AppState,
    request: Request,
    task: Callable[[threading.Event], Iterator[bytes]],
    turn: Turn | None = None,
) -> AsyncIterator[bytes]:
    """Yield what some work in a thread yields, as it comes.

    Parameters
    ----------
    request : Request
        As for :func:`run_waiting`.
    task : callable
        Gets an event that is set when nobody takes in what it yields any more.
    turn : Turn, optional
        As for :func:`run_waiting`.
    """
    loop = asyncio.get_running_loop()
    parts: asyncio.Queue[bytes | None] = asyncio.Queue()

    def put(part: bytes) -> None:
        # the loop may be gone where the service was stopped meanwhile
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(parts.put_nowait, part)

    def produce(given_up: threading.Event) -> None:
        for part in task(given_up):
            put(part)

    async with _while_wanted(request) as (given_up, gone):
        running = asyncio.ensure_future(
            _in_turn(work, lambda: produce(given_up), turn, gone),
        )
        running.add_done_callback(lambda _: parts.put_nowait(None))
        try:
            while (part := await parts.get()) is not None:
                yield part
            # what went wrong there is raised here
            await running
        finally:
            running.cancel()
