"""Texts of systems as an editor holds them, over the files that lie beside.

A text may be a page of a system, which means something only where a system includes it: what is
wrong in it, and what its names mean, is told by the systems beside it that include it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bidcascade.bridge import InvalidInput
from bidcascade.systems.language.errors import Complaint
from bidcascade.systems.language.grammar.grammar import parse_statement
from bidcascade.systems.language.reader import built_in_defines, read_held
from bidcascade.systems.language.reading.layout import LogicalLine, logical_lines
from bidcascade.systems.language.reading.placing import place_statement
from bidcascade.systems.language.shipped import (
    PAGES,
    SUFFIX,
    is_file,
    places_of_file,
    shipped_folder,
)
from bidcascade.systems.language.tree.joining import phrases_of
from bidcascade.systems.language.tree.statements import HeaderStatement
from bidcascade.systems.language.tree.syntax_tree import (
    Condition,
    Define,
    Line,
    Phrase,
    SystemText,
    Variant,
)
from bidcascade.systems.language.words.phrases import detail_of
from bidcascade.systems.language.words.wording import condition_text, phrase_text

from .completion import Completion, proposals
from .names import NamePlace, names_of

_INCLUDE: Final = re.compile(r'^include\s+"([^"\n]+)"', re.MULTILINE)
_MOST_TAGGED: Final = 5


@dataclass(frozen=True, slots=True)
class FoundName:
    """A name in a file."""

    path: Path
    place: NamePlace


class EditedTexts:
    r"""Texts that are being written, and the files that they include or are included by.

    Examples
    --------
    >>> texts = EditedTexts()
    >>> own = Path("own.bidding")
    >>> texts.hold(own, "opening:\n  1NT = Strong notrump: 15-17 point, ballanced\n")
    >>> [(one.where.line, one.where.column) for one in texts.complaints(own)[own.resolve()]]
    [(2, 38)]
    """

    def __init__(self) -> None:
        self._held: dict[Path, str] = {}
        self._names: dict[Path, tuple[str, list[NamePlace]]] = {}

    def hold(self, path: Path, text: str) -> None:
        """Take a text as what is to be read of a file."""
        # a new one: who reads in another thread goes on with what was there
        self._held = {**self._held, path.resolve(): text}

    def let_go(self, path: Path) -> None:
        """Read the file itself again."""
        own = path.resolve()
        self._held = {file: text for file, text in self._held.items() if file != own}

    def text(self, path: Path) -> str:
        """Text of a file as it is now; empty where it cannot be read."""
        path = path.resolve()
        held = self._held.get(path)
        if held is not None:
            return held
        try:
            return path.read_text("utf-8-sig")
        except (OSError, ValueError):
            return ""

    # ------------------------------------------------------------------ files
    def includes(self, path: Path) -> list[Path]:
        """Files that a text includes, as far as they are there."""
        found = []
        for file in _INCLUDE.findall(self.text(path)):
            there = (one for one in places_of_file(file, path.parent) if self._is_there(one))
            found += [one.resolve() for one in there][:1]
        return found

    def _is_there(self, path: Path) -> bool:
        return path.resolve() in self._held or is_file(path)

    def _reach(self, path: Path) -> set[Path]:
        """Follow the includes of a file; it is among what is found."""
        found, left = {path}, [path]
        while left:
            for one in self.includes(left.pop()):
                if one not in found:
                    found.add(one)
                    left.append(one)
        return found

    def systems(self, path: Path) -> dict[Path, set[Path]]:
        """Files that include a file and are included by none, each with all that it reads.

        They lie beside it, or in the folder above where its own is that of pages.
        """
        path = path.resolve()
        folders = [path.parent] + ([path.parent.parent] if path.parent.name == PAGES else [])
        near = {one.resolve() for folder in folders for one in folder.glob(f"*{SUFFIX}")}
        near |= {one for one in self._held if one.parent in folders} | {path}
        reach = {one: self._reach(one) for one in sorted(near)}
        included = {file for one, files in reach.items() for file in files - {one}}
        found = {
            one: files for one, files in reach.items() if path in files and one not in included
        }
        return found or {path: reach[path]}

    def _relatives(self, path: Path) -> dict[Path, set[Path]]:
        """Systems that have a name of a file in common with it, through texts of their own."""
        found = self.systems(path)
        left = [one for files in found.values() for one in files if not is_shipped(one)]
        seen = {path.resolve()}
        while left:
            one = left.pop()
            if one not in seen:
                seen.add(one)
                further = self.systems(one)
                left += [
                    file
                    for files in further.values()
                    for file in files - seen
                    if not is_shipped(file)
                ]
                found |= further
        return found

    # ------------------------------------------------------------------ what is wrong
    def complaints(self, path: Path) -> dict[Path, list[Complaint]]:
        """Find what is wrong in the systems that a text belongs to, by file; all that were read."""
        found: dict[Path, list[Complaint]] = {}
        for system in self.systems(path):
            for file, complaints in read_held(system, self._held)[1].items():
                known = found.setdefault(file, [])
                known += [one for one in complaints if one not in known]
        return found

    def read(self, path: Path) -> SystemText | None:
        """Tree of a system's text; None where something is wrong in it."""
        return read_held(path.resolve(), self._held)[0]

    # ------------------------------------------------------------------ names
    def names(self, path: Path) -> list[NamePlace]:
        """Names in a file, in its order."""
        path, text = path.resolve(), self.text(path)
        known = self._names.get(path)
        if known is None or known[0] != text:
            known = self._names[path] = text, names_of(text)
        return known[1]

    def name_at(self, path: Path, line: int, column: int) -> NamePlace | None:
        """Name that stands at a place, lines and columns from 1."""
        return next((one for one in self.names(path) if one.holds(line, column)), None)

    def same_names(self, path: Path, name: NamePlace) -> list[FoundName]:
        """All places of a name in the systems that a text belongs to; those in it come first."""
        own = path.resolve()
        files = {file for files in self._relatives(path).values() for file in files}
        return [
            FoundName(file, one)
            for file in sorted(files, key=lambda file: (file != own, file))
            for one in self.names(file)
            if (one.kind, one.name, one.scope) == (name.kind, name.name, name.scope)
        ]

    def definitions(self, path: Path, line: int, column: int) -> list[FoundName]:
        """Where the name at a place gets its meaning: a file's first line for a file's name."""
        name = self.name_at(path, line, column)
        if name is None:
            return []
        if name.kind == "file":
            there = (one for one in places_of_file(name.name, path.parent) if self._is_there(one))
            start = NamePlace("file", name.name, 1, 1, 0, defines=True)
            return [FoundName(one.resolve(), start) for one in there][:1]
        return [one for one in self.same_names(path, name) if one.place.defines]

    def renamed(
        self, path: Path, line: int, column: int, new: str
    ) -> dict[Path, list[tuple[NamePlace, str]]]:
        """Find what a new name for the one at a place replaces, in all texts that have it.

        Raises
        ------
        InvalidInput
            If no name of the texts stands there, it comes with the package, the new one is taken
            or cannot be a name, or the texts do not read.
        """
        name = self.name_at(path, line, column)
        if name is None or name.kind == "file":
            raise InvalidInput("expected a name that the text defines at this place, got none")
        found = self.same_names(path, name)
        if not any(one.place.defines for one in found):
            raise InvalidInput(f"expected a name that the text defines, got {name.name!r}")
        foreign = [one.path.name for one in found if is_shipped(one.path)]
        if foreign and not is_shipped(path):
            raise InvalidInput(
                f"expected a name of your own texts, got {name.name!r}, which {foreign[0]} has"
            )
        new = " ".join(new.removeprefix("#").split())
        if self.same_names(path, NamePlace(name.kind, new, 0, 0, 0, scope=name.scope)):
            raise InvalidInput(f"expected a new name, got {new!r}, which is there already")
        self._check_reads(self._relatives(path), self._held, "before a name can be changed")
        edits: dict[Path, list[tuple[NamePlace, str]]] = {}
        for one in found:
            edits.setdefault(one.path, []).append((one.place, new))
        held = {**self._held, **{file: self._edited(file, of) for file, of in edits.items()}}
        self._check_reads(self._relatives(path), held, f"with the name {new!r}")
        after = [
            one
            for file in edits
            for one in names_of(held[file])
            if (one.kind, one.name, one.scope) == (name.kind, new, name.scope)
        ]
        if len(after) != len(found):
            raise InvalidInput(f"expected a name, got {new!r}, which means something else here")
        return edits

    def _edited(self, path: Path, edits: list[tuple[NamePlace, str]]) -> str:
        lines = self.text(path).replace("\r\n", "\n").split("\n")
        for place, new in sorted(edits, key=lambda one: (one[0].line, -one[0].column)):
            line = lines[place.line - 1]
            start = place.column - 1
            lines[place.line - 1] = line[:start] + new + line[start + place.length :]
        return "\n".join(lines)

    def _check_reads(
        self, systems: Mapping[Path, object], held: Mapping[Path, str], when: str
    ) -> None:
        for system in systems:
            complaints = [one for some in read_held(system, held)[1].values() for one in some]
            if complaints:
                message = f"{complaints[0].where}: {complaints[0].message}"
                raise InvalidInput(f"expected texts that read {when}, got {message}")

    # ------------------------------------------------------------------ what may be written
    def proposals(self, path: Path, line: int, column: int) -> list[Completion]:
        """List what may stand at a place; see :func:`~.completion.proposals`."""
        files = {file for files in self.systems(path).values() for file in files}
        names = [one for file in files for one in self.names(file)]
        folders = [path.resolve().parent, shipped_folder(), shipped_folder() / PAGES]
        there = {one.name for folder in folders for one in folder.glob(f"*{SUFFIX}")}
        return proposals(self.text(path), line, column, names, sorted(there - {path.name}))

    # ------------------------------------------------------------------ what it means
    def meaning(self, path: Path, line: int, column: int) -> str:
        """Say in Markdown what stands at a place means; empty where nothing is to be said."""
        name = self.name_at(path, line, column)
        if name is not None:
            return self._meaning_of(path, name, line, column)
        logical = self.logical_line(path, line)
        if logical is None:
            return ""
        found = [
            phrase
            for phrase in _phrases(logical)
            if phrase.where.line == line and phrase.where.column <= column
        ]
        if not found:
            return ""
        last = max(found, key=lambda phrase: phrase.where.column)
        text, detail = phrase_text(last), detail_of(last.kind)
        end = last.where.column + len(text)
        # behind the last word of a phrase stands no phrase
        return f"`{text}`  \n{detail}" if detail and column <= end else ""

    def logical_line(self, path: Path, line: int) -> LogicalLine | None:
        """Statement that a line belongs to."""
        lines = self.text(path).replace("\r\n", "\n").split("\n")
        for one in logical_lines(lines, path.name, lambda *_: None):
            if any(piece.line == line for piece in one.pieces):
                return one
        return None

    def _meaning_of(self, path: Path, name: NamePlace, line: int, column: int) -> str:
        found = self.definitions(path, line, column)
        if not found:
            built_in = built_in_defines().get(name.name) if name.kind == "condition" else None
            if built_in is None:
                return ""
            return _code(f"define {name.name} = {condition_text(built_in.condition)}")
        if name.kind == "file":
            return "\n".join(_remarks(self.text(found[0].path).split("\n")))
        shown = found[:_MOST_TAGGED] if name.kind == "tag" else found[:1]
        parts = []
        for one in shown:
            lines = self.text(one.path).replace("\r\n", "\n").split("\n")
            number = one.place.line - 1
            remarks: list[str] = []
            while number - len(remarks) > 0 and lines[number - len(remarks) - 1].startswith("--"):
                remarks.insert(0, lines[number - len(remarks) - 1])
            parts.append(_code("\n".join([*remarks, lines[number].strip()])))
            parts.append(f"{one.path.name}:{one.place.line}")
        if len(found) > len(shown):
            parts.append(f"and {len(found) - len(shown)} more")
        return "\n\n".join(parts)


def is_shipped(path: Path) -> bool:
    """Whether a file, links followed, comes with the package."""
    return path.is_relative_to(shipped_folder().resolve())


def _code(text: str) -> str:
    return f"```bidding\n{text}\n```"


def _remarks(lines: list[str]) -> Iterator[str]:
    """Remarks at the top of a file, as prose."""
    for line in lines:
        if line.strip() and not line.startswith(("--", "system ")):
            return
        if line.startswith("--"):
            yield line.lstrip("-").strip()


def _phrases(logical: LogicalLine) -> Iterator[Phrase]:
    """Phrases of a statement, where they stand in the file."""
    parsed = parse_statement(logical.text).statement
    if parsed is None:
        return
    statement = place_statement(parsed, logical.places())
    condition: Condition | None = None
    if isinstance(statement, (Line, Variant, Define)):
        condition = statement.condition
    elif isinstance(statement, HeaderStatement):
        condition = statement.header.condition
    yield from phrases_of(condition)
