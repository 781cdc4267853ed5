"""RBN text cut into records: labels with those that last, notes and texts in braces.

Richard's Bridge Notation 3.2 and before, by R. Pavlicek, "Richard's Bridge Notation",
rpbridge.net/7a12.htm: lines that begin with a letter, records that end with a blank line. RBX has
the same labels with a record a line, each value in braces.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from bidcascade.loaders.frames.frame import reader_remark
from bidcascade.loaders.limits import LONGEST_RECORD, LONGEST_VALUE, MOST_TOKENS

from .pbn_tokens import normalise

_LASTING: Final = "DTLESFKNBH"
"""Labels that hold until they are given again."""
_OWN: Final = "ACPRIM"
_PLAYED: Final = frozenset("ACPR")
_HANDS_OR_PLAYED: Final = _PLAYED | {"H"}

_LINE = re.compile(r"([A-Z0-9])(?:[ \t]+(.*)|[ \t]*)\Z")
SURE_LABEL = re.compile(
    r"H[ \t]+[NESW?][:;]|A[ \t]+[NESW][ZNEB?](?:[:;]|[ \t]*\Z)|B[ \t]+\d+[ \t]*\Z"
)
"""A line that no sentence looks like: a text in braces does not go on beyond it."""

_REPEATED = re.compile(r"[A-Z]#[ \t]*\Z")
"""Version 2.1 and before: the value of the record before."""
_RBX_LINE = re.compile(r"[A-Z0-9%]\{")
_RBX_VALUE = re.compile(r"([A-Z0-9%]?)\{([^}]*)\}")


class Heading(NamedTuple):
    """What a record takes from those before it."""

    labels: dict[str, str]
    comments: tuple[str, ...]
    """Texts in front of it."""


class Record(NamedTuple):
    """The labels of a board, with those that hold from before, or text that is none."""

    number: int
    """From 1."""
    labels: dict[str, str]
    notes: dict[str, str]
    """Notes about calls, by digit."""
    comments: list[str]
    foreign: str = ""
    """Lines without a label; nothing else is there then."""
    refusal: str = ""
    """Why it is not read: it is beyond a limit."""


def split_records(
    text: str, before: Heading | None = None, *, goes_on: bool = False
) -> Iterator[Record]:
    """Cut RBN or RBX text into boards and runs of foreign lines.

    A label that a record has already starts the next, and so does one of those that last behind
    one that is played: a blank line may be missing. Text in braces without a board goes with the
    next board, at the end with the last.

    Parameters
    ----------
    text : str
        Decoded text, any line ends.
    before : Heading, optional
        What is inherited from a text before this one, as :func:`find_last_record` gives it.
    goes_on : bool
        Another text follows.
    """
    state = _Splitter(before)
    held: Record | None = None
    for record in state.walk(normalise(text.removeprefix("\ufeff"))):
        if held is not None:
            yield held
        held = record
    if state.comments and not goes_on:
        if held is None or held.foreign:
            held, last = Record(state.number + 1, {}, {}, [], "\n".join(state.comments)), held
            if last is not None:
                yield last
        else:
            held.comments.extend(state.comments)
    if held is not None:
        yield held


def find_last_record(text: str, before: Heading | None = None) -> tuple[int, Heading]:
    """Where the last record that is known to end in a text ends, and what the next inherits.

    Returns
    -------
    start : int
        Position behind that record; 0 if none is known to end.
    heading : Heading
    """
    last_line = text.rfind("\n", 0, -1) + 1
    if text.endswith("\n") and _RBX_LINE.match(text, last_line):
        state = _Splitter(before)
        for _ in state.walk(text):
            pass
        # else it belongs to a text in braces
        if state.rbx_line == text.count("\n") - 1:
            return len(text), Heading(state.lasting, tuple(state.comments))
    start = text.rfind("\n\n") + 2
    if start < 2:
        return 0, before or Heading({}, ())
    state = _Splitter(before)
    for _ in state.walk(text[:start]):
        pass
    return start, Heading(state.lasting, tuple(state.comments))


def _end_of_text(lines: list[str], place: int) -> int:
    """Place behind the text in braces that begins in the line before ``place``."""
    # if it is not closed it ends before a blank line or a label
    while not lines[place - 1].rstrip().endswith("}"):
        if place == len(lines) or not lines[place].strip() or SURE_LABEL.match(lines[place]):
            break
        place += 1
    return place


class _Splitter:
    """State of one pass over a text."""

    def __init__(self, before: Heading | None) -> None:
        self.lasting = {} if before is None else before.labels.copy()
        self.comments = [] if before is None else list(before.comments)
        self.number = 0
        self.rbx_line = -1
        """Place of the last line that was a record of RBX."""
        self.clear()

    def clear(self) -> None:
        self.labels: dict[str, str] = {}
        self.notes: dict[str, str] = {}
        self.foreign: list[str] = []
        self.last = ""
        self.lines = self.length = 0

    def walk(self, text: str) -> Iterator[Record]:
        """Yield the records of a text; headings that no board follows stay in the state."""
        lines = text.split("\n")
        place = 0
        while place <= len(lines):
            line = lines[place] if place < len(lines) else ""
            place += 1
            self.lines += 1
            self.length += len(line) + 1
            if line.startswith("{"):
                end = _end_of_text(lines, place)
                self.add_comment("\n".join(lines[place - 1 : end]))
                if not lines[end - 1].rstrip().endswith("}"):
                    self.comments.append(reader_remark("'}' at the end of a text", line.rstrip()))
                self.lines += end - place
                self.length += sum(map(len, lines[place:end]))
                place = end
                continue
            if not line.strip():
                yield from self.end()
            elif _RBX_LINE.match(line):
                self.rbx_line = place - 1
                yield from self.add_rbx(line)
            elif line[0] != "%" and not _REPEATED.match(line):
                yield from self.add_line(line)

    def refusal(self) -> str:
        """Why what was gathered is beyond a limit; empty where it is not."""
        if self.length > LONGEST_RECORD:
            return f"expected a record of at most {LONGEST_RECORD:,} characters, got more"
        if self.lines > MOST_TOKENS:
            return f"expected at most {MOST_TOKENS:,} lines in a record, got more"
        for label, value in self.labels.items():
            if len(value) > LONGEST_VALUE and label not in "AP":
                return (
                    f"expected a value of at most {LONGEST_VALUE:,} characters behind {label}, "
                    f"got {len(value):,}"
                )
        return ""

    def add_comment(self, text: str) -> None:
        if len(self.comments) >= MOST_TOKENS:
            return
        if text := text.strip().removeprefix("{").removesuffix("}").strip():
            self.comments.append(text)

    def add_line(self, line: str) -> Iterator[Record]:
        match = _LINE.match(line)
        if match is not None and (match[1].isdigit() or match[1] in _LASTING + _OWN):
            yield from self.add(match[1], (match[2] or "").strip())
        elif self.last != "I":
            # an item list may go on over lines
            self.foreign.append(line)

    def add_rbx(self, line: str) -> Iterator[Record]:
        """Take a line of RBX, which is a record."""
        yield from self.end()
        place = 0
        while place < len(line):
            match = _RBX_VALUE.match(line, place)
            if match is None:
                self.foreign.append(line[place:])
                break
            place = match.end()
            label, value = match.groups()
            if not label:
                self.add_comment(value)
            elif label.isdigit() or label in _LASTING + _OWN:
                yield from self.add(label, value.strip())
            elif label != "%":
                self.foreign.append(match[0])
        yield from self.end()

    def add(self, label: str, value: str) -> Iterator[Record]:
        if label.isdigit():
            # behind the play notes speak of cards
            if "P" not in self.labels:
                self.notes.setdefault(label, value)
            return
        if label in self.labels or (label in _LASTING and not _PLAYED.isdisjoint(self.labels)):
            yield from self.end()
        self.labels[label] = value
        self.last = label

    def end(self) -> Iterator[Record]:
        """End a record, and what foreign lines are in it."""
        labels, notes, foreign = self.labels, self.notes, self.foreign
        refusal = self.refusal()
        self.clear()
        if labels:
            if "H" not in labels and labels.get("B") not in (None, self.lasting.get("B")):
                # not the hands of the board before
                self.lasting.pop("H", None)
            lasting = {label: value for label, value in labels.items() if label in _LASTING}
            self.lasting = self.lasting | lasting
        if not _HANDS_OR_PLAYED.isdisjoint(labels):
            self.number += 1
            comments, self.comments = self.comments, []
            yield Record(self.number, self.lasting | labels, notes, comments, "", refusal)
        if foreign:
            self.number += 1
            yield Record(self.number, {}, {}, [], "\n".join(foreign))
