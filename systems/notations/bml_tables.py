"""The tables of notes in BML: files included, blocks pasted, rows by their indentation."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from bidcascade.bridge import InvalidInput
from bidcascade.systems.limits import LONGEST_NOTE_LINE, MOST_NOTE_LINES, too_long

_DEEPEST: Final = 20
"""Files that include one another."""

_CALL: Final = (
    r"(?:(?P<level>[1-7])(?P<strain>NT?|[CDHS]{1,4}|oM|om|[MmXYZ]|red|black)"
    r"|(?P<steps>[1-9]\d?)steps?|(?P<call>P(?:ass)?|D(?:bl)?|R(?:dbl)?))"
)
_ROW: Final = re.compile(rf"(?P<theirs>\()?{_CALL}(?(theirs)\))(?:[\s=]+|$)")
_STEP: Final = re.compile(rf"(?P<theirs>\()?{_CALL}(?(theirs)\))(?:[-;]+|$)")
_SEQUENCE: Final = re.compile(r"(?P<steps>[(1-7PDR][\w()-]*?)[-;]+(?=\s|$)")
_COMMAND: Final = re.compile(r"\s*#(?P<name>[A-Z]+)\b\s*(?P<rest>.*)")
_METADATA: Final = re.compile(r"\s*#\+(?P<name>[A-Z]+):\s*(?P<rest>.*)")
_VULNERABILITY: Final = re.compile(r"[YN0]{2}")
_SEATS: Final = {"0": (), "1": (1,), "2": (2,), "3": (3,), "4": (4,), "12": (1, 2), "34": (3, 4)}

Lose = Callable[[int, str, str], None]
"""Notes that a line was not taken: its number, its text and why."""


@dataclass(frozen=True, slots=True)
class BmlCall:
    """A call as a row or a sequence writes it.

    ``strain`` is ``N``, letters of suits, a variable, ``red`` or ``black``; ``steps`` counts from
    the bid before; ``call`` is ``P``, ``D`` or ``R``.
    """

    text: str
    theirs: bool
    level: int = 0
    strain: str = ""
    steps: int = 0
    call: str = ""

    @classmethod
    def of(cls, found: re.Match[str]) -> "BmlCall":
        """Take a call from what a pattern found."""
        return cls(
            found[0].rstrip(" =;-\t"),
            found["theirs"] is not None,
            int(found["level"] or 0),
            (found["strain"] or "").replace("NT", "N"),
            int(found["steps"] or 0),
            (found["call"] or "")[:1],
        )


@dataclass(slots=True)
class BmlRow:
    """A row: its bid, the lines of its description, and the rows below it."""

    number: int
    bid: BmlCall
    said: list[str]
    indent: int
    column: int
    below: "list[BmlRow]" = field(default_factory=list)


@dataclass(slots=True)
class BmlTable:
    """A table, or prose (``remarks``) where it has no rows.

    ``history`` are the calls before its rows; none for an opening. ``vulnerable`` and ``seats`` are
    as ``#VUL`` and ``#SEAT`` say.
    """

    number: int
    history: tuple[BmlCall, ...]
    vulnerable: str
    seats: tuple[int, ...]
    rows: list[BmlRow] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Notes:
    """Notes as they are written: tables and prose in order, metadata, and definitions of ours."""

    tables: list[BmlTable] = field(default_factory=list)
    metadata: dict[str, str] = field(default_factory=dict)
    defines: list[str] = field(default_factory=list)


def notes_of(text: str, files: Callable[[str], str] | None, lose: Lose) -> Notes:
    """Take notes apart.

    Parameters
    ----------
    text
    files
        Gives the text of a file that ``#INCLUDE`` names, or raises ``OSError``.
    lose
        Told of what is left out.

    Raises
    ------
    InvalidInput
        If files include one another too deeply, or there are too many lines.
    """
    return _Reader(files, lose).notes(text)


class _Reader:
    def __init__(self, files: Callable[[str], str] | None, lose: Lose) -> None:
        self._files = files
        self._lose = lose
        self._blocks: dict[str, list[tuple[int, str]]] = {}
        self._count = 0
        self._vulnerable = "00"
        self._seats: tuple[int, ...] = ()
        self._notes = Notes()

    def notes(self, text: str) -> Notes:
        element: list[tuple[int, str]] = []
        for number, line in (*self._lines(text, 0), (0, "")):
            if line.strip():
                element.append((number, line))
            elif element:
                self._element(element)
                element = []
        return self._notes

    # ------------------------------------------------------------------ lines
    def _lines(self, text: str, depth: int) -> Iterator[tuple[int, str]]:
        """Lines with included files and pasted blocks in place, and without what is cut out."""
        if depth > _DEEPEST:
            raise InvalidInput(f"expected at most {_DEEPEST} files that include one another")
        block: list[tuple[int, str]] | None = None
        is_cut = False
        for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
            if len(line) > LONGEST_NOTE_LINE:
                self._lose(number, line[:80], too_long(line))
                continue
            found = _COMMAND.fullmatch(line)
            name = "" if found is None else found["name"]
            rest = "" if found is None else found["rest"].strip()
            if line.startswith("//"):
                self._define(line[2:].strip())
            elif name in ("CUT", "COPY"):
                block, is_cut = self._blocks.setdefault(rest, []), name == "CUT"
                block.clear()
            elif name in ("ENDCUT", "ENDCOPY"):
                block = None
            elif block is not None and (is_cut or name != "PASTE"):
                block.append((number, line))
                if not is_cut:
                    yield self._counted(number, line)
            elif name == "PASTE":
                indent = len(line) - len(line.lstrip())
                yield from self._pasted(number, indent, rest)
            elif name == "INCLUDE":
                yield from self._included(number, rest, depth)
            else:
                yield self._counted(number, line)

    def _counted(self, number: int, line: str) -> tuple[int, str]:
        self._count += 1
        if self._count > MOST_NOTE_LINES:
            raise InvalidInput(
                f"expected at most {MOST_NOTE_LINES:,} lines of notes, pasted ones counted"
            )
        return number, line.rstrip()

    def _pasted(
        self, number: int, indent: int, rest: str, depth: int = 0
    ) -> Iterator[tuple[int, str]]:
        if depth > _DEEPEST:
            raise InvalidInput(f"expected at most {_DEEPEST} blocks that are pasted in one another")
        name, *words = rest.split() or [""]
        block = self._blocks.get(name)
        if block is None:
            self._lose(number, f"#PASTE {rest}", "nothing of this name was cut or copied before")
            return
        changes = [word.partition("=") for word in words]
        for _, line in list(block):
            for old, _, new in changes:
                line = line.replace(old, new) if old else line
            found = _COMMAND.fullmatch(line)
            if found is not None and found["name"] == "PASTE":
                inner = indent + len(line) - len(line.lstrip())
                yield from self._pasted(number, inner, found["rest"], depth + 1)
            else:
                yield self._counted(number, " " * indent + line)

    def _included(self, number: int, name: str, depth: int) -> Iterator[tuple[int, str]]:
        try:
            if self._files is None:
                raise OSError
            text = self._files(name)
        except (OSError, ValueError):
            self._lose(number, f"#INCLUDE {name}", "the file cannot be read")
            return
        for _, line in self._lines(text, depth + 1):
            yield number, line

    def _define(self, remark: str) -> None:
        if remark.startswith("define "):
            self._notes.defines.append(remark)

    # ------------------------------------------------------------------ elements
    def _element(self, lines: list[tuple[int, str]]) -> None:
        """Take what stands between two blank lines: commands, and tables or prose."""
        left = [(number, line) for number, line in lines if not self._command(number, line)]
        while left:
            left = self._first_table(left)

    def _first_table(self, left: list[tuple[int, str]]) -> list[tuple[int, str]]:
        """Take a table or prose, and give the lines from the next sequence on."""
        number, first = left[0][0], left[0][1].strip()
        table = BmlTable(number, (), self._vulnerable, self._seats)
        sequence = _SEQUENCE.match(first)
        if sequence is not None:
            history = _bids_of(sequence["steps"])
            if history is None:
                self._lose(number, first, "its calls were not read")
            table.history = history or ()
            left = left[1:]
            if history is None:
                return left[next(_sequences(left), len(left)) :]
        elif not _begins_with_a_call([line.strip() for _, line in left]):
            readable = (at for at in _sequences(left) if _is_readable(left[at][1].strip()))
            end = next(readable, len(left))
            table.remarks = [line.strip() for _, line in left[:end]]
            left = left[end:]
        if not table.remarks:
            left = self._rows(left, table)
        if table.rows or table.remarks:
            self._notes.tables.append(table)
        return left

    def _command(self, number: int, line: str) -> bool:
        found = _METADATA.fullmatch(line)
        if found is not None:
            self._notes.metadata.setdefault(found["name"], found["rest"].strip())
            return True
        found = _COMMAND.fullmatch(line)
        if found is None:
            return False
        name, rest = found["name"], found["rest"].strip()
        if name == "VUL" and _VULNERABILITY.fullmatch(rest):
            self._vulnerable = rest
        elif name == "SEAT" and rest in _SEATS:
            self._seats = _SEATS[rest]
        elif name != "HIDE":
            self._lose(number, line.strip(), "the command is not known")
        return True

    def _rows(self, lines: list[tuple[int, str]], table: BmlTable) -> list[tuple[int, str]]:
        """Take rows up to a sequence, and give the lines from it on."""
        last: BmlRow | None = None
        open_rows: list[BmlRow] = []
        for at, (number, line) in enumerate(lines):
            indent = len(line) - len(line.lstrip())
            text = line.strip()
            if _SEQUENCE.match(text) and (last is None or indent != last.column):
                return lines[at:]
            found = _ROW.match(text)
            goes_on = last is not None and (indent == last.column or found is None)
            if goes_on and last is not None and indent > last.indent:
                last.said.append(text)
                continue
            if found is None:
                if table.rows or table.history:
                    self._lose(number, text, "it begins with no bid")
                else:
                    table.remarks.append(text)
                continue
            said = text[found.end() :]
            # nothing goes on where nothing began
            column = indent + found.end() if said else -1
            last = BmlRow(number, BmlCall.of(found), [said], indent, column)
            while open_rows and open_rows[-1].indent >= indent:
                open_rows.pop()
            (open_rows[-1].below if open_rows else table.rows).append(last)
            open_rows.append(last)
        return []


def _sequences(lines: list[tuple[int, str]]) -> Iterator[int]:
    """Places of the lines that begin as a sequence does."""
    return (at for at, (_, line) in enumerate(lines) if _SEQUENCE.match(line.strip()) is not None)


def _is_readable(text: str) -> bool:
    found = _SEQUENCE.match(text)
    return found is not None and _bids_of(found["steps"]) is not None


def _begins_with_a_call(lines: list[str]) -> bool:
    """Whether lines are rows, not prose."""
    if lines[0][:1].isdigit() or lines[0].startswith("("):
        return True
    found = _ROW.match(lines[0])
    if found is None:
        return False
    # "P is a pass" is prose, too: a call in letters stands apart from its meaning, or above bids
    gap = len(found[0]) - len(found[0].rstrip())
    rows = map(_ROW.match, lines[1:])
    return gap > 1 or any(row is not None and row["level"] is not None for row in rows)


def _bids_of(text: str) -> tuple[BmlCall, ...] | None:
    """Read the calls of a sequence such as ``1N-(P)-2C``; None where one is none."""
    found = []
    place = 0
    while place < len(text):
        step = _STEP.match(text, place)
        if step is None:
            return None
        found.append(BmlCall.of(step))
        place = step.end()
    return tuple(found)
