"""Groups of arrays that the core takes as one argument.

A :class:`Group` is a table of addresses and lengths in memory; the core takes the address of that
table and reads it as a structure of arrays. The Python object keeps the arrays alive, and callers
keep the object.
"""

from typing import Any, ClassVar

import numpy as np

Field = tuple[Any, ...]
"""Type of an array's items, and its shape behind the first axis."""


class Group:
    """Arrays by name; a subclass says their types in ``fields``."""

    fields: ClassVar[dict[str, Field]] = {}

    def __init__(self, **arrays: Any) -> None:
        self._arrays: dict[str, Any] = {}
        self._table = np.zeros((len(self.fields), 2), np.uint64)
        self.address = self._table.ctypes.data
        self._places = {name: number for number, name in enumerate(self.fields)}
        self.set(**arrays)

    def set(self, **arrays: Any) -> None:
        """Put other arrays in the place of some.

        Raises
        ------
        TypeError
            If an array is of another type or shape than its field, or not in one piece.
        """
        for name, array in arrays.items():
            kind, *tail = self.fields[name]
            if (
                array.dtype != np.dtype(kind)
                or array.shape[1:] != tuple(tail)
                or not array.flags.c_contiguous
            ):
                raise TypeError(
                    f"expected {name} as {np.dtype(kind)} with rows of shape {tuple(tail)}, "
                    f"got {array.dtype}{array.shape}"
                )
            self._arrays[name] = array
            self._table[self._places[name]] = array.ctypes.data, len(array)
        self.nbytes: int = sum(array.nbytes for array in self._arrays.values())

    def __getattr__(self, name: str) -> Any:
        arrays = self.__dict__.get("_arrays", {})
        if name in arrays:
            return arrays[name]
        raise AttributeError(name)
