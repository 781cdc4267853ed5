"""Lines of a file: joined where one goes on below, without comments, with their indentation.

A line that ends with a comma, ``or`` or ``and`` goes on in the next one, if that is indented more.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from bidcascade.systems.language.tree.syntax_tree import Where

DEEPEST: Final = 60
"""Steps of indentation a file may have; no auction is that long."""

LONGEST_LINE: Final = 10_000
"""Characters a line may have."""

_CODE: Final = re.compile(r'(?:[^"\-]|"[^"]*"|-(?!-)|"(?=[^"]*$))*')
_UNSEEN: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b\u2028\u2029\u2060\ufeff]")
_TURNING: Final = re.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Signs that turn the direction of what follows: it would be read as something else (UAX 9)."""
_FOREIGN_DIGIT: Final = re.compile(r"[^\D0-9]")
_QUOTED: Final = re.compile(r'"[^"]*"')
_GOES_ON: Final = re.compile(r"(?:,|\b(?:or|and))\s*$")
_PARTS: Final = re.compile(r'"[^"]*"|--.*|#[\w-]+|[^\W_]\w*')


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Text from ``start`` on stands at ``line`` and ``column``; ``fixed``: all of it does."""

    start: int
    line: int
    column: int
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class LogicalLine:
    """A statement's text, and where each piece of it stands in the file."""

    text: str
    indent: int
    file: str
    pieces: tuple[TextPiece, ...]

    def where(self, position: int = 0) -> Where:
        """Place in the file of a position in the text."""
        if len(self.pieces) == 1:
            piece = self.pieces[0]
        else:
            piece = self.pieces[bisect_right(self.pieces, position, key=lambda p: p.start) - 1]
        column = piece.column if piece.fixed else piece.column + position - piece.start
        return Where(self.file, piece.line, column)

    def places(self) -> Callable[[int], Where]:
        """Give what :meth:`where` tells, made to be asked often."""
        if len(self.pieces) > 1 or self.pieces[0].fixed:
            return self.where
        file, line, before = self.file, self.pieces[0].line, self.pieces[0].column
        before -= self.pieces[0].start
        return lambda position: Where(file, line, before + position)

    def with_words(self, words: Mapping[str, str]) -> "LogicalLine":
        """Replace words, outside quotes, tags and remarks."""
        text: list[str] = []
        pieces: list[TextPiece] = []
        length = done = 0

        def copy(start: int, end: int) -> None:
            nonlocal length
            if start == end:
                return
            where = self.where(start)
            pieces.append(TextPiece(length, where.line, where.column))
            pieces.extend(
                TextPiece(length + p.start - start, p.line, p.column, p.fixed)
                for p in self.pieces
                if start < p.start < end
            )
            text.append(self.text[start:end])
            length += end - start

        for start, word in words_of(self.text):
            value = words.get(word)
            if value is None:
                continue
            copy(done, start)
            where = self.where(start)
            pieces.append(TextPiece(length, where.line, where.column, fixed=True))
            text.append(value)
            length += len(value)
            done = start + len(word)
        copy(done, len(self.text))
        return LogicalLine("".join(text), self.indent, self.file, tuple(pieces) or self.pieces)


@dataclass(slots=True)
class RawItem:
    """A logical line with those that are indented under it."""

    line: LogicalLine
    below: "list[RawItem]" = field(default_factory=list)


Complain = Callable[[Where, str, str], None]


def words_of(text: str, *, tags: bool = False) -> Iterator[tuple[int, str]]:
    """Words of a line outside quotes and remarks, and where they begin; ``tags`` with them."""
    for match in _PARTS.finditer(text):
        if match[0][0].isalnum() or (tags and match[0][0] == "#"):
            yield match.start(), match[0]


def logical_lines(lines: list[str], file: str, complain: Complain) -> list[LogicalLine]:
    """Logical lines of a file."""
    found: list[LogicalLine] = []
    number = 0
    while number < len(lines):
        number += 1
        if _is_comment(lines[number - 1]):
            continue
        text = _readable(lines[number - 1], number, file, complain)
        stripped = text.strip()
        if not stripped:
            continue
        indent = _indent(text)
        pieces = [TextPiece(0, number, indent + 1)]
        code = code_of(stripped)
        while (
            _GOES_ON.search(code)
            and number < len(lines)
            and not _is_comment(lines[number])
            and _indent(lines[number]) > indent
        ):
            number += 1
            text = _readable(lines[number - 1], number, file, complain)
            code = code.rstrip() + " "
            pieces.append(TextPiece(len(code), number, _indent(text) + 1))
            stripped = code + text.strip()
            if len(stripped) > LONGEST_LINE:
                # each line that goes on is looked at together with all before it
                complain(
                    Where(file, number, 1),
                    f"a line has at most {LONGEST_LINE:,} characters, those it goes on in counted",
                    "use define or either/or lines",
                )
                stripped = ""
            code = code_of(stripped)
        if stripped:
            found.append(LogicalLine(stripped, indent, file, tuple(pieces)))
    return found


def in_remark(text: str) -> bool:
    """Whether the end of a line's beginning stands in a remark."""
    return len(code_of(text)) < len(text)


def _is_comment(text: str) -> bool:
    stripped = text.strip()
    return not stripped or stripped.startswith("--")


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def code_of(text: str) -> str:
    """Take the remark off a line; two dashes within quotes begin none."""
    if '"' not in text:
        return text.partition("--")[0]
    match = _CODE.match(text)
    return text if match is None else match[0]


def _readable(text: str, number: int, file: str, complain: Complain) -> str:
    """Complain of characters that a line may not have, and put blanks for them."""
    text = text.replace("\u00a0", " ")
    code = code_of(text)
    if "\t" in code:
        complain(
            Where(file, number, code.index("\t") + 1),
            "a tab stands here",
            "use blanks: how wide a tab is depends on who reads it",
        )
        text = text.expandtabs(4)
    # a remark that turns what is behind it is no remark to who reads it
    unseen = _UNSEEN.search(code) or _TURNING.search(text)
    if unseen is not None:
        complain(
            Where(file, number, unseen.start() + 1),
            f"a character that cannot be seen stands here ({unseen[0]!r})",
            "take it out",
        )
        text = _TURNING.sub(" ", _UNSEEN.sub(" ", text))
    foreign = _FOREIGN_DIGIT.search(_QUOTED.sub(lambda found: " " * len(found[0]), code))
    if foreign is not None:
        complain(
            Where(file, number, foreign.start() + 1),
            f"a digit of another script stands here ({foreign[0]!r})",
            "numbers are written with 0 to 9",
        )
        text = _FOREIGN_DIGIT.sub("0", text)
    if len(text) > LONGEST_LINE:
        complain(
            Where(file, number, 1),
            f"a line has at most {LONGEST_LINE:,} characters, this one has {len(text):,}",
            "end it with a comma and go on below",
        )
        return ""
    return text


def tree_of(lines: list[LogicalLine], complain: Complain) -> list[RawItem]:
    """Logical lines by their indentation."""
    top: list[RawItem] = []
    open_items: list[tuple[int, list[RawItem]]] = []  # indentation of a body, and the body
    for line in lines:
        item = RawItem(line)
        if not open_items:
            if line.indent:
                complain(line.where(), "the first line is indented", "begin it at the left edge")
            open_items.append((line.indent, top))
        elif line.indent > open_items[-1][0]:
            if len(open_items) > DEEPEST:
                complain(line.where(), f"lines are indented more than {DEEPEST} steps deep", "")
                continue
            body = open_items[-1][1][-1].below
            open_items.append((line.indent, body))
        else:
            left = open_items[-1]
            while len(open_items) > 1 and line.indent < open_items[-1][0]:
                left = open_items.pop()
            if line.indent < open_items[-1][0]:  # the first line was indented
                open_items[-1] = (line.indent, top)
            elif line.indent > open_items[-1][0]:
                steps = f"{open_items[-1][0]} or {left[0]}"
                complain(
                    line.where(),
                    f"this line is indented by {line.indent}, no line above it is",
                    f"indent it by {steps}, as the lines that it goes with",
                )
                open_items.append(left)
        open_items[-1][1].append(item)
    return top
