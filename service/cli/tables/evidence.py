"""Actions of ``table`` on archives of auctions: ``announcements``, ``mine``, ``learn``, ``vet``."""

import argparse
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bidcascade.service.cli import shared
from bidcascade.service.cli.outputs import (
    add_output,
    add_table_output,
    check_is_no_input,
    parquet_file,
    report_folder,
)

if TYPE_CHECKING:
    from bidcascade.table import BiddingTable
    from bidcascade.workshop.evidence.learning import Options
    from bidcascade.workshop.evidence.vet_run import Vetted

_SHOWN_CONTRADICTIONS = 5
_OF_RULES = ("expressions", "grid", "positive_rate", "negative_rate", "lift", "most_rules")
"""Options of ``learn`` that ask for nothing where no rules are learned."""
_OF_LEARNING = ("resume", "minimum_hands", "quantiles", "rules", "memory_mb", "jobs", *_OF_RULES)
"""Those that ask for nothing where nothing is learned."""


def configure_announcements(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``table announcements``."""
    parser.add_argument(
        "inputs",
        nargs="+",
        metavar="INPUT",
        help="LIN or PBN files or folders, JSON Lines (.jsonl), texts a line (.txt, - for stdin)",
    )


def announcements(options: argparse.Namespace) -> None:
    """Report on announcements: read, cut off, human, and every part that was not read."""
    from bidcascade.bridge import InvalidInput
    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.workshop.evidence.announcement_report import corpus_report
    from bidcascade.workshop.evidence.announcement_texts import collect_texts

    with progress_bar("announcements") as report:
        texts = collect_texts(options.inputs, report)
    if not texts.boards + texts.lines:
        raise InvalidInput(f"expected announcements, got none among {texts.rejects:,} rejects")
    found = corpus_report(texts.counts)
    sources = {"boards": texts.boards, "rejects": texts.rejects, "lines": texts.lines}
    counts = ", ".join(f"{what} {number:,}" for what, number in sources.items())
    shared.print_answer(options, {**sources, **found.to_dict()}, f"{counts}\n{found}")


def configure_mine(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``table mine``."""
    add = parser.add_argument
    add(
        "inputs",
        nargs="+",
        metavar="INPUT",
        help=f"file, folder, pattern, handviewer link or - {shared.AS_LOAD}",
    )
    add_table_output(parser, _goes_on_mining)
    add(
        "--add-to",
        metavar="DIR",
        help="a mined table: make one as if its archives were mined again with these; may be --out",
    )
    add("--resume", action="store_true", help="go on with an interrupted run")
    add(
        "--rank",
        default="specificity",
        choices=("file", "frequency", "specificity"),
        help="priority of the calls at one place: as the published tables stand, the most frequent "
        "first, or those that fewest hands fit first (default: specificity)",
    )
    add(
        "--profile",
        choices=shared.PROFILES,
        help="definitions of the terms (default: that of --add-to, or gib)",
    )
    add_output(
        parser,
        "--rejects",
        help="Parquet file for records that are none",
        check=parquet_file,
        goes_on=partial(_goes_on, "mining"),
    )
    add("--jobs", type=shared.whole_number(1), metavar="N", help="processes that read")
    add(
        "--step-boards",
        type=shared.whole_number(1),
        default=1_000_000,
        metavar="N",
        help="boards after which what was mined is brought to the disk (default: 1000000)",
    )
    add(
        "--most-in-memory",
        type=shared.whole_number(1),
        default=16_000_000,
        metavar="N",
        help="prefixes and texts that are counted in memory (default: 16000000, about 1 GB)",
    )


def _goes_on(work: str, options: argparse.Namespace) -> bool:
    """Tell whether an interrupted run that lies beside its output is to go on."""
    from bidcascade.engine.runs.run_folder import folder_beside

    return bool(options.resume) and folder_beside(options.out, work).exists()


def _goes_on_mining(options: argparse.Namespace) -> bool:
    # or the table that is there is mined on
    to, out = options.add_to, options.out
    return (bool(to) and os.path.realpath(to) == os.path.realpath(out)) or _goes_on(
        "mining", options
    )


def mine(options: argparse.Namespace) -> None:
    """Mine archives to a table."""
    from bidcascade.engine.runs.run_folder import folder_beside
    from bidcascade.workshop.evidence.mine_run import mine as run

    if options.rejects:
        check_is_no_input(options.rejects, options.inputs)
    work = folder_beside(options.out, "mining")
    options.interruption_hint = lambda: _work_stays_in(work)
    mined = run(
        options.inputs,
        options.out,
        add_to=options.add_to,
        overwrite=options.force,
        resume=options.resume,
        rank=options.rank,
        profile=options.profile,
        rejects=options.rejects,
        jobs=options.jobs,
        step_boards=options.step_boards,
        most_in_memory=options.most_in_memory,
    )
    written = f"wrote the table to {options.out}"
    shared.print_answer(options, mined.report, _mined_text(mined.report), written)


def _work_stays_in(work: Path) -> str:
    """Say what is kept of a run that is interrupted, and how to go on."""
    from bidcascade.engine.runs.manifest import MANIFEST
    from bidcascade.service.cli import NOTHING_STAYS

    return shared.resume_hint(str(work)) if (work / MANIFEST).exists() else NOTHING_STAYS


def _left_out(disagree: int) -> str:
    """Tell how many boards have a play that is not of their hands; nothing where none has."""
    return f", {disagree:,} whose play disagrees" if disagree else ""


def _mined_text(report: dict[str, Any]) -> str:
    """Write the report of a mining run in a few lines."""
    from bidcascade.table.import_report import counted

    disagree = report["play_disagrees"]
    records = report["boards"] + report["without_auction"] + report["rejects"] + disagree
    lines = [
        f"{counted(records, 'record')} of {counted(report['inputs'], 'input')}: "
        f"{counted(report['boards'], 'board')} mined, {report['without_auction']:,} without "
        f"auction, {counted(report['rejects'], 'reject')}{_left_out(disagree)}",
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


def configure_learn(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``table learn``."""
    add = parser.add_argument
    add("table", metavar="TABLE", help="a name, a folder or a file of rows")
    add(
        "inputs",
        nargs="*",
        metavar="INPUT",
        help="archives with auctions; none: only put a table that has learned on another layer",
    )
    add_table_output(parser)
    add("--resume", action="store_true", help="go on reading where an interrupted run was")
    add(
        "--minimum-hands",
        type=shared.whole_number(1),
        metavar="N",
        help="hands that must have made a call for it to be learned (default: 20)",
    )
    add(
        "--quantiles",
        nargs=2,
        metavar=("LOW", "HIGH"),
        help="shares of the hands below the learned bounds (default: 0.01 0.99)",
    )
    add("--rules", action="store_true", help="learn rules by lift, too")
    add(
        "--expressions",
        metavar="FILE",
        help="expressions that rules may be made of, one a line, besides those of the table",
    )
    add(
        "--grid",
        action="store_true",
        help="rules may be made of HCP, points and lengths at every number, and suits' qualities",
    )
    for name, default, meaning in (
        ("positive-rate", 0.98, "least share of the call's hands that fit a rule"),
        ("negative-rate", 0.9, "largest share of the other hands there that fit a rule"),
        ("lift", 1.05, "least lift of a rule"),
    ):
        add(f"--{name}", type=float, metavar="X", help=f"{meaning} (default: {default})")
    add(
        "--most-rules",
        type=shared.whole_number(1),
        metavar="N",
        help="rules of a call (default: 10)",
    )
    add(
        "--layer",
        default=None,
        choices=("announced", "learned", "merged"),
        help="criteria of the new table (default: announced, as they were)",
    )
    add(
        "--memory-mb",
        type=shared.whole_number(1),
        metavar="N",
        help="MB that counters may take; more are counted in several passes (default: 1024)",
    )
    add("--jobs", type=shared.whole_number(1), metavar="N", help="processes that read")
    add("--backend", default="auto", choices=shared.BACKENDS)
    shared.add_import_options(parser)


def learn(options: argparse.Namespace) -> None:
    """Learn from archives, and put the table on a layer."""
    from bidcascade.engine.runs.run_folder import folder_beside
    from bidcascade.workshop.evidence.layers import on_layer
    from bidcascade.workshop.evidence.learn_run import learn_from

    if not options.inputs and options.layer is None:
        raise shared.UsageError(
            "expected archives to learn from, or a --layer for a table that has"
        )
    for needed, needs, names in (
        (options.inputs, "archives to learn from", _OF_LEARNING),
        (options.rules, "--rules", _OF_RULES),
    ):
        for name in names if not needed else ():
            if getattr(options, name) not in (None, False):
                flag = name.replace("_", "-")
                raise shared.UsageError(f"expected --{flag} only with {needs}")
    out = Path(options.out)
    if not out.parent.is_dir():
        raise shared.UsageError(f"expected a place in a folder that exists, got {options.out!r}")
    table = shared.open_table(options)
    report: dict[str, Any] = {}
    if options.inputs:
        # learned anew: what a layer changed is no part of what the table announces
        table = on_layer(table, "announced").table
        work = folder_beside(out, "learning")
        options.interruption_hint = lambda: _work_stays_in(work)
        table, report = learn_from(
            table,
            options.inputs,
            work,
            resume=options.resume,
            options=_learning(options, table),
            backend=options.backend,
            jobs=options.jobs,
        )
    layered = on_layer(table, options.layer or "announced")
    layered.table.save(out, overwrite=options.force)
    report |= layered.to_dict() | {"digest": layered.table.digest}
    written = f"wrote the table to {options.out}"
    shared.print_answer(options, report, _learned_text(report), written)


def _learning(options: argparse.Namespace, table: "BiddingTable") -> "Options":
    from bidcascade.bridge import InvalidInput
    from bidcascade.engine.runs.columns.augment import read_expressions
    from bidcascade.workshop.evidence.learning import Options, Thresholds

    expressions: list[str] = []
    if options.expressions:
        text = shared.read_text(options.expressions)
        expressions = read_expressions(text, options.expressions, table.vocabulary)

    def given(**values: Any) -> dict[str, Any]:
        """Leave what was not asked for to what is usual."""
        return {name: value for name, value in values.items() if value is not None}

    try:
        rules = None
        if options.rules:
            rules = Thresholds(
                **given(
                    others=options.minimum_hands,
                    positive_rate=options.positive_rate,
                    negative_rate=options.negative_rate,
                    lift=options.lift,
                    rules=options.most_rules,
                )
            )
        return Options(
            rules=rules,
            expressions=expressions,
            grid=options.grid,
            **given(
                minimum_hands=options.minimum_hands,
                quantiles=None if options.quantiles is None else tuple(options.quantiles),
                memory=None if options.memory_mb is None else options.memory_mb << 20,
            ),
        )
    except InvalidInput as error:
        # what is wrong is an argument, no input
        raise shared.UsageError(str(error)) from None


def _learned_text(report: dict[str, Any]) -> str:
    """Write the report of a learning run in a few lines."""
    from bidcascade.table.import_report import counted

    lines = []
    if "records" in report:
        lines += [
            f"{report['records']:,} records: {report['boards']:,} boards with an auction, "
            f"{report['without_auction']:,} without, {report['rejects']:,} rejects"
            + _left_out(report["play_disagrees"]),
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


def configure_vet(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``table vet``."""
    add = parser.add_argument
    add("table", metavar="TABLE", help="a name, a folder or a file of rows")
    add("inputs", nargs="+", metavar="INPUT", help="files of deals with auctions")
    add_output(
        parser,
        "--out",
        required=True,
        metavar="DIR",
        help="folder for the report",
        check=report_folder,
        is_there=_is_vetting,
        goes_on=partial(_goes_on, "vetting"),
    )
    add("--resume", action="store_true", help="go on with an interrupted run")
    add(
        "--auction",
        default="",
        metavar="AUCTION",
        help="only deals that were bid so ('1N P 3N'), and only these calls of them",
    )
    add(
        "--least",
        type=shared.whole_number(1),
        default=20,
        metavar="N",
        help="calls that a place needs to stand among the worst (default: 20)",
    )
    add(
        "--without",
        nargs="+",
        choices=("lint", "own"),
        default=[],
        metavar="PART",
        help="leave out: lint (the table by itself), own (deals bid by the table)",
    )
    add("--jobs", type=shared.whole_number(1, 1024), metavar="N", help="processes that read")
    add("--backend", default="auto", choices=shared.BACKENDS)
    shared.add_overlay_option(parser)
    shared.add_system_option(parser)
    shared.add_import_options(parser)


def _is_vetting(folder: Path) -> bool:
    from bidcascade.service.reports.vet_files import SUMMARY

    return (folder / SUMMARY).is_file()


def vet(options: argparse.Namespace) -> None:
    """Hold a table against the auctions of archives."""
    from bidcascade.bridge import Auction, parse_calls
    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.engine.runs.run_folder import folder_beside
    from bidcascade.service.reports.vet_files import check_vetting_folder, write_vetting
    from bidcascade.workshop.evidence.vet_run import vet as run

    folder = Path(options.out)
    work = folder_beside(folder, "vetting")
    is_resumed = _goes_on("vetting", options)
    check_vetting_folder(folder, overwrite=options.force, resumed=is_resumed)
    auction = Auction.of(parse_calls(options.auction)).calls
    engine = shared.open_rows(options)
    options.interruption_hint = lambda: _work_stays_in(work)

    def write(vetted: "Vetted", *, again: bool) -> None:
        write_vetting(vetted, folder, least=options.least, overwrite=options.force, resumed=again)

    with progress_bar("vet") as report:
        vetted = run(
            engine,
            options.inputs,
            auction=auction,
            jobs=options.jobs,
            progress=report,
            folder=work,
            resume=options.resume,
            write=write,
            with_lint="lint" not in options.without,
            with_own="own" not in options.without,
        )
    summary = vetted.summary()
    shared.print_answer(options, summary, _vetted_text(summary, folder))


def _vetted_text(summary: dict[str, Any], folder: Path) -> str:
    from bidcascade.service.reports.report_page import percent_text

    boards, calls, auctions = summary["boards"], summary["calls"], summary["auctions"]
    shares = {name: percent_text(calls[name] / max(1, calls["judged"])) for name in calls}
    repeated = summary["repeated_inputs"]
    lines = [
        f"{boards['records']:,} records: {boards['boards']:,} boards, {boards['rejects']:,} rejects"
        + _left_out(boards["play_disagrees"])
        + (f", {boards['other_auctions']:,} bid otherwise" if boards["other_auctions"] else "")
        + (f"; {repeated:,} inputs left out that repeat others" if repeated else ""),
        f"{calls['judged']:,} of {calls['made']:,} calls judged: {shares['agrees']} as the table "
        f"calls, {shares['allowed']} fit behind another call, {shares['fails']} do not fit the "
        f"hand, {shares['missing']} not in the table",
        f"{auctions['held']:,} of {auctions['vetted']:,} auctions hold to the last call",
        f"the report is {folder / 'report.html'}",
    ]
    return "\n".join(lines)
