"""Requests of many clients worked on together: one owner task, one worker thread.

While the worker is busy, requests wait; what waits when it is done is the next batch. Nothing is
held back to make batches larger: a delay would cost every request its length and bring nothing,
since a busy worker makes its own batches (the default of Triton and of TEI; measured for this
service too). The worker thread is the only one that calls an engine on a GPU, which so sees one
caller and one stream. A short question to an idle processor is answered on the event loop
(:meth:`Batcher.answer_now`).

Requests wait in two lanes. Whole small requests go before the parts of long answers, but after each
batch of small ones one part gets its turn, so that neither waits for ever.
"""

import asyncio
import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar

from bidcascade.bridge import BackendUnavailable, BidcascadeError, DeviceFault
from bidcascade.service.api.http.problems import Problem
from bidcascade.service.api.http.stages import current_stages

_logger = logging.getLogger("bidcascade.service")

Payload = TypeVar("Payload")
Result = TypeVar("Result")
Lane = Literal["small", "part"]

_SHORTEST_RETRY_S: Final = 1


class WorkerDied(BackendUnavailable):
    """The thread that works on all requests has ended; the process must be started anew."""


class BatchSeen(NamedTuple):
    """What a batch was, for metrics.

    Parameters
    ----------
    requests, deals : int
    waited_s : tuple of float
        Seconds that each request waited.
    worked_s : float
        Seconds that the worker took for all.
    """

    requests: int
    deals: int
    waited_s: tuple[float, ...]
    worked_s: float


@dataclass(slots=True, eq=False)
class _Waiting(Generic[Payload, Result]):
    """One request that waits for the worker, or is being worked on."""

    key: Hashable
    payload: Payload
    deals: int
    most_deals: int
    since: float
    answer: "asyncio.Future[Result]" = field(repr=False)
    started: float = 0.0


class _Batch(NamedTuple, Generic[Payload, Result]):
    """What the worker is given at once; ``done`` is for the owner task."""

    requests: list[_Waiting[Payload, Result]]
    loop: asyncio.AbstractEventLoop
    done: "asyncio.Future[None]"


class Batcher(Generic[Payload, Result]):
    """Collects requests into batches for one worker thread.

    Parameters
    ----------
    work : callable
        ``work(key, payloads)`` gives one result for each payload. Called in the worker thread and
        nowhere else; all payloads of a call have the same key.
    max_batch_deals, max_batch_requests : int
        Budget of one batch; a single request may be larger and is then alone.
    max_queue_deals : int
        Deals that may wait; beyond that requests are refused with 429.
    on_failure : callable, optional
        Called on the event loop with the error when the device fails or the worker dies: nothing
        more will be answered.
    observe : callable, optional
        Called on the event loop with each :class:`BatchSeen`.
    """

    def __init__(
        self,
        work: Callable[[Any, Sequence[Payload]], Sequence[Result]],
        *,
        max_batch_deals: int = 65_536,
        max_batch_requests: int = 256,
        max_queue_deals: int = 1_000_000,
        on_failure: Callable[[BidcascadeError], None] | None = None,
        observe: Callable[[BatchSeen], None] | None = None,
    ) -> None:
        self._work = work
        self.max_batch_deals = max_batch_deals
        self.max_batch_requests = max_batch_requests
        self.max_queue_deals = max_queue_deals
        self._on_failure = on_failure
        self._observe = observe
        self._lanes: dict[Lane, deque[_Waiting[Payload, Result]]] = {
            "small": deque(),
            "part": deque(),
        }
        self.queued_deals = 0
        """Deals of requests that wait for the worker."""
        self.dropped = 0
        """Requests that nobody waited for any more when their turn came."""
        self._deals_a_second = 0.0
        self._last_lane: Lane = "part"
        self._is_busy = False
        self._state: Literal["open", "closing", "dead"] = "open"
        self._death: BidcascadeError | None = None
        self._hand_over: SimpleQueue[_Batch[Payload, Result] | None] = SimpleQueue()
        self._owner: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        self._thread: threading.Thread | None = None

    async def ask(
        self,
        key: Hashable,
        payload: Payload,
        *,
        deals: int,
        lane: Lane = "small",
        is_started: bool = False,
        most_deals: int | None = None,
    ) -> Result:
        """Wait for the result of one request, and note how long it waited and was worked on.

        Parameters
        ----------
        key : hashable
            Requests of one key may be worked on together.
        deals : int
            What the request costs of the budgets.
        lane : {"small", "part"}
            ``part`` for a part of a long answer.
        started : bool
            Whether earlier parts of the answer are on their way: it may then not be refused for
            want of room. Such an answer asks for one part at a time.
        most_deals : int, optional
            Deals of a batch that begins with this request: all in it wait for the whole batch.

        Raises
        ------
        Problem
            429 if too much waits, 503 if the service is being stopped.
        WorkerDied, DeviceFault
            If the worker cannot answer any more.
        """
        self._check_open()
        if not is_started:
            self._check_room(deals)
        loop = asyncio.get_running_loop()
        if self._owner is None:
            self._start(loop)
        waiting = _Waiting[Payload, Result](
            key,
            payload,
            deals,
            most_deals or self.max_batch_deals,
            time.monotonic(),
            loop.create_future(),
        )
        self._lanes[lane].append(waiting)
        self.queued_deals += deals
        self._wake.set()
        result = await waiting.answer
        stages = current_stages()
        if stages is not None:
            stages.add("queue", waiting.started - waiting.since)
            stages.add("engine", time.monotonic() - waiting.started)
        return result

    def answer_now(
        self, key: Hashable, payload: Payload, *, deals: int, free: AbstractContextManager[bool]
    ) -> Result | None:
        """Answer one short question on the event loop, if nothing waits and nobody works.

        The way to the worker thread and back costs more than such an answer.

        Parameters
        ----------
        key, payload, deals
            As in :meth:`ask`.
        free : context manager
            Says whether the engine is free, and holds it meanwhile.

        Returns
        -------
        Result or None
            None if the question has to wait: ask as ever.
        """
        if self._state != "open" or self._is_busy or any(self._lanes.values()):
            return None
        with free as is_free:
            if not is_free:
                return None
            started = time.monotonic()
            try:
                (result,) = self._work(key, [payload])
            except BaseException as error:
                if isinstance(error, Exception):
                    raise
                # as in the thread: this is no exception of a request
                self._die(died := _death_by(error), [])
                self._wake.set()
                raise died from error
            worked = time.monotonic() - started
        self._saw(1, deals, (0.0,), worked)
        stages = current_stages()
        if stages is not None:
            stages.add("engine", worked)
        return result

    async def close(self) -> None:
        """Answer what has been accepted, take nothing more, and end the worker."""
        if self._state == "open":
            self._state = "closing"
        self._wake.set()
        if self._owner is not None:
            await self._owner
        if self._thread is not None:
            # it has nothing left to do; a thread must not block the event loop all the same
            await asyncio.to_thread(self._thread.join)
            self._thread = None

    # --- on the event loop --------------------------------------------------------------------

    def _check_open(self) -> None:
        if self._state == "dead":
            assert self._death is not None
            raise self._death
        if self._state == "closing":
            raise Problem("not-ready", "the service is being stopped", headers={"Retry-After": "1"})

    def _check_room(self, deals: int) -> None:
        if self.queued_deals and self.queued_deals + deals > self.max_queue_deals:
            wait = self.queued_deals / self._deals_a_second if self._deals_a_second else 0.0
            raise Problem(
                "overloaded",
                f"expected at most {self.max_queue_deals:,} deals that wait (setting "
                f"max_queue_deals), got {self.queued_deals:,} and {deals:,} more",
                headers={"Retry-After": str(max(_SHORTEST_RETRY_S, math.ceil(wait)))},
            )

    def _start(self, loop: asyncio.AbstractEventLoop) -> None:
        self._thread = threading.Thread(target=self._serve, name="engine", daemon=True)
        self._thread.start()
        self._owner = loop.create_task(self._own(loop), name="batcher")

    async def _own(self, loop: asyncio.AbstractEventLoop) -> None:
        """Give the worker one batch after the other until the batcher is closed or dead."""
        try:
            while self._state != "dead":
                batch = self._next_batch()
                if batch:
                    await self._work_on(batch, loop)
                elif self._state == "closing":
                    return
                else:
                    self._wake.clear()
                    await self._wake.wait()
        finally:
            # also where the loop itself ends: no thread is left behind
            self._hand_over.put(None)

    def _next_batch(self) -> list[_Waiting[Payload, Result]]:
        """Take the oldest request of the lane whose turn it is, and what may go with it."""
        small, part = self._lanes["small"], self._lanes["part"]
        self._drop_abandoned(small)
        self._drop_abandoned(part)
        lane: Lane = "small" if small and (self._last_lane == "part" or not part) else "part"
        waiting = self._lanes[lane]
        if not waiting:
            return []
        self._last_lane = lane
        first = waiting.popleft()
        batch, deals = [first], first.deals
        most_deals = min(first.most_deals, self.max_batch_deals)
        # parts of long answers go one by one: small requests wait for the end of a batch
        left: deque[_Waiting[Payload, Result]] = deque()
        while waiting and lane == "small" and len(batch) < self.max_batch_requests:
            one = waiting.popleft()
            if one.answer.done():
                self._forget(one)
            elif one.key == first.key and deals + one.deals <= most_deals:
                batch.append(one)
                deals += one.deals
            else:
                left.append(one)
        waiting.extendleft(reversed(left))
        self.queued_deals -= deals
        return batch

    def _drop_abandoned(self, waiting: deque[_Waiting[Payload, Result]]) -> None:
        while waiting and waiting[0].answer.done():
            self._forget(waiting.popleft())

    def _forget(self, waiting: _Waiting[Payload, Result]) -> None:
        self.queued_deals -= waiting.deals
        self.dropped += 1

    async def _work_on(
        self, batch: list[_Waiting[Payload, Result]], loop: asyncio.AbstractEventLoop
    ) -> None:
        started = time.monotonic()
        for one in batch:
            one.started = started
        done: asyncio.Future[None] = loop.create_future()
        self._is_busy = True
        self._hand_over.put(_Batch(batch, loop, done))
        try:
            await done
        except BidcascadeError as error:
            self._die(error, batch)
            return
        waited = tuple(started - one.since for one in batch)
        self._saw(len(batch), sum(one.deals for one in batch), waited, time.monotonic() - started)

    def _saw(self, requests: int, deals: int, waited_s: tuple[float, ...], worked_s: float) -> None:
        if worked_s > 0:
            self._deals_a_second += (deals / worked_s - self._deals_a_second) / 8
        if self._observe is not None:
            self._observe(BatchSeen(requests, deals, waited_s, worked_s))

    def _die(self, error: BidcascadeError, batch: list[_Waiting[Payload, Result]]) -> None:
        """Answer nothing any more: tell those who wait, and whoever runs the service."""
        self._state, self._death = "dead", error
        for one in (*batch, *self._lanes["small"], *self._lanes["part"]):
            if not one.answer.done():
                one.answer.set_exception(error)
                # whoever asked may have gone
                one.answer.exception()
        for lane in self._lanes.values():
            lane.clear()
        self.queued_deals = 0
        if self._on_failure is not None:
            self._on_failure(error)

    def _deliver(
        self,
        answers: list[tuple[_Waiting[Payload, Result], Result | Exception]],
        done: "asyncio.Future[None]",
        death: BidcascadeError | None,
    ) -> None:
        """Hand answers to those who wait."""
        # whoever has its answer may ask again before the owner task runs
        self._is_busy = False
        for waiting, result in answers:
            if waiting.answer.done():
                continue
            if isinstance(result, Exception):
                waiting.answer.set_exception(result)
            else:
                waiting.answer.set_result(result)
        if done.done():
            return
        if death is not None:
            done.set_exception(death)
        else:
            done.set_result(None)

    # --- in the worker thread -----------------------------------------------------------------

    def _serve(self) -> None:
        while (batch := self._hand_over.get()) is not None:
            answers: list[tuple[_Waiting[Payload, Result], Result | Exception]] = []
            death: BidcascadeError | None = None
            try:
                answers = self._answers(batch.requests)
            except DeviceFault as fault:
                death = fault
            except BaseException as error:
                # no exception of a request, such as SystemExit: the thread ends, and must be missed
                death = _death_by(error)
            # a loop that has ended meanwhile has nobody left who waits
            with suppress(RuntimeError):
                batch.loop.call_soon_threadsafe(self._deliver, answers, batch.done, death)
            if isinstance(death, WorkerDied):
                return
            # nothing of a batch is held while the next one is waited for
            del batch, answers

    def _answers(
        self, batch: list[_Waiting[Payload, Result]]
    ) -> list[tuple[_Waiting[Payload, Result], Result | Exception]]:
        """Answer a batch; if it fails, its requests one by one, each once."""
        try:
            results = self._work(batch[0].key, [one.payload for one in batch])
            return list(zip(batch, results, strict=True))
        except DeviceFault:
            raise
        except Exception as error:
            if len(batch) == 1:
                return [(batch[0], error)]
            _logger.warning(
                "a batch of %d requests failed (%s), they are tried one by one", len(batch), error
            )
        return [answer for one in batch if not one.answer.done() for answer in self._answers([one])]


def _death_by(error: BaseException) -> WorkerDied:
    death = WorkerDied(f"the engine's thread ended: {type(error).__name__}: {error}")
    death.__cause__ = error
    _logger.critical("%s", death)
    return death
