"""Par: worked examples, the game played out one seat after another, published pars."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import STRAINS, Contract, InvalidDeal, Seat, score
from bidcascade.inference.double_dummy.par import Par, ParContract, par, par_contracts, par_results
from tests.support.examples import examples


def table(north_south: list[int], east_west: list[int]) -> list[int]:
    return 2 * (north_south + east_west)


def texts(found: Par) -> list[str]:
    return [str(contract) for contract in found.contracts]


@pytest.mark.parametrize(
    ("north_south", "east_west", "dealer", "vulnerability", "points", "contracts"),
    [
        # four spades make and nothing goes against them
        ([6, 6, 7, 10, 6], [6, 6, 5, 3, 6], 0, 0, 420, ["4S-NS="]),
        # East-West take out insurance in five clubs doubled: two down are cheap
        ([4, 6, 7, 10, 6], [9, 6, 5, 3, 6], 0, 0, 300, ["5CX-EW-2"]),
        # not when they alone are vulnerable
        ([4, 6, 7, 10, 6], [9, 6, 5, 3, 6], 0, 2, 420, ["4S-NS="]),
        # both make one notrump: whoever deals has it
        ([6, 6, 6, 6, 7], [6, 6, 6, 6, 7], 0, 0, 90, ["1N-NS="]),
        ([6, 6, 6, 6, 7], [6, 6, 6, 6, 7], 3, 0, -90, ["1N-EW="]),
        # nobody makes anything
        ([6, 6, 6, 6, 6], [6, 6, 6, 6, 6], 2, 3, 0, []),
        # all the tricks, and no defence that costs less
        ([0, 0, 0, 0, 13], [0, 0, 0, 0, 0], 1, 1, 2220, ["7N-NS="]),
        # equal scores at several levels: all that the other side cannot disturb
        ([5, 5, 9, 5, 5], [5, 5, 4, 5, 5], 0, 0, 140, ["3H-NS=", "2H-NS+1", "1H-NS+2"]),
    ],
)
def test_worked_examples(north_south, east_west, dealer, vulnerability, points, contracts):
    found = par(table(north_south, east_west), dealer, vulnerability)
    assert (found.score, texts(found)) == (points, contracts)


def test_partners_that_take_different_numbers():
    tricks = [5] * 20
    tricks[5 * Seat.SOUTH + 4], tricks[5 * Seat.NORTH + 4] = 9, 8
    found = par(tricks, 0, 0)
    assert (found.score, texts(found)) == (400, ["3N-S="])
    assert found.contracts[0] == ParContract(3, 4, (Seat.SOUTH,), 9)
    assert not found.contracts[0].is_doubled


@cache
def final(bid: int, declarer: int, tricks: int, vulnerability: int) -> int:
    level = bid // 5 + 1
    contract = Contract(level, bid % 5, int(tricks < 6 + level), Seat(declarer))
    points = score(contract, tricks, vulnerable=bool(vulnerability >> declarer % 2 & 1))
    return -points if declarer % 2 else points


def play_the_game(tricks: tuple[int, ...], dealer: int, vulnerability: int) -> int:
    """Value of the auction by plain recursion over bid, declarer, who acts and passes."""

    @cache
    def value(bid: int, declarer: int, actor: int, passes: int) -> int:
        if passes == (4 if bid < 0 else 3):
            if bid < 0:
                return 0
            return final(bid, declarer, tricks[5 * declarer + bid % 5], vulnerability)
        options = [value(bid, declarer, (actor + 1) % 4, passes + 1)]
        options += [value(higher, actor, (actor + 1) % 4, 0) for higher in range(bid + 1, 35)]
        return min(options) if actor % 2 else max(options)

    return value(-1, 0, dealer, 0)


TABLES = st.lists(st.integers(0, 13), min_size=20, max_size=20)


@examples(25)
@given(tricks=TABLES, dealer=st.integers(0, 3), vulnerability=st.integers(0, 3))
def test_par_is_the_value_of_the_auction(tricks, dealer, vulnerability):
    found = par(tricks, dealer, vulnerability)
    assert found.score == play_the_game(tuple(tricks), dealer, vulnerability)
    for contract in found.contracts:
        for seat in contract.declarers:
            bid = 5 * (contract.level - 1) + contract.strain
            assert tricks[5 * seat + contract.strain] == contract.tricks
            assert final(bid, seat, contract.tricks, vulnerability) == found.score


@pytest.mark.slow
@given(tricks=TABLES, dealer=st.integers(0, 3), vulnerability=st.integers(0, 3))
def test_par_turns_with_the_table(tricks, dealer, vulnerability):
    turned = tricks[15:] + tricks[:15]
    sides = (vulnerability & 1) << 1 | vulnerability >> 1
    here, there = par(tricks, dealer, vulnerability), par(turned, (dealer + 1) % 4, sides)
    assert here.score == -there.score
    assert len(here.contracts) == len(there.contracts)


def test_many_at_once():
    rng = np.random.default_rng(1)
    tables = rng.integers(0, 14, (50, 20))
    dealers, sides = rng.integers(0, 4, 50), rng.integers(0, 4, 50)
    scores, best = par_results(tables, dealers, sides)
    contracts = par_contracts(tables, best)
    assert scores.dtype == np.int16
    for number in range(50):
        one = par(tables[number], int(dealers[number]), int(sides[number]))
        assert one.score == scores[number]
        assert one.contracts == contracts[number]
    assert par_results(np.zeros((0, 20), int), 0, 0)[0].shape == (0,)


@pytest.mark.parametrize(
    ("tricks", "dealer", "vulnerability", "message"),
    [
        ([7] * 19, 0, 0, r"tables of 20 tricks, got \(1, 19\)"),
        ([14] * 20, 0, 0, "0-13 tricks, got 14 to 14"),
        ([-1] * 20, 0, 0, "0-13 tricks, got -1 to -1"),
        ([7] * 20, 4, 0, "a dealer of 0-3, got 4"),
        ([7] * 20, 0, -1, "a vulnerability of 0-3, got -1"),
    ],
)
def test_what_has_no_par(tricks, dealer, vulnerability, message):
    with pytest.raises(InvalidDeal, match=message):
        par(tricks, dealer, vulnerability)


# --- published pars ------------------------------------------------------------------------------


def published(folder: Path) -> Iterator[dict[str, str]]:
    for file in sorted((folder / "dd" / "dds").glob("*.txt")):
        board: dict[str, str] = {}
        for line in file.read_text().splitlines():
            word, _, rest = line.partition(" ")
            board = {word: rest} if word == "PBN" else {**board, word: rest}
            if word == "PAR2":
                yield board


def named(text: str) -> set[tuple[int, str, str, bool]]:
    """Read ``EW 12N,E 2Dx``: level, strain, declarers, doubled."""
    found = set()
    for part in text.partition(":")[2].split(","):
        declarers, contract = part.split(" ")
        match = re.fullmatch(r"(\d+)([CDHSN])(x?)", contract)
        assert match is not None
        found |= {(int(level), match[2], declarers, bool(match[3])) for level in match[1]}
    return found


def test_published_pars(shared_data):
    boards = list(published(shared_data))
    assert len(boards) > 1400
    # strains there are S H D C N, vulnerabilities none, both, North-South, East-West
    given_ = np.array([[int(word) for word in board["TABLE"].split()] for board in boards])
    tables = given_.reshape(-1, 5, 4)[:, [3, 2, 1, 0, 4]].transpose(0, 2, 1).reshape(-1, 20)
    heads = np.array([[int(word) for word in board["PBN"].split()[:2]] for board in boards])
    dealers, sides = heads[:, 0], np.array([0, 3, 1, 2])[heads[:, 1]]
    scores, best = par_results(tables, dealers, sides)
    contracts = par_contracts(tables, best)
    for number, board in enumerate(boards):
        assert scores[number] == int(board["PAR2"].split('"')[1])
        by_side = re.findall('"(.*?)"', board["PAR"])
        ours = {
            (
                one.level,
                STRAINS[one.strain],
                "".join(seat.letter for seat in one.declarers),
                one.is_doubled,
            )
            for one in contracts[number]
        }
        assert ours == named(by_side[2 + int(dealers[number]) % 2])
    # either partner first: what a side has when it may bid before the other
    everybody = np.stack([par_results(tables, dealer, sides)[0] for dealer in range(4)])
    for number, board in enumerate(boards):
        first, second = re.findall('"(.*?)"', board["PAR"])[:2]
        assert max(everybody[0, number], everybody[2, number]) == int(first.split()[1])
        assert min(everybody[1, number], everybody[3, number]) == -int(second.split()[1])
