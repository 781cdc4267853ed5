"""Bounds on tricks: never against the solver, and what they say of tables that files carry."""

import re
from random import Random

import numpy as np
import pytest

from bidcascade.bridge import parse_deal
from bidcascade.inference.double_dummy import DoubleDummyPool
from bidcascade.kernels.dealing import deal_hands
from bidcascade.loaders.frames.trick_bounds import impossible_tables, trick_bounds
from bidcascade.loaders.pbn.pbn_double_dummy import (
    DOUBLE_DUMMY_COLUMNS,
    double_dummy_columns,
    format_double_dummy_tricks,
)
from bidcascade.loaders.text.hand_text import read_hands
from tests.support.examples import sized

DEAL = "N:AQT9864.542.J.T8 K73.T6.AQT4.J962 J5.KQ93.K852.Q43 2.AJ87.9763.AK75"
# N E S W, C D H S N
SOLVED = (3, 3, 4, 7, 4, 10, 10, 9, 5, 9, 3, 3, 4, 7, 4, 10, 10, 9, 5, 9)
MAJORS = "N:AKQJT98.AKQJT9.. ..AKQJT98.AKQJT9 765432.8765432.. ..765432.8765432"
"""North and South have the major suits, East and West the minor ones."""


def columns(*deals):
    return np.array([parse_deal(deal).hands for deal in deals], np.uint64).T


def freak(chance):
    """Hands of a pack that was hardly shuffled."""
    deck = list(range(52))
    chance.shuffle(deck)
    mixed = chance.choice([1, 2, 3, 5, 9])
    deck.sort(key=lambda card: card // 13 * chance.choice([0, 1, 1]) + chance.random() * mixed)
    return [sum(1 << card for card in deck[13 * seat : 13 * seat + 13]) for seat in range(4)]


@pytest.mark.slow
def test_no_bound_is_broken_by_the_solver():
    chance = Random(7)
    freaks = np.array([freak(chance) for _ in range(sized(10, 60))], np.uint64).T
    hands = np.concatenate([freaks, deal_hands(3, 0, 20), columns(DEAL, MAJORS)], axis=1)
    with DoubleDummyPool(1) as pool:
        tables = pool.tables(hands)
    low, high = trick_bounds(hands)
    assert (low <= tables).all()
    assert (tables <= high).all()
    assert not impossible_tables(hands, tables).any()
    # bounds that say nothing would pass
    assert (low == tables).mean() > 0.02
    assert (high == tables).mean() > 0.02


@pytest.mark.real_data
def test_no_bound_is_broken_by_tables_of_others(shared_data):
    deals, tables = [], []
    for path in sorted((shared_data / "dd" / "dds").glob("list*.txt")):
        hands = None
        for line in path.read_text().splitlines():
            if found := re.search(r'^PBN.*"(.*)"', line):
                hands = read_hands(found[1])
            elif line.startswith("TABLE") and not isinstance(hands, str):
                # strains S H D C N, of each the declarers N E S W
                by_strain = np.array(line.split()[1:21], np.int8).reshape(5, 4)
                deals.append(hands)
                tables.append(by_strain[[3, 2, 1, 0, 4]].T.ravel())
    assert len(deals) > 1000
    assert not impossible_tables(np.array(deals, np.uint64).T, np.array(tables)).any()


@pytest.mark.parametrize("tricks", [0, 1, 12, 13])
def test_fillers(tricks):
    hands = np.concatenate([deal_hands(1, 0, 200), columns(MAJORS)], axis=1)
    assert impossible_tables(hands, np.full((201, 20), tricks, np.int8)).all()
    assert not impossible_tables(hands, np.full((201, 20), -1, np.int8)).any()


def with_result(place, tricks):
    table = list(SOLVED)
    table[DOUBLE_DUMMY_COLUMNS.index(place)] = tricks
    return table


@pytest.mark.parametrize(
    ("place", "tricks", "believed"),
    [
        ("DD_N_S", 7, True), ("DD_N_S", 4, False), ("DD_S_S", 1, False), ("DD_E_S", 12, False),
        # West cashes two clubs and a heart and reaches East's diamond
        ("DD_S_N", 13, False), ("DD_S_N", 10, False), ("DD_S_N", 9, True),
    ],
)  # fmt: skip
def test_one_result_that_cannot_be(place, tricks, believed):
    found = impossible_tables(columns(DEAL), np.array([with_result(place, tricks)], np.int8))
    assert found.tolist() == [not believed]


def test_both_sides_cannot_make_all_tricks_in_a_suit():
    hands = deal_hands(2, 0, 50)
    for strain in range(4):
        tables = np.full((50, 20), -1, np.int8)
        tables[:, [strain, 5 + strain]] = 13
        assert impossible_tables(hands, tables).all()


def test_at_notrump_whoever_leads_may_take_all():
    # the leader's side cashes thirteen tricks: nothing is impossible in a row of noughts here
    low, high = trick_bounds(columns(MAJORS))
    assert low[0, 4::5].tolist() == high[0, 4::5].tolist() == [0, 0, 0, 0]
    assert low[0, 3::5].tolist() == [7, 0, 7, 0]


def rows_of(tricks):
    return "".join(
        f"{seat} {'NT' if strain == 'N' else strain} {tricks[5 * place + code]}\n"
        for place, seat in enumerate("NESW")
        for code, strain in enumerate("CDHSN")
    )


GOOD = f'[OptimumResultTable "Declarer;Denomination\\2R;Result\\2R"]\n{rows_of(SOLVED)}'
DIGITS = format_double_dummy_tricks(SOLVED)
NONE = (None,) * 20


@pytest.mark.parametrize(
    ("tags", "tricks", "unread"),
    [
        (f'[DoubleDummyTricks "{DIGITS}"]\n', SOLVED, 0),
        (f'[DoubleDummyTricks "{"1" * 20}"]\n', NONE, 1),
        (f'[DoubleDummyTricks "{"*" * 20}"]\n{GOOD}', SOLVED, 1),
        (f'[DoubleDummyTricks "{"0" * 20}"]\n{GOOD}', SOLVED, 1),
        (f'[DoubleDummyTricks "{DIGITS}"]\n[OptimumResultTable "x"]\nN NT 1\n', SOLVED, 0),
        (f'[DoubleDummyTricks "7"]\n{GOOD.replace("N S 7", "N S 1")}', NONE, 2),
    ],
)
def test_tables_of_a_file(tags, tricks, unread):
    found, left_out = double_dummy_columns(f'[Board "1"]\n[Deal "{DEAL}"]\n{tags}'.encode())
    assert found.select(DOUBLE_DUMMY_COLUMNS).rows() == [tuple(tricks)]
    assert left_out == unread
