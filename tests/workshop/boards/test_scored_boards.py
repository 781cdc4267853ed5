"""Boards as they are scored for all that measures bidding: contracts, tricks, budgets."""

import numpy as np
import pytest

from bidcascade.bridge import Contract, Seat, parse_calls, score
from bidcascade.kernels.types import I8, U8, U64
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.workshop.boards.scored_boards import (
    NO_TRICKS,
    BoardContracts,
    Budget,
    contract_text,
    imps_between,
)
from tests.inference.double_dummy.support_double_dummy import MadeUp, made_up

AUCTIONS = [
    parse_calls(calls) for calls in ("P P P P", "4S P P P", "1C X XX P P P", "P 3N X P P P")
]
DEALERS = np.array([0, 0, 1, 3], np.uint8)
DEALS = deal_arrays(random_deals(len(AUCTIONS), 1))


class Counting(MadeUp):
    """Counts the contracts that it is asked for."""

    contracts = 0

    def tricks(self, hands: U64, strain: U8, declarer: U8, **options: object) -> I8:
        self.contracts += len(strain)
        return super().tricks(hands, strain, declarer)


def test_contracts_are_those_of_the_auctions():
    contracts = BoardContracts.of_auctions(AUCTIONS, DEALERS)
    assert contracts.played.tolist() == [False, True, True, True]
    parts = contracts.parts
    assert parts.declarer[1:].tolist() == [Seat.NORTH, Seat.EAST, Seat.NORTH]
    assert (parts.level[1:].tolist(), parts.doubling[1:].tolist()) == ([4, 1, 3], [0, 2, 1])
    assert contracts.category.tolist() == [0, 2, 1, 2]


def test_tricks_are_looked_up_where_they_are_known():
    contracts = BoardContracts.of_auctions(AUCTIONS, DEALERS)
    tables = made_up(DEALS.hands)
    tables[2] = -1
    found = contracts.tricks_in(tables)
    wanted = [tables[1, 5 * Seat.NORTH + 3], NO_TRICKS, tables[3, 5 * Seat.NORTH + 4]]
    assert found.tolist() == [NO_TRICKS, *wanted]
    assert found.dtype == np.int8


def test_a_contract_of_both_tables_is_solved_once():
    both = np.stack([np.array([1, 1]), np.array([1, 0])])
    one = BoardContracts.of_auctions([AUCTIONS[0], AUCTIONS[1]], DEALERS[:2])
    pairs = BoardContracts(type(one.parts)(*(part[both] for part in one.parts)), one.played[both])
    solver = Counting()
    found, different = pairs.solve(pairs.played, DEALS.hands[:, :2], solver)
    assert (len(found), different, solver.contracts) == (3, 2, 2)
    assert found.tolist() == [
        made_up(DEALS.hands[:, [deal]])[0, 5 * Seat.NORTH + 3] for deal in (0, 1, 0)
    ]


@pytest.mark.parametrize("tricks", range(14))
def test_a_perfect_defence_doubles_what_fails(tricks):
    contracts = BoardContracts.of_auctions(AUCTIONS[1:2], DEALERS[1:2])
    taken, nobody = np.array([tricks], np.int8), np.zeros(1, np.uint8)
    doubling = int(tricks < 10)
    assert contracts.scores(nobody, taken)[0] == score(
        Contract(4, 3, 0, Seat.NORTH), tricks, vulnerable=False
    )
    wanted = score(Contract(4, 3, doubling, Seat.NORTH), tricks, vulnerable=False)
    assert contracts.defended_scores(nobody, taken)[0] == wanted


def test_imps_are_of_who_sits_north_south_first():
    scores = np.array([[420, 0, -100], [170, 0, 620]], np.int32)
    assert imps_between(scores).tolist() == [6, 0, -12]


@pytest.mark.parametrize(
    ("budget", "done", "batches"),
    [
        (Budget(), 0, [[0, 1], [2, 3], [4]]),
        (Budget(deals=3), 0, [[0, 1], [2]]),
        (Budget(deals=3), 2, [[0]]),
        (Budget(deals=3), 4, []),
        (Budget(seconds=0.0), 0, []),
        (Budget(seconds=1e9), 0, [[0, 1], [2, 3], [4]]),
    ],
)
def test_a_budget_bounds_what_is_worked_out(budget, done, batches):
    waiting = budget.first_of(np.arange(5), done)
    assert [batch.tolist() for batch in budget.batches(waiting, 2)] == batches


def test_contracts_are_written_with_their_declarer():
    assert contract_text(0, 2) == "Pass"
    assert contract_text(205, 2) == "4H S"
