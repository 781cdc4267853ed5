"""Command ``compare``: two systems bid the same deals both ways."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from .options import add_json_option, note, print_json, print_table, whole_number

if TYPE_CHECKING:
    from bidcascade.inference.compare_summary import Summary

_DEFAULT_DEALS = 100_000
_DEFAULT_BUDGET = "60s"


def configure_compare(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``compare``."""
    parser.add_argument("first", metavar="A", help="system: a name, or a file .bidding")
    parser.add_argument("second", metavar="B", help="the other one")
    parser.add_argument(
        "--deals", type=whole_number(1, 2**31 - 1), metavar="N",
        help=f"random deals (default: {_DEFAULT_DEALS:,})",
    )  # fmt: skip
    parser.add_argument(
        "--from", dest="source", metavar="FILE",
        help="deals of a file instead (LIN, PBN, Parquet); a Parquet file's double-dummy columns "
        "(augment --dd) are used",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=whole_number(0, 2**63 - 1), default=1, metavar="S",
        help="of the deals and of the sample (default: 1)",
    )  # fmt: skip
    parser.add_argument(
        "--dd-budget", default=_DEFAULT_BUDGET, metavar="B",
        help="how long (90s, 5m), or how many, deals with different contracts are worked out; all "
        f"for every one (default: {_DEFAULT_BUDGET})",
    )  # fmt: skip
    parser.add_argument("--workers", type=whole_number(1), metavar="N", help="solver processes")
    parser.add_argument(
        "--out", metavar="FOLDER", help="for report.html, report.md, summary.json, Parquet"
    )
    parser.add_argument(
        "--resume", action="store_true",
        help="go on from the boards in the folder --out, of the same match with a smaller budget",
    )  # fmt: skip
    add_json_option(parser)
    parser.set_defaults(handler=compare)


def compare(options: argparse.Namespace) -> int:
    """Play a match of two systems."""
    from bidcascade.service.cli import UsageError

    folder = None if options.out is None else Path(options.out)
    if folder is not None and folder.exists() and not folder.is_dir():
        raise UsageError(f"expected a folder as output, got the file {options.out!r}")
    if options.resume and folder is None:
        raise UsageError("expected --resume with --out, the folder of the match")
    if options.source is not None and options.deals is not None:
        raise UsageError("expected --deals or --from, got both")

    import polars as pl

    from bidcascade.inference.compare import Budget, SystemMatch
    from bidcascade.inference.compare_summary import boards_frame, summarize
    from bidcascade.inference.double_dummy.pool import DoubleDummyPool
    from bidcascade.loaders import deal_arrays, random_deals
    from bidcascade.service.inference.matches import MatchDeals, deals_of_file, resume
    from bidcascade.service.jobs.progress import progress_bar
    from bidcascade.service.reports.compare_report import (
        BOARDS,
        summary_dict,
        write_compare_report,
    )
    from bidcascade.systems import open_system

    budget = Budget.parse(options.dd_budget)
    first, second = open_system(options.first), open_system(options.second)
    if options.source is None:
        count = options.deals or _DEFAULT_DEALS
        deals, known = MatchDeals(deal_arrays(random_deals(count, options.seed)), None)
    else:
        deals, known = deals_of_file(Path(options.source))
    earlier = None
    if options.resume and folder is not None and (folder / BOARDS).exists():
        earlier = pl.read_parquet(folder / BOARDS)
    with progress_bar("compare") as bar, DoubleDummyPool(options.workers) as pool:
        match = SystemMatch(
            first, second, deals, seed=options.seed,
            progress=lambda what, done, total: bar(done, total, done),
        )  # fmt: skip
        if earlier is not None:
            note(f"{resume(match, earlier):,} deals taken over from {folder}")
        match.work_out(pool, budget, known)
    summary = summarize(match)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for path in write_compare_report(summary, boards_frame(match), folder):
            note(f"wrote {path}")
    if options.json:
        print_json(summary_dict(summary))
    else:
        _print_summary(summary)
    return 0


def _print_summary(summary: "Summary") -> None:
    from bidcascade.inference.compare_summary import divergence_text
    from bidcascade.service.reports.compare_report import rate_text, signed_text, verdict

    first, second = summary.names
    print(f"{first} against {second}, {summary.deals:,} deals at two tables")
    print(f"IMPs a deal for {first}: {signed_text(summary.imps, digits=3)}")
    print(verdict(summary))
    print_table(
        ("what", "of deals"),
        [(name, rate_text(one)) for name, one in summary.outcomes.items()],
    )
    print_table(
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
    note(
        f"{summary.examined:,} of {summary.kinds['differs']:,} deals with different contracts "
        f"worked out, {summary.solved:,} contracts solved; {seconds}"
    )
