"""Known cards as text, and bounds that follow from one another."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import FULL_DECK, InvalidHand, Seat, format_hand, parse_hand
from bidcascade.inference.layouts.dealing import tightened
from bidcascade.inference.layouts.known import SPOT_CARDS, KnownCards, known_by_seat, parse_known
from bidcascade.kernels.dealing import deal_hands
from bidcascade.kernels.packing.literals import Interval
from bidcascade.systems.places.knowledge import Hull
from tests.inference.layouts.support_layouts import lengths, points

ANYTHING = Hull((0, 37), ((0, 13), (0, 13), (0, 13), (0, 13)))


@given(st.integers(0, 2**40))
def test_whole_hands(number):
    hand = int(deal_hands(1, number, 1)[0, 0])
    known = KnownCards.parse(format_hand(hand))
    assert known.cards == hand
    assert known.is_whole


@given(st.integers(0, 2**40))
def test_hands_with_spots_fit_what_is_written(number):
    hand = int(deal_hands(1, number, 1)[0, 0])
    parts = format_hand(hand).split(".")
    # format_hand writes the highest card first, so that spots come last
    spots = [re.sub("[2-9]", "x", part) for part in parts]
    known = KnownCards.parse(".".join(spots))
    assert not known.cards & ~hand
    assert not known.forbidden & hand
    assert [low for low, _ in known.lengths] == list(lengths(hand))
    low_cards = sum(SPOT_CARDS << 13 * suit for suit in range(4))
    assert (hand & ~known.cards) & ~low_cards == 0


def test_open_suits():
    known = KnownCards.parse("AK+.Qx+.-.+")
    assert known.lengths == ((0, 13), (0, 0), (2, 13), (2, 13))
    assert known.forbidden == 0x1FFF << 13


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AKQ.AKQ.AKQ", "expected"),
        ("AKQ.AKQ.AKQ.AKQ", "expected 13 cards, got 12 in hand 'AKQ"),
        ("AKQ.AKQ.AKQ.AKx", "expected 13 cards, got 12 in hand"),
        ("AKxxx.Qx.xxx.K432", "expected 13 cards, got 14 in hand"),
        ("AKxxx.Qx+.xxx.K432", "expected at most 13 cards, got 14 in hand"),
        ("AAK.+.+.+", "comes twice"),
        ("AK.Z+.+.+", "ranks, x and"),
        ("AK?.+.+.+", "ranks, x and"),
        ("AKQJT987.65432.2", "expected"),
        ("xxxxxxxxxxxxxx...", "at most 13"),
        ("xxxxxxxxx.+.+.+", "a length of S"),
        ("AKQJT98765432.A.+.+", "at most 13 cards, got 14"),
    ],
)
def test_texts_that_are_no_hand(text, message):
    with pytest.raises(InvalidHand, match=message):
        KnownCards.parse(text)


def test_bad_known_cards():
    with pytest.raises(InvalidHand, match="both held and not held"):
        KnownCards(cards=1, forbidden=1)
    with pytest.raises(InvalidHand, match="mask of 52 cards"):
        KnownCards(cards=FULL_DECK + 1)
    with pytest.raises(InvalidHand, match="13 cards that the hand may hold, got 5"):
        KnownCards(forbidden=FULL_DECK >> 5)
    with pytest.raises(InvalidHand, match="lengths that 13 cards have, got at least 16 cards"):
        KnownCards(lengths=((4, 5),) * 4)
    with pytest.raises(InvalidHand, match="lengths that 13 cards have, got at most 12 cards"):
        KnownCards(lengths=((0, 3),) * 4)
    with pytest.raises(InvalidHand, match="four suits"):
        KnownCards(lengths=((0, 13),))
    with pytest.raises(InvalidHand, match="a seat and a hand"):
        parse_known(["AKQJ"])
    with pytest.raises(ValueError, match="each seat once"):
        parse_known(["N:A+.+.+.+", "n:K+.+.+.+"])


def test_seats():
    hand = parse_hand("AKQJT98765432...")
    known = known_by_seat({Seat.SOUTH: hand, Seat.WEST: "-.A+.+.+"})
    assert [one.is_whole for one in known] == [False, False, True, False]
    assert list(parse_known(["S:AKQJT98765432...", "W:-.A+.+.+"])) == [Seat.SOUTH, Seat.WEST]


@given(st.integers(0, 2**40), st.data())
def test_bounds_keep_every_deal_within_them(number, data):
    """Whatever true conditions are added, the deal stays within the bounds."""
    hands = deal_hands(2, number, 1)[:, 0].tolist()
    strength = [points(hand) for hand in hands]
    shapes = [lengths(hand) for hand in hands]
    boxes = [
        Hull(
            (max(0, strength[seat] - 2), strength[seat] + 3),
            tuple((max(0, one - 1), one + 2) for one in shapes[seat]),
        )
        for seat in range(4)
    ]
    first, second = data.draw(st.permutations(range(4)))[:2]
    suit = data.draw(st.integers(0, 3))
    letters = "NESW"
    both = strength[first] + strength[second]
    fit = shapes[first][suit] - shapes[second][suit]
    conditions = [
        Interval(
            tuple(sorted(((f"HCP_{letters[first]}", 1), (f"HCP_{letters[second]}", 1)))),
            both,
            both + 1,
        ),
        Interval(
            (
                (f"SL_{letters[first]}_{'CDHS'[suit]}", 1),
                (f"SL_{letters[second]}_{'CDHS'[suit]}", -1),
            ),
            fit - 1,
            fit,
        ),
    ]
    found = tightened(boxes, 40, [13] * 4, [13] * 4, conditions)
    assert found is not None
    for seat, box in enumerate(found):
        assert box.points[0] <= strength[seat] <= box.points[1]
        assert all(
            low <= one <= high for (low, high), one in zip(box.lengths, shapes[seat], strict=True)
        )


def test_bounds_that_exclude_each_other():
    strong = Hull((21, 37), ANYTHING.lengths)
    assert tightened([strong, ANYTHING, strong, ANYTHING], 40, [13] * 4, [13] * 4) is None
    spades = Hull((0, 37), ((0, 13), (0, 13), (0, 13), (7, 13)))
    assert tightened([spades, spades, ANYTHING, ANYTHING], 40, [13] * 4, [13] * 4) is None
