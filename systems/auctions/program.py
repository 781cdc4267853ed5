"""A system in the core, and the objects of its text that the core's numbers stand for.

The core lowers conditions, learns and expands; what an entry says in words, and messages, come from
the text here.
"""

from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import InvalidExpression, InvalidSystem
from bidcascade.kernels.core.groups import ArrayGroup
from bidcascade.kernels.core.places.systems import CoreSystem
from bidcascade.kernels.core.rows import NEVER
from bidcascade.systems.language.auctions.patterns import Bindings
from bidcascade.systems.language.errors import invalid_at
from bidcascade.systems.language.tree.syntax_tree import VARIABLES, Condition, Where
from bidcascade.systems.places.knowledge import Bounds
from bidcascade.systems.places.places import Constraint, PlaceEntry, Rules, name_of
from bidcascade.systems.rows.expression_rows import FORMS, expression_of, words_of
from bidcascade.systems.rows.program_rows import ProgramRows
from bidcascade.systems.rows.text_rows import meaning
from bidcascade.table.language.expression_tree import Expression
from bidcascade.table.language.expressions import parse_expression
from bidcascade.table.language.lowering import tree_of

_STRAINS: Final = "CDHSN"
_PLACES: Final = {name: place for place, name in enumerate((*VARIABLES, "n"))}
_LIMITS: Final = {"needs": "different conditions", "bindings": "bindings of variables"}
_MOST_SHOWN: Final = 4096
"""Entries, and constraints, that are remembered as objects; each takes about a kilobyte."""
_MOST_SETS: Final = 1024
"""Sets of cells that are remembered as numbers; each takes three kilobytes."""
_MOST: Final = {"needs": 1 << 22, "bindings": 1 << 16}


class SystemProgram:
    """One system in the core.

    Parameters
    ----------
    rules
        The system.
    tags
        Numbers of tags so far, shared by systems that play each other; new ones are added.

    Raises
    ------
    InvalidSystem
        If the text is beyond the core's numbers.

    Examples
    --------
    >>> from bidcascade.systems.system import System
    >>> system = System.parse("opening:" + chr(10) + "  1NT = Strong: 15-17 points, balanced")
    >>> len(SystemProgram(system.rules).core.rows("lines"))
    1
    """

    def __init__(self, rules: Rules, tags: dict[str, int] | None = None) -> None:
        self.rules = rules
        self._rows = ProgramRows(rules, {} if tags is None else tags)
        try:
            self.core = CoreSystem(*self._rows.words)
        except ValueError:
            raise InvalidSystem("expected a system within the core's numbers") from None
        del self._rows.words
        self._expressions: dict[int, Expression] = {}
        self._expression_numbers: dict[Expression, int] = {}
        self._names = {name: number for number, name in enumerate(self._rows.names)}
        self._constraints: dict[int, Constraint] = {}
        self._cells = _Cells(self.core)
        self._foreign_names: dict[int, str] = {}
        self._variant_names: dict[int, str] = {}
        self._shown_entries: dict[tuple[int, int], PlaceEntry] = {}

    def error(self) -> InvalidSystem:
        """Error that stands for what could not be learned last."""
        fault, about = self.core.problem
        if fault == "condition":
            reason, phrase, word, _ = about
            return self._rows.error(reason, phrase, word)
        if fault == "expression":
            return self._error_in(self.expression(about[1]))
        if fault in _MOST:
            return InvalidSystem(f"expected at most {_MOST[fault]} {_LIMITS[fault]}")
        return InvalidSystem("expected a place that can be worked out")

    def _error_in(self, expression: Expression) -> InvalidSystem:
        """Error of an expression that means nothing, with the place where it is written."""
        message = self._message(expression)
        for phrase in self._rows.phrases:
            if phrase.kind == "raw" and message in self._message_of(phrase.text):
                text = f"{phrase.where}: in {{{phrase.text}}}: {message}"
                return invalid_at(phrase.where, text)
        return InvalidSystem(message)

    def _message_of(self, written: str) -> str:
        try:
            return self._message(parse_expression(written))
        except InvalidExpression as error:
            return str(error)

    def _message(self, expression: Expression) -> str:
        try:
            tree_of(expression, self.rules.vocabulary)
        except InvalidExpression as error:
            return str(error)
        return f"expected an expression that a hand can be tested by, got {str(expression)[:80]!r}"

    # --- expressions ------------------------------------------------------------------------------

    def expression(self, number: int) -> Expression:
        """Give the expression that has a number in the core."""
        found = self._expressions.get(number)
        if found is None:
            form, *words = self.core.expression_rows(number)
            made = expression_of(form, words, self._rows.names, self.expression)
            found = self._expressions[number] = made
            self._expression_numbers.setdefault(found, number)
        return found

    def _expression_number(self, expression: Expression) -> int:
        number = self._expression_numbers.get(expression)
        if number is None:
            words = words_of(expression, self._name, self._expression_number)
            number = self.core.add_expression(FORMS.index(type(expression)), words)
            self._expression_numbers[expression] = number
        return number

    def _name(self, name: str) -> int:
        """Give a name a number in the core; what comes behind those of the text is added."""
        number = self._names.get(name)
        if number is None:
            kind, formula = meaning(name, self.rules.vocabulary)
            known = -1 if formula is None else self._expression_number(formula)
            number = self._names[name] = self.core.add_name(kind, known)
            self._rows.names.append(name)
        return number

    def lowered(
        self, store: ArrayGroup, place: int, condition: Condition, bindings: Bindings
    ) -> Expression:
        """Expression that a condition of the text becomes at a place, which has its row.

        Raises
        ------
        InvalidSystem
            If it asks for what does not exist there.
        """
        number = self.core.lowered_at(
            store, place, self._rows.condition(condition), code_of(bindings)
        )
        if number < 0:
            raise self.error()
        return self.expression(number)

    # --- needs and entries ------------------------------------------------------------------------

    def constraint(self, number: int) -> Constraint:
        """Constraint by its number."""
        known = self._constraints.get(number)
        if known is None:
            _make_room(self._constraints)
            criteria = self.core.criteria_rows(number)
            known = self._constraints[number] = Constraint(
                tuple(map(self.expression, criteria)),
                partial(self._cells.reach, number),
                partial(self._cells.reach_at, number),
            )
        return known

    def constraint_numbers(self) -> list[int]:
        """Numbers of all needs but those that never hold."""
        count = len(self.core.rows("needs"))
        return [number for number in range(count) if number != NEVER]

    def criteria_texts(self, entry: int) -> tuple[str, ...]:
        """Criteria of an entry as canonical text."""
        return self.constraint(int(self.core.rows("entries")[entry]["needs"])).texts()

    def cells_of(self, entry: int) -> int:
        """Cells where some hand satisfies an entry, as :mod:`.knowledge` writes sets."""
        return self._cells.reach(int(self.core.rows("entries")[entry]["needs"])).can

    def call_of(self, entry: int) -> int:
        """Call that an entry makes."""
        return int(self.core.rows("entries")[entry]["call"])

    def variant_of(self, entry: int) -> int:
        """Line of the text, or variant of it, that an entry is of, by its number."""
        return int(self.core.rows("entries")[entry]["variant"])

    def add_entry(self, call: int, criteria: tuple[Expression, ...], name: str) -> int:
        """Entry that stands in no text, for what overlays make of a place; its number.

        Raises
        ------
        InvalidSystem
            If the criteria cannot be lowered.
        """
        constraint = self.core.constraint_number(list(map(self._expression_number, criteria)))
        if constraint < 0:
            raise self.error()
        number = self.core.add_entry(call, constraint, 0, 0)
        self._foreign_names[number] = name
        return number

    def is_foreign(self, entry: int) -> bool:
        """Whether an entry stands in no text."""
        return entry in self._foreign_names

    def name(self, entry: int) -> str:
        """Name of the rule behind an entry."""
        foreign = self._foreign_names.get(entry)
        return self._variant_name(self.variant_of(entry)) if foreign is None else foreign

    def names_of(self, entries: NDArray[np.int64]) -> list[str]:
        """Names of the rules behind entries."""
        variants = self.core.rows("entries")["variant"][entries].tolist()
        names = map(self._variant_name, variants)
        return [*map(self._foreign_names.get, entries.tolist(), names)]

    def _variant_name(self, number: int) -> str:
        known = self._variant_names.get(number)
        if known is None:
            found = self._rows.variant(number)
            known = self._variant_names[number] = name_of(found.line, found.variant)
        return known

    def where(self, entry: int) -> Where:
        """Tell where the line or the variant behind an entry stands, without what it asks for."""
        found = self._rows.variant(self.variant_of(entry))
        return (found.variant or found.line).where

    def entry(self, number: int, rank: int) -> PlaceEntry:
        """Entry as an object, with its rank at a place."""
        known = self._shown_entries.get((number, rank))
        if known is None:
            _make_room(self._shown_entries)
            row = self.core.rows("entries")[number]
            found = self._rows.variant(int(row["variant"]))
            code = int(self.core.rows("bindings")[row["bindings"]])
            known = PlaceEntry.of(
                found.line,
                found.place,
                found.variant,
                int(row["call"]),
                rank,
                self.constraint(int(row["needs"])),
                bindings_of(code),
                found.specificity,
            )
            self._shown_entries[number, rank] = known
        return known


def _make_room(cache: dict[Any, Any], most: int = _MOST_SHOWN) -> None:
    """Empty a cache that is full: what was in it is made again in some microseconds."""
    if len(cache) >= most:
        cache.clear()


class _Cells:
    """Cells of needs, as :mod:`.knowledge` writes sets; it knows the core, which knows nobody."""

    def __init__(self, core: CoreSystem) -> None:
        self._core = core
        self._sets: dict[int, int] = {}

    def reach(self, constraint: int) -> Bounds:
        """Cells where some hand, and where every hand, satisfies some needs."""
        row = self._core.rows("needs")[constraint]
        return Bounds(self._set(int(row["can"])), self._set(int(row["must"])))

    def reach_at(self, constraint: int, context: int) -> Bounds:
        """Give the same in one context."""
        can, must = self._core.cells_at(constraint, context)
        return Bounds(
            int.from_bytes(can.tobytes(), "little"), int.from_bytes(must.tobytes(), "little")
        )

    def _set(self, number: int) -> int:
        known = self._sets.get(number)
        if known is None:
            _make_room(self._sets, _MOST_SETS)
            words = self._core.rows("cells")[number]
            known = self._sets[number] = int.from_bytes(words.tobytes(), "little")
        return known


def bindings_of(code: int) -> Bindings:
    """Bindings that are packed in a number, 3 bits a variable."""
    found = {}
    for name, place in _PLACES.items():
        value = code >> 3 * place & 7
        if value:
            found[name] = str(value) if name == "n" else _STRAINS[value - 1]
    return found


def code_of(bindings: Bindings) -> int:
    """Pack bindings in a number, as :func:`bindings_of` reads them."""
    return sum(
        (int(value) if name == "n" else _STRAINS.index(value) + 1) << 3 * _PLACES[name]
        for name, value in bindings.items()
    )


def opened_programs(
    first: Rules | SystemProgram, other: Rules | SystemProgram
) -> tuple[SystemProgram, SystemProgram]:
    """Open two systems that play each other, so that their tags have the same numbers.

    Raises
    ------
    InvalidSystem
        If there are more tags than the core has numbers for.
    """
    if isinstance(first, SystemProgram):
        return first, other if isinstance(other, SystemProgram) else SystemProgram(other)
    assert isinstance(other, Rules)
    tags: dict[str, int] = {}
    program = SystemProgram(first, tags)
    return program, program if other is first else SystemProgram(other, tags)


def unpacked(suits: int) -> tuple[str, ...]:
    """Letters of packed suits."""
    found = []
    while suits:
        found.append(_STRAINS[(suits & 7) - 1])
        suits >>= 3
    return tuple(found)
