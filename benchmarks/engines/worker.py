"""What a process of its own does: compare engines on a workload, or time one of them."""

import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.gpu.roofline import Ceilings, Work, device_run, kernel_works, work_of
from benchmarks.tools.machine import forget_peak, peak_bytes
from bidcascade.kernels import DealArrays, FirstAuctions, Plan
from bidcascade.kernels.types import U64

from . import get_engine
from .column_engine import PackedColumns, first_auctions, hands_by_call
from .compare import check
from .workloads import Inputs, digest, find_workloads, latencies, run

_FIRST_DEALS = 4_096
"""Deals on which the tests of mode ``first`` are counted."""
_WARM_UP_DEALS = 64
_REFERENCE_BUDGET = 5.0
"""The definition is slow on purpose; nobody waits for it longer than this."""


@dataclass(frozen=True)
class Job:
    """What is to be compared, or, with one engine, timed."""

    workload: str
    engines: list[str]
    entries: int
    deals: int
    seed: int
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
    device_runs: list[dict[str, tuple[int, float]]] = field(default_factory=list)
    """Device time taken apart, of further runs."""
    works: dict[str, Work] = field(default_factory=dict)
    """Least work, of the whole (empty name) and by kernel."""
    ceilings: Ceilings | None = None
    """What the device can do at most, measured."""
    peak: int = 0
    inputs: int = 0
    digest: str = ""
    detail: str = ""

    @property
    def median(self) -> float:
        return float(np.median(self.runs))

    @property
    def formula(self) -> str:
        """How the time for all deals follows from what was measured; empty if it was measured."""
        if self.measured_deals == self.deals or not self.runs:
            return ""
        return (
            f"{self.median:.3g} s × {self.deals:,} / {self.measured_deals:,} deals "
            f"(every {self.step:,} are worked on like the last)"
        )

    @property
    def seconds(self) -> float:
        """Median for all deals, extrapolated where fewer were measured."""
        return self.median * self.deals / self.measured_deals


def compare(job: Job) -> dict[str, float]:
    """Compare engines; tell the entries of the table, those that hold and the tests per deal.

    Raises
    ------
    Disagreement
        If two answers differ.
    """
    (workload,) = find_workloads([job.workload])
    inputs = Inputs.make(workload, entries=job.entries, deals=job.deals, seed=job.seed)
    plan, deals = inputs.plan, inputs.deals
    engines = [get_engine(name) for name in job.engines]
    check(engines, inputs)
    able = [engine for engine in engines if engine.why_unavailable("counts") is None]
    able = [engine for engine in able if engine.name != "reference"] or able
    if not plan.node_count or not able or not len(deals):
        return {}
    shape = shape_of(plan, deals, able[0].counts(plan, deals))
    if workload.operation == "first":
        shape["first_tests_per_deal"] = first_tests(plan, deals)
    return shape


def shape_of(plan: Plan, deals: DealArrays, counts: U64) -> dict[str, float]:
    """Entries, entries that hold and tests a deal, from how many deals reach each entry."""
    above = np.append(counts, np.uint64(len(deals)))[plan.parent]
    return {
        "entries": plan.node_count,
        "holding_per_deal": round(float(counts.sum()) / len(deals), 1),
        "tests_per_deal": round(float(above[plan.node_box > 1].sum()) / len(deals), 1),
    }


def first_tests(plan: Plan, deals: DealArrays) -> float:
    """Tests a deal in mode ``first``: each sibling until one holds."""
    some = deals.slice(0, min(len(deals), _FIRST_DEALS))
    columns = _CountingColumns(plan, hands_by_call(some))
    first_auctions(columns, FirstAuctions.empty(len(some)))
    return round(columns.tests / len(some), 1)


class _CountingColumns(PackedColumns):
    """Columns that count how many deals a test of criteria is made on."""

    tests = 0

    def meeting(self, column: U64, number: int, seat: int) -> U64:
        self.tests += self.count(column)
        return super().meeting(column, number, seat)


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


def _measure_batch(job: Job, engine: Any, inputs: Inputs, timing: Timing) -> None:
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


def _measure_device(job: Job, engine: Any, inputs: Inputs, timing: Timing) -> None:
    """Run again with events around all that the device does; count what the work costs."""
    part = inputs.only(0, timing.measured_deals)
    for _ in range(job.repeat):
        timings = engine.timings()
        if timings is None:
            return
        with timings as found:
            run(engine, part)
        timing.device_runs.append(device_run(found))
    operation, plan = inputs.workload.operation, inputs.plan
    whole = work_of(operation, plan, len(part.deals), job.shape)
    if whole is not None:
        works = kernel_works(operation, plan, len(part.deals), job.shape)
        timing.works = {"": whole, **works}
    if hasattr(engine, "ceilings"):
        timing.ceilings = engine.ceilings()
