"""Single dummy with inference: known studies to the fraction, and what must not matter."""

import math
from fractions import Fraction
from threading import Event

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import (
    Cancelled,
    InvalidDeal,
    InvalidHand,
    InvalidInput,
    Seat,
    cards_of,
    format_card,
    parse_card,
)
from bidcascade.inference.single_dummy import Position, Ties, infer
from bidcascade.inference.single_dummy.views import all_layouts, card_keys, sampled_layouts
from tests.support.examples import examples

FIRST = Position.parse("N:KJ.Q.A. Q..K.QJ A.K.J.K .AJ.Q.A", "N", declarer="S", leader="S")
SECOND = Position.parse("N:.KJ.AK. .A.QJ.K KJ.Q..J AQ...AQ", "N", declarer="S", leader="S")


def texts(values):
    return {format_card(card): value for card, value in values.items()}


def test_first_golden_example_south_on_lead():
    south = infer(FIRST, "SA").actor
    assert (south.layouts, south.weight) == (70, 70)
    assert texts(south.totals) == {"CK": 82, "DJ": 140, "HK": 72, "SA": 210}
    assert south.best == (parse_card("SA"),)


@pytest.mark.parametrize("ties", ["any", "share", "strict", "first", "softmax:0.2"])
def test_first_golden_example_west_without_inference(ties):
    west = infer(FIRST, "SA", ties=ties).before
    assert (west.seat, west.layouts, west.weight) == (Seat.WEST, 35, 35)
    assert texts(west.totals) == {"CA": 119, "DQ": 98, "HJ": 102, "HA": 117}
    assert west.best == (parse_card("DQ"),)


@pytest.mark.parametrize("ties", ["strict", "first"])
def test_first_golden_example_strict_and_first(ties):
    study = infer(FIRST, "SA", ties=ties)
    assert (study.possible_layouts, study.after.layouts, study.after.weight) == (16, 16, 16)
    assert texts(study.after.totals) == {"CA": 55, "DQ": 40, "HJ": 44, "HA": 53}
    means = [float(mean) for mean in study.after.means.values()]
    assert means == [3.4375, 2.5, 2.75, 3.3125]


def test_first_golden_example_any():
    study = infer(FIRST, "SA", ties="any")
    assert study.possible_layouts == 35
    assert study.after == study.before


def test_first_golden_example_share():
    study = infer(FIRST, "SA")
    assert study.after.weight == Fraction(93, 4)
    assert texts(study.after.means) == {
        "CA": Fraction(106, 31),
        "DQ": Fraction(8, 3),
        "HJ": Fraction(88, 31),
        "HA": Fraction(10, 3),
    }
    assert not study.changes_play


@pytest.mark.parametrize("ties", ["any", "share", "strict", "first"])
def test_second_golden_example(ties):
    study = infer(SECOND, "CJ", ties=ties)
    south = texts({card: total / 2 for card, total in study.actor.totals.items()})
    assert south == {"CJ": 22, "SK": 18, "SJ": 17, "HQ": 15}
    assert study.actor.weight / 2 == 35
    assert texts(study.before.means) == {"CQ": Fraction(6, 35), "CA": Fraction(16, 35)}
    assert study.before.best == (parse_card("CQ"),)
    assert study.possible_layouts == 1
    assert texts(study.after.means) == {"CA": 1, "CQ": 2}
    assert study.after.best == (parse_card("CA"),)
    assert study.changes_play


def test_a_card_that_nobody_would_play_leaves_nothing():
    # the lead of a low spade gives a trick away whatever South has
    position = Position.parse("N:.2.6.K ..K.Q6 72...T 84.4..", "N", declarer="S", leader="S")
    study = infer(position, "S2", ties="any")
    assert (study.possible_layouts, study.after, study.changes_play) == (0, None, False)
    assert study.before.layouts == math.comb(5, 2)
    assert infer(position, "S2", ties="softmax:0.5").possible_layouts == math.comb(5, 2)


def test_chances_of_softmax_go_with_the_cost():
    study = infer(FIRST, "SA", ties="softmax:0.25")
    real = [
        chance
        for chance, south in zip(study.chances, study.layouts[2].tolist(), strict=True)
        if south | 1 << parse_card("SA") == FIRST.hands[2]
    ]
    worth = [float(mean) / 0.25 for mean in study.actor.card_values.values()]
    expected = math.exp(3 / 0.25) / sum(map(math.exp, worth))
    assert math.isclose(float(real[0]), expected, rel_tol=1e-12)


# --- what must not matter -------------------------------------------------------------------------


@st.composite
def positions(draw: st.DrawFn) -> tuple[Position, int]:
    """Ending of three cards with dummy on the table and a lead or a card to a trick."""
    cards = draw(st.permutations(range(52)))[:12]
    hands = [sum(1 << card for card in cards[seat * 3 : seat * 3 + 3]) for seat in range(4)]
    position = Position(
        tuple(hands),
        draw(st.integers(0, 4)),
        Seat(draw(st.integers(0, 3))),
        Seat(draw(st.integers(0, 3))),
    )
    for _ in range(draw(st.integers(0, 3))):
        position = position.after(draw(st.sampled_from(list(cards_of(position.legal_cards())))))
    return position, draw(st.sampled_from(list(cards_of(position.legal_cards()))))


def moved(mask: int, suits: list[int]) -> int:
    return sum(1 << 13 * suits[card // 13] + card % 13 for card in cards_of(mask))


@examples(25)
@given(positions(), st.permutations(range(4)), st.integers(0, 3))
def test_suits_and_seats_are_names(drawn, suits, turn):
    position, action = drawn
    other_suits = [*suits, 4]

    def card(number: int) -> int:
        return 13 * suits[number // 13] + number % 13

    def turned(masks: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(moved(masks[(seat - turn) % 4], suits) for seat in range(4))

    other = Position(
        turned(position.hands),
        other_suits[position.strain],
        Seat((position.declarer + turn) % 4),
        Seat((position.leader + turn) % 4),
        tuple(map(card, position.trick)),
        denied=turned(position.denied),
    )
    for ties in ("share", "strict", "any"):
        one, two = infer(position, action, ties=ties), infer(other, card(action), ties=ties)
        assert two.possible_layouts == one.possible_layouts
        assert sorted(two.weights) == sorted(one.weights)
        pairs = [(one.actor, two.actor), (one.before, two.before), (one.after, two.after)]
        for mine, theirs in pairs:
            if mine is None:
                assert theirs is None
                continue
            expected = {card(number): total for number, total in mine.totals.items()}
            assert dict(theirs.totals) == expected
            assert theirs.weight == mine.weight


@examples(15)
@given(positions(), st.randoms(use_true_random=False))
def test_the_order_of_layouts_does_not_matter(drawn, random):
    position, action = drawn
    study = infer(position, action)
    seen = study.layouts.copy()
    turn = position
    seen[turn.turn] |= np.uint64(1 << action)
    order = list(range(seen.shape[1]))
    random.shuffle(order)
    weights = [Fraction(2)] * len(order)
    again = infer(position, action, prior=(seen[:, order], weights))
    assert again.before.means == study.before.means
    assert (again.after is None) == (study.after is None)
    if study.after is not None:
        assert again.after.means == study.after.means
        assert again.after.weight == 2 * study.after.weight


# --- who sees what --------------------------------------------------------------------------------


def test_behind_the_opening_lead_dummy_is_seen():
    text = "N:KJ.2.. .4.KQ. A3..4. .A3..2"
    hidden = Position.parse(text, "S", declarer="S", dummy_visible=False)
    assert hidden.turn == Seat.WEST
    assert hidden.view(Seat.WEST).lacking == (3, 3, 3, 0)
    study = infer(hidden, "HA", then=["H2"])
    # nine unseen cards in three hands; East sees dummy and his own: two of five cards are West's
    assert study.actor.layouts == math.factorial(9) // 6**3
    assert (study.before.seat, study.before.layouts) == (Seat.EAST, math.comb(5, 2))
    visible = Position.parse(text, "S", declarer="S")
    assert infer(visible, "HA", then=["H2"]).actor.layouts == math.comb(6, 3)


def test_declarer_chooses_for_dummy():
    position = Position.parse(
        "N:KJ.2.. .4.KQ. A3..4. .A..2", "S", declarer="S", leader="W", trick=[parse_card("H3")]
    )
    assert position.turn == position.dummy == Seat.NORTH
    study = infer(position, "H2")
    # declarer sees his hand and dummy: 3 + 2 cards of the defenders are unknown
    assert study.actor.layouts == math.comb(5, 2)
    # East sees dummy: South has three of the five cards he does not see
    assert (study.before.seat, study.before.layouts) == (Seat.EAST, math.comb(5, 3))


def test_a_player_who_does_not_follow_is_void():
    position = Position.parse(
        "N:KJ.2.. .4.KQ. A3..4. .A..2", "S", declarer="S", leader="W", trick=[parse_card("H3")]
    )
    seen = position.after(parse_card("H2")).after(parse_card("H4")).after(parse_card("S3"))
    hearts = 0x1FFF << 26
    assert seen.denied[Seat.SOUTH] == hearts
    assert all(not south & hearts for south in all_layouts(seen.view(Seat.EAST))[2].tolist())
    assert (seen.leader, seen.trick) == (Seat.SOUTH, ())


def test_known_cards_and_voids_leave_fewer_layouts():
    everything = all_layouts(FIRST.view(Seat.SOUTH))
    assert everything.shape == (4, 70)
    assert len({tuple(column) for column in everything.T.tolist()}) == 70
    void = Position.parse(
        "N:KJ.Q.A. Q..K.QJ A.K.J.K .AJ.Q.A", "N", declarer="S", leader="S", void=["WS"]
    )
    # the queen of spades is East's: three more of seven cards
    assert all_layouts(void.view(Seat.SOUTH)).shape == (4, 35)
    shown = Position(FIRST.hands, 4, Seat.SOUTH, Seat.SOUTH, shown=(0, 0, 0, 1 << parse_card("CA")))
    assert all_layouts(shown.view(Seat.SOUTH)).shape == (4, 35)
    assert infer(shown, "SA").actor.layouts == 35


def test_a_sample_is_drawn_evenly_and_in_common():
    view = FIRST.view(Seat.SOUTH)
    hands = sampled_layouts(view, card_keys(5, 7000), 7000)
    west, counts = np.unique(hands[3], return_counts=True)
    assert len(west) == 70
    # chi-square with 69 degrees of freedom stays below 111.1 in 999 of 1000 cases
    assert ((counts - 100) ** 2 / 100).sum() < 111.1
    assert (sampled_layouts(view, card_keys(5, 10), 10) == hands[:, :10]).all()


def test_a_sampled_study_comes_near_the_exact_one():
    exact = infer(FIRST, "SA")
    sampled = infer(FIRST, "SA", layouts=30, hypotheses=60, seed=3)
    assert (exact.before.exact, sampled.before.exact, sampled.actor.exact) == (True, False, False)
    assert (sampled.before.layouts, sampled.actor.layouts) == (30, 60)
    for card, mean in exact.before.means.items():
        assert abs(float(sampled.before.means[card] - mean)) < 0.3
    assert infer(FIRST, "SA", layouts=30, hypotheses=60, seed=3).after == sampled.after
    assert infer(FIRST, "SA", layouts=35, hypotheses=70).after.means == exact.after.means


@pytest.mark.slow
def test_five_cards_are_exact():
    deck = np.random.default_rng(4).permutation(52)[:20].reshape(4, 5).tolist()
    position = Position(
        tuple(sum(1 << card for card in hand) for hand in deck), 3, Seat.SOUTH, Seat.SOUTH
    )
    study = infer(position, next(cards_of(position.hands[2])))
    assert (study.actor.layouts, study.before.layouts) == (252, 126)
    assert study.endings == 252 + 126 * 252 + 126


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"action": "H2"}, InvalidHand, "a card that South may play"),
        ({"actor": Seat.WEST}, InvalidInput, "an action of S"),
        ({"observer": Seat.NORTH}, InvalidInput, "expected W as observer"),
        ({"then": ["SQ"]}, InvalidHand, "a card that West may play"),
        ({"ties": "sometimes"}, InvalidInput, "got 'sometimes'"),
        ({"ties": "first:SHD-"}, InvalidInput, "an order such as"),
        ({"ties": "softmax:-1"}, InvalidInput, "a temperature above 0"),
        ({"prior": (np.zeros((4, 1), np.uint64), [Fraction(1)])}, InvalidInput, "layout of the"),
        ({"prior": (np.zeros((4, 2), np.uint64), [Fraction(1)])}, InvalidInput, "n weights"),
    ],
)
def test_what_makes_no_study(change, error, message):
    with pytest.raises(error, match=message):
        infer(FIRST, change.pop("action", "SA"), **change)


def test_a_study_that_would_not_end_is_refused():
    deck = np.random.default_rng(1).permutation(52)[:32].reshape(4, 8).tolist()
    position = Position(
        tuple(sum(1 << card for card in hand) for hand in deck), 4, Seat.SOUTH, Seat.SOUTH
    )
    with pytest.raises(InvalidInput, match="ask for a sample"):
        infer(position, next(cards_of(position.hands[2])))


def test_a_study_can_be_cancelled():
    cancel = Event()
    cancel.set()
    with pytest.raises(Cancelled):
        infer(FIRST, "SA", cancel=cancel)


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        ("N:K... A... Q...", {}, "an ending such as"),
        ("N:K... A... Q... K...", {}, "SK comes twice"),
        ("N:K... A... QJ... T...", {}, "hands of"),
        ("N:K... A... Q... T...", {"void": ["NS"]}, "shown and denied"),
        ("N:K... A... Q... T...", {"void": ["N1"]}, "a seat and suits"),
        ("N:K... A... Q... T...", {"strain": "Z"}, "a strain"),
        ("N:K... A... Q... T...", {"leader": "E", "dummy_visible": False}, "before the opening"),
        ("N:... ... ... ...", {"leader": "S"}, "a card for South, who is to play"),
    ],
)
def test_what_is_no_position(text, more, message):
    strain = more.pop("strain", "N")
    with pytest.raises(InvalidDeal, match=message):
        Position.parse(text, strain, declarer="S", **more)


@pytest.mark.parametrize(
    "text", ["any", "share", "strict", "first", "first:HSCD+", "first:SHDC-", "softmax:0.5"]
)
def test_ties_are_read_as_they_are_printed(text):
    assert str(Ties.parse(text)) == text
    assert Ties.parse(str(Ties.parse(text))) == Ties.parse(text)


def test_first_follows_the_stated_order():
    means = {parse_card(card): Fraction(1) for card in ("CA", "C2", "D3", "SA")}
    for text, first in (("first", "C2"), ("first:SHDC-", "SA"), ("first:CDHS-", "CA")):
        chances = {card: Ties.parse(text).chance(means, card) for card in means}
        assert texts(chances) == {card: card == first for card in ("CA", "C2", "D3", "SA")}
