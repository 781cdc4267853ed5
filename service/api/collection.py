"""The garbage collector's pauses kept away from requests.

A full collection looks at every object: with a table and its system loaded that holds up all
threads for hundreds of milliseconds. What stays loaded is therefore frozen (``gc.freeze``), and
what takes its place is loaded without full collections. Then all are looked at once: what was
frozen and has been replaced since would stay for ever where it refers to itself.
"""

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

_NEVER: Final = 1 << 30


def settle() -> None:
    """Let the collector never look again at what is loaded now, and give back what is free."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    # the C library keeps what many threads have freed, several tables' worth
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


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
    before = gc.get_threshold()
    gc.set_threshold(*before[:2], _NEVER)
    try:
        yield
    finally:
        gc.set_threshold(*before)
