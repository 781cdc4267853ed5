"""Options and output of ``bid --simulate``."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .options import print_table, whole_number

if TYPE_CHECKING:
    from bidcascade.bridge import Seat, Vulnerability
    from bidcascade.service.bid_answer import BidAnswer
    from bidcascade.service.engine import Engine


def add_simulation_options(parser: argparse.ArgumentParser) -> None:
    """Add how the call is to be simulated."""
    parser.add_argument(
        "--simulate", nargs="?", const=100, type=whole_number(1), metavar="N",
        help="choose the call that scores best over N deals which agree with the auction "
        "(default: 100); without it only where the system has no line for the place",
    )  # fmt: skip
    parser.add_argument(
        "--no-simulate", action="store_true", help="pass where the system has no line"
    )
    parser.add_argument(
        "--scoring", choices=("imps", "matchpoints", "points"), default="imps",
        help="what simulated calls are judged by (default: imps)",
    )  # fmt: skip
    parser.add_argument(
        "--budget-ms", type=whole_number(1), metavar="MS",
        help="end a simulation after so long, with what is known by then",
    )  # fmt: skip
    parser.add_argument(
        "--tricks", choices=("dd", "law"), default="dd",
        help="where a simulation has its tricks from: double dummy (dd), or the law of total "
        "tricks (law), which takes no time",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=whole_number(0, 2**64 - 1), default=0, metavar="S",
        help="the same seed simulates the same deals (default: 0)",
    )  # fmt: skip


def simulated(
    options: argparse.Namespace, engine: "Engine", answer: "BidAnswer", hand: int,
    calls: Sequence[int], dealer: "Seat", sides: "Vulnerability",
) -> "tuple[BidAnswer, dict[str, Any] | None]":  # fmt: skip
    """Simulate the call where that is asked for, or where the system has no line for the place."""
    from bidcascade.service.cli import UsageError

    if options.simulate is not None and options.no_simulate:
        raise UsageError("expected --simulate or --no-simulate, got both")
    if options.simulate is None and (options.no_simulate or not answer.is_without_line):
        return answer, None

    from bidcascade.service.inference.simulated_bid import (
        DEFAULT_BUDGET_MS,
        SimulationWish,
        simulate_bid,
        simulate_without_line,
        simulation_dict,
    )

    about = (hand, calls, dealer, sides)
    if options.simulate is None:
        # to start a solver takes longer than what there is time for
        answer, without_line = simulate_without_line(
            engine, answer, *about, solver=None, budget_ms=options.budget_ms or DEFAULT_BUDGET_MS
        )
        return answer, None if without_line is None else simulation_dict(without_line)
    wish = SimulationWish(options.simulate, options.scoring, options.budget_ms, options.seed)
    if options.tricks == "law":
        answer, found = simulate_bid(engine, answer, *about, wish=wish, solver=None)
        return answer, None if found is None else simulation_dict(found)

    from bidcascade.inference.double_dummy import DoubleDummyPool
    from bidcascade.service.settings import read_settings

    with DoubleDummyPool(read_settings().dd_workers or None) as pool:
        answer, found = simulate_bid(engine, answer, *about, wish=wish, solver=pool)
    return answer, None if found is None else simulation_dict(found)


def print_simulation(simulation: dict[str, Any], note: str) -> None:
    """Print what each call is worth."""
    if note:
        print(f"   {note}")
    unit = {"imps": "IMPs", "matchpoints": "matchpoints", "points": "points"}
    rows = []
    for one in simulation["candidates"]:
        about = ", ".join(
            f"{contract['contract']} {contract['share']:.0%}" for contract in one["contracts"]
        )
        interval = "" if one["low"] is None else f"{one['low']:+.2f} to {one['high']:+.2f}"
        rows.append(
            (
                one["call"],
                "line" if one["line"] else "natural",
                f"{one['mean']:+.2f}",
                interval,
                f"{one['points']:+.0f}",
                f"{one['best_share']:.0%}",
                str(one["layouts"]),
                about,
            )
        )
    heads = ("call", "from", unit[simulation["scoring"]], "95 %", "score", "best", "deals", "in")
    print_table(heads, rows)
    layouts = simulation["layouts"]
    if simulation["scoring"] != "points":
        print(f"against tables where {simulation['compared_with']} is called")
    for text in (*layouts["relaxed"], *layouts["notes"]):
        print(f"given up: {text}" if text in layouts["relaxed"] else text)
