"""Plain ways to find layouts and to compare samples, for the tests of the sampler."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.types import F64, U64


def all_layouts(deck: int, sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every way to deal a small deck to hands of given sizes."""
    if not sizes:
        yield ()
        return
    cards = [1 << bit for bit in range(52) if deck >> bit & 1]
    for chosen in combinations(cards, sizes[0]):
        hand = sum(chosen)
        for rest in all_layouts(deck & ~hand, sizes[1:]):
            yield (hand, *rest)


def points(hand: int) -> int:
    """High card points of a hand."""
    return sum(
        (rank + 1) * (hand >> 13 * suit + 9 + rank & 1) for suit in range(4) for rank in range(4)
    )


def lengths(hand: int) -> tuple[int, int, int, int]:
    """Clubs, diamonds, hearts, spades."""
    clubs, diamonds, hearts, spades = (
        (hand >> 13 * suit & 0x1FFF).bit_count() for suit in range(4)
    )
    return clubs, diamonds, hearts, spades


def allowed_table(
    size: int, fits: Callable[[tuple[int, int, int, int], int], bool] = lambda shape, points: True
) -> U64:
    """Allowed points by numbered shape, for hands of a size, from a predicate."""
    table = np.zeros(14**3, np.uint64)
    for clubs in range(size + 1):
        for diamonds in range(size + 1 - clubs):
            for hearts in range(size + 1 - clubs - diamonds):
                shape = (clubs, diamonds, hearts, size - clubs - diamonds - hearts)
                bits = sum(1 << value for value in range(38) if fits(shape, value))
                table[clubs + 14 * diamonds + 196 * hearts] = bits
    return table


def deal_at_random(cards: int, hands: int, count: int, seed: int) -> U64:
    """Deal some cards evenly by sorting random numbers, uint64[hands, count]."""
    bits = np.array([1 << bit for bit in range(52) if cards >> bit & 1], np.uint64)
    order = np.argsort(np.random.default_rng(seed).random((count, len(bits))), axis=1)
    size = len(bits) // hands
    dealt = bits[order].reshape(count, hands, size)
    return np.ascontiguousarray(np.bitwise_or.reduce(dealt, axis=2).T)


def suit_lengths(hands: U64) -> NDArray[np.int64]:
    """Lengths of many hands, int64[4, n]."""
    return np.stack(
        [np.bitwise_count(hands >> np.uint64(13 * suit) & np.uint64(0x1FFF)) for suit in range(4)]
    ).astype(np.int64)


def hand_points(hands: U64) -> NDArray[np.int64]:
    """High card points of many hands."""
    total = np.zeros(hands.shape, np.int64)
    for suit in range(4):
        for rank in range(4):
            bit = hands >> np.uint64(13 * suit + 9 + rank) & np.uint64(1)
            total += (rank + 1) * bit.astype(np.int64)
    return total


def differs(
    first: NDArray[np.int64], second: NDArray[np.int64], weights: F64 | None = None
) -> float:
    """How far two samples of categories are apart: chi-square in standard deviations.

    ``weights`` are those of the first sample. Categories with few members are joined. Of samples
    from one distribution the result is about normal; above 5 it is no chance.
    """
    weights = np.ones(len(first)) if weights is None else weights
    top = int(max(first.max(initial=0), second.max(initial=0))) + 1
    one = np.bincount(first, weights, top)
    squares = np.bincount(first, weights**2, top)
    two = np.bincount(second, minlength=top).astype(float)
    order = np.argsort(-two, kind="stable")
    one, two, squares = one[order], two[order], squares[order]
    large = two >= 20
    tail = ~large
    one, two, squares = (np.append(part[large], part[tail].sum()) for part in (one, two, squares))
    if two[-1] == 0 and one[-1] == 0:
        one, two, squares = one[:-1], two[:-1], squares[:-1]
    n, m = one.sum(), two.sum()
    share = (one + two) / (n + m)
    # what weights add to the variance of a sum of them
    design = squares.sum() / n
    variance = share * (design / n + 1 / m)
    used = variance > 0
    statistic = float((((one / n - two / m) ** 2)[used] / variance[used]).sum())
    free = int(used.sum()) - 1
    return (statistic - free) / float(np.sqrt(2 * max(free, 1)))
