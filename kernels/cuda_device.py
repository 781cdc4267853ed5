"""The device that CUDA kernels run on: CuPy as a :class:`Device`, and the sources of kernels.

This is the only module that imports cupy, and it does so on first use. The backend is written
against :class:`Device`, so that all of it, orchestration included, also runs on a device of another
make (the tests have one that runs the same ``.cu`` files on the processor).

Kernels are ``extern "C"`` entry points of the ``.cu`` files in ``gpu``, named by
file, entry and ``#define``s; launches are one-dimensional; arguments are device arrays (passed as
pointers), numpy scalars of the parameter's very type, or ``None`` (a null pointer).
"""

import contextlib
import logging
import os
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bidcascade.bridge import BackendUnavailable, DeviceFault, OutOfDeviceMemory

_logger = logging.getLogger("bidcascade.kernels")

ArrayShape: TypeAlias = int | tuple[int, ...]


class DeviceArray(Protocol):
    """A contiguous array in device memory."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of an element."""

    @property
    def size(self) -> int:
        """Number of elements."""

    @property
    def nbytes(self) -> int:
        """Number of bytes."""

    def __getitem__(self, key: slice, /) -> "DeviceArray":
        """View of some rows (first axis), without a step."""

    def reshape(self, *shape: int) -> "DeviceArray":
        """View of the same elements in another shape."""


KernelArgument: TypeAlias = "DeviceArray | np.generic | None"


class Stream(Protocol):
    """A queue of work; what one queue holds runs in order, queues run beside each other."""


class Event(Protocol):
    """A point in a stream."""


class Kernel(Protocol):
    """A compiled kernel, ready to launch."""

    def __call__(
        self,
        blocks: int,
        threads: int,
        arguments: Sequence[KernelArgument],
        *,
        shared_bytes: int = 0,
        stream: Stream | None = None,
    ) -> None:
        """Launch ``blocks`` × ``threads``; nothing at all for 0 blocks."""


@dataclass(frozen=True, slots=True)
class DeviceLimits:
    """What a device has room for.

    Parameters
    ----------
    multiprocessors : int
    shared_bytes : int
        Most dynamic shared memory a block can ask for.
    shared_bytes_per_multiprocessor : int
    threads_per_multiprocessor : int
    cache_bytes : int
        Size of the level 2 cache.
    """

    multiprocessors: int = 1
    shared_bytes: int = 48 << 10
    shared_bytes_per_multiprocessor: int = 64 << 10
    threads_per_multiprocessor: int = 2048
    cache_bytes: int = 4 << 20

    def blocks_to_fill(self, threads: int, shared_bytes: int = 0) -> int:
        """How many blocks run at once."""
        blocks = max(1, self.threads_per_multiprocessor // threads)
        if shared_bytes:
            # a block takes 1 KiB beside what it asks for
            blocks = min(blocks, self.shared_bytes_per_multiprocessor // (shared_bytes + 1024))
        return self.multiprocessors * max(1, blocks)


@dataclass(frozen=True, slots=True)
class Timing:
    """Device time of one launch or copy, between two events.

    Parameters
    ----------
    name : str
        Entry point of the kernel, ``copy in`` or ``copy out``.
    seconds : float
    copied_bytes : int
        What a copy carried; 0 for a kernel.
    """

    name: str
    seconds: float
    copied_bytes: int = 0


class Device(Protocol):
    """What the backend asks of a device.

    Every method may raise :class:`~bidcascade.bridge.OutOfDeviceMemory` or
    :class:`~bidcascade.bridge.DeviceFault`; launches and copies are asynchronous, so a fault may
    show at a later call, at :meth:`synchronize` at the latest.
    """

    name: str
    limits: DeviceLimits

    def take(self, shape: ArrayShape, dtype: DTypeLike) -> DeviceArray:
        """Take memory for :meth:`empty`; raises any ``MemoryError`` where there is too little."""

    def empty(self, shape: ArrayShape, dtype: DTypeLike) -> DeviceArray:
        """Array whose contents are undefined."""
        # CuPy's own error is a MemoryError, and what allocators of others raise is no more
        with out_of_memory(f"take {np.dtype(dtype)}{shape}"):
            return self.take(shape, dtype)

    def zeros(
        self, shape: ArrayShape, dtype: DTypeLike, *, stream: Stream | None = None
    ) -> DeviceArray:
        """Array of zero bytes, zeroed in ``stream``."""
        array = self.empty(shape, dtype)
        self.clear(array, stream=stream)
        return array

    def clear(self, array: DeviceArray, *, stream: Stream | None = None) -> None:
        """Set all bytes of an array to zero."""

    def pinned(self, shape: ArrayShape, dtype: DTypeLike) -> NDArray[Any]:
        """Host array that copies to and from the device can run beside work (page-locked).

        To be taken seldom and kept: it takes the driver long, and more of it the host's memory.
        """

    def copy_in(
        self, target: DeviceArray, source: NDArray[Any], *, stream: Stream | None = None
    ) -> None:
        """Copy a contiguous host array; it must stay as it is until the stream gets there.

        From :meth:`pinned` memory the call returns at once, from other memory perhaps: the device
        keeps the array until somebody waits for the stream.
        """

    def copy_out(
        self, target: NDArray[Any], source: DeviceArray, *, stream: Stream | None = None
    ) -> None:
        """Copy to a contiguous host array, which is filled when the stream has got there."""

    def upload(self, array: NDArray[Any], *, stream: Stream | None = None) -> DeviceArray:
        """Device array with the contents of a host array."""
        array = np.ascontiguousarray(array)
        target = self.empty(array.shape, array.dtype)
        self.copy_in(target, array, stream=stream)
        return target

    def download(self, array: DeviceArray, *, stream: Stream | None = None) -> NDArray[Any]:
        """Host array with the contents of a device array; waits for the stream."""
        target = np.empty(array.shape, array.dtype)
        self.copy_out(target, array, stream=stream)
        self.synchronize(stream)
        return target

    def adopt(self, array: object) -> DeviceArray:
        """View foreign device memory (``__cuda_array_interface__``, DLPack) as a device array.

        Raises
        ------
        TypeError
            If it is no contiguous device array.
        """

    def kernel(self, file: str, entry: str, defines: Mapping[str, int]) -> Kernel:
        """Compile (once) and load an entry point of a ``.cu`` file."""

    def stream(self) -> Stream:
        """Make a new stream."""

    def record(self, stream: Stream | None = None) -> Event:
        """Mark the point that a stream has been filled to."""

    def wait(self, stream: Stream | None, event: Event) -> None:
        """Let a stream wait for a point of another, without the host waiting."""

    def synchronize(self, stream: Stream | None = None) -> None:
        """Wait until a stream is through; raise what failed."""

    def seconds(self, start: Event, end: Event) -> float:
        """Device time between two points, once both are reached."""

    def free_bytes(self) -> int:
        """Memory that can be taken now."""

    def release(self) -> None:
        """Give back memory that is held for reuse."""

    def timings(self) -> AbstractContextManager[list[Timing]]:
        """Time every launch and copy inside the ``with`` block; the list is full behind it."""

    def lock(self) -> AbstractContextManager[Any]:
        """Keep other threads off the device; the same thread may enter again."""


@contextlib.contextmanager
def out_of_memory(doing: str) -> Iterator[None]:
    """Turn any ``MemoryError`` into :class:`~bidcascade.bridge.OutOfDeviceMemory`."""
    try:
        yield
    except OutOfDeviceMemory:
        raise
    except MemoryError as error:
        raise OutOfDeviceMemory(f"out of device memory: {doing}: {error}") from error


SOURCES = Path(__file__).parent / "gpu"
"""Where the ``.cu`` and ``.cuh`` files lie, at any depth; those of the core lie beside it."""

COMPILER_OPTIONS = ("-std=c++17",)

_DEVICE_NAME = re.compile(r"(GPU|MIG)-[0-9a-f-]+", re.IGNORECASE)
_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"\s*$')


@cache
def source_path(file: str) -> Path:
    """Path of a ``.cu`` or ``.cuh`` file, whose name is that of no other one, or which is a path.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    """
    path = Path(file)
    found = path if path.is_absolute() else next(SOURCES.rglob(file), None)
    if found is None:
        raise FileNotFoundError(f"no file of kernels has this name: {file}")
    return found


def source_text(file: str) -> str:
    """Text of a ``.cu`` file with what it includes in place, and ``#line``s that tell the origin.

    One text, so that a cache of compiled kernels, which looks at the text, sees every change.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    """
    return "\n".join(_expanded(source_path(file), set())) + "\n"


def _expanded(path: Path, seen: set[str]) -> Iterator[str]:
    file = path.name
    seen.add(file)
    yield f'#line 1 "{file}"'
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        match = _INCLUDE.match(line)
        if match is None:
            if line.strip() != "#pragma once":
                yield line
            else:
                yield ""
            continue
        included = path.parent / match[1]
        if included.name not in seen:
            yield from _expanded(included, seen)
        yield f'#line {number + 1} "{file}"'


def compiler_options(defines: Mapping[str, int]) -> tuple[str, ...]:
    """Options for the compiler: the language, and the ``#define``s in order of name."""
    return (
        *COMPILER_OPTIONS,
        *(f"-D{name}={int(value)}" for name, value in sorted(defines.items())),
    )


# --- CuPy --------------------------------------------------------------------------------------


@cache
def _cupy() -> Any:
    import cupy

    return cupy


@contextlib.contextmanager
def _faults(device: "CupyDevice", doing: str) -> Iterator[None]:
    """Turn cupy's errors into ours."""
    cupy = _cupy()
    try:
        yield
    except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError) as error:
        if "emoryAllocation" in str(error) or "OUT_OF_MEMORY" in str(error):
            raise OutOfDeviceMemory(f"out of device memory: {doing}: {error}") from error
        device.failure = f"the device failed: {doing}: {error}"
        _logger.error("%s: %s", device.name, device.failure)
        raise DeviceFault(device.failure) from error
    except cupy.cuda.compiler.CompileException as error:
        device.failure = f"a kernel does not compile: {doing}: {error}"
        _logger.error("%s: %s", device.name, device.failure)
        raise DeviceFault(device.failure) from error


@dataclass
class _CupyKernel:
    device: "CupyDevice"
    entry: str
    function: Any
    shared_bytes: int = 0
    """Dynamic shared memory that was asked for so far."""

    def __call__(
        self,
        blocks: int,
        threads: int,
        arguments: Sequence[KernelArgument],
        *,
        shared_bytes: int = 0,
        stream: Stream | None = None,
    ) -> None:
        if not blocks:
            return
        with self.device.timed(self.entry, 0, stream), self.device.use(stream, self.entry):
            if shared_bytes > self.shared_bytes:
                if shared_bytes > 48 << 10:
                    self.function.max_dynamic_shared_size_bytes = shared_bytes
                self.shared_bytes = shared_bytes
            passed = tuple(np.uint64(0) if one is None else one for one in arguments)
            self.function((blocks,), (threads,), passed, shared_mem=shared_bytes)


@dataclass
class CupyDevice(Device):
    """A CUDA device through CuPy.

    Parameters
    ----------
    number : int
        The device among those that CUDA shows to this process.
    """

    number: int = 0
    name: str = field(init=False)
    limits: DeviceLimits = field(init=False)
    failure: str | None = field(default=None, init=False)
    """Why the device cannot be used any more; a fault of a kernel is for good."""
    pool: Any = field(init=False)
    """Memory of this device's arrays; CuPy's own is RMM's once somebody has imported cudf."""
    _kernels: dict[tuple[str, str, tuple[str, ...]], _CupyKernel] = field(
        default_factory=dict, init=False
    )
    _modules: dict[tuple[str, tuple[str, ...]], Any] = field(default_factory=dict, init=False)
    _sources: dict[int, list[NDArray[Any]]] = field(default_factory=dict, init=False)
    """What streams, by their numbers, may still read of the host's memory."""
    _log: list[tuple[str, int, Any, Any]] | None = field(default=None, init=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, init=False)

    def __post_init__(self) -> None:
        self.name = f"cuda:{self.number}"
        cupy = _cupy()
        self.pool = cupy.cuda.MemoryPool()
        with _faults(self, "look at the device"):
            properties = cupy.cuda.runtime.getDeviceProperties(self.number)
        self.name = f"cuda:{self.number} {properties['name'].decode()}"
        self.limits = DeviceLimits(
            multiprocessors=int(properties["multiProcessorCount"]),
            shared_bytes=int(properties["sharedMemPerBlockOptin"]),
            shared_bytes_per_multiprocessor=int(properties["sharedMemPerMultiprocessor"]),
            threads_per_multiprocessor=int(properties["maxThreadsPerMultiProcessor"]),
            cache_bytes=int(properties["l2CacheSize"]),
        )

    @contextlib.contextmanager
    def use(self, stream: Stream | None, doing: str) -> Iterator[None]:
        """Make this device and a stream the current ones."""
        if self.failure is not None:
            raise DeviceFault(self.failure)
        cupy = _cupy()
        with (
            _faults(self, doing),
            cupy.cuda.Device(self.number),
            cupy.cuda.Stream.null if stream is None else cast("Any", stream),
        ):
            yield

    @contextlib.contextmanager
    def timed(self, name: str, copied_bytes: int, stream: Stream | None) -> Iterator[None]:
        """Record events around some work, if anyone wants its time."""
        if self._log is None:
            yield
            return
        start = self.record(stream)
        yield
        self._log.append((name, copied_bytes, start, self.record(stream)))

    @contextlib.contextmanager
    def timings(self) -> Iterator[list[Timing]]:
        found: list[Timing] = []
        with self.lock():
            outer, self._log = self._log, []
            try:
                yield found
                self.synchronize_all()
                found += [
                    Timing(name, self.seconds(start, end), copied)
                    for name, copied, start, end in self._log
                ]
            finally:
                self._log = outer

    def lock(self) -> AbstractContextManager[Any]:
        return self._lock

    def take(self, shape: ArrayShape, dtype: DTypeLike) -> DeviceArray:
        nbytes = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        with self.use(None, f"take {np.dtype(dtype)}{shape}"):
            return cast("DeviceArray", _cupy().ndarray(shape, dtype, self.pool.malloc(nbytes)))

    def clear(self, array: DeviceArray, *, stream: Stream | None = None) -> None:
        if array.nbytes:
            with self.use(stream, "clear"):
                handle: Any = array
                handle.data.memset_async(0, array.nbytes, _cupy().cuda.get_current_stream())

    def pinned(self, shape: ArrayShape, dtype: DTypeLike) -> NDArray[Any]:
        sizes = (shape,) if isinstance(shape, int) else shape
        size = int(np.prod(sizes, dtype=np.int64))
        cuda = _cupy().cuda
        with self.use(None, "take page-locked memory"):
            # past CuPy's pool, which reuses equal sizes only and gives nothing back by itself
            memory = cuda.PinnedMemoryPointer(
                cuda.PinnedMemory(max(1, size * np.dtype(dtype).itemsize)), 0
            )
        return cast("NDArray[Any]", np.frombuffer(memory, np.dtype(dtype), size).reshape(sizes))

    def copy_in(
        self, target: DeviceArray, source: NDArray[Any], *, stream: Stream | None = None
    ) -> None:
        _check_copy(target, source)
        if source.nbytes:
            with self.timed("copy in", source.nbytes, stream), self.use(stream, "copy in"):
                handle: Any = target
                self._sources.setdefault(id(stream), []).append(source)
                handle.data.copy_from_host_async(
                    source.ctypes.data, source.nbytes, _cupy().cuda.get_current_stream()
                )

    def copy_out(
        self, target: NDArray[Any], source: DeviceArray, *, stream: Stream | None = None
    ) -> None:
        _check_copy(source, target)
        if target.nbytes:
            with self.timed("copy out", target.nbytes, stream), self.use(stream, "copy out"):
                handle: Any = source
                handle.data.copy_to_host_async(
                    target.ctypes.data, target.nbytes, _cupy().cuda.get_current_stream()
                )

    def adopt(self, array: object) -> DeviceArray:
        cupy = _cupy()
        with self.use(None, "take over an array"):
            if isinstance(array, cupy.ndarray) or hasattr(array, "__cuda_array_interface__"):
                view = cupy.asarray(array)
            elif hasattr(array, "__dlpack__"):
                view = cupy.from_dlpack(array)
            else:
                raise TypeError(f"expected a device array, got {type(array).__name__!r}")
        if not view.flags.c_contiguous:
            raise TypeError(f"expected a contiguous device array, got strides {view.strides!r}")
        return cast("DeviceArray", view)

    def kernel(self, file: str, entry: str, defines: Mapping[str, int]) -> Kernel:
        options = compiler_options(defines)
        key = (file, entry, options)
        with self._lock:
            if key not in self._kernels:
                with self.use(None, f"load {entry} of {file}"):
                    module = self._modules.get((file, options))
                    if module is None:
                        module = _cupy().RawModule(
                            code=source_text(file), options=options, backend="nvrtc"
                        )
                        self._modules[file, options] = module
                    self._kernels[key] = _CupyKernel(self, entry, module.get_function(entry))
            return self._kernels[key]

    def stream(self) -> Stream:
        with self.use(None, "make a stream"):
            return cast("Stream", _cupy().cuda.Stream(non_blocking=True))

    def record(self, stream: Stream | None = None) -> Event:
        with self.use(stream, "record an event"):
            event = _cupy().cuda.Event()
            event.record(_cupy().cuda.get_current_stream())
            return cast("Event", event)

    def wait(self, stream: Stream | None, event: Event) -> None:
        with self.use(stream, "wait for an event"):
            _cupy().cuda.get_current_stream().wait_event(event)

    def synchronize(self, stream: Stream | None = None) -> None:
        read = self._sources.pop(id(stream), None)
        with self.use(stream, "wait for a stream"):
            _cupy().cuda.get_current_stream().synchronize()
        del read

    def synchronize_all(self) -> None:
        """Wait until all streams are through."""
        read, self._sources = self._sources, {}
        with self.use(None, "wait for the device"):
            _cupy().cuda.runtime.deviceSynchronize()
        del read

    def seconds(self, start: Event, end: Event) -> float:
        with self.use(None, "wait for an event"):
            cast("Any", end).synchronize()
            return float(_cupy().cuda.get_elapsed_time(start, end)) / 1e3

    def free_bytes(self) -> int:
        with self.use(None, "ask for the free memory"):
            free, _ = _cupy().cuda.runtime.memGetInfo()
            room = int(free) + int(self.pool.free_bytes())
            limit = int(self.pool.get_limit())
            return min(room, limit - int(self.pool.used_bytes())) if limit else room

    def release(self) -> None:
        with self.use(None, "give memory back"):
            self.pool.free_all_blocks()


def _check_copy(device_array: DeviceArray, host_array: NDArray[Any]) -> None:
    if not host_array.flags.c_contiguous or device_array.nbytes != host_array.nbytes:
        raise ValueError(
            f"expected a contiguous host array of {device_array.nbytes} bytes, "
            f"got {host_array.nbytes} with strides {host_array.strides!r}"
        )


@cache
def why_no_device() -> str | None:
    """Say why there is no CUDA device here, or ``None`` if there is one; looked up once."""
    try:
        cupy = _cupy()
    except ImportError as error:
        return f"{error.name or error} is not installed"
    try:
        count = int(cupy.cuda.runtime.getDeviceCount())
    except (cupy.cuda.runtime.CUDARuntimeError, OSError, RuntimeError) as error:
        return f"CUDA finds no device: {_why_no_driver(cupy) or error}"
    if not count:
        return "CUDA finds no device"
    try:
        cupy.cuda.nvrtc.getVersion()
    except (ImportError, OSError, RuntimeError) as error:
        return f"NVRTC, which compiles the kernels, does not load: {error}"
    return None


def _why_no_driver(cupy: Any) -> str | None:
    """Say what is wrong with the driver, which CUDA calls insufficient also where there is none."""
    runtime = cupy.cuda.runtime
    driver, needed = int(runtime.driverGetVersion()), int(runtime.runtimeGetVersion())
    if not driver:
        return "no NVIDIA driver is loaded"
    if driver // 1000 < needed // 1000:
        there, wanted = (f"{one // 1000}.{one % 1000 // 10}" for one in (driver, needed))
        return f"the driver is for CUDA {there}, CuPy for {wanted}: expected a newer driver"
    return None


@cache
def cupy_device(number: int) -> CupyDevice:
    """Return a device by its number, the same object every time.

    Raises
    ------
    BackendUnavailable
        If there is none of that number.
    """
    check_device(number)
    return CupyDevice(number)


def check_device(number: int) -> None:
    """Check that there is a device of a number.

    Raises
    ------
    BackendUnavailable
        If not.
    """
    reason = why_no_device()
    if reason is not None:
        raise BackendUnavailable(f"expected device {number}: {reason}")
    count = int(_cupy().cuda.runtime.getDeviceCount())
    if not 0 <= number < count:
        raise BackendUnavailable(f"expected a device of 0 to {count - 1}, got {number!r}")


def check_device_name(name: str) -> None:
    """Check that there may be a device of a number or of a name as ``nvidia-smi -L`` tells it.

    Raises
    ------
    BackendUnavailable
        If not.
    """
    if name.isdecimal():
        check_device(int(name))
        return
    if _DEVICE_NAME.fullmatch(name) is None:
        raise BackendUnavailable(
            f"expected a number, GPU-… or MIG-… as nvidia-smi -L lists them, got {name!r}"
        )
    reason = why_no_device()
    if reason is not None:
        raise BackendUnavailable(f"expected device {name}: {reason}")
    wanted = name.partition("-")[2].replace("-", "").lower()
    known = [uuid.hex() for uuid in _uuids()]
    # CUDA takes a beginning for the whole; parts of devices have names that are told nowhere here
    is_there = any(one.startswith(wanted) or wanted.startswith(one) for one in known)
    if name.upper().startswith("GPU") and known and not is_there:
        raise BackendUnavailable(f"expected one of {len(known)} devices, got {name!r}")


def _uuids() -> list[bytes]:
    """Tell identifiers of all devices, none where only some are shown to this process."""
    # CuPy may cut one at a zero byte
    runtime = _cupy().cuda.runtime
    if os.environ.get("CUDA_VISIBLE_DEVICES"):
        return []
    numbers = range(int(runtime.getDeviceCount()))
    found = [runtime.getDeviceProperties(number).get("uuid", b"") for number in numbers]
    return found if all(found) else []


def default_device_number() -> int:
    """Device that work goes to: ``BIDCASCADE_CUDA_DEVICE``, or 0.

    Raises
    ------
    BackendUnavailable
        If the variable is no number.
    """
    text = os.environ.get("BIDCASCADE_CUDA_DEVICE", "0")
    if not text.isdecimal():
        raise BackendUnavailable(
            f"expected a device number in BIDCASCADE_CUDA_DEVICE, got {text!r}"
        )
    return int(text)
