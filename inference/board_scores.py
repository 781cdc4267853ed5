"""Scores and International Match Points of boards, as arrays."""

from functools import cache
from typing import Final

import numpy as np

from bidcascade.bridge import imps, score
from bidcascade.kernels.types import I8, I32, U8, Bools

from .auction_ends import ContractParts, contract_of

_CONTRACTS: Final = 7 * 5 * 3


def scores_of(parts: ContractParts, played: Bools, vulnerability: U8, tricks: I8) -> I32:
    """Points of North-South; declarers of the contracts are compass seats.

    Passed out, where nothing is ``played``, is 0 whatever the other numbers are.
    """
    side = parts.declarer % 2
    number = 3 * (5 * (parts.level - 1) + parts.strain) + parts.doubling
    points = _points()[number, vulnerability >> side & 1, tricks]
    return np.where(played, np.where(side == 0, points, -points), 0)


def doubled_where_failing(parts: ContractParts, tricks: I8) -> ContractParts:
    """Contracts as a defence that knows all cards doubles them: those that fail undoubled.

    Examples
    --------
    >>> from bidcascade.inference.auction_ends import contracts_by_compass
    >>> four_hearts, tricks = contracts_by_compass(np.array([205, 205]), np.zeros(2, np.uint8)), 9
    >>> doubled_where_failing(four_hearts[0], np.array([9, 10], np.int8)).doubling.tolist()
    [1, 0]
    """
    failing = tricks < parts.level + 6
    return parts._replace(doubling=np.where(failing, np.maximum(parts.doubling, 1), parts.doubling))


def imps_of(swings: I32) -> I8:
    """International Match Points of differences in points."""
    different, which = np.unique(swings, return_inverse=True)
    return np.array([imps(one) for one in different.tolist()], np.int8)[which]


@cache
def _points() -> I32:
    """Score of declarer's side by contract (without its declarer), vulnerability and tricks."""
    found = np.zeros((_CONTRACTS, 2, 14), np.int32)
    for number in range(_CONTRACTS):
        contract = contract_of(1 + 4 * number, 0)
        assert contract is not None
        for sides in range(2):
            found[number, sides] = [
                score(contract, tricks, vulnerable=bool(sides)) for tricks in range(14)
            ]
    return found
