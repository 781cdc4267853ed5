"""From rows of integers, as the compiled readers fill them, to the deal frame."""

from collections.abc import Mapping
from functools import cache
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import FIRST_BID, LAST_BID, Contract, Seat, bid_level, bid_strain, score

from .frame import (
    AUCTION_STATUS,
    DEAL_SCHEMA,
    HAND_COLUMNS,
    ROOM,
    SEAT_ENUM,
    VULNERABILITY_ENUM,
    empty_deals,
)

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
    **texts: pl.Expr,
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
    **texts : polars.Expr
        The columns ``players event source encoding``.
    """
    by_column = np.ascontiguousarray(rows.T[:DEAL_COLUMNS])
    which = np.zeros(len(calls), np.uint32)
    which[list(announcements)] = np.arange(1, len(announcements) + 1)
    said = pl.lit(pl.Series(["", *announcements.values()]).gather(which))
    points = _north_south_scores(
        by_column[BID], by_column[DOUBLING], by_column[DECLARER], by_column[TRICKS],
        by_column[VULNERABILITY],
    )  # fmt: skip
    bid, status = by_column[BID], _known(STATUS)
    names_from_bid = 1 + 3 * (bid - FIRST_BID) + by_column[DOUBLING]
    columns = {
        **{name: pl.col(str(seat)) for seat, name in enumerate(HAND_COLUMNS)},
        "dealer": _choose(list(SEAT_ENUM.categories), SEAT_ENUM, by_column[DEALER]),
        "vulnerability": _choose(
            list(VULNERABILITY_ENUM.categories), VULNERABILITY_ENUM, by_column[VULNERABILITY]
        ),
        "board": _known(BOARD),
        "room": _choose(list(ROOM.categories), ROOM, by_column[ROOM_CODE]),
        "auction": _ragged(pl.lit(pl.Series(calls)), CALLS_END),
        "auction_status": _choose(
            list(AUCTION_STATUS.categories), AUCTION_STATUS, by_column[STATUS]
        ),
        "illegal_call": pl.when(status == ILLEGAL).then(_ends(CALLS_END)[1]),
        "illegal_tail": _ragged(pl.lit(pl.Series(tail)), TAIL_END),
        "announcements": _ragged(said, CALLS_END),
        "alerts": _ragged(pl.lit(pl.Series(alerts)), CALLS_END),
        "commentary": _ragged(pl.lit(remarks), REMARKS_END),
        "contract": _choose(
            contract_names().to_list(), pl.String(), np.where(bid > 0, names_from_bid, bid)
        ),
        "declarer": _choose(list(SEAT_ENUM.categories), SEAT_ENUM, by_column[DECLARER]),
        "tricks": _known(TRICKS),
        "score": points if scores is None else pl.coalesce(pl.lit(scores), points),
        "play": _ragged(pl.lit(pl.Series(play)), PLAY_END),
        "record": pl.col(str(RECORD)),
        **texts,
    }
    if not len(rows):
        return empty_deals()
    names = [str(column) for column in range(DEAL_COLUMNS)]
    # as many boards as columns say nothing of which is which
    frame = pl.DataFrame(by_column, schema=names, orient="col")
    return frame.select(
        columns[name].cast(dtype).alias(name) for name, dtype in DEAL_SCHEMA.items()
    )


def _known(column: int) -> pl.Expr:
    """Values of a column, null where they are negative."""
    name = str(column)
    return pl.when(pl.col(name) >= 0).then(pl.col(name))


def _choose(values: list[str], dtype: pl.DataType, codes: I64) -> pl.Expr:
    """Values by code, null where it is negative."""
    with_null = pl.Series([*values, None], dtype=dtype)
    return pl.lit(with_null.gather(np.where(codes < 0, len(values), codes)))


def _ends(column: int) -> tuple[pl.Expr, pl.Expr]:
    """Start and number of the values that a column of ends gives each row."""
    start = pl.col(str(column)).shift(fill_value=0)
    return start, pl.col(str(column)) - start


def _ragged(values: pl.Expr, column: int) -> pl.Expr:
    """Cut the values into lists, as a column of ends says."""
    return values.implode().first().list.slice(*_ends(column))


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


def _north_south_scores(
    bid: I64, doubling: I64, declarer: I64, tricks: I64, vulnerability: I64
) -> pl.Expr:
    """Scores from the view of North-South; null where contract, declarer or tricks are unknown."""
    is_known = (bid >= FIRST_BID) & (tricks >= 0) & (declarer >= 0)
    safe_bid, safe_doubling, safe_tricks, side = (
        np.where(is_known, values, 0)
        for values in (bid - FIRST_BID, doubling, tricks, declarer & 1)
    )
    points = _score_table()[safe_bid, safe_doubling, vulnerability >> side & 1, safe_tricks]
    signed = np.where(is_known, np.where(side == 1, -points, points), 0)
    return pl.when(pl.lit(pl.Series(is_known | (bid == 0)))).then(pl.lit(pl.Series(signed)))
