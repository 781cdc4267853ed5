"""The places of two systems against each other, worked out at the speed of the kernels.

A :class:`Bidder` holds the places that were worked out, as rows, and works out what deals or
questions ask for beyond them. What a place asks that nobody asked before is learned from the text
(see :mod:`.program`); everything else is arrays.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import numpy as np

from bidcascade.bridge import InvalidSystem
from bidcascade.kernels import Backend, Context, DealArrays
from bidcascade.kernels.core import functions as walk
from bidcascade.kernels.core import rows
from bidcascade.kernels.core.functions import empty_table, forced, roomier
from bidcascade.kernels.core.places.systems import CoreSystem
from bidcascade.kernels.machine.threads import in_blocks, thread_count
from bidcascade.kernels.types import I32, I64, U8, U16, U32, U64
from bidcascade.systems.language.auctions.patterns import Bindings
from bidcascade.systems.language.tree.syntax_tree import Condition
from bidcascade.systems.places.places import Place, Rules
from bidcascade.table.language.expression_tree import Expression

from .budget import BIDDER_BUDGET, SHARED_BUDGET
from .program import SystemProgram, opened_programs

if TYPE_CHECKING:
    from bidcascade.kernels.cuda import CudaBackend
    from bidcascade.kernels.cuda_device import DeviceArray
    from bidcascade.kernels.device_frames import DeviceDeals
    from bidcascade.kernels.gpu.systems.system_tables import Sides
    from bidcascade.kernels.gpu.systems.systems import (
        BidsThere,
        DeviceAuctions,
        DevicePlaces,
        ListedThere,
    )

Calls = tuple[int, ...]
Auctions = list[bytes]
"""Codes of the calls of each."""
Instead = Sequence[tuple[int, tuple[Expression, ...], str]]

NO_ENTRY: Final = walk.NO_ENTRY
FEW: Final = 64
"""Up to so many deals are bid one by one."""
BLOCK_PLACES: Final = 512
"""Places that a thread works out before they are taken in."""
_CHOSEN_AT_ONCE: Final = 1 << 14
_PACKED_AT_ONCE: Final = 1 << 12
_OF_PLACES: Final = (
    "children",
    "parent",
    "call",
    "list",
    "chosen",
    "row",
    "list_first",
    "list_items",
    "list_numbers",
)
"""Arrays of a store that have something for each place, and lists of entries."""
_LEAST_BYTES: Final = 1 << 20
_LOOK_SETS: Final = 1 << 11
"""After so many new sets of cells, 9 MB, it is looked at what all bidders take together."""
LONGEST_AUCTION: Final = 320
"""More calls than any auction has (319)."""


@dataclass(frozen=True, slots=True)
class BidDeals:
    """How deals were bid to the end.

    Parameters
    ----------
    place : int32 [n]
        Place of each deal's last call, a pass.
    entry : int32 [n]
        Entry that made it, -1 for a pass by default.
    defaults : uint16 [n]
        Passes that were made because no entry held.
    """

    place: I32
    entry: I32
    defaults: U16


class BiddingLevel(NamedTuple):
    """One call of deals that are bid level by level.

    Parameters
    ----------
    deals : int64 [m]
        Numbers of the deals whose auction goes on.
    place : int32 [m]
        Where each is to call.
    entry : int32 [m]
        What it takes there, -1 for a pass by default.
    call : uint8 [m]
    """

    deals: I64
    place: I32
    entry: I32
    call: U8


class FinishedAuctions(NamedTuple):
    """Whole auctions, and what they lead to.

    Parameters
    ----------
    offsets : int64 [n + 1], calls : uint8
        Auction i is ``calls[offsets[i] : offsets[i + 1]]``.
    contract : uint8 [n]
        0 passed out, else ``1 + 3 * (bid - 3) + doubling``.
    declarer : uint8 [n]
        Counted from the dealer, 4 for none.
    """

    offsets: I64
    calls: U8
    contract: U8
    declarer: U8


class Made(NamedTuple):
    """A call of one hand.

    Parameters
    ----------
    place
        Where it is made.
    entry
        What makes it, -1 for a pass by default.
    call
    by_default
        1 if nothing of the place holds for the hand.
    forced
        1 if partner's call asked for an answer.
    """

    place: int
    entry: int
    call: int
    by_default: int
    forced: int


class PackedHands(NamedTuple):
    """Hands of deals as the kernels read them.

    Parameters
    ----------
    packings
        What the words were packed for.
    words : uint64 [4, deals, words]
        By position from the dealer.
    """

    packings: tuple[int, int]
    words: U64


class Bidder:
    """Places of two systems; safe to use from several threads.

    Parameters
    ----------
    dealer_side, other_side
        Systems of the players at positions 0 and 2, and at 1 and 3.
    instead
        By auction, what is chosen from there in place of the system's entries: calls with their
        criteria and names, in order. What calls mean stays what the systems say.
    budget
        Bytes that places may take. Beyond it what is known at places is dropped and worked out
        again where it is needed; where that is not enough, so are the places.
    """

    def __init__(
        self,
        dealer_side: Rules | SystemProgram,
        other_side: Rules | SystemProgram | None = None,
        *,
        instead: Mapping[Calls, Instead] | None = None,
        budget: int = BIDDER_BUDGET,
    ) -> None:
        self.sides = opened_programs(dealer_side, other_side or dealer_side)
        self._instead = {
            calls: [2 * self.sides[len(calls) & 1].add_entry(*one) + 1 for one in entries]
            for calls, entries in (instead or {}).items()
        }
        self.budget = budget
        self.lock = threading.RLock()
        self.left_open = 0
        self._pace = 16
        """Places that a device tries at once."""
        self._block_list: list[rows.PlaceBlock] = []
        self._device: DevicePlaces | None = None
        """Where places are worked out, while deals are bid on a device."""
        self.start_over()
        SHARED_BUDGET.add(self)

    # --- the store --------------------------------------------------------------------------------

    def start_over(self) -> None:
        """Begin anew, with nothing but the root."""
        # whoever was interrupted has left there what was missing
        self._block_list = []
        self._most_known = 0
        """Bytes of what was known since memory was given back: the system leaves them to us."""
        self._look_at = _LOOK_SETS
        cells = walk.cell_tables()
        places = max(2 * LONGEST_AUCTION, self.budget * 3 // 10 // rows.PLACE.itemsize)
        sets = max(2 * LONGEST_AUCTION, self.budget * 6 // 10 // (8 * rows.SET_WORDS))
        self._store = rows.Store(
            children=empty_table(1 << 12),
            parent=np.zeros(1 << 10, np.int32),
            call=np.zeros(1 << 10, np.uint8),
            list=np.zeros(1 << 10, np.int32),
            chosen=np.zeros(1 << 10, np.int32),
            row=np.zeros(1 << 10, np.int32),
            list_numbers=empty_table(1 << 12),
            list_first=np.zeros(1 << 10, np.int64),
            list_items=np.zeros(1 << 16, np.int32),
            # memory that nobody has written to is not taken yet
            rows=np.zeros(places, rows.PLACE),
            set_numbers=empty_table(1 << sets.bit_length() + 1),
            sets=np.zeros((sets, rows.SET_WORDS), np.uint64),
            hulls=np.zeros((sets, rows.HULL_TERMS, 2), np.uint8),
            ranges=np.zeros((sets, rows.RANGES, 2), np.int8),
            reach=cells.reach,
            reach_first=cells.reach_first,
            lengths=cells.lengths,
            counts=np.zeros(5, np.int64),
        )
        self._measure_places()
        store = self._store
        store.counts[rows.PLACES] = 1
        store.parent[0] = -1
        store.list[0] = store.chosen[0] = rows.UNKNOWN
        self._first_row()
        self._change_places()

    def _change_places(self) -> None:
        """Put what overlays say where they say something."""
        for calls, items in self._instead.items():
            place = self.reach(calls)
            self._make_room(worked_out=1, items=len(items))
            number = walk.list_number(self._store, np.array(items, np.int32))
            self._store.chosen[place] = number

    def _first_row(self) -> None:
        """Row of the root, and the set of all hands."""
        store = self._store
        block = self._blocks(1)[0]
        block.sets[0] = walk.cell_tables().everything
        block.hulls[0] = walk.hull_of(store, block.sets[0])
        block.ranges[0] = -1
        row = store.rows[0]
        for name in ("parent", "opening"):
            row[name] = -1
        row["call"] = rows.NO_CALL
        row["terms"][:, :, 0], row["terms"][:, :, 1] = -rows.WIDEST, rows.WIDEST
        row["hull"][:] = block.hulls[0]
        walk.set_number(store, block, 0)
        store.row[0] = 0
        store.counts[rows.ROWS] = 1

    def forget_rows(self, but: I32 | None = None, most: int | None = None) -> None:
        """Drop what is known at places; places and their entries stay.

        Parameters
        ----------
        but : int32, optional
            Places that keep what is known there. As many of the shallow ones, which many places
            are behind, keep it too as fit into a quarter of the room.
        most : int, optional
            How many shallow ones, instead.
        """
        store = self._store
        self._most_known, self._look_at = max(self._most_known, self._known_bytes), _LOOK_SETS
        count = int(store.counts[rows.PLACES])
        staying = np.zeros(1, np.int32)
        if but is not None:
            known = np.flatnonzero(store.row[:count] >= 0)
            lengths = store.rows["length"][store.row[known]]
            most = len(store.rows) // 4 if most is None else most
            shallow = known[np.argsort(lengths, kind="stable")[:most]]
            staying = np.unique(np.concatenate([staying, shallow, but[store.row[but] >= 0]]))
        found = store.rows[store.row[staying]]
        used = np.zeros(int(store.counts[rows.SETS]), np.bool_)
        used[found["known"]] = True
        sets = np.flatnonzero(used)
        found["known"] = (np.cumsum(used, dtype=np.int32) - 1)[found["known"]]
        store.row[:count] = -1
        store.row[staying] = np.arange(len(staying), dtype=np.int32)
        store.rows[: len(staying)] = found
        for name in ("sets", "hulls", "ranges"):
            array = getattr(store, name)
            # no set moves up, so that a part never overwrites what a later one reads
            for start in range(0, len(sets), 256):
                some = sets[start : start + 256]
                array[start : start + len(some)] = array[some]
        store.counts[rows.ROWS], store.counts[rows.SETS] = len(staying), len(sets)
        store.set_numbers["key"], store.set_numbers["value"] = rows.EMPTY, -1
        walk.index_sets(store)
        # another store for whoever has a copy, since rows and sets get their numbers anew
        self._store = rows.Store(**{name: getattr(store, name) for name in rows.Store.fields})

    def _make_room(
        self, places: int = 0, worked_out: int = 0, items: int = 0, *, lists: int | None = None
    ) -> None:
        """Make room for new places, rows of some, as many lists of entries, and items of these."""
        lists = worked_out if lists is None else lists
        if walk.has_room(self._store, places, worked_out, lists, items):
            return
        store, counts = self._store, self._store.counts
        changed: dict[str, Any] = {}

        def room(count: int, *names: str) -> None:
            for name in names:
                array = getattr(store, name)
                if count > len(array):
                    larger = np.zeros((max(count, 2 * len(array)), *array.shape[1:]), array.dtype)
                    larger[: len(array)] = array
                    changed[name] = larger

        room(int(counts[rows.PLACES]) + places + 1, "parent", "call", "list", "chosen", "row")
        room(int(counts[rows.ROWS]) + worked_out + 1, "rows")
        room(int(counts[rows.SETS]) + worked_out + 1, "sets", "hulls", "ranges")
        room(int(counts[rows.LISTS]) + lists + 2, "list_first")
        room(int(counts[rows.ITEMS]) + items, "list_items")
        for name, number, more in (
            ("children", rows.PLACES, places),
            ("list_numbers", rows.LISTS, lists),
            ("set_numbers", rows.SETS, worked_out),
        ):
            table = getattr(store, name)
            larger = roomier(table, int(counts[number]) + more + 2)
            if larger is not table:
                changed[name] = larger
        store.set(**changed)
        self._measure_places()

    def _measure_places(self) -> None:
        store = self._store
        self._bytes_of_places = sum(int(getattr(store, name).nbytes) for name in _OF_PLACES)

    @property
    def bytes(self) -> int:
        """Memory that places take, and what is known there."""
        return self._known_bytes + self._bytes_of_places

    def _fit_budget(self) -> None:
        """Begin anew where places alone, without what is known there, take too much."""
        if self._bytes_of_places > max(_LEAST_BYTES, self.budget // 2):
            self.start_over()
        if self._store.counts[rows.SETS] >= self._look_at:
            self._look_at = int(self._store.counts[rows.SETS]) + _LOOK_SETS
            SHARED_BUDGET.enforce(self)

    @property
    def _known_bytes(self) -> int:
        counts = self._store.counts
        known = int(counts[rows.ROWS]) * rows.PLACE.itemsize
        return known + int(counts[rows.SETS]) * 8 * rows.SET_WORDS

    @property
    def learned_bytes(self) -> int:
        """Memory of what its systems have learned from their texts."""
        return sum(core.bytes for core in set(self._cores()))

    @property
    def spare_bytes(self) -> int:
        """Memory of the process that places take, and what is or was known there."""
        return max(self._most_known, self._known_bytes) + self._bytes_of_places

    @property
    def held_bytes(self) -> int:
        """Memory of the process that it takes, with what its systems have learned."""
        return self.spare_bytes + self.learned_bytes

    def give_back(self) -> None:
        """Drop half of what is known at places, or all places where these take most of it."""
        with self.lock:
            if 2 * self._bytes_of_places > self.bytes:
                self.start_over()
                return
            self.forget_rows(np.zeros(1, np.int32), int(self._store.counts[rows.ROWS]) // 2)
            store, counts, moved = self._store, self._store.counts, {}
            for name, count in (
                ("rows", rows.ROWS),
                ("sets", rows.SETS),
                ("hulls", rows.SETS),
                ("ranges", rows.SETS),
            ):
                before = getattr(store, name)
                moved[name] = np.zeros(before.shape, before.dtype)
                moved[name][: int(counts[count])] = before[: int(counts[count])]
            store.set(**moved)
            self._most_known = 0

    @property
    def _can_forget(self) -> bool:
        """Whether dropping what is known at places makes much room."""
        store, counts = self._store, self._store.counts
        return bool(
            2 * counts[rows.ROWS] > len(store.rows) or 2 * counts[rows.SETS] > len(store.sets)
        )

    def _forget_if_full(self, places: I32) -> None:
        """Make room for what is going to be known at new places, within the budget."""
        store, more = self._store, len(places)
        if not walk.has_room(store, 0, more, 0, 0) and self._can_forget:
            self.forget_rows(store.parent[places])

    def _blocks(self, count: int, places: int = BLOCK_PLACES) -> list[rows.PlaceBlock]:
        """Blocks for some threads, large enough for the programs as they stand."""
        trees = max(core.count("forest") for core in self._cores())
        for number in range(count):
            if number == len(self._block_list):
                self._block_list.append(_new_block(trees, 1 << 16, places))
            block = self._block_list[number]
            if min(len(block.status), len(block.rows)) < places:
                block.set(**_room_for(places))
            if len(block.found) < trees:
                room = 2 * trees
                block.set(
                    found=np.zeros((room, 4), np.int32), stack=np.zeros((room + 2, 2), np.int32)
                )
        return self._block_list[:count]

    def _cores(self) -> tuple[CoreSystem, CoreSystem]:
        first, other = self.sides
        return first.core, other.core

    # --- working out places -----------------------------------------------------------------------

    def _learn_there(self, block: rows.PlaceBlock, places: I32, device: "DevicePlaces") -> None:
        """Learn what places missed whose rows are on a device."""
        # what comes behind something that is missing may not be asked at all, so only the first of
        # what a place misses is believed to be wrong
        count, block.sizes[0] = int(block.sizes[0]), 0
        store, blamed = self._store, None
        for miss in block.misses[:count]:
            item = int(miss[1])
            if item != blamed:
                place = int(places[item if item >= 0 else -1 - item])
                sets, row = device.row_there(store, item, int(store.parent[place]))
            faulty = walk.learn(*self._cores(), sets, row, miss)
            if faulty >= 0 and item != blamed:
                raise self.sides[faulty].error()
            blamed = item

    def _work_out(self, places: I32) -> None:
        """Work out rows and entries of new places."""
        self._forget_if_full(places)
        parents = self._store.parent[places]
        if self._device is not None and self._device.most_places:
            for level in self._without(self._device.rows_of(self._store), parents):
                self._rounds_there(self._device, level)
            places = self._rounds_there(self._device, places)
            parents = self._store.parent[places]
        self._load_rows(parents[parents >= 0])
        self._rounds(places)

    def _rounds_there(self, device: "DevicePlaces", places: I32) -> I32:
        """Work out places on a device, which keeps their rows; those that the processor has to."""
        store, block, left = self._store, self._blocks(1)[0], []
        start = 0
        while start < len(places) and device.most_places:
            size = min(self._pace, device.most_places)
            wanted = places[start : start + size]
            if len(block.status) < len(wanted):
                block.set(status=np.zeros(size, np.int32), first=np.zeros(size + 1, np.int64))
            done = device.work_out(self._sides_there(), store, block, wanted)
            if not done:
                left.append(wanted.copy())
                start += len(wanted)
                continue
            tried = wanted[:done].copy()
            self._make_room(lists=done, items=int(block.first[done]))
            walk.take_lists(store, block, tried)
            again = tried[block.status[:done] != walk.DONE]
            if block.sizes[0]:
                self._learn_there(block, tried, device)
            start += done - len(again)
            places[start : start + len(again)] = again
            self._set_pace(len(again), done, device.most_places)
        return np.concatenate([*left, places[start:]])

    def _set_pace(self, missing: int, tried: int, most: int) -> None:
        """Try more places at once, or fewer where much is missing: a few teach what many ask."""
        much = 4 * missing > tried
        self._pace = max(16, self._pace // 2) if much else min(most, 2 * self._pace)

    def _rounds(self, places: I32) -> None:
        """Work out places whose places before have their rows."""
        # threads work them out in blocks, and learn; what has no room, or asks for what does not
        # exist there, is left for one alone, which tells
        size = thread_count() * BLOCK_PLACES
        for start in range(0, len(places), size):
            self._make_ready(self._tried(places[start : start + size]))

    def _tried(self, places: I32) -> I32:
        """Work out places in a block a thread; those that could not be are left."""
        threads = max(1, min(thread_count(), len(places) // 64))
        size = -(-len(places) // threads)
        blocks = self._blocks(threads, size)
        spans = [(at, min(at + size, len(places))) for at in range(0, len(places), size)]
        cores = self._cores()
        stops = in_blocks(
            lambda number: walk.work_out(
                *cores, self._store, blocks[number], places, *spans[number]
            ),
            range(len(spans)),
        )
        left = [places[:0]]
        for block, (begin, end), stop in zip(blocks, spans, stops, strict=False):
            items = int(block.first[stop - begin]) if stop > begin else 0
            self._make_room(worked_out=stop - begin, items=items)
            walk.take_in(self._store, block, places, begin, stop)
            left += [
                places[begin:stop][block.status[: stop - begin] != walk.DONE],
                places[stop:end],
            ]
            block.sizes[0] = 0
        return np.concatenate(left)

    def _make_ready(self, places: I32) -> int:
        """Work out places, learning; how many asked what nobody had asked before."""
        counts = np.zeros(2, np.int64)
        while True:
            why, side = walk.make_ready(
                *self._cores(), self._store, self._blocks(1)[0], places, counts
            )
            if why == walk.DONE:
                return int(counts[1])
            self._go_on(why, side)

    def _enlarge(self, block: rows.PlaceBlock) -> None:
        """Give a block more room for entries: one place has more than it can take."""
        if len(block.items) > 1 << 24:
            raise InvalidSystem(
                f"expected at most {len(block.items):,} entries at one place; does a line stand "
                "for too many calls?"
            )
        block.set(items=np.zeros(4 * len(block.items), np.int32))

    def _load_rows(self, places: I32) -> None:
        """See to it that some places have their rows, which may have been dropped."""
        for level in self._without(self._store.row, places):
            self._rounds(level)

    def _without(self, row: I32, places: I32) -> list[I32]:
        """Places without a row among some and those on the way to them, the shallow ones first."""
        levels = []
        here = np.unique(places[row[places] < 0])
        while len(here):
            levels.append(here)
            parents = self._store.parent[here]
            here = np.unique(parents[row[parents] < 0])
        return levels[::-1]

    def _ready(self, place: int) -> None:
        """Work out one place, and what is missing on the way to it."""
        if self._store.row[place] < 0 or self._store.list[place] == rows.UNKNOWN:
            self.reach(self.auction_of(place))

    def reach(self, calls: Sequence[int]) -> int:
        """Find the place behind a legal auction that goes on, worked out."""
        codes = np.frombuffer(bytes(calls), np.uint8)
        with self.lock:
            while True:
                block = self._blocks(1)[0]
                why, place, side = walk.reach(*self._cores(), self._store, block, codes)
                if why == walk.DONE:
                    return place
                self._go_on(why, side)

    def call(self, calls: Sequence[int], hand: int, context: Context) -> "Made | None":
        """Call of one hand after an auction, and what makes it; None if it is illegal or over."""
        codes = bytes(calls)
        number = len(calls) % 4 + 4 * context.vul_we + 8 * context.vul_they
        with self.lock:
            if not self._block_list:
                self._blocks(1)
            while True:
                why, side, made = walk.call_of_hand(
                    *self._cores(), self._store, self._block_list[0], codes, hand, number
                )
                if why == walk.DONE:
                    return Made(*made)
                if why < 0:
                    return None
                self._go_on(why, side)

    def _go_on(self, why: int, side: int) -> None:
        """Make the room that a function came back for."""
        if why == walk.STORE_FULL:
            calls, items = LONGEST_AUCTION, len(self._store.list_items) // 2
            if not walk.has_room(self._store, calls, 0, calls, items):
                self._make_room(calls, lists=calls, items=items)
            elif self._can_forget:
                self.forget_rows()
            else:
                self._make_room(worked_out=calls)
        elif why == walk.BLOCK_FULL:
            block = self._block_list[0]
            before = len(block.found)
            if len(self._blocks(1)[0].found) == before:
                self._enlarge(block)
        else:
            raise self.sides[side].error()

    # --- deals ------------------------------------------------------------------------------------

    def _pack(self, deals: DealArrays, start: int, stop: int) -> U64:
        """Packed hands by position, uint64 [4, deals, words], each for its side's system."""
        first, other = self._cores()
        words = np.empty((4, stop - start, max(first.width, other.width)), np.uint64)

        def one_block(at: int) -> None:
            end = min(at + _PACKED_AT_ONCE, stop)
            for core, own in ((first, slice(0, 4, 2)), (other, slice(1, 4, 2))):
                part = np.empty((4, end - at, words.shape[2]), np.uint64)
                walk.pack(core, deals, at, end, part)
                words[own, at - start : end - start] = part[own]
                if first is other:
                    words[1::2, at - start : end - start] = part[1::2]
                    break

        in_blocks(one_block, range(start, stop, _PACKED_AT_ONCE))
        return words

    def bid(
        self, deals: DealArrays, calls: Sequence[int] = (), *, backend: Backend | None = None
    ) -> BidDeals:
        """Bid deals to the end from a place on.

        Parameters
        ----------
        deals
            With any dealers and vulnerabilities.
        calls
            What all of them have bid so far; the auction goes on.
        backend
            Where many deals are bid; on the processor unless it is ``cuda``.
        """
        with self._whole():
            self._fit_budget()
            is_open = not calls and self._store.list[0] != rows.UNKNOWN
            place = np.full(len(deals), 0 if is_open else self.reach(calls), np.int32)
            entry = np.full(len(deals), walk.NO_ENTRY, np.int32)
            defaults = np.zeros(len(deals), np.uint16)
            if len(deals) <= FEW:
                self._bid_few(deals, place, entry, defaults)
            elif backend is not None and backend.NAME == "cuda":
                with self._on(cast("CudaBackend", backend)) as device:
                    found = device.bid(
                        deals,
                        int(place[0]),
                        len(calls),
                        self._store_now,
                        self._sides_there,
                        self._work_out_behind,
                    )
                return BidDeals(*found)
            else:
                for _ in self._bid_many(deals, len(calls), place, entry, defaults):
                    pass
            return BidDeals(place, entry, defaults)

    def auctions_on_device(
        self, deals: "DeviceDeals", backend: "CudaBackend"
    ) -> "tuple[DeviceAuctions, DeviceArray]":
        """Bid deals that lie on a device; their auctions stay there, and passes by default.

        Raises
        ------
        InvalidInput
            If they have more calls than a column of lists may have.
        """
        with self.lock:
            device, bids = self._bid_there(deals, backend)
            return device.auctions(bids, deals, self._store), bids.defaults

    def ends_on_device(
        self, deals: "DeviceDeals", backend: "CudaBackend"
    ) -> "tuple[I32, U16 | U32]":
        """Bid deals that lie on a device; only where each ends comes from there.

        Returns
        -------
        tuple of int32 and uint16 or uint32 [n]
            The different places of last calls, ascending, and which of them each deal has.
        """
        with self.lock:
            device, bids = self._bid_there(deals, backend)
            return device.ends(bids, self._store)

    def _bid_there(
        self, deals: "DeviceDeals", backend: "CudaBackend"
    ) -> "tuple[DevicePlaces, BidsThere]":
        with self._whole():
            self._fit_budget()
            self.reach(())
            with self._on(backend) as device:
                bids = device.bid_on_device(
                    deals, self._store_now, self._sides_there, self._work_out_behind
                )
            return device, bids

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Let nobody else in meanwhile; what is broken off leaves no places half worked out."""
        with self.lock:
            try:
                yield
            except BaseException:
                # places that were given numbers may not have been worked out
                self.start_over()
                raise

    @contextmanager
    def _on(self, backend: "CudaBackend") -> Iterator["DevicePlaces"]:
        """Work places out on a device meanwhile."""
        self._device = backend.places_of(self._store)
        try:
            yield self._device
        finally:
            self._device = None

    def _work_out_behind(self, keys: U64) -> None:
        """See to it that the places behind ``place << 6 | call`` are worked out."""
        self._make_room(len(keys))
        places = np.empty(len(keys), np.int32)
        walk.places_behind(self._store, keys, places)
        self._work_out(places)

    def _store_now(self) -> rows.Store:
        """Store as it is now: another one once what is known at places was dropped."""
        return self._store

    def _sides_there(self) -> "Sides":
        """Systems as a device wants to know them, as they are now."""
        from bidcascade.kernels.gpu.systems.system_tables import Side

        first, other = (Side(side, side.packing, *side.derived) for side in self._cores())
        return first, other

    def bid_on(self, deals: DealArrays, places: I32, calls: U8, depth: int) -> BidDeals:
        """Bid deals to the end, each from a place of its own on, with a call that is given there.

        Parameters
        ----------
        deals
            With any dealers and vulnerabilities.
        places : int32 [n]
            Behind ``depth`` calls each, as :meth:`steps` gives them.
        calls : uint8 [n]
            Legal ones.
        """
        with self._whole():
            place = places.astype(np.int32)
            entry = np.full(len(deals), walk.NO_ENTRY, np.int32)
            defaults = np.zeros(len(deals), np.uint16)
            for _ in self._bid_many(deals, depth, place, entry, defaults, given=calls):
                pass
            return BidDeals(place, entry, defaults)

    def _bid_few(self, deals: DealArrays, place: I32, entry: I32, defaults: U16) -> None:
        done = np.zeros(1, np.int64)
        while True:
            why, side = walk.bid_few(
                *self._cores(), self._store, self._blocks(1)[0], deals, place, entry, defaults, done
            )
            if why == walk.DONE:
                return
            self._go_on(why, side)

    def _packings(self) -> tuple[int, int]:
        first, other = self._cores()
        return first.packing_version, other.packing_version

    def steps(
        self, deals: DealArrays, calls: Sequence[int] = (), *, least: int = 1
    ) -> Iterator[BiddingLevel]:
        """Bid deals to the end as :meth:`bid` does, and give what happens at every level.

        Deals at places that fewer than ``least`` reach are left there; ``left_open`` counts them.
        """
        with self.lock:
            place = np.full(len(deals), self.reach(calls), np.int32)
            entry = np.full(len(deals), walk.NO_ENTRY, np.int32)
            defaults = np.zeros(len(deals), np.uint16)
            yield from self._bid_many(deals, len(calls), place, entry, defaults, least)

    def _bid_many(
        self,
        deals: DealArrays,
        depth: int,
        place: I32,
        entry: I32,
        defaults: U16,
        least: int = 1,
        given: U8 | None = None,
    ) -> Iterator[BiddingLevel]:
        count = len(deals)
        self.left_open = 0
        packings = self._packings()
        words = self._pack(deals, 0, count)
        call = np.zeros(count, np.uint8)
        active = np.arange(count)
        going_on = np.empty(count, np.int64)
        new = np.empty(count, np.int32)

        def choose(program: CoreSystem, hands: U64, active: I64) -> None:
            store = self._store
            in_blocks(
                lambda start: walk.choose_all(
                    program,
                    store,
                    hands,
                    active,
                    start,
                    min(start + _CHOSEN_AT_ONCE, len(active)),
                    place,
                    call,
                    entry,
                    defaults,
                ),
                range(0, len(active), _CHOSEN_AT_ONCE),
            )

        while len(active):
            if self._packings() != packings:
                packings, words = self._packings(), self._pack(deals, 0, count)
            if given is None:
                choose(self._cores()[depth & 1], words[depth & 3], active)
            else:
                call[:], given = given, None
            yield BiddingLevel(active, place[active], entry[active], call[active])
            self._make_room(len(active))
            left, found = walk.follow(self._store, active, place, call, going_on, new)
            active = going_on[:left].copy()
            behind = new[:found].copy()
            if least > 1 and left:
                reached = np.bincount(place[active], minlength=self.count)
                self.left_open += int((reached[place[active]] < least).sum())
                active = active[reached[place[active]] >= least]
                behind = behind[reached[behind] >= least]
            self._work_out(behind)
            depth += 1

    # --- for callers ------------------------------------------------------------------------------

    def place(self, calls: Sequence[int]) -> Place:
        """Tell what the system of the player to call says after a legal auction that goes on."""
        with self.lock:
            self._fit_budget()
            return self.place_with_numbers(self.reach(calls))[0]

    def place_with_numbers(self, number: int) -> tuple[Place, list[int]]:
        """Place by its number, with the numbers of its entries."""
        with self.lock:
            calls, row = self.auction_of(number), self.row(number)
            own = self.cells(int(row["known"][len(calls) & 3]))
            store, which = self._store, int(self._store.list[number])
            items = store.list_items[store.list_first[which] : store.list_first[which + 1]].tolist()
            program = self.sides[len(calls) & 1]
            rank, entries = -1, []
            for item in items:
                rank += item & 1
                entries.append(program.entry(item >> 1, rank))
            place = Place(calls, tuple(entries), forced(row), own)
            return place, [item >> 1 for item in items]

    def lowered(self, condition: Condition, calls: Sequence[int], bindings: Bindings) -> Expression:
        """Expression that a condition of the text of the player to call becomes behind calls.

        Raises
        ------
        InvalidSystem
            If it asks for what does not exist there.
        """
        with self.lock:
            # the root has its row always, and nobody may have asked for its entries
            number = self.reach(calls) if calls else 0
            return self.sides[len(calls) & 1].lowered(self._store, number, condition, bindings)

    def lists_of(self, places: I32, depth: int) -> tuple[I32, I32]:
        """Numbers of the entry lists, and of what the players to call have shown, behind calls.

        Returns
        -------
        tuple of int32 [n] and int32 [n]
            For :meth:`entries_of_list` and :meth:`cells`.
        """
        with self.lock:
            self._load_rows(places)
            store = self._store
            return store.list[places], store.rows["known"][store.row[places], depth & 3]

    def entries_of_list(self, number: int) -> list[int]:
        """Numbers of the entries of a list, in order."""
        first, end = self._store.list_first[number : number + 2]
        numbers: list[int] = (self._store.list_items[first:end] >> 1).tolist()
        return numbers

    def entry_count_at(self, place: int) -> int:
        """Entries that are chosen from at a place."""
        number = self._store.chosen[place]
        return int(self._store.list_first[number + 1] - self._store.list_first[number])

    def entry_count(self, places: I32) -> int:
        """Entries at some places."""
        lists, first = self._store.list[places], self._store.list_first
        return int((first[lists + 1] - first[lists]).sum())

    def auctions_to(self, places: I32, depth: int) -> U8:
        """Give the calls that lead to places of one depth, uint8 [n, depth]."""
        calls = np.empty((len(places), depth), np.uint8)
        for at in reversed(range(depth)):
            calls[:, at] = self._store.call[places]
            places = self._store.parent[places]
        return calls

    def name(self, place: int, entry: int) -> str:
        """Name of the rule that made a call at a place; empty for a pass by default."""
        program = self.sides[len(self.auction_of(place)) & 1]
        return "" if entry < 0 else program.name(entry)

    def ending_with(self, places: I32, calls: U8) -> Auctions:
        """Auctions that end with a call at each of some places, as bytes of codes."""
        offsets, written = self.calls_ending_with(places, calls)
        whole = written.tobytes()
        return [whole[start:stop] for start, stop in pairwise(offsets.tolist())]

    def calls_ending_with(self, places: I32, calls: U8) -> tuple[I64, U8]:
        """Give the same joined: where each begins and the last ends, and all codes."""
        lengths = walk.auction_lengths(self._store, places)
        offsets = np.zeros(len(places) + 1, np.int64)
        np.cumsum(lengths + 1, out=offsets[1:])
        written = np.empty(int(offsets[-1]), np.uint8)
        walk.write_calls(self._store, places, calls, offsets, written)
        return offsets, written

    def endings(self, places: I32) -> FinishedAuctions:
        """Auctions that end with a pass at each of some places, as :meth:`bid` gives them."""
        with self.lock:
            store, count = self._store, len(places)
            lengths = walk.auction_lengths(store, places)
            offsets = np.zeros(count + 1, np.int64)
            np.cumsum(lengths + 1, out=offsets[1:])
            calls = np.empty(int(offsets[-1]), np.uint8)
            contract, declarer = np.empty(count, np.uint8), np.empty(count, np.uint8)
            written = (calls, contract, declarer)
            write = partial(walk.auctions_of, store, places, offsets, *written, _CHOSEN_AT_ONCE)
            in_blocks(write, range(0, count, _CHOSEN_AT_ONCE))
            return FinishedAuctions(offsets, calls, contract, declarer)

    def row(self, place: int) -> Any:
        """Row of a place that was worked out."""
        self._ready(place)
        return self._store.rows[self._store.row[place]]

    def cells(self, number: int) -> int:
        """Set of cells that a row names, as :mod:`.knowledge` writes it."""
        return int.from_bytes(self._store.sets[number].tobytes(), "little")

    def auction_of(self, place: int) -> Calls:
        """Give the calls that lead to a place."""
        calls: list[int] = []
        here = int(place)
        while here > 0:
            calls.append(int(self._store.call[here]))
            here = int(self._store.parent[here])
        return tuple(reversed(calls))

    @property
    def count(self) -> int:
        """Places so far."""
        return int(self._store.counts[rows.PLACES])

    # --- for walks over places (allowed.py, allowed_calls.py, meanings.py) ------------------------

    @property
    def store(self) -> rows.Store:
        """Arrays of the places; another object as soon as their numbers mean something else."""
        return self._store

    @property
    def programs(self) -> tuple[CoreSystem, CoreSystem]:
        """Systems of both sides in the core."""
        return self._cores()

    @contextmanager
    def walking(self) -> Iterator[None]:
        """Let nobody else in meanwhile, and begin within the budget."""
        with self._whole():
            self._fit_budget()
            yield

    @property
    def packings(self) -> tuple[int, int]:
        """What hands are packed for now."""
        return self._packings()

    def packed(self, deals: DealArrays, before: "PackedHands | None" = None) -> "PackedHands":
        """Pack the hands of deals, unless they are as the programs want them to be already."""
        packings = self._packings()
        if before is not None and before.packings == packings:
            return before
        return PackedHands(packings, self._pack(deals, 0, len(deals)))

    def list_into(self, out: rows.Listed, deals: DealArrays, bounds: I64) -> None:
        """List the auctions that the systems allow for deals, as far as there is room in a list.

        Returns with the walk at its end, or where the list has to grow.
        """
        while True:
            why = walk.list_deals(
                *self._cores(), self._store, self._blocks(1)[0], out, deals, bounds
            )
            if why in (walk.DONE, walk.LIST_FULL):
                return
            self._go_on(why, 0)

    def list_on_device(
        self, deals: DealArrays, bounds: I64, backend: "CudaBackend"
    ) -> "list[ListedThere]":
        """List the auctions that the systems allow for deals on a device, in parts.

        Raises
        ------
        InvalidSystem
            If a text asks for what does not exist at a place.
        """
        self.reach(())
        with self._on(backend) as device:
            return device.list_auctions(
                deals, bounds, self._store_now, self._sides_there, self._work_out_behind
            )

    @contextmanager
    def masks_on_device(
        self, deals: DealArrays, backend: "CudaBackend"
    ) -> "Iterator[Callable[[int, I32, I32], U64]]":
        """Find on a device what :func:`.allowed.masks_at` does, of these deals, and work out there.

        What it gives takes a depth, and int32 arrays of places and of deals.
        """
        from bidcascade.kernels.gpu.systems.systems import PairMasks

        with self._on(backend) as device:
            pairs = PairMasks(device, deals)
            yield lambda depth, place, who: pairs.at(
                depth, place, who, self._store, self._sides_there()
            )

    def load_rows(self, places: I32) -> None:
        """See to it that what is known at some places is there."""
        self._load_rows(places)

    def make_room(self, places: int) -> None:
        """Make room for so many new places."""
        self._make_room(places)

    def work_out(self, places: I32) -> None:
        """Work out new places; the order of the array may change."""
        self._work_out(places)


def _room_for(places: int) -> dict[str, Any]:
    """Arrays of a block with something for each place."""
    return {
        "status": np.zeros(places, np.int32),
        "rows": np.zeros(places, rows.PLACE),
        "sets": np.zeros((places, rows.SET_WORDS), np.uint64),
        "hulls": np.zeros((places, rows.HULL_TERMS, 2), np.uint8),
        "ranges": np.zeros((places, rows.RANGES, 2), np.int8),
        "first": np.zeros(places + 1, np.int64),
    }


def _new_block(trees: int, items: int, places: int) -> rows.PlaceBlock:
    return rows.PlaceBlock(
        **_room_for(places),
        items=np.zeros(items, np.int32),
        misses=np.zeros((1 << 12, 5), np.int64),
        found=np.zeros((trees, 4), np.int32),
        stack=np.zeros((trees + 2, 2), np.int32),
        owners=np.zeros(rows.CALLS, np.int32),
        sizes=np.zeros(1, np.int64),
    )


def seen_from_dealer(deals: DealArrays) -> DealArrays:
    """Turn deals so that position 0 deals: hands by position, sides likewise."""
    seats = (deals.dealer[np.newaxis].astype(np.intp) + np.arange(4)[:, np.newaxis]) % 4
    hands = np.take_along_axis(deals.hands, seats, axis=0)
    sides = deals.vulnerability
    crossed = ((sides & 1) << 1) | (sides >> 1)
    turned = np.where(deals.dealer % 2 == 1, crossed, sides).astype(np.uint8)
    return DealArrays(hands, np.zeros(len(deals), np.uint8), turned)
