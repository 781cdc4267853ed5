"""Files below the folder that jobs may read: nothing that a request says leads out of it."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from bidcascade.bridge import InvalidInput
from bidcascade.loaders.inputs import SUFFIXES

MOST_FILES: Final = 100_000
LONGEST_PATH: Final = 1000
_MAGIC: Final = "*?["


def files_below(root: Path, written: str) -> list[str]:
    """Files that a path or pattern names below a root, as paths relative to it, in order.

    Parameters
    ----------
    root : path
    written : str
        A file, a folder (all files with a known suffix in it and below) or a pattern with ``*``,
        ``?``, ``[]`` and ``**``; with ``/`` between the parts.

    Raises
    ------
    InvalidInput
        If it is absolute, goes up, names nothing, or names a file that lies elsewhere (as by a
        symbolic link); the message never says what lies outside.
    """
    parts = PurePosixPath(written).parts
    if (
        not written.strip()
        or len(written) > LONGEST_PATH
        or written.startswith(("/", "~"))
        or ".." in parts
        or any(character in written for character in "\0\\")
        or (parts and ":" in parts[0])
    ):
        raise InvalidInput(f"expected a path below jobs_root, got {written[:100]!r}")
    try:
        real_root = root.resolve(strict=True)
        found = []
        for path in _named(real_root, written):
            check_inside(real_root, path)
            found.append(path.relative_to(real_root).as_posix())
            if len(found) > MOST_FILES:
                raise InvalidInput(f"expected at most {MOST_FILES:,} files, got more: {written!r}")
    except (OSError, ValueError, RuntimeError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"expected a path below jobs_root, got {written!r}") from None
    if not found:
        raise InvalidInput(f"expected a file, folder or pattern below jobs_root, got {written!r}")
    return sorted(found)


def check_inside(root: Path, path: Path) -> None:
    """Check that a file lies below a root, links followed.

    Raises
    ------
    InvalidInput
        If it does not.
    """
    if not path.resolve(strict=True).is_relative_to(root):
        shown = path.relative_to(root).as_posix()
        raise InvalidInput(f"expected a file below jobs_root, got {shown!r}, which lies elsewhere")


def _named(root: Path, written: str) -> Iterator[Path]:
    path = root / written
    if path.exists():
        # before its content is looked at
        check_inside(root, path)
        yield from _files(path)
    elif any(character in written for character in _MAGIC):
        for found in sorted(root.glob(written)):
            check_inside(root, found)
            yield from _files(found)


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    elif path.is_dir():
        for entry in sorted(path.rglob("*")):
            if entry.suffix.lower() in SUFFIXES and entry.is_file():
                yield entry
