"""What calls mean: by a system, by a table, or by both where overlays changed a system's table.

:func:`meanings_of` is the one place that asks which it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias, cast

from bidcascade.bridge import (
    PASS,
    SUITS,
    Auction,
    Seat,
    ShownAnswer,
    Vulnerability,
    format_call,
    format_calls,
    seat_of_call,
)
from bidcascade.systems import System
from bidcascade.systems.places.knowledge import EVERYTHING, Bounds, Hull, hull
from bidcascade.systems.registry import open_held
from bidcascade.systems.tables.overlaid_system import OverlaidPlaces
from bidcascade.systems.words.explanation import (
    AuctionExplanation,
    StatesAndPlaces,
    explain_places,
)
from bidcascade.table import BiddingTable, Vocabulary, parse_expression
from bidcascade.table.language.expression_tree import Expression, TermName

from .steps import Option, Step, bounds_of

MeaningSource: TypeAlias = System | BiddingTable | StatesAndPlaces | str | Path
"""What says what calls mean: a system, a table, the name of one, or the places of two systems."""


class MeaningLine(NamedTuple):
    """One line of a place: all criteria must hold; ``reach`` is where they can, and must."""

    call: int
    name: str
    criteria: tuple[Expression, ...]
    reach: Bounds


class Lines(NamedTuple):
    """What may follow an auction: lines in the order in which they are tried, and all calls.

    A call without a line is one that no hand makes.
    """

    vocabulary: Vocabulary
    lines: tuple[MeaningLine, ...]
    calls: frozenset[int]


@dataclass(frozen=True, slots=True, repr=False)
class ShownHand(ShownAnswer):
    """What one player's calls have shown, by the system: bounds that all four players may know."""

    points: tuple[int, int]
    """Least and most high card points (what was promised counts)."""
    lengths: Mapping[str, tuple[int, int]]
    """Least and most cards by suit letter."""
    also: Mapping[str, tuple[int, int]]
    """Bounds of further terms, such as ``Aces``."""
    calls: tuple[str, ...]
    """Names and sentences of the player's calls, in order."""
    every_points: tuple[int, int]
    """Least and most high card points of all hands that call so, the light ones with long suits
    too."""


class Meanings(Protocol):
    """What calls mean, whoever says so."""

    @property
    def vocabulary(self) -> Vocabulary:
        """Terms of conditions on deals."""
        ...

    def lines(self, calls: Sequence[int]) -> Lines:
        """Give what may follow a legal auction that goes on."""
        ...

    def explanation(self, calls: Sequence[int]) -> AuctionExplanation:
        """Explain a legal auction; without a call where no system does."""
        ...

    def agreed(self, calls: Sequence[int]) -> tuple[str | None, str | None]:
        """Trumps as far as agreed, of the dealer's side and of the other one."""
        ...

    def shown(self, calls: Sequence[int]) -> tuple[list[ShownHand], list[Hull]]:
        """Say what was shown by position from the dealer, and what that leaves possible."""
        ...

    def at(self, dealer: Seat, vulnerability: Vulnerability) -> "Meanings":
        """Give the meanings that hold where this side deals, so vulnerable."""
        ...


def opened_source(source: MeaningSource) -> System | BiddingTable | StatesAndPlaces:
    """Give a source as it is, and for a name or path what it opens.

    Raises
    ------
    TypeError
        If it is no source.
    """
    if isinstance(source, str | Path):
        # without overlays it is one of these two
        return cast("System | BiddingTable", open_held(source))
    if isinstance(source, System | BiddingTable) or hasattr(source, "sides"):
        return source
    raise TypeError(f"expected a system, a bidding table or the name of one, got {source!r:.80}")


def meanings_of(source: MeaningSource, opponents: System | None = None) -> Meanings:
    """Meanings of calls by a source; ``opponents`` is what the side plays that did not deal.

    Only a system can have other opponents than its text says.
    """
    source = opened_source(source)
    if isinstance(source, BiddingTable):
        return TableMeanings(source)
    if isinstance(source, OverlaidPlaces):
        return OverlaidMeanings(source)
    places = source.reader(opponents) if isinstance(source, System) else source
    return SystemMeanings(places)


_NOTHING_SHOWN = ShownHand((0, 37), dict.fromkeys(SUITS, (0, 13)), {}, (), (0, 37))


class SystemMeanings:
    """By the places of two systems."""

    def __init__(self, places: StatesAndPlaces) -> None:
        self._places = places

    def at(self, dealer: Seat, vulnerability: Vulnerability) -> "Meanings":
        """Give the meanings by the places at a vulnerability."""
        return type(self)(self._places.at(dealer, vulnerability))

    @property
    def vocabulary(self) -> Vocabulary:
        """Terms of the dealer's side."""
        return self._places.sides[0].vocabulary

    def lines(self, calls: Sequence[int]) -> Lines:
        """Lines of the system of the player to call."""
        vocabulary = self._places.sides[len(calls) % 2].vocabulary
        lines = tuple(
            MeaningLine(entry.call, entry.name, entry.criteria, entry.constraint.reach)
            for entry in self._places.place(calls).entries
        )
        return Lines(vocabulary, lines, frozenset(line.call for line in lines))

    def explanation(self, calls: Sequence[int]) -> AuctionExplanation:
        """Explain every call."""
        return explain_places(self._places, calls)

    def agreed(self, calls: Sequence[int]) -> tuple[str | None, str | None]:
        """Trumps as the state has them."""
        first, second = self._places.state(calls).agreed
        return first, second

    def shown(self, calls: Sequence[int]) -> tuple[list[ShownHand], list[Hull]]:
        """Give the system's words and the state's bounds."""
        found = [_NOTHING_SHOWN] * 4
        for number, call in enumerate(self.explanation(calls).calls):
            every_call = (*found[number % 4].calls, f"{call.call} {call.sentence}")
            found[number % 4] = ShownHand(
                call.points, call.lengths, call.also, every_call, call.every_points
            )
        return found, list(self._places.state(calls).hulls)


class TableMeanings:
    """By the rows of a table."""

    def __init__(self, table: BiddingTable) -> None:
        self._table = table

    def at(self, dealer: Seat, vulnerability: Vulnerability) -> "TableMeanings":
        """Give the same: rows ask for a vulnerability each for itself."""
        return self

    @property
    def vocabulary(self) -> Vocabulary:
        """Terms of the table."""
        return self._table.vocabulary

    def lines(self, calls: Sequence[int]) -> Lines:
        """Rows that may follow."""
        table, vocabulary = self._table, self._table.vocabulary
        entry = table.find(calls) if calls else None
        siblings = range(0) if calls and entry is None else table.children(entry)
        lines = []
        for sibling in siblings:
            for row in table.variants(sibling):
                parsed = [parse_expression(text) for text in row.criteria]
                criteria = tuple(
                    one
                    for one in parsed
                    if not (isinstance(one, TermName) and vocabulary.is_tag(one.name))
                )
                by_policy = table.undescribed == "allow" or (
                    table.undescribed == "pass" and row.call == PASS
                )
                if criteria or by_policy:
                    reach = bounds_of(criteria, vocabulary)
                    lines.append(MeaningLine(row.call, row.name, criteria, reach))
        made = table.call[siblings.start : siblings.stop]
        return Lines(vocabulary, tuple(lines), frozenset(made.tolist()))

    def explanation(self, calls: Sequence[int]) -> AuctionExplanation:
        """Explain nothing."""
        return AuctionExplanation(
            format_calls(calls), (), forced=False, game_forced=False, agreed_suit=None
        )

    def agreed(self, calls: Sequence[int]) -> tuple[str | None, str | None]:
        """Tell of no agreement."""
        return None, None

    def shown(self, calls: Sequence[int]) -> tuple[list[ShownHand], list[Hull]]:
        """Take together what the rows of the calls say."""
        found, cells = [_NOTHING_SHOWN] * 4, [EVERYTHING] * 4
        for step in steps_by(self, calls, Seat.NORTH):
            # what contradicts the calls before counts for nothing
            cells[step.seat] = cells[step.seat] & step.cells() or cells[step.seat]
            bounds = hull(cells[step.seat])
            names = dict.fromkeys(one.name for one in step.options if one.is_made and one.name)
            text = f"{format_call(step.call)} {' or '.join(names)}".strip()
            found[step.seat] = ShownHand(
                bounds.points,
                dict(zip(SUITS, bounds.lengths, strict=True)),
                {},
                (*found[step.seat].calls, text),
                bounds.points,
            )
        return found, [hull(one) for one in cells]


class OverlaidMeanings(SystemMeanings):
    """By a system, and by its table where overlays changed what follows."""

    def __init__(self, places: OverlaidPlaces) -> None:
        super().__init__(places)
        self._is_changed = places.is_changed
        self._of_table = TableMeanings(places.table)

    def lines(self, calls: Sequence[int]) -> Lines:
        """Rows of the table where overlays changed what follows, else lines of the system."""
        return self._of_table.lines(calls) if self._is_changed(calls) else super().lines(calls)


def read_auction(
    source: MeaningSource,
    calls: Sequence[int],
    dealer: Seat = Seat.NORTH,
    opponents: System | None = None,
) -> tuple[Step, ...]:
    """Give the steps of an auction, all read as the system makes them.

    ``opponents`` is the system of the other side; None is the one that the system names, or the
    same.
    """
    return steps_by(meanings_of(source, opponents), calls, dealer)


def steps_by(meanings: Meanings, calls: Sequence[int], dealer: Seat) -> tuple[Step, ...]:
    """Give the steps of an auction by what calls mean."""
    Auction.of(calls)
    return tuple(
        _step(meanings.lines(calls[:number]), number, call, dealer)
        for number, call in enumerate(calls)
    )


def offered_steps(meanings: Meanings, calls: Sequence[int]) -> tuple[Step, ...]:
    """Give a step for every call that may follow an auction, its seat counted from North."""
    offered = meanings.lines(calls)
    # the pass, which may be made by default, stands last
    order = [*sorted(offered.calls - {PASS}), PASS]
    return tuple(_step(offered, len(calls), call, Seat.NORTH) for call in order)


def _step(offered: Lines, number: int, call: int, dealer: Seat) -> Step:
    options = tuple(
        Option(line.call == call, line.name, line.criteria, line.reach) for line in offered.lines
    )
    return Step(number, call, seat_of_call(dealer, number), options, offered.vocabulary)
