"""Tables compiled from systems, kept in folders that say what they were compiled from.

Beside the table's own files such a folder has ``compiled.json``: the system's files with their
SHA-256, its options, how far the table was grown, a key over all of that, and the SHA-256 of the
table's own files. A folder whose key is that of the text as it stands is the table of that text, if
its files are still what was written: they are read once when it is opened.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bidcascade.bridge import InvalidTable
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.storage import FORMAT_VERSION, is_table_folder

if TYPE_CHECKING:
    from .system import System

ENGINE_VERSION: Final = 1
"""Goes up whenever the same text means other calls, or the same calls become other rows."""

RECORD: Final = "compiled.json"
COMPILED: Final = "compiled"
"""Folder of compiled tables within that of the shipped systems."""
KEPT: Final = 8
"""Compiled versions of one system that stay in the cache."""
_DAMAGE: Final = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What a damaged folder may lead to: whatever is wrong, the table can be compiled again."""


@dataclass(frozen=True, slots=True)
class SampleSize:
    """How far a table is grown: by how many random deals, and how many must reach a place."""

    deals: int
    least: int = 1
    seed: int = 2026


SHIPPED: Final = SampleSize(200_000, least=40)
"""Of the tables that come with the package: a few MB each."""
ON_REQUEST: Final = SampleSize(50_000, least=10)
"""Of systems that are compiled when they are opened: a matter of seconds."""


def key_of(files: Iterable[tuple[str, str]], options: Mapping[str, bool], size: SampleSize) -> str:
    """Key of a compiled table: equal keys, equal tables.

    Parameters
    ----------
    files
        Names and SHA-256 of the text's files, in the order in which they are read.
    options, size
        Options of the system as they are set; how far the table is grown.
    """
    parts = [FORMAT_VERSION, ENGINE_VERSION, list(files), sorted(options.items()), asdict(size)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def record_of(system: "System", size: SampleSize) -> dict[str, Any]:
    """Make what ``compiled.json`` says of a table compiled from a system as it stands."""
    text = system.text
    files = [(_name_of(path, text.files[0][0].parent), sha) for path, sha in text.files]
    # a text that came from no file is known by its tree
    known = files or [("", hashlib.sha256(repr(text.blocks).encode()).hexdigest())]
    key = key_of(known, text.options, size)
    return {"key": key, "files": files, "options": dict(text.options), **asdict(size)}


def _name_of(path: Path, folder: Path) -> str:
    """Name of a system's file: from the system's folder on, where it lies in that."""
    # a page may have been found by way of a link
    path, folder = path.resolve(), folder.resolve()
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.name


def open_if_fresh(folder: Path, texts: Path, size: SampleSize) -> BiddingTable | None:
    """Open a compiled table if the files that it was compiled from have not changed since.

    The files are looked at, not read as a system: a file that is as it was includes what it
    included.

    Parameters
    ----------
    folder
        Of the compiled table.
    texts
        Folder of the system's files.
    size
        How far the table has to be grown.
    """
    try:
        record = json.loads((folder / RECORD).read_bytes())
        files = [
            (str(name), hashlib.sha256((texts / str(name)).read_bytes()).hexdigest())
            for name, _ in record["files"]
        ]
        return _open_if_whole(folder, key_of(files, record["options"], size))
    except _DAMAGE:
        return None


def _open_if_whole(folder: Path, key: str) -> BiddingTable | None:
    """Open the table of a key if every file of it is as it was written."""
    try:
        record = json.loads((folder / RECORD).read_bytes())
        whole = record["key"] == key and record["checksums"] == _checksums(folder)
        return BiddingTable.open(folder) if whole else None
    except _DAMAGE:
        return None


def _checksums(folder: Path) -> dict[str, str]:
    found = {}
    for path in sorted(folder.rglob("*")):
        # a desktop may have put its own files there
        if path.is_file() and path.name != RECORD and not path.name.startswith("."):
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256")
            found[path.relative_to(folder).as_posix()] = digest.hexdigest()
    return found


def compile_to(
    system: "System", folder: Path, size: SampleSize, progress: Any = None
) -> BiddingTable:
    """Compile a system and write table and record to a folder, replacing what is there.

    The same text gives the same bytes.

    Raises
    ------
    InvalidTable
        If something else is in the way, or the folder cannot be written.
    """
    table = compiled(system, size, progress)
    write(table, record_of(system, size), folder)
    return table


def compiled(system: "System", size: SampleSize, progress: Any = None) -> BiddingTable:
    """Compile a system as far as asked for."""
    from .compile import compile_system

    return compile_system(
        system, deals=size.deals, seed=size.seed, least=size.least, progress=progress
    )


def write(table: BiddingTable, record: Mapping[str, Any], folder: Path) -> None:
    """Write a table with its record; the folder appears whole or not at all."""
    try:
        if folder.exists() and not is_table_folder(folder):
            raise InvalidTable(f"expected a free place for the table, got {str(folder)!r}")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as place:
            made = Path(place) / folder.name
            table.save(made)
            known = {**record, "checksums": _checksums(made)}
            text = json.dumps(known, indent=1, ensure_ascii=False)
            (made / RECORD).write_text(text + "\n", encoding="utf-8")
            if folder.exists():
                folder.rename(Path(place) / "replaced")
            made.rename(folder)
    except OSError as error:
        raise InvalidTable(
            f"could not write the table to {str(folder)!r}: {error.strerror or error}"
        ) from None


def from_cache(
    system: "System", folder: Path, size: SampleSize = ON_REQUEST, progress: Any = None
) -> BiddingTable:
    """Table of a system: from a cache folder if it was compiled before, else compiled now.

    Parameters
    ----------
    system
    folder
        Of the cache; it need not exist, and need not be writable.
    size
    progress
        Called before each depth if the system is compiled.
    """
    record = record_of(system, size)
    place = folder / f"{system.name}-{record['key'][:16]}"
    kept = _open_if_whole(place, record["key"])
    if kept is not None:
        return kept
    # a damaged cache is no error of the user's: the table is compiled again
    table = compiled(system, size, progress)
    # without a cache it is compiled each time
    with suppress(InvalidTable, OSError):
        if not is_table_folder(place):
            _remove(place)
        write(table, record, place)
        _forget_old(folder, system.name)
    return table


def _remove(place: Path) -> None:
    """Remove what is in the place of a table in the cache, which nobody else may use."""
    if place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


def _forget_old(folder: Path, name: str) -> None:
    """Remove all but the latest compiled versions of a system."""
    found = [
        (place.stat().st_mtime, place)
        for place in folder.glob(f"{escape(name)}-{'[0-9a-f]' * 16}")
        if (place / RECORD).is_file()
    ]
    for _, place in sorted(found)[:-KEPT]:
        shutil.rmtree(place, ignore_errors=True)
