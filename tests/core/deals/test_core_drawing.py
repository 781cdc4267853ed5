"""Layouts counted and drawn by the core: word for word as in plain Python; what it refuses."""

from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import FULL_DECK, BackendUnavailable
from bidcascade.inference.layouts import drawing
from bidcascade.inference.layouts.dealing import ANY_HAND, Dealing
from bidcascade.kernels.core import functions
from bidcascade.kernels.core.functions import most_of_suit, move_states
from bidcascade.kernels.core.tables.tables import CoreTable, TableTests, checked_table, judge
from bidcascade.kernels.dealing import mixed
from tests.core.deals import definition_of_drawing as plain
from tests.support.examples import examples

SHAPES = [shape for shape in product(range(14), repeat=4) if sum(shape) <= 13]


def fits_of(table):
    return lambda shape, value: int(table[plain.number_of(shape)]) >> value & 1 == 1


@st.composite
def dealings(draw, hidden=(2, 3, 4)):
    """Hands of which some are known, and the others in part; small ones, so that counting ends."""
    random = Random(draw(st.integers(0, 1 << 30)))
    size = draw(st.integers(2, 4))
    deck = random.sample(range(52), 4 * size)
    fixed, forbidden, allowed = [0] * 4, [0] * 4, []
    seats = random.sample(range(4), random.choice(hidden))
    for seat in range(4):
        own, deck = deck[:size], deck[size:]
        known = own if seat not in seats else own[: random.choice((0, 0, 1))]
        fixed[seat] = sum(1 << card for card in known)
        deck += own[len(known) :]
    for seat in seats:
        forbidden[seat] = sum(1 << card for card in random.sample(deck, random.choice((0, 0, 1))))
    for _ in range(4):
        table = np.zeros(14**3, np.uint64)
        for shape in SHAPES:
            if sum(shape) == size and random.random() < draw(st.sampled_from((0.7, 1))):
                table[plain.number_of(shape)] = random.getrandbits(41) | random.getrandbits(41)
        allowed.append(table)
    free = sum(1 << card for card in deck)
    whole = free | fixed[0] | fixed[1] | fixed[2] | fixed[3]
    return Dealing(fixed, forbidden, allowed, (size,) * 4, whole)


def seats_of(dealing):
    """What the definition asks of the hidden seats in their order."""
    found = []
    for seat in dealing.seats:
        masks, shapes = dealing._drawn[seat]
        size = dealing.sizes[seat] - dealing.fixed[seat].bit_count()
        rows = [tuple(shape) for shape in shapes.tolist()]
        found.append(plain.Seat(size, dealing.forbidden[seat], rows, fits_of(masks)))
    return found


def first_of(dealing, seats):
    is_joint = len(seats) == 2
    forced = dealing.free & seats[1].forbidden if is_joint else 0
    shapes = [] if forced & seats[0].forbidden else seats[0].shapes
    return plain.count_hands(
        dealing.free & ~seats[0].forbidden & ~forced,
        forced,
        dealing.free,
        shapes,
        seats[0].fits,
        *([seats[1].fits] if is_joint else []),
    )


@given(dealings(), st.integers(0, (1 << 64) - 1), st.integers(0, 1000))
def test_hands_are_drawn_as_defined(dealing, seed, first):
    if dealing.is_impossible:
        return
    seats = seats_of(dealing)
    counted = first_of(dealing, seats)
    assert dealing._first.total == counted.total
    assert dealing._first.counts.tolist() == [count for *_, count in counted.rows]
    kept = plain.deal_rest(mixed(seed), range(first, first + 8), dealing.free, seats, counted)
    hands, numbers = drawing.deal_rest(
        mixed(seed), first, 8, dealing.free, dealing._first, dealing._rest_constraints
    )
    assert list(zip(numbers.tolist(), hands.T.tolist(), strict=True)) == kept


@given(dealings(hidden=(3, 4)), st.integers(0, (1 << 64) - 1))
def test_hand_after_hand_is_drawn_as_defined(dealing, seed):
    if dealing.is_impossible:
        return
    seats = seats_of(dealing)
    kept = plain.deal_exactly(mixed(seed), range(5), dealing.free, seats, first_of(dealing, seats))
    hands, weights, numbers = drawing.deal_exactly(
        mixed(seed), 0, 5, dealing.free, dealing._first, dealing._exact_constraints
    )
    assert list(zip(numbers.tolist(), hands.T.tolist(), weights.tolist(), strict=True)) == kept


def test_whole_hands_are_drawn_as_defined():
    few = np.zeros(14**3, np.uint64)
    for shape in ((5, 3, 3, 2), (4, 4, 4, 1), (2, 6, 3, 2), (13, 0, 0, 0)):
        few[plain.number_of(shape)] = np.uint64(0b111 << 12)
    dealing = Dealing((0,) * 4, (0, 1 << 51, 0, 0b101), (few, ANY_HAND, few, ANY_HAND))
    seats = seats_of(dealing)
    counted = first_of(dealing, seats)
    assert dealing._first.total == counted.total
    kept = plain.deal_rest(mixed(3), range(60), FULL_DECK, seats, counted)
    found = dealing.propose(seed=3, first=0, count=60)
    assert found.numbers.tolist() == [number for number, _ in kept]


ANYTHING = Dealing((0,) * 4, (0,) * 4, (ANY_HAND,) * 4)


def rest_with(**arrays):
    needs = drawing.RestConstraints(**ANYTHING._rest_constraints._arrays)
    needs.set(**arrays)
    return needs


def exact_with(**arrays):
    needs = drawing.ExactConstraints(**ANYTHING._exact_constraints._arrays)
    needs.set(**arrays)
    return needs


def changed(array, place, value):
    array = array.copy()
    array[place] = value
    return array


REST, EXACT = ANYTHING._rest_constraints, ANYTHING._exact_constraints


@pytest.mark.parametrize(
    "arrays",
    [
        {"sizes": changed(REST.sizes, 1, 53)},
        {"sizes": changed(REST.sizes, 1, -1)},
        {"sizes": REST.sizes[:3]},
        {"allowed": REST.allowed[:3]},
        {"points": changed(REST.points, 0, 41)},
        {"points": changed(REST.points, 0, -1)},
        {"lengths": changed(REST.lengths, (0, 2), 14)},
        {"lengths": changed(REST.lengths, (0, 2), -1)},
        {"ends": changed(REST.ends, 0, 0)},
        {"ends": changed(REST.ends, 1, 0)},
        {"ends": REST.ends[:-1]},
        {"ends": REST.ends[:0], "points": REST.points[:0], "lengths": REST.lengths[:0]},
    ],
    ids=lambda arrays: next(iter(arrays)),
)
def test_wrong_cells_are_refused(arrays):
    with pytest.raises(ValueError, match="expected numbers within the arrays"):
        drawing.deal_rest(1, 0, 2, FULL_DECK, ANYTHING._first, rest_with(**arrays))


@pytest.mark.parametrize(
    "arrays",
    [
        {"forbidden": EXACT.forbidden[:2]},
        {"allowed": EXACT.allowed[:3]},
        {"shapes": changed(EXACT.shapes, (5, 0), 14)},
        {"shapes": changed(EXACT.shapes, (5, 0), -1)},
        {"starts": changed(EXACT.starts, 4, len(EXACT.shapes) + 1)},
        {"starts": changed(EXACT.starts, 1, -1)},
        {"starts": np.array([0, 1, 2, 3, 2240])},
        {"wanted": EXACT.wanted[:3]},
    ],
    ids=lambda arrays: next(iter(arrays)),
)
def test_wrong_seats_are_refused(arrays):
    with pytest.raises(ValueError, match="expected numbers within the arrays"):
        drawing.deal_exactly(1, 0, 2, FULL_DECK, ANYTHING._first, exact_with(**arrays))


@pytest.mark.parametrize("which", ["free", "cards", "count", "nothing", "too many"])
def test_wrong_draws_are_refused(which):
    free, count = FULL_DECK, 2
    draw = replace(ANYTHING)._first
    if which == "free":
        free = 1 << 52
    elif which == "cards":
        draw.cards = 1 << 60
    elif which == "count":
        count = -1
    elif which == "nothing":
        draw.counts[:] = 0
    else:
        draw.counts[3] = 1 << 62
    with pytest.raises(ValueError, match=r"expected numbers within|negative dimensions"):
        drawing.deal_exactly(1, 0, count, free, draw, EXACT)


def test_without_a_core_it_is_missed(monkeypatch):
    functions.function.cache_clear()
    monkeypatch.setattr(functions, "load", lambda: None)
    with pytest.raises(BackendUnavailable, match="draws layouts"):
        Dealing((0,) * 4, (0,) * 4, (ANY_HAND,) * 4).propose(seed=1, first=0, count=1)
    functions.function.cache_clear()


# --- judges, states and suits --------------------------------------------------------------------


NEVER = (0x01 * 0x0101010101010101, 0, 0, 0)
"""Low, high, needed and forbidden of a box that no hand passes."""


def table_of(boxes, offsets, members) -> CoreTable:
    """Table of boxes of one word of lanes and one of flags, without columns or nodes."""
    rows = [
        word
        for low, high, need, forbid in boxes
        for word in (low, high | 0x8080808080808080, need | forbid, need)
    ]
    arrays = {name: np.zeros(0, kind) for name, (kind,) in TableTests.fields.items()}
    arrays |= {
        "rows": np.array(rows, np.uint64), "column_offsets": np.zeros(len(boxes) + 1, np.int32),
        "set_offsets": np.array(offsets, np.uint32), "set_boxes": np.array(members, np.uint32),
        "derived_offsets": np.zeros(1, np.uint32),
        "sizes": np.ones(2, np.int32),
    }  # fmt: skip
    return checked_table(None, TableTests(**arrays), None)


def judged(words, boxes, sets, steps, *, hasty):
    """Judge in plain Python, of lanes of bytes and one word of flags."""

    def passes(hand, number):
        low, high, need, forbid = boxes[number]
        lanes = [
            (hand[0] >> shift & 0x7F, low >> shift & 0x7F, high >> shift & 0x7F)
            for shift in range(0, 64, 8)
        ]
        return (
            all(least <= value <= most for value, least, most in lanes)
            and hand[1] & need == need
            and not hand[1] & forbid
        )

    def holds(hand, box):
        return any(passes(hand, one) for one in (sets[box - (1 << 31)] if box >> 31 else [box]))

    found = []
    for deal in range(len(words[0])):
        row: list[bool] = []
        for position, options, default in steps:
            first = [made for box, made in options if holds(words[position][deal], box)]
            row.append((first[0] if first else default) and (not hasty or all(row)))
        found.append(row)
    return found


LANES = st.integers(0, (1 << 64) - 1).map(lambda word: word & 0x0303030303030303)
FLAGS = st.integers(0, 7)


@given(st.data(), st.booleans())
def test_layouts_are_judged(data, hasty):
    deals = data.draw(st.integers(0, 4))
    words = data.draw(
        st.lists(
            st.lists(st.tuples(LANES, FLAGS), min_size=deals, max_size=deals),
            min_size=4,
            max_size=4,
        )
    )
    boxes = data.draw(
        st.lists(
            st.tuples(LANES, LANES.map(lambda one: one | 0x7F7F7F7F7F7F7F), FLAGS, FLAGS),
            min_size=1,
            max_size=4,
        )
    )
    boxes = [
        (0, 0, 0, 0),
        NEVER,
        *((low, high, need, forbid & ~need) for low, high, need, forbid in boxes),
    ]
    sets = data.draw(st.lists(st.lists(st.integers(0, len(boxes) - 1)), max_size=3))
    box = st.integers(0, len(boxes) - 1)
    if sets:
        box |= st.integers(1 << 31, (1 << 31) + len(sets) - 1)
    options = st.lists(st.tuples(box, st.booleans()), max_size=3)
    steps = data.draw(st.lists(st.tuples(st.integers(0, 3), options, st.booleans()), max_size=4))
    listed = [one for _, options, _ in steps for one in options]
    found = judge(
        table_of(boxes, np.cumsum([0, *map(len, sets)]), [one for some in sets for one in some]),
        np.array(words, np.uint64).reshape(4, deals, 2),
        (np.array([position for position, *_ in steps], np.int64),
         np.cumsum([0, *(len(options) for _, options, _ in steps)], dtype=np.int64),
         np.array([one for one, _ in listed], np.uint32),
         np.array([made for _, made in listed], np.bool_),
         np.array([default for *_, default in steps], np.bool_)), hasty=hasty,
    )  # fmt: skip
    assert found.tolist() == judged(words, boxes, sets, steps, hasty=hasty)


@pytest.mark.parametrize(
    ("row", "start", "box", "offset", "member"),
    [(4, 1, 0, 1, 0), (-1, 1, 0, 1, 0), (0, 2, 0, 1, 0), (0, -1, 0, 1, 0), (0, 1, 3, 1, 0),
     (0, 1, (1 << 31) + 1, 1, 0), (0, 1, 0, 2, 0), (0, 1, 0, 1, 3)],
)  # fmt: skip
def test_wrong_steps_are_refused(row, start, box, offset, member):
    with pytest.raises(ValueError, match="expected numbers within the arrays"):
        judge(
            table_of([NEVER] * 3, [0, offset], [member]), np.zeros((4, 1, 2), np.uint64),
            (np.array([row]), np.array([0, start]), np.array([box], np.uint32),
             np.ones(1, np.bool_), np.ones(1, np.bool_)), hasty=False,
        )  # fmt: skip


def moved(states, step, joint, low, high, rests, is_raw, *, room, is_last):
    """Move states in plain Python."""
    found = []
    for row, (*sums, left) in enumerate(states):
        for taken in range(left if is_last else 0, left + 1):
            rest = left - taken
            now = [one + taken * more for one, more in zip(sums, step, strict=False)]
            every = [*now, *(sum(np.array(now)[one]) for one in joint)]
            ends = [
                (one + rests[0][n] + rest * rests[2][n], one + rests[1][n] + rest * rests[3][n])
                for n, one in enumerate(every)
            ]
            if all(end[1] >= low[n] and end[0] <= high[n] for n, end in enumerate(ends)):
                kept = [
                    one
                    if is_raw[n] or ends[n][0] < low[n] or ends[n][1] > high[n]
                    else one - ends[n][0] + low[n]
                    for n, one in enumerate(now)
                ]
                found.append(([*kept, rest], row, taken))
    return found[:room]


@given(st.data())
def test_states_are_moved(data):
    columns, others = data.draw(st.integers(1, 3)), data.draw(st.integers(0, 2))
    sums = columns + others
    small = st.integers(-6, 6)
    states = data.draw(st.lists(st.tuples(*[small] * columns, st.integers(0, 4)), max_size=5))
    step = [*data.draw(st.tuples(*[small] * columns)), -1]
    joint = data.draw(st.tuples(*[st.tuples(*[st.booleans()] * columns)] * others))
    low, width = (data.draw(st.tuples(*[one] * sums)) for one in (small, st.integers(0, 15)))
    rests = data.draw(st.tuples(*[st.tuples(*[small] * sums)] * 4))
    is_raw = data.draw(st.tuples(*[st.booleans()] * columns))
    room, is_last = data.draw(st.integers(0, 20)), data.draw(st.booleans())
    high = [one + more for one, more in zip(low, width, strict=True)]
    joint_rows = np.array(joint, np.bool_).reshape(others, columns)
    found = move_states(
        np.array(states, np.int64).reshape(-1, columns + 1),
        np.array(step),
        joint_rows,
        np.array(low),
        np.array(high),
        np.array(rests),
        np.array(is_raw),
        room=room,
        is_last=is_last,
    )
    expected = moved(states, step, joint_rows, low, high, rests, is_raw, room=room, is_last=is_last)
    assert list(zip(*(one.tolist() for one in found), strict=True)) == expected


def test_states_of_other_widths_are_refused():
    two = np.zeros(2, np.int64)
    with pytest.raises(ValueError, match="expected states of 1 sums"):
        move_states(
            np.zeros((1, 3), np.int64),
            two,
            np.zeros((1, 1), np.bool_),
            two,
            two,
            np.zeros((4, 2), np.int64),
            np.zeros(1, np.bool_),
            room=1,
            is_last=False,
        )


@given(st.lists(st.lists(st.integers(-9, 9), min_size=14, max_size=14), min_size=4, max_size=4))
@examples(10)
def test_most_of_a_suit(by_length):
    counts = np.bitwise_count(np.arange(1 << 13))
    expected = max(
        sum(values[one] for values, one in zip(by_length, lengths, strict=True))
        for lengths in product(range(14), repeat=4)
        if sum(lengths) == 13
    )
    assert most_of_suit(np.ascontiguousarray(np.array(by_length)[:, counts])) == expected


def test_most_of_a_suit_by_its_cards():
    ranks = np.arange(1 << 13)
    own = [np.where(ranks >> place & 1, 7 + place, 0) for place in (3, 0, 12, 5)]
    assert most_of_suit(np.stack(own)) == 10 + 7 + 19 + 12
    with pytest.raises(ValueError, match="expected a value for each holding"):
        most_of_suit(np.zeros((4, 9), np.int64))
