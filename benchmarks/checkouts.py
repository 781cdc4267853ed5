"""How long the walk of a table takes in this checkout and in another one, asked in turn.

Run ``python -m benchmarks.checkouts --before FOLDER`` from the repository's root; the folder is
the root of a checkout of an older commit (``git worktree add --detach FOLDER COMMIT``). Each
version has a process of its own, and both answer every question one after the other, so that other
work on the machine meets both. Answers are compared first. Times are of the processor, over all
threads: on a machine with other work the clock tells little.
"""

import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from .machine import environment
from .programs import options, table, write_report

HERE = Path(__file__).resolve().parent
QUESTIONS = (
    ("counts", "selective", 1), ("first", "selective", 1), ("all", "selective", 5),
    ("one", "selective", 5000), ("counts", "dense", 1), ("first", "dense", 1),
    ("all", "dense", 100), ("one", "dense", 5000), ("counts", "bushy-selective", 2),
)  # fmt: skip
"""Mode and table, and the part of the deals that is asked for."""


class Version:
    """A process that answers in one checkout."""

    def __init__(self, root: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(HERE / "checkout_worker.py")],
            cwd=root,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": f".typings{os.pathsep}."},
        )

    def ask(self, *question: object) -> tuple[float, str]:
        """Seconds of the processor, and a digest of the answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(*question, file=self._process.stdin, flush=True)
        seconds, digest = self._process.stdout.readline().split()
        return float(seconds), digest

    def close(self) -> None:
        """Let the process end."""
        self._process.communicate()


def commit_of(root: Path) -> str:
    """First digits of the commit that is checked out."""
    command = ["git", "-C", str(root), "rev-parse", "--short=12", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare, measure, write the report."""
    wanted = options(
        __doc__,
        arguments,
        before=(Path(), "root of the other checkout"),
        deals=1_000_000,
        entries=2_000_000,
        repeat=9,
    )
    roots = [wanted.before.resolve(), HERE.parent]
    commits = [commit_of(root) for root in roots]
    versions = [Version(root) for root in roots]
    found, rows = [], []
    for mode, name, part in QUESTIONS:
        question = (mode, name, wanted.entries, max(1, wanted.deals // part))
        few = (*question[:3], max(1, question[3] // 10), "keep")
        digests = {version.ask(*few)[1] for version in versions}
        if len(digests) > 1:
            raise SystemExit(f"expected equal answers to {few}, got {digests}")
        seconds: list[list[float]] = [[], []]
        for _ in range(wanted.repeat):
            for version, times in zip(versions, seconds, strict=True):
                times.append(version.ask(*question, "drop")[0])
        before, after = map(statistics.median, seconds)
        pairs = statistics.median(old / new for old, new in zip(*seconds, strict=True))
        found.append({"question": question, "seconds": seconds})
        rows.append(
            (mode, name, question[3], round(1000 * before, 1), round(1000 * after, 1),
             round(before / after, 2), round(pairs, 2))
        )  # fmt: skip
    for version in versions:
        version.close()
    heads = ("mode", "table", "deals", "ms before", "ms now", "times as fast", "median of pairs")
    machine = environment()
    lines = [
        "# Tables in two versions, on the CPU",
        "",
        f"`python -m benchmarks.checkouts`; {machine['cpu']}, {machine['cores']} cores; load "
        f"{machine['load']}. Before: {commits[0]}; now: {commits[1]}. Tables of "
        f"{wanted.entries:,} entries; medians of {wanted.repeat} runs of each version, in turn, in "
        "milliseconds of the processor over all threads. Answers were equal; of `first` entries "
        "and the passes behind them were compared. `one` asks deal by deal.",
        "",
        *table(heads, rows, left=2),
    ]
    write_report(
        wanted.out, "checkouts", {"commits": commits, "machine": machine, "found": found}, lines
    )


if __name__ == "__main__":
    main()
