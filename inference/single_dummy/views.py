"""Layouts of the cards that a player does not see: all of them, or a sample.

A sample gives every card a random number for each layout and deals the unseen cards in the order of
these numbers. Players who miss nearly the same cards then imagine nearly the same layouts (common
random numbers), so that a difference between two hands is not one of luck.
"""

from functools import lru_cache
from math import factorial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import InvalidDeal, cards_of
from bidcascade.kernels.types import U8, U64

from .position import Masks, View, four

MOST_LAYOUTS: Final = 50_000
"""Layouts of one view that are written out at most."""
_MOST_DRAWS: Final = 200
"""Draws for each layout wanted, where cards that a hand cannot have spoil most of them."""


def layout_count(view: View) -> int:
    """How many layouts a view leaves, those counted too that denied cards rule out."""
    view = settled(view)
    count = factorial(sum(view.lacking))
    for lacking in view.lacking:
        count //= factorial(lacking)
    return count


def settled(view: View) -> View:
    """Put cards where they must be: those that all hands but one cannot have.

    Raises
    ------
    InvalidDeal
        If no layout is left.

    Examples
    --------
    >>> settled(View((0, 0, 0, 0), (1, 1, 0, 0), 0b11, (0b01, 0, 0, 0))).known
    (2, 1, 0, 0)
    """
    known, lacking, unseen = list(view.known), list(view.lacking), view.unseen
    while unseen:
        placed = False
        for card in cards_of(unseen):
            bit = 1 << card
            homes = [seat for seat in range(4) if lacking[seat] and not view.denied[seat] & bit]
            if not homes:
                raise InvalidDeal("expected a hand for every unseen card, got one that fits none")
            if len(homes) == 1:
                known[homes[0]] |= bit
                lacking[homes[0]] -= 1
                unseen ^= bit
                placed = True
                break
        if not placed:
            break
    return View(four(known), four(lacking), unseen, four([mask & unseen for mask in view.denied]))


def all_layouts(view: View) -> U64:
    """Every layout of a view, in a fixed order.

    Returns
    -------
    uint64 [4, n]
        Hands by compass seat.

    Raises
    ------
    InvalidDeal
        If there is none, or more than :data:`MOST_LAYOUTS`.
    """
    view = settled(view)
    count = layout_count(view)
    if count > MOST_LAYOUTS:
        raise InvalidDeal(
            f"expected at most {MOST_LAYOUTS} layouts to be written out, got {count}: "
            "ask for a sample"
        )
    hands = _dealt(view, _patterns(view.lacking))
    if not hands.shape[1]:
        raise InvalidDeal("expected a layout, got none: the cards denied leave no room")
    return hands


def sampled_layouts(view: View, keys: NDArray[np.float64], count: int) -> U64:
    """Layouts at random, from random numbers of the cards.

    Parameters
    ----------
    view : View
    keys : float64 [m, 52]
        Random numbers; :func:`card_keys` makes them. Rows beyond ``count`` replace layouts that
        break a rule.
    count : int

    Returns
    -------
    uint64 [4, n]
        At most ``count`` layouts.

    Raises
    ------
    InvalidDeal
        If not one of the rows gives a layout.
    """
    view = settled(view)
    cards = np.array(list(cards_of(view.unseen)), np.intp)
    order = np.argsort(keys[:, cards], axis=1)
    seats = np.repeat(np.arange(4, dtype=np.uint8), view.lacking)
    pattern = np.empty((len(keys), len(cards)), np.uint8)
    np.put_along_axis(pattern, order, seats[np.newaxis, :], axis=1)
    hands = _dealt(view, pattern)[:, :count]
    if not hands.shape[1]:
        raise InvalidDeal(f"expected a layout, got none in {len(keys)} draws")
    return hands


def card_keys(seed: int, count: int, *, stream: int = 0) -> NDArray[np.float64]:
    """Random numbers of 52 cards for each of some layouts; the same for the same seed."""
    generator = np.random.Generator(np.random.Philox(key=(seed, stream)))
    return generator.random((count, 52))


def rows_wanted(view: View, count: int) -> int:
    """How many rows of random numbers a sample of ``count`` layouts needs."""
    return count * _MOST_DRAWS if any(settled(view).denied) else count


@lru_cache(maxsize=64)
def _patterns(lacking: Masks) -> U8:
    """Seat of each unseen card in every layout, uint8 [layouts, cards]."""
    total = sum(lacking)
    rows: list[list[int]] = [[]]
    left: list[list[int]] = [list(lacking)]
    for _ in range(total):
        longer, remaining = [], []
        for row, rest in zip(rows, left, strict=True):
            for seat in range(4):
                if rest[seat]:
                    longer.append([*row, seat])
                    remaining.append([*rest[:seat], rest[seat] - 1, *rest[seat + 1 :]])
        rows, left = longer, remaining
    return np.array(rows, np.uint8).reshape(len(rows), total)


def _dealt(view: View, pattern: U8) -> U64:
    """Hands of layouts that break no rule."""
    bits = np.array([1 << card for card in cards_of(view.unseen)], np.uint64)
    hands = np.empty((4, len(pattern)), np.uint64)
    good = np.ones(len(pattern), np.bool_)
    for seat in range(4):
        dealt = np.where(pattern == seat, bits, np.uint64(0)).sum(axis=1, dtype=np.uint64)
        hands[seat] = dealt | np.uint64(view.known[seat])
        good &= dealt & np.uint64(view.denied[seat]) == 0
    return np.ascontiguousarray(hands[:, good])
