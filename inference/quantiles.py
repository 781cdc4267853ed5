"""How wide an interval of 95 % is, in standard errors."""

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from bidcascade.kernels.types import F64

NORMAL: Final = 1.959964
"""Of the normal distribution, for an interval to both sides."""
_FEW_DEGREES: Final = (math.nan, 12.706205, 4.302653)


def quantile(degrees: int) -> float:
    """How many standard errors an interval of 95 % reaches to either side (Student's t).

    For three degrees of freedom and more it is the expansion 26.7.5 of Abramowitz and Stegun:
    Handbook of Mathematical Functions, 1964; right to a thousandth.

    Examples
    --------
    >>> [round(quantile(degrees), 2) for degrees in (1, 5, 100)]
    [12.71, 2.57, 1.98]
    """
    if degrees < len(_FEW_DEGREES):
        return _FEW_DEGREES[degrees]
    x = NORMAL
    terms = (
        x,
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
    return math.fsum(term / degrees**power for power, term in enumerate(terms))


def wilson_interval(hits: ArrayLike, trials: ArrayLike) -> tuple[F64, F64]:
    """Score interval of Wilson, of 95 %, for shares (E. B. Wilson, J. Am. Stat. Assoc. 22, 1927).

    Three deals of three do not beat nine hundred of a thousand.

    Parameters
    ----------
    hits, trials : int arrays [n]
        No trials give the whole interval from 0 to 1.

    Returns
    -------
    tuple of float64 [n]
        Lower and upper ends.
    """
    z = 1.959963984540054
    found, size = np.asarray(hits, np.float64), np.asarray(trials, np.float64)
    count = np.maximum(size, 1.0)
    share = found / count
    centre = share + z * z / (2 * count)
    reach = z * np.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    # rounding must not push an end beyond what can be
    low = np.where(found > 0, np.clip((centre - reach) / scale, 0, 1), 0.0)
    high = np.where(found < size, np.clip((centre + reach) / scale, 0, 1), 1.0)
    return low, high
