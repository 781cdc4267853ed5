"""What learning costs: counting calls, bounds, rules, layers; in CPU seconds and peak memory.

Run ``python -m benchmarks.evidence.learning`` from the repository's root with the packages on the
path. Two loads: random deals bid by a table of ``sayc``, and boards for a made-up table of which
about 66,000 calls are made by 20 hands and more. Each measurement is a process of its own.
"""

import json
import time
from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.tables.seeded import published_expressions
from benchmarks.tools.machine import environment, forget_peak, in_a_process, peak_mib
from benchmarks.tools.programs import options, table, write_report
from bidcascade.engine.engine import Engine
from bidcascade.kernels import DealArrays
from bidcascade.kernels.dealing import deal_hands
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.systems import open_table
from bidcascade.table import BiddingTable, build_table
from bidcascade.table.real_calls import CallLists, find_real_calls
from bidcascade.workshop.evidence.layers import Layer, on_layer
from bidcascade.workshop.evidence.learning import (
    CHUNK,
    CallCounts,
    DealsWithCalls,
    EntrySlots,
    LearningTally,
    Options,
    Thresholds,
    learn,
)
from bidcascade.workshop.evidence.measures import DEFAULT_LANES, make_measures
from tests.support.tables import made_up_rows

GROUPS = 66_000

Load = tuple[BiddingTable, list[DealsWithCalls]]


def bid_by_sayc(boards: int) -> Load:
    """Random deals, each bid by the table sayc until it leaves the table, then passed out."""
    table = open_table("sayc")
    engine = Engine(table, "cpu")
    pieces = []
    for first in range(0, boards, CHUNK):
        frame = random_deals(min(CHUNK, boards - first), seed=1, first=first + 1)
        auctions = engine.auctions(frame, mode="first")["auction"]
        pieces.append((deal_arrays(frame), CallLists.of(auctions)))
    return table, pieces


def made_up(boards: int) -> Load:
    """Make a table of the published shape and boards that go to entries of it drawn evenly.

    The hands have nothing to do with the calls: what is measured is work, not meaning.
    """
    table, _ = build_table(made_up_rows(GROUPS, 1), undescribed="allow")
    chosen = np.random.default_rng(1).integers(0, len(table), boards)
    auctions = table.auctions_of(chosen)
    pieces = []
    for first in range(0, boards, CHUNK):
        some = auctions[first : first + CHUNK]
        zero = np.zeros(len(some), np.uint8)
        deals = DealArrays(deal_hands(1, first, len(some)), zero, zero)
        offsets = np.cumsum([0, *map(len, some)])
        pieces.append((deals, CallLists(np.frombuffer(b"".join(some), np.uint8), offsets)))
    return table, pieces


LOADS: dict[str, Callable[[int], Load]] = {"sayc": bid_by_sayc, "made-up": made_up}

LOOSE = Thresholds(positive_rate=0.8, negative_rate=0.8, lift=1.1)
"""On hands that have nothing to do with the calls the usual thresholds would leave no rules."""


Work = Callable[[BiddingTable, list[DealsWithCalls]], dict[str, int]]


def count_calls(table: BiddingTable, boards: list[DealsWithCalls]) -> dict[str, int]:
    """Only the first pass."""
    counts = _counts(table, boards)
    return {"calls": counts.calls, "groups": int((counts.hands >= 20).sum())}


def _counts(table: BiddingTable, boards: list[DealsWithCalls]) -> CallCounts:
    counts = CallCounts(table)
    for deals, auctions in boards:
        counts.add(find_real_calls(table, auctions, deals.dealer), len(deals))
    return counts


def count_published(lanes: Sequence[str]) -> Work:
    """Count the 349 expressions of the published list, read off lanes where there are lanes."""

    def work(table: BiddingTable, boards: list[DealsWithCalls]) -> dict[str, int]:
        groups = np.flatnonzero(_counts(table, boards).hands >= 20)
        slots = EntrySlots(table, groups, with_others=True)
        tally = LearningTally(
            make_measures(table.vocabulary, lanes=lanes, flags=(), expressions=published()), slots
        )
        for deals, auctions in boards:
            tally.add(find_real_calls(table, auctions, deals.dealer), deals)
        held = sum(
            int(tally.of_expressions(first, min(first + 4096, len(slots.entry))).sum())
            for first in range(0, len(slots.entry), 4096)
        )
        return {"groups": len(groups), "bits": len(tally.measures.bits), "held": held}

    return work


def published() -> list[str]:
    """Texts of the expressions like the published ones."""
    return [
        str(one[0]) if len(one) == 1 else f"{one[0]} {one[2]} {one[1]}"
        for one in published_expressions()
    ]


def learn_with(options: Options, layer: Layer | None = None) -> Work:
    """Learn, and put the table on a layer if asked for."""

    def work(table: BiddingTable, boards: list[DealsWithCalls]) -> dict[str, int]:
        learned = learn(table, lambda: boards, options)
        found = learned.to_dict()
        told = {
            shown: found[name]
            for name, shown in (
                ("calls", "calls"),
                ("entries_learned", "groups"),
                ("expressions", "expressions"),
                ("rules", "rules"),
            )
            if name in found
        }
        if layer is not None:
            begin = time.process_time()
            layered = on_layer(learned.on(table), layer)
            told["changed"] = layered.learned + layered.merged
            told["layer ms"] = round(1000 * (time.process_time() - begin))
        return told

    return work


CASES: dict[str, tuple[str, Work]] = {
    "calls found and counted": ("sayc", count_calls),
    "bounds: 10 lanes, 37 flags": ("sayc", learn_with(Options())),
    "rules of the table's expressions": ("sayc", learn_with(Options(rules=Thresholds()))),
    "the same, merged layer": ("sayc", learn_with(Options(rules=Thresholds()), "merged")),
    "66,000 groups: calls counted": ("made-up", count_calls),
    "66,000 groups: 349 expressions as bits": ("made-up", count_published(())),
    "66,000 groups: 349 expressions, lanes": ("made-up", count_published(DEFAULT_LANES)),
    "66,000 groups: bounds and rules of the 349": (
        "made-up",
        learn_with(Options(rules=LOOSE, expressions=published())),
    ),
}


def run_case(name: str, boards: int) -> dict[str, object]:
    """Measure one case in this process."""
    load, work = CASES[name]
    table, pieces = LOADS[load](boards)
    # compiles, and makes the table's parents
    work(table, [(pieces[0][0].slice(0, 64), CallLists(*_first(pieces[0][1], 64)))])
    forget_peak()
    before = peak_mib()
    wall, cpu = time.perf_counter(), time.process_time()
    told = work(table, pieces)
    return {
        "case": name,
        "boards": boards,
        **told,
        "CPU s": round(time.process_time() - cpu, 2),
        "wall s": round(time.perf_counter() - wall, 2),
        "MiB more": round(peak_mib() - before),
    }


def _first(lists: CallLists, count: int) -> tuple[np.ndarray, np.ndarray]:
    return lists.calls[: lists.offsets[count]], lists.offsets[: count + 1]


def main() -> None:
    """Run all cases and write ``learning.md`` and ``learning.json`` to the results."""
    given = options(__doc__, subject="evidence", sayc_boards=300_000, made_up_boards=2_500_000)
    results = []
    for name, (load, _) in CASES.items():
        boards = given.sayc_boards if load == "sayc" else given.made_up_boards
        results.append(in_a_process(run_case, name, boards))
        print(json.dumps(results[-1]), flush=True)
    columns = (
        "boards",
        "calls",
        "groups",
        "expressions",
        "bits",
        "rules",
        "CPU s",
        "wall s",
        "MiB more",
    )
    rows = ([one["case"], *(one.get(name, "") for name in columns)] for one in results)
    lines = [
        "# Learning",
        "",
        "`python -m benchmarks.evidence.learning`, on two cores that other work shared: CPU "
        "seconds tell more than those of the wall. Groups are calls made by at least 20 hands. "
        "Boards lie in memory; reading them from files is not counted. "
        "MiB are what the peak grew by.",
        "",
        *table(("measurement", *columns), rows),
    ]
    write_report(given.out, "learning", {"environment": environment(), "results": results}, lines)


if __name__ == "__main__":
    main()
