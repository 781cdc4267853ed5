"""The tree in words again: conditions, calls and agreements as a system's text writes them."""

import re
from collections.abc import Callable
from typing import Final

from bidcascade.systems.language.tree.syntax_tree import (
    SUIT_WORDS,
    Agreement,
    AllOf,
    AnyOf,
    AuctionStep,
    CallPattern,
    Condition,
    Header,
    NotThis,
    Phrase,
    Range,
)

from .phrases import KINDS, denied_by_no, template

_ORDINALS: Final = ("", "first", "second", "third", "fourth")
_SEATS: Final = ("", "1st", "2nd", "3rd", "4th")
_SUIT_OF_LETTER: Final = {letter: word for word, letter in SUIT_WORDS.items()}
_NAMES: Final = {"me": "I"}
_POSSESSIVE: Final = {"me": "my", "partner": "partner's", "RHO": "RHO's", "LHO": "LHO's"}
_OWNERS: Final = {"me": "mine", "we": "ours", "they": "theirs", "partner": "partner's",
                  "RHO": "RHO's", "LHO": "LHO's"}  # fmt: skip
_VERBS: Final = {"pass": "passed", "double": "doubled", "redouble": "redoubled"}
_ONE: Final = (Range(1, 1), Range(0, 1))
"""Of one, and of one at most, what is counted is named alone."""
_OPTIONAL: Final = re.compile(r"\[([^][]*\{(\w+)\})\]")
_WITHOUT_ARTICLE: Final = frozenset({
    "notrump", "forcing", "forcing to game", "artificial", "invitational", "limited", "natural",
    "preemptive", "takeout", "penalty",
})  # fmt: skip


# ---------------------------------------------------------------------- calls
def call_text(call: CallPattern) -> str:
    """Write a call pattern."""
    if call.kind in ("bid", "transfer"):
        if call.level is None:
            return "notrump"
        bid = f"{call.level or 'n'}{call.strain}"
        return f"transfer to {bid}" if call.kind == "transfer" else bid
    if call.strain is None:
        return call.kind if call.kind.startswith("any") else call.kind.capitalize()
    strain = _SUIT_OF_LETTER.get(call.strain, call.strain)
    return f"game in {strain}" if call.kind == "game" else f"{call.kind} {strain}"


def step_text(step: AuctionStep) -> str:
    """Write one step of an auction pattern."""
    if step.any_calls:
        return "…"
    calls = "/".join(call_text(call) for call in step.calls)
    return f"({calls})" if step.theirs else calls


def header_text(header: Header) -> str:
    """Write a header, with its colon."""
    auctions = " or ".join(" ".join(map(step_text, steps)) for steps in header.auctions)
    condition = "" if header.condition is None else condition_text(header.condition)
    if header.kind == "when":
        return f"when {condition}:"
    start = auctions if header.kind == "their call" else header.kind
    if header.kind == "after":
        start = f"after {auctions}"
    return f"{start}, {condition}:" if condition else f"{start}:"


# ---------------------------------------------------------------------- agreements
def agreement_text(agreement: Agreement) -> str:
    """Write an agreement."""
    if agreement.kind == "tag":
        return f"#{agreement.text}"
    if agreement.call is not None:
        return f"{agreement.kind} to {call_text(agreement.call)}"
    if agreement.suit is not None:
        return f"{agreement.kind} {agreement.suit}"
    if agreement.kind in ("asks", "shows", "denies"):
        return f"{agreement.kind} {agreement.text}"
    return f'{agreement.kind} "{agreement.text}"' if agreement.text else agreement.kind


# ---------------------------------------------------------------------- conditions
def condition_text(condition: Condition) -> str:
    """Write a condition so that reading it gives the same tree."""
    if isinstance(condition, AllOf):
        return ", ".join(_alternatives(part) for part in condition.parts)
    return _alternatives(condition)


def _alternatives(condition: Condition) -> str:
    if isinstance(condition, AnyOf):
        return " or ".join(_both(part) for part in condition.parts)
    return _both(condition)


def _both(condition: Condition) -> str:
    if isinstance(condition, AllOf):
        return " and ".join(_atom(part) for part in condition.parts)
    return _atom(condition)


def _atom(condition: Condition) -> str:
    if isinstance(condition, NotThis):
        return _negated(condition.part)
    if isinstance(condition, Phrase):
        return phrase_text(condition)
    return f"({condition_text(condition)})"


def _negated(part: Condition) -> str:
    if not isinstance(part, Phrase):
        return f"not {_atom(part)}"
    if part.kind == "vulnerable":
        return "not (vulnerable)"
    if part.kind == "same suit":
        return f"{part.suits[0]} is not {part.suits[1]}"
    if part.kind == "last call":
        return _last_call(part, "not ")
    if part.kind == "fit":
        return f"no {_fit(part)}"
    if part.kind == "suit length" and part.range is not None and part.range.high is None:
        return f"no {part.range.low}-card {part.suits[0].removeprefix('a ')}"
    return f"{'no' if denied_by_no(KINDS[part.kind]) else 'not'} {phrase_text(part)}"


def range_text(found: Range) -> str:
    """Write a range."""
    if found.also:
        return " or ".join(str(number) for number in (found.low, *found.also))
    if found.high is None:
        return f"{found.low}+"
    if found.low == found.high:
        return str(found.low)
    return f"at most {found.high}" if found.low == 0 else f"{found.low}-{found.high}"


def phrase_text(phrase: Phrase) -> str:
    """Write a phrase in the first form of its row in the catalogue."""
    writer = _WRITERS.get(phrase.kind)
    if writer is not None:
        return writer(phrase)
    row, found = KINDS[phrase.kind], phrase.range
    suit, other = (*phrase.suits, "", "")[:2]
    who, is_many = _who(phrase), phrase.who in (None, "me", "we", "they")
    fields = {
        "range": _range(phrase),
        "suit": "" if suit == row.default else suit,
        "other": other,
        "call": "" if phrase.call is None else call_text(phrase.call),
        "who": who,
        "owner": _OWNERS.get(phrase.who or "", ""),
        "has": "have" if is_many else "has",
        "am": "am" if who == "I" else "are" if is_many else "is",
        "text": phrase.text,
        "count": str(phrase.count),
        "counted": "",
    }
    words = template(row, 1 if found in _ONE else None)
    if "{counted}" in words:
        fields["counted"] = phrase_text(Phrase(phrase.text, range=found, suits=phrase.suits))
    return _OPTIONAL.sub(lambda part: part[1] if fields[part[2]] else "", words).format(**fields)


def _range(phrase: Phrase) -> str:
    return range_text(phrase.range or Range())


def _carded(found: Range) -> str:
    if found.high is None:
        return f"{found.low}+-card"
    return f"{found.low}-card" if found.low == found.high else f"{found.low}-{found.high}-card"


def _length(phrase: Phrase) -> str:
    (suit,) = phrase.suits
    if phrase.range is not None and phrase.range == Range(0, 0) and suit in SUIT_WORDS:
        return f"no {suit}"
    if phrase.range in _ONE and suit in SUIT_WORDS:
        return f"{_range(phrase)} {suit.removesuffix('s')}"
    between = " " if " " not in suit else " in "
    return f"{_range(phrase)}{between}{suit}"


def _top(phrase: Phrase) -> str:
    found = phrase.range or Range()
    if found.high is None:
        return f"{found.low} of the top {phrase.of} in {phrase.suits[0]}"
    words = f"exactly {found.low}" if found.low == found.high else range_text(found)
    return f"{words} of the top {phrase.of} in {phrase.suits[0]}"


def _seat(phrase: Phrase) -> str:
    found = phrase.range or Range(1)
    high = 4 if found.high is None else found.high
    seats = map(int, (*range(int(found.low), int(high) + 1), *found.also))
    *first, last = (_SEATS[seat] for seat in seats)
    return f"{', '.join(first)} or {last} seat" if first else f"{last} seat"


def _who(phrase: Phrase) -> str:
    who = phrase.who or "me"
    return _NAMES.get(who, who)


def _bid(phrase: Phrase) -> str:
    words = f"{_who(phrase)} bid"
    if phrase.suits:
        return f"{words} {phrase.suits[0]}"
    if phrase.call is None and phrase.who in ("RHO", "LHO"):
        return f"{_who(phrase)} has bid"
    return words if phrase.call is None else f"{words} {call_text(phrase.call)}"


def _last_call(phrase: Phrase, negation: str = "") -> str:
    verb = None if phrase.call is None else _VERBS.get(phrase.call.kind)
    if verb is not None and (not negation or phrase.who in ("we", "they")):
        return f"{negation}{_who(phrase)} {verb}"
    words = f"{_POSSESSIVE[phrase.who or 'me']} last call was {negation}"
    if phrase.call is not None and verb is not None:
        return f"{words}a {phrase.call.kind}"
    if phrase.call is not None:
        return words + call_text(phrase.call)
    article = "" if phrase.text in _WITHOUT_ARTICLE or phrase.text.startswith("#") else "a "
    return f"{words}{article}{phrase.text}"


def _fit(phrase: Phrase) -> str:
    suits = f" in {phrase.suits[0]}" if phrase.suits else ""
    return f"{phrase.count}-card fit{suits}"


def _a_fit(phrase: Phrase) -> str:
    article = "an" if phrase.count in (8, 11) else "a"
    return f"we have {article} {_fit(phrase)}"


def _level(found: Range) -> str:
    if found.high is None:
        return f"at least the {found.low}-level"
    return f"at {'the' if found.low == found.high else 'most the'} {found.high}-level"


def _available(phrase: Phrase) -> str:
    assert phrase.call is not None
    words = "available" if phrase.range is None else _level(phrase.range)
    return f"{call_text(phrase.call)} is {words}"


_WRITERS: Final[dict[str, Callable[[Phrase], str]]] = {
    "length": _length,
    "suit length": lambda p: f"{_carded(p.range or Range())} {p.suits[0].removeprefix('a ')}",
    "top honours": _top,
    "named": lambda p: " ".join((p.text, *p.suits)),
    "seat": _seat,
    "bid": _bid,
    "last call": _last_call,
    "fit": _a_fit,
    "level": lambda p: _level(p.range or Range()),
    "available": _available,
    "nth call": lambda p: f"my {_ORDINALS[p.count or 1]} call",
}
"""What the words of the catalogue's row alone do not say."""
