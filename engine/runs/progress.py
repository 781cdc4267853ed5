"""Progress of long jobs: a bar on a terminal, else a line a minute; how far, how long still."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Protocol

FIRST_LINE_S: Final = 10
"""When the first line comes, with an estimate of the whole."""
LINES_EVERY_S: Final = 60


class Report(Protocol):
    """Takes in how far a job is."""

    def __call__(self, done: int, total: int | None, boards: int) -> None:
        """Report ``done`` of ``total`` steps, and the boards so far."""
        ...


def _silent(done: int, total: int | None, boards: int) -> None:
    pass


class ProgressLines:
    """Writes a line to standard error after ten seconds, and then every minute.

    Parameters
    ----------
    what : str
        Name of the job.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._began = time.monotonic()
        self._next = self._began + FIRST_LINE_S

    def report(self, done: int, total: int | None, boards: int) -> None:
        """Take in how far the job is, see :class:`Report`."""
        spent = time.monotonic() - self._began
        parts = [f"{boards:,} boards, {boards / spent:,.0f}/s"] if boards and spent > 0 else []
        if total and done:
            left = spent * (total - done) / done
            parts.append(f"{100 * done / total:.0f} % done, {duration(left)} left")
        self.write(", ".join(parts) or "begun")

    def write(self, text: str) -> None:
        """Write a line if it is time for one."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + LINES_EVERY_S
            spent = duration(now - self._began)
            print(f"bidcascade: {self._what}: {text} (after {spent})", file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """Write a time as people say it.

    Examples
    --------
    >>> duration(12.3), duration(200), duration(9000)
    ('12 s', '3 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


@contextmanager
def progress_bar(what: str, *, shown: bool | None = None) -> Iterator[Report]:
    """Show on standard error how far a job is while the block runs.

    Parameters
    ----------
    what : str
        Name of the job.
    shown : bool, optional
        Whether there is a bar, or nothing; by default a bar if standard error is a terminal, else a
        line a minute.
    """
    if shown is None and not sys.stderr.isatty():
        yield ProgressLines(what).report
        return
    if shown is False:
        yield _silent
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[boards]} boards"),
        TextColumn("{task.fields[rate]}/s"), TimeElapsedColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None, boards="0", rate="-")

        def report(done: int, total: int | None, boards: int) -> None:
            elapsed = bar.tasks[0].elapsed or 0
            rate = f"{boards / elapsed:,.0f}" if elapsed > 0 else "-"
            bar.update(task, completed=done, total=total, boards=f"{boards:,}", rate=rate)

        yield report
        # what the last report was about need not be the end of all
        last = bar.tasks[0].total or 1
        bar.update(task, completed=last, total=last, refresh=True)
