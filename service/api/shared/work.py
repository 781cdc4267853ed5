"""Where the work of a request is done, and when it is given up.

Questions to the engine go through the batcher. Other work is done on the event loop if it is small,
else in a thread.
"""

import asyncio
import operator
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request

from bidcascade.bridge import BidcascadeError, DeviceFault, TimedOut
from bidcascade.engine.settings import Settings
from bidcascade.service.api.http.limits import (
    LONGEST_QUESTION,
    Slots,
    client_of,
    parse_body,
    read_body,
)
from bidcascade.service.api.http.metrics import Metrics
from bidcascade.service.api.http.problems import Problem, check_query
from bidcascade.service.api.http.stages import current_stages
from bidcascade.service.api.http.uploads import Uploads
from bidcascade.service.jobs.queue import JobQueue

from .admission import Line, Turn
from .archives import MOST_QUESTIONS, Archives
from .batched_questions import AnswerFunction
from .batcher import Batcher, Lane
from .loaded_table import LoadedTable
from .tables import Tables

if TYPE_CHECKING:
    from bidcascade.inference.double_dummy import DoubleDummyPool
    from bidcascade.inference.double_dummy.table_cache import TableCache

_Result = TypeVar("_Result")
_Model = TypeVar("_Model")

THREADS: Final = 4
"""Threads for larger work, which goes from part to part; more would only slow small requests."""
WAITING_THREADS: Final = 32
"""Requests that are worked on at once while they wait for other processes."""
SYSTEM_QUESTIONS: Final = 4
"""Processes that work on systems given as text, at once; a client gets three quarters of them."""
_HELD_BODIES: Final = 8
"""Bodies of the greatest length that are held at once."""


class AppState:
    """What all requests share: settings, tables, slots and threads."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.tables = Tables(
            settings.table_paths(),
            settings.backend,
            settings.overlay_paths(),
            settings.undescribed_policies(),
            settings.option,
        )
        self.slots = Slots(settings.max_concurrent_requests)
        self._bodies = Slots(
            _HELD_BODIES * settings.max_request_bytes, "bytes of bodies that are not read yet"
        )
        self.system_questions = Slots(SYSTEM_QUESTIONS, "questions about systems at once")
        self.timeout_s = settings.request_timeout_ms / 1000
        self.on_death: Callable[[BidcascadeError], None] = lambda error: None
        """Called when there are no tables or the engine's thread has ended: start anew."""
        self._double_dummy: DoubleDummyPool | None = None
        self._lines: dict[str, Line] = {}
        self._lock = threading.Lock()
        self.jobs = JobQueue(settings, self.tables)
        self.uploads = Uploads()
        self.archives = Archives(settings.archives_folder)
        self.metrics = Metrics(self.tables, self._queue, self.jobs.counts)
        self._batcher: Batcher[Any, Any] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def batcher(self) -> "Batcher[Any, Any]":
        """The batcher of the running event loop; made when it is first asked for."""
        loop = asyncio.get_running_loop()
        if self._batcher is None or self._loop is not loop:
            self._loop = loop
            self._batcher = Batcher(
                operator.call,
                max_batch_deals=self.settings.max_batch_deals,
                max_batch_requests=self.settings.max_batch_requests,
                max_queue_deals=self.settings.max_queue_deals,
                on_failure=self._fail,
                observe=self.metrics.saw_batch,
            )
        return self._batcher

    def _queue(self) -> tuple[int, int]:
        if self._batcher is None:
            return 0, 0
        return self._batcher.queued_deals, self._batcher.dropped

    async def ask(
        self,
        question: AnswerFunction,
        payload: Any,
        *,
        deals: int = 1,
        lane: Lane = "small",
        is_started: bool = False,
        most_deals: int | None = None,
        free: AbstractContextManager[bool] | None = None,
    ) -> Any:
        """Ask the engine; see :meth:`Batcher.ask`, and :meth:`Batcher.answer_now` for ``free``.

        Raises
        ------
        Problem
            Also 504 if it takes longer than the setting ``request_timeout_ms``, waiting included.
        """
        if free is not None:
            answer = self.batcher.answer_now(question, payload, deals=deals, free=free)
            if answer is not None:
                return answer
        async with self.in_time():
            return await self.batcher.ask(
                question,
                payload,
                deals=deals,
                lane=lane,
                is_started=is_started,
                most_deals=most_deals,
            )

    @property
    def double_dummy(self) -> "DoubleDummyPool":
        """The one pool of solving processes; made when it is first asked for."""
        from bidcascade.inference.double_dummy import DoubleDummyPool

        with self._lock:
            if self._double_dummy is None:
                self._double_dummy = DoubleDummyPool(
                    self.settings.dd_workers or None, going_on=self.settings.dd_going_on
                )
            return self._double_dummy

    def turn(self, kind: str, arrived: float, limit_s: float, *size: object) -> Turn:
        """Give what a request needs to wait in the line of its kind; see :class:`Turn`."""
        from bidcascade.inference.double_dummy.pool import usable_cores

        # as many at once as there are solving processes: that is how many go on at full speed
        places = min(self.settings.dd_workers or usable_cores(), WAITING_THREADS)
        return Turn(self._lines.setdefault(kind, Line(places)), arrived, limit_s, (limit_s, *size))

    @cached_property
    def solved_tables(self) -> "TableCache":
        """Tables that were solved before on this machine, as they were when first asked for."""
        from bidcascade.inference.double_dummy.table_cache import user_tables

        return user_tables()

    @cached_property
    def _threads(self) -> CapacityLimiter:
        # made when first asked for, on the event loop
        return CapacityLimiter(THREADS)

    @cached_property
    def archive_threads(self) -> CapacityLimiter:
        """Places for questions to archives, which may look at millions of boards."""
        return CapacityLimiter(MOST_QUESTIONS)

    @cached_property
    def waiting_threads(self) -> CapacityLimiter:
        """Places for work that mostly waits for other processes."""
        return CapacityLimiter(WAITING_THREADS)

    async def close(self) -> None:
        """Answer what has been accepted, end the engine's thread and all processes."""
        await asyncio.to_thread(self.jobs.close)
        with self._lock:
            if self._double_dummy is not None:
                self._double_dummy.close()
        if self._batcher is not None and self._loop is asyncio.get_running_loop():
            await self._batcher.close()

    def _fail(self, error: BidcascadeError) -> None:
        self.tables.fail(error)
        if not isinstance(error, DeviceFault):
            self.on_death(error)

    async def question(self, request: Request, model: type[_Model]) -> _Model:
        """Read and parse the short body of a question about one hand or auction."""
        most = min(LONGEST_QUESTION, self.settings.max_request_bytes)
        async with self.body(request, most) as content:
            return parse_body(model, content)

    @asynccontextmanager
    async def body(self, request: Request, most_bytes: int = 0) -> AsyncIterator[bytearray]:
        """Read the body of a request within the limits of the settings; see :func:`read_body`.

        Its bytes count as held until the end of the block. No slot is taken while it comes in: slow
        clients would take them all. All that is asked stands in the body: there are no parameters.
        """
        if request.scope["query_string"]:
            check_query(request)
        stages = current_stages()
        with self._bodies.taken(client_of(request)) as hold:
            with nullcontext() if stages is None else stages.measured("read"):
                content = await read_body(
                    request,
                    most_bytes or self.settings.max_request_bytes,
                    timeout_s=self.timeout_s,
                    pause_s=self.settings.receive_timeout_ms / 1000,
                    hold=hold,
                )
            yield content

    async def table(self, name: str | None = None) -> LoadedTable:
        """Table of a name, the default one for None; one that is not open yet is opened first.

        Raises
        ------
        UnknownTable
            If there is none.
        Problem
            503 if the service is not ready or the table cannot be opened; 504 if that takes longer
            than the setting ``request_timeout_ms``: it goes on for who asks next.
        """
        self.tables.check_name(name)
        if not self.tables.is_open(name):
            async with self.in_time():
                # why it cannot be opened is told by who gets it
                with suppress(BidcascadeError):
                    await asyncio.wrap_future(self.tables.opening(name or self.tables.default))
        return self.tables.get(name)

    async def all_tables(self) -> list[LoadedTable]:
        """Every table, opened as by :meth:`table`."""
        return [await self.table(name) for name in self.tables.names()]

    async def run(
        self,
        work: Callable[[], _Result],
        *,
        small: bool = False,
        ahead: bool = False,
        limiter: CapacityLimiter | None = None,
    ) -> _Result:
        """Do some work, in a thread unless it is small; ``ahead`` of what waits for a thread.

        ``limiter`` has the places of work that is to wait for its own kind alone.

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
        limiter = CapacityLimiter(1) if ahead else limiter or self._threads
        async with self.in_time():
            return await to_thread.run_sync(guarded, abandon_on_cancel=True, limiter=limiter)

    @asynccontextmanager
    async def in_time(self) -> AsyncIterator[None]:
        """Give the block up after the setting ``request_timeout_ms``.

        Raises
        ------
        Problem
            504 if it takes longer.
        """
        try:
            async with asyncio.timeout(self.timeout_s):
                yield
        except TimedOut:
            # the work had a limit of its own; a TimeoutError too, and not the one below
            raise
        except TimeoutError:
            raise Problem(
                "timeout",
                f"expected an answer within {self.settings.request_timeout_ms} ms "
                "(setting request_timeout_ms)",
            ) from None
