"""The places of a system: its text taken apart into groups of lines, each with where it applies.

A group applies at a place if its auction pattern matches, or its parent line was partner's last
call, and its facts hold. Groups are sorted here by what the design calls *more specific*: literal
calls count most, then classes like ``(1M)``, then facts, then ``general:``, then file order; behind
them all stands ``last resort:``.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count, groupby
from typing import Final

from bidcascade.systems.language.auctions.patterns import (
    AuctionPattern,
    Bindings,
    all_bindings,
    fixed_call,
    from_first_bid,
    variables_of,
)
from bidcascade.systems.language.tree.joining import phrases_of
from bidcascade.systems.language.tree.syntax_tree import (
    AllOf,
    AnyOf,
    AuctionStep,
    Block,
    Condition,
    Line,
    NotThis,
    Phrase,
    Range,
    SystemText,
)

Specificity = tuple[int, int, int, int]
"""Literal calls, classes, facts, and 1 unless ``general``: a higher tuple comes first."""


FOREMOST: Final = 400
"""Counts as so many literal calls for a ``foremost:`` block: more than any auction has."""

GENERAL: Final[Specificity] = (0, 0, 0, 0)
"""Of lines in a ``general:`` block, whatever headers stand inside it."""

LAST_RESORT: Final[Specificity] = (-1, 0, 0, 0)
"""Of lines in a ``last resort:`` block: behind all others, and hidden by none."""


@dataclass(frozen=True, slots=True, eq=False)
class PlacedLine:
    """A line of the text with a number of its own; two lines are equal only if they are one.

    ``below`` are the groups under it: partner's answers.
    """

    number: int
    line: Line
    below: "tuple[LineGroup, ...]" = field(default=(), repr=False)


class HeaderTest:
    """One condition of a header, with the variables that it may bind."""

    __slots__ = ("condition", "names")

    def __init__(self, condition: Condition) -> None:
        self.condition = condition
        names = (name for phrase in phrases_of(condition) for name in variables_of(phrase))
        self.names = tuple(dict.fromkeys(name for name in names if name != "n"))

    def bound(self, bindings: Bindings) -> Iterator[Bindings]:
        """All ways to bind the variables that are still open."""
        return all_bindings(self.names, bindings)


@dataclass(frozen=True, slots=True, eq=False)
class LineGroup:
    """Lines that apply at the same places, in file order."""

    lines: tuple[PlacedLine, ...]
    pattern: AuctionPattern | None
    """Auction from the first bid on (``after``, ``over``); None for the other kinds."""
    their_call: AuctionStep | None
    """Below a line: RHO's call in between; None is a pass."""
    opening: bool
    """Whether nobody may have bid."""
    facts: tuple[Condition, ...]
    """All conditions of the headers around the lines, from the outside in."""
    tests: tuple[HeaderTest, ...]
    """Their parts that must all hold, in order."""
    specificity: Specificity
    """Place among the groups of one auction: a higher one comes first, then a lower order."""
    order: int


@dataclass(frozen=True, slots=True)
class Places:
    """All groups of a system that do not stand below a line, and every line by number."""

    opening: tuple[LineGroup, ...]
    by_length: dict[int, tuple[LineGroup, ...]]
    """``after`` groups by the number of calls from the first bid on."""
    any_length: tuple[LineGroup, ...]
    """``after`` groups with ``…`` in them."""
    anywhere: tuple[LineGroup, ...]
    """``when``, ``general``, ``foremost`` and ``last resort`` groups."""
    lines: tuple[PlacedLine, ...]

    def written_lines(self) -> list[Line]:
        """Lines as the text has them, each once however many places it stands at."""
        return list({id(placed.line): placed.line for placed in self.lines}.values())


@dataclass(frozen=True, slots=True)
class _Frame:
    """What the headers around a body have said so far."""

    pattern: tuple[AuctionStep, ...] | None = None
    their_call: AuctionStep | None = None
    opening: bool = False
    facts: tuple[Condition, ...] = ()
    general: bool = False
    foremost: bool = False
    last_resort: bool = False
    literal: int = 0
    classes: int = 0


def places_of(text: SystemText) -> Places:
    """Take a system's text apart into groups."""
    collector = _Collector()
    groups = collector.groups(text.blocks, _Frame())
    by_length: dict[int, list[LineGroup]] = {}
    for group in groups:
        if group.pattern is not None and group.pattern.fixed_length is not None:
            by_length.setdefault(group.pattern.fixed_length, []).append(group)
    return Places(
        tuple(group for group in groups if group.opening),
        {length: tuple(found) for length, found in by_length.items()},
        tuple(g for g in groups if g.pattern is not None and g.pattern.fixed_length is None),
        tuple(group for group in groups if group.pattern is None and not group.opening),
        tuple(collector.lines),
    )


class _Collector:
    """Walks the tree; numbers lines and groups in file order."""

    def __init__(self) -> None:
        self.lines: list[PlacedLine] = []
        self._orders = count()

    def groups(self, body: "tuple[Line | Block, ...]", frame: _Frame) -> tuple[LineGroup, ...]:
        """Make groups of a body: runs of lines, and those of blocks within, in file order."""
        found: list[LineGroup] = []
        for _, items in groupby(body, key=type):
            run: list[Line] = []
            for item in items:
                if isinstance(item, Line):
                    run.append(item)
                else:
                    for inner in _frames(item, frame):
                        found += self.groups(item.body, inner)
            if run:
                found.append(self._group(run, frame))
        return tuple(found)

    def _group(self, lines: list[Line], frame: _Frame) -> LineGroup:
        pattern, their_call = None, frame.their_call
        literal, classes = frame.literal, frame.classes
        if frame.pattern is not None:
            pattern = AuctionPattern.of(frame.pattern, their_call)
            literal, classes = pattern.literal, pattern.classes
        elif their_call is not None:
            fixed = all(fixed_call(call) is not None for call in their_call.calls)
            literal, classes = literal + fixed, classes + (not fixed)
        facts = sum(map(_count_facts, frame.facts))
        literal += FOREMOST if frame.foremost else 0
        specificity = (literal, classes, facts, 1)
        if frame.general:
            specificity = GENERAL
        if frame.last_resort:
            specificity = LAST_RESORT
        order = next(self._orders)
        placed = tuple(self._placed(line, literal, classes) for line in lines)
        parts = (fact.parts if isinstance(fact, AllOf) else (fact,) for fact in frame.facts)
        tests = tuple(HeaderTest(one) for some in parts for one in some)
        return LineGroup(
            placed, pattern, their_call, frame.opening, frame.facts, tests, specificity, order
        )

    def _placed(self, line: Line, literal: int, classes: int) -> PlacedLine:
        number = len(self.lines)
        placed = PlacedLine(number, line)
        self.lines.append(placed)  # keeps the place; replaced below
        if not line.below:
            return placed
        fixed = fixed_call(line.call) is not None
        frame = _Frame(literal=literal + fixed, classes=classes + (not fixed))
        placed = self.lines[number] = PlacedLine(number, line, self.groups(line.below, frame))
        return placed


def _frames(block: Block, frame: _Frame) -> Iterator[_Frame]:
    """Frames that the body of a block stands under, one for each alternative of its header."""
    header = block.header
    facts = frame.facts
    if header.condition is not None:
        facts = (*facts, header.condition)
    # an auction begins anew; how its lines stand to others stays
    around = _Frame(general=frame.general, foremost=frame.foremost, last_resort=frame.last_resort)
    if header.kind == "after":
        for auction in header.auctions:
            pattern, seat = from_first_bid(auction)
            placed = facts if seat is None else (*facts, Phrase("seat", Range(seat, seat)))
            yield replace(around, pattern=pattern, facts=placed)
    elif header.kind == "their call":
        for auction in header.auctions:
            yield replace(frame, their_call=auction[0], facts=facts)
    elif header.kind == "opening":
        yield replace(around, opening=True, facts=facts)
    else:
        foremost = frame.foremost or header.kind == "foremost"
        general = frame.general or header.kind == "general"
        last_resort = frame.last_resort or header.kind == "last resort"
        yield replace(
            frame, facts=facts, foremost=foremost, general=general, last_resort=last_resort
        )


_NO_FACT = ("vulnerable", "not vulnerable", "favourable", "unfavourable")


def _count_facts(condition: Condition) -> int:
    """Count the facts in a header's condition; of alternatives, the least."""
    if isinstance(condition, Phrase):
        return 0 if condition.kind in _NO_FACT else 1
    if isinstance(condition, NotThis):
        return _count_facts(condition.part)
    joined = min if isinstance(condition, AnyOf) else sum
    return joined(map(_count_facts, condition.parts))
