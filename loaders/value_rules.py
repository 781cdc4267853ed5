"""What must hold of the values of a deal frame beyond their types, whoever made the frame."""

from typing import Final

import polars as pl

from bidcascade.bridge import LAST_BID

from .columns import contract_names


def _whole(column: str) -> pl.Expr:
    """How many elements of a list are not null, -1 if some are."""
    length = pl.col(column).list.len().cast(pl.Int64)
    return pl.when(pl.col(column).list.drop_nulls().list.len() == length).then(length).otherwise(-1)


_CALLS = pl.col("auction").list.len().fill_null(0)
_TAIL = pl.col("illegal_tail").list
VALUE_RULES: Final = {
    "auction": (
        "call codes of 0 to 37",
        (_whole("auction") >= 0) & (pl.col("auction").list.max().fill_null(0) <= LAST_BID),
    ),
    "illegal_tail": (
        "call codes of 0 to 37, or 255",
        (_whole("illegal_tail") >= 0)
        & (_TAIL.set_difference([255]).list.max().fill_null(0) <= LAST_BID),
    ),
    "announcements": ("a text a call", _whole("announcements") == _CALLS),
    "alerts": ("true or false a call", _whole("alerts") == _CALLS),
    "play": ("cards of 0 to 51", (_whole("play") >= 0) & (pl.col("play").list.max() < 52)),
    "players": ("four names", pl.col("players").list.len() == 4),
    "contract": ("a contract such as '4SX'", pl.col("contract").is_in(contract_names().implode())),
    "tricks": ("0 to 13", pl.col("tricks") <= 13),
}
"""What must hold where a value is known, by column; what is null holds."""


def invalid_values(frame: pl.DataFrame) -> pl.DataFrame:
    """Tell of each column in :data:`VALUE_RULES` which of its values break the rule.

    Parameters
    ----------
    frame : polars.DataFrame
        With all columns of a deal frame, of its types.
    """
    return frame.select(
        (pl.col(column).is_not_null() & ~holds).fill_null(value=False).alias(column)
        for column, (_, holds) in VALUE_RULES.items()
    )


def without_null_texts(frame: pl.DataFrame) -> pl.DataFrame:
    """Put an empty name or remark for one that is null, as other programs write it."""
    lists = [name for name in ("players", "commentary") if name in frame.columns]
    return frame.with_columns(pl.col(lists).list.eval(pl.element().fill_null("")))
