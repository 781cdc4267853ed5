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
from bidcascade.inference.compare import (
    DIFFERS,
    LEFT,
    SAME,
    Budget,
    Comparison,
    SystemMatch,
    compare_systems,
)
from bidcascade.inference.compare_estimates import Divergence, divergences, mean, part
from bidcascade.inference.compare_summary import boards_frame, coverage_of, summarize
from bidcascade.inference.pair_tables import pair_table
from bidcascade.kernels import DealArrays
from bidcascade.kernels.dealing import deal_hands
from bidcascade.table import BiddingTable, System, compile_system
from bidcascade.table.compiled import Growth
from tests.support_systems import SMALL_SYSTEM

ONE = System.parse("opening:\n  1NT = Any: 0+ points", name="one")
OTHER = System.parse("opening:\n  1S = Any: 0+ points", name="other")
SMALL = System.parse(SMALL_SYSTEM, name="small")
WEAK = System.parse(
    SMALL_SYSTEM.replace("15-17 points, balanced", "12-14 points, balanced"), name="weak"
)


def random_deals(count: int, seed: int = 1) -> DealArrays:
    numbers = np.arange(count)
    return DealArrays(
        deal_hands(seed, 0, count), (numbers % 4).astype(np.uint8),
        (numbers // 4 % 4).astype(np.uint8),
    )  # fmt: skip


def tables_of(first: System, second: System, deals: int) -> tuple[BiddingTable, BiddingTable]:
    return (
        compile_system(first, opponents=second, deals=deals),
        compile_system(second, opponents=first, deals=deals),
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


@pytest.fixture(scope="module")
def small_tables():
    return tables_of(SMALL, WEAK, 60)


@pytest.fixture(scope="module")
def whole(small_tables):
    return compare_systems(
        SMALL, WEAK, random_deals(400), double_dummy=Guesses(), tables=small_tables
    )


# --- hand-made ------------------------------------------------------------------------------------


def test_a_match_worked_out_by_hand():
    deals = DealArrays(
        deal_hands(5, 0, 3), np.array([0, 1, 2], np.uint8),
        np.array([Vulnerability.NONE, Vulnerability.NONE, Vulnerability.NS], np.uint8),
    )  # fmt: skip
    known = np.zeros((3, 20), np.int8)
    known[0, [5 * 0 + 4, 5 * 0 + 3]] = 9, 7
    known[1, [5 * 1 + 4, 5 * 1 + 3]] = 7, 5
    known[2, [5 * 2 + 4, 5 * 2 + 3]] = 5, 8
    match = compare_systems(ONE, OTHER, deals, known=known, tables=tables_of(ONE, OTHER, 20))
    # North deals: 1NT+2 is 150 at the one table, 1S= is 80 at the other: 70 points
    # East deals: the other system's 1S is down two, +100; the first one's 1NT costs 90: 190 points
    # South deals, vulnerable: 1NT is down two, -200; 1S+1 is 110: -310 points
    assert match.scores.T.tolist() == [[150, 80], [100, -90], [-200, 110]]
    assert match.imps.tolist() == [2, 5, -7]
    assert match.tricks.T.tolist() == [[9, 7], [5, 7], [5, 8]]
    assert (match.kind == DIFFERS).all()
    assert match.solved == 0
    summary = summarize(match)
    assert summary.imps == (0.0, 0.0)
    assert summary.outcomes["won"].value == pytest.approx(2 / 3)
    assert [one.where for one in summary.divergences] == [Divergence((), 7, 6)]
    assert summary.divergences[0].examined == 3
    assert summary.systems[0].contracts == (("1N", 1.0),)
    assert summary.systems[1].contracts == (("1S", 1.0),)
    assert summary.systems[0].per_deal["declared"].value == 1
    assert summary.systems[0].made.value == pytest.approx(2 / 3)
    assert set(summary.vulnerabilities) == {"None", "NS"}
    assert summary.vulnerabilities["NS"][1].value == -7


def test_tables_agree_with_bidding_call_by_call(small_tables, whole):
    deals = whole.deals
    for deal in range(0, 400, 9):
        for table in range(2):
            sides = (SMALL, WEAK) if table == 0 else (WEAK, SMALL)
            auction = Auction(Seat(int(deals.dealer[deal])))
            while not auction.is_complete:
                seat = auction.seat_to_act
                auction = auction.add(
                    sides[seat % 2].bid(
                        int(deals.hands[seat, deal]), auction.calls, dealer=auction.dealer,
                        vulnerability=Vulnerability(int(deals.vulnerability[deal])),
                        opponents=sides[1 - seat % 2],
                    ).call
                )  # fmt: skip
            assert whole.endings.calls[whole.ending[table, deal]] == auction.calls
            number = whole.endings.contracts[whole.ending[table, deal]]
            assert contract_of(int(number), int(auction.dealer)) == auction.contract
    assert {SAME, DIFFERS, LEFT} == set(whole.kind.tolist())


def test_results_are_those_of_the_laws(whole):
    solver = Guesses()
    for deal in np.flatnonzero(whole.imps)[:40].tolist():
        points = []
        for table in range(2):
            calls = whole.endings.calls[whole.ending[table, deal]]
            contract = Auction.of(calls, int(whole.deals.dealer[deal])).contract
            if contract is None:
                points.append(0)
                continue
            tricks = solver.tricks(
                whole.deals.hands[:, [deal]], np.array([contract.strain]),
                np.array([contract.declarer]),
            )  # fmt: skip
            sides = Vulnerability(int(whole.deals.vulnerability[deal]))
            own = score(
                contract, int(tricks[0]), vulnerable=is_vulnerable(sides, contract.declarer)
            )
            points.append(own if contract.declarer % 2 == 0 else -own)
        assert whole.scores[:, deal].tolist() == points
        assert whole.imps[deal] == imps(points[0] - points[1])


# --- what must not matter -------------------------------------------------------------------------


def test_a_system_draws_with_itself():
    tables = tables_of(SMALL, SMALL, 60)
    match = compare_systems(SMALL, SMALL, random_deals(300), tables=tables)
    assert not match.imps.any()
    assert (match.ending[0] == match.ending[1]).all()
    assert match.done.all()
    summary = summarize(match)
    assert summary.imps == (0.0, 0.0)
    assert summary.divergences == ()
    assert summary.outcomes["other auction"].value == 0
    assert summary.systems[0].per_deal == summary.systems[1].per_deal


def test_swapping_the_systems_negates(small_tables, whole):
    other = compare_systems(
        WEAK, SMALL, whole.deals, double_dummy=Guesses(), tables=small_tables[::-1]
    )
    assert (other.imps == -whole.imps).all()
    assert (other.scores == whole.scores[::-1]).all()
    assert other.solved == whole.solved
    mine, theirs = summarize(whole), summarize(other)
    assert theirs.imps.value == -mine.imps.value
    assert theirs.outcomes["won"] == mine.outcomes["lost"]
    turned = {Divergence(one.where.before, one.where.second, one.where.first): one
              for one in theirs.divergences}  # fmt: skip
    for one in mine.divergences:
        if one.where in turned:
            assert turned[one.where].effect.value == pytest.approx(-one.effect.value)
    assert theirs.systems == mine.systems[::-1]


def test_tables_of_any_size_come_to_the_same(whole):
    again = compare_systems(
        SMALL, WEAK, whole.deals, double_dummy=Guesses(), tables=tables_of(SMALL, WEAK, 3)
    )
    assert (again.kind == LEFT).sum() > (whole.kind == LEFT).sum()
    assert (again.imps == whole.imps).all()


def test_known_tricks_are_not_asked_for(small_tables, whole):
    solver = Guesses()
    known = np.full((400, 20), -1, np.int8)
    for declarer in range(4):
        for strain in range(5):
            known[:200, 5 * declarer + strain] = solver.tricks(
                whole.deals.hands[:, :200], np.full(200, strain), np.full(200, declarer)
            )
    solver.asked = 0
    again = compare_systems(
        SMALL, WEAK, whole.deals, double_dummy=solver, known=known, tables=small_tables
    )
    assert (again.imps == whole.imps).all()
    assert 0 < solver.asked == again.solved < whole.solved


# --- samples --------------------------------------------------------------------------------------


def test_a_budget_is_kept_and_work_goes_on(small_tables, whole):
    solver = Guesses()
    match = SystemMatch(SMALL, WEAK, whole.deals, tables=small_tables)
    match.work_out(solver, Budget(deals=0))
    assert (match.result.sampled, solver.asked) == (0, 0)
    assert summarize(match.result).imps.error is None
    match.work_out(solver, Budget(deals=70))
    assert match.result.sampled == 70
    first = match.result.done.copy()
    match.work_out(solver, Budget(deals=100))
    assert match.result.sampled == 100
    assert match.result.done[first].all()
    match.work_out(solver, Budget(seconds=0))
    assert match.result.sampled == 100
    match.work_out(solver, Budget())
    assert (match.result.imps == whole.imps).all()
    assert (match.result.weights == 1).all()


@pytest.mark.slow
def test_estimates_are_unbiased_and_their_errors_honest(small_tables, whole):
    truth = float(whole.imps.mean())
    vulnerable = whole.deals.vulnerability == 3
    truth_vulnerable = float(whole.imps[vulnerable].mean())
    off, off_vulnerable, effects = [], [], []
    for seed in range(60):
        match = compare_systems(
            SMALL, WEAK, whole.deals, double_dummy=Guesses(), tables=small_tables, seed=seed,
            budget=Budget(deals=80),
        )  # fmt: skip
        values = match.imps.astype(float)
        value, error = mean(match, values)
        off.append((value - truth) / error)
        value, error = mean(match, values, vulnerable)
        off_vulnerable.append((value - truth_vulnerable) / error)
        effects.append(part(match, values, vulnerable).value)
        assert match.weights.sum() == pytest.approx(len(match))
    for scores in (off, off_vulnerable):
        assert abs(np.mean(scores)) < 3.5 / np.sqrt(60)
        assert 0.7 < np.std(scores) < 1.4
    assert abs(np.mean(effects) - whole.imps[vulnerable].sum() / 400) < 0.1


def test_all_worked_out_leaves_no_error(whole):
    assert mean(whole, whole.imps.astype(float)).error == 0
    found, number = divergences(whole)
    effects = sum(part(whole, whole.imps.astype(float), number == one).value
                  for one in range(len(found)))  # fmt: skip
    assert effects == pytest.approx(whole.imps.mean())


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


def test_coverage_counts_calls():
    deals = random_deals(8)
    first, second = coverage_of(SMALL, WEAK, deals, most=8)
    for one in (first, second):
        assert one.calls >= one.by_lines + one.forced
        assert 0 <= one.general < one.by_lines < one.calls
    assert coverage_of(SMALL, WEAK, deals, most=8) == (first, second)


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


def test_tables_of_a_pair_are_kept(tmp_path, monkeypatch):
    growth = Growth(30)
    table = pair_table(ONE, OTHER, growth=growth, folder=tmp_path)
    (place,) = tmp_path.iterdir()
    times = [file.stat().st_mtime_ns for file in sorted(place.iterdir())]
    again = pair_table(ONE, OTHER, growth=growth, folder=tmp_path)
    assert again.digest == table.digest
    assert [file.stat().st_mtime_ns for file in sorted(place.iterdir())] == times
    assert pair_table(OTHER, ONE, growth=growth, folder=tmp_path).digest != table.digest
    assert len(list(tmp_path.iterdir())) == 2
    monkeypatch.setattr("bidcascade.inference.pair_tables.KEPT_PAIRS", 2)
    pair_table(SMALL, OTHER, growth=growth, folder=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    assert not place.exists()
    pair_table(ONE, OTHER, growth=growth, folder=tmp_path)
    (place / "call.npy").write_bytes(b"broken")
    assert pair_table(ONE, OTHER, growth=growth, folder=tmp_path).digest == table.digest


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


def test_mistakes_are_told(small_tables):
    none = DealArrays(np.zeros((4, 0), np.uint64), np.zeros(0, np.uint8), np.zeros(0, np.uint8))
    with pytest.raises(InvalidInput, match="got none"):
        compare_systems(SMALL, WEAK, none, tables=small_tables)
    with pytest.raises(InvalidInput, match="got neither"):
        compare_systems(SMALL, WEAK, random_deals(100), tables=small_tables)
    with pytest.raises(InvalidInput, match=r"int8\[100, 20\]"):
        compare_systems(
            SMALL, WEAK, random_deals(100), tables=small_tables, known=np.zeros((3, 20), np.int8)
        )
    cancel = Event()
    cancel.set()
    with pytest.raises(Cancelled):
        compare_systems(SMALL, WEAK, random_deals(100), tables=small_tables, cancel=cancel)


def test_progress_runs_forward(small_tables):
    told: list[tuple[str, int, int]] = []
    match: Comparison = compare_systems(
        SMALL, WEAK, random_deals(200), double_dummy=Guesses(), tables=small_tables,
        budget=Budget(deals=90), progress=lambda *news: told.append(news),
    )  # fmt: skip
    assert match.sampled == 90
    working = [done for what, done, _ in told if what == "working out"]
    assert all(one <= two for one, two in pairwise(working))
    assert told[-1] == ("working out", 90, 90)
