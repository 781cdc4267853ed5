"""Boards come into an archive, and go: files added, taken in anew, removed.

A part counts when the catalogue names it. A run that is killed loses the part that it was at; the
next one reads the file again and leaves out what is there already, as it does with any duplicate.
"""

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import numpy as np
import polars as pl

from bidcascade.bridge import InvalidInput
from bidcascade.engine.runs.batches.batch_inputs import Inputs, first_reject, refuse_hopeless
from bidcascade.engine.runs.manifest import RunPosition, describe_inputs
from bidcascade.engine.runs.progress import Report
from bidcascade.engine.runs.run_folder import LOCK
from bidcascade.kernels.types import U64
from bidcascade.loaders import DEAL_SCHEMA, REJECT_SCHEMA, rejects_by
from bidcascade.loaders.inputs import Input, Source, find_sources, shown_path

from .archive import BOARD_SCHEMA, ArchivePart
from .catalogue import (
    CATALOGUE,
    ArchivedSource,
    Catalogue,
    PartFiles,
    archive_folder,
    writing,
)
from .duplicates import are_same, board_keys, first_of_each
from .parts import (
    DUPLICATE_SCHEMA,
    PART_BOARDS,
    PART_BYTES,
    Contents,
    Engines,
    PartWriter,
    Solve,
)

_MOST_REJECTS: Final = 100_000
"""Rejects that are held until they are written."""
_CHUNK: Final = 100_000
_PIECE: Final = 1 << 20
_NO_PARQUET: Final = b"PAR1"


@dataclass(frozen=True, slots=True)
class Added:
    """What adding files did.

    Parameters
    ----------
    boards, duplicates, rejects
        Records of these files: new boards, those that an earlier board stands for, no boards.
    known
        Files that the archive had already.
    total
        Boards of the archive now.
    first_reject
        Where the first record stands that is no board, and why; empty if there is none.
    """

    boards: int
    duplicates: int
    rejects: int
    known: tuple[str, ...]
    total: int
    first_reject: str = ""


def add_files(
    folder: Path,
    inputs: Input | Sequence[Input],
    *,
    replace: bool = False,
    grown: bool = False,
    jobs: int | None = None,
    backend: str = "auto",
    solve: Solve | None = None,
    report: Report | None = None,
) -> Added:
    """Add the boards of files to an archive, which is made if it is not there.

    Everybody who bids the archive bids the new boards.

    Parameters
    ----------
    folder : path
        Of the archive.
    inputs
        What :func:`bidcascade.loaders.read_deals` takes.
    replace
        A file that has changed takes the place of what it held before; else that is an error,
        unless it held no board.
    grown
        So does one to which something was added at its end, as nothing is lost by it.
    jobs, backend
        Processes that read; where systems bid.
    solve
        Needed where the archive has double-dummy tables.
    report
        Told how far it is.

    Raises
    ------
    InvalidInput
        If an input does not exist or has changed, no input holds a board, or another process
        writes to the archive.
    CannotWrite
        If the disk is full; what counted before still does.
    """
    sources = find_sources(inputs)
    is_new = not (folder / CATALOGUE).exists()
    if is_new:
        refuse_hopeless(sources)
    with writing(folder, create=True) as catalogue:
        engines = Engines(catalogue, backend)
        for name in catalogue.bidders:
            # said before hours of work
            _ = engines[name]
        writer = PartWriter(folder, catalogue, engines, solve)
        wanted, known = _wanted(writer, sources, replace=replace, grown=grown)
        adder = _Adder(writer, wanted, jobs, report)
        adder.run()
        if is_new and not catalogue.boards:
            _leave_nothing(folder)
            raise InvalidInput(
                f"expected boards, got none and {adder.rejects} rejects"
                + (f"; first reject: {adder.first_reject}" if adder.first_reject else "")
            )
        return Added(
            adder.boards,
            adder.duplicates,
            adder.rejects,
            tuple(known),
            catalogue.boards,
            adder.first_reject,
        )


def remove_source(folder: Path, name: str) -> int:
    """Remove the boards of a file; those that other files have too stay, as boards of theirs.

    Parameters
    ----------
    folder : path
    name
        Path or name of the file, as the archive has it.

    Returns
    -------
    int
        Boards that are gone.

    Raises
    ------
    InvalidInput
        If the archive has no such file, or several of that name.
    """
    with writing(folder) as catalogue:
        there = [one for one in catalogue.sources if one is not None]
        found = [one for one in there if one.path == name] or [
            one for one in there if one.name == name
        ]
        if len(found) != 1:
            raise InvalidInput(
                f"expected a file of the archive {folder.name!r}, got {name!r}: "
                + (f"{len(found)} have that name, give the path" if found else "it has none such")
            )
        writer = PartWriter(folder, catalogue, Engines(catalogue))
        return _remove(writer, catalogue.sources.index(found[0]))


def remove_archive(folder: Path) -> int:
    """Remove a whole archive; the number of boards that it had.

    Raises
    ------
    InvalidInput
        If there is none, or somebody writes to it.
    """
    with writing(folder) as catalogue:
        boards = catalogue.boards
        _leave_nothing(folder)
    return boards


def _leave_nothing(folder: Path) -> None:
    archive_folder(folder).remove(Catalogue().as_run())
    if all(file.name == LOCK for file in folder.iterdir()):
        shutil.rmtree(folder, ignore_errors=True)


def _wanted(
    writer: PartWriter, sources: list[Source], *, replace: bool, grown: bool
) -> tuple[dict[int, Source], list[str]]:
    """Find what is to be read, by numbers of the catalogue, and the names of what is known."""
    catalogue, folder = writer.catalogue, writer.folder
    known: list[str] = []
    wanted: dict[int, Source] = {}
    gone: list[int] = []
    changed: list[int] = []
    shas: dict[str | None, int] = {}
    paths: dict[str | None, list[int]] = {}
    for place, one in enumerate(catalogue.sources):
        if one is not None:
            shas.setdefault(one.sha256, place)
            paths.setdefault(one.path, []).append(place)
    new: list[tuple[Source, ArchivedSource]] = []
    for source, about in zip(sources, describe_inputs(sources), strict=True):
        path = None if source.path is None else shown_path(source.path.absolute())
        mark = ArchivedSource(source.name, path, about["bytes"], about["sha256"])
        number = None if mark.sha256 is None else shas.get(mark.sha256)
        if number is None:
            for place in [] if path is None else paths.get(path, []):
                may_go = _holds_nothing(catalogue, place) or (
                    grown and _has_grown(catalogue, place, source)
                )
                (gone if may_go else changed).append(place)
            if mark.sha256 is not None:
                shas[mark.sha256] = len(catalogue.sources) + len(new)
            new.append((source, mark))
        elif number >= len(catalogue.sources) or number in wanted or _is_done(catalogue, number):
            known.append(source.name)
        else:
            wanted[number] = source
    if changed and not replace:
        one = catalogue.sources[changed[0]]
        assert one is not None
        raise InvalidInput(
            f"expected {one.path!r} as it was when it was added to the archive {folder.name!r}, "
            "but it has changed: --replace takes it in the place of what it held before"
        )
    for place in dict.fromkeys((*gone, *changed)):
        _remove(writer, place)
    for source, mark in new:
        wanted[len(catalogue.sources)] = source
        catalogue.sources.append(mark)
    if new:
        catalogue.write(folder)
    return wanted, known


def _is_done(catalogue: Catalogue, number: int) -> bool:
    source = catalogue.sources[number]
    return source is not None and source.done


def _holds_nothing(catalogue: Catalogue, number: int) -> bool:
    """Whether no board is of a file, as of one that could not be read."""
    source = catalogue.sources[number]
    assert source is not None
    return not (source.boards or source.duplicates)


def _has_grown(catalogue: Catalogue, number: int, source: Source) -> bool:
    """Whether a file begins with all that it held when it was added."""
    before = catalogue.sources[number]
    assert before is not None
    if before.bytes is None or source.size < before.bytes:
        return False
    digest, left = hashlib.sha256(), before.bytes
    with _readable(source) as file:
        while left and (piece := file.read(min(left, _PIECE))):
            digest.update(piece)
            left -= len(piece)
    return digest.hexdigest() == before.sha256


class _Adder:
    """Reads sources into parts."""

    def __init__(
        self,
        writer: PartWriter,
        wanted: dict[int, Source],
        jobs: int | None,
        report: Report | None,
    ) -> None:
        self._writer = writer
        self._catalogue = writer.catalogue
        self._wanted = wanted
        self._jobs = jobs
        self._report = report
        # of files that were begun before, boards and rejects that are there: they come again first
        self._skipped = {number: self._there(number) for number in wanted}
        self._boards: list[pl.DataFrame] = []
        self._rejects: list[pl.DataFrame] = []
        self._bytes = self._height = self._refused = 0
        self._ended: list[int] = []
        self.boards = self.duplicates = self.rejects = 0
        self.first_reject = ""

    def run(self) -> None:
        """Read all that is wanted."""
        files_done = 0
        for numbers, inputs in self._groups():
            of_name = {self._wanted[number].name: number for number in numbers}
            for chunk in inputs.chunks(RunPosition()):
                self._take(chunk.deals, chunk.rejects, of_name)
                if self._report is not None:
                    self._report(
                        files_done + inputs.files_done,
                        len(self._wanted),
                        self.boards + self._height,
                    )
            files_done += len(numbers)
            self._ended += numbers
        if self._ended:
            self._write()
        self._writer.join_small()

    def _groups(self) -> Iterator[tuple[list[int], Inputs]]:
        """Group what is read together; Parquet, whose rows name their sources, file by file."""
        together: list[int] = []
        for number, source in self._wanted.items():
            if _is_parquet(source):
                if together:
                    yield together, self._inputs(together)
                    together = []
                yield [number], self._inputs([number])
            else:
                together.append(number)
        if together:
            yield together, self._inputs(together)

    def _inputs(self, numbers: list[int]) -> Inputs:
        return Inputs([self._wanted[number] for number in numbers], _CHUNK, self._jobs)

    def _take(self, deals: pl.DataFrame, rejects: pl.DataFrame, of_name: dict[str, int]) -> None:
        if len(of_name) == 1:
            (only,) = of_name.values()
            file = pl.lit(only, pl.UInt32)
        else:
            file = pl.col("source").replace_strict(of_name, return_dtype=pl.UInt32)
        boards = self._new(deals.with_columns(file=file), 0)
        refused = self._new(rejects.with_columns(file=file), 1)
        if boards.height:
            self._boards.append(boards)
            self._height += boards.height
            self._bytes += int(boards.estimated_size())
        if refused.height:
            if not self.first_reject:
                self.first_reject = first_reject(refused.drop("file"))
            self._rejects.append(refused)
            self._refused += refused.height
        is_full = self._height >= PART_BOARDS or self._bytes >= PART_BYTES
        if is_full or self._refused >= _MOST_REJECTS:
            self._write()

    def _write(self) -> None:
        """Write what was read as a part, without what is there already."""
        boards = pl.concat([pl.DataFrame(schema=_READ_SCHEMA), *self._boards], rechunk=True)
        rejects = pl.concat([_NO_REJECTS, *self._rejects])
        self._boards, self._rejects = [], []
        self._bytes = self._height = self._refused = 0
        start = 0
        while start < max(1, boards.height):
            last = start + PART_BOARDS >= boards.height
            self._write_part(
                boards.slice(start, PART_BOARDS), rejects if last else _NO_REJECTS, is_last=last
            )
            start += PART_BOARDS

    def _write_part(self, boards: pl.DataFrame, rejects: pl.DataFrame, *, is_last: bool) -> None:
        keys = board_keys(boards)
        stands = first_of_each(boards, keys).astype(np.int64)
        ids = np.full(boards.height, -1, np.int64)
        self._find_earlier(boards, keys, ids)
        ids = ids[stands]
        new = (stands == np.arange(boards.height)) & (ids < 0)
        first = self._catalogue.next_id
        ids[new] = first + np.arange(new.sum())
        ids = ids[stands]
        numbered = boards.with_columns(id=pl.Series(ids.astype(np.uint64)))
        duplicates = numbered.filter(pl.Series(~new)).select(DUPLICATE_SCHEMA.names())
        contents = Contents(
            numbered.filter(pl.Series(new)).select(BOARD_SCHEMA.names()),
            keys[new],
            rejects,
            duplicates.cast(DUPLICATE_SCHEMA),
        )
        self._count(contents)
        if is_last:
            self._count_ended()
        self._catalogue.next_id += int(new.sum())
        there = contents.boards.height or rejects.height or duplicates.height
        self._writer.commit(
            [*self._catalogue.parts, *([self._writer.write(contents)] if there else [])]
        )

    def _count(self, contents: Contents) -> None:
        for frame, what in (
            (contents.boards, "boards"),
            (contents.duplicates, "duplicates"),
            (contents.rejects, "rejects"),
        ):
            counts = rejects_by(frame, "file") if what == "rejects" else rows_by(frame, "file")
            for number, count in counts:
                setattr(self, what, getattr(self, what) + count)
                source = self._catalogue.sources[number]
                assert source is not None
                setattr(source, what, getattr(source, what) + count)

    def _count_ended(self) -> None:
        for number in self._ended:
            source = self._catalogue.sources[number]
            assert source is not None
            source.done = True
        self._ended = []

    def _find_earlier(self, boards: pl.DataFrame, keys: U64, ids: np.ndarray) -> None:
        """Write down the numbers of boards of earlier parts that are the same."""
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        for files in self._catalogue.parts:
            if not files.boards:
                continue
            part = ArchivePart(self._writer.folder, files)
            theirs: U64 = np.load(part.path(f"keys-{files.number:05}.npy"), allow_pickle=False)
            places = np.searchsorted(ordered, theirs)
            places[places == len(ordered)] = 0
            there = np.flatnonzero(ordered[places] == theirs) if len(ordered) else places[:0]
            if not len(there):
                continue
            mine = order[places[there]]
            same = are_same(boards[mine], part.frame(there.astype(np.uint32))).to_numpy()
            ids[mine[same]] = part.ids[there[same]].astype(np.int64)

    def _there(self, number: int) -> list[int]:
        source = self._catalogue.sources[number]
        assert source is not None
        return [source.boards + source.duplicates, source.rejects]

    def _new(self, frame: pl.DataFrame, kind: int) -> pl.DataFrame:
        """Leave out the records of a file that count already."""
        for number, count in rows_by(frame, "file"):
            if skipped := min(self._skipped[number][kind], count):
                self._skipped[number][kind] -= skipped
                of_file = pl.col("file") == number
                frame = frame.filter(~of_file | (of_file.cum_sum() > skipped))
        return frame


def rows_by(frame: pl.DataFrame, column: str) -> Iterator[tuple[int, int]]:
    """Count the rows for each value of a column."""
    return frame.group_by(column).len().iter_rows()


_READ_SCHEMA: Final = pl.Schema({**DEAL_SCHEMA, "file": pl.UInt32()})
_NO_REJECTS: Final = pl.DataFrame(schema={**REJECT_SCHEMA, "file": pl.UInt32()})


def _is_parquet(source: Source) -> bool:
    if source.data is not None:
        return source.data[:4] == _NO_PARQUET
    if source.path is None:
        return False
    with _readable(source) as file:
        return file.read(4) == _NO_PARQUET


@contextmanager
def _readable(source: Source) -> Iterator[IO[bytes]]:
    try:
        with source.open() as file:
            yield file
    except OSError as error:
        raise InvalidInput(f"cannot read {source.name!r}: {error.strerror}") from None


def _remove(writer: PartWriter, number: int) -> int:
    """Remove a source's boards from all parts, and the source from the catalogue."""
    catalogue = writer.catalogue
    gone = 0
    instead = _other_records(writer, number)
    # one step for all parts: a run that is killed has removed nothing
    parts: list[PartFiles] = []
    for files in catalogue.parts:
        (contents,) = writer.read([files])
        touched = [
            frame
            for frame in (contents.boards, contents.rejects, contents.duplicates)
            if frame.height and (frame["file"] == number).any()
        ]
        taken = instead.filter(pl.col("part") == files.number)["row"]
        if not touched and not len(taken):
            parts.append(files)
            continue
        boards = contents.boards.join(
            instead, on="id", how="left", suffix="_other", maintain_order="left"
        )
        other = (pl.col("file") == number) & pl.col("file_other").is_not_null()
        moved = boards.with_columns(
            pl.when(other).then(pl.col(f"{name}_other")).otherwise(pl.col(name)).alias(name)
            for name in ("file", "source", "record")
        ).select(BOARD_SCHEMA.names())
        staying = (moved["file"] != number).to_numpy()
        for mover, count in boards.filter(other).group_by("file_other").len().iter_rows():
            source = catalogue.sources[mover]
            assert source is not None
            source.boards += count
            source.duplicates -= count
        contents.boards = moved
        contents = contents.filter(staying)
        contents.rejects = (
            contents.rejects.filter(pl.col("file") != number)
            if contents.rejects.height
            else contents.rejects
        )
        contents.duplicates = (
            contents.duplicates.with_row_index("row")
            .filter((pl.col("file") != number) & ~pl.col("row").is_in(taken.implode()))
            .drop("row")
        )
        gone += int((~staying).sum())
        left = contents.boards.height or contents.rejects.height or contents.duplicates.height
        if left:
            parts.append(writer.write(contents))
    catalogue.sources[number] = None
    writer.commit(parts)
    return gone


def _other_records(writer: PartWriter, number: int) -> pl.DataFrame:
    """For boards of a source, the first record of another that they stand for too, and where."""
    parts = writer.catalogue.parts
    ids, others = [], []
    for files, contents in zip(parts, writer.read(parts), strict=True):
        ids.append(contents.boards.filter(pl.col("file") == number).select("id"))
        duplicates = contents.duplicates.with_row_index("row")
        others.append(
            duplicates.filter(pl.col("file") != number).with_columns(part=pl.lit(files.number))
        )
    none = pl.DataFrame(schema={"row": pl.UInt32, **DUPLICATE_SCHEMA, "part": pl.Int32})
    found = pl.concat([none, *others]).join(
        pl.concat([none.select("id"), *ids]), on="id", how="semi"
    )
    return found.unique("id", keep="first", maintain_order=True)
