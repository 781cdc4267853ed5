"""Engines agree with the definition, a lie is caught and named, the report is written."""

import json
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from benchmarks import __main__ as command
from benchmarks.engines import ENGINES, OPERATIONS, Engine, get_engine, measuring
from benchmarks.engines.column_engine import NumpyEngine, atom, holding_tables
from benchmarks.engines.compare import Disagreement, check
from benchmarks.engines.report import Bar, bar_chart, format_seconds
from benchmarks.engines.worker import Job, Timing, compare, measure
from benchmarks.engines.workloads import WORKLOADS, Inputs, answer, find_workloads
from benchmarks.tools.machine import environment, machine_kind
from bidcascade.kernels import DealArrays, FirstAuctions, Plan
from bidcascade.kernels.types import U64
from tests.support.cli import run_python

ROOT = Path(__file__).parents[2]
ENTRIES = 1_500


@cache
def small(name: str, deals: int = 40) -> Inputs:
    (workload,) = find_workloads([name])
    return Inputs.make(workload, entries=ENTRIES, deals=deals, seed=5)


CASES = [
    pytest.param(workload.name, engine, id=f"{workload.name}-{engine}")
    for workload in WORKLOADS
    if workload.name in (
        "counts/dense", "counts/bushy-dense", "all/middle", "first/selective", "first/bushy-dense",
        "evaluate", "features",
    )
    for engine in ENGINES
    if engine != "reference"
]  # fmt: skip


@pytest.mark.parametrize(("name", "engine_name"), CASES)
def test_engines_agree_with_the_definition(name, engine_name):
    inputs = small(name)
    engine, reference = get_engine(engine_name), get_engine("reference")
    for one in (engine, reference):
        reason = one.why_unavailable(inputs.workload.operation)
        if reason is not None:
            pytest.skip(f"{one.name}: {reason}")
    wanted, got = answer(reference, inputs), answer(engine, inputs)
    assert any(array.any() for array in wanted.values())
    assert wanted.keys() == got.keys()
    for part, array in wanted.items():
        np.testing.assert_array_equal(got[part], array)


@pytest.mark.parametrize(
    ("name", "engine_name"),
    [
        ("counts/bushy-dense", "polars-columns"),
        *(
            (name, engine)
            for name in ("counts/bushy-dense", "first/bushy-dense", "all/middle", "evaluate")
            for engine in ("numpy", "polars")
        ),
    ],
)
def test_blocks_of_deals_are_joined(name, engine_name, monkeypatch):
    inputs = small(name, deals=333)
    engine = get_engine(engine_name)
    wanted = answer(get_engine("cpu"), inputs)
    monkeypatch.setattr(engine, "block", 64, raising=False)
    for part, array in answer(engine, inputs).items():
        np.testing.assert_array_equal(array, wanted[part])


class LyingEngine(NumpyEngine):
    """Wrong about one entry, deal, expression or hand."""

    name = "liar"
    wrong_deal = 17
    """In answers deal by deal; only where the slice is long enough to have it."""

    def counts(self, plan: Plan, deals: DealArrays) -> U64:
        counts = super().counts(plan, deals)
        # the lie follows the deal, wherever a slice of the deals begins
        counts[3] += np.uint64((deals.hands[0] == self.wrong_hand).sum())
        return counts

    def first(self, plan: Plan, deals: DealArrays) -> FirstAuctions:
        auctions = super().first(plan, deals)
        if len(deals) > self.wrong_deal:
            auctions.passes[self.wrong_deal] += 1
        return auctions

    def evaluate(self, plan: Plan, deals: DealArrays) -> Any:
        columns = super().evaluate(plan, deals)
        columns.words[5, 2, 0] ^= np.uint64(1 << self.wrong_deal)
        return columns

    def entry_lists(self, plan: Plan, deals: DealArrays) -> Any:
        for lists in super().entry_lists(plan, deals):
            place = int(lists.offsets[self.wrong_deal])
            self.wrong_entry = int(lists.entries[place])
            entries = lists.entries.copy()
            entries[place] += 1000
            yield replace(lists, entries=entries)

    def hands(self, count: int, seed: int) -> U64:
        hands = super().hands(count, seed)
        hands[1, self.wrong_deal] = hands[0, self.wrong_deal]
        return hands

    def __init__(self, inputs: Inputs) -> None:
        self.wrong_hand = inputs.deals.hands[0, self.wrong_deal]
        self.wrong_entry = -1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("counts/dense", "numpy and liar differ at entry 3, deal 17: "),
        ("first/selective", "numpy and liar differ at deal 17: entry "),
        ("evaluate", r"numpy and liar differ at expression \('HCP', 5, '=='\), seat 2, deal 17"),
        ("deals", "liar: expected four hands of 13 cards, got .* as deal 17"),
    ],
)
def test_a_lie_is_caught_and_named(name, message):
    inputs = small(name)
    engines: list[Engine] = [get_engine("numpy"), LyingEngine(inputs)]
    with pytest.raises(Disagreement, match=f"{name}: {message}"):
        check(engines, inputs)


def test_a_lie_in_a_list_is_named_by_entry_and_deal():
    inputs = small("all/middle")
    liar = LyingEngine(inputs)
    with pytest.raises(Disagreement, match="differ at entry") as caught:
        check([get_engine("numpy"), liar], inputs)
    assert f"entry {liar.wrong_entry}, deal 17: it holds for numpy only" in str(caught.value)


def test_a_lie_ends_the_command(monkeypatch, tmp_path, capsys):
    def disagree(function: Any, job: Job) -> Any:
        raise Disagreement("entry 3, deal 17")

    monkeypatch.setattr(measuring, "in_a_process", disagree)
    arguments = ["--workload", "features", "--engine", "cpu", "--deals", "10", "--out"]
    assert command.main([*arguments, str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err == "error: entry 3, deal 17\n"
    assert not (tmp_path / "out").exists()


def test_answers_that_differ_while_timed_end_the_command(monkeypatch, tmp_path, capsys):
    def pretend(function: Any, job: Job) -> Any:
        if function is compare:
            return {}
        timing = Timing(job.workload, job.engines[0], job.deals, measured_deals=job.deals)
        timing.runs, timing.digest = [1.0], job.engines[0]
        return timing

    monkeypatch.setattr(measuring, "in_a_process", pretend)
    arguments = ["--workload", "counts/dense", "--engine", "cpu", "numpy", "--out", str(tmp_path)]
    assert command.main(arguments) == 1
    assert "cpu and numpy differed while they were timed" in capsys.readouterr().err


def test_a_change_of_the_files_ends_the_command(monkeypatch, tmp_path, capsys):
    def pretend(function: Any, job: Job) -> Any:
        timing = Timing(job.workload, "cpu", job.deals, measured_deals=job.deals, runs=[1.0])
        return {} if function is compare else timing

    monkeypatch.setattr(measuring, "in_a_process", pretend)
    monkeypatch.setattr(command, "sources_digest", lambda: "another")
    arguments = ["--workload", "counts/dense", "--engine", "cpu", "--out", str(tmp_path / "out")]
    assert command.main(arguments) == 1
    assert "files changed while counts/dense was measured" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_the_command_writes_its_report(tmp_path):
    arguments = [
        "--workload", "counts/bushy-dense", "deals", "--engine", "reference", "cpu",
        "polars", "cudf", "--deals", "300", "--entries", "1200", "--repeat", "2", "--budget", "0.2",
        "--out", str(tmp_path / "out"),
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "out"
    assert sorted(file.name for file in folder.iterdir()) == [
        "chart.svg",
        "environment.json",
        "report.md",
        "results.jsonl",
    ]
    lines = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    assert [(line["workload"], line["engine"]) for line in lines] == [
        (workload, engine)
        for workload in ("counts/bushy-dense", "deals")
        for engine in ("reference", "cpu", "polars", "cudf")
    ]
    by_name = {(line["workload"], line["engine"]): line for line in lines}
    cpu = by_name["counts/bushy-dense", "cpu"]
    assert 0 < cpu["min"] <= cpu["median"] <= cpu["max"]
    assert cpu["formula"] == ""
    assert cpu["digest"] == by_name["counts/bushy-dense", "polars"]["digest"]
    assert cpu["peak"] >= cpu["inputs"] > 0
    assert cpu["table"]["entries"] == 1200
    assert cpu["table"]["tests_per_deal"] > cpu["table"]["holding_per_deal"] > 0
    assert by_name["counts/bushy-dense", "cudf"]["unavailable"]
    assert by_name["deals", "polars"]["unavailable"] == "polars does not deal"
    text = (folder / "report.md").read_text("utf-8")
    assert "| cpu | 300 | 2 |" in text
    assert "not measured, cudf: " in text
    assert "× polars" in text
    ElementTree.fromstring((folder / "chart.svg").read_text("utf-8"))
    for file in folder.iterdir():
        assert str(tmp_path) not in file.read_text("utf-8")
        assert str(ROOT) not in file.read_text("utf-8")


def test_what_takes_too_long_is_measured_on_fewer_deals_and_says_so():
    job = Job("counts/bushy-dense", ["reference"], 1_200, 100_000, 1, budget=0.02)
    timing = measure(job)
    assert 0 < timing.measured_deals < 100_000
    assert timing.measured_deals % timing.step == 0
    assert timing.formula.endswith(f"(every {timing.step} are worked on like the last)")
    scale = 100_000 / timing.measured_deals
    assert timing.seconds == pytest.approx(float(np.median(timing.runs)) * scale)


def test_one_deal_is_timed_by_itself():
    timing = measure(Job("one/dense", ["cpu"], 1_200, 300, 1))
    assert timing.deals == timing.measured_deals == 1
    assert len(timing.runs) == 200
    assert timing.formula == ""


def test_a_comparison_tells_the_shape_of_the_table():
    shape = compare(Job("counts/dense", ["cpu", "numpy"], 1_200, 500, 1))
    assert shape["entries"] == 1_200
    assert shape["holding_per_deal"] > 0


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_runs_or_says_why_not(name):
    engine = get_engine(name)
    for operation in OPERATIONS:
        reason = engine.why_unavailable(operation)
        assert reason is None or (reason and reason[0].islower())
        assert reason is not None or callable(getattr(engine, operation))


def test_unknown_names_are_refused(capsys):
    for flag, name in (("--workload", "count"), ("--engine", "pandas"), ("--deals", "0")):
        with pytest.raises(SystemExit) as caught:
            command.main([flag, name])
        assert caught.value.code == 2
        assert f"got '{name}'" in capsys.readouterr().err


def test_workloads_are_found_by_name_and_by_kind():
    assert find_workloads([]) == list(WORKLOADS)
    assert [one.name for one in find_workloads(["one", "counts/dense"])] == [
        "counts/dense",
        "one/selective",
        "one/dense",
    ]


@pytest.mark.slow
def test_plain_engines_need_neither_polars_nor_lark():
    script = (
        "import sys; sys.modules.update(dict.fromkeys(('polars', 'lark', 'pyarrow', 'fastapi')))\n"
        "from benchmarks.engines import get_engine\n"
        "from benchmarks.engines.workloads import Inputs, answer, find_workloads\n"
        "inputs = Inputs.make(find_workloads(['counts/dense'])[0], entries=1000, deals=5, seed=1)\n"
        "for name in ('reference', 'cpu', 'numpy'):\n"
        "    assert answer(get_engine(name), inputs)['counts'].any()\n"
        "print(get_engine('polars').why_unavailable('counts'))\n"
    )
    assert run_python(script) == (0, "polars is not installed\n", "")


def test_the_environment_names_no_machine():
    found = environment()
    assert {"cpu", "cores", "memory", "gpu", "python", "commit", "numpy"} <= found.keys()
    kind = machine_kind({**found, "gpu": "NVIDIA H200, 143771 MiB, 570"})
    assert kind == "nvidia-h200"
    assert machine_kind({"gpu": "none", "cores": "2", "cpu": "AMD EPYC"}) == "2-core-amd-epyc"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.9996, "1 s"), (0.0123, "12.3 ms"), (4e-6, "4 µs"), (3e-8, "30 ns"), (1234.5, "1,234 s")],
)
def test_times_are_written_with_a_fitting_unit(seconds, text):
    assert format_seconds(seconds) == text


def test_the_chart_has_a_bar_for_each_time():
    groups = [
        ("a & b", [Bar("cpu", 0.5, extrapolated=False), Bar("polars", 80, extrapolated=True)])
    ]
    drawing = ElementTree.fromstring(bar_chart("Times <1>", groups))
    space = "{http://www.w3.org/2000/svg}"
    bars = drawing.findall(f"{space}rect")[1:]
    widths = [float(bar.attrib["width"]) for bar in bars]
    assert len(widths) == 2
    assert widths[1] > widths[0]
    texts = [element.text for element in drawing.iter(f"{space}text")]
    assert "80 s (extrapolated)" in texts


def test_terms_that_are_not_sums_over_suits_are_refused():
    with pytest.raises(ValueError, match="'Balanced'"):
        holding_tables("Balanced")
    with pytest.raises(ValueError, match="SL_H"):
        atom(("SL_H", "SL_S", ">="))
    assert atom(("Stopper_C",)) == ("Stopper_C", "!=", 0)
