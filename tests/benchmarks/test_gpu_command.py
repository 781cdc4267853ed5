"""The command ``gpu`` over the emulator: what it keeps, what it says, and with what it ends.

The emulator stands for the GPU in every process that is started, by a CuPy of its own on the path.
"""

import json
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from benchmarks import __main__ as benchmarks_main
from benchmarks.engines.report import Measured
from benchmarks.engines.worker import Timing
from benchmarks.engines.workloads import find_workloads
from benchmarks.gpu import command, parts, work
from benchmarks.gpu.state import Outcome, State
from bidcascade.kernels import why_unavailable
from tests.check.missing import missing
from tests.kernels.emulator import build

ROOT = Path(__file__).parents[2]
NO_GPU = why_unavailable("cuda")

TESTS = """
import pytest

pytestmark = pytest.mark.gpu


def test_right():
    pass


@pytest.mark.skip(reason="cudf is not installed")
def test_left_out():
    pass
"""


@pytest.fixture
def emulator():
    reason = build.why_unavailable()
    if reason is not None:
        missing(reason)


@pytest.fixture
def run(tmp_path, emulator):
    """Run the command in a process of its own; its exit status, output and last line of errors."""

    def run(*words, out=tmp_path / "out", cuda="", **environment):
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks", "gpu", "--emulator", "--out", str(out), *words],
            cwd=ROOT,
            env={**os.environ, "EMULATED_CUDA": cuda, **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=250,
        )
        return done.returncode, done.stdout, done.stderr

    return run


def only_line(err):
    assert err.count("\n") == 1, err
    assert err.startswith("error: ")
    return err[len("error: ") : -1]


# --- the whole way ---


@pytest.mark.slow
def test_go_then_a_workload_then_nothing_is_done_again(run, tmp_path):
    code, out, err = run("--parts", "time evaluate")
    assert (code, err) == (0, ""), out
    assert "go: done, go: cuda:0 emulator" in out
    report = (tmp_path / "out/report.md").read_text("utf-8")
    assert "**The device is the emulator" in report
    assert "| go | " in report
    assert "| time evaluate | timed, answers compared first | done | timed |" in report
    assert "cuda on the device" in report
    assert "gpu emulator" in report
    lines = (tmp_path / "out/results.jsonl").read_text("utf-8").splitlines()
    assert "cuda" in [json.loads(line)["engine"] for line in lines]
    code, out, _ = run("--parts", "time evaluate")
    assert code == 0
    assert "go: done before\ntime evaluate: done before\n" in out
    assert (tmp_path / "out/report.md").read_text("utf-8") == report


# --- what may be missing or go wrong ---


@pytest.mark.skipif(NO_GPU is None, reason="here is a device")
def test_no_gpu_and_no_emulator_is_one_line(tmp_path, capfd):
    assert benchmarks_main.main(["gpu", "--out", str(tmp_path / "out")]) == 3
    out, err = capfd.readouterr()
    assert only_line(err) == f"no GPU to measure: {NO_GPU}"
    assert out == ""
    assert not (tmp_path / "out/report.md").exists()


@pytest.mark.parametrize(
    ("cuda", "reason"),
    [
        ("driver=0", "CUDA finds no device: no NVIDIA driver is loaded"),
        (
            "driver=12040",
            "CUDA finds no device: the driver is for CUDA 12.4, CuPy for 13.2: expected a newer "
            "driver",
        ),
    ],
)
def test_no_driver_or_an_old_one(run, cuda, reason):
    code, _, err = run(cuda=cuda)
    assert code == 3
    assert only_line(err) == f"no GPU to measure: {reason}"


def test_memory_that_others_hold(run, tmp_path):
    code, _, err = run(cuda="memory=65536")
    assert code == 3
    assert only_line(err) == (
        "no go: expected 543 kB of free device memory, got 65.5 kB: other processes hold it"
    )
    assert (tmp_path / "out/state.json").exists()


@pytest.mark.full
@pytest.mark.slow
def test_a_device_that_is_lost(run, tmp_path):
    code, out, err = run("--parts", "go", cuda=f"lost={tmp_path / 'lost'}:40")
    assert code == 3, out
    assert only_line(err).startswith("no go: the device failed: ")
    assert "cudaErrorDevicesUnavailable" in err
    (tmp_path / "lost").unlink()
    assert run("--parts", "go")[0] == 0
    code, out, err = run("--parts", "time", cuda=f"lost={tmp_path / 'lost'}:20")
    assert code == 3, out
    told = only_line(err)
    assert told.startswith("the device is lost in time counts/selective: ")
    assert told.endswith(f"1 of 4 parts are done and kept in {tmp_path / 'out'}, go on from there")
    # with a device that works it goes on
    (tmp_path / "lost").unlink()
    code, out, _ = run("--parts", "go")
    assert (code, out.splitlines()[0]) == (0, "go: done before")


@pytest.mark.full
@pytest.mark.slow
def test_time_that_is_over(run, tmp_path):
    assert run("--parts", "go")[0] == 0
    code, out, err = run("--parts", "time", "--minutes", "0.7", cuda="pause=5")
    assert code == 3, out
    assert only_line(err) == (
        f"the time of 0.7 minutes is over; 1 of 4 parts are done and kept in {tmp_path / 'out'}, "
        "go on from there"
    )
    report = (tmp_path / "out/report.md").read_text("utf-8")
    assert "| time counts/selective | timed, answers compared first | stopped | after " in report


def test_no_wheels(run, tmp_path):
    (tmp_path / "wheels").mkdir()
    code, _, err = run("--wheels", str(tmp_path / "wheels"))
    assert code == 3
    assert only_line(err) == f"expected wheels in {tmp_path / 'wheels'}, got none"


def test_wheels_of_another_machine(run, tmp_path):
    wheel = tmp_path / "thing-1.0-cp39-cp39-win_amd64.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("thing.py", "")
    code, _, err = run("--wheels", str(tmp_path))
    assert code == 3
    assert wheel.name in only_line(err)


def test_what_was_done_of_other_files_or_sizes_is_done_again(tmp_path):
    mark = {"sources": "1", "seed": 1}
    state, why = State.read(tmp_path, mark)
    assert (why, state.is_done("go")) == ("", False)
    state.keep("go", Outcome("done", "go"))
    state.keep("kernels", Outcome("stopped", "after 9 s"))
    state, why = State.read(tmp_path, mark)
    assert (why, state.is_done("go"), state.is_done("kernels")) == ("", True, False)
    state, why = State.read(tmp_path, mark | {"seed": 2})
    assert (state.outcomes, why) == (
        {},
        f"seed changed since {tmp_path / 'state.json'} was written",
    )


TOOL = """#!/usr/bin/env bash
while [[ $1 == --* ]]; do shift 2; done
"$@"
"""


@pytest.mark.slow
def test_the_script_of_the_sanitizer_needs_no_plugins(tmp_path, emulator):
    """Over a stand-in of the tool, which only runs what it is given."""
    tool = tmp_path / "compute-sanitizer"
    tool.write_text(TOOL)
    tool.chmod(0o755)
    path = os.pathsep.join([str(command.EMULATOR), *filter(None, sys.path)])
    done = subprocess.run(
        ["bash", "tests/kernels/run_sanitizer.sh", "memcheck", "--", "-k", "test_sizes"], cwd=ROOT,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHON": sys.executable,
             "PYTHONPATH": path, "PYTEST_ADDOPTS": ""},
        capture_output=True, text=True, check=False, timeout=250,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert "12 passed" in done.stdout
    assert done.stdout.endswith("memcheck: clean\n")


@pytest.mark.checkout
def test_what_is_carried_is_of_the_versions_of_the_checks():
    """But polars, whose newest is too large: an older one, with which nox -s rehearse runs all."""

    def versions(name):
        lines = (ROOT / name).read_text("utf-8").splitlines()
        return dict(line.split("==") for line in lines if "==" in line and line[0] != "#")

    carried, checked = versions("benchmarks/gpu/wheels.txt"), versions("constraints.txt")
    assert carried.pop("polars") < checked["polars"]
    assert {name: checked[name] for name in carried} == carried


def test_state_that_cannot_be_read(tmp_path):
    (tmp_path / "state.json").write_text('{"mark": 3}')
    state, why = State.read(tmp_path, {"sources": "1"})
    assert state.outcomes == {}
    assert why == f"{tmp_path / 'state.json'} cannot be read"


# --- parts, without a device ---


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A run of parts that are made here; no process but pytest's is started."""
    options = command.parse(["--out", str(tmp_path / "out")])
    gone = []

    def ask(self, name, limit):
        if name == work.PROBE:
            return Outcome("missing", "gone") if gone else Outcome("done", "cuda:0 made")
        timed = {"shape": {}, "check_deals": 1, "timings": []}
        found = {"environment": {"gpu": "made", "date": "2026-01-01"}, **timed}
        return Outcome("done", "go", result=found)

    monkeypatch.setattr(command._Run, "_ask", ask)

    def make(*more):
        monkeypatch.setattr(command, "PARTS", (parts.PARTS[0], *more))
        return command._Run(options, tmp_path)

    make.gone = gone
    return make


def part_of(tmp_path, text, **more):
    file = tmp_path / "test_made.py"
    file.write_text(text)
    tests = (str(file),)
    return parts.Part("kernels", "made", tests=tests, rehearsed=tests, **more)


def test_tests_are_counted_with_reasons(made, tmp_path):
    run = made(part_of(tmp_path, TESTS))
    assert run.parts() == 0
    outcome = run.state.outcomes["kernels"]
    assert (outcome.status, outcome.about) == ("done", "1 passed, 1 skipped")
    assert outcome.result["reasons"] == ["skipped: cudf is not installed"]


def test_tests_that_fail_are_wrong(made, tmp_path):
    run = made(part_of(tmp_path, TESTS.replace("    pass", "    assert 1 == 2", 1)))
    with pytest.raises(command._Ended, match=r"^wrong: kernels \(1 failed, 1 skipped\)$") as ended:
        run.parts()
    assert ended.value.code == 1
    assert "failed: test_right: assert 1 == 2" in run.state.outcomes["kernels"].result["reasons"]


def test_tests_that_fail_on_a_lost_device_say_nothing_of_the_answers(made, tmp_path):
    run = made(part_of(tmp_path, TESTS.replace("    pass", "    assert 1 == 2", 1)))
    made.gone.append(1)
    with pytest.raises(
        command._Ended, match="the device is lost in kernels: gone; 1 of 2"
    ) as ended:
        run.parts()
    assert ended.value.code == 3
    assert run.state.outcomes["kernels"].status == "missing"


def test_tests_that_are_all_left_out_are_not_done(made, tmp_path):
    text = TESTS[: TESTS.index("def test_right")] + TESTS[TESTS.index("@pytest.mark.skip") :]
    run = made(part_of(tmp_path, text))
    with pytest.raises(command._Ended, match=r"^not done: kernels \(1 skipped\)$"):
        run.parts()


def test_time_that_is_over_between_parts(made, tmp_path):
    run = made(part_of(tmp_path, TESTS))
    run.latest = time.monotonic() + command._LEAST_SECONDS - 1
    told = (
        r"^the time of 10 minutes is over; 0 of 2 parts are done and kept in .*, go on from there$"
    )
    with pytest.raises(command._Ended, match=told) as ended:
        run.parts()
    assert ended.value.code == 3


def test_time_that_is_over_within_a_part(made, tmp_path):
    slow = "import time\n" + TESTS.replace("    pass", "    time.sleep(60)", 1)
    run = made(part_of(tmp_path, slow, limit=2))
    run.latest = time.monotonic() + command._LEAST_SECONDS + 1
    with pytest.raises(command._Ended, match=r"is over; 1 of 2 parts are done and kept in "):
        run.parts()
    outcome = run.state.outcomes["kernels"]
    assert (outcome.status, outcome.about[:6]) == ("stopped", "after ")


def test_wheels_that_are_missing(made, tmp_path):
    """The parts before and behind are done."""
    absent = part_of(tmp_path, TESTS, modules=("numpy", "no_such_module"))
    run = made(absent, parts.Part("time evaluate", "made"))
    with pytest.raises(
        command._Ended, match=r"^not done: kernels \(not installed: no_such_module\)$"
    ) as ended:
        run.parts()
    assert ended.value.code == 3
    assert run.state.is_done("time evaluate")


def test_a_core_that_is_missing(made, tmp_path):
    """Neither a compiler nor a carried library: what asks the core is left out, not wrong."""
    run = made(part_of(tmp_path, TESTS, needs_core=True))
    run.state.environment = {"gpu": "made", "date": "2026-01-01"}
    run.state.keep("go", Outcome("done", "go", result={"no_core": "no library"}))
    with pytest.raises(command._Ended, match=r"^not done: kernels \(no library\)$") as ended:
        run.parts()
    assert ended.value.code == 3


def test_timings_come_back_from_the_state():
    (workload,) = find_workloads(["evaluate"])
    from benchmarks.gpu.roofline import H200, Work
    from benchmarks.gpu.summary import _timing

    timing = Timing("evaluate", "cuda", 10, None, 10, 1, runs=[0.5], works={"": Work(1, 2)})
    timing.ceilings = H200
    timing.device_runs = [{"bit_columns": (1, 0.25)}]
    from dataclasses import asdict

    back = _timing(json.loads(json.dumps(asdict(timing))))
    assert back == timing
    assert Measured(workload, {}, 1, [back]).timings[0].seconds == 0.5


def test_every_part_stays_below_eight_minutes():
    assert all(part.limit < 480 for part in (*parts.PARTS, parts.SANITIZER))
    assert parts.PARTS[0].limit <= 120
    files = {
        one.partition("::")[0]
        for part in (*parts.PARTS, parts.SANITIZER)
        for one in (*part.tests, *part.rehearsed)
    }
    assert all((ROOT / one).exists() for one in files)
