"""Rows of a Parquet file as columns: calls as codes, each different text and list once.

A damaged file can end the process that decodes it, in polars' own code. So another one decodes it
(:mod:`.parquet_child`), and sends codes, which are a tenth of the texts. What is not as the columns
of :data:`.parquet.ROW_SCHEMA` have it, and all where there is no core, is decoded again here, row
by row, which also tells what is wrong and where.
"""

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, Final

from bidcascade.kernels.core.functions import has_core
from bidcascade.loaders.parquet.parquet_decoder import Decoder, Decoders
from bidcascade.table.row import Row
from bidcascade.table.row_columns import RowColumns

from .parquet import check_columns, damaged, decoded_rows
from .parquet_child import read_message

_FEW: Final = 100_000
"""Rows of a small file."""


def read_parquet_rows(path: Path) -> Iterator[Row]:
    """Rows of a Parquet file, read in batches.

    Raises
    ------
    InvalidTable
        If the file is damaged, or its columns are not those of rows.
    """
    for rows in _batches(path, in_columns=False):
        assert not isinstance(rows, RowColumns)
        yield from rows


def read_parquet_columns(path: Path) -> Generator[RowColumns | Iterator[Row]]:
    """Rows of a Parquet file in batches, in their order; single rows to be taken before the next.

    Raises
    ------
    InvalidTable
        If the file is damaged, or its columns are not those of rows.

    Examples
    --------
    >>> from bidcascade.table.formats.parquet import write_parquet_rows
    >>> from bidcascade.table.row import Row
    >>> write_parquet_rows([Row((7,), 0)], Path("rows.parquet"))
    >>> [batch.auctions.tolist() for batch in read_parquet_columns(Path("rows.parquet"))]
    [[7, 0]]
    """
    yield from _batches(path, in_columns=has_core())


def _batches(path: Path, *, in_columns: bool) -> Generator[RowColumns | Iterator[Row]]:
    asked = {"path": str(path.absolute()), "in_columns": in_columns}
    first = 0
    with _decoders.one() as decoder:
        decoder.ask(asked)
        while True:
            message, rows = _message(decoder, path)
            if "damaged" in message:
                decoder.is_free = True
                raise damaged(path, message["damaged"])
            if "names" in message:
                check_columns(path, message["names"])
            elif rows is not None:
                yield rows
            elif message["rows"]:
                yield decoded_rows(path, first, message["rows"])
            else:
                # one that has read a large file holds memory, and ends
                decoder.is_free = first <= _FEW
                return
            first += message.get("rows", 0)


def _message(decoder: Decoder, path: Path) -> tuple[dict[str, Any], RowColumns | None]:
    found = read_message(decoder.incoming)
    if found is None:
        raise damaged(path, decoder.why_ended())
    return found


_decoders: Final = Decoders("bidcascade.table.formats.parquet_child")
