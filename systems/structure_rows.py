"""The structure of a system's text as rows of words for the core: groups of lines, lines, variants.

``kernels/core/structure.hpp`` draws the rows and checks them.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np

from bidcascade.bridge import InvalidSystem
from bidcascade.kernels.core.rows import AGREEMENT_KINDS, TAG_WORDS
from bidcascade.systems.language.syntax_tree import VARIABLES, Agreement, Variant

from .contexts import Group, PlacedLine
from .patterns import fixed_call, is_variable, letter_of
from .places import Rules
from .text_rows import TextRows, Words

FORMAT: Final = 0x42435331
MOST_VARIANTS: Final = 1 << 20
_STRAINS: Final = "CDHSN"
_SECTIONS: Final = (
    "groups", "lines", "variants", "steps", "tests", "branches", "group_lines", "opening",
    "moving", "lists",
)  # fmt: skip
_BOUND_BY_AGREEMENTS: Final = (*VARIABLES, "n")


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
    groups : list of Group
        In the order in which they are tried.
    variants : list of (PlacedLine, Variant or None, Group)
        By number.

    Raises
    ------
    InvalidSystem
        If there are more lines than the core has numbers for.
    """

    def __init__(self, rules: Rules, text: TextRows) -> None:
        self._rules, self._text = rules, text
        self._rows: dict[str, list[Any]] = {name: [] for name in _SECTIONS}
        self._agreements: dict[Agreement, int] = {}
        places = rules.places
        top = [
            *places.opening, *(g for found in places.by_length.values() for g in found),
            *places.any_length, *places.anywhere,
        ]  # fmt: skip
        self.groups = sorted(_with_below(top), key=_turn)
        self._numbers = {id(group): number for number, group in enumerate(self.groups)}
        self.variants: list[tuple[PlacedLine, Variant | None, Group]] = []
        owner: dict[int, Group] = {}
        specificities: dict[Any, int] = {}
        for group in self.groups:
            owner |= dict.fromkeys((placed.number for placed in group.lines), group)
            self._add_group(group, specificities.setdefault(group.specificity, len(specificities)))
        for placed in places.lines:
            self._add_line(placed, owner[placed.number])
        self._rows["opening"] = self._group_numbers(places.opening)
        self._rows["moving"] = self._group_numbers(
            [*(g for found in places.by_length.values() for g in found), *places.any_length]
        )
        self._add_branch(rules.anywhere)
        if len(self.variants) >= MOST_VARIANTS:
            raise InvalidSystem(f"expected a system of at most {MOST_VARIANTS} variants")

    def words(self) -> Words:
        """All rows, int32: what ``Structure::read`` of the core takes."""
        parts = [np.array(self._rows[name], np.int64).ravel() for name in _SECTIONS]
        places = np.cumsum([len(_SECTIONS) + 2, *map(len, parts)])
        return np.concatenate([[FORMAT], places, *parts]).astype(np.int32)

    def _add_group(self, group: Group, specificity: int) -> None:
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

    def _add_line(self, placed: PlacedLine, group: Group) -> None:
        line, first = placed.line, len(self.variants)
        for variant in line.variants or (None,):
            self._add_variant(placed, variant)
            self.variants.append((placed, variant, group))
        code = fixed_call(line.call)
        self._rows["lines"].append(
            (
                -1 if code is None else code, self._text.call_pattern(line.call),
                self._text.condition(line.condition), first, len(self.variants) - first,
                *self._list(self._group_numbers(placed.below)),
            )
        )  # fmt: skip

    def _add_variant(self, placed: PlacedLine, variant: Variant | None) -> None:
        kinds = tags = 0
        promises: list[int] = []
        agreed: list[int] = []
        said = placed.line.agreements + (() if variant is None else variant.agreements)
        for one in said:
            if one.kind in AGREEMENT_KINDS:
                kinds |= 1 << AGREEMENT_KINDS.index(one.kind)
            if one.kind == "tag":
                tags |= 1 << self._text.tags[one.text]
            if one.kind == "shows" and one.condition is not None:
                promises.append(self._text.condition(one.condition))
            word = _strain_word(one.suit) if one.kind == "agrees" else None
            if word is not None:
                agreed += self._agreements.setdefault(one, len(self._agreements)), word
        first_agreed, words = self._list(agreed)
        self._rows["variants"].append(
            (
                placed.number, self._text.condition(None if variant is None else variant.condition),
                kinds, *self._list(promises), first_agreed, words // 2,
                *(_signed(tags >> 32 * word) for word in range(2 * TAG_WORDS)),
            )
        )  # fmt: skip

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

    def _group_numbers(self, groups: Iterable[Group]) -> list[int]:
        return [self._numbers[id(group)] for group in groups]

    def _list(self, items: Iterable[int]) -> tuple[int, int]:
        """Place of some numbers among the lists, and how many they are."""
        numbers = list(items)
        return _extended(self._rows["lists"], numbers), len(numbers)


def _extended(rows: list[Any], more: Iterable[Any]) -> int:
    first = len(rows)
    rows += more
    return first


def _signed(word: int) -> int:
    """Low 32 bits as a signed number."""
    word &= 0xFFFFFFFF
    return word - (word >> 31 << 32)


def _strain_word(word: str | None) -> int | None:
    """Give words for strains in agreements a number: 0-4 C D H S NT, then the variables."""
    if word is None:
        return None
    if is_variable(word):
        return 5 + _BOUND_BY_AGREEMENTS.index(word)
    letter = letter_of(word, {})
    return None if letter is None else _STRAINS.index(letter)


def _turn(group: Group) -> tuple[int, int, int, int, int]:
    literal, classes, facts, particular = group.specificity
    return -literal, -classes, -facts, -particular, group.lines[0].number


def _with_below(groups: Iterable[Group]) -> Iterator[Group]:
    for group in groups:
        yield group
        for placed in group.lines:
            yield from _with_below(placed.below)
