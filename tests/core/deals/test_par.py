"""Par from the core: the definition's scores and contracts bit for bit, and what is refused."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidDeal
from bidcascade.inference.double_dummy.par import contract_scores, par, par_contracts, par_results
from bidcascade.kernels.core import functions
from tests.core.deals import definition_of_par as definition
from tests.support.examples import examples, sized

REFUSED = "expected numbers within the arrays"


def same_par(tables: Any, dealers: Any, sides: Any) -> None:
    scores, best = par_results(tables, dealers, sides)
    expected, expected_best = definition.par_results(tables, dealers, sides)
    np.testing.assert_array_equal(scores, expected)
    assert scores.dtype == np.int16
    np.testing.assert_array_equal(best, expected_best)
    assert best.dtype == np.bool_
    np.testing.assert_array_equal(
        contract_scores(tables, sides), definition.final_scores(tables, sides).transpose(2, 0, 1)
    )


def tables_by_chance(count: int, seed: int) -> tuple[Any, Any, Any]:
    """Tables, of half of them all tricks are shared out; dealers and vulnerabilities."""
    chance = np.random.default_rng(seed)
    sides = chance.integers(0, 14, (2, count, 5))
    sides[1, ::2] = 13 - sides[0, ::2]
    # of some nobody makes anything
    sides[:, ::7] %= 7
    tables = np.concatenate([sides[0], sides[1], sides[0], sides[1]], axis=1)
    # of every third partners do not take as many
    other = chance.integers(0, 14, (count, 20))
    is_other = (chance.random((count, 20)) < 0.2) & (np.arange(count) % 3 == 0)[:, None]
    tables = np.where(is_other, other, tables).astype(np.int8)
    return tables, *chance.integers(0, 4, (2, count))


@pytest.mark.parametrize("seed", range(5))
def test_tables_by_chance(seed):
    count = sized(4000, 20_000)
    tables, dealers, sides = tables_by_chance(count, seed)
    same_par(tables, dealers, sides)
    some = slice(0, sized(300, 3000))
    _, best = definition.par_results(tables[some], dealers[some], sides[some])
    found = par_contracts(tables[some], best)
    assert found == [
        definition.par_contracts(table, own) for table, own in zip(tables[some], best, strict=True)
    ]
    assert any(len(one) > 1 for one in found)
    assert () in found


TABLES = st.lists(st.integers(0, 13), min_size=20, max_size=20)


@examples(60)
@given(st.lists(st.tuples(TABLES, st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=4))
def test_any_tables(boards):
    tables, dealers, sides = (np.array(column, np.int8) for column in zip(*boards, strict=True))
    same_par(tables, dealers.astype(np.int64), sides.astype(np.int64))
    _, best = par_results(tables, dealers, sides)
    assert par_contracts(tables, best) == [
        definition.par_contracts(*one) for one in zip(tables, best, strict=True)
    ]


@given(TABLES, st.integers(0, (1 << 35) - 1), st.integers(0, 15))
def test_any_contracts_are_listed(tricks, bids, declarers):
    # more than ever reach par, up to all of them, by four declarers that take different tricks
    table = np.array(tricks, np.int8)
    best = np.array(
        [[bids >> bid & declarers >> seat & 1 for seat in range(4)] for bid in range(35)]
    )
    best = best.astype(np.bool_)
    assert par_contracts(table[None], best[None]) == [definition.par_contracts(table, best)]


def test_all_contracts_of_four_declarers_that_take_different_tricks():
    table = np.repeat(np.arange(4), 5)
    (found,) = par_contracts(table[None], np.ones((1, 35, 4), np.bool_))
    assert len(found) == 140


def test_every_contract_scores_as_the_laws_have_it():
    tables = np.repeat(np.arange(14)[:, None], 20, axis=1)
    for sides in range(4):
        every = np.full(14, sides)
        np.testing.assert_array_equal(
            contract_scores(tables, sides),
            definition.final_scores(tables, every).transpose(2, 0, 1),
        )


def test_no_deals():
    scores, best = par_results(np.zeros((0, 20)), 0, 0)
    assert (scores.shape, best.shape) == ((0,), (0, 35, 4))
    assert par_contracts(np.zeros((0, 20)), best) == []


@pytest.mark.parametrize(
    ("tables", "dealer", "sides"),
    [
        *((tricks, 0, 0) for tricks in (14, -1, 127, -128)),
        *((7, dealer, 0) for dealer in (4, 255)),
        *((7, 0, sides) for sides in (4, 255)),
    ],
)
def test_numbers_out_of_range_are_refused(tables, dealer, sides):
    good = np.full((3, 20), 7, np.int8)
    wrong = good.copy()
    # the last one, so that all before it are looked at
    wrong[2, 19] = tables
    dealers, vulnerability = np.array([[0, 0, dealer], [0, 0, sides]], np.uint8)
    with pytest.raises(ValueError, match=REFUSED):
        functions.par(wrong, dealers, vulnerability)
    if tables != 7:
        with pytest.raises(ValueError, match=REFUSED):
            functions.par_contracts(wrong, np.ones((3, 35, 4), np.bool_))
    if dealer == 0:
        with pytest.raises(ValueError, match=REFUSED):
            functions.contract_scores(wrong, vulnerability)


@pytest.mark.parametrize(
    ("tables", "best"),
    [((3, 20), (3, 35, 3)), ((3, 20), (3, 34, 4)), ((2, 20), (3, 35, 4)), ((3, 19), (3, 35, 4))],
)
def test_arrays_of_other_sizes_are_refused(tables, best):
    with pytest.raises(ValueError, match="expected"):
        functions.par_contracts(np.zeros(tables, np.int8), np.zeros(best, np.bool_))


def test_arrays_of_other_kinds_are_refused():
    tables, few = np.full((3, 20), 7, np.int8), np.zeros(2, np.uint8)
    many = np.zeros(3, np.uint8)
    for given_ in (
        (tables.astype(np.int64), many, many),
        (tables, many, few),
        (tables[:2], many, many),
        (np.asfortranarray(tables), many, many),
        (tables, many.astype(np.int64), many),
    ):
        with pytest.raises((TypeError, ValueError), match="expected"):
            functions.par(*given_)


def test_more_contracts_than_there_is_room_for_are_refused():
    tables, best = np.full((2, 20), 7, np.int8), np.ones((2, 35, 4), np.bool_)
    room, ends = np.zeros((70, 4), np.uint8), np.zeros(2, np.int64)
    # partners take as many tricks: a contract for each bid
    given_ = ("core_par_contracts", tables, best, 2, room)
    assert functions.call_core(*given_, 70, ends) == 70
    assert ends.tolist() == [35, 70]
    for too_few in (69, 35, 1, 0, -1):
        with pytest.raises(ValueError, match=REFUSED):
            functions.call_core(*given_, too_few, ends)


@pytest.mark.parametrize("tricks", [7.5, np.nan, "7", None, True])
def test_what_is_no_number_of_tricks(tricks):
    with pytest.raises(InvalidDeal, match="expected tables of tricks in whole numbers, got"):
        par([tricks] * 20, 0, 0)
    with pytest.raises(InvalidDeal, match="expected a dealer in whole numbers, got"):
        par([7] * 20, tricks, 0)
