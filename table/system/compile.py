"""From a system to a bidding table, grown where deals go.

A sample of deals is bid from the root on. A place is expanded when a deal reaches it; its entries
become rows of the table, also those that no deal of the sample chose. So the table is as wide as
the bidding is; places outside it are expanded when somebody asks.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import PASS
from bidcascade.kernels import DealArrays, get_backend
from bidcascade.kernels.dealing import deal_hands
from bidcascade.kernels.plan import expressions_plan
from bidcascade.kernels.types import U64
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.build import TableBuilder
from bidcascade.table.language.expression_tree import Expression, Not, Or, format_expression
from bidcascade.table.language.lowering import to_postfix
from bidcascade.table.language.vocabulary import Vocabulary
from bidcascade.table.row import Row

from .describing import agreements_of, description_of
from .expansion import Place, PlaceEntry
from .hand_space import bounds
from .system import System

if TYPE_CHECKING:
    from .bidder import Bidder

Indices = NDArray[np.int64]

DEFAULT_DEALS: Final = 20_000
_NO_ENTRY: Final = -1
DEFAULT_SEED: Final = 2026
KEPT_BYTES: Final = 1 << 30
"""Bit columns that a sample remembers at most."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a compilation has come: places and entries so far, and places of this depth."""

    depth: int
    """Calls of the auctions that are expanded now."""
    places: int
    entries: int
    open_places: int


@dataclass(slots=True)
class Sample:
    """Deals that a system is grown by, dealt by position 0; vulnerabilities at random.

    Examples
    --------
    >>> len(Sample.random(100, seed=1).deals)
    100
    """

    deals: DealArrays
    _columns: dict[tuple[int, Expression], U64] = field(default_factory=dict)

    @classmethod
    def random(cls, count: int, *, seed: int = DEFAULT_SEED) -> "Sample":
        """Deals of a seed; the same for the same seed."""
        vulnerability = np.random.default_rng(seed).integers(0, 4, count, dtype=np.uint8)
        return cls(DealArrays(deal_hands(seed, 0, count), np.zeros(count, np.uint8), vulnerability))

    def holding(
        self, expression: Expression, position: int, deals: Indices, vocabulary: Vocabulary
    ) -> NDArray[np.bool_]:
        """Which of some deals hold an expression at a position."""
        words = self._columns.get((position, expression))
        if words is None:
            if len(self._columns) * len(self.deals) > 8 * KEPT_BYTES:
                self._columns.clear()
            plan = expressions_plan([to_postfix(expression, vocabulary)], vocabulary.profile)
            found = get_backend("cpu").evaluate(plan, self.deals).words[0]
            for one in range(4):
                # a copy: a view would keep the columns of all four seats
                self._columns[one, expression] = found[one].copy()
            words = self._columns[position, expression]
        picked: U64 = words[deals >> 6] >> (deals & 63).astype(np.uint64)
        return (picked & np.uint64(1)).astype(np.bool_)


@dataclass(slots=True)
class Growth:
    """Bids a sample place by place, from the root on; not where fewer than ``least`` deals come."""

    bidder: "Bidder"
    sample: Sample
    least: int = field(default=1, kw_only=True)
    progress: Callable[[Progress], None] | None = field(default=None, kw_only=True)
    left_open: int = field(default=0, init=False)
    """Deals that reached a place which was not expanded."""

    def places(self) -> Iterator[tuple[Place, list[tuple[PlaceEntry | None, Indices]]]]:
        """Give expanded places, shorter auctions first, each with the deals every entry takes.

        The last item of a place has no entry: deals that pass by default.
        """
        places = entries = 0
        for depth, step in enumerate(self.bidder.steps(self.sample.deals, least=self.least)):
            order = np.lexsort((step.deals, step.entry, step.place))
            number, chosen, deals = step.place[order], step.entry[order], step.deals[order]
            starts = np.flatnonzero(np.diff(number, prepend=-1))
            if self.progress is not None:
                self.progress(Progress(depth, places, entries, len(starts)))
            for start, end in zip(starts, [*starts[1:], len(number)], strict=True):
                place, items = self.bidder.place_with_numbers(int(number[start]))
                bounds = np.searchsorted(chosen[start:end], [*items, _NO_ENTRY])
                ends = np.searchsorted(chosen[start:end], [*items, _NO_ENTRY], side="right")
                takers = zip((*place.entries, None), start + bounds, start + ends, strict=True)
                yield place, [(entry, deals[one:other]) for entry, one, other in takers]
                places += 1
                entries += len(place.entries)
        self.left_open = self.bidder.left_open


Written = dict[int, tuple[PlaceEntry, str, tuple[str, ...], tuple[str, ...], str]]
"""By the identity of an entry: it, its description, criteria, agreements and place in the text."""


def compile_system(
    system: System,
    *,
    deals: int = DEFAULT_DEALS,
    seed: int = DEFAULT_SEED,
    least: int = 1,
    opponents: System | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> BiddingTable:
    """Compile a system to a bidding table that is grown by random deals.

    Parameters
    ----------
    system
        Played by both sides, or by the dealer's where ``opponents`` are given.
    deals, seed
        How many deals it is grown by, and which.
    least
        A place is expanded when at least so many deals reach it.
    progress
        Called before each depth.

    Returns
    -------
    BiddingTable
        With policy ``allow``. Rows carry name, file and line, rank and agreements; where a call
        stands at two places of the order, its later rows exclude what the lines between take, so
        that mode ``first`` makes the call that the system makes.

    Examples
    --------
    >>> system = System.parse('''
    ... opening:
    ...   1NT = Strong notrump: 15-17 points, balanced
    ... after 1NT:
    ...   3NT = To play: 10+ points
    ... ''')
    >>> table = compile_system(system, deals=500)
    >>> table.find([7, 0, 17]) is not None
    True
    """
    bidder = system.bidder(opponents)
    growth = Growth(bidder, Sample.random(deals, seed=seed), least=least, progress=progress)
    builder = TableBuilder(undescribed="allow", source=source_of(system, opponents, deals, seed))
    written: Written = {}
    for place, _ in growth.places():
        builder.add(rows_of(place, bidder.sides[place.position % 2].rules.vocabulary, written))
    table, _ = builder.finish()
    return table


def source_of(system: System, opponents: System | None, deals: int, seed: int) -> str:
    r"""Say what a table was compiled from, for people and digests.

    Examples
    --------
    >>> source_of(System.parse("opening:\n  1C = Any: 0+ points", name="tiny"), None, 10, 1)[:24]
    'system tiny (grown by 10'
    """
    from .kept import text_digest

    against = f" against {opponents.name}" if opponents else ""
    grown = f"grown by {deals} deals, seed {seed}"
    return f"system {system.name}{against} ({grown}), {text_digest(system.text)}"


def rows_of(place: Place, vocabulary: Vocabulary, written: Written | None = None) -> Iterator[Row]:
    r"""Rows of a place in order; a pass by default is written out, so that deals can go on.

    What ``written`` has of an entry is not written again: many places have the same entries.

    Examples
    --------
    >>> system = System.parse("opening:\n  1NT = Strong: 15-17 points, balanced")
    >>> [(row.call, row.name) for row in rows_of(system.expand(), system.vocabulary)]
    [(7, 'Strong'), (0, 'Pass')]
    """
    written = {} if written is None else written
    prior = bytes(place.calls)
    first_rank: dict[int, int] = {}
    before: list[PlaceEntry] = []
    own = place.cells
    for number, entry in enumerate(place.entries):
        start = first_rank.setdefault(entry.call, number)
        between = [one for one in before[start:] if one.call != entry.call]
        before.append(entry)
        if any(not one.criteria for one in between):
            continue  # a line for any hand stands before: this one makes no call
        known = written.get(id(entry))
        if known is None:
            # with the entry, so that no other one gets its id
            known = written[id(entry)] = (
                entry, description_of(entry), tuple(map(format_expression, entry.criteria)),
                agreements_of(entry), str(entry.where),
            )  # fmt: skip
        _, description, criteria, agreements, where = known
        if between:
            excluded = _excluded(entry, between, own, vocabulary)
            criteria = (*criteria, *map(format_expression, excluded))
        yield Row(
            prior, entry.call, description, criteria, None, entry.name, number, agreements, where
        )
    if not any(entry.call == PASS for entry in place.entries):
        yield Row(prior, PASS, "", (), None, "Pass", len(place.entries), (), "")


def _excluded(
    entry: PlaceEntry, between: Sequence[PlaceEntry], own: int, vocabulary: Vocabulary
) -> Iterator[Expression]:
    """Deny the lines between two of one call, which the later one must leave alone."""
    mine = bounds(entry.expression, vocabulary).can & own
    for other in between:
        if bounds(other.expression, vocabulary).can & mine:
            denied = tuple(Not(one) for one in other.criteria)
            yield denied[0] if len(denied) == 1 else Or(denied)
