"""Frames in Arrow files that are mapped into memory: nothing is read before it is needed.

polars writes the files and copies all that it reads of them. So where a column's buffers lie is
read here, and they are handed to polars as they are. The layout is that of the specifications
"Arrow Columnar Format" (IPC file format, with ``Footer``, ``Message`` and ``RecordBatch`` of
``File.fbs`` and ``Message.fbs``) and "FlatBuffers Internals".
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import InvalidInput
from bidcascade.kernels.arrow import ArrowColumn
from bidcascade.kernels.types import U8
from bidcascade.loaders.files.whole_files import can_write, whole_file

_MAGIC: Final = b"ARROW1"
_RECORD_BATCH: Final = 3
"""``MessageHeader`` of ``Message.fbs``."""
_BLOCK: Final = struct.Struct("<qi4xq")
_PAIR: Final = struct.Struct("<qq")
_VIEW_BYTES: Final = 16
_NUMBERS: Final = {
    pl.UInt8: (b"C", np.uint8), pl.UInt16: (b"S", np.uint16), pl.UInt32: (b"I", np.uint32),
    pl.UInt64: (b"L", np.uint64), pl.Int32: (b"i", np.int32),
}  # fmt: skip
_TEXTS: Final = {pl.String: b"vu", pl.Binary: b"vz"}
_DAMAGED: Final = (
    OSError,
    ValueError,
    struct.error,
    pl.exceptions.PolarsError,
    pl.exceptions.PanicException,
)
_CODES: Final = {1: pl.UInt8, 2: pl.UInt16, 4: pl.UInt32}
"""Codes of an enumeration, by their bytes."""


def write_mapped(frame: pl.DataFrame, path: Path) -> None:
    """Write a frame as an Arrow file in one piece, to be mapped into memory.

    Raises
    ------
    CannotWrite
        If the disk is full, or the place cannot be written to.
    """
    with whole_file(path) as partial, can_write(path):
        frame.rechunk().write_ipc(partial, record_batch_size=max(1, frame.height))


def read_mapped(path: Path) -> pl.DataFrame:
    """Map a file of :func:`write_mapped` into memory as a frame.

    The numbers in it are believed, as where a text stands; only what lies beyond the end of the
    file is refused. So the file must be compared with its checksum first.

    Parameters
    ----------
    path : path
        Columns are numbers, Booleans, texts, bytes, enumerations and lists of them.

    Raises
    ------
    InvalidInput
        If it is damaged.

    Examples
    --------
    >>> write_mapped(pl.DataFrame({"calls": [["1N", "P"], None]}), Path("calls.arrow"))
    >>> read_mapped(Path("calls.arrow"))["calls"].to_list()
    [['1N', 'P'], None]
    """
    try:
        schema = pl.Schema(pl.read_ipc_schema(path))
        content: U8 = np.memmap(path, np.uint8, "r").view(np.ndarray)
        batches = list(_batches(content))
        if not batches:
            return pl.DataFrame(schema=schema)
        if len(batches) > 1:
            raise ValueError(f"expected one record batch, got {len(batches)}")
        buffers = _Buffers(content, batches[0])
        # all is looked at before anything is handed over
        return _frame(schema, [buffers.column(kind) for kind in schema.dtypes()])
    except _DAMAGED as error:
        raise InvalidInput(f"damaged file {path.name!r} of the archive: {error}") from None


def _frame(schema: pl.Schema, columns: list[ArrowColumn]) -> pl.DataFrame:
    found: list[pl.Series] = []
    try:
        for (name, kind), column in zip(schema.items(), columns, strict=True):
            values = pl.Series(column)
            if isinstance(kind, pl.Enum):
                values = kind.categories.cast(kind).gather(values)
            found.append(values.alias(name))
        return pl.DataFrame(found)
    except _DAMAGED:
        # while an error is on its way nobody may be told that they are let go of
        found.clear()
        raise


class _Table:
    """A table of FlatBuffers: its fields by number."""

    def __init__(self, content: memoryview, place: int) -> None:
        self._content, self._place = content, place
        self._fields = place - _number(content, place, "<i")
        self._size = _number(content, self._fields, "<H")

    @classmethod
    def root(cls, content: memoryview, place: int) -> "_Table":
        """Find the table that a buffer begins with."""
        return cls(content, place + _number(content, place, "<I"))

    def place(self, field: int) -> int:
        """Where a field stands, 0 where it is missing."""
        entry = 4 + 2 * field
        if entry >= self._size:
            return 0
        offset = _number(self._content, self._fields + entry, "<H")
        return self._place + offset if offset else 0

    def number(self, field: int, kind: str) -> int:
        """Value of a field, 0 where it is missing."""
        place = self.place(field)
        return _number(self._content, place, kind) if place else 0

    def table(self, field: int) -> "_Table":
        """Follow a field to another table."""
        place = self.place(field)
        return _Table.root(self._content, place)

    def values(self, field: int, kind: struct.Struct) -> list[tuple[int, ...]]:
        """Values of a vector, none where it is missing."""
        place = self.place(field)
        if not place:
            return []
        place += _number(self._content, place, "<I")
        count = _number(self._content, place, "<I")
        vector = self._content[place + 4 : place + 4 + count * kind.size]
        if len(vector) != count * kind.size:
            raise ValueError(f"expected {count} values, got the end of the file")
        return list(kind.iter_unpack(vector))


def _number(content: memoryview, place: int, kind: str) -> int:
    found: int = struct.unpack_from(kind, content, place)[0]
    return found


def _batches(content: U8) -> Iterator[tuple[int, int, int]]:
    """Where record batches begin, and bytes of their head and of their buffers."""
    tail = content[-10:].tobytes()
    if tail[4:] != _MAGIC:
        raise ValueError(f"expected the end of an Arrow file, got {tail[4:]!r}")
    footer = _Table.root(content.data, len(content) - 10 - int.from_bytes(tail[:4], "little"))
    for begin, head, size in footer.values(3, _BLOCK):
        if min(begin, head - 8, size) < 0 or begin + head + size > len(content):
            raise ValueError(f"expected a record batch in the file, got one at {begin:,}")
        yield begin, head, size


class _Buffers:
    """Buffers of a record batch, to be taken column by column."""

    def __init__(self, content: U8, place: tuple[int, int, int]) -> None:
        begin, head, size = place
        message = _Table.root(content.data, begin + 8)
        if message.number(1, "<B") != _RECORD_BATCH:
            raise ValueError("expected a record batch, got another message")
        batch = message.table(2)
        if batch.place(3):
            raise ValueError("expected buffers as they are, got compressed ones")
        self._body = content[begin + head : begin + head + size]
        self._nodes = iter(batch.values(1, _PAIR))
        self._buffers = iter(batch.values(2, _PAIR))
        self._counts = iter(batch.values(4, struct.Struct("<q")))

    def column(self, kind: Any) -> ArrowColumn:
        """Take the next column, whose type is known; of an enumeration its codes."""
        length, nulls = _next(self._nodes)
        if not 0 <= nulls <= length:
            raise ValueError(f"expected at most {length} rows without a value, got {nulls}")
        valid = self._buffer()
        if nulls:
            _expect(valid, _bit_bytes(length))
        buffers: list[NDArray[Any] | None] = [valid if nulls else None]
        if isinstance(kind, pl.List):
            offsets = _expect(self._buffer(), 8 * (length + 1))[: 8 * (length + 1)].view(np.int64)
            elements = self.column(kind.inner)
            if offsets[0] < 0 or offsets[-1] > len(elements):
                raise ValueError(f"expected lists of {len(elements)} elements, got {offsets[-1]}")
            return ArrowColumn(b"+L", length, [*buffers, offsets], [elements], nulls)
        values = self._buffer()
        if kind in _TEXTS:
            _expect(values, _VIEW_BYTES * length)
            (count,) = _next(self._counts)
            further = [self._buffer() for _ in range(count)]
            sizes = np.array([len(one) for one in further], np.int64)
            return ArrowColumn(
                _TEXTS[type(kind)], length, [*buffers, values, *further, sizes], nulls=nulls
            )
        if kind == pl.Boolean:
            values = _expect(values, _bit_bytes(length))
            return ArrowColumn(b"b", length, [*buffers, values], nulls=nulls)
        if isinstance(kind, pl.Enum):
            kind = _CODES.get(len(values) // max(1, length), pl.UInt32)()
        if type(kind) not in _NUMBERS:
            raise ValueError(f"expected columns of an archive, got one of {kind}")
        format, number = _NUMBERS[type(kind)]
        _expect(values, np.dtype(number).itemsize * length)
        return ArrowColumn(format, length, [*buffers, values], nulls=nulls)

    def _buffer(self) -> U8:
        begin, size = _next(self._buffers)
        if min(begin, size) < 0 or begin + size > len(self._body):
            raise ValueError(f"expected a buffer in the file, got {size:,} bytes at {begin:,}")
        return self._body[begin : begin + size]


def _next(values: Iterator[tuple[int, ...]]) -> tuple[int, ...]:
    found = next(values, None)
    if found is None:
        raise ValueError("expected a buffer for each column, got fewer")
    return found


def _expect(buffer: U8, size: int) -> U8:
    if len(buffer) < size:
        raise ValueError(f"expected {size:,} bytes of a column, got {len(buffer):,}")
    return buffer


def _bit_bytes(bits: int) -> int:
    return (bits + 7) // 8
