"""Which of an entry's several meanings fit the hand: by bit columns, for many deals at once.

The answer is that of :func:`.bid_answer.matching_variants`, which asks the definition one hand at a
time; a test holds the two against each other.
"""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from bidcascade.bridge import PASS
from bidcascade.kernels import Backend, DealArrays, Plan
from bidcascade.table import BiddingTable


class VariantLists(NamedTuple):
    """An entry with several variants: who calls, and per variant its label and criteria list.

    ``lists`` has -1 for a variant that holds always and -2 for one that never does: those without
    criteria, by the policy of the table.
    """

    depth: int
    labels: tuple[str, ...]
    lists: tuple[int, ...]


_ALWAYS = -1
_NEVER = -2


class VariantChecks:
    """The entries of a table that have several variants.

    Parameters
    ----------
    table : BiddingTable
    plan : Plan
        The table's own.
    backend : Backend
    """

    def __init__(self, table: BiddingTable, plan: Plan, backend: Backend) -> None:
        self._table = table
        self._plan = plan
        self._backend = backend
        self._known: dict[int, VariantLists] = {}

    @cached_property
    def entries(self) -> frozenset[int]:
        """Numbers of the entries with several variants."""
        return frozenset(self._table.columns["variant_entry"].tolist())

    def meanings(self, entry: int) -> VariantLists:
        """Variants of an entry; kept, there are few."""
        known = self._known.get(entry)
        if known is None:
            known = self._known[entry] = self._read(entry)
        return known

    def _read(self, entry: int) -> VariantLists:
        columns = self._table.columns
        rows = self._table.variants(entry)
        begin, end = np.searchsorted(columns["variant_entry"], [entry, entry + 1])
        first = int(columns["set_criteria"][columns["set_offsets"][columns["variant_set"][entry]]])
        numbers = [first, *columns["variant_criteria"][begin:end].tolist()]
        return VariantLists(
            len(rows[0].prior),
            tuple(row.name or row.description for row in rows),
            tuple(
                number if self._plan.criteria[number] else self._undescribed(rows[0].call)
                for number in numbers
            ),
        )

    def _undescribed(self, call: int) -> int:
        policy = self._table.undescribed
        return _ALWAYS if policy == "allow" or (policy == "pass" and call == PASS) else _NEVER

    def on(self, deals: DealArrays, entries: Iterable[int]) -> Callable[[int, int], int]:
        """Check some entries on some deals.

        Returns
        -------
        callable (deal, entry) -> int
            Bit ``i`` tells whether variant ``i`` of the entry holds for the deal.
        """
        lists = sorted(
            {number for entry in entries for number in self.meanings(entry).lists if number >= 0}
        )
        tests = {number: self._plan.criteria[number] for number in lists}
        expressions = sorted({one for numbers in tests.values() for one in numbers})
        place = {expression: row for row, expression in enumerate(expressions)}
        words = self._backend.evaluate(self._plan, deals, expressions).words
        columns = {
            number: np.bitwise_and.reduce(words[[place[one] for one in numbers]], axis=0)
            for number, numbers in tests.items()
        }
        # one whole number a list and seat: its bits are deals
        bits = {
            (number, seat): int.from_bytes(column[seat].tobytes(), "little")
            for number, column in columns.items()
            for seat in range(4)
        }
        dealers: list[int] = deals.dealer.tolist()

        def which(deal: int, entry: int) -> int:
            meanings = self.meanings(entry)
            seat = (dealers[deal] + meanings.depth) % 4
            held = 0
            for variant, number in enumerate(meanings.lists):
                if number == _ALWAYS or (number >= 0 and bits[number, seat] >> deal & 1):
                    held |= 1 << variant
            return held

        return which
