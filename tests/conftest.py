"""Fixtures and settings that every test folder shares."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

IN_CI = bool(os.environ.get("CI"))

settings.register_profile("dev", deadline=None, max_examples=50)
settings.register_profile("ci", deadline=None, max_examples=200, derandomize=True)
settings.register_profile("sanitizer", deadline=None, max_examples=3, derandomize=True)
settings.load_profile("ci" if IN_CI else "dev")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of real files that lies beside the checkout; none of it is part of the repository."""
    folder = Path(__file__).parents[1].parent / "shared" / "data"
    if not folder.is_dir():
        reason = f"no real data: {folder} is not a folder"
        if IN_CI:
            pytest.fail(reason)
        pytest.skip(reason)
    return folder


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test that reads the shared data, so that ``-m real_data`` finds them all."""
    for item in items:
        if "shared_data" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.real_data)
