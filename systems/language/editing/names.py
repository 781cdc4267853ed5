"""Names that a text of a system defines, and every place where they stand.

For editors: where a name is defined, what uses it, and what a new name would have to replace.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from bidcascade.systems.language.grammar.grammar import parse_conditions, parse_statement
from bidcascade.systems.language.reading.layout import (
    LogicalLine,
    RawItem,
    logical_lines,
    tree_of,
    words_of,
)
from bidcascade.systems.language.tree.joining import phrases_of
from bidcascade.systems.language.tree.statements import (
    ConventionStatement,
    HeaderStatement,
    IncludeStatement,
    OpponentsStatement,
    OptionStatement,
    Statement,
    UseStatement,
)
from bidcascade.systems.language.tree.syntax_tree import (
    Agreement,
    Condition,
    Define,
    Line,
    Phrase,
    Variant,
)

NameKind = Literal["condition", "convention", "parameter", "option", "tag", "file"]
"""What a name stands for: of a ``define``, a ``convention``, one of its parameters, …"""

_DEFINE: Final = re.compile(r"define\s+")
_SHOWN: Final = ("shows", "denies")


@dataclass(frozen=True, slots=True)
class NamePlace:
    """A name where it stands in a text.

    Parameters
    ----------
    kind
    name
        As the tree has it: words with one blank between them, a tag without its ``#``.
    line, column
        From 1; of the name's first letter, behind the ``#`` of a tag and a quotation mark.
    length
        Characters that it takes there.
    defines
        Whether it gets its meaning here; for a tag, whether a call gets it here.
    scope
        Convention of a parameter.
    """

    kind: NameKind
    name: str
    line: int
    column: int
    length: int
    defines: bool = False
    scope: str = ""

    def holds(self, line: int, column: int) -> bool:
        """Whether a place in the text is in the name, or just behind it."""
        return self.line == line and self.column <= column <= self.column + self.length


def names_of(text: str) -> list[NamePlace]:
    r"""List all names in a text, in its order; lines that do not read have none.

    Examples
    --------
    >>> text = 'define strong = 15+ points\nopening:\n  1C = Strong club: strong; #club\n'
    >>> [(one.kind, one.name, one.line, one.column) for one in names_of(text)]
    [('condition', 'strong', 1, 8), ('condition', 'strong', 3, 21), ('tag', 'club', 3, 30)]
    """
    lines = text.replace("\r\n", "\n").split("\n")
    tree = tree_of(logical_lines(lines, "", lambda *_: None), lambda *_: None)
    found = (place for item in tree for place in _Names(lines).item(item, {}, ""))
    return sorted(dict.fromkeys(found), key=lambda one: (one.line, one.column))


class _Names:
    """Finds the names of statements and of all below them."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def item(self, raw: RawItem, words: Mapping[str, str], scope: str) -> Iterator[NamePlace]:
        line = raw.line.with_words(words) if words else raw.line
        statement = parse_statement(line.text).statement
        if statement is not None:
            yield from self._statement(statement, line)
        yield from self._tags(raw.line)
        for start, word in words_of(raw.line.text) if scope else ():
            if word in words:
                yield from self._at(raw.line, start, "parameter", word, scope=scope)
        if isinstance(statement, ConventionStatement):
            scope = statement.name
            words = {one.name: one.value or one.name for one in statement.parameters}
        for below in raw.below:
            yield from self.item(below, words, scope)

    def _statement(self, statement: Statement, line: LogicalLine) -> Iterator[NamePlace]:
        if isinstance(statement, Define):
            start = _DEFINE.match(line.text)
            assert start is not None
            yield from self._at(line, start.end(), "condition", statement.name, defines=True)
        elif isinstance(statement, (ConventionStatement, UseStatement)):
            defines = isinstance(statement, ConventionStatement)
            at = statement.where.column
            yield from self._at(line, at, "convention", statement.name, defines=defines)
            for one in statement.parameters:
                yield from self._at(
                    line,
                    one.where.column,
                    "parameter",
                    one.name,
                    defines=defines,
                    scope=statement.name,
                )
        elif isinstance(statement, OptionStatement):
            at, defines = statement.where.column, not statement.without
            yield from self._at(line, at, "option", statement.name, defines=defines)
        elif isinstance(statement, (IncludeStatement, OpponentsStatement)):
            yield from self._at(line, statement.where.column + 1, "file", statement.file)
        for phrase, shift in _phrases(statement):
            if phrase.kind == "named":
                yield from self._at(line, phrase.where.column + shift, "condition", phrase.text)

    def _tags(self, line: LogicalLine) -> Iterator[NamePlace]:
        agreed = line.text.find(";")
        for start, word in words_of(line.text, tags=True):
            if word.startswith("#"):
                defines = 0 <= agreed < start
                yield from self._at(line, start + 1, "tag", word[1:], defines=defines)

    def _at(
        self,
        line: LogicalLine,
        position: int,
        kind: NameKind,
        name: str,
        *,
        defines: bool = False,
        scope: str = "",
    ) -> Iterator[NamePlace]:
        """Place of a name that stands in the file; a parameter's value does not stand there."""
        where = line.where(position)
        pattern = r"\s+".join(map(re.escape, name.split(" ")))
        read = re.compile(pattern).match(self._lines[where.line - 1], where.column - 1)
        if read is not None:
            yield NamePlace(kind, name, where.line, where.column, len(read[0]), defines, scope)


def _phrases(statement: Statement) -> Iterator[tuple[Phrase, int]]:
    """Phrases of a statement, with the column that theirs are counted from."""
    conditions: list[Condition | None] = []
    if isinstance(statement, (Line, Variant)):
        conditions.append(statement.condition)
        for agreement in statement.agreements:
            yield from _shown(agreement)
    elif isinstance(statement, HeaderStatement):
        conditions.append(statement.header.condition)
    elif isinstance(statement, Define):
        conditions.append(statement.condition)
    for condition in conditions:
        for phrase in phrases_of(condition):
            yield phrase, 0


def _shown(agreement: Agreement) -> Iterator[tuple[Phrase, int]]:
    if agreement.kind in _SHOWN:
        start = agreement.where.column + len(agreement.kind) + 1
        for phrase in phrases_of(parse_conditions(agreement.text).condition):
            yield phrase, start
