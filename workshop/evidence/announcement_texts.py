"""Announcements of archives, JSON Lines and plain lists, counted for a report."""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import polars as pl

from bidcascade.bridge import InvalidInput
from bidcascade.engine.runs.progress import Report
from bidcascade.kernels.machine.bounded_files import bounded_lines
from bidcascade.loaders import iter_deals
from bidcascade.table.formats.json_lines import LONGEST_LINE

TEXT_KEYS: Final = ("text", "announcement", "description", "kept", "superseded", "announcements")
"""Keys of JSON Lines that hold a text or a list of texts."""


@dataclass(slots=True)
class AnnouncementTexts:
    """Distinct texts with how often they occur, and what they were read from.

    Parameters
    ----------
    counts : Counter
        By text without blanks around it; empty ones left out.
    boards, rejects, lines : int
        Boards read and records refused of archives, lines of lists.
    """

    counts: Counter[str] = field(default_factory=Counter)
    boards: int = 0
    rejects: int = 0
    lines: int = 0

    def add(self, texts: Iterable[str | None]) -> None:
        """Count texts."""
        for text in texts:
            if text and text.strip():
                self.counts[text.strip()] += 1


def collect_texts(inputs: Sequence[str], progress: Report | None = None) -> AnnouncementTexts:
    r"""Collect the announcements of inputs of any kind.

    Parameters
    ----------
    inputs : sequence of str
        ``*.jsonl`` (objects with one of :data:`TEXT_KEYS`, or texts), ``*.txt`` (a text a line),
        ``-`` (the same on standard input); anything else as files of deals are given.

    Raises
    ------
    InvalidInput
        If a line is no such object, or a file is no UTF-8 text; names the file and line.
    """
    found = AnnouncementTexts()
    archives = []
    for name in inputs:
        suffix = Path(name).suffix.lower()
        if suffix in (".jsonl", ".txt") or name == "-":
            for number, line in enumerate(_lines(name), start=1):
                found.lines += 1
                found.add(_texts_of(line, name, number) if suffix == ".jsonl" else [line])
        else:
            archives.append(name)
    if archives:
        for batch in iter_deals(archives, whole=True, progress=progress):
            found.boards += batch.deals.height
            found.rejects += batch.refused
            _add_column(found, batch.deals)
    return found


def _add_column(found: AnnouncementTexts, deals: pl.DataFrame) -> None:
    texts = deals["announcements"].explode().drop_nulls()
    for text, times in texts.value_counts().iter_rows():
        if text.strip():
            found.counts[text.strip()] += times


def _lines(name: str) -> Iterator[str]:
    try:
        if name == "-":
            yield from bounded_lines(sys.stdin, LONGEST_LINE, "standard input")
            return
        with Path(name).open(encoding="utf-8") as file:
            yield from bounded_lines(file, LONGEST_LINE, name)
    except UnicodeDecodeError:
        raise InvalidInput(f"expected text in UTF-8 in {name!r}") from None


def _texts_of(line: str, name: str, number: int) -> list[str]:
    if not line.strip():
        return []
    where = f"in {name!r}, line {number}"
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidInput(f"expected JSON, got {line.strip()[:40]!r} {where}") from None
    if isinstance(value, str):
        return [value]
    if not isinstance(value, dict) or not any(key in value for key in TEXT_KEYS):
        raise InvalidInput(
            f"expected an object with one of {', '.join(TEXT_KEYS)}, got {line.strip()[:40]!r} "
            f"{where}"
        )
    texts: list[str] = []
    for key in TEXT_KEYS:
        held = value.get(key)
        if isinstance(held, str):
            texts.append(held)
        elif isinstance(held, list) and all(isinstance(one, str) for one in held):
            texts += held
        elif held is not None:
            raise InvalidInput(
                f"expected a text or a list of texts as {key!r}, got {held!r} {where}"
            )
    return texts
