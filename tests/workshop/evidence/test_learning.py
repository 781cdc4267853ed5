"""Learned bounds and rules against plain Python: fractions, sets and one hand at a time."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidExpression, InvalidInput, parse_calls
from bidcascade.kernels import DealArrays, evaluate_postfix, get_backend, term_value
from bidcascade.table import Row, Vocabulary, build_table, parse_expression, to_postfix
from bidcascade.table.real_calls import find_real_calls
from bidcascade.workshop.evidence.learning import (
    EntrySlots,
    LearningTally,
    Options,
    Thresholds,
    learn,
    read_quantiles,
)
from bidcascade.workshop.evidence.measures import (
    Implications,
    expression_grid,
    make_measures,
    sample_hands,
)
from tests.support.deals import deals_in_turn
from tests.support.examples import examples
from tests.workshop.evidence.support_evidence import call_lists, hand_and_context

VOCABULARY = Vocabulary()
AUCTIONS = [
    parse_calls(text)
    for text in ("P P P P", "1N P P P", "1N P 2C", "1N P 2C P 2D", "1N", "1S", "1S X", "1S P 2S P")
]
LANES = ("HCP", "SL_S", "QT", "Seat")
FLAGS = ("Balanced", "Stopper_C", "Vul_We")
EXPRESSIONS = (
    "HCP >= 12", "HCP >= 15", "HCP <= 10", "9 <= HCP <= 13", "HCP == 11", "SL_S >= 5", "SL_S < 4",
    "not SL_S >= 6", "QT >= 1.5", "Balanced", "SL_S > SL_H", "HCP >= 15 or SL_S >= 6", "Seat == 2",
    "SL_H >= 4", "HCP > 40", "HCP != 10", "2 * HCP >= 21",
)  # fmt: skip


def holds(text, hand, context):
    return bool(evaluate_postfix(to_postfix(parse_expression(text), VOCABULARY), hand, context))


@st.composite
def worlds(draw):
    """Boards with auctions, and a table that may lack some of their calls."""
    auctions = draw(st.lists(st.sampled_from(AUCTIONS), min_size=1, max_size=40))
    known = draw(st.lists(st.sampled_from(AUCTIONS), min_size=1, max_size=6))
    prefixes = sorted({tuple(one[: n + 1]) for one in known for n in range(len(one))})
    table, _ = build_table(Row(bytes(prefix[:-1]), prefix[-1]) for prefix in prefixes)
    return table, deals_in_turn(len(auctions), draw(st.integers(0, 5))), auctions


def hands_by_call(table, deals, auctions):
    """Hands (with context) by (place, call), as far as auctions go in the table."""
    made = {}
    for deal, auction in enumerate(auctions):
        for depth, call in enumerate(auction):
            if depth and table.find(auction[:depth]) is None:
                break
            seat = (int(deals.dealer[deal]) + depth) % 4
            made.setdefault(tuple(auction[: depth + 1]), []).append(
                hand_and_context(deals, deal, seat)
            )
            assert call == auction[depth]
    return made


def quantile_by_definition(values, share):
    """Smallest value such that at least the share of the values is at most that."""
    return min(
        value
        for value in values
        if Fraction(sum(other <= value for other in values), len(values)) >= share
    )


shares = st.integers(0, 1000).map(lambda thousandths: Fraction(thousandths, 1000))


@examples(25)
@given(world=worlds(), minimum=st.integers(1, 4), low=shares, high=shares)
def test_bounds_are_those_of_the_hands(world, minimum, low, high):
    table, deals, auctions = world
    if low >= high:
        low, high = Fraction(1, 10), Fraction(9, 10)
    options = Options(minimum_hands=minimum, quantiles=(low, high), lanes=LANES, flags=FLAGS)
    learned = learn(table, lambda: [(deals, call_lists(auctions))], options)
    made = hands_by_call(table, deals, auctions)
    expected = []
    for auction, hands in made.items():
        entry = table.find(auction)
        if entry is None or len(hands) < minimum:
            continue
        there = sum(len(other) for key, other in made.items() if key[:-1] == auction[:-1])
        row = {"entry": entry, "hands": len(hands), "others": there - len(hands)}
        for lane in LANES:
            values = [term_value(lane, *one) for one in hands]
            scale = VOCABULARY.scale(lane)
            row[f"{lane}_min"] = min(values) / scale
            row[f"{lane}_low"] = quantile_by_definition(values, low) / scale
            row[f"{lane}_high"] = quantile_by_definition(values, high) / scale
            row[f"{lane}_max"] = max(values) / scale
        for flag in FLAGS:
            row[f"{flag}_rate"] = sum(term_value(flag, *one) for one in hands) / len(hands)
        expected.append(row)
    expected.sort(key=lambda row: row["entry"])
    assert learned.bounds.to_dicts() == expected
    counts = learned.to_dict()
    assert counts["boards"] == len(auctions)
    assert counts["calls"] + counts["calls_beyond"] == sum(map(len, auctions))
    assert counts["entries_learned"] == len(expected)


@examples(25)
@given(
    world=worlds(),
    thresholds=st.builds(
        Thresholds,
        others=st.integers(1, 4),
        positive_rate=st.sampled_from([0.5, 0.75, 1.0]),
        negative_rate=st.sampled_from([0.25, 0.5, 1.0]),
        lift=st.sampled_from([0.0, 1.0, 1.25]),
        rules=st.sampled_from([1, 2, 50]),
    ),
)
def test_rules_are_those_of_the_definition(world, thresholds):
    table, deals, auctions = world
    options = Options(
        minimum_hands=2, rules=thresholds, lanes=LANES, flags=FLAGS, expressions=EXPRESSIONS
    )
    learned = learn(table, lambda: [(deals, call_lists(auctions))], options)
    made = hands_by_call(table, deals, auctions)
    measures = options.measures(table)
    implications = Implications(measures)
    expected = []
    for auction in sorted(made, key=lambda one: table.find(one) or 0):
        entry, hands = table.find(auction), made[auction]
        others = [
            hand
            for key, found in made.items()
            if key[:-1] == auction[:-1] and key != auction
            for hand in found
        ]
        if entry is None or len(hands) < 2 or len(others) < thresholds.others:
            continue
        candidates = []
        for number, text in enumerate(measures.expressions):
            positives = sum(holds(text, *one) for one in hands)
            negatives = sum(holds(text, *one) for one in others)
            if not positives:
                continue
            rate = Fraction(positives, len(hands))
            other_rate = Fraction(negatives, len(others))
            lift = rate / Fraction(positives + negatives, len(hands) + len(others))
            if (
                rate >= Fraction(thresholds.positive_rate)
                and other_rate <= Fraction(thresholds.negative_rate)
                and lift >= Fraction(thresholds.lift)
            ):
                candidates.append((-lift, -positives, number, negatives, rate, other_rate))
        kept = []
        for lift, positives, number, negatives, rate, other_rate in sorted(candidates):
            clash = any(
                implications.follows(number, other) or implications.follows(other, number)
                for other in kept
            )
            if len(kept) < thresholds.rules and not clash:
                kept.append(number)
                expected.append(
                    (entry, measures.expressions[number], float(rate), float(other_rate),
                     float(-lift), -positives, negatives, len(hands), len(others))
                )  # fmt: skip
    found = learned.rules.rows()
    assert [row[:2] + row[5:] for row in found] == [row[:2] + row[5:] for row in expected]
    for row, wanted in zip(found, expected, strict=True):
        assert row[2:5] == pytest.approx(wanted[2:5], rel=1e-15)


@examples(15)
@given(world=worlds(), data=st.data())
def test_order_and_pieces_make_no_difference(world, data):
    table, deals, auctions = world
    options = partial(
        Options,
        minimum_hands=1,
        lanes=LANES,
        flags=FLAGS,
        expressions=EXPRESSIONS,
        rules=Thresholds(others=1, positive_rate=0.5, lift=0),
    )
    whole = learn(table, lambda: [(deals, call_lists(auctions))], options())
    order = data.draw(st.permutations(range(len(auctions))))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(auctions)), max_size=4)))
    pieces = []
    for begin, end in zip([0, *cuts], [*cuts, len(auctions)], strict=True):
        some = order[begin:end]
        part = DealArrays(
            np.ascontiguousarray(deals.hands[:, some]),
            deals.dealer[some],
            deals.vulnerability[some],
        )
        pieces.append((part, call_lists([auctions[number] for number in some])))
    # so little memory that every place is a group of its own
    again = learn(table, lambda: pieces, options(memory=1))
    assert again.bounds.equals(whole.bounds)
    assert again.rules.equals(whole.rules)
    assert again.to_dict() == whole.to_dict()


def test_pieces_of_one_chunk_are_cut(monkeypatch):
    monkeypatch.setattr("bidcascade.workshop.evidence.learning.CHUNK", 7)
    table, _ = build_table([{"prior": "", "call": "P"}, {"prior": "P", "call": "P"}])
    boards = [(deals_in_turn(50), call_lists([(0, 0)] * 50))]
    cut = learn(table, lambda: boards)
    monkeypatch.undo()
    assert cut.bounds.equals(learn(table, lambda: boards).bounds)
    assert cut.bounds["hands"].to_list() == [50, 50]


def test_ranges_of_lanes_count_what_bits_count():
    table, _ = build_table([{"prior": "", "call": "P"}, {"prior": "", "call": "1N"}])
    deals = deals_in_turn(300, seed=4)
    auctions = call_lists([(0,) if number % 3 else (7,) for number in range(300)])
    decisions = find_real_calls(table, auctions, deals.dealer)
    slots = EntrySlots(table, np.arange(2), with_others=True)
    expressions = [*EXPRESSIONS, *expression_grid(VOCABULARY)]
    counts = []
    for lanes in ((), (*LANES, "SL_C", "SL_D", "SL_H", "Total_Points")):
        tally = LearningTally(
            make_measures(VOCABULARY, lanes=lanes, expressions=expressions), slots
        )
        tally.add(decisions, deals)
        counts.append(tally.of_expressions(0, len(slots.entry)))
        if lanes:
            # all numbers are read off the lanes
            assert len(tally.measures.bits) < 70
    assert np.array_equal(*counts)
    assert counts[0].max() > 100


@pytest.mark.parametrize("name", ["reference", "cpu"])
def test_backends_learn_the_same(name):
    table, _ = build_table(Row(bytes(one[:1]), one[1]) for one in AUCTIONS if len(one) > 1)
    boards = [(deals_in_turn(40), call_lists(AUCTIONS * 5))]
    options = Options(minimum_hands=3, rules=Thresholds(others=3), expressions=EXPRESSIONS)
    learned = learn(table, lambda: boards, options, backend=get_backend(name))
    known = learn(table, lambda: boards, options)
    assert learned.rules.equals(known.rules)
    assert learned.bounds.equals(known.bounds)


# --- which expression follows from which ----------------------------------------------------------

PAIRS = [
    ("HCP >= 15", "HCP >= 12", True), ("HCP >= 12", "HCP >= 15", False),
    ("HCP == 12", "11 <= HCP <= 14", True), ("Balanced", "SL_C >= 2", True),
    ("Balanced", "SL_C <= 5", True), ("SL_C >= 2", "Balanced", False),
    ("HCP >= 12", "Total_Points >= 12", True), ("Total_Points <= 9", "HCP <= 9", True),
    ("Total_Points >= 12", "HCP >= 12", False), ("Solid_S", "SL_S >= 6", True),
    ("Two_Stoppers_H", "Stopper_H", True), ("Stopper_H", "Stopper_S", False),
    ("Rebiddable_D", "Biddable_D", True), ("SL_S >= 7", "SL_H <= 6", True),
    ("SL_S > SL_H and SL_H >= 5", "SL_S >= 6", True), ("HCP >= 37", "Aces == 4", True),
    ("Seat == 1", "Seat <= 2", True), ("Seat == 1", "HCP >= 1", False),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other", "follows"), PAIRS)
def test_what_follows(one, other, follows):
    measures = make_measures(VOCABULARY, expressions=[one, other])
    assert Implications(measures).follows(0, 1) is follows


def test_the_sample_has_every_shape_and_every_holding():
    hands = sample_hands().reshape(-1)
    assert set(np.bitwise_count(hands).tolist()) == {13}
    shapes = set()
    for suit in range(4):
        holdings = (hands >> np.uint64(13 * suit)) & np.uint64(0x1FFF)
        assert len(np.unique(holdings)) == 1 << 13
        shapes.add(tuple(np.bitwise_count(holdings).tolist()))
    assert len(set(zip(*shapes, strict=True))) == 560


@pytest.mark.slow
def test_follows_is_true_of_other_hands():
    texts = [text for pair in PAIRS for text in pair[:2]]
    measures = make_measures(VOCABULARY, expressions=texts)
    implications = Implications(measures)
    deals = deals_in_turn(400, seed=77)
    hands = [hand_and_context(deals, deal, seat) for deal in range(len(deals)) for seat in range(4)]
    truth = {
        number: np.array([holds(text, *one) for one in hands])
        for number, text in enumerate(measures.expressions)
    }
    proved = 0
    for one in truth:
        for other in truth:
            if one != other and implications.follows(one, other):
                proved += 1
                assert not (truth[one] & ~truth[other]).any(), (one, other)
    assert proved >= 12


# --- edges ----------------------------------------------------------------------------------------


def test_nothing_learned_has_the_columns_all_the_same():
    table, _ = build_table([{"prior": "", "call": "1N"}])
    for boards in ([], [(deals_in_turn(3), call_lists([(7,)] * 3))]):
        learned = learn(table, lambda boards=boards: boards, Options(rules=Thresholds()))
        assert learned.bounds.height == learned.rules.height == 0
        assert learned.bounds.columns[:4] == ["entry", "hands", "others", "HCP_min"]
        assert learned.on(table).extras == ("learned_bounds", "learned_rules")


def test_the_only_call_of_a_place_has_bounds_and_no_rules():
    table, _ = build_table([{"prior": "", "call": "P", "criteria": ["HCP <= 37"]}])
    boards = [(deals_in_turn(30), call_lists([(0,)] * 30))]
    learned = learn(table, lambda: boards, Options(rules=Thresholds(), grid=True))
    assert learned.bounds.height == 1
    assert learned.rules.height == 0


def test_user_terms_are_lanes_and_tags_are_no_rules():
    table, _ = build_table(
        [{"prior": "", "call": "P", "criteria": ["Forcing_To_2N", "Majors >= 9"]}],
        user_terms={"Majors": "SL_S + SL_H"},
    )
    boards = [(deals_in_turn(30), call_lists([(0,)] * 30))]
    options = Options(lanes=["Majors"], flags=[], rules=Thresholds())
    learned = learn(table, lambda: boards, options)
    assert options.measures(table).expressions == ("Majors >= 9",)
    deals = boards[0][0]
    majors = [
        (int(deals.hands[number % 4, number]) >> 26).bit_count() for number in range(len(deals))
    ]
    assert learned.bounds["Majors_min"].item() == min(majors)
    assert learned.bounds["Majors_max"].item() == max(majors)


@pytest.mark.parametrize(
    "quantiles",
    [("x", 1), (0.5, 0.5), (0.9, 0.1), (-0.1, 0.5), (0, 1.5), ("1/0", 1), (0.12345678, 1)],
)
def test_what_is_no_quantile_is_refused(quantiles):
    with pytest.raises(InvalidInput, match="quantile"):
        read_quantiles(*quantiles)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"lanes": ["Pattern"]}, "at most 256 values"), ({"lanes": ["Balanced"]}, "as a lane"),
        ({"flags": ["HCP"]}, "truth value as a flag"), ({"flags": ["HCq"]}, "unknown term"),
    ],
)  # fmt: skip
def test_what_cannot_be_measured_is_refused(options, complaint):
    with pytest.raises(InvalidExpression, match=complaint):
        make_measures(VOCABULARY, **options)


@pytest.mark.parametrize(
    "options",
    [{"lift": -1}, {"others": 0}, {"rules": 0}, {"negative_rate": 2}, {"lift": float("nan")}],
)
def test_thresholds_out_of_range_are_refused(options):
    with pytest.raises(InvalidInput):
        Thresholds(**options)
