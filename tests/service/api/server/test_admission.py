"""The line in which long work waits: order, refusals, and that no place is lost."""

import asyncio
import threading

import pytest

from bidcascade.bridge import Cancelled
from bidcascade.engine.settings import Settings
from bidcascade.service.api.http.problems import Problem
from bidcascade.service.api.shared.admission import SHARE_FOR_WAITING, Line
from bidcascade.service.api.shared.waiting import iter_waiting, run_waiting
from bidcascade.service.api.shared.work import AppState


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


class Client:
    """A client that waits for its answer until it leaves."""

    def __init__(self):
        self.left = asyncio.Event()

    async def receive(self):
        await self.left.wait()
        return {"type": "http.disconnect"}


class Work:
    """Work units of one line, each of which ends when it is let go."""

    def __init__(self, places=1, limit_s=3600.0):
        self.state = AppState(Settings(table="sayc", dd_workers=places))
        self.limit_s = limit_s
        self.began = []
        self.gates = {}
        self.heed = set()

    def gate(self, name):
        return self.gates.setdefault(name, threading.Event())

    @property
    def line(self):
        return self.turn(0.0).line

    def turn(self, limit_s):
        return self.state.turn("kind", asyncio.get_running_loop().time(), limit_s)

    async def ask(self, name, client=None, limit_s=None):
        def task(given_up):
            self.began.append(name)
            while not self.gate(name).wait(0.001):
                if given_up.is_set() and name in self.heed:
                    raise Cancelled("given up")
            return name

        turn = self.turn(self.limit_s if limit_s is None else limit_s)
        return await run_waiting(self.state, client or Client(), task, turn)

    async def until(self, is_so):
        while not is_so():
            await asyncio.sleep(0.001)

    async def free(self):
        """Wait until all places are given back."""
        await self.until(lambda: not (self.line.working or self.line.waiting))


def run(scenario):
    asyncio.run(asyncio.wait_for(scenario, 60))


async def worked(line, clock, seconds, times):
    """Let works of so many seconds end."""
    for _ in range(times):
        place = await line.place(limit_s=1000)
        clock.now += seconds
        place.give_back()


@pytest.mark.parametrize("places", [1, 3])
def test_requests_are_worked_on_in_the_order_of_arrival(places):
    async def scenario():
        work = Work(places)
        asked = [asyncio.create_task(work.ask(number)) for number in range(8)]
        for number in range(8):
            expected = min(number + places, 8)
            await work.until(lambda expected=expected: len(work.began) == expected)
            assert sorted(work.began) == list(range(expected))
            assert work.line.waiting == 8 - expected
            work.gate(number).set()
            assert await asked[number] == number
        await work.free()

    run(scenario())


def test_whoever_comes_to_a_free_place_is_never_refused():
    async def scenario():
        clock = Clock()
        line = Line(2, clock)
        await worked(line, clock, 500.0, 40)
        first = await line.place(limit_s=0.001)
        second = await line.place(limit_s=0.0)
        with pytest.raises(Problem):
            await line.place(limit_s=0.001)
        first.give_back()
        (await line.place(limit_s=0.001)).give_back()
        second.give_back()
        assert line.working == 0

    run(scenario())


def test_what_cannot_end_in_time_is_refused_at_once_and_told_when_to_come():
    async def scenario():
        clock = Clock()
        line = Line(2, clock)
        await worked(line, clock, 10.0, 400)
        held = [await line.place(limit_s=1000) for _ in range(2)]
        waiting = []
        # each two in line take ten seconds, and those at work five more
        for _ in range(6):
            waiting.append(asyncio.create_task(line.place(limit_s=1000)))
            await asyncio.sleep(0)
        assert line.expected_wait_s() == pytest.approx(35, rel=1e-3)
        with pytest.raises(Problem) as refusal:
            await line.place(limit_s=34 / SHARE_FOR_WAITING)
        assert (refusal.value.status, refusal.value.headers["Retry-After"]) == (429, "35")
        waiting.append(asyncio.create_task(line.place(limit_s=36 / SHARE_FOR_WAITING)))
        await asyncio.sleep(0)
        assert line.waiting == 7
        for place in held:
            place.give_back()
        for one in waiting:
            (await one).give_back()
        assert (line.working, line.waiting) == (0, 0)

    run(scenario())


def test_works_of_another_size_say_nothing_of_a_size():
    async def scenario():
        clock = Clock()
        line = Line(1, clock)
        await worked(line, clock, 100.0, 50)
        held = await line.place(limit_s=1000, size="small")
        waiting = []
        for _ in range(30):
            waiting.append(asyncio.create_task(line.place(limit_s=10, size="small")))
            await asyncio.sleep(0)
        assert line.waiting == 30
        held.give_back()
        for one in waiting:
            (await one).give_back()
        # what stands in line counts by its own size, whoever comes behind it
        held = await line.place(limit_s=1000, size="small")
        large = asyncio.create_task(line.place(limit_s=1000))
        await asyncio.sleep(0)
        with pytest.raises(Problem):
            await line.place(limit_s=90, size="small")
        held.give_back()
        (await large).give_back()

    run(scenario())


def test_a_budget_counts_from_the_arrival_of_its_request():
    async def scenario():
        clock = Clock()
        line = Line(1, clock)
        await worked(line, clock, 10.0, 400)
        held = await line.place(limit_s=1000)
        limit_s = 12 / SHARE_FOR_WAITING
        with pytest.raises(Problem):
            await line.place(limit_s=limit_s, since=clock.now - 8)
        waiting = asyncio.create_task(line.place(limit_s=limit_s, since=clock.now - 6))
        await asyncio.sleep(0)
        assert line.waiting == 1
        held.give_back()
        (await waiting).give_back()

    run(scenario())


def test_who_waits_is_refused_when_works_turn_out_to_be_long():
    async def scenario():
        clock = Clock()
        line = Line(1, clock)
        held = await line.place(limit_s=1000)
        waiting = []
        # of these works nothing is known: all are let in
        for _ in range(20):
            waiting.append(asyncio.create_task(line.place(limit_s=40 / SHARE_FOR_WAITING)))
            await asyncio.sleep(0)
        assert line.waiting == 20
        done = 0
        while held is not None:
            clock.now += 10
            held.give_back()
            done += 1
            await asyncio.sleep(0.005)
            ended = [one for one in waiting if one.done()]
            waiting = [one for one in waiting if not one.done()]
            places = [one.result() for one in ended if one.exception() is None]
            assert len(places) <= 1
            held = places[0] if places else None
        assert not waiting
        assert 3 <= done <= 6
        assert (line.working, line.waiting) == (0, 0)

    run(scenario())


def test_who_still_waits_when_the_time_is_over_is_refused():
    async def scenario():
        work = Work()
        first = asyncio.create_task(work.ask("first"))
        await work.until(lambda: work.began)
        with pytest.raises(Problem) as refusal:
            await work.ask("second", limit_s=0.02)
        assert refusal.value.status == 429
        assert int(refusal.value.headers["Retry-After"]) >= 1
        work.gate("first").set()
        assert await first == "first"
        await work.free()
        assert work.began == ["first"]

    run(scenario())


def test_no_place_is_lost_when_clients_go():
    async def scenario():
        work = Work()
        clients = [Client() for _ in range(4)]
        asked = [
            asyncio.create_task(work.ask(number, client)) for number, client in enumerate(clients)
        ]
        await work.until(lambda: work.line.waiting == 3)
        # one in line, and the one that is worked on
        clients[1].left.set()
        with pytest.raises(Cancelled):
            await asked[1]
        work.heed = {0}
        clients[0].left.set()
        with pytest.raises(Cancelled):
            await asked[0]
        # and one whose task the server ends
        asked[2].cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked[2]
        work.gate(2).set()
        work.gate(3).set()
        assert await asked[3] == 3
        await work.free()
        assert 1 not in work.began

    run(scenario())


def test_what_was_given_up_has_its_place_until_it_ends():
    async def scenario():
        work = Work()
        first = asyncio.create_task(work.ask("first"))
        await work.until(lambda: work.began)
        second = asyncio.create_task(work.ask("second"))
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        assert (work.line.working, work.line.waiting) == (1, 1)
        work.gate("first").set()
        work.gate("second").set()
        assert await second == "second"
        await work.free()

    run(scenario())


def test_an_answer_in_parts_waits_for_its_turn_and_gives_it_back():
    async def scenario():
        work = Work()
        first = asyncio.create_task(work.ask("first"))
        await work.until(lambda: work.began)

        async def parts(limit_s):
            asked = iter_waiting(
                work.state, Client(), lambda given_up: iter([b"a", b"b"]), work.turn(limit_s)
            )
            return [part async for part in asked]

        with pytest.raises(Problem):
            await parts(0.02)
        waiting = asyncio.create_task(parts(3600.0))
        await work.until(lambda: work.line.waiting == 1)
        work.gate("first").set()
        assert await waiting == [b"a", b"b"]
        assert await first == "first"
        await work.free()

    run(scenario())
