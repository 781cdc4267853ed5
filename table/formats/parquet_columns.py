"""Rows of a Parquet file as columns: calls as codes, each different text and list once.

A damaged file can end the process that decodes it, in polars' own code. So another one decodes it
(:mod:`.parquet_child`), and sends codes, which are a tenth of the texts. What is not as the columns
of :data:`.parquet.ROW_SCHEMA` have it, and all where there is no core, is decoded again here, row
by row, which also tells what is wrong and where.
"""

import atexit
import json
import subprocess
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from bidcascade.kernels.child_processes import start_module
from bidcascade.kernels.core.functions import has_core
from bidcascade.kernels.forks import forget_in_child
from bidcascade.table.row import Row
from bidcascade.table.row_columns import RowColumns

from .parquet import check_columns, damaged, decoded_rows
from .parquet_child import read_message

if TYPE_CHECKING:
    from io import BufferedReader

_MODULE: Final = "bidcascade.table.formats.parquet_child"
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
            message, rows = decoder.next_of(path)
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
                decoder.is_free = first <= _FEW
                return
            first += message.get("rows", 0)


class _Decoder:
    """A process, asked for one file at a time."""

    def __init__(self) -> None:
        # a panic is told there in many lines
        self.process = start_module(_MODULE, stderr=subprocess.DEVNULL)
        self.is_free = False
        """Whether it has said all, and may be asked again."""

    def ask(self, message: dict[str, Any]) -> None:
        """Ask for a file."""
        self.is_free = False
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()

    def next_of(self, path: Path) -> tuple[dict[str, Any], RowColumns | None]:
        """Next message about a file."""
        assert self.process.stdout is not None
        found = read_message(cast("BufferedReader", self.process.stdout))
        if found is None:
            code = self.process.wait()
            ended = f"signal {-code}" if code < 0 else f"status {code}"
            raise damaged(path, f"the process that decoded it ended with {ended}")
        return found

    def end(self) -> None:
        """End the process; nobody needs what it still decodes."""
        self.process.kill()
        self.process.communicate()


class _Decoders:
    """One process is kept for the next file, as to start it takes longer than to read a small one.

    One that has read a large file holds memory, and ends.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: _Decoder | None = None

    @contextmanager
    def one(self) -> Iterator[_Decoder]:
        """Yield a process that nobody else asks."""
        with self._lock:
            decoder, self._kept = self._kept, None
        if decoder is not None and decoder.process.poll() is not None:
            decoder.end()
            decoder = None
        decoder = decoder or _Decoder()
        try:
            yield decoder
        finally:
            with self._lock:
                if decoder.is_free and self._kept is None:
                    self._kept, decoder = decoder, None
            if decoder is not None:
                decoder.end()

    def end(self) -> None:
        """End the process that is kept."""
        with self._lock:
            kept, self._kept = self._kept, None
        if kept is not None:
            kept.end()

    def forget(self) -> None:
        """Leave the process to the one that was forked."""
        self._lock = threading.Lock()
        self._kept = None


_decoders: Final = _Decoders()
atexit.register(_decoders.end)
forget_in_child(_decoders.forget)
