"""One engine on one workload in a process of its own, so that peak memory is its own.

``python -m benchmarks.worker`` reads a job as JSON from standard input and prints the result.
"""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from typing import Any

import numpy as np

from .compare import Disagreement, check
from .engines.choice import Engine, get_engine
from .gpu.device_times import DeviceRun
from .gpu.least_work import hybrid_block, kernel_works, work_of
from .gpu.roofline import Ceilings
from .gpu.variant_model import sampled_load
from .machine import forget_peak, peak_bytes
from .table_shape import first_tests, shape_of
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
    shape: dict[str, float] = field(default_factory=dict)
    """What the comparison told of the table."""


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
    device_runs: list[dict[str, Any]] = field(default_factory=list)
    """Device time taken apart, of further runs (``DeviceRun.as_json``)."""
    works: dict[str, list[float]] = field(default_factory=dict)
    """Least bytes and integer operations, of the whole (empty name) and by kernel."""
    ceilings: dict[str, Any] = field(default_factory=dict)
    """What the device can do at most, measured."""
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
    plan = inputs.plan
    able = [engine for engine in engines if engine.why_unavailable("counts") is None]
    able = [engine for engine in able if engine.name != "reference"] or able
    if not plan.node_count or not able or not len(inputs.deals):
        return {}
    shape = shape_of(plan, inputs.deals, able[0].counts(plan, inputs.deals))
    if inputs.workload.operation == "first":
        shape["first_tests_per_deal"] = first_tests(plan, inputs.deals)
    return shape


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
    _measure_device(job, engine, inputs, timing)
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
        once(timing.measured_deals)
    longest = 3 * budget
    while len(timing.runs) < job.repeat and sum(timing.runs) + timing.runs[-1] < longest:
        once(timing.measured_deals)


def _measure_device(job: Job, engine: Engine, inputs: Inputs, timing: Timing) -> None:
    """Run again with events around all that the device does; count what the work costs."""
    part = inputs.only(0, timing.measured_deals)
    for _ in range(job.repeat):
        timings = engine.timings()
        if timings is None:
            return
        with timings as found:
            run(engine, part)
        timing.device_runs.append(DeviceRun.of(found).as_json())
    operation, plan = inputs.workload.operation, inputs.plan
    whole = work_of(operation, plan, len(part.deals), job.shape)
    if whole is not None:
        load = None
        if operation == "counts":
            load = sampled_load(plan, part.deals, hybrid_block(len(part.deals)), engine.counts)
        works = kernel_works(operation, plan, len(part.deals), job.shape, load)
        timing.works = {
            name: [work.bytes, work.operations] for name, work in {"": whole, **works}.items()
        }
    measure_ceilings: Callable[[], Ceilings | None] | None = getattr(engine, "ceilings", None)
    ceilings = measure_ceilings() if measure_ceilings is not None else None
    if ceilings is not None:
        timing.ceilings = asdict(ceilings)


def main() -> None:
    """Do the job on standard input."""
    job = Job(**json.load(sys.stdin))
    result = compare(job) if job.compare else asdict(measure(job))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
