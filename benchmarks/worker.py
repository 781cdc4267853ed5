"""One engine on one workload in a process of its own, so that peak memory is its own.

``python -m benchmarks.worker`` reads a job as JSON from standard input and prints the result.
"""

import json
import sys
import time
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from typing import Any

import numpy as np

from .compare import Disagreement, check
from .engines import Engine, get_engine
from .machine import forget_peak, peak_bytes
from .workloads import Inputs, digest, find_workloads, latencies, run

_WARM_UP_DEALS = 64
_REFERENCE_BUDGET = 5.0
"""The definition is slow on purpose; nobody waits for it longer than this."""


@dataclass(frozen=True)
class Job:
    """What a process is to do: compare ``engines``, or time the one there is."""

    workload: str
    engines: list[str]
    entries: int
    deals: int
    seed: int
    compare: bool
    repeat: int = 3
    budget: float = 60.0
    """Seconds that one run over all deals may take; else fewer deals are measured."""


@dataclass
class Timing:
    """What one engine took; ``unavailable`` says why it was not measured."""

    workload: str
    engine: str
    deals: int
    unavailable: str | None = None
    measured_deals: int = 0
    step: int = 0
    prepare: float = 0.0
    runs: list[float] = field(default_factory=list)
    device_runs: list[float] = field(default_factory=list)
    peak: int = 0
    inputs: int = 0
    digest: str = ""
    detail: str = ""

    @property
    def formula(self) -> str:
        """How the time for all deals follows from what was measured; empty if it was measured."""
        if self.measured_deals == self.deals or not self.runs:
            return ""
        median = float(np.median(self.runs))
        return (
            f"{median:.3g} s × {self.deals:,} / {self.measured_deals:,} deals "
            f"(every {self.step:,} are worked on like the last)"
        )

    @property
    def seconds(self) -> float:
        """Median for all deals, extrapolated where fewer were measured."""
        return float(np.median(self.runs)) * self.deals / self.measured_deals


def compare(job: Job) -> dict[str, Any]:
    """Compare engines; tell how much of the table holds and is tested."""
    (workload,) = find_workloads([job.workload])
    inputs = Inputs.make(workload, entries=job.entries, deals=job.deals, seed=job.seed)
    engines = [get_engine(name) for name in job.engines]
    try:
        check(engines, inputs)
    except Disagreement as error:
        return {"disagreement": str(error)}
    return {"shape": _shape(engines, inputs)}


def _shape(engines: list[Engine], inputs: Inputs) -> dict[str, float]:
    """Entries, entries that hold and tests per deal."""
    plan, count = inputs.plan, len(inputs.deals)
    able = [engine for engine in engines if engine.why_unavailable("counts") is None]
    able = [engine for engine in able if engine.name != "reference"] or able
    if not plan.node_count or not able or not count:
        return {}
    counts = able[0].counts(plan, inputs.deals)
    above = np.append(counts, np.uint64(count))[plan.parent]
    return {
        "entries": plan.node_count,
        "holding_per_deal": round(float(counts.sum()) / count, 1),
        "tests_per_deal": round(float(above[plan.node_box > 1].sum()) / count, 1),
    }


def measure(job: Job) -> Timing:
    """Warm up, find out how many deals the budget allows, and time them."""
    (workload,) = find_workloads([job.workload])
    (name,) = job.engines
    timing = Timing(job.workload, name, job.deals)
    engine = get_engine(name)
    timing.unavailable = engine.why_unavailable(workload.operation)
    if workload.kind == "parquet" and find_spec("polars") is None:
        timing.unavailable = "polars, which writes the files, is not installed"
    if timing.unavailable is not None:
        return timing
    inputs = Inputs.make(workload, entries=job.entries, deals=job.deals, seed=job.seed)
    timing.inputs = forget_peak()
    start = time.perf_counter()
    engine.prepare(inputs.plan)
    timing.prepare = time.perf_counter() - start
    run(engine, inputs.only(0, 1 if workload.kind == "one" else min(_WARM_UP_DEALS, job.deals)))
    if workload.kind == "one":
        timing.deals = timing.measured_deals = timing.step = 1
        latencies(engine, inputs, 20)
        timing.runs = latencies(engine, inputs)
        timing.detail = f"each of {len(timing.runs)} deals on its own"
    else:
        _measure_batch(job, engine, inputs, timing)
    timing.peak = peak_bytes()
    return timing


def _measure_batch(job: Job, engine: Engine, inputs: Inputs, timing: Timing) -> None:
    timing.step = min(engine.step, job.deals)
    budget = min(job.budget, _REFERENCE_BUDGET) if engine.name == "reference" else job.budget

    def once(deals: int) -> float:
        part = inputs.only(0, deals)
        start = time.perf_counter()
        result = run(engine, part)
        seconds = time.perf_counter() - start
        timing.runs.append(seconds)
        device = engine.device_seconds()
        if device is not None:
            timing.device_runs.append(device)
        timing.digest = digest(engine, part, result)
        if inputs.workload.kind == "parquet":
            timing.detail = f"{result[1] / 2**20:.0f} MiB of Parquet"
        return seconds

    step_seconds = once(timing.step)
    timing.measured_deals = timing.step
    affordable = int(budget / step_seconds) * timing.step
    if affordable > timing.step:
        timing.measured_deals = min(job.deals, affordable)
    if timing.measured_deals != timing.step or step_seconds < budget / 10:
        # the first run was to look how fast it is
        timing.runs.clear()
        timing.device_runs.clear()
        once(timing.measured_deals)
    longest = 3 * budget
    while len(timing.runs) < job.repeat and sum(timing.runs) + timing.runs[-1] < longest:
        once(timing.measured_deals)


def main() -> None:
    """Do the job on standard input."""
    job = Job(**json.load(sys.stdin))
    result = compare(job) if job.compare else asdict(measure(job))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
