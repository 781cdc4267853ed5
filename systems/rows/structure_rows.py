"""The structure of a system's text as rows of words for the core: groups of lines, lines, variants.

``kernels/core/text/structure.hpp`` draws the rows and checks them. What a line says is written
once, however many places it stands at.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np

from bidcascade.bridge import InvalidSystem
from bidcascade.kernels.types import I32
from bidcascade.systems.language.tree.syntax_tree import VARIABLES, Agreement, Line
from bidcascade.systems.places.contexts import LAST_RESORT, LineGroup, PlacedLine
from bidcascade.systems.places.places import Rules

from .text_rows import TextRows, Words, joined

FORMAT: Final = 0x42435332
HIDDEN_BY_NONE: Final = -1
"""For :data:`.contexts.LAST_RESORT`; the other specificities are numbered from 0."""
MOST_VARIANTS: Final = 1 << 20
_SECTIONS: Final = (
    "groups", "lines", "written", "variants", "agreements", "steps", "tests", "branches",
    "group_lines", "opening", "moving", "lists",
)  # fmt: skip


class StructureRows:
    """Rows of the structure of a text, and the objects that they stand for.

    Parameters
    ----------
    rules
        The system.
    text
        Rows of its conditions and call patterns, which get their numbers from it.

    Attributes
    ----------
    groups : list of LineGroup
        In the order in which they are tried.

    Raises
    ------
    InvalidSystem
        If there are more lines than the core has numbers for.
    """

    def __init__(self, rules: Rules, text: TextRows) -> None:
        self._rules, self._text = rules, text
        self._rows: dict[str, list[Any]] = {name: [] for name in _SECTIONS}
        self._agreements: dict[int, int] = {}
        self._written: dict[int, int] = {}
        places = rules.places
        top = [
            *places.opening, *(g for found in places.by_length.values() for g in found),
            *places.any_length, *places.anywhere,
        ]  # fmt: skip
        self.groups = sorted(_with_below(top), key=_turn)
        self._numbers = {id(group): number for number, group in enumerate(self.groups)}
        self._owners: list[LineGroup] = [*self.groups[:1]] * len(places.lines)
        self._first_variants: list[int] = []
        for group in self.groups:
            for placed in group.lines:
                self._owners[placed.number] = group
        count = 0
        for placed in places.lines:
            self._first_variants.append(count)
            count += len(placed.line.variants) or 1
            self._add_line(placed)
        if count >= MOST_VARIANTS:
            raise InvalidSystem(f"expected a system of at most {MOST_VARIANTS} variants")
        specificities: dict[Any, int] = {LAST_RESORT: HIDDEN_BY_NONE}
        for group in self.groups:
            specificity = specificities.setdefault(group.specificity, len(specificities) - 1)
            self._add_group(group, specificity)
        self._rows["opening"] = self._group_numbers(places.opening)
        self._rows["moving"] = self._group_numbers(
            [*(g for found in places.by_length.values() for g in found), *places.any_length]
        )
        self._add_branch(rules.anywhere)

    def lines(self) -> I32:
        """Of each line at its place: number of its first variant, 0, specificity of its group."""
        rows = zip(self._first_variants, self._owners, strict=True)
        found = [(first, 0, *group.specificity) for first, group in rows]
        return np.array(found, np.int32).reshape(-1, 6)

    def words(self) -> Words:
        """All rows, int32: what ``Structure::read`` of the core takes."""
        return joined(FORMAT, [self._rows[name] for name in _SECTIONS])

    def _add_group(self, group: LineGroup, specificity: int) -> None:
        rows = self._rows
        lines = [placed.number for placed in group.lines]
        first_line = _extended(rows["group_lines"], lines)
        steps = None
        if group.pattern is not None:
            steps = [
                (int(step.any_calls), *self._list(map(self._text.call_pattern, step.calls)))
                for step in group.pattern.steps
            ]
        first_step = _extended(rows["steps"], steps or ())
        theirs = (0, -1)
        if group.their_call is not None:
            theirs = self._list(map(self._text.call_pattern, group.their_call.calls))
        tests = [
            (
                self._text.condition(test.condition),
                *self._list(VARIABLES.index(name) for name in test.names),
            )
            for test in group.tests
        ]
        first_test = _extended(rows["tests"], tests)
        rows["groups"].append(
            (
                specificity, first_line, len(lines), first_step,
                -1 if steps is None else len(steps), *theirs, first_test, len(tests),
            )
        )  # fmt: skip

    def _add_line(self, placed: PlacedLine) -> None:
        line = placed.line
        written = self._written.get(id(line))
        if written is None:
            written = self._written[id(line)] = self._write(line)
        below = self._list(self._group_numbers(placed.below)) if placed.below else (0, 0)
        self._rows["lines"].append((written, *below))

    def _write(self, line: Line) -> int:
        """Write what a line says; its number."""
        variants = [
            (self._text.condition(variant.condition), *self._agreements_of(variant.agreements))
            for variant in line.variants
        ]
        agreements = self._agreements_of(line.agreements)
        pattern, condition = (
            self._text.call_pattern(line.call),
            self._text.condition(line.condition),
        )
        first = _extended(self._rows["variants"], variants)
        row = (pattern, condition, *agreements, first, len(variants))
        return _extended(self._rows["written"], (row,))

    def _agreements_of(self, agreements: Iterable[Agreement]) -> tuple[int, int]:
        return self._list(map(self._agreement, agreements)) if agreements else (0, 0)

    def _agreement(self, one: Agreement) -> int:
        identity = self._text.identity_of(one)
        number = self._agreements.get(identity)
        if number is None:
            text = self._text
            row = (
                text.text(one.kind),
                text.text(one.text),
                -1 if one.suit is None else text.text(one.suit),
                -1 if one.call is None else text.call_pattern(one.call),
                text.condition(one.condition),
                text.tag(one.text) if one.kind == "tag" else -1,
            )
            number = self._agreements[identity] = _extended(self._rows["agreements"], (row,))
        return number

    def _add_branch(self, branch: Any) -> int:
        """Write what applies everywhere, from a branch on; its number."""
        children: list[int] = []
        for test, below in branch.below.values():
            number = len(self._rows["tests"])
            names = self._list(VARIABLES.index(name) for name in test.names)
            self._rows["tests"].append((self._text.condition(test.condition), *names))
            children += number, self._add_branch(below)
        first_child, words = self._list(children)
        row = (*self._list(self._group_numbers(branch.groups)), first_child, words // 2)
        self._rows["branches"].append(row)
        return len(self._rows["branches"]) - 1

    def _group_numbers(self, groups: Iterable[LineGroup]) -> list[int]:
        return [self._numbers[id(group)] for group in groups]

    def _list(self, items: Iterable[int]) -> tuple[int, int]:
        """Place of some numbers among the lists, and how many they are."""
        numbers = list(items)
        return _extended(self._rows["lists"], numbers), len(numbers)


def _extended(rows: list[Any], more: Iterable[Any]) -> int:
    first = len(rows)
    rows += more
    return first


def _turn(group: LineGroup) -> tuple[int, int, int, int, int]:
    literal, classes, facts, particular = group.specificity
    return -literal, -classes, -facts, -particular, group.lines[0].number


def _with_below(groups: Iterable[LineGroup]) -> Iterator[LineGroup]:
    for group in groups:
        yield group
        for placed in group.lines:
            yield from _with_below(placed.below)
