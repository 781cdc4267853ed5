"""Command ``export``: rows for learning."""

import argparse
from typing import Any

from . import shared


def configure_export(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``export`` and of what it can do."""
    action = shared.actions_of(parser)
    calls = action("calls", "a row a call: hand, auction so far, calls allowed", export_calls)
    add = calls.add_argument
    add("inputs", nargs="+", metavar="INPUT",
        help="file, folder, pattern or - (LIN, PBN, hands, Parquet)")  # fmt: skip
    add("--out", required=True, metavar="DIR", help="new or empty folder")
    add("--bidder", default="own", metavar="T",
        help="whose calls: own, as the inputs hold them, or a system or table that bids the "
        "deals (default: own)")  # fmt: skip
    add("--format", default="parquet", choices=("parquet", "numpy"), help="(default: parquet)")
    add("--meanings", action="store_true", help="what the calls before have said and shown, too")
    add("--resume", action="store_true", help="go on with an interrupted export")
    add("--jobs", type=shared.whole_number(1), metavar="N", help="processes that read")
    shared.add_table_options(calls)


def export_calls(options: argparse.Namespace) -> None:
    """Write a row for each call of the auctions of the inputs."""
    from bidcascade.loaders.parquet_decoder import expect_parquet
    from bidcascade.service.engine import Engine
    from bidcascade.service.runs.export_calls import OWN
    from bidcascade.service.runs.export_calls import export_calls as export

    expect_parquet(options.inputs)
    engine = shared.open_engine(options)
    bidder = None
    if options.bidder == options.table:
        bidder = engine
    elif options.bidder != OWN:
        _, chosen = shared.chosen_options(options, options.table, options.bidder)
        with shared.table_errors(options.bidder):
            given: dict[str, Any] = {"options": chosen} if chosen else {}
            bidder = Engine.open(options.bidder, options.backend, **given)
    options.interruption_hint = shared.resume_hint(options.out)
    done = export(
        engine, options.inputs, options.out, bidder=bidder, format=options.format,
        meanings=options.meanings, resume=options.resume, jobs=options.jobs,
    )  # fmt: skip
    told = {**done._asdict(), "table": engine.table_info(), "backend": engine.backend}
    text = shared.shown_numbers({"boards": done.boards, "rejects": done.rejects, "rows": done.rows})
    text += "".join(f", {count:,} boards: {reason}" for reason, count in done.left_out.items())
    shared.print_answer(options, told, text, f"wrote the rows to {options.out} ({options.format})")
