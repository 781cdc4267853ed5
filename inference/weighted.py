"""Means over layouts by weight, and how far the sample leaves them open."""

import numpy as np

from bidcascade.kernels.types import F64, I64, Bools

from .quantiles import quantile


def weighted_sum(values: F64 | I64 | Bools, weights: F64) -> F64:
    """Sum of each column of values [n, k] by weights [n]; of values [n] one number.

    A product of matrices would add in the order that suits the processor: a mean of 2.85 over
    twenty layouts was printed as 2.8 on one and 2.9 on another.

    Examples
    --------
    >>> weighted_sum(np.array([[1, 2], [4, 0]]), np.array([0.5, 0.25])).tolist()
    [1.5, 1.0]
    """
    found: F64 = (values.T * weights).T.sum(axis=0)
    return found


def weighted_mean(values: F64 | I64 | Bools, weights: F64) -> F64:
    """Mean of each column of values [n, k] by weights [n]; of values [n] one number.

    Examples
    --------
    >>> weighted_mean(np.array([[1.0], [4.0]]), np.array([2.0, 1.0])).tolist()
    [2.0]
    """
    mean: F64 = weighted_sum(values, weights) / weights.sum()
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
    deviations = values - weighted_sum(values, share)
    # for equal weights it is the sample variance over n
    variance = weighted_sum(deviations**2, share**2) * used / (used - 1)
    found: F64 = quantile(used - 1) * np.sqrt(variance)
    return found
