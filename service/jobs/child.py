"""A job's process as the service sees it: started, listened to, ended with all that it started."""

import logging
import os
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from bidcascade.kernels.machine.child_processes import start_module

from .pipe_messages import receive, send

_logger = logging.getLogger("bidcascade.service")

MODULE: Final = "bidcascade.service.jobs.job_process"
PAR_MODULE: Final = "bidcascade.service.reports.par_job"
"""It writes a report: that room knows of jobs, not the other way round."""
QUESTION: Final = "question"
_MODULES: Final = {
    "par": PAR_MODULE,
    "archive": "bidcascade.service.jobs.archive_job",
    QUESTION: "bidcascade.service.jobs.system_questions",
}
LOG: Final = "process.log"
_LONGEST_LOG: Final = 2000
_END_S: Final = 30.0
_EVENTS: Final = Path("/proc/vmstat")
_FROM_OUTSIDE: Final = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT")


class Child:
    """One process.

    Parameters
    ----------
    start : mapping
        What it is to do; see :func:`.job_process.do_job`, and :mod:`.system_questions`.
    """

    def __init__(self, start: Mapping[str, Any]) -> None:
        module = _MODULES.get(start["mode"], MODULE)
        self._log = Path(start["folder"]) / LOG
        self._stopping = threading.Lock()
        self._killed_for_memory = _kills_for_memory()
        with self._log.open("wb") as log:
            self._process = start_module(
                module,
                start["folder"],
                stderr=log,
                # a group of its own, which ends together
                process_group=0 if os.name == "posix" else None,
            )
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            send(self._process.stdin, start)

    @property
    def process_id(self) -> int:
        """Number of the process."""
        return self._process.pid

    def messages(self) -> Iterator[dict[str, Any]]:
        """Messages until the process has ended; it is ended where they are left before."""
        assert self._process.stdout is not None
        try:
            while (received := receive(self._process.stdout)) is not None:
                yield received[0]
        finally:
            # what it started must not go on without it
            self.close()

    def close(self) -> None:
        """End the process and let go of its pipes, in the thread that reads its messages."""
        self.stop()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def stop(self) -> None:
        """End the process and all that it started, at once; what it wrote stays good."""
        with self._stopping:
            if self._process.returncode is not None:
                return
            if os.name == "posix":
                # not waited for yet: nobody else can have this number
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
            self._process.wait(_END_S)
            if self._process.stdin is not None:
                with suppress(BrokenPipeError):
                    self._process.stdin.close()

    def crashed(self) -> bool:
        """Whether it ended by its own doing, not by a signal that somebody sent.

        ``SIGKILL`` is also what Linux sends where memory runs out, and counts these.
        """
        name = self._signal()
        if name == "SIGKILL":
            kills = _kills_for_memory()
            return kills is None or kills != self._killed_for_memory
        return name not in _FROM_OUTSIDE

    def end(self) -> str:
        """How it ended, in words."""
        code = self._process.returncode
        if code is not None and code < 0:
            name = self._signal()
            return f"was ended by signal {-code}{f' ({name})' if name else ''}"
        return f"ended with status {code}"

    def _signal(self) -> str:
        """Name of the signal that ended it, empty where there was none or it has no name."""
        try:
            return signal.Signals(-(self._process.returncode or 0)).name
        except ValueError:
            return ""

    def write_log(self, job_id: str) -> None:
        """Bring the end of what it wrote to the service's log."""
        with suppress(OSError):
            with self._log.open("rb") as log:
                log.seek(max(0, self._log.stat().st_size - _LONGEST_LOG))
                text = log.read().decode("utf-8", "replace").strip()
            if text:
                _logger.warning("job %s: its process wrote: %s", job_id, text)


def _kills_for_memory() -> int | None:
    """How many processes Linux has killed for their memory; None where that is not known."""
    with suppress(OSError):
        for line in _EVENTS.read_text("ascii").splitlines():
            name, _, count = line.partition(" ")
            if name == "oom_kill":
                return int(count)
    return None
