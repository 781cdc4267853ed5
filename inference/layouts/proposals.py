"""Layouts proposed within what is known of shapes and points, in two ways; compiled by numba.

``deal_rest`` draws the most restricted hand exactly and deals the others at random from what is
left: every layout it keeps is equally likely, and it is fast; but most are thrown away where two
hands are restricted. ``deal_exactly`` draws hand after hand among those that leave the others
possible, the last two together; a layout then carries the number of ways that it stood for as its
weight. Both keep only layouts in which every hand has an allowed shape with allowed points.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from bidcascade.inference.layouts.drawing import (
    WORDS_PER_PROPOSAL,
    below,
    count_bits,
    draw_from_cell,
    draw_uniform,
    half_ways,
    points_of,
    shape_index,
    suit_ways,
)
from bidcascade.kernels.dealing import GAMMA

U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

_ONE = np.uint64(1)
_HOLDING = np.uint64(0x1FFF)
_NOTHING = np.uint64(0)


@njit(cache=True, nogil=True)
def allowed_points(
    shape: I64, masks: U64, others: U64, joint: int, rest_shape: int, rest_points: int
) -> Any:
    """Tell the points (a bit each) that a hand may have with a shape.

    Jointly with the hand that gets the rest, if ``joint``.
    """
    number = shape[0] + 14 * shape[1] + 196 * shape[2]
    mask = masks[number]
    if mask == 0 or joint == 0:
        return mask
    other = others[rest_shape - number]
    both = _NOTHING
    for points in range(min(rest_points, 40) + 1):
        bit = _ONE << np.uint64(points)
        if mask & bit and (other >> np.uint64(rest_points - points)) & _ONE:
            both |= bit
    return both


@njit(cache=True, nogil=True)
def count_cells(
    cards: np.uint64,
    forced: np.uint64,
    rest: np.uint64,
    shapes: I64,
    masks: U64,
    others: U64,
    joint: int,
    wanted: I64,
    ways: I64,
    minors: I64,
    majors: I64,
    out_masks: U64,
    out_counts: I64,
) -> int:
    """Count the hands that a seat can draw: in all, and by shape.

    Parameters
    ----------
    cards
        That it draws from.
    forced
        Cards that it gets in any case, part of its shape and points.
    rest
        All cards of this seat and, if ``joint``, the one that gets what is left.
    shapes : int64 [k, 4]
        Allowed shapes of the seat.
    masks, others : uint64 [2744]
        Allowed points by shape, of the seat and of the one that gets the rest.
    wanted : int64 [2, 14, 14]
        Lengths of minors and majors that shapes have.
    ways, minors, majors
        Filled for :func:`draw_from_cell`.
    out_masks, out_counts : [k]
        Points by shape, as the drawn part has them, and hands by shape.
    """
    suit_ways(cards, ways)
    half_ways(ways[0], ways[1], wanted[0], minors)
    half_ways(ways[2], ways[3], wanted[1], majors)
    rest_shape = shape_index(rest)
    rest_points = points_of(rest)
    own_points = points_of(forced)
    own = np.empty(4, np.int64)
    room = np.empty(4, np.int64)
    most = np.empty(4, np.int64)
    for suit in range(4):
        own[suit] = count_bits((forced >> np.uint64(13 * suit)) & _HOLDING)
        most[suit] = count_bits((cards >> np.uint64(13 * suit)) & _HOLDING)
        room[suit] = count_bits((rest >> np.uint64(13 * suit)) & _HOLDING)
    total = 0
    sums = np.empty(22, np.int64)
    drawn = np.empty(4, np.int64)
    for row in range(len(shapes)):
        out_counts[row] = 0
        possible = True
        for suit in range(4):
            drawn[suit] = shapes[row, suit] - own[suit]
            if drawn[suit] < 0 or drawn[suit] > most[suit] or shapes[row, suit] > room[suit]:
                possible = False
        if not possible:
            continue
        mask = allowed_points(shapes[row], masks, others, joint, rest_shape, rest_points)
        mask >>= np.uint64(own_points)
        out_masks[row] = mask
        if mask == 0:
            continue
        low = minors[drawn[0], drawn[1]]
        high = majors[drawn[2], drawn[3]]
        # sums of ways with fewer points, so that a run of allowed points is one difference
        sums[0] = 0
        for points in range(21):
            sums[points + 1] = sums[points] + high[points]
        count = 0
        points = 0
        while mask >> np.uint64(points) and points <= 40:
            if not (mask >> np.uint64(points)) & _ONE:
                points += 1
                continue
            first = points
            while points <= 40 and (mask >> np.uint64(points)) & _ONE:
                points += 1
            for left in range(min(20, points - 1) + 1):
                if low[left]:
                    top = min(points - left, 21)
                    bottom = max(first - left, 0)
                    if top > bottom:
                        count += low[left] * (sums[top] - sums[bottom])
        out_counts[row] = count
        total += count
    return total


@njit(cache=True, nogil=True)
def draw_counted(
    stream: U64,
    cards: np.uint64,
    forced: np.uint64,
    shapes: I64,
    ways: I64,
    minors: I64,
    majors: I64,
    masks: U64,
    counts: I64,
    total: int,
) -> np.uint64:
    """Draw a hand among those that :func:`count_cells` has counted, all equally likely."""
    turn = below(stream, total)
    row = 0
    while turn >= counts[row]:
        turn -= counts[row]
        row += 1
    lengths = np.empty(4, np.int64)
    for suit in range(4):
        lengths[suit] = shapes[row, suit] - count_bits((forced >> np.uint64(13 * suit)) & _HOLDING)
    low = minors[lengths[0], lengths[1]]
    high = majors[lengths[2], lengths[3]]
    points = 0
    while True:
        if (masks[row] >> np.uint64(points)) & _ONE:
            count = 0
            for left in range(max(0, points - 20), min(points, 20) + 1):
                count += low[left] * high[points - left]
            if turn < count:
                break
            turn -= count
        points += 1
    return forced | draw_from_cell(stream, cards, lengths, points, ways, minors, majors)


@njit(cache=True, nogil=True)
def deal_rest(
    seed: np.uint64,
    first: int,
    count: int,
    free: np.uint64,
    sizes: I64,
    forbidden: U64,
    allowed: U64,
    cards: np.uint64,
    forced: np.uint64,
    lengths: I64,
    cell_points: I64,
    cell_ends: I64,
    ways: I64,
    minors: I64,
    majors: I64,
    hands: U64,
    numbers: I64,
) -> int:
    """Propose layouts: hand 0 exactly from its cells, the others at random from what is left.

    Seats are in the order of dealing; ``sizes`` [m], ``forbidden`` [m], ``allowed`` [m, 2744] say
    what each needs. Hand 0 is ``forced`` with more of ``cards``: the cells of that part are
    ``lengths`` [k, 4] with ``cell_points`` [k], and ``cell_ends`` [k] adds their hands up.
    Kept layouts are written to ``hands`` [m, count] with
    the numbers of their proposals; returns how many.
    """
    seats = len(sizes)
    places = np.empty(52, np.uint64)
    stream = np.empty(1, np.uint64)
    total = cell_ends[-1]
    kept = 0
    for number in range(first, first + count):
        stream[0] = seed + np.uint64(number) * np.uint64(WORDS_PER_PROPOSAL) * np.uint64(GAMMA)
        turn = below(stream, total)
        low = 0
        high = len(cell_ends) - 1
        while low < high:
            middle = (low + high) >> 1
            if cell_ends[middle] > turn:
                high = middle
            else:
                low = middle + 1
        hand = forced | draw_from_cell(
            stream, cards, lengths[low], cell_points[low], ways, minors, majors
        )
        hands[0, kept] = hand
        left = free & ~hand
        good = True
        for seat in range(1, seats):
            hand = draw_uniform(stream, left, sizes[seat], places) if seat < seats - 1 else left
            if (hand & forbidden[seat]) or not (
                allowed[seat, shape_index(hand)] >> np.uint64(points_of(hand))
            ) & _ONE:
                good = False
                break
            hands[seat, kept] = hand
            left &= ~hand
        if good:
            numbers[kept] = number
            kept += 1
    return kept


@njit(cache=True, nogil=True)
def deal_exactly(
    seed: np.uint64,
    first: int,
    count: int,
    free: np.uint64,
    forbidden: U64,
    allowed: U64,
    all_shapes: I64,
    shape_starts: I64,
    wanted: I64,
    first_total: int,
    first_cards: np.uint64,
    first_masks: U64,
    first_counts: I64,
    first_ways: I64,
    first_minors: I64,
    first_majors: I64,
    hands: U64,
    weights: F64,
    numbers: I64,
) -> int:
    """Propose layouts hand by hand, each among those that leave the next one possible.

    With at least three seats. ``all_shapes`` [.., 4] are the allowed shapes of all seats, those of
    seat ``s`` from ``shape_starts[s]`` on; the numbers of hand 0 come ready. The weight of a layout
    is the product of the numbers of hands that the later seats could have drawn.
    """
    seats = len(forbidden)
    stream = np.empty(1, np.uint64)
    longest = 0
    for seat in range(seats):
        longest = max(longest, shape_starts[seat + 1] - shape_starts[seat])
    ways = np.empty((4, 14, 11), np.int64)
    minors = np.zeros((14, 14, 21), np.int64)
    majors = np.zeros((14, 14, 21), np.int64)
    masks = np.empty(longest, np.uint64)
    counts = np.empty(longest, np.int64)
    kept = 0
    for number in range(first, first + count):
        stream[0] = seed + np.uint64(number) * np.uint64(WORDS_PER_PROPOSAL) * np.uint64(GAMMA)
        hand = draw_counted(
            stream, first_cards, _NOTHING, all_shapes[: shape_starts[1]], first_ways,
            first_minors, first_majors, first_masks, first_counts, first_total,
        )  # fmt: skip
        hands[0, kept] = hand
        left = free & ~hand
        weight = 1.0
        for seat in range(1, seats - 1):
            shapes = all_shapes[shape_starts[seat] : shape_starts[seat + 1]]
            joint = 1 if seat == seats - 2 else 0
            forced = _NOTHING
            cards = left & ~forbidden[seat]
            if joint:
                forced = left & forbidden[seat + 1]
                if forced & forbidden[seat]:
                    weight = 0.0
                    break
                cards &= ~forced
            total = count_cells(
                cards, forced, left, shapes, allowed[seat], allowed[seat + 1], joint,
                wanted[seat], ways, minors, majors, masks, counts,
            )  # fmt: skip
            if total == 0:
                weight = 0.0
                break
            weight *= total
            hand = draw_counted(
                stream, cards, forced, shapes, ways, minors, majors, masks, counts, total
            )
            hands[seat, kept] = hand
            left &= ~hand
        if weight > 0.0:
            hands[seats - 1, kept] = left
            weights[kept] = weight
            numbers[kept] = number
            kept += 1
    return kept


@njit(cache=True, nogil=True)
def list_cells(
    shapes: I64, forced: np.uint64, masks: U64, counts: I64, minors: I64, majors: I64,
    lengths: I64, points: I64, ends: I64,
) -> int:  # fmt: skip
    """List the cells of hands that :func:`count_cells` has counted; returns how many.

    Fills ``lengths`` [.., 4] and ``points`` of the drawn part, and the running sums ``ends``.
    """
    size = 0
    total = 0
    for row in range(len(shapes)):
        if counts[row] == 0:
            continue
        for suit in range(4):
            lengths[size, suit] = shapes[row, suit] - count_bits(
                (forced >> np.uint64(13 * suit)) & _HOLDING
            )
        low = minors[lengths[size, 0], lengths[size, 1]]
        high = majors[lengths[size, 2], lengths[size, 3]]
        for value in range(41):
            if not (masks[row] >> np.uint64(value)) & _ONE:
                continue
            count = 0
            for left in range(max(0, value - 20), min(value, 20) + 1):
                count += low[left] * high[value - left]
            if count:
                total += count
                for suit in range(4):
                    lengths[size + 1, suit] = lengths[size, suit]
                points[size] = value
                ends[size] = total
                size += 1
    return size
