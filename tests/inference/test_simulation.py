"""The best call by simulation, against the same worked out call by call, with a made-up solver."""

from collections import Counter
from threading import Event
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from bidcascade.bridge import (
    PASS,
    Auction,
    Cancelled,
    IllegalCall,
    InvalidInput,
    Seat,
    TimedOut,
    Vulnerability,
    imps,
    is_vulnerable,
    parse_call,
    parse_calls,
    parse_contract,
    parse_hand,
    score,
)
from bidcascade.inference.double_dummy.abstract_solver import DoubleDummy
from bidcascade.inference.layouts.known import KnownCards
from bidcascade.inference.layouts.sampling import sample_layouts
from bidcascade.inference.natural_calls import natural_calls
from bidcascade.inference.simulate import (
    BID_SCORINGS,
    LEAST_TO_DECIDE,
    CallQuestion,
    Simulation,
    is_out,
    mean_and_error,
    simulate_calls,
    values_of,
)
from bidcascade.inference.trick_table import estimated_scores, estimated_tricks
from bidcascade.kernels import DealArrays
from bidcascade.kernels.dealing import deal_hands
from bidcascade.kernels.types import U64
from bidcascade.systems import System
from bidcascade.systems.any_bidder import bidder_of
from bidcascade.systems.places.turn_context import context_at
from bidcascade.table import build_table
from bidcascade.table.overlays.sub_plan import below_place
from tests.support.examples import examples
from tests.support.systems import SMALL_SYSTEM
from tests.support.tables import made_up_rows

HAND = parse_hand("K52.AQ32.J876.Q2")


class MadeUpSolver:
    """Tricks by the table, rounded; keeps what it was asked, and may be slow or biased."""

    def __init__(
        self, *, times_out_after: int | None = None, gift: tuple[int, int] = (-1, 0)
    ) -> None:
        self.asked: Counter[tuple[int, int, int]] = Counter()
        self.questions = 0
        self.times_out_after = times_out_after
        self.gift = gift

    def tricks(
        self,
        hands: U64,
        strain: ArrayLike,
        declarer: ArrayLike,
        *,
        cancel: Event | None = None,
        timeout_s: float | None = None,
    ) -> Any:
        if self.times_out_after is not None and self.questions >= self.times_out_after:
            raise TimedOut("too slow")
        self.questions += 1
        found = []
        strains, declarers = np.asarray(strain), np.asarray(declarer)
        for number in range(hands.shape[1]):
            key = int(hands[0, number]), int(strains[number]), int(declarers[number])
            self.asked[key] += 1
            found.append(self.one(hands[:, number : number + 1], *key[1:]))
        return np.array(found, np.int8)

    def one(self, hands: U64, strain: int, declarer: int) -> int:
        more = self.gift[1] if strain == self.gift[0] else 0
        return int(
            np.clip(round(float(estimated_tricks(hands, strain, declarer)[0])) + more, 0, 13)
        )

    leads = plays = tables = None


def solver_of(made_up: MadeUpSolver) -> DoubleDummy:
    return made_up  # type: ignore[return-value]


@pytest.fixture(scope="module")
def system() -> System:
    return System.parse(SMALL_SYSTEM, name="small")


def lines_of(system: System, hand: int, calls: tuple[int, ...]) -> tuple[int, ...]:
    from bidcascade.systems.places.choice import check_candidates

    context = context_at(len(calls), Seat.NORTH, Vulnerability.NONE)
    checked = check_candidates(system.expand(calls).entries, hand, context, system.vocabulary)
    return tuple(dict.fromkeys(one.entry.call for one in checked if one.holds))


def run(
    system: System, question: CallQuestion, solver: MadeUpSolver | None, **more: Any
) -> Simulation:
    return simulate_calls(
        system, bidder_of(system), question, None if solver is None else solver_of(solver), **more
    )


# --- the whole -----------------------------------------------------------------------------------


@pytest.mark.parametrize("scoring", BID_SCORINGS)
@pytest.mark.parametrize(
    ("auction", "dealer", "sides"),
    [("1N P", Seat.NORTH, Vulnerability.NONE), ("P 1C", Seat.EAST, Vulnerability.EW)],
)
def test_values_are_those_of_bidding_call_by_call(system, scoring, auction, dealer, sides):
    calls = parse_calls(auction)
    question = CallQuestion(
        HAND, calls, lines_of(system, HAND, calls), dealer, sides, scoring, layouts=15
    )
    solver = MadeUpSolver()
    found = run(system, question, solver)
    layouts = sample_layouts(
        system,
        calls,
        count=15,
        dealer=dealer,
        vulnerability=sides,
        known={question.seat: KnownCards(HAND)},
    )
    assert found.layouts == len(layouts) == 15

    points = {}
    for one in found.candidates:
        points[one.call] = [
            _score_of(system, question, layouts.hands[:, number], one.call, solver)
            for number in range(15)
        ]
    own = points[found.compared_with]
    for one in found.candidates:
        if scoring == "points":
            values = points[one.call]
        elif scoring == "imps":
            values = [
                imps(ours - theirs) for ours, theirs in zip(points[one.call], own, strict=True)
            ]
        else:
            values = [
                0.5 + 0.5 * np.sign(ours - theirs)
                for ours, theirs in zip(points[one.call], own, strict=True)
            ]
        assert one.mean == pytest.approx(np.average(values, weights=layouts.weights))
        assert one.points == pytest.approx(np.average(points[one.call], weights=layouts.weights))
        best = np.array([max(column) for column in zip(*points.values(), strict=True)])
        share = np.average(np.array(points[one.call]) == best, weights=layouts.weights)
        assert one.best_share == pytest.approx(share)
    assert found.candidates[0].behind == 0
    means = [one.mean for one in found.candidates]
    assert means == sorted(means, reverse=True)
    assert found.compared_with == (question.lines or (PASS,))[0]
    if scoring == "imps":
        assert next(one.mean for one in found.candidates if one.call == found.compared_with) == 0


def _score_of(
    system: System, question: CallQuestion, hands: U64, call: int, solver: MadeUpSolver
) -> int:
    auction = Auction.of((*question.calls, call), question.dealer)
    while not auction.is_complete:
        hand = int(hands[auction.seat_to_act])
        auction = auction.add(
            system.bid(
                hand, auction.calls, dealer=question.dealer, vulnerability=question.vulnerability
            ).call
        )
    contract = auction.contract
    if contract is None:
        return 0
    tricks = solver.one(hands[:, None], contract.strain, contract.declarer)
    points = score(
        contract, tricks, vulnerable=is_vulnerable(question.vulnerability, contract.declarer)
    )
    return points if (contract.declarer - question.seat) % 2 == 0 else -points


def test_only_what_auctions_reach_is_solved_and_once(system):
    calls = parse_calls("1N P")
    solver = MadeUpSolver()
    question = CallQuestion(HAND, calls, lines_of(system, HAND, calls), layouts=30)
    found = run(system, question, solver)
    assert max(solver.asked.values()) == 1
    assert found.solved == sum(solver.asked.values())
    contracts = {name for one in found.candidates for name, _ in one.contracts}
    strains = {parse_contract(name).strain for name in contracts if name != "Pass"}
    assert {strain for _, strain, _ in solver.asked} >= strains
    assert len(solver.asked) <= 30 * len(found.candidates) < 30 * 20


def test_a_clear_call_ends_it_early(system):
    calls = parse_calls("1N P")
    # spades take all the tricks there are
    solver = MadeUpSolver(gift=(3, 13))
    hand = parse_hand("KJ9842.32.J876.2")
    question = CallQuestion(hand, calls, (parse_call("P"),), layouts=200, scoring="points")
    found = run(system, question, solver)
    assert found.stopped_because == "decided"
    assert found.layouts < 200
    assert found.best.contracts[0][0][1] == "S"
    out = [one for one in found.candidates if one.layouts < found.layouts]
    assert all(one.layouts >= LEAST_TO_DECIDE for one in out)
    assert all(one.behind > 0 for one in out)
    every = run(system, question, None)
    assert every.stopped_because == "layouts"
    assert every.tricks_by == "table of tricks"
    assert {one.layouts for one in every.candidates} == {200}
    assert every.solved == 0


def test_too_slow_a_solver_leaves_the_table(system):
    calls = parse_calls("1N P")
    question = CallQuestion(HAND, calls, lines_of(system, HAND, calls), layouts=60)
    found = run(system, question, MadeUpSolver(times_out_after=0), time_limit_s=30.0)
    table = run(system, question, None)
    assert (found.tricks_by, found.stopped_because) == ("table of tricks", "time")
    assert [one.mean for one in found.candidates] == [one.mean for one in table.candidates]
    some = run(system, question, MadeUpSolver(times_out_after=1), time_limit_s=30.0)
    assert (some.tricks_by, some.stopped_because, some.layouts) == ("double dummy", "time", 10)


def test_the_same_seed_gives_the_same_answer(system):
    calls = parse_calls("1C P")
    question = CallQuestion(HAND, calls, lines_of(system, HAND, calls), layouts=25, seed=4)
    one, other = (run(system, question, MadeUpSolver()) for _ in range(2))
    assert one.candidates == other.candidates
    moved = run(
        system, CallQuestion(HAND, calls, question.lines, layouts=25, seed=5), MadeUpSolver()
    )
    assert moved.candidates != one.candidates


def test_questions_that_make_no_sense(system):
    for question, error in (
        (CallQuestion(HAND, parse_calls("1N P P P")), InvalidInput),
        (CallQuestion(HAND, (), scoring="rubber"), InvalidInput),  # type: ignore[arg-type]
        (CallQuestion(HAND, (), layouts=0), InvalidInput),
        (CallQuestion(HAND, parse_calls("1N P"), (parse_call("1C"),)), IllegalCall),
    ):
        with pytest.raises(error):
            run(system, question, None)
    stop = Event()
    stop.set()
    with pytest.raises(Cancelled):
        run(system, CallQuestion(HAND, parse_calls("1N P")), None, cancel=stop)


# --- parts ---------------------------------------------------------------------------------------


@st.composite
def open_auctions(draw: st.DrawFn) -> tuple[int, ...]:
    auction = Auction()
    for number in draw(st.lists(st.integers(0, 10**6), max_size=9)):
        # low calls more often, that auctions do not end at once
        legal = list(auction.legal_calls())[:12]
        following = auction.add(legal[number % len(legal)])
        if following.is_complete:
            break
        auction = following
    return auction.calls


@given(open_auctions(), st.integers(0, 200))
def test_natural_calls_are_legal_and_each_once(calls, seed):
    hand = int(deal_hands(seed, 0, 1)[0, 0])
    found = natural_calls(hand, calls)
    auction = Auction.of(calls)
    assert PASS in found
    assert len(set(found)) == len(found)
    assert all(auction.is_legal(call) for call in found)


@pytest.mark.parametrize(
    ("hand", "auction", "expected"),
    [
        ("KJ9842.32.J876.2", "1N P", "P 2S 4S 2N 3N"),
        ("AK5.QJ76.K52.J43", "1H P", "P 2H 4H 1N 3N"),
        ("A2.K4.KQJ9876.32", "1S 2H", "P 3D 5D X"),
        ("K52.AQ32.J876.Q2", "7N", "P X"),
    ],
)
def test_natural_calls_by_hand(hand, auction, expected):
    assert natural_calls(parse_hand(hand), parse_calls(auction)) == parse_calls(expected)


@examples(10)
@given(st.integers(1, 6), st.integers(0, 5))
def test_a_table_goes_on_from_any_place_as_from_the_start(seed, cut):
    table, _ = build_table(made_up_rows(3000, seed), undescribed="allow")
    zero = np.zeros(40, np.uint8)
    deals = DealArrays(deal_hands(seed, 0, 40), zero, zero)
    bidder = bidder_of(table)
    endings, which = bidder.bid_from((), deals)
    whole = [endings[number] for number in which.tolist()]
    for number, auction in enumerate(whole):
        start = auction[:cut]
        if Auction.of(start).is_complete:
            continue
        one = DealArrays(deals.hands[:, number : number + 1].copy(), zero[:1], zero[:1])
        [again], _ = bidder.bid_from(start, one)
        assert again == auction
    assert below_place(table, parse_calls("7N P P P")) is None


def test_estimates_rise_with_trumps_and_points():
    hands = deal_hands(3, 0, 500)
    tricks = estimated_tricks(hands, 3, 0)
    assert ((tricks >= 0) & (tricks <= 13)).all()
    assert (estimated_tricks(hands, 3, 0) == estimated_tricks(hands, 3, 2)).all()
    ours, theirs = estimated_tricks(hands, 4, 0), estimated_tricks(hands, 4, 1)
    assert (ours + theirs).mean() == pytest.approx(12.0, abs=0.2), "the defenders lead in both"
    assert np.corrcoef(ours, theirs)[0, 1] < -0.9
    scores = estimated_scores(hands, parse_contract("2SN"), vulnerable=False)
    order = np.argsort(tricks)
    assert (np.diff(scores[order]) >= -1e-9).all()


def test_intervals_hold_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(5)
    weights = rng.uniform(0.5, 2.0, 40)
    held = 0
    for _ in range(400):
        mean, error = mean_and_error(rng.normal(1.0, 3.0, 40), weights)
        assert error is not None
        held += abs(mean - 1.0) <= 1.96 * error
    assert 360 <= held <= 396
    assert mean_and_error(np.ones(1), np.ones(1)) == (1.0, None)
    assert mean_and_error(np.ones(3), np.ones(3)) == (1.0, 0.0)
    assert not is_out(np.zeros(1), np.ones(1), np.ones(1))
    assert is_out(np.zeros(20), np.ones(20), np.ones(20))
    assert not is_out(np.zeros(20), np.zeros(20), np.ones(20))


def test_values_by_scoring():
    ours, theirs = np.array([420.0, 140.0, -50.0]), np.array([170.0, 140.0, -50.0])
    assert values_of(ours, theirs, "imps").tolist() == [6.0, 0.0, 0.0]
    assert values_of(ours, theirs, "matchpoints").tolist() == [1.0, 0.5, 0.5]
    assert values_of(ours, theirs, "points").tolist() == ours.tolist()
    # scores by estimate that differ by nothing are a tie
    assert values_of(np.array([101.0]), np.array([100.0]), "matchpoints").tolist() == [0.5]
