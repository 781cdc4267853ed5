"""How wide an interval of 95 % is, in standard errors."""

import math
from typing import Final

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
