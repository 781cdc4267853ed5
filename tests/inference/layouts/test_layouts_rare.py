"""Rare deals: counted against brute force and formulas, and each as likely as any other."""

from collections import Counter
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import FULL_DECK, NoSuchDeal, Seat, Vulnerability, parse_hand
from bidcascade.inference import Constraints, deal_where, sample_layouts
from bidcascade.inference.layouts.counting import (
    CountedDeals,
    TooManyStates,
    below,
    counted_within,
    words,
)
from bidcascade.inference.layouts.deal_constraints import (
    OfHand,
    OfHolding,
    Predicate,
    Tabled,
    Total,
)
from bidcascade.inference.layouts.known import known_by_seat
from bidcascade.inference.layouts.searching import (
    PILOT,
    Attempt,
    LayoutQuestion,
    LayoutSearch,
    SearchLimits,
)
from bidcascade.kernels import get_backend
from bidcascade.systems import open_system
from tests.inference.layouts.support_layouts import all_layouts, allowed_table, lengths, points
from tests.support.examples import examples, rows_in_check, some_in_check

# hearts and spades: honours and small ones, so that points and lengths both matter
CARDS = tuple([26 + rank for rank in (0, 1, 9, 11, 12)] + [39 + rank for rank in (0, 10, 11, 12)])
DECK = sum(1 << card for card in CARDS)
SIZES = (3, 3, 0, 3)
LAYOUTS = list(all_layouts(DECK, SIZES))


def attempt_of(*where, known=None):
    return Attempt(
        LayoutQuestion(
            known_by_seat(known or {}),
            Constraints(where),
            Seat.NORTH,
            Vulnerability.NONE,
            get_backend("cpu"),
            1,
        )
    )


def dealt(*where, count=100, seed=1, **options):
    parts = [hands for hands, _ in deal_where(where, count=count, seed=seed, **options)]
    return np.concatenate(parts, axis=1)


def spread(counts, expected):
    """Chi-square of counts against expected numbers, in standard deviations."""
    statistic = float(((np.asarray(counts) - expected) ** 2 / expected).sum())
    free = len(counts) - 1
    return (statistic - free) / np.sqrt(2 * free)


# --- counted and drawn ----------------------------------------------------------------------------


def meets(layout, one):
    """Whether a layout of the small deck meets what is asked, card by card."""
    if isinstance(one, OfHand):
        hand = layout[one.seat]
        return bool(int(one.allowed[np.dot(lengths(hand)[:3], (1, 14, 196))]) >> points(hand) & 1)
    if isinstance(one, Tabled):
        total = sum(
            int(
                part.values[
                    sum(int(part.codes[card]) for card in CARDS if layout[part.seat] >> card & 1)
                ]
            )
            for part in one.holdings
        )
        return one.low <= total <= one.high
    sums = one.sums if isinstance(one, Predicate) else [one.weights]
    values = [
        sum(
            int(weights[card, seat])
            for seat in range(4)
            for card in range(52)
            if layout[seat] >> card & 1
        )
        for weights in sums
    ]
    if isinstance(one, Predicate):
        return bool(one.holds(np.array(values)[:, np.newaxis])[0])
    return one.low <= values[0] <= one.high


@st.composite
def weights(draw):
    found = np.zeros((52, 4), np.int64)
    for seat in draw(st.sets(st.sampled_from((0, 1, 3)), min_size=1)):
        kind = draw(st.sampled_from(("points", "spades", "cards", "any")))
        for card in CARDS:
            found[card, seat] = (
                {"points": max(0, card % 13 - 8), "spades": card >= 39, "cards": 1}.get(kind)
                if kind != "any"
                else draw(st.integers(-2, 2))
            )
    return found


def holding(draw, seat, suit):
    """Tell the ace and king of a suit apart, and its length."""
    codes = np.zeros(52, np.int64)
    codes[13 * suit : 13 * suit + 13] = 4
    codes[13 * suit + 11 : 13 * suit + 13] += (1, 2)
    values = draw(st.lists(st.integers(-1, 3), min_size=24, max_size=24))
    return OfHolding(seat, suit, codes, np.array(values, np.int64))


@st.composite
def asked(draw):
    kind = draw(st.sampled_from(("total", "hand", "test", "tabled")))
    if kind == "tabled":
        places = st.tuples(st.sampled_from((0, 1, 3)), st.sampled_from((2, 3)))
        return Tabled(
            [holding(draw, *place) for place in sorted(draw(st.sets(places, min_size=1)))],
            draw(st.integers(-2, 3)),
            draw(st.integers(2, 6)),
        )
    if kind == "total":
        low = draw(st.integers(-4, 8))
        return Total(draw(weights()), low, low + draw(st.integers(0, 6)))
    if kind == "test":
        size = draw(st.integers(1, 12))
        return Predicate(
            [draw(weights()), draw(weights())], lambda sums: sums[0] * sums[1] % size == 0
        )
    fits = {
        "points": lambda shape, value: value % 3 != 1,
        "shape": lambda shape, value: shape[2] != 1,
        "both": lambda shape, value: value + shape[3] >= 5,
        "bounds": lambda shape, value: value <= 9 and shape[3] <= 2,
    }[draw(st.sampled_from(("points", "shape", "both", "bounds")))]
    return OfHand(draw(st.sampled_from((0, 1, 3))), allowed_table(3, fits))


@examples(25, 100)
@given(st.lists(asked(), max_size=3), st.tuples(*(st.sampled_from((0, 1 << 26, 1 << 51)),) * 4))
def test_as_many_as_there_are(conditions, denied):
    allowed = [DECK & ~one for one in denied]
    fitting = [
        one
        for one in LAYOUTS
        if not any(hand & no for hand, no in zip(one, denied, strict=True))
        and all(meets(one, condition) for condition in conditions)
    ]
    counted = CountedDeals(allowed, conditions, SIZES)
    assert counted.total == len(fitting)
    if fitting:
        drawn = counted.draw(seed=1, numbers=range(20))
        assert set(zip(*drawn.tolist(), strict=True)) <= set(fitting)


def test_every_deal_is_as_likely_as_any_other():
    points_and_spades = allowed_table(3, lambda shape, value: value + shape[3] >= 6)
    aces = np.zeros((52, 4), np.int64)
    aces[[38, 51], :2] = 1
    conditions = [OfHand(0, points_and_spades), Total(aces, 1, 1)]
    fitting = [one for one in LAYOUTS if all(meets(one, other) for other in conditions)]
    drawn = CountedDeals([DECK] * 4, conditions, SIZES).draw(seed=7, numbers=range(40_000))
    counts = Counter(zip(*drawn.tolist(), strict=True))
    assert set(counts) == set(fitting)
    assert abs(spread([counts[one] for one in fitting], 40_000 / len(fitting))) < 5


def test_a_deal_is_the_same_however_it_is_asked_for():
    counted = CountedDeals([FULL_DECK] * 4, [Total(np.eye(52, 4, dtype=np.int64), 1, 1)])
    whole = counted.draw(seed=3, numbers=range(20))
    assert (counted.draw(seed=3, numbers=[7, 4]) == whole[:, [7, 4]]).all()
    assert (counted.draw(seed=4, numbers=range(20)) != whole).any()
    with pytest.raises(ValueError, match="some deal meets"):
        CountedDeals([FULL_DECK] * 4, [Total(np.ones((52, 4), np.int64), 51, 51)]).draw(
            seed=1, numbers=[0]
        )


@given(st.integers(1, 1 << 200), st.integers(0, 1 << 40))
def test_numbers_below_any_limit(limit, number):
    stream = words(5, number)
    assert all(0 <= below(stream, limit) < limit for _ in range(5))


def test_numbers_below_are_uniform():
    stream = words(6, 0)
    counts = Counter(below(stream, 12) for _ in range(12_000))
    assert abs(spread([counts[one] for one in range(12)], 1000)) < 5


def test_what_takes_too_many_states_is_left_aside():
    spots = np.zeros((52, 4), np.int64)
    spots[np.arange(52), 0] = np.arange(52) ** 2
    spades = np.zeros((52, 4), np.int64)
    spades[39:, 0] = 1
    conditions = [Total(spades, 12, 13), Total(spots, 0, 30_000)]
    with pytest.raises(TooManyStates):
        CountedDeals([FULL_DECK] * 4, conditions, budget=1000)
    found = counted_within([FULL_DECK] * 4, conditions, 1000)
    assert [one.low for one in found.constraints] == [12]


# --- conditions on whole deals --------------------------------------------------------------------

EVERY_WAY = comb(52, 13) * comb(39, 13) * comb(26, 13)


@pytest.mark.parametrize(
    ("where", "total"),
    [
        ("HCP_N + HCP_S <= 40", EVERY_WAY),
        ("SL_N_S == 13 and SL_E_H == 13", comb(26, 13)),
        ("SL_N_S == 7 and SL_N_H == 6 and SL_S_C == 6 and SL_S_D == 7",
         comb(13, 7) ** 2 * comb(13, 6) ** 2 * comb(26, 13)),
        ("HCP_N + HCP_S == 40", comb(36, 10) * comb(26, 13) ** 2),
        ("Aces_N == 4 and Kings_S == 4", comb(44, 9) * comb(35, 9) * comb(26, 13)),
        ("C_N_SA and not C_E_SK and Aces_N == 1 and HCP_N == 4",
         comb(36, 12) * (comb(39, 13) - comb(38, 12)) * comb(26, 13)),
        ("SL_N_S * SL_S_S == 42",
         2 * comb(13, 6) * comb(39, 7) * comb(32, 6) * comb(26, 13)),
        ("HCP_N + HCP_E + HCP_S + HCP_W != 40", 0),
        # no ace or king, whatever stands with them; the queen alone is no quick trick
        ("QT_N <= 0 and SL_N_S == 13", 0),
        ("QT_N == 0 and SL_N_S == 6 and SL_N_H == 7",
         comb(11, 6) * comb(11, 7) * comb(39, 13) * comb(26, 13)),
    ],
)  # fmt: skip
def test_counts_that_can_be_worked_out(where, total):
    assert attempt_of(where).rare.total == total


@pytest.mark.parametrize(
    "where",
    some_in_check(
        range(0, 10, 3),
        ["SL_N_S == 13 and SL_E_H == 13"],
        ["HCP_N >= 31"],
        ["Pattern_N == '7600'", "Pattern_S == '7600'"],
        ["HCP_N >= 24 and HCP_E >= 12 and SL_S_S >= 7"],
        ["(Balanced_N and HCP_N >= 27) or (Balanced_S and HCP_S >= 27)"],
        ["not (HCP_N < 30 and HCP_E < 30)"],
        ["Losers_N <= 1 and HCP_S >= 17"],
        ["Losers_N <= 0 and Losers_S <= 2"],
        ["SL_N_S * SL_S_S == 42 and SL_N_H * SL_S_H == 42"],
        ["Top5_N_S == 5 and Top5_E_H == 5 and Top5_S_D == 5 and Top5_W_C == 5"],
    ),
)
def test_rare_deals_meet_their_condition(where):
    hands = dealt(*where, count=40)
    assert hands.shape == (4, 40)
    assert (np.bitwise_count(hands) == 13).all()
    assert (np.bitwise_or.reduce(hands) == np.uint64(FULL_DECK)).all()
    attempt = attempt_of(*where)
    proposed = (
        LayoutSearch(attempt, SearchLimits())
        .found(0)
        ._replace(hands=hands, weights=np.ones(40), numbers=np.arange(40))
    )
    assert len(attempt.accepted(proposed).numbers) == 40
    assert len({tuple(one) for one in hands.T.tolist()}) > 30
    # fewer are the first of more
    assert (dealt(*where, count=15) == hands[:, :15]).all()
    assert (dealt(*where, count=15, seed=2) != hands[:, :15]).any()


KNOWN = {
    Seat.NORTH: "AKQJ.AKQ.AKQ.AKQ",
    Seat.SOUTH: "T98.T98.T98.T987",
    Seat.EAST: "765432+.J76+.J+.+",
}
"""East gets three of fourteen cards."""


@pytest.mark.parametrize(
    "where",
    [
        [],
        ["C_E_H5 or C_E_D7 or C_E_CJ"],
        ["HCP_E != 3 and not (C_E_H2 and C_E_D2)"],
        ["SL_E_C >= 2 or Losers_W <= 8"],
        ["SL_E_D * SL_E_C == 1 or HCP_E + SL_W_D == 5"],
    ],
)
def test_alternatives_are_drawn_once(where):
    """Of few enough deals, all that meet a condition, and each as often as any other."""
    known = known_by_seat(KNOWN)
    attempt = attempt_of(*where, known=KNOWN)
    proposed = attempt.rare.propose(seed=1, first=0, count=20_000)
    found = attempt.accepted(proposed)
    counts = Counter(found.hands[1].tolist())
    north, east, south = (one.cards for one in known[:3])
    free = FULL_DECK & ~(north | east | south)
    every = np.array(
        [
            [north, east | more, south, free & ~more]
            for more, _ in all_layouts(free, (13 - east.bit_count(), 13))
        ],
        np.uint64,
    ).T
    fitting = (
        attempt.accepted(
            proposed._replace(
                hands=every, weights=np.ones(every.shape[1]), numbers=np.arange(every.shape[1])
            )
        )
        .hands[1]
        .tolist()
    )
    assert set(counts) == set(fitting)
    assert abs(spread([counts[one] for one in fitting], counts.total() / len(fitting))) < 5


def test_common_conditions_are_dealt_by_chance_as_ever():
    where = "HCP_N >= 15 and SL_S_S >= 5"
    plain = LayoutSearch(attempt_of(where), SearchLimits())
    plain.go_on(PILOT)
    assert (dealt(where, count=100) == plain.found(100).hands).all()


@pytest.mark.parametrize(
    ("where", "why"),
    rows_in_check(
        range(0, 15, 4),
        ("HCP_N + HCP_E + HCP_S + HCP_W == 39", "is 40 in every deal"),
        ("SL_N_S + SL_E_S + SL_S_S + SL_W_S == 12", "is 13 in every deal"),
        ("Tens_N + Tens_E + Tens_S >= 5 - Tens_W", "is 4 in every deal"),
        (
            "Aces_N + Aces_S == 3 and Aces_E + Aces_W == 2",
            "no deal meets Aces_N + Aces_S == 3 and Aces_E + Aces_W == 2 together",
        ),
        ("Controls_N + Controls_S == 13", "no deal meets Controls_N"),
        ("HCP_N + HCP_E + HCP_S + HCP_W != 40", "no deal meets"),
        (
            "Aces_N >= 3 and HCP_S >= 8 and (Aces_E >= 2 or Aces_S + Aces_W >= 2)",
            "no deal meets Aces_N >= 3 and Aces_E >= 2 or Aces_S",
        ),
        ("QT_N + QT_E + QT_S + QT_W >= 9", "never so"),
        ("Losers_N + Losers_E + Losers_S + Losers_W >= 49", "never so"),
        ("Balanced_N + Balanced_S == 3", "never so"),
        ("SL_N_S * SL_S_S == 100", "no deal meets"),
        ("Kings_N >= 3 and Kings_E >= 1 and Kings_W >= 1", "no deal meets"),
        ("HCP_N - HCP_S >= 38", "no deal meets"),
        ("Aces_N >= 5", "no hand is left for N"),
        ("HCP_N + HCP_S >= 25 and HCP_E + HCP_W >= 16", "together"),
    ),
)
def test_what_cannot_be_is_told_with_the_reason(where, why):
    with pytest.raises(NoSuchDeal, match=r"^no such deal where ") as raised:
        dealt(where)
    assert why in str(raised.value)
    with pytest.raises(NoSuchDeal, match="no such deal where "):
        sample_layouts(open_system("sayc"), "1N", where=[where], time_limit_s=600)


def test_what_cannot_be_with_known_cards():
    known = {Seat.NORTH: parse_hand("AKQJ.AKQ.AKQ.AK2"), Seat.EAST: "A+.+.+.+"}
    with pytest.raises(NoSuchDeal, match="no deal meets"):
        dealt("Aces_S + Aces_W == 1", known={Seat.NORTH: known[Seat.NORTH]})


def test_layouts_under_rare_conditions():
    """Layouts of an auction are drawn from what is counted, too."""
    where = ["HCP_N >= 15 and SL_E_S + SL_W_S == 0"]
    layouts = sample_layouts(open_system("sayc"), "1N P", where=where, count=30, time_limit_s=600)
    assert len(layouts) == 30
    assert (layouts.hands[[1, 3]] >> np.uint64(39) == 0).all()
