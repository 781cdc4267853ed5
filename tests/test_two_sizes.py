"""Tests that are smaller in the check of a change than in the full run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import support_examples
from tests.support_examples import sized, some_in_check
from tests.support_kinds import VARIABLE

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("is_full", [False, True])
def test_sizes(monkeypatch, is_full):
    monkeypatch.setattr(support_examples, "is_full_run", lambda: is_full)
    assert sized(10, 100) == (100 if is_full else 10)


def test_parameters_behind_those_of_the_check_are_marked():
    first, second, third = some_in_check(1, "a", "b", "c")
    assert first == "a"
    for one, value in ((second, "b"), (third, "c")):
        assert one.values == (value,)
        assert [mark.name for mark in one.marks] == ["full"]


@pytest.mark.parametrize(
    ("options", "systems"),
    [((), ["sayc"]), (("--hypothesis-profile=full",), ["acol", "sayc", "two-over-one"])],
)
def test_what_is_marked_is_collected_for_the_full_run_alone(options, systems):
    file, function = "tests/systems/test_any_bidder.py", "test_every_tag_of_a_shipped_system"
    # whatever a change wakes
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    environment["PYTEST_ADDOPTS"] = ""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "", "-k", function,
         "-p", "no:cacheprovider", *options, file],
        cwd=ROOT, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    found = [
        line.partition("[")[2].rstrip("]") for line in done.stdout.splitlines() if function in line
    ]
    assert sorted(found) == systems, done.stdout + done.stderr
