"""A process that was forked from one whose threads are not there any more.

A fork copies the thread that asks for it and none else. Frames are worked on by a pool of threads
of polars, which waits for ever where its threads were left behind; see "Spawning" in
https://docs.pola.rs/user-guide/misc/multiprocessing/. Processes are therefore spawned.
"""

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from bidcascade.bridge import ForkedProcess

_THREADS: Final = re.compile(r"polars-\d|tokio-rt|async-exec")
"""Names of the threads that work on frames; the one that only waits for files to delete is none."""


class _Fork:
    """Whether this process, or one that it was forked from, had worked with frames before."""

    def __init__(self) -> None:
        self.had_worked = self.is_child = False

    def before(self) -> None:
        self.had_worked = self.is_child or _has_worked()

    def after_in_child(self) -> None:
        self.is_child = self.had_worked


def _has_worked() -> bool:
    if "polars" not in sys.modules:
        return False
    tasks = Path("/proc/self/task")
    if not tasks.is_dir():
        return True
    for task in tasks.iterdir():
        try:
            if _THREADS.match((task / "comm").read_text()):
                return True
        except OSError:  # it has ended meanwhile
            continue
    return False


_fork: Final = _Fork()


def forget_in_child(forget: Callable[[], object]) -> None:
    """Have something forgotten in processes that are forked from here, such as a pool."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forget)


def check_not_forked() -> None:
    """Check that frames can be worked on, before that waits for ever.

    Raises
    ------
    ForkedProcess
        If this process was forked from one that had worked with frames.

    Examples
    --------
    >>> check_not_forked()
    """
    if _fork.is_child:
        raise ForkedProcess(
            "expected a spawned process, got one forked from a process that had worked with "
            "frames, whose threads are not in it: "
            'ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn"))'
        )


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_fork.before, after_in_child=_fork.after_in_child)
