"""Values of expressions over deals."""

import numpy as np
import pytest

from bidcascade.bridge import InvalidScript, LimitExceeded, parse_hand
from bidcascade.inference.scenarios import evaluation
from bidcascade.inference.scenarios.evaluation import Evaluation
from bidcascade.inference.scenarios.script_reader import parse_script
from bidcascade.kernels.dealing import deal_hands
from bidcascade.kernels.terms import Context, terms

DEALS = deal_hands(5, 0, 400)


def values(text, hands=DEALS, solver=None):
    script = parse_script(text)
    return Evaluation(script, solver).values(script.condition, hands)


def with_north(hand):
    """One deal in which North has some hand."""
    north = parse_hand(hand)
    others = [card for card in range(52) if not north >> card & 1]
    masks = [sum(1 << card for card in others[begin : begin + 13]) for begin in (0, 13, 26)]
    return np.array([[north], *([one] for one in masks)], np.uint64)


@pytest.mark.parametrize(
    ("call", "term"),
    [
        ("hcp(east)", "HCP"),
        ("hcp(east, spades)", "HCP_S"),
        ("clubs(east)", "SL_C"),
        ("losers(east)", "Losers"),
        ("controls(east)", "Controls"),
        ("tens(east)", "Tens"),
        ("queens(east)", "Queens"),
        ("kings(east)", "Kings"),
        ("aces(east)", "Aces"),
        ("top2(east, hearts)", "Top2_H"),
        ("top3(east, hearts)", "Top3_H"),
        ("top4(east, diamonds)", "Top4_D"),
        ("top5(east, diamonds)", "Top5_D"),
        ("hascard(east, QS)", "C_SQ"),
        ("shape(east, any 4333 + any 4432 + any 5332)", "Balanced"),
    ],
)
def test_values_are_those_of_our_terms(call, term):
    expected = [terms("gib")[term].value(int(hand), Context()) for hand in DEALS[1]]
    assert values(call).tolist() == expected


@pytest.mark.parametrize(
    ("hand", "worth", "qualities"),
    [
        ("T8542.Q52.J432.8", 300, (25, 60, 40, 0)),
        ("AK62.863.83.Q863", 935, (280, 0, 0, 80)),
        (".AQ43.Q83.976542", 975, (0, 240, 60, 0)),
        ("K65.KJ5.J7.AK985", 1530, (90, 120, 20, 375)),
        ("AQ.KQJ9.A85.AT64", 1985, (120, 240, 120, 180)),
        ("962.AQJT94.J6.KQ", 1455, (0, 510, 20, 100)),
        ("AKQJT987.A2.K.32", 2160, (800, 80, 30, 0)),
        ("Q32.JT98.KJ9.AQ4", 1150, (60, 100, 135, 180)),
        ("K.Q.AKT98765.432", 1645, (30, 20, 720, 0)),
    ],
)
def test_four_cs(hand, worth, qualities):
    """Numbers that dealer 20211121 gives for these hands."""
    deal = with_north(hand)
    assert values("cccc(north)", deal).tolist() == [worth]
    for suit, expected in zip(("spades", "hearts", "diamonds", "clubs"), qualities, strict=True):
        assert values(f"quality(north, {suit})", deal).tolist() == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7 / 2.", 3),
        ("7 / 2.5", 2.8),
        ("0.1 + 0.2 == 0.3", 1),
        ("2.5 * 3 - .5", 7),
        ("1 ? 0.5 : 2", 0.5),
        ("imps(score(vul, x4Sx, 10)) + 0.5", 13.5),
        ("7 / 2", 3),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("2 * (3 + 4) - 1", 13),
        ("!0 + 3", 4),
        ("1 < 2 < 3", 1),
        ("1 == 1 != 0", 1),
        ("0 ? 5 : 1 ? 6 : 7", 6),
        ("65536 * 65536", 0),
        ("score(vul, x3N, 9)", 600),
        ("score(nv, x4S, 8)", -100),
        ("score(nv, x7C, 13)", 1440),
        ("imps(620)", 12),
        ("imps(-50)", -2),
    ],
)
def test_arithmetic_is_that_of_c(text, expected):
    assert set(values(text).tolist()) == {expected}


def test_numbers_with_a_point():
    assert (values("hcp(east) >= 11.5 && hcp(east) <= 13.5") == 1).tolist() == (
        np.isin(values("hcp(east)"), (12, 13)).tolist()
    )
    halves = values("pointcount 4.5 3 1.5 .75 .25 hcp(east)")
    counted = "18 * aces(east) + 12 * kings(east) + 6 * queens(east) + 3 * jacks(east)"
    assert (4 * halves).tolist() == values(f"{counted} + tens(east)").tolist()
    with pytest.raises(InvalidScript, match="column 12: expected whole numbers beside %"):
        values("hcp(north) % 1.5")


def test_division_by_nought_is_said_where_it_happens():
    with pytest.raises(InvalidScript, match="line 2, column 14: expected a divisor other than 0"):
        values("x = 1\n  hcp(north) / clubs(north)")
    # not where it does not count
    found = values("clubs(north) > 0 && hcp(north) / clubs(north) >= 3")
    by_choice = values("clubs(north) ? hcp(north) / clubs(north) >= 3 : 0")
    assert found.tolist() == by_choice.tolist()
    assert 0 < found.sum() < 400


def test_random_numbers_are_the_same_again_and_even():
    found = values("rnd(4)", deal_hands(1, 0, 40_000))
    assert found.tolist() == values("rnd(4)", deal_hands(1, 0, 40_000)).tolist()
    assert np.bincount(found) == pytest.approx([10_000] * 4, abs=400)
    pairs = values("rnd(4) * 4 + rnd(4)", deal_hands(1, 0, 40_000))
    assert len(set(pairs.tolist())) == 16


class Solver:
    """Takes its tricks from the length of spades of the declarer, and counts what is asked."""

    asked = 0

    def tricks(self, hands, strain, declarer, **limits):
        self.asked += hands.shape[1]
        cards = hands[declarer, np.arange(hands.shape[1])] >> np.uint64(39)
        return np.bitwise_count(cards).astype(np.int8)


def test_tricks_are_asked_for_last():
    solver = Solver()
    found = values("tricks(north, spades) >= 6 && hcp(north) >= 15", solver=solver)
    assert found.tolist() == values("spades(north) >= 6 && hcp(north) >= 15").tolist()
    assert solver.asked == values("hcp(north) >= 15").sum()
    with pytest.raises(InvalidScript, match="without tricks"):
        values("tricks(north, spades)")


def test_tricks_have_a_limit(monkeypatch):
    monkeypatch.setattr(evaluation, "MOST_SOLVED", 100)
    with pytest.raises(LimitExceeded, match="at most 100 double-dummy results"):
        values("tricks(north, spades)", solver=Solver())
