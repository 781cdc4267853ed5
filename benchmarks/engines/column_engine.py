"""The cascade with whole columns of deals, one conjunction an entry; engine ``numpy``.

What a column is the engines say; all join by ``&`` and ``~``, and the walks are the same. A column
is dropped as soon as the entries below it are done, and nothing below an entry that no deal reaches
is looked at. Engine ``numpy`` has columns of packed 64-bit words. Needs NumPy only.
"""

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache, reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.tables.seeded import numpy_hands
from benchmarks.tools.machine import cores
from bidcascade.kernels import (
    COMPLETED,
    BitColumns,
    DealArrays,
    EntryLists,
    FirstAuctions,
    Plan,
    Postfix,
    terms,
)
from bidcascade.kernels.packing.literals import COMPARE
from bidcascade.kernels.types import U32, U64

from . import Engine


@cache
def holding_tables(term: str, profile: str = "gib") -> tuple[tuple[int, NDArray[np.uint8]], ...]:
    """Suits that count for a term, and what each of the 8,192 holdings is worth.

    Raises
    ------
    ValueError
        If the term is not a sum over suits.
    """
    definition = terms(profile)[term]
    if definition.by_lengths is not None or definition.by_context is not None:
        raise ValueError(f"expected a term that is a sum over suits, got {term!r}")
    return tuple(
        (suit, np.array([value(holding) for holding in range(1 << 13)], np.uint8))
        for suit, value in enumerate(definition.by_suit)
        if value is not None
    )


def atom(postfix: Postfix) -> tuple[str, str, int]:
    """Term, operator and bound of an expression; a truth value stands for ``!= 0``.

    Raises
    ------
    ValueError
        If it is no comparison of one term with a number.
    """
    match postfix:
        case (str(term),):
            return term, "!=", 0
        case (str(term), int(bound), str(comparison)) if comparison in COMPARE:
            return term, comparison, bound
    raise ValueError(f"expected a term compared with a number, got {postfix!r}")


class Columns(ABC):
    """Boolean columns over a block of deals; what belongs to a seat is worked out once and kept."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._criteria: dict[tuple[int, int], Any] = {}

    @abstractmethod
    def everyone(self) -> Any:
        """All deals."""

    @abstractmethod
    def expression(self, number: int, seat: int) -> Any:
        """Deals for whose hand at a dealer-relative seat an expression holds."""

    @abstractmethod
    def count(self, column: Any) -> int:
        """How many deals a column has."""

    @abstractmethod
    def deals(self, column: Any) -> U32:
        """Numbers of a column's deals, ascending."""

    def criteria(self, number: int, seat: int) -> Any:
        """Deals whose hand at a dealer-relative seat meets criteria list ``number``."""
        column = self._criteria.get((number, seat))
        if column is None:
            met = [self.expression(one, seat) for one in self.plan.criteria[number]]
            column = reduce(operator.and_, met) if met else self.everyone()
            self._criteria[number, seat] = column
        return column

    def meeting(self, column: Any, number: int, seat: int) -> Any:
        """Deals of a column that meet a criteria list."""
        return column & self.criteria(number, seat)


class TermColumns(Columns):
    """Columns made from values of terms, with NumPy or what has its functions."""

    def __init__(self, plan: Plan, hands: Any, arrays: Any = np) -> None:
        super().__init__(plan)
        self._arrays, self._hands = arrays, hands
        self._values: dict[tuple[str, int], Any] = {}
        self._expressions: dict[tuple[int, int], Any] = {}

    def truths(self, number: int, seat: int) -> Any:
        """Whether an expression holds, as an array of truth values."""
        term, comparison, bound = atom(self.plan.expressions[number])
        if (term, seat) not in self._values:
            self._values[term, seat] = reduce(
                operator.add,
                (
                    self._arrays.asarray(table)[self._holdings(seat, suit)]
                    for suit, table in holding_tables(term, self.plan.profile)
                ),
            )
        return COMPARE[comparison](self._values[term, seat], bound)

    def _holdings(self, seat: int, suit: int) -> Any:
        key = f"suit {suit}", seat
        if key not in self._values:
            bits = (self._hands[seat] >> np.uint64(13 * suit)) & np.uint64(0x1FFF)
            self._values[key] = bits.astype(np.uint16)
        return self._values[key]

    @abstractmethod
    def column(self, truths: Any) -> Any:
        """Column of truth values."""

    def expression(self, number: int, seat: int) -> Any:
        if (number, seat) not in self._expressions:
            self._expressions[number, seat] = self.column(self.truths(number, seat))
        return self._expressions[number, seat]


class Trie(NamedTuple):
    """The trie as plain lists, which Python reads quicker than arrays."""

    first_child: list[int]
    child_count: list[int]
    criteria: list[int]  # number of the list, -1 for undescribed
    root_count: int

    @classmethod
    def of(cls, plan: Plan) -> "Trie":
        """Read a plan; kept with it."""
        if "trie" not in plan.cache:
            if plan.undescribed != "allow" or any(len(row) > 1 for row in plan.variant_sets):
                raise ValueError(
                    "expected a table without variants that allows undescribed entries"
                )
            criterion = np.array([row[0] if row else -1 for row in plan.variant_sets], np.int64)
            plan.cache["trie"] = cls(
                plan.first_child.tolist(),
                plan.child_count.tolist(),
                criterion[plan.variant_set].tolist(),
                plan.root_count,
            )
        return plan.cache["trie"]

    def below(self, entry: int) -> range:
        """Entries below an entry."""
        first = self.first_child[entry]
        return range(first, first + self.child_count[entry])


def reached(columns: Columns, *, prune: bool = True) -> Iterator[tuple[int, int, Any]]:
    """Entries that some deal reaches, depth first: entry, number of deals, column.

    Without ``prune`` every entry gets its column, also below those that no deal reaches.
    """
    trie = Trie.of(columns.plan)
    everyone = columns.everyone()
    # entries still to do at each depth, and the column and count above them
    stack = [(iter(range(trie.root_count)), everyone, columns.count(everyone))]
    while stack:
        entries, column, count = stack[-1]
        entry = next(entries, -1)
        if entry < 0:
            stack.pop()
            continue
        number = trie.criteria[entry]
        if number >= 0:
            column = columns.meeting(column, number, (len(stack) - 1) & 3)
            count = columns.count(column)
        if prune and not count:
            continue
        yield entry, count, column
        if trie.child_count[entry]:
            stack.append((iter(trie.below(entry)), column, count))


class _Past(NamedTuple):
    entry: int = -1
    depth: int = 0
    passes: int = 0
    bids: int = 0


def first_auctions(columns: Columns, out: FirstAuctions, *, start: int = 0) -> None:
    """Mode ``first`` for a block: its auctions go to ``out`` from deal ``start`` on."""
    plan, trie = columns.plan, Trie.of(columns.plan)

    def choose(entries: range, column: Any, past: _Past) -> None:
        """Let each deal of ``column`` choose among ``entries`` and follow them down."""
        chosen: dict[int, Any] = {}
        left = column
        for entry in entries:
            number = trie.criteria[entry]
            holding = left if number < 0 else columns.meeting(left, number, past.depth & 3)
            if not columns.count(holding):
                continue
            chosen[entry] = holding
            left = left & ~holding
            if not columns.count(left):
                break
        undecided = columns.deals(left)
        pass_entry = next((entry for entry in entries if plan.call[entry] == 0), None)
        if len(undecided) and pass_entry is None:
            if past.entry >= 0:
                out.entry[start + undecided] = past.entry
            passes = (3 if past.bids else 4) - past.passes
            out.passes[start + undecided] = passes
            out.defaults[start + undecided] += np.uint16(passes)
        elif len(undecided):
            out.defaults[start + undecided] += np.uint16(1)
            # theirs is what nobody else's is: who chose the pass, and who had no choice
            for entry, holding in chosen.items():
                if entry != pass_entry:
                    column = column & ~holding
            chosen[pass_entry] = column
        for entry, holding in chosen.items():
            if plan.flags[entry] & COMPLETED:
                deals = columns.deals(holding)
                out.entry[start + deals] = entry
                out.passes[start + deals] = 0
                continue
            is_pass = int(plan.call[entry]) == 0
            passes, bids = (past.passes + 1 if is_pass else 0), past.bids + (not is_pass)
            choose(trie.below(entry), holding, _Past(entry, past.depth + 1, passes, bids))

    choose(range(trie.root_count), columns.everyone(), _Past())


class ColumnEngine(Engine):
    """An engine that joins columns; subclasses say what a column is.

    They have ``columns(plan, deals)``, columns over a block of deals, and ``block``, its size.
    """

    operations = ("counts", "entry_lists", "first", "evaluate")
    block: int
    prune = True

    @property
    def step(self) -> int:
        # a lone block would leave threads idle, and the time for many would seem longer than it is
        return self.block * cores()

    def prepare(self, plan: Plan) -> None:
        Trie.of(plan)

    def counts(self, plan: Plan, deals: DealArrays) -> U64:
        def one_block(block: DealArrays, _: int) -> list[tuple[int, int]]:
            found = reached(self.columns(plan, block), prune=self.prune)
            return [(entry, count) for entry, count, _column in found]

        total = np.zeros(plan.node_count, np.uint64)
        for found in self.over_blocks(one_block, deals):
            # an entry stands once in a block's list
            entries, sizes = np.array(found, np.int64).reshape(-1, 2).T
            total[entries] += sizes.astype(np.uint64)
        return total

    def entry_lists(self, plan: Plan, deals: DealArrays) -> Iterator[EntryLists]:
        def one_block(block: DealArrays, start: int) -> EntryLists:
            columns = self.columns(plan, block)
            entries, sizes, members = [], [], [np.zeros(0, np.uint32)]
            for entry, count, column in reached(columns):
                entries.append(entry)
                sizes.append(count)
                members.append(columns.deals(column))
            numbers = np.concatenate(members)
            totals = np.bincount(numbers, minlength=len(block)).astype(np.uint64)
            offsets = np.append(np.uint64(0), np.cumsum(totals, dtype=np.uint64))
            pairs = np.repeat(np.array(entries, np.uint32), sizes)
            return EntryLists(start, offsets, self.by_deal(numbers, pairs), totals)

        return self.over_blocks(one_block, deals)

    def by_deal(self, deals: U32, entries: U32) -> U32:
        """Bring entries in the order of their deals."""
        return entries[np.argsort(deals, kind="stable")]

    def first(self, plan: Plan, deals: DealArrays) -> FirstAuctions:
        result = FirstAuctions.empty(len(deals))

        def one_block(block: DealArrays, start: int) -> None:
            first_auctions(self.columns(plan, block), result, start=start)

        list(self.over_blocks(one_block, deals))
        return result

    def over_blocks(
        self, function: Callable[[DealArrays, int], Any], deals: DealArrays
    ) -> Iterator[Any]:
        """Do something with each block of deals and its first number, on all cores."""
        starts = range(0, len(deals), self.block)
        blocks = [deals.slice(start, min(start + self.block, len(deals))) for start in starts]
        if len(blocks) == 1:
            yield function(blocks[0], 0)
            return
        with ThreadPoolExecutor(cores()) as pool:
            yield from pool.map(function, blocks, starts)


def packed(booleans: NDArray[np.bool_]) -> U64:
    """Bits in 64-bit words, first deal lowest."""
    words = np.zeros((len(booleans) + 63) // 64, np.uint64)
    bits = np.packbits(booleans, bitorder="little")
    words.view(np.uint8)[: len(bits)] = bits
    return words


class PackedColumns(TermColumns):
    """Packed bits."""

    def everyone(self) -> U64:
        return packed(np.ones(self._hands.shape[1], np.bool_))

    def column(self, truths: NDArray[np.bool_]) -> U64:
        return packed(truths)

    def count(self, column: U64) -> int:
        return int(np.bitwise_count(column).sum(dtype=np.int64))

    def deals(self, column: U64) -> U32:
        bits = np.unpackbits(column.view(np.uint8), bitorder="little")
        return np.flatnonzero(bits).astype(np.uint32)


def hands_by_call(deals: DealArrays) -> U64:
    """Hands by dealer-relative seat (uint64 [4, n])."""
    seats = (deals.dealer[None, :] + np.arange(4)[:, None]) % 4
    return np.take_along_axis(deals.hands, seats, axis=0)


class NumpyEngine(ColumnEngine):
    """``&`` and ``bitwise_count`` an entry."""

    name = "numpy"
    operations = (*ColumnEngine.operations, "hands")
    block = 1 << 16

    def columns(self, plan: Plan, deals: DealArrays) -> PackedColumns:
        return PackedColumns(plan, hands_by_call(deals))

    def evaluate(self, plan: Plan, deals: DealArrays) -> BitColumns:
        result = BitColumns.empty(len(plan.expressions), len(deals))

        def one_block(block: DealArrays, start: int) -> None:
            columns, first = PackedColumns(plan, block.hands), start // 64
            for number in range(len(plan.expressions)):
                for seat in range(4):
                    words = packed(columns.truths(number, seat))
                    result.words[number, seat, first : first + len(words)] = words

        list(self.over_blocks(one_block, deals))
        return result

    def hands(self, count: int, seed: int) -> U64:
        return numpy_hands(count, seed)
