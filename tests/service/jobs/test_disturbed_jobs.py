"""Jobs while something around them fails: the store is locked, no process can be started."""

import asyncio
import errno
import os
import sqlite3
import sys
import threading
import time
from contextlib import closing, contextmanager

import httpx
import pytest

from bidcascade.service.jobs import child, queue, store
from tests.service.jobs.support_jobs import UPLOAD, archive, jobs_app, upload, use_module, wait_for
from tests.support.examples import sized
from tests.support.service import DEAL, ask, problem_of

pytestmark = pytest.mark.slow


@pytest.fixture
def app(tmp_path):
    app = jobs_app(tmp_path, job_part_deals=5)
    yield app
    app.state.own.jobs.close()


@contextmanager
def locked(path):
    """Another process's transaction on the store."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.execute("ROLLBACK")


@pytest.mark.skipif(sys.platform != "linux", reason="needs to know why a process was killed")
def test_a_process_that_others_kill_is_begun_again(app, tmp_path, monkeypatch):
    left = tmp_path / "left"
    left.write_text("7", "ascii")
    monkeypatch.setenv("KILLS_LEFT", str(left))
    use_module(monkeypatch, "support_killed_job")
    job = wait_for(app, upload(app, archive(3)).json()["id"])
    assert job["state"] == "done", job
    assert left.read_text("ascii") == "0"


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("counter", ["counts", "absent"])
def test_a_process_that_is_killed_for_its_memory_is_given_up(app, tmp_path, monkeypatch, counter):
    monkeypatch.setattr(
        child,
        "_kills_for_memory",
        {"counts": iter(range(99)).__next__, "absent": lambda: None}[counter],
    )
    left = tmp_path / "left"
    left.write_text("7", "ascii")
    monkeypatch.setenv("KILLS_LEFT", str(left))
    use_module(monkeypatch, "support_killed_job")
    job = wait_for(app, upload(app, archive(3)).json()["id"])
    assert job["state"] == "failed"
    assert f"was ended by signal 9 (SIGKILL) {queue.MOST_CRASHES} times" in job["error"]


def test_a_job_outlasts_a_lock_on_the_store(app, tmp_path, monkeypatch):
    monkeypatch.setattr(store, "_BUSY_S", 0.2)
    job_id = upload(app, archive(200)).json()["id"]
    wait_for(app, job_id, "running")
    with locked(tmp_path / "data" / "jobs.sqlite"):
        # longer than the process of the job takes to its end
        deadline = time.monotonic() + 100
        while app.state.own.jobs._children and time.monotonic() < deadline:
            assert ask(app, "GET", f"/v1/jobs/{job_id}").status_code == 200
            problem_of(ask(app, "DELETE", f"/v1/jobs/{job_id}"), 503, "jobs-unavailable")
            time.sleep(0.1)
    job = wait_for(app, job_id)
    assert job["state"] == "done", job
    assert job["progress"]["boards"] == 200


def test_a_lock_on_the_store_is_the_jobs_business_only(app, tmp_path, monkeypatch):
    """While a change waits for another process, all else is answered."""
    monkeypatch.setattr(store, "_BUSY_S", 3.0)
    job_id = wait_for(app, upload(app, archive(2)).json()["id"])["id"]
    bid = {"hand": DEAL[2:].split()[0], "auction": [], "table": "small"}

    async def ask_all():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            (await client.post("/v1/bid", json=bid)).raise_for_status()
            changes = [
                asyncio.create_task(client.post("/v1/jobs", content=archive(2), headers=UPLOAD))
                for _ in range(3)
            ]
            longest = 0.0
            while not any(change.done() for change in changes):
                began = time.monotonic()
                for answer in (
                    await client.post("/v1/bid", json=bid),
                    await client.get("/metrics"),
                    await client.get(f"/v1/jobs/{job_id}"),
                ):
                    assert answer.status_code == 200, answer.text
                longest = max(longest, time.monotonic() - began)
                await asyncio.sleep(0.05)
            return longest, await asyncio.gather(*changes)

    with locked(tmp_path / "data" / "jobs.sqlite"):
        longest, refused = asyncio.run(ask_all())
    assert longest < 2.0
    for answer in refused:
        problem_of(answer, 503, "jobs-unavailable")


def test_jobs_go_on_when_the_folder_can_be_used_again(tmp_path, monkeypatch):
    """Nobody has to ask for them."""
    monkeypatch.setattr(store, "_BUSY_S", 0.2)
    first = jobs_app(tmp_path, job_part_deals=5)
    job_id = upload(first, archive(300)).json()["id"]
    wait_for(first, job_id, "running")
    # holds the folder
    second = jobs_app(tmp_path, job_part_deals=5)
    second.state.own.jobs.resume()
    time.sleep(0.5)
    first.state.own.jobs.close()
    results = tmp_path / "data" / "jobs" / job_id / "results" / "auctions.parquet"
    deadline = time.monotonic() + 150
    while not results.exists():
        assert time.monotonic() < deadline, "the job was not gone on with"
        time.sleep(0.05)
    second.state.own.jobs.close()


def test_a_process_that_cannot_be_started_is_started_later(app, monkeypatch):
    failures = [OSError(errno.EAGAIN, "no more processes"), OSError(errno.ENOSPC, "disk full")]

    class Refused(child.Child):
        def __init__(self, start):
            if failures:
                raise failures.pop()
            super().__init__(start)

    monkeypatch.setattr(queue, "Child", Refused)
    job = wait_for(app, upload(app, archive(3)).json()["id"])
    assert job["state"] == "done", job
    assert not failures


def test_a_job_that_is_cancelled_while_its_process_starts_leaves_no_pipe(app, monkeypatch):
    made, get = [], store.JobStore.get

    class Noted(child.Child):
        def __init__(self, start):
            super().__init__(start)
            made.append(self)

    def cancel_then_get(jobs, job_id):
        if len(made) == 1:
            made.append(jobs.cancel(job_id))
        return get(jobs, job_id)

    monkeypatch.setattr(queue, "Child", Noted)
    monkeypatch.setattr(store.JobStore, "get", cancel_then_get)
    job = wait_for(app, upload(app, archive(300)).json()["id"])
    assert job["state"] == "cancelled"
    app.state.own.jobs.close()
    assert made[1]
    assert made[0]._process.stdout.closed


def test_a_thread_that_cannot_be_started_is_started_later(app, monkeypatch):
    wait_for(app, upload(app, archive(3)).json()["id"])
    start, refused = threading.Thread.start, []

    def refuse_once(thread):
        if thread.name.startswith("job-") and not refused:
            refused.append(thread)
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse_once)
    assert wait_for(app, upload(app, archive(3)).json()["id"])["state"] == "done"
    assert refused


def test_a_table_that_is_there_no_more(tmp_path):
    app = jobs_app(tmp_path, max_running_jobs=1, job_part_deals=5)
    job_id = upload(app, archive(300)).json()["id"]
    app.state.own.jobs.close()
    (tmp_path / "other").mkdir()
    app = jobs_app(
        tmp_path / "other",
        data_folder=str(tmp_path / "data"),
        table=f"other={tmp_path / 'small.jsonl'}",
    )
    job = wait_for(app, job_id)
    assert job["state"] == "failed"
    assert job["error"] == "expected the table 'small', which the service does not have any more"
    app.state.own.jobs.close()


def test_a_clock_that_leaps_removes_no_results(app, tmp_path, monkeypatch):
    monkeypatch.setattr(queue, "_SWEEP_S", 0.05)
    monkeypatch.setattr(queue, "_AGAIN_S", 0.05)
    hours = app.state.own.settings.job_retention_hours
    job_id = wait_for(app, upload(app, archive(3)).json()["id"])["id"]
    now = time.time
    for leap in (-2, 3, 0, 2, -3)[: sized(2, 5)]:
        monkeypatch.setattr(time, "time", lambda leap=leap: now() + 3600 * hours * leap)
        time.sleep(0.5)
        last = wait_for(app, upload(app, archive(2)).json()["id"])["id"]
    time.sleep(0.5)
    for name in (job_id, last):
        answer = ask(app, "GET", f"/v1/jobs/{name}/results/auctions.parquet")
        assert answer.status_code == 200, answer.text
