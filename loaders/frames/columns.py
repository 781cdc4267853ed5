"""Columns of a deal frame from flat arrays, without a Python loop over rows."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import FIRST_BID, LAST_BID, Contract, Seat, bid_level, bid_strain, score
from bidcascade.kernels.types import I64

BIDS = LAST_BID - FIRST_BID + 1
DOUBLINGS = 3


def ragged(values: pl.Series, ends: I64) -> pl.Series:
    """Make the list column whose row ``i`` holds ``values[ends[i - 1]:ends[i]]``.

    Parameters
    ----------
    values : polars.Series
        All values, one row behind the other.
    ends : int64 array, shape (rows,)
        Where each row ends, ascending.
    """
    if not len(ends):
        return pl.Series(dtype=pl.List(values.dtype))
    starts = np.concatenate([np.zeros(1, np.int64), ends])[:-1]
    return (
        pl.DataFrame({"start": starts, "count": ends - starts})
        .select(pl.lit(values).implode().first().list.slice(pl.col("start"), pl.col("count")))
        .to_series()
    )


def choose(values: pl.Series, codes: I64) -> pl.Series:
    """Make the column of ``values[code]``, null where the code is negative.

    Examples
    --------
    >>> choose(pl.Series(["a", "b"]), np.array([1, -1, 0])).to_list()
    ['b', None, 'a']
    """
    return values.gather(pl.Series(known(codes, pl.Int64())))


def known(values: I64, dtype: pl.DataType) -> pl.Series:
    """Make a column of numbers, null where they are negative.

    Examples
    --------
    >>> known(np.array([3, -1]), pl.UInt8()).to_list()
    [3, None]
    """
    series = pl.Series(values)
    return series.set(series < 0, None).cast(dtype)


def split_texts(texts: bytes, count: int, separator: str) -> pl.Series:
    """Texts that each end with ``separator``, as a column."""
    if not count:
        return pl.Series(dtype=pl.String())
    whole = pl.Series([texts[: -len(separator)].decode()])
    return whole.str.split(separator).explode()


@cache
def contract_names() -> pl.Series:
    """Contract texts: 0 ``Pass``, then ``1 + 3 * (bid - 3) + doubling``."""
    names = [
        Contract(bid_level(bid), bid_strain(bid), doubling, Seat.NORTH).name
        for bid in range(FIRST_BID, LAST_BID + 1)
        for doubling in range(DOUBLINGS)
    ]
    return pl.Series(["Pass", *names])


@cache
def score_table() -> NDArray[np.int32]:
    """Return declarer's score by bid - 3, doubling, vulnerability (0, 1) and tricks (0-13)."""
    table = np.zeros((BIDS, DOUBLINGS, 2, 14), np.int32)
    for bid in range(BIDS):
        level, strain = bid // 5 + 1, bid % 5
        for doubling in range(DOUBLINGS):
            contract = Contract(level, strain, doubling, Seat.NORTH)
            for vulnerable in (False, True):
                for tricks in range(14):
                    table[bid, doubling, int(vulnerable), tricks] = score(
                        contract, tricks, vulnerable=vulnerable
                    )
    return table


def contract_codes(bid: I64, doubling: I64) -> I64:
    """Codes for :func:`contract_names`; bid 0 is passed out, -1 unknown."""
    return np.where(bid > 0, 1 + DOUBLINGS * (bid - FIRST_BID) + doubling, bid)


def north_south_scores(
    bid: I64, doubling: I64, declarer: I64, tricks: I64, vulnerability: I64
) -> pl.Series:
    """Scores from the view of North-South; null where contract or tricks are unknown.

    Parameters
    ----------
    bid : int64 array
        Call code of the contract, 0 passed out, -1 unknown.
    doubling, declarer, tricks, vulnerability : int64 array
        Codes as in :mod:`bidcascade.bridge`; -1 unknown.
    """
    is_known = (bid >= FIRST_BID) & (tricks >= 0)
    safe_bid = np.where(is_known, bid - FIRST_BID, 0)
    safe_doubling = np.where(is_known, doubling, 0)
    side = np.where(is_known, declarer & 1, 0)
    vulnerable = vulnerability >> side & 1
    points = score_table()[safe_bid, safe_doubling, vulnerable, np.where(is_known, tricks, 0)]
    signed = np.where(is_known, np.where(side == 1, -points, points), 0).astype(np.int32)
    column = pl.Series(signed)
    return column.set(pl.Series(~is_known & (bid != 0)), None)


def enum_values(dtype: pl.Enum) -> pl.Series:
    """All categories of an enum in order, to be picked from with :func:`choose`."""
    return pl.Series(dtype.categories, dtype=dtype)


def texts_at(text: bytes, starts: Sequence[int], ends: Sequence[int]) -> list[str]:
    """Pieces of UTF-8 text by byte position."""
    if text.isascii():
        whole = text.decode()
        return [whole[start:end] for start, end in zip(starts, ends, strict=True)]
    return [text[start:end].decode() for start, end in zip(starts, ends, strict=True)]
