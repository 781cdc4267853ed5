"""Where the work of a request is done, and when it is given up.

Small work is done on the event loop, all other in a thread.
"""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request

from bidcascade.bridge import DeviceFault

from .limits import Slots, read_body
from .problems import Problem
from .settings import Settings
from .tables import Tables

_Result = TypeVar("_Result")

INLINE_SECONDS: Final = 0.001
"""Work expected to take less is done on the event loop: a thread would cost about as much."""
THREADS: Final = 4
"""Threads for larger work, which goes from part to part; more would only slow small requests."""
INLINE_BYTES: Final = 1 << 16
"""Bodies up to this length are parsed on the event loop."""


class Workplace:
    """What all requests share: settings, tables, slots and threads.

    Examples
    --------
    >>> Workplace(Settings(max_concurrent_requests=8)).slots.free
    8
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.tables = Tables(settings.table_paths(), settings.backend)
        self.slots = Slots(settings.max_concurrent_requests)
        self.timeout_s = settings.request_timeout_ms / 1000
        self._limiter: CapacityLimiter | None = None

    async def read(self, request: Request) -> bytes:
        """Read the body of a request within the limits of the settings; see :func:`read_body`."""
        return await read_body(request, self.settings.max_request_bytes, self.timeout_s)

    async def run(
        self, work: Callable[[], _Result], *, small: bool = False, ahead: bool = False
    ) -> _Result:
        """Do some work, in a thread unless it is small; ``ahead`` of what waits for a thread.

        Raises
        ------
        Problem
            504 if it takes longer than the setting ``request_timeout_ms``; the thread ends what
            it has begun, and its result is dropped.
        DeviceFault
            If the device failed; from then on the service is not ready.
        """

        def guarded() -> _Result:
            # in the thread itself: it may fail when nobody waits for it any more
            try:
                return work()
            except DeviceFault as error:
                self.tables.fail(error)
                raise

        if small:
            return guarded()
        if self._limiter is None:
            self._limiter = CapacityLimiter(THREADS)
        limiter = CapacityLimiter(1) if ahead else self._limiter
        try:
            async with asyncio.timeout(self.timeout_s):
                return await to_thread.run_sync(guarded, abandon_on_cancel=True, limiter=limiter)
        except TimeoutError:
            raise Problem(
                "timeout",
                f"expected an answer within {self.settings.request_timeout_ms} ms "
                "(setting request_timeout_ms)",
            ) from None
