"""Columns of hands and auctions as text, each different holding and call written once."""

from typing import Final

import numpy as np
import polars as pl

from bidcascade.bridge import CALL_TEXTS, format_holding
from bidcascade.loaders import HAND_COLUMNS

_HOLDINGS: Final = 1 << 13
_SUITS: Final = (3, 2, 1, 0)
"""Spades first, as hands are written."""
_DEAL_TEXT: Final = "N:" + " ".join(["{}.{}.{}.{}"] * 4)


def hands_text(deals: pl.DataFrame) -> pl.Series:
    """Write the four hands of each deal as PBN text, North's first."""
    texts = pl.Series([format_holding(holding) for holding in range(_HOLDINGS)])
    holdings = [
        texts.gather((masks >> np.uint64(13 * suit) & np.uint64(_HOLDINGS - 1)).astype(np.uint32))
        for masks in (deals[name].to_numpy() for name in HAND_COLUMNS)
        for suit in _SUITS
    ]
    frame = pl.DataFrame([one.alias(str(place)) for place, one in enumerate(holdings)])
    return frame.select(pl.format(_DEAL_TEXT, *frame.columns).alias("hands"))["hands"]


def call_texts(column: str) -> pl.Expr:
    """Call codes of a column of auctions as lists of texts."""
    texts = pl.element().replace_strict(
        list(range(len(CALL_TEXTS))), list(CALL_TEXTS), return_dtype=pl.String
    )
    return pl.col(column).list.eval(texts)


def auction_text(column: str) -> pl.Expr:
    """Call codes of a column of auctions as texts, ``1N P 3N``."""
    return call_texts(column).list.join(" ")
