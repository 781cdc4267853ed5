"""Sets: shares that are exact, turns, mixtures; themes; what actions print."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidScript, LimitExceeded, NoSuchDeal, Seat, Vulnerability
from bidcascade.inference.scenarios.actions import written
from bidcascade.inference.scenarios.deal_sets import (
    DealSetPart,
    allotted,
    make_set,
    parts_of_conditions,
    parts_of_script,
)
from bidcascade.inference.scenarios.evaluation import Evaluation
from bidcascade.inference.scenarios.producing import Produced, produce
from bidcascade.inference.scenarios.script_reader import parse_script
from bidcascade.inference.scenarios.script_tree import Script
from bidcascade.inference.scenarios.themes import theme_named, themes
from bidcascade.kernels.dealing import deal_hands

KINDS = """
strong = hcp(south) >= 12
long = shape(south, any 6xxx + any 7xxx)
both = hcp(south) >= 9
"""


def values(script, name, hands):
    return Evaluation(script).holds(script.names[name], hands)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=6), st.integers(1, 500))
def test_shares_are_exact_as_far_as_deals_are_whole(weights, count):
    percents = [100 * one / sum(weights) for one in weights]
    numbers = allotted(percents, count)
    assert sum(numbers) == count
    for percent, number in zip(percents, numbers, strict=True):
        assert abs(number - percent * count / 100) < 1


@pytest.mark.parametrize("percents", [[50, 40], [100, 0], [120, -20], []])
def test_shares_are_a_hundred_together(percents):
    with pytest.raises(InvalidScript, match="of 100 % together"):
        allotted(percents, 10)


def test_kinds_of_a_script_exclude_each_other():
    script = parse_script(KINDS)
    parts = parts_of_script(script, "x", shares=[(40, "strong"), (60, "long")])
    hands = make_set(parts, 50, seed=2).hands
    strong, long = values(script, "strong", hands), values(script, "long", hands)
    assert (strong & ~long).sum() == 20
    assert (long & ~strong).sum() == 30
    # mixed, not one kind behind the other
    assert 0 < strong[:25].sum() < 20


def test_shares_of_the_script_itself():
    script = parse_script(KINDS + "# share 25 strong\n# share 75 long\n")
    found = make_set(parts_of_script(script, "x"), 40, seed=1)
    assert values(script, "long", found.hands).sum() == 30


def test_a_kind_that_another_one_has_in_it_is_said():
    script = parse_script(KINDS)
    parts = parts_of_script(script, "x", shares=[(40, "strong"), (60, "both")])
    with pytest.raises(NoSuchDeal, match="strong: no deal meets the script"):
        make_set(parts, 10, seed=1)
    with pytest.raises(InvalidScript, match="expected a name that the script defines"):
        parts_of_script(script, "x", shares=[(100, "weak")])


def test_conditions_as_kinds():
    parts = parts_of_conditions([(30, "HCP_N >= 20"), (70, "HCP_N <= 8")], Script())
    hands = make_set(parts, 20, seed=1).hands
    points = Evaluation(Script()).values(parse_script("hcp(north)").condition, hands)
    assert sorted(points >= 20).count(True) == 6
    assert (points <= 8).sum() == 14


@pytest.mark.parametrize("seat", list(Seat))
def test_a_set_is_turned_to_a_seat(seat):
    script = parse_script("dealer west vulnerable ns hearts(south) > 8 && aces(west) == 3")
    found = make_set([DealSetPart("x", 100, script)], 5, seed=1, seat=seat)
    turns = (seat - Seat.SOUTH) % 4
    hearts = np.bitwise_count(found.hands[seat] >> np.uint64(26) & np.uint64(0x1FFF))
    assert (hearts > 8).all()
    assert set(found.dealers.tolist()) == {(Seat.WEST + turns) % 4}
    sides = Vulnerability.NS if turns % 2 == 0 else Vulnerability.EW
    assert set(found.sides.tolist()) == {int(sides)}
    assert sorted(map(sorted, found.turned(4 - turns).hands.T.tolist())) == sorted(
        map(sorted, make_set([DealSetPart("x", 100, script)], 5, seed=1).hands.T.tolist())
    )


def test_themes_are_mixed_with_their_own_dealers():
    chosen = [theme_named(name) for name in ("stayman", "michaels")]
    parts = [part for one in chosen for part in parts_of_script(one.script, one.title, 50)]
    found = make_set(parts, 16, seed=5)
    frame = found.frame("set")
    assert frame["event"].to_list().count("Michaels") == 8
    for event, dealer in frame.select("event", "dealer").rows():
        assert dealer == {"Stayman": "N", "Michaels": "E"}[event]
    assert frame["board"].to_list() == list(range(1, 17))
    assert frame["vulnerability"][:4].to_list() == ["None", "NS", "EW", "Both"]
    assert make_set(parts, 16, seed=5).hands.tolist() == found.hands.tolist()
    assert make_set(parts, 16, seed=6).hands.tolist() != found.hands.tolist()


def test_a_set_has_bounds():
    with pytest.raises(LimitExceeded):
        make_set([DealSetPart("x", 100, Script())], 100_001, seed=1)
    rare = parse_script("cccc(north) > 2500")
    with pytest.raises(NoSuchDeal, match=r"expected 50 deals of x, got .* among 20,000"):
        make_set([DealSetPart("x", 100, rare)], 50, seed=1, most=20_000)


def test_there_are_thirty_themes():
    assert len(themes()) == 30
    for name, theme in themes().items():
        assert theme.title[0].isupper(), name
        assert theme.practises.endswith("."), name
        assert theme.script.dealer is not None, name


@pytest.mark.parametrize("name", sorted(themes()))
def test_a_theme_gives_its_deals_in_its_shares(name):
    script = themes()[name].script
    found = make_set(parts_of_script(script, name), 20, seed=9)
    assert Evaluation(script).holds(script.condition, found.hands).all()
    for percent, kind in script.shares:
        assert values(script, kind, found.hands).sum() == pytest.approx(percent / 5, abs=1)


def test_a_theme_that_is_not_there():
    with pytest.raises(InvalidScript, match="got 'staymen'; did you mean 'stayman'"):
        theme_named("staymen")


# --- actions --------------------------------------------------------------------------------------


def shown(text, count=2):
    script = parse_script(text)
    found = Produced(deal_hands(1, 0, count), 9, is_drawn=False)
    return "".join(written(script, found, seed=1))


END = "Generated 9 hands\nProduced 2 hands\nInitial random seed 1\n"


def test_deals_beside_each_other():
    assert shown("action printew", 1).splitlines()[:5] == [
        "J 5 4               Q T 7 3 ",
        "Q 9 7 5 3           T 8 ",
        "Q J                 T 9 5 4 ",
        "Q 8 7               J 9 2 ",
        "",
    ]
    void = parse_script("produce 1 spades(north) == 0")
    first = "".join(written(void, produce(void, seed=1), seed=1)).splitlines()
    assert first[0] == "   1."
    assert first[1].startswith("-                   ")


def test_lines_and_values():
    assert shown('action printoneline hcp(north), printes("x ", clubs(south), \\n)', 1) == (
        "n A9862.62.A762.T5 e QT73.T8.T954.J92 s K.AKJ4.K83.AK643 w J54.Q9753.QJ.Q87 8\n"
        "x 5\nGenerated 9 hands\nProduced 1 hands\nInitial random seed 1\n"
    )
    assert shown("action printcompact(hcp(north))").splitlines()[:5] == [
        "n A9862.62.A762.T5", "e QT73.T8.T954.J92", "s K.AKJ4.K83.AK643",
        "w J54.Q9753.QJ.Q87", "8",
    ]  # fmt: skip


def test_sheets_of_hands():
    sheets = shown("action print(south, north)", 5).split("\f")
    assert [one.split("\n")[2] for one in sheets[:2]] == ["North hands:", "South hands:"]
    assert (
        "   1.                  2.                  3.                  4.               \n"
        in (sheets[0])
    )
    assert "\n   5.               \n" in sheets[1]


def test_means_and_frequencies():
    text = 'action average "points" hcp(north), average 7, frequency "two" (hcp(north), 8, 9)'
    rows = "Low\t       1\n    8\t       1\n    9\t       0\n"
    assert shown(text) == f"points: 7.5\n7\nFrequency two:\n{rows}{END}"
    square = shown("action frequency (hcp(north), 8, 8, spades(north), 4, 5)")
    assert square.splitlines()[:5] == [
        "Frequency :",
        "        Low      4      5   High    Sum",
        "Low       1      0      0      0      1",
        "   8      0      0      1      0      1",
        "High      0      0      0      0      0",
    ]


def test_games():
    text = shown("dealer south vulnerable ew action printpbn", 1)
    assert '[Dealer "S"]' in text
    assert '[Vulnerable "EW"]' in text
    assert "Generated" not in text


def test_contracts_are_scored_on_the_average():
    class Solver:
        def tricks(self, hands, strain, declarer, **limits):
            return np.where(strain == 4, 9, 8).astype(np.int8)

    script = parse_script("action evalcontract")
    two = Produced(deal_hands(1, 0, 2), 2, is_drawn=False)
    text = "".join(written(script, two, seed=1, solver=Solver()))
    assert text.splitlines()[0] == "Not Vulnerable"
    assert "n:  150/ 150  150/ 150  400/ 400  -50/ -50 -100/-100 -150/-150 -200/-200 " in text
    many = two._replace(hands=deal_hands(1, 0, 2001))
    with pytest.raises(LimitExceeded):
        list(written(script, many, seed=1, solver=Solver()))


def test_a_contract_is_scored_by_its_declarers():
    class Solver:
        def tricks(self, hands, strain, declarer, **limits):
            return (9 + (declarer == 2)).astype(np.int8)

    script = parse_script(
        "action evalcontract(NS, x4S, vul), evalcontract(south, x4Sx, nv), "
        'evalcontract "game" (north, x3N, vul), evalcontract(west, x4S), evalcontract(x4S, north) '
        "vulnerable ew"
    )
    two = Produced(deal_hands(1, 0, 2), 2, is_drawn=False)
    text = "".join(written(script, two, seed=1, solver=Solver()))
    assert text.splitlines()[:6] == [
        "Contract: 4S by North, vulnerable: -100.0 on average, made on 0 of 2 deals",
        "Contract: 4S by South, vulnerable: 620.0 on average, made on 2 of 2 deals",
        "Contract: 4SX by South, not vulnerable: 590.0 on average, made on 2 of 2 deals",
        "game: 3N by North, vulnerable: 600.0 on average, made on 2 of 2 deals",
        "Contract: 4S by West, vulnerable: -100.0 on average, made on 0 of 2 deals",
        "Contract: 4S by North, not vulnerable: -50.0 on average, made on 0 of 2 deals",
    ]


def test_values_with_a_point_are_printed_and_counted():
    script = parse_script(
        'pointcount 4.5 3 action printes(hcp(north) * 0 + 2.50, " ", 3 * 0.5 * 2, \\n), '
        'average 0.1 + 0.2, frequency "points" (2.75, 1, 3)'
    )
    two = Produced(deal_hands(1, 0, 2), 2, is_drawn=False)
    lines = "".join(written(script, two, seed=1)).splitlines()
    assert lines[:3] == ["2.5 3", "2.5 3", "0.3"]
    assert [line.split() for line in lines[4:7]] == [["1", "0"], ["2", "2"], ["3", "0"]]


def test_a_number_of_deals_by_the_script():
    script = replace(parse_script("action average 1"), generate=500)
    assert produce(script, seed=1).hands.shape == (4, 500)
    assert produce(parse_script("1"), seed=1).hands.shape == (4, 40)
