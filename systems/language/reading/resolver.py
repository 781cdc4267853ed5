"""Makes lines and blocks of statements: options chosen, conventions put in place."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from bidcascade.systems.language.auctions.turns import in_turn
from bidcascade.systems.language.errors import nearest
from bidcascade.systems.language.grammar.grammar import parse_conditions
from bidcascade.systems.language.shipped import shipped_conventions
from bidcascade.systems.language.tree.statements import (
    ConventionStatement,
    HeaderStatement,
    Item,
    OptionStatement,
    UseStatement,
)
from bidcascade.systems.language.tree.syntax_tree import Block, Define, Line, Phrase, Variant

from .sources import Convention, Sources

MOST_STATEMENTS: Final = 100_000
"""Lines that a system may have, those of conventions counted wherever they are used."""


class Resolver:
    """Puts conventions in place and options aside, and makes lines and blocks of statements."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.defines: dict[str, Define] = {}
        self.aside: list[Line | Block | Variant] = []
        """What options that are off keep out, and conventions that nothing uses."""
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
                line = self._line(statement, item, using)
                if line is not None:
                    found.append(line)
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

    def _line(self, line: Line, item: Item, using: tuple[str, ...]) -> Line | None:
        """Make a line; None if all hand types of its call are those of options that are off."""
        variants = tuple(self._variants(item.below))
        if not variants and line.condition is None and _has_types(item.below):
            self.body(item.below, item, using)
            return None
        if variants and line.condition is not None:
            self.sources.complain(
                variants[0].where,
                "the call above has conditions of its own already",
                "move them into each of the hand types",
            )
        below = tuple(self.body(item.below, item, using))
        return Line(
            line.call,
            line.name,
            line.condition,
            line.quoted,
            line.agreements,
            variants,
            below,
            line.remark,
            line.where,
        )

    def _variants(self, items: list[Item]) -> Iterator[Variant]:
        """Hand types below a call, those of options that are on among them."""
        for item in items:
            statement = item.statement
            if isinstance(statement, Variant):
                yield statement
            elif isinstance(statement, OptionStatement):
                below = self._variants(item.below)
                if self.sources.options.get(statement.name) is not statement.without:
                    yield from below
                else:
                    self.aside += below

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
        if header.kind == "after":
            auctions = tuple(
                in_turn(auction, statement.word, self.sources.complain)
                for auction in header.auctions
            )
            if auctions != header.auctions:
                header = replace(header, auctions=auctions)
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
        if value is not statement.without:
            return found
        self.aside += found
        return []

    def _define(self, define: Define, parent: Item | None) -> None:
        if parent is not None:
            self.sources.complain(define.where, '"define" stands at the left edge, in no block')
        words = " ".join((define.name, *define.suits))
        parsed = parse_conditions(words).condition
        if parsed != Phrase("named", suits=define.suits, text=define.name):
            self.sources.complain(
                define.where,
                f'"{define.name}" cannot be a name: its words mean something already',
                "take another word, or put one in front of it",
            )
        known = self.defines.get(define.name)
        if known is None or self.sources.comes_first(
            define.name, define.where, known.where, already="defined"
        ):
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
            page = shipped_conventions().get(statement.name)
            advice = f'did you mean "{near}"' if near else ""
            if page is not None:
                advice = f'it stands in a page that comes along: include "{page}"'
            self.sources.complain(
                statement.where, f'there is no convention "{statement.name}"', advice
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
        items = self.sources.body_of(convention, words, used)
        for found in items:
            if isinstance(found.statement, Variant):
                self.sources.complain(
                    found.where, "a hand type stands below its call, not in a convention alone"
                )
        return self.body(items, parent, (*using, statement.name))

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
                items = self.sources.body_of(convention, words)
                self.aside += self.body(items, None, (name,))


def _has_types(items: list[Item]) -> bool:
    """Whether hand types of a call stand below it, or would if an option were on."""
    return any(
        isinstance(item.statement, Variant)
        or (isinstance(item.statement, OptionStatement) and _has_types(item.below))
        for item in items
    )


def _first_word(variant: Variant) -> str:
    return f"{variant.name}:" if variant.name else "either"
