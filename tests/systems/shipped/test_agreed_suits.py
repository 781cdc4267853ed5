"""Suits that are agreed, strength that is told: what may not be passed, and what is no slam."""

import random
from functools import cache

import pytest

from bidcascade.bridge import PASS, format_call
from bidcascade.systems import open_system
from bidcascade.systems.system import System

ALL = ("sayc", "two-over-one", "acol")
STRONG_CLUB = ("precision",)

# ours alone, the opponents pass: the last bid looks for a slam in the major that is agreed
LOOKING_FOR_A_SLAM = (
    "1S 2S 4C", "1S 2S 4D", "1S 2S 4H", "1H 2H 3S", "1H 2H 4C", "1H 2H 4D",
    "1S 3S 4C", "1S 3S 4D", "1S 3S 4H", "1H 3H 3S", "1H 3H 4C", "1H 3H 4D", "1H 3H 4S",
    "1C 1H 2H 3S", "1C 1H 2H 4D", "1C 1S 2S 4D", "1C 1S 2S 4H", "1D 1H 2H 3S", "1D 1H 2H 4C",
    "1D 1S 2S 4C", "1D 1S 2S 4H", "1H 1S 2S 4C", "1H 1S 2S 4D", "1C 1H 3H 3S", "1C 1H 3H 4C",
    "1C 1H 3H 4D", "1C 1S 3S 4D", "1D 1S 3S 4C", "1D 1S 3S 4H", "1S 3S 4D 5D", "1S 3S 4H 5C",
    "1H 3H 4C 4S", "1H 3H 4C 5C", "1H 3H 4D 4S", "1S 2S 4C 4D 5C", "1S 3S 4S 5D", "1H 3H 4H 4S",
    "1S 4S 5H", "1D 1S 4S 5C", "1S 2C 2S 3S 4D", "1H 2C 2H 3H 4D 4S",
)  # fmt: skip
MINORS = ("1C 2C 4D", "1C 3C 4D", "1D 3D 4C", "1D 3D 4S")
# a double jump by who has not bid before, or a jump behind two over one
SPLINTERS = (
    "1S 4C", "1S 4D", "1H 4C", "1H 4D", "1H 3S", "1C 3D", "1C 3H", "1C 3S", "1D 3H", "1D 3S",
    "1D 4C", "1C 1S 4D", "1C 1H 4D", "1C 1H 3S", "1D 1S 4C", "1D 1H 3S", "1H 1S 4D", "1S 2H 4C",
    "1S 2D 4C", "1H 2C 3S", "1C 1H 1S 4D",
)  # fmt: skip
TWO_CLUBS = ("2C 2D 3C", "2C 2D 3D", "2C 2D 2S 3S 4D", "2C 2D 2H 4H 5C", "2C 2D 2H 3H 4D 5C")


@cache
def system(name: str) -> System:
    return open_system(name)


def _hands(count: int, seed: str) -> list[str]:
    chooser = random.Random(seed)
    found = []
    for _ in range(count):
        cards = sorted(chooser.sample(range(52), 13), reverse=True)
        suits = ("".join("23456789TJQKA"[c % 13] for c in cards if c // 13 == s) for s in range(4))
        found.append(".".join(suits))
    return found


@pytest.mark.parametrize("name", [*ALL, *STRONG_CLUB])
@pytest.mark.parametrize("auctions", [LOOKING_FOR_A_SLAM, MINORS, SPLINTERS, TWO_CLUBS])
def test_no_hand_passes_what_looks_for_a_slam(name, auctions):
    passed = []
    for auction in auctions:
        if name == "precision" and auction.startswith(("1C", "2C")):
            continue  # one club is strong there, and two clubs are clubs
        behind = " P ".join(auction.split()) + " P"
        hands = _hands(12, f"{name} {auction}")
        passed += [auction for hand in hands if system(name).bid(hand, behind).call == PASS]
    assert not passed


# hand | auction | right calls, or "!" and the wrong ones | systems, if not ALL
ROWS = """
== opposite ten points a fit for a minor is raised
AQ984.K3.KQT4.K6 | 1S P 2D P | 3D 4D 3N | sayc two-over-one acol precision
K3.AQ984.KQT4.K6 | 1H P 2D P | 3D 4D 3N | sayc two-over-one acol precision
A3.K6.AQ984.KQT4 | 1D P 2C P | 3C 4C 3N
== no asking with two small cards in a suit that nobody bid
AKJ85.73.AQJ4.K6 | 1S P 2D P | 3D 4D
73.AKJ85.AQJ4.K6 | 1H P 2D P | 3D 4D
AKJ85.73.K6.AQJ4 | 1S P 2C P | 3C 4C
73.AKJ85.K6.AQJ4 | 1H P 2C P | 3C 4C
AKJ85.K6.AQJ4.73 | 1S P 2D P | 3D 4D
AKQ85.AQJ4.73.K6 | 1S P 2H P | !4N
AKJ85.73.A6.AQJ4 | 1S P 2C P | !4N P
A6.AQJ85.73.KQJ4 | 1H P 2C P | !4N P
== a weak raise of the two-club opener
9543.73.J.K87542 | 2C P 2D P 2S P | 4S
J9543.73.4.K8754 | 2C P 2D P 2S P | 4S 3S
73.9543.J.K87542 | 2C P 2D P 2H P | 4H
73.J9543.4.K8754 | 2C P 2D P 2H P | 4H 3H
T9543.4.K8754.73 | 2C P 2D P 2S P | 4S 3S
Q8643.J3.J8654.2 | 2C P 2D P 2S P | !4N P
K95432.4.J743.82 | 2C P 2D P 2S P | !4N P
== three notrump that partner chose stands
43.KQ.KQT743.QJ5 | 1N P 2C P 2S P 3D P 3N P | P | sayc two-over-one acol precision
J53.Q.AQ643.T763 | P 1D P 2D P 3N P | P
T.Q.KT987654.QJ4 | 1N P 2N P 3N P | P 5D
T.Q.QJ4.KT987654 | 1N P 2N P 3N P | P 5C
QJ5.KQ.43.KQT743 | 1N P 2C P 2S P 3C P 3N P | P
43.QJ5.KQT743.KQ | 1N P 2C P 2H P 3D P 3N P | P
Q3.QJ5.3.KQT7432 | 1N P 3C P 3N P | P
J53.Q.T763.AQ643 | P 1C P 2C P 3N P | P
== five of a minor that declines a try stands
AT543.Q.AKJT7.T9 | 1D P 1S P 2C P 4D P 5D P | P | sayc two-over-one acol precision
Q.AT543.AKJT7.T9 | 1D P 1H P 2C P 4D P 5D P | P
AT543.Q.T9.AKJT7 | 1C P 1S P 2C P 4C P 5C P | P
== behind a limit raise a strong opener tries for a slam
A6.AKJ973.KQ4.82 | 1H P 3H P | !4H P 3N
AQ5.KQT974.A6.K2 | 1H P 3H P | !4H P 3N
AKJ973.A6.KQ4.82 | 1S P 3S P | !4S P 3N
KQT974.AQ5.A6.K2 | 1S P 3S P | !4S P 3N
KQT974.K2.AQ5.A6 | 1S P 3S P | !4S P 3N
82.AKQ973.A4.KQ4 | 1H P 3H P | !4H P 3N
AKQJ93.Q5.AK2.93 | 1S P 3S P | !4S P 3N
K2.AKJ973.KQ4.K2 | 1H P 3H P | !4H P 3N
K5.AQJ973.A6.KJ2 | P P 1H P 3H P | !4H P 3N
== opposite a preempt twelve tricks are counted
AQ86.AK7.AK7.AKQ | 3D P | 4N 7D 7N 6D 6N | sayc two-over-one acol precision
AQ86.AK7.A7.AKQ5 | 3D P | 6N 6D 4N | sayc two-over-one acol precision
AQ86.AK7.AKQ.AK7 | 3C P | 7C 7N 4N 6C 6N | sayc two-over-one acol precision
AK86.AKQ7.K72.AK | 3D P | 4N 6D 6N | sayc two-over-one acol precision
AKQ.AK75.AKQ5.K7 | 3C P | 4N 6C 6N | sayc two-over-one acol precision
AK86.AKQ.A72.AK4 | 4D P | 4N 6D 6N 7D
A86.AKQ3.KQ2.AK4 | 4S P | 4N 6S 6N 7S | sayc two-over-one acol precision
== 33 points together are not left in game
.AKQJ.AKQ87.A876 | P 1S P 3D P 3S P | 4N 4D 5N 6N | sayc two-over-one acol precision
4.876.AKQT7.KQJ8 | P 2N 3S | !P 3N X | sayc two-over-one acol precision
4.876.KQJ8.AKQT7 | P 2N 3S | !P 3N X | sayc two-over-one acol precision
876.4.AKQT7.KQJ8 | P 2N 3H | !P 3N X | sayc two-over-one acol precision
AKQJ..AKQ87.A876 | P 1H P 3D P 3H P | 4N 4D 5N 6N 4C | sayc two-over-one acol precision
.AKQJ.A876.AKQ87 | P 1S P 3C P 3S P | 4N 4C 5N 6N 4D | sayc two-over-one acol precision
AKQ8.AKJ87..A876 | P 1D P 2H P 3D P | !3N P
== a fitting honour takes the invitation in a minor
AQ4.A94.KT84.Q93 | 1N P 3D P | 3N
A93.KQ4.A984.Q83 | 1N P 3D P | 3N | sayc two-over-one
AQ4.A94.Q93.KT84 | 1N P 3C P | 3N | sayc two-over-one
A93.KQ4.Q83.A984 | 1N P 3C P | 3N | sayc two-over-one
KQ4.A943.K84.QJ3 | 1N P 3D P | 3N | sayc two-over-one
QJ43.AQ4.Q84.A93 | 1N P 3D P | 3N | sayc two-over-one
== behind an agreed suit
K74.A93.62.QJ853 | 1S P 2S P 4D P | 4S
Q85.K72.T9.AJ764 | 1H P 2H P 4C P | 4H
KJ72.AQ4.86.AJ53 | 1C P 1H P 2H P 4D P | !P
K74.A93.QJ853.62 | 1S P 2S P 4C P | 4S 4D 4H
K74.93.QJ853.A62 | 1S P 2S P 4H P | 4S
Q853.K72.T9.A764 | 1H P 3H P 4D P | !P
KQ72.AJ42.86.A53 | 1C P 1S P 2S P 4D P | !P
AQ4.KJ72.AJ53.86 | 1D P 1H P 2H P 4C P | !P
A54.K2.KJ7652.53 | 1D P 1S P 2S P 4C P | !P
AJ53.KJ72.A4.Q86 | 1C P 1H P 2H P 3S P | !P
T5.Q3.KJ853.A764 | 1D P 2D P 4C P | !P
T5.Q3.KJ853.A764 | 1D P 3D P 4H P | !P
Q853.K72.T9.A764 | 1H P 2H P 4D P | !P
== a double jump agrees the suit
KQJT86.84.8.AQ84 | 1S P 4C P | 4S | sayc two-over-one acol precision
J73.AQT87.6.AT75 | 1H P 4C P | 4H | sayc two-over-one acol precision
KQJT86.84.AQ84.8 | 1S P 4D P | 4S | sayc two-over-one acol precision
J73.AQT87.AT75.6 | 1H P 4D P | 4H | sayc two-over-one acol precision
AK3.AQT87.6.AJ75 | 1H P 4C P | !P
A73.6.AQT87.KJ75 | 1D P 4C P | !P | sayc two-over-one acol precision
KQJ862.A4.98.A84 | P 1S P 4C P | 4S | sayc two-over-one acol precision
Q9732.A4.983.842 | 1D P 1S P 4C P | !P
A984.Q973.98.842 | 1H P 1S P 4C P | !P
== nobody passes the minor of a two-club opener
8653.972.T84.962 | 2C P 2D P 3D P | !P
86.75.T9842.J962 | 2C P 2D P 3C P | 4C 3D
8653.972.962.T84 | 2C P 2D P 3C P | !P
97654.9762.8.T32 | 2C P 2D P 3D P | !P
8653.97532.T84.2 | 2C P 2D P 3C P | !P
9754.86543.T3.92 | 2C P 2D P 3D P | !P
J965.T8742.32.95 | 2C P 2D P 3C P | !P
== a raise to game wants more than fourteen points and shape
KJ82.7.A4.AQ9853 | 1C P 1S P | 3S
AJ5.KQ92.8.KQ874 | 1C P 1H P | 3H
KJ82.7.AQ9853.A4 | 1D P 1S P | 3S
AJ5.KQ92.KQ874.8 | 1D P 1H P | 3H
7.KJ82.A4.AQ9853 | 1C P 1H P | 3H
KQ92.AQ874.8.KJ5 | 1H P 1S P | 3S
KQ92.A4.8.KQJ874 | 1C P 1S P | 3S
AJ52.KQ92.8.KQ84 | 1C P 1H P | 3H
== who has preempted has told his hand
QJ.94.AQ9876542. | 1C P 1S 4D P 5D P | P | sayc two-over-one acol precision
94..QJ.AQ9876542 | 1D P 1S 4C P 5C P | P
.QJ4.AQJ98765.J3 | 1S P 1N 4D P 5D P | P
94..QJ.AQJ976542 | 1S P 2S 4C P 5C P | P
== a try that is declined
AKJ875.AQ4.K6.53 | 1S P 3S P 4H P 4S P | P
AQ5.KQT974.A6.K2 | 1H P 3H P 3S P 4H P | P
K84.A953.QJ92.76 | 1H P 3H P 3S P | 4H 4D
KQ84.A9.A732.876 | 1S P 3S P 4C P | 4S 4D 4N 4H
K984.QJ.A732.876 | 1S P 3S P 4D P | 4S
Q84.A953.QJ92.76 | 1H P 3H P 4D P | 4H
Q84.K953.Q932.K6 | 1H P 3H P 4C P | 4H
== games that are bid to play
KQ832.K4.A732.64 | 1S P 2H P 3H P 4H P | P
A4.KQ832.KJ4.A64 | 1H P 2C P 2H P 4H P | P
KQ83.A4.K972.A64 | 1D P 1H P 1S P 4S P | P
J84.KQ43.A72.964 | 1S P 2S P 3D P | 4S
AJ843.KQ72.A2.84 | 1S P 1N P 2H P 4H P | P
"""


def _rows() -> list[tuple[str, str, str, str]]:
    found = []
    for line in ROWS.strip().splitlines():
        if line.startswith("=="):
            continue
        hand, auction, right, names = (*line.split(" | "), " ".join(ALL))[:4]
        found += [(name, hand, auction, right) for name in names.split()]
    return found


@pytest.mark.parametrize(("name", "hand", "auction", "right"), _rows())
def test_strength_that_is_told_and_strength_that_is_not(name, hand, auction, right):
    call = format_call(system(name).bid(hand, auction).call)
    if right.startswith("!"):
        assert call not in right[1:].split()
    else:
        assert call in right.split()


GOES_ON = (
    # a fit and a maximum ask for aces behind a control, a minimum goes back
    ("1H P 3H P 3S P", "KQ84.A953.AJ2.76", "4N"),
    ("1H P 3H P 3S P", "Q84.A953.QJ92.76", "4H"),
)


@pytest.mark.parametrize(("auction", "hand", "call"), GOES_ON)
def test_a_try_behind_a_limit_raise_is_answered_by_strength(auction, hand, call):
    assert format_call(system("sayc").bid(hand, auction).call) == call
