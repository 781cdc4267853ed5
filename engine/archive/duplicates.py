"""Boards that are there already: the same hands, dealer and auction, at the same table.

The tables of a match may bid a deal alike, so room and players must be the same too; where nobody
bid, so must the contract and its result. Boards are compared where their keys are equal: one number
each, the same in all versions and on all machines.
"""

import zlib
from typing import Final

import numpy as np
import polars as pl

from bidcascade.kernels.types import U64
from bidcascade.loaders import HAND_COLUMNS

_RESULT: Final = ("contract", "declarer", "tricks")
_COMPARED: Final = (*HAND_COLUMNS, "dealer", "auction", "room", "players", *_RESULT)
_ODD: Final = np.uint64(0x9E3779B97F4A7C15)
"""2**64 divided by the golden ratio (Knuth, The Art of Computer Programming 3, 6.4)."""


def board_keys(boards: pl.DataFrame) -> U64:
    """Keys of boards, uint64 [boards]; equal for boards that are the same.

    Parameters
    ----------
    boards : polars.DataFrame
        Deal frame.

    Examples
    --------
    >>> from bidcascade.loaders import random_deals
    >>> keys = board_keys(random_deals(3, seed=1))
    >>> len(set(keys.tolist())), (board_keys(random_deals(3, seed=1)) == keys).all().item()
    (3, True)
    """
    key = np.zeros(boards.height, np.uint64)
    for name in HAND_COLUMNS:
        key = _mixed(key ^ boards[name].to_numpy())
    has_auction = boards["auction"].list.len().fill_null(0).to_numpy() > 0
    for column in (
        _codes(boards["dealer"]),
        _of_auctions(boards["auction"]),
        _codes(boards["room"]),
        _of_texts(boards["players"].list.join("\0", ignore_nulls=True)),
    ):
        key = _mixed(key ^ column)
    result = _of_texts(
        boards.select(
            pl.concat_str([pl.col(name).cast(pl.String) for name in _RESULT], ignore_nulls=True)
        ).to_series()
    )
    keys: U64 = np.where(has_auction, key, _mixed(key ^ result))
    return keys


def _mixed(values: U64) -> U64:
    """Spread numbers over all bits."""
    spread = (values + np.uint64(1)) * _ODD
    mixed: U64 = spread ^ (spread >> np.uint64(29))
    return mixed


def _codes(column: pl.Series) -> U64:
    codes: U64 = (column.to_physical().cast(pl.UInt64) + 1).fill_null(0).to_numpy()
    return codes


def _of_auctions(auctions: pl.Series) -> U64:
    """Read calls as a number to the base 2**64 / golden ratio, modulo 2**64."""
    found = np.zeros(auctions.len(), np.uint64)
    lengths = auctions.list.len().fill_null(0).to_numpy().astype(np.int64)
    bid = np.flatnonzero(lengths)
    if len(bid):
        calls = auctions.gather(bid).explode().to_numpy().astype(np.uint64) + np.uint64(1)
        starts = np.cumsum(lengths[bid]) - lengths[bid]
        places = np.arange(len(calls)) - np.repeat(starts, lengths[bid])
        powers = np.full(int(lengths.max()), _ODD)
        powers = np.multiply.accumulate(powers, dtype=np.uint64)
        found[bid] = np.add.reduceat(calls * powers[places], starts, dtype=np.uint64)
    return found


def _of_texts(texts: pl.Series) -> U64:
    """Checksums of texts, each different one worked out once; nothing is as an empty one."""
    counted = texts.fill_null("").alias("text").to_frame()
    different = counted.unique()
    sums = [zlib.crc32(text.encode()) for text in different["text"]]
    table = different.with_columns(pl.Series("sum", sums, pl.UInt64))
    joined = counted.join(table, on="text", how="left", maintain_order="left")
    found: U64 = joined["sum"].to_numpy()
    return found


def are_same(boards: pl.DataFrame, others: pl.DataFrame) -> pl.Series:
    """Whether boards are the same as others, row by row.

    Parameters
    ----------
    boards, others : polars.DataFrame
        Deal frames of one height.
    """
    has_auction = boards["auction"].list.len().fill_null(0) > 0
    same = pl.repeat(value=True, n=boards.height, dtype=pl.Boolean, eager=True)
    for name in _COMPARED:
        left, right = boards[name], others[name]
        if left.dtype.is_nested():
            # nothing said and nothing there are the same
            left, right = (
                one.list.eval(pl.element().cast(pl.String)).list.join("\0").fill_null("")
                for one in (left, right)
            )
        equal = left.eq_missing(right)
        same = same & ((equal | has_auction) if name in _RESULT else equal)
    return same.alias("same")


def first_of_each(boards: pl.DataFrame, keys: U64) -> U64:
    """For each board the row of the first that is the same: its own for the first, uint64 [boards].

    Examples
    --------
    >>> from bidcascade.loaders import random_deals
    >>> twice = pl.concat([random_deals(2, seed=1)] * 2)
    >>> first_of_each(twice, board_keys(twice)).tolist()
    [0, 1, 0, 1]
    """
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    stands: U64 = first[which].astype(np.uint64)
    doubtful = np.flatnonzero(stands != np.arange(len(keys), dtype=np.uint64))
    if len(doubtful):
        same = are_same(boards[doubtful], boards[stands[doubtful]]).to_numpy()
        stands[doubtful[~same]] = doubtful[~same]
    return stands
