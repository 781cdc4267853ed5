"""The arrays a bidding table is made of: their names, types and lengths, and pools of texts.

Three groups: one value an entry, one value a further variant of an entry (rare), and the interned
things that entries point at by number (expressions, criteria lists, variant sets, texts, tag sets).
Lists of lists are kept as offsets and values: list ``i`` is ``values[offsets[i]:offsets[i + 1]]``.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

COMPLETED = 1
"""Flag: the auction that ends with this call is complete."""
CAN_COMPLETE = 2
"""Flag: this entry or one below it is completed."""
INSERTED = 4
"""Flag: no row of the source; inserted because a row names it in its prior auction."""

NONE_U32 = 0xFFFFFFFF
"""Stands for "no index" and for "no parent" in columns of unsigned 32-bit numbers."""
NO_RANK = np.iinfo(np.int32).max
"""Stands for "no rank"; sorts behind every rank."""

UndescribedPolicy: TypeAlias = Literal["allow", "pass", "reject"]
ProfileName: TypeAlias = Literal["gib", "mlbridge"]

Column: TypeAlias = NDArray[Any]
Columns: TypeAlias = dict[str, Column]

ENTRY_COLUMNS: dict[str, type[np.generic]] = {
    "call": np.uint8,
    "flags": np.uint8,
    "child_count": np.uint16,
    "first_child": np.uint32,
    "variant_set": np.uint32,
    "description": np.uint32,
}
"""Columns every table has, one value an entry."""

LABEL_COLUMNS: dict[str, tuple[type[np.generic], int]] = {
    "index": (np.uint32, NONE_U32),
    "rank": (np.int32, int(NO_RANK)),
    "name": (np.uint32, 0),
    "tags": (np.uint32, 0),
    "where": (np.uint32, 0),
    # how often the call was made, and what kind of text says what it means
    "count": (np.uint32, NONE_U32),
    "source": (np.uint32, 0),
}
"""Columns a table has only if some row fills them, with the value that stands for "nothing"."""

OPTIONAL_VARIANT_COLUMNS = frozenset({"variant_count", "variant_source"})
"""Of the columns of variants those that a table has only if some variant fills them."""

VARIANT_COLUMNS: dict[str, type[np.generic]] = {
    "variant_entry": np.uint32,
    "variant_criteria": np.uint32,
    "variant_description": np.uint32,
    **{f"variant_{name}": kind for name, (kind, _) in LABEL_COLUMNS.items()},
}
"""One value for each variant of an entry after its first, ordered by entry."""

INTERNED_COLUMNS: dict[str, type[np.generic]] = {
    "expression_offsets": np.uint64,
    "expression_bytes": np.uint8,
    "criteria_offsets": np.uint64,
    "criteria_expressions": np.uint32,
    "set_offsets": np.uint64,
    "set_criteria": np.uint32,
    "text_offsets": np.uint64,
    "text_bytes": np.uint8,
    "tag_offsets": np.uint64,
    "tag_texts": np.uint32,
}

COLUMN_TYPES: dict[str, type[np.generic]] = {
    **ENTRY_COLUMNS,
    **{name: kind for name, (kind, _) in LABEL_COLUMNS.items()},
    **VARIANT_COLUMNS,
    **INTERNED_COLUMNS,
}
"""Type of every column, in the order in which the digest takes them."""

REQUIRED_COLUMNS = frozenset(COLUMN_TYPES) - frozenset(LABEL_COLUMNS) - OPTIONAL_VARIANT_COLUMNS


class TextPool(Sequence[str]):
    """Texts by number, kept as one run of UTF-8 bytes (possibly memory-mapped).

    Parameters
    ----------
    offsets : uint64[count + 1]
        Where each text begins in ``data``.
    data : uint8[bytes]
        All texts behind one another.
    """

    def __init__(self, offsets: Column, data: Column) -> None:
        self.offsets = offsets
        self.data = data

    @classmethod
    def of(cls, texts: Iterable[str]) -> "TextPool":
        """Pool of the texts in the order given."""
        encoded = [text.encode() for text in texts]
        offsets = offsets_of([len(text) for text in encoded])
        return cls(offsets, np.frombuffer(b"".join(encoded), dtype=np.uint8))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        position = int(number)
        if not 0 <= position < len(self):
            raise IndexError(f"expected a text number below {len(self)}, got {number!r}")
        begin, end = int(self.offsets[position]), int(self.offsets[position + 1])
        return self.data[begin:end].tobytes().decode()

    def __iter__(self) -> Iterator[str]:
        return (self[number] for number in range(len(self)))


def offsets_of(lengths: "Sequence[int] | Column", kind: type[np.integer] = np.uint64) -> Column:
    """Where lists of these lengths begin when they stand behind one another, and where they end."""
    offsets = np.zeros(len(lengths) + 1, dtype=kind)
    np.cumsum(np.asarray(lengths, dtype=kind), out=offsets[1:])
    return offsets


def joined_bytes(texts: Sequence[bytes]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Texts behind one another: where each begins and the last ends, and all their bytes."""
    return offsets_of([*map(len, texts)], np.int64), np.frombuffer(b"".join(texts), np.uint8)


def list_of_lists(lists: Sequence[Sequence[int]]) -> tuple[Column, NDArray[np.uint32]]:
    """Offsets and values of lists of numbers."""
    values = np.fromiter((value for one in lists for value in one), dtype=np.uint32)
    return offsets_of([len(one) for one in lists]), values


def list_at(offsets: Column, values: Column, number: int) -> list[int]:
    """One list of a list of lists."""
    begin, end = int(offsets[number]), int(offsets[number + 1])
    return [int(value) for value in values[begin:end]]


def digest_of(
    columns: Columns, profile: str, undescribed: UndescribedPolicy, user_terms: Mapping[str, str]
) -> str:
    """SHA-256 of what a table says, in hexadecimal."""
    head = [profile, undescribed, dict(user_terms)]
    digest = hashlib.sha256(json.dumps(head, sort_keys=True).encode())
    for name, kind in COLUMN_TYPES.items():
        if name in columns:
            column = columns[name].astype(np.dtype(kind).newbyteorder("<"), copy=False)
            digest.update(f"\n{name} {len(column)}\n".encode())
            digest.update(np.ascontiguousarray(column).data)
    return digest.hexdigest()
