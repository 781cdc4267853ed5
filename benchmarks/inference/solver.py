"""The core's double-dummy solver against DDS: first whether the answers are equal, then the time.

Run ``python -m benchmarks.inference.solver`` from the repository's root with the packages on the
path (Linux). One process of each; processor time, so that other work on the machine does not count.
It ends with the deal under way when ``--minutes`` are over.
"""

import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tools.machine import environment
from benchmarks.tools.programs import named, options, table, write_report
from bidcascade.inference.double_dummy import DoubleDummyPool
from bidcascade.kernels.core.functions import solve_tables
from bidcascade.kernels.dealing import deal_hands

SEED = 20_261


def seconds_of(process: int) -> float:
    """Processor time that a process has taken."""
    words = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def compared(deals: int, minutes: float) -> dict[str, Any]:
    """Processor times of both by deal, and how many of the results differ."""
    ends = time.monotonic() + 60 * minutes
    own, dds, different = [], [], 0
    with DoubleDummyPool(1, cache_entries=1) as pool:
        pool.tables(np.array([[1], [2], [4], [8]], np.uint64))
        me = os.getpid()
        (solver,) = [
            int(child)
            for task in Path(f"/proc/{me}/task").iterdir()
            for child in (task / "children").read_text("ascii").split()
        ]
        for number in range(deals):
            if time.monotonic() > ends:
                break
            hands = np.ascontiguousarray(deal_hands(SEED, number, 1))
            started = time.process_time()
            ours = solve_tables(hands)
            own.append(time.process_time() - started)
            started = seconds_of(solver)
            theirs = pool.tables(hands)
            dds.append(seconds_of(solver) - started)
            different += int((ours != theirs).sum())
    seconds = {"core": _summary(own), "DDS (endplay)": _summary(dds)}
    return {"deals": len(own), "different": different, "seconds": seconds}


def _summary(times: list[float]) -> list[float]:
    """Mean, median, 95 % and largest."""
    return [float(one) for one in (np.mean(times), *np.quantile(times, (0.5, 0.95, 1)))]


def page(found: dict[str, Any]) -> list[str]:
    """Results as Markdown."""
    deals = found["deals"]
    rows = [
        (name, *(f"{value:.3f}" for value in values)) for name, values in found["seconds"].items()
    ]
    return [
        "# Double-dummy solver", "",
        f"{deals:,} random deals (seed {SEED}), {20 * deals:,} results: "
        f"{found['different']} differ.",
        "",
        *table(("20 results of a deal, seconds", "mean", "median", "95 %", "largest"), rows), "",
        named(found["environment"]),
    ]  # fmt: skip


def main() -> None:
    """Measure and write the results."""
    given = options(__doc__, subject="inference", deals=2_000, minutes=60.0)
    found = {"environment": environment(), **compared(given.deals, given.minutes)}
    write_report(given.out, "solver", found, page(found))


if __name__ == "__main__":
    main()
