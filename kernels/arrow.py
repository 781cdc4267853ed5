"""Columns in memory as Arrow arrays, handed over without a copy.

Arrow's C data interface (the specification "The Arrow C data interface" and its PyCapsule
protocol) lets a producer without Arrow give its buffers to any consumer: ``pl.Series(bits)`` and
``pyarrow.array(bits)`` read the very words that the kernel wrote.
"""

import ctypes
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, Final

from numpy.typing import NDArray

from .types import U64

_NULLABLE: Final = 2
"""``ARROW_FLAG_NULLABLE`` of the specification."""


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


# What was handed out is kept alive: structures with their capsule, by address; what they point to
# with the consumer. A consumer moves the structure out of its capsule, which is then freed while
# the buffers live on; the next structure may get the same address. So what is pointed to is kept
# under numbers of its own, which travel in `private_data`.
_structures: dict[int, ctypes.Structure] = {}
_held: dict[int, tuple[Any, Sequence[Any]]] = {}
"""Buffers and pointers of a structure, and its children."""
_numbers = count(1)


@_ReleaseSchema  # type: ignore[untyped-decorator]  # of ctypes
def _release_schema(pointer: Any) -> None:
    _let_go(pointer, _ReleaseSchema())


@_ReleaseArray  # type: ignore[untyped-decorator]
def _release_array(pointer: Any) -> None:
    _let_go(pointer, _ReleaseArray())


def _let_go(pointer: Any, released: Any) -> None:
    structure = pointer.contents
    structure.release = released
    _, children = _held.pop(structure.private_data)
    for child in children:
        # a consumer may have taken it over, and lets go of it by itself
        if child.release:
            child.release(ctypes.pointer(child))


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


class ArrowColumn:
    """A column over buffers in memory.

    Parameters
    ----------
    kind : bytes
        Format of the specification, such as ``b"I"`` for uint32.
    length : int
        Rows.
    buffers : sequence of array or None
        In the order of the specification, contiguous; kept alive as long as any consumer holds the
        array. None in front where no row is null.
    children : sequence of ArrowColumn
        Of a list, its elements.
    nulls : int
        How many rows are null.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> numbers = ArrowColumn(b"I", 3, [None, np.array([4, 5, 6], np.uint32)])
    >>> offsets = np.array([0, 2, 3], np.int64)
    >>> pl.Series(ArrowColumn(b"+L", 2, [None, offsets], [numbers])).to_list()
    [[4, 5], [6]]
    """

    def __init__(
        self,
        kind: bytes,
        length: int,
        buffers: "Sequence[NDArray[Any] | None]",
        children: "Sequence[ArrowColumn]" = (),
        nulls: int = 0,
    ) -> None:
        self._kind, self._length, self._nulls = kind, length, nulls
        self._buffers, self._children = buffers, children

    def __len__(self) -> int:
        return self._length

    def __arrow_c_schema__(self) -> Any:
        """Arrow schema capsule: without a name, nullable where a row is null."""
        return _capsule(self._schema(), b"arrow_schema", _destroy_schema)

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[Any, Any]:
        """Arrow schema and array capsules; ``requested_schema`` is not acted on."""
        return self.__arrow_c_schema__(), _capsule(self._array(), b"arrow_array", _destroy_array)

    def _schema(self) -> _Schema:
        # what is in a list is called so by the specification of Arrow's columnar format
        children = [child._schema() for child in self._children]
        for child in children:
            child.name = b"item"
        pointers, number = _pointers(children), next(_numbers)
        _held[number] = (pointers, children)
        return _Schema(
            format=self._kind,
            name=b"",
            flags=0 if self._buffers[0] is None else _NULLABLE,
            n_children=len(children),
            children=ctypes.addressof(pointers) if children else None,
            release=_release_schema,
            private_data=number,
        )

    def _array(self) -> _Array:
        children = [child._array() for child in self._children]
        pointers, number = _pointers(children), next(_numbers)
        places = [None if one is None else one.ctypes.data for one in self._buffers]
        buffers = (ctypes.c_void_p * len(places))(*places)
        _held[number] = ((buffers, self._buffers, pointers), children)
        return _Array(
            length=self._length,
            null_count=self._nulls,
            offset=0,
            n_buffers=len(buffers),
            n_children=len(children),
            buffers=ctypes.cast(buffers, ctypes.POINTER(ctypes.c_void_p)),
            children=ctypes.addressof(pointers) if children else None,
            release=_release_array,
            private_data=number,
        )


def _pointers(structures: "Sequence[ctypes.Structure]") -> "ctypes.Array[ctypes.c_void_p]":
    return (ctypes.c_void_p * len(structures))(*map(ctypes.addressof, structures))


class ArrowBits(ArrowColumn):
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
        super().__init__(b"b", bits, [None, words])
