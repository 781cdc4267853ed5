"""Cards played on the page: its rules, its rules of thumb and its solver, against the package."""

import numpy as np
import pytest

from bidcascade.bridge import (
    cards_of,
    format_card,
    format_hand,
    parse_contract,
)
from bidcascade.inference.card_play.rules_of_thumb import legal_cards, usual_cards
from bidcascade.inference.card_play.sight import give_to_seats
from bidcascade.inference.double_dummy.abstract_solver import NO_CARD
from bidcascade.inference.single_dummy.endings import EndingSolver
from bidcascade.kernels.dealing import deal_hands

pytestmark = pytest.mark.slow

FOLLOW = """async (load, given) => {
    const { followPlay } = await import("/bridge/card_play.js");
    return given.map(([play, hands, contract]) => followPlay(play, hands, contract));
}"""
USUAL = """async (load, given) => {
    const { usualCard } = await load("deals/card_play");
    return given.map((one) => {
        try { return usualCard(one).card; } catch (error) { return error.message; }
    });
}"""
CARD = """async (load, given) => {
    const { cardToPlay } = await load("deals/card_play");
    return given.map((one) => {
        try { return cardToPlay(one); } catch (error) { return { error: error.message }; }
    });
}"""
REVIEW = """async (load, given) => {
    const { reviewPlay } = await load("deals/card_play");
    const told = [];
    try {
        return { ...await reviewPlay(given, (cards) => { told.push(cards.length); }), told };
    } catch (error) { return { error: error.message }; }
}"""
STRAINS = "CDHSN"


def texts(cards):
    return [format_card(card) for card in cards]


def page_contract(contract):
    return {"declarer": int(contract.declarer), "strain": STRAINS[contract.strain]}


def random_play(hands, contract, length, rng):
    """Cards that the laws allow, in the order played."""
    left, play = list(map(int, hands)), []
    for _ in range(length):
        state = give_to_seats(play, contract)
        card = int(rng.choice(legal_cards(left[state.turn], state.trick)))
        left[state.turn] &= ~(1 << card)
        play.append(card)
    return play, left


def some_contract(rng):
    strain, declarer = STRAINS[rng.integers(5)], "NESW"[rng.integers(4)]
    return parse_contract(f"{rng.integers(1, 8)}{strain}{declarer}")


def tricks_by_card(left, contract, state):
    """Tricks of the side to play for each card, -1 where it may not be played."""
    trick = np.full((1, 3), NO_CARD, np.uint8)
    trick[0, : len(state.trick)] = state.trick
    return EndingSolver().plays(
        np.array(left, np.uint64)[:, None], contract.strain, int(state.leader), trick
    )[0]


def test_where_a_play_stands_is_told_as_the_package_tells_it(engine):
    rng = np.random.default_rng(11)
    asked, expected = [], []
    for length in (0, 1, 3, 4, 5, 20, 47, 48, 51, 52, *rng.integers(0, 53, 40)):
        hands, contract = deal_hands(7, len(asked), 1)[:, 0], some_contract(rng)
        play, left = random_play(hands, contract, length, rng)
        state = give_to_seats(play, contract)
        asked.append(
            [texts(play), [format_hand(int(one)) for one in hands], page_contract(contract)]
        )
        expected.append(
            {
                "left": [sorted(texts(cards_of(one))) for one in left],
                "leader": int(state.leader),
                "trick": texts(state.trick),
                "turn": int(state.turn),
                "legal": sorted(texts(legal_cards(left[state.turn], state.trick))),
                "tricks": state.declarer_tricks,
                "done": length // 4,
            }
        )
    found = engine(FOLLOW, asked)
    for one in found:
        one["left"] = [sorted(cards_in(text)) for text in one["left"]]
        one["legal"] = sorted(one["legal"])
        one["done"] = len(one["done"])
    assert found == expected


def cards_in(text):
    return [
        suit + rank for suit, ranks in zip("SHDC", text.split("."), strict=True) for rank in ranks
    ]


def test_a_card_that_may_not_be_played_is_none(engine):
    hands = ["AK.AKQJ.AKQJ.AKQ", "QJT9.T98.T98.JT9", "8765.765.765.876", "432.432.432.5432"]
    contract = {"declarer": 0, "strain": "N"}
    plays = [["S8"], ["SQ", "H7"], ["SQ", "S5", "S2", "SA", "SA"], ["SQ", "D5"]]
    assert engine(FOLLOW, [[play, hands, contract] for play in plays]) == [None] * 4
    # a void lets everything through
    assert engine(FOLLOW, [[["CJ", "C6", "C2"], hands, contract]])[0]["turn"] == 0


def position_of(left, contract, state):
    return {
        "hands": [texts(cards_of(one)) for one in left],
        **page_contract(contract),
        "leader": int(state.leader),
        "trick": texts(state.trick),
    }


def usual_order(left, contract, play, state):
    """Cards that may be played, as a player has them who sees dummy behind the opening lead."""
    declares = (state.turn - contract.declarer) % 2 == 0
    other = left[(state.turn + 2) % 4] if declares else left[(contract.declarer + 2) % 4]
    return usual_cards(
        left[state.turn],
        state.trick,
        contract.strain,
        sum(1 << card for card in play),
        declares=declares,
        other=other if play else 0,
    )


def test_rules_of_thumb_are_those_of_the_package(engine):
    rng = np.random.default_rng(12)
    asked, expected = [], []
    for number in range(600):
        hands, contract = deal_hands(8, number, 1)[:, 0], some_contract(rng)
        # opening leads among them
        length = int(rng.integers(0, 52)) if number % 20 else 0
        play, left = random_play(hands, contract, length, rng)
        state = give_to_seats(play, contract)
        asked.append(position_of(left, contract, state))
        expected.append(format_card(usual_order(left, contract, play, state)[0]))
    assert engine(USUAL, asked) == expected


def test_a_card_is_as_good_as_the_package_says(engine):
    rng = np.random.default_rng(13)
    asked, expected = [], []
    for length in (16, 17, 18, 19, *rng.integers(20, 52, 46)):
        hands, contract = deal_hands(9, len(asked), 1)[:, 0], some_contract(rng)
        play, left = random_play(hands, contract, length, rng)
        state = give_to_seats(play, contract)
        worth = tricks_by_card(left, contract, state)
        asked.append(position_of(left, contract, state))
        # of equally good cards the most usual one
        order = usual_order(left, contract, play, state)
        best = max(int(worth[card]) for card in order)
        left_tricks = 13 - length // 4
        north_south = best if state.turn % 2 == 0 else left_tricks - best
        first = next(card for card in order if worth[card] == best)
        expected.append({"card": format_card(first), "tricks": north_south})
    assert engine(CARD, asked) == expected


def test_positions_that_are_none_are_told(engine):
    good = {
        "hands": [["SA"], ["SK"], ["SQ"], ["SJ"]],
        "strain": "N",
        "leader": 0,
        "declarer": 3,
        "trick": [],
    }
    wrong = [
        {**good, "hands": [["SA"], ["SA"], ["SQ"], ["SJ"]]},
        {**good, "hands": [["SA"], ["SK"], ["SQ"], []]},
        {**good, "hands": [["SA"], ["SK"], ["SQ"], ["S1"]]},
        {**good, "strain": "X"},
        {**good, "hands": [["SA"], ["SK"], ["SQ"]]},
        {**good, "trick": ["CA", "CK", "CQ", "CJ"]},
    ]
    told = [one["error"] for one in engine(CARD, wrong)]
    assert {told[0], told[1], *told[4:]} == {
        "expected four hands of as many cards, no card in two of them"
    }
    assert "expected a card such as SA, got 'S1'" in told[2]
    assert "expected a strain of CDHSN, got 'X'" in told[3]
    # nor is there a usual card in a hand without one, or when one is in two hands
    wrong[1]["hands"].reverse()
    wrong[0]["trick"] = ["SA"]
    assert engine(USUAL, wrong) == [told[0], *told[1:]]


@pytest.mark.parametrize("number", range(2))
def test_what_cards_cost_is_what_the_package_says(engine, number):
    rng = np.random.default_rng(number)
    hands, contract = deal_hands(10, number, 1)[:, 0], parse_contract(["4SE", "3NS"][number])
    play, _ = random_play(hands, contract, 52, rng)
    found = engine(
        REVIEW,
        {"hands": [texts(cards_of(int(one))) for one in hands], "strain": STRAINS[contract.strain],
         "leader": (contract.declarer + 1) % 4, "play": texts(play)},
    )  # fmt: skip
    assert found["told"] == list(range(1, 53))
    left = [int(one) for one in hands]
    for place, card in enumerate(play):
        state = give_to_seats(play[:place], contract)
        worth = tricks_by_card(left, contract, state)
        best = int(worth.max())
        told = found["cards"][place]
        assert told["loss"] == best - worth[card], place
        if told["loss"]:
            better = next(c for c in range(52) if format_card(c) == told["better"])
            assert worth[better] == best
        else:
            assert told["better"] is None
        if place == 0:
            assert found["tricks"] == (best if state.turn % 2 == 0 else 13 - best)
        left[state.turn] &= ~(1 << card)
    # what all of them cost is what lies between double dummy and the play
    lost = [0, 0]
    for place, one in enumerate(found["cards"]):
        lost[give_to_seats(play[:place], contract).turn % 2] += one["loss"]
    taken = give_to_seats(play, contract).declarer_tricks
    north_south = taken if contract.declarer % 2 == 0 else 13 - taken
    assert north_south == found["tricks"] - lost[0] + lost[1]


def test_a_play_that_is_none_is_told(engine):
    hands = deal_hands(10, 0, 1)[:, 0]
    cards = [texts(cards_of(int(one))) for one in hands]
    asked = {"hands": cards, "strain": "N", "leader": 1, "play": [cards[0][0]]}
    assert "expected a card that may be played" in engine(REVIEW, asked)["error"]
