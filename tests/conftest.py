"""Fixtures and settings that every test folder shares."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

IN_CI = bool(os.environ.get("CI"))

settings.register_profile("dev", deadline=None, max_examples=50)
settings.register_profile("ci", deadline=None, max_examples=200, derandomize=True)
settings.load_profile("ci" if IN_CI else "dev")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of real files that lies beside the checkout; none of it is part of the repository.

    Tests that use it carry the marker ``real_data``.
    """
    folder = Path(__file__).parents[1].parent / "shared" / "data"
    if not folder.is_dir():
        reason = f"no real data: {folder} is not a folder"
        if IN_CI:
            pytest.fail(reason)
        pytest.skip(reason)
    return folder
