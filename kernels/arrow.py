"""A bit column as an Arrow boolean array, handed over without a copy.

Arrow's C data interface (the specification "The Arrow C data interface" and its PyCapsule
protocol) lets a producer without Arrow give its buffers to any consumer: ``pl.Series(bits)`` and
``pyarrow.array(bits)`` read the very words that the kernel wrote.
"""

import ctypes
from collections.abc import Callable
from itertools import count
from typing import Any

from .types import U64


class _Schema(ctypes.Structure):
    """``struct ArrowSchema`` of the specification."""


class _Array(ctypes.Structure):
    """``struct ArrowArray`` of the specification."""


_ReleaseSchema = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))
_ReleaseArray = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))

_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", _ReleaseSchema),
    ("private_data", ctypes.c_void_p),
]
_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", _ReleaseArray),
    ("private_data", ctypes.c_void_p),
]

_CapsuleDestructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


# What was handed out is kept alive: structures with their capsule, by address; buffers with the
# consumer. A consumer moves the structure out of its capsule, which is then freed while the buffers
# live on; the next structure may get the same address. So buffers are kept under numbers of their
# own, which travel in `private_data`.
_structures: dict[int, ctypes.Structure] = {}
_buffers: dict[int, tuple[Any, ...]] = {}
_numbers = count(1)


@_ReleaseSchema  # type: ignore[untyped-decorator]  # of ctypes
def _release_schema(pointer: Any) -> None:
    pointer.contents.release = _ReleaseSchema()


@_ReleaseArray  # type: ignore[untyped-decorator]
def _release_array(pointer: Any) -> None:
    number = pointer.contents.private_data
    pointer.contents.release = _ReleaseArray()
    _buffers.pop(number, None)


def _destructor(name: bytes, kind: type[Any]) -> Callable[[int], None]:
    def destroy(capsule: int) -> None:
        address = _get_pointer(capsule, name)
        structure = kind.from_address(address)
        if structure.release:  # nobody took it over
            structure.release(ctypes.pointer(structure))
        _structures.pop(address, None)

    return destroy


def _capsule(structure: ctypes.Structure, name: bytes, destroy: Any) -> Any:
    address = ctypes.addressof(structure)
    _structures[address] = structure
    return _new_capsule(address, name, destroy)


_destroy_schema = _CapsuleDestructor(_destructor(b"arrow_schema", _Schema))
_destroy_array = _CapsuleDestructor(_destructor(b"arrow_array", _Array))


class ArrowBits:
    """A column of bits over uint64 words; an Arrow boolean array without nulls.

    Parameters
    ----------
    words : uint64 [words]
        Contiguous; kept alive as long as any consumer holds the array.
    bits : int
        How many bits of the words count.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> pl.Series(ArrowBits(np.array([0b101], np.uint64), 3)).to_list()
    [True, False, True]
    """

    def __init__(self, words: U64, bits: int) -> None:
        if not words.flags.c_contiguous or words.size * 64 < bits:
            raise ValueError(f"expected contiguous words for {bits} bits, got {words.size} words")
        self._words = words
        self._bits = bits

    def __len__(self) -> int:
        return self._bits

    def __arrow_c_schema__(self) -> Any:
        """Arrow schema capsule: boolean, not nullable."""
        schema = _Schema(format=b"b", name=b"", flags=0, release=_release_schema)
        return _capsule(schema, b"arrow_schema", _destroy_schema)

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[Any, Any]:
        """Arrow schema and array capsules; ``requested_schema`` is not acted on."""
        buffers = (ctypes.c_void_p * 2)(None, self._words.ctypes.data)
        number = next(_numbers)
        _buffers[number] = (buffers, self._words)
        array = _Array(
            length=self._bits, null_count=0, offset=0, n_buffers=2, n_children=0,
            buffers=ctypes.cast(buffers, ctypes.POINTER(ctypes.c_void_p)),
            release=_release_array, private_data=number,
        )  # fmt: skip
        return self.__arrow_c_schema__(), _capsule(array, b"arrow_array", _destroy_array)
