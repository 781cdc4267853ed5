"""Makes systems of files of Full Disclosure (``.bss``).

A call after an auction becomes a line where its description reads as conditions, as rows of BML
do; what the record's codes say beside it (lengths, what partner is asked) is added.
"""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from typing import Final

from bidcascade.bridge import Auction, BidcascadeError, parse_calls
from bidcascade.systems.language.grammar.grammar import parse_statement
from bidcascade.systems.language.tree.syntax_tree import AllOf, Condition, Line, Phrase

from .bml_prose import SUITS, ReadProse, read_prose
from .bml_reader import NotationReader, SystemOfNotes, Unread, system_of_notes
from .bml_tables import BmlCall, BmlRow, BmlTable, Notes
from .full_disclosure import (
    DISPOSITIONS,
    LONGEST,
    OUTCOMES,
    SEATS,
    VULNERABLE,
    Card,
    DisclosedCall,
    parse_bss,
)

_AGREED: Final = (
    "sign-off", "not forcing", "invitational", "forcing", "forcing to game", "preemptive",
    "transfer", "relay",
)  # fmt: skip
"""What the codes say that are agreements of ours; others stay words."""
_LIGHT: Final = re.compile(r"(\d{1,2})(-\d{1,2}|\+)? points \(light hands from (\d{1,2})\)")
_OR: Final = re.compile(r"; or (?=\d|at most |balanced)")
_NAMED: Final = re.compile(r"([A-Z][^:;]*): (.*)", re.DOTALL)
_OUR_NAMES: Final = {"P": "Pass", "D": "X", "R": "XX"}
"""Of calls without a name, in our sentences."""
_NO_NAME: Final = "Several types"
"""Name of a call that has hand types and none."""


def read_bss(text: str, source: str = "<card>") -> SystemOfNotes:
    r"""Read a file of Full Disclosure.

    Parameters
    ----------
    text
    source
        Name for messages.

    Raises
    ------
    InvalidInput
        If it does not begin as such a file.

    Examples
    --------
    >>> found = read_bss("*00{Ours}=NYYYYYY\n001H=NYYYYYY55811-15 hcp\n001HP2H=NYYYYYY408Raise\n")
    >>> print(found.text.rstrip())
    system Ours
    <BLANKLINE>
    opening:
      1H = 11-15 hcp, 5+ hearts; forcing
        -- 2H Raise
    >>> found.rows, found.understood, found.unread
    (2, 1, (Unread(line=3, text='1HP2H=Raise', reason='no condition was read'),))
    """
    return system_of_card(parse_bss(text, source))


def system_of_card(card: Card) -> SystemOfNotes:
    """Make a system of the records of a card."""
    lost = [Unread(one.line, one.text, one.reason) for one in card.unknown]
    notes, records = _notes_of(card, lost)
    refused = len(lost)

    def read(row: BmlRow, suit: str, names: Set[str]) -> ReadProse:
        record = records.get(id(row))
        # calls on the way to another one may have no record of their own
        return ReadProse(None) if record is None else _read(record, row.said, suit, names)

    def text_of(row: BmlRow) -> str:
        record = records.get(id(row))
        return row.bid.text if record is None else _text_of(record)

    found = system_of_notes(notes, [*lost, *_beside(card)], NotationReader(read, text_of))
    return replace(found, rows=found.rows + refused)


def _beside(card: Card) -> Iterator[Unread]:
    """List what a file says that is no call."""
    if card.stock:
        yield Unread(2, f"${card.stock}", "the stock card that it changes is not at hand")
    for name in card.includes:
        yield Unread(0, f"+{name}", "the convention's file is not at hand")
    if card.carding:
        yield Unread(0, f"%{card.carding}", "leads and signals are not in a text")


def _notes_of(card: Card, lost: list[Unread]) -> tuple[Notes, dict[int, DisclosedCall]]:
    """Put rows below their auctions, a table for each seat and vulnerability."""
    metadata = {"TITLE": card.title, "DESCRIPTION": card.summary.replace("\n", " ")}
    notes = Notes(metadata={name: said for name, said in metadata.items() if said})
    tables: dict[tuple[bool, int, int], BmlTable] = {}
    rows: dict[tuple[tuple[bool, int, int], tuple[str, ...]], BmlRow] = {}
    first: dict[tuple[object, ...], DisclosedCall] = {}
    records: dict[int, DisclosedCall] = {}
    for record in card.records:
        key = record.theirs, record.seat, record.vulnerable
        known = first.setdefault((key, record.calls, record.qualified), record)
        if known is not record:
            if replace(known, line=0) != replace(record, line=0):
                lost.append(Unread(record.line, _text_of(record), "it was told before, otherwise"))
            continue
        reason = _unsayable(record)
        if reason:
            lost.append(Unread(record.line, _text_of(record), reason))
            continue
        if key not in tables:
            tables[key] = BmlTable(
                record.line, (), VULNERABLE[record.vulnerable], SEATS[record.seat]
            )
            notes.tables.append(tables[key])
        above = tables[key].rows
        for depth in range(1, len(record.calls) + 1):
            calls = record.calls[:depth]
            if (key, calls) not in rows:
                is_theirs = (depth % 2 == 1) is record.theirs
                bid = _bid_of(calls[-1], theirs=is_theirs)
                rows[key, calls] = BmlRow(record.line, bid, [""], 0, -1)
                above.append(rows[key, calls])
            row = rows[key, calls]
            above = row.below
        row.number = record.line
        row.said = _said(record)
        records[id(row)] = record
    return notes, records


def _unsayable(record: DisclosedCall) -> str:
    """Say why no line can tell what a record does; empty where one can."""
    try:
        Auction.of(parse_calls(" ".join(_OUR_NAMES.get(call, call) for call in record.calls)))
    except BidcascadeError as error:
        return str(error)
    if record.qualified:
        return "it holds for one meaning of their call alone"
    if record.lengths is not None and record.lengths[0] > record.lengths[1]:
        return "its least cards are more than its most"
    if not record.is_ours and record.description:
        return "it tells of a call of theirs"
    return ""


def _bid_of(call: str, *, theirs: bool) -> BmlCall:
    if len(call) == 1:
        return BmlCall(call, theirs, call=call)
    return BmlCall(call, theirs, int(call[0]), call[1])


def _read(record: DisclosedCall, lines: Sequence[str], suit: str, names: Set[str]) -> ReadProse:
    said = read_prose(lines, suit, names)
    if said.words is None:
        return said
    parsed = parse_statement(f"1C = {said.words}").statement
    if not isinstance(parsed, Line):
        return said
    conditions = [] if said.types else _lengths(record, parsed.condition)
    kinds = {one.kind for one in parsed.agreements}
    agreements = ["artificial"] if record.artificial and "artificial" not in kinds else []
    remarks = []
    asked = DISPOSITIONS.get(record.disposition, "")
    if asked in _AGREED and asked not in kinds:
        agreements.append(asked)
    elif asked not in _AGREED and asked and asked not in kinds:
        remarks.append(f'"{asked}"')
    open_for = [one for one, is_open in zip(OUTCOMES, record.outcomes, strict=True) if is_open]
    if len(open_for) < len(OUTCOMES):
        remarks.append(f'"still open: {", ".join(open_for) or "nothing"}"')
    head, semicolon, agreed = said.words.partition(";")
    if said.types and remarks:
        # a remark stands behind conditions, of which there are none above hand types
        remarks = []
    words = ", ".join([head.rstrip(), *conditions, *remarks])
    behind = ", ".join([*filter(None, [agreed.strip()]), *agreements])
    return replace(said, words=f"{words}; {behind}" if behind or semicolon else words)


def _lengths(record: DisclosedCall, condition: Condition | None) -> list[str]:
    """Cards of the suit that was bid, unless the description says at least as much."""
    if record.lengths is None or record.lengths == (0, LONGEST):
        return []
    suit = SUITS[record.calls[-1][-1]]
    low, high = record.lengths
    for part in condition.parts if isinstance(condition, AllOf) else (condition,):
        if isinstance(part, Phrase) and part.kind == "length" and part.suits == (suit,):
            said = part.range
            if (
                said is not None
                and not said.also
                and said.low >= low
                and (high == LONGEST or (said.high is not None and said.high <= high))
            ):
                return []
    if low == high:
        return [f"{low} {suit}"]
    if high == LONGEST:
        return [f"{low}+ {suit}"]
    return [f"{low}-{high} {suit}" if low else f"at most {high} {suit}"]


def _said(record: DisclosedCall) -> list[str]:
    """Give the description as a row of BML has it, without the ways of our own sentences."""
    # these are a call's name where it has none, light hands that are worth their points, and hand
    # types in one sentence: ``Michaels: 6-9 points, …; or 17+ points, …; forcing``
    name = _OUR_NAMES.get(record.calls[-1], record.calls[-1])
    text = record.description.removeprefix(f"{name}: ")
    text = _LIGHT.sub(lambda found: f"{found[3]}{found[2] or f'-{found[1]}'} points", text)
    if not text or text.partition(";")[0] == name:
        return [", ".join(_lengths(record, None))]
    first, *others = _OR.split(text)
    if not others:
        return text.split("\n")
    named = _NAMED.fullmatch(first)
    head, first = (named[1], named[2]) if named is not None else (_NO_NAME, first)
    last, semicolon, agreed = others[-1].partition(";")
    types = (first, *others[:-1], last)
    return [f"{head}{semicolon}{agreed}", *(f"a) {one}" for one in types)]


def _text_of(record: DisclosedCall) -> str:
    calls = "".join(record.calls)
    return f"{calls}={' '.join(record.description.split())}"
