"""Command ``compare``: two systems bid the same deals both ways, or systems real boards."""

import argparse
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from bidcascade.service.cli import shared
from bidcascade.service.cli.outputs import add_output, holds_files, is_resumed, report_folder

if TYPE_CHECKING:
    from bidcascade.workshop.boards.compare import SystemMatch
    from bidcascade.workshop.boards.compare_summary import MatchSummary
    from bidcascade.workshop.boards.yardstick import Yardstick

_DEFAULT_DEALS = 100_000
_DEFAULT_BUDGET = "60s"
_LINES = 12


def configure_compare(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``compare``."""
    add = parser.add_argument
    add(
        "systems",
        metavar="SYSTEM",
        nargs="+",
        help="a name, a file .bidding, search: before either for a system that searches its "
        "decisions, or a foreign engine as engine:COMMAND or engine:http://…: two, or with "
        "--archive any number",
    )
    add(
        "--archive",
        metavar="FILE",
        nargs="+",
        help=f"boards that players bid {shared.AS_LOAD}: each system bids them at all four "
        "seats, and its distance from par is set beside the players'",
    )
    add(
        "--deals",
        type=shared.whole_number(1, 2**31 - 1),
        metavar="N",
        help=f"random deals (default: {_DEFAULT_DEALS:,})",
    )
    add(
        "--from",
        dest="source",
        metavar="FILE",
        help=f"deals of a file instead {shared.AS_LOAD}; a Parquet file's double-dummy columns "
        "(augment --dd) are used",
    )
    shared.add_bank_option(parser)
    add(
        "--seed",
        type=shared.whole_number(0, 2**63 - 1),
        default=1,
        metavar="S",
        help="of the deals and of samples (default: 1)",
    )
    add(
        "--dd-budget",
        metavar="B",
        help="how long (90s, 5m), or how many, deals with different contracts are worked out; all "
        f"for every one (default: {_DEFAULT_BUDGET})",
    )
    shared.add_lead_options(parser)
    shared.add_system_option(parser)
    shared.add_player_options(parser)
    add("--backend", default="auto", choices=shared.BACKENDS, help="where two systems bid")
    shared.add_workers_option(parser)
    add_output(
        parser,
        "--out",
        metavar="DIR",
        help="for report.html, report.md, summary.json, Parquet",
        check=report_folder,
        is_there=holds_files,
        goes_on=is_resumed,
    )
    add(
        "--resume",
        action="store_true",
        help="go on from the boards in the folder --out, of the same match with a smaller budget",
    )
    add(
        "--plot",
        action="store_true",
        help="also how often each number of IMPs came, as bars, on the deals that were worked out",
    )
    shared.add_json_option(parser)


def compare(options: argparse.Namespace) -> int:
    """Play a match of two systems; what is worked out is told where it is interrupted."""
    from bidcascade.service.cli import DONE, INTERRUPTED

    folder = None if options.out is None else Path(options.out)
    if options.plot and (options.json or options.archive is not None):
        raise shared.UsageError("expected --plot without --json and --archive")
    if options.archive is not None:
        _measure(options, folder)
        return DONE
    if len(options.systems) != 2:
        raise shared.UsageError(
            f"expected two systems, or --archive, got {len(options.systems)} without it"
        )
    if options.resume and folder is None:
        raise shared.UsageError("expected --resume with --out, the folder of the match")
    shared.check_source(options)
    shared.check_lead_options(options)

    if options.lead_budget:
        from .matches import is_system_name

        others = [one for one in options.systems if not is_system_name(one)]
        if others:
            raise shared.UsageError(f"expected two systems with --lead-budget, got {others[0]!r}")

    import polars as pl

    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.inference.double_dummy.pool import DoubleDummyPool
    from bidcascade.kernels import get_backend
    from bidcascade.service.reports.compare_report import BOARDS, write_compare_report
    from bidcascade.workshop.boards.blind_leads import LEAD_LAYOUTS, BlindLeader, user_leads
    from bidcascade.workshop.boards.compare import SystemMatch
    from bidcascade.workshop.boards.compare_summary import boards_frame, summarize
    from bidcascade.workshop.boards.scored_boards import Budget

    from .matches import match_deals, opened_players, resume

    lead_budget = shared.read_argument(Budget.parse, options.lead_budget or "0")
    budget = shared.read_argument(
        Budget.parse, options.dd_budget or ("all" if options.bank else _DEFAULT_BUDGET)
    )
    with ExitStack() as stack:
        first, second = stack.enter_context(opened_players(options.systems, options))
        deals, known = match_deals(
            options.source, options.bank, options.deals or _DEFAULT_DEALS, options.seed
        )
        earlier = None
        if options.resume and folder is not None and (folder / BOARDS).exists():
            earlier = pl.read_parquet(folder / BOARDS)
        bar = stack.enter_context(progress_bar("compare"))
        pool = stack.enter_context(DoubleDummyPool(options.workers))
        match = SystemMatch(
            first,
            second,
            deals,
            seed=options.seed,
            backend=get_backend(options.backend),
            progress=lambda what, done, total: bar(done, total, done),
        )
        if earlier is not None:
            shared.note(f"{resume(match, earlier):,} deals taken over from {folder}")
        code, interrupted = DONE, ""
        try:
            match.work_out(pool, budget, known)
            leader = BlindLeader(pool, user_leads(), options.lead_layouts or LEAD_LAYOUTS)
            match.lead_out(leader, lead_budget)
        except KeyboardInterrupt:
            if not match.sampled:
                raise
            code = INTERRUPTED
            interrupted = f"interrupted: {match.sampled:,} of {len(match.order):,} deals worked out"
    if code == INTERRUPTED:
        again = f"; the same command with --resume goes on from {folder}" if folder else ""
        shared.note(interrupted + again)
    summary = summarize(match)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for path in write_compare_report(summary, boards_frame(match), folder):
            shared.note(f"wrote {path}")
    if options.json:
        shared.print_json(summary)
    else:
        _print_summary(summary)
    if options.plot:
        _print_imps(summary.names[0], match)
    return code


def _print_imps(name: str, match: "SystemMatch") -> None:
    """Print how often each number of IMPs came on the deals that were worked out."""
    import numpy as np

    from bidcascade.service.cli.histograms import histogram

    known = match.order[match.done[match.order]]
    if not len(known):
        print("no deal with different contracts was worked out: no IMPs to show")
        return
    numbers, counts = np.unique(match.imps[known], return_counts=True)
    print(f"IMPs for {name} on {len(known):,} deals with different contracts, and how often:")
    print("\n".join(histogram(dict(zip(numbers.tolist(), counts.tolist(), strict=True)))))


def _print_summary(summary: "MatchSummary") -> None:
    from bidcascade.service.reports.compare_report import (
        blind_text,
        rate_text,
        signed_text,
        verdict,
    )
    from bidcascade.workshop.boards.compare_summary import divergence_text

    first, second = summary.names
    print(f"{first} against {second}, {summary.deals:,} deals at two tables")
    print(f"IMPs a deal for {first}: {signed_text(summary.imps, digits=3)}")
    defended = signed_text(summary.defended_imps, digits=3)
    print(f"the same where each contract that fails is doubled (perfect defence): {defended}")
    blind = blind_text(summary, digits=3)
    print(f"the same with leads by who sees one hand (blind lead): {blind}")
    print(verdict(summary))
    shared.print_table(
        ("what", "of deals"), [(name, rate_text(one)) for name, one in summary.outcomes.items()]
    )
    shared.print_table(
        ("divergence", "examined", "of deals", "IMPs there", "adds per deal"),
        [
            (
                divergence_text(one.where), f"{one.examined:,}", rate_text(one.share),
                signed_text(one.imps), signed_text(one.effect, digits=4),
            )
            for one in summary.divergences[:12]
        ],
    )  # fmt: skip
    seconds = ", ".join(f"{name} {spent:.1f} s" for name, spent in summary.seconds.items())
    shared.note(
        f"{summary.examined:,} of {summary.kinds['differs']:,} deals with different contracts "
        f"worked out, {summary.solved:,} contracts solved; {seconds}"
    )


def _measure(options: argparse.Namespace, folder: Path | None) -> None:
    """Measure systems on the boards of an archive."""
    match_only = ("deals", "source", "bank", "dd_budget", "lead_budget", "lead_layouts", "resume")
    for name in match_only:
        if getattr(options, name):
            option = {"source": "from"}.get(name, name.replace("_", "-"))
            raise shared.UsageError(f"expected --archive or --{option}, got both")

    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.inference.double_dummy.pool import DoubleDummyPool
    from bidcascade.loaders import read_deals
    from bidcascade.service.reports.yardstick_report import write_yardstick_report
    from bidcascade.workshop.boards.yardstick import archive_of, measure_archive

    from .matches import opened_players

    with ExitStack() as stack:
        systems = stack.enter_context(opened_players(options.systems, options))
        archive = archive_of(read_deals(options.archive, whole=True))
        options.interruption_hint = shared.SOLVED_STAY
        bar = stack.enter_context(progress_bar("compare"))
        pool = stack.enter_context(DoubleDummyPool(options.workers))
        yardstick, boards = measure_archive(
            systems,
            archive,
            pool,
            seed=options.seed,
            progress=lambda what, done, total: bar(done, total, done),
        )
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for path in write_yardstick_report(yardstick, boards, folder):
            shared.note(f"wrote {path}")
    if options.json:
        shared.print_json(yardstick)
    else:
        _print_yardstick(yardstick)


def _print_yardstick(yardstick: "Yardstick") -> None:
    from bidcascade.service.reports.yardstick_report import (
        cause_rows,
        heads,
        left_out_text,
        line_row,
        result_rows,
        sanity_rows,
    )

    print(f"{yardstick.boards:,} boards of {yardstick.deals:,} deals; {left_out_text(yardstick)}")
    names = heads(yardstick)
    shared.print_table(("what", *names), result_rows(yardstick))
    shared.print_table(("IMPs a board (boards)", *names), cause_rows(yardstick))
    shared.print_table(("sanity", *names), sanity_rows(yardstick))
    for one in yardstick.systems:
        shared.print_table(
            (f"lines of {one.name}", "where it passed", "cause", "boards", "IMPs", "players"),
            [
                (*line_row(loss), f"{loss.boards:,}", f"{loss.imps:,}", f"{loss.players_imps:,}")
                for loss in one.lines[:_LINES]
            ],
        )
    shared.note(", ".join(f"{name} {spent:.1f} s" for name, spent in yardstick.seconds.items()))
