"""Commands ``system`` and ``explain``: bidding systems as text."""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import MISSING, replace
from itertools import groupby, pairwise
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from bidcascade.engine.questions.bidding.bids import PlaceQuestion
from bidcascade.engine.questions.bidding.explaining import (
    ExplainQuestion,
    explain_answer,
    read_explain,
)
from bidcascade.engine.questions.parts.answer_fields import plain
from bidcascade.engine.questions.systems import SystemCheckRequest, SystemDiffRequest
from bidcascade.service.cli import shared
from bidcascade.service.cli.flags import add_flags, question_of
from bidcascade.service.cli.outputs import add_table_output

from .book import configure_book
from .card import configure_card
from .notations import configure_notations
from .prices import configure_prices
from .signs import add_sign_options, print_signs, signs_of
from .stronger import lost_by_strength, print_lines, print_rates
from .tune import configure_tune

if TYPE_CHECKING:
    from bidcascade.kernels import DealArrays
    from bidcascade.kernels.types import I8
    from bidcascade.systems.checking.check import PlaceShares, SystemCheck
    from bidcascade.systems.checking.diff import SystemDiff
    from bidcascade.systems.system import System
    from bidcascade.systems.tables.compile import CompileProgress
    from bidcascade.systems.words.explanation import ExplainedCall
    from bidcascade.workshop.boards.doctor import Examiner

_SYSTEM_HELP = "a system's name (sayc, acol, …) or a *.bidding file"
_BAD_INPUT = 2
_OF_TEXTS = ("double meaning", "long condition")
"""Kinds of findings that no deal is needed for."""
_FINDINGS_SHOWN = 10
_LINES_SHOWN = 30
_LOSING_SHOWN = 10
_SEARCHED = 100
_EXAMINED = 20_000
_FIRST_PART = 50
_SAMPLE = ("deals", "seed", "least")
"""Fields of a question that say which deals are bid."""


def configure_system(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``system`` and of what it can do."""
    action = shared.actions_of(parser)
    show = action("show", "the lines at one place, in the order they are tried", show_place)
    _add_system(show)
    _add_opponents(show)
    add_flags(show, PlaceQuestion)

    check = action("check", "shares of every line, overlaps, gaps, dead lines", check_places)
    _add_system(check)
    _add_opponents(check, "; whole boards are bid by the system at all seats")
    add_flags(check, SystemCheckRequest, deals=20_000)
    add_sign_options(check)

    sanity = action("sanity", "how often whole boards show what no pair wants", count_signs)
    _add_system(sanity)
    add_flags(sanity, SystemCheckRequest, "deals", "seed", deals=100_000)
    add_sign_options(sanity)

    lint = action(
        "lint",
        "gaps, double claims and meanings, dead lines, asymmetries, long conditions",
        lint_system,
    )
    _add_system(lint)
    _add_opponents(lint, "; its lines are not looked at")
    add_flags(lint, SystemCheckRequest, *_SAMPLE, deals=50_000)

    strong = action("strong-hands", "strong hands that a line leaves below game", list_strong_hands)
    _add_system(strong)
    add_flags(strong, SystemCheckRequest, "deals", "seed", deals=100_000)
    strong.add_argument(
        "--show",
        type=shared.whole_number(1),
        default=_LINES_SHOWN,
        metavar="N",
        help=f"lines listed (default: {_LINES_SHOWN})",
    )

    stronger = action(
        "stronger",
        "games, slams and bids that are lost with better cards",
        list_lost_by_strength,
    )
    _add_system(stronger)
    add_flags(stronger, SystemCheckRequest, "deals", "seed", deals=15_000)
    stronger.add_argument(
        "--show",
        type=shared.whole_number(0),
        default=_LOSING_SHOWN,
        metavar="N",
        help=f"lines listed of each rate (default: {_LOSING_SHOWN})",
    )

    choices = action("options", "options of the text, and which of them are played", list_options)
    _add_system(choices)

    fmt = action("fmt", "lay the text out in the usual way", format_files, json=False)
    fmt.add_argument("files", nargs="+", metavar="FILE", help="*.bidding; - reads and writes text")
    fmt.add_argument("--check", action="store_true", help="only tell, exit code 2 if any changes")

    test = action("test", "bid the cases of a *.cases or JSON Lines file", test_system)
    _add_system(test)
    test.add_argument("cases", nargs="*", metavar="FILE", help="(default: those beside the system)")
    test.add_argument("--quiet", action="store_true", help="groups only, no misses")

    diff = action("diff", "which auctions a change of the text changes", diff_systems)
    diff.add_argument("old", metavar="OLD", help=_SYSTEM_HELP)
    diff.add_argument("new", metavar="NEW", help=_SYSTEM_HELP)
    shared.add_system_option(diff)
    add_flags(diff, SystemDiffRequest, deals=100_000)
    add_flags(diff, SystemCheckRequest, "least")

    doctor = action("doctor", "calls that lose to others of their place, double dummy", ask_doctor)
    _add_system(doctor)
    doctor.add_argument(
        "--deals",
        type=shared.whole_number(1),
        metavar="N",
        help=f"random deals (default: {_EXAMINED:,})",
    )
    doctor.add_argument(
        "--from", dest="source", metavar="FILE", help=f"deals of a file instead {shared.AS_LOAD}"
    )
    doctor.add_argument(
        "--seed",
        type=shared.whole_number(0),
        metavar="S",
        help="of the deals (default: that of the bank)",
    )
    shared.add_bank_option(doctor)
    shared.add_workers_option(doctor, "; tables that are solved are kept")
    doctor.add_argument(
        "--least",
        type=shared.whole_number(4),
        default=60,
        metavar="K",
        help="decisions that a finding is made of (default: 60)",
    )
    doctor.add_argument(
        "--show", type=shared.whole_number(1), default=30, metavar="N", help="findings listed"
    )

    search = action("search", "lines to which a search prefers other calls", ask_search)
    _add_system(search)
    search.add_argument(
        "--deals",
        type=shared.whole_number(1),
        default=_SEARCHED,
        metavar="N",
        help=f"random deals (default: {_SEARCHED})",
    )
    search.add_argument(
        "--seed",
        type=shared.whole_number(0, 2**63 - 1),
        default=1,
        metavar="S",
        help="of the deals (default: 1)",
    )
    search.add_argument(
        "--layouts",
        type=shared.whole_number(1),
        metavar="N",
        help="on which each decision is searched (default: 64)",
    )
    search.add_argument(
        "--least",
        type=shared.whole_number(1),
        default=1,
        metavar="K",
        help="decisions that a proposal is made of (default: 1)",
    )
    search.add_argument(
        "--show", type=shared.whole_number(1), default=30, metavar="N", help="proposals listed"
    )

    configure_prices(action, _SYSTEM_HELP)
    configure_card(action, _SYSTEM_HELP)
    configure_book(action, _SYSTEM_HELP)
    configure_notations(action, _SYSTEM_HELP)
    configure_tune(action, _SYSTEM_HELP)

    make = action("compile", "a system -> bidding table, grown by random deals", compile_system)
    _add_system(make)
    add_table_output(make)
    _add_opponents(make)
    add_flags(make, SystemCheckRequest, *_SAMPLE, deals=20_000)


def configure_explain(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``explain``."""
    add = parser.add_argument
    # without calls there is nothing to explain
    add_flags(parser, ExplainQuestion, auction=MISSING)
    add("--table", default="sayc", metavar="SYSTEM", help=_SYSTEM_HELP)
    _add_opponents(parser)
    shared.add_system_option(parser)
    shared.add_json_option(parser)


def _add_system(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("system", metavar="SYSTEM", help=_SYSTEM_HELP)
    shared.add_system_option(parser)


def _add_opponents(parser: argparse.ArgumentParser, more: str = "") -> None:
    parser.add_argument("--opponents", metavar="SYSTEM", help=f"what the other side plays{more}")


def _open(options: argparse.Namespace, *names: str) -> "list[System]":
    """Open the systems that the arguments name, with the options that are meant for each."""
    from bidcascade.systems import open_system

    chosen = shared.chosen_options(options, *names)
    return [open_system(name, options=one) for name, one in zip(names, chosen, strict=True)]


def _open_both(options: argparse.Namespace, name: str) -> "tuple[System, System | None]":
    """Open a system and that of the other side, if one is named."""
    system, *others = _open(options, name, *filter(None, [options.opponents]))
    return system, others[0] if others else None


@contextmanager
def _progress() -> "Iterator[Callable[[CompileProgress], None]]":
    """Show each depth on a terminal; elsewhere a line a minute."""
    from bidcascade.engine.runs.progress import ProgressLines

    lines = None if sys.stderr.isatty() else ProgressLines("system")

    def report(done: "CompileProgress") -> None:
        text = (
            f"call {done.depth + 1}: {done.open_places:,} places open, "
            f"{done.places:,} done, {done.entries:,} entries"
        )
        if lines is not None:
            lines.write(text)
            return
        sys.stderr.write(f"\r{text}   ")
        sys.stderr.flush()

    try:
        yield report
    finally:
        # also where it is interrupted: what follows begins a line
        if lines is None:
            sys.stderr.write("\n")


def show_place(options: argparse.Namespace) -> None:
    """List the lines of one place with their conditions."""
    from bidcascade.bridge import format_call
    from bidcascade.systems.words.describing import agreements_of
    from bidcascade.table import format_expression

    system, opponents = _open_both(options, options.system)
    place = system.expand(options.auction, opponents)
    rows: list[dict[str, Any]] = [
        {
            "call": format_call(entry.call),
            "name": entry.name,
            "criteria": [format_expression(one) for one in entry.criteria],
            "agreements": list(agreements_of(entry)),
            "where": str(entry.where),
        }
        for entry in place.entries
    ]
    if options.json:
        shared.print_json({"auction": options.auction, "forced": place.forced, "lines": rows})
        return
    for row in rows:
        criteria = ", ".join(row["criteria"]) or "any hand"
        agreed = f"; {', '.join(row['agreements'])}" if row["agreements"] else ""
        print(f"{row['call']:3} {row['name']}: {criteria}{agreed}  [{row['where']}]")
    if not rows:
        print("no line of the system applies here: pass")


def list_options(options: argparse.Namespace) -> None:
    """List the options of a system's text, those that are played and those that are not."""
    from bidcascade.systems.language.reading.options import option_rows

    (system,) = _open(options, options.system)
    rows = option_rows(system.text)
    if options.json:
        shared.print_json({"system": options.system, "options": rows})
        return
    if not rows:
        print("a text without options")
        return
    titles = {row["name"]: row["title"] for row in rows}
    shared.print_table(
        ("option", "is", "what players call it", "what it is", "with"),
        [
            (
                row["name"],
                "on" if row["on"] else "off",
                row["title"],
                row["about"],
                ", ".join(
                    f"{'' if is_on else 'without '}{titles.get(one, one)}"
                    for one, is_on in row["within"].items()
                ),
            )
            for row in rows
        ],
    )


def check_places(options: argparse.Namespace) -> None:
    """Print chosen and fitting shares of places, findings, and what whole boards show."""
    from bidcascade.bridge import format_calls
    from bidcascade.systems.places.turn_context import auction_calls
    from bidcascade.workshop.boards.scored_boards import Budget

    budget = shared.read_argument(Budget.parse, options.dd_budget or "0")
    places = options.auctions or [""]
    system, opponents = _open_both(options, options.system)
    found = _checked(system, opponents, options, places)
    signs = signs_of(system, options, budget)
    lost = lost_by_strength(system, options)
    if options.json:
        shared.print_json({**plain(found), "sanity": signs, "stronger": lost.rates})
        return
    for place in found.places:
        _print_place(place)
    met = {place.auction for place in found.places}
    for place in places:
        if format_calls(auction_calls(place)) not in met:
            named = repr(place) if place else "the opening"
            shared.note(f"place {named} came up on none of {found.deals:,} deals")
    for kind, count in Counter(finding.kind for finding in found.findings).items():
        print(f"{count} of kind {kind!r} (bidcascade system lint shows them)")
    print_signs(signs, options)
    print_rates(lost)


def _checked(
    system: "System",
    opponents: "System | None",
    options: argparse.Namespace,
    auctions: Sequence[str],
) -> "SystemCheck":
    from bidcascade.systems.checking.check import check_system

    with _progress() as progress:
        return check_system(
            system,
            deals=options.deals,
            seed=options.seed,
            auctions=auctions,
            least=options.least,
            opponents=opponents,
            progress=progress,
        )


def _print_place(place: "PlaceShares") -> None:
    print(f"after {place.auction}" if place.auction else "opening", f"({place.deals:,} deals)")
    print("  call  chosen %   fits %  line")
    for line in place.lines:
        takers = ", ".join(
            f"{100 * count / place.deals:.2f} by {name}"
            for name, count in list(line.taken.items())[:3]
        )
        print(
            f"  {line.call:4} {100 * line.chosen / place.deals:9.2f} "
            f"{100 * line.fits / place.deals:8.2f}  {line.name} [{line.where}]"
            + (f"  taken: {takers}" if takers else "")
        )
    word = "a gap: partner's call is forcing" if place.forced else "pass by default"
    if place.default_pass or not place.forced:
        print(f"  -    {100 * place.default_pass / place.deals:9.2f}           {word}")


def lint_system(options: argparse.Namespace) -> None:
    """Print every finding of a system on random deals."""
    system, opponents = _open_both(options, options.system)
    found = _checked(system, opponents, options, [])
    if options.json:
        shared.print_json(found)
        return
    print(
        f"{options.system}: {found.deals:,} deals, {found.expanded:,} places, "
        f"{found.entries:,} entries"
    )
    for kind, group in groupby(found.findings, lambda finding: finding.kind):
        findings = list(group)
        print(f"{kind}:")
        for finding in findings[:_FINDINGS_SHOWN]:
            examples = f" ({'; '.join(finding.examples)})" if finding.examples else ""
            counted = "" if kind in _OF_TEXTS else f"{finding.deals:7,} deals  "
            print(f"  {counted}{finding.text}{examples}")
        if len(findings) > _FINDINGS_SHOWN:
            print(f"  … and {len(findings) - _FINDINGS_SHOWN} more (--json lists all)")


def count_signs(options: argparse.Namespace) -> None:
    """Print how often whole boards, bid by a system at all seats, show what no pair wants."""
    from bidcascade.workshop.boards.scored_boards import Budget

    budget = shared.read_argument(Budget.parse, options.dd_budget or "0")
    (system,) = _open(options, options.system)
    signs = signs_of(system, options, budget)
    if options.json:
        shared.print_json({"system": system.name, "deals": options.deals, "sanity": signs})
        return
    print_signs(signs, options)


def list_strong_hands(options: argparse.Namespace) -> None:
    """List the lines that leave strong hands below game."""
    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.systems.tables.compile import Sample
    from bidcascade.workshop.boards.strong_hands import strong_hands

    (system,) = _open(options, options.system)
    deals = Sample.random(options.deals, seed=options.seed).deals
    with progress_bar("strong hands") as bar:
        found = strong_hands(system, deals, progress=lambda done, total: bar(done, total, done))
    if options.json:
        shared.print_json(found)
        return
    calls, stopped = (
        sum(getattr(one, name) for one in found.lines) for name in ("calls", "stopped")
    )
    print(
        f"{options.system}: {found.deals:,} deals, {calls:,} calls below game with 25 points "
        f"together, {stopped:,} auctions stopped there"
    )
    print(f"passed over a forcing call: {found.passed:,} of {found.due:,} deals with one")
    shared.print_table(
        ("stopped", "calls", "points", "line", "strongest hand"),
        [
            (
                f"{one.stopped:,}",
                f"{one.calls:,}",
                f"{one.points} + {one.least}",
                f"{one.name} {one.line}".strip() or "no line",
                f"{one.hand} : {one.auction} -> {one.call}",
            )
            for one in found.lines[: options.show]
        ],
    )


def list_lost_by_strength(options: argparse.Namespace) -> None:
    """Print what is lost with better cards, and the lines that lose it."""
    (system,) = _open(options, options.system)
    found = lost_by_strength(system, options)
    if options.json:
        shared.print_json({"system": system.name, **found._asdict()})
        return
    print_rates(found)
    print_lines(found, options.show)


def ask_doctor(options: argparse.Namespace) -> int:
    """List calls that would have done better than those that lines made."""
    shared.check_source(options)
    from bidcascade.inference.double_dummy.solved_deals import BANK_SEED
    from bidcascade.service.cli import DONE, INTERRUPTED
    from bidcascade.service.cli.matches.matches import match_deals
    from bidcascade.workshop.boards.doctor import Examiner

    (system,) = _open(options, options.system)
    deals, tables = match_deals(
        options.source,
        options.bank,
        options.deals or _EXAMINED,
        BANK_SEED if options.seed is None else options.seed,
    )
    examiner, code = Examiner(system), DONE
    try:
        _examine(examiner, deals, tables, options.workers)
    except KeyboardInterrupt:
        # what was looked at is told; without it there is nothing to tell
        if not examiner.deals:
            options.interruption_hint = shared.SOLVED_STAY
            raise
        code = INTERRUPTED
        shared.note(f"interrupted: the findings of {examiner.deals:,} of {len(deals):,} deals")
    found = examiner.findings(options.least)
    if options.json:
        shared.print_json(found)
        return code
    print(
        f"{found.name}: {found.decisions:,} decisions on {found.deals:,} deals, "
        f"{found.alternatives:,} other calls bid to the end"
    )
    shared.print_table(
        ("IMPs a deal", "of deals", "gain", "unseen", "line", "instead", "with"),
        [
            (
                f"{one.imps:+.4f}",
                f"{100 * one.share:.2f} %",
                f"{one.found.mean:+.2f}",
                f"{one.unseen.mean:+.2f} ± {1.96 * one.unseen.error:.2f}",
                f"{one.line.name} {one.line.where}",
                f"{'/'.join(one.calls[:3])} {one.instead.name} {one.instead.where}",
                one.when or "any hand",
            )
            for one in found.regrets[: options.show]
        ],
    )
    return code


def ask_search(options: argparse.Namespace) -> None:
    """List lines to which a search prefers other calls."""
    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.loaders import deal_arrays, random_deals
    from bidcascade.seats.search_player import MATCH_LAYOUTS, SearchPlayer
    from bidcascade.workshop.tuning.search_proposals import propose

    (system,) = _open(options, options.system)
    player = SearchPlayer(system, layouts=options.layouts or MATCH_LAYOUTS)
    deals = deal_arrays(random_deals(options.deals, options.seed))
    with progress_bar("search") as bar:
        found = propose(
            player, deals, least=options.least, progress=lambda done, total: bar(done, total, done)
        )
    if options.json:
        shared.print_json(found)
        return
    print(
        f"{found.name}: {found.decisions:,} decisions on {found.deals:,} deals, "
        f"{found.differing:,} of them called otherwise after a search on {found.layouts} layouts"
    )
    shared.print_table(
        ("IMPs a deal", "decisions", "gain", "line", "call", "instead", "after"),
        [
            (
                f"{one.imps:+.4f}", f"{one.decisions:,}",
                f"{one.gain:+.2f}" + ("" if one.error is None else f" ± {1.96 * one.error:.2f}"),
                f"{one.line.name} {one.line.where}".strip() or "no line", one.own, one.instead,
                "; ".join(place or "opening" for place in one.places),
            )
            for one in found.proposals[: options.show]
        ],
    )  # fmt: skip


def _examine(
    examiner: "Examiner", deals: "DealArrays", tables: "I8 | None", workers: int | None
) -> None:
    """Solve deals and look at them part by part, and say how long it takes."""
    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.inference.double_dummy.pool import DoubleDummyPool
    from bidcascade.inference.double_dummy.table_cache import solved_tables, user_tables
    from bidcascade.workshop.boards.doctor import PART_DEALS

    count, cache = len(deals), user_tables()
    to_solve = tables is None or bool((tables < 0).any())
    known = int((cache.find(deals.hands)[:, 0] >= 0).sum()) if to_solve else count
    shared.note(
        f"{count:,} deals, {known:,} of them solved before; tables are kept for the next run, and "
        "Ctrl-C ends with the findings so far"
    )
    missing = count - known
    solving = looking = 0.0
    solved_now, is_noted = 0, False
    with ExitStack() as stack:
        pool = stack.enter_context(DoubleDummyPool(workers)) if to_solve else None
        bar = stack.enter_context(progress_bar("doctor"))
        # a first small part tells what the others take
        edges = [0, *range(min(_FIRST_PART, count), count, PART_DEALS), count]
        for start, stop in pairwise(edges):
            part, began = deals.slice(start, stop), monotonic()
            if pool is None:
                assert tables is not None
                solved = tables[start:stop]
            else:
                solved_now += int((cache.find(part.hands)[:, 0] < 0).sum())
                solved = solved_tables(part.hands, pool, cache)
            solving, began = solving + monotonic() - began, monotonic()
            examiner.look_at(part, solved)
            looking += monotonic() - began
            bar(stop, count, stop)
            # what solving takes is known once a deal was solved
            if not is_noted and stop < count and (solved_now or not missing):
                left = looking / stop * (count - stop)
                left += solving / max(solved_now, 1) * (missing - solved_now)
                shared.note(f"about {left / 60:.1f} minutes for the others")
                is_noted = True


def format_files(options: argparse.Namespace) -> int:
    """Lay out files in place, or standard input to standard output."""
    from bidcascade.bridge import InvalidSystem
    from bidcascade.systems.language.editing.formatter import format_system_text
    from bidcascade.systems.language.errors import invalid_system

    changed = 0
    for name in options.files:
        text = shared.read_text(name)
        try:
            laid_out = format_system_text(text)
        except InvalidSystem as error:
            # the layout knows no files
            file = "standard input" if name == "-" else name
            raise invalid_system(
                replace(one, where=replace(one.where, file=file)) for one in error.complaints
            ) from None
        if name == "-":
            sys.stdout.write(laid_out)
            continue
        if laid_out == text:
            continue
        changed += 1
        if options.check:
            print(f"{name}: not laid out in the usual way")
        else:
            Path(name).write_text(laid_out, encoding="utf-8")
            print(f"{name}: laid out")
    return _BAD_INPUT if options.check and changed else 0


def test_system(options: argparse.Namespace) -> int:
    """Bid cases and print the misses by group; exit code 2 if there are any."""
    from bidcascade.bridge import InvalidInput, format_calls
    from bidcascade.systems.checking.cases import CaseReport, read_cases, run_cases

    (system,) = _open(options, options.system)
    beside = [path.with_suffix(".cases") for path, _ in system.text.files[:1]]
    files = [Path(name) for name in options.cases] or [path for path in beside if path.is_file()]
    if not files:
        raise InvalidInput(f"expected a *.cases file beside {options.system!r}, found none")
    read = [case for path in files for case in read_cases(path)]
    report = CaseReport(tuple(run_cases(system, read)))
    if options.json:
        misses = [
            {
                "group": result.case.group,
                "hand": result.case.hand,
                "auction": format_calls(result.case.auction),
                "expected": format_calls(result.case.expected),
                "bid": format_calls(result.got),
                "rule": result.rule,
                "where": str(result.case.where),
            }
            for result in report.results
            if not result.right
        ]
        groups = {name: list(value) for name, value in report.groups().items()}
        cases = len(report.results)
        shared.print_json(
            {"right": report.right, "cases": cases, "groups": groups, "misses": misses}
        )
    else:
        for line in report.lines(misses=not options.quiet):
            print(line)
    return 0 if report.right == len(report.results) else _BAD_INPUT


def diff_systems(options: argparse.Namespace) -> None:
    """List where two texts bid the same deals differently."""
    from bidcascade.systems.checking.diff import diff_systems as compare

    old, new = _open(options, options.old, options.new)
    with _progress() as progress:
        found = compare(old, new, deals=options.deals, seed=options.seed, progress=progress)
    if options.json:
        shared.print_json(found)
    else:
        _print_diff(found, options.show)


def _print_diff(found: "SystemDiff", most: int) -> None:
    print(
        f"{found.changed:,} of {found.deals:,} deals are bid differently "
        f"({100 * found.changed / found.deals:.3f} %), at {len(found.changes):,} places"
    )
    for change in found.changes[:most]:
        place = f"after {change.auction}" if change.auction else "opening"
        print(f"{change.deals:9,}  {place}: {change.old} -> {change.new}")
        print(f"           was {change.old_rule}; is {change.new_rule}")
        print(f"           e.g. {', '.join(change.examples)}")
    if len(found.changes) > most:
        print(f"… and {len(found.changes) - most} more places")


def compile_system(options: argparse.Namespace) -> None:
    """Compile a system and save the table."""
    from bidcascade.systems.tables.compile import compile_system as grow

    out = Path(options.out)
    system, opponents = _open_both(options, options.system)
    with _progress() as progress:
        table = grow(
            system,
            deals=options.deals,
            seed=options.seed,
            least=options.least,
            opponents=opponents,
            progress=progress,
        )
    table.save(out, overwrite=options.force)
    report = {
        "table": str(out),
        "entries": len(table),
        "digest": table.digest,
        "source": table.source,
    }
    grown = f"{len(table):,} entries from {options.deals:,} deals"
    shared.print_answer(options, report, f"{out}: {grown}, digest {table.digest[:16]}")


def _in_runs(calls: "Sequence[ExplainedCall]") -> "list[list[ExplainedCall]]":
    """Take the calls that the system has no line for together, whatever passes stand between."""
    runs: list[list[ExplainedCall]] = []
    unknown: list[ExplainedCall] | None = None
    for call in calls:
        if not call.known and unknown is not None:
            unknown.append(call)
            continue
        runs.append([call])
        if not call.known:
            unknown = runs[-1]
        elif call.call != "P":
            unknown = None
    return runs


def explain(options: argparse.Namespace) -> None:
    """Explain an auction call by call."""
    from bidcascade.systems.words.explanation import explain_auction

    system, opponents = _open_both(options, options.table)
    asked = read_explain(question_of(ExplainQuestion, options))
    found = explain_auction(
        system,
        asked.calls,
        opponents,
        dealer=asked.dealer,
        vulnerability=asked.vulnerability,
    )
    if options.json:
        # one text here, a list over REST
        shared.print_json({**plain(explain_answer(found)), "auction": found.auction})
        return
    for run in _in_runs(found.calls):
        if len(run) > 1:
            calls = " ".join(call.call for call in run)
            print(f"{calls}  No agreement about these {len(run)} calls")
            continue
        (call,) = run
        print(f"{call.call:3} {call.sentence}")
        if len(call.hand_types) > 1:
            for one in call.hand_types:
                print(f"      {100 * one.share:5.1f} %  {one.name} [{one.where}]")
    if found.game_forced:
        print("Both are forced to game.")
    elif found.forced:
        print("The next player may not pass.")
    if found.agreed_suit:
        print(f"Trumps: {found.agreed_suit}.")
    if found.next_calls:
        offered = ", ".join(f"{one['call']} {one['name']}".strip() for one in found.next_calls)
        print(f"Now: {offered}")
