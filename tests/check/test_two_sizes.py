"""Tests that are smaller in the check of a change than in the full run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.check.kinds import VARIABLE
from tests.support import examples as support_examples
from tests.support.examples import sized, some_in_check

ROOT = Path(__file__).parents[2]


def pytest_says(file: str, *options: str, woken: str | None = None) -> str:
    """What a run of a file writes, as CI starts it, whatever a change wakes."""
    environment = {**os.environ, "CI": "true", "PYTEST_ADDOPTS": ""}
    environment.pop(VARIABLE, None)
    if woken is not None:
        environment[VARIABLE] = woken
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-m", "", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, *options, file],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


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
    function = "test_every_tag_of_a_shipped_system"
    written = pytest_says(
        "tests/systems/test_any_bidder.py", "--collect-only", "-k", function, *options
    )
    found = [
        line.partition("[")[2].rstrip("]") for line in written.splitlines() if function in line
    ]
    assert sorted(found) == systems, written


@pytest.mark.parametrize(("woken", "inputs"), [("docs", 25), ("bridge", 100), (None, 100)])
def test_properties_of_a_room_that_is_not_woken_get_fewer_inputs(woken, inputs):
    written = pytest_says(
        "tests/bridge/test_auction.py",
        "-k",
        "test_turns",
        "--hypothesis-show-statistics",
        woken=woken,
    )
    assert f"settings.max_examples={inputs}\n" in written, written
