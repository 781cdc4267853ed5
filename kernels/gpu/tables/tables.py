"""A plan on a device: what packs hands, boxes, columns and the contracted trie."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.cuda_device import DeviceArray
from bidcascade.kernels.gpu.session import Chunk, Session
from bidcascade.kernels.packing.layout import OPCODES
from bidcascade.kernels.plan import (
    ALWAYS,
    COMPLETED,
    MULTIPLE,
    NEVER,
    Plan,
    SingleTests,
    box_rows,
)
from bidcascade.kernels.types import I64, U32, U64

from .forest import Forest, build_forest

_OPCODE_NAMES = {
    "term": "TERM", "int": "INT", "<": "LT", "<=": "LE", "==": "EQ", "!=": "NE", ">=": "GE",
    ">": "GT", "+": "ADD", "-": "SUB", "*": "MUL", "neg": "NEG", "not": "NOT", "and": "AND",
    "or": "OR", "end": "END",
}  # fmt: skip

SORT_TILE = 256 * 8
"""Deals of a block of threads in ``sort_count`` and ``sort_place``."""
SORT_KEYS = 1024
MOST_FORESTS = 4


def opcode_defines() -> dict[str, int]:
    """Opcodes of programs as ``#define``s."""
    return {f"OP_{_OPCODE_NAMES[name]}": code for name, code in OPCODES.items()}


def word_defines(lane_words: int, flag_words: int) -> dict[str, int]:
    """Say how many words a hand has, as ``#define``s."""
    return {"LANE_WORDS": lane_words, "FLAG_WORDS": flag_words}


def feature_defines(lane_words: int, flag_words: int, program_stack: int) -> dict[str, int]:
    """Return the ``#define``s of ``features.cu``; ``program_stack`` is 0 without programs."""
    words = word_defines(lane_words, flag_words)
    return words | opcode_defines() | {"PROGRAM_STACK": program_stack}


def first_defines(lane_words: int, flag_words: int) -> dict[str, int]:
    """Return the ``#define``s of ``first.cu``."""
    return word_defines(lane_words, flag_words) | {
        "BOX_ALWAYS": ALWAYS,
        "BOX_MULTIPLE": MULTIPLE,
        "NODE_COMPLETED": COMPLETED,
    }


@dataclass(frozen=True, slots=True)
class TestColumns:
    """Distinct single tests of some boxes, for ``bit_columns``, and which ones make a box.

    Parameters
    ----------
    half : uint32 [columns]
        Which 32-bit half of a hand's words holds the lane or flag; ascending.
    test : uint32 [columns]
        Shift (5 bits), mask, low, span (8 bits each, span lowest).
    box_offsets : uint32 [boxes + 1]
    box_columns : uint32
        Columns of each box (CSR); none for the box that holds always.
    """

    half: U32
    test: U32
    box_offsets: U32
    box_columns: U32

    def __len__(self) -> int:
        return len(self.half)

    @classmethod
    def of(cls, plan: Plan, boxes: I64) -> "TestColumns":
        """Take boxes apart (none of them ``NEVER``)."""
        single = SingleTests.of(plan, boxes)
        span = single.high - single.low
        keys = [_key(single.lanes // 4, single.lanes % 4 * 8, 0xFF, single.low, span)]
        for flag, value in ((single.set_flags, 1), (single.clear_flags, 0)):
            half = 2 * plan.packing.lane_words + flag // 32
            keys.append(_key(half, flag % 32, 1, np.full(len(flag), value), np.zeros(len(flag))))
        owners = (single.range_boxes, single.set_boxes, single.clear_boxes)
        owner = np.concatenate(owners)
        distinct, column = np.unique(np.concatenate(keys), return_inverse=True)
        order = np.argsort(owner, kind="stable")
        return cls(
            (distinct >> np.uint64(32)).astype(np.uint32),
            (distinct & np.uint64(0xFFFFFFFF)).astype(np.uint32),
            np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(boxes)))]).astype(
                np.uint32
            ),
            column.reshape(-1)[order].astype(np.uint32),
        )


def _key(half: Any, shift: Any, mask: int, low: Any, span: Any) -> U64:
    """Half and test of a column in one number, ordered by half, then by lane or flag."""
    numbers = [np.asarray(part, np.int64).astype(np.uint64) for part in (half, shift, low, span)]
    place = numbers[0] << np.uint64(32) | numbers[1] << np.uint64(24) | np.uint64(mask << 16)
    return np.asarray(place | numbers[2] << np.uint64(8) | numbers[3], np.uint64)


@dataclass(frozen=True, slots=True)
class BoxSets:
    """Sets of boxes over columns, for ``combine_boxes`` and ``member_bits``.

    Parameters
    ----------
    columns : TestColumns
    set_offsets : uint32 [sets + 1]
        Into rows of ``columns.box_offsets``; a set without a box holds never.
    """

    columns: TestColumns
    set_offsets: U32

    @classmethod
    def of(cls, plan: Plan, numbers: Sequence[int] | NDArray[Any]) -> "BoxSets":
        """Look up numbers as ``Plan.node_box`` has them."""
        members: list[int] = []
        offsets = [0]
        for number in np.asarray(numbers, np.int64).tolist():
            if number & MULTIPLE:
                which = number & (MULTIPLE - 1)
                start, stop = int(plan.set_offsets[which]), int(plan.set_offsets[which + 1])
                members += plan.set_boxes[start:stop].tolist()
            elif number != NEVER:
                members.append(number)
            offsets.append(len(members))
        return cls(TestColumns.of(plan, np.array(members, np.int64)), np.array(offsets, np.uint32))


@dataclass(eq=False)
class PlanTables:
    """What the kernels read of a plan, on one device; brought when first asked for."""

    session: Session
    plan: Plan
    words: int = field(init=False)
    _arrays: dict[str, DeviceArray] = field(default_factory=dict, init=False)
    _forests: dict[tuple[bool, int | None], Forest] = field(default_factory=dict, init=False)
    cached: dict[Any, Any] = field(default_factory=dict, init=False)
    """What operations keep for the next time, by their own keys."""

    def __post_init__(self) -> None:
        self.words = self.plan.packing.lane_words + self.plan.packing.flag_words
        self.session.tables.add(self)

    @property
    def defines(self) -> dict[str, int]:
        """How many words a hand has."""
        return word_defines(self.plan.packing.lane_words, self.plan.packing.flag_words)

    @property
    def feature_defines(self) -> dict[str, int]:
        """``#define``s of ``features.cu``."""
        packing = self.plan.packing
        stack = packing.program_stack if len(packing.program_starts) else 0
        return feature_defines(packing.lane_words, packing.flag_words, stack)

    def array(self, name: str) -> DeviceArray:
        """Table on the device, by the name of its field in the plan or packing."""
        if name not in self._arrays:
            if name == "boxes":
                values: NDArray[Any] = box_rows(self.plan)
            elif hasattr(self.plan, name):
                values = getattr(self.plan, name)
            else:
                values = getattr(self.plan.packing, name)
            self._arrays[name] = self.session.upload(values)
        return self._arrays[name]

    def boxes(self) -> list[DeviceArray]:
        """Return what ``struct Boxes`` holds: rows of boxes, sets."""
        return [self.array("boxes"), self.array("set_offsets"), self.array("set_boxes")]

    def forest(self, *, completed_only: bool = False, max_depth: int | None = None) -> Forest:
        """Contracted trie, on the host."""
        key = (completed_only, max_depth)
        if key not in self._forests:
            if len(self._forests) >= MOST_FORESTS:
                self._forests.pop(next(iter(self._forests)))
            self._forests[key] = build_forest(
                self.plan, completed_only=completed_only, max_depth=max_depth
            )
        return self._forests[key]

    def let_go(self) -> None:
        """Give the device memory back; the tables come again when needed."""
        self._arrays.clear()
        self.cached.clear()

    def pack(
        self,
        chunk: Chunk,
        out: DeviceArray,
        *,
        rotate: bool = True,
        order: DeviceArray | None = None,
        by_deal: bool = False,
    ) -> None:
        """Pack a chunk's hands: ``out`` [4, words, deals], or [4, deals, words] ``by_deal``."""
        count = chunk.count
        packing = self.plan.packing
        names = ("programs", "program_starts", "program_flags")
        terms = ("term_suits", "term_lengths", "term_contexts")
        strides = (1, self.words) if by_deal else (count, 1)
        self.session.each(
            "features.cu", "pack_hands", self.feature_defines, 4 * count,
            [
                chunk.hands, np.uint64(chunk.stride), chunk.dealer, chunk.vulnerability,
                np.uint64(chunk.first), order, np.uint32(count), np.uint32(rotate),
                self.array("suit_words"), self.array("length_words"), self.array("context_words"),
                *(self.array(name) for name in names), np.uint32(len(packing.program_starts)),
                *(self.array(name) for name in terms), self.array("boxes"),
                self.array("derived_flags"), self.array("derived_offsets"),
                self.array("derived_boxes"), np.uint32(len(self.plan.derived_flags)),
                out, np.uint64(count * self.words), *(np.uint64(stride) for stride in strides),
            ],
        )  # fmt: skip

    def sort(self, chunk: Chunk, order: DeviceArray, cursors: DeviceArray) -> None:
        """Fill ``order`` [deals]: like deals side by side; ``cursors`` [SORT_KEYS] is scratch."""
        session = self.session
        session.device.clear(cursors, stream=session.work)
        tiles = -(-chunk.count // SORT_TILE)
        deals: list[Any] = [
            chunk.hands,
            np.uint64(chunk.stride),
            chunk.dealer,
            np.uint64(chunk.first),
            np.uint32(chunk.count),
        ]
        defines = self.feature_defines
        session.launch("features.cu", "sort_count", defines, tiles, 256, [*deals, cursors])
        session.launch("features.cu", "sort_starts", defines, 1, SORT_KEYS, [cursors])
        session.launch("features.cu", "sort_place", defines, tiles, 256, [*deals, cursors, order])


@dataclass
class PackedDeals:
    """A chunk's packed words on the device, in an order that brings like deals together.

    Parameters
    ----------
    tables : PlanTables
    size : int
        Most deals of a chunk.
    """

    tables: PlanTables
    size: int
    words: DeviceArray = field(init=False)
    order: DeviceArray = field(init=False)
    _cursors: DeviceArray = field(init=False)

    def __post_init__(self) -> None:
        device = self.tables.session.device
        self.words = device.empty(4 * self.tables.words * self.size, np.uint64)
        self.order = device.empty(self.size, np.uint32)
        self._cursors = device.empty(SORT_KEYS, np.uint32)

    @staticmethod
    def bytes_per_deal(tables: PlanTables) -> int:
        """Device memory that a deal takes."""
        return 32 * tables.words + 4

    def fill(self, chunk: Chunk) -> DeviceArray:
        """Sort and pack a chunk; return its words [4, words, deals]."""
        tables = self.tables
        order = self.order[: chunk.count]
        words = self.words[: 4 * tables.words * chunk.count]
        tables.sort(chunk, order, self._cursors)
        tables.pack(chunk, words, order=order)
        return words


def thread_staging(limits_shared: int, words: int) -> tuple[int, int]:
    """Threads of a block that stage a deal's words in shared memory, and bytes they take.

    0 bytes where not even a warp's words fit: they are read where they are.
    """
    for threads in (256, 128, 64, 32):
        size = threads * 4 * words * 8
        if size <= min(limits_shared, 32 << 10) or (threads == 32 and size <= limits_shared):
            return threads, size
    return 128, 0
