"""What deals may be asked to meet, as sums over their cards, shapes and points, and holdings."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.dealing import deal_hands
from bidcascade.kernels.types import I64, U64
from bidcascade.systems.places.knowledge import LENGTHS

from .dealing import ANY_HAND

POINTS: Final[I64] = np.array([max(0, card % 13 - 8) for card in range(52)], np.int64)
IN_SUIT: Final[I64] = (np.arange(52) // 13 == np.arange(4)[:, np.newaxis]).astype(np.int64)
"""By suit, 1 for its cards, int64[4, 52]."""
_NUMBERS: Final[I64] = LENGTHS[:, :3] @ np.array([1, 14, 196])
"""Shape numbers, by shape."""
_SAMPLE_SEED: Final = 1
_SAMPLED: Final = 2048


class Total(NamedTuple):
    """A sum over the cards of a deal, by card and seat int64[52, 4], that lies in an interval."""

    weights: I64
    low: int
    high: int


class OfHand(NamedTuple):
    """Points (bits) that a seat may have with each shape, uint64[2744], numbered as in dealing."""

    seat: int
    allowed: U64

    @property
    def constrains_points(self) -> bool:
        """Whether points are bounded for some shape."""
        return bool((ANY_HAND & ~self.allowed)[self.allowed != 0].any() or self._is_of_few_cards)

    @property
    def constrains_shape(self) -> bool:
        """Whether shapes are bounded, for some points."""
        points = np.bitwise_or.reduce(self.allowed)
        return bool((ANY_HAND & points & ~self.allowed).any() or self._is_of_few_cards)

    @property
    def _is_of_few_cards(self) -> bool:
        return bool((self.allowed & ~ANY_HAND).any())

    @property
    def is_coupled(self) -> bool:
        """Whether points are bounded by shape; else each could be bounded alone."""
        if not (self.constrains_points and self.constrains_shape):
            return False
        points, shapes = (one.allowed for one in self.apart())
        return bool((points & shapes != self.allowed).any())

    def apart(self) -> tuple["OfHand", "OfHand"]:
        """Points and shapes, each for themselves: together they may allow more."""
        points = np.bitwise_or.reduce(self.allowed)
        return (
            OfHand(self.seat, ANY_HAND & points),
            OfHand(self.seat, np.where(self.allowed != 0, ANY_HAND, np.uint64(0))),
        )

    def plainly(self) -> tuple["DealConstraint", ...]:
        """Say the same by sums, as far as bounds of the points and of single lengths do."""
        if self.constrains_points and self.constrains_shape and not self.is_coupled:
            return tuple(part for one in self.apart() for part in one.plainly())
        if self.constrains_points and not self.constrains_shape:
            points = int(np.bitwise_or.reduce(self.allowed))
            low, high = (points & -points).bit_length() - 1, points.bit_length() - 1
            if points == (1 << high + 1) - (1 << low):
                return (self._sum(POINTS, low, high),)
        if self.constrains_shape and not self.constrains_points:
            return self._lengths() or (self,)
        return (self,)

    def _lengths(self) -> tuple["Total", ...]:
        """Bounds of as few lengths as say the same as the shapes; none if no bounds do."""
        used = ANY_HAND[_NUMBERS] != 0
        shapes = self.allowed[_NUMBERS] != 0
        bounds = [(int(one[shapes].min()), int(one[shapes].max())) for one in LENGTHS.T]

        def is_same(suits: Sequence[int]) -> bool:
            inside = used.copy()
            for suit in suits:
                inside &= (LENGTHS[:, suit] >= bounds[suit][0]) & (
                    LENGTHS[:, suit] <= bounds[suit][1]
                )
            return bool((inside == shapes).all())

        suits = list(range(4))
        if not is_same(suits):
            return ()
        for suit in range(4):
            if is_same([one for one in suits if one != suit]):
                suits.remove(suit)
        return tuple(self._sum(IN_SUIT[suit], *bounds[suit]) for suit in suits)

    def _sum(self, by_card: I64, low: int, high: int) -> "Total":
        weights = np.zeros((52, 4), np.int64)
        weights[:, self.seat] = by_card
        return Total(weights, low, high)


class Predicate(NamedTuple):
    """Any test of sums over the cards of a deal, each by card and seat int64[52, 4].

    ``holds`` takes the sums int64[sums, n] and gives bool[n].
    """

    sums: Sequence[I64]
    holds: Callable[[I64], NDArray[np.bool_]]


class OfHolding(NamedTuple):
    """What a table says of a seat's cards of one suit.

    ``codes`` int64[52] add up to a holding's place in ``values``: its high cards and its length.
    """

    seat: int
    suit: int
    codes: I64
    values: I64


class Tabled(NamedTuple):
    """A sum of what tables say of holdings, such as losers, that lies in an interval."""

    holdings: Sequence[OfHolding]
    low: int
    high: int


DealConstraint = Total | OfHand | Predicate | Tabled


def share_of(constraint: DealConstraint) -> float:
    """Share of some random deals that meet a condition."""
    held = _sample()
    if isinstance(constraint, OfHand):
        hand = held[constraint.seat]
        lengths = hand.reshape(-1, 4, 13).sum(axis=2)
        masks = constraint.allowed[lengths[:, :3] @ (1, 14, 196)]
        return float((masks >> (hand @ POINTS).astype(np.uint64) & np.uint64(1)).mean())
    if isinstance(constraint, Tabled):
        total = sum(part.values[held[part.seat] @ part.codes] for part in constraint.holdings)
        return float(np.mean((total >= constraint.low) & (total <= constraint.high)))
    if isinstance(constraint, Predicate):
        values = np.array([np.einsum("sdc,cs->d", held, one) for one in constraint.sums])
        return float(constraint.holds(values).mean())
    sums = np.einsum("sdc,cs->d", held, constraint.weights)
    return float(((sums >= constraint.low) & (sums <= constraint.high)).mean())


@cache
def _sample() -> I64:
    """Give some random deals, int64[4, n, 52]: 1 where the seat holds the card."""
    hands = deal_hands(_SAMPLE_SEED, 0, _SAMPLED)
    bits = hands[:, :, np.newaxis] >> np.arange(52, dtype=np.uint64) & np.uint64(1)
    return bits.astype(np.int64)
