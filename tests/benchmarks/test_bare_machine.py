"""A bare GPU machine: Python, NumPy, perhaps CuPy, a checkout; benchmark and tests must run there.

A process that finds no other package does: its path has the standard library, NumPy and the
project's two lowest folders, and ``site-packages`` is taken from it wherever it would come from.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bidcascade.bridge
import bidcascade.kernels
from benchmarks.engines.workloads import WORKLOADS

ROOT = Path(__file__).parents[2]
LIBRARIES = ("numpy", "numpy.libs")
ABSENT = ("polars", "lark", "pyarrow", "fastapi", "pydantic", "matplotlib", "endplay")

SITE = """
import sys
sys.path[:] = [path for path in sys.path if "site-packages" not in path]
"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """Environment of a process that finds nothing but NumPy and the project."""
    if os.name != "posix":
        pytest.skip("made of symbolic links")
    folder = tmp_path_factory.mktemp("bare")
    site = Path(np.__file__).parents[1]
    for name in LIBRARIES:
        if (site / name).exists():
            (folder / name).symlink_to(site / name)
    (folder / "bidcascade").mkdir()
    for package in (bidcascade.bridge, bidcascade.kernels):
        place = Path(package.__file__).parent.resolve()
        (folder / "bidcascade" / package.__name__.rpartition(".")[2]).symlink_to(place)
    (folder / "benchmarks").symlink_to(ROOT / "benchmarks")
    (folder / "sitecustomize.py").write_text(SITE)
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}


def run(environment, *words, timeout=250):
    return subprocess.run(
        [sys.executable, *words],
        cwd=environment["PYTHONPATH"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
    )


def test_nothing_else_is_there(bare):
    script = f"from importlib.util import find_spec; print([n for n in {ABSENT} if find_spec(n)])"
    done = run(bare, "-c", script)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr


def test_the_backends_say_what_is_missing(bare):
    script = (
        "from bidcascade.kernels import why_unavailable\n"
        "for name in ('reference', 'cpu', 'cuda'): print(why_unavailable(name))\n"
    )
    done = run(bare, "-c", script)
    assert done.returncode == 0, done.stderr
    reference, cpu, cuda = done.stdout.splitlines()
    assert (reference, cpu) == ("None", "None")
    assert cuda == "cupy is not installed"


EVERY_WORKLOAD = """
import json
from dataclasses import asdict
from benchmarks.engines.worker import Job, compare, measure
from benchmarks.engines.workloads import WORKLOADS
for workload in WORKLOADS:
    job = Job(workload.name, ["reference", "numpy"], 1_200, 20, 1)
    if workload.kind in ("features", "deals"):
        job = Job(workload.name, ["reference"], 1_200, 20, 1)
    shape = compare(job)
    for engine in ("reference" if workload.kind in ("features", "deals") else "numpy", "cuda"):
        timed = Job(workload.name, [engine], 1_200, 20, 1, repeat=1, budget=0.1)
        print(json.dumps({**asdict(measure(timed)), "shape": shape}))
"""


@pytest.mark.slow
def test_every_workload_is_generated_compared_and_timed(bare):
    """Tables of both shapes, all operations; ``reference`` beside ``numpy`` to compare with."""
    done = run(bare, "-c", EVERY_WORKLOAD)
    assert done.returncode == 0, done.stderr
    lines = map(json.loads, done.stdout.splitlines())
    engines = {(line["workload"], line["engine"]): line for line in lines}
    assert {workload for workload, _ in engines} == {workload.name for workload in WORKLOADS}
    for (workload, engine), line in engines.items():
        if engine == "cuda":
            writer = "polars, which writes the files, is not installed"
            assert line["unavailable"] in ("cupy is not installed", writer)
        elif workload == "parquet/selective":
            assert "polars" in line["unavailable"]
        else:
            assert line["runs"], (workload, engine)
    assert engines["counts/dense", "numpy"]["shape"]["tests_per_deal"] > 0


@pytest.mark.slow
def test_the_command_writes_its_report(bare, tmp_path):
    done = run(
        bare,
        "-m",
        "benchmarks",
        "--entries",
        "1200",
        "--deals",
        "200",
        "--engine",
        "cpu",
        "cuda",
        "numpy",
        "--workload",
        "counts/middle",
        "--repeat",
        "1",
        "--out",
        str(tmp_path / "out"),
    )
    assert done.returncode == 0, done.stderr
    report = (tmp_path / "out/report.md").read_text("utf-8")
    assert "| numpy | 200 | 1 |" in report
    assert "cupy is not installed" in report
    assert (tmp_path / "out/chart.svg").read_text("utf-8").startswith("<svg")


def test_the_command_for_a_gpu_says_what_is_missing(bare, tmp_path):
    done = run(bare, "-m", "benchmarks", "gpu", "--out", str(tmp_path / "out"))
    assert done.returncode == 3
    assert done.stderr == "error: no GPU to measure: cupy is not installed\n"


WITHOUT = """
import sys

class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {absent}:
            return None
        return self.finder.find_spec(name, path, target)

sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""


def test_tests_of_kernels_are_collected_where_there_is_little_else(bare):
    absent = ("polars", "lazy_loader", "fastapi", "xdist", "pytest_timeout")
    script = WITHOUT.format(absent=absent)
    environment = {
        **bare,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    words = ["-o", "addopts=", "-W", "default", "--import-mode=importlib", "-m", "gpu", "--co"]
    words += ["-q", "-p", "no:cacheprovider", "-p", "_hypothesis_pytestplugin", "tests/kernels"]
    done = subprocess.run(
        [sys.executable, "-c", script, *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=250,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert "tests/kernels/test_backends.py::test_sizes[cuda-0]" in done.stdout
    assert "test_cuda_systems.py::" not in done.stdout
