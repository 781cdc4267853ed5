"""The bank of solved deals: random deals of one seed, of which only the results need be kept.

The hands follow from the seed, so a deal takes ten bytes: the twenty tricks of
:meth:`.protocol.DoubleDummy.tables`, two in each byte, the first of them in its lower half. The
seed is the one that ``system doctor`` takes by itself, so what one solves the other finds.

A deal is solved once, and bid as often as a text changes. Who tunes a text by the bank would also
fit it to these very deals, so a third of them, chosen by a hash of the hands, is held out: a change
is tried on the open part, and judged on the other.
"""

from collections.abc import Callable
from threading import Event
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import InvalidDeal, InvalidInput
from bidcascade.kernels import DealArrays
from bidcascade.kernels.dealing import deal_hashes
from bidcascade.kernels.types import I8, U64
from bidcascade.loaders import deal_arrays, random_deals

from .abstract_solver import TABLE_SIZE, DoubleDummy
from .table_cache import TableCache, solved_tables

BANK_SEED: Final = 20_261_125
BANK_DEALS: Final = 200_000
"""Deals of the bank, solved or not."""
BYTES_A_DEAL: Final = TABLE_SIZE // 2
OPEN, HELD_OUT, WHOLE = PARTS = ("open", "held-out", "all")
"""Parts of the bank: two thirds, the other third, both."""


def bank_hands(count: int) -> U64:
    """Hands of the first deals of the bank, uint64 [4, n].

    Examples
    --------
    >>> bank_hands(3).shape
    (4, 3)
    """
    return deal_arrays(random_deals(count, BANK_SEED)).hands


def held_out(hands: U64) -> NDArray[np.bool_]:
    """Tell which deals are held out: bool [n], about a third.

    Parameters
    ----------
    hands : uint64 [4, n]

    Examples
    --------
    >>> int(held_out(bank_hands(3000)).sum())
    1005
    """
    is_out: NDArray[np.bool_] = deal_hashes(hands) % np.uint64(3) == 0
    return is_out


def bank_sample(part: str, cache: TableCache, count: int = BANK_DEALS) -> tuple[DealArrays, I8]:
    """Take the solved deals of a part of the bank, with their tables, int8 [n, 20].

    Parameters
    ----------
    part : str
        One of :data:`PARTS`.
    cache : TableCache
    count : int
        How many deals of the bank are looked at, from the first one on.

    Raises
    ------
    InvalidInput
        If the part is not known, or none of its deals is solved.

    Examples
    --------
    >>> cache = TableCache()
    >>> cache.add(bank_hands(9), np.full((9, 20), 7, np.int8))
    >>> [len(bank_sample(part, cache)[0]) for part in PARTS]
    [8, 1, 9]
    """
    if part not in PARTS:
        raise InvalidInput(f"expected a part of the bank ({', '.join(PARTS)}), got {part!r}")
    deals = deal_arrays(random_deals(count, BANK_SEED))
    tables = cache.find(deals.hands)
    solved = tables[:, 0] >= 0
    chosen = solved
    if part != WHOLE:
        chosen = solved & (held_out(deals.hands) == (part == HELD_OUT))
    rows = np.flatnonzero(chosen)
    if not len(rows):
        others = "none"
        if not solved.any() and len(cache):
            others = f"{len(cache):,} tables of other deals"
        elif cache.left_out and not len(cache):
            others = f"{cache.left_out:,} bytes that are no tables"
        place = "" if cache.path is None else f" in {str(cache.path)!r}"
        raise InvalidInput(
            f"expected solved deals in the part {part!r} of the bank, got {others}{place}; "
            "'bidcascade bank' solves them"
        )
    return deals.take(rows), tables[rows]


def bench_boards(count: int, seed: int, part: str = HELD_OUT) -> NDArray[np.int64]:
    """Numbers of the bank's deals that a benchmark is bid on, whether they are solved or not.

    Those of seed 0 are the first ones of the part, and each further seed takes the next ones, so
    boards of different seeds are different.

    Parameters
    ----------
    count : int
    seed : int
        From 0 on.
    part : str
        One of :data:`PARTS`.

    Raises
    ------
    InvalidInput
        If the part is not known, or the bank has no such boards.

    Examples
    --------
    >>> bench_boards(3, 0), bench_boards(3, 1)
    (array([ 2, 11, 16]), array([18, 21, 24]))
    """
    if part not in PARTS:
        raise InvalidInput(f"expected a part of the bank ({', '.join(PARTS)}), got {part!r}")
    every = np.arange(BANK_DEALS)
    if part != WHOLE:
        every = every[held_out(bank_hands(BANK_DEALS)) == (part == HELD_OUT)]
    chosen = every[count * seed : count * (seed + 1)]
    if count < 1 or len(chosen) < count:
        raise InvalidInput(
            f"expected {count:,} boards of seed {seed} in the part {part!r} of the bank, which has "
            f"{len(every):,}: seeds from 0 to {len(every) // max(count, 1) - 1:,}"
        )
    return chosen


def solved_beginning(count: int, cache: TableCache) -> I8:
    """Tables of the first deals of the bank up to the first one that was not solved, int8 [m, 20].

    Examples
    --------
    >>> from .table_cache import TableCache
    >>> cache = TableCache()
    >>> cache.add(bank_hands(2), np.full((2, 20), 7, np.int8))
    >>> solved_beginning(5, cache).shape
    (2, 20)
    """
    tables = cache.find(bank_hands(count))
    missing = np.flatnonzero(tables[:, 0] < 0)
    return tables[: missing[0]] if len(missing) else tables


def solved_bank(
    count: int,
    solver: DoubleDummy,
    cache: TableCache,
    *,
    progress: Callable[[int, int], None] | None = None,
    cancel: Event | None = None,
) -> I8:
    """Tables of the first deals of the bank, int8 [n, 20]: found, or solved and kept.

    Raises
    ------
    DoubleDummyFailed, BackendUnavailable, Cancelled
        As the solver does.
    """
    return solved_tables(bank_hands(count), solver, cache, progress=progress, cancel=cancel)


def pack_tables(tables: I8) -> bytes:
    """Write tables, int8 [n, 20], ten bytes each.

    Raises
    ------
    InvalidDeal
        If a result is no number of tricks.

    Examples
    --------
    >>> pack_tables(np.tile([1, 13], (1, 10)).astype(np.int8)).hex()
    'd1d1d1d1d1d1d1d1d1d1'
    """
    if tables.ndim != 2 or tables.shape[1] != TABLE_SIZE or ((tables < 0) | (tables > 13)).any():
        raise InvalidDeal(f"expected tables of tricks from 0 to 13, got {tables.shape}")
    halves = tables.astype(np.uint8)
    return bytes(np.ascontiguousarray(halves[:, 0::2] | halves[:, 1::2] << 4))


def unpack_tables(packed: bytes) -> I8:
    """Read what :func:`pack_tables` wrote.

    Raises
    ------
    InvalidDeal
        If it is cut off, or a result is no number of tricks.

    Examples
    --------
    >>> unpack_tables(bytes.fromhex("d1" * 10))[0, :4]
    array([ 1, 13,  1, 13], dtype=int8)
    """
    whole = np.frombuffer(packed, np.uint8)
    if len(whole) % BYTES_A_DEAL:
        raise InvalidDeal(f"expected {BYTES_A_DEAL} bytes for each table, got {len(whole)} bytes")
    tables = np.stack([whole & 15, whole >> 4], axis=1).astype(np.int8).reshape(-1, TABLE_SIZE)
    outside = tables[tables > 13]
    if len(outside):
        raise InvalidDeal(f"expected tricks from 0 to 13, got {outside[0]}")
    return tables
