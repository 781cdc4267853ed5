"""Deals of scripts: looked for among random ones, drawn, or not there."""

import threading
from math import sqrt

import numpy as np
import pytest

from bidcascade.bridge import Cancelled, InvalidScript, NoSuchDeal, TimedOut
from bidcascade.inference.layouts.where import Constraints
from bidcascade.inference.scenarios.conditions import conditions_of
from bidcascade.inference.scenarios.evaluation import Evaluation
from bidcascade.inference.scenarios.producing import produce
from bidcascade.inference.scenarios.script_reader import parse_script
from bidcascade.kernels import DealArrays, get_backend
from bidcascade.kernels.dealing import deal_hands


@pytest.mark.parametrize(
    "text",
    [
        "hcp(north) >= 15 && hcp(north) <= 17 && shape(north, any 4333 + any 4432 + any 5332)",
        "shape(south, any 4432 + 54xx - any 0xxx) || shape(south, any 6xxx - x6xx)",
        "!(spades(east) > hearts(east) ? aces(east) : kings(east))",
        "losers(west) <= 6 and (controls(west) > 4 or not top3(west, clubs))",
        "hcp(north, spades) + hcp(south, spades) * 2 - 3 > 5 - tens(east)",
        "hascard(west, QH) && -spades(west) < -3",
        "queens(west) != 2 && top5(north) >= 5",
        "hcp(east) >= 11.5 && 13.5 > hcp(east) && -0.25 < spades(east)",
    ],
)
def test_conditions_say_the_same(text):
    script = parse_script(text)
    hands = deal_hands(2, 0, 5000)
    found = Evaluation(script).holds(script.condition, hands)
    said = conditions_of(script)
    assert said
    deals = DealArrays(hands, np.zeros(5000, np.uint8), np.zeros(5000, np.uint8))
    assert Constraints(said).holds(deals, get_backend("cpu")).tolist() == found.tolist()
    assert 0 < found.sum() < 5000


def test_what_has_no_words_is_left_out():
    script = parse_script("hcp(north) > 3 && cccc(north) > 900 && rnd(2) && losers(north, spades)")
    assert conditions_of(script) == ["(HCP_N > 3)"]
    assert conditions_of(parse_script("hcp(north) + 0.5 > 3 && aces(north)")) == ["(Aces_N != 0)"]
    assert conditions_of(parse_script("pointcount 6 hcp(north) > 3 && jacks(north)")) == []


def test_fewer_deals_are_the_first_of_more_and_all_that_were_looked_at_count():
    script = parse_script("hcp(north) > 11")
    some, more = produce(script, seed=4, count=7), produce(script, seed=4, count=300)
    assert some.hands.tolist() == more.hands[:, :7].tolist()
    assert some.generated < more.generated
    hands = deal_hands(4, 0, some.generated)
    met = Evaluation(script).holds(script.condition, hands)
    assert (met.sum(), bool(met[-1])) == (7, True)


def test_rare_deals_are_drawn_as_likely_as_each_other():
    """Spades of a strong hand, where an honour lies elsewhere: drawn, and with it dealt before."""
    found = produce(parse_script("produce 600 hcp(north) == 33 && hascard(west, QH)"), seed=6)
    assert found.is_drawn
    lengths = np.bitwise_count(found.hands[0] >> np.uint64(39))
    exact = produce(parse_script("predeal west HQ produce 600 hcp(north) == 33"), seed=8)
    other = np.bitwise_count(exact.hands[0] >> np.uint64(39))
    error = sqrt((lengths.var() + other.var()) / 600)
    assert lengths.mean() == pytest.approx(other.mean(), abs=4 * error)


def test_drawn_deals_meet_what_has_no_words_too():
    script = parse_script("produce 20 hcp(north) >= 30 && cccc(north) >= 2800")
    found = produce(script, seed=1)
    assert found.is_drawn
    assert Evaluation(script).holds(script.condition, found.hands).all()
    assert found.generated > 20


def test_cards_dealt_before():
    script = parse_script("predeal north SAKQ, south HA  spades(east)==5  hcp(west) > 5 produce 50")
    hands = produce(script, seed=1).hands
    assert (hands[0] >> np.uint64(49) == 0b111).all()
    assert (hands[2] >> np.uint64(38) & np.uint64(1)).all()
    assert set(np.bitwise_count(hands[1] >> np.uint64(39)).tolist()) == {5}
    # the five spades are any of those that are left
    held = [int((hands[1] >> np.uint64(card) & np.uint64(1)).sum()) for card in range(39, 49)]
    assert min(held) > 50 * 5 / 10 - 4 * sqrt(50 * 0.25)
    assert sum(held) == 250


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("hcp(north) > 37", NoSuchDeal, "no deal meets the script: no hand is left for N"),
        ("spades(north) == 13 && hascard(south, 2S)", NoSuchDeal, "no deal meets the script"),
        ("hcp(north) + hcp(south) + hcp(east) + hcp(west) == 39", NoSuchDeal,
         "no deal meets the script: HCP_E .* is 40 in every deal"),
        ("0", NoSuchDeal, "no deal meets the script"),
        ("cccc(north) > 9000", NoSuchDeal, "none of 1,000,000 deals meets the script; generate"),
        ("generate 50 cccc(north) > 2000 && jacks(north) == 4", NoSuchDeal, "none of 50 deals"),
        ("predeal spades(north)==7 spades(south)==7 1", NoSuchDeal,
         "no deal has the cards and lengths that predeal gives"),
        ("predeal spades(north)==7 hearts(north)==7 1", InvalidScript,
         "predeal of north: expected lengths that 13 cards have"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said(text, error, message):
    with pytest.raises(error, match=message):
        produce(parse_script(text), seed=1)


def test_a_search_ends_when_it_is_told_to():
    endless = parse_script("produce 10 generate 2000000000 cccc(north) > 9000")
    with pytest.raises(TimedOut, match="expected a deal within the time limit"):
        produce(endless, seed=1, until=0)
    cancel = threading.Event()
    told = []

    def report(found, wanted, looked_at):
        told.append((found, wanted))
        if len(told) == 3:
            cancel.set()

    with pytest.raises(Cancelled):
        produce(endless, seed=1, cancel=cancel, report=report)
    assert told == [(0, 10)] * 3


def test_a_part_is_given_where_the_bound_comes_first():
    found = produce(parse_script("produce 50 generate 20000 rnd(1000) == 7"), seed=1)
    assert 5 < found.hands.shape[1] < 50
    assert found.generated == 20_000
