"""Fixtures of the tests of kernels."""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

from bidcascade.kernels.cuda_device import CupyDevice, why_no_device
from tests.support import emulator as support_emulator

MORE_THAN_KERNELS = ("test_cuda_systems.py", "test_cupy_device.py", "test_legal_calls.py")
"""Files that need the packages above the kernels; all others run with NumPy, pytest, hypothesis."""
_ABSENT = [one for one in ("lazy_loader", "polars", "fastapi") if find_spec(one) is None]
collect_ignore = [*MORE_THAN_KERNELS] if _ABSENT else []


def pytest_report_header() -> list[str]:
    """Say what is left out where there is too little to import it."""
    if not _ABSENT:
        return []
    return [f"left out, {', '.join(_ABSENT)} not installed: {', '.join(MORE_THAN_KERNELS)}"]


@pytest.fixture(scope="session", autouse=True)
def memory_without_pool() -> None:
    """Under compute-sanitizer each array gets memory of its own, so that its end can be seen."""
    if os.environ.get("BIDCASCADE_TEST_WITHOUT_POOL") and why_no_device() is None:
        import cupy

        cupy.cuda.set_allocator(None)
        # without an allocator CuPy asks the driver each time
        CupyDevice.take = lambda self, shape, dtype: cupy.empty(shape, dtype)


@pytest.fixture(scope="session")
def emulator_folder(request) -> Path:
    """Folder of the emulator's built libraries."""
    return support_emulator.emulator_folder(request)
