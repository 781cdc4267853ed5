"""Rows as the text of a bidding system, one block an auction; loaded when asked for."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from bidcascade.table.row import Row


def read_bidding_rows(path: Path) -> Iterator[Row]:
    r"""Rows of a ``*.bidding`` file whose blocks are single auctions.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "rows.bidding"
    ...     _ = file.write_text("opening, 1st seat:\n  1NT = 15-17 points")
    ...     next(read_bidding_rows(file)).call
    7
    """
    # the language builds on tables, so it cannot be imported while they are being set up
    from bidcascade.table.system.plain_rows import read_text_rows

    return read_text_rows(path)


def write_bidding_rows(rows: Iterable[Row], path: Path) -> None:
    """Write rows as a ``*.bidding`` file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_bidding_rows([Row(b"", 7, "Strong")], Path(folder) / "rows.bidding")
    """
    from bidcascade.table.system.plain_rows import write_text_rows

    write_text_rows(rows, path)
