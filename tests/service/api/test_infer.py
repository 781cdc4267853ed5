"""``POST /v1/infer``: rejected deals against bidding call by call, worth against plain sums."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidcascade.bridge import (
    Contract,
    Seat,
    Vulnerability,
    format_call,
    imps,
    is_vulnerable,
    parse_calls,
    score,
)
from bidcascade.engine.questions.inference.infer import InferAnswer
from bidcascade.inference.contract_value import contract_value
from bidcascade.inference.double_dummy.abstract_solver import SolvedInPart
from bidcascade.inference.layouts.rejections import count_rejections
from bidcascade.inference.layouts.sampling import deal_where
from tests.support.answers import read_answer
from tests.support.service import loaded_app, post, problem_of
from tests.support.systems import SMALL

LEADER = "QJ98.54.K732.T65"
ASKED = {"auction": ["1N", "P", "3N", "P", "P", "P"], "layouts": 3, "deals": 500}


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    made = loaded_app(
        tmp_path_factory.mktemp("infer"),
        extra_tables="sayc",
        backend="cpu",
        dd_workers=1,
        request_timeout_ms=250_000,
    )
    yield made
    made.state.own.double_dummy.close()


def answer_of(app, **body):
    response = post(app, "/v1/infer", {**ASKED, "table": "sayc", **body})
    assert response.status_code == 200, response.text
    return read_answer(InferAnswer, response.content)


# --- rejected deals -------------------------------------------------------------------------------


@pytest.mark.parametrize("auction", ["1N P 2C P", "1D X", "P P 1S", "2D"])
@pytest.mark.parametrize("dealer", [Seat.NORTH, Seat.EAST])
def test_rejections_are_those_of_bidding_call_by_call(auction, dealer):
    calls, where = parse_calls(auction), ["HCP_N + HCP_S >= 24"]
    found = count_rejections(SMALL, auction, deals=150, dealer=dealer, where=where, seed=3)
    parts = deal_where(where, count=150, seed=3, dealer=dealer, vocabulary=SMALL.vocabulary)
    hands = np.concatenate([part for part, _ in parts], axis=1)
    agrees = np.array(
        [
            [
                SMALL.bid(
                    int(hands[(dealer + number) % 4, deal]), calls[:number], dealer=dealer
                ).call
                == call
                for number, call in enumerate(calls)
            ]
            for deal in range(150)
        ]
    )
    assert (found.dealt, found.fit) == (150, int(agrees.all(axis=1).sum()))
    assert [one.any for one in found.calls] == (~agrees).sum(axis=0).tolist()
    before = np.logical_and.accumulate(np.hstack([np.ones((150, 1), bool), agrees]), axis=1)[:, :-1]
    assert [one.first for one in found.calls] == (before & ~agrees).sum(axis=0).tolist()
    assert [one.call for one in found.calls] == [format_call(call) for call in calls]


def test_hands_known_in_whole_and_calls_that_nobody_makes():
    found = count_rejections(SMALL, "1N P", deals=50, known={Seat.EAST: LEADER})
    assert [one.seat for one in found.calls] == ["N"]
    found = count_rejections(SMALL, "1N 7C", deals=50)
    assert [one.known for one in found.calls] == [True, False]
    assert (found.fit, found.calls[1].any) == (0, 50)
    assert count_rejections(SMALL, "", deals=20).fit == 20


# --- worth ----------------------------------------------------------------------------------------


class Told:
    """A solver that says what it was told."""

    def __init__(self, answers):
        self.answers = [np.array(one, np.int8) for one in answers]

    def tricks(self, hands, strain, declarer, *, cancel=None, timeout_s=None):
        return self.answers.pop(0)

    def leads(self, hands, strain, leader, *, cancel=None, timeout_s=None):
        answers = np.full((hands.shape[1], 52), -1, np.int8)
        answers[:, 0] = 13 - self.answers.pop(0)
        return answers


contracts = st.builds(
    Contract, st.integers(1, 7), st.integers(0, 4), st.integers(0, 2), st.sampled_from(Seat)
)


@settings(max_examples=100, deadline=None)
@given(
    contract=contracts,
    against=st.one_of(st.none(), st.just("Pass"), contracts),
    sides=st.sampled_from(Vulnerability),
    rows=st.lists(
        st.tuples(st.integers(0, 13), st.integers(0, 13), st.floats(0.1, 3)), min_size=1, max_size=8
    ),
    with_lead=st.booleans(),
)
def test_worth_is_the_mean_by_weight(contract, against, sides, rows, with_lead):
    tricks, others, weights = zip(*rows, strict=True)
    hands = np.ones((4, len(rows)), np.uint64)
    found = contract_value(
        hands,
        contract,
        Told([tricks, others]),
        weights=np.array(weights),
        vulnerability=sides,
        against=against,
        lead=0 if with_lead else None,
    )

    def points(one, taken):
        return score(one, taken, vulnerable=is_vulnerable(sides, one.declarer))

    def mean(values):
        return pytest.approx(np.dot(values, weights) / sum(weights), abs=1e-9)

    own = [points(contract, one) for one in tricks]
    assert found.solved == len(rows)
    assert found.tricks.value == mean(tricks)
    assert found.points.value == mean(own)
    assert found.made == mean([one >= contract.level + 6 for one in tricks])
    assert sum(found.chances) == pytest.approx(1)
    assert found.points_by_layout.tolist() == own
    assert (found.points.low is None) == (len(rows) < 2)
    if against is None:
        assert found.imps is found.matchpoints is None
        return
    sign = 0
    if against != "Pass":
        sign = 1 if against.declarer % 2 == contract.declarer % 2 else -1
    theirs = [sign * points(against, one) if sign else 0 for one in others]
    swings = [mine - other for mine, other in zip(own, theirs, strict=True)]
    assert found.imps.value == mean([imps(one) for one in swings])
    assert found.matchpoints.value == mean([(one > 0) + (one == 0) / 2 for one in swings])


def test_what_is_not_solved_in_time_is_left_out():
    def tricks(hands, *given, **limits):
        raise SolvedInPart("time is over", np.array([9, -1, 10], np.int8))

    hands, contract = np.ones((4, 3), np.uint64), Contract(3, 4, 0, Seat.NORTH)
    solver = SimpleNamespace(tricks=tricks)
    found = contract_value(hands, contract, solver, weights=np.ones(3), time_limit_s=1)
    assert (found.solved, found.tricks.value, found.points.value) == (2, 9.5, 415)
    assert found.tricks_by_layout.tolist() == [9, -1, 10]


# --- REST -----------------------------------------------------------------------------------------


def test_an_answer(app):
    found = answer_of(app, scoring="imps", against="1NN", vulnerability="NS")
    assert len(found.layouts) == found.utility.solved == 3
    assert (found.rejected.dealt, len(found.rejected.calls)) == (500, 6)
    assert found.rejected.fit + sum(one.first for one in found.rejected.calls) == 500
    utility = found.utility
    assert (utility.contract, utility.scoring) == ("3NN", "imps")
    assert utility.value == utility.imps
    own = [
        score(Contract(3, 4, 0, Seat.NORTH), one.tricks, vulnerable=True) for one in found.layouts
    ]
    assert [one.points for one in found.layouts] == own
    assert utility.points.value == pytest.approx(sum(own) / 3, abs=1e-3)
    assert found.table.name == "sayc"
    layouts = post(app, "/v1/layouts", {"auction": ASKED["auction"], "count": 3, "table": "sayc"})
    assert [one.deal for one in found.layouts] == [one["deal"] for one in layouts.json()["layouts"]]
    again = answer_of(app, scoring="imps", against="1NN", vulnerability="NS")
    assert again.utility == utility


def test_a_lead_is_no_better_for_the_declarer_than_the_best_one_is_bad(app):
    best = answer_of(app, known={"E": LEADER})
    led = answer_of(app, known={"E": LEADER}, lead="SQ")
    assert [one.deal for one in best.layouts] == [one.deal for one in led.layouts]
    for one, other in zip(best.layouts, led.layouts, strict=True):
        assert other.tricks >= one.tricks


def test_without_a_contract(app):
    found = answer_of(app, auction=["1N"], deals=0)
    assert found.rejected is None
    assert found.utility is None
    assert found.layouts[0].tricks is None
    rows = answer_of(app, auction=["1N", "P"], table="small", contract="1NN")
    assert rows.utility.contract == "1NN"
    assert [one.call for one in rows.rejected.calls] == ["1N", "P"]


def test_other_problems(app):
    problem_of(post(app, "/v1/infer", {**ASKED, "table": "none"}), 404, "unknown-table")
    impossible = {**ASKED, "where": ["HCP_N >= 38"], "table": "sayc"}
    problem_of(post(app, "/v1/infer", impossible), 422, "no-such-deal")
