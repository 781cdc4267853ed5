"""Numbers that stand in the conditions of a system's text, and the text with other numbers.

A number is where a line says ``15-17 points`` or ``5+ hearts``: a file, a line, a column. Whoever
looks for better ones writes the digits anew and nothing else, so names, remarks and layout stay.
Numbers of headers, agreements, expressions in braces and parameters of conventions are left alone:
they say where a line applies and what it is called, not which hands it takes.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from bidcascade.bridge import InvalidInput
from bidcascade.systems.language.tree.syntax_tree import (
    AllOf,
    AnyOf,
    Block,
    Condition,
    Line,
    NotThis,
    Phrase,
    SystemText,
    Variant,
    Where,
)
from bidcascade.systems.language.words.phrases import BOTH_HANDS, COUNTED, HAND
from bidcascade.systems.system import System

LOW, HIGH, EXACT = "low", "high", "exact"
"""Which end of a range a number is, or both."""

_CODES: Final = frozenset({"aces", "kings", "queens", "keycards", "combined aces", "combined kings",
                           "combined keycards", "top honours", "rule of"})  # fmt: skip
"""What answers to asking bids tell, and what has no number that could move by one."""
KINDS_OF_NUMBERS: Final = tuple(
    row.kind for row in (*COUNTED, *HAND, *BOTH_HANDS) if row.kind not in _CODES
)
"""What a number may count to be looked at."""
_RANGE: Final = re.compile(
    r"(?P<words>(?:[a-z]+[ ]+){0,2})(?P<low>\d+)(?:(?P<dash>[ ]*[-–][ ]*)(?P<high>\d+))?"
)
_AT_MOST: Final = frozenset({"at most", "fewer than", "less than", "under", "up to"})


class TextNumber(NamedTuple):
    """A number in a condition.

    Parameters
    ----------
    file : str
        As messages name it.
    line, column : int
        Of its first digit, from 1 on.
    value : int
    counts : str
        What is counted, as :mod:`bidcascade.systems.language.words.phrases` names it.
    suits : tuple of str
        In which suits, where they are said.
    end : str
        :data:`LOW`, :data:`HIGH` or :data:`EXACT`.
    name : str
        Of the line that it stands in.
    owner : Where
        Where that line begins.
    block : Where
        The header above it.
    """

    file: str
    line: int
    column: int
    value: int
    counts: str
    suits: tuple[str, ...]
    end: str
    name: str
    owner: Where
    block: Where

    @property
    def kind(self) -> str:
        """What is counted, with the suits."""
        return " ".join((self.counts, *self.suits))

    @property
    def place(self) -> tuple[str, int, int]:
        """File, line and column: a convention's number is one, however often it is used."""
        return self[:3]


class NumberChange(NamedTuple):
    """A number that is replaced by another one."""

    number: TextNumber
    value: int

    def __str__(self) -> str:
        one = self.number
        return (
            f"{one.file}:{one.line}: {one.name or 'line'}, {one.kind} {one.value} -> {self.value}"
        )


Move = tuple[NumberChange, ...]
"""Changes that are made together."""


class OpenText:
    """The files of a system as text, which can be read again with other content.

    Parameters
    ----------
    path_or_name : str or path
    options : mapping of str to bool, optional

    Raises
    ------
    InvalidSystem
        As reading does.
    InvalidInput
        If two files have one name, or files include others by their folders.

    Examples
    --------
    >>> text = OpenText("acol")
    >>> text.system().name, len(text.texts) > 5
    ('acol', True)
    """

    def __init__(
        self, path_or_name: str | Path, *, options: Mapping[str, bool] | None = None
    ) -> None:
        opened = System.open(path_or_name, options=options)
        self.name = opened.name
        self.options = dict(options or {})
        self.paths = {path.name: path for path, _ in opened.text.files}
        if len(self.paths) < len(opened.text.files):
            raise InvalidInput(f"expected files of different names in {str(path_or_name)!r}")
        self.texts = {name: path.read_bytes().decode() for name, path in self.paths.items()}
        self._main = next(iter(self.paths))
        text = self.system().text
        if (text.blocks, text.defines) != (opened.text.blocks, opened.text.defines):
            raise InvalidInput(
                "expected a system that includes its files by their names alone, got "
                f"{str(path_or_name)!r}"
            )

    def system(self) -> System:
        """Read the texts as they are now.

        Raises
        ------
        InvalidSystem
            If a change has made them wrong.
        """
        # a byte order mark is for readers of files
        texts = {name: text.removeprefix("\ufeff") for name, text in self.texts.items()}
        main, options = texts.pop(self._main), self.options
        system = System.parse(main, options=options, name=self._main, pages=texts)
        system.name = self.name
        return system

    def changed(self, changes: Iterable[NumberChange], paths: Mapping[str, Path]) -> "OpenText":
        """Give the same texts with other numbers.

        ``paths`` say which files the changes speak of; those that this system does not read are
        left out.
        """
        mine = [one for one in changes if self.paths.get(one.number.file) == paths[one.number.file]]
        other = object.__new__(OpenText)
        other.__dict__ |= self.__dict__
        other.texts = with_changes(self.texts, mine)
        return other

    def content(self, name: str) -> bytes:
        """Give a file's bytes."""
        return self.texts[name].encode()

    def numbers(self) -> list[TextNumber]:
        """Give the numbers of all conditions, those of conventions for each place they are at."""
        return list(dict.fromkeys(numbers_of(self.system().text, self.texts)))


def numbers_of(text: SystemText, texts: Mapping[str, str]) -> Iterator[TextNumber]:
    r"""Find the numbers of a system that was read; those of conventions once for each use.

    Parameters
    ----------
    text : SystemText
    texts : mapping of str to str
        Content of its files by name.

    Examples
    --------
    >>> lines = "opening:\n  1NT = Strong: 15-17 points, balanced -- 20 is more\n"
    >>> found = numbers_of(System.parse(lines, name="a.bidding").text, {"a.bidding": lines})
    >>> [(one.value, one.kind, one.end, one.column) for one in found]
    [(15, 'points', 'low', 17), (17, 'points', 'high', 20)]
    """
    known = {name: content.replace("\r\n", "\n").split("\n") for name, content in texts.items()}

    def of_condition(
        condition: Condition | None, owner: Where, name: str, block: Where
    ) -> Iterator[TextNumber]:
        for phrase in _phrases(condition):
            file = phrase.where.file
            lines = known.get(file, [])
            if not 0 < phrase.where.line <= len(lines):
                continue
            for column, value, end in _digits(phrase, lines[phrase.where.line - 1]):
                yield TextNumber(
                    file,
                    phrase.where.line,
                    column,
                    value,
                    phrase.kind,
                    phrase.suits,
                    end,
                    name,
                    owner,
                    block,
                )

    def of_body(body: Sequence[Line | Block], block: Where) -> Iterator[TextNumber]:
        for one in body:
            if isinstance(one, Block):
                yield from of_body(one.body, one.header.where)
                continue
            yield from of_condition(one.condition, one.where, one.name, block)
            for variant in one.variants:
                yield from of_variant(variant, one, block)
            yield from of_body(one.below, one.where)

    def of_variant(variant: Variant, line: Line, block: Where) -> Iterator[TextNumber]:
        name = f"{line.name}, {variant.name}" if variant.name else line.name
        yield from of_condition(variant.condition, variant.where, name, block)

    for define in text.defines.values():
        yield from of_condition(define.condition, define.where, define.name, define.where)
    yield from of_body(text.blocks, Where("", 0))


def _phrases(condition: Condition | None) -> Iterator[Phrase]:
    match condition:
        case Phrase():
            found = condition.range
            if condition.kind not in KINDS_OF_NUMBERS or found is None:
                return
            # several numbers, as "4 or 6", are no range whose end could move, nor do halves by one
            if not found.also and not found.low % 1 and not (found.high or 0) % 1:
                yield condition
        case AllOf() | AnyOf():
            for part in condition.parts:
                yield from _phrases(part)
        case NotThis():
            yield from _phrases(condition.part)


def _digits(phrase: Phrase, line: str) -> Iterator[tuple[int, int, str]]:
    """Columns and values of a phrase's numbers, and which ends they are."""
    # nothing where a parameter's value stands, or a number in words
    found = _RANGE.match(line, phrase.where.column - 1)
    if found is None or phrase.range is None:
        return
    low, high = phrase.range.low, phrase.range.high
    words = " ".join(found["words"].split())
    if found["high"] is not None:
        read = [
            (found.start("low") + 1, int(found["low"]), LOW),
            (found.start("high") + 1, int(found["high"]), HIGH),
        ]
        if (low, high) != (read[0][1], read[1][1]):
            return
        yield from read
        return
    value, column = int(found["low"]), found.start("low") + 1
    if value not in (low, high) and words not in _AT_MOST and words != "more than":
        return
    if high is None:
        yield column, value, LOW
    elif low == high and not words.startswith(("at most", "fewer", "less", "under")):
        yield column, value, EXACT
    else:
        yield column, value, HIGH


def with_changes(texts: Mapping[str, str], changes: Iterable[NumberChange]) -> dict[str, str]:
    """Write texts with other numbers; all else stays as it is, byte for byte.

    Raises
    ------
    InvalidInput
        If another number stands there.
    """
    found = dict(texts)
    by_file: dict[str, dict[tuple[int, int], NumberChange]] = defaultdict(dict)
    for change in changes:
        by_file[change.number.file][change.number.line, change.number.column] = change
    for file, places in by_file.items():
        lines = found[file].split("\n")
        # from the right: the columns of what stands before a number hold
        for (line, column), (number, value) in sorted(places.items(), reverse=True):
            text, old = lines[line - 1], str(number.value)
            if not text.startswith(old, column - 1):
                raise InvalidInput(
                    f"expected the number {old} in {file}, line {line}, column {column}, got "
                    f"{text[column - 1 : column + 9]!r}"
                )
            lines[line - 1] = f"{text[: column - 1]}{value}{text[column - 1 + len(old) :]}"
        found[file] = "\n".join(lines)
    return found


def moves_of(numbers: Sequence[TextNumber], steps: Sequence[int] = (1, -1, 2, -2)) -> list[Move]:
    """Give the changes that are worth a try, by step, then as the numbers stand.

    Each number alone; a range's end with the beginnings of those that go on behind it, at one
    place; the same number of lines of one name, as of three weak two-bids.

    Examples
    --------
    >>> lines = '''opening:
    ...   1NT = Strong: 15-17 points, balanced
    ...   1C = Club: 12-14 points'''
    >>> found = numbers_of(System.parse(lines, name="a").text, {"a": lines})
    >>> for move in moves_of(list(found), [1]):
    ...     print(*(f"{one.number.value} -> {one.value}" for one in move))
    15 -> 16
    17 -> 18
    12 -> 13
    14 -> 15
    14 -> 15 15 -> 16
    """
    ends: dict[tuple[Where, str, int], tuple[list[TextNumber], list[TextNumber]]] = {}
    names: dict[tuple[Where, str, str, str, int], list[TextNumber]] = defaultdict(list)
    for one in numbers:
        if one.end != EXACT:
            behind = one.value + (one.end == HIGH)
            pair = ends.setdefault((one.block, one.kind, behind), ([], []))
            pair[one.end == LOW].append(one)
        names[one.block, one.name, one.counts, one.end, one.value].append(one)
    together = [[one] for one in numbers]
    together += [
        [*highs, *lows]
        for highs, lows in ends.values()
        if highs and lows and {one.owner for one in highs} != {one.owner for one in lows}
    ]
    together += [
        same for (_, name, *_), same in names.items() if name and len({*_places(same)}) > 1
    ]
    groups = {_places(group): group for group in reversed(together)}
    return [
        tuple(
            NumberChange(one, one.value + step)
            for one in {one.place: one for one in group}.values()
        )
        for step in steps
        for group in reversed(groups.values())
        if all(one.value + step >= 0 for one in group)
    ]


def _places(numbers: Iterable[TextNumber]) -> tuple[tuple[str, int, int], ...]:
    return tuple(sorted({one.place for one in numbers}))
