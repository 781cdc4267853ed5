"""Where a rule of an overlay applies: an auction, or a pattern of auctions.

| written | stands for |
| --- | --- |
| ``1N P 2C`` | that auction; calls are divided by blanks or hyphens, brackets are for the reader |
| ``?`` | any one call |
| ``*`` | one or more calls: ``1N P *`` is everything below ``1N P`` |
| ``...`` | any calls, also none: ``1N P ...`` is ``1N P`` and everything below it |
| ``P*`` | in front: any leading passes, also none |
| ``1H/1S`` | one of these calls |
| ``1M``, ``2m``, ``2oM``, ``2om`` | a bid in a major, a minor, and in the other one of its kind |

A suit letter stands for one suit throughout: ``1M P 2M`` is ``1H P 2H`` and ``1S P 2S``.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from bidcascade.bridge import FIRST_BID, PASS, InvalidCall, format_call, parse_call

Children: TypeAlias = Callable[[int], Iterable[tuple[int, int]]]
"""Gives the nodes behind a node of a trie, each with its call."""
Path: TypeAlias = tuple[int, ...]
"""Nodes from the root to a place, both included."""

ROOT: Final = -1
"""Node of the opening."""
LONGEST_PATTERN: Final = 400
"""Parts a pattern may have; the longest auction has 319 calls."""

_DIVIDERS: Final = re.compile(r"[\s\-,]+")
_SUIT_CLASS: Final = re.compile(r"([1-7])(oM|om|M|m)")
_SUITS: Final = {"m": (0, 1), "M": (2, 3)}
_MOST_LEADING_PASSES: Final = 3

Bindings: TypeAlias = tuple[tuple[str, int], ...]
"""Suits that ``M`` and ``m`` stand for, as far as they are known."""
SuitClass: TypeAlias = tuple[int, str]
"""Level and letter of a bid in a suit that a letter stands for."""
PatternCall: TypeAlias = int | SuitClass | None
"""A call, a bid by its kind of suit, or any call."""


@dataclass(frozen=True, slots=True)
class PatternStep:
    """One part of a pattern: some calls, made ``least`` times or more."""

    choices: tuple[PatternCall, ...]
    least: int = 1
    repeated: bool = False

    def bindings_for(self, call: int, bindings: Bindings) -> Iterator[Bindings]:
        """Say what suit letters stand for if the call is one of these."""
        for choice in self.choices:
            if choice is None or choice == call:
                yield bindings
            elif not isinstance(choice, int):
                yield from _bound(choice, call, bindings)


def _bound(choice: SuitClass, call: int, bindings: Bindings) -> Iterator[Bindings]:
    level, word = choice
    kind, (above, strain) = word[-1], divmod(call - FIRST_BID, 5)
    if above + 1 == level and strain in _SUITS[kind]:
        # ``oM`` says what M is, too
        suit = strain if word == kind else sum(_SUITS[kind]) - strain
        known = dict(bindings)
        if known.setdefault(kind, suit) == suit:
            yield tuple(sorted(known.items()))


@dataclass(frozen=True, slots=True)
class PlacePattern:
    """Auctions that a rule speaks of."""

    text: str
    steps: tuple[PatternStep, ...]

    @staticmethod
    def parse(text: str) -> "PlacePattern":
        """Read a pattern.

        Raises
        ------
        InvalidCall
            If a part is none of those listed above; the message names it.
        """
        words = [word for word in _DIVIDERS.split(text.strip()) if word]
        if not words:
            raise InvalidCall("expected an auction or a pattern of one, got an empty text")
        if len(words) > LONGEST_PATTERN:
            raise InvalidCall(
                f"expected a pattern of at most {LONGEST_PATTERN} parts, got {len(words)}"
            )
        return PlacePattern(
            " ".join(words), tuple(_step(word, number) for number, word in enumerate(words))
        )

    @property
    def auction(self) -> tuple[int, ...] | None:
        """The one auction that it stands for, if it is one."""
        calls = []
        for step in self.steps:
            call = step.choices[0]
            if step.repeated or len(step.choices) > 1 or not isinstance(call, int):
                return None
            calls.append(call)
        return tuple(calls)

    @property
    def last_call(self) -> int | None:
        """The call that all its auctions end with, if it names one."""
        last = self.steps[-1]
        call = last.choices[0]
        plain = not last.repeated and len(last.choices) == 1 and isinstance(call, int)
        return call if plain and isinstance(call, int) else None

    @property
    def prior(self) -> "PlacePattern":
        """What stands before its last call."""
        return PlacePattern(self.text, self.steps[:-1])

    def matches(self, calls: Sequence[int]) -> bool:
        """Tell whether an auction is one of those."""
        states = self._start()
        for depth, call in enumerate(calls):
            states = self._after(states, call, depth)
        return self._ends(states)

    def walk(self, children: Children, *, below_found: bool = True) -> Iterator[Path]:
        """Places of a trie that the pattern stands for, depth first, in the order of siblings.

        Parameters
        ----------
        children
            Gives the nodes behind a node; :data:`ROOT` is the opening, and is itself a place if
            the pattern can stand for no call at all.
        below_found
            Whether to look on below a place that was found.
        """
        pending: list[tuple[Path, frozenset[_State]]] = [((ROOT,), self._start())]
        while pending:
            path, states = pending.pop()
            if self._ends(states):
                yield path
                if not below_found:
                    continue
            deeper = []
            for node, call in children(path[-1]):
                after = self._after(states, call, len(path) - 1)
                if after:
                    deeper.append(((*path, node), after))
            pending.extend(reversed(deeper))

    def _start(self) -> "frozenset[_State]":
        return self._skipped({(0, ())})

    def _ends(self, states: "Iterable[_State]") -> bool:
        return any(place == len(self.steps) for place, _ in states)

    def _after(self, states: "Iterable[_State]", call: int, depth: int) -> "frozenset[_State]":
        found: set[_State] = set()
        for place, bound in states:
            if place == len(self.steps):
                continue
            step = self.steps[place]
            if step is _LEADING and depth >= _MOST_LEADING_PASSES:
                continue
            for after in step.bindings_for(call, bound):
                found.add((place + 1, after))
                if step.repeated:
                    found.add((place, after))
        return self._skipped(found)

    def _skipped(self, states: "set[_State]") -> "frozenset[_State]":
        """With the states behind parts that may stand for no call."""
        pending = list(states)
        while pending:
            place, bound = pending.pop()
            if place < len(self.steps) and not self.steps[place].least:
                further = (place + 1, bound)
                if further not in states:
                    states.add(further)
                    pending.append(further)
        return frozenset(states)


_State: TypeAlias = tuple[int, Bindings]
"""Number of the part that comes next, and what suit letters stand for."""

_LEADING: Final = PatternStep((PASS,), least=0, repeated=True)
_ANY_CALL: Final = PatternStep((None,))
_CALLS: Final = PatternStep((None,), repeated=True)
_ANY_CALLS: Final = PatternStep((None,), least=0, repeated=True)


def _step(word: str, number: int) -> PatternStep:
    plain = word.replace("(", "").replace(")", "")
    match plain:
        case "?":
            return _ANY_CALL
        case "*":
            return _CALLS
        case "..." | "…":
            return _ANY_CALLS
        case "P*" | "p*" | "Pass*":
            if number:
                raise InvalidCall(f"expected {word!r} only in front, got it as part {number + 1}")
            return _LEADING
    return PatternStep(tuple(_choice(part, word) for part in plain.split("/")))


def _choice(text: str, word: str) -> PatternCall:
    suits = _SUIT_CLASS.fullmatch(text)
    if suits is not None:
        return int(suits[1]), suits[2]
    try:
        return parse_call(text)
    except InvalidCall:
        raise InvalidCall(
            "expected a call, ?, *, ..., P* in front, calls divided by / or a bid such as 1M, "
            f"got {word[:40]!r}"
        ) from None


def written(calls: Iterable[int]) -> str:
    """Auction in words, also that of no call.

    Examples
    --------
    >>> written([7, 0]), written([])
    ('1N P', 'the opening')
    """
    return " ".join(format_call(call) for call in calls) or "the opening"
