"""Writes what a system's calls mean for programs that alert at the table.

Both forms want a record for each call after each auction, so the system is bid on random deals, and
the places where they come are written; what nobody meets is left out. BBOalert's tables are defined
at https://github.com/stanmaz/BBOalert. Files of Full Disclosure (``.bss``) were read by Bridge Base
Online once, and BBOalert reads them still (:mod:`.full_disclosure`).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bidcascade.bridge import DOUBLE, PASS, REDOUBLE, format_call
from bidcascade.systems.places.knowledge import hull
from bidcascade.systems.places.places import PlaceEntry
from bidcascade.systems.system import System
from bidcascade.systems.tables.compile import DEFAULT_SEED, Growth, Sample
from bidcascade.systems.words.explanation import explained_call

from .full_disclosure import DISPOSITIONS, LONGEST, Card, DisclosedCall, print_bss

LEAST: Final = 5
"""Deals of the sample that come to a place, before its calls are written."""
_SHORT: Final = 39
"""Characters of an explanation; the rest goes behind ``#``, into the chat."""
_SUIT_WORDS: Final = re.compile(r"\b(club|diamond|heart|spade)s?\b")
_BBO_TOKENS: Final = {PASS: "--", DOUBLE: "Db", REDOUBLE: "Rd"}
_BSS_TOKENS: Final = {PASS: "P", DOUBLE: "D", REDOUBLE: "R"}
_TELLING: Final = ("transfer", "puppet", "relay", "asks", "forcing to game", "sign-off",
                   "preemptive", "invitational", "forcing", "not forcing")  # fmt: skip
"""What a call asks of partner, the most telling first where a line has several."""


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
            # these words are read back: ranges for all vulnerabilities, and no words for honours
            told = explained_call(reader.state(calls)).sentence
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
    codes = {said: code for code, said in DISPOSITIONS.items()}
    records = []
    for one in alerts:
        kinds = {agreement.kind for entry in one.entries for agreement in entry.agreements}
        asked = next((codes[kind] for kind in _TELLING if kind in kinds), "0")
        calls = tuple(_BSS_TOKENS.get(call) or format_call(call) for call in one.auction)
        last = _BSS_TOKENS.get(one.call) or format_call(one.call)
        text = _SUIT_WORDS.sub(lambda found: f"!{found[1][0].upper()}", one.text)
        records.append(
            DisclosedCall(
                (*calls, last),
                text,
                "artificial" in kinds,
                asked,
                _lengths(one),
                _opened_by_them(one.auction),
            )
        )
    return print_bss(Card(title, records=tuple(records)))


def _opened_by_them(auction: Sequence[int]) -> bool:
    """Whether the first call that is no pass is of the side that does not call next."""
    opening = next((at for at, call in enumerate(auction) if call != PASS), None)
    return opening is not None and opening % 2 != len(auction) % 2


def _lengths(alert: Alert) -> tuple[int, int] | None:
    """Least and most cards of the suit that is bid; None for other calls."""
    suit = "CDHS".find(format_call(alert.call)[-1:])
    if len(format_call(alert.call)) != 2 or suit < 0:
        return None
    bounds = [
        hull(entry.constraint.reach.can).lengths[suit]
        for entry in alert.entries
        if entry.constraint.reach.can
    ]
    if not bounds:
        return 0, LONGEST
    least, most = min(one[0] for one in bounds), max(one[1] for one in bounds)
    return min(least, LONGEST), min(most, LONGEST)


def _joined(calls: Sequence[int], tokens: dict[int, str]) -> str:
    return "".join(tokens.get(call) or format_call(call) for call in calls)


def _plain(text: str) -> str:
    """Text without commas, which divide the fields of a record, and with signs for suits."""
    text = _SUIT_WORDS.sub(lambda found: f"!{found[1][0].upper()}", text.replace("#", ""))
    return " ".join(text.replace(",", ";").replace("\\", "/").split())


def _short(text: str) -> str:
    """Put what is too long for an explanation behind the sign that sends it to the chat."""
    if len(text) <= _SHORT:
        return text
    cut = text.rfind(" ", 0, _SHORT)
    return f"{text[:cut]}#{text[cut + 1 :]}" if cut > 0 else f"{text[:_SHORT]}#{text[_SHORT:]}"
