"""From a system to a bidding table, grown where deals go.

A sample of deals is bid from the root on. A place is expanded when a deal reaches it; its entries
become rows of the table, also those that no deal of the sample chose. So the table is as wide as
the bidding is; places outside it are expanded when somebody asks.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import PASS
from bidcascade.kernels import DealArrays, get_backend
from bidcascade.kernels.core.rows import ANY_HAND
from bidcascade.kernels.dealing import deal_hands
from bidcascade.kernels.plan import expressions_plan
from bidcascade.kernels.types import I32, U64
from bidcascade.systems.places.places import Place, PlaceEntry
from bidcascade.systems.system import System
from bidcascade.systems.words.describing import agreements_of, description_of
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.build import Said, TableBuilder
from bidcascade.table.language.expression_tree import Expression, Not, Or, format_expression
from bidcascade.table.language.lowering import to_postfix
from bidcascade.table.language.vocabulary import Vocabulary
from bidcascade.table.row import Row

if TYPE_CHECKING:
    from bidcascade.systems.auctions.bidder import Bidder, BiddingLevel

Indices = NDArray[np.int64]

DEFAULT_DEALS: Final = 20_000
_NO_ENTRY: Final = -1
_BEYOND: Final = 1 << 31
DEFAULT_SEED: Final = 2026
COLUMN_BYTES: Final = 1 << 30
"""Bit columns that a sample remembers at most."""


@dataclass(frozen=True, slots=True)
class CompileProgress:
    """How far a compilation has come: places and entries so far, and places of this depth."""

    depth: int
    """Calls of the auctions that are expanded now."""
    places: int
    entries: int
    open_places: int


@dataclass(slots=True)
class Sample:
    """Deals that a system is grown by, dealt by position 0; vulnerabilities at random."""

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
            if len(self._columns) * len(self.deals) > 8 * COLUMN_BYTES:
                self._columns.clear()
            plan = expressions_plan((to_postfix(expression, vocabulary),), vocabulary.profile)
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
    progress: Callable[[CompileProgress], None] | None = field(default=None, kw_only=True)
    left_open: int = field(default=0, init=False)
    """Deals that reached a place which was not expanded."""

    def steps(self) -> Iterator[tuple[I32, "BiddingLevel"]]:
        """Give what happens at every level, with the places that are reached there."""
        places = entries = 0
        for depth, step in enumerate(self.bidder.steps(self.sample.deals, least=self.least)):
            reached = np.unique(step.place)
            if self.progress is not None:
                self.progress(CompileProgress(depth, places, entries, len(reached)))
            yield reached, step
            places += len(reached)
            entries += self.bidder.entry_count(reached)
        self.left_open = self.bidder.left_open

    def places(self) -> Iterator[tuple[int, Place, list[tuple[PlaceEntry | None, Indices]]]]:
        """Give expanded places with their numbers, and the deals every entry takes.

        Shorter auctions come first. The last item of a place has no entry: deals that pass by
        default.
        """
        for reached, step in self.steps():
            order = np.lexsort((step.deals, step.entry, step.place))
            chosen, deals = step.entry[order], step.deals[order]
            starts = np.searchsorted(step.place[order], [*reached, _BEYOND]).tolist()
            for number, start, end in zip(reached.tolist(), starts, starts[1:], strict=False):
                place, items = self.bidder.place_with_numbers(number)
                bounds = np.searchsorted(chosen[start:end], [*items, _NO_ENTRY])
                ends = np.searchsorted(chosen[start:end], [*items, _NO_ENTRY], side="right")
                takers = zip((*place.entries, None), start + bounds, start + ends, strict=True)
                yield number, place, [(entry, deals[one:other]) for entry, one, other in takers]


def compile_system(
    system: System,
    *,
    deals: int = DEFAULT_DEALS,
    seed: int = DEFAULT_SEED,
    least: int = 1,
    opponents: System | None = None,
    progress: Callable[[CompileProgress], None] | None = None,
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
    writers = [_Writer(bidder, side, builder) for side in (0, 1)]
    for depth, (reached, _) in enumerate(growth.steps()):
        writers[depth % 2].write(reached, depth)
    table, _ = builder.finish()
    return table


def source_of(system: System, opponents: System | None, deals: int, seed: int) -> str:
    """Say what a table was compiled from, for people and digests."""
    from bidcascade.systems.digests import text_digest

    against = f" against {opponents.name}" if opponents else ""
    on = sorted(name for name, is_on in system.text.options.items() if is_on)
    chosen = f" ({', '.join(on)})" if on else ""
    grown = f"grown by {deals} deals, seed {seed}"
    return f"system {system.name}{chosen}{against} ({grown}), {text_digest(system.text)}"


class _Denial(NamedTuple):
    """Denial of a line by a later one of another call that must leave it alone."""

    text: str
    both: int
    """Cells where both can hold, and a number for them: to hash a large number takes its time."""
    number: int


class _Line(NamedTuple):
    entry: int
    rank: int
    denials: tuple[_Denial, ...]


class _Writer:
    """Writes the rows of one side's places; made once for all that say the same."""

    # of places with one list of entries only the denials differ that are of use: what the player
    # can still hold decides

    def __init__(self, bidder: "Bidder", side: int, builder: TableBuilder) -> None:
        self._bidder, self._program, self._builder = bidder, bidder.sides[side], builder
        self._lists: dict[int, list[_Line]] = {}
        self._made: dict[tuple[int, tuple[str, ...]], Said] = {}
        self._denials: dict[tuple[int, int], _Denial] = {}
        self._numbers: dict[int, int] = {}
        self._meeting: dict[tuple[int, int], bool] = {}

    def write(self, places: I32, depth: int) -> None:
        """Write the rows of places behind as many calls."""
        lists, known = self._bidder.lists_of(places, depth)
        alike: dict[tuple[int, ...], list[int]] = {}
        for at, (number, own) in enumerate(zip(lists.tolist(), known.tolist(), strict=True)):
            lines = self._lists.get(number)
            if lines is None:
                lines = self._lists[number] = list(self._lines_of(number))
            alike.setdefault((number, *self._of_use(lines, own)), []).append(at)
        auctions = self._bidder.auctions_to(places, depth)
        for (number, *of_use), found in alike.items():
            left = iter(of_use)
            rows = [
                self._row(entry, rank, tuple(one.text for one in denials if next(left)))
                for entry, rank, denials in self._lists[number]
            ]
            self._builder.add_behind(auctions[found], rows)

    def _of_use(self, lines: list[_Line], own: int) -> Iterator[bool]:
        """Whether each denial of some lines can meet a hand of a set of cells."""
        cells = None
        for line in lines:
            for denial in line.denials:
                known = self._meeting.get((denial.number, own))
                if known is None:
                    cells = self._bidder.cells(own) if cells is None else cells
                    known = self._meeting[denial.number, own] = bool(denial.both & cells)
                yield known

    def _lines_of(self, number: int) -> Iterator[_Line]:
        """Lines of a list; a pass by default is written out, so that deals can go on."""
        first_rank: dict[int, int] = {}
        before: list[tuple[int, int]] = []
        entries = self._program.core.rows("entries")
        for rank, entry in enumerate(self._bidder.entries_of_list(number)):
            call = int(entries[entry]["call"])
            start = first_rank.setdefault(call, rank)
            between = [other for other, made in before[start:] if made != call]
            before.append((entry, call))
            # behind a line for any hand it makes no call
            if all(entries[other]["needs"] != ANY_HAND for other in between):
                denials = (self._denial(entry, other) for other in between)
                yield _Line(entry, rank, tuple(one for one in denials if one.both))
        if not any(call == PASS for _, call in before):
            yield _Line(_NO_ENTRY, len(before), ())

    def _row(self, number: int, rank: int, denied: tuple[str, ...]) -> Said:
        made = self._made.get((number, denied))
        if made is None:
            if number == _NO_ENTRY:
                row = Row(b"", PASS, name="Pass")
            else:
                entry = self._program.entry(number, 0)
                row = Row(
                    b"",
                    entry.call,
                    description_of(entry),
                    entry.constraint.texts() + denied,
                    None,
                    entry.name,
                    tags=agreements_of(entry),
                    where=str(entry.where),
                )
            made = self._made[number, denied] = self._builder.said_of(row)
        return Said(*made[:4], rank, *made[5:])

    def _denial(self, entry: int, other: int) -> _Denial:
        known = self._denials.get((entry, other))
        if known is None:
            denied = tuple(map(Not, self._program.entry(other, 0).criteria))
            text = format_expression(denied[0] if len(denied) == 1 else Or(denied))
            both = self._cells_of(entry) & self._cells_of(other)
            number = self._numbers.setdefault(both, len(self._numbers))
            known = self._denials[entry, other] = _Denial(text, both, number)
        return known

    def _cells_of(self, entry: int) -> int:
        """Cells where some hand satisfies an entry."""
        return self._program.cells_of(entry)
