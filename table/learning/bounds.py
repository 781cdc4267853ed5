"""Bounds: what the hands that really made a call had, value by value.

The quantile ``q`` of a term is the smallest value ``v`` such that at least the share ``q`` of the
hands has a value of at most ``v``: the inverse of the distribution function, type 1 of Hyndman and
Fan (1996). It is worked out in whole numbers from the counts, without rounding; quantile 0 is the
smallest value.
"""

from fractions import Fraction
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import InvalidInput

from .measures import Lane
from .slots import OTHERS
from .tally import Tally

I64 = NDArray[np.int64]

DEFAULT_QUANTILES: Final = ("0.01", "0.99")
_BLOCK: Final = 1 << 14


def read_quantiles(low: str | float | Fraction, high: str | float | Fraction) -> tuple[
    Fraction, Fraction
]:  # fmt: skip
    """Two shares as exact fractions.

    Raises
    ------
    InvalidInput
        If they are no shares from 0 to 1 with at most six decimals, or the first is not less.

    Examples
    --------
    >>> read_quantiles("0.01", 0.99)
    (Fraction(1, 100), Fraction(99, 100))
    """
    shares = []
    for text in (low, high):
        try:
            share = Fraction(str(text))
        except (ValueError, ZeroDivisionError):
            share = Fraction(-1)
        if not 0 <= share <= 1 or 1_000_000 % share.denominator:
            raise InvalidInput(
                f"expected a quantile from 0 to 1 with at most six decimals, got {str(text)[:40]!r}"
            )
        shares.append(share)
    if shares[0] >= shares[1]:
        raise InvalidInput(f"expected a lower and an upper quantile, got {low!s} and {high!s}")
    return shares[0], shares[1]


def quantile(counts: NDArray[np.unsignedinteger], share: Fraction) -> I64:
    """Quantile of histograms, as positions.

    Parameters
    ----------
    counts : unsigned [histograms, values]
        None of them empty.
    share : Fraction
        0 to 1.

    Returns
    -------
    int64 [histograms]
        Position of the quantile among the values.

    Examples
    --------
    >>> counts = np.array([[1, 98, 1], [2, 97, 1]], np.uint32)
    >>> quantile(counts, Fraction(1, 50)).tolist()
    [1, 0]
    """
    running = np.cumsum(counts, axis=1, dtype=np.int64)
    wanted = -(-share.numerator * running[:, -1] // share.denominator)
    position: I64 = np.argmax(running >= np.maximum(wanted, 1)[:, None], axis=1)
    return position


def bounds_frame(tally: Tally, low: Fraction, high: Fraction) -> pl.DataFrame:
    """Bounds and rates of the learned entries.

    Parameters
    ----------
    tally : Tally
    low, high : Fraction
        Quantiles.

    Returns
    -------
    polars.DataFrame
        ``entry``, ``hands``; per lane ``HCP_min``, ``HCP_low``, ``HCP_high``, ``HCP_max`` (Int16;
        Float32 where the term has halves): extremes and quantiles; per flag ``Balanced_rate``.
    """
    own = np.flatnonzero(tally.slots.entry != OTHERS)
    columns: dict[str, pl.Series] = {
        "entry": pl.Series(tally.slots.entry[own], dtype=pl.UInt32),
        "hands": pl.Series(tally.hands[own].astype(np.uint32)),
    }
    for lane in tally.measures.lanes:
        found = _lane_bounds(tally, own, lane, low, high)
        for name, values in zip(("min", "low", "high", "max"), found, strict=True):
            column = f"{lane.name}_{name}"
            columns[column] = (
                pl.Series(values.astype(np.int16))
                if lane.scale == 1
                else pl.Series((values / lane.scale).astype(np.float32))
            )
    hands = tally.hands[own]
    place = {text: number for number, text in enumerate(tally.measures.bits)}
    for flag in tally.measures.flags:
        columns[f"{flag}_rate"] = pl.Series(tally.truths[own, place[flag]] / hands)
    return pl.DataFrame(columns)


def _lane_bounds(
    tally: Tally, own: I64, lane: Lane, low: Fraction, high: Fraction
) -> tuple[I64, I64, I64, I64]:
    found = np.empty((4, len(own)), np.int64)
    last = lane.high - lane.low
    for start in range(0, len(own), _BLOCK):
        block = slice(start, start + _BLOCK)
        counts = tally.values[own[block], lane.cells]
        some = counts > 0
        found[0, block] = np.argmax(some, axis=1)
        found[1, block] = quantile(counts, low)
        found[2, block] = quantile(counts, high)
        found[3, block] = last - np.argmax(some[:, ::-1], axis=1)
    found += lane.low
    return found[0], found[1], found[2], found[3]
