"""Files of a system: found, read and decoded, and the statements in them, includes put in place."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from bidcascade.bridge import InvalidInput
from bidcascade.kernels.machine.bounded_files import read_bounded
from bidcascade.systems.language.errors import Complaint, complaint_at, invalid_system, nearest
from bidcascade.systems.language.grammar.grammar import parse_statement
from bidcascade.systems.language.shipped import (
    PAGES,
    SUFFIX,
    folders_beside,
    places_of_file,
    resolved,
    shipped_folder,
)
from bidcascade.systems.language.tree.statements import (
    ConventionStatement,
    IncludeStatement,
    Item,
    OpponentsStatement,
    OptionStatement,
    SystemStatement,
)
from bidcascade.systems.language.tree.syntax_tree import Define, Line, OptionWords, Variant, Where

from .layout import RawItem, code_of, logical_lines, tree_of
from .options import (
    Node,
    chosen_values,
    held_options,
    nodes_of,
    places_of,
    raw_nodes,
    stated_options,
    within_of,
)
from .placing import place_statement

MOST_FILES: Final = 100
"""Files that one system may include, all levels together."""

MOST_LINES: Final = 10_000
"""Lines of all files of a system; the largest that is shipped has about 2,600."""

MOST_CHARACTERS: Final = 2_000_000
"""Characters of all files of a system; the largest that is shipped has about 170,000."""

MOST_COMPLAINTS: Final = 1_000
"""With so many nothing more is read: what is given is no system."""

_AT_THE_EDGE: Final = (SystemStatement, IncludeStatement, OpponentsStatement)


@dataclass(slots=True)
class Convention:
    """A convention as it is written: its body is read anew wherever it is used."""

    statement: ConventionStatement
    body: list[RawItem]


@dataclass(slots=True)
class Sources:
    """All that was read of a system, with what is wrong in it."""

    complaints: list[Complaint] = field(default_factory=list)
    lines: dict[str, list[str]] = field(default_factory=dict)
    """Physical lines by name of the file, for messages."""
    files: list[tuple[Path, str]] = field(default_factory=list)
    title: str = ""
    titled: dict[str, Where] = field(default_factory=dict)
    """Where each file gives a title, by its name."""
    prose: str = ""
    opponents: Path | None = None
    conventions: dict[str, Convention] = field(default_factory=dict)
    options: dict[str, bool] = field(default_factory=dict)
    """Whether each option is on, once :meth:`choose_options` was called."""
    options_held: dict[str, bool] = field(default_factory=dict)
    """Whether each option holds."""
    option_words: dict[str, OptionWords] = field(default_factory=dict)
    is_chosen: bool = False
    """Whether options were chosen: what is read later sets none."""
    option_statements: list[OptionStatement] = field(default_factory=list)
    """Where options are turned on or off, or only named."""
    option_blocks: set[str] = field(default_factory=set)
    """Options that some lines depend on."""
    reading: list[Path] = field(default_factory=list)
    """Files that include one another, from the first on."""
    within: list[str] = field(default_factory=list)
    """Names of the texts that are being read, from the first on."""
    includes: dict[str, set[str]] = field(default_factory=dict)
    """Names of the files that a text includes, by its own."""
    read: set[Path] = field(default_factory=set)
    """Files whose lines stand there already, links followed."""
    looked: dict[Path, str | None] = field(default_factory=dict)
    """Where files that the text names were looked for, and what was there."""
    given: Mapping[str, str] = field(default_factory=dict)
    """Texts that came with a text, by file name: read in place of files of that name."""
    held: Mapping[Path, str] = field(default_factory=dict)
    """Texts that an editor holds, read in place of what lies in their files."""
    paths: dict[str, Path] = field(default_factory=dict)
    """Files by the name that messages have for them."""
    is_text: bool = False
    """Whether a text from elsewhere is read, which may not look around on this machine."""
    bare: set[Where] = field(default_factory=set)
    """Lines with a name alone, without a colon behind it."""
    convention_list: list[Convention] = field(default_factory=list)
    """All that were read, those among them that another of their name stands before."""
    bodies: dict[tuple[Any, ...], tuple[Convention, list[Item]]] = field(default_factory=dict)
    """What conventions say with some words, as far as nothing is wrong in it."""
    characters: int = 0
    """Of all files read so far."""

    def complain(self, where: Where, message: str, advice: str = "") -> None:
        """Note something wrong and go on, unless there is far too much of it."""
        lines = self.lines.get(where.file, [])
        self.complaints.append(complaint_at(where, message, lines, advice))
        if len(self.complaints) >= MOST_COMPLAINTS:
            raise invalid_system(self.complaints)

    # ------------------------------------------------------------------ files
    def read_file(self, path: Path, name: str) -> list[Item]:
        """Statements of a file, those of the files that it includes in their place."""
        try:
            given = self.held.get(path.resolve(), self.given.get(path.name))
            content = read_bounded(path, 4 * MOST_CHARACTERS) if given is None else given.encode()
        except InvalidInput:
            self.complain(
                Where(name, 0),
                f"a system has at most {MOST_CHARACTERS:,} characters in all its files, "
                "with this one it has more",
            )
            return []
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            self.complain(Where(name, 0), f"the file cannot be read: {reason}")
            return []
        self.files.append((path, hashlib.sha256(content).hexdigest()))
        self.paths[name] = path
        found = path.resolve()
        self.read.add(found)
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            before = content[: error.start]
            line = before.count(b"\n") + 1
            column = len(before.rpartition(b"\n")[2].decode("utf-8")) + 1
            byte = content[error.start]
            self.lines[name] = content.decode("utf-8-sig", "replace").splitlines()
            self.complain(
                Where(name, line, column),
                f"byte {byte:#04x} is no UTF-8",
                "save the file as UTF-8",
            )
            return []
        self.reading.append(found)
        items = self.read_text(text, name)
        self.reading.pop()
        return items

    def read_text(self, text: str, name: str) -> list[Item]:
        """Statements of a text."""
        self.characters += len(text)
        if self.characters > MOST_CHARACTERS:
            self.lines[name] = []
            self.complain(
                Where(name, 0),
                f"a system has at most {MOST_CHARACTERS:,} characters in all its files, "
                "with this one it has more",
            )
            return []
        lines = text.replace("\r\n", "\n").split("\n")
        self.lines[name] = lines
        count = sum(map(len, self.lines.values()))
        if count > MOST_LINES:
            self.complain(
                Where(name, 0),
                f"a system has at most {MOST_LINES:,} lines in all its files, "
                f"with this one it has {count:,}",
            )
            return []
        logical = logical_lines(lines, name, self.complain)
        if not self.prose:
            self.prose = prose_of(lines)
        self.within.append(name)
        items = self._top(tree_of(logical, self.complain))
        self.within.pop()
        return items

    def _top(self, raw: list[RawItem]) -> list[Item]:
        items: list[Item] = []
        for found in raw:
            item = self.item(found, {}, top=True)
            if item is None:
                continue
            statement = item.statement
            if isinstance(statement, IncludeStatement):
                items += self._included(statement)
            elif isinstance(statement, SystemStatement):
                self._titled(statement.title, item.where)
            elif isinstance(statement, OpponentsStatement):
                other = self._find(statement.file, statement.where, with_given=False)
                self.opponents = other or self.opponents
            elif not isinstance(statement, ConventionStatement):
                items.append(item)
        return items

    def _titled(self, title: str, where: Where) -> None:
        """Take the first title that is read; each file has one at most."""
        self.title = self.title or title
        known = self.titled.setdefault(where.file, where)
        if known is not where:
            self.complain(
                where,
                f"the system has its title already, in line {known.line}",
                "take one of these lines out",
            )

    def _included(self, statement: IncludeStatement) -> list[Item]:
        path = self._find(statement.file, statement.where)
        if path is None:
            return []
        found = Path(self.looked[path] or path)
        if found in self.reading:
            chain = [*self.reading[self.reading.index(found) :], path]
            self.complain(
                statement.where,
                f'"{statement.file}" includes itself: ' + " -> ".join(p.name for p in chain),
                "take one of these includes out",
            )
            return []
        if found in self.read:
            name = next(name for name, one in self.paths.items() if one.resolve() == found)
            self._includes(name)
            return []  # its lines stand there already
        if len(self.files) >= MOST_FILES:
            self.complain(statement.where, f"a system has at most {MOST_FILES} files")
            return []
        name = _name_of(path, self.reading)
        self._includes(name)
        return self.read_file(path, name)

    def _includes(self, name: str) -> None:
        self.includes.setdefault(self.within[-1], set()).add(name)

    def _all_included(self, file: str) -> frozenset[str]:
        """Names of the files that a file includes, itself or by those that it includes."""
        found: set[str] = set()
        waiting = [file]
        while waiting:
            further = self.includes.get(waiting.pop(), set()) - found
            found |= further
            waiting += further
        return frozenset(found)

    def comes_first(self, name: str, where: Where, known: Where, *, already: str) -> bool:
        """Whether a meaning of a name counts in place of the one that was read before.

        Who includes a file has the say over what stands in it, wherever the include stands; of
        files beside each other the first has it, as its lines come first. In one file one is too
        many.
        """
        if known.file == where.file:
            self.complain(
                where,
                f'"{name}" is {already} already, in line {known.line}',
                "give one of them another name",
            )
        return known.file in self._all_included(where.file)

    def _find(self, file: str, where: Where, *, with_given: bool = True) -> Path | None:
        """Find a file that a text names: given with it, beside it, else among those shipped."""
        folder = self.reading[-1].parent if self.reading else None
        places = places_of_file(file, folder)
        wanted = Path(file if Path(file).suffix else f"{file}{SUFFIX}")
        if self.is_text and (wanted.is_absolute() or ".." in wanted.parts):
            self.complain(where, f'"{file}" leads out of the folder of systems')
            return None
        if with_given and wanted.name == str(wanted) and wanted.name in self.given:
            # as if it lay among the pages: what it includes is looked for there
            path = places[-1]
            self.looked[path] = str(path.resolve())
            return path
        for path in places:
            self.looked[path] = resolved(path)
            if self.looked[path] is not None:
                return path
        folders = folders_beside(folder)
        there = {path.name for one in folders for path in one.glob(f"*{SUFFIX}")}
        near = nearest(wanted.name, there)
        self.complain(
            where,
            f'there is no file "{file}", neither here nor among the systems that come with it',
            f'did you mean "{near}"' if near else "",
        )
        return None

    # ------------------------------------------------------------------ statements
    def item(
        self, raw: RawItem, words: Mapping[str, str], *, top: bool = False, used: str = ""
    ) -> Item | None:
        """Read a statement with all below it, words of a convention's parameters put in.

        Returns None where the line does not parse; what is below is read for its complaints.
        """
        line = raw.line.with_words(words) if words else raw.line
        parsed = parse_statement(line.text)
        for fault in parsed.faults:
            message = f"{fault.message}, {used}" if used else fault.message
            self.complain(line.where(fault.position), message, fault.advice)
        if parsed.statement is None:
            self._below(raw, words, used)
            return None
        statement = place_statement(parsed.statement, line.places())
        if isinstance(statement, ConventionStatement):
            self._convention(statement, raw, top=top)
            return Item(statement, line.where()) if top else None
        is_header = isinstance(statement, OptionStatement) and (
            statement.without or code_of(line.text).rstrip().endswith(":")
        )
        if isinstance(statement, OptionStatement):
            self._option(statement, is_header=is_header or bool(raw.below))
        item = Item(statement, line.where(), self._below(raw, words, used), bool(raw.below))
        if isinstance(statement, Line) and ":" not in code_of(line.text):
            self.bare.add(statement.where)
        if isinstance(statement, OptionStatement):
            if is_header and not raw.below:
                self.complain(
                    statement.where,
                    f'nothing stands below the option "{statement.name}"',
                    "indent its lines under it",
                )
        elif not top and isinstance(statement, _AT_THE_EDGE):
            self.complain(item.where, "this stands at the left edge, in no block")
            return None
        if item.below and isinstance(statement, (*_AT_THE_EDGE, Define, Variant)):
            self.complain(
                item.below[0].where,
                "nothing can stand below the line above",
                "indent this line as much as that one",
            )
        return item

    def body_of(
        self, convention: Convention, words: Mapping[str, str], used: str = ""
    ) -> list[Item]:
        """Read the body of a convention, its parameters' words put in; once for the same words."""
        key = (id(convention), *sorted(words.items()))
        known = self.bodies.get(key)
        if known is not None:
            return known[1]
        before = len(self.complaints)
        read = (self.item(raw, words, used=used) for raw in convention.body)
        items = [found for found in read if found is not None]
        # whatever is wrong is said wherever it is used
        if before == len(self.complaints):
            self.bodies[key] = convention, items
        return items

    def _below(self, raw: RawItem, words: Mapping[str, str], used: str) -> list[Item]:
        found = (self.item(below, words, used=used) for below in raw.below)
        return [item for item in found if item is not None]

    def _convention(self, statement: ConventionStatement, raw: RawItem, *, top: bool) -> None:
        if not top:
            self.complain(statement.where, "a convention stands at the left edge, in no block")
        if not raw.below:
            self.complain(
                statement.where, f'"{statement.name}" has no lines', "indent them under it"
            )
        self.convention_list.append(Convention(statement, raw.below))
        parameters = frozenset(one.name for one in statement.parameters)
        for below in raw.below:
            self._options_in(below, parameters)

    def choose_conventions(self) -> None:
        """Choose the convention that each name stands for, once all files are read."""
        for convention in self.convention_list:
            name, where = convention.statement.name, convention.statement.where
            known = self.conventions.get(name)
            if known is None or self.comes_first(
                name, where, known.statement.where, already="there"
            ):
                self.conventions[name] = convention

    # ------------------------------------------------------------------ options
    def _option(self, statement: OptionStatement, *, is_header: bool) -> None:
        if is_header:
            self.option_blocks.add(statement.name)
        if statement.without:
            return
        self.option_statements.append(statement)
        if self.is_chosen and statement.name not in self.options:
            # a convention has it by a parameter: nobody knew of it before
            value = bool(statement.default)
            self.options[statement.name] = self.options_held[statement.name] = value
            self.option_words |= stated_options([statement], self._all_included)[1]

    def _options_in(self, raw: RawItem, parameters: frozenset[str]) -> None:
        """Note the options in a convention: its body is read only where it is used."""
        statement = None
        if raw.line.text.startswith("option "):
            statement = parse_statement(raw.line.text).statement
        if isinstance(statement, OptionStatement) and statement.name not in parameters:
            is_header = bool(raw.below) or code_of(raw.line.text).rstrip().endswith(":")
            placed = place_statement(statement, raw.line.places())
            assert isinstance(placed, OptionStatement)
            self._option(placed, is_header=is_header)
        for below in raw.below:
            self._options_in(below, parameters)

    def choose_options(self, items: Sequence[Item], chosen: Mapping[str, bool]) -> None:
        """Say which options are on and which hold, once all files are read.

        Raises
        ------
        InvalidSystem
            If one is chosen that the text lacks, or that cannot hold beside another one.
        """
        stated, words = stated_options(self.option_statements, cache(self._all_included))
        bodies: dict[str, tuple[Node, ...]] = {
            name: raw_nodes(convention.body) for name, convention in self.conventions.items()
        }
        places = places_of(nodes_of(items), bodies)
        within = within_of(places)
        self.option_words = {
            name: replace(one, within=within.get(name, {})) for name, one in words.items()
        }
        self.options = chosen_values(stated, places, chosen)
        self.options_held = held_options(self.options, places)
        self.is_chosen = True

    def check_options(self) -> None:
        """Complain of options that no lines depend on, once all conventions are read."""
        for name, words in self.option_words.items():
            if name not in self.option_blocks:
                near = nearest(name, self.option_blocks)
                self.complain(
                    words.where,
                    f'there is no option "{name}"',
                    f'did you mean "{near}"' if near else f'begin a block "option {name}:"',
                )


def _name_of(path: Path, reading: list[Path]) -> str:
    """Name of an included file in messages: without its folder where that is clear."""
    shipped = (shipped_folder(), shipped_folder() / PAGES)
    if (reading and path.parent.resolve() == reading[-1].parent) or path.parent in shipped:
        return path.name
    return str(path)


def prose_of(lines: Sequence[str]) -> str:
    """Find the comment page at the top of a text, maybe behind its ``system`` line."""
    found: list[str] = []
    for line in lines:
        text = line.strip()
        if text.startswith("--"):
            found.append(text.lstrip("-").removeprefix(" "))
        elif text and (found or text.split()[0] != "system"):
            break
        elif found:
            found.append("")
    return "\n".join(found).strip()
