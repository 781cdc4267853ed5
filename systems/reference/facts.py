"""What a place of an auction answers: facts (``they bid X``, ``forced`` …), suits, what was shown.

A :class:`PlaceScope` answers for the player to call, from what a
:class:`~bidcascade.systems.places.state.State` knows.
"""

from collections.abc import Callable, Mapping
from typing import Final

from bidcascade.bridge import FIRST_BID, PASS, InvalidSystem, bid_level
from bidcascade.systems.language.auctions.patterns import (
    JUMPS,
    Bindings,
    cheapest_level,
    letter_of,
    match_call,
    resolve,
)
from bidcascade.systems.language.tree.syntax_tree import CallPattern, Define, Phrase, Range
from bidcascade.systems.language.words.phrases import KINDS
from bidcascade.systems.places.formulas import in_range
from bidcascade.systems.places.state import WHO, State, shown

_SUITS: Final = "CDHS"


class PlaceScope:
    """Scope of :func:`.conditions.lower` at one place, under bindings of suit variables."""

    __slots__ = ("_defines", "_extra", "bindings", "state")

    def __init__(
        self,
        state: State,
        defines: Mapping[str, Define],
        bindings: Bindings,
        extra: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self.state = state
        self._defines = defines
        self.bindings = bindings
        self._extra = extra or {}

    def under(self, bindings: Bindings) -> "PlaceScope":
        """Scope of the same place under other bindings."""
        return PlaceScope(self.state, self._defines, bindings)

    def positions(self, who: str) -> tuple[int, ...]:
        """Positions of a word for players, seen from the player to call."""
        return tuple((self.state.position + step) % 4 for step in WHO[who])

    def suits(self, word: str) -> tuple[str, ...]:
        """Letters of a suit word, variable or role; may be empty.

        Raises
        ------
        InvalidSystem
            For a variable that nothing binds here.
        """
        if word in self._extra:
            return self._extra[word]
        letter = letter_of(word, self.bindings)
        if letter is not None:
            return (letter,)
        found = _role_suits(word, self.state)
        if found is None:
            raise InvalidSystem(f"expected a suit or a variable that a call binds, got {word!r}")
        return tuple(found)

    def shown(self, who: str, term: str) -> tuple[int, int]:
        """Least and greatest value of a term that a player has shown."""
        return shown(self.state, self.positions(who)[0], term)

    def fact(self, phrase: Phrase) -> bool:
        """Whether a fact about the auction holds; all its variables are bound."""
        return FACTS[phrase.kind](phrase, self)

    def bid(self, call: CallPattern) -> tuple[int, str] | None:
        """Level and strain of a bid's pattern here; None if it is no bid or none is left."""
        return resolve(call, self.bindings, self.state.auction.last_bid, self.suits)

    def define(self, name: str) -> Define | None:
        """Definition of a name, if the system has one."""
        return self._defines.get(name)

    def with_suits(self, bound: Mapping[str, tuple[str, ...]]) -> "PlaceScope":
        """Scope inside a definition: its parameters mean these suits."""
        return PlaceScope(self.state, self._defines, self.bindings, {**self._extra, **bound})


# --- suits by their role --------------------------------------------------------------------------


def _role_suits(word: str, state: State) -> str | None:
    """Letters of a suit that is named by its role in the auction; None for no role."""
    mine, lho, partner, rho = (state.suits[(state.position + step) % 4] for step in range(4))
    match word:
        case "their suit" | "their suits":
            return "".join(suit for suit in _SUITS if suit in rho + lho)
        case "RHO's suit":
            return rho
        case "LHO's suit":
            return lho
        case "partner's suit":
            return partner[-1:]
        case "my suit":
            return mine[-1:]
        case "our suit" | "trumps":
            return _our_suit(state)
    majors, minors = "major" in word, "minor" in word
    among = "HS" if majors else "CD" if minors else _SUITS
    if "unbid" in word:
        bid = "".join(state.suits)
        return "".join(suit for suit in among if suit not in bid)
    named = ("a suit", "every suit", "a major", "both majors", "a minor", "both minors")
    return among if word in named else None


def _our_suit(state: State) -> str:
    """Suit that is trumps as far as we know: agreed, a known fit, partner's last, my last."""
    side = state.position % 2
    agreed = state.agreed[side]
    if agreed is not None:
        return agreed
    cards, suit = max((state.fit(side, suit), suit) for suit in _SUITS)
    if cards >= 8:
        return suit
    return state.suits[(state.position + 2) % 4][-1:] or state.suits[state.position][-1:]


# --- facts ----------------------------------------------------------------------------------------


def _made_by(phrase: Phrase, scope: PlaceScope, who: str) -> list[int]:
    """Numbers of the calls that the phrase's players, else ``who``, have made."""
    positions = scope.positions(phrase.who or who)
    return [number for number in range(len(scope.state.calls)) if number % 4 in positions]


def _passed_hand(phrase: Phrase, scope: PlaceScope) -> bool:
    state = scope.state
    first = len(state.calls) if state.opening is None else state.opening
    return any(position < first for position in scope.positions(phrase.who or "me"))


def _is(phrase: Phrase, scope: PlaceScope, number: int) -> bool:
    """Whether a call is one that the phrase's pattern stands for."""
    assert phrase.call is not None
    return match_call(phrase.call, scope.state.calls[number], scope.bindings) is not None


def _opened(phrase: Phrase, scope: PlaceScope) -> bool:
    number = scope.state.opening
    if number is None or number % 4 not in scope.positions(phrase.who or "we"):
        return False
    return phrase.call is None or _is(phrase, scope, number)


def _bid(phrase: Phrase, scope: PlaceScope) -> bool:
    made = _made_by(phrase, scope, "we")
    if phrase.call is not None:
        return any(_is(phrase, scope, number) for number in made)
    if phrase.suits:
        return any(
            scope.state.named_by(position, letter)
            for word in phrase.suits
            for letter in ("N" if word in ("NT", "notrump") else scope.suits(word))
            for position in scope.positions(phrase.who or "we")
        )
    return any(scope.state.calls[number] >= FIRST_BID for number in made)


def _only_passed(phrase: Phrase, scope: PlaceScope) -> bool:
    made = _made_by(phrase, scope, "partner")
    return bool(made) and all(scope.state.calls[number] == PASS for number in made)


def _last_call(phrase: Phrase, scope: PlaceScope) -> bool:
    numbers = map(scope.state.last_call_of, scope.positions(phrase.who or "partner"))
    return any(number is not None and _is_called(phrase, scope, number) for number in numbers)


def _is_called(phrase: Phrase, scope: PlaceScope, number: int) -> bool:
    if phrase.call is not None:
        return _is(phrase, scope, number)
    if phrase.text.startswith("#"):
        return phrase.text[1:] in scope.state.meanings[number].tags
    return phrase.text in scope.state.call_kinds[number]


def _has_called(phrase: Phrase, scope: PlaceScope) -> bool:
    tag = phrase.text.removeprefix("#")
    made = _made_by(phrase, scope, "partner")
    return any(tag in scope.state.meanings[number].tags for number in made)


def _unbid(phrase: Phrase, scope: PlaceScope) -> bool:
    bid = "".join(scope.state.suits)
    return all(letter not in bid for word in phrase.suits for letter in scope.suits(word))


def _fourth_suit(phrase: Phrase, scope: PlaceScope) -> bool:
    suits = scope.state.suits
    ours = {suit for position in scope.positions("we") for suit in suits[position]}
    letters = scope.suits(phrase.suits[0])
    return len(ours) == 3 and len(letters) == 1 and letters[0] not in "".join(suits)


def _fit(phrase: Phrase, scope: PlaceScope) -> bool:
    side, wanted = scope.state.position % 2, phrase.count or 8
    letters = [letter for word in phrase.suits for letter in scope.suits(word)] or _SUITS
    return any(scope.state.fit(side, letter) >= wanted for letter in letters)


def _balancing(phrase: Phrase, scope: PlaceScope) -> bool:
    return scope.state.opening is not None and scope.state.auction.trailing_passes == 2


def _level(phrase: Phrase, scope: PlaceScope) -> bool:
    last = scope.state.auction.last_bid
    return in_range(bid_level(last) if last >= FIRST_BID else 0, phrase.range)


def _last_bid(phrase: Phrase, scope: PlaceScope) -> bool:
    number, tag = scope.state.auction.last_bidder, phrase.text.removeprefix("#")
    if scope.state.auction.last_bid < FIRST_BID:
        return False
    if phrase.call is not None and not _is(phrase, scope, number):
        return False
    if tag and tag not in scope.state.meanings[number].tags:
        return False
    return phrase.who is None or number % 4 in scope.positions(phrase.who)


def _bounds(phrase: Phrase, scope: PlaceScope) -> list[tuple[int, int]]:
    """Find what the phrase's players, else partner, have shown of the terms that it names."""
    term = KINDS[phrase.text or "points"].term.rstrip("_")
    letters = [letter for word in phrase.suits for letter in scope.suits(word)]
    terms = [f"{term}_{letter}" for letter in letters] if phrase.suits else [term]
    positions = scope.positions(phrase.who or "partner")
    return [shown(scope.state, position, term) for position in positions for term in terms]


def _has_shown(phrase: Phrase, scope: PlaceScope) -> bool:
    wanted = phrase.range or Range()
    return any(
        low >= wanted.low and (wanted.high is None or high <= wanted.high)
        for low, high in _bounds(phrase, scope)
    )


def _may_have(phrase: Phrase, scope: PlaceScope) -> bool:
    wanted = phrase.range or Range()
    return any(
        high >= wanted.low and (wanted.high is None or low <= wanted.high)
        for low, high in _bounds(phrase, scope)
    )


def _ranks_above(phrase: Phrase, scope: PlaceScope) -> bool:
    first, second = map(scope.suits, phrase.suits)
    # letters of suits rank as in the alphabet
    return bool(first and second) and min(first) > max(second)


def _same_suit(phrase: Phrase, scope: PlaceScope) -> bool:
    first, second = map(scope.suits, phrase.suits)
    return not set(first).isdisjoint(second)


def _available(phrase: Phrase, scope: PlaceScope) -> bool:
    """``2X is available`` / ``cheapest X is at most the 2-level``."""
    call = phrase.call
    if call is None or call.strain is None:
        return False
    letter = letter_of(call.strain, scope.bindings)
    wanted = phrase.range or Range(0, call.level)
    jump = JUMPS.get(call.kind, 0)
    return any(
        in_range(cheapest_level(scope.state.auction.last_bid, strain) + jump, wanted)
        for strain in ((letter,) if letter else scope.suits(call.strain))
    )


FACTS: Final[dict[str, Callable[[Phrase, PlaceScope], bool]]] = {
    "passed hand": _passed_hand,
    "opened": _opened,
    "nobody opened": lambda phrase, scope: scope.state.opening is None,
    "only passed": _only_passed,
    "bid": _bid,
    "not bid": lambda phrase, scope: not _bid(phrase, scope),
    "last call": _last_call,
    "has called": _has_called,
    "unbid": _unbid,
    "fourth suit": _fourth_suit,
    "fit": _fit,
    "forced": lambda phrase, scope: scope.state.forced,
    "game forced": lambda phrase, scope: scope.state.game_forced[scope.state.position % 2],
    "balancing": _balancing,
    "contested": lambda phrase, scope: all(scope.state.contested),
    "uncontested": lambda phrase, scope: not all(scope.state.contested),
    "level": _level,
    "last bid": _last_bid,
    "has shown": _has_shown,
    "may have": _may_have,
    "ranks above": _ranks_above,
    "same suit": _same_suit,
    "available": _available,
    "nth call": lambda phrase, scope: len(scope.state.calls) // 4 + 1 == phrase.count,
    "seat": lambda phrase, scope: in_range(scope.state.position + 1, phrase.range),
    "game reached": lambda phrase, scope: scope.state.game_reached,
}
"""What each kind of fact asks; the kinds are the catalogue's."""
