"""From a place in an auction to its entries, in the order in which they are tried.

An :class:`Expander` belongs to two systems, one for each side. It reads an auction call by call:
the entries of a place give the next call its meaning, the meaning gives the next state.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from bidcascade.bridge import PASS
from bidcascade.kernels.intervals import Ends, both, spanned
from bidcascade.systems.language.syntax_tree import (
    Agreement,
    AllOf,
    Condition,
    Define,
    SystemText,
    Variant,
    Where,
)
from bidcascade.table.language.expression_tree import (
    And,
    Comparison,
    Expression,
    Not,
    Number,
    Or,
    Term,
)
from bidcascade.table.language.vocabulary import Vocabulary

from .conditions import Constraint, criteria_of, lower
from .contexts import Group, HeaderTest, PlacedLine, Places, Specificity, places_of
from .facts import PlaceScope
from .knowledge import EVERYTHING
from .patterns import (
    Bindings,
    fixed_call,
    match_call,
    pattern_calls,
)
from .state import Alternative, Knowledge, Meaning, State

Criteria = tuple[Expression, ...]
Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True)
class PlaceEntry:
    """One hand type of one call at a place: a line, or one of its variants, with suits."""

    call: int
    rank: int
    """Number of the line's turn among the lines of the place, from 0; variants of a line and the
    calls that one line makes (``2M``) share it."""
    name: str
    """Of the variant, else of its line."""
    where: Where
    needs: Constraint
    agreements: tuple[Agreement, ...]
    condition: Condition | None
    """As written, for a description in words; None for any hand."""
    line: PlacedLine
    bindings: Bindings
    specificity: Specificity
    said: tuple[str, tuple[str, ...]] | None = field(default=None, compare=False, repr=False)
    """Description and agreements in words, kept by :mod:`.describing` when they were asked for."""

    @classmethod
    def of(
        cls,
        placed: PlacedLine,
        variant: Variant | None,
        call: int,
        rank: int,
        needs: Constraint,
        bindings: Bindings,
        specificity: Specificity,
    ) -> "PlaceEntry":
        """Entry of a line, or of one of its variants, for one of its calls."""
        line = placed.line
        name, where, condition, agreements = line.name, line.where, line.condition, line.agreements
        if variant is not None:
            name, where = variant.name or name, variant.where
            agreements += variant.agreements
            parts = [one for one in (condition, variant.condition) if one is not None]
            condition = AllOf(tuple(parts)) if len(parts) == 2 else parts[0] if parts else None
        return cls(
            call, rank, name, where, needs, agreements, condition, placed, bindings, specificity
        )

    @property
    def criteria(self) -> tuple[Expression, ...]:
        """Expressions that must all hold."""
        return self.needs.criteria

    @property
    def expression(self) -> Expression:
        """All criteria as one expression."""
        return self.needs.expression


@dataclass(frozen=True, slots=True)
class Place:
    """What a system says after ``calls``: entries in the order in which they are tried."""

    calls: tuple[int, ...]
    entries: tuple[PlaceEntry, ...]
    forced: bool = False
    """Whether partner's call asks for an answer."""
    cells: int = field(default=EVERYTHING, repr=False)
    """What the player to call has shown (bits of :mod:`.knowledge`)."""

    @property
    def position(self) -> int:
        """Player to call, 0 the dealer."""
        return len(self.calls) % 4


class Rules:
    """A system made ready for expansion: its places and definitions."""

    def __init__(self, text: SystemText, vocabulary: Vocabulary | None = None) -> None:
        self.text = text
        self.title = text.title
        self.places: Places = places_of(text)
        self.defines: Mapping[str, Define] = text.defines
        self.vocabulary = vocabulary or Vocabulary()
        self.anywhere = _Branch()
        for group in self.places.anywhere:
            branch = self.anywhere
            for test in group.tests:
                branch = branch.below.setdefault(test.condition, (test, _Branch()))[1]
            branch.groups.append(group)

    def conditions(self) -> Iterator[Condition]:
        """Every condition of the text: of headers, lines, agreements and definitions; each once."""
        found = {id(condition): condition for condition in self._conditions()}
        return iter(found.values())

    def _conditions(self) -> Iterator[Condition]:
        groups = [
            *self.places.opening, *(g for found in self.places.by_length.values() for g in found),
            *self.places.any_length, *self.places.anywhere,
        ]  # fmt: skip
        while groups:
            group = groups.pop()
            yield from group.facts
            for placed in group.lines:
                groups += placed.below
        for line in self.places.written_lines():
            said = [*line.agreements, *(one for v in line.variants for one in v.agreements)]
            parts = [line.condition, *(v.condition for v in line.variants)]
            yield from (one for one in (*parts, *(a.condition for a in said)) if one is not None)
        for define in self.defines.values():
            yield define.condition


class Expander:
    """Places of two systems against each other: the definition of what systems mean.

    It keeps what it has worked out, and several threads may ask.

    Parameters
    ----------
    dealer_side, other_side
        Systems of the players at positions 0 and 2, and at 1 and 3.
    keep
        States and places that are remembered at most.
    """

    def __init__(
        self, dealer_side: Rules, other_side: Rules | None = None, *, keep: int = 100_000
    ) -> None:
        self.sides = (dealer_side, other_side or dealer_side)
        self._keep = keep
        self._lock = threading.RLock()
        self._states: OrderedDict[tuple[int, ...], State] = OrderedDict()
        self._places: OrderedDict[tuple[int, ...], Place] = OrderedDict()

    def state(self, calls: Sequence[int]) -> State:
        """State after a legal auction."""
        calls = tuple(calls)
        # one after the other: a state asks for the one before it
        for length in range(0, len(calls), 64):
            self._kept(self._states, calls[:length], self._state)
        return self._kept(self._states, calls, self._state)

    def place(self, calls: Sequence[int]) -> Place:
        """Entries after a legal auction that goes on."""
        return self._kept(self._places, tuple(calls), self._place)

    def _kept(
        self,
        kept: OrderedDict[tuple[int, ...], Kept],
        calls: tuple[int, ...],
        work_out: Callable[[tuple[int, ...]], Kept],
    ) -> Kept:
        with self._lock:
            if calls in kept:
                kept.move_to_end(calls)
                return kept[calls]
            found = kept[calls] = work_out(calls)
            if len(kept) > self._keep:
                kept.popitem(last=False)
            return found

    def _state(self, calls: tuple[int, ...]) -> State:
        if not calls:
            return State()
        before = self.state(calls[:-1])
        return before.after(*self.meaning(before, self.place(calls[:-1]).entries, calls[-1]))

    def _place(self, calls: tuple[int, ...]) -> Place:
        state = self.state(calls)
        entries = tuple(_entries(self.sides[len(calls) % 2], state))
        return Place(calls, entries, state.forced, state.knowledge[state.position].cells)

    def meaning(
        self, state: State, entries: Sequence[PlaceEntry], call: int
    ) -> tuple[Meaning, Knowledge]:
        """Meaning of a call at a place, and what the caller has then shown altogether."""
        rules = self.sides[state.position % 2]
        before = state.knowledge[state.position]
        possible = before.cells
        taken = 0  # hands that an earlier line certainly takes
        alternatives: list[Alternative] = []
        uses: list[tuple[PlacedLine, Bindings]] = []
        agreements: list[Agreement] = []
        terms: list[dict[str, Ends]] = []
        shown = loose = 0
        for entry in entries:
            reach = entry.needs.reach(rules.vocabulary)
            if entry.call != call:
                taken |= reach.must
                continue
            cells = reach.can & possible & ~taken
            loose |= reach.can
            if not uses or uses[-1][0] is not entry.line:
                uses.append((entry.line, entry.bindings))
            agreements += [item for item in entry.agreements if item not in agreements]
            terms.append(_narrowed(term_bounds(entry.expression), _promise(entry, state, rules)))
            if cells:
                shown |= cells
                alternatives.append(Alternative(entry.name, entry.where, cells, entry.expression))
        if not uses:
            # a pass by default denies every line; of another unknown call nothing is known
            left = possible & ~taken if call == PASS else possible
            return Meaning(call, known=call == PASS), Knowledge(left or possible, before.terms)
        if not shown:
            # nobody who keeps to the system makes this call: take it at face value
            shown = loose & possible or loose or possible
        return (
            Meaning(call, tuple(uses), tuple(agreements), tuple(alternatives)),
            Knowledge(shown, _narrowed(before.terms, _hull_of(terms))),
        )


class _Branch:
    """Groups under the same headers, and what further headers lead to: each is tested once."""

    __slots__ = ("below", "groups")

    def __init__(self) -> None:
        self.groups: list[Group] = []
        self.below: dict[Condition, tuple[HeaderTest, _Branch]] = {}


def _entries(rules: Rules, state: State) -> Iterator[PlaceEntry]:
    """All entries of a place in order, without those that a more specific context hides."""
    start = PlaceScope(state, rules.defines, {})
    found = list(_anywhere(rules.anywhere, start, ()))
    for group, bindings in _groups(rules.places, state):
        passed: list[tuple[PlaceScope, Criteria]] = [(start.under(bindings), ())]
        for test in group.tests:
            passed = [more for one in passed for more in _passed(test, *one)]
        found += [(group, *one) for one in passed]
    lines = [
        (group.specificity, placed, scope, criteria)
        for group, scope, criteria in found
        for placed in group.lines
    ]
    lines.sort(key=lambda one: (*(-count for count in one[0]), one[1].number))
    owners: dict[int, Specificity] = {}
    rank = 0
    for specificity, placed, scope, criteria in lines:
        made = False
        for call, bindings in _calls(placed, scope):
            if owners.get(call, specificity) != specificity:
                continue
            bound = scope.under(bindings)
            for variant, needs in _variants(placed, bound, criteria):
                # a line that cannot hold here (its facts fail) hides nothing
                owners[call] = specificity
                made = True
                yield PlaceEntry.of(placed, variant, call, rank, needs, bindings, specificity)
        rank += made


def _variants(
    placed: PlacedLine, scope: PlaceScope, above: Criteria
) -> Iterator[tuple[Variant | None, Constraint]]:
    """Variants of a line that can hold, with what they and the headers ``above`` ask."""
    line = criteria_of(placed.line.condition, scope)
    if line is not None:
        for variant in placed.line.variants or (None,):
            own = criteria_of(None if variant is None else variant.condition, scope)
            if own is not None:
                yield variant, Constraint((*above, *line, *own))


def _calls(placed: PlacedLine, scope: PlaceScope) -> list[tuple[int, Bindings]]:
    """Legal calls that a line's pattern makes here, ascending, with the bindings of each."""
    auction, pattern = scope.state.auction, placed.line.call
    fixed = fixed_call(pattern)
    if fixed is not None:
        return [(fixed, scope.bindings)] if auction.is_legal(fixed) else []
    return pattern_calls(pattern, scope.bindings, auction.last_bid, scope.suits)


def _groups(places: Places, state: State) -> Iterator[tuple[Group, Bindings]]:
    """Find groups that may apply, with the bindings that their place gives."""
    calls = state.calls
    if state.opening is None:
        for group in places.opening:
            yield group, {}
    else:
        since = calls[state.opening :]
        for group in (*places.by_length.get(len(since), ()), *places.any_length):
            assert group.pattern is not None
            seen: list[Bindings] = []
            for bindings in group.pattern.matches(since):
                # ways through ``…`` count once, alternatives of a step each
                if bindings not in seen or group.pattern.fixed_length is not None:
                    seen.append(bindings)
                    yield group, bindings
    if len(calls) >= 2:
        for placed, bound in state.meanings[-2].uses:
            for group in placed.below:
                found = below_bindings(group, bound, calls[-1])
                if found is not None:
                    yield group, found


def below_bindings(group: Group, bindings: Bindings, their_call: int) -> Bindings | None:
    """Bindings of a group below a line after RHO's call; None where it does not apply."""
    if group.their_call is None:
        return bindings if their_call == PASS else None
    matches = (match_call(pattern, their_call, bindings) for pattern in group.their_call.calls)
    return next((found for found in matches if found is not None), None)


def _anywhere(
    branch: _Branch, scope: PlaceScope, criteria: Criteria
) -> Iterator[tuple[Group, PlaceScope, Criteria]]:
    """Find groups whose headers all hold, from a branch on."""
    for group in branch.groups:
        yield group, scope, criteria
    for test, below in branch.below.values():
        for passed in _passed(test, scope, criteria):
            yield from _anywhere(below, *passed)


def _passed(
    test: HeaderTest, scope: PlaceScope, above: Criteria
) -> Iterator[tuple[PlaceScope, Criteria]]:
    """Scopes under whose bindings a test holds, with what the hand must meet for it."""
    for bindings in test.bound(scope.bindings):
        bound = scope.under(bindings)
        criteria = criteria_of(test.condition, bound)
        if criteria is not None:
            yield bound, (*above, *criteria)


def _promise(entry: PlaceEntry, state: State, rules: Rules) -> dict[str, Ends]:
    """Bounds that ``shows 12+ points`` puts on terms, whatever the hand needs for the call.

    A hand of ten points that opens by the rule of 20 is worth what it promises: partner adds his
    points to twelve.
    """
    found: dict[str, Ends] = {}
    for agreement in entry.agreements:
        if agreement.kind == "shows" and agreement.condition is not None:
            scope = PlaceScope(state, rules.defines, entry.bindings)
            shown = lower(agreement.condition, scope)
            found = _narrowed(found, term_bounds(shown, promised=True))
    return found


_HIGH: Final = 127
_IN_CELLS: Final = frozenset({"HCP", "SL_C", "SL_D", "SL_H", "SL_S", "Balanced"})
_CONTEXT: Final = frozenset({"Vul_We", "Vul_They", "Seat"})


def term_bounds(expression: Expression, *, promised: bool = False) -> dict[str, Ends]:
    """Bounds that an expression puts on single terms, those in cells only if promised."""
    bound: Ends | None
    match expression:
        case And(operands):
            found: dict[str, Ends] = {}
            for operand in operands:
                found = _narrowed(found, term_bounds(operand, promised=promised))
            return found
        case Or(operands):
            return _hull_of([term_bounds(operand, promised=promised) for operand in operands])
        case Term(name):
            bound = (1, _HIGH)
        case Not(Term(name)):
            bound = (0, 0)
        case Comparison(Term(name), ((sign, Number(halves)),)):
            value = halves // 2
            bound = {
                ">=": (value, _HIGH), ">": (value + 1, _HIGH), "<=": (0, value),
                "<": (0, value - 1), "==": (value, value),
            }.get(sign)  # fmt: skip
        case _:
            return {}
    is_tracked = name not in _CONTEXT and (promised or name not in _IN_CELLS)
    return {name: bound} if bound is not None and is_tracked else {}


def _narrowed(first: Mapping[str, Ends], second: Mapping[str, Ends]) -> dict[str, Ends]:
    """Both bounds hold; where they exclude each other the later one counts."""
    found = dict(first)
    for name, later in second.items():
        low, high = both(found.get(name, later), later)
        found[name] = (low, high) if low <= high else later
    return found


def _hull_of(alternatives: Sequence[Mapping[str, Ends]]) -> dict[str, Ends]:
    """Bounds that hold whichever alternative it is."""
    return {
        name: spanned(one[name] for one in alternatives)
        for name in (alternatives[0] if alternatives else ())
        if all(name in one for one in alternatives)
    }
