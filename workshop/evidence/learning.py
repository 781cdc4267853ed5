"""Learning from boards with auctions: which hands made each call, and what they have in common.

Boards are gone through twice or more: first every call is counted, then the hands of those calls
that were made often enough. Where there are too many of them for the memory allowed, they are
learned in groups, and the boards are gone through once more for each group.

**Bounds** are what the hands that really made a call had, value by value. The quantile ``q`` of a
term is the smallest value ``v`` such that at least the share ``q`` of the hands has a value of at
most ``v``: the inverse of the distribution function, type 1 of Hyndman and Fan (1996). It is worked
out in whole numbers from the counts, without rounding; quantile 0 is the smallest value.

**Rules** set the hands of a call apart from those of the other calls at its place. For a call with
``P`` hands at a place where ``N`` hands made another call, an expression that holds for ``p`` of
the one and ``n`` of the other has

    positive rate  p / P
    negative rate  n / N
    lift           (p / P) / ((p + n) / (P + N))

Lift is that of association rules (Brin, Motwani, Ullman and Tsur 1997): how many times as often
the expression holds where the call is made as at the place on the whole, which is also how many
times as often the call is made where the expression holds.

Rules are meant to be joined by AND. Of two expressions of which one follows from the other only
one is kept, the one with more lift, and with equal lift the one that more hands of the call have:
``HCP >= 15`` makes ``HCP >= 12`` superfluous unless ``HCP >= 12`` tells the call apart better.
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
from bidcascade.kernels.types import I64, U32
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.columns import NONE_U32
from bidcascade.table.real_calls import CallLists, RealCalls, expression_rows, find_real_calls

from .measures import (
    DEFAULT_FLAGS,
    DEFAULT_LANES,
    Implications,
    LaneRange,
    Measures,
    expression_grid,
    make_measures,
)

DealsWithCalls: TypeAlias = tuple[DealArrays, CallLists]
"""Some boards: deals, and the legal part of their auctions, calls from the dealer on."""

BOUNDS: Final = "learned_bounds"
RULES: Final = "learned_rules"
"""Names of the extras of a table that has learned."""

RULE_SCHEMA: Final = pl.Schema(
    {"entry": pl.UInt32(), "expression": pl.String()}
    | dict.fromkeys(("positive_rate", "negative_rate", "lift"), pl.Float64())
    | dict.fromkeys(("positives", "negatives", "hands", "others"), pl.UInt32())
)
"""Columns of learned rules: ``positives`` of the call's ``hands``, ``negatives`` of ``others``."""

CHUNK: Final = 1 << 15
"""Boards counted at a time."""
_HISTOGRAMS_AT_ONCE: Final = 1 << 14
_SLOTS_AT_ONCE: Final = 2048


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When an expression is a rule.

    Parameters
    ----------
    others : int
        Fewest hands that made another call at the place.
    positive_rate : float
        Least share of the call's hands for which it holds.
    negative_rate : float
        Largest share of the other hands for which it holds.
    lift : float
        Least lift.
    rules : int
        Most rules of a call, those with most lift.

    Raises
    ------
    InvalidInput
        If a number is out of range.

    Examples
    --------
    >>> Thresholds(positive_rate=1.5)
    Traceback (most recent call last):
    ...
    bidcascade.bridge.errors.InvalidInput: expected a positive rate from 0 to 1, got 1.5
    """

    others: int = 20
    positive_rate: float = 0.98
    negative_rate: float = 0.9
    lift: float = 1.05
    rules: int = 10

    def __post_init__(self) -> None:
        rates = {"positive rate": self.positive_rate, "negative rate": self.negative_rate}
        for name, rate in rates.items():
            if not 0 <= rate <= 1:
                raise InvalidInput(f"expected a {name} from 0 to 1, got {rate!r}")
        if not self.lift >= 0:
            raise InvalidInput(f"expected a lift of at least 0, got {self.lift!r}")
        for name, number in {"others": self.others, "rules": self.rules}.items():
            if number < 1:
                raise InvalidInput(f"expected at least 1 as the number of {name}, got {number!r}")


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
        Bytes that counters take at most; what else is needed is small beside them.

    Examples
    --------
    >>> Options(minimum_hands=0)
    Traceback (most recent call last):
    ...
    bidcascade.bridge.errors.InvalidInput: expected at least one hand, got 0
    """

    minimum_hands: int = 20
    quantiles: tuple[str | float | Fraction, str | float | Fraction] = ("0.01", "0.99")
    lanes: Sequence[str] = DEFAULT_LANES
    flags: Sequence[str] = DEFAULT_FLAGS
    rules: Thresholds | None = None
    expressions: Sequence[str] = ()
    grid: bool = False
    memory: int = 1 << 30

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
    """What was learned of a table; see :func:`bounds_frame` and :func:`rules_frame`."""

    bounds: pl.DataFrame
    rules: pl.DataFrame | None  # None where none were asked for
    counts: "CallCounts"
    expressions: int  # distinct ones that rules could be made of

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
    boards: Callable[[], Iterable[DealsWithCalls]],
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
    quantiles = read_quantiles(*options.quantiles)
    report = progress or (lambda number, passes, done: None)
    counts = CallCounts(table)
    for deals, auctions in _pieces(boards()):
        counts.add(find_real_calls(table, auctions, deals.dealer), len(deals))
        report(1, 0, counts.boards)
    entries = np.flatnonzero(counts.hands >= options.minimum_hands)
    groups = _groups(table, entries, measures, options)
    implications = Implications(measures)
    bounds, rules = [], [pl.DataFrame(schema=RULE_SCHEMA)]
    for number, group in enumerate(groups, start=2):
        tally = LearningTally(
            measures, EntrySlots(table, group, with_others=options.rules is not None), backend
        )
        done = 0
        for deals, auctions in _pieces(boards()):
            tally.add(find_real_calls(table, auctions, deals.dealer), deals)
            done += len(deals)
            report(number, len(groups) + 1, done)
        bounds.append(bounds_frame(tally, quantiles))
        if options.rules is not None:
            rules.append(rules_frame(tally, options.rules, implications))
    others = (counts.at_place(table) - counts.hands)[entries].astype(np.uint32)
    frame = pl.concat(bounds).insert_column(2, pl.Series("others", others))
    return Learned(
        frame,
        None if options.rules is None else pl.concat(rules),
        counts,
        len(measures.expressions),
    )


def _pieces(boards: Iterable[DealsWithCalls]) -> Iterator[DealsWithCalls]:
    for deals, auctions in boards:
        for start in range(0, len(deals), CHUNK):
            stop = min(start + CHUNK, len(deals))
            yield deals.slice(start, stop), auctions.slice(start, stop)


def _groups(table: BiddingTable, entries: I64, measures: Measures, options: Options) -> list[I64]:
    """Entries in groups whose counters fit the memory allowed; those of a place stay together."""
    bytes_of_slot = 4 * (measures.cell_count + len(measures.bits)) + 16
    most = max(1, options.memory // bytes_of_slot)
    starts = _starts_of_places(table, entries).tolist()
    cuts, slots = [0], 0
    for start, end in pairwise([*starts, len(entries)]):
        # each place may have a slot for its other calls
        needed = end - start + (options.rules is not None)
        if slots and slots + needed > most:
            cuts.append(start)
            slots = 0
        slots += needed
    return [entries[begin:end] for begin, end in pairwise([*cuts, len(entries)])]


def _starts_of_places(table: BiddingTable, entries: I64) -> I64:
    """Where the entries of each place begin among some that ascend."""
    return np.flatnonzero(np.diff(table.parents[entries].astype(np.int64), prepend=-1))


# --- who is counted where ------------------------------------------------------------------------


class CallCounts:
    """How many hands made each call of a table; additive."""

    def __init__(self, table: BiddingTable) -> None:
        self.hands: I64 = np.zeros(len(table), np.int64)
        """Hands that made the call of each entry."""
        self.outside: I64 = np.zeros(len(table) + 1, np.int64)
        """Hands that made a call the table does not have, by the entry before it; the last is for
        the opening."""
        self.boards = 0
        self.calls = 0
        """Calls that were found or are the first outside the table."""
        self.beyond = 0
        """Calls behind such a one."""

    def add(self, decisions: RealCalls, boards: int) -> None:
        """Count the calls of some boards."""
        known = decisions.entry != NONE_U32
        # work that grows with the calls, not with the table
        np.add.at(self.hands, decisions.entry[known], 1)
        np.add.at(self.outside, np.minimum(decisions.place[~known], len(self.hands)), 1)
        self.boards += boards
        self.calls += len(decisions)
        self.beyond += decisions.beyond

    def at_place(self, table: BiddingTable) -> I64:
        """Hands at each entry's place, whatever they called, int64[entries]."""
        place = np.minimum(table.parents, len(table)).astype(np.int64)
        there: I64 = self.outside.copy()
        np.add.at(there, place, self.hands)
        return there[place]


OTHERS = NONE_U32
"""Stands in :attr:`EntrySlots.entry` for the slot of all other calls at a place."""


class EntrySlots:
    """A slot for each entry that is learned, and one for all other calls at its place.

    The hands of a slot are those that made its call. What the others at a place show is the
    background of rules: the calls that are too rare to be learned, and those that the table does
    not have. Slots come in the order of entries, which ascend; those of one place stand together,
    its others last.
    """

    def __init__(self, table: BiddingTable, entries: I64, *, with_others: bool) -> None:
        count = len(table)
        starts = _starts_of_places(table, entries)
        sizes = np.diff(np.append(starts, len(entries)))
        before = np.repeat(np.arange(len(starts)), sizes) if with_others else 0
        slot = np.arange(len(entries)) + before
        self.entry: U32 = np.full(len(entries) + with_others * len(starts), OTHERS, np.uint32)
        """Entry whose hands are counted, :data:`OTHERS` for all other calls of the place."""
        self.entry[slot] = entries
        self.first: I64 = slot[starts]
        """First slot of each place."""
        # the last of each stands for what is no entry
        self._slot_of_entry: U32 = np.full(count + 1, NONE_U32, np.uint32)
        self._slot_of_entry[entries] = slot
        self._others_of_place: U32 = np.full(count + 1, NONE_U32, np.uint32)
        if with_others:
            place = np.minimum(table.parents[entries[starts]], count)
            self._others_of_place[place] = self.first + sizes

    def of(self, decisions: RealCalls) -> U32:
        """Slot of each call, 0xFFFFFFFF where it is not counted, uint32[n]."""
        last = len(self._slot_of_entry) - 1
        slots = self._slot_of_entry[np.minimum(decisions.entry, last)]
        uncounted = slots == NONE_U32
        slots[uncounted] = self._others_of_place[np.minimum(decisions.place[uncounted], last)]
        return slots


class LearningTally:
    """Counts of some slots, exact; boards may come in any order and in pieces of any size."""

    def __init__(
        self, measures: Measures, slots: EntrySlots, backend: Backend | None = None
    ) -> None:
        self.measures = measures
        self.slots = slots
        self._backend = backend
        size = len(slots.entry)
        self.values: U32 = np.zeros((size, measures.cell_count), np.uint32)
        """Hands at each value of each lane, uint32[slots, cells]."""
        self.truths: U32 = np.zeros((size, len(measures.bits)), np.uint32)
        """Hands for which each bit holds, uint32[slots, bits]."""
        self.hands: I64 = np.zeros(size, np.int64)
        """Hands of each slot."""

    def add(self, decisions: RealCalls, deals: DealArrays) -> None:
        """Count the calls of some boards."""
        from bidcascade.kernels.core.tables.real_calls import add_bits

        slots = self.slots.of(decisions)
        counted = slots != NONE_U32
        slots, hands = slots[counted], decisions.hand[counted]
        if not len(slots):
            return
        np.add.at(self.hands, slots, 1)
        if self.values.size:
            cells = self.measures.cells_of(deals)
            rows = slots.astype(np.int64) * self.values.shape[1]
            flat = self.values.reshape(-1)
            for lane in range(cells.shape[1]):
                np.add.at(flat, rows + cells[hands, lane], np.uint32(1))
        if self.truths.size:
            bits = expression_rows(
                self.measures.bits, deals, self.measures.vocabulary, self._backend
            )
            add_bits(bits, hands, slots, self.truths)

    def of_expressions(self, first: int, last: int) -> I64:
        """Hands of slots ``first`` to before ``last`` with each expression, int64[slots, n]."""
        values = self.values[first:last]
        running = np.zeros((last - first, values.shape[1] + 1), np.int64)
        np.cumsum(values, axis=1, out=running[:, 1:])
        counts = np.zeros((last - first, len(self.measures.sources)), np.int64)
        for number, source in enumerate(self.measures.sources):
            if not isinstance(source, LaneRange):
                counts[:, number] = self.truths[first:last, source]
            elif source.low <= source.high:
                lane = self.measures.lanes[source.lane]
                shift = lane.first - lane.low
                counts[:, number] = (
                    running[:, source.high + 1 + shift] - running[:, source.low + shift]
                )
        return counts


# --- bounds --------------------------------------------------------------------------------------


def read_quantiles(
    low: str | float | Fraction, high: str | float | Fraction
) -> tuple[Fraction, Fraction]:
    """Two shares as exact fractions."""
    shares = []
    for text in (low, high):
        try:
            share = Fraction(str(text))
        except (ValueError, ZeroDivisionError):
            share = Fraction(-1)
        if not 0 <= share <= 1 or 1_000_000 % share.denominator:
            raise InvalidInput(
                f"expected a quantile from 0 to 1 with at most six decimals, got {str(text)[:40]!r}"
            )
        shares.append(share)
    if shares[0] >= shares[1]:
        raise InvalidInput(f"expected a lower and an upper quantile, got {low!s} and {high!s}")
    return shares[0], shares[1]


def positions(counts: NDArray[np.unsignedinteger], shares: Sequence[Fraction]) -> I64:
    """Quantiles of histograms, none of them empty, as positions: int64[shares, histograms]."""
    running = np.cumsum(counts, axis=1, dtype=np.int64)
    found = np.empty((len(shares), len(counts)), np.int64)
    for place, share in enumerate(shares):
        wanted = -(-share.numerator * running[:, -1] // share.denominator)
        found[place] = np.argmax(running >= np.maximum(wanted, 1)[:, None], axis=1)
    return found


def bounds_frame(tally: LearningTally, quantiles: tuple[Fraction, Fraction]) -> pl.DataFrame:
    """Bounds and rates of the learned entries.

    ``entry``, ``hands``; per lane ``HCP_min``, ``HCP_low``, ``HCP_high``, ``HCP_max`` (Int16;
    Float32 where the term has halves): extremes and quantiles; per flag ``Balanced_rate``.
    """
    own = np.flatnonzero(tally.slots.entry != OTHERS)
    hands = tally.hands[own]
    columns = {"entry": tally.slots.entry[own], "hands": hands.astype(np.uint32)}
    shares = (Fraction(0), *quantiles, Fraction(1))
    for lane in tally.measures.lanes:
        found = np.empty((4, len(own)), np.int64)
        for start in range(0, len(own), _HISTOGRAMS_AT_ONCE):
            some = slice(start, start + _HISTOGRAMS_AT_ONCE)
            found[:, some] = positions(tally.values[own[some], lane.cells], shares) + lane.low
        for name, values in zip(("min", "low", "high", "max"), found, strict=True):
            columns[f"{lane.name}_{name}"] = (
                values.astype(np.int16)
                if lane.scale == 1
                else (values / lane.scale).astype(np.float32)
            )
    for flag in tally.measures.flags:
        held = tally.truths[own, tally.measures.bits.index(flag)]
        columns[f"{flag}_rate"] = held / hands
    return pl.DataFrame(columns)


# --- rules ---------------------------------------------------------------------------------------


def rules_frame(
    tally: LearningTally, thresholds: Thresholds, implications: Implications
) -> pl.DataFrame:
    """Rules of the learned entries as :data:`RULE_SCHEMA`, by entry, then by lift, largest first.

    The tally has slots for all other calls of a place; the implications are of its measures.
    """
    parts = [pl.DataFrame(schema=RULE_SCHEMA)]
    first = tally.slots.first
    ends = np.append(first[1:], len(tally.slots.entry))
    begin = 0
    while begin < len(first):
        # whole places, about a block of slots at a time
        end = int(np.searchsorted(ends, first[begin] + _SLOTS_AT_ONCE, side="right"))
        end = max(end, begin + 1)
        parts.append(
            _rules_of_places(tally, first[begin:end], int(ends[end - 1]), thresholds, implications)
        )
        begin = end
    return pl.concat(parts)


def _rules_of_places(
    tally: LearningTally, first: I64, last: int, thresholds: Thresholds, implications: Implications
) -> pl.DataFrame:
    start = int(first[0])
    held = tally.of_expressions(start, last)
    hands = tally.hands[start:last]
    sizes = np.diff(np.append(first, last))
    there = np.repeat(np.add.reduceat(hands, first - start), sizes)
    held_there = np.repeat(np.add.reduceat(held, first - start, axis=0), sizes, axis=0)
    others = there - hands
    learned = tally.slots.entry[start:last] != OTHERS
    rows = np.flatnonzero(learned & (others >= thresholds.others) & (hands > 0))
    held, held_there = held[rows], held_there[rows]
    hands, others = hands[rows, None], others[rows, None]
    negatives = held_there - held
    positive_rate, negative_rate = held / hands, negatives / others
    with np.errstate(invalid="ignore", divide="ignore"):
        # nothing is rounded but the result: the products are whole numbers below 2**53
        lift = (held * (hands + others)) / (hands * held_there)
    is_rule = (
        (held > 0)
        & (positive_rate >= thresholds.positive_rate)
        & (negative_rate <= thresholds.negative_rate)
        & (lift >= thresholds.lift)
    )
    row, expression = np.nonzero(is_rule)
    order = np.lexsort((expression, -held[row, expression], -lift[row, expression], row))
    row, expression = row[order], expression[order]
    chosen = _choose(row, expression, thresholds.rules, implications)
    row, expression = row[chosen], expression[chosen]
    texts = pl.Series(tally.measures.expressions, dtype=pl.String)
    return pl.DataFrame(
        {
            "entry": tally.slots.entry[start + rows[row]],
            "expression": texts.gather(expression),
            "positive_rate": positive_rate[row, expression],
            "negative_rate": negative_rate[row, expression],
            "lift": lift[row, expression],
            "positives": held[row, expression].astype(np.uint32),
            "negatives": negatives[row, expression].astype(np.uint32),
            "hands": hands[row, 0].astype(np.uint32),
            "others": others[row, 0].astype(np.uint32),
        },
        schema=RULE_SCHEMA,
    )


def _choose(row: I64, expression: I64, most: int, implications: Implications) -> I64:
    """Positions of the rules that stay; candidates come by row, best first."""
    follows = implications.follows
    chosen: list[int] = []
    current = -1
    beside: list[int] = []
    for position, (place, number) in enumerate(zip(row.tolist(), expression.tolist(), strict=True)):
        if place != current:
            current, beside = place, []
        if len(beside) < most and not any(
            follows(number, one) or follows(one, number) for one in beside
        ):
            chosen.append(position)
            beside.append(number)
    return np.array(chosen, np.int64)
