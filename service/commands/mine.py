"""Command ``table mine``: archives of announced auctions to a bidding table."""

import argparse
from typing import Any

from .options import PROFILE_CHOICES, add_json_option, note, print_json, whole_number


def configure_mine(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``table mine``."""
    parser.add_argument(
        "inputs", nargs="+", metavar="INPUT",
        help="file, folder, pattern, handviewer link or - (LIN, PBN, Parquet)",
    )  # fmt: skip
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the table")
    parser.add_argument(
        "--add-to", metavar="DIR",
        help="a mined table: make one as if its archives were mined again with these; may be --out",
    )  # fmt: skip
    parser.add_argument("--overwrite", action="store_true", help="replace a table that is there")
    parser.add_argument("--resume", action="store_true", help="go on with an interrupted run")
    parser.add_argument(
        "--rank", default="specificity", choices=("file", "frequency", "specificity"),
        help="priority of the calls at one place: as the published tables stand, the most frequent "
        "first, or those that fewest hands fit first (default: specificity)",
    )  # fmt: skip
    parser.add_argument(
        "--profile", choices=PROFILE_CHOICES,
        help="definitions of the terms (default: that of --add-to, or gib)",
    )  # fmt: skip
    parser.add_argument("--rejects", metavar="FILE", help="Parquet file for records that are none")
    parser.add_argument("--jobs", type=whole_number(1), metavar="N", help="processes that read")
    parser.add_argument(
        "--step-boards", type=whole_number(1), default=1_000_000, metavar="N",
        help="boards after which what was mined is brought to the disk (default: 1000000)",
    )  # fmt: skip
    parser.add_argument(
        "--most-in-memory", type=whole_number(1), default=16_000_000, metavar="N",
        help="prefixes and texts that are counted in memory (default: 16000000, about 1 GB)",
    )  # fmt: skip
    add_json_option(parser)
    parser.set_defaults(handler=mine)


def mine(options: argparse.Namespace) -> int:
    """Mine archives to a table."""
    from pathlib import Path

    from bidcascade.service.mining.mine import mine as run

    from .options import check_folder_of

    if options.rejects:
        check_folder_of(Path(options.rejects))
    mined = run(
        options.inputs, options.out, add_to=options.add_to, overwrite=options.overwrite,
        resume=options.resume, rank=options.rank, profile=options.profile,
        rejects=options.rejects, jobs=options.jobs, step_boards=options.step_boards,
        most_in_memory=options.most_in_memory,
    )  # fmt: skip
    if options.json:
        print_json(mined.report)
    else:
        print(described(mined.report))
        note(f"wrote the table to {options.out}")
    return 0


def described(report: dict[str, Any]) -> str:
    """Write the report of a mining run in a few lines.

    Examples
    --------
    >>> from bidcascade.table.evidence.mining import Miner, mining_report
    >>> with Miner() as miner:
    ...     report = mining_report(miner.finish())
    >>> print(described(report | {"inputs": 1}).splitlines()[0])
    0 records of 1 input: 0 boards mined, 0 without auction, 0 rejects
    """
    from bidcascade.table.import_report import counted

    records = report["boards"] + report["without_auction"] + report["rejects"]
    lines = [
        f"{counted(records, 'record')} of {counted(report['inputs'], 'input')}: "
        f"{counted(report['boards'], 'board')} mined, {report['without_auction']:,} without "
        f"auction, {counted(report['rejects'], 'reject')}",
        f"{counted(report['calls'], 'call')}, {report['texts']:,} with a text; "
        f"{report['calls_ignored']:,} illegal or behind an illegal one, left out",
        f"{counted(report['entries'], 'entry', 'entries')}, {report['with_text']:,} with a text, "
        f"{report['described']:,} with criteria; {report['several_texts']:,} with several texts",
        f"{counted(report['distinct_texts'], 'text')}: {report['complete_texts']:,} complete, "
        f"{report['truncated_texts']:,} cut off, {report['human_texts']:,} human",
    ]
    if report.get("repeated_inputs"):
        lines.append(f"inputs mined before, passed over: {report['repeated_inputs']:,}")
    for reason in report.get("reject_reasons", ()):
        lines.append(f"rejects: {reason['count']:,} {reason['reason']} ({reason['first']})")
    return "\n".join(lines)
