"""Deals counted and drawn by classes of cards: exact where what is asked is rare.

Two cards are of one *class* if no condition tells them apart: for ``HCP_N >= 30`` these are the
aces, the kings, the queens, the jacks and the spots. Seats that no condition tells apart are one
*part*. The cards of a class go to one part after another, and only sums are remembered: of cards,
of points, of what a condition adds up. Equal sums are one state, with the number of ways that lead
to it in whole numbers without bound; a state that can no longer meet a condition is left out at
once (dynamic programming; Bellman, Dynamic Programming, 1957). A deal is drawn backwards from the
last states, each as likely as any other, however rare they are.

What is asked may need more states than the budget allows. Then the condition that random deals meet
most often is left aside, and another: who draws must test it.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate, combinations
from math import comb
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.core.functions import move_states
from bidcascade.kernels.dealing import GAMMA, mixed, mixed_words
from bidcascade.kernels.packing.intervals import UNBOUNDED
from bidcascade.kernels.types import I64, U64

from .deal_constraints import (
    IN_SUIT,
    POINTS,
    DealConstraint,
    OfHand,
    OfHolding,
    Predicate,
    Tabled,
    Total,
    share_of,
)

BUDGET: Final = 2_000_000
"""Ways from state to state that are kept; a second."""

_WORD: Final = (1 << 64) - 1
_WORDS_PER_DEAL: Final = 1024
_CARDS_STREAM: Final = 0xCA2D5
_SEATS_STREAM: Final = 0x5EA75
_LEAST_BUDGET: Final = 100_000
_MOST_ALIKE: Final = 4


class TooManyStates(Exception):
    """More ways from state to state than the budget allows."""


class _Column(NamedTuple):
    """A sum that states remember: what a card adds in each part, and where it must end."""

    weights: I64
    low: int
    high: int
    is_raw: bool = False
    """Whether the value itself is needed; else values that surely end well are as one."""


def _bounded(weights: I64, low: int, high: int) -> _Column:
    """Column with ends that the cards can reach."""
    least, most = int(weights.min(axis=1).sum()), int(weights.max(axis=1).sum())
    return _Column(weights, max(low, min(least, high)), min(high, max(most, low)))


class _Shape(NamedTuple):
    """Where the state remembers a seat's clubs, diamonds and hearts, and its points; the hand."""

    lengths: tuple[int, int, int]
    points: int | None
    hand: OfHand


class _Fold(NamedTuple):
    """Where the state remembers holdings of a suit under way, and their tables' sum so far."""

    total: int
    holdings: tuple[tuple[int, OfHolding], ...]
    constraint: Tabled


class _Remembered(NamedTuple):
    """Sums that states remember, and where shapes, tests and tables find theirs."""

    columns: list[_Column]
    shapes: list[_Shape]
    tests: list[tuple[int, Predicate]]
    folds: list[_Fold]


class _Step(NamedTuple):
    """Ways into the states after one choice: how many cards of a class a part got."""

    starts: list[int]
    before: list[int]
    taken: list[int]
    ways: list[int]


class CountedDeals:
    """Deals that meet conditions, counted.

    Parameters
    ----------
    allowed
        Per compass seat, the mask of the cards that it may hold.
    constraints
        What the deals must meet.
    sizes
        Cards of each hand: small decks can be dealt in every way by tests.
    budget
        Ways from state to state that may be looked at.

    Raises
    ------
    TooManyStates
        If it takes more.

    Examples
    --------
    >>> spades = np.zeros((52, 4), np.int64)
    >>> spades[39:, 0] = 1
    >>> deals = CountedDeals([(1 << 52) - 1] * 4, [Total(spades, 13, 13)])
    >>> deals.total == comb(39, 13) * comb(26, 13)
    True
    >>> deals.draw(seed=1, numbers=range(3))[0].tolist() == [0x1FFF << 39] * 3
    True
    """

    def __init__(
        self,
        allowed: Sequence[int],
        constraints: Sequence[DealConstraint],
        sizes: Sequence[int] = (13, 13, 13, 13),
        *,
        budget: int = BUDGET,
    ) -> None:
        self._allowed = tuple(allowed)
        self._sizes = tuple(sizes)
        self.constraints = tuple(
            part
            for one in constraints
            for part in (one.plainly() if isinstance(one, OfHand) else (one,))
        )
        self.looked_at = 0
        """Ways from state to state that were looked at."""
        self._budget = budget
        self._steps: list[_Step] = []
        self._counts: list[list[int]] = []
        self._sums: dict[tuple[int, int], list[int]] = {}
        self._count()
        self._ends = list(accumulate(self._counts[-1])) if self._counts else []

    @property
    def total(self) -> int:
        """How many deals there are."""
        if not self._ends:
            return 0
        # the seats of a part share its cards in every way
        ways = 1
        for seats in self._parts:
            left = sum(self._sizes[seat] for seat in seats)
            for seat in seats:
                ways *= comb(left, self._sizes[seat])
                left -= self._sizes[seat]
        return self._ends[-1] * ways

    # --- what is told apart -----------------------------------------------------------------------

    @cached_property
    def _parts(self) -> list[tuple[int, ...]]:
        """Seats that nothing tells apart, together."""
        hands = {one.seat for one in self.constraints if isinstance(one, OfHand)}
        hands |= {
            part.seat
            for one in self.constraints
            if isinstance(one, Tabled)
            for part in one.holdings
        }
        totals = [one.weights for one in self.constraints if isinstance(one, Total)]
        totals += [
            sums for one in self.constraints if isinstance(one, Predicate) for sums in one.sums
        ]
        found: dict[object, list[int]] = {}
        for seat in range(4):
            alike = (self._allowed[seat], *(one[:, seat].tobytes() for one in totals))
            if self._sizes[seat]:
                found.setdefault(seat if seat in hands else alike, []).append(seat)
        return [tuple(seats) for seats in found.values()]

    @cached_property
    def _remembered(self) -> _Remembered:
        """What states remember."""
        columns: list[_Column] = []
        shapes: list[_Shape] = []
        tests: list[tuple[int, Predicate]] = []
        folds: list[_Fold] = []
        firsts = [seats[0] for seats in self._parts]

        def add(part: int, by_card: I64, low: int, high: int, *, is_raw: bool = False) -> int:
            weights = np.zeros((52, len(self._parts)), np.int64)
            weights[:, part] = by_card
            columns.append(_Column(weights, low, high, is_raw))
            return len(columns) - 1

        for part, seats in enumerate(self._parts):
            size = sum(self._sizes[seat] for seat in seats)
            add(part, np.ones(52, np.int64), size, size)
        part_of = {seat: part for part, seats in enumerate(self._parts) for seat in seats}
        for one in self.constraints:
            if isinstance(one, Total):
                columns.append(_bounded(one.weights[:, firsts], one.low, one.high))
            elif isinstance(one, Tabled):
                # every hand has some cards: no part of it is missing
                holdings = tuple(
                    (add(part_of[part.seat], part.codes, -UNBOUNDED, UNBOUNDED, is_raw=True), part)
                    for part in one.holdings
                )
                zero = np.zeros(52, np.int64)
                total = add(0, zero, -UNBOUNDED, UNBOUNDED, is_raw=True)
                folds.append(_Fold(total, holdings, one))
            elif isinstance(one, Predicate):
                tests.append((len(columns), one))
                columns += [
                    _Column(sums[:, firsts], -UNBOUNDED, UNBOUNDED, is_raw=True)
                    for sums in one.sums
                ]
            elif one.seat in part_of:
                part, mask = part_of[one.seat], int(np.bitwise_or.reduce(one.allowed))
                points = None
                if one.constrains_points and mask:
                    low, high = (mask & -mask).bit_length() - 1, mask.bit_length() - 1
                    is_raw = one.constrains_shape or mask != (1 << high + 1) - (1 << low)
                    points = add(part, POINTS, low, high, is_raw=is_raw)
                if one.constrains_shape:
                    numbers = np.flatnonzero(one.allowed)
                    used = [numbers // place % 14 for place in (1, 14, 196)]
                    clubs, diamonds, hearts = (
                        add(part, IN_SUIT[suit], int(some.min()), int(some.max()), is_raw=True)
                        for suit, some in enumerate(used)
                    )
                    spades = self._sizes[one.seat] - used[0] - used[1] - used[2]
                    add(part, IN_SUIT[3], int(spades.min()), int(spades.max()))
                    shapes.append(_Shape((clubs, diamonds, hearts), points, one))
                elif points is not None and columns[points].is_raw:
                    shapes.append(_Shape((-1, -1, -1), points, one))
        return _Remembered(columns, shapes, tests, folds)

    @cached_property
    def _classes(self) -> list[tuple[list[int], list[int]]]:
        """Classes of cards with the parts that they may go to, in the order of dealing."""
        columns, shapes, _, folds = self._remembered
        by_suit = bool(folds) or any(one.lengths[0] >= 0 for one in shapes)
        found: dict[object, tuple[list[int], list[int]]] = {}
        for card in range(52):
            parts = [
                part
                for part, seats in enumerate(self._parts)
                if self._allowed[seats[0]] >> card & 1
            ]
            if any(mask >> card & 1 for mask in self._allowed):
                key = (
                    tuple(parts),
                    by_suit and card // 13,
                    *(one.weights[card, parts].tobytes() for one in columns),
                )
                found.setdefault(key, ([], parts))[0].append(card)
        classes = list(found.values())

        def suit_of(cards: list[int]) -> int:
            return cards[0] // 13 if cards[0] // 13 == cards[-1] // 13 else 4

        # a suit's sums are done with when its cards are dealt; the most cards come last, which
        # have no choice left
        sizes = [0] * 5
        for cards, _ in classes:
            sizes[suit_of(cards)] += len(cards)
        if by_suit:
            return sorted(classes, key=lambda one: (suit_of(one[0]), len(one[0])))
        last = max(classes, key=lambda one: len(one[0]), default=None)
        return sorted(
            classes,
            key=lambda one: (
                one is last,
                suit_of(one[0]) != 4,
                sizes[suit_of(one[0])],
                suit_of(one[0]),
                len(one[0]),
            ),
        )

    # --- counting ---------------------------------------------------------------------------------

    def _count(self) -> None:
        columns, shapes, tests, folds = self._remembered
        classes = self._classes
        if any(not parts for _, parts in classes) or any(
            isinstance(one, OfHand) and not one.allowed.any() for one in self.constraints
        ):
            return
        low, high = np.array([(one.low, one.high) for one in columns]).T
        joint = _sums_of_like(columns)
        is_joint = joint != 0
        # what holds of each sum holds of several such as the points of two hands together, too
        low, high = np.append(low, joint @ low), np.append(high, joint @ high)
        is_raw = np.array([one.is_raw for one in columns])
        own_adds = [
            np.array([one.weights[cards[0], parts] for one in columns]) for cards, parts in classes
        ]
        adds = [np.concatenate([one, joint @ one]) for one in own_adds]
        sizes = [len(cards) for cards, _ in classes]
        # least and most that the classes from each on can add
        least, most = (
            np.cumsum(
                [
                    np.zeros(len(low), np.int64),
                    *(size * one for size, one in zip(sizes[::-1], ends[::-1], strict=True)),
                ],
                axis=0,
            )[::-1]
            for ends in ([one.min(axis=1) for one in adds], [one.max(axis=1) for one in adds])
        )
        # the sums, and the cards of the class that are left
        states = np.zeros((1, len(columns) + 1), np.int64)
        counts: Any = np.ones(1, object)
        self._counts.append([1])
        for number, (cards, parts) in enumerate(classes):
            size, own = len(cards), adds[number]
            states[:, -1] = size
            ways = np.array(
                [[comb(left, taken) for left in range(size + 1)] for taken in range(size + 1)],
                object,
            )
            for place in range(len(parts)):
                is_last = place == len(parts) - 1
                later = own[:, place + 1 :]
                ends = (later.min(axis=1), later.max(axis=1)) if not is_last else (0 * low, 0 * low)
                step = np.append(own_adds[number][:, place], -1)
                room = min(
                    self._budget - self.looked_at, len(states) * (1 if is_last else size + 1)
                )
                new, rows, taken_of = move_states(
                    np.ascontiguousarray(states),
                    step,
                    is_joint,
                    low,
                    high,
                    np.stack([least[number + 1], most[number + 1], *ends]),
                    is_raw,
                    room=room,
                    is_last=is_last,
                )
                self.looked_at += len(rows)
                if self.looked_at >= self._budget:
                    raise TooManyStates
                numbers = ways[taken_of, states[rows, -1]]
                if is_last and (
                    number + 1 == len(classes)
                    or cards[0] // 13 != (classes[number + 1][0][0] // 13)
                ):
                    alive = _put_shapes_together(new, shapes, cards[0] // 13)
                    alive &= _folded(new, folds, cards[0] // 13)
                    new, rows = new[alive], rows[alive]
                    taken_of, numbers = taken_of[alive], numbers[alive]
                states, counts = self._joined(new, rows, taken_of, numbers, counts)
        fits = np.ones(len(states), np.bool_)
        for shape in shapes:
            masks = shape.hand.allowed[_shape_number(states, shape.lengths)]
            if shape.lengths[0] < 0:
                masks = np.full(len(states), np.bitwise_or.reduce(shape.hand.allowed))
            if shape.points is not None:
                fits &= masks >> states[:, shape.points].astype(np.uint64) & np.uint64(1) != 0
        for first, test in tests:
            fits &= test.holds(states[:, first : first + len(test.sums)].T)
        self._counts[-1] = [
            count if fit else 0 for count, fit in zip(self._counts[-1], fits, strict=True)
        ]

    def _joined(self, states: I64, rows: I64, taken: I64, ways: Any, counts: Any) -> Any:
        """Put equal states together, and keep the ways into them."""
        states, into = _distinct(states)
        order = np.argsort(into, kind="stable")
        starts = np.searchsorted(into[order], np.arange(len(states) + 1))
        counts = (counts[rows] * ways)[order]
        counts = np.add.reduceat(counts, starts[:-1]) if len(states) else counts
        self._steps.append(
            _Step(*(part.tolist() for part in (starts, rows[order], taken[order], ways[order])))
        )
        self._counts.append(counts.tolist())
        return states, counts

    # --- drawing ----------------------------------------------------------------------------------

    def draw(self, *, seed: int, numbers: Sequence[int]) -> U64:
        """Draw the deals of some numbers, uint64[4, n]; each is the same however it is asked for.

        Raises
        ------
        ValueError
            If there is none.
        """
        if not self.total:
            raise ValueError("expected conditions that some deal meets, got none")
        taken = np.array(
            [self._drawn(words(seed, number)) for number in numbers], np.int64
        ).reshape(len(numbers), -1)
        numbered = np.asarray(numbers, np.uint64)
        return self._dealt(
            taken, _keys(seed ^ _CARDS_STREAM, numbered), _keys(seed ^ _SEATS_STREAM, numbered)
        )

    def _drawn(self, stream: Iterator[int]) -> list[int]:
        """How many cards of each class go to each part, in the order of dealing."""
        state = bisect_right(self._ends, below(stream, self._ends[-1]))
        found = []
        for number in range(len(self._steps) - 1, -1, -1):
            step = self._steps[number]
            first, last = step.starts[state], step.starts[state + 1]
            if last - first > 1:
                sums = self._sums.get((number, state))
                if sums is None:
                    before = self._counts[number]
                    sums = list(
                        accumulate(
                            before[row] * ways
                            for row, ways in zip(
                                step.before[first:last], step.ways[first:last], strict=True
                            )
                        )
                    )
                    self._sums[number, state] = sums
                first += bisect_right(sums, below(stream, sums[-1]))
            found.append(step.taken[first])
            state = step.before[first]
        return found[::-1]

    def _dealt(self, taken: I64, keys: U64, other_keys: U64) -> U64:
        """Deal cards of the classes as they were drawn, by keys of the cards, uint64[n, 52]."""
        part_of = np.full(keys.shape, -1, np.int64)
        first = 0
        for cards, parts in self._classes:
            ends = np.cumsum(taken[:, first : first + len(parts)], axis=1)
            first += len(parts)
            rank = np.argsort(np.argsort(keys[:, cards], axis=1), axis=1)
            turn = (rank[:, :, np.newaxis] >= ends[:, np.newaxis]).sum(axis=2)
            part_of[:, cards] = np.array(parts)[turn]
        hands = np.zeros((4, len(taken)), np.uint64)
        bits = np.uint64(1) << np.arange(52, dtype=np.uint64)
        for part, seats in enumerate(self._parts):
            # its cards first, in an order at random
            keyed = np.where(part_of == part, other_keys >> np.uint64(1), np.uint64(_WORD))
            order = np.argsort(keyed, axis=1)
            begin = 0
            for seat in seats:
                chosen = order[:, begin : begin + self._sizes[seat]]
                hands[seat] = bits[chosen].sum(axis=1, dtype=np.uint64)
                begin += self._sizes[seat]
        return hands


def _sums_of_like(columns: Sequence[_Column]) -> I64:
    """Columns that are of one kind in different parts, added up: a row of 0 and 1 for each set."""
    alike: dict[bytes, list[int]] = {}
    for number, one in enumerate(columns):
        used = np.flatnonzero(one.weights.any(axis=0))
        if len(used) == 1 and one.high < UNBOUNDED and one.low > -UNBOUNDED:
            alike.setdefault(one.weights[:, used[0]].tobytes(), []).append(number)
    rows = [
        np.isin(np.arange(len(columns)), chosen)
        for numbers in alike.values()
        for size in range(2, len(numbers) + 1)
        for chosen in combinations(numbers, size)
        if len(numbers) <= _MOST_ALIKE
    ]
    return np.array(rows, np.int64).reshape(len(rows), len(columns))


def _shape_number(states: I64, lengths: tuple[int, int, int]) -> I64:
    clubs, diamonds, hearts = (states[:, one] for one in lengths)
    found: I64 = clubs + 14 * diamonds + 196 * hearts
    return found if lengths[0] >= 0 else np.zeros(len(states), np.int64)


def _put_shapes_together(states: I64, shapes: Sequence[_Shape], suit: int) -> NDArray[np.bool_]:
    """Write lengths up to a suit as the first ones that leave the same; where some are left."""
    alive = np.ones(len(states), np.bool_)
    for shape in shapes:
        if shape.lengths[0] < 0 or suit == 3:
            continue
        known = list(shape.lengths[: suit + 1])
        table = shape.hand.allowed.reshape(14, 14, 14).transpose(2, 1, 0)
        rows = np.ascontiguousarray(table.reshape(14 ** (suit + 1), -1))
        _, firsts, same = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        places = 14 ** np.arange(suit, -1, -1)
        number = states[:, known] @ places
        alive &= rows[number].any(axis=1)
        states[:, known] = firsts[same.reshape(-1)[number]][:, np.newaxis] // places % 14
    return alive


def _folded(states: I64, folds: Sequence[_Fold], suit: int) -> NDArray[np.bool_]:
    """Look the holdings of a suit up and add what is said of them; where sums can end well."""
    alive = np.ones(len(states), np.bool_)
    for fold in folds:
        least = most = 0
        for column, part in fold.holdings:
            if part.suit == suit:
                states[:, fold.total] += part.values[states[:, column]]
                states[:, column] = 0
            elif part.suit > suit:
                least, most = least + int(part.values.min()), most + int(part.values.max())
        low, high = fold.constraint.low, fold.constraint.high
        lower, upper = states[:, fold.total] + least, states[:, fold.total] + most
        alive &= (upper >= low) & (lower <= high)
        surely = (lower >= low) & (upper <= high)
        states[surely, fold.total] = max(low, -UNBOUNDED) - least
    return alive


def _distinct(states: I64) -> tuple[I64, I64]:
    """Different rows, and which of them each row is."""
    if not len(states):
        return states, np.zeros(0, np.int64)
    least = states.min(axis=0)
    widths = states.max(axis=0) - least + 1
    if float(np.prod(widths.astype(np.float64))) < 2.0**62:
        places = np.cumprod(np.append(1, widths[:-1]))
        _, firsts, into = np.unique(
            (states - least) @ places, return_index=True, return_inverse=True
        )
    else:
        _, firsts, into = np.unique(states, axis=0, return_index=True, return_inverse=True)
    return states[firsts], into.reshape(-1)


# --- random words ---------------------------------------------------------------------------------


def words(seed: int, number: int) -> Iterator[int]:
    """Random words of a deal's own stream (SplitMix64, see :mod:`bidcascade.kernels.dealing`)."""
    state = mixed(seed) + number * _WORDS_PER_DEAL * GAMMA
    while True:
        state = state + GAMMA & _WORD
        yield mixed(state)


def below(stream: Iterator[int], limit: int) -> int:
    """Uniform number from 0 to below a limit of any size, without bias."""
    bits = (limit - 1).bit_length()
    while True:
        found = 0
        for _ in range(-(-bits // 64)):
            found = found << 64 | next(stream)
        found >>= -bits % 64
        if found < limit:
            return found


def _keys(seed: int, numbers: U64) -> U64:
    """Random words for the cards of deals, uint64[n, 52]."""
    places: Any = numbers[:, np.newaxis] * np.uint64(64) + np.arange(1, 53, dtype=np.uint64)
    return mixed_words(np.uint64(mixed(seed & _WORD)) + places * np.uint64(GAMMA))


# --- what is counted ------------------------------------------------------------------------------


def counted_within(
    allowed: Sequence[int], constraints: Sequence[DealConstraint], budget: int
) -> CountedDeals:
    """Count deals by as many conditions as the budget allows, the rarest last to be left aside."""
    left = [(one, share_of(one)) for one in constraints]
    fewer = 1
    while True:
        try:
            return CountedDeals(allowed, [one for one, _ in left], budget=budget)
        except TooManyStates:
            # less is asked, and may take less
            budget = max(budget // 2, _LEAST_BUDGET)
        coupled = [isinstance(one, OfHand) and one.is_coupled for one, _ in left]
        if any(coupled):
            left = [
                (part, share_of(part))
                for (one, _), is_coupled in zip(left, coupled, strict=True)
                for part in (one.apart() if is_coupled and isinstance(one, OfHand) else (one,))
            ]
        else:
            # without the one that random deals meet most often, then without half of the rest
            left.sort(key=lambda one: one[1])
            del left[len(left) - fewer :]
            fewer = max(1, len(left) // 2)
