"""How fast systems bid: fresh deals and known ones, one call, and the commands as users run them.

Run ``python -m benchmarks.bidding.systems`` from the repository's root with the packages on the
path. The definition and the core bid the same deals first, and calls and names must be equal.
Commands run as processes, each with a cache of its own that is empty; the seconds of the processor
and the most memory are theirs alone. A *place* is what a system says after one auction; shares of a
place are times of the threads themselves.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tools.machine import environment
from benchmarks.tools.programs import options, table, timed, write_report
from bidcascade.bridge import Auction, parse_call
from bidcascade.engine import Engine
from bidcascade.kernels import DealArrays
from bidcascade.kernels.core import functions as walk
from bidcascade.kernels.dealing import deal_hands
from bidcascade.loaders import random_deals, write_deal_parquet
from bidcascade.systems import System, named_systems
from bidcascade.systems.auctions.bidder import Bidder
from bidcascade.systems.reference.place_entries import Expander
from tests.support.systems import choices_call_by_call

SYSTEMS = Path(__file__).parents[2] / "systems" / "texts"
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
    names = ("choose_all", "follow", "work_out", "make_ready", "take_in")
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
    bidder = Bidder(ours.rules, theirs.rules)
    some = deals_of(SEED, compared)
    slow, expected = timed(lambda: by_definition(ours, theirs, some))
    differences = sum(a != b for a, b in zip(by_kernels(bidder, some), expected, strict=True))
    if differences:
        raise SystemExit(f"{first} v {other}: {differences} of {compared} deals bid otherwise")
    deals = deals_of(SEED + 1, count)
    bidder = Bidder(ours.rules, theirs.rules)
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
        "us of a core a new place": round(
            1e6 * sum(spent[name] for name in ("work_out", "make_ready", "take_in")) / places, 1
        ),
        "known, deals/s": round(count / known),
        "store MiB": round(bidder.bytes / 2**20),
        "core seconds of fresh deals": {name: round(one, 2) for name, one in spent.items()},
    }


def measure_calls(name: str, deals: int) -> Numbers:
    """Bid deals call by call through an engine, twice: microseconds of a call."""
    engine, hands = Engine.open(name), deal_hands(SEED + 3, 0, deals)
    found: Numbers = {}
    places = engine.bidder.places
    for what in ("at a new place", "at a known place"):
        spent: list[float] = []
        for deal in range(deals):
            calls: list[int] = []
            while not Auction.of(calls).is_complete:
                hand, before = int(hands[len(calls) % 4, deal]), places.count
                start = time.perf_counter()
                answer = engine.bid(hand, calls)
                seconds = time.perf_counter() - start
                if (places.count > before) == (what == "at a new place"):
                    spent.append(1e6 * seconds)
                calls.append(parse_call(answer.call))
        found[what] = {
            "calls": len(spent),
            **{f"p{one}": round(float(np.percentile(spent, one)), 1) for one in (50, 90, 99)},
        }
    return found


def command(folder: Path, *arguments: str) -> Numbers:
    """Run a command as a user does, with an empty cache: seconds, the processor's, most memory."""
    with tempfile.TemporaryDirectory(dir=folder) as cache:
        surroundings = dict(os.environ, XDG_CACHE_HOME=cache, BIDCASCADE_CACHE=cache)
        start = time.perf_counter()
        run = subprocess.Popen(
            [sys.executable, "-m", "bidcascade.service.cli", *arguments],
            env=surroundings,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        assert run.stderr is not None
        error = run.stderr.read().decode()
        _, status, used = os.wait4(run.pid, 0)
        seconds = time.perf_counter() - start
    if status:
        raise SystemExit(f"{' '.join(arguments)}: {error}")
    return {
        "seconds": round(seconds, 2),
        "of the processor": round(used.ru_utime + used.ru_stime, 2),
        "peak MiB": round(used.ru_maxrss / 2**10),
    }


def measure_serve(folder: Path) -> Numbers:
    """Start a service with an empty cache: seconds until it is ready."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    surroundings = dict(os.environ, XDG_CACHE_HOME=str(folder / "serve"), BIDCASCADE_PORT=str(port))
    start = time.perf_counter()
    server = subprocess.Popen(
        [sys.executable, "-m", "bidcascade.service.cli", "serve"],
        env=surroundings,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as found:
                    if found.status == 200:
                        break
            except OSError:
                if server.poll() is not None or time.perf_counter() - start > 120:
                    raise SystemExit("expected the service to start") from None
            time.sleep(0.01)
        return {"seconds": round(time.perf_counter() - start, 2)}
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(20)


CLUB = """system Club
opening:
  1C = Strong club: 16+ points; forcing
  1D = Catch-all: 11-15 points
  1M = Major: 11-15 points, 5+ M
  1NT = Notrump: 13-15 points, balanced
  2C = Clubs: 11-15 points, 6+ clubs
after 1C:
  1D = Negative: at most 7 points
  1NT = Positive: 8+ points, balanced; forcing to game
"""


def measure_commands(count: int) -> dict[str, Numbers]:
    """Commands as processes, each on an empty cache."""
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
        (folder / "club.bidding").write_text(CLUB)
        first = ("batch", "--mode", "first")
        for name, words in {
            "bid, one hand": ("bid", hand),
            "bid by ten lines of text": ("bid", hand, "--table", "club.bidding"),
            "batch of 1,000 deals": (*first, "1000.parquet", "--out", "few"),
            f"batch of {count:,} deals": (*first, f"{count}.parquet", "--out", "fresh"),
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
            repeated = 3 if name.startswith("bid") else 1
            found[name] = min(
                (command(folder, *words) for _ in range(repeated)), key=lambda one: one["seconds"]
            )
        found["serve, until it is ready"] = measure_serve(folder)
    return found


def main() -> None:
    """Run and write ``systems.md`` and ``systems.json`` to the results."""
    given = options(
        __doc__,
        subject="bidding",
        compared=(100, "deals bid by the definition too"),
        deals=1_000_000,
    )
    told: Numbers = {"environment": environment(), "deals": given.deals}
    told["commands"] = measure_commands(given.deals)
    told["calls"] = measure_calls("sayc", 1500)
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
        f"{told['deals']:,} deals; `python -m benchmarks.bidding.systems`; "
        f"{told['environment']['cpu']}, {told['environment']['cores']} cores. Definition "
        "and core made the same calls by the same lines on the deals compared. Nothing "
        "is learned before, and caches are empty.",
        "",
        *table(("system", *columns), ([name, *map(one.get, columns)] for name, one in systems)),
        "",
        *table(
            ("command", "seconds", "of the processor", "peak MiB"),
            ([name, *one.values(), *("",) * (3 - len(one))] for name, one in commands),
        ),
        "",
        *table(
            ("one call of sayc, microseconds", "calls", "p50", "p90", "p99"),
            ([name, *one.values()] for name, one in told["calls"].items()),
        ),
    ]


if __name__ == "__main__":
    main()
