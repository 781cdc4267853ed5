"""Reads and writes systems in BML, the Bridge Bidding Markup Language of players' notes.

Its definition is https://github.com/gpaulissen/bml: tables of rows, a bid and its meaning in prose,
with answers indented below. A row becomes a line where its whole meaning reads as conditions and
agreements, beside words that ask nothing of a hand; else it stays a remark, and is reported.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile
from typing import Final

from bidcascade.bridge import InvalidSystem
from bidcascade.systems.language.errors import Complaint
from bidcascade.systems.language.grammar import parse_statement
from bidcascade.systems.language.joining import all_of
from bidcascade.systems.language.reader import built_in_defines, read_text
from bidcascade.systems.language.syntax_tree import (
    AllOf,
    AuctionStep,
    Block,
    CallPattern,
    Condition,
    Define,
    Header,
    Line,
    Phrase,
    SystemText,
)
from bidcascade.systems.language.wording import call_text, condition_text, header_text
from bidcascade.systems.language.writer import meaning_text

from .bml_prose import SUITS, said_of
from .bml_tables import Bid, Notes, Row, Table, notes_of

STEP: Final = 2
_MOST_ROUNDS: Final = 50
_GROUPS: Final = {
    "M": "HS", "oM": "HS", "m": "CD", "om": "CD", "X": "CDHS", "Y": "CDHS", "Z": "CDHS",
    "red": "DH", "black": "CS",
}  # fmt: skip
"""Suits of a variable, the lowest first."""
_RANK: Final = {"C": 0, "D": 1, "H": 2, "S": 3}
_OTHER_OF: Final = {"oM": "M", "om": "m"}
_BELOW: Final = {"Y": "X", "Z": "Y"}
"""X ranks below Y, and Y below Z."""
_CALLS: Final = {"P": "Pass", "D": "Double", "R": "Redouble"}
_LETTERS: Final = {"pass": "P", "double": "D", "redouble": "R"}
_ORDINALS: Final = ("", "1st", "2nd", "3rd", "4th")
_VULNERABLE: Final = {
    "00": "", "Y0": "vulnerable", "N0": "not vulnerable", "YN": "unfavourable",
    "NY": "favourable", "YY": "vulnerable, not unfavourable",
    "NN": "not vulnerable, not favourable",
    "0Y": "favourable or (vulnerable and not unfavourable)",
    "0N": "unfavourable or (not vulnerable and not favourable)",
}  # fmt: skip
"""Facts for ``#VUL``: we, then they; yes, no, or either."""


@dataclass(frozen=True, slots=True)
class Unread:
    """What is no line of the system that was made: where it stood, its text, and why."""

    line: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class BmlSystem:
    """A system's text made of notes, and how far they were understood.

    Parameters
    ----------
    text
        Reads as a system.
    rows
        Rows of tables with a meaning; pasted ones count wherever they were pasted.
    understood
        Those that became lines.
    unread
        The others, and what else was left out.
    """

    text: str
    rows: int
    understood: int
    unread: tuple[Unread, ...]


@dataclass(frozen=True, slots=True)
class _Path:
    """Calls before a row as a header writes them, and what their suits are."""

    steps: tuple[str, ...] = ()
    suits: frozenset[str] = frozenset()
    """Letters of suits that were bid."""
    variables: frozenset[str] = frozenset()
    bound: tuple[tuple[str, str], ...] = ()
    """Variables that one suit stands for here."""
    nameable: bool = True
    """Whether a header can say these calls; it cannot count steps."""
    last: tuple[int, int] = (0, 0)
    """Level and strain of the last bid, as far as they are known; the next one is higher."""

    def behind(self, step: str, **more: object) -> "_Path":
        return replace(self, steps=(*self.steps, step), **more)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class _Written:
    """A line of the text to be; ``key`` names what it was made of, if that may be taken back."""

    depth: int
    text: str
    key: "tuple[int, str] | None" = None


def read_bml(text: str, files: Callable[[str], str] | None = None) -> BmlSystem:
    r"""Read notes in BML.

    Parameters
    ----------
    text
    files
        Gives the text of a file that ``#INCLUDE`` names; without it they are left out.

    Raises
    ------
    InvalidInput
        If files include one another without end, or blocks are pasted too often.

    Examples
    --------
    >>> found = read_bml("1N  15--17 bal\n  2C  Stayman\n2HS  5--10 hcp, 6+ suit\n")
    >>> print(found.text.rstrip())
    opening:
      1NT = 15-17 points, balanced
        -- 2C Stayman
      2H = 5-10 hcp, 6+ hearts
      2S = 5-10 hcp, 6+ spades
    >>> found.rows, found.understood, found.unread
    (3, 2, (Unread(line=2, text='2C Stayman', reason='no condition was read'),))
    """
    lost: list[Unread] = []
    notes = notes_of(text, files, lambda *told: lost.append(Unread(*told)))
    refused: dict[tuple[int, str], str] = {}
    for _ in range(_MOST_ROUNDS):
        maker = _Maker(notes, refused)
        lines = list(dropwhile(lambda one: not one.text, maker.lines()))
        written = "\n".join(" " * (STEP * one.depth) + one.text for one in lines) + "\n"
        new = {}
        for complaint in _complaints(written):
            key = lines[complaint.where.line - 1].key if complaint.where.line else None
            if key is not None and key not in refused:
                new[key] = complaint.message
        if not new:
            break
        # what does not go with the rest is taken back, and the rest looked at again
        refused |= new
    unread = sorted([*lost, *maker.unread], key=lambda one: one.line)
    return BmlSystem(written, maker.rows, maker.understood, tuple(dict.fromkeys(unread)))


def _complaints(text: str) -> tuple[Complaint, ...]:
    try:
        read_text(text)
    except InvalidSystem as error:
        return error.complaints
    return ()


class _Maker:
    """Makes the lines of a system of notes; ``refused`` are those that did not go with the rest."""

    def __init__(self, notes: Notes, refused: Mapping[tuple[int, str], str]) -> None:
        self._notes = notes
        self._refused = refused
        self._names = {
            found.name
            for found in (parse_statement(one).statement for one in notes.defines)
            if isinstance(found, Define)
        }
        self._waiting: list[tuple[Table, _Path, list[Row]]] = []
        # by the row itself: pasted ones have the line of their paste in common
        self._seen: dict[int, bool] = {}
        self.unread: list[Unread] = []

    @property
    def rows(self) -> int:
        """Rows that have a meaning."""
        return len(self._seen)

    @property
    def understood(self) -> int:
        """Rows of which every line was made."""
        return sum(self._seen.values())

    def lines(self) -> Iterator[_Written]:
        for name in ("DESCRIPTION", "AUTHOR"):
            if name in self._notes.metadata:
                yield _Written(0, f"-- {self._notes.metadata[name]}")
        if "TITLE" in self._notes.metadata:
            title = self._notes.metadata["TITLE"].replace("--", "-")
            yield _Written(0, f"system {title}", (0, "title"))
        tables = self._notes.tables
        begin = next((at for at, one in enumerate(tables) if one.rows), len(tables))
        # prose at the top is the text's own
        for table in tables[:begin]:
            yield from self._prose(table)
        for number, define in enumerate(self._notes.defines):
            yield _Written(0, define, (-number, "define"))
        for table in tables[begin:]:
            yield from self._prose(table)
            if table.rows:
                yield from self._table(table)
            while self._waiting:
                waiting, path, rows = self._waiting.pop(0)
                yield from self._block(waiting, path, rows)

    @staticmethod
    def _prose(table: Table) -> Iterator[_Written]:
        if table.remarks:
            yield _Written(0, "")
        for remark in table.remarks:
            yield _Written(0, f"-- {remark}")

    # ------------------------------------------------------------------ blocks
    def _table(self, table: Table) -> Iterator[_Written]:
        path = _Path()
        for bid in _without_passes(table.history):
            step = self._step(bid, path)
            if step is None:
                self._lose(table.number, bid.text, "no header can say this call")
                return
            path = step
        ours = [row for row in table.rows if not row.bid.theirs]
        theirs = [row for row in table.rows if row.bid.theirs]
        if path.steps:
            yield from self._block(table, path, table.rows)
            return
        if ours:
            yield from self._block(table, path, ours)
        for row in theirs:
            step = self._step(row.bid, path)
            if step is not None and row.below:
                yield from self._block(table, step, row.below)

    def _block(self, table: Table, path: _Path, rows: list[Row]) -> Iterator[_Written]:
        facts = [_VULNERABLE[table.vulnerable]]
        if table.seats and not path.steps:
            facts.insert(0, f"{' or '.join(_ORDINALS[one] for one in table.seats)} seat")
        elif table.seats:
            self._lose(table.number, " ".join(path.steps), "#SEAT holds for openings alone here")
        word = "over" if path.steps and path.steps[0].startswith("(") else "after"
        begun = f"{word} {' '.join(path.steps)}" if path.steps else "opening"
        header = ", ".join(filter(None, [begun, *facts]))
        yield _Written(0, "")
        yield from self._under(0, f"{header}:", (table.number, header), table, path, rows)

    def _under(
        self, depth: int, header: str, key: tuple[int, str], table: Table, path: _Path,
        rows: list[Row],
    ) -> Iterator[_Written]:  # fmt: skip
        """Lines below a header; where there are none, or it does not read, all are remarks."""
        body = list(self._body(table, path, rows, depth + 1))
        is_refused = key in self._refused
        if is_refused:
            self._lose(key[0], header, self._refused[key])
        if is_refused or all(one.text.startswith("--") or not one.text for one in body):
            body = [_as_remark(one) for one in body]
            header = f"-- {header}"
        yield _Written(depth, header, None if is_refused else key)
        yield from body

    def _body(self, table: Table, path: _Path, rows: list[Row], depth: int) -> Iterator[_Written]:
        made: set[str] = set()
        literal = {
            f"{row.bid.level}{letter}"
            for row in rows
            for letter in row.bid.strain
            if not row.bid.theirs and row.bid.strain not in _GROUPS
        }
        # what a row says itself is no call of a class; else the first definition of a call holds
        for row in rows:
            if row.bid.theirs:
                yield from self._their_row(table, path, row, depth)
                continue
            choices = self._choices(row.bid, path, literal)
            if not choices:
                self._lose(row.number, _text_of(row), "no suit is left for it")
                self._seen[id(row)] = False
            for call, behind, extra in choices:
                if call in made:
                    self._lose(row.number, _text_of(row), f"{call} was defined before")
                    continue
                made.add(call)
                literal |= {f"{call[0]}{one}" for one in _GROUPS.get(call[1:], ())}
                yield from self._row(table, row, call, behind, extra, depth)

    def _their_row(self, table: Table, path: _Path, row: Row, depth: int) -> Iterator[_Written]:
        if row.bid.call == "P":
            yield from self._body(table, path, row.below, depth)
            return
        step = self._step(row.bid, path)
        if step is None:
            self._lose(row.number, _text_of(row), "no header can say this call")
        elif row.below:
            header = f"{step.steps[-1]}:"
            key = row.number, " ".join(step.steps)
            yield from self._under(depth, header, key, table, step, row.below)

    def _row(
        self, table: Table, row: Row, call: str, path: _Path, extra: str, depth: int
    ) -> Iterator[_Written]:
        key = row.number, " ".join(path.steps)
        strain = call[1:]
        suit = SUITS.get(strain, strain if strain in _GROUPS or strain == "NT" else "")
        said = said_of([*row.said], suit, self._names)
        words, reason = said.words, said.reason
        if key in self._refused:
            words, reason = None, self._refused[key]
        has_meaning = any(row.said)
        if has_meaning:
            self._seen[id(row)] = self._seen.get(id(row), True) and words is not None
        if words is not None:
            if extra:
                head, semicolon, agreed = words.partition(";")
                words = f"{head.rstrip()}, {extra}{semicolon}{agreed}"
            yield _Written(depth, f"{call} = {words}".rstrip(), key)
            for one in said.types:
                yield _Written(depth + 1, one, key)
            yield from self._body(table, path, row.below, depth + 1)
            return
        if has_meaning:
            self._lose(row.number, _text_of(row), reason)
        yield _Written(depth, f"-- {call} {' / '.join(filter(None, row.said))}".rstrip())
        if not row.below:
            return
        if path.nameable:
            self._waiting.append((table, path, row.below))
        else:
            self._lose(row.number, _text_of(row), "its answers cannot be said without it")

    # ------------------------------------------------------------------ calls
    def _choices(self, bid: Bid, path: _Path, literal: set[str]) -> list[tuple[str, _Path, str]]:
        """List the calls of a row of ours, with the path behind each and what its suit must be."""
        if bid.call:
            call = _CALLS[bid.call]
            return [(call, path.behind(call), "")]
        if bid.steps:
            call = f"step {bid.steps}"
            return [(call, path.behind(call, nameable=False), "")]
        if bid.strain == "N":
            behind = path.behind(f"{bid.level}NT", last=(bid.level, 4))
            return [(f"{bid.level}NT", behind, "")]
        if bid.strain not in _GROUPS:
            return [self._literal(bid.level, letter, path) for letter in bid.strain]
        name, bound = bid.strain, dict(path.bound)
        base = _OTHER_OF.get(name, name)
        if name in ("red", "black"):
            free = [
                one
                for one in _GROUPS[name]
                if f"{bid.level}{one}" not in literal and (bid.level, _RANK[one]) > path.last
            ]
            return [self._literal(bid.level, letter, path) for letter in free]
        if base in bound:
            letters = _GROUPS[name].replace(bound[base], "") if base != name else bound[base]
            return [self._literal(bid.level, letter, path) for letter in letters]
        if base in path.variables:
            call = f"{bid.level}{name}"
            return [(call, path.behind(call), "")]
        if base != name:
            return []
        taken = path.suits | {*bound.values()}
        # where all of its suits were bid they may be bid again
        free = [one for one in _GROUPS[name] if one not in taken] or [*_GROUPS[name]]
        open_calls = [
            one
            for one in free
            if f"{bid.level}{one}" not in literal and (bid.level, _RANK[one]) > path.last
        ]
        lower = _BELOW.get(name, "")
        if len(open_calls) == len(_GROUPS[name]) and lower not in bound:
            call = f"{bid.level}{name}"
            extra = f"{name} ranks above {lower}" if lower in path.variables else ""
            return [(call, path.behind(call, variables=path.variables | {name}), extra)]
        return [
            self._literal(bid.level, letter, path, name)
            for letter in open_calls
            if lower not in bound or _RANK[letter] > _RANK[bound[lower]]
        ]

    def _literal(
        self, level: int, letter: str, path: _Path, variable: str = ""
    ) -> tuple[str, _Path, str]:
        bound = (*path.bound, (variable, letter)) if variable else path.bound
        call = f"{level}{letter}"
        last = (level, _RANK[letter])
        return call, path.behind(call, suits=path.suits | {letter}, bound=bound, last=last), ""

    def _step(self, bid: Bid, path: _Path) -> _Path | None:
        """Path behind a call of a sequence, or one of theirs; None where no header can say it."""
        choices = self._choices(replace(bid, theirs=False), path, set())
        if not choices or not all(one.nameable for _, one, _ in choices):
            return None
        calls = "/".join(call for call, _, _ in choices)
        behind = choices[0][1] if len(choices) == 1 else path
        return replace(behind, steps=(*path.steps, f"({calls})" if bid.theirs else calls))

    def _lose(self, number: int, text: str, reason: str) -> None:
        self.unread.append(Unread(number, text, reason))


def _without_passes(history: Sequence[Bid]) -> Iterator[Bid]:
    """Leave out passes of theirs between two calls of ours, or behind the last: they go unsaid."""
    for number, bid in enumerate(history):
        before = history[number - 1] if number else None
        behind = history[number + 1] if number + 1 < len(history) else None
        is_between = before is not None and not before.theirs and before.call != "P"
        goes_on = behind is None or not behind.theirs
        if not (bid.theirs and bid.call == "P" and is_between and goes_on):
            yield bid


def _text_of(row: Row) -> str:
    return f"{row.bid.text} {' / '.join(filter(None, row.said))}".strip()


def _as_remark(one: _Written) -> _Written:
    is_remark = not one.text or one.text.startswith("--")
    return one if is_remark else _Written(one.depth, f"-- {one.text}")


# --- writing --------------------------------------------------------------------------------------


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
    >>> text = "opening:\n  1NT = Strong: 15-17 points, balanced\ngeneral:\n  3NT = Game\n"
    >>> notes = write_bml(read_text(text))
    >>> notes.text
    '1N Strong: 15-17 points, balanced\n'
    >>> notes.lost
    ('<text>:3: general:',)
    """
    writer = _Writer()
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


class _Writer:
    """Writes blocks as tables, and counts what it cannot write."""

    def __init__(self) -> None:
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
        self, history: list[str], bound: _Bound, condition: Condition | None,
        body: "tuple[Line | Block, ...]", header: Header,
    ) -> list[str]:  # fmt: skip
        codes = _codes(condition)
        if codes is None:
            return self._lose(header)
        rows = list(self._rows(body, bound, 0))
        found = []
        if rows:
            is_contested = any(one.startswith("(") for one in history)
            begun = ["-".join(history) + ("---" if is_contested else ";")] if history else []
            commands = [f"#{name} {code}" for name, code in codes.items()]
            found.append("\n".join([*commands, *begun, *rows]))
            if codes:
                found.append(
                    "\n".join(f"#{name} {'00' if name == 'VUL' else '0'}" for name in codes)
                )
        for inner in body:
            if isinstance(inner, Block) and inner.header.kind == "when":
                both = [one for one in (condition, inner.header.condition) if one is not None]
                found += self._table(history, bound, all_of(both), inner.body, inner.header)
        return found

    # ------------------------------------------------------------------ rows
    def _rows(self, body: "tuple[Line | Block, ...]", bound: _Bound, depth: int) -> Iterator[str]:
        literal = {
            (one.call.level, one.call.strain)
            for one in body
            if isinstance(one, Line) and one.call.strain not in _GROUPS
        }
        made: set[str] = set()
        for one in body:
            if isinstance(one, Block):
                if one.header.kind == "their call":
                    yield from self._their_rows(one, bound, depth)
                elif one.header.kind != "when" or depth:
                    self._lose(one.header)
                continue
            calls = _written_calls(one.call, bound, literal)
            if calls is None:
                self._lose_line(one)
            for token, behind in calls or ():
                if token in made:
                    self._lose_line(one)
                    continue
                group = _GROUPS.get(token[1:], "")
                made |= {token, *(f"{token[0]}{letter}" for letter in group)}
                literal |= {(int(token[0]), letter) for letter in group}
                yield from self._row(one, token, behind, depth)

    def _lose_line(self, line: Line) -> None:
        self.lost.append(f"{line.where}: {call_text(line.call)} {line.name}".rstrip())

    def _row(self, line: Line, token: str, bound: _Bound, depth: int) -> Iterator[str]:
        self.lines += 1
        condition = line.condition
        meaning = meaning_text("", condition, line.quoted, line.agreements)
        if condition is None and not line.variants:
            quoted = meaning_text("", None, line.quoted, ()) if line.quoted else ""
            agreed = meaning_text("", None, "", line.agreements)
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
            told = _with_suits(meaning_text("", one.condition, one.quoted, one.agreements), bound)
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
    for name, base in _OTHER_OF.items():
        if base in known:
            known.setdefault(name, _GROUPS[base].replace(known[base], ""))
    return known


def _written_calls(
    call: CallPattern, bound: _Bound, literal: "set[tuple[int | None, str | None]]"
) -> list[tuple[str, _Bound]] | None:
    """Write a call as BML does, once or for each suit that it may be in; None if it cannot.

    Of a class those calls are left out that are not enough, as where the system is bid.
    """
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
    name = _OTHER_OF.get(strain, strain)
    if name not in ("M", "m", "X"):
        return None
    is_free = name in bound.free
    if call.kind == "bid" and (is_free or strain == name):
        # the notes would leave out suits that were bid, or that a row beside has
        others = {one for level, one in literal if level == call.level and one in SUITS}
        group = set(_GROUPS[name])
        if is_free or not group & (bound.literal | {*dict(bound.suits).values()} | others):
            # the lowest suit of the level may be meant
            last = max(bound.last, (call.level, -1))
            # two calls in a variable's suit may be of one level
            last = (last[0], last[1] + 1) if last == bound.last else last
            behind = replace(bound, free=bound.free | {name}, last=last)
            return [(f"{call.level}{strain}", behind)]
    if is_free or strain != name:
        return None
    return [_literal_call(call, letter, bound, name) for letter in _GROUPS[name]]


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
            seats = (*range(part.range.low, high + 1), *part.range.also)
            code = _SEAT_CODES.get(seats)
            if code is None or "SEAT" in found:
                return None
            found["SEAT"] = code
        else:
            left.append(part)
    if left:
        wanted = condition_text(all_of(left))
        code = next((code for code, text in _VULNERABLE.items() if text == wanted), None)
        if code is None:
            return None
        found["VUL"] = code
    return found
