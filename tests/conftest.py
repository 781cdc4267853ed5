"""Fixtures and settings that every test folder shares."""

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

from tests.check.durations import (
    KNOWN,
    VARIABLE,
    DurationsWriter,
    longest_first,
    read_durations,
)
from tests.check.kinds import PAGE, TESTS, has_properties, is_passed_over, runs
from tests.check.missing import missing
from tests.check.second_tries import allow_second_tries
from tests.support.examples import is_full_run

WRITERS = Path(__file__).parents[1] / "build_backend"

settings.register_profile("dev", deadline=None, max_examples=25)
settings.register_profile("ci", deadline=None, max_examples=100, derandomize=True)
settings.register_profile("full", deadline=None, max_examples=400)
settings.register_profile("thorough", deadline=None, max_examples=2000)
settings.register_profile("beside", deadline=None, max_examples=25, derandomize=True)
settings.register_profile("sanitizer", deadline=None, max_examples=3, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

# systems and ten thousand tests are many objects: looking through them took a tenth of the time
gc.set_threshold(300_000, 20, 100)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # so a shell starts what runs in the background, and commands that tests interrupt inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """In the process that starts the others write what builds write, and how long tests take."""
    if hasattr(config, "workerinput"):
        return
    # what the checkout has may be older than what it is made of; a wheel's was written with it
    if WRITERS.exists():
        subprocess.run([sys.executable, "-I", WRITERS / "client_types.py"], check=True)
        # a bare machine with a GPU tests tables alone
        if find_spec("lark"):
            subprocess.run([sys.executable, "-B", WRITERS / "language_data.py"], check=True)
    if path := os.environ.get(VARIABLE):
        config.pluginmanager.register(DurationsWriter(Path(path)))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of real files that lies beside the checkout; none of it is part of the repository."""
    folder = Path(__file__).parents[1].parent / "shared" / "data"
    if not folder.is_dir():
        missing(f"no real data: {folder} is not a folder")
    return folder


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Name of bytes among a test's parameters: that of the parameter, which pytest numbers.

    By itself pytest names a case by the bytes. Packed ones hold the time of packing, and processes
    that share the tests must come to the same names at different times.
    """
    return argname if isinstance(val, bytes | bytearray) else None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave files out that a change cannot touch: importing them takes longer than what is left."""
    if not collection_path.match("test_*.py"):
        return None
    file = collection_path.relative_to(TESTS).as_posix()
    return is_passed_over(file, config.option.markexpr) or None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Give properties of rooms that a change does not touch fewer inputs than the others."""
    # a property takes its number of inputs from the profile while its file is imported
    usual = settings.get_current_profile_name()
    if usual == "ci" and isinstance(collector, pytest.Module):
        file = collector.path.relative_to(TESTS).as_posix()
        if not runs(file, (), is_property=False):
            settings.load_profile("beside")
    try:
        return (yield)
    finally:
        settings.load_profile(usual)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark every test that reads the shared data for ``-m real_data``; long files go first.

    What is marked ``full`` is left to the full run, and what a change cannot touch to the run of
    everything.
    """
    left = [item for item in items if not _is_wanted(item)]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if _is_wanted(item)]
    for item in items:
        if "shared_data" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.real_data)
    allow_second_tries(items)
    longest_first(items, read_durations(KNOWN))


def _is_wanted(item: pytest.Item) -> bool:
    if item.get_closest_marker("full") and not is_full_run():
        return False
    file = item.path.relative_to(TESTS).as_posix()
    is_property = bool(getattr(getattr(item, "obj", None), "is_hypothesis_test", False))
    assert not is_property or has_properties(item.path), f"{item.path} does not name hypothesis"
    mark = item.get_closest_marker(PAGE)
    page = mark.args[0] if mark else ""
    fixtures = getattr(item, "fixturenames", ())
    return runs(file, fixtures, is_property=is_property, page=page)
