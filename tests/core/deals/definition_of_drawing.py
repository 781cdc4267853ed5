"""How layouts are drawn, in plain Python: the core draws the same cards from the same words.

:mod:`bidcascade.inference.layouts.drawing` says how. Points are those of honours (jack 1 to ace 4),
shapes are clubs, diamonds, hearts and spades.
"""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations
from math import comb, prod
from typing import NamedTuple

from bidcascade.kernels.dealing import GAMMA, mixed

Shape = tuple[int, ...]
WORD = (1 << 64) - 1
HALF = (1 << 32) - 1


class Stream:
    """SplitMix64, from a word that is mixed already."""

    def __init__(self, state: int) -> None:
        self.state = state & WORD

    def word(self) -> int:
        self.state = self.state + GAMMA & WORD
        return mixed(self.state)

    def below(self, limit: int) -> int:
        while True:
            word = self.word()
            # the last words would make the smaller numbers likelier
            if word < (1 << 64) // limit * limit:
                return word % limit

    def turn(self, ways: Sequence[int]) -> tuple[int, int]:
        """Choose one of several by the ways that it stands for, and which of these."""
        total = sum(ways)
        return self.find(ways, self.below(total) if total > 1 else 0)

    @staticmethod
    def find(ways: Sequence[int], turn: int) -> tuple[int, int]:
        for number, own in enumerate(ways):
            if turn < own:
                return number, turn
            turn -= own
        raise AssertionError("expected a turn below the number of ways")


def lengths(hand: int) -> Shape:
    return tuple((hand >> 13 * suit & 0x1FFF).bit_count() for suit in range(4))


def points(hand: int) -> int:
    return sum(
        rank - 8 for suit in range(4) for rank in range(9, 13) if hand >> 13 * suit + rank & 1
    )


def number_of(shape: Shape) -> int:
    return shape[0] + 14 * shape[1] + 196 * shape[2]


@cache
def ways(holding: int, length: int, value: int) -> int:
    """Sets of so many cards with so many points of a holding of a suit."""
    return sum(own for _, own in _honours(holding, length, value))


def _honours(holding: int, length: int, value: int) -> list[tuple[int, int]]:
    spots = (holding & 0x1FF).bit_count()
    return [
        (taken, comb(spots, length - taken.bit_count()))
        for taken in range(0, 1 << 13, 1 << 9)
        if not taken & ~holding and points(taken) == value and length >= taken.bit_count()
    ]


@cache
def pair_ways(first: int, second: int, shape: Shape, value: int) -> int:
    """Sets of two holdings, of so many cards each and so many points together."""
    return sum(
        ways(first, shape[0], one) * ways(second, shape[1], value - one)
        for one in range(11)
        if 0 <= value - one < 11
    )


def draw_suit(stream: Stream, holding: int, length: int, value: int) -> int:
    choices = _honours(holding, length, value)
    number, turn = stream.turn([own for _, own in choices])
    taken = choices[number][0]
    spots = [1 << place for place in range(9) if holding >> place & 1]
    # sets of spots in the order of their bits
    sets = sorted(sum(one) for one in combinations(spots, length - taken.bit_count()))
    return taken | sets[turn]


class Counted(NamedTuple):
    """What a seat can draw: by allowed shape the lengths that are drawn, the points, the hands."""

    cards: int
    forced: int
    rows: list[tuple[Shape, list[int], int]]

    @property
    def total(self) -> int:
        return sum(count for *_, count in self.rows)

    def holdings(self) -> list[int]:
        return [self.cards >> 13 * suit & 0x1FFF for suit in range(4)]

    def hands(self, shape: Shape, value: int) -> list[int]:
        """Count the hands that draw such lengths and points, by the points of the minors."""
        clubs, diamonds, hearts, spades = self.holdings()
        return [
            pair_ways(clubs, diamonds, shape[:2], minors)
            * pair_ways(hearts, spades, shape[2:], value - minors)
            if 0 <= value - minors <= 20
            else 0
            for minors in range(21)
        ]

    def draw_cell(self, stream: Stream, shape: Shape, value: int) -> int:
        holdings = self.holdings()
        minors, _ = stream.turn(self.hands(shape, value))
        found = self.forced
        for suit, both in ((0, minors), (2, value - minors)):
            splits = [
                ways(holdings[suit], shape[suit], one)
                * ways(holdings[suit + 1], shape[suit + 1], both - one)
                if 0 <= both - one <= 10
                else 0
                for one in range(11)
            ]
            first, _ = stream.turn(splits)
            for place, own in ((suit, first), (suit + 1, both - first)):
                found |= draw_suit(stream, holdings[place], shape[place], own) << 13 * place
        return found

    def draw(self, stream: Stream) -> int:
        row, turn = stream.find([count for *_, count in self.rows], stream.below(self.total))
        shape, values, _ = self.rows[row]
        value, _ = stream.find([sum(self.hands(shape, one)) for one in values], turn)
        return self.draw_cell(stream, shape, values[value])


def count_hands(
    cards: int,
    forced: int,
    rest: int,
    shapes: Sequence[Shape],
    fits: Callable[[Shape, int], bool],
    other_fits: Callable[[Shape, int], bool] = lambda shape, value: True,
) -> Counted:
    """Count what a seat can draw, where another one that must fit gets the rest."""
    counted = Counted(cards, forced, [])
    for whole in shapes:
        shape = tuple(one - own for one, own in zip(whole, lengths(forced), strict=True))
        left = tuple(all_of - one for all_of, one in zip(lengths(rest), whole, strict=True))
        allowed = [
            value
            for value in range(41)
            if min(left) >= 0 <= min(shape)
            and fits(whole, value + points(forced))
            and points(rest) - points(forced) - value >= 0
            and other_fits(left, points(rest) - points(forced) - value)
        ]
        hands = [sum(counted.hands(shape, value)) for value in allowed]
        counted.rows.append((shape, allowed, sum(hands)))
    return counted


def draw_uniform(stream: Stream, cards: int, count: int) -> int:
    """Set of so many of some cards; the smaller of the two parts is drawn, by halves of words."""
    places = [1 << card for card in range(52) if cards >> card & 1]
    drawn = min(count, len(places) - count)
    halves: list[int] = []
    found = 0
    for place in range(drawn):
        limit = len(places) - place
        while True:
            if not halves:
                word = stream.word()
                halves = [word & HALF, word >> 32]
            chosen, rest = divmod(halves.pop(0) * limit, 1 << 32)
            if rest >= (1 << 32) % limit:
                break
        found |= places[place + chosen]
        places[place + chosen] = places[place]
    return found if drawn == count else cards ^ found


def stream_of(seed: int, number: int) -> Stream:
    return Stream(seed + number * 256 * GAMMA)


class Seat(NamedTuple):
    """What a hidden seat may draw: how many cards, which not, and shapes with points."""

    size: int
    forbidden: int
    shapes: Sequence[Shape]
    fits: Callable[[Shape, int], bool]


def deal_rest(
    seed: int, numbers: Sequence[int], free: int, seats: Sequence[Seat], first: Counted
) -> list[tuple[int, list[int]]]:
    """Layouts that are kept: numbers of the proposals, and the hands."""
    cells = [
        (shape, value, hands)
        for shape, values, _ in first.rows
        for value in values
        if (hands := sum(first.hands(shape, value)))
    ]
    kept = []
    for number in numbers:
        stream = stream_of(seed, number)
        turn = stream.below(sum(hands for *_, hands in cells))
        cell, _ = stream.find([hands for *_, hands in cells], turn)
        hands = [first.draw_cell(stream, *cells[cell][:2])]
        left = free & ~hands[0]
        for place, seat in enumerate(seats[1:], 1):
            hand = left if place == len(seats) - 1 else draw_uniform(stream, left, seat.size)
            if hand & seat.forbidden or not seat.fits(lengths(hand), points(hand)):
                break
            hands.append(hand)
            left &= ~hand
        if len(hands) == len(seats):
            kept.append((number, hands))
    return kept


def deal_exactly(
    seed: int, numbers: Sequence[int], free: int, seats: Sequence[Seat], first: Counted
) -> list[tuple[int, list[int], int]]:
    """Layouts that are kept: numbers of the proposals, the hands, and their weights."""
    kept = []
    for number in numbers:
        stream = stream_of(seed, number)
        hands, totals = [first.draw(stream)], []
        left = free & ~hands[0]
        for place, seat in enumerate(seats[1:-1], 1):
            after = seats[place + 1]
            is_joint = place == len(seats) - 2
            forced = left & after.forbidden if is_joint else 0
            if forced & seat.forbidden:
                totals.append(0)
                break
            own = count_hands(
                left & ~seat.forbidden & ~forced,
                forced,
                left,
                seat.shapes,
                seat.fits,
                *([after.fits] if is_joint else []),
            )
            totals.append(own.total)
            if not own.total:
                break
            hands.append(own.draw(stream))
            left &= ~hands[-1]
        if all(totals):
            kept.append((number, [*hands, left], prod(totals)))
    return kept
