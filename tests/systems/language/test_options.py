"""Options of a text: which hold, who has the say, what they are called, what they stand in."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidSystem, format_call
from bidcascade.systems import named_systems, open_system
from bidcascade.systems.checking.cases import parse_cases, run_cases
from bidcascade.systems.chosen_options import chosen_options
from bidcascade.systems.language.reader import read_system, read_text
from bidcascade.systems.language.reading.options import option_rows, title_of, turned
from tests.support.examples import some_in_check
from tests.support.options import PROBES, Probe

NESTED = """opening:
  option keys "Key cards", off:  -- Aces and a king
    1C = 12+ points
    option swapped "Key cards: 3014", off:
      1D = 12+ points
    without option swapped:
      1H = 12+ points
    option queen, on:
      1S = 12+ points
  without option keys:
    option plain:
      2C = 12+ points
"""


def held(text: str, **chosen: bool) -> set[str]:
    return {name for name, is_on in read_text(text, options=chosen).options.items() if is_on}


# ---------------------------------------------------------------------- what they are called
def test_words_stand_where_the_option_does():
    rows = option_rows(read_text(NESTED))
    assert [(one["name"], one["title"], one["about"], one["within"]) for one in rows] == [
        ("keys", "Key cards", "Aces and a king", {}),
        ("swapped", "Key cards: 3014", "", {"keys": True}),
        ("queen", "Queen", "", {"keys": True}),
        ("plain", "Plain", "", {"keys": False}),
    ]


@pytest.mark.parametrize(
    ("line", "title", "about"),
    [
        ("option weak-two_bids:", "Weak two bids", ""),
        ("option éclair, on:  -- it is", "Éclair", "it is"),
        ('option a "  Two   words ", on:   ---  of it  ', "Two words", "of it"),
        ('option a "With -- dashes: and a colon":', "With -- dashes: and a colon", ""),
        ('option a "":  -- no title', "A", "no title"),
    ],
)
def test_title_and_line(line, title, about):
    (row,) = option_rows(read_text(f"{line}\n  opening:\n    1C = 12+ points\n"))
    assert (row["title"], row["about"]) == (title, about)


def test_words_of_one_statement_go_together():
    block = "  opening:\n    1C = 12+ points\n"
    text = f'option a:  -- a remark\n{block}option a "First", off:\n{block}option a "Second", on\n'
    (row,) = option_rows(read_text(text))
    assert (row["title"], row["about"], row["on"]) == ("First", "", True)


def test_a_title_is_no_header():
    with pytest.raises(InvalidSystem, match='there is no option "a"'):
        read_text('option a "Ends with:"\nopening:\n  1C = 12+ points\n')


def test_without_has_no_title():
    with pytest.raises(InvalidSystem, match='a title stands behind "option"'):
        read_text(
            'opening:\n  without option a "A":\n    1C = 12+ points\n  option a:\n    1D = 4+ D\n'
        )


def test_shipped_options_have_words():
    for name in named_systems():
        for row in option_rows(read_system(name)):
            assert row["about"], (name, row)
            assert row["title"] != row["name"]


# ---------------------------------------------------------------------- which hold
@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        ({}, set()),
        ({"keys": True}, {"keys", "queen"}),
        ({"keys": True, "queen": False}, {"keys"}),
        ({"swapped": True}, {"keys", "swapped", "queen"}),
        ({"queen": True}, {"keys", "queen"}),
        ({"queen": False}, set()),
        ({"plain": True}, {"plain"}),
        ({"plain": True, "keys": False}, {"plain"}),
        ({"queen": False, "swapped": False, "keys": False, "plain": False}, set()),
    ],
)
def test_what_stands_within_an_option_holds_with_it(chosen, found):
    assert held(NESTED, **chosen) == found


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({"queen": True, "keys": False}, "expected option 'keys' on, got it off: option 'queen'"),
        ({"plain": True, "keys": True}, "expected option 'keys' off, got it on: option 'plain'"),
        ({"plain": True, "queen": True}, "expected option 'keys' off, got it on: option 'plain'"),
        ({"key": True}, r"expected an option of the system \(keys, .*, got 'key'; did you mean"),
    ],
)
def test_choices_that_cannot_be(chosen, told):
    with pytest.raises(InvalidSystem, match=told):
        read_text(NESTED, options=chosen)


def test_one_that_stands_by_itself_too_needs_none():
    text = f"{NESTED}option swapped:\n  after 1C:\n    1D = 12+ points\n"
    assert held(text, swapped=True) == {"swapped"}
    assert option_rows(read_text(text))[1]["within"] == {}


CONVENTION = """convention c(low 10):
  after 1C:
    option inner, on:
      1D = low+ points
option outer, off:
  use c(low 8)
opening:
  1C = 12+ points
"""


def test_options_of_a_convention_stand_where_it_is_used():
    assert held(CONVENTION) == set()
    assert held(CONVENTION, outer=True) == {"outer", "inner"}
    assert held(CONVENTION, inner=True) == {"outer", "inner"}
    assert held(CONVENTION, outer=True, inner=False) == {"outer"}
    assert held(f"{CONVENTION}use c\n") == {"inner"}


def test_what_a_convention_says_changes_no_choice():
    """It is read when the lines before it have been decided."""
    text = "opening:\n  option a, off:\n    1C = 12+ points\nconvention c:\n  opening:\n"
    text += "    option a, on:\n      1D = 12+ points\nuse c\n"
    for is_on in (True, False):
        read = read_text(text, options={"a": is_on})
        assert read.options == {"a": is_on}
        assert len([line for block in read.blocks for line in block.body]) == 2 * is_on


# ---------------------------------------------------------------------- who has the say
PAGE = "option a, {}:\n  opening:\n    1C = 12+ points\n"


@pytest.mark.parametrize("is_on", [True, False])
@pytest.mark.parametrize("first", [True, False])
def test_who_includes_a_file_has_the_say(is_on, first):
    """Wherever the include stands, as with definitions and conventions."""
    own, other = ("on", "off") if is_on else ("off", "on")
    include, said = 'include "page.bidding"\n', f'option a "Mine", {own}\n'
    text = said + include if first else include + said
    read = read_text(text, pages={"page.bidding": PAGE.format(other)})
    assert read.options == {"a": is_on}
    assert read.option_words["a"].title == "Mine"


def test_of_pages_beside_each_other_the_last_one_decides():
    pages = {"one.bidding": PAGE.format("on"), "two.bidding": "option a, off\n"}
    read = read_text('include "one"\ninclude "two"\n', pages=pages)
    assert read.options == {"a": False}
    # the one that includes the other has the say, though it is read before
    pages["one.bidding"] += 'include "two"\n'
    assert read_text('include "one"\ninclude "two"\n', pages=pages).options == {"a": True}


# ---------------------------------------------------------------------- turning

names = st.sampled_from(["keys", "swapped", "queen", "plain"])


@given(st.dictionaries(names, st.booleans()), names, st.booleans())
def test_an_option_that_is_turned_holds_or_not(chosen, name, is_on):
    text = read_text(NESTED)
    try:
        read_text(NESTED, options=chosen)
    except InvalidSystem:
        return
    found = turned(chosen, text.option_words, name, is_on=is_on)
    assert read_text(NESTED, options=found).options[name] is is_on
    assert found[name] is is_on


@given(st.text("ab-_ß é", max_size=8))
def test_titles_begin_with_a_capital(name):
    title = title_of(name)
    assert title[:1] == title[:1].upper()
    assert "-" not in title


# ---------------------------------------------------------------------- on commands
def test_an_option_that_is_misspelled():
    with pytest.raises(InvalidSystem, match="got 'drurry'; did you mean 'drury'"):
        chosen_options(["drurry"], [("sayc", "sayc")])


def test_the_last_choice_counts(tmp_path: Path):
    path = tmp_path / "nested.bidding"
    path.write_text(NESTED)
    assert chosen_options(["keys", "keys=off"], [("mine", path)]) == [{"keys": False}]


# ---------------------------------------------------------------------- probes
def calls(probe: Probe, **options: bool) -> str:
    asked = f"{probe.hand} : {' '.join(probe.auction)}" if probe.auction else probe.hand
    system = open_system(probe.system, options=options)
    (result,) = run_cases(system, parse_cases(f"{asked} -> P", "probe"))
    return "/".join(map(format_call, result.got))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", some_in_check(1, "light-openings", *sorted({*named_systems()} - {"light-openings"}))
)
def test_a_probe_hand_for_each_option(name):
    text = read_system(name)
    probes = [one for one in PROBES if one.system == name]
    assert sorted(one.option for one in probes) == sorted(text.options)
    for probe in probes:
        other = turned({}, text.option_words, probe.option, is_on=not text.options[probe.option])
        is_on = text.options[probe.option]
        wanted = probe.call(is_on=is_on), probe.call(is_on=not is_on)
        assert (calls(probe), calls(probe, **other)) == wanted, probe
