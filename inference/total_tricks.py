"""Tricks without a solver: the law of total tricks, corrected by combined points.

The law (J.-R. Vernes, The Bridge World, June 1969): there are as many tricks in all as both sides
have trumps. With half the points a side takes as many tricks as it has trumps; more points take
more. Against double dummy on 120 random deals the estimate was off by 1.15 tricks (standard
deviation) in suits and 1.35 in notrump; the slopes are those of a least-squares fit there, rounded.
"""

from functools import cache
from math import erf, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import Contract, score
from bidcascade.kernels.types import U64

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

HALF_THE_POINTS: Final = 20
SUIT_SLOPE: Final = 0.37
"""Tricks for each high-card point above half of them."""
NOTRUMP_SLOPE: Final = 0.5
NOTRUMP_BASE: Final = 6.0
"""Tricks of the declarer in notrump with half the points: the defenders lead."""
SUIT_ERROR: Final = 1.15
NOTRUMP_ERROR: Final = 1.35

_NOTRUMP: Final = 4
_HONOURS: Final = ((12, 4), (11, 3), (10, 2), (9, 1))


def estimated_tricks(hands: U64, strain: int, declarer: int) -> F64:
    """Tricks that a declarer may expect, float64 [n]."""
    ours = hands[declarer] | hands[(declarer + 2) % 4]
    points = np.zeros(hands.shape[1], np.int64)
    for suit in range(4):
        for rank, worth in _HONOURS:
            points += worth * (ours >> np.uint64(13 * suit + rank) & np.uint64(1)).astype(np.int64)
    above = points - HALF_THE_POINTS
    if strain == _NOTRUMP:
        found = NOTRUMP_BASE + NOTRUMP_SLOPE * above
    else:
        suit_cards = ours >> np.uint64(13 * strain) & np.uint64(0x1FFF)
        found = np.bitwise_count(suit_cards).astype(np.int64) + SUIT_SLOPE * above
    return np.clip(found, 0.0, 13.0)


def estimated_scores(hands: U64, contract: Contract, *, vulnerable: bool) -> F64:
    """Score that declarer's side may expect in a contract, float64 [n].

    The mean over the tricks that are likely around the estimate.
    """
    tricks = estimated_tricks(hands, contract.strain, contract.declarer)
    error = NOTRUMP_ERROR if contract.strain == _NOTRUMP else SUIT_ERROR
    points = np.array([score(contract, taken, vulnerable=vulnerable) for taken in range(14)])
    steps = np.round(tricks * _STEPS).astype(np.int64)
    means: F64 = np.array([_chances(step, error) @ points for step in range(13 * _STEPS + 1)])
    return means[steps]


_STEPS: Final = 8
"""Estimates are rounded to such a part of a trick."""


@cache
def _chances(step: int, error: float) -> F64:
    """Chance of each number of tricks, 0-13, around an estimate in steps."""
    mean = step / _STEPS
    below = [0.5 + 0.5 * erf((taken + 0.5 - mean) / (error * sqrt(2))) for taken in range(13)]
    return np.diff(np.array([0.0, *below, 1.0]))
