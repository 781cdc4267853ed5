"""Rows of a Parquet file as columns: calls as codes, each different text and list once.

A damaged file can end the process that decodes it, in polars' own code. So another one decodes it
(:mod:`.parquet_child`), and sends codes, which are a tenth of the texts. What is not as the columns
of :data:`.parquet.ROW_SCHEMA` have it, and all where there is no core, is decoded again here, row
by row, which also tells what is wrong and where.
"""

import json
import subprocess
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from bidcascade.kernels.child_processes import start_module
from bidcascade.kernels.core.functions import has_core
from bidcascade.table.row import Row
from bidcascade.table.row_columns import RowColumns

from .parquet import check_columns, damaged, decoded_rows
from .parquet_child import heard

_MODULE: Final = "bidcascade.table.formats.parquet_child"


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
    first = 0
    with _decoder(path, in_columns=in_columns) as decoder:
        while True:
            message, rows = _next_of(decoder, path)
            if "names" in message:
                check_columns(path, message["names"])
            elif rows is not None:
                yield rows
            elif message["rows"]:
                yield decoded_rows(path, first, message["rows"])
            else:
                return
            first += message.get("rows", 0)


@contextmanager
def _decoder(path: Path, *, in_columns: bool) -> "Iterator[subprocess.Popen[bytes]]":
    # a panic is told there in many lines
    process = start_module(_MODULE, stderr=subprocess.DEVNULL)
    try:
        assert process.stdin is not None
        asked = {"path": str(path.absolute()), "in_columns": in_columns}
        with suppress(BrokenPipeError):
            process.stdin.write(json.dumps(asked).encode() + b"\n")
            process.stdin.flush()
        yield process
    finally:
        # nobody needs what it still decodes
        process.kill()
        process.communicate()


def _next_of(
    decoder: "subprocess.Popen[bytes]", path: Path
) -> tuple[dict[str, Any], RowColumns | None]:
    assert decoder.stdout is not None
    found = heard(decoder.stdout)
    if found is None:
        code = decoder.wait()
        ended = f"signal {-code}" if code < 0 else f"status {code}"
        raise damaged(path, f"the process that decoded it ended with {ended}")
    if "damaged" in found[0]:
        raise damaged(path, found[0]["damaged"])
    return found
