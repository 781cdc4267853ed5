"""Lays a system's text out: two blanks a step, ``=`` in a column, one blank behind commas.

Works on the words alone, so that bodies of conventions keep their parameters, comments stay where
they are, and what a text says does not change.
"""

import re
from dataclasses import dataclass
from typing import Final

from bidcascade.systems.language.errors import Complaint, complaint_at, invalid_system
from bidcascade.systems.language.grammar.call_builder import tidy, without_signs
from bidcascade.systems.language.reading.layout import RawItem, logical_lines, tree_of
from bidcascade.systems.language.tree.syntax_tree import Where
from bidcascade.systems.language.words.wording import call_text, condition_text

__all__ = ["call_text", "condition_text", "format_system_text"]

STEP: Final = 2
WIDEST_CALL: Final = 3
"""Bids stand in a column; longer calls do not push the ``=`` of their neighbours to the right."""

_QUOTED: Final = re.compile(r'"[^"]*"|\{[^{}]*\}')
_CALL: Final = re.compile(r'(?P<call>[^"=:{]*?[^"=:{\s])\s*=(?!=)')
_NAME: Final = re.compile(
    r"(?P<before>(?:either |or |system )?)(?P<name>(?!RHO|LHO)[A-Z][\w'’][^:;={}\0]*)(?=:|;|$)"
)
_PLACE: Final = "\0"
"""Stands for a quote or an expression while the words around it are put in order."""


@dataclass(frozen=True, slots=True)
class _Laid:
    """A physical line to be: its depth, its words, its remark; ``equals`` is padded later."""

    depth: int
    text: str
    remark: str = ""
    call: str | None = None
    goes_on: bool = False


def format_system_text(text: str) -> str:
    """Lay out a system's text.

    Raises
    ------
    InvalidSystem
        If its indentation cannot be read: tabs, or a step back to where no line stands.
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    complaints: list[Complaint] = []

    def complain(where: Where, message: str, advice: str) -> None:
        complaints.append(complaint_at(where, message, lines, advice))

    logical = logical_lines(lines, "<text>", complain)
    tree = tree_of(logical, complain)
    if complaints:
        raise invalid_system(complaints)
    depths: dict[int, int] = {}
    widths: dict[int, int] = {}
    _measure(tree, 0, lines, depths, widths)
    goes_on = {piece.line: line.pieces[0].line for line in logical for piece in line.pieces[1:]}
    return _written(lines, depths, widths, goes_on)


def _measure(
    items: list[RawItem],
    depth: int,
    lines: list[str],
    depths: dict[int, int],
    widths: dict[int, int],
) -> None:
    """Depth of each line by its number, and how wide the calls of its body are."""
    numbers = [item.line.pieces[0].line for item in items]
    calls = {number: _call_of(lines[number - 1]) for number in numbers}
    fitting = [len(call) for call in calls.values() if call and len(call) <= WIDEST_CALL]
    width = max(fitting, default=0)
    for item, number in zip(items, numbers, strict=True):
        depths[number] = depth
        widths[number] = width
        _measure(item.below, depth + 1, lines, depths, widths)


def _call_of(line: str) -> str:
    match = _CALL.match(_split(line)[0])
    if match is None or match["call"].startswith("define"):
        return ""
    return _tidy(match["call"])


def _split(line: str) -> tuple[str, str]:
    """Words and remark of a physical line."""
    stripped = line.strip()
    position = 0
    while position < len(stripped):
        quoted = _QUOTED.match(stripped, position)
        if quoted is not None:
            position = quoted.end()
        elif stripped.startswith("--", position):
            return stripped[:position].rstrip(), stripped[position:]
        else:
            position += 1
    return stripped, ""


def _tidy(words: str) -> str:
    """Put blanks where they belong; quotes and expressions stay as they are."""
    quoted: list[str] = []

    def hide(match: re.Match[str]) -> str:
        quoted.append(match[0])
        return _PLACE

    words = _lettered(tidy(_QUOTED.sub(hide, words.replace(_PLACE, " "))))
    for text in quoted:
        words = words.replace(_PLACE, text, 1)
    return words


def _lettered(words: str) -> str:
    """Letters and words in place of the signs of suits, but in names: players read those."""
    start = _NAME.match(words)
    if start is None:
        return without_signs(words)
    return without_signs(start["before"]) + start["name"] + without_signs(words[start.end() :])


def _remark(remark: str) -> str:
    """Put one blank behind the dashes of a comment; rules of dashes stay."""
    dashes = re.match(r"-+", remark)
    length = dashes.end() if dashes else 0
    words = remark[length:]
    if not words.strip():
        return remark.rstrip()
    if words[0].isspace():
        return f"{remark[:length]}{words.rstrip()}"
    return f"{remark[:length]} {words.rstrip()}"


def _written(
    lines: list[str], depths: dict[int, int], widths: dict[int, int], goes_on: dict[int, int]
) -> str:
    written: list[str] = []
    comments: list[str] = []  # wait for the line that they stand above, and its depth
    blank = False

    def put(line: str) -> None:
        nonlocal blank
        if blank and written:
            written.append("")
        blank = False
        written.append(line)

    def put_comments(depth: int) -> None:
        nonlocal blank
        for comment in comments:
            if comment:
                put(" " * (STEP * depth) + comment)
            else:
                blank = True
        comments.clear()

    for number, line in enumerate(lines, 1):
        words, remark = _split(line)
        if not words:
            comments.append(_remark(remark))
            continue
        first = goes_on.get(number, number)
        depth = depths[first]
        if number != first:
            put(" " * (STEP * depth + 2 * STEP) + _joined(_tidy(words), remark))
            continue
        put_comments(depth)
        put(" " * (STEP * depth) + _joined(_statement(words, widths[number]), remark))
    last = depths[max(depths)] if depths else 0
    while comments and not comments[-1]:
        comments.pop()
    put_comments(last if _ends_indented(lines) else 0)
    return "\n".join(written) + "\n" if written else ""


def _ends_indented(lines: list[str]) -> bool:
    """Whether the last comment of a file is indented, as one that belongs to a block."""
    last = next((line for line in reversed(lines) if line.strip()), "")
    return last[:1].isspace()


def _statement(words: str, width: int) -> str:
    match = _CALL.match(words)
    if match is None:
        return _tidy(words)
    call, meaning = _tidy(match["call"]), _tidy(words[match.end() :])
    if call.startswith("define"):
        return f"{call} = {meaning}".rstrip()
    return f"{call:<{width}} = {meaning}".rstrip()


def _joined(words: str, remark: str) -> str:
    return f"{words}  {_remark(remark)}" if remark else words
