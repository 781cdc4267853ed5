"""The core's sets of cells equal those of ``systems/places/knowledge.py``, bit for bit."""

import ctypes
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidExpression
from bidcascade.kernels import term_range
from bidcascade.kernels.core.rows import HULL_TERMS, TERMS
from bidcascade.kernels.packing.layout import all_lengths
from bidcascade.kernels.packing.literals import COMPARE, LinearForm, Tree
from bidcascade.kernels.terms import PROFILES
from bidcascade.systems import open_system
from bidcascade.systems.places.knowledge import (
    EVERYTHING,
    POSSIBLE,
    _bounds_of,
    _conjunction,
    bounds,
    reach,
    to_cells,
)
from bidcascade.systems.places.places import expression_of
from bidcascade.table.language.expressions import parse_expression
from bidcascade.table.language.vocabulary import Vocabulary
from tests.core.hands.rows_of_trees import NAMES, RowsOfTrees, pointer
from tests.core.probes import build_probe
from tests.support.deals import mixed_deals
from tests.support.examples import examples, some_in_check
from tests.support.expressions import expressions

CELLS = 560 * 38
WORDS = -(-CELLS // 64)
VOCABULARIES = {profile: Vocabulary(profile) for profile in PROFILES}

# one of each kind: shapes and points, one suit, several suits, contexts, bounds from both sides,
# what is not understood, and what no or every hand satisfies
CRITERIA = (
    "HCP >= 15 and HCP <= 17 and Balanced",
    "SL_S > SL_H and HCP + SL_S >= 15",
    "Support_Points_H >= 10 and SL_H >= 4",
    "Top3_S >= 2 and not Stopper_S",
    "HCP >= 5 and HCP <= 11 and SL_S == 6 and (Top3_S >= 2 or Top5_S >= 3 or C_SA) and SL_H <= 3",
    "SL_C >= 4 and SL_D >= 4 and Top4_C >= 2 and Top4_D >= 2 and Stopper_H and Stopper_S",
    "Losers <= 7 and Losers >= 5",
    "Losers <= 7 or Controls >= 4 and HCP >= 10",
    "not (Losers <= 7 or Controls >= 4) and HCP >= 10",
    "QT >= 2.5 and Playing_Tricks >= 8.5",
    "HCP - 2 * Losers >= -3 and HCP - 2 * Losers <= 3",
    "Total_Points != 12",
    "HCP != 12 and SL_C != 0",
    "HCP + Total_Points + Controls >= 40",
    "Vul_We and HCP >= 8",
    "not Vul_We and not Vul_They and Seat == 3",
    "Vul_We and not Vul_We",
    "Seat <= 2 or HCP >= 8",
    "HCP + Seat >= 13",
    "HCP * Losers >= 50",
    "HCP * SL_S >= 50 or Balanced",
    "HCP_S * SL_S >= 20",
    "HCP_S > HCP_H and SL_S == 5",
    "HCP_C + HCP_D + HCP_H + HCP_S >= 12",
    "1000 * Losers + HCP >= 7000",
    "1000 * Losers + Aces <= 7000",
    "Pattern == '5332' or Pattern == '5422' and HCP_S >= 3",
    "Rule_Of_20 >= 20 or Rule_Of_15 >= 15",
    "Keycards_S >= 2 and SL_S >= 4",
    "2 * HCP == 3",
    "HCP >= 38 or SL_S >= 14",
    "True",
    "False",
)


@pytest.fixture(scope="module")
def probe() -> ctypes.CDLL:
    found = build_probe("knowledge")
    found.term_reach.restype = ctypes.c_int64
    return found


@pytest.fixture(scope="module")
def rows(probe: ctypes.CDLL) -> Iterator[dict[str, RowsOfTrees]]:
    found = {profile: RowsOfTrees(probe, profile) for profile in PROFILES}
    yield found
    for one in found.values():
        one.close()


def to_words(cells: int) -> Any:
    """Set of cells as words of the core, uint64 [SET_WORDS]."""
    return np.frombuffer(cells.to_bytes(8 * WORDS, "little"), np.uint64)


def sets_of_terms() -> tuple[Any, Any]:
    """Cells where the least, and then the most, of each term beyond the hull is 0, 1, ….

    The second says where the values of each term begin.
    """
    found: tuple[list[Any], list[Any]] = ([], [])
    first = [0]
    for term in TERMS[HULL_TERMS:]:
        values = reach(((term, 1),), "gib")
        for value in range(term_range(term)[1] + 1):
            for sets, there in zip(found, (values.low, values.high), strict=True):
                sets.append(to_words(to_cells(there == value)))
        first.append(len(found[0]))
    return np.concatenate(found), np.array(first, np.int32)


def assert_bounds(rows: RowsOfTrees, tree: int, expected: tuple[int, int], what: object) -> None:
    can, must = np.ones(WORDS, np.uint64), np.ones(WORDS, np.uint64)
    rows.probe.bounds(rows.state, tree, pointer(can), pointer(must))
    assert np.array_equal(can, to_words(expected[0])), what
    assert np.array_equal(must, to_words(expected[1])), what


def assert_reach(rows: RowsOfTrees, form: LinearForm, profile: str) -> None:
    low, high = np.zeros((560, 38), np.int64), np.zeros((560, 38), np.int64)
    rows.probe.reach(rows.state, rows.form(form), pointer(low), pointer(high))
    expected = reach(form, profile)
    assert np.array_equal(low[POSSIBLE], expected.low[POSSIBLE]), form
    assert np.array_equal(high[POSSIBLE], expected.high[POSSIBLE]), form


def test_the_same_cells_have_hands(rows: dict[str, RowsOfTrees]) -> None:
    found = np.zeros(WORDS, np.uint64)
    rows["gib"].probe.everything(rows["gib"].state, pointer(found))
    assert np.array_equal(found, to_words(EVERYTHING))
    assert len(all_lengths()) == 560


@pytest.mark.parametrize("profile", PROFILES)
def test_reach_of_terms(rows: dict[str, RowsOfTrees], profile: str) -> None:
    for name in NAMES:
        assert_reach(rows[profile], ((name, 1),), profile)


def test_sets_of_the_terms_of_rows(rows: dict[str, RowsOfTrees]) -> None:
    sets, first = sets_of_terms()
    found, found_first = np.ones_like(sets), np.ones_like(first)
    count = rows["gib"].probe.term_reach(
        rows["gib"].state, pointer(found), pointer(found_first), ctypes.c_int64(found.size)
    )
    assert np.array_equal(found_first, first)
    assert count * WORDS == found.size
    assert np.array_equal(found, sets)


def factors(largest: int) -> st.SearchStrategy[int]:
    return st.integers(-largest, largest).filter(bool)


forms = st.dictionaries(
    st.sampled_from(NAMES),
    st.one_of(factors(3), factors(3), factors(2**31 - 1)),
    min_size=1,
    max_size=4,
).map(lambda found: tuple(sorted(found.items())))


@given(form=forms, profile=st.sampled_from(PROFILES))
def test_reach_of_forms(rows: dict[str, RowsOfTrees], form: LinearForm, profile: str) -> None:
    assert_reach(rows[profile], form, profile)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("text", CRITERIA)
def test_bounds_of_criteria(rows: dict[str, RowsOfTrees], text: str, profile: str) -> None:
    expression, vocabulary = parse_expression(text), VOCABULARIES[profile]
    tree = rows[profile].expression(expression, vocabulary)
    assert_bounds(rows[profile], tree, bounds(expression, vocabulary), text)


@given(expression=expressions, profile=st.sampled_from(PROFILES))
def test_bounds_of_expressions(rows: dict[str, RowsOfTrees], expression, profile: str) -> None:
    vocabulary = VOCABULARIES[profile]
    try:
        expected = bounds(expression, vocabulary)
    except InvalidExpression:
        return
    tree = rows[profile].expression(expression, vocabulary)
    assert_bounds(rows[profile], tree, expected, expression)


# terms that are decided alike, so that trees of one kind come about: a suit, the cell, the context
POOLS = (
    ("SL_S", "HCP_S", "Top3_S", "Stopper_S", "C_SA", "Biddable_S", "Solid_S"),
    ("HCP", "SL_C", "SL_H", "Balanced", "Longest_Suit", "Support_Points_D", "Pattern"),
    ("Seat", "Vul_We", "Vul_They"),
    ("SL_C", "HCP_C", "Stopper_D", "C_DK", "HCP", "Top2_H", "SL_H"),
    ("Losers", "Controls", "QT", "HCP", "Vul_We", "Total_Points", "Keycards_H", "Aces"),
    tuple(NAMES),
)


@st.composite
def trees_of(draw, names: Iterable[str]) -> Tree:
    term = st.tuples(st.just("term"), st.sampled_from(sorted(names)))
    number = st.tuples(st.just("int"), st.integers(-3, 20))
    some_forms = st.dictionaries(
        st.sampled_from(sorted(names)), factors(3), min_size=1, max_size=3
    ).map(lambda found: tuple(sorted(found.items())))
    compared = st.tuples(st.sampled_from(tuple(COMPARE)), term, number)
    interval = st.tuples(st.just("interval"), some_forms, st.integers(-9, 9), st.integers(-9, 20))

    def larger(trees: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
        return st.one_of(
            st.builds(
                lambda operator, operands: (operator, *operands),
                st.sampled_from(("and", "or")),
                st.lists(trees, min_size=2, max_size=4),
            ),
            st.tuples(st.just("not"), trees),
            st.tuples(st.sampled_from(("+", "-", "*", *COMPARE)), trees, trees),
            st.tuples(st.just("neg"), trees),
        )

    return draw(st.recursive(st.one_of(compared, compared, interval, term, number), larger))


@examples(25, 100)
@given(
    tree=st.sampled_from(POOLS).flatmap(trees_of),
    profile=st.sampled_from(PROFILES),
    positive=st.booleans(),
)
def test_bounds_of_trees(
    rows: dict[str, RowsOfTrees], tree: Tree, profile: str, positive: bool
) -> None:
    tree = tree if positive else ("not", tree)
    expected = _bounds_of(_conjunction(tree, profile, positive=True), profile)
    assert_bounds(rows[profile], rows[profile].tree(tree), expected, tree)


def test_chances_that_vanish(rows: dict[str, RowsOfTrees]) -> None:
    """So many contexts that their share is below what a double holds: nothing can be."""
    seats = [
        (">=", ("+", ("term", "Seat"), ("*", ("int", n), ("term", "Vul_We"))), ("int", n + 4))
        for n in range(1, 400)
    ]
    hands = (">=", ("term", "Losers"), ("int", 3))
    for count in (2, 200, 399):
        # a part that needs more keeps the others apart
        tree = ("and", hands, *seats[:count])
        expected = _bounds_of(_conjunction(tree, "gib", positive=True), "gib")
        assert_bounds(rows["gib"], rows["gib"].tree(tree), expected, count)


def test_intervals_within_arithmetic(probe: ctypes.CDLL) -> None:
    """Terms that nobody has asked for come in while an interval is worked out."""
    names = ("HCP", "SL_C", "Balanced", "Longest_Suit", "Support_Points_D", "Rule_Of_20")
    form = tuple((name, factor) for factor, name in enumerate(sorted(names), 1))
    counted = ("+", ("interval", form, 40, 90), ("interval", form[2:], 50, 60))
    tree = ("==", ("*", counted, ("term", "SL_D")), ("int", 4))
    found = RowsOfTrees(probe)
    expected = _bounds_of(_conjunction(tree, "gib", positive=True), "gib")
    assert_bounds(found, found.tree(tree), expected, tree)
    found.close()


def test_deep_trees(rows: dict[str, RowsOfTrees]) -> None:
    tree: Tree = (">=", ("term", "Losers"), ("int", 3))
    for step in range(200):
        other = (">=", ("term", "Controls" if step % 3 else "HCP"), ("int", step % 12))
        tree = ("or" if step % 2 else "and", other, tree)
    expected = _bounds_of(_conjunction(tree, "gib", positive=True), "gib")
    assert_bounds(rows["gib"], rows["gib"].tree(tree), expected, "deep")


@pytest.mark.slow
@pytest.mark.parametrize("name", some_in_check(1, "sayc", "acol", "two-over-one"))
def test_bounds_of_a_systems_criteria(probe: ctypes.CDLL, name: str) -> None:
    bidder = open_system(name).bidder()
    bidder.bid(mixed_deals(4000, 7))
    program = bidder.sides[0]
    vocabulary = program.rules.vocabulary
    found = RowsOfTrees(probe, vocabulary.profile)
    assert len(program.constraint_numbers()) > 5000
    for number in program.constraint_numbers():
        texts = program.constraint(number).texts()
        expression = expression_of(tuple(map(parse_expression, texts)))
        tree = found.expression(expression, vocabulary)
        assert_bounds(found, tree, bounds(expression, vocabulary), texts)
    found.close()
