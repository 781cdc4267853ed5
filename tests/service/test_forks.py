"""Forked processes: frames cannot be worked on in them, which is told and not waited for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("support_forks.py")

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def python(program, folder):
    found = [path for path in sys.path if path]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, found))}
    return subprocess.run(
        [sys.executable, *program], cwd=folder, env=env, capture_output=True, text=True, check=True
    ).stdout


def test_a_fork_of_who_worked_with_frames_is_told(tmp_path):
    lines = [line.split("\t") for line in python([PROGRAM], tmp_path).splitlines()]
    assert len(lines) >= 15
    for kind, name, told in lines:
        if kind == "frames":
            assert told.startswith("ForkedProcess: expected a spawned process"), (name, told)
            assert 'get_context("spawn")' in told
        else:
            assert told == "done", (name, told)


def test_frames_may_be_used_first_in_a_fork(tmp_path):
    """Polars was loaded, its threads were not: nothing is missing in the child."""
    program = """
import os, signal, sys
import polars
from bidcascade import Engine
from bidcascade.loaders import random_deals
child = os.fork()
if not child:
    signal.alarm(60)
    print(Engine.open("sayc").auctions(random_deals(300, seed=1), mode="first").height, flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""
    if sys.platform == "linux":
        assert python(["-c", program], tmp_path).strip() == "300"
