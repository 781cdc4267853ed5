"""Facts about an auction, as the headers of a system name them: ``they bid X``, ``forced`` ….

Every function answers for the player to call, from what a :class:`~.state.State` knows.
"""

from collections.abc import Callable
from typing import Final

from bidcascade.bridge import DOUBLE, FIRST_BID, PASS, REDOUBLE, bid_level
from bidcascade.table.language.vocabulary import Vocabulary
from bidcascade.table.system_text.syntax_tree import Phrase, Range

from .hand_space import term_range
from .patterns import Bindings, letter_of, match_call, strain_of
from .state import Deed, Meaning, State, cheapest_level

_SUITS: Final = "CDHS"
_VOCABULARY: Final = Vocabulary()
WHO: Final[dict[str, tuple[int, ...]]] = {
    "me": (0,), "I": (0,), "LHO": (1,), "partner": (2,), "RHO": (3,), "we": (0, 2), "they": (1, 3),
}  # fmt: skip
_POSITIONS: Final = {
    (position, who): tuple((position + step) % 4 for step in steps)
    for position in range(4)
    for who, steps in WHO.items()
}
FACT_TERMS: Final = {
    "points": "HCP", "total points": "Total_Points", "aces": "Aces", "kings": "Kings",
    "controls": "Controls", "losers": "Losers",
}  # fmt: skip

Suits = Callable[[str], tuple[str, ...]]


def positions_of(state: State, who: str) -> tuple[int, ...]:
    """Positions of a word for players, seen from the player to call.

    Examples
    --------
    >>> positions_of(State(), "they")
    (1, 3)
    """
    return _POSITIONS[state.position, who]


def holds(phrase: Phrase, state: State, suits: Suits, bindings: Bindings) -> bool:
    """Whether a fact holds; all its variables are bound.

    Parameters
    ----------
    phrase
        Of a kind in :data:`FACTS`.
    suits
        Letters of a suit word here.
    bindings
        For call patterns within the fact.

    Examples
    --------
    >>> holds(Phrase("nobody opened"), State(), lambda word: (), {})
    True
    """
    return FACTS[phrase.kind](phrase, state, suits, bindings)


def role_suits(word: str, state: State) -> tuple[str, ...] | None:
    """Letters of a suit that is named by its role in the auction; None for no role.

    Examples
    --------
    >>> role_suits("every unbid major", State())
    ('H', 'S')
    """
    me = state.position
    rho, lho, partner = (me + 3) % 4, (me + 1) % 4, (me + 2) % 4
    shown = state.suits
    if word in ("their suit", "their suits"):
        return tuple(suit for suit in _SUITS if suit in shown[rho] or suit in shown[lho])
    if word == "RHO's suit":
        return tuple(shown[rho])
    if word == "LHO's suit":
        return tuple(shown[lho])
    if word == "partner's suit":
        return tuple(shown[partner][-1:])
    if word == "my suit":
        return tuple(shown[me][-1:])
    if word in ("our suit", "trumps"):
        suit = our_suit(state)
        return () if suit is None else (suit,)
    if "unbid" in word:
        bid = "".join(shown)
        among = "HS" if "major" in word else "CD" if "minor" in word else _SUITS
        return tuple(suit for suit in among if suit not in bid)
    if word in ("a suit", "every suit"):
        return tuple(_SUITS)
    if word in ("a major", "both majors"):
        return ("H", "S")
    if word in ("a minor", "both minors"):
        return ("C", "D")
    return None


def our_suit(state: State) -> str | None:
    """Suit that is trumps as far as we know: agreed, a known fit, partner's last, my last.

    Examples
    --------
    >>> our_suit(State()) is None
    True
    """
    me = state.position
    agreed = state.agreed[me % 2]
    if agreed is not None:
        return agreed
    fits = [suit for suit in _SUITS if state.fit(me % 2, suit) >= 8]
    if fits:
        return max(fits, key=lambda suit: (state.fit(me % 2, suit), suit))
    for position in ((me + 2) % 4, me):
        if state.suits[position]:
            return state.suits[position][-1]
    return None


def shown(state: State, position: int, term: str) -> tuple[int, int]:
    """Bounds of a term that a player has shown.

    Examples
    --------
    >>> shown(State(), 2, "SL_H"), shown(State(), 2, "Aces")
    ((0, 13), (0, 4))
    """
    bounds = state.hulls[position]
    if term == "HCP":
        low, high = bounds.points
    elif term.startswith("SL_"):
        low, high = bounds.lengths[_SUITS.index(term[3:])]
    else:
        low, high = _term_range(state, position, term)
    known = state.knowledge[position].terms.get(term)
    if known is not None and max(low, known[0]) <= min(high, known[1]):
        low, high = max(low, known[0]), min(high, known[1])
    return low, high


def _term_range(state: State, position: int, term: str) -> tuple[int, int]:
    return term_range(state.knowledge[position].cells, term, _VOCABULARY)


def _in_range(value: int, wanted: Range | None) -> bool:
    if wanted is None:
        return True
    return value in wanted.also or (
        wanted.low <= value and (wanted.high is None or value <= wanted.high)
    )


def _passed_hand(phrase: Phrase, state: State, suits: Suits, bindings: Bindings) -> bool:
    first = len(state.calls) if state.opening is None else state.opening
    return any(position < first for position in positions_of(state, phrase.who or "me"))


def _opened(phrase: Phrase, state: State, suits: Suits, bindings: Bindings) -> bool:
    if state.opening is None or state.opening % 4 not in positions_of(state, phrase.who or "we"):
        return False
    call = state.calls[state.opening]
    return phrase.call is None or match_call(phrase.call, call, bindings) is not None


def _bid(phrase: Phrase, state: State, suits: Suits, bindings: Bindings) -> bool:
    positions = positions_of(state, phrase.who or "we")
    if phrase.call is not None:
        return any(
            number % 4 in positions and match_call(phrase.call, call, bindings) is not None
            for number, call in enumerate(state.calls)
        )
    if phrase.suits:
        return any(
            state.named_by(position, "N" if word in ("NT", "notrump") else letter)
            for word in phrase.suits
            for letter in (("N",) if word in ("NT", "notrump") else suits(word))
            for position in positions
        )
    return any(
        number % 4 in positions and call >= FIRST_BID for number, call in enumerate(state.calls)
    )


def _not_bid(phrase: Phrase, state: State, suits: Suits, bindings: Bindings) -> bool:
    return not _bid(phrase, state, suits, bindings)


def _only_passed(phrase: Phrase, state: State, suits: Suits, bindings: Bindings) -> bool:
    positions = positions_of(state, phrase.who or "partner")
    made = [call for number, call in enumerate(state.calls) if number % 4 in positions]
    return bool(made) and all(call == PASS for call in made)


def _last_call(phrase: Phrase, state: State, suits: Suits, bindings: Bindings) -> bool:
    for position in positions_of(state, phrase.who or "partner"):
        number = state.last_call_of(position)
        if number is not None and _is_call(phrase, state, number, bindings):
            return True
    return False


def _is_call(phrase: Phrase, state: State, number: int, bindings: Bindings) -> bool:
    call, meaning, deed = state.calls[number], state.meanings[number], state.deeds[number]
    if phrase.call is not None:
        return match_call(phrase.call, call, bindings) is not None
    text = phrase.text
    if text.startswith("#"):
        return text[1:] in meaning.tags
    test = _CALLS_IN_WORDS.get(text)
    return meaning.says(text) if test is None else test(call, meaning, deed)


_CALLS_IN_WORDS: Final[dict[str, Callable[[int, Meaning, Deed], bool]]] = {
    "forcing": lambda call, meaning, deed: (
        meaning.says("forcing") or meaning.says("forcing to game")
    ),
    "artificial": lambda call, meaning, deed: meaning.is_artificial,
    "natural": lambda call, meaning, deed: call >= FIRST_BID and not meaning.is_artificial,
    "pass": lambda call, meaning, deed: call == PASS,
    "double": lambda call, meaning, deed: call == DOUBLE,
    "redouble": lambda call, meaning, deed: call == REDOUBLE,
    "bid": lambda call, meaning, deed: call >= FIRST_BID,
    "raise": lambda call, meaning, deed: deed.raise_,
    "jump": lambda call, meaning, deed: deed.jump >= 1,
    "double jump": lambda call, meaning, deed: deed.jump >= 2,
    "jump raise": lambda call, meaning, deed: deed.raise_ and deed.jump >= 1,
    "new suit": lambda call, meaning, deed: deed.new_suit,
    "suit": lambda call, meaning, deed: call >= FIRST_BID and strain_of(call) != "N",
    "notrump": lambda call, meaning, deed: call >= FIRST_BID and strain_of(call) == "N",
    "cue-bid": lambda call, meaning, deed: deed.cue_bid,
    "reverse": lambda call, meaning, deed: deed.reverse,
    "jump shift": lambda call, meaning, deed: deed.new_suit and deed.jump >= 1,
}


def _has_called(phrase: Phrase, state: State, suits: Suits, bindings: Bindings) -> bool:
    positions = positions_of(state, phrase.who or "partner")
    tag = phrase.text.removeprefix("#")
    return any(
        number % 4 in positions and tag in meaning.tags
        for number, meaning in enumerate(state.meanings)
    )


def _unbid(phrase: Phrase, state: State, suits: Suits, bindings: Bindings) -> bool:
    bid = "".join(state.suits)
    return all(letter not in bid for word in phrase.suits for letter in suits(word))


def _fourth_suit(phrase: Phrase, state: State, suits: Suits, bindings: Bindings) -> bool:
    ours = set(state.suits[state.position]) | set(state.suits[(state.position + 2) % 4])
    letters = suits(phrase.suits[0])
    return len(ours) == 3 and len(letters) == 1 and letters[0] not in "".join(state.suits)


def _fit(phrase: Phrase, state: State, suits: Suits, bindings: Bindings) -> bool:
    wanted = phrase.count or 8
    letters = [letter for word in phrase.suits for letter in suits(word)] or list(_SUITS)
    return any(state.fit(state.position % 2, letter) >= wanted for letter in letters)


def _balancing(phrase: Phrase, state: State, suits: Suits, bindings: Bindings) -> bool:
    return state.opening is not None and state.auction.trailing_passes == 2


def _level(phrase: Phrase, state: State, suits: Suits, bindings: Bindings) -> bool:
    last = state.auction.last_bid
    return _in_range(bid_level(last) if last >= FIRST_BID else 0, phrase.range)


def _last_bid(phrase: Phrase, state: State, suits: Suits, bindings: Bindings) -> bool:
    last = state.auction.last_bid
    if last < FIRST_BID:
        return False
    if phrase.call is not None and match_call(phrase.call, last, bindings) is None:
        return False
    tag = phrase.text.removeprefix("#")
    if tag and tag not in state.meanings[state.auction.last_bidder].tags:
        return False
    return phrase.who is None or state.auction.last_bidder % 4 in positions_of(state, phrase.who)


def _term(phrase: Phrase, suits: Suits) -> list[str]:
    if phrase.suits:
        stem = {"points": "HCP", "keycards": "Keycards"}.get(phrase.text, "SL")
        return [f"{stem}_{letter}" for word in phrase.suits for letter in suits(word)]
    return [FACT_TERMS[phrase.text or "points"]]


def _has_shown(phrase: Phrase, state: State, suits: Suits, bindings: Bindings) -> bool:
    wanted = phrase.range or Range()
    for position in positions_of(state, phrase.who or "partner"):
        for term in _term(phrase, suits):
            low, high = shown(state, position, term)
            if low >= wanted.low and (wanted.high is None or high <= wanted.high):
                return True
    return False


def _may_have(phrase: Phrase, state: State, suits: Suits, bindings: Bindings) -> bool:
    wanted = phrase.range or Range()
    for position in positions_of(state, phrase.who or "partner"):
        for term in _term(phrase, suits):
            low, high = shown(state, position, term)
            if high >= wanted.low and (wanted.high is None or low <= wanted.high):
                return True
    return False


def _ranks_above(phrase: Phrase, state: State, suits: Suits, bindings: Bindings) -> bool:
    first, second = (suits(word) for word in phrase.suits)
    return bool(first and second) and all(
        _SUITS.index(a) > _SUITS.index(b) for a in first for b in second
    )


def _same_suit(phrase: Phrase, state: State, suits: Suits, bindings: Bindings) -> bool:
    first, second = (suits(word) for word in phrase.suits)
    return bool(set(first) & set(second))


_JUMPS: Final = {"jump": 1, "double jump": 2}


def _sufficient(phrase: Phrase, state: State, suits: Suits, bindings: Bindings) -> bool:
    """``2X is available`` / ``cheapest X is at most the 2-level``."""
    call = phrase.call
    if call is None or call.strain is None:
        return False
    letter = letter_of(call.strain, bindings)
    letters = (letter,) if letter else suits(call.strain)
    level = call.level
    return any(
        _in_range(
            cheapest_level(state.auction.last_bid, strain) + _JUMPS.get(call.kind, 0),
            phrase.range or Range(0, level),
        )
        for strain in letters
    )


def _nth_call(phrase: Phrase, state: State, suits: Suits, bindings: Bindings) -> bool:
    return len(state.calls) // 4 + 1 == phrase.count


def _contested(phrase: Phrase, state: State, suits: Suits, bindings: Bindings) -> bool:
    return all(state.contested)


def _seat(phrase: Phrase, state: State, suits: Suits, bindings: Bindings) -> bool:
    return _in_range(state.position + 1, phrase.range)


Fact = Callable[[Phrase, State, Suits, Bindings], bool]

FACTS: Final[dict[str, Fact]] = {
    "passed hand": _passed_hand,
    "opened": _opened,
    "nobody opened": lambda phrase, state, suits, bindings: state.opening is None,
    "only passed": _only_passed,
    "bid": _bid,
    "not bid": _not_bid,
    "last call": _last_call,
    "has called": _has_called,
    "unbid": _unbid,
    "fourth suit": _fourth_suit,
    "fit": _fit,
    "forced": lambda phrase, state, suits, bindings: state.forced,
    "game forced": lambda phrase, state, suits, bindings: state.game_forced[state.position % 2],
    "balancing": _balancing,
    "contested": _contested,
    "uncontested": lambda phrase, state, suits, bindings: not all(state.contested),
    "level": _level,
    "last bid": _last_bid,
    "has shown": _has_shown,
    "may have": _may_have,
    "ranks above": _ranks_above,
    "same suit": _same_suit,
    "available": _sufficient,
    "nth call": _nth_call,
    "seat": _seat,
    "game reached": lambda phrase, state, suits, bindings: state.game_reached,
}
"""What each kind of fact asks; the kinds are those of ``phrases.md``."""
