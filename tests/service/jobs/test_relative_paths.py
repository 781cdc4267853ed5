"""A service whose settings name relative paths: its processes work in other folders."""

import json

import pytest

from bidcascade.systems import absolute_name
from tests.service.jobs.support_jobs import archive, upload, wait_for
from tests.support.service import ask, loaded_app, post, write_small_table
from tests.support.systems import SMALL_SYSTEM, compile_few


@pytest.fixture
def app(tmp_path, monkeypatch):
    compile_few(monkeypatch)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BIDCASCADE_CACHE", "cache")
    (tmp_path / "small.bidding").write_text(SMALL_SYSTEM, "utf-8")
    (tmp_path / "rows").mkdir()
    write_small_table(tmp_path / "rows")
    rule = {"rule": "add", "at": "2N", "name": "Two", "criteria": ["HCP >= 21"]}
    (tmp_path / "rule.jsonl").write_text(json.dumps(rule))
    (tmp_path / "season").mkdir()
    (tmp_path / "season" / "a.lin").write_bytes(archive(6))
    app = loaded_app(
        table="small.bidding",
        extra_tables="rows=rows/small.jsonl",
        overlays="rows=rule.jsonl",
        data_folder="data",
        archives_folder="archives",
        jobs_root="season",
        dd_workers=1,
    )
    yield app
    app.state.own.jobs.close()


@pytest.mark.parametrize(
    "query",
    ["?mode=first", "?mode=all", "?mode=first&table=rows", "?mode=archive&archive=club&name=a.lin"],
)
def test_jobs(app, tmp_path, query):
    begun = upload(app, archive(6), query)
    assert begun.status_code == 202, begun.text
    ended = wait_for(app, begun.json()["id"])
    assert (ended["state"], ended.get("error")) == ("done", None)
    assert (tmp_path / "archives" / "club" / "archive.json").exists() == ("archive" in query)
    assert not list((tmp_path / "data").rglob("cache"))


def test_jobs_about_paths_and_questions_about_systems(app):
    begun = post(app, "/v1/jobs", {"path": "a.lin", "mode": "first"})
    assert begun.status_code == 202, begun.text
    assert wait_for(app, begun.json()["id"])["state"] == "done"
    found = post(app, "/v1/systems/check", {"system": {"table": "small"}, "deals": 10})
    assert found.status_code == 200, found.text
    told = ask(app, "GET", "/v1/tables/rows").json()["source"]
    assert told == "small.jsonl"


def test_names_of_the_package_are_no_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("sayc", "rows", "other"):
        (tmp_path / name).mkdir()
    assert absolute_name("sayc") == "sayc"
    assert absolute_name("nothing") == "nothing"
    for path in ("rows", "other/deep.jsonl", "mine.bidding"):
        assert absolute_name(path) == str(tmp_path / path)
