"""What must hold of the values of a deal frame beyond their types, whoever made the frame."""

from collections.abc import Collection, Iterator
from typing import Any, Final

import polars as pl

from bidcascade.bridge import LAST_BID, InvalidInput

from .columns import contract_names
from .frame import DEAL_SCHEMA, REQUIRED_COLUMNS


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


def checked_rows(frame: pl.DataFrame, further: Collection[str] = ()) -> Iterator[dict[str, Any]]:
    """Give the rows of a deal frame as dictionaries, columns of other tables left out.

    Parameters
    ----------
    frame : polars.DataFrame
    further : collection of str
        Columns beside those of a deal frame that are taken too.

    Raises
    ------
    InvalidInput
        If a required column is missing, a column is of another type, dealer or vulnerability are
        null, or a value is none that a deal frame has; names the column and the row.
    """
    missing = [name for name in REQUIRED_COLUMNS if name not in frame.columns]
    if missing:
        raise InvalidInput(
            f"expected the columns {', '.join(REQUIRED_COLUMNS)}, got no {missing!r}"
        )
    known = frame.select(name for name in frame.columns if name in DEAL_SCHEMA or name in further)
    try:
        invalid = invalid_values(
            known.select(
                pl.col(name).cast(dtype)
                if name in known.columns
                else pl.lit(None, dtype).alias(name)
                for name, dtype in DEAL_SCHEMA.items()
                if name in VALUE_RULES
            )
        )
        known = without_null_texts(known)
    except pl.exceptions.PolarsError as error:
        reason = str(error).partition("\n")[0]
        raise InvalidInput(f"expected the types of a deal frame: {reason}") from None
    for column in invalid.columns:
        if (place := invalid[column].arg_max()) is not None and invalid[column][place]:
            raise InvalidInput(
                f"expected {VALUE_RULES[column][0]} in column {column!r}, "
                f"got {known[column].slice(place, 1).to_list()[0]!r} in row {place}"
            )
    for number, row in enumerate(known.iter_rows(named=True)):
        if row["dealer"] is None or row["vulnerability"] is None:
            raise InvalidInput(f"expected dealer and vulnerability, got a null in row {number}")
        yield row
