"""Every kind of run is killed before a step, again and again, and ends as one nobody disturbs.

The steps at which a process dies are files that take their place, that are removed, and folders;
a hook of Python's counts them in the process, of which the package knows nothing.
"""

import itertools
import multiprocessing
import os
import random
import signal

import polars as pl
import pytest

from tests.engine.archive.support_archives import contents, write_system
from tests.engine.runs.support_killed_runs import KINDS, run_and_die
from tests.support.examples import some_in_check
from tests.support.mining import write_archives
from tests.support.service import write_small_table

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills by signal")

NEVER = 1_000_000
MOST_KILLS = 40
SEEDS = some_in_check(1, 1, pytest.param(2, marks=pytest.mark.slow), *range(3, 6))


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """What all runs read."""
    folder = tmp_path_factory.mktemp("given")
    write_archives(folder)
    write_small_table(folder)
    write_system(folder)
    return folder


@pytest.fixture(scope="module")
def processes():
    """Start processes that have what takes longest to load, and no threads."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["polars", "pydantic", "lark"])
    return context


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_killed_again_and_again(kind, seed, given, processes, tmp_path):
    def run(number, name, steps):
        place = tmp_path / name
        place.mkdir(exist_ok=True)
        process = processes.Process(target=run_and_die, args=(kind, number, place, given, steps))
        process.start()
        process.join()
        assert process.exitcode in (0, -signal.SIGKILL)
        return process.exitcode == 0

    chance = random.Random(f"{kind} {seed}")
    kills = 0
    for number in range(len(KINDS[kind])):
        assert run(number, "whole", NEVER)
        steps = int((tmp_path / "whole.steps").read_text("ascii"))
        # three times soon, and then whenever: some work is one step
        tries = itertools.chain([steps // 2] * 3, itertools.repeat(2 * steps))
        while not run(number, "killed", chance.randrange(next(tries))):
            kills += 1
            assert kills < MOST_KILLS
    assert kills >= 2
    found, expected = everything(tmp_path / "killed"), everything(tmp_path / "whole")
    assert found.keys() == expected.keys()
    for name, one in expected.items():
        same = found[name].equals(one) if isinstance(one, pl.DataFrame) else found[name] == one
        assert same, name


def everything(place):
    """Every byte; of an archive what it holds, which may be cut into other parts."""
    if (place / "club").exists():
        return contents(place / "club")
    files = {path.relative_to(place).as_posix(): path for path in place.rglob("*")}
    return {name: path.is_file() and path.read_bytes() for name, path in files.items()}
