"""Bidding tables as the core walks them: tests, nodes, and its functions over blocks of deals."""

from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.core.functions import arrays_of, call_core, checked
from bidcascade.kernels.core.groups import ArrayGroup, Field
from bidcascade.kernels.core.hands.packing import PackingTables
from bidcascade.kernels.number_ranges import numbers_of_ranges
from bidcascade.kernels.plan import Plan, SingleTests, box_rows
from bidcascade.kernels.results import DealArrays, FirstAuctions
from bidcascade.kernels.types import I32, I64, U8, U16, U32, U64

PAIRS_FULL: Final = -2
"""What a walk gives where its pairs did not fit."""

NO_U8: Final[U8] = np.zeros(0, np.uint8)
NO_U16: Final[U16] = np.zeros(0, np.uint16)
NO_U32: Final[U32] = np.zeros(0, np.uint32)
_PROBLEMS: Final = ("", "tests", "trie")


class Arena(ArrayGroup):
    """Memory that the core works in, uint64; what is in it does not matter."""

    fields: ClassVar[dict[str, Field]] = {"words": ("u8",)}

    def __init__(self) -> None:
        super().__init__(words=np.empty(0, np.uint64))

    def of(self, words: int) -> "Arena":
        """Have at least so many words."""
        if len(self.words) < words:
            self.set(words=np.empty(words, np.uint64))
        return self


class Trie(ArrayGroup):
    """Nodes of a plan.

    Parameters
    ----------
    plan : Plan
    depth : int
        Calls of the longest auction.
    """

    fields: ClassVar[dict[str, Field]] = {
        "first_child": ("u4",),
        "child_count": ("u2",),
        "box": ("u4",),
        "call": ("u1",),
        "flags": ("u1",),
        "sizes": ("i8",),
    }

    def __init__(self, plan: Plan, depth: int) -> None:
        arrays: dict[str, Any] = {
            "first_child": plan.first_child, "child_count": plan.child_count,
            "box": plan.node_box, "call": plan.call, "flags": plan.flags,
        }  # fmt: skip
        super().__init__(
            sizes=np.array([plan.root_count, depth], np.int64),
            **{name: np.ascontiguousarray(array) for name, array in arrays.items()},
        )


class TableTests(ArrayGroup):
    """Boxes of a plan, as rows of words and as lists of bit columns.

    A column is a single test of a byte of a packed hand. ``column_bytes`` is the number of the
    byte, ascending. ``column_tests`` has a mask, ``low`` and ``span``, from the lowest byte on: the
    bits under the mask less ``low``, without a sign, are at most ``span``. A range of a lane has
    the mask 255; a flag that is set has mask and ``low`` 1 << k, one that is clear the mask alone.
    """

    fields: ClassVar[dict[str, Field]] = {
        "rows": ("u8",),
        "column_offsets": ("i4",),
        "box_columns": ("i4",),
        "set_offsets": ("u4",),
        "set_boxes": ("u4",),
        "column_bytes": ("u4",),
        "column_tests": ("u4",),
        "derived_flags": ("u4",),
        "derived_offsets": ("u4",),
        "derived_boxes": ("u4",),
        "sizes": ("i4",),  # lane words, flag words
    }

    @classmethod
    def of_plan(cls, plan: Plan) -> "TableTests":
        """Make the tests of all boxes of a plan."""
        lanes, flags = plan.packing.lane_words, plan.packing.flag_words
        single = SingleTests.of(plan)
        of_box = [single.range_boxes, single.set_boxes, single.clear_boxes]
        tests = [single.lanes << 32 | 255 | single.low << 8 | single.high - single.low << 16]
        for flag, is_set in ((single.set_flags, 1), (single.clear_flags, 0)):
            tests.append(8 * lanes + flag // 8 << 32 | 1 << flag % 8 | is_set << flag % 8 + 8)
        counts = np.bincount(np.concatenate(of_box), minlength=len(plan.boxes))
        counts[:2] = 0  # ALWAYS and NEVER are never looked up
        by_box = np.argsort(np.concatenate(of_box), kind="stable")
        members = np.concatenate(tests)[by_box[len(by_box) - counts.sum() :]]
        columns, first, numbers = np.unique(members, return_index=True, return_inverse=True)
        order = np.lexsort((first, columns >> 32))
        places = np.empty(len(columns), np.int32)
        places[order] = np.arange(len(columns), dtype=np.int32)
        return cls(
            rows=box_rows(plan).reshape(-1),
            column_offsets=np.concatenate(([0], np.cumsum(counts))).astype(np.int32),
            box_columns=places[numbers],
            column_bytes=(columns[order] >> 32).astype(np.uint32),
            column_tests=columns[order].astype(np.uint32),
            set_offsets=np.ascontiguousarray(plan.set_offsets),
            set_boxes=np.ascontiguousarray(plan.set_boxes),
            derived_flags=np.ascontiguousarray(plan.derived_flags),
            derived_offsets=np.ascontiguousarray(plan.derived_offsets),
            derived_boxes=np.ascontiguousarray(plan.derived_boxes),
            sizes=np.array([lanes, flags], np.int32),
        )

    def only(self, boxes: I64) -> "TableTests":
        """Narrow the columns to those that some boxes use; other boxes must not be asked for."""
        arrays = dict(self._arrays)
        flags = np.uint32(64 * self.sizes[0]) + self.derived_flags
        is_derived = np.isin(
            self.column_bytes << 8 | self.column_tests & 255, flags // 8 << 8 | 1 << flags % 8
        )
        if is_derived[self._columns_of(boxes)].any():
            boxes = np.union1d(boxes, self.derived_boxes.astype(np.int64))
        else:
            for name in ("derived_flags", "derived_boxes"):
                arrays[name] = NO_U32
            arrays["derived_offsets"] = np.zeros(1, np.uint32)
        used, renumbered = np.unique(self._columns_of(boxes), return_inverse=True)
        sizes = np.zeros(len(self.column_offsets) - 1, np.int64)
        sizes[boxes] = np.diff(self.column_offsets)[boxes]
        arrays["column_offsets"] = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
        arrays["box_columns"] = renumbered.astype(np.int32)
        for name in ("column_bytes", "column_tests"):
            arrays[name] = arrays[name][used]
        return TableTests(**arrays)

    def _columns_of(self, boxes: I64) -> I32:
        """Columns of boxes, which are in ascending order, one after another."""
        starts, ends = self.column_offsets[boxes], self.column_offsets[boxes + 1]
        found: I32 = self.box_columns[numbers_of_ranges(starts, ends - starts)]
        return found


class CoreTable(NamedTuple):
    """A table that the core has looked at; made by :func:`checked_table`."""

    packing: PackingTables
    tests: TableTests
    trie: Trie | None


def checked_table(packing: PackingTables, tests: TableTests, trie: Trie | None) -> CoreTable:
    """Let the core look at all numbers of a table, once.

    Raises
    ------
    ValueError
        If one is out of range.
    """
    problem = call_core("core_table_problem", tests, trie)
    if problem:
        raise ValueError(f"expected numbers within the arrays of a table's {_PROBLEMS[problem]}")
    return CoreTable(packing, tests, trie)


def row_words(count: int) -> int:
    """Words of a set of so many deals in the core: whole cache lines."""
    return -(-count // 512) * 8


def block_words(table: CoreTable, count: int, threshold: int) -> int:
    """Words of :class:`Arena` that a block of so many deals takes."""
    return call_core("core_block_words", table.tests, table.trie, count, threshold)


def derive_flags(table: CoreTable, hands: U64) -> None:
    """Set the derived flags in packed hands [n, words]."""
    arena = Arena()
    arena.set(words=checked(hands.reshape(-1), np.uint64))
    call_core("core_derive_flags", table.tests, arena, len(hands))


def box_bits(
    table: CoreTable, deals: DealArrays, start: int, stop: int, arena: Arena, boxes: I64, out: U64
) -> None:
    """Fill words of bit columns [boxes, 4, words] with a block of deals, North first."""
    call_core(
        "core_box_bits",
        table.tests,
        table.packing,
        *arrays_of(deals),
        start,
        stop,
        arena,
        boxes,
        len(boxes),
        checked(out, np.uint64),
        out.shape[2],
        start // 64,
    )


def member_bits(
    table: CoreTable,
    deals: DealArrays,
    start: int,
    stop: int,
    arena: Arena,
    parents: I32,
    seats: U8,
    boxes: I64,
    out: U64,
) -> None:
    """Fill bit columns of nodes [nodes, row_words of the block], parents first, with a block."""
    call_core(
        "core_member_bits",
        table.tests,
        table.packing,
        *arrays_of(deals),
        start,
        stop,
        arena,
        checked(parents, np.int32),
        checked(seats, np.uint8, len(parents)),
        checked(boxes, np.int64, len(parents)),
        len(parents),
        checked(out, np.uint64, len(parents)),
        out.shape[1],
    )


def walk(
    table: CoreTable,
    deals: DealArrays,
    start: int,
    stop: int,
    arena: Arena,
    *,
    threshold: int,
    max_depth: int,
    completed_only: bool,
    counts: U32 = NO_U32,
    pairs: tuple[U32, U16] = (NO_U32, NO_U16),
    first: FirstAuctions | None = None,
) -> int:
    """Walk a block of deals; how many pairs were written, or :data:`PAIRS_FULL`."""
    ends = (NO_U32, NO_U8, NO_U16)
    if first is not None:
        ends = (first.entry[start:stop], first.passes[start:stop], first.defaults[start:stop])
    return call_core(
        "core_walk_table",
        table.tests,
        table.packing,
        table.trie,
        *arrays_of(deals),
        start,
        stop,
        arena,
        threshold,
        max_depth,
        int(completed_only),
        counts,
        len(counts),
        *pairs,
        min(len(pairs[0]), len(pairs[1])),
        int(first is not None),
        *ends,
    )


def group_pairs(
    nodes: U32, places: U16, pairs: int, order: U32, limit: int, totals: U64, entries: U32
) -> int:
    """Sort (node, place) pairs by deal, keeping their order: the entries of each deal.

    ``order`` [count] is the deal at each place of the block. ``totals`` [count] becomes the
    number of entries of each deal; the first ``limit`` of each go to ``entries``, whose filled
    length is returned.
    """
    return call_core(
        "core_group_pairs",
        checked(nodes, np.uint32, pairs),
        checked(places, np.uint16, pairs),
        pairs,
        checked(order, np.uint32),
        len(order),
        limit,
        checked(totals, np.uint64, len(order)),
        checked(entries, np.uint32),
        len(entries),
    )


def filter_deals(table: CoreTable, hands: U64, deals: U32, box: int) -> U32:
    """Of some deals those whose packed hands [hands, words] pass a box or a set of boxes."""
    passing = np.empty(len(deals), np.uint32)
    passed = call_core(
        "core_filter_deals",
        table.tests,
        checked(hands, np.uint64),
        len(hands),
        checked(deals, np.uint32),
        len(deals),
        box,
        passing,
    )
    return passing[:passed].copy()


def judge(
    table: CoreTable,
    hands: U64,
    steps: tuple[I64, I64, U32, NDArray[np.bool_], NDArray[np.bool_]],
    *,
    hasty: bool,
) -> NDArray[np.bool_]:
    """Judge packed layouts [4, n, words] by steps, bool [n, steps].

    ``steps`` are the row of the hand that each asks, where the options of each begin and the last
    end, of each option its box (or ``MULTIPLE | set``) and whether it makes the call, and what
    holds of a step whose options all fail. With ``hasty`` the steps behind the first that fails
    count as failed.
    """
    rows_of, starts, option_boxes, is_made, by_default = steps
    count, width = hands.shape[1:]
    if len(hands) != 4 or width != table.tests.sizes.sum():
        raise ValueError(f"expected {table.tests.sizes} words of four hands, got {hands.shape}")
    out = np.zeros((count, len(rows_of)), np.bool_)
    call_core(
        "core_judge",
        table.tests,
        checked(hands, np.uint64),
        count,
        len(rows_of),
        checked(rows_of, np.int64),
        checked(starts, np.int64, len(rows_of) + 1),
        checked(option_boxes, np.uint32),
        checked(is_made, np.bool_, len(option_boxes)),
        len(option_boxes),
        checked(by_default, np.bool_, len(rows_of)),
        int(hasty),
        out,
    )
    return out
