"""What a match of two systems costs: learning the texts, bidding deals, working some of them out.

Run ``python -m benchmarks.inference.matches`` from the repository's root with the packages on the
path. The cache is a folder of this run, so that learning is measured as well; then deals are bid
that nobody bid before, and the same once more. Seconds of the clock and of this process's own
processor time; solvers run in others.
"""

import os
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.tools.machine import environment
from benchmarks.tools.programs import options, table, write_report
from bidcascade.inference.double_dummy.pool import DoubleDummyPool
from bidcascade.kernels.machine.caches import CACHE_VARIABLE
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.systems import open_system
from bidcascade.workshop.boards.compare import KINDS, SystemMatch
from bidcascade.workshop.boards.compare_summary import boards_frame, summarize
from bidcascade.workshop.boards.scored_boards import Budget

PAIRS = (("sayc", "acol"), ("sayc", "two-over-one"))


def measure(pair: tuple[str, str], count: int, budget: int) -> dict[str, Any]:
    """Measure one match."""
    first, second = (open_system(name) for name in pair)
    deals = deal_arrays(random_deals(count, seed=1))
    steps: dict[str, dict[str, float]] = {}

    def timed(name: str, work: Callable[[], Any]) -> Any:
        wall, own = time.perf_counter(), time.process_time()
        answer = work()
        steps[name] = {"wall_s": time.perf_counter() - wall, "own_s": time.process_time() - own}
        return answer

    others = deal_arrays(random_deals(count, seed=2))
    timed(f"bid other {count:,} deals, learn the texts", lambda: SystemMatch(first, second, others))
    match = timed(f"bid {count:,} deals at two tables", lambda: SystemMatch(first, second, deals))
    timed("bid the same once more", lambda: SystemMatch(first, second, deals))
    with DoubleDummyPool() as pool:
        timed(f"work out {budget:,}", lambda: match.work_out(pool, Budget(deals=budget)))
    summary = timed("sum up", lambda: summarize(match))
    timed("frame of boards", lambda: boards_frame(match))
    kinds = np.bincount(match.kind, minlength=len(KINDS)) / count
    return {
        "pair": list(pair), "steps": steps, "kinds": dict(zip(KINDS, kinds.tolist(), strict=True)),
        "solved": match.solved, "imps": summary.imps.value, "error": summary.imps.error,
    }  # fmt: skip


def page(found: dict[str, Any]) -> list[str]:
    """Results as Markdown."""
    lines = [
        "# Systems against each other",
        "",
        f"{found['deals']:,} deals, of which {found['budget']:,} were worked out. Seconds of the "
        "clock, and of the process's own processors in brackets (solvers run in other processes). "
        f"Load of the machine before: {found['load']:.1f} on {found['cpus']} processors.",
        "",
    ]
    for match in found["matches"]:
        kinds = ", ".join(f"{name} {100 * share:.0f} %" for name, share in match["kinds"].items())
        lines += [
            f"## {' against '.join(match['pair'])}",
            "",
            f"Kinds: {kinds}. {match['solved']:,} contracts solved; {match['imps']:+.3f} ± "
            f"{match['error']:.3f} IMPs a deal.",
            "",
        ]
        steps = match["steps"].items()
        rows = [(name, f"{step['wall_s']:.1f} ({step['own_s']:.1f})") for name, step in steps]
        lines += [*table(("step", "seconds"), rows), ""]
    return lines[:-1]


def main() -> None:
    """Measure and write the results."""
    given = options(__doc__, subject="inference", deals=100_000, budget=1_000)
    found: dict[str, Any] = {
        "environment": environment(), "deals": given.deals, "budget": given.budget,
        "load": os.getloadavg()[0], "cpus": os.cpu_count(),
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as cache:
        os.environ[CACHE_VARIABLE] = cache
        found["matches"] = [measure(pair, given.deals, given.budget) for pair in PAIRS]
    write_report(given.out, "matches", found, page(found))


if __name__ == "__main__":
    main()
