"""Reads tables of BBOalert, as :func:`.alerts.write_bboalert` and players write them.

A record is ``context,call,explanation``; ``+`` stands for the context of the record above, ``--``,
``Db`` and ``Rd`` for pass, double and redouble. What a sentence says becomes conditions as for
Full Disclosure (:mod:`.bss_reader`). Options, shortcuts, wildcards and scripts of BBOalert are
listed as unread. The form is defined at https://github.com/stanmaz/BBOalert.
"""

import re
from typing import Final

from bidcascade.bridge import InvalidInput

from .bml_reader import SystemOfNotes
from .bss_reader import system_of_card
from .full_disclosure import LONGEST, Card, DisclosedCall, Unknown

_HEADER: Final = re.compile(r"BBOalert\s*(?:[,;\t](?P<title>.*))?", re.IGNORECASE)
_CALLS: Final = re.compile(
    r"\s*(?:([1-7][CDHSN])T?|(--)|(Db|X)|(Rd|R)(?=--|Db|[1-7]|\s|\Z))", re.IGNORECASE
)
_ALTERNATIVE: Final = re.compile(r"; or (?=\d|at most |balanced)")
_MOST: Final = 50_000


def is_bboalert(text: str) -> bool:
    """Whether a text begins as such a table does.

    Examples
    --------
    >>> is_bboalert("BBOalert,Ours"), is_bboalert("1N 15--17 bal")
    (True, False)
    """
    return _HEADER.fullmatch(_first_line(text)) is not None


def read_bboalert(text: str, source: str = "<table>") -> SystemOfNotes:
    r"""Read a table of BBOalert as a system.

    Parameters
    ----------
    text
    source
        Name for messages.

    Raises
    ------
    InvalidInput
        If it does not begin as such a table, or has too many lines.

    Examples
    --------
    >>> major = ",1H,Major: 11-15 points; 5+ !H; forcing"
    >>> found = read_bboalert(f"BBOalert,Ours\n{major}\n1H--,2H,Raise\n")
    >>> print(found.text.rstrip())
    system Ours
    <BLANKLINE>
    opening:
      1H = Major: 11-15 points, 5+ hearts; forcing
        -- 2H Raise
    >>> found.rows, found.understood
    (2, 1)
    """
    head = _HEADER.fullmatch(_first_line(text))
    if head is None:
        raise InvalidInput(
            f"{source}:1: expected a table's header as 'BBOalert,Title', "
            f"got {_first_line(text)[:60]!r}"
        )
    lines = text.removeprefix("\ufeff").splitlines()
    if len(lines) > _MOST:
        raise InvalidInput(f"{source}: expected at most {_MOST:,} lines, got {len(lines):,}")
    records: list[DisclosedCall] = []
    unknown: list[Unknown] = []
    context: tuple[str, ...] = ()
    for number, line in enumerate(lines[1:], 2):
        fields = line.split(",", 2)
        if not line.strip() or line.lstrip().startswith("//"):
            continue
        if len(fields) < 3:
            unknown.append(Unknown(number, line.strip(), "it is no record"))
            continue
        before, call, said = (field.strip() for field in fields)
        above = context if before == "+" else _calls_of(before)
        last = _calls_of(call)
        if above is None or last is None or len(last) != 1:
            wrong = call if above is not None else before
            unknown.append(Unknown(number, line.strip(), f'"{wrong[:20]}" is no call'))
            continue
        context = above
        calls = (*above, *last)
        while calls[0] == "P" and len(calls) > 1:
            calls = calls[1:]
        records.append(
            DisclosedCall(
                calls,
                _sentence(said, calls[-1]),
                lengths=(0, LONGEST) if calls[-1][-1] in "CDHS" and len(calls[-1]) == 2 else None,
                theirs=len(calls) % 2 == 0,
                line=number,
            )
        )
    title = (head["title"] or "").strip()
    return system_of_card(Card(title, records=tuple(records), unknown=tuple(unknown)))


def _first_line(text: str) -> str:
    return text.removeprefix("\ufeff").partition("\n")[0].rstrip("\r")


def _calls_of(text: str) -> tuple[str, ...] | None:
    """Give the calls of a context as Full Disclosure writes them; None where one is none."""
    calls: list[str] = []
    place = 0
    while place < len(text):
        found = _CALLS.match(text, place)
        if found is None:
            return None
        bid, passed, doubled, _ = found.groups()
        calls.append(bid.upper() if bid else "P" if passed else "D" if doubled else "R")
        place = found.end()
    return tuple(calls)


def _sentence(said: str, call: str) -> str:
    """Put the commas back, which divide the fields there."""
    # what is behind a number sign goes to the chat
    text = " ".join(said.replace("#", " ").split())
    # a call without a name is named by itself
    name, semicolon, rest = text.partition("; ")
    if semicolon and name.replace("NT", "N") == call:
        return f"{name}; {rest.replace('; ', ', ')}"
    return "; or ".join(part.replace("; ", ", ") for part in _ALTERNATIVE.split(text))
