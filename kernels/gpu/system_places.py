"""New places of systems, worked out on a device: rows and entries, or what is missing for them.

The host takes in what comes of it as it does from its own threads: sets of cells and lists of
entries get their numbers there, and what is missing is learned there.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import DeviceFault
from bidcascade.kernels.cuda_device import DeviceArray
from bidcascade.kernels.system import arrays as rows

from .session import Session
from .system_tables import DEFINES, I32, Copied, Grown, Sides, SideTables, addresses

MOST_ITEMS: Final = 1024
MOST_MISSES: Final = 24
MOST_GROUPS: Final = 512
"""Entries, notes of what is missing, and groups that apply, which a place has room for here."""
_JOB: Final = 6
_FILE: Final = "system_places.cu"
PLACES_DEFINES: Final = {
    **DEFINES,
    "MOST_ITEMS": MOST_ITEMS,
    "MOST_MISSES": MOST_MISSES,
    "MOST_GROUPS": MOST_GROUPS,
    "JOB_BYTES": 4 * _JOB,
    "GROUPS_BYTES": 16,
}
DONE, LEARN, TOO_MUCH = range(3)
"""What became of a place; what is too much for the room here the host works out."""

_BLOCK: Final[dict[str, tuple[int, Any]]] = {
    "sets": (rows.SET_WORDS, np.uint64),
    "hulls": (2 * rows.HULL_TERMS, np.uint8),
    "ranges": (2 * rows.RANGES, np.int8),
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
_SHOWN: Final = ("sets", "hulls", "ranges")
_BY_THREADS: Final = {
    "advance_rows": ("hulls", "rows", "status", "missed", "misses"),
    "expand_places": (
        "ranges", "rows", "status", "counts", "items", "missed", "misses", "found", "owners",
    ),
}  # fmt: skip


class PlaceWorker:
    """Works out places of one store."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._grown = {
            name: Grown(session) for name in ("list_first", "list_items", "rows", "sets", "ranges")
        }
        self._fixed = {name: Copied(session) for name in ("reach", "reach_first", "lengths")}
        self._ranges: DeviceArray | None = None
        self._ranges_known = 0
        self._block: dict[str, DeviceArray] = {}
        self._room = 0
        self._asked: set[tuple[int, ...]] = set()
        """What was missing first, and so was learned in any case, with the place it was for."""

    def work_out(
        self, sides: Sides, tables: tuple[SideTables, SideTables], store: rows.Store,
        block: rows.Block, places: I32,
    ) -> bool:  # fmt: skip
        """Fill a block of the host; false where a place has more than there is room for.

        Raises
        ------
        DeviceFault
            If the device asks again for what it was told, which it would do for ever.
        """
        session, count = self._session, len(places)
        jobs = session.upload(_jobs(store, places))
        programs = [
            addresses(
                [
                    (one.array(side, name), len(getattr(side.program, name)))
                    for name in rows.Program.fields
                ]
            )
            for side, one in zip(sides, tables, strict=True)
        ]
        stores = session.upload(np.array([self._store(store)], np.uint64))
        self._make_room(count)
        block_of = self._block
        session.device.clear(block_of["misses"], stream=session.work)
        arguments: list[Any] = [
            session.upload(np.array(programs, np.uint64)),
            stores,
            jobs,
            np.uint32(count),
        ]
        session.each(
            _FILE, "show_cells", PLACES_DEFINES, 32 * count,
            [*arguments, *(block_of[name] for name in _SHOWN)], threads=128,
        )  # fmt: skip
        for entry, names in _BY_THREADS.items():
            session.each(
                _FILE, entry, PLACES_DEFINES, count,
                [*arguments, *(block_of[name] for name in names)], threads=64,
            )  # fmt: skip
        status = session.download(self._block["status"][:count])[:, 0]
        if (status == TOO_MUCH).any():
            return False
        block.status[:count] = status
        self._bring_back(block, count)
        if (status == LEARN).any():
            self._check_progress(block.misses[: block.sizes[rows.MISSES]], places)
        return True

    def _check_progress(self, misses: NDArray[np.int64], places: I32) -> None:
        if not len(misses):
            raise DeviceFault("expected what is missing at a place, got nothing from the device")
        kind, item, *numbers = misses[0].tolist()
        asked = (kind, int(places[max(item, -1 - item)]), *numbers)
        if asked in self._asked:
            raise DeviceFault(f"expected that the device knows what was learned, got {asked} again")
        self._asked.add(asked)

    def _bring_back(self, block: rows.Block, count: int) -> None:
        session = self._session

        def here(name: str) -> NDArray[Any]:
            return session.download(self._block[name][:count])

        for name in ("rows", "sets", "hulls", "ranges"):
            target = getattr(block, name)[:count]
            target[...] = here(name).view(target.dtype).reshape(target.shape)
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
            block.sizes[rows.MISSES] = len(noted)

    def _store(self, store: rows.Store) -> list[int]:
        """Addresses and lengths of ``struct Store``."""
        counts = store.counts
        sets = int(counts[rows.SETS])
        ends = {
            "list_first": int(counts[rows.LISTS]) + 1, "list_items": int(counts[rows.ITEMS]),
            "rows": int(counts[rows.ROWS]), "sets": sets, "ranges": sets,
        }  # fmt: skip
        arrays = {
            name: (self._grown[name].with_all(getattr(store, name)[:end]), end)
            for name, end in ends.items()
        }
        fixed = [
            (one.of(getattr(store, name)), len(getattr(store, name)))
            for name, one in self._fixed.items()
        ]
        found = addresses([*arrays.values(), *fixed])
        # the processor works ranges out when it is asked; here they must be there
        if self._ranges is not arrays["ranges"][0]:
            self._ranges, self._ranges_known = arrays["ranges"][0], 0
        new = store.ranges[self._ranges_known : sets, :, 0]
        numbers = self._ranges_known + np.flatnonzero((new < 0).any(axis=1)).astype(np.int32)
        self._session.each(
            _FILE, "fill_ranges", PLACES_DEFINES, 32 * len(numbers),
            [
                self._session.upload(np.array([found], np.uint64)),
                self._session.upload(numbers), np.uint32(len(numbers)), arrays["ranges"][0],
            ],
            threads=128,
        )  # fmt: skip
        self._ranges_known = sets
        return found

    def _make_room(self, places: int) -> None:
        if places > self._room:
            self._block = {}
            self._block = {
                name: self._session.device.empty((places, width), kind)
                for name, (width, kind) in _BLOCK.items()
            }
            self._room = places


def _jobs(store: rows.Store, places: I32) -> I32:
    """``struct Job`` of each place, int32 [n, 6]."""
    parent = store.parent[places]
    before = store.parent[parent]
    partners = np.where(before >= 0, store.list[before], -1)
    columns = (
        parent, store.row[parent], store.list[parent], partners,
        store.call[places].astype(np.int32), (store.list[places] != rows.UNKNOWN).astype(np.int32),
    )  # fmt: skip
    return np.stack(columns, axis=1).astype(np.int32)
