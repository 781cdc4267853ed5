"""A deal frame as RBN text, so that :func:`.rbn.read_rbn` gives the same frame back."""

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Final, TextIO

import polars as pl

from bidcascade.bridge import CALL_TEXTS, VULNERABILITIES, format_card, format_hand
from bidcascade.loaders.files.whole_files import write_texts
from bidcascade.loaders.frames.frame import HAND_COLUMNS, UNREADABLE
from bidcascade.loaders.frames.value_rules import checked_rows

from .rbn_records import SURE_LABEL

RBN_HEADER: Final = "% RBN\n"
"""First line of a file."""
_VULNERABLE: Final = dict(zip(VULNERABILITIES, "ZNEB", strict=True))
_LINES = re.compile(r"[\r\n]+")
_BREAKS = re.compile(r"[ \t]*[\r\n]+[ \t]*")
_MOST_NOTES: Final = 9


def write_rbn(frame: pl.DataFrame, file: str | Path | TextIO) -> None:
    """Write a deal frame to an RBN file, UTF-8.

    Reading the file gives the frame back, apart from ``source``, ``record`` and ``encoding``, where
    that of :func:`.pbn_writer.write_pbn` would. RBN cannot hold some more things: colons and plus
    signs in names become ``/`` and ``&``; a call with an announcement is alerted; an auction has
    at most nine different announcements, calls with any other keep the alert alone; remarks lose
    blank lines, and a brace that ends a line of one becomes a parenthesis. Behind ``-`` in an
    auction stands what is out of place.

    Parameters
    ----------
    frame : polars.DataFrame
        Deal frame; columns but the six required ones may be missing.
    file : path or text file
        A path is created or overwritten, whole or not at all.

    Raises
    ------
    InvalidInput
        If the frame is no deal frame; names the column and the row.

    Examples
    --------
    >>> from bidcascade.loaders.frames.random_deals import random_deals
    >>> import io
    >>> with io.StringIO() as text:
    ...     write_rbn(random_deals(1, seed=1), text)
    ...     text.getvalue().splitlines()[-2]
    'A NZ'
    """
    if isinstance(file, str | Path):
        write_texts(chain([RBN_HEADER], format_records(frame)), Path(file))
    else:
        file.writelines(chain([RBN_HEADER], format_records(frame)))


def format_records(frame: pl.DataFrame, shown: dict[str, Any] | None = None) -> Iterator[str]:
    """Give the text of each record of a deal frame, blank line included.

    ``shown`` holds the labels that last from what was written before, and is changed.
    """
    # a label holds for the boards to come: written where it changes
    shown = {} if shown is None else shown
    for row in checked_rows(frame):
        yield "\n".join(_record(row, shown)) + "\n\n"


def _record(row: dict[str, Any], shown: dict[str, Any]) -> Iterator[str]:
    board = row.get("board")
    values = {
        "E": _BREAKS.sub(" ", row.get("event") or "").replace(":", "::"),
        "N": _names(row.get("players"), row.get("room")),
        "B": "" if board is None else str(board),
    }
    for label, value in values.items():
        if shown.get(label) != value:
            shown[label] = value
            yield f"{label} {value}".rstrip()
    hands = [row[name] for name in HAND_COLUMNS]
    texts = ["" if hand is None else format_hand(hand) for hand in hands]
    # West first, the last hand follows from the others
    last = texts[2] if None in hands else ""
    yield f"H W:{':'.join(texts[seat] for seat in (3, 0, 1))}:{last}"
    for remark in row.get("commentary") or ():
        if lines := [line for line in _LINES.split(remark.strip()) if line.strip()]:
            # a text ends with the line that ends with a brace
            text = "\n".join([*map(_unended, lines[:-1]), _unlabelled(lines[-1])])
            yield f"{{{text}}}"
    yield from _auction(row)
    contract, declarer = row.get("contract"), row.get("declarer")
    if contract is not None:
        written = contract.replace("XX", "R")
        yield f"C {'P' if contract == 'Pass' else f'{written}:{declarer or str()}'}"
    if contract not in (None, "Pass") and declarer is not None and row.get("play"):
        yield f"P {_play(row['play'])}"
    tricks, score = row.get("tricks"), row.get("score")
    if tricks is not None or score is not None:
        yield f"R {'?' if tricks is None else tricks}{'' if score is None else f'{score:+}'}"


def _unlabelled(line: str) -> str:
    return f" {line}" if SURE_LABEL.match(line) else line


def _unended(line: str) -> str:
    line = _unlabelled(line)
    return f"{line.rstrip()[:-1]})" if line.rstrip().endswith("}") else line


def _names(players: list[str] | None, room: str | None) -> str:
    names = [
        _BREAKS.sub(" ", name).replace(":", "/").replace("+", "&") for name in players or [""] * 4
    ]
    north, east, south, west = names
    text = f"{north}+{south}:{west}+{east}" if any(names) else ":"
    return f"{text}:{room[0].upper()}" if room else text.rstrip(":")


def _auction(row: dict[str, Any]) -> Iterator[str]:
    calls = row.get("auction") or []
    tail = row.get("illegal_tail") or []
    texts = row.get("announcements") or [""] * len(calls)
    alerts = row.get("alerts") or [bool(text) for text in texts]
    count = len(calls)
    if row.get("auction_status") == "complete":
        # the passes that end it, but for those with something to say
        while count and not calls[count - 1] and not texts[count - 1] and not alerts[count - 1]:
            count -= 1
    numbers: dict[str, int] = {}
    words = []
    for call, text, alert in zip(calls[:count], texts[:count], alerts[:count], strict=True):
        note = _BREAKS.sub(" ", text).strip()
        if note and (note in numbers or len(numbers) < _MOST_NOTES):
            words.append(f"{_call(call)}^{numbers.setdefault(note, len(numbers) + 1)}")
        else:
            words.append(_call(call) + "*" * (alert or bool(note)))
    words += ["A"] * (count < len(calls)) + ["-"] * bool(tail) + [_call(call) for call in tail]
    rounds = ["".join(words[first : first + 4]) for first in range(0, len(words), 4)]
    yield ":".join((f"A {row['dealer']}{_VULNERABLE[row['vulnerability']]}", *rounds))
    for text, number in numbers.items():
        yield f"{number} {text}"


def _call(call: int) -> str:
    return "#" if call == UNREADABLE else {"XX": "R"}.get(CALL_TEXTS[call], CALL_TEXTS[call])


def _play(cards: list[int]) -> str:
    """Tricks in the order played; a suit is named where it is led and where it is another."""
    tricks = []
    for first in range(0, len(cards), 4):
        lead, *others = (format_card(card) for card in cards[first : first + 4])
        tricks.append(lead + "".join(card.removeprefix(lead[0]) for card in others))
    return ":".join(tricks)
