"""What options of a text are worth: each alone, all other lines equal, by all scorers."""

import numpy as np
import pytest

from bidcascade.bridge import InvalidInput, InvalidSystem
from bidcascade.systems import System
from bidcascade.workshop.boards.blind_leads import BlindLeader, LeadCache
from bidcascade.workshop.boards.compare import SystemMatch
from bidcascade.workshop.boards.compare_summary import summarize
from bidcascade.workshop.boards.scored_boards import Budget
from bidcascade.workshop.tuning.option_prices import option_prices
from tests.support.deals import deals_in_turn

TEXT = """
option weak, on:
  opening:
    1NT = Weak notrump: 12-14 points, balanced
option without-weak-is-no-option:
  opening:
    7NT = Never: 37 points, 7+ spades
option majors:
  opening:
    1M = Majors: 10+ points, 5+ M
opening:
  1NT = Strong notrump: 15-17 points, balanced
  1C = Anything else: 12+ points
"""
DEALS = deals_in_turn(300, 4)
KNOWN = np.random.default_rng(1).integers(5, 11, (300, 20)).astype(np.int8)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "switched.bidding"
    path.write_text(TEXT)
    return path


def test_each_option_is_a_match_of_on_against_off(file):
    told = []
    found = {
        one.option: one
        for one in option_prices(file, DEALS, KNOWN, progress=lambda *one: told.append(one))
    }
    assert [one.is_on for one in found.values()] == [True, False, False]
    assert told[-1] == ("", 3, 3)
    for name, others in (("weak", {}), ("majors", {"weak": True})):
        match = SystemMatch(
            System.open(file, options={**others, name: True}),
            System.open(file, options={**others, name: False}),
            DEALS,
        )
        match.work_out(None, Budget(), KNOWN)
        summary = summarize(match)
        price = found[name]
        assert (price.imps, price.defended_imps) == (summary.imps, summary.defended_imps)
        assert price.other_contracts == summary.kinds["differs"] > 0
        assert price.other_auctions >= price.other_contracts
        assert (price.led, price.blind_imps.value) == (0, None)
    never = found["without-weak-is-no-option"]
    assert (never.other_auctions, never.imps.value, never.blind_imps.value) == (0, 0, 0)


def test_other_options_and_leads_as_they_are_asked_for(file):
    class Solver:
        def leads(self, hands, strain, leader, *, cancel=None, timeout_s=None):
            held = hands[leader][:, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)
            return np.where(held == 1, 5, -1).astype(np.int8)

    leader = BlindLeader(Solver(), LeadCache(), layouts=1)
    few = DEALS.slice(0, 40), KNOWN[:40]
    prices = list(
        option_prices(
            file, *few, options={"majors": True}, leader=leader, lead_budget=Budget(deals=2)
        )
    )
    assert {one.option: one.is_on for one in prices}["majors"]
    assert [one.led for one in prices] == [2, 0, 2]


def test_what_cannot_be_priced(tmp_path, file):
    bare = tmp_path / "bare.bidding"
    bare.write_text("opening:\n  1C = Any: 0+ points\n")
    with pytest.raises(InvalidInput, match=r"expected a system with options, got '.*bare.bidding'"):
        list(option_prices(bare, DEALS, KNOWN))
    with pytest.raises(InvalidSystem, match="expected an option of the system"):
        list(option_prices(file, DEALS, KNOWN, options={"strong": True}))
