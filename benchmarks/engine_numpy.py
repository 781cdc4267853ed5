"""Engine ``numpy``: columns are packed 64-bit words; ``&`` and ``bitwise_count`` an entry."""

import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels import BitColumns, DealArrays, Plan
from bidcascade.kernels.types import U64

from .column_engine import ColumnEngine, seats_by_call
from .deals import numpy_hands
from .engines import Engine
from .term_tables import atom, holding_tables

COMPARE = {
    "<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne,
    ">=": operator.ge, ">": operator.gt,
}  # fmt: skip


class _Hands:
    """Expression columns of one seat's hands; terms are worked out when first asked for."""

    def __init__(self, plan: Plan, hands: U64) -> None:
        self._plan = plan
        self._holdings = [
            ((hands >> np.uint64(13 * suit)) & np.uint64(0x1FFF)).astype(np.uint16)
            for suit in range(4)
        ]
        self._values: dict[str, NDArray[np.uint8]] = {}
        self._words = (len(hands) + 63) // 64

    def _value(self, term: str) -> NDArray[np.uint8]:
        if term not in self._values:
            parts = [
                table[self._holdings[suit]]
                for suit, table in holding_tables(term, self._plan.profile)
            ]
            self._values[term] = sum(parts[1:], start=parts[0])
        return self._values[term]

    def expression(self, number: int) -> U64:
        term, comparison, bound = atom(self._plan.expressions[number])
        return packed(COMPARE[comparison](self._value(term), bound))


def packed(booleans: NDArray[np.bool_]) -> U64:
    """Bits in 64-bit words, first deal lowest."""
    words = np.zeros((len(booleans) + 63) // 64, np.uint64)
    bits = np.packbits(booleans, bitorder="little")
    words.view(np.uint8)[: len(bits)] = bits
    return words


class _PackedColumns:
    def __init__(self, plan: Plan, deals: DealArrays) -> None:
        self._plan = plan
        self._count = len(deals)
        self._seats = [_Hands(plan, hands) for hands in seats_by_call(deals)]
        self._expressions: dict[tuple[int, int], U64] = {}
        self._criteria: dict[tuple[int, int], U64] = {}

    def everyone(self) -> U64:
        return packed(np.ones(self._count, np.bool_))

    def _expression(self, number: int, seat: int) -> U64:
        key = number, seat
        if key not in self._expressions:
            self._expressions[key] = self._seats[seat].expression(number)
        return self._expressions[key]

    def criteria(self, number: int, seat: int) -> U64:
        key = number, seat
        if key not in self._criteria:
            column = self.everyone()
            for expression in self._plan.criteria[number]:
                column = column & self._expression(expression, seat)
            self._criteria[key] = column
        return self._criteria[key]

    def both(self, left: U64, right: U64) -> U64:
        return left & right

    def without(self, left: U64, right: U64) -> U64:
        return left & ~right

    def count(self, column: U64) -> int:
        return int(np.bitwise_count(column).sum(dtype=np.int64))

    def deals(self, column: U64) -> NDArray[np.uint32]:
        bits = np.unpackbits(column.view(np.uint8), bitorder="little")
        return np.flatnonzero(bits).astype(np.uint32)


class NumpyEngine(ColumnEngine):
    """Packed bits in NumPy arrays."""

    name = "numpy"
    block = 1 << 16

    def columns(self, plan: Plan, deals: DealArrays) -> Any:
        return _PackedColumns(plan, deals)

    def evaluate(self, plan: Plan, deals: DealArrays) -> BitColumns:
        result = BitColumns.empty(len(plan.expressions), len(deals))

        def one_block(block: DealArrays, start: int) -> None:
            for seat in range(4):
                hands = _Hands(plan, block.hands[seat])
                first = start // 64
                for number in range(len(plan.expressions)):
                    words = hands.expression(number)
                    result.words[number, seat, first : first + len(words)] = words

        for _ in self._over_blocks(one_block, deals):
            pass
        return result

    def bits(self, columns: BitColumns) -> BitColumns:
        return columns

    def hands(self, count: int, seed: int) -> U64:
        return numpy_hands(count, seed)


def make(name: str) -> Engine:
    """Make the engine."""
    return NumpyEngine()
