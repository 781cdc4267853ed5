"""Criteria lists: contradictions, bounds and shares, checked against random hands."""

import random
from math import inf, isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import UnknownTerm
from bidcascade.kernels import evaluate_postfix
from bidcascade.table.language.criteria import (
    Criteria,
    analyse,
    is_satisfiable,
    share_of_hands,
    specificity,
)
from bidcascade.table.language.expressions import parse_expression, to_postfix
from bidcascade.table.language.vocabulary import Vocabulary
from tests.support.examples import examples

GIB = Vocabulary()
CHOOSER = random.Random(11)
HANDS = [sum(1 << card for card in CHOOSER.sample(range(52), 13)) for _ in range(1_500)]


def parsed(*texts):
    return [parse_expression(text) for text in texts]


@pytest.mark.parametrize(
    ("texts", "conflict"),
    [
        (["SL_C >= 2", "HCP >= 15", "HCP <= 12"], "HCP >= 15 and HCP <= 12"),
        (["HCP == 15", "HCP != 15"], "HCP == 15 and HCP != 15"),
        (["HCP >= 38"], "HCP >= 38"),
        (["SL_S >= 5", "HCP >= 9", "SL_H >= 5", "SL_D >= 4"],
         "SL_S >= 5 and SL_H >= 5 and SL_D >= 4"),
        (["SL_S <= 3", "SL_H <= 3", "SL_D <= 3", "SL_C <= 3"],
         "SL_S <= 3 and SL_H <= 3 and SL_D <= 3 and SL_C <= 3"),
        (["SL_S <= 3", "Rebiddable_S"], "SL_S <= 3 and Rebiddable_S"),
        (["Stopper_H", "not Likely_Stopper_H"], "Stopper_H and not Likely_Stopper_H"),
        (["Two_Stoppers_H", "At_Best_Stopper_H"], "Two_Stoppers_H and At_Best_Stopper_H"),
        (["Balanced", "SL_D >= 6"], "Balanced and SL_D >= 6"),
        (["Pattern == '5332'", "SL_H <= 1"], "Pattern == '5332' and SL_H <= 1"),
        (["SL_S > SL_H", "SL_H >= 7"], "SL_S > SL_H and SL_H >= 7"),
        (["HCP <= 3", "C_SA"], "HCP <= 3 and C_SA"),
        (["HCP <= 3", "Controls >= 5"], "HCP <= 3 and Controls >= 5"),
        (["Total_Points <= 10", "HCP >= 12"], "Total_Points <= 10 and HCP >= 12"),
        (["SL_S >= 5 or SL_H >= 5", "SL_S <= 4", "SL_H <= 4"],
         "(SL_S >= 5 or SL_H >= 5) and SL_S <= 4 and SL_H <= 4"),
        (["not (SL_S <= 4 or HCP >= 6)", "C_HA and C_HK"],
         "(not (SL_S <= 4 or HCP >= 6)) and (C_HA and C_HK)"),
        (["Vul_We", "not Vul_We"], "Vul_We and not Vul_We"),
        (["Seat >= 3", "Seat <= 2"], "Seat >= 3 and Seat <= 2"),
        (["False"], "False"),
        (["Stop_In_C", "HCP_C == 0", "SL_C <= 6"], "Stop_In_C and HCP_C == 0 and SL_C <= 6"),
    ],
)  # fmt: skip
def test_contradictions_are_found_and_named(texts, conflict):
    reason = is_satisfiable(parsed(*texts), GIB)
    assert reason == f"no hand fits {conflict}"
    assert analyse(parsed(*texts), GIB).contradiction == reason
    assert share_of_hands(parsed(*texts), GIB) == 0
    assert specificity(parsed(*texts), GIB) == inf


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["True"],
        ["Forcing_One_Round"],
        ["HCP >= 37"],
        ["SL_S >= 5", "SL_H >= 5", "SL_D >= 3"],
        ["Balanced", "Losers <= 3"],
        ["SL_S * SL_H >= 30"],
        ["HCP != 12"],
        ["Seat == 4", "Vul_They", "Rule_Of_15 >= 15"],
        ["QT >= 2.5", "HCP <= 10"],
    ],
)
def test_what_some_hand_fits_is_satisfiable(texts):
    assert is_satisfiable(parsed(*texts), GIB) is None


atoms = st.one_of(
    st.builds(
        "{} {} {}".format,
        st.sampled_from(
            ["HCP", "Total_Points", "SL_C", "SL_D", "SL_H", "SL_S", "HCP_S", "Losers", "Controls"]
        ),
        st.sampled_from(["<=", ">=", "==", "!="]),
        st.integers(0, 14),
    ),
    st.sampled_from(
        ["Balanced", "not Balanced", "Stopper_S", "Rebiddable_H", "At_Best_Stopper_S", "C_SA",
         "SL_S >= SL_H", "HCP + SL_S >= 15", "SL_S >= 5 or SL_H >= 5", "QT >= 2.5",
         "not (SL_C >= 3 and SL_D >= 3)", "Pattern == '5332'", "SL_S * HCP >= 40"]
    ),
)  # fmt: skip


@pytest.mark.slow
@examples(25, 100)
@given(st.lists(atoms, min_size=1, max_size=4), st.sampled_from(["gib", "mlbridge"]))
def test_hands_that_fit_refute_no_verdict(texts, profile):
    """Sound: a fitting hand means satisfiable, and its values lie within the bounds."""
    vocabulary = Vocabulary(profile)
    expressions = parsed(*texts)
    codes = [to_postfix(expression, vocabulary) for expression in expressions]
    fitting = [
        hand
        for hand in HANDS
        if all(evaluate_postfix(code, hand, profile=profile) for code in codes)
    ]
    analysis = analyse(expressions, vocabulary)
    if fitting:
        assert is_satisfiable(expressions, vocabulary) is None
        assert analysis.contradiction is None
        for name, (low, high) in analysis.bounds.items():
            code = vocabulary.lowered_term(name).code
            values = [evaluate_postfix(code, hand, profile=profile) for hand in fitting]
            assert low <= min(values)
            assert max(values) <= high
        # an upper bound of the share: the sample may lie above it by chance only
        share = share_of_hands(expressions, vocabulary)
        sampled = len(fitting) / len(HANDS)
        assert sampled <= share + 5 * (share / len(HANDS)) ** 0.5 + 3 / len(HANDS)


@pytest.mark.parametrize(
    ("texts", "bounds"),
    [
        (["HCP >= 15", "HCP <= 17", "HCP >= 16"], {"HCP": (16, 17)}),
        (["SL_S >= 5", "SL_H >= 5"], {"SL_S": (5, 8), "SL_C": (0, 3)}),
        (["SL_S >= 6", "SL_H >= 4", "SL_C >= 1"], {"SL_D": (0, 2), "SL_S": (6, 8)}),
        (["Balanced"], {"SL_S": (2, 5), "Balanced": (1, 1)}),
        (["HCP <= 3"], {"HCP": (0, 3)}),
        (["Solid_S"], {"SL_S": (6, 13), "HCP": (7, 33)}),
        (["SL_S <= 2", "SL_H <= 2", "SL_D <= 2"], {"SL_C": (7, 13)}),
        (["SL_S >= 7 or SL_S <= 1", "SL_S >= 1"], {"SL_S": (1, 13)}),
        (["QT >= 2.5"], {"QT": (5, 16)}),
    ],
)
def test_bounds(texts, bounds):
    found = Criteria(tuple(parsed(*texts))).analyse(GIB).bounds
    assert {name: found[name] for name in bounds} == bounds


@pytest.mark.parametrize(
    ("texts", "share"),
    [
        ([], 1.0),
        # textbook frequencies
        (["HCP >= 15", "HCP <= 17"], 0.1009),
        (["HCP == 0"], 0.003639),
        (["Balanced"], 0.476),
        (["Pattern == '4432'"], 0.21551),
        (["SL_S == 13"], 1 / 635013559600),
        (["Aces == 0"], 0.3038),
    ],
)
def test_shares_are_the_known_ones(texts, share):
    assert isclose(share_of_hands(parsed(*texts), GIB), share, rel_tol=2e-3)


def test_more_conditions_ask_for_more():
    strong = specificity(parsed("HCP >= 20"), GIB)
    stronger = specificity(parsed("HCP >= 20", "Balanced"), GIB)
    assert 0 < strong < stronger
    assert isclose(specificity(parsed("True"), GIB), 0.0)


def test_wide_alternatives_are_taken_on_trust():
    wide = [f"HCP != {number}" for number in range(7)]
    assert is_satisfiable(parsed(*wide, "SL_S >= 4"), GIB) is None
    assert is_satisfiable(parsed(*wide, "SL_S >= 4", "SL_S <= 3"), GIB) is not None


def test_user_terms_are_seen_through():
    vocabulary = Vocabulary(user_terms={"Strength": "HCP + SL_S", "Weak": "HCP <= 9"})
    assert is_satisfiable(parsed("Strength >= 30", "HCP <= 16"), vocabulary) is not None
    assert is_satisfiable(parsed("Weak", "HCP >= 10"), vocabulary) is not None
    assert analyse(parsed("Weak"), vocabulary).bounds["HCP"] == (0, 9)


def test_unknown_terms_are_an_error():
    with pytest.raises(UnknownTerm):
        is_satisfiable(parsed("Hcp >= 3"), GIB)
