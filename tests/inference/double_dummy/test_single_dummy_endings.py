"""The search for endings against plain minimax and against DDS."""

from threading import Event

import numpy as np
import pytest
from hypothesis import given

from bidcascade.bridge import Cancelled, InvalidDeal
from bidcascade.inference.double_dummy.abstract_solver import NO_CARD
from bidcascade.inference.single_dummy import EndingSolver
from tests.support.endings import Hands, endings, minimax
from tests.support.examples import examples


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
