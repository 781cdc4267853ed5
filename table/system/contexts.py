"""The places of a system: its text taken apart into groups of lines, each with where it applies.

A group applies at a place if its auction pattern matches, or its parent line was partner's last
call, and its facts hold. Groups are sorted here by what the design calls *more specific*: literal
calls count most, then classes like ``(1M)``, then facts, then ``general:``, then file order.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from bidcascade.table.system_text.syntax_tree import (
    AllOf,
    AnyOf,
    AuctionStep,
    Block,
    Condition,
    Line,
    NotThis,
    Phrase,
    SystemText,
)

from .patterns import AuctionPattern, fixed_bid, is_literal

Specificity = tuple[int, int, int, int]
"""Literal calls, classes, facts, and 1 unless ``general``: a higher tuple comes first."""


FOREMOST: Final = 400
"""Counts as so many literal calls for a ``foremost:`` block: more than any auction has."""


@dataclass(frozen=True, slots=True, eq=False)
class PlacedLine:
    """A line of the text with a number of its own; two lines are equal only if they are one.

    ``below`` are the groups under it: partner's answers. ``fixed_bid`` is the code of its call if
    that is a bid which is the same everywhere.
    """

    number: int
    line: Line
    below: "tuple[Group, ...]" = field(default=(), repr=False)
    fixed_bid: int | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "fixed_bid", fixed_bid(self.line.call))


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Lines that apply at the same places.

    Parameters
    ----------
    lines
        In file order.
    pattern
        Auction from the first bid on (``after``, ``over``); None for the other kinds.
    their_call
        Below a line: RHO's call in between; None is a pass.
    opening
        Whether nobody may have bid.
    facts
        All conditions of the headers around the lines, from the outside in.
    specificity, order
        Place among the groups of one auction: higher specificity first, then lower order.
    """

    lines: tuple[PlacedLine, ...]
    pattern: AuctionPattern | None
    their_call: AuctionStep | None
    opening: bool
    facts: tuple[Condition, ...]
    specificity: Specificity
    order: int


@dataclass(frozen=True, slots=True)
class Places:
    """All groups of a system that do not stand below a line, and every line by number."""

    opening: tuple[Group, ...]
    by_length: dict[int, tuple[Group, ...]]
    """``after`` groups by the number of calls from the first bid on."""
    any_length: tuple[Group, ...]
    """``after`` groups with ``…`` in them."""
    anywhere: tuple[Group, ...]
    """``when`` and ``general`` groups."""
    lines: tuple[PlacedLine, ...]


@dataclass(frozen=True, slots=True)
class _Frame:
    """What the headers around a body have said so far."""

    pattern: tuple[AuctionStep, ...] | None = None
    their_call: AuctionStep | None = None
    opening: bool = False
    facts: tuple[Condition, ...] = ()
    general: bool = False
    foremost: bool = False
    depth_literal: int = 0
    depth_classes: int = 0
    below_line: bool = False


def places_of(text: SystemText) -> Places:
    """Take a system's text apart into groups.

    Examples
    --------
    >>> from bidcascade.table.system_text.syntax_tree import CallPattern, Header
    >>> strong = Line(CallPattern("bid", 1, "NT"), "Strong notrump")
    >>> text = SystemText("Tiny", "", {}, (Block(Header("opening"), (strong,)),))
    >>> [placed.line.name for group in places_of(text).opening for placed in group.lines]
    ['Strong notrump']
    """
    collector = _Collector()
    groups = collector.groups(text.blocks, _Frame())
    by_length: dict[int, list[Group]] = {}
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
        self._orders = 0

    def groups(self, body: "tuple[Line | Block, ...]", frame: _Frame) -> tuple[Group, ...]:
        """Make groups of a body: runs of lines, and those of blocks within, in file order."""
        found: list[Group] = []
        run: list[Line] = []
        for item in body:
            if isinstance(item, Line):
                run.append(item)
                continue
            found += self._run(run, frame)
            run = []
            for inner in _frames(item, frame):
                found += self.groups(item.body, inner)
        found += self._run(run, frame)
        return tuple(found)

    def _run(self, lines: list[Line], frame: _Frame) -> list[Group]:
        if not lines:
            return []
        pattern = (
            None if frame.pattern is None else AuctionPattern.of(frame.pattern, frame.their_call)
        )
        literal, classes = frame.depth_literal, frame.depth_classes
        if pattern is not None:
            literal, classes = pattern.literal, pattern.classes
        elif frame.their_call is not None:
            if all(is_literal(call) for call in frame.their_call.calls):
                literal += 1
            else:
                classes += 1
        facts = 0 if frame.general else sum(map(_count_facts, frame.facts))
        if frame.foremost:
            literal += FOREMOST
        specificity = (literal, classes, facts, 0 if frame.general else 1)
        order = self._orders
        self._orders += 1
        placed = tuple(self._placed(line, specificity) for line in lines)
        return [
            Group(placed, pattern, frame.their_call, frame.opening, frame.facts, specificity, order)
        ]

    def _placed(self, line: Line, above: Specificity) -> PlacedLine:
        number = len(self.lines)
        line = replace(
            line,
            condition=None if line.condition is None else shared(line.condition),
            variants=tuple(
                one if one.condition is None else replace(one, condition=shared(one.condition))
                for one in line.variants
            ),
        )
        self.lines.append(PlacedLine(number, line))  # keeps the place; replaced below
        literal, classes = above[:2]
        frame = _Frame(
            depth_literal=literal + (1 if is_literal(line.call) else 0),
            depth_classes=classes + (0 if is_literal(line.call) else 1),
            below_line=True,
        )
        placed = PlacedLine(number, line, self.groups(line.below, frame))
        self.lines[number] = placed
        return placed


def _frames(block: Block, frame: _Frame) -> Iterator[_Frame]:
    """Frames that the body of a block stands under, one for each alternative of its header."""
    header = block.header
    facts = frame.facts
    if header.condition is not None:
        facts = (*facts, shared(header.condition))
    if header.kind == "after":
        for auction in header.auctions:
            yield _Frame(pattern=auction, facts=facts)
    elif header.kind == "their call":
        for auction in header.auctions:
            yield replace(frame, their_call=auction[0], facts=facts)
    elif header.kind == "opening":
        yield _Frame(opening=True, facts=facts)
    elif header.kind == "foremost":
        yield replace(frame, facts=facts, foremost=True)
    elif header.kind == "general":
        yield replace(frame, facts=facts, general=True)
    else:
        yield replace(frame, facts=facts)


_SHARED: dict[Condition, Condition] = {}


def shared(condition: Condition) -> Condition:
    """Give one object for all equal conditions, so that what they became is looked up by identity.

    Where they stand in the text is no part of equality: messages name the first place.

    Examples
    --------
    >>> shared(Phrase("forced")) is shared(Phrase("forced"))
    True
    """
    known = _SHARED.get(condition)
    if known is not None:
        return known
    if isinstance(condition, AllOf | AnyOf):
        made: Condition = type(condition)(tuple(map(shared, condition.parts)))
    elif isinstance(condition, NotThis):
        made = NotThis(shared(condition.part))
    else:
        made = condition
    return _SHARED.setdefault(condition, made)


_NO_FACT = ("vulnerable", "not vulnerable", "favourable", "unfavourable")


def _count_facts(condition: Condition) -> int:
    """Count the facts in a header's condition; of alternatives, the least."""
    if isinstance(condition, Phrase):
        return 0 if condition.kind in _NO_FACT else 1
    if isinstance(condition, NotThis):
        return _count_facts(condition.part)
    counts = [_count_facts(part) for part in condition.parts]
    if isinstance(condition, AnyOf):
        return min(counts)
    assert isinstance(condition, AllOf)
    return sum(counts)
