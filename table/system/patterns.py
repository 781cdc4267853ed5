"""Calls and auctions as patterns: what ``2M``, ``cheapest X`` or ``1m (P) 1M`` stand for here.

Calls are codes (0 pass, 1 double, 2 redouble, 3-37 = 1C-7N); suits are letters, notrump is ``N``.
Bindings are a mapping from suit variable to letter, plus ``n`` to a level.
"""

from collections.abc import Iterator, Mapping, Sequence
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
from bidcascade.table.system_text.syntax_tree import AuctionStep, CallPattern

Bindings = Mapping[str, str]
"""Suit variable to letter. The level variable ``n`` is bound to a digit."""

_CLASSES: Final = {"M": "HS", "oM": "HS", "m": "CD", "om": "CD"}
_OTHER: Final = {"M": "oM", "oM": "M", "m": "om", "om": "m"}
_SAME_RANK: Final = {"H": "S", "S": "H", "C": "D", "D": "C"}
_FIXED: Final = {
    "C": "C", "D": "D", "H": "H", "S": "S", "NT": "N", "N": "N",
    "clubs": "C", "diamonds": "D", "hearts": "H", "spades": "S",
}  # fmt: skip
CALL_OF_KIND: Final = {"pass": PASS, "double": DOUBLE, "redouble": REDOUBLE}


def strain_of(call: int) -> str:
    """Strain letter ``C D H S N`` of a bid's code.

    Examples
    --------
    >>> strain_of(3), strain_of(37)
    ('C', 'N')
    """
    return STRAINS[bid_strain(call)]


def bid_code(level: int, strain: str) -> int:
    """Code of a bid.

    Examples
    --------
    >>> bid_code(1, "N")
    7
    """
    return make_bid(level, STRAINS.index(strain))


def is_variable(word: str | None) -> bool:
    """Whether a suit word is a variable that bindings may give a letter.

    Examples
    --------
    >>> is_variable("oM"), is_variable("hearts")
    (True, False)
    """
    return word in ("M", "oM", "m", "om", "X", "Y", "Z", "W")


def letter_of(word: str, bindings: Bindings) -> str | None:
    """Letter of a suit word or bound variable; None for an unbound variable or a role.

    Examples
    --------
    >>> letter_of("oM", {"M": "H"}), letter_of("spades", {}), letter_of("X", {}) is None
    ('S', 'S', True)
    """
    fixed = _FIXED.get(word)
    if fixed is not None:
        return fixed
    bound = bindings.get(word)
    if bound is not None:
        return bound
    other = _OTHER.get(word)
    if other is not None:
        bound = bindings.get(other)
        if bound is not None:
            return _SAME_RANK[bound]
    return None


def candidates(variable: str, bindings: Bindings) -> str:
    """Letters that an unbound variable may take beside those that are bound.

    Examples
    --------
    >>> candidates("M", {}), candidates("X", {"Y": "H"})
    ('HS', 'CDS')
    """
    letters = _CLASSES.get(variable)
    if letters is not None:
        return letters
    taken = {letter for name, letter in bindings.items() if name != "n"}
    return "".join(letter for letter in "CDHS" if letter not in taken)


def match_call(pattern: CallPattern, call: int, bindings: Bindings) -> Bindings | None:
    """Whether a call is one that the pattern stands for; returns the bindings that make it so.

    Kinds that depend on the last bid (``cheapest``, ``jump``, ``game``, ``transfer``) match by
    strain, or for ``transfer`` by the bid just below.

    Examples
    --------
    >>> two_of_a_major = CallPattern("bid", 2, "M")
    >>> match_call(two_of_a_major, 10, {})
    {'M': 'H'}
    >>> match_call(two_of_a_major, 9, {}) is None
    True
    """
    kind = pattern.kind
    if kind == "any":
        return bindings
    fixed = CALL_OF_KIND.get(kind)
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
    if pattern.level is not None and pattern.level > 0 and level != pattern.level:
        return None
    if pattern.level == 0:
        bound = bindings.get("n")
        if bound is None:
            bindings = {**bindings, "n": str(level)}
        elif bound != str(level):
            return None
    if kind == "game" and level != game_level(strain_of(call)):
        return None
    return bindings if pattern.strain is None else bind(pattern.strain, strain_of(call), bindings)


def bind(word: str, letter: str, bindings: Bindings) -> Bindings | None:
    """Bindings in which a suit word means a letter, or None where it cannot.

    Examples
    --------
    >>> bind("M", "S", {}), bind("M", "S", {"M": "H"}) is None
    ({'M': 'S'}, True)
    """
    known = letter_of(word, bindings)
    if known is not None:
        return bindings if known == letter else None
    if not is_variable(word) or letter not in candidates(word, bindings):
        return None
    return {**bindings, word: letter}


def game_level(strain: str) -> int:
    """Level of game: 3 in notrump, 4 in a major, 5 in a minor.

    Examples
    --------
    >>> [game_level(strain) for strain in "CHN"]
    [5, 4, 3]
    """
    return 3 if strain == "N" else 4 if strain in "HS" else 5


@dataclass(frozen=True, slots=True)
class AuctionPattern:
    """A pattern with the passes that it implies put in; its last step is RHO's call.

    Examples
    --------
    >>> one_notrump = AuctionStep((CallPattern("bid", 1, "NT"),))
    >>> pattern = AuctionPattern.of((one_notrump,))
    >>> [list(match) for match in pattern.matches((7, 0))]
    [[]]
    >>> list(pattern.matches((7, 8)))
    []
    """

    steps: tuple[AuctionStep, ...]
    literal: int
    classes: int
    implied_end: bool

    @staticmethod
    def of(
        written: Sequence[AuctionStep], their_call: AuctionStep | None = None
    ) -> "AuctionPattern":
        """Fill in passes; ``their_call`` takes the place of the pass behind our last call."""
        steps: list[AuctionStep] = []
        literal = classes = 0
        for step in written:
            skipped = steps and not step.any_calls and not steps[-1].any_calls
            if skipped and step.theirs == steps[-1].theirs:
                steps.append(_PASS_OF[not step.theirs])
            steps.append(step)
            if not step.any_calls:
                if _is_literal(step):
                    literal += 1
                else:
                    classes += 1
        implied_end = bool(steps) and not steps[-1].any_calls and not steps[-1].theirs
        if implied_end:
            steps.append(their_call or _PASS_OF[True])
            if their_call is not None:
                if _is_literal(their_call):
                    literal += 1
                else:
                    classes += 1
        return AuctionPattern(tuple(steps), literal, classes, implied_end)

    @property
    def fixed_length(self) -> int | None:
        """Number of calls it matches, None if ``…`` stands in it."""
        return None if any(step.any_calls for step in self.steps) else len(self.steps)

    def matches(self, calls: Sequence[int], bindings: Bindings | None = None) -> Iterator[Bindings]:
        """All bindings under which the pattern is this auction (leading passes taken off)."""
        yield from _match(self.steps, tuple(calls), bindings or {})


def _match(
    steps: tuple[AuctionStep, ...], calls: tuple[int, ...], bindings: Bindings
) -> Iterator[Bindings]:
    if not steps:
        if not calls:
            yield bindings
        return
    step = steps[0]
    if step.any_calls:
        for start in range(len(calls) + 1):
            yield from _match(steps[1:], calls[start:], bindings)
        return
    if not calls:
        return
    for pattern in step.calls:
        found = match_call(pattern, calls[0], bindings)
        if found is not None:
            yield from _match(steps[1:], calls[1:], found)


def _is_literal(step: AuctionStep) -> bool:
    return len(step.calls) == 1 and is_literal(step.calls[0])


@cache
def is_literal(call: CallPattern) -> bool:
    """Whether a pattern stands for one call whatever the auction.

    Examples
    --------
    >>> is_literal(CallPattern("bid", 2, "NT")), is_literal(CallPattern("bid", 2, "M"))
    (True, False)
    """
    if call.kind in CALL_OF_KIND:
        return True
    return call.kind == "bid" and bool(call.level) and call.strain in _FIXED


def fixed_bid(call: CallPattern) -> int | None:
    """Code of a bid that is the same everywhere; None for other patterns.

    Examples
    --------
    >>> fixed_bid(CallPattern("bid", 2, "NT")), fixed_bid(CallPattern("bid", 2, "M"))
    (12, None)
    """
    if not call.level or not is_literal(call):
        return None
    strain = letter_of(call.strain or "", {})
    return None if strain is None else bid_code(call.level, strain)


_PASS_OF: Final = {
    theirs: AuctionStep((CallPattern("pass"),), theirs=theirs) for theirs in (False, True)
}
