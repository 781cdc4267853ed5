"""Files of rows: which format a file has, and reading and writing in any of the five."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Final, Literal, TypeAlias

from bidcascade.bridge import InvalidTable
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.build import TableBuilder
from bidcascade.table.building.interning import UnknownPolicy
from bidcascade.table.columns import LABEL_COLUMNS, UndescribedPolicy
from bidcascade.table.formats.json_lines import read_json_rows, write_json_rows
from bidcascade.table.formats.parquet import write_parquet_rows
from bidcascade.table.formats.parquet_columns import read_parquet_columns, read_parquet_rows
from bidcascade.table.formats.published import (
    read_literal_rows,
    read_pickle_rows,
    write_literal_rows,
    write_pickle_rows,
)
from bidcascade.table.import_report import ImportReport
from bidcascade.table.row import Row
from bidcascade.table.row_columns import RowColumns

from .plain_rows import read_text_rows, write_text_rows

ROWS_IN_MEMORY: Final = 1 << 24
"""Rows that an import keeps in memory, unless told otherwise: they take a gigabyte."""

RowFormat: TypeAlias = Literal["jsonl", "python", "pickle", "parquet", "bidding"]
Reader: TypeAlias = Callable[[Path], Iterator[Row]]
Writer: TypeAlias = Callable[[Iterable[Row], Path], None]

FORMATS: Final[dict[RowFormat, tuple[Reader, Writer, tuple[str, ...]]]] = {
    "jsonl": (read_json_rows, write_json_rows, (".jsonl", ".ndjson", ".json")),
    "python": (read_literal_rows, write_literal_rows, (".py", ".txt")),
    "pickle": (read_pickle_rows, write_pickle_rows, (".pkl", ".pickle")),
    "parquet": (read_parquet_rows, write_parquet_rows, (".parquet", ".pq")),
    "bidding": (read_text_rows, write_text_rows, (".bidding",)),
}
"""Reader, writer and usual endings of each format."""


def sniff_format(path: Path) -> RowFormat:
    """Format of a file by its first bytes; a system's text by its ending.

    Raises
    ------
    InvalidTable
        If the file is empty, is no file, or begins like none of the formats.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "rows.txt"
    ...     _ = file.write_text('{"prior": [], "call": "P"}')
    ...     sniff_format(file)
    'jsonl'
    """
    if not path.is_file():
        raise InvalidTable(f"expected a file of rows, got {str(path)!r}, which is no file")
    if path.suffix.lower() == ".bidding":
        return "bidding"
    with path.open("rb") as file:
        head = file.read(4096)
    if head.startswith(b"PAR1"):
        return "parquet"
    # a pickle begins with its protocol, one of the two oldest protocols with a list or a mark
    if head[:1] in (b"\x80", b"]") or head[:2] in (b"(l", b"(d", b"(t"):
        return "pickle"
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start:
        raise InvalidTable(f"expected a file of rows, got {path.name!r}, which is empty")
    if start[:1] in (b"{", b"["):
        return "jsonl"
    if start[:1] in (b"#", b"'", b'"') or start[:1].isalpha() or start[:1] == b"_":
        return "python"
    raise InvalidTable(
        f"expected JSON Lines, a Python literal, a pickle or Parquet in {path.name!r}, "
        f"got {head[:16]!r}"
    )


def format_by_name(path: Path) -> RowFormat:
    """Format that a file's ending asks for."""
    for name, (_, _, endings) in FORMATS.items():
        if path.suffix.lower() in endings:
            return name
    known = ", ".join(ending for _, _, endings in FORMATS.values() for ending in endings)
    raise InvalidTable(f"expected a file name ending in {known}, got {path.name!r}")


def read_rows(path: "Path | str", format: RowFormat | None = None) -> Iterator[Row]:
    """Rows of a file, one at a time; the format is sniffed where none is given.

    Raises
    ------
    InvalidTable
        If the file is no file of rows; the message names the row or line.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "rows.py"
    ...     _ = file.write_text("rows = [(0, (), ('1N',), 'Strong', ['HCP >= 15'])]")
    ...     next(read_rows(file)).description
    'Strong'
    """
    path = Path(path)
    reader, _, _ = FORMATS[format or sniff_format(path)]
    return reader(path)


def import_table(
    path: "Path | str",
    *,
    format: RowFormat | None = None,
    profile: str = "gib",
    undescribed: UndescribedPolicy = "pass",
    user_terms: dict[str, str] | None = None,
    unknown: UnknownPolicy = "error",
    source: str = "",
    rows_in_memory: int = ROWS_IN_MEMORY,
    folder: Path | None = None,
) -> tuple[BiddingTable, ImportReport]:
    """Make a bidding table of a file of rows; the options are those of :class:`TableBuilder`.

    More rows than ``rows_in_memory`` are sorted on the disk, in a folder of ``folder``.

    Raises
    ------
    InvalidTable, InvalidExpression, UnknownTerm
        If the file is no file of rows, an expression does not parse, or a term is unknown.

    Examples
    --------
    >>> import tempfile
    >>> from bidcascade.table import build_table
    >>> table, _ = build_table([{"prior": [], "call": "1N", "criteria": ["15 <= HCP <= 17"]}])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = export_table(table, Path(folder) / "notrump.jsonl")
    ...     again, report = import_table(Path(folder) / "notrump.jsonl")
    >>> again.digest == table.digest
    True
    """
    path = Path(path)
    with TableBuilder(
        profile=profile,
        undescribed=undescribed,
        user_terms=user_terms,
        unknown=unknown,
        source=source or path.name,
        rows_in_memory=rows_in_memory,
        folder=folder,
    ) as builder:
        if (format or sniff_format(path)) == "parquet":
            # the process that decodes ends here, whatever is wrong with a row
            with closing(read_parquet_columns(path)) as batches:
                for rows in batches:
                    if isinstance(rows, RowColumns):
                        builder.add_columns(rows)
                    else:
                        builder.add(rows)
        else:
            builder.add(read_rows(path, format))
        return builder.finish()


def export_table(
    table: BiddingTable, path: "Path | str", *, format: RowFormat | None = None
) -> int:
    """Write a table's rows to a file, which appears whole or not at all; tell how many they are.

    Inserted parents are not written; an import makes them again. The two tuple formats have no
    place for names, ranks, tags, origins, counts and sources: a table that has them is refused, not
    shortened. Extras are no rows and stay behind.

    Raises
    ------
    InvalidTable
        If the file cannot be written, or the format cannot hold the table.

    Examples
    --------
    >>> import tempfile
    >>> from bidcascade.table import build_table
    >>> table, _ = build_table([{"prior": [], "call": "1N", "criteria": ["15 <= HCP <= 17"]}])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = export_table(table, Path(folder) / "notrump.jsonl")
    ...     next(read_rows(Path(folder) / "notrump.jsonl")).criteria
    ('15 <= HCP <= 17',)
    """
    path = Path(path)
    name = format or format_by_name(path)
    if name in ("python", "pickle"):
        _check_fits_tuples(table, name)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        numbers = count(0)
        # behind the last row no number is drawn
        FORMATS[name][1]((row for row, _ in zip(table.rows(), numbers, strict=False)), partial)
        partial.replace(path)
        return next(numbers)
    except OSError as error:
        raise InvalidTable(f"could not write {str(path)!r}: {error.strerror or error}") from None
    finally:
        partial.unlink(missing_ok=True)


def _check_fits_tuples(table: BiddingTable, format: RowFormat) -> None:
    columns = table.columns
    lost = [
        name
        for name in ("name", "tags", "where", "rank", "count", "source")
        if any(
            column in columns and (columns[column] != LABEL_COLUMNS[name][1]).any()
            for column in (name, f"variant_{name}")
        )
    ]
    if lost:
        raise InvalidTable(
            f"expected a table without {', '.join(lost)} for the format {format!r}, which has no "
            f"place for them; jsonl and parquet have"
        )
