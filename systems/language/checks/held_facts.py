"""Whether facts about an auction can hold where a header says that they do.

What calls, seats and vulnerability alone decide is decided here; whatever depends on what players
have shown, or on what calls mean, may hold. ``systems/reference/facts.py`` defines the facts.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from bidcascade.bridge import FIRST_BID, PASS, bid_level
from bidcascade.systems.language.auctions.legal_auctions import Steps, ways_of
from bidcascade.systems.language.auctions.patterns import (
    Bindings,
    is_variable,
    letter_of,
    match_call,
)
from bidcascade.systems.language.tree.joining import phrases_of
from bidcascade.systems.language.tree.syntax_tree import (
    AllOf,
    AnyOf,
    Condition,
    NotThis,
    Phrase,
    Range,
)

_MOST_TABLES: Final = 1024
_WHO: Final = {
    "me": (0,),
    "I": (0,),
    "LHO": (1,),
    "partner": (2,),
    "RHO": (3,),
    "we": (0, 2),
    "they": (1, 3),
}


class _Table(NamedTuple):
    """One way that things may stand when a player is to call; ``calls`` is None where any may."""

    calls: tuple[int, ...] | None
    position: int
    bindings: Bindings
    we_vulnerable: bool
    they_vulnerable: bool

    def by(self, who: str) -> list[int]:
        """Numbers of the calls that players have made."""
        positions = [(self.position + step) % 4 for step in _WHO[who]]
        return [number for number in range(len(self.calls or ())) if number % 4 in positions]

    @property
    def opening(self) -> int | None:
        """Number of the call that opened."""
        return next((number for number, call in enumerate(self.calls or ()) if call), None)


def is_decided(condition: Condition) -> bool:
    """Whether calls, seats and vulnerability decide anything about a condition.

    Examples
    --------
    >>> is_decided(Phrase("vulnerable")), is_decided(Phrase("forced"))
    (True, False)
    """
    return any(phrase.kind in _DECIDED for phrase in phrases_of(condition))


def never_together(facts: Sequence[Condition], steps: Steps | None) -> tuple[Condition, ...]:
    """Facts that cannot hold at a place, as few as say it; none if all may.

    Parameters
    ----------
    facts
        That must all hold.
    steps
        The auction from the first bid on, passes put in; None where it may be any.

    Examples
    --------
    >>> both = Phrase("vulnerable"), Phrase("not vulnerable")
    >>> never_together(both, None) == both, never_together(both[:1], None)
    (True, ())
    """
    parts = [
        part for fact in facts for part in (fact.parts if isinstance(fact, AllOf) else (fact,))
    ]
    parts = [part for part in parts if is_decided(part)]
    if not parts:
        return ()
    tables: list[_Table] = []
    for table in _tables(steps):
        tables.append(table)
        if len(tables) > _MOST_TABLES or all(_holds(part, table) is not False for part in parts):
            return ()
    if not tables:
        return ()
    for count in range(1, len(parts)):
        for some in combinations(parts, count):
            if all(any(_holds(part, table) is False for part in some) for table in tables):
                return some
    return tuple(parts)


def _tables(steps: Steps | None) -> Iterator[_Table]:
    sides = [(we, they) for we in (False, True) for they in (False, True)]
    if steps is None or any(step.any_calls for step in steps):
        yield from (_Table(None, seat, {}, *side) for seat in range(4) for side in sides)
        return
    for way in ways_of(steps):
        if way is None:
            # which are too many: not one of them is told
            yield from (_Table(None, seat, {}, *side) for seat in range(4) for side in sides)
        elif not way.is_over:
            for front in range(4):
                calls = (PASS,) * front + way.calls
                for side in sides:
                    yield _Table(calls, len(calls) % 4, way.bindings, *side)


# ---------------------------------------------------------------------- three values
def _holds(condition: Condition, table: _Table) -> bool | None:
    """Whether a condition holds; None if that is not decided here."""
    if isinstance(condition, Phrase):
        decide = _DECIDED.get(condition.kind)
        return None if decide is None else decide(condition, table)
    if isinstance(condition, NotThis):
        held = _holds(condition.part, table)
        return None if held is None else not held
    found = [_holds(part, table) for part in condition.parts]
    if isinstance(condition, AnyOf):
        return _any(found)
    return False if False in found else None if None in found else True


def _any(found: Sequence[bool | None]) -> bool | None:
    return True if True in found else None if None in found else False


def _of_calls(
    decide: Callable[[Phrase, _Table], bool | None],
) -> Callable[[Phrase, _Table], bool | None]:
    return lambda phrase, table: None if table.calls is None else decide(phrase, table)


def _is(phrase: Phrase, table: _Table, number: int) -> bool | None:
    """Whether a call is one that a phrase names; None if that takes a variable that is free."""
    assert phrase.call is not None
    assert table.calls is not None
    strain = phrase.call.strain
    if strain is not None and not is_variable(strain) and letter_of(strain, {}) is None:
        return None
    is_free = strain is not None and letter_of(strain, table.bindings) is None
    if match_call(phrase.call, table.calls[number], table.bindings) is None:
        return False
    return None if is_free or phrase.call.level == 0 else True


def _opened(phrase: Phrase, table: _Table) -> bool | None:
    number = table.opening
    if number is None or number not in table.by(phrase.who or "we"):
        return False
    return True if phrase.call is None else _is(phrase, table, number)


def _bid(phrase: Phrase, table: _Table) -> bool | None:
    assert table.calls is not None
    made = table.by(phrase.who or "we")
    if phrase.suits:
        return None if any(table.calls[number] for number in made) else False
    if phrase.call is None:
        return any(table.calls[number] >= FIRST_BID for number in made)
    return _any([_is(phrase, table, number) for number in made])


def _not_bid(phrase: Phrase, table: _Table) -> bool | None:
    found = _bid(phrase, table)
    return None if found is None else not found


def _only_passed(phrase: Phrase, table: _Table) -> bool:
    assert table.calls is not None
    made = [table.calls[number] for number in table.by(phrase.who or "partner")]
    return bool(made) and not any(made)


def _last_call(phrase: Phrase, table: _Table) -> bool | None:
    numbers = [table.by(who)[-1:] for who in _each(phrase.who or "partner")]
    made = [number for one in numbers for number in one]
    if phrase.call is None:
        return None if made else False
    return _any([_is(phrase, table, number) for number in made])


def _each(who: str) -> tuple[str, ...]:
    return {"we": ("me", "partner"), "they": ("LHO", "RHO")}.get(who, (who,))


def _has_called(phrase: Phrase, table: _Table) -> bool | None:
    return None if table.by(phrase.who or "partner") else False


def _passed_hand(phrase: Phrase, table: _Table) -> bool:
    assert table.calls is not None
    first = len(table.calls) if table.opening is None else table.opening
    return any((table.position + step) % 4 < first for step in _WHO[phrase.who or "me"])


def _balancing(_phrase: Phrase, table: _Table) -> bool:
    calls = table.calls or ()
    return table.opening is not None and calls[-2:] == (PASS, PASS) and calls[-3] != PASS


def _contested(table: _Table) -> bool:
    calls = table.calls or ()
    return any(calls[0::2]) and any(calls[1::2])


def _level(phrase: Phrase, table: _Table) -> bool:
    bids = [call for call in table.calls or () if call >= FIRST_BID]
    return _in(bid_level(bids[-1]) if bids else 0, phrase.range)


def _last_bid(phrase: Phrase, table: _Table) -> bool | None:
    if phrase.call is not None and phrase.call.level == 0:
        # so steps are written: a line for each strain that the last bid may have
        return None
    bids = [number for number, call in enumerate(table.calls or ()) if call >= FIRST_BID]
    if not bids or (phrase.who is not None and bids[-1] not in table.by(phrase.who)):
        return False
    named = True if phrase.call is None else _is(phrase, table, bids[-1])
    return named if named is False or not phrase.text else None


def _in(value: int, wanted: Range | None) -> bool:
    if wanted is None or value in wanted.also:
        return True
    return wanted.low <= value and (wanted.high is None or value <= wanted.high)


_DECIDED: Final[dict[str, Callable[[Phrase, _Table], bool | None]]] = {
    "vulnerable": lambda _, table: table.we_vulnerable,
    "not vulnerable": lambda _, table: not table.we_vulnerable,
    "favourable": lambda _, table: table.they_vulnerable and not table.we_vulnerable,
    "unfavourable": lambda _, table: table.we_vulnerable and not table.they_vulnerable,
    "seat": lambda phrase, table: _in(table.position + 1, phrase.range),
    "opened": _of_calls(_opened),
    "nobody opened": _of_calls(lambda _, table: table.opening is None),
    "only passed": _of_calls(_only_passed),
    "bid": _of_calls(_bid),
    "not bid": _of_calls(_not_bid),
    "last call": _of_calls(_last_call),
    "has called": _of_calls(_has_called),
    "passed hand": _of_calls(_passed_hand),
    "balancing": _of_calls(_balancing),
    "contested": _of_calls(lambda _, table: _contested(table)),
    "uncontested": _of_calls(lambda _, table: not _contested(table)),
    "level": _of_calls(_level),
    "last bid": _of_calls(_last_bid),
    "nth call": _of_calls(lambda phrase, table: len(table.calls or ()) // 4 + 1 == phrase.count),
}
