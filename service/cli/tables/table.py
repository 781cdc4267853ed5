"""Command ``table``: import, export, policy, info, show, lint, counts; more in ``evidence``."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bidcascade.engine.questions.parts.answer_fields import plain
from bidcascade.engine.questions.service.tables import lint_answer
from bidcascade.service.cli import shared
from bidcascade.service.cli.outputs import (
    add_output,
    add_table_output,
    any_file,
    check_is_no_input,
    parquet_file,
    table_folder,
)

from . import evidence

if TYPE_CHECKING:
    import polars as pl

    from bidcascade.engine.engine import Engine
    from bidcascade.kernels import DealArrays
    from bidcascade.table import BiddingTable, LintReport

_CHUNK = 100_000


def configure_table(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``table`` and of what it can do."""
    action = shared.actions_of(parser)
    _configure_import(action("import", "rows in any format -> table folder", import_rows))
    _configure_export(action("export", "table -> file of rows", export_rows))
    _configure_policy(action("policy", "probabilities of calls -> their order", rank_by_policy))
    _add_table(action("info", "what a table is", show_info))
    show = action("show", "one place of a table, and the calls that may follow", show_place)
    _add_table(show)
    show.add_argument("auction", nargs="?", default="", metavar="AUCTION", help="such as '1N P'")
    _configure_lint(action("lint", "what is wrong or worth a look", lint_table))
    evidence.configure_mine(action("mine", "archives of auctions -> table", evidence.mine))
    evidence.configure_learn(
        action("learn", "what the hands that made each call had in common", evidence.learn)
    )
    evidence.configure_announcements(
        action("announcements", "what the texts of an archive are", evidence.announcements)
    )
    _configure_counts(action("counts", "how many deals reach each entry", count_entries))
    evidence.configure_vet(action("vet", "the table against auctions really bid", evidence.vet))


def _add_table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "table",
        nargs="?",
        default="sayc",
        metavar="TABLE",
        help="a name, a folder or a file of rows (default: sayc)",
    )
    shared.add_overlay_option(parser)
    shared.add_system_option(parser)
    shared.add_import_options(parser)


def _configure_import(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("source", metavar="FILE", help="Python literal, pickle, JSON Lines, Parquet, *.bidding")
    add_table_output(parser)
    add("--user-terms", metavar="FILE", help="lines 'Name = formula' with terms of one's own")
    add("--source", dest="origin", default="", help="where the rows are from")
    shared.add_import_options(parser)


def import_rows(options: argparse.Namespace) -> None:
    """Make a table of a file of rows."""
    from bidcascade.systems import import_table
    from bidcascade.table.language.vocabulary import parse_user_terms

    out = Path(options.out)
    with shared.table_errors(options.source):
        terms = None
        if options.user_terms:
            terms = parse_user_terms(shared.read_text(options.user_terms))
        table, done = import_table(
            options.source,
            user_terms=terms,
            source=options.origin,
            # on the disk of the table, so that columns made there need not be copied
            folder=out.parent if out.parent.is_dir() else None,
            **shared.import_options(options),
        )
    table.save(out, overwrite=options.force)
    report = {**plain(done), "digest": table.digest}
    shared.print_answer(options, report, done, f"wrote the table to {options.out}")


def _configure_export(parser: argparse.ArgumentParser) -> None:
    _add_table(parser)
    add_output(
        parser,
        "--out",
        required=True,
        help="ending .jsonl, .py, .pkl, .parquet or .bidding",
        check=any_file,
    )
    parser.add_argument("--format", choices=("jsonl", "python", "pickle", "parquet", "bidding"))


def export_rows(options: argparse.Namespace) -> None:
    """Write a table's rows to a file."""
    from bidcascade.systems import export_table
    from bidcascade.systems.tables.row_files import format_by_name
    from bidcascade.table.import_report import counted

    format = options.format or format_by_name(Path(options.out))
    table = shared.open_table(options)
    rows = export_table(table, options.out, format=format)
    if format == "bidding":
        _note_what_a_system_has_not(table)
    if options.json:
        shared.print_json({"rows": rows, "entries": len(table), "format": format})
        return
    entries = counted(len(table), "entry", "entries")
    shared.note(f"wrote {counted(rows, 'row')} of {entries} to {options.out} ({format})")


def _note_what_a_system_has_not(table: "BiddingTable") -> None:
    """Say what holds for other hands where a table's text is bid as a system."""
    import numpy as np

    from bidcascade.bridge import PASS
    from bidcascade.table.import_report import counted

    silent = table.variant_set == 0
    if table.undescribed == "allow":
        silent[:] = False
    elif table.undescribed == "pass":
        silent = silent & (table.call != PASS)
    if found := int(np.count_nonzero(silent)):
        shared.note(
            f"{counted(found, 'entry', 'entries')} without criteria, which no hand fits under the "
            f"table's policy {table.undescribed!r}; in a system any hand fits: 'table import' of "
            f"the text with --undescribed {table.undescribed} makes the table again"
        )
    if table.profile != "gib":
        shared.note(
            f"terms of the profile {table.profile!r} are those of 'gib' in a system: 'table "
            f"import' of the text with --profile {table.profile} makes the table again"
        )


def _configure_policy(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("table", metavar="TABLE", help="a name, a folder or a file of rows")
    add("policy", metavar="POLICY", help="auction, call, probability: .csv, .jsonl or .parquet")
    add_output(
        parser,
        "--out",
        required=True,
        metavar="DIR|FILE",
        check=_table_or_rules,
        help="folder for the table, or with the ending .jsonl a file of rules to lay over it",
    )
    shared.add_overlay_option(parser)
    shared.add_system_option(parser)
    shared.add_import_options(parser)


def _is_rules(out: str) -> bool:
    return Path(out).suffix.lower() == ".jsonl"


def _table_or_rules(out: str) -> None:
    (any_file if _is_rules(out) else table_folder)(out)


def rank_by_policy(options: argparse.Namespace) -> None:
    """Order the calls of a table by how probable a policy has them."""
    import json

    from bidcascade.loaders.files.whole_files import write_texts
    from bidcascade.table.call_policy import ranks_of, read_call_policy, rules_of, with_call_policy

    out = Path(options.out)
    is_rules = _is_rules(options.out)
    if is_rules:
        check_is_no_input(options.out, [options.table, options.policy, *options.overlays])
    policy = read_call_policy(options.policy)
    table = shared.open_table(options)
    if is_rules:
        ranks, report = ranks_of(table, policy)
        write_texts((f"{json.dumps(rule)}\n" for rule in rules_of(ranks)), out)
        counts, remark = plain(report), f"wrote the rules to {options.out}"
    else:
        ranked, report = with_call_policy(table, policy)
        ranked.save(out, overwrite=options.force)
        counts = {**plain(report), "digest": ranked.digest}
        remark = f"wrote the table to {options.out}"
    shared.print_answer(options, counts, report, remark)


def show_info(options: argparse.Namespace) -> None:
    """Say what a table is."""
    from bidcascade.table import show_info as table_text

    table = shared.open_table(options)
    shared.print_answer(options, table.info(), table_text(table))


def show_place(options: argparse.Namespace) -> None:
    """Show one place of a table."""
    from bidcascade.bridge import Auction, parse_calls
    from bidcascade.table import row_object, show

    calls = Auction.of(parse_calls(options.auction)).calls
    table = shared.open_table(options)
    # complains where the table does not have the auction
    text = show(table, calls)
    rows = [
        {"entry": entry, **row_object(row)}
        for entry in table.children(table.find(calls) if calls else None)
        for row in table.variants(entry)
    ]
    shared.print_answer(options, rows, text)


def _configure_lint(parser: argparse.ArgumentParser) -> None:
    _add_table(parser)
    add = parser.add_argument
    add(
        "--deals",
        type=shared.whole_number(1, 100_000_000),
        metavar="N",
        help="try the table on N random deals",
    )
    add(
        "--from",
        dest="source",
        metavar="FILE",
        nargs="+",
        help=f"deals of files or folders instead {shared.AS_LOAD}",
    )
    add(
        "--seed",
        type=shared.whole_number(0, 2**64 - 1),
        metavar="S",
        help="of the random deals (default: 0)",
    )
    add(
        "--examples",
        type=shared.whole_number(0),
        default=20,
        metavar="N",
        help="examples of each kind",
    )
    add("--backend", default="auto", choices=shared.BACKENDS)


def lint_table(options: argparse.Namespace) -> None:
    """Report what is wrong in a table, and on deals if there are any."""
    from bidcascade.table import lint

    if options.source and options.deals:
        raise shared.UsageError("expected --deals or --from, got both")
    if options.seed is not None and not options.deals:
        raise shared.UsageError("expected --seed only with --deals")
    if not options.source and not options.deals:
        report = lint(shared.open_table(options), examples=options.examples)
        shared.print_answer(options, lint_answer(report), report)
        return

    reports = _lint_with_deals(shared.open_rows(options), options)
    found = list(map(lint_answer, reports))
    shared.print_answer(options, found, "\n".join(map(str, reports)))


def _lint_with_deals(engine: "Engine", options: argparse.Namespace) -> "list[LintReport]":
    """Lint a table by itself, and by the deals that reach its entries."""
    import numpy as np

    from bidcascade.bridge import InvalidInput
    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.kernels import NO_ENTRY
    from bidcascade.loaders import iter_deals, random_deals
    from bidcascade.table import counts_through, lint, lint_on_deals

    def frames() -> "Iterator[pl.DataFrame]":
        if options.source is not None:
            yield from (batch.deals for batch in iter_deals(options.source, whole=True))
        for first in range(0, options.deals or 0, _CHUNK):
            yield random_deals(
                min(_CHUNK, options.deals - first), options.seed or 0, first=first + 1
            )

    counts_all = np.zeros(len(engine.table), np.uint64)
    counts_first = np.zeros(len(engine.table), np.int64)
    boards = 0
    with progress_bar("lint") as report:
        for frame in frames():
            counts_all += engine.count_entries(frame)
            entry = engine.auctions(frame, mode="first")["entry"].fill_null(NO_ENTRY)
            counts_first += counts_through(engine.table, entry.to_numpy())
            boards += frame.height
            report(boards, options.deals, boards)
    if not boards:
        raise InvalidInput("expected deals to try the table on, got none")
    on_deals = lint_on_deals(
        engine.table, counts_all, counts_first, boards, examples=options.examples
    )
    return [lint(engine.table, examples=options.examples), on_deals]


def _configure_counts(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``table counts``."""
    add = parser.add_argument
    add("table", metavar="TABLE", help="a name, a folder or a file of rows")
    add("inputs", nargs="+", metavar="INPUT", help="deals: files, folders, -")
    add_output(
        parser, "--out", required=True, help="Parquet file for the counts", check=parquet_file
    )
    add(
        "--previous",
        metavar="FILE",
        help="counts of the same deals by an earlier state of the table: only what has changed "
        "since is counted",
    )
    add("--backend", default="auto", choices=shared.BACKENDS)
    shared.add_overlay_option(parser)
    shared.add_system_option(parser)
    shared.add_import_options(parser)


def count_entries(options: argparse.Namespace) -> None:
    """Count the deals that reach each entry of a table."""
    import numpy as np

    from bidcascade.bridge import InvalidInput
    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.kernels import get_backend
    from bidcascade.loaders import deal_arrays, iter_deals
    from bidcascade.loaders.files.whole_files import can_write, whole_file
    from bidcascade.table.import_report import counted as words
    from bidcascade.table.overlays.recount import OtherDeals, Recount

    out = Path(options.out)
    check_is_no_input(options.out, [options.table, *options.inputs, *options.overlays])
    previous = None if options.previous is None else Recount.read(Path(options.previous))
    engine = shared.open_rows(options)
    backend = get_backend(options.backend)
    with progress_bar("counts") as report:

        def deals() -> "Iterator[DealArrays]":
            boards = 0
            for batch in iter_deals(options.inputs, whole=True):
                if batch.deals.height:
                    yield deal_arrays(batch.deals)
                    boards += batch.deals.height
                    report(boards, None, boards)

        counted = None
        if previous is not None:
            try:
                counted = previous.carried_over(engine.table, deals(), backend)
            except OtherDeals as error:
                if "-" in options.inputs:
                    # standard input is read and gone
                    raise
                shared.note(f"{options.previous}: {error}; all entries are counted")
        if counted is None:
            counted = Recount.full(engine.table, deals(), backend)
    if not counted.deals:
        raise InvalidInput("expected deals to count, got none")
    with whole_file(out) as partial, can_write(out):
        counted.write(partial)
    reached = int(np.count_nonzero(counted.counts))
    summary = {
        "deals": counted.deals, "deals_digest": counted.deals_digest,
        "entries": len(counted.counts), "reached": reached,
        "counted_entries": counted.counted_entries, "table": engine.table_info(),
        "backend": engine.backend,
    }  # fmt: skip
    text = (
        f"{counted.deals:,} deals reach {reached:,} of {len(counted.counts):,} entries; "
        f"{words(counted.counted_entries, 'entry', 'entries')} counted"
    )
    shared.print_answer(options, summary, text, f"wrote the counts to {options.out} (Parquet)")
