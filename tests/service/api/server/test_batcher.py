"""The batcher: what goes together, what is refused, and what happens when things fail."""

import asyncio
import threading
import time
from contextlib import nullcontext

import pytest

from bidcascade.bridge import DeviceFault, InvalidHand
from bidcascade.service.api.http.problems import Problem
from bidcascade.service.api.shared.batcher import Batcher, WorkerDied


class Work:
    """Work that waits until it is let go, and remembers its batches."""

    def __init__(self):
        self.batches = []
        self.gate = threading.Event()
        self.gate.set()
        self.threads = set()
        self.entered = 0

    def __call__(self, key, payloads):
        self.entered += 1
        assert self.gate.wait(120)
        self.threads.add(threading.current_thread().name)
        self.batches.append((key, list(payloads)))
        for payload in payloads:
            if isinstance(payload, BaseException):
                raise payload
        return [(key, payload) for payload in payloads]


async def held(batcher, work):
    """Keep the worker busy with one request; returns its task."""
    work.gate.clear()
    before = work.entered
    task = asyncio.create_task(batcher.ask("held", "held", deals=1))
    while work.entered == before:
        await asyncio.sleep(0.001)
    return task


def run(scenario):
    asyncio.run(asyncio.wait_for(scenario, 20))


def test_what_waits_becomes_one_batch_of_one_key():
    async def scenario():
        work, seen = Work(), []
        batcher = Batcher(work, observe=seen.append)
        first = await held(batcher, work)
        asked = [
            asyncio.create_task(batcher.ask(key, number, deals=2))
            for number, key in enumerate("aabab")
        ]
        await asyncio.sleep(0)
        assert batcher.queued_deals == 10
        work.gate.set()
        assert await first == ("held", "held")
        assert await asyncio.gather(*asked) == [("a", 0), ("a", 1), ("b", 2), ("a", 3), ("b", 4)]
        await batcher.close()
        assert work.batches == [("held", ["held"]), ("a", [0, 1, 3]), ("b", [2, 4])]
        assert work.threads == {"engine"}
        assert [(one.requests, one.deals) for one in seen] == [(1, 1), (3, 6), (2, 4)]
        assert all(len(one.waited_s) == one.requests and one.worked_s >= 0 for one in seen)
        assert batcher.queued_deals == 0

    run(scenario())


def test_a_batch_keeps_to_its_budgets():
    async def scenario():
        work = Work()
        batcher = Batcher(work, max_batch_deals=10, max_batch_requests=3)
        first = await held(batcher, work)
        sizes = [4, 4, 4, 1, 30, 1, 1, 1, 1]
        asked = [
            asyncio.create_task(batcher.ask("a", number, deals=size))
            for number, size in enumerate(sizes)
        ]
        await asyncio.sleep(0)
        work.gate.set()
        await asyncio.gather(first, *asked)
        await batcher.close()
        # one that is larger than the budget goes alone
        assert work.batches[1:] == [("a", [0, 1, 3]), ("a", [2, 5, 6]), ("a", [4]), ("a", [7, 8])]

    run(scenario())


def test_small_requests_and_parts_take_turns():
    async def scenario():
        work = Work()
        batcher = Batcher(work, max_batch_requests=2)
        first = await held(batcher, work)
        asked = [
            asyncio.create_task(batcher.ask("p", f"part {number}", deals=500, lane="part"))
            for number in range(3)
        ]
        asked += [asyncio.create_task(batcher.ask("s", number, deals=1)) for number in range(4)]
        await asyncio.sleep(0)
        work.gate.set()
        await asyncio.gather(first, *asked)
        await batcher.close()
        assert [batch for _, batch in work.batches[1:]] == [
            ["part 0"],
            [0, 1],
            ["part 1"],
            [2, 3],
            ["part 2"],
        ]

    run(scenario())


def test_one_bad_request_does_not_fail_its_neighbours():
    async def scenario():
        work = Work()
        batcher = Batcher(work)
        first = await held(batcher, work)
        bad = ValueError("bad")
        asked = [asyncio.create_task(batcher.ask("a", payload, deals=1)) for payload in (1, bad, 3)]
        await asyncio.sleep(0)
        work.gate.set()
        await first
        answers = await asyncio.gather(*asked, return_exceptions=True)
        assert answers == [("a", 1), bad, ("a", 3)]
        # each once more, and no more than once
        assert work.batches[1:] == [("a", [1, bad, 3]), ("a", [1]), ("a", [bad]), ("a", [3])]
        with pytest.raises(ValueError, match="bad"):
            await batcher.ask("a", bad, deals=1)
        assert work.batches[5:] == [("a", [bad])]
        assert await batcher.ask("a", 4, deals=1) == ("a", 4)
        await batcher.close()

    run(scenario())


def test_a_full_queue_is_429_and_recovers():
    async def scenario():
        work = Work()
        batcher = Batcher(work, max_queue_deals=10)
        # even one that is larger than the queue is answered when nothing waits
        assert await batcher.ask("a", 0, deals=50) == ("a", 0)
        first = await held(batcher, work)
        waiting = asyncio.create_task(batcher.ask("a", 1, deals=10))
        await asyncio.sleep(0)
        with pytest.raises(Problem, match=r"10 deals that wait .* got 10 and 1 more") as caught:
            await batcher.ask("a", 2, deals=1)
        assert caught.value.kind == "overloaded"
        assert int(caught.value.headers["Retry-After"]) >= 1
        batcher._deals_a_second = 2.5
        with pytest.raises(Problem, match="deals that wait") as caught:
            await batcher.ask("a", 2, deals=1)
        assert caught.value.headers["Retry-After"] == "4"
        work.gate.set()
        await asyncio.gather(first, waiting)
        assert await batcher.ask("a", 3, deals=1) == ("a", 3)
        await batcher.close()

    run(scenario())


def test_what_has_begun_goes_on_when_the_queue_is_full():
    async def scenario():
        work = Work()
        batcher = Batcher(work, max_queue_deals=10)
        first = await held(batcher, work)
        waiting = asyncio.create_task(batcher.ask("a", 1, deals=10))
        await asyncio.sleep(0)
        later_part = batcher.ask("a", 2, deals=10, lane="part", is_started=True)
        task = asyncio.create_task(later_part)
        await asyncio.sleep(0)
        assert batcher.queued_deals == 20
        # what has not begun is refused all the more
        with pytest.raises(Problem, match="got 20 and 1 more"):
            await batcher.ask("a", 3, deals=1, lane="part")
        work.gate.set()
        assert await asyncio.gather(waiting, task) == [("a", 1), ("a", 2)]
        await first
        await batcher.close()
        with pytest.raises(Problem, match="is being stopped"):
            await batcher.ask("a", 4, deals=1, is_started=True)

    run(scenario())


def test_cancelled_and_late_requests_are_dropped():
    async def scenario():
        work = Work()
        batcher = Batcher(work)
        first = await held(batcher, work)
        cancelled = asyncio.create_task(batcher.ask("a", "cancelled", deals=5))
        late = asyncio.create_task(asyncio.wait_for(batcher.ask("a", "late", deals=5), 0.01))
        patient = asyncio.create_task(batcher.ask("a", "patient", deals=5))
        await asyncio.sleep(0)
        cancelled.cancel()
        with pytest.raises(TimeoutError):
            await late
        work.gate.set()
        await first
        assert await patient == ("a", "patient")
        assert work.batches[1:] == [("a", ["patient"])]
        assert (batcher.dropped, batcher.queued_deals) == (2, 0)
        await batcher.close()

    run(scenario())


@pytest.mark.parametrize(
    ("payload", "kind"), [(DeviceFault("no answer"), DeviceFault), (SystemExit(3), WorkerDied)]
)
def test_death_is_told_to_all_and_to_whoever_runs_the_service(payload, kind):
    async def scenario():
        work, failures = Work(), []
        batcher = Batcher(work, on_failure=failures.append)
        first = await held(batcher, work)
        asked = [
            asyncio.create_task(batcher.ask(key, one, deals=1))
            for key, one in (("a", 1), ("a", payload), ("b", 2))
        ]
        await asyncio.sleep(0)
        work.gate.set()
        assert await first == ("held", "held")
        answers = await asyncio.gather(*asked, return_exceptions=True)
        assert [type(one) for one in answers] == [kind] * 3
        assert [type(one) for one in failures] == [kind]
        with pytest.raises(kind):
            await batcher.ask("a", 4, deals=1)
        await batcher.close()

    run(scenario())


def test_closing_answers_what_was_accepted():
    async def scenario():
        work = Work()
        batcher = Batcher(work)
        first = await held(batcher, work)
        asked = [asyncio.create_task(batcher.ask(str(n), n, deals=1)) for n in range(5)]
        await asyncio.sleep(0)
        closing = asyncio.create_task(batcher.close())
        await asyncio.sleep(0)
        with pytest.raises(Problem, match="being stopped"):
            await batcher.ask("a", 9, deals=1)
        work.gate.set()
        assert await asyncio.gather(first, *asked) == [
            ("held", "held"),
            *((str(n), n) for n in range(5)),
        ]
        await closing
        assert not [one for one in threading.enumerate() if one.name == "engine"]

    run(scenario())


def test_a_batcher_that_was_never_asked_closes():
    async def scenario():
        await Batcher(Work()).close()

    run(scenario())


def test_the_event_loop_runs_while_the_worker_works():
    async def scenario():
        batcher = Batcher(lambda key, payloads: [time.sleep(0.2)] * len(payloads))
        ticks = 0
        task = asyncio.create_task(batcher.ask("a", 1, deals=1))
        while not task.done():
            ticks += 1
            await asyncio.sleep(0.005)
        assert ticks > 3
        await batcher.close()

    run(scenario())


def test_a_short_question_to_a_free_engine_is_answered_at_once():
    async def scenario():
        work, seen = Work(), []
        batcher = Batcher(work, observe=seen.append)
        work.gate.set()
        free, busy = nullcontext(enter_result=True), nullcontext(enter_result=False)
        assert batcher.answer_now("a", 1, deals=3, free=free) == ("a", 1)
        assert work.threads == {threading.current_thread().name}
        assert seen == [(1, 3, (0.0,), seen[0].worked_s)]
        assert batcher.answer_now("a", 2, deals=3, free=busy) is None
        assert work.batches == [("a", [1])]

        work.gate.clear()
        first = await held(batcher, work)
        assert batcher.answer_now("a", 3, deals=1, free=free) is None, "the worker is at work"
        waiting = asyncio.create_task(batcher.ask("a", 4, deals=1))
        work.gate.set()
        assert await asyncio.gather(first, waiting) == [("held", "held"), ("a", 4)]
        await batcher.close()
        assert batcher.answer_now("a", 5, deals=1, free=free) is None

    run(scenario())


def test_whoever_has_an_answer_of_the_worker_may_be_answered_at_once_again():
    async def scenario():
        work = Work()
        work.gate.set()
        batcher = Batcher(work)
        free = nullcontext(enter_result=True)

        async def ask_twice():
            await batcher.ask("a", 1, deals=1)
            return batcher.answer_now("a", 2, deals=1, free=free)

        # in the same turn of the loop, before the owner of the worker runs again
        assert await asyncio.create_task(ask_twice()) == ("a", 2)
        await batcher.close()

    run(scenario())


def test_a_batch_is_no_longer_than_its_first_request_may_wait():
    async def scenario():
        work = Work()
        batcher = Batcher(work)
        first = await held(batcher, work)
        some = [
            asyncio.create_task(batcher.ask("a", number, deals=1, most_deals=2))
            for number in range(5)
        ]
        await asyncio.sleep(0)
        work.gate.set()
        await asyncio.gather(first, *some)
        assert work.batches[1:] == [("a", [0, 1]), ("a", [2, 3]), ("a", [4])]
        await batcher.close()

    run(scenario())


def test_what_fails_at_once_fails_as_ever():
    def work(key, payloads):
        raise InvalidHand("expected 13 cards, got 12")

    async def scenario():
        batcher = Batcher(work)
        with pytest.raises(InvalidHand, match="got 12"):
            batcher.answer_now("a", 1, deals=1, free=nullcontext(enter_result=True))
        with pytest.raises(InvalidHand, match="got 12"):
            await batcher.ask("a", 1, deals=1)
        await batcher.close()

    run(scenario())


def test_what_ends_a_thread_ends_the_batcher_at_once_too():
    def work(key, payloads):
        raise SystemExit("out")

    async def scenario():
        failures = []
        batcher = Batcher(work, on_failure=failures.append)
        with pytest.raises(WorkerDied, match="SystemExit: out"):
            batcher.answer_now("a", 1, deals=1, free=nullcontext(enter_result=True))
        with pytest.raises(WorkerDied):
            await batcher.ask("a", 1, deals=1)
        assert [type(one) for one in failures] == [WorkerDied]
        await batcher.close()

    run(scenario())
