"""What more strength loses: counting and printing of commands."""

import argparse
from typing import TYPE_CHECKING

from bidcascade.service.cli import shared

if TYPE_CHECKING:
    from bidcascade.systems.system import System
    from bidcascade.workshop.boards.stronger import Stronger


def lost_by_strength(system: "System", options: argparse.Namespace) -> "Stronger":
    """Bid the deals that are asked for with better cards."""
    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.systems.tables.compile import Sample
    from bidcascade.workshop.boards.stronger import stronger

    deals = Sample.random(options.deals, seed=options.seed).deals
    with progress_bar("more strength") as bar:
        return stronger(
            system,
            deals,
            seed=options.seed,
            progress=lambda done, total: bar(done, total, done),
        )


def print_rates(found: "Stronger") -> None:
    """Print how often more strength lost."""
    from bidcascade.service.reports.yardstick_report import sign_text

    shared.print_table(
        ("more strength", "lost", "share (95 %)", "of"),
        [
            (one.what, f"{one.boards:,}", sign_text(one), f"{one.possible:,} {one.among}")
            for one in found.rates
        ],
    )


def print_lines(found: "Stronger", most: int) -> None:
    """Print the lines that took hands that were too good for them, as many of each rate."""
    for rate in found.rates:
        lines = [one for one in found.lines if one.what == rate.what]
        if not lines:
            continue
        print(f"{rate.what}:")
        for one in lines[:most]:
            line = f"{one.name} {one.line}".strip() or "no line"
            other = f", {one.other_name} {one.other}" if one.other else ""
            print(f"  {one.lost:,} ({one.silent:,} with silent opponents)  {line}{other}")
            print(f"    {one.better}, dealer N, vulnerable {one.vulnerability}")
            print(f"    {one.again}; with {one.deal} {one.auction}")
        if len(lines) > most:
            print(f"  … and {len(lines) - most} more (--json lists all)")
