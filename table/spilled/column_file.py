"""A ``.npy`` file that is written piece by piece, and changed in place."""

from pathlib import Path
from typing import Final

import numpy as np

from bidcascade.kernels.machine.npy_files import write_npy_head
from bidcascade.kernels.types import I64
from bidcascade.table.columns import Column

HEADER_BYTES: Final = 128
"""Bytes before the values."""
_AT_ONCE: Final = 1 << 24


class ColumnFile:
    """A ``.npy`` file that is written piece by piece."""

    def __init__(self, path: Path, kind: "np.dtype[np.generic]") -> None:
        self.path, self.kind = path, kind
        self.length = 0
        self._file = path.open("w+b")
        self._file.write(bytes(HEADER_BYTES))

    def append(self, values: Column) -> None:
        """Write values behind those that are there."""
        values = np.ascontiguousarray(values, self.kind)
        self._file.write(values.data)
        self.length += len(values)

    def patch(self, places: I64, values: Column) -> None:
        """Write values at ascending places that were written before."""
        values = values.astype(self.kind)
        ends = np.flatnonzero(np.diff(places, append=-1) != 1) + 1
        begin = 0
        for end in ends.tolist():
            self._file.seek(HEADER_BYTES + int(places[begin]) * self.kind.itemsize)
            self._file.write(values[begin:end].data)
            begin = end

    def finish(self) -> None:
        """Write the head and close the file."""
        self._file.seek(0)
        write_npy_head(self._file, self.kind, (self.length,))
        if self._file.tell() != HEADER_BYTES:
            raise AssertionError(
                f"expected a head of {HEADER_BYTES} bytes, got {self._file.tell()}"
            )
        self._file.close()

    def mapped(self) -> Column:
        """Map the values, to be changed in place."""
        found: Column = np.load(self.path, mmap_mode="r+" if self.length else None)
        return found.view(np.ndarray)

    def has_other_than(self, missing: int) -> bool:
        """Whether there is any value but one."""
        values = self.mapped()
        return any(
            (values[begin : begin + _AT_ONCE] != missing).any()
            for begin in range(0, len(values), _AT_ONCE)
        )

    def remove(self) -> None:
        """Remove the file."""
        self.path.unlink()

    def close(self) -> None:
        """Close the file, as it is."""
        self._file.close()
