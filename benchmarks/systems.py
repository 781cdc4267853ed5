"""How fast systems bid: fresh deals and known ones, one deal, and the commands as users run them.

Run ``python -m benchmarks.systems`` from the repository's root with the packages on the path. The
definition and the kernels bid the same deals first, and calls and names must be equal. Commands run
as processes with a cache of their own that holds compiled kernels and nothing else. A *place* is
what a system says after one auction; shares of a place are times of the threads themselves.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bidcascade.kernels import DealArrays
from bidcascade.kernels.dealing import deal_hands
from bidcascade.kernels.system import walk
from bidcascade.loaders import random_deals, write_deal_parquet
from bidcascade.systems import System, kept_places, named_systems
from bidcascade.systems.bidder import Bidder
from bidcascade.systems.reference.expansion import Expander
from tests.support_systems import choices_call_by_call

from .machine import environment
from .programs import options, table, timed, write_report

SYSTEMS = Path(__file__).parents[1] / "systems" / "texts"
SEED = 20_261_123
Numbers = dict[str, Any]


def deals_of(seed: int, count: int) -> DealArrays:
    """Random deals, dealt by North, nobody vulnerable."""
    zero = np.zeros(count, np.uint8)
    return DealArrays(deal_hands(seed, 0, count), zero, zero)


def by_definition(first: System, other: System, deals: DealArrays) -> list[list[tuple[int, str]]]:
    """Bid deals by the definition: calls with the names of what made them."""
    expander = Expander(first.rules, other.rules)
    made = [choices_call_by_call(expander, deals, deal) for deal in range(len(deals))]
    return [
        [(one.call, "" if one.entry is None else one.entry.name) for one in deal] for deal in made
    ]


def by_kernels(bidder: Bidder, deals: DealArrays) -> list[list[tuple[int, str]]]:
    """Bid the same deals by the kernels."""
    found: list[list[tuple[int, str]]] = [[] for _ in range(len(deals))]
    for step in bidder.steps(deals):
        told = zip(step.deals, step.place, step.entry, step.call, strict=True)
        for deal, place, entry, call in told:
            found[deal].append((int(call), bidder.name(int(place), int(entry))))
    return found


@contextmanager
def shares() -> Iterator[dict[str, float]]:
    """Seconds of all threads in each kernel of the walk while the block runs."""
    spent: dict[str, float] = {}
    names = ("choose_all", "follow", "work_out", "take_in")
    kept = {name: getattr(walk, name) for name in names}

    def watched(name: str) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            start = time.thread_time()
            try:
                return kept[name](*arguments)
            finally:
                spent[name] = spent.get(name, 0.0) + time.thread_time() - start

        return call

    try:
        for name in names:
            setattr(walk, name, watched(name))
        yield spent
    finally:
        for name in names:
            setattr(walk, name, kept[name])


def measure_pair(first: str, other: str, compared: int, count: int) -> Numbers:
    """Measure one system against another, in this process."""
    ours, theirs = System.open(first), System.open(other)
    # with what the package brings along, whatever this machine's cache has
    bidder = Bidder(ours.program, theirs.program)
    for side in dict.fromkeys(bidder.sides):
        own = side.rules.text
        kept_places.read(bidder, kept_places.SHIPPED / kept_places.file_name(own, own), only=side)
    some = deals_of(SEED, compared)
    slow, expected = timed(lambda: by_definition(ours, theirs, some))
    differences = sum(a != b for a, b in zip(by_kernels(bidder, some), expected, strict=True))
    if differences:
        raise SystemExit(f"{first} v {other}: {differences} of {compared} deals bid otherwise")
    deals = deals_of(SEED + 1, count)
    before = bidder.count
    with shares() as spent:
        fresh, _ = timed(lambda: bidder.bid(deals))
    places = bidder.count - before
    known = min(timed(lambda: bidder.bid(deals))[0] for _ in range(3))
    return {
        "deals compared": compared,
        "definition, deals/s": round(compared / slow, 1),
        "fresh, deals/s": round(count / fresh),
        "new places": places,
        "us of a core a new place": round(1e6 * (spent["work_out"] + spent["take_in"]) / places, 1),
        "known, deals/s": round(count / known),
        "store MiB": round(bidder.bytes / 2**20),
        "core seconds of fresh deals": {name: round(one, 2) for name, one in spent.items()},
    }


def command(folder: Path, *arguments: str, cache: str) -> Numbers:
    """Run a command as a user does; seconds and the most memory of any command so far."""
    surroundings = dict(os.environ, XDG_CACHE_HOME=str(folder / cache))
    surroundings.setdefault("NUMBA_CACHE_DIR", str(folder / "kernels"))
    start = time.perf_counter()
    run = subprocess.run(
        [sys.executable, "-m", "bidcascade.service.cli", *arguments],
        env=surroundings, cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    seconds = time.perf_counter() - start
    if run.returncode:
        raise SystemExit(f"{' '.join(arguments)}: {run.stderr}")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**10
    return {"seconds": round(seconds, 2), "peak MiB so far": round(peak)}


def measure_commands(count: int) -> dict[str, Numbers]:
    """Commands as processes: the first on a new cache, the others on what it left there."""
    hand = "AKQ2.K32.A32.432"
    found: dict[str, Numbers] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for deals, seed in ((count, 1), (1000, 2)):
            path = folder / f"{deals}.parquet"
            write_deal_parquet(random_deals(deals, seed=SEED + seed), path)
        text = (SYSTEMS / "sayc.bidding").read_text()
        changed = folder / "changed.bidding"
        changed.write_text(text.replace("15-17 points, balanced", "14-17 points, balanced", 1))
        first = ("batch", "--mode", "first")
        # numba's cache of this run gets its kernels here
        command(folder, *first, "1000.parquet", "--out", "warm", cache="warm")
        found["bid, one hand"] = min(
            (command(folder, "bid", hand, cache="new") for _ in range(3)),
            key=lambda one: one["seconds"],
        )
        for name, words in {
            "batch of 1,000 deals": (*first, "1000.parquet", "--out", "few"),
            f"batch of {count:,} fresh deals": (*first, f"{count}.parquet", "--out", "fresh"),
            "the same deals again": (*first, f"{count}.parquet", "--out", "again"),
            "compare sayc acol, 100,000 deals, no double dummy": (
                "compare", "sayc", "acol", "--deals", "100000", "--dd-budget", "0",
            ),
            f"system compile sayc, {count:,} deals": (
                "system", "compile", "sayc", "--deals", str(count), "--out", "table",
            ),
            f"system diff of one line, {count:,} deals": (
                "system", "diff", "sayc", str(changed), "--deals", str(count),
            ),
        }.items():  # fmt: skip
            found[name] = command(folder, *words, cache="new")
    return found


def main() -> None:
    """Run and write ``systems.md`` and ``systems.json`` to the results."""
    given = options(__doc__, compared=(100, "deals bid by the definition too"), deals=1_000_000)
    told: Numbers = {"environment": environment(), "deals": given.deals}
    told["commands"] = measure_commands(given.deals)
    pairs = [(name, name) for name in named_systems()] + [("sayc", "acol")]
    told["systems"] = {
        first if first == other else f"{first} v {other}": measure_pair(
            first, other, given.compared, given.deals
        )
        for first, other in pairs
    }
    write_report(given.out, "systems", told, page(told))


def page(told: Numbers) -> list[str]:
    """Results as Markdown."""
    systems, commands = told["systems"].items(), told["commands"].items()
    columns = [name for name in next(iter(told["systems"].values())) if "core seconds" not in name]
    return [
        "# Systems",
        "",
        f"{told['deals']:,} deals; `python -m benchmarks.systems`; {told['environment']['cpu']}, "
        f"{told['environment']['cores']} cores. Definition and kernels made the same calls by the "
        "same lines on the deals compared. What 60,000 deals taught the shipped systems comes with "
        "the package; all places are worked out here.",
        "",
        *table(("system", *columns), ([name, *map(one.get, columns)] for name, one in systems)),
        "",
        *table(
            ("command", "seconds", "peak MiB so far"),
            ([name, *one.values()] for name, one in commands),
        ),
    ]


if __name__ == "__main__":
    main()
