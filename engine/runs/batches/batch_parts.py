"""Parts of a batch answered: in this process, or wherever an :class:`Answerer` sends them.

The job cuts the boards into parts and makes answered ones count, in order. Who answers them is told
by an answerer; ``cluster`` has the one with a cluster.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, NamedTuple, Protocol, TypeAlias

import numpy as np
import polars as pl

from bidcascade.engine.engine import Engine
from bidcascade.engine.runs.readable import auction_text, hands_text
from bidcascade.kernels.types import U64
from bidcascade.loaders import REQUIRED_COLUMNS
from bidcascade.loaders.files.whole_files import write_parquet

from .pace import Pieces

FILE_ROWS: Final = 4_000_000
"""Rows after which a part of mode ``all`` begins another file; bounds memory."""
ORIGIN_COLUMNS: Final = ("source", "record", "board")
PART_COLUMNS: Final = (*REQUIRED_COLUMNS, *ORIGIN_COLUMNS, "auction")
"""Columns of a deal frame that answering needs."""


class PartRequest(NamedTuple):
    """What is asked of one part.

    Parameters
    ----------
    number : int
        Number of the part.
    offset : int
        Number of its first deal through all inputs.
    mode : {"all", "first", "counts"}
    completed_only : bool
    limit, max_depth : int, optional
        Auctions of a deal, and calls of an auction, in mode ``all`` at most.
    text : bool
        Hands and auctions as text as well.
    file_rows : int
        Rows after which mode ``all`` begins another file, between two deals.
    """

    number: int
    offset: int
    mode: str
    completed_only: bool
    limit: int | None = None
    max_depth: int | None = None
    text: bool = False
    file_rows: int = FILE_ROWS


class AnsweredPart(NamedTuple):
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

    def answer(self, boards: pl.DataFrame, request: PartRequest) -> "Future[AnsweredPart]":
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


def backend_of(engine: Engine, mode: str, backend: str, deals: int) -> str:
    """Name of the backend that answers a part of a batch, where one is asked for.

    Counts are those of a table, into which a system is compiled.
    """
    if mode == "counts":
        return backend
    return engine.bidder.backend_for("all" if mode == "all" else "first", backend, deals)


class OwnAnswerer:
    """Answers parts one after the other in this process, straight into the batch's folder.

    ``report`` is called about twice a second with the boards of the part that are done.
    """

    ahead = 1

    def __init__(self, engine: Engine, folder: Path, report: Callable[[int], None]) -> None:
        self.backend = engine.backend
        self._engine = engine
        self._folder = folder
        self._pieces = Pieces(report)

    def answer(self, boards: pl.DataFrame, request: PartRequest) -> "Future[AnsweredPart]":
        """Answer a part; the future is done."""
        done: Future[AnsweredPart] = Future()
        done.set_result(answer_part(self._engine, boards, request, self._folder, self._pieces))
        return done

    def count(self, boards: pl.DataFrame, total: U64) -> "Future[None]":
        """Add a part to ``total``; the future is done."""
        for piece in self._pieces.of(boards):
            total += self._engine.count_entries(piece)
        done: Future[None] = Future()
        done.set_result(None)
        return done

    def gather(self, total: U64) -> None:
        """Do nothing: all is in ``total`` already."""


def answer_part(
    engine: Engine,
    boards: pl.DataFrame,
    request: PartRequest,
    folder: Path,
    pieces: Pieces | None = None,
) -> AnsweredPart:
    """Write the answers of a part's boards into a folder.

    Parameters
    ----------
    engine : Engine
    boards : polars.DataFrame
        At least :data:`PART_COLUMNS` of a deal frame.
    request : PartRequest
        Mode ``all`` or ``first``.
    folder : path
    pieces : Pieces, optional
        Reports how far the part is, and cuts it further in mode ``first``; what is written is the
        same.

    Raises
    ------
    CannotWrite
        If a file cannot be written; the part's other files are removed again.
    """
    files: dict[str, int] = {}

    def put(frame: pl.DataFrame, name: str) -> None:
        write_parquet(frame, folder / name)
        files[name] = (folder / name).stat().st_size

    numbers = np.arange(request.offset, request.offset + boards.height, dtype=np.uint32)
    origin = boards.select(pl.Series("deal", numbers), *ORIGIN_COLUMNS)
    if request.text:
        origin = origin.with_columns(hands_text(boards), boards["dealer"], boards["vulnerability"])
    name = f"auctions-{request.number:05}"
    try:
        if request.mode == "first":
            cut = (boards,) if pieces is None else pieces.of(boards)
            answers = pl.concat([engine.auctions(piece, mode="first") for piece in cut])
            rows = pl.concat([origin, answers.drop("deal")], how="horizontal", rechunk=True)
            rows = _beside_source(rows, boards["auction"], text=request.text)
            put(rows, f"{name}.parquet")
            return AnsweredPart(answers.height, files, folder)
        report = (lambda _: None) if pieces is None else pieces.report
        totals = np.zeros(boards.height, np.uint32)
        count = 0
        for number, entries in enumerate(_entries_by_file(engine, boards, request, report)):
            totals += np.bincount(entries["deal"], minlength=boards.height).astype(np.uint32)
            moved = entries.with_columns((pl.col("deal") + request.offset).cast(pl.UInt32))
            put(moved, f"{name}-{number}.parquet" if number else f"{name}.parquet")
            count += entries.height
        put(origin.with_columns(pl.Series("total", totals)), f"boards-{request.number:05}.parquet")
    except OSError:
        for written in files:
            (folder / written).unlink(missing_ok=True)
        raise
    return AnsweredPart(count, files, folder)


def _beside_source(answers: pl.DataFrame, source: pl.Series, *, text: bool) -> pl.DataFrame:
    """Put the auctions that the sources have beside the answers; null where there is none."""
    given = pl.col("source_auction")
    rows = answers.with_columns(source.alias("source_auction")).with_columns(
        pl.when(given.list.len() > 0).then(given)
    )
    rows = rows.with_columns(same_auction=pl.col("auction") == given)
    if text:
        rows = rows.with_columns(
            calls=auction_text("auction"), source_calls=auction_text("source_auction")
        )
    return rows


def _entries_by_file(
    engine: Engine, boards: pl.DataFrame, request: PartRequest, report: Callable[[int], None]
) -> Iterator[pl.DataFrame]:
    """Auctions, a frame a file: cut behind the deal with which a file has its rows."""
    # all boards are one question: its threads would wait for each other at the end of each piece
    waiting: list[pl.DataFrame] = []
    rows = files = 0
    for frame in engine.iter_auctions(
        boards,
        completed_only=request.completed_only,
        limit=request.limit,
        max_depth=request.max_depth,
    ):
        waiting.append(frame)
        rows += frame.height
        while rows >= request.file_rows:
            joined = pl.concat(waiting, rechunk=True)
            deals = joined["deal"]
            end = int(deals.search_sorted(deals[request.file_rows - 1], side="right"))
            yield joined.head(end)
            files += 1
            waiting, rows = [joined.slice(end)], rows - end
        if frame.height:
            report(int(frame["deal"][-1]) + 1)
    if waiting and (rows or not files):
        yield pl.concat(waiting, rechunk=True)
