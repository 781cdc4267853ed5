"""Augmented deals, terms with a seat and conditions on whole deals, by the plain definition."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import SEATS, InvalidExpression, InvalidInput, InvalidTable, UnknownTerm
from bidcascade.engine import Engine
from bidcascade.engine.runs.columns.augment import augment, read_expressions
from bidcascade.kernels import PROFILES, evaluate_postfix, get_backend
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.systems.places.turn_context import context_at
from bidcascade.table import Vocabulary, build_table, parse_expression, to_postfix
from bidcascade.table.deal_conditions import DealCondition
from bidcascade.table.language.seat_terms import SeatVocabulary, seat_expression, seat_term
from bidcascade.table.term_values import term_values
from tests.support.examples import examples

FRAME = random_deals(40, seed=11)
DEALS = deal_arrays(FRAME)


@pytest.fixture(scope="module")
def engine():
    rows = [
        {"prior": "", "call": "1N", "criteria": ["15 <= HCP <= 17", "Balanced"]},
        {"prior": "1N", "call": "P", "criteria": ["Strength <= 20"]},
    ]
    table, _ = build_table(rows, user_terms={"Strength": "HCP + SL_S"})
    return Engine(table, "cpu")


def value_of(code, deal, seat, vocabulary):
    """Value of postfix code by the reference, one hand at a time."""
    dealer, sides = int(DEALS.dealer[deal]), int(DEALS.vulnerability[deal])
    context = context_at((seat - dealer) % 4, dealer, sides)
    return evaluate_postfix(code, int(DEALS.hands[seat, deal]), context, profile=vocabulary.profile)


@pytest.mark.parametrize("profile", PROFILES)
def test_values_of_every_term(profile):
    vocabulary = Vocabulary(profile, {"Strength": "HCP + 2 * SL_S - 3"})
    for name in vocabulary.names:
        code = vocabulary.lowered_term(name).code
        for seat in range(4):
            expected = [value_of(code, deal, seat, vocabulary) for deal in range(FRAME.height)]
            assert term_values(name, seat, DEALS, vocabulary).tolist() == expected, (name, seat)


def test_columns_and_their_types(engine):
    terms = ["HCP", "SL_S", "QT", "Pattern", "Balanced", "Stopper_C", "Strength", "C_HA", "Seat"]
    found = augment(engine, FRAME, terms=terms)
    assert found.columns[: FRAME.width] == FRAME.columns
    new = found.select(found.columns[FRAME.width :])
    assert new.columns == [seat_term(term, seat) for term in terms for seat in SEATS]
    assert new.columns[4:8] == ["SL_N_S", "SL_E_S", "SL_S_S", "SL_W_S"]
    kinds = {
        pl.UInt8: "HCP_N SL_N_S Strength_N Seat_N",
        pl.Float32: "QT_N",
        pl.String: "Pattern_N",
        pl.Boolean: "Balanced_N Stopper_N_C C_N_HA",
    }
    for kind, names in kinds.items():
        for name in names.split():
            assert new[name].dtype == kind, name
    vocabulary = engine.table.vocabulary
    for term in terms:
        lowered = vocabulary.lowered_term(term)
        for seat, letter in enumerate(SEATS):
            values = [value_of(lowered.code, deal, seat, vocabulary) for deal in range(40)]
            expected = [f"{one:X}" if term == "Pattern" else one / lowered.scale for one in values]
            assert new[seat_term(term, letter)].to_list() == expected


def test_expressions_and_entries(engine):
    expressions = ["Strength>=15", "SL_S >= SL_H or Balanced"]
    found = augment(engine, FRAME, expressions=expressions, auctions=["1N", "1N P"])
    assert found.columns[FRAME.width :] == [
        *(f"Strength_{seat} >= 15" for seat in SEATS),
        *(f"SL_{seat}_S >= SL_{seat}_H or Balanced_{seat}" for seat in SEATS),
        "1N",
        "1N P",
    ]
    evaluated = engine.evaluate(FRAME, expressions)
    assert found.select(evaluated.columns).equals(evaluated)
    reached = engine.counts(FRAME)
    by_calls = dict(reached.select("calls", "count").iter_rows())
    assert found["1N"].sum() == by_calls.get("1N", 0)


def test_bits_are_not_copied(engine):
    """Two frames of the same bits share their memory with what the kernel returned."""
    big = random_deals(10_000, seed=2)
    bits = get_backend("cpu").members(engine.plan, deal_arrays(big), [0])
    series = pl.Series(bits.arrow(0))
    held = series.to_arrow().buffers()[1]
    assert held.address == bits.words.ctypes.data


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        ({"terms": ["HPC"]}, UnknownTerm, "did you mean"),
        ({"terms": ["Forcing"]}, InvalidExpression, "remark about the auction"),
        ({"expressions": ["HCP >="]}, InvalidExpression, "expected an operand"),
        ({"auctions": ["7N"]}, InvalidTable, "'7N'"),
    ],
)
def test_what_cannot_be_added(engine, asked, error, message):
    with pytest.raises(error, match=message):
        augment(engine, FRAME, **asked)


def test_columns_that_are_there_already(engine):
    once = augment(engine, FRAME, terms=["HCP"])
    with pytest.raises(InvalidExpression, match="'HCP_N', which is there already"):
        augment(engine, once, terms=["HCP"])


def test_a_file_of_expressions():
    words = Vocabulary()
    found = read_expressions("\n# points\nHCP >= 15\n  Balanced  \n", "f", words)
    assert found == ["HCP >= 15", "Balanced"]
    with pytest.raises(InvalidInput, match=r"^f, line 2: expected an operand"):
        read_expressions("Balanced\nHCP >=", "f", words)
    with pytest.raises(InvalidInput, match=r"^f, line 1: unknown term 'HPC'"):
        read_expressions("HPC >= 3", "f", words)


def test_terms_with_a_seat_are_distinct():
    names = SeatVocabulary(Vocabulary())
    plain = Vocabulary().names
    assert len(names.origin) == 4 * len(plain)
    assert names.origin["HCP_S"] == ("HCP", 2)
    assert names.origin["HCP_S_S"] == ("HCP_S", 2)
    assert seat_term("C_CT", "W") == "C_W_CT"
    assert seat_expression(parse_expression("not(-SL_S*2+1<HCP)"), "E") == (
        "not -SL_E_S * 2 + 1 < HCP_E"
    )


ATOMS = st.builds(
    "{}_{} {} {}".format,
    st.sampled_from(["HCP", "Losers", "Controls"]),
    st.sampled_from(SEATS),
    st.sampled_from(["<", ">=", "==", "!="]),
    st.integers(0, 20),
) | st.sampled_from(
    ["HCP_N + HCP_S >= 20", "SL_N_S + SL_S_S >= 8", "QT_E >= 2.5", "Stop_In_W_H", "Balanced_S",
     "SL_N_S > SL_E_S", "Pattern_N == '4432'", "'5332' != Pattern_W", "Vul_We_N", "Seat_E == 1",
     "HCP_N * HCP_E >= 80", "True", "False"]
)  # fmt: skip
CONDITIONS = st.recursive(
    ATOMS,
    lambda inner: (
        st.builds("({}) and ({})".format, inner, inner)
        | st.builds("({}) or ({})".format, inner, inner)
        | st.builds("not ({})".format, inner)
    ),
    max_leaves=6,
)


@pytest.mark.slow
@given(CONDITIONS)
@examples(80)
def test_conditions_on_whole_deals(text):
    """A condition holds where the value of its code, term by term from the reference, does."""
    vocabulary = Vocabulary()
    names = SeatVocabulary(vocabulary)
    code = to_postfix(parse_expression(text), names)
    expected = []
    for deal in range(FRAME.height):
        plain = [
            value_of((names.origin[one][0],), deal, names.origin[one][1], vocabulary)
            if isinstance(one, str) and one in names.origin
            else one
            for one in code
        ]
        expected.append(bool(evaluate_postfix(tuple(plain), 0)))
    found = DealCondition(text, vocabulary).holds(get_backend("cpu"), DEALS)
    assert found.dtype == np.bool_
    assert found.tolist() == expected


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("HCP >= 15", UnknownTerm, "expected a seat with the term 'HCP', such as 'HCP_N'"),
        ("SL_S >= 5", UnknownTerm, "'SL_N_S'"),
        ("HPC_N >= 15", UnknownTerm, "did you mean 'HCP_N'"),
        ("HCP_N = 15", InvalidExpression, "equality is written =="),
        ("", InvalidExpression, "expected"),
        ("Pattern_N >= 3", InvalidExpression, "Pattern_N == or != a shape in quotes"),
        ("Pattern_N", InvalidExpression, "expected Pattern_N in a comparison with a shape"),
        ("Pattern_N == Pattern_S", InvalidExpression, "a shape in quotes"),
    ],
)
def test_conditions_that_are_none(text, error, message):
    with pytest.raises(error, match=message):
        DealCondition(text, Vocabulary())
