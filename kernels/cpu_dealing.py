"""Random deals compiled by numba; what they are says ``dealing``."""

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import FULL_DECK

from .compiled import compiled
from .dealing import GAMMA, MIX_1, MIX_2, WORDS_PER_DEAL

_HALF = (1 << 32) - 1


@compiled(inline="always")
def _mix(word: np.uint64) -> np.uint64:
    word = (word ^ (word >> np.uint64(30))) * np.uint64(MIX_1)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(MIX_2)
    return word ^ (word >> np.uint64(31))


@compiled
def deal_block(
    start: np.uint64,
    first: np.uint64,
    hands: NDArray[np.uint64],
    products: NDArray[np.uint64],
    thresholds: NDArray[np.uint64],
) -> None:
    """Fill ``hands``, U64[4, n], with the deals from number ``first`` on."""
    half = np.uint64(_HALF)
    by_half = np.uint64(32)
    one = np.uint64(1)
    places = np.empty(52, np.uint8)
    draws = np.empty(4, np.uint8)
    masks = np.empty(4, np.uint64)
    for deal in range(hands.shape[1]):
        state = start + (first + np.uint64(deal)) * np.uint64(WORDS_PER_DEAL) * np.uint64(GAMMA)
        word = np.uint64(0)
        fresh = False
        for card in range(52):
            places[card] = card
        masks[:] = 0
        place = 0
        seat = 0
        in_hand = 0
        for batch in range(products.size):
            size = min(4, 39 - place)
            while True:
                if fresh:
                    bits = word >> by_half
                else:
                    state += np.uint64(GAMMA)
                    word = _mix(state)
                    bits = word & half
                fresh = not fresh
                for number in range(size):
                    product = bits * np.uint64(52 - place - number)
                    draws[number] = product >> by_half
                    bits = product & half
                if bits >= thresholds[batch]:
                    break
            for number in range(size):
                chosen = place + draws[number]
                card = places[chosen]
                places[chosen] = places[place]
                place += 1
                masks[seat] |= one << np.uint64(card)
                in_hand += 1
                if in_hand == 13:
                    in_hand = 0
                    seat += 1
        hands[0, deal] = masks[0]
        hands[1, deal] = masks[1]
        hands[2, deal] = masks[2]
        hands[3, deal] = np.uint64(FULL_DECK) ^ masks[0] ^ masks[1] ^ masks[2]
