"""Thirty scripts against what the manual says of their words, counted exactly in another way.

Here a hand is counted suit by suit: how many holdings there are of each length with each number of
points or losers, put together by multiplication. Several hands are counted by choices of cards.
"""

from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import combinations
from math import comb, sqrt

import pytest

from bidcascade.inference.scenarios.evaluation import Evaluation
from bidcascade.inference.scenarios.producing import produce
from bidcascade.inference.scenarios.script_reader import parse_script
from bidcascade.inference.scenarios.script_tree import Average
from tests.support.examples import sized

DEALS = sized(150_000, 2_000_000)
HANDS = comb(52, 13)
RANKS = "AKQJT98765432"
POINTS = dict(zip("AKQJ", (4, 3, 2, 1), strict=True))
Lengths = tuple[int, int, int, int]


def points(holding: str) -> int:
    return sum(POINTS.get(rank, 0) for rank in holding)


def losers(holding: str) -> int:
    return sum(rank not in holding for rank in "AKQ"[: len(holding)])


def controls(holding: str) -> int:
    return 2 * ("A" in holding) + ("K" in holding)


@cache
def suit_counts(measure: Callable[[str], int]) -> list[Counter[int]]:
    """How many holdings of each length have each value."""
    found = [Counter[int]() for _ in range(14)]
    for length in range(14):
        for holding in combinations(RANKS, length):
            found[length][measure("".join(holding))] += 1
    return found


def share(fits: Callable[[Lengths, int], bool], measure: Callable[[str], int] = points) -> float:
    """Share of hands whose lengths (spades first) and value fit."""
    by_length = suit_counts(measure)
    total = 0
    for spades in range(14):
        for hearts in range(14 - spades):
            for diamonds in range(14 - spades - hearts):
                lengths = (spades, hearts, diamonds, 13 - spades - hearts - diamonds)
                sums = Counter({0: 1})
                for length in lengths:
                    more = Counter[int]()
                    for value, ways in sums.items():
                        for added, own in by_length[length].items():
                            more[value + added] += ways * own
                    sums = more
                total += sum(ways for value, ways in sums.items() if fits(lengths, value))
    return total / HANDS


def shape(*patterns: str) -> Callable[[Lengths], bool]:
    wanted = {tuple(sorted(map(int, one))) for one in patterns}
    return lambda lengths: tuple(sorted(lengths)) in wanted


def held(cards: int, of: int, hands: int = 1) -> float:
    """Share of deals where so many hands hold exactly so many of some cards."""
    size = 13 * hands
    return comb(of, cards) * comb(52 - of, size - cards) / comb(52, size)


BALANCED = shape("4333", "4432", "5332")
ANY_BALANCED = "any 4333 + any 4432 + any 5332"

CASES: dict[str, tuple[str, Callable[[], float]]] = {
    "strong notrump": (
        f"shape(north, {ANY_BALANCED}) && hcp(north) >= 15 && hcp(north) <= 17",
        lambda: share(lambda lengths, value: BALANCED(lengths) and 15 <= value <= 17),
    ),
    "weak notrump without a major": (
        f"shape(north, {ANY_BALANCED} - 5xxx - x5xx) and hcp(north) >= 12 and hcp(north) <= 14",
        lambda: share(
            lambda lengths, value: BALANCED(lengths) and max(lengths[:2]) < 5 and 12 <= value <= 14
        ),
    ),
    "flat": ("shape(east, any 4333)", lambda: 0.105361),
    "4432 in any order": ("shape(east, any 4432)", lambda: 0.215512),
    "in one order": (
        "shape(south, 5431)",
        lambda: share(lambda lengths, _: lengths == (5, 4, 3, 1)),
    ),
    "both majors": (
        "shape(south, 54xx + 45xx + 55xx)",
        lambda: share(lambda lengths, _: lengths[:2] in ((5, 4), (4, 5), (5, 5))),
    ),
    "a void somewhere": (
        "shape(west, any 0xxx)",
        lambda: share(lambda lengths, _: 0 in lengths),
    ),
    "none longer than five": (
        "shape(west, xxxx - any 6xxx - any 7xxx - any 8xxx) && spades(west) < 9 && hearts(west) < 9"
        " && diamonds(west) < 9 && clubs(west) < 9",
        lambda: share(lambda lengths, _: max(lengths) <= 5),
    ),
    "weak two": (
        "spades(north) == 6 && hcp(north) >= 5 && hcp(north) <= 10",
        lambda: share(lambda lengths, value: lengths[0] == 6 and 5 <= value <= 10),
    ),
    "no honour card": (
        "hcp(north) == 0 && tens(north) == 0",
        lambda: comb(32, 13) / HANDS,
    ),
    "twenty or more": ("hcp(west) > 19", lambda: share(lambda _, value: value > 19)),
    "points by another count": (
        "pointcount 1 1 1 1 1 condition hcp(north) == 5",
        lambda: held(5, 20),
    ),
    "a count of one's own": (
        "altcount 3 0 0 0 0 0 0 0 0 0 0 1 1 1 "
        "condition pt3(north) >= 4 and kings(north) == pt3(north)",
        lambda: sum(held(cards, 12) for cards in range(4, 13)),
    ),
    "seven losers": (
        "losers(south) == 7",
        lambda: share(lambda _, value: value == 7, losers),
    ),
    "few losers": (
        "loser(south) <= 4",
        lambda: share(lambda _, value: value <= 4, losers),
    ),
    "controls": (
        "control(north) >= 6",
        lambda: share(lambda _, value: value >= 6, controls),
    ),
    "two aces": ("aces(east) == 2", lambda: held(2, 4)),
    "top honours of a suit": ("top3(east, hearts) == 2", lambda: held(2, 3)),
    "c13": (
        "c13(north) == 13 && aces(north) == 1 && kings(north) == 1 && queens(north) == 1"
        " && jacks(north) == 1",
        lambda: 4**4 * comb(36, 9) / HANDS,
    ),
    "one card": ("hascard(west, QH)", lambda: 1 / 4),
    "two cards in one hand": ("hascard(west, QH) and hascard(west, TC)", lambda: 13 * 12 / 52 / 51),
    "a fit of eight": (
        "spades(north) + spades(south) == 8",
        lambda: held(8, 13, hands=2),
    ),
    "points together": (
        "hascard(north, AS) + hascard(south, AS) + hascard(north, AH) + hascard(south, AH) == 2",
        lambda: held(2, 2, hands=2),
    ),
    "all aces on one side": (
        "aces(north) + aces(south) == 4 || aces(east) + aces(west) == 4",
        lambda: 2 * held(4, 4, hands=2),
    ),
    "not, and the ternary": (
        "!(spades(north) > hearts(north) ? spades(north) > 4 : hearts(north) > 4)",
        lambda: share(lambda lengths, _: max(lengths[:2]) <= 4),
    ),
    "arithmetic": (
        "spades(north) / 2 == 2 && spades(north) % 2 == 1",
        lambda: held(5, 13),
    ),
    "negative numbers": (
        "-1 * spades(north) + 3 < -2 - 1",
        lambda: sum(held(cards, 13) for cards in range(7, 14)),
    ),
    "three to two": (
        "predeal north SAKQJ, HAK, DAK, CAKQJT south ST987, H234, D234, C234 "
        "condition spades(east) == 2 || spades(east) == 3",
        lambda: 2 * comb(5, 2) * comb(21, 11) / comb(26, 13),
    ),
    "a length dealt before": (
        "predeal spades(north) == 6 condition spades(south) == 3",
        lambda: comb(7, 3) * comb(32, 10) / comb(39, 13),
    ),
    "a queen that falls": (
        "predeal north HAK432, SAK2, DAK2, C32 south HJT65, SQ3, DQ43, CAKQ4 "
        "condition hascard(east, QH) && hearts(east) <= 2 "
        "|| hascard(west, QH) && hearts(west) <= 2",
        # singleton or doubleton queen with either
        lambda: 2 * (comb(22, 12) + 3 * comb(22, 11)) / comb(26, 13),
    ),
}  # fmt: skip


def test_there_are_thirty():
    assert len(CASES) == 30


@pytest.mark.parametrize("name", CASES)
def test_share_is_that_of_exact_counting(name):
    text, exact = CASES[name]
    expected = exact()
    found = produce(parse_script(f"{text}\ngenerate {DEALS} action average 1"), seed=7)
    assert not found.is_drawn
    error = sqrt(expected * (1 - expected) / found.generated)
    assert found.hands.shape[1] / found.generated == pytest.approx(expected, abs=4 * error)


def test_published_shares():
    """Shares that every table of probabilities has."""
    assert share(lambda lengths, _: shape("4333")(lengths)) == pytest.approx(0.105361, abs=1e-6)
    assert share(lambda lengths, _: shape("4432")(lengths)) == pytest.approx(0.215512, abs=1e-6)
    assert share(lambda lengths, _: shape("5332")(lengths)) == pytest.approx(0.155168, abs=1e-6)
    assert share(lambda _, value: value == 10) == pytest.approx(0.0940511, abs=1e-6)


@pytest.mark.parametrize(
    ("condition", "value", "expected", "deviation"),
    [
        ("1", "hcp(north)", 10, 4.13),
        ("1", "losers(north)", 7.05, 1.6),
        ("hcp(north) == 20", "hcp(south)", 20 / 3, 3.5),
        ("spades(north) == 5", "spades(south)", 8 / 3, 1.3),
    ],
)
def test_averages(condition, value, expected, deviation):
    script = parse_script(f"generate {DEALS} condition {condition} action average {value}")
    found = produce(script, seed=3)
    (action,) = script.actions
    assert isinstance(action, Average)
    mean = Evaluation(script).values(action.value, found.hands).mean()
    if value.startswith("losers"):
        expected = sum(
            number * share(lambda _, one, number=number: one == number, losers)
            for number in range(13)
        )
    assert mean == pytest.approx(expected, abs=4 * deviation / sqrt(found.hands.shape[1]))
