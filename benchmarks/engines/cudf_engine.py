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

from bidcascade.kernels import BitColumns, DealArrays, Plan
from bidcascade.kernels.cuda_device import Timing
from bidcascade.kernels.types import U32

from .column_engine import ColumnEngine, TermColumns


class _SeriesColumns(TermColumns):
    def __init__(self, plan: Plan, hands: Any, cupy: Any, cudf: Any) -> None:
        super().__init__(plan, hands, cupy)
        self._cudf = cudf

    def column(self, truths: Any) -> Any:
        return self._cudf.Series(truths)

    def everyone(self) -> Any:
        return self.column(self._arrays.ones(self._hands.shape[1], np.bool_))

    def count(self, column: Any) -> int:
        return int(column.sum())

    def deals(self, column: Any) -> U32:
        return self._arrays.asnumpy(self._arrays.flatnonzero(column.values).astype(np.uint32))


class CudfEngine(ColumnEngine):
    """Boolean cudf columns."""

    name = "cudf"
    block = 1 << 20
    step = block
    _cupy: Any = None
    _cudf: Any = None

    def why_unavailable(self, operation: str) -> str | None:
        for library in ("cudf", "cupy"):
            if find_spec(library) is None:
                return f"{library} is not installed"
        return super().why_unavailable(operation) or self._load()

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

    def columns(self, plan: Plan, deals: DealArrays) -> _SeriesColumns:
        self._load()
        dealer = self._cupy.asarray(deals.dealer).astype(np.int64)
        seats = (dealer[None, :] + self._cupy.arange(4)[:, None]) & 3
        hands = self._cupy.asarray(deals.hands)[seats, self._cupy.arange(len(deals))]
        return _SeriesColumns(plan, hands, self._cupy, self._cudf)

    def evaluate(self, plan: Plan, deals: DealArrays) -> Any:
        """Frame of boolean columns on the device, ``"expression.seat"``."""
        self._load()
        hands = self._cupy.asarray(deals.hands)
        columns = _SeriesColumns(plan, hands, self._cupy, self._cudf)
        return self._cudf.DataFrame(
            {
                f"{number}.{seat}": columns.expression(number, seat)
                for number in range(len(plan.expressions))
                for seat in range(4)
            }
        )

    def bits(self, columns: Any) -> BitColumns:
        names = list(columns.columns)
        result = BitColumns.empty(len(names) // 4, len(columns))
        for name in names:
            number, seat = map(int, name.split("."))
            bits = self._cupy.packbits(columns[name].values, bitorder="little")
            result.words[number, seat].view(np.uint8)[: len(bits)] = self._cupy.asnumpy(bits)
        return result

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

    def over_blocks(
        self, function: Callable[[DealArrays, int], Any], deals: DealArrays
    ) -> Iterator[Any]:
        # one after the other: they share the device and its memory
        for start in range(0, len(deals), self.block):
            yield function(deals.slice(start, min(start + self.block, len(deals))), start)
