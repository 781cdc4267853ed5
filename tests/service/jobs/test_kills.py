"""Service, and process of the job, killed six times each, at any moment from the first.

Nothing is lost, and what comes of it is what comes of a run that nobody disturbs. What each kind of
run does when it is killed is tried in ``tests/engine/runs/test_runs_killed.py``.
"""

import functools
import os
import random
import signal
import time
from pathlib import Path

import httpx
import pytest

from benchmarks.tools.server import running_server, wait_until
from tests.service.jobs.support_jobs import archive
from tests.service.jobs.test_job_server import begin, children_of, files_of, wait_for
from tests.support.examples import sized
from tests.support.service import write_small_table

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc"),
    pytest.mark.timeout(1200),
]

KILLS = sized(2, 6)
BOARDS = archive(600)


@pytest.fixture
def serve(tmp_path):
    """Start a server of the small table; it always has the same data folder."""
    return functools.partial(
        running_server,
        table=f"small={write_small_table(tmp_path)}",
        backend="cpu",
        data_folder=tmp_path / "data",
        job_part_deals=10,
        max_running_jobs=1,
    )


def test_the_service(serve):
    chance = random.Random(1)
    with serve() as (url, process):
        wait_until(f"{url}/readyz", process)
        undisturbed = files_of(url, wait_for(url, begin(url, content=BOARDS)))
        # the second one waits all the time
        jobs = [begin(url, content=BOARDS), begin(url, content=BOARDS)]
        process.kill()
    for kill in range(KILLS - 1):
        with serve() as (url, process):
            if kill % 2:
                wait_until(f"{url}/readyz", process)
            time.sleep(chance.uniform(0, 2))
            process.kill()
            process.wait()
    with serve() as (url, process):
        wait_until(f"{url}/readyz", process)
        for job_id in jobs:
            assert files_of(url, wait_for(url, job_id)) == undisturbed


def test_the_process_of_a_job(serve):
    chance = random.Random(2)
    with serve() as (url, process):
        wait_until(f"{url}/readyz", process)
        undisturbed = files_of(url, wait_for(url, begin(url, content=BOARDS)))
        jobs = []
        kills = 0
        while kills < KILLS:
            jobs.append(begin(url, content=BOARDS))
            while kills < KILLS:
                time.sleep(chance.uniform(0, 2))
                for number in children_of(process.pid):
                    os.kill(number, signal.SIGKILL)
                    kills += 1
                if httpx.get(f"{url}/v1/jobs/{jobs[-1]}", timeout=60).json()["state"] == "done":
                    break
        for job_id in jobs:
            assert files_of(url, wait_for(url, job_id)) == undisturbed
