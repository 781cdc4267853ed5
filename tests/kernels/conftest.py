"""Fixtures of the tests of kernels."""

import os
from pathlib import Path

import pytest

from bidcascade.kernels.cuda_device import CupyDevice, why_no_device
from tests import support_emulator


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
