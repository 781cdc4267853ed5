"""Command ``table``: import, export, info, show, lint."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from .announcements import configure_announcements
from .learn import configure_learn
from .mine import configure_mine
from .options import (
    add_import_options,
    add_json_option,
    add_overlay_option,
    check_folder_of,
    check_place_of_table,
    import_options,
    note,
    open_engine,
    print_json,
    read_text,
    table_errors,
    tell_overlays,
    whole_number,
)
from .table_counts import configure_counts
from .vet import configure_vet

if TYPE_CHECKING:
    from bidcascade.table import BiddingTable


def configure_table(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``table`` and of what it can do."""
    actions = parser.add_subparsers(
        dest="action", metavar="ACTION", required=True, parser_class=type(parser)
    )
    _configure_import(actions.add_parser("import", help="rows in any format -> table folder"))
    _configure_export(actions.add_parser("export", help="table -> file of rows"))
    info = actions.add_parser("info", help="what a table is")
    _add_table(info)
    info.set_defaults(handler=show_info)
    show = actions.add_parser("show", help="one place of a table, and the calls that may follow")
    _add_table(show)
    show.add_argument("auction", nargs="?", default="", metavar="AUCTION", help="such as '1N P'")
    show.set_defaults(handler=show_place)
    _configure_lint(actions.add_parser("lint", help="what is wrong or worth a look"))
    configure_mine(actions.add_parser("mine", help="archives of auctions -> table"))
    configure_learn(
        actions.add_parser("learn", help="what the hands that made each call had in common")
    )
    configure_announcements(
        actions.add_parser("announcements", help="what the texts of an archive are")
    )
    configure_counts(actions.add_parser("counts", help="how many deals reach each entry"))
    configure_vet(actions.add_parser("vet", help="the table against auctions really bid"))


def _add_table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "table", nargs="?", default="sayc", metavar="TABLE",
        help="a name, a folder or a file of rows (default: sayc)",
    )  # fmt: skip
    add_overlay_option(parser)
    add_import_options(parser)
    add_json_option(parser)


def _configure_import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source", metavar="FILE", help="Python literal, pickle, JSON Lines, Parquet, *.bidding"
    )
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the table")
    parser.add_argument("--overwrite", action="store_true", help="replace a table that is there")
    parser.add_argument(
        "--user-terms", metavar="FILE", help="lines 'Name = formula' with terms of one's own"
    )
    parser.add_argument("--source", dest="origin", default="", help="where the rows are from")
    add_import_options(parser)
    add_json_option(parser)
    parser.set_defaults(handler=import_rows)


def import_rows(options: argparse.Namespace) -> int:
    """Make a table of a file of rows."""
    from bidcascade.systems import import_table
    from bidcascade.table.language.vocabulary import parse_user_terms

    out = Path(options.out)
    check_place_of_table(out, overwrite=options.overwrite)
    with table_errors(options.source):
        terms = None
        if options.user_terms:
            terms = parse_user_terms(read_text(options.user_terms))
        table, report = import_table(
            options.source, user_terms=terms, source=options.origin, **import_options(options)
        )
    table.save(out, overwrite=options.overwrite)
    if options.json:
        print_json({**report.to_dict(), "digest": table.digest})
    else:
        print(report)
        note(f"wrote the table to {options.out}")
    return 0


def _configure_export(parser: argparse.ArgumentParser) -> None:
    _add_table(parser)
    parser.add_argument(
        "--out",
        required=True,
        metavar="FILE",
        help="ending .jsonl, .py, .pkl, .parquet or .bidding",
    )
    parser.add_argument("--format", choices=("jsonl", "python", "pickle", "parquet", "bidding"))
    parser.set_defaults(handler=export_rows)


def export_rows(options: argparse.Namespace) -> int:
    """Write a table's rows to a file."""
    check_folder_of(Path(options.out))
    from bidcascade.systems import export_table
    from bidcascade.systems.row_files import format_by_name
    from bidcascade.table.import_report import counted

    format = options.format or format_by_name(Path(options.out))
    table = _open(options)
    export_table(table, options.out, format=format)
    note(f"wrote {counted(len(table), 'entry', 'entries')} to {options.out} ({format})")
    return 0


def show_info(options: argparse.Namespace) -> int:
    """Say what a table is."""
    from bidcascade.table import show_info as table_text

    table = _open(options)
    if options.json:
        print_json(table.info())
    else:
        print(table_text(table))
    return 0


def show_place(options: argparse.Namespace) -> int:
    """Show one place of a table."""
    from bidcascade.bridge import Auction, parse_calls
    from bidcascade.table import row_object, show

    calls = Auction.of(parse_calls(options.auction)).calls
    table = _open(options)
    # complains where the table does not have the auction
    text = show(table, calls)
    if options.json:
        parent = table.find(calls) if calls else None
        print_json(
            [
                {"entry": entry, **row_object(row)}
                for entry in table.children(parent)
                for row in table.variants(entry)
            ]
        )
    else:
        print(text)
    return 0


def _configure_lint(parser: argparse.ArgumentParser) -> None:
    _add_table(parser)
    parser.add_argument(
        "--deals", metavar="INPUT", nargs="+", help="deals to try the table on: files, folders"
    )
    parser.add_argument(
        "--random", type=whole_number(1, 100_000_000), metavar="N",
        help="try the table on N random deals",
    )  # fmt: skip
    parser.add_argument("--seed", type=whole_number(0, 2**64 - 1), default=0, metavar="S")
    parser.add_argument(
        "--examples", type=whole_number(0), default=20, metavar="N", help="examples of each kind"
    )
    parser.add_argument("--backend", default="auto", choices=("auto", "reference", "cpu", "cuda"))
    parser.set_defaults(handler=lint_table)


def lint_table(options: argparse.Namespace) -> int:
    """Report what is wrong in a table, and on deals if there are any."""
    from bidcascade.service.cli import UsageError
    from bidcascade.table import lint

    if options.deals and options.random:
        raise UsageError("expected --deals or --random, got both")
    if not options.deals and not options.random:
        report = lint(_open(options), examples=options.examples)
        if options.json:
            print_json(report.to_dict())
        else:
            print(report)
        return 0

    from .lint_deals import lint_with_deals

    engine = open_engine(options)
    reports = lint_with_deals(
        engine, deals=options.deals, random=options.random, seed=options.seed,
        examples=options.examples,
    )  # fmt: skip
    if options.json:
        print_json([report.to_dict() for report in reports])
    else:
        print("\n".join(str(report) for report in reports))
    return 0


def _open(options: argparse.Namespace) -> "BiddingTable":
    from bidcascade.systems import open_table

    with table_errors(options.table):
        table = open_table(options.table, overlays=options.overlays, **import_options(options))
    tell_overlays(table)
    return table
