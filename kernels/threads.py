"""Threads for work in blocks on the processor: one pool, and results in order.

Kernels release the interpreter lock, and the pool is Python's, so any number of callers may run at
once.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from itertools import islice
from typing import Any

_THREADS = max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1)


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_THREADS, thread_name_prefix="bidcascade-cpu")


def thread_count() -> int:
    """How many threads work at once."""
    return _THREADS


def in_order(function: Callable[[int], Any], starts: Sequence[int]) -> Iterator[Any]:
    """``function(start)`` for each start; at most two results a thread wait unread."""
    if len(starts) == 1 or _THREADS == 1:
        yield from map(function, starts)
        return
    remaining = iter(starts)
    waiting: list[Future[Any]] = [
        _pool().submit(function, start) for start in islice(remaining, 2 * _THREADS)
    ]
    try:
        while waiting:
            result = waiting.pop(0).result()
            for start in islice(remaining, 1):
                waiting.append(_pool().submit(function, start))
            yield result
    finally:
        for future in waiting:
            future.cancel()


def in_blocks(function: Callable[[int], Any], starts: Sequence[int]) -> list[Any]:
    """Call ``function(start)`` for each start on all threads; the results in order."""
    return list(in_order(function, starts))
