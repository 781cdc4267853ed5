"""What layouts say of one hand: points, lengths, shapes, cards, stoppers, keycards."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from bidcascade.bridge import RANKS, SUITS, ShownAnswer
from bidcascade.kernels import DealArrays
from bidcascade.kernels.types import F64, I64, U64
from bidcascade.table import Vocabulary
from bidcascade.table.term_values import term_values

from .layouts.result import Layouts
from .weighted import weighted_sum

MOST_POINTS: Final = 37
_SHAPES_SHOWN: Final = 8
_HONOURS: Final = "AKQJT"


@dataclass(frozen=True, slots=True, repr=False)
class HandPicture(ShownAnswer):
    """One hand over many layouts.

    Parameters
    ----------
    points
        Chance of 0, 1, … 37 high card points.
    mean_points
        Their mean.
    points_range, length_ranges
        Least and most that came up: points, and cards by suit letter.
    lengths
        By suit letter, the chance of 0, 1, … 13 cards.
    mean_lengths
        By suit letter.
    shapes
        Commonest exact shapes, spades first (``5=3=3=2``), with their chance.
    cards
        Chance of every card, by name (``SA`` … ``C2``).
    stoppers
        By suit letter, the chance of a stopper (term ``Stopper_x``).
    keycards
        Chance of 0, 1, … 5 keycards of the agreed suit; None where none is agreed.

    Examples
    --------
    >>> picture = picture_of(np.array([0x1FFF], np.uint64), np.ones(1))
    >>> picture.mean_points, picture.shapes[0], picture.cards["CA"], picture.lengths["C"][13]
    (10.0, ('0=0=0=13', 1.0), 1.0, 1.0)
    """

    points: tuple[float, ...]
    mean_points: float
    points_range: tuple[int, int]
    lengths: Mapping[str, tuple[float, ...]]
    mean_lengths: Mapping[str, float]
    length_ranges: Mapping[str, tuple[int, int]]
    shapes: tuple[tuple[str, float], ...]
    cards: Mapping[str, float]
    stoppers: Mapping[str, float]
    keycards: tuple[float, ...] | None

    @property
    def honours(self) -> dict[str, dict[str, float]]:
        """Chance of A K Q J T by suit letter."""
        return {suit: {rank: self.cards[suit + rank] for rank in _HONOURS} for suit in SUITS}


def picture_of(
    hands: U64, weights: F64, *, agreed: str | None = None, vocabulary: Vocabulary | None = None
) -> HandPicture:
    """Picture of one hand, uint64 [n]; ``agreed`` is the trump suit, for keycards."""
    vocabulary = vocabulary or Vocabulary()
    share = weights / weights.sum()
    nothing = np.zeros(len(hands), np.uint8)
    # as North's: the other hands are not looked at
    deals = DealArrays(np.broadcast_to(hands, (4, len(hands))), nothing, nothing)

    def values(term: str) -> I64:
        return term_values(term, 0, deals, vocabulary)

    points = values("HCP")
    lengths = {suit: values(f"SL_{suit}") for suit in SUITS}
    bits = (hands[np.newaxis] >> np.arange(52, dtype=np.uint64)[:, np.newaxis]) & np.uint64(1)
    chances = weighted_sum(bits.T.astype(np.bool_), share)
    return HandPicture(
        _histogram(points, share, MOST_POINTS + 1),
        float(weighted_sum(points, share)),
        (int(points.min()), int(points.max())),
        {suit: _histogram(cards, share, 14) for suit, cards in lengths.items()},
        {suit: float(weighted_sum(cards, share)) for suit, cards in lengths.items()},
        {suit: (int(cards.min()), int(cards.max())) for suit, cards in lengths.items()},
        _shapes(np.stack(list(lengths.values())), share),
        {
            SUITS[suit] + RANKS[rank]: float(chances[13 * suit + rank])
            for suit in (3, 2, 1, 0)
            for rank in range(12, -1, -1)
        },
        {suit: float(weighted_sum(values(f"Stopper_{suit}") != 0, share)) for suit in SUITS},
        _histogram(values(f"Keycards_{agreed}"), share, 6) if agreed and agreed in SUITS else None,
    )


def pictures(
    layouts: Layouts,
    agreed: tuple[str | None, str | None] = (None, None),
    vocabulary: Vocabulary | None = None,
) -> tuple[HandPicture, ...]:
    """Pictures of the four hands; ``agreed`` are the trumps of North-South and East-West."""
    return tuple(
        picture_of(hand, layouts.weights, agreed=agreed[seat % 2], vocabulary=vocabulary)
        for seat, hand in enumerate(layouts.hands)
    )


def _histogram(values: I64, share: F64, size: int) -> tuple[float, ...]:
    return tuple(np.bincount(values, share, size)[:size].tolist())


def _shapes(lengths: I64, share: F64) -> tuple[tuple[str, float], ...]:
    texts, which = named_shapes(lengths)
    chances = np.bincount(which, share)
    commonest = np.argsort(-chances, kind="stable")[:_SHAPES_SHOWN].tolist()
    return tuple((texts[place], float(chances[place])) for place in commonest)


def named_shapes(lengths: I64) -> tuple[list[str], I64]:
    """Exact shapes of hands, spades first: the different ones, and which of them each hand has.

    ``lengths`` are int64 [4, n], clubs first.

    Examples
    --------
    >>> named_shapes(np.array([[3, 2], [2, 3], [3, 3], [5, 5]]))
    (['5=3=2=3', '5=3=3=2'], array([0, 1]))
    """
    numbers, which = np.unique(np.array([1, 14, 196, 2744]) @ lengths, return_inverse=True)
    suits = numbers[:, np.newaxis] // np.array([2744, 196, 14, 1]) % 14
    return ["=".join(map(str, one)) for one in suits.tolist()], which
