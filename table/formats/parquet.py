"""Rows as Parquet, a row a row, in the columns of :data:`ROW_SCHEMA`.

``prior``, ``criteria`` and ``tags`` are lists of texts, ``prior`` may also be one text (``1N-P``);
only ``prior`` and ``call`` must be there.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

import polars as pl
from polars.io.plugins import register_io_source

from bidcascade.bridge import InvalidTable
from bidcascade.loaders.parquet.parquet_child import DAMAGED, named_in_utf8, reason_of
from bidcascade.table.row import KEYS, Row, row_of, values_of

ROW_SCHEMA: Final = pl.Schema(
    {
        "index": pl.UInt32(),
        "prior": pl.List(pl.String()),
        "call": pl.String(),
        "name": pl.String(),
        "description": pl.String(),
        "criteria": pl.List(pl.String()),
        "rank": pl.Int32(),
        "tags": pl.List(pl.String()),
        "where": pl.String(),
        "count": pl.UInt32(),
        "source": pl.String(),
    }
)
"""Columns of a Parquet file of rows."""

_BATCH: Final = 1 << 16


def decoded_rows(path: Path, first: int, count: int) -> Iterator[Row]:
    """Rows of a Parquet file from ``first`` (0-based) on, decoded in this process.

    For a file that another process could decode, whose columns are those of rows.

    Raises
    ------
    InvalidTable
        If a row is none, or the file has changed meanwhile.
    """
    number = first
    try:
        with named_in_utf8(str(path)) as named:
            frames = pl.scan_parquet(named, glob=False).slice(first, count)
            for batch in frames.collect_batches(chunk_size=_BATCH, maintain_order=True):
                for values in batch.iter_rows(named=True):
                    number += 1
                    yield row_of(values, f"{path.name}, row {number}")
    except DAMAGED as error:
        raise damaged(path, reason_of(error)) from None


def write_parquet_rows(rows: Iterable[Row], path: Path) -> None:
    """Write rows as Parquet in batches."""
    source = iter(rows)

    def frames() -> Iterator[pl.DataFrame]:
        while batch := list(islice(source, _BATCH)):
            yield pl.DataFrame(list(map(values_of, batch)), schema=ROW_SCHEMA, orient="row")

    write_frames(frames(), ROW_SCHEMA, path)


def write_frames(
    frames: Iterator[pl.DataFrame], schema: pl.Schema, path: Path, **options: Any
) -> None:
    """Write frames as one Parquet file, as they come.

    Parameters
    ----------
    frames : iterator of polars.DataFrame
    schema : polars.Schema
        Of each.
    path : path
    **options
        Of :meth:`polars.LazyFrame.sink_parquet`.

    Examples
    --------
    >>> parts = (pl.DataFrame({"call": [call]}) for call in ("P", "1N"))
    >>> write_frames(parts, pl.Schema({"call": pl.String()}), Path("calls.parquet"))
    >>> pl.read_parquet("calls.parquet")["call"].to_list()
    ['P', '1N']
    """

    def batches(
        with_columns: list[str] | None,
        predicate: pl.Expr | None,
        n_rows: int | None,
        batch_size: int | None,
    ) -> Iterator[pl.DataFrame]:
        # nothing is asked of the rows but to be written: no columns, filter or limit to push down
        yield from frames

    register_io_source(batches, schema=schema).sink_parquet(path, **options)


def check_columns(path: Path, names: Sequence[str]) -> None:
    """Check that a file's columns are those of rows.

    Raises
    ------
    InvalidTable
        If not.
    """
    strangers = [name for name in names if name not in KEYS]
    if strangers or not {"prior", "call"} <= set(names):
        raise InvalidTable(
            f"{path.name}: expected columns of {', '.join(KEYS)}, with prior and call, "
            f"got {', '.join(names)}"
        )


def damaged(path: Path, reason: str) -> InvalidTable:
    """Error for a file that cannot be read."""
    return InvalidTable(f"{path.name}: cannot be read as Parquet: {reason}")
