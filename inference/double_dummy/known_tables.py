"""Double-dummy tables that are there: a frame's columns ``DD_N_C`` … ``DD_W_N``, and those kept."""

import logging
from collections.abc import Sequence
from threading import Event

import numpy as np
import polars as pl

from bidcascade.bridge import Contract, InvalidInput
from bidcascade.kernels.types import I8, U64
from bidcascade.loaders import HAND_COLUMNS
from bidcascade.loaders.frames.trick_bounds import impossible_tables
from bidcascade.loaders.pbn.pbn_double_dummy import DOUBLE_DUMMY_COLUMNS

from .abstract_solver import NOT_HELD, TABLE_SIZE, DoubleDummy, SolvedInPart, table_place
from .table_cache import TableCache

_logger = logging.getLogger("bidcascade.inference")


def known_tables(frame: pl.DataFrame) -> I8 | None:
    """Tables that a frame holds already.

    Returns
    -------
    int8 [n, 20], or None
        -1 where a result is null, and in all of a table that is impossible with its deal
        (:func:`bidcascade.loaders.frames.trick_bounds.impossible_tables`), of which a warning
        tells; ``None`` if the frame has none of the columns.

    Raises
    ------
    InvalidInput
        If only some columns are there, or they hold anything but tricks.
    """
    there = [name for name in DOUBLE_DUMMY_COLUMNS if name in frame.columns]
    if not there:
        return None
    if len(there) < TABLE_SIZE:
        absent = next(name for name in DOUBLE_DUMMY_COLUMNS if name not in there)
        raise InvalidInput(f"expected all 20 columns of tricks, got {there[0]} without {absent}")
    for name in DOUBLE_DUMMY_COLUMNS:
        column = frame[name]
        if not column.dtype.is_integer() and column.dtype != pl.Null:
            raise InvalidInput(f"expected whole numbers in column {name}, got {column.dtype}")
        outside = column.filter(~column.is_between(0, 13))
        if outside.len():
            raise InvalidInput(f"expected tricks from 0 to 13 in column {name}, got {outside[0]}")
    columns = [frame[name].cast(pl.Int8).fill_null(-1).to_numpy() for name in DOUBLE_DUMMY_COLUMNS]
    tables = np.stack(columns, axis=1).astype(np.int8)
    if all(frame.schema.get(name) == pl.UInt64 for name in HAND_COLUMNS):
        hands = np.stack([frame[name].fill_null(0).to_numpy() for name in HAND_COLUMNS])
        is_impossible = impossible_tables(hands, tables)
        tables[is_impossible] = -1
        if is_impossible.any():
            _logger.warning(
                "%d double-dummy tables are impossible with their deals and not believed",
                is_impossible.sum(),
            )
    return tables


def contract_tricks(
    hands: U64,
    contracts: Sequence[Sequence[Contract]],
    solver: DoubleDummy,
    cache: TableCache,
    *,
    timeout_s: float | None = None,
    cancel: Event | None = None,
) -> tuple[list[list[int | None]], int]:
    """Tricks of single contracts: of a table that is kept, else solved.

    Parameters
    ----------
    hands : uint64 [4, n]
    contracts : sequence of sequence of Contract
        Some for each deal.
    solver : DoubleDummy
    cache : TableCache
    timeout_s : float, optional
    cancel : Event, optional

    Returns
    -------
    list, int
        Declarer's tricks by deal and contract, None for what was not solved in time; how many deals
        have a table that is kept.

    Raises
    ------
    DoubleDummyFailed, BackendUnavailable, Cancelled
        As the solver does.

    Examples
    --------
    >>> from bidcascade.bridge import parse_contract
    >>> from . import default_pool
    >>> hands = np.array([[1], [2], [4], [8]], np.uint64)
    >>> cache = TableCache()
    >>> cache.add(hands, np.full((1, 20), 1, np.int8))
    >>> contract_tricks(hands, [[parse_contract("1SN")]], default_pool(), cache)
    ([[1]], 1)
    """
    tables = cache.find(hands)
    known = int((tables[:, 0] >= 0).sum())
    wanted = sorted(
        {
            (deal, table_place(one.declarer, one.strain))
            for deal, some in enumerate(contracts)
            for one in some
            if tables[deal, table_place(one.declarer, one.strain)] < 0
        }
    )
    if wanted:
        deals, places = np.array(wanted).T
        chosen = np.ascontiguousarray(hands[:, deals])
        strain, declarer = (places % 5).astype(np.uint8), (places // 5).astype(np.uint8)
        try:
            found = solver.tricks(chosen, strain, declarer, cancel=cancel, timeout_s=timeout_s)
        except SolvedInPart as late:
            found = late.answers
        tables[deals, places] = np.where(found == NOT_HELD, -1, found)
    rows = [
        [int(tables[deal, table_place(one.declarer, one.strain)]) for one in some]
        for deal, some in enumerate(contracts)
    ]
    return [[None if tricks < 0 else tricks for tricks in row] for row in rows], known
