"""The commands that make cards and books of systems."""

import json

import pytest

from bidcascade.service.cli import BAD_ARGUMENTS, DONE, main
from bidcascade.systems.convention_card import parse_card
from bidcascade.systems.registry import open_system


@pytest.fixture(autouse=True)
def inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def ran(capsys, *arguments):
    assert main([str(one) for one in arguments]) == DONE
    return capsys.readouterr().out


def test_a_card_as_text_json_and_page(capsys, tmp_path):
    text = ran(capsys, "system", "card", "two-over-one", "--option", "landy", "--order", "wbf")
    assert text.startswith("Two over one game forcing: order of the WBF card")
    assert "landy on" in text
    assert "2C  Landy" in text
    told = ran(capsys, "system", "card", "two-over-one", "--option", "landy", "--json")
    card = parse_card(told)
    assert card.digest == open_system("two-over-one", options={"landy": True}).digest
    ran(capsys, "system", "card", "two-over-one", "--out", "card.html")
    assert "<h1>Two over one" in (tmp_path / "card.html").read_text("utf-8")


def test_a_card_is_an_option_of_every_command(capsys):
    ran(capsys, "system", "card", "two-over-one", "--option", "drury=off", "--out", "card.json")
    hand = ("bid", "K742.83.AQ74.862", "--auction", "P P 1S P", "--table", "two-over-one", "--json")
    by_card = json.loads(ran(capsys, *hand, "--option", "@card.json"))
    assert by_card["call"] == json.loads(ran(capsys, *hand, "--option", "drury=off"))["call"]
    assert by_card["call"] != json.loads(ran(capsys, *hand))["call"]


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("sayc", "--order", "ebu"), BAD_ARGUMENTS, "acbl"),
        (("sayc", "--out", "card.pdf"), BAD_ARGUMENTS, ".html or .json"),
        (("sayc", "--out", "none/card.html"), BAD_ARGUMENTS, "folder that exists"),
        (("sayc", "--option", "@none.json"), BAD_ARGUMENTS, "card that can be read"),
        (("none",), BAD_ARGUMENTS, "none"),
    ],
)
def test_what_is_wrong_with_a_card_is_told(capsys, arguments, code, told):
    assert main(["system", "card", *arguments]) == code
    assert told in capsys.readouterr().err
