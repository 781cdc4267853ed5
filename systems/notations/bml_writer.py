"""Writes systems in BML, which :mod:`.bml_reader` reads."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final, NamedTuple, cast

from bidcascade.systems.language.checks.checks import never_bid
from bidcascade.systems.language.reader import built_in_defines
from bidcascade.systems.language.tree.joining import all_of
from bidcascade.systems.language.tree.syntax_tree import (
    Agreement,
    AllOf,
    AuctionStep,
    Block,
    CallPattern,
    Condition,
    Header,
    Line,
    Phrase,
    SystemText,
)
from bidcascade.systems.language.words.wording import (
    agreement_text,
    call_text,
    condition_text,
    header_text,
)

from .bml_prose import SUITS
from .bml_words import GROUPS, OTHER_OF, STEP, VULNERABLE

_LETTERS: Final = {"pass": "P", "double": "D", "redouble": "R"}


@dataclass(frozen=True, slots=True)
class BmlNotes:
    """Notes made of a system, and what BML cannot say: lines and headers with where they stand."""

    text: str
    lines: int
    lost: tuple[str, ...]


def write_bml(system: SystemText) -> BmlNotes:
    r"""Write a system's text as notes in BML; what it can say reads back as it was.

    Parameters
    ----------
    system
        As read: its conventions stand where they are used, its options as they were chosen.

    Examples
    --------
    >>> from bidcascade.systems.language.reader import read_text
    >>> text = "opening:\n  1NT = Strong: 15-17 points, balanced\ngeneral:\n  3NT = any hand\n"
    >>> notes = write_bml(read_text(text))
    >>> notes.text
    '1N Strong: 15-17 points, balanced\n'
    >>> notes.lost
    ('<text>:3: general:',)
    """
    writer = _Writer(system)
    parts = []
    if system.title:
        parts.append(f"#+TITLE: {system.title}")
    if system.prose:
        parts += ["  " + "\n  ".join(one.split("\n")) for one in system.prose.split("\n\n")]
    defines = [
        f"//define {' '.join((one.name, *one.suits))} = {condition_text(one.condition)}"
        for name, one in system.defines.items()
        if built_in_defines().get(name) != one
    ]
    if defines:
        parts.append("\n".join(defines))
    parts += [table for block in system.blocks for table in writer.tables(block)]
    return BmlNotes("\n\n".join(parts) + "\n", writer.lines, tuple(writer.lost))


_SEAT_CODES: Final = {(1,): "1", (2,): "2", (3,): "3", (4,): "4", (1, 2): "12", (3, 4): "34"}
_VARIABLE: Final = re.compile(r"\b(oM|om|M|m|X|Y|Z|W)\b")
_MOST_HISTORIES: Final = 64


@dataclass(frozen=True, slots=True)
class _Bound:
    """What is known of suits where a row is written."""

    literal: frozenset[str] = frozenset()
    """Letters that were bid."""
    free: frozenset[str] = frozenset()
    """Variables that were bid, and stand in the notes as they are."""
    suits: tuple[tuple[str, str], ...] = ()
    """Variables with the letter that is written for them."""
    last: tuple[int, int] = (0, 0)
    """Level and strain of the last bid, as far as they are known."""


class _WrittenCalls(NamedTuple):
    """Calls of the lines of one auction."""

    literal: "set[tuple[int | None, str | None]]"
    """Levels and strains that lines name."""
    made: set[str]
    """What was written so far."""

    @classmethod
    def of(cls, body: "tuple[Line | Block, ...]") -> "_WrittenCalls":
        named = {
            (one.call.level, one.call.strain)
            for one in body
            if isinstance(one, Line) and one.call.strain not in GROUPS
        }
        return cls(named, set())


def _is_when(one: "Line | Block") -> bool:
    return isinstance(one, Block) and one.header.kind == "when"


class _Writer:
    """Writes blocks as tables, and counts what it cannot write."""

    def __init__(self, system: SystemText) -> None:
        self._never = never_bid(system)
        self.lines = 0
        self.lost: list[str] = []

    def tables(self, block: Block) -> list[str]:
        """Tables of a block that stands alone."""
        header = block.header
        if header.kind not in ("opening", "after"):
            return self._lose(header)
        if header.kind == "opening":
            return self._table([], _Bound(), header.condition, block.body, header)
        found = []
        for auction in header.auctions:
            histories = _histories(auction)
            if histories is None:
                found += self._lose(header)
                continue
            for history, bound in histories:
                found += self._table(history, bound, header.condition, block.body, header)
        return found

    def _lose(self, header: Header) -> list[str]:
        self.lost.append(f"{header.where}: {header_text(header)}")
        return []

    def _table(
        self,
        history: list[str],
        bound: _Bound,
        condition: Condition | None,
        body: "tuple[Line | Block, ...]",
        header: Header,
    ) -> list[str]:
        codes = _codes(condition)
        if codes is None:
            return self._lose(header)
        found: list[str] = []
        written = _WrittenCalls.of(body)
        # in the order of the text, which alone says what comes first: vulnerability does not
        for is_inner, some in groupby(body, _is_when):
            if is_inner:
                for inner in cast("Iterator[Block]", some):
                    both = [one for one in (condition, inner.header.condition) if one is not None]
                    found += self._table(history, bound, all_of(both), inner.body, inner.header)
                continue
            rows = list(self._rows(tuple(some), bound, 0, written))
            if not rows:
                continue
            is_contested = any(one.startswith("(") for one in history)
            begun = ["-".join(history) + ("---" if is_contested else ";")] if history else []
            commands = [f"#{name} {code}" for name, code in codes.items()]
            found.append("\n".join([*commands, *begun, *rows]))
            if codes:
                found.append(
                    "\n".join(f"#{name} {'00' if name == 'VUL' else '0'}" for name in codes)
                )
        return found

    # ------------------------------------------------------------------ rows
    def _rows(
        self,
        body: "tuple[Line | Block, ...]",
        bound: _Bound,
        depth: int,
        written: "_WrittenCalls | None" = None,
    ) -> Iterator[str]:
        literal, made = written or _WrittenCalls.of(body)
        for one in body:
            if id(one) in self._never:
                self._lose_line(cast("Line", one))
                continue
            if isinstance(one, Block):
                if one.header.kind == "their call":
                    yield from self._their_rows(one, bound, depth)
                else:
                    self._lose(one.header)
                continue
            calls = _written_calls(one.call, bound, literal)
            if calls is None:
                self._lose_line(one)
            for token, behind in calls or ():
                if token in made:
                    self._lose_line(one)
                    continue
                group = GROUPS.get(token[1:], "")
                made |= {token, *(f"{token[0]}{letter}" for letter in group)}
                literal |= {(int(token[0]), letter) for letter in group}
                yield from self._row(one, token, behind, depth)

    def _lose_line(self, line: Line) -> None:
        self.lost.append(f"{line.where}: {call_text(line.call)} {line.name}".rstrip())

    def _row(self, line: Line, token: str, bound: _Bound, depth: int) -> Iterator[str]:
        self.lines += 1
        condition = line.condition
        meaning = _meaning_text(condition, line.quoted, line.agreements)
        if condition is None and not line.variants:
            quoted = _meaning_text(None, line.quoted, ()) if line.quoted else ""
            agreed = _meaning_text(None, "", line.agreements)
            meaning = ", ".join(filter(None, ["any hand", quoted])) + agreed
        meaning = _with_suits(meaning, bound)
        if line.variants and line.name:
            meaning = f"{line.name}{meaning}"
        elif line.name:
            meaning = f"{line.name}: {meaning}"
        blanks = " " * (STEP * depth)
        # a description begins where no answer does
        yield f"{blanks}{token:<{1 if len(token) > 1 else 3}} {meaning}".rstrip()
        for letter, one in zip("abcdefghijklmnopqrstuvwxyz", line.variants, strict=False):
            told = _with_suits(_meaning_text(one.condition, one.quoted, one.agreements), bound)
            named = f"{one.name}: {told}" if one.name else told
            yield f"{blanks}{' ' * len(token)} {letter}) {named}"
        direct = tuple(one for one in line.below if isinstance(one, Line))
        blocks = tuple(one for one in line.below if isinstance(one, Block))
        contested = list(self._rows(blocks, bound, depth + 1))
        if contested and direct:
            yield f"{blanks}{' ' * STEP}(P)"
        yield from self._rows(direct, bound, depth + 2 if contested else depth + 1)
        yield from contested

    def _their_rows(self, block: Block, bound: _Bound, depth: int) -> Iterator[str]:
        header = block.header
        if header.condition is not None or any(len(one) != 1 for one in header.auctions):
            self._lose(header)
            return
        for auction in header.auctions:
            for call in auction[0].calls:
                written = _written_calls(call, bound, set())
                if written is None:
                    self._lose(header)
                for token, behind in written or ():
                    yield f"{' ' * (STEP * depth)}({token})"
                    yield from self._rows(block.body, behind, depth + 1)


def _with_suits(text: str, bound: _Bound) -> str:
    """Put suits in for the variables that are written as letters."""
    known = _all_suits(bound)
    return _VARIABLE.sub(lambda found: SUITS.get(known.get(found[0], ""), found[0]), text)


def _all_suits(bound: _Bound) -> dict[str, str]:
    """Letters of variables, those of the other suit of a rank with them."""
    known = dict(bound.suits)
    for name, base in OTHER_OF.items():
        if base in known:
            known.setdefault(name, GROUPS[base].replace(known[base], ""))
    return known


def _written_calls(
    call: CallPattern, bound: _Bound, literal: "set[tuple[int | None, str | None]]"
) -> list[tuple[str, _Bound]] | None:
    """Write a call as BML does, once or for each suit that it may be in; None if it cannot."""
    # of a class those calls are left out that are not enough, as where the system is bid
    if call.kind in _LETTERS:
        return [(_LETTERS[call.kind], bound)]
    found = _written_bids(call, bound, literal)
    return found and [one for one in found if one[1].last > bound.last]


def _written_bids(
    call: CallPattern, bound: _Bound, literal: "set[tuple[int | None, str | None]]"
) -> list[tuple[str, _Bound]] | None:
    if call.kind not in ("bid", "transfer") or not call.level or call.strain is None:
        return None
    strain = _all_suits(bound).get(call.strain, call.strain)
    if strain == "NT":
        behind = replace(bound, last=(call.level, 4))
        return None if call.kind == "transfer" else [(f"{call.level}N", behind)]
    if strain in SUITS:
        return [_literal_call(call, strain, bound, "")]
    name = OTHER_OF.get(strain, strain)
    if name not in ("M", "m", "X"):
        return None
    is_free = name in bound.free
    if call.kind == "bid" and (is_free or strain == name):
        # the notes would leave out suits that were bid, or that a row beside has
        others = {one for level, one in literal if level == call.level and one in SUITS}
        group = set(GROUPS[name])
        if is_free or not group & (bound.literal | {*dict(bound.suits).values()} | others):
            # the lowest suit of the level may be meant
            last = max(bound.last, (call.level, -1))
            # two calls in a variable's suit may be of one level
            last = (last[0], last[1] + 1) if last == bound.last else last
            behind = replace(bound, free=bound.free | {name}, last=last)
            return [(f"{call.level}{strain}", behind)]
    if is_free or strain != name:
        return None
    return [_literal_call(call, letter, bound, name) for letter in GROUPS[name]]


def _literal_call(
    call: CallPattern, letter: str, bound: _Bound, variable: str
) -> tuple[str, _Bound]:
    level = call.level or 0
    written = f"{level}{letter}"
    if call.kind == "transfer":
        place = "CDHSN".index(letter)
        written = f"{level}{'CDHSN'[place - 1]}" if place else f"{level - 1}N"
    suits = (*bound.suits, (variable, letter)) if variable else bound.suits
    last = (int(written[0]), "CDHSN".index(written[1]))
    literal = bound.literal | {written[1]} & {*SUITS}
    return written, replace(bound, literal=literal, suits=suits, last=last)


def _histories(auction: tuple[AuctionStep, ...]) -> list[tuple[list[str], _Bound]] | None:
    """Write the calls of a header, once for each of their alternatives; None if that cannot be."""
    found: list[tuple[list[str], _Bound]] = [([], _Bound())]
    is_contested = any(step.theirs for step in auction)
    before: bool | None = None
    for step in auction:
        further = []
        skipped = [] if before is not step.theirs or not is_contested else [step.theirs]
        for history, bound in found:
            between = ["P" if one else "(P)" for one in skipped]
            for call in step.calls:
                written = _written_calls(call, bound, set())
                if written is None:
                    return None
                for token, behind in written:
                    named = f"({token})" if step.theirs else token
                    further.append(([*history, *between, named], behind))
        if step.any_calls or len(further) > _MOST_HISTORIES:
            return None
        found, before = further, step.theirs
    if is_contested and before is False:
        found = [([*history, "(P)"], bound) for history, bound in found]
    return found


def _codes(condition: Condition | None) -> dict[str, str] | None:
    """Write facts as ``#VUL`` and ``#SEAT``; None if they are others."""
    if condition is None:
        return {}
    parts = condition.parts if isinstance(condition, AllOf) else (condition,)
    found: dict[str, str] = {}
    left = []
    for part in parts:
        if isinstance(part, Phrase) and part.kind == "seat" and part.range is not None:
            high = 4 if part.range.high is None else part.range.high
            seats = (*range(int(part.range.low), int(high) + 1), *map(int, part.range.also))
            code = _SEAT_CODES.get(seats)
            if code is None or "SEAT" in found:
                return None
            found["SEAT"] = code
        else:
            left.append(part)
    if left:
        wanted = condition_text(all_of(left))
        code = next((code for code, text in VULNERABLE.items() if text == wanted), None)
        if code is None:
            return None
        found["VUL"] = code
    return found


def _meaning_text(
    condition: Condition | None, quoted: str, agreements: tuple[Agreement, ...]
) -> str:
    """Write what stands behind the name of a line."""
    conditions = [] if condition is None else [condition_text(condition)]
    if quoted:
        conditions.append(f'"{quoted}"')
    words = ", ".join(conditions)
    if agreements:
        words += "; " + ", ".join(agreement_text(agreement) for agreement in agreements)
    return words
