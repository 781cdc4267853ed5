"""Engine ``numpy``: columns are packed 64-bit words; ``&`` and ``bitwise_count`` an entry."""

import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.deals import numpy_hands
from benchmarks.term_tables import atom, holding_tables
from bidcascade.kernels import BitColumns, DealArrays, Plan
from bidcascade.kernels.types import U64

from .choice import Engine
from .column_engine import ColumnEngine, seats_by_call
from .column_walk import KeptColumns

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


class _PackedColumns(KeptColumns[U64]):
    def __init__(self, plan: Plan, deals: DealArrays) -> None:
        super().__init__(plan, [_Hands(plan, hands) for hands in seats_by_call(deals)])
        self._count = len(deals)

    def everyone(self) -> U64:
        return packed(np.ones(self._count, np.bool_))

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
