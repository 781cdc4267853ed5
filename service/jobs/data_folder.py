"""Where jobs lie on the disk: the data folder, the lock on it, and what belongs to one job.

In the data folder:

jobs.sqlite          all jobs (see ``store``)
.lock                held by the service that uses the folder
incoming/ID/         an upload that is being received
jobs/ID/input/       what was uploaded, under names of ours
jobs/ID/batch/       the folder of the batch while it runs
jobs/ID/results/     files to download
"""

import os
import shutil
from pathlib import Path
from typing import IO, Final

from bidcascade.bridge import BidcascadeError
from bidcascade.kernels.machine.file_locks import try_lock

STORE: Final = "jobs.sqlite"
LOCK: Final = ".lock"


class DataFolderUnusable(BidcascadeError):
    """The data folder cannot be used: another service has it, or it cannot be written to."""


class JobFolder:
    """The folder of one job."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.input = folder / "input"
        self.batch = folder / "batch"
        self.results = folder / "results"

    def tidy(self, state: str | None) -> None:
        """Remove what a job in a state needs no more; all of it where there is no such job."""
        if state in ("queued", "running"):
            return
        if state == "done" and self.folder.is_dir():
            for part in self.folder.iterdir():
                if part.is_dir() and part != self.results:
                    shutil.rmtree(part, ignore_errors=True)
                elif not part.is_dir():
                    part.unlink(missing_ok=True)
            return
        shutil.rmtree(self.folder, ignore_errors=True)


class DataFolder:
    """The data folder, held by this process until it is closed.

    Parameters
    ----------
    path : path
        Made if it is not there, then for its owner only.

    Raises
    ------
    DataFolderUnusable
        If it cannot be written to, or another process holds it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.jobs = self.path / "jobs"
        self.incoming = self.path / "incoming"
        self._lock: IO[bytes] | None = None
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = (self.path / LOCK).open("ab")
            if not try_lock(self._lock.fileno()):
                raise DataFolderUnusable(
                    "another service has it; start one of the two with a --data-folder of its own"
                )
            for folder in (self.jobs, self.incoming):
                folder.mkdir(mode=0o700, exist_ok=True)
        except (OSError, DataFolderUnusable) as error:
            self.close()
            if isinstance(error, DataFolderUnusable):
                raise
            reason = error.strerror or type(error).__name__
            raise DataFolderUnusable(f"the folder of the jobs cannot be used: {reason}") from error

    @property
    def store(self) -> Path:
        """File of the jobs."""
        return self.path / STORE

    def of(self, job_id: str) -> JobFolder:
        """Folder of a job."""
        return JobFolder(self.jobs / job_id)

    def close(self) -> None:
        """Let go of the folder."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def size(self) -> int:
        """Bytes of all files below."""
        return folder_size(self.path)


def folder_size(folder: Path) -> int:
    """Bytes of all files in a folder and below; files that go meanwhile count for nothing."""
    total = 0
    waiting = [str(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
        except OSError:
            continue
    return total
