"""The process of a job of mode ``par``: systems measured on an archive, the report to download.

``python -m bidcascade.service.reports.par_job`` does what ``compare --archive`` does, as
:mod:`bidcascade.service.jobs.job_process` does a batch. What it has solved stays in the cache, so
that a job that was stopped goes on from there.
"""

import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from bidcascade.inference.double_dummy.pool import DoubleDummyPool
from bidcascade.loaders import read_deals
from bidcascade.service.jobs.data_folder import JobFolder
from bidcascade.service.jobs.job_process import REPORT_EVERY_S, enter_inputs, main, open_engine
from bidcascade.service.jobs.pipe_messages import send
from bidcascade.service.jobs.results import result_file
from bidcascade.systems import System
from bidcascade.workshop.boards.yardstick import archive_of, measure_archive

from .yardstick_report import write_yardstick_report


class _Progress:
    """Tells the service how many boards have a double-dummy table, now and then."""

    def __init__(self, outgoing: IO[bytes], boards: int, rejects: int) -> None:
        self._outgoing, self._boards, self._rejects = outgoing, boards, rejects
        self._reported = float("-inf")
        self._before: int | None = None

    def __call__(self, what: str, done: int, total: int) -> None:
        if what != "double dummy":
            return
        if self._before is None:
            self._before = done
        if done == total or time.monotonic() - self._reported >= REPORT_EVERY_S:
            boards = self._boards * done // max(1, total)
            send(
                self._outgoing,
                {
                    "boards": boards,
                    "rejects": self._rejects,
                    "of": self._boards,
                    "comes_on": done > self._before,
                },
            )
            self._reported = time.monotonic()


def measure(start: dict[str, Any], outgoing: IO[bytes]) -> dict[str, Any]:
    """Do all of a job; return the last message.

    Parameters
    ----------
    start : dict
        As :func:`~bidcascade.service.jobs.job_process.do_job` has it, with ``dd_workers`` and, in
        ``beside``, ``table``, ``name`` and ``digest`` of each further system.

    Raises
    ------
    BidcascadeError, OSError, MemoryError
        If it cannot be done.
    """
    systems = [_system(one, start["backend"]) for one in (start, *start["beside"])]
    batch = read_deals(enter_inputs(start), jobs=1, whole=True)
    archive = archive_of(batch)
    boards, rejects = archive.boards.height, batch.refused
    with DoubleDummyPool(start["dd_workers"] or None) as pool:
        report, frame = measure_archive(
            systems, archive, pool, progress=_Progress(outgoing, boards, rejects)
        )
    folder = JobFolder(Path(start["folder"])).results
    folder.mkdir(exist_ok=True)
    files = [result_file(path) for path in write_yardstick_report(report, frame, folder)]
    return {
        "done": {"boards": boards, "rejects": rejects, "results": [asdict(file) for file in files]}
    }


def _system(named: dict[str, Any], backend: str) -> System:
    system = open_engine(named, backend).bidder.plain_system
    # as the service calls it
    system.name = named["name"]
    return system


if __name__ == "__main__":
    sys.exit(main(measure))
