"""Tables compiled from systems, kept in folders that say what they were compiled from.

Beside the table's own files such a folder has ``compiled.json``: the system's digest, how far the
table was grown, a key over both, and the SHA-256 of the table's own files. A folder whose key is
that of the text as it stands is the table of that text, if its files are still what was written:
they are read once when it is opened.
"""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bidcascade.bridge import InvalidTable
from bidcascade.kernels.machine.caches import forget_oldest, remove
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.stored.own_folder import OwnFolder
from bidcascade.table.stored.storage import FORMAT_VERSION, is_table_folder

if TYPE_CHECKING:
    from bidcascade.systems.system import System

RECORD: Final = "compiled.json"
MOST_CACHED: Final = 8
"""Compiled versions of one system that stay in the cache."""
_DAMAGE: Final = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What a damaged folder may lead to: whatever is wrong, the table can be compiled again."""


@dataclass(frozen=True, slots=True)
class SampleSize:
    """How far a table is grown: by how many random deals, and how many must reach a place."""

    deals: int
    least: int = 1
    seed: int = 2026


ON_REQUEST: Final = SampleSize(50_000, least=10)
"""Of tables that somebody asks a system for: a matter of seconds."""


def key_of(digest: str, size: SampleSize) -> str:
    """Key of a compiled table: equal keys, equal tables.

    Parameters
    ----------
    digest
        Of the system.
    size
        How far the table is grown.
    """
    return hashlib.sha256(json.dumps([FORMAT_VERSION, digest, asdict(size)]).encode()).hexdigest()


def record_of(system: "System", size: SampleSize) -> dict[str, Any]:
    """Make what ``compiled.json`` says of a table compiled from a system as it stands."""
    return {"key": key_of(system.digest, size), "system": system.digest, **asdict(size)}


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


def compiled(system: "System", size: SampleSize) -> BiddingTable:
    """Compile a system as far as asked for."""
    from .compile import compile_system

    return compile_system(system, deals=size.deals, seed=size.seed, least=size.least)


def write(table: BiddingTable, record: Mapping[str, Any], folder: Path) -> None:
    """Write a table with its record; the folder appears whole or not at all."""
    try:
        if folder.exists() and not is_table_folder(folder):
            raise InvalidTable(f"expected a free place for the table, got {str(folder)!r}")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with OwnFolder(folder.parent, f".{folder.name}.") as place:
            made = place / folder.name
            table.save(made)
            known = {**record, "checksums": _checksums(made)}
            text = json.dumps(known, indent=1, ensure_ascii=False)
            (made / RECORD).write_text(text + "\n", encoding="utf-8")
            if folder.exists():
                folder.rename(place / "replaced")
            made.rename(folder)
    except OSError as error:
        raise InvalidTable(
            f"could not write the table to {str(folder)!r}: {error.strerror or error}"
        ) from None


def from_cache(
    system: "System", folder: Path | None, size: SampleSize = ON_REQUEST
) -> BiddingTable:
    """Table of a system: from a cache folder if it was compiled before, else compiled now.

    Parameters
    ----------
    system
    folder
        Of the cache; it need not exist, and need not be writable. None for no cache.
    size
    """
    if folder is None:
        return compiled(system, size)
    record = record_of(system, size)
    place = folder / f"{system.name}-{record['key'][:16]}"
    cached = _open_if_whole(place, record["key"])
    if cached is not None:
        return cached
    # a damaged cache is no error of the user's: the table is compiled again
    table = compiled(system, size)
    # without a cache it is compiled each time
    with suppress(InvalidTable, OSError):
        if not is_table_folder(place):
            remove(place)
        write(table, record, place)
        _forget_old(place, system.name)
    return table


def _forget_old(made: Path, name: str) -> None:
    """Remove all but the latest compiled versions of a system, of which one was just made."""
    found = made.parent.glob(f"{escape(name)}-{'[0-9a-f]' * 16}")
    forget_oldest((one for one in found if (one / RECORD).is_file()), MOST_CACHED, made)
