"""Reads systems in BML, the Bridge Bidding Markup Language of players' notes.

Its definition is https://github.com/gpaulissen/bml: tables of rows, a bid and its meaning in prose,
with answers indented below. A row becomes a line where its whole meaning reads as conditions and
agreements, beside words that ask nothing of a hand; else it stays a remark, and is reported.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import dropwhile
from typing import Final, NamedTuple

from bidcascade.bridge import InvalidSystem
from bidcascade.systems.language.errors import Complaint
from bidcascade.systems.language.grammar.grammar import parse_statement
from bidcascade.systems.language.reader import read_text
from bidcascade.systems.language.tree.syntax_tree import Define
from bidcascade.systems.limits import LONGEST_DESCRIPTION

from .bml_prose import SUITS, ReadProse, read_prose
from .bml_tables import BmlCall, BmlRow, BmlTable, Notes, notes_of
from .bml_words import GROUPS, OTHER_OF, STEP, VULNERABLE

_MOST_ROUNDS: Final = 50
_RANK: Final = {"C": 0, "D": 1, "H": 2, "S": 3}
_BELOW: Final = {"Y": "X", "Z": "Y"}
"""X ranks below Y, and Y below Z."""
_CALLS: Final = {"P": "Pass", "D": "Double", "R": "Redouble"}
_ORDINALS: Final = ("", "1st", "2nd", "3rd", "4th")


@dataclass(frozen=True, slots=True)
class Unread:
    """What is no line of the system that was made: where it stood, its text, and why."""

    line: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class SystemOfNotes:
    """A system's text made of notes, and how far they were understood.

    Parameters
    ----------
    text
        Reads as a system; remarks alone where no row was understood.
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


class NotationReader(NamedTuple):
    """How a notation's rows are read: a description, with its suit and names, and a row's text."""

    prose: Callable[[BmlRow, str, Set[str]], ReadProse]
    text: Callable[[BmlRow], str]


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


def read_bml(text: str, files: Callable[[str], str] | None = None) -> SystemOfNotes:
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
    return system_of_notes(notes, lost, _PROSE)


def system_of_notes(notes: Notes, lost: Sequence[Unread], reading: NotationReader) -> SystemOfNotes:
    """Make a system of rows, whichever notation they were read from.

    Parameters
    ----------
    notes
    lost
        What was left out before.
    reading
        How the rows' words are read.
    """
    refused: dict[tuple[int, str], str] = {}
    for _ in range(_MOST_ROUNDS):
        maker = _Maker(notes, refused, reading)
        lines = list(dropwhile(lambda one: not one.text, maker.lines()))
        written = "\n".join(" " * (STEP * one.depth) + one.text for one in lines) + "\n"
        new = {}
        for complaint in _complaints(written):
            # notes of which nothing was read are a text without lines
            key = lines[complaint.where.line - 1].key if lines and complaint.where.line else None
            if key is not None and key not in refused:
                new[key] = complaint.message
        if not new:
            break
        # what does not go with the rest is taken back, and the rest looked at again
        refused |= new
    unread = sorted([*lost, *maker.unread], key=lambda one: one.line)
    return SystemOfNotes(written, maker.rows, maker.understood, tuple(dict.fromkeys(unread)))


def _complaints(text: str) -> tuple[Complaint, ...]:
    try:
        read_text(text)
    except InvalidSystem as error:
        return error.complaints
    return ()


class _Maker:
    """Makes the lines of a system of notes; ``refused`` are those that did not go with the rest."""

    def __init__(
        self, notes: Notes, refused: Mapping[tuple[int, str], str], reading: NotationReader
    ) -> None:
        self._notes = notes
        self._refused = refused
        self._reading = reading
        self._names = {
            found.name
            for found in (parse_statement(one).statement for one in notes.defines)
            if isinstance(found, Define)
        }
        self._waiting: list[tuple[BmlTable, _Path, list[BmlRow]]] = []
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
    def _prose(table: BmlTable) -> Iterator[_Written]:
        if table.remarks:
            yield _Written(0, "")
        for remark in table.remarks:
            yield _Written(0, f"-- {remark}")

    # ------------------------------------------------------------------ blocks
    def _table(self, table: BmlTable) -> Iterator[_Written]:
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

    def _block(self, table: BmlTable, path: _Path, rows: list[BmlRow]) -> Iterator[_Written]:
        facts = [VULNERABLE[table.vulnerable]]
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
        self,
        depth: int,
        header: str,
        key: tuple[int, str],
        table: BmlTable,
        path: _Path,
        rows: list[BmlRow],
    ) -> Iterator[_Written]:
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

    def _body(
        self, table: BmlTable, path: _Path, rows: list[BmlRow], depth: int
    ) -> Iterator[_Written]:
        made: set[str] = set()
        literal = {
            f"{row.bid.level}{letter}"
            for row in rows
            for letter in row.bid.strain
            if not row.bid.theirs and row.bid.strain not in GROUPS
        }
        # what a row says itself is no call of a class; else the first definition of a call holds
        for row in rows:
            if row.bid.theirs:
                yield from self._their_row(table, path, row, depth)
                continue
            choices = self._choices(row.bid, path, literal)
            if not choices:
                self._lose(row.number, self._reading.text(row), "no suit is left for it")
                self._seen[id(row)] = False
            for call, behind, extra in choices:
                if call in made:
                    self._lose(row.number, self._reading.text(row), f"{call} was defined before")
                    continue
                made.add(call)
                literal |= {f"{call[0]}{one}" for one in GROUPS.get(call[1:], ())}
                yield from self._row(table, row, call, behind, extra, depth)

    def _their_row(
        self, table: BmlTable, path: _Path, row: BmlRow, depth: int
    ) -> Iterator[_Written]:
        if row.bid.call == "P":
            yield from self._body(table, path, row.below, depth)
            return
        step = self._step(row.bid, path)
        if step is None:
            self._lose(row.number, self._reading.text(row), "no header can say this call")
        elif row.below:
            header = f"{step.steps[-1]}:"
            key = row.number, " ".join(step.steps)
            yield from self._under(depth, header, key, table, step, row.below)

    def _row(
        self, table: BmlTable, row: BmlRow, call: str, path: _Path, extra: str, depth: int
    ) -> Iterator[_Written]:
        key = row.number, " ".join(path.steps)
        strain = call[1:]
        suit = SUITS.get(strain, strain if strain in GROUPS or strain == "NT" else "")
        if (length := sum(map(len, row.said))) > LONGEST_DESCRIPTION:
            said = ReadProse(
                None,
                reason=(
                    f"expected a description of at most {LONGEST_DESCRIPTION:,} characters, "
                    f"got {length:,}"
                ),
            )
        else:
            said = self._reading.prose(row, suit, self._names)
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
            self._lose(row.number, self._reading.text(row), reason)
        yield _Written(depth, f"-- {call} {' / '.join(filter(None, row.said))}".rstrip())
        if not row.below:
            return
        if path.nameable:
            self._waiting.append((table, path, row.below))
        else:
            self._lose(row.number, self._reading.text(row), "its answers cannot be said without it")

    # ------------------------------------------------------------------ calls
    def _choices(
        self, bid: BmlCall, path: _Path, literal: set[str]
    ) -> list[tuple[str, _Path, str]]:
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
        if bid.strain not in GROUPS:
            return [self._literal(bid.level, letter, path) for letter in bid.strain]
        name, bound = bid.strain, dict(path.bound)
        base = OTHER_OF.get(name, name)
        if name in ("red", "black"):
            free = [
                one
                for one in GROUPS[name]
                if f"{bid.level}{one}" not in literal and (bid.level, _RANK[one]) > path.last
            ]
            return [self._literal(bid.level, letter, path) for letter in free]
        if base in bound:
            letters = GROUPS[name].replace(bound[base], "") if base != name else bound[base]
            return [self._literal(bid.level, letter, path) for letter in letters]
        if base in path.variables:
            call = f"{bid.level}{name}"
            return [(call, path.behind(call), "")]
        if base != name:
            return []
        taken = path.suits | {*bound.values()}
        # where all of its suits were bid they may be bid again
        free = [one for one in GROUPS[name] if one not in taken] or [*GROUPS[name]]
        open_calls = [
            one
            for one in free
            if f"{bid.level}{one}" not in literal and (bid.level, _RANK[one]) > path.last
        ]
        lower = _BELOW.get(name, "")
        if len(open_calls) == len(GROUPS[name]) and lower not in bound:
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

    def _step(self, bid: BmlCall, path: _Path) -> _Path | None:
        """Path behind a call of a sequence, or one of theirs; None where no header can say it."""
        choices = self._choices(replace(bid, theirs=False), path, set())
        if not choices or not all(one.nameable for _, one, _ in choices):
            return None
        calls = "/".join(call for call, _, _ in choices)
        behind = choices[0][1] if len(choices) == 1 else path
        return replace(behind, steps=(*path.steps, f"({calls})" if bid.theirs else calls))

    def _lose(self, number: int, text: str, reason: str) -> None:
        self.unread.append(Unread(number, text, reason))


def _without_passes(history: Sequence[BmlCall]) -> Iterator[BmlCall]:
    """Leave out passes of theirs between two calls of ours, or behind the last: they go unsaid."""
    for number, bid in enumerate(history):
        before = history[number - 1] if number else None
        behind = history[number + 1] if number + 1 < len(history) else None
        is_between = before is not None and not before.theirs and before.call != "P"
        goes_on = behind is None or not behind.theirs
        if not (bid.theirs and bid.call == "P" and is_between and goes_on):
            yield bid


def _text_of(row: BmlRow) -> str:
    return f"{row.bid.text} {' / '.join(filter(None, row.said))}".strip()


_PROSE: Final = NotationReader(lambda row, suit, names: read_prose(row.said, suit, names), _text_of)


def _as_remark(one: _Written) -> _Written:
    is_remark = not one.text or one.text.startswith("--")
    return one if is_remark else _Written(one.depth, f"-- {one.text}")
