"""Tricks that are estimated by what the parts of two hands are worth."""

import numpy as np
import pytest

from bidcascade.bridge import parse_contract, parse_hand
from bidcascade.inference.double_dummy.solved_deals import HELD_OUT, bank_sample
from bidcascade.inference.double_dummy.table_cache import TableCache
from bidcascade.inference.trick_table import (
    NOTRUMP,
    NOTRUMP_WORTH,
    SUIT_WORTH,
    Holdings,
    estimated_scores,
    estimated_tricks,
    notrump_parts,
    suit_parts,
)

BASE = "KJ752.A64.Q3.742", "AQ86.K52.J742.A3"


def tricks(first, second, strain):
    hands = np.array([[parse_hand(first)], [0], [parse_hand(second)], [0]], np.uint64)
    return float(estimated_tricks(hands, strain, 0)[0])


def counted(first, second, strain):
    """Parts of two hands that are there, by name."""
    both = [Holdings.of(np.array([parse_hand(one)], np.uint64)) for one in (first, second)]
    if strain == NOTRUMP:
        found = dict(zip(NOTRUMP_WORTH, notrump_parts(*both)[:, 0].tolist(), strict=True))
    else:
        found = dict(zip(SUIT_WORTH, suit_parts(*both, strain)[:, 0].tolist(), strict=True))
    return {name: count for name, count in found.items() if count}


def test_parts_of_two_hands_are_counted():
    assert counted("KJ752.A64.Q.8742", "AQ86.KQ52.J742.3", 3) == {
        "9 trumps": 1, "ace of trumps": 1, "king of trumps": 1, "queen of trumps": 1,
        "jack of trumps": 1, "ace of another suit": 1, "king of another suit": 1,
        "queen of another suit": 2, "jack of another suit": 1, "singleton": 2,
        "king, queen or jack opposite shortness": 1, "trump more in one hand": 1,
    }  # fmt: skip
    assert counted(*BASE, NOTRUMP) == {
        "both hands": 1, "ace": 3, "king": 2, "queen": 2, "jack": 2,
        "card of the longest suit together": 9, "suit without a stopper": 1,
        "card beyond four of the longest suit": 1, "honour of the longest suit": 3,
        "honour for each card beyond four": 3,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("better", "strain"),
    [
        (("AJ752.A64.Q3.742", BASE[1].replace("AQ86", "KQ86")), None),
        (("KJ752.AK4.Q3.742", BASE[1]), 3),
        (("KJ7542.A64.Q3.74", BASE[1]), 3),
        (("KJ752.A642.Q.742", BASE[1].replace("K52.J742", "K53.K742")), 3),
    ],
)
def test_more_is_worth_more(better, strain):
    if strain is None:
        assert tricks(*better, 3) == pytest.approx(tricks(*BASE, 3)), "the same honours together"
    else:
        assert tricks(*better, strain) > tricks(*BASE, strain)


def test_an_honour_is_worth_less_opposite_shortness():
    useful = tricks("KJ752.A64.3.Q742", "AQ86.K52.7642.K3", 3)
    wasted = tricks("KJ752.A64.3.8742", "AQ86.K52.KQ42.73", 3)
    assert useful > wasted


def test_no_hands_have_no_estimates():
    assert estimated_tricks(np.zeros((4, 0), np.uint64), 3, 0).shape == (0,)
    assert estimated_scores(
        np.zeros((4, 0), np.uint64), parse_contract("4SN"), vulnerable=True
    ).shape == (0,)


@pytest.mark.real_data
def test_deals_that_nothing_was_fitted_to(shared_data):
    """The estimate is off by less than the law of total tricks was (1.03 and 1.08)."""
    deals, tables = bank_sample(HELD_OUT, TableCache(shared_data / "bank" / "tables.bin"))
    assert len(deals) > 900
    off = [
        np.abs(estimated_tricks(deals.hands, strain, seat) - tables[:, 5 * seat + strain]).mean()
        for strain in range(5)
        for seat in range(4)
    ]
    assert np.mean(off[:16]) < 0.9
    assert np.mean(off[16:]) < 1.07
