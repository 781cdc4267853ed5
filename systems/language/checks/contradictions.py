"""Conditions that no hand can meet, as far as the words tell: ``5+ hearts, at most 3 hearts``.

What needs the terms of the bidding table to be seen is found when a system is compiled.
"""

from collections.abc import Iterator
from typing import Final

from bidcascade.systems.language.tree.joining import phrases_of
from bidcascade.systems.language.tree.syntax_tree import (
    SUIT_WORDS,
    VARIABLES,
    AllOf,
    AnyOf,
    Condition,
    NotThis,
    Phrase,
    Range,
    Where,
)
from bidcascade.systems.language.words.phrases import KINDS, LENGTHS

from .held_facts import is_decided, never_together

_ONE_SUIT: Final = frozenset(
    {
        *SUIT_WORDS,
        *VARIABLES,
        "RHO's suit",
        "LHO's suit",
        "partner's suit",
        "my suit",
        "our suit",
        "trumps",
    }
)
"""Words that stand for one suit, the same one each time."""

_MAJORS_AND_MINORS: Final = frozenset(("M", "oM", "m", "om"))

_COUNTED: Final = frozenset(
    row.kind
    for row in KINDS.values()
    if row.forms.startswith(("range MEASURE", "range COMBINED{"))
    or row.kind in ("points", "length", "seat")
)
"""Kinds of which a hand has one number: two ranges of it must meet."""

_JOINING: Final = (
    'a comma joins what stands on both sides of "or": write "(a and b) or (c and d)", '
    "or either/or lines"
)

Contradiction = tuple[Where, str, str]


def contradictions(condition: Condition, known: tuple[Phrase, ...] = ()) -> Iterator[Contradiction]:
    """Places, messages and advice for what a condition contradicts itself in, or what is known.

    Examples
    --------
    >>> from bidcascade.systems.language.reader import parse_condition
    >>> [found[1] for found in contradictions(parse_condition("5+ hearts, at most 3 hearts"))]
    ['no hand has 5+ hearts and at most 3 hearts']
    """
    yield from _within(condition, known)


def _within(condition: Condition, known: tuple[Phrase, ...]) -> Iterator[Contradiction]:
    """Contradictions of a condition together with phrases that must hold beside it."""
    if isinstance(condition, AllOf):
        own = tuple(part for part in condition.parts if isinstance(part, Phrase))
        yield from _between(own, known)
        for part in condition.parts:
            if isinstance(part, NotThis):
                yield from _denied(part, (*known, *own))
            elif not isinstance(part, Phrase):
                yield from _within(part, (*known, *own))
    elif isinstance(condition, AnyOf):
        for part in condition.parts:
            for where, message, _ in (*_within(part, known), *_beside_facts(part, known)):
                yield where, f"this alternative can never be: {message}", _JOINING
    elif isinstance(condition, Phrase):
        yield from _between((condition,), known)


def _beside_facts(part: Condition, known: tuple[Phrase, ...]) -> Iterator[Contradiction]:
    """Find what vulnerability and seat refuse of an alternative that others must hold beside."""
    facts = tuple(phrase for phrase in known if is_decided(phrase))
    if not facts or not is_decided(part) or never_together(facts, None):
        return
    clash = never_together((part, *facts), None)
    if clash:
        from bidcascade.systems.language.words.wording import condition_text

        words = " and ".join(map(condition_text, (*clash[1:], clash[0])))
        yield next(phrases_of(part)).where, f"nothing is {words}", ""


def _denied(part: NotThis, known: tuple[Phrase, ...]) -> Iterator[Contradiction]:
    if isinstance(part.part, Phrase) and part.part in known:
        from bidcascade.systems.language.words.wording import condition_text

        words = condition_text(part.part)
        yield part.part.where, f"no hand has both {words} and not {words}", ""


def _between(own: tuple[Phrase, ...], known: tuple[Phrase, ...]) -> Iterator[Contradiction]:
    phrases = (*known, *own)
    if len(phrases) == 1 and (phrases[0].range is None or phrases[0].range.low <= 13):
        return  # most conditions: nothing that it could contradict
    ranges: dict[tuple[str, tuple[str, ...]], tuple[set[float], Phrase]] = {}
    for number, phrase in enumerate(phrases):
        counted = _counted(phrase)
        if counted is None:
            continue
        key, found = counted
        values = _values(found, halves=KINDS[phrase.kind].halves)
        if not values:  # an empty range was complained of when it was read
            continue
        if key in ranges:
            both = ranges[key][0] & values
            if not both and number >= len(known):
                yield _disagree(ranges[key][1], phrase)
                continue
            values = both or values
        ranges[key] = (values, phrase)
    lengths = {key[1]: min(values) for key, (values, _) in ranges.items() if key[0] == "length"}
    for group in (SUIT_WORDS, _MAJORS_AND_MINORS):
        cards = sum(least for (suit,), least in lengths.items() if suit in group)
        if cards > 13 and own:
            yield own[-1].where, f"these suits have {cards} cards together, a hand has 13", ""


def _counted(phrase: Phrase) -> tuple[tuple[str, tuple[str, ...]], Range] | None:
    """Return what a phrase counts and its range, where two of a kind can contradict each other."""
    if len(phrase.suits) == 1 and phrase.suits[0] not in _ONE_SUIT:
        return None
    length = LENGTHS.get(phrase.kind)
    if length is not None:
        return ("length", phrase.suits), length
    if phrase.kind in _COUNTED and phrase.range is not None:
        return (phrase.kind, phrase.suits), phrase.range
    return None


def _values(found: Range, *, halves: bool) -> set[float]:
    low, high = found.low, 80 if found.high is None else found.high
    if halves:
        return {*(half / 2 for half in range(int(2 * low), int(2 * high) + 1)), *found.also}
    return {*range(int(low), int(high) + 1), *found.also}


def _disagree(first: Phrase, second: Phrase) -> Contradiction:
    from bidcascade.systems.language.words.wording import condition_text

    one, other = condition_text(first), condition_text(second)
    who = "nobody sits in" if first.kind == "seat" else "no hand has"
    return second.where, f"{who} {one} and {other}", 'did you mean "or" between them'
