"""The tables of notes in BML: files included, blocks pasted, rows by their indentation."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from bidcascade.bridge import InvalidInput
from bidcascade.systems.limits import LONGEST_NOTE_LINE, MOST_NOTE_LINES, too_long

_DEEPEST: Final = 20
"""Files that include one another."""

_CALL: Final = (
    r"(?:(?P<level>[1-7])(?P<strain>NT?|[CDHS]{1,4}|oM|om|[MmXYZ]|red|black)"
    r"|(?P<steps>[1-9]\d?)steps?|(?P<call>P(?:ass)?|D(?:bl)?|R(?:dbl)?|XX?))"
)
_DOUBLES: Final = {"X": "D", "XX": "R"}
_RANK: Final = {"C": 0, "D": 1, "H": 2, "S": 3, "N": 4}
_ROW: Final = re.compile(rf"(?P<theirs>\()?{_CALL}(?(theirs)\))(?:[\s=]+|$)")
_STEP: Final = re.compile(rf"(?P<theirs>\()?{_CALL}(?(theirs)\))(?:[-;]+|$)")
_SEQUENCE: Final = re.compile(r"(?P<steps>[(1-7PDR][\w()-]*?)[-;]+(?=\s|$)")
_JOINT: Final = r"[-;.>\u2010-\u2015\u2192]+"
_BETWEEN: Final = rf"(?:[ \t]*{_JOINT}[ \t]*|[ \t]+)"
_BID: Final = r"\(?[1-7](?:NT?|SA|[CDHSMXYZ]|OM)\)?"
_PASSED: Final = r"\(?(?:P(?:ASS)?|D(?:BL)?|R(?:DBL)?|XX?)\)?"
_LOOSE: Final = re.compile(
    rf"(?:(?:after|over|behind|auction|sequence)\b:?[ \t]*)?"
    rf"(?P<calls>(?:{_PASSED}{_BETWEEN})*{_BID}(?:{_BETWEEN}(?:{_BID}|{_PASSED}))+)[-;:.>\s\u2010-\u2015\u2192]*",
    re.IGNORECASE,
)
"""A line that has a sequence alone, as people write it: ``After 1N - 2C:``."""
_AMONG_WORDS: Final = re.compile(
    rf"(?<![\w(+-])(?P<calls>{_BID}(?:[ \t]*{_JOINT}[ \t]*(?:{_BID}|{_PASSED}))+)(?![\w+-])",
    re.IGNORECASE,
)
_MOST_WORDS: Final = 8
"""Words beside a sequence that a line of prose above rows may have."""
_APART: Final = re.compile(_BETWEEN)
_SIGN: Final = re.compile(
    r"(?<=[1-7])(?:!([cdhsn])(?![a-z])|([\u2660\u2665\u2666\u2663]))", re.IGNORECASE
)
_SUIT_OF_SIGN: Final = {"\u2660": "S", "\u2665": "H", "\u2666": "D", "\u2663": "C"}
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
            _DOUBLES.get(found["call"] or "", (found["call"] or "")[:1]),
        )


class _Header(NamedTuple):
    """A sequence, where its line begins, and its calls; None where they were not read."""

    indent: int
    calls: tuple[BmlCall, ...] | None

    def goes_on_with(self, line: str) -> bool:
        """Whether a line is a row that may stand below it."""
        found = _ROW.match(line.strip())
        if found is None:
            return False
        bids = [one for one in self.calls or () if one.level]
        return not bids or not found["level"] or _is_above(BmlCall.of(found), bids[-1])


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
        self._open: _Header | None = None
        """A sequence with nothing below it yet but blank lines and prose."""

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
        around: list[_Header] = []
        while left:
            left = self._first_table(left, around)

    def _first_table(
        self, left: list[tuple[int, str]], around: list[_Header]
    ) -> list[tuple[int, str]]:
        """Take a table or prose, and give the lines from the next sequence on.

        ``around`` are the sequences of the lines before, of which the last one may go on.
        """
        number, first = left[0]
        table = BmlTable(number, (), self._vulnerable, self._seats)
        header = _header_of(left, 0)
        while around and around[-1].indent > _indent(first):
            around.pop()
        if header is not None:
            if header.calls is None:
                self._lose(number, first.strip(), "its calls were not read")
            left = left[1:]
            self._open = None if left else header
        elif around:
            header = around[-1]
        elif not _begins_with_a_call([line.strip() for _, line in left]):
            readable = (at for at in _sequences(left) if _is_readable(left, at))
            end = next(readable, len(left))
            table.remarks = [line.strip() for _, line in left[:end]]
            if table.remarks[-1].startswith("*"):
                self._open = _heading_of(table.remarks[-1])
            left = left[end:]
        elif self._open is not None:
            header = self._open if self._open.goes_on_with(first) else None
            self._open = None
        if table.remarks:
            self._notes.tables.append(table)
            return left
        if header is not None:
            if header not in around:
                around.append(header)
            if header.calls is None:
                return left[_end_of_rows(left, header) :]
            table.history = header.calls
        left = self._rows(left, table, 0 if header is None else header.indent)
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

    def _rows(
        self, lines: list[tuple[int, str]], table: BmlTable, margin: int
    ) -> list[tuple[int, str]]:
        """Take rows up to a sequence or out of a margin, and give the lines from there on."""
        last: BmlRow | None = None
        open_rows: list[BmlRow] = []
        for at, (number, line) in enumerate(lines):
            indent = len(line) - len(line.lstrip())
            text = line.strip()
            found = _ROW.match(text)
            if found is not None and indent < margin:
                return lines[at:]
            is_apart = last is None or indent <= last.indent
            if _SEQUENCE.match(text) and (last is None or indent != last.column):
                return lines[at:]
            if is_apart and _header_of(lines, at) is not None:
                return lines[at:]
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


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _end_of_rows(lines: list[tuple[int, str]], header: _Header) -> int:
    """Where what stands below a sequence ends."""
    for at, (_, line) in enumerate(lines):
        if _indent(line) < header.indent or _header_of(lines, at) is not None:
            return at
    return len(lines)


def _sequences(lines: list[tuple[int, str]]) -> Iterator[int]:
    """Places of the lines that begin as a sequence does."""
    return (at for at in range(len(lines)) if _header_of(lines, at) is not None)


def _is_readable(lines: list[tuple[int, str]], at: int) -> bool:
    header = _header_of(lines, at)
    return header is not None and header.calls is not None


def _header_of(lines: list[tuple[int, str]], at: int) -> _Header | None:
    """Read the sequence that a line is, None where it is something else."""
    indent, text = _indent(lines[at][1]), _without_signs(lines[at][1].strip())
    if (found := _LOOSE.fullmatch(text)) is not None and (calls := _loose_calls(found["calls"])):
        return _Header(indent, calls)
    if (found := _SEQUENCE.match(text)) is not None:
        return _Header(indent, _bids_of(found["steps"]))
    # what a line says of one sequence counts where a row that may follow stands below it
    if at + 1 < len(lines) and (told := _sequence_among_words(text)) is not None:
        header = _Header(indent, told)
        below = lines[at + 1][1]
        if _indent(below) >= indent and header.goes_on_with(below):
            return header
    return None


def _heading_of(text: str) -> _Header | None:
    """Read the sequence that a heading names, None where it names none or several."""
    calls = _sequence_among_words(_without_signs(text.lstrip("* \t")))
    return None if calls is None else _Header(0, calls)


def _sequence_among_words(text: str) -> tuple[BmlCall, ...] | None:
    if len(text.split()) > _MOST_WORDS or _ROW.match(text):
        return None
    found = [*_AMONG_WORDS.finditer(text)]
    return _loose_calls(found[0]["calls"]) if len(found) == 1 else None


def _without_signs(text: str) -> str:
    return _SIGN.sub(lambda one: (one[1] or _SUIT_OF_SIGN[one[2]]).upper(), text)


def _loose_calls(text: str) -> tuple[BmlCall, ...] | None:
    """Read calls in any case, with anything between them; None where they are no sequence."""
    found: list[BmlCall] = []
    for word in _APART.split(text.strip()):
        bare = word.strip("()")
        if bare[:1].isdigit():
            strain = bare[1:] if bare[1:] in ("m", "om", "oM") else bare[1:].upper()
            bare = bare[0] + strain.replace("SA", "N").replace("OM", "oM")
        else:
            bare = "XX" if bare.upper() == "XX" else bare[:1].upper()
        step = _STEP.fullmatch(f"({bare})" if word.startswith("(") else bare)
        if step is None:
            return None
        call = BmlCall.of(step)
        bids = [one for one in found if one.level]
        if call.level and bids and not _is_above(call, bids[-1]):
            return None
        found.append(call)
    return tuple(found)


def _is_above(bid: BmlCall, before: BmlCall) -> bool:
    """Whether a bid is enough over another one, as far as their suits are known."""
    ranks = [_RANK.get(one.strain, -1) for one in (bid, before)]
    return bid.level > before.level or (
        bid.level == before.level and (ranks[0] > ranks[1] or -1 in ranks)
    )


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
