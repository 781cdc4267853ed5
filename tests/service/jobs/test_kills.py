"""Service, process of the job and command killed six times each, at any moment from the first.

Nothing is lost, and what comes of it is what comes of a run that nobody disturbs.
"""

import functools
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import httpx
import polars as pl
import pytest

from benchmarks.server import running_server, wait_until
from bidcascade.service.engine import Engine
from bidcascade.service.runs.batch import run_batch
from tests.service.jobs.support_jobs import archive
from tests.service.jobs.test_job_server import begin, children_of, files_of, wait_for
from tests.support_cli import command, environment
from tests.support_examples import sized
from tests.support_service import write_small_table

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc"),
    pytest.mark.timeout(1200),
]

KILLS = sized(3, 6)
BOARDS = archive(600)


@pytest.fixture
def serve(tmp_path):
    """Start a server of the small table; it always has the same data folder."""
    return functools.partial(
        running_server, table=f"small={write_small_table(tmp_path)}", backend="cpu",
        data_folder=tmp_path / "data", job_part_deals=10, max_running_jobs=1,
    )  # fmt: skip


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


@pytest.mark.parametrize("mode", ["first", "all", "counts"])
def test_the_command(tmp_path, mode):
    chance = random.Random(3)
    (tmp_path / "season.lin").write_bytes(BOARDS)
    table = write_small_table(tmp_path)
    engine = Engine.open(str(table), "cpu")
    run_batch(engine, tmp_path / "season.lin", tmp_path / "undisturbed", mode=mode, jobs=1)
    words = command(
        "batch", tmp_path / "season.lin", "--table", table, "--backend", "cpu", "--mode", mode,
        "--part-deals", 10, "--jobs", 1, "--resume", "--out", tmp_path / "out",
    )  # fmt: skip
    for _ in range(KILLS):
        process = subprocess.Popen(words, env=environment(), stderr=subprocess.PIPE)
        try:
            _, said = process.communicate(timeout=chance.uniform(0.2, 3))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        else:
            assert process.returncode == 0, said
    finished = subprocess.run(words, env=environment(), capture_output=True, check=False)
    assert finished.returncode == 0, finished.stderr
    for pattern in ("auctions-*", "boards-*", "rejects-*", "counts.parquet", "entries.parquet"):
        assert rows(tmp_path / "out", pattern).equals(rows(tmp_path / "undisturbed", pattern))


def rows(folder, pattern):
    """Rows of some files of a batch, however they were cut."""
    files = sorted(folder.glob(pattern))
    return pl.concat([pl.read_parquet(file) for file in files]) if files else pl.DataFrame()
