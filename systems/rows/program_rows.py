"""What the core takes of a system and what its numbers stand for, made of the text or cached.

To make the rows takes a third as long as to make the tree that they are made of. They are cached
beside a cached text, so that who opens it needs neither: a line is made when it is first asked for.
"""

import hashlib
import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from bidcascade.bridge import InvalidSystem
from bidcascade.kernels.machine.caches import cached_file, folder_in_cache, write_cached_file
from bidcascade.kernels.types import I32
from bidcascade.systems.digests import rows_digest
from bidcascade.systems.language.tree.syntax_tree import Condition, Line, Phrase, Variant
from bidcascade.systems.places.contexts import Specificity
from bidcascade.systems.places.places import Rules

from .structure_rows import StructureRows
from .text_rows import TextRows, Words

MOST_CACHED: Final = 32
"""Systems whose rows stay in the folder: those used last."""

_OURS: Final = re.compile(r"[0-9a-f]{64}\.rows(\.|$)")
_STORED: Final = np.dtype("<i4")


@dataclass(frozen=True, slots=True)
class VariantLine:
    """What a number of the core stands for.

    Parameters
    ----------
    place
        Number of the line at its place, among :attr:`.Places.lines`.
    line
        As the text has it.
    variant
        Of the line, if it has variants.
    specificity
        Of its group.
    """

    place: int
    line: Line
    variant: Variant | None
    specificity: Specificity


class ProgramRows:
    """Rows of one system, with the objects of its text that they stand for.

    Parameters
    ----------
    rules
        The system.
    tags
        Numbers of tags so far, which systems that play each other share; new ones are added.

    Raises
    ------
    InvalidSystem
        If there is more of something than the core has numbers for.

    Examples
    --------
    >>> from bidcascade.systems.system import System
    >>> system = System.parse("opening:" + chr(10) + "  1NT = Strong: 15-17 points, balanced")
    >>> rows = ProgramRows(system.rules, {})
    >>> rows.variant(0).line.name
    'Strong'
    """

    words: tuple[Words, Words]
    """What the core takes of conditions and calls, and of groups and lines."""
    names: list[str]
    """Names of expressions by number."""
    _lines: I32
    """Of each line at its place: number of its first variant, number of its row in the cached tree
    or 0, specificity of its group."""

    def __init__(self, rules: Rules, tags: dict[str, int]) -> None:
        self._rules, self._tags = rules, tags
        self._conditions: I32 | None = None
        """The core's number of the condition of each row of the cached tree, -1 for none."""
        # numbers of tags depend on who else has some
        place = None if tags else _place_of(rules)
        if place is not None and self._read(place):
            return
        self._made, structure = self._make()
        self.words = self._made.words(), structure.words()
        self.names, self._lines = list(self._made.names), structure.lines()
        if place is not None:
            self._write(place)

    def _make(self) -> tuple[TextRows, StructureRows]:
        text = TextRows(self._rules, self._tags)
        structure = StructureRows(self._rules, text)
        return text, structure

    @cached_property
    def _made(self) -> TextRows:
        return self._make()[0]

    def variant(self, number: int) -> VariantLine:
        """Give the line, or the variant of it, that has a number in the core."""
        place = int(np.searchsorted(self._lines[:, 0], number, "right")) - 1
        first, row, *specificity = self._lines[place].tolist()
        tree = self._rules.text.rows if row else None
        line = None if tree is None else tree.line(row)
        if line is None:
            line = self._rules.places.lines[place].line
        variant = line.variants[number - first] if line.variants else None
        literal, classes, facts, particular = specificity
        return VariantLine(place, line, variant, (literal, classes, facts, particular))

    def condition(self, condition: Condition) -> int:
        """Give the number that the core has for a condition of the text."""
        tree, known = self._rules.text.rows, self._conditions
        row = 0 if tree is None or known is None else tree.number_of(condition)
        if known is not None and row < len(known) and known[row] >= 0:
            return int(known[row])
        return self._made.condition(condition)

    @property
    def phrases(self) -> list[Phrase]:
        """All phrases by number."""
        return self._made.phrase_list

    def error(self, reason: int, phrase: int, word: int) -> InvalidSystem:
        """Error that the core's failure to lower a condition stands for."""
        return self._made.error(reason, phrase, word)

    # --- the cache --------------------------------------------------------------------------------

    def _read(self, place: Path) -> bool:
        """Read the rows from the cache; whether they are there."""
        try:
            content = cached_file(place)
        except OSError:
            return False
        if content is None:
            return False
        with suppress(OSError):
            os.utime(place)
        line, _, numbers = content.partition(b"\n")
        head = json.loads(line)
        ends = np.cumsum(head["lengths"])[:-1].tolist()
        text, structure, lines, conditions = np.split(np.frombuffer(numbers, _STORED), ends)
        self.words, self.names = (text, structure), head["names"]
        self._tags.update((tag, number) for number, tag in enumerate(head["tags"]))
        # without the words, which are soon done with
        self._lines, self._conditions = lines.reshape(-1, 6).copy(), conditions.copy()
        return True

    def _write(self, place: Path) -> None:
        tree = self._rules.text.rows
        assert tree is not None
        lines, places = self._lines.copy(), self._rules.places
        lines[:, 1] = [tree.number_of(placed.line) for placed in places.lines]
        rows = {tree.number_of(one): number for one, number in self._made.condition_numbers()}
        conditions = np.full(1 + max(rows, default=0), -1, np.int32)
        conditions[[*rows.keys()]] = [*rows.values()]
        conditions[0] = -1
        arrays = [*self.words, lines.ravel(), conditions]
        head = {
            "names": self.names,
            "tags": list(self._tags),
            "lengths": list(map(len, arrays)),
        }
        numbers = np.concatenate(arrays).astype(_STORED).tobytes()
        line = json.dumps(head, separators=(",", ":")).encode()
        write_cached_file(place, line + b"\n" + numbers, _OURS, MOST_CACHED)


def _place_of(rules: Rules) -> Path | None:
    """File for the rows of a cached text."""
    tree, folder = rules.text.rows, folder_in_cache("rows")
    if tree is None or folder is None:
        return None
    files = [digest for _, digest in rules.text.files]
    try:
        parts = [tree.key, files, rows_digest()]
    except OSError:
        # our own files may be out of reach
        return None
    return folder / f"{hashlib.sha256(json.dumps(parts).encode()).hexdigest()}.rows"
