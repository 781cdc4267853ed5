"""What is left to deal: cards, hidden seats, and the shapes and points that each seat may have."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import FULL_DECK
from bidcascade.inference.layouts.narrowing import Box, Range, tightened
from bidcascade.inference.layouts.proposals import (
    count_cells,
    deal_exactly,
    deal_rest,
    list_cells,
)
from bidcascade.kernels.dealing import mixed
from bidcascade.table.system.hand_space import EVERYTHING, LENGTHS, POINTS, to_flags

U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

SHAPE_NUMBERS: Final = 14 * 14 * 14
"""Shapes are numbered clubs + 14 diamonds + 196 hearts; a hand's size gives the spades."""
_FULL_SHAPES: Final[I64] = LENGTHS[:, 0] + 14 * LENGTHS[:, 1] + 196 * LENGTHS[:, 2]
_NUMBERS: Final = np.arange(SHAPE_NUMBERS)
_SHORT: Final[I64] = np.stack([_NUMBERS % 14, _NUMBERS // 14 % 14, _NUMBERS // 196], axis=1)
_MOST_CELLS: Final = 560 * POINTS + 1
_ANY_POINTS: Final = (1 << 41) - 1
_EXACT_STREAM: Final = 0x1DEA1
"""Keeps the random words of the two ways to propose apart."""


def points_by_shape(cells: int) -> U64:
    """Tell the allowed points (bits) of each numbered shape of 13 cards, from a set of cells.

    Examples
    --------
    >>> from bidcascade.table.system.hand_space import EVERYTHING
    >>> table = points_by_shape(EVERYTHING)
    >>> len(table), bin(int(table[13])).count("1")
    (2744, 1)
    """
    table = np.zeros(SHAPE_NUMBERS, np.uint64)
    bits = np.uint64(1) << np.arange(POINTS, dtype=np.uint64)
    table[_FULL_SHAPES] = (to_flags(cells) * bits).sum(axis=1, dtype=np.uint64)
    return table


ANY_HAND: Final = points_by_shape(EVERYTHING)


def any_points_by_shape(size: int) -> U64:
    """Like :func:`points_by_shape` for hands of any size and any points.

    Examples
    --------
    >>> int((any_points_by_shape(2) > 0).sum())
    10
    """
    fits = _SHORT.sum(axis=1) <= size
    return np.where(fits, np.uint64(_ANY_POINTS), np.uint64(0))


class _First(NamedTuple):
    """The first hand's counts and its list of cells."""

    cards: np.uint64
    forced: np.uint64
    total: int
    masks: U64
    counts: I64
    ways: I64
    minors: I64
    majors: I64


class Proposed(NamedTuple):
    """Layouts that were proposed and kept: hands u64[4, n], weights f64[n], numbers i64[n]."""

    hands: U64
    weights: F64
    numbers: I64


@dataclass(frozen=True)
class Dealing:
    """Cards that are left to deal to the hidden seats.

    Parameters
    ----------
    fixed
        Cards that each compass seat is known to hold, four disjoint masks.
    forbidden
        Cards that each seat does not hold.
    allowed : sequence of uint64 [2744]
        Per seat, the points (bits) it may have with each shape, of the whole hand.
    sizes
        Cards of each whole hand.
    deck
        All cards.

    Examples
    --------
    >>> north = 0x1FFF
    >>> dealing = Dealing((north, 0, 0, 0), (0,) * 4, (ANY_HAND,) * 4)
    >>> dealing.seats, dealing.is_impossible
    ((1, 2, 3), False)
    >>> found = dealing.propose(seed=1, first=0, count=10)
    >>> found.hands.shape, bool((found.hands[0] == north).all())
    ((4, 10), True)
    """

    fixed: tuple[int, int, int, int]
    forbidden: tuple[int, int, int, int]
    allowed: Sequence[U64]
    sizes: tuple[int, int, int, int] = (13, 13, 13, 13)
    deck: int = FULL_DECK

    @cached_property
    def free(self) -> int:
        """Cards that are not known to be anywhere."""
        return self.deck & ~(self.fixed[0] | self.fixed[1] | self.fixed[2] | self.fixed[3])

    @cached_property
    def seats(self) -> tuple[int, ...]:
        """Hidden seats, the most restricted one first."""
        hidden = [seat for seat in range(4) if self.sizes[seat] > self.fixed[seat].bit_count()]
        return tuple(sorted(hidden, key=lambda seat: self._alone[seat]))

    @cached_property
    def _drawn(self) -> dict[int, tuple[U64, I64]]:
        """Per seat, allowed points by shape of the part to draw, and those shapes [k, 4]."""
        found = {}
        for seat in range(4):
            fixed = self.fixed[seat]
            own = np.array([(fixed >> 13 * suit & 0x1FFF).bit_count() for suit in range(4)])
            left = self.sizes[seat] - int(own.sum())
            if left <= 0:
                continue
            numbers = np.flatnonzero(self.allowed[seat])
            lengths = _SHORT[numbers] - own[:3]
            spades = left - lengths.sum(axis=1)
            good = (lengths >= 0).all(axis=1) & (spades >= 0) & (spades <= 13)
            lengths, spades, numbers = lengths[good], spades[good], numbers[good]
            masks = np.zeros(SHAPE_NUMBERS, np.uint64)
            points = np.uint64(_points(fixed))
            masks[lengths @ np.array([1, 14, 196])] = self.allowed[seat][numbers] >> points
            shapes = np.column_stack([lengths, spades]).astype(np.int64)
            found[seat] = masks, np.ascontiguousarray(shapes[np.argsort(-numbers, kind="stable")])
        return found

    @cached_property
    def _alone(self) -> dict[int, float]:
        """Share of all ways to draw a seat's cards that its shapes and points leave it."""
        shares = {}
        for seat, (_, shapes) in self._drawn.items():
            size = int(shapes[0].sum()) if len(shapes) else 0
            shares[seat] = self._counts[seat].total / comb(self.free.bit_count(), size)
        return shares

    @cached_property
    def _counts(self) -> dict[int, _First]:
        return {
            seat: self._count(seat, masks, shapes, None)
            for seat, (masks, shapes) in self._drawn.items()
        }

    def _count(self, seat: int, masks: U64, shapes: I64, other: int | None) -> _First:
        """Count what a seat can draw from all free cards, jointly with the only other one."""
        cards = self.free & ~self.forbidden[seat]
        forced = 0
        others = masks
        if other is not None:
            forced = self.free & self.forbidden[other]
            others = self._drawn[other][0]
            if forced & self.forbidden[seat]:
                shapes = shapes[:0]
            cards &= ~forced
        ways = np.empty((4, 14, 11), np.int64)
        minors, majors = np.zeros((2, 14, 14, 21), np.int64)
        out_masks = np.zeros(len(shapes), np.uint64)
        counts = np.zeros(len(shapes), np.int64)
        total = count_cells(
            np.uint64(cards), np.uint64(forced), np.uint64(self.free), shapes, masks, others,
            int(other is not None), _EVERY_LENGTH, ways, minors, majors, out_masks, counts,
        )  # fmt: skip
        return _First(
            np.uint64(cards), np.uint64(forced), total, out_masks, counts, ways, minors, majors
        )

    @cached_property
    def is_impossible(self) -> bool:
        """Whether no layout is possible, as far as counting one hand (or two) can tell."""
        seen = 0
        for seat, fixed in enumerate(self.fixed):
            # a card in two hands, or held and not held; more cards than the hand has
            if fixed & (seen | self.forbidden[seat]) or fixed.bit_count() > self.sizes[seat]:
                return True
            seen |= fixed
        if sum(self.sizes) != self.deck.bit_count():
            return True
        for seat in range(4):
            if seat not in self.seats and not _holds(self.allowed[seat], self.fixed[seat]):
                return True
        if any(self._alone[seat] == 0 for seat in self.seats):
            return True
        if self.boxes is None:
            return True
        return len(self.seats) in (1, 2) and self._first.total == 0

    @property
    def seats_without_hands(self) -> tuple[int, ...]:
        """Seats that no hand is possible for."""
        return tuple(
            seat
            for seat in range(4)
            if (
                self._alone[seat] == 0
                if seat in self._alone
                else not _holds(self.allowed[seat], self.fixed[seat])
            )
        )

    @cached_property
    def boxes(self) -> tuple[Box, Box, Box, Box] | None:
        """Bounds of points and lengths of each hand; None if they exclude each other."""
        if self.seats_without_hands:
            return None
        boxes = [self._box(seat) for seat in range(4)]
        suits = [(self.deck >> 13 * suit & 0x1FFF).bit_count() for suit in range(4)]
        return tightened(boxes, _points(self.deck), suits, self.sizes)

    def _box(self, seat: int) -> Box:
        fixed = self.fixed[seat]
        points = _points(fixed)
        lengths = [(fixed >> 13 * suit & 0x1FFF).bit_count() for suit in range(4)]
        if seat not in self._alone:
            return Box((points, points), _four([(length, length) for length in lengths]))
        shapes = self._drawn[seat][1]
        count = self._counts[seat]
        used = shapes[count.counts > 0] + np.array(lengths)
        mask = int(np.bitwise_or.reduce(count.masks[count.counts > 0])) << points
        low = (mask & -mask).bit_length() - 1
        ranges = zip(used.min(axis=0).tolist(), used.max(axis=0).tolist(), strict=True)
        return Box((low, mask.bit_length() - 1), _four(list(ranges)))

    def alone(self, seat: int) -> float:
        """Share of the ways to draw a seat's cards that its shapes and points leave it."""
        return self._alone.get(seat, 1.0)

    @cached_property
    def _first(self) -> _First:
        seat = self.seats[0]
        if len(self.seats) != 2:
            return self._counts[seat]
        masks, shapes = self._drawn[seat]
        return self._count(seat, masks, shapes, self.seats[1])

    @cached_property
    def share(self) -> float:
        """Share of the ways to draw the first hand that are within its shapes and points."""
        return self._alone[self.seats[0]] if self.seats else 1.0

    @cached_property
    def _cells(self) -> tuple[I64, I64, I64]:
        first = self._first
        lengths = np.empty((_MOST_CELLS, 4), np.int64)
        points, ends = np.empty((2, _MOST_CELLS), np.int64)
        shapes = self._drawn[self.seats[0]][1]
        size = list_cells(
            shapes, first.forced, first.masks, first.counts, first.minors, first.majors,
            lengths, points, ends,
        )  # fmt: skip
        return lengths[:size], points[:size], ends[:size]

    @cached_property
    def _arrays(self) -> tuple[I64, U64, U64]:
        """Sizes, forbidden cards and allowed points of the seats in order."""
        sizes = [self.sizes[seat] - self.fixed[seat].bit_count() for seat in self.seats]
        return (
            np.array(sizes, np.int64),
            np.array([self.forbidden[seat] for seat in self.seats], np.uint64),
            np.stack([self._drawn[seat][0] for seat in self.seats]),
        )

    @property
    def is_exact(self) -> bool:
        """Whether every proposal of :meth:`propose` is kept, all with the same weight."""
        return len(self.seats) <= 2

    def propose(self, *, seed: int, first: int, count: int) -> Proposed:
        """Propose layouts of equal weight: the first hand exactly, the others at random.

        Parameters
        ----------
        seed, first, count
            Proposals are numbered; each is the same however it is asked for.

        Returns
        -------
        Proposed
            Those in which every hand has an allowed shape with allowed points.
        """
        seats = self.seats
        if not seats:
            numbers = np.arange(first, first + count)
            return self._whole(np.zeros((0, count), np.uint64), np.ones(count), numbers)
        hands = np.empty((len(seats), count), np.uint64)
        numbers = np.empty(count, np.int64)
        lengths, points, ends = self._cells
        sizes, forbidden, allowed = self._arrays
        one = self._first
        kept = deal_rest(
            np.uint64(mixed(seed)), first, count, np.uint64(self.free), sizes, forbidden, allowed,
            one.cards, one.forced, lengths, points, ends, one.ways, one.minors, one.majors,
            hands, numbers,
        )  # fmt: skip
        return self._whole(hands[:, :kept], np.ones(kept), numbers[:kept])

    def propose_exactly(self, *, seed: int, first: int, count: int) -> Proposed:
        """Propose layouts hand by hand, the last two jointly; for three or four hidden seats.

        The weights are numbers of hands and differ.
        """
        seats = self.seats
        hands = np.empty((len(seats), count), np.uint64)
        numbers = np.empty(count, np.int64)
        weights = np.empty(count)
        _, forbidden, allowed = self._arrays
        shapes, starts, wanted = self._shapes
        one = self._first
        kept = deal_exactly(
            np.uint64(mixed(seed ^ _EXACT_STREAM)), first, count, np.uint64(self.free), forbidden,
            allowed, shapes, starts, wanted, one.total, one.cards, one.masks, one.counts, one.ways,
            one.minors, one.majors, hands, weights, numbers,
        )  # fmt: skip
        return self._whole(hands[:, :kept], weights[:kept], numbers[:kept])

    @cached_property
    def _shapes(self) -> tuple[I64, I64, I64]:
        """Shapes of the seats in order, where each seat's begin, and the lengths they have."""
        parts = [self._drawn[seat][1] for seat in self.seats]
        starts = np.cumsum([0, *map(len, parts)])
        # what is forced upon a seat shortens its draw: then any shorter length may be wanted
        shorter = any(self.forbidden[seat] & self.free for seat in self.seats)
        wanted = np.zeros((len(parts), 2, 14, 14), np.int64)
        for number, shapes in enumerate(parts):
            if shorter:
                wanted[number] = 1
            wanted[number, 0, shapes[:, 0], shapes[:, 1]] = 1
            wanted[number, 1, shapes[:, 2], shapes[:, 3]] = 1
        return np.concatenate(parts), starts.astype(np.int64), wanted

    def _whole(self, drawn: U64, weights: F64, numbers: I64) -> Proposed:
        hands = np.empty((4, drawn.shape[1]), np.uint64)
        hands[:] = np.array(self.fixed, np.uint64)[:, np.newaxis]
        for number, seat in enumerate(self.seats):
            hands[seat] |= drawn[number]
        return Proposed(hands, weights, numbers)


_EVERY_LENGTH: Final[I64] = np.ones((2, 14, 14), np.int64)


def _points(hand: int) -> int:
    return sum((hand >> 13 * suit + 9 + rank & 1) * (rank + 1) for suit in range(4)
               for rank in range(4))  # fmt: skip


def _holds(allowed: U64, hand: int) -> bool:
    lengths = [(hand >> 13 * suit & 0x1FFF).bit_count() for suit in range(3)]
    number = lengths[0] + 14 * lengths[1] + 196 * lengths[2]
    return bool(int(allowed[number]) >> _points(hand) & 1)


def _four(ranges: Sequence[Range]) -> tuple[Range, Range, Range, Range]:
    clubs, diamonds, hearts, spades = ranges
    return clubs, diamonds, hearts, spades
