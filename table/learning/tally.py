"""Counting: hands of boards into histograms and bit counters of slots, exact and additive."""

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels import Backend, DealArrays
from bidcascade.kernels.types import U32
from bidcascade.table.columns import NONE_U32
from bidcascade.table.decisions import Decisions, expression_rows

from .measures import LaneRange, Measures
from .slots import Slots

I64 = NDArray[np.int64]


class Tally:
    """Counts of some slots; boards may come in any order and in pieces of any size.

    Parameters
    ----------
    measures : Measures
    slots : Slots
    backend : Backend, optional
        What evaluates expressions; ``auto`` if not given.
    """

    def __init__(self, measures: Measures, slots: Slots, backend: Backend | None = None) -> None:
        self.measures = measures
        self.slots = slots
        self._backend = backend
        self.values: U32 = np.zeros((len(slots), measures.cell_count), np.uint32)
        """Hands at each value of each lane, uint32[slots, cells]."""
        self.truths: U32 = np.zeros((len(slots), len(measures.bits)), np.uint32)
        """Hands for which each bit holds, uint32[slots, bits]."""
        self.hands: I64 = np.zeros(len(slots), np.int64)
        """Hands of each slot."""

    def add(self, decisions: Decisions, deals: DealArrays) -> None:
        """Count the calls of some boards."""
        from bidcascade.kernels.auctions.decisions import add_bits

        slots = self.slots.of(decisions)
        counted = slots != NONE_U32
        slots, hands = slots[counted], decisions.hand[counted]
        if not len(slots):
            return
        np.add.at(self.hands, slots, 1)
        if self.values.size:
            cells = self.measures.cells_of(deals)
            rows = slots.astype(np.int64) * self.values.shape[1]
            flat = self.values.reshape(-1)
            for lane in range(cells.shape[1]):
                np.add.at(flat, rows + cells[hands, lane], np.uint32(1))
        if self.truths.size:
            bits = expression_rows(
                self.measures.bits, deals, self.measures.vocabulary, self._backend
            )
            add_bits(bits, hands, slots, self.truths)

    def __iadd__(self, other: "Tally") -> "Tally":
        """Add the counts of other boards of the same slots."""
        if len(other.slots) != len(self.slots) or other.measures.bits != self.measures.bits:
            raise ValueError("expected counts of the same slots and measures")
        self.values += other.values
        self.truths += other.truths
        self.hands += other.hands
        return self

    def of_expressions(self, first: int, last: int) -> I64:
        """Hands for which each expression holds, for slots ``first`` to ``last``.

        Returns
        -------
        int64 [last - first, expressions]
        """
        measures = self.measures
        counts = np.empty((last - first, len(measures.sources)), np.int64)
        values = self.values[first:last]
        running = np.zeros((last - first, values.shape[1] + 1), np.int64)
        np.cumsum(values, axis=1, out=running[:, 1:])
        for number, source in enumerate(measures.sources):
            if isinstance(source, LaneRange):
                lane = measures.lanes[source.lane]
                shift = lane.first - lane.low
                if source.low > source.high:
                    counts[:, number] = 0
                    continue
                counts[:, number] = (
                    running[:, source.high + 1 + shift] - running[:, source.low + shift]
                )
            else:
                counts[:, number] = self.truths[first:last, source]
        return counts
