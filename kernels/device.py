"""What a backend asks of a device: arrays, kernels, streams, copies, times.

The CUDA backend is written against :class:`Device` and :class:`Kernel`; ``cuda_device`` has the one
that is CuPy's.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

Shape: TypeAlias = int | tuple[int, ...]


class DeviceArray(Protocol):
    """A contiguous array in device memory."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        ...

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of an element."""
        ...

    @property
    def size(self) -> int:
        """Number of elements."""
        ...

    @property
    def nbytes(self) -> int:
        """Number of bytes."""
        ...

    def __getitem__(self, key: slice, /) -> "DeviceArray":
        """View of some rows (first axis), without a step."""
        ...

    def reshape(self, *shape: int) -> "DeviceArray":
        """View of the same elements in another shape."""
        ...


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
        ...


@dataclass(frozen=True, slots=True)
class Limits:
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
    limits: Limits

    def empty(self, shape: Shape, dtype: DTypeLike) -> DeviceArray:
        """Array whose contents are undefined."""
        ...

    def zeros(self, shape: Shape, dtype: DTypeLike, *, stream: Stream | None = None) -> DeviceArray:
        """Array of zero bytes, zeroed in ``stream``."""
        ...

    def clear(self, array: DeviceArray, *, stream: Stream | None = None) -> None:
        """Set all bytes of an array to zero."""
        ...

    def pinned(self, shape: Shape, dtype: DTypeLike) -> NDArray[Any]:
        """Host array that copies to and from the device can run beside work (page-locked)."""
        ...

    def copy_in(
        self, target: DeviceArray, source: NDArray[Any], *, stream: Stream | None = None
    ) -> None:
        """Copy a contiguous host array; it must stay as it is until the stream gets there.

        From :meth:`pinned` memory the call returns at once, from other memory when all is read.
        """
        ...

    def copy_out(
        self, target: NDArray[Any], source: DeviceArray, *, stream: Stream | None = None
    ) -> None:
        """Copy to a contiguous host array, which is filled when the stream has got there."""
        ...

    def upload(self, array: NDArray[Any], *, stream: Stream | None = None) -> DeviceArray:
        """Device array with the contents of a host array."""
        ...

    def download(self, array: DeviceArray, *, stream: Stream | None = None) -> NDArray[Any]:
        """Host array with the contents of a device array; waits for the stream."""
        ...

    def adopt(self, array: object) -> DeviceArray:
        """View foreign device memory (``__cuda_array_interface__``, DLPack) as a device array.

        Raises
        ------
        TypeError
            If it is no contiguous device array.
        """
        ...

    def kernel(self, file: str, entry: str, defines: Mapping[str, int]) -> Kernel:
        """Compile (once) and load an entry point of a ``.cu`` file."""
        ...

    def stream(self) -> Stream:
        """Make a new stream."""
        ...

    def record(self, stream: Stream | None = None) -> Event:
        """Mark the point that a stream has been filled to."""
        ...

    def wait(self, stream: Stream | None, event: Event) -> None:
        """Let a stream wait for a point of another, without the host waiting."""
        ...

    def synchronize(self, stream: Stream | None = None) -> None:
        """Wait until a stream is through; raise what failed."""
        ...

    def seconds(self, start: Event, end: Event) -> float:
        """Device time between two points, once both are reached."""
        ...

    def free_bytes(self) -> int:
        """Memory that can be taken now."""
        ...

    def release(self) -> None:
        """Give back memory that is held for reuse."""
        ...

    def timings(self) -> AbstractContextManager[list[Timing]]:
        """Time every launch and copy inside the ``with`` block; the list is full behind it."""
        ...

    def lock(self) -> AbstractContextManager[Any]:
        """Keep other threads off the device; the same thread may enter again."""
        ...
