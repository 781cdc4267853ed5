"""Rows for learning: a row a call, with hand, auction so far and what a system allows there."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from bidcascade.bridge import InvalidInput
from bidcascade.kernels.core.tables.auctions import legal_calls
from bidcascade.loaders import deal_arrays, play_disagrees
from bidcascade.table.real_calls import CallLists

from .engine import Engine

PIECE_DEALS: Final = 1 << 15
"""Deals whose rows are made at once; bounds memory."""
SHOWN: Final = 40
"""Numbers of column ``shown``: four players, five terms, least and most."""
CALL_ROW_SCHEMA: Final = pl.Schema(
    {
        "deal": pl.UInt32(),
        "source": pl.String(),
        "record": pl.UInt32(),
        "board": pl.Int32(),
        "seat": pl.UInt8(),
        "hand": pl.UInt64(),
        "vul_we": pl.Boolean(),
        "vul_they": pl.Boolean(),
        "auction": pl.List(pl.UInt8()),
        "call": pl.UInt8(),
        "allowed": pl.UInt64(),
        "legal": pl.UInt64(),
    }
)
"""Columns of rows for learning; see ``docs/learning-rows.md``."""
MEANING_SCHEMA: Final = pl.Schema(
    {"meanings": pl.List(pl.String()), "shown": pl.Array(pl.UInt8(), SHOWN)}
)
"""Further columns, with meanings."""
LEFT_OUT_SCHEMA: Final = pl.Schema(
    {
        **{name: CALL_ROW_SCHEMA[name] for name in ("deal", "source", "record", "board")},
        "reason": pl.String(),
    }
)
"""Columns of boards that give no rows."""
_ORIGIN: Final = ("source", "record", "board")


class DealRows(NamedTuple):
    """Rows of some deals, and those of the deals that have none, with the reason."""

    rows: pl.DataFrame
    left_out: pl.DataFrame


class CallRows:
    """What makes rows of deals; see :func:`iter_call_rows`."""

    def __init__(
        self, engine: Engine, *, bidder: Engine | None = None, meanings: bool = False
    ) -> None:
        self._deal_bidder = bidder
        self._meanings = meanings
        self.schema = CALL_ROW_SCHEMA
        """Columns of the rows."""
        if meanings:
            self.schema = pl.Schema(CALL_ROW_SCHEMA | MEANING_SCHEMA)
        self._answerer = engine.bidder

    def of(self, frame: pl.DataFrame, first_deal: int = 0) -> Iterator[DealRows]:
        """Make the rows of a deal frame, whose first deal has a given number, piece by piece."""
        for start in range(0, frame.height, PIECE_DEALS):
            yield self._piece(frame.slice(start, PIECE_DEALS), first_deal + start)

    def _piece(self, frame: pl.DataFrame, first_deal: int) -> DealRows:
        numbers = np.arange(first_deal, first_deal + frame.height, dtype=np.uint32)
        origin = pl.DataFrame(
            [
                pl.Series("deal", numbers),
                *(
                    frame[name].cast(CALL_ROW_SCHEMA[name])
                    if name in frame.columns
                    else pl.Series(name, [None], CALL_ROW_SCHEMA[name]).new_from_index(
                        0, frame.height
                    )
                    for name in _ORIGIN
                ),
            ]
        )
        left_out = LEFT_OUT_SCHEMA.to_frame()
        if self._deal_bidder is not None:
            auctions = self._deal_bidder.auctions(frame, mode="first")["auction"]
        elif "auction" not in frame.columns:
            raise InvalidInput("expected a column 'auction' in the deals, got none")
        else:
            reasons = _reasons(frame)
            if reasons.null_count() < len(reasons):
                bad = reasons.is_not_null()
                left_out = origin.with_columns(reason=reasons).filter(bad)
                frame, origin = frame.filter(~bad), origin.filter(~bad)
            auctions = frame["auction"]
        if not frame.height:
            return DealRows(self.schema.to_frame(), left_out)
        return DealRows(self._rows(frame, origin, auctions), left_out)

    def _rows(self, frame: pl.DataFrame, origin: pl.DataFrame, auctions: pl.Series) -> pl.DataFrame:
        deals, lists = deal_arrays(frame), CallLists.of(auctions)
        lengths = np.diff(lists.offsets)
        deal = np.repeat(np.arange(len(deals), dtype=np.uint32), lengths)
        depth = np.arange(len(deal)) - lists.offsets[deal]
        seat = ((deals.dealer[deal] + depth) % 4).astype(np.uint8)
        # bit 0 is North-South, bit 1 East-West
        sides = deals.vulnerability[deal]
        legal = np.empty(len(deal), np.uint64)
        legal_calls(lists.calls, lists.offsets, legal)
        along = self._answerer.calls_along(deals, lists, depth, meanings=self._meanings)
        so_far = pl.DataFrame(
            {"auction": auctions.gather(deal), "depth": pl.Series(depth, dtype=pl.UInt32)}
        ).select(pl.col("auction").list.head("depth"))
        columns = [
            *(origin[name].gather(deal) for name in origin.columns),
            pl.Series("seat", seat),
            pl.Series("hand", deals.hands[seat, deal]),
            pl.Series("vul_we", (sides >> (seat & 1)) & 1 != 0),
            pl.Series("vul_they", (sides >> (1 - (seat & 1))) & 1 != 0),
            so_far["auction"],
            pl.Series("call", lists.calls),
            pl.Series("allowed", along.allowed),
            pl.Series("legal", legal),
        ]
        if along.names is not None and along.shown is not None:
            players = (depth[:, np.newaxis] + np.arange(4)) % 4
            turned = np.take_along_axis(along.shown, players[:, :, np.newaxis, np.newaxis], axis=1)
            columns += [
                along.names.alias("meanings"),
                pl.Series("shown", turned.reshape(-1, SHOWN), MEANING_SCHEMA["shown"]),
            ]
        return pl.DataFrame(columns)


def iter_call_rows(
    engine: Engine,
    deals: pl.DataFrame | Iterable[pl.DataFrame],
    *,
    bidder: Engine | None = None,
    meanings: bool = False,
) -> Iterator[pl.DataFrame]:
    """Give a row for each call of the auctions of deals, as frames of bounded size.

    Parameters
    ----------
    engine : Engine
        Says which calls are allowed, and with ``meanings`` what they mean.
    deals : polars.DataFrame or iterable of them
        Deal frames.
    bidder : Engine, optional
        Bids the deals, in mode ``first``; without one the auctions are those that the frames hold.
        Then deals without a call, with an illegal one, or whose play is not of their hands
        (:func:`bidcascade.loaders.play_disagrees`) have no rows.
    meanings : bool
        Two more columns: what the calls before have said, and shown.

    Yields
    ------
    polars.DataFrame
        Columns of :data:`CALL_ROW_SCHEMA`, with meanings also those of :data:`MEANING_SCHEMA`.
        ``deal`` (row in the frames taken together), ``source``, ``record``, ``board`` (null where
        the frames have none), ``seat`` (0-3 = N, E, S, W), ``hand`` (mask of the caller's cards),
        ``vul_we``, ``vul_they`` (the caller's side and the other one), ``auction`` (call codes so
        far), ``call`` (code), ``allowed`` (bit ``c``: the system allows call ``c`` with this hand),
        ``legal`` (bit ``c``: the laws do), ``meanings`` (a text a call so far), ``shown``: by
        player (the caller, then in turn), by HCP, clubs, diamonds, hearts, spades: least and most.

    Raises
    ------
    InvalidInput
        If a frame is no deal frame, or has no column ``auction`` where no bidder is given.

    Examples
    --------
    >>> from bidcascade.loaders import read_deals
    >>> from bidcascade.table import build_table
    >>> table, _ = build_table([{"prior": "", "call": "1N", "criteria": ["HCP >= 12"]}])
    >>> engine = Engine(table, "reference")
    >>> deals = read_deals(b"N:AK2.AK2.5432.432 QJT9.QJT9.AK.AKQ 876.876.QJT9.JT9 543.543.876.8765")
    >>> rows = next(iter_call_rows(engine, deals.deals, bidder=engine))
    >>> rows.select("seat", "auction", "call", "allowed").rows()[:2]
    [(0, [], 7, 128), (1, [7], 0, 1)]
    """
    maker = CallRows(engine, bidder=bidder, meanings=meanings)
    first = 0
    for frame in [deals] if isinstance(deals, pl.DataFrame) else deals:
        for piece in maker.of(frame, first):
            yield piece.rows
        first += frame.height


def _reasons(frame: pl.DataFrame) -> pl.Series:
    """Why deals with auctions of their own give no rows; null for those that do."""
    lists = CallLists.of(frame["auction"])
    legal = np.empty(len(lists.calls), np.uint64)
    legal_calls(lists.calls, lists.offsets, legal)
    # what is no call code is none of the bits
    made = np.minimum(lists.calls, 63).astype(np.uint64)
    refused = np.flatnonzero(legal >> made & np.uint64(1) == 0)
    illegal = np.zeros(len(lists), np.bool_)
    illegal[np.searchsorted(lists.offsets, refused, side="right") - 1] = True
    if "auction_status" in frame.columns:
        illegal |= (frame["auction_status"] == "illegal").fill_null(value=False).to_numpy()
    disagrees = np.zeros(len(lists), np.bool_)
    if {"play", "declarer"} <= {*frame.columns}:
        disagrees = play_disagrees(frame).to_numpy()
    found = pl.DataFrame(
        {"empty": np.diff(lists.offsets) == 0, "illegal": illegal, "disagrees": disagrees}
    )
    return found.select(
        reason=pl.when("illegal")
        .then(pl.lit("illegal auction"))
        .when("empty")
        .then(pl.lit("no auction"))
        .when("disagrees")
        .then(pl.lit("play disagrees"))
    )["reason"]
