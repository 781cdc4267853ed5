"""The store of jobs: transitions, two that come at once, a process that is killed at any moment."""

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from bidcascade.service.jobs.store import (
    ENDED,
    STATES,
    JobStore,
    QueueFull,
    ResultFile,
    StoreFailed,
)
from tests.support.cli import environment


@pytest.fixture
def store(tmp_path):
    store = JobStore(tmp_path / "jobs.sqlite")
    yield store
    store.close()


FILES = [ResultFile("auctions.parquet", 12, "application/vnd.apache.parquet")]


def test_a_job_from_begin_to_end(store):
    job = store.add("a", {"mode": "first", "input": "Club «é»"}, most_queued=5)
    assert (job.number, job.state, job.crashes, job.started) == (1, "queued", 0, None)
    assert job.request == {"mode": "first", "input": "Club «é»"}
    taken = store.take()
    assert (taken.id, taken.state, taken.crashes) == ("a", "running", 0)
    store.see_progress("a", 100, 2, None, comes_on=False)
    store.see_progress("a", 200, 2, 300, comes_on=True)
    assert store.finish("a", 300, 3, FILES)
    job = store.get("a")
    assert (job.state, job.boards, job.rejects, job.boards_in_all) == ("done", 300, 3, 300)
    assert job.results == tuple(FILES)
    assert job.created <= job.started <= job.ended
    assert store.get("b") is None


def test_the_oldest_is_taken_first_also_after_it_was_put_back(store):
    for name in "abc":
        store.add(name, {}, most_queued=5)
    assert [store.take().id, store.take().id] == ["a", "b"]
    assert store.put_back("a", crashed=False)
    taken = store.take()
    assert (taken.id, taken.crashes) == ("a", 0)
    assert store.put_back("a", crashed=True)
    assert store.take().crashes == 1
    # what is answered of a part, but not written, may be lost again
    store.see_progress("a", 1, 0, None, comes_on=False)
    assert store.get("a").crashes == 1
    store.see_progress("a", 1, 0, None, comes_on=True)
    assert store.get("a").crashes == 0


def test_a_service_that_dies_is_no_crash_of_its_jobs(store):
    for name in "abc":
        store.add(name, {}, most_queued=5)
    for _ in range(20):
        assert [store.take().id, store.take().id] == ["a", "b"]
        assert store.put_all_back() == 2
    assert store.get("a").crashes == 0
    store.take(), store.take()
    # those that are worked on stay
    assert store.put_all_back(["b"]) == 1
    assert store.states() == {"a": "queued", "b": "running", "c": "queued"}


def test_a_change_that_cannot_be_ended_stops_no_other(store, tmp_path):
    """The disk is full when the transaction is to be written down."""
    store.add("a", {}, most_queued=5)

    class FailsOnce:
        def __init__(self, connection):
            self.connection, self.left = connection, 1

        def execute(self, statement, *values):
            if statement == "COMMIT" and self.left:
                self.left -= 1
                raise sqlite3.OperationalError("database or disk is full")
            return self.connection.execute(statement, *values)

        def __getattr__(self, name):
            return getattr(self.connection, name)

    store._writer = FailsOnce(store._writer)
    with pytest.raises(StoreFailed, match="disk is full"):
        store.add("b", {}, most_queued=5)
    assert store.get("b") is None
    assert store.add("c", {}, most_queued=5).state == "queued"
    assert store.take().id == "a"


def test_a_store_of_before(tmp_path):
    """It counted how often a job was begun."""
    path = tmp_path / "jobs.sqlite"
    JobStore(path).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("ALTER TABLE jobs RENAME COLUMN crashes TO attempts")
        connection.execute(
            "INSERT INTO jobs (id, state, request, created, started, attempts) "
            "VALUES ('a', 'running', '{}', 1.0, 2.0, 3)"
        )
        connection.execute("PRAGMA user_version = 1")
    store = JobStore(path)
    assert store.put_all_back() == 1
    assert store.take().crashes == 0
    store.close()


def test_only_so_many_wait(store):
    store.add("a", {}, most_queued=1)
    with pytest.raises(QueueFull):
        store.add("b", {}, most_queued=1)
    assert store.get("b") is None
    store.take()
    store.add("b", {}, most_queued=1)


def test_pages(store):
    for number in range(5):
        store.add(str(number), {}, most_queued=10)
    assert [job.id for job in store.page(2)] == ["4", "3"]
    assert [job.id for job in store.page(9, store.page(2)[-1].number)] == ["2", "1", "0"]


def test_jobs_that_ended_long_ago_are_removed(store):
    for name in "abc":
        store.add(name, {}, most_queued=5)
    store.take()
    store.fail("a", "reason")
    store.cancel("b")
    assert store.remove_ended_before(store.get("a").ended - 1) == []
    assert sorted(store.remove_ended_before(time.time() + 1)) == ["a", "b"]
    assert store.counts() == {**dict.fromkeys(STATES, 0), "queued": 1}


def test_of_two_that_end_a_job_at_once_one_does(store):
    """Cancelled and done at the same time: never both, and what is told is what is written."""
    for number in range(50):
        name = str(number)
        store.add(name, {}, most_queued=5)
        store.take()
        told = {}
        start = threading.Barrier(2)

        def end(what, act, start=start, told=told):
            start.wait()
            told[what] = act()

        threads = [
            threading.Thread(target=end, args=("done", lambda n=name: store.finish(n, 1, 0, []))),
            threading.Thread(target=end, args=("cancelled", lambda n=name: store.cancel(n))),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(told.values()) == 1
        assert told[store.get(name).state]


def test_files_that_are_no_stores(tmp_path):
    path = tmp_path / "jobs.sqlite"
    path.write_bytes(b"not a database at all" * 10)
    with pytest.raises(StoreFailed, match=r"jobs\.sqlite"):
        JobStore(path)
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as connection:
        connection.execute("PRAGMA user_version = 7")
    connection.close()
    with pytest.raises(StoreFailed, match=r"version 2 in 'other\.sqlite', got 7"):
        JobStore(other)


def test_a_store_that_is_closed(store):
    store.close()
    with pytest.raises(StoreFailed):
        store.get("a")


class Transitions(RuleBasedStateMachine):
    """The store against a dictionary of states; it is opened anew at any moment."""

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "jobs.sqlite"
        self.store = JobStore(self.path)
        self.states = {}

    def teardown(self):
        self.store.close()
        self.folder.cleanup()

    names = st.sampled_from(["0", "1", "2", "3"])

    @precondition(lambda self: len(self.states) < 8)
    @rule()
    def add(self):
        name = str(len(self.states))
        if name in self.states:
            return
        if list(self.states.values()).count("queued") < 3:
            self.store.add(name, {}, most_queued=3)
            self.states[name] = "queued"
        else:
            with pytest.raises(QueueFull):
                self.store.add(name, {}, most_queued=3)

    @rule()
    def take(self):
        waiting = [name for name, state in self.states.items() if state == "queued"]
        taken = self.store.take()
        assert (taken.id if taken else None) == (waiting[0] if waiting else None)
        if taken:
            self.states[taken.id] = "running"

    @rule(name=names, state=st.sampled_from(["done", "failed", "cancelled", "queued"]))
    def change(self, name, state):
        change = {
            "done": lambda: self.store.finish(name, 3, 1, []),
            "failed": lambda: self.store.fail(name, "reason"),
            "cancelled": lambda: self.store.cancel(name),
            "queued": lambda: self.store.put_back(name, crashed=True),
        }[state]
        allowed = ("running", "queued") if state == "cancelled" else ("running",)
        expected = self.states.get(name) in allowed
        assert change() is expected
        if expected:
            self.states[name] = state

    @rule(name=names)
    def remove(self, name):
        expected = self.states.get(name) in ENDED
        assert self.store.remove(name) is expected
        if expected:
            self.states[name] = "gone"

    @rule()
    def open_anew(self):
        self.store.close()
        self.store = JobStore(self.path)
        self.store.put_all_back()
        for name, state in self.states.items():
            if state == "running":
                self.states[name] = "queued"

    @invariant()
    def agrees(self):
        expected = {name: state for name, state in self.states.items() if state != "gone"}
        assert self.store.states() == expected
        assert sum(self.store.counts().values()) == len(expected)
        for name, state in expected.items():
            job = self.store.get(name)
            assert (job.ended is not None) == (state in ENDED)
            assert (job.error is not None) == (state == "failed")


TestTransitions = Transitions.TestCase
TestTransitions.settings = settings(max_examples=15, stateful_step_count=30, deadline=None)

CHURN = """
import sys
from pathlib import Path
from bidcascade.service.jobs.store import JobStore

store = JobStore(Path(sys.argv[1]))
store.put_all_back()
number = max((job.number for job in store.page(1)), default=0)
while True:
    number += 1
    name = f"{number}-{sys.argv[2]}"
    store.add(name, {"number": number}, most_queued=100)
    print("added", name, flush=True)
    job = store.take()
    store.see_progress(job.id, 5, 0, None, comes_on=True)
    if number % 3 == 0:
        store.fail(job.id, "reason")
    elif number % 3 == 1:
        store.cancel(job.id)
    else:
        store.finish(job.id, 5, 0, [])
    print("ended", job.id, flush=True)
    if number % 5 == 0:
        store.remove(job.id)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_killed_at_any_moment(tmp_path):
    """What was told to be done is done after the kill, and nothing is in between two states."""
    path = tmp_path / "jobs.sqlite"
    for attempt, wait_s in enumerate((0.0, 0.013, 0.04, 0.1, 0.17)):
        process = subprocess.Popen(
            [sys.executable, "-c", CHURN, path, str(attempt)],
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        first = process.stdout.readline()
        time.sleep(wait_s)
        process.send_signal(signal.SIGKILL)
        told = [first, *process.stdout.read().splitlines(keepends=True)]
        process.wait()
        process.stdout.close()
        store = JobStore(path)
        states = store.states()
        for line in told:
            if not line.endswith("\n"):
                continue
            what, name = line.split()
            if what == "ended":
                assert states.get(name, "done") in ENDED
        assert list(states.values()).count("running") <= 1
        for job in store.page(1000):
            assert (job.ended is not None) == (job.state in ENDED)
        store.close()
        check = sqlite3.connect(path)
        assert check.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        check.close()
