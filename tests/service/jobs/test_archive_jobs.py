"""Jobs of mode ``archive``: boards come into an archive, once; what is refused."""

import json
import os
import signal
import time

import pytest

from bidcascade.engine.archive.adding import add_files
from bidcascade.engine.archive.archive import Archive
from bidcascade.engine.archive.catalogue import writing
from bidcascade.engine.archive.upkeep import bid_archive
from tests.service.jobs.support_jobs import archive, download, jobs_app, upload, wait_for
from tests.support.service import ask, post, problem_of

QUERY = "?mode=archive&archive=club&name=club.lin"


@pytest.fixture
def root(tmp_path):
    return tmp_path / "archives"


@pytest.fixture
def app(tmp_path, root):
    (tmp_path / "season").mkdir()
    app = jobs_app(
        tmp_path, archives_folder=str(root), jobs_root=str(tmp_path / "season"), dd_workers=1
    )
    yield app
    app.state.own.jobs.close()


def added(app, begun):
    """What a job did, once it is done."""
    assert begun.status_code == 202, begun.text
    job = wait_for(app, begun.json()["id"])
    assert job["state"] == "done", job
    assert [file["name"] for file in job["results"]] == ["added.json"]
    return job, json.loads(download(app, job["id"], "added.json"))


def test_boards_come_once(app, root):
    begun = upload(app, archive(30), QUERY)
    told = begun.json()
    assert (told["mode"], told["archive"], told["table"], told["digest"]) == (
        "archive",
        "club",
        "",
        "",
    )
    job, did = added(app, begun)
    assert job["progress"] == {"boards": 30, "of": 30, "rejects": 0}
    assert did == {
        "boards": 30,
        "duplicates": 0,
        "rejects": 0,
        "known": [],
        "total": 30,
        "first_reject": "",
    }
    path = "/v1/archives/club/boards?limit=1&source=club.lin"
    assert ask(app, "GET", path).json()["boards"][0]["source"] == "club.lin"
    # one with the same boards and more
    _, did = added(app, upload(app, archive(40), QUERY))
    assert (did["boards"], did["duplicates"], did["total"]) == (10, 30, 40)
    assert ask(app, "GET", "/v1/archives/club/counts").json() == {"total": 40}
    assert Archive(root / "club").summary().sources == 2


@pytest.mark.slow
def test_the_same_file_again(app):
    added(app, upload(app, archive(30), QUERY))
    _, did = added(app, upload(app, archive(30), QUERY))
    assert (did["known"], did["total"]) == (["club.lin"], 30)


@pytest.mark.slow
def test_files_of_the_server(app, tmp_path):
    for number in (1, 2):
        (tmp_path / "season" / f"{number}.lin").write_bytes(archive(20, seed=number))
    body = {"path": "*.lin", "mode": "archive", "archive": "club"}
    _, did = added(app, post(app, "/v1/jobs", body))
    assert (did["boards"], did["total"]) == (40, 40)
    # one that has changed is not what the archive has
    (tmp_path / "season" / "1.lin").write_bytes(archive(20, seed=3))
    job = wait_for(app, post(app, "/v1/jobs", body).json()["id"])
    assert job["state"] == "failed"
    assert "expected '1.lin' as it was when it was added" in job["error"]
    assert str(tmp_path) not in job["error"]


@pytest.mark.slow
def test_who_bids_an_archive_bids_what_comes(app, root, tmp_path):
    added(app, upload(app, archive(10), QUERY))
    table = tmp_path / "rows.jsonl"
    table.write_text(json.dumps({"prior": "", "call": "1C", "criteria": ["HCP >= 12"]}) + "\n")
    bid_archive(root / "club", str(table), name="rows")
    added(app, upload(app, archive(10, seed=2), QUERY))
    assert Archive(root / "club").summary().bidders["rows"].boards == 20
    # a table that is gone
    table.unlink()
    job = wait_for(app, upload(app, archive(10, seed=3), QUERY).json()["id"])
    assert job["state"] == "failed"
    assert "cannot open 'rows.jsonl' to bid the archive" in job["error"]
    assert str(tmp_path) not in job["error"]


def test_a_file_without_boards_leaves_no_archive(app, root):
    job = wait_for(app, upload(app, b"qx|o1|md|3SAK,H2,|\n", QUERY).json()["id"])
    assert job["state"] == "failed"
    assert "expected boards, got none" in job["error"]
    assert not (root / "club").exists()


def test_a_folder_that_is_no_archive(app, root, tmp_path):
    (root / "club").mkdir(parents=True)
    (root / "club" / "mine.txt").write_text("mine")
    job = wait_for(app, upload(app, archive(3), QUERY).json()["id"])
    assert job["state"] == "failed"
    assert "expected a new or empty folder for the archive, got" in job["error"]
    assert str(tmp_path) not in job["error"]


@pytest.mark.slow
def test_a_job_waits_for_who_writes(app, root, tmp_path):
    (tmp_path / "first.lin").write_bytes(archive(5))
    add_files(root / "club", tmp_path / "first.lin", jobs=1)
    with writing(root / "club"):
        job_id = upload(app, archive(5, seed=2), QUERY).json()["id"]
        wait_for(app, job_id, "running")
        assert ask(app, "GET", "/v1/archives/club/counts").json() == {"total": 5}
    job = wait_for(app, job_id)
    assert job["state"] == "done", job
    assert ask(app, "GET", "/v1/archives/club/counts").json() == {"total": 10}


def test_a_job_that_waits_is_cancelled(app, root, tmp_path):
    (tmp_path / "first.lin").write_bytes(archive(5))
    add_files(root / "club", tmp_path / "first.lin", jobs=1)
    with writing(root / "club"):
        job_id = upload(app, archive(5, seed=2), QUERY).json()["id"]
        wait_for(app, job_id, "running")
        assert ask(app, "DELETE", f"/v1/jobs/{job_id}").json()["state"] == "cancelled"
    assert ask(app, "GET", "/v1/archives/club/counts").json() == {"total": 5}


def process_of(app, job_id, besides=0):
    """Number of the process of a job, another than one before."""
    deadline = time.monotonic() + 100
    while time.monotonic() < deadline:
        child = app.state.own.jobs._children.get(job_id)
        if child is not None and child.process_id != besides:
            return child.process_id
        time.sleep(0.02)
    raise AssertionError("the job has no process")


@pytest.mark.slow
def test_a_job_whose_process_is_killed_goes_on(app, root, tmp_path):
    (tmp_path / "first.lin").write_bytes(archive(5))
    add_files(root / "club", tmp_path / "first.lin", jobs=1)
    with writing(root / "club"):
        job_id = upload(app, archive(5, seed=2), QUERY).json()["id"]
        before = process_of(app, job_id)
        os.kill(before, signal.SIGKILL)
        process_of(app, job_id, besides=before)
    assert wait_for(app, job_id)["state"] == "done"
    assert ask(app, "GET", "/v1/archives/club/counts").json() == {"total": 10}


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("mode=archive", "archive"),
        ("mode=archive&archive=", "archive"),
        ("mode=archive&archive=..", "archive"),
        ("mode=archive&archive=a/b", "archive"),
        ("mode=archive&archive=" + "x" * 65, "archive"),
        ("archive=club", "archive"),
        ("mode=par&archive=club", "archive"),
        ("mode=archive&archive=club&table=small", "table"),
        ("mode=archive&archive=club&beside=small", "beside"),
        ("mode=archive&archive=club&text=true", "text"),
        ("mode=archive&archive=club&completed_only=true", "completed_only"),
        ("mode=archive&archive=club&result=jsonl", "result"),
    ],
)
def test_what_is_refused(app, root, query, field):
    body = problem_of(upload(app, archive(1), f"?{query}"), 422, "invalid-request")
    assert [error["field"] for error in body["errors"]] == [field]
    given = dict(part.split("=") for part in query.split("&"))
    asked = {"path": "1.lin", **given, "archive": given.get("archive")}
    for name in ("text", "completed_only"):
        if name in asked:
            asked[name] = True
    for name in ("beside", "result"):
        if name in asked:
            asked[name] = [asked[name]]
    body = problem_of(post(app, "/v1/jobs", asked), 422, "invalid-request")
    assert [error["field"] for error in body["errors"]] == [field]
    assert not root.exists()
