"""Bidding tables by name or path: those of the package, own-format folders, files of rows."""

import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final, NamedTuple

from bidcascade.bridge import InvalidTable, UnknownTable

from .bidding_table import BiddingTable
from .build import build_table
from .columns import UndescribedPolicy
from .formats.row_files import import_table
from .storage import FORMAT_VERSION, is_table_folder, open_folder, save

DEFAULT_TABLE: Final = "sayc"
CACHE_VARIABLE: Final = "BIDCASCADE_CACHE"
"""Environment variable that names the folder for compiled tables."""


class NamedTable(NamedTuple):
    """A table that comes with the package, as rows to build it from."""

    rows: Callable[[], Iterable[object]]
    undescribed: UndescribedPolicy
    source: str


def _starter_rows() -> Iterable[object]:
    # imported when asked for: most uses of this package bring a table of their own
    from .starter import starter_rows

    return starter_rows()


NAMED_TABLES: Final[dict[str, NamedTable]] = {
    "sayc": NamedTable(_starter_rows, "pass", "SAYC, comes with bidcascade"),
}


def open_table(name_or_path: "str | Path" = DEFAULT_TABLE, **options: Any) -> BiddingTable:
    """Open a bidding table by name, folder or file of rows.

    Parameters
    ----------
    name_or_path : str or Path
        ``"sayc"``, a folder that :func:`save` wrote, or a file of rows in any of the formats.
    options
        For files of rows: those of :func:`import_table`.

    Raises
    ------
    UnknownTable
        If there is no table of that name and no such file; the message lists the names.
    InvalidTable
        If the file or folder is no bidding table.

    Examples
    --------
    >>> open_table("culbertson")
    Traceback (most recent call last):
    ...
    bidcascade.bridge.errors.UnknownTable: expected a table's name (sayc) or the path of one, \
got 'culbertson'
    """
    if isinstance(name_or_path, str) and name_or_path in NAMED_TABLES:
        return _open_named(name_or_path)
    path = Path(name_or_path)
    if path.is_dir():
        return open_folder(path)
    if path.is_file():
        return import_table(path, **options)[0]
    raise UnknownTable(
        f"expected a table's name ({', '.join(NAMED_TABLES)}) or the path of one, "
        f"got {str(name_or_path)!r}"
    )


def cache_folder() -> Path:
    """Folder for compiled tables: ``BIDCASCADE_CACHE``, or the user's cache folder.

    The latter is ``$XDG_CACHE_HOME/bidcascade`` or ``~/.cache/bidcascade``, on macOS and Windows
    the usual places there (XDG Base Directory Specification).

    Examples
    --------
    >>> cache_folder().is_absolute() or "BIDCASCADE_CACHE" in os.environ
    True
    """
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named)
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"]) / "bidcascade"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "bidcascade"
    if sys.platform == "win32" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"]) / "bidcascade" / "cache"
    return Path.home() / ".cache" / "bidcascade"


def _cache_key(named: NamedTable) -> str:
    """Digest of all that the table is made from: the sources of this package, and the options."""
    digest = hashlib.sha256(repr((FORMAT_VERSION, named.undescribed, named.source)).encode())
    for name, content in sorted(_sources(files(__package__))):
        digest.update(f"\n{name}\n".encode() + content)
    return digest.hexdigest()[:16]


def _sources(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    """Names and contents of the package's own files, folders within it included."""
    for entry in folder.iterdir():
        name = f"{prefix}{entry.name}"
        if entry.is_file():
            yield name, entry.read_bytes()
        elif entry.is_dir() and entry.name != "__pycache__":
            yield from _sources(entry, f"{name}/")


def _open_named(name: str) -> BiddingTable:
    """Table of the package: from the cache, or built and put there."""
    named = NAMED_TABLES[name]
    folder = cache_folder() / "tables" / f"{name}-{_cache_key(named)}"
    if is_table_folder(folder):
        try:
            return open_folder(folder)
        except InvalidTable:
            # a damaged cache is no error of the user's: the table is built again
            pass
    table, _ = build_table(named.rows(), undescribed=named.undescribed, source=named.source)
    try:
        save(table, folder, overwrite=True)
    except InvalidTable:
        # without a cache the table is built each time
        return table
    return table
