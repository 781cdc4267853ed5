"""Deal frames of sources that know the cards but not what happened with them."""

import polars as pl

from .frame import DEAL_SCHEMA


def bare_deals(columns: dict[str, pl.Series]) -> pl.DataFrame:
    """Make a deal frame from some of its columns: no calls, everything else null.

    Parameters
    ----------
    columns : dict of str to polars.Series
        Columns of one length; the six required ones must be among them.

    Examples
    --------
    >>> bare_deals({"dealer": pl.Series(["N"])}).select("dealer", "auction_status", "event").rows()
    [('N', 'none', None)]
    """
    known = pl.DataFrame(columns)
    return known.select(
        (pl.col(name) if name in columns else pl.lit("none" if name == "auction_status" else None))
        .cast(dtype)
        .alias(name)
        for name, dtype in DEAL_SCHEMA.items()
    )
