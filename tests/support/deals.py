"""Random deals as arrays."""

import numpy as np

from bidcascade.kernels import DealArrays
from bidcascade.kernels.dealing import deal_hands
from bidcascade.loaders.frames.trick_bounds import trick_bounds


def mixed_deals(count: int, seed: int) -> DealArrays:
    """Dealers and vulnerabilities by chance."""
    dealers, sides = np.random.default_rng(seed).integers(0, 4, (2, count), dtype=np.uint8)
    return DealArrays(deal_hands(seed, 0, count), dealers, sides)


def deals_in_turn(count: int, seed: int = 0) -> DealArrays:
    """Every dealer and vulnerability in turn."""
    every = np.arange(count)
    return DealArrays(
        deal_hands(seed, 0, count), (every % 4).astype(np.uint8), (every // 4 % 4).astype(np.uint8)
    )


def plain_deals(count: int, seed: int) -> DealArrays:
    """North deals, nobody is vulnerable."""
    zeros = np.zeros(count, np.uint8)
    return DealArrays(deal_hands(seed, 0, count), zeros, zeros)


def possible(tables: np.ndarray, hands: np.ndarray) -> np.ndarray:
    """Tables [n, 20] by chance, moved to where they do not contradict the deals [4, n]."""
    low, high = trick_bounds(hands)
    return np.clip(tables, low, high)
