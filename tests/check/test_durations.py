"""Durations of tests: what a run writes, and the order of the next one."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.check.durations import VARIABLE, longest_first, read_durations, summary
from tests.support.examples import some_in_check

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("processes", some_in_check((1,), 0, 2))
def test_a_run_adds_its_seconds_to_the_file(tmp_path, processes):
    path = tmp_path / "durations.json"
    path.write_text(json.dumps({"tests/bridge/test_seats.py": {"others": 1000.0}}))
    file = "tests/bridge/test_cards.py"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", str(processes), file],
        cwd=ROOT,
        env={**os.environ, "PYTEST_ADDOPTS": "", VARIABLE: str(path)},
        capture_output=True,
        text=True,
        check=True,
    )
    written = read_durations(path)
    assert written["tests/bridge/test_seats.py"] == {"others": 1000.0}
    assert sum(written[file].values()) > 0
    assert "min  tests/bridge" in done.stdout


def test_files_that_take_longest_come_first_and_stay_together():
    names = ["a.py::one", "b.py::one", "new.py::one", "b.py::two", "a.py::two[x]"]
    items = [SimpleNamespace(nodeid=name) for name in names]
    longest_first(items, {"a.py": {"others": 1.0}, "b.py": {"two": 2.0, "others": 0.5}})
    found = [item.nodeid for item in items]
    assert found == ["b.py::one", "b.py::two", "a.py::one", "a.py::two[x]", "new.py::one"]


def test_minutes_are_added_up_by_folder():
    seconds = {"t/a/x.py": {"one": 60.0}, "t/a/y.py": {"others": 30.0}, "t/b/z.py": {"two": 120.0}}
    assert list(summary(seconds)) == ["   2.0 min  t/b", "   1.5 min  t/a"]
