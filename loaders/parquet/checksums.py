"""Checksums of the rows of a deal frame, kept in the metadata of its Parquet file.

Parquet has checksums of pages, which polars neither writes nor looks at: a damaged file may well be
read as boards that nobody dealt. Here the values are summed up, block by block and column by
column, so that it can be said what is not as it was written.
"""

import json
import zlib
from typing import Final

import polars as pl

from bidcascade.bridge import InvalidInput
from bidcascade.loaders.frames.frame import DEAL_SCHEMA, with_deal_schema

BLOCK_ROWS: Final = 50_000
_KEY: Final = "bidcascade rows"


class RowChecksums:
    """Sums up the frames of a file, in the order they are written in."""

    def __init__(self) -> None:
        self._rows = 0
        self._held: list[pl.DataFrame] = []
        self._columns: dict[str, list[int]] = {}

    def add(self, frame: pl.DataFrame) -> None:
        """Sum up the next rows; columns that no deal frame has are left out."""
        self._rows += frame.height
        known = [column for column in DEAL_SCHEMA if column in frame.columns]
        self._held.append(with_deal_schema(frame).select(known))
        if sum(part.height for part in self._held) >= BLOCK_ROWS:
            whole = pl.concat(self._held)
            for first in range(0, whole.height - BLOCK_ROWS + 1, BLOCK_ROWS):
                self._sum_up(whole.slice(first, BLOCK_ROWS))
            self._held = [whole.slice(whole.height - whole.height % BLOCK_ROWS)]

    def metadata(self) -> dict[str, str]:
        """Return what to write into the file."""
        if self._held and (rest := pl.concat(self._held)).height:
            self._sum_up(rest)
            self._held = []
        return {_KEY: json.dumps({"rows": self._rows, "columns": self._columns})}

    def _sum_up(self, block: pl.DataFrame) -> None:
        for column in block:
            self._columns.setdefault(column.name, []).append(checksum(column))


def checksum(column: pl.Series, before: int = 0) -> int:
    """Sum up the values of a column, whatever its layout in memory.

    Examples
    --------
    >>> checksum(pl.Series([[1, 2], [3]])) == checksum(pl.Series([[1], [2, 3]]))
    False
    """
    found = zlib.crc32(column.is_null().to_numpy().tobytes(), before)
    column = column.drop_nulls()
    if isinstance(column.dtype, pl.List):
        lengths = column.list.len()
        found = zlib.crc32(lengths.to_numpy().tobytes(), found)
        return checksum(column.filter(lengths > 0).explode(), found)
    if isinstance(column.dtype, pl.Enum | pl.String):
        column = column.cast(pl.String)
        found = zlib.crc32(column.str.len_bytes().to_numpy().tobytes(), found)
        # by a list: older polars fail to join a column that is one text over and over
        return zlib.crc32((column.implode().list.join("").item() or "").encode(), found)
    return zlib.crc32(column.to_numpy().tobytes(), found)


def check_rows(
    frame: pl.DataFrame, metadata: dict[str, str], name: str, *, first: int, rows: int
) -> None:
    """Check rows of a file against its checksums, if it has any: blocks that are there as a whole.

    Parameters
    ----------
    frame : polars.DataFrame
        Deal frame, from row ``first`` of the file on.
    metadata : dict of str to str
        That of the file. Programs that write other rows do not keep it.
    name : str
        What messages call the file.
    first, rows : int
        Number (0-based) of the first row, and of all that the file has.

    Raises
    ------
    InvalidInput
        If a column is not as it was written; names it and the rows.
    """
    if _KEY not in metadata:
        return
    try:
        written = json.loads(metadata[_KEY])
        columns = {
            str(column): [int(one) for one in sums] for column, sums in written["columns"].items()
        }
        count = int(written["rows"])
    except (ValueError, TypeError, KeyError, AttributeError):
        raise InvalidInput(f"{name} is damaged: its checksums cannot be read") from None
    if count != rows:
        raise InvalidInput(f"{name} is damaged: expected {count:,} rows, got {rows:,}")
    for block in range(-(-first // BLOCK_ROWS), -(-rows // BLOCK_ROWS)):
        start, end = block * BLOCK_ROWS, min((block + 1) * BLOCK_ROWS, rows)
        if end > first + frame.height:
            return
        for column, sums in columns.items():
            if block >= len(sums) or column not in DEAL_SCHEMA:
                raise InvalidInput(f"{name} is damaged: its checksums do not fit its rows")
            if checksum(frame[column].slice(start - first, end - start)) != sums[block]:
                raise InvalidInput(
                    f"{name} is damaged: column {column!r} of rows {start + 1:,} to {end:,} "
                    "is not as it was written"
                )
