"""The catalogue of an archive: its sources, its parts, and which tables and systems bid them.

It is the manifest of a run that goes on as long as files come (see ``engine.runs.manifest``): a
file that it does not name is left over from an interrupted run and counts for nothing. It is
replaced as a whole after each step.

    archive.json                    this
    boards-00000.parquet            deal frame; in front ``id`` and ``file`` (number of the source)
    boards-00000.arrow              columns of it that are not all null, to be mapped into memory
    keys-00000.npy                  what duplicates are known by, one number a board
    rejects-00000.parquet           records of the sources that are no boards
    duplicates-00000.parquet        records that an earlier board stands for
    dd-00000.parquet                double-dummy tables and par, where they were asked for
    first-own-00000.arrow           auctions that were really bid, each with its rows
    bids-sayc-00000-DIGEST.parquet  what a table or system bids, a row a board
    first-sayc-00000-DIGEST.arrow   its auctions, each with its rows
    all-sayc-00000-DIGEST.arrow     mode all: nodes with their rows, compressed
"""

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from types import UnionType
from typing import Any, Final, TypeVar, get_origin

from bidcascade.bridge import InvalidInput
from bidcascade.engine.runs import manifest
from bidcascade.engine.runs.run_folder import FolderBusy, RunFolder
from bidcascade.loaders.inputs import ARCHIVE_FILE
from bidcascade.version import package_version

CATALOGUE: Final = ARCHIVE_FILE
OWN: Final = "own"
"""Stands for what was really bid where the name of a table or system may stand."""
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_FILE: Final = re.compile(r"[a-z]+-[A-Za-z0-9._-]+\.(parquet|arrow|npy)")
_OWN_FILES: Final = ("*.parquet", "*.arrow", "*.npy")


class UnknownArchive(InvalidInput, LookupError):
    """There is no archive of that name."""


class ArchiveBusy(InvalidInput):
    """Another process writes to the archive."""


@dataclass(slots=True)
class ArchivedSource:
    """A file that was added: ``done`` when all of it is there.

    ``boards`` are those that are new, ``duplicates`` those that an earlier board stands for.
    """

    name: str
    path: str | None
    bytes: int | None
    sha256: str | None
    boards: int = 0
    duplicates: int = 0
    rejects: int = 0
    done: bool = False


PartFiles = manifest.RunPart
"""A part: how many boards, and its files with their lengths in bytes and checksums (CRC-32)."""


@dataclass(slots=True)
class ArchiveBidder:
    """A table or system that bids the archive: what it was opened from, and its digest."""

    table: str
    digest: str
    options: dict[str, Any] = field(default_factory=dict)
    modes: list[str] = field(default_factory=lambda: ["first"])


@dataclass(slots=True)
class Catalogue:
    """What ``archive.json`` holds; a source that was removed is null, so that numbers stay."""

    sources: list[ArchivedSource | None] = field(default_factory=list)
    parts: list[PartFiles] = field(default_factory=list)
    bidders: dict[str, ArchiveBidder] = field(default_factory=dict)
    next_part: int = 0
    next_id: int = 0
    double_dummy: bool = False
    """Whether boards that come are solved as well."""
    version: str = field(default_factory=package_version)

    @property
    def boards(self) -> int:
        """Boards of all parts."""
        return sum(part.boards for part in self.parts)

    def files(self) -> dict[str, int]:
        """All files that count, with their lengths in bytes."""
        return self.as_run().files()

    def as_run(self) -> manifest.Manifest:
        """Give what is written down of the archive."""
        return manifest.Manifest(
            "archive",
            inputs=[None if one is None else asdict(one) for one in self.sources],
            parts=self.parts,
            state={
                "bidders": {name: asdict(one) for name, one in self.bidders.items()},
                "next_part": self.next_part,
                "next_id": self.next_id,
                "double_dummy": self.double_dummy,
            },
            finished=all(one is None or one.done for one in self.sources),
            version=self.version,
        )

    def write(self, folder: Path) -> None:
        """Replace the catalogue in a folder."""
        archive_folder(folder).write(self.as_run())

    @classmethod
    def read(cls, folder: Path) -> "Catalogue":
        """Read the catalogue of a folder.

        Raises
        ------
        InvalidInput
            If it is none, or of another version.
        """
        run = archive_folder(folder).read()
        try:
            sources = [None if one is None else _typed(ArchivedSource(**one)) for one in run.inputs]
            state = {**run.state}
            bidders = {
                check_name(name): _typed(ArchiveBidder(**one))
                for name, one in state.pop("bidders").items()
            }
            for part in run.parts:
                for name, size in _typed(part).files.items():
                    if not _FILE.fullmatch(name) or not isinstance(size, int):
                        raise ValueError(f"expected the name of a file, got {name!r}")
            return _typed(cls(sources, run.parts, bidders, version=run.version, **state))
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            path = str(folder / CATALOGUE)
            raise InvalidInput(f"damaged manifest {path!r}: {error}") from None

    def clean(self, folder: Path) -> None:
        """Remove what an interrupted run left over."""
        archive_folder(folder).clean(self.as_run())


def archive_folder(folder: Path) -> RunFolder:
    """Folder of an archive, whether it is there or not."""
    return RunFolder(folder, "archive", _OWN_FILES, manifest=CATALOGUE)


_Typed = TypeVar("_Typed", ArchivedSource, PartFiles, ArchiveBidder, Catalogue)


def _typed(value: _Typed) -> _Typed:
    for one in fields(value):
        kind: Any = one.type
        got = getattr(value, one.name)
        if not isinstance(got, kind if isinstance(kind, UnionType) else get_origin(kind) or kind):
            raise TypeError(f"expected {kind} as {one.name!r}, got {got!r}")
    return value


def check_name(name: str) -> str:
    """Give back the name of an archive, or of who bids it.

    Raises
    ------
    InvalidInput
        If it can be no part of a file's name.

    Examples
    --------
    >>> check_name("club-2026")
    'club-2026'
    """
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            "expected a name of letters, digits, '-', '_' and '.', at most 64, that begins with a "
            f"letter or digit, got {name[:80]!r}"
        )
    return name


@contextmanager
def writing(folder: Path, *, create: bool = False) -> Iterator[Catalogue]:
    """Hold an archive for one writer, and give its catalogue without leftovers.

    Raises
    ------
    UnknownArchive
        If it is not there and is not to be made.
    ArchiveBusy
        If another process writes to it.
    InvalidInput
        If the folder holds something else.
    CannotWrite
        If the folder cannot be written to.
    """
    run_folder = archive_folder(folder)
    if not run_folder.is_started:
        if not create:
            raise unknown(folder)
        run_folder.check_empty()
    with ExitStack() as stack:
        try:
            stack.enter_context(run_folder.held())
        except FolderBusy:
            raise ArchiveBusy(
                f"another process is writing to the archive {folder.name!r}"
            ) from None
        if run_folder.is_started:
            catalogue = Catalogue.read(folder)
        else:
            catalogue = Catalogue()
            catalogue.write(folder)
        catalogue.clean(folder)
        try:
            yield catalogue
        except BaseException:
            # a full disk needs the room of what does not count
            if run_folder.is_started:
                Catalogue.read(folder).clean(folder)
            raise


def unknown(folder: Path) -> UnknownArchive:
    """Say that there is no such archive, and which there are."""
    there = ", ".join(archive_names(folder.parent)) or "none"
    return UnknownArchive(f"expected an archive ({there}), got {folder.name!r}")


def archive_names(root: Path) -> list[str]:
    """Names of the archives in a folder.

    Examples
    --------
    >>> archive_names(Path("nowhere"))
    []
    """
    if not root.is_dir():
        return []
    return sorted(one.name for one in root.iterdir() if (one / CATALOGUE).is_file())
