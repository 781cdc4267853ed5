"""Par: what a deal is worth when both sides bid and play it without a fault, all hands seen.

The auction is taken as a game. From the dealer on each player may pass or name any higher
contract; three passes end it (four at the start: 0 points), and the last contract is scored with
its double-dummy tricks, doubled if it goes down. Par is the value of that game with best play of
both sides, worked out from seven notrump downwards.

Par contracts are those that score par and stand: going on after them gains nothing, and no higher
contract of the other side is worth more to it, so that nobody has to bid again. Both partners are
named where both take as many tricks. The dealer matters where both sides can make the same
contract: whoever may name it first plays it.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bidcascade.bridge import STRAINS, InvalidDeal, Seat, ShownAnswer
from bidcascade.kernels.core import functions as core
from bidcascade.kernels.types import I8, I16, U8, Bools

from .abstract_solver import TABLE_SIZE


@dataclass(frozen=True, slots=True)
class ParContract:
    """A contract that par is reached by.

    Parameters
    ----------
    level, strain : int
    declarers : tuple of Seat
        One of a side or both.
    tricks : int
        What declarer takes.
    """

    level: int
    strain: int
    declarers: tuple[Seat, ...]
    tricks: int

    @property
    def result(self) -> int:
        """Tricks over the contract, negative where it goes down."""
        return self.tricks - 6 - self.level

    @property
    def is_doubled(self) -> bool:
        """Whether it is doubled, as all that go down are."""
        return self.result < 0

    def __str__(self) -> str:
        declarers = "".join(seat.letter for seat in self.declarers)
        doubled = "X" if self.is_doubled else ""
        result = f"{self.result:+d}" if self.result else "="
        return f"{self.level}{STRAINS[self.strain]}{doubled}-{declarers}{result}"


@dataclass(frozen=True, slots=True, repr=False)
class Par(ShownAnswer):
    """Par of a deal.

    Parameters
    ----------
    score : int
        Points of North-South.
    contracts : tuple of ParContract
        Highest-ranking first; empty where the deal is best passed out.
    """

    score: int
    contracts: tuple[ParContract, ...]


def par(table: ArrayLike, dealer: int, vulnerability: int) -> Par:
    """Par of one deal from its table of tricks.

    Parameters
    ----------
    table : int [20]
        Tricks at ``5 * declarer + strain``.
    dealer : int
        0-3 = N E S W.
    vulnerability : int
        Bit 0 North-South, bit 1 East-West.

    Raises
    ------
    InvalidDeal
        If the table holds no numbers of tricks, or the dealer or vulnerability does not exist.

    Examples
    --------
    >>> north_south = [6, 6, 6, 8, 7]
    >>> east_west = [7, 7, 6, 5, 6]
    >>> found = par(2 * (north_south + east_west), 0, 0)
    >>> found.score, [str(contract) for contract in found.contracts]
    (110, ['2S-NS='])
    """
    tables = np.asarray(table)[None, :]
    scores, best = par_results(tables, dealer, vulnerability)
    return Par(int(scores[0]), par_contracts(tables, best)[0])


def par_results(
    tables: ArrayLike, dealer: ArrayLike, vulnerability: ArrayLike
) -> tuple[I16, Bools]:
    """Par scores of many deals, and which contracts reach them.

    Parameters
    ----------
    tables : int [n, 20]
    dealer, vulnerability : int [n] or one for all

    Returns
    -------
    scores : int16 [n]
        Points of North-South.
    best : bool [n, 35, 4]
        By bid (``5 * (level - 1) + strain``) and declarer: whether it is a par contract.

    Raises
    ------
    InvalidDeal
        As :func:`par`.

    Examples
    --------
    >>> scores, best = par_results(np.full((3, 20), 7), 1, [0, 1, 2])
    >>> scores.tolist(), np.argwhere(best[0]).tolist()
    ([-90, -90, -90], [[4, 1], [4, 3]])
    """
    return core.par(*_checked(tables, dealer, vulnerability))


def par_contracts(tables: ArrayLike, best: Bools) -> list[tuple[ParContract, ...]]:
    """Par contracts of each deal, the highest first.

    Parameters
    ----------
    tables : int [n, 20]
    best : bool [n, 35, 4]
        As :func:`par_results` finds it.

    Raises
    ------
    InvalidDeal
        If a table holds no numbers of tricks.

    Examples
    --------
    >>> tables = np.full((2, 20), 7)
    >>> _, best = par_results(tables, [0, 3], 0)
    >>> [str(contract) for contracts in par_contracts(tables, best) for contract in contracts]
    ['1N-NS=', '1N-EW=']
    """
    rows, ends = core.par_contracts(_tricks(tables), np.ascontiguousarray(best))
    contracts = [_contract(*row) for row in rows.tolist()]
    return [tuple(contracts[start:end]) for start, end in pairwise([0, *ends.tolist()])]


@lru_cache(maxsize=8192)
def _contract(level: int, strain: int, declarers: int, tricks: int) -> ParContract:
    seats = tuple(seat for seat in Seat if declarers >> seat & 1)
    return ParContract(level, strain, seats, tricks)


def contract_scores(tables: ArrayLike, vulnerability: ArrayLike) -> I16:
    """Points of North-South for every contract played; what goes down is doubled.

    Parameters
    ----------
    tables : int [n, 20]
    vulnerability : int [n] or one for all

    Returns
    -------
    int16 [n, 35, 4]
        By bid and declarer, as :func:`par_results` has its contracts.

    Raises
    ------
    InvalidDeal
        As :func:`par`.

    Examples
    --------
    >>> contract_scores(np.full((1, 20), 9), 0)[0, 14].tolist()
    [400, -400, 400, -400]
    """
    tricks, _, sides = _checked(tables, 0, vulnerability)
    return core.contract_scores(tricks, sides)


def _tricks(tables: ArrayLike) -> I8:
    tricks = np.asarray(tables)
    if tricks.ndim != 2 or tricks.shape[1] != TABLE_SIZE:
        raise InvalidDeal(f"expected tables of {TABLE_SIZE} tricks, got {tricks.shape}")
    _check_whole(tricks, "tables of tricks")
    if tricks.size and not (tricks.min() >= 0 and tricks.max() <= 13):
        raise InvalidDeal(f"expected tables of 0-13 tricks, got {tricks.min()} to {tricks.max()}")
    return np.ascontiguousarray(tricks, np.int8)


def _checked(tables: ArrayLike, dealer: ArrayLike, vulnerability: ArrayLike) -> tuple[I8, U8, U8]:
    tricks = _tricks(tables)
    numbers = []
    for what, given in (("a dealer", dealer), ("a vulnerability", vulnerability)):
        array = np.broadcast_to(np.asarray(given), (len(tricks),))
        _check_whole(array, what)
        if array.size and not (array.min() >= 0 and array.max() <= 3):
            raise InvalidDeal(f"expected {what} of 0-3, got {given!r}")
        numbers.append(np.ascontiguousarray(array, np.uint8))
    return tricks, numbers[0], numbers[1]


def _check_whole(array: NDArray[Any], what: str) -> None:
    # an empty list has no kind of numbers
    if array.size and array.dtype.kind not in "iu":
        raise InvalidDeal(f"expected {what} in whole numbers, got {array.dtype}")
