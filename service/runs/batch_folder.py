"""The folder of a batch: who may write to it, what belongs to it, what an old run left there."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bidcascade.bridge import InvalidInput
from bidcascade.kernels.file_locks import try_lock
from bidcascade.loaders.whole_files import PARTIAL_SUFFIX

from .call_arrays import CALL_ARRAYS
from .manifest import MANIFEST, Manifest

_LOCK: Final = ".lock"
ASIDE: Final = ("left-out", "rejects")
"""Folders of an export for what is no row of calls: ``*.parquet`` beside them is of one schema."""
_OWN_FILES: Final = ("auctions-*.parquet", "boards-*.parquet", "rejects-*.parquet",
                     "counts-*.npy", "counts.parquet", "entries.parquet", "calls-*.parquet",
                     "left-out-*.parquet", *CALL_ARRAYS, f".*{PARTIAL_SUFFIX}",
                     *(f"{folder}/*.parquet" for folder in ASIDE),
                     *(f"{folder}/.*{PARTIAL_SUFFIX}" for folder in ASIDE))  # fmt: skip


def check_folder(path: Path, *, resume: bool) -> None:
    """Check that a batch may be written to a folder, or be resumed there.

    Raises
    ------
    InvalidInput
        If it holds something else, or a batch that is not to be resumed.
    """
    if not path.exists():
        return
    if not path.is_dir():
        raise InvalidInput(f"expected a folder for the batch, got the file {str(path)!r}")
    if (path / MANIFEST).exists():
        if not resume:
            raise InvalidInput(
                f"{str(path)!r} holds a batch already: resume it, or choose another folder"
            )
        return
    strangers = [
        file.name
        for file in path.iterdir()
        if file.name != _LOCK and not file.name.endswith(PARTIAL_SUFFIX)
    ]
    if strangers:
        raise InvalidInput(
            f"expected a new or empty folder, got {str(path)!r} with {sorted(strangers)[0]!r}"
        )


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the folder for this process; the system lets go of it when the process ends."""
    if sys.platform == "win32":
        # there the renaming of an open file fails by itself
        yield
        return
    with (path / _LOCK).open("wb") as lock:
        if not try_lock(lock.fileno()):
            raise InvalidInput(f"another batch is writing to {str(path)!r}")
        yield


def remove_if_empty(path: Path, *, created: bool) -> None:
    """Leave nothing behind where nothing came about."""
    if all(file.name == _LOCK for file in path.iterdir()):
        (path / _LOCK).unlink(missing_ok=True)
        if created:
            path.rmdir()


def clean(path: Path, manifest: Manifest) -> None:
    """Remove what an interrupted run left over, and check what it wrote."""
    named = manifest.files()
    if manifest.counts is not None:
        named[manifest.counts] = -1
    for pattern in _OWN_FILES:
        for file in path.glob(pattern):
            if file.is_dir():
                # where a device of an interrupted run wrote
                shutil.rmtree(file, ignore_errors=True)
            elif file.relative_to(path).as_posix() not in named:
                file.unlink()
    for name, size in named.items():
        found = (path / name).stat().st_size if (path / name).is_file() else None
        if found is None or (size >= 0 and found != size):
            raise InvalidInput(
                f"cannot resume: expected {name!r} in {str(path)!r} as the manifest has it, "
                f"got {'no file' if found is None else f'{found} bytes instead of {size}'}"
            )


def remove_all(path: Path) -> None:
    """Remove all that a batch wrote."""
    for pattern in (*_OWN_FILES, MANIFEST):
        for file in path.glob(pattern):
            if not file.is_dir():
                file.unlink()
    for folder in ASIDE:
        if (path / folder).is_dir():
            (path / folder).rmdir()
