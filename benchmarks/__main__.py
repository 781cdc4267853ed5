"""``python -m benchmarks``: compare the engines' answers, time them, write a report."""

import argparse
import datetime
import sys
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from .compare import Disagreement
from .engines import ENGINES, get_engine
from .floors import floors
from .machine import environment, in_a_process, machine_kind, sources_digest
from .programs import RESULTS
from .report import Measured, write_report
from .worker import Job, Timing, compare, measure
from .workloads import WORKLOADS, Workload, find_workloads


class Preset(NamedTuple):
    """Defaults of a command; what the command line says goes before them."""

    about: str
    engines: Sequence[str]
    workloads: Sequence[str]
    repeat: int
    budget: float


PRESETS = {
    "gpu": Preset(
        "polars and the cpu backend against the GPU: cuda, and cudf as the naive way there",
        # numpy is what a machine without the core and polars has to compare with
        ("cpu", "cuda", "numpy", "polars", "cudf"),
        (
            "counts/selective", "counts/middle", "counts/dense", "counts/bushy-dense",
            "all/selective", "parquet/selective", "first/selective", "first/bushy-dense",
            "evaluate", "features", "deals", "one/selective",
        ),
        repeat=5,
        budget=5.0,
    ),
}  # fmt: skip
_ALL = Preset("all engines and workloads", (), (), 5, 60.0)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line; a preset fills in what it leaves open."""
    options = _parser().parse_args(arguments)
    preset = PRESETS.get(options.what, _ALL)
    options.engine = options.engine or list(preset.engines)
    options.workload = options.workload or list(preset.workloads)
    options.repeat = options.repeat or preset.repeat
    options.budget = options.budget or preset.budget
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 done, 1 answers differ, files change or a process fails, 2 arguments."""
    options = parse(arguments)
    try:
        workloads = find_workloads(options.workload)
        for name in options.engine:
            get_engine(name)
    except ValueError as error:
        _parser().error(str(error))
    if options.list:
        for workload in WORKLOADS:
            print(f"{workload.name:24} {workload.about}")
        return 0
    if options.what == "floors":
        print(floors(options))
        return 0
    found = environment()
    folder = options.out or RESULTS / f"{datetime.date.today():%Y-%m-%d}-{machine_kind(found)}"
    if options.what is not None and options.out is None:
        folder = folder / options.what
    measured: list[Measured] = []
    try:
        for workload in workloads:
            measured.append(measure_workload(workload, options.engine or list(ENGINES), options))
            if sources_digest() != found["sources"]:
                print(f"error: files changed while {workload.name} was measured", file=sys.stderr)
                return 1
            # after each workload, so that an interruption loses little
            write_report(folder, found, _command(options), measured)
    except (Disagreement, BrokenProcessPool) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"wrote report.md, results.jsonl, chart.svg and environment.json to {folder}")
    return 0


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
        workload.name, able, options.entries, min(workload.check_deals, options.deals),
        options.seed, repeat=options.repeat, budget=options.budget,
    )  # fmt: skip
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
            timing for timing in timed[: timed.index(other)]
            if timing.measured_deals == other.measured_deals
        ]  # fmt: skip
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


def _command(options: argparse.Namespace) -> str:
    words = ["python -m benchmarks", *([options.what] if options.what else [])]
    for name in ("workload", "engine"):
        values = getattr(options, name)
        words += [f"--{name} {' '.join(values)}"] if values else []
    words += [
        f"--{name} {getattr(options, name):g}" if name == "budget"
        else f"--{name} {getattr(options, name)}"
        for name in ("deals", "entries", "repeat", "budget", "seed")
    ]  # fmt: skip
    return " ".join(words)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "what", nargs="?", choices=(*PRESETS, "floors"),
        help="; ".join(
            [*(f"{name}: {preset.about}" for name, preset in PRESETS.items()),
             "floors: what the workloads cost a GPU at least, by arithmetic"]
        ) + "; all engines and workloads by default",
    )  # fmt: skip
    parser.add_argument(
        "--workload", nargs="+", default=[], metavar="NAME",
        help="by name or by the part before the slash; all by default",
    )  # fmt: skip
    parser.add_argument(
        "--engine", nargs="+", default=[], metavar="NAME", help=f"of {', '.join(ENGINES)}"
    )
    parser.add_argument("--deals", type=_count, default=1_000_000)
    parser.add_argument("--entries", type=_count, default=2_000_000)
    parser.add_argument("--repeat", type=_count, help="timed runs of each engine (default: 5)")
    parser.add_argument(
        "--budget", type=float, metavar="SECONDS",
        help="time one run may take (default: 60); an engine that would take longer is measured "
        "on fewer deals",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=1, help="of table and deals")
    parser.add_argument("--out", type=Path, help="folder; by default one below benchmarks/results")
    parser.add_argument("--list", action="store_true", help="list the workloads and leave")
    return parser


def _count(text: str) -> int:
    value = int(text.replace("_", ""))
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected at least 1, got {text!r}")
    return value


if __name__ == "__main__":
    sys.exit(main())
