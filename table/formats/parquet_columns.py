"""Rows of a Parquet file as columns: calls as codes, each different text and list once.

What is not as the columns of :data:`.parquet.ROW_SCHEMA` have it goes the slower way of single
rows, which also tells what is wrong and where; all goes it where there is no core.
"""

from collections.abc import Generator
from contextlib import suppress
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bidcascade.bridge import InvalidCall, parse_call
from bidcascade.kernels.ahead import ahead
from bidcascade.kernels.core.functions import has_core, number_lists
from bidcascade.kernels.types import U8, U32
from bidcascade.table.columns import offsets_of
from bidcascade.table.row import (
    KEYS,
    LARGEST_COUNT,
    LARGEST_INDEX,
    LARGEST_RANK,
    LONGEST_AUCTION,
    Row,
    row_of,
)  # fmt: skip
from bidcascade.table.row_columns import Different, RowColumns

from .parquet import check_columns, damaged

I64 = NDArray[np.int64]

_ROWS: Final = 1 << 20
"""Most rows that are made columns of at a time, where they are not grouped otherwise."""
_LARGEST_GROUP: Final = 1 << 22
_DAMAGED: Final = (pa.ArrowException, OSError, UnicodeDecodeError)
_LARGEST: Final = {"index": LARGEST_INDEX, "rank": LARGEST_RANK, "count": LARGEST_COUNT}
_NO_CALL: Final = 255


class _Uncommon(Exception):
    """Something that only single rows can say."""


def read_parquet_columns(path: Path) -> Generator["RowColumns | list[Row]"]:
    """Rows of a Parquet file in batches, in their order.

    Raises
    ------
    InvalidTable
        If the file is damaged, or its columns are not those of rows.
    """
    try:
        with pq.ParquetFile(path) as file:
            metadata, names = file.metadata, file.schema_arrow.names
    except _DAMAGED as error:
        raise damaged(path, error) from None
    check_columns(path, names)
    sizes = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
    texts = [
        metadata.schema.column(place).path
        for place in range(len(metadata.schema))
        if metadata.schema.column(place).physical_type == "BYTE_ARRAY"
    ]

    def opened() -> pq.ParquetFile:
        return pq.ParquetFile(path, metadata=metadata, read_dictionary=texts)

    def group(place: tuple[int, int]) -> "RowColumns | list[Row]":
        number, first = place
        with opened() as file:
            return _batch(file.read_row_group(number, use_threads=False), first, path.name)

    try:
        if max(sizes, default=0) > _LARGEST_GROUP:
            first = 0
            with opened() as file:
                for batch in file.iter_batches(_ROWS):
                    yield _batch(pa.Table.from_batches([batch]), first, path.name)
                    first += len(batch)
            return
        # the last sum is of all groups
        yield from ahead(group, enumerate([*accumulate(sizes, initial=0)][:-1]))
    except _DAMAGED as error:
        raise damaged(path, error) from None


def _batch(table: pa.Table, first: int, name: str) -> "RowColumns | list[Row]":
    # bytes of a damaged file may be numbers that lead nowhere
    table.validate(full=True)
    if has_core():
        with suppress(_Uncommon):
            return _columns(table)
    return [
        row_of(written, f"{name}, row {first + number}")
        for number, written in enumerate(table.to_pylist(), 1)
    ]


def _columns(table: pa.Table) -> RowColumns:
    columns = {
        name: table.column(name).combine_chunks() for name in KEYS if name in table.column_names
    }
    if columns["prior"].null_count or columns["call"].null_count:
        raise _Uncommon
    lengths, prior = _elements(columns.pop("prior"))
    calls = _calls(columns.pop("call"))
    if int(lengths.max(initial=0)) >= LONGEST_AUCTION:
        raise _Uncommon
    # each row's call stands behind its prior auction
    ends = np.cumsum(lengths + 1) - 1
    is_prior = np.ones(len(prior) + len(calls), np.bool_)
    is_prior[ends] = False
    auctions = np.empty(len(is_prior), np.uint8)
    auctions[ends], auctions[is_prior] = calls, _calls(prior)
    texts, lists, numbers = {}, {}, {}
    for key, column in columns.items():
        if pa.types.is_null(column.type):
            continue
        if key in _LARGEST:
            numbers[key] = _numbers(column, _LARGEST[key])
        elif key in ("criteria", "tags"):
            lists[key] = _different_lists(column)
        else:
            codes, known = _coded(column)
            texts[key] = Different(codes, known)
    return RowColumns(auctions, (lengths + 1).astype(np.uint16), texts, lists, numbers)


def _coded(column: pa.Array) -> tuple[U32, list[Any]]:
    """Give the number of each text and the texts; no text is the empty one."""
    kind = column.type
    if not pa.types.is_dictionary(kind):
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            if kind != pa.string_view():
                raise _Uncommon
            column = column.cast(pa.string())
        column = column.dictionary_encode()
    elif not (pa.types.is_string(kind.value_type) or pa.types.is_large_string(kind.value_type)):
        raise _Uncommon
    texts = column.dictionary.to_pylist()
    codes = column.indices
    if codes.null_count:
        codes = pc.fill_null(codes.cast(pa.int64()), len(texts))
        texts.append("")
    numbers: U32 = codes.to_numpy(zero_copy_only=False).astype(np.uint32)
    return numbers, texts


def _elements(column: pa.Array) -> tuple[I64, pa.Array]:
    """Lengths of lists, and all elements."""
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        raise _Uncommon
    lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
    elements = column.flatten()
    if elements.null_count:
        raise _Uncommon
    return lengths.astype(np.int64), elements


def _calls(column: pa.Array) -> U8:
    numbers, texts = _coded(column)
    codes = np.full(len(texts) + 1, _NO_CALL, np.uint8)
    for place, text in enumerate(texts):
        try:
            codes[place] = parse_call(text)
        except InvalidCall:
            continue
    calls = codes[numbers]
    if (calls == _NO_CALL).any():
        raise _Uncommon
    return calls


def _numbers(column: pa.Array, largest: int) -> "tuple[U32, U32]":
    """Rows that have a number, and the numbers."""
    if not pa.types.is_integer(column.type):
        raise _Uncommon
    rows = np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
    values = column.drop_null().to_numpy(zero_copy_only=False)
    if len(values) and not (values.min() >= 0 and values.max() <= largest):
        raise _Uncommon
    return rows.astype(np.uint32), values.astype(np.uint32)


def _different_lists(column: pa.Array) -> Different:
    lengths, elements = _elements(column)
    codes, texts = _coded(elements)
    offsets = offsets_of(lengths, np.int64)
    numbers, firsts = number_lists(offsets, codes)
    return Different(
        numbers,
        [
            tuple(texts[code] for code in codes[offsets[row] : offsets[row + 1]].tolist())
            for row in firsts.tolist()
        ],
    )
