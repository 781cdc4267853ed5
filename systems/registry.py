"""Bidding systems and tables by name or path: those of the package, folders, files of rows."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from inspect import signature
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from bidcascade.bridge import InvalidTable, NoSystem, UnknownTable
from bidcascade.kernels.machine.caches import cache_folder as cache_folder
from bidcascade.kernels.machine.caches import folder_in_cache

if TYPE_CHECKING:
    from bidcascade.table.bidding_table import BiddingTable

    from .system import System
    from .tables.compiled_cache import SampleSize
    from .tables.overlaid_system import OverlaidSystem

DEFAULT_TABLE: Final = "sayc"
SUFFIX: Final = ".bidding"
"""What the files of systems end with."""
ZIP_SUFFIX: Final = ".zip"
"""What zip files end with that hold a system's text and its pages, as the page saves them."""
SYSTEMS: Final = Path(__file__).parent / "texts"
"""Folder of the systems that come with the package."""

_TITLE: Final = re.compile(rb"^system[ ]+(.*?)\s*(?:--.*)?$", re.MULTILINE)


@cache
def named_systems() -> Mapping[str, str]:
    """Names and titles of the systems that come with the package.

    Every file there with a line ``system TITLE`` is one; the others are parts that they include.

    Examples
    --------
    >>> named_systems()["sayc"]
    'Standard American Yellow Card'
    """
    found = {}
    for path in sorted(SYSTEMS.glob(f"*{SUFFIX}")):
        title = _TITLE.search(path.read_bytes())
        if title is not None:
            found[path.stem] = title[1].decode("utf-8", "replace")
    return MappingProxyType(found)


def is_system(name_or_path: "str | Path") -> bool:
    """Whether this is the name of a system of the package, or the path of a system's file.

    Examples
    --------
    >>> is_system("sayc"), is_system("tables/precision.jsonl"), is_system("mine.bidding")
    (True, False, True)
    """
    suffix = Path(name_or_path).suffix
    return str(name_or_path) in named_systems() or suffix in (SUFFIX, ZIP_SUFFIX)


def absolute_name(name_or_path: "str | Path") -> str:
    """Name or path that opens the same from any folder: a path is made absolute.

    Examples
    --------
    >>> absolute_name("sayc"), Path(absolute_name("club.bidding")).is_absolute()
    ('sayc', True)
    """
    named = str(name_or_path)
    is_path = Path(named).name != named or is_system(named) or Path(named).exists()
    return str(Path(named).absolute()) if is_path and named not in named_systems() else named


def check_options(
    name_or_path: "str | Path", options: Mapping[str, Any], *, also: Sequence[str] = ("overlays",)
) -> None:
    """Check that what is opened has the options that are given.

    Raises
    ------
    TypeError
        If it has not; the message names the nearest one.

    Examples
    --------
    >>> check_options("sayc", {"option": {}})
    Traceback (most recent call last):
    ...
    TypeError: expected options among overlays, options for 'sayc', got 'option'; \
did you mean 'options'?
    """
    known = [*also, *_options_of(name_or_path)]
    for name in options:
        if name not in known:
            from .language.errors import nearest

            near = nearest(name, known)
            hint = f"; did you mean {near!r}?" if near else ""
            raise TypeError(
                f"expected options among {', '.join(known)} for {str(name_or_path)!r}, "
                f"got {name!r}{hint}"
            )


def _options_of(name_or_path: "str | Path") -> tuple[str, ...]:
    if is_system(name_or_path):
        return ("options",)
    if Path(name_or_path).is_file():
        from .tables.row_files import import_table

        return tuple(signature(import_table).parameters)[1:]
    return ()


def open_system(
    name_or_path: "str | Path" = DEFAULT_TABLE, *, options: Mapping[str, bool] | None = None
) -> "System":
    """Open a bidding system by name or file.

    Parameters
    ----------
    name_or_path : str or Path
        ``"sayc"``, a file that ends in ``.bidding``, or a zip file of such files that the page
        has saved.
    options : mapping of str to bool, optional
        Options of the system to be set.

    Raises
    ------
    UnknownTable
        If there is no system of that name and no such file; the message lists the names.
    NoSystem
        If it is a table of rows.
    InvalidSystem
        If the text is no system; with every complaint about it.

    Examples
    --------
    >>> open_system("sayc").name
    'sayc'
    """
    from .language.shipped import file_of
    from .system import System

    path = Path(name_or_path)
    if str(name_or_path) in named_systems():
        path = SYSTEMS / f"{name_or_path}{SUFFIX}"
    elif _is_rows(path):
        raise NoSystem(f"expected a system, got a table of rows: {str(name_or_path)!r}")
    elif path.suffix == ZIP_SUFFIX and path.is_file():
        from .language.reader import read_given
        from .zipped_texts import read_zipped_texts

        main, texts = read_zipped_texts(path)
        return System(read_given(main, texts, options=options), path.stem)
    elif not file_of(path).is_file():
        raise _unknown(name_or_path, "a system's name")
    return System.open(path, options=options)


def check_is_there(name_or_path: "str | Path") -> None:
    """Check that there is a file or folder of a name, whatever it says.

    Raises
    ------
    UnknownTable
        If there is none; the message lists the names that need none.

    Examples
    --------
    >>> check_is_there("sayc")
    """
    path = Path(name_or_path)
    if str(name_or_path) in named_systems():
        return
    if is_system(path):
        from .language.shipped import file_of

        if not file_of(path).is_file():
            raise _unknown(name_or_path, "a system's name")
    elif not path.exists():
        raise _unknown(name_or_path)


def open_table(
    name_or_path: "str | Path" = DEFAULT_TABLE,
    *,
    overlays: "Sequence[str | Path]" = (),
    **options: Any,
) -> "BiddingTable":
    """Open a bidding table by name, folder, or file of rows or of a system.

    A system is compiled to a table of moderate size, which is kept in :func:`cache_folder` until
    its text changes: to bid with it no table is needed (:func:`open_held`). Larger tables are made
    by :func:`~bidcascade.systems.tables.compile.compile_system`.

    Parameters
    ----------
    name_or_path : str or Path
        ``"sayc"``, a folder that :func:`save` wrote, a file that ends in ``.bidding``, or a file
        of rows in any of the formats.
    overlays : sequence of path
        Files of rules that are laid over the table, see
        :func:`~bidcascade.table.overlays.applying.apply_overlays`.
    options
        For files of rows: those of :func:`import_table`. For systems: ``options`` as in
        :func:`open_system`.

    Raises
    ------
    UnknownTable
        If there is no table of that name and no such file; the message lists the names.
    InvalidTable
        If the file or folder is no bidding table.
    InvalidSystem
        If the text of a system cannot be used; with every complaint about it.
    InvalidOverlay
        If rules that are to be laid over it cannot be used; with every complaint about them.

    Examples
    --------
    >>> open_table("culbertson")
    Traceback (most recent call last):
    ...
    bidcascade.bridge.errors.UnknownTable: expected a table's name (...sayc...) or the path \
of one, got 'culbertson'
    """
    check_options(name_or_path, options)
    if overlays:
        from bidcascade.table.overlays.applying import apply_overlays

        return apply_overlays(open_table(name_or_path, **options), overlays)
    path = Path(name_or_path)
    if is_system(name_or_path):
        return table_of(open_system(name_or_path, options=options.get("options")))
    if path.is_dir():
        from bidcascade.table.bidding_table import BiddingTable

        return BiddingTable.open(path)
    if path.is_file():
        from .tables.row_files import import_table

        return import_table(path, **options)[0]
    raise _unknown(name_or_path)


def open_held(
    name_or_path: "str | Path" = DEFAULT_TABLE,
    *,
    overlays: "Sequence[str | Path]" = (),
    **options: Any,
) -> "BiddingTable | System | OverlaidSystem":
    """Open what bids: a system straight from its text, else a table.

    Parameters and errors are those of :func:`open_table`. Overlays are rules about rows, so a
    system is compiled to lay them.

    Examples
    --------
    >>> open_held("sayc").name
    'sayc'
    """
    check_options(name_or_path, options)
    if not is_system(name_or_path):
        return open_table(name_or_path, overlays=overlays, **options)
    system = open_system(name_or_path, options=options.get("options"))
    if not overlays:
        return system
    from .tables.overlaid_system import OverlaidSystem

    return OverlaidSystem(system, open_table(name_or_path, overlays=overlays, **options))


def table_of(system: "System", *, size: "SampleSize | None" = None) -> "BiddingTable":
    """Table of a system: from the cache if it was compiled before, else compiled and kept there.

    Parameters
    ----------
    system : System
    size : SampleSize, optional
        How far it is grown.
    """
    from .tables.compiled_cache import ON_REQUEST, from_cache

    return from_cache(system, folder_in_cache("tables"), size or ON_REQUEST)


def _is_rows(path: Path) -> bool:
    """Whether this is a folder that a table was saved in, or a file of rows."""
    # readers of rows are heavy, and who opens a text needs none
    if path.is_dir():
        from bidcascade.table.stored.storage import MANIFEST

        return (path / MANIFEST).is_file()
    if not path.is_file() or path.suffix == SUFFIX:
        return False
    from .tables.row_files import sniff_format

    try:
        kind = sniff_format(path)
    except InvalidTable:
        return False
    # a text in Python begins as a system may
    return path.suffix.lower() == ".py" if kind == "python" else kind != "bidding"


def _unknown(name_or_path: "str | Path", what: str = "a table's name") -> UnknownTable:
    from .language.errors import nearest

    near = nearest(str(name_or_path), named_systems())
    hint = f"; did you mean {near!r}?" if near else ""
    return UnknownTable(
        f"expected {what} ({', '.join(named_systems())}) or the path of one, "
        f"got {str(name_or_path)!r}{hint}"
    )
