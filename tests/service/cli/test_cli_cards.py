"""The commands that make cards and books of systems."""

import json

import numpy as np
import pytest

from bidcascade.inference.double_dummy.solved_deals import bank_hands
from bidcascade.inference.double_dummy.table_cache import user_tables
from bidcascade.service.cli import BAD_ARGUMENTS, BAD_INPUT, DONE, main
from bidcascade.systems.book.convention_card import parse_card
from bidcascade.systems.registry import open_system
from tests.service.reports.support_pages import check_page


@pytest.fixture(autouse=True)
def inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def ran(capsys, *arguments):
    assert main([str(one) for one in arguments]) == DONE
    return capsys.readouterr().out


def test_a_card_as_text_json_and_page(capsys, tmp_path):
    text = ran(capsys, "system", "card", "two-over-one", "--option", "landy")
    assert text.startswith("Two over one game forcing: options: ")
    assert "landy on" in text
    assert "\nOver their notrump\n    2♣           8-15   Landy: " in text
    assert "  Responses to 1♥\n    1♠           6+     One over one: 4+ cards, forcing\n" in text
    told = ran(capsys, "system", "card", "two-over-one", "--option", "landy", "--json")
    card = parse_card(told)
    assert card.digest == open_system("two-over-one", options={"landy": True}).digest
    ran(capsys, "system", "card", "two-over-one", "--option", "landy", "--out", "card.html")
    page = check_page((tmp_path / "card.html").read_text("utf-8"))
    assert page.document["title"].startswith("Two over one")
    (sheet,) = page.blocks
    said = [line["words"] for one in sheet["sections"] for line in one["lines"]]
    assert said == [line.words for one in card.sections for line in one.lines]


def test_a_card_is_an_option_of_every_command(capsys):
    ran(capsys, "system", "card", "two-over-one", "--option", "drury=off", "--out", "card.json")
    hand = ("bid", "K742.83.AQ74.862", "--auction", "P P 1S P", "--table", "two-over-one", "--json")
    by_card = json.loads(ran(capsys, *hand, "--option", "@card.json"))
    assert by_card["call"] == json.loads(ran(capsys, *hand, "--option", "drury=off"))["call"]
    assert by_card["call"] != json.loads(ran(capsys, *hand))["call"]


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("sayc", "--order", "acbl"), BAD_ARGUMENTS, "--order"),
        (("sayc", "--out", "card.pdf"), BAD_ARGUMENTS, ".html, .json"),
        (("sayc", "--out", "none/card.html"), BAD_ARGUMENTS, "folder that exists"),
        (("sayc", "--option", "@none.json"), BAD_ARGUMENTS, "card that can be read"),
        (("none",), BAD_ARGUMENTS, "none"),
    ],
)
def test_what_is_wrong_with_a_card_is_told(capsys, arguments, code, told):
    assert main(["system", "card", *arguments]) == code
    assert told in capsys.readouterr().err


SMALL = """opening:
  1NT = Strong notrump: 15-17 points, balanced
option landy:
  over (1NT):
    2C = Landy: 5+ hearts, 4+ spades; artificial
"""


@pytest.fixture
def small(tmp_path):
    (tmp_path / "small.bidding").write_text(SMALL)
    return ("system", "book", "small.bidding", "--deals", "400", "--out", "book")


def test_a_book_is_a_folder_of_pages(capsys, small, tmp_path):
    told = json.loads(ran(capsys, *small, "--option", "landy", "--json"))
    assert told["pdf"] is None
    assert told["digest"] == open_system("small.bidding", options={"landy": True}).digest
    assert "Landy" in (tmp_path / "book" / "competition.html").read_text("utf-8")
    assert (tmp_path / "book" / "text" / "small.html").is_file()
    # a second one stands in its place only where that is said
    assert main([*small]) == BAD_INPUT
    assert "--force replaces it" in capsys.readouterr().err
    before = (tmp_path / "book" / "index.html").read_bytes()
    assert "index.html: " in ran(capsys, *small, "--option", "landy", "--force")
    assert (tmp_path / "book" / "index.html").read_bytes() == before


def test_a_book_stands_in_no_folder_of_others(capsys, small, tmp_path):
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "letter.txt").write_text("mine")
    assert main([*small, "--force"]) == BAD_ARGUMENTS
    assert "expected an empty folder" in capsys.readouterr().err
    assert [one.name for one in (tmp_path / "book").iterdir()] == ["letter.txt"]
    assert main([*small[:-1], "small.bidding"]) == BAD_ARGUMENTS
    assert "got the file" in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_told(capsys, small):
    for command in (
        (*small[:-1], "small.bidding/book"),
        (*small[:-1], "/proc/book"),
        ("system", "card", "sayc", "--out", "/proc/card.html"),
    ):
        assert main([*command]) in (BAD_INPUT, BAD_ARGUMENTS)
        assert "internal error" not in capsys.readouterr().err


def test_a_book_without_a_bank_says_so(capsys, small, tmp_path, monkeypatch):
    assert main([*small, "--bank", "some"]) == BAD_ARGUMENTS
    assert "open, held-out, all" in capsys.readouterr().err
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "cache"))
    assert main([*small, "--bank", "open"]) == BAD_INPUT
    assert "'bidcascade bank' solves them" in capsys.readouterr().err
    assert not (tmp_path / "book").exists()


def test_a_book_has_what_options_gain_on_the_bank(capsys, small, tmp_path, monkeypatch):
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "cache"))
    tricks = np.random.default_rng(2).integers(5, 11, (300, 20)).astype(np.int8)
    user_tables().add(bank_hands(300), tricks)
    (tmp_path / "small.bidding").write_text(
        "option weak:\n  opening:\n    1NT = Weak: 12-14 points, balanced\n"
    )
    ran(capsys, *small, "--bank", "all")
    page = (tmp_path / "book" / "index.html").read_text("utf-8")
    assert "IMPs a deal" in page
    assert "300 solved deals" in page
    priced = json.loads(ran(capsys, "system", "prices", "small.bidding", "--bank", "all", "--json"))
    (weak,) = priced["options"]
    assert f"{weak['imps']['value']:+.2f} ± {weak['imps']['margin']:.2f}" in page


def test_a_pdf_where_a_browser_is(capsys, small, tmp_path, monkeypatch):
    browser = tmp_path / "browser"
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert json.loads(ran(capsys, *small, "--pdf", "--json"))["pdf"] is None
    monkeypatch.setattr("shutil.which", lambda name: str(browser))
    for text, printed in (
        ("exit 3", False),
        ('for i; do case $i in --print-to-pdf=*) echo > "${i#*=}";; esac; done', True),
    ):
        browser.write_text(f"#!/bin/sh\n{text}\n")
        browser.chmod(0o755)
        assert main([*small, "--pdf", "--force"]) == DONE
        assert ("no book.pdf" in capsys.readouterr().err) != printed
        assert (tmp_path / "book" / "book.pdf").is_file() == printed
