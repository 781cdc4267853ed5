"""Bids that mean two things at one place, as a new convention above the weak two that it takes.

A line for some seats or one vulnerability hides the other one there; beside it both count. What
each shows tells whether they are two meanings: one of them is artificial, or only one of them shows
the suit that is bid. Lines that divide one meaning, and those that take all hands, are none.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from bidcascade.systems.language.auctions.legal_auctions import Steps, auction_text
from bidcascade.systems.language.auctions.patterns import (
    THEIR_PASS,
    bid_code,
    candidates,
    fixed_call,
    is_variable,
    match_call,
)
from bidcascade.systems.language.checks.held_facts import never_together
from bidcascade.systems.language.checks.taken_hands import takes_all
from bidcascade.systems.language.tree.joining import phrases_of
from bidcascade.systems.language.tree.syntax_tree import (
    SUIT_WORDS,
    AllOf,
    AnyOf,
    AuctionStep,
    Block,
    CallPattern,
    Condition,
    Define,
    Line,
    NotThis,
    Phrase,
    SystemText,
    Variant,
    Where,
)
from bidcascade.systems.language.words.wording import call_text, condition_text, step_text
from bidcascade.systems.places.contexts import LineGroup, Places, places_of

_ARTIFICIAL: Final = frozenset(("artificial", "transfer", "relay", "puppet", "asks"))
_VULNERABILITY: Final = ("vulnerable", "not vulnerable", "favourable", "unfavourable")
_CIRCUMSTANCES: Final = (*_VULNERABILITY, "seat")
_AGREED: Final = (
    "artificial", "natural", "preemptive", "limited", "invitational", "sign-off", "takeout",
    "penalty", "forcing", "forcing to game",
)  # fmt: skip
"""What headers may say that a call was, as lines agree it."""
_BALANCED: Final = ("balanced", "semi-balanced")
_LENGTHS: Final = ("length", "suit length")
_WORDS: Final = {letter: word for word, letter in SUIT_WORDS.items()}
_SHOWN: Final = 3
"""Cards by which a line shows the suit that it bids; next those of a long suit beside notrump."""
_LONG: Final = 5


class Answer(NamedTuple):
    """A line that answers a call."""

    call: str
    name: str
    where: Where


class DoubleMeaning(NamedTuple):
    """A bid that two lines of one place give a meaning.

    Parameters
    ----------
    call : str
        As texts write it, such as ``2D``.
    where, other : Where
        The later line in reading order, and the earlier one.
    name, other_name : str
        What they are called.
    answers, other_answers : tuple of Answer
        Written below each, or in blocks of their own that name what is agreed of it, such as
        ``after 2D, partner's last call was preemptive:``.
    both : tuple of Answer
        In blocks of their own that do not say which of them is meant.
    """

    call: str
    where: Where
    name: str
    other: Where
    other_name: str
    answers: tuple[Answer, ...]
    other_answers: tuple[Answer, ...]
    both: tuple[Answer, ...]

    def __str__(self) -> str:
        """Say where they are, and what may be done."""
        also = f"{self.other_name} ({self.other})".strip()
        return (
            f"{self.where} {self.name or self.call}: {self.call} is also {also} "
            "(take one of them out, or say by headers when each is meant)"
        )


def double_meanings(text: SystemText, places: Places | None = None) -> list[DoubleMeaning]:
    r"""Find bids that two lines of one place give different meanings.

    Parameters
    ----------
    text
    places
        Of the text, where they are there already.

    Returns
    -------
    list
        In the order of the later lines, each pair once.

    Examples
    --------
    >>> from bidcascade.systems.language.reader import read_text
    >>> weak = "2D = Weak two: 6+ diamonds, 5-10 points"
    >>> multi = "2D = Multi: 6+ hearts or 6+ spades, 5-10 points; artificial"
    >>> for one in double_meanings(read_text(f"opening:\n  {weak}\n  {multi}\n", "mine")):
    ...     print(one.call, one.where, one.name, one.other)
    2D mine:3 Multi mine:2
    """
    spots = _spots(places or places_of(text))
    together: dict[tuple[str, ...], list[_Spot]] = {}
    for spot in spots:
        together.setdefault(spot.key, []).append(spot)
    found: dict[tuple[Where, Where], tuple[int, int, DoubleMeaning]] = {}
    for some in together.values():
        for other, one in combinations((spot for spot in some if spot.may_be_two), 2):
            key = one.line.where, other.line.where
            call = _one_call(one, other)
            if key in found or not call or not _differ(one, other, text.defines):
                continue
            if never_together((*other.facts, *one.facts), one.steps):
                continue
            meaning = DoubleMeaning(
                call,
                one.line.where,
                one.line.name,
                other.line.where,
                other.line.name,
                *_answers(one, other, spots),
            )
            found[key] = one.number, other.number, meaning
    return [meaning for *_, meaning in sorted(found.values(), key=lambda one: one[:2])]


class _Spot(NamedTuple):
    """A line where it stands."""

    number: int
    line: Line
    group: LineGroup
    steps: Steps | None
    """Auction before it, from the first bid on; None where it may be any."""
    facts: tuple[Condition, ...]
    """Of the headers around, as far as they hold here."""
    key: tuple[str, ...]
    """Bids with the same stand at one place, unless their facts exclude each other."""

    @property
    def may_be_two(self) -> bool:
        """Whether it is a bid that leaves hands to other lines, and is not behind all of them."""
        call = self.line.call
        if call.kind != "bid" or not call.level or self.group.specificity[3] != 1:
            return False
        return any(True for _ in _conditions(self.line)) and not takes_all(self.line)


def _spots(places: Places) -> list[_Spot]:
    tops = (*places.opening, *(one for some in places.by_length.values() for one in some))
    found = [
        *_walk(tops, (), "", ()),
        *_walk(places.any_length, None, "", ()),
        *_walk(places.anywhere, None, "anywhere", ()),
    ]
    return sorted(found, key=lambda one: one.number)


def _walk(
    groups: Sequence[LineGroup], before: Steps | None, above: str, facts: Sequence[Condition]
) -> Iterator[_Spot]:
    """Lines of groups by number; ``before`` ends with our call, None where it may be any."""
    for group in groups:
        steps, auction = before, above
        if group.pattern is not None:
            steps = group.pattern.steps
        elif before:
            steps = (*before, group.their_call or THEIR_PASS)
        elif group.their_call is not None:
            auction = f"{above} {step_text(group.their_call)}"
        if steps is not None:
            auction = auction_text(steps)
        own = [part for fact in group.facts for part in _parts(fact)]
        # who sat where the call above was made sits elsewhere now
        kept = [fact for fact in facts if _is_of(fact, _VULNERABILITY)]
        others = [fact for fact in own if not _is_of(fact, _CIRCUMSTANCES)]
        others += [fact for fact in facts if not _is_of(fact, _VULNERABILITY)]
        words = sorted({condition_text(fact) for fact in others})
        # whether seats and vulnerability exclude each other is looked at by pairs
        stand = (*group.specificity[:2], group.specificity[3])
        for placed in group.lines:
            key = (auction, str(stand), str(placed.line.call.level), *words)
            yield _Spot(placed.number, placed.line, group, steps, (*kept, *own), key)
            inner = None if steps is None else (*steps, AuctionStep((placed.line.call,)))
            yield from _walk(placed.below, inner, f"below {placed.number}", (*facts, *own))


def _parts(condition: Condition) -> tuple[Condition, ...]:
    return condition.parts if isinstance(condition, AllOf) else (condition,)


def _is_of(fact: Condition, kinds: Sequence[str]) -> bool:
    return all(phrase.kind in kinds for phrase in phrases_of(fact))


# ---------------------------------------------------------------------- one call
def _one_call(one: _Spot, other: _Spot) -> str:
    """Call that two lines both make, as texts write it; empty for none."""
    first, second = call_text(one.line.call), call_text(other.line.call)
    if first == second:
        return first
    common = _codes(one) & _codes(other)
    if not common:
        return ""
    return first if fixed_call(one.line.call) is not None else second


def _codes(spot: _Spot) -> frozenset[int]:
    """Codes of a bid whose suit the auction does not decide."""
    call = spot.line.call
    fixed = fixed_call(call)
    if fixed is not None:
        return frozenset((fixed,))
    bound = any(is_variable(one.strain) for step in spot.steps or () for one in step.calls)
    words = (word for fact in spot.facts for one in phrases_of(fact) for word in one.suits)
    if bound or any(map(is_variable, words)) or call.level is None or not is_variable(call.strain):
        return frozenset()
    return frozenset(bid_code(call.level, letter) for letter in candidates(call.strain or "", {}))


# ---------------------------------------------------------------------- two meanings
def _differ(first: _Spot, second: _Spot, defines: Mapping[str, Define]) -> bool:
    """Whether lines mean different things, as far as they say so."""
    one, other = first.line, second.line
    if one.name == other.name or _tags(one) & _tags(other):
        return False
    if _is_artificial(one) or _is_artificial(other):
        return True
    # later in the auction a suit of a role is bid for many reasons, which no length tells
    is_fixed = any(fixed_call(line.call) is not None for line in (one, other))
    if first.steps != () and (one.call.strain == "NT" or not is_fixed):
        return False
    shows = _Shows(defines)
    return any(shows.what_not(this, that) for this, that in ((one, other), (other, one)))


def _said(line: Line) -> "list[Line | Variant]":
    return [line, *line.variants]


def _agreements(line: Line) -> Iterator[tuple[str, str]]:
    for meaning in _said(line):
        for agreement in meaning.agreements:
            yield agreement.kind, agreement.text


def _tags(line: Line) -> set[str]:
    return {text for kind, text in _agreements(line) if kind == "tag"}


def _is_artificial(line: Line) -> bool:
    return any(kind in _ARTIFICIAL for kind, _ in _agreements(line))


class _Shows:
    """What conditions say of lengths, with the names in them written out."""

    def __init__(self, defines: Mapping[str, Define]) -> None:
        self._defines = defines

    def what_not(self, line: Line, other: Line) -> bool:
        """Whether a line shows the suit that it bids and the other says nothing of its own.

        In notrump: whether it is balanced, and the other one has a long suit.
        """
        suit, others = line.call.strain or "", other.call.strain or ""
        if suit == "NT":
            return self._line(line, self._is_balanced) and self._line(other, self._is_long)
        if not self._line(line, lambda one: self._least(one, _word(suit)) >= _SHOWN):
            return False
        return not any(self._says(one, _word(others)) for one in _conditions(other))

    def _line(self, line: Line, holds: Callable[[Condition], bool]) -> bool:
        """Whether all hands of a line have something that a condition may say."""
        if line.condition is not None and holds(line.condition):
            return True
        return bool(line.variants) and all(
            one.condition is not None and holds(one.condition) for one in line.variants
        )

    def _written_out(self, phrase: Phrase, suit: str) -> tuple[Condition, str] | None:
        define = self._defines.get(phrase.text) if phrase.kind == "named" else None
        if define is None:
            return None
        names = dict(zip(reversed(phrase.suits), reversed(define.suits), strict=True))
        return define.condition, names.get(suit, suit)

    def _least(self, condition: Condition, suit: str) -> float:
        """Cards of a suit that every hand has, as far as lengths are written."""
        if isinstance(condition, AllOf):
            return max(self._least(part, suit) for part in condition.parts)
        if isinstance(condition, AnyOf):
            return min(self._least(part, suit) for part in condition.parts)
        if isinstance(condition, NotThis):
            return 0
        inner = self._written_out(condition, suit)
        if inner is not None:
            return self._least(*inner)
        if condition.kind not in _LENGTHS or suit not in condition.suits or condition.range is None:
            return 0
        return min((condition.range.low, *condition.range.also))

    def _says(self, condition: Condition, suit: str) -> bool:
        """Whether anything is said of a suit, or of the whole shape."""
        for phrase in phrases_of(condition):
            inner = self._written_out(phrase, suit)
            if suit in phrase.suits or phrase.kind == "shape":
                return True
            if inner is not None and self._says(*inner):
                return True
        return False

    def _is_balanced(self, condition: Condition) -> bool:
        return any(
            isinstance(part, Phrase) and part.kind == "named" and part.text in _BALANCED
            for part in _parts(condition)
        )

    def _is_long(self, condition: Condition) -> bool:
        """Whether every hand has a long suit."""
        if isinstance(condition, AllOf):
            return any(map(self._is_long, condition.parts))
        if isinstance(condition, AnyOf):
            return all(map(self._is_long, condition.parts))
        if isinstance(condition, NotThis):
            return False
        inner = self._written_out(condition, "")
        if inner is not None:
            return self._is_long(inner[0])
        found = condition.range
        return condition.kind in _LENGTHS and found is not None and found.low >= _LONG


def _conditions(line: Line) -> Iterator[Condition]:
    for meaning in _said(line):
        if meaning.condition is not None:
            yield meaning.condition


def _word(strain: str) -> str:
    """Suit word of a call's strain, as conditions write it."""
    return _WORDS.get(strain, strain)


# ---------------------------------------------------------------------- answers
def _answers(
    one: _Spot, other: _Spot, spots: Sequence[_Spot]
) -> tuple[tuple[Answer, ...], tuple[Answer, ...], tuple[Answer, ...]]:
    """Answers to the first meaning, to the second and to both."""
    mine, theirs = (dict(_below(spot.line.below)) for spot in (one, other))
    both: dict[Where, Answer] = {}
    for spot in _behind(one, other, spots):
        fits = [_is_of_meaning(meaning.line, spot.group.facts) for meaning in (one, other)]
        if any(fits):
            found = both if all(fits) else mine if fits[0] else theirs
            found.setdefault(*_answer(spot.line))
    return tuple(mine.values()), tuple(theirs.values()), tuple(both.values())


def _answer(line: Line) -> tuple[Where, Answer]:
    return line.where, Answer(call_text(line.call), line.name, line.where)


def _below(body: Sequence[Line | Block]) -> Iterator[tuple[Where, Answer]]:
    for one in body:
        if isinstance(one, Line):
            yield _answer(one)
        else:
            yield from _below(one.body)


def _behind(one: _Spot, other: _Spot, spots: Sequence[_Spot]) -> Iterator[_Spot]:
    """Lines of blocks of their own behind a call that two lines make."""
    if one.steps is None:
        return
    before, calls = auction_text(one.steps), (one.line.call, other.line.call)
    for spot in spots:
        if spot.group.pattern is None or spot.steps is None:
            continue
        if len(spot.steps) != len(one.steps) + 2 or auction_text(spot.steps[:-2]) != before:
            continue
        if any(_is_one_of(call, spot.steps[-2]) for call in calls):
            yield spot


def _is_one_of(call: CallPattern, step: AuctionStep) -> bool:
    """Whether a header's step stands for a call."""
    fixed = fixed_call(call)
    if fixed is None:
        return call in step.calls
    return any(match_call(one, fixed, {}) is not None for one in step.calls)


def _is_of_meaning(line: Line, facts: Sequence[Condition]) -> bool:
    """Whether a line's call is what headers say that partner's last call was."""
    agreed = {f"#{text}" if kind == "tag" else kind for kind, text in _agreements(line)}
    for fact in (part for one in facts for part in _parts(one)):
        if not isinstance(fact, Phrase) or fact.kind != "last call" or fact.who != "partner":
            continue
        is_agreement = fact.text in _AGREED or fact.text.startswith("#")
        if is_agreement and fact.text not in agreed:
            return False
    return True
