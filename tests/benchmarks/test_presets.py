"""The commands ``gpu`` and ``floors``: one line each, also where there is no GPU."""

import json

import pytest

from benchmarks import __main__ as command
from benchmarks.__main__ import PRESETS, parse
from benchmarks.engines import get_engine
from bidcascade.kernels import why_unavailable

NO_GPU = why_unavailable("cuda")


def test_what_the_command_line_says_goes_first():
    assert parse([]).repeat == 5
    assert parse([]).budget == 60
    assert parse([]).engine == []
    gpu = parse(["gpu"])
    assert gpu.engine == ["cpu", "cuda", "numpy", "polars", "cudf"]
    assert (gpu.repeat, gpu.budget) == (5, 5)
    some = parse(["gpu", "--engine", "cuda", "--workload", "deals", "--repeat", "2"])
    assert (some.engine, some.workload, some.repeat) == (["cuda"], ["deals"], 2)
    assert command._command(some).startswith("python -m benchmarks gpu --workload deals --engine")


@pytest.mark.parametrize("name", ["cuda:best", "gpu"])
def test_engines_that_are_none(name):
    with pytest.raises(ValueError, match=f"cuda, .*, got {name!r}"):
        get_engine(name)


@pytest.mark.skipif(NO_GPU is None, reason="here is a device")
def test_without_a_gpu_the_report_says_why(tmp_path, monkeypatch):
    # a process for each engine takes long and is tested elsewhere
    monkeypatch.setattr(command, "in_a_process", lambda function, job: function(job))
    monkeypatch.setattr(command, "sources_digest", lambda: command.environment()["sources"])
    words = (
        "--entries", "1200", "--deals", "256", "--repeat", "1", "--budget", "0.1",
        "--workload", "counts/selective", "--out", str(tmp_path / "out"),
    )  # fmt: skip
    assert command.main(["gpu", *words]) == 0
    results = (tmp_path / "out/results.jsonl").read_text("utf-8")
    lines = [json.loads(line) for line in results.splitlines()]
    assert [line["engine"] for line in lines] == list(PRESETS["gpu"].engines)
    for line in lines:
        if line["engine"].startswith("cuda"):
            assert line["unavailable"] == NO_GPU
        elif line["engine"] in ("cpu", "numpy", "polars"):
            assert line["runs"]
    report = (tmp_path / "out/report.md").read_text("utf-8")
    assert "python -m benchmarks gpu" in report
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
