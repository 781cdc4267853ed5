"""Places of a system: the entries that a text makes there, and the text itself made ready."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from bidcascade.bridge import ShownAnswer, format_call, format_calls
from bidcascade.systems.language.auctions.patterns import Bindings
from bidcascade.systems.language.tree.syntax_tree import (
    Agreement,
    AllOf,
    Condition,
    Define,
    Line,
    SystemText,
    Variant,
    Where,
)
from bidcascade.table.language.expression_tree import And, Expression, terms_of
from bidcascade.table.language.vocabulary import Vocabulary

from .contexts import HeaderTest, LineGroup, Places, Specificity, places_of
from .formulas import TRUE
from .knowledge import EVERYTHING, Bounds


@dataclass(frozen=True, slots=True)
class Constraint:
    """Criteria that must all hold; none for any hand."""

    criteria: tuple[Expression, ...]
    find_reach: Callable[[], Bounds] = field(compare=False, repr=False)
    """Works out :attr:`reach`: the core, or the definition."""
    find_reach_at: Callable[[int], Bounds] = field(compare=False, repr=False)
    """Works out what :meth:`reach_at` gives."""

    @property
    def expression(self) -> Expression:
        """All criteria as one expression."""
        return expression_of(self.criteria)

    @property
    def reach(self) -> Bounds:
        """Shapes and points with which a hand can, and must, meet the criteria."""
        return self.find_reach()

    def reach_at(self, context: int | None) -> Bounds:
        """Give :attr:`reach` in one context (:attr:`.Context.number`); None is any of them."""
        if context is None or not depends_on_context(self.expression):
            return self.reach
        return self.find_reach_at(context)

    def texts(self) -> tuple[str, ...]:
        """Criteria as canonical text."""
        return tuple(map(str, self.criteria))


CONTEXT_TERMS: Final = frozenset({"Vul_We", "Vul_They", "Seat"})
"""Terms of the deal and the auction, not of the hand."""


def depends_on_context(expression: Expression) -> bool:
    """Whether seat or vulnerability may decide what an expression asks of a hand."""
    return not CONTEXT_TERMS.isdisjoint(terms_of(expression))


def expression_of(criteria: tuple[Expression, ...]) -> Expression:
    """Write criteria that must all hold as one expression."""
    if not criteria:
        return TRUE
    return criteria[0] if len(criteria) == 1 else And(criteria)


def name_of(line: Line, variant: Variant | None) -> str:
    """Name of a line, as players call it; of its variant where the line has none."""
    return line.name or ("" if variant is None else variant.name)


@dataclass(frozen=True, slots=True, repr=False)
class PlaceEntry(ShownAnswer):
    """One hand type of one call at a place: a line, or one of its variants, with suits."""

    call: int
    rank: int
    """Number of the line's turn among the lines of the place, from 0; variants of a line and the
    calls that one line makes (``2M``) share it."""
    name: str
    """Of the line, as players call it; of the variant where the line has none."""
    where: Where
    constraint: Constraint
    agreements: tuple[Agreement, ...]
    condition: Condition | None
    """As written, for a description in words; None for any hand."""
    line: Line = field(compare=False)
    place: int
    """Number of the line at its place, among :attr:`.Places.lines`."""
    bindings: Bindings
    specificity: Specificity
    kind: str = ""
    """Of the variant, where the line has variants: what kind of hand makes the call."""
    words: tuple[str, tuple[str, ...]] | None = field(default=None, compare=False, repr=False)
    """Description and agreements in words, kept by :mod:`.describing` when they were asked for."""
    phrases: dict[Expression, list[Any]] | None = field(default=None, compare=False, repr=False)
    """Phrases by criterion, kept by :mod:`.criterion_words` when they were asked for."""

    def _shown(self) -> dict[str, object]:
        """Give call, name, where its line stands, and criteria."""
        return {
            "call": format_call(self.call),
            "name": self.name,
            "where": str(self.where),
            "criteria": "; ".join(self.constraint.texts()),
        }

    @classmethod
    def of(
        cls,
        line: Line,
        place: int,
        variant: Variant | None,
        call: int,
        rank: int,
        constraint: Constraint,
        bindings: Bindings,
        specificity: Specificity,
    ) -> "PlaceEntry":
        """Entry of a line, or of one of its variants, for one of its calls."""
        name, where = name_of(line, variant), line.where
        condition, agreements, kind = line.condition, line.agreements, ""
        if variant is not None:
            kind, where = variant.name, variant.where
            agreements += variant.agreements
            parts = [one for one in (condition, variant.condition) if one is not None]
            condition = AllOf(tuple(parts)) if len(parts) == 2 else parts[0] if parts else None
        return cls(
            call,
            rank,
            name,
            where,
            constraint,
            agreements,
            condition,
            line,
            place,
            bindings,
            specificity,
            kind,
        )

    @property
    def criteria(self) -> tuple[Expression, ...]:
        """Expressions that must all hold."""
        return self.constraint.criteria

    @property
    def expression(self) -> Expression:
        """All criteria as one expression."""
        return self.constraint.expression


@dataclass(frozen=True, slots=True, repr=False)
class Place(ShownAnswer):
    """What a system says after ``calls``: entries in the order in which they are tried."""

    calls: tuple[int, ...]
    entries: tuple[PlaceEntry, ...]
    forced: bool = False
    """Whether partner's call asks for an answer."""
    cells: int = field(default=EVERYTHING, repr=False)
    """What the player to call has shown (bits of :mod:`.knowledge`)."""

    def _shown(self) -> dict[str, object]:
        """Give the auction as text, whether the player is forced, and the entries."""
        return {
            "auction": format_calls(self.calls),
            "forced": self.forced,
            "entries": self.entries,
        }

    @property
    def position(self) -> int:
        """Player to call, 0 the dealer."""
        return len(self.calls) % 4


class Rules:
    """A system made ready for expansion: its places and definitions."""

    def __init__(self, text: SystemText) -> None:
        self.text = text
        self.title = text.title
        self.vocabulary = Vocabulary()

    @property
    def defines(self) -> Mapping[str, Define]:
        """Definitions by name."""
        return self.text.defines

    @cached_property
    def places(self) -> Places:
        """All groups of lines."""
        return places_of(self.text)

    @cached_property
    def anywhere(self) -> "Branch":
        """Groups that apply wherever their headers hold."""
        found = Branch()
        for group in self.places.anywhere:
            branch = found
            for test in group.tests:
                branch = branch.below.setdefault(test.condition, (test, Branch()))[1]
            branch.groups.append(group)
        return found


class Branch:
    """Groups under the same headers, and what further headers lead to: each is tested once."""

    __slots__ = ("below", "groups")

    def __init__(self) -> None:
        self.groups: list[LineGroup] = []
        self.below: dict[Condition, tuple[HeaderTest, Branch]] = {}
