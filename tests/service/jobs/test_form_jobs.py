"""``POST /v1/jobs`` as a form: the job of the plain upload, limits on the way, nothing left."""

import httpx
import pytest

from tests.service.jobs.support_jobs import archive, download, jobs_app, upload, wait_for
from tests.support.service import ask, problem_of

CONTENT = archive(12)
LONG = b"x" * 3_000_000


@pytest.fixture
def app(tmp_path):
    app = jobs_app(tmp_path, max_upload_bytes=2_000_000)
    yield app
    app.state.own.jobs.close()


def form(files, data=None):
    """Body of a form, and its headers."""
    made = httpx.Request("POST", "http://localhost/v1/jobs", files=files, data=data or {})
    return made.read(), {"Content-Type": made.headers["content-type"]}


def send(app, files=None, data=None, **headers):
    content, own = form({"file": ("club.lin", CONTENT)} if files is None else files, data)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return ask(app, "POST", "/v1/jobs", content=content, headers={**own, **named})


def nothing_is_left(app, tmp_path):
    for folder in (tmp_path / "data").rglob("*"):
        assert not folder.is_file() or folder.parent == tmp_path / "data", folder
    assert app.state.own.uploads._free == 4
    return True


def test_a_form_is_the_same_job_as_an_upload(app):
    begun = send(app, data={"table": "small", "result": "jsonl,parquet", "text": "true"})
    assert begun.status_code == 202, begun.text
    plain = upload(app, CONTENT, "?table=small&result=jsonl,parquet&text=true&name=club.lin").json()
    jobs = [wait_for(app, one["id"]) for one in (begun.json(), plain)]
    assert [job["state"] for job in jobs] == ["done", "done"]
    own = ("id", "created", "started", "ended")
    first, second = ({name: job[name] for name in job if name not in own} for job in jobs)
    assert first == second
    assert first["input"] == "club.lin"
    for file in first["results"]:
        assert download(app, jobs[0]["id"], file["name"]) == download(
            app, jobs[1]["id"], file["name"]
        )


def test_a_file_that_is_larger_than_what_is_kept_in_memory(app):
    # no record may have more than a mebibyte
    blanks = b" " * 750_000
    content = blanks + archive(12) + blanks
    begun = send(app, {"file": ("a.lin", content)}, {"name": "my club.lin", "mode": "counts"})
    assert begun.status_code == 202, begun.text
    assert (begun.json()["input"], begun.json()["mode"]) == ("my_club.lin", "counts")
    job = wait_for(app, begun.json()["id"])
    assert job["state"] == "done", job
    assert job["progress"]["boards"] == 12


@pytest.mark.parametrize(
    ("files", "data", "field", "reason"),
    [
        (None, {"tables": "small"}, "tables", "only the fields file, table, mode"),
        (None, {"mode": "some"}, "mode", "one of first, all, counts, par"),
        (None, {"text": "yes"}, "text", "true or false"),
        (None, {"completed_only": "true"}, "completed_only", "only with mode all"),
        (None, {"limit": "3"}, "limit", "only with mode all"),
        (None, {"limit": "0", "mode": "all"}, "limit", "a whole number from 1 to 2147483647"),
        (None, {"max_depth": "9" * 10, "mode": "all"}, "max_depth", "a whole number from 1 to"),
        (None, {"max_depth": "0" * 10 + "1", "mode": "all"}, "max_depth", "a whole number from 1"),
        (None, {"max_depth": "1.5", "mode": "all"}, "max_depth", "a whole number from 1 to"),
        (None, {"result": "csv"}, "result", "some of parquet, jsonl, pbn"),
        (None, {"table": ["small", "small"]}, "table", "this field once"),
        (None, {"path": "a.lin"}, "path", "only the fields"),
        ({"other": ("a.lin", CONTENT)}, {}, "other", "text in this field"),
        ({"name": (None, "a.lin")}, {}, "file", "a file in this field"),
        ({"file": (None, "text")}, {}, "file", "a file in this field"),
        ({"file": ("a.lin", b"once upon a time")}, {}, "body", "got something else"),
        ({"file": ("a.lin", b"")}, {}, "body", "empty"),
    ],
)
def test_fields_at_fault(app, tmp_path, files, data, field, reason):
    problem = problem_of(send(app, files, data), 422, "invalid-request")
    assert problem["errors"][0]["field"] == field
    assert reason in problem["errors"][0]["reason"]
    assert nothing_is_left(app, tmp_path)


def test_other_problems(app, tmp_path):
    problem_of(send(app, data={"table": "none"}), 404, "unknown-table")
    two = [("file", ("a.lin", CONTENT)), ("file", ("b.lin", CONTENT))]
    problem_of(send(app, two), 400, "bad-request")
    many = {f"field{number}": "x" for number in range(21)}
    problem_of(send(app, data=many), 400, "bad-request")
    problem_of(send(app, data={"name": "x" * 5000}), 400, "bad-request")
    for media_type in ("multipart/form-data", "multipart/form-data; boundary=x"):
        headers = {"Content-Type": media_type}
        answer = ask(app, "POST", "/v1/jobs", content=b"--y\r\nno form", headers=headers)
        problem_of(answer, 400, "bad-request")
    content, headers = form({"file": ("club.lin", CONTENT)})
    # cut off before the end of the file
    answer = ask(app, "POST", "/v1/jobs", content=content[: len(content) // 2], headers=headers)
    problem_of(answer, 422, "invalid-request")
    answer = ask(app, "POST", "/v1/jobs?table=small", content=content, headers=headers)
    problem_of(answer, 422, "invalid-request")
    problem_of(send(app, Origin="https://elsewhere.example"), 403, "cross-site")
    assert nothing_is_left(app, tmp_path)


def test_long_forms_are_refused_on_the_way(app, tmp_path):
    content, headers = form({"file": ("long.lin", LONG)})
    taken = 0

    async def pieces():
        nonlocal taken
        for start in range(0, len(content), 100_000):
            taken = start
            yield content[start : start + 100_000]

    problem_of(
        ask(app, "POST", "/v1/jobs", content=content, headers=headers), 413, "body-too-large"
    )
    answer = ask(app, "POST", "/v1/jobs", content=pieces(), headers=headers)
    problem_of(answer, 413, "body-too-large")
    assert taken < 2_300_000
    # the file alone is too long, the form is not
    barely, headers = form({"file": ("long.lin", LONG[:2_000_001])})
    answer = ask(app, "POST", "/v1/jobs", content=barely, headers=headers)
    problem_of(answer, 413, "body-too-large")
    assert nothing_is_left(app, tmp_path)


def test_no_room(tmp_path):
    app = jobs_app(tmp_path, max_data_bytes=20_000)
    try:
        problem_of(send(app, {"file": ("a.lin", LONG[:200_000])}), 507, "no-room")
        assert nothing_is_left(app, tmp_path)
    finally:
        app.state.own.jobs.close()


def test_a_full_queue_reads_no_form(tmp_path):
    app = jobs_app(tmp_path, max_queued_jobs=0)
    try:
        problem_of(send(app), 429, "too-many-jobs")
        assert nothing_is_left(app, tmp_path)
    finally:
        app.state.own.jobs.close()
