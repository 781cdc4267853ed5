"""The folder of the emulator's libraries, for tests outside ``tests/kernels``.

It is the one that the tests of kernels use: two runtimes in one process would be one too many.
"""

import os
from pathlib import Path

import pytest

from tests.kernels.emulator import build


def emulator_folder(request: pytest.FixtureRequest) -> Path:
    """Folder of built libraries; skips where nothing can be built, but not in CI."""
    reason = build.why_unavailable()
    if reason is not None:
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    cache = request.config.cache
    assert cache is not None
    return cache.mkdir("emulator")
