"""Work done ahead by threads, for code that leaves the interpreter's lock."""

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")


def ahead(
    work: Callable[[Item], Made], items: Iterable[Item], threads: int = 2
) -> Generator[Made, None, None]:
    """Yield what ``work`` makes of each item, in their order, while threads go on with the next.

    Items are drawn only as fast as results are taken.

    Examples
    --------
    >>> list(ahead(abs, [-2, 1]))
    [2, 1]
    """
    rest = iter(items)
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[Made]] = deque(
            pool.submit(work, item) for item in islice(rest, threads + 1)
        )
        try:
            while waiting:
                done = waiting.popleft().result()
                waiting.extend(pool.submit(work, item) for item in islice(rest, 1))
                yield done
        finally:
            for future in waiting:
                future.cancel()
