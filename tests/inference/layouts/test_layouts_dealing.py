"""Dealing within shapes and points: on small decks every layout as likely as it should be."""

from collections import Counter

import numpy as np
import pytest

from bidcascade.bridge import FULL_DECK, parse_hand
from bidcascade.inference.layouts.dealing import ANY_HAND, Dealing, points_by_shape
from bidcascade.systems.places.knowledge import EVERYTHING, HANDS, LENGTHS, to_cells
from tests.inference.layouts.support_layouts import all_layouts, allowed_table, lengths, points

# hearts and spades: honours and small ones, so that points and lengths both matter
DECK_9 = sum(1 << 26 + rank for rank in (0, 1, 9, 11, 12)) | sum(
    1 << 39 + rank for rank in (0, 10, 11, 12)
)
DECK_12 = sum(1 << 13 * suit + rank for suit in (2, 3) for rank in (0, 1, 9, 10, 11, 12))


def three_hands(limits=True):
    """Dealing of nine cards to three hands, each restricted in another way."""
    anything = allowed_table(3)
    if not limits:
        return Dealing((0, 0, 0, 0), (0,) * 4, [anything] * 4, (3, 3, 0, 3), DECK_9)
    return Dealing(
        (0, 0, 0, 0),
        (0, 1 << 51, 0, 0),
        [
            allowed_table(3, lambda shape, value: shape[2] >= 2 and 4 <= value <= 9),
            allowed_table(3, lambda shape, value: value <= 9),
            anything,
            allowed_table(3, lambda shape, value: shape[3] <= 2 and value % 2 == 0),
        ],
        (3, 3, 0, 3),
        DECK_9,
    )


def fitting(dealing):
    """All layouts of a small dealing by brute force, as tuples of four hands."""
    found = []
    free = [dealing.sizes[seat] - dealing.fixed[seat].bit_count() for seat in range(4)]
    for drawn in all_layouts(dealing.free, free):
        hands = tuple(one | fixed for one, fixed in zip(drawn, dealing.fixed, strict=True))
        good = all(
            not drawn[seat] & dealing.forbidden[seat]
            and int(dealing.allowed[seat][np.dot(lengths(hands[seat])[:3], (1, 14, 196))])
            >> points(hands[seat])
            & 1
            for seat in range(4)
            if dealing.sizes[seat]
        )
        if good:
            found.append(hands)
    return found


def spread(counts, expected):
    """Chi-square of counts against expected numbers, in standard deviations."""
    statistic = float(((counts - expected) ** 2 / expected).sum())
    free = len(counts) - 1
    return (statistic - free) / np.sqrt(2 * free)


@pytest.mark.parametrize("limits", [False, True])
def test_plain_proposals_are_uniform(limits):
    dealing = three_hands(limits)
    possible = fitting(dealing)
    found = dealing.propose(seed=3, first=0, count=100_000)
    counts = Counter(zip(*found.hands.tolist(), strict=True))
    assert set(counts) <= set(possible)
    seen = np.array([counts[one] for one in possible])
    assert abs(spread(seen, seen.sum() / len(possible))) < 5
    assert (found.weights == 1).all()


@pytest.mark.parametrize("limits", [False, True])
def test_weights_are_the_number_of_hands_that_could_have_been_drawn(limits):
    dealing = three_hands(limits)
    possible = fitting(dealing)
    first = dealing.seats[0]
    ways = Counter(one[first] for one in possible)
    found = dealing.propose_exactly(seed=4, first=0, count=50_000)
    hands = list(zip(*found.hands.tolist(), strict=True))
    assert found.weights.tolist() == [ways[one[first]] for one in hands]
    # weighted counts are the same for all layouts: the expectation of each is the same
    counts = Counter(hands)
    assert set(counts) <= set(possible)
    share = np.array([1 / ways[one] for one in (layout[first] for layout in possible)])
    seen = np.array([counts[one] for one in possible])
    assert abs(spread(seen, len(hands) * share / share.sum())) < 5


def test_four_hands_weighted():
    deck = sum(1 << 13 * suit + rank for suit in (0, 3) for rank in (0, 10, 11, 12))
    small = allowed_table(2, lambda shape, value: value <= 5)
    anything = allowed_table(2)
    pair = allowed_table(2, lambda shape, value: shape[0] == 1)
    dealing = Dealing((0,) * 4, (0,) * 4, [anything, small, pair, small], (2, 2, 2, 2), deck)
    possible = fitting(dealing)
    found = dealing.propose_exactly(seed=5, first=0, count=200_000)
    weights = Counter()
    squares = Counter()
    hands = list(zip(*found.hands.tolist(), strict=True))
    for one, weight in zip(hands, found.weights.tolist(), strict=True):
        weights[one] += weight
        squares[one] += weight * weight
    assert set(weights) == set(possible)
    total = np.array([weights[one] for one in possible])
    deviation = np.sqrt([squares[one] for one in possible])
    assert (np.abs(total - total.mean()) / deviation).max() < 5


@pytest.mark.parametrize("hidden", [1, 2])
def test_two_hands_are_drawn_together(hidden):
    fixed = [0, 0, 0, 0]
    cards = [1 << bit for bit in range(52) if DECK_12 >> bit & 1]
    fixed[1] = sum(cards[:4])
    if hidden == 1:
        fixed[3] = sum(cards[4:8])
    dealing = Dealing(
        tuple(fixed),
        (1 << 50, 0, 0, 0),
        [allowed_table(4, lambda shape, value: value < 14), *[allowed_table(4)] * 3],
        (4, 4, 0, 4),
        DECK_12,
    )
    possible = fitting(dealing)
    if not possible:
        assert dealing.is_impossible
        return
    assert dealing.is_exact
    found = dealing.propose(seed=6, first=0, count=20_000)
    assert found.hands.shape[1] == 20_000
    counts = Counter(zip(*found.hands.tolist(), strict=True))
    assert set(counts) == set(possible)
    seen = np.array([counts[one] for one in possible])
    if len(possible) > 1:
        assert abs(spread(seen, seen.sum() / len(possible))) < 5


def test_known_parts_of_hands_are_kept():
    cards = [1 << bit for bit in range(52) if DECK_12 >> bit & 1]
    fixed = (cards[11] | cards[0], cards[5], 0, 0)
    table = allowed_table(4, lambda shape, value: value >= 6)
    dealing = Dealing(
        fixed, (0, cards[10], 0, cards[9]), [table, *[allowed_table(4)] * 3], (4, 4, 0, 4), DECK_12
    )
    possible = fitting(dealing)
    for found in (
        dealing.propose(seed=1, first=0, count=300_000),
        dealing.propose_exactly(seed=1, first=0, count=30_000),
    ):
        hands = set(zip(*found.hands.tolist(), strict=True))
        assert hands == set(possible)


def test_proposals_do_not_depend_on_chunks():
    dealing = Dealing((0,) * 4, (0,) * 4, (ANY_HAND,) * 4)
    for propose in (dealing.propose, dealing.propose_exactly):
        whole = propose(seed=9, first=0, count=100)
        parts = [propose(seed=9, first=first, count=25) for first in range(0, 100, 25)]
        assert (np.concatenate([part.hands for part in parts], axis=1) == whole.hands).all()
        assert np.concatenate([part.numbers for part in parts]).tolist() == list(range(100))
    other = dealing.propose(seed=10, first=0, count=100)
    assert (other.hands != dealing.propose(seed=9, first=0, count=100).hands).any()


def test_counts_of_full_hands_are_exact():
    strong = to_cells(np.repeat((LENGTHS[:, 3] == 5)[:, None], 38, axis=1)) & EVERYTHING
    dealing = Dealing((0,) * 4, (0,) * 4, (points_by_shape(strong), *(ANY_HAND,) * 3))
    expected = HANDS[LENGTHS[:, 3] == 5].sum() / HANDS.sum()
    assert dealing.seats[0] == 0
    assert dealing.alone(0) == pytest.approx(expected, rel=1e-12)


def test_impossible_dealings():
    weak = to_cells(np.broadcast_to(np.arange(38) <= 3, (560, 38)))
    aces = sum(1 << 13 * suit + 12 for suit in range(4))
    strong_hand = parse_hand("AKQJ.AKQJ.AKQJ.A")
    dealing = Dealing((aces, 0, 0, 0), (0,) * 4, (points_by_shape(weak), *(ANY_HAND,) * 3))
    assert dealing.is_impossible
    assert dealing.seats_without_hands == (0,)
    known = Dealing((strong_hand, 0, 0, 0), (0,) * 4, (points_by_shape(weak), *(ANY_HAND,) * 3))
    assert known.is_impossible
    assert known.seats_without_hands == (0,)
    assert not Dealing((aces, 0, 0, 0), (0,) * 4, (ANY_HAND,) * 4).is_impossible


def test_nothing_hidden():
    hands = tuple(0x1FFF << 13 * suit for suit in range(4))
    dealing = Dealing(hands, (0,) * 4, (ANY_HAND,) * 4)
    found = dealing.propose(seed=1, first=0, count=3)
    assert found.hands.shape == (4, 3)
    assert (np.bitwise_or.reduce(found.hands) == np.uint64(FULL_DECK)).all()
