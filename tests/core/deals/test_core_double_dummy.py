"""The core's double-dummy solver against plain minimax and DDS, and what it refuses."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import FULL_DECK, parse_card, parse_deal, parse_hand
from bidcascade.inference.double_dummy import DoubleDummyPool
from bidcascade.kernels.core.functions import solve_plays, solve_tables
from bidcascade.kernels.dealing import deal_hands
from tests.support.endings import endings, minimax
from tests.support.examples import examples, sized


def solved(hands: Any, strain: Any, first: Any, trick: Any) -> Any:
    found = np.full((1, 52), -1, np.int8)
    row = np.full((1, 3), 255, np.uint8)
    row[0, : len(trick)] = trick
    solve_plays(
        np.array(hands, np.uint64).reshape(4, 1), np.array([strain]), np.array([first]), row, found
    )
    return found[0]


@given(endings(3))
@examples(60)
def test_endings_are_minimax(ending):
    hands, strain, first, trick = ending
    masks = [sum(1 << card for card in hand) for hand in hands]
    found = solved(masks, strain, first, trick)
    assert {card: int(found[card]) for card in np.flatnonzero(found >= 0)} == minimax(*ending)


@pytest.mark.parametrize(
    ("strain", "first", "trick", "hand"),
    [(5, 0, (), 1), (-1, 0, (), 1), (4, 4, (), 1), (4, -1, (), 1), (4, 0, (52,), 1),
     (4, 0, (0, 254), 1), (4, 0, (), 1 << 52)],
)  # fmt: skip
def test_wrong_endings_are_refused(strain, first, trick, hand):
    with pytest.raises(ValueError, match="expected numbers within the arrays"):
        solved([hand, 2, 4, 8], strain, first, trick)


def test_no_endings():
    none = np.zeros(0, np.int64)
    solve_plays(
        np.zeros((4, 0), np.uint64),
        none,
        none,
        np.zeros((0, 3), np.uint8),
        np.zeros((0, 52), np.int8),
    )


def is_ending(hands: list[set[int]], first: int, trick: list[int]) -> bool:
    """Whether there is a play that leaves these hands."""
    sizes = [len(hand) for hand in hands]
    for place in range(len(trick)):
        sizes[(first + place) % 4] += 1
    cards = [card for hand in hands for card in hand] + trick
    return len(set(cards)) == len(cards) and len(set(sizes)) == 1 and sizes[0] > 0


@given(
    st.lists(st.sets(st.integers(0, 51), max_size=3), min_size=4, max_size=4),
    st.integers(0, 4),
    st.integers(0, 3),
    st.lists(st.integers(0, 51), max_size=3),
)
def test_hands_that_are_no_ending_are_refused(hands, strain, first, trick):
    masks = [sum(1 << card for card in hand) for hand in hands]
    if is_ending(hands, first, trick):
        assert solved(masks, strain, first, trick).max() >= 0
    else:
        with pytest.raises(ValueError, match="expected numbers within the arrays"):
            solved(masks, strain, first, trick)


def test_a_low_card_of_the_leader_may_be_higher_than_the_partners():
    # where the cards of partners change places, what one of them cashes is not the same any more
    hands = [
        parse_hand(text, cards=cards)
        for text, cards in (("2.J.AQ6.K", 6), ("A5.AK..QT", 6), ("QT8.53.J.", 6), ("3.72..J82", 6))
    ]
    assert solved(hands, 2, 1, ())[parse_card("CT")] == 4


def random_endings(count: int, cards: int, seed: int) -> Any:
    """Hands of so many cards, strains, leaders and cards of the trick under way."""
    chance = np.random.default_rng(seed)
    hands = np.zeros((4, count), np.uint64)
    strain, first = chance.integers(0, 5, count), chance.integers(0, 4, count)
    trick = np.full((count, 3), 255, np.uint8)
    for number in range(count):
        dealt = chance.permutation(52)[: 4 * cards].reshape(4, cards).tolist()
        for place in range(chance.integers(0, 4)):
            own = dealt[(first[number] + place) % 4]
            following = [card for card in own if place and card // 13 == trick[number, 0] // 13]
            trick[number, place] = chance.choice(following or own)
            own.remove(trick[number, place])
        hands[:, number] = [sum(1 << card for card in hand) for hand in dealt]
    return hands, strain, first, trick


def played_on(chance: Any, cards: int) -> list[tuple[list[int], int, tuple[int, ...]]]:
    """Hands, leader and trick at each card of an ending at notrump that is played at random."""
    hands = chance.permutation(52)[: 4 * cards].reshape(4, cards).tolist()
    trick: list[int] = []
    first, found = int(chance.integers(0, 4)), []
    for _ in range(4 * cards):
        found.append(([sum(1 << card for card in hand) for hand in hands], first, tuple(trick)))
        own = hands[(first + len(trick)) % 4]
        following = [card for card in own if trick and card // 13 == trick[0] // 13]
        trick.append(int(chance.choice(following or own)))
        own.remove(trick[-1])
        if len(trick) == 4:
            led = [card if card // 13 == trick[0] // 13 else -1 for card in trick]
            first, trick = (first + int(np.argmax(led))) % 4, []
    return found


def test_what_is_kept_from_card_to_card_does_not_change_answers():
    # in reverse order each position is solved without what was found before
    chance = np.random.default_rng(2)
    positions = [position for _ in range(3) for position in played_on(chance, 9)]
    hands = np.array([hands for hands, _, _ in positions], np.uint64).T
    first = np.array([first for _, first, _ in positions])
    trick = np.full((len(positions), 3), 255, np.uint8)
    for number, (_, _, played) in enumerate(positions):
        trick[number, : len(played)] = played

    def found(order: Any) -> Any:
        answers = np.full((len(positions), 52), -1, np.int8)
        own = np.full_like(first, 4)
        solve_plays(np.ascontiguousarray(hands[:, order]), own, first[order], trick[order], answers)
        return answers[np.argsort(order)]

    in_order = np.arange(len(positions))
    np.testing.assert_array_equal(found(in_order), found(in_order[::-1]))


# --- whole deals ---------------------------------------------------------------------------------

FREAKS = (
    # each a suit; two suits each; a hand without help against all the honours
    "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432",
    "N:AKQJT98.765432.. 765432.AKQJT98.. ..AKQJT98.765432 ..765432.AKQJT98",
    "N:AKQ.AKQ.AKQ.AKQJ JT98.JT98.JT9.T9 765.765.8765.876 432.432.432.5432",
    "N:AQT8642..KJ97.53 KJ9753.A.A.KQJT9 .KQJT98.QT86.A86 .765432.5432.742",
    "N:AKQJ..AKQJ.AKQJT .AKQJT98765432.. T98765..T98765.9 432..432.8765432",
)


def masks_of(texts: tuple[str, ...]) -> Any:
    return np.array([parse_deal(text).hands for text in texts], np.uint64).T.copy()


@pytest.fixture(scope="module")
def dds():
    with DoubleDummyPool(1) as pool:
        yield pool


def test_freak_deals_are_those_of_dds(dds):
    hands = masks_of(FREAKS)
    np.testing.assert_array_equal(solve_tables(hands), dds.tables(hands))


@pytest.mark.slow
@pytest.mark.parametrize("cards", range(4, 10))
def test_endings_are_those_of_dds(dds, cards):
    hands, strain, first, trick = random_endings(sized(1000, 20_000), cards, seed=cards)
    found = np.full((len(strain), 52), -1, np.int8)
    solve_plays(hands, strain, first, trick, found)
    np.testing.assert_array_equal(found, dds.plays(hands, strain, first, trick))


@pytest.mark.slow
def test_tables_are_those_of_dds(dds):
    hands = np.ascontiguousarray(deal_hands(11, 0, sized(6, 60)))
    np.testing.assert_array_equal(solve_tables(hands), dds.tables(hands))


@pytest.mark.slow
def test_leads_are_those_of_dds(dds):
    count = 8
    hands = np.ascontiguousarray(deal_hands(12, 0, count))
    strain, first = np.arange(count) % 5, np.arange(count) % 4
    found = np.full((count, 52), -1, np.int8)
    solve_plays(hands, strain, first, np.full((count, 3), 255, np.uint8), found)
    np.testing.assert_array_equal(found, dds.leads(hands, strain, first))


def test_a_side_that_loses_may_lose_by_a_low_card():
    # solved wrongly in spades by whoever takes one of two touching cards for what both are worth
    # where only the other cards of the suit are the same
    hands = np.array(
        [[2280861978329136], [738941284403328], [4399172719375], [1479397191918656]], np.uint64
    )
    south = [12, 7, 10, 7, 9]
    east = west = [1, 6, 2, 6, 2]
    assert solve_tables(hands)[0].tolist() == [12, 7, 11, 7, 9, *east, *south, *west]


def test_a_deal_of_one_trick():
    # West has the five, the others lower clubs
    found = solve_tables(np.array([[1], [2], [4], [8]], np.uint64))
    assert found.tolist() == [2 * (5 * [0] + 5 * [1])]


@pytest.mark.parametrize(
    "hands",
    [(0, 0, 0, 0), (1, 2, 4, 4), (1, 2, 4, 24), (1, 2, 4, 1 << 52), (FULL_DECK, 0, 0, 0)],
    ids=["no cards", "one card twice", "unequal hands", "beyond the deck", "one hand"],
)
def test_hands_that_are_no_deal_are_refused(hands):
    good = [0b1, 0b10, 0b100, 0b1000]
    with pytest.raises(ValueError, match="expected numbers within the arrays"):
        solve_tables(np.array([good, hands], np.uint64).T.copy())


def test_no_deals():
    assert solve_tables(np.zeros((4, 0), np.uint64)).shape == (0, 20)
