"""The core's literals of a tree equal those of :mod:`bidcascade.kernels.packing.literals`."""

import ctypes
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidExpression
from bidcascade.kernels.packing.literals import COMPARE, Interval, Tree, literals_of
from bidcascade.table.language.vocabulary import Vocabulary
from tests.core.hands.rows_of_trees import NAMES, RowsOfTrees, pointer, tree_of
from tests.core.probes import build_probe
from tests.support.expressions import expressions

VERDICTS = {False: 0, True: 1}


@pytest.fixture(scope="module")
def rows() -> Iterator[RowsOfTrees]:
    found = RowsOfTrees(build_probe("knowledge"))
    yield found
    found.close()


def assert_equal(rows: RowsOfTrees, tree: Tree, *, positive: bool) -> None:
    written, count = np.zeros((2000, 5), np.int64), ctypes.c_int64()
    verdict = rows.probe.lowered(
        rows.state,
        rows.tree(tree),
        int(positive),
        pointer(written),
        ctypes.c_int64(written.size),
        ctypes.byref(count),
    )
    literals = literals_of(tree, positive=positive)
    if isinstance(literals, bool):
        assert (verdict, count.value) == (VERDICTS[literals], 0)
        return
    assert verdict == 2
    expected = [
        (1, 1, rows.form(one.form), one.low, one.high)
        if isinstance(one, Interval)
        else (0, int(one.positive), rows.tree(one.tree), 0, 0)
        for one in literals
    ]
    assert list(map(tuple, written[: count.value].tolist())) == expected


@given(expression=expressions, positive=st.booleans())
def test_literals_of_expressions(rows: RowsOfTrees, expression, positive: bool) -> None:
    try:
        tree = tree_of(expression, Vocabulary())
    except InvalidExpression:
        return
    assert_equal(rows, tree, positive=positive)


forms = st.dictionaries(
    st.sampled_from(NAMES), st.integers(-9, 9).filter(bool), min_size=1, max_size=3
).map(lambda found: tuple(sorted(found.items())))
leaves = st.one_of(
    st.tuples(st.just("term"), st.sampled_from(NAMES)),
    st.tuples(st.just("int"), st.integers(-40, 40)),
)


def larger(trees):
    return st.one_of(
        st.tuples(st.sampled_from(("neg", "not")), trees),
        st.tuples(st.sampled_from(("+", "-", "*", *COMPARE)), trees, trees),
        st.tuples(st.just("*"), st.tuples(st.just("int"), st.integers(-3, 3)), trees),
        st.builds(
            lambda operator, operands: (operator, *operands),
            st.sampled_from(("and", "or")),
            st.lists(trees, min_size=2, max_size=4),
        ),
        st.tuples(st.just("interval"), forms, st.integers(-9, 9), st.integers(-9, 30)),
    )


@given(tree=st.recursive(leaves, larger, max_leaves=20), positive=st.booleans())
def test_literals_of_trees(rows: RowsOfTrees, tree: Tree, positive: bool) -> None:
    assert_equal(rows, tree, positive=positive)


@pytest.mark.parametrize("depth", [1, 30, 400])
def test_only_open_alternatives_are_not_lowered_twice(rows: RowsOfTrees, depth: int) -> None:
    """What is nested deeply and comes down to one part takes no longer than it is long."""
    hcp = ("term", "HCP")
    odd = ("==", ("*", ("int", 2), hcp), ("int", 3))
    tree = (">=", hcp, ("int", 12))
    for _ in range(depth):
        tree = ("or", odd, tree)
    written, count = np.zeros((4, 5), np.int64), ctypes.c_int64()
    verdict = rows.probe.lowered(
        rows.state, rows.tree(tree), 1, pointer(written), ctypes.c_int64(20), ctypes.byref(count)
    )
    assert (verdict, count.value) == (2, 1)
    assert written[0].tolist() == [1, 1, rows.form((("HCP", 1),)), 12, 1 << 40]


def test_factors_beyond_a_word_are_not_understood(rows: RowsOfTrees) -> None:
    large = ("*", ("int", 2**31 - 1), ("term", "Vul_We"))
    tree = (">=", ("+", large, ("term", "HCP")), ("neg", large))
    written, count = np.zeros((4, 5), np.int64), ctypes.c_int64()
    verdict = rows.probe.lowered(
        rows.state, rows.tree(tree), 1, pointer(written), ctypes.c_int64(20), ctypes.byref(count)
    )
    assert (verdict, count.value) == (2, 1)
    assert written[0].tolist() == [0, 1, rows.tree(tree), 0, 0]
