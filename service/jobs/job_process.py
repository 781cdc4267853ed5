"""The process of one job: a batch into the job's folder, then the files to download.

``python -m bidcascade.service.jobs.job_process`` talks over standard input and output (see
``pipe_messages``). It lives as long as its standard input is open: the service ends it by closing
it, and a service that is killed closes it as well. The process then kills itself and all that it
started at once; the batch goes on where its manifest stands.
"""

import faulthandler
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, Final

from bidcascade.bridge import BidcascadeError, InvalidTable
from bidcascade.engine.engine import Engine
from bidcascade.engine.runs.batches.batch import batch_folder, run_batch
from bidcascade.engine.runs.batches.batch_inputs import boards_in_parquet
from bidcascade.kernels.machine.child_processes import end_with_parent
from bidcascade.kernels.machine.file_locks import try_lock
from bidcascade.loaders.inputs import find_sources

from .data_folder import JobFolder
from .pipe_messages import own_pipes, receive, send
from .results import write_results
from .rooted_paths import check_inside

LOCK: Final = ".job"
_LOCK_S: Final = 60.0
_LOCK_STEP_S: Final = 0.05
REPORT_EVERY_S: Final = 0.5
_NICE: Final = 5
"""Requests of the service go before its jobs."""
_OOM_SCORE: Final = 500


class BatchProgress:
    """Tells the service how far the batch is, now and then.

    A run that has written a part comes on; what is answered of a part may be lost again.

    Parameters
    ----------
    outgoing : binary file
    batch : path
        Folder of the batch.
    in_all : int, optional
        Boards of all inputs, where that is known.
    """

    def __init__(self, outgoing: IO[bytes], batch: Path, in_all: int | None) -> None:
        self._outgoing = outgoing
        self._batch = batch_folder(batch)
        self._in_all = in_all
        self._reported = 0.0
        self._boards_before: int | None = None
        self._comes_on = False

    def __call__(self, done: int, total: int | None, boards: int) -> None:
        """Take in how many boards are answered."""
        if time.monotonic() - self._reported >= REPORT_EVERY_S or not self._comes_on:
            self.report(boards)

    def report(self, boards: int = 0) -> None:
        """Send how many boards are answered, at least those that the manifest has."""
        if not self._batch.is_started:
            return
        manifest = self._batch.read()
        if self._boards_before is None:
            self._boards_before = manifest.boards
        self._comes_on = manifest.boards > self._boards_before
        send(self._outgoing, {"boards": max(boards, manifest.boards), "rejects": manifest.rejects,
                              "of": self._in_all, "comes_on": self._comes_on})  # fmt: skip
        self._reported = time.monotonic()


def do_job(start: dict[str, Any], outgoing: IO[bytes]) -> dict[str, Any]:
    """Do all of a job that is not done yet; return the last message.

    Parameters
    ----------
    start : dict
        ``folder`` of the job, ``folder`` that the paths in ``inputs`` start from, ``root`` true if
        nothing outside it may be read; ``table``, ``options``, ``backend``, ``overlays``,
        ``digest``; ``mode``, ``completed_only``, ``text``, ``part_deals``, ``results``; and
        ``limit`` and ``max_depth``, which jobs of before lack.

    Raises
    ------
    BidcascadeError, OSError, MemoryError
        If it cannot be done.
    """
    folder = JobFolder(Path(start["folder"]))
    engine = open_engine(start, start["backend"], start["overlays"])
    inputs = enter_inputs(start)
    sources = find_sources(inputs)
    progress = BatchProgress(outgoing, folder.batch, boards_in_parquet(sources))
    progress.report()
    summary = run_batch(
        engine,
        inputs,
        folder.batch,
        mode=start["mode"],
        completed_only=start["completed_only"],
        limit=start.get("limit"),
        max_depth=start.get("max_depth"),
        text=start["text"],
        resume=True,
        jobs=1,
        part_deals=start["part_deals"],
        report=progress,
    )
    progress.report()
    files = write_results(engine, folder.batch, folder.results, sources, start["results"])
    return {
        "done": {
            "boards": summary.boards,
            "rejects": summary.rejects,
            "results": [asdict(file) for file in files],
        }
    }


def open_engine(named: Mapping[str, Any], backend: str, overlays: Sequence[str] = ()) -> Engine:
    """Open the table that a job names.

    Raises
    ------
    InvalidTable
        If it is not what it was when the job came.
    """
    engine = Engine.open(named["table"], backend, overlays=overlays, **named.get("options", {}))
    # its path is nobody's business
    engine.name = named["name"]
    if engine.digest != named["digest"]:
        raise InvalidTable(f"the table {named['name']!r} has changed since the job was asked for")
    return engine


def enter_inputs(start: Mapping[str, Any]) -> list[Path]:
    """Go to the place that a job's inputs lie in, and give them."""
    # sources are named as the user knows them, wherever the folder lies
    os.chdir(start["place"])
    inputs = [Path(name) for name in start["inputs"]]
    if start["root"]:
        root = Path.cwd().resolve()
        for path in inputs:
            check_inside(root, root / path)
    return inputs


def error_text(error: BaseException, folder: Path) -> str:
    """Say an error in a line that names no place on this machine.

    Examples
    --------
    >>> error_text(OSError("cannot write '/data/jobs/a1/batch/x'"), Path("/data/jobs/a1"))
    "cannot write 'batch/x'"
    """
    if isinstance(error, MemoryError):
        return "expected more memory than there is"
    text = str(error).partition("\n")[0]
    for place in (f"{folder}{os.sep}", f"{Path.cwd()}{os.sep}"):
        text = text.replace(place, "")
    if isinstance(error, BidcascadeError):
        return text
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return text or type(error).__name__


def _wait_for_folder(folder: Path) -> IO[bytes]:
    """Hold the job's folder; a process of a service that was killed may take a moment to end."""
    lock = (folder / LOCK).open("ab")
    deadline = time.monotonic() + _LOCK_S
    while not try_lock(lock.fileno()):
        if time.monotonic() > deadline:
            raise OSError("another process still works on this job")
        time.sleep(_LOCK_STEP_S)
    return lock


def _go_first_where_memory_runs_out() -> None:
    """Let Linux end this process rather than the service (proc_pid_oom_score_adj(5))."""
    adjust = Path("/proc/self/oom_score_adj")
    with suppress(OSError):
        if adjust.exists():
            adjust.write_text(f"{_OOM_SCORE}\n")


def main(do: Callable[[dict[str, Any], IO[bytes]], dict[str, Any]] = do_job) -> int:
    """Do the job that comes in."""
    faulthandler.enable()
    incoming, outgoing = own_pipes()
    if hasattr(os, "nice"):
        os.nice(_NICE)
    _go_first_where_memory_runs_out()
    received = receive(incoming)
    if received is None:
        return 0
    start = received[0]
    end_with_parent(incoming.fileno())
    folder = Path(start["folder"])
    try:
        lock = _wait_for_folder(folder)
        message = do(start, outgoing)
    except BaseException as error:
        # panics of polars are no Exception; whatever it was, the service is told why
        message = {"error": error_text(error, folder), "known": isinstance(error, BidcascadeError)}
    else:
        lock.close()
    with suppress(BrokenPipeError):
        send(outgoing, message)
    # threads of libraries are not waited for
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
