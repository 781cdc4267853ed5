"""Command ``bench``: a bidder, perhaps a stranger's, on fixed boards of the bank."""

import argparse
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from bidcascade.bridge import visible
from bidcascade.service.cli import shared
from bidcascade.service.cli.outputs import add_output, holds_files, report_folder

if TYPE_CHECKING:
    from bidcascade.workshop.boards.bench import Bench

_LINES = 12
_DEFAULT_BOARDS = 1000


def configure_bench(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``bench``."""
    add = parser.add_argument
    add(
        "bidder",
        metavar="BOT",
        help="a foreign engine (engine:COMMAND or engine:http://…), a system, a file .bidding, or "
        "search: before either for a system that searches its decisions",
    )
    add(
        "--against",
        action="append",
        metavar="SYSTEM",
        help="an opponent; may be given several times (default: each system of the package)",
    )
    add(
        "--boards",
        type=shared.whole_number(1),
        default=_DEFAULT_BOARDS,
        metavar="N",
        help=f"how many boards (default: {_DEFAULT_BOARDS:,}); each that is not solved yet takes "
        "some 0.2 s of a core, once",
    )
    add(
        "--seed",
        type=shared.whole_number(0),
        default=0,
        metavar="S",
        help="which boards: the first N of the part of the bank for 0, the next N for 1 … "
        "(default: 0)",
    )
    add(
        "--bank",
        default="held-out",
        metavar="PART",
        help="part of the bank: held-out, open or all (default: held-out, by which no text was "
        "tuned)",
    )
    shared.add_system_option(parser)
    shared.add_player_options(parser)
    shared.add_workers_option(parser)
    add_output(
        parser,
        "--out",
        metavar="DIR",
        help="for report.html, report.md, summary.json, times.json, Parquet",
        check=report_folder,
        is_there=holds_files,
    )
    shared.add_json_option(parser)


def bench(options: argparse.Namespace) -> None:
    """Measure a bidder and tell the results; what took how long goes to standard error."""
    folder = None if options.out is None else Path(options.out)

    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.inference.double_dummy.pool import DoubleDummyPool
    from bidcascade.service.reports.bench_report import bench_dict, write_bench_report
    from bidcascade.systems import System
    from bidcascade.systems.registry import named_systems
    from bidcascade.workshop.boards.bench import bench as measure

    from .matches import is_system_name, opened_players

    names = options.against or [one for one in named_systems() if one != options.bidder]
    foreign = [one for one in names if not is_system_name(one)]
    if foreign:
        raise shared.UsageError(f"expected systems as opponents, got {foreign[0]!r}")
    options.interruption_hint = shared.SOLVED_STAY
    with ExitStack() as stack:
        bidder, *others = stack.enter_context(opened_players([options.bidder, *names], options))
        opponents = [one for one in others if isinstance(one, System)]
        bar = stack.enter_context(progress_bar("bench"))
        pool = stack.enter_context(DoubleDummyPool(options.workers))
        found, boards = measure(
            bidder,
            opponents,
            pool,
            boards=options.boards,
            seed=options.seed,
            part=options.bank,
            progress=lambda what, done, total: bar(done, total, done),
        )
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for path in write_bench_report(found, boards, folder):
            shared.note(f"wrote {path}")
    if options.json:
        shared.print_json(bench_dict(found))
    else:
        _print(found)
    if found.requests:
        shared.note(
            f"{found.requests:,} calls in {found.seconds:.1f} s, "
            f"{1000 * found.seconds / found.requests:.2f} ms a call"
        )


def _print(found: "Bench") -> None:
    from bidcascade.service.reports.bench_report import (
        fault_text,
        match_columns,
        match_rows,
        subtitle,
    )
    from bidcascade.service.reports.yardstick_report import (
        cause_rows,
        heads,
        line_row,
        result_rows,
        sanity_rows,
    )

    print(f"{found.name}: {subtitle(found)}")
    shared.print_table(match_columns(found), match_rows(found))
    print(fault_text(found))
    for one in found.faults:
        print(f"  {visible(one.message)}")
    yardstick, names = found.yardstick, heads(found.yardstick)
    shared.print_table(("against par", *names), result_rows(yardstick))
    shared.print_table(("IMPs a board (boards)", *names), cause_rows(yardstick))
    shared.print_table(("sanity", *names), sanity_rows(yardstick))
    shared.print_table(
        (f"calls of {found.name} that lost", "where it passed", "cause", "boards", "IMPs"),
        [
            (*line_row(loss), f"{loss.boards:,}", f"{loss.imps:,}")
            for loss in yardstick.systems[0].lines[:_LINES]
        ],
    )
