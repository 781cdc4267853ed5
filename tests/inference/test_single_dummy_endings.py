"""The search for endings against plain minimax and against DDS."""

from functools import cache
from threading import Event

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import Cancelled, InvalidDeal
from bidcascade.inference.double_dummy.protocol import NO_CARD
from bidcascade.inference.single_dummy import EndingSolver
from tests.support_examples import examples

Hands = tuple[tuple[int, ...], ...]


def minimax(hands: Hands, strain: int, first: int, trick: tuple[int, ...]) -> dict[int, int]:
    """Tricks of the side to move by card, from the rules alone."""

    def beats(card: int, top: int) -> bool:
        return card > top if card // 13 == top // 13 else card // 13 == strain

    def choices(hand: tuple[int, ...], trick: tuple[int, ...]) -> tuple[int, ...]:
        following = tuple(card for card in hand if trick and card // 13 == trick[0] // 13)
        return following or hand

    def without(hands: Hands, seat: int, card: int) -> Hands:
        return tuple(
            tuple(one for one in hand if one != card) if place == seat else hand
            for place, hand in enumerate(hands)
        )

    @cache
    def north_south(hands: Hands, first: int, trick: tuple[int, ...]) -> int:
        """Tricks of North-South from the trick on."""
        if len(trick) == 4:
            best = 0
            for place in (1, 2, 3):
                best = place if beats(trick[place], trick[best]) else best
            winner = (first + best) % 4
            return (winner % 2 == 0) + north_south(hands, winner, ())
        seat = (first + len(trick)) % 4
        if not hands[seat]:
            return 0
        values = [
            north_south(without(hands, seat, card), first, (*trick, card))
            for card in choices(hands[seat], trick)
        ]
        return max(values) if seat % 2 == 0 else min(values)

    seat = (first + len(trick)) % 4
    found = {}
    for card in choices(hands[seat], trick):
        value = north_south(without(hands, seat, card), first, (*trick, card))
        found[card] = value if seat % 2 == 0 else len(hands[seat]) - value
    return found


@st.composite
def endings(draw: st.DrawFn, most: int) -> tuple[Hands, int, int, tuple[int, ...]]:
    """Hands of a few cards, perhaps in the middle of a trick; suits are short or long."""
    size = draw(st.integers(1, most))
    # few different cards make long suits and touching cards likely
    deck = draw(st.sampled_from([list(range(4 * size)), list(range(0, 52, 2)), list(range(52))]))
    cards = draw(st.permutations(deck if len(deck) >= 4 * size else list(range(52))))
    hands = [list(cards[seat * size : (seat + 1) * size]) for seat in range(4)]
    strain, first = draw(st.integers(0, 4)), draw(st.integers(0, 3))
    trick: list[int] = []
    for place in range(draw(st.integers(0, 3))):
        hand = hands[(first + place) % 4]
        following = [card for card in hand if trick and card // 13 == trick[0] // 13]
        card = draw(st.sampled_from(following or hand))
        hand.remove(card)
        trick.append(card)
    return tuple(map(tuple, hands)), strain, first, tuple(trick)


def solve(hands: Hands, strain: int, first: int, trick: tuple[int, ...]) -> dict[int, int]:
    masks = np.array([[sum(1 << card for card in hand)] for hand in hands], np.uint64)
    row = np.full((1, 3), NO_CARD, np.uint8)
    row[0, : len(trick)] = trick
    found = EndingSolver().plays(masks, strain, first, row)[0]
    return {card: int(found[card]) for card in range(52) if found[card] >= 0}


@pytest.mark.slow
@examples(150)
@given(endings(4))
def test_the_search_is_minimax(ending):
    assert solve(*ending) == minimax(*ending)


@pytest.mark.parametrize("cards", [5, 6, 7])
def test_the_search_agrees_with_dds(cards):
    dds = pytest.importorskip("endplay.dds")
    types = pytest.importorskip("endplay.types")
    random = np.random.default_rng(cards)
    denominations = [types.Denom[name] for name in ("clubs", "diamonds", "hearts", "spades", "nt")]
    for _ in range(12):
        dealt = random.permutation(52)[: 4 * cards].reshape(4, cards)
        strain, first = int(random.integers(5)), int(random.integers(4))
        deal = types.Deal(trump=denominations[strain], first=types.Player.find("NESW"[first]))
        for player, hand in zip("NESW", dealt.tolist(), strict=True):
            for card in hand:
                deal[types.Player.find(player)].add("CDHS"[card // 13] + "23456789TJQKA"[card % 13])
        theirs = {
            13 * "cdhs".index(card.suit.name[0]) + "23456789TJQKA".index(card.rank.name[1]): tricks
            for card, tricks in dds.solve_board(deal)
        }
        ours = solve(tuple(map(tuple, dealt.tolist())), strain, first, ())
        assert ours == theirs


def test_what_is_no_ending_is_refused():
    solver, none = EndingSolver(), np.full((1, 3), NO_CARD, np.uint8)
    with pytest.raises(InvalidDeal, match="a card in one hand only"):
        solver.plays(np.array([[1], [2], [4], [4]], np.uint64), 4, 0, none)
    with pytest.raises(InvalidDeal, match="as many cards in each hand"):
        solver.plays(np.array([[1], [2], [4], [24]], np.uint64), 4, 0, none)


def test_a_set_event_cancels():
    cancel = Event()
    cancel.set()
    hands = np.array([[1], [2], [4], [8]], np.uint64)
    with pytest.raises(Cancelled):
        EndingSolver().plays(hands, 4, 0, np.full((1, 3), NO_CARD, np.uint8), cancel=cancel)
