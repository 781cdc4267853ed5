"""CuPy by the emulator: as much of it as the backend uses, for processes that have no GPU.

Whoever has this folder on its path, and all processes that it starts, find a CUDA device that is
the processor: ``find_spec``, ``CupyDevice``, kernels, streams and page-locked memory are reached as
those of a GPU are. What goes wrong is told by CUDA's errors.

``EMULATED_CUDA`` makes it another device: words of ``driver=12040`` (0: there is none),
``memory=1000000`` (bytes that are free), ``lost=PATH:300`` (lost after so many launches; the file
tells later processes), ``pause=0.1`` (seconds that a launch takes more).
"""

import ctypes
import os
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ParamSpec, TypeVar

import numpy as np

from tests.kernels.emulator.build import BuildError
from tests.kernels.emulator.device import Checks, EmulatedDevice, EmulatedEvent
from tests.kernels.emulator.memory import EmulatedArray, EmulatorFault, Lease

_P = ParamSpec("_P")
_T = TypeVar("_T")

_FOLDER = Path(__file__).parents[4] / "build" / "emulator"
_OPTIONS = dict(word.split("=", 1) for word in os.environ.get("EMULATED_CUDA", "").split())
_RUNTIME_VERSION = 13020
_DRIVER_VERSION = int(_OPTIONS.get("driver", _RUNTIME_VERSION))
_TOTAL_BYTES = 1 << 30
__version__ = "emulator"


class CUDARuntimeError(RuntimeError):
    """An error of CUDA's."""


class CompileException(Exception):
    """A kernel that does not compile."""


class OutOfMemoryError(MemoryError):
    """A pool that has reached its limit."""


class _Device(EmulatedDevice):
    """The one device; the text of a kernel file is the one that was given for it."""

    def __init__(self) -> None:
        super().__init__(
            _FOLDER, checks=Checks.NONE, memory_bytes=int(_OPTIONS.get("memory", _TOTAL_BYTES))
        )
        self.texts: dict[str, str] = {}
        self.leases: weakref.WeakSet[Lease] = weakref.WeakSet()
        lost, _, after = _OPTIONS.get("lost", "").rpartition(":")
        self._lost_file = Path(lost) if lost else None
        self._lost_after = int(after or 0)

    def source(self, file: str) -> str:
        return self.texts[file]

    def take(self, shape: Any, dtype: Any) -> EmulatedArray:
        array = super().take(shape, dtype)
        # where foreign memory is looked for
        self.leases.add(array.lease)
        return array

    def _check_failure(self) -> None:
        if self._lost_file is not None:
            if self.launches >= self._lost_after:
                self._lost_file.touch()
            if self._lost_file.exists():
                self.failure = "cudaErrorDevicesUnavailable: device(s) is/are busy or unavailable"
        super()._check_failure()


def _told_as_cuda(function: Callable[_P, _T]) -> Callable[_P, _T]:
    @wraps(function)
    def told(*arguments: _P.args, **named: _P.kwargs) -> _T:
        try:
            return function(*arguments, **named)
        except EmulatorFault as error:
            raise CUDARuntimeError(str(error)) from None

    return told


def _host(address: int, nbytes: int) -> Any:
    return np.ctypeslib.as_array((ctypes.c_uint8 * nbytes).from_address(address))


class _Pointer:
    """Where an array lies, as what copies start from."""

    def __init__(self, array: EmulatedArray) -> None:
        self.array = array

    def _bytes(self, nbytes: int) -> EmulatedArray:
        array = self.array
        return EmulatedArray(array.lease, array.offset, (nbytes,), np.dtype(np.uint8))

    @_told_as_cuda
    def memset_async(self, value: int, nbytes: int, stream: "Stream") -> None:
        assert value == 0
        _device.clear(self._bytes(nbytes), stream=stream.queue)

    @_told_as_cuda
    def copy_from_host_async(self, address: int, nbytes: int, stream: "Stream") -> None:
        _device.copy_in(self._bytes(nbytes), _host(address, nbytes), stream=stream.queue)

    @_told_as_cuda
    def copy_to_host_async(self, address: int, nbytes: int, stream: "Stream") -> None:
        target = _host(address, nbytes)
        _device.copy_out(target, self._bytes(nbytes), stream=stream.queue)
        if _device._pinned.owner_of(target) is None:
            # to memory that is not page-locked the call returns when all is there
            _device.synchronize(stream.queue)


class _Array(EmulatedArray):
    flags = SimpleNamespace(c_contiguous=True)

    @property
    def data(self) -> _Pointer:
        return _Pointer(self)

    @property
    def device(self) -> Any:
        return SimpleNamespace(id=0)

    def get(self) -> Any:
        return asnumpy(self)


class _Arrays(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _Array)


class ndarray(metaclass=_Arrays):
    """A device array, over memory of a pool."""

    def __new__(cls, shape: Any, dtype: Any = float, memptr: Any = None) -> Any:
        sizes = tuple(shape) if isinstance(shape, Sequence) else (int(shape),)
        kind = np.dtype(dtype)
        if memptr is None:
            memptr = cuda.pool.malloc(int(np.prod(sizes, dtype=np.int64)) * kind.itemsize)
        return _Array(memptr.array.lease, memptr.array.offset, sizes, kind)


class Stream:
    """A stream; the default one is ``Stream.null``."""

    null: "Stream"

    def __init__(self, *, non_blocking: bool = False, is_default: bool = False) -> None:
        self.queue = None if is_default else _device.stream()

    def __enter__(self) -> "Stream":
        _streams.entered.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _streams.entered.pop()

    @_told_as_cuda
    def synchronize(self) -> None:
        _device.synchronize(self.queue)

    @_told_as_cuda
    def wait_event(self, event: "Event") -> None:
        assert event.point is not None
        _device.wait(self.queue, event.point)


class _Streams(threading.local):
    def __init__(self) -> None:
        self.entered: list[Stream] = []


class Event:
    """A point in a stream."""

    point: EmulatedEvent | None = None

    @_told_as_cuda
    def record(self, stream: Stream | None = None) -> None:
        self.point = _device.record((stream or _current()).queue)

    @_told_as_cuda
    def synchronize(self) -> None:
        assert self.point is not None
        _device.seconds(self.point, self.point)


def _current() -> Stream:
    return _streams.entered[-1] if _streams.entered else Stream.null


@_told_as_cuda
def _elapsed(begin: Event, end: Event) -> float:
    assert begin.point is not None
    assert end.point is not None
    return 1000 * _device.seconds(begin.point, end.point)


class MemoryPool:
    """A pool that keeps nothing for reuse."""

    def __init__(self) -> None:
        self._limit = 0
        self._leases: weakref.WeakSet[Lease] = weakref.WeakSet()

    @_told_as_cuda
    def malloc(self, nbytes: int) -> _Pointer:
        if self._limit and self.used_bytes() + nbytes > self._limit:
            raise OutOfMemoryError(f"Out of memory allocating {nbytes} bytes")
        try:
            array = _device.take(nbytes, np.uint8)
        except MemoryError:
            raise OutOfMemoryError(f"Out of memory allocating {nbytes} bytes") from None
        self._leases.add(array.lease)
        return _Pointer(array)

    def used_bytes(self) -> int:
        return sum(lease.buffer.nbytes for lease in list(self._leases))

    def free_bytes(self) -> int:
        return 0

    def get_limit(self) -> int:
        return self._limit

    def set_limit(self, *, size: int) -> None:
        self._limit = size

    def free_all_blocks(self) -> None:
        pass


class _Function:
    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.max_dynamic_shared_size_bytes = 48 << 10

    @_told_as_cuda
    def __call__(
        self,
        grid: tuple[int],
        block: tuple[int],
        arguments: tuple[Any, ...],
        *,
        shared_mem: int = 0,
    ) -> None:
        if shared_mem > self.max_dynamic_shared_size_bytes:
            raise CUDARuntimeError("CUDA_ERROR_INVALID_VALUE: invalid argument")
        kinds = self.kernel.parameters
        passed = [
            None if kind[0] in "cp" and isinstance(one, np.uint64) and not one else one
            for kind, one in zip(kinds, arguments, strict=True)
        ]
        time.sleep(float(_OPTIONS.get("pause", 0)))
        self.kernel(grid[0], block[0], passed, shared_bytes=shared_mem, stream=_current().queue)


class RawModule:
    """A kernel file with its ``#define``s."""

    def __init__(self, *, code: str, options: tuple[str, ...], backend: str) -> None:
        assert backend == "nvrtc"
        self._file = code.partition('"')[2].partition('"')[0]
        _device.texts[self._file] = code
        pairs = [one[2:].split("=") for one in options if one.startswith("-D")]
        self._defines = {name: int(value) for name, value in pairs}

    @_told_as_cuda
    def get_function(self, entry: str) -> _Function:
        try:
            return _Function(_device.kernel(self._file, entry, self._defines))
        except BuildError as error:
            raise CompileException(str(error)) from None


def empty(shape: Any, dtype: Any) -> Any:
    """A device array whose contents are undefined."""
    return ndarray(shape, dtype)


def asarray(source: Any) -> Any:
    """A view of what lies on the device, a copy there of what does not."""
    if isinstance(source, _Array):
        return source
    described = getattr(source, "__cuda_array_interface__", None)
    if described is None:
        host = np.ascontiguousarray(source)
        array = ndarray(host.shape, host.dtype)
        if host.nbytes:
            array.data.copy_from_host_async(host.ctypes.data, host.nbytes, Stream.null)
            Stream.null.synchronize()
        return array
    address = described["data"][0]
    lease = next(
        lease
        for lease in list(_device.leases)
        if lease.buffer.address <= address <= lease.buffer.address + lease.buffer.nbytes
    )
    view = _Array(
        lease,
        address - lease.buffer.address,
        tuple(described["shape"]),
        np.dtype(described["typestr"]),
    )
    if described.get("strides") is not None:
        view.flags = SimpleNamespace(c_contiguous=False)
        view.strides = described["strides"]
    return view


def asnumpy(array: Any) -> Any:
    """A copy on the host."""
    host = np.empty(array.shape, array.dtype)
    if host.nbytes:
        array.data.copy_to_host_async(host.ctypes.data, host.nbytes, Stream.null)
        Stream.null.synchronize()
    return host


def _device_count() -> int:
    if _DRIVER_VERSION // 1000 < _RUNTIME_VERSION // 1000:
        raise CUDARuntimeError("cudaErrorInsufficientDriver: driver version is insufficient")
    return 1


def _properties(number: int) -> dict[str, Any]:
    limits = _device.limits
    return {
        "name": b"emulator", "multiProcessorCount": limits.multiprocessors,
        "sharedMemPerBlockOptin": limits.shared_bytes,
        "sharedMemPerMultiprocessor": limits.shared_bytes_per_multiprocessor,
        "maxThreadsPerMultiProcessor": limits.threads_per_multiprocessor,
        "l2CacheSize": limits.cache_bytes, "uuid": bytes(range(16)),
        "totalGlobalMem": _TOTAL_BYTES,
    }  # fmt: skip


class _CurrentDevice:
    def __init__(self, number: int = 0) -> None:
        if number:
            raise CUDARuntimeError("cudaErrorInvalidDevice: invalid device ordinal")

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


_device = _Device()
_streams = _Streams()
Stream.null = Stream(is_default=True)
cuda = SimpleNamespace(
    runtime=SimpleNamespace(
        CUDARuntimeError=CUDARuntimeError,
        getDeviceCount=_device_count,
        driverGetVersion=lambda: _DRIVER_VERSION,
        runtimeGetVersion=lambda: _RUNTIME_VERSION,
        getDeviceProperties=_told_as_cuda(_properties),
        memGetInfo=_told_as_cuda(lambda: (_device.free_bytes(), _TOTAL_BYTES)),
        deviceSynchronize=_told_as_cuda(_device.synchronize_all),
    ),
    driver=SimpleNamespace(CUDADriverError=CUDARuntimeError),
    compiler=SimpleNamespace(CompileException=CompileException),
    nvrtc=SimpleNamespace(getVersion=lambda: (13, 2)),
    Device=_CurrentDevice,
    Stream=Stream,
    Event=Event,
    MemoryPool=MemoryPool,
    pool=MemoryPool(),
    get_current_stream=_current,
    get_elapsed_time=_elapsed,
    PinnedMemory=lambda nbytes: _device.pinned(nbytes, np.uint8),
    PinnedMemoryPointer=lambda memory, offset: memory,
    set_allocator=lambda allocator: None,
)
