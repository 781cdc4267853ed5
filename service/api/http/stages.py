"""Where the time of one request goes, for ``Server-Timing``, metrics and the log of slow requests.

The stages are: ``read`` (body taken in and checked), ``queue`` (waiting for the engine), ``engine``
(the engine's work on the batch it was in), ``total``. What is missing in the sum is the writing of
the answer and waiting for the event loop.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter
from typing import Final

STAGES: Final = ("read", "queue", "engine")
"""Stages of a request besides its total."""


class Stages:
    """Seconds of one request by stage.

    Parameters
    ----------
    request_id : str
    """

    def __init__(self, request_id: str) -> None:
        self.request_id = request_id
        self.seconds: dict[str, float] = {}

    def add(self, stage: str, seconds: float) -> None:
        """Add to a stage."""
        self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds

    @contextmanager
    def measured(self, stage: str) -> Iterator[None]:
        """Add the time that a block takes."""
        started = perf_counter()
        try:
            yield
        finally:
            self.add(stage, perf_counter() - started)

    def header(self, total: float) -> str:
        """Return the value of the header ``Server-Timing``, in milliseconds."""
        known = [(name, self.seconds[name]) for name in STAGES if name in self.seconds]
        return ", ".join(
            f"{name};dur={1000 * seconds:.2f}" for name, seconds in [*known, ("total", total)]
        )


_current: ContextVar[Stages | None] = ContextVar("stages", default=None)


@contextmanager
def request_stages(request_id: str) -> Iterator[Stages]:
    """Stages of the request that is answered within the block."""
    stages = Stages(request_id)
    token = _current.set(stages)
    try:
        yield stages
    finally:
        _current.reset(token)


def current_stages() -> Stages | None:
    """Stages of the request that is being answered, if one is."""
    return _current.get()
