"""Uniform random deals, numbered: deal ``i`` of a seed is the same however it is asked for.

Random words: SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
2014), started at a mixed seed. Deal ``i`` reads the stream from word ``32 * i`` on, so chunks
and threads do not matter and no two deals of a seed share words.

Random places: four draws come from one 32-bit half of a word, without bias: Brackett-Rozinsky,
Lemire: Batched ranged random integer generation, 2024, which is Lemire's rejection (Fast random
integer generation in an interval, 2019) with the product of the ranges. They are the steps of a
Fisher-Yates shuffle (Knuth, The Art of Computer Programming 2, algorithm 3.4.2 P) of 52 cards,
stopped after 39: North gets the first thirteen, then East, South; West gets the rest.

The core deals (``core/dealing.hpp``); where there is none, the definition does.
"""

import numpy as np
from numpy.typing import NDArray

from .core.functions import deal, has_core
from .machine.threads import in_blocks
from .types import U64

SEED_LIMIT = 1 << 64
DEAL_LIMIT = 1 << 58
"""Deals are numbered from 0 to below this for every seed."""

WORDS_PER_DEAL = 32
GAMMA = 0x9E3779B97F4A7C15
MIX_1 = 0xBF58476D1CE4E5B9
MIX_2 = 0x94D049BB133111EB
_WORD = (1 << 64) - 1
_HALF = (1 << 32) - 1
_DRAWN = 39

BATCHES = tuple(
    tuple(range(52 - first, 52 - min(first + 4, _DRAWN), -1)) for first in range(0, _DRAWN, 4)
)
"""Ranges of the draws that share one half word: (52, 51, 50, 49), … (16, 15, 14)."""

_DEALS_AT_ONCE = 1 << 16


def deal_hands(seed: int, first: int, count: int) -> NDArray[np.uint64]:
    """Deal the deals ``first`` to ``first + count - 1`` of a seed.

    Parameters
    ----------
    seed : int
        0 to ``2**64 - 1``.
    first : int
        Number of the first deal, from 0.
    count : int
        How many deals.

    Returns
    -------
    U64[4, count]
        Hand masks of North, East, South and West.

    Raises
    ------
    ValueError
        If the seed or a number is out of range.
    """
    check_range(seed, first, count)
    if not has_core():
        numbers = range(first, first + count)
        dealt = np.array([deal_hands_reference(seed, number) for number in numbers], np.uint64)
        return np.ascontiguousarray(dealt.reshape(count, 4).T)
    hands = np.empty((4, count), np.uint64)
    start = mixed(seed)

    def some(begin: int) -> None:
        deal(start, first, begin, min(begin + _DEALS_AT_ONCE, count), hands)

    in_blocks(some, range(0, count, _DEALS_AT_ONCE))
    return hands


def deal_hands_reference(seed: int, number: int) -> tuple[int, int, int, int]:
    """Deal one deal of a seed, in plain Python: the definition of :func:`deal_hands`."""
    check_range(seed, number, 1)
    state = mixed(seed) + number * WORDS_PER_DEAL * GAMMA
    halves: list[int] = []
    cards = list(range(52))
    place = 0
    for batch in BATCHES:
        product = int(np.prod(batch))
        while True:
            if not halves:
                state += GAMMA
                word = mixed(state & _WORD)
                halves = [word >> 32, word & _HALF]
            draw, remainder = divmod(halves.pop() * product, 1 << 32)
            if remainder >= (1 << 32) % product:
                break
        # the draw is a number in mixed radix: one digit a step
        for size in batch:
            product //= size
            step, draw = divmod(draw, product)
            cards[place], cards[place + step] = cards[place + step], cards[place]
            place += 1
    north, east, south, west = (
        sum(1 << card for card in cards[start : start + 13]) for start in range(0, 52, 13)
    )
    return north, east, south, west


def mixed(word: int) -> int:
    """Output function of SplitMix64; the stream of a seed starts at the seed's."""
    word = (word ^ word >> 30) * MIX_1 & _WORD
    word = (word ^ word >> 27) * MIX_2 & _WORD
    return word ^ word >> 31


def mixed_words(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Output function of SplitMix64 of many words."""
    words = (words ^ words >> np.uint64(30)) * np.uint64(MIX_1)
    words = (words ^ words >> np.uint64(27)) * np.uint64(MIX_2)
    return words ^ words >> np.uint64(31)


def check_range(seed: int, first: int, count: int) -> None:
    """Check that a seed and the deals asked for exist.

    Raises
    ------
    ValueError
        If not.
    """
    if not 0 <= seed < SEED_LIMIT:
        raise ValueError(f"expected a seed from 0 to 2**64 - 1, got {seed!r}")
    if count < 0:
        raise ValueError(f"expected a count of deals from 0 on, got {count!r}")
    if not 0 <= first <= DEAL_LIMIT - count:
        raise ValueError(
            f"expected deal numbers from 0 to below 2**58, got {count!r} from {first!r} on"
        )


def deal_hashes(hands: U64) -> U64:
    """Hashes of deals, uint64 [n] below 2**32: to choose a part that stays the same.

    Parameters
    ----------
    hands : uint64 [4, n]
        West's hand follows from the others.

    Examples
    --------
    >>> (deal_hashes(deal_hands(1, 0, 1000)) < 1 << 31).sum().item()
    479
    """
    factor = np.uint64(GAMMA)
    mixed = (hands[0] * factor ^ hands[1]) * factor ^ hands[2]
    # the upper half of a product is the one that is mixed
    found: U64 = mixed * factor >> np.uint64(32)
    return found
