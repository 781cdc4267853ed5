"""``/v1/jobs``: archives in, files out, what is refused, who may do what."""

import io
import json

import polars as pl
import pytest

from bidcascade.engine.engine import Engine
from bidcascade.loaders import random_deals, read_deals
from tests.service.jobs.support_jobs import (
    archive,
    download,
    jobs_app,
    parquet_archive,
    upload,
    wait_for,
)
from tests.support.service import ask, problem_of, write_small_table


@pytest.fixture
def app(tmp_path):
    app = jobs_app(tmp_path)
    yield app
    app.state.own.jobs.close()


def test_an_archive_becomes_files_that_go_with_their_job(app, tmp_path):
    content = archive(40)
    answer = upload(app, content, "?table=small&result=parquet,jsonl,pbn&name=club%20night.lin")
    assert answer.status_code == 202
    begun = answer.json()
    assert answer.headers["location"] == f"/v1/jobs/{begun['id']}"
    assert begun["state"] == "queued"
    assert begun["input"] == "club_night.lin"
    assert (begun["table"], begun["mode"], begun["error"]) == ("small", "first", None)
    job = wait_for(app, begun["id"])
    assert job["state"] == "done", job
    assert job["progress"] == {"boards": 40, "of": 40, "rejects": 0}
    assert job["created"] <= job["started"] <= job["ended"]
    names = [file["name"] for file in job["results"]]
    assert names == ["auctions.parquet", "auctions.jsonl", "auctions.pbn", "rejects.jsonl"]
    files = {name: download(app, job["id"], name) for name in names}
    assert [len(files[file["name"]]) for file in job["results"]] == [
        file["bytes"] for file in job["results"]
    ]
    deals = read_deals(content).deals
    engine = Engine.open(str(write_small_table(tmp_path)), "reference")
    expected = engine.auctions(deals, mode="first")
    found = pl.read_parquet(io.BytesIO(files["auctions.parquet"]))
    assert found.select(expected.columns).equals(expected)
    assert set(found["source"]) == {"club_night.lin"}
    assert found["record"].to_list() == list(range(1, 41))
    lines = [json.loads(line) for line in files["auctions.jsonl"].splitlines()]
    assert [line["deal"] for line in lines] == list(range(40))
    assert [line["contract"] for line in lines] == expected["contract"].to_list()
    assert lines[0]["calls"][-3:] == ["P", "P", "P"]
    assert lines[0]["source_calls"] is None
    assert files["rejects.jsonl"] == b""
    boards = read_deals(files["auctions.pbn"]).deals
    assert boards.select("north", "dealer", "board").equals(
        deals.select("north", "dealer", "board")
    )
    assert boards["auction"].to_list() == expected["auction"].to_list()
    assert boards["contract"].to_list() == expected["contract"].to_list()
    assert "Strong notrump" in files["auctions.pbn"].decode()
    # nothing but what may be downloaded is kept
    (folder,) = (tmp_path / "data" / "jobs").iterdir()
    assert sorted(part.name for part in folder.iterdir()) == ["results"]
    # sent as files
    path = f"/v1/jobs/{job['id']}"
    answer = ask(app, "GET", f"{path}/results/auctions.parquet")
    assert answer.headers["content-type"] == "application/vnd.apache.parquet"
    assert answer.headers["content-length"] == str(len(answer.content))
    assert answer.headers["content-disposition"] == (
        f'attachment; filename="{job["id"]}-auctions.parquet"'
    )
    assert answer.content[:4] == answer.content[-4:] == b"PAR1"
    # and removed with the job
    assert ask(app, "DELETE", path).status_code == 204
    problem_of(ask(app, "GET", path), 404, "unknown-job")
    problem_of(ask(app, "DELETE", path), 404, "unknown-job")
    problem_of(ask(app, "GET", f"{path}/results/auctions.parquet"), 404, "unknown-job")
    assert not list((tmp_path / "data" / "jobs").iterdir())


@pytest.mark.slow
def test_hands_and_auctions_as_text(app):
    content = archive(5)
    plain, texts = (
        wait_for(app, upload(app, content, f"?result=parquet,jsonl&text={text}").json()["id"])
        for text in ("false", "true")
    )
    rows = pl.read_parquet(io.BytesIO(download(app, texts["id"], "auctions.parquet")))
    assert {"hands", "dealer", "vulnerability", "calls", "source_calls"} <= set(rows.columns)
    lines, with_hands = (
        [json.loads(line) for line in download(app, job["id"], "auctions.jsonl").splitlines()]
        for job in (plain, texts)
    )
    # calls are lists of texts there anyway
    assert rows["calls"].to_list() == [" ".join(line["calls"]) for line in lines]
    for line, more in zip(lines, with_hands, strict=True):
        assert more.items() >= line.items()
        assert more["hands"].startswith("N:")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "names"),
    [
        ("all", ["auctions.parquet", "boards.parquet", "entries.parquet", "auctions.jsonl"]),
        ("counts", ["counts.parquet", "counts.jsonl"]),
    ],
)
def test_other_modes(app, tmp_path, mode, names):
    content = parquet_archive(tmp_path, 50)
    begun = upload(app, content, f"?mode={mode}&result=jsonl,parquet").json()
    job = wait_for(app, begun["id"])
    assert job["state"] == "done", job
    assert [file["name"] for file in job["results"]] == [*names, "rejects.jsonl"]
    deals = random_deals(50, seed=1)
    engine = Engine.open(str(write_small_table(tmp_path)), "reference")
    lines = [
        json.loads(line)
        for line in download(app, job["id"], f"{names[0].split('.')[0]}.jsonl").splitlines()
    ]
    if mode == "counts":
        expected = engine.counts(deals)
        assert pl.DataFrame(lines)["count"].to_list() == expected["count"].to_list()
        return
    expected = engine.auctions(deals).select("deal", "calls", "entry")
    found = [
        (line["deal"], " ".join(auction["calls"]), auction["entry"])
        for line in lines
        for auction in line["auctions"]
    ]
    assert found == expected.rows()
    assert [line["deal"] for line in lines] == list(range(50))
    assert [line["total"] for line in lines] == [len(line["auctions"]) for line in lines]
    joined = pl.read_parquet(io.BytesIO(download(app, job["id"], "auctions.parquet")))
    assert joined.select("deal", "entry").rows() == expected.select("deal", "entry").rows()
    assert joined["calls"].to_list() == expected["calls"].to_list()


@pytest.mark.slow
def test_rejects_are_told(app):
    content = archive(3) + b"qx|o9|md|1SAK,SAK|sv|o|\n"
    job = wait_for(app, upload(app, content, "?name=a.lin").json()["id"])
    assert job["progress"]["rejects"] == 1
    (line,) = download(app, job["id"], "rejects.jsonl").splitlines()
    reject = json.loads(line)
    assert reject["source"] == "a.lin"
    assert reject["reason"]


def test_pages_of_jobs(app):
    assert ask(app, "GET", "/v1/jobs").json() == {"jobs": [], "next": None}
    ids = [upload(app, archive(1, seed=seed)).json()["id"] for seed in range(3)]
    first = ask(app, "GET", "/v1/jobs?limit=2").json()
    assert [job["id"] for job in first["jobs"]] == ids[:0:-1]
    second = ask(app, "GET", f"/v1/jobs?limit=2&next={first['next']}").json()
    assert [job["id"] for job in second["jobs"]] == ids[:1]
    assert second["next"] is None
    for query in ("next=x", "next=LTE", "next=%C3%A9", "limit=0", "limit=1000", "page=2"):
        problem_of(ask(app, "GET", f"/v1/jobs?{query}"), 422, "invalid-request")
