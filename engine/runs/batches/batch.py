"""The archive job: any number of deals through a bidding table, into a folder of Parquet parts.

    manifest.json            what was asked, what is written (see ``manifest``)
    auctions-00000.parquet   mode all: deal, entry; mode first: one row a deal
    auctions-00000-1.parquet mode all: more of the same part where it has many rows
    boards-00000.parquet     mode all: deal, where it is from, how many auctions it has
    rejects-00000.parquet    records that are no deals
    entries.parquet          mode all, at the end: calls and meaning of each entry that occurs
    counts.parquet           mode counts, at the end

Rows of another kind than answers are an :class:`Export`, which says who makes its parts.

Every file is written beside its place, brought to the disk and renamed; then the manifest is
replaced. A run that is killed at any moment therefore goes on where the manifest stands. A part is
so many deals as take a few seconds, whatever is asked; where parts are cut changes no row.

The workers of a cluster, on this machine's devices or on others, answer where one is asked for (see
``cluster``). Parts are begun in the same order and made to count in the same order, so that the
rows are the same as well.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from bidcascade.bridge import InvalidInput
from bidcascade.engine.engine import Engine
from bidcascade.engine.runs.manifest import WORKS, Manifest, RunPart, RunPosition, describe_inputs
from bidcascade.engine.runs.progress import Report, progress_bar
from bidcascade.engine.runs.run_folder import RunFolder
from bidcascade.kernels.machine.npy_files import write_npy
from bidcascade.kernels.types import U64
from bidcascade.loaders import count_rejects, empty_deals, empty_rejects
from bidcascade.loaders.files.whole_files import can_write, sync_folder, whole_file, write_parquet
from bidcascade.loaders.inputs import Input, Source, find_sources

from .batch_inputs import Inputs, boards_in_parquet, in_share, nothing_usable, refuse_hopeless
from .batch_parts import (
    FILE_ROWS,
    PART_COLUMNS,
    AnsweredPart,
    Answerer,
    Elsewhere,
    OwnAnswerer,
    PartRequest,
    backend_of,
)
from .call_arrays import CALL_ARRAYS
from .pace import Pace

BatchMode: TypeAlias = Literal["all", "first", "counts"]
BATCH_MODES: Final = ("all", "first", "counts")
PART_DEALS: Final = 1_000_000
"""Most deals of a part unless asked otherwise."""
PART_S: Final = 5.0
"""Seconds that a part is to take."""
LEAST_PART_DEALS: Final = 64
"""Least deals of a part, unless fewer are asked for.

The first part has so many: a run that is killed soon after its begin has something to go on from.
"""

COUNTS: Final = "counts.parquet"
"""File of mode ``counts``."""
_ASIDE: Final = ("left-out", "rejects")
"""Folders of an export for what is no row of calls: ``*.parquet`` beside them is of one schema."""
_OWN_FILES: Final = ("auctions-*.parquet", "boards-*.parquet", "rejects-*.parquet",
                     "counts-*.npy", COUNTS, "entries.parquet", "calls-*.parquet", *CALL_ARRAYS,
                     *(f"{folder}/*.parquet" for folder in _ASIDE))  # fmt: skip
_CHUNK_DEALS: Final = 100_000
_MOST_REJECTS: Final = 1_000_000
"""Rejects after which a part ends, however few boards it has."""
_SMALL_COUNTS_BYTES: Final = 64 << 20
_COUNTS_EVERY_S: Final = 30.0


class BatchSummary(NamedTuple):
    """What a batch did, all runs together."""

    boards: int
    rejects: int
    rows: int
    parts: int


class Export(NamedTuple):
    """Rows of another kind that a batch writes in the place of answers.

    Parameters
    ----------
    options : dict
        What was asked, for the manifest; ``mode`` names the kind.
    columns : tuple of str
        Columns of the deal frame that the parts are made of.
    answerer : callable
        Starts what makes the parts.
    finish : callable
        Called with the folder and its manifest when all parts are written. It may add to the
        manifest's ``results`` and take files out of its parts, which are removed when it is
        written.
    """

    options: dict[str, Any]
    columns: tuple[str, ...]
    answerer: Elsewhere
    finish: Callable[[RunFolder, Manifest], None]


def run_batch(
    engine: Engine,
    inputs: Input | Sequence[Input],
    folder: str | Path,
    *,
    mode: BatchMode | None = None,
    completed_only: bool = False,
    limit: int | None = None,
    max_depth: int | None = None,
    share: float = 1.0,
    text: bool = False,
    resume: bool = False,
    overwrite: bool = False,
    jobs: int | None = None,
    elsewhere: Elsewhere | None = None,
    export: Export | None = None,
    part_deals: int = PART_DEALS,
    show_progress: bool | None = None,
    report: Report | None = None,
) -> BatchSummary:
    """Answer all deals of some inputs into a folder.

    Parameters
    ----------
    engine : Engine
    inputs : path or sequence of paths
        What :func:`bidcascade.loaders.read_deals` takes.
    folder : path
        New or empty; with ``resume``, that of the run to go on with.
    mode : {"all", "first", "counts"}, optional
        ``all`` of a table and ``first`` of a system if not given: of a system ``all`` are hundreds
        of auctions a deal.
    completed_only : bool
        Mode ``all``: only auctions that are complete.
    limit : int, optional
        Mode ``all``: at most so many auctions of a deal; of a system 1,000 if not given.
    max_depth : int, optional
        Mode ``all``: only auctions of at most so many calls.
    share : float
        Answer only this part of the boards, above 0; the hands say which.
    text : bool
        Modes ``all`` and ``first``: the hands as text, too, and in mode ``first`` the auctions.
    resume : bool
        Go on with an interrupted run; begins one where there is none. A finished one stays as
        it is.
    overwrite : bool
        Begin anew in a folder that has such a run; with ``resume`` that goes on all the same.
    jobs : int, optional
        Processes that read the inputs.
    elsewhere : callable, optional
        Answer there: see ``connected`` and ``on_devices`` of
        :mod:`bidcascade.engine.runs.batches.cluster`. What is written is the same.
    export : Export, optional
        Write these rows; modes say nothing then.
    part_deals : int
        Most deals of a part. A part is so many as take about :data:`PART_S`, but at least
        :data:`LEAST_PART_DEALS`.
    show_progress : bool, optional
        By default if standard error is a terminal.
    report : callable, optional
        Told after each part and within it, in the place of a bar: see
        :class:`.progress.Report`.

    Raises
    ------
    InvalidInput
        If an input does not exist or no input holds a deal, if the folder holds something else,
        or if table, options or inputs are not those of the run to be resumed.
    CannotWrite
        If the folder cannot be written to (disk full); what is written so far stays good.
    BackendUnavailable
        If a worker cannot run the engine.
    """
    if mode is None:
        mode = engine.bidder.usual_mode
    if mode not in BATCH_MODES:
        raise ValueError(f"expected a mode of {', '.join(BATCH_MODES)}, got {mode!r}")
    bounds = {"completed_only": completed_only, "limit": limit, "max_depth": max_depth}
    for name, value in bounds.items():
        if value and mode != "all":
            raise ValueError(f"expected {name} in mode 'all'")
        if value is not None and value < (name != "completed_only"):
            raise ValueError(f"expected a {name} of at least 1, got {value!r}")
    if text and mode == "counts":
        raise ValueError("expected text in mode 'all' or 'first'")
    if not 0 < share <= 1:
        raise ValueError(f"expected a share above 0 and at most 1, got {share!r}")
    if part_deals < 1:
        raise ValueError(f"expected at least one deal a part, got {part_deals!r}")
    path = Path(folder)
    sources = find_sources(inputs)
    run_folder = batch_folder(path, is_export=export is not None)
    request = Manifest(
        run_folder.work,
        table=engine.table_info(),
        options={"mode": mode, **bounds, "text": text, **({} if share == 1 else {"share": share})},
    )
    if export is not None:
        request.options, elsewhere = export.options, export.answerer
    if not run_folder.is_started:
        run_folder.check_empty()
    elif overwrite:
        # something else than such a run stays
        run_folder.read()
    elif not resume:
        raise InvalidInput(
            f"{str(path)!r} holds {WORKS[run_folder.work]} already: resume it, "
            "or choose another folder"
        )
    with ExitStack() as stack:
        stack.enter_context(run_folder.held())
        if run_folder.is_started and (resume or not overwrite):
            request.inputs = describe_inputs(sources)
            manifest = run_folder.resume(request)
        else:
            manifest = request
            refuse_hopeless(sources)
            request.inputs = describe_inputs(sources)
            run_folder.write(request)
            run_folder.clean(request)
        if not manifest.finished:
            answerer: Answerer | None = None
            if elsewhere is not None:
                answerer = stack.enter_context(elsewhere(engine, path))
            job = _Job(engine, answerer, sources, run_folder, manifest, jobs, part_deals, export)
            stack.enter_context(job.showing_progress(shown=show_progress, report=report))
            job.run()
    return BatchSummary(manifest.boards, manifest.rejects, manifest.rows, len(manifest.parts))


def batch_folder(path: Path, *, is_export: bool = False) -> RunFolder:
    """Folder that a batch or an export is written to."""
    return RunFolder(path, "export" if is_export else "batch", _OWN_FILES)


@dataclass(slots=True)
class _StartedPart:
    """A part that is being answered, and where the job stands when it counts."""

    part: RunPart
    position: RunPosition
    answer: "Future[AnsweredPart] | None" = None


class _Job:
    """One run of a batch, from the manifest's position on."""

    def __init__(
        self,
        engine: Engine,
        answerer: Answerer | None,
        sources: list[Source],
        run_folder: RunFolder,
        manifest: Manifest,
        jobs: int | None,
        part_deals: int,
        export: Export | None,
    ) -> None:
        self._engine = engine
        self._export = export
        self._columns = PART_COLUMNS if export is None else export.columns
        self._answerer = answerer or OwnAnswerer(engine, run_folder.path, self._report_boards)
        self._backend = self._answerer.backend
        self._inputs = Inputs(sources, min(part_deals, _CHUNK_DEALS), jobs)
        self._inputs.files_done = manifest.position.source
        self._run_folder = run_folder
        self._folder = run_folder.path
        self._manifest = manifest
        self._mode: str = manifest.options["mode"]
        self._pace = Pace(PART_S, LEAST_PART_DEALS, LEAST_PART_DEALS, part_deals)
        self._moments: list[tuple[float, int]] = []
        self._share: float = manifest.options.get("share", 1.0)
        boards = boards_in_parquet(sources)
        self._boards_in_all = None if boards is None else round(self._share * boards)
        # counted from here on, written down in the manifest when the part is on the disk
        self._position: RunPosition = copy(manifest.position)
        self._started: deque[_StartedPart] = deque()
        self._parts_started = len(manifest.parts)
        self._boards_started = manifest.boards
        self._counts: U64 | None = None
        self._counted = RunPart(len(manifest.parts), backend=self._backend)
        self._counting: list[Future[None]] = []
        self._counts_written = 0.0

    @contextmanager
    def showing_progress(self, *, shown: bool | None, report: Report | None) -> Iterator[None]:
        """Show a bar while the block runs, or report elsewhere."""
        with progress_bar(f"batch {self._mode}", shown=shown if report is None else False) as bar:
            self._report = bar if report is None else report
            yield

    def run(self) -> None:
        """Write all parts that are missing, then what comes at the end."""
        if self._mode == "counts":
            self._read_counts()
        try:
            self._write_parts()
            self._commit_answered(wait=True)
        except OSError:
            # what counts already stays; of what was begun nothing
            for started in self._started:
                for name in started.part.files:
                    (self._folder / name).unlink(missing_ok=True)
            raise
        self._finish()

    def _write_parts(self) -> None:
        deals: list[pl.DataFrame] = []
        rejects: list[pl.DataFrame] = []
        height = 0
        self._moments.append((time.monotonic(), self._boards_started))
        for chunk in self._inputs.chunks(self._manifest.position):
            refused: pl.DataFrame | None = chunk.rejects
            rows = chunk.deals.select(self._columns)
            chosen = np.flatnonzero(in_share(chunk.deals, self._share))
            first = done = 0
            while first < rows.height or refused is not None:
                some = chosen[done : done + self._pace.deals - height]
                done += len(some)
                # behind the last one that is chosen the others are passed over, too
                end = rows.height if done == len(chosen) else int(some[-1]) + 1
                self._position.add(
                    chunk.source, end - first, 0 if refused is None else refused.height
                )
                is_all = len(some) == end - first
                deals.append(rows.slice(first, end - first) if is_all else rows[some])
                if refused is not None:
                    rejects.append(refused)
                    refused = None
                first = end
                height += len(some)
                waiting = sum(frame.height for frame in rejects)
                if height == self._pace.deals or waiting >= _MOST_REJECTS:
                    self._write_part(deals, rejects)
                    deals, rejects, height = [], [], 0
        if height or any(frame.height for frame in rejects):
            self._write_part(deals, rejects)

    # --- writing --------------------------------------------------------------------------------

    def _write_part(self, deals: list[pl.DataFrame], rejects: list[pl.DataFrame]) -> None:
        # in one piece, as it comes out of a message: how Parquet is laid out follows the pieces
        boards = pl.concat([empty_deals().select(self._columns), *deals], rechunk=True)
        refused = pl.concat([empty_rejects(), *rejects])
        backend = backend_of(self._engine, self._mode, self._backend, boards.height)
        part = RunPart(self._parts_started, boards.height, count_rejects(refused), backend=backend)
        if self._mode == "counts":
            self._boards_started += boards.height
            self._count(boards, refused, part)
            self._keep_pace()
            return
        started = _StartedPart(part, copy(self._position))
        self._started.append(started)
        if refused.height:
            # an export has one kind of files in its folder
            aside = "" if self._export is None else "rejects/"
            self._run_folder.put(refused, f"{aside}rejects-{part.number:05}.parquet", part)
        if boards.height:
            options = self._manifest.options
            part_request = PartRequest(
                part.number,
                self._boards_started,
                self._mode,
                options.get("completed_only", False),
                options.get("limit"),
                options.get("max_depth"),
                options.get("text", False),
                FILE_ROWS,
            )
            started.answer = self._answerer.answer(boards, part_request)
        self._parts_started += 1
        self._boards_started += boards.height
        self._commit_answered()
        self._keep_pace()

    def _keep_pace(self) -> None:
        """Set the size of the next part by how long the last ones took."""
        # a part can only start when fewer than ``ahead`` are under way, so that in the long run
        # they start as fast as they are answered; of those ahead, every other one only waits
        ahead = self._answerer.ahead
        self._moments.append((time.monotonic(), self._boards_started))
        if len(self._moments) > ahead:
            then, boards = self._moments[-1 - ahead]
            now, boards_now = self._moments[-1]
            at_once = max(1, ahead // 2)
            self._pace.took((boards_now - boards) / ahead, (now - then) * at_once / ahead)

    def _report_boards(self, done: int) -> None:
        """Report the boards that count, and those of the part that is being answered."""
        boards = self._manifest.boards + self._counted.boards + done
        if self._boards_in_all is None:
            self._report(self._inputs.files_done, len(self._inputs.sources), boards)
        else:
            self._report(boards, self._boards_in_all, boards)

    def _commit_answered(self, *, wait: bool = False) -> None:
        """Make parts that are answered count, in their order; ``wait`` for all."""
        while self._started:
            started = self._started[0]
            if started.answer is not None:
                if not (wait or started.answer.done()):
                    return
                self._take_over(started.answer.result(), started.part)
            self._commit(started.part, started.position)
            self._started.popleft()

    def _take_over(self, answered: AnsweredPart, part: RunPart) -> None:
        """Bring the files of an answered part to their place."""
        part.rows = answered.rows
        part.files |= answered.files
        if answered.folder != self._folder:
            for name in answered.files:
                with can_write(self._folder / name):
                    (answered.folder / name).replace(self._folder / name)
            sync_folder(self._folder)

    def _commit(self, part: RunPart, position: RunPosition) -> None:
        """Make a part that is on the disk count."""
        before = self._manifest.position
        self._manifest.parts.append(part)
        self._manifest.position = position
        try:
            self._run_folder.write(self._manifest)
        except OSError:
            self._manifest.parts.pop()
            self._manifest.position = before
            raise
        self._report_boards(0)

    # --- counts ---------------------------------------------------------------------------------

    def _read_counts(self) -> None:
        entries = len(self._engine.table)
        if not self._manifest.state_files:
            self._counts = np.zeros(entries, np.uint64)
            return
        (name,) = self._manifest.state_files
        counts: U64 = np.load(self._folder / name, allow_pickle=False)
        if counts.shape != (entries,) or counts.dtype != np.uint64:
            raise InvalidInput(f"cannot resume: expected counts of {entries} entries in {name!r}")
        self._counts = counts

    def _count(self, boards: pl.DataFrame, refused: pl.DataFrame, part: RunPart) -> None:
        """Add a part to the counts; sums of large tables are written at times only."""
        assert self._counts is not None
        if boards.height:
            self._counting.append(self._answerer.count(boards, self._counts))
        waiting = self._counted
        if refused.height:
            name = f"rejects-{waiting.number:05}-{len(waiting.files)}.parquet"
            self._run_folder.put(refused, name, waiting)
        waiting.boards += part.boards
        waiting.rejects += part.rejects
        is_small = self._counts.nbytes <= _SMALL_COUNTS_BYTES
        is_time = time.monotonic() - self._counts_written >= _COUNTS_EVERY_S
        if is_time or (is_small and len(self._counting) >= self._answerer.ahead):
            self._commit_counts()

    def _commit_counts(self) -> None:
        assert self._counts is not None
        for counted in self._counting:
            counted.result()
        self._counting.clear()
        self._answerer.gather(self._counts)
        before = self._manifest.state_files
        name = f"counts-{self._counted.number:05}.npy"
        path = self._folder / name
        with whole_file(path) as partial, can_write(path), partial.open("wb") as file:
            write_npy(file, self._counts)
        self._manifest.state_files = {name: _size(path)}
        part = self._counted
        self._counted = RunPart(part.number + 1, backend=self._backend)
        self._commit(part, copy(self._position))
        self._remove(before)
        self._counts_written = time.monotonic()

    # --- the end --------------------------------------------------------------------------------

    def _finish(self) -> None:
        manifest = self._manifest
        if self._mode == "counts" and (self._counted.boards or self._counted.rejects):
            self._commit_counts()
        if not manifest.boards:
            self._refuse_nothing_usable()
        if self._mode == "counts":
            assert self._counts is not None
            frame = self._engine.counts_frame(self._counts)
            write_parquet(frame, self._folder / COUNTS)
            manifest.results = {COUNTS: _size(self._folder / COUNTS)}
        elif self._mode == "all":
            write_parquet(self._entries_that_occur(), self._folder / "entries.parquet")
            manifest.results = {"entries.parquet": _size(self._folder / "entries.parquet")}
        if self._export is not None:
            self._export.finish(self._run_folder, manifest)
        old, manifest.state_files = manifest.state_files, {}
        manifest.finished = True
        self._run_folder.write(manifest)
        if self._export is not None:
            self._run_folder.clean(manifest)
        self._remove(old)
        sync_folder(self._folder)

    def _remove(self, names: Iterable[str]) -> None:
        """Remove files that count no more."""
        for name in names:
            (self._folder / name).unlink(missing_ok=True)

    def _refuse_nothing_usable(self) -> None:
        """Complain that no input holds a deal, and say what was found instead."""
        first = empty_rejects()
        for name in self._manifest.files():
            if name.startswith(("rejects-", "rejects/")):
                first = pl.read_parquet(self._folder / name)
                break
        count = self._manifest.rejects
        self._run_folder.remove()
        raise InvalidInput(nothing_usable(first, count))

    def _entries_that_occur(self) -> pl.DataFrame:
        used = np.zeros(0, np.uint32)
        for name in self._manifest.named("auctions-"):
            column = pl.read_parquet(self._folder / name, columns=["entry"])["entry"]
            # auctions of systems have no entries
            used = np.union1d(used, column.drop_nulls().unique().to_numpy())
        return self._engine.entries_frame(used)


def _size(path: Path) -> int:
    return path.stat().st_size
