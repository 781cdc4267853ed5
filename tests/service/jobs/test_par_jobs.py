"""Jobs of mode ``par``: the files of ``compare --archive``, and what is refused."""

import io
import json
import os
import signal
import time

import numpy as np
import polars as pl
import pytest

from bidcascade.inference.double_dummy.table_cache import user_tables
from bidcascade.loaders import deal_frame, random_deals, write_pbn
from bidcascade.service.cli import main
from tests.service.jobs.support_jobs import download, jobs_app, upload, wait_for
from tests.service.jobs.test_job_runs import process_of
from tests.support.examples import sized
from tests.support.service import ask, problem_of, write_small_table
from tests.workshop.boards.test_yardstick import GAME_VALUES, STRONG_NORTH, hands_of

GAME = """\
opening:
  1NT = Strong: 15-17 points, balanced
after 1NT:
  3NT = Game: {}+ points
"""
DEALS = (STRONG_NORTH, GAME_VALUES)


@pytest.fixture
def app(tmp_path, monkeypatch):
    """Service with two systems and a table; all double-dummy tables are in the cache."""
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "cache"))
    for name, least in (("game", 10), ("never", 30)):
        (tmp_path / f"{name}.bidding").write_text(GAME.format(least))
    tables = np.full((2, 20), 4, np.int8)
    tables[:, [4, 14]] = 9, 9
    user_tables().add(hands_of(*DEALS), tables)
    named = [f"{name}={tmp_path / name}.bidding" for name in ("game", "never")]
    named.append(f"ruled={tmp_path / 'game.bidding'}")
    rule = {"rule": "replace", "at": "1N", "criteria": ["HCP >= 12"]}
    (tmp_path / "rules.jsonl").write_text(json.dumps(rule))
    app = jobs_app(
        tmp_path,
        table=f"small={write_small_table(tmp_path)}",
        extra_tables=named,
        overlays=[f"ruled={tmp_path / 'rules.jsonl'}"],
        dd_workers=1,
    )
    yield app
    app.state.own.jobs.close()


@pytest.fixture
def played(tmp_path):
    """Archive: both deals in 1NT, and one without an auction."""
    frame = deal_frame([*DEALS, STRONG_NORTH]).with_columns(
        auction=pl.Series([[7, 0, 0, 0], [7, 0, 0, 0], []], dtype=pl.List(pl.UInt8))
    )
    with io.StringIO() as text:
        write_pbn(frame, text)
        return text.getvalue().encode()


def test_the_files_of_the_command(app, played, tmp_path, monkeypatch):
    begun = upload(app, played, "?table=game&beside=never&mode=par&name=played.pbn").json()
    assert (begun["mode"], begun["table"], begun["beside"]) == ("par", "game", ["never"])
    job = wait_for(app, begun["id"])
    assert job["state"] == "done", job
    assert job["progress"] == {"boards": 2, "of": 2, "rejects": 0}
    media_types = {file["name"]: file["media_type"] for file in job["results"]}
    assert media_types == {
        "report.html": "text/html", "report.md": "text/markdown",
        "summary.json": "application/json", "boards.parquet": "application/vnd.apache.parquet",
    }  # fmt: skip
    files = {name: download(app, job["id"], name) for name in media_types}
    # a page of ours, and yet never shown as one of the service
    answer = ask(app, "GET", f"/v1/jobs/{job['id']}/results/report.html")
    assert answer.headers["content-disposition"].startswith("attachment")

    monkeypatch.chdir(tmp_path)
    (tmp_path / "played.pbn").write_bytes(played)
    systems = ("game.bidding", "never.bidding")
    assert main(["compare", *systems, "--archive", "played.pbn", "--out", "out"]) == 0
    summary, by_command = (
        json.loads(text)
        for text in (files["summary.json"], (tmp_path / "out" / "summary.json").read_text())
    )
    for one in (summary, by_command):
        del one["seconds"]
    assert summary == by_command
    assert summary["left_out"]["no auction"] == 1
    boards = pl.read_parquet(io.BytesIO(files["boards.parquet"]))
    assert boards.equals(pl.read_parquet(tmp_path / "out" / "boards.parquet"))
    assert boards["contract_game"].to_list() == ["1N N", "3N N"]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        # no system, and one that rules were laid over
        ("table=small&mode=par", "table"),
        ("table=ruled&mode=par", "table"),
        ("table=game&beside=never,small&mode=par", "beside"),
        ("table=game&beside=never", "beside"),
        ("table=game&mode=par&result=jsonl", "result"),
        ("table=game&mode=par&text=true", "text"),
        ("table=game&mode=par&completed_only=true", "completed_only"),
        ("table=game&mode=par&beside=" + ",".join(10 * ["never"]), "beside"),
    ],
)
def test_what_cannot_be_measured(app, played, query, field):
    body = problem_of(upload(app, played, f"?{query}"), 422, "invalid-request")
    assert [error["field"] for error in body["errors"]] == [field]


def test_systems_that_are_unknown(app, played):
    answer = upload(app, played, "?table=game&beside=other&mode=par")
    problem_of(answer, 404, "unknown-table")


def test_an_archive_without_auctions_fails_the_job(app):
    with io.StringIO() as text:
        write_pbn(deal_frame(DEALS), text)
        content = text.getvalue().encode()
    job = wait_for(app, upload(app, content, "?table=game&mode=par").json()["id"])
    assert job["state"] == "failed"
    assert job["error"].startswith("expected boards with complete auctions, got none")


@pytest.mark.slow
def test_a_job_whose_process_is_killed_goes_on(app):
    count = sized(10, 30)
    deals = random_deals(count, seed=8)
    auctions = pl.Series([[7, 0, 0, 0]] * count, dtype=pl.List(pl.UInt8))
    with io.StringIO() as text:
        write_pbn(deals.with_columns(auction=auctions), text)
        content = text.getvalue().encode()
    job_id = upload(app, content, "?table=game&mode=par").json()["id"]
    path = f"/v1/jobs/{job_id}"
    while not (progress := ask(app, "GET", path).json()["progress"])["boards"]:
        time.sleep(0.05)
    assert progress["of"] == count
    cache = len(user_tables())
    os.kill(process_of(app, job_id), signal.SIGKILL)
    job = wait_for(app, job_id)
    assert job["state"] == "done", job
    assert job["progress"]["boards"] == count
    assert 2 < cache <= len(user_tables()) == count + 2


def test_a_system_that_has_changed_meanwhile(app, played, tmp_path):
    app.state.own.jobs.open()
    app.state.own.tables.opening("never").result()
    (tmp_path / "never.bidding").write_text(GAME.format(20))
    job_id = upload(app, played, "?table=game&beside=never&mode=par").json()["id"]
    job = wait_for(app, job_id)
    assert job["state"] == "failed"
    assert job["error"] == "the table 'never' has changed since the job was asked for"
