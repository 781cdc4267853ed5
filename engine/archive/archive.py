"""An archive to read: its parts, opened as they are needed and mapped into memory."""

import threading
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
import polars as pl

from bidcascade.bridge import InvalidInput
from bidcascade.engine.questions.archives import ArchiveAnswer, ArchiveBidderAnswer
from bidcascade.engine.questions.parts.answer_fields import answer_of
from bidcascade.engine.settings import default_data_folder, read_settings
from bidcascade.kernels import DealArrays
from bidcascade.kernels.machine.forks import check_not_forked
from bidcascade.kernels.types import U32, U64
from bidcascade.loaders import DEAL_SCHEMA, HAND_COLUMNS
from bidcascade.systems.allowed_index import AllowedNode, allowed_rows

from .bidding import ArchiveEngine
from .catalogue import CATALOGUE, OWN, ArchiveBidder, Catalogue, PartFiles, check_name, unknown
from .mapped_frames import read_mapped
from .mapped_nodes import MappedNodes
from .postings import Postings

_Answer = TypeVar("_Answer")
BOARD_SCHEMA: Final = pl.Schema({"id": pl.UInt64(), "file": pl.UInt32(), **DEAL_SCHEMA})
"""Columns of ``boards-*.parquet``: a deal frame with ``id``, which stays, and ``file``."""


def archives_folder(named: str | Path | None = None) -> Path:
    """Folder of all archives: the one named, else that of the setting ``archives_folder``.

    Without any it is ``archives`` in the user's data folder.
    """
    named = named or read_settings().archives_folder
    return Path(named) if named else default_data_folder() / "archives"


def bids_files(name: str, part: int, digest: str) -> dict[str, str]:
    """Names of the files with what somebody bids on a part: ``bids``, ``first``, ``all``.

    Examples
    --------
    >>> bids_files("own", 3, "")["first"]
    'first-own-00003.arrow'
    """
    tail = f"-{name}-{part:05}" + (f"-{digest[:8]}" if digest else "")
    return {"bids": f"bids{tail}.parquet", "first": f"first{tail}.arrow", "all": f"all{tail}.arrow"}


def checksum(path: Path) -> int:
    """CRC-32 of a file."""
    found = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            found = zlib.crc32(block, found)
    return found


class ArchivePart:
    """A part of an archive.

    Parameters
    ----------
    folder : Path
    files : PartFiles
    """

    def __init__(self, folder: Path, files: PartFiles) -> None:
        self.folder = folder
        self.files = files
        self._checked: set[str] = set()
        self._postings: dict[str, Postings] = {}
        self._allowed: dict[str, MappedNodes] = {}

    def path(self, name: str) -> Path:
        """Path of one of the part's files, which is as the catalogue says; read through once.

        Raises
        ------
        InvalidInput
            If the file is gone or has changed.
        """
        path = self.folder / name
        if name not in self.files.files:
            raise InvalidInput(f"damaged archive {self.folder.name!r}: it names no {name!r}")
        size = path.stat().st_size if path.is_file() else None
        if size != self.files.files[name]:
            raise InvalidInput(
                f"damaged archive {self.folder.name!r}: expected {name!r} of "
                f"{self.files.files[name]} bytes, got {'no file' if size is None else size}"
            )
        if name not in self._checked:
            # what is mapped is believed: an offset beyond the end would end the process
            if checksum(path) != self.files.sums.get(name):
                raise InvalidInput(
                    f"damaged archive {self.folder.name!r}: {name!r} is not as it was written"
                )
            self._checked.add(name)
        return path

    @cached_property
    def boards(self) -> pl.DataFrame:
        """Columns of the boards that are not all null, mapped."""
        return read_mapped(self.path(f"boards-{self.files.number:05}.arrow"))

    @cached_property
    def ids(self) -> U64:
        """Numbers of the boards, ascending."""
        ids: U64 = self.boards["id"].to_numpy()
        return ids

    def deals(self, rows: U32 | None = None, seats: Sequence[int] = range(4)) -> DealArrays:
        """Deals of some rows, or of all, as arrays; of other seats hands are anything."""
        wanted: slice | U32 = slice(None) if rows is None else rows
        if rows is not None and len(rows) and (np.diff(rows) == 1).all():
            # side by side: nothing has to be gathered
            wanted = slice(int(rows[0]), int(rows[-1]) + 1)

        def column(name: str) -> np.ndarray:
            taken: np.ndarray = self.boards[name].to_physical().to_numpy()[wanted]
            return taken

        dealer = column("dealer")
        hands = np.empty((4, len(dealer)), np.uint64)
        for seat in seats:
            hands[seat] = column(HAND_COLUMNS[seat])
        return DealArrays(hands, dealer, column("vulnerability"))

    def frame(self, rows: U32) -> pl.DataFrame:
        """Boards of some rows with all columns of :data:`BOARD_SCHEMA`."""
        found = self.boards[rows]
        return found.select(
            pl.col(name) if name in found.columns else pl.lit(None, dtype).alias(name)
            for name, dtype in BOARD_SCHEMA.items()
        )

    def has(self, name: str) -> bool:
        """Whether the part has a file."""
        return name in self.files.files

    def postings(self, name: str, digest: str = "") -> Postings:
        """Rows by auction: those of the sources, or what somebody bids.

        Raises
        ------
        InvalidInput
            If the part was not bid by that table or system.
        """
        file = bids_files(name, self.files.number, digest)["first"]
        if not self.has(file):
            raise InvalidInput(
                f"expected what {name!r} bids on all parts of the archive, got none of part "
                f"{self.files.number}: archive bid it"
            )
        if file not in self._postings:
            self._postings[file] = Postings(read_mapped(self.path(file)), self.files.boards)
        return self._postings[file]

    def allowed(self, name: str, digest: str) -> Mapping[bytes, AllowedNode]:
        """Index of mode ``all``: who may bid which auction.

        Raises
        ------
        InvalidInput
            If the part was not bid so.
        """
        file = bids_files(name, self.files.number, digest)["all"]
        if not self.has(file):
            raise InvalidInput(
                f"expected the index of mode all by {name!r} for all parts of the archive, got "
                f"none of part {self.files.number}: archive bid with --all makes it"
            )
        if file not in self._allowed:
            self._allowed[file] = MappedNodes(read_mapped(self.path(file)))
        return self._allowed[file]

    @property
    def is_solved(self) -> bool:
        """Whether double-dummy tables of all boards are there."""
        return self.has(f"dd-{self.files.number:05}.parquet")

    @cached_property
    def solved(self) -> pl.DataFrame:
        """Double-dummy tables and par of all boards."""
        return pl.read_parquet(self.path(f"dd-{self.files.number:05}.parquet"))


class Archive:
    """An archive to read; safe to use from several threads.

    What a writer has brought to an end is seen at the next question.

    Parameters
    ----------
    folder : path

    Raises
    ------
    UnknownArchive
        If it is not there.
    InvalidInput
        If its catalogue is damaged.
    """

    def __init__(self, folder: Path) -> None:
        check_not_forked()
        self.folder = folder
        self._lock = threading.RLock()
        self._seen: tuple[int, int] | None = None
        self._catalogue = Catalogue()
        self._parts: list[ArchivePart] = []
        self._engines: dict[str, ArchiveEngine] = {}
        _ = self.catalogue

    @classmethod
    def named(cls, name: str, root: str | Path | None = None) -> "Archive":
        """Open an archive by its name, among those of a folder or of the user."""
        return cls(archives_folder(root) / check_name(name))

    @property
    def name(self) -> str:
        """Name of the archive: that of its folder."""
        return self.folder.name

    @property
    def catalogue(self) -> Catalogue:
        """Catalogue as it is now."""
        with self._lock:
            self._look()
            return self._catalogue

    @property
    def parts(self) -> list[ArchivePart]:
        """Parts as they are now."""
        with self._lock:
            self._look()
            return self._parts

    def _look(self) -> None:
        """Read the catalogue where it has been replaced."""
        try:
            there = (self.folder / CATALOGUE).stat()
        except OSError:
            raise unknown(self.folder) from None
        seen = there.st_mtime_ns, there.st_ino
        if seen == self._seen:
            return
        self._catalogue = Catalogue.read(self.folder)
        old = {part.files.number: part for part in self._parts}
        self._parts = [
            old[files.number]
            if files.number in old and old[files.number].files == files
            else ArchivePart(self.folder, files)
            for files in self._catalogue.parts
        ]
        self._seen = seen

    def unless_overtaken(self, answer: Callable[[], _Answer]) -> _Answer:
        """Ask, and again where a writer has taken files away meanwhile."""
        while True:
            before = self.catalogue
            try:
                return answer()
            except (InvalidInput, OSError):
                if self.catalogue is before:
                    raise

    def summary(self) -> ArchiveAnswer:
        """Say what is in the archive, in numbers."""
        catalogue = self.catalogue
        sources = [one for one in catalogue.sources if one is not None]
        bidders = {}
        for name, bidder in catalogue.bidders.items():
            bid = sum(
                part.boards
                for part in catalogue.parts
                if bids_files(name, part.number, bidder.digest)["first"] in part.files
            )
            bidders[name] = answer_of(ArchiveBidderAnswer, bidder, boards=bid)
        return ArchiveAnswer(
            name=self.name,
            boards=catalogue.boards,
            parts=len(catalogue.parts),
            sources=len(sources),
            duplicates=sum(one.duplicates for one in sources),
            rejects=sum(one.rejects for one in sources),
            solved=sum(part.files.boards for part in self.parts if part.is_solved),
            bytes=sum(catalogue.files().values()),
            bidders=bidders,
        )

    def bidder(self, name: str) -> ArchiveBidder | None:
        """Who bids the archive under a name; None for what was really bid.

        Raises
        ------
        InvalidInput
            If nobody of that name does; says who does.
        """
        if name == OWN:
            return None
        catalogue = self.catalogue
        if name not in catalogue.bidders:
            there = ", ".join([OWN, *catalogue.bidders])
            raise InvalidInput(f"expected who bids the archive ({there}), got {name!r}")
        return catalogue.bidders[name]

    def digest(self, name: str) -> str:
        """Digest of who bids under a name; empty for what was really bid."""
        bidder = self.bidder(name)
        return "" if bidder is None else bidder.digest

    def engine(self, name: str) -> ArchiveEngine:
        """Table or system that bids under a name, as it was when it did.

        Raises
        ------
        InvalidInput
            If it does not exist any more, or has changed since.
        """
        bidder = self.bidder(name)
        if bidder is None:
            raise InvalidInput(f"expected a table or system, got {name!r}")
        with self._lock:
            known = self._engines.get(name)
            if known is None or known.digest != bidder.digest:
                known = self._engines[name] = ArchiveEngine.of(bidder)
        if known.digest != bidder.digest:
            raise InvalidInput(
                f"expected {name!r} as it was when it bid the archive {self.name!r}, but it has "
                "changed: 'archive bid' lets it bid all boards again"
            )
        return known

    def allowed_rows(self, part: ArchivePart, name: str, auction: bytes) -> U32:
        """Rows of a part that a table or system lets bid an auction, ascending.

        Raises
        ------
        InvalidInput
            If it did not bid the part with mode ``all``; and, where the index does not say it
            all, if it has changed or is gone.
        IllegalCall
            If the auction is illegal.
        """
        return allowed_rows(
            part.allowed(name, self.digest(name)),
            auction,
            lambda rows: self.engine(name).calls(part.deals(rows)),
        )

    def contracts(self, part: ArchivePart, name: str) -> pl.Series:
        """Contracts that somebody bids on the boards of a part."""
        file = bids_files(name, part.files.number, self.digest(name))["bids"]
        return pl.read_parquet(part.path(file), columns=["contract"])["contract"]
