"""``deals`` of scripts and themes: their actions printed, or sets written to a file."""

import argparse
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bidcascade.bridge import Seat, Vulnerability, parse_seat, parse_vulnerability
from bidcascade.engine.runs.deal_files import deal_sink
from bidcascade.engine.runs.progress import progress_bar
from bidcascade.inference.scenarios.actions import written
from bidcascade.inference.scenarios.deal_sets import (
    DealSet,
    DealSetPart,
    make_set,
    parts_of_conditions,
    parts_of_script,
)
from bidcascade.inference.scenarios.producing import PRINTED, Produced, produce
from bidcascade.inference.scenarios.script_reader import parse_script, read_script
from bidcascade.inference.scenarios.script_tree import Print, Script
from bidcascade.inference.scenarios.themes import theme_named
from bidcascade.service.cli import shared

if TYPE_CHECKING:
    from bidcascade.inference.double_dummy import DoubleDummyPool

_Share = tuple[float, str]


def deals_of_scripts(options: argparse.Namespace) -> None:
    """Print what a script's actions say, or make a set of scripts, themes and kinds."""
    if options.known or options.where:
        raise shared.UsageError("expected --where or --known, or --script, --theme or --share")
    shares = [_share(text) for text in options.shares]
    scripts = [*map(_script, options.script), *map(_theme, options.theme_names)]
    is_set = shares or options.theme_names or options.out or options.seat
    if len(scripts) == 1 and not is_set:
        _print_actions(options, _as_asked(scripts[0][1], options))
        return
    parts = [
        part._replace(script=_as_asked(part.script, options)) for part in _parts(scripts, shares)
    ]
    count = options.count or max((one.script.produce or 0 for one in parts), default=0) or PRINTED
    seat = Seat.SOUTH if options.seat is None else parse_seat(options.seat)
    with ExitStack() as stack:
        solver = _solver(stack, *(one.script for one in parts))
        report = stack.enter_context(progress_bar("deals"))
        made = make_set(
            parts,
            count,
            seed=options.seed,
            seat=seat,
            most=options.most,
            solver=solver,
            report=report,
        )
    _tell(options, made)


def _tell(options: argparse.Namespace, made: DealSet) -> None:
    if options.out is None:
        printed = Script(actions=(Print("printall"),))
        found = Produced(made.hands, made.generated, is_drawn=False)
        sys.stdout.writelines(written(printed, found, seed=options.seed))
        return
    with deal_sink(options.out) as write:
        write(made.frame(f"random:{options.seed}"))
    shared.note(f"{len(made):,} of {made.generated:,} deals looked at")
    shared.note_written(len(made), "deal", options.out)


def _print_actions(options: argparse.Namespace, script: Script) -> None:
    """Do what a script says, as dealer does."""
    with ExitStack() as stack:
        solver = _solver(stack, script)
        with progress_bar("deals") as report:
            found = produce(
                script,
                seed=options.seed,
                count=options.count,
                most=options.most,
                solver=solver,
                report=report,
            )
        sys.stdout.writelines(written(script, found, seed=options.seed, solver=solver))
    wanted = options.count or script.produce
    if wanted and found.hands.shape[1] < wanted:
        shared.note(
            f"expected {wanted:,} deals, got {found.hands.shape[1]:,} among {found.generated:,}; "
            "--most lets more be looked at"
        )


def _solver(stack: ExitStack, *scripts: Script) -> "DoubleDummyPool | None":
    """Give a pool that solves deals, if a script asks for tricks."""
    if any(one.needs_solver for one in scripts):
        return stack.enter_context(shared.double_dummy_pool())
    return None


def _script(name: str) -> tuple[str, Script]:
    if name == "-":
        return "standard input", parse_script(sys.stdin.read())
    return Path(name).stem, read_script(Path(name))


def _theme(name: str) -> tuple[str, Script]:
    return name, shared.read_argument(theme_named, name).script


def _as_asked(script: Script, options: argparse.Namespace) -> Script:
    """Give a script with the dealer and vulnerability of the arguments."""
    seat: Seat | None = script.dealer
    sides: Vulnerability | None = script.vulnerability
    if options.dealer is not None:
        seat = parse_seat(options.dealer)
    if options.vul is not None:
        sides = parse_vulnerability(options.vul)
    return replace(script, dealer=seat, vulnerability=sides)


def _share(text: str) -> _Share:
    percent, colon, kind = text.partition(":")
    try:
        number = float(percent.strip().removesuffix("%"))
    except ValueError:
        number = -1.0
    if not colon or not kind.strip() or not 0 < number <= 100:
        raise shared.UsageError(f"expected a share such as 40:game, got {text!r}")
    return number, kind.strip()


def _parts(scripts: list[tuple[str, Script]], shares: list[_Share]) -> list[DealSetPart]:
    """Kinds of deals with their shares."""
    if not scripts:
        return parts_of_conditions(shares, Script())
    if len(scripts) == 1:
        name, script = scripts[0]
        return parts_of_script(script, name, shares=shares)
    names = [name for name, _ in scripts]
    if not shares:
        shares = [(100 / len(scripts), name) for name in names]
    if sorted(name for _, name in shares) != sorted(names):
        raise shared.UsageError(
            f"expected a share of each of {', '.join(names)}, "
            f"got {', '.join(name for _, name in shares)}"
        )
    percents = {name: percent for percent, name in shares}
    return [
        part for name, script in scripts for part in parts_of_script(script, name, percents[name])
    ]
