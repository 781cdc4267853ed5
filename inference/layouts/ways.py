"""In how many ways a suit gives so many cards with so many points, and the spot cards behind them.

A suit's cards that are left to deal are a set of honours (A K Q J, which alone carry points) and a
number of spot cards; which spots they are does not matter to shape or points.
"""

from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

I64 = NDArray[np.int64]
U16 = NDArray[np.uint16]

SPOTS: Final = 9
"""Cards of a suit below the jack: 2 to T, bits 0-8 of a holding; the honours are bits 9-12."""
SUIT_POINTS: Final = 11
"""A suit carries 0 to 10 points."""

HONOUR_POINTS: Final[I64] = np.array(
    [sum(bit + 1 for bit in range(4) if honours >> bit & 1) for honours in range(16)], np.int64
)
"""Points of a set of honours, bit 0 the jack."""

HONOUR_COUNT: Final[I64] = np.array([honours.bit_count() for honours in range(16)], np.int64)

CHOOSE: Final[I64] = np.array(
    [[comb(total, part) for part in range(14)] for total in range(14)], np.int64
)
"""Binomial coefficients, int64[14, 14]."""


def _ways() -> I64:
    table = np.zeros((SPOTS + 1, 16, 14, SUIT_POINTS), np.int64)
    for spots in range(SPOTS + 1):
        for honours in range(16):
            for taken in range(16):
                if taken & ~honours:
                    continue
                for more in range(spots + 1):
                    cards = int(HONOUR_COUNT[taken]) + more
                    table[spots, honours, cards, HONOUR_POINTS[taken]] += comb(spots, more)
    return table


WAYS: Final = _ways()
"""Ways by number of spots left, set of honours left, cards drawn and points drawn: int64
[10, 16, 14, 11]."""


def _subsets() -> tuple[U16, I64]:
    """All subsets of 0-9 spots, by size within each number of spots, and where each size begins."""
    subsets: list[int] = []
    starts = np.zeros((SPOTS + 1, SPOTS + 2), np.int64)
    for spots in range(SPOTS + 1):
        for size in range(SPOTS + 2):
            starts[spots, size] = len(subsets)
            subsets += [one for one in range(1 << spots) if one.bit_count() == size]
    return np.array(subsets, np.uint16), starts


SUBSETS, SUBSET_STARTS = _subsets()
"""Subset number ``SUBSET_STARTS[spots, size] + i`` is the i-th of ``size`` among ``spots`` spots,
a bit for each spot that is left, lowest first."""
