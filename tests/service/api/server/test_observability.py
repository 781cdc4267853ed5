"""Metrics, stages and logs of the service."""

import asyncio
import io
import json
import logging
import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

from bidcascade.bridge import InvalidTable
from bidcascade.engine.settings import Settings
from bidcascade.service.api.app import create_app
from bidcascade.service.api.http.logs import JsonFormatter, configure_logs
from bidcascade.service.api.http.stages import Stages, current_stages, request_stages
from bidcascade.service.api.shared.tables import Tables
from tests.support.service import DEAL, ask, loaded_app, post, write_small_table


def samples(app):
    """Values of the metrics page by name and labels."""
    answer = ask(app, "GET", "/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


@pytest.fixture
def app(tmp_path):
    return loaded_app(tmp_path, backend="cpu")


def test_what_was_asked_is_counted(app):
    for _ in range(3):
        assert post(app, "/v1/auctions", {"deals": [{"deal": DEAL}] * 2}).status_code == 200
    assert post(app, "/v1/auctions", {"deals": "none"}).status_code == 422
    assert post(app, "/v1/bid", {"hand": "AQ4.KJ3.K876.Q52", "auction": []}).status_code == 200
    assert ask(app, "GET", "/v1/tables/nobody").status_code == 404
    for number in range(3):
        assert ask(app, "GET", f"/no/such/page/{number}").status_code == 404
    found = samples(app)
    requests = {
        (labels["route"], labels["status"]): value
        for (name, *pairs), value in found.items()
        if name == "bidcascade_requests_total" and (labels := dict(pairs))
    }
    assert requests == {
        ("/v1/auctions", "200"): 3, ("/v1/auctions", "422"): 1, ("/v1/bid", "200"): 1,
        ("/v1/tables/{name}", "404"): 1, ("other", "404"): 3,
    }  # fmt: skip
    # six deals of auctions, one hand
    assert found["bidcascade_deals_total",] == 7
    assert found["bidcascade_batch_requests_count",] == 4
    assert found["bidcascade_queue_deals",] == 0
    assert found["bidcascade_ready",] == 1
    assert found["bidcascade_backend_info", ("name", "cpu")] == 1
    digest = app.state.own.tables.get().digest
    info = ("bidcascade_table_info", ("digest", digest), ("name", "small"), ("profile", "gib"))
    assert found[info] == 1
    assert found["bidcascade_stage_seconds_count", ("stage", "engine")] == 4
    assert found["bidcascade_request_seconds_count", ("route", "/v1/auctions")] == 4
    # the one that asks
    assert found["bidcascade_running_requests",] == 1


def test_the_page_is_there_before_the_tables_are(tmp_path):
    app = create_app(Settings(table=f"small={write_small_table(tmp_path)}", backend="cpu"))
    found = samples(app)
    assert found["bidcascade_ready",] == 0
    assert not [name for name, *_ in found if name == "bidcascade_table_info"]


def test_a_table_that_could_not_be_loaded_anew_shows(app, monkeypatch):
    def broken(*_):
        raise InvalidTable("broken")

    monkeypatch.setattr(Tables, "_opened", broken)
    assert samples(app)["bidcascade_reload_failed", ("name", "small")] == 0
    assert not app.state.own.tables.reload("small")
    assert samples(app)["bidcascade_reload_failed", ("name", "small")] == 1


def test_server_timing_names_the_stages(app):
    timing = post(app, "/v1/auctions", {"deals": [{"deal": DEAL}]}).headers["server-timing"]
    assert re.fullmatch(
        r"read;dur=[\d.]+, queue;dur=[\d.]+, engine;dur=[\d.]+, total;dur=[\d.]+", timing
    )
    assert ask(app, "GET", "/healthz").headers["server-timing"].startswith("total;dur=")


def test_stages_belong_to_one_request():
    async def one(name):
        with request_stages(name) as stages:
            await asyncio.sleep(0)
            assert current_stages() is stages
            with stages.measured("engine"):
                await asyncio.sleep(0)
            return stages.request_id, sorted(stages.seconds)

    async def both():
        return await asyncio.gather(one("a"), one("b"))

    assert asyncio.run(both()) == [("a", ["engine"]), ("b", ["engine"])]
    assert current_stages() is None


def test_slow_requests_are_told_with_their_stages(tmp_path, caplog):
    app = loaded_app(tmp_path, slow_request_ms=100, access_log=True)
    engine = app.state.own.tables.get()
    write = engine.results.write

    def slow(deals, query):
        asyncio.run(asyncio.sleep(0.15))
        return write(deals, query)

    engine.results.write = slow
    with caplog.at_level(logging.INFO):
        post(app, "/v1/auctions", {"deals": [{"deal": DEAL}]}, X_Request_Id="slow-1")
        ask(app, "GET", "/healthz")
    told = [record for record in caplog.records if record.name == "bidcascade.slow"]
    assert [record.fields["path"] for record in told] == ["/v1/auctions"]
    assert told[0].levelno == logging.WARNING
    assert told[0].fields["engine_ms"] >= 150
    assert "slow-1" in told[0].getMessage()
    access = [record for record in caplog.records if record.name == "bidcascade.access"]
    assert [record.fields["status"] for record in access] == [200, 200]


def test_json_logs_are_one_object_a_line(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    root = logging.getLogger()
    before = (root.handlers[:], root.level)
    try:
        configure_logs("info", "json")
        logger = logging.getLogger("bidcascade.test")
        with request_stages("r-1"):
            logger.warning("two\nlines %s", "“é”", extra={"fields": {"status": 418}})
        try:
            raise ValueError("bad")
        except ValueError:
            logger.exception("failed")
        logger.debug("not written")
    finally:
        root.handlers[:] = before[0]
        root.setLevel(before[1])
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert len(lines) == 2
    assert lines[0]["message"] == "two\nlines “é”"
    assert (lines[0]["request_id"], lines[0]["status"], lines[0]["level"]) == (
        "r-1",
        418,
        "warning",
    )
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", lines[0]["time"])
    assert "ValueError: bad" in lines[1]["exception"]
    assert "request_id" not in lines[1]


def test_a_formatter_without_a_request():
    record = logging.LogRecord("n", logging.ERROR, "", 0, "text", (), None)
    assert json.loads(JsonFormatter().format(record))["level"] == "error"
    assert Stages("x").header(0.001) == "total;dur=1.00"
