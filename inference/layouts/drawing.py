"""Layouts drawn within what is known of shapes and points, in two ways; compiled by numba.

A hand is drawn exactly: first its shape and points by the number of hands that have them, then how
the points split between minors and majors and between suits, then the honours, then the spots.
Random words are those of :mod:`bidcascade.kernels.dealing` (SplitMix64); every proposal reads a
stream of its own, so chunks and threads do not matter.

``deal_rest`` draws the most restricted hand exactly and deals the others at random from what is
left: every layout it keeps is equally likely, and it is fast; but most are thrown away where two
hands are restricted. ``deal_exactly`` draws hand after hand among those that leave the others
possible, the last two together; a layout then carries the number of ways that it stood for as its
weight. Both keep only layouts in which every hand has an allowed shape with allowed points.
"""

from math import comb
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.compiled import compiled
from bidcascade.kernels.dealing import GAMMA, MIX_1, MIX_2
from bidcascade.kernels.types import U64
from bidcascade.kernels.words import popcount

I64: TypeAlias = NDArray[np.int64]
F64: TypeAlias = NDArray[np.float64]

_WORDS_PER_PROPOSAL: Final = 256
"""Random words between the streams of two proposals; one needs about sixty."""
_SPOTS: Final = 9
"""Cards of a suit below the jack: 2 to T, bits 0-8 of a holding; the honours are bits 9-12."""
_ONE = np.uint64(1)
_HOLDING = np.uint64(0x1FFF)

# --- tables: of spots only the number matters to shape and points ---------------------------------

HONOUR_POINTS: Final[I64] = np.array(
    [sum(bit + 1 for bit in range(4) if honours >> bit & 1) for honours in range(16)], np.int64
)
"""Points of a set of honours, bit 0 the jack."""
_HONOUR_COUNT: Final[I64] = np.bitwise_count(np.arange(16)).astype(np.int64)
_CHOOSE: Final[I64] = np.array([[comb(n, k) for k in range(14)] for n in range(14)], np.int64)


def _ways() -> I64:
    table = np.zeros((_SPOTS + 1, 16, 14, 11), np.int64)
    for honours in range(16):
        for taken in range(16):
            if not taken & ~honours:
                first = _HONOUR_COUNT[taken]
                table[:, honours, first : first + 10, HONOUR_POINTS[taken]] += _CHOOSE[:10, :10]
    return table


_WAYS: Final = _ways()
"""Ways by spots left, set of honours left, cards drawn and points drawn: int64 [10, 16, 14, 11]."""

_BY_SIZE: Final = [
    [[one for one in range(1 << spots) if one.bit_count() == size] for size in range(_SPOTS + 2)]
    for spots in range(_SPOTS + 1)
]
_SUBSETS: Final = np.array([one for row in _BY_SIZE for sets in row for one in sets], np.uint16)
_SUBSET_STARTS: Final[I64] = np.cumsum(
    [0, *(len(sets) for row in _BY_SIZE for sets in row)][:-1]
).reshape(_SPOTS + 1, _SPOTS + 2)
"""``_SUBSETS[_SUBSET_STARTS[spots, size] + i]`` is the i-th of ``size`` among ``spots`` spots, a
bit for each spot that is left, lowest first."""

# --- words and sets of cards ----------------------------------------------------------------------


@compiled(inline="always")
def _mix(word: Any) -> Any:
    word = (word ^ (word >> np.uint64(30))) * np.uint64(MIX_1)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(MIX_2)
    return word ^ (word >> np.uint64(31))


@compiled
def uniform_of(seed: np.uint64, numbers: I64) -> F64:
    """Random numbers from 0 to below 1, one for each number; the same for the same number."""
    found = np.empty(len(numbers))
    for place, number in enumerate(numbers):
        found[place] = np.float64(
            _mix(seed + np.uint64(number) * np.uint64(GAMMA)) >> np.uint64(11)
        )
    return found * 2.0**-53


@compiled(inline="always")
def _next_word(stream: U64) -> Any:
    stream[0] += np.uint64(GAMMA)
    return _mix(stream[0])


@compiled
def _below(stream: U64, limit: Any) -> Any:
    """Uniform number from 0 to below a limit, without bias."""
    size = np.uint64(limit)
    last = np.uint64(0) - size
    while True:
        word = _next_word(stream)
        found = word % size
        if word - found <= last:
            return np.int64(found)


@compiled(inline="always")
def _count(word: Any) -> Any:
    return np.int64(popcount(word))


@compiled(inline="always")
def _length(cards: Any, suit: int) -> Any:
    return _count((cards >> np.uint64(13 * suit)) & _HOLDING)


@compiled(inline="always")
def _shape_number(hand: Any) -> Any:
    """Clubs + 14 diamonds + 196 hearts; a hand's size gives the spades."""
    return _length(hand, 0) + 14 * _length(hand, 1) + 196 * _length(hand, 2)


@compiled(inline="always")
def _points(hand: Any) -> Any:
    jacks = np.uint64(0x1000800400200)
    return (
        _count(hand & jacks)
        + 2 * _count(hand & (jacks << np.uint64(1)))
        + 3 * _count(hand & (jacks << np.uint64(2)))
        + 4 * _count(hand & (jacks << np.uint64(3)))
    )


# --- how many hands there are ---------------------------------------------------------------------


class Draw(NamedTuple):
    """Hands that a seat can draw, counted: shape by shape and in all."""

    cards: np.uint64
    """That it draws from."""
    forced: np.uint64
    """That it gets in any case, part of its shape and points."""
    shapes: I64
    """Allowed shapes, [k, 4]."""
    masks: U64
    """Points of the drawn part by shape, a bit each."""
    counts: I64
    """Hands by shape."""
    total: int
    ways: I64
    """Per suit, the ways to draw k cards with p points, [4, 14, 11]."""
    minors: I64
    majors: I64
    """Ways to draw from two suits, by lengths and points [14, 14, 21], where shapes ask for it."""


@compiled
def _two_suits(first: I64, second: I64, wanted: I64) -> I64:
    found = np.empty((14, 14, 21), np.int64)
    for one in range(14):
        for two in range(14 - one):
            if wanted[one, two]:
                for points in range(21):
                    found[one, two, points] = 0
                for left in range(11):
                    if first[one, left]:
                        for right in range(11):
                            found[one, two, left + right] += first[one, left] * second[two, right]
    return found


@compiled
def _allowed_points(
    shape: I64, masks: U64, others: U64, joint: int, rest_shape: int, rest_points: int
) -> Any:
    """Points (a bit each) that a hand may have with a shape.

    Jointly with the hand that gets the rest, if ``joint``.
    """
    number = shape[0] + 14 * shape[1] + 196 * shape[2]
    mask = masks[number]
    if mask == 0 or joint == 0:
        return mask
    other = others[rest_shape - number]
    both = np.uint64(0)
    for points in range(min(rest_points, 40) + 1):
        bit = _ONE << np.uint64(points)
        if mask & bit and (other >> np.uint64(rest_points - points)) & _ONE:
            both |= bit
    return both


@compiled
def _hands_within(low: I64, high: I64, mask: np.uint64, sums: I64) -> Any:
    """Ways to draw minors (by points) and majors whose points together are allowed."""
    # sums of ways with fewer points, so that a run of allowed points is one difference
    sums[0] = 0
    for points in range(21):
        sums[points + 1] = sums[points] + high[points]
    count = 0
    points = 0
    while points <= 40 and mask >> np.uint64(points):
        first = points
        while points <= 40 and (mask >> np.uint64(points)) & _ONE:
            points += 1
        if points > first:
            for left in range(min(20, points - 1) + 1):
                if low[left]:
                    top, bottom = min(points - left, 21), max(first - left, 0)
                    if top > bottom:
                        count += low[left] * (sums[top] - sums[bottom])
        points += 1
    return count


@compiled
def count_hands(
    cards: np.uint64, forced: np.uint64, rest: np.uint64, shapes: I64, allowed: U64, others: U64,
    joint: int, wanted: I64,
) -> Draw:  # fmt: skip
    """Count the hands that a seat can draw, by allowed points by shape number [2744].

    ``rest`` are all cards of this seat and, if ``joint``, the one that gets what is left, which
    ``others`` are the points of; ``wanted`` [2, 14, 14] are lengths of minors and majors to count.
    """
    ways = np.empty((4, 14, 11), np.int64)
    for suit in range(4):
        holding = np.int64((cards >> np.uint64(13 * suit)) & _HOLDING)
        ways[suit] = _WAYS[_count(np.uint64(holding & 0x1FF)), holding >> 9]
    minors = _two_suits(ways[0], ways[1], wanted[0])
    majors = _two_suits(ways[2], ways[3], wanted[1])
    masks = np.zeros(len(shapes), np.uint64)
    counts = np.zeros(len(shapes), np.int64)
    rest_shape, rest_points = _shape_number(rest), _points(rest)
    own_points = np.uint64(_points(forced))
    sums = np.empty(22, np.int64)
    scratch = np.empty((4, 4), np.int64)
    own, most, room, drawn = scratch[0], scratch[1], scratch[2], scratch[3]
    for suit in range(4):
        own[suit], most[suit] = _length(forced, suit), _length(cards, suit)
        room[suit] = _length(rest, suit)
    total = 0
    for row in range(len(shapes)):
        possible = True
        for suit in range(4):
            drawn[suit] = shapes[row, suit] - own[suit]
            if not 0 <= drawn[suit] <= most[suit] or shapes[row, suit] > room[suit]:
                possible = False
                break
        if possible:
            mask = _allowed_points(shapes[row], allowed, others, joint, rest_shape, rest_points)
            mask >>= own_points
            if mask:
                masks[row] = mask
                counts[row] = _hands_within(
                    minors[drawn[0], drawn[1]], majors[drawn[2], drawn[3]], mask, sums
                )
                total += counts[row]
    return Draw(cards, forced, shapes, masks, counts, total, ways, minors, majors)


# --- hands drawn ----------------------------------------------------------------------------------


@compiled(inline="always")
def _split(stream: U64, low: I64, high: I64, points: int) -> Any:
    """Points of the first of two parts, by the ways that either part has with its points."""
    most = len(low) - 1
    first = max(0, points - most)
    total = 0
    for left in range(first, min(points, most) + 1):
        total += low[left] * high[points - left]
    turn = _below(stream, total) if total > 1 else 0
    left = first
    while turn >= low[left] * high[points - left]:
        turn -= low[left] * high[points - left]
        left += 1
    return left


@compiled
def _draw_suit(stream: U64, holding: Any, length: Any, points: Any) -> Any:
    """Uniform set of so many cards with so many points from a holding that has one."""
    spots = _count(np.uint64(holding & 0x1FF))
    honours = holding >> 9
    total = _WAYS[spots, honours, length, points]
    turn = _below(stream, total) if total > 1 else 0
    taken = 0
    while True:
        if (taken & ~honours) == 0 and HONOUR_POINTS[taken] == points:
            more = length - _HONOUR_COUNT[taken]
            if 0 <= more <= spots:
                ways = _CHOOSE[spots, more]
                if turn < ways:
                    break
                turn -= ways
        taken += 1
    subset = np.int64(_SUBSETS[_SUBSET_STARTS[spots, more] + turn])
    found = taken << 9
    left = holding & 0x1FF
    while subset:
        low = left & -left
        if subset & 1:
            found |= low
        left ^= low
        subset >>= 1
    return found


@compiled(inline="always")
def _draw_two_suits(stream: U64, draw: Draw, suit: int, lengths: I64, points: Any) -> Any:
    """Draw two neighbouring suits, ``suit`` the lower, with given lengths and points."""
    left = _split(stream, draw.ways[suit, lengths[suit]], draw.ways[suit + 1, lengths[suit + 1]],
                  points)  # fmt: skip
    found = np.uint64(0)
    for one, own in ((suit, left), (suit + 1, points - left)):
        holding = np.int64((draw.cards >> np.uint64(13 * one)) & _HOLDING)
        part = _draw_suit(stream, holding, lengths[one], own)
        found |= np.uint64(part) << np.uint64(13 * one)
    return found


@compiled(inline="always")
def _draw_cell(stream: U64, draw: Draw, lengths: I64, points: int) -> Any:
    """Uniform hand whose drawn part has given lengths [4] and points."""
    left = _split(stream, draw.minors[lengths[0], lengths[1]], draw.majors[lengths[2], lengths[3]],
                  points)  # fmt: skip
    minors = _draw_two_suits(stream, draw, 0, lengths, left)
    return draw.forced | minors | _draw_two_suits(stream, draw, 2, lengths, points - left)


@compiled
def _draw_counted(stream: U64, draw: Draw) -> Any:
    """Draw a hand among those that were counted, all equally likely."""
    turn = _below(stream, draw.total)
    row = 0
    while turn >= draw.counts[row]:
        turn -= draw.counts[row]
        row += 1
    lengths = np.empty(4, np.int64)
    for suit in range(4):
        lengths[suit] = draw.shapes[row, suit] - _length(draw.forced, suit)
    low = draw.minors[lengths[0], lengths[1]]
    high = draw.majors[lengths[2], lengths[3]]
    points = 0
    while True:
        if (draw.masks[row] >> np.uint64(points)) & _ONE:
            count = 0
            for left in range(max(0, points - 20), min(points, 20) + 1):
                count += low[left] * high[points - left]
            if turn < count:
                return _draw_cell(stream, draw, lengths, points)
            turn -= count
        points += 1


@compiled
def _draw_uniform(stream: U64, cards: np.uint64, count: int, places: U64) -> Any:
    """Uniform set of so many of some cards; ``places`` is scratch for 52 of them."""
    size = 0
    left = cards
    while left:
        low = left & (~left + _ONE)
        places[size] = low
        size += 1
        left ^= low
    # the smaller of the two parts is drawn
    drawn = min(count, size - count)
    found = np.uint64(0)
    half = np.uint64(0xFFFFFFFF)
    by_half = np.uint64(32)
    word = np.uint64(0)
    fresh = False
    for place in range(drawn):
        limit = np.uint64(size - place)
        while True:
            if fresh:
                bits = word >> by_half
            else:
                word = _next_word(stream)
                bits = word & half
            fresh = not fresh
            product = bits * limit
            rest = product & half
            if rest >= limit or rest >= (half - limit + _ONE) % limit:
                break
        chosen = place + np.int64(product >> by_half)
        card = places[chosen]
        places[chosen] = places[place]
        found |= card
    return found if drawn == count else cards ^ found


# --- layouts proposed -----------------------------------------------------------------------------


@compiled
def deal_rest(
    seed: np.uint64, first: int, count: int, free: np.uint64, sizes: I64, forbidden: U64,
    allowed: U64, draw: Draw, lengths: I64, points: I64, ends: I64,
) -> tuple[U64, I64]:  # fmt: skip
    """Propose layouts: hand 0 exactly from its cells, the others at random from what is left.

    Seats are in the order of dealing; ``sizes`` [m], ``forbidden`` [m], ``allowed`` [m, 2744] say
    what each needs. The cells of hand 0 are ``lengths`` [k, 4] with ``points`` [k], and ``ends``
    [k] adds their hands up. Returns the layouts that are kept and the numbers of their proposals.
    """
    seats = len(sizes)
    hands = np.empty((seats, count), np.uint64)
    numbers = np.empty(count, np.int64)
    places = np.empty(52, np.uint64)
    stream = np.empty(1, np.uint64)
    kept = 0
    for number in range(first, first + count):
        stream[0] = seed + np.uint64(number) * np.uint64(_WORDS_PER_PROPOSAL) * np.uint64(GAMMA)
        turn = _below(stream, ends[-1])
        cell, high = 0, len(ends) - 1
        while cell < high:
            middle = (cell + high) >> 1
            if ends[middle] > turn:
                high = middle
            else:
                cell = middle + 1
        hand = _draw_cell(stream, draw, lengths[cell], points[cell])
        hands[0, kept] = hand
        left = free & ~hand
        good = True
        for seat in range(1, seats):
            hand = _draw_uniform(stream, left, sizes[seat], places) if seat < seats - 1 else left
            mask = allowed[seat, _shape_number(hand)]
            if (hand & forbidden[seat]) or not (mask >> np.uint64(_points(hand))) & _ONE:
                good = False
                break
            hands[seat, kept] = hand
            left &= ~hand
        if good:
            numbers[kept] = number
            kept += 1
    return hands[:, :kept], numbers[:kept]


@compiled
def deal_exactly(
    seed: np.uint64, first: int, count: int, free: np.uint64, forbidden: U64, allowed: U64,
    draw: Draw, shapes: I64, starts: I64, wanted: I64,
) -> tuple[U64, F64, I64]:  # fmt: skip
    """Propose layouts hand by hand, each among those that leave the next one possible.

    With at least three seats. ``shapes`` [.., 4] are the allowed shapes of all seats, those of seat
    ``s`` from ``starts[s]`` on; the numbers of hand 0 come ready. The weight of a layout is the
    product of the numbers of hands that the later seats could have drawn.
    """
    seats = len(forbidden)
    hands = np.empty((seats, count), np.uint64)
    weights = np.empty(count)
    numbers = np.empty(count, np.int64)
    stream = np.empty(1, np.uint64)
    kept = 0
    for number in range(first, first + count):
        stream[0] = seed + np.uint64(number) * np.uint64(_WORDS_PER_PROPOSAL) * np.uint64(GAMMA)
        hands[0, kept] = _draw_counted(stream, draw)
        left = free & ~hands[0, kept]
        weight = 1.0
        for seat in range(1, seats - 1):
            joint = 1 if seat == seats - 2 else 0
            forced = left & forbidden[seat + 1] if joint else np.uint64(0)
            if forced & forbidden[seat]:
                weight = 0.0
                break
            own = count_hands(
                left & ~forbidden[seat] & ~forced, forced, left,
                shapes[starts[seat] : starts[seat + 1]], allowed[seat], allowed[seat + 1], joint,
                wanted[seat],
            )  # fmt: skip
            weight *= own.total
            if own.total == 0:
                break
            hands[seat, kept] = _draw_counted(stream, own)
            left &= ~hands[seat, kept]
        if weight > 0.0:
            hands[seats - 1, kept] = left
            weights[kept] = weight
            numbers[kept] = number
            kept += 1
    return hands[:, :kept], weights[:kept], numbers[:kept]
