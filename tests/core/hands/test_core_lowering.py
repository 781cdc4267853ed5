"""The core's trees of expressions equal those of :mod:`bidcascade.table.language.lowering`."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidExpression, UnknownTerm
from bidcascade.kernels.packing.layout import OPCODES
from bidcascade.kernels.packing.literals import Tree
from bidcascade.systems.places.knowledge import _tree
from bidcascade.table.language.expression_tree import (
    COMPARATORS,
    And,
    Comparison,
    Expression,
    Not,
    Number,
    Or,
    Product,
    Shape,
    Sum,
    TermName,
    Truth,
)
from bidcascade.table.language.expressions import parse_expression
from bidcascade.table.language.lowering import LARGEST_VALUE, tree_of
from bidcascade.table.language.vocabulary import Vocabulary
from tests.core.hands.criteria import SYSTEMS, criteria_of
from tests.core.hands.rows_of_expressions import FORMS, RowsOfExpressions
from tests.core.hands.rows_of_trees import NAMES, pointer
from tests.core.probes import build_probe
from tests.support.examples import some_in_check
from tests.support.expressions import chains, expressions, larger

USER_TERMS = {
    "Strength": "HCP + SL_S",
    "Tricks": "QT",
    "Tricks_Twice": "QT + QT - 0.5",
    "Wide": "HCP * HCP * HCP * HCP * 1000",
    "Twice": "Strength * 2 - Wide",
    "Good": "Strength >= 15 and (Balanced or SL_H > 4)",
    "Fair": "not Good or Tricks >= 2.5",
    "Always": "HCP >= 0 or True",
    "Seven": "3 + 4",
}


class Wrong(IntEnum):
    """LoweringErrors of lowering.hpp."""

    NONE, UNKNOWN_TERM, TAG_WITHIN, PATTERN_ALONE, SHAPE_ALONE, PATTERN_COMPARED = range(6)
    HALF_ALONE, HALF_MULTIPLIED, TOO_LONG, TOO_LARGE, CIRCLE, TOO_DEEP = range(6, 12)
    MALFORMED = 12


MESSAGES = {
    "expected a term, got": Wrong.TAG_WITHIN,
    "expected Pattern in a comparison": Wrong.PATTERN_ALONE,
    r"expected Pattern == '\w+'.* on its own": Wrong.SHAPE_ALONE,
    "expected Pattern == or != a shape": Wrong.PATTERN_COMPARED,
    "expected a half only": Wrong.HALF_ALONE,
    "expected no product with": Wrong.HALF_MULTIPLIED,
    "expected an expression of at most": Wrong.TOO_LONG,
    "expected values within": Wrong.TOO_LARGE,
}


@contextmanager
def rows_with(vocabulary: Vocabulary) -> Iterator[RowsOfExpressions]:
    rows = RowsOfExpressions(build_probe("layout"), vocabulary)
    yield rows
    rows.close()


@pytest.fixture(scope="module", params=["gib", "mlbridge"])
def rows(request: pytest.FixtureRequest) -> Iterator[RowsOfExpressions]:
    with rows_with(Vocabulary(request.param, USER_TERMS)) as found:
        yield found


parsed = cache(parse_expression)


def error_of(rows: RowsOfExpressions) -> tuple[Wrong, int, int, int]:
    found = np.zeros(4, np.int64)
    rows.probe.error_of(rows.state, pointer(found))
    kind, *rest = found.tolist()
    return Wrong(kind), *rest


def kind_of(error: InvalidExpression | UnknownTerm) -> Wrong:
    if isinstance(error, UnknownTerm):
        return Wrong.UNKNOWN_TERM
    return next(kind for start, kind in MESSAGES.items() if re.match(start, str(error)))


def largest(tree: Tree) -> int:
    """Largest constant; what is compared with quick tricks may be twice what a word holds."""
    if tree[0] == "int":
        return abs(tree[1])
    return max((largest(part) for part in tree[1:] if isinstance(part, tuple)), default=0)


def assert_equal(rows: RowsOfExpressions, expression: Expression) -> None:
    number = rows.number(expression)
    for name, define in (("tree_of", tree_of), ("cells_tree", _tree)):
        found = getattr(rows.probe, name)(rows.state, number)
        expected: Tree | Wrong
        try:
            expected = define(expression, rows.vocabulary)
        except (InvalidExpression, UnknownTerm) as error:
            expected = kind_of(error)
        if not isinstance(expected, Wrong) and largest(expected) > LARGEST_VALUE:
            expected = Wrong.TOO_LARGE
        assert (error_of(rows)[0] if found == -1 else rows.tree(found)) == expected


@given(expression=expressions)
def test_random_expressions(rows: RowsOfExpressions, expression: Expression) -> None:
    assert_equal(rows, expression)


names = st.one_of(
    st.sampled_from(NAMES),
    st.sampled_from((*USER_TERMS, "Stop_In_C", "Pattern", "QT", "Playing_Tricks", "Vul_We")),
    st.sampled_from(("Forcing_One_Round", "Hcp", "Opponents_Cannot_Play_Undoubled_Below_2N")),
)
numbers = st.one_of(
    st.integers(0, 60), st.integers(0, 2 * 999_999), st.sampled_from((1_999_998, 1_000_000))
)
odd_leaves = st.one_of(
    names.map(TermName),
    numbers.map(Number),
    st.booleans().map(Truth),
    st.sampled_from(("5332", "D000")).map(Shape),
)
odd_expressions = st.recursive(
    st.one_of(
        odd_leaves,
        st.builds(Comparison, odd_leaves, chains(COMPARATORS, odd_leaves)),
        st.builds(Product, st.lists(numbers.map(Number), min_size=2, max_size=3).map(tuple)),
    ),
    larger,
    max_leaves=10,
)


@given(expression=odd_expressions)
def test_every_name_and_extreme_numbers(rows: RowsOfExpressions, expression: Expression) -> None:
    assert_equal(rows, expression)


@pytest.mark.parametrize(
    "text",
    [
        "15 <= HCP <= 17", "HCP + QT >= 12.5", "QT * 2 >= 3", "HCP >= 1.5", "1.5 > QT > HCP",
        "not (not (HCP >= 12))", "Balanced == False", "True != (SL_S > 4)", "-HCP < -12",
        "Forcing_One_Round", "not Forcing_One_Round", "Pattern", "'5332'", "Pattern == '5332'",
        "'D000' != Pattern", "Pattern < '5332'", "Pattern == '5332' == True", "Pattern == 3",
        "Stop_In_S and not Stop_In_H", "Twice + Twice > Tricks", "Unknown >= 3",
        "QT >= 999999 * 2000", "999999 * 999999", "HCP * 999999 * 999999 >= 0",
        "Tricks_Twice >= 3.5 and Seven == 7", "HCP - 0.5 >= 3", "Always and HCP", "3", "0", "-0.5",
        "Fair and not Fair or Fair == Good",
        " or ".join(f"HCP == {points}" for points in range(130)),
        " or ".join(f"HCP == {points}" for points in range(124)),
        " + ".join(["HCP"] * 250), " + ".join(["HCP"] * 251) + " > 3",
    ],
)  # fmt: skip
def test_some_by_hand(rows: RowsOfExpressions, text: str) -> None:
    assert_equal(rows, parse_expression(text))


def test_errors_say_where(rows: RowsOfExpressions) -> None:
    product = Product((TermName("QT"), Number(4)))
    part = Sum(TermName("HCP"), (("+", product),))
    whole = rows.number(And((TermName("Balanced"), Comparison(part, ((">=", Number(6)),)))))
    assert rows.probe.tree_of(rows.state, whole) == -1
    assert error_of(rows) == (Wrong.HALF_MULTIPLIED, rows.number(product), 0, 0)
    large = Product((TermName("HCP"), Number(2 * 999_999), Number(2 * 999_999)))
    assert rows.probe.tree_of(rows.state, rows.number(large)) == -1
    high = 37 * 999_999 * 999_999
    assert error_of(rows) == (Wrong.TOO_LARGE, rows.number(large), 0, high)


def test_terms_in_a_circle_or_a_long_row() -> None:
    with rows_with(Vocabulary()) as rows:
        for number in range(1000):
            rows.set_formula(f"Step_{number}", TermName(f"Step_{number + 1}"))
        assert rows.probe.tree_of(rows.state, rows.number(TermName("Step_0"))) == -1
        assert error_of(rows)[0] == Wrong.TOO_DEEP
        rows.set_formula("Step_1000", Sum(TermName("HCP"), (("+", TermName("Step_990")),)))
        assert rows.probe.tree_of(rows.state, rows.number(TermName("Step_995"))) == -1
        assert error_of(rows)[0] == Wrong.CIRCLE
        rows.set_formula("Step_1000", TermName("HCP"))
        # those that are known already are no steps
        for first in (700, 400, 0):
            tree = rows.probe.tree_of(rows.state, rows.number(TermName(f"Step_{first}")))
            assert rows.tree(tree) == ("!=", ("term", "HCP"), ("int", 0))


def test_rows_that_are_no_expressions_are_refused() -> None:
    with rows_with(Vocabulary()) as rows:
        hcp, forms = rows.number(TermName("HCP")), FORMS
        largest_word = 2**31 - 1
        wrong = [
            [], [forms[TermName]], [99, 0], [-1, 0], [forms[Not], 5], [forms[Not], -1],
            [forms[Truth]],
            [forms[Sum], hcp], [forms[Sum], hcp, 99, hcp], [forms[Sum], hcp, 2, hcp],
            [forms[Comparison], hcp, 8, hcp], [forms[And], hcp, largest_word], [forms[Or]],
            [forms[Number], 1, 2], [forms[Comparison], hcp, 2],
        ]  # fmt: skip
        for row in wrong:
            number = rows.add(row)
            for name in ("tree_of", "cells_tree"):
                assert getattr(rows.probe, name)(rows.state, number) == -1
                assert error_of(rows)[:2] == (Wrong.MALFORMED, number)
        for number in (-1, largest_word, -largest_word - 1):
            assert rows.probe.tree_of(rows.state, number) == -1
            assert rows.probe.cells_tree(rows.state, number) == -1
        for name in (-1, len(NAMES), largest_word, -largest_word - 1):
            number = rows.add([forms[TermName], name])
            assert rows.probe.tree_of(rows.state, number) == -1
            assert error_of(rows)[:2] == (Wrong.UNKNOWN_TERM, number)
        for halves in (largest_word, -largest_word - 1, -3):
            number = rows.add([forms[Number], halves])
            rows.probe.tree_of(rows.state, number)
            rows.probe.tree_of(rows.state, rows.add([forms[Or], number, number]))


def test_shared_parts_are_lowered_once() -> None:
    """Sixty doublings of a part that comes to a constant do not double the work sixty times."""
    with rows_with(Vocabulary()) as rows:
        number = rows.number(Number(0))
        for _ in range(60):
            number = rows.add([FORMS[Sum], number, OPCODES["+"], number])
        assert rows.tree(rows.probe.tree_of(rows.state, number)) == ("int", 0)


@pytest.mark.parametrize("system", some_in_check(1, *SYSTEMS))
def test_criteria_of_systems(system: str) -> None:
    with rows_with(Vocabulary()) as rows:
        for texts in dict.fromkeys(criteria_of(system)):
            parts = tuple(map(parsed, texts))
            for part in parts:
                assert_equal(rows, part)
            if len(parts) > 1:
                assert_equal(rows, And(parts))
