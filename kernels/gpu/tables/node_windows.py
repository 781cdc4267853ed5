"""A forest's nodes as records for the kernels, cut into windows that fit the device."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.cuda_device import DeviceArray
from bidcascade.kernels.plan import MULTIPLE, Plan
from bidcascade.kernels.types import U32

from .forest import TEST_LIMIT, TEST_MULTIPLE, Forest, Items, Top, split
from .tables import BoxSets, PlanTables

RECORD_BYTES = 16
ITEMS = 2048
"""About how many runs of nodes a forest is cut into."""
SMALLEST_ITEM = 64
NEAR_COLUMNS = 5
"""Columns that a record holds itself, of 16 bits each."""
NODE_NEAR = 1 << 31
NOT_COUNTED = 0xFFFFFFFF
"""Place of what is above a window."""


@dataclass(frozen=True, slots=True)
class Window:
    """A run of a forest's nodes, and the items that cut it up.

    Parameters
    ----------
    items : Items
        Of the whole forest.
    numbers : range
        Those of the window.
    first_node, end_node : int
    """

    items: Items
    numbers: range
    first_node: int
    end_node: int

    @property
    def nodes(self) -> int:
        """How many nodes."""
        return self.end_node - self.first_node


def windows_of(forest: Forest, most_nodes: int) -> list[Window]:
    """Cut a forest into windows of at most ``most_nodes`` nodes (more, if an item has more)."""
    count = len(forest.fail)
    size = max(SMALLEST_ITEM, count // ITEMS)
    items = split(forest, max(1, min(size, most_nodes // 2)))
    return [
        Window(items, part, int(items.runs[part.start, 0]), int(items.runs[part.stop - 1, 1]))
        for part in items.windows(most_nodes)
    ]


class NodeRecords:
    """Records of a forest's nodes (see ``counts.cu``)."""

    def __init__(self, plan: Plan, forest: Forest) -> None:
        self.forest = forest
        singles = len(plan.boxes)
        place = forest.test & np.uint32(TEST_LIMIT - 1)
        place = place + np.where(forest.test & TEST_MULTIPLE, np.uint32(singles), np.uint32(0))
        used = np.flatnonzero(np.bincount(place, minlength=1))
        numbers = np.where(used < singles, used, MULTIPLE | (used - singles)).astype(np.uint32)
        self.sets = BoxSets.of(plan, numbers)
        """What the nodes ask for, in columns."""
        offsets = self.sets.columns.box_offsets
        self.spans = np.stack([offsets[:-1], np.diff(offsets)], axis=1).astype(np.uint32)
        """First column and how many, of each box: uint32 [boxes, 2]."""
        first_box = self.sets.set_offsets[:-1].astype(np.int64)
        is_set = used >= singles
        # a single box is named by its columns, a set by its boxes
        by_use = np.where(
            is_set[:, None],
            np.stack([self.sets.set_offsets[:-1], np.diff(self.sets.set_offsets)], axis=1),
            self.spans[first_box] if len(self.spans) else 0,
        )
        self._by_place = np.zeros((int(used.max(initial=-1)) + 1, 3), np.uint32)
        self._by_place[used, 1:] = by_use
        near, columns = self._near(np.flatnonzero(~is_set), by_use)
        self._by_place[used[near]] = columns
        self._singles = singles

    def _near(self, rows: NDArray[np.int64], by_use: U32) -> "tuple[NDArray[np.int64], U32]":
        """Single boxes whose columns fit a record, and what the record holds of them."""
        count = by_use[rows, 1]
        rows = rows[(count > 0) & (count <= NEAR_COLUMNS)]
        first, count = by_use[rows].T
        places = first[:, None] + np.minimum(np.arange(NEAR_COLUMNS), count[:, None] - 1)
        columns = self.sets.columns.box_columns[places.astype(np.int64)]
        fits = (columns < 1 << 16).all(axis=1)
        one, two, three, four, five = columns[fits].T
        count = count[fits] << np.uint32(16) | np.uint32(NODE_NEAR)
        held = [count | one, two | three << np.uint32(16), four | five << np.uint32(16)]
        return rows[fits], np.stack(held, axis=1)

    def __getitem__(self, which: "slice | NDArray[np.int64]") -> U32:
        """Return the records of some nodes, uint32 [n, 4]."""
        test = self.forest.test[which]
        place = (test & np.uint32(TEST_LIMIT - 1)).astype(np.int64)
        place += np.where(test & TEST_MULTIPLE, self._singles, 0)
        records = np.empty((len(test), 4), np.uint32)
        held = self._by_place[place]
        records[:, 0] = test & ~np.uint32(TEST_LIMIT - 1) | held[:, 0]
        records[:, 1] = self.forest.fail[which]
        records[:, 2:] = held[:, 1:]
        return records


@dataclass
class DeviceWindow:
    """A window's nodes, top and items on the device."""

    window: Window
    top: Top
    nodes: DeviceArray
    runs: DeviceArray
    item_sets: DeviceArray
    tops: DeviceArray
    top_places: DeviceArray
    level_ends: DeviceArray

    @classmethod
    def bring(cls, tables: PlanTables, records: NodeRecords, window: Window) -> "DeviceWindow":
        """Copy a window to the device."""
        top = Top.of(records.forest, window.items, window.numbers)
        tops = records[top.nodes]
        tops[:, 1] = top.parent_sets
        places = top.nodes - window.first_node
        places[places < 0] = NOT_COUNTED

        def upload(array: NDArray[Any]) -> DeviceArray:
            # an array of nothing is no argument
            return tables.session.upload(
                array if len(array) else np.zeros_like(array, shape=(1, *array.shape[1:]))
            )

        return cls(
            window,
            top,
            upload(records[window.first_node : window.end_node]),
            upload(window.items.runs[top.items]),
            upload(top.item_sets),
            upload(tops),
            upload(places.astype(np.uint32)),
            upload(top.level_ends),
        )

    @property
    def items(self) -> int:
        """How many items."""
        return len(self.top.items)

    @property
    def sets(self) -> int:
        """How many sets of deals the items may start from."""
        return 1 + len(self.top.nodes)

    def top_arguments(self) -> list[Any]:
        """Arguments ``tops, top_places, top_count, level_ends, levels, item_sets, item_count``."""
        return [
            self.tops, self.top_places, np.uint32(len(self.top.nodes)), self.level_ends,
            np.uint32(len(self.top.level_ends)), self.item_sets, np.uint32(self.items),
        ]  # fmt: skip

    def item_arguments(self) -> list[Any]:
        """Arguments ``nodes, first_node, runs, item_sets, item_count``."""
        return [
            self.nodes,
            np.uint32(self.window.first_node),
            self.runs,
            self.item_sets,
            np.uint32(self.items),
        ]


def device_windows(tables: PlanTables, room: int) -> Iterator[DeviceWindow]:
    """Windows of a plan's forest that take at most ``room`` bytes, one on the device at a time.

    A forest that fits as a whole stays on the device for the next time.
    """
    forest = tables.forest()
    records = node_records(tables)
    if is_whole(tables, room):
        if "window" not in tables.cached:
            (window,) = windows_of(forest, len(forest))
            tables.cached["window"] = DeviceWindow.bring(tables, records, window)
        yield tables.cached["window"]
        return
    for window in windows_of(forest, max(1, room // RECORD_BYTES)):
        yield DeviceWindow.bring(tables, records, window)


def is_whole(tables: PlanTables, room: int) -> bool:
    """Whether all nodes are on the device, or fit ``room`` bytes of it."""
    return "window" in tables.cached or len(tables.forest()) * RECORD_BYTES <= room


def node_records(tables: PlanTables) -> NodeRecords:
    """Make the records of a plan's forest, once."""
    if "records" not in tables.cached:
        tables.cached["records"] = NodeRecords(tables.plan, tables.forest())
    records: NodeRecords = tables.cached["records"]
    return records
