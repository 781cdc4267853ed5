"""Parts of an archive, written: boards, what they are found by, and what is bid on them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from bidcascade.bridge import InvalidInput
from bidcascade.kernels.machine.npy_files import write_npy
from bidcascade.kernels.types import U64
from bidcascade.loaders.files.whole_files import can_write, whole_file, write_parquet

from .archive import BOARD_SCHEMA, ArchivePart, bids_files, checksum
from .bidding import ArchiveEngine
from .catalogue import OWN, ArchiveBidder, Catalogue, PartFiles
from .mapped_frames import write_mapped
from .postings import posting_frame

PART_BOARDS: Final = 1_000_000
"""Most boards of a part."""
PART_BYTES: Final = 1 << 29
"""Bytes of boards in memory after which a part is written."""
_SMALL: Final = 1000
DUPLICATE_SCHEMA: Final = pl.Schema(
    {"id": pl.UInt64(), "file": pl.UInt32(), "source": pl.String(), "record": pl.UInt32()}
)
"""Columns of ``duplicates-*.parquet``: a record, and the board that stands for it."""
Solve = Callable[[pl.DataFrame], pl.DataFrame]
"""Gives boards their columns of ``dd-*.parquet``."""


class Engines:
    """The tables and systems that bid an archive, each opened when it is first asked for.

    Parameters
    ----------
    catalogue : Catalogue
    backend : str
    """

    def __init__(self, catalogue: Catalogue, backend: str = "auto") -> None:
        self._catalogue = catalogue
        self._backend = backend
        self._open: dict[str, ArchiveEngine] = {}

    def __getitem__(self, name: str) -> ArchiveEngine:
        """Open who bids under a name.

        Raises
        ------
        InvalidInput
            If that does not exist any more, or has changed since it bid the archive.
        """
        if name not in self._open:
            bidder = self._catalogue.bidders[name]
            engine = ArchiveEngine.of(bidder, self._backend)
            if engine.digest != bidder.digest:
                raise InvalidInput(
                    f"expected {name!r} as it was when it bid the archive, but it has changed: "
                    "'archive bid' lets it bid all boards again, 'archive forget' drops it"
                )
            self._open[name] = engine
        return self._open[name]

    def put(self, name: str, engine: ArchiveEngine) -> None:
        """Take an engine that is open already."""
        self._open[name] = engine


@dataclass(slots=True)
class Contents:
    """What a part is made of.

    Parameters
    ----------
    boards
        :data:`BOARD_SCHEMA`.
    keys
        One a board, uint64; see ``duplicates``.
    rejects, duplicates
        Records that are no boards of their own, with ``file``.
    solved
        Columns of ``dd-*.parquet``; None where they are not there.
    bids
        By name, what is bid on the boards where that is known.
    """

    boards: pl.DataFrame
    keys: U64
    rejects: pl.DataFrame
    duplicates: pl.DataFrame
    solved: pl.DataFrame | None = None
    bids: dict[str, pl.DataFrame] = field(default_factory=dict)

    def filter(self, chosen: np.ndarray) -> "Contents":
        """Give the same without some boards."""
        rows = np.flatnonzero(chosen)
        return Contents(
            self.boards[rows],
            self.keys[rows],
            self.rejects,
            self.duplicates,
            None if self.solved is None else self.solved[rows],
            {name: bids[rows] for name, bids in self.bids.items()},
        )

    @classmethod
    def read(cls, part: ArchivePart, bidders: Mapping[str, ArchiveBidder]) -> "Contents":
        """Read all of a part."""
        number, has = part.files.number, part.has

        def read(name: str, schema: pl.Schema) -> pl.DataFrame:
            file = f"{name}-{number:05}.parquet"
            return pl.read_parquet(part.path(file)) if has(file) else pl.DataFrame(schema=schema)

        bids = {}
        for name, bidder in bidders.items():
            file = bids_files(name, number, bidder.digest)["bids"]
            if has(file):
                bids[name] = pl.read_parquet(part.path(file))
        keys = f"keys-{number:05}.npy"
        return cls(
            read("boards", BOARD_SCHEMA),
            np.load(part.path(keys), allow_pickle=False) if has(keys) else np.zeros(0, np.uint64),
            read("rejects", pl.Schema()),
            read("duplicates", DUPLICATE_SCHEMA),
            part.solved if part.is_solved else None,
            bids,
        )


def joined(parts: list[Contents], bidders: Mapping[str, ArchiveBidder]) -> Contents:
    """Put parts one behind the other; what some of them lack is left out."""
    solved = [part.solved for part in parts if part.boards.height]
    bids = {}
    for name in bidders:
        there = [part.bids[name] for part in parts if name in part.bids]
        if len(there) == len(solved):
            bids[name] = pl.concat(there) if there else pl.DataFrame()
    known = [one for one in solved if one is not None]
    return Contents(
        pl.concat([part.boards for part in parts], rechunk=True),
        np.concatenate([part.keys for part in parts]),
        pl.concat([part.rejects for part in parts], how="diagonal"),
        pl.concat([part.duplicates for part in parts]),
        pl.concat(known) if known and len(known) == len(solved) else None,
        {name: frame for name, frame in bids.items() if frame.width},
    )


class PartWriter:
    """Writes parts into an archive and makes them count.

    Parameters
    ----------
    folder : Path
    catalogue : Catalogue
        Held by this process.
    engines : Engines
    solve : callable, optional
        Needed where the archive has double-dummy tables.
    """

    def __init__(
        self, folder: Path, catalogue: Catalogue, engines: Engines, solve: Solve | None = None
    ) -> None:
        self.folder = folder
        self.catalogue = catalogue
        self.engines = engines
        self._solve = solve

    def write(self, contents: Contents) -> PartFiles:
        """Write the files of a part under a new number; it does not count yet.

        Raises
        ------
        CannotWrite
            If a file cannot be written.
        InvalidInput
            If somebody who bids the archive has changed, or is gone.
        """
        part = PartFiles(self.catalogue.next_part, contents.boards.height)
        self.catalogue.next_part += 1
        tail = f"{part.number:05}"
        for name, frame in (("rejects", contents.rejects), ("duplicates", contents.duplicates)):
            if frame.height:
                self.put(frame, f"{name}-{tail}.parquet", part)
        if not part.boards:
            return part
        boards = contents.boards
        self.put(boards, f"boards-{tail}.parquet", part)
        there = [name for name in boards.columns if boards[name].null_count() < boards.height]
        self.put(boards.select(there), f"boards-{tail}.arrow", part)
        self._put_keys(contents.keys, f"keys-{tail}.npy", part)
        solved = contents.solved
        if solved is None and self.catalogue.double_dummy and self._solve is not None:
            solved = self._solve(boards)
        if solved is not None:
            self.put(solved, f"dd-{tail}.parquet", part)
        self.put(posting_frame(boards["auction"]), bids_files(OWN, part.number, "")["first"], part)
        for name, bidder in self.catalogue.bidders.items():
            self.write_bids(
                ArchivePart(self.folder, part), name, bidder, bids=contents.bids.get(name)
            )
        return part

    def write_bids(
        self,
        part: ArchivePart,
        name: str,
        bidder: ArchiveBidder,
        *,
        bids: pl.DataFrame | None = None,
        earlier: str | None = None,
    ) -> bool:
        """Write what of somebody's bids on a part is not there yet; false if all of it was.

        Parameters
        ----------
        bids
            What is bid, where that is known.
        earlier
            Digest of what bid before, whose index of mode ``all`` is gone on from.
        """
        files = bids_files(name, part.files.number, bidder.digest)
        missing = [one for one in ("bids", *bidder.modes) if not part.has(files[one])]
        if "bids" in missing or "first" in missing:
            found = self.engines[name].bid(part.deals()) if bids is None else bids
            self.put(found, files["bids"], part.files)
            self.put(posting_frame(found["auction"]), files["first"], part.files)
        if "all" in missing:
            before = None
            if earlier is not None and part.has(
                bids_files(name, part.files.number, earlier)["all"]
            ):
                before = part.allowed(name, earlier)
            nodes = self.engines[name].nodes(part.deals(), before)
            self.put(nodes, files["all"], part.files)
        return bool(missing)

    def commit(self, parts: list[PartFiles]) -> None:
        """Make these the parts that count; files that count no more are removed."""
        catalogue = self.catalogue
        before = catalogue.parts
        catalogue.parts = parts
        try:
            catalogue.write(self.folder)
        except OSError:
            catalogue.parts = before
            raise
        catalogue.clean(self.folder)

    def join_small(self) -> None:
        """Put the last parts together while none is much larger than those behind it.

        An archive that grows by single files has few parts so, and each board is written anew only
        a few times.
        """
        while len(self.catalogue.parts) > 1:
            first, second = self.catalogue.parts[-2:]
            both = first.boards + second.boards
            if first.boards > 2 * second.boards + _SMALL or both > PART_BOARDS:
                return
            solved = {
                ArchivePart(self.folder, one).is_solved for one in (first, second) if one.boards
            }
            if len(solved) > 1 and self._solve is None:
                # one part would lose its double-dummy tables
                return
            contents = joined(list(self.read([first, second])), self.catalogue.bidders)
            self.commit([*self.catalogue.parts[:-2], self.write(contents)])

    def read(self, parts: list[PartFiles]) -> Iterator[Contents]:
        """Read parts, one after the other."""
        for part in parts:
            yield Contents.read(ArchivePart(self.folder, part), self.catalogue.bidders)

    def put(self, frame: pl.DataFrame, name: str, part: PartFiles) -> None:
        """Write a file of a part, Parquet or to be mapped."""
        path = self.folder / name
        if path.suffix == ".arrow":
            write_mapped(frame, path)
        else:
            write_parquet(frame, path)
        _count(path, part)

    def _put_keys(self, keys: U64, name: str, part: PartFiles) -> None:
        path = self.folder / name
        with whole_file(path) as partial, can_write(path), partial.open("wb") as file:
            write_npy(file, keys)
        _count(path, part)


def _count(path: Path, part: PartFiles) -> None:
    part.files[path.name] = path.stat().st_size
    part.sums[path.name] = checksum(path)
