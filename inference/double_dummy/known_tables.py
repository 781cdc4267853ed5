"""Double-dummy tables that a frame of deals holds already: columns ``DD_N_C`` … ``DD_W_N``."""

import logging

import numpy as np
import polars as pl

from bidcascade.bridge import InvalidInput
from bidcascade.loaders import HAND_COLUMNS
from bidcascade.loaders.pbn_double_dummy import DOUBLE_DUMMY_COLUMNS
from bidcascade.loaders.trick_bounds import impossible_tables

from .protocol import I8, TABLE_SIZE

_logger = logging.getLogger("bidcascade.inference")


def known_tables(frame: pl.DataFrame) -> I8 | None:
    """Tables that a frame holds already.

    Returns
    -------
    int8 [n, 20], or None
        -1 where a result is null, and in all of a table that is impossible with its deal
        (:func:`bidcascade.loaders.trick_bounds.impossible_tables`), of which a warning tells;
        ``None`` if the frame has none of the columns.

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
        wrong = column.filter(~column.is_between(0, 13))
        if wrong.len():
            raise InvalidInput(f"expected tricks from 0 to 13 in column {name}, got {wrong[0]}")
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
