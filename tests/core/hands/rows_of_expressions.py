"""Expressions of the language as rows of the core (``trees.hpp``), through a probe.

The probe has ``opened``, ``closed``, ``add_name``, ``set_formula``, ``set_tag``,
``add_expression``, ``tree_words`` and ``form_words`` (see ``layout_probe.cpp``).
"""

import ctypes

import numpy as np

from bidcascade.kernels.packing.layout import OPCODES
from bidcascade.kernels.packing.literals import LinearForm, Tree
from bidcascade.systems.rows import expression_rows
from bidcascade.systems.rows.expression_rows import words_of
from bidcascade.table.language.expression_tree import Expression
from bidcascade.table.language.expressions import parse_expression
from bidcascade.table.language.vocabulary import Vocabulary
from tests.core.hands.rows_of_trees import INTERVAL, NAMES, TERM_NUMBERS, pointer, words

FORMS = {form: number for number, form in enumerate(expression_rows.FORMS)}
OPERATORS = {number: operator for operator, number in OPCODES.items()}


class RowsOfExpressions:
    """The expressions of one probe's state; equal expressions have equal numbers."""

    def __init__(self, probe: ctypes.CDLL, vocabulary: Vocabulary) -> None:
        probe.opened.restype = ctypes.c_void_p
        self.probe, self.vocabulary = probe, vocabulary
        self.state = ctypes.c_void_p(probe.opened(int(vocabulary.profile == "mlbridge")))
        self._names = dict(TERM_NUMBERS)
        self._numbers: dict[Expression, int] = {}
        self._trees: dict[int, Tree] = {}

    def close(self) -> None:
        """Give the memory back."""
        self.probe.closed(self.state)

    def name(self, name: str) -> int:
        """Number of a name; what it means is told when it first comes up."""
        number = self._names.get(name)
        if number is None:
            number = self._names[name] = int(self.probe.add_name(self.state))
            if self.vocabulary.is_tag(name):
                self.probe.set_tag(self.state, number)
            elif name in self.vocabulary:
                formula = self.vocabulary.describe(name).definition
                self.set_formula(name, parse_expression(formula))
        return number

    def set_formula(self, name: str, formula: Expression) -> None:
        """Tell what a name stands for."""
        self.probe.set_formula(self.state, self.name(name), self.number(formula))

    def number(self, expression: Expression) -> int:
        """Number of an expression; it is added with all its parts."""
        number = self._numbers.get(expression)
        if number is None:
            number = self.add(
                [FORMS[type(expression)], *words_of(expression, self.name, self.number)]
            )
            self._numbers[expression] = number
        return number

    def add(self, row: list[int]) -> int:
        """Number of a row, right or wrong."""
        array = words(row)
        return int(self.probe.add_expression(self.state, pointer(array), len(array)))

    def tree(self, number: int) -> Tree:
        """Tree of a number."""
        known = self._trees.get(number)
        if known is None:
            known = self._trees[number] = self._read(number)
        return known

    def form(self, number: int) -> LinearForm:
        """Linear form of a number."""
        row = np.zeros(2 * len(NAMES), np.int32)
        count = self.probe.form_words(self.state, number, pointer(row))
        return tuple((NAMES[term], factor) for term, factor in row[:count].reshape(-1, 2).tolist())

    def _read(self, number: int) -> Tree:
        row = np.zeros(1 << 10, np.int32)
        count = self.probe.tree_words(self.state, number, pointer(row))
        operator, *operands = row[:count].tolist()
        if operator == INTERVAL:
            low, high = row[2:6].view(np.int64).tolist()
            return ("interval", self.form(operands[0]), low, high)
        name = OPERATORS[operator]
        if name == "int":
            return (name, operands[0])
        if name == "term":
            return (name, NAMES[operands[0]])
        return (name, *map(self.tree, operands))
