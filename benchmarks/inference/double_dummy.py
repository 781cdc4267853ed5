"""How fast deals are solved double dummy, par is found, and leads are answered.

Run ``python -m benchmarks.inference.double_dummy`` from the repository's root with the packages on
the path. Random deals by seed. Solving: deals a second over all processes of a pool.
Leads: from the hand and auction to the first and to the last answer, and sixteen such questions at
once.
"""

import os
import resource
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from benchmarks.tools.machine import environment
from benchmarks.tools.programs import named, options, table, timed, write_report
from bidcascade.bridge import Seat, parse_calls, parse_hand
from bidcascade.engine.questions.inference.leads import (
    LeadQuestion,
    LeadsAnswer,
    answer_leads,
    contract_of,
)
from bidcascade.engine.questions.parts.resources import Resources
from bidcascade.inference.double_dummy import DoubleDummyPool
from bidcascade.inference.double_dummy.par import par_contracts, par_results
from bidcascade.kernels.dealing import deal_hands
from bidcascade.kernels.types import U64
from bidcascade.systems import open_system

AUCTION = "1N P 3N P P P"
HAND = "K52.AQ3.9876.KJ2"
ENDING_CARDS = (10, 8, 5)


def rates(count: int, repeat: int, work: Callable[[U64], object]) -> dict[str, float]:
    """Deals a second, fresh ones each time."""
    found = []
    for turn in range(repeat):
        hands = deal_hands(seed=turn + 1, first=0, count=count)
        found.append(count / timed(partial(work, hands))[0])
    return spread(found)


def spread(found: list[float]) -> dict[str, float]:
    """Least, middle and greatest."""
    return {"min": min(found), "median": statistics.median(found), "max": max(found)}


def pool_rates(
    workers: int, count: int, repeat: int, work: Callable[[DoubleDummyPool, U64], object]
) -> dict[str, float]:
    """Deals a second, and a second of processor time in the solving processes.

    The latter is what a core does that has nothing else to do.
    """
    found, a_core = [], []
    for turn in range(repeat):
        hands = deal_hands(seed=turn + 1, first=0, count=count)
        before = processor_seconds()
        with DoubleDummyPool(workers) as pool:
            # all processes are there before anything is measured
            pool.tricks(endings(deal_hands(seed=99, first=0, count=2000), 2), 4, 0)
            found.append(count / timed(partial(work, pool, hands))[0])
        a_core.append(count / (processor_seconds() - before))
    return spread(found) | {"a second of a core": statistics.median(a_core)}


def processor_seconds() -> float:
    """Time in processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def endings(hands: U64, cards: int) -> U64:
    """The lowest cards of each hand are left out."""
    left = hands.copy()
    for _ in range(13 - cards):
        left &= left - np.uint64(1)
    return left


def solving(workers: int, scale: float, repeat: int) -> dict[str, Any]:
    """Measure what a pool solves a second."""

    def measured(count: int, work: Callable[[DoubleDummyPool, U64], object]) -> dict[str, float]:
        return pool_rates(workers, max(4, round(scale * count)), repeat, work)

    found: dict[str, Any] = {
        "tables": measured(20, lambda pool, hands: pool.tables(hands)),
        "single contracts, notrump": measured(120, lambda pool, h: pool.tricks(h, 4, 0)),
        "single contracts, spades": measured(120, lambda pool, h: pool.tricks(h, 3, 1)),
        "all leads, notrump": measured(60, lambda pool, h: pool.leads(h, 4, 2)),
        "all leads, spades": measured(60, lambda pool, h: pool.leads(h, 3, 2)),
    }
    for cards in ENDING_CARDS:
        found[f"all leads, {cards} cards, notrump"] = measured(
            4000 if cards < 9 else 400,
            lambda pool, h, cards=cards: pool.leads(endings(h, cards), 4, 3),
        )
    return found


def arithmetic(repeat: int) -> dict[str, Any]:
    """Par, and answers that are known already."""
    rng = np.random.default_rng(1)
    hands = deal_hands(seed=1, first=0, count=2000)
    tables = rng.integers(0, 14, (2000, 20))
    with DoubleDummyPool(1) as pool:
        pool.add_tables(hands, tables)
        return {
            "par scores": rates(2000, repeat, lambda h: par_results(tables, 0, 1)),
            "par scores and contracts": rates(
                2000, repeat, lambda h: par_contracts(tables, par_results(tables, 0, 1)[1])
            ),
            "tables that are known": rates(2000, repeat, lambda h: pool.tables(hands)),
            "contracts that are known": rates(2000, repeat, lambda h: pool.tricks(hands, 4, 0)),
        }


def leads(pool: DoubleDummyPool, layouts: int, repeat: int) -> dict[str, Any]:
    """Measure the time to the first and to the last answer about a lead."""
    source = open_system("sayc").reader()
    calls = parse_calls(AUCTION)
    contract = contract_of(calls, Seat.EAST)

    def question(seed: int) -> LeadQuestion:
        return LeadQuestion(
            hand=parse_hand(HAND),
            contract=contract,
            calls=tuple(calls),
            dealer=Seat.EAST,
            seed=seed,
            layouts=layouts,
        )

    def ask(seed: int) -> tuple[float, float, LeadsAnswer]:
        start = time.perf_counter()
        first = 0.0
        by = Resources(solver=lambda: pool, meanings=source)
        for current in answer_leads(question(seed), by):
            first = first or time.perf_counter() - start
            answer = current
        return first, time.perf_counter() - start, answer

    ask(0)
    single = [ask(seed) for seed in range(1, repeat + 1)]
    with ThreadPoolExecutor(16) as threads:
        together, many = timed(lambda: list(threads.map(ask, range(100, 116))))
    with DoubleDummyPool(pool.workers) as fresh:
        pool = fresh
        alone, serial = timed(lambda: [ask(seed) for seed in range(100, 116)])
    same = all(one[2].leads == other[2].leads for one, other in zip(many, serial, strict=True))
    return {
        "layouts": layouts,
        "first_ms": [1000 * one[0] for one in single],
        "last_ms": [1000 * one[1] for one in single],
        "sixteen at once": {
            "seconds": together,
            "first_ms": [1000 * one[0] for one in many],
            "one after another, seconds": alone,
            "same answers": same,
            "solved": sum(one[2].layouts.solved for one in many),
        },
    }


def page(found: dict[str, Any]) -> list[str]:
    """Results as Markdown."""
    asked = found["leads"]
    many = asked["sixteen at once"]
    rates = [
        (name, *(_number(rate.get(key)) for key in ("median", "min", "max", "a second of a core")))
        for name, rate in (*found["solving"].items(), *found["arithmetic"].items())
    ]
    answers = [
        (name, *(f"{spread(times)[key]:,.0f}" for key in ("median", "min", "max")))
        for name, times in (
            ("first answer", asked["first_ms"]),
            ("last answer", asked["last_ms"]),
            ("first answer, sixteen at once", many["first_ms"]),
        )
    ]
    return [
        "# Double dummy",
        "",
        f"{found['workers']} processes; random deals, a second: median (min to max) of "
        f"{found['repeat']} runs; and by the processor time of the solving processes, which does "
        "not count what else the machine did.",
        "",
        *table(("what", "a second", "min", "max", "a second of one core"), rates),
        "",
        f"A lead against `{AUCTION}` by East from {HAND}, {asked['layouts']} layouts, sampling "
        "included:",
        "",
        *table(("what", "milliseconds: median", "min", "max"), answers),
        "",
        f"Sixteen questions at once: {many['seconds']:.1f} s for {many['solved']:,} layouts; one "
        f"after another by a pool that knew nothing: {many['one after another, seconds']:.1f} s, "
        f"{'the same answers' if many['same answers'] else 'OTHER ANSWERS'}.",
        "",
        f"Load of the machine meanwhile: {found['load'][0]:.1f} before, {found['load'][1]:.1f} "
        "after.",
        "",
        named(found["environment"]),
    ]


def _number(rate: float | None) -> str:
    if rate is None:
        return ""
    return f"{rate:,.1f}" if rate < 100 else f"{rate:,.0f}"


def main() -> None:
    given = options(
        __doc__,
        subject="inference",
        workers=(None, "processes (default: one a core)"),
        repeat=3,
        scale=(1.0, "of the numbers of deals"),
        layouts=100,
        name=("double_dummy", "of the files"),
    )
    load = [os.getloadavg()[0]]
    with DoubleDummyPool(given.workers) as pool:
        found = {
            "workers": pool.workers,
            "repeat": given.repeat,
            "solving": solving(pool.workers, given.scale, given.repeat),
            "arithmetic": arithmetic(given.repeat),
            "leads": leads(pool, given.layouts, given.repeat),
        }
    found["load"] = [*load, os.getloadavg()[0]]
    found["environment"] = environment()
    write_report(given.out, given.name, found, page(found))


if __name__ == "__main__":
    main()
