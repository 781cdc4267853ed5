"""Files that are there whole and on the disk, or not at all."""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from bidcascade.bridge import BidcascadeError

PARTIAL_SUFFIX = ".partial"
"""Ending of files that are being written."""


class CannotWrite(BidcascadeError, OSError):
    """A file could not be written; nothing of it is left."""


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a path beside ``path`` to write to; it takes its place, on the disk, at the end.

    Raises
    ------
    CannotWrite
        If the place cannot be written to; what was at ``path`` stays as it was. What is written in
        the block should be so in :func:`can_write`.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}{PARTIAL_SUFFIX}")
    try:
        with can_write(path):
            # told apart at once: whether the place can be written to, or the work inside fails
            partial.touch()
        yield partial
        with can_write(path):
            _sync(partial)
            partial.replace(path)
            sync_folder(path.parent)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def can_write(path: Path) -> Iterator[None]:
    """Make the block's failures to write (disk full, no permission) errors that name the file."""
    try:
        yield
    except CannotWrite:
        raise
    except (OSError, pl.exceptions.PolarsError) as error:
        raise CannotWrite(f"cannot write {str(path)!r}: {_reason(error)}") from error


def write_parquet(frame: pl.DataFrame, path: Path) -> None:
    """Write a frame as Parquet, whole or not at all; see :func:`whole_file`."""
    with whole_file(path) as partial, can_write(path):
        frame.write_parquet(partial, statistics=False)


def write_texts(texts: Iterable[str], path: Path) -> None:
    """Write texts behind one another in UTF-8, whole or not at all; see :func:`whole_file`."""
    with (
        whole_file(path) as partial,
        can_write(path),
        partial.open("w", encoding="utf-8", newline="\n") as stream,
    ):
        stream.writelines(texts)


def write_json(value: Any, path: Path) -> None:
    """Write a value as JSON, whole or not at all; see :func:`whole_file`."""
    text = json.dumps(value, indent=1, ensure_ascii=False) + "\n"
    with whole_file(path) as partial, can_write(path):
        partial.write_text(text, encoding="utf-8")


def _sync(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Bring a folder's list of names to the disk, where the system can do that."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error).partition("\n")[0] or type(error).__name__
