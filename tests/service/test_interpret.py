"""Interpretation and layouts over REST and on the command line."""

import json
import re

import polars as pl
import pytest
from fastapi import FastAPI

from bidcascade.bridge import parse_deal, parse_hand
from bidcascade.engine.questions.inference.layouts import InterpretAnswer, LayoutsAnswer
from bidcascade.inference import sample_layouts
from bidcascade.loaders import read_deals
from bidcascade.service.cli import BAD_ARGUMENTS, BAD_INPUT, main
from bidcascade.systems import open_system
from tests.support.answers import read_answer
from tests.support.service import ask, loaded_app, write_small_table

LEADER = "QJ98.54.K732.T65"


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> FastAPI:
    small = write_small_table(tmp_path_factory.mktemp("tables"))
    return loaded_app(extra_tables=(f"small={small}",), backend="cpu", max_request_deals=1000)


def post(app, path, **body):
    return ask(app, "POST", path, body=body)


# --- REST ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_layouts_over_rest(app):
    calls = ["1N", "P", "2C", "P", "2H", "P", "3N"]
    asked = {"auction": calls, "known": {"E": LEADER}, "count": 20, "seed": 3}
    answer = post(app, "/v1/layouts", **asked)
    assert answer.status_code == 200, answer.text
    found = read_answer(LayoutsAnswer, answer.content)
    assert len(found.layouts) == found.report.accepted == 20
    assert found.report.relaxed == []
    assert found.table.name == "sayc"
    layouts = sample_layouts(
        open_system("sayc"), "1N P 2C P 2H P 3N", known={1: parse_hand(LEADER)}, count=20, seed=3
    )
    deals = [parse_deal(one.deal) for one in found.layouts]
    assert [list(deal.hands) for deal in deals] == layouts.hands.T.tolist()


def test_as_many_layouts_as_documented_where_no_number_is_given(app):
    found = read_answer(LayoutsAnswer, post(app, "/v1/layouts").content)
    assert len(found.layouts) == 100
    report = read_answer(InterpretAnswer, post(app, "/v1/interpret").content).report
    assert report.accepted == 500


def test_interpretation_over_rest(app):
    answer = post(app, "/v1/interpret", auction=["1N", "P"], known={"E": LEADER}, layouts=100)
    assert answer.status_code == 200, answer.text
    found = read_answer(InterpretAnswer, answer.content)
    assert found.hands["N"].shown.points == found.hands["N"].points_range == [15, 17]
    assert found.calls[0].sentence.startswith("Strong notrump")
    assert found.hands["E"].cards["SQ"] == 1
    assert found.hands["N"].honours["S"]["Q"] == 0
    assert found.known == ["E"]
    assert found.next_player == "S"
    assert sum(one.chance for one in found.next_calls) == pytest.approx(1, abs=0.01)
    assert found.next_calls[0].chance >= found.next_calls[1].chance


def test_table_of_no_system(app):
    answer = post(app, "/v1/interpret", auction=["1N", "P"], layouts=50, table="small")
    assert answer.status_code == 200, answer.text
    found = read_answer(InterpretAnswer, answer.content)
    assert found.calls == []
    assert found.hands["N"].shown.calls == ["1N Strong notrump or Flat notrump"]
    assert found.hands["N"].shown.points[0] == 14
    assert {one.call for one in found.next_calls} <= {"2C", "3N", "P"}


def test_relaxation_is_told(app):
    found = post(app, "/v1/layouts", auction=["1N", "3D"], count=5, table="small").json()
    assert found["report"]["relaxed"] == ["call 2, 3D by E: no line of the system makes this call"]


@pytest.mark.parametrize(
    ("body", "status", "kind", "field"),
    [
        ({"count": 1001}, 413, "too-many-deals", "count"),
        ({"where": ["HCP_N >= 38"]}, 422, "no-such-deal", ""),
        ({"table": "none"}, 404, "unknown-table", ""),
    ],
)
def test_questions_that_cannot_be_answered(app, body, status, kind, field):
    answer = post(app, "/v1/layouts", **body)
    assert answer.status_code == status, answer.text
    problem = answer.json()
    assert problem["type"].endswith(f":{kind}")
    if field:
        assert problem["errors"][0]["field"] == field


@pytest.mark.slow
def test_time_is_limited():
    app = loaded_app(backend="cpu", request_timeout_ms=60)
    # no deal is like this, which nothing but trying finds out
    answer = post(app, "/v1/layouts", where=["Losers_N + Losers_S == 1 and HCP_N * HCP_S == 31"])
    assert answer.status_code == 504, answer.text
    assert answer.json()["type"].endswith(":timeout")


# --- command line --------------------------------------------------------------------------------


@pytest.fixture
def run(capfd):
    def run_here(*arguments, code=0):
        found = main([str(one) for one in arguments])
        out, err = capfd.readouterr()
        assert found == code, err
        return out, err

    return run_here


def test_interpret_prints_a_page(run):
    out, err = run("interpret", "1N P 2C P", "--known", f"E:{LEADER}", "--layouts", 100)
    assert out.startswith("1N P 2C P (N dealt, vulnerable: None)\n")
    for text in ("North\n  1N Strong notrump", "East (known)", LEADER, "shapes (S=H=D=C, %)",
                 "North calls next:", "2H"):  # fmt: skip
        assert text in out
    chances = re.findall(r"^ +([\d.]+) %", out.partition("calls next:")[2], re.MULTILINE)
    assert sum(map(float, chances)) == pytest.approx(100, abs=2)
    assert re.search(r"100 layouts of [\d,]+ deals looked at", err)


def test_interpret_as_json(run):
    out, _ = run("interpret", "1S P 3S P 4N P", "--json", "--layouts", 60)
    found = json.loads(out)
    assert found["agreed"] == {"NS": "S", "EW": None}
    assert len(found["hands"]["S"]["keycards"]) == 6
    assert found["table"]["name"] == "sayc"


@pytest.mark.slow
def test_layouts_printed_and_written(run, tmp_path):
    out, _ = run("layouts", "1N P 3N", "--count", 4, "--seed", 2)
    printed = [line.split("  ")[0] for line in out.splitlines()]
    assert len(printed) == 4
    for name in ("deals.pbn", "deals.parquet"):
        file = tmp_path / name
        run("layouts", "1N P 3N", "--count", 4, "--seed", 2, "--out", file, "--dealer", "N")
        deals, rejects = read_deals([str(file)])
        assert rejects.height == 0
        hands = deals.select("north", "east", "south", "west").rows()
        assert hands == [parse_deal(text).hands for text in printed]
        assert deals["dealer"].unique().to_list() == ["N"]
    assert pl.read_parquet(file)["weight"].mean() == pytest.approx(1)
    found = json.loads(run("layouts", "1N P 3N", "--count", 4, "--seed", 2, "--json")[0])
    assert [one["deal"] for one in found["layouts"]] == printed


@pytest.mark.slow
def test_opponents_that_play_another_system(run, capfd):
    out, _ = run("interpret", "P 1N", "--opponents", "acol", "--layouts", 40, "--json")
    assert json.loads(out)["hands"]["E"]["shown"]["points"] == [12, 14]
    assert main(["layouts", "1N", "--opponents", "none"]) != 0
    assert "none" in capfd.readouterr().err


def test_relaxed_on_the_command_line(run):
    _, err = run("layouts", "1N 7C X", "--count", 3)
    assert "relaxed: call 2, 7C by E" in err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["interpret", "1N 1C"], BAD_ARGUMENTS, "1C"),
        (["interpret", "P P P P P"], BAD_ARGUMENTS, "the auction is over"),
        (["interpret", "1N", "--known", "AKQ"], BAD_ARGUMENTS, "a seat and a hand"),
        (["layouts", "1N", "--count", "0"], BAD_ARGUMENTS, "at least 1"),
        (["layouts", "--known", "N:A+.+.+.+", "--known", "E:A+.+.+.+"], BAD_ARGUMENTS, "SA in E"),
        (["layouts", "--known", "N:AKQJT98765432.2.."], BAD_ARGUMENTS, "13 cards"),
        (["layouts", "--where", "HCP_N > 37"], BAD_INPUT, "no such deal"),
        (["layouts", "--out", "deals.doc"], BAD_ARGUMENTS, "output ending in"),
    ],
)
def test_errors_on_the_command_line(capfd, tmp_path, monkeypatch, words, code, message):
    monkeypatch.chdir(tmp_path)
    assert main(words) == code
    assert message in capfd.readouterr().err
    assert not list(tmp_path.iterdir())
