"""The structure of a system's text as rows of words for the core: groups of lines, lines, variants.

``kernels/core/structure.hpp`` draws the rows and checks them.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from bidcascade.bridge import InvalidSystem
from bidcascade.kernels.core.rows import AGREEMENT_KINDS, TAG_WORDS
from bidcascade.systems.language.syntax_tree import VARIABLES, Agreement, Line, Variant

from .contexts import LAST_RESORT, Group, PlacedLine
from .patterns import fixed_call, is_variable, letter_of
from .places import Rules
from .text_rows import TextRows, Words, joined

FORMAT: Final = 0x42435331
HIDDEN_BY_NONE: Final = -1
"""For :data:`.contexts.LAST_RESORT`; the other specificities are numbered from 0."""
MOST_VARIANTS: Final = 1 << 20
_STRAINS: Final = "CDHSN"
_SECTIONS: Final = (
    "groups", "lines", "variants", "steps", "tests", "branches", "group_lines", "opening",
    "moving", "lists",
)  # fmt: skip
_BOUND_BY_AGREEMENTS: Final = (*VARIABLES, "n")

_NO_TAGS: Final = (0,) * (2 * TAG_WORDS)
_SAYING_NOTHING: Final = (0, 0, 0, 0, 0, *_NO_TAGS)

Row = tuple[int, ...]


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
        self._lines: dict[int, tuple[Row, list[Row]]] = {}
        places = rules.places
        top = [
            *places.opening, *(g for found in places.by_length.values() for g in found),
            *places.any_length, *places.anywhere,
        ]  # fmt: skip
        self.groups = sorted(_with_below(top), key=_turn)
        self._numbers = {id(group): number for number, group in enumerate(self.groups)}
        self.variants: list[tuple[PlacedLine, Variant | None, Group]] = []
        owner: list[Group] = [*self.groups[:1]] * len(places.lines)
        specificities: dict[Any, int] = {LAST_RESORT: HIDDEN_BY_NONE}
        for group in self.groups:
            for placed in group.lines:
                owner[placed.number] = group
            specificity = specificities.setdefault(group.specificity, len(specificities) - 1)
            self._add_group(group, specificity)
        for placed, group in zip(places.lines, owner, strict=True):
            self._add_line(placed, group)
        self._rows["opening"] = self._group_numbers(places.opening)
        self._rows["moving"] = self._group_numbers(
            [*(g for found in places.by_length.values() for g in found), *places.any_length]
        )
        self._add_branch(rules.anywhere)
        if len(self.variants) >= MOST_VARIANTS:
            raise InvalidSystem(f"expected a system of at most {MOST_VARIANTS} variants")

    def words(self) -> Words:
        """All rows, int32: what ``Structure::read`` of the core takes."""
        return joined(FORMAT, [self._rows[name] for name in _SECTIONS])

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
        # a line that stands at several places is laid out once
        known = self._lines.get(id(placed.line))
        if known is None:
            known = self._lines[id(placed.line)] = self._laid_out(placed.line)
        row, variants = known
        first = len(self.variants)
        self._rows["variants"] += [(placed.number, *variant) for variant in variants]
        self.variants += [(placed, variant, group) for variant in placed.line.variants or (None,)]
        below = self._list(self._group_numbers(placed.below)) if placed.below else (0, 0)
        self._rows["lines"].append((*row, first, len(variants), *below))

    def _laid_out(self, line: Line) -> tuple[Row, list[Row]]:
        """Words of a line, and of its variants, that are the same at all its places."""
        code = fixed_call(line.call)
        row = (
            -1 if code is None else code, self._text.call_pattern(line.call),
            self._text.condition(line.condition),
        )  # fmt: skip
        return row, [self._variant(line, variant) for variant in line.variants or (None,)]

    def _variant(self, line: Line, variant: Variant | None) -> Row:
        condition = self._text.condition(None if variant is None else variant.condition)
        said = line.agreements + (() if variant is None else variant.agreements)
        if not said:
            return condition, *_SAYING_NOTHING
        kinds = tags = 0
        promises: list[int] = []
        agreed: list[int] = []
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
        return (
            condition, kinds, *self._list(promises), first_agreed, words // 2,
            *(_signed(tags >> 32 * word) for word in range(len(_NO_TAGS) if tags else 0)),
            *(() if tags else _NO_TAGS),
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
