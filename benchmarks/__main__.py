"""``python -m benchmarks``: compare the engines' answers, time them, write a report."""

import argparse
import datetime
import sys
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from .engines import ENGINES, get_engine
from .engines.compare import Disagreement
from .engines.measuring import measure_workload
from .engines.report import Measured, write_report
from .engines.workloads import WORKLOADS, find_workloads
from .gpu import command as gpu
from .gpu.floors import floors
from .tools.machine import environment, machine_kind, sources_digest
from .tools.programs import RESULTS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 done, 1 answers differ, files change or a process fails, 2 arguments."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] == ["gpu"]:
        return gpu.main(words[1:])
    if words[:1] == ["interfaces"]:
        # what the others do not need
        from . import interfaces

        return interfaces.main(words[1:])
    options = _parser().parse_args(words)
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
    if not options.workload and not options.yes and not _wanted():
        return 2
    found = environment()
    folder = options.out or RESULTS / f"{datetime.date.today():%Y-%m-%d}-{machine_kind(found)}"
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


def _wanted() -> bool:
    """Ask whether everything is to be measured, which nobody should start by mistake."""
    print(
        "all workloads take about an hour on two cores; --workload NAME measures some", flush=True
    )
    if not sys.stdin.isatty():
        print("error: expected --workload NAME or --yes, got neither", file=sys.stderr)
        return False
    return input("measure all of them? [y/N] ").strip().lower() in ("y", "yes")


def _command(options: argparse.Namespace) -> str:
    words = ["python -m benchmarks"]
    for name in ("workload", "engine"):
        values = getattr(options, name)
        words += [f"--{name} {' '.join(values)}"] if values else []
    words += [
        f"--{name} {getattr(options, name):g}"
        if name == "budget"
        else f"--{name} {getattr(options, name)}"
        for name in ("deals", "entries", "repeat", "budget", "seed")
    ]
    return " ".join(words)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "what",
        nargs="?",
        choices=("gpu", "interfaces", "floors"),
        help="gpu: all that a GPU is tested and measured for; interfaces: whether Python, REST, the"
        " page and kernels bid alike; both have options of their own (gpu --help); floors: what the"
        " workloads cost a GPU at least, by arithmetic; all engines and workloads by default",
    )
    parser.add_argument(
        "--workload",
        nargs="+",
        default=[],
        metavar="NAME",
        help="by name or by the part before the slash; all by default",
    )
    parser.add_argument(
        "--engine", nargs="+", default=[], metavar="NAME", help=f"of {', '.join(ENGINES)}"
    )
    parser.add_argument("--deals", type=_count, default=1_000_000)
    parser.add_argument("--entries", type=_count, default=2_000_000)
    parser.add_argument("--repeat", type=_count, default=5, help="timed runs of each engine")
    parser.add_argument(
        "--budget",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="time one run may take (default: 60); an engine that would take longer is measured "
        "on fewer deals",
    )
    parser.add_argument("--seed", type=int, default=1, help="of table and deals")
    parser.add_argument("--out", type=Path, help="folder; by default one below benchmarks/results")
    parser.add_argument(
        "--yes", action="store_true", help="measure all workloads without a question"
    )
    parser.add_argument("--list", action="store_true", help="list the workloads and leave")
    return parser


def _count(text: str) -> int:
    value = int(text.replace("_", ""))
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected at least 1, got {text!r}")
    return value


if __name__ == "__main__":
    sys.exit(main())
