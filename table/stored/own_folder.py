"""A folder for what is being made: gone with its owner, or with the next one if that was killed."""

import os
import shutil
import sys
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final

from bidcascade.kernels.machine.file_locks import try_lock

PREFIX: Final = ".rows-"
"""Begins the names of folders with rows and columns of a table that is made on the disk."""


class OwnFolder:
    """A new folder that is gone when nobody has this object any more.

    It is locked until then, and the system lets go of the lock when the process ends in whatever
    way: folders of that name in the same place that nobody holds are removed first.

    Parameters
    ----------
    where : Path, optional
        Where it is made; by default the system's place for such files.
    prefix, suffix : str
        How its name begins and ends.
    """

    def __init__(self, where: Path | None, prefix: str = PREFIX, suffix: str = "") -> None:
        where = Path(tempfile.gettempdir()) if where is None else where
        _remove_left_over(where, prefix, suffix)
        while True:
            self.path = Path(tempfile.mkdtemp(prefix=prefix, suffix=suffix, dir=where))
            handle = _lock(self.path)
            # another process may have taken it for left over before it was locked
            if self.path.exists():
                break
            _let_go(handle)
        self.remove = weakref.finalize(self, _remove, self.path, handle)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.remove()


def _remove_left_over(where: Path, prefix: str, suffix: str) -> None:
    """Remove folders that a process left behind which was killed."""
    if sys.platform == "win32":
        return
    try:
        there = list(where.iterdir())
    except OSError:
        return
    for path in there:
        if not (path.name.startswith(prefix) and path.name.endswith(suffix)):
            continue
        try:
            is_ours = path.lstat().st_uid == os.getuid()
        except OSError:
            continue
        if is_ours and (handle := _lock(path)) is not None:
            _remove(path, handle)


def _lock(folder: Path) -> int | None:
    """Hold a folder; None if another process does, or the system knows no locks of folders."""
    if sys.platform == "win32":
        return None
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    # a disk of the network may know no locks
    with suppress(OSError):
        if try_lock(handle):
            return handle
    os.close(handle)
    return None


def _remove(folder: Path, handle: int | None) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    _let_go(handle)


def _let_go(handle: int | None) -> None:
    if handle is not None:
        os.close(handle)
