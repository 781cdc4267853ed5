"""A system's text as arrays: what :mod:`bidcascade.kernels.system` expands places from.

The structure of the text (lines, groups, headers, auction patterns) is laid down at once. What its
conditions become is *learned*: the first time that a place asks, :func:`.conditions.lower` works it
out, and the questions that it asked the place, with the answers, are kept as a chain of decisions.
The next place that answers the same gets the same result without a word of Python. So there is one
definition of every phrase, and places that differ share all that they have in common.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from bidcascade.bridge import InvalidSystem
from bidcascade.kernels.alternatives import Alternatives, alternatives_of
from bidcascade.kernels.layout import (
    FLAGS_PER_WORD,
    LANES_PER_WORD,
    LaneTest,
    LayoutBuilder,
    Packing,
)
from bidcascade.kernels.core import functions as kernels
from bidcascade.kernels.core import rows
from bidcascade.kernels.core import rows as asking
from bidcascade.kernels.core.functions import empty_table, roomier
from bidcascade.kernels.core.groups import Group as ArrayGroup
from bidcascade.kernels.types import U64
from bidcascade.systems.language.joining import phrases_of
from bidcascade.systems.language.phrases import KINDS
from bidcascade.systems.language.syntax_tree import VARIABLES as SUIT_VARIABLES
from bidcascade.systems.language.syntax_tree import (
    Agreement,
    CallPattern,
    Condition,
    Define,
    Phrase,
    Range,
    Variant,
)
from bidcascade.table.language.expression_tree import And, Expression, Truth
from bidcascade.table.language.expressions import parse_expression
from bidcascade.table.language.lowering import tree_of

from .conditions import Constraint, lower
from .contexts import Group, HeaderTest, PlacedLine
from .expansion import (
    PlaceEntry,
    Rules,
    below_bindings,
    term_bounds,
)
from .facts import WHO
from .patterns import (
    Bindings,
    fixed_call,
    is_variable,
    letter_of,
    match_call,
    pattern_calls,
    variables_of,
)

VARIABLES: Final = (*SUIT_VARIABLES, "n")
_STRAINS: Final = "CDHSN"
_MOST: Final = {"variants": 1 << 20, "needs": 1 << 22, "bindings": 1 << 16}
"""Limits of the keys of entries."""
MOST_TAGS: Final = 64 * rows.TAG_WORDS
_TAGS: dict[str, int] = {}
"""Tags of texts, numbered by this process: systems that play each other share them."""

Ask = Callable[[int], int]
"""What a place answers to a question by number."""


class Growing:
    """One of a group's arrays, which takes rows at its end; what lies behind them is room."""

    def __init__(self, group: ArrayGroup, name: str) -> None:
        kind, *tail = group.fields[name]
        self._group, self._name = group, name
        self.count = 0
        self._take(np.zeros((64, *tail), kind))

    def _take(self, array: Any) -> None:
        self.array = array
        self._group.set(**{self._name: array})

    def restore(self, array: Any, count: int) -> None:
        """Take rows that were kept."""
        if array.shape != (count, *self.array.shape[1:]) or array.dtype != self.array.dtype:
            raise ValueError(f"expected {count} rows of {self._name}, got {array.shape}")
        larger = np.zeros((max(64, count + count // 2), *array.shape[1:]), array.dtype)
        larger[:count] = array
        self.count = count
        self._take(larger)

    def add(self, row: Any) -> int:
        """Append a row; its number."""
        if self.count == len(self.array):
            larger = np.zeros((2 * self.count, *self.array.shape[1:]), self.array.dtype)
            larger[: self.count] = self.array
            self._take(larger)
        self.array[self.count] = row
        self.count += 1
        return self.count - 1


def _put(slots, key, value):
    mask = len(slots) - 1
    m = 0xFFFFFFFFFFFFFFFF
    h = key & m
    h ^= h >> 33
    h = h * 0xFF51AFD7ED558CCD & m
    h ^= h >> 33
    h = h * 0xC4CEB9FE1A85EC53 & m
    h ^= h >> 33
    at = h & mask
    keys = slots["key"]
    while keys[at] != rows.EMPTY:
        at = (at + 1) & mask
    slots[at] = (key, value)


class Table:
    """One of a group's hash tables, which makes room by itself."""

    def __init__(self, group: ArrayGroup, name: str) -> None:
        self._group, self._name = group, name
        self.count = 0
        self._known: dict[int, int] = {}
        self._take(empty_table(1 << 10))

    def _take(self, slots: Any) -> None:
        self.slots = slots
        self._group.set(**{self._name: slots})

    def restore(self, slots: Any, count: int) -> None:
        """Take slots that were kept."""
        size = len(slots)
        if size & (size - 1) or size < 2 * count or slots.dtype != rows.SLOT:
            raise ValueError(f"expected a hash table for {count} keys, got {size} slots")
        self.count = count
        self._take(slots)

    def add(self, key: int, value: int) -> None:
        """Put a key that is not there."""
        self.count += 1
        larger = roomier(self.slots, self.count)
        if larger is not self.slots:
            self._take(larger)
        _put(self.slots, key, value)
        self._known[key] = value

    def get(self, key: int) -> int:
        """Value of a key, -1 where it is not there."""
        return self._known.get(key, -1)


class _Config(NamedTuple):
    """How far one auction pattern has come: its group, the step that is next, bindings."""

    group: int
    step: int
    bindings: int


class SystemProgram:
    """One system for the kernels; see the module.

    Parameters
    ----------
    rules : Rules
        The system.

    Raises
    ------
    InvalidSystem
        If there are more than :data:`MOST_TAGS` tags, or the text is beyond the kernels' numbers.

    Examples
    --------
    >>> from .system import System
    >>> system = System.parse("opening:" + chr(10) + "  1NT = Strong: 15-17 points, balanced")
    >>> SystemProgram(system.rules).lines.count
    1
    """

    questions: Growing
    decisions: Growing
    roots: Growing
    calls_first: Growing
    calls_code: Growing
    calls_bindings: Growing
    forest: Growing
    anywhere: Growing
    heads: Growing
    groups: Growing
    group_lines: Growing
    lines: Growing
    variants: Growing
    promises: Growing
    agreed: Growing
    entries: Growing
    needs: Growing
    cells: Growing
    tests: Growing
    bindings: Growing
    answers: Table
    root_numbers: Table
    moves: Table
    below: Table
    joined: Table
    entry_numbers: Table

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.lock = threading.RLock()
        self.start_over()

    def start_over(self) -> None:
        """Lay the text down, with nothing learned."""
        self.arrays = rows.Program()
        for name in rows.Program.fields:
            kind = Table if rows.Program.fields[name] == (rows.SLOT,) else Growing
            setattr(self, name, kind(self.arrays, name))
        self._subjects: dict[Condition | CallPattern, int] = {}
        self._subject_list: list[Condition | CallPattern] = []
        self._by_identity: dict[int, int] = {}
        self._root_list: list[tuple[int, int]] = []
        self._question_numbers: dict[Any, int] = {}
        self._phrase_numbers: dict[Phrase, int] = {}
        self._binding_list: list[Bindings] = []
        self._binding_numbers: dict[int, int] = {}
        self._call_lists: dict[tuple[tuple[int, int], ...], int] = {}
        self._needs_texts: list[tuple[str, ...]] = []
        self._needs_numbers: dict[tuple[str, ...], int] = {}
        self._needs: dict[int, Constraint] = {}
        self._cell_numbers: dict[int, int] = {}
        self._layout: LayoutBuilder | None = None
        self._size = (0, 0)
        self.derived_flags: list[int] = []
        self._alternatives: dict[str, Alternatives] = {}
        self._packing: Packing | None = None
        self._lane_words = 1
        self.derived_tests: list[int] = []
        self._group_list: list[Group] = []
        self._line_list: list[PlacedLine] = []
        self._variant_list: list[tuple[PlacedLine, Variant | None, Group]] = []
        self._states: dict[tuple[_Config, ...], int] = {}
        self._state_list: list[tuple[_Config, ...]] = []
        self._foreign_names: dict[int, str] = {}
        self._shown_entries: dict[tuple[int, int], PlaceEntry] = {}
        self._lay_down()
        self._laid_down = self.needs.count, self.decisions.count, self.forest.count

    # --- the structure of the text ----------------------------------------------------------------

    def _lay_down(self) -> None:
        places = self.rules.places
        self.bindings_of({})
        self._add_needs(Constraint(()))
        self._needs_texts.append(("False",))
        self.needs.add(np.zeros((), rows.NEEDS))
        self.needs.array[rows.NEVER]["test"] = rows.FAILS
        self.calls_first.add(0)
        self._find_tags()
        top = [
            *places.opening, *(g for found in places.by_length.values() for g in found),
            *places.any_length, *places.anywhere,
        ]  # fmt: skip
        self._line_list = list(places.lines)
        every = sorted(_with_below(top), key=lambda group: _turn(group))
        self._group_list = every
        self._group_numbers = {id(group): number for number, group in enumerate(every)}
        specificities: dict[Any, int] = {}
        owner: dict[int, Group] = {}
        for turn, group in enumerate(every):
            first = self.group_lines.count
            for placed in group.lines:
                self.group_lines.add(placed.number)
                owner[placed.number] = group
            number = specificities.setdefault(group.specificity, len(specificities))
            self.groups.add((turn, number, first, self.group_lines.count))
        agreements: dict[Agreement, int] = {}
        for placed in places.lines:
            self._add_line(placed, owner[placed.number], agreements)
        # all subjects get their numbers now: those of headers must not depend on what comes first
        for group in every:
            for test in group.tests:
                self._subject(test.condition)
        # state 0: nobody has bid
        opening = tuple(_Config(self._group_numbers[id(group)], 0, 0) for group in places.opening)
        self._states[()] = 0
        self._state_list.append(())
        self.heads.add(self._chain(self._trees(config) for config in opening))
        self.anywhere.add(self._branch_trees(self.rules.anywhere, {}))
        for what, limit in _MOST.items():
            if getattr(self, what).count >= limit:
                raise InvalidSystem(f"expected a system of at most {limit} {what}")

    def _find_tags(self) -> None:
        asked = (
            phrase.text[1:]
            for condition in self.rules.conditions()
            for phrase in phrases_of(condition)
            if phrase.kind in ("last call", "last bid", "has called") and phrase.text[:1] == "#"
        )
        said = (
            one.text
            for placed in self.rules.places.lines
            for said in (
                placed.line.agreements,
                *(variant.agreements for variant in placed.line.variants),
            )
            for one in said
            if one.kind == "tag"
        )
        self._tags = tuple(dict.fromkeys((*asked, *said)))
        for tag in self._tags:
            _TAGS.setdefault(tag, len(_TAGS))
        if len(_TAGS) > MOST_TAGS:
            raise InvalidSystem(
                f"expected at most {MOST_TAGS} different tags in all systems, got {len(_TAGS)}"
            )

    def _add_line(self, placed: PlacedLine, group: Group, agreements: dict[Agreement, int]) -> None:
        line = placed.line
        code = fixed_call(line.call)
        first = self.variants.count
        for variant in line.variants or (None,):
            condition = None if variant is None else variant.condition
            said = line.agreements + (() if variant is None else variant.agreements)
            row = np.zeros((), rows.VARIANT)
            row["line"] = placed.number
            row["condition"] = self._subject(condition)
            row["first_promise"], row["first_agreed"] = self.promises.count, self.agreed.count
            for one in said:
                if one.kind in asking.AGREEMENT_KINDS:
                    row["kinds"] |= 1 << asking.AGREEMENT_KINDS.index(one.kind)
                if one.kind == "tag":
                    tag = _TAGS[one.text]
                    row["tags"][tag >> 6] |= np.uint64(1 << (tag & 63))
                if one.kind == "shows" and one.condition is not None:
                    self.promises.add(self._subject(one.condition))
                word = _strain_word(one.suit) if one.kind == "agrees" else None
                if word is not None:
                    self.agreed.add((agreements.setdefault(one, len(agreements)), word))
            row["end_promise"], row["end_agreed"] = self.promises.count, self.agreed.count
            self.variants.add(row)
            self._variant_list.append((placed, variant, group))
        self.lines.add(
            (
                -1 if code is None else code,
                self._subject(line.call) if code is None else -1,
                self._subject(line.condition), first, self.variants.count,
            )
        )  # fmt: skip

    def _subject(self, what: Condition | CallPattern | None) -> int:
        """Give a number to what decisions are about: a condition, or a pattern of calls."""
        if what is None:
            return -1
        number = self._by_identity.get(id(what))
        if number is None:
            number = self._subjects.setdefault(what, len(self._subjects))
            if number == len(self._subject_list):
                self._subject_list.append(what)
            if self._subject_list[number] is what:
                # an id is a name only as long as its object lives
                self._by_identity[id(what)] = number
        return number

    def bindings_of(self, bindings: Bindings) -> int:
        """Give a number to some bindings."""
        code = 0
        for name, letter in bindings.items():
            value = int(letter) if name == "n" else _STRAINS.index(letter) + 1
            code |= value << 3 * VARIABLES.index(name)
        number = self._binding_numbers.get(code)
        if number is None:
            number = self._binding_numbers[code] = self.bindings.add(code)
            self._binding_list.append(dict(bindings))
            if number >= _MOST["bindings"]:
                raise InvalidSystem(f"expected at most {_MOST['bindings']} bindings of variables")
        return number

    # --- the forest of headers --------------------------------------------------------------------

    def _root(self, subject: int, bindings: int) -> int:
        key = subject << 16 | bindings
        number = self.root_numbers.get(key)
        if number < 0:
            number = self.roots.add(rows.UNKNOWN)
            self._root_list.append((subject, bindings))
            self.root_numbers.add(key, number)
        return number

    def _tree(self, test: HeaderTest | None, bindings: Bindings) -> int:
        number = self.bindings_of(bindings)
        root = -1 if test is None else self._root(self._subject(test.condition), number)
        return self.forest.add((root, -1, -1, -1, -1))

    def _chain(self, parts: Iterable[list[int]]) -> int:
        """Make siblings of some trees; the first one, -1 for none."""
        numbers = [number for part in parts for number in part]
        for number, sibling in pairwise(numbers):
            self.forest.array[number]["sibling"] = sibling
        return numbers[0] if numbers else -1

    def _trees(self, config: _Config) -> list[int]:
        """Trees of a group's headers under the bindings that its pattern gave."""
        group = self._group_list[config.group]
        return self._below_tests(
            group.tests, config.group, dict(self._binding_list[config.bindings])
        )

    def _below_tests(
        self, tests: tuple[HeaderTest, ...], group: int, bindings: Bindings
    ) -> list[int]:
        if not tests:
            tree = self._tree(None, bindings)
            self._apply(tree, group, bindings)
            return [tree]
        found = []
        for bound in tests[0].bound(bindings):
            tree = self._tree(tests[0], bound)
            if len(tests) == 1:
                self._apply(tree, group, bound)
            else:
                child = self._chain([self._below_tests(tests[1:], group, bound)])
                self.forest.array[tree]["child"] = child
            found.append(tree)
        return found

    def _apply(self, tree: int, group: int, bindings: Bindings) -> None:
        row = self.forest.array[tree]
        row["group"], row["bindings"] = group, self.bindings_of(bindings)

    def _branch_trees(self, branch: Any, bindings: Bindings) -> int:
        """First tree of the groups that may apply everywhere, from a branch on."""
        parts = []
        for group in branch.groups:
            tree = self._tree(None, bindings)
            self._apply(tree, self._group_numbers[id(group)], bindings)
            parts.append([tree])
        for test, below in branch.below.values():
            for bound in test.bound(bindings):
                tree = self._tree(test, bound)
                child = self._branch_trees(below, bound)
                self.forest.array[tree]["child"] = child
                parts.append([tree])
        return self._chain(parts)

    # --- auction patterns -------------------------------------------------------------------------

    def _closure(self, config: _Config) -> Iterator[_Config]:
        """Follow steps that may stand for no calls; those that end sooner come first."""
        steps = self._steps(config.group)
        if config.step < len(steps) and steps[config.step].any_calls:
            yield from self._closure(config._replace(step=config.step + 1))
        yield config

    def _steps(self, group: int) -> Any:
        pattern = self._group_list[group].pattern
        assert pattern is not None
        return pattern.steps

    def _learn_move(self, state: int, call: int) -> None:
        key = state << 6 | call
        if self.moves.get(key) >= 0:
            return
        if state == 0 and call == 0:
            self.moves.add(key, 0)
            return
        if state == 0:
            places = self.rules.places
            groups = [
                *(g for found in places.by_length.values() for g in found),
                *places.any_length,
            ]
            before = [
                config
                for group in groups
                for config in self._closure(_Config(self._group_numbers[id(group)], 0, 0))
            ]
        else:
            before = list(self._state_list[state])
        after: list[_Config] = []
        for config in before:
            after += self._moved(config, call)
        # a pattern without any calls may match twice, as its alternatives do
        seen: set[_Config] = set()
        kept = []
        for config in after:
            # alternatives of a step may match twice, and count twice; ways through ``…`` do not
            if config not in seen or not self._is_open(config.group):
                kept.append(config)
            seen.add(config)
        name = tuple(kept) or (_NOWHERE,)
        found = self._states.get(name)
        if found is None:
            found = self._states[name] = self._new_state(tuple(kept))
        self.moves.add(key, found)

    def _is_open(self, group: int) -> bool:
        """Whether a pattern matches auctions of any length."""
        return any(step.any_calls for step in self._steps(group))

    def _moved(self, config: _Config, call: int) -> Iterator[_Config]:
        steps = self._steps(config.group)
        if config.step == len(steps):
            return
        step = steps[config.step]
        if step.any_calls:
            yield from self._closure(config)
            return
        for pattern in step.calls:
            bound = match_call(pattern, call, self._binding_list[config.bindings])
            if bound is not None:
                moved = _Config(config.group, config.step + 1, self.bindings_of(bound))
                yield from self._closure(moved)

    def _new_state(self, configs: tuple[_Config, ...]) -> int:
        self._state_list.append(configs)
        return self.heads.add(
            self._chain(
                self._trees(config)
                for config in configs
                if config.step == len(self._steps(config.group))
            )
        )

    def _learn_below(self, line: int, bindings: int, call: int) -> None:
        key = line << 32 | bindings << 8 | call
        if self.below.get(key) != -1:
            return
        bound = self._binding_list[bindings]
        trees = []
        for group in self._line_list[line].below:
            found = below_bindings(group, bound, call)
            if found is not None:
                number = self._group_numbers[id(group)]
                trees.append(self._below_tests(group.tests, number, found))
        head = self._chain(trees)
        self.below.add(key, rows.LEAF if head < 0 else head)

    # --- questions and decisions ------------------------------------------------------------------

    def question(self, key: Any, make: Callable[[], Any]) -> int:
        """Give a question a number; ``make`` writes its row if it is new."""
        number = self._question_numbers.get(key)
        if number is None:
            number = self._question_numbers[key] = self.questions.add(make())
        return number

    def phrase_number(self, phrase: Phrase) -> int:
        """Give a phrase of the text a number, the same whenever this text is read."""
        if not self._phrase_numbers:
            for condition in self.rules.conditions():
                for one in phrases_of(condition):
                    self._phrase_numbers.setdefault(one, len(self._phrase_numbers))
        return self._phrase_numbers[phrase]

    def learn(self, kind: int, a: int, b: int, c: int, ask: Ask) -> None:
        """Learn what a place missed (see :mod:`bidcascade.kernels.system.expand`).

        Raises
        ------
        InvalidSystem
            If the text asks for what does not exist there.
        """
        if kind == kernels.MISS_ROOT:
            self._learn_decision(self._root(a, b), ask)
        elif kind == kernels.MISS_DECISION:
            self._learn_decision(a, ask)
        elif kind == kernels.MISS_JOIN:
            if self.joined.get(a << 32 | b) < 0:
                both = self.needs_number(self.needs_of(a).criteria + self.needs_of(b).criteria)
                self.joined.add(a << 32 | b, both)
        elif kind == kernels.MISS_ENTRY:
            call, needs = c >> 32, c & 0xFFFFFFFF
            key = a << 44 | needs << 22 | call << 16 | b
            if self.entry_numbers.get(key) < 0:
                self.entry_numbers.add(key, self._add_entry(call, needs, a, b))
        elif kind == kernels.MISS_MOVE:
            self._learn_move(b, c)
        else:
            self._learn_below(a, b, c)

    def _learn_decision(self, root: int, ask: Ask) -> None:
        subject, bindings = self._root_list[root]
        what = self._subject_list[subject]
        asked: dict[int, int] = {}

        def noting(question: int) -> int:
            if question not in asked:
                asked[question] = ask(question)
            return asked[question]

        scope = _Asking(self, self._binding_list[bindings], {}, noting)
        if isinstance(what, CallPattern):
            found = pattern_calls(what, scope.bindings, scope.last_bid(), scope.suits)
            result = self._call_list(
                tuple((call, self.bindings_of(bound)) for call, bound in found)
            )
        else:
            result = self._result_of(lower(what, scope))
        self._remember(root, asked, rows.LEAF - result)

    def _remember(self, root: int, asked: Mapping[int, int], leaf: int) -> None:
        """Add the way of some answers to a root's decisions, and the leaf at its end."""

        def set_root(edge: int) -> None:
            self.roots.array[root] = edge

        edge = int(self.roots.array[root])
        set_edge: Callable[[int], None] = set_root
        for question, answer in asked.items():
            if edge == rows.UNKNOWN:
                edge = self.decisions.add((question, rows.UNKNOWN, rows.UNKNOWN))
                set_edge(edge)
            edge, set_edge = self._edge(edge, question, answer)
        if edge == rows.UNKNOWN:
            set_edge(leaf)

    def _edge(self, decision: int, question: int, answer: int) -> tuple[int, Callable[[int], None]]:
        row = self.decisions.array[decision]
        assert row["question"] == question
        if self.questions.array[question]["kind"] >= asking.MANY_ANSWERS:
            name = "yes" if answer else "no"

            def set_field(edge: int) -> None:
                self.decisions.array[decision][name] = edge

            return int(row[name]), set_field
        key = decision << 32 | answer & 0xFFFFFFFF
        return self.answers.get(key), lambda edge: self.answers.add(key, edge)

    def _call_list(self, calls: tuple[tuple[int, int], ...]) -> int:
        number = self._call_lists.get(calls)
        if number is None:
            number = self._call_lists[calls] = len(self._call_lists)
            for call, bindings in calls:
                self.calls_code.add(call)
                self.calls_bindings.add(bindings)
            self.calls_first.add(self.calls_code.count)
        return number

    # --- needs ------------------------------------------------------------------------------------

    def _result_of(self, expression: Expression) -> int:
        if isinstance(expression, Truth):
            return rows.ANY_HAND if expression.value else rows.NEVER
        return self.needs_number(
            expression.operands if isinstance(expression, And) else (expression,)
        )

    def needs_number(self, criteria: tuple[Expression, ...]) -> int:
        """Give a number to the needs with these criteria."""
        needs = Constraint(criteria)
        number = self._needs_numbers.get(needs.texts())
        return self._add_needs(needs) if number is None else number

    def needs_of(self, number: int) -> Constraint:
        """Constraint by its number."""
        known = self._needs.get(number)
        if known is None:
            known = self._needs[number] = Constraint(
                tuple(map(parse_expression, self._needs_texts[number]))
            )
        return known

    def _add_needs(self, needs: Constraint) -> int:
        if self.needs.count >= _MOST["needs"]:
            raise InvalidSystem(f"expected at most {_MOST['needs']} different conditions")
        can, must = needs.reach(self.rules.vocabulary)
        row = np.zeros((), rows.NEEDS)
        row["test"] = self._tests_of(needs.criteria)
        row["can"], row["must"] = self._cells_number(can), self._cells_number(must)
        row["certain"] = must != 0
        for field, promised in (("terms", False), ("promised", True)):
            row[field][:, 0], row[field][:, 1] = -rows.WIDEST, rows.WIDEST
            for name, bounds in term_bounds(needs.expression, promised=promised).items():
                if name in rows.TERMS:
                    row[field][rows.TERMS.index(name)] = np.clip(bounds, -rows.WIDEST, rows.WIDEST)
        self._needs_texts.append(needs.texts())
        number = self._needs_numbers[needs.texts()] = self.needs.add(row)
        self._needs[number] = needs
        return number

    def _cells_number(self, cells: int) -> int:
        number = self._cell_numbers.get(cells)
        if number is None:
            number = self._cell_numbers[cells] = self.cells.add(to_words(cells))
        return number

    def _tests_of(self, criteria: tuple[Expression, ...]) -> int:
        """First of the tests that decide whether a hand meets all criteria."""
        then = rows.HOLDS
        options = [self._alternatives_of(one) for one in criteria]
        self._add_derived()
        for alternatives in reversed(options):
            then = self._any_of(alternatives, then)
        return then

    def _alternatives_of(self, criterion: Expression) -> Alternatives:
        text = str(criterion)
        known = self._alternatives.get(text)
        if known is None:
            tree = tree_of(criterion, self.rules.vocabulary)
            known = self._alternatives[text] = alternatives_of(self._builder(), tree)
            self._size = self._builder().size
        return known

    def _builder(self) -> LayoutBuilder:
        """Lanes and flags so far; their tables are made when the first new one is asked for."""
        if self._layout is None:
            self._layout = LayoutBuilder(self.rules.vocabulary.profile)
            if self._packing is not None:
                self._layout.restore(self._packing, self.derived_flags)
        return self._layout

    def _add_derived(self) -> None:
        """Write the tests of flags that others are derived from, and make room for new lanes."""
        lane_words = max(1, -(-self._size[0] // LANES_PER_WORD))
        if lane_words != self._lane_words:
            tests = self.tests.array[: self.tests.count]
            tests["word"][tests["mask"] == 1] += lane_words - self._lane_words
            self._lane_words = lane_words
        derived = {} if self._layout is None else self._layout.derived
        for flag, alternatives in list(derived.items())[len(self.derived_flags) :]:
            self.derived_tests.append(self._any_of(alternatives, rows.HOLDS))
            self.derived_flags.append(flag)

    def _any_of(self, alternatives: Alternatives, then: int) -> int:
        """First test of some conjunctions, any of which leads on to ``then``."""
        otherwise = rows.FAILS
        for conjunction in reversed(alternatives):
            first = then
            for test in reversed(conjunction):
                if isinstance(test, LaneTest):
                    word, lane = divmod(test.lane, LANES_PER_WORD)
                    row = (word, 8 * lane, 255, test.low, test.high, first, otherwise)
                else:
                    word, flag = divmod(test.flag, FLAGS_PER_WORD)
                    wanted = int(test.positive)
                    row = (self._lane_words + word, flag, 1, wanted, wanted, first, otherwise)
                first = self.tests.add(row)
            otherwise = first
        return otherwise

    @property
    def packing(self) -> Packing:
        """Tables that turn hands into the words that tests look at."""
        known = self._packing
        if known is None or (len(known.lane_forms), len(known.flag_trees)) != self._size:
            known = self._packing = self._builder().pack()
        return known

    # --- for callers ------------------------------------------------------------------------------

    # --- from one run to the next -----------------------------------------------------------------

    @property
    def is_fresh(self) -> bool:
        """Whether nothing has been learned yet."""
        return self._laid_down == (self.needs.count, self.decisions.count, self.forest.count)

    def learned(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arrays with all that was learned, and what they stand for as plain values."""
        arrays = {}
        for name in rows.Program.fields:
            part = getattr(self, name)
            arrays[name] = part.slots if isinstance(part, Table) else part.array[: part.count]
        packing = self.packing
        for name in _PACKED:
            arrays[f"packing.{name}"] = getattr(packing, name)
        described = {
            "counts": {name: getattr(self, name).count for name in rows.Program.fields},
            "subjects": len(self._subject_list),
            "roots": self._root_list,
            "questions": list(self._question_numbers),
            "needs": self._needs_texts,
            "states": self._state_list,
            "tags": {tag: _TAGS[tag] for tag in self._tags},
            "derived_tests": self.derived_tests,
            "derived_flags": self.derived_flags,
            "packing": {
                name: getattr(packing, name)
                for name in packing.__dataclass_fields__
                if name not in _PACKED
            },
        }
        return arrays, described

    def take(self, arrays: Mapping[str, Any], described: Mapping[str, Any]) -> None:
        """Take what another program of the same text has learned.

        Raises
        ------
        ValueError, KeyError, TypeError
            If it is not what :meth:`learned` gives; the program is to be laid down again then.
        """
        counts = described["counts"]
        if described["subjects"] != len(self._subject_list):
            raise ValueError("expected what a program of the same text has learned")
        for name in rows.Program.fields:
            getattr(self, name).restore(arrays[name], int(counts[name]))
        self._root_list = [(int(one), int(two)) for one, two in described["roots"]]
        self._question_numbers = {
            _tuples(key): number for number, key in enumerate(described["questions"])
        }
        self._needs_texts = [tuple(map(str, texts)) for texts in described["needs"]]
        # needs 1, which never hold, are no conditions
        self._needs_numbers = {
            texts: number for number, texts in enumerate(self._needs_texts) if number != rows.NEVER
        }
        self._needs = {}
        self._state_list = [tuple(_Config(*one) for one in state) for state in described["states"]]
        self._states = {
            state or ((_NOWHERE,) if number else ()): number
            for number, state in enumerate(self._state_list)
        }
        codes = self.bindings.array[: self.bindings.count].tolist()
        self._binding_numbers = {code: number for number, code in enumerate(codes)}
        self._binding_list = [_bindings_of_code(code) for code in codes]
        first = self.calls_first.array[: self.calls_first.count].tolist()
        calls = list(
            zip(self.calls_code.array.tolist(), self.calls_bindings.array.tolist(), strict=False)
        )
        self._call_lists = {
            tuple(calls[start:end]): number for number, (start, end) in enumerate(pairwise(first))
        }
        self._cell_numbers = {
            int.from_bytes(words.tobytes(), "little"): number
            for number, words in enumerate(self.cells.array[: self.cells.count])
        }
        self.derived_tests = [int(one) for one in described["derived_tests"]]
        packing = {name: _tuples(value) for name, value in described["packing"].items()}
        self._packing = Packing(**packing, **{n: arrays[f"packing.{n}"] for n in _PACKED})
        self._lane_words = self._packing.lane_words
        self._layout, self._alternatives = None, {}
        self._size = len(self._packing.lane_forms), len(self._packing.flag_trees)
        self.derived_flags = [int(one) for one in described["derived_flags"]]
        self._number_tags(described["tags"])
        if not len(self._needs_texts) == self.needs.count == int(counts["needs"]):
            raise ValueError("expected a description of every condition")

    def _number_tags(self, theirs: Mapping[str, int]) -> None:
        """Give tags the numbers that this process has for them."""
        if all(_TAGS.setdefault(tag, len(_TAGS)) == number for tag, number in theirs.items()):
            return
        questions = self.questions.array
        kinds = [asking.KINDS.index(one) for one in ("last call's tag", "has called", "last bid")]
        new = {number: _TAGS[tag] for tag, number in theirs.items()}
        for question in np.flatnonzero(np.isin(questions["kind"], kinds)).tolist():
            number = int(questions[question]["number"])
            questions[question]["number"] = new.get(number, -1)
        variants = self.variants.array[: self.variants.count]
        before = variants["tags"].copy()
        variants["tags"] = 0
        for old, number in new.items():
            said = before[:, old >> 6] >> np.uint64(old & 63) & np.uint64(1)
            variants["tags"][:, number >> 6] |= said << np.uint64(number & 63)

    def add_entry(self, call: int, criteria: tuple[Expression, ...], name: str) -> int:
        """Entry that stands in no text, for what overlays make of a place; its number."""
        with self.lock:
            number = self._add_entry(call, self.needs_number(criteria), 0, 0)
            self._foreign_names[number] = name
            return number

    def _add_entry(self, call: int, needs: int, variant: int, bindings: int) -> int:
        test = self.needs.array[needs]["test"]
        return self.entries.add((call, needs, variant, bindings, test))

    def is_foreign(self, entry: int) -> bool:
        """Whether an entry stands in no text."""
        return entry in self._foreign_names

    def name(self, entry: int) -> str:
        """Name of the rule behind an entry."""
        foreign = self._foreign_names.get(entry)
        return self.entry(entry, 0).name if foreign is None else foreign

    def entry(self, number: int, rank: int) -> PlaceEntry:
        """Entry as an object, with its rank at a place."""
        known = self._shown_entries.get((number, rank))
        if known is None:
            row = self.entries.array[number]
            placed, variant, group = self._variant_list[row["variant"]]
            known = PlaceEntry.of(
                placed, variant, int(row["call"]), rank, self.needs_of(int(row["needs"])),
                self._binding_list[row["bindings"]], group.specificity,
            )  # fmt: skip
            self._shown_entries[number, rank] = known
        return known


def _tuples(value: Any) -> Any:
    """Turn lists of JSON into tuples."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _bindings_of_code(code: int) -> Bindings:
    found = {}
    for place, name in enumerate(VARIABLES):
        value = code >> 3 * place & 7
        if value:
            found[name] = str(value) if name == "n" else _STRAINS[value - 1]
    return found


_PACKED: Final = tuple(
    name for name, kind in Packing.__annotations__.items() if kind in (U64, rows.I32)
)
"""Fields of a packing that are arrays."""
_NOWHERE: Final = _Config(-1, -1, -1)
"""Stands for the state in which no pattern can match any more."""


class _Asking:
    """Scope of :func:`.conditions.lower` that puts its questions to a place, and notes them."""

    __slots__ = ("_ask", "_extra", "_program", "bindings")

    def __init__(
        self,
        program: SystemProgram,
        bindings: Bindings,
        extra: Mapping[str, tuple[str, ...]],
        ask: Ask,
    ) -> None:
        self._program = program
        self.bindings = bindings
        self._extra = extra
        self._ask = ask

    def _operand(self, word: str) -> int:
        """Packed suits of a word, or ``-1 - role``."""
        letters = self._extra.get(word)
        if letters is None:
            letter = letter_of(word, self.bindings)
            letters = None if letter is None else (letter,)
        if letters is None:
            letters = _STATIC.get(word)
        if letters is not None:
            return packed(letters)
        role = _ROLES.get(word)
        if role is None:
            raise InvalidSystem(f"expected a suit or a variable that a call binds, got {word!r}")
        return -1 - role

    def _strain(self, word: str) -> int:
        """Operand of a call's strain: what a line binds comes before a definition's suits."""
        letter = letter_of(word, self.bindings)
        return self._operand(word) if letter is None else packed(letter)

    def suits(self, word: str) -> tuple[str, ...]:
        operand = self._operand(word)
        if operand >= 0:
            return unpacked(operand)
        return unpacked(
            self._ask(
                self._program.question(
                    ("suits", operand), lambda: _row("suits", number=-1 - operand)
                )
            )
        )

    def shown(self, who: str, term: str) -> tuple[int, int]:
        def row() -> Any:
            return _row("shown", who=_who(who), number=rows.TERMS.index(term))

        found = self._ask(self._program.question(("shown", who, term), row))
        low, high = found >> 16, found & 0xFFFF
        return low, high - (high >> 15 << 16)

    def fact(self, phrase: Phrase) -> bool:
        operands = tuple(0 if _is_notrump(word) else self._operand(word) for word in phrase.suits)
        operand = 0
        if phrase.kind == "available" and phrase.call is not None and phrase.call.strain:
            operand = self._strain(phrase.call.strain)
        bound = self._program.bindings_of(self._bound(phrase))
        key = ("fact", self._program.phrase_number(phrase), bound, operands, operand)

        def row() -> Any:
            return fact_row(phrase, self.bindings, operands, operand)

        return bool(self._ask(self._program.question(key, row)))

    def _bound(self, phrase: Phrase) -> Bindings:
        """Bindings that a phrase depends on: its variables, or all if one of them is free."""
        names = variables_of(phrase)
        if not names:
            return {}
        if any(name != "n" and letter_of(name, self.bindings) is None for name in names):
            return self.bindings
        pairs = {name: self.bindings.get(name) or letter_of(name, self.bindings) for name in names}
        return {name: value for name, value in pairs.items() if value is not None}

    def bid(self, call: CallPattern) -> tuple[int, str] | None:
        if call.strain is None:
            return None
        operand = self._strain(call.strain)
        level = int(self.bindings.get("n", 0)) if call.level == 0 else call.level or 0
        if call.level == 0 and not level and call.kind in ("bid", "transfer"):
            return None
        kind = call.kind if call.kind in asking.BID_KINDS else "bid"

        def row() -> Any:
            return _row(
                "level of bid", number=asking.BID_KINDS.index(kind), suits=(operand, 0), count=level
            )

        found = self._ask(self._program.question(("bid", kind, level, operand), row))
        return (found >> 3, _STRAINS[(found & 7) - 1]) if found else None

    def last_bid(self) -> int:
        """Code of the last bid, 0 before."""
        return self._ask(self._program.question(("last bid",), lambda: _row("last bid's code")))

    def define(self, name: str) -> Define | None:
        return self._program.rules.defines.get(name)

    def with_suits(self, bound: Mapping[str, tuple[str, ...]]) -> "_Asking":
        return _Asking(self._program, self.bindings, {**self._extra, **bound}, self._ask)


# --- questions as rows --------------------------------------------------------------------------

_STATIC: Final[dict[str, tuple[str, ...]]] = {
    "a suit": tuple("CDHS"), "every suit": tuple("CDHS"), "a major": ("H", "S"),
    "both majors": ("H", "S"), "a minor": ("C", "D"), "both minors": ("C", "D"),
}  # fmt: skip
_ROLES: Final = {name: number for number, name in enumerate(asking.ROLES)} | {
    "their suit": 0, "trumps": 5, "every unbid suit": 6, "an unbid suit": 6,
    "every unbid major": 7, "an unbid major": 7, "every unbid minor": 8, "an unbid minor": 8,
}  # fmt: skip
_EVERY_CALL: Final = (1 << rows.CALLS) - 1
_EVERY_BID: Final = _EVERY_CALL & ~7
_JUMPS: Final = {"jump": 1, "double jump": 2}


def packed(letters: Iterable[str]) -> int:
    """Suits as the kernels pack them."""
    return sum((_STRAINS.index(one) + 1) << 3 * place for place, one in enumerate(letters))


def unpacked(suits: int) -> tuple[str, ...]:
    """Letters of packed suits."""
    found = []
    while suits:
        found.append(_STRAINS[(suits & 7) - 1])
        suits >>= 3
    return tuple(found)


def to_words(cells: int) -> Any:
    """Set of cells as words of the kernels, uint64 [SET_WORDS]."""
    return np.frombuffer(cells.to_bytes(8 * rows.SET_WORDS, "little"), np.uint64)


def _is_notrump(word: str) -> bool:
    return word in ("NT", "notrump")


def _who(word: str | None) -> int:
    """Bits of positions relative to the player to call; all of them for nobody in particular."""
    return 15 if word is None else sum(1 << step for step in WHO[word])


def _row(kind: str, **fields: Any) -> Any:
    row = np.zeros((), rows.QUESTION)
    row["kind"] = asking.KINDS.index(kind)
    for name, value in fields.items():
        row[name] = value
    return row


def _bounds(wanted: Range | None) -> dict[str, int]:
    wanted = wanted or Range()
    return {
        "low": wanted.low,
        "high": rows.WIDEST if wanted.high is None else wanted.high,
        "also": sum(1 << value for value in set(wanted.also)),
    }


def fact_row(phrase: Phrase, bindings: Bindings, operands: tuple[int, ...], operand: int) -> Any:
    """Row of a fact; what each kind asks is defined in :mod:`.facts`.

    Parameters
    ----------
    phrase
        Of a kind in :data:`.facts.FACTS`.
    bindings
        For call patterns within it.
    operands
        Packed suits or ``-1 - role`` of its suit words.
    operand
        The same of the strain of its call, where the kind asks for that.

    Raises
    ------
    InvalidSystem
        If the kernels cannot put the question.
    """
    kind, text = phrase.kind, phrase.text
    calls = _EVERY_CALL
    if phrase.call is not None:
        calls = sum(
            1 << code
            for code in range(rows.CALLS)
            if match_call(phrase.call, code, bindings) is not None
        )
    suits = (*operands, 0, 0)[:2]
    match kind:
        case "passed hand":
            return _row(kind, who=_who(phrase.who or "me"))
        case "opened":
            return _row(kind, who=_who(phrase.who or "we"), calls=calls)
        case "only passed":
            return _row(kind, who=_who(phrase.who or "partner"))
        case "bid" | "not bid":
            who, negated = _who(phrase.who or "we"), kind == "not bid"
            if phrase.call is None and phrase.suits:
                named = tuple(
                    asking.NOTRUMP if _is_notrump(word) else one
                    for word, one in zip(phrase.suits, operands, strict=True)
                )
                _one_suit(phrase)
                return _row("named", who=who, suits=(named[0], 0), negated=negated)
            bid = calls if phrase.call is not None else _EVERY_BID
            return _row("made", who=who, calls=bid, negated=negated)
        case "last call":
            return _last_call_row(phrase, calls)
        case "has called":
            tag = _TAGS.get(text.removeprefix("#"), -1)
            return _row(kind, who=_who(phrase.who or "partner"), number=tag)
        case "unbid" | "fourth suit":
            _one_suit(phrase)
            return _row(kind, suits=suits)
        case "fit":
            return _row(kind, suits=suits, count=phrase.count or 8)
        case "contested" | "uncontested":
            return _row("contested", negated=kind == "uncontested")
        case "level" | "seat":
            return _row(kind, **_bounds(phrase.range))
        case "last bid":
            name = text.removeprefix("#")
            return _row(
                kind,
                who=_who(phrase.who),
                calls=calls,
                count=bool(name),
                number=_TAGS.get(name, -1),
            )
        case "has shown" | "may have":
            who, bounds = _who(phrase.who or "partner"), _bounds(phrase.range)
            term = KINDS[text or "points"].term.rstrip("_")
            if phrase.suits:
                _one_suit(phrase)
                number = rows.TERMS.index(f"{term}_C")
                return _row(kind, who=who, suits=suits, count=1, number=number, **bounds)
            return _row(kind, who=who, number=rows.TERMS.index(term), **bounds)
        case "ranks above" | "same suit":
            return _row(kind, suits=suits)
        case "available":
            call = phrase.call
            if call is None or call.strain is None:
                return _row(kind)
            bounds = _bounds(phrase.range or Range(0, call.level))
            return _row(kind, suits=(operand, 0), number=_JUMPS.get(call.kind, 0), **bounds)
        case "nth call":
            return _row(kind, count=phrase.count)
        case _:
            return _row(kind)


def _one_suit(phrase: Phrase) -> None:
    if len(phrase.suits) != 1:
        raise InvalidSystem(f"{phrase.kind!r}: expected one suit, got {phrase.suits!r}")


def _last_call_row(phrase: Phrase, calls: int) -> Any:
    who, text = _who(phrase.who or "partner"), phrase.text
    if phrase.call is not None:
        return _row("last call", who=who, calls=calls)
    if text in ("pass", "double", "redouble"):
        return _row("last call", who=who, calls=1 << ("pass", "double", "redouble").index(text))
    if text.startswith("#"):
        return _row("last call's tag", who=who, number=_TAGS.get(text[1:], -1))
    if text in asking.WORDS:
        return _row("last call in words", who=who, number=asking.WORDS.index(text))
    names = ("forcing", "forcing to game") if text == "forcing" else (text,)
    kinds = sum(
        1 << asking.AGREEMENT_KINDS.index(name) for name in names if name in asking.AGREEMENT_KINDS
    )
    return _row("last call's kinds", who=who, number=kinds)


def _strain_word(word: str | None) -> int | None:
    """Give words for strains in agreements a number: 0-4 C D H S NT, then the variables."""
    if word is None:
        return None
    if is_variable(word):
        return 5 + VARIABLES.index(word)
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
