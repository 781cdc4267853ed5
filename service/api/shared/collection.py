"""The garbage collector's pauses kept away from requests.

A full collection looks at every object: with a table and its system loaded that holds up all
threads for hundreds of milliseconds. What stays loaded is therefore frozen (``gc.freeze``), and
what takes its place is loaded without full collections. Then all are looked at once: what was
frozen and has been replaced since would stay for ever where it refers to itself.
"""

import ctypes
import gc
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

_logger = logging.getLogger("bidcascade.service")

_NEVER: Final = 1 << 30
_OFTEN: Final = (700, 10, 10)
"""New objects between two looks, and looks between those at older ones, as python begins with. A
command looks rarely, since it ends soon; a service would gather 60 MB of what requests leave."""
_MOST_HEAPS: Final = 2
"""Heaps of the C library; each thread would have its own, with what it has freed."""
_LARGE: Final = 128 << 10
"""Bytes from which memory is had from the machine by itself and goes back when it is freed. Left
alone the C library raises this to 32 MiB, and arrays that grow leave holes in its heaps."""
_M_ARENA_MAX: Final = -8
_M_MMAP_THRESHOLD: Final = -3
_LOOK_S: Final = 2.0
"""Seconds between two looks at what is held."""
_GIVE_BACK_LOOKS: Final = 5
"""So many looks lie between two returns of free memory."""


def settle() -> None:
    """Let the collector never look again at what is loaded now, often at what comes; give back."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_OFTEN)
    give_back()


def give_back() -> None:
    """Give memory that is free back to the machine, where the C library can.

    It keeps what many threads have freed: several tables' worth after a load, and under requests of
    many kinds more and more, since each thread has heaps of its own.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


@contextmanager
def giving_back(forget: Callable[[], object]) -> Iterator[None]:
    """Give back what is free now and then, by a thread of its own; share heaps among threads.

    Parameters
    ----------
    forget : callable
        Is called more often, to drop what takes too much; not None where it did.
    """
    over = threading.Event()
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        library.mallopt(_M_ARENA_MAX, _MOST_HEAPS)
        library.mallopt(_M_MMAP_THRESHOLD, _LARGE)

    def go_on() -> None:
        looks = 0
        while not over.wait(_LOOK_S):
            looks += 1
            try:
                is_freed = forget() is not None
            except Exception:
                # the next look may do better; requests are answered as before
                _logger.exception("memory could not be made free")
                is_freed = False
            if is_freed or looks % _GIVE_BACK_LOOKS == 0:
                give_back()

    thread = threading.Thread(target=go_on, name="free-memory")
    thread.start()
    try:
        yield
    finally:
        over.set()
        # what it drops is the core's, in which nothing may go on when the interpreter ends
        thread.join()


def settle_again() -> None:
    """Settle a process that has settled before; another one is left as it is."""
    if gc.get_freeze_count():
        settle()


@contextmanager
def without_full_collections() -> Iterator[None]:
    """Load more in a process that has settled; young objects are collected as ever."""
    if not gc.get_freeze_count():
        yield
        return
    _loads.begin()
    try:
        yield
    finally:
        _loads.end()


class _Loads:
    """What is being loaded: the first makes the collector wait, the last lets it go on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._before = gc.get_threshold()

    def begin(self) -> None:
        with self._lock:
            if not self._count:
                self._before = gc.get_threshold()
                gc.set_threshold(*self._before[:2], _NEVER)
            self._count += 1

    def end(self) -> None:
        with self._lock:
            self._count -= 1
            if not self._count:
                gc.set_threshold(*self._before)


_loads: Final = _Loads()
