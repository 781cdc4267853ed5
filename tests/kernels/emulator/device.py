"""A device for the CUDA backend that is the processor, and a strict one.

Kernels run through the runtime (see ``runtime.cpp``), which judges each access. Streams are kept
apart as far as the interface allows: nothing in a stream runs before the host waits for it, and
every use of a buffer must be ordered after what other streams do with it, or did with memory that
was freed and may come again (as CuPy's pool does). Whatever is wrong is an :class:`EmulatorFault`.
"""

import contextlib
import ctypes
import itertools
import math
import re
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import IntFlag
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bidcascade.bridge import DeviceFault, OutOfDeviceMemory
from bidcascade.kernels.cuda_device import Limits, Timing, source_text
from tests.kernels.emulator.build import kernel_library, runtime, source_line

SMALL = Limits(
    multiprocessors=2, shared_bytes=100 << 10, shared_bytes_per_multiprocessor=128 << 10,
    threads_per_multiprocessor=512, cache_bytes=1 << 20,
)  # fmt: skip
POISON = 0xA5
ERROR_BYTES = 4096
LIMIT_SECONDS = 60.0

Clock = dict[int, int]
"""By stream, how many of its operations are known to be over."""


class Checks(IntFlag):
    """What the runtime judges each access for."""

    NONE = 0
    BOUNDS = 1
    UNWRITTEN = 3
    RACES = 5
    ALL = 7


class EmulatorFault(DeviceFault):
    """A kernel or the order of operations is wrong; the device is of no more use."""


class _Launch(ctypes.Structure):
    """``struct Launch`` of the runtime."""

    _fields_ = (
        ("call", ctypes.c_void_p),
        ("touch_shared", ctypes.c_void_p),
        ("arguments", ctypes.c_void_p),
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("dynamic_shared", ctypes.c_uint),
        ("shared_limit", ctypes.c_uint),
        ("schedule", ctypes.c_uint),
        ("poison", ctypes.c_uint),
        ("checks", ctypes.c_uint),
        ("number", ctypes.c_uint),
        ("unordered_count", ctypes.c_uint),
        ("unordered", ctypes.c_void_p),
        ("limit_seconds", ctypes.c_double),
        ("error", ctypes.c_char_p),
        ("error_size", ctypes.c_size_t),
    )


@dataclass(frozen=True, slots=True)
class _Use:
    """A part of a buffer that an operation touches."""

    start: int
    stop: int
    writes: bool
    by_kernel: bool
    stream: int
    count: int
    what: str


class _Buffer:
    """Device memory; goes when neither arrays nor operations hold it."""

    def __init__(self, library: ctypes.CDLL, nbytes: int) -> None:
        handle = library.emulator_allocate(nbytes, POISON)
        if handle is None:
            raise MemoryError(f"the emulator has no room for {nbytes} bytes")
        self.handle: int = handle
        self.library = library
        self.nbytes = nbytes
        self.address: int = library.emulator_address(handle)
        self.number: int = library.emulator_number(handle)
        self.uses: list[_Use] = []
        self.inherited: list[_Use] = []
        """Unfinished uses of memory that was free when this was taken."""
        weakref.finalize(self, library.emulator_release, handle)


class _Lease:
    """What arrays hold of a buffer: when the last is gone, the buffer is free for reuse."""

    def __init__(self, device: "EmulatedDevice", buffer: _Buffer) -> None:
        self.buffer = buffer
        weakref.finalize(self, device._freed, buffer)


class EmulatedArray:
    """A contiguous array in the emulator's device memory."""

    def __init__(
        self, lease: _Lease, offset: int, shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> None:
        self.lease = lease
        self.offset = offset
        self.shape = shape
        self.dtype = dtype

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def address(self) -> int:
        return self.lease.buffer.address + self.offset

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: slice) -> "EmulatedArray":
        if not isinstance(key, slice):
            raise TypeError(f"expected a slice of rows, got {key!r}")
        start, stop, step = key.indices(self.shape[0])
        if step != 1:
            raise ValueError(f"expected a slice without a step, got {key!r}")
        row = self.nbytes // self.shape[0] if self.shape[0] else 0
        return EmulatedArray(
            self.lease, self.offset + start * row, (max(0, stop - start), *self.shape[1:]),
            self.dtype,
        )  # fmt: skip

    def reshape(self, *shape: int) -> "EmulatedArray":
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
        if -1 in wanted:
            known = -math.prod(wanted)
            wanted = tuple(self.size // known if length == -1 else length for length in wanted)
        if math.prod(wanted) != self.size:
            raise ValueError(f"expected a shape of {self.size} elements, got {wanted!r}")
        return EmulatedArray(self.lease, self.offset, tuple(wanted), self.dtype)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape, "typestr": self.dtype.str, "data": (self.address, False),
            "strides": None, "version": 3, "stream": 1,
        }  # fmt: skip


@dataclass
class _Operation:
    what: str
    run: Callable[[], None]
    count: int
    launch: int = 0
    unordered: set[int] = field(default_factory=set)
    copied_bytes: int | None = None
    """``None`` for what takes no device time."""


class EmulatedStream:
    """A queue; nothing in it runs before somebody waits for it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.clock: Clock = {}
        self.queue: list[_Operation] = []


@dataclass
class EmulatedEvent:
    """A point in a stream."""

    stream: EmulatedStream
    count: int
    clock: Clock
    at: float | None = None


def _join(clock: Clock, other: Clock) -> None:
    for stream, count in other.items():
        clock[stream] = max(clock.get(stream, 0), count)


def _covers(clock: Clock, use: _Use) -> bool:
    return clock.get(use.stream, 0) >= use.count


@dataclass
class EmulatedKernel:
    """An entry point of a kernel file."""

    device: "EmulatedDevice"
    file: str
    entry: str
    library_path: Path
    call: int = 0
    touch_shared: int = 0
    parameters: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        library = ctypes.CDLL(str(self.library_path))
        try:
            describe = library[f"emulator_describe_{self.entry}"]
        except AttributeError:
            raise EmulatorFault(f"expected an entry {self.entry!r} in {self.file}") from None
        text = ctypes.create_string_buffer(1024)
        describe(text)
        self.parameters = tuple(text.value.decode().split())
        self.call = _address(library[f"emulator_call_{self.entry}"])
        self.touch_shared = _address(library["emulator_touch_shared"])

    def __call__(
        self,
        blocks: int,
        threads: int,
        arguments: Sequence[Any],
        *,
        shared_bytes: int = 0,
        stream: Any = None,
    ) -> None:
        if not blocks:
            return
        values, uses = self._packed(arguments)
        self.device._enqueue_launch(self, blocks, threads, values, uses, shared_bytes, stream)

    def _packed(self, arguments: Sequence[Any]) -> tuple[list[bytes], list[tuple[Any, bool]]]:
        """Bytes of each argument, and the arrays with whether the kernel may write to them."""
        if len(arguments) != len(self.parameters):
            raise EmulatorFault(
                f"{self.entry} takes {len(self.parameters)} arguments "
                f"({' '.join(self.parameters)}), got {len(arguments)}"
            )
        values: list[bytes] = []
        uses: list[tuple[Any, bool]] = []
        for number, (parameter, argument) in enumerate(
            zip(self.parameters, arguments, strict=True)
        ):
            kind, size = parameter[0], int(parameter[1:])
            where = f"argument {number} of {self.entry}"
            if kind in "cp":
                if argument is None:
                    values.append(bytes(8))
                    continue
                if not isinstance(argument, EmulatedArray):
                    raise EmulatorFault(f"expected a device array as {where}, got {argument!r}")
                # elements may be read as their parts, rows as vectors (uint4), no more
                row = math.prod(argument.shape[1:]) * argument.dtype.itemsize
                if (
                    size
                    and argument.dtype.itemsize % size
                    and (argument.size and (row == argument.dtype.itemsize or row % size))
                ):
                    raise EmulatorFault(
                        f"{where} points to {size} bytes, got an array of {argument.dtype}"
                    )
                values.append(argument.address.to_bytes(8, "little"))
                uses.append((argument, kind == "p"))
                continue
            if not isinstance(argument, np.generic):
                raise EmulatorFault(f"expected a numpy scalar as {where}, got {argument!r}")
            wanted = {"i": "i", "u": "ub", "f": "f", "s": "V"}[kind]
            if argument.dtype.kind not in wanted or argument.dtype.itemsize != size:
                raise EmulatorFault(f"expected {kind}{size} as {where}, got {argument.dtype}")
            values.append(argument.tobytes())
        return values, uses


def _address(function: Any) -> int:
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address


_launch_numbers = itertools.count(1)


class EmulatedDevice:
    """Implements :class:`bidcascade.kernels.cuda_device.Device`.

    Parameters
    ----------
    folder : Path
        Where built libraries are kept.
    schedule : int
        Order of threads and blocks: 0 forwards, 1 backwards, else drawn from this seed.
    checks : Checks
        What each access is judged for (slower).
    memory_bytes : int
        Device memory there is.
    architecture : int
        What kernels see as ``__CUDA_ARCH__``.
    """

    def __init__(
        self,
        folder: Path,
        *,
        schedule: int = 0,
        checks: Checks = Checks.ALL,
        memory_bytes: int = 1 << 30,
        limits: Limits = SMALL,
        architecture: int = 750,
    ) -> None:
        self.name = "emulator"
        self.limits = limits
        self.folder = folder
        self.schedule = schedule
        self.checks = checks
        self.memory_bytes = memory_bytes
        self.architecture = architecture
        self.live_bytes = 0
        self.most_live_bytes = 0
        self.launches = 0
        self.failure: str | None = None
        self.requested: dict[tuple[str, str, tuple[tuple[str, int], ...]], None] = {}
        """File, entry and defines of every kernel that was asked for."""
        self._library = runtime(folder)
        self._kernels: dict[Any, EmulatedKernel] = {}
        self._default = EmulatedStream(0)
        self._streams = [self._default]
        self._host: Clock = {}
        self._unfinished_frees: list[_Use] = []
        self._launched: list[tuple[_Operation, int]] = []
        self._pinned: list[tuple[int, int, weakref.ref[Any]]] = []
        self._log: list[Timing] | None = None
        self._lock = threading.RLock()

    # --- memory ---

    def _check_failure(self) -> None:
        if self.failure is not None:
            raise EmulatorFault(self.failure)

    def _freed(self, buffer: _Buffer) -> None:
        with self._lock:
            self.live_bytes -= buffer.nbytes
            self._unfinished_frees += [
                use for use in (*buffer.uses, *buffer.inherited) if not _covers(self._host, use)
            ]

    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> EmulatedArray:
        self._check_failure()
        sizes = (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(map(int, shape))
        kind = np.dtype(dtype)
        nbytes = math.prod(sizes) * kind.itemsize
        with self._lock:
            if self.live_bytes + nbytes > self.memory_bytes:
                raise OutOfDeviceMemory(
                    f"out of device memory: take {kind}{sizes}: {nbytes} of "
                    f"{self.memory_bytes - self.live_bytes} bytes"
                )
            buffer = _Buffer(self._library, nbytes)
            self._unfinished_frees = [
                use for use in self._unfinished_frees if not _covers(self._host, use)
            ]
            buffer.inherited = list(self._unfinished_frees)
            self.live_bytes += nbytes
            self.most_live_bytes = max(self.most_live_bytes, self.live_bytes)
            return EmulatedArray(_Lease(self, buffer), 0, sizes, kind)

    def zeros(
        self, shape: int | tuple[int, ...], dtype: DTypeLike, *, stream: Any = None
    ) -> EmulatedArray:
        array = self.empty(shape, dtype)
        self.clear(array, stream=stream)
        return array

    def clear(self, array: EmulatedArray, *, stream: Any = None) -> None:
        buffer, offset, nbytes = array.lease.buffer, array.offset, array.nbytes

        def run() -> None:
            ctypes.memset(buffer.address + offset, 0, nbytes)
            self._library.emulator_mark_written(buffer.handle, offset, nbytes)

        self._enqueue("clear", run, [(array, True)], stream)

    def pinned(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        self._check_failure()
        kind = np.dtype(dtype)
        size = math.prod((shape,) if isinstance(shape, int) else shape)
        owner = np.full(max(1, size * kind.itemsize) + 64, POISON, np.uint8)
        start = -owner.ctypes.data % 64
        array = owner[start : start + size * kind.itemsize].view(kind).reshape(shape)
        with self._lock:
            self._pinned = [entry for entry in self._pinned if entry[2]() is not None]
            self._pinned.append((owner.ctypes.data, owner.nbytes, weakref.ref(owner)))
        return array

    def _pinned_owner(self, address: int) -> "weakref.ref[Any] | None":
        for start, nbytes, owner in self._pinned:
            if start <= address < start + nbytes and owner() is not None:
                return owner
        return None

    def copy_in(self, target: EmulatedArray, source: NDArray[Any], *, stream: Any = None) -> None:
        _check_copy(target, source)
        buffer, offset, nbytes = target.lease.buffer, target.offset, target.nbytes
        address = source.ctypes.data
        owner = self._pinned_owner(address)
        held = None if owner else source.tobytes()

        def run() -> None:
            if owner is not None and owner() is None:
                raise EmulatorFault("page-locked memory was let go before it was copied in")
            ctypes.memmove(buffer.address + offset, held if owner is None else address, nbytes)
            self._library.emulator_mark_written(buffer.handle, offset, nbytes)

        self._enqueue("copy in", run, [(target, True)], stream, copied_bytes=nbytes)

    def copy_out(self, target: NDArray[Any], source: EmulatedArray, *, stream: Any = None) -> None:
        _check_copy(source, target)
        if not target.flags.writeable:
            raise EmulatorFault("expected a host array that can be written to")
        buffer, offset, nbytes = source.lease.buffer, source.offset, source.nbytes
        address = target.ctypes.data
        owner = self._pinned_owner(address)
        # what is copied to memory that is not page-locked is there when the call returns
        held = None if owner else target

        def run() -> None:
            if owner is not None and owner() is None:
                raise EmulatorFault("page-locked memory was let go before it was copied to")
            unwritten = self._library.emulator_first_unwritten(buffer.handle, offset, nbytes)
            if unwritten != nbytes:
                raise EmulatorFault(
                    f"{source.dtype}{source.shape} is copied out, but nothing has written its "
                    f"byte {unwritten}"
                )
            ctypes.memmove(address, buffer.address + offset, nbytes)
            assert held is None or held.ctypes.data == address

        self._enqueue("copy out", run, [(source, False)], stream, copied_bytes=nbytes)

    def upload(self, array: NDArray[Any], *, stream: Any = None) -> EmulatedArray:
        array = np.ascontiguousarray(array)
        target = self.empty(array.shape, array.dtype)
        self.copy_in(target, array, stream=stream)
        return target

    def download(self, array: EmulatedArray, *, stream: Any = None) -> NDArray[Any]:
        target = np.empty(array.shape, array.dtype)
        self.copy_out(target, array, stream=stream)
        self.synchronize(stream)
        return target

    def adopt(self, array: object) -> EmulatedArray:
        if isinstance(array, EmulatedArray):
            return array
        interface = getattr(array, "__cuda_array_interface__", None)
        if interface is None:
            raise TypeError(f"expected a device array, got {type(array).__name__!r}")
        if interface.get("strides") is not None:
            raise TypeError(f"expected a contiguous array, got strides {interface['strides']!r}")
        owner = getattr(array, "owner", None)
        if not isinstance(owner, EmulatedArray):
            raise TypeError("expected an array whose owner is an emulated one")
        offset = int(interface["data"][0]) - owner.lease.buffer.address
        return EmulatedArray(
            owner.lease, offset, tuple(interface["shape"]), np.dtype(interface["typestr"])
        )

    def free_bytes(self) -> int:
        self._check_failure()
        return self.memory_bytes - self.live_bytes

    def release(self) -> None:
        self._check_failure()

    # --- streams ---

    def stream(self) -> EmulatedStream:
        with self._lock:
            self._streams.append(EmulatedStream(len(self._streams)))
            return self._streams[-1]

    def record(self, stream: Any = None) -> EmulatedEvent:
        into: EmulatedStream = stream or self._default
        with self._lock:
            event = EmulatedEvent(into, 0, {})

            def run() -> None:
                event.at = time.perf_counter()

            event.count = self._enqueue("record", run, [], into)
            event.clock = dict(into.clock)
            return event

    def wait(self, stream: Any, event: EmulatedEvent) -> None:
        into: EmulatedStream = stream or self._default
        with self._lock:
            self._enqueue("wait", partial(self._run_until, event.stream, event.count), [], into)
            _join(into.clock, event.clock)

    def synchronize(self, stream: Any = None) -> None:
        of: EmulatedStream = stream or self._default
        with self._lock:
            self._check_failure()
            self._run_until(of, of.clock.get(of.number, 0))
            _join(self._host, of.clock)

    def synchronize_all(self) -> None:
        for stream in list(self._streams):
            self.synchronize(stream)

    def seconds(self, start: EmulatedEvent, end: EmulatedEvent) -> float:
        with self._lock:
            for event in (start, end):
                self._run_until(event.stream, event.count)
                _join(self._host, event.clock)
            assert start.at is not None
            assert end.at is not None
            return end.at - start.at

    @contextlib.contextmanager
    def timings(self) -> Iterator[list[Timing]]:
        outer, self._log = self._log, []
        try:
            yield (found := self._log)
            self.synchronize_all()
        finally:
            self._log = outer
        del found

    def lock(self) -> AbstractContextManager[Any]:
        return self._lock

    def _run_until(self, stream: EmulatedStream, count: int) -> None:
        while stream.queue and stream.queue[0].count <= count:
            operation = stream.queue.pop(0)
            start = time.perf_counter()
            try:
                operation.run()
            except EmulatorFault as error:
                self.failure = f"{operation.what}: {error}"
                raise EmulatorFault(self.failure) from None
            if self._log is not None and operation.copied_bytes is not None:
                self._log.append(
                    Timing(operation.what, time.perf_counter() - start, operation.copied_bytes)
                )

    def _enqueue(
        self,
        what: str,
        run: Callable[[], None],
        arrays: list[tuple[EmulatedArray, bool]],
        stream: Any,
        *,
        copied_bytes: int | None = None,
        launch: int = 0,
    ) -> int:
        """Put an operation into a stream, if the order allows it what it does."""
        into: EmulatedStream = stream or self._default
        with self._lock:
            self._check_failure()
            _join(into.clock, self._host)
            count = into.clock.get(into.number, 0) + 1
            into.clock[into.number] = count
            operation = _Operation(what, run, count, launch=launch, copied_bytes=copied_bytes)
            for array, writes in arrays:
                self._order(into, operation, array, writes=writes)
            if launch:
                # kernels are judged byte by byte when they run, those that may run together
                self._launched = [
                    (other, number) for other, number in self._launched
                    if self._host.get(number, 0) < other.count
                ]  # fmt: skip
                for other, number in self._launched:
                    if into.clock.get(number, 0) < other.count:
                        other.unordered.add(launch)
                        operation.unordered.add(other.launch)
                self._launched.append((operation, into.number))
            into.queue.append(operation)
            return count

    def _order(
        self, stream: EmulatedStream, operation: _Operation, array: EmulatedArray, *, writes: bool
    ) -> None:
        buffer = array.lease.buffer
        use = _Use(
            array.offset, array.offset + array.nbytes, writes, bool(operation.launch),
            stream.number, operation.count, operation.what,
        )  # fmt: skip
        if not array.nbytes:
            return
        for earlier in buffer.inherited:
            if not _covers(stream.clock, earlier):
                self._fail(
                    f"{use.what} in stream {stream.number} uses memory that was freed while "
                    f"{earlier.what} in stream {earlier.stream} may still use it"
                )
        for earlier in buffer.uses:
            apart = earlier.stop <= use.start or use.stop <= earlier.start
            if apart or not (earlier.writes or writes) or (earlier.by_kernel and use.by_kernel):
                continue
            if not _covers(stream.clock, earlier):
                self._fail(
                    f"{use.what} in stream {stream.number} and {earlier.what} in stream "
                    f"{earlier.stream} use the same buffer, and neither waits for the other"
                )
        buffer.uses = [earlier for earlier in buffer.uses if not _covers(self._host, earlier)]
        buffer.uses.append(use)

    def _fail(self, message: str) -> None:
        self.failure = message
        raise EmulatorFault(message)

    # --- kernels ---

    def kernel(self, file: str, entry: str, defines: Mapping[str, int]) -> EmulatedKernel:
        self._check_failure()
        key = (file, entry, tuple(sorted(defines.items())))
        with self._lock:
            self.requested[key] = None
            if key not in self._kernels:
                path = kernel_library(
                    self.folder, file, self.source(file),
                    {"__CUDA_ARCH__": self.architecture} | dict(defines), checked=bool(self.checks),
                )  # fmt: skip
                self._kernels[key] = EmulatedKernel(self, file, entry, path)
            return self._kernels[key]

    def source(self, file: str) -> str:
        """Text of a kernel file; here is where tests put in their mutants."""
        return source_text(file)

    def _enqueue_launch(
        self,
        kernel: EmulatedKernel,
        blocks: int,
        threads: int,
        values: list[bytes],
        uses: list[tuple[EmulatedArray, bool]],
        shared_bytes: int,
        stream: Any,
    ) -> None:
        number = next(_launch_numbers)
        self.launches += 1
        buffers = [array.lease.buffer for array, _ in uses]
        holder: list[_Operation] = []

        def run() -> None:
            slots = [ctypes.create_string_buffer(value, max(8, len(value))) for value in values]
            pointers = (ctypes.c_void_p * max(1, len(slots)))(
                *(ctypes.addressof(slot) for slot in slots)
            )
            unordered = sorted(holder[0].unordered)
            peers = (ctypes.c_uint * max(1, len(unordered)))(*unordered)
            error = ctypes.create_string_buffer(ERROR_BYTES)
            request = _Launch(
                call=kernel.call, touch_shared=kernel.touch_shared,
                arguments=ctypes.addressof(pointers), grid=(blocks, 1, 1), block=(threads, 1, 1),
                dynamic_shared=shared_bytes, shared_limit=self.limits.shared_bytes,
                schedule=self.schedule if self.schedule < 2 else self.schedule + number % 1000,
                poison=POISON, checks=int(self.checks), number=number,
                unordered_count=len(unordered), unordered=ctypes.addressof(peers),
                limit_seconds=LIMIT_SECONDS,
                error=ctypes.cast(error, ctypes.c_char_p), error_size=ERROR_BYTES,
            )  # fmt: skip
            failed = self._library.emulator_launch(ctypes.addressof(request))
            assert buffers is not None
            if failed:
                text = re.sub(
                    r"\{([0-9a-f]+)\}",
                    lambda match: source_line(kernel.library_path, int(match[1], 16)),
                    error.value.decode(),
                )
                raise EmulatorFault(text)
            if not self.checks:
                # nobody saw what was written: all of it counts
                for array, writes in uses_by_address:
                    if writes:
                        self._library.emulator_mark_written(array[0].handle, array[1], array[2])

        uses_by_address = [
            ((array.lease.buffer, array.offset, array.nbytes), writes) for array, writes in uses
        ]
        stream = stream or self._default
        with self._lock:
            self._enqueue(kernel.entry, run, uses, stream, copied_bytes=0, launch=number)
            holder.append(stream.queue[-1])


def _check_copy(device_array: EmulatedArray, host_array: NDArray[Any]) -> None:
    if not host_array.flags.c_contiguous or device_array.nbytes != host_array.nbytes:
        raise EmulatorFault(
            f"expected a contiguous host array of {device_array.nbytes} bytes, "
            f"got {host_array.nbytes} with strides {host_array.strides!r}"
        )
