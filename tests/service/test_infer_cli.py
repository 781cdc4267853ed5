"""Command ``infer``: the golden example as people and programs see it, and its errors."""

import json

import pytest

from bidcascade.service.cli import BAD_ARGUMENTS, main

ENDING = "N:KJ.Q.A. Q..K.QJ A.K.J.K .AJ.Q.A"
WHERE = ("--strain", "NT", "--declarer", "S", "--leader", "S")


LOSING = "N:.2.6.K ..K.Q6 72...T 84.4.."


def infer(*more: str, ending: str = ENDING) -> int:
    return main(["infer", ending, *WHERE, *more])


def test_the_study_is_a_table(capsys):
    assert infer("--play", "SA", "--show", "3") == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0] == "NT by South; tricks of NS"
    steps = [line.split() for line in lines if " CA " in line or " CK " in line]
    assert [step[-1] for step in steps[:3]] == ["SA", "DQ", "DQ"]
    assert "CA 119, DQ 98, HJ 102, HA 117" in out
    assert "93/4" in out
    assert "3.419 = 106/31" in out
    assert "32 more layouts" in err
    assert "2,555 endings" in err


def test_the_study_as_json(capsys):
    assert infer("--play", "SA", "--ties", "strict", "--json") == 0
    study = json.loads(capsys.readouterr().out)
    assert study["after"]["weight"] == "16"
    assert [card["total"] for card in study["after"]["cards"]] == ["55", "40", "44", "53"]
    assert len(study["layouts"]) == 35
    assert study["kept"] == 16


def test_a_card_that_explains_nothing_is_said_so(capsys):
    assert infer("--play", "S2", ending=LOSING) == 0
    assert "South would play S2 in no layout" in capsys.readouterr().err


def test_a_sample_is_said_so(capsys):
    assert infer("--play", "SA", "--layouts", "10", "--hypotheses", "20", "--seed", "3") == 0
    assert "from a sample" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--play", "S2"], "a card that South may play"),
        (["--play", "X9"], "expected a card"),
        (["--play", "SA", "--ties", "maybe"], "expected ties"),
        (["--play", "SA", "--exact", "--layouts", "3"], "--exact without"),
        (["--play", "SA", "--trick", "S2"], "expected hands"),
    ],
)
def test_mistakes_are_bad_arguments(arguments, message, capsys):
    code = infer(*arguments)
    assert message in capsys.readouterr().err
    assert code in (BAD_ARGUMENTS, 2)
