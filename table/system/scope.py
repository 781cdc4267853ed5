"""Values of words at one place: which suit ``X`` or ``their suit`` is, what partner has shown."""

from collections.abc import Callable, Mapping
from typing import Final

from bidcascade.bridge import FIRST_BID, InvalidSystem
from bidcascade.table.system_text.syntax_tree import CallPattern, Define, Phrase

from .facts import holds, positions_of, role_suits, shown
from .patterns import Bindings, bid_code, game_level, is_variable, letter_of
from .state import State, cheapest_level

SuitsOf = Callable[[str], tuple[str, ...]]


class Memo:
    """Answers that are the same for all lines of one place."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.shown: dict[tuple[str, str], tuple[int, int]] = {}
        self.roles: dict[str, tuple[str, ...] | None] = {}
        self.facts: dict[tuple[int, tuple[tuple[str, str], ...]], bool] = {}
        self.plain_facts: dict[int, bool] = {}


def variables_of(phrase: Phrase) -> tuple[str, ...]:
    """Suit variables of a phrase in order of appearance; ``n`` for a level.

    Examples
    --------
    >>> variables_of(Phrase("bid", suits=("X",), who="they"))
    ('X',)
    """
    if phrase.variables is not None:
        return phrase.variables
    words = list(phrase.suits)
    if phrase.call is not None:
        if phrase.call.strain is not None:
            words.append(phrase.call.strain)
        if phrase.call.level == 0:
            words.append("n")
    found = tuple(dict.fromkeys(word for word in words if word == "n" or is_variable(word)))
    object.__setattr__(phrase, "variables", found)
    return found


class PlaceScope:
    """Scope of :func:`.conditions.lower` at one place, under bindings of suit variables.

    Examples
    --------
    >>> scope = PlaceScope(Memo(State()), {}, {"M": "H"})
    >>> scope.suits("oM"), scope.suits("every unbid minor")
    (('S',), ('C', 'D'))
    """

    __slots__ = ("_defines", "_extra", "_memo", "bindings")

    def __init__(
        self,
        memo: Memo,
        defines: Mapping[str, Define],
        bindings: Bindings,
        extra: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self._memo = memo
        self._defines = defines
        self.bindings = bindings
        self._extra = extra

    @property
    def state(self) -> State:
        """State of the place."""
        return self._memo.state

    def suits(self, word: str) -> tuple[str, ...]:
        """Letters of a suit word, variable or role; may be empty.

        Raises
        ------
        InvalidSystem
            For a variable that nothing binds here.
        """
        if self._extra is not None:
            extra = self._extra.get(word)
            if extra is not None:
                return extra
        letter = letter_of(word, self.bindings)
        if letter is not None:
            return (letter,)
        roles = self._memo.roles
        if word not in roles:
            roles[word] = role_suits(word, self._memo.state)
        found = roles[word]
        if found is None:
            raise InvalidSystem(f"expected a suit or a variable that a call binds, got {word!r}")
        return found

    def shown(self, who: str, term: str) -> tuple[int, int]:
        """Least and greatest value of a term that a player has shown."""
        key = (who, term)
        known = self._memo.shown.get(key)
        if known is None:
            position = positions_of(self._memo.state, who)[0]
            known = self._memo.shown[key] = shown(self._memo.state, position, term)
        return known

    def fact(self, phrase: Phrase) -> bool:
        """Whether a fact about the auction holds."""
        memo = self._memo
        if self._extra is not None:
            return holds(phrase, memo.state, self.suits, self.bindings)
        if not variables_of(phrase):
            known = memo.plain_facts.get(id(phrase))
            if known is None:
                known = holds(phrase, memo.state, self.suits, self.bindings)
                memo.plain_facts[id(phrase)] = known
            return known
        key = (id(phrase), tuple(self.bindings.items()))
        known = memo.facts.get(key)
        if known is None:
            known = holds(phrase, memo.state, self.suits, self.bindings)
            memo.facts[key] = known
        return known

    def bid(self, call: CallPattern) -> tuple[int, str] | None:
        """Level and strain of a bid's pattern here; None if it is no bid or none is left."""
        return resolve(call, self.bindings, self._memo.state.auction.last_bid, self.suits)

    def define(self, name: str) -> Define | None:
        """Definition of a name, if the system has one."""
        return self._defines.get(name)

    def with_suits(self, bound: Mapping[str, tuple[str, ...]]) -> "PlaceScope":
        """Scope inside a definition: its parameters mean these suits."""
        return PlaceScope(
            self._memo, self._defines, self.bindings, {**(self._extra or {}), **bound}
        )


_JUMPS: Final = {"cheapest": 0, "jump": 1, "double jump": 2}


def resolve(
    call: CallPattern, bindings: Bindings, last_bid: int, suits: "SuitsOf"
) -> tuple[int, str] | None:
    """Level and strain of a bid's pattern whose variables are bound.

    Examples
    --------
    >>> resolve(CallPattern("jump", None, "S"), {}, 0, lambda word: ())
    (2, 'S')
    """
    if call.strain is None:
        return None
    strain = letter_of(call.strain, bindings)
    if strain is None:
        letters = suits(call.strain)
        if len(letters) != 1:
            return None
        strain = letters[0]
    if call.kind in _JUMPS:
        level = cheapest_level(last_bid, strain) + _JUMPS[call.kind]
    elif call.kind == "game":
        level = game_level(strain)
    elif call.level == 0:
        bound = bindings.get("n")
        if bound is None:
            return None
        level = int(bound)
    else:
        level = call.level or 0
    if call.kind == "transfer":
        code = bid_code(level, strain) - 1
        if code < FIRST_BID:
            return None
        return (code - FIRST_BID) // 5 + 1, "CDHSN"[(code - FIRST_BID) % 5]
    return (level, strain) if 1 <= level <= 7 else None
