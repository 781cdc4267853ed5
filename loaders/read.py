"""Read deals from any mixture of files, folders, patterns, streams and bytes.

:func:`read_deals` gives one frame, :func:`iter_deals` frames of bounded size. Several processes
may read; the result does not depend on how many, and one that dies costs one file.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import Literal, TypeAlias

import polars as pl

from bidcascade.bridge import Deal, InvalidInput
from bidcascade.kernels.machine.child_processes import safe_spawning
from bidcascade.kernels.machine.forks import check_not_forked

from .frames.frame import (
    Batch,
    Rejects,
    count_numbered,
    count_rejects,
    deal_frame,
    empty_deals,
    empty_rejects,
    has_left_out,
    is_left_out,
    join,
    left_out_row,
    listed_rejects,
    reject_frame,
    whole_deals,
)
from .inputs import FORMATS, Input, Source, find_sources
from .limits import MOST_LISTED
from .pieces import Piece, cut_sources, read_piece

Deals: TypeAlias = pl.DataFrame | pl.LazyFrame | Batch | Deal | Input | Iterable[Deal | Input]
"""Whatever names deals, see :func:`frame_of`."""
Progress: TypeAlias = Callable[[int, int, int], None]
"""Called with files done, files in all, and boards so far."""

CHUNK_DEALS = 50_000
"""Rows a frame of :func:`iter_deals` has at most."""

_IN_FLIGHT = 2
"""Pieces handed out at a time for each process; bounds memory."""

POOL_BYTES = 64 << 20
"""Inputs smaller than this are read in the calling process unless jobs are asked for."""


def read_deals(
    inputs: Input | Iterable[Input],
    *,
    jobs: int | None = None,
    rejects: Literal["collect", "raise"] = "collect",
    whole: bool = False,
    progress: Progress | None = None,
) -> Batch:
    """Read all deals of some inputs.

    Parameters
    ----------
    inputs : path, bytes or iterable of them
        Paths, patterns (``lin/**/*.lin``), folders (read with all folders below), ``-`` for
        standard input, links of a hand viewer or of the page, or the contents of a file as bytes.
        LIN, PBN, RBN, hand text, output of ``dealer``, links, JSON and Parquet are told apart by
        what is in them.
    jobs : int, optional
        Processes. 1 stays in the calling process; by default as many as the machine has cores if
        there are at least 64 MiB to read. As always with processes, a script that asks for
        several needs ``if __name__ == "__main__":``.
    rejects : {"collect", "raise"}
        What to do with records that are no deals: return them, or raise at the first.
    whole : bool
        Whether deals with unknown hands are rejects; else their unknown hands are null.
    progress : callable, optional
        Called with files done, files in all, boards so far.

    Returns
    -------
    Batch
        Deals and rejects in the order of the inputs. Of the rejects at most 2,000 of a file and
        20,000 in all are listed; one more row of a source then says how many are not, and
        :attr:`Batch.refused` is the number of all.

    Raises
    ------
    InvalidInput
        If a path does not exist, if there is no deal in any input (the message says what was
        found instead), or at the first reject if asked for.

    Examples
    --------
    >>> deal = "3SAKQJT98765432HDC,SHAKQJT98765432DC,SHDAKQJT98765432C,"
    >>> read_deals(f"md|{deal}|mb|7N|".encode()).deals["auction"].to_list()
    [[37]]
    """
    deals, refused = [empty_deals()], Rejects()
    for one in _batches(inputs, jobs=jobs, rejects=rejects, whole=whole, progress=progress):
        deals.append(one.deals)
        refused.add(one.rejects)
    batch = Batch(pl.concat(deals), refused.frame())
    if not batch.deals.height:
        raise InvalidInput(_nothing_usable(batch.rejects, inputs))
    return batch


def frame_of(deals: Deals) -> pl.DataFrame:
    """Deal frame of whatever names deals: a frame, what a reader gave, deals, or inputs.

    Parameters
    ----------
    deals
        A frame is taken as it is, of a :class:`Batch` its deals; all else is read by
        :func:`read_deals`, where every record must be a deal with four hands.

    Raises
    ------
    InvalidInput
        If it names no deals.

    Examples
    --------
    >>> frame_of("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. -")["dealer"].to_list()
    ['N']
    """
    if isinstance(deals, pl.DataFrame):
        return deals
    check_not_forked()
    if isinstance(deals, pl.LazyFrame):
        return deals.collect()
    if isinstance(deals, Batch):
        return deals.deals
    if isinstance(deals, Deal):
        return deal_frame([deals])
    if isinstance(deals, Iterable) and not isinstance(deals, str | bytes | Source):
        # a mapping or a frame of another library would be read by its columns
        if hasattr(deals, "keys"):
            raise _no_deals(deals)
        given = list(deals)
        named = [one for one in given if not isinstance(one, Deal)]
        if given and not named:
            return deal_frame([one for one in given if isinstance(one, Deal)])
        if len(named) < len(given):
            raise InvalidInput("expected deals or what names them, got both")
        return read_deals(named, rejects="raise", whole=True).deals
    if not isinstance(deals, str | bytes | Path | Source):
        raise _no_deals(deals)
    return read_deals(deals, rejects="raise", whole=True).deals


def _no_deals(given: object) -> InvalidInput:
    return InvalidInput(
        f"expected a deal frame, deals as text or a path, got {type(given).__qualname__!r}"
    )


def iter_deals(
    inputs: Input | Iterable[Input],
    *,
    jobs: int | None = None,
    chunk_deals: int = CHUNK_DEALS,
    rejects: Literal["collect", "raise"] = "collect",
    whole: bool = False,
    progress: Progress | None = None,
) -> Iterator[Batch]:
    """Read the deals of some inputs in frames of at most ``chunk_deals`` rows.

    Memory does not grow with the inputs: what is held is a frame, and a few pieces of some MiB
    for each process. Parameters and errors are those of :func:`read_deals`, but no error is raised
    where nothing is found: the rejects of the batches then say why.

    Examples
    --------
    >>> deal = b"md|3SAKQJT98765432HDC,SHAKQJT98765432DC,SHDAKQJT98765432C,|"
    >>> [batch.deals.height for batch in iter_deals(deal * 5, chunk_deals=2)]
    [2, 2, 1]
    """
    if chunk_deals < 1:
        raise InvalidInput(f"expected at least one deal a chunk, got {chunk_deals!r}")
    held: list[Batch] = []
    height = 0
    for batch in _batches(inputs, jobs=jobs, rejects=rejects, whole=whole, progress=progress):
        if batch.deals.height or batch.rejects.height:
            held.append(batch)
        height += batch.deals.height
        if height < chunk_deals:
            continue
        joined = join(held)
        first = 0
        while height - first >= chunk_deals:
            # the rejects go out with the first frame of what was read together with them
            yield Batch(
                joined.deals.slice(first, chunk_deals),
                empty_rejects() if first else joined.rejects,
            )
            first += chunk_deals
        height -= first
        held = [Batch(joined.deals.slice(first), empty_rejects())] if height else []
    if held:
        joined = join(held)
        if joined.deals.height or joined.rejects.height:
            yield joined


def _batches(
    inputs: Input | Iterable[Input],
    *,
    jobs: int | None,
    rejects: Literal["collect", "raise"],
    whole: bool,
    progress: Progress | None,
) -> Iterator[Batch]:
    """Frames of all pieces in the order of the inputs, records numbered through each source."""
    check_not_forked()
    if jobs is not None and jobs < 1:
        raise InvalidInput(f"expected at least one process, got {jobs!r}")
    sources = find_sources(inputs)
    done = boards = 0
    numbering = _Numbering()
    for piece, batch in _read_all(sources, jobs):
        if whole:
            batch = whole_deals(batch)
        batch = numbering.go_on(piece, batch)
        if rejects == "raise" and batch.rejects.height:
            raise InvalidInput(_describe(batch.rejects))
        done += piece.files_ended
        boards += batch.deals.height
        yield batch
        if progress is not None:
            progress(done, len(sources), boards)


def _read_all(sources: list[Source], jobs: int | None) -> Iterator[tuple[Piece, Batch]]:
    if jobs is None:
        total = sum(source.size for source in sources)
        jobs = (os.cpu_count() or 1) if total >= POOL_BYTES else 1
    with ExitStack() as kept:
        pieces = cut_sources(sources, kept)
        if jobs > 1:
            yield from read_in_processes(pieces, jobs)
            return
        for piece in pieces:
            yield piece, read_piece(piece)


class _Numbering:
    """Lets record numbers, and the list of rejects, run on through the pieces of one source."""

    def __init__(self) -> None:
        self.begin("")

    def begin(self, name: str) -> None:
        self.name = name
        self.records = self.listed = self.left_out = 0

    def go_on(self, piece: Piece, batch: Batch) -> Batch:
        if piece.kind is None and not piece.name:
            return Batch(batch.deals, listed_rejects(batch.rejects))
        name = piece.name or piece.sources[0].name
        if name != self.name:
            self.begin(name)
        deals, rejects = batch
        before = self.records
        self.records += deals.height + count_numbered(rejects)
        # rows of Parquet and lines of hand text have their numbers
        if before and not (piece.kind and FORMATS[piece.kind].counts_through):
            shifted = (pl.col("record") + before).cast(pl.UInt32)
            deals, rejects = deals.with_columns(shifted), rejects.with_columns(shifted)
        rejects = self._list(rejects)
        if piece.files_ended:
            if self.left_out:
                row = left_out_row(name, self.left_out, self.listed)
                rejects = pl.concat([rejects, reject_frame([row])])
            self.begin("")
        return Batch(deals, rejects)

    def _list(self, rejects: pl.DataFrame) -> pl.DataFrame:
        """Leave out what is beyond the limit of the source: it is counted where that ends."""
        room = MOST_LISTED - self.listed
        if rejects.height <= room and not has_left_out(rejects):
            self.listed += rejects.height
            return rejects
        listed = rejects.filter(~is_left_out()).head(room)
        self.listed += listed.height
        self.left_out += count_rejects(rejects) - listed.height
        return listed


def _nothing_usable(rejects: pl.DataFrame, inputs: object) -> str:
    if rejects.height:
        count = count_rejects(rejects)
        return f"expected deals, got none and {count:,} rejects; {_describe(rejects)}"
    shown = inputs if isinstance(inputs, str | os.PathLike) else "the inputs"
    return f"expected deals, got none: no board in {str(shown)!r}"


def _describe(rejects: pl.DataFrame) -> str:
    source, record, reason, _ = rejects.row(0)
    where = source if record is None else f"{source}, record {record}"
    return f"first reject: {where}: {reason}"


def read_in_processes(pieces: Iterator[Piece], jobs: int) -> Iterator[tuple[Piece, Batch]]:
    """Yield each piece with its frames, in the order of the pieces.

    Parameters
    ----------
    pieces : iterator of Piece
        Drawn only as fast as results are taken.
    jobs : int
        Number of processes. They are spawned: forking a process with threads (polars has some)
        can hang.
    """
    pool = _new_pool(jobs)
    waiting: deque[tuple[Piece, Future[Batch] | None]] = deque()
    try:
        while True:
            while len(waiting) < _IN_FLIGHT * jobs:
                piece = next(pieces, None)
                if piece is None:
                    break
                waiting.append((piece, _submit(pool, piece)))
            if not waiting:
                return
            piece, future = waiting.popleft()
            try:
                batch = None if future is None else future.result()
            except BrokenProcessPool:
                batch = None
            if batch is None:
                # everything handed out is lost; whoever killed the process is read alone
                pool.shutdown(wait=False, cancel_futures=True)
                batch = _read_alone(piece)
                pool = _new_pool(jobs)
                waiting = deque((lost, _submit(pool, lost)) for lost, _ in waiting)
            yield piece, batch
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _new_pool(jobs: int) -> ProcessPoolExecutor:
    with safe_spawning():
        return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))


def _submit(pool: ProcessPoolExecutor, piece: Piece) -> "Future[Batch] | None":
    """Hand out a piece; ``None`` if the pool is broken already."""
    try:
        with safe_spawning():  # processes are started as pieces come
            return pool.submit(read_piece, piece)
    except BrokenProcessPool:
        return None


def _read_alone(piece: Piece) -> Batch:
    """Read a piece in a process of its own; if that dies too, file by file."""
    with _new_pool(1) as pool:
        try:
            if (future := _submit(pool, piece)) is not None:
                return future.result()
        except BrokenProcessPool:
            pass
    if len(piece.sources) > 1:
        return join([_read_alone(Piece([source])) for source in piece.sources])
    name = piece.sources[0].name if piece.sources else piece.name
    reason = "the process that read this died (killed, or out of memory)"
    return Batch(empty_deals(), reject_frame([(name, None, reason, "")]))
