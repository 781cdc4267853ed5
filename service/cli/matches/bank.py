"""Command ``bank``: deals solved once, on which every change of a system is measured at once."""

import argparse

from bidcascade.service.cli import shared

_DEFAULT_DEALS = 150_000


def configure_bank(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``bank``."""
    add = parser.add_argument
    add(
        "--deals",
        type=shared.whole_number(0),
        default=_DEFAULT_DEALS,
        metavar="N",
        help="solve the first N deals, as far as they are not solved: some 0.2 s of a core each, "
        f"at lowest priority; 0 only counts (default: {_DEFAULT_DEALS:,})",
    )
    shared.add_workers_option(parser)
    shared.add_json_option(parser)


def bank(options: argparse.Namespace) -> None:
    """Solve deals of the bank; what is solved is kept as it comes."""
    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.inference.double_dummy.pool import DoubleDummyPool
    from bidcascade.inference.double_dummy.solved_deals import (
        BANK_DEALS,
        BANK_SEED,
        bank_hands,
        held_out,
        solved_bank,
    )
    from bidcascade.inference.double_dummy.table_cache import user_tables

    if options.deals > BANK_DEALS:
        raise shared.UsageError(f"expected at most {BANK_DEALS:,} deals, got {options.deals:,}")
    cache, hands = user_tables(), bank_hands(BANK_DEALS)
    missing = int((cache.find(hands[:, : options.deals])[:, 0] < 0).sum())
    options.interruption_hint = shared.SOLVED_STAY
    if missing:
        shared.note(f"{options.deals - missing:,} of {options.deals:,} deals are solved")
        pool = DoubleDummyPool(options.workers, is_background=True)
        with progress_bar("bank") as bar, pool:
            solved_bank(
                options.deals, pool, cache, progress=lambda done, total: bar(done, total, done)
            )
    solved = cache.find(hands)[:, 0] >= 0
    out = held_out(hands[:, solved])
    found = {
        "seed": BANK_SEED, "deals": BANK_DEALS, "solved": int(solved.sum()),
        "open": int((~out).sum()), "held_out": int(out.sum()),
        "file": None if cache.path is None else str(cache.path),
    }  # fmt: skip
    if options.json:
        shared.print_json(found)
        return
    print(
        f"{found['solved']:,} of {BANK_DEALS:,} deals of seed {BANK_SEED} are solved: "
        f"{found['open']:,} to try changes on, {found['held_out']:,} held out"
    )
