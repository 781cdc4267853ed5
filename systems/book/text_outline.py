"""What stands where in the texts of a system: files, options, conventions, and who includes whom.

The tree of a system has options chosen and conventions put in place; cards and books tell readers
which there were, on which page and lines.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from bidcascade.bridge import InvalidSystem
from bidcascade.systems.language.grammar.grammar import parse_statement
from bidcascade.systems.language.reading.layout import RawItem, logical_lines, tree_of
from bidcascade.systems.language.reading.sources import prose_of
from bidcascade.systems.language.tree.statements import (
    ConventionStatement,
    IncludeStatement,
    OptionStatement,
)
from bidcascade.systems.language.tree.syntax_tree import SystemText, Where
from bidcascade.systems.system import System

_WORDS = ("option ", "without option ", "convention ", "include ")
"""Statements looked for; all else need not be read again."""


class TextFile(NamedTuple):
    """One file of a system: its name as places name it, its lines, and its comment page."""

    name: str
    lines: tuple[str, ...]
    prose: str


class OutlinePart(NamedTuple):
    """Lines that belong to an option or to a convention, the last one included."""

    name: str
    where: Where
    last: int
    about: str
    """The comment above it; of what stands at the left edge of a page else the page's first words.
    Empty where there is none."""

    @property
    def has_lines(self) -> bool:
        """Whether anything stands below it."""
        return self.last > self.where.line

    def has(self, where: Where) -> bool:
        """Whether a place is one of its lines."""
        return where.file == self.where.file and self.where.line <= where.line <= self.last


@dataclass(frozen=True, slots=True)
class Outline:
    """Files of a system in the order in which they were read, and what stands in them."""

    files: tuple[TextFile, ...]
    options: tuple[OutlinePart, ...]
    """Every block of an option, inner ones behind those around them."""
    conventions: tuple[OutlinePart, ...]
    includes: tuple[tuple[Where, str], ...]
    """Where files are included, and their names as the text writes them."""

    def option_at(self, where: Where) -> str:
        """Name of the innermost option whose lines have a place; empty for none."""
        return next((one.name for one in reversed(self.options) if one.has(where)), "")

    def described_options(self) -> dict[str, OutlinePart]:
        """Give the block that tells most of each option, in the order of the text.

        One with lines comes before a statement that sets an option alone, one with a comment before
        one without.
        """
        parts: dict[str, OutlinePart] = {}
        for one in self.options:
            best = parts.setdefault(one.name, one)
            if (one.has_lines, bool(one.about)) > (best.has_lines, bool(best.about)):
                parts[one.name] = one
        return parts


def outline_of(system: System) -> Outline:
    r"""Read the files of a system once more, and say what stands where.

    Raises
    ------
    InvalidSystem
        If the system came as a string, or a file is no longer what was read.

    Examples
    --------
    >>> outline = outline_of(System.open("two-over-one"))
    >>> "landy" in outline.described_options(), outline.files[0].name
    (True, 'two-over-one.bidding')
    """
    files = tuple(_files(system.text, _names(system)))
    options: list[OutlinePart] = []
    conventions: list[OutlinePart] = []
    includes: list[tuple[Where, str]] = []
    for file in files:
        for raw, is_top in _items(tree_of(logical_lines([*file.lines], file.name, _none), _none)):
            if not raw.line.text.startswith(_WORDS):
                continue
            statement, where = parse_statement(raw.line.text).statement, raw.line.where()
            if isinstance(statement, IncludeStatement):
                includes.append((where, statement.file))
            elif isinstance(statement, OptionStatement) and not statement.without:
                options.append(_part(file, statement.name, raw, is_top=is_top))
            elif isinstance(statement, ConventionStatement):
                conventions.append(_part(file, statement.name, raw, is_top=is_top))
    return Outline(files, tuple(options), tuple(conventions), tuple(includes))


def _none(where: Where, message: str, advice: str) -> None:
    """Take complaints, of which a text that was read has none."""


def _names(system: System) -> frozenset[str]:
    return frozenset(placed.line.where.file for placed in system.rules.places.lines)


def _files(text: SystemText, named: frozenset[str]) -> Iterator[TextFile]:
    if not text.files:
        raise InvalidSystem("expected a system that was read from a file, got a text")
    for path, digest in text.files:
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise InvalidSystem(
                f"expected the file {path.name!r}, which was read: {error}"
            ) from None
        if sha256(content).hexdigest() != digest:
            raise InvalidSystem(f"expected {path.name!r} as it was read, it was changed meanwhile")
        # as the reader cuts it, so that lines have the numbers of messages
        lines = content.decode("utf-8-sig").replace("\r\n", "\n").split("\n")
        name = str(path) if str(path) in named else path.name
        yield TextFile(name, tuple(lines), prose_of(lines))


def _items(found: Sequence[RawItem], *, top: bool = True) -> Iterator[tuple[RawItem, bool]]:
    for one in found:
        yield one, top
        yield from _items(one.below, top=False)


def _part(file: TextFile, name: str, raw: RawItem, *, is_top: bool) -> OutlinePart:
    where = raw.line.where()
    above = takewhile(
        lambda line: line.startswith("--"),
        (line.strip() for line in reversed(file.lines[: where.line - 1])),
    )
    about = " ".join(line.lstrip("-").strip() for line in reversed([*above]))
    if not about and is_top:
        about = " ".join(file.prose.partition("\n\n")[0].split())
    return OutlinePart(name, where, _last_line(raw), about)


def _last_line(raw: RawItem) -> int:
    return _last_line(raw.below[-1]) if raw.below else raw.line.pieces[-1].line
