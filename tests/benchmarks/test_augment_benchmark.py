"""The benchmark of wide frames runs, and its report has a row for each table."""

import json

import pytest

from benchmarks import augment


@pytest.mark.slow
def test_report_of_few_deals(tmp_path, monkeypatch):
    rows = tmp_path / "one.jsonl"
    rows.write_text(json.dumps({"prior": "", "call": "1N", "criteria": ["HCP >= 15"]}) + "\n")
    monkeypatch.setattr(augment, "tables", lambda data, folder: {"small": ["--table", str(rows)]})
    assert augment.main(["--deals", "500", "--out", str(tmp_path)]) == 0
    found = json.loads((tmp_path / "augment.json").read_text("utf-8"))
    (result,) = found["results"]
    assert (result["table"], result["deals"]) == ("small", 500)
    assert result["columns"] > 600
    assert result["peak MiB"] > 50
    assert result["file MiB"] > 0
    assert "| small | 500 |" in (tmp_path / "augment.md").read_text("utf-8")
