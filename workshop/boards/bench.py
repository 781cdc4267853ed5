"""A fixed benchmark of one bidder: boards of the bank, matches with systems, distance from par.

The boards follow from a seed, so whoever takes the same ones gets the same numbers. The bidder
plays each opponent at two tables (:mod:`.compare`), and bids all four seats as in
:mod:`.yardstick`, where the first opponent's bidding stands beside it. Calls that are illegal or
cannot be read count as passes, and are told.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from threading import Event
from typing import Final

import numpy as np
import polars as pl

from bidcascade.bridge import InvalidInput, ShownAnswer
from bidcascade.inference.double_dummy.abstract_solver import DoubleDummy
from bidcascade.inference.double_dummy.solved_deals import BANK_SEED, HELD_OUT, bench_boards
from bidcascade.inference.double_dummy.table_cache import TableCache, solved_tables, user_tables
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.seats.foreign.bidding import EngineFault, Player, bid_out
from bidcascade.systems import System

from .compare import SystemMatch
from .compare_summary import Estimate, summarize
from .scored_boards import Budget, MatchProgress
from .yardstick import MeasuredBoards, Yardstick, measure_archive

MOST_FAULTS: Final = 5
"""Messages of faults that are kept, of each kind."""
SOURCE: Final = "bank"
DEFAULT_BOARDS: Final = 1000


@dataclass(frozen=True, slots=True, repr=False)
class BenchMatch(ShownAnswer):
    """What came of the match with one opponent, for the bidder."""

    against: str
    digest: str
    scores: dict[str, Estimate]
    """Means a deal of all that a match is scored by, by the names of its summary."""
    outcomes: dict[str, Estimate]
    """Parts of the deals, as :class:`.compare_summary.MatchSummary` has them."""


@dataclass(frozen=True, slots=True, repr=False)
class Bench(ShownAnswer):
    """A bidder on fixed boards."""

    name: str
    digest: str
    """Empty where nothing tells."""
    part: str
    seed: int
    boards: int
    matches: tuple[BenchMatch, ...]
    calls: dict[str, int]
    """Calls by kind of fault: ``illegal``, ``unreadable``."""
    requests: int
    """Calls that a foreign engine was asked for; 0 of a system."""
    faults: tuple[EngineFault, ...]
    """The first ones of each kind; deals by their numbers in the bank."""
    yardstick: Yardstick
    seconds: float
    """That a foreign engine took for its calls."""


def bench(
    bidder: Player,
    opponents: Sequence[System],
    solver: DoubleDummy,
    *,
    boards: int = DEFAULT_BOARDS,
    seed: int = 0,
    part: str = HELD_OUT,
    cache: TableCache | None = None,
    progress: MatchProgress | None = None,
    cancel: Event | None = None,
) -> tuple[Bench, pl.DataFrame]:
    """Measure a bidder.

    Parameters
    ----------
    bidder
        A system or a foreign engine.
    opponents
        At least one; the first one bids beside it against par.
    solver
        For boards that are not solved.
    boards, seed, part
        As :func:`.double_dummy.solved_deals.bench_boards` has them.
    cache
        Tables solved before; by default the user's own.
    progress, cancel
        As :class:`.compare.SystemMatch` has them.

    Returns
    -------
    Bench, polars.DataFrame
        The frame is that of :func:`.yardstick.measure_archive`; ``record`` is the number in the
        bank.

    Raises
    ------
    InvalidInput
        If there are no opponents or no such boards.
    EngineFailed
        If a foreign engine ends, or answers too late or too much.
    DoubleDummyFailed, BackendUnavailable, Cancelled
        As the solver does.
    """
    if not opponents:
        raise InvalidInput("expected at least one system to measure against, got none")
    report: MatchProgress = progress or (lambda what, done, total: None)
    numbers = bench_boards(boards, seed, part)
    frame = random_deals(int(numbers[-1]) + 1, BANK_SEED)[numbers]
    deals = deal_arrays(frame)
    tables = solved_tables(
        deals.hands,
        solver,
        user_tables() if cache is None else cache,
        cancel=cancel,
        progress=lambda done, total: report("double dummy", done, total),
    )
    faults: list[EngineFault] = []
    matches = []
    for opponent in opponents:
        match = SystemMatch(
            bidder, opponent, deals, seed=seed, faults=faults, progress=progress, cancel=cancel
        )
        match.work_out(None, Budget(), tables)
        matches.append(_bench_match(match, opponent))
    auctions = bid_out(opponents[0], opponents[0], deals)
    archive = MeasuredBoards(
        frame.with_columns(
            auction=pl.Series([list(one) for one in auctions], dtype=pl.List(pl.UInt8)),
            source=pl.lit(SOURCE),
            record=pl.Series(numbers.astype(np.uint32)),
        ),
        deals,
        np.arange(boards),
        {},
        opponents[0].name,
    )
    known = TableCache()
    known.add(deals.hands, tables)
    yardstick, rows = measure_archive(
        [bidder, *opponents[1:]],
        archive,
        solver,
        cache=known,
        faults=faults,
        progress=progress,
        cancel=cancel,
    )
    kinds = Counter(one.kind for one in faults)
    shown = [
        _by_bank(one, int(numbers[one.deal]))
        for kind in sorted(kinds)
        for one in [fault for fault in faults if fault.kind == kind][:MOST_FAULTS]
    ]
    requests, seconds = (
        (0, 0.0) if isinstance(bidder, System) else (bidder.requests, bidder.seconds)
    )
    result = Bench(
        bidder.name,
        bidder.digest,
        part,
        seed,
        boards,
        tuple(matches),
        dict(sorted(kinds.items())),
        requests,
        tuple(shown),
        yardstick,
        seconds,
    )
    return result, rows


def _by_bank(fault: EngineFault, number: int) -> EngineFault:
    """Call a deal by its number in the bank."""
    message = fault.message.removeprefix(f"deal {fault.deal}, ")
    return EngineFault(number, fault.kind, f"deal {number} of the bank, {message}")


def _bench_match(match: SystemMatch, opponent: System) -> BenchMatch:
    summary = summarize(match, examples=0, most_divergences=0)
    scores = {
        one.name: value
        for one in fields(summary)
        # a score that was not worked out has no value
        if isinstance(value := getattr(summary, one.name), Estimate) and value.value is not None
    }
    return BenchMatch(opponent.name, opponent.digest, scores, summary.outcomes)
