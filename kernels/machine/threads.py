"""Threads for work in blocks on the processor: one pool, and results in order.

Kernels release the interpreter lock, and the pool is Python's, so any number of callers may run at
once.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from threading import Event
from typing import TYPE_CHECKING, Any, Final

from bidcascade.bridge import InvalidInput

from .forks import forget_in_child

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

VARIABLE: Final = "BIDCASCADE_THREADS"
_MOST: Final = 1024


@cache
def thread_count() -> int:
    """How many threads work at once: one a core, unless the environment says another number.

    Raises
    ------
    InvalidInput
        If it says what is no number of threads.
    """
    written = os.environ.get(VARIABLE)
    if written:
        if not written.isdecimal() or not 1 <= int(written) <= _MOST:
            raise InvalidInput(f"{VARIABLE}: expected a number from 1 to {_MOST}, got {written!r}")
        return int(written)
    return max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1)


@cache
def _pool() -> "ThreadPoolExecutor":
    # who asks about one deal has no threads
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(thread_count(), thread_name_prefix="bidcascade-cpu")


# its threads stay behind
forget_in_child(_pool.cache_clear)


def in_order(function: Callable[[int], Any], starts: Sequence[int]) -> Iterator[Any]:
    """``function(start)`` for each start; at most two results a thread wait unread."""
    if len(starts) == 1 or thread_count() == 1:
        yield from map(function, starts)
        return
    yield from _on(_pool(), function, starts)


def in_order_apart(function: Callable[[int], Any], starts: Sequence[int]) -> Iterator[Any]:
    """Like :func:`in_order`, on threads that nothing else waits for: ``function`` may take locks.

    Whoever holds a lock may wait for the pool, whose threads must not wait for that lock.

    Examples
    --------
    >>> list(in_order_apart(lambda start: 2 * start, range(4)))
    [0, 2, 4, 6]
    """
    if len(starts) == 1 or thread_count() == 1:
        yield from map(function, starts)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(thread_count(), thread_name_prefix="bidcascade-apart") as threads:
        yield from _on(threads, function, starts)


def _on(
    threads: "ThreadPoolExecutor", function: Callable[[int], Any], starts: Sequence[int]
) -> Iterator[Any]:
    from concurrent.futures import wait

    remaining = iter(starts)
    waiting: list[Future[Any]] = [
        threads.submit(function, start) for start in islice(remaining, 2 * thread_count())
    ]
    try:
        while waiting:
            result = waiting.pop(0).result()
            for start in islice(remaining, 1):
                waiting.append(threads.submit(function, start))
            yield result
    finally:
        for future in waiting:
            future.cancel()
        # what has begun works on the caller's arrays, and on what it has learned
        wait(waiting)


def in_blocks(function: Callable[[int], Any], starts: Sequence[int]) -> list[Any]:
    """Call ``function(start)`` for each start on all threads; the results in order."""
    if len(starts) == 1:
        # a single deal is asked thousands of times a second
        return [function(starts[0])]
    return list(in_order(function, starts))


def side_by_side(*functions: Callable[[], Any], interrupted: Event) -> list[Any]:
    """Call functions at once, each on a thread of its own; the results in order.

    They may share the pool. ``interrupted`` is set when one has failed or this thread is
    interrupted: the others should end then, and are waited for.
    """
    from concurrent.futures import ThreadPoolExecutor, as_completed

    with ThreadPoolExecutor(len(functions), thread_name_prefix="bidcascade-side") as threads:
        futures = [threads.submit(function) for function in functions]
        try:
            for future in as_completed(futures):
                future.result()
        except BaseException:
            interrupted.set()
            raise
    return [future.result() for future in futures]
