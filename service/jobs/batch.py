"""The archive job: any number of deals through a bidding table, into a folder of Parquet parts.

    manifest.json            what was asked, what is written (see ``manifest``)
    auctions-00000.parquet   mode all: deal, entry; mode first: one row a deal
    auctions-00000-1.parquet mode all: more of the same part where it has many rows
    boards-00000.parquet     mode all: deal, where it is from, how many auctions it has
    rejects-00000.parquet    records that are no deals
    entries.parquet          mode all, at the end: calls and meaning of each entry that occurs
    counts.parquet           mode counts, at the end

Every file is written beside its place, brought to the disk and renamed; then the manifest is
replaced. A run that is killed at any moment therefore goes on where the manifest stands.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from pathlib import Path
from typing import IO, Final, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from bidcascade.bridge import InvalidInput
from bidcascade.kernels.types import U64
from bidcascade.loaders import Batch, empty_deals, empty_rejects, iter_deals, sniff
from bidcascade.loaders.inputs import Input, Source, find_sources
from bidcascade.service.engine import Engine

from .manifest import MANIFEST, Manifest, Part, Position, describe_inputs
from .progress import progress_bar
from .whole_files import PARTIAL_SUFFIX, can_write, sync_folder, whole_file, write_parquet

BatchMode: TypeAlias = Literal["all", "first", "counts"]
BATCH_MODES: Final = ("all", "first", "counts")
PART_DEALS: Final = 100_000
"""Deals of a part unless asked otherwise."""

_FILE_ROWS: Final = 4_000_000
"""Rows after which a part of mode ``all`` begins another file; bounds memory."""
_MOST_REJECTS: Final = 1_000_000
"""Rejects after which a part ends, however few boards it has."""
_GROUP_BYTES: Final = 256 << 20
"""Inputs that are read as one; what a resumed run may have to read twice."""
_SMALL_COUNTS_BYTES: Final = 64 << 20
_COUNTS_EVERY_S: Final = 30.0
_HEAD_BYTES: Final = 1 << 20
_LOCK: Final = ".lock"
_OWN_FILES: Final = ("auctions-*.parquet", "boards-*.parquet", "rejects-*.parquet",
                     "counts-*.npy", "counts.parquet", "entries.parquet",
                     f".*{PARTIAL_SUFFIX}")  # fmt: skip


class Summary(NamedTuple):
    """What a batch did, all runs together."""

    boards: int
    rejects: int
    rows: int
    parts: int


def run_batch(
    engine: Engine,
    inputs: Input | Sequence[Input],
    folder: str | Path,
    *,
    mode: BatchMode = "all",
    completed_only: bool = False,
    resume: bool = False,
    jobs: int | None = None,
    part_deals: int = PART_DEALS,
    show_progress: bool | None = None,
) -> Summary:
    """Answer all deals of some inputs into a folder.

    Parameters
    ----------
    engine : Engine
    inputs : path or sequence of paths
        What :func:`bidcascade.loaders.read_deals` takes.
    folder : path
        New or empty; with ``resume``, that of the run to go on with.
    mode : {"all", "first", "counts"}
    completed_only : bool
        Mode ``all``: only auctions that are complete.
    resume : bool
        Go on with an interrupted run; begins one where there is none. A finished one stays as
        it is.
    jobs : int, optional
        Processes that read the inputs.
    part_deals : int
        Deals of a part.
    show_progress : bool, optional
        By default if standard error is a terminal.

    Raises
    ------
    InvalidInput
        If an input does not exist or no input holds a deal, if the folder holds something else,
        or if table, options or inputs are not those of the run to be resumed.
    CannotWrite
        If the folder cannot be written to (disk full); what is written so far stays good.
    """
    if mode not in BATCH_MODES:
        raise ValueError(f"expected a mode of {', '.join(BATCH_MODES)}, got {mode!r}")
    if completed_only and mode != "all":
        raise ValueError("expected completed_only in mode 'all'")
    if part_deals < 1:
        raise ValueError(f"expected at least one deal a part, got {part_deals!r}")
    path = Path(folder)
    sources = find_sources(inputs)
    asked = Manifest(
        table=engine.table_info(),
        options={"mode": mode, "completed_only": completed_only, "part_deals": part_deals},
        inputs=[],
    )
    with ExitStack() as stack:
        _check_folder(path, resume=resume)
        created = not path.exists()
        path.mkdir(parents=True, exist_ok=True)
        stack.enter_context(_locked(path))
        manifest = asked
        if (path / MANIFEST).exists():
            manifest = Manifest.read(path)
            asked.inputs = describe_inputs(sources)
            manifest.check_same_job(asked)
        else:
            stack.callback(_remove_if_empty, path, created=created)
            _refuse_hopeless(sources)
            asked.inputs = describe_inputs(sources)
            manifest.write(path)
        _clean(path, manifest)
        if not manifest.finished:
            job = _Job(engine, sources, path, manifest, jobs)
            stack.enter_context(job.showing_progress(shown=show_progress))
            job.run()
    return Summary(manifest.boards, manifest.rejects, manifest.rows, len(manifest.parts))


def _check_folder(path: Path, *, resume: bool) -> None:
    if not path.exists():
        return
    if not path.is_dir():
        raise InvalidInput(f"expected a folder for the batch, got the file {str(path)!r}")
    if (path / MANIFEST).exists():
        if not resume:
            raise InvalidInput(
                f"{str(path)!r} holds a batch already: resume it, or choose another folder"
            )
        return
    strangers = [
        file.name
        for file in path.iterdir()
        if file.name != _LOCK and not file.name.endswith(PARTIAL_SUFFIX)
    ]
    if strangers:
        raise InvalidInput(
            f"expected a new or empty folder, got {str(path)!r} with {sorted(strangers)[0]!r}"
        )


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the folder for this process; the system lets go of it when the process ends."""
    if sys.platform == "win32":
        # there the renaming of an open file fails by itself
        yield
        return
    import fcntl

    lock: IO[bytes]
    with (path / _LOCK).open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InvalidInput(f"another batch is writing to {str(path)!r}") from None
        yield


def _refuse_hopeless(sources: list[Source]) -> None:
    """Refuse inputs none of which begins like a file of deals, before gigabytes are digested."""
    if not sources:
        raise InvalidInput("expected deals, got none: no file that may hold any in the inputs")
    for source in sources:
        if source.path is None:
            return
        try:
            with source.path.open("rb") as file:
                if sniff(file.read(_HEAD_BYTES)) is not None:
                    return
        except OSError as error:
            raise InvalidInput(f"cannot read {source.name!r}: {error.strerror}") from None
    refused = [empty_rejects()]
    for batch in iter_deals([_as_input(source) for source in sources]):
        if batch.deals.height:
            return
        refused.append(batch.rejects)
    rejects = pl.concat(refused)
    raise InvalidInput(_nothing(rejects, rejects.height))


def _nothing(rejects: pl.DataFrame, count: int) -> str:
    if not rejects.height:
        return "expected deals, got none: no board in the inputs"
    row = rejects.row(0, named=True)
    record = "" if row["record"] is None else f", record {row['record']}"
    return (
        f"expected deals, got none and {count} rejects; "
        f"first reject: {row['source']}{record}: {row['reason']}"
    )


def _remove_if_empty(path: Path, *, created: bool) -> None:
    """Leave nothing behind where nothing came about."""
    if all(file.name == _LOCK for file in path.iterdir()):
        (path / _LOCK).unlink(missing_ok=True)
        if created:
            path.rmdir()


def _clean(path: Path, manifest: Manifest) -> None:
    """Remove what an interrupted run left over, and check what it wrote."""
    named = manifest.files()
    if manifest.counts is not None:
        named[manifest.counts] = -1
    for pattern in _OWN_FILES:
        for file in path.glob(pattern):
            if file.name not in named:
                file.unlink()
    for name, size in named.items():
        found = (path / name).stat().st_size if (path / name).is_file() else None
        if found is None or (size >= 0 and found != size):
            raise InvalidInput(
                f"cannot resume: expected {name!r} in {str(path)!r} as the manifest has it, "
                f"got {'no file' if found is None else f'{found} bytes instead of {size}'}"
            )


class _Chunk(NamedTuple):
    """Boards and rejects read from a source on."""

    source: int
    deals: pl.DataFrame
    rejects: pl.DataFrame


class _Job:
    """One run of a batch, from the manifest's position on."""

    def __init__(
        self,
        engine: Engine,
        sources: list[Source],
        folder: Path,
        manifest: Manifest,
        jobs: int | None,
    ) -> None:
        self._engine = engine
        self._sources = sources
        self._folder = folder
        self._manifest = manifest
        self._jobs = jobs
        self._mode: str = manifest.options["mode"]
        self._part_deals: int = manifest.options["part_deals"]
        self._boards_in_all = _boards_in_parquet(sources)
        self._files_done = manifest.position.source
        # counted from here on, written down in the manifest when the part is on the disk
        self._position: Position = copy(manifest.position)
        self._counts: U64 | None = None
        self._counted = Part(len(manifest.parts), 0, 0, 0, engine.backend)
        self._counts_written = 0.0

    @contextmanager
    def showing_progress(self, *, shown: bool | None) -> Iterator[None]:
        """Show a bar while the block runs."""
        with progress_bar(f"batch {self._mode}", shown=shown) as report:
            self._report = report
            yield

    def run(self) -> None:
        """Write all parts that are missing, then what comes at the end."""
        if self._mode == "counts":
            self._read_counts()
        deals: list[pl.DataFrame] = []
        rejects: list[pl.DataFrame] = []
        height = 0
        for chunk in self._chunks():
            refused: pl.DataFrame | None = chunk.rejects
            first = 0
            while first < chunk.deals.height or refused is not None:
                taken = chunk.deals.slice(first, self._part_deals - height)
                self._position.add(
                    chunk.source, taken.height, 0 if refused is None else refused.height
                )
                deals.append(taken)
                if refused is not None:
                    rejects.append(refused)
                    refused = None
                first += taken.height
                height += taken.height
                waiting = sum(frame.height for frame in rejects)
                if height == self._part_deals or waiting >= _MOST_REJECTS:
                    self._write_part(deals, rejects)
                    deals, rejects, height = [], [], 0
        if height or any(frame.height for frame in rejects):
            self._write_part(deals, rejects)
        self._finish()

    # --- reading ------------------------------------------------------------------------------

    def _groups(self) -> Iterator[tuple[int, list[Source]]]:
        """Consecutive sources that are read as one, with the number of the first."""
        group: list[Source] = []
        size = 0
        for number, source in enumerate(self._sources):
            if group and size + source.size > _GROUP_BYTES:
                yield number - len(group), group
                group, size = [], 0
            group.append(source)
            size += source.size
        if group:
            yield len(self._sources) - len(group), group

    def _chunks(self) -> Iterator[_Chunk]:
        """All boards and rejects in order, from the position on."""
        start = copy(self._manifest.position)
        for first, group in self._groups():
            if first < start.source:
                continue
            self._files_done = first
            skip_boards, skip_rejects = start.boards, start.rejects
            if first > start.source:
                skip_boards = skip_rejects = 0
            for batch in self._read(group):
                deals, rejects = batch.deals.slice(skip_boards), batch.rejects.slice(skip_rejects)
                skip_boards -= batch.deals.height - deals.height
                skip_rejects -= batch.rejects.height - rejects.height
                yield _Chunk(first, deals, rejects)

    def _read(self, group: list[Source]) -> Iterator[Batch]:
        first = self._files_done

        def files_read(done: int, _total: int, _boards: int) -> None:
            self._files_done = first + done

        inputs: list[Input] = [_as_input(source) for source in group]
        return iter_deals(
            inputs, jobs=self._jobs, chunk_deals=min(self._part_deals, PART_DEALS),
            progress=files_read,
        )  # fmt: skip

    # --- writing --------------------------------------------------------------------------------

    def _write_part(self, deals: list[pl.DataFrame], rejects: list[pl.DataFrame]) -> None:
        boards = pl.concat([empty_deals(), *deals])
        refused = pl.concat([empty_rejects(), *rejects])
        number = len(self._manifest.parts)
        part = Part(number, boards.height, refused.height, 0, self._engine.backend)
        if self._mode == "counts":
            self._count(boards, refused, part)
            return
        try:
            if refused.height:
                self._put(refused, f"rejects-{number:05}.parquet", part)
            if boards.height:
                self._answer(boards, part)
            self._commit(part)
        except OSError:
            for name in part.files:
                (self._folder / name).unlink(missing_ok=True)
            raise

    def _answer(self, boards: pl.DataFrame, part: Part) -> None:
        offset = self._manifest.boards
        numbers = pl.Series("deal", np.arange(offset, offset + boards.height, dtype=np.uint32))
        origin = boards.select(numbers, "source", "record", "board")
        name = f"auctions-{part.number:05}"
        if self._mode == "first":
            answers = self._engine.auctions(boards, mode="first").drop("deal")
            part.rows = answers.height
            self._put(pl.concat([origin, answers], how="horizontal"), f"{name}.parquet", part)
            return
        totals = np.zeros(boards.height, np.uint32)
        waiting: list[pl.DataFrame] = []
        rows = files = 0
        for frame in self._entries(boards):
            totals += np.bincount(frame["deal"], minlength=boards.height).astype(np.uint32)
            waiting.append(frame.with_columns((pl.col("deal") + offset).cast(pl.UInt32)))
            rows += frame.height
            if rows >= _FILE_ROWS:
                self._put(pl.concat(waiting), _numbered(name, files), part)
                part.rows += rows
                waiting, rows, files = [], 0, files + 1
        if waiting:
            self._put(pl.concat(waiting), _numbered(name, files), part)
            part.rows += rows
        totalled = origin.with_columns(pl.Series("total", totals))
        self._put(totalled, f"boards-{part.number:05}.parquet", part)

    def _entries(self, boards: pl.DataFrame) -> Iterator[pl.DataFrame]:
        return self._engine.iter_entries(
            boards, completed_only=self._manifest.options["completed_only"]
        )

    def _put(self, frame: pl.DataFrame, name: str, part: Part) -> None:
        write_parquet(frame, self._folder / name)
        part.files[name] = (self._folder / name).stat().st_size

    def _commit(self, part: Part) -> None:
        """Make a part that is on the disk count."""
        before = self._manifest.position
        self._manifest.parts.append(part)
        self._manifest.position = copy(self._position)
        try:
            self._manifest.write(self._folder)
        except OSError:
            self._manifest.parts.pop()
            self._manifest.position = before
            raise
        boards = self._manifest.boards
        if self._boards_in_all is None:
            self._report(self._files_done, len(self._sources), boards)
        else:
            self._report(boards, self._boards_in_all, boards)

    # --- counts ---------------------------------------------------------------------------------

    def _read_counts(self) -> None:
        entries = len(self._engine.table)
        name = self._manifest.counts
        if name is None:
            self._counts = np.zeros(entries, np.uint64)
            return
        counts: U64 = np.load(self._folder / name, allow_pickle=False)
        if counts.shape != (entries,) or counts.dtype != np.uint64:
            raise InvalidInput(f"cannot resume: expected counts of {entries} entries in {name!r}")
        self._counts = counts

    def _count(self, boards: pl.DataFrame, refused: pl.DataFrame, part: Part) -> None:
        """Add a part to the counts; sums of large tables are written at times only."""
        assert self._counts is not None
        if boards.height:
            self._counts += self._engine.count_entries(boards)
        waiting = self._counted
        if refused.height:
            name = f"rejects-{waiting.number:05}-{len(waiting.files)}.parquet"
            self._put(refused, name, waiting)
        waiting.boards += part.boards
        waiting.rejects += part.rejects
        is_time = time.monotonic() - self._counts_written >= _COUNTS_EVERY_S
        if self._counts.nbytes <= _SMALL_COUNTS_BYTES or is_time:
            self._commit_counts()

    def _commit_counts(self) -> None:
        assert self._counts is not None
        before = self._manifest.counts
        name = f"counts-{self._counted.number:05}.npy"
        path = self._folder / name
        with whole_file(path) as partial, can_write(path), partial.open("wb") as file:
            np.save(file, self._counts, allow_pickle=False)
        self._manifest.counts = name
        self._commit(self._counted)
        if before is not None:
            (self._folder / before).unlink(missing_ok=True)
        self._counted = Part(len(self._manifest.parts), 0, 0, 0, self._engine.backend)
        self._counts_written = time.monotonic()

    # --- the end --------------------------------------------------------------------------------

    def _finish(self) -> None:
        manifest = self._manifest
        if self._mode == "counts" and (self._counted.boards or self._counted.rejects):
            self._commit_counts()
        if not manifest.boards:
            self._refuse_nothing()
        if self._mode == "counts":
            assert self._counts is not None
            frame = self._engine.counts_frame(self._counts)
            write_parquet(frame, self._folder / "counts.parquet")
            manifest.results = {"counts.parquet": _size(self._folder / "counts.parquet")}
        elif self._mode == "all":
            write_parquet(self._entries_that_occur(), self._folder / "entries.parquet")
            manifest.results = {"entries.parquet": _size(self._folder / "entries.parquet")}
        old, manifest.counts = manifest.counts, None
        manifest.finished = True
        manifest.write(self._folder)
        if old is not None:
            (self._folder / old).unlink(missing_ok=True)
            sync_folder(self._folder)

    def _refuse_nothing(self) -> None:
        """Complain that no input holds a deal, and say what was found instead."""
        for part in self._manifest.parts:
            for name in part.files:
                if name.startswith("rejects-"):
                    rejects = pl.read_parquet(self._folder / name)
                    self._remove_all()
                    raise InvalidInput(_nothing(rejects, self._manifest.rejects))
        self._remove_all()
        raise InvalidInput(_nothing(empty_rejects(), 0))

    def _remove_all(self) -> None:
        for pattern in (*_OWN_FILES, MANIFEST):
            for file in self._folder.glob(pattern):
                file.unlink()

    def _entries_that_occur(self) -> pl.DataFrame:
        used = np.zeros(len(self._engine.table), np.bool_)
        for part in self._manifest.parts:
            for name in part.files:
                if name.startswith("auctions-"):
                    column = pl.read_parquet(self._folder / name, columns=["entry"])["entry"]
                    used[column.to_numpy()] = True
        return self._engine.entries_frame(np.flatnonzero(used).astype(np.uint32))


def _boards_in_parquet(sources: list[Source]) -> int | None:
    """Count the rows of sources that are all Parquet; None where some are not, or are damaged."""
    total = 0
    for source in sources:
        if source.path is None:
            return None
        with source.path.open("rb") as file:
            if file.read(4) != b"PAR1":
                return None
        try:
            total += pl.scan_parquet(source.path).select(pl.len()).collect().item()
        except (pl.exceptions.PolarsError, OSError):
            return None
    return total


def _as_input(source: Source) -> Input:
    if source.data is not None:
        return source.data
    return "-" if source.path is None else source.path


def _numbered(name: str, number: int) -> str:
    return f"{name}-{number}.parquet" if number else f"{name}.parquet"


def _size(path: Path) -> int:
    return path.stat().st_size
