"""From a place in an auction to its entries, in the order in which they are tried.

An :class:`Expander` belongs to two systems, one for each side. It reads an auction call by call:
the entries of a place give the next call its meaning, the meaning gives the next state.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from bidcascade.bridge import PASS
from bidcascade.table.language.expression_tree import (
    And,
    Comparison,
    Expression,
    Number,
    Or,
    Term,
)
from bidcascade.table.language.expression_tree import Not as NotExpression
from bidcascade.table.language.vocabulary import Vocabulary
from bidcascade.table.system_text.joining import phrases_of
from bidcascade.table.system_text.syntax_tree import (
    Agreement,
    AllOf,
    AnyOf,
    CallPattern,
    Condition,
    Define,
    NotThis,
    Phrase,
    SystemText,
    Variant,
    Where,
)

from .conditions import lower
from .contexts import Group, PlacedLine, Places, Specificity, places_of
from .facts import FACTS
from .hand_space import EVERYTHING
from .needs import ANY_HAND, Lowering, Needs
from .patterns import (
    CALL_OF_KIND,
    Bindings,
    bid_code,
    candidates,
    is_variable,
    letter_of,
    match_call,
)
from .scope import Memo, PlaceScope, SuitsOf, resolve, variables_of
from .state import Alternative, Interval, Knowledge, Meaning, State, cheapest_level


@dataclass(frozen=True, slots=True)
class PlaceEntry:
    """One hand type of one call at a place.

    Parameters
    ----------
    call
        Code.
    rank
        Number of the line's turn among the lines of the place, from 0; variants of a line and the
        calls that one line makes (``2M``) share it.
    name, where
        Of the variant, else of its line.
    needs
        What the hand must meet; :attr:`criteria` are its expressions.
    agreements
        Of the line and the variant.
    condition
        As written, for a description in words; None for any hand.
    line, bindings
        Which line with which suits.
    specificity
        Of the line's context.
    """

    call: int
    rank: int
    name: str
    where: Where
    needs: Needs
    agreements: tuple[Agreement, ...]
    condition: Condition | None
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
        needs: Needs,
        bindings: Bindings,
        specificity: Specificity,
    ) -> "PlaceEntry":
        """Entry of a line, or of one of its variants, for one of its calls."""
        line = placed.line
        if variant is None:
            return cls(
                call, rank, line.name, line.where, needs, line.agreements, line.condition, placed,
                bindings, specificity,
            )  # fmt: skip
        condition = variant.condition
        if line.condition is not None and condition is not None:
            condition = AllOf((line.condition, condition))
        return cls(
            call, rank, variant.name or line.name, variant.where, needs,
            line.agreements + variant.agreements, condition or line.condition, placed, bindings,
            specificity,
        )  # fmt: skip

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
    """What a system says where a player is to call.

    Parameters
    ----------
    calls
        Auction that leads here.
    entries
        In the order in which they are tried.
    forced
        Whether partner's call asks for an answer.
    cells
        What the player to call has shown (bits of :mod:`.hand_space`).
    """

    calls: tuple[int, ...]
    entries: tuple[PlaceEntry, ...]
    forced: bool = False
    cells: int = field(default=EVERYTHING, repr=False)

    @property
    def position(self) -> int:
        """Player to call, 0 the dealer."""
        return len(self.calls) % 4


class Rules:
    """A system made ready for expansion: its places and definitions.

    Examples
    --------
    >>> Rules(SystemText("Pass system", "", {}, ())).title
    'Pass system'
    """

    def __init__(self, text: SystemText, vocabulary: Vocabulary | None = None) -> None:
        self.text = text
        self.title = text.title
        self.places: Places = places_of(text)
        self.defines: Mapping[str, Define] = text.defines
        self.vocabulary = vocabulary or Vocabulary()
        self.lowering = Lowering()
        self._tests: dict[int, tuple[HeaderTest, ...]] = {}
        self.anywhere = _Branch()
        for group in self.places.anywhere:
            branch = self.anywhere
            for test in self.tests(group):
                branch = branch.below.setdefault(id(test.condition), (test, _Branch()))[1]
            branch.groups.append(group)

    def tests(self, group: Group) -> "tuple[HeaderTest, ...]":
        """Tests of a group's headers, in order."""
        found = self._tests.get(id(group))
        if found is None:
            found = tuple(HeaderTest(part) for fact in group.facts for part in _parts(fact))
            self._tests[id(group)] = found
        return found

    def conditions(self) -> Iterator[Condition]:
        """Every condition of the text: of headers, lines, agreements and definitions."""
        groups = [
            *self.places.opening, *(g for found in self.places.by_length.values() for g in found),
            *self.places.any_length, *self.places.anywhere,
        ]  # fmt: skip
        while groups:
            group = groups.pop()
            yield from group.facts
            for placed in group.lines:
                groups += placed.below
        for placed in self.places.lines:
            line = placed.line
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
        with self._lock:
            return self._state(tuple(calls))

    def _state(self, key: tuple[int, ...]) -> State:
        known = self._states.get(key)
        if known is not None:
            self._states.move_to_end(key)
            return known
        if not key:
            state = State()
        else:
            before = self.state(key[:-1])
            entries = self.place(key[:-1]).entries
            state = before.after(*self.meaning(before, entries, key[-1]))
        self._states[key] = state
        if len(self._states) > self._keep:
            self._states.popitem(last=False)
        return state

    def place(self, calls: Sequence[int]) -> Place:
        """Entries after a legal auction that goes on."""
        with self._lock:
            return self._place(tuple(calls))

    def _place(self, key: tuple[int, ...]) -> Place:
        known = self._places.get(key)
        if known is not None:
            self._places.move_to_end(key)
            return known
        state = self.state(key)
        entries = tuple(_entries(self.sides[len(key) % 2], state))
        place = Place(key, entries, state.forced, state.knowledge[state.position].cells)
        self._places[key] = place
        if len(self._places) > self._keep:
            self._places.popitem(last=False)
        return place

    def meaning(
        self, state: State, entries: Sequence[PlaceEntry], call: int
    ) -> tuple[Meaning, Knowledge]:
        """Meaning of a call at a place, and what the caller has then shown altogether."""
        return _meaning(state, entries, call, self.sides[len(state.calls) % 2])


class HeaderTest:
    """One condition of a header, with the variables that it may bind."""

    __slots__ = ("condition", "is_fact", "names")

    def __init__(self, condition: Condition) -> None:
        self.condition = condition
        self.names = tuple(
            dict.fromkeys(
                name
                for phrase in phrases_of(condition)
                for name in variables_of(phrase)
                if name != "n"
            )
        )
        self.is_fact = all(phrase.kind in FACTS for phrase in phrases_of(condition))

    def bound(self, bindings: Bindings) -> Iterator[Bindings]:
        """All ways to bind the variables that are still open."""
        return _bound([one for one in self.names if letter_of(one, bindings) is None], bindings)


class _Branch:
    """Groups under the same headers, and what further headers lead to: each is tested once."""

    __slots__ = ("below", "groups")

    def __init__(self) -> None:
        self.groups: list[Group] = []
        self.below: dict[int, tuple[HeaderTest, _Branch]] = {}


def _truth(condition: Condition, scope: PlaceScope) -> bool:
    """Whether a condition of nothing but facts holds."""
    if isinstance(condition, Phrase):
        return scope.fact(condition)
    if isinstance(condition, NotThis):
        return not _truth(condition.part, scope)
    if isinstance(condition, AnyOf):
        return any(_truth(part, scope) for part in condition.parts)
    return all(_truth(part, scope) for part in condition.parts)


def _entries(rules: Rules, state: State) -> Iterator[PlaceEntry]:
    """All entries of a place in order, without those that a more specific context hides."""
    memo = Memo(state)
    found: list[tuple[Specificity, PlacedLine, Bindings, tuple[Needs, ...]]] = []
    for group, start in _groups(rules, state):
        for bindings, dynamic in _satisfy(rules.tests(group), 0, rules, memo, start, ()):
            found += [(group.specificity, line, bindings, dynamic) for line in group.lines]
    for group, bindings, dynamic in _anywhere(rules.anywhere, rules, memo, {}, ()):
        found += [(group.specificity, line, bindings, dynamic) for line in group.lines]
    found.sort(key=_turn)
    owners: dict[int, Specificity] = {}
    rank = 0
    for specificity, placed, bindings, dynamic in found:
        made = False
        for call, bound in _calls(placed, bindings, state, memo):
            if owners.get(call, specificity) != specificity:
                continue
            scope = PlaceScope(memo, rules.defines, bound)
            for entry in _line_entries(rules, placed, call, rank, scope, dynamic, specificity):
                # a line that cannot hold here (its facts fail) hides nothing
                owners[call] = specificity
                made = True
                yield entry
        rank += made


def _turn(
    item: tuple[Specificity, PlacedLine, Bindings, tuple[Needs, ...]],
) -> tuple[int, int, int, int, int]:
    literal, classes, facts, particular = item[0]
    return -literal, -classes, -facts, -particular, item[1].number


def _line_entries(
    rules: Rules,
    placed: PlacedLine,
    call: int,
    rank: int,
    scope: PlaceScope,
    dynamic: tuple[Needs, ...],
    specificity: Specificity,
) -> Iterator[PlaceEntry]:
    line, lowering = placed.line, rules.lowering
    common = ANY_HAND if line.condition is None else lowering.needs(line.condition, scope)
    if common is None:
        return
    for variant in line.variants or (None,):
        own: Needs | None = ANY_HAND
        if variant is not None and variant.condition is not None:
            own = lowering.needs(variant.condition, scope)
        if own is not None:
            needs = lowering.joined((*dynamic, common, own))
            yield PlaceEntry.of(placed, variant, call, rank, needs, scope.bindings, specificity)


def _groups(rules: Rules, state: State) -> Iterator[tuple[Group, Bindings]]:
    """Find groups that may apply, with the bindings that their place gives."""
    places = rules.places
    calls = state.calls
    if state.opening is None:
        for group in places.opening:
            yield group, {}
    else:
        since = calls[state.opening :]
        for group in places.by_length.get(len(since), ()):
            assert group.pattern is not None
            for bindings in group.pattern.matches(since):
                yield group, bindings
        for group in places.any_length:
            assert group.pattern is not None
            seen: list[Bindings] = []
            for bindings in group.pattern.matches(since):
                if bindings not in seen:
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
    for pattern in group.their_call.calls:
        found = match_call(pattern, their_call, bindings)
        if found is not None:
            return found
    return None


def _parts(condition: Condition) -> tuple[Condition, ...]:
    return condition.parts if isinstance(condition, AllOf) else (condition,)


def _satisfy(
    tests: Sequence[HeaderTest],
    first: int,
    rules: Rules,
    memo: Memo,
    bindings: Bindings,
    dynamic: tuple[Needs, ...],
) -> Iterator[tuple[Bindings, tuple[Needs, ...]]]:
    """Bindings under which all tests hold, and what of them the hand decides."""
    if first == len(tests):
        yield bindings, dynamic
        return
    for bound, more in _passed(tests[first], rules, memo, bindings, dynamic):
        yield from _satisfy(tests, first + 1, rules, memo, bound, more)


def _anywhere(
    branch: _Branch, rules: Rules, memo: Memo, bindings: Bindings, dynamic: tuple[Needs, ...]
) -> Iterator[tuple[Group, Bindings, tuple[Needs, ...]]]:
    """Find groups whose headers all hold, from a branch on."""
    for group in branch.groups:
        yield group, bindings, dynamic
    for test, below in branch.below.values():
        for bound, more in _passed(test, rules, memo, bindings, dynamic):
            yield from _anywhere(below, rules, memo, bound, more)


def _passed(
    test: HeaderTest, rules: Rules, memo: Memo, bindings: Bindings, dynamic: tuple[Needs, ...]
) -> Iterator[tuple[Bindings, tuple[Needs, ...]]]:
    """Bindings under which one test holds."""
    for bound in test.bound(bindings):
        scope = PlaceScope(memo, rules.defines, bound)
        if test.is_fact:
            if _truth(test.condition, scope):
                yield bound, dynamic
            continue
        needs = rules.lowering.needs(test.condition, scope)
        if needs is not None:
            yield bound, (*dynamic, needs) if needs.criteria else dynamic


def _bound(names: Sequence[str], bindings: Bindings) -> Iterator[Bindings]:
    """All ways to bind variables beside what is bound."""
    if not names:
        yield bindings
        return
    name, rest = names[0], names[1:]
    if letter_of(name, bindings) is not None:
        yield from _bound(rest, bindings)
        return
    for letter in candidates(name, bindings):
        yield from _bound(rest, {**bindings, name: letter})


def _calls(
    placed: PlacedLine, bindings: Bindings, state: State, memo: Memo
) -> list[tuple[int, Bindings]]:
    """Legal calls that a line's pattern makes here, ascending, with the bindings of each."""
    fixed = fixed_call(placed)
    if fixed is not None:
        return [(fixed, bindings)] if state.auction.is_legal(fixed) else []
    scope = PlaceScope(memo, {}, bindings)
    return pattern_calls(placed.line.call, bindings, state.auction.last_bid, scope.suits)


def fixed_call(placed: PlacedLine) -> int | None:
    """Code of a line's call where it is the same everywhere."""
    code = placed.fixed_bid
    return CALL_OF_KIND.get(placed.line.call.kind) if code is None else code


def pattern_calls(
    pattern: CallPattern, bindings: Bindings, last_bid: int, suits: SuitsOf
) -> list[tuple[int, Bindings]]:
    """Bids above the last one that a pattern makes, ascending, with the bindings of each.

    Examples
    --------
    >>> pattern_calls(CallPattern("cheapest", None, "M"), {}, 6, lambda word: ())
    [(10, {'M': 'H'}), (11, {'M': 'S'})]
    """
    if pattern.strain is None:
        return []
    names: list[str] = []
    if is_variable(pattern.strain) and letter_of(pattern.strain, bindings) is None:
        names.append(pattern.strain)
    found: dict[int, Bindings] = {}
    for bound in _bound(names, bindings):
        letter = letter_of(pattern.strain, bound)
        letters: Iterable[str] = (letter,) if letter else suits(pattern.strain)
        for strain in letters:
            if pattern.level == 0 and "n" not in bound:
                for level in range(cheapest_level(last_bid, strain), 8):
                    found.setdefault(bid_code(level, strain), {**bound, "n": str(level)})
                continue
            here = CallPattern(pattern.kind, pattern.level, strain if strain != "N" else "NT")
            bid = resolve(here, bound, last_bid, suits)
            if bid is not None:
                found.setdefault(bid_code(*bid), bound)
    return sorted(
        ((call, bound) for call, bound in found.items() if call > last_bid),
        key=lambda item: item[0],
    )


def _meaning(
    state: State, entries: Sequence[PlaceEntry], call: int, rules: Rules
) -> tuple[Meaning, Knowledge]:
    vocabulary = rules.vocabulary
    before = state.knowledge[state.position]
    possible = before.cells
    taken = 0  # hands that an earlier line certainly takes
    alternatives: list[Alternative] = []
    uses: list[tuple[PlacedLine, Bindings]] = []
    agreements: list[Agreement] = []
    terms: list[dict[str, Interval]] = []
    shown = loose = 0
    for entry in entries:
        reach = entry.needs.reach(vocabulary)
        if entry.call == call:
            cells = reach.can & possible & ~taken
            loose |= reach.can
            if not uses or uses[-1][0] is not entry.line:
                uses.append((entry.line, entry.bindings))
            agreements += [item for item in entry.agreements if item not in agreements]
            promise = _promise(entry, state, rules)
            terms.append(_narrowed(term_bounds(entry.expression), promise))
            if cells:
                shown |= cells
                alternatives.append(
                    Alternative(entry.name, entry.where, cells, entry.needs.expression)
                )
        else:
            taken |= reach.must
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


def _promise(entry: PlaceEntry, state: State, rules: Rules) -> dict[str, Interval]:
    """Bounds that ``shows 12+ points`` puts on terms, whatever the hand needs for the call.

    A hand of ten points that opens by the rule of 20 is worth what it promises: partner adds his
    points to twelve.
    """
    found: dict[str, Interval] = {}
    for agreement in entry.agreements:
        if agreement.kind == "shows" and agreement.condition is not None:
            scope = PlaceScope(Memo(state), rules.defines, entry.bindings)
            shown = lower(agreement.condition, scope)
            found = _narrowed(found, term_bounds(shown, promised=True))
    return found


def term_bounds(expression: Expression, *, promised: bool = False) -> dict[str, Interval]:
    """Bounds that an expression puts on single terms, those in cells only if promised."""

    def is_tracked(name: str) -> bool:
        return name not in _CONTEXT and (promised or name not in _IN_CELLS)

    if isinstance(expression, And):
        found: dict[str, Interval] = {}
        for operand in expression.operands:
            found = _narrowed(found, term_bounds(operand, promised=promised))
        return found
    if isinstance(expression, Or):
        return _hull_of([term_bounds(one, promised=promised) for one in expression.operands])
    if isinstance(expression, Term):
        return {expression.name: (1, _HIGH)} if is_tracked(expression.name) else {}
    if isinstance(expression, NotExpression) and isinstance(expression.operand, Term):
        name = expression.operand.name
        return {name: (0, 0)} if is_tracked(name) else {}
    if (
        isinstance(expression, Comparison)
        and isinstance(expression.first, Term)
        and len(expression.rest) == 1
        and isinstance(expression.rest[0][1], Number)
        and is_tracked(expression.first.name)
    ):
        sign, halves = expression.rest[0][0], expression.rest[0][1].halves
        value = halves // 2
        interval = {
            ">=": (value, _HIGH), ">": (value + 1, _HIGH), "<=": (0, value),
            "<": (0, value - 1), "==": (value, value),
        }.get(sign)  # fmt: skip
        if interval is not None:
            return {expression.first.name: interval}
    return {}


_HIGH: Final = 127
_IN_CELLS: Final = frozenset({"HCP", "SL_C", "SL_D", "SL_H", "SL_S", "Balanced"})
_CONTEXT: Final = frozenset({"Vul_We", "Vul_They", "Seat"})


def _narrowed(first: Mapping[str, Interval], second: Mapping[str, Interval]) -> dict[str, Interval]:
    """Both bounds hold; where they exclude each other the later one counts."""
    found = dict(first)
    for name, (low, high) in second.items():
        if name in found:
            both = max(low, found[name][0]), min(high, found[name][1])
            found[name] = both if both[0] <= both[1] else (low, high)
        else:
            found[name] = (low, high)
    return found


def _hull_of(alternatives: Sequence[Mapping[str, Interval]]) -> dict[str, Interval]:
    """Bounds that hold whichever alternative it is."""
    if not alternatives:
        return {}
    return {
        name: (
            min(item[name][0] for item in alternatives),
            max(item[name][1] for item in alternatives),
        )
        for name in alternatives[0]
        if all(name in item for item in alternatives)
    }
