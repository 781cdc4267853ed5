"""Complaints about a system's text: where, what, the line with a caret under the place, advice."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from bidcascade.bridge import InvalidSystem

from .tree.syntax_tree import Where

MOST_SHOWN: Final = 50
"""Complaints that a message shows; the others are counted."""

_WIDEST: Final = 100


@dataclass(frozen=True, slots=True, order=True)
class Complaint:
    """One thing that is wrong in a system's text, in the words of a bridge player.

    Parameters
    ----------
    where
        File, line and column, from 1.
    message
        What was expected and what was read.
    line_text
        The line as it stands in the file.
    caret
        Blanks and a ``^``, to be written under ``line_text``.
    advice
        What to write instead, if that can be said; may be empty.
    """

    where: Where
    message: str
    line_text: str = ""
    caret: str = ""
    advice: str = ""

    def __str__(self) -> str:
        advice = f" ({self.advice})" if self.advice else ""
        shown = f"\n  {self.line_text}\n  {self.caret}" if self.line_text.strip() else ""
        where = str(self.where) if self.where.line else self.where.file
        return (
            f"{where}: {self.message}{advice}{shown}" if where else f"{self.message}{advice}{shown}"
        )


def complaint_at(where: Where, message: str, lines: Sequence[str], advice: str = "") -> Complaint:
    """Make a complaint, with its line and caret from the lines of the file."""
    line = lines[where.line - 1] if 0 < where.line <= len(lines) else ""
    column = max(where.column - 1, 0)
    if len(line) > _WIDEST:
        start = max(0, min(column - _WIDEST // 2, len(line) - _WIDEST))
        line, column = line[start : start + _WIDEST], column - start
    # a terminal would do as control characters say
    line = "".join(sign if sign.isprintable() else "?" for sign in line.replace("\t", " ")).rstrip()
    return Complaint(where, message, line, " " * min(column, _WIDEST) + "^", advice)


def invalid_at(where: Where, message: str) -> InvalidSystem:
    """Make an error of one thing that is wrong at a place, whose text is not at hand any more.

    Examples
    --------
    >>> error = invalid_at(Where("own.bidding", 2, 5), "own.bidding:2: in {1}: expected more")
    >>> error.complaints[0].where.line, error.complaints[0].message
    (2, 'in {1}: expected more')
    """
    text = message.removeprefix(f"{where}: ").partition("\n")[0]
    return InvalidSystem(message, (Complaint(where, text),) if where.line else ())


def nearest(word: str, known: Iterable[str]) -> str:
    """Find the known word that a misspelt one is likely to be; empty if none is near.

    Examples
    --------
    >>> nearest("ballanced", ["balanced", "unbalanced", "points"])
    'balanced'
    """
    # who makes no mistake needs none of it
    from difflib import get_close_matches

    found = get_close_matches(word, sorted(set(known)), n=1, cutoff=0.7)
    return found[0] if found else ""


def invalid_system(complaints: Iterable[Complaint]) -> InvalidSystem:
    """One error that carries all complaints, in the order of the files."""
    found = tuple(dict.fromkeys(complaints))
    shown = [str(complaint) for complaint in found[:MOST_SHOWN]]
    if len(found) > MOST_SHOWN:
        shown.append(f"and {len(found) - MOST_SHOWN} more")
    return InvalidSystem("\n".join(shown), found)
