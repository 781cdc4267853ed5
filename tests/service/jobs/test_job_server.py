"""A service with jobs that is killed or stopped, as processes: nothing is lost, nothing stays."""

import functools
import os
import signal
import sys
import time
from pathlib import Path

import httpx
import pytest

from tests.service.jobs.support_jobs import UPLOAD, archive
from tests.support.service import ready_server

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc"),
]

COUNT = 700
BOARDS = archive(COUNT)


@pytest.fixture
def serve(tmp_path):
    """Start a server of the small table; it always has the same data folder."""
    return functools.partial(
        ready_server, tmp_path, backend="cpu", data_folder=tmp_path / "data", job_part_deals=5
    )


def begin(url, *, content=BOARDS):
    query = "result=parquet,jsonl,pbn&name=season.lin"
    answer = httpx.post(f"{url}/v1/jobs?{query}", content=content, headers=UPLOAD, timeout=60)
    assert answer.status_code == 202, answer.text
    return answer.json()["id"]


def wait_for(url, job_id, *states, boards=0):
    deadline = time.monotonic() + 300
    with httpx.Client(timeout=60) as client:
        while time.monotonic() < deadline:
            job = client.get(f"{url}/v1/jobs/{job_id}").json()
            is_there = job["state"] in (states or ("done", "failed"))
            if is_there and job["progress"]["boards"] >= boards:
                return job
            time.sleep(0.02)
    raise AssertionError(job)


def files_of(url, job):
    assert job["state"] == "done", job
    place = f"{url}/v1/jobs/{job['id']}/results"
    return {
        file["name"]: httpx.get(f"{place}/{file['name']}", timeout=60).content
        for file in job["results"]
    }


def children_of(process_id):
    """Processes that a process started, by what the system says."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == process_id:
                found.append(int(folder.name))
    return found


def wait_until_gone(process_ids):
    deadline = time.monotonic() + 150
    while any(Path("/proc", str(number)).exists() for number in process_ids):
        assert time.monotonic() < deadline, "a process is left over"
        time.sleep(0.02)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_killed_and_stopped_services_finish_their_jobs_with_the_same_bytes(serve):
    with serve() as (url, process):
        undisturbed = files_of(url, wait_for(url, begin(url)))
        job_id = begin(url)
        wait_for(url, job_id, "running", boards=20)
        children = children_of(process.pid)
        assert children
        # service and job at once, the first time; then the service alone; then in order
        os.kill(children[0], signal.SIGKILL)
        process.kill()
        process.wait()
        wait_until_gone(children)
    for ending in (signal.SIGKILL, signal.SIGTERM):
        with serve() as (url, process):
            # on a quick machine it may be done before its time to be disturbed has come
            before = wait_for(url, job_id, "running", "queued", "done")["progress"]["boards"]
            wait_for(url, job_id, "running", "done", boards=min(before + 20, COUNT))
            children = children_of(process.pid)
            process.send_signal(ending)
            assert process.wait(150) in (-ending, 0)
            wait_until_gone(children)
            assert b"Traceback" not in process.stderr.read()
    with serve() as (url, process):
        job = wait_for(url, job_id)
        assert files_of(url, job) == undisturbed
        assert job["progress"]["boards"] == COUNT


def test_a_long_upload_does_not_keep_others_waiting(serve):
    """Questions are answered while an archive comes in and is worked on."""
    with serve(max_running_jobs=1) as (url, process):
        asked = []

        def pieces():
            for start in range(0, len(BOARDS), 50_000):
                yield BOARDS[start : start + 50_000]
                asked.append(httpx.get(f"{url}/v1/tables", timeout=60).status_code)

        answer = httpx.post(f"{url}/v1/jobs", content=pieces(), headers=UPLOAD, timeout=60)
        assert answer.status_code == 202
        assert set(asked) == {200}
        # a client that leaves in the middle leaves nothing behind
        with pytest.raises(httpx.HTTPError), httpx.Client(timeout=60) as client:
            client.post(f"{url}/v1/jobs", content=broken(), headers=UPLOAD)
        waiting = begin(url)
        assert len(httpx.get(f"{url}/v1/jobs", timeout=60).json()["jobs"]) == 2
        assert httpx.delete(f"{url}/v1/jobs/{waiting}", timeout=60).status_code == 200
        process.send_signal(signal.SIGTERM)
        process.wait(150)
        assert b"Traceback" not in process.stderr.read()


def broken():
    yield BOARDS[:1000]
    raise httpx.ReadError("the client leaves")
