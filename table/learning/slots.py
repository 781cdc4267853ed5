"""Who is counted where: a slot for each call that is learned, one for all others at its place.

The hands of a slot are those that made its call. What the others at a place show is needed as the
background of rules: the calls that are too rare to be learned, and those that the table does not
have, share one slot of the place.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.types import U32
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.columns import NONE_U32
from bidcascade.table.decisions import Decisions

I64 = NDArray[np.int64]
Bools = NDArray[np.bool_]

OTHERS = NONE_U32
"""Stands in :attr:`Slots.entry` for the slot of all other calls at a place."""


@dataclass
class CallCounts:
    """How many hands made each call of a table; additive.

    Parameters
    ----------
    hands : int64 [entries]
        Hands that made the call of each entry.
    outside : int64 [entries + 1]
        Hands that made a call the table does not have, by the entry before it; the last is for
        the opening.
    boards, calls, beyond : int
        Auctions, their calls that were found or are the first outside the table, and calls
        behind such a one.

    Examples
    --------
    >>> from bidcascade.table.build import build_table
    >>> table, _ = build_table([{"prior": "", "call": "1N"}])
    >>> CallCounts.of(table).hands.tolist()
    [0]
    """

    hands: I64
    outside: I64
    boards: int = 0
    calls: int = 0
    beyond: int = 0

    @classmethod
    def of(cls, table: BiddingTable) -> "CallCounts":
        """Start with nothing counted."""
        return cls(np.zeros(len(table), np.int64), np.zeros(len(table) + 1, np.int64))

    def add(self, decisions: Decisions, boards: int) -> None:
        """Count the calls of some boards."""
        entries = len(self.hands)
        known = decisions.entry != NONE_U32
        # work that grows with the calls, not with the table
        np.add.at(self.hands, decisions.entry[known], 1)
        np.add.at(self.outside, np.minimum(decisions.place[~known], entries), 1)
        self.boards += boards
        self.calls += len(decisions)
        self.beyond += decisions.beyond

    def at_place(self, table: BiddingTable) -> I64:
        """Hands at each entry's place, whatever they called, int64[entries]."""
        place = np.minimum(table.parents, len(table)).astype(np.int64)
        there = self.outside + np.bincount(
            place, weights=self.hands, minlength=len(table) + 1
        ).astype(np.int64)
        hands: I64 = there[place]
        return hands


@dataclass(frozen=True, slots=True)
class Slots:
    """Slots in the order of entries; the slots of one place stand together, its others last.

    Parameters
    ----------
    entry : uint32 [slots]
        Entry whose hands are counted, :data:`OTHERS` for all other calls of the place.
    first : int64 [places]
        First slot of each place.
    slot_of_entry : uint32 [entries + 1]
        Slot of each entry that has one, else 0xFFFFFFFF; so is the last.
    others_of_place : uint32 [entries + 1]
        Slot of all other calls behind each entry, and at the opening; 0xFFFFFFFF for none.
    """

    entry: U32
    first: I64
    slot_of_entry: U32
    others_of_place: U32

    def __len__(self) -> int:
        return len(self.entry)

    def of(self, decisions: Decisions) -> U32:
        """Slot of each call, 0xFFFFFFFF where it is not counted, uint32[n]."""
        last = len(self.slot_of_entry) - 1
        slots = self.slot_of_entry[np.minimum(decisions.entry, last)]
        uncounted = slots == NONE_U32
        slots[uncounted] = self.others_of_place[np.minimum(decisions.place[uncounted], last)]
        return slots


def make_slots(table: BiddingTable, entries: I64, *, with_others: bool) -> Slots:
    """Slots of the entries to be learned.

    Parameters
    ----------
    entries : int64 [n]
        Ascending.
    with_others : bool
        Whether the places have slots for all other calls.

    Examples
    --------
    >>> from bidcascade.table.build import build_table
    >>> table, _ = build_table([{"prior": "", "call": "1C"}, {"prior": "1C", "call": "P"}])
    >>> slots = make_slots(table, np.array([0, 1]), with_others=True)
    >>> slots.first.tolist(), slots.slot_of_entry.tolist()[:2], slots.others_of_place.tolist()
    ([0, 2], [0, 2], [3, 4294967295, 1])
    """
    count = len(table)
    place = np.minimum(table.parents[entries], count).astype(np.int64)
    starts = np.ones(len(entries), np.bool_)
    starts[1:] = place[1:] != place[:-1]
    block = np.cumsum(starts) - 1
    places = int(block[-1]) + 1 if len(entries) else 0
    slot = np.arange(len(entries)) + (block if with_others else 0)
    slot_entry = np.full(len(entries) + (places if with_others else 0), OTHERS, np.uint32)
    slot_entry[slot] = entries
    slot_of_entry = np.full(count + 1, NONE_U32, np.uint32)
    slot_of_entry[entries] = slot
    others = np.full(count + 1, NONE_U32, np.uint32)
    if with_others:
        last = np.append(np.flatnonzero(starts)[1:], len(entries)) - 1 if places else starts
        others[place[last]] = slot[last] + 1
    return Slots(slot_entry, slot[starts], slot_of_entry, others)
