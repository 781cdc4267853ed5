"""What is said of a driver, a device or memory that is not as it should be: a stand-in of CuPy."""

import gc
import sys
import weakref
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bidcascade import kernels
from bidcascade.bridge import BackendUnavailable, DeviceFault, OutOfDeviceMemory
from bidcascade.engine.runs.batches import cluster
from bidcascade.kernels import cuda_device, device_frames
from bidcascade.kernels.cuda_device import (
    CupyDevice,
    check_device,
    check_device_name,
    cupy_device,
    why_no_device,
)
from bidcascade.service.cli import main
from tests.support.service import GOOD


class CudaError(RuntimeError):
    """Stands for CUDARuntimeError and what else CuPy raises."""


class Context:
    """A device or stream that can be the current one."""

    def __init__(self, *_: object) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


class Pool:
    """A pool with nothing in it."""

    def __init__(self) -> None:
        self.limit = 0
        self.raises: Exception = MemoryError("std::bad_alloc")

    def malloc(self, nbytes: int) -> object:
        raise self.raises

    def free_bytes(self) -> int:
        return 300

    def used_bytes(self) -> int:
        return 500

    def get_limit(self) -> int:
        return self.limit


@pytest.fixture
def cupy(monkeypatch) -> Any:
    """A stand-in of CuPy for CUDA 13.2, with a driver and a device."""
    runtime = SimpleNamespace(
        CUDARuntimeError=CudaError, getDeviceCount=lambda: 1, driverGetVersion=lambda: 13000,
        runtimeGetVersion=lambda: 13020, memGetInfo=lambda: (1000, 10_000),
        getDeviceProperties=lambda number: {
            "name": b"Test", "multiProcessorCount": 1, "sharedMemPerBlockOptin": 1 << 16,
            "sharedMemPerMultiprocessor": 1 << 16, "maxThreadsPerMultiProcessor": 1024,
            "l2CacheSize": 1 << 20,
        },
    )  # fmt: skip
    module = ModuleType("cupy")
    module.__spec__ = ModuleSpec("cupy", None)
    module.ndarray = None
    module.cuda = SimpleNamespace(
        runtime=runtime,
        driver=SimpleNamespace(CUDADriverError=CudaError),
        compiler=SimpleNamespace(CompileException=CudaError),
        nvrtc=SimpleNamespace(getVersion=lambda: (13, 2)),
        Device=Context,
        Stream=SimpleNamespace(null=Context()),
        MemoryPool=Pool,
    )
    monkeypatch.setitem(sys.modules, "cupy", module)
    kept = (cuda_device._cupy, why_no_device, cupy_device)
    for one in kept:
        one.cache_clear()
    yield module
    for one in kept:
        one.cache_clear()


def no_driver() -> int:
    raise CudaError("cudaErrorInsufficientDriver: driver version is insufficient")


@pytest.mark.parametrize(
    ("version", "reason"),
    [
        (0, "no NVIDIA driver is loaded"),
        (12040, "the driver is for CUDA 12.4, CuPy for 13.2: expected a newer driver"),
        (13000, "cudaErrorInsufficientDriver: driver version is insufficient"),
    ],
)
def test_no_driver_or_an_old_one(cupy, version, reason, capsys):
    cupy.cuda.runtime.getDeviceCount = no_driver
    cupy.cuda.runtime.driverGetVersion = lambda: version
    assert why_no_device() == f"CUDA finds no device: {reason}"
    assert kernels.backend_name("auto") == "cpu"
    assert main(["auctions", "--backend", "cuda", "--table", "sayc", GOOD["deals"][0]["deal"]]) == 3
    told = capsys.readouterr().err
    assert told == (
        f"bidcascade: error: backend 'cuda' cannot run here: CUDA finds no device: {reason}\n"
    )


def test_devices_that_are_not_there(cupy):
    check_device(0)
    with pytest.raises(BackendUnavailable, match="expected a device of 0 to 0, got 1"):
        check_device(1)
    cupy.cuda.runtime.getDeviceCount = lambda: 0
    why_no_device.cache_clear()
    with pytest.raises(BackendUnavailable, match="device 0: CUDA finds no device"):
        check_device(0)


def test_names_that_no_device_has(cupy, capsys, tmp_path, monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    properties = cupy.cuda.runtime.getDeviceProperties
    # cut at a zero byte
    cupy.cuda.runtime.getDeviceProperties = lambda number: {
        **properties(number),
        "uuid": bytes.fromhex("8f1c22"),
    }
    for name in ("0", "GPU-8f1c2200-5b1e-0000-0000-000000000001", "GPU-8F1C", "MIG-77"):
        check_device_name(name)
    with pytest.raises(BackendUnavailable, match="expected one of 1 devices, got 'GPU-9f1c'"):
        check_device_name("GPU-9f1c")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-8f1c")
    check_device_name("GPU-9f1c")
    for name in ("GPU-junk", "-1", "cuda:0"):
        with pytest.raises(BackendUnavailable, match=f"GPU-… or MIG-… .*, got '{name}'"):
            check_device_name(name)
    # past what the backend takes of a device
    monkeypatch.setattr(cluster, "backend_name", lambda name: name)
    deals = tmp_path / "deals.txt"
    deals.write_text(GOOD["deals"][0]["deal"])
    arguments = ["batch", str(deals), "--out", str(tmp_path / "out"), "--table", "sayc"]
    assert main([*arguments, "--devices", "GPU-junk"]) == 3
    told = capsys.readouterr().err
    assert told.endswith("or MIG-… as nvidia-smi -L lists them, got 'GPU-junk'\n")
    assert told.count("\n") == 1


def test_cudf_without_cupy(monkeypatch):
    def cudf() -> Any:
        raise ImportError("No module named 'cupy'", name="cupy")

    device_frames.why_no_cudf.cache_clear()
    monkeypatch.setattr(device_frames, "find_spec", lambda name: object())
    monkeypatch.setattr(device_frames, "_cudf", cudf)
    try:
        with pytest.raises(BackendUnavailable, match="cudf does not start: No module named 'cupy'"):
            device_frames.cudf_frame({})
    finally:
        device_frames.why_no_cudf.cache_clear()


def test_memory_is_counted_beside_what_others_hold(cupy):
    """RMM's pool and other processes: the driver tells what is free; the rest is the pool's own."""
    device = CupyDevice(0)
    assert device.free_bytes() == 1300
    device.pool.limit = 700
    assert device.free_bytes() == 200
    with pytest.raises(OutOfDeviceMemory, match="take uint64100: std::bad_alloc"):
        device.empty(100, np.uint64)
    assert device.failure is None


@pytest.mark.parametrize("wait", ["synchronize", "synchronize_all"])
def test_what_is_copied_in_is_kept_until_the_wait(cupy, wait):
    """CUDA may read memory that is not page-locked after the call has returned."""
    cupy.cuda.get_current_stream = lambda: SimpleNamespace(synchronize=lambda: None)
    cupy.cuda.runtime.deviceSynchronize = lambda: None
    device = CupyDevice(0)
    data = SimpleNamespace(copy_from_host_async=lambda *arguments: None)
    source = np.arange(4, dtype=np.uint64)
    there = weakref.ref(source)
    device.copy_in(SimpleNamespace(nbytes=source.nbytes, data=data), source)
    del source
    gc.collect()
    assert there() is not None
    getattr(device, wait)()
    gc.collect()
    assert there() is None


def test_a_device_that_is_gone_is_gone_for_good(cupy):
    device = CupyDevice(0)
    device.pool.raises = CudaError("cudaErrorMemoryAllocation: out of memory")
    with pytest.raises(OutOfDeviceMemory, match="out of memory"):
        device.empty(1, np.uint8)
    device.pool.raises = CudaError("cudaErrorDevicesUnavailable: busy or unavailable")
    for _ in range(2):
        with pytest.raises(DeviceFault, match=r"the device failed: take .*: cudaErrorDevicesUn"):
            device.empty(1, np.uint8)
        device.pool.raises = MemoryError()
