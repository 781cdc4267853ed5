"""What tests make the workers of a cluster do."""

import os
import time

from bidcascade.service.engine import Engine
from bidcascade.service.jobs import tasks


def slow_down(seconds: float) -> int:
    """Make this worker take that time more for each part; return the number of its process."""
    opened = tasks._engine

    def opened_slowly(start: str) -> Engine:
        time.sleep(seconds)
        return opened(start)

    tasks._engine = opened_slowly
    return os.getpid()
