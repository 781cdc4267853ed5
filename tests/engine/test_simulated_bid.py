"""Simulated calls on the command line and over REST, with tricks of the table and one solver."""

import json
from typing import Any

import pytest
from fastapi import FastAPI

from bidcascade.bridge import (
    TimedOut,
    parse_calls,
    parse_hand,
)
from bidcascade.engine import Engine
from bidcascade.engine.questions.bidding import simulated_bid
from bidcascade.engine.questions.bidding.bids import BidAnswer, BidQuestion, SimulateRequest
from bidcascade.engine.questions.bidding.simulated_bid import simulate_bid
from bidcascade.engine.questions.parts.answer_fields import answer_of, plain
from bidcascade.engine.questions.parts.resources import Resources
from bidcascade.inference.double_dummy.pool import DoubleDummyPool
from bidcascade.service.cli import main
from bidcascade.table import apply_overlays, build_table
from tests.support.answers import read_answer
from tests.support.service import SMALL_ROWS, loaded_app, post, write_small_table

SYSTEM = """
opening:
  1NT = Strong notrump: 15-17 points, balanced
  1C  = Anything else: 12-21 points

after 1NT:
  2C = Stayman: 8+ points, 4 hearts or 4 spades; artificial, forcing
    2D = No major: any other hand; artificial
  3NT = Game: 10+ points
"""
HAND = "K52.AQ32.J876.Q2"
NO_LINE = ["1C", "1S"]
LAW: dict[str, Any] = {"layouts": 40, "double_dummy": False}


@pytest.fixture(scope="module")
def system(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("systems") / "club.bidding"
    path.write_text(SYSTEM)
    return str(path)


@pytest.fixture(scope="module")
def app(system, tmp_path_factory) -> FastAPI:
    rows = write_small_table(tmp_path_factory.mktemp("rows"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIDCASCADE_CACHE", str(tmp_path_factory.mktemp("cache")))
        return loaded_app(
            table=system, extra_tables=f"rows={rows}", backend="cpu", simulate_double_dummy=False
        )


def ask_bid(app: FastAPI, auction: list[str], **more: object) -> dict[str, Any]:
    answer = post(app, "/v1/bid", {"hand": HAND, "auction": auction, "candidates": True, **more})
    assert answer.status_code == 200, answer.text
    read_answer(BidAnswer, answer.content)
    body: dict[str, Any] = answer.json()
    return body


def test_a_simulated_call_over_rest(app):
    plain = ask_bid(app, ["1N", "P"])
    assert plain["call"] == "2C"
    assert "simulation" not in plain
    found = ask_bid(app, ["1N", "P"], simulate={**LAW, "scoring": "points"})
    simulation = found["simulation"]
    assert found["call"] == simulation["best"] == simulation["candidates"][0]["call"]
    assert simulation["compared_with"] == "2C"
    assert {"2C", "3N", "P"} <= {one["call"] for one in simulation["candidates"]}
    assert simulation["layouts"]["used"] == 40
    assert simulation["tricks_by"] == "table of tricks"
    assert simulation["scoring"] == "points"
    assert "by simulation of 40 layouts" in found["note"]
    assert found["candidates"] == plain["candidates"]
    again = ask_bid(app, ["1N", "P"], simulate={**LAW, "scoring": "points"})["simulation"]
    again["elapsed_ms"] = simulation["elapsed_ms"]
    assert again == simulation


@pytest.mark.parametrize("patched", [False, True])
def test_a_budget_that_is_over_at_once_leaves_the_call_of_the_system(app, patched, monkeypatch):
    plain = ask_bid(app, ["1N", "P"])

    def late(*_: object, **__: object) -> None:
        raise TimedOut("late")

    if patched:
        monkeypatch.setattr(simulated_bid, "simulate_calls", late)
    answer = ask_bid(app, ["1N", "P"], simulate={"budget_ms": 2})
    # how fast the machine is decides, but an answer there is
    if patched or "simulation" not in answer:
        assert "simulation: " in answer["note"]
        assert {**answer, "note": ""} == {**plain, "note": ""}


def test_a_place_without_a_line_is_passed_everywhere(app, system, capsys):
    """One behaviour: REST, Engine.bid and the command line pass, and say so."""
    told = "pass by default: the system has no line here"
    over_rest = ask_bid(app, NO_LINE)
    engine = Engine.open(system, "cpu")
    answer = engine.bid(HAND, NO_LINE)
    capsys.readouterr()
    bid = ["bid", HAND, "--table", system, "--auction", " ".join(NO_LINE), "--json"]
    assert main(bid) == 0
    on_the_command_line = json.loads(capsys.readouterr().out)
    for found in (over_rest, plain(answer_of(BidAnswer, answer)), on_the_command_line):
        assert (found["call"], found["default_pass"], found["note"]) == ("P", True, told)
        assert not found["candidates"]
        assert "simulation" not in found
    assert ask_bid(app, NO_LINE, simulate=False) == over_rest


def test_a_place_without_a_line_is_simulated_when_asked_for(app):
    found = ask_bid(app, NO_LINE, simulate=LAW)
    assert found["note"].startswith("the system has no line here: natural call by simulation")
    assert found["simulation"]["compared_with"] == "P"
    assert found["default_pass"] is False
    again = ask_bid(app, NO_LINE, simulate=LAW)
    assert again["note"] == found["note"]
    best = found["simulation"]["candidates"][0]
    # how much it is ahead, and how sure that is
    assert f"{best['mean']:+.2f} IMPs against P" in found["note"]
    assert f"with 95 % {best['low']:+.2f} to {best['high']:+.2f}" in found["note"]


def test_a_table_of_no_system_is_simulated_when_asked_for(app):
    assert "simulation" not in ask_bid(app, ["1C"], table="rows")
    found = ask_bid(app, ["1N", "P"], table="rows", simulate=LAW)
    assert found["call"] in {one["call"] for one in found["simulation"]["candidates"]}
    made = {one["call"]: one for one in found["simulation"]["candidates"]}
    assert made["2C"]["line"]
    assert made["P"]["contracts"][0]["contract"] == "1NN"


def test_with_overlays_the_system_goes_on(system, tmp_path):
    rules = tmp_path / "rules.jsonl"
    rules.write_text('{"rule": "remove", "at": "1N P 3N"}\n')
    engine = Engine.open(system, "cpu", overlays=[str(rules)])
    answer = engine.bid(HAND, "1N P")
    question = BidQuestion(hand=parse_hand(HAND), calls=parse_calls("1N P"))
    wish = SimulateRequest(layouts=20)
    by = Resources(solver=DoubleDummyPool, engine=engine)
    best, found = simulate_bid(question, wish, answer, by, None)
    assert best.call in {"2C", "3N", "2N", "P"}
    line = {one.call: one.is_line for one in found.candidates}
    assert line[parse_calls("2C")[0]]
    assert not line.get(parse_calls("3N")[0], False)
    table, _ = build_table(SMALL_ROWS)
    laid = Engine(apply_overlays(table, [rules]), "cpu")
    assert laid.bid(HAND, "1N P").call in {"2C", "P"}


def test_simulated_on_the_command_line(system, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path))
    bid = ["bid", HAND, "--table", system, "--auction", "1N P"]
    assert main([*bid, "--simulate", "30", "--tricks", "table"]) == 0
    printed = capsys.readouterr().out
    assert "by simulation of 30 layouts, tricks by table of tricks" in printed
    assert "against tables where 2C is called" in printed
    assert (
        main([*bid, "--simulate", "30", "--tricks", "table", "--scoring", "matchpoints", "--json"])
        == 0
    )
    answer = json.loads(capsys.readouterr().out)
    assert answer["simulation"]["scoring"] == "matchpoints"
    assert main([*bid[:-1], "1C 1S", "--simulate", "30", "--tricks", "table"]) == 0
    assert "the system has no line here" in capsys.readouterr().out
    assert main([*bid[:-1], "1C 1S"]) == 0
    assert "pass by default: the system has no line here" in capsys.readouterr().out
    assert main([*bid, "--simulate", "0"]) == 1


def test_double_dummy_tricks(system, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path))
    monkeypatch.setenv("BIDCASCADE_DD_WORKERS", "1")
    bid = ["bid", HAND, "--table", system, "--auction", "1N P", "--simulate", "12", "--json"]
    assert main(bid) == 0
    simulation = json.loads(capsys.readouterr().out)["simulation"]
    assert simulation["tricks_by"] == "double dummy"
    assert simulation["layouts"]["used"] == 12
    assert 0 < simulation["solved"] <= 12 * len(simulation["candidates"])
