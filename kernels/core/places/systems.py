"""One system in the core: its rows, what it has learned, and how hands are packed for its tests."""

import ctypes
import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.core import rows
from bidcascade.kernels.core.functions import call_core, function
from bidcascade.kernels.core.groups import ArrayGroup
from bidcascade.kernels.packing.layout import CONTEXTS, HOLDINGS, Packing
from bidcascade.kernels.packing.layout import SHAPES as LENGTHS
from bidcascade.kernels.types import I32, U64


class LearningProblem(NamedTuple):
    """Why something could not be learned: one of :data:`FAULTS`, and what it is about."""

    fault: str
    about: tuple[int, ...]


FAULTS: Final = ("", "condition", "expression", "needs", "bindings")


class CoreSystem:
    """A system that the core has opened. Nobody else may use it while it learns.

    Parameters
    ----------
    text, structure : int32
        Rows as encoders of texts write them.

    Raises
    ------
    ValueError
        If the core refuses them.
    """

    def __init__(self, text: I32, structure: I32) -> None:
        text, structure = (np.ascontiguousarray(one, np.int32) for one in (text, structure))
        opened = function("core_system_open", ctypes.c_void_p)(
            ctypes.c_void_p(text.ctypes.data),
            ctypes.c_int64(len(text)),
            ctypes.c_void_p(structure.ctypes.data),
            ctypes.c_int64(len(structure)),
        )
        if not opened:
            raise ValueError("expected rows of a system's text")
        self.address: int = opened
        close = function("core_system_close", None)
        self._close = finalize(self, close, ctypes.c_void_p(opened))
        self._packing: tuple[int, Packing, I32, I32] | None = None
        # the core keeps addresses and lengths of its arrays at the system's address
        self._table = (ctypes.c_uint64 * (2 * len(_FIELDS))).from_address(opened)
        self._views: dict[Any, tuple[int, int, NDArray[Any]]] = {}

    def rows(self, name: str) -> rows.Rows:
        """Rows of an array of :class:`.rows.Program` as they are now, in the core's memory.

        They hold until something is learned.
        """
        number, kind, tail = _FIELDS[name]
        address, count = self._table[2 * number : 2 * number + 2]
        return self._view(name, address, count, kind, tail)

    def _view(
        self, name: Any, address: int, count: int, kind: Any, tail: tuple[int, ...] = ()
    ) -> NDArray[Any]:
        """Array over the core's memory; the same object as long as it lies there."""
        known = self._views.get(name)
        if known is None or known[:2] != (address, count):
            known = self._views[name] = address, count, _view(address, count, kind, tail)
        return known[2]

    def count(self, name: str) -> int:
        """How many rows an array has now."""
        return int(self._table[2 * _FIELDS[name][0] + 1])

    @property
    def bytes(self) -> int:
        """Memory of all that was learned; another thread may be learning."""
        return call_core("core_system_bytes", self)

    @property
    def problem(self) -> LearningProblem:
        """Why something could not be learned last."""
        out = np.zeros(5, np.int64)
        call_core("core_system_problem", self, out)
        return LearningProblem(FAULTS[out[0]], tuple(out[1:].tolist()))

    def expression_rows(self, number: int) -> list[int]:
        """Words of an expression."""
        return self._row(0, number)

    def criteria_rows(self, number: int) -> list[int]:
        """Expressions that some needs ask for."""
        return self._row(1, number)

    def _row(self, which: int, number: int) -> list[int]:
        out = np.zeros(8, np.uint64)
        call_core("core_system_rows", self, out)
        words, word_count, starts, start_count = out[4 * which : 4 * which + 4].tolist()
        if not 0 <= number < start_count - 1:
            raise ValueError(f"expected a number below {start_count - 1}, got {number}")
        ends = self._view((which, "starts"), starts, start_count, "u8")
        first, end = ends[number : number + 2].tolist()
        found: list[int] = self._view(which, words, word_count, "i4")[first:end].tolist()
        return found

    def add_name(self, kind: int, formula: int) -> int:
        """Give a further name of the vocabulary a number."""
        return call_core("core_system_add_name", self, kind, formula)

    def add_expression(self, form: int, words: Sequence[int]) -> int:
        """Give an expression a number, over others that have theirs."""
        array = np.array(words, np.int32)
        return call_core("core_system_add_expression", self, form, array, len(array))

    def constraint_number(self, criteria: Sequence[int]) -> int:
        """Give a number to the needs with some criteria; -1 with a problem if they mean nothing."""
        array = np.array(criteria, np.int32)
        found: int = function("core_system_needs")(
            ctypes.c_void_p(self.address),
            ctypes.c_void_p(array.ctypes.data),
            ctypes.c_int64(len(array)),
        )
        return found

    def cells_at(self, constraint: int, context: int) -> tuple[U64, U64]:
        """Cells where some hand, and where every hand, meets needs in a context."""
        can, must = np.zeros((2, rows.SET_WORDS), np.uint64)
        call_core("core_system_cells_at", self, constraint, context, can, must)
        return can, must

    def lowered_at(self, store: ArrayGroup, place: int, condition: int, bindings: int) -> int:
        """Find the number of the expression that a condition becomes at a place of a store.

        The place has its row, bindings are packed. -2 with a problem where it means nothing.
        """
        return call_core("core_lowered_at", self, store, place, condition, bindings)

    def add_entry(self, code: int, constraint: int, variant: int, bindings: int) -> int:
        """Entry that stands in no text; its number."""
        return call_core("core_system_add_entry", self, code, constraint, variant, bindings)

    def _sizes(self) -> list[int]:
        out = np.zeros(8, np.int64)
        call_core("core_system_packing", self, out)
        sizes: list[int] = out.tolist()
        return sizes

    @property
    def packing_version(self) -> int:
        """Another number whenever hands have to be packed anew."""
        return self._sizes()[0]

    @property
    def width(self) -> int:
        """Words of a packed hand."""
        return sum(self._sizes()[1:3])

    @property
    def packing(self) -> Packing:
        """Tables with which hands are packed, for a device.

        The same object as long as nothing new is asked of hands. What its lanes and flags mean is
        not told.
        """
        return self._tables()[1]

    @property
    def derived(self) -> tuple[I32, I32]:
        """First tests of flags that follow from others, in order, and those flags."""
        return self._tables()[2:]

    def _tables(self) -> tuple[int, Packing, I32, I32]:
        version, lanes, flags, instructions, programs, terms, derived, stack = self._sizes()
        if self._packing is None or self._packing[0] != version:
            words = lanes + flags
            tables = Packing(
                lane_words=lanes,
                flag_words=flags,
                suit_words=np.zeros((4, HOLDINGS, words), np.uint64),
                length_words=np.zeros((LENGTHS, words), np.uint64),
                context_words=np.zeros((CONTEXTS, words), np.uint64),
                lane_forms=(),
                lane_offsets=(),
                flag_trees=(),
                programs=np.zeros((instructions, 2), np.int32),
                program_starts=np.zeros(programs, np.int32),
                program_flags=np.zeros(programs, np.int32),
                program_stack=stack,
                term_suits=np.zeros((terms, 4, HOLDINGS), np.int32),
                term_lengths=np.zeros((terms, LENGTHS), np.int32),
                term_contexts=np.zeros((terms, CONTEXTS), np.int32),
            )
            derived_tests, derived_flags = np.zeros((2, derived), np.int32)
            call_core(
                "core_system_tables",
                self,
                tables.suit_words,
                tables.length_words,
                tables.context_words,
                tables.programs,
                tables.program_starts,
                tables.program_flags,
                tables.term_suits,
                tables.term_lengths,
                tables.term_contexts,
                derived_tests,
                derived_flags,
            )
            self._packing = version, tables, derived_tests, derived_flags
        return self._packing


_FIELDS: Final = {
    name: (number, np.dtype(kind), tuple(tail))
    for number, (name, (kind, *tail)) in enumerate(rows.Program.fields.items())
}


def _view(address: int, count: int, kind: Any, tail: tuple[int, ...]) -> NDArray[Any]:
    """Array over the core's memory."""
    dtype = np.dtype(kind)
    size = count * dtype.itemsize * math.prod(tail)
    if not size:
        return np.zeros((0, *tail), dtype)
    memory = (ctypes.c_uint8 * size).from_address(address)
    return np.frombuffer(memory, dtype).reshape(count, *tail)
