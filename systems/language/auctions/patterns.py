"""Calls and auctions as patterns: what ``2M``, ``cheapest X`` or ``1m (P) 1M`` stand for here.

Calls are codes (0 pass, 1 double, 2 redouble, 3-37 = 1C-7N); suits are letters, notrump is ``N``.
Bindings are a mapping from suit variable to letter, plus ``n`` to a level.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from bidcascade.bridge import (
    DOUBLE,
    FIRST_BID,
    PASS,
    REDOUBLE,
    STRAINS,
    bid_level,
    bid_strain,
    make_bid,
)
from bidcascade.systems.language.auctions.turns import filled, is_pass
from bidcascade.systems.language.tree.syntax_tree import (
    OTHER,
    VARIABLES,
    AuctionStep,
    CallPattern,
    Phrase,
)

Bindings = Mapping[str, str]
"""Suit variable to letter. The level variable ``n`` is bound to a digit."""
Suits = Callable[[str], tuple[str, ...]]
"""Letters of a suit word, variable or role at a place."""

_CLASSES: Final = {"M": "HS", "oM": "HS", "m": "CD", "om": "CD"}
_SAME_RANK: Final = {"H": "S", "S": "H", "C": "D", "D": "C"}
_FIXED: Final = {
    "C": "C", "D": "D", "H": "H", "S": "S", "NT": "N", "N": "N",
    "clubs": "C", "diamonds": "D", "hearts": "H", "spades": "S",
}  # fmt: skip
_CALL_OF_KIND: Final = {"pass": PASS, "double": DOUBLE, "redouble": REDOUBLE}
JUMPS: Final = {"cheapest": 0, "jump": 1, "double jump": 2}
"""Levels above the cheapest bid, by the kind of a pattern."""


def strain_of(call: int) -> str:
    """Strain letter ``C D H S N`` of a bid's code."""
    return STRAINS[bid_strain(call)]


def bid_code(level: int, strain: str) -> int:
    """Code of a bid."""
    return make_bid(level, STRAINS.index(strain))


def is_variable(word: str | None) -> bool:
    """Whether a suit word is a variable that bindings may give a letter."""
    return word in VARIABLES


def letter_of(word: str, bindings: Bindings) -> str | None:
    """Letter of a suit word or bound variable; None for an unbound variable or a role."""
    known = _FIXED.get(word) or bindings.get(word)
    if known is None and word in OTHER:
        known = _SAME_RANK.get(bindings.get(OTHER[word], ""))
    return known


def candidates(variable: str, bindings: Bindings) -> str:
    """Letters that an unbound variable may take beside those that are bound."""
    letters = _CLASSES.get(variable)
    if letters is not None:
        return letters
    taken = {letter for name, letter in bindings.items() if name != "n"}
    return "".join(letter for letter in "CDHS" if letter not in taken)


def all_bindings(names: Sequence[str], bindings: Bindings) -> Iterator[Bindings]:
    """All ways to bind those of some variables that are still open."""
    if not names:
        yield bindings
    elif letter_of(names[0], bindings) is not None:
        yield from all_bindings(names[1:], bindings)
    else:
        for letter in candidates(names[0], bindings):
            yield from all_bindings(names[1:], {**bindings, names[0]: letter})


def variables_of(phrase: Phrase) -> tuple[str, ...]:
    """Suit variables of a phrase in order of appearance; ``n`` for a level."""
    words: list[str | None] = [*phrase.suits]
    if phrase.call is not None:
        words += [phrase.call.strain, "n" if phrase.call.level == 0 else None]
    return tuple(
        dict.fromkeys(word for word in words if word and (word == "n" or is_variable(word)))
    )


def match_call(pattern: CallPattern, call: int, bindings: Bindings) -> Bindings | None:
    """Whether a call is one that the pattern stands for; returns the bindings that make it so.

    Kinds that depend on the last bid (``cheapest``, ``jump``, ``game``, ``transfer``) match by
    strain, or for ``transfer`` by the bid just below.
    """
    kind = pattern.kind
    if kind == "any":
        return bindings
    fixed = _CALL_OF_KIND.get(kind)
    if fixed is not None:
        return bindings if call == fixed else None
    if call < FIRST_BID:
        return None
    if kind == "any bid":
        return bindings
    if kind == "transfer":
        if call == FIRST_BID + 34:
            return None
        call += 1
    level = bid_level(call)
    if pattern.level == 0 and "n" not in bindings:
        bindings = {**bindings, "n": str(level)}
    elif pattern.level is not None and level != (pattern.level or int(bindings["n"])):
        return None
    if kind == "game" and level != game_level(strain_of(call)):
        return None
    if pattern.strain is None:
        return bindings
    letter, known = strain_of(call), letter_of(pattern.strain, bindings)
    if known is not None:
        return bindings if known == letter else None
    if not is_variable(pattern.strain) or letter not in candidates(pattern.strain, bindings):
        return None
    return {**bindings, pattern.strain: letter}


def game_level(strain: str) -> int:
    """Level of game: 3 in notrump, 4 in a major, 5 in a minor."""
    return 3 if strain == "N" else 4 if strain in "HS" else 5


def cheapest_level(last_bid: int, strain: str) -> int:
    """Lowest level of a strain over the last bid (0 for none); 8 if there is none."""
    if last_bid < FIRST_BID:
        return 1
    level = bid_level(last_bid)
    return level if bid_code(level, strain) > last_bid else level + 1


@cache
def fixed_call(call: CallPattern) -> int | None:
    """Code of the call that a pattern stands for whatever the auction; None if that varies."""
    if call.kind == "bid" and call.level and call.strain in _FIXED:
        return bid_code(call.level, _FIXED[call.strain])
    return _CALL_OF_KIND.get(call.kind)


def resolve(
    call: CallPattern, bindings: Bindings, last_bid: int, suits: Suits
) -> tuple[int, str] | None:
    """Level and strain of a bid's pattern whose variables are bound."""
    if call.strain is None:
        return None
    letter = letter_of(call.strain, bindings)
    letters = (letter,) if letter else suits(call.strain)
    if len(letters) != 1:
        return None
    strain = letters[0]
    if call.kind in JUMPS:
        level = cheapest_level(last_bid, strain) + JUMPS[call.kind]
    elif call.kind == "game":
        level = game_level(strain)
    elif call.level == 0:
        if "n" not in bindings:
            return None
        level = int(bindings["n"])
    else:
        level = call.level or 0
    if call.kind == "transfer":
        code = bid_code(level, strain) - 1
        return None if code < FIRST_BID else (bid_level(code), strain_of(code))
    return (level, strain) if 1 <= level <= 7 else None


def pattern_calls(
    pattern: CallPattern, bindings: Bindings, last_bid: int, suits: Suits
) -> list[tuple[int, Bindings]]:
    """Bids above the last one that a pattern makes, ascending, with the bindings of each."""
    if pattern.strain is None:
        return []
    names = [pattern.strain] if is_variable(pattern.strain) else []
    found: dict[int, Bindings] = {}
    for bound in all_bindings(names, bindings):
        letter = letter_of(pattern.strain, bound)
        for strain in (letter,) if letter else suits(pattern.strain):
            if pattern.level == 0 and "n" not in bound:
                for level in range(cheapest_level(last_bid, strain), 8):
                    found.setdefault(bid_code(level, strain), {**bound, "n": str(level)})
                continue
            here = CallPattern(pattern.kind, pattern.level, strain if strain != "N" else "NT")
            bid = resolve(here, bound, last_bid, suits)
            if bid is not None:
                found.setdefault(bid_code(*bid), bound)
    return sorted((item for item in found.items() if item[0] > last_bid), key=lambda item: item[0])


@dataclass(frozen=True, slots=True)
class AuctionPattern:
    """A pattern with the passes that it implies put in; its last step is RHO's call.

    ``literal`` and ``classes`` count the calls that were written: fixed ones and others. A pass
    that is understood where it is left out counts for nothing where it is written.
    """

    steps: tuple[AuctionStep, ...]
    literal: int
    classes: int

    @staticmethod
    def of(
        written: Sequence[AuctionStep], their_call: AuctionStep | None = None
    ) -> "AuctionPattern":
        """Fill in passes; ``their_call`` takes the place of the pass behind our last call."""
        kept = list(_without_understood(written))
        steps = list(filled(kept))
        named = [step for step in kept if not step.any_calls]
        if steps and not steps[-1].any_calls and not steps[-1].theirs:
            steps.append(their_call or THEIR_PASS)
            named += [their_call] if their_call else []
        literal = sum(len(one.calls) == 1 and fixed_call(one.calls[0]) is not None for one in named)
        return AuctionPattern(tuple(steps), literal, len(named) - literal)

    @property
    def fixed_length(self) -> int | None:
        """Number of calls it matches, None if ``…`` stands in it."""
        return None if any(step.any_calls for step in self.steps) else len(self.steps)

    def matches(self, calls: Sequence[int]) -> Iterator[Bindings]:
        """All bindings under which the pattern is this auction (leading passes taken off)."""
        return _match(self.steps, tuple(calls), {})


def _match(
    steps: tuple[AuctionStep, ...], calls: tuple[int, ...], bindings: Bindings
) -> Iterator[Bindings]:
    if not steps:
        if not calls:
            yield bindings
    elif steps[0].any_calls:
        for start in range(len(calls) + 1):
            yield from _match(steps[1:], calls[start:], bindings)
    elif calls:
        for pattern in steps[0].calls:
            found = match_call(pattern, calls[0], bindings)
            if found is not None:
                yield from _match(steps[1:], calls[1:], found)


def _without_understood(written: Sequence[AuctionStep]) -> Iterator[AuctionStep]:
    """Leave out the passes that would be filled in."""
    before: AuctionStep | None = None
    for number, step in enumerate(written):
        if before is not None and not before.any_calls and before.theirs is not step.theirs:
            last = number == len(written) - 1
            behind = None if last else written[number + 1]
            is_between = (
                behind is not None and not behind.any_calls and behind.theirs is before.theirs
            )
            if is_pass(step) and (is_between or (last and step.theirs)):
                continue
        yield step
        before = step


def from_first_bid(
    written: tuple[AuctionStep, ...],
) -> tuple[tuple[AuctionStep, ...], int | None]:
    """Auction of a header without the passes in front, and the seat that they put the player in.

    The seat is from 1, and None where no passes stand in front: then it does not matter.

    Examples
    --------
    >>> ours, theirs = (AuctionStep((CallPattern("pass"),), one) for one in (False, True))
    >>> notrump = AuctionStep((CallPattern("bid", 1, "NT"),))
    >>> from_first_bid((ours, theirs, notrump))[1], from_first_bid((notrump,))[1]
    (1, None)
    """
    if not written or not is_pass(written[0]):
        return written, None
    steps = AuctionPattern.of(written).steps
    front = next((number for number, step in enumerate(steps) if not is_pass(step)), len(steps))
    return steps[front:], len(steps) % 4 + 1


THEIR_PASS: Final = AuctionStep((CallPattern("pass"),), theirs=True)
