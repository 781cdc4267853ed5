"""What whole boards show that no pair wants to see: options, counting and printing of commands."""

import argparse
from contextlib import ExitStack
from typing import TYPE_CHECKING

from bidcascade.service.cli import shared

if TYPE_CHECKING:
    from bidcascade.systems.system import System
    from bidcascade.workshop.boards.sanity import Sign
    from bidcascade.workshop.boards.scored_boards import Budget


def add_sign_options(parser: argparse.ArgumentParser) -> None:
    """Arguments for counting what no pair wants to see."""
    parser.add_argument(
        "--dd-budget",
        metavar="B",
        help="how many doubled contracts are solved, or how long (90s, 5m), beside those whose "
        "tables are kept; all for every one (default: none)",
    )
    shared.add_workers_option(parser)
    parser.add_argument(
        "--show",
        type=shared.whole_number(0),
        default=1,
        metavar="K",
        help="examples of each sign in the bidding of whole boards (default: 1)",
    )


def signs_of(system: "System", options: argparse.Namespace, budget: "Budget") -> "list[Sign]":
    """Count what no pair wants to see, on the deals that were checked."""
    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.inference.double_dummy.pool import DoubleDummyPool
    from bidcascade.inference.double_dummy.table_cache import user_tables
    from bidcascade.systems.tables.compile import Sample
    from bidcascade.workshop.boards.sanity import sanity_of
    from bidcascade.workshop.boards.scored_boards import bid_boards

    deals = Sample.random(options.deals, seed=options.seed).deals
    known = user_tables().find(deals.hands)
    with progress_bar("sanity") as bar, ExitStack() as stack:
        pool = None if budget.deals == 0 else stack.enter_context(DoubleDummyPool(options.workers))
        boards = bid_boards(
            system,
            deals,
            known=known,
            solver=pool,
            budget=budget,
            progress=lambda done, total: bar(done, total, done),
        )
    return sanity_of(boards, examples=options.show)


def print_signs(signs: "list[Sign]", options: argparse.Namespace) -> None:
    """Print signs as a table, with their examples."""
    from bidcascade.service.reports.yardstick_report import sign_text

    shared.print_table(
        ("whole boards", "boards", "share (95 %)", "of"),
        [
            (one.what, f"{one.boards:,}", sign_text(one), f"{one.possible:,} {one.among}")
            for one in signs
        ],
    )
    for one in signs:
        for deal, dealer, vulnerability, auction, contract in one.examples:
            print(f"{one.what}: {deal}, dealer {dealer}, vulnerable {vulnerability}")
            print(f"  {auction}, which is {contract}")
    if not any("double dummy" in one.what for one in signs):
        shared.note(
            "no doubled contract was solved (--dd-budget): how many go far down is left out"
        )
