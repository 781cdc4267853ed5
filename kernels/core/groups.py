"""Groups of arrays that the core takes as one argument.

An :class:`ArrayGroup` is a table of addresses and lengths in memory; the core takes the address of
that table and reads it as a structure of arrays. The Python object keeps the arrays alive, and
callers keep the object.
"""

import ctypes
from typing import Any, ClassVar

import numpy as np

Field = tuple[Any, ...]
"""Type of an array's items, and its shape behind the first axis."""


def _address_of(array: Any) -> int:
    try:
        # a fifth of the time that the array's own ``ctypes`` takes
        return ctypes.addressof(ctypes.c_char.from_buffer(array))
    except (TypeError, ValueError):
        # read-only, or without items
        address: int = array.ctypes.data
        return address


class ArrayGroup:
    """Arrays by name; a subclass says their types in ``fields``."""

    fields: ClassVar[dict[str, Field]] = {}
    _rows: ClassVar[dict[str, tuple[int, Any, Field]]] = {}
    """By name: place in the table, type and shape."""

    def __init_subclass__(cls) -> None:
        cls._rows = {
            name: (2 * number, np.dtype(kind), tuple(tail))
            for number, (name, (kind, *tail)) in enumerate(cls.fields.items())
        }

    def __init__(self, **arrays: Any) -> None:
        self._arrays: dict[str, Any] = {}
        self._table = (ctypes.c_uint64 * (2 * len(self.fields)))()
        self.address = ctypes.addressof(self._table)
        self.set(**arrays)

    def set(self, **arrays: Any) -> None:
        """Put other arrays in the place of some.

        Raises
        ------
        TypeError
            If an array is of another type or shape than its field, or not in one piece.
        """
        for name, array in arrays.items():
            place, kind, tail = self._rows[name]
            if array.dtype != kind or array.shape[1:] != tail or not array.flags.c_contiguous:
                raise TypeError(
                    f"expected {name} as {kind} with rows of shape {tail}, in one piece, "
                    f"got {array.dtype}{array.shape}"
                )
            self._arrays[name] = array
            self._table[place], self._table[place + 1] = _address_of(array), len(array)
        self.nbytes: int = sum(array.nbytes for array in self._arrays.values())

    def __getattr__(self, name: str) -> Any:
        arrays = self.__dict__.get("_arrays", {})
        if name in arrays:
            return arrays[name]
        raise AttributeError(name)
