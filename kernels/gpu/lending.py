"""Page-locked memory that answers leave in, without another copy: lent to whoever keeps them."""

import weakref
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

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
    _buffers: list[NDArray[np.uint8]] = field(default_factory=list, init=False)
    _lent: list["weakref.ref[NDArray[Any]]"] = field(default_factory=list, init=False)

    def take(self, length: int, kind: DTypeLike) -> NDArray[Any] | None:
        """Array in a buffer that is back; ``None`` if all are out, or it is no size to lend."""
        nbytes = length * np.dtype(kind).itemsize
        if not LEAST_BYTES <= nbytes <= MOST_BYTES:
            return None
        back = [number for number, array in enumerate(self._lent) if array() is None]
        fitting = [number for number in back if len(self._buffers[number]) >= nbytes]
        if fitting:
            number = min(fitting, key=lambda one: len(self._buffers[one]))
            buffer = self._buffers.pop(number)
        elif len(self._buffers) < BUFFERS or back:
            if len(self._buffers) == BUFFERS:
                number = back[0]
                del self._buffers[number]  # goes before a larger one comes
            else:
                number = len(self._buffers)
            buffer = self.device.pinned(1 << (nbytes - 1).bit_length(), np.uint8)
        else:
            return None
        del self._lent[number : number + 1]
        # views of an array on a memoryview hold that array, not what is below it
        lent = np.frombuffer(buffer.data, np.dtype(kind), length)
        self._buffers.append(buffer)
        self._lent.append(weakref.ref(lent))
        return lent
