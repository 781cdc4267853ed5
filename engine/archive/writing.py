"""Boards that a question found, as others want them: as text, or with what a system bids."""

from typing import Any, Final

import polars as pl

from bidcascade.bridge import SEATS, Auction, format_calls
from bidcascade.engine.runs.readable import hands_text
from bidcascade.loaders import AUCTION_STATUS, SEAT_ENUM, format_handviewer

_OF_THE_AUCTION: Final = (
    "illegal_call",
    "illegal_tail",
    "announcements",
    "alerts",
    "tricks",
    "score",
    "play",
)


def with_bids(boards: pl.DataFrame) -> pl.DataFrame:
    """Put what was bid on the boards in the place of their auctions.

    What belonged to those, contract, result and play, is null then, but the contract that is bid.
    Boards on which nobody bid stay as they are.

    Parameters
    ----------
    boards : polars.DataFrame
        As :func:`.questions.find_boards` gives them.
    """
    contracts, declarers = [], []
    for calls, dealer in boards.select("bid", "dealer").iter_rows():
        auction = Auction.of(calls or (), SEATS.index(dealer))
        contracts.append("Pass" if auction.contract is None else auction.contract.name)
        declarers.append(None if auction.declarer is None else auction.declarer.letter)
    bid = boards.with_columns(
        pl.Series("contract", contracts, pl.String),
        pl.Series("declarer", declarers, SEAT_ENUM),
        pl.col("bid").alias("auction"),
        pl.lit("complete").cast(AUCTION_STATUS).alias("auction_status"),
        *(pl.lit(None, boards.schema[name]).alias(name) for name in _OF_THE_AUCTION),
    )
    return boards.select(
        pl.when(boards["bid"].is_null()).then(boards[name]).otherwise(bid[name]).alias(name)
        for name in boards.columns
    )


def board_dicts(boards: pl.DataFrame) -> list[dict[str, Any]]:
    """Boards as values for JSON, without what is null; with a handviewer link each."""
    texts = boards.select(
        pl.exclude("north", "east", "south", "west", "play", "illegal_tail", "encoding", "file")
    ).with_columns(hands_text(boards).alias("deal"))
    found = []
    for row, link in zip(texts.iter_rows(named=True), format_handviewer(boards), strict=True):
        for name in ("auction", "bid"):
            if row[name] is not None:
                row[name] = format_calls(row[name])
        found.append({name: one for name, one in row.items() if one is not None} | {"link": link})
    return found
