"""The deals that are measured: random ones by seed, dealers and vulnerabilities in turn."""

import importlib.util

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels import DealArrays

_AT_ONCE = 1 << 16


def random_deals(count: int, *, seed: int = 1) -> DealArrays:
    """Deal by the project's own generator; where numba is missing, by NumPy's (other deals)."""
    if importlib.util.find_spec("numba") is None:
        hands = numpy_hands(count, seed)
    else:
        from bidcascade.kernels.dealing import deal_hands

        hands = deal_hands(seed, 0, count)
    numbers = np.arange(count)
    return DealArrays(hands, (numbers % 4).astype(np.uint8), (numbers // 4 % 4).astype(np.uint8))


def numpy_hands(count: int, seed: int) -> NDArray[np.uint64]:
    """Deal with NumPy alone: sort random keys, thirteen cards to each hand (uint64 [4, n])."""
    rng = np.random.default_rng(seed)
    hands = np.empty((4, count), np.uint64)
    for start in range(0, count, _AT_ONCE):
        stop = min(start + _AT_ONCE, count)
        cards = np.argsort(rng.random((stop - start, 52), dtype=np.float32), axis=1)
        bits = np.uint64(1) << cards.astype(np.uint64)
        hands[:, start:stop] = bits.reshape(-1, 4, 13).sum(axis=2, dtype=np.uint64).T
    return hands
