"""The doctor against auctions bid call by call by the definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import CALL_TEXTS, PASS, Auction, IllegalCall, imps, score
from bidcascade.inference.auction_ends import contract_number, contract_of
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.systems import open_system
from bidcascade.systems.system import System
from bidcascade.workshop.boards.doctor import Examiner, examine
from tests.support.examples import sized

RUDE = System.parse("""
opening:
  3NT = Game at once: 12+ points
  1C  = Club: 8+ points
after 1C:
  2C  = Raise: 6+ points
  Pass = Enough: any hand
over (1C):
  Double = Takeout: 12+ points
""")


def bid_out(system, deals, deal, calls):
    """Calls to the end, each asked of the definition."""
    calls = list(calls)
    while not Auction.of(calls).is_complete:
        seat = (int(deals.dealer[deal]) + len(calls)) % 4
        made = system.bid(
            int(deals.hands[seat, deal]),
            calls,
            dealer=int(deals.dealer[deal]),
            vulnerability=int(deals.vulnerability[deal]),
        )
        calls.append(made.call)
    return calls


def north_south(calls, deals, tables, deal):
    """Points of North-South."""
    contract = contract_of(contract_number(calls), int(deals.dealer[deal]))
    if contract is None:
        return 0
    side = int(contract.declarer) % 2
    tricks = int(tables[deal, 5 * int(contract.declarer) + contract.strain])
    vulnerable = bool(deals.vulnerability[deal] >> side & 1)
    return (1 - 2 * side) * score(contract, tricks, vulnerable=vulnerable)


def gain_of(system, deals, tables, deal, before, call):
    """IMPs that another call wins for who makes it."""
    made = north_south(bid_out(system, deals, deal, before), deals, tables, deal)
    other = north_south(bid_out(system, deals, deal, [*before, call]), deals, tables, deal)
    side = (int(deals.dealer[deal]) + len(before)) % 2
    return imps(other - made) if side == 0 else imps(made - other)


@given(st.integers(0, 2**40), st.data())
def test_bidding_on_is_bidding_after_the_call(seed, data):
    deals = deal_arrays(random_deals(12, seed))
    bidder = RUDE.bidder()
    with bidder.lock:
        steps = list(bidder.steps(deals))
        depth = data.draw(st.integers(0, len(steps) - 1))
        step = steps[depth]
        calls = np.zeros(len(step.deals), np.uint8)
        before = [bidder.auction_of(int(place)) for place in step.place]
        for number, auction in enumerate(before):
            legal = [call for call in range(38) if _is_legal((*auction, call))]
            calls[number] = data.draw(st.sampled_from(legal))
        taken = type(deals)(
            np.ascontiguousarray(deals.hands[:, step.deals]),
            deals.dealer[step.deals],
            deals.vulnerability[step.deals],
        )
        ends = bidder.endings(bidder.bid_on(taken, step.place, calls, depth).place)
    for number, deal in enumerate(step.deals):
        whole = ends.calls[ends.offsets[number] : ends.offsets[number + 1]].tolist()
        assert whole == bid_out(RUDE, deals, deal, [*before[number], int(calls[number])])


def _is_legal(calls):
    try:
        Auction.of(calls)
    except IllegalCall:
        return False
    return True


def test_gains_are_those_of_auctions_bid_on():
    deals = deal_arrays(random_deals(60, 3))
    tables = np.random.default_rng(3).integers(3, 9, (60, 20)).astype(np.int8)
    found = examine(RUDE, deals, tables, least=4)
    (regret,) = (
        one
        for one in found.regrets
        if one.line.name == "Game at once" and one.instead.name == "Pass" and not one.when
    )
    assert regret.calls == ("P",)
    expected = {0: [], 1: []}
    for deal in range(60):
        auction = bid_out(RUDE, deals, deal, [])
        first = next((place for place, call in enumerate(auction) if call), None)
        if first is not None and CALL_TEXTS[auction[first]] == "3N":
            gain = gain_of(RUDE, deals, tables, deal, auction[:first], PASS)
            expected[deal % 2].append(gain)
    for gain, values in zip((regret.found, regret.unseen), expected.values(), strict=True):
        assert gain.decisions == len(values)
        assert gain.mean == pytest.approx(np.mean(values))
        assert gain.error == pytest.approx(np.std(values, ddof=1) / len(values) ** 0.5)
    assert regret.share == pytest.approx(sum(map(len, expected.values())) / 60)


def test_findings_do_not_depend_on_when_the_bidder_starts_over(monkeypatch):
    """Lists of entries have other numbers then."""
    part = sized(6, 40)
    deals = deal_arrays(random_deals(3 * part, 9))
    tables = np.random.default_rng(9).integers(3, 11, (3 * part, 20)).astype(np.int8)
    monkeypatch.setattr("bidcascade.workshop.boards.doctor.PART_DEALS", part)
    whole = examine(open_system("sayc"), deals, tables, least=4)

    def somebody_else(_done, _count):
        shared.bidder().start_over()

    shared = open_system("sayc")
    assert examine(shared, deals, tables, least=4, progress=somebody_else) == whole
    monkeypatch.setattr("bidcascade.workshop.boards.doctor._BUDGET", 0)
    assert examine(open_system("sayc"), deals, tables, least=4) == whole


def test_an_interrupted_part_leaves_the_findings_of_the_others(monkeypatch):
    deals = deal_arrays(random_deals(120, 9))
    tables = np.random.default_rng(9).integers(3, 11, (120, 20)).astype(np.int8)
    examiner = Examiner(RUDE)
    examiner.look_at(deals.slice(0, 60), tables[:60])

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("bidcascade.workshop.boards.doctor._hands", interrupt)
        with pytest.raises(KeyboardInterrupt):
            examiner.look_at(deals.slice(60, 120), tables[60:])
    first = examine(RUDE, deals.slice(0, 60), tables[:60], least=4)
    assert examiner.findings(4) == first
    examiner.look_at(deals.slice(60, 120), tables[60:])
    monkeypatch.setattr("bidcascade.workshop.boards.doctor.PART_DEALS", 60)
    assert examiner.findings(4) == examine(RUDE, deals, tables, least=4)


def test_the_condition_parts_gains_from_losses():
    """Three notrump makes with 16 points or more, and goes down four with less."""
    deals = deal_arrays(random_deals(600, 5))
    points = [
        [
            sum(
                4 * (hand >> 12 + 13 * s & 1)
                + 3 * (hand >> 11 + 13 * s & 1)
                + 2 * (hand >> 10 + 13 * s & 1)
                + (hand >> 9 + 13 * s & 1)
                for s in range(4)
            )
            for hand in map(int, deals.hands[:, deal])
        ]
        for deal in range(600)
    ]
    tables = np.where(np.repeat(np.array(points), 5, axis=1) >= 16, 9, 5).astype(np.int8)
    system = System.parse("opening:\n  3NT = Game at once: 12+ points")
    found = examine(system, deals, tables).regrets
    (regret,) = (one for one in found if one.line.name == "Game at once")
    assert regret.instead.name == "Pass"
    assert regret.when == "at most 15 points"
    assert regret.unseen.mean > 3
    assert regret.imps == pytest.approx(regret.share * regret.unseen.mean)


def test_a_system_without_other_calls_has_no_regrets():
    deals = deal_arrays(random_deals(50, 1))
    found = examine(
        System.parse("opening:\n  Pass = Never: any hand"), deals, np.full((50, 20), 6, np.int8)
    )
    assert found.regrets == ()
    assert (found.deals, found.decisions, found.alternatives) == (50, 200, 0)


def test_tables_must_be_those_of_the_deals():
    with pytest.raises(ValueError, match=r"expected tables int8\[3, 20\], got \(2, 20\)"):
        examine(RUDE, deal_arrays(random_deals(3, 1)), np.zeros((2, 20), np.int8))
