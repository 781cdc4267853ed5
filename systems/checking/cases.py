"""Tests of a system in a player's words: a hand, an auction, the call that is expected.

A ``*.cases`` file has one case a line::

    group Stayman
    Q732.K65.AJ72.T9 : 1N P -> 2C      -- eight points and a four-card major
    K5.AQJT65.87.Q32 (EW, dealer E) -> 1H
    N:AKQ2.K32.A54.Q32 … … … -> 1N P 2C P 2S P 4S P P P

Hands are spades.hearts.diamonds.clubs, auctions go from the dealer on. A deal expects the whole
auction. ``--`` begins a remark; behind a case it is the reason. Lines of JSON with the keys
``hand``, ``auction``, ``expected`` (and ``dealer``, ``vulnerability``, ``group``, ``note``) are
read too.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bidcascade.bridge import (
    Auction,
    BidcascadeError,
    Deal,
    InvalidInput,
    ShownAnswer,
    format_call,
    format_calls,
    parse_call,
    parse_calls,
    parse_deal,
    parse_hand,
    parse_seat,
)
from bidcascade.kernels.machine.bounded_files import read_bounded
from bidcascade.systems.language.tree.syntax_tree import NOWHERE, Where
from bidcascade.systems.limits import LONGEST_CASE, LONGEST_CASES, MOST_ERRORS
from bidcascade.systems.places.choice import Choice
from bidcascade.systems.system import System

_LINE: Final = re.compile(
    r"(?P<cards>.*?)\s*(?:\((?P<context>[^()]*)\))?\s*(?::\s*(?P<auction>[^:>]*?))?\s*->\s*(?P<calls>.*)"
)
_DEAL: Final = re.compile(
    r"(?P<deal>[NESW]:\S+ \S+ \S+ \S+)\s*(?:\((?P<context>[^()]*)\))?\s*->\s*(?P<calls>.*)"
)


@dataclass(frozen=True, slots=True)
class Case:
    """One case: a hand with the call that is expected behind an auction, or a deal with its own."""

    hand: str
    """Text of the hand to bid; empty for a whole deal."""
    deal: Deal | None
    auction: tuple[int, ...]
    """Calls before, from the dealer on."""
    expected: tuple[int, ...]
    dealer: str = "N"
    vulnerability: str = "None"
    group: str = ""
    reason: str = ""
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, repr=False)
class CaseResult(ShownAnswer):
    """What the system did with a case."""

    case: Case
    got: tuple[int, ...]
    """Its calls; shorter than expected where a deal went another way."""
    right: bool
    rule: str
    """Name, file and line of the rule that made the last call, or why there is none."""


def read_cases(path: "str | Path") -> list[Case]:
    """Read a file of cases, in words or as JSON Lines.

    Raises
    ------
    InvalidInput
        If lines cannot be read; the message lists them all.
    """
    path = Path(path)
    try:
        text = read_bounded(path, LONGEST_CASES).decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path.name}: expected UTF-8 text, got {error.reason}") from None
    return parse_cases(text, path.name)


def parse_cases(text: str, name: str = "<text>") -> list[Case]:
    r"""Read cases from a string.

    Raises
    ------
    InvalidInput
        If lines cannot be read; the message lists them all.
    """
    found: list[Case] = []
    errors: list[str] = []
    group = ""
    for number, written in enumerate(text.splitlines(), 1):
        line, _, remark = (written, "", "") if written[:1] == "{" else written.partition("--")
        line, where = line.strip(), Where(name, number)
        if not line:
            continue
        if len(errors) == MOST_ERRORS:
            errors.append(f"{where}: what follows was not read")
            break
        if len(written) > LONGEST_CASE:
            errors.append(
                f"{where}: expected a line of at most {LONGEST_CASE:,} characters, "
                f"got {len(written):,}"
            )
            continue
        if line.startswith("group "):
            group = line[6:].strip()
            continue
        try:
            if line.startswith("{"):
                found.append(_from_json(json.loads(line), where))
            else:
                line = " ".join(line.split())
                found.append(_from_words(line, group, remark.strip(), where))
        except RecursionError:
            errors.append(f"{where}: expected one object, got one nested too deeply")
        except (BidcascadeError, ValueError, KeyError) as error:
            errors.append(f"{where}: {error}")
    if errors:
        raise InvalidInput("\n".join(errors))
    return found


def _from_json(row: dict[str, Any], where: Where) -> Case:
    for key in ("hand", "expected"):
        if key not in row:
            raise InvalidInput(f"expected a key {key!r}, got {', '.join(row)}")
    auction = row.get("auction") or ()
    parse_hand(row["hand"])
    calls = tuple(parse_calls(auction) if isinstance(auction, str) else map(parse_call, auction))
    Auction.of(calls)
    return Case(
        row["hand"],
        None,
        calls,
        (parse_call(row["expected"]),),
        row.get("dealer", "N"),
        row.get("vulnerability", "None"),
        row.get("group", ""),
        row.get("note") or "",
        where,
    )


def _from_words(line: str, group: str, reason: str, where: Where) -> Case:
    deal_line = _DEAL.fullmatch(line)
    match = deal_line or _LINE.fullmatch(line)
    if match is None:
        raise InvalidInput(f"expected HAND [(vulnerability)] [: AUCTION] -> CALL, got {line!r}")
    vulnerability, dealer = "None", "N"
    for part in (match["context"] or "").split(","):
        word = part.strip()
        if word.lower().startswith("dealer "):
            dealer = word[7:].strip()
        elif word:
            vulnerability = word
    expected = tuple(parse_calls(match["calls"]))
    if deal_line is not None:
        deal = parse_deal(match["deal"])
        Auction.of(expected)
        return Case("", deal, (), expected, dealer, vulnerability, group, reason, where)
    parse_hand(match["cards"])
    before = tuple(parse_calls(match["auction"] or ""))
    if len(expected) != 1:
        raise InvalidInput(f"expected one call behind '->', got {match['calls']!r}")
    Auction.of((*before, *expected))
    return Case(match["cards"], None, before, expected, dealer, vulnerability, group, reason, where)


def run_cases(
    system: System, cases: Iterable[Case], opponents: System | None = None
) -> Iterator[CaseResult]:
    r"""Bid every case."""
    sides = (system, opponents or system)
    for case in cases:
        calls: list[int] = []
        rule = ""
        for wanted in case.expected:
            before = (*case.auction, *calls)
            turn = 0 if case.deal is None else len(before) % 2
            hand: int | str = case.hand
            if case.deal is not None:
                hand = case.deal.hands[(parse_seat(case.dealer) + len(before)) % 4]
            choice = sides[turn].bid(
                hand,
                before,
                dealer=case.dealer,
                vulnerability=case.vulnerability,
                opponents=None if opponents is None else sides[1 - turn],
            )
            calls.append(choice.call)
            rule = _rule(choice)
            if choice.call != wanted:
                break
        yield CaseResult(case, tuple(calls), tuple(calls) == case.expected, rule)


def _rule(choice: Choice) -> str:
    entry = choice.entry
    if entry is None:
        return "a forced pass: no line fits" if choice.forced else "pass by default"
    return f"{entry.name or 'a line without a name'} ({entry.where})"


@dataclass(frozen=True, slots=True, repr=False)
class CaseReport(ShownAnswer):
    """Results with the misses by group."""

    results: tuple[CaseResult, ...]

    @property
    def right(self) -> int:
        """Number of cases that came out as expected."""
        return sum(result.right for result in self.results)

    def groups(self) -> dict[str, tuple[int, int]]:
        """Right and all, by group in file order."""
        found: dict[str, tuple[int, int]] = {}
        for result in self.results:
            right, count = found.get(result.case.group, (0, 0))
            found[result.case.group] = (right + result.right, count + 1)
        return found

    def lines(self, *, misses: bool = True) -> Iterator[str]:
        """Report as text: each group with its misses, then the sum."""
        for group, (right, count) in self.groups().items():
            yield f"{right:4} of {count:<4} {group or 'cases'}"
            for result in self.results if misses else ():
                case = result.case
                if case.group == group and not result.right:
                    after = f" after {format_calls(case.auction)}" if case.auction else ""
                    bid = " ".join(map(format_call, result.got))
                    yield (
                        f"       {case.hand or 'a deal'}{after}: expected "
                        f"{format_calls(case.expected)}, bid {bid} by {result.rule}  [{case.where}]"
                    )
        yield f"{self.right} of {len(self.results)} right"
