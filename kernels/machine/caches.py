"""Caches: where they lie on the disk, their files, and what leaves them, there and in memory."""

import hashlib
import os
import re
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, Final, TypeVar, cast

CACHE_VARIABLE: Final = "BIDCASCADE_CACHE"
"""Environment variable that names the folder for compiled tables, parsed texts, solved deals."""

Key = TypeVar("Key")
Value = TypeVar("Value")
_Function = TypeVar("_Function", bound=Callable[..., Any])

LONGEST_CACHED: Final = 400
"""Characters of a text of which a result is cached: lines that people write are shorter."""


# --- on the disk ----------------------------------------------------------------------------------


def cache_folder() -> Path:
    """Folder for compiled tables, parsed texts and solved deals.

    It is ``BIDCASCADE_CACHE``, or the user's cache folder: ``$XDG_CACHE_HOME/bidcascade`` or
    ``~/.cache/bidcascade``, on macOS and Windows the usual places there (XDG Base Directory
    Specification).

    Raises
    ------
    RuntimeError
        If neither is named and the user has no home; see :func:`folder_in_cache`.

    Examples
    --------
    >>> cache_folder().is_absolute() or "BIDCASCADE_CACHE" in os.environ
    True
    """
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named)
    ours = _user_cache_folder() / "bidcascade"
    return ours / "cache" if sys.platform == "win32" else ours


def _user_cache_folder() -> Path:
    """Folder for what programs keep for a user."""
    named = os.environ.get("XDG_CACHE_HOME")
    if named and Path(named).is_absolute():
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    if sys.platform == "win32" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"])
    return Path.home() / ".cache"


def folder_in_cache(name: str) -> Path | None:
    """Folder of one cache, which need not exist; None for a user without a home."""
    try:
        return cache_folder() / name
    except RuntimeError:
        return None


def remove(path: Path) -> None:
    """Remove a file, or a folder with all that is in it, if it is there.

    Raises
    ------
    OSError
        If it cannot be removed.
    """
    if path.is_dir() and not path.is_symlink():
        import shutil

        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def forget_oldest(paths: Iterable[Path], most: int, used: Path) -> None:
    """Remove files and folders so that so many stay: those that were changed or used last.

    Parameters
    ----------
    paths : iterable of Path
        Files or folders of a cache. One that is gone meanwhile, or cannot be removed, is passed
        over.
    most : int
        How many stay, at least one.
    used : Path
        The one of them that was just made. It stays whatever its date is: the clock may have been
        set back since the others were made.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     new, old, future = (Path(folder) / name for name in ("new", "old", "future"))
    ...     for date, path in enumerate((new, old, future)):
    ...         path.touch()
    ...         os.utime(path, (date, date))
    ...     forget_oldest((new, old, future), 2, used=new)
    ...     new.exists(), old.exists(), future.exists()
    (True, False, True)
    """
    found = []
    for path in paths:
        if path == used:
            continue
        # another process may be doing the same
        with suppress(FileNotFoundError):
            found.append((path.stat().st_mtime_ns, path))
    found.sort()
    for _, path in found[: max(0, len(found) - (most - 1))]:
        with suppress(OSError):
            remove(path)


def cached_file(place: Path) -> bytes | None:
    """Content of a file as :func:`write_cached_file` wrote it, None of a damaged or copied one.

    Raises
    ------
    OSError
        If there is none, or it cannot be read.
    """
    checksum, _, content = place.read_bytes().partition(b"\n")
    return content if checksum == _checksum(place, content) else None


def write_cached_file(place: Path, content: bytes, ours: re.Pattern[str], most: int) -> None:
    r"""Write a file to a folder of the cache, which is made; nothing happens where it cannot be.

    Parameters
    ----------
    place : Path
    content : bytes
        Whoever reads it finds all of it or nothing.
    ours : re.Pattern
        Names of files that this cache writes, with more behind them while they are written.
    most : int
        How many of them stay, those that were used last.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = Path(folder) / "some" / "answer.json"
    ...     write_cached_file(place, b"{}", re.compile(r".*\.json(\.|$)"), 8)
    ...     cached_file(place)
    b'{}'
    """
    import tempfile

    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, made = tempfile.mkstemp(prefix=f"{place.name}.", dir=place.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_checksum(place, content) + b"\n" + content)
            Path(made).replace(place)
        finally:
            Path(made).unlink(missing_ok=True)
        # also what an ended process left behind; other files of the folder are somebody's own
        files = (path for path in place.parent.iterdir() if ours.match(path.name))
        forget_oldest(files, most, place)


def _checksum(place: Path, content: bytes) -> bytes:
    return hashlib.sha256(place.name.encode() + content).hexdigest().encode()


# --- in memory ------------------------------------------------------------------------------------


def bounded_cache(most: int) -> Callable[[_Function], _Function]:
    """Decorate a function of texts so that its last results are cached, but none of a long text.

    The texts are what users wrote: who sends long ones, one unlike the other, would fill the memory
    with the cached results, however few they are.

    Parameters
    ----------
    most : int
        How many stay.

    Examples
    --------
    >>> @bounded_cache(2)
    ... def length(text):
    ...     print("counted")
    ...     return len(text)
    >>> length("ab"), length("ab")
    counted
    (2, 2)
    >>> length("ab" * 500), length("ab" * 500)
    counted
    counted
    (1000, 1000)
    """

    def decorate(function: _Function) -> _Function:
        cached = lru_cache(most)(function)

        @wraps(function)
        def found(*key: Any, **named: Any) -> Any:
            for one in key:
                if isinstance(one, str | bytes | tuple) and len(one) > LONGEST_CACHED:
                    return function(*key, **named)
            return cached(*key, **named)

        return cast("_Function", found)

    return decorate


class LruCache(OrderedDict[Key, Value]):
    """Values by key, of which the least recently used leave; one thread at a time uses it.

    Parameters
    ----------
    most : int
        How many stay; 0 for none.

    Examples
    --------
    >>> cache = LruCache[str, int](2)
    >>> for number, name in enumerate("ab"):
    ...     cache.store(name, number)
    >>> cache.find("a")
    0
    >>> cache.store("c", 2)
    >>> list(cache)
    ['a', 'c']
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def find(self, key: Key) -> Value | None:
        """Value of a key, which is used by that; None if it is not there."""
        value = self.get(key)
        if value is not None:
            self.move_to_end(key)
        return value

    def store(self, key: Key, value: Value) -> None:
        """Remember a value as the one used last."""
        self[key] = value
        self.move_to_end(key)
        if len(self) > self.most:
            self.popitem(last=False)
