"""Trees of kernel terms as rows of the core (``kernels/core/hands/trees.hpp``), through a probe."""

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels import term_names
from bidcascade.kernels.packing.layout import OPCODES
from bidcascade.kernels.packing.literals import LinearForm, Tree
from bidcascade.systems.places.knowledge import _tree
from bidcascade.table.language.expression_tree import Expression
from bidcascade.table.language.vocabulary import Vocabulary

INTERVAL = 16
NAMES = sorted(term_names())
TERM_NUMBERS = {name: number for number, name in enumerate(NAMES)}


def tree_of(expression: Expression, vocabulary: Vocabulary) -> Tree:
    """Tree as sets of cells are worked out from it."""
    return _tree(expression, vocabulary)


def two_words(value: int) -> list[int]:
    """Lower and upper half of a number of 64 bits, as int32."""
    return np.array([value], np.int64).view(np.int32).tolist()


def words(values: list[int]) -> NDArray[np.int32]:
    """Row for the probe."""
    return np.array(values, np.int32)


def pointer(array: NDArray[Any]) -> ctypes.c_void_p:
    """Where an array lies, for the probe."""
    return ctypes.c_void_p(array.ctypes.data)


class RowsOfTrees:
    """The trees of one probe's state; equal trees have equal numbers."""

    def __init__(self, probe: ctypes.CDLL, profile: str = "gib") -> None:
        probe.opened.restype = ctypes.c_void_p
        self.probe = probe
        self.state = ctypes.c_void_p(probe.opened(int(profile == "mlbridge")))
        self._numbers: dict[Tree, int] = {}

    def close(self) -> None:
        """Give the memory back."""
        self.probe.closed(self.state)

    def form(self, form: LinearForm) -> int:
        """Number of a linear form."""
        row = words([word for name, factor in form for word in (TERM_NUMBERS[name], factor)])
        return int(self.probe.add_form(self.state, pointer(row), len(row)))

    def form_words(self, number: int) -> LinearForm:
        """Linear form of a number."""
        row = np.zeros(2 * len(NAMES), np.int32)
        count = self.probe.form_words(self.state, number, pointer(row))
        pairs = row[:count].reshape(-1, 2).tolist()
        return tuple((NAMES[term], factor) for term, factor in pairs)

    def tree(self, tree: Tree) -> int:
        """Number of a tree; it is added with all its parts."""
        number = self._numbers.get(tree)
        if number is None:
            row = words(self._words(tree))
            number = self.probe.add_tree(self.state, pointer(row), len(row))
            self._numbers[tree] = number
        return number

    def expression(self, expression: Expression, vocabulary: Vocabulary) -> int:
        """Number of an expression's tree."""
        return self.tree(tree_of(expression, vocabulary))

    def _words(self, tree: Tree) -> list[int]:
        operator, *operands = tree
        if operator == "term":
            return [OPCODES["term"], TERM_NUMBERS[operands[0]]]
        if operator == "int":
            return [OPCODES["int"], operands[0]]
        if operator == "interval":
            form, low, high = operands
            return [INTERVAL, self.form(form), *two_words(low), *two_words(high)]
        return [OPCODES[operator], *map(self.tree, operands)]
