"""Progress of long jobs on a terminal: how far, how fast, how long still."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Report(Protocol):
    """Takes in how far a job is."""

    def __call__(self, done: int, total: int | None, boards: int) -> None:
        """Report ``done`` of ``total`` steps, and the boards so far."""
        ...


def _silent(done: int, total: int | None, boards: int) -> None:
    pass


@contextmanager
def progress_bar(what: str, *, shown: bool | None = None) -> Iterator[Report]:
    """Show a bar on standard error while the block runs, if that is a terminal.

    Parameters
    ----------
    what : str
        Name of the job.
    shown : bool, optional
        Whether there is a bar; by default if standard error is a terminal.
    """
    if not (sys.stderr.isatty() if shown is None else shown):
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
