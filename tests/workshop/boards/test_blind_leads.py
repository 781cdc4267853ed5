"""Leads by who sees one hand: chosen over layouts, kept, and what they make of a match."""

import numpy as np
import pytest

from bidcascade.bridge import (
    Auction,
    Contract,
    Seat,
    Vulnerability,
    format_card,
    imps,
    is_vulnerable,
    parse_calls,
    parse_deal,
    score,
)
from bidcascade.systems import System
from bidcascade.workshop.boards.blind_leads import BlindLeader, LeadCache
from bidcascade.workshop.boards.compare import DIFFERS, SystemMatch
from bidcascade.workshop.boards.compare_summary import blind_estimate, boards_frame, summarize
from bidcascade.workshop.boards.scored_boards import Budget
from tests.support.deals import deals_in_turn
from tests.support.systems import SMALL_SYSTEM

SMALL = System.parse(SMALL_SYSTEM, name="small")
WEAK = System.parse(
    SMALL_SYSTEM.replace("15-17 points, balanced", "12-14 points, balanced"), name="weak"
)


class Counted:
    """Tricks by what the leader's partner holds in the suit that is led; counts boards."""

    def __init__(self):
        self.asked = 0

    def tricks(self, hands, strain, declarer, *, cancel=None, timeout_s=None):
        return (7 + (hands[0] + strain + declarer) % np.uint64(3)).astype(np.int8)

    def leads(self, hands, strain, leader, *, cancel=None, timeout_s=None):
        self.asked += hands.shape[1]
        found = np.full((hands.shape[1], 52), -1, np.int8)
        for board in range(hands.shape[1]):
            for card in range(52):
                if int(hands[leader, board]) >> card & 1:
                    partner = int(hands[(leader + 2) % 4, board])
                    found[board, card] = (partner >> card // 13 * 13 & 0x1FFF).bit_count()
        return found


HANDS = np.array(
    parse_deal("N:AQJ92.K3.Q4.AK52 T84.Q762.KT9.J97 K7653.T.A873.QT4 .AJ9854.J652.863").hands,
    np.uint64,
)
CONTRACT = Contract(4, 3, 0, Seat.NORTH)
SPADES = System.parse("""
opening:
  1S = Spades: 5+ spades
after 1S:
  4S = Game: 4+ spades
over (1S):
  2H = Hearts: 6+ hearts
  Pass = Nothing: any hand
""")


def led(solver, cache, auction, hands=HANDS):
    leader = BlindLeader(solver, cache, layouts=20)
    return leader.lead(
        (SPADES, SPADES),
        parse_calls(auction),
        CONTRACT,
        hands,
        dealer=Seat.NORTH,
        vulnerability=Vulnerability.NONE,
    )


def test_the_lead_is_that_of_the_layouts_and_its_tricks_those_of_the_deal():
    solver, cache = Counted(), LeadCache()
    found = led(solver, cache, "1S P 4S P P P")
    # the layouts and the deal, solved at once
    assert solver.asked == 21
    partner = int(HANDS[Seat.WEST])
    assert found.tricks == 13 - (partner >> found.card // 13 * 13 & 0x1FFF).bit_count()
    assert int(HANDS[Seat.EAST]) >> found.card & 1
    assert led(solver, cache, "1S P 4S P P P") == found
    assert solver.asked == 21


def test_the_auction_is_heard():
    # in West's seat everything but hearts is short; East has four hearts and is told of six more
    told = System.parse("opening:\n  1H = Hearts: 7+ hearts\n  1D = Diamonds: 8+ diamonds")
    cards = {}
    for auction in ("1H P P P", "1D P P P"):
        calls = parse_calls(auction)
        contract = Contract(1, calls[0] - 3, 0, Seat.NORTH)
        leader = BlindLeader(Counted(), LeadCache(), layouts=30)
        lead = leader.lead(
            (told, told),
            calls,
            contract,
            HANDS,
            dealer=Seat.NORTH,
            vulnerability=Vulnerability.NONE,
        )
        cards[auction] = lead.card // 13
    # what declarer has shown partner has not
    assert cards["1H P P P"] != 2
    assert cards["1D P P P"] != 1


def test_leads_are_kept_from_one_command_to_the_next(tmp_path):
    path = tmp_path / "leads.bin"
    solver = Counted()
    first = led(solver, LeadCache(path), "1S P 4S P P P")
    assert path.stat().st_size == 22
    assert led(solver, LeadCache(path), "1S P 4S P P P") == first
    assert solver.asked == 21
    # another deal of the same hand and auction is another record, as its tricks differ
    hands = HANDS[[0, 1, 3, 2]]
    led(solver, LeadCache(path), "1S P 4S P P P", hands)
    assert solver.asked == 42
    path.write_bytes(path.read_bytes()[:-3] + b"bad")
    assert len(LeadCache(path)) == 1


def test_an_auction_without_sense_is_led_against_from_the_hand():
    # East has five of the spades that North is said to hold ten of
    none = System.parse("opening:\n  1S = Spades: 10+ spades")
    leader = BlindLeader(Counted(), LeadCache(), layouts=5)
    found = leader.lead(
        (none, none),
        parse_calls("1S P P P"),
        Contract(1, 3, 0, Seat.NORTH),
        HANDS[[1, 0, 2, 3]],
        dealer=Seat.NORTH,
        vulnerability=Vulnerability.NONE,
    )
    assert 0 <= found.tricks <= 13


# --- in a match -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def match():
    found = SystemMatch(SMALL, WEAK, deals_in_turn(60, 1))
    found.work_out(Counted(), Budget())
    return found


@pytest.fixture(scope="module")
def led_match(match):
    match.lead_out(BlindLeader(Counted(), LeadCache(), layouts=2), Budget(deals=5))
    assert match.led.sum() == 5
    match.lead_out(BlindLeader(Counted(), LeadCache(), layouts=2), Budget())
    return match


def test_every_deal_with_other_auctions_is_led_against(led_match):
    other = led_match.ending[0] != led_match.ending[1]
    assert (led_match.led == other).all()
    assert other.sum() > 8
    for deal in np.flatnonzero(other).tolist():
        points = []
        for table in range(2):
            auction = Auction.of(
                led_match.endings.auction(led_match.ending[table, deal]),
                Seat(int(led_match.deals.dealer[deal])),
            )
            contract = auction.contract
            card = int(led_match.leads[table, deal])
            if contract is None:
                assert card == -1
                points.append(0)
                continue
            hands = led_match.deals.hands[:, deal].tolist()
            assert hands[(contract.declarer + 1) % 4] >> card & 1
            tricks = int(led_match.led_tricks[table, deal])
            sides = Vulnerability(int(led_match.deals.vulnerability[deal]))
            vulnerable = is_vulnerable(sides, contract.declarer)
            won = score(contract, tricks, vulnerable=vulnerable)
            points.append(won if contract.declarer % 2 == 0 else -won)
        assert led_match.blind_imps[deal] == imps(points[0] - points[1])


def test_all_led_is_the_mean_of_a_simple_sample(led_match):
    found = blind_estimate(led_match)
    assert found.value == pytest.approx(led_match.blind_imps.mean())
    deviation = np.std(led_match.blind_imps.astype(float), ddof=1)
    assert found.error == pytest.approx(deviation / np.sqrt(len(led_match)))
    summary = summarize(led_match)
    assert summary.blind_imps == found
    assert summary.led == led_match.led.sum()
    frame = boards_frame(led_match)
    assert frame["blind_imps"].drop_nulls().to_list() == (
        led_match.blind_imps[led_match.led].tolist()
    )
    for table, suffix in enumerate(("ns", "ew")):
        leads = frame[f"lead_{suffix}"].drop_nulls().to_list()
        row = led_match.leads[table]
        assert leads == [format_card(card) for card in row[row >= 0].tolist()]


def test_no_deal_led_tells_nothing(match):
    fresh = SystemMatch(SMALL, WEAK, match.deals)
    assert blind_estimate(fresh) == (None, None, None)
    same = SystemMatch(SMALL, SMALL, match.deals)
    assert blind_estimate(same).value == 0


def test_intervals_of_a_part_hold_the_whole_as_often_as_they_say(led_match):
    """Any part of the deals led is an estimate of all: unbiased, and with the right spread."""
    rng = np.random.default_rng(5)
    whole = led_match.led.copy()
    other = np.flatnonzero(whole)
    differs = led_match.kind[other] == DIFFERS
    values, errors = [], []
    for _ in range(400):
        led_match.led[:] = False
        chosen = [
            rng.choice(other[where], max(2, where.sum() // 2), replace=False)
            for where in (differs, ~differs)
            if where.sum() > 1
        ]
        led_match.led[np.concatenate(chosen)] = True
        found = blind_estimate(led_match)
        if found.error is not None:
            values.append(found.value)
            errors.append(found.error)
    led_match.led[:] = whole
    if (~differs).sum() != 1:
        assert np.mean(values) == pytest.approx(led_match.blind_imps.mean(), abs=0.05)
    full = blind_estimate(led_match).error
    # beyond what the deals themselves leave open, the errors tell how the parts vary
    assert np.sqrt(np.mean(np.square(errors)) - full**2) == pytest.approx(np.std(values), rel=0.35)
