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
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bidcascade.kernels.cuda_device import Device, DeviceLimits, Timing, source_text
from tests.kernels.emulator.build import kernel_library, runtime
from tests.kernels.emulator.kernel import ArrayUse, Checks, EmulatedKernel, Launch
from tests.kernels.emulator.memory import (
    Buffer,
    Clock,
    EmulatedArray,
    EmulatorFault,
    Lease,
    PinnedMemory,
    Use,
    check_copy,
    covers,
    join,
)

__all__ = ["Checks", "EmulatedArray", "EmulatedDevice", "EmulatorFault"]

SMALL = DeviceLimits(
    multiprocessors=2,
    shared_bytes=100 << 10,
    shared_bytes_per_multiprocessor=128 << 10,
    threads_per_multiprocessor=512,
    cache_bytes=1 << 20,
)


@dataclass
class _Operation:
    """Something in a stream."""

    what: str
    run: Callable[[], None]
    count: int
    launch: Launch | None = None
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


_launch_numbers = itertools.count(1)


class EmulatedDevice(Device):
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
        limits: DeviceLimits = SMALL,
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
        self._unfinished_frees: list[Use] = []
        self._launched: list[tuple[Launch, int, int]] = []
        """Launches that the host has not waited for, with their place in a stream."""
        self._pinned = PinnedMemory()
        self._log: list[Timing] | None = None
        self._lock = threading.RLock()

    # --- memory ---

    def _check_failure(self) -> None:
        if self.failure is not None:
            raise EmulatorFault(self.failure)

    def _freed(self, buffer: Buffer) -> None:
        with self._lock:
            self.live_bytes -= buffer.nbytes
            self._unfinished_frees += [
                use for use in (*buffer.uses, *buffer.inherited) if not covers(self._host, use)
            ]

    def take(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> EmulatedArray:
        self._check_failure()
        sizes = (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(map(int, shape))
        kind = np.dtype(dtype)
        nbytes = math.prod(sizes) * kind.itemsize
        with self._lock:
            if self.live_bytes + nbytes > self.memory_bytes:
                # as RMM, whose allocator CuPy has once cudf is imported
                raise MemoryError(
                    f"std::bad_alloc: {nbytes} of {self.memory_bytes - self.live_bytes} bytes"
                )
            buffer = Buffer(self._library, nbytes)
            self._unfinished_frees = [
                use for use in self._unfinished_frees if not covers(self._host, use)
            ]
            buffer.inherited = list(self._unfinished_frees)
            self.live_bytes += nbytes
            self.most_live_bytes = max(self.most_live_bytes, self.live_bytes)
            return EmulatedArray(Lease(buffer, self._freed), 0, sizes, kind)

    def clear(self, array: EmulatedArray, *, stream: Any = None) -> None:
        buffer, offset, nbytes = array.lease.buffer, array.offset, array.nbytes

        def run() -> None:
            ctypes.memset(buffer.address + offset, 0, nbytes)
            self._library.emulator_mark_written(buffer.handle, offset, nbytes)

        self._enqueue("clear", run, [(array, True)], stream)

    @property
    def pinned_bytes(self) -> int:
        """Page-locked memory that was ever taken; none of it comes back."""
        return self._pinned.kept_bytes

    def pinned(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        self._check_failure()
        with self._lock:
            return self._pinned.take(shape, dtype)

    def copy_in(self, target: EmulatedArray, source: NDArray[Any], *, stream: Any = None) -> None:
        check_copy(target, source)
        buffer, offset, nbytes = target.lease.buffer, target.offset, target.nbytes
        address = source.ctypes.data
        owner = self._pinned.owner_of(source)
        held = None if owner else source.tobytes()

        def run() -> None:
            if owner is not None and owner() is None:
                raise EmulatorFault("page-locked memory was let go before it was copied in")
            ctypes.memmove(buffer.address + offset, held if owner is None else address, nbytes)
            self._library.emulator_mark_written(buffer.handle, offset, nbytes)

        self._enqueue("copy in", run, [(target, True)], stream, copied_bytes=nbytes)

    def copy_out(self, target: NDArray[Any], source: EmulatedArray, *, stream: Any = None) -> None:
        check_copy(source, target)
        if not target.flags.writeable:
            raise EmulatorFault("expected a host array that can be written to")
        buffer, offset, nbytes = source.lease.buffer, source.offset, source.nbytes
        address = target.ctypes.data
        owner = self._pinned.owner_of(target)
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
            join(into.clock, event.clock)

    def synchronize(self, stream: Any = None) -> None:
        of: EmulatedStream = stream or self._default
        with self._lock:
            self._check_failure()
            self._run_until(of, of.clock.get(of.number, 0))
            join(self._host, of.clock)

    def synchronize_all(self) -> None:
        for stream in list(self._streams):
            self.synchronize(stream)

    def seconds(self, start: EmulatedEvent, end: EmulatedEvent) -> float:
        with self._lock:
            for event in (start, end):
                self._run_until(event.stream, event.count)
                join(self._host, event.clock)
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
        launch: Launch | None = None,
    ) -> int:
        """Put an operation into a stream, if the order allows it what it does."""
        into: EmulatedStream = stream or self._default
        with self._lock:
            self._check_failure()
            join(into.clock, self._host)
            count = into.clock.get(into.number, 0) + 1
            into.clock[into.number] = count
            operation = _Operation(what, run, count, launch=launch, copied_bytes=copied_bytes)
            for array, writes in arrays:
                self._order(into, operation, array, writes=writes)
            if launch is not None:
                # kernels are judged byte by byte when they run, those that may run together
                self._launched = [
                    (peer, of, at) for peer, of, at in self._launched if self._host.get(of, 0) < at
                ]
                for peer, of, at in self._launched:
                    if into.clock.get(of, 0) < at:
                        peer.unordered.add(launch.number)
                        launch.unordered.add(peer.number)
                self._launched.append((launch, into.number, count))
            into.queue.append(operation)
            return count

    def _order(
        self, stream: EmulatedStream, operation: _Operation, array: EmulatedArray, *, writes: bool
    ) -> None:
        buffer = array.lease.buffer
        use = Use(
            array.offset,
            array.offset + array.nbytes,
            writes,
            operation.launch is not None,
            stream.number,
            operation.count,
            operation.what,
        )
        if not array.nbytes:
            return
        for earlier in buffer.inherited:
            if not covers(stream.clock, earlier):
                self._fail(
                    f"{use.what} in stream {stream.number} uses memory that was freed while "
                    f"{earlier.what} in stream {earlier.stream} may still use it"
                )
        for earlier in buffer.uses:
            apart = earlier.stop <= use.start or use.stop <= earlier.start
            if apart or not (earlier.writes or writes) or (earlier.by_kernel and use.by_kernel):
                continue
            if not covers(stream.clock, earlier):
                self._fail(
                    f"{use.what} in stream {stream.number} and {earlier.what} in stream "
                    f"{earlier.stream} use the same buffer, and neither waits for the other"
                )
        buffer.uses = [earlier for earlier in buffer.uses if not covers(self._host, earlier)]
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
                    self.folder,
                    file,
                    self.source(file),
                    {"__CUDA_ARCH__": self.architecture} | dict(defines),
                    checked=bool(self.checks),
                )
                self._kernels[key] = EmulatedKernel(file, entry, path, self._launch)
            return self._kernels[key]

    def source(self, file: str) -> str:
        """Text of a kernel file; here is where tests put in their mutants."""
        return source_text(file)

    def _launch(
        self,
        kernel: EmulatedKernel,
        blocks: int,
        threads: int,
        values: list[bytes],
        arrays: list[ArrayUse],
        shared_bytes: int,
        stream: Any,
    ) -> None:
        launch = Launch(kernel, next(_launch_numbers), blocks, threads, values, shared_bytes)
        self.launches += 1
        # every launch another order, and the same one in the next run
        schedule = self.schedule if self.schedule < 2 else self.schedule + self.launches
        # buffers live until the launch is through, but are free for reuse from now on
        parts = [
            (array.lease.buffer, array.offset, array.nbytes, writes) for array, writes in arrays
        ]

        def run() -> None:
            launch.run(
                self._library,
                schedule=schedule,
                checks=self.checks,
                shared_limit=self.limits.shared_bytes,
            )
            for buffer, offset, nbytes, writes in parts:
                if writes and not self.checks:
                    # nobody saw what was written: all of it counts
                    self._library.emulator_mark_written(buffer.handle, offset, nbytes)

        self._enqueue(kernel.entry, run, arrays, stream, copied_bytes=0, launch=launch)
