"""A call searched at the table, against the same worked out layout by layout and call by call."""

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
    format_call,
    imps,
    is_vulnerable,
    parse_call,
    parse_calls,
    parse_contract,
    parse_hand,
    score,
)
from bidcascade.inference import search as searching
from bidcascade.inference.double_dummy.abstract_solver import DoubleDummy
from bidcascade.inference.layouts.known import KnownCards
from bidcascade.inference.layouts.sampling import sample_layouts
from bidcascade.inference.search import (
    DECISION_KINDS,
    LEAST_LAYOUTS,
    Search,
    SearchQuestion,
    SearchRules,
    kind_of,
    search_call,
)
from bidcascade.inference.trick_table import likely_tricks
from bidcascade.kernels.types import U64
from bidcascade.systems import System
from bidcascade.systems.any_bidder import bidder_of
from bidcascade.table import build_table
from tests.support.examples import examples
from tests.support.systems import SMALL_SYSTEM

CAUTIOUS_TEXT = """
opening:
  1NT = Strong notrump: 15-17 points, balanced
after 1NT:
  Pass = Too cautious: at most 12 points
  3NT = Game: 10+ points
"""
CAUTIOUS = System.parse(CAUTIOUS_TEXT, name="cautious")
"""Its first line passes game hands; the second one, which holds as well, is the right one."""
CLEAR = System.parse(CAUTIOUS_TEXT.replace("Pass = Too cautious: at most 12", "7NT = Wild: 14+"))
"""Nothing that is near comes close to its call."""
GAME = parse_hand("KQ5.J74.KQT98.J2")
SMALL = System.parse(SMALL_SYSTEM, name="small")


def ask(
    system: System, hand: int, auction: str, rules: SearchRules | None = None, **more: Any
) -> Search:
    calls = parse_calls(auction)
    names = ("dealer", "vulnerability", "layouts", "seed")
    asked = {name: more.pop(name) for name in names if name in more}
    circumstances = {name: asked[name] for name in names[:2] if name in asked}
    choice = system.bid(hand, calls, **circumstances)
    question = SearchQuestion(hand, calls, choice.call, forced=choice.forced, **asked)
    solver = more.pop("solver", None)
    return search_call(system, bidder_of(system), question, rules, solver, **more)


# --- the call ------------------------------------------------------------------------------------


def test_a_line_that_is_clearly_better_is_made():
    found = ask(CAUTIOUS, GAME, "1N P")
    assert (format_call(found.own), format_call(found.call), found.differs) == ("P", "3N", True)
    own, best = found.candidates[:2]
    assert (own.call, own.gain, best.call) == (found.own, 0.0, found.call)
    assert best.error is not None
    assert best.gain > 0.5 + best.error
    assert found.why.startswith(f"3N is worth {best.gain:+.2f} IMPs")
    assert "stands" not in found.why


def test_the_systems_call_stands_unless_it_is_beaten_by_margin_and_errors():
    best = ask(CAUTIOUS, GAME, "1N P").candidates[1]
    assert best.error is not None
    just_enough = (best.gain - 0.01, 0.0), (0.0, (best.gain - 0.01) / best.error)
    too_much = (best.gain + 0.01, 0.0), (best.gain - 0.01, 1.0), (0.0, 100.0)
    for margin, errors in just_enough:
        assert ask(CAUTIOUS, GAME, "1N P", SearchRules(margin=margin, errors=errors)).differs
    for margin, errors in too_much:
        found = ask(CAUTIOUS, GAME, "1N P", SearchRules(margin=margin, errors=errors))
        assert not found.differs
        assert "P stands" in found.why
    weak = ask(CAUTIOUS, parse_hand("Q52.J74.T9832.42"), "1N P")
    assert not weak.differs
    assert weak.why.startswith("not searched: no other line is near")


@pytest.mark.parametrize(
    ("hand", "auction", "dealer", "sides", "doubled"),
    [
        ("K52.A32.J876.J42", "1N P", Seat.NORTH, Vulnerability.NONE, False),
        ("K52.A32.J876.J42", "1N P", Seat.EAST, Vulnerability.EW, True),
        ("KQJ952.A2.KJ87.4", "P 1H", Seat.WEST, Vulnerability.NS, False),
        ("K52.AQ3.J876.KJ2", "", Seat.SOUTH, Vulnerability.BOTH, False),
    ],
)
def test_gains_and_outcomes_are_those_of_bidding_call_by_call(
    hand, auction, dealer, sides, doubled
):
    """What is told is recounted: each layout bid by the system, each contract scored by hand."""
    calls, mask = parse_calls(auction), parse_hand(hand)
    rules = SearchRules(kinds=DECISION_KINDS, margin=0.0, errors=0.0, doubled=doubled)
    found = ask(
        SMALL, mask, auction, rules, dealer=dealer, vulnerability=sides, layouts=LEAST_LAYOUTS
    )
    assert found.stopped_because in ("layouts", "decided")
    assert len(found.candidates) > 1
    seat = Seat((dealer + len(calls)) % 4)
    layouts = sample_layouts(
        SMALL,
        calls,
        count=LEAST_LAYOUTS,
        dealer=dealer,
        vulnerability=sides,
        known={seat: KnownCards(mask)},
    )
    assert found.layouts == len(layouts) == LEAST_LAYOUTS
    points: dict[int, list[list[int]]] = {}
    for one in found.candidates:
        made: dict[str, list[float]] = {}
        points[one.call] = []
        for number in range(LEAST_LAYOUTS):
            hands = layouts.hands[:, number]
            auction_ = Auction.of((*calls, one.call), dealer)
            while not auction_.is_complete:
                choice = SMALL.bid(
                    int(hands[auction_.seat_to_act]),
                    auction_.calls,
                    dealer=dealer,
                    vulnerability=sides,
                )
                auction_ = auction_.add(choice.call)
            name, scores, share = _scored(auction_, hands, seat, sides, doubled=doubled)
            points[one.call].append(scores)
            made.setdefault(name, []).append(share)
        share = layouts.weights / layouts.weights.sum()
        assert np.allclose(share, 1 / LEAST_LAYOUTS)
        told = {ends.contract: (ends.layouts, ends.made) for ends in one.outcomes}
        assert set(told) <= set(made)
        for name, (count, makes) in told.items():
            assert count == pytest.approx(len(made[name]))
            assert makes == pytest.approx(sum(made[name]))
        assert one.points == pytest.approx(np.mean(points[one.call]))
    own = points[found.own]
    for one in found.candidates:
        gains = [
            np.mean([imps(a - b) for a, b in zip(ours, theirs, strict=True)])
            for ours, theirs in zip(points[one.call], own, strict=True)
        ]
        assert one.gain == pytest.approx(np.mean(gains))
        assert one.error == pytest.approx(np.std(gains, ddof=1) / np.sqrt(LEAST_LAYOUTS))
    best = max(found.candidates, key=lambda one: one.gain)
    assert found.call == (best.call if best.gain > 0 else found.own)


def _scored(
    auction: Auction, hands: U64, seat: Seat, sides: Vulnerability, *, doubled: bool
) -> tuple[str, list[int], float]:
    """Contract, points of a side for the likely tricks, and the share of them that makes it."""
    contract = auction.contract
    if contract is None:
        return "Pass", [0] * 8, 0.0
    tricks = likely_tricks(hands[:, None], contract.strain, contract.declarer, 8)[0].tolist()
    is_ours = (contract.declarer - seat) % 2 == 0
    points = []
    for taken in tricks if is_ours else reversed(tricks):
        fails = taken < contract.level + 6
        played = contract
        if doubled and fails and contract.doubling == 0:
            played = parse_contract(f"{str(contract)[:2]}X{contract.declarer.letter}")
        value = score(played, taken, vulnerable=is_vulnerable(sides, contract.declarer))
        points.append(value if is_ours else -value)
    makes = sum(taken >= contract.level + 6 for taken in tricks) / 8
    return str(contract), points, makes


@examples(10)
@given(st.integers(0, 2**64 - 1))
def test_the_same_seed_gives_the_same_answer(seed):
    one, other = (ask(CAUTIOUS, GAME, "1N P", seed=seed, layouts=40) for _ in range(2))
    assert (one.call, one.why, one.candidates) == (other.call, other.why, other.candidates)
    assert one.seed == seed
    moved = ask(CAUTIOUS, GAME, "1N P", seed=seed ^ 1, layouts=40)
    assert moved.candidates != one.candidates


def test_one_layout_is_told_as_one():
    found = ask(CAUTIOUS, GAME, "1N P", layouts=1)
    assert " over 1 layout, " in found.why
    assert " of 1 layout" in found.why
    assert "1 layouts" not in found.why


def test_no_more_layouts_than_are_needed():
    few = ask(CLEAR, GAME, "1N P")
    assert [format_call(one.call) for one in few.candidates] == ["3N", "P", "7N"]
    assert few.stopped_because == "decided"
    assert few.layouts == LEAST_LAYOUTS < few.requested


# --- no search -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("auction", "why"),
    [
        # the first call is one that no line of the system makes
        ("7N P", "not searched: "),
        ("1S 4D 4S P", "not searched: "),
    ],
)
def test_calls_of_strangers_leave_the_systems_call(auction, why):
    found = ask(SMALL, GAME, auction, SearchRules(kinds=DECISION_KINDS))
    assert not found.differs
    assert found.why.startswith(why)
    assert (found.candidates, found.layouts, found.stopped_because) == ((), 0, "not searched")


def test_a_stranger_s_call_is_named():
    calls = parse_calls("1N 2N")
    question = SearchQuestion(GAME, calls, SMALL.bid(GAME, calls).call)
    rules = SearchRules(kinds=DECISION_KINDS, missed=20)
    found = search_call(SMALL, bidder_of(SMALL), question, rules)
    assert found.why in (
        "not searched: the system does not know what the call 2N by E shows",
        "not searched: no other line is near",
    )


@pytest.mark.parametrize("limit", [0.0, -1.0])
def test_no_time_leaves_the_systems_call(limit):
    found = ask(CAUTIOUS, GAME, "1N P", time_limit_s=limit)
    assert (found.call, found.why) == (found.own, "not searched: no time was given")


def test_too_little_time_leaves_the_systems_call(monkeypatch):
    def late(*_: object, **__: object) -> None:
        raise TimedOut("late")

    monkeypatch.setattr(searching, "sample_layouts", late)
    found = ask(CAUTIOUS, GAME, "1N P", time_limit_s=0.5)
    assert not found.differs
    assert found.why.startswith("not searched: no layout was found in ")
    found = ask(CAUTIOUS, GAME, "1N P", time_limit_s=0.0005)
    assert found.why.startswith("not searched: no layout was found in 0.")
    monkeypatch.undo()
    ticks = iter([0.0, 0.0, *[9.0] * 20])
    monkeypatch.setattr(searching, "perf_counter", lambda: next(ticks))
    found = ask(CAUTIOUS, GAME, "1N P", time_limit_s=5.0)
    assert found.why == "not searched: only 0 layouts were found and bid in time"


def test_only_wanted_kinds_are_searched():
    for kind in DECISION_KINDS:
        found = ask(CAUTIOUS, GAME, "1N P", SearchRules(kinds=(kind,)))
        assert found.differs == (kind == "uncontested")
    slam = parse_hand("AKQ5.K74.KQJ98.2")
    assert ask(CAUTIOUS, slam, "1N P").kind == "uncontested"


@pytest.mark.parametrize(
    ("auction", "kind"),
    [
        ("", "opening"), ("P P P", "opening"),
        ("1H P", "uncontested"), ("1H P 1S P", "uncontested"),
        ("1H", "defensive"), ("P 1H", "defensive"), ("1H P P", "defensive"),
        ("1H X", "competitive"),
        ("1H P 1S X", "competitive"), ("1H 1S P", "competitive"), ("1H P 1S 2C P", "competitive"),
    ],
)  # fmt: skip
def test_kinds_of_decisions(auction, kind):
    assert kind_of(parse_calls(auction)) == kind


def test_a_system_that_never_ends_its_auctions():
    climbing = System.parse(
        """
opening:
  1C = Any: at most 20 points
  1D = Any: any hand
general:
  when at most 7-level:
    cheapest notrump = On: any hand
    Redouble = On: any hand
    Double = On: any hand
"""
    )
    hand = parse_hand("K52.AQ3.J876.KJ2")
    found = ask(climbing, hand, "", layouts=LEAST_LAYOUTS)
    assert found.stopped_because != "not searched"
    assert not found.differs
    assert found.candidates[0].outcomes[0].contract[:2] == "7N"


def test_a_forced_hand_is_not_passed_without_a_line():
    weak = parse_hand("Q542.J74.T983.42")
    rules = SearchRules(kinds=DECISION_KINDS, missed=40, candidates=10)
    forced = ask(SMALL, weak, "2C P", rules)
    assert PASS not in {one.call for one in forced.candidates}


def test_a_table_of_rows_is_searched_too():
    table, _ = build_table(
        [
            {"prior": "", "call": "1N", "criteria": ["15 <= HCP <= 17", "Balanced"]},
            {"prior": "1N-P", "call": "P", "criteria": ["HCP <= 12"]},
            {"prior": "1N-P", "call": "3N", "criteria": ["HCP >= 10"]},
            {"prior": "1N", "call": "P", "criteria": ["HCP <= 40"]},
            {"prior": "1N-P-3N", "call": "P", "criteria": ["HCP <= 40"]},
        ]
    )
    question = SearchQuestion(GAME, parse_calls("1N P"), PASS)
    found = search_call(table, bidder_of(table), question)
    assert format_call(found.call) in ("3N", "P")
    assert found.why


# --- double dummy --------------------------------------------------------------------------------


class MadeUpSolver:
    """As many tricks as it is told, in any contract; counts what it was asked."""

    def __init__(self, tricks: int, *, answers: int = 1000) -> None:
        self.tricks_taken = tricks
        self.answers = answers
        self.asked = 0

    def tricks(
        self,
        hands: U64,
        strain: ArrayLike,
        declarer: ArrayLike,
        *,
        cancel: Event | None = None,
        timeout_s: float | None = None,
    ) -> Any:
        if not self.answers:
            raise TimedOut("too slow")
        self.answers -= 1
        self.asked += hands.shape[1]
        return np.full(hands.shape[1], self.tricks_taken, np.int8)

    leads = plays = tables = None


def solver_of(made_up: MadeUpSolver) -> DoubleDummy:
    return made_up  # type: ignore[return-value]


def test_double_dummy_decides_where_it_is_close():
    takes_eight = MadeUpSolver(8)
    found = ask(CAUTIOUS, GAME, "1N P", solver=solver_of(takes_eight), layouts=40)
    assert (found.solved, found.differs) == (40, False)
    assert "40 layouts double dummy" in found.why
    game = found.candidates[1]
    # one down against 120
    assert game.gain == pytest.approx(imps(-50 - 120))
    assert game.error == pytest.approx(0.0, abs=1e-12)
    # each result once: both play notrump from the same side
    assert takes_eight.asked == 40
    assert ask(CAUTIOUS, GAME, "1N P", solver=solver_of(MadeUpSolver(9)), layouts=40).differs


def test_a_call_without_a_chance_is_not_solved():
    solver = MadeUpSolver(13)
    found = ask(CLEAR, GAME, "1N P", solver=solver_of(solver))
    assert (found.solved, solver.asked) == (0, 0)


@pytest.mark.parametrize("answers", [0, 1])
def test_too_slow_a_solver(answers):
    """What is solved in time corrects the table; nothing solved leaves it as it is."""
    solver = MadeUpSolver(8, answers=answers)
    found = ask(CAUTIOUS, GAME, "1N P", solver=solver_of(solver), layouts=40, time_limit_s=60.0)
    table = ask(CAUTIOUS, GAME, "1N P", layouts=40)
    if answers:
        assert 0 < found.solved < 40
        assert found.candidates[1].gain < table.candidates[1].gain
    else:
        assert (found.solved, found.call) == (0, table.call)
        assert found.candidates == table.candidates
    assert found.stopped_because == "time"


# --- what makes no sense -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "error"),
    [
        (SearchQuestion(GAME, parse_calls("1N P P P"), PASS), InvalidInput),
        (SearchQuestion(GAME, parse_calls("1N P"), parse_call("1C")), IllegalCall),
        (SearchQuestion(GAME, (), PASS, layouts=0), InvalidInput),
    ],
)
def test_questions_that_make_no_sense(question, error):
    with pytest.raises(error):
        search_call(SMALL, bidder_of(SMALL), question)


@pytest.mark.parametrize(
    "rules",
    [
        SearchRules(kinds=("endgame",)),  # type: ignore[arg-type]
        SearchRules(margin=-1.0),
        SearchRules(errors=float("nan")),
        SearchRules(candidates=1),
        SearchRules(missed=-1),
    ],
)
def test_rules_that_make_no_sense(rules):
    with pytest.raises(InvalidInput, match="expected"):
        ask(SMALL, GAME, "1N P", rules)


def test_it_can_be_cancelled():
    stop = Event()
    stop.set()
    with pytest.raises(Cancelled):
        ask(CAUTIOUS, GAME, "1N P", cancel=stop)
