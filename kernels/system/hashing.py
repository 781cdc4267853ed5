"""Hash tables with open addressing: rows of (key, value), as many slots as a power of two."""

from typing import Any

import numpy as np

from .arrays import EMPTY, SLOT, Rows
from .native import native, native_inline

_EMPTY = np.uint64(EMPTY)


@native_inline
def mixed(key: Any) -> Any:
    """Spread a key over 64 bits (the finalizer of MurmurHash3, A. Appleby)."""
    key ^= key >> np.uint64(33)
    key *= np.uint64(0xFF51AFD7ED558CCD)
    key ^= key >> np.uint64(33)
    key *= np.uint64(0xC4CEB9FE1A85EC53)
    return key ^ (key >> np.uint64(33))


@native
def find(table: Rows, key: Any) -> int:
    """Value of a key, -1 where it is not there."""
    mask = np.uint64(len(table) - 1)
    slot = mixed(key) & mask
    while True:
        row = table[slot]
        if row.key == key:
            return row.value
        if row.key == _EMPTY:
            return -1
        slot = (slot + np.uint64(1)) & mask


@native
def put(table: Rows, key: Any, value: int) -> None:
    """Give a key a value, the first time or again; there must be room."""
    mask = np.uint64(len(table) - 1)
    slot = mixed(key) & mask
    while table[slot].key != key and table[slot].key != _EMPTY:
        slot = (slot + np.uint64(1)) & mask
    table[slot].key = key
    table[slot].value = value


@native
def put_also(table: Rows, key: Any, value: int) -> None:
    """Add a value beside others that may have the same key (a digest)."""
    mask = np.uint64(len(table) - 1)
    slot = mixed(key) & mask
    while table[slot].key != _EMPTY:
        slot = (slot + np.uint64(1)) & mask
    table[slot].key = key
    table[slot].value = value


@native
def refill(old: Rows, new: Rows) -> None:
    """Put all that a table holds into a larger, empty one."""
    for slot in range(len(old)):
        if old[slot].key != _EMPTY:
            put_also(new, old[slot].key, old[slot].value)


def empty_table(slots: int) -> Rows:
    """Table with room for half as many keys as slots."""
    table = np.zeros(slots, SLOT)
    table["key"], table["value"] = EMPTY, -1
    return table


def roomier(table: Rows, count: int) -> Rows:
    """Return the table, or a larger one with the same content, so that ``count`` keys fit well."""
    slots = len(table)
    while slots < 2 * count:
        slots *= 2
    if slots == len(table):
        return table
    larger = empty_table(slots)
    refill(table, larger)
    return larger
