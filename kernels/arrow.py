"""A bit column as an Arrow boolean array, handed over without a copy.

Arrow's C data interface (the specification "The Arrow C data interface" and its PyCapsule
protocol) lets a producer without Arrow give its buffers to any consumer: ``pl.Series(bits)`` and
``pyarrow.array(bits)`` read the very words that the kernel wrote.
"""

import ctypes
from collections.abc import Callable
from typing import Any, ClassVar

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


class _Exports:
    """Keeps what was handed out alive until its consumer releases it."""

    held: ClassVar[dict[int, tuple[Any, ...]]] = {}

    @classmethod
    def hold(cls, structure: ctypes.Structure, *things: object) -> int:
        """Keep a structure and what it points to; return its address, which is the key."""
        address = ctypes.addressof(structure)
        cls.held[address] = (structure, *things)
        return address


@_ReleaseSchema
def _release_schema(pointer: Any) -> None:
    pointer.contents.release = _ReleaseSchema()


@_ReleaseArray
def _release_array(pointer: Any) -> None:
    # a consumer may have moved the structure elsewhere, so the key travels in private_data
    key = pointer.contents.private_data
    pointer.contents.release = _ReleaseArray()
    _Exports.held.pop(-key, None)


def _destructor(name: bytes, kind: type[Any]) -> Callable[[int], None]:
    def destroy(capsule: int) -> None:
        address = _get_pointer(capsule, name)
        structure = kind.from_address(address)
        if structure.release:  # nobody took it over
            structure.release(ctypes.pointer(structure))
        _Exports.held.pop(address, None)

    return destroy


_destroy_schema = _CapsuleDestructor(_destructor(b"arrow_schema", _Schema))
_destroy_array = _CapsuleDestructor(_destructor(b"arrow_array", _Array))


class ArrowBits:
    """A column of ``count`` bits over uint64 words; an Arrow boolean array without nulls.

    Parameters
    ----------
    words : uint64 [words]
        Contiguous; kept alive as long as any consumer holds the array.
    count : int
        Number of bits.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> pl.Series(ArrowBits(np.array([0b101], np.uint64), 3)).to_list()
    [True, False, True]
    """

    def __init__(self, words: U64, count: int) -> None:
        if not words.flags.c_contiguous or words.size * 64 < count:
            raise ValueError(f"expected contiguous words for {count} bits, got {words.size} words")
        self._words = words
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __arrow_c_schema__(self) -> Any:
        """Arrow schema capsule: boolean, not nullable."""
        schema = _Schema(format=b"b", name=b"", flags=0, release=_release_schema)
        address = _Exports.hold(schema)
        return _new_capsule(address, b"arrow_schema", _destroy_schema)

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[Any, Any]:
        """Arrow schema and array capsules; ``requested_schema`` is not acted on."""
        buffers = (ctypes.c_void_p * 2)(None, self._words.ctypes.data)
        array = _Array(
            length=self._count, null_count=0, offset=0, n_buffers=2, n_children=0,
            buffers=ctypes.cast(buffers, ctypes.POINTER(ctypes.c_void_p)),
            release=_release_array,
        )  # fmt: skip
        address = _Exports.hold(array)
        array.private_data = address
        # the buffers outlive the capsule: they go when the consumer releases the array
        _Exports.held[-address] = (buffers, self._words)
        return self.__arrow_c_schema__(), _new_capsule(address, b"arrow_array", _destroy_array)
