"""The process of a job of mode ``archive``: boards come into an archive.

``python -m bidcascade.service.jobs.archive_job`` does what ``archive add`` does, as
:mod:`.job_process` does a batch. The parts that count stay where it is
stopped: the next run leaves their boards out.
"""

import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, Final

from bidcascade.bridge import BidcascadeError, InvalidInput
from bidcascade.engine.archive.adding import Added, add_files
from bidcascade.engine.archive.archive import archives_folder
from bidcascade.engine.archive.catalogue import CATALOGUE, ArchiveBusy, Catalogue, check_name
from bidcascade.engine.archive.error_texts import archive_error_text
from bidcascade.engine.archive.solving import solver_of
from bidcascade.loaders.files.whole_files import write_json

from .data_folder import JobFolder
from .job_process import REPORT_EVERY_S, enter_inputs, main
from .pipe_messages import send
from .results import result_file

RESULT: Final = "added.json"
_AGAIN_S: Final = 1.0


class _Progress:
    """Tells the service how many boards are new, now and then."""

    # a run that has brought boards into the archive comes on

    def __init__(self, outgoing: IO[bytes], folder: Path) -> None:
        self._outgoing, self._folder = outgoing, folder
        self._reported = float("-inf")
        self._before = self._boards()

    def __call__(self, done: int, total: int | None, boards: int) -> None:
        if time.monotonic() - self._reported >= REPORT_EVERY_S:
            comes_on = self._boards() > self._before
            send(self._outgoing, {"boards": boards, "rejects": 0, "of": None, "comes_on": comes_on})
            self._reported = time.monotonic()

    def _boards(self) -> int:
        there = (self._folder / CATALOGUE).exists()
        return Catalogue.read(self._folder).boards if there else 0


def add(start: dict[str, Any], outgoing: IO[bytes]) -> dict[str, Any]:
    """Do all of a job; return the last message.

    Parameters
    ----------
    start : dict
        As :func:`~bidcascade.service.jobs.job_process.do_job` has it, without a table; ``archive``
        is the name, and ``archives_folder`` the setting.

    Raises
    ------
    BidcascadeError, OSError, MemoryError
        If it cannot be done.
    """
    # before the process goes to where the inputs are
    root = archives_folder(start["archives_folder"]).absolute()
    folder = root / check_name(start["archive"])
    inputs = enter_inputs(start)
    try:
        added = _add(folder, inputs, start, outgoing)
    except BidcascadeError as error:
        raise InvalidInput(archive_error_text(error, folder)) from error
    results = JobFolder(Path(start["folder"])).results
    results.mkdir(exist_ok=True)
    write_json(asdict(added), results / RESULT)
    return {
        "done": {
            "boards": added.boards,
            "rejects": added.rejects,
            "results": [asdict(result_file(results / RESULT))],
        }
    }


def _add(folder: Path, inputs: list[Path], start: dict[str, Any], outgoing: IO[bytes]) -> Added:
    while True:
        try:
            with solver_of(folder, start["dd_workers"]) as solve:
                return add_files(
                    folder,
                    inputs,
                    jobs=1,
                    backend=start["backend"],
                    solve=solve,
                    report=_Progress(outgoing, folder),
                )
        except ArchiveBusy:
            # another job, or the command line: it will come to its end
            time.sleep(_AGAIN_S)


if __name__ == "__main__":
    sys.exit(main(add))
