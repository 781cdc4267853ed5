"""The calls of an auction as conditions on hands: what must hold that the system makes each call.

A *step* is one call with the lines (*options*) that were looked at when it was made, in order. The
system makes the call with a hand if the first option that holds is one of this call; where none
holds it passes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from bidcascade.bridge import PASS, Auction, Seat, seat_of_call
from bidcascade.systems import System
from bidcascade.systems.expansion import Place, Rules
from bidcascade.systems.explanation import StatesAndPlaces
from bidcascade.systems.knowledge import EVERYTHING, Bounds, bounds
from bidcascade.systems.state import State
from bidcascade.table import BiddingTable, Vocabulary, parse_expression
from bidcascade.table.language.expression_tree import And, Expression, Term, Truth

Source: TypeAlias = System | BiddingTable | StatesAndPlaces
"""What calls mean: a system, a bidding table, or the places of two systems."""


@dataclass(frozen=True)
class OverlaidPlaces:
    """A system's places where overlays on its table changed nothing, the table where they did.

    Changed are the entries behind which something was changed, -1 for the opening.
    """

    places: StatesAndPlaces
    table: BiddingTable
    changed: frozenset[int]

    @property
    def sides(self) -> tuple[Rules, Rules]:
        """Systems of the dealer's side and of the other one."""
        return self.places.sides

    def place(self, calls: Sequence[int]) -> Place:
        """Entries of the system after a legal auction that goes on."""
        return self.places.place(calls)

    def state(self, calls: Sequence[int]) -> State:
        """State after a legal auction, as the system knows it."""
        return self.places.state(calls)

    def is_changed(self, calls: Sequence[int]) -> bool:
        """Whether the table says what follows an auction."""
        entry = self.table.find(calls) if calls else -1
        return entry in self.changed


Reading: TypeAlias = Literal["first", "any", "nothing"]
"""How a call is read: the system makes it; one of its lines holds, and earlier ones are not denied;
it says nothing."""


@dataclass(frozen=True, slots=True)
class Option:
    """One line of a place, of the call that was made or another; all criteria must hold."""

    is_made: bool
    name: str
    criteria: tuple[Expression, ...]
    reach: Bounds
    """Shapes and points with which a hand can, and must, meet the criteria."""


@dataclass(frozen=True, slots=True)
class Step:
    """One call of an auction, with the lines in the order in which they are tried."""

    number: int
    call: int
    seat: Seat
    options: tuple[Option, ...]
    vocabulary: Vocabulary
    reading: Reading = "first"
    dropped: int = 0
    """Conditions that were given up."""

    @property
    def is_known(self) -> bool:
        """Whether some hand makes the call: there is a line for it, or it is a pass by default."""
        return self.call == PASS or self.has_line

    @property
    def has_line(self) -> bool:
        """Whether there is a line for the call."""
        return any(option.is_made for option in self.options)

    def cells(self) -> int:
        """Set of shapes and points of the hands that may make the call, as it is read."""
        if self.reading == "nothing":
            return EVERYTHING
        denied = self.reading == "first"
        taken = shown = every = 0
        for option in self.options:
            every |= option.reach.must
            if option.is_made:
                shown |= option.reach.can & ~taken
            elif denied:
                taken |= option.reach.must
        # by default, where no line holds
        return shown | EVERYTHING & ~every if self.call == PASS else shown

    def narrowed(self, cells: int) -> "Step":
        """Step without the options that no hand of some cells meets, or that decide nothing."""
        kept = [option for option in self.options if option.reach.can & cells]
        while kept and self.call != PASS and not kept[-1].is_made:
            kept.pop()
        return replace(self, options=tuple(kept))


def read_auction(
    source: Source,
    calls: Sequence[int],
    dealer: Seat = Seat.NORTH,
    opponents: System | None = None,
) -> tuple[Step, ...]:
    """Give the steps of an auction, all read as the system makes them.

    ``opponents`` is the system of the other side; None is the one that the system names, or the
    same.
    """
    Auction.of(calls)
    meanings = source.expander(opponents) if isinstance(source, System) else source
    return tuple(_step(meanings, calls[:number], call, dealer) for number, call in enumerate(calls))


def offered_steps(
    source: Source, calls: Sequence[int], opponents: System | None = None
) -> tuple[Step, ...]:
    """Give a step for every call that may follow an auction, its seat counted from North."""
    meanings = source.expander(opponents) if isinstance(source, System) else source
    table = _table_at(meanings, calls)
    if table is not None:
        offered = {int(table.call[one]) for one in _siblings(table, calls)}
    else:
        assert not isinstance(meanings, BiddingTable)
        offered = {entry.call for entry in meanings.place(calls).entries}
    # the pass, which may be made by default, stands last
    order = [*sorted(offered - {PASS}), PASS]
    return tuple(_step(meanings, calls, call, Seat.NORTH) for call in order)


def _step(
    source: BiddingTable | StatesAndPlaces, before: Sequence[int], call: int, dealer: Seat
) -> Step:
    number = len(before)
    table = _table_at(source, before)
    if table is not None:
        vocabulary = table.vocabulary
        options = [
            option
            for sibling in _siblings(table, before)
            for option in _options(table, sibling, is_made=int(table.call[sibling]) == call)
        ]
    else:
        assert not isinstance(source, BiddingTable)
        vocabulary = source.sides[number % 2].vocabulary
        options = [
            Option(entry.call == call, entry.name, entry.criteria, entry.needs.reach(vocabulary))
            for entry in source.place(before).entries
        ]
    return Step(number, call, seat_of_call(dealer, number), tuple(options), vocabulary)


def _table_at(source: BiddingTable | StatesAndPlaces, calls: Sequence[int]) -> BiddingTable | None:
    """Table that says what follows an auction, None if a system does."""
    if isinstance(source, BiddingTable):
        return source
    return source.table if isinstance(source, OverlaidPlaces) and source.is_changed(calls) else None


def _siblings(table: BiddingTable, calls: Sequence[int]) -> range:
    if not calls:
        return table.children()
    entry = table.find(calls)
    return range(0) if entry is None else table.children(entry)


def _options(table: BiddingTable, entry: int, *, is_made: bool) -> Iterator[Option]:
    vocabulary = table.vocabulary
    for row in table.variants(entry):
        parsed = [parse_expression(text) for text in row.criteria]
        criteria = tuple(
            one for one in parsed if not (isinstance(one, Term) and vocabulary.is_tag(one.name))
        )
        holds = table.undescribed == "allow" or (table.undescribed == "pass" and row.call == PASS)
        if criteria or holds:
            yield Option(is_made, row.name, criteria, bounds_of(criteria, vocabulary))


def bounds_of(criteria: Sequence[Expression], vocabulary: Vocabulary) -> Bounds:
    """Shapes and points with which a hand can, and must, meet criteria that must all hold."""
    criteria = [one for one in criteria if not isinstance(one, Truth) or not one.value]
    if not criteria:
        return Bounds(EVERYTHING, EVERYTHING)
    if any(isinstance(one, Truth) for one in criteria):
        return Bounds(0, 0)
    return bounds(criteria[0] if len(criteria) == 1 else And(tuple(criteria)), vocabulary)
