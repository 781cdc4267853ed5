"""Options of shipped systems: each changes what it should, and is off or on as the text says."""

import re
from functools import cache

import pytest

from bidcascade.systems import named_systems, open_system
from bidcascade.systems.checking.cases import parse_cases, run_cases
from bidcascade.systems.system import System
from tests.support.docs import page_text
from tests.support.examples import rows_in_check
from tests.support.options import BLOCKS

QUICK = {("sayc", "weak-notrump"), ("sayc", "strong-jump-overcalls")}


EACH = [pytest.param(*key, marks=() if key in QUICK else pytest.mark.slow) for key in BLOCKS]


@cache
def system(name: str) -> System:
    return open_system(name)


@pytest.mark.parametrize(("name", "option"), rows_in_check(range(0, len(EACH), 6), *EACH))
def test_an_option_on_and_off(name, option):
    needed, rows = BLOCKS[name, option]
    for is_on in (True, False):
        chosen = {option: is_on} | dict.fromkeys(needed, True)
        own = system(name)
        differs = any(own.text.options[one] is not value for one, value in chosen.items())
        played = open_system(name, options=chosen) if differs else own
        text = "\n".join(f"{hand} -> {on if is_on else off}" for hand, on, off in rows)
        wrong = [
            (result.case.hand, result.got, result.rule)
            for result in run_cases(played, parse_cases(text, option))
            if not result.right
        ]
        assert not wrong, is_on
    # at least one hand tells them apart
    assert any(on != off for _, on, off in rows)


@pytest.mark.parametrize("name", sorted(named_systems()))
def test_every_option_has_cases(name):
    assert {option for one, option in BLOCKS if one == name} == {*system(name).text.options}


@pytest.mark.checkout
@pytest.mark.page("docs/systems.md")
def test_every_option_is_in_the_table_for_players():
    _, behind = page_text("docs/systems.md").split("| option | on, a pair plays | in |\n")
    rows = re.findall(r"^\|(.*?)\|", behind.partition("\n\n")[0], re.MULTILINE)
    told = {name for row in rows for name in re.findall(r"`([\w-]+)`", row)}
    assert told == {option for name in named_systems() for option in system(name).text.options}


@pytest.mark.parametrize(("name", "on"), [
    ("sayc", set()), ("acol", set()), ("precision", set()), ("light-openings", set()),
    ("two-over-one", {"drury", "inverted-minors", "keycards", "landy", "leaping-michaels",
                      "lebensohl", "lebensohl-doubles", "new-minor", "queen-ask", "smolen",
                      "splinters", "support-doubles"}),
])  # fmt: skip
def test_what_is_on_unless_one_asks(name, on):
    own = system(name).text.options
    # asked only where keycards are
    alone = set() if own.get("keycards") else {"queen-ask"}
    assert {option for option, is_on in own.items() if is_on} - alone == on
