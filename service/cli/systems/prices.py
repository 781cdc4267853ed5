"""Command ``system prices``: what each option of a system's text gains."""

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from bidcascade.service.cli import shared

if TYPE_CHECKING:
    from bidcascade.workshop.boards.compare_summary import Estimate
    from bidcascade.workshop.tuning.option_prices import OptionPrice

_DEFAULT_PART = "open"


def configure_prices(action: Callable[..., argparse.ArgumentParser], system_help: str) -> None:
    """Arguments of ``system prices``."""
    prices = action("prices", "what each option of a text gains, on against off", print_prices)
    add = prices.add_argument
    add("system", metavar="SYSTEM", help=system_help)
    shared.add_system_option(prices)
    add(
        "--bank",
        metavar="PART",
        help="the solved deals of the bank (bidcascade bank) that it is played on: open, held-out "
        f"or all (default: {_DEFAULT_PART})",
    )
    add(
        "--deals",
        type=shared.whole_number(1, 2**31 - 1),
        metavar="N",
        help="random deals instead, of which those are solved whose contracts differ",
    )
    add("--from", dest="source", metavar="FILE", help=f"deals of a file instead {shared.AS_LOAD}")
    shared.add_lead_options(prices)
    add(
        "--seed",
        type=shared.whole_number(0, 2**63 - 1),
        default=1,
        metavar="S",
        help="of random deals, and of the order of leads (default: 1)",
    )
    add("--backend", default="auto", choices=shared.BACKENDS, help="where systems bid")
    shared.add_workers_option(prices)


def print_prices(options: argparse.Namespace) -> int:
    """Print the options of a system, the dearest first; those measured where it is interrupted."""
    from bidcascade.service.cli import DONE, INTERRUPTED

    shared.check_source(options)
    shared.check_lead_options(options)

    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.inference.double_dummy.pool import DoubleDummyPool
    from bidcascade.kernels import get_backend
    from bidcascade.service.cli.matches.matches import match_deals
    from bidcascade.workshop.boards.blind_leads import LEAD_LAYOUTS, BlindLeader, user_leads
    from bidcascade.workshop.boards.scored_boards import Budget
    from bidcascade.workshop.tuning.option_prices import option_prices

    lead_budget = shared.read_argument(Budget.parse, options.lead_budget or "0")
    (chosen,) = shared.chosen_options(options, options.system)
    part = options.bank
    if options.deals is None and options.source is None:
        part = part or _DEFAULT_PART
    deals, known = match_deals(options.source, part, options.deals or 0, options.seed)
    found: list[OptionPrice] = []
    code = DONE
    with progress_bar("prices") as bar, DoubleDummyPool(options.workers) as pool:
        try:
            for price in option_prices(
                options.system,
                deals,
                known,
                options=chosen,
                solver=pool,
                leader=BlindLeader(pool, user_leads(), options.lead_layouts or LEAD_LAYOUTS),
                lead_budget=lead_budget,
                seed=options.seed,
                backend=get_backend(options.backend),
                progress=lambda option, done, total: bar(done, total, done * len(deals)),
            ):
                found.append(price)
        except KeyboardInterrupt:
            if not found:
                raise
            code = INTERRUPTED
            shared.note(f"interrupted: {len(found)} options measured")
    found.sort(key=lambda one: (-(one.imps.value or 0.0), one.option))
    if options.json:
        report = {
            "system": options.system,
            "bank": part,
            "deals": len(deals),
            "options": found,
        }
        shared.print_json(report)
        return code
    print(
        f"{options.system}: IMPs a deal that each option gains against the text without it, with "
        f"95 %, on {len(deals):,} deals{f' of the bank ({part})' if part else ''}"
    )
    shared.print_table(
        ("option", "in the text", "double dummy", "perfect defence", "blind lead",
         "other auctions", "other contracts"),
        [
            (
                one.option, "on" if one.is_on else "off", _with_margin(one.imps),
                _with_margin(one.defended_imps), _with_margin(one.blind_imps),
                f"{one.other_auctions:,}", f"{one.other_contracts:,}",
            )
            for one in found
        ],
    )  # fmt: skip
    if options.lead_budget is None:
        shared.note("no deal was led against by who sees one hand (--lead-budget)")
    return code


def _with_margin(found: "Estimate") -> str:
    """Write an estimate with half the interval of 95 %, where that is known."""
    if found.value is None:
        return "unknown"
    value = f"{found.value:+.4f}"
    return value if found.margin is None else f"{value} ± {found.margin:.4f}"
