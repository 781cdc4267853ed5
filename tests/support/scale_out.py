"""What tests make the workers of a cluster do."""

import os
import time

from bidcascade import bridge
from bidcascade.engine.engine import Engine
from bidcascade.engine.runs.batches import tasks


def slow_down(seconds: float) -> int:
    """Make this worker take that time more for each part; return the number of its process."""
    opened = tasks._engine

    def opened_slowly(start: str) -> Engine:
        time.sleep(seconds)
        return opened(start)

    tasks._engine = opened_slowly
    return os.getpid()


def fail(error: str, message: str, call: int) -> None:
    """Let this worker's backend fail from its ``call``-th part on."""
    opened = tasks._engine
    calls = 0

    def opened_and_lost(start: str) -> Engine:
        nonlocal calls
        calls += 1
        if calls >= call:
            raise getattr(bridge, error)(message)
        return opened(start)

    tasks._engine = opened_and_lost
