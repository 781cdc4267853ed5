"""Command ``archive``: boards kept to be asked."""

import argparse
import time
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bidcascade.engine.questions.archives import (
    ArchiveBoardsAnswer,
    ArchiveCallAnswer,
    ArchiveCountAnswer,
    BoardsQuestion,
    NodeQuestion,
)
from bidcascade.service.cli import shared
from bidcascade.service.cli.flags import add_flags, question_of
from bidcascade.service.cli.outputs import add_output, deals_file, file_ending

if TYPE_CHECKING:
    import polars as pl

    from bidcascade.engine.archive.adding import Added
    from bidcascade.engine.archive.archive import Archive
    from bidcascade.loaders.inputs import Input

_SHOWN = 20
"""Boards that are printed unless asked otherwise."""
_WRITTEN = 500
"""Boards that are written, as JSON, links or a file, unless asked otherwise."""


def configure_archive(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``archive``."""
    action = shared.actions_of(parser)
    _place(action("list", "the archives that there are", _list))
    show = action("show", "boards, files, who bids them, bytes on the disk", _show)
    _named(show)

    add = _named(action("add", "add the boards of files, new ones only", _add))
    add.add_argument(
        "inputs",
        nargs="+",
        metavar="INPUT",
        help=f"file, folder, pattern or link {shared.AS_LOAD}",
    )
    add.add_argument(
        "--replace",
        action="store_true",
        help="files that have changed take the place of what they held",
    )
    add.add_argument(
        "--watch",
        type=shared.whole_number(1, 86_400),
        metavar="S",
        help="go on: look again every S seconds, until interrupted",
    )
    add.add_argument("--jobs", type=shared.whole_number(1), metavar="N", help="processes that read")
    _backend(add)

    bid = _named(action("bid", "let a table or system bid all boards, and those to come", _bid))
    bid.add_argument("table", metavar="TABLE", help="a name, a folder, a file")
    bid.add_argument("--as", dest="alias", metavar="NAME", help="under which it is asked for")
    bid.add_argument(
        "--all",
        dest="all_calls",
        action=argparse.BooleanOptionalAction,
        help="index every auction that it allows, too",
    )
    _backend(bid)
    shared.add_system_option(bid)
    shared.add_import_options(bid)

    forget = _named(action("forget", "remove what a table or system bids", _forget, json=False))
    forget.add_argument("who", metavar="WHO", help="under which name it bids")

    solve = _named(action("solve", "solve all boards, and those to come, double dummy", _solve))
    shared.add_workers_option(solve)

    remove = _named(action("remove", "remove an archive, or the boards of a file", _remove))
    remove.add_argument("--source", metavar="FILE", help="only the boards of this file")

    boards = _named(action("boards", "boards by auction, hands, players and results", _boards))
    add_flags(boards, BoardsQuestion)
    boards.add_argument("--count", action="store_true", help="only how many there are")
    add_output(boards, "--out", help=shared.DEALS_OUT_HELP, check=deals_file, takes_stdout=True)
    boards.add_argument("--links", action="store_true", help="print a handviewer link a board")

    stats = _named(action("stats", "what an auction, and each below it, is worth", _stats))
    add_flags(stats, NodeQuestion)
    stats.add_argument(
        "--least",
        type=shared.whole_number(1),
        default=50,
        metavar="N",
        help="fewest boards of a node (default: 50)",
    )
    stats.add_argument(
        "--max-depth", type=shared.whole_number(0), metavar="N", help="most calls of a node"
    )
    add_output(
        stats,
        "--out",
        help=".parquet: all nodes with all columns; .html: a page",
        check=file_ending(".parquet", ".html"),
    )

    calls = _named(action("calls", "what follows an auction, and how often", _calls))
    add_flags(calls, NodeQuestion)


def _place(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument(
        "--folder", metavar="DIR", help="of all archives (default: in the user's data folder)"
    )
    return parser


def _named(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("name", metavar="NAME", help="of the archive")
    return _place(parser)


def _backend(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--backend",
        default="auto",
        choices=shared.BACKENDS,
        help="where systems bid (default: auto)",
    )


def _folder(options: argparse.Namespace) -> Path:
    from bidcascade.engine.archive.archive import archives_folder
    from bidcascade.engine.archive.catalogue import check_name

    return archives_folder(options.folder) / check_name(options.name)


def _open(options: argparse.Namespace) -> "Archive":
    from bidcascade.engine.archive.archive import Archive

    return Archive(_folder(options))


def _list(options: argparse.Namespace) -> None:
    from bidcascade.engine.archive.archive import Archive, archives_folder
    from bidcascade.engine.archive.catalogue import archive_names

    root = archives_folder(options.folder)
    found = [Archive(root / name).summary() for name in archive_names(root)]
    if options.json:
        shared.print_json(found)
        return
    shared.print_table(
        ("archive", "boards", "files", "bid by", "MB"),
        [
            (
                one.name,
                f"{one.boards:,}",
                f"{one.sources:,}",
                ", ".join(one.bidders) or "-",
                f"{one.bytes / 1e6:,.1f}",
            )
            for one in found
        ],
    )


def _show(options: argparse.Namespace) -> None:
    summary = _open(options).summary()
    if options.json:
        shared.print_json(summary)
        return
    for name in ("boards", "parts", "sources", "duplicates", "rejects", "bytes", "solved"):
        print(f"{name:12}{getattr(summary, name):,}")
    for name, one in summary.bidders.items():
        whole = "" if one.boards == summary.boards else f", {one.boards:,} boards of it"
        print(f"{'bid by':12}{name} ({', '.join(one.modes)}{whole})")


def _add(options: argparse.Namespace) -> None:
    from bidcascade.engine.archive.adding import add_files
    from bidcascade.engine.archive.catalogue import ArchiveBusy
    from bidcascade.engine.archive.solving import solver_of
    from bidcascade.engine.archive.watching import Watch
    from bidcascade.engine.runs.progress import progress_bar

    folder = _folder(options)
    options.interruption_hint = "what was added stays; the same command adds the rest"

    def add(inputs: "Sequence[Input]", *, grown: bool = False) -> "Added":
        with ExitStack() as stack:
            report = stack.enter_context(progress_bar("archive add"))
            solve = stack.enter_context(solver_of(folder))
            return add_files(
                folder,
                inputs,
                replace=options.replace,
                grown=grown,
                jobs=options.jobs,
                backend=options.backend,
                solve=solve,
                report=report,
            )

    if options.watch is None:
        _print_added(options, add(options.inputs))
        return
    watch = Watch(options.inputs, partial(add, grown=True), shared.note, options.watch)
    while True:
        try:
            for added in watch.look():
                if added.boards or added.rejects:
                    _print_added(options, added)
        except ArchiveBusy as error:
            shared.note(str(error))
        time.sleep(watch.pause_s)


def _print_added(options: argparse.Namespace, added: "Added") -> None:
    numbers = {
        "boards": added.boards, "duplicates": added.duplicates, "rejects": added.rejects,
        "files known": len(added.known), "in all": added.total,
    }  # fmt: skip
    if options.json:
        shared.print_json({name.replace(" ", "_"): one for name, one in numbers.items()})
    else:
        remark = f"; first reject: {added.first_reject}" if added.first_reject else ""
        shared.note(shared.shown_numbers(numbers) + remark)


def _bid(options: argparse.Namespace) -> None:
    from bidcascade.engine.archive.upkeep import bid_archive
    from bidcascade.engine.runs.progress import progress_bar

    options.interruption_hint = "boards that were bid stay so; the same command goes on"
    with progress_bar("archive bid") as report, shared.table_errors(options.table):
        done = bid_archive(
            _folder(options),
            options.table,
            name=options.alias,
            all_calls=options.all_calls,
            backend=options.backend,
            report=report,
            **shared.import_options(options),
        )
    if options.json:
        shared.print_json(
            {"name": done.name, "digest": done.digest, "bid": done.bid, "boards": done.boards}
        )
    else:
        shared.note(f"{done.name} bid {done.bid:,} of {done.boards:,} boards")


def _forget(options: argparse.Namespace) -> None:
    from bidcascade.engine.archive.upkeep import forget_bids

    forget_bids(_folder(options), options.who)


def _solve(options: argparse.Namespace) -> None:
    from bidcascade.engine.archive.solving import solver
    from bidcascade.engine.archive.upkeep import solve_archive
    from bidcascade.engine.runs.progress import progress_bar

    folder = _folder(options)
    options.interruption_hint = shared.SOLVED_STAY
    with progress_bar("archive solve") as report, solver(options.workers) as solve:
        boards = solve_archive(folder, solve, report=report)
    if options.json:
        shared.print_json({"solved": boards})
    else:
        shared.note(f"{boards:,} boards solved")


def _remove(options: argparse.Namespace) -> None:
    from bidcascade.engine.archive.adding import remove_archive, remove_source

    folder = _folder(options)
    if options.source is None:
        gone = remove_archive(folder)
    else:
        gone = remove_source(folder, options.source)
    if options.json:
        shared.print_json({"removed": gone})
    else:
        shared.note(f"{gone:,} boards removed")


def _check_form(options: argparse.Namespace) -> None:
    """Check that an answer is asked for in one form, and that nothing is asked in vain."""
    forms = [f"--{name}" for name in ("count", "out", "links") if getattr(options, name)]
    if options.links and options.json:
        forms.append("--json, which has a link for each board")
    if len(forms) > 1:
        raise shared.UsageError(
            f"expected one of --count, --out and --links, got {', '.join(forms)}"
        )
    for name in ("limit", "seed", "level", "sort", "bids") if options.count else ():
        if getattr(options, name) not in (None, False, [], ()):
            raise shared.UsageError(f"expected --count without --{name}: all boards that fit count")


def _boards(options: argparse.Namespace) -> None:
    _check_form(options)

    from bidcascade.engine.archive.board_search import count_boards, find_boards

    archive = _open(options)
    if options.count:
        count = count_boards(archive, question_of(BoardsQuestion, options))
        shared.print_answer(options, ArchiveCountAnswer(total=count), f"{count:,}")
        return
    whole = options.out or options.json or options.links
    limit = _WRITTEN if whole else _SHOWN
    found = find_boards(archive, question_of(BoardsQuestion, options, limit=limit))
    boards = found.boards
    if options.bids:
        from bidcascade.engine.archive.writing import with_bids

        boards = with_bids(boards)
    total = "" if found.total is None else f" of {found.total:,}"
    if options.out:
        from bidcascade.engine.runs.deal_files import deal_sink

        with deal_sink(options.out) as write:
            write(boards)
        if options.json and options.out != "-":
            shared.print_json({"total": found.total, "written": boards.height})
        else:
            shared.note_written(boards.height, "deal", options.out)
    elif options.links:
        from bidcascade.loaders import format_handviewer

        print("\n".join(format_handviewer(boards)))
    elif options.json:
        from bidcascade.engine.archive.writing import board_dicts

        shared.print_json(ArchiveBoardsAnswer(total=found.total, boards=tuple(board_dicts(boards))))
    else:
        _print_boards(boards)
        shared.note(f"{boards.height:,}{total} boards")


def _print_boards(boards: "pl.DataFrame") -> None:
    from bidcascade.engine.archive.writing import board_dicts

    columns = ("id", "deal", "auction", "bid", "contract", "tricks", "source", "class")
    rows = board_dicts(boards)
    there = [name for name in columns if any(row.get(name) not in (None, "") for row in rows)]
    shared.print_table(
        there, [["" if row.get(name) is None else str(row[name]) for name in there] for row in rows]
    )


def _calls(options: argparse.Namespace) -> None:
    from bidcascade.engine.archive.board_search import next_calls

    calls = next_calls(_open(options), question_of(NodeQuestion, options))
    boards = sum(count for _, count in calls)
    if options.json:
        shared.print_json([ArchiveCallAnswer(call=call, boards=count) for call, count in calls])
        return
    shared.print_table(
        ("call", "boards", "share"),
        [(call, f"{count:,}", f"{count / boards:.1%}") for call, count in calls],
    )


def _stats(options: argparse.Namespace) -> None:
    from bidcascade.bridge import format_calls, parse_calls
    from bidcascade.loaders.files.whole_files import can_write, whole_file, write_parquet
    from bidcascade.service.reports.node_report import node_page, nodes_page
    from bidcascade.service.reports.report_page import page_html
    from bidcascade.workshop.boards.archive_statistics import statistics

    out = None if options.out is None else Path(options.out)
    nodes = statistics(
        _open(options),
        options.auction,
        options.by,
        least=options.least,
        max_depth=options.max_depth,
    )
    if not nodes.height:
        shared.note(f"no auction of at least {options.least:,} boards there")
    subject = f"{options.name}, bid by {options.by}"
    if out is not None and out.suffix.lower() == ".html":
        calls = parse_calls(options.auction)
        one = nodes.head(1)["auction"].to_list() == [format_calls(calls)]
        page = node_page(nodes, calls, subject) if calls and one else nodes_page(nodes, subject)
        with whole_file(out) as partial, can_write(out):
            partial.write_text(page_html(page), encoding="utf-8")
        shared.note(f"wrote {out}")
    elif out is not None:
        write_parquet(nodes, out)
        shared.note(f"wrote {nodes.height:,} nodes to {out} (Parquet)")
    elif options.json:
        shared.print_json(nodes.to_dicts())
    elif nodes.height:
        _print_nodes(nodes)


def _print_nodes(nodes: "pl.DataFrame") -> None:
    """Print the nodes that most boards come to."""
    shown = nodes.sort("boards", descending=True, maintain_order=True).head(_SHOWN)

    def number(value: float | None) -> str:
        return "" if value is None else f"{value:+.2f}"

    shared.print_table(
        ("auction", "boards", "share", "par", "score", "IMPs v par", "next calls"),
        [
            (
                row["auction"] or "(root)", f"{row['boards']:,}", f"{row['share']:.1%}",
                number(row["par"]), number(row["score"]), number(row["imps_par"]),
                " ".join(f"{one['call']} {one['share']:.0%}" for one in row["next_calls"][:4]),
            )
            for row in shown.iter_rows(named=True)
        ],
    )  # fmt: skip
    shared.note(f"{shown.height} of {nodes.height:,} nodes")
