"""Leads over layouts: the arithmetic by its definition, touching cards, refinement, time limits."""

from collections.abc import Iterator
from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import (
    FULL_DECK,
    Cancelled,
    Contract,
    InvalidDeal,
    InvalidInput,
    Seat,
    TimedOut,
    Vulnerability,
    cards_of,
    format_card,
    imps,
    is_vulnerable,
    parse_calls,
    parse_contract,
    parse_hand,
    score,
)
from bidcascade.inference.double_dummy import DoubleDummyPool
from bidcascade.inference.double_dummy.abstract_solver import SolvedInPart
from bidcascade.inference.layouts.meanings import meanings_of, steps_by
from bidcascade.inference.leads import (
    LEAD_SCORINGS,
    LeadStudy,
    refine_leads,
    study_leads,
    touching_cards,
)
from bidcascade.inference.natural_suits import natural_bids, partner_suits
from bidcascade.kernels.types import I8, U64
from tests.support.examples import examples

HAND = parse_hand("K52.AQ3.9876.KJ2")
CONTRACT = parse_contract("3NE")


def layouts(count: int, seed: int = 0, hand: int = HAND, leader: Seat = Seat.SOUTH) -> U64:
    """Deals at random around one hand."""
    rng = np.random.default_rng(seed)
    rest = [card for card in range(52) if not hand >> card & 1]
    hands = np.empty((4, count), np.uint64)
    for number in range(count):
        cards = rng.permutation(rest).tolist()
        for place in range(3):
            mask = sum(1 << card for card in cards[13 * place : 13 * place + 13])
            hands[(leader + 1 + place) % 4, number] = mask
    hands[leader] = hand
    return hands


class Guesses:
    """Solver whose answers are made up of the cards; equal for touching ones."""

    def __init__(self, leader: Seat = Seat.SOUTH) -> None:
        self.sizes: list[int] = []
        self.leader = leader
        self.late_from = 10**9

    def leads(self, hands: U64, strain: object, leader: object, **limits: object) -> I8:
        in_time = self.late_from - sum(self.sizes)
        self.sizes.append(hands.shape[1])
        found = np.full((hands.shape[1], 52), -1, np.int8)
        for group in touching_cards(int(hands[self.leader, 0]), FULL_DECK):
            value = (hands[0] >> np.uint64(group[0]) ^ hands[1] >> np.uint64(7)) % np.uint64(14)
            found[:, list(group)] = value[:, None]
        if in_time < len(found):
            # whichever happened to be solved
            found[: len(found) - max(0, in_time)] = -1
            raise SolvedInPart("late", found)
        return found


@pytest.fixture(scope="module")
def pool() -> Iterator[DoubleDummyPool]:
    with DoubleDummyPool(workers=2) as made:
        yield made


# --- touching cards ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "groups"),
    [
        ("AKQJT98765432...", ["SA SK SQ SJ ST S9 S8 S7 S6 S5 S4 S3 S2"]),
        ("K52.AQ3.9876.KJ2", ["CK", "CJ", "C2", "D9 D8 D7 D6", "HA", "HQ", "H3", "SK", "S5", "S2"]),
        ("AQ.AK.432.765432", ["C7 C6 C5 C4 C3 C2", "D4 D3 D2", "HA HK", "SA", "SQ"]),
    ],
)
def test_touching_cards(hand, groups):
    found = touching_cards(parse_hand(hand), FULL_DECK)
    assert [" ".join(map(format_card, group)) for group in found] == groups


def test_touching_cards_are_led_alike(pool):
    hands = layouts(6)
    tricks = pool.leads(hands, 4, Seat.SOUTH)
    for group in touching_cards(int(hands[Seat.SOUTH, 0]), FULL_DECK):
        assert (tricks[:, list(group)] == tricks[:, [group[0]]]).all()


# --- the arithmetic ------------------------------------------------------------------------------


def by_definition(
    tricks: I8, card: int, contract: Contract, weights: list[float], vulnerability: Vulnerability
) -> dict[str, float]:
    """Worth of a lead, layout by layout and table by table."""
    vulnerable = is_vulnerable(vulnerability, contract.declarer)
    sums = dict.fromkeys((*LEAD_SCORINGS, "best_share"), 0.0)
    for row, weight in zip(tricks, weights, strict=True):
        held = np.flatnonzero(row >= 0).tolist()
        points = {one: -score(contract, 13 - int(row[one]), vulnerable=vulnerable) for one in held}
        others = [points[one] for one in held if one != card]
        sums["tricks"] += weight * int(row[card])
        sums["set"] += weight * (points[card] > 0)
        beaten = sum((points[card] > one) + 0.5 * (points[card] == one) for one in others)
        sums["matchpoints"] += weight * beaten / len(others)
        sums["imps"] += weight * sum(imps(points[card] - one) for one in others) / len(others)
        sums["best_share"] += weight * (row[card] == row.max())
    return {name: value / sum(weights) for name, value in sums.items()}


@examples(30)
@given(
    seed=st.integers(0, 2**32),
    count=st.integers(1, 6),
    scoring=st.sampled_from(LEAD_SCORINGS),
    contract=st.sampled_from(["3NE", "4SXE", "7CE", "1NXXE"]),
    vulnerability=st.sampled_from(list(Vulnerability)),
    data=st.data(),
)
def test_values_are_those_of_the_definition(seed, count, scoring, contract, vulnerability, data):
    hands = layouts(count, seed)
    tricks = Guesses().leads(hands, 4, Seat.SOUTH)
    positive = st.floats(0.1, 5)
    weights = data.draw(st.lists(positive, min_size=count, max_size=count))
    played = parse_contract(contract)
    study = study_leads(
        tricks,
        hands,
        played,
        weights=np.array(weights),
        vulnerability=vulnerability,
        scoring=scoring,
    )
    assert sorted(card for lead in study.leads for card in lead.cards) == sorted(cards_of(HAND))
    values = [lead.value for lead in study.leads]
    assert values == pytest.approx(sorted(values, reverse=True), abs=1e-8)
    for lead in study.leads:
        expected = by_definition(tricks, lead.card, played, weights, vulnerability)
        for name, value in expected.items():
            assert getattr(lead, name) == pytest.approx(value, abs=1e-9)
        assert lead.value == getattr(lead, scoring)
        assert lead.behind == pytest.approx(study.best.value - lead.value, abs=1e-8)
        if count > 1:
            assert lead.low is not None
            assert lead.high is not None
            assert lead.low - 1e-9 <= lead.value <= lead.high + 1e-9
        else:
            assert lead.low is lead.high is lead.behind_error is None
    assert study.best.behind == 0


def test_the_field_of_all_leads_is_worth_nothing():
    """Matchpoints over all cards are half, IMPs cancel, by how they are defined."""
    hands = layouts(20)
    study = study_leads(Guesses().leads(hands, 4, Seat.SOUTH), hands, CONTRACT)
    share = sum(len(lead.cards) * lead.matchpoints for lead in study.leads) / 13
    assert share == pytest.approx(0.5)
    assert sum(len(lead.cards) * lead.imps for lead in study.leads) == pytest.approx(0, abs=1e-9)


def test_intervals():
    hands = layouts(50)
    tricks = Guesses().leads(hands, 4, Seat.SOUTH)
    for lead in study_leads(tricks, hands, CONTRACT).leads:
        values = tricks[:, lead.card].astype(float)
        # Student's t with 49 degrees of freedom
        error = 2.009575 * values.std(ddof=1) / sqrt(50)
        assert lead.low == pytest.approx(values.mean() - error)
        assert lead.high == pytest.approx(values.mean() + error)
    # a contract that was never set in 50 layouts may still be set now and then (Wilson, 1927)
    never = np.where(tricks >= 0, np.int8(0), tricks)
    lead = study_leads(never, hands, CONTRACT, scoring="set").best
    assert (lead.value, lead.low) == (0, 0)
    assert lead.high == pytest.approx(0.0713, abs=1e-3)


def test_intervals_cover_what_they_say():
    """Of many samples about 95 % have the true mean in their interval."""
    everything = layouts(3000, seed=4)
    tricks = Guesses().leads(everything, 4, Seat.SOUTH)
    card = touching_cards(int(everything[Seat.SOUTH, 0]), FULL_DECK)[3][0]
    truth = tricks[:, card].mean()
    inside = 0
    for start in range(0, 3000, 60):
        part = slice(start, start + 60)
        study = study_leads(tricks[part], everything[:, part], CONTRACT)
        lead = next(one for one in study.leads if one.card == card)
        assert lead.low is not None
        assert lead.high is not None
        inside += lead.low <= truth <= lead.high
    assert 42 <= inside <= 50


def test_what_is_clear_and_what_is_close():
    hands = layouts(40)
    tricks = np.full((40, 52), -1, np.int8)
    tricks[:, list(cards_of(HAND))] = 3
    tricks[:, 0] = 5
    tricks[::2, 11] = 6
    study = study_leads(tricks, hands, CONTRACT)
    assert study.best.names == "C2"
    assert study.is_decided
    # 5 always, and 6 or 4 by turns: the same
    tricks[1::2, 11] = 4
    study = study_leads(tricks, hands, CONTRACT)
    assert [lead.names for lead in study.leads if lead.is_close] == ["CK", "C2"]
    assert not study.is_decided


# --- refinement ----------------------------------------------------------------------------------


def last_answer(*asked, **further):
    """Over all layouts, or over those solved in time."""
    *_, last = refine_leads(*asked, **further)
    return last


def test_answers_are_refined():
    solver = Guesses()
    hands = layouts(100)
    studies = list(refine_leads(hands, CONTRACT, solver))
    assert [study.layouts for study in studies] == [6, 18, 42, 72, 100]
    assert solver.sizes == [6, 12, 24, 30, 28]
    assert [study.is_complete for study in studies] == [False] * 4 + [True]
    assert {study.requested for study in studies} == {100}
    whole = study_leads(Guesses().leads(hands, 4, Seat.SOUTH), hands, CONTRACT)
    assert studies[-1].leads == whole.leads
    assert last_answer(hands, CONTRACT, Guesses()).leads == whole.leads
    first = study_leads(Guesses().leads(hands[:, :6], 4, 2), hands[:, :6], CONTRACT)
    assert studies[0].leads == first.leads


def test_a_limit_of_time_gives_what_there_is():
    solver = Guesses()
    solver.late_from = 50
    study = last_answer(layouts(100), CONTRACT, solver, time_limit_s=60)
    assert (study.layouts, study.requested, study.is_complete) == (50, 100, False)
    some = np.r_[0:42, 64:72]
    whole = study_leads(
        Guesses().leads(layouts(100)[:, some], 4, 2), layouts(100)[:, some], CONTRACT
    )
    assert study.leads == whole.leads
    solver = Guesses()
    solver.late_from = 2
    assert last_answer(layouts(100), CONTRACT, solver, time_limit_s=60).layouts == 2
    assert last_answer(layouts(100), CONTRACT, Guesses(), time_limit_s=60).layouts == 100
    solver = Guesses()
    solver.late_from = 0
    with pytest.raises(TimedOut):
        last_answer(layouts(100), CONTRACT, solver, time_limit_s=60)
    # time that was over before the first layouts were solved is for the solver to complain of
    assert last_answer(layouts(100), CONTRACT, Guesses(), time_limit_s=0).layouts == 6


def test_who_has_little_time_gets_one_layout_first():
    limits = []

    class Noting(Guesses):
        def leads(self, hands: U64, strain: object, leader: object, **more: object) -> I8:
            limits.append(more["timeout_s"])
            return super().leads(hands, strain, leader)

    solver = Noting()
    studies = list(refine_leads(layouts(40), CONTRACT, solver, time_limit_s=5, patience_s=60))
    assert [study.layouts for study in studies] == [1, 7, 19, 40]
    assert solver.sizes == [1, 6, 12, 21]
    assert limits[0] > 50
    assert max(limits[1:]) <= 5
    # what is left when the first comes late is nothing, and never less
    solver, limits[:] = Noting(), []
    studies = list(refine_leads(layouts(40), CONTRACT, solver, time_limit_s=0, patience_s=60))
    assert [study.layouts for study in studies] == [1]


@pytest.mark.parametrize(
    ("hand", "contract", "card"),
    [
        ("-.-.-.AKQJT98765432", "3NE", "CA"),
        ("K95.432.432.5432", "3NE", "S5"),
        ("KQ5.432.432.5432", "3NE", "SK"),
        ("KJT.432.432.5432", "3NE", "SJ"),
        ("AQ952.432.432.54", "3NE", "S5"),
        ("AQ952.432.432.54", "4HE", "SA"),
        ("95.5432.432.5432", "3NE", "S9"),
        ("952.5432.432.543", "3NE", "S9"),
    ],
)
def test_of_equal_cards_the_usual_one_is_named(hand, contract, card):
    mask = parse_hand(hand)
    hands = layouts(20, hand=mask)
    tricks = np.full((20, 52), -1, np.int8)
    tricks[:, list(cards_of(mask))] = 3
    # only spades are worth a trick more
    tricks[:, [one for one in cards_of(mask) if one >= 39]] = 4
    study = study_leads(tricks, hands, parse_contract(contract))
    assert format_card(study.card) == card


def test_a_card_that_costs_a_trick_is_not_named_for_its_carding():
    mask = parse_hand("K95.432.432.5432")
    tricks = np.full((20, 52), -1, np.int8)
    tricks[:, list(cards_of(mask))] = 3
    nine = 39 + 7
    tricks[:, nine] = 4
    study = study_leads(tricks, layouts(20, hand=mask), CONTRACT)
    assert (format_card(study.card), study.is_decided) == ("S9", True)


def test_small_cards_of_a_suit_are_one_decision():
    mask = parse_hand("K95.432.432.5432")
    tricks = np.full((20, 52), -1, np.int8)
    tricks[:, list(cards_of(mask))] = 3
    nine, five, king = 39 + 7, 39 + 3, 39 + 11
    tricks[:, [five, nine]] = 4
    tricks[0, nine] = 5
    study = study_leads(tricks, layouts(20, hand=mask), CONTRACT)
    assert (study.best.names, format_card(study.card)) == ("S9", "S5")
    assert study.is_decided
    tricks[:, king] = 4
    study = study_leads(tricks, layouts(20, hand=mask), CONTRACT)
    assert [format_card(card) for card in study.undecided] == ["SK"]


@pytest.mark.parametrize(
    ("hand", "contract", "card", "others"),
    [
        # no nine from K95, no jack from KJ5, no queen from AQ4, no five from 9852
        ("K95.KJ5.AQ4.9852", "3NE", "C2", "DA D4 H5 HK S5 SK"),
        # against a suit contract nothing below an ace
        ("K95.KJ5.AQ4.9852", "4SE", "C2", "DA H5 HK S5 SK"),
        # the top of touching cards, one of them or the small card; of two the higher
        ("QJ4.AKT5.K2.T982", "3NE", "C2", "DK HA H5 SQ S4"),
        ("AQJ52.T95.6.8643", "3NE", "C3", "D6 H5 S5 SA SQ"),
        ("5432.5432.5432.A", "3NE", "CA", "D2 H2 S2"),
    ],
)
def test_no_card_is_named_that_nobody_leads(hand, contract, card, others):
    """Where all cards are as good, each suit has the cards that players lead."""
    mask = parse_hand(hand)
    tricks = np.full((20, 52), -1, np.int8)
    tricks[:, list(cards_of(mask))] = 3
    study = study_leads(tricks, layouts(20, hand=mask), parse_contract(contract))
    assert format_card(study.card) == card
    assert {format_card(one) for one in study.undecided} == set(others.split())
    assert not study.is_decided


@pytest.mark.parametrize(("count", "decided"), [(1, False), (2, False), (5, False), (6, True)])
def test_few_layouts_decide_nothing(count, decided):
    tricks = np.full((count, 52), -1, np.int8)
    tricks[:, list(cards_of(HAND))] = 3
    tricks[:, 0] = 5
    study = study_leads(tricks, layouts(count), CONTRACT)
    assert (format_card(study.card), study.is_decided) == ("C2", decided)


@pytest.mark.parametrize(("better", "decided"), [(5, False), (6, True)])
def test_layouts_in_which_leads_are_the_same_do_not_tell_them_apart(better, decided):
    tricks = np.full((60, 52), -1, np.int8)
    tricks[:, list(cards_of(HAND))] = 3
    tricks[:better, 0] = 4
    study = study_leads(tricks, layouts(60), CONTRACT)
    assert [lead.differs for lead in study.leads[:2]] == [0, better]
    assert study.is_decided is decided


@pytest.mark.parametrize(
    ("better", "suits", "card", "others"),
    [
        # clubs are better in five layouts of sixty: that may be chance, and partner bid spades
        (5, (3,), "S2", ["SK", "C2", "DA", "D3"]),
        (5, (), "C2", ["S2", "SK"]),
        # in six of six it is none
        (6, (3,), "C2", []),
    ],
)
def test_partners_suit_is_led_where_the_layouts_do_not_tell(better, suits, card, others):
    tricks = np.full((60, 52), -1, np.int8)
    tricks[:, list(cards_of(HAND))] = 3
    tricks[:better, list(cards_of(HAND & 0x1FFF))] = 4
    study = replace(study_leads(tricks, layouts(60), CONTRACT), partner_suits=suits)
    assert format_card(study.card) == card
    assert study.is_partners is (bool(suits) and better < 6)
    if others:
        assert set(map(format_card, study.undecided)) >= set(others[:2])
    else:
        assert {card // 13 for card in study.undecided} <= {0}


def test_bids_without_an_agreement_are_natural():
    calls = parse_calls("1C 1S 2C P 3C P 3D P 3H P 3N P P P")
    meanings = meanings_of("sayc")
    natural = natural_bids(steps_by(meanings, calls, Seat.NORTH))
    # not the raise, and not notrump
    assert list(map(str, natural)) == [
        "call 7, 3D by S: SL_S_D >= 4 or Stopper_S_D",
        "call 9, 3H by N: SL_N_H >= 4 or Stopper_N_H",
    ]
    # West is the fourth from the dealer, and his partner East bid spades
    assert partner_suits(meanings, calls, 3, natural) == (3,)
    assert partner_suits(meanings, calls, 2, natural) == (0, 2)
    assert partner_suits(meanings, calls, 1, natural) == ()


def test_a_convention_names_no_suit_of_partners():
    meanings = meanings_of("sayc")
    assert partner_suits(meanings, parse_calls("1N P 2D P 2H P P P"), 0) == ()
    assert partner_suits(meanings, parse_calls("1S P 2S P 4S P P P"), 2) == (3,)


def test_what_is_decided_need_not_be_refined():
    class Clear(Guesses):
        def leads(self, hands: U64, strain: object, leader: object, **limits: object) -> I8:
            found = super().leads(hands, strain, leader)
            found[:, list(cards_of(HAND))] = 3
            found[:, 0] = 5
            return found

    answers = refine_leads(layouts(100), CONTRACT, Clear())
    study = next(study for study in answers if study.is_decided)
    assert (study.layouts, study.best.names) == (6, "C2")


def test_a_lead_that_is_known(pool):
    """Spades run; declarer has eleven tricks in the other suits."""
    leader = parse_hand("AKQJT98.2.432.65")
    rest = np.array(
        [
            parse_hand("54.876543.T765.4"),
            parse_hand("32.AKQ.AKQ.AKQ32"),
            leader,
            parse_hand("76.JT9.J98.JT987"),
        ],
        np.uint64,
    )[:, None]
    study = last_answer(rest, parse_contract("3NE"), pool, scoring="set")
    assert study.best.names == "SA SK SQ SJ ST S9 S8"
    assert (study.best.set, study.best.tricks, study.best.best_share) == (1, 7, 1)
    assert {(lead.set, lead.tricks) for lead in study.leads[1:]} == {(0, 2)}


# --- what is no question -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scoring": "points"}, "expected a scoring of tricks, set, matchpoints, imps"),
        ({"weights": np.ones(3)}, "expected 4 weights"),
        ({"weights": np.zeros(4)}, "and not all 0"),
        ({"weights": np.array([1.0, 1.0, -1.0, 1.0])}, "weights from 0 on"),
        ({"hands": np.zeros((4, 0), np.uint64)}, "at least one layout, got none"),
    ],
)
def test_questions_that_are_none(change, message):
    asked = {"hands": layouts(4), "contract": CONTRACT, "solver": Guesses(), **change}
    with pytest.raises(InvalidInput, match=message):
        last_answer(**asked)


def test_hands_that_are_not_the_leaders():
    with pytest.raises(InvalidDeal, match="the same hand of W in all layouts"):
        last_answer(layouts(4), parse_contract("3NS"), Guesses())
    with pytest.raises(InvalidDeal, match="13 cards in the hand of S, got 0"):
        last_answer(np.zeros((4, 2), np.uint64), CONTRACT, Guesses())
    with pytest.raises(ValueError, match=r"uint64\[4, n\]"):
        last_answer(layouts(4)[0], CONTRACT, Guesses())
    with pytest.raises(ValueError, match="first and step"):
        next(refine_leads(layouts(4), CONTRACT, Guesses(), first=0))


def test_cancelled(pool):
    import threading

    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        last_answer(layouts(50, seed=77), CONTRACT, pool, cancel=cancel)


def test_a_study_names_its_contract():
    hands = layouts(3)
    study: LeadStudy = study_leads(Guesses().leads(hands, 4, 2), hands, CONTRACT, scoring="imps")
    assert (study.contract, study.scoring, study.effective_size) == (CONTRACT, "imps", 3)
