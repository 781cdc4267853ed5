"""``python -m benchmarks floors``: what each workload costs at least, without running it on a GPU.

Bytes and integer operations are counted from the tables and deals (see ``roofline``), and divided
by what an H200 can do. These are predictions from arithmetic, not measurements.
"""

import argparse

from benchmarks.engines import get_engine
from benchmarks.engines.report import amount_of, format_seconds
from benchmarks.engines.worker import Job, compare
from benchmarks.engines.workloads import Inputs, Workload, find_workloads

from .roofline import H200, work_of


def floors(options: argparse.Namespace) -> str:
    """Table of the floors, as Markdown."""
    lines = [
        f"{options.deals:,} deals, tables of {options.entries:,} entries, seed {options.seed}; "
        f"{H200.source}.",
        "",
        "| workload | tests a deal | bytes | integer operations | floor | of |",
        "|" + " --- |" * 6,
    ]
    for workload in find_workloads(options.workload):
        if workload.kind in ("one", "parquet"):
            continue
        line = _line(workload, options)
        if line is not None:
            lines.append(line)
    return "\n".join(lines)


def _line(workload: Workload, options: argparse.Namespace) -> str | None:
    check_deals = min(workload.check_deals, options.deals)
    shape = _shape(workload, options, check_deals)
    inputs = Inputs.make(workload, entries=options.entries, deals=1, seed=options.seed)
    work = work_of(workload.operation, inputs.plan, options.deals, shape)
    if work is None:
        return None
    name = "first_tests_per_deal" if workload.operation == "first" else "tests_per_deal"
    tests = f"{shape[name]:,.0f}" if name in shape else "–"
    cells = (
        workload.name, tests, amount_of(work.bytes), amount_of(work.operations),
        format_seconds(H200.floor(work)), H200.bound(work),
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _shape(workload: Workload, options: argparse.Namespace, deals: int) -> dict[str, float]:
    if workload.table is None or workload.operation == "features":
        return {}
    able = ("cpu", "numpy")
    name = next(one for one in able if get_engine(one).why_unavailable("counts") is None)
    return compare(Job(workload.name, [name], options.entries, deals, options.seed))
