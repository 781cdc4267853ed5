"""Plain rows of a bidding table as a system's text, and back: place by place, nothing lost.

Every auction of the table becomes a block of its own (``after 1NT (P), 3rd seat:``; the seat says
how many passes stood before), every variant a line in the order of the table. Criteria that have
a phrase are written in words, the others in braces.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Final

from bidcascade.bridge import PASS, InvalidSystem, InvalidTable, format_calls
from bidcascade.systems.auctions.auction_reader import AuctionReader
from bidcascade.systems.language.auctions.patterns import fixed_call, match_call
from bidcascade.systems.language.reader import parse_condition
from bidcascade.systems.language.reading.sources import MOST_LINES
from bidcascade.systems.language.tree.syntax_tree import (
    Block,
    CallPattern,
    Condition,
    Header,
    Line,
    Phrase,
    Range,
    SystemText,
)
from bidcascade.systems.places.contexts import LineGroup
from bidcascade.systems.system import System
from bidcascade.systems.words.describing import agreement_words
from bidcascade.table.language.criteria import is_satisfiable
from bidcascade.table.language.expression_tree import And
from bidcascade.table.language.expressions import parse_expression
from bidcascade.table.language.term_catalogue import SUIT_NAMES
from bidcascade.table.language.vocabulary import Vocabulary
from bidcascade.table.row import Row

Criteria = tuple[str, ...]

_AT_ONCE: Final = 1 << 11
"""Rows whose criteria are put in words together."""
_MOST_CACHED: Final = 1 << 15
_VOCABULARY: Final = Vocabulary()
_SEATS: Final = ("1st", "2nd", "3rd", "4th")
_STRAINS: Final = ("C", "D", "H", "S", "NT")
_WORDS: Final = {"HCP": "points", "Total_Points": "total points"} | {
    f"SL_{letter}": name for letter, name in SUIT_NAMES.items()
}
_BOUND: Final = re.compile(r"(\w+) (>=|<=|==) (\d+)")
_NOTHING: Final = '""'
_NAME: Final = re.compile(r"[A-Z][A-Za-z][^:;=\"{}]*")


def text_of_rows(rows: Iterable[Row], title: str = "Imported table") -> Iterator[str]:
    """Write rows of a table as lines of a system's text.

    Rows of one auction stand next to each other, as :meth:`BiddingTable.rows` gives them. Origin
    and rank are not written: the order is the rank, and the new file is the origin. Nor are
    count and source, which are no part of a system.

    Raises
    ------
    InvalidTable
        If a row cannot be written so that it reads back the same; the message says which.
    """
    yield f"system {title}"
    wording, prior, waiting = _Wording(), None, iter(rows)
    while some := list(islice(waiting, _AT_ONCE)):
        words = wording.of([tuple(row.criteria) for row in some])
        for row, row_words in zip(some, words, strict=True):
            if row.prior != prior:
                prior = row.prior
                yield ""
                yield f"{_header(prior)}:"
            yield f"  {_line(row, row_words)}"


def _header(prior: bytes) -> str:
    seat = f"{_SEATS[len(prior) % 4]} seat"
    opening = next((place for place, call in enumerate(prior) if call != PASS), None)
    if opening is None:
        return f"opening, {seat}"
    steps = []
    for place in range(opening, len(prior)):
        text = _call(prior[place])
        steps.append(text if (len(prior) - place) % 2 == 0 else f"({text})")
    return f"after {' '.join(steps)}, {seat}"


def _call(call: int) -> str:
    if call < 3:
        return ("Pass", "Double", "Redouble")[call]
    return f"{(call - 3) // 5 + 1}{_STRAINS[(call - 3) % 5]}"


def _line(row: Row, row_words: Sequence[str] | None) -> str:
    """Line of a row whose criteria were put in words, None if that failed."""
    place = f"{format_calls(row.prior)} {format_calls([row.call])}".strip()
    if row.name and not _NAME.fullmatch(row.name):
        raise InvalidTable(f"{place}: expected a name that begins with a capital, got {row.name!r}")
    if '"' in row.description or "\n" in row.description:
        raise InvalidTable(
            f"{place}: expected a description in one line without quotes, got {row.description!r}"
        )
    if row_words is None:
        wanted = "criteria that can be written as conditions"
        raise InvalidTable(f"{place}: expected {wanted}, got {list(row.criteria)}")
    text = ", ".join(row_words)
    if row.description:
        text = f'{text} "{row.description}"'.strip()
    if row.name:
        text = f"{row.name}: {text or _NOTHING}"
    # empty quotes say that nothing is said
    text = f"{_call(row.call)} = {text or _NOTHING}"
    return f"{text}; {', '.join(row.tags)}" if row.tags else text


class _Wording:
    """Puts criteria in words that lower to exactly these expressions."""

    # words are lowered many at a time, as lines of a system of their own

    def __init__(self) -> None:
        self._lowered: dict[str, Criteria | None] = {}

    def of(self, all_criteria: Sequence[Criteria]) -> list[list[str] | None]:
        """Conditions that say some criteria each; None for what cannot be written."""
        if len(self._lowered) > _MOST_CACHED:
            self._lowered.clear()
        distinct = dict.fromkeys(all_criteria)
        self._lower({_spoken(one[at:])[0] for one in distinct for at in range(len(one))})
        found = {one: self._conditions(one) for one in distinct}
        self._lower({", ".join(words) for words in found.values()})
        return [
            words if not words or self._lowered[", ".join(words)] == one else None
            for one in all_criteria
            for words in (found[one],)
        ]

    def _conditions(self, criteria: Criteria) -> list[str]:
        if _contradicts(criteria):
            # words that exclude each other are a mistake in a system, raw expressions are taken
            return [f"{{{one}}}" for one in criteria]
        found: list[str] = []
        rest = criteria
        while rest:
            words, used = _spoken(rest)
            if not words or self._lowered[words] != rest[:used]:
                words, used = f"{{{rest[0]}}}", 1
            found.append(words)
            rest = rest[used:]
        return found

    def _lower(self, texts: Iterable[str]) -> None:
        """Find what conditions ask of any hand; None for what is no condition."""
        conditions: dict[str, Condition] = {}
        for text in texts:
            if text and text not in self._lowered:
                self._lowered[text] = None
                with suppress(InvalidSystem):
                    conditions[text] = parse_condition(text)
        lines = tuple(Line(CallPattern("pass"), condition=one) for one in conditions.values())
        if not lines:
            return
        block = Block(Header("opening"), lines)
        reader = System(SystemText("", "", {}, (block,))).reader()
        for text, condition in conditions.items():
            with suppress(InvalidSystem):
                self._lowered[text] = _criteria(reader, condition)


def _spoken(criteria: Criteria) -> tuple[str, int]:
    """Words for the first expressions and how many of them that says; none where there are none."""
    first, *others = (_BOUND.fullmatch(one) for one in criteria[:2])
    if not first or first[1] not in _WORDS:
        return "", 1
    name, operator, number = first.groups()
    for second in others:
        if second and (operator, *second.groups()[:2]) == (">=", name, "<="):
            return f"{number}-{second[3]} {_WORDS[name]}", 2
    range_ = {">=": f"{number}+", "<=": f"at most {number}", "==": number}[operator]
    return f"{range_} {_WORDS[name]}", 1


@lru_cache(maxsize=1 << 14)
def _contradicts(criteria: Criteria) -> bool:
    return is_satisfiable([parse_expression(one) for one in criteria], _VOCABULARY) is not None


def _criteria(reader: AuctionReader, condition: Condition | None) -> Criteria:
    """Find the canonical texts of what a condition of a system's text asks of any hand."""
    if condition is None:
        return ()
    expression = reader.lowered(condition, (), {})
    operands = expression.operands if isinstance(expression, And) else (expression,)
    return tuple(map(str, operands))


def rows_of_text(system: System) -> Iterator[Row]:
    r"""Rows of a text whose blocks are single places, as :func:`text_of_rows` writes them.

    Raises
    ------
    InvalidSystem
        If a block is a pattern, not one auction; the message says which. Such systems are
        compiled instead.
    """
    places, reader = system.rules.places, system.reader()
    groups = [*places.opening, *(group for found in places.by_length.values() for group in found)]
    others = [*places.any_length, *places.anywhere]
    if others:
        where = others[0].lines[0].line.where
        raise InvalidSystem(f"{where}: expected blocks for single auctions, got a pattern")
    for group in sorted(groups, key=lambda one: one.order):
        prior = _prior(group)
        for placed in group.lines:
            line = placed.line
            if line.below or line.variants:
                raise InvalidSystem(
                    f"{line.where}: expected a line without others below it in a table's text"
                )
            call = fixed_call(line.call)
            if call is None:
                raise InvalidSystem(f"{line.where}: expected one call, got a pattern")
            yield Row(
                prior,
                call,
                line.quoted,
                _criteria(reader, line.condition),
                None,
                line.name,
                None,
                tuple(agreement_words(one, {}) for one in line.agreements),
                str(line.where),
            )


def _prior(group: LineGroup) -> bytes:
    where = group.lines[0].line.where
    seat = _seat(group.facts)
    if seat is None:
        raise InvalidSystem(f"{where}: expected a block that names one seat, such as '1st seat'")
    calls: list[int] = []
    for step in group.pattern.steps if group.pattern is not None else ():
        matches = ((one, code) for one in step.calls for code in range(38))
        codes = [code for one, code in matches if match_call(one, code, {}) is not None]
        if len(codes) != 1:
            raise InvalidSystem(f"{where}: expected blocks for single auctions, got a pattern")
        calls += codes
    return bytes([PASS] * ((seat - 1 - len(calls)) % 4) + calls)


def _seat(facts: tuple[Condition, ...]) -> int | None:
    if len(facts) != 1 or not isinstance(facts[0], Phrase) or facts[0].kind != "seat":
        return None
    named = facts[0].range or Range()
    return int(named.low) if named.low == named.high and not named.also else None


def read_text_rows(path: Path) -> Iterator[Row]:
    r"""Rows of a ``*.bidding`` file whose blocks are single auctions.

    Raises
    ------
    InvalidTable
        If the text cannot be read, or has patterns and must be compiled.
    """
    try:
        yield from rows_of_text(System.open(path))
    except InvalidSystem as error:
        raise InvalidTable(str(error)) from None


def write_text_rows(rows: Iterable[Row], path: Path) -> None:
    """Write rows as a ``*.bidding`` file; see :func:`text_of_rows`.

    Raises
    ------
    InvalidTable
        If a text cannot hold the rows, or nobody could read it for its length.
    """
    with path.open("w", encoding="utf-8", newline="\n") as file:
        # behind the last line break readers count an empty line
        for number, line in enumerate(text_of_rows(rows), start=2):
            if number > MOST_LINES:
                raise InvalidTable(
                    f"expected a table that a system's text of at most {MOST_LINES:,} lines can "
                    "hold, got a larger one; jsonl and parquet hold any"
                )
            file.write(f"{line}\n")
