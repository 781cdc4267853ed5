"""Device memory of the emulator: buffers, arrays in them, and who used what when."""

import ctypes
import math
import weakref
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bidcascade.bridge import DeviceFault

POISON = 0xA5
"""Byte that fresh memory is filled with."""

Clock = dict[int, int]
"""By stream, how many of its operations are known to be over."""


class EmulatorFault(DeviceFault):
    """A kernel or the order of operations is wrong; the device is of no more use."""


@dataclass(frozen=True, slots=True)
class Use:
    """A part of a buffer that an operation touches."""

    start: int
    stop: int
    writes: bool
    by_kernel: bool
    stream: int
    count: int
    what: str


def join(clock: Clock, other: Clock) -> None:
    for stream, count in other.items():
        clock[stream] = max(clock.get(stream, 0), count)


def covers(clock: Clock, use: Use) -> bool:
    return clock.get(use.stream, 0) >= use.count


class Buffer:
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
        self.uses: list[Use] = []
        self.inherited: list[Use] = []
        """Unfinished uses of memory that was free when this was taken."""
        weakref.finalize(self, library.emulator_release, handle)


class Lease:
    """What arrays hold of a buffer: when the last is gone, the buffer is free for reuse."""

    def __init__(self, buffer: Buffer, freed: Callable[[Buffer], None]) -> None:
        self.buffer = buffer
        weakref.finalize(self, freed, buffer)


class EmulatedArray:
    """A contiguous array in the emulator's device memory."""

    def __init__(
        self, lease: Lease, offset: int, shape: tuple[int, ...], dtype: np.dtype[Any]
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
        return type(self)(
            self.lease,
            self.offset + start * row,
            (max(0, stop - start), *self.shape[1:]),
            self.dtype,
        )

    def reshape(self, *shape: int) -> "EmulatedArray":
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
        if -1 in wanted:
            known = -math.prod(wanted)
            wanted = tuple(self.size // known if length == -1 else length for length in wanted)
        if math.prod(wanted) != self.size:
            raise ValueError(f"expected a shape of {self.size} elements, got {wanted!r}")
        return type(self)(self.lease, self.offset, tuple(wanted), self.dtype)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape, "typestr": self.dtype.str, "data": (self.address, False),
            "strides": None, "version": 3, "stream": 1,
        }  # fmt: skip


def check_copy(device_array: EmulatedArray, host_array: NDArray[Any]) -> None:
    if not host_array.flags.c_contiguous or device_array.nbytes != host_array.nbytes:
        raise EmulatorFault(
            f"expected a contiguous host array of {device_array.nbytes} bytes, "
            f"got {host_array.nbytes} with strides {host_array.strides!r}"
        )


class PinnedMemory:
    """Page-locked host memory: copies from and to it wait for their streams.

    As CuPy's pool it has memory that was let go for requests of the same size only.
    """

    def __init__(self) -> None:
        self._parts: list[tuple[int, int, weakref.ref[Any]]] = []
        self._most: Counter[int] = Counter()

    @property
    def kept_bytes(self) -> int:
        return sum(nbytes * most for nbytes, most in self._most.items())

    def take(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        kind = np.dtype(dtype)
        size = math.prod((shape,) if isinstance(shape, int) else shape)
        owner = np.full(max(1, size * kind.itemsize) + 64, POISON, np.uint8)
        start = -owner.ctypes.data % 64
        self._parts = [part for part in self._parts if part[2]() is not None]
        self._parts.append((owner.ctypes.data, owner.nbytes, weakref.ref(owner)))
        used = sum(nbytes == owner.nbytes for _, nbytes, _ in self._parts)
        self._most[owner.nbytes] = max(self._most[owner.nbytes], used)
        return owner[start : start + size * kind.itemsize].view(kind).reshape(shape)

    def owner_of(self, array: NDArray[Any]) -> "weakref.ref[Any] | None":
        """Owner of the page-locked memory that a host array lies in, ``None`` for other memory."""
        address = array.ctypes.data
        for start, nbytes, owner in self._parts:
            if start <= address < start + nbytes and owner() is not None:
                return owner
        return None
