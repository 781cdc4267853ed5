"""The bank of solved deals: what is packed, found, solved; contracts looked up or solved."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidDeal, InvalidInput, parse_contract
from bidcascade.inference.double_dummy.abstract_solver import NOT_HELD, SolvedInPart
from bidcascade.inference.double_dummy.known_tables import contract_tricks
from bidcascade.inference.double_dummy.solved_deals import (
    BYTES_A_DEAL,
    HELD_OUT,
    OPEN,
    WHOLE,
    bank_hands,
    bank_sample,
    held_out,
    pack_tables,
    solved_bank,
    solved_beginning,
    unpack_tables,
)
from bidcascade.inference.double_dummy.table_cache import TableCache
from bidcascade.kernels.dealing import deal_hands
from tests.inference.double_dummy.support_double_dummy import MadeUp, made_up

TABLES = st.lists(st.lists(st.integers(0, 13), min_size=20, max_size=20), max_size=20)


@given(TABLES)
def test_what_is_packed_is_unpacked(rows):
    tables = np.array(rows, np.int8).reshape(-1, 20)
    packed = pack_tables(tables)
    assert len(packed) == BYTES_A_DEAL * len(rows)
    assert (unpack_tables(packed) == tables).all()


def test_what_is_no_table_is_refused():
    for tables in (np.full((1, 20), 14), np.full((1, 20), -1), np.zeros((1, 19)), np.zeros(20)):
        with pytest.raises(InvalidDeal, match="tables of tricks from 0 to 13"):
            pack_tables(tables.astype(np.int8))
    with pytest.raises(InvalidDeal, match="10 bytes for each table, got 9"):
        unpack_tables(bytes(9))
    with pytest.raises(InvalidDeal, match="tricks from 0 to 13, got 14"):
        unpack_tables(bytes([0xE0]) + bytes(9))


def test_the_beginning_that_is_solved():
    cache, hands = TableCache(), bank_hands(30)
    assert solved_beginning(30, cache).shape == (0, 20)
    cache.add(hands[:, :7], made_up(hands[:, :7]))
    cache.add(hands[:, 9:], made_up(hands[:, 9:]))
    assert (solved_beginning(30, cache) == made_up(hands[:, :7])).all()
    assert len(solved_beginning(5, cache)) == 5
    solver = MadeUp()
    assert (solved_bank(30, solver, cache) == made_up(hands)).all()
    assert len(solved_beginning(30, cache)) == 30


def test_a_third_is_held_out_by_the_hands_alone():
    cache, hands = TableCache(), bank_hands(3000)
    out = held_out(hands)
    assert 0.3 < out.mean() < 0.37
    assert (held_out(hands[:, ::-1]) == out[::-1]).all()
    # solved in any order, the bank may have gaps
    solved = np.arange(3000) % 7 != 3
    cache.add(hands[:, solved], made_up(hands[:, solved]))
    found = {}
    for part, chosen in ((OPEN, solved & ~out), (HELD_OUT, solved & out), (WHOLE, solved)):
        deals, tables = bank_sample(part, cache, 3000)
        assert (deals.hands == hands[:, chosen]).all()
        assert (tables == made_up(deals.hands)).all()
        found[part] = len(deals)
    assert found[OPEN] + found[HELD_OUT] == found[WHOLE] == solved.sum()
    with pytest.raises(InvalidInput, match=r"expected solved deals in the part 'open'.*got none"):
        bank_sample(OPEN, TableCache(), 10)
    with pytest.raises(InvalidInput, match=r"open, held-out, all.*got 'half'"):
        bank_sample("half", cache, 10)


def test_what_is_wrong_with_a_bank_is_said(tmp_path):
    path = tmp_path / "tables"
    path.write_bytes(bytes(100))
    with pytest.raises(InvalidInput, match=r"got 100 bytes that are no tables in '.*tables'"):
        bank_sample(OPEN, TableCache(path), 10)
    cache = TableCache(path)
    others = deal_hands(1, 0, 3)
    cache.add(others, made_up(others))
    with pytest.raises(InvalidInput, match=r"got 3 tables of other deals in '.*tables'"):
        bank_sample(OPEN, cache, 10)
    # the other part is solved, which is no fault of the file
    hands = bank_hands(10)
    out = hands[:, held_out(hands)]
    cache.add(out, made_up(out))
    assert len(bank_sample(HELD_OUT, cache, 10)[0]) == out.shape[1] > 0
    with pytest.raises(InvalidInput, match=r"the part 'open' of the bank, got none in '.*tables'"):
        bank_sample(OPEN, cache, 10)


def test_contracts_are_looked_up_or_solved():
    hands = bank_hands(4)
    tables, cache = made_up(hands), TableCache()
    cache.add(hands[:, :2], tables[:2])
    asked = []

    class Solver:
        def tricks(self, some, strain, declarer, *, cancel=None, timeout_s=None):
            asked.append((some.shape[1], strain.tolist(), declarer.tolist()))
            return made_up(some)[np.arange(some.shape[1]), 5 * declarer + strain]

    contracts = [
        [parse_contract(one) for one in row.split()]
        for row in ("1NN 2SE", "", "3CW 4CW 1NS", "7NXXS")
    ]
    found, known = contract_tricks(hands, contracts, Solver(), cache)
    assert known == 2
    assert found == [
        [int(tables[deal, 5 * one.declarer + one.strain]) for one in row]
        for deal, row in enumerate(contracts)
    ]
    # one contract that is asked for twice is solved once, known ones never
    assert asked == [(3, [4, 0, 4], [2, 3, 2])]


def test_what_is_not_solved_in_time_is_left_open():
    class Late:
        def tricks(self, some, strain, declarer, *, cancel=None, timeout_s=None):
            raise SolvedInPart("late", np.array([5, NOT_HELD], np.int8))

    contracts = [[parse_contract("1CN")], [parse_contract("1CN")]]
    found, known = contract_tricks(bank_hands(2), contracts, Late(), TableCache())
    assert (found, known) == ([[5], [None]], 0)
