"""A system on a device: what choosing and working places out read of a program."""

from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.core import rows
from bidcascade.kernels.core.places.systems import CoreSystem
from bidcascade.kernels.core.rows import KINDS
from bidcascade.kernels.cuda_device import DeviceArray
from bidcascade.kernels.gpu.session import Chunk, Session
from bidcascade.kernels.gpu.tables.tables import PlanTables
from bidcascade.kernels.packing.layout import Packing
from bidcascade.kernels.plan import build_plan
from bidcascade.kernels.types import I32

_ROWS: Final = (
    "PLACE",
    "QUESTION",
    "DECISION",
    "TREE",
    "GROUP",
    "LINE",
    "VARIANT",
    "ENTRY",
    "NEEDS",
    "TEST",
    "SLOT",
)
DEFINES: Final = {
    **{f"{name}_BYTES": getattr(rows, name).itemsize for name in _ROWS},
    "PROGRAM_BYTES": 16 * len(rows.Program.fields),
    "TERM_COUNT": len(rows.TERMS),
    "SET_WORD_COUNT": rows.SET_WORDS,
    "TEST_HOLDS": rows.HOLDS,
    "QUESTION_KINDS": len(KINDS),
    "JOB_BYTES": 24,
    "FOUND_BYTES": 16,
}
"""``#define``s of ``system_walk.cu`` and ``system_places.cu``."""
GROWING: Final = ("entries", "tests", "needs", "cells")
"""Arrays of a program whose rows stay as they are, while there come to be more."""


class Side(NamedTuple):
    """One side's system, as far as it is known.

    Parameters
    ----------
    core
        The system; rows of :data:`GROWING` stay as they are while the packing is the same object.
    packing
        How hands are packed for the tests.
    derived_tests, derived_flags : int32
        First tests of flags that follow from others, in order, and those flags.
    """

    core: CoreSystem
    packing: Packing
    derived_tests: I32
    derived_flags: I32


Sides = tuple[Side, Side]
"""Systems of the players at positions 0 and 2, and at 1 and 3."""


def as_numbers(array: NDArray[Any]) -> NDArray[Any]:
    """Rows of a record type as rows of 32-bit words; other arrays as they are."""
    if array.dtype.names is None:
        return array
    return array.view((np.uint32, array.dtype.itemsize // 4))


def addresses(arrays: "list[tuple[DeviceArray, int]]") -> list[int]:
    """Address and length of each array, as ``struct Array`` has them."""
    found: list[int] = []
    for array, length in arrays:
        handle: Any = array
        found += [handle.__cuda_array_interface__["data"][0], length]
    return found


class GrowingRows:
    """Rows on the device, of which there only come to be more."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._array: DeviceArray | None = None
        self._count = 0

    def with_all(self, known: NDArray[Any]) -> DeviceArray:
        """Return the array, with those rows brought that it has not got yet, and room behind."""
        known = as_numbers(known)
        device, work = self._session.device, self._session.work
        if self._array is None or len(known) > self._array.shape[0]:
            room = max(64, len(known) + len(known) // 2)
            self._array = device.empty((room, *known.shape[1:]), known.dtype)
            self._count = 0
        if len(known) > self._count:
            new = np.ascontiguousarray(known[self._count :])
            device.copy_in(self._array[self._count : len(known)], new, stream=work)
            self._count = len(known)
        return self._array


class Followed(GrowingRows):
    """Numbers on the device, of which there come to be more, while some may change."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._sent: I32 = np.zeros(0, np.int32)

    def with_all(self, known: NDArray[Any]) -> DeviceArray:
        """Return the array as it is now, brought from the first number on that has changed."""
        changed = known[: len(self._sent)] != self._sent
        if changed.any():
            self._count = min(self._count, int(np.argmax(changed)))
        self._sent = known.copy()
        return super().with_all(known)


class Copied:
    """An array on the device that may change as a whole; it is brought when it has."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._there: DeviceArray | None = None
        self._bytes = b""

    def of(self, array: NDArray[Any]) -> DeviceArray:
        """Return the array as it is now."""
        now = array.tobytes()
        if self._there is None or now != self._bytes:
            self._there, self._bytes = self._session.upload(as_numbers(array)), now
        return self._there


class SideTables:
    """One side on the device, for one packing."""

    def __init__(self, session: Session, packing: Packing) -> None:
        empty = build_plan(
            expressions=[],
            criteria=[],
            variant_sets=[[]],
            root_count=0,
            first_child=np.zeros(0, np.uint32),
            child_count=np.zeros(0, np.uint16),
            call=np.zeros(0, np.uint8),
            flags=np.zeros(0, np.uint8),
            variant_set=np.zeros(0, np.uint32),
        )
        width = packing.lane_words + packing.flag_words
        boxes = np.zeros((2, 2 * width), np.uint64)
        self.session, self.packing, self.width = session, packing, width
        self.tables = PlanTables(session, replace(empty, packing=packing, boxes=boxes, cache={}))
        self._grown = {name: GrowingRows(session) for name in GROWING}
        self._copied = {
            name: Copied(session) for name in rows.Program.fields if name not in GROWING
        }

    def array(self, side: Side, name: str) -> DeviceArray:
        """Array of the program by the name of its field."""
        if name in GROWING:
            return self._grown[name].with_all(side.core.rows(name))
        return self._copied[name].of(side.core.rows(name))

    def pack(self, side: Side, chunk: Chunk, order: DeviceArray | None) -> DeviceArray:
        """Packed hands of a chunk, uint64 [4, words, deals], deals in an order or as they come."""
        session, count = self.session, chunk.count
        words = session.device.empty(4 * self.width * count, np.uint64)
        self.tables.pack(chunk, words, order=order)
        if len(side.derived_flags):
            session.each(
                "system_walk.cu", "derive_flags", DEFINES, 4 * count,
                [
                    self.array(side, "tests"), session.upload(side.derived_tests),
                    session.upload(side.derived_flags), np.uint32(len(side.derived_flags)),
                    np.uint32(self.packing.lane_words), np.uint32(self.width), np.uint32(count),
                    words,
                ],
            )  # fmt: skip
            session.wait()  # what was uploaded goes
        return words
