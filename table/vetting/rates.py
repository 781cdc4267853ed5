"""Shares with their uncertainty: three deals of three do not beat nine hundred of a thousand."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Z_95 = 1.959963984540054
"""Quantile of the normal distribution for an interval of 95 %."""

F64 = NDArray[np.float64]


def wilson_interval(hits: ArrayLike, trials: ArrayLike, z: float = Z_95) -> tuple[F64, F64]:
    """Score interval of Wilson for shares (E. B. Wilson, J. Am. Stat. Assoc. 22, 1927).

    Parameters
    ----------
    hits, trials : int arrays [n]
        No trials give the whole interval from 0 to 1.
    z : float
        Quantile of the normal distribution.

    Returns
    -------
    tuple of float64 [n]
        Lower and upper ends.

    Examples
    --------
    >>> low, high = wilson_interval([3, 900, 0], [3, 1000, 0])
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.439, 0.88, 0.0], [1.0, 0.917, 1.0])
    """
    found = np.asarray(hits, np.float64)
    size = np.asarray(trials, np.float64)
    some = size > 0
    count = np.where(some, size, 1.0)
    share = found / count
    centre = share + z * z / (2 * count)
    reach = z * np.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    # rounding must not push an end beyond what can be
    low = np.where(some & (found > 0), np.clip((centre - reach) / scale, 0, 1), 0.0)
    high = np.where(some & (found < size), np.clip((centre + reach) / scale, 0, 1), 1.0)
    return low, high
