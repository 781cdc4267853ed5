"""Learning from boards with auctions: which hands made each call, and what they have in common.

Boards are gone through twice or more: first every call is counted, then the hands of those calls
that were made often enough. Where there are too many of them for the memory allowed, they are
learned in groups, and the boards are gone through once more for each group.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import InvalidInput
from bidcascade.kernels import Backend, DealArrays
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.decisions import CallLists, find_decisions

from .bounds import DEFAULT_QUANTILES, bounds_frame, read_quantiles
from .expression_grid import expression_grid
from .implication import Implications
from .measures import DEFAULT_FLAGS, DEFAULT_LANES, Measures, make_measures
from .rules import RULE_SCHEMA, Thresholds, rules_frame
from .slots import CallCounts, make_slots
from .tally import Tally

I64 = NDArray[np.int64]

Boards: TypeAlias = tuple[DealArrays, CallLists]
"""Some boards: deals, and the legal part of their auctions, calls from the dealer on."""

BOUNDS: Final = "learned_bounds"
RULES: Final = "learned_rules"
"""Names of the extras of a table that has learned."""

MINIMUM_HANDS: Final = 20
CHUNK: Final = 1 << 15
"""Boards counted at a time."""
MEMORY: Final = 1 << 30
"""Bytes that counters take at most, by default; what else is needed is small beside them."""


@dataclass(frozen=True, slots=True)
class Options:
    """What is to be learned.

    Parameters
    ----------
    minimum_hands : int
        Fewest hands of a call that is learned.
    quantiles : tuple of two shares
        As text, float or Fraction; at most six decimals.
    lanes, flags : sequence of str
        Number terms with bounds, truth values with rates.
    rules : Thresholds, optional
        When expressions are rules; None to learn bounds alone.
    expressions : sequence of str
        What rules may be made of, besides the table's own expressions.
    grid : bool
        Whether rules may be made of the grid over the terms, too.
    memory : int
        Bytes that counters may take.

    Examples
    --------
    >>> Options(minimum_hands=0)
    Traceback (most recent call last):
    ...
    bidcascade.bridge.errors.InvalidInput: expected at least one hand, got 0
    """

    minimum_hands: int = MINIMUM_HANDS
    quantiles: tuple[str | float | Fraction, str | float | Fraction] = DEFAULT_QUANTILES
    lanes: Sequence[str] = DEFAULT_LANES
    flags: Sequence[str] = DEFAULT_FLAGS
    rules: Thresholds | None = None
    expressions: Sequence[str] = ()
    grid: bool = False
    memory: int = MEMORY

    def __post_init__(self) -> None:
        if self.minimum_hands < 1:
            raise InvalidInput(f"expected at least one hand, got {self.minimum_hands!r}")
        read_quantiles(*self.quantiles)

    def measures(self, table: BiddingTable) -> Measures:
        """Decide what is counted for a table."""
        expressions: list[str] = []
        if self.rules is not None:
            expressions += [*table.expressions, *self.expressions]
            if self.grid:
                expressions += expression_grid(table.vocabulary)
        return make_measures(
            table.vocabulary, lanes=self.lanes, flags=self.flags, expressions=expressions
        )


@dataclass(frozen=True, slots=True)
class Learned:
    """What was learned of a table.

    Parameters
    ----------
    bounds, rules : polars.DataFrame
        By entry; see :func:`bounds_frame` and :func:`rules_frame`. Rules are None where none were
        asked for.
    counts : CallCounts
        Hands of every call.
    expressions : int
        Distinct expressions that rules could be made of.

    Examples
    --------
    >>> from bidcascade.table.build import build_table
    >>> table, _ = build_table([{"prior": "", "call": "P"}])
    >>> nothing = learn(table, list)
    >>> nothing.to_dict()["entries_learned"], nothing.on(table).extras
    (0, ('learned_bounds',))
    """

    bounds: pl.DataFrame
    rules: pl.DataFrame | None
    counts: CallCounts
    expressions: int

    def on(self, table: BiddingTable) -> BiddingTable:
        """Table with the extras :data:`BOUNDS` and :data:`RULES`, without those of before."""
        table = table.with_extra(BOUNDS, self.bounds).without_extra(RULES)
        return table if self.rules is None else table.with_extra(RULES, self.rules)

    def to_dict(self) -> dict[str, int]:
        """Give the counts for people and programs."""
        counts = self.counts
        found = {
            "boards": counts.boards,
            "calls": counts.calls,
            "calls_outside": int(counts.outside.sum()),
            "calls_beyond": counts.beyond,
            "entries_reached": int(np.count_nonzero(counts.hands)),
            "entries_learned": self.bounds.height,
        }
        if self.rules is not None:
            found["expressions"] = self.expressions
            found["entries_with_rules"] = self.rules["entry"].n_unique()
            found["rules"] = self.rules.height
        return found


def learn(
    table: BiddingTable,
    boards: Callable[[], Iterable[Boards]],
    options: Options | None = None,
    *,
    backend: Backend | None = None,
    progress: Callable[[int, int, int], None] | None = None,
) -> Learned:
    """Learn what the calls of a table show from boards on which they were made.

    The order of the boards and how they are cut into pieces make no difference.

    Parameters
    ----------
    table : BiddingTable
    boards : callable
        Called once for every time the boards are gone through; gives the same boards each time.
    options : Options, optional
    backend : Backend, optional
        What evaluates expressions; ``auto`` if not given.
    progress : callable, optional
        Called with the number of the pass from 1 on, the passes, and the boards of this pass.

    Examples
    --------
    >>> import polars as pl
    >>> from bidcascade.kernels.dealing import deal_hands
    >>> from bidcascade.table.build import build_table
    >>> table, _ = build_table([{"prior": "", "call": "P"}])
    >>> zeros = np.zeros(50, np.uint8)
    >>> auctions = CallLists.of(pl.Series([[0]] * 50, dtype=pl.List(pl.UInt8)))
    >>> boards = [(DealArrays(deal_hands(1, 0, 50), zeros, zeros), auctions)]
    >>> learn(table, lambda: boards).bounds.select("entry", "hands", "HCP_min", "HCP_max").row(0)
    (0, 50, 2, 19)
    """
    options = options or Options()
    measures = options.measures(table)
    low, high = read_quantiles(*options.quantiles)
    report = progress or _silent
    counts = CallCounts.of(table)
    for piece in _pieces(boards()):
        counts.add(find_decisions(table, piece[1], piece[0].dealer), len(piece[0]))
        report(1, 0, counts.boards)
    entries = np.flatnonzero(counts.hands >= options.minimum_hands)
    groups = _groups(table, entries, measures, options)
    implications = Implications(measures)
    bounds, rules = [], [pl.DataFrame(schema=RULE_SCHEMA)]
    for number, group in enumerate(groups):
        slots = make_slots(table, group, with_others=options.rules is not None)
        tally = Tally(measures, slots, backend)
        done = 0
        for deals, auctions in _pieces(boards()):
            tally.add(find_decisions(table, auctions, deals.dealer), deals)
            done += len(deals)
            report(number + 2, len(groups) + 1, done)
        bounds.append(bounds_frame(tally, low, high))
        if options.rules is not None:
            rules.append(rules_frame(tally, options.rules, implications))
    others = (counts.at_place(table) - counts.hands)[entries].astype(np.uint32)
    frame = pl.concat(bounds)
    frame.insert_column(2, pl.Series("others", others))
    return Learned(
        frame,
        None if options.rules is None else pl.concat(rules),
        counts,
        len(measures.expressions),
    )


def _silent(number: int, passes: int, boards: int) -> None:
    pass


def _pieces(boards: Iterable[Boards]) -> Iterator[Boards]:
    for deals, auctions in boards:
        for start in range(0, len(deals), CHUNK):
            stop = min(start + CHUNK, len(deals))
            if stop - start == len(deals):
                yield deals, auctions
                continue
            offsets = auctions.offsets[start : stop + 1]
            calls = auctions.calls[offsets[0] : offsets[-1]]
            yield deals.slice(start, stop), CallLists(calls, offsets - offsets[0])


def _groups(table: BiddingTable, entries: I64, measures: Measures, options: Options) -> list[I64]:
    """Entries in groups whose counters fit the memory allowed; those of a place stay together."""
    bytes_of_slot = 4 * (measures.cell_count + len(measures.bits)) + 16
    most = max(1, options.memory // bytes_of_slot)
    place = table.parents[entries]
    starts = np.flatnonzero(np.append(True, place[1:] != place[:-1])[: len(entries)]).tolist()
    # each place may have a slot for its other calls
    ends = [*starts[1:], len(entries)][: len(starts)]
    cuts, slots = [0], 0
    for start, end in zip(starts, ends, strict=True):
        needed = end - start + (options.rules is not None)
        if slots and slots + needed > most:
            cuts.append(start)
            slots = 0
        slots += needed
    return [entries[begin:end] for begin, end in pairwise([*cuts, len(entries)])]
