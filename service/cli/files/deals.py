"""Commands about files of deals: ``load``, ``augment``, ``deals``."""

import argparse
import secrets
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from bidcascade.service.cli import shared
from bidcascade.service.cli.outputs import add_output, check_is_no_input, deals_file, parquet_file

if TYPE_CHECKING:
    import polars as pl

    from bidcascade.bridge import Seat, Vulnerability

MOST_DEALS_TRIED = 100_000_000
"""Deals looked at for a condition unless asked otherwise."""
_CHUNK = 250_000
_MOST_DRAWN = 10**9
"""Seeds that are drawn where none is given: short enough to be typed."""


def configure_load(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``load``."""
    # formats are told here alone: the other commands take the same
    from bidcascade.loaders.inputs import FORMATS_TEXT

    add = parser.add_argument
    add(
        "inputs",
        nargs="+",
        metavar="INPUT",
        help=f"file, folder, pattern, zip file, handviewer link or - ({FORMATS_TEXT})",
    )
    add_output(
        parser,
        "--out",
        required=True,
        help=shared.DEALS_OUT_HELP,
        check=deals_file,
        takes_stdout=True,
    )
    add_output(
        parser, "--rejects", help="Parquet file for records that are none", check=parquet_file
    )
    add("--jobs", type=shared.whole_number(1), metavar="N", help="processes that read")
    shared.add_json_option(parser)


def load(options: argparse.Namespace) -> None:
    """Read deals of any kind into one file."""
    if options.rejects:
        check_is_no_input(options.rejects, options.inputs)

    from bidcascade.bridge import InvalidInput
    from bidcascade.engine.runs.deal_files import deal_sink, lost_contracts
    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.loaders import Rejects, empty_deals, iter_deals, play_disagrees
    from bidcascade.loaders.files.whole_files import write_parquet
    from bidcascade.loaders.frames.frame import reader_remarks

    boards, disagree, lost, refused = 0, 0, 0, Rejects()
    unread, first_unread = 0, ""
    with deal_sink(options.out) as write, progress_bar("load") as report:
        write(empty_deals())
        for batch in iter_deals(options.inputs, jobs=options.jobs, progress=report):
            write(batch.deals)
            boards += batch.deals.height
            disagree += int(play_disagrees(batch.deals).sum())
            lost += lost_contracts(batch.deals, options.out)
            remarks = reader_remarks(batch.deals)
            unread += len(remarks)
            first_unread = first_unread or "".join(remarks[:1])
            refused.add(batch.rejects)
        rejects = refused.frame()
        if not boards:
            raise InvalidInput(f"expected deals, {shared.no_deals(rejects)}")
        if options.rejects:
            write_parquet(rejects, Path(options.rejects))
    numbers = {"boards": boards, "rejects": refused.count}
    if options.json and options.out != "-":
        told = {"play_disagrees": disagree, "contracts_lost": lost, "unread": unread}
        if options.rejects:
            told["rejects_listed"] = refused.listed
        shared.print_json(numbers | told)
    else:
        if disagree:
            numbers["boards whose play disagrees"] = disagree
        if lost:
            numbers["boards whose contract LIN has no place for"] = lost
        if unread:
            numbers["boards with something unread"] = unread
        shared.note(shared.shown_numbers(numbers) + shared.first_reject(rejects))
        if unread:
            shared.note(f"first unread: {first_unread}")
        shared.note_written(boards, "deal", options.out)
        if options.rejects:
            shared.note_written(refused.listed, "reject", options.rejects, format="Parquet")
            if refused.listed < refused.count:
                shared.note(
                    f"of {refused.count:,} rejects the first of each file are listed, "
                    "a last row of it counts the others"
                )


def configure_augment(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``augment``."""
    add = parser.add_argument
    add("inputs", nargs="+", metavar="INPUT", help="files of deals of any kind")
    add_output(
        parser,
        "--out",
        required=True,
        help="Parquet file; - for stdout",
        check=parquet_file,
        takes_stdout=True,
    )
    add(
        "--terms",
        nargs="+",
        default=[],
        metavar="TERM",
        help="terms: four columns each, such as SL_N_S for SL_S of North",
    )
    add("--expressions", metavar="FILE", help="file with an expression a line; - for stdin")
    add(
        "--auctions",
        nargs="+",
        default=[],
        metavar="AUCTION",
        help="auctions of the table ('1N P 3N'): whether the deal reaches that entry",
    )
    add(
        "--wide",
        action="store_true",
        help="all terms, cards, shapes and expressions of the table, and results of the sources",
    )
    add(
        "--dd",
        action="store_true",
        help="double-dummy tricks of every contract, par and its contracts; what is solved is kept "
        "for the next run if this one is killed",
    )
    add(
        "--play",
        action="store_true",
        help="a column play_disagrees: whether cards were played that are not of the hands",
    )
    shared.add_table_options(parser)


def augment(options: argparse.Namespace) -> None:
    """Add columns to deals."""
    from bidcascade.bridge import InvalidInput
    from bidcascade.engine.runs.columns import augment as augmenting
    from bidcascade.engine.runs.columns import wide
    from bidcascade.engine.runs.columns.double_dummy import solving
    from bidcascade.engine.runs.deal_files import deal_sink
    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.loaders import empty_deals, empty_rejects, iter_deals, play_disagrees

    engine = shared.open_engine(options)
    expressions: list[str] = []
    if options.expressions:
        name = options.expressions
        source = "standard input" if name == "-" else Path(name).name
        text = shared.read_text(name)
        expressions = augmenting.read_expressions(text, source, engine.vocabulary)
    terms = options.terms
    requested = (options.auctions, options.wide, options.dd, options.play)
    if not (terms or expressions or any(requested)):
        terms = list(augmenting.DEFAULT_TERMS)
    wanted = {"terms": terms, "expressions": expressions, "auctions": options.auctions}
    numbers, refused = {"boards": 0, "rejects": 0}, empty_rejects()
    if options.dd:
        options.interruption_hint = shared.SOLVED_STAY
    with ExitStack() as stack:
        report = stack.enter_context(progress_bar("augment"))
        deals = wide.WideDeals(options.inputs) if options.wide or options.dd else None
        add = wide.widen if options.wide else augmenting.augment
        if options.dd:
            # entered before the output, so that what is solved goes only when that is whole
            add = stack.enter_context(solving(add, report))
        write = stack.enter_context(deal_sink(options.out))

        def added(frame: "pl.DataFrame") -> "pl.DataFrame":
            found = add(engine, frame, **wanted)
            if not options.play:
                return found
            return found.with_columns(play_disagrees(frame).alias("play_disagrees"))

        write(added(empty_deals() if deals is None else deals.empty()))
        batches = (
            iter_deals(options.inputs, whole=True, progress=report)
            if deals is None
            else deals.batches(report)
        )
        for batch in batches:
            write(added(batch.deals))
            numbers["boards"] += batch.deals.height
            numbers["rejects"] += batch.refused
            if not refused.height:
                refused = batch.rejects
        if not numbers["boards"]:
            raise InvalidInput(f"expected deals, {shared.no_deals(refused)}")
    if deals is not None and deals.unread:
        numbers["results unread"] = deals.unread
    shared.note(shared.shown_numbers(numbers))
    shared.note_written(numbers["boards"], "deal", options.out)


def configure_deals(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``deals``."""
    add = parser.add_argument
    add(
        "count",
        nargs="?",
        type=shared.whole_number(1),
        metavar="N",
        help="how many (a script or theme says so itself)",
    )
    add(
        "--seed",
        type=shared.whole_number(0, 2**64 - 1),
        metavar="S",
        help="the same seed gives the same deals (default: one that is drawn, and told)",
    )
    add(
        "--where",
        action="append",
        default=[],
        metavar="EXPR",
        help="only deals that meet a condition; its terms carry a seat: 'HCP_N >= 15', 'SL_N_S + "
        "SL_S_S >= 8 and not Balanced_E'; may be given several times",
    )
    add(
        "--known",
        action="append",
        default=[],
        metavar="SEAT:HAND",
        help="cards that a hand has: 'S:AKxx.Qx.xxx.K432' (x is a card below the ten), "
        "'E:A+.+.+.-' (+ is any more); may be given several times",
    )
    add(
        "--script",
        action="append",
        default=[],
        metavar="FILE",
        help="a script of the program dealer, or - for stdin; alone and without --out its actions "
        "are printed; several are mixed",
    )
    add(
        "--theme",
        dest="theme_names",
        action="append",
        default=[],
        metavar="NAME",
        help="a theme of the library, such as stayman; several are mixed",
    )
    add("--themes", action="store_true", help="list the themes and leave")
    add(
        "--share",
        dest="shares",
        action="append",
        default=[],
        metavar="PERCENT:KIND",
        help="so many per cent of the deals are of a kind, exactly: a name that the one script "
        "defines, a theme or script among several, else a condition as for --where; given for "
        "each kind, 100 together",
    )
    add(
        "--seat",
        metavar="SEAT",
        help="who gets what scripts and themes say of South: the deals are turned",
    )
    add("--dealer", metavar="SEAT", help="who deals (default: by board number)")
    add("--vul", metavar="V", help="None, NS, EW or Both (default: by board)")
    add(
        "--most",
        type=shared.whole_number(1, 2**31 - 1),
        metavar="N",
        help=f"deals looked at for a condition (default: {MOST_DEALS_TRIED:,}; what a script "
        "generates, else 1,000,000 for each kind)",
    )
    add_output(parser, "--out", help=shared.DEALS_OUT_HELP, check=deals_file, takes_stdout=True)
    add(
        "--profile",
        choices=shared.PROFILES,
        default="gib",
        help="definitions of the terms (default: gib)",
    )
    add("--backend", default="auto", choices=shared.BACKENDS)
    shared.add_json_option(parser)


def deals(options: argparse.Namespace) -> None:
    """Deal at random."""
    if options.themes:
        _list_themes(options)
        return
    if options.json:
        raise shared.UsageError("expected --json with --themes, which it is for")
    is_drawn = options.seed is None
    if is_drawn:
        options.seed = secrets.randbelow(_MOST_DRAWN)
    if options.script or options.theme_names or options.shares:
        from .deal_scripts import deals_of_scripts

        deals_of_scripts(options)
    else:
        _deals_of_one_kind(options)
    if is_drawn:
        shared.note(f"seed {options.seed}: --seed {options.seed} gives the same deals")


def _deals_of_one_kind(options: argparse.Namespace) -> None:
    """Deal with no script, theme or share."""
    for given, flag in ((options.count, "N, how many deals"), (options.out, "--out FILE")):
        if given is None:
            raise shared.UsageError(f"expected {flag}")
    if options.seat is not None:
        raise shared.UsageError("expected --seat with --script or --theme, whose deals it turns")

    from bidcascade.bridge import parse_seat, parse_vulnerability

    dealer = None if options.dealer is None else parse_seat(options.dealer)
    sides = None if options.vul is None else parse_vulnerability(options.vul)
    if options.count > 2**31 - 1:
        raise shared.UsageError(f"expected at most {2**31 - 1} deals, got {options.count}")
    if options.where or options.known:
        _deals_under_conditions(options, dealer, sides)
        return

    from bidcascade.engine.runs.deal_files import deal_sink
    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.loaders import random_deals

    with deal_sink(options.out) as write, progress_bar("deals") as report:
        for done in range(0, options.count, _CHUNK):
            size = min(_CHUNK, options.count - done)
            write(
                random_deals(size, options.seed, first=done + 1, dealer=dealer, vulnerability=sides)
            )
            report(done + size, options.count, done + size)
    shared.note_written(options.count, "deal", options.out)


def _list_themes(options: argparse.Namespace) -> None:
    """Name the themes and say what is practised with each."""
    from bidcascade.inference.scenarios.themes import themes

    found = themes().values()
    if options.json:
        shared.print_json(
            {
                "themes": [
                    {"name": one.name, "title": one.title, "practises": one.practises}
                    for one in found
                ]
            }
        )
        return
    shared.print_table(("theme", "what is practised"), [(one.name, one.practises) for one in found])


def _deals_under_conditions(
    options: argparse.Namespace, dealer: "Seat | None", sides: "Vulnerability | None"
) -> None:
    """Deal under conditions, every deal that meets them equally likely."""
    from bidcascade.bridge import InvalidInput, Seat, Vulnerability
    from bidcascade.engine.runs.deal_files import deal_sink
    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.inference.layouts.known import parse_known
    from bidcascade.inference.layouts.sampling import deal_where
    from bidcascade.inference.layouts.searching import SearchLimits
    from bidcascade.kernels import get_backend
    from bidcascade.loaders import board_frame
    from bidcascade.table import Vocabulary

    found = tried = 0
    parts = deal_where(
        options.where,
        count=options.count,
        seed=options.seed,
        known=parse_known(options.known),
        dealer=Seat.NORTH if dealer is None else dealer,
        vulnerability=Vulnerability.NONE if sides is None else sides,
        vocabulary=Vocabulary(options.profile),
        backend=get_backend(options.backend),
        limits=SearchLimits(options.most or MOST_DEALS_TRIED, float("inf")),
    )
    if (dealer is None or sides is None) and (requested := _about_the_board(options)):
        raise shared.UsageError(f"expected --dealer and --vul with a condition on {requested}")
    # what cannot be dealt is said before a file is begun
    first = next(parts)
    with deal_sink(options.out) as write, progress_bar("deals") as report:
        for hands, tried in chain((first,), parts):
            write(
                board_frame(
                    hands,
                    f"random:{options.seed}",
                    first=found + 1,
                    dealer=dealer,
                    vulnerability=sides,
                )
            )
            found += hands.shape[1]
            report(found, options.count, tried)
        if found < options.count:
            raise InvalidInput(
                f"expected {options.count:,} deals where {', '.join(options.where)}, got "
                f"{found:,} among {tried:,}; --most lets more be looked at"
            )
    shared.note(f"{options.count:,} of {tried:,} deals looked at")
    shared.note_written(options.count, "deal", options.out)


def _about_the_board(options: argparse.Namespace) -> str:
    """Term of a condition that asks for the seat or the vulnerability, which boards change."""
    from bidcascade.table import parse_expression
    from bidcascade.table.language.expression_tree import terms_of

    for text in options.where:
        for term in terms_of(parse_expression(text)):
            if term.rpartition("_")[0] in ("Seat", "Vul_We", "Vul_They"):
                return term
    return ""
