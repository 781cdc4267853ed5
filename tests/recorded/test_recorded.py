"""The answers to all recorded questions are those whose digests are kept."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cli import environment

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", ["requests", "commands"])
def test_answers_are_as_recorded(part):
    # in a process of its own, as it changes the environment and the current folder
    done = subprocess.run(
        [sys.executable, "-m", "tests.recorded", "--check", "--part", part],
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.fail(done.stdout + done.stderr, pytrace=False)
