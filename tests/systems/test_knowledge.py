"""Sets of cells (shape, HCP): exact counts, and bounds of expressions against dealt hands."""

import random
from math import comb, isclose

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import UnknownTerm
from bidcascade.kernels import Context, evaluate_postfix, term_names, term_value
from bidcascade.systems.places.knowledge import (
    EVERYTHING,
    HANDS,
    LENGTHS,
    POSSIBLE,
    Hull,
    bounds,
    hull,
    proportion,
    share,
    share_of,
    term_range,
    to_cells,
    to_flags,
)
from bidcascade.systems.places.one_deal import in_one_deal
from bidcascade.table.language.expressions import parse_expression, to_postfix
from bidcascade.table.language.vocabulary import Vocabulary

GIB = Vocabulary()
CHOOSER = random.Random(7)
HANDS_DEALT = [sum(1 << card for card in CHOOSER.sample(range(52), 13)) for _ in range(1_500)]
ALL_HANDS = 635_013_559_600
SHAPE_OF = {tuple(lengths): shape for shape, lengths in enumerate(LENGTHS.tolist())}


def cell_of(hand: int) -> tuple[int, int]:
    lengths = tuple((hand >> 13 * suit & 0x1FFF).bit_count() for suit in range(4))
    return SHAPE_OF[lengths], term_value("HCP", hand, Context())


CELLS_DEALT = [cell_of(hand) for hand in HANDS_DEALT]


def cells_of(text: str, vocabulary: Vocabulary = GIB) -> tuple[int, int]:
    return bounds(parse_expression(text), vocabulary)


EXPRESSIONS = [
    "HCP >= 15 and HCP <= 17 and Balanced",
    "HCP + SL_S >= 15",
    "Rule_Of_20 >= 20",
    "SL_S > SL_H",
    "Pattern == '4441'",
    "Pattern != '5332' and SL_H * SL_S >= 12",
    "Stopper_S",
    "not Stopper_S",
    "Stopper_S and Stopper_H and not Stopper_C",
    "Stopper_S or Stopper_H",
    "Top3_S >= 2 and SL_S == 6 and not C_SA",
    "Top3_S >= 2 or Top3_S <= 1",
    "Losers <= 7",
    "Losers == 7",
    "Losers != 7",
    "QT >= 2.5 and HCP <= 12",
    "Total_Points - HCP >= 3",
    "Total_Points >= 13 and Losers <= 6 and SL_S >= 5",
    "Keycards_S >= 2 or C_SQ",
    "not (Keycards_S >= 2 or C_SQ)",
    "(Balanced or Stopper_S) and HCP >= 12",
    "Vul_We",
    "Vul_We or HCP >= 10",
    "HCP - 2 * Vul_We >= 5",
    "Seat == 1 and SL_S >= 5",
    "Aces * Kings >= 4",
    "True",
    "False",
    "HCP >= 38",
    "Forcing",
    "Likely_Stop_Stop_In_S",
]


@pytest.mark.parametrize("profile", ["gib", "mlbridge"])
@pytest.mark.parametrize("text", EXPRESSIONS)
def test_bounds_hold_for_dealt_hands(text, profile):
    vocabulary = Vocabulary(profile)
    code = to_postfix(parse_expression(text), vocabulary)
    can, must = (to_flags(cells) for cells in cells_of(text, vocabulary))
    assert not (must & ~can).any()
    for hand, cell in zip(HANDS_DEALT, CELLS_DEALT, strict=True):
        for context in (Context(1, 0, 0), Context(3, 1, 0)):
            holds = bool(evaluate_postfix(code, hand, context, profile=profile))
            assert holds <= can[cell]
            assert must[cell] <= holds


@pytest.mark.parametrize(
    "text",
    [
        "HCP >= 15 and HCP <= 17 and Balanced",
        "Pattern != '5332' and SL_H * SL_S >= 12",
        "SL_H >= 5 or Rule_Of_20 >= 20",
        "Total_Points == Total_Points",
        "Top3_S >= 2 or Top3_S <= 1",
    ],
)
def test_what_shape_and_points_decide_is_exact(text):
    can, must = cells_of(text)
    assert can == must


def test_conjunctions_over_suits_are_exact_in_small_cells():
    # 13 clubs but one: the cell holds few hands, so all of them can be made
    shape = SHAPE_OF[12, 0, 0, 1]
    all_of_cell: dict[int, list[int]] = {}
    for missing in range(13):
        for spade in range(13):
            hand = (0x1FFF ^ 1 << missing) | 1 << spade + 39
            all_of_cell.setdefault(term_value("HCP", hand, Context()), []).append(hand)
    for text in ("Stopper_S and C_CQ", "Top3_C >= 3 or C_S2", "Losers <= 1", "QT >= 3"):
        code = to_postfix(parse_expression(text), GIB)
        can, must = (to_flags(cells) for cells in cells_of(text))
        share_in = proportion(parse_expression(text), GIB)
        for points, hands in all_of_cell.items():
            held = [bool(evaluate_postfix(code, hand, Context())) for hand in hands]
            assert can[shape, points] == any(held), (text, points)
            assert must[shape, points] == all(held), (text, points)
            assert isclose(share_in[shape, points], sum(held) / len(held), abs_tol=1e-9)


def test_exact_totals():
    assert int(HANDS.sum()) == ALL_HANDS
    assert HANDS[:, 0].sum() == comb(36, 13)  # no ace to jack
    assert HANDS[:, 10].sum() == 59_723_754_816
    assert HANDS[LENGTHS[:, 3] == 13].sum() == 1
    assert hull(EVERYTHING) == ((0, 37), ((0, 13),) * 4)
    assert share(EVERYTHING) == 1.0
    balanced = cells_of("Balanced")[0]
    assert round(share(balanced), 6) == 0.476042


@given(st.sets(st.integers(0, POSSIBLE.size - 1), max_size=40))
def test_sets_and_flags_are_the_same_thing(numbers):
    flags = np.zeros(POSSIBLE.size, np.bool_)
    flags[list(numbers)] = True
    flags = flags.reshape(POSSIBLE.shape) & POSSIBLE
    cells = to_cells(flags)
    assert (to_flags(cells) == flags).all()
    assert cells & ~EVERYTHING == 0
    if not cells:
        with pytest.raises(ValueError, match="at least one cell"):
            hull(cells)
        return
    shapes, points = np.nonzero(flags)
    found = hull(cells)
    assert found.points == (points.min(), points.max())
    for suit in range(4):
        cards = LENGTHS[shapes, suit]
        assert found.lengths[suit] == (cards.min(), cards.max())
    for name, suit in (("HCP", None), ("SL_H", 2)):
        expected = found.points if suit is None else found.lengths[suit]
        assert term_range(cells, name, GIB) == expected


def test_ranges_of_all_terms_over_everything_and_over_one_hand():
    hand = HANDS_DEALT[0]
    flags = np.zeros_like(POSSIBLE)
    flags[CELLS_DEALT[0]] = True
    for name in term_names():
        assert term_range(EVERYTHING, name, GIB) == GIB.range(name)
        low, high = term_range(to_cells(flags), name, GIB)
        assert low <= term_value(name, hand, Context()) <= high


def test_range_of_formulas():
    vocabulary = Vocabulary(
        user_terms={"Strength": "HCP + SL_S - 1", "Odd": "HCP * SL_S", "Twice": "2 * -HCP"}
    )
    weak = cells_of("HCP <= 5 and SL_S == 6", vocabulary)[0]
    assert term_range(weak, "Strength", vocabulary) == (5, 10)
    assert term_range(weak, "Twice", vocabulary) == (-10, 0)
    assert term_range(weak, "Odd", vocabulary) == vocabulary.range("Odd")
    assert cells_of("Strength >= 11", vocabulary)[0] & weak == 0
    other = Vocabulary(user_terms={"Strength": "HCP"})
    assert cells_of("Strength >= 11", other) == cells_of("HCP >= 11", other)


@pytest.mark.parametrize(
    "text",
    ["Losers <= 7", "Stopper_S and Stopper_H", "Aces == 0", "QT >= 2.5", "Stopper_S or HCP >= 12",
     "Top3_S >= 2 and Top3_S <= 2", "Total_Points >= 12 and Total_Points <= 14",
     "Losers != 7", "HCP - 2 * Vul_We >= 5"],
)  # fmt: skip
def test_shares_are_those_of_dealt_hands(text):
    code = to_postfix(parse_expression(text), GIB)
    held = sum(
        evaluate_postfix(code, hand, Context(vul_we=number % 2))
        for number, hand in enumerate(HANDS_DEALT)
    )
    assert share_of(parse_expression(text), EVERYTHING, GIB) == pytest.approx(
        held / len(HANDS_DEALT), abs=0.045
    )


def test_shares_of_parts_and_of_nothing():
    notrump = cells_of("HCP >= 15 and HCP <= 17 and Balanced")[1]
    assert round(share(notrump), 4) == 0.0487
    assert round(share_of(parse_expression("SL_S == 5"), notrump, GIB), 3) == pytest.approx(
        share(cells_of("SL_S == 5")[1], notrump), abs=1e-3
    )
    assert share_of(parse_expression("SL_S == 5"), 0, GIB) == 0.0
    assert share(notrump, 0) == 0.0


def test_unknown_terms_are_named():
    with pytest.raises(UnknownTerm, match="did you mean 'HCP'"):
        cells_of("HCPP >= 12")
    with pytest.raises(ValueError, match="for 'HCP', got the empty set"):
        term_range(0, "HCP", GIB)


@given(st.integers(0, 2**32), st.integers(0, 12), st.integers(0, 4))
def test_bounds_in_one_deal_keep_the_deal(seed, points_apart, cards_apart):
    rng = np.random.default_rng(seed)
    deck = rng.permutation(52)
    owner = np.empty(52, np.int64)
    owner[deck] = np.arange(52) // 13
    suits = np.zeros((4, 4), np.int64)
    np.add.at(suits, (owner, np.arange(52) // 13), 1)
    honours = np.maximum(np.arange(52) % 13 - 8, 0)
    points = np.bincount(owner, honours, minlength=4).astype(int)

    def around(value, most, apart):
        low, high = rng.integers(0, apart + 1, 2)
        return max(0, int(value - low)), min(most, int(value + high))

    before = [
        Hull(
            around(points[hand], 37, points_apart),
            tuple(around(length, 13, cards_apart) for length in suits[hand]),
        )
        for hand in range(4)
    ]
    for hand, (one, other) in enumerate(zip(before, in_one_deal(before), strict=True)):
        assert one.points[0] <= other.points[0] <= points[hand] <= other.points[1] <= one.points[1]
        for wide, narrow, length in zip(one.lengths, other.lengths, suits[hand], strict=True):
            assert wide[0] <= narrow[0] <= length <= narrow[1] <= wide[1]


def test_bounds_of_no_deal_stay():
    strong = hull(EVERYTHING)._replace(points=(12, 20))
    assert in_one_deal([strong] * 4)[0].points == (12, 20)
