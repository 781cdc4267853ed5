"""What is worked out for all boards of an archive: what systems bid, and double-dummy tables.

A part at a time, each part made to count when it is whole: a run that is killed goes on where it
was. Who has changed bids all boards again beside what stands there, which is asked until the new
is whole.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import polars as pl

from bidcascade.bridge import InvalidInput
from bidcascade.engine.runs.progress import Report
from bidcascade.systems import absolute_name

from .archive import ArchivePart, bids_files
from .bidding import ArchiveEngine
from .catalogue import OWN, ArchiveBidder, PartFiles, check_name, writing
from .parts import Engines, PartWriter, Solve

MODES: Final = ("first", "all")


@dataclass(frozen=True, slots=True)
class BidArchive:
    """What bidding an archive did: boards that were bid now, of all, and by whom."""

    name: str
    digest: str
    bid: int
    boards: int


def bid_archive(
    folder: Path,
    table: str,
    *,
    name: str | None = None,
    all_calls: bool | None = None,
    backend: str = "auto",
    report: Report | None = None,
    **options: Any,
) -> BidArchive:
    """Let a table or system bid all boards of an archive, and from then on those that come.

    What is there already stays; so a run after nothing has changed does nothing.

    Parameters
    ----------
    folder : path
        Of the archive.
    table
        Name or path.
    name
        Under which it is asked for; by default that of the system, or of the file.
    all_calls
        Index mode ``all``, too; by default as before.
    backend, report, options
        Where systems bid; who is told how far it is; how a file of rows is read.

    Raises
    ------
    InvalidInput
        If the archive or the table does not exist, or another process writes to the archive.
    CannotWrite
        If the disk is full; the parts that are whole stay.
    """
    name = check_name(Path(table).stem if name is None else name)
    if name == OWN:
        raise InvalidInput(f"expected another name than {OWN!r}, which is what was really bid")
    table = absolute_name(table)
    engine = ArchiveEngine(table, backend, **options)
    with writing(folder) as catalogue:
        before = catalogue.bidders.get(name)
        modes = ["first"] if before is None else list(before.modes)
        if all_calls is not None:
            modes = [*MODES] if all_calls else ["first"]
        bidder = ArchiveBidder(table, engine.digest, options, modes)
        engines = Engines(catalogue, backend)
        engines.put(name, engine)
        writer = PartWriter(folder, catalogue, engines)
        bid = done = 0
        for files in catalogue.parts:
            part = ArchivePart(folder, files)
            earlier = None if before is None else before.digest
            if files.boards and writer.write_bids(part, name, bidder, earlier=earlier):
                bid += files.boards
                catalogue.write(folder)
            done += files.boards
            if report is not None:
                report(done, catalogue.boards, done)
        catalogue.bidders[name] = bidder
        for files in catalogue.parts:
            _drop(files, name, besides=bidder)
        catalogue.write(folder)
        catalogue.clean(folder)
        return BidArchive(name, engine.digest, bid, catalogue.boards)


def forget_bids(folder: Path, name: str) -> None:
    """Remove what a table or system bids on an archive.

    Raises
    ------
    InvalidInput
        If nobody bids it under that name.
    """
    with writing(folder) as catalogue:
        if name not in catalogue.bidders:
            there = ", ".join(catalogue.bidders) or "nobody"
            raise InvalidInput(f"expected who bids the archive ({there}), got {name!r}")
        del catalogue.bidders[name]
        for files in catalogue.parts:
            _drop(files, name)
        catalogue.write(folder)
        catalogue.clean(folder)


def solve_archive(folder: Path, solve: Solve, *, report: Report | None = None) -> int:
    """Solve all boards of an archive, and from then on those that come; how many were.

    Raises
    ------
    InvalidInput
        If there is no such archive, or another process writes to it.
    """
    with writing(folder) as catalogue:
        catalogue.double_dummy = True
        catalogue.write(folder)
        writer = PartWriter(folder, catalogue, Engines(catalogue), solve)
        solved = done = 0
        for files in catalogue.parts:
            part = ArchivePart(folder, files)
            if files.boards and not part.is_solved:
                boards = pl.read_parquet(part.path(f"boards-{files.number:05}.parquet"))
                writer.put(solve(boards), f"dd-{files.number:05}.parquet", files)
                solved += files.boards
                catalogue.write(folder)
            done += files.boards
            if report is not None:
                report(done, catalogue.boards, done)
        return solved


def _drop(files: PartFiles, name: str, besides: ArchiveBidder | None = None) -> None:
    """Leave out of a part what somebody bid, but for what counts."""
    staying: list[str] = []
    if besides is not None:
        named = bids_files(name, files.number, besides.digest)
        staying = [named["bids"], *(named[mode] for mode in besides.modes)]
    theirs = re.compile(rf"(bids|first|all)-{re.escape(name)}-{files.number:05}-[0-9a-f]+\.\w+")
    for file in list(files.files):
        if file not in staying and theirs.fullmatch(file):
            del files.files[file], files.sums[file]
