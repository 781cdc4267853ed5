"""The folder of the emulator's libraries, for tests outside ``tests/kernels``.

It is the one that the tests of kernels use: two runtimes in one process would be one too many.
"""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.kernels.emulator import build
from tests.kernels.emulator.device import Checks, EmulatedDevice


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


def emulated_device(request: pytest.FixtureRequest, **options: Any) -> EmulatedDevice:
    """Make a device that answers quickly: the tests of kernels judge each access, these do not."""
    return EmulatedDevice(emulator_folder(request), checks=Checks.NONE, **options)
