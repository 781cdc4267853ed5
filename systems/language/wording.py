"""The tree in words again: conditions, calls and agreements as a system's text writes them."""

from collections.abc import Callable
from typing import Final

from .syntax_tree import (
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

_ORDINALS: Final = ("", "first", "second", "third", "fourth")
_SEATS: Final = ("", "1st", "2nd", "3rd", "4th")
_SUIT_OF_LETTER: Final = {letter: word for word, letter in SUIT_WORDS.items()}
_NAMES: Final = {"me": "I"}
_POSSESSIVE: Final = {"me": "my", "partner": "partner's", "RHO": "RHO's", "LHO": "LHO's"}
_OWNERS: Final = {"me": "mine", "we": "ours", "they": "theirs", "partner": "partner's",
                  "RHO": "RHO's", "LHO": "LHO's"}  # fmt: skip
_VERBS: Final = {"pass": "passed", "double": "doubled", "redouble": "redoubled"}
_ONE: Final = frozenset({
    "points", "losers", "controls", "quick tricks", "playing tricks", "aces", "kings", "queens",
    "keycards",
})  # fmt: skip
"""What is counted one by one: the ``s`` goes when there is one."""
_WITHOUT_ARTICLE: Final = frozenset({
    "notrump", "forcing", "forcing to game", "artificial", "invitational", "limited", "natural",
    "preemptive", "takeout", "penalty",
})  # fmt: skip
_NO: Final = frozenset({
    "stopper", "void", "singleton", "doubleton", "shortness", "first-round control",
    "second-round control", "partial stopper", "two stoppers",
})  # fmt: skip


# ---------------------------------------------------------------------- calls
def call_text(call: CallPattern) -> str:
    """Write a call pattern.

    Examples
    --------
    >>> call_text(CallPattern("transfer", 2, "M")), call_text(CallPattern("cheapest", None, "NT"))
    ('transfer to 2M', 'cheapest NT')
    """
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
    """Write one step of an auction pattern.

    Examples
    --------
    >>> step_text(AuctionStep((CallPattern("bid", 1, "M"),), theirs=True))
    '(1M)'
    """
    if step.any_calls:
        return "…"
    calls = "/".join(call_text(call) for call in step.calls)
    return f"({calls})" if step.theirs else calls


def header_text(header: Header) -> str:
    """Write a header, with its colon.

    Examples
    --------
    >>> header_text(Header("when", condition=Phrase("forced")))
    'when forced:'
    """
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
    """Write an agreement.

    Examples
    --------
    >>> agreement_text(Agreement("tag", "stayman")), agreement_text(Agreement("agrees", suit="M"))
    ('#stayman', 'agrees M')
    """
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
    """Write a condition so that reading it gives the same tree.

    Examples
    --------
    >>> points, shape = Phrase("points", range=Range(15, 17)), Phrase("named", text="balanced")
    >>> condition_text(AllOf((points, shape)))
    '15-17 points, balanced'
    """
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
    if part.kind in _NO:
        return f"no {phrase_text(part)}"
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
    return f"not {phrase_text(part)}"


def range_text(found: Range) -> str:
    """Write a range.

    Examples
    --------
    >>> range_text(Range(5)), range_text(Range(0, 3)), range_text(Range(0, 0, (4,)))
    ('5+', 'at most 3', '0 or 4')
    """
    if found.also:
        return " or ".join(str(number) for number in (found.low, *found.also))
    if found.high is None:
        return f"{found.low}+"
    if found.low == found.high:
        return str(found.low)
    return f"at most {found.high}" if found.low == 0 else f"{found.low}-{found.high}"


def phrase_text(phrase: Phrase) -> str:
    """Write a phrase in its first form in ``phrases.md``.

    Examples
    --------
    >>> phrase_text(Phrase("length", range=Range(5), suits=("M",)))
    '5+ M'
    """
    writer = _WRITERS.get(phrase.kind)
    if writer is not None:
        return writer(phrase)
    if phrase.range is not None:
        is_one = phrase.range == Range(1, 1) and phrase.kind in _ONE
        words = f"{range_text(phrase.range)} {phrase.kind[:-1] if is_one else phrase.kind}"
        return f"{words} in {phrase.suits[0]}" if phrase.suits else words
    return phrase.kind


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
    between = " " if " " not in suit else " in "
    return f"{_range(phrase)}{between}{suit}"


def _support(phrase: Phrase) -> str:
    (suit,) = phrase.suits
    words = f"{_range(phrase)} support"
    return words if suit == "partner's suit" else f"{words} for {suit}"


def _two_suits(words: str) -> Callable[[Phrase], str]:
    return lambda phrase: f"{phrase.suits[0]} {words} {phrase.suits[1]}"


def _one_suit(words: str) -> Callable[[Phrase], str]:
    return lambda phrase: words.format(phrase.suits[0])


def _short(phrase: Phrase) -> str:
    (suit,) = phrase.suits
    return phrase.kind if suit == "a suit" else f"{phrase.kind} in {suit}"


def _top(phrase: Phrase) -> str:
    found = phrase.range or Range()
    if found.high is None:
        return f"{found.low} of the top {phrase.of} in {phrase.suits[0]}"
    words = f"exactly {found.low}" if found.low == found.high else range_text(found)
    return f"{words} of the top {phrase.of} in {phrase.suits[0]}"


def _seat(phrase: Phrase) -> str:
    found = phrase.range or Range(1)
    high = 4 if found.high is None else found.high
    seats = [*range(found.low, high + 1), *found.also]
    *first, last = (_SEATS[seat] for seat in seats)
    return f"{', '.join(first)} or {last} seat" if first else f"{last} seat"


def _who(phrase: Phrase) -> str:
    who = phrase.who or "me"
    return _NAMES.get(who, who)


def _has(phrase: Phrase) -> str:
    return "have" if phrase.who in ("me", "we", "they") else "has"


def _with_call(phrase: Phrase, words: str) -> str:
    return words if phrase.call is None else f"{words} {call_text(phrase.call)}"


def _passed_hand(phrase: Phrase) -> str:
    verb = {"me": "am", "we": "are", "they": "are"}.get(phrase.who or "me", "is")
    return f"{_who(phrase)} {verb} a passed hand"


def _bid(phrase: Phrase) -> str:
    words = f"{_who(phrase)} bid"
    if phrase.suits:
        return f"{words} {phrase.suits[0]}"
    if phrase.call is None and phrase.who in ("RHO", "LHO"):
        return f"{_who(phrase)} has bid"
    return _with_call(phrase, words)


def _not_bid(phrase: Phrase) -> str:
    return " ".join((_who(phrase), _has(phrase), "not bid", *phrase.suits))


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


def _last_bid(phrase: Phrase) -> str:
    owner = () if phrase.who is None else (_OWNERS[phrase.who],)
    called = () if phrase.call is None else (call_text(phrase.call),)
    return " ".join(("last bid was", *owner, *called, *((phrase.text,) if phrase.text else ())))


def _shown(words: str) -> Callable[[Phrase], str]:
    def write(phrase: Phrase) -> str:
        counted = phrase_text(Phrase(phrase.text, range=phrase.range, suits=phrase.suits))
        verb = words.format(_has(phrase))
        return f"{_who(phrase)} {verb} {counted}"

    return write


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
    "support": _support,
    "combined cards": lambda p: f"{_range(p)} combined cards in {p.suits[0]}",
    "suit length": lambda p: f"{_carded(p.range or Range())} {p.suits[0].removeprefix('a ')}",
    "shape": lambda p: p.text,
    "longer": _two_suits("longer than"),
    "at least as long": _two_suits("at least as long as"),
    "ranks above": _two_suits("ranks above"),
    "same suit": _two_suits("is"),
    "longest": _one_suit("{} is the longest"),
    "strictly longest": _one_suit("{} is strictly longest"),
    "longest outside theirs": _one_suit("{} is longest outside their suits"),
    "fourth suit": _one_suit("{} is the fourth suit"),
    "top honours": _top,
    "honour": lambda p: f"{p.text} of {p.suits[0]}",
    "stopper": _one_suit("stopper in {}"),
    "partial stopper": _one_suit("partial stopper in {}"),
    "two stoppers": _one_suit("two stoppers in {}"),
    "void": _short,
    "singleton": _short,
    "doubleton": _short,
    "shortness": _short,
    "first-round control": _one_suit("first-round control in {}"),
    "second-round control": _one_suit("second-round control in {}"),
    "rule of": lambda p: f"rule of {p.count}",
    "named": lambda p: " ".join((p.text, *p.suits)),
    "raw": lambda p: f"{{{p.text}}}",
    "law": lambda p: _with_call(p, "law of total tricks at"),
    "enough points": lambda p: _with_call(p, "enough points for"),
    "seat": _seat,
    "passed hand": _passed_hand,
    "nobody opened": lambda p: "nobody has opened",
    "game reached": lambda p: "game is reached",
    "opened": lambda p: _with_call(p, f"{_who(p)} opened"),
    "bid": _bid,
    "not bid": _not_bid,
    "only passed": lambda p: f"{_who(p)} {_has(p)} only passed",
    "last call": _last_call,
    "last bid": _last_bid,
    "has called": lambda p: f"{_who(p)} {_has(p)} called {p.text}",
    "has shown": _shown("{} shown"),
    "may have": _shown("may have"),
    "unbid": lambda p: f"unbid {p.text} {p.suits[0]}",
    "fit": _a_fit,
    "level": lambda p: _level(p.range or Range()),
    "available": _available,
    "nth call": lambda p: f"my {_ORDINALS[p.count or 1]} call",
}
