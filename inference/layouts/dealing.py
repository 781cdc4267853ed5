"""What is left to deal: cards, hidden seats, and the shapes and points that each seat may have.

Bounds of the four hands follow from one another: points of the four add up to those of the deck,
lengths of a suit to its cards, lengths of a hand to its size; conditions such as
``HCP_N + HCP_S >= 38`` bind them too. They are tightened until nothing changes: what is left empty
cannot be dealt, whatever else is asked.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Final, NamedTuple

import numpy as np

from bidcascade.bridge import FULL_DECK, SEATS, SUITS
from bidcascade.kernels.dealing import mixed
from bidcascade.kernels.packing.intervals import both
from bidcascade.kernels.packing.literals import Interval, LinearForm
from bidcascade.kernels.types import F64, I64, U64
from bidcascade.systems.places.knowledge import EVERYTHING, LENGTHS, POINTS, Hull, to_flags

from .drawing import (
    HONOUR_POINTS,
    Draw,
    ExactConstraints,
    RestConstraints,
    count_hands,
    deal_exactly,
    deal_rest,
)

SHAPE_NUMBERS: Final = 14**3
"""Shapes are numbered clubs + 14 diamonds + 196 hearts; a hand's size gives the spades."""
_PLACES: Final = np.array([1, 14, 196])
_ALL_LENGTHS: Final = np.ones((2, 14, 14), np.uint8)
_SHORT: Final[I64] = np.arange(SHAPE_NUMBERS)[:, np.newaxis] // _PLACES % 14
_EXACT_STREAM: Final = 0x1DEA1
"""Keeps the random words of the two ways to propose apart."""
_ROUNDS: Final = 100


def points_by_shape(cells: int) -> U64:
    """Tell the allowed points (bits) of each numbered shape of 13 cards, from a set of cells."""
    table = np.zeros(SHAPE_NUMBERS, np.uint64)
    bits = np.uint64(1) << np.arange(POINTS, dtype=np.uint64)
    table[LENGTHS[:, :3] @ _PLACES] = (to_flags(cells) * bits).sum(axis=1, dtype=np.uint64)
    return table


ANY_HAND: Final = points_by_shape(EVERYTHING)


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
    fixed, forbidden
        Cards that each compass seat is known to hold (four disjoint masks), and not to hold.
    allowed : sequence of uint64 [2744]
        Per seat, the points (bits) it may have with each shape, of the whole hand.
    sizes, deck
        Cards of each whole hand, and all cards: small decks can be dealt in every way by tests.
    """

    fixed: Sequence[int]
    forbidden: Sequence[int]
    allowed: Sequence[U64]
    sizes: Sequence[int] = (13, 13, 13, 13)
    deck: int = FULL_DECK

    @cached_property
    def free(self) -> int:
        """Cards that are not known to be anywhere."""
        return self.deck & ~(self.fixed[0] | self.fixed[1] | self.fixed[2] | self.fixed[3])

    @cached_property
    def seats(self) -> tuple[int, ...]:
        """Hidden seats, the most restricted one first."""
        return tuple(sorted(self._drawn, key=self.alone))

    @property
    def is_exact(self) -> bool:
        """Whether every proposal of :meth:`propose` is kept, all with the same weight."""
        return len(self.seats) <= 2

    @cached_property
    def _drawn(self) -> dict[int, tuple[U64, I64]]:
        """Per hidden seat, allowed points by shape of the part to draw, and its shapes [k, 4]."""
        found = {}
        for seat in range(4):
            own = _lengths(self.fixed[seat])
            left = self.sizes[seat] - int(own.sum())
            if left <= 0:
                continue
            numbers = np.flatnonzero(self.allowed[seat])
            shapes = np.empty((len(numbers), 4), np.int64)
            shapes[:, :3] = _SHORT[numbers] - own[:3]
            shapes[:, 3] = left - shapes[:, :3].sum(axis=1)
            good = (shapes >= 0).all(axis=1) & (shapes[:, 3] <= 13)
            shapes, numbers = shapes[good], numbers[good]
            masks = np.zeros(SHAPE_NUMBERS, np.uint64)
            points = np.uint64(_points(self.fixed[seat]))
            masks[shapes[:, :3] @ _PLACES] = self.allowed[seat][numbers] >> points
            found[seat] = masks, np.ascontiguousarray(shapes[::-1])
        return found

    @cached_property
    def _counted(self) -> dict[int, Draw]:
        """What each hidden seat can draw from all free cards."""
        return {seat: self._count(seat, None) for seat in self._drawn}

    def _count(self, seat: int, other: int | None) -> Draw:
        """Count what a seat can draw, jointly with the only other hidden one if that is given."""
        masks, shapes = self._drawn[seat]
        forced = 0 if other is None else self.free & self.forbidden[other]
        return count_hands(
            self.free & ~self.forbidden[seat] & ~forced,
            forced,
            self.free,
            shapes[:0] if forced & self.forbidden[seat] else shapes,
            masks,
            masks if other is None else self._drawn[other][0],
            _ALL_LENGTHS,
            joint=other is not None,
        )

    @cached_property
    def _first(self) -> Draw:
        """What the first seat can draw."""
        seat = self.seats[0]
        return self._count(seat, self.seats[1]) if len(self.seats) == 2 else self._counted[seat]

    def alone(self, seat: int) -> float:
        """Share of the ways to draw a seat's cards that its shapes and points leave it."""
        if seat not in self._drawn:
            return 1.0
        size = self.sizes[seat] - self.fixed[seat].bit_count()
        return self._counted[seat].total / comb(self.free.bit_count(), size)

    @property
    def total(self) -> int:
        """How many layouts :meth:`propose` may propose."""
        found, left = self._first.total if self.seats else 1, self.free.bit_count()
        # the first hand, two where they are drawn together; the last gets what is left
        for number, seat in enumerate(self.seats[:-1]):
            size = self.sizes[seat] - self.fixed[seat].bit_count()
            found *= comb(left, size) if number else 1
            left -= size
        return found

    @cached_property
    def is_impossible(self) -> bool:
        """Whether no layout is possible, as far as counting one hand (or two) can tell."""
        seen = 0
        for seat, fixed in enumerate(self.fixed):
            # a card in two hands, or held and not held; more cards than the hand has
            if fixed & (seen | self.forbidden[seat]) or fixed.bit_count() > self.sizes[seat]:
                return True
            seen |= fixed
        if sum(self.sizes) != self.deck.bit_count() or self.bounds is None:
            return True
        return len(self.seats) in (1, 2) and self._first.total == 0

    @cached_property
    def seats_without_hands(self) -> tuple[int, ...]:
        """Seats that no hand is possible for."""
        return tuple(
            seat
            for seat, fixed in enumerate(self.fixed)
            if (
                not self._counted[seat].total
                if seat in self._drawn
                else not int(self.allowed[seat][_lengths(fixed)[:3] @ _PLACES]) >> _points(fixed)
                & 1
            )
        )

    @cached_property
    def bounds(self) -> tuple[Hull, ...] | None:
        """Bounds of points and lengths of each hand; None if they exclude each other."""
        if self.seats_without_hands:
            return None
        bounds = [self._bounds_alone(seat) for seat in range(4)]
        return tightened(bounds, _points(self.deck), _lengths(self.deck).tolist(), self.sizes)

    def _bounds_alone(self, seat: int) -> Hull:
        points, lengths = _points(self.fixed[seat]), _lengths(self.fixed[seat])
        if seat not in self._drawn:
            clubs, diamonds, hearts, spades = ((one, one) for one in lengths.tolist())
            return Hull((points, points), (clubs, diamonds, hearts, spades))
        draw = self._counted[seat]
        used = draw.counts > 0
        mask = int(np.bitwise_or.reduce(draw.masks[used])) << points
        shapes = draw.shapes[used] + lengths
        least, most = shapes.min(axis=0).tolist(), shapes.max(axis=0).tolist()
        clubs, diamonds, hearts, spades = zip(least, most, strict=True)
        low = (mask & -mask).bit_length() - 1
        return Hull((low, mask.bit_length() - 1), (clubs, diamonds, hearts, spades))

    @cached_property
    def _cells(self) -> tuple[I64, I64, I64]:
        """Cells of the first hand: lengths [k, 4] and points of the drawn part; their sums."""
        draw = self._first
        rows = np.flatnonzero(draw.counts)
        lengths = draw.shapes[rows] - _lengths(draw.forced)
        low = draw.minors[lengths[:, 0], lengths[:, 1]]
        high = draw.majors[lengths[:, 2], lengths[:, 3]]
        hands = np.zeros((len(rows), 41), np.int64)
        for points in range(21):
            hands[:, points : points + 21] += low[:, points, np.newaxis] * high
        hands[
            draw.masks[rows, np.newaxis] >> np.arange(41, dtype=np.uint64) & np.uint64(1) == 0
        ] = 0
        row, points_drawn = np.nonzero(hands)
        return lengths[row], points_drawn, np.cumsum(hands[row, points_drawn])

    @cached_property
    def _constraints(self) -> tuple[U64, U64]:
        """Forbidden cards and allowed points of the hidden seats in order."""
        forbidden = np.array([self.forbidden[seat] for seat in self.seats], np.uint64)
        return forbidden, np.stack([self._drawn[seat][0] for seat in self.seats])

    @cached_property
    def _rest_constraints(self) -> RestConstraints:
        sizes = [self.sizes[seat] - self.fixed[seat].bit_count() for seat in self.seats]
        (forbidden, allowed), (lengths, points, ends) = self._constraints, self._cells
        return RestConstraints(
            sizes=np.array(sizes),
            forbidden=forbidden,
            allowed=allowed,
            lengths=lengths,
            points=np.ascontiguousarray(points),
            ends=ends,
        )

    def propose(self, *, seed: int, first: int, count: int) -> Proposed:
        """Propose layouts of equal weight: the first hand exactly, the others at random.

        Proposals are numbered; each is the same however it is asked for. Kept are those in which
        every hand has an allowed shape with allowed points.
        """
        if not self.seats:
            numbers = np.arange(first, first + count)
            return self._whole(np.zeros((0, count), np.uint64), np.ones(count), numbers)
        hands, numbers = deal_rest(
            mixed(seed), first, count, self.free, self._first, self._rest_constraints
        )
        return self._whole(hands, np.ones(len(numbers)), numbers)

    def propose_exactly(self, *, seed: int, first: int, count: int) -> Proposed:
        """Propose layouts hand by hand, the last two jointly; for three or four hidden seats.

        The weights are numbers of hands and differ.
        """
        return self._whole(
            *deal_exactly(
                mixed(seed ^ _EXACT_STREAM),
                first,
                count,
                self.free,
                self._first,
                self._exact_constraints,
            )
        )

    @cached_property
    def _exact_constraints(self) -> ExactConstraints:
        parts = [self._drawn[seat][1] for seat in self.seats]
        starts = np.cumsum([0, *map(len, parts)])
        # what is forced upon a seat shortens its draw: then any shorter length may be wanted
        shorter = any(self.forbidden[seat] & self.free for seat in self.seats)
        wanted = np.full((len(parts), 2, 14, 14), int(shorter), np.uint8)
        for number, shapes in enumerate(parts):
            wanted[number, 0, shapes[:, 0], shapes[:, 1]] = 1
            wanted[number, 1, shapes[:, 2], shapes[:, 3]] = 1
        forbidden, allowed = self._constraints
        return ExactConstraints(
            forbidden=forbidden,
            allowed=allowed,
            shapes=np.concatenate(parts),
            starts=starts,
            wanted=wanted,
        )

    def _whole(self, drawn: U64, weights: F64, numbers: I64) -> Proposed:
        hands = np.repeat(np.array(self.fixed, np.uint64)[:, np.newaxis], drawn.shape[1], axis=1)
        hands[list(self.seats)] |= drawn
        return Proposed(hands, weights, numbers)


def _points(hand: int) -> int:
    return sum(int(HONOUR_POINTS[hand >> 13 * suit + 9 & 15]) for suit in range(4))


def _lengths(hand: int) -> I64:
    return np.array([(hand >> 13 * suit & 0x1FFF).bit_count() for suit in range(4)])


def tightened(
    bounds: Sequence[Hull],
    points: int,
    suits: Sequence[int],
    sizes: Sequence[int],
    conditions: Iterable[Interval] = (),
) -> tuple[Hull, ...] | None:
    """Tighten the bounds of four hands; None if no deal is within them.

    ``points`` and ``suits`` are those of the whole deck, ``sizes`` those of the hands; conditions
    on other terms than points and lengths are left aside.
    """
    ranges: dict[str, tuple[int, int]] = {}
    totals: list[tuple[LinearForm, int, int]] = [(_sum("HCP_{}", SEATS), points, points)]
    for suit, cards in zip(SUITS, suits, strict=True):
        totals.append((_sum(f"SL_{{}}_{suit}", SEATS), cards, cards))
    for seat, size, bound in zip(SEATS, sizes, bounds, strict=True):
        totals.append((_sum(f"SL_{seat}_{{}}", SUITS), size, size))
        ranges[f"HCP_{seat}"] = bound.points
        ranges |= {f"SL_{seat}_{suit}": one for suit, one in zip(SUITS, bound.lengths, strict=True)}
    rules = list(totals)
    for one in conditions:
        if all(name in ranges for name, _ in one.form):
            rules.append((one.form, one.low, one.high))
            # what some hands have together the others have not
            rules += (
                (
                    tuple(part for part in form if part not in one.form),
                    all_of - one.high,
                    all_of - one.low,
                )
                for form, all_of, _ in totals
                if set(one.form) < set(form)
            )
    for _ in range(_ROUNDS):
        before = dict(ranges)
        for form, low, high in rules:
            _tighten(ranges, form, low, high)
        if any(low > high for low, high in ranges.values()):
            return None
        if ranges == before:
            break
    return tuple(
        Hull(
            ranges[f"HCP_{seat}"],
            (
                ranges[f"SL_{seat}_C"],
                ranges[f"SL_{seat}_D"],
                ranges[f"SL_{seat}_H"],
                ranges[f"SL_{seat}_S"],
            ),
        )
        for seat in SEATS
    )


def _sum(name: str, places: Iterable[str]) -> LinearForm:
    return tuple((name.format(place), 1) for place in places)


def _tighten(ranges: dict[str, tuple[int, int]], form: LinearForm, low: int, high: int) -> None:
    """Bound each term of ``low <= form <= high`` by the bounds of the others."""
    ends = [sorted(factor * end for end in ranges[name]) for name, factor in form]
    least, most = sum(one for one, _ in ends), sum(one for _, one in ends)
    for (name, factor), (own_least, own_most) in zip(form, ends, strict=True):
        bottom, top = low - (most - own_most), high - (least - own_least)
        if factor < 0:
            bottom, top = -top, -bottom
        whole = -(-bottom // abs(factor)), top // abs(factor)
        ranges[name] = both(ranges[name], whole)
