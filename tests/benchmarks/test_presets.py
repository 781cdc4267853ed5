"""The commands beside ``gpu``: chosen engines and workloads, and ``floors``."""

import io
import json

import pytest

from benchmarks import __main__ as command
from benchmarks.engines import get_engine, measuring
from bidcascade.kernels import why_unavailable

NO_GPU = why_unavailable("cuda")


@pytest.mark.parametrize("name", ["cuda:best", "gpu"])
def test_engines_that_are_none(name):
    with pytest.raises(ValueError, match=f"cuda, .*, got {name!r}"):
        get_engine(name)


def test_all_workloads_are_measured_only_when_that_is_wanted(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(command, "measure_workload", None)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert command.main(["--out", str(tmp_path / "out")]) == 2
    told = capsys.readouterr()
    assert "about an hour" in told.out
    assert "expected --workload NAME or --yes" in told.err
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(NO_GPU is None, reason="here is a device")
def test_without_a_gpu_the_report_says_why(tmp_path, monkeypatch):
    # a process for each engine takes long and is tested elsewhere
    monkeypatch.setattr(measuring, "in_a_process", lambda function, job: function(job))
    monkeypatch.setattr(command, "sources_digest", lambda: command.environment()["sources"])
    words = (
        "--entries", "1200", "--deals", "256", "--repeat", "1", "--budget", "0.1", "--engine",
        "cpu", "cuda", "numpy", "--workload", "counts/selective", "--out", str(tmp_path / "out"),
    )  # fmt: skip
    assert command.main(words) == 0
    results = (tmp_path / "out/results.jsonl").read_text("utf-8")
    lines = {line["engine"]: line for line in map(json.loads, results.splitlines())}
    assert lines["cuda"]["unavailable"] == NO_GPU
    assert lines["cpu"]["runs"]
    assert lines["numpy"]["runs"]
    report = (tmp_path / "out/report.md").read_text("utf-8")
    assert "`python -m benchmarks --workload counts/selective --engine cpu cuda numpy" in report
    assert NO_GPU in report


def test_floors_are_told_without_a_gpu(capsys):
    some = ["counts/dense", "first/selective", "evaluate", "features", "deals"]
    words = ["--entries", "1200", "--deals", "1000", "--workload", *some]
    assert command.main(["floors", *words]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = {line.split(" | ")[0].removeprefix("| "): line for line in lines if line[:3] != "| -"}
    for workload in some:
        assert rows[workload].endswith(("| memory |", "| integer operations |"))
    assert "H200: 4.3 TB/s" in lines[0]
