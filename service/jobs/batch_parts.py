"""Parts of a batch answered: in this process, or wherever an :class:`Answerer` sends them.

The job cuts the boards into parts and makes answered ones count, in order. Who answers them is told
by an answerer; ``device_pool`` has the one with a process for each device, ``scale_out`` the one
with a cluster.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, NamedTuple, Protocol, TypeAlias

import numpy as np
import polars as pl

from bidcascade.kernels.types import U64
from bidcascade.loaders import REQUIRED_COLUMNS
from bidcascade.service.engine import Engine

from .whole_files import write_parquet

FILE_ROWS: Final = 4_000_000
"""Rows after which a part of mode ``all`` begins another file; bounds memory."""
ORIGIN_COLUMNS: Final = ("source", "record", "board")
PART_COLUMNS: Final = (*REQUIRED_COLUMNS, *ORIGIN_COLUMNS)
"""Columns of a deal frame that answering needs."""


class Asked(NamedTuple):
    """What is asked of one part.

    Parameters
    ----------
    number : int
        Number of the part.
    offset : int
        Number of its first deal through all inputs.
    mode : {"all", "first", "counts"}
    completed_only : bool
    file_rows : int
        Rows after which mode ``all`` begins another file.
    """

    number: int
    offset: int
    mode: str
    completed_only: bool
    file_rows: int = FILE_ROWS


class Answered(NamedTuple):
    """What answering a part left: rows, and files (with their bytes) in a folder."""

    rows: int
    files: dict[str, int]
    folder: Path


class Answerer(Protocol):
    """Answers parts; see :class:`OwnAnswerer`."""

    @property
    def backend(self) -> str:
        """Name of the backend that answers."""
        ...

    @property
    def ahead(self) -> int:
        """Parts that are worked on at once."""
        ...

    def answer(self, boards: pl.DataFrame, asked: Asked) -> "Future[Answered]":
        """Begin to answer a part; waits where too many are begun."""
        ...

    def count(self, boards: pl.DataFrame, total: U64) -> "Future[None]":
        """Begin to count who reaches each entry; ``total`` is right after :meth:`gather`."""
        ...

    def gather(self, total: U64) -> None:
        """Add to ``total`` what was counted elsewhere; nothing may be begun and not ended."""
        ...


Elsewhere: TypeAlias = Callable[[Engine, Path], AbstractContextManager[Answerer]]
"""Starts an answerer for a table and a batch's folder; its work has ended when the block ends."""


class OwnAnswerer:
    """Answers parts one after the other in this process, straight into the batch's folder."""

    ahead = 1

    def __init__(self, engine: Engine, folder: Path) -> None:
        self.backend = engine.backend
        self._engine = engine
        self._folder = folder

    def answer(self, boards: pl.DataFrame, asked: Asked) -> "Future[Answered]":
        """Answer a part; the future is done."""
        done: Future[Answered] = Future()
        done.set_result(answer_part(self._engine, boards, asked, self._folder))
        return done

    def count(self, boards: pl.DataFrame, total: U64) -> "Future[None]":
        """Add a part to ``total``; the future is done."""
        total += self._engine.count_entries(boards)
        done: Future[None] = Future()
        done.set_result(None)
        return done

    def gather(self, total: U64) -> None:
        """Do nothing: all is in ``total`` already."""


def answer_part(engine: Engine, boards: pl.DataFrame, asked: Asked, folder: Path) -> Answered:
    """Write the answers of a part's boards into a folder.

    Parameters
    ----------
    engine : Engine
    boards : polars.DataFrame
        At least :data:`PART_COLUMNS` of a deal frame.
    asked : Asked
        Mode ``all`` or ``first``.
    folder : path

    Raises
    ------
    CannotWrite
        If a file cannot be written; the part's other files are removed again.

    Examples
    --------
    >>> import tempfile
    >>> from bidcascade.loaders import random_deals
    >>> from bidcascade.table import build_table
    >>> table, _ = build_table([{"prior": "", "call": "1N", "criteria": ["HCP >= 0"]}])
    >>> with tempfile.TemporaryDirectory() as place:
    ...     answer_part(Engine(table, "reference"), random_deals(5, seed=1),
    ...                 Asked(0, 0, "first", completed_only=False), Path(place)).rows
    5
    """
    files: dict[str, int] = {}

    def put(frame: pl.DataFrame, name: str) -> None:
        write_parquet(frame, folder / name)
        files[name] = (folder / name).stat().st_size

    numbers = np.arange(asked.offset, asked.offset + boards.height, dtype=np.uint32)
    origin = boards.select(pl.Series("deal", numbers), *ORIGIN_COLUMNS)
    name = f"auctions-{asked.number:05}"
    try:
        if asked.mode == "first":
            answers = engine.auctions(boards, mode="first").drop("deal")
            put(pl.concat([origin, answers], how="horizontal"), f"{name}.parquet")
            return Answered(answers.height, files, folder)
        totals = np.zeros(boards.height, np.uint32)
        rows = 0
        for number, frames in enumerate(_entries_by_file(engine, boards, asked)):
            entries = pl.concat(frames)
            totals += np.bincount(entries["deal"], minlength=boards.height).astype(np.uint32)
            moved = entries.with_columns((pl.col("deal") + asked.offset).cast(pl.UInt32))
            put(moved, f"{name}-{number}.parquet" if number else f"{name}.parquet")
            rows += entries.height
        put(origin.with_columns(pl.Series("total", totals)), f"boards-{asked.number:05}.parquet")
    except OSError:
        for written in files:
            (folder / written).unlink(missing_ok=True)
        raise
    return Answered(rows, files, folder)


def _entries_by_file(
    engine: Engine, boards: pl.DataFrame, asked: Asked
) -> Iterator[list[pl.DataFrame]]:
    """Frames of deal and entry, put together until a file has its rows."""
    waiting: list[pl.DataFrame] = []
    rows = 0
    for frame in engine.iter_entries(boards, completed_only=asked.completed_only):
        waiting.append(frame)
        rows += frame.height
        if rows >= asked.file_rows:
            yield waiting
            waiting, rows = [], 0
    if waiting:
        yield waiting
