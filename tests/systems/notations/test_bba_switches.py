"""Cards of Bridge Bidding Analyser: read, compared with a text, refused with a reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidInput
from bidcascade.service.cli import BAD_INPUT, DONE, main
from bidcascade.systems.book.convention_card import parse_card
from bidcascade.systems.notations.bba_switches import (
    _KNOWN,
    BbaCard,
    parse_bbsa,
    read_bbsa,
    switches_of,
)
from bidcascade.systems.registry import named_systems, open_system

CARD = """System type = 0
1X-(1Y)-2Z strong = 0
Blackwood 1430 = 0
Drury = 0
Reverse drury = 1
SMOLEN = 0
Michaels Cuebid = 1
Multi = 1
Cappelletti = 0
Gazzilli = 0
Not defined = 0
Not defined = 1
Opponent type = 0
"""


@pytest.mark.parametrize("spelled", [str.upper, str.lower, str.title])
def test_names_may_be_in_any_case(spelled):
    card = parse_bbsa(CARD)
    assert parse_bbsa("\n".join(map(spelled, CARD.splitlines()))).system == card.system
    found = parse_bbsa(spelled(CARD)).switches
    assert {name: found[name] for name in found if name in _KNOWN} == {
        name: is_on for name, is_on in card.switches.items() if name in _KNOWN
    }
    assert "Not defined" not in found
    with pytest.raises(InvalidInput, match="one value of 'Drury'"):
        parse_bbsa("Drury = 1\nDRURY = 0\n")


def test_switches_become_options_and_the_rest_is_listed():
    card = parse_bbsa(CARD)
    assert card.system == 0
    assert "Not defined" not in card.switches
    found = switches_of(open_system("two-over-one"), card)
    assert found.options == {"keycards": False, "drury": True, "smolen": False}
    assert found.played == ("Michaels Cuebid",)
    assert found.unwanted == ("Cappelletti",)
    assert found.unknown == ("Multi",)
    plain = switches_of(open_system("precision"), card)
    assert plain.options == {}
    assert plain.lacking == ("Reverse drury",)


def test_every_switch_that_is_known_is_in_a_shipped_text():
    systems = [open_system(name) for name in named_systems()]
    for name, (option, _) in _KNOWN.items():
        found = [switches_of(one, BbaCard(None, {name: True})) for one in systems]
        assert any(one.options or one.played for one in found), name
        if option:
            assert any(option in one.options for one in found), name


NAMES = st.text(st.characters(codec="ascii", categories=["L", "N", "Pd", "Ps", "Pe"]), min_size=1)


@given(st.dictionaries(NAMES.filter(lambda name: name not in ("TEST",)), st.booleans(), min_size=1))
def test_any_switches_are_read(switches):
    text = "".join(f"{name} = {int(is_on)}\r\n" for name, is_on in switches.items())
    assert parse_bbsa(text) == BbaCard(None, switches)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "got none"),
        ("System type = 1\n", "got none"),
        ("Drury = 1\nDrury = 0\n", ":2: expected one value of 'Drury'"),
        ("Drury = yes\n", ":1: expected a switch"),
        ("Drury = 2\n", ":1: expected a switch"),
        ("Drury = \u0661\n", ":1: expected a switch"),
        ("System type = many\n", ":1: expected a switch"),
        ("= 1\n", ":1: expected a switch"),
        ("<html>\n", ":1: expected a switch"),
        ("\x00\x01\x02", ":1: expected a switch"),
        ("x = 1\n" * 200_000, "at most"),
    ],
)
def test_what_is_no_card_is_told(text, told):
    with pytest.raises(InvalidInput, match=told):
        parse_bbsa(text, "card")


def test_other_encodings_and_missing_files(tmp_path):
    (tmp_path / "old.bbsa").write_bytes("Zürich = 1\nDrury = 1\n".encode("cp1252"))
    assert read_bbsa(tmp_path / "old.bbsa").switches == {"Zürich": True, "Drury": True}
    (tmp_path / "new.bbsa").write_bytes(b"\xef\xbb\xbfDrury = 1\n")
    assert read_bbsa(tmp_path / "new.bbsa").switches == {"Drury": True}
    with pytest.raises(InvalidInput, match="can be read"):
        read_bbsa(tmp_path / "none.bbsa")


def test_a_card_of_ours_with_the_options_of_theirs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pair.bbsa").write_text(CARD)
    asked = ("system", "card", "two-over-one", "--bbsa", "pair.bbsa", "--json")
    assert main(asked) == DONE
    answer = capsys.readouterr()
    card = parse_card(answer.out)
    assert (card.options["smolen"], card.options["drury"], card.options["keycards"]) == (
        False,
        True,
        False,
    )
    assert "not known here: Multi" in answer.err
    # what the command line says counts more
    assert main([*asked, "--option", "smolen"]) == DONE
    assert parse_card(capsys.readouterr().out).options["smolen"] is True
    (tmp_path / "pair.bbsa").write_text("Drury\n")
    assert main(asked) == BAD_INPUT
    assert "pair.bbsa:1: expected a switch" in capsys.readouterr().err
