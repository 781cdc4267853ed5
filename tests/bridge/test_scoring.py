"""Duplicate scores against endplay and against well-known results; IMPs at every boundary."""

import endplay.types as endplay
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import Contract, InvalidContract, Seat, imps, parse_contract, score

PENALTIES = (endplay.Penalty.passed, endplay.Penalty.doubled, endplay.Penalty.redoubled)


@pytest.mark.parametrize("vulnerable", [False, True])
@pytest.mark.parametrize("doubling", [0, 1, 2])
def test_all_scores_equal_endplay(doubling, vulnerable):
    for level in range(1, 8):
        for strain, letter in enumerate("CDHSN"):
            contract = Contract(level, strain, doubling, Seat.SOUTH)
            for tricks in range(14):
                theirs = endplay.Contract(
                    level=level,
                    denom=endplay.Denom.find(letter),
                    declarer=endplay.Player.south,
                    penalty=PENALTIES[doubling],
                    result=tricks - level - 6,
                ).score(endplay.Vul.both if vulnerable else endplay.Vul.none)
                ours = score(contract, tricks, vulnerable=vulnerable)
                assert ours == theirs, (str(contract), tricks)
                assert (ours > 0) == (tricks >= level + 6)


@pytest.mark.parametrize(
    ("contract", "tricks", "not_vulnerable", "vulnerable"),
    [
        ("1CN", 7, 70, 70),
        ("1NE", 8, 120, 120),
        ("2HS", 8, 110, 110),
        ("2HXS", 8, 470, 670),
        ("1NXXW", 7, 560, 760),
        ("1CXXW", 8, 430, 630),
        ("3NW", 9, 400, 600),
        ("3NW", 12, 490, 690),
        ("4SN", 11, 450, 650),
        ("5DN", 11, 400, 600),
        ("6HN", 12, 980, 1430),
        ("6NN", 12, 990, 1440),
        ("7SN", 13, 1510, 2210),
        ("7NXXE", 13, 2280, 2980),
        ("1NXXE", 13, 1760, 3160),
        ("4SN", 9, -50, -100),
        ("4SXN", 9, -100, -200),
        ("4SXN", 8, -300, -500),
        ("4SXN", 7, -500, -800),
        ("4SXN", 6, -800, -1100),
        ("7NXXE", 0, -7000, -7600),
    ],
)
def test_scores_that_players_know(contract, tricks, not_vulnerable, vulnerable):
    assert score(parse_contract(contract), tricks, vulnerable=False) == not_vulnerable
    assert score(parse_contract(contract), tricks, vulnerable=True) == vulnerable


@pytest.mark.parametrize("tricks", [-1, 14])
def test_tricks_out_of_range(tricks):
    with pytest.raises(InvalidContract, match=f"expected 0-13 tricks, got {tricks}"):
        score(Contract(1, 0, 0, Seat.NORTH), tricks, vulnerable=False)


IMP_TABLE = """
0-10 0 | 20-40 1 | 50-80 2 | 90-120 3 | 130-160 4 | 170-210 5 | 220-260 6 | 270-310 7
320-360 8 | 370-420 9 | 430-490 10 | 500-590 11 | 600-740 12 | 750-890 13 | 900-1090 14
1100-1290 15 | 1300-1490 16 | 1500-1740 17 | 1750-1990 18 | 2000-2240 19 | 2250-2490 20
2500-2990 21 | 3000-3490 22 | 3500-3990 23 | 4000-99990 24
"""
"""Law 78B of the Laws of Duplicate Bridge 2017."""


def test_imps_at_every_boundary():
    rows = IMP_TABLE.replace("|", "\n").strip().splitlines()
    assert len(rows) == 25
    for expected, row in enumerate(rows):
        points, amount = row.split()
        low, high = map(int, points.split("-"))
        assert int(amount) == expected
        for difference in (low, low + 10, high):
            if difference <= high:
                assert imps(difference) == expected
                assert imps(-difference) == -expected


@given(st.integers(-8000, 8000), st.integers(-8000, 8000))
def test_imps_grow_with_the_difference(one, other):
    low, high = sorted((one, other))
    assert imps(low) <= imps(high)
    assert imps(-one) == -imps(one)
