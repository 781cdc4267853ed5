"""Options of shipped systems: each changes what it should, and is off or on as the text says."""

from functools import cache

import pytest

from bidcascade.systems import named_systems, open_system
from bidcascade.systems.checking.cases import parse_cases, run_cases
from bidcascade.systems.system import System
from tests.support_examples import rows_in_check

CASES = """
sayc weak-notrump
K52.AJ4.Q873.KJ5 -> 1N | 1D
AQ84.K5.QJ73.A96 -> 1D | 1N
K92.AJ43.Q87.KJ5 : P P P -> 1N | 1C
A84.K5.AQ73.QJ96 : 1D P 1H P -> 1N | 1N
KJ84.Q53.K7.T963 : 1C P 1S P 1N P -> 3N | P
KJ843.A5.K73.T96 : 1C P 1S P 1N P -> 3S | 2N
A65.J73.KQ42.Q95 : 1N P -> 2N | 3N
AQJ84.K5.Q73.A96 : 1S P 2C P -> 2N | 2N
K4.AQ5.K973.KJ96 : 1D 1H 1S P -> 1N | 2C
sayc strong-jump-overcalls
93.AKJ985.KQ4.Q5 : 1C -> 2H | 1H
93.KQJ985.854.J5 : 1C -> P | 2H
93.AKQ985.K54.Q5 : 1S -> 3H | 2H
9.KQJ9852.854.J5 : 1C -> 3H | 3H
K84.Q53.A9732.96 : 1C 2H P -> 4H | P
K84.Q5.Q9732.965 : 1C 2H P -> 3H | P
sayc gambling-notrump
54.83.AKQJ974.86 -> 3N | 3D
AKQ.KQ5.AKJ4.A92 -> 2C | 3N
AJ4.KQ73.K85.J74 : 3N P -> P | 7N
J764.Q732.85.A74 : 3N P -> 4C | 4C
54.83.AKQJ974.86 : 3N P 4C P -> 4D | 4D
54.83.86.AKQJ974 : 3N P 4C P -> P | 4D
AQ42.8.8532.AK74 : 3N P -> 5C | 7N
sayc smolen
AQ843.KJ52.T4.83 : 1N P 2C P 2D P -> 3H | 3S
sayc support-doubles
AQ4.85.A6.KJ9732 : 1C P 1S 2H -> X | 2S
AQ4.85.A6.KJ9732 : 1C P 1S X -> XX | 2C
sayc new-minor
KJ843.A5.K73.T96 : 1C P 1S P 1N P -> 2D | 2N
sayc lebensohl
83.54.KJ9742.T96 : 1N 2H -> 2N | P
sayc lebensohl-doubles
83.754.KJ974.T96 : 2H X P -> 2N | 3D
sayc leaping-michaels
AKJ84.5.AQ9742.6 : 2H -> 4D | 2S
sayc landy
AQJ84.KJ974.42.6 : 1N -> 2C | 2D
sayc keycards
AK842.KQ5.K3.K96 : 1S P 3S P 4N P -> 5H | 5D
sayc drury
Q842.KQ5.K93.J96 : P P 1S P -> 2C | 3S
sayc inverted-minors
Q84.K5.93.AQJ962 : 1C P -> 2C | 3C
sayc keycards-3014 keycards
QJ9842.KQJ.KQ.KQ : 1S P 2N P 3S P 4N P -> 5C | 5D
sayc queen-ask keycards
AT75.A5.KQ63.AK4 : 1S P 2N P 3S P 4N P 5C P -> 5D | 6S
two-over-one weak-notrump
K52.AJ4.Q873.KJ5 -> 1N | 1D
AQ84.K5.QJ73.A96 -> 1D | 1N
A84.K5.AQ73.QJ96 : 1D P 1H P -> 1N | 1N
KJ843.A5.K73.T96 : 1C P 1S P 1N P -> 3S | 2D
AQJ84.K5.Q73.A96 : 1S P 2C P -> 2N | 2S
two-over-one strong-jump-overcalls
93.AKJ985.KQ4.Q5 : 1C -> 2H | 1H
93.KQJ985.854.J5 : 1C -> P | 2H
two-over-one gambling-notrump
54.83.AKQJ974.86 -> 3N | 3D
two-over-one smolen
AQ843.KJ52.T4.83 : 1N P 2C P 2D P -> 3H | 3S
two-over-one support-doubles
AQ4.85.A6.KJ9732 : 1C P 1S 2H -> X | 2S
AQ4.85.A6.KJ9732 : 1C P 1S X -> XX | 2C
two-over-one new-minor
KJ843.A5.K73.T96 : 1C P 1S P 1N P -> 2D | 2N
two-over-one lebensohl
83.54.KJ9742.T96 : 1N 2H -> 2N | P
two-over-one lebensohl-doubles
83.754.KJ974.T96 : 2H X P -> 2N | 3D
two-over-one leaping-michaels
AKJ84.5.AQ9742.6 : 2H -> 4D | 2S
two-over-one landy
AQJ84.KJ974.42.6 : 1N -> 2C | 2D
two-over-one keycards
AK842.KQ5.K3.K96 : 1S P 2N P 3S P 4N P -> 5H | 5D
two-over-one keycards-3014
A9842.KQ5.KQ.KJ6 : 1S P 2N P 3S P 4N P -> 5D | 5C
QJ9842.KQJ.KQ.KQ : 1S P 2N P 3S P 4N P -> 5C | 5D
AQ42.A5.A753.A43 : 1S P 2N P 3S P 4N P 5C P -> 6S | 5N
KQ42.A5.KQJ3.K43 : 1S P 2N P 3S P 4N P 5C P -> 6S | 5S
KJ42.K5.AKQ3.A43 : 1S P 2N P 3S P 4N P 5C P -> 5S | 5D
two-over-one queen-ask
AT75.A5.KQ63.AK4 : 1S P 2N P 3S P 4N P 5C P -> 5D | 6S
two-over-one drury
Q842.KQ5.K93.J96 : P P 1S P -> 2C | 3S
two-over-one inverted-minors
Q84.K5.93.AQJ962 : 1C P -> 2C | 3C
two-over-one splinters
Q842.KQ52.AJ93.5 : 1S P -> 4C | 2N
acol strong-notrump
K52.AJ4.Q873.KJ5 -> 1D | 1N
AQ84.K5.QJ73.A96 -> 1N | 1S
KJ84.Q53.K7.T963 : 1C P 1S P 1N P -> P | 3N
KJ84.Q53.KQ.T963 : 1D P 1S P 1N P -> 2N | 3N
A65.J73.KQ42.Q95 : 1N P -> 3N | 2N
acol strong-jump-overcalls
93.AKJ985.KQ4.Q5 : 1C -> 2H | 1H
acol gambling-notrump
54.83.AKQJ974.86 -> 3N | 3D
acol smolen
AQ843.KQ52.K4.83 : 1N P 2C P 2D P -> 3H | 3S
acol support-doubles
AQ4.85.A6.KJ9732 : 1C P 1S 2H -> X | 2S
acol lebensohl
83.54.KQJ742.T96 : 1N 2H -> 2N | P
acol lebensohl-doubles
83.754.KJ974.T96 : 2H X P -> 2N | 3D
acol leaping-michaels
AKJ84.5.AQ9742.6 : 2H -> 4D | 2S
acol landy
AQJ84.KJ974.42.6 : 1N -> 2C | 2D
acol keycards
AK842.KQ5.K3.K96 : 1S P 3S P 4N P -> 5H | 5D
acol keycards-3014 keycards
QJ9842.KQJ.KQ.KQ : 1S P 3S P 4N P -> 5C | 5D
acol queen-ask keycards
AT75.A5.KQ63.AK4 : 1S P 3S P 4N P 5C P -> 5D | 6S
precision strong-jump-overcalls
93.AKJ985.KQ4.Q5 : 1C -> 2H | 1H
93.AKJ985.KQ4.Q5 : 1D -> 2H | 1H
light-openings strong-jump-overcalls
93.AKJ985.KQ4.Q5 : 1C -> 2H | 1H
93.KQJ985.854.J5 : 1C -> 1H | 2H
93.KQJ98.8543.J5 : 1C -> 1H | 2H
"""
"""A system, its option and what that needs; then hands with the calls where it is on and off."""


def blocks() -> dict[tuple[str, str], tuple[tuple[str, ...], list[tuple[str, str, str]]]]:
    found = {}
    for line in CASES.strip().splitlines():
        if "->" not in line:
            name, option, *needed = line.split()
            rows: list[tuple[str, str, str]] = []
            found[name, option] = (tuple(needed), rows)
        else:
            hand, _, calls = line.partition(" -> ")
            on, _, off = calls.partition(" | ")
            rows.append((hand, on, off))
    return found


BLOCKS = blocks()
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
