"""The folder of a run: one process works in it, and a run that was killed goes on from it.

    manifest.json    which files count, and how far the run is (see ``manifest``)
    .lock            held by the process that works
    …                files of parts and results

Every file is written beside its place, brought to the disk and renamed; then the manifest is
replaced. Whatever ends the process, the folder is as the last manifest says: the next run removes
what it does not name, checks what it does, and goes on from its position.
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import polars as pl

from bidcascade.bridge import InvalidInput
from bidcascade.kernels.machine.file_locks import try_lock
from bidcascade.loaders.files.whole_files import PARTIAL_SUFFIX, can_write, write_parquet

from .manifest import LISTED, MANIFEST, WORKS, Manifest, RunPart, check_comes_again

LOCK: Final = ".lock"


class FolderBusy(InvalidInput):
    """Another process works in the folder of a run."""


def folder_beside(result: str | Path, work: str) -> Path:
    """Folder of a run, beside what it makes; gone when that is made.

    Examples
    --------
    >>> folder_beside("tables/club", "mining").name
    'club.mining'
    """
    path = Path(result)
    return path.with_name(f"{path.name}.{work}")


class RunFolder:
    """The folder of a run.

    Parameters
    ----------
    path : Path
    work : str
        What is done in it, one of :data:`.manifest.WORKS`.
    own : sequence of str
        Patterns of the files that such work writes. Files of other names are somebody else's, and
        stay.
    manifest : str
        Name of its manifest.
    whole : bool
        Whether the folder is the run's alone, and gone at its end.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     folder = RunFolder(Path(place) / "run", "batch", ["*.parquet"])
    ...     with folder.held():
    ...         run = Manifest("batch")
    ...         part = RunPart(0, boards=1)
    ...         folder.put(pl.DataFrame({"deal": [0]}), "rows-0.parquet", part)
    ...         run.parts.append(part)
    ...         folder.write(run)
    ...         folder.put(pl.DataFrame({"deal": [1]}), "rows-1.parquet", RunPart(1))
    ...     # rows-1.parquet counts for nothing yet
    ...     with folder.held():
    ...         print(list(folder.resume(Manifest("batch")).files()))
    ...     sorted(file.name for file in folder.path.iterdir())
    ['rows-0.parquet']
    ['.lock', 'manifest.json', 'rows-0.parquet']
    """

    def __init__(
        self,
        path: Path,
        work: str,
        own: Sequence[str],
        *,
        manifest: str = MANIFEST,
        whole: bool = False,
    ) -> None:
        self.path = path
        self._whole = whole
        self.work = work
        self.manifest = manifest
        self._below = sorted({one.partition("/")[0] for one in own if "/" in one})
        partial = f".*{PARTIAL_SUFFIX}"
        self._own = (*own, partial, *(f"{below}/{partial}" for below in self._below))

    @property
    def is_started(self) -> bool:
        """Whether there is a run, to be resumed or finished."""
        return (self.path / self.manifest).exists()

    def check_empty(self) -> None:
        """Check that a run may begin in the folder.

        Raises
        ------
        InvalidInput
            If it is a file, or something is in it.
        """
        noun = WORKS[self.work].partition(" ")[2]
        if self.path.exists() and not self.path.is_dir():
            raise InvalidInput(f"expected a folder for the {noun}, got the file {str(self.path)!r}")
        strangers = [
            file.name
            for file in self.path.glob("*")
            if file.name != LOCK and not file.match(f".*{PARTIAL_SUFFIX}")
        ]
        if strangers:
            raise InvalidInput(
                f"expected a new or empty folder for the {noun}, got {str(self.path)!r} with "
                f"{min(strangers)!r}"
            )

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the folder, made if it is not there; the system lets go when the process ends.

        Where no run came about, nothing is left of it; nor is a folder of which nobody would want
        to resume the run, as no board was read when it failed.

        Raises
        ------
        FolderBusy
            If another process holds it.
        InvalidInput
            If it is to be gone at the end, and holds something else than such a run.
        CannotWrite
            If it cannot be written to.
        """
        created = not self.path.exists()
        with can_write(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            lock = (self.path / LOCK).open("ab")
        with lock:
            if not try_lock(lock.fileno()):
                raise FolderBusy(f"another process is working in {str(self.path)!r}")
            if self._whole:
                self._check_ours()
            try:
                yield
            except BaseException:
                if self._whole and self._is_without_boards():
                    self.remove()
                raise
            finally:
                self._leave_nothing(created=created)

    def _check_ours(self) -> None:
        """Check that nothing of somebody else is in a folder that is to be gone at the end."""
        if self.is_started:
            self.read()
            return
        ours = {file for pattern in self._own for file in self.path.glob(pattern)}
        for file in self.path.rglob("*"):
            if file not in ours and file.name != LOCK and not file.is_dir():
                name = file.relative_to(self.path).as_posix()
                raise InvalidInput(
                    f"expected a folder for {WORKS[self.work]} alone, got {str(self.path)!r} with "
                    f"{name!r}"
                )

    def _is_without_boards(self) -> bool:
        try:
            return self.is_started and not self.read().boards
        except InvalidInput:
            return False

    def _leave_nothing(self, *, created: bool) -> None:
        if not self.path.is_dir() or any(file.name != LOCK for file in self.path.iterdir()):
            return
        # some systems remove nothing that is open
        with suppress(OSError):
            (self.path / LOCK).unlink()
            if created:
                self.path.rmdir()

    def read(self) -> Manifest:
        """Read the manifest; see :meth:`.Manifest.read`."""
        return Manifest.read(self.path, self.work, self.manifest)

    def write(self, run: Manifest) -> None:
        """Replace the manifest: what it names counts from now on."""
        run.write(self.path, self.manifest)

    def resume(self, request: Manifest) -> Manifest:
        """Go on with the run that is there: it is the one that is asked for, and all is in place.

        Raises
        ------
        InvalidInput
            If something else was asked, or a file that counts is not as it was written.
        """
        run = self.read()
        run.check_same_run(request)
        self.clean(run)
        self.check_files(run)
        return run

    def start_or_resume(self, request: Manifest, listed: pl.DataFrame, *, resume: bool) -> Manifest:
        """Go on with the run that is there, if that is wished, or begin one.

        Parameters
        ----------
        request : Manifest
        listed : polars.DataFrame
            Its inputs, which are read again where it is not finished.
        resume : bool

        Raises
        ------
        InvalidInput
            As :meth:`resume` does; or if an input cannot be read a second time.
        """
        if resume and self.is_started:
            run = self.resume(request)
            if not run.finished:
                check_comes_again(listed, run.work)
            return run
        self.clean(request)
        write_parquet(listed, self.path / LISTED)
        self.write(request)
        return request

    def clean(self, run: Manifest) -> None:
        """Remove what an interrupted step left over."""
        named = run.files()
        folders = {name.rpartition("/")[0] for name in named if "/" in name}
        for pattern in self._own:
            for file in self.path.glob(pattern):
                name = file.relative_to(self.path).as_posix()
                if file.is_dir():
                    if name not in folders:
                        shutil.rmtree(file, ignore_errors=True)
                elif name not in named:
                    file.unlink(missing_ok=True)

    def check_files(self, run: Manifest) -> None:
        """Check that the files that count are there, with all their bytes.

        Raises
        ------
        InvalidInput
            If one is not; says which.
        """
        for name, size in run.files().items():
            file = self.path / name
            found = file.stat().st_size if file.is_file() else None
            if found is None or (size >= 0 and found != size):
                raise InvalidInput(
                    f"cannot resume: expected {name!r} in {str(self.path)!r} as the manifest has "
                    f"it, got {'no file' if found is None else f'{found} bytes instead of {size}'}"
                )

    def put(self, frame: pl.DataFrame, name: str, part: RunPart) -> None:
        """Write a file of a part; it counts when the manifest names the part.

        Raises
        ------
        CannotWrite
            If the disk is full or the like.
        """
        path = self.path / name
        path.parent.mkdir(exist_ok=True)
        write_parquet(frame, path)
        self.count(path, part)

    def count(self, path: Path, part: RunPart) -> None:
        """Write down a file of a part that is on the disk."""
        part.files[path.relative_to(self.path).as_posix()] = path.stat().st_size

    def remove(self, nothing: Manifest | None = None) -> None:
        """Remove the run: all files of its kind, and what folder of its own is left empty.

        What interrupts this leaves no run, or one that has done nothing yet.

        Parameters
        ----------
        nothing : Manifest, optional
            Of a run that has done nothing; by default what was asked of this one.
        """
        if self._whole:
            (self.path / self.manifest).unlink(missing_ok=True)
            shutil.rmtree(self.path, ignore_errors=True)
            return
        if nothing is None:
            run = self.read()
            nothing = Manifest(run.work, run.table, run.options, run.inputs)
        self.write(nothing)
        self.clean(nothing)
        (self.path / self.manifest).unlink()
        for below in self._below:
            with suppress(OSError):
                (self.path / below).rmdir()
