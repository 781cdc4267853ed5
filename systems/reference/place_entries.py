"""From a place in an auction to its entries, in the order in which they are tried.

An :class:`Expander` belongs to two systems, one for each side. It reads an auction call by call:
the entries of a place give the next call its meaning, the meaning gives the next state.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from bidcascade.bridge import PASS
from bidcascade.systems.auctions.auction_reader import AuctionReader
from bidcascade.systems.language.auctions.patterns import (
    Bindings,
    fixed_call,
    match_call,
    pattern_calls,
)
from bidcascade.systems.language.tree.syntax_tree import Condition, Variant
from bidcascade.systems.places.contexts import (
    LAST_RESORT,
    HeaderTest,
    LineGroup,
    PlacedLine,
    Places,
    Specificity,
)
from bidcascade.systems.places.knowledge import bounds
from bidcascade.systems.places.places import (
    Branch,
    Constraint,
    Place,
    PlaceEntry,
    Rules,
    expression_of,
)
from bidcascade.systems.places.state import State
from bidcascade.table.language.expression_tree import Expression
from bidcascade.table.language.vocabulary import Vocabulary

from .conditions import criteria_of, lower
from .facts import PlaceScope

Criteria = tuple[Expression, ...]


class Expander(AuctionReader):
    """Places of two systems against each other: the definition of what systems mean.

    It keeps what it has worked out, and several threads may ask.

    Parameters
    ----------
    dealer_side, other_side
        Systems of the players at positions 0 and 2, and at 1 and 3.
    most_cached
        States and places that are remembered at most.
    """

    def __init__(
        self, dealer_side: Rules, other_side: Rules | None = None, *, most_cached: int = 100_000
    ) -> None:
        super().__init__(dealer_side, other_side or dealer_side, most_cached=most_cached)

    def _place(self, calls: tuple[int, ...]) -> Place:
        state = self.state(calls)
        entries = tuple(_entries(self.sides[len(calls) % 2], state))
        return Place(calls, entries, state.forced, state.knowledge[state.position].cells)

    def lowered(self, condition: Condition, calls: Sequence[int], bindings: Bindings) -> Expression:
        """Lower a condition, as :func:`.conditions.lower` does."""
        state = self.state(calls)
        rules = self.sides[state.position % 2]
        return lower(condition, PlaceScope(state, rules.defines, bindings))


def _entries(rules: Rules, state: State) -> Iterator[PlaceEntry]:
    """All entries of a place in order, without those that a more specific context hides."""
    # nothing hides a last resort: else calls that mean more than a player holds could leave him
    # with none at all
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
            if specificity != LAST_RESORT and owners.get(call, specificity) != specificity:
                continue
            bound = scope.under(bindings)
            for variant, own in _variants(placed, bound, criteria):
                # a line that cannot hold here (its facts fail) hides nothing
                owners[call] = specificity
                made = True
                constraint = constraint_of(own, rules.vocabulary)
                yield PlaceEntry.of(
                    placed.line,
                    placed.number,
                    variant,
                    call,
                    rank,
                    constraint,
                    bindings,
                    specificity,
                )
        rank += made


def _variants(
    placed: PlacedLine, scope: PlaceScope, above: Criteria
) -> Iterator[tuple[Variant | None, Criteria]]:
    """Variants of a line that can hold, with what they and the headers ``above`` ask."""
    line = criteria_of(placed.line.condition, scope)
    if line is not None:
        for variant in placed.line.variants or (None,):
            own = criteria_of(None if variant is None else variant.condition, scope)
            if own is not None:
                yield variant, (*above, *line, *own)


def constraint_of(criteria: Criteria, vocabulary: Vocabulary) -> Constraint:
    """Criteria that must all hold, with their reach by the definition."""
    reach = partial(bounds, expression_of(criteria), vocabulary)
    return Constraint(criteria, reach, reach)


def _calls(placed: PlacedLine, scope: PlaceScope) -> list[tuple[int, Bindings]]:
    """Legal calls that a line's pattern makes here, ascending, with the bindings of each."""
    auction, pattern = scope.state.auction, placed.line.call
    fixed = fixed_call(pattern)
    if fixed is not None:
        return [(fixed, scope.bindings)] if auction.is_legal(fixed) else []
    return pattern_calls(pattern, scope.bindings, auction.last_bid, scope.suits)


def _groups(places: Places, state: State) -> Iterator[tuple[LineGroup, Bindings]]:
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
        for use in state.meanings[-2].uses:
            for group in places.lines[use.place].below:
                found = below_bindings(group, use.bindings, calls[-1])
                if found is not None:
                    yield group, found


def below_bindings(group: LineGroup, bindings: Bindings, their_call: int) -> Bindings | None:
    """Bindings of a group below a line after RHO's call; None where it does not apply."""
    if group.their_call is None:
        return bindings if their_call == PASS else None
    matches = (match_call(pattern, their_call, bindings) for pattern in group.their_call.calls)
    return next((found for found in matches if found is not None), None)


def _anywhere(
    branch: Branch, scope: PlaceScope, criteria: Criteria
) -> Iterator[tuple[LineGroup, PlaceScope, Criteria]]:
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
