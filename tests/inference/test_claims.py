"""Claims: who has the rest has it against all cards; those of others are judged double dummy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidInput, Seat, cards_of, parse_hand
from bidcascade.inference.card_play.claims import Claim, accepts_claim, has_the_rest
from bidcascade.inference.card_play.rules_of_thumb import legal_cards
from bidcascade.inference.card_play.sight import give_to_seats
from bidcascade.inference.double_dummy.abstract_solver import NO_CARD
from bidcascade.inference.single_dummy import EndingSolver
from tests.inference.test_card_play import GAME, auction_to, played_by_chance, sight_of
from tests.support.deals import plain_deals

SLAM = auction_to("6S")


def double_dummy(hands, played, contract):
    """Tricks of declarer's side from here on."""
    state = give_to_seats(played, contract)
    gone = sum(1 << card for card in played)
    on_table = np.full((1, 3), NO_CARD, np.uint8)
    on_table[0, : len(state.trick)] = state.trick
    left = np.array([[hand & ~gone] for hand in hands], np.uint64)
    best = int(EndingSolver().plays(left, contract.strain, state.leader, on_table).max())
    return best if (state.turn - contract.declarer) % 2 == 0 else 13 - len(played) // 4 - best


@pytest.mark.parametrize(
    ("auction", "hand", "all_of_them"),
    [
        (GAME, "AKQJ.AKQ.AKQ.AKQ", True),
        (GAME, "AKQJ.AKQ.AKQ.AKJ", False),
        # after five rounds everybody else is out of it
        (GAME, "AKQJT432..A.AKQJ", True),
        (GAME, "AKQ65432..A.AKQJ", False),
        (GAME, "AK765432.AK.A.AK", False),
        (SLAM, "A.AKQJ.AKQJ.AKQJ", False),
        (SLAM, "AKQJT98765432...", True),
    ],
)
def test_who_has_the_rest(auction, hand, all_of_them):
    rest = iter(sorted(set(range(52)) - set(cards_of(parse_hand(hand)))))
    others = [sum(1 << next(rest) for _ in range(13)) for _ in range(3)]
    leader = (auction.contract.declarer + 1) % 4
    hands = [0] * 4
    for place, cards in enumerate([parse_hand(hand), *others]):
        hands[(leader + place) % 4] = cards
    assert has_the_rest(sight_of(auction, hands, [])) is all_of_them


@given(st.integers(0, 10**6), st.sampled_from([GAME, SLAM]))
def test_who_has_the_rest_takes_it_against_all_cards(seed, auction):
    """Lead from the top of each suit, others as they like: no trick is lost."""
    hands = plain_deals(1, seed).hands[:, 0].tolist()
    generator = np.random.default_rng(seed)
    all_played = played_by_chance(auction.contract, hands, 48, generator)
    for tricks in range(12):
        played = all_played[: 4 * tricks]
        sight = sight_of(auction, hands, played)
        if has_the_rest(sight):
            break
    else:
        return
    side = sight.actor % 2
    while len(played) < 52:
        state = give_to_seats(played, auction.contract)
        left = hands[state.turn] & ~state.hands[state.turn]
        legal = legal_cards(left, state.trick)
        if state.trick:
            card = int(generator.choice(legal))
        else:
            assert state.turn == sight.actor
            card = max(legal, key=lambda one: one % 13)
        played.append(card)
    state = give_to_seats(played, auction.contract)
    won = state.declarer_tricks - sight.state.declarer_tricks
    assert won == (13 - tricks if side == auction.contract.declarer % 2 else 0)


@given(st.integers(0, 10**6), st.integers(16, 47), st.integers(0, 9), st.booleans())
def test_claims_are_judged_double_dummy(seed, count, claimed, by_declarer):
    auction = GAME
    contract = auction.contract
    hands = plain_deals(1, seed).hands[:, 0].tolist()
    played = played_by_chance(contract, hands, count, np.random.default_rng(seed))
    gone = sum(1 << card for card in played)
    left = 13 - count // 4
    declarers = double_dummy(hands, played, contract)
    claimer = contract.declarer if by_declarer else Seat.EAST
    true = declarers if by_declarer else left - declarers
    claim = Claim(claimer, hands[claimer] & ~gone, min(claimed, left))
    dummy = Seat((contract.declarer + 2) % 4)
    for judge in Seat:
        if judge in (dummy, claimer):
            continue
        seen = {judge: hands[judge], dummy: hands[dummy]}
        accepts = accepts_claim(contract, played, seen, judge, claim)
        # a partner wants no less than there is
        partner = judge % 2 == claimer % 2
        assert accepts == (claim.tricks >= true if partner else claim.tricks <= true)


def test_cards_that_the_claimer_cannot_have():
    contract = GAME.contract
    hands = plain_deals(1, 3).hands[:, 0].tolist()
    played = played_by_chance(contract, hands, 30, np.random.default_rng(0))
    gone = sum(1 << card for card in played)
    dummy = Seat((contract.declarer + 2) % 4)
    seen = {Seat.WEST: hands[3], dummy: hands[dummy]}
    right = hands[contract.declarer] & ~gone
    others = hands[3] & ~gone
    for cards in (right & right - 1, right | others & -others, right & right - 1 | 1 << played[0]):
        claim = Claim(contract.declarer, cards, 3)
        with pytest.raises(InvalidInput, match="that N has left with a claim"):
            accepts_claim(contract, played, seen, Seat.WEST, claim)


def test_nobody_claims_in_the_middle_of_a_trick():
    hands = plain_deals(1, 3).hands[:, 0].tolist()
    played = played_by_chance(GAME.contract, hands, 1, np.random.default_rng(0))
    assert not has_the_rest(sight_of(GAME, hands, played))
