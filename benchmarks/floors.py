"""``python -m benchmarks floors``: what each workload costs at least, without running it on a GPU.

Bytes and integer operations are counted from the tables and deals (see ``roofline``), and divided
by what an H200 can do. These are predictions from arithmetic, not measurements. With numba a second
table tells what the candidates for the cascade would have to do (see ``variant_model``).
"""

import argparse

from .engines import get_engine
from .report import amount_of, format_seconds
from .roofline import H200, work_of
from .variant_model import predicted_seconds, sampled_load
from .worker import Job, compare
from .workloads import Inputs, Workload, find_workloads


def floors(options: argparse.Namespace) -> str:
    """Table of the floors, as Markdown."""
    lines = [
        f"{options.deals:,} deals, tables of {options.entries:,} entries, seed {options.seed}; "
        f"{H200.source}.", "",
        "| workload | tests a deal | bytes | integer operations | floor | of |",
        "|" + " --- |" * 6,
    ]  # fmt: skip
    for workload in find_workloads(options.workload):
        if workload.kind in ("one", "parquet"):
            continue
        line = _line(workload, options)
        if line is not None:
            lines.append(line)
    if get_engine("cpu").why_unavailable("counts") is None:
        lines += ["", *_variants(options)]
    return "\n".join(lines)


_BLOCKS = (("lists", 2048), ("hybrid", 4096), ("hybrid", 8192))
"""Candidates that work on blocks of deals, with the sizes of blocks to look at."""


def _variants(options: argparse.Namespace) -> list[str]:
    """Table of what the candidates have to do for counts, and how long that may take."""
    lines = [
        "Counts, a deal: nodes tried by a warp, filter steps of 32 deals, columns read for a whole "
        "block and word by word; and the time predicted on an H200, for all deals.", "",
        "| workload | candidate | deals a block | visits | steps | columns | words | predicted |",
        "|" + " --- |" * 8,
    ]  # fmt: skip
    for workload in find_workloads(options.workload):
        if workload.kind != "counts":
            continue
        inputs = Inputs.make(
            workload, entries=options.entries, deals=options.deals, seed=options.seed
        )
        loads = {
            block: sampled_load(inputs.plan, inputs.deals, block, get_engine("cpu").counts)
            for block in dict.fromkeys(block for _, block in _BLOCKS)
        }
        rows = [*_BLOCKS, ("frontier", _BLOCKS[0][1]), ("walk", _BLOCKS[0][1])]
        for variant, block in rows:
            load = loads[block]
            cells = ["–"] * 5
            if (variant, block) in _BLOCKS:
                parts = (load.visits, load.steps, load.wide_columns, load.narrow_columns)
                a_deal = [f"{part / options.deals:,.1f}" for part in parts]
                on_bits = variant == "hybrid"
                cells = [f"{block:,}", a_deal[0]]
                cells += ["–", *a_deal[2:]] if on_bits else [a_deal[1], "–", "–"]
            seconds = format_seconds(predicted_seconds(variant, load, block))
            lines.append(f"| {workload.name} | {variant} | {' | '.join(cells)} | {seconds} |")
    return lines


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
