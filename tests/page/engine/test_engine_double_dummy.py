"""Deals solved in the browser, and par and IMPs there, against the package."""

import numpy as np
import pytest

from bidcascade.bridge import format_hand, imps
from bidcascade.inference.double_dummy.par import par
from bidcascade.kernels.core.functions import solve_tables
from bidcascade.kernels.dealing import deal_hands
from tests.support.examples import some_in_check

pytestmark = pytest.mark.slow

SOLVE = """async (load, deal) => {
    const { solveDeal } = await load("deals/double_dummy");
    const parts = [];
    try {
        const solved = await solveDeal(deal, (part) => parts.push(part));
        return { ...solved, parts };
    } catch (error) {
        return { error: error.message };
    }
}"""
PAR = """async (load, given) => {
    const { parOf } = await load("deals/double_dummy");
    return given.map(([tricks, dealer, sides]) => {
        try { return parOf(tricks, dealer, sides); } catch (error) { return error.message; }
    });
}"""
IMPS = """async (load, given) => {
    const { impsOf } = await import("/bridge/card_play.js");
    return given.map(impsOf);
}"""
NAMES = ("None", "NS", "EW", "Both")


def by_name(table):
    """Tricks by declarer and strain, as the page has them."""
    return {
        seat: {strain: int(table[5 * place + at]) for at, strain in enumerate("CDHSN")}
        for place, seat in enumerate("NESW")
    }


def told_par(table, dealer, sides):
    found = par(table, dealer, sides)
    return {"score": found.score, "contracts": [str(one) for one in found.contracts]}


def whole_deal(hands):
    return {"hands": hands, "dealer": 3, "vulnerability": "EW"}


@pytest.mark.parametrize("number", some_in_check(1, *range(4)))
def test_a_deal_is_solved_as_the_package_does(engine, number):
    hands = deal_hands(21, number, 1)
    found = engine(SOLVE, whole_deal([format_hand(int(hand)) for hand in hands[:, 0]]))
    table = solve_tables(hands)[0]
    assert found["tricks"] == by_name(table)
    assert found["par"] == told_par(table, 3, 2)
    # a strain at a time, and par with the last one
    known = [
        sum(one is not None for one in part["tricks"]["N"].values()) for part in found["parts"]
    ]
    assert known == [1, 2, 3, 4, 5]
    assert [part["par"] for part in found["parts"]] == [None] * 4 + [found["par"]]


WHOLE = ["AKQJT98765432...", ".AKQJT98765432..", "..AKQJT98765432.", "...AKQJT98765432"]


@pytest.mark.parametrize(
    ("hands", "told"),
    [
        ([WHOLE[0], WHOLE[0], *WHOLE[2:]], "expected four hands of 13 cards, no card in two"),
        (WHOLE[:3], "expected four hands of 13 cards, no card in two"),
        ([*WHOLE[:3], "...AKQJT9876543"], "expected 13 cards, got 12 in hand"),
        ([*WHOLE[:3], "nonsense"], "expected a hand such as"),
    ],
    ids=["a card twice", "three hands", "twelve cards", "no hand"],
)
def test_hands_that_are_no_deal_are_told(engine, hands, told):
    assert told in engine(SOLVE, whole_deal(hands))["error"]


def test_par_is_that_of_the_package(engine):
    random = np.random.default_rng(5)
    asked, expected = [], []
    for number in range(400):
        # sides that take as many tricks, and partners that do not; low tables are passed out
        north, east = random.integers(0, 14, 5), random.integers(0, 14, 5)
        if number % 2:
            east = 13 - north
        table = np.concatenate([north, east, north, east])
        table = np.clip(table + (random.random(20) < 0.2) * (number % 3 == 0), 0, 13)
        dealer, sides = int(random.integers(4)), int(random.integers(4))
        asked.append([by_name(table), dealer, NAMES[sides]])
        expected.append(told_par(table, dealer, sides))
    assert engine(PAR, asked) == expected


def test_par_of_a_deal_that_is_passed_out(engine):
    assert engine(PAR, [[by_name([6] * 20), 0, "None"]]) == [{"score": 0, "contracts": []}]


@pytest.mark.parametrize(
    ("tricks", "dealer", "sides"),
    [(14, 0, "None"), (-1, 0, "None"), (7, 4, "None"), (7, -1, "None"), (7, 0, "Nobody")],
)
def test_what_has_no_par_is_told(engine, tricks, dealer, sides):
    (told,) = engine(PAR, [[by_name([*[7] * 19, tricks]), dealer, sides]])
    assert "expected 0-13 tricks of each contract, a dealer and a vulnerability" in told


def test_imps_are_those_of_the_package(engine):
    differences = sorted({*range(-4500, 4501, 10)})
    assert engine(IMPS, differences) == [imps(one) for one in differences]
