"""Words of a convention card: what a call shows, in one short line that opponents can read.

The line of a text says what it asks of a hand; a card says what the call shows: points, lengths,
whether it is forcing. Conditions that no such word says are left to the name of the line, by which
players know them. Nothing is said that the text does not say.
"""

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from bidcascade.bridge import DOUBLE, FIRST_BID, REDOUBLE, bid_level, bid_strain, format_call
from bidcascade.systems.places.state import State
from bidcascade.table.language.term_catalogue import SUIT_NAMES

from .cell_words import MANY_POINTS, length_texts
from .explanation import (
    ExplainedCall,
    StatesAndPlaces,
    by_one_side,
    differs_by_vulnerability,
    explained_call,
    told_at_each,
)

LONGEST_LINE: Final = 56
"""Characters of the words of a line."""
_SUITS: Final = "CDHS"
_SIGNS: Final = "♣♦♥♠"
_SIGN_OF: Final = {SUIT_NAMES[suit]: sign for suit, sign in zip(_SUITS, _SIGNS, strict=True)}
_OPEN_ENDED: Final = 20
_WIDE: Final = 14
"""A range that is so wide, and ends at so many points, is named by its beginning."""
_LEAST: Final = 3
"""Fewer points than so many are no lower bound that a player would name."""
_LENGTH: Final = re.compile(r"(\d+)(\+|-\d+)? (club|diamond|heart|spade)s?")
_SAID_BY_NAME: Final = {
    "preemptive": ("preempt", "weak"),
    "invitational": ("invit",),
    "game forcing": ("game forc",),
}
"""Beginnings of words that say the same in the name of a line."""
_PAIRS: Final = {
    frozenset("♥♠"): "in a major",
    frozenset("♣♦"): "in a minor",
    frozenset(_SIGNS): "in any suit",
}
_AGREED: Final = {
    "forcing to game": "game forcing",
    "forcing": "forcing",
    "not forcing": "not forcing",
    "invitational": "invitational",
    "sign-off": "to play",
    "preemptive": "preemptive",
    "penalty": "penalty",
    "takeout": "takeout",
    "artificial": "artificial",
}
_SHORT: Final = {
    "vulnerable": ("vul", "not vul"),
    "against vulnerable opponents": ("against vul", "against not vul"),
}
"""Short words for a side that is vulnerable, and for one that is not."""
_SUPPORT: Final = 3
"""Cards of another suit that say nothing of it."""
_MAIN_NAME: Final = 0.6
"""Part of the hands of a natural bid from which on the name of their line is that of the call."""
_ONE_NAME: Final = 0.9
"""The same of a line for takeout doubles, of which there are several."""


def words_data() -> dict[str, Any]:
    """Give the tables of this module for the engine that says the same in the browser.

    Examples
    --------
    >>> words_data()["longestLine"]
    56
    """
    return {
        "longestLine": LONGEST_LINE,
        "openEnded": _OPEN_ENDED,
        "wide": _WIDE,
        "least": _LEAST,
        "support": _SUPPORT,
        "mainName": _MAIN_NAME,
        "oneName": _ONE_NAME,
        "signs": _SIGNS,
        "pairs": [["".join(sorted(signs)), words] for signs, words in _PAIRS.items()],
        "agreed": [*_AGREED.items()],
        "saidByName": _SAID_BY_NAME,
        "vulnerable": _SHORT,
    }


class CardWords(NamedTuple):
    """What a card says of a call: points, as ``12-21``, and words; either may be empty."""

    points: str
    words: str


def card_words(after: State) -> CardWords:
    """Say the last call before a state as cards do.

    Examples
    --------
    >>> from bidcascade.bridge import parse_calls
    >>> from bidcascade.systems.system import System
    >>> system = System.parse('''
    ... opening:
    ...   1S = Five-card major: 12-21 points, 5+ spades
    ... after 1S:
    ...   2S = Simple raise: 6-9 points, 3+ spades
    ... ''')
    >>> for auction in "1S", "1S P 2S":
    ...     print(card_words(system.reader().state(parse_calls(auction))))
    CardWords(points='12-21', words='Five-card major: 5+ cards')
    CardWords(points='6-9', words='Simple raise: 3+ support')
    """
    explained = explained_call(after)
    meaning = after.meanings[-1]
    agreed = [one.kind for one in meaning.agreements]
    name = _name(explained, after, agreed)
    details = [*_asked(explained), *_lengths(explained, after, name)]
    if "forcing to game" in agreed:
        agreed = [one for one in agreed if one != "forcing"]
    if meaning.call in (DOUBLE, REDOUBLE) and "takeout" in agreed:
        # every takeout double is
        agreed = [one for one in agreed if one not in ("forcing", "artificial")]
    if "double" in name.lower():
        agreed = [one for one in agreed if one not in ("takeout", "penalty")]
    binding = [
        word
        for kind, word in _AGREED.items()
        if kind in agreed
        and not any(one in name.lower() for one in _SAID_BY_NAME.get(word, (word,)))
    ]
    least, promised = explained.every_points[0], explained.points[0]
    light = f"light from {least}" if _LEAST <= least < promised else ""
    return CardWords(points_range(explained.points), _fitting(name, details, binding, light))


def card_words_of_each(places: StatesAndPlaces, calls: Sequence[int]) -> CardWords:
    """Say the last of some calls as cards do; points that differ by vulnerability, with both.

    Examples
    --------
    >>> from bidcascade.systems.system import System
    >>> system = System.parse('''
    ... opening:
    ...   1N = Notrump: balanced, vulnerable, 15-17 points
    ...   1N = Notrump: balanced, not vulnerable, 12-14 points
    ... ''')
    >>> card_words_of_each(system.reader(), (7,))
    CardWords(points='15-17 vul, 12-14 not', words='Notrump: balanced')
    """
    after = places.state(calls)
    found = card_words(after)
    if not differs_by_vulnerability(after.meanings[-1]):
        return found
    either = by_one_side(told_at_each(places, calls, lambda there: _card_words_at(there, calls)))
    if either is None:
        return found
    first, other, (said, otherwise, _) = either
    there, elsewhere = _SHORT[said]
    if first is None or other is None:
        words = f"{found.words} ({elsewhere if first is None else there})"
        return found if len(words) > LONGEST_LINE else CardWords(found.points, words)
    points, words = found.points, found.words
    if first.points and other.points and first.points != other.points:
        points = f"{first.points} {there}, {other.points} {otherwise}"
    if first.words != other.words:
        name, colon, _ = first.words.partition(": ")
        rest = other.words.removeprefix(f"{name}{colon}") if colon else other.words
        both = f"{first.words} {there}; {rest} {otherwise}"
        words = both if len(both) <= LONGEST_LINE else words
    return CardWords(points, words)


def _card_words_at(places: StatesAndPlaces, calls: Sequence[int]) -> CardWords | None:
    after = places.state(calls)
    return card_words(after) if after.meanings[-1].known else None


def points_range(points: tuple[int, int]) -> str:
    """Write a range of points as cards do.

    Examples
    --------
    >>> points_range((15, 17)), points_range((0, 7)), points_range((6, 37)), points_range((0, 37))
    ('15-17', '0-7', '6+', '')
    """
    low, high = points
    if high >= MANY_POINTS or (high >= _OPEN_ENDED and high - low >= _WIDE):
        return f"{low}+" if low >= _LEAST else ""
    return f"{low}" if low == high else f"{low}-{high}"


def call_sign(call: int) -> str:
    """Write a call as players do.

    Examples
    --------
    >>> call_sign(3), call_sign(7), call_sign(1)
    ('1♣', '1NT', 'X')
    """
    if call < FIRST_BID:
        return format_call(call)
    return f"{bid_level(call)}{(*_SIGNS, 'NT')[bid_strain(call)]}"


def _name(explained: ExplainedCall, after: State, agreed: Sequence[str]) -> str:
    """Name of the line that most hands make the call by; none of a natural bid of several."""
    meaning = after.meanings[-1]
    shares: dict[str, float] = {}
    for one, kind in zip(meaning.alternatives, explained.hand_types, strict=True):
        if one.name:
            shares[one.name] = shares.get(one.name, 0.0) + kind.share
    if not shares:
        return meaning.uses[0].line.name if meaning.uses else ""
    name = max(shares, key=shares.__getitem__)
    if meaning.call in (DOUBLE, REDOUBLE):
        # of several takeout doubles, a strong one perhaps, the weakest is what opponents meet
        many = shares[name] < (_ONE_NAME if name.endswith("takeout double") else _MAIN_NAME)
        known = [one for one in ("takeout", "penalty") if one in agreed]
        return f"{known[0].capitalize()} double" if known and many else name
    natural = meaning.call >= FIRST_BID and not meaning.is_artificial
    return "" if natural and shares[name] < _MAIN_NAME else name


def _asked(explained: ExplainedCall) -> list[str]:
    """Say what a call asks for."""
    asked = [one for one in explained.agreements if one.startswith("asks ")]
    return [one.replace("four-card", "4-card") for one in asked]


def _lengths(explained: ExplainedCall, after: State, name: str) -> list[str]:
    """Lengths of suits that the call shows, the least: of its own suit as cards, or as support."""
    meaning = after.meanings[-1]
    own = ""
    if meaning.call >= FIRST_BID and bid_strain(meaning.call) < len(_SUITS):
        own = "" if meaning.is_artificial else _SUITS[bid_strain(meaning.call)]
    own_sign = _SIGNS[_SUITS.index(own)] if own else ""
    texts = length_texts(after.knowledge[explained.player].cells)
    if "balanced" in texts:
        return [] if "balanced" in name.lower() else ["balanced"]
    trumps = [one.removeprefix("agrees ") for one in explained.agreements if "agrees " in one]
    for suit in _SUITS:
        least = explained.lengths[suit][0]
        if SUIT_NAMES[suit] in trumps and suit != own and least >= _SUPPORT:
            return [f"{least}+ support"]
    found: list[str] = []
    shown = ""
    for text in texts:
        parts = [_LENGTH.fullmatch(one) for one in text.split(" or ")]
        said = [(_least(one), _SIGN_OF[f"{one[3]}s"]) for one in parts if one]
        if len(said) < len(parts):
            continue
        signs = frozenset(sign for _, sign in said)
        counts = {count for count, _ in said}
        if len(said) == 1:
            count, sign = said[0]
            if sign == own_sign:
                shown = count
            elif int(count.rstrip("+")) > _SUPPORT:
                found.append(f"{count} {sign}")
        elif own_sign in signs:
            continue
        elif len(counts) == 1 and signs in _PAIRS:
            found.append(f"{counts.pop()} {_PAIRS[signs]}")
        elif len(said) == 2:
            found.append(" or ".join(f"{count} {sign}" for count, sign in said))
    if own and not shown and all(call < FIRST_BID for call in after.calls[:-1]):
        shown = f"{explained.lengths[own][0]}+"
    if shown:
        found.insert(0, _held(shown, raises=_raises(after)))
    return found


def _held(length: str, *, raises: bool) -> str:
    if raises:
        return f"{length} support" if length.endswith("+") else f"{length}-card support"
    return f"{length} {'card' if length == '1' else 'cards'}"


def _raises(after: State) -> bool:
    """Whether partner has bid the suit of the last call, and meant it."""
    *earlier, call = after.calls
    return any(
        one >= FIRST_BID and bid_strain(one) == bid_strain(call) and not meaning.is_artificial
        for one, meaning in zip(earlier[-2::-4], after.meanings[-3::-4], strict=True)
    )


def _least(length: re.Match[str]) -> str:
    return f"{length[1]}+" if length[2] else length[1]


def _fitting(name: str, details: Sequence[str], binding: Sequence[str], light: str) -> str:
    """Join the parts of a line, as many as fit; the last ones say least."""
    words = _shortened(name)
    parts = [*details, *(one for one in binding if one != "artificial")]
    parts += filter(None, (light, "artificial" if "artificial" in binding else ""))
    for part in parts:
        longer = f"{words}{', ' if ':' in words or not name else ': '}{part}" if words else part
        if len(longer) <= LONGEST_LINE:
            words = longer
    return words or "natural"


def _shortened(name: str) -> str:
    if len(name) <= LONGEST_LINE:
        return name
    return f"{name[: LONGEST_LINE - 1].rsplit(' ', 1)[0]}…"
