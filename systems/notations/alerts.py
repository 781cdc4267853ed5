"""Writes what a system's calls mean for programs that alert at the table.

Both forms want a record for each call after each auction, so the system is bid on random deals, and
the places where they come are written; what nobody meets is left out. BBOalert's tables are defined
at https://github.com/stanmaz/BBOalert. Files of Full Disclosure (``.bss``) were read by Bridge Base
Online once, and BBOalert reads them still; no definition of them was published. They are written as
https://github.com/gpaulissen/bml does, with codes for what a call asks that players have found out.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bidcascade.bridge import DOUBLE, PASS, REDOUBLE, format_call
from bidcascade.systems.compile import DEFAULT_SEED, Growth, Sample
from bidcascade.systems.explanation import explain_places
from bidcascade.systems.knowledge import hull
from bidcascade.systems.places import PlaceEntry
from bidcascade.systems.system import System

LEAST: Final = 5
"""Deals of the sample that come to a place, before its calls are written."""
_SHORT: Final = 39
"""Characters of an explanation; the rest goes behind ``#``, into the chat."""
_SUITS: Final = {"clubs": "!C", "diamonds": "!D", "hearts": "!H", "spades": "!S"}
_SUIT_WORDS: Final = re.compile(rf"\b(?:{'|'.join(_SUITS)})\b")
_BBO_TOKENS: Final = {PASS: "--", DOUBLE: "Db", REDOUBLE: "Rd"}
_BSS_TOKENS: Final = {PASS: "P", DOUBLE: "D", REDOUBLE: "R"}
_DISPOSITIONS: Final = {
    "sign-off": "1", "not forcing": "2", "invitational": "4", "forcing to game": "6",
    "preemptive": "9", "transfer": "A", "puppet": "B", "relay": "C", "asks": "D", "forcing": "5",
}  # fmt: skip
"""What a call asks of partner, the most telling first where a line has several."""
_TELLING: Final = ("transfer", "puppet", "relay", "asks", "forcing to game", "sign-off",
                   "preemptive", "invitational", "forcing", "not forcing")  # fmt: skip
_LONGEST: Final = 8
"""Cards of a suit that a record can say; it stands for more too."""


@dataclass(frozen=True, slots=True)
class Alert:
    """A call after an auction, the entries that make it, and what it shows in a sentence."""

    auction: tuple[int, ...]
    call: int
    entries: tuple[PlaceEntry, ...]
    text: str


def alerts_of(
    system: System, *, deals: int = 2000, seed: int = DEFAULT_SEED, least: int = LEAST
) -> Iterator[Alert]:
    r"""Give the calls of a system at the places where random deals come, shorter auctions first.

    Parameters
    ----------
    system
        Played by both sides. Places behind first passes are left out: they are those without.
    deals, seed
        The sample.
    least
        Places that fewer deals reach are left out.

    Examples
    --------
    >>> system = System.parse("opening:\n  1NT = Strong: 15-17 points, balanced\n")
    >>> [(one.auction, one.text) for one in alerts_of(system, deals=200)]
    [((), 'Strong: 15-17 points, balanced')]
    """
    reader = system.reader()
    growth = Growth(system.bidder(), Sample.random(deals, seed=seed), least=least)
    for _, place, _ in growth.places():
        if place.calls[:1] == (PASS,):
            continue
        found: dict[int, list[PlaceEntry]] = {}
        for entry in place.entries:
            found.setdefault(entry.call, []).append(entry)
        for call, entries in found.items():
            calls = (*place.calls, call)
            told = explain_places(reader, calls).calls[-1].sentence
            yield Alert(tuple(place.calls), call, tuple(entries), told)


def write_bboalert(alerts: Iterable[Alert], title: str = "") -> str:
    r"""Write a table for BBOalert.

    Examples
    --------
    >>> system = System.parse("opening:\n  1H = Major: 12+ points, 5+ hearts; forcing\n")
    >>> print(write_bboalert(alerts_of(system, deals=200), "Ours"), end="")
    BBOalert,Ours
    ,1H,Major: 12+ points; 5+ !H; forcing
    """
    lines = [f"BBOalert,{_plain(title)}" if title else "BBOalert"]
    before: tuple[int, ...] | None = None
    for one in alerts:
        text = _short(_plain(one.text))
        if not text:
            continue
        # the same auction again is written as a plus sign, which an opening's cannot be
        context = (
            "+" if one.auction and one.auction == before else _joined(one.auction, _BBO_TOKENS)
        )
        before = one.auction
        lines.append(f"{context},{_joined([one.call], _BBO_TOKENS)},{text}")
    return "\n".join([*lines, ""])


def write_bss(alerts: Iterable[Alert], title: str = "") -> str:
    r"""Write records of Full Disclosure.

    Examples
    --------
    >>> system = System.parse("opening:\n  1H = Major: 12+ points, 5+ hearts; forcing\n")
    >>> print(write_bss(alerts_of(system, deals=200), "Ours"), end="")
    *00{Ours}=NYYYYYY
    001H=NYYYYYY558Major: 12+ points, 5+ !H; forcing
    """
    lines = [f"*00{{{title.replace('{', '(').replace('}', ')')}}}=NYYYYYY"]
    for one in alerts:
        kinds = {agreement.kind for entry in one.entries for agreement in entry.agreements}
        artificial = "Y" if "artificial" in kinds else "N"
        asked = next((_DISPOSITIONS[kind] for kind in _TELLING if kind in kinds), "0")
        # theirs is the auction that the other side has opened
        theirs = "*" if _opened_by_them(one.auction) else ""
        calls = _joined((*one.auction, one.call), _BSS_TOKENS)
        text = _SUIT_WORDS.sub(lambda found: _SUITS[found[0]], one.text)
        lines.append(f"{theirs}00{calls}={artificial}YYYYYY{asked}{_lengths(one)}{text}")
    return "\n".join([*lines, ""])


def _opened_by_them(auction: Sequence[int]) -> bool:
    """Whether the first call that is no pass is of the side that does not call next."""
    opening = next((at for at, call in enumerate(auction) if call != PASS), None)
    return opening is not None and opening % 2 != len(auction) % 2


def _lengths(alert: Alert) -> str:
    """Least and most cards of the suit that is bid, as two digits; none for other calls."""
    suit = "CDHS".find(format_call(alert.call)[-1:])
    if len(format_call(alert.call)) != 2 or suit < 0:
        return ""
    bounds = [
        hull(entry.constraint.reach.can).lengths[suit] for entry in alert.entries
        if entry.constraint.reach.can
    ]  # fmt: skip
    if not bounds:
        return f"0{_LONGEST}"
    low = min(min(one[0] for one in bounds), _LONGEST)
    return f"{low}{min(max(one[1] for one in bounds), _LONGEST)}"


def _joined(calls: Sequence[int], tokens: dict[int, str]) -> str:
    return "".join(tokens.get(call) or format_call(call) for call in calls)


def _plain(text: str) -> str:
    """Text without commas, which divide the fields of a record, and with signs for suits."""
    text = _SUIT_WORDS.sub(lambda found: _SUITS[found[0]], text.replace("#", ""))
    return " ".join(text.replace(",", ";").replace("\\", "/").split())


def _short(text: str) -> str:
    """Put what is too long for an explanation behind the sign that sends it to the chat."""
    if len(text) <= _SHORT:
        return text
    cut = text.rfind(" ", 0, _SHORT)
    return f"{text[:cut]}#{text[cut + 1 :]}" if cut > 0 else f"{text[:_SHORT]}#{text[_SHORT:]}"
