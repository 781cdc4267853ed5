"""The programs without engines measure what they say, here a little of it."""

import json

import numpy as np
import pytest

from benchmarks.evidence import mining
from benchmarks.evidence.mining import TEXTS, announcement_texts, frames, walk
from benchmarks.files import augment, loaders
from benchmarks.service.requests import deal_objects, markdown, measure
from benchmarks.tools.http_client import percentiles
from bidcascade.bridge import Auction
from bidcascade.engine.questions.deals.auctions import DealRequest
from bidcascade.engine.questions.deals.deal_reading import deals_of
from bidcascade.loaders import random_deals, write_lin, write_pbn
from bidcascade.table import read_announcement


@pytest.mark.slow
def test_report_of_few_deals(tmp_path, monkeypatch):
    rows = tmp_path / "one.jsonl"
    rows.write_text(json.dumps({"prior": "", "call": "1N", "criteria": ["HCP >= 15"]}) + "\n")
    monkeypatch.setattr(augment, "tables", lambda data, folder: {"small": ["--table", str(rows)]})
    augment.main(["--deals", "500", "--out", str(tmp_path)])
    found = json.loads((tmp_path / "augment.json").read_text("utf-8"))
    (result,) = found["results"]
    assert (result["table"], result["deals"]) == ("small", 500)
    assert result["columns"] > 600
    assert result["peak MiB"] > 50
    assert result["file MiB"] > 0
    assert "| small | 500 |" in (tmp_path / "augment.md").read_text("utf-8")


@pytest.mark.slow
def test_loaders_are_measured(tmp_path, capsys):
    (tmp_path / "lin" / "vugraph").mkdir(parents=True)
    (tmp_path / "pbn").mkdir()
    for number in range(3):
        deals = random_deals(5, seed=number)
        write_lin(deals, tmp_path / "lin" / "vugraph" / f"{number}.lin")
        write_pbn(deals, tmp_path / "pbn" / f"{number}.pbn")
    assert loaders.main(["--repeat", "1", "--data", str(tmp_path)]) == 0
    lines, _, table = capsys.readouterr().out.partition("\n\n")
    results = {result["measurement"]: result for result in map(json.loads, lines.splitlines())}
    for kind in ("lin", "pbn"):
        speed = results[f"{kind} speed"]
        assert (speed["files"], speed["boards"], speed["rejects"]) == (3, 15, 0)
        for times in (1, 4, 16):
            memory = results[f"{kind} memory, files x{times}"]
            assert memory["boards"] == 15 * times
            assert memory["MiB peak"] >= memory["MiB before"] > 0
    assert table.count("\n") == len(results) + 1


def test_no_data_is_said(tmp_path, capsys):
    assert loaders.main(["--data", str(tmp_path / "nowhere")]) == 2
    assert "no real data" in capsys.readouterr().err


def test_auctions_are_legal_and_places_tell_prefixes_apart():
    calls, places, offsets = walk(200, 1, 0.5)
    assert len(calls) == len(places) == offsets[-1]
    prefixes = {}
    for first, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        auction = Auction.of(calls[first:end].tolist())
        assert auction.is_complete or end - first == 64
        for length in range(1, end - first + 1):
            prefix = calls[first : first + length].tobytes()
            assert (
                prefixes.setdefault(prefix, places[first + length - 1])
                == places[first + length - 1]
            )
    assert len(set(prefixes.values())) == len(prefixes) < offsets[-1] / 2


def test_texts_are_announcements():
    texts = announcement_texts()
    assert len(texts) == TEXTS
    for text in texts[:TEXTS:997]:
        assert not read_announcement(text).human
    [frame] = frames(50, 0.5)
    assert frame["auction"].list.len().equals(frame["announcements"].list.len())


@pytest.mark.slow
def test_the_report_has_a_line_for_each_run(tmp_path):
    arguments = ["--boards", "400", "--most-in-memory", "100", "--out", str(tmp_path)]
    mining.main(arguments)
    lines = [line for line in (tmp_path / "mining.md").read_text().splitlines() if line[:1] == "|"]
    assert len(lines) == 3
    assert lines[2].split("|")[1].strip() == "400"


def test_percentiles_are_in_milliseconds():
    found = percentiles(np.arange(1, 102) / 1000)
    assert found == {"p50_ms": 51.0, "p90_ms": 91.0, "p99_ms": 100.0, "max_ms": 101.0}


def test_deals_are_what_requests_take():
    objects = deal_objects(20, seed=1)
    deals = deals_of([DealRequest(**one) for one in objects])
    assert [one["dealer"] for one in objects] == ["NESW"[seat] for seat in deals.dealer.tolist()]
    assert objects == deal_objects(20, seed=1)
    assert objects != deal_objects(20, seed=2)


@pytest.fixture(scope="module")
def result():
    return measure(rate=100, seconds=0.2, deals=1200, seed=1, singles=50)


@pytest.mark.slow
def test_a_short_run_has_no_failures(result):
    groups = {name: value for name, value in result.items() if isinstance(value, dict)}
    assert len(groups) == 10
    assert all(value["failures"] == 0 for value in groups.values())
    assert {value.get("requests", 20) for value in groups.values()} <= {20, 50}
    for value in groups.values():
        if "first_byte_ms" in value:
            assert 0 < value["first_byte_ms"] <= value["total_ms"]
            assert value["bytes"] > 10_000
    assert json.loads(json.dumps(result)) == result


@pytest.mark.slow
def test_the_report_has_a_row_for_each_measurement(result):
    lines = markdown(result).splitlines()
    rows = [line for line in lines if line.startswith("| ") and not line.startswith("| ---")]
    assert len(rows) == 2 + 10
    assert lines[-1].startswith("Ready ")
