"""From rows of integers, as the compiled readers fill them, to the deal frame."""

from collections.abc import Mapping
from functools import cache
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import FIRST_BID, LAST_BID, Contract, Seat, bid_level, bid_strain, score

from .frame import AUCTION_STATUS, DEAL_SCHEMA, HAND_COLUMNS, ROOM, SEAT_ENUM, VULNERABILITY_ENUM

I64: TypeAlias = NDArray[np.int64]

# Columns of a row: codes as in the deal frame, -1 where it has null. BID is the call code of the
# contract, 0 passed out. The *_END are ends in the flat arrays of calls, tail, play and remarks;
# a board's part starts where that of the board before ends.
NORTH, EAST, SOUTH, WEST, DEALER, VULNERABILITY, BOARD, ROOM_CODE = range(8)
BID, DOUBLING, DECLARER, TRICKS, STATUS = range(8, 13)
CALLS_END, TAIL_END, PLAY_END, REMARKS_END = range(13, 17)
RECORD = 17
DEAL_COLUMNS = 18

COMPLETE, UNFINISHED, ILLEGAL, NO_CALL = range(4)
"""Auction status, in the order of the deal frame's enum."""

UNREADABLE = 255
"""Stands in ``illegal_tail`` for a call whose text could not be read."""


def make_deals(
    rows: I64,
    *,
    calls: NDArray[np.uint8],
    tail: NDArray[np.uint8],
    alerts: NDArray[np.bool_],
    announcements: Mapping[int, str],
    play: NDArray[np.uint8],
    remarks: pl.Series,
    scores: pl.Series | None = None,
    **texts: pl.Series,
) -> pl.DataFrame:
    """Make the deal frame of some boards.

    Parameters
    ----------
    rows : int64 array, shape (boards, DEAL_COLUMNS)
    calls, tail, alerts, play, remarks
        One value behind the other, as the ends in ``rows`` cut them.
    announcements : mapping of int to str
        By the place in ``calls``; nearly all are empty.
    scores : polars.Series, optional
        What the source says; null where it follows from contract and tricks.
    **texts : polars.Series
        The columns ``players event source encoding``.
    """
    by_column = np.ascontiguousarray(rows.T)
    bid, doubling, declarer, tricks = by_column[BID : TRICKS + 1]
    status, calls_end = by_column[STATUS], by_column[CALLS_END]
    seats = pl.Series(SEAT_ENUM.categories, dtype=SEAT_ENUM)
    which = np.zeros(len(calls), np.int64)
    which[list(announcements)] = np.arange(1, len(announcements) + 1)
    points = north_south_scores(bid, doubling, declarer, tricks, by_column[VULNERABILITY])
    columns = {
        **{name: by_column[seat].astype(np.uint64) for seat, name in enumerate(HAND_COLUMNS)},
        "dealer": _choose(seats, by_column[DEALER]),
        "vulnerability": _enum(VULNERABILITY_ENUM, by_column[VULNERABILITY]),
        "board": _known(by_column[BOARD], pl.Int32()),
        "room": _enum(ROOM, by_column[ROOM_CODE]),
        "auction": ragged(pl.Series(calls), calls_end),
        "auction_status": _enum(AUCTION_STATUS, status),
        "illegal_call": _known(
            np.where(status == ILLEGAL, np.diff(calls_end, prepend=0), -1), pl.UInt16()
        ),
        "illegal_tail": ragged(pl.Series(tail), by_column[TAIL_END]),
        "announcements": ragged(pl.Series(["", *announcements.values()]).gather(which), calls_end),
        "alerts": ragged(pl.Series(alerts), calls_end),
        "commentary": ragged(remarks, by_column[REMARKS_END]),
        "contract": _choose(
            contract_names(), np.where(bid > 0, 1 + 3 * (bid - FIRST_BID) + doubling, bid)
        ),
        "declarer": _choose(seats, declarer),
        "tricks": _known(tricks, pl.UInt8()),
        "score": points if scores is None else scores.zip_with(scores.is_not_null(), points),
        "play": ragged(pl.Series(play), by_column[PLAY_END]),
        "record": by_column[RECORD].astype(np.uint32),
        **texts,
    }
    return pl.DataFrame(columns, schema=DEAL_SCHEMA)


def ragged(values: pl.Series, ends: I64) -> pl.Series:
    """Make the list column whose row ``i`` holds ``values[ends[i - 1]:ends[i]]``."""
    if not len(ends):
        return pl.Series(dtype=pl.List(values.dtype))
    counts = np.diff(ends, prepend=0)
    return (
        pl.DataFrame({"start": ends - counts, "count": counts})
        .select(pl.lit(values).implode().first().list.slice(pl.col("start"), pl.col("count")))
        .to_series()
    )


def _choose(values: pl.Series, codes: I64) -> pl.Series:
    return values.gather(_known(codes, pl.Int64()))


def _enum(dtype: pl.Enum, codes: I64) -> pl.Series:
    return _choose(pl.Series(dtype.categories, dtype=dtype), codes)


def _known(values: I64, dtype: pl.DataType) -> pl.Series:
    series = pl.Series(values)
    return series.set(series < 0, None).cast(dtype)


@cache
def contract_names() -> pl.Series:
    """Contract texts: 0 ``Pass``, then ``1 + 3 * (bid - 3) + doubling``."""
    return pl.Series(["Pass", *(contract.name for contract in _contracts())])


def _contracts() -> list[Contract]:
    return [
        Contract(bid_level(bid), bid_strain(bid), doubling, Seat.NORTH)
        for bid in range(FIRST_BID, LAST_BID + 1)
        for doubling in range(3)
    ]


@cache
def _score_table() -> NDArray[np.int32]:
    """Return declarer's score by bid - 3, doubling, vulnerability and tricks."""
    points = [
        score(contract, tricks, vulnerable=vulnerable)
        for contract in _contracts()
        for vulnerable in (False, True)
        for tricks in range(14)
    ]
    return np.array(points, np.int32).reshape(-1, 3, 2, 14)


def north_south_scores(
    bid: I64, doubling: I64, declarer: I64, tricks: I64, vulnerability: I64
) -> pl.Series:
    """Scores from the view of North-South; null where contract, declarer or tricks are unknown.

    Examples
    --------
    >>> one = np.ones(1, np.int64)
    >>> north_south_scores(21 * one, 0 * one, one, 10 * one, 0 * one).to_list()
    [-420]
    """
    is_known = (bid >= FIRST_BID) & (tricks >= 0) & (declarer >= 0)
    safe_bid, safe_doubling, safe_tricks, side = (
        np.where(is_known, values, 0)
        for values in (bid - FIRST_BID, doubling, tricks, declarer & 1)
    )
    points = _score_table()[safe_bid, safe_doubling, vulnerability >> side & 1, safe_tricks]
    signed = np.where(is_known, np.where(side == 1, -points, points), 0).astype(np.int32)
    return pl.Series(signed).set(pl.Series(~is_known & (bid != 0)), None)
