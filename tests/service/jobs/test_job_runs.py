"""Jobs that are cancelled, killed, stopped, resumed; how many run and wait; what stays and goes."""

import asyncio
import os
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from bidcascade.service.api.http.downloads import file_answer
from bidcascade.service.jobs import queue
from tests.service.jobs.support_jobs import (
    archive,
    download,
    jobs_app,
    upload,
    use_module,
    wait_for,
)
from tests.support.service import ask, problem_of

pytestmark = pytest.mark.slow

LONG = archive(600)
"""Some seconds of work in parts of five."""
LONGER = archive(5000)
"""Not done before a test ends it."""
SETTINGS = {"job_part_deals": 5, "backend": "reference"}


@pytest.fixture
def app(tmp_path):
    app = jobs_app(tmp_path, **SETTINGS)
    yield app
    app.state.own.jobs.close()


def begin(app, content=LONGER, query="?result=jsonl"):
    """Id of a job that has been begun and has come some way."""
    answer = upload(app, content, query)
    assert answer.status_code == 202, answer.text
    job_id = answer.json()["id"]
    wait_for(app, job_id, "running")
    folder = app.state.own.jobs.path / "jobs" / job_id / "batch"
    deadline = time.monotonic() + 150
    while len(list(folder.glob("auctions-*"))) < 10:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return job_id


def process_of(app, job_id):
    return app.state.own.jobs._children[job_id].process_id


def is_alive(process_id):
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Files of a job that nobody disturbs."""
    app = jobs_app(tmp_path_factory.mktemp("undisturbed"), **SETTINGS)
    job = wait_for(app, upload(app, LONG, "?result=parquet,jsonl,pbn").json()["id"])
    files = {file["name"]: download(app, job["id"], file["name"]) for file in job["results"]}
    app.state.own.jobs.close()
    return files


def test_cancelled(app, tmp_path):
    job_id = begin(app)
    process = process_of(app, job_id)
    answer = ask(app, "DELETE", f"/v1/jobs/{job_id}")
    assert answer.status_code == 200
    assert answer.json()["state"] == "cancelled"
    assert answer.json()["ended"]
    assert not is_alive(process)
    assert not (tmp_path / "data" / "jobs" / job_id).exists()
    problem_of(ask(app, "GET", f"/v1/jobs/{job_id}/results/auctions.jsonl"), 404, "unknown-result")
    assert ask(app, "DELETE", f"/v1/jobs/{job_id}").status_code == 204
    problem_of(ask(app, "GET", f"/v1/jobs/{job_id}"), 404, "unknown-job")


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_a_job_whose_process_is_killed_gives_the_same_bytes(app, undisturbed):
    job_id = begin(app, LONG, "?result=parquet,jsonl,pbn")
    os.kill(process_of(app, job_id), signal.SIGKILL)
    job = wait_for(app, job_id)
    assert job["state"] == "done", job
    found = {file["name"]: download(app, job_id, file["name"]) for file in job["results"]}
    assert found == undisturbed


def test_a_service_that_is_stopped_leaves_its_jobs_to_the_next(tmp_path, undisturbed):
    app = jobs_app(tmp_path, **SETTINGS)
    job_id = begin(app, LONG, "?result=parquet,jsonl,pbn")
    process = process_of(app, job_id)
    app.state.own.jobs.close()
    assert not is_alive(process)
    problem_of(ask(app, "GET", f"/v1/jobs/{job_id}"), 503, "jobs-unavailable")
    app = jobs_app(tmp_path, **SETTINGS)
    app.state.own.jobs.resume()
    job = wait_for(app, job_id)
    assert job["state"] == "done", job
    found = {file["name"]: download(app, job_id, file["name"]) for file in job["results"]}
    assert found == undisturbed
    app.state.own.jobs.close()


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_a_process_that_always_dies_fails_the_job_only(app, monkeypatch, caplog):
    use_module(monkeypatch, "support_faulty_job")
    job = wait_for(app, upload(app, archive(3)).json()["id"])
    assert job["state"] == "failed"
    assert job["error"].startswith(
        f"the process of this job was ended by signal 6 (SIGABRT) {queue.MOST_CRASHES} times"
    )
    assert "thread panicked" in caplog.text
    assert ask(app, "GET", "/v1/tables").status_code == 200
    monkeypatch.undo()
    assert wait_for(app, upload(app, archive(3)).json()["id"])["state"] == "done"


def test_so_many_run_and_so_many_wait(tmp_path):
    app = jobs_app(tmp_path, max_running_jobs=2, max_queued_jobs=1, **SETTINGS)
    running = [begin(app) for _ in range(2)]
    waiting = upload(app, archive(3)).json()["id"]
    problem = upload(app, archive(3))
    problem_of(problem, 429, "too-many-jobs")
    assert problem.headers["retry-after"]
    time.sleep(1.2)
    states = {job["id"]: job["state"] for job in ask(app, "GET", "/v1/jobs").json()["jobs"]}
    assert states == {running[0]: "running", running[1]: "running", waiting: "queued"}
    page = ask(app, "GET", "/metrics").text
    for state, count in (("queued", 1), ("running", 2), ("done", 0)):
        assert f'bidcascade_jobs{{state="{state}"}} {count}.0' in page
    assert ask(app, "DELETE", f"/v1/jobs/{waiting}").json()["state"] == "cancelled"
    assert ask(app, "DELETE", f"/v1/jobs/{running[1]}").json()["state"] == "cancelled"
    app.state.own.jobs.close()


def test_the_next_one_begins_when_one_ends(tmp_path):
    app = jobs_app(tmp_path, max_running_jobs=1, backend="reference")
    ids = [upload(app, archive(3, seed=seed)).json()["id"] for seed in range(3)]
    jobs = [wait_for(app, job_id) for job_id in ids]
    assert [job["state"] for job in jobs] == ["done"] * 3
    assert jobs[0]["ended"] <= jobs[1]["started"] <= jobs[1]["ended"] <= jobs[2]["started"]
    app.state.own.jobs.close()


def test_a_table_that_has_changed_meanwhile(tmp_path):
    app = jobs_app(tmp_path, backend="reference")
    path = tmp_path / "small.jsonl"
    path.write_text(path.read_text("utf-8").replace("SL_H >= 4", "SL_H >= 5"), "utf-8")
    job = wait_for(app, upload(app, archive(3)).json()["id"])
    assert job["state"] == "failed"
    assert job["error"] == "the table 'small' has changed since the job was asked for"
    app.state.own.jobs.close()


def test_a_folder_that_is_full(tmp_path):
    app = jobs_app(tmp_path, max_data_bytes=200_000, backend="reference")
    assert wait_for(app, upload(app, archive(3)).json()["id"])["state"] == "done"
    problem_of(upload(app, LONGER), 507, "no-room")
    app.state.own.jobs.close()


def test_a_job_that_fills_the_folder_fails(tmp_path, monkeypatch):
    app = jobs_app(tmp_path, max_data_bytes=2_000_000, **SETTINGS)
    monkeypatch.setattr(queue, "_SIZE_EVERY_S", 0.0)
    job_id = begin(app)
    (tmp_path / "data" / "jobs" / job_id / "stray").write_bytes(bytes(3_000_000))
    job = wait_for(app, job_id)
    assert job["state"] == "failed"
    assert "max_data_bytes" in job["error"]
    app.state.own.jobs.close()


def test_old_jobs_are_removed(tmp_path):
    app = jobs_app(tmp_path, job_retention_hours=24)
    old, new = (wait_for(app, upload(app, archive(2)).json()["id"])["id"] for _ in range(2))
    app.state.own.jobs.close()
    with sqlite3.connect(tmp_path / "data" / "jobs.sqlite") as connection:
        connection.execute("UPDATE jobs SET ended = ended - 25 * 3600 WHERE id = ?", (old,))
    connection.close()
    app = jobs_app(tmp_path, job_retention_hours=24)
    app.state.own.jobs.resume()
    deadline = time.monotonic() + 150
    while (tmp_path / "data" / "jobs" / old).exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    problem_of(ask(app, "GET", f"/v1/jobs/{old}"), 404, "unknown-job")
    assert download(app, new, "auctions.parquet")
    app.state.own.jobs.close()


def test_what_a_killed_service_leaves_is_cleared(tmp_path):
    app = jobs_app(tmp_path)
    job = wait_for(app, upload(app, archive(2)).json()["id"])
    app.state.own.jobs.close()
    data = tmp_path / "data"
    for stray in (
        data / "incoming" / "x",
        data / "jobs" / "y" / "input",
        data / "jobs" / job["id"] / "batch",
    ):
        stray.mkdir(parents=True)
        (stray / "file").write_bytes(b"x")
    app = jobs_app(tmp_path)
    app.state.own.jobs.resume()
    assert download(app, job["id"], "auctions.parquet")
    assert not list((data / "incoming").iterdir())
    assert [folder.name for folder in (data / "jobs").iterdir()] == [job["id"]]
    assert [part.name for part in (data / "jobs" / job["id"]).iterdir()] == ["results"]
    app.state.own.jobs.close()


def test_one_service_a_folder(app, tmp_path):
    job = wait_for(app, upload(app, archive(2)).json()["id"])
    other = jobs_app(tmp_path)
    body = problem_of(ask(other, "GET", f"/v1/jobs/{job['id']}"), 503, "jobs-unavailable")
    assert "another service" in body["detail"]
    problem_of(upload(other, archive(2)), 503, "jobs-unavailable")
    assert ask(other, "GET", "/v1/tables").status_code == 200
    app.state.own.jobs.close()
    # as soon as the other one has let go of it
    assert ask(other, "GET", f"/v1/jobs/{job['id']}").status_code == 200
    other.state.own.jobs.close()


@pytest.mark.parametrize("content", [b"no database" * 100, b"SQLite format 3\x00" + bytes(5000)])
def test_a_damaged_store_is_told(tmp_path, content):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "jobs.sqlite").write_bytes(content)
    app = jobs_app(tmp_path)
    app.state.own.jobs.resume()
    problem_of(ask(app, "GET", "/v1/jobs"), 503, "jobs-unavailable")
    problem_of(upload(app, archive(2)), 503, "jobs-unavailable")
    assert ask(app, "GET", "/metrics").status_code == 200


def test_without_jobs_nothing_is_made(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    app = jobs_app(tmp_path, data_folder="")
    app.state.own.jobs.resume()
    assert ask(app, "GET", "/v1/jobs").json()["jobs"] == []
    problem_of(ask(app, "GET", "/v1/jobs/0123456789abcdef"), 404, "unknown-job")
    assert not (tmp_path / "home").exists()
    if os.name == "posix" and Path("/proc").exists():
        assert wait_for(app, upload(app, archive(2)).json()["id"])["state"] == "done"
        data = tmp_path / "home" / "bidcascade"
        assert data.stat().st_mode & 0o777 == 0o700
    app.state.own.jobs.close()


@pytest.mark.skipif(not Path("/proc/self/oom_score_adj").exists(), reason="Linux only")
def test_the_process_of_a_job_stands_behind_the_service(app):
    """It has less of the processor, and is the first to go where memory runs out."""
    process = process_of(app, begin(app))
    assert int(Path(f"/proc/{process}/oom_score_adj").read_text()) == 500
    assert os.getpriority(os.PRIO_PROCESS, process) >= 5
    assert os.getpgid(process) == process


def test_results_can_be_downloaded_while_the_job_is_removed(app):
    """What is being sent is sent to its end."""
    job = wait_for(app, upload(app, archive(5)).json()["id"])
    jobs = app.state.own.jobs
    path, file = jobs.result(jobs.get(job["id"]), "auctions.parquet")
    answer = file_answer(path, name=file.name, media_type=file.media_type, timeout_s=10)
    assert ask(app, "DELETE", f"/v1/jobs/{job['id']}").status_code == 204
    assert not path.exists()
    sent = []

    async def receive():
        await asyncio.sleep(60)

    async def send(message):
        sent.append(message)

    asyncio.run(answer({"type": "http"}, receive, send))
    assert sum(len(message.get("body", b"")) for message in sent) == file.bytes
    assert sent[-1]["more_body"] is False
