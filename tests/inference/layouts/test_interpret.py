"""What auctions show: by the system, over layouts, and the calls that may come next."""

import json
import os
import subprocess
import sys
from collections import Counter
from typing import Any

import numpy as np
import pytest

from bidcascade.bridge import Seat, format_call, format_hand, parse_calls, parse_hand
from bidcascade.inference import interpret, sample_layouts
from bidcascade.inference.hand_pictures import picture_of
from bidcascade.kernels.dealing import deal_hands
from bidcascade.systems import System, open_system
from bidcascade.systems.places.choice import choose
from bidcascade.systems.places.turn_context import context_at
from bidcascade.table import build_table

LEADER = "QJ98.54.K732.T65"


@pytest.fixture(scope="module")
def sayc():
    return open_system("sayc")


def test_pictures_are_counts_over_layouts():
    hands = deal_hands(3, 0, 400)[1]
    weights = np.random.default_rng(1).random(400)
    picture = picture_of(hands, weights, agreed="H")
    share = weights / weights.sum()
    texts = [format_hand(hand) for hand in hands.tolist()]
    points = [sum(" JQKA".find(rank) for rank in text if rank in "JQKA") for text in texts]
    assert picture.mean_points == pytest.approx(share @ points)
    assert picture.points_range == (min(points), max(points))
    for value in range(38):
        assert picture.points[value] == pytest.approx(share[np.array(points) == value].sum())
    spades = np.array([len(text.split(".")[0]) for text in texts])
    assert picture.lengths["S"][4] == pytest.approx(share[spades == 4].sum())
    held = np.array(["A" in text.split(".")[1] for text in texts])
    assert picture.cards["HA"] == picture.honours["H"]["A"] == pytest.approx(share[held].sum())
    keycards = [text.count("A") + ("K" in text.split(".")[1]) for text in texts]
    assert picture.keycards == pytest.approx(
        [share[np.array(keycards) == count].sum() for count in range(6)]
    )
    assert sum(picture.points) == pytest.approx(1)
    assert all(sum(one) == pytest.approx(1) for one in picture.lengths.values())
    assert sum(picture.cards.values()) == pytest.approx(13)


PRINT_PICTURES = """
import numpy as np
from bidcascade.inference.hand_pictures import picture_of
from bidcascade.inference.weighted import margins, weighted_mean
from bidcascade.kernels.dealing import deal_hands
rng = np.random.default_rng(2)
for seed in range(20):
    hands = deal_hands(20, seed, 200)[1]
    weights, values = rng.random(200), rng.random((200, 7))
    found = picture_of(hands, weights)
    print(found.mean_points, found.mean_lengths, found.cards, found.stoppers)
    print(weighted_mean(values, weights).tolist(), margins(values, weights).tolist())
"""


def test_pictures_are_the_same_on_all_processors():
    """OpenBLAS, which numpy multiplies matrices with, adds in an order of each processor."""
    printed = {
        subprocess.check_output(
            [sys.executable, "-c", PRINT_PICTURES],
            env=os.environ | {"OPENBLAS_CORETYPE": kind},
            text=True,
        )
        for kind in ("Nehalem", "Haswell")
    }
    assert len(printed) == 1


def test_next_calls_are_those_that_the_system_makes(sayc):
    calls = tuple(parse_calls("1N P 2C P 2H P"))
    found = interpret(sayc, calls, layouts=80, seed=4)
    layouts = sample_layouts(sayc, calls, count=80, seed=4)
    place = sayc.expand(calls)
    context = context_at(len(calls), "N", "None")
    made = Counter(
        format_call(choose(place, int(hand), context, sayc.vocabulary).call)
        for hand in layouts.hands[2]
    )
    assert (layouts.weights == 1).all()
    chances = {one.call: one.chance for one in found.next_calls if one.chance}
    assert chances == pytest.approx({call: count / 80 for call, count in made.items()})
    assert found.next_player == "S"


def test_what_is_shown_and_what_is_known(sayc):
    found = interpret(sayc, "1S P 3S P", known={Seat.EAST: LEADER}, layouts=100, dealer="N")
    assert found.known == ("E",)
    assert found.agreed == ("S", None)
    assert found.shown["N"].points[0] == 12
    assert found.shown["N"].lengths["S"][0] == 5
    assert found.shown["N"].calls[0].startswith("1S Five-card major")
    assert found.hands["N"].length_ranges["S"][0] >= 5
    assert found.hands["E"].cards["SQ"] == pytest.approx(1)
    assert found.hands["W"].cards["SQ"] == 0
    assert found.hands["E"].keycards is None


def test_seats_turn_with_the_dealer(sayc):
    found = interpret(sayc, "P 1S P 3S", layouts=50, dealer="N")
    assert found.agreed == (None, "S")
    assert found.shown["E"].lengths["S"][0] == 5
    assert found.next_player == "N"


def test_finished_auction_has_no_next_call(sayc):
    found = interpret(sayc, "1N P 3N P P P", layouts=50)
    assert found.next_player is None
    assert found.next_calls == ()


def test_nothing_called_yet(sayc):
    found = interpret(sayc, "", layouts=300)
    assert found.next_player == "N"
    assert {one.call for one in found.next_calls[:4]} >= {"P", "1C"}
    assert sum(one.chance for one in found.next_calls) == pytest.approx(1)


def test_two_systems():
    strong = System.parse("opening:\n  1NT = Strong: 15-17 points, balanced\n")
    weak = System.parse("opening:\n  1NT = Weak: 12-14 points, balanced\n")
    found = interpret(strong, "P 1N", layouts=50, opponents=weak)
    assert found.shown["E"].points == (12, 14)
    assert found.hands["E"].points_range[1] <= 14


def test_plain_table():
    table, _ = build_table(
        [
            {"prior": "", "call": "1N", "name": "Strong", "criteria": ["15 <= HCP <= 17"]},
            {"prior": "1N", "call": "P"},
            {"prior": "1N P", "call": "3N", "name": "Game", "criteria": ["HCP >= 9"]},
        ],
        undescribed="allow",
    )
    found = interpret(table, "1N P", layouts=100)
    assert found.explanation.calls == ()
    assert found.shown["N"].points == (15, 17)
    assert found.shown["N"].calls == ("1N Strong",)
    assert {one.call for one in found.next_calls} == {"3N", "P"}


@pytest.mark.real_data
def test_interpretations_hold(shared_data, sayc):
    """Bounds that older engines' own tests ask of a call's meaning, by what `interpret` shows."""
    outcome: Counter[str] = Counter()
    for line in (shared_data / "sayc" / "interpretations.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        checks = _asserted(sayc, row["assert"], " ".join(row["auction"]))
        if checks:
            outcome["asked"] += 1
            outcome["right"] += all(checks)
            outcome["older"] += row["z3b"] is True
    assert outcome["asked"] >= 10
    assert outcome["right"] >= outcome["older"]


def _asserted(sayc: System, wanted: dict[str, Any], auction: str) -> list[bool]:
    keys = {"points", "min_points", "max_points", "min_len", "not_min_len", "balanced"}
    if not keys & set(wanted):
        return []
    found = interpret(sayc, auction, layouts=5, seed=1)
    shown = found.shown["NESW"[(len(parse_calls(auction)) - 1) % 4]]
    points, lengths = shown.points, shown.lengths
    tests = {
        "points": lambda value: list(points) == value,
        "min_points": lambda value: points[0] == value,
        "max_points": lambda value: points[1] == value,
        "min_len": lambda value: all(lengths[s][0] == n for s, n in value.items()),
        "not_min_len": lambda value: all(lengths[s][0] < n for s, n in value.items()),
        "balanced": lambda value: all(low >= 2 for low, _ in lengths.values()) is value,
    }
    return [tests[key](value) for key, value in wanted.items() if key in tests]


def test_known_hands_may_overlap_with_nothing(sayc):
    with pytest.raises(ValueError, match="in W and in another"):
        interpret(sayc, "1N", known={Seat.EAST: LEADER, Seat.WEST: parse_hand(LEADER)})


def test_what_other_hands_hold_is_not_shown(sayc):
    """North has 15 points, South 8 or 9, East at most 16: West has what is left of 40."""
    found = interpret(sayc, "1N P 2C P 2D P 2N P P P", layouts=200)
    assert found.shown["W"].points == (0, 17)
    assert "at most 17 points" in found.explanation.calls[7].sentence
    # West's pass over two clubs came when South could still have nothing
    assert "at most 22 points" in found.explanation.calls[3].sentence
    for seat, hand in found.hands.items():
        shown = found.shown[seat]
        assert shown.points[0] <= hand.points_range[0] <= hand.points_range[1] <= shown.points[1]
        for suit, (least, most) in hand.length_ranges.items():
            assert shown.lengths[suit][0] <= least <= most <= shown.lengths[suit][1]
