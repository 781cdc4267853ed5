"""What candidate calls are worth over layouts: values by scoring, intervals, who is out of it."""

from dataclasses import dataclass
from math import inf, sqrt
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import imps

F64: TypeAlias = NDArray[np.float64]

BidScoring: TypeAlias = Literal["imps", "matchpoints", "points"]
BID_SCORINGS: Final[tuple[BidScoring, ...]] = get_args(BidScoring)

CONFIDENCE: Final = 0.95
_QUANTILE: Final = 1.959964
"""Of the normal distribution for a two-sided interval of 95 %."""
_SURE: Final = 2.807034
"""For 99.5 %: what ends a comparison is looked at again and again."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Mean over layouts, by weight, with its interval of confidence.

    Parameters
    ----------
    mean : float
    low, high : float or None
        None from fewer than two layouts.
    """

    mean: float
    low: float | None
    high: float | None


def values_of(points: F64, baseline: F64, scoring: BidScoring) -> F64:
    """Worth of a call in each layout, float64 [n].

    Parameters
    ----------
    points : float64 [n]
        Own side's score after the call.
    baseline : float64 [n]
        That after the call that is compared with.
    scoring : {"imps", "matchpoints", "points"}
        ``imps`` and ``matchpoints`` are against another table with the same cards where the
        baseline call is made: 0 IMPs, half a matchpoint if both score the same.

    Examples
    --------
    >>> ours, theirs = np.array([420.0, 140.0, -50.0]), np.array([170.0, 140.0, -50.0])
    >>> [values_of(ours, theirs, scoring).tolist() for scoring in BID_SCORINGS]
    [[6.0, 0.0, 0.0], [1.0, 0.5, 0.5], [420.0, 140.0, -50.0]]
    """
    difference = points - baseline
    if scoring == "points":
        return points
    if scoring == "matchpoints":
        # scores by estimate differ by fractions that mean nothing
        return np.sign(np.round(difference / 10)) / 2 + 0.5
    return np.array([_imps(one) for one in difference.tolist()], np.float64)


def _imps(difference: float) -> float:
    return imps(round(difference / 10) * 10)


def estimate(values: F64, weights: F64) -> Estimate:
    """Mean of values and its interval.

    Examples
    --------
    >>> estimate(np.array([1.0, 1.0, 1.0]), np.ones(3))
    Estimate(mean=1.0, low=1.0, high=1.0)
    """
    mean = float(weights @ values / weights.sum())
    error = _error(values, weights)
    if error is None:
        return Estimate(mean, None, None)
    return Estimate(mean, mean - _QUANTILE * error, mean + _QUANTILE * error)


def behind(values: F64, best: F64, weights: F64) -> tuple[float, float | None]:
    """How much less a call is worth than the best one on the same layouts, and the error of that.

    The second is half the width of the interval of confidence; None from fewer than two layouts.

    Examples
    --------
    >>> behind(np.array([0.0, 1.0]), np.array([2.0, 3.0]), np.ones(2))
    (2.0, 0.0)
    """
    difference = best - values
    error = _error(difference, weights)
    mean = float(weights @ difference / weights.sum())
    return mean, None if error is None else _QUANTILE * error


def is_out(values: F64, best: F64, weights: F64) -> bool:
    """Whether a call is surely worth less than the best one.

    Examples
    --------
    >>> one, other = np.zeros(20), np.ones(20)
    >>> is_out(one, other, np.ones(20)), is_out(one, one, np.ones(20))
    (True, False)
    """
    difference = best - values
    error = _error(difference, weights)
    mean = float(weights @ difference / weights.sum())
    return mean > _SURE * (inf if error is None else error)


def _error(values: F64, weights: F64) -> float | None:
    """Give the standard error of a weighted mean, small samples made up for."""
    used = int(np.count_nonzero(weights))
    if used < 2:
        return None
    share = weights / weights.sum()
    mean = share @ values
    return sqrt(float((share**2 @ (values - mean) ** 2) * used / (used - 1)))
