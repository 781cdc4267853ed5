"""Page-locked memory that answers leave in, without another copy: lent to whoever keeps them."""

import weakref
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bidcascade.bridge import OutOfDeviceMemory
from bidcascade.kernels.cuda_device import Device

BUFFERS = 2
"""So many answers may be out; what is kept for long so takes no more, however long a job is."""
LEAST_BYTES = 1 << 20
"""A smaller answer is copied in no time."""
MOST_BYTES = 1 << 28


@dataclass
class Lender:
    """A few page-locked buffers; one comes back when nobody has an array of it any more."""

    device: Device
    _buffers: "list[tuple[NDArray[np.uint8], weakref.ref[NDArray[Any]]]]" = field(
        default_factory=list, init=False
    )
    """Each with the array that was last lent of it."""

    def take(self, length: int, kind: DTypeLike) -> NDArray[Any] | None:
        """Array in a buffer that is back; ``None`` if all are out, or it is no size to lend."""
        nbytes = length * np.dtype(kind).itemsize
        if not LEAST_BYTES <= nbytes <= MOST_BYTES:
            return None
        back = [number for number, (_, array) in enumerate(self._buffers) if array() is None]
        lengths = {number: len(self._buffers[number][0]) for number in back}
        fitting = [number for number in back if lengths[number] >= nbytes]
        if fitting:
            buffer, _ = self._buffers.pop(min(fitting, key=lengths.__getitem__))
        else:
            if len(self._buffers) == BUFFERS:
                if not back:
                    return None
                del self._buffers[back[0]]  # goes before a larger one comes
            try:
                buffer = self.device.pinned(1 << (nbytes - 1).bit_length(), np.uint8)
            except OutOfDeviceMemory:
                return None  # the host has no more of it to give
        # views of an array on a memoryview hold that array, not what is below it
        lent = np.frombuffer(buffer.data, np.dtype(kind), length)
        self._buffers.append((buffer, weakref.ref(lent)))
        return lent
