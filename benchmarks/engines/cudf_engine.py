"""Engine ``cudf``: boolean columns on the device, the naive GPU way.

The same plan of work as ``polars``: each distinct criteria list once a seat, ``&`` with the
parent's column and a sum for each entry, nothing below an entry that no deal reaches. A column is
one byte a deal, and every step a launch: what this shows is what a GPU gives without kernels of
one's own. cudf and CuPy are imported when the engine is first used.
"""

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.term_tables import atom, holding_tables
from bidcascade.kernels import BitColumns, DealArrays, Plan
from bidcascade.kernels.cuda_device import Timing
from bidcascade.kernels.types import U64

from .choice import Engine
from .column_engine import ColumnEngine
from .column_walk import KeptColumns
from .numpy_engine import COMPARE


class _Hands:
    """Expression columns of one seat's hands; terms are worked out when first asked for."""

    def __init__(self, plan: Plan, hands: Any, cupy: Any, cudf: Any) -> None:
        self._plan = plan
        self._cupy, self._cudf = cupy, cudf
        self._holdings = [
            ((hands >> np.uint64(13 * suit)) & np.uint64(0x1FFF)).astype(np.uint16)
            for suit in range(4)
        ]
        self._values: dict[str, Any] = {}

    def _value(self, term: str) -> Any:
        if term not in self._values:
            parts = [
                self._cupy.asarray(table)[self._holdings[suit]]
                for suit, table in holding_tables(term, self._plan.profile)
            ]
            self._values[term] = sum(parts[1:], start=parts[0])
        return self._values[term]

    def expression(self, number: int) -> Any:
        term, comparison, bound = atom(self._plan.expressions[number])
        return self._cudf.Series(COMPARE[comparison](self._value(term), bound))


class _SeriesColumns(KeptColumns[Any]):
    def __init__(self, plan: Plan, deals: DealArrays, cupy: Any, cudf: Any) -> None:
        self._count = len(deals)
        self._cupy, self._cudf = cupy, cudf
        hands = cupy.asarray(deals.hands)
        dealer = cupy.asarray(deals.dealer).astype(np.int64)
        place = cupy.arange(self._count)
        super().__init__(
            plan,
            [_Hands(plan, hands[(dealer + seat) & 3, place], cupy, cudf) for seat in range(4)],
        )

    def everyone(self) -> Any:
        return self._cudf.Series(self._cupy.ones(self._count, np.bool_))

    def count(self, column: Any) -> int:
        return int(column.sum())

    def deals(self, column: Any) -> NDArray[np.uint32]:
        found: NDArray[np.uint32] = self._cupy.asnumpy(
            self._cupy.flatnonzero(column.values).astype(np.uint32)
        )
        return found


class CudfEngine(ColumnEngine):
    """Boolean cudf columns."""

    name = "cudf"
    block = 1 << 20

    def __init__(self) -> None:
        self._cupy: Any = None
        self._cudf: Any = None

    @property
    def step(self) -> int:
        return self.block

    def why_unavailable(self, operation: str) -> str | None:
        for library in ("cudf", "cupy"):
            if find_spec(library) is None:
                return f"{library} is not installed"
        if operation == "hands":
            return "cudf does not deal"
        reason = self._load()
        return reason if reason is not None else super().why_unavailable(operation)

    def _load(self) -> str | None:
        """Import the libraries; say why they cannot be used here."""
        if self._cudf is not None:
            return None
        try:
            # cudf asks for a device at once and ends with an error of its driver's if there is none
            self._cupy = importlib.import_module("cupy")
            self._cupy.cuda.runtime.getDeviceCount()
            self._cudf = importlib.import_module("cudf")
        except (ImportError, OSError, RuntimeError) as error:
            return f"cudf does not start: {str(error).partition(chr(10))[0]}"
        return None

    def prepare(self, plan: Plan) -> None:
        super().prepare(plan)
        self._load()

    def columns(self, plan: Plan, deals: DealArrays) -> Any:
        self._load()
        return _SeriesColumns(plan, deals, self._cupy, self._cudf)

    def evaluate(self, plan: Plan, deals: DealArrays) -> Any:
        """Frame of boolean columns on the device, ``"expression.seat"``."""
        self._load()
        hands = self._cupy.asarray(deals.hands)
        seats = [_Hands(plan, hands[seat], self._cupy, self._cudf) for seat in range(4)]
        return self._cudf.DataFrame(
            {
                f"{number}.{seat}": seats[seat].expression(number)
                for number in range(len(plan.expressions))
                for seat in range(4)
            }
        )

    def bits(self, columns: Any) -> BitColumns:
        names = list(columns.columns)
        count = len(columns)
        result = BitColumns.empty(len(names) // 4, count)
        for name in names:
            number, seat = map(int, name.split("."))
            packed = self._cupy.asnumpy(
                self._cupy.packbits(columns[name].values, bitorder="little")
            )
            result.words[number, seat].view(np.uint8)[: len(packed)] = packed
        return result

    def hands(self, count: int, seed: int) -> U64:
        raise ValueError(str(self.why_unavailable("hands")))

    @contextmanager
    def timings(self) -> Iterator[list[Timing]]:
        """Time from the first to the last launch of the default stream, waits between included."""
        found: list[Timing] = []
        begin, end = self._cupy.cuda.Event(), self._cupy.cuda.Event()
        begin.record()
        yield found
        end.record()
        end.synchronize()
        elapsed = float(self._cupy.cuda.get_elapsed_time(begin, end))
        found.append(Timing("all launches", elapsed / 1000))

    def _over_blocks(
        self, function: Callable[[DealArrays, int], Any], deals: DealArrays
    ) -> Iterator[Any]:
        # one after the other: they share the device and its memory
        for start in range(0, len(deals), self.block):
            yield function(deals.slice(start, min(start + self.block, len(deals))), start)


def make(name: str) -> Engine:
    """Make the engine."""
    return CudfEngine()
