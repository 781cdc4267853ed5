"""Commands ``system`` and ``explain``: bidding systems as text."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .options import (
    add_json_option,
    check_place_of_table,
    note,
    print_json,
    read_text,
    whole_number,
)

if TYPE_CHECKING:
    from bidcascade.systems.check import PlaceShares, SystemCheck
    from bidcascade.systems.compile import Progress
    from bidcascade.systems.diff import SystemDiff
    from bidcascade.systems.system import System

_SYSTEM_HELP = "a system's name (sayc, acol, …) or a *.bidding file"
_BAD_INPUT = 2
_FINDINGS_SHOWN = 10


def configure_system(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``system`` and of what it can do."""
    actions = parser.add_subparsers(
        dest="action", metavar="ACTION", required=True, parser_class=type(parser)
    )
    show = actions.add_parser("show", help="the lines at one place, in the order they are tried")
    _add_system(show)
    show.add_argument("auction", nargs="?", default="", metavar="AUCTION", help="such as '1N P'")
    add_json_option(show)
    show.set_defaults(handler=show_place)

    check = actions.add_parser("check", help="shares of every line, overlaps, gaps, dead lines")
    _add_system(check)
    check.add_argument(
        "--at", action="append", default=[], metavar="AUCTION", dest="auctions",
        help="a place such as '1N P', any number of times (default: the opening call)",
    )  # fmt: skip
    _add_sample(check, 20_000)
    add_json_option(check)
    check.set_defaults(handler=check_places)

    lint = actions.add_parser("lint", help="gaps, double claims, dead lines, asymmetries")
    _add_system(lint)
    _add_sample(lint, 50_000)
    add_json_option(lint)
    lint.set_defaults(handler=lint_system)

    fmt = actions.add_parser("fmt", help="lay the text out in the usual way")
    fmt.add_argument("files", nargs="+", metavar="FILE", help="*.bidding; - reads and writes text")
    fmt.add_argument("--check", action="store_true", help="only tell, exit code 2 if any changes")
    fmt.set_defaults(handler=format_files)

    test = actions.add_parser("test", help="bid the cases of a *.cases or JSON Lines file")
    _add_system(test)
    test.add_argument("cases", nargs="*", metavar="FILE", help="(default: those beside the system)")
    test.add_argument("--quiet", action="store_true", help="groups only, no misses")
    add_json_option(test)
    test.set_defaults(handler=test_system)

    diff = actions.add_parser("diff", help="which auctions a change of the text changes")
    diff.add_argument("old", metavar="OLD", help=_SYSTEM_HELP)
    diff.add_argument("new", metavar="NEW", help=_SYSTEM_HELP)
    _add_options(diff)
    _add_sample(diff, 100_000)
    diff.add_argument(
        "--show", type=whole_number(1), default=20, metavar="N", help="changes listed"
    )
    add_json_option(diff)
    diff.set_defaults(handler=diff_systems)

    make = actions.add_parser("compile", help="a system -> bidding table, grown by random deals")
    _add_system(make)
    make.add_argument("--out", required=True, metavar="DIR", help="folder for the table")
    make.add_argument("--overwrite", action="store_true", help="replace a table that is there")
    make.add_argument("--opponents", metavar="SYSTEM", help="what the other side plays")
    _add_sample(make, 20_000)
    add_json_option(make)
    make.set_defaults(handler=compile_system)


def configure_explain(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``explain``."""
    parser.add_argument("auction", metavar="AUCTION", help="such as '1N P 2D P'")
    parser.add_argument("--table", default="sayc", metavar="SYSTEM", help=_SYSTEM_HELP)
    parser.add_argument("--opponents", metavar="SYSTEM", help="what the other side plays")
    _add_options(parser)
    add_json_option(parser)
    parser.set_defaults(handler=explain)


def _add_system(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("system", metavar="SYSTEM", help=_SYSTEM_HELP)
    _add_options(parser)


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME",
        help="turn an option of the text on; NAME=off turns it off",
    )  # fmt: skip


def _add_sample(parser: argparse.ArgumentParser, deals: int, *, least: int | None = 1) -> None:
    parser.add_argument(
        "--deals", type=whole_number(1), default=deals, metavar="N",
        help=f"random deals that are bid (default: {deals})",
    )  # fmt: skip
    parser.add_argument("--seed", type=whole_number(0), default=2026, metavar="S")
    parser.add_argument(
        "--least", type=whole_number(1), default=least, metavar="K",
        help="leave out places that fewer deals reach (default: "
        + ("one in 20,000 of them)" if least is None else f"{least})"),
    )  # fmt: skip


def _open(name: str, options: argparse.Namespace) -> "System":
    from bidcascade.systems.system import System

    chosen = {}
    for word in options.option:
        key, _, value = word.partition("=")
        chosen[key] = value.lower() not in ("off", "no", "0", "false")
    return System.open(name, options=chosen)


def _progress() -> "Callable[[Progress], None] | None":
    """Show each depth on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        return None

    def tell(done: "Progress") -> None:
        sys.stderr.write(
            f"\rcall {done.depth + 1}: {done.open_places:,} places open, "
            f"{done.places:,} done, {done.entries:,} entries   "
        )
        sys.stderr.flush()

    return tell


def _end_progress() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\n")


# --- show ---------------------------------------------------------------------------------------


def show_place(options: argparse.Namespace) -> int:
    """List the lines of one place with their conditions."""
    from bidcascade.bridge import format_call
    from bidcascade.systems.describing import agreements_of
    from bidcascade.table import format_expression

    system = _open(options.system, options)
    place = system.expand(options.auction)
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
        print_json({"auction": options.auction, "forced": place.forced, "lines": rows})
        return 0
    for row in rows:
        said = ", ".join(row["criteria"]) or "any hand"
        agreed = f"; {', '.join(row['agreements'])}" if row["agreements"] else ""
        print(f"{row['call']:3} {row['name']}: {said}{agreed}  [{row['where']}]")
    if not rows:
        print("no line of the system applies here: pass")
    return 0


# --- check and lint -----------------------------------------------------------------------------


def check_places(options: argparse.Namespace) -> int:
    """Print chosen and fitting shares of places, and findings."""
    found = _checked(options, options.auctions or [""])
    if options.json:
        _print_check(found)
        return 0
    for place in found.places:
        _print_place(place, found.deals)
    missing = len(options.auctions or [""]) - len(found.places)
    if missing:
        note(f"{missing} of the places asked for came up on none of {found.deals:,} deals")
    for kind, count in _kinds(found).items():
        print(f"{count} of kind {kind!r} (bidcascade system lint shows them)")
    return 0


def _checked(options: argparse.Namespace, auctions: Sequence[str]) -> "SystemCheck":
    from bidcascade.systems.check import check_system

    system = _open(options.system, options)
    found = check_system(
        system, deals=options.deals, seed=options.seed, auctions=auctions, least=options.least,
        progress=_progress(),
    )  # fmt: skip
    _end_progress()
    return found


def _kinds(found: "SystemCheck") -> dict[str, int]:
    kinds: dict[str, int] = {}
    for finding in found.findings:
        kinds[finding.kind] = kinds.get(finding.kind, 0) + 1
    return kinds


def _print_place(place: "PlaceShares", deals: int) -> None:
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


def _print_check(found: "SystemCheck") -> None:
    from dataclasses import asdict

    print_json(asdict(found))


def lint_system(options: argparse.Namespace) -> int:
    """Print every finding of a system on random deals."""
    found = _checked(options, [])
    if options.json:
        _print_check(found)
        return 0
    print(
        f"{options.system}: {found.deals:,} deals, {found.expanded:,} places, "
        f"{found.entries:,} entries"
    )
    kind = ""
    shown = 0
    for finding in found.findings:
        if finding.kind != kind:
            if shown > _FINDINGS_SHOWN:
                print(f"  … and {shown - _FINDINGS_SHOWN} more (--json lists all)")
            kind, shown = finding.kind, 0
            print(f"{kind}:")
        shown += 1
        if shown <= _FINDINGS_SHOWN:
            examples = f" ({'; '.join(finding.examples)})" if finding.examples else ""
            print(f"  {finding.deals:7,} deals  {finding.text}{examples}")
    if shown > _FINDINGS_SHOWN:
        print(f"  … and {shown - _FINDINGS_SHOWN} more (--json lists all)")
    return 0


# --- fmt ----------------------------------------------------------------------------------------


def format_files(options: argparse.Namespace) -> int:
    """Lay out files in place, or standard input to standard output."""
    from bidcascade.systems.language.formatter import format_system_text

    changed = 0
    for name in options.files:
        text = read_text(name)
        laid_out = format_system_text(text)
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


# --- test ---------------------------------------------------------------------------------------


def test_system(options: argparse.Namespace) -> int:
    """Bid cases and print the misses by group; exit code 2 if there are any."""
    from bidcascade.bridge import InvalidInput, format_calls
    from bidcascade.systems.cases import CaseReport, read_cases, run_cases

    system = _open(options.system, options)
    files = [Path(name) for name in options.cases] or list(_cases_beside(system))
    if not files:
        raise InvalidInput(f"expected a *.cases file beside {options.system!r}, found none")
    cases = [case for path in files for case in read_cases(path)]
    report = CaseReport(tuple(run_cases(system, cases)))
    if options.json:
        print_json(
            {
                "right": report.right,
                "cases": len(report.results),
                "groups": {name: list(value) for name, value in report.groups().items()},
                "misses": [
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
                ],
            }
        )
    else:
        for line in report.lines(misses=not options.quiet):
            print(line)
    return 0 if report.right == len(report.results) else _BAD_INPUT


def _cases_beside(system: "System") -> Iterator[Path]:
    for path, _ in system.text.files[:1]:
        beside = path.with_suffix(".cases")
        if beside.is_file():
            yield beside


# --- diff ---------------------------------------------------------------------------------------


def diff_systems(options: argparse.Namespace) -> int:
    """List where two texts bid the same deals differently."""
    from dataclasses import asdict

    from bidcascade.systems.diff import diff_systems as compare

    old, new = _open(options.old, options), _open(options.new, options)
    found = compare(old, new, deals=options.deals, seed=options.seed, progress=_progress())
    if options.json:
        print_json(asdict(found))
    else:
        _print_diff(found, options.show)
    return 0


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


# --- compile and explain ------------------------------------------------------------------------


def compile_system(options: argparse.Namespace) -> int:
    """Compile a system and save the table."""
    from bidcascade.systems.compile import compile_system as grow
    from bidcascade.table.storage import save

    out = Path(options.out)
    check_place_of_table(out, overwrite=options.overwrite)
    opponents = _open(options.opponents, options) if options.opponents else None
    table = grow(
        _open(options.system, options), deals=options.deals, seed=options.seed,
        least=options.least, opponents=opponents, progress=_progress(),
    )  # fmt: skip
    _end_progress()
    save(table, out, overwrite=options.overwrite)
    told = {
        "table": str(out),
        "entries": len(table),
        "digest": table.digest,
        "source": table.source,
    }
    if options.json:
        print_json(told)
    else:
        grown = f"{len(table):,} entries from {options.deals:,} deals"
        print(f"{out}: {grown}, digest {table.digest[:16]}")
    return 0


def explain(options: argparse.Namespace) -> int:
    """Explain an auction call by call."""
    from bidcascade.systems.explanation import explain_auction

    system = _open(options.table, options)
    opponents = _open(options.opponents, options) if options.opponents else None
    found = explain_auction(system, options.auction, opponents)
    if options.json:
        print_json(json.loads(json.dumps(found.to_dict())))
        return 0
    for call in found.calls:
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
    return 0
