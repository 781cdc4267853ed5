"""Commands ``lead`` and ``infer`` as people and programs see them."""

import json

import pytest

from bidcascade.bridge import DoubleDummyFailed
from bidcascade.service.cli import NO_BACKEND, exit_code, main, make_parser
from tests.support.service import write_small_table

ENDING = "N:KJ.Q.A. Q..K.QJ A.K.J.K .AJ.Q.A"
LOSING = "N:.2.6.K ..K.Q6 72...T 84.4.."


@pytest.fixture
def lead(tmp_path, capsys):
    """Run ``lead`` on the small table; its output and its notes."""

    def run(*arguments):
        table = ["--table", str(write_small_table(tmp_path)), "--backend", "cpu"]
        assert main(["lead", "K52.AQ3.9876.KJ2", *arguments, *table]) == 0
        return capsys.readouterr()

    return run


def test_leads_are_printed(lead):
    out, errors = lead("1N P 3N", "--dealer", "E", "--layouts", "5", "--scoring", "set")
    lines = out.splitlines()
    assert lines[0] == "S leads against 3N by E, by set"
    assert lines[2].split()[:5] == ["lead", "tricks", "set", "matchpoints", "IMPs"]
    assert {line.split("  ")[0].strip() for line in lines[4:14]} == {
        "D9 D8 D7 D6",
        "HA",
        "HQ",
        "H3",
        "SK",
        "S5",
        "S2",
        "CK",
        "CJ",
        "C2",
    }
    assert lines[-1].startswith("5 of 5 layouts solved: lead ")
    assert lines[-1][28:30] in {"D6", "HA", "HQ", "H3", "SK", "S2", "CK", "C2"}
    # the small table has no line for opener's partner's last pass
    assert "call 4, P by S" not in errors


def test_json_of_leads_has_what_rest_has(lead):
    answer = json.loads(lead("--contract", "4SXN", "--layouts", "2", "--json", "--seed", "3").out)
    assert (answer["leader"], answer["contract"], answer["scoring"]) == ("E", "4SXN", "tricks")
    assert answer["layouts"]["seed"] == 3
    assert answer["table"]["name"].endswith("small.jsonl")
    assert len(answer["leads"]) == 10


def test_a_budget_and_further_knowledge(lead):
    arguments = ["--contract", "3NS", "--layouts", "500", "--budget-ms", "2500", "--loose"]
    known = ["--known", "N:AJ+.+.+.-", "--where", "HCP_S >= 15", "--where", "SL_S_S >= 4"]
    layouts = json.loads(lead(*arguments, *known, "--json").out)["layouts"]
    assert 1 <= layouts["solved"] < 500


def test_a_budget_that_is_over_at_once(lead):
    out = lead("1N P 3N", "--dealer", "E", "--budget-ms", "1").out
    assert "\n1 of " in out
    assert "layouts solved: lead " in out
    assert "; not decided, as far as they tell as good may be " in out


def test_a_solver_that_fails_is_no_bad_input():
    assert exit_code(DoubleDummyFailed("deal 3 ended the solver 3 times", [3])) == NO_BACKEND


@pytest.mark.parametrize("command", ["interpret", "layouts", "lead"])
def test_conditions_add_up_in_every_command(command):
    words = [command, "--known", "N:A+.+.+.-", *(["QJT94.K32.76.982"] if command == "lead" else [])]
    given = [*words, "1N P 3N", "--where", "HCP_N >= 15", "--where", "HCP_S >= 9"]
    options = make_parser(given).parse_args(given)
    assert options.auction == "1N P 3N"
    assert options.known == ["N:A+.+.+.-"]
    assert options.where == ["HCP_N >= 15", "HCP_S >= 9"]


@pytest.fixture
def infer(capsys):
    """Run ``infer``; its output and its notes."""

    def run(*arguments, ending=ENDING, declarer="S"):
        where = ("--strain", "NT", "--declarer", declarer, "--leader", declarer)
        assert main(["infer", ending, *where, *arguments]) == 0
        return capsys.readouterr()

    return run


def test_the_study_is_a_table(infer):
    out, err = infer("--play", "SA", "--show", "3")
    lines = out.splitlines()
    assert lines[0] == "NT by South; tricks of NS"
    steps = [line.split() for line in lines if " CA " in line or " CK " in line]
    assert [step[-1] for step in steps[:3]] == ["SA", "DQ", "DQ"]
    for text in ("CA 119, DQ 98, HJ 102, HA 117", "93/4", "3.419 = 106/31"):
        assert text in out
    assert "32 more layouts" in err
    assert "2,555 endings" in err


def test_the_study_as_json(infer):
    study = json.loads(infer("--play", "SA", "--ties", "strict", "--json").out)
    assert study["after"]["weight"] == "16"
    assert [card["total"] for card in study["after"]["cards"]] == ["55", "40", "44", "53"]
    assert len(study["layouts"]) == 35
    assert study["kept"] == 16


def test_the_side_of_a_study_is_declarers(infer):
    south, _ = infer("--play", "SA", "--show", "0")
    west, _ = infer("--play", "SA", "--show", "0", ending=ENDING.replace("N:", "E:"), declarer="W")
    assert west.splitlines()[0] == "NT by West; tricks of EW"
    assert west.splitlines()[-3:] == south.splitlines()[-3:]


def test_a_study_says_what_it_is_not(infer):
    assert "South would play S2 in no layout" in infer("--play", "S2", ending=LOSING).err
    sampled = infer("--play", "SA", "--layouts", "10", "--hypotheses", "20", "--seed", "3")
    assert "from a sample" in sampled.err
