"""Means over layouts by weight, and how far the sample leaves them open."""

import numpy as np

from bidcascade.kernels.types import F64

from .quantiles import quantile


def weighted_mean(values: F64, weights: F64) -> F64:
    """Mean of each column of values [n, k] by weights [n]; of values [n] one number.

    Examples
    --------
    >>> weighted_mean(np.array([[1.0], [4.0]]), np.array([2.0, 1.0])).tolist()
    [2.0]
    """
    mean: F64 = weights @ values / weights.sum()
    return mean


def margins(values: F64, weights: F64) -> F64 | None:
    """Half the width of the interval of 95 % of each mean; None from fewer than two values.

    Examples
    --------
    >>> margins(np.array([[1.0], [3.0]]), np.ones(2)).round(2).tolist()
    [12.71]
    """
    used = int((weights > 0).sum())
    if used < 2:
        return None
    share = weights / weights.sum()
    deviations = values - share @ values
    # for equal weights it is the sample variance over n
    variance = (share**2) @ deviations**2 * used / (used - 1)
    found: F64 = quantile(used - 1) * np.sqrt(variance)
    return found
