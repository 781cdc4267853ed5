"""Systems against each other: hand-made results, what must not matter, honest errors."""

from itertools import pairwise
from threading import Event

import numpy as np
import pytest

from bidcascade.bridge import (
    Auction,
    Cancelled,
    Contract,
    InvalidInput,
    Seat,
    Vulnerability,
    imps,
    is_vulnerable,
    score,
)
from bidcascade.inference.auction_ends import contract_number, contract_of
from bidcascade.kernels import DealArrays
from bidcascade.kernels.dealing import deal_hands
from bidcascade.systems import System
from bidcascade.workshop.boards.compare import DIFFERS, SAME, SystemMatch
from bidcascade.workshop.boards.compare_summary import (
    Divergence,
    Estimate,
    MatchSample,
    boards_frame,
    divergence_text,
    divergences,
    quantile,
    summarize,
)
from bidcascade.workshop.boards.scored_boards import Budget
from tests.support.deals import deals_in_turn
from tests.support.systems import SMALL_SYSTEM

ONE = System.parse("opening:\n  1NT = Any: 0+ points", name="one")
OTHER = System.parse("opening:\n  1S = Any: 0+ points", name="other")
SMALL = System.parse(SMALL_SYSTEM, name="small")
WEAK = System.parse(
    SMALL_SYSTEM.replace("15-17 points, balanced", "12-14 points, balanced"), name="weak"
)


class Guesses:
    """A solver that makes tricks up, the same for the same question; counts what it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def tricks(self, hands, strain, declarer, *, cancel=None, timeout_s=None):
        self.asked += hands.shape[1]
        mixed = (hands[0] * np.uint64(0x9E3779B97F4A7C15)) ^ (hands[1] >> np.uint64(7))
        mixed = mixed + strain.astype(np.uint64) * np.uint64(31) + declarer.astype(np.uint64)
        return (5 + mixed % np.uint64(7)).astype(np.int8)


def compare_systems(first, second, deals, *, double_dummy=None, budget=None, known=None, **options):
    match = SystemMatch(first, second, deals, **options)
    match.work_out(double_dummy, budget or Budget(), known)
    return match


@pytest.fixture(scope="module")
def whole():
    return compare_systems(SMALL, WEAK, deals_in_turn(400, 1), double_dummy=Guesses())


# --- hand-made ------------------------------------------------------------------------------------


def test_a_match_worked_out_by_hand():
    deals = DealArrays(
        deal_hands(5, 0, 3),
        np.array([0, 1, 2], np.uint8),
        np.array([Vulnerability.NONE, Vulnerability.NONE, Vulnerability.NS], np.uint8),
    )
    known = np.zeros((3, 20), np.int8)
    known[0, [5 * 0 + 4, 5 * 0 + 3]] = 9, 7
    known[1, [5 * 1 + 4, 5 * 1 + 3]] = 7, 5
    known[2, [5 * 2 + 4, 5 * 2 + 3]] = 5, 8
    match = compare_systems(ONE, OTHER, deals, known=known)
    # North deals: 1NT+2 is 150 at the one table, 1S= is 80 at the other: 70 points
    # East deals: the other system's 1S is down two, +100; the first one's 1NT costs 90: 190 points
    # South deals, vulnerable: 1NT is down two, -200; 1S+1 is 110: -310 points
    assert match.scores.T.tolist() == [[150, 80], [100, -90], [-200, 110]]
    assert match.imps.tolist() == [2, 5, -7]
    assert match.tricks.T.tolist() == [[9, 7], [5, 7], [5, 8]]
    assert (match.kind == DIFFERS).all()
    assert match.solved == 0
    # doubled, down two is 300 where it was 100, and 500 where it was 200
    assert match.defended_imps.tolist() == [2, 9, -12]
    summary = summarize(match)
    assert summary.defended_imps.value == pytest.approx(-1 / 3)
    assert summary.imps.value == 0
    assert summary.imps.error == pytest.approx(np.std([2, 5, -7], ddof=1) / np.sqrt(3))
    assert summary.outcomes["won"].value == pytest.approx(2 / 3)
    assert [one.where for one in summary.divergences] == [Divergence((), 7, 6)]
    assert summary.divergences[0].examined == 3
    assert summary.systems[0].contracts == (("1N", 1.0),)
    assert summary.systems[1].contracts == (("1S", 1.0),)
    assert summary.systems[0].per_deal["declared"].value == 1
    assert summary.systems[0].made.value == pytest.approx(2 / 3)
    assert set(summary.vulnerabilities) == {"None", "NS"}
    assert summary.vulnerabilities["NS"][1].value == -7


def test_auctions_agree_with_bidding_call_by_call(whole):
    deals = whole.deals
    for deal in range(0, 400, 9):
        for table in range(2):
            sides = (SMALL, WEAK) if table == 0 else (WEAK, SMALL)
            auction = Auction(Seat(int(deals.dealer[deal])))
            while not auction.is_complete:
                seat = auction.seat_to_act
                auction = auction.add(
                    sides[seat % 2]
                    .bid(
                        int(deals.hands[seat, deal]),
                        auction.calls,
                        dealer=auction.dealer,
                        vulnerability=Vulnerability(int(deals.vulnerability[deal])),
                        opponents=sides[1 - seat % 2],
                    )
                    .call
                )
            assert whole.endings.auction(whole.ending[table, deal]) == auction.calls
            number = whole.contracts[table, deal]
            assert contract_of(int(number), int(auction.dealer)) == auction.contract
    assert {SAME, DIFFERS} == set(whole.kind.tolist())


def test_chunks_do_not_matter(whole, monkeypatch):
    monkeypatch.setattr("bidcascade.workshop.boards.compare._CHUNK", 130)
    again = SystemMatch(SMALL, WEAK, whole.deals)
    assert (again.kind == whole.kind).all()
    for deal in range(0, 400, 7):
        for table in range(2):
            one, other = (
                match.endings.auction(match.ending[table, deal]) for match in (again, whole)
            )
            assert one == other


def test_results_are_those_of_the_laws(whole):
    solver = Guesses()
    for deal in np.flatnonzero(whole.imps)[:40].tolist():
        points = []
        for table in range(2):
            calls = whole.endings.auction(whole.ending[table, deal])
            contract = Auction.of(calls, int(whole.deals.dealer[deal])).contract
            if contract is None:
                points.append(0)
                continue
            tricks = solver.tricks(
                whole.deals.hands[:, [deal]],
                np.array([contract.strain]),
                np.array([contract.declarer]),
            )
            sides = Vulnerability(int(whole.deals.vulnerability[deal]))
            own = score(
                contract, int(tricks[0]), vulnerable=is_vulnerable(sides, contract.declarer)
            )
            points.append(own if contract.declarer % 2 == 0 else -own)
        assert whole.scores[:, deal].tolist() == points
        assert whole.imps[deal] == imps(points[0] - points[1])


# --- what must not matter -------------------------------------------------------------------------


def test_systems_of_one_name_are_told_apart():
    other = System.parse(SMALL_SYSTEM, name="small")
    assert SystemMatch(SMALL, other, deals_in_turn(1, 1)).names == ("small (1)", "small (2)")


def test_a_system_draws_with_itself():
    match = compare_systems(SMALL, SMALL, deals_in_turn(300, 1))
    assert not match.imps.any()
    assert (match.ending[0] == match.ending[1]).all()
    assert match.done.all()
    summary = summarize(match)
    assert summary.imps == Estimate(0.0)
    assert summary.divergences == ()
    assert summary.outcomes["other auction"] == Estimate(0.0)
    assert summary.systems[0].per_deal == summary.systems[1].per_deal


def test_swapping_the_systems_negates(whole):
    other = compare_systems(WEAK, SMALL, whole.deals, double_dummy=Guesses())
    assert (other.imps == -whole.imps).all()
    assert (other.scores == whole.scores[::-1]).all()
    assert other.solved == whole.solved
    mine, theirs = summarize(whole), summarize(other)
    assert theirs.imps.value == -mine.imps.value
    assert theirs.outcomes["won"] == mine.outcomes["lost"]
    turned = {
        Divergence(one.where.before, one.where.second, one.where.first): one
        for one in theirs.divergences
    }
    for one in mine.divergences:
        if one.where in turned:
            assert turned[one.where].effect.value == pytest.approx(-one.effect.value)
    assert theirs.systems == mine.systems[::-1]


def test_known_tricks_are_not_asked_for(whole):
    solver = Guesses()
    known = np.full((400, 20), -1, np.int8)
    for declarer in range(4):
        for strain in range(5):
            known[:200, 5 * declarer + strain] = solver.tricks(
                whole.deals.hands[:, :200], np.full(200, strain), np.full(200, declarer)
            )
    solver.asked = 0
    again = compare_systems(SMALL, WEAK, whole.deals, double_dummy=solver, known=known)
    assert (again.imps == whole.imps).all()
    assert 0 < solver.asked == again.solved < whole.solved


# --- samples --------------------------------------------------------------------------------------


def test_a_budget_is_kept_and_work_goes_on(whole):
    solver = Guesses()
    match = SystemMatch(SMALL, WEAK, whole.deals)
    match.work_out(solver, Budget(deals=0))
    assert (match.sampled, solver.asked) == (0, 0)
    assert summarize(match).imps.error is None
    match.work_out(solver, Budget(deals=70))
    assert match.sampled == 70
    first = match.done.copy()
    match.work_out(solver, Budget(deals=100))
    assert match.sampled == 100
    assert match.done[first].all()
    match.work_out(solver, Budget(seconds=0))
    assert match.sampled == 100
    match.work_out(solver, Budget())
    assert (match.imps == whole.imps).all()
    assert (match.weights == 1).all()


def test_no_interval_is_told_from_too_little(whole):
    one = compare_systems(SMALL, WEAK, whole.deals.slice(0, 1), double_dummy=Guesses())
    assert summarize(one).imps.error is None
    match = SystemMatch(SMALL, WEAK, whole.deals)
    match.work_out(Guesses(), Budget(deals=0))
    assert summarize(match).imps == Estimate(None)
    match.work_out(Guesses(), Budget(deals=1))
    imps = summarize(match).imps
    assert imps.value is not None
    assert (imps.error, imps.margin) == (None, None)


def test_all_worked_out_is_a_simple_random_sample(whole):
    values = whole.imps.astype(float)
    found = MatchSample.of_results(whole).mean(values)
    error = values.std(ddof=1) / np.sqrt(400)
    assert found.value == pytest.approx(values.mean())
    assert found.error == pytest.approx(error)
    assert found.margin == pytest.approx(1.97 * error, rel=0.01)
    where = whole.deals.vulnerability == 3
    own = values[where]
    found = MatchSample.of_results(whole).mean(values, where)
    assert found[:2] == pytest.approx((own.mean(), own.std(ddof=1) / np.sqrt(len(own))))


def test_effects_of_divergences_add_up(whole):
    found, number = divergences(whole)
    values, results = whole.imps.astype(float), MatchSample.of_results(whole)
    effects = [results.part(values, number == one).value for one in range(len(found))]
    assert sum(effects) == pytest.approx(whole.imps.mean())
    for one in range(len(found)):
        first, _ = (whole.endings.auction(end) for end in whole.ending[:, number == one][:, 0])
        opened = tuple(first[next(place for place, call in enumerate(first) if call) :])
        assert found[one].before == opened[: len(found[one].before)]


@pytest.mark.slow
@pytest.mark.parametrize("budget", [Budget(), Budget(deals=25)], ids=["all", "some"])
def test_intervals_hold_the_truth_in_95_of_100_matches(budget):
    population = compare_systems(SMALL, WEAK, deals_in_turn(6000, 1), double_dummy=Guesses())
    imps, sides = population.imps.astype(float), population.deals.vulnerability
    found, number = divergences(population)
    commonest = found[np.bincount(number[number >= 0]).argmax()]
    there = number == found.index(commonest)
    truths = {
        "imps": imps.mean(), "won": (imps > 0).mean(), "vulnerable": imps[sides == 3].mean(),
        "there": imps[there].mean(), "effect": (imps * there).mean(),
        "share": there.mean(),
    }  # fmt: skip
    inside: dict[str, list[bool]] = {name: [] for name in truths}
    off = []
    random = np.random.default_rng(7)
    hands, dealer = population.deals.hands, population.deals.dealer
    for seed in range(300):
        chosen = random.choice(6000, 120, replace=False)
        deals = DealArrays(np.ascontiguousarray(hands[:, chosen]), dealer[chosen], sides[chosen])
        match = compare_systems(
            SMALL, WEAK, deals, double_dummy=Guesses(), budget=budget, seed=seed
        )
        own = match.imps.astype(float)
        parted, number = divergences(match)
        there = number == parted.index(commonest)
        results, bidding = MatchSample.of_results(match), MatchSample.of_bidding(match)
        for name, estimate in {
            "imps": results.mean(own), "won": results.mean((own > 0).astype(float)),
            "vulnerable": results.mean(own, deals.vulnerability == 3),
            "there": results.mean(own, there), "effect": results.part(own, there),
            "share": bidding.mean(there.astype(float)),
        }.items():  # fmt: skip
            if estimate.margin is not None:
                inside[name].append(abs(estimate.value - truths[name]) <= estimate.margin)
        off.append(results.mean(own).value - truths["imps"])
        assert match.weights.sum() == pytest.approx(120)
    assert abs(np.mean(off)) < 3 * np.std(off) / np.sqrt(len(off))
    shares = {name: np.mean(held) for name, held in inside.items()}
    assert all(len(held) > 200 for held in inside.values())
    assert 0.92 < shares["imps"] < 0.98, shares
    assert all(0.90 < share < 0.99 for share in shares.values()), shares


def test_quantiles_are_those_of_student():
    # table of the t distribution, two-sided 95 %
    table = {1: 12.7062, 2: 4.3027, 3: 3.1824, 5: 2.5706, 10: 2.2281, 30: 2.0423, 100: 1.9840}
    for degrees, value in table.items():
        assert quantile(degrees) == pytest.approx(value, rel=2e-3)


def test_examples_are_the_largest_swings(whole):
    summary = summarize(whole, examples=6)
    swings = [one.imps for one in summary.examples]
    assert swings[:3] == sorted(whole.imps.tolist(), reverse=True)[:3]
    assert swings[3:] == sorted(whole.imps.tolist())[:3]
    for one in summary.examples:
        assert one.auctions[0] != one.auctions[1]


def test_the_frame_of_boards_adds_up(whole):
    frame = boards_frame(whole)
    assert frame.height == 400
    assert frame["imps"].sum() == whole.imps.sum()
    assert frame["weight"].sum() == 400
    row = frame.filter(frame["imps"] != 0).row(0, named=True)
    contract = Auction.of(row["auction_ns"], Seat("NESW".index(row["dealer"]))).contract
    assert isinstance(contract, Contract)
    assert (contract.name, contract.declarer.letter) == (row["contract_ns"], row["declarer_ns"])
    same = frame.filter(
        (frame["contract_ns"] == frame["contract_ew"])
        & frame["declarer_ns"].eq_missing(frame["declarer_ew"])
    )
    assert same["tricks_ns"].null_count() == same.height > 0


# --- pieces ---------------------------------------------------------------------------------------


def test_contract_numbers_are_those_of_the_auction():
    random = np.random.default_rng(3)
    seen = set()
    for _ in range(300):
        auction = Auction(Seat(int(random.integers(4))))
        while not auction.is_complete:
            legal = list(auction.legal_calls())
            # passes often, or every auction ends at seven notrump
            call = 0 if random.random() < 0.55 else int(random.choice(legal[:8]))
            auction = auction.add(call)
        number = contract_number(auction.calls)
        assert contract_of(number, int(auction.dealer)) == auction.contract
        seen.add(number)
    assert len(seen) > 50


def test_divergences_as_text():
    assert divergence_text(Divergence((7, 0), 8, 9)) == "1N P: 2C/2D"
    assert divergence_text(Divergence((), 7, 3)) == "opening: 1N/1C"


@pytest.mark.parametrize(
    ("text", "budget"),
    [("90s", Budget(90.0)), ("1.5m", Budget(90.0)), ("10", Budget(None, 10)), ("ALL", Budget())],
)
def test_budgets_are_read(text, budget):
    assert Budget.parse(text) == budget


@pytest.mark.parametrize("text", ["", "soon", "-3", "-1s", "infs", "1e3", "nanm"])
def test_what_is_no_budget_is_refused(text):
    with pytest.raises(InvalidInput, match="expected a budget"):
        Budget.parse(text)


def test_mistakes_are_told():
    none = DealArrays(np.zeros((4, 0), np.uint64), np.zeros(0, np.uint8), np.zeros(0, np.uint8))
    with pytest.raises(InvalidInput, match="got none"):
        compare_systems(SMALL, WEAK, none)
    with pytest.raises(InvalidInput, match="got neither"):
        compare_systems(SMALL, WEAK, deals_in_turn(100, 1))
    with pytest.raises(InvalidInput, match=r"int8\[100, 20\]"):
        compare_systems(SMALL, WEAK, deals_in_turn(100, 1), known=np.zeros((3, 20), np.int8))
    cancel = Event()
    cancel.set()
    with pytest.raises(Cancelled):
        compare_systems(SMALL, WEAK, deals_in_turn(100, 1), cancel=cancel)


def test_progress_runs_forward():
    told: list[tuple[str, int, int]] = []
    match = compare_systems(
        SMALL,
        WEAK,
        deals_in_turn(200, 1),
        double_dummy=Guesses(),
        budget=Budget(deals=50),
        progress=lambda *news: told.append(news),
    )
    assert match.sampled == 50
    working = [done for what, done, _ in told if what == "working out"]
    assert all(one <= two for one, two in pairwise(working))
    assert told[-1] == ("working out", 50, 50)
