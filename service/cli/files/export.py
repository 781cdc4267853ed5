"""Command ``export``: rows for learning, boards for other programs, sheets for a club."""

import argparse
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bidcascade.service.cli import shared
from bidcascade.service.cli.outputs import add_output, file_ending, is_resumed, is_run, run_folder

if TYPE_CHECKING:
    import polars as pl

_OWN = "own"


def configure_export(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``export`` and of what it can do."""
    action = shared.actions_of(parser)
    calls = action("calls", "a row a call: hand, auction so far, calls allowed", export_calls)
    add = calls.add_argument
    add(
        "inputs",
        nargs="+",
        metavar="INPUT",
        help=f"file, folder, pattern or - {shared.AS_LOAD}",
    )
    add_output(
        calls,
        "--out",
        required=True,
        metavar="DIR",
        help="new or empty folder",
        check=partial(run_folder, is_export=True),
        is_there=is_run,
        goes_on=is_resumed,
    )
    add(
        "--bidder",
        default="own",
        metavar="T",
        help="whose calls: own, as the inputs hold them, or a system or table that bids the "
        "deals (default: own)",
    )
    add("--format", default="parquet", choices=("parquet", "numpy"), help="(default: parquet)")
    add("--meanings", action="store_true", help="what the calls before have said and shown, too")
    add("--resume", action="store_true", help="go on with an interrupted export")
    add("--jobs", type=shared.whole_number(1), metavar="N", help="processes that read")
    shared.add_table_options(calls)

    pbn = action(
        "pbn", "boards with all that PBN 2.1 has: notes, play, scores, tables, par", export_pbn
    )
    _add_boards(pbn, ".pbn")
    sheets = action("sheets", "hand records as a page that a club prints", export_sheets)
    _add_boards(sheets, ".html")
    sheets.add_argument(
        "--title", default="Hand records", metavar="TEXT", help="heading of the sheets"
    )


def _add_boards(parser: argparse.ArgumentParser, suffix: str) -> None:
    add = parser.add_argument
    add(
        "inputs",
        nargs="+",
        metavar="INPUT",
        help=f"file, folder, pattern or - {shared.AS_LOAD}",
    )
    add_output(parser, "--out", required=True, help=f"*{suffix} file", check=file_ending(suffix))
    add(
        "--bidder",
        default=_OWN,
        metavar="T",
        help="whose calls: own, as the inputs hold them, or a system or table that bids the "
        "boards and explains its calls (default: own)",
    )
    add("--backend", default="auto", choices=shared.BACKENDS, help="where it bids")
    shared.add_system_option(parser)
    add(
        "--dd",
        action="store_true",
        help="tricks of every contract, double dummy, and par; what is solved is kept; without it "
        "those that the inputs have",
    )


def export_pbn(options: argparse.Namespace) -> None:
    """Write boards to a PBN file with all that is known of them."""
    from bidcascade.engine.runs.deal_files import deal_sink
    from bidcascade.loaders.pbn.pbn_travellers import with_score_tables

    with ExitStack() as stack:
        frames = stack.enter_context(_boards(options))
        write = stack.enter_context(deal_sink(options.out))
        count = 0
        for frame in frames:
            # tables of one deal become lines below it, where nothing is lost
            write(with_score_tables(frame))
            count += frame.height
    _print_written(options, count)


def export_sheets(options: argparse.Namespace) -> None:
    """Write boards to a page to print."""
    from bidcascade.loaders.files.whole_files import write_texts
    from bidcascade.service.reports.hand_records import records_page
    from bidcascade.service.reports.report_page import HandRecords, page_html

    tables = 0

    def counted(frames: "Iterator[pl.DataFrame]") -> "Iterator[pl.DataFrame]":
        nonlocal tables
        for frame in frames:
            tables += frame.height
            yield frame

    with _boards(options) as frames:
        page = records_page(counted(frames), options.title)
    out = Path(options.out)
    write_texts([page_html(page)], out)
    (block,) = page.sections[0].blocks
    _print_written(options, len(block.records) if isinstance(block, HandRecords) else 0, tables)


def _print_written(options: argparse.Namespace, boards: int, tables: int | None = None) -> None:
    report = {"boards": boards, "out": options.out}
    words = f"{options.out}: {boards:,} board{'s' * (boards != 1)}"
    if tables is not None:
        report["tables"] = tables
        words += f" of {tables:,} tables" * (tables > boards)
    shared.print_answer(options, report, words)


@contextmanager
def _boards(options: argparse.Namespace) -> "Iterator[Iterator[pl.DataFrame]]":
    """Boards of the inputs, bid and solved where that is asked for."""
    from bidcascade.bridge import InvalidInput
    from bidcascade.engine.engine import Engine
    from bidcascade.engine.runs.annotated_boards import NamedSystems, bid_boards
    from bidcascade.engine.runs.columns.double_dummy import solving
    from bidcascade.engine.runs.columns.wide import WideDeals
    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.loaders import empty_rejects
    from bidcascade.loaders.inputs import find_sources

    engine = None
    if options.bidder != _OWN:
        (chosen,) = shared.chosen_options(options, options.bidder)
        with shared.table_errors(options.bidder):
            given: dict[str, Any] = {"options": chosen} if chosen else {}
            engine = Engine.open(options.bidder, options.backend, **given)
    elif options.system_options:
        raise shared.UsageError("expected --option with --bidder SYSTEM, whose option it is")

    def made(_: object, frame: "pl.DataFrame") -> "pl.DataFrame":
        if engine is None:
            return systems.add(frame)
        return bid_boards(engine, frame, options.bidder)

    with ExitStack() as stack:
        report = stack.enter_context(progress_bar("export"))
        if options.dd:
            options.interruption_hint = shared.SOLVED_STAY
        add = stack.enter_context(solving(made, report)) if options.dd else made
        deals = WideDeals(options.inputs)
        systems = NamedSystems(find_sources(options.inputs))

        def frames() -> "Iterator[pl.DataFrame]":
            boards, refused = 0, empty_rejects()
            for batch in deals.batches(report):
                boards += batch.deals.height
                if not refused.height:
                    refused = batch.rejects
                if batch.deals.height:
                    yield add(engine, batch.deals)
            if not boards:
                raise InvalidInput(f"expected deals, {shared.no_deals(refused)}")

        yield frames()


def export_calls(options: argparse.Namespace) -> None:
    """Write a row for each call of the auctions of the inputs."""
    from bidcascade.engine.engine import Engine
    from bidcascade.engine.runs.batches.export_calls import OWN
    from bidcascade.engine.runs.batches.export_calls import export_calls as export
    from bidcascade.loaders.parquet.parquet_decoder import expect_parquet

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
        engine,
        options.inputs,
        options.out,
        bidder=bidder,
        format=options.format,
        meanings=options.meanings,
        resume=options.resume,
        overwrite=options.force,
        jobs=options.jobs,
    )
    report = {**done._asdict(), "table": engine.table_info(), "backend": engine.backend}
    text = shared.shown_numbers({"boards": done.boards, "rejects": done.rejects, "rows": done.rows})
    text += "".join(f", {count:,} boards: {reason}" for reason, count in done.left_out.items())
    shared.print_answer(
        options, report, text, f"wrote the rows to {options.out} ({options.format})"
    )
