"""Command ``table learn``: what the hands that made the calls of a table had in common."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .options import (
    BACKEND_CHOICES,
    add_import_options,
    add_json_option,
    check_place_of_table,
    import_options,
    note,
    print_json,
    read_text,
    table_errors,
    whole_number,
)

if TYPE_CHECKING:
    from bidcascade.table import BiddingTable
    from bidcascade.table.evidence.learning import Options

_SHOWN_CONTRADICTIONS = 5


def configure_learn(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``table learn``."""
    parser.add_argument("table", metavar="TABLE", help="a name, a folder or a file of rows")
    parser.add_argument(
        "inputs", nargs="*", metavar="INPUT",
        help="archives with auctions; none: only put a table that has learned on another layer",
    )  # fmt: skip
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the table")
    parser.add_argument("--overwrite", action="store_true", help="replace a table that is there")
    parser.add_argument(
        "--minimum-hands", type=whole_number(1), default=20, metavar="N",
        help="hands that must have made a call for it to be learned (default: 20)",
    )  # fmt: skip
    parser.add_argument(
        "--quantiles", nargs=2, default=("0.01", "0.99"), metavar=("LOW", "HIGH"),
        help="shares of the hands below the learned bounds (default: 0.01 0.99)",
    )  # fmt: skip
    parser.add_argument("--rules", action="store_true", help="learn rules by lift, too")
    parser.add_argument(
        "--expressions", metavar="FILE",
        help="expressions that rules may be made of, one a line, besides those of the table",
    )  # fmt: skip
    parser.add_argument(
        "--grid", action="store_true",
        help="rules may be made of HCP, points and lengths at every number, and suits' qualities",
    )  # fmt: skip
    for name, default, meaning in (
        ("positive-rate", 0.98, "least share of the call's hands that fit a rule"),
        ("negative-rate", 0.9, "largest share of the other hands there that fit a rule"),
        ("lift", 1.05, "least lift of a rule"),
    ):
        parser.add_argument(
            f"--{name}", type=float, default=default, metavar="X",
            help=f"{meaning} (default: {default})",
        )  # fmt: skip
    parser.add_argument(
        "--most-rules", type=whole_number(1), default=10, metavar="N",
        help="rules of a call (default: 10)",
    )  # fmt: skip
    parser.add_argument(
        "--layer", default=None, choices=("announced", "learned", "merged"),
        help="criteria of the new table (default: announced, as they were)",
    )  # fmt: skip
    parser.add_argument(
        "--memory-mb", type=whole_number(1), default=1024, metavar="N",
        help="MB that counters may take; more are counted in several passes (default: 1024)",
    )  # fmt: skip
    parser.add_argument("--jobs", type=whole_number(1), metavar="N", help="processes that read")
    parser.add_argument("--backend", default="auto", choices=BACKEND_CHOICES)
    add_import_options(parser)
    add_json_option(parser)
    parser.set_defaults(handler=learn_table)


def learn_table(options: argparse.Namespace) -> int:
    """Learn from archives, and put the table on a layer."""
    from bidcascade.service.cli import UsageError
    from bidcascade.service.mining.learn import learn_from
    from bidcascade.systems import open_table
    from bidcascade.table.evidence.layers import on_layer

    if not options.inputs and options.layer is None:
        raise UsageError("expected archives to learn from, or a --layer for a table that has")
    for name in ("expressions", "grid"):
        if getattr(options, name) and not options.rules:
            raise UsageError(f"expected --{name} only with --rules")
    out = Path(options.out)
    check_place_of_table(out, overwrite=options.overwrite)
    if not out.parent.is_dir():
        raise UsageError(f"expected a place in a folder that exists, got {options.out!r}")
    with table_errors(options.table):
        table = open_table(options.table, **import_options(options))
    report: dict[str, Any] = {}
    if options.inputs:
        # learned anew: what a layer changed is no part of what the table announces
        table = on_layer(table, "announced").table
        table, report = learn_from(
            table, options.inputs, out.parent, options=_options(options, table),
            backend=options.backend, jobs=options.jobs,
        )  # fmt: skip
    layered = on_layer(table, options.layer or "announced")
    layered.table.save(out, overwrite=options.overwrite)
    report |= layered.to_dict() | {"digest": layered.table.digest}
    if options.json:
        print_json(report)
    else:
        print(in_words(report))
        note(f"wrote the table to {options.out}")
    return 0


def _options(options: argparse.Namespace, table: "BiddingTable") -> "Options":
    from bidcascade.bridge import InvalidInput
    from bidcascade.service.cli import UsageError
    from bidcascade.service.jobs.augment import read_expressions
    from bidcascade.table.evidence.learning import Options, Thresholds

    expressions: list[str] = []
    if options.expressions:
        text = read_text(options.expressions)
        expressions = read_expressions(text, options.expressions, table.vocabulary)
    try:
        rules = None
        if options.rules:
            rules = Thresholds(
                others=options.minimum_hands, positive_rate=options.positive_rate,
                negative_rate=options.negative_rate, lift=options.lift, rules=options.most_rules,
            )  # fmt: skip
        return Options(
            minimum_hands=options.minimum_hands, quantiles=tuple(options.quantiles), rules=rules,
            expressions=expressions, grid=options.grid, memory=options.memory_mb << 20,
        )  # fmt: skip
    except InvalidInput as error:
        # what is wrong is an argument, no input
        raise UsageError(str(error)) from None


def in_words(report: dict[str, Any]) -> str:
    """Write the report of a learning run in a few lines.

    Examples
    --------
    >>> print(in_words({"layer": "announced"}))
    criteria: as announced
    """
    from bidcascade.table.import_report import counted

    lines = []
    if "records" in report:
        lines += [
            f"{report['records']:,} records: {report['boards']:,} boards with an auction, "
            f"{report['without_auction']:,} without, {report['rejects']:,} rejects",
            f"{report['calls']:,} calls, {report['calls_outside']:,} of them not in the table; "
            f"{report['calls_beyond']:,} more behind those",
            f"{report['entries_reached']:,} entries were bid, {report['entries_learned']:,} by "
            "enough hands: bounds learned",
        ]
        if "rules" in report:
            lines.append(
                f"{report['rules']:,} rules for {report['entries_with_rules']:,} entries, "
                f"of {report['expressions']:,} expressions"
            )
    if report.get("repeated_inputs"):
        lines.append(
            f"inputs with the contents of another, passed over: {report['repeated_inputs']:,}"
        )
    if report["layer"] == "announced":
        return "\n".join([*lines, "criteria: as announced"])
    contradictions = report["contradictions"]
    lines.append(
        f"criteria: {report['layer']}; learned ones for {report['entries_on_learned']:,} entries, "
        f"both for {report['entries_on_both']:,}; "
        f"{counted(len(contradictions), 'contradiction')}, where the announced ones stay"
    )
    lines += contradictions[:_SHOWN_CONTRADICTIONS]
    if len(contradictions) > _SHOWN_CONTRADICTIONS:
        lines.append(f"… and {len(contradictions) - _SHOWN_CONTRADICTIONS:,} more")
    return "\n".join(lines)
