"""What is refused as a job: bodies, packed files, paths, parameters, strangers."""

import asyncio
import gzip
import io
import json
import zipfile
from pathlib import Path

import polars as pl
import pytest

from bidcascade.service.api.http.keys import new_key
from bidcascade.service.jobs.unpacking import member_name
from tests.service.jobs.support_jobs import (
    UPLOAD,
    archive,
    jobs_app,
    parquet_archive,
    upload,
    wait_for,
)
from tests.support.examples import some_in_check
from tests.support.service import ask, problem_of

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    folder = tmp_path_factory.mktemp("jobs")
    root = folder / "root"
    root.mkdir()
    app = jobs_app(
        folder, jobs_root=str(root), max_upload_bytes=100_000, max_unpacked_bytes=2_000_000
    )
    yield app
    app.state.own.jobs.close()
    # whatever was refused, nothing of it is left
    assert not list((folder / "data" / "incoming").iterdir())


def zipped(*members: tuple[str, bytes], **options) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members:
            file.writestr(name, data, **options)
    return content.getvalue()


def encrypted() -> bytes:
    """Zip file whose member says that it has a password."""
    content = bytearray(zipped(("a.lin", archive(1))))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + place] |= 1
    return bytes(content)


def many_files() -> bytes:
    """Zip file that says that it has 60,000 files."""
    content = bytearray(zipped(("a.lin", archive(1))))
    end = content.index(b"PK\x05\x06")
    content[end + 8 : end + 12] = (60_000).to_bytes(2, "little") * 2
    return bytes(content)


LIN = archive(2)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"once upon a time", "got something else"),
        (b"\x00\x01\x02" * 100, "got something else"),
        (b'{"deals": []}', "got something else"),
        (b"7z\xbc\xaf\x27\x1c" + bytes(50), "7-Zip"),
        (b"BZh91AY" + bytes(50), "bzip2"),
        (gzip.compress(b"no deals"), "got something else"),
        (gzip.compress(gzip.compress(LIN)), "packed once more"),
        (gzip.compress(zipped(("a.lin", LIN))), "packed once more"),
        (gzip.compress(LIN)[:-10], "cannot unpack"),
        (b"\x1f\x8b" + b"x" * 100, "cannot unpack"),
        (zipped(), "got none"),
        (zipped(("readme.md", b"# Nothing")), "got none"),
        (zipped(("a.zip", zipped(("a.lin", LIN)))), "packed once more"),
        (zipped(("a.lin", gzip.compress(LIN))), "packed once more"),
        (zipped(("../../a.lin", LIN)), "stays inside"),
        (zipped(("good.lin", LIN), ("/etc/a.lin", LIN)), "stays inside"),
        (zipped(("..\\a.lin", LIN)), "stays inside"),
        (zipped(("C:\\a.lin", LIN)), "stays inside"),
        (zipped(("a.lin", LIN), compress_type=zipfile.ZIP_LZMA), "another method"),
        (zipped(("a.lin", LIN))[:-30], "cut off"),
        (zipped(("a.lin", LIN))[:60] + bytes(40), "cut off"),
        (encrypted(), "without a password"),
    ],
)
def test_uploads_that_are_no_archives(app, content, reason):
    body = problem_of(upload(app, content), 422, "invalid-request")
    assert reason in body["detail"]
    assert body["errors"][0]["field"] == "body"


@pytest.mark.parametrize(
    ("content", "setting"),
    [
        (gzip.compress(bytes(3_000_000)), "max_unpacked_bytes"),
        (gzip.compress(bytes(1_900_000)), "for each packed byte"),
        (zipped(("a.lin", bytes(3_000_000))), "max_unpacked_bytes"),
        (zipped(*((f"{n}.lin", bytes(600_000)) for n in range(4))), "for each packed byte"),
        (zipped(*((f"{n}.lin", bytes(600_000)) for n in range(3))), "for each packed byte"),
        (many_files(), "10,000 files"),
    ],
)
def test_bombs(app, content, setting):
    assert len(content) < 20_000
    body = problem_of(upload(app, content), 413, "limit-exceeded")
    assert setting in body["detail"]


def test_what_a_zip_file_says_about_lengths_is_not_believed(app):
    """A member that says that it has 10 bytes ends there, and its checksum does not fit."""
    content = bytearray(zipped(("a.lin", bytes(3_000_000))))
    for mark, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = content.index(mark) + place
        content[start : start + 4] = (10).to_bytes(4, "little")
    problem_of(upload(app, bytes(content)), 422, "invalid-request")


def test_long_uploads(app):
    problem_of(upload(app, archive(5) + b" " * 100_000), 413, "body-too-large")

    async def pieces():
        for _ in range(20):
            yield b" " * 10_000

    problem_of(
        ask(app, "POST", "/v1/jobs", content=pieces(), headers=UPLOAD), 413, "body-too-large"
    )


def test_uploads_that_drip_give_their_place_back(tmp_path):
    """Each piece comes in time, and all of them would take years."""
    app = jobs_app(tmp_path, request_timeout_ms=300)

    async def pieces():
        while True:
            yield b" "
            await asyncio.sleep(0.01)

    answer = ask(app, "POST", "/v1/jobs", content=pieces(), headers=UPLOAD)
    app.state.own.jobs.close()
    problem_of(answer, 408, "body-too-slow")


@pytest.mark.parametrize("packed", [gzip.compress(LIN), zipped(("x/1.lin", LIN), ("2", LIN))])
def test_packed_archives_are_read(app, packed):
    begun = upload(app, packed, "?result=jsonl&name=season.lin.gz").json()
    job = wait_for(app, begun["id"])
    assert job["state"] == "done", job
    assert job["progress"]["boards"] in (2, 4)
    answer = ask(app, "GET", f"/v1/jobs/{job['id']}/results/auctions.jsonl")
    sources = {json.loads(line)["source"] for line in answer.text.splitlines()}
    assert sources in ({"season.lin"}, {"season.zip/x/1.lin", "season.zip/2"})


def test_files_of_a_zip_file_keep_their_names(app):
    """As the readers name them, so that an answer tells which file it is of."""
    packed = zipped(
        ("day 1/Finale.lin", LIN),
        ("day 2/Finale.lin", LIN),
        ("same", LIN),
        ("SAME", LIN),
        ("same/inside.lin", LIN),
    )
    begun = upload(app, packed, "?result=jsonl&name=cup.zip").json()
    job = wait_for(app, begun["id"])
    assert job["state"] == "done", job
    answer = ask(app, "GET", f"/v1/jobs/{job['id']}/results/auctions.jsonl")
    assert {json.loads(line)["source"] for line in answer.text.splitlines()} == {
        "cup.zip/day 1/Finale.lin",
        "cup.zip/day 2/Finale.lin",
        "cup.zip/same",
        "cup.zip/SAME-2",
        "cup.zip/same_inside.lin",
    }


def test_names_that_lead_out_of_a_zip_file_are_refused(app):
    problem = problem_of(
        upload(app, zipped(("a.lin", LIN), ("../../evil.lin", LIN))), 422, "invalid-request"
    )
    assert "file 2 of the zip file: expected a name that stays inside" in problem["detail"]


@pytest.mark.parametrize("names", [("a", "a/b"), ("a/b", "a"), ("..", "."), ("x" * 500,) * 3])
def test_names_of_members_can_all_be_written(names, tmp_path):
    taken = set()
    for number, name in enumerate(names):
        path = tmp_path / member_name(name, taken)
        assert path.resolve().is_relative_to(tmp_path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x") as file:
            file.write(str(number))


def test_files_in_a_zip_file_that_are_no_deals_are_rejects(app):
    begun = upload(app, zipped(("readme.md", b"# Club\n"), ("a.lin", LIN))).json()
    job = wait_for(app, begun["id"])
    assert job["progress"] == {"boards": 2, "of": 2, "rejects": 1}


@pytest.mark.parametrize("damage", some_in_check(2, "middle", "footer", "length", "columns"))
def test_broken_parquet_fails_the_job_and_nothing_else(app, tmp_path, damage):
    content = bytearray(parquet_archive(tmp_path, 20))
    if damage == "middle":
        content[4:-900] = b"\xff" * (len(content) - 904)
    elif damage == "footer":
        content[-400:-8] = b"\xee" * 392
    elif damage == "length":
        content[-8:-4] = (1 << 31).to_bytes(4, "little")
    else:
        buffer = io.BytesIO()
        pl.DataFrame({"north": ["a"], "south": [1]}).write_parquet(buffer)
        content = bytearray(buffer.getvalue())
    job = wait_for(app, upload(app, bytes(content), "?name=old.parquet").json()["id"])
    assert job["state"] == "failed"
    assert "old.parquet" in job["error"]
    assert "/" not in job["error"].split("got", 1)[0]
    assert ask(app, "GET", "/v1/tables").status_code == 200


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("mode=best", "mode"), ("result=xlsx", "result"), ("result=", "result"),
        ("result=pbn&mode=all", "result"), ("completed_only=true", "completed_only"),
        ("completed_only=perhaps", "completed_only"), ("text=true&mode=counts", "text"),
        ("limit=3", "limit"), ("limit=0&mode=all", "limit"),
        ("max_depth=2&mode=counts", "max_depth"), ("max_depth=x&mode=all", "max_depth"),
        ("tabel=small", "tabel"),
        ("name=" + 201 * "x", "name"),
    ],
)  # fmt: skip
def test_bad_parameters(app, query, field):
    body = problem_of(upload(app, LIN, f"?{query}"), 422, "invalid-request")
    assert [error["field"] for error in body["errors"]] == [field]


def test_unknown_tables_jobs_and_files(app):
    problem_of(upload(app, LIN, "?table=large"), 404, "unknown-table")
    for name in ("0123456789abcdef", "x", "..", "%2e%2e", "a" * 300):
        for method in ("GET", "DELETE"):
            answer = ask(app, method, f"/v1/jobs/{name}")
            assert answer.status_code in (404, 405)
    job = wait_for(app, upload(app, LIN).json()["id"])
    for name in ("auctions.csv", "..%2f..%2fjobs.sqlite", "process.log", "%00"):
        answer = ask(app, "GET", f"/v1/jobs/{job['id']}/results/{name}")
        assert answer.status_code == 404, answer.text
    problem_of(ask(app, "GET", f"/v1/jobs/{job['id']}/results/process.log"), 404, "unknown-result")
    headers = {"Accept": "text/html"}
    path = f"/v1/jobs/{job['id']}/results/auctions.parquet"
    problem_of(ask(app, "GET", path, headers=headers), 406, "not-acceptable")


@pytest.mark.parametrize("media_type", ["", "text/plain", "application/x-www-form-urlencoded"])
def test_bodies_of_another_type(app, media_type):
    answer = ask(app, "POST", "/v1/jobs", content=LIN, headers={"Content-Type": media_type})
    problem_of(answer, 415, "unsupported-media-type")


def test_forms_that_are_none(app):
    headers = {"Content-Type": "multipart/form-data"}
    answer = ask(app, "POST", "/v1/jobs", content=LIN, headers=headers)
    assert "missing boundary" in problem_of(answer, 400, "bad-request")["detail"]


# --- paths ---------------------------------------------------------------------------------------


def by_path(app, path, **more):
    return ask(app, "POST", "/v1/jobs", body={"path": path, **more})


@pytest.fixture
def root(app):
    folder = Path(app.state.own.settings.jobs_root)
    (folder / "season").mkdir(exist_ok=True)
    (folder / "season" / "a.lin").write_bytes(archive(2, seed=1))
    (folder / "season" / "b.pbn").write_bytes(archive(3, "pbn", seed=2))
    return folder


@pytest.mark.parametrize(
    ("path", "boards"),
    [("season", 5), ("season/*.lin", 2), ("**/*.pbn", 3), ("season/a.lin", 2), ("./season", 5)],
)
def test_files_below_the_root(app, root, path, boards):
    answer = by_path(app, path, table="small", mode="counts", result=["jsonl"])
    assert answer.status_code == 202, answer.text
    assert answer.json()["input"] == path
    job = wait_for(app, answer.json()["id"])
    assert job["progress"]["boards"] == boards, job
    # what is not ours stays
    assert (root / "season" / "a.lin").exists()


@pytest.mark.parametrize(
    "path",
    ["../small.jsonl", "/etc/passwd", "season/../../small.jsonl", "~/x", "C:/x", "season\\a.lin",
     "\x00", " ", "missing.lin", "*.xyz", "season/../*", "a\ud800"],
)  # fmt: skip
def test_paths_outside_the_root(app, root, path):
    answer = by_path(app, path)
    if path == "a\ud800":
        problem_of(answer, 400, "malformed-json")
        return
    body = problem_of(answer, 422, "invalid-request")
    assert body["errors"][0]["field"] == "path"
    assert str(root.parent) not in json.dumps(body)


def test_links_do_not_lead_out_of_the_root(app, root, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.lin").write_bytes(LIN)
    links = root / "links"
    links.mkdir()
    (links / "file.lin").symlink_to(outside / "secret.lin")
    (links / "folder").symlink_to(outside)
    try:
        for path in (
            "links/file.lin",
            "links",
            "links/*",
            "links/folder",
            "links/folder/*.lin",
            "links/folder/secret.lin",
        ):
            body = problem_of(by_path(app, path), 422, "invalid-request")
            assert "elsewhere" in body["detail"], path
            assert str(outside) not in json.dumps(body)
    finally:
        for link in links.iterdir():
            link.unlink()
        links.rmdir()


def test_a_link_that_is_put_there_later_is_not_followed(app, root, tmp_path, monkeypatch):
    """The job's own process looks again."""
    (tmp_path / "secret.lin").write_bytes(LIN)
    path = root / "later.lin"
    path.write_bytes(LIN)
    add = app.state.own.jobs.add

    def swap(*given):
        path.unlink()
        path.symlink_to(tmp_path / "secret.lin")
        return add(*given)

    monkeypatch.setattr(app.state.own.jobs, "add", swap)
    job = wait_for(app, by_path(app, "later.lin").json()["id"])
    path.unlink()
    assert job["state"] == "failed"
    assert "elsewhere" in job["error"]


def test_without_a_root_there_are_no_paths(tmp_path):
    app = jobs_app(tmp_path)
    body = problem_of(by_path(app, "season"), 422, "invalid-request")
    assert "jobs_root" in body["detail"]
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    "body", [{}, {"path": ""}, {"path": 3}, {"path": "season", "result": []},
             {"path": "season", "mode": "best"}, {"path": "season", "more": 1}],
)  # fmt: skip
def test_bad_requests_about_paths(app, root, body):
    problem_of(ask(app, "POST", "/v1/jobs", body=body), 422, "invalid-request")
    problem_of(
        ask(app, "POST", "/v1/jobs?table=small", body={"path": "season"}), 422, "invalid-request"
    )


# --- who may -------------------------------------------------------------------------------------


def test_only_admins_begin_and_end_jobs(tmp_path):
    path = tmp_path / "keys"
    reader, read = new_key("reader", "read")
    owner, admin = new_key("owner", "admin")
    path.write_text(f"{read.line()}\n{admin.line()}\n", "utf-8")
    app = jobs_app(tmp_path, host="0.0.0.0", api_keys_file=str(path))
    try:
        reading, all_of_it = ({"Authorization": f"Bearer {key}"} for key in (reader, owner))
        problem_of(upload(app, LIN), 401, "unauthorized")
        problem_of(upload(app, LIN, **reading), 403, "forbidden")
        assert not (tmp_path / "data").exists()
        begun = upload(app, LIN, **all_of_it)
        assert begun.status_code == 202
        place = f"/v1/jobs/{begun.json()['id']}"
        problem_of(ask(app, "GET", place), 401, "unauthorized")
        problem_of(ask(app, "DELETE", place, headers=reading), 403, "forbidden")
        assert ask(app, "GET", place, headers=reading).status_code == 200
        assert ask(app, "GET", "/v1/jobs", headers=reading).json()["jobs"]
        assert ask(app, "DELETE", place, headers=all_of_it).status_code in (200, 204)
    finally:
        app.state.own.jobs.close()
