"""Hands drawn uniformly from the cards that are left, within shapes and points; compiled by numba.

A hand is drawn exactly: first its shape and points by the number of hands that have them, then how
the points split between minors and majors and between suits, then the honours, then the spots.
Random words are those of :mod:`bidcascade.kernels.dealing` (SplitMix64); every proposal reads a
stream of its own, so chunks and threads do not matter.
"""

from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from bidcascade.inference.layouts.ways import (
    CHOOSE,
    HONOUR_COUNT,
    HONOUR_POINTS,
    SUBSET_STARTS,
    SUBSETS,
    WAYS,
)
from bidcascade.kernels.dealing import GAMMA, MIX_1, MIX_2

U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]

WORDS_PER_PROPOSAL: Final = 256
"""Random words between the streams of two proposals; one needs about sixty."""
HALF_POINTS: Final = 21
"""Two suits carry 0 to 20 points."""

_ONE = np.uint64(1)
_HOLDING = np.uint64(0x1FFF)


@njit(cache=True, nogil=True, inline="always")
def count_bits(word: Any) -> Any:
    """Count the bits of a word."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True, nogil=True, inline="always")
def next_word(stream: U64) -> Any:
    """Next random word of a stream (its state is element 0)."""
    state = stream[0] + np.uint64(GAMMA)
    stream[0] = state
    word = (state ^ (state >> np.uint64(30))) * np.uint64(MIX_1)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(MIX_2)
    return word ^ (word >> np.uint64(31))


@njit(cache=True, nogil=True)
def below(stream: U64, limit: Any) -> Any:
    """Uniform number from 0 to below a limit, without bias."""
    size = np.uint64(limit)
    last = np.uint64(0) - size
    while True:
        word = next_word(stream)
        found = word % size
        if word - found <= last:
            return np.int64(found)


@njit(cache=True, nogil=True, inline="always")
def shape_index(hand: Any) -> Any:
    """Give the number of a shape: clubs + 14 diamonds + 196 hearts (its size gives the spades)."""
    clubs = count_bits(hand & _HOLDING)
    diamonds = count_bits((hand >> np.uint64(13)) & _HOLDING)
    hearts = count_bits((hand >> np.uint64(26)) & _HOLDING)
    return clubs + 14 * diamonds + 196 * hearts


@njit(cache=True, nogil=True, inline="always")
def points_of(hand: Any) -> Any:
    """High card points of a set of cards."""
    jacks = np.uint64(0x1000800400200)
    return (
        count_bits(hand & jacks)
        + 2 * count_bits(hand & (jacks << np.uint64(1)))
        + 3 * count_bits(hand & (jacks << np.uint64(2)))
        + 4 * count_bits(hand & (jacks << np.uint64(3)))
    )


@njit(cache=True, nogil=True)
def suit_ways(cards: np.uint64, ways: I64) -> None:
    """Fill ``ways`` [4, 14, 11]: per suit of some cards, the ways to draw k cards with p points."""
    for suit in range(4):
        holding = np.int64((cards >> np.uint64(13 * suit)) & _HOLDING)
        spots = count_bits(np.uint64(holding & 0x1FF))
        honours = holding >> 9
        for length in range(14):
            for points in range(11):
                ways[suit, length, points] = WAYS[spots, honours, length, points]


@njit(cache=True, nogil=True)
def half_ways(first: I64, second: I64, lengths: I64, out: I64) -> None:
    """Fill ``out`` [14, 14, 21]: ways to draw from two suits, where ``lengths`` [14, 14] asks."""
    for one in range(14):
        for two in range(14 - one):
            if not lengths[one, two]:
                continue
            for points in range(21):
                out[one, two, points] = 0
            for left in range(11):
                count = first[one, left]
                if count:
                    for right in range(11):
                        out[one, two, left + right] += count * second[two, right]


@njit(cache=True, nogil=True)
def draw_suit(stream: U64, holding: Any, length: Any, points: Any) -> Any:
    """Uniform set of so many cards with so many points from a holding that has one."""
    spots = count_bits(np.uint64(holding & 0x1FF))
    honours = holding >> 9
    total = WAYS[spots, honours, length, points]
    turn = below(stream, total) if total > 1 else 0
    taken = 0
    while True:
        if (taken & ~honours) == 0 and HONOUR_POINTS[taken] == points:
            more = length - HONOUR_COUNT[taken]
            if 0 <= more <= spots:
                ways = CHOOSE[spots, more]
                if turn < ways:
                    break
                turn -= ways
        taken += 1
    subset = np.int64(SUBSETS[SUBSET_STARTS[spots, more] + turn])
    found = taken << 9
    left = holding & 0x1FF
    while subset:
        low = left & -left
        if subset & 1:
            found |= low
        left ^= low
        subset >>= 1
    return found


@njit(cache=True, nogil=True)
def draw_two_suits(
    stream: U64, first: Any, second: Any, one: Any, two: Any, points: Any, ways: I64, suit: int
) -> np.uint64:
    """Draw two neighbouring suits, ``suit`` the lower, with given lengths and points."""
    total = 0
    for left in range(max(0, points - 10), min(points, 10) + 1):
        total += ways[suit, one, left] * ways[suit + 1, two, points - left]
    turn = below(stream, total) if total > 1 else 0
    left = max(0, points - 10)
    while True:
        count = ways[suit, one, left] * ways[suit + 1, two, points - left]
        if turn < count:
            break
        turn -= count
        left += 1
    lower = draw_suit(stream, first, one, left)
    upper = draw_suit(stream, second, two, points - left)
    return (np.uint64(lower) | (np.uint64(upper) << np.uint64(13))) << np.uint64(13 * suit)


@njit(cache=True, nogil=True)
def draw_from_cell(
    stream: U64,
    cards: np.uint64,
    lengths: I64,
    points: int,
    ways: I64,
    minors: I64,
    majors: I64,
) -> np.uint64:
    """Uniform hand with given lengths [4] and points from some cards (which have such a hand)."""
    low = minors[lengths[0], lengths[1]]
    high = majors[lengths[2], lengths[3]]
    total = 0
    for left in range(max(0, points - 20), min(points, 20) + 1):
        total += low[left] * high[points - left]
    turn = below(stream, total) if total > 1 else 0
    left = max(0, points - 20)
    while True:
        count = low[left] * high[points - left]
        if turn < count:
            break
        turn -= count
        left += 1
    holdings = [np.int64((cards >> np.uint64(13 * suit)) & _HOLDING) for suit in range(4)]
    return draw_two_suits(
        stream, holdings[0], holdings[1], lengths[0], lengths[1], left, ways, 0
    ) | draw_two_suits(
        stream, holdings[2], holdings[3], lengths[2], lengths[3], points - left, ways, 2
    )


@njit(cache=True, nogil=True)
def draw_uniform(stream: U64, cards: np.uint64, count: int, places: Any) -> np.uint64:
    """Uniform set of so many of some cards; ``places`` is scratch for 52 of them."""
    size = 0
    left = cards
    while left:
        low = left & (~left + _ONE)
        places[size] = low
        size += 1
        left ^= low
    # the smaller of the two parts is drawn
    drawn = min(count, size - count)
    found = np.uint64(0)
    half = np.uint64(0xFFFFFFFF)
    by_half = np.uint64(32)
    word = np.uint64(0)
    fresh = False
    for place in range(drawn):
        limit = np.uint64(size - place)
        while True:
            if fresh:
                bits = word >> by_half
            else:
                word = next_word(stream)
                bits = word & half
            fresh = not fresh
            product = bits * limit
            rest = product & half
            if rest >= limit or rest >= (half - limit + _ONE) % limit:
                break
        chosen = place + np.int64(product >> by_half)
        card = places[chosen]
        places[chosen] = places[place]
        found |= card
    return found if drawn == count else cards ^ found
