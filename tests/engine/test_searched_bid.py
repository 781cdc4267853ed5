"""Searched calls on the command line and over REST: one answer, and the system's where none is."""

import json
from typing import Any

import pytest
from fastapi import FastAPI

from bidcascade.bridge import parse_calls
from bidcascade.engine import Engine
from bidcascade.engine.questions.bidding.bids import (
    BidAnswer,
    BidRequest,
    SearchRequest,
    SimulateRequest,
    read_bid,
)
from bidcascade.engine.questions.bidding.searched_bid import rules_of
from bidcascade.service.cli import main
from tests.support.answers import read_answer
from tests.support.service import loaded_app, post

SYSTEM = """
opening:
  1NT = Strong notrump: 15-17 points, balanced

after 1NT:
  Pass = Too cautious: at most 12 points
  3NT = Game: 10+ points
"""
HAND = "KQ5.J74.KQT98.J2"
WEAK = "Q52.J74.T9832.42"


@pytest.fixture(scope="module")
def system(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("systems") / "cautious.bidding"
    path.write_text(SYSTEM)
    return str(path)


@pytest.fixture(scope="module")
def app(system, tmp_path_factory) -> FastAPI:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIDCASCADE_CACHE", str(tmp_path_factory.mktemp("cache")))
        return loaded_app(table=system, backend="cpu", simulate_double_dummy=False)


def ask_bid(app: FastAPI, hand: str = HAND, **more: object) -> dict[str, Any]:
    answer = post(
        app, "/v1/bid", {"hand": hand, "auction": ["1N", "P"], "candidates": True, **more}
    )
    assert answer.status_code == 200, answer.text
    read_answer(BidAnswer, answer.content)
    body: dict[str, Any] = answer.json()
    return body


def on_the_command_line(system: str, capsys, *more: str, hand: str = HAND) -> dict[str, Any]:
    capsys.readouterr()
    words = ["bid", hand, "--table", system, "--auction", "1N P", "--json", *more]
    assert main(words) == 0
    body: dict[str, Any] = json.loads(capsys.readouterr().out)
    return body


def test_a_searched_call_over_rest(app):
    plain = ask_bid(app)
    assert plain["call"] == "P"
    assert "search" not in plain
    found = ask_bid(app, search=40)
    search = found["search"]
    assert (found["call"], search["call"], search["own"]) == ("3N", "3N", "P")
    assert (found["name"], found["default_pass"]) == ("Game", False)
    assert found["note"] == f"by search: {search['why']}"
    assert search["layouts"] == {"asked": 40, "used": 40, "seed": 0}
    assert [one["call"] for one in search["candidates"]] == ["P", "3N"]
    assert search["candidates"][0]["gain"] == 0
    assert found["candidates"] == plain["candidates"]
    again = ask_bid(app, search={"layouts": 40})["search"]
    again["elapsed_ms"] = search["elapsed_ms"]
    assert again == search
    assert ask_bid(app, search=False) == plain


def test_the_command_and_the_service_answer_alike(app, system, capsys):
    there = ask_bid(app, search={"layouts": 30, "seed": 7, "margin": 1.5})
    here = on_the_command_line(system, capsys, "--search", "30", "--seed", "7", "--margin", "1.5")
    for one in (there, here):
        one["search"].pop("elapsed_ms")
    assert here["search"] == there["search"]
    assert (here["call"], here["note"]) == (there["call"], there["note"])


def test_the_systems_call_stands_with_a_word_why(app, system, capsys):
    for more, why in (
        ({"search": {"budget_ms": 0}}, "no time was given"),
        ({"search": {"layouts": 30, "kinds": ["slam"]}}, "uncontested decisions are left"),
        ({"search": {"layouts": 30, "margin": 40.0}}, "P stands"),
        ({"hand": WEAK, "search": True}, "no other line is near"),
    ):
        found = ask_bid(app, **more)
        assert (found["call"], found["name"]) == ("P", "Too cautious")
        assert why in found["search"]["why"]
        assert why in found["note"]
    found = on_the_command_line(system, capsys, "--search", "--budget-ms", "0")
    assert (found["call"], found["search"]["stopped_because"]) == ("P", "not searched")


def test_a_system_without_a_line_is_not_searched(app):
    answer = post(app, "/v1/bid", {"hand": HAND, "auction": ["1C", "1S"], "search": True})
    found = answer.json()
    assert (found["call"], found["default_pass"]) == ("P", True)
    assert found["note"].startswith("pass by default: the system has no line here; search: not ")


@pytest.mark.parametrize(
    "words",
    [
        ("--search", "0"), ("--search", "many"), ("--search", "--simulate"), ("--margin", "1"),
        ("--search-kinds", "slam"), ("--search", "--margin", "-1"), ("--doubled",),
        ("--search", "--errors", "nan"), ("--simulate", "5", "--budget-ms", "0"),
        ("--search", "--table", "engine:cat"), ("--search", "--search-kinds", "endgame"),
    ],
)  # fmt: skip
def test_flags_that_make_no_sense(system, capsys, words):
    assert main(["bid", HAND, "--auction", "1N P", "--table", system, *words]) != 0
    assert "expected" in capsys.readouterr().err


def test_what_is_printed(system, capsys):
    words = ["bid", HAND, "--table", system, "--auction", "1N P", "--search", "40"]
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("3N  Game: 10+ points")
    assert "search: 3N is worth +" in printed
    assert "against tables where P is called; seed 0" in printed
    assert "of 40 layouts" in printed


def test_a_call_whose_line_is_missed_says_so(tmp_path, capsys):
    path = tmp_path / "narrow.bidding"
    path.write_text(SYSTEM.replace("10+ points", "13+ points"))
    capsys.readouterr()
    words = ["bid", HAND, "--table", str(path), "--auction", "1N P", "--search", "40"]
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("3N  its line is missed by 1\n   search: 3N is worth +")
    assert "missed by 1" in printed.partition("IMPs ")[2]
    found = on_the_command_line(str(path), capsys, "--search", "40")
    assert found["note"].startswith("its line is missed by 1; made by search: 3N is worth")
    assert (found["name"], found["where"]) == ("", "")


def test_the_python_interface_and_wishes():
    def trial(**wish):
        return read_bid(BidRequest(HAND, **wish)).trial

    assert trial(search=40) == SearchRequest(layouts=40)
    assert trial(search=True) == SearchRequest()
    assert trial(simulate=25) == SimulateRequest(layouts=25)
    assert trial(simulate=True) == SimulateRequest()
    assert trial(simulate=False, search=None) is None
    own = SearchRequest(margin=2.0)
    assert trial(search=own) is own
    rules = rules_of(SearchRequest(kinds=("slam",), errors=2.0, doubled=True))
    assert (rules.kinds, rules.errors, rules.doubled) == (("slam",), 2.0, True)


def test_double_dummy_solves_what_is_close(system, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path))
    monkeypatch.setenv("BIDCASCADE_DD_WORKERS", "1")
    found = on_the_command_line(system, capsys, "--search", "24", "--tricks", "dd")["search"]
    assert found["solved"] == 24
    assert "24 layouts double dummy" in found["why"]


def test_with_overlays_and_in_a_match(system, capsys, tmp_path):
    rules = tmp_path / "rules.jsonl"
    rules.write_text('{"rule": "remove", "at": "1N P 3N"}\n')
    engine = Engine.open(system, "cpu", overlays=[str(rules)])
    assert not engine.bidder.entry_of(parse_calls("1N P 3N"))
    found = on_the_command_line(system, capsys, "--search", "24", "--overlay", str(rules))
    assert found["call"] == "P"
    match = [
        "compare", f"search:{system}", system, "--deals", "16", "--dd-budget", "0",
        "--search-layouts", "24", "--json",
    ]  # fmt: skip
    assert main(match) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["names"] == ["search:cautious", "cautious"]
    led = [*match, "--lead-budget", "5"]
    assert main(led) != 0
    assert "expected two systems with --lead-budget" in capsys.readouterr().err


def test_proposals_to_an_author(system, capsys):
    words = ["system", "search", system, "--deals", "40", "--seed", "2", "--layouts", "24"]
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("cautious: ")
    assert "decisions on 40 deals" in printed
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["deals"], found["layouts"]) == (40, 24)
    for one in found["proposals"]:
        assert one["own"] != one["instead"]
        assert one["gain"] > 0
    assert "Too cautious" in {one["line"]["name"] for one in found["proposals"]}
