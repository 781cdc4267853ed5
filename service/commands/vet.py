"""Command ``table vet``: a table against real auctions."""

import argparse
from pathlib import Path
from typing import Any

from .options import (
    BACKEND_CHOICES,
    add_import_options,
    add_json_option,
    add_overlay_option,
    open_engine,
    print_json,
    whole_number,
)


def configure_vet(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``table vet``."""
    parser.add_argument("table", metavar="TABLE", help="a name, a folder or a file of rows")
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help="files of deals with auctions")
    parser.add_argument("--out", required=True, metavar="FOLDER", help="folder for the report")
    parser.add_argument("--overwrite", action="store_true", help="replace a report that is there")
    parser.add_argument(
        "--auction", default="", metavar="AUCTION",
        help="only deals that were bid so ('1N P 3N'), and only these calls of them",
    )  # fmt: skip
    parser.add_argument(
        "--least", type=whole_number(1), default=20, metavar="N",
        help="calls that a place needs to stand among the worst (default: 20)",
    )  # fmt: skip
    parser.add_argument(
        "--without", nargs="+", choices=("lint", "own"), default=[], metavar="PART",
        help="leave out: lint (the table by itself), own (deals bid by the table)",
    )  # fmt: skip
    parser.add_argument(
        "--jobs", type=whole_number(1, 1024), metavar="N", help="processes that read"
    )
    parser.add_argument("--backend", default="auto", choices=BACKEND_CHOICES)
    add_overlay_option(parser)
    add_import_options(parser)
    add_json_option(parser)
    parser.set_defaults(handler=vet_table)


def vet_table(options: argparse.Namespace) -> int:
    """Hold a table against the auctions of archives."""
    from bidcascade.bridge import Auction, parse_calls
    from bidcascade.service.jobs.progress import progress_bar
    from bidcascade.service.mining.vet import vet
    from bidcascade.service.mining.vet_files import check_vetting_folder, write_vetting

    folder = Path(options.out)
    check_vetting_folder(folder, overwrite=options.overwrite)
    auction = Auction.of(parse_calls(options.auction)).calls
    engine = open_engine(options)
    with progress_bar("vet") as report:
        vetted = vet(
            engine, options.inputs, auction=auction, jobs=options.jobs, progress=report,
            with_lint="lint" not in options.without, with_own="own" not in options.without,
        )  # fmt: skip
    write_vetting(vetted, folder, least=options.least, overwrite=options.overwrite)
    summary = vetted.summary()
    if options.json:
        print_json(summary)
    else:
        print(_in_words(summary, folder))
    return 0


def _in_words(summary: dict[str, Any], folder: Path) -> str:
    from bidcascade.service.reports.page import percent_text

    boards, calls, auctions = summary["boards"], summary["calls"], summary["auctions"]
    shares = {name: percent_text(calls[name] / max(1, calls["judged"])) for name in calls}
    repeated = summary["repeated_inputs"]
    lines = [
        f"{boards['records']:,} records: {boards['boards']:,} boards, {boards['rejects']:,} rejects"
        + (f", {boards['other_auctions']:,} bid otherwise" if boards["other_auctions"] else "")
        + (f"; {repeated:,} inputs left out that repeat others" if repeated else ""),
        f"{calls['judged']:,} of {calls['made']:,} calls judged: {shares['agrees']} as the table "
        f"calls, {shares['allowed']} fit behind another call, {shares['fails']} do not fit the "
        f"hand, {shares['missing']} not in the table",
        f"{auctions['held']:,} of {auctions['vetted']:,} auctions hold to the last call",
        f"the report is {folder / 'report.html'}",
    ]
    return "\n".join(lines)
