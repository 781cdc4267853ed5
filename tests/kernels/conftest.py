"""Fixtures of the tests of kernels."""

import os
from pathlib import Path

import pytest

from tests.kernels.emulator import build


@pytest.fixture(scope="session")
def emulator_folder(request: pytest.FixtureRequest) -> Path:
    """Folder of the emulator's built libraries; pytest's cache keeps it from run to run."""
    reason = build.why_unavailable()
    if reason is not None:
        # in CI nothing may go untested unseen
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    cache = request.config.cache
    assert cache is not None
    return cache.mkdir("emulator")
