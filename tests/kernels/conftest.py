"""Fixtures of the tests of kernels."""

import os
from pathlib import Path

import pytest

from bidcascade.kernels.cuda_device import why_no_device
from tests.kernels.emulator import build


@pytest.fixture(scope="session", autouse=True)
def memory_without_pool() -> None:
    """Under compute-sanitizer each array gets memory of its own, so that its end can be seen."""
    if os.environ.get("BIDCASCADE_TEST_WITHOUT_POOL") and why_no_device() is None:
        import cupy

        cupy.cuda.set_allocator(None)


@pytest.fixture(scope="session")
def emulator_folder(request: pytest.FixtureRequest) -> Path:
    """Folder of the emulator's built libraries; pytest's cache keeps it from run to run."""
    reason = build.why_unavailable()
    if reason is not None:
        # in CI nothing may go untested unseen
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    cache = getattr(request.config, "cache", None)
    if cache is None:  # -p no:cacheprovider
        return Path(request.getfixturevalue("tmp_path_factory").mktemp("emulator"))
    return Path(cache.mkdir("emulator"))
