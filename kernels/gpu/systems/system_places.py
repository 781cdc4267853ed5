"""New places of systems, worked out on a device: rows and entries, or what is missing for them.

Rows and sets of cells stay on the device, where the places behind need them. The host gives sets
and lists of entries their numbers, and learns what is missing.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import DeviceFault
from bidcascade.kernels.core import functions as walk
from bidcascade.kernels.core import rows
from bidcascade.kernels.core.functions import empty_table, roomier
from bidcascade.kernels.cuda_device import DeviceArray
from bidcascade.kernels.gpu.session import Session
from bidcascade.kernels.types import I32

from .system_tables import DEFINES, Copied, GrowingRows, Sides, SideTables, addresses, as_numbers

MOST_ITEMS: Final = 1024
MOST_MISSES: Final = 24
MOST_GROUPS: Final = 512
"""Entries, notes of what is missing, and groups that apply, which a place has room for here."""
_FILE: Final = "system_places.cu"
_FIELDS: Final[Any] = rows.PLACE.fields
PLACES_DEFINES: Final = {
    **DEFINES,
    "MOST_ITEMS": MOST_ITEMS,
    "MOST_MISSES": MOST_MISSES,
    "MOST_GROUPS": MOST_GROUPS,
    **{f"{name.upper()}_BYTE": _FIELDS[name][1] for name in ("length", "known")},
}
DONE, LEARN, TOO_MUCH = range(3)
"""What became of a place; what is too much for the room here the host works out."""

_BLOCK: Final[dict[str, tuple[int, Any]]] = {
    "sets": (rows.SET_WORDS, np.uint64),
    "hulls": (2 * rows.HULL_TERMS, np.uint8),
    "ranges": (2 * rows.RANGES, np.int8),
    "digests": (1, np.uint64),
    "rows": (rows.PLACE.itemsize, np.uint8),
    "status": (1, np.int32),
    "counts": (1, np.int32),
    "items": (MOST_ITEMS, np.int32),
    "missed": (1, np.int32),
    "misses": (5 * MOST_MISSES, np.int64),
    "found": (4 * MOST_GROUPS, np.int32),
    "owners": (rows.CALLS, np.int32),
}
"""What comes of places and room to work: numbers a place, and their type."""
_SHOWN: Final = ("sets", "hulls", "ranges", "digests")
_STORED: Final = ("rows", "sets", "ranges")
_BY_THREADS: Final = {
    "advance_rows": ("hulls", "rows", "status", "missed", "misses"),
    "expand_places": (
        "ranges",
        "rows",
        "status",
        "counts",
        "items",
        "missed",
        "misses",
        "found",
        "owners",
    ),
}


class PlaceWorker:
    """Works out places of one store, and keeps their rows.

    Parameters
    ----------
    session : Session
    grown : mapping of str to GrowingRows
        ``list_first`` and ``list_items`` of the store.

    Attributes
    ----------
    row : int32
        Number of the row here of each place, negative where it has none; that of the root is 0.
    stored : dict of str to device array
        ``rows``, and by the numbers of sets ``sets`` and ``ranges``.
    """

    def __init__(self, session: Session, grown: Mapping[str, GrowingRows]) -> None:
        self._session = session
        self._lists = {name: grown[name] for name in ("list_first", "list_items")}
        self._fixed = {name: Copied(session) for name in ("reach", "reach_first", "lengths")}
        self._block: dict[str, DeviceArray] = {}
        self._room = 0
        self._answered: set[tuple[int, ...]] = set()
        """What was missing first, and so was learned in any case, with the place it was for."""
        self.row: I32 = np.zeros(1, np.int32)
        self.stored: dict[str, DeviceArray] = {}
        self._row_count = self._set_count = 0
        self._set_numbers = empty_table(1 << 10)

    def rows_of(self, store: rows.Store) -> I32:
        """Return ``row`` with a number for each place of the store."""
        if len(self.row) < len(store.parent):
            more = np.full(len(store.parent) - len(self.row), -1, np.int32)
            self.row = np.concatenate([self.row, more])
        return self.row

    def work_out(
        self,
        sides: Sides,
        tables: tuple[SideTables, SideTables],
        store: rows.Store,
        block: rows.PlaceBlock,
        places: I32,
    ) -> bool:
        """Fill status, entries and what is missing in a block of the host, and keep rows here.

        False where the place before one has no row here, or one has more than there is room for.

        Raises
        ------
        DeviceFault
            If the device asks again for what it was told, which it would do for ever.
        """
        session, count = self._session, len(places)
        if not self._row_count:
            self._start(store)
        parents = store.parent[places]
        if (self.rows_of(store)[parents] < 0).any():
            return False
        jobs = session.upload(self._jobs(store, places))
        programs = [
            addresses(
                [(one.array(side, name), len(side.core.rows(name))) for name in rows.Program.fields]
            )
            for side, one in zip(sides, tables, strict=True)
        ]
        self._make_room(count)
        stores = session.upload(np.array([self._store(store)], np.uint64))
        block_of = self._block
        session.device.clear(block_of["misses"], stream=session.work)
        arguments: list[Any] = [
            session.upload(np.array(programs, np.uint64)),
            stores,
            jobs,
            np.uint32(count),
        ]
        session.each(
            _FILE,
            "show_cells",
            PLACES_DEFINES,
            32 * count,
            [*arguments, *(block_of[name] for name in _SHOWN)],
            threads=128,
        )
        for entry, names in _BY_THREADS.items():
            session.each(
                _FILE,
                entry,
                PLACES_DEFINES,
                count,
                [*arguments, *(block_of[name] for name in names)],
                threads=64,
            )
        status = session.download(self._block["status"][:count])[:, 0]
        if (status == TOO_MUCH).any():
            return False
        block.status[:count] = status
        self._put(places, np.flatnonzero(status == DONE).astype(np.int32))
        self._bring_back(block, count)
        if (status == LEARN).any():
            self._check_progress(block.misses[: block.sizes[0]], places)
        return True

    def row_there(self, store: rows.Store, item: int, parent: int) -> tuple[rows.Store, rows.Rows]:
        """Bring the row of an item that was worked out last, or of the place before it.

        ``item`` is -1 - item for the place before, whose number is ``parent``. The store that comes
        with the row has the sets that it names.
        """
        session, stored, block = self._session, self.stored, self._block

        def one(array: DeviceArray, number: int) -> NDArray[Any]:
            return session.download(array[number : number + 1])

        found = (
            one(block["rows"], item) if item >= 0 else one(stored["rows"], int(self.row[parent]))
        )
        row = np.ascontiguousarray(found).view(np.uint8).view(rows.PLACE).reshape(1)
        sets = [
            one(stored["sets"], number) if number >= 0 else one(block["sets"], -1 - number)
            for number in row["known"][0].tolist()
        ]
        row["known"][0] = np.arange(len(sets))
        arrays = {name: getattr(store, name) for name in rows.Store.fields}
        arrays["sets"] = np.concatenate(sets)
        arrays["ranges"] = np.full((len(sets), rows.RANGES, 2), -1, np.int8)
        return rows.Store(**arrays), row

    def _start(self, store: rows.Store) -> None:
        """Bring the row of the root, and the set of all hands."""
        session, work = self._session, self._session.work
        self._grow(1, 1)
        for name in ("rows", "sets"):
            source = as_numbers(getattr(store, name)[:1])
            session.device.copy_in(self.stored[name][:1], source, stream=work)
        self._row_count = self._set_count = 1
        session.each(
            _FILE,
            "fill_ranges",
            PLACES_DEFINES,
            32,
            [
                session.upload(np.array([self._store(store)], np.uint64)),
                session.upload(np.zeros(1, np.int32)),
                np.uint32(1),
                self.stored["ranges"],
            ],
            threads=128,
        )

    def _put(self, places: I32, done: I32) -> None:
        """Keep the rows and sets of the items that are done."""
        session, count = self._session, len(done)
        if not count:
            return
        digests = session.download(self._block["digests"][: len(places)])[done, 0]
        numbers, new = np.empty(count, np.int32), np.empty(count, np.int32)
        self._set_numbers = roomier(self._set_numbers, self._set_count + count + 1)
        found = walk.number_sets(self._set_numbers, digests, self._set_count, numbers, new)
        self._grow(count, count)
        self._put_sets(done[new[:found]], numbers[new[:found]])
        different = self._put_rows(done, numbers)
        if len(different):
            # sets that only have the same digest: each gets a number of its own
            numbers[different] = self._set_count + np.arange(len(different))
            self._put_sets(done[different], numbers[different])
            self._put_rows(done, numbers)
        self.row[places[done]] = self._row_count + np.arange(count)
        self._row_count += count

    def _put_sets(self, items: I32, numbers: I32) -> None:
        session = self._session
        session.each(
            _FILE, "keep_sets", PLACES_DEFINES, 32 * len(items),
            [
                self._block["sets"], self._block["ranges"], session.upload(items),
                session.upload(numbers), np.uint32(len(items)), self.stored["sets"],
                self.stored["ranges"],
            ],
            threads=128,
        )  # fmt: skip
        self._set_count += len(items)

    def _put_rows(self, items: I32, numbers: I32) -> I32:
        """Write rows with the numbers of sets; which of the items have another set."""
        session, count = self._session, len(items)
        different = session.zeros(count + 1, np.int32)
        session.each(
            _FILE, "keep_rows", PLACES_DEFINES, 32 * count,
            [
                self._block["rows"], self._block["sets"], session.upload(items),
                session.upload(numbers), np.uint32(count), self.stored["sets"],
                self.stored["rows"][self._row_count :], different,
            ],
            threads=128,
        )  # fmt: skip
        found = int(session.download(different[:1])[0])
        which: I32 = session.download(different[1 : 1 + found])
        return which

    def _grow(self, more_rows: int, more_sets: int) -> None:
        """Make room for so many rows and sets behind those that are there."""
        session = self._session
        for name in _STORED:
            count, more = self._row_count, more_rows
            if name != "rows":
                # as many again may be needed for sets that have the digest of others
                count, more = self._set_count, 2 * more_sets
            there, width = self.stored.get(name), _BLOCK[name][0]
            if there is not None and there.shape[0] >= count + more:
                continue
            room = max(64, count + more, 0 if there is None else there.shape[0] * 3 // 2)
            kind = np.dtype(_BLOCK[name][1])
            larger = session.device.empty((room, width), kind)
            if there is not None:
                used = there[:count]
                halves = used.nbytes // 2
                session.each(
                    _FILE, "copy_kept", PLACES_DEFINES, halves, [used, np.uint64(halves), larger]
                )
            self.stored[name] = larger

    def _check_progress(self, misses: NDArray[np.int64], places: I32) -> None:
        if not len(misses):
            raise DeviceFault("expected what is missing at a place, got nothing from the device")
        kind, item, *numbers = misses[0].tolist()
        question = (kind, int(places[max(item, -1 - item)]), *numbers)
        if question in self._answered:
            raise DeviceFault(
                f"expected that the device knows what was learned, got {question} again"
            )
        self._answered.add(question)

    def _bring_back(self, block: rows.PlaceBlock, count: int) -> None:
        session = self._session

        def here(name: str) -> NDArray[Any]:
            return session.download(self._block[name][:count])

        counts = here("counts")[:, 0]
        block.first[0] = 0
        np.cumsum(counts, out=block.first[1 : count + 1])
        total = int(block.first[count])
        if total > len(block.items):
            block.set(items=np.zeros(2 * total, np.int32))
        if total:
            gathered = session.device.empty(total, np.int32)
            session.each(
                _FILE, "gather_items", PLACES_DEFINES, 32 * count,
                [
                    self._block["counts"], self._block["items"],
                    session.upload(block.first[:count].astype(np.uint32)), np.uint32(count),
                    gathered,
                ],
                threads=128,
            )  # fmt: skip
            block.items[:total] = session.download(gathered)
        missed = here("missed")[:, 0]
        if missed.any():
            misses = here("misses").reshape(count, MOST_MISSES, 5)
            noted = misses[np.arange(MOST_MISSES) < missed[:, np.newaxis]][: len(block.misses)]
            block.misses[: len(noted)] = noted
            block.sizes[0] = len(noted)

    def _store(self, store: rows.Store) -> list[int]:
        """Addresses and lengths of ``struct Store``."""
        counts = store.counts
        ends = {"list_first": int(counts[rows.LISTS]) + 1, "list_items": int(counts[rows.ITEMS])}
        lists = [
            (self._lists[name].with_all(getattr(store, name)[:end]), end)
            for name, end in ends.items()
        ]
        stored = [(self.stored[name], self.stored[name].shape[0]) for name in _STORED]
        fixed = [
            (one.of(getattr(store, name)), len(getattr(store, name)))
            for name, one in self._fixed.items()
        ]
        return addresses([*lists, *stored, *fixed])

    def _make_room(self, places: int) -> None:
        if places > self._room:
            self._block = {}
            self._block = {
                name: self._session.device.empty((places, width), kind)
                for name, (width, kind) in _BLOCK.items()
            }
            self._room = places

    def _jobs(self, store: rows.Store, places: I32) -> I32:
        """``struct Job`` of each place, int32 [n, 6]."""
        parent = store.parent[places]
        before = store.parent[parent]
        partners = np.where(before >= 0, store.list[before], -1)
        columns = (
            parent,
            self.row[parent],
            store.list[parent],
            partners,
            store.call[places].astype(np.int32),
            (store.list[places] != rows.UNKNOWN).astype(np.int32),
        )
        return np.stack(columns, axis=1).astype(np.int32)
