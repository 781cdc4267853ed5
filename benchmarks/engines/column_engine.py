"""What the engines with whole columns share: blocks of deals on threads, and the walks."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.machine import cores
from bidcascade.kernels import BitColumns, DealArrays, EntryLists, FirstAuctions, Plan
from bidcascade.kernels.types import U64

from .column_walk import Columns, Trie, first_auctions, reached

if TYPE_CHECKING:
    from bidcascade.kernels.cuda_device import Timing


class ColumnEngine(ABC):
    """An engine that joins boolean columns; subclasses say what a column is."""

    name: str
    block: int
    prune = True

    @property
    def step(self) -> int:
        # a lone block would leave threads idle, and the time for many would seem longer than it is
        return self.block * cores()

    @abstractmethod
    def columns(self, plan: Plan, deals: DealArrays) -> Columns[Any]:
        """Columns over a block of deals."""

    @abstractmethod
    def evaluate(self, plan: Plan, deals: DealArrays) -> Any:
        """Bit columns of all expressions, in the engine's own form."""

    @abstractmethod
    def bits(self, columns: Any) -> BitColumns:
        """What :meth:`evaluate` returned, as bit columns."""

    def why_unavailable(self, operation: str) -> str | None:
        return f"{self.name} has no {operation} of its own" if operation == "features" else None

    def prepare(self, plan: Plan) -> None:
        Trie.of(plan)

    def counts(self, plan: Plan, deals: DealArrays) -> U64:
        trie = Trie.of(plan)

        def one_block(block: DealArrays, _: int) -> tuple[list[int], list[int]]:
            entries, sizes = [], []
            found = reached(trie, self.columns(plan, block), prune=self.prune)
            for entry, count, _column in found:
                entries.append(entry)
                sizes.append(count)
            return entries, sizes

        total = np.zeros(plan.node_count, np.uint64)
        for entries, sizes in self._over_blocks(one_block, deals):
            # an entry stands once in a block's list
            total[entries] += np.array(sizes, np.uint64)
        return total

    def entry_lists(self, plan: Plan, deals: DealArrays) -> Iterator[EntryLists]:
        trie = Trie.of(plan)

        def one_block(block: DealArrays, start: int) -> EntryLists:
            columns = self.columns(plan, block)
            entries, sizes, members = [], [], []
            for entry, count, column in reached(trie, columns):
                entries.append(entry)
                sizes.append(count)
                members.append(columns.deals(column))
            return self.by_deal(start, len(block), entries, sizes, members)

        return self._over_blocks(one_block, deals)

    def by_deal(
        self, start: int, count: int, entries: list[int], sizes: list[int], members: list[Any]
    ) -> EntryLists:
        """Turn the deals of each entry into the entries of each deal."""
        deals = np.concatenate([np.zeros(0, np.uint32), *members])
        pairs = np.repeat(np.array(entries, np.uint32), sizes)
        totals = np.bincount(deals, minlength=count).astype(np.uint64)
        offsets = np.zeros(count + 1, np.uint64)
        np.cumsum(totals, out=offsets[1:])
        return EntryLists(start, offsets, pairs[np.argsort(deals, kind="stable")], totals)

    def first(self, plan: Plan, deals: DealArrays) -> FirstAuctions:
        result = FirstAuctions.empty(len(deals))

        def one_block(block: DealArrays, start: int) -> None:
            first_auctions(plan, self.columns(plan, block), result, start=start)

        for _ in self._over_blocks(one_block, deals):
            pass
        return result

    def features(self, plan: Plan, deals: DealArrays) -> U64:
        raise ValueError(str(self.why_unavailable("features")))

    def timings(self) -> "AbstractContextManager[list[Timing]] | None":
        return None

    def _over_blocks(
        self, function: Callable[[DealArrays, int], Any], deals: DealArrays
    ) -> Iterator[Any]:
        starts = range(0, len(deals), self.block)
        blocks = [deals.slice(start, min(start + self.block, len(deals))) for start in starts]
        if len(blocks) == 1:
            yield function(blocks[0], 0)
            return
        with ThreadPoolExecutor(cores()) as pool:
            yield from pool.map(function, blocks, starts)


def seats_by_call(deals: DealArrays) -> U64:
    """Hands by dealer-relative seat (uint64 [4, n])."""
    seats = (deals.dealer[None, :] + np.arange(4)[:, None]) % 4
    return np.take_along_axis(deals.hands, seats, axis=0)
