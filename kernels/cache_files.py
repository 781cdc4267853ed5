"""Caches on the disk: what leaves when others have come."""

from collections.abc import Iterable
from pathlib import Path


def outdated(paths: Iterable[Path], most: int, used: Path) -> list[Path]:
    """Find what is to be removed so that so many stay: those that were changed or used last.

    Parameters
    ----------
    paths : iterable of Path
        Files or folders of a cache. One that is gone meanwhile is passed over.
    most : int
        How many stay, at least one.
    used : Path
        The one of them that was just made. It stays whatever its date is: the clock may have been
        set back since the others were made.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     new, old, future = (Path(folder) / name for name in ("new", "old", "future"))
    ...     for date, path in enumerate((new, old, future)):
    ...         path.touch()
    ...         os.utime(path, (date, date))
    ...     [path.name for path in outdated((new, old, future), 2, used=new)]
    ['old']
    """
    found = []
    for path in paths:
        if path == used:
            continue
        try:
            found.append((path.stat().st_mtime_ns, path))
        except FileNotFoundError:
            # another process may be doing the same
            continue
    found.sort()
    return [path for _, path in found[: max(0, len(found) - (most - 1))]]
