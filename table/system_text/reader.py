"""Reads a bidding system: text or a file, and the files that it includes, to a tree.

All that is wrong is found in one go: a bad line is complained of and the next one read.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bidcascade.bridge import InvalidSystem

from .checks import check_system, known_names
from .errors import invalid_system, nearest
from .grammar import parse_conditions
from .placing import place_condition
from .sources import SUFFIX, Convention, Sources, shipped_folder
from .statements import (
    ConventionStatement,
    HeaderStatement,
    Item,
    OptionStatement,
    UseStatement,
)
from .syntax_tree import (
    NOWHERE,
    Agreement,
    Block,
    Condition,
    Define,
    Line,
    SystemText,
    Variant,
    Where,
)

__all__ = ["BUILT_IN_DEFINES", "parse_condition", "read_system", "read_text"]

MOST_STATEMENTS: Final = 200_000
"""Lines that a system may have, those of conventions counted wherever they are used."""

_BUILT_IN: Final = {
    "balanced": "4-3-3-3 or 4-4-3-2 or 5-3-3-2",
    "semi-balanced": "4-3-3-3 or 4-4-3-2 or 5-3-3-2 or 5-4-2-2 or 6-3-2-2",
    "unbalanced": "not balanced",
}


def parse_condition(text: str, where: Where = NOWHERE) -> Condition:
    """Read conditions that stand alone; names are not looked up.

    Parameters
    ----------
    text
        Such as ``15-17 points, balanced``.
    where
        Place of the first character, for the tree and for messages.

    Raises
    ------
    InvalidSystem
        If the text is no condition.

    Examples
    --------
    >>> [phrase.kind for phrase in parse_condition("15-17 points, 5+ hearts").parts]
    ['points', 'length']
    """

    def locate(position: int) -> Where:
        return Where(where.file, where.line, max(where.column, 1) + position)

    parsed = parse_conditions(text)
    if parsed.wrong or parsed.condition is None:
        sources = Sources()
        sources.lines[where.file] = [""] * (where.line - 1) + [
            " " * (max(where.column, 1) - 1) + text
        ]
        for fault in parsed.wrong:
            sources.complain(locate(fault.position), fault.message, fault.advice)
        if not sources.complaints:
            sources.complain(locate(0), "these words are in quotes: they test nothing")
        raise invalid_system(sources.complaints)
    condition = place_condition(parsed.condition, locate)
    assert condition is not None
    return condition


BUILT_IN_DEFINES: Final = {
    name: Define(name, (), parse_condition(text), NOWHERE) for name, text in _BUILT_IN.items()
}
"""What balanced, semi-balanced and unbalanced mean, unless a system's text says it."""


def read_system(
    path_or_text: str | Path,
    *,
    options: Mapping[str, bool] | None = None,
    name: str = "<text>",
) -> SystemText:
    """Read a bidding system.

    Parameters
    ----------
    path_or_text
        A file, the name of a system that comes with the package (``sayc``), or, if it has more
        than one line, the text itself.
    options
        Options of the system to be set, by name.
    name
        Of a text, in messages.

    Raises
    ------
    InvalidSystem
        With every complaint about the text: file, line, caret and advice.

    Examples
    --------
    >>> system = read_system('''
    ... system Tiny
    ... opening:
    ...   1NT = Strong notrump: 15-17 points, balanced
    ... ''')
    >>> system.title, system.blocks[0].body[0].name
    ('Tiny', 'Strong notrump')
    """
    if isinstance(path_or_text, str) and "\n" in path_or_text:
        return read_text(path_or_text, name, options=options)
    path = Path(path_or_text)
    if not path.is_file() and len(path.parts) == 1:
        shipped = shipped_folder() / (path.name if path.suffix else f"{path.name}{SUFFIX}")
        path = shipped if shipped.is_file() else path
    sources = Sources()
    # the name alone: what a line is called must not depend on where the file lies
    return _system(sources, sources.read_file(path, path.name), options)


def read_text(
    text: str, file: str = "<text>", *, options: Mapping[str, bool] | None = None
) -> SystemText:
    """Read a bidding system from a string; it may include only the systems that are shipped.

    Raises
    ------
    InvalidSystem
        With every complaint about the text.

    Examples
    --------
    >>> read_text("opening:  -- a comment" + chr(10) + "  1NT = 15-17 points").blocks[0].remark
    'a comment'
    """
    sources = Sources()
    return _system(sources, sources.read_text(text, file), options)


def _system(sources: Sources, items: list[Item], options: Mapping[str, bool] | None) -> SystemText:
    for option, value in (options or {}).items():
        if option not in sources.options:
            near = nearest(option, sources.options)
            there = ", ".join(sorted(sources.options)) or "none"
            raise InvalidSystem(
                f"expected an option of the system ({there}), got {option!r}"
                + (f"; did you mean {near!r}" if near else "")
            )
        sources.options[option] = value
    resolver = _Resolver(sources)
    body = resolver.body(items, None, ())
    resolver.read_unused()
    blocks: list[Block] = []
    for found in body:
        if isinstance(found, Block):
            blocks.append(found)
        else:
            sources.complain(
                found.where,
                "a call stands in a block, this one is below nothing",
                'begin a block above it, such as "opening:" or "after 1NT:"',
            )
    defines = {**BUILT_IN_DEFINES, **resolver.defines}
    names = known_names(defines)
    settled = tuple(_settled_block(block, names) for block in blocks)
    title = sources.title
    system = SystemText(
        title, sources.prose, defines, settled, dict(sources.options), tuple(sources.files),
        sources.opponents,
    )  # fmt: skip
    check_system(system, sources)
    if sources.complaints:
        order = {file: number for number, file in enumerate(sources.lines)}
        raise invalid_system(
            sorted(
                sources.complaints,
                key=lambda c: (order.get(c.where.file, 0), c.where.line, c.where.column),
            )
        )
    return system


class _Resolver:
    """Puts conventions in place and options aside, and makes lines and blocks of statements."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.defines: dict[str, Define] = {}
        self._used: set[str] = set()
        self._count = 0

    def body(
        self, items: list[Item], parent: Item | None, using: tuple[str, ...]
    ) -> "list[Line | Block]":
        """Lines and blocks of a body; variants are left to the line that they belong to."""
        found: list[Line | Block] = []
        for item in items:
            self._count += 1
            if self._count > MOST_STATEMENTS:
                if self._count == MOST_STATEMENTS + 1:
                    self.sources.complain(
                        item.where,
                        f"a system has at most {MOST_STATEMENTS:,} lines, conventions put in place",
                    )
                break
            statement = item.statement
            if isinstance(statement, Line):
                found.append(self._line(statement, item, using))
            elif isinstance(statement, HeaderStatement):
                found.append(self._block(statement, item, parent, using))
            elif isinstance(statement, OptionStatement):
                found += self._option(statement, item, parent, using)
            elif isinstance(statement, UseStatement):
                found += self._use(statement, item, parent, using)
            elif isinstance(statement, Define):
                self._define(statement, parent)
            elif isinstance(statement, Variant):
                if parent is None or not isinstance(parent.statement, Line):
                    self.sources.complain(
                        item.where,
                        f'"{_first_word(statement)}" begins a hand type of a call, '
                        "and no call stands above",
                        "indent it under its call",
                    )
            else:
                assert not isinstance(statement, ConventionStatement)
        return found

    def _line(self, line: Line, item: Item, using: tuple[str, ...]) -> Line:
        variants = tuple(
            below.statement for below in item.below if isinstance(below.statement, Variant)
        )
        if variants and line.condition is not None:
            self.sources.complain(
                variants[0].where,
                "the call above has conditions of its own already",
                "move them into each of the hand types",
            )
        below = tuple(self.body(item.below, item, using))
        return Line(
            line.call, line.name, line.condition, line.quoted, line.agreements, variants, below,
            line.remark, line.where,
        )  # fmt: skip

    def _block(
        self,
        statement: HeaderStatement,
        item: Item,
        parent: Item | None,
        using: tuple[str, ...],
    ) -> Block:
        header = statement.header
        if not item.had_below:
            self.sources.complain(
                header.where, "nothing stands below this header", "indent its lines under it"
            )
        below_line = parent is not None and isinstance(parent.statement, Line)
        if below_line and header.kind in ("opening", "after"):
            self.sources.complain(
                header.where,
                f'"{statement.word}" cannot stand below a call',
                "begin it at the left edge, or leave it away: what is below a call follows it",
            )
        return Block(header, tuple(self.body(item.below, item, using)), statement.remark)

    def _option(
        self,
        statement: OptionStatement,
        item: Item,
        parent: Item | None,
        using: tuple[str, ...],
    ) -> "list[Line | Block]":
        value = self.sources.options.get(statement.name)
        if value is None:
            near = nearest(statement.name, self.sources.options)
            self.sources.complain(
                statement.where,
                f'there is no option "{statement.name}"',
                f'did you mean "{near}"' if near else f'begin a block "option {statement.name}:"',
            )
            return []
        found = self.body(item.below, parent, using)
        return found if value is not statement.without else []

    def _define(self, define: Define, parent: Item | None) -> None:
        if parent is not None:
            self.sources.complain(define.where, '"define" stands at the left edge, in no block')
        known = self.defines.get(define.name)
        if known is not None and known.where.file == define.where.file:
            self.sources.complain(
                define.where,
                f'"{define.name}" is defined already, in line {known.where.line}',
                "give one of them another name",
            )
        self.defines[define.name] = define

    # ------------------------------------------------------------------ conventions
    def _use(
        self,
        statement: UseStatement,
        item: Item,
        parent: Item | None,
        using: tuple[str, ...],
    ) -> "list[Line | Block]":
        convention = self.sources.conventions.get(statement.name)
        if convention is None:
            near = nearest(statement.name, self.sources.conventions)
            self.sources.complain(
                statement.where,
                f'there is no convention "{statement.name}"',
                f'did you mean "{near}"' if near else "",
            )
            return []
        if statement.name in using:
            chain = " -> ".join((*using[using.index(statement.name) :], statement.name))
            self.sources.complain(statement.where, f"a convention uses itself: {chain}")
            return []
        self._used.add(statement.name)
        if item.below:
            self.sources.complain(
                item.below[0].where,
                "nothing can stand below the line above",
                "indent this line as much as that one",
            )
        words = self._words(statement, convention)
        if words is None:
            return []
        used = f"as used in {statement.where.file}:{statement.where.line}" if words else ""
        items = (self.sources.item(raw, words, used=used) for raw in convention.body)
        return self.body(
            [found for found in items if found is not None], parent, (*using, statement.name)
        )

    def _words(self, use: UseStatement, convention: Convention) -> dict[str, str] | None:
        """Value of each parameter; None where one is missing."""
        names = [parameter.name for parameter in convention.statement.parameters]
        words = {
            parameter.name: parameter.value
            for parameter in convention.statement.parameters
            if parameter.value is not None
        }
        for given in use.parameters:
            if given.name not in names:
                near = nearest(given.name, names) or ", ".join(names)
                self.sources.complain(
                    given.where,
                    f'"{use.name}" has no parameter "{given.name}"',
                    f'did you mean "{near}"' if near else "it has none",
                )
            elif given.value is None:
                self.sources.complain(
                    given.where,
                    f'"{given.name}" has no value here',
                    f'write it behind the name, such as "{given.name} 10"',
                )
                words.setdefault(given.name, given.name)
            else:
                words[given.name] = given.value
        missing = [name for name in names if name not in words]
        if missing:
            listed = ", ".join(f'"{name}"' for name in missing)
            example = ", ".join(f"{name} …" for name in missing)
            self.sources.complain(
                use.where,
                f'"{use.name}" needs a value for {listed}',
                f'write "use {use.name}({example})"',
            )
            return None
        return words

    def read_unused(self) -> None:
        """Read conventions that nothing uses for what is wrong in them, where they can be."""
        for name, convention in self.sources.conventions.items():
            if name in self._used:
                continue
            words = {p.name: p.value for p in convention.statement.parameters if p.value}
            if len(words) == len(convention.statement.parameters):
                for raw in convention.body:
                    self.sources.item(raw, words)


def _first_word(variant: Variant) -> str:
    return f"{variant.name}:" if variant.name else "either"


# ---------------------------------------------------------------------- what calls show
def _settled_block(block: Block, names: frozenset[str]) -> Block:
    body = tuple(
        _settled_block(found, names) if isinstance(found, Block) else _settled_line(found, names)
        for found in block.body
    )
    return Block(block.header, body, block.remark)


def _settled_line(line: Line, names: frozenset[str]) -> Line:
    below = tuple(
        _settled_block(found, names) if isinstance(found, Block) else _settled_line(found, names)
        for found in line.below
    )
    variants = tuple(
        Variant(v.name, v.condition, v.quoted, v.remark, _settled(v.agreements, names), v.where)
        for v in line.variants
    )
    return Line(
        line.call, line.name, line.condition, line.quoted, _settled(line.agreements, names),
        variants, below, line.remark, line.where,
    )  # fmt: skip


def _settled(agreements: tuple[Agreement, ...], names: frozenset[str]) -> tuple[Agreement, ...]:
    """``shows`` and ``denies`` with their condition, where the words behind are one."""
    if not any(agreement.kind in ("shows", "denies") for agreement in agreements):
        return agreements
    return tuple(_settled_agreement(agreement, names) for agreement in agreements)


def _settled_agreement(agreement: Agreement, names: frozenset[str]) -> Agreement:
    from .joining import phrases_of

    if agreement.kind not in ("shows", "denies"):
        return agreement
    parsed = parse_conditions(agreement.text)
    if parsed.wrong or parsed.condition is None:
        return agreement
    if any(p.kind == "named" and p.text not in names for p in phrases_of(parsed.condition)):
        return agreement
    where = agreement.where
    start = where.column + len(agreement.kind) + 1
    condition = place_condition(
        parsed.condition, lambda position: Where(where.file, where.line, start + position)
    )
    return Agreement(agreement.kind, agreement.text, condition=condition, where=where)
