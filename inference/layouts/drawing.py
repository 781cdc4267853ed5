"""Layouts drawn within what is known of shapes and points, in two ways.

A hand is drawn exactly: first its shape and points by the number of hands that have them, then how
the points split between minors and majors and between suits, then the honours, then the spots.
Random words are those of :mod:`bidcascade.kernels.dealing` (SplitMix64); every proposal reads a
stream of its own, so chunks and threads do not matter.

``deal_rest`` draws the most restricted hand exactly and deals the others at random from what is
left: every layout it keeps is equally likely, and it is fast; but most are thrown away where two
hands are restricted. ``deal_exactly`` draws hand after hand among those that leave the others
possible, the last two together; a layout then carries the number of ways that it stood for as its
weight. Both keep only layouts in which every hand has an allowed shape with allowed points.

The core counts and draws (``core/drawing.hpp``); all functions raise
:class:`~bidcascade.bridge.BackendUnavailable` where there is none.
"""

from typing import Any, ClassVar, Final

import numpy as np

from bidcascade.kernels.core.functions import call_core
from bidcascade.kernels.core.groups import ArrayGroup, Field
from bidcascade.kernels.dealing import GAMMA, mixed_words
from bidcascade.kernels.types import F64, I64, U8, U64

HONOUR_POINTS: Final[I64] = np.array(
    [sum(bit + 1 for bit in range(4) if honours >> bit & 1) for honours in range(16)], np.int64
)
"""Points of a set of honours, bit 0 the jack."""

_SHAPE_NUMBERS: Final = 14**3


def uniform_of(seed: np.uint64, numbers: I64) -> F64:
    """Random numbers from 0 to below 1, one for each number; the same for the same number."""
    words = mixed_words(seed + numbers.astype(np.uint64) * np.uint64(GAMMA))
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


class Draw(ArrayGroup):
    """Hands that a seat can draw, counted: shape by shape and in all.

    Parameters
    ----------
    cards : int
        That it draws from.
    forced : int
        That it gets in any case, part of its shape and points.
    shapes : int64 [k, 4]
        Allowed shapes, at most 560.
    """

    fields: ClassVar[dict[str, Field]] = {
        "shapes": ("i8", 4),
        "masks": ("u8",),  # points of the drawn part by shape, a bit each
        "counts": ("i8",),  # hands by shape
        "ways": ("i8", 14, 11),  # by suit, the ways to draw k cards with p points
        # ways to draw from two suits, by lengths and points, where shapes ask for it
        "minors": ("i8", 14, 21),
        "majors": ("i8", 14, 21),
    }

    def __init__(self, cards: int, forced: int, shapes: I64) -> None:
        count = len(shapes)
        super().__init__(
            shapes=shapes,
            masks=np.zeros(count, np.uint64),
            counts=np.zeros(count, np.int64),
            ways=np.zeros((4, 14, 11), np.int64),
            minors=np.zeros((14, 14, 21), np.int64),
            majors=np.zeros((14, 14, 21), np.int64),
        )
        self.cards, self.forced = cards, forced
        self.total = 0
        """Hands of all shapes."""


class RestConstraints(ArrayGroup):
    """What :func:`deal_rest` asks of the seats in order, and the cells of the first one.

    Allowed points, a bit each, stand by shape number (clubs + 14 diamonds + 196 hearts).
    """

    fields: ClassVar[dict[str, Field]] = {
        "sizes": ("i8",),
        "forbidden": ("u8",),
        "allowed": ("u8", _SHAPE_NUMBERS),
        # cells: lengths with points, and the sums of their hands
        "lengths": ("i8", 4),
        "points": ("i8",),
        "ends": ("i8",),
    }


class ExactConstraints(ArrayGroup):
    """What :func:`deal_exactly` asks of the seats in order.

    ``shapes`` are the allowed shapes of all seats, those of seat ``s`` from ``starts[s]`` on, and
    ``wanted`` the lengths of minors and majors that they have.
    """

    fields: ClassVar[dict[str, Field]] = {
        "forbidden": ("u8",),
        "allowed": ("u8", _SHAPE_NUMBERS),
        "shapes": ("i8", 4),
        "starts": ("i8",),
        "wanted": ("u1", 2, 14, 14),
    }


def count_hands(
    cards: int,
    forced: int,
    rest: int,
    shapes: I64,
    allowed: U64,
    others: U64,
    wanted: U8,
    *,
    joint: bool,
) -> Draw:
    """Count the hands that a seat can draw, by allowed points by shape number [2744].

    ``rest`` are all cards of this seat and, if ``joint``, the one that gets what is left, which
    ``others`` are the points of; ``wanted`` [2, 14, 14] are lengths of minors and majors to count.
    """
    for array, kind, size in (
        (allowed, np.uint64, _SHAPE_NUMBERS),
        (others, np.uint64, _SHAPE_NUMBERS),
        (wanted, np.uint8, 2 * 14 * 14),
    ):
        if array.dtype != kind or array.size != size or not array.flags.c_contiguous:
            raise TypeError(f"expected {size} of {kind}, got {array.dtype}{array.shape}")
    draw = Draw(cards, forced, shapes)
    draw.total = call_core(
        "core_count_hands", draw, cards, forced, rest, allowed, others, int(joint), wanted
    )
    return draw


def deal_rest(
    seed: int, first: int, count: int, free: int, draw: Draw, constraints: RestConstraints
) -> tuple[U64, I64]:
    """Propose layouts: hand 0 exactly from its cells, the others at random from what is left.

    Returns the layouts that are kept, uint64 [seats, n], and the numbers of their proposals.
    """
    hands, numbers = _room(len(constraints.sizes), count)
    accepted = call_core(
        "core_deal_rest",
        draw,
        draw.cards,
        draw.forced,
        constraints,
        seed,
        free,
        first,
        count,
        hands,
        numbers,
    )
    return hands[:, :accepted], numbers[:accepted]


def deal_exactly(
    seed: int, first: int, count: int, free: int, draw: Draw, constraints: ExactConstraints
) -> tuple[U64, F64, I64]:
    """Propose layouts hand by hand, each among those that leave the next one possible.

    With at least three seats; the numbers of hand 0 come ready. The weight of a layout is the
    product of the numbers of hands that the later seats could have drawn.
    """
    hands, numbers = _room(len(constraints.forbidden), count)
    weights = np.empty(count)
    accepted = call_core(
        "core_deal_exactly",
        draw,
        draw.cards,
        draw.forced,
        constraints,
        seed,
        free,
        first,
        count,
        hands,
        weights,
        numbers,
    )
    return hands[:, :accepted], weights[:accepted], numbers[:accepted]


def _room(seats: int, count: int) -> tuple[Any, Any]:
    return np.empty((seats, count), np.uint64), np.empty(count, np.int64)
