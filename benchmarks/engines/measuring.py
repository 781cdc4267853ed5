"""One workload measured: engines compared, each timed in a process of its own, compared again."""

import argparse
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.tools.machine import in_a_process

from . import get_engine
from .compare import Disagreement
from .report import Measured
from .worker import Job, Timing, compare, measure
from .workloads import Workload


def measure_workload(
    workload: Workload, names: Sequence[str], options: argparse.Namespace
) -> Measured:
    """Compare the engines that can do it, then time each in a process of its own.

    Raises
    ------
    Disagreement
        If two answers differ.
    """
    able = [name for name in names if get_engine(name).why_unavailable(workload.operation) is None]
    job = Job(
        workload.name,
        able,
        options.entries,
        min(workload.check_deals, options.deals),
        options.seed,
        repeat=options.repeat,
        budget=options.budget,
    )
    print(f"{workload.name}: comparing {', '.join(able)}", flush=True)
    shape = in_a_process(compare, job)
    timings = []
    for name in names:
        alone = replace(job, engines=[name], deals=options.deals, shape=shape)
        timings.append(in_a_process(measure, alone))
        print(f"{workload.name}: {name}: {_outcome(timings[-1])}", flush=True)
    _check_digests(workload, timings, job)
    return Measured(workload, shape, job.deals, timings)


def _check_digests(workload: Workload, timings: Sequence[Timing], job: Job) -> None:
    """Engines timed on the same deals must have given the same answer there, too."""
    timed = [timing for timing in timings if timing.digest]
    for other in timed[1:]:
        same_deals = [
            timing
            for timing in timed[: timed.index(other)]
            if timing.measured_deals == other.measured_deals
        ]
        if same_deals and same_deals[0].digest != other.digest:
            pair = [same_deals[0].engine, other.engine]
            # find out where; if the difference is gone, it was there all the same
            in_a_process(compare, replace(job, engines=pair, deals=other.measured_deals))
            raise Disagreement(
                f"{workload.name}: {pair[0]} and {pair[1]} differed while they were timed on "
                f"{other.measured_deals} deals, and agreed when asked again"
            )


def _outcome(timing: Timing) -> str:
    if timing.unavailable:
        return f"not measured: {timing.unavailable}"
    shown = ", ".join(f"{seconds:.4g}" for seconds in timing.runs[:5])
    return f"{shown} s for {timing.measured_deals:,} deals, {timing.peak / 2**20:,.0f} MiB"
