"""The garbage collector's pauses kept away from requests.

A full collection looks at every object: with a table and its system loaded that holds up all
threads for hundreds of milliseconds. What stays loaded is therefore frozen (``gc.freeze``), and
what takes its place is loaded without full collections. Frozen objects go by their reference
counts alone; that a table and its system do so, without cycles, is tested.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_NEVER: Final = 1 << 30


def settle() -> None:
    """Let the collector never look again at what is loaded now."""
    gc.collect()
    gc.freeze()


@contextmanager
def without_full_collections() -> Iterator[None]:
    """Load more in a process that has settled; it settles again if nothing went wrong.

    Young objects are collected as ever. A process that never settled is left as it is.
    """
    if not gc.get_freeze_count():
        yield
        return
    # garbage of before must not be frozen; this is quick, since what is loaded is frozen
    gc.collect()
    before = gc.get_threshold()
    gc.set_threshold(*before[:2], _NEVER)
    try:
        yield
        gc.freeze()
    finally:
        gc.set_threshold(*before)
