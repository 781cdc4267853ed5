"""The folder of the emulator's libraries, and a device of it for tests outside ``tests/kernels``.

All tests use one folder: two runtimes in one process would be one too many.
"""

from pathlib import Path
from typing import Any

import pytest

from tests.check.missing import missing
from tests.kernels.emulator import build
from tests.kernels.emulator.device import Checks, EmulatedDevice


def emulator_folder(request: pytest.FixtureRequest) -> Path:
    """Folder of built libraries; pytest's cache keeps it from run to run."""
    reason = build.why_unavailable()
    if reason is not None:
        missing(reason)
    cache = getattr(request.config, "cache", None)
    if cache is None:  # -p no:cacheprovider
        return Path(request.getfixturevalue("tmp_path_factory").getbasetemp() / "emulator")
    return Path(cache.mkdir("emulator"))


def emulated_device(request: pytest.FixtureRequest, **options: Any) -> EmulatedDevice:
    """Make a device that answers quickly: the tests of kernels judge each access, these do not."""
    return EmulatedDevice(emulator_folder(request), checks=Checks.NONE, **options)
